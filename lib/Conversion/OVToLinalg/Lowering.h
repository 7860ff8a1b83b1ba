// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowering.h - What the lowerings of ov ops share ----------*- C++ -*-===//
//
// Three things: elements (the type in memory and the type that payloads compute on), dims (as SSA values that are known
// to be equal where they are), and checks.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace recur::ov {

/// Builds at one location, and knows the conversion, if there is one, in which values have been replaced.
class LoweringBuilder : public mlir::ImplicitLocOpBuilder {
public:
  LoweringBuilder(mlir::Location loc, mlir::ConversionPatternRewriter &rewriter)
      : ImplicitLocOpBuilder(loc, rewriter), rewriter(&rewriter) {}
  /// A builder of what is nested in what `outer` builds.
  LoweringBuilder(mlir::Location loc, mlir::OpBuilder &nested, const LoweringBuilder &outer)
      : ImplicitLocOpBuilder(loc, nested), rewriter(outer.rewriter) {}

  /// What `value` is replaced by, or null.
  mlir::Value getReplacement(mlir::Value value) const {
    mlir::Value mapped = rewriter->getRemappedValue(value);
    return mapped == value ? mlir::Value() : mapped;
  }

private:
  mlir::ConversionPatternRewriter *rewriter;
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The type that elements of type `element` have in memory: i8 for i1, iN for uiN.
mlir::Type getStorageType(mlir::Type element);
/// The type that payloads compute on: f32 for f16 and bf16, iN for uiN; i1 stays.
mlir::Type getComputeType(mlir::Type element);
/// True for uiN and i1.
bool isUnsigned(mlir::Type element);
/// From the type in memory to the type that payloads compute on, and back.
mlir::Value enter(LoweringBuilder &b, mlir::Value stored, mlir::Type element);
mlir::Value leave(LoweringBuilder &b, mlir::Value computed, mlir::Type element);

inline mlir::Type elementOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}
inline int64_t rankOf(mlir::Value tensor) { return shapeOf(tensor).size(); }
/// True if the type says that there is one element.
inline bool hasOneElement(mlir::Value tensor) {
  return llvm::all_of(shapeOf(tensor), [](int64_t dim) { return dim == 1; });
}

/// Scalar constants of float or signless integer type.
mlir::Value constantOf(LoweringBuilder &b, mlir::Type type, double value);
mlir::Value constantOf(LoweringBuilder &b, mlir::Type type, const llvm::APInt &value);
mlir::Value zeroOf(LoweringBuilder &b, mlir::Type type);
mlir::Value oneOf(LoweringBuilder &b, mlir::Type type);
mlir::Value indexOf(LoweringBuilder &b, int64_t value);

