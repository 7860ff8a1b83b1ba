// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowering.h - Helpers shared by the lowerings of ov ops ---*- C++ -*-===//
//
// The lowerings of ov ops share helpers for three things. Elements: an element has a storage type in memory and a
// compute type in payloads. Dims: a dim is an SSA value, and dims with the same origin are known to be equal. Checks: a
// failed check ends the call, and code that needs a check must use a value that the check returns.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace recur::ov {

/// A builder at one location. It also knows the values that the running dialect conversion has replaced.
class LoweringBuilder : public mlir::ImplicitLocOpBuilder {
public:
  LoweringBuilder(mlir::Location loc, mlir::ConversionPatternRewriter &rewriter)
      : ImplicitLocOpBuilder(loc, rewriter), rewriter(&rewriter) {}
  /// A builder for a region nested in the code that `outer` builds.
  LoweringBuilder(mlir::Location loc, mlir::OpBuilder &nested, const LoweringBuilder &outer)
      : ImplicitLocOpBuilder(loc, nested), rewriter(outer.rewriter) {}

  /// The value that replaces `value`, or null if it has not been replaced.
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

/// The storage type of an element: i8 for i1, iN for uiN, else the type itself.
mlir::Type getStorageType(mlir::Type element);
/// The compute type of an element: f32 for f16 and bf16, iN for uiN, else the type itself. i1 stays i1.
mlir::Type getComputeType(mlir::Type element);
/// True for uiN and i1, which are compared and extended as unsigned numbers.
bool isUnsigned(mlir::Type element);
/// Convert an element of type `element` from its storage type to its compute type, and back. A vector of stored
/// elements becomes one of computed elements, if these are not i1.
mlir::Value fromStorage(LoweringBuilder &b, mlir::Value stored, mlir::Type element);
mlir::Value toStorage(LoweringBuilder &b, mlir::Value computed, mlir::Type element);

/// True if all dims of the type are statically 1.
inline bool hasOneElement(mlir::Value tensor) {
  return llvm::all_of(shapeOf(tensor), [](int64_t dim) { return dim == 1; });
}

/// Scalar constants of float or signless integer type.
mlir::Value constantOf(LoweringBuilder &b, mlir::Type type, double value);
mlir::Value constantOf(LoweringBuilder &b, mlir::Type type, const llvm::APInt &value);
mlir::Value zeroOf(LoweringBuilder &b, mlir::Type type);
mlir::Value oneOf(LoweringBuilder &b, mlir::Type type);
mlir::Value indexOf(LoweringBuilder &b, int64_t value);

/// Comparisons and selects that fold to a constant if the operands are constant.
mlir::Value compare(LoweringBuilder &b, mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
mlir::Value compare(LoweringBuilder &b, mlir::arith::CmpFPredicate predicate, mlir::Value lhs, mlir::Value rhs);
mlir::Value selectValue(LoweringBuilder &b, mlir::Value condition, mlir::Value yes, mlir::Value no);

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// Dim `i` of `tensor` as an index value: a constant if it is static, the size that the tensor was created with if that
/// is known, else a tensor.dim of the tensor that the dim comes from.
mlir::Value getDim(LoweringBuilder &b, mlir::Value tensor, int64_t i);
/// The same, as an attribute if it is static.
mlir::OpFoldResult getDimOrAttr(LoweringBuilder &b, mlir::Value tensor, int64_t i);
/// All dims of `tensor`, as `getDimOrAttr` gives them. Unlike tensor::getMixedSizes, it finds the sizes that the tensor
/// was created with.
llvm::SmallVector<mlir::OpFoldResult> getDims(LoweringBuilder &b, mlir::Value tensor);
/// True if dim `i` of `a` and dim `j` of `c` are provably equal, by their types or by their origins. `isSameSize`
/// compares a size with a dim.
bool isSameDim(LoweringBuilder &b, mlir::Value a, int64_t i, mlir::Value c, int64_t j);
bool isSameSize(LoweringBuilder &b, mlir::OpFoldResult size, mlir::Value tensor, int64_t i);

/// Convert a size to a value, and a value to a size, which is an attribute if the value is constant.
mlir::Value toValue(LoweringBuilder &b, mlir::OpFoldResult size);
mlir::OpFoldResult toSize(LoweringBuilder &b, mlir::Value value);
/// The sizes as a shape, with kDynamic for each size that is not constant.
llvm::SmallVector<int64_t> staticShapeOf(llvm::ArrayRef<mlir::OpFoldResult> sizes);
/// A tensor.empty of the given sizes and element type.
mlir::Value emptyOf(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);
/// A bufferization.alloc_tensor of the given sizes and element type: a buffer of its own, because CSE does not merge it
/// with others.
mlir::Value scratchOf(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);
/// tensor.extract_slice and tensor.insert_slice, also for statically empty slices. The verifiers of these ops reject
/// some of those, so `sliceOf` builds a tensor.empty for them, and `insertInto` returns `tensor` unchanged.
mlir::Value sliceOf(LoweringBuilder &b, mlir::RankedTensorType type, mlir::Value tensor,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    llvm::ArrayRef<mlir::OpFoldResult> strides);
mlir::Value insertInto(LoweringBuilder &b, mlir::Value slice, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       llvm::ArrayRef<mlir::OpFoldResult> strides);
/// A tensor.empty of the given sizes, filled with a scalar. Passes that schedule reductions recognize this form as an
/// accumulator.
mlir::Value filledOf(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// The element of a tensor that statically has one element.
mlir::Value extractOnly(LoweringBuilder &b, mlir::Value tensor);
/// Convert an i32 or i64 to index, and an index to i64.
mlir::Value toIndex(LoweringBuilder &b, mlir::Value integer);
mlir::Value toInt64(LoweringBuilder &b, mlir::Value index);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Creates an rt.check. Details of index or narrower integer type are extended to i64. Returns the guarded values.
mlir::ValueRange check(LoweringBuilder &b, mlir::Value condition, rt::FaultKind kind, llvm::StringRef message,
                       mlir::ValueRange details, mlir::ValueRange guarded);
/// The result of a check of a dim. Only code that uses a value returned by the check is sure to stay behind it. A size
/// that is static after the check becomes a constant, which loses this dependence. So the check also guards `origin`, a
/// 0 that can serve as an offset.
struct CheckedDim {
  mlir::OpFoldResult size;
  mlir::Value guarded, origin;
};
/// Checks that `condition`, a statement about the dim `size`, holds. `known` is the size if it is static once the check
/// has passed.
CheckedDim checkDim(LoweringBuilder &b, mlir::Value condition, llvm::StringRef message, mlir::ValueRange details,
                    mlir::Value size, int64_t known = mlir::ShapedType::kDynamic);
/// Checks that dim `i` of `tensor` has the given size. If it provably does, no check is created and `origin` is null.
CheckedDim checkSize(LoweringBuilder &b, mlir::Value tensor, int64_t i, mlir::OpFoldResult size);
/// Checks that two dims are equal. If they provably are, no check is created and `origin` is null.
CheckedDim checkSameDim(LoweringBuilder &b, mlir::Value a, int64_t i, mlir::Value c, int64_t j);
/// Returns `tensor` as a slice of itself that has the checked dims. Code that reads the slice depends on the checks.
mlir::Value guardDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<std::pair<int64_t, CheckedDim>> dims);
/// Checks that dim `i` of `a` equals dim `j` of `c`, and makes both tensors depend on the check.
void guardSameDim(LoweringBuilder &b, mlir::Value &a, int64_t i, mlir::Value &c, int64_t j);
/// Casts `tensor` to `type`, which may have fewer or more static dims. Dims that only `type` knows are checked at run
/// time.
mlir::Value castTo(LoweringBuilder &b, mlir::Value tensor, mlir::Type type);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using IteratorType = mlir::utils::IteratorType;
/// Emits the body of a loop nest or of a linalg op. It gets the elements of the operands and returns one of the result.
using Body = llvm::function_ref<mlir::Value(LoweringBuilder &, mlir::ValueRange)>;

/// A linalg.generic with one output. The arguments of the body have storage types.
mlir::Value generic(LoweringBuilder &b, mlir::ValueRange inputs, mlir::Value output,
                    llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<IteratorType> iterators, Body body);
/// The same with parallel loops and identity maps only.
mlir::Value elementwise(LoweringBuilder &b, mlir::ValueRange inputs, mlir::Value output, Body body);

/// Converts all elements of `tensor`, which have compute type, to the storage type of `element`.
mlir::Value leaveAll(LoweringBuilder &b, mlir::Value tensor, mlir::Type element);

/// An scf.for from `from` to `to` with step 1 that carries `inits`. Returns its results.
llvm::SmallVector<mlir::Value>
loop(LoweringBuilder &b, mlir::Value from, mlir::Value to, mlir::ValueRange inits,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::Value iv, mlir::ValueRange carried)>
         body);
/// A nest of scf.for from 0 to `sizes` that carries `inits`. Returns the results of the outermost loop. Of many sizes,
/// the first ones share a loop, whose body computes their indices `ivs` from one number.
llvm::SmallVector<mlir::Value>
loopNest(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange ivs,
                                                           mlir::ValueRange carried)>
             body);

//===----------------------------------------------------------------------===//
// Patterns by family
//===----------------------------------------------------------------------===//

/// How convolutions are lowered: whether elements are summed in the same order whatever the number of positions is, and
/// whether kernels may compute them.
struct ConvolutionOptions {
  bool inOrder, kernels;
};

// Each function adds the patterns for the ops of one family. The file of the family defines it.
void populateActivationPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateArithmeticPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateBitwisePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateComparisonPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConditionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConvolutionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                 ConvolutionOptions options);
void populateGenerationPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateLogicalPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMatrixPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns, bool inOrder);
void populateMovementPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementGatherPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementGatherTreePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementRepeatPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementScatterPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMovementSlicePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateReductionPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSelectBoxesPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSequencePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateShapePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSortPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateTypePatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_LOWERING_H
