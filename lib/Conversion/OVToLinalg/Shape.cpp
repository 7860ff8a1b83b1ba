// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shape.cpp - Lowering of ops on shapes ------------------------------===//
//
// This file lowers Reshape, Squeeze, Unsqueeze and ShapeOf. Most of the file computes the target dims of a Reshape,
// which may be data of the program, and checks that they have as many elements as the input.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// Describes an entry of a shape by the dims of the tensors that the program asks for their shapes, and follows these
/// dims no further.
struct EntrySource final : ValueDims {
  MaybeDim getOfOp(OpResult, int64_t) override { return std::nullopt; }
};

/// An entry of the target shape. A size is not negative, so it is not a dim to infer.
struct TargetEntry {
  Value number;
  bool isSize = false;
};

/// Computes the dims of the result of a Reshape. `known` has the entries of the target shape that are static. An entry
/// of -1 is inferred from the others. With `specialZero`, an entry of 0 copies the dim of the input.
class ReshapePlanner {
public:
  /// `shape` is the target shape before its lowering, `target` the same behind it.
  ReshapePlanner(LoweringBuilder &b, Value data, Value shape, Value target, ArrayRef<int64_t> known, bool specialZero)
      : b(b), data(data), shape(shape), target(target), known(known), specialZero(specialZero) {}

  /// For a target whose entries are all known, if the op provably cannot fail.
  SmallVector<OpFoldResult> planSafe();
  /// For a target whose entries are provably sizes, but for one -1 at most. The data depends on an emitted check, which
  /// compares products. Nullopt for other targets.
  std::optional<SmallVector<OpFoldResult>> planProducts();
  /// For all other targets. The data and the returned sizes depend on an emitted check. It divides by the entries one
  /// by one, so no product of entries can overflow.
  SmallVector<OpFoldResult> planChecked();
  /// The data, which depends on the check after `planProducts` and `planChecked`.
  Value getData() const { return data; }

private:
  TargetEntry getEntry(int64_t i);

  LoweringBuilder &b;
  Value data, shape, target;
  ArrayRef<int64_t> known;
  bool specialZero;
  EntrySource source;
};
} // namespace

/// Entry `i` of the target shape. If it is a dim of a tensor, it is taken from there, so that the dim of the result is
/// known to be equal.
TargetEntry ReshapePlanner::getEntry(int64_t i) {
  DimSource::MaybeDim entry = source.getElement(shape, i);
  if (!entry || !source.exprs.isProvablySize(*entry))
    return {entryOf(b, target, known[i], i)};
  const DimExpressions::Expr &expr = source.exprs.get(*entry);
  if (expr.kind != DimKind::dim)
    return {entryOf(b, target, known[i], i), /*isSize=*/true};
  Value replacement = b.getReplacement(expr.value);
  return {getDim(b, replacement ? replacement : expr.value, expr.number), /*isSize=*/true};
}

SmallVector<OpFoldResult> ReshapePlanner::planSafe() {
  SmallVector<OpFoldResult> sizes(known.size());
  SmallVector<bool> copied(std::max<size_t>(rankOf(data), known.size()), false);
  std::optional<size_t> free;
  int64_t quotient = 1, divisor = 1;
  for (auto [i, entry] : llvm::enumerate(known)) {
    if (entry == 0 && specialZero) {
      copied[i] = true;
      sizes[i] = getDimOrAttr(b, data, i);
    } else if (entry == -1) {
      free = i;
    } else {
      divisor *= entry;
      sizes[i] = b.getIndexAttr(entry);
    }
  }
  if (!free)
    return sizes;
  // Static dims cancel out at compile time. So a dynamic dim that only moves keeps its value, and is known to be equal.
  Value product;
  for (int64_t i = 0, e = rankOf(data); i != e; ++i) {
    OpFoldResult size = getDimOrAttr(b, data, i);
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (copied[i])
      continue;
    if (constant)
      quotient *= *constant;
    else
      product = product ? arith::MulIOp::create(b, product, cast<Value>(size)).getResult() : cast<Value>(size);
  }
  quotient = divisor == 0 ? 0 : quotient / divisor;
  if (!product)
    sizes[*free] = b.getIndexAttr(quotient);
  else
    sizes[*free] = quotient == 1 ? product : arith::MulIOp::create(b, product, indexOf(b, quotient)).getResult();
  return sizes;
}

