// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - Lowering of convolutions -------------------------===//
//
// A convolution is lowered to a matrix product. The left matrix has the filters, [O, I*kernel]. The right matrix,
// [I*kernel, spatial], has in each column the elements that one position of the result reads. These are copied together
// first (im2col). The product is scheduled and vectorized like any other, along the positions.
//
// Names of dims: N is the batch, G the groups, O and I the output and input channels of a group, K the elements of a
// filter (I * kernel), and S the positions of the result.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Padding.h"
#include "Reducing.h"
#include "Reshaping.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

namespace {
/// Lowers one Convolution or GroupConvolution. A Convolution has one group.
template <typename Op>
class ConvolutionLowering {
public:
  ConvolutionLowering(LoweringBuilder &b, Op op, typename Op::Adaptor adaptor)
      : b(b), op(op), element(op.getType().getElementType()), data(adaptor.getData()), filters(adaptor.getFilters()),
        spatial(rankOf(data) - 2) {}

  Value lower();

private:
  static constexpr bool hasGroups = std::is_same_v<Op, GroupConvolutionOp>;
  /// The window along one spatial dim: the pads, the size of the kernel, and the number of positions.
  struct Window {
    OpFoldResult padBegin, padEnd, kernel, places;
  };

  Value times(OpFoldResult x, OpFoldResult y) { return b.createOrFold<arith::MulIOp>(toValue(b, x), toValue(b, y)); }
  /// Checks that the channels of the data are those of the filters times the groups, and sets N, G, O and I.
  void checkChannels();
  /// Computes the window of spatial dim `i`. Checks that the kernel fits, unless the pads are computed such that it
  /// does (SAME_UPPER and SAME_LOWER).
  Window planWindow(int64_t i);
  /// Copies what each position reads: [N, G, I, padded...] becomes [N, G, I, kernel..., places...].
  Value copyWindows(Value padded);
  /// The product for all groups and batches.
  Value multiplyAll(Value matrices, Value windows);

  LoweringBuilder &b;
  Op op;
  Type element;
  Value data, filters;
  int64_t spatial;
  /// N, G, O and I.
  OpFoldResult batch, groups, outputs, inputs;
  SmallVector<Window> windows;
};

template <typename Op>
struct LowerConvolution final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = ConvolutionLowering<Op>(b, op, adaptor).lower();
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(op.getType())));
    return success();
  }
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
  return contract(b, matrices, columns, element, {batch, groups, outputs, getDimOrAttr(b, columns, 3)}, maps);
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
  auto range = [](int64_t from, int64_t to) {
    ReassociationIndices dims;
    llvm::append_range(dims, llvm::seq<int64_t>(from, to));
    return dims;
  };
  auto collapse = [&](Value tensor, ArrayRef<ReassociationIndices> groups) -> Value {
    if (static_cast<int64_t>(groups.size()) == rankOf(tensor))
      return tensor;
    return tensor::CollapseShapeOp::create(b, tensor, groups);
  };
  Value columns = isPadded ? padWith(b, data, zeroOf(b, elementOf(data)), before, behind) : data;
  // Splits the channels by groups: [N, G * I, spatial...] becomes [N, G, I, spatial...].
  SmallVector<OpFoldResult> grouped{batch, groups, inputs};
  for (int64_t i = 0; i != spatial; ++i)
    grouped.push_back(getDimOrAttr(b, columns, i + 2));
  SmallVector<ReassociationIndices> groupDims{range(0, 1), range(1, 3)};
  for (int64_t i = 0; i != spatial; ++i)
    groupDims.push_back(range(i + 3, i + 4));
  columns = getConstantIntValue(groups) || getConstantIntValue(inputs) ? expandShape(b, columns, groupDims, grouped)
                                                                       : reshapeTo(b, columns, columns, grouped);
  // If each position reads one element per channel, the data is the right matrix already.
  if (isPointwise)
    columns = collapse(columns, {range(0, 1), range(1, 2), range(2, 3), range(3, 3 + spatial)});
  else
    columns = collapse(copyWindows(columns),
                       {range(0, 1), range(1, 2), range(2, 3 + spatial), range(3 + spatial, 3 + 2 * spatial)});
  // The filters as matrices, [G, O, K].
  Value matrices = filters;
  if (!hasGroups)
    matrices = insertUnitDims(b, matrices, 0);
  matrices = collapse(matrices, {range(0, 1), range(1, 2), range(2, 3 + spatial)});
  Value result = multiplyAll(matrices, columns);
  // From [N, G, O, S] to [N, G * O, spatial...].
  result = collapse(result, {range(0, 1), range(1, 3), range(3, 4)});
  SmallVector<OpFoldResult> sizes{batch, getDimOrAttr(b, result, 1)};
  if (ShapedType::isDynamic(shapeOf(result)[1]))
    sizes[1] = toSize(b, times(groups, outputs));
  for (const Window &window : windows)
    sizes.push_back(window.places);
  return spatial == 1 ? result : reshapeTo(b, result, result, sizes);
}

void populateConvolutionPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerConvolution<ConvolutionOp>, LowerConvolution<GroupConvolutionOp>>(converter, patterns.getContext());
}

} // namespace recur::ov
