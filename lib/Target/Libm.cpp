// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libm.cpp - Functions of libm that a model may call -----------------===//
#include "Recur/Target/Libm.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// True if `inst` is a remainder, a power or a listed call.
static bool needsLibm(const Instruction &inst) {
  if (!inst.getType()->getScalarType()->isDoubleTy())
    return false;
  if (inst.getOpcode() == Instruction::FRem)
    return true;
  auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee &&
         (callee->getIntrinsicID() == Intrinsic::pow || is_contained(recur::kLibmFunctions, callee->getName()));
}

bool recur::needsLibm(const Module &module) {
  return any_of(module, [](const Function &function) { return any_of(instructions(function), ::needsLibm); });
}
