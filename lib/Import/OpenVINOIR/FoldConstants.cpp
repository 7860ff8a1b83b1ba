// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldConstants.cpp - What depends on constants alone ----------------===//
//
// Ops whose operands follow from constants form groups: those that are connected by values or share a constant. The
// interpreter computes a group, so the values are those that it defines. A group that would make the module larger,
// such as one with a broadcast, stays. Then each of its ops is tried alone, so that only what grows is left to the
// call.
//
// The importer computes small results, which become part of the module. A large result would make its text large, so
// the compiler computes it: its bytes follow those of the weights file in memory, and it is a constant as the others of
// the file are.
//
// Many ops fold a constant of the weights file by a step of its layout (WeightsAttr), and keep its stored width. Such
// an op counts as a constant here.
//
//===----------------------------------------------------------------------===//

#include "Recur/Import/FoldConstants.h"

#include "FoldShapes.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace recur;

/// The most bytes of a tensor that the importer computes, and of one that it reads, so that passes copy no megabytes.
/// The most steps of a product, so that the interpreter takes a fraction of a second.
static constexpr int64_t kMostBytes = 256 * 1024, kMostReadBytes = 4 * 1024 * 1024, kMostSteps = 16 * 1024 * 1024;

/// How many times the bytes of the weights file a tensor or a group may have, which is what four bits take as f32, and
/// all tensors together. So the time and the memory of the compiler stay linear in the size of the model.
static constexpr int64_t kMostTimes = 8, kMostTimesTotal = 32;

/// Offsets of results among the weights are multiples of this.
static constexpr int64_t kPlaceBytes = 64;

static int64_t countBytes(RankedTensorType type) {
  return type.getNumElements() * int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// True if all tensors have static shapes, and at most so many bytes.
static bool areSmall(TypeRange types, int64_t most) {
  return llvm::all_of(types, [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && countBytes(tensor) <= most;
  });
}

/// True if the op does nothing else than to compute its results, or to end the call with a fault. If the interpreter
/// finds no fault, there is none.
static bool mayOnlyFault(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
           return isa<ov::FaultResource>(effect.getResource());
         });
}

/// True if the interpreter computes the op in a number of steps that is near to that of the elements. Products,
/// convolutions and sequences, which read weights, must be small for this; a Gather only reads a table.
static bool isFast(Operation *op) {
  if (!isa<ov::WeightsOpInterface>(op) || isa<ov::GatherOp>(op))
    return true;
  auto countMost = [](TypeRange types) {
    int64_t most = 0;
    for (Type type : types)
      most = std::max(most, cast<RankedTensorType>(type).getNumElements());
    return most;
  };
  return countMost(op->getResultTypes()) * countMost(op->getOperandTypes()) <= kMostSteps;
}

/// True if a constant of the type is one of the weights (Weights.cpp).
static bool isLarge(RankedTensorType type) {
  return uint64_t(type.getNumElements()) * std::max<uint64_t>(countBytes(type.clone({1})), sizeof(float)) >
         ov::kMaxDenseBytes;
}

/// Appends the bytes of a constant to `extra`, which follows `weightsBytes` bytes of the weights file.
static ov::WeightsAttr store(RankedTensorType type, ArrayRef<char> bytes, size_t weightsBytes,
                             SmallVectorImpl<char> &extra) {
  extra.resize(llvm::alignTo(weightsBytes + extra.size(), kPlaceBytes) - weightsBytes);
  size_t offset = weightsBytes + extra.size();
  extra.append(bytes.begin(), bytes.end());
  return ov::WeightsAttr::get(offset, type);
}

namespace {
class ConstantFolder {
public:
  /// Results that are too large for the module are appended to `extra`, whose bytes follow those of `weights`. If it is
  /// null, they are not computed. `budget` has the bytes that may still be computed.
  ConstantFolder(Block &block, ArrayRef<char> weights, SmallVectorImpl<char> *extra, int64_t &budget)
      : block(block), weights(weights), extra(extra), budget(budget),
        mostBytes(extra ? std::max<int64_t>(kMostReadBytes, kMostTimes * weights.size()) : kMostBytes) {}
  void run();

private:
  using Group = llvm::SmallSetVector<Operation *, 8>;

