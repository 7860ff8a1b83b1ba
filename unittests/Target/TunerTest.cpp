// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TunerTest.cpp - the tuner keeps the fastest way --------------------===//
//
// A model has large and small work, and a clock that the test moves. Each way has a time of its own.
//
//===----------------------------------------------------------------------===//
// clang-format off
#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/recur_tuner.h"
// clang-format on
#include "gtest/gtest.h"
#include <array>

namespace {

/// The nanoseconds of a piece of work alone and on threads.
struct Cost {
  uint64_t alone, shared;
};

uint64_t now;

/// A model of two pieces of work, one that is worth two threads and one that is worth twenty.
class Tuner : public testing::Test {
protected:
  Tuner() {
    now = 1;
    recur_tuner_init(&tuner, share, this, [] { return now; });
  }

  /// One call. Returns the pieces that got threads: 1 for the small one, 2 for the large one.
  int call(uint64_t work = 0) {
    shares = 0;
    recur_tuner_begin(&tuner, work);
    for (current = 0; current < 2; ++current)
      recur_tuner_gang(&tuner, current ? 20 : 2, run, this);
    recur_tuner_end(&tuner);
    return shares;
  }

  /// The calls out of 5000 whose pieces with threads are `expected`.
  int countCalls(int expected) {
    int count = 0;
    for (int i = 0; i < 5000; ++i)
      count += call() == expected;
    return count;
  }

  std::array<Cost, 2> costs{{{1000, 600}, {10000, 6000}}};
  recur_tuner tuner;

private:
  static void run(void *arg, int32_t, int32_t count) {
    auto *test = static_cast<Tuner *>(arg);
    const Cost &cost = test->costs[test->current];
    now += count > 1 ? cost.shared : cost.alone;
  }

  static void share(void *ctx, int32_t want, recur_body body, void *arg) {
    auto *test = static_cast<Tuner *>(ctx);
    EXPECT_EQ(want, test->current ? 20 : 2);
    test->shares |= test->current ? 2 : 1;
    body(arg, 0, 2);
  }

  int shares = 0, current = 0;
};

TEST_F(Tuner, BeginsWithThreads) {
  costs = {{{1000, 3000}, {10000, 30000}}};
  for (int i = 0; i < recur_tuner_least_calls; ++i)
    EXPECT_EQ(call(), 3);
}

TEST_F(Tuner, KeepsThreadsThatPay) { EXPECT_GT(countCalls(3), 4950); }

TEST_F(Tuner, LeavesSmallWorkAlone) {
  costs[0].shared = 3000;
  EXPECT_GT(countCalls(2), 4900);
}

TEST_F(Tuner, LeavesAllWorkAlone) {
  costs = {{{1000, 3000}, {10000, 12000}}};
  EXPECT_GT(countCalls(0), 4900);
}

TEST_F(Tuner, FollowsChanges) {
  EXPECT_GT(countCalls(3), 4900);
  // Threads have got slow.
  costs = {{{1000, 3000}, {10000, 30000}}};
  EXPECT_GT(countCalls(0), 4900);
  // They are fast again. The other ways are tried after 1024 calls or less.
  costs = {{{1000, 600}, {10000, 6000}}};
  EXPECT_GT(countCalls(3), 3800);
}

/// Calls of other shapes are not compared with each other.
TEST_F(Tuner, ComparesEqualWork) {
  for (int i = 0; i < 1000; ++i) {
    costs[1].shared = i % 2 ? 60000 : 6000;
    EXPECT_EQ(call(/*work=*/i), 3);
  }
}

/// A call without work for threads says nothing about them.
TEST_F(Tuner, IgnoresCallsWithoutWork) {
  for (int i = 0; i < 100; ++i) {
    uint64_t before = now;
    recur_tuner_begin(&tuner, 0);
    recur_tuner_end(&tuner);
    EXPECT_EQ(now, before);
  }
  EXPECT_EQ(tuner.left, uint32_t(recur_tuner_least_calls));
}

} // namespace
