// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackWeights.cpp - From the weights file to packed weights ----------===//
//
// Passes do not change the elements of large constants. They only add layout steps (convert, transpose, reshape,
// extract, pack) to their `#ov.weights` attributes. This file applies the steps once, after lowering.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/PackWeights.h"

#include "Recur/Transforms/Passes.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace recur;

static unsigned getElementBytes(Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

static llvm::Error misfit(Attribute step) {
  std::string text;
  llvm::raw_string_ostream(text) << "layout step " << step << " does not fit the constant it is applied to";
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
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

namespace {
/// A constant between two layout steps.
struct Bytes {
  SmallVector<int64_t> shape;
  Type elementType;
  /// Points into the weights file, or into `owned` after a step that made new elements.
  ArrayRef<char> data;
  std::vector<char> owned;

  unsigned elementBytes() const { return getElementBytes(elementType); }
  int64_t count() const { return *countElements(shape); }
  void take(SmallVector<int64_t> newShape, std::vector<char> bytes) {
    shape = std::move(newShape);
    owned = std::move(bytes);
    data = owned;
  }
};
} // namespace

/// Transposes the elements: dim d of the result is dim permutation[d] of the source.
static void transpose(Bytes &bytes, ArrayRef<int64_t> permutation) {
  int64_t rank = bytes.shape.size();
  unsigned size = bytes.elementBytes();
  SmallVector<int64_t> strides(rank, 1), shape(rank), steps(rank), index(rank, 0);
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * bytes.shape[d + 1];
  for (int64_t d = 0; d < rank; ++d) {
    shape[d] = bytes.shape[permutation[d]];
    steps[d] = strides[permutation[d]];
  }
  int64_t count = bytes.count(), source = 0;
  std::vector<char> out(count * size);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(&out[i * size], bytes.data.data() + source * size, size);
    for (int64_t d = rank - 1; d >= 0; --d) {
      source += steps[d];
      if (++index[d] < shape[d])
        break;
      source -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
  bytes.take(shape, std::move(out));
}

/// Keeps the elements [start, start + size) along `axis`.
static void extract(Bytes &bytes, int64_t axis, int64_t start, int64_t size) {
  int64_t outer = 1, inner = bytes.elementBytes(), whole = bytes.shape[axis];
  for (int64_t d = 0; d < axis; ++d)
    outer *= bytes.shape[d];
  for (int64_t d = axis + 1; d < int64_t(bytes.shape.size()); ++d)
    inner *= bytes.shape[d];
  std::vector<char> out(outer * size * inner);
  for (int64_t i = 0; i < outer && size * inner != 0; ++i)
    std::memcpy(&out[i * size * inner], bytes.data.data() + (i * whole + start) * inner, size * inner);
  SmallVector<int64_t> shape = bytes.shape;
  shape[axis] = size;
  bytes.take(shape, std::move(out));
}

/// Packs a matrix [K, N] into column blocks [ceil(N/block), K, block]. Columns after N are zeros.
static void pack(Bytes &bytes, int64_t block) {
  int64_t k = bytes.shape[0], n = bytes.shape[1], blocks = llvm::divideCeil(n, block);
  unsigned size = bytes.elementBytes();
  std::vector<char> out(blocks * k * block * size);
  for (int64_t b = 0; b < blocks; ++b) {
    int64_t width = std::min(block, n - b * block);
    for (int64_t row = 0; row < k; ++row)
      std::memcpy(&out[(b * k + row) * block * size], bytes.data.data() + (row * n + b * block) * size, width * size);
  }
  bytes.take({blocks, k, block}, std::move(out));
}

static APFloat readFloat(const llvm::fltSemantics &semantics, const char *data, unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, size);
  return APFloat(semantics, APInt(size * 8, bits));
}

/// Converts as `ov.convert` does: float to integer truncates and saturates, integers wrap, and boolean is `!= 0`.
static void convert(Bytes &bytes, Type to) {
  Type from = bytes.elementType;
  unsigned inSize = bytes.elementBytes(), outSize = getElementBytes(to);
  int64_t count = bytes.count();
  std::vector<char> out(count * outSize);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  for (int64_t i = 0; i < count; ++i) {
    const char *in = bytes.data.data() + i * inSize;
    uint64_t result = 0;
    if (fromFloat) {
      APFloat value = readFloat(fromFloat.getFloatSemantics(), in, inSize);
      bool ignored;
      if (toFloat) {
        value.convert(toFloat.getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
        result = value.bitcastToAPInt().getZExtValue();
      } else if (to.isInteger(1)) {
        result = !value.isZero();
      } else {
        APSInt integer(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
        // convertToInteger saturates; NaN becomes 0.
        value.convertToInteger(integer, APFloat::rmTowardZero, &ignored);
        result = integer.getZExtValue();
      }
    } else {
      uint64_t raw = 0;
      std::memcpy(&raw, in, inSize);
      bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
      APInt integer(64, isUnsigned ? raw : uint64_t(llvm::SignExtend64(raw, inSize * 8)));
      if (from.isInteger(1))
        integer = raw != 0;
      if (toFloat) {
        APFloat value(toFloat.getFloatSemantics());
        value.convertFromAPInt(integer, !isUnsigned, APFloat::rmNearestTiesToEven);
        result = value.bitcastToAPInt().getZExtValue();
      } else {
        result = to.isInteger(1) ? integer.getZExtValue() != 0 : integer.getZExtValue();
      }
    }
    std::memcpy(&out[i * outSize], &result, outSize);
  }
  bytes.elementType = to;
  bytes.take(bytes.shape, std::move(out));
}

static llvm::Error applyStep(Bytes &bytes, Attribute step) {
  int64_t rank = bytes.shape.size();
  return llvm::TypeSwitch<Attribute, llvm::Error>(step)
      .Case([&](ov::ConvertStepAttr attr) -> llvm::Error {
        convert(bytes, attr.getElementType());
        return llvm::Error::success();
      })
      .Case([&](ov::TransposeStepAttr attr) -> llvm::Error {
        SmallVector<int64_t> sorted(attr.getPermutation());
        llvm::sort(sorted);
        if (int64_t(sorted.size()) != rank || !llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
          return misfit(step);
        transpose(bytes, attr.getPermutation());
        return llvm::Error::success();
      })
      .Case([&](ov::ReshapeStepAttr attr) -> llvm::Error {
        ArrayRef<int64_t> shape = attr.getShape().asArrayRef();
        if (countElements(shape) != bytes.count())
          return misfit(step);
        bytes.shape.assign(shape.begin(), shape.end());
        return llvm::Error::success();
      })
      .Case([&](ov::ExtractStepAttr attr) -> llvm::Error {
        int64_t axis = attr.getAxis(), start = attr.getStart(), size = attr.getSize();
        if (axis < 0 || axis >= rank || start < 0 || size < 0 || start > bytes.shape[axis] ||
            size > bytes.shape[axis] - start)
          return misfit(step);
        extract(bytes, axis, start, size);
        return llvm::Error::success();
      })
      .Case([&](ov::PackStepAttr attr) -> llvm::Error {
        if (rank != 2 || attr.getBlock() < 1 || attr.getBlock() > 4096)
          return misfit(step);
        pack(bytes, attr.getBlock());
        return llvm::Error::success();
      })
      .Default([&](Attribute) { return misfit(step); });
}

llvm::Error recur::packConstant(ov::WeightsAttr weights, ArrayRef<char> file, MutableArrayRef<char> output) {
  RankedTensorType stored = weights.getStored();
  Bytes bytes;
  bytes.shape.assign(stored.getShape().begin(), stored.getShape().end());
  bytes.elementType = stored.getElementType();
  std::optional<int64_t> count = countElements(bytes.shape);
  std::optional<int64_t> size = count ? llvm::checkedMul<int64_t>(*count, bytes.elementBytes()) : std::nullopt;
  int64_t offset = weights.getOffset();
  if (!size || offset < 0 || *size > int64_t(file.size()) || offset > int64_t(file.size()) - *size)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "a constant needs bytes from offset %lld that the weights file, of %zu bytes, does "
                                   "not have",
                                   (long long)offset, file.size());
  bytes.data = file.slice(offset, *size);
  // In the file, each byte except 0 is true. Generated code expects 0 and 1.
  if (bytes.elementType.isInteger(1))
    convert(bytes, bytes.elementType);
  for (Attribute step : weights.getLayout())
    if (llvm::Error error = applyStep(bytes, step))
      return error;
  if (!llvm::equal(bytes.shape, weights.getTensorType().getShape()) || bytes.data.size() != output.size() ||
      getElementBytes(bytes.elementType) != getElementBytes(weights.getTensorType().getElementType()))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the layout of a constant does not give the type it is declared with");
  llvm::copy(bytes.data, output.begin());
  return llvm::Error::success();
}

llvm::Error recur::packWeights(ModuleOp module, ArrayRef<char> file, MutableArrayRef<char> output) {
  auto plan = module->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr);
  if (!plan)
    return llvm::Error::success();
  for (Attribute entry : plan) {
    auto pair = cast<ArrayAttr>(entry);
    auto weights = cast<ov::WeightsAttr>(pair[0]);
    size_t offset = cast<IntegerAttr>(pair[1]).getInt();
    RankedTensorType type = weights.getTensorType();
    std::optional<int64_t> count = countElements(type.getShape());
    std::optional<int64_t> bytes = count;
    if (count)
      bytes = llvm::checkedMul<int64_t>(*count, getElementBytes(type.getElementType()));
    if (!bytes)
      return llvm::createStringError("a constant has 2^63 bytes or more");
    size_t size = *bytes;
    if (offset > output.size() || size > output.size() - offset)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "a constant lies outside of the packed weights");
    if (llvm::Error error = packConstant(weights, file, output.slice(offset, size)))
      return error;
  }
  return llvm::Error::success();
}
