// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelWork.cpp - What a call of a model must do at least ------------===//
//
// Walks over linalg ops on tensors, and multiplies by the trip counts of the loops around them.
//
//===----------------------------------------------------------------------===//

#include "Recur/Benchmark/ModelWork.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace recur;

double ModelWork::countFlops() const {
  double sum = 0;
  for (const WorkPart &part : parts)
    sum += part.times * part.flops;
  return sum;
}

double ModelWork::countBytes() const {
  double sum = 0;
  for (const WorkPart &part : parts)
    sum += part.times * part.bytes;
  return sum;
}

double ModelWork::getSeconds(const MachineRoof &roof) const {
  double sum = 0;
  for (const WorkPart &part : parts) {
    const MemoryLevel &level = roof.findLevel(part.reused);
    sum += part.times * std::max(part.flops / level.flops, part.bytes / level.bandwidth);
  }
  return sum;
}

/// The bytes of a value of static shape; 0 for another one.
static double countBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || !shaped.getElementType().isIntOrFloat())
    return 0;
  return double(shaped.getNumElements()) * llvm::divideCeil(shaped.getElementTypeBitWidth(), 8);
}

/// The constant that a value is a view or a part of; null if it is another value.
static Operation *findConstant(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return isa<ShapedType>(value.getType()) ? op : nullptr;
    if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

/// The bytes of a constant as the file has it.
static double countStored(Operation *constant) {
  if (auto weights = dyn_cast_or_null<ov::WeightsAttr>(constant->getAttr("value")))
    return countBytes(weights.getStored());
  return countBytes(constant->getResult(0).getType());
}

/// The operations of an op on real numbers, for each element. A product that is added counts as two.
static double countOperations(Operation *op) {
  if (op->getNumResults() != 1 || !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return 0;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp>(op))
    return 1;
  return isa<math::FmaOp>(op) ? 2 : isa<math::MathDialect>(op->getDialect()) ? 1 : 0;
}

/// The part of the points of its loops for which a convolution multiplies. Along each dim of transformed filters, an
/// element has loops of 3 and of 4, and two positions share four products, or five if the stride is 2.
static double getShareOfPoints(rt::ConvolutionOp op) {
  double share = 1;
  for (auto [dim, stride] : llvm::enumerate(op.getStrides()))
    if (op.isTransformed(dim))
      share *= (stride == 1 ? 4 : 5) / 2.0 / (3 * 4);
  return share;
}

/// True for a loop of the model, and not one that an op became.
static bool isTimeLoop(Operation &op) {
  return llvm::any_of(op.getRegions(), [](Region &region) {
    return !region.empty() && !region.front().getOps<rt::IterationOp>().empty();
  });
}

namespace {
class Counter {
public:
  ModelWork work;

  /// Counts the ops of a region that runs `times` times. Returns the constants that it reads, with their bytes.
  using Constants = llvm::SmallDenseMap<Operation *, double>;
  Constants countRegion(Region &region, double times, double more = 0);
  /// Adds work of the innermost time loop.
  void add(WorkPart part);

private:
  void countOp(Operation &op, double times, Constants &constants);
  void countIf(Operation &op, double times, Constants &constants);
  void countLeaf(Operation &op, double times, Constants &constants);

  /// The innermost time loop around what is counted; -1 if there is none.
  int current = -1;
};
} // namespace

/// The number of iterations of a loop; nullopt if it is not known.
static std::optional<double> countIterations(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<llvm::APInt> count = loop.getStaticTripCount();
    return count ? std::optional<double>(count->getZExtValue()) : std::nullopt;
  }
  return isa<LoopLikeOpInterface>(op) ? std::nullopt : std::optional<double>(1);
}

void Counter::add(WorkPart part) {
  part.loop = current;
  work.isKnown &= part.isKnown;
  work.parts.push_back(part);
}

Counter::Constants Counter::countRegion(Region &region, double times, double more) {
  size_t first = work.parts.size();
  Constants constants;
  SmallVector<std::pair<size_t, size_t>> inner;
  for (Operation &op : region.getOps()) {
    size_t begin = work.parts.size();
    countOp(op, times, constants);
    if (isa<LoopLikeOpInterface>(op))
      inner.push_back({begin, work.parts.size()});
  }
  double sum = more;
  for (auto [constant, bytes] : constants)
    sum += bytes;
  for (size_t i = first; i < work.parts.size(); ++i)
    if (llvm::none_of(inner, [&](auto range) { return range.first <= i && i < range.second; }))
      work.parts[i].reused = sum;
  return constants;
}

