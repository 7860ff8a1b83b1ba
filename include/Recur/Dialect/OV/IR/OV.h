// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OV.h - The ov dialect ------------------------------------*- C++ -*-===//
//
// Includes everything that is generated from OV.td: the dialect, its enums, attributes, interfaces and ops.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OV_H
#define RECUR_DIALECT_OV_IR_OV_H

#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace recur::ov {
/// The side-effect resource that an op writes if it can fail at run time. The write keeps passes from erasing, merging
/// or reordering such ops, so that the same fault is reported; such ops are not speculatable either.
struct FaultResource : public mlir::SideEffects::Resource::Base<FaultResource> {
  llvm::StringRef getName() final { return "ov.fault"; }
};
class ResultOp;
class YieldOp;
/// The slices of an axis (Recur/Dialect/OV/IR/SliceRange.h).
template <typename Index>
struct SliceRange;
/// Emits the errors of rules and of inference (lib/Dialect/OV/IR/Inference.h).
struct Report;
/// An operand that is a matrix, filters or a table (WeightsOpInterface).
struct Weights {
  mlir::OpOperand *operand;
  /// If the elements are rounded to integers, those that differ only in these indices share a scale. Weights without
  /// axes are not rounded to integers.
  llvm::SmallVector<int64_t> axes;
};
} // namespace recur::ov

#include "Recur/Dialect/OV/IR/OVAttrInterfaces.h.inc"
#include "Recur/Dialect/OV/IR/OVDialect.h.inc"
#include "Recur/Dialect/OV/IR/OVEnums.h.inc"
#include "Recur/Dialect/OV/IR/OVInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Recur/Dialect/OV/IR/OVAttrs.h.inc"
#define GET_OP_CLASSES
#include "Recur/Dialect/OV/IR/OVOps.h.inc"

namespace recur::ov {
/// The elements of an integer tensor, if all of them are known at compile time: `value` is a constant, or a tensor of
/// rank 0 or 1 whose elements follow from constants, ranks and static dims. Elements of unsigned and i1 tensors are
/// zero-extended. Nullopt otherwise, or if `value` is null.
std::optional<llvm::SmallVector<int64_t>> getConstantIntegers(mlir::Value value);

/// The element of an i1 constant that has one element, or nullopt if `value` (which may be null) is not such a
/// constant.
std::optional<bool> getConstantBool(mlir::Value value);

/// True if `a` and `b` are ranked tensor types that can describe the same tensor: the element types and ranks are the
/// same, and no static dims clash.
bool areCompatible(mlir::Type a, mlir::Type b);

/// The most bytes of a constant that is a dense attribute. Larger constants stay in the weights file.
inline constexpr int64_t kMaxDenseBytes = 1024;

/// Name of the function argument and result attribute that holds the public element type (a type, e.g. `ui8` or `i1`).
inline constexpr llvm::StringLiteral kElementTypeAttr = "ov.element_type";
/// Name of the function argument and result attribute that holds the tensor's name in the model.
inline constexpr llvm::StringLiteral kNameAttr = "ov.name";
/// Name of the module attribute that holds the weights file (`#ov.weights_file`).
inline constexpr llvm::StringLiteral kWeightsFileAttr = "ov.weights_file";
/// Name of the module attribute that lists the states of the model: an array<i64> with 1 for a state that the model
/// sets, and 0 for one that it only reads. The entry function has two arguments for each state behind all others: its
/// value, and a scalar boolean that says if it was set; and behind all other results one of the type of its value.
inline constexpr llvm::StringLiteral kStatesAttr = "ov.states";
} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_OV_H
