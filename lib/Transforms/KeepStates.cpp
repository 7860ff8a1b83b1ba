// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KeepStates.cpp - Small states in registers -------------------------===//
//
// A time loop keeps a carried tensor in a buffer, of one or two copies. Each iteration then waits until what the last
// one stored can be loaded again, which takes longer than a multiplication. If all loads and stores are at places that
// are known, the elements become values that the loop carries. LLVM does not do it: it cannot tell which of two copies
// an iteration reads.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace recur {
#define GEN_PASS_DEF_KEEPSTATES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The most iterations of a loop over the parts of a state, and the most ops of all of them.
static constexpr int64_t kMostParts = 16, kMostUnrolledOps = 128;

/// The most elements of the copies of a state, which is as many vectors of f32 as the largest register files hold.
static constexpr int64_t kMostElements = 2 * kMostParts * 16;

/// A load or a store of one part of a buffer, which is an element or a vector.
struct Access {
  Operation *op;
  Value buffer;
  ValueRange indices;
  /// The value that is loaded or stored.
  Value value;
  bool isStore;
};

static std::optional<Access> getAccess(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return Access{op, load.getMemRef(), load.getIndices(), load, false};
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return Access{op, load.getBase(), load.getIndices(), load, false};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Access{op, store.getMemRef(), store.getIndices(), store.getValueToStore(), true};
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return Access{op, store.getBase(), store.getIndices(), store.getValueToStore(), true};
  return std::nullopt;
}

/// True if `value` is `number` modulo 2.
static bool isParity(Value value, Value number) {
  auto op = value.getDefiningOp<arith::AndIOp>();
  return op && op.getLhs() == number && matchPattern(op.getRhs(), m_One());
}

namespace {
/// A time loop whose iterations are counted from 0.
struct TimeLoop {
  Operation *op;
  Block *body;
  /// The number of the iteration, and how many there were, which is known behind the loop.
  Value number, count;
};

/// The copy of a buffer that an access in the loop means.
enum class Copy { Read, Written };

/// A part of a state.
struct Part {
  SmallVector<Value> loads;
  /// The value that the iteration stores, and the loads that follow the store.
  Value stored;
  SmallVector<Value> later;
};

/// The parts of one buffer, by the indices after that of the copy.
struct State {
  memref::AllocOp buffer;
  bool hasCopies = false;
  Type type;
  llvm::MapVector<ArrayAttr, Part> parts;
  SmallVector<Operation *> accesses;
};

struct KeepStates final : recur::impl::KeepStatesBase<KeepStates> {
  using KeepStatesBase::KeepStatesBase;

  void runOnOperation() override {
    SmallVector<rt::IterationOp> markers;
    getOperation().walk([&](rt::IterationOp marker) { markers.push_back(marker); });
    for (rt::IterationOp marker : markers)
      if (std::optional<TimeLoop> loop = getLoop(marker))
        keepStates(*loop);
  }

  static std::optional<TimeLoop> getLoop(rt::IterationOp marker);
  void keepStates(TimeLoop loop);
};
} // namespace

