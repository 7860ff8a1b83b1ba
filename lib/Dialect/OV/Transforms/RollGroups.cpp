// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RollGroups.cpp - Chains of equal groups become loops ---------------===//
//
// Exporters unroll recurrences: each time step is a group of layers of its own. Such a chain becomes a loop again. What
// a group reads from the one before is a carried value, what differs from group to group is a sliced input, and what
// others read from the groups is a last value or a concatenation.
//
//===----------------------------------------------------------------------===//

#include "EqualGroups.h"
#include "Forms.h"
#include "PartSlices.h"
#include "RaiseLoops.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace recur::ov {
#define GEN_PASS_DEF_ROLLGROUPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

/// The fewest groups that are worth a loop if they neither read slices nor have concatenated results.
static constexpr unsigned kLeastGroupsWithoutTime = 16;

/// The most loops that the pass makes of a block.
static constexpr unsigned kMostLoops = 64;

//===----------------------------------------------------------------------===//
// Where operands come from
//===----------------------------------------------------------------------===//

namespace {
enum class Origin { Inside, Before, Outside };

/// Where an operand of a group comes from: an op of the same group, one of the group before, or any other value.
struct Source {
  Origin origin;
  unsigned place = 0, result = 0;
  bool operator==(const Source &other) const {
    return origin == other.origin && place == other.place && result == other.result;
  }
};

/// Groups that are equal, in an order of ops.
class Chain {
public:
  Chain(const OpOrder &order, EqualGroups groups) : order(order), groups(groups) {}

  unsigned getPeriod() const { return groups.period; }
  unsigned getCount() const { return groups.count; }
  Operation *getOp(unsigned group, unsigned place) const {
    return order.ops[groups.first + group * groups.period + place];
  }
  /// The group and the place of an op, or nullopt if it is in none.
  std::optional<std::pair<unsigned, unsigned>> find(Operation *op) const {
    auto known = order.places.find(op);
    if (known == order.places.end() || known->second < groups.first ||
        known->second >= groups.first + groups.period * groups.count)
      return std::nullopt;
    unsigned offset = known->second - groups.first;
    return std::make_pair(offset / groups.period, offset % groups.period);
  }
  /// Where an operand of an op in `group` comes from, or nullopt if that is a group long before.
  std::optional<Source> getSource(unsigned group, Value operand) const {
    auto result = dyn_cast<OpResult>(operand);
    auto found = result ? find(result.getOwner()) : std::nullopt;
    if (!found)
      return Source{Origin::Outside};
    if (found->first + 1 < group)
      return std::nullopt;
    return Source{found->first == group ? Origin::Inside : Origin::Before, found->second, result.getResultNumber()};
  }
  /// The sources of all operands of the groups but the first.
  SmallVector<SmallVector<Source>> sources;

  /// Keeps only groups that are equal in all, in what they read too. Fails if too few are left.
  LogicalResult trim() {
    EqualGroups all = groups;
    unsigned end = all.first + all.period * all.count;
    while (groups.first + kLeastGroups * groups.period <= end) {
      groups.count = (end - groups.first) / groups.period;
      unsigned equal = countEqual();
      if (equal >= kLeastGroups) {
        groups.count = equal;
        return success();
      }
      groups.first += std::max(1u, equal - 1) * groups.period;
    }
    return failure();
  }

private:
  /// The number of groups, from the first one on, that are equal. Sets `sources`.
  unsigned countEqual() {
    sources.assign(getPeriod(), {});
    for (unsigned place = 0; place != getPeriod(); ++place)
      for (Value operand : getOp(1, place)->getOperands()) {
        std::optional<Source> source = getSource(1, operand);
        if (!source)
          return 1;
        sources[place].push_back(*source);
      }
    for (unsigned group = 0; group != getCount(); ++group)
      for (unsigned place = 0; place != getPeriod(); ++place) {
        if (!isSameOp(getOp(0, place), getOp(group, place)))
          return std::max(1u, group);
        for (auto [operand, expected] : llvm::zip_equal(getOp(group, place)->getOperands(), sources[place])) {
          std::optional<Source> source = getSource(group, operand);
          // What the first group reads in place of a carried value is its initial value.
          bool isInitial = group == 0 && expected.origin == Origin::Before;
          if (!source || !(isInitial ? source->origin == Origin::Outside : *source == expected))
            return std::max(1u, group);
        }
      }
    return getCount();
  }

