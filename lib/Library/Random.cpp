// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Random.cpp - random bits for LLVM without a new glibc --------------===//
//
// LLVM takes random bits for the names of temporary files from arc4random, which glibc has from 2.36 on. It is the only
// function of a glibc after 2.34 that librecur needs, so librecur brings its own, and loads on older systems too.
//
//===----------------------------------------------------------------------===//
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <sys/random.h>

/// Returns 32 random bits of the system. Where it gives none, names of files need only be different, not secret. The
/// name of the symbol is that of glibc; in C++ it is another function than the declared one, whose form may differ.
__attribute__((visibility("hidden"))) uint32_t recurRandomBits() asm("arc4random");

uint32_t recurRandomBits() {
  uint32_t bits = 0;
  ssize_t got;
  do
    got = getrandom(&bits, sizeof(bits), 0);
  while (got < 0 && errno == EINTR);
  if (got != ssize_t(sizeof(bits))) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    bits = uint32_t(now.tv_nsec) * 2654435761u ^ uint32_t(reinterpret_cast<uintptr_t>(&now));
  }
  return bits;
}