std::optional<TimeLoop> KeepStates::getLoop(rt::IterationOp marker) {
  Value number = marker.getNumber();
  Operation *op = marker->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (loop.getInductionVar() == number && matchPattern(loop.getLowerBound(), m_Zero()) &&
        matchPattern(loop.getStep(), m_One()))
      return TimeLoop{op, loop.getBody(), number, loop.getUpperBound()};
  auto loop = dyn_cast<scf::WhileOp>(op);
  auto argument = dyn_cast<BlockArgument>(number);
  if (!loop || !argument || argument.getOwner() != loop.getAfterBody())
    return std::nullopt;
  // The number of the next iteration is that of the last one plus 1, and the condition passes it on.
  unsigned place = argument.getArgNumber();
  auto passed = dyn_cast<BlockArgument>(loop.getConditionOp().getArgs()[place]);
  if (!passed || passed.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  auto next = loop.getYieldOp().getOperand(passed.getArgNumber()).getDefiningOp<arith::AddIOp>();
  if (!next || next.getLhs() != number || !matchPattern(next.getRhs(), m_One()) ||
      !matchPattern(loop.getInits()[passed.getArgNumber()], m_Zero()))
    return std::nullopt;
  return TimeLoop{op, loop.getAfterBody(), number, loop.getResult(place)};
}

/// Replaces a loop of a few iterations by its iterations. Upstream's function computes the indices of the iterations by
/// ops, where the places of accesses must be constants here.
static void unroll(scf::ForOp loop, int64_t first, int64_t step, int64_t trips) {
  OpBuilder b(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t i = 0; i < trips; ++i) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs(), carried);
    mapping.map(loop.getInductionVar(), arith::ConstantIndexOp::create(b, loop.getLoc(), first + i * step));
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    for (auto [value, next] : llvm::zip_equal(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(next);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// Which copy an access in the loop means, if the buffer has two.
static std::optional<Copy> getCopy(Value index, const TimeLoop &loop) {
  if (isParity(index, loop.number))
    return Copy::Read;
  auto other = index.getDefiningOp<arith::XOrIOp>();
  if (other && isParity(other.getLhs(), loop.number) && matchPattern(other.getRhs(), m_One()))
    return Copy::Written;
  return std::nullopt;
}

/// The loop over parts of a state that contains `op` directly, in the body of a time loop, or null. It is no time loop.
static scf::ForOp getLoopOverParts(Operation *op, const TimeLoop &loop) {
  auto parts = dyn_cast<scf::ForOp>(op->getParentOp());
  bool isOne = parts && parts->getBlock() == loop.body && parts.getBody()->getOps<rt::IterationOp>().empty();
  return isOne ? parts : scf::ForOp();
}

/// True if each use of the buffer in the time loop is an access at places that are known, once the loops over parts in
/// its body are unrolled.
static bool hasKnownPlaces(memref::AllocOp buffer, const TimeLoop &loop) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    if (!loop.op->isProperAncestor(user))
      return true;
    std::optional<Access> access = getAccess(user);
    scf::ForOp parts = getLoopOverParts(user, loop);
    if (!access || access->buffer != buffer.getResult() || (user->getBlock() != loop.body && !parts))
      return false;
    ValueRange indices = access->indices;
    if (!indices.empty() && getCopy(indices.front(), loop))
      indices = indices.drop_front();
    return llvm::all_of(indices, [&](Value index) {
      return getConstantIntValue(index) || (parts && index == parts.getInductionVar());
    });
  });
}

/// Unrolls the loops over parts of a state in the body of a time loop.
static void unrollParts(memref::AllocOp buffer, const TimeLoop &loop) {
  SetVector<scf::ForOp> loops;
  for (Operation *user : buffer->getUsers())
    if (scf::ForOp parts = getLoopOverParts(user, loop))
      loops.insert(parts);
  for (scf::ForOp parts : loops) {
    std::optional<APInt> trips = parts.getStaticTripCount();
    std::optional<int64_t> first = getConstantIntValue(parts.getLowerBound()),
                           step = getConstantIntValue(parts.getStep());
    int64_t ops = std::distance(parts.getBody()->begin(), parts.getBody()->end());
    bool isFlat = llvm::all_of(*parts.getBody(), [](Operation &inner) { return inner.getNumRegions() == 0; });
    if (trips && first && step && isFlat && trips->ule(kMostParts) &&
        int64_t(trips->getZExtValue()) * ops <= kMostUnrolledOps)
      unroll(parts, *first, *step, trips->getZExtValue());
  }
}

/// Adds an access in the body of the loop. Fails if it is none of a whole part at a known place.
static LogicalResult addAccess(State &state, const Access &access, const TimeLoop &loop) {
  std::optional<Copy> copy;
  if (!access.indices.empty())
    copy = getCopy(access.indices.front(), loop);
  ValueRange indices = copy ? access.indices.drop_front() : access.indices;
  if (state.accesses.empty()) {
    state.hasCopies = copy.has_value();
    state.type = access.value.getType();
  }
  if (state.hasCopies != copy.has_value() || access.value.getType() != state.type)
    return failure();
  SmallVector<Attribute> place;
  Builder b(access.op->getContext());
  for (Value index : indices) {
    std::optional<int64_t> known = getConstantIntValue(index);
    if (!known)
      return failure();
    place.push_back(b.getIndexAttr(*known));
  }
  if (auto vector = dyn_cast<VectorType>(state.type))
    if (place.empty() || vector.getRank() != 1 || vector.isScalable() ||
        cast<IntegerAttr>(place.back()).getInt() % vector.getNumElements() != 0)
      return failure();
  Part &part = state.parts[b.getArrayAttr(place)];
  state.accesses.push_back(access.op);
  if (access.isStore) {
    if (part.stored || copy == Copy::Read)
      return failure();
    part.stored = access.value;
    return success();
  }
  if (copy == Copy::Written && !part.stored)
    return failure();
  (part.stored && copy != Copy::Read ? part.later : part.loads).push_back(access.value);
  return success();
}

