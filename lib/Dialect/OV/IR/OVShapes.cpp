// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVShapes.cpp - Arithmetic on partly known shapes -------------------===//
//
// The helpers of OVShapes.h. Shapes are lists of int64_t in which ShapedType::kDynamic stands for a dim that is not
// known at compile time, so every function has to answer three ways: yes, no, or not known. getPartlyKnownIntegers
// follows small integer tensors (shapes, axes, bounds) back to constants and static dims.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace recur::ov {

/// True if the dim is not known at compile time.
static bool isUnknown(int64_t dim) { return ShapedType::isDynamic(dim); }

std::optional<int64_t> broadcastDim(int64_t a, int64_t b) {
  if (a == 1)
    return b;
  if (b == 1)
    return a;
  return mergeDims(a, b);
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> result(a);
  for (size_t i = 0; i != b.size(); ++i) {
    int64_t &dim = result[a.size() - b.size() + i];
    std::optional<int64_t> merged = broadcastDim(dim, b[i]);
    if (!merged)
      return std::nullopt;
    dim = *merged;
  }
  return result;
}

std::optional<int64_t> mergeDims(int64_t a, int64_t b) {
  if (isUnknown(a))
    return b;
  if (isUnknown(b) || a == b)
    return a;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> mergeShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() != b.size())
    return std::nullopt;
  SmallVector<int64_t> result;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    std::optional<int64_t> merged = mergeDims(x, y);
    if (!merged)
      return std::nullopt;
    result.push_back(*merged);
  }
  return result;
}

bool provablyBroadcast(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  size_t common = std::min(a.size(), b.size());
  return llvm::all_of(llvm::zip_equal(a.take_back(common), b.take_back(common)), [](auto pair) {
    auto [x, y] = pair;
    return x == 1 || y == 1 || (!isUnknown(x) && x == y);
  });
}

bool provablyEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return a == b && llvm::none_of(a, isUnknown); }

std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

/// The elements of an integer constant; nullopt if `value` is null or not such a constant.
static std::optional<SmallVector<int64_t>> matchIntegers(Value value) {
  DenseIntElementsAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  SmallVector<int64_t> result;
  bool isUnsigned = attr.getElementType().isUnsignedInteger() || attr.getElementType().isInteger(1);
  for (const APInt &entry : attr.getValues<APInt>())
    result.push_back(isUnsigned ? entry.getZExtValue() : entry.getSExtValue());
  return result;
}

std::optional<SmallVector<int64_t>> getConstantIntegers(Value value) {
  if (!value)
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> constants = matchIntegers(value))
    return constants;
  // An op that is not a constant may still have a known result, such as shape_of of a static tensor.
  if (getStaticLength(value).value_or(kMaxShapeElements + 1) > kMaxShapeElements)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> integers = getPartlyKnownIntegers(value);
  return integers && llvm::none_of(*integers, isUnknown) ? integers : std::nullopt;
}

std::optional<SmallVector<int64_t>> getConstantAxes(Value value, int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = getConstantIntegers(value);
  if (!axes)
    return std::nullopt;
  llvm::SmallBitVector seen(rank);
  for (int64_t &axis : *axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, rank);
    if (!normal || seen.test(*normal))
      return std::nullopt;
    axis = *normal;
    seen.set(axis);
  }
  return axes;
}

std::optional<int64_t> getConstantAxis(Value value, int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(value, rank);
  if (!axes || axes->size() != 1)
    return std::nullopt;
  return axes->front();
}

//===----------------------------------------------------------------------===//
// Partly known integers
//===----------------------------------------------------------------------===//

/// The longest chain of ops that is followed. Real models compute shapes in short chains; the limit bounds the compile
/// time of hostile graphs.
static constexpr unsigned kMaxDepth = 12;

namespace {
/// Finds only dims and elements that are known at compile time, from types and constants.
class StaticDims final : public DimSource {
public:
  MaybeDim get(Value tensor, int64_t dim) override {
    int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    return isUnknown(size) ? std::nullopt : constant(size);
  }

  MaybeDim getElement(Value tensor, int64_t position) override {
    auto [it, isNew] = found.try_emplace({tensor, position});
    if (!isNew)
      return it->second;
    if (std::optional<SmallVector<int64_t>> constants = matchIntegers(tensor))
      return found[{tensor, position}] =
                 position < static_cast<int64_t>(constants->size()) ? constant((*constants)[position]) : std::nullopt;
    auto result = dyn_cast<OpResult>(tensor);
    if (!result || depth == kMaxDepth)
      return std::nullopt;
    ++depth;
    MaybeDim element = askElement(result, position);
    --depth;
    return found[{tensor, position}] = element;
  }

private:
  llvm::DenseMap<std::pair<Value, int64_t>, MaybeDim> found;
  unsigned depth = 0;
};
} // namespace

/// The entries of `value`; nullopt for those that are not known.
static std::optional<SmallVector<std::optional<int64_t>>> getKnownEntries(Value value) {
  std::optional<int64_t> length = getStaticLength(value);
  if (!length || !cast<RankedTensorType>(value.getType()).getElementType().isInteger())
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> constants = matchIntegers(value))
    return SmallVector<std::optional<int64_t>>(constants->begin(), constants->end());
  // Longer tensors are not shapes, so their elements are not looked up. A model may claim any length, for which there
  // is no memory. A tensor of as many dims is refused in any case.
  static constexpr int64_t kMostEntries = 1 << 16;
  SmallVector<std::optional<int64_t>> result(std::min(*length, kMostEntries));
  StaticDims dims;
  for (int64_t i = 0; i < std::min(*length, kMaxShapeElements); ++i)
    if (DimSource::MaybeDim element = dims.getElement(value, i))
      result[i] = *dims.exprs.getConstant(*element);
  return result;
}