  /// The constant that `value` is, or folds to.
  Attribute getConstant(Value value);
  /// True if the op can be computed, because all its operands are constants or are computed.
  bool isComputed(Operation *op);
  /// True if an op that is not in the group reads `result`.
  static bool isReadOutside(Value result, const Group &group) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) { return !group.contains(user); });
  }
  /// Adds the constants that the op reads, and the ops that fold them, to `sources`.
  void addSources(Operation *op, Group &sources);
  /// True if the constants that the group needs no more have as many bytes as its results.
  bool isNotLarger(const Group &group);
  /// Replaces what other ops read of a group by constants. Fails if the call would end with a fault.
  bool compute(const Group &group);

  Block &block;
  ArrayRef<char> weights;
  SmallVectorImpl<char> *extra;
  int64_t &budget;
  /// The most bytes of a tensor that is computed.
  int64_t mostBytes;
  /// The ops that can be computed.
  Group computed;
  /// The constants that results fold to.
  llvm::DenseMap<Value, Attribute> folded;
};
} // namespace

Attribute ConstantFolder::getConstant(Value value) {
  Operation *op = value.getDefiningOp();
  Attribute attr;
  if (!op || op->getBlock() != &block)
    return {};
  return matchPattern(op, m_Constant(&attr)) ? attr : folded.lookup(value);
}

bool ConstantFolder::isComputed(Operation *op) {
  if (!isa<ov::OVDialect>(op->getDialect()) || op->hasTrait<OpTrait::ConstantLike>() || op->getNumRegions() ||
      op->getNumOperands() == 0 || op->getNumResults() == 0 || !mayOnlyFault(op))
    return false;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getConstant(operand));
    if (!operands.back() && !computed.contains(operand.getDefiningOp()))
      return false;
  }
  SmallVector<OpFoldResult> results;
  if (llvm::all_of(operands, [](Attribute attr) { return bool(attr); }) && succeeded(op->fold(operands, results)) &&
      results.size() == op->getNumResults()) {
    SmallVector<Attribute> attrs;
    for (OpFoldResult result : results) {
      auto value = dyn_cast<Value>(result);
      attrs.push_back(value ? getConstant(value) : cast<Attribute>(result));
    }
    if (llvm::all_of(attrs, [](Attribute attr) { return bool(attr); })) {
      for (auto [value, attr] : llvm::zip_equal(op->getResults(), attrs))
        folded[value] = attr;
      return false;
    }
  }
  return areSmall(op->getResultTypes(), mostBytes) &&
         areSmall(op->getOperandTypes(), std::max(mostBytes, kMostReadBytes)) && isFast(op);
}

void ConstantFolder::addSources(Operation *op, Group &sources) {
  SmallVector<Operation *> pending{op};
  while (!pending.empty())
    for (Value operand : pending.pop_back_val()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && !computed.contains(source) && sources.insert(source))
        pending.push_back(source);
    }
}

bool ConstantFolder::isNotLarger(const Group &group) {
  Group sources;
  int64_t bytes = 0;
  for (Operation *op : group) {
    addSources(op, sources);
    for (Value result : op->getResults())
      if (isReadOutside(result, group))
        bytes += countBytes(cast<RankedTensorType>(result.getType()));
  }
  for (Operation *source : sources) {
    Attribute attr;
    if (!matchPattern(source, m_Constant(&attr)) || !llvm::all_of(source->getUsers(), [&](Operation *user) {
          return group.contains(user) || sources.contains(user);
        }))
      continue;
    auto reference = dyn_cast<ov::WeightsAttr>(attr);
    bytes -= countBytes(reference ? reference.getStored() : cast<RankedTensorType>(source->getResult(0).getType()));
  }
  return bytes <= 0;
}