namespace {
/// A product of sizes. It may wrap; `approximate`, a product of f64, does not.
struct Product {
  explicit Product(LoweringBuilder &b) : b(b) {}

  void add(Value size) {
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      constant *= uint64_t(*known);
      approximateConstant *= double(*known);
      return;
    }
    Value number = arith::SIToFPOp::create(b, b.getF64Type(), toInt64(b, size));
    exact = exact ? arith::MulIOp::create(b, exact, size).getResult() : size;
    approximate = approximate ? arith::MulFOp::create(b, approximate, number).getResult() : number;
  }
  /// The product. The constants come last, so that products of the same dynamic sizes share theirs.
  Value get() {
    Value factor = indexOf(b, int64_t(constant));
    return exact ? b.createOrFold<arith::MulIOp>(exact, factor) : factor;
  }
  /// True if the product does not wrap: no tensor has 2^53 elements. A size of 0 behind an infinite product gives NaN,
  /// which is a right 0.
  Value fits() {
    double most = double(uint64_t(1) << 53) / std::max(approximateConstant, 1.0);
    if (!approximate)
      return constantOf(b, b.getI1Type(), APInt(1, approximateConstant <= double(uint64_t(1) << 53)));
    return compare(b, arith::CmpFPredicate::ULE, approximate, constantOf(b, b.getF64Type(), most));
  }

  LoweringBuilder &b;
  Value exact, approximate;
  uint64_t constant = 1;
  double approximateConstant = 1;
};
} // namespace

std::optional<SmallVector<OpFoldResult>> ReshapePlanner::planProducts() {
  using P = arith::CmpIPredicate;
  int64_t rank = rankOf(data);
  std::optional<int64_t> free;
  SmallVector<Value> sizes;
  SmallVector<bool> copied(std::max<size_t>(rank, known.size()), false);
  for (auto [i, size] : llvm::enumerate(known)) {
    bool isFree = size == -1;
    if (isFree && free)
      return std::nullopt;
    if (isFree)
      free = i;
    auto [entry, isSize] = ShapedType::isDynamic(size) ? getEntry(i) : TargetEntry{indexOf(b, size), size >= 0};
    if (!isFree && !isSize)
      return std::nullopt;
    // The dim of the input at the place of a special zero takes no part in the products.
    if (specialZero && !isFree && (ShapedType::isDynamic(size) || size == 0)) {
      if (int64_t(i) >= rank || (size != 0 && !isSameSize(b, entry, data, i)))
        return std::nullopt;
      copied[i] = true;
      entry = getDim(b, data, i);
    }
    sizes.push_back(entry);
  }
  Product elements(b), entries(b);
  for (int64_t i = 0; i != rank; ++i)
    if (!copied[i])
      elements.add(getDim(b, data, i));
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!copied[i] && free != int64_t(i))
      entries.add(size);
  auto both = [&](Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); };
  auto either = [&](Value x, Value y) { return b.createOrFold<arith::OrIOp>(x, y); };
  Value zero = indexOf(b, 0), total = elements.get(), product = entries.get(), fits = entries.fits();
  Value isRight;
  if (free) {
    // Only an empty input fits a product of 0 or one that wraps.
    Value isZero = compare(b, P::eq, product, zero), isEmpty = compare(b, P::eq, total, zero);
    Value divisor = selectValue(b, isZero, indexOf(b, 1), product);
    Value isWhole = compare(b, P::eq, b.createOrFold<arith::RemUIOp>(total, divisor), zero);
    Value isNotZero = compare(b, P::ne, product, zero);
    isRight = either(both(both(fits, isNotZero), isWhole), isEmpty);
    sizes[*free] = selectValue(b, isZero, zero, b.createOrFold<arith::DivUIOp>(total, divisor));
  } else {
    isRight = both(fits, compare(b, P::eq, total, product));
  }
  // Readers of the result depend on the check through the data and one size: tensor.reshape takes the data as it was.
  // The other sizes are those of tensors, whatever the check says.
  size_t carrier = free ? *free : llvm::find_if_not(sizes, getConstantIntValue) - sizes.begin();
  SmallVector<Value> guarded{zero};
  if (carrier != sizes.size())
    guarded.push_back(sizes[carrier]);
  ValueRange results =
      check(b, isRight, rt::FaultKind::Shape, "the target shape does not fit a tensor of {0} elements", total, guarded);
  for (int64_t i = 0; i != rank; ++i)
    if (ShapedType::isDynamic(shapeOf(data)[i])) {
      data = guardDims(b, data, {{i, {getDimOrAttr(b, data, i), {}, results[0]}}});
      break;
    }
  SmallVector<OpFoldResult> result;
  for (auto [i, size] : llvm::enumerate(sizes))
    result.push_back(toSize(b, i == carrier && !getConstantIntValue(size) ? results[1] : size));
  return result;
}

