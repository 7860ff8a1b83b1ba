// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProbeTest.cpp - the loops of the probe -----------------------------===//
#include "Recur/Benchmark/Probe.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace recur;

namespace {

/// The lines of a function of the probe, compiled for a CPU.
SmallVector<std::string> assemble(StringRef cpu, StringRef function) {
  TargetConfig config;
  config.triple = "x86_64-unknown-linux-gnu";
  config.cpu = cpu.str();
  auto machine = cantFail(createTargetMachine(config));
  LLVMContext context;
  auto module = makeProbe(context, *machine);
  SmallVector<char, 0> text;
  cantFail(emitModule(*module, *machine, EmitKind::Assembly, text));
  StringRef body = StringRef(text.data(), text.size()).split((function + ":\n").str()).second.split("retq").first;
  SmallVector<StringRef> lines;
  body.split(lines, '\n');
  SmallVector<std::string> result;
  for (StringRef line : lines)
    result.push_back(line.str());
  return result;
}

/// The lines that have `first` and then `second`.
unsigned count(ArrayRef<std::string> lines, StringRef first, StringRef second) {
  return llvm::count_if(lines, [&](StringRef line) {
    auto [before, after] = line.split(first);
    return before.size() != line.size() && after.contains(second);
  });
}

class Probes : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(Probes, LoadWhatIsCounted) {
  auto [cpu, registers] = GetParam();
  SmallVector<std::string> lines = assemble(cpu, "probe_loads");
  // Each load is the operand of an addition to a whole register. The buffer is in %rdi.
  EXPECT_EQ(count(lines, "paddd", std::string(registers)), kProbeLoads * 2 - 1);
  EXPECT_EQ(count(lines, "paddd", "(%rdi"), kProbeLoads);
  EXPECT_EQ(count(lines, "", "(%rdi"), kProbeLoads);
}

TEST_P(Probes, MultiplyWhatIsCounted) {
  auto [cpu, registers] = GetParam();
  SmallVector<std::string> lines = assemble(cpu, "probe_flops");
  bool fuses = StringRef(cpu) != "x86-64-v2";
  EXPECT_EQ(count(lines, fuses ? "vfmadd" : "mulps", registers), kProbeProducts);
  // Nothing is read but constants.
  EXPECT_EQ(count(lines, "(%rsp", ""), 0u);
}

TEST_P(Probes, ComputeTheProductThatIsCounted) {
  auto [cpu, registers] = GetParam();
  SmallVector<std::string> lines = assemble(cpu, "probe_product");
  bool fuses = StringRef(cpu) != "x86-64-v2";
  unsigned lanes = StringRef(registers) == "zmm" ? 16 : StringRef(registers) == "ymm" ? 8 : 4;
  unsigned rows = getProbeRows(/*hasManyRegisters=*/lanes == 16);
  EXPECT_EQ(count(lines, fuses ? "vfmadd" : "mulps", registers), kProbeTiles * rows * 2);
  // Each tile asks for a line in each step, until there are no more.
  EXPECT_EQ(count(lines, "prefetcht1", ""), std::min(kProbeTiles, std::max(1u, 2 * 4 * lanes / 64)));
}

INSTANTIATE_TEST_SUITE_P(CPUs, Probes,
                         testing::Values(std::pair("x86-64-v2", "xmm"), std::pair("x86-64-v3", "ymm"),
                                         std::pair("x86-64-v4", "zmm")));

} // namespace
