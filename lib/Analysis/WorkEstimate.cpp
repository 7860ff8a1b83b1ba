// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkEstimate.cpp - How much work an op is --------------------------===//
//
// Walks over an op and its regions, and adds up what each op costs, times the trip counts of the loops around it.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/WorkEstimate.h"

#include "Recur/Analysis/KernelParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;

/// The vector instructions of ops that are many, as a polynomial or a division.
static constexpr int64_t kFunctionCost = 16, kDivisionCost = 4;
/// The bits of a vector register. It is the same for all targets, so that all of them divide the same work.
static constexpr int64_t kRegisterBits = 512;
/// The bytes that a copy moves with one instruction, or in the time of one if they are not in L2.
static constexpr int64_t kBytesPerInstruction = 32, kFarBytesPerInstruction = 16;

/// The product and the sum of numbers that are not negative, or the greatest number if they overflow.
static int64_t multiplySaturating(int64_t x, int64_t y) {
  int64_t product;
  return llvm::MulOverflow(x, y, product) ? std::numeric_limits<int64_t>::max() : product;
}
static int64_t addSaturating(int64_t x, int64_t y) {
  int64_t sum;
  return llvm::AddOverflow(x, y, sum) ? std::numeric_limits<int64_t>::max() : sum;
}

bool recur::isSingleInstruction(Operation *op) {
  return isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
             math::CopySignOp, math::SqrtOp>(op);
}

int64_t recur::getCopyWork(Type element) {
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return std::max<int64_t>(1, bits * kWorkPerInstruction / 8 / kFarBytesPerInstruction);
}

OpFoldResult recur::getKnownDim(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(IndexType::get(buffer.getContext()), type.getDimSize(dim));
  Operation *view = buffer.getDefiningOp();
  if (auto cast = dyn_cast_if_present<memref::CastOp>(view))
    return isa<MemRefType>(cast.getSource().getType()) ? getKnownDim(cast.getSource(), dim) : OpFoldResult();
  if (auto reinterpreted = dyn_cast_if_present<memref::ReinterpretCastOp>(view))
    return reinterpreted.getMixedSizes()[dim];
  if (auto subview = dyn_cast_if_present<memref::SubViewOp>(view);
      subview && subview.getSourceType().getRank() == type.getRank())
    return subview.getMixedSizes()[dim];
  return {};
}

Value recur::buildTripCount(OpBuilder &builder, Location loc, OpFoldResult lower, OpFoldResult upper,
                            OpFoldResult step) {
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value length = builder.createOrFold<arith::SubIOp>(loc, toValue(upper), toValue(lower));
  return builder.createOrFold<arith::CeilDivUIOp>(loc, builder.createOrFold<arith::MaxSIOp>(loc, length, zero),
                                                  toValue(step));
}

WorkEstimate::WorkEstimate(Operation *op) : whole(op) {
  SmallVector<Range> ranges;
  add(op, 1, ranges);
}

bool WorkEstimate::isKnownBefore(OpFoldResult value) const {
  auto known = dyn_cast_if_present<Value>(value);
  return value && (!known || !whole->isAncestor(known.getParentBlock()->getParentOp()));
}

void WorkEstimate::multiply(const Range &range, int64_t &times, SmallVectorImpl<Range> &ranges) const {
  std::optional<int64_t> lower = getConstantIntValue(range.lower), upper = getConstantIntValue(range.upper),
                         step = getConstantIntValue(range.step);
  if (lower && upper && step) {
    int64_t count = *step > 0 && *upper > *lower ? llvm::divideCeil(uint64_t(*upper - *lower), uint64_t(*step)) : 0;
    times = multiplySaturating(times, count);
  } else if (isKnownBefore(range.lower) && isKnownBefore(range.upper) && isKnownBefore(range.step)) {
    ranges.push_back(range);
  }
}

void WorkEstimate::addTerm(int64_t cost, ArrayRef<Range> ranges) {
  for (Term &term : terms)
    if (ArrayRef(term.ranges) == ranges) {
      term.cost = addSaturating(term.cost, cost);
      return;
    }
  terms.push_back({cost, SmallVector<Range>(ranges)});
}