  const OpOrder &order;
  EqualGroups groups;
};

/// A carried value: the result of an op, and what the first iteration has instead.
struct Carried {
  unsigned place, result;
  Value initial;
};

/// A result of an op of the groups that others read.
struct Output {
  unsigned place, result;
  /// The concatenation of the values of all groups, in their order or the reverse one, if nothing else reads them.
  ConcatOp whole = {};
  unsigned firstOperand = 0;
  bool isReversed = false;
  /// True if only the value of the last group is read.
  bool isLast = false;
};

/// Turns a chain of groups into a loop.
class Roller {
public:
  Roller(RewriterBase &rewriter, Block &block, const OpOrder &order, const Chain &chain, bool rollsLayers)
      : rewriter(rewriter), block(block), order(order), chain(chain), rollsLayers(rollsLayers) {}

  /// Finds what the loop has to have. Changes nothing.
  LogicalResult plan();
  /// Makes the loop, and erases the groups.
  void build();

private:
  LogicalResult planOperands(unsigned place);
  LogicalResult planOutput(unsigned place, unsigned result);
  /// True if a result provably has the same dims in all groups, so that they make up a tensor.
  bool haveSameDims(unsigned place, unsigned result);
  SmallVector<Value> getOperands(unsigned place, unsigned operand) const {
    SmallVector<Value> values;
    for (unsigned group = 0; group != chain.getCount(); ++group)
      values.push_back(chain.getOp(group, place)->getOperand(operand));
    return values;
  }
  Value getResult(unsigned group, unsigned place, unsigned result) const {
    return chain.getOp(group, place)->getResult(result);
  }
  Value createAxes(Location loc, int64_t axis) {
    return raising::createInteger(rewriter, loc, RankedTensorType::get({1}, rewriter.getI64Type()), axis);
  }
  Value readSlice(const PartSlices &slices, Value part, Type type, Location loc);
  void replaceOutputs(Operation *loop, unsigned firstLast, unsigned firstConcat);

  RewriterBase &rewriter;
  Block &block;
  const OpOrder &order;
  const Chain &chain;
  const bool rollsLayers;
  ValueDims dims;

  SmallVector<PartSlices> slices;
  /// The slices that ops of a group are themselves, by their places.
  llvm::DenseMap<unsigned, unsigned> slicesOfOps;
  /// The slices that operands are, by the place of the op and the number of the operand.
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> slicesOfOperands;
  SmallVector<Carried> carried;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> carriedOfOperands;
  SmallVector<Output> outputs;
};
} // namespace

LogicalResult Roller::planOperands(unsigned place) {
  Operation *op = chain.getOp(0, place);
  // An op that takes a part of a tensor is a slice itself.
  if (isa<GatherOp, SliceOp, StridedSliceOp>(op) && chain.sources[place].front().origin == Origin::Outside) {
    SmallVector<Value> values;
    for (unsigned group = 0; group != chain.getCount(); ++group)
      values.push_back(getResult(group, place, 0));
    if (std::optional<PartSlices> found = findSlices(values)) {
      slicesOfOps[place] = slices.size();
      slices.push_back(*found);
      return success();
    }
  }
  for (auto [number, source] : llvm::enumerate(chain.sources[place])) {
    if (source.origin == Origin::Inside)
      continue;
    if (source.origin == Origin::Before) {
      Value initial = op->getOperand(number);
      auto known = llvm::find_if(carried, [&](const Carried &value) {
        return value.place == source.place && value.result == source.result && value.initial == initial;
      });
      carriedOfOperands[{place, number}] = known - carried.begin();
      if (known == carried.end())
        carried.push_back({source.place, source.result, initial});
      if (initial.getType() != getResult(0, source.place, source.result).getType())
        return failure();
      continue;
    }
    SmallVector<Value> values = getOperands(place, number);
    if (llvm::all_equal(values))
      continue;
    std::optional<PartSlices> found = findSlices(values);
    if (!found)
      return failure();
    auto known = llvm::find_if(slices, [&](const PartSlices &other) {
      return other.data == found->data && other.slice == found->slice && other.squeezes == found->squeezes;
    });
    slicesOfOperands[{place, number}] = known - slices.begin();
    if (known == slices.end())
      slices.push_back(*found);
  }
  return success();
}

bool Roller::haveSameDims(unsigned place, unsigned result) {
  auto type = cast<RankedTensorType>(getResult(0, place, result).getType());
  for (int64_t axis = 0; axis != type.getRank(); ++axis) {
    if (!type.isDynamicDim(axis))
      continue;
    DimSource::MaybeDim first = dims.get(getResult(0, place, result), axis);
    for (unsigned group = 1; group != chain.getCount(); ++group)
      if (!first || dims.get(getResult(group, place, result), axis) != first)
        return false;
  }
  return true;
}

