// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Activation.cpp - Activation functions ------------------------------===//
//
// Most activation functions are declared completely in Activation.td. PReLU has a second operand that broadcasts, so it
// needs type inference and a fault check of its own.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

LogicalResult PReluOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  // C2
  SmallVector<int64_t> result(shapeOf(adaptor.getData()));
  std::optional<SmallVector<int64_t>> shape = getSlopeShape(result, shapeOf(adaptor.getSlope()));
  if (!shape)
    return addType(types, result, elementOf(adaptor.getData()));
  ArrayRef<int64_t> slope = *shape;
  auto clash = [&] {
    return report("expected a slope that broadcasts to data, but got ", adaptor.getSlope().getType(), " and ",
                  adaptor.getData().getType());
  };
  if (slope.size() > result.size())
    return clash();
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(slope))) {
    int64_t &own = result[result.size() - 1 - i];
    if (dim == 1 || ShapedType::isDynamic(dim))
      continue;
    if (!mergeDims(own, dim))
      return clash();
    own = dim;
  }
  return addType(types, result, elementOf(adaptor.getData()));
}

std::optional<int64_t> PReluOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  // The call may decide which axis a slope of several elements belongs to.
  bool isAlike = typeOf(getSlope()).hasStaticShape() && typeOf(getSlope()).getNumElements() == 1;
  return operand == 0 && isAlike ? std::optional(axis) : std::nullopt;
}

DimSource::MaybeDim PReluOp::describeDim(DimSource &dims, unsigned, int64_t dim) { return dims.get(getData(), dim); }

bool PReluOp::canFault() {
  std::optional<SmallVector<int64_t>> slope = getSlopeShape(shapeOf(getData()), shapeOf(getSlope()));
  if (!slope)
    return true;
  ArrayRef<int64_t> data = shapeOf(getData()).take_back(slope->size());
  return llvm::any_of(llvm::zip(*slope, data), [](auto pair) {
    auto [dim, own] = pair;
    return dim != 1 && !provablyEqual(dim, own);
  });
}