SmallVector<OpFoldResult> ReshapePlanner::planChecked() {
  using P = arith::CmpIPredicate;
  Value zero = indexOf(b, 0), one = indexOf(b, 1), minusOne = indexOf(b, -1);
  Value no = zeroOf(b, b.getI1Type()), yes = oneOf(b, b.getI1Type()), ok = yes;
  auto select = [&](Value condition, Value value, Value other) { return selectValue(b, condition, value, other); };
  auto both = [&](Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); };
  auto either = [&](Value x, Value y) { return b.createOrFold<arith::OrIOp>(x, y); };
  auto isNot = [&](Value x) { return b.createOrFold<arith::XOrIOp>(x, yes); };
  int64_t rank = rankOf(data), count = known.size();
  SmallVector<Value> entries, sizes, isFree;
  Value rest = one, free = no;
  for (int64_t i = 0; i != std::max(rank, count); ++i) {
    Value dim = i < rank ? getDim(b, data, i) : Value(), isCopied = no;
    if (i < count) {
      auto [entry, isSize] = getEntry(i);
      // The dim of the input at its place is copied, whether it is zero or not.
      if (specialZero)
        isCopied = dim && isSize && isSameSize(b, entry, data, i) ? yes : compare(b, P::eq, entry, zero);
      // A special zero beyond the rank of the input has no dim to copy.
      if (!dim)
        ok = both(ok, isNot(isCopied));
      isFree.push_back(isSize ? no : compare(b, P::eq, entry, minusOne));
      ok = both(ok, compare(b, P::sge, entry, isSize ? zero : minusOne));
      ok = both(ok, isNot(both(free, isFree.back())));
      free = either(free, isFree.back());
      sizes.push_back(dim ? select(isCopied, dim, entry) : entry);
      // Copied and inferred dims divide by 1, because they take no part in the division.
      entries.push_back(select(either(isCopied, isFree.back()), one, entry));
    }
    if (dim)
      rest = b.createOrFold<arith::MulIOp>(rest, select(isCopied, one, dim));
  }
  Value total = rest, isEmpty = no;
  for (Value entry : entries) {
    Value isZero = compare(b, P::eq, entry, zero);
    Value divisor = select(isZero, one, entry);
    ok = both(ok, compare(b, P::eq, b.createOrFold<arith::RemUIOp>(rest, divisor), zero));
    rest = b.createOrFold<arith::DivUIOp>(rest, divisor);
    isEmpty = either(isEmpty, isZero);
  }
  // A target with a 0 fits only an empty input. Otherwise all elements must be used up, unless one dim takes the rest.
  Value isRight = select(isEmpty, compare(b, P::eq, total, zero), either(free, compare(b, P::eq, rest, one)));
  Value inferred = select(isEmpty, zero, rest);
  // All sizes, and the dims of the data, pass through the check.
  SmallVector<Value> guarded{indexOf(b, 0)};
  for (auto [size, isInferred] : llvm::zip_equal(sizes, isFree)) {
    size = select(isInferred, inferred, size);
    guarded.push_back(size);
  }
  for (int64_t i = 0; i != rank; ++i)
    guarded.push_back(getDim(b, data, i));
  ValueRange results = check(b, both(ok, isRight), rt::FaultKind::Shape,
                             "the target shape does not fit a tensor of {0} elements", total, guarded);
  SmallVector<std::pair<int64_t, CheckedDim>> checked;
  for (int64_t i = 0; i != rank; ++i)
    checked.push_back({i, {results[1 + count + i], {}, results[0]}});
  data = guardDims(b, data, checked);
  SmallVector<OpFoldResult> result;
  for (auto [before, after] : llvm::zip_equal(sizes, results.slice(1, count))) {
    std::optional<int64_t> constant = getConstantIntValue(before);
    result.push_back(constant ? OpFoldResult(b.getIndexAttr(*constant)) : OpFoldResult(after));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Reshape to a target shape of static length.
struct LowerReshape final : OpConversionPattern<ReshapeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ReshapeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownSizes(op.getTargetShape());
    if (!known)
      return rewriter.notifyMatchFailure(op, "expected target_shape of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    ReshapePlanner planner(b, adaptor.getData(), op.getTargetShape(), adaptor.getTargetShape(), *known,
                           op.getSpecialZero());
    bool allKnown = llvm::none_of(*known, ShapedType::isDynamic);
    SmallVector<OpFoldResult> sizes;
    if (allKnown && !op.canFault())
      sizes = planner.planSafe();
    else if (std::optional<SmallVector<OpFoldResult>> products = planner.planProducts())
      sizes = std::move(*products);
    else
      sizes = planner.planChecked();
    Value result = reshapeTo(b, planner.getData(), adaptor.getData(), sizes);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// Squeeze. Dynamic dims at its axes are checked to be 1.
struct LowerSqueeze final : OpConversionPattern<SqueezeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(op.getData().getType().getShape(), op.getAxes());
    if (!axes)
      return rewriter.notifyMatchFailure(op, "expected constant axes");
    LoweringBuilder b(op.getLoc(), rewriter);
    SmallVector<int64_t> shape(shapeOf(adaptor.getData()));
    for (int64_t axis : *axes)
      shape[axis] = 1;
    Value data = castTo(b, adaptor.getData(), RankedTensorType::get(shape, elementOf(adaptor.getData())));
    Value result = dropUnitDims(b, data, *axes);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// Unsqueeze inserts unit dims at constant axes.
struct LowerUnsqueeze final : OpConversionPattern<UnsqueezeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(UnsqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(op.getAxes(), rank);
    if (!axes)
      return rewriter.notifyMatchFailure(op, "expected constant axes");
    llvm::sort(*axes);
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = insertUnitDims(b, adaptor.getData(), *axes);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// ShapeOf makes a vector of the dims, without reading the data.
struct LowerShapeOf final : OpConversionPattern<ShapeOfOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ShapeOfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> dims;
    for (int64_t i = 0, e = rankOf(adaptor.getData()); i != e; ++i)
      dims.push_back(
          b.createOrFold<arith::IndexCastOp>(op.getType().getElementType(), getDim(b, adaptor.getData(), i)));
    auto type = RankedTensorType::get(dims.size(), op.getType().getElementType());
    rewriter.replaceOp(op, castTo(b, tensor::FromElementsOp::create(b, type, dims), op.getType()));
    return success();
  }
};
} // namespace

void populateShapePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerReshape, LowerSqueeze, LowerUnsqueeze, LowerShapeOf>(converter, patterns.getContext());
}

} // namespace recur::ov
