// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CPU.h - does this CPU run the model? ---------------------*- C -*-===//
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

static int hasFeature(const x86_feature *feature, uint64_t os) {
  uint32_t registers[4];
  cpuid(feature->leaf & 0x80000000u, 0, registers);
  if (registers[0] < feature->leaf)
    return 0;
  if (feature->subleaf) {
    cpuid(feature->leaf, 0, registers);
    if (registers[0] < feature->subleaf)
      return 0;
  }
  cpuid(feature->leaf, feature->subleaf, registers);
  return ((registers[feature->reg] >> feature->bit) & 1) && (os & feature->xcr0) == feature->xcr0;
}

/// Fails with RECUR_E_CPU, and the name of the feature, if the CPU lacks a feature that the model may use.
COLD static int32_t checkCPU(recur_error *error) {
  uint64_t needed = recur_model_facts.cpu_mask;
  uint64_t os = enabledByOS();
  for (int i = 0; i < (int)(sizeof(x86Features) / sizeof(x86Features[0])); ++i) {
    if (!((needed >> i) & 1) || hasFeature(&x86Features[i], os))
      continue;
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
  return RECUR_OK;
}

#else

/* On other CPUs only the operating system can list the features, and this code makes no system calls. */
static int32_t checkCPU(recur_error *error) {
  (void)error;
  return RECUR_OK;
}

#endif
#endif /* RECUR_ABISHIM_CPU_H */
