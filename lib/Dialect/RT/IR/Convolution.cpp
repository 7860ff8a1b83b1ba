// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - rt.convolution -----------------------------------===//
//
// Verifies `rt.convolution`, and says what its attributes mean for its loops. Its forms differ in the ranks of the
// filters and the data, and in `channels_first`.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/ChannelTiles.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace recur::rt;

/// The elements of a transformed dim of the filters, and those that they are made from.
static constexpr int64_t kTransformedElements = 4, kElementsToTransform = 3;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

bool recur::rt::isElementwise(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() == 1 && isMemoryEffectFree(&op) &&
         isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
         (op.hasTrait<OpTrait::ConstantLike>() ||
          (op.hasTrait<OpTrait::Elementwise>() && op.hasTrait<OpTrait::Vectorizable>()));
}

bool recur::rt::isIndexedByChannel(AffineMap map) {
  if (map.getNumResults() == 0 || map.getNumDims() == 0 || map.getNumSymbols() != 0)
    return false;
  AffineExpr channel = getAffineDimExpr(map.getNumDims() - 1, map.getContext()),
             zero = getAffineConstantExpr(0, map.getContext());
  return map.getResults().back() == channel && llvm::all_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           return expr == zero || (isa<AffineDimExpr>(expr) && expr != channel);
         });
}

static bool areAtLeast(ArrayRef<int64_t> numbers, int64_t least) {
  return llvm::all_of(numbers, [&](int64_t number) { return number >= least; });
}

void ConvolutionOp::build(OpBuilder &builder, OperationState &state, Value filters, Value data, Value init,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding,
                          ArrayRef<bool> transformed) {
  DenseI64ArrayAttr paddingAttr;
  if (llvm::any_of(padding, [](int64_t size) { return size != 0; }))
    paddingAttr = builder.getDenseI64ArrayAttr(padding);
  DenseBoolArrayAttr transformedAttr;
  if (llvm::is_contained(transformed, true))
    transformedAttr = builder.getDenseBoolArrayAttr(transformed);
  Type result = isa<RankedTensorType>(init.getType()) ? init.getType() : Type();
  build(builder, state, result, filters, data, ValueRange(), init, builder.getDenseI64ArrayAttr(strides),
        builder.getDenseI64ArrayAttr(dilations), paddingAttr, transformedAttr, UnitAttr(),
        builder.getAffineMapArrayAttr({}));
}

bool ConvolutionOp::isDepthwise() { return shapeOf(getFilters()).size() == getNumSpatialDims() + 1; }
bool ConvolutionOp::hasGroups() {
  return !getChannelsFirst() && shapeOf(getFilters()).size() == getNumSpatialDims() + 4;
}
bool ConvolutionOp::isTransformed(unsigned dim) { return getTransformed() && (*getTransformed())[dim]; }
bool ConvolutionOp::usesWinograd() { return getTransformed() && llvm::is_contained(*getTransformed(), true); }

unsigned ConvolutionOp::getFilterDim(unsigned dim) {
  unsigned first = getChannelsFirst() ? 3 : isDepthwise() ? 0 : hasGroups() ? 2 : 1;
  // Of three spatial dims, the second one comes first.
  if (getNumSpatialDims() == 3 && dim < 2)
    dim = 1 - dim;
  return first + dim;
}

int64_t ConvolutionOp::getKernelSize(unsigned dim) {
  return isTransformed(dim) ? kElementsToTransform : shapeOf(getFilters())[getFilterDim(dim)];
}

std::pair<int64_t, int64_t> ConvolutionOp::getPadding(unsigned dim) {
  std::optional<ArrayRef<int64_t>> padding = ConvolutionOp::getPadding();
  return padding ? std::pair((*padding)[2 * dim], (*padding)[2 * dim + 1]) : std::pair<int64_t, int64_t>(0, 0);
}

std::pair<int64_t, int64_t> ConvolutionOp::getChannelRange() {
  ArrayRef<int64_t> filters = shapeOf(getFilters());
  if (isDepthwise())
    return {filters.back(), filters.back()};
  int64_t most = ShapedType::getNumElements(filters.take_front(1 + hasGroups())) * filters.back();
  return {hasGroups() ? most : most - filters.back() + 1, most};
}

SmallVector<int64_t> ConvolutionOp::getLoopSizes() {
  unsigned spatial = getNumSpatialDims();
  ArrayRef<int64_t> filters = shapeOf(getFilters()), data = shapeOf(getData()), result = shapeOf(getInit());
  if (getChannelsFirst()) {
    SmallVector<int64_t> sizes(result);
    llvm::append_range(sizes, filters.drop_front(2).drop_back());
    return sizes;
  }
  SmallVector<int64_t> sizes(result.take_front(1 + spatial));
  if (sizes.front() == ShapedType::kDynamic)
    sizes.front() = data.front();
  if (hasGroups())
    sizes.push_back(filters[0]);
  if (!isDepthwise())
    sizes.push_back(filters[hasGroups()]);
  sizes.push_back(filters.back());
  for (unsigned i = 0; i != spatial; ++i)
    sizes.push_back(getKernelSize(i));
  if (!isDepthwise())
    sizes.push_back(filters[filters.size() - 2]);
  for (unsigned i = 0; i != spatial; ++i)
    if (isTransformed(i))
      sizes.push_back(kTransformedElements);
  return sizes;
}

