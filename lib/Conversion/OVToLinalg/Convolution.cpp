// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - Lowering of convolutions -------------------------===//
//
// A convolution whose filters are constants is lowered to one op, which reads the data where it lies. A kernel computes
// it, if kernels may be called. The filters are packed at compile time: R output channels, one tile, lie side by side.
//
// If a transpose of the result makes the channels the last dim (ov-channels-last), they are the last dim from the
// start: see ConvolutionLast.cpp.
//
// If the result has few positions, lanes run along the output channels: the elements that a position reads are a row of
// the left matrix, and the filters are the right matrix, which is packed at compile time.
//
// Any other convolution is lowered to a matrix product. The left matrix has the filters, [O, I*kernel]. The right
// matrix, [I*kernel, spatial], has in each column the elements that one position of the result reads. These are copied
// together first (im2col). The product is scheduled and vectorized like any other, along the positions.
//
// Names of dims: N is the batch, G the groups, O and I the output and input channels of a group, T and R the tiles of
// output channels and the channels of a tile, K the elements of a filter (I * kernel), and S the positions of the
// result.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLowering.h"
#include "Padding.h"
#include "Reducing.h"
#include "Reshaping.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

/// The most output channels in a tile of packed filters. A vector of the data is read once for all of them.
static constexpr int64_t kMostChannels = 8;
/// The time that a tile takes for its loads of the data, in channels.
static constexpr int64_t kCostOfLoads = 2;
/// The fewest positions, and the fewest multiplications, for which a convolution is left to the kernel.
static constexpr int64_t kLeastPlaces = 8, kLeastWork = 1 << 14;
/// The fewest output channels that make up for the transposed result, if they are lanes instead of the positions.
static constexpr int64_t kLeastLanes = 16;

using P = arith::CmpIPredicate;

namespace {
template <typename Op>
struct LowerConvolution final : OpConversionPattern<Op> {
  LowerConvolution(const TypeConverter &converter, MLIRContext *context, ConvolutionOptions options)
      : OpConversionPattern<Op>(converter, context), options(options) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = ConvolutionLowering<Op>(b, op, adaptor, options).lower();
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  ConvolutionOptions options;
};
} // namespace

template <typename Op>
void ConvolutionLowering<Op>::checkChannels() {
  batch = getDimOrAttr(b, data, 0);
  groups = hasGroups ? getDimOrAttr(b, filters, 0) : OpFoldResult(b.getIndexAttr(1));
  outputs = getDimOrAttr(b, filters, hasGroups);
  inputs = getDimOrAttr(b, filters, hasGroups + 1);
  Value wanted = times(groups, inputs), actual = getDim(b, data, 1);
  Value isRight = compare(b, P::eq, wanted, actual);
  if (matchPattern(isRight, m_One()))
    return;
  std::optional<int64_t> known = getConstantIntValue(wanted);
  CheckedDim checked = checkDim(b, isRight, "{0} channels do not fit filters of {1}", {actual, wanted}, actual,
                                known.value_or(ShapedType::kDynamic));
  data = guardDims(b, data, {{1, checked}});
  // The filters depend on the check too, because the bound of the contracted loop may come from them.
  int64_t channel = hasGroups + 1;
  filters = guardDims(b, filters, {{channel, {inputs, {}, checked.origin}}});
}

