// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Subsets.cpp - Equal and disjoint slices of tensors -----------------===//
//
// External models of the interfaces for subsets, for slices and vectors of tensors. Passes before have merged equal
// values, so two slices are equal if their offsets, sizes and strides are the same values, or equal constants.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/Subsets.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

using Equivalence = function_ref<bool(Value, Value)>;

/// True if the numbers are known to be equal.
static bool areEqual(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
  return llvm::equal(a, b, [](OpFoldResult x, OpFoldResult y) { return isEqualConstantIntOrValue(x, y); });
}

/// The elements that an op on a slice or a vector accesses.
static HyperrectangularSlice getSlice(OffsetSizeAndStrideOpInterface op) { return HyperrectangularSlice(op); }
static HyperrectangularSlice getSlice(VectorTransferOpInterface op) {
  SmallVector<int64_t> sizes = op.getTransferChunkAccessed();
  return HyperrectangularSlice(getAsOpFoldResult(op.getIndices()), getAsIndexOpFoldResult(op.getContext(), sizes));
}

/// The last element behind `offset` that a slice has along dim `i`, if its sizes are constants.
static std::optional<int64_t> getReach(const HyperrectangularSlice &slice, size_t i) {
  std::optional<int64_t> size = getConstantIntValue(slice.getMixedSizes()[i]);
  std::optional<int64_t> stride = getConstantIntValue(slice.getMixedStrides()[i]);
  int64_t reach;
  if (!size || !stride || *size < 1 || *stride < 1 || llvm::MulOverflow(*size - 1, *stride, reach))
    return std::nullopt;
  return reach;
}

/// True if the slices are known to have no element in common: along a dim, one of them ends before the other begins.
static bool areApart(const HyperrectangularSlice &a, const HyperrectangularSlice &b) {
  for (size_t i = 0; i != a.getMixedOffsets().size(); ++i) {
    std::optional<int64_t> first = getConstantIntValue(a.getMixedOffsets()[i]);
    std::optional<int64_t> second = getConstantIntValue(b.getMixedOffsets()[i]);
    if (!first || !second)
      continue;
    std::optional<int64_t> reach = getReach(*first < *second ? a : b, i);
    if (*first != *second && reach && *reach < std::max(*first, *second) - std::min(*first, *second))
      return true;
  }
  return false;
}

namespace {
/// The part of a model that is the same for all ops.
template <typename Model, typename Op>
struct SliceModel : SubsetOpInterface::ExternalModel<Model, Op> {
  FailureOr<HyperrectangularSlice> getAccessedHyperrectangularSlice(Operation *op) const {
    return getSlice(cast<Op>(op));
  }
  bool operatesOnEquivalentSubset(Operation *op, SubsetOpInterface other, Equivalence areEquivalent) const {
    return compare(op, other, areEquivalent, [](const HyperrectangularSlice &a, const HyperrectangularSlice &b) {
      return areEqual(a.getMixedOffsets(), b.getMixedOffsets()) && areEqual(a.getMixedSizes(), b.getMixedSizes()) &&
             areEqual(a.getMixedStrides(), b.getMixedStrides());
    });
  }
  bool operatesOnDisjointSubset(Operation *op, SubsetOpInterface other, Equivalence areEquivalent) const {
    return compare(op, other, areEquivalent, areApart);
  }

private:
  /// Compares the slices of two ops on one tensor. False if the tensors are not known to be one.
  static bool compare(Operation *op, SubsetOpInterface other, Equivalence areEquivalent,
                      function_ref<bool(const HyperrectangularSlice &, const HyperrectangularSlice &)> predicate) {
    if (!areEquivalent(other.getTensorContainer(), cast<SubsetOpInterface>(op).getTensorContainer()))
      return false;
    FailureOr<HyperrectangularSlice> slice = other.getAccessedHyperrectangularSlice();
    HyperrectangularSlice own = getSlice(cast<Op>(op));
    return succeeded(slice) && slice->getMixedOffsets().size() == own.getMixedOffsets().size() &&
           predicate(own, *slice);
  }
};

struct ExtractSlice final : SliceModel<ExtractSlice, tensor::ExtractSliceOp> {};
struct InsertSlice final : SliceModel<InsertSlice, tensor::InsertSliceOp> {};
struct ReadVector final : SliceModel<ReadVector, vector::TransferReadOp> {};
struct WriteVector final : SliceModel<WriteVector, vector::TransferWriteOp> {};

struct Extraction final : SubsetExtractionOpInterface::ExternalModel<Extraction, tensor::ExtractSliceOp> {
  OpOperand &getSourceOperand(Operation *op) const { return cast<tensor::ExtractSliceOp>(op).getSourceMutable(); }
};

struct Insertion final : SubsetInsertionOpInterface::ExternalModel<Insertion, tensor::InsertSliceOp> {
  OpOperand &getSourceOperand(Operation *op) const { return cast<tensor::InsertSliceOp>(op).getSourceMutable(); }
  OpOperand &getDestinationOperand(Operation *op) const { return cast<tensor::InsertSliceOp>(op).getDestMutable(); }
  /// As in upstream's model, the slice that the op overwrites.
  Value buildSubsetExtraction(Operation *op, OpBuilder &builder, Location loc) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    return tensor::ExtractSliceOp::create(builder, loc, insert.getSourceType(), insert.getDest(),
                                          insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides());
  }
  SmallVector<Value> getValuesNeededToBuildSubsetExtraction(Operation *op) const {
    return llvm::to_vector(llvm::drop_begin(op->getOperands()));
  }
};

struct VectorExtraction final : SubsetExtractionOpInterface::ExternalModel<VectorExtraction, vector::TransferReadOp> {
  OpOperand &getSourceOperand(Operation *op) const { return cast<vector::TransferReadOp>(op).getBaseMutable(); }
};

/// As in upstream's model, nothing asks for the tensor that a vector overwrites.
struct VectorInsertion final : SubsetInsertionOpInterface::ExternalModel<VectorInsertion, vector::TransferWriteOp> {
  OpOperand &getSourceOperand(Operation *op) const {
    return cast<vector::TransferWriteOp>(op).getValueToStoreMutable();
  }
  OpOperand &getDestinationOperand(Operation *op) const { return cast<vector::TransferWriteOp>(op).getBaseMutable(); }
  Value buildSubsetExtraction(Operation *, OpBuilder &, Location) const { return {}; }
  SmallVector<Value> getValuesNeededToBuildSubsetExtraction(Operation *) const { return {}; }
};
} // namespace

void recur::registerSubsets(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSlice, Extraction>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSlice, Insertion>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    vector::TransferReadOp::attachInterface<ReadVector, VectorExtraction>(*context);
    vector::TransferWriteOp::attachInterface<WriteVector, VectorInsertion>(*context);
  });
}
