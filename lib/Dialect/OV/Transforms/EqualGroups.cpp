// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EqualGroups.cpp - Chains of equal groups of ops --------------------===//
//
// A walk from the results gives each op a place, and a hash of what it does. Equal groups in a chain are a stretch in
// which the hashes repeat. Its period is the distance between equal windows of hashes.
//
//===----------------------------------------------------------------------===//

#include "EqualGroups.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Transforms/RegionUtils.h"

#include <unordered_map>

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

/// The ops of `block`, but for constants, that must come before `op`: those that compute its operands, what its regions
/// capture, and the last one before it that may fault or has another effect, if `op` has one too.
static SmallVector<Operation *> findNeeded(Operation *op, Block &block, Operation *effectBefore) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  SmallVector<Operation *> needed;
  for (Value value : values)
    if (Operation *source = value.getDefiningOp(); source && source->getBlock() == &block)
      if (!source->hasTrait<OpTrait::ConstantLike>())
        needed.push_back(source);
  if (effectBefore)
    needed.push_back(effectBefore);
  return needed;
}

OpOrder::OpOrder(Block &block) {
  llvm::DenseMap<Operation *, Operation *> effects;
  Operation *last = nullptr;
  for (Operation &op : block)
    if (!isMemoryEffectFree(&op)) {
      effects[&op] = last;
      last = &op;
    }
  // The number of ops on the longest way to each op. A walk that takes the longest way first comes to the first group
  // of a chain, and finishes what only one group needs within that group.
  llvm::DenseMap<Operation *, unsigned> depths;
  for (Operation &op : block) {
    unsigned depth = 0;
    for (Operation *needed : findNeeded(&op, block, effects.lookup(&op)))
      depth = std::max(depth, depths.lookup(needed) + 1);
    depths[&op] = depth;
  }
  auto findByDepth = [&](Operation *op) {
    SmallVector<Operation *> needed = findNeeded(op, block, effects.lookup(op));
    SmallVector<std::pair<unsigned, unsigned>> ranks;
    for (auto [i, source] : llvm::enumerate(needed))
      ranks.emplace_back(~depths.lookup(source), i);
    llvm::sort(ranks);
    return llvm::map_to_vector(ranks, [&](auto rank) { return needed[rank.second]; });
  };
  // An entry of the stack: an op, what it needs, and how much of that was visited.
  struct Entry {
    Operation *op;
    SmallVector<Operation *> needed;
    size_t next = 0;
  };
  SmallVector<Entry> stack;
  llvm::DenseSet<Operation *> seen;
  auto visit = [&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || !seen.insert(op).second)
      return;
    stack.push_back({op, findByDepth(op)});
    while (!stack.empty()) {
      Entry &entry = stack.back();
      if (entry.next == entry.needed.size()) {
        Operation *done = entry.op;
        stack.pop_back();
        places[done] = ops.size();
        ops.push_back(done);
        // A reshape for a reader of all groups belongs to the group of what it reshapes.
        for (Operation *user : done->getUsers())
          if (isa<UnsqueezeOp, ReshapeOp>(user) && isMemoryEffectFree(user) && user->getBlock() == &block &&
              findNeeded(user, block, nullptr) == SmallVector<Operation *>{done} && seen.insert(user).second) {
            places[user] = ops.size();
            ops.push_back(user);
          }
        continue;
      }
      Operation *needed = entry.needed[entry.next++];
      if (seen.insert(needed).second)
        stack.push_back({needed, findByDepth(needed)});
    }
  };
  for (Operation *needed : findByDepth(block.getTerminator()))
    visit(needed);
  for (Operation &op : block.without_terminator())
    visit(&op);
}

//===----------------------------------------------------------------------===//
// Stretches
//===----------------------------------------------------------------------===//

bool recur::ov::isSameOp(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::ignoreValueEquivalence, nullptr,
                                              OperationEquivalence::IgnoreLocations) &&
         llvm::equal(a->getOperandTypes(), b->getOperandTypes());
}

