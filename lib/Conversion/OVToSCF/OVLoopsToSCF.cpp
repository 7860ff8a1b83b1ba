// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopsToSCF.cpp - Lower TensorIterator and Loop to scf ------------===//

#include "BodyDims.h"
#include "IfLowering.h"
#include "IterationSpace.h"
#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_CONVERTOVLOOPSTOSCF
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {

/// A value that lives from one iteration to the next, or to the end of the loop: a scalar iter_arg, or a buffer.
struct Cell {
  RankedTensorType type;
  SmallVector<OpFoldResult> dims;
  /// Of a scalar: its place among the iter_args.
  std::optional<unsigned> iterArg;
  /// Of a buffer: [slots, dims...]. Of a value whose shape changes: the cells of its buffers that grow, [slots, 2].
  Value buffer;
  /// Of a value whose shape changes: the first of its changing dims among the iter_args (they are indices).
  std::optional<unsigned> firstDim;
  /// The dims of the initial value, where those that an iteration leaves may be others.
  SmallVector<OpFoldResult> initialDims;
  /// Iterations write into the one slot there is.
  bool inPlace = false;
};

/// A buffer that the parts of all iterations fill.
struct Concatenation {
  RankedTensorType type, partType;
  SmallVector<OpFoldResult> partDims;
  int64_t axis;
  bool backward;
  Value buffer;
  /// Where the size is not known before: the cell of a buffer that grows, in which the parts lie one after the other.
  Value cell;
  /// Where parts differ in length: the cell of a buffer of their lengths (i64), and the first of the iter_args
  /// (indices): the bytes and the length of all parts so far, then the dims that parts share and only show at run time.
  Value lengths;
  unsigned firstScalar = 0;
};

/// What the body yields, where it was put.
struct Yielded {
  Value condition;
  SmallVector<Value> next, last, concat;
};

/// Where a loop begins: the number of its first iteration, whether to run it, and the scalars.
struct Start {
  Value iteration, condition;
  SmallVector<Value> scalars;
};

/// Lowers one ov loop. The steps are in the order of the code they emit.
template <typename LoopT>
class LoopLowering {
public:
  LoopLowering(LoopT op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()), bodyDims(rewriter, op) {}

  LogicalResult run();
  /// The number of time loops that were made (a body that runs once or never needs none).
  unsigned getNumTimeLoops() const { return numTimeLoops; }

private:
  void findDims();
  void findWhetherRuns();
  LogicalResult planCells();
  LogicalResult planConcatenations();
  LogicalResult planBuffer(Concatenation &concat);
  void planRagged(Concatenation &concat);
  Start emitStart();
  void emitFor();
  void emitWhile();
  /// With `initial`, of the initial values themselves; with `copy`, of a copy of the body.
  Value emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars, bool initial, bool copy);
  Yielded placeBody(ValueRange args, bool copy);
  void addPart(const Concatenation &concat, Value part, Value iteration, ValueRange scalars,
               MutableArrayRef<Value> nextScalars);
  void replaceResults(Value finalIteration, ValueRange scalars);
  Value readCarried(const Cell &cell, Value init, Value finalIteration, ValueRange scalars);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value indexValue(OpFoldResult ofr) { return getValueOrCreateConstantIndexOp(rewriter, loc, ofr); }
  Value scalarToTensor(Value scalar, RankedTensorType type) {
    return tensor::FromElementsOp::create(rewriter, loc, type, scalar);
  }
  Value zeros(RankedTensorType type) {
    return ov::ConstantOp::create(rewriter, loc, type,
                                  DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
  }
  Cell planScalar(RankedTensorType type, Value init);
  Cell planCarried(BlockArgument arg, Value init);
  Cell planLast(Value value);
  LogicalResult checkDeclaredDims(RankedTensorType type, MutableArrayRef<OpFoldResult> dims);
  Value getSlot(const Cell &cell, OpFoldResult slot);
  bool isWrittenInto(BlockArgument arg);
  Cell planGrowing(Value init);
  Value createCells(ArrayRef<int64_t> shape);
  Value getBytes(RankedTensorType type, ArrayRef<OpFoldResult> dims);
  Value reserve(Value cell, Value bytes, Value keep);
  Value viewAs(Value buffer, Value offset, RankedTensorType type, ArrayRef<OpFoldResult> dims);
  Value growingSlot(const Cell &cell, Value slot, ArrayRef<OpFoldResult> dims, bool keep);
  Value readConcatenation(const Concatenation &concat, Value count, ValueRange scalars);
  Value gatherParts(const Concatenation &concat, Value parts, Value count, ArrayRef<OpFoldResult> partDims,
                    ArrayRef<OpFoldResult> dims);
  SmallVector<OpFoldResult> materialize(const BodyDims::Dims &dims) {
    SmallVector<OpFoldResult> result;
    for (std::optional<BodyDims::Dim> dim : dims)
      result.push_back(bodyDims.materialize(*dim));
    return result;
  }
  /// A dim of a result that is not carried: 0 after no iteration, unless its type knows it.
  OpFoldResult dimIfRun(OpFoldResult dim, int64_t declared) {
    if (!ran || !ShapedType::isDynamic(declared))
      return dim;
    return arith::SelectOp::create(rewriter, loc, ran, indexValue(dim), index(0)).getResult();
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  }
  Value asI64(Value value) { return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value); }
  /// The dims that a value whose shape changes has in this iteration.
  SmallVector<OpFoldResult> getDims(const Cell &cell, ValueRange scalars) {
    SmallVector<OpFoldResult> dims;
    unsigned next = *cell.firstDim;
    for (int64_t dim : cell.type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? OpFoldResult(scalars[next++])
                                                : OpFoldResult(rewriter.getIndexAttr(dim)));
    return dims;
  }
  Value readBuffer(Value buffer, Type type, bool writable = false);
  void write(Value tensor, Value buffer) {
    auto materialize = bufferization::MaterializeInDestinationOp::create(rewriter, loc, Type(), tensor, buffer);
    materialize.setRestrict(true);
    materialize.setWritable(true);
  }
  Value checkedAlloc(RankedTensorType type, ArrayRef<OpFoldResult> dims, int64_t slots);

  LoopT op;
  RewriterBase &rewriter;
  Location loc;
  BodyDims bodyDims;
  IterationSpace space;
  /// Whether there is an iteration; null where there is one for sure.
  Value ran;
  SmallVector<Cell> carried, last;
  SmallVector<Concatenation> concatenations;
  SmallVector<Value> initialScalars;
  /// Dims of carried values: initially, and after each iteration. None of those that change in each iteration.
  llvm::DenseMap<Value, BodyDims::Dims> initialDims, settledDims;
  /// Dims of last values and parts, as far as they are the same in all iterations.
  llvm::DenseMap<Value, BodyDims::Dims> yieldedDims;
  /// The first iteration may leave other dims than it finds.
  bool settles = false;
  unsigned numTimeLoops = 0;
};

