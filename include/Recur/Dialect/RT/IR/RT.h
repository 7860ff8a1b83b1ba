// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RT.h - The rt dialect ------------------------------------*- C++ -*-===//
#ifndef RECUR_DIALECT_RT_IR_RT_H
#define RECUR_DIALECT_RT_IR_RT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

namespace recur::rt {
/// What a call keeps for itself: faults, markers, the shapes of outputs. No memref reaches it.
struct FrameResource : public mlir::SideEffects::Resource::Base<FrameResource> {
  llvm::StringRef getName() final { return "rt.frame"; }
};
} // namespace recur::rt

#include "Recur/Dialect/RT/IR/RTDialect.h.inc"
#include "Recur/Dialect/RT/IR/RTEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Recur/Dialect/RT/IR/RTAttrs.h.inc"
#define GET_OP_CLASSES
#include "Recur/Dialect/RT/IR/RTOps.h.inc"

namespace recur::rt {
/// The module attribute, a StageAttr, that says how far the module has come.
inline constexpr llvm::StringLiteral kStageAttr = "rt.stage";
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_RT_H
