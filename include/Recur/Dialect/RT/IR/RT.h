// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RT.h - The rt dialect ------------------------------------*- C++ -*-===//
#ifndef RECUR_DIALECT_RT_IR_RT_H
#define RECUR_DIALECT_RT_IR_RT_H

#include "Recur/Target/ModelContract.h"

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
//===----------------------------------------------------------------------===//
// Attributes of other dialects' ops. The dialect verifies what they are and what they stand on (RTAttributes.cpp);
// verifyStage (Recur/Transforms/Passes.h) says from which stage on a module has them.
//===----------------------------------------------------------------------===//

/// Of a module, #rt.stage: how far it has come.
inline constexpr llvm::StringLiteral kStageAttr = "rt.stage";
/// Of a module, an array of dictionaries `{name, type, dims}`: its inputs and its outputs. A dim of -1 is dynamic.
inline constexpr llvm::StringLiteral kInputsAttr = "rt.inputs";
inline constexpr llvm::StringLiteral kOutputsAttr = "rt.outputs";
/// Of a module, i64: the bytes of workspace that a call needs, -1 where its inputs decide.
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr = "rt.workspace_bytes";
/// Of a module, i64: the bytes of packed weights.
inline constexpr llvm::StringLiteral kWeightsBytesAttr = "rt.weights_bytes";
/// Of a module, an array of pairs `[recipe, offset]`: what the packed weights consist of.
inline constexpr llvm::StringLiteral kWeightsPlanAttr = "rt.weights_plan";
/// Of a module, an array of pairs `[status, text]`: the faults, by number.
inline constexpr llvm::StringLiteral kFaultsAttr = "rt.faults";
/// Of a module, array<i64>: the numbers of the inputs whose values decide sizes.
inline constexpr llvm::StringLiteral kSizingInputsAttr = "rt.sizing_inputs";
/// Of a function, i64: the number of its time loops.
inline constexpr llvm::StringLiteral kTimeLoopsAttr = "rt.time_loops";
/// Of a private function, unit: it computes with what it is given, and nothing else. Time loops may call it.
inline constexpr llvm::StringLiteral kKernelAttr = RECUR_KERNEL_ATTRIBUTE;

/// True for an op with an `rt.iteration` in its body: a loop of the model.
bool isTimeLoop(mlir::Operation *op);
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_RT_H
