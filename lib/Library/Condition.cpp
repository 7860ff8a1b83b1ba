// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - waiting without a new libstdc++ --------------------===//
//
// LLVM's threads wait by std::condition_variable::wait. libstdc++ 12 has given this function another version of its
// symbol (GLIBCXX_3.4.30), which systems with glibc 2.34 lack. It is the only one of that version that librecur needs,
// so librecur brings its own. It does what libstdc++ does.
//
//===----------------------------------------------------------------------===//
#include <condition_variable>

#ifdef __GLIBCXX__
namespace {
using Lock = std::unique_lock<std::mutex>;
} // namespace

/// Waits on `variable`, whose mutex `lock` has locked. The name of the symbol is that of the member function.
__attribute__((visibility("hidden"))) void recurWait(std::condition_variable *variable, Lock *lock) noexcept
    asm("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

void recurWait(std::condition_variable *variable, Lock *lock) noexcept {
  pthread_cond_wait(variable->native_handle(), lock->mutex()->native_handle());
}
#endif