/// Of what is known to be empty there is nothing to cut or to write (and a static slice of it does not verify).
bool isEmpty(ArrayRef<OpFoldResult> dims) {
  return llvm::any_of(dims, [](OpFoldResult dim) { return isConstantIntValue(dim, 0); });
}

bool isScalar(RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

} // namespace

/// A buffer of [slots, dims...], or [dims...] where `slots` is 0.
template <typename LoopT>
Value LoopLowering<LoopT>::checkedAlloc(RankedTensorType type, ArrayRef<OpFoldResult> dims, int64_t slots) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  if (slots)
    shape.push_back(slots);
  for (OpFoldResult dim : dims) {
    std::optional<int64_t> constant = getConstantIntValue(dim);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamic.push_back(cast<Value>(dim));
  }
  return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, type.getElementType()), dynamic);
}

template <typename LoopT>
Value LoopLowering<LoopT>::getSlot(const Cell &cell, OpFoldResult slot) {
  if (isEmpty(cell.dims))
    return cell.buffer;
  int64_t rank = cell.type.getRank();
  SmallVector<OpFoldResult> offsets(rank + 1, rewriter.getIndexAttr(0)), sizes{rewriter.getIndexAttr(1)},
      strides(rank + 1, rewriter.getIndexAttr(1));
  offsets[0] = slot;
  llvm::append_range(sizes, cell.dims);
  auto source = cast<MemRefType>(cell.buffer.getType());
  SmallVector<int64_t> shape(source.getShape().drop_front());
  auto result = memref::SubViewOp::inferRankReducedResultType(shape, source, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(result), cell.buffer, offsets, sizes, strides);
}

/// The contents of a buffer as a tensor, which nothing may write unless it is `writable`.
template <typename LoopT>
Value LoopLowering<LoopT>::readBuffer(Value buffer, Type type, bool writable) {
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto tensorType = RankedTensorType::get(bufferType.getShape(), bufferType.getElementType());
  Value tensor =
      bufferization::ToTensorOp::create(rewriter, loc, tensorType, buffer, /*restrict=*/true, writable);
  return tensorType == type ? tensor : tensor::CastOp::create(rewriter, loc, type, tensor).getResult();
}

/// Cells of buffers that grow, {0, 0} each, made at the start of the function: what they hold lasts for the call.
template <typename LoopT>
Value LoopLowering<LoopT>::createCells(ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block &entry = op->template getParentOfType<func::FuncOp>().getBody().front();
  rewriter.setInsertionPointToStart(&entry);
  auto type = MemRefType::get(shape, rewriter.getI64Type());
  Value cells = memref::AllocOp::create(rewriter, loc, type);
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 64);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> at;
    if (shape.size() == 2)
      at.push_back(index(i / 2));
    at.push_back(index(i % 2));
    memref::StoreOp::create(rewriter, loc, zero, cells, at);
  }
  return cells;
}

/// The bytes of a tensor, checked not to overflow.
template <typename LoopT>
Value LoopLowering<LoopT>::getBytes(RankedTensorType type, ArrayRef<OpFoldResult> dims) {
  Value bytes = index(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (OpFoldResult dim : dims) {
    Value size = indexValue(dim);
    if (!getConstantIntValue(dim)) {
      Value most = arith::DivUIOp::create(rewriter, loc, index(int64_t(1) << 56),
                                          arith::MaxUIOp::create(rewriter, loc, bytes, index(1)));
      Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, size, most);
      Value detail = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), size);
      size = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow, "a value with a dim of {0} is too large",
                                 detail, size)
                 .getResult(0);
    }
    bytes = arith::MulIOp::create(rewriter, loc, bytes, size);
  }
  return bytes;
}

template <typename LoopT>
Value LoopLowering<LoopT>::reserve(Value cell, Value bytes, Value keep) {
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getIntegerType(8));
  auto block = rt::ReserveOp::create(rewriter, loc, type, rewriter.getI1Type(), cell, bytes, keep);
  return rt::CheckOp::create(rewriter, loc, block.getOk(), rt::FaultKind::Recorded, "", ValueRange(),
                             ValueRange{block.getBuffer()})
      .getResult(0);
}