template <typename Op>
typename ConvolutionLowering<Op>::Window ConvolutionLowering<Op>::planWindow(int64_t i) {
  Value size = getDim(b, data, i + 2), zero = indexOf(b, 0), one = indexOf(b, 1);
  OpFoldResult kernel = getDimOrAttr(b, filters, i + 2 + hasGroups);
  Value stride = indexOf(b, op.getStrides()[i]), dilation = indexOf(b, op.getDilations()[i]);
  // The distance from the first to the last element that the window covers.
  Value reach = b.createOrFold<arith::MulIOp>(maxIndex(b, subIndex(b, toValue(b, kernel), one), zero), dilation);
  AutoPad autoPad = op.getAutoPad();
  if (autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower) {
    // There is one position per stride of the data. The pads are what the last window needs beyond the data. If their
    // sum is odd, the greater pad is at the end (SAME_UPPER) or at the beginning (SAME_LOWER).
    Value places = b.createOrFold<arith::DivUIOp>(addIndex(b, size, subIndex(b, stride, one)), stride);
    Value last = b.createOrFold<arith::MulIOp>(maxIndex(b, subIndex(b, places, one), zero), stride);
    Value total = maxIndex(b, subIndex(b, addIndex(b, addIndex(b, last, reach), one), size), zero);
    Value less = b.createOrFold<arith::DivUIOp>(total, indexOf(b, 2)), more = subIndex(b, total, less);
    bool isUpper = autoPad == AutoPad::SameUpper;
    return {toSize(b, isUpper ? less : more), toSize(b, isUpper ? more : less), kernel, toSize(b, places)};
  }
  bool isExplicit = autoPad == AutoPad::Explicit;
  Value padBegin = indexOf(b, isExplicit ? op.getPadsBegin()[i] : 0);
  Value padEnd = indexOf(b, isExplicit ? op.getPadsEnd()[i] : 0);
  Value padded = addIndex(b, addIndex(b, size, padBegin), padEnd);
  Value fits =
      b.createOrFold<arith::AndIOp>(compare(b, P::slt, reach, padded), compare(b, P::ne, toValue(b, kernel), zero));
  Value room = subIndex(b, subIndex(b, padded, reach), one);
  if (!matchPattern(fits, m_One()))
    room = check(b, fits, rt::FaultKind::Shape, "a kernel of {0} does not fit a padded dim of {1}",
                 {toValue(b, kernel), padded}, room)
               .front();
  Value places = addIndex(b, b.createOrFold<arith::DivUIOp>(room, stride), one);
  return {toSize(b, padBegin), toSize(b, padEnd), kernel, toSize(b, places)};
}

template <typename Op>
Value ConvolutionLowering<Op>::copyWindows(Value padded) {
  // Copies one element of the kernel at a time: a slice of the data with the strides of the convolution.
  SmallVector<OpFoldResult> sizes{batch, groups, inputs}, kernel, one(3, b.getIndexAttr(1));
  for (const Window &window : windows)
    kernel.push_back(window.kernel);
  llvm::append_range(sizes, kernel);
  for (const Window &window : windows)
    sizes.push_back(window.places);
  // `ivs` is a position in the kernel. The slice of the data that starts there goes to the slab of the result at this
  // position.
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    SmallVector<OpFoldResult> from(3, inner.getIndexAttr(0)), extents{batch, groups, inputs}, strides = one;
    SmallVector<OpFoldResult> to = from, slab = extents;
    SmallVector<int64_t> dropped;
    for (int64_t i = 0; i != spatial; ++i) {
      Value offset = inner.createOrFold<arith::MulIOp>(ivs[i], indexOf(inner, op.getDilations()[i]));
      from.push_back(toSize(inner, offset));
      extents.push_back(windows[i].places);
      strides.push_back(inner.getIndexAttr(op.getStrides()[i]));
      to.push_back(toSize(inner, ivs[i]));
      slab.push_back(inner.getIndexAttr(1));
      dropped.push_back(3 + i);
    }
    for (const Window &window : windows) {
      to.push_back(inner.getIndexAttr(0));
      slab.push_back(window.places);
    }
    auto type = RankedTensorType::get(staticShapeOf(extents), elementOf(padded));
    Value slice = sliceOf(inner, type, padded, from, extents, strides);
    return {insertDropping(inner, slice, carried.front(), to, slab, dropped)};
  };
  return loopNest(b, kernel, emptyOf(b, sizes, elementOf(padded)), body).front();
}

/// The product of [G, O, K] and [N, G, K, S] is [N, G, O, S].
template <typename Op>
Value ConvolutionLowering<Op>::multiplyAll(Value matrices, Value columns) {
  MLIRContext *context = b.getContext();
  auto dims = [&](ArrayRef<unsigned> list) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : list)
      exprs.push_back(getAffineDimExpr(dim, context));
    return AffineMap::get(5, 0, exprs, context);
  };
  SmallVector<AffineMap> maps{dims({1, 2, 4}), dims({0, 1, 4, 3}), dims({0, 1, 2, 3})};
  return contract(b, {matrices, columns}, element, {batch, groups, outputs, getDimOrAttr(b, columns, 3)}, maps);
}

template <typename Op>
bool ConvolutionLowering<Op>::hasFewPlaces() {
  int64_t places = 1;
  for (const Window &window : windows)
    places *= getConstantIntValue(window.places).value_or(kLeastPlaces);
  return places < kLeastPlaces && !hasGroups && isConstant() && *getConstantIntValue(outputs) >= kLeastLanes;
}

