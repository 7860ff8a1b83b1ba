// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- gang.cpp - the callbacks for threads keep their promises -----------===//
//
// Each call has bodies that wait for each other, so it ends only if they run at the same time. WITH_TBB: those of
// recur_tbb.hpp too.
//
//===----------------------------------------------------------------------===//
#include "model.h"

#include "recur_gang.hpp"

#ifdef WITH_TBB
#include "recur_tbb.hpp"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#endif

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

static constexpr int32_t mostThreads = 8;

struct Work {
  std::atomic<int32_t> arrived{0};
  std::array<std::atomic<int32_t>, mostThreads> calls{};
  std::atomic<int32_t> count{0}, otherRounding{0};
  int rounding = 0;
};

static void meet(void *arg, int32_t index, int32_t count) {
  Work &work = *static_cast<Work *>(arg);
  ++work.calls[static_cast<size_t>(index)];
  work.count = count;
  work.otherRounding += std::fegetround() != work.rounding;
  for (++work.arrived; work.arrived < count;)
    std::this_thread::yield();
}

/// Calls the gang often, and checks that each index below the count is called once. Returns the greatest count.
static int32_t callOften(recur::Gang gang, int32_t want, int calls) {
  int32_t most = 0;
  for (int call = 0; call < calls; ++call) {
    Work work;
    std::fesetround(call % 2 ? FE_UPWARD : FE_TONEAREST);
    work.rounding = std::fegetround();
    gang.run(gang.context, want, meet, &work);
    int32_t count = work.count;
    bool good = count >= 1 && count <= want && !work.otherRounding;
    for (int32_t i = 0; i < mostThreads; ++i)
      good = good && work.calls[static_cast<size_t>(i)] == (i < count);
    if (!good) {
      std::printf("call %d breaks a promise, with a count of %d\n", call, static_cast<int>(count));
      std::exit(1);
    }
    most = std::max(most, count);
  }
  std::fesetround(FE_TONEAREST);
  return most;
}

#ifdef WITH_TBB
/// Calls the gang until threads have helped: how soon they come depends on what else the machine does. Much work makes
/// the gang wait for them longer.
static void callUntilHelped(recur::Gang gang) {
  while (callOften(gang, 1000, 100) < 2)
    ;
}

/// Whether each of many runs with the gang has the output of a run on one thread, to the last bit.
static bool runsAlike(recur::Gang gang) {
  std::vector<float> x(25 * 512), h(256), c(256), alone;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i * 7919 % 2003) / 1001 - 1;
  recur::Model model(model_entry_points()), helped(model_entry_points(), recur::make_config(gang));
  model.run({x, {h, {1, 256}}, {c, {1, 256}}});
  alone.assign(model.output<float>(0).begin(), model.output<float>(0).end());
  for (int call = 0; call < 100; ++call) {
    helped.run({x, {h, {1, 256}}, {c, {1, 256}}});
    auto output = helped.output<float>(0);
    if (!std::equal(output.begin(), output.end(), alone.begin(), alone.end()))
      return false;
  }
  return true;
}

/// Calls from several threads at once, of which each may help the others.
static void callFromFour(recur::Gang gang) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] { callOften(gang, 4, 2500); });
  for (std::thread &caller : callers)
    caller.join();
}

static void checkTbb() {
  oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, 4);
  oneapi::tbb::task_arena one(1), arena(4), other(3, 0);
  std::printf("arena of one: %d\n", static_cast<int>(callOften(recur::tbb_gang(one), 8, 100)));
  callOften(recur::tbb_gang(arena), 8, 10000);
  callUntilHelped(recur::tbb_gang(arena));
  callUntilHelped(recur::tbb_gang(other));
  callFromFour(recur::tbb_gang(arena));
  /* Tasks of the program after calls that rounded upward. */
  std::atomic<int32_t> changed = 0;
  for (int turn = 0; turn < 100; ++turn) {
    callOften(recur::tbb_gang(arena), 1000, 2);
    arena.execute(
        [&] { oneapi::tbb::parallel_for(0, 1000, [&](int) { changed += std::fegetround() != FE_TONEAREST; }); });
  }
  std::printf("TBB's tasks that round otherwise: %d\n", static_cast<int>(changed));
  /* The callers are threads of the arena, which has no others. */
  arena.execute([&] { oneapi::tbb::parallel_for(0, 8, [&](int) { callOften(recur::tbb_gang(arena), 4, 200); }); });
  {
    oneapi::tbb::global_control none(oneapi::tbb::global_control::max_allowed_parallelism, 1);
    callOften(recur::tbb_gang(arena), 4, 1000);
  }
  std::printf("TBB: %s\n", runsAlike(recur::tbb_gang(arena)) ? "same" : "other numbers");
}
#endif

int main() {
  recur::Threads one(1), threads(4), patient(4, true);
  std::printf("alone: %d of %d\n", static_cast<int>(callOften(one.gang(), 3, 100)), static_cast<int>(one.size()));
  /* How many threads take part depends on what else the machine does; how many take part patiently does not. */
  callOften(threads.gang(), 8, 500);
  std::printf("patient: %d of %d\n", static_cast<int>(callOften(patient.gang(), 8, 50)),
              static_cast<int>(patient.size()));
  /* The threads sleep meanwhile. */
  for (int pause = 0; pause < 3; ++pause) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    callOften(threads.gang(), 3, 100);
    std::printf("after a pause: %d\n", static_cast<int>(callOften(patient.gang(), 3, 20)));
  }

  /* Two callers: one has the threads, and the other one runs alone. */
  std::thread other([&] { callOften(threads.gang(), 4, 500); });
  callOften(threads.gang(), 4, 500);
  other.join();
  std::printf("two callers\n");

#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_num_threads(3);
  std::printf("OpenMP: %d\n", static_cast<int>(callOften(recur::openmp_gang(), 8, 50)));
#pragma omp parallel num_threads(2)
#pragma omp single
  std::printf("inside of a region: %d\n", static_cast<int>(callOften(recur::openmp_gang(), 8, 10)));
  /* The threads of a program keep their own environment. The last call of these has rounded upward. */
  std::atomic<int32_t> changed = 0;
  callOften(recur::openmp_gang(), 3, 2);
#pragma omp parallel num_threads(3)
  changed += std::fegetround() != FE_TONEAREST;
  std::printf("OpenMP's threads that round otherwise: %d\n", static_cast<int>(changed));
#endif
#ifdef WITH_TBB
  checkTbb();
#endif
  return 0;
}