bool ConstantFolder::compute(const Group &group) {
  SmallVector<Value> outputs;
  int64_t bytes = 0;
  for (Operation *op : group)
    for (Value result : op->getResults()) {
      bytes += countBytes(cast<RankedTensorType>(result.getType()));
      if (isReadOutside(result, group))
        outputs.push_back(result);
    }
  if (outputs.empty())
    return true;
  // The interpreter keeps all tensors of a group.
  if (bytes > budget || (group.size() > 1 && bytes > kMostTimes * std::max(mostBytes, kMostReadBytes)))
    return false;
  budget -= bytes;
  Group all;
  for (Operation *op : group)
    addSources(op, all);
  all.insert(group.begin(), group.end());
  SmallVector<Operation *> order(all.begin(), all.end());
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  // The outputs need no ops that nothing reads.
  Group needed;
  for (Operation *op : llvm::reverse(order))
    if (llvm::any_of(op->getResults(), [&](Value result) { return llvm::is_contained(outputs, result); }) ||
        llvm::any_of(op->getUsers(), [&](Operation *user) { return needed.contains(user); }))
      needed.insert(op);

  Location loc = group.front()->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto func = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, TypeRange(ValueRange(outputs))));
  builder.setInsertionPointToStart(func.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : llvm::reverse(needed))
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc,
                         llvm::map_to_vector(outputs, [&](Value value) { return mapping.lookup(value); }));
  InterpreterOptions limits;
  limits.maxBytes = std::max(mostBytes, kMostReadBytes);
  ModelRun run = interpret(*module, weights, {}, limits);
  if (run.status != RECUR_OK)
    return false;
  for (auto [value, tensor] : llvm::zip_equal(outputs, run.outputs)) {
    builder.setInsertionPointAfterValue(value);
    Type element = getElementTypeOrSelf(value.getType());
    auto type = RankedTensorType::get(tensor.getShape(), element);
    TypedAttr attr = extra && isLarge(type) ? TypedAttr(store(type, tensor.getBytes(), weights.size(), *extra))
                                            : ir::toAttribute(tensor, element);
    value.replaceAllUsesWith(ov::ConstantOp::create(builder, value.getLoc(), attr));
  }
  for (Operation *op : needed) {
    computed.remove(op);
    if (!op->use_empty())
      continue;
    for (Value result : op->getResults())
      folded.erase(result);
    op->erase();
  }
  return true;
}

void ConstantFolder::run() {
  for (Operation &op : block)
    if (isComputed(&op))
      computed.insert(&op);
  llvm::EquivalenceClasses<Operation *> connected;
  for (Operation *op : computed) {
    connected.insert(op);
    Group sources;
    addSources(op, sources);
    for (Operation *source : sources)
      connected.unionSets(op, source);
    for (Value operand : op->getOperands())
      connected.unionSets(op, operand.getDefiningOp());
  }
  llvm::MapVector<Operation *, Group> groups;
  for (Operation *op : computed)
    groups[connected.getLeaderValue(op)].insert(op);
  for (auto &[leader, group] : groups) {
    if (isNotLarger(group) && compute(group))
      continue;
    for (Operation *op : group) {
      Group alone;
      alone.insert(op);
      // The ops before it are constants now, or have stayed.
      computed.remove(op);
      bool hasConstants = llvm::all_of(op->getOperands(), [&](Value operand) { return bool(getConstant(operand)); });
      if (hasConstants && isNotLarger(alone))
        compute(alone);
    }
  }
}

/// Folds the constants of all blocks.
static void foldBlocks(ModuleOp module, ArrayRef<char> weights, SmallVectorImpl<char> *extra) {
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) { blocks.push_back(block); });
  int64_t budget = kMostTimesTotal * std::max<int64_t>(kMostReadBytes, weights.size());
  for (Block *block : blocks)
    ConstantFolder(*block, weights, extra, budget).run();
}

void recur::foldConstants(ModuleOp module, ArrayRef<char> weights) {
  foldBlocks(module, weights, /*extra=*/nullptr);
  bool refers = false;
  module.walk([&](ov::ConstantOp op) { refers |= isa<ov::WeightsAttr>(op.getValue()); });
  if (!refers)
    module->removeAttr(ov::kWeightsFileAttr);
}

SmallVector<char, 0> recur::foldLargeConstants(ModuleOp module, ArrayRef<char> weights) {
  SmallVector<char, 0> extra;
  foldBlocks(module, weights, &extra);
  // Passes treat the importer's results as the other weights, and new weights may replace them.
  llvm::DenseMap<Attribute, ov::WeightsAttr> stored;
  module.walk([&](ov::ConstantOp op) {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!dense || !type || dense.isSplat() || type.getElementTypeBitWidth() < 8 || !isLarge(type))
      return;
    // Passes look for shapes, axes and bounds in dense constants of integers.
    if (type.getElementType().isInteger() && type.getNumElements() <= ov::kMaxShapeElements)
      return;
    ov::WeightsAttr &attr = stored[dense];
    if (!attr)
      attr = store(type, dense.getRawData(), weights.size(), extra);
    op.setValueAttr(attr);
  });
  return extra;
}
