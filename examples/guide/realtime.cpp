// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- realtime.cpp - what calls of the model of the guides take ----------===//
//
// Counts allocations, and shows what silence and a NaN do to the state and to the time of a call.
//
//===----------------------------------------------------------------------===//
#include "average.h"
#include "recur.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>
#include <xmmintrin.h>

// Counts what takes memory from the heap. Two of the names are those of glibc.
extern "C" void *__libc_malloc(std::size_t bytes);
extern "C" void *__libc_memalign(std::size_t alignment, std::size_t bytes);
static int allocations = 0;
extern "C" void *malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
extern "C" void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}

int main() {
  recur::Model average(average_entry_points());
  std::vector<float> x(2000, 1.0f); // 1,000 pairs
  auto call = [&](const char *what) {
    allocations = 0;
    if (!average.try_run({x}))
      std::printf("failed, ");
    int taken = allocations;
    std::printf("%s: %d allocations, last output %g\n", what, taken, double(average.output<float>("y")[1999]));
  };
  auto time = [&](const char *what) {
    using Clock = std::chrono::steady_clock;
    double least = 1;
    for (int i = 0; i < 100; ++i) {
      Clock::time_point start = Clock::now();
      if (average.try_run({x}))
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::printf("%s: %.1f us\n", what, 1e6 * least);
  };
  call("first call");
  call("second call");
  time("time of a call");
  x.assign(2000, 0.0f);
  call("silence");
  time("time of a silent call");
  _mm_setcsr(_mm_getcsr() | 0x8040);
  time("time of a silent call without denormal numbers");
  x[0] = x[1] = NAN;
  call("a NaN");
  x[0] = x[1] = 0;
  call("after the NaN");
  average.reset();
  call("after a reset");
}