LogicalResult Roller::planOutput(unsigned place, unsigned result) {
  Output output{place, result};
  unsigned last = chain.getCount() - 1;
  // The uses by others of the values of all groups but the last, and those of the last one.
  SmallVector<OpOperand *> uses, lastUses;
  bool isSingle = true;
  for (unsigned group = 0; group <= last; ++group) {
    size_t before = uses.size();
    for (OpOperand &use : getResult(group, place, result).getUses())
      if (!chain.find(use.getOwner()))
        (group == last ? lastUses : uses).push_back(&use);
    isSingle &= group == last || uses.size() == before + 1;
  }
  if (uses.empty() && lastUses.empty())
    return success();
  output.isLast = uses.empty();
  auto concat = isSingle ? dyn_cast<ConcatOp>(uses.front()->getOwner()) : ConcatOp();
  if (concat) {
    unsigned first = uses.front()->getOperandNumber();
    output.isReversed = uses[1]->getOperandNumber() + 1 == first;
    auto isAtPlace = [&](OpOperand *use, unsigned group) {
      return use->getOwner() == concat &&
             use->getOperandNumber() == (output.isReversed ? first - group : first + group);
    };
    bool isWhole = llvm::any_of(lastUses, [&](OpOperand *use) { return isAtPlace(use, last); });
    for (auto [group, use] : llvm::enumerate(uses))
      isWhole &= isAtPlace(use, group);
    auto type = cast<RankedTensorType>(uses.front()->get().getType());
    std::optional<int64_t> axis = normalizeAxis(concat.getAxis(), type.getRank());
    if (isWhole && axis && !type.isDynamicDim(*axis)) {
      output.whole = concat;
      output.firstOperand = output.isReversed ? first - last : first;
      // The last value is often a result of the model too.
      if (lastUses.size() > 1) {
        Output lastValue{place, result};
        lastValue.isLast = true;
        outputs.push_back(lastValue);
      }
    } else {
      output.isReversed = false;
    }
  }
  if (!output.isLast && !output.whole && !haveSameDims(place, result))
    return failure();
  outputs.push_back(output);
  return success();
}

LogicalResult Roller::plan() {
  unsigned slicing = 0;
  for (unsigned place = 0; place != chain.getPeriod(); ++place)
    if (failed(planOperands(place)))
      return failure();
  for (unsigned place = 0; place != chain.getPeriod(); ++place) {
    slicing += slicesOfOps.count(place);
    for (unsigned result = 0; result != chain.getOp(0, place)->getNumResults(); ++result)
      if (failed(planOutput(place, result)))
        return failure();
  }
  // A slice that is read outside too is taken there again.
  bool hasTime = !slices.empty() || llvm::any_of(outputs, [](const Output &output) { return !output.isLast; });
  // Element-wise ops become one nest of loops, however many there are. Each of the others has nests of its own. So has
  // a function of angles in f64, which is hundreds of ops.
  bool hasNests = llvm::any_of(llvm::seq(chain.getPeriod()), [&](unsigned place) {
    Operation *op = chain.getOp(0, place);
    if (isa<SinOp, CosOp, TanOp>(op) && getElementTypeOrSelf(op->getResult(0)).isF64())
      return true;
    return !isElementwise(op) && !isa<PReluOp, SeluOp>(op) && !keepsElements(op) && !slicesOfOps.count(place);
  });
  bool isLong = rollsLayers && !hasTime && hasNests && chain.getCount() >= kLeastGroupsWithoutTime;
  return success(!carried.empty() && !outputs.empty() && (isLong || (hasTime && chain.getPeriod() > slicing + 1)));
}

/// The value of `type` that an iteration reads, in place of the part of a sliced input.
Value Roller::readSlice(const PartSlices &read, Value part, Type type, Location loc) {
  if (read.squeezes)
    return SqueezeOp::create(rewriter, loc, type, part, createAxes(loc, read.slice.getAxis()));
  return part.getType() == type ? part : tensor::CastOp::create(rewriter, loc, type, part).getResult();
}