/// True if `user`, an op outside of the loop that reads or writes the buffer at `copy`, still finds what it should. A
/// part that the loop keeps in registers is only in the buffer in front of the loop, and in the last copy behind it.
static bool findsState(Operation *user, OpFoldResult copy, const State &state, const TimeLoop &loop) {
  Operation *outer = loop.op->getBlock()->findAncestorOpInBlock(*user);
  if (!outer || outer == loop.op)
    return false;
  if (outer->isBeforeInBlock(loop.op) || !state.hasCopies)
    return true;
  std::optional<int64_t> known = getConstantIntValue(copy), count = getConstantIntValue(loop.count);
  if (known && count)
    return *count >= 0 && *known == *count % 2;
  auto value = dyn_cast<Value>(copy);
  return value && isParity(value, loop.count);
}

/// Collects the parts of a buffer that the loop may keep in registers. Fails if there is another access.
static LogicalResult collect(State &state, const TimeLoop &loop) {
  for (Operation &op : *loop.body) {
    std::optional<Access> access = getAccess(&op);
    if (access && access->buffer == state.buffer.getResult() && failed(addAccess(state, *access, loop)))
      return failure();
  }
  auto isKept = [](auto &entry) { return bool(entry.second.stored); };
  auto isCarried = [](auto &entry) { return !entry.second.loads.empty(); };
  if (!llvm::all_of(state.parts, isKept) || llvm::none_of(state.parts, isCarried))
    return failure();
  for (Operation *user : state.buffer->getUsers()) {
    if (llvm::is_contained(state.accesses, user))
      continue;
    if (std::optional<Access> access = getAccess(user)) {
      OpFoldResult copy = state.hasCopies ? access->indices.front() : Value();
      if (!findsState(user, copy, state, loop))
        return failure();
      continue;
    }
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (!view || (state.hasCopies && !isOneInteger(view.getMixedSizes().front())))
      return failure();
    OpFoldResult copy = state.hasCopies ? view.getMixedOffsets().front() : OpFoldResult();
    for (Operation *reader : view->getUsers())
      if (isa<ViewLikeOpInterface>(reader) || !findsState(reader, copy, state, loop))
        return failure();
  }
  return success();
}

/// Adds values to those that a time loop carries. `getNext` gets the carried values in the body, and returns those of
/// the next iteration. Returns the new results.
static ValueRange carry(TimeLoop &loop, ValueRange initial, function_ref<SmallVector<Value>(ValueRange)> getNext) {
  IRRewriter rewriter(loop.op->getContext());
  rewriter.setInsertionPoint(loop.op);
  if (auto op = dyn_cast<scf::ForOp>(loop.op)) {
    auto next = [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return getNext(SmallVector<Value>(arguments.begin(), arguments.end()));
    };
    auto wide = cast<scf::ForOp>(
        *op.replaceWithAdditionalYields(rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, next));
    loop = {wide, wide.getBody(), wide.getInductionVar(), wide.getUpperBound()};
    return wide.getResults().take_back(initial.size());
  }
  auto op = cast<scf::WhileOp>(loop.op);
  unsigned place = cast<OpResult>(loop.count).getResultNumber();
  SmallVector<Value> inits(op.getInits());
  SmallVector<Type> types(op.getResultTypes());
  llvm::append_range(inits, initial);
  llvm::append_range(types, initial.getTypes());
  auto wide = scf::WhileOp::create(rewriter, op.getLoc(), types, inits);
  wide->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  wide.getBefore().takeBody(op.getBefore());
  wide.getAfter().takeBody(op.getAfter());
  SmallVector<Location> locations(initial.size(), op.getLoc());
  SmallVector<Value> passed(wide.getBeforeBody()->addArguments(initial.getTypes(), locations));
  wide.getConditionOp().getArgsMutable().append(passed);
  SmallVector<Value> carried(wide.getAfterBody()->addArguments(initial.getTypes(), locations));
  wide.getYieldOp().getResultsMutable().append(getNext(carried));
  rewriter.replaceOp(op, wide.getResults().take_front(op.getNumResults()));
  loop = {wide, wide.getAfterBody(), loop.number, wide.getResult(place)};
  return wide.getResults().take_back(initial.size());
}