/// A part of a buffer of bytes as a dense tensor's buffer.
template <typename LoopT>
Value LoopLowering<LoopT>::viewAs(Value buffer, Value offset, RankedTensorType type, ArrayRef<OpFoldResult> dims) {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (OpFoldResult dim : dims) {
    std::optional<int64_t> constant = getConstantIntValue(dim);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      sizes.push_back(cast<Value>(dim));
  }
  return memref::ViewOp::create(rewriter, loc, MemRefType::get(shape, type.getElementType()), buffer, offset, sizes);
}

/// The buffer in one of the two cells of a value whose shape changes.
template <typename LoopT>
Value LoopLowering<LoopT>::growingSlot(const Cell &cell, Value slot, ArrayRef<OpFoldResult> dims, bool keep) {
  auto cells = cast<MemRefType>(cell.buffer.getType());
  SmallVector<OpFoldResult> offsets{slot, rewriter.getIndexAttr(0)},
      sizes{rewriter.getIndexAttr(1), rewriter.getIndexAttr(2)}, strides(2, rewriter.getIndexAttr(1));
  auto row = memref::SubViewOp::inferRankReducedResultType({2}, cells, offsets, sizes, strides);
  Value own = memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(row), cell.buffer, offsets, sizes, strides);
  Value bytes = getBytes(cell.type, dims);
  return viewAs(reserve(own, bytes, keep ? bytes : index(0)), index(0), cell.type, dims);
}

/// A carried value whose shape changes: two buffers that grow, and its changing dims as iter_args.
template <typename LoopT>
Cell LoopLowering<LoopT>::planGrowing(Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Cell cell;
  cell.type = type;
  cell.buffer = createCells({2, 2});
  cell.firstDim = initialScalars.size();
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      initialScalars.push_back(indexValue(tensor::getMixedSize(rewriter, loc, init, d)));
  write(init, growingSlot(cell, index(0), getDims(cell, initialScalars), /*keep=*/false));
  return cell;
}

template <typename LoopT>
Cell LoopLowering<LoopT>::planScalar(RankedTensorType type, Value init) {
  Cell cell;
  cell.type = type;
  cell.iterArg = initialScalars.size();
  initialScalars.push_back(extractElement(rewriter, loc, init ? init : zeros(type)));
  return cell;
}

/// True if the next value of a carried value is made by writing into the present one, and all that reads the present one
/// does so before: then one buffer serves for both. (Where bufferization finds a reader after all, it makes a copy.)
template <typename LoopT>
bool LoopLowering<LoopT>::isWrittenInto(BlockArgument arg) {
  Block *body = op.getBodyBlock();
  Value next;
  for (auto [carriedArg, value] : llvm::zip_equal(op.getCarriedArgs(), op.getYield().getNext()))
    if (carriedArg == arg)
      next = value;
  Operation *first = nullptr;
  for (Value value = next; value != arg; value = first->getOperand(0)) {
    first = value.getDefiningOp();
    if (!isa_and_nonnull<ov::ScatterUpdateOp, ov::ScatterElementsUpdateOp, ov::ScatterNDUpdateOp>(first) ||
        first->getBlock() != body || (value != next && !value.hasOneUse()))
      return false;
  }
  return first && llvm::all_of(arg.getUses(), [&](OpOperand &use) {
    if (use.getOwner() == first)
      return use.getOperandNumber() == 0;
    Operation *reader = body->findAncestorOpInBlock(*use.getOwner());
    return reader && reader->isBeforeInBlock(first);
  });
}

template <typename LoopT>
Cell LoopLowering<LoopT>::planCarried(BlockArgument arg, Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  if (isScalar(type))
    return planScalar(type, init);
  auto settled = settledDims.find(arg);
  if (settled == settledDims.end())
    return planGrowing(init);
  Cell cell;
  cell.type = type;
  cell.dims = materialize(settled->second);
  if (initialDims[arg] != settled->second)
    cell.initialDims = materialize(initialDims[arg]);
  cell.inPlace = cell.initialDims.empty() && !isEmpty(cell.dims) && isWrittenInto(arg);
  cell.buffer = checkedAlloc(type, cell.dims, /*slots=*/isEmpty(cell.dims) ? 0 : cell.inPlace ? 1 : 2);
  if (cell.initialDims.empty())
    write(init, getSlot(cell, rewriter.getIndexAttr(0)));
  return cell;
}

template <typename LoopT>
Cell LoopLowering<LoopT>::planLast(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isScalar(type))
    return planScalar(type, {});
  Cell cell;
  cell.type = type;
  if (auto dims = yieldedDims.find(value); dims != yieldedDims.end()) {
    for (auto [dim, declared] : llvm::zip_equal(materialize(dims->second), type.getShape()))
      cell.dims.push_back(dimIfRun(dim, declared));
    cell.buffer = checkedAlloc(type, cell.dims, /*slots=*/0);
    if (ran && type.hasStaticShape())
      write(zeros(type), cell.buffer);
    return cell;
  }
  // One buffer that grows; of no elements before there is a value.
  cell.buffer = createCells({1, 2});
  cell.firstDim = initialScalars.size();
  initialScalars.append(type.getNumDynamicDims(), index(0));
  return cell;
}