void Roller::build() {
  Operation *terminator = block.getTerminator();
  for (Operation *op : order.ops)
    rewriter.moveOpBefore(op, terminator);
  Operation *first = chain.getOp(0, 0);
  Location loc = first->getLoc();
  unsigned count = chain.getCount();
  remarkPassed(loc, "ov-roll-groups", "rolled", "{0} equal groups of {1} ops are a loop", count, chain.getPeriod());
  rewriter.setInsertionPoint(first);

  SmallVector<Value> sliced, initial;
  SmallVector<Attribute> sliceAttrs, concatAttrs;
  SmallVector<Type> types, lastTypes, concatTypes, parts;
  for (const PartSlices &read : slices) {
    sliced.push_back(read.data);
    sliceAttrs.push_back(read.slice);
    auto type = cast<RankedTensorType>(read.data.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[read.slice.getAxis()] = read.slice.getPartSize();
    parts.push_back(type.clone(shape));
  }
  for (const Carried &value : carried) {
    initial.push_back(value.initial);
    types.push_back(value.initial.getType());
  }
  for (const Output &output : outputs) {
    auto type = cast<RankedTensorType>(getResult(0, output.place, output.result).getType());
    if (output.isLast) {
      lastTypes.push_back(type);
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    ConcatOp whole = output.whole;
    int64_t axis = whole ? *normalizeAxis(whole.getAxis(), type.getRank()) : 0;
    if (whole)
      shape[axis] *= count;
    else
      shape.insert(shape.begin(), count);
    concatTypes.push_back(type.clone(shape));
    concatAttrs.push_back(ConcatOutputAttr::get(rewriter.getContext(), axis, output.isReversed));
  }

  Operation *loop;
  Block *body;
  Value condition;
  if (sliced.empty()) {
    Value trips = raising::createInteger(rewriter, loc, RankedTensorType::get({}, rewriter.getI64Type()), count);
    auto boolean = RankedTensorType::get({}, rewriter.getI1Type());
    condition = ConstantOp::create(rewriter, loc, boolean, DenseElementsAttr::get(boolean, true));
    auto created = LoopOp::create(rewriter, loc, types, lastTypes, concatTypes, trips, condition, sliced, initial,
                                  /*empty_dims=*/ValueRange(), rewriter.getArrayAttr(sliceAttrs),
                                  rewriter.getArrayAttr(concatAttrs),
                                  /*has_index=*/false);
    loop = created;
    body = &created.getBody().emplaceBlock();
  } else {
    auto created = TensorIteratorOp::create(rewriter, loc, types, lastTypes, concatTypes, sliced, initial,
                                            /*empty_dims=*/ValueRange(), rewriter.getArrayAttr(sliceAttrs),
                                            rewriter.getArrayAttr(concatAttrs));
    loop = created;
    body = &created.getBody().emplaceBlock();
  }
  for (Type type : parts)
    body->addArgument(type, loc);
  for (Type type : types)
    body->addArgument(type, loc);

  rewriter.setInsertionPointToStart(body);
  IRMapping map;
  auto getSlice = [&](unsigned number, Type type) {
    return readSlice(slices[number], body->getArgument(number), type, loc);
  };
  for (unsigned place = 0; place != chain.getPeriod(); ++place) {
    Operation *op = chain.getOp(0, place);
    if (auto slice = slicesOfOps.find(place); slice != slicesOfOps.end()) {
      map.map(op->getResult(0), getSlice(slice->second, op->getResult(0).getType()));
      continue;
    }
    SmallVector<Value> operands;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      auto slice = slicesOfOperands.find({place, number});
      auto state = carriedOfOperands.find({place, number});
      if (slice != slicesOfOperands.end())
        operands.push_back(getSlice(slice->second, operand.getType()));
      else if (state != carriedOfOperands.end())
        operands.push_back(body->getArgument(parts.size() + state->second));
      else
        operands.push_back(map.lookupOrDefault(operand));
    }
    Operation *copy = rewriter.clone(*op);
    copy->setOperands(operands);
    map.map(op->getResults(), copy->getResults());
  }
  SmallVector<Value> next, last, concat;
  for (const Carried &value : carried)
    next.push_back(map.lookup(getResult(0, value.place, value.result)));
  for (const Output &output : outputs) {
    Value value = map.lookup(getResult(0, output.place, output.result));
    if (output.isLast) {
      last.push_back(value);
      continue;
    }
    if (!output.whole) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), 1);
      value = UnsqueezeOp::create(rewriter, loc, type.clone(shape), value, createAxes(loc, 0));
    }
    concat.push_back(value);
  }
  YieldOp::create(rewriter, loc, condition, next, last, concat);

  replaceOutputs(loop, types.size(), types.size() + lastTypes.size());
  for (unsigned i = count * chain.getPeriod(); i-- != 0;)
    rewriter.eraseOp(chain.getOp(i / chain.getPeriod(), i % chain.getPeriod()));
}