/// The indices of a part of the buffer, in one of its copies.
static SmallVector<Value> getIndices(OpBuilder &b, State &state, OpFoldResult copy, ArrayAttr place) {
  Location loc = state.buffer.getLoc();
  SmallVector<Value> indices;
  if (state.hasCopies)
    indices.push_back(getValueOrCreateConstantIndexOp(b, loc, copy));
  for (auto index : place.getAsRange<IntegerAttr>())
    indices.push_back(arith::ConstantIndexOp::create(b, loc, index.getInt()));
  return indices;
}

static Value load(OpBuilder &b, State &state, ValueRange indices) {
  Location loc = state.buffer.getLoc();
  if (auto vector = dyn_cast<VectorType>(state.type))
    return vector::LoadOp::create(b, loc, vector, state.buffer, indices);
  return memref::LoadOp::create(b, loc, state.buffer, indices);
}

static void store(OpBuilder &b, State &state, ValueRange indices, Value value) {
  Location loc = state.buffer.getLoc();
  if (isa<VectorType>(state.type))
    vector::StoreOp::create(b, loc, value, state.buffer, indices);
  else
    memref::StoreOp::create(b, loc, value, state.buffer, indices);
}

/// Lets the loop carry the parts of a state as values.
static void keep(State &state, TimeLoop &loop) {
  OpBuilder b(loop.op);
  SmallVector<Value> initial;
  for (auto &[place, part] : state.parts)
    initial.push_back(load(b, state, getIndices(b, state, b.getIndexAttr(0), place)));
  ValueRange results = carry(loop, initial, [&](ValueRange carried) {
    DenseMap<Value, Value> known;
    for (auto [entry, value] : llvm::zip_equal(state.parts, carried)) {
      for (Value load : entry.second.loads)
        known[load] = value;
      for (Value load : entry.second.later)
        known[load] = entry.second.stored;
    }
    // The value that a part stores may be one that another part loaded.
    auto resolve = [&](Value value) {
      while (Value other = known.lookup(value))
        value = other;
      return value;
    };
    for (auto &[load, value] : known)
      load.replaceAllUsesWith(resolve(value));
    return llvm::map_to_vector(state.parts, [&](auto &entry) { return resolve(entry.second.stored); });
  });
  for (Operation *op : state.accesses)
    op->erase();
  b.setInsertionPointAfter(loop.op);
  Location loc = loop.op->getLoc();
  Value copy;
  if (state.hasCopies)
    copy = b.createOrFold<arith::AndIOp>(loc, loop.count, arith::ConstantIndexOp::create(b, loc, 1));
  for (auto [entry, value] : llvm::zip_equal(state.parts, results))
    store(b, state, getIndices(b, state, copy, entry.first), value);
}

void KeepStates::keepStates(TimeLoop loop) {
  SetVector<memref::AllocOp> buffers;
  loop.op->walk([&](Operation *op) {
    std::optional<Access> access = getAccess(op);
    auto buffer = access ? access->buffer.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
    if (buffer && buffer->getBlock() == loop.op->getBlock() && buffer.getType().hasStaticShape() &&
        buffer.getType().getNumElements() <= kMostElements)
      buffers.insert(buffer);
  });
  int64_t registers = vectorRegisters / 2;
  for (memref::AllocOp buffer : buffers) {
    if (!hasKnownPlaces(buffer, loop))
      continue;
    unrollParts(buffer, loop);
    State state;
    state.buffer = buffer;
    if (failed(collect(state, loop)))
      continue;
    if (int64_t(state.parts.size()) > registers) {
      remarkMissed(buffer.getLoc(), "rt-keep-states", "not-kept",
                   "expected a state of at most {0} registers, which are left, but got one of {1}", registers,
                   state.parts.size());
      continue;
    }
    remarkPassed(buffer.getLoc(), "rt-keep-states", "kept", "the loop keeps a state in registers, {0} of {1}",
                 state.parts.size(), state.type);
    registers -= state.parts.size();
    keep(state, loop);
  }
}
