// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SortVectors.h - The k best elements, kept in vectors -----*- C++ -*-===//
//
// Two ways to find the k best elements of rows by inserting them into vectors. Along the last axis the lanes are places
// of the best elements of one row. Along another axis they are neighbouring rows.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_SORTVECTORS_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_SORTVECTORS_H

#include "Lowering.h"

namespace recur::ov {

/// The number of lanes. The code generator splits vectors that the target's registers do not hold.
constexpr int64_t kSortLanes = 16;

/// This describes the elements that are looked for, once k is checked.
struct BestElements {
  mlir::Value data;
  /// The element types of the data and of the indices, as the op has them.
  mlir::Type element, indexElement;
  /// True if the greatest elements are the best, and if the results are sorted by index.
  bool isMax, sortsByIndex;
  int64_t axis;
  /// The length of the axis, k, and 0. The latter two depend on the check of k.
  mlir::Value length, number, zero;
  /// k as a size, which is an attribute if k is constant.
  mlir::OpFoldResult numberOrAttr;

  /// The type that counts the elements of a row.
  mlir::Type getCounter() const;
  /// The sizes of the results.
  llvm::SmallVector<mlir::OpFoldResult> getSizes(LoweringBuilder &b) const;
  /// True if `x` comes before `y` in the order. `y` is the earlier element of the data, so it wins if they are equal.
  /// Both are elements as they are stored, or vectors of these.
  mlir::Value isBetter(LoweringBuilder &b, mlir::Value x, mlir::Value y) const;
};

/// Appends an empty tensor for values and one for indices.
void appendEmpties(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type values, mlir::Type indices,
                   llvm::SmallVectorImpl<mlir::Value> &tensors);

/// A sorted row of the best elements, with their indices: tensors of a multiple of `kSortLanes` places, and the number
/// of elements that have been inserted, which is at most the number of places.
struct BestRow {
  mlir::Value values, indices, count;
};
/// The number of places of such a row.
mlir::Value getPlaces(LoweringBuilder &b, const BestElements &best);
/// Goes over the row at `place` of the data, whose axis is the last, by vectors. Only elements that are better than the
/// k-th best are inserted. The first k places of the result are the best elements in order.
BestRow collectInVectors(LoweringBuilder &b, const BestElements &best, mlir::ValueRange place, const BestRow &row);

/// The values and the indices for an axis that is not the last. The lanes are neighbours along the dims behind it.
llvm::SmallVector<mlir::Value> findBestOfLanes(LoweringBuilder &b, const BestElements &best);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_SORTVECTORS_H
