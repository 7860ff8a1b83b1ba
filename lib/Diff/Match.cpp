// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Match.cpp - Which op of a module is which of another ---------------===//
//
// Each step pairs ops that no step before has paired. The steps that follow the structure run until they find nothing
// more: an op whose operands are paired tells what it is, and so does one whose user is paired.
//
//===----------------------------------------------------------------------===//

#include "Match.h"

#include "Recur/Dialect/OV/IR/LayerName.h"
#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace recur;
using namespace recur::diff;

static StringRef getName(DictionaryAttr attributes) {
  auto name = attributes ? attributes.getAs<StringAttr>(ov::kNameAttr) : StringAttr();
  return name ? name.getValue() : StringRef();
}

SmallVector<StringRef> recur::diff::getArgumentNames(func::FuncOp function) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    names.push_back(getName(function.getArgAttrDict(i)));
  return names;
}

SmallVector<StringRef> recur::diff::getResultNames(func::FuncOp function) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i != function.getNumResults(); ++i)
    names.push_back(getName(function.getResultAttrDict(i)));
  return names;
}

SmallVector<std::pair<unsigned, unsigned>> recur::diff::matchNames(ArrayRef<StringRef> before,
                                                                   ArrayRef<StringRef> after) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  SmallVector<bool> isTaken(after.size(), false), isPaired(before.size(), false);
  llvm::DenseMap<StringRef, unsigned> byName;
  for (auto [i, name] : llvm::enumerate(after))
    if (!name.empty())
      byName.try_emplace(name, i);
  for (auto [i, name] : llvm::enumerate(before)) {
    auto found = name.empty() ? byName.end() : byName.find(name);
    if (found == byName.end() || isTaken[found->second])
      continue;
    isTaken[found->second] = isPaired[i] = true;
    pairs.push_back({unsigned(i), found->second});
  }
  unsigned next = 0;
  for (unsigned i = 0; i != before.size(); ++i) {
    if (isPaired[i])
      continue;
    while (next != after.size() && isTaken[next])
      ++next;
    if (next == after.size())
      break;
    pairs.push_back({i, next++});
  }
  return pairs;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// A bound for the rounds of steps that follow the structure. Each round follows chains of any length, so a few find
/// all there is.
static constexpr unsigned kMostRounds = 64;

Matching::Matching(ModuleOp before, ModuleOp after) {
  for (auto function : before.getOps<func::FuncOp>()) {
    auto other = after.lookupSymbol<func::FuncOp>(function.getSymName());
    if (!other || function.isExternal() || other.isExternal())
      continue;
    ops[function] = other;
    ops[other] = function;
    Block &body = function.getBody().front(), &otherBody = other.getBody().front();
    matchValues(body.getArguments(), otherBody.getArguments(),
                matchNames(getArgumentNames(function), getArgumentNames(other)));
    results[body.getTerminator()] = matchNames(getResultNames(function), getResultNames(other));
    matchBlocks(body, otherBody);
  }
  size_t named = 0;
  bool found = true;
  for (unsigned round = 0; found && round != kMostRounds; ++round) {
    // `blocks` grows while ops with bodies are paired.
    for (; named != blocks.size(); ++named) {
      matchByName(blocks[named], /*sameOperation=*/true);
      matchByName(blocks[named], /*sameOperation=*/false);
    }
    found = false;
    for (bool sameAttributes : {true, false})
      for (size_t i = 0; i != blocks.size(); ++i)
        found |= matchByOperands(blocks[i], sameAttributes);
    for (size_t i = blocks.size(); i-- != 0;)
      found |= matchByUsers(blocks[i]);
    // The last resorts.
    for (size_t i = 0; !found && i != blocks.size(); ++i)
      found = matchByAttributes(blocks[i]) || matchOnly(blocks[i]);
    found |= named != blocks.size();
  }
}

void Matching::matchValues(ValueRange before, ValueRange after, ArrayRef<std::pair<unsigned, unsigned>> pairs) {
  for (auto [i, j] : pairs)
    values[before[i]] = after[j];
}

/// Pairs two ops, their results, and the arguments of their bodies. The ops in the bodies are paired later.
void Matching::match(Operation *before, Operation *after) {
  ops[before] = after;
  ops[after] = before;
  for (auto [a, b] : llvm::zip(before->getResults(), after->getResults()))
    values[a] = b;
  for (auto [a, b] : llvm::zip(before->getRegions(), after->getRegions()))
    for (auto [block, other] : llvm::zip(a, b)) {
      auto getNames = [](Block &block) {
        return llvm::map_to_vector(block.getArguments(), [](BlockArgument arg) { return getLayerName(arg.getLoc()); });
      };
      matchValues(block.getArguments(), other.getArguments(), matchNames(getNames(block), getNames(other)));
      matchBlocks(block, other);
    }
}

void Matching::matchBlocks(Block &before, Block &after) {
  blocks.push_back({&before, &after});
  blockPairs.insert({&before, &after});
  if (before.empty() || after.empty())
    return;
  Operation *end = &before.back(), *otherEnd = &after.back();
  if (end->hasTrait<OpTrait::IsTerminator>() && otherEnd->hasTrait<OpTrait::IsTerminator>()) {
    ops[end] = otherEnd;
    ops[otherEnd] = end;
  }
}

