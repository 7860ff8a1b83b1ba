// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HoistTimeParallel.cpp - Products for all iterations at once --------===//
//
// In a recurrent cell, the product of the input does not depend on the state, so it can be computed for all iterations
// at once. One large product reads the matrix once instead of in every iteration.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace recur::ov {
#define GEN_PASS_DEF_HOISTTIMEPARALLEL
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

namespace {
/// A product in the body of a loop that depends only on one part of a sliced input and on loop-invariant values.
/// `slice` is the number of that input, `whole` the type of the product of the whole input.
struct Candidate {
  MatMulOp product;
  unsigned slice;
  RankedTensorType whole;
};
} // namespace

/// True if the loop runs a number of iterations that is known before it.
static bool isCounted(TensorIteratorOp loop) { return true; }
static bool isCounted(LoopOp loop) { return loop.isConditionAlwaysTrue(); }

/// The bytes of the elements of a static type, or nullopt if they are too many.
static std::optional<int64_t> getBytes(RankedTensorType type) {
  return llvm::checkedMul<int64_t>(type.getNumElements(), llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// True if rt-hoist-products will compute the product of slice `i` for strips of iterations, and faster than for all at
/// once: a product of many rows by a large constant matrix of f32, whose result for one iteration is so large that a
/// strip has at most as many iterations as rows. `wholeBytes` are the bytes of the product of all iterations.
template <typename LoopT>
static bool isBestInStrips(LoopT loop, MatMulOp product, unsigned i, int64_t wholeBytes, int64_t stripBytes) {
  constexpr int64_t leastRows = 16;
  SliceInputAttr slice = loop.getSliceAt(i);
  auto result = cast<RankedTensorType>(product.getType());
  auto constant = product.getB().template getDefiningOp<ConstantOp>();
  auto weights = constant ? dyn_cast<WeightsAttr>(constant.getValue()) : WeightsAttr();
  // Products read integers as such.
  bool isF32 = weights && weights.getStored().getElementType().isF32() && result.getElementType().isF32() &&
               llvm::all_of(weights.getLayout(), llvm::IsaPred<ConvertStepAttr, TransposeStepAttr, ReshapeStepAttr>);
  if (!isCounted(loop) || !isF32 || slice.getPartSize() != 1 || std::abs(slice.getStride()) != 1)
    return false;
  auto a = cast<RankedTensorType>(product.getA().getType());
  int64_t rows = a.getDimSize(0), shared = a.getDimSize(1);
  SmallVector<int64_t> part(cast<RankedTensorType>(loop.getSliceArgs()[i].getType()).getShape());
  part.erase(part.begin() + slice.getAxis());
  // Two loops share the product of all iterations.
  if (rows < leastRows || !mayHavePairs(shared, weights.getTensorType().getNumElements()) ||
      ArrayRef(part) != a.getShape() || !loop.getSliced()[i].hasOneUse())
    return false;
  std::optional<int64_t> bytes = getBytes(result), matrixBytes = getBytes(weights.getTensorType());
  if (!bytes || !matrixBytes)
    return false;
  int64_t strip = std::max(stripBytes, *matrixBytes);
  return wholeBytes > strip && *bytes >= strip / rows;
}

/// Says in a remark why the product of a part of an input stays in the loop.
static std::nullopt_t refuse(MatMulOp product, const char *reason) {
  remarkMissed(product.getLoc(), "ov-hoist-time-parallel", "not-hoisted", "{0}", reason);
  return std::nullopt;
}

/// `product` as a candidate, or nullopt if it may fault, or if the product of all iterations takes too many bytes.
template <typename LoopT>
static std::optional<Candidate> match(LoopT loop, MatMulOp product, int64_t maxBytes, int64_t stripBytes) {
  auto result = cast<RankedTensorType>(product.getType());
  auto a = cast<RankedTensorType>(product.getA().getType()), b = cast<RankedTensorType>(product.getB().getType());
  auto source = dyn_cast<BlockArgument>(lookThroughReshapes(product.getA()));
  if (!source || source.getOwner() != loop.getBodyBlock() || product.getTransposeA() || a.getRank() != 2 ||
      b.getRank() != 2)
    return std::nullopt;
  for (auto [i, arg] : llvm::enumerate(loop.getSliceArgs())) {
    if (arg != source)
      continue;
    if (loop.getBody().isAncestor(product.getB().getParentRegion()))
      return refuse(product, "expected a matrix that the loop does not change");
    if (!result.hasStaticShape() || !a.hasStaticShape())
      return refuse(product, "expected static dims; rt-hoist-products takes products with others");
    auto part = cast<RankedTensorType>(arg.getType()), input = cast<RankedTensorType>(loop.getSliced()[i].getType());
    // The contracted dim must be the last dim of the part, and the loop must not slice it. Then each row of the product
    // is a row of the part, in the same order.
    if (!input.hasStaticShape())
      return refuse(product, "expected an input of static dims; rt-hoist-products takes products with others");
    if (part.getRank() < 2 || part.getShape().back() != a.getDimSize(1) ||
        loop.getSliceAt(i).getAxis() == part.getRank() - 1)
      return refuse(product, "expected the summed dim to be the last one of a part");
    SmallVector<int64_t> shape(input.getShape());
    shape.back() = result.getDimSize(1);
    RankedTensorType whole = result.clone(shape);
    std::optional<int64_t> bytes = getBytes(whole);
    if (!bytes || *bytes > maxBytes)
      return refuse(product, "expected a product of all iterations that takes less memory");
    if (isBestInStrips(loop, product, i, *bytes, stripBytes))
      return refuse(product,
                    "expected a smaller product; rt-hoist-products computes this one for strips of iterations");
    return Candidate{product, unsigned(i), whole};
  }
  return std::nullopt;
}

/// Creates a loop like `loop` with the sliced inputs `sliced`. The body is empty.
static TensorIteratorOp createWithSlices(TensorIteratorOp loop, RewriterBase &rewriter, ValueRange sliced,
                                         ArrayAttr slices) {
  return TensorIteratorOp::create(rewriter, loop.getLoc(), loop.getCarried().getTypes(), loop.getLast().getTypes(),
                                  loop.getConcatenated().getTypes(), sliced, loop.getInitArgs(), loop.getEmptyDims(),
                                  slices, loop.getConcats(), loop.getMayBeEmptyAttr());
}
static LoopOp createWithSlices(LoopOp loop, RewriterBase &rewriter, ValueRange sliced, ArrayAttr slices) {
  return LoopOp::create(rewriter, loop.getLoc(), loop.getCarried().getTypes(), loop.getLast().getTypes(),
                        loop.getConcatenated().getTypes(), loop.getTripCount(), loop.getCondition(), sliced,
                        loop.getInitArgs(), loop.getEmptyDims(), slices, loop.getConcats(), loop.getHasIndexAttr());
}

/// Hoists all candidates of a loop: computes each product for the whole input before the loop, and makes the result a
/// sliced input. Does not change the loop if there is no candidate.
template <typename LoopT>
static void hoist(LoopT loop, RewriterBase &rewriter, int64_t maxBytes, int64_t stripBytes) {
  SmallVector<Candidate> candidates;
  for (auto product : loop.getBodyBlock()->template getOps<MatMulOp>())
    if (std::optional<Candidate> candidate = match(loop, product, maxBytes, stripBytes))
      candidates.push_back(*candidate);
  if (candidates.empty())
    return;
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> sliced(loop.getSliced());
  SmallVector<Attribute> slices(loop.getSlices().begin(), loop.getSlices().end());
  for (const Candidate &candidate : candidates) {
    MatMulOp product = candidate.product;
    remarkPassed(product.getLoc(), "ov-hoist-time-parallel", "hoisted",
                 "the product of all iterations, of {0} elements, is computed before the loop",
                 JoinedSizes(candidate.whole.getShape()));
    sliced.push_back(MatMulOp::create(rewriter, product.getLoc(), candidate.whole, loop.getSliced()[candidate.slice],
                                      product.getB(), /*transpose_a=*/false, product.getTransposeB()));
    slices.push_back(loop.getSlices()[candidate.slice]);
  }
  unsigned firstNew = loop.getSliceArgs().empty() ? 0 : loop.getSliceArgs().back().getArgNumber() + 1;
  LoopT replacement = createWithSlices(loop, rewriter, sliced, rewriter.getArrayAttr(slices));
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = loop.getBodyBlock();
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    MatMulOp product = candidate.product;
    SmallVector<int64_t> shape(candidate.whole.getShape());
    shape[loop.getSliceAt(candidate.slice).getAxis()] = loop.getSliceAt(candidate.slice).getPartSize();
    BlockArgument part = body->insertArgument(firstNew + i, candidate.whole.clone(shape), product.getLoc());
    rewriter.setInsertionPoint(product);
    auto result = cast<RankedTensorType>(product.getType());
    auto target = RankedTensorType::get({result.getRank()}, rewriter.getI64Type());
    Value dims =
        ConstantOp::create(rewriter, product.getLoc(), target, DenseElementsAttr::get(target, result.getShape()));
    rewriter.replaceOpWithNewOp<ReshapeOp>(product, result, part, dims, /*special_zero=*/false);
  }
  rewriter.inlineRegionBefore(loop.getBody(), replacement.getBody(), replacement.getBody().end());
  rewriter.replaceOp(loop, replacement.getResults());
}

namespace {
struct HoistTimeParallel final : recur::ov::impl::HoistTimeParallelBase<HoistTimeParallel> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (isa<TensorIteratorOp, LoopOp>(op))
        loops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : loops) {
      if (auto loop = dyn_cast<LoopOp>(op))
        hoist(loop, rewriter, maxBytes, stripBytes);
      else
        hoist(cast<TensorIteratorOp>(op), rewriter, maxBytes, stripBytes);
    }
  }
};
} // namespace
