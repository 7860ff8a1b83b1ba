// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GangTest.cpp - the threads of the driver ---------------------------===//
//
// The callback runs all indices that it chose at the same time, each once, whether the threads spin or sleep.
//
//===----------------------------------------------------------------------===//
#include "Gang.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

struct Meeting {
  gang_threads *gang;
  std::atomic<int> arrived{0};
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(gangMaxThreads);
  std::atomic<int> count{0}, nested{0};
};

/// Waits until all indices are here, which ends only if they run at the same time.
void meet(void *arg, int32_t index, int32_t count) {
  auto *meeting = static_cast<Meeting *>(arg);
  ++meeting->calls[index];
  meeting->count = count;
  ++meeting->arrived;
  while (meeting->arrived < count)
    std::this_thread::yield();
}

void expectMeeting(gang_threads *gang, int32_t want, int32_t expected, bool isPatient = true) {
  Meeting meeting;
  gangRun(gang, want, meet, &meeting);
  // Without patience, a thread that does not run now takes no part.
  EXPECT_LE(meeting.count, expected);
  expected = isPatient ? expected : meeting.count.load();
  EXPECT_EQ(meeting.count, expected);
  for (int i = 0; i < gangMaxThreads; ++i)
    EXPECT_EQ(meeting.calls[i], i < expected ? 1 : 0) << "index " << i;
}

TEST(Gang, RunsAllIndicesAtOnce) {
  for (int threads : {1, 2, 3, 7}) {
    gang_threads *gang = gangStart(threads, /*isPatient=*/1);
    ASSERT_NE(gang, nullptr);
    for (int round = 0; round < 10; ++round)
      for (int32_t want : {1, 2, 3, 7, 100})
        expectMeeting(gang, want, std::min(want, threads));
    gangStop(gang);
  }
}

TEST(Gang, BeginsWithoutLateThreads) {
  gang_threads *gang = gangStart(4, /*isPatient=*/0);
  ASSERT_NE(gang, nullptr);
  for (int round = 0; round < 100; ++round)
    expectMeeting(gang, round % 6 + 1, std::min(round % 6 + 1, 4), /*isPatient=*/false);
  gangStop(gang);
}

TEST(Gang, WakesThreads) {
  gang_threads *gang = gangStart(3, /*isPatient=*/1);
  ASSERT_NE(gang, nullptr);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expectMeeting(gang, 3, 3);
    // The third thread sleeps on while the second one works.
    expectMeeting(gang, 2, 2);
  }
  gangStop(gang);
}

/// A body that calls the gang again, as a second call of a model does, works alone.
TEST(Gang, IsBusy) {
  Meeting meeting;
  meeting.gang = gangStart(2, /*isPatient=*/1);
  ASSERT_NE(meeting.gang, nullptr);
  auto again = [](void *arg, int32_t, int32_t) {
    auto *meeting = static_cast<Meeting *>(arg);
    gangRun(
        meeting->gang, 2,
        [](void *arg, int32_t index, int32_t count) {
          EXPECT_EQ(index, 0);
          EXPECT_EQ(count, 1);
          ++static_cast<Meeting *>(arg)->nested;
        },
        meeting);
  };
  gangRun(meeting.gang, 2, again, &meeting);
  EXPECT_EQ(meeting.nested, 2);
  expectMeeting(meeting.gang, 2, 2);
  gangStop(meeting.gang);
}

TEST(Gang, Limits) {
  EXPECT_EQ(gangStart(0, 0), nullptr);
  EXPECT_EQ(gangStart(gangMaxThreads + 1, 0), nullptr);
  gangStop(nullptr);
}

} // namespace