/// Finds the dims that do not change: of all carried values but those whose shape changes in each iteration, by
/// themselves or because that of another does, and of what is yielded.
template <typename LoopT>
void LoopLowering<LoopT>::findDims() {
  auto args = op.getCarriedArgs();
  auto next = op.getYield().getNext();
  llvm::DenseSet<Value> changing;
  for (auto [arg, init] : llvm::zip_equal(args, op.getInitArgs())) {
    initialDims[arg] = bodyDims.getAll(init);
    bodyDims.prefer(initialDims[arg]);
  }
  auto assume = [&](const llvm::DenseMap<Value, BodyDims::Dims> &dims) {
    for (BlockArgument arg : args)
      bodyDims.setCarried(arg, changing.contains(arg) ? BodyDims::Dims(dims.lookup(arg).size(), std::nullopt)
                                                      : dims.lookup(arg));
  };
  // Dims may settle with the first iteration, as where a state of one row broadcasts to a batch.
  llvm::DenseMap<Value, BodyDims::Dims> then;
  for (bool found = true; found;) {
    found = false;
    assume(initialDims);
    settles = false;
    for (auto [arg, value] : llvm::zip_equal(args, next)) {
      if (changing.contains(arg))
        continue;
      then[arg] = bodyDims.getAll(value);
      settles |= then[arg] != initialDims[arg];
      if (llvm::is_contained(then[arg], std::nullopt))
        found |= changing.insert(arg).second;
    }
    if (found || !settles)
      continue;
    assume(then);
    for (auto [arg, value] : llvm::zip_equal(args, next))
      if (!changing.contains(arg) && bodyDims.getAll(value) != then[arg])
        found |= changing.insert(arg).second;
  }
  for (BlockArgument arg : args)
    if (!changing.contains(arg))
      settledDims[arg] = then[arg];
  auto collect = [&](ValueRange values, llvm::DenseMap<Value, BodyDims::Dims> &dims) {
    for (Value value : values) {
      BodyDims::Dims found = bodyDims.getAll(value);
      if (!llvm::is_contained(found, std::nullopt))
        dims[value] = found;
    }
  };
  for (ValueRange values : {ValueRange(op.getYield().getLast()), ValueRange(op.getYield().getConcat())})
    collect(values, yieldedDims);
  if (!settles)
    return;
  llvm::DenseMap<Value, BodyDims::Dims> initially;
  assume(initialDims);
  for (ValueRange values : {ValueRange(op.getYield().getLast()), ValueRange(op.getYield().getConcat())})
    collect(values, initially);
  for (auto &[value, dims] : initially)
    if (yieldedDims.lookup(value) != dims)
      yieldedDims.erase(value);
}

template <typename LoopT>
void LoopLowering<LoopT>::findWhetherRuns() {
  if (isa<ov::TensorIteratorOp>(op.getOperation()))
    return;
  if (getConstantIntValue(space.count).value_or(0) <= 0)
    ran = compare(arith::CmpIPredicate::sgt, indexValue(space.count), index(0));
  if (space.condition)
    ran = ran ? arith::AndIOp::create(rewriter, loc, ran, space.condition).getResult() : space.condition;
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planCells() {
  for (auto [arg, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs()))
    carried.push_back(planCarried(arg, init));
  for (Value value : op.getYield().getLast())
    last.push_back(planLast(value));
  return success();
}

/// The declared type of a concatenation may know dims that its parts and their number only show at run time.
template <typename LoopT>
LogicalResult LoopLowering<LoopT>::checkDeclaredDims(RankedTensorType type, MutableArrayRef<OpFoldResult> dims) {
  for (auto [d, declared] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(declared) || getConstantIntValue(dims[d]) == declared)
      continue;
    if (std::optional<int64_t> size = getConstantIntValue(dims[d]))
      return op.emitError() << "expected parts that make up a concatenation of type " << type << ", but dim " << d
                            << " would be " << *size;
    Value size = indexValue(dims[d]);
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, size, index(declared));
    SmallVector<Value> details;
    for (Value detail : {index(declared), size})
      details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
    dims[d] = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape,
                                  "expected a concatenation with a dim of {0}, but got {1}", details, size)
                  .getResult(0);
  }
  return success();
}

/// A concatenation that has its place before the loop.
template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planBuffer(Concatenation &concat) {
  SmallVector<OpFoldResult> dims;
  for (auto [dim, declared] : llvm::zip_equal(concat.partDims, concat.type.getShape()))
    dims.push_back(dimIfRun(dim, declared));
  std::optional<int64_t> count = getConstantIntValue(space.count),
                         size = getConstantIntValue(concat.partDims[concat.axis]);
  if (count && size) {
    int64_t total;
    if (llvm::MulOverflow(*count, *size, total))
      return op.emitError("expected a concatenation of fewer than 2^63 elements");
    dims[concat.axis] = rewriter.getIndexAttr(total);
  } else {
    Value parts = indexValue(space.count), length = indexValue(concat.partDims[concat.axis]);
    // Division cannot overflow: parts <= limit / length.
    Value limit = arith::DivUIOp::create(rewriter, loc, index(std::numeric_limits<int64_t>::max() / 16),
                                         arith::MaxSIOp::create(rewriter, loc, length, index(1)));
    Value fits = compare(arith::CmpIPredicate::ule, parts, limit);
    Value product = arith::MulIOp::create(rewriter, loc, parts, length);
    dims[concat.axis] = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                            "a concatenation of {0} parts is too large", asI64(parts), product)
                            .getResult(0);
  }
  if (failed(checkDeclaredDims(concat.type, dims)))
    return failure();
  concat.buffer = checkedAlloc(concat.type, dims, /*slots=*/0);
  return success();
}

