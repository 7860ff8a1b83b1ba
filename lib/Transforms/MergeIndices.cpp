// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MergeIndices.cpp - One index for dims that were one ----------------===//
//
// An access to a reshaped buffer became one to the buffer itself, whose lifetime and effects passes see then. It takes
// its index apart, in each iteration of the innermost loop, and LLVM puts it together again with instructions of its
// own: a product whose rows are those of several heads took twice as long. Once the buffers are planned, the access
// goes back to the reshaped buffer.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace recur {
#define GEN_PASS_DEF_MERGEINDICES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The number of indices, from `first` on, that are all results of one op, which takes an index of the merged dims of
/// `type` apart. 1 if the index is none of these.
static int64_t countMerged(MemRefType type, ValueRange indices, int64_t first) {
  auto parts = indices[first].getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!parts || parts.getNumResults() > indices.size() - first ||
      !llvm::equal(parts.getResults(), indices.slice(first, parts.getNumResults())))
    return 1;
  int64_t count = parts.getNumResults();
  ArrayRef<int64_t> inner = type.getShape().slice(first + 1, count - 1);
  if (ShapedType::isDynamicShape(inner) || inner != parts.getStaticBasis().take_back(count - 1))
    return 1;
  return count;
}

/// The groups of dims of `type` that become one for an access at `indices`, in which the elements follow each other.
static SmallVector<ReassociationIndices> getGroups(MemRefType type, ValueRange indices) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t first = 0, count = 1; first < type.getRank(); first += count) {
    count = countMerged(type, indices, first);
    SmallVector<ReassociationIndices> alone;
    ReassociationIndices group = llvm::to_vector(llvm::seq(first, first + count));
    for (int64_t dim = 0; dim < type.getRank(); dim += dim == first ? count : 1)
      alone.push_back(dim == first ? group : ReassociationIndices{dim});
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, alone)) {
      count = 1;
      group = {first};
    }
    groups.push_back(group);
  }
  return groups;
}

namespace {
struct MergeIndices final : recur::impl::MergeIndicesBase<MergeIndices> {
  void runOnOperation() override {
    views.clear();
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<memref::LoadOp, memref::StoreOp>(
              [&](auto access) { merge(op, access.getMemrefMutable(), access.getIndicesMutable()); })
          .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto access) {
            // A vector of several dims is one of as many dims of the buffer.
            if (access.getVectorType().getRank() == 1)
              merge(op, access.getBaseMutable(), access.getIndicesMutable());
          });
    });
  }

private:
  /// Lets an access with `indices` read or write `buffer` by merged dims, if there are any.
  void merge(Operation *op, OpOperand &buffer, MutableOperandRange indices) {
    Value whole = buffer.get();
    SmallVector<Value> parts = llvm::map_to_vector(indices, [](OpOperand &index) { return index.get(); });
    SmallVector<ReassociationIndices> groups = getGroups(cast<MemRefType>(whole.getType()), parts);
    if (groups.size() == parts.size())
      return;
    buffer.set(getView(op->getLoc(), whole, groups));
    SmallVector<Value> merged;
    for (const ReassociationIndices &group : groups) {
      Value index = parts[group.front()];
      merged.push_back(group.size() == 1 ? index
                                         : index.getDefiningOp<affine::AffineDelinearizeIndexOp>().getLinearIndex());
    }
    indices.assign(merged);
  }

  /// The view of `buffer` in which each group of dims is one, right behind the buffer. Accesses share it.
  Value getView(Location loc, Value buffer, ArrayRef<ReassociationIndices> groups) {
    SmallVector<memref::CollapseShapeOp> &known = views[buffer];
    for (memref::CollapseShapeOp view : known)
      if (view.getReassociationIndices() == groups)
        return view;
    OpBuilder builder(buffer.getContext());
    builder.setInsertionPointAfterValue(buffer);
    return known.emplace_back(memref::CollapseShapeOp::create(builder, loc, buffer, groups));
  }

  /// The views of each buffer.
  DenseMap<Value, SmallVector<memref::CollapseShapeOp>> views;
};
} // namespace