/// The vector registers of the greatest operand or result of `op`.
static int64_t countRegisters(Operation *op) {
  int64_t bits = 1;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type); vector && vector.getElementType().isIntOrFloat())
        bits = std::max<int64_t>(bits, vector.getNumElements() * vector.getElementTypeBitWidth());
  };
  add(op->getOperandTypes());
  add(op->getResultTypes());
  return llvm::divideCeil(bits, kRegisterBits);
}

/// The instructions of an op without regions for one register.
static int64_t getCost(Operation *op) {
  // A vector of several dims is taken apart into registers, which costs nothing.
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<ViewLikeOpInterface, vector::InsertOp, vector::ExtractOp>(op))
    return 0;
  // Index arithmetic is done once for many elements, or is a part of an address.
  if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex())
    return 0;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, math::SqrtOp, math::RsqrtOp>(
          op))
    return kDivisionCost;
  if ((isa<math::MathDialect>(op->getDialect()) && !isSingleInstruction(op)) || isa<arith::RemFOp>(op))
    return kFunctionCost;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (type && type.hasStaticShape() && type.getElementType().isIntOrFloat())
      return 1 + type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8) / kBytesPerInstruction;
    return kFunctionCost;
  }
  return 1;
}

void WorkEstimate::add(Operation *op, int64_t times, SmallVectorImpl<Range> &ranges) {
  size_t outer = ranges.size();
  Builder builder(op->getContext());
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    multiply({getAsOpFoldResult(loop.getLowerBound()), getAsOpFoldResult(loop.getUpperBound()),
              getAsOpFoldResult(loop.getStep())},
             times, ranges);
  } else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    // One of the cases runs.
    times = llvm::divideCeil(times, std::max<int64_t>(choice.getNumCases(), 1));
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    std::optional<KernelParts> parts = getKernelParts(call);
    if (parts)
      for (auto [operand, dim] : parts->sizes) {
        Value buffer = call.getOperand(operand);
        if (OpFoldResult known = getKnownDim(buffer, dim))
          multiply({builder.getIndexAttr(0), known, builder.getIndexAttr(1)}, times, ranges);
        else if (isKnownBefore(buffer))
          ranges.push_back({buffer, builder.getIndexAttr(dim), OpFoldResult()});
      }
    int64_t cost = parts ? parts->cost : kFunctionCost * kWorkPerInstruction;
    addTerm(multiplySaturating(times, cost), ranges);
  }
  if (!isa<func::CallOp>(op) && op->getNumRegions() == 0)
    if (int64_t cost = getCost(op) * countRegisters(op))
      addTerm(multiplySaturating(times, cost * kWorkPerInstruction), ranges);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      add(&inner, times, ranges);
  ranges.truncate(outer);
}

int64_t WorkEstimate::getTypical() const {
  int64_t sum = 0;
  for (const Term &term : terms) {
    int64_t product = term.cost;
    for (size_t i = 0; i < term.ranges.size(); ++i)
      product = multiplySaturating(product, kTypicalTripCount);
    sum = addSaturating(sum, product);
  }
  return sum;
}

Value WorkEstimate::build(OpBuilder &builder, Location loc) const {
  Value sum = arith::ConstantIndexOp::create(builder, loc, 0);
  for (const Term &term : terms) {
    Value product = arith::ConstantIndexOp::create(builder, loc, term.cost);
    for (const Range &range : term.ranges) {
      Value count = range.step ? buildTripCount(builder, loc, range.lower, range.upper, range.step)
                               : builder.createOrFold<memref::DimOp>(loc, cast<Value>(range.lower),
                                                                     *getConstantIntValue(range.upper));
      product = builder.createOrFold<arith::MulIOp>(loc, product, count);
    }
    sum = builder.createOrFold<arith::AddIOp>(loc, sum, product);
  }
  return sum;
}