/// A concatenation of parts whose dims only show when they are there: they may differ along the axis.
template <typename LoopT>
void LoopLowering<LoopT>::planRagged(Concatenation &concat) {
  concat.cell = createCells({2});
  concat.lengths = createCells({2});
  concat.firstScalar = initialScalars.size();
  unsigned dims = concat.partType.getNumDynamicDims() - concat.partType.isDynamicDim(concat.axis);
  initialScalars.append(2 + dims, index(0));
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planConcatenations() {
  for (auto [i, part] : llvm::enumerate(op.getYield().getConcat())) {
    Concatenation &concat = concatenations.emplace_back();
    concat.type = cast<RankedTensorType>(op.getConcatenated()[i].getType());
    concat.partType = cast<RankedTensorType>(part.getType());
    concat.axis = op.getConcatAt(i).getAxis();
    concat.backward = op.getConcatAt(i).isBackward();
    auto dims = yieldedDims.find(part);
    if (dims == yieldedDims.end()) {
      planRagged(concat);
      continue;
    }
    concat.partDims = materialize(dims->second);
    if (space.condition)
      concat.cell = createCells({2});
    else if (failed(planBuffer(concat)))
      return failure();
  }
  return success();
}

/// Puts the body, or a copy of it, where the rewriter stands.
template <typename LoopT>
Yielded LoopLowering<LoopT>::placeBody(ValueRange args, bool copy) {
  ov::YieldOp yield = op.getYield();
  IRMapping mapping;
  if (copy) {
    mapping.map(op.getBodyBlock()->getArguments(), args);
    for (Operation &inner : op.getBodyBlock()->without_terminator())
      rewriter.clone(inner, mapping);
  } else {
    rewriter.inlineBlockBefore(op.getBodyBlock(), rewriter.getInsertionBlock(), rewriter.getInsertionPoint(), args);
  }
  auto get = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  Yielded result;
  if (yield.getCondition())
    result.condition = mapping.lookupOrDefault(yield.getCondition());
  result.next.assign(get(yield.getNext()));
  result.last.assign(get(yield.getLast()));
  result.concat.assign(get(yield.getConcat()));
  if (!copy)
    rewriter.eraseOp(yield);
  return result;
}

/// Appends a part that may differ from the others in length.
template <typename LoopT>
void LoopLowering<LoopT>::addPart(const Concatenation &concat, Value part, Value iteration, ValueRange scalars,
                                  MutableArrayRef<Value> nextScalars) {
  RankedTensorType type = concat.partType;
  SmallVector<OpFoldResult> dims;
  unsigned next = concat.firstScalar + 2;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      dims.push_back(rewriter.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    Value size = tensor::DimOp::create(rewriter, loc, part, d);
    if (d != concat.axis) {
      Value before = scalars[next];
      Value fits = arith::OrIOp::create(rewriter, loc, compare(arith::CmpIPredicate::eq, iteration, index(0)),
                                        compare(arith::CmpIPredicate::eq, before, size));
      size = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape,
                                 "parts with a dim of {0} and of {1} do not make up a concatenation",
                                 ValueRange{asI64(before), asI64(size)}, size)
                 .getResult(0);
      nextScalars[next++] = size;
    }
    dims.push_back(size);
  }
  Value begin = scalars[concat.firstScalar];
  Value end = arith::AddIOp::create(rewriter, loc, begin, getBytes(type, dims));
  write(part, viewAs(reserve(concat.cell, end, begin), begin, type, dims));
  nextScalars[concat.firstScalar] = end;

  Value length = indexValue(dims[concat.axis]);
  Value total = arith::AddIOp::create(rewriter, loc, scalars[concat.firstScalar + 1], length);
  Value fits = compare(arith::CmpIPredicate::ule, total, index(int64_t(1) << 56));
  nextScalars[concat.firstScalar + 1] =
      rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow, "a concatenation of length {0} is too large",
                          asI64(total), total)
          .getResult(0);
  auto entry = RankedTensorType::get({1}, rewriter.getI64Type());
  Value at = arith::MulIOp::create(rewriter, loc, iteration, index(8));
  Value bytes = arith::AddIOp::create(rewriter, loc, at, index(8));
  Value slot = viewAs(reserve(concat.lengths, bytes, at), at, entry, {rewriter.getIndexAttr(1)});
  memref::StoreOp::create(rewriter, loc, asI64(length), slot, index(0));
}

