// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayoutSteps.cpp - Constants in the weights file --------------------===//
//
// `#ov.weights` names bytes of the weights file, and the layout steps that turn them into the tensor of the program.
// This file, and ArithmeticSteps.cpp for steps with arithmetic, are the only places that know what a step does to the
// type and to the bytes of a constant.
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

/// Calls `body` with the bytes of an element as a constant of the compiler, so that loops over elements copy them by
/// single loads and stores.
template <typename Body>
static void withElementBytes(Type type, Body body) {
  switch (getElementBytes(type)) {
  case 1:
    return body(std::integral_constant<unsigned, 1>());
  case 2:
    return body(std::integral_constant<unsigned, 2>());
  case 4:
    return body(std::integral_constant<unsigned, 4>());
  default:
    return body(std::integral_constant<unsigned, 8>());
  }
}

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

/// True if the step moves elements, whatever their type is, and changes none.
static bool movesElements(LayoutStepAttrInterface step) {
  return isa<TransposeStepAttr, ReshapeStepAttr, ExtractStepAttr, PackStepAttr>(step);
}

WeightsAttr WeightsAttr::getNarrow() const {
  ArrayRef<LayoutStepAttrInterface> steps = getLayout();
  size_t before = steps.size();
  while (before > 0 && movesElements(steps[before - 1]))
    --before;
  if (before == 0)
    return {};
  auto convert = dyn_cast<ConvertStepAttr>(steps[--before]);
  if (!convert || !convert.getElementType().isF32())
    return {};
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(getContext())); };
  RankedTensorType type = getStored();
  for (LayoutStepAttrInterface step : steps.take_front(before))
    type = *step.inferType(type, emitError);
  Type narrow = type.getElementType();
  if (!narrow.isF16() && !narrow.isBF16())
    return {};
  SmallVector<LayoutStepAttrInterface> kept(steps.take_front(before));
  llvm::append_range(kept, steps.drop_front(before + 1));
  return WeightsAttr::get(getContext(), getOffset(), getStored(), kept, getTensorType().clone(narrow));
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

/// The bits of the f16 at `in` as those of an f32. A NaN becomes a quiet one.
static uint32_t widenHalf(const char *in) {
  uint16_t bits;
  std::memcpy(&bits, in, sizeof bits);
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return sign | 0x7f800000 | (fraction ? fraction << 13 | 0x400000 : 0);
  // The fraction of a denormal counts steps of 2^-24.
  if (exponent == 0)
    return sign | llvm::bit_cast<uint32_t>(float(fraction) * 0x1p-24f);
  return sign | ((exponent + 112) << 23 | fraction << 13);
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

void ConvertStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                            MutableArrayRef<char> output) const {
  Type from = type.getElementType(), to = getElementType();
  int64_t count = type.getNumElements();
  withElementBytes(from, [&](auto inSize) {
    withElementBytes(to, [&](auto outSize) {
      auto convertAll = [&](auto convert) {
        for (int64_t i = 0; i < count; ++i) {
          uint64_t bits = convert(&input[i * inSize]);
          std::memcpy(&output[i * outSize], &bits, outSize);
        }
      };
      auto convertOne = [&](const char *in) { return convertElement(from, in, to); };
      if (from.isF16() && to.isF32())
        return convertAll(widenHalf);
      // The elements of a large constant repeat the values of a small type, so each value is converted once.
      if constexpr (inSize <= 2) {
        constexpr int64_t values = int64_t(1) << (8 * inSize);
        if (count > 2 * values) {
          std::vector<uint64_t> table(values);
          for (int64_t value = 0; value < values; ++value)
            table[value] = convertOne(reinterpret_cast<const char *>(&value));
          return convertAll([&](const char *in) {
            uint64_t value = 0;
            std::memcpy(&value, in, inSize);
            return table[value];
          });
        }
      }
      convertAll(convertOne);
    });
  });
}

//===----------------------------------------------------------------------===//
// Unpack
//===----------------------------------------------------------------------===//

int64_t UnpackStepAttr::countBytes(PackedFormat format, int64_t count) {
  switch (format) {
  case PackedFormat::U1:
    return llvm::divideCeil(count, 8);
  case PackedFormat::U2:
    return llvm::divideCeil(count, 4);
  case PackedFormat::U3:
    return llvm::divideCeil(count, 8) * 3;
  case PackedFormat::U6:
    return llvm::divideCeil(count, 4) * 3;
  case PackedFormat::U4:
  case PackedFormat::I4:
  case PackedFormat::NF4:
  case PackedFormat::F4E2M1:
    return llvm::divideCeil(count, 2);
  case PackedFormat::F8E4M3:
  case PackedFormat::F8E5M2:
  case PackedFormat::F8E8M0:
    return count;
  }
  llvm_unreachable("a format");
}

