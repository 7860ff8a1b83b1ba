// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RT.h - The rt dialect ------------------------------------*- C++ -*-===//
//
// Includes everything that is generated from RT.td: the dialect, its enums, attributes and ops. Also names the
// attributes by which the stages of the compiler describe a model and its functions.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_RT_IR_RT_H
#define RECUR_DIALECT_RT_IR_RT_H

#include "Recur/Target/ModelContract.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

namespace recur::rt {
/// The side-effect resource for the state of a call that no memref reaches: faults, markers of time loops, and the
/// shapes of outputs.
struct FrameResource : public mlir::SideEffects::Resource::Base<FrameResource> {
  llvm::StringRef getName() final { return "rt.frame"; }
};
} // namespace recur::rt

#include "Recur/Dialect/RT/IR/RTDialect.h.inc"
#include "Recur/Dialect/RT/IR/RTEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Recur/Dialect/RT/IR/RTAttrs.h.inc"
#include "Recur/Dialect/RT/IR/RTInterfaces.h.inc"
#define GET_OP_CLASSES
#include "Recur/Dialect/RT/IR/RTOps.h.inc"

namespace recur::rt {
//===----------------------------------------------------------------------===//
// Attributes of the module and of functions. The dialect verifies their form, and that they are on the right kind of op
// (RTAttributes.cpp). verifyStage (Recur/Transforms/Passes.h) verifies that a module has those of its stage.
//===----------------------------------------------------------------------===//

/// Module, #rt.stage: the last stage that the module has passed.
inline constexpr llvm::StringLiteral kStageAttr = "rt.stage";
/// Module, arrays of dictionaries `{name, type, dims}`: the inputs and the outputs of the model. `type` is the public
/// element type. A dim of -1 is dynamic.
inline constexpr llvm::StringLiteral kInputsAttr = "rt.inputs";
inline constexpr llvm::StringLiteral kOutputsAttr = "rt.outputs";
/// Module, i64: the bytes of workspace that a call needs, or -1 if they depend on the inputs.
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr = "rt.workspace_bytes";
/// Module, i64: the bytes of packed weights.
inline constexpr llvm::StringLiteral kWeightsBytesAttr = "rt.weights_bytes";
/// Module, an array of pairs `[constant, offset]`: the constants that the packed weights consist of. The offset is in
/// bytes.
inline constexpr llvm::StringLiteral kWeightsPlanAttr = "rt.weights_plan";
/// Module, an array of pairs `[status, text]`: the faults that the model can report. A fault is identified by its
/// position in the array, its site.
inline constexpr llvm::StringLiteral kFaultsAttr = "rt.faults";
/// Module, array<i64>: the numbers of the inputs whose values, not only dims, decide sizes.
inline constexpr llvm::StringLiteral kSizingInputsAttr = "rt.sizing_inputs";
/// Function, i64: the number of its time loops.
inline constexpr llvm::StringLiteral kTimeLoopsAttr = "rt.time_loops";
/// Private function, unit: a kernel. It only computes with its arguments and does not allocate, so time loops may call
/// it.
inline constexpr llvm::StringLiteral kKernelAttr = RECUR_KERNEL_ATTRIBUTE;
/// Kernel, a dictionary `{along, grain, sizes, cost, scratch, other}`: how a call can be divided into calls for parts
/// of the work without changing a bit of the result. `along` is an array of pairs `[operand, dim]`, dims of equal size
/// that are cut at multiples of `grain`, so that each part has at least `grain` indices. If an operand of `along` is a
/// number, it counts from the start of these dims, `dim` for each index, and a part gets what is left of it. `sizes` is
/// an array of pairs too. The work of a call is `cost` times the product of these sizes, in the unit of WorkEstimate.
/// `scratch`, which may be missing, is an operand: there are at most as many parts as its first dim has indices, one
/// for each. `other`, which may be missing, is a dictionary `{along, least}` of other dims, which are cut anywhere, so
/// that each part has at least `least` indices. A call that no time loop repeats is divided along these if they make as
/// many parts or more. A call that has the attribute is divided by it, and not by that of the kernel.
inline constexpr llvm::StringLiteral kPartsAttr = "rt.parts";
/// Kernel, two i64 `operand, dim`: the kernel belongs to no model. It serves all of them, unless this dim of the
/// operand is the same constant in all calls, which makes most of its code dead. See `rt-share-kernels`.
inline constexpr llvm::StringLiteral kSharedAttr = RECUR_SHARED_ATTRIBUTE;
/// Loop, unit: an iteration neither reads nor writes what another one writes. `rt-mark-independent-loops` sets it.
inline constexpr llvm::StringLiteral kIndependentAttr = "rt.independent";
/// Loop, unit: an iteration is a tile of rows of a product, and reads the same block of weights as the others.
inline constexpr llvm::StringLiteral kTilesOfBlockAttr = "rt.tiles_of_block";
/// Sum, integer: how many of its steps have accumulators of their own. A sum is a product, or the loop over the steps
/// of a tile of it. `rt-widen-panels` sets it on a product whose columns it cuts, `rt-tile-and-vectorize` on loops, and
/// `rt-split-accumulators` makes the accumulators.
inline constexpr llvm::StringLiteral kAccumulatorsAttr = "rt.accumulators";
/// Loop or call, unit: one thread computes all of it, because a time loop, which one thread runs, reads the results.
/// `rt-mark-independent-loops` sets it.
inline constexpr llvm::StringLiteral kUndividedAttr = "rt.undivided";
/// Loop, unit: it stands in the body of a time loop, and does a part of each iteration that needs nothing of the other
/// parts, in any iteration. `rt-group-time-loops` makes it, and each thread may run the time loop with some of the
/// parts.
inline constexpr llvm::StringLiteral kInterchangeableAttr = "rt.interchangeable";
/// Loop, unit: it stands in a time loop, and does some of its iterations for a part of a batch. `rt.iteration` then
/// stands for a strip of iterations. `rt-strip-batches` sets it.
inline constexpr llvm::StringLiteral kStepsAttr = "rt.steps";
/// memref.reinterpret_cast, unit: the result has the shape and the strides of the source, whose dynamic dims are known
/// to have these sizes. `rt-specialize-rows` sets it.
inline constexpr llvm::StringLiteral kSameShapeAttr = "rt.same_shape";

/// True for a constant, or an operation on real numbers or integers that does the same with each element of vectors.
bool isElementwise(mlir::Operation &op);

/// True if an input of an epilogue may be indexed by `map`, a function of the indices of the result: it has an element
/// for each channel, the last dim, and one, or one for each index, of the others.
bool isIndexedByChannel(mlir::AffineMap map);

/// True for an op with an `rt.iteration` directly in its body: a loop of the model.
bool isTimeLoop(mlir::Operation *op);

/// True for an op in a loop of the model, at any depth.
bool isInTimeLoop(mlir::Operation *op);
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_RT_H
