// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayoutSteps.cpp - Constants in the weights file --------------------===//
//
// `#ov.weights` names bytes of the weights file, and the layout steps that turn them into the tensor of the program.
// This file is the only place that knows what a step does to the type and to the bytes of a constant.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace recur::ov;

#include "Recur/Dialect/OV/IR/OVAttrInterfaces.cpp.inc"

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// The widest block of columns that a constant is packed into. It bounds the padding.
static constexpr int64_t kMaxBlock = 4096;

static unsigned getElementBytes(Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// The number of elements of a shape, or nullopt if a dim is negative or the number overflows. The shape may come from
/// the text of a module, so it can be any list of numbers.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (int64_t dim : shape) {
    count = dim < 0 ? std::nullopt : llvm::checkedMul(*count, dim);
    if (!count)
      break;
  }
  return count;
}

/// True if a constant of this type can be stored or made by a step.
static bool isConstantType(RankedTensorType type) {
  Type element = type.getElementType();
  std::optional<int64_t> count = countElements(type.getShape());
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 64 && count &&
         llvm::checkedMul<int64_t>(*count, getElementBytes(element));
}

static InFlightDiagnostic misfit(EmitError emitError, Attribute step, RankedTensorType input) {
  return emitError() << "layout step " << step << " does not fit a constant of type " << input;
}

//===----------------------------------------------------------------------===//
// #ov.weights
//===----------------------------------------------------------------------===//

LogicalResult WeightsAttr::verify(EmitError emitError, int64_t offset, RankedTensorType stored,
                                  ArrayRef<LayoutStepAttrInterface> layout, Type type) {
  if (offset < 0)
    return emitError() << "expected an offset of at least 0, but got " << offset;
  if (!isConstantType(stored))
    return emitError() << "expected a stored type of static shape and of fewer than 2^63 bytes, but got " << stored;
  RankedTensorType result = stored;
  for (LayoutStepAttrInterface step : layout) {
    FailureOr<RankedTensorType> next = step.inferType(result, emitError);
    if (failed(next))
      return failure();
    result = *next;
    if (!isConstantType(result))
      return emitError() << "expected fewer than 2^63 bytes after layout step " << step << ", but got " << result;
  }
  if (type != result)
    return emitError() << "expected " << result << ", as the layout gives, but got " << type;
  return success();
}

WeightsAttr WeightsAttr::append(LayoutStepAttrInterface step) const {
  SmallVector<LayoutStepAttrInterface> steps(getLayout());
  steps.push_back(step);
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(getContext())); };
  FailureOr<RankedTensorType> type = step.inferType(getTensorType(), emitError);
  assert(succeeded(type) && "expected a step that fits");
  return WeightsAttr::get(getContext(), getOffset(), getStored(), steps, *type);
}

//===----------------------------------------------------------------------===//
// Convert
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ConvertStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  auto result = RankedTensorType::get(input.getShape(), getElementType());
  return isConstantType(result) ? FailureOr(result) : misfit(emitError, *this, input);
}

static APFloat readFloat(const llvm::fltSemantics &semantics, const char *data, unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, size);
  return APFloat(semantics, APInt(size * 8, bits));
}

/// The bits of one element of type `from` at `in` as an element of type `to`, by the rules of `ov.convert`: float to
/// integer truncates and saturates, integers wrap, and boolean is `!= 0`.
static uint64_t convertElement(Type from, const char *in, Type to) {
  unsigned size = getElementBytes(from);
  auto toFloat = dyn_cast<FloatType>(to);
  bool ignored;
  if (auto fromFloat = dyn_cast<FloatType>(from)) {
    APFloat value = readFloat(fromFloat.getFloatSemantics(), in, size);
    if (toFloat) {
      value.convert(toFloat.getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
      return value.bitcastToAPInt().getZExtValue();
    }
    if (to.isInteger(1))
      return !value.isZero();
    // convertToInteger saturates; NaN becomes 0.
    APSInt integer(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
    value.convertToInteger(integer, APFloat::rmTowardZero, &ignored);
    return integer.getZExtValue();
  }
  uint64_t raw = 0;
  std::memcpy(&raw, in, size);
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  APInt integer(64, isUnsigned ? raw : uint64_t(llvm::SignExtend64(raw, size * 8)));
  if (from.isInteger(1))
    integer = raw != 0;
  if (toFloat) {
    APFloat value(toFloat.getFloatSemantics());
    value.convertFromAPInt(integer, !isUnsigned, APFloat::rmNearestTiesToEven);
    return value.bitcastToAPInt().getZExtValue();
  }
  return to.isInteger(1) ? integer.getZExtValue() != 0 : integer.getZExtValue();
}

void ConvertStepAttr::apply(RankedTensorType type, ArrayRef<char> input, MutableArrayRef<char> output) const {
  unsigned inSize = getElementBytes(type.getElementType()), outSize = getElementBytes(getElementType());
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    uint64_t bits = convertElement(type.getElementType(), &input[i * inSize], getElementType());
    std::memcpy(&output[i * outSize], &bits, outSize);
  }
}

//===----------------------------------------------------------------------===//
// Bitcast
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> BitcastStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  auto result = RankedTensorType::get(input.getShape(), getElementType());
  if (!isConstantType(result) || getElementBytes(getElementType()) != getElementBytes(input.getElementType()))
    return misfit(emitError, *this, input);
  return result;
}

