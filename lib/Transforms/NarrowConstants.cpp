// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NarrowConstants.cpp - Widen constants where they are read ----------===//
//
// A constant that was shipped as f16, bf16 or integers stays so in the object. A convolution gets narrow filters. If
// other readers read each element many times, a call widens the constant once. Readers of a part, and element-wise
// ones, widen what they read.
//
//===----------------------------------------------------------------------===//

#include "NarrowWeights.h"
#include "PackedMatrix.h"

#include "Recur/Dialect/OV/IR/Dequantization.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_NARROWCONSTANTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// `value` times `factor`, at most kManyReads. A dynamic factor counts as many.
static int64_t multiply(int64_t value, int64_t factor) {
  return ShapedType::isDynamic(factor) ? kManyReads : std::min(value * std::min(factor, kManyReads), kManyReads);
}

/// How often `op` reads each element of the constant `operand`, at most kManyReads.
static int64_t countReads(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t reads = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop))
      reads = multiply(reads, range);
  return reads;
}

/// The same for the filters of a convolution, which each position reads.
static int64_t countReads(rt::ConvolutionOp op) {
  ArrayRef<int64_t> shape = op.getInit().getType().getShape();
  int64_t reads = multiply(1, shape.front());
  for (unsigned i = 0; i != op.getNumSpatialDims(); ++i)
    reads = multiply(reads, shape[op.getPlaceDim(i)]);
  return reads;
}

/// How often a call reads what `op` reads so often, with all loops around the op.
static int64_t countReadsOfCall(Operation *op, int64_t reads) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
    std::optional<APInt> trips = counted ? counted.getStaticTripCount() : std::nullopt;
    reads = multiply(reads, trips ? trips->getLimitedValue(kManyReads) : ShapedType::kDynamic);
  }
  return reads;
}

/// True if fusion will move an op that widens `operand` into `op`, which then reads each element once.
static bool willFuse(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return op.getNumReductionLoops() == 0 && map.isPermutation() && !op->getParentOfType<LoopLikeOpInterface>();
}

namespace {
/// A constant as it is stored: f16 or bf16, or integers with a zero point and a scale, each of which may be null.
struct Narrow {
  TypedAttr elements, zero, scale;
  QuantizedMatrix kind;
  bool wasRounded = false;