/// Adds constants that were read elsewhere.
static void addConstants(const Counter::Constants &others, Counter::Constants &constants) {
  for (auto [constant, bytes] : others)
    constants[constant] = std::max(constants[constant], bytes);
}

void Counter::countIf(Operation &op, double times, Constants &constants) {
  Counter branches[2] = {*this, *this};
  Constants read[2];
  double flops[2];
  for (int i = 0; i < 2; ++i) {
    read[i] = branches[i].countRegion(op.getRegion(i), times);
    flops[i] = branches[i].work.countFlops();
  }
  int less = flops[1] < flops[0];
  bool isKnown = branches[0].work.isKnown && branches[1].work.isKnown;
  work = std::move(branches[less].work);
  work.isKnown = isKnown;
  addConstants(read[less], constants);
}

void Counter::countOp(Operation &op, double times, Constants &constants) {
  if (isa<linalg::LinalgOp, rt::ConvolutionOp>(op) || op.getNumRegions() == 0)
    return countLeaf(op, times, constants);
  if (isa<scf::IfOp>(op))
    return countIf(op, times, constants);
  std::optional<double> count = countIterations(op);
  int outer = current;
  if (isTimeLoop(op)) {
    current = work.loops.size();
    bool isKnown = count && (outer < 0 || work.loops[outer].isKnown);
    work.loops.push_back({op.getLoc(), times * count.value_or(1), isKnown});
    work.isKnown &= isKnown;
  } else if (!count || isa<scf::WhileOp>(op)) {
    return add({times, 0, 0, 0, current, /*isKnown=*/false});
  }
  for (Region &region : op.getRegions())
    addConstants(countRegion(region, times * count.value_or(1)), constants);
  current = outer;
}

void Counter::countLeaf(Operation &op, double times, Constants &constants) {
  WorkPart part{times, 0, 0, 0};
  auto countPoints = [&](ArrayRef<int64_t> sizes) {
    double points = 1;
    for (int64_t size : sizes) {
      part.isKnown &= !ShapedType::isDynamic(size);
      points *= ShapedType::isDynamic(size) ? 1 : double(size);
    }
    return points;
  };
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  auto convolution = dyn_cast<rt::ConvolutionOp>(op);
  if (linalgOp || convolution) {
    if (convolution)
      part.flops = 2 * countPoints(convolution.getLoopSizes()) * getShareOfPoints(convolution);
    // An epilogue is computed for each element of the result.
    double points = countPoints(linalgOp ? linalgOp.getStaticLoopRanges()
                                         : llvm::to_vector(convolution.getInit().getType().getShape()));
    for (Block &body : op.getRegion(0))
      for (Operation &inner : body.without_terminator())
        part.flops += points * countOperations(&inner);
    for (Value input : op.getOperands())
      if (Operation *constant = findConstant(input)) {
        double bytes = ::countBytes(input.getType());
        part.bytes += bytes;
        part.constants.push_back({constant->getAttr("value").getAsOpaquePointer(), bytes, countStored(constant)});
        constants[constant] = std::max(constants[constant], bytes);
      }
  } else if (double operations = countOperations(&op)) {
    auto shaped = dyn_cast<ShapedType>(op.getResult(0).getType());
    part.isKnown = !shaped || shaped.hasStaticShape();
    if (part.isKnown)
      part.flops = operations * (shaped ? double(shaped.getNumElements()) : 1);
  }
  if (part.flops || part.bytes || !part.isKnown)
    add(part);
}

ModelWork recur::countWork(ModuleOp module) {
  Counter counter;
  for (auto function : module.getOps<func::FuncOp>()) {
    double ends = 0;
    bool isKnown = true;
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
      auto shaped = dyn_cast<ShapedType>(type);
      isKnown &= !shaped || shaped.hasStaticShape();
      ends += ::countBytes(type);
    }
    size_t place = counter.work.parts.size();
    counter.work.isKnown &= isKnown;
    counter.add({1, 0, ends, 0});
    double reused = ends;
    for (auto [constant, bytes] : counter.countRegion(function.getBody(), 1, ends))
      reused += bytes;
    counter.work.parts[place].reused = reused;
  }
  return std::move(counter.work);
}