/// Pairs ops with the same layer name: with `sameOperation` those of the same operation, in order; else only if just
/// one op is left on each side, whose operation was changed.
void Matching::matchByName(BlockPair pair, bool sameOperation) {
  auto collect = [&](Block &block) {
    llvm::MapVector<std::pair<StringRef, StringRef>, SmallVector<Operation *, 1>> byName;
    for (Operation &op : block)
      if (StringRef name = getLayerName(op.getLoc()); !name.empty() && !lookup(&op))
        byName[{name, sameOperation ? op.getName().getStringRef() : ""}].push_back(&op);
    return byName;
  };
  auto before = collect(*pair.before), after = collect(*pair.after);
  for (auto &[key, own] : before) {
    auto *found = after.find(key);
    if (found == after.end() || (!sameOperation && (own.size() != 1 || found->second.size() != 1)))
      continue;
    for (auto [op, other] : llvm::zip(own, found->second))
      match(op, other);
  }
}

/// The attributes of an op without those that follow from its operands and results.
static DictionaryAttr getAttributes(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase("operandSegmentSizes");
  attributes.erase("resultSegmentSizes");
  return attributes.getDictionary(op->getContext());
}

namespace {
/// The things that ops must have in common to be paired by their operands.
struct OperandKey {
  OperationName name;
  SmallVector<Value, 4> operands;
  DictionaryAttr attributes;
  bool operator<(const OperandKey &other) const {
    auto order = [](const OperandKey &key) {
      return std::make_tuple(key.name.getAsOpaquePointer(), key.attributes.getAsOpaquePointer());
    };
    if (order(*this) != order(other))
      return order(*this) < order(other);
    return std::lexicographical_compare(
        operands.begin(), operands.end(), other.operands.begin(), other.operands.end(),
        [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); });
  }
};
} // namespace

/// Pairs ops of the same operation whose operands are paired. Returns true if there are any.
bool Matching::matchByOperands(BlockPair pair, bool sameAttributes) {
  auto getKey = [&](Operation &op, auto mapped) {
    OperandKey key{op.getName(), {}, sameAttributes ? getAttributes(&op) : DictionaryAttr()};
    for (Value operand : op.getOperands())
      key.operands.push_back(mapped(operand));
    return key;
  };
  std::map<OperandKey, SmallVector<Operation *, 1>> others;
  for (Operation &op : llvm::reverse(*pair.after))
    if (!lookup(&op) && op.getNumOperands() != 0)
      others[getKey(op, [](Value value) { return value; })].push_back(&op);
  bool any = false;
  for (Operation &op : *pair.before) {
    if (lookup(&op) || op.getNumOperands() == 0)
      continue;
    OperandKey key = getKey(op, [&](Value value) { return lookup(value); });
    if (llvm::is_contained(key.operands, Value()))
      continue;
    auto found = others.find(key);
    if (found == others.end() || found->second.empty())
      continue;
    match(&op, found->second.pop_back_val());
    any = true;
  }
  return any;
}

/// Pairs ops of the same operation that feed the same operand of paired users. Returns true if there are any.
bool Matching::matchByUsers(BlockPair pair) {
  bool any = false;
  auto matchOperands = [&](Value a, Value b) {
    Operation *op = a.getDefiningOp(), *other = b.getDefiningOp();
    if (!op || !other || lookup(op) || lookup(other) || op->getName() != other->getName())
      return;
    if (cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
      return;
    if (!blockPairs.contains({op->getBlock(), other->getBlock()}))
      return;
    match(op, other);
    any = true;
  };
  for (Operation &op : llvm::reverse(*pair.before)) {
    Operation *other = lookup(&op);
    // The operands of another operation mean something else.
    if (!other || op.getName() != other->getName())
      continue;
    if (auto named = results.find(&op); named != results.end()) {
      for (auto [i, j] : named->second)
        matchOperands(op.getOperand(i), other->getOperand(j));
      continue;
    }
    for (auto [a, b] : llvm::zip(op.getOperands(), other->getOperands()))
      matchOperands(a, b);
  }
  return any;
}

/// Pairs ops without operands, such as constants, that have the same attributes. Returns true if there are any.
bool Matching::matchByAttributes(BlockPair pair) {
  llvm::DenseMap<std::pair<OperationName, DictionaryAttr>, SmallVector<Operation *, 1>> others;
  for (Operation &op : llvm::reverse(*pair.after))
    if (!lookup(&op) && op.getNumOperands() == 0)
      others[{op.getName(), getAttributes(&op)}].push_back(&op);
  bool any = false;
  for (Operation &op : *pair.before) {
    if (lookup(&op) || op.getNumOperands() != 0)
      continue;
    auto found = others.find({op.getName(), getAttributes(&op)});
    if (found == others.end() || found->second.empty())
      continue;
    match(&op, found->second.pop_back_val());
    any = true;
  }
  return any;
}

/// Pairs the ops of an operation if just one is left on each side. Constants are alike only by their users. Returns
/// true if there are any pairs.
bool Matching::matchOnly(BlockPair pair) {
  using Ops = llvm::MapVector<OperationName, SmallVector<Operation *, 1>>;
  auto collect = [&](Block &block) {
    Ops left;
    for (Operation &op : block)
      if (!lookup(&op) && op.getNumOperands() != 0)
        left[op.getName()].push_back(&op);
    return left;
  };
  Ops before = collect(*pair.before), after = collect(*pair.after);
  bool any = false;
  for (auto &[name, own] : before) {
    auto *found = after.find(name);
    if (found == after.end() || own.size() != 1 || found->second.size() != 1)
      continue;
    match(own.front(), found->second.front());
    any = true;
  }
  return any;
}
