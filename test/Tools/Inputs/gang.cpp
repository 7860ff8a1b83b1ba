// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- gang.cpp - the callbacks of recur_gang.hpp keep their promises -----===//
//
// Each call has bodies that wait for each other, so it ends only if they run at the same time.
//
//===----------------------------------------------------------------------===//
#include "model.h"

#include "recur_gang.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

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
#endif
  return 0;
}