Type UnpackStepAttr::getElementType(PackedFormat format, MLIRContext *context) {
  if (format == PackedFormat::I4)
    return IntegerType::get(context, 8);
  if (format < PackedFormat::I4)
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  return Float32Type::get(context);
}

FailureOr<RankedTensorType> UnpackStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  std::optional<int64_t> count = countElements(getShape().asArrayRef());
  // The limit keeps the number of bytes from overflowing.
  constexpr int64_t most = int64_t(1) << 60;
  if (!count || *count > most || !input.getElementType().isUnsignedInteger(8) || input.getRank() != 1 ||
      input.getNumElements() != countBytes(getFormat(), *count))
    return misfit(emitError, *this, input);
  return RankedTensorType::get(getShape().asArrayRef(), getElementType(getFormat(), getContext()));
}

/// The bits of element `i`.
static unsigned readPacked(PackedFormat format, ArrayRef<char> bytes, int64_t i) {
  auto bits = [&](int64_t byte, unsigned from, unsigned count) {
    return (uint8_t(bytes[byte]) >> from) & ((1u << count) - 1);
  };
  switch (format) {
  case PackedFormat::U1:
    return bits(i / 8, 7 - i % 8, 1);
  case PackedFormat::U2:
    return bits(i / 4, i % 4 * 2, 2);
  case PackedFormat::U3:
    return bits(i / 8 * 3 + i % 8 / 4, 6 - i % 4 * 2, 2) | bits(i / 8 * 3 + 2, 7 - i % 8, 1) << 2;
  case PackedFormat::U6:
    return bits(i / 4 * 3 + i % 4 / 2, 4 - i % 2 * 4, 4) | bits(i / 4 * 3 + 2, 6 - i % 4 * 2, 2) << 4;
  case PackedFormat::U4:
  case PackedFormat::I4:
  case PackedFormat::NF4:
  case PackedFormat::F4E2M1:
    return bits(i / 2, i % 2 * 4, 4);
  case PackedFormat::F8E4M3:
  case PackedFormat::F8E5M2:
  case PackedFormat::F8E8M0:
    return bits(i, 0, 8);
  }
  llvm_unreachable("a format");
}

/// The bits of an f32 for those of a real number of a format.
static uint32_t unpackReal(PackedFormat format, unsigned bits) {
  // The quantiles of a normal distribution.
  static constexpr float normal[16] = {-1.0f,
                                       -0.6961928009986877f,
                                       -0.5250730514526367f,
                                       -0.39491748809814453f,
                                       -0.28444138169288635f,
                                       -0.18477343022823334f,
                                       -0.09105003625154495f,
                                       0.0f,
                                       0.07958029955625534f,
                                       0.16093020141124725f,
                                       0.24611230194568634f,
                                       0.33791524171829224f,
                                       0.44070982933044434f,
                                       0.5626170039176941f,
                                       0.7229568362236023f,
                                       1.0f};
  if (format == PackedFormat::NF4)
    return llvm::bit_cast<uint32_t>(normal[bits]);
  const llvm::fltSemantics &semantics = format == PackedFormat::F4E2M1   ? APFloat::Float4E2M1FN()
                                        : format == PackedFormat::F8E4M3 ? APFloat::Float8E4M3FN()
                                        : format == PackedFormat::F8E5M2 ? APFloat::Float8E5M2()
                                                                         : APFloat::Float8E8M0FNU();
  APFloat value(semantics, APInt(APFloat::getSizeInBits(semantics), bits));
  // A NaN of a format without infinities may have a payload that f32 does not have.
  if (value.isNaN())
    value = APFloat::getQNaN(APFloat::IEEEsingle());
  bool ignored;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &ignored);
  return uint32_t(value.bitcastToAPInt().getZExtValue());
}

