// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Rules.cpp - The checks of OV_Rule ----------------------------------===//
//
// A rule is an OV_Rule in the .td file of an op. recur-tblgen generates `checkRules` of the op, which calls these
// functions.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult expectSameElementType(const Report &report, ArrayRef<Value> values) {
  for (Value value : values)
    if (value && elementOf(value) != elementOf(values.front()))
      return report("expected operands of one element type, but got ", elementOf(values.front()), " and ",
                    elementOf(value));
  return success();
}

LogicalResult expectOperands(const Report &report, StringRef name, ValueRange values) {
  if (values.empty())
    return report("expected at least one operand in ", name, ", but got none");
  return expectSameElementType(report, llvm::to_vector(values));
}

LogicalResult expectRank(const Report &report, StringRef name, Value value, int64_t least, int64_t most) {
  if (!value || (rankOf(value) >= least && rankOf(value) <= most))
    return success();
  if (most == kMaxRank)
    return report("expected ", name, " of rank ", least, " or more, but got ", value.getType());
  if (least == most)
    return report("expected ", name, " of rank ", least, ", but got ", value.getType());
  return report("expected ", name, " of rank ", least, " to ", most, ", but got ", value.getType());
}

LogicalResult expectRankOf(const Report &report, StringRef name, Value value, Value other, int64_t more) {
  return expectRank(report, name, value, rankOf(other) + more, rankOf(other) + more);
}

LogicalResult expectOneElement(const Report &report, StringRef name, Value value) {
  if (!value || llvm::all_of(shapeOf(value), [](int64_t dim) { return dim == 1; }))
    return success();
  return report("expected ", name, " of one element, but got ", value.getType());
}

LogicalResult expectList(const Report &report, StringRef name, Value value) {
  if (rankOf(value) == 1 && isStatic(value))
    return success();
  return report("expected ", name, " of rank 1 and static length, but got ", value.getType());
}

LogicalResult expectStaticLastDim(const Report &report, StringRef name, Value value) {
  if (!isUnknown(shapeOf(value).back()))
    return success();
  return report("expected ", name, " with a static last dim, but got ", value.getType());
}

LogicalResult expectCoordinates(const Report &report, StringRef name, Value value, Value data) {
  int64_t last = shapeOf(value).back();
  if (!isUnknown(last) && last <= rankOf(data))
    return success();
  return report("expected ", name, " with a static last dim that is at most the rank of ", data.getType(), ", but got ",
                value.getType());
}

//===----------------------------------------------------------------------===//
// Constant operands
//===----------------------------------------------------------------------===//

LogicalResult expectConstantAxis(const Report &report, StringRef name, Value axis, Value data) {
  if (!axis || getConstantAxis(axis, rankOf(data)))
    return success();
  return report("expected ", name, " that is constant, one element and in range, for ", data.getType());
}

LogicalResult expectConstantAxes(const Report &report, StringRef name, Value axes, Value data) {
  if (!axes || getConstantAxes(axes, rankOf(data)))
    return success();
  return report("expected ", name, " that are constant, in range and without repetition, for ", data.getType());
}

LogicalResult expectAxisOperand(const Report &report, StringRef name, Value axis, Value data) {
  if (failed(expectOneElement(report, name, axis)))
    return failure();
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(axis);
  return constant ? expectAxis(report, name, constant->front(), data, /*more=*/0) : success();
}

LogicalResult expectPermutation(const Report &report, StringRef name, Value order, Value data) {
  if (getPermutation(order, rankOf(data)))
    return success();
  return report("expected ", name, " that is constant, and a permutation of the axes or empty, for ", data.getType());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult expectAxis(const Report &report, StringRef name, int64_t axis, Value data, int64_t more) {
  if (normalizeAxis(axis, rankOf(data) + more))
    return success();
  if (more == 0)
    return report("expected ", name, " to be an axis of ", data.getType(), ", but got ", axis);
  return report("expected ", name, " to be an axis of a result of rank ", rankOf(data) + more, ", but got ", axis);
}

LogicalResult expectIndexType(const Report &report, StringRef name, Type type) {
  if (type.isSignlessInteger(32) || type.isSignlessInteger(64))
    return success();
  return report("expected ", name, " i32 or i64, but got ", type);
}

LogicalResult expectNumberType(const Report &report, StringRef name, Type type) {
  if (type.isIntOrFloat() && !type.isInteger(1))
    return success();
  return report("expected ", name, " that is a number, but got ", type);
}

LogicalResult expectNotNegative(const Report &report, StringRef name, const APFloat &value) {
  if (value.convertToDouble() >= 0.0)
    return success();
  return report("expected ", name, " that is not negative, but got ", value.convertToDouble());
}

LogicalResult expectOrder(const Report &report, StringRef leastName, const APFloat &least, StringRef mostName,
                          const APFloat &most) {
  if (least.convertToDouble() <= most.convertToDouble())
    return success();
  return report("expected ", leastName, " that is not greater than ", mostName, ", but got ", least.convertToDouble(),
                " and ", most.convertToDouble());
}

LogicalResult expectParts(const Report &report, StringRef name, int64_t count, int64_t least) {
  constexpr int64_t most = 1 << 16;
  if (count >= least && count <= most)
    return success();
  return report("expected ", name, " from ", least, " to ", most, ", but got ", count);
}

LogicalResult expectHiddenSize(const Report &report, int64_t hiddenSize) {
  if (hiddenSize > 0 && hiddenSize <= (int64_t(1) << 40))
    return success();
  return report("expected a positive hidden_size, but got ", hiddenSize);
}

LogicalResult expectActivations(const Report &report, size_t count, ArrayAttr activations, ArrayAttr alpha,
                                ArrayAttr beta) {
  if (activations.size() != count)
    return report("expected ", count, " activations, but got ", activations.size());
  for (ArrayAttr parameters : {alpha, beta})
    if (!parameters.empty() && parameters.size() != count)
      return report("expected activations_alpha and activations_beta with no entry or ", count, ", but got ",
                    parameters.size());
  return success();
}

LogicalResult expectActivationsOfDirections(const Report &report, size_t count, SequenceDirection direction,
                                            ArrayAttr activations, ArrayAttr alpha, ArrayAttr beta) {
  if (direction != SequenceDirection::Bidirectional)
    return expectActivations(report, count, activations, alpha, beta);
  if (activations.size() != count && activations.size() != 2 * count)
    return report("expected ", count, " activations, or ", 2 * count, " for both directions, but got ",
                  activations.size());
  for (ArrayAttr parameters : {alpha, beta})
    if (!parameters.empty() && parameters.size() != count && parameters.size() != 2 * count)
      return report("expected activations_alpha and activations_beta with no entry, ", count, " or ", 2 * count,
                    ", but got ", parameters.size());
  return success();
}

LogicalResult expectWindow(const Report &report, Value data, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                           ArrayRef<int64_t> padsBegin, ArrayRef<int64_t> padsEnd) {
  int64_t spatial = rankOf(data) - 2;
  auto isRight = [&](ArrayRef<int64_t> values, int64_t least) {
    return static_cast<int64_t>(values.size()) == spatial &&
           llvm::all_of(values, [&](int64_t value) { return value >= least && value <= (int64_t(1) << 40); });
  };
  if (isRight(strides, 1) && isRight(dilations, 1) && isRight(padsBegin, 0) && isRight(padsEnd, 0))
    return success();
  return report("expected ", spatial, " positive strides and dilations, and as many pads that are not negative");
}

} // namespace recur::ov