template <typename Op>
Value ConvolutionLowering<Op>::multiplyFewPlaces(Value padded) {
  // Copies what each position reads: [N, I, padded...] becomes [N, places..., I, kernel...].
  SmallVector<OpFoldResult> places, sizes{batch};
  for (const Window &window : windows)
    places.push_back(window.places);
  llvm::append_range(sizes, places);
  sizes.push_back(inputs);
  for (const Window &window : windows)
    sizes.push_back(window.kernel);
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    OpFoldResult zero = inner.getIndexAttr(0), one = inner.getIndexAttr(1);
    SmallVector<OpFoldResult> from{zero, zero}, extents{batch, inputs}, strides{one, one}, to{zero}, slab{batch};
    SmallVector<int64_t> dropped;
    for (int64_t i = 0; i != spatial; ++i) {
      from.push_back(toSize(inner, inner.createOrFold<arith::MulIOp>(ivs[i], indexOf(inner, op.getStrides()[i]))));
      extents.push_back(windows[i].kernel);
      strides.push_back(inner.getIndexAttr(op.getDilations()[i]));
      to.push_back(toSize(inner, ivs[i]));
      slab.push_back(one);
      dropped.push_back(1 + i);
    }
    to.append(spatial + 1, zero);
    slab.append(extents.begin() + 1, extents.end());
    auto type = RankedTensorType::get(staticShapeOf(extents), element);
    Value slice = sliceOf(inner, type, padded, from, extents, strides);
    return {insertDropping(inner, slice, carried.front(), to, slab, dropped)};
  };
  Value rows = loopNest(b, places, emptyOf(b, sizes, element), body).front();
  rows = mergeDims(b, rows, {0, 1, 1 + spatial});
  // A new constant, because only a constant is packed at compile time.
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  auto type = cast<RankedTensorType>(constant.getType());
  auto weights = cast<WeightsAttr>(constant.getValue());
  weights = weights.append(
      ReshapeStepAttr::get(type.clone({type.getDimSize(0), type.getNumElements() / type.getDimSize(0)})));
  Value matrix = ConstantOp::create(b, constant.getLoc(), weights.getType(), weights);
  auto map = [&](unsigned loops, ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(loops, dims, b.getContext());
  };
  OpFoldResult count = getDimOrAttr(b, rows, 1);
  Value product = contract(b, {rows, matrix}, element, {batch, count, outputs},
                           {map(4, {0, 1, 3}), map(4, {2, 3}), map(4, {0, 1, 2})},
                           options.inOrder ? -1 : *getConstantIntValue(outputs));
  // From [N, S, O] to [N, O, S].
  return generic(b, product, emptyOf(b, {batch, outputs, count}, element), {map(3, {0, 2, 1}), map(3, {0, 1, 2})},
                 SmallVector<IteratorType>(3, IteratorType::parallel),
                 [](LoweringBuilder &, ValueRange args) { return args.front(); });
}

template <typename Op>
bool ConvolutionLowering<Op>::isConstant() {
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  return constant && isa<WeightsAttr>(constant.getValue()) && (element.isF32() || element.isF64());
}

template <typename Op>
bool ConvolutionLowering<Op>::isSmallConstant() {
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  return constant && isa<DenseElementsAttr>(constant.getValue()) && (element.isF32() || element.isF64());
}

template <typename Op>
int64_t ConvolutionLowering<Op>::chooseTile() {
  if (!options.kernels || !(isConstant() || isSmallConstant()))
    return 0;
  // A step may have a smaller plane, for which these convolutions are products in any case.
  if (options.inOrder && (spatial == 3 || !isConstant()))
    return 0;
  // The kernel has no strides along the last two of three dims.
  if (spatial > 3 || (spatial == 3 && (op.getStrides()[1] != 1 || op.getStrides()[2] != 1)))
    return 0;
  int64_t perGroup = *getConstantIntValue(outputs);
  // A small convolution takes no longer than a call.
  int64_t work = 1;
  for (const Window &window : windows)
    work *= getConstantIntValue(window.places).value_or(kLeastWork);
  if (work < kLeastPlaces || work * cast<ShapedType>(op.getFilters().getType()).getNumElements() < kLeastWork)
    return 0;
  // The tile that costs least: each one takes the time of its channels, and of its loads of the data.
  int64_t best = 0, leastCost = std::numeric_limits<int64_t>::max();
  for (int64_t tile = std::min<int64_t>(perGroup, kMostChannels); tile > 0; --tile) {
    int64_t cost = llvm::divideCeil(perGroup, tile) * (tile + kCostOfLoads);
    if (cost < leastCost) {
      best = tile;
      leastCost = cost;
    }
  }
  return best;
}