void BitcastStepAttr::apply(RankedTensorType, ArrayRef<char> input, MutableArrayRef<char> output) const {
  llvm::copy(input, output.begin());
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> TransposeStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return misfit(emitError, *this, input);
  return input.clone(llvm::map_to_vector(getPermutation(), [&](int64_t dim) { return input.getDimSize(dim); }));
}

void TransposeStepAttr::apply(RankedTensorType type, ArrayRef<char> input, MutableArrayRef<char> output) const {
  int64_t rank = type.getRank(), count = type.getNumElements();
  unsigned size = getElementBytes(type.getElementType());
  // For each dim of the result: its size, the distance of its elements in the source, and the current index.
  SmallVector<int64_t> strides(rank, 1), shape(rank), steps(rank), index(rank, 0);
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  for (auto [d, from] : llvm::enumerate(getPermutation())) {
    shape[d] = type.getDimSize(from);
    steps[d] = strides[from];
  }
  for (int64_t i = 0, source = 0; i < count; ++i) {
    std::memcpy(&output[i * size], &input[source * size], size);
    for (int64_t d = rank - 1; d >= 0; --d) {
      source += steps[d];
      if (++index[d] < shape[d])
        break;
      source -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ReshapeStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  if (countElements(getShape().asArrayRef()) != input.getNumElements())
    return misfit(emitError, *this, input);
  return input.clone(getShape().asArrayRef());
}

void ReshapeStepAttr::apply(RankedTensorType, ArrayRef<char> input, MutableArrayRef<char> output) const {
  llvm::copy(input, output.begin());
}

//===----------------------------------------------------------------------===//
// Extract
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ExtractStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  int64_t axis = getAxis(), start = getStart(), size = getSize();
  if (axis < 0 || axis >= input.getRank() || start < 0 || size < 0 || start > input.getDimSize(axis) ||
      size > input.getDimSize(axis) - start)
    return misfit(emitError, *this, input);
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = size;
  return input.clone(shape);
}

void ExtractStepAttr::apply(RankedTensorType type, ArrayRef<char> input, MutableArrayRef<char> output) const {
  // The constant is `outer` rows of `whole` blocks of `inner` bytes.
  int64_t outer = 1, inner = getElementBytes(type.getElementType()), whole = type.getDimSize(getAxis());
  for (int64_t dim : type.getShape().take_front(getAxis()))
    outer *= dim;
  for (int64_t dim : type.getShape().drop_front(getAxis() + 1))
    inner *= dim;
  int64_t bytes = getSize() * inner;
  for (int64_t i = 0; i < outer && bytes != 0; ++i)
    std::memcpy(&output[i * bytes], &input[(i * whole + getStart()) * inner], bytes);
}

//===----------------------------------------------------------------------===//
// Pack
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> PackStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  if (input.getRank() != 2 || getBlock() < 1 || getBlock() > kMaxBlock)
    return misfit(emitError, *this, input);
  int64_t k = input.getDimSize(0), n = input.getDimSize(1);
  return input.clone({int64_t(llvm::divideCeil(n, getBlock())), k, getBlock()});
}

void PackStepAttr::apply(RankedTensorType type, ArrayRef<char> input, MutableArrayRef<char> output) const {
  int64_t k = type.getDimSize(0), n = type.getDimSize(1), block = getBlock(), blocks = llvm::divideCeil(n, block);
  unsigned size = getElementBytes(type.getElementType());
  // The columns after N stay zeros.
  llvm::fill(output, 0);
  for (int64_t b = 0; b < blocks; ++b) {
    int64_t width = std::min(block, n - b * block);
    for (int64_t row = 0; row < k; ++row)
      std::memcpy(&output[(b * k + row) * block * size], &input[(row * n + b * block) * size], width * size);
  }
}