  ov::WeightsAttr getWeights() const { return cast<ov::WeightsAttr>(elements); }
  bool isInteger() const { return cast<RankedTensorType>(elements.getType()).getElementType().isInteger(); }
};

/// How the readers of a constant change.
enum class Form {
  /// The constant stays as it is.
  wide,
  /// The reader, a convolution, gets narrow filters.
  filters,
  /// The reader gets a tensor that the call widens before the reader's outermost loop.
  once,
  /// The reader gets a tensor that is widened just before, and fused.
  fused,
  /// The reader takes a part, which is widened after it.
  part,
};

struct NarrowConstants final : recur::impl::NarrowConstantsBase<NarrowConstants> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> reshapes;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        reshapes.push_back(op);
    });
    for (Operation *op : reshapes)
      foldReshape(rewriter, op);
    SmallVector<ov::ConstantOp> constants;
    getOperation().walk([&](ov::ConstantOp op) { constants.push_back(op); });
    for (ov::ConstantOp constant : constants) {
      auto weights = dyn_cast<ov::WeightsAttr>(constant.getValue());
      std::optional<Narrow> narrow = weights ? getNarrow(weights) : std::nullopt;
      if (!narrow || !mayStayNarrow(narrow->getWeights().getTensorType(), hasF16C))
        continue;
      auto reader =
          llvm::find_if(constant->getUses(), [&](OpOperand &use) { return getForm(use, *narrow) == Form::wide; });
      if (reader != constant->getUses().end()) {
        remarkMissed(constant.getLoc(), "rt-narrow-constants", "widened",
                     "expected readers of parts, or fused or frequent ones, of this constant of {0}, but got {1}",
                     narrow->getWeights().getTensorType().getElementType(), QuotedLayer{reader->getOwner()->getLoc()});
        continue;
      }
      remarkPassed(constant.getLoc(), "rt-narrow-constants", "narrow",
                   "the constant stays {0} in the object, and is widened where it is read",
                   narrow->getWeights().getTensorType().getElementType());
      makeNarrow(rewriter, constant, *narrow);
    }
  }

  /// The narrow form of a constant, with types that have no sign. Several elements along a dim may share a zero point
  /// or a scale only if all do.
  std::optional<Narrow> getNarrow(ov::WeightsAttr weights) {
    if (ov::WeightsAttr narrow = weights.getNarrow())
      return Narrow{narrow, {}, {}, {}, ov::wereRounded(weights)};
    std::optional<ov::Dequantization> integers = ov::getDequantization(weights);
    if (!integers)
      return std::nullopt;
    Narrow narrow{integers->elements, integers->zero, integers->scale, {}, ov::wereRounded(weights)};
    ArrayRef<int64_t> shape = integers->elements.getTensorType().getShape();
    for (TypedAttr *constant : {&narrow.elements, &narrow.zero, &narrow.scale}) {
      auto type = *constant ? cast<RankedTensorType>(constant->getType()) : RankedTensorType();
      if (type && llvm::any_of(llvm::zip_equal(type.getShape(), shape), [](auto dims) {
            return std::get<0>(dims) != 1 && std::get<0>(dims) != std::get<1>(dims);
          }))
        return std::nullopt;
      auto stored = dyn_cast_or_null<ov::WeightsAttr>(*constant);
      if (!stored)
        continue;
      Type element = type.getElementType();
      if (element.isInteger(8))
        (constant == &narrow.zero ? narrow.kind.zeroIsSigned : narrow.kind.isSigned) |= !element.isUnsignedInteger();
      if (element.isUnsignedInteger())
        *constant = stored.append(ov::BitcastStepAttr::get(&getContext(), IntegerType::get(&getContext(), 8)));
      if (element.isF16() && !hasF16C)
        *constant = stored.append(ov::ConvertStepAttr::get(&getContext(), Float32Type::get(&getContext())));
    }
    return narrow;
  }

  /// Replaces a constant under other dims by a constant with these dims.
  static void foldReshape(RewriterBase &rewriter, Operation *op) {
    auto constant = op->getOperand(0).getDefiningOp<ov::ConstantOp>();
    auto weights = constant ? dyn_cast<ov::WeightsAttr>(constant.getValue()) : ov::WeightsAttr();
    if (!weights)
      return;
    weights = weights.append(ov::ReshapeStepAttr::get(cast<RankedTensorType>(op->getResult(0).getType())));
    rewriter.setInsertionPoint(constant);
    rewriter.replaceOpWithNewOp<ov::ConstantOp>(op, weights.getType(), weights);
    if (constant->use_empty())
      rewriter.eraseOp(constant);
  }

  static Form getForm(OpOperand &use, const Narrow &narrow) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExtractSliceOp, tensor::ExtractOp>(user))
      return Form::part;
    auto isOftenRead = [&](int64_t reads) { return countReadsOfCall(user, reads) >= kManyReadsOfLoops; };
    if (auto convolution = dyn_cast<rt::ConvolutionOp>(user); convolution && use == convolution.getFiltersMutable()) {
      int64_t reads = countReads(convolution);
      // The vectors of integers of filters would be short, and the kernel for channels last reads f32.
      if (narrow.isInteger() && convolution.getChannelsFirst())
        return narrow.wasRounded ? Form::once : Form::wide;
      if (!convolution.getChannelsFirst())
        return narrow.wasRounded || isOftenRead(reads) ? Form::once : Form::wide;
      return narrow.wasRounded || reads >= kManyReads ? Form::filters : Form::wide;
    }
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op || !op.isDpsInput(&use))
      return Form::wide;
    return willFuse(op, use) ? Form::fused : isOftenRead(countReads(op, use)) ? Form::once : Form::wide;
  }

  /// Replaces the constant by a narrow one, whose elements are widened for each of its readers.
  static void makeNarrow(RewriterBase &rewriter, ov::ConstantOp constant, const Narrow &narrow) {
    ov::WeightsAttr weights = narrow.getWeights();
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      Operation *user = use.getOwner();
      Location loc = user->getLoc();
      Form form = getForm(use, narrow);
      bool isFlat = form == Form::filters || (form == Form::once && !narrow.isInteger());
      rewriter.setInsertionPoint(constant);
      Value elements = isFlat ? createFlat(rewriter, constant, weights, form == Form::filters ? 2 : 0)
                              : createConstant(rewriter, constant, narrow.elements);
      Value zero = createConstant(rewriter, constant, narrow.zero),
            scale = createConstant(rewriter, constant, narrow.scale);
      if (form == Form::part) {
        widenPart(rewriter, user, narrow.kind, elements, zero, scale);
        continue;
      }
      Operation *place = user;
      while (form == Form::once && !isa<FunctionOpInterface>(place->getParentOp()))
        place = place->getParentOp();
      rewriter.setInsertionPoint(place);
      Value wide = form == Form::filters ? elements : widenAny(rewriter, loc, narrow.kind, elements, zero, scale);
      if (isFlat)
        wide = unflatten(rewriter, loc, wide, weights.getTensorType().getShape());
      rewriter.modifyOpInPlace(user, [&] { use.set(wide); });
    }
    rewriter.eraseOp(constant);
  }

  /// Emits an op whose result has the elements, which may be integers, as f32.
  static Value widenAny(RewriterBase &rewriter, Location loc, const QuantizedMatrix &kind, Value elements, Value zero,
                        Value scale) {
    auto type = cast<RankedTensorType>(elements.getType());
    if (isa<FloatType>(type.getElementType()))
      return widen(rewriter, loc, elements);
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, elements), rewriter.getF32Type());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<AffineMap> maps{identity};
    SmallVector<Value> inputs{elements};
    for (Value factor : {zero, scale}) {
      if (!factor)
        continue;
      SmallVector<AffineExpr> exprs(identity.getResults());
      for (auto [expr, dim] : llvm::zip_equal(exprs, cast<RankedTensorType>(factor.getType()).getShape()))
        if (dim == 1)
          expr = rewriter.getAffineConstantExpr(0);
      maps.push_back(AffineMap::get(type.getRank(), 0, exprs, rewriter.getContext()));
      inputs.push_back(factor);
    }
    maps.push_back(identity);
    SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(rewriter, loc, empty.getType(), inputs, empty, maps, kinds,
                                     [&](OpBuilder &b, Location at, ValueRange args) {
                                       Value w =
                                           emitDequantization(b, at, kind, Value(), args[0], zero ? args[1] : Value(),
                                                              scale ? args[zero ? 2 : 1] : Value());
                                       linalg::YieldOp::create(b, at, w);
                                     })
        .getResult(0);
  }

  /// A constant, or null for a null value.
  static Value createConstant(RewriterBase &rewriter, ov::ConstantOp constant, TypedAttr value) {
    if (!value)
      return {};
    if (!isa<ov::WeightsAttr>(value))
      return arith::ConstantOp::create(rewriter, constant.getLoc(), value);
    return ov::ConstantOp::create(rewriter, constant.getLoc(), value.getType(), value);
  }

  /// A constant with the elements of `weights` whose first `leading` dims are one, and the others another one. So
  /// vectors that widen it run along many elements. Without leading dims, the constant has one dim.
  static Value createFlat(RewriterBase &rewriter, ov::ConstantOp constant, ov::WeightsAttr weights, unsigned leading) {
    RankedTensorType type = weights.getTensorType();
    SmallVector<int64_t> shape;
    if (leading != 0)
      shape.push_back(llvm::product_of(type.getShape().take_front(leading)));
    shape.push_back(llvm::product_of(type.getShape().drop_front(leading)));
    return createConstant(rewriter, constant, weights.append(ov::ReshapeStepAttr::get(type.clone(shape))));
  }

  /// Replaces a reader of an element or a slice.
  static void widenPart(RewriterBase &rewriter, Operation *user, const QuantizedMatrix &kind, Value elements,
                        Value zero, Value scale) {
    rewriter.setInsertionPoint(user);
    Value parts[3], wholes[] = {elements, zero, scale};
    for (auto [part, from] : llvm::zip_equal(parts, wholes))
      if (from)
        part = createPart(rewriter, user, from, cast<RankedTensorType>(elements.getType()).getShape());
    if (isa<tensor::ExtractSliceOp>(user))
      return rewriter.replaceOp(user, widenAny(rewriter, user->getLoc(), kind, parts[0], parts[1], parts[2]));
    Value wide = isa<FloatType>(parts[0].getType())
                     ? arith::ExtFOp::create(rewriter, user->getLoc(), user->getResult(0).getType(), parts[0])
                     : emitDequantization(rewriter, user->getLoc(), kind, Value(), parts[0], parts[1], parts[2]);
    rewriter.replaceOp(user, wide);
  }

  /// The part of `from` that belongs to what `user` takes of a constant of the dims `shape`. A dim of `from` may be 1
  /// instead.
  static Value createPart(RewriterBase &rewriter, Operation *user, Value from, ArrayRef<int64_t> shape) {
    ArrayRef<int64_t> own = cast<RankedTensorType>(from.getType()).getShape();
    Location loc = user->getLoc();
    auto isShared = [&](int64_t dim) { return own[dim] == 1 && shape[dim] != 1; };
    if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
      SmallVector<Value> indices(extract.getIndices());
      for (auto [dim, index] : llvm::enumerate(indices))
        if (isShared(dim))
          index = arith::ConstantIndexOp::create(rewriter, loc, 0);
      return tensor::ExtractOp::create(rewriter, loc, from, indices);
    }
    auto slice = cast<tensor::ExtractSliceOp>(user);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes(),
                              strides = slice.getMixedStrides();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<int64_t> kept;
    for (int64_t dim = 0, rank = own.size(); dim < rank; ++dim) {
      if (isShared(dim)) {
        offsets[dim] = rewriter.getIndexAttr(0);
        sizes[dim] = strides[dim] = rewriter.getIndexAttr(1);
      }
      if (!dropped.test(dim))
        kept.push_back(getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
    }
    auto type = RankedTensorType::get(kept, getElementTypeOrSelf(from));
    return tensor::ExtractSliceOp::create(rewriter, loc, type, from, offsets, sizes, strides);
  }
};
} // namespace