std::optional<SmallVector<int64_t>> getPartlyKnownIntegers(Value value) {
  auto entries = getKnownEntries(value);
  if (!entries)
    return std::nullopt;
  return llvm::map_to_vector(*entries, [](auto entry) { return entry.value_or(ShapedType::kDynamic); });
}

std::optional<SmallVector<int64_t>> getPartlyKnownSizes(Value value) {
  auto entries = getKnownEntries(value);
  if (!entries)
    return std::nullopt;
  return llvm::map_to_vector(
      *entries, [](auto entry) { return entry ? std::max(*entry, ShapedType::kDynamic + 1) : ShapedType::kDynamic; });
}

//===----------------------------------------------------------------------===//
// Shapes of single ops
//===----------------------------------------------------------------------===//

/// The product of the known dims, or nullopt if it does not fit into 64 bits.
static std::optional<int64_t> multiplyKnown(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    if (!isUnknown(dim) && llvm::MulOverflow(product, dim, product))
      return std::nullopt;
  return product;
}

std::optional<ReshapedShape> reshapeShape(ArrayRef<int64_t> input, ArrayRef<int64_t> target, bool specialZero,
                                          std::string &why) {
  ReshapedShape result;
  result.dims.assign(target.begin(), target.end());
  // Dims that a special zero copies are factors of both element counts, so they are left out of both.
  SmallVector<int64_t> inputRest(input), targetRest;
  std::optional<size_t> free;
  for (auto [i, dim] : llvm::enumerate(result.dims)) {
    if (dim == 0 && specialZero) {
      if (i >= input.size()) {
        why = "expected an input dim for each special zero";
        return std::nullopt;
      }
      dim = input[i];
      inputRest[i] = 1;
      continue;
    }
    if (dim == -1 && !free) {
      free = i;
      continue;
    }
    if (!isUnknown(dim) && dim < 0) {
      why = "expected dims that are not negative and at most one -1";
      return std::nullopt;
    }
    targetRest.push_back(dim);
  }
  std::optional<int64_t> inputCount = multiplyKnown(inputRest), targetCount = multiplyKnown(targetRest);
  if (!inputCount || !targetCount) {
    why = "expected a number of elements that fits 64 bits";
    return std::nullopt;
  }
  // If one dim is 0, the number of elements is 0, whatever the unknown dims are.
  auto isKnown = [](ArrayRef<int64_t> dims) { return llvm::none_of(dims, isUnknown) || llvm::is_contained(dims, 0); };
  bool inputKnown = isKnown(inputRest), targetKnown = isKnown(targetRest);
  if (free) {
    bool divides = *targetCount == 0 ? inputKnown && *inputCount == 0 : *inputCount % *targetCount == 0;
    if (inputKnown && targetKnown && !divides) {
      why = "expected the other dims to divide the number of elements";
      return std::nullopt;
    }
    int64_t quotient = *targetCount == 0 ? 0 : *inputCount / *targetCount;
    result.dims[*free] = inputKnown && targetKnown ? quotient : ShapedType::kDynamic;
    result.safe = targetKnown && divides;
    return result;
  }
  bool equal = inputKnown && targetKnown && *inputCount == *targetCount;
  if (inputKnown && targetKnown && !equal) {
    why = "expected the number of elements to stay";
    return std::nullopt;
  }
  result.safe = equal;
  return result;
}

std::optional<SmallVector<int64_t>> getSqueezedAxes(ArrayRef<int64_t> shape, Value axes) {
  std::optional<SmallVector<int64_t>> result = SmallVector<int64_t>();
  if (axes && !(result = getConstantAxes(axes, shape.size())))
    return std::nullopt;
  if (!result->empty()) {
    llvm::sort(*result);
    return result;
  }
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (isUnknown(dim))
      return std::nullopt;
    if (dim == 1)
      result->push_back(i);
  }
  return result;
}

std::optional<SmallVector<int64_t>> getPermutation(Value order, int64_t rank) {
  std::optional<SmallVector<int64_t>> result = getConstantAxes(order, rank);
  if (result && result->empty())
    for (int64_t i = rank; i-- > 0;)
      result->push_back(i);
  if (result && static_cast<int64_t>(result->size()) != rank)
    return std::nullopt;
  return result;
}

std::optional<SmallVector<int64_t>> getSlopeShape(ArrayRef<int64_t> data, ArrayRef<int64_t> slope) {
  SmallVector<int64_t> result(slope);
  if (slope.size() == 1 && slope[0] != 1 && data.size() >= 2 && mergeDims(data[1], slope[0])) {
    bool isKnown = data.size() == 2 || provablyEqual(data[1], slope[0]);
    if (!isKnown && mergeDims(data.back(), slope[0]))
      return std::nullopt;
    result.append(data.size() - 2, 1);
  }
  return result;
}

Value createSlice(OpBuilder &builder, Location loc, RankedTensorType type, Value tensor, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (!llvm::is_contained(type.getShape(), 0) &&
      !llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(), 0))
    return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets, sizes, strides);
  // The dynamic sizes are those of the result's dynamic dims, in order: all dropped dims have a static size. If no dim
  // is dropped, a dynamic dim may have a size that is known.
  bool keepsRank = type.getRank() == int64_t(sizes.size());
  SmallVector<Value> dynamicSizes;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (keepsRank ? type.isDynamicDim(i) : !getConstantIntValue(size))
      dynamicSizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return tensor::EmptyOp::create(builder, loc, type, dynamicSizes);
}

} // namespace recur::ov