void Roller::replaceOutputs(Operation *loop, unsigned lastNumber, unsigned concatNumber) {
  Location loc = loop->getLoc();
  unsigned count = chain.getCount();
  auto isElsewhere = [&](OpOperand &use) { return !chain.find(use.getOwner()); };
  // Several values may go to one concatenation. Operands change from the last one on, so that numbers stay right.
  SmallVector<std::pair<Output, Value>> wholes;
  rewriter.setInsertionPointAfter(loop);
  for (const Output &output : outputs) {
    Value value = loop->getResult(output.isLast ? lastNumber++ : concatNumber++);
    if (output.isLast) {
      rewriter.replaceUsesWithIf(getResult(count - 1, output.place, output.result), value, isElsewhere);
      continue;
    }
    if (output.whole) {
      wholes.emplace_back(output, value);
      continue;
    }
    for (unsigned group = 0; group != count; ++group) {
      Value read = getResult(group, output.place, output.result);
      if (!llvm::any_of(read.getUses(), isElsewhere))
        continue;
      auto index = RankedTensorType::get({}, rewriter.getI64Type());
      Value taken =
          GatherOp::create(rewriter, loc, read.getType(), value, raising::createInteger(rewriter, loc, index, group),
                           raising::createInteger(rewriter, loc, index, 0));
      rewriter.replaceUsesWithIf(read, taken, isElsewhere);
    }
  }
  llvm::sort(wholes, [](const auto &a, const auto &b) { return a.first.firstOperand > b.first.firstOperand; });
  for (auto &[output, value] : wholes) {
    ConcatOp concat = output.whole;
    SmallVector<Value> operands(concat.getInputs());
    operands.erase(operands.begin() + output.firstOperand, operands.begin() + output.firstOperand + count);
    operands.insert(operands.begin() + output.firstOperand, value);
    rewriter.modifyOpInPlace(concat, [&] { concat->setOperands(operands); });
  }
}

namespace {
struct RollGroups final : recur::ov::impl::RollGroupsBase<RollGroups> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    Block &block = getOperation().getBody().front();
    for (unsigned loops = 0; loops != kMostLoops && rollOne(rewriter, block); ++loops)
      ;
  }

  /// Makes a loop of the longest chain of groups that can be one. Returns false if there is none.
  bool rollOne(RewriterBase &rewriter, Block &block) {
    OpOrder order(block);
    for (const EqualGroups &stretch : findStretches(order))
      for (unsigned start : rankStarts(order, stretch)) {
        unsigned end = stretch.first + stretch.period * stretch.count;
        Chain chain(order, {start, stretch.period, (end - start) / stretch.period});
        if (failed(chain.trim()))
          continue;
        Roller roller(rewriter, block, order, chain, layers);
        if (failed(roller.plan()))
          continue;
        roller.build();
        return true;
      }
    return false;
  }

  /// Where the first group of a stretch may begin. First come the places at which few bytes pass from group to group.
  static SmallVector<unsigned> rankStarts(const OpOrder &order, const EqualGroups &stretch) {
    constexpr size_t kMostStarts = 4;
    unsigned period = stretch.period, middle = stretch.first + period * (stretch.count / 2);
    // The bytes that pass the place in front of op i of a period: sums of `changes`.
    SmallVector<int64_t> changes(2 * period + 1, 0);
    for (unsigned place = 0; place != period; ++place)
      for (Value result : order.ops[middle + place]->getResults()) {
        unsigned reach = 0;
        for (Operation *user : result.getUsers())
          if (auto known = order.places.find(user); known != order.places.end() && known->second > middle + place)
            if (known->second < middle + place + 2 * period)
              reach = std::max(reach, known->second - middle - place);
        auto type = cast<RankedTensorType>(result.getType());
        int64_t bytes = type.hasStaticShape() ? std::max<int64_t>(1, type.getNumElements()) : 64;
        for (unsigned done = 0; done < reach; done += period) {
          changes[place + 1] += bytes;
          changes[place + 1 + std::min(period, reach - done)] -= bytes;
        }
      }
    SmallVector<int64_t> costs(period, 0);
    int64_t cost = 0;
    for (unsigned i = 0; i != 2 * period; ++i) {
      cost += changes[i];
      costs[i % period] += cost;
    }
    SmallVector<unsigned> starts = llvm::to_vector(llvm::seq(period));
    llvm::sort(starts, [&](unsigned a, unsigned b) { return std::tie(costs[a], a) < std::tie(costs[b], b); });
    starts.truncate(std::min<size_t>(starts.size(), kMostStarts));
    for (unsigned &start : starts)
      start += stretch.first;
    return starts;
  }
};
} // namespace