/// True if an op may become one of a body: it has no body of its own, and no effect but a fault.
static bool mayRepeat(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::all_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == FaultResource::get();
  });
}

/// A hash of what each op does, without its operands. An op that may not repeat has a hash of its own.
static SmallVector<uint64_t> hashOps(const OpOrder &order) {
  SmallVector<uint64_t> hashes;
  for (auto [place, op] : llvm::enumerate(order.ops)) {
    if (!mayRepeat(op)) {
      hashes.push_back(llvm::hash_combine(place, "not repeated"));
      continue;
    }
    llvm::hash_code hash =
        OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                          OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
    for (Type type : op->getOperandTypes())
      hash = llvm::hash_combine(hash, type);
    hashes.push_back(hash);
  }
  return hashes;
}

/// Distances between equal windows of hashes that are so frequent that they may be periods, in ascending order.
static SmallVector<unsigned> findPeriods(ArrayRef<uint64_t> hashes) {
  constexpr uint64_t kBase = 0x9e3779b97f4a7c15;
  constexpr size_t kMostPeriods = 16;
  unsigned size = hashes.size();
  SmallVector<uint64_t> prefix(size + 1, 0);
  for (unsigned i = 0; i != size; ++i)
    prefix[i + 1] = prefix[i] * kBase + hashes[i];
  llvm::DenseMap<unsigned, unsigned> most;
  uint64_t power = kBase;
  // A window of at least a period finds the period. A shorter one may find a repetition within it.
  for (unsigned window = 1; window <= size / kLeastGroups; window *= 2, power *= power) {
    llvm::DenseMap<unsigned, unsigned> counts;
    std::unordered_map<uint64_t, unsigned> last;
    for (unsigned i = 0; i + window <= size; ++i) {
      auto [known, isNew] = last.try_emplace(prefix[i + window] - prefix[i] * power, i);
      if (isNew)
        continue;
      ++counts[i - known->second];
      known->second = i;
    }
    for (auto [distance, count] : counts)
      if (window <= 4 * distance && count >= uint64_t(kLeastGroups - 5) * distance)
        most[distance] = std::max(most.lookup(distance), count);
  }
  SmallVector<std::pair<unsigned, unsigned>> byCount;
  for (auto [distance, count] : most)
    byCount.emplace_back(count, distance);
  llvm::sort(byCount, std::greater<>());
  byCount.truncate(std::min(byCount.size(), kMostPeriods));
  SmallVector<unsigned> periods;
  for (auto [count, distance] : byCount)
    periods.push_back(distance);
  llvm::sort(periods);
  return periods;
}

SmallVector<EqualGroups> recur::ov::findStretches(const OpOrder &order) {
  SmallVector<uint64_t> hashes = hashOps(order);
  SmallVector<EqualGroups> found;
  auto add = [&](unsigned begin, unsigned end, unsigned period) {
    if (end - begin < kLeastGroups * period)
      return;
    // The same stretch has each multiple of its period as a period too.
    bool isKnown = llvm::any_of(found, [&](const EqualGroups &other) {
      unsigned otherEnd = other.first + other.period * (other.count + 1);
      return period % other.period == 0 && other.first <= begin && end <= otherEnd;
    });
    if (!isKnown)
      found.push_back({begin, period, (end - begin) / period});
  };
  for (unsigned period : findPeriods(hashes)) {
    unsigned begin = 0;
    for (unsigned i = period; i < hashes.size(); ++i)
      if (hashes[i] != hashes[i - period]) {
        add(begin, i, period);
        begin = i - period + 1;
      }
    add(begin, hashes.size(), period);
  }
  auto getRank = [](const EqualGroups &groups) {
    return std::make_tuple(-int64_t(groups.count) * groups.period, groups.period, groups.first);
  };
  llvm::sort(found, [&](const EqualGroups &a, const EqualGroups &b) { return getRank(a) < getRank(b); });
  return found;
}