void UnpackStepAttr::apply(RankedTensorType, ArrayRef<char> input, ArrayRef<char>, MutableArrayRef<char> output) const {
  PackedFormat format = getFormat();
  unsigned size = getElementBytes(getElementType(format, getContext()));
  // All values of the bits, as elements of the result.
  uint32_t values[256];
  for (unsigned bits = 0; bits != 256; ++bits)
    values[bits] = size == 4                    ? unpackReal(format, bits & (format < PackedFormat::F8E4M3 ? 15 : 255))
                   : format == PackedFormat::I4 ? uint32_t(llvm::SignExtend32<4>(bits & 15))
                                                : bits;
  for (int64_t i = 0, count = output.size() / size; i < count; ++i)
    std::memcpy(&output[i * size], &values[readPacked(format, input, i)], size);
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

void BitcastStepAttr::apply(RankedTensorType, ArrayRef<char> input, ArrayRef<char>,
                            MutableArrayRef<char> output) const {
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

void TransposeStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                              MutableArrayRef<char> output) const {
  int64_t rank = type.getRank(), count = type.getNumElements();
  // For each dim of the result: its size, the distance of its elements in the source, and the current index.
  SmallVector<int64_t> strides(rank, 1), shape(rank), steps(rank), index(rank, 0);
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  for (auto [d, from] : llvm::enumerate(getPermutation())) {
    shape[d] = type.getDimSize(from);
    steps[d] = strides[from];
  }
  // The dim whose neighbours are neighbours in the source too, if that is not the last one: the two dims are taken in
  // tiles, so that each cache line of the source is read once.
  int64_t last = rank - 1, near = last;
  for (int64_t d = 0; d < last; ++d)
    if (steps[d] == 1 && shape[d] > 1)
      near = d;
  int64_t row = rank ? shape[last] : 1, step = rank ? steps[last] : 1;
  int64_t columns = near < last ? shape[near] : 1, distance = row;
  for (int64_t d = near + 1; d < last; ++d)
    distance *= shape[d];
  withElementBytes(type.getElementType(), [&](auto size) {
    auto copyRow = [&](int64_t target, int64_t source, int64_t from, int64_t to) {
      for (int64_t k = from; k < to; ++k)
        std::memcpy(&output[(target + k) * size], &input[(source + k * step) * size], size);
    };
    auto copyTiles = [&](int64_t target, int64_t source) {
      constexpr int64_t width = 16, length = 64;
      for (int64_t from = 0; from < row; from += length)
        for (int64_t column = 0; column < columns; column += width)
          for (int64_t i = column; i < std::min(column + width, columns); ++i)
            copyRow(target + i * distance, source + i, from, std::min(from + length, row));
    };
    for (int64_t target = 0, source = 0; target < count;) {
      if (near == last)
        copyRow(target, source, 0, row);
      else if (index[near] == 0)
        copyTiles(target, source);
      target += row;
      for (int64_t d = rank - 2; d >= 0; --d) {
        source += steps[d];
        if (++index[d] < shape[d])
          break;
        source -= steps[d] * shape[d];
        index[d] = 0;
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ReshapeStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  if (countElements(getShape().asArrayRef()) != input.getNumElements())
    return misfit(emitError, *this, input);
  return input.clone(getShape().asArrayRef());
}

void ReshapeStepAttr::apply(RankedTensorType, ArrayRef<char> input, ArrayRef<char>,
                            MutableArrayRef<char> output) const {
  llvm::copy(input, output.begin());
}

//===----------------------------------------------------------------------===//
// Extract
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ExtractStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  int64_t axis = getAxis(), start = getStart(), size = getSize(), step = getStep();
  if (axis < 0 || axis >= input.getRank() || start < 0 || size < 0 || start > input.getDimSize(axis) || step == 0)
    return misfit(emitError, *this, input);
  // As many elements are there from the start on, in the direction of the step.
  int64_t last = input.getDimSize(axis) - 1;
  uint64_t room = step > 0 ? last - start : start, width = step > 0 ? uint64_t(step) : -uint64_t(step);
  if (size > 0 && (start > last || uint64_t(size - 1) > room / width))
    return misfit(emitError, *this, input);
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = size;
  return input.clone(shape);
}

void ExtractStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                            MutableArrayRef<char> output) const {
  // The constant is `outer` rows of `whole` blocks of `inner` bytes.
  int64_t outer = 1, inner = getElementBytes(type.getElementType()), whole = type.getDimSize(getAxis());
  for (int64_t dim : type.getShape().take_front(getAxis()))
    outer *= dim;
  for (int64_t dim : type.getShape().drop_front(getAxis() + 1))
    inner *= dim;
  // Neighbours are copied together.
  int64_t parts = getStep() == 1 ? 1 : getSize(), bytes = (getStep() == 1 ? getSize() : 1) * inner;
  for (int64_t i = 0; i < outer && bytes != 0; ++i)
    for (int64_t part = 0; part < parts; ++part)
      std::memcpy(&output[(i * parts + part) * bytes], &input[(i * whole + getStart() + part * getStep()) * inner],
                  bytes);
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

void PackStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                         MutableArrayRef<char> output) const {
  int64_t k = type.getDimSize(0), n = type.getDimSize(1), block = getBlock(), blocks = llvm::divideCeil(n, block);
  unsigned size = getElementBytes(type.getElementType());
  // The columns after N are zeros.
  if (n % block != 0)
    llvm::fill(output.take_back(k * block * size), 0);
  for (int64_t b = 0; b < blocks; ++b) {
    int64_t width = std::min(block, n - b * block);
    for (int64_t row = 0; row < k; ++row)
      std::memcpy(&output[(b * k + row) * block * size], &input[(row * n + b * block) * size], width * size);
  }
}
