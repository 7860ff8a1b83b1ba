// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StackMeasure.cpp - the stack that a model needs --------------------===//
//
// The attribute `warn-stack-size` asks the code generator for a warning with the size of a frame. It changes no code.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/StackMeasure.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace recur {

namespace {
/// Keeps the sizes of frames, and passes all other diagnostics on.
struct FrameHandler final : DiagnosticHandler {
  FrameHandler(DenseMap<const Function *, uint64_t> &frames, DiagnosticHandler *next) : frames(frames), next(next) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    const auto *size = dyn_cast<DiagnosticInfoStackSize>(&info);
    if (!size)
      return next && next->handleDiagnostics(info);
    frames[&size->getFunction()] = size->getStackSize();
    return true;
  }

  DenseMap<const Function *, uint64_t> &frames;
  DiagnosticHandler *next;
};
} // namespace

StackMeasure::StackMeasure(Module &module) : module(module), previous(module.getContext().getDiagnosticHandler()) {
  for (Function &function : module)
    if (!function.isIntrinsic())
      function.addFnAttr("warn-stack-size", "0");
  module.getContext().setDiagnosticHandler(std::make_unique<FrameHandler>(frames, previous.get()));
}

StackMeasure::~StackMeasure() { module.getContext().setDiagnosticHandler(std::move(previous)); }

uint64_t StackMeasure::getDepth(const Function &function, DenseMap<const Function *, uint64_t> &depths) const {
  auto [known, isNew] = depths.try_emplace(&function, 0);
  // A kernel that has left the module has a frame, and calls nothing.
  if (!isNew || (function.isDeclaration() && !frames.contains(&function)))
    return known->second;
  uint64_t deepest = 0;
  for (const Instruction &instruction : instructions(function))
    for (const Use &operand : instruction.operands())
      if (const auto *callee = dyn_cast<Function>(operand.get()))
        deepest = std::max(deepest, getDepth(*callee, depths));
  // The return address takes a word.
  return depths[&function] = frames.lookup(&function) + module.getDataLayout().getPointerSize() + deepest;
}

uint64_t StackMeasure::getDeepest() const {
  DenseMap<const Function *, uint64_t> depths;
  uint64_t deepest = 0;
  for (const Function &function : module)
    deepest = std::max(deepest, getDepth(function, depths));
  return deepest;
}

} // namespace recur
