// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SanitizerOptions.c - what the sanitizers of our programs look for --===//
//
// Linked into every program of a build with sanitizers (add_recur_tool, add_recur_unittest), so that nobody has to set
// ASAN_OPTIONS. What is set there comes first.
//
//===----------------------------------------------------------------------===//

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

/// LLVM's allocators poison what they have not given out yet. Their templates are compiled here, with the sanitizer,
/// and in LLVM's packages, without it: what the one poisons the other hands out as it is, a use after poison.
/// Memory that is not there is an error of the model, which the programs report. Memory that was freed last is kept
/// from use, as much as a small model takes: a tenth of the time went into fresh pages, of which the default takes
/// 256 MB.
const char *__asan_default_options(void) {
  return "allow_user_poisoning=0:allocator_may_return_null=1:quarantine_size_mb=32";
}

const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