/// Verifies the shapes of a convolution with channels last.
static LogicalResult verifyChannelsLast(ConvolutionOp op) {
  auto filters = cast<ShapedType>(op.getFilters().getType()), data = cast<ShapedType>(op.getData().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  unsigned spatial = op.getNumSpatialDims();
  int64_t rank = filters.getRank();
  if (!filters.hasStaticShape() || !areAtLeast(filters.getShape(), 1) || rank < spatial + 1 || rank == spatial + 2 ||
      rank > spatial + 4 || (op.hasGroups() && spatial == 3) || (op.isDepthwise() && spatial == 3))
    return op.emitOpError() << "expected packed filters of a known form, but got " << filters;
  for (unsigned i = 0; i != spatial; ++i)
    if (op.isTransformed(i) && (spatial > 2 || rank != spatial + 3 || op.getStrides()[i] > 2 ||
                                (op.getStrides()[i] == 2 && op.getDilations()[i] != 1) ||
                                filters.getDimSize(op.getFilterDim(i)) != kTransformedElements))
      return op.emitOpError() << "expected transformed filters of one group, with " << kTransformedElements
                              << " elements along dim " << i << " and a stride of 1, or of 2 without dilation, but got "
                              << filters;
  if (spatial == 3 && op.getDilations().back() != 1)
    return op.emitOpError() << "expected no dilation along the last of three spatial dims";
  int64_t tile = op.usesWinograd() ? recur::ov::kWinogradTile : recur::ov::kChannelTile;
  if (!op.isDepthwise() && filters.getShape().back() != tile)
    return op.emitOpError() << "expected tiles of " << tile << " channels, but got " << filters;
  int64_t resultRank = op.hasEpilogue() || op.isDepthwise() ? spatial + 2 : rank;
  if (data.getRank() != spatial + 2 + op.hasGroups() || result.getRank() != resultRank)
    return op.emitOpError() << "expected data of rank " << spatial + 2 + op.hasGroups() << " and a result of rank "
                            << resultRank << ", but got " << data << " and " << result;
  // The channels of the data and of the result are those of the filters.
  ArrayRef<int64_t> shape = filters.getShape();
  int64_t channels = op.isDepthwise() ? shape.back() : shape[rank - 2];
  SmallVector<int64_t> wanted;
  if (!op.isDepthwise())
    llvm::append_range(wanted, shape.take_front(1 + op.hasGroups()));
  wanted.push_back(shape.back());
  ArrayRef<int64_t> behind = result.getShape().drop_front(1 + spatial);
  auto [fewest, most] = op.getChannelRange();
  bool fits = op.hasEpilogue() ? fewest <= behind[0] && behind[0] <= most : behind == ArrayRef(wanted);
  auto isOrOpen = [](int64_t dim, int64_t size) { return ShapedType::isDynamic(dim) || dim == size; };
  if (!isOrOpen(data.getShape().back(), channels) ||
      (op.hasGroups() && !isOrOpen(data.getDimSize(spatial + 1), shape[0])) || !fits)
    return op.emitOpError() << "expected the channels of " << filters << ", but got " << data << " and " << result;
  return success();
}

/// Verifies the shapes of a convolution with channels first.
static LogicalResult verifyChannelsFirst(ConvolutionOp op) {
  auto filters = cast<ShapedType>(op.getFilters().getType()), data = cast<ShapedType>(op.getData().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  int64_t spatial = op.getNumSpatialDims();
  if (op.hasEpilogue() || !op.getInputs().empty() || op.getPaddingAttr() || op.getTransformedAttr() ||
      (spatial == 3 && (op.getStrides()[1] != 1 || op.getStrides()[2] != 1)))
    return op.emitOpError() << "expected no epilogue, padding or transformed filters with channels first, and no "
                               "strides along the last two of three spatial dims";
  if (!filters.hasStaticShape() || !areAtLeast(filters.getShape(), 1) || filters.getRank() != spatial + 4 ||
      data.getRank() != spatial + 3 || result.getRank() != spatial + 3)
    return op.emitOpError() << "expected packed filters of rank " << spatial + 4 << ", and data and a result of rank "
                            << spatial + 3 << ", but got " << filters << ", " << data << " and " << result;
  // The data has groups of input channels, and the result has groups of output channels. The last tile may have rows
  // that are none of these.
  ArrayRef<int64_t> shape = filters.getShape();
  int64_t wanted[] = {shape[0], shape[2], shape[0]};
  int64_t actual[] = {data.getDimSize(1), data.getDimSize(2), result.getDimSize(1)};
  int64_t outputs = result.getDimSize(2);
  bool fits = ShapedType::isDynamic(outputs) || llvm::divideCeil(outputs, shape.back()) == uint64_t(shape[1]);
  if (!fits || llvm::any_of(llvm::zip_equal(actual, wanted), [](auto dims) {
        auto [size, known] = dims;
        return !ShapedType::isDynamic(size) && size != known;
      }))
    return op.emitOpError() << "expected the channels of " << filters << ", but got " << data << " and " << result;
  return success();
}

LogicalResult ConvolutionOp::verify() {
  unsigned spatial = getNumSpatialDims();
  auto data = cast<ShapedType>(getData().getType()), result = cast<ShapedType>(getInit().getType());
  Type element = result.getElementType();
  if (spatial < 1 || spatial > 3 || getDilations().size() != spatial || !areAtLeast(getStrides(), 1) ||
      !areAtLeast(getDilations(), 1))
    return emitOpError() << "expected strides and dilations of 1 or more for each of one to three spatial dims";
  if (std::optional<ArrayRef<int64_t>> padding = ConvolutionOp::getPadding();
      padding && (padding->size() != 2 * spatial || !areAtLeast(*padding, 0)))
    return emitOpError() << "expected two numbers of at least 0 as the padding of each spatial dim";
  if (std::optional<ArrayRef<bool>> transformed = getTransformed(); transformed && transformed->size() != spatial)
    return emitOpError() << "expected to know of each spatial dim whether it is transformed";
  if (!element.isF32() && !element.isF64())
    return emitOpError() << "expected a result of f32 or f64, but got " << element;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    Type own = getElementTypeOrSelf(operand.get());
    bool isNarrow = getChannelsFirst() && operand == getFiltersMutable() && isa<RankedTensorType>(result) &&
                    element.isF32() && (own.isF16() || own.isBF16());
    if (own != element && !isNarrow)
      return emitOpError() << "expected operands of " << element << ", but got " << own;
  }
  bool areTensors = isa<RankedTensorType>(result);
  if (!llvm::all_of(getOperandTypes(),
                    [&](Type type) { return areTensors ? isa<RankedTensorType>(type) : isa<MemRefType>(type); }))
    return emitOpError() << "expected ranked operands that all are tensors or all are buffers";
  if (getChannelsFirst() && failed(verifyChannelsFirst(*this)))
    return failure();
  if (!getChannelsFirst() && failed(verifyChannelsLast(*this)))
    return failure();
  if (!ShapedType::isDynamic(result.getDimSize(0)) && !ShapedType::isDynamic(data.getDimSize(0)) &&
      result.getDimSize(0) > data.getDimSize(0))
    return emitOpError() << "expected data for " << result.getDimSize(0) << " batches, but got " << data;
  for (unsigned i = 0; i != spatial; ++i) {
    int64_t places = result.getDimSize(getPlaceDim(i)), size = data.getDimSize(getChannelsFirst() ? 3 + i : 1 + i);
    int64_t reach = (getKernelSize(i) - 1) * getDilations()[i];
    if (!ShapedType::isDynamic(places) && !ShapedType::isDynamic(size) && places > 0 &&
        (places - 1) * getStrides()[i] + reach >= size)
      return emitOpError() << "expected data for " << places << " positions along dim " << i << ", but got " << data;
  }
  return success();
}

LogicalResult ConvolutionOp::verifyRegions() {
  size_t numMaps = getInputMaps().size();
  if (numMaps != getInputs().size() || (!hasEpilogue() && numMaps != 0))
    return emitOpError() << "expected an epilogue, and a map, for each of its inputs";
  if (!hasEpilogue())
    return success();
  Type element = getElementTypeOrSelf(getInit());
  Block &body = getEpilogue().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (body.getNumArguments() != 1 + numMaps || !yield || yield.getValue().getType() != element ||
      !llvm::all_of(body.getArgumentTypes(), [&](Type type) { return type == element; }))
    return emitOpError() << "expected an epilogue that computes " << element << " from a sum and " << numMaps
                         << " elements of inputs";
  for (Operation &op : body.without_terminator())
    if (!isElementwise(op))
      return emitOpError() << "expected element-wise operations in the epilogue, but got '" << op.getName() << "'";
  ArrayRef<int64_t> result = shapeOf(getInit());
  unsigned rank = getNumSpatialDims() + 2;
  for (auto [input, attribute] : llvm::zip_equal(getInputs(), getInputMaps())) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    if (map.getNumDims() != rank || int64_t(map.getNumResults()) != cast<ShapedType>(input.getType()).getRank() ||
        !isIndexedByChannel(map))
      return emitOpError() << "expected an input to be indexed by the channel, and by other dims of the result or 0, "
                              "but got "
                           << attribute;
    for (auto [size, expr] : llvm::zip_equal(shapeOf(input), map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      int64_t wanted = dim ? result[dim.getPosition()] : 1;
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(wanted) && size < wanted)
        return emitOpError() << "expected an input with the elements that its map names, but got " << input.getType();
    }
  }
  return success();
}
