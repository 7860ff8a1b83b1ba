// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inference.cpp - Helpers for inferring result types -----------------===//
//
// The helpers of Inference.h: result types, dims and fault checks that several families of ops share.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace recur::ov {

bool areAllCompatible(TypeRange inferred, TypeRange actual) {
  return inferred.size() == actual.size() && llvm::all_of(llvm::zip_equal(inferred, actual), [](auto pair) {
           return areCompatible(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult combineShapes(const Report &report, Value a, Value b, AutoBroadcast autoBroadcast,
                            SmallVector<int64_t> &shape) {
  bool isNumpy = autoBroadcast == AutoBroadcast::Numpy;
  std::optional<SmallVector<int64_t>> combined =
      isNumpy ? broadcastShapes(shape, shapeOf(b)) : mergeShapes(shape, shapeOf(b));
  if (!combined)
    return report("expected shapes that ", isNumpy ? "broadcast" : "agree", ", but got ", a.getType(), " and ",
                  b.getType());
  shape = std::move(*combined);
  return success();
}

LogicalResult inferBinary(const Report &report, Value lhs, Value rhs, AutoBroadcast autoBroadcast, bool isBoolean,
                          Types &types) {
  SmallVector<int64_t> shape(shapeOf(lhs));
  if (failed(combineShapes(report, lhs, rhs, autoBroadcast, shape)))
    return failure();
  return addType(types, shape, isBoolean ? IntegerType::get(lhs.getContext(), 1) : elementOf(lhs));
}

LogicalResult inferReduction(Value data, Value reductionAxes, bool keepDims, Types &types) {
  SmallVector<int64_t> axes = *getConstantAxes(reductionAxes, rankOf(data)), result;
  for (auto [i, dim] : llvm::enumerate(shapeOf(data))) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    else if (keepDims)
      result.push_back(1);
  }
  return addType(types, result, elementOf(data));
}

int64_t skipAxes(ArrayRef<int64_t> axes, int64_t rank, int64_t dim) {
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i) && dim-- == 0)
      return i;
  return -1;
}

DimSource::MaybeDim describeReduction(DimSource &dims, Value data, Value reductionAxes, bool keepDims, int64_t dim) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(reductionAxes, rankOf(data));
  if (!axes)
    return std::nullopt;
  int64_t from = keepDims ? dim : skipAxes(*axes, rankOf(data), dim);
  return from < 0 ? std::nullopt : dims.get(data, from);
}

int64_t dropAxes(ArrayRef<int64_t> axes, int64_t axis) {
  return axis - llvm::count_if(axes, [&](int64_t dropped) { return dropped < axis; });
}

int64_t insertAxes(ArrayRef<int64_t> axes, int64_t axis) {
  SmallVector<int64_t> ascending(axes);
  llvm::sort(ascending);
  for (int64_t inserted : ascending)
    axis += inserted <= axis;
  return axis;
}

std::optional<int64_t> keepUnreduced(Value data, Value reductionAxes, bool keepDims, int64_t axis) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(reductionAxes, rankOf(data));
  if (!axes || llvm::is_contained(*axes, axis))
    return std::nullopt;
  return keepDims ? axis : dropAxes(*axes, axis);
}

bool canClash(Value a, Value b, AutoBroadcast autoBroadcast) {
  if (a == b)
    return false;
  if (autoBroadcast == AutoBroadcast::None)
    return !provablyEqual(shapeOf(a), shapeOf(b));
  return !provablyBroadcast(shapeOf(a), shapeOf(b));
}

bool canDivideByZero(Value divisor) {
  if (isa<FloatType>(elementOf(divisor)))
    return false;
  std::optional<SmallVector<int64_t>> divisors = getConstantIntegers(divisor);
  return !divisors || llvm::is_contained(*divisors, 0);
}

bool areInside(Value indices, int64_t size) {
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(indices);
  return constant && !isUnknown(size) &&
         llvm::all_of(*constant, [&](int64_t index) { return index >= -size && index < size; });
}

bool areCoordinatesInside(Value indices, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return true;
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(indices);
  if (!constant || llvm::any_of(dims, isUnknown))
    return false;
  for (auto [i, index] : llvm::enumerate(*constant))
    if (int64_t size = dims[i % dims.size()]; index < -size || index >= size)
      return false;
  return true;
}

} // namespace recur::ov