/// Comparisons and choices that fold.
mlir::Value compare(LoweringBuilder &b, mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
mlir::Value compare(LoweringBuilder &b, mlir::arith::CmpFPredicate predicate, mlir::Value lhs, mlir::Value rhs);
mlir::Value selectValue(LoweringBuilder &b, mlir::Value condition, mlir::Value yes, mlir::Value no);

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// Dim `i` of `tensor`: a constant, the value that the tensor was made with, or tensor.dim of where it comes from.
mlir::Value getDim(LoweringBuilder &b, mlir::Value tensor, int64_t i);
/// The same, as an attribute where it is static.
mlir::OpFoldResult getDimOrAttr(LoweringBuilder &b, mlir::Value tensor, int64_t i);
llvm::SmallVector<mlir::OpFoldResult> getDims(LoweringBuilder &b, mlir::Value tensor);
/// True if the two dims are known to be equal, by type or by where they come from.
bool isSameDim(LoweringBuilder &b, mlir::Value a, int64_t i, mlir::Value c, int64_t j);
bool isSameSize(LoweringBuilder &b, mlir::OpFoldResult size, mlir::Value tensor, int64_t i);

/// A size as a value, and a value as a size: an attribute where it is constant.
mlir::Value toValue(LoweringBuilder &b, mlir::OpFoldResult size);
mlir::OpFoldResult toSize(LoweringBuilder &b, mlir::Value value);
/// The shape whose static part `sizes` shows.
llvm::SmallVector<int64_t> staticShapeOf(llvm::ArrayRef<mlir::OpFoldResult> sizes);
/// tensor.empty of the sizes.
mlir::Value emptyOf(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);
/// Slices that may be known to be of nothing, for which the ops do not verify.
mlir::Value sliceOf(LoweringBuilder &b, mlir::RankedTensorType type, mlir::Value tensor,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    llvm::ArrayRef<mlir::OpFoldResult> strides);
mlir::Value insertInto(LoweringBuilder &b, mlir::Value slice, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       llvm::ArrayRef<mlir::OpFoldResult> strides);
/// tensor.empty of the sizes, filled with a scalar: what the scheduling of reductions recognises as an accumulator.
mlir::Value filledOf(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// The element of a tensor of one static element.
mlir::Value extractOnly(LoweringBuilder &b, mlir::Value tensor);
/// An i32 or i64 as index, and an index as i64.
mlir::Value toIndex(LoweringBuilder &b, mlir::Value integer);
mlir::Value toInt64(LoweringBuilder &b, mlir::Value index);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// rt.check; the details may be of index or integer type. Returns the guarded values.
mlir::ValueRange check(LoweringBuilder &b, mlir::Value condition, rt::FaultKind kind, llvm::StringRef message,
                       mlir::ValueRange details, mlir::ValueRange guarded);
/// A dim that a check has found to be right. Only what is computed from the values that the check returns is sure to
/// stay behind it; a size that is known to be static is soon a constant, so there is an `origin` too, which is 0.
struct CheckedDim {
  mlir::OpFoldResult size;
  mlir::Value guarded, origin;
};
/// Checks of dim `size` that `condition` holds; `known` is the size if it is static then.
CheckedDim checkDim(LoweringBuilder &b, mlir::Value condition, llvm::StringRef message, mlir::ValueRange details,
                    mlir::Value size, int64_t known = mlir::ShapedType::kDynamic);
/// Checks that a dim has a size. There is no `origin` if it is known to.
CheckedDim checkSize(LoweringBuilder &b, mlir::Value tensor, int64_t i, mlir::OpFoldResult size);
/// Checks that two dims are equal. There is no `origin` if they are known to be.
CheckedDim checkSameDim(LoweringBuilder &b, mlir::Value a, int64_t i, mlir::Value c, int64_t j);
/// `tensor` as a slice of itself, with the dims that were checked: its readers stay behind the checks.
mlir::Value tieDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<std::pair<int64_t, CheckedDim>> dims);
/// Checks that dim `i` of `a` is dim `j` of `c`, and ties both to it.
void tieSameDim(LoweringBuilder &b, mlir::Value &a, int64_t i, mlir::Value &c, int64_t j);
/// `tensor` with the dims of `type`, which may know more dims (those are checked) or fewer.
mlir::Value castTo(LoweringBuilder &b, mlir::Value tensor, mlir::Type type);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using IteratorType = mlir::utils::IteratorType;
using Body = llvm::function_ref<mlir::Value(LoweringBuilder &, mlir::ValueRange)>;

/// A linalg.generic with one output. The body sees elements as memory has them.
mlir::Value generic(LoweringBuilder &b, mlir::ValueRange inputs, mlir::Value output,
                    llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<IteratorType> iterators, Body body);
/// The same, all parallel, with identity maps.
mlir::Value elementwise(LoweringBuilder &b, mlir::ValueRange inputs, mlir::Value output, Body body);

/// A tensor of compute type as memory has it.
mlir::Value leaveAll(LoweringBuilder &b, mlir::Value tensor, mlir::Type element);

/// An scf.for that carries `inits`.
llvm::SmallVector<mlir::Value>
loop(LoweringBuilder &b, mlir::Value from, mlir::Value to, mlir::ValueRange inits,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::Value iv, mlir::ValueRange carried)>
         body);
/// A nest of scf.for from 0 to `sizes` that carries `inits`.
llvm::SmallVector<mlir::Value>
loopNest(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange ivs,
                                                           mlir::ValueRange carried)>
             body);

//===----------------------------------------------------------------------===//
// Patterns by family
//===----------------------------------------------------------------------===//

void populateActivationPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateArithmeticPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateComparisonPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConditionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConvolutionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateGenerationPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateLogicalPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMatrixPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementGatherPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementRepeatPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementScatterPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementSlicePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateReductionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSequencePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateShapePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSortPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateTypePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H
