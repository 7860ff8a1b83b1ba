// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Workers.cpp - processes that check random models -------------------===//
//
// Each process checks every Nth seed and writes a line for each model to a pipe. If it crashes, or takes too long for a
// model, another process continues after the seed.
//
//===----------------------------------------------------------------------===//

#include "Recur/Testing/Workers.h"
#include "Recur/Testing/CrashNotes.h"
#include "Recur/Testing/Generator.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace recur::fuzz {

Report describe(uint64_t seed, const Model &model) {
  Report report;
  report.seed = seed;
  report.features.assign(model.features.begin(), model.features.end());
  for (const auto &[op, number] : model.countOps())
    report.ops.push_back(op);
  return report;
}

void WorkPlan::checkGenerated(std::function<CheckOptions(uint64_t seed, const std::string &directory)> getOptions) {
  describe = [](uint64_t seed) { return fuzz::describe(seed, generate(seed)); };
  check = [getOptions](uint64_t seed, const std::string &own) {
    Model model = generate(seed);
    Report report = fuzz::describe(seed, model);
    std::clock_t start = std::clock();
    report.verdict = fuzz::check(model, getOptions(seed, own));
    report.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    return report;
  };
}

namespace {
/// A process that checks one seed after another. If it crashes, another one continues after the seed.
class Worker {
public:
  /// `plan` must outlive the worker. `index` is the number of this worker, from 0 to `plan.jobs` - 1.
  Worker(const WorkPlan &plan, unsigned index)
      : plan(plan), next(plan.firstSeed + index), directory(plan.directory + "/" + std::to_string(index)) {
    if (llvm::sys::fs::create_directories(directory))
      llvm::errs() << "error: cannot make '" << directory << "'\n";
    start();
  }

  int getDescriptor() const { return descriptor; }
  bool isOver() const { return descriptor < 0; }

  /// Reads the available output, and calls `report` for each model that is finished.
  void read(llvm::function_ref<void(const Report &)> report);
  void stop() {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(descriptor);
    descriptor = -1;
  }

private:
  void start();
  uint64_t getStep() const { return std::max(1u, plan.jobs); }
  uint64_t getEnd() const { return plan.firstSeed + plan.count; }

  const WorkPlan &plan;
  uint64_t next;
  std::string directory, text;
  /// Shared with the process. The worker may move, the page may not.
  std::unique_ptr<CrashNotes> notes = std::make_unique<CrashNotes>();
  pid_t child = -1;
  int descriptor = -1;
};
} // namespace

void Worker::start() {
  int ends[2];
  if (next >= getEnd() || pipe(ends) != 0) {
    descriptor = -1;
    return;
  }
  notes->clear();
  child = fork();
  if (child == 0) {
    close(ends[0]);
    notes->record();
    if (plan.bytes)
      limitMemory(plan.bytes);
    for (uint64_t seed = next; seed < getEnd(); seed += getStep()) {
      limitTime(plan.seconds);
      std::string line = plan.check(seed, directory).print();
      if (write(ends[1], line.data(), line.size()) != ssize_t(line.size()))
        _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  descriptor = ends[0];
}

void Worker::read(llvm::function_ref<void(const Report &)> report) {
  char buffer[4096];
  ssize_t got = ::read(descriptor, buffer, sizeof(buffer));
  if (got > 0) {
    text.append(buffer, got);
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      if (std::optional<Report> line = Report::parse(llvm::StringRef(text).take_front(end))) {
        next = line->seed + getStep();
        report(*line);
      }
    return;
  }
  close(descriptor);
  descriptor = -1;
  text.clear();
  int status = 0;
  waitpid(child, &status, 0);
  if (next >= getEnd())
    return;
  Report crash = plan.describe(next);
  bool isLate = WIFSIGNALED(status) && isTimeLimit(WTERMSIG(status));
  crash.verdict = {isLate ? Verdict::Hangs : Verdict::Crashed,
                   (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "ended") +
                       notes->describe(/*most=*/4)};
  // The strict caller ends the process if the model accesses memory that it must not access.
  std::string breach = readBreach(directory);
  if (!WIFSIGNALED(status) && !breach.empty())
    crash.verdict.text = breach;
  if (!breach.empty())
    (void)llvm::sys::fs::remove(directory + "/strict.txt");
  next += getStep();
  report(crash);
  start();
}

void runWorkers(const WorkPlan &plan, llvm::function_ref<bool(const Report &)> report) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i != std::max(1u, plan.jobs); ++i)
    workers.emplace_back(plan, i);
  bool goesOn = true;
  while (goesOn) {
    std::vector<pollfd> waiting;
    std::vector<Worker *> who;
    for (Worker &worker : workers)
      if (!worker.isOver()) {
        waiting.push_back({worker.getDescriptor(), POLLIN, 0});
        who.push_back(&worker);
      }
    if (waiting.empty())
      break;
    poll(waiting.data(), waiting.size(), -1);
    for (size_t i = 0; i != waiting.size() && goesOn; ++i)
      if (waiting[i].revents)
        who[i]->read([&](const Report &line) { goesOn = goesOn && report(line); });
  }
  for (Worker &worker : workers)
    if (!worker.isOver())
      worker.stop();
}

} // namespace recur::fuzz