/// Emits an iteration. Returns the next condition, where the body computes one.
template <typename LoopT>
Value LoopLowering<LoopT>::emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars,
                                    bool initial, bool copy) {
  SmallVector<Value> args;
  if constexpr (std::is_same_v<LoopT, ov::LoopOp>)
    if (BlockArgument arg = op.getIndexArg()) {
      auto type = cast<RankedTensorType>(arg.getType());
      Value number = iteration;
      if (type.getElementType().isInteger(32) &&
          getConstantIntValue(space.count).value_or(std::numeric_limits<int64_t>::max()) >
              int64_t(std::numeric_limits<int32_t>::max()) + 1) {
        Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sle, number,
                                           index(std::numeric_limits<int32_t>::max()));
        Value detail = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), number);
        number = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                     "iteration {0} does not fit the i32 iteration index", detail, number)
                     .getResult(0);
      }
      args.push_back(scalarToTensor(arith::IndexCastOp::create(rewriter, loc, type.getElementType(), number), type));
    }
  for (auto [i, slice] : llvm::enumerate(space.slices)) {
    Value at = iteration;
    if (space.checkSlices) {
      Value count = indexValue(slice.count);
      Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, at, count);
      SmallVector<Value> details;
      for (Value detail : {at, count})
        details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
      at = rt::CheckOp::create(rewriter, loc, inside, rt::FaultKind::TripCount,
                               "iteration {0} needs a part of its own, but a sliced input has {1}", details, at)
               .getResult(0);
    }
    args.push_back(slice.extractPart(rewriter, loc, at, cast<RankedTensorType>(op.getSliceArgs()[i].getType())));
  }
  bool slots = llvm::any_of(carried, [](const Cell &cell) { return bool(cell.buffer); });
  Value current, other;
  if (slots) {
    current = arith::AndIOp::create(rewriter, loc, iteration, index(1));
    other = arith::XOrIOp::create(rewriter, loc, current, index(1));
  }
  // Destinations come first, so that they dominate what will be computed into them.
  SmallVector<Value> destinations;
  for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs())) {
    if (cell.iterArg) {
      args.push_back(scalarToTensor(scalars[*cell.iterArg], cell.type));
      destinations.push_back({});
      continue;
    }
    if (cell.firstDim) {
      args.push_back(readBuffer(growingSlot(cell, current, getDims(cell, scalars), /*keep=*/true), cell.type));
      destinations.push_back({});
      continue;
    }
    if (cell.inPlace) {
      Value slot = getSlot(cell, rewriter.getIndexAttr(0));
      args.push_back(initial ? init : readBuffer(slot, cell.type, /*writable=*/true));
      destinations.push_back(slot);
      continue;
    }
    args.push_back(initial ? init : readBuffer(getSlot(cell, current), cell.type));
    destinations.push_back(getSlot(cell, other));
  }
  SmallVector<Value> parts;
  for (const Concatenation &concat : concatenations) {
    int64_t rank = concat.type.getRank();
    if (concat.lengths || isEmpty(concat.partDims)) {
      parts.push_back({});
      continue;
    }
    if (concat.cell) {
      // Parts one after the other; where they belong shows when all are there.
      Value bytes = getBytes(concat.partType, concat.partDims);
      Value begin = arith::MulIOp::create(rewriter, loc, iteration, bytes);
      Value end = arith::AddIOp::create(rewriter, loc, begin, bytes);
      parts.push_back(viewAs(reserve(concat.cell, end, begin), begin, concat.partType, concat.partDims));
      continue;
    }
    Value length = indexValue(concat.partDims[concat.axis]);
    Value place = iteration;
    if (concat.backward)
      place = arith::SubIOp::create(rewriter, loc,
                                    arith::SubIOp::create(rewriter, loc, indexValue(space.count), index(1)), iteration);
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
    offsets[concat.axis] = arith::MulIOp::create(rewriter, loc, place, length).getResult();
    parts.push_back(memref::SubViewOp::create(rewriter, loc, concat.buffer, offsets, concat.partDims, strides));
  }

  Yielded yielded = placeBody(args, copy);
  nextScalars.assign(initialScalars.size(), {});
  // The dims of a value whose shape changes, and the value.
  auto writeGrowing = [&](const Cell &cell, Value value, Value slot) {
    for (unsigned d = 0, scalar = *cell.firstDim; d < cell.type.getRank(); ++d)
      if (cell.type.isDynamicDim(d))
        nextScalars[scalar++] = tensor::DimOp::create(rewriter, loc, value, d);
    write(value, growingSlot(cell, slot, getDims(cell, nextScalars), /*keep=*/false));
  };
  for (auto [cell, next, destination] : llvm::zip_equal(carried, yielded.next, destinations)) {
    if (cell.iterArg)
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, next);
    else if (cell.firstDim)
      writeGrowing(cell, next, other);
    else if (!cell.inPlace)
      write(next, destination);
  }
  for (auto [cell, value] : llvm::zip_equal(last, yielded.last)) {
    if (cell.iterArg)
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, value);
    else if (cell.firstDim)
      writeGrowing(cell, value, index(0));
    else
      write(value, cell.buffer);
  }
  for (auto [concat, part, destination] : llvm::zip_equal(concatenations, yielded.concat, parts)) {
    if (concat.lengths)
      addPart(concat, part, iteration, scalars, nextScalars);
    else if (destination)
      write(part, destination);
  }
  Value condition = space.condition ? extractElement(rewriter, loc, yielded.condition) : Value();
  // Nothing reads the values of this iteration any more.
  for (auto [cell, next, destination] : llvm::zip_equal(carried, yielded.next, destinations))
    if (cell.inPlace)
      write(next, destination);
  return condition;
}

/// Where the dims of carried values settle, and differ from those of the initial values, the first iteration stands in
/// front of the loop.
template <typename LoopT>
Start LoopLowering<LoopT>::emitStart() {
  Start none{index(0), space.condition, initialScalars};
  if (!settles)
    return none;
  Value differs;
  bool surelyDiffers = false;
  for (const Cell &cell : carried)
    for (auto [before, after] : llvm::zip(cell.initialDims, cell.dims)) {
      std::optional<int64_t> x = getConstantIntValue(before), y = getConstantIntValue(after);
      surelyDiffers |= x && y && x != y;
      if (isEqualConstantIntOrValue(before, after))
        continue;
      Value other = compare(arith::CmpIPredicate::ne, indexValue(before), indexValue(after));
      differs = differs ? arith::OrIOp::create(rewriter, loc, differs, other).getResult() : other;
    }
  auto flatten = [](const Start &start) {
    SmallVector<Value> values{start.iteration};
    if (start.condition)
      values.push_back(start.condition);
    llvm::append_range(values, start.scalars);
    return values;
  };
  auto unflatten = [&](ValueRange values) {
    Start start;
    start.iteration = values.front();
    values = values.drop_front();
    if (space.condition) {
      start.condition = values.front();
      values = values.drop_front();
    }
    start.scalars.assign(values.begin(), values.end());
    return start;
  };
  // Both ways as branches, each of which gives where to go on.
  auto choose = [&](Value condition, auto then, auto otherwise) {
    SmallVector<Type> types = llvm::to_vector(ValueRange(flatten(none)).getTypes());
    auto branch = scf::IfOp::create(rewriter, loc, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, flatten(then()));
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, flatten(otherwise()));
    return unflatten(branch.getResults());
  };
  auto first = [&] {
    Start start{index(1), {}, {}};
    start.condition = emitBody(index(0), initialScalars, start.scalars, /*initial=*/true, /*copy=*/true);
    return start;
  };
  auto firstIfAny = [&] { return ran ? choose(ran, first, [&] { return none; }) : first(); };
  if (surelyDiffers)
    return firstIfAny();
  return choose(differs, firstIfAny, [&] {
    for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs()))
      if (!cell.initialDims.empty())
        write(init, getSlot(cell, rewriter.getIndexAttr(0)));
    return none;
  });
}

