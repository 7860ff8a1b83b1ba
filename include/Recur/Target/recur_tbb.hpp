// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur_tbb.hpp - threads of oneTBB for a compiled model ---*- C++ -*-===//
//
// A worker callback for recur_config.gang on the threads of an arena of oneTBB:
//
//   oneapi::tbb::task_arena arena(4);
//   recur::Model speech(speech_entry_points(), recur::make_config(recur::tbb_gang(arena)));
//
// oneTBB runs a task when a thread is free, perhaps one after the other, but all indices of a call must run at the same
// time. So a task has no index yet. A thread that runs it arrives, and waits. After a short time the caller counts who
// has arrived, and gives indices to these threads and to itself. A task that begins later returns at once.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TBB_HPP
#define RECUR_TBB_HPP

#include "recur_gang.hpp"

#include <oneapi/tbb/task_arena.h>

namespace recur {
inline namespace RECUR_HPP_VARIANT {
namespace detail {

/// Where the caller and the threads of an arena meet for one call. Tasks that begin late own it too.
class TbbMeeting {
public:
  TbbMeeting(recur_body body, void *arg) noexcept : body_(body), arg_(arg) {}

  /// A thread of the arena calls this. If it comes in time, it waits for the count, and calls the body.
  void join() noexcept {
    int32_t index = arrived_.load(std::memory_order_relaxed);
    do {
      if (index < 0)
        return;
    } while (!arrived_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel, std::memory_order_relaxed));
    int32_t count = 0;
    for (int32_t look = 0; !(count = count_.load(std::memory_order_acquire));)
      look = rest(look);
    FloatEnvironment own;
    environment_.use();
    body_(arg_, index, count);
    own.use();
    done_.fetch_add(1, std::memory_order_release);
  }

  /// The caller of the model calls this. `helpers` tasks may join.
  void lead(int32_t helpers, int64_t looks) noexcept {
    for (int32_t look = 0; looks-- > 0 && arrived_.load(std::memory_order_relaxed) <= helpers;)
      look = rest(look);
    int32_t count = arrived_.exchange(closed, std::memory_order_acq_rel);
    count_.store(count, std::memory_order_release);
    body_(arg_, 0, count);
    for (int32_t look = 0; done_.load(std::memory_order_acquire) < count - 1;)
      look = rest(look);
  }

private:
  static constexpr int32_t closed = -1;

  const recur_body body_;
  void *const arg_;
  const FloatEnvironment environment_;
  /* The caller has arrived from the start. */
  std::atomic<int32_t> arrived_{1};
  /* Of indices, as soon as it is decided. */
  std::atomic<int32_t> count_{0};
  std::atomic<int32_t> done_{0};
};

} // namespace detail

/// Runs work on the caller and on threads of the arena that are free, at most as many as the arena may have. Any number
/// of models and of their callers may share an arena, which must outlive the models that get it.
inline Gang tbb_gang(oneapi::tbb::task_arena &arena) noexcept {
  return {[](void *context, int32_t want, recur_body body, void *arg) {
            auto &threads = *static_cast<oneapi::tbb::task_arena *>(context);
            int32_t helpers = 0;
            std::shared_ptr<detail::TbbMeeting> meeting;
            auto invite = [&] {
              int32_t most = std::min<int32_t>(want, threads.max_concurrency()) - 1;
              if (most < 1)
                return;
              meeting = std::make_shared<detail::TbbMeeting>(body, arg);
              for (; helpers < most; ++helpers)
                threads.enqueue([meeting] { meeting->join(); });
            };
#ifdef __cpp_exceptions
            try {
              invite();
            } catch (...) { /* There is no memory for more tasks. */
            }
#else
            invite();
#endif
            if (meeting) /* A thread of an arena needs longer to come than one that waits for nothing else. */
              meeting->lead(helpers, 4 * detail::looks_for_helpers(want));
            else
              body(arg, 0, 1);
          },
          &arena};
}

} // namespace RECUR_HPP_VARIANT
} // namespace recur

#endif // RECUR_TBB_HPP
