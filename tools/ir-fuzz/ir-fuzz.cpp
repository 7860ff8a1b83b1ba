// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-fuzz.cpp - random models, compiled against interpreted ----------===//

#include "Generator.h"
#include "Plants.h"
#include "Reduce.h"
#include "Statistics.h"

#include "Recur/Tools/CommandLine.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
using namespace recur::fuzz;

static cl::OptionCategory category("ir-fuzz options");
static cl::opt<uint64_t> firstSeed("seed", cl::desc("The first seed"), cl::init(1), cl::cat(category));
static cl::opt<uint64_t> count("count", cl::desc("How many models"), cl::init(100), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Processes"), cl::init(1), cl::cat(category));
static cl::opt<unsigned> linkedEvery("linked-every", cl::desc("Also run every Nth model as it is linked (0: none)"),
                                     cl::init(4), cl::cat(category));
static cl::opt<unsigned> naiveEvery("naive-every", cl::desc("Also run every Nth model without optimizations (0: none)"),
                                    cl::init(1), cl::cat(category));
static cl::opt<unsigned> strictEvery("strict-every",
                                     cl::desc("Call every Nth model as the strictest caller does (0: none)"),
                                     cl::init(1), cl::cat(category));
static cl::opt<unsigned> leastAgreeing("least-agreeing",
                                       cl::desc("Fail where fewer of 100 models agree, of 20 models or more"),
                                       cl::init(90), cl::cat(category));
static cl::opt<unsigned> seconds("seconds", cl::desc("CPU time for one model"), cl::init(60), cl::cat(category));
static cl::opt<std::string> output("output-dir", cl::desc("Write models that fail (with --write: all) into DIR/SEED"),
                                   cl::value_desc("DIR"), cl::cat(category));
static cl::opt<bool> writeAll("write", cl::desc("Write the models, run nothing"), cl::cat(category));
static cl::opt<bool> reduceThem("reduce", cl::desc("Make models that fail small"), cl::cat(category));
static cl::opt<bool> statistics("statistics", cl::desc("Print what the models had"), cl::cat(category));
static cl::opt<std::string> logFile("log",
                                    cl::desc("Write a line for each model, as it ends: its number, the verdict, "
                                             "why, seconds, what it has, its operations"),
                                    cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool> listPlants("list-plants", cl::desc("Print the names of the bugs that can be planted"),
                                cl::cat(category));
static cl::opt<std::string> plant("plant", cl::desc("Put a bug into what is compiled, and stop where it is found"),
                                  cl::value_desc("NAME|all"), cl::cat(category));

static CheckOptions optionsOf(uint64_t seed, const std::string &directory, llvm::StringRef bug) {
  CheckOptions options;
  options.directory = directory;
  options.plant = bug.str();
  options.modes = {Mode::Optimized};
  options.isStrict = !bug.empty() || (strictEvery && seed % strictEvery == 0);
  if (bug.empty() && naiveEvery && seed % naiveEvery == 0)
    options.modes.push_back(Mode::Naive);
  if (bug.empty() && linkedEvery && seed % linkedEvery == 0)
    options.modes.push_back(Mode::Linked);
  return options;
}

/// The options for checking a model without its planted bug.
static CheckOptions withoutPlant(uint64_t seed, const std::string &directory) {
  CheckOptions options = optionsOf(seed, directory, "");
  options.modes = {Mode::Optimized};
  options.isStrict = true;
  return options;
}

static Report describe(uint64_t seed, const Model &model) {
  Report report;
  report.seed = seed;
  report.features.assign(model.features.begin(), model.features.end());
  for (const auto &[op, number] : model.countOps())
    report.ops.push_back(op);
  return report;
}

namespace {
/// A process that checks one seed after another. If it crashes, another one continues after the seed.
class Worker {
public:
  Worker(unsigned index, unsigned step, std::string directory, std::string bug)
      : next(firstSeed + index), step(step), directory(std::move(directory)), bug(std::move(bug)) {
    if (llvm::sys::fs::create_directories(this->directory))
      llvm::errs() << "error: cannot make '" << this->directory << "'\n";
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

  uint64_t next;
  unsigned step;
  std::string directory, bug, text;
  pid_t child = -1;
  int descriptor = -1;
};
} // namespace

void Worker::start() {
  int ends[2];
  if (next >= firstSeed + count || pipe(ends) != 0) {
    descriptor = -1;
    return;
  }
  child = fork();
  if (child == 0) {
    close(ends[0]);
    for (uint64_t seed = next; seed < firstSeed + count; seed += step) {
      limitTime(seconds);
      Model model = generate(seed);
      Report report = describe(seed, model);
      std::clock_t start = std::clock();
      report.verdict = check(model, optionsOf(seed, directory, bug));
      report.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
      std::string line = report.print();
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
        next = line->seed + step;
        report(*line);
      }
    return;
  }
  close(descriptor);
  descriptor = -1;
  text.clear();
  int status = 0;
  waitpid(child, &status, 0);
  if (next >= firstSeed + count)
    return;
  Report crash = describe(next, generate(next));
  bool isLate = WIFSIGNALED(status) && isTimeLimit(WTERMSIG(status));
  crash.verdict = {isLate ? Verdict::Hangs : Verdict::Crashed,
                   WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "ended"};
  // The strict caller ends the process if the model accesses memory that it must not access.
  std::string breach = readBreach(directory);
  if (!WIFSIGNALED(status) && !breach.empty())
    crash.verdict.text = breach;
  if (!breach.empty())
    llvm::sys::fs::remove(directory + "/strict.txt");
  next += step;
  report(crash);
  start();
}

/// Checks all seeds, until `report` returns false.
static void runAll(const std::string &directory, const std::string &bug,
                   llvm::function_ref<bool(const Report &)> report) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i != std::max(1u, unsigned(jobs)); ++i)
    workers.emplace_back(i, std::max(1u, unsigned(jobs)), directory + "/" + std::to_string(i), bug);
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

/// Prints a failure, reduced if the options ask for it, and writes its model.
static void showFailure(const Report &report, const std::string &directory, llvm::StringRef bug) {
  llvm::outs() << "seed " << report.seed << " " << spell(report.verdict.kind) << ": " << report.verdict.text << "\n";
  llvm::outs().flush();
  if (!reduceThem && output.empty())
    return;
  Model model = generate(report.seed);
  CheckOptions options = optionsOf(report.seed, directory, bug);
  if (reduceThem && report.verdict.kind != Verdict::Rejected) {
    unsigned before = model.countNodes();
    model = reduce(std::move(model), report.verdict, options, seconds);
    Verdict verdict = checkIsolated(model, options, seconds);
    llvm::outs() << "  " << before << " layers became " << model.countNodes() << ": " << verdict.text << "\n";
    if (output.empty()) {
      std::string xml, bin;
      model.print(xml, bin);
      llvm::outs() << xml;
    }
  }
  if (!output.empty() && !writeModel(model, output + "/" + std::to_string(report.seed)))
    llvm::errs() << "error: cannot write the model into '" << output << "'\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (llvm::Error error = recur::checkArguments(argc, argv))
    return recur::printError(std::move(error), llvm::errs());
  cl::ParseCommandLineOptions(argc, argv, "Recur: compares compiled random models with interpreted ones\n");
  if (listPlants) {
    for (const PlantInfo &info : getPlants())
      llvm::outs() << llvm::formatv("{0,-28} {1}\n", info.name, info.description);
    return 0;
  }
  if (writeAll) {
    Statistics all;
    for (uint64_t seed = firstSeed; seed != firstSeed + count; ++seed) {
      Model model = generate(seed);
      all.add(describe(seed, model));
      if (!output.empty() && !writeModel(model, output + "/" + std::to_string(seed)))
        return 1;
    }
    if (statistics)
      all.print(llvm::outs());
    return 0;
  }
  llvm::SmallString<128> directory;
  if (llvm::sys::fs::createUniqueDirectory("ir-fuzz", directory)) {
    llvm::errs() << "error: cannot make a temporary directory\n";
    return 1;
  }
  std::string place = directory.str().str();
  int result = 0;
  if (!plant.empty()) {
    for (const PlantInfo &info : getPlants()) {
      if (plant != "all" && plant != info.name)
        continue;
      std::optional<Report> found;
      uint64_t tried = 0;
      runAll(place, info.name.str(), [&](const Report &report) {
        tried += report.verdict.kind != Verdict::Unplanted;
        // A bug may also show as a broken promise, which ends the process. Without the bug the model must keep the
        // promises.
        bool isBreach = report.verdict.kind == Verdict::Crashed &&
                        report.verdict.text.find("error: strict") != std::string::npos &&
                        !checkIsolated(generate(report.seed), withoutPlant(report.seed, place), seconds).isFailure();
        if (report.verdict.kind == Verdict::Differs || isBreach)
          found = report;
        return !found;
      });
      if (found)
        llvm::outs() << llvm::formatv("found {0,-28} seed {1}, model {2} that it fits: {3}\n", info.name, found->seed,
                                      tried, llvm::StringRef(found->verdict.text).take_front(120));
      if (found && reduceThem)
        showFailure(*found, place, info.name);
      if (!found)
        llvm::outs() << llvm::formatv("MISSED {0} in {1} models that it fits\n", info.name, tried);
      llvm::outs().flush();
      result |= !found;
    }
  } else {
    Statistics all;
    unsigned failures = 0;
    std::error_code error;
    std::unique_ptr<llvm::raw_fd_ostream> log;
    if (!logFile.empty())
      log = std::make_unique<llvm::raw_fd_ostream>(logFile, error);
    if (error)
      llvm::errs() << "error: cannot write '" << logFile << "': " << error.message() << "\n";
    runAll(place, "", [&](const Report &report) {
      all.add(report);
      if (log && !error) {
        *log << report.print();
        log->flush();
      }
      if (report.verdict.isFailure()) {
        ++failures;
        showFailure(report, place, "");
      }
      return true;
    });
    if (statistics)
      all.print(llvm::outs());
    bool areEnough = count < 20 || all.countAgreeing() * 100 >= leastAgreeing * count;
    if (!areEnough)
      llvm::outs() << "too few models agree: " << all.countAgreeing() << " of " << count << ", of 100 at least "
                   << leastAgreeing << "\n";
    llvm::outs() << count << " models, " << failures << " failures\n";
    result = failures != 0 || !areEnough;
  }
  llvm::sys::fs::remove_directories(directory);
  return result;
}