template <typename LoopT>
void LoopLowering<LoopT>::emitFor() {
  std::optional<int64_t> count = getConstantIntValue(space.count);
  if (count && *count <= 1) {
    // One iteration needs no loop, and none needs nothing.
    SmallVector<Value> scalars = initialScalars;
    if (*count == 1)
      emitBody(index(0), initialScalars, scalars, /*initial=*/true, /*copy=*/false);
    rewriter.setInsertionPoint(op);
    replaceResults(index(*count), scalars);
    return;
  }
  Start start = emitStart();
  auto loop = scf::ForOp::create(rewriter, loc, start.iteration, indexValue(space.count), index(1), start.scalars);
  Block *body = loop.getBody();
  if (initialScalars.empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToEnd(body);
  rt::IterationOp::create(rewriter, loc, loop.getInductionVar());
  SmallVector<Value> next;
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  emitBody(loop.getInductionVar(), loop.getRegionIterArgs(), next, /*initial=*/false, /*copy=*/false);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(next); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(indexValue(space.count), loop.getResults());
}

template <typename LoopT>
void LoopLowering<LoopT>::emitWhile() {
  // Carried: the number of the iteration, whether to run it, and the scalars.
  Start start = emitStart();
  SmallVector<Value> inits{start.iteration, start.condition};
  llvm::append_range(inits, start.scalars);
  SmallVector<Type> types = llvm::to_vector(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Value bound = indexValue(space.count);
  auto loop = scf::WhileOp::create(rewriter, loc, types, inits);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
  Value more = compare(arith::CmpIPredicate::slt, before->getArgument(0), bound);
  Value go = arith::AndIOp::create(rewriter, loc, more, before->getArgument(1));
  scf::ConditionOp::create(rewriter, loc, go, before->getArguments());
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, types, locs);
  Value iteration = after->getArgument(0);
  rt::IterationOp::create(rewriter, loc, iteration);
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  SmallVector<Value> next;
  Value condition = emitBody(iteration, after->getArguments().drop_front(2), next, /*initial=*/false, /*copy=*/false);
  SmallVector<Value> yielded{arith::AddIOp::create(rewriter, loc, iteration, index(1)), condition};
  llvm::append_range(yielded, next);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(yielded); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(loop.getResult(0), loop.getResults().drop_front(2));
}

/// Copies `count` parts, which lie one after the other in the bytes `parts`, to where they belong in a tensor of
/// `dims`.
template <typename LoopT>
Value LoopLowering<LoopT>::gatherParts(const Concatenation &concat, Value parts, Value count,
                                       ArrayRef<OpFoldResult> partDims, ArrayRef<OpFoldResult> dims) {
  int64_t rank = concat.partType.getRank(), axis = concat.axis;
  Value whole = checkedAlloc(concat.type, dims, /*slots=*/0);
  if (isEmpty(partDims) || isEmpty(dims))
    return whole;
  SmallVector<OpFoldResult> sizes(partDims);
  sizes[axis] = rewriter.getIndexAttr(1);
  Value unit = getBytes(concat.partType, sizes), lengths;
  if (concat.lengths) {
    Value bytes = arith::MulIOp::create(rewriter, loc, count, index(8));
    lengths = viewAs(reserve(concat.lengths, bytes, bytes), index(0),
                     RankedTensorType::get({ShapedType::kDynamic}, rewriter.getI64Type()), {OpFoldResult(count)});
  }
  auto loop = scf::ForOp::create(rewriter, loc, index(0), count, index(1), ValueRange{index(0)});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(loop.getBody());
  Value offset = loop.getRegionIterArg(0);
  sizes[axis] = partDims[axis];
  if (lengths) {
    Value length = memref::LoadOp::create(rewriter, loc, lengths, loop.getInductionVar());
    sizes[axis] = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), length).getResult();
  }
  Value length = indexValue(sizes[axis]), next = arith::AddIOp::create(rewriter, loc, offset, length), place = offset;
  if (concat.backward)
    place = arith::SubIOp::create(rewriter, loc, indexValue(dims[axis]), next);
  Value begin = arith::MulIOp::create(rewriter, loc, offset, unit);
  Value part = viewAs(parts, begin, concat.partType, sizes);
  SmallVector<int64_t> shape(cast<MemRefType>(part.getType()).getShape());
  SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
  offsets[axis] = place;
  Value destination = memref::SubViewOp::create(rewriter, loc, whole, offsets, sizes, strides);
  write(readBuffer(part, RankedTensorType::get(shape, concat.type.getElementType())), destination);
  scf::YieldOp::create(rewriter, loc, next);
  return whole;
}