template <typename Op>
Value ConvolutionLowering<Op>::packSmallFilters(RankedTensorType packed, DenseElementsAttr filters, bool inputsLast) {
  int64_t tiles = packed.getDimSize(1), tile = packed.getShape().back(), perGroup = *getConstantIntValue(outputs),
          channels = *getConstantIntValue(inputs),
          perChannel = packed.getNumElements() / (packed.getDimSize(0) * tiles * tile * channels);
  auto elements = llvm::to_vector(filters.getValues<Attribute>());
  SmallVector<Attribute> values(packed.getNumElements(), b.getZeroAttr(element));
  ArrayRef<int64_t> kernel = filters.getType().getShape().take_back(spatial);
  for (auto [i, value] : llvm::enumerate(elements)) {
    int64_t output = i / perChannel / channels, input = i / perChannel % channels, inKernel = i % perChannel;
    // Of three dims, the second one comes first.
    if (spatial == 3) {
      int64_t column = inKernel % kernel[2], row = inKernel / kernel[2] % kernel[1],
              depth = inKernel / kernel[2] / kernel[1];
      inKernel = (row * kernel[0] + depth) * kernel[2] + column;
    }
    int64_t group = output / perGroup, channel = output % perGroup;
    int64_t inTile = inputsLast ? inKernel * channels + input : input * perChannel + inKernel;
    values[((group * tiles + channel / tile) * perChannel * channels + inTile) * tile + channel % tile] = value;
  }
  return ConstantOp::create(b, op.getFilters().getLoc(), packed, DenseElementsAttr::get(packed, values));
}

template <typename Op>
Value ConvolutionLowering<Op>::packFilters(int64_t tile, bool inputsLast, bool isTransformed) {
  MLIRContext *context = b.getContext();
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  auto weights = dyn_cast<WeightsAttr>(constant.getValue());
  if (isTransformed)
    weights = weights.append(WinogradStepAttr::get(context, op.getStrides()));
  auto type = weights ? weights.getTensorType() : cast<RankedTensorType>(constant.getType());
  SmallVector<int64_t> kernel(type.getShape().take_back(spatial + 1));
  int64_t numGroups = *getConstantIntValue(groups), perGroup = *getConstantIntValue(outputs);
  int64_t perFilter = llvm::product_of(kernel);
  SmallVector<int64_t> shape{numGroups, int64_t(llvm::divideCeil(perGroup, tile))};
  if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    if (spatial == 3)
      std::swap(kernel[1], kernel[2]);
    if (inputsLast)
      std::rotate(kernel.begin(), kernel.begin() + 1, kernel.end());
    llvm::append_range(shape, kernel);
    shape.push_back(tile);
    return packSmallFilters(type.clone(shape), elements, inputsLast);
  }
  if (inputsLast && perFilter != kernel.front()) {
    int64_t channels = kernel.front(), perChannel = perFilter / channels;
    if (spatial == 3) {
      SmallVector<int64_t> split(kernel);
      split.insert(split.begin(), numGroups * perGroup);
      weights = weights.append(ReshapeStepAttr::get(type.clone(split)));
      weights = weights.append(TransposeStepAttr::get(context, {0, 3, 2, 4, 1}));
    } else {
      weights = weights.append(ReshapeStepAttr::get(type.clone({numGroups * perGroup, channels, perChannel})));
      weights = weights.append(TransposeStepAttr::get(context, {0, 2, 1}));
    }
  }
  if (!inputsLast && spatial == 3) {
    SmallVector<int64_t> split(kernel);
    split.insert(split.begin(), numGroups * perGroup);
    weights = weights.append(ReshapeStepAttr::get(type.clone(split)));
    weights = weights.append(TransposeStepAttr::get(context, {0, 1, 3, 2, 4}));
  }
  if (spatial == 3)
    std::swap(kernel[1], kernel[2]);
  if (inputsLast)
    std::rotate(kernel.begin(), kernel.begin() + 1, kernel.end());
  llvm::append_range(shape, kernel);
  shape.push_back(tile);
  auto reshape = [&](ArrayRef<int64_t> to) { weights = weights.append(ReshapeStepAttr::get(type.clone(to))); };
  auto transpose = [&](ArrayRef<int64_t> order) { weights = weights.append(TransposeStepAttr::get(context, order)); };
  // Tiles do not reach into the next group, so the last one of each group may have rows of zeros.
  bool isApart = numGroups > 1 && perGroup % tile != 0;
  reshape(isApart ? ArrayRef<int64_t>{numGroups, perGroup, perFilter}
                  : ArrayRef<int64_t>{numGroups * perGroup, perFilter});
  if (isApart) {
    transpose({0, 2, 1});
    reshape({numGroups * perFilter, perGroup});
  } else {
    transpose({1, 0});
  }
  weights = weights.append(PackStepAttr::get(context, tile));
  if (isApart) {
    reshape({shape[1], numGroups, perFilter, tile});
    transpose({1, 0, 2, 3});
  }
  reshape(shape);
  return ConstantOp::create(b, constant.getLoc(), weights.getType(), weights);
}

