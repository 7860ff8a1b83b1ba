// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - Products of matrices ----------------------------------===//
//
// This file has the type inference, dims and the fault check of MatMul. The last two dims of each operand are the
// matrix, the others are batch dims that broadcast.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

LogicalResult MatMulOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> a(shapeOf(adaptor.getA())), b(shapeOf(adaptor.getB()));
  // An operand of rank 1 is a row if it is `a`, and a column if it is `b`. The transpose attributes do not apply to it.
  bool dropsRow = a.size() == 1, dropsColumn = b.size() == 1;
  if (dropsRow)
    a.insert(a.begin(), 1);
  else if (adaptor.getTransposeA())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (dropsColumn)
    b.push_back(1);
  else if (adaptor.getTransposeB())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  // C4
  if (!mergeDims(a[a.size() - 1], b[b.size() - 2]))
    return report("expected contracted dims that are equal, but got ", a[a.size() - 1], " and ", b[b.size() - 2]);
  // C5
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(ArrayRef<int64_t>(a).drop_back(2), ArrayRef<int64_t>(b).drop_back(2));
  if (!shape)
    return report("expected batch dims that broadcast, but got ", adaptor.getA().getType(), " and ",
                  adaptor.getB().getType());
  if (!dropsRow)
    shape->push_back(a[a.size() - 2]);
  if (!dropsColumn)
    shape->push_back(b[b.size() - 1]);
  return addType(types, *shape, elementOf(adaptor.getA()));
}

DimSource::MaybeDim MatMulOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t rankA = rankOf(getA()), rankB = rankOf(getB());
  // The dims of the result are the batch dims, then the rows unless `a` has rank 1, then the columns unless `b` has
  // rank 1.
  int64_t rows = rankA > 1, columns = rankB > 1, batch = getType().getRank() - rows - columns;
  if (dim == batch && rows)
    return dims.get(getA(), getTransposeA() ? rankA - 1 : rankA - 2);
  if (dim >= batch)
    return dims.get(getB(), getTransposeB() ? rankB - 2 : rankB - 1);
  SmallVector<DimSource::MaybeDim> found;
  for (auto [operand, own] : {std::pair(getA(), rankA - 2), std::pair(getB(), rankB - 2)})
    if (int64_t at = dim - (batch - own); at >= 0)
      found.push_back(dims.get(operand, at));
  return dims.combine(DimKind::join, found);
}

SmallVector<Weights> MatMulOp::getWeights() {
  // Each column of the second matrix has a scale. A vector is one column.
  int64_t rank = cast<RankedTensorType>(getB().getType()).getRank();
  return {{&getAMutable(), {}}, {&getBMutable(), {getTransposeB() || rank == 1 ? rank - 1 : rank - 2}}};
}

bool MatMulOp::canFault() {
  int64_t rankA = getA().getType().getRank(), rankB = getB().getType().getRank();
  int64_t contractedA = rankA == 1 || !getTransposeA() ? rankA - 1 : rankA - 2;
  int64_t contractedB = rankB == 1 ? 0 : getTransposeB() ? rankB - 1 : rankB - 2;
  if (!provablySameDim(getA(), contractedA, getB(), contractedB))
    return true;
  if (rankA <= 2 || rankB <= 2 || getA() == getB())
    return false;
  return !provablyBroadcast(shapeOf(getA()).drop_back(2), shapeOf(getB()).drop_back(2));
}