/// The concatenation of `count` parts that lie one after the other in a buffer that grew.
template <typename LoopT>
Value LoopLowering<LoopT>::readConcatenation(const Concatenation &concat, Value count, ValueRange scalars) {
  int64_t axis = concat.axis;
  SmallVector<OpFoldResult> partDims(concat.partDims), dims;
  Value bytes;
  if (concat.lengths) {
    unsigned next = concat.firstScalar + 2;
    for (auto [d, dim] : llvm::enumerate(concat.partType.getShape()))
      partDims.push_back(!ShapedType::isDynamic(dim) ? OpFoldResult(rewriter.getIndexAttr(dim))
                         : int64_t(d) == axis        ? OpFoldResult(scalars[concat.firstScalar + 1])
                                                     : OpFoldResult(scalars[next++]));
    bytes = scalars[concat.firstScalar];
  } else {
    bytes = arith::MulIOp::create(rewriter, loc, count, getBytes(concat.partType, partDims));
  }
  for (auto [dim, declared] : llvm::zip_equal(partDims, concat.type.getShape()))
    dims.push_back(dimIfRun(dim, declared));
  dims[axis] = concat.lengths
                   ? OpFoldResult(scalars[concat.firstScalar + 1])
                   : OpFoldResult(arith::MulIOp::create(rewriter, loc, count, indexValue(partDims[axis])).getResult());
  // Cannot fail: the verifier has compared what is static, and the axis is not.
  (void)checkDeclaredDims(concat.type, dims);
  Value parts = reserve(concat.cell, bytes, bytes);
  bool inPlace = !concat.backward && llvm::all_of(ArrayRef(partDims).take_front(axis),
                                                  [](OpFoldResult dim) { return isConstantIntValue(dim, 1); });
  return readBuffer(inPlace ? viewAs(parts, index(0), concat.type, dims)
                            : gatherParts(concat, parts, count, partDims, dims),
                    concat.type);
}

template <typename LoopT>
Value LoopLowering<LoopT>::readCarried(const Cell &cell, Value init, Value finalIteration, ValueRange scalars) {
  if (cell.iterArg)
    return scalarToTensor(scalars[*cell.iterArg], cell.type);
  std::optional<int64_t> count = getConstantIntValue(finalIteration);
  if (count == 0)
    return init;
  Value parity = count ? index(*count & 1) : arith::AndIOp::create(rewriter, loc, finalIteration, index(1)).getResult();
  if (cell.firstDim)
    return readBuffer(growingSlot(cell, parity, getDims(cell, scalars), /*keep=*/true), cell.type);
  Value slot = getSlot(cell, cell.inPlace ? OpFoldResult(rewriter.getIndexAttr(0)) : getAsOpFoldResult(parity));
  if (cell.initialDims.empty() || !ran)
    return readBuffer(slot, cell.type);
  // No iteration leaves the initial value, whose dims are others.
  SmallVector<OpFoldResult> dims;
  for (auto [before, after] : llvm::zip_equal(cell.initialDims, cell.dims))
    dims.push_back(
        isEqualConstantIntOrValue(before, after)
            ? before
            : OpFoldResult(
                  arith::SelectOp::create(rewriter, loc, ran, indexValue(after), indexValue(before)).getResult()));
  Value result = checkedAlloc(cell.type, dims, /*slots=*/0);
  auto branch = scf::IfOp::create(rewriter, loc, ran, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(branch.thenYield());
    write(readBuffer(slot, cell.type), result);
    rewriter.setInsertionPoint(branch.elseYield());
    write(init, result);
  }
  return readBuffer(result, cell.type);
}

template <typename LoopT>
void LoopLowering<LoopT>::replaceResults(Value finalIteration, ValueRange scalars) {
  SmallVector<Value> results;
  for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs()))
    results.push_back(readCarried(cell, init, finalIteration, scalars));
  for (const Cell &cell : last) {
    if (cell.iterArg)
      results.push_back(scalarToTensor(scalars[*cell.iterArg], cell.type));
    else if (cell.firstDim)
      results.push_back(readBuffer(growingSlot(cell, index(0), getDims(cell, scalars), /*keep=*/true), cell.type));
    else
      results.push_back(readBuffer(cell.buffer, cell.type));
  }
  for (const Concatenation &concat : concatenations)
    results.push_back(concat.cell ? readConcatenation(concat, finalIteration, scalars)
                                  : readBuffer(concat.buffer, concat.type));
  rewriter.replaceOp(op, results);
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::run() {
  rewriter.setInsertionPoint(op);
  space = buildIterationSpace(rewriter, op);
  findWhetherRuns();
  findDims();
  if (failed(planCells()) || failed(planConcatenations()))
    return failure();
  if (space.condition)
    emitWhile();
  else
    emitFor();
  return success();
}

namespace {
struct ConvertOVLoopsToSCF final : recur::impl::ConvertOVLoopsToSCFBase<ConvertOVLoopsToSCF> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    int64_t numTimeLoops = 0;
    auto lower = [&](auto op) {
      LoopLowering lowering(op, rewriter);
      LogicalResult result = lowering.run();
      numTimeLoops += lowering.getNumTimeLoops();
      return result;
    };
    // Outer loops first: what an inner loop captures is then in its final place. The body may be there twice then.
    for (;;) {
      Operation *next = nullptr;
      getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa<ov::TensorIteratorOp, ov::LoopOp, ov::IfOp>(op))
          return WalkResult::advance();
        next = op;
        return WalkResult::interrupt();
      });
      if (!next)
        break;
      if (auto branch = dyn_cast<ov::IfOp>(next)) {
        lowerIf(rewriter, branch);
        continue;
      }
      auto loop = dyn_cast<ov::LoopOp>(next);
      if (failed(loop ? lower(loop) : lower(cast<ov::TensorIteratorOp>(next))))
        return signalPassFailure();
    }
    getOperation()->setAttr(kTimeLoopsAttr, Builder(&getContext()).getI64IntegerAttr(numTimeLoops));
  }
};
} // namespace
