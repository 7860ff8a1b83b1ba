// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CPU.h - which code of the model does this CPU run? -------*- C -*-===//
//
// Part of ABIShim.c, which includes it once. It uses inline assembly, because __builtin_cpu_supports needs symbols of
// libgcc.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_CPU_H
#define RECUR_ABISHIM_CPU_H

#include "Message.h"

#if defined(__x86_64__)

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3])
                   : "a"(leaf), "c"(subleaf));
}

/// The register states that the operating system saves (XCR0), or 0 if the CPU has no XGETBV. A feature works only if
/// the registers that it uses are saved.
static uint64_t enabledByOS(void) {
  uint32_t registers[4], low, high;
  cpuid(1, 0, registers);
  if (!(registers[2] & (1u << 27))) /* OSXSAVE */
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t)high << 32) | low;
}

typedef struct x86_feature {
  char name[16];
  uint32_t leaf;
  uint8_t subleaf, reg, bit;
  uint32_t xcr0;
} x86_feature;

static const x86_feature x86Features[] = {
#define RECUR_X86_FEATURE(index, name, leaf, subleaf, reg, bit, xcr0) {name, leaf, subleaf, reg, bit, xcr0},
#include "Recur/Target/CPUFeatures.def"
};

/// The answer of cpuid for a leaf: zeros if the CPU does not have it.
typedef struct x86_leaf {
  uint32_t leaf, subleaf, registers[4];
} x86_leaf;

static void readLeaf(x86_leaf *answer, uint32_t leaf, uint32_t subleaf) {
  uint32_t most[4];
  x86_leaf none = {leaf, subleaf, {0, 0, 0, 0}};
  *answer = none;
  cpuid(leaf & 0x80000000u, 0, most);
  if (most[0] < leaf)
    return;
  if (subleaf) {
    cpuid(leaf, 0, most);
    if (most[0] < subleaf)
      return;
  }
  cpuid(leaf, subleaf, answer->registers);
}

/// The features of `used`, a bit mask, that the CPU lacks. A virtual machine takes microseconds for each cpuid, so one
/// answer serves all features that follow each other in it.
static uint64_t findLacked(uint64_t used) {
  uint64_t os = enabledByOS(), lacked = 0;
  x86_leaf answer = {0, 0, {0, 0, 0, 0}};
  for (int i = 0; i < (int)(sizeof(x86Features) / sizeof(x86Features[0])); ++i) {
    const x86_feature *feature = &x86Features[i];
    if (!((used >> i) & 1))
      continue;
    if (answer.leaf != feature->leaf || answer.subleaf != feature->subleaf)
      readLeaf(&answer, feature->leaf, feature->subleaf);
    if (!((answer.registers[feature->reg] >> feature->bit) & 1) || (os & feature->xcr0) != feature->xcr0)
      lacked |= (uint64_t)1 << i;
  }
  return lacked;
}

/// Sets *level to the best level of which the CPU has all features. Fails with RECUR_E_CPU, and the name of the first
/// feature that the least level needs and the CPU lacks, if there is no such level.
COLD static int32_t chooseLevel(int64_t *level, recur_error *error) {
  const uint64_t *masks = recur_model_facts.cpu_masks;
  uint64_t used = 0;
  for (int32_t i = 0; i < recur_model_info.num_levels; ++i)
    used |= masks[i];
  uint64_t lacked = findLacked(used);
  for (*level = recur_model_info.num_levels - 1; *level >= 0; --*level)
    if (!(masks[*level] & lacked))
      return RECUR_OK;
  int i = __builtin_ctzll(masks[0] & lacked);
  /* A template has no place for a string, so this message is put together here. */
  char text[128];
  text_buffer out = {text, text + sizeof(text) - 1};
  putText(&out, "this CPU lacks ", -1);
  putText(&out, x86Features[i].name, 16);
  putText(&out, ", the model was compiled for ", -1);
  putText(&out, recur_model_info.cpu, 64);
  *out.at = 0;
  return fail2(error, RECUR_E_CPU, inCall, text, i, 0);
}

#else

/* On other CPUs only the operating system can list the features, and this code makes no system calls. So there is one
   level. */
static int32_t chooseLevel(int64_t *level, recur_error *error) {
  (void)error;
  *level = 0;
  return RECUR_OK;
}

#endif
#endif /* RECUR_ABISHIM_CPU_H */