template <typename Op>
Value ConvolutionLowering<Op>::convolve(Value packed, Value padded) {
  SmallVector<OpFoldResult> sizes{batch, groups, outputs};
  for (const Window &window : windows)
    sizes.push_back(window.places);
  auto sums =
      rt::ConvolutionOp::create(b, packed, padded, emptyOf(b, sizes, element), op.getStrides(), op.getDilations());
  sums.setChannelsFirst(true);
  return sums.getResult();
}

template <typename Op>
Value ConvolutionLowering<Op>::lower() {
  checkChannels();
  SmallVector<OpFoldResult> before(2, b.getIndexAttr(0)), behind = before;
  bool isPadded = false, isPointwise = true;
  for (int64_t i = 0; i != spatial; ++i) {
    windows.push_back(planWindow(i));
    const Window &window = windows.back();
    before.push_back(window.padBegin);
    behind.push_back(window.padEnd);
    isPadded |= getConstantIntValue(window.padBegin) != 0 || getConstantIntValue(window.padEnd) != 0;
    isPointwise &= getConstantIntValue(window.kernel) == 1 && op.getStrides()[i] == 1;
  }
  isPointwise &= !isPadded;
  if (options.kernels && !options.inOrder && isLast())
    return lowerLast();
  Value columns = isPadded ? padWith(b, data, zeroOf(b, elementOf(data)), before, behind) : data;
  SmallVector<OpFoldResult> sizes{batch, toSize(b, times(groups, outputs))};
  for (const Window &window : windows)
    sizes.push_back(window.places);
  auto expandPlaces = [&](Value result) { return spatial == 1 ? result : reshapeTo(b, result, result, sizes); };
  if (hasFewPlaces())
    return expandPlaces(multiplyFewPlaces(columns));
  // Splits the channels by groups: [N, G * I, spatial...] becomes [N, G, I, spatial...].
  SmallVector<OpFoldResult> grouped{batch, groups, inputs};
  SmallVector<ReassociationIndices> groupDims{{0}, {1, 2}};
  for (int64_t i = 0; i != spatial; ++i) {
    grouped.push_back(getDimOrAttr(b, columns, i + 2));
    groupDims.push_back({i + 3});
  }
  columns = getConstantIntValue(groups) || getConstantIntValue(inputs) ? expandShape(b, columns, groupDims, grouped)
                                                                       : reshapeTo(b, columns, columns, grouped);
  if (int64_t tile = isPointwise ? 0 : chooseTile()) {
    // From [N, G, O, spatial...] to [N, G * O, spatial...].
    SmallVector<int64_t> starts{0, 1};
    llvm::append_range(starts, llvm::seq<int64_t>(3, 3 + spatial));
    return mergeDims(b, convolve(packFilters(tile), columns), starts);
  }
  // If each position reads one element per channel, the data is the right matrix already.
  if (isPointwise)
    columns = mergeDims(b, columns, {0, 1, 2, 3});
  else
    columns = mergeDims(b, copyWindows(columns), {0, 1, 2, 3 + spatial});
  // The filters as matrices, [G, O, K].
  Value matrices = hasGroups ? filters : insertUnitDims(b, filters, 0);
  Value result = multiplyAll(mergeDims(b, matrices, {0, 1, 2}), columns);
  // From [N, G, O, S] to [N, G * O, spatial...].
  return expandPlaces(mergeDims(b, result, {0, 1, 3}));
}

template bool ConvolutionLowering<ConvolutionOp>::isConstant();
template bool ConvolutionLowering<GroupConvolutionOp>::isConstant();
template Value ConvolutionLowering<ConvolutionOp>::packFilters(int64_t, bool, bool);
template Value ConvolutionLowering<GroupConvolutionOp>::packFilters(int64_t, bool, bool);

void populateConvolutionPatterns(const TypeConverter &converter, RewritePatternSet &patterns,
                                 ConvolutionOptions options) {
  patterns.add<LowerConvolution<ConvolutionOp>, LowerConvolution<GroupConvolutionOp>>(converter, patterns.getContext(),
                                                                                      options);
}

} // namespace recur::ov
