// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur_gang.hpp - threads for a compiled model in C++ -----*- C++ -*-===//
//
// Worker callbacks for recur_config.gang, which a model calls for work that is worth several threads:
//
//   recur::Threads threads(4);
//   recur::Model speech(speech_entry_points(), recur::make_config(threads.gang()));
//
// A callback chooses a count, and all indices below it must run at the same time, because they may wait for each other.
// `Threads` gives an index to a thread of its own that runs or is woken, and OpenMP has a thread for each member of a
// team. recur_tbb.hpp has a callback for oneTBB.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_GANG_HPP
#define RECUR_GANG_HPP

// GCC 10 calls C++20 201709. After an error nothing else is read, which would only lead to more of them.
#if __cplusplus < 201709L
#error "recur_gang.hpp needs C++20: compile with -std=c++20"
#else

#include "recur.hpp"

#include <atomic>
#include <cfenv>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace recur {
inline namespace RECUR_HPP_VARIANT {
namespace detail {

/// The floating-point environment of a caller, which a gang must give the threads that help it.
class FloatEnvironment {
public:
  FloatEnvironment() noexcept { std::fegetenv(&environment_); }
  void use() const noexcept { std::fesetenv(&environment_); }

private:
  std::fenv_t environment_;
};

inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

inline constexpr int32_t looksBeforeYield = 1000;

/// One look without success. After many, other threads may run, perhaps those that it waits for. Returns the number of
/// looks, up to looksBeforeYield.
inline int32_t rest(int32_t look) noexcept {
  pause();
  if (look < looksBeforeYield)
    return look + 1;
  std::this_thread::yield();
  return looksBeforeYield;
}

/// How often a caller looks for helpers before it goes on without them: longer if more is to do.
inline int64_t looks_for_helpers(int32_t want) noexcept { return std::min<int64_t>(10 + 4 * int64_t(want), 2000); }

} // namespace detail

/// A pool of threads. One call of a model at a time has them; another one that comes meanwhile runs on its own thread
/// alone. A thread that sleeps, or that was late with its last work because another program had displaced it, is called
/// first, and takes no part if it does not answer soon, because waiting for it would take longer; if the pool is
/// patient, it waits. An idle thread looks for work for a short time before it sleeps.
class Threads {
public:
  /// Starts `count` - 1 threads; the caller of a model is one too. If the system gives fewer, there are fewer.
  explicit Threads(int32_t count = static_cast<int32_t>(std::thread::hardware_concurrency()), bool patient = false)
      : isPatient_(patient) {
    if (count < 2)
      return;
    slots_ = detail::make_array<Slot>(count - 1);
    for (int32_t i = 0; slots_ && i < count - 1; ++i)
      if (!start(slots_[static_cast<size_t>(i)]))
        break;
  }
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  /// Ends the threads. No model may use them any more.
  ~Threads() {
    for (int32_t i = 0; i < helpers_; ++i) {
      Slot &slot = slots_[static_cast<size_t>(i)];
      set(slot, ended);
      slot.thread.join();
    }
  }

  /// The threads, with the caller of a model.
  int32_t size() const noexcept { return helpers_ + 1; }
  /// For make_config. The Threads must outlive the models that get it.
  Gang gang() noexcept { return {run, this}; }

private:
  /* The states of a slot. The caller makes it `called` if it is `idle` or `asleep`; its thread answers with `here`, and
     waits for a task. The caller makes a slot that did not answer in time `idle` again, by compare and exchange, so
     both agree. A task makes it `given`, and its end `idle`. If all threads have ended their last task in time, the
     caller makes an `idle` slot `given` at once. */
  enum State : int32_t { idle, asleep, called, here, given, ended };
  static constexpr int32_t looksBeforeSleep = 30000;

  struct alignas(128) Slot {
    std::atomic<int32_t> state{idle};
    recur_body body = nullptr;
    void *arg = nullptr;
    int32_t index = 0, count = 0;
    const detail::FloatEnvironment *environment = nullptr;
    std::thread thread;
  };

  bool start(Slot &slot) noexcept {
#ifdef __cpp_exceptions
    try {
      slot.thread = std::thread(work, &slot);
    } catch (...) {
      return false;
    }
#else
    slot.thread = std::thread(work, &slot);
#endif
    ++helpers_;
    return true;
  }

  static bool change(Slot &slot, int32_t from, int32_t to) noexcept {
    return slot.state.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  static void work(Slot *slot) noexcept {
    for (int32_t look = 0;; ++look) {
      switch (slot->state.load(std::memory_order_acquire)) {
      case idle:
        if (look >= looksBeforeSleep && change(*slot, idle, asleep)) {
          slot->state.wait(asleep, std::memory_order_acquire);
          look = 0;
        }
        break;
      case called:
        change(*slot, called, here);
        look = 0;
        break;
      case given:
        slot->environment->use();
        slot->body(slot->arg, slot->index, slot->count);
        slot->state.store(idle, std::memory_order_release);
        look = 0;
        break;
      case ended:
        return;
      default: /* here: the task comes at once */
        break;
      }
      detail::pause();
    }
  }

  static void run(void *context, int32_t want, recur_body body, void *arg) {
    Threads &threads = *static_cast<Threads *>(context);
    int32_t most = std::min(want - 1, threads.helpers_);
    if (most < 1 || threads.isBusy_.exchange(true, std::memory_order_acquire)) {
      body(arg, 0, 1);
      return;
    }
    threads.share(most, want, body, arg);
    threads.isBusy_.store(false, std::memory_order_release);
  }

  void share(int32_t most, int32_t want, recur_body body, void *arg) noexcept {
    std::span<Slot> slots(slots_.get(), static_cast<size_t>(most));
    // A thread that goes to sleep between this look and its task is woken.
    bool isPrompt = isPrompt_ && areAll(slots, idle);
    if (!isPrompt)
      call(slots, detail::looks_for_helpers(want));
    int32_t count = 1;
    for (Slot &slot : slots) {
      bool takesPart = isPrompt || slot.state.load(std::memory_order_acquire) == here || !change(slot, called, idle);
      slot.index = takesPart ? count++ : 0;
    }
    detail::FloatEnvironment environment;
    for (Slot &slot : slots) {
      if (!slot.index)
        continue;
      slot.body = body;
      slot.arg = arg;
      slot.count = count;
      slot.environment = &environment;
      set(slot, given);
    }
    body(arg, 0, count);
    isPrompt_ = count > most;
    for (Slot &slot : slots) {
      int32_t look = 0;
      while (slot.index && slot.state.load(std::memory_order_acquire) == given)
        look = detail::rest(look);
      isPrompt_ = isPrompt_ && look < detail::looksBeforeYield;
    }
  }

  /// Calls threads, and waits for their answers for a short time, or patiently.
  void call(std::span<Slot> slots, int64_t looks) const noexcept {
    for (Slot &slot : slots)
      set(slot, called);
    for (int32_t look = 0; (isPatient_ || looks-- > 0) && !areAll(slots, here);)
      look = detail::rest(look);
  }

  /// Sets the state, and wakes the thread if it sleeps.
  static void set(Slot &slot, State state) noexcept {
    if (slot.state.exchange(state, std::memory_order_acq_rel) == asleep)
      slot.state.notify_one();
  }

  static bool areAll(std::span<const Slot> slots, State state) noexcept {
    return std::all_of(slots.begin(), slots.end(),
                       [=](const Slot &slot) { return slot.state.load(std::memory_order_acquire) == state; });
  }

  std::unique_ptr<Slot[]> slots_;
  int32_t helpers_ = 0;
  const bool isPatient_;
  std::atomic<bool> isBusy_ = false;
  bool isPrompt_ = false; /* all threads of the last task ended it in time */
};

#ifdef _OPENMP
/// Runs work on a team of OpenMP threads. Inside of a parallel region the team has one thread, unless nested regions
/// are on.
inline Gang openmp_gang() noexcept {
  return {[](void *, int32_t want, recur_body body, void *arg) {
            detail::FloatEnvironment environment;
#pragma omp parallel num_threads(std::min(want, omp_get_max_threads()))
            {
              detail::FloatEnvironment own;
              environment.use();
              body(arg, omp_get_thread_num(), omp_get_num_threads());
              own.use();
            }
          },
          nullptr};
}
#endif

} // namespace RECUR_HPP_VARIANT
} // namespace recur

#endif // C++20
#endif // RECUR_GANG_HPP
