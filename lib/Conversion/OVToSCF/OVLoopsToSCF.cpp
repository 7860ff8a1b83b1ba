// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopsToSCF.cpp - Lower TensorIterator and Loop to scf ------------===//

#include "IfLowering.h"
#include "InvariantDims.h"
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
  /// Of a buffer: [slots, dims...]. Of a value whose shape changes: the cells of two buffers that grow, [2, 2].
  Value buffer;
  /// Of a value whose shape changes: the first of its changing dims among the iter_args (they are indices).
  std::optional<unsigned> firstDim;
};

/// A buffer that the parts of all iterations fill.
struct Concatenation {
  RankedTensorType type, partType;
  SmallVector<OpFoldResult> partDims;
  int64_t axis;
  bool backward;
  Value buffer;
  /// Where the number of parts is not known before: the cell of a buffer of parts that grows, else null.
  Value cell;
};

/// Lowers one ov loop. The steps are in the order of the code they emit.
template <typename LoopT>
class LoopLowering {
public:
  LoopLowering(LoopT op, RewriterBase &rewriter) : op(op), rewriter(rewriter), loc(op.getLoc()) {}

  LogicalResult run();
  /// The number of time loops that were made (a body that runs once or never needs none).
  unsigned getNumTimeLoops() const { return numTimeLoops; }

private:
  void findChanging();
  LogicalResult planCells();
  LogicalResult planConcatenations();
  void emitFor();
  void emitWhile();
  void emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars, Value *nextCondition);
  void replaceResults(Value finalIteration, ValueRange scalars);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value indexValue(OpFoldResult ofr) { return getValueOrCreateConstantIndexOp(rewriter, loc, ofr); }
  Value scalarToTensor(Value scalar, RankedTensorType type) {
    return tensor::FromElementsOp::create(rewriter, loc, type, scalar);
  }
  Value zeros(RankedTensorType type) {
    return ov::ConstantOp::create(rewriter, loc, type,
                                  DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
  }
  FailureOr<Cell> planCell(RankedTensorType type, Value yielded, Value init, int64_t slots);
  LogicalResult checkDeclaredDims(RankedTensorType type, MutableArrayRef<OpFoldResult> dims);
  bool keepsDim(Value init, Value next, int64_t dim);
  Value getSlot(const Cell &cell, OpFoldResult slot);
  FailureOr<Cell> planGrowingCell(Value init);
  Value createCells(ArrayRef<int64_t> shape);
  Value getBytes(RankedTensorType type, ArrayRef<OpFoldResult> dims);
  Value reserve(Value cell, Value bytes, Value keep);
  Value viewAs(Value buffer, Value offset, RankedTensorType type, ArrayRef<OpFoldResult> dims);
  Value growingSlot(const Cell &cell, Value slot, ArrayRef<OpFoldResult> dims, bool keep);
  Value readConcatenation(const Concatenation &concat, Value count);
  /// The dims that a value whose shape changes has in this iteration.
  SmallVector<OpFoldResult> getDims(const Cell &cell, ValueRange scalars) {
    SmallVector<OpFoldResult> dims;
    unsigned next = *cell.firstDim;
    for (int64_t dim : cell.type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? OpFoldResult(scalars[next++])
                                                : OpFoldResult(rewriter.getIndexAttr(dim)));
    return dims;
  }
  Value readBuffer(Value buffer, Type type);
  void write(Value tensor, Value buffer) {
    auto materialize = bufferization::MaterializeInDestinationOp::create(rewriter, loc, Type(), tensor, buffer);
    materialize.setRestrict(true);
    materialize.setWritable(true);
  }
  Value checkedAlloc(RankedTensorType type, ArrayRef<OpFoldResult> dims, int64_t slots);

  LoopT op;
  RewriterBase &rewriter;
  Location loc;
  IterationSpace space;
  SmallVector<Cell> carried, last;
  SmallVector<Concatenation> concatenations;
  SmallVector<Value> initialScalars;
  /// Block arguments of carried values whose shape changes.
  llvm::DenseSet<Value> changing;
  unsigned numTimeLoops = 0;
};

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

/// The contents of a buffer as a tensor that nothing may write.
template <typename LoopT>
Value LoopLowering<LoopT>::readBuffer(Value buffer, Type type) {
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto tensorType = RankedTensorType::get(bufferType.getShape(), bufferType.getElementType());
  Value tensor =
      bufferization::ToTensorOp::create(rewriter, loc, tensorType, buffer, /*restrict=*/true, /*writable=*/false);
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
FailureOr<Cell> LoopLowering<LoopT>::planGrowingCell(Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Cell cell{type, {}, {}, createCells({2, 2}), initialScalars.size()};
  for (int64_t d = 0; d < type.getRank(); ++d) {
    cell.dims.push_back(getDim(rewriter, loc, init, d));
    if (type.isDynamicDim(d))
      initialScalars.push_back(indexValue(tensor::getMixedSize(rewriter, loc, init, d)));
  }
  write(init, growingSlot(cell, index(0), getDims(cell, initialScalars), /*keep=*/false));
  return cell;
}

template <typename LoopT>
FailureOr<Cell> LoopLowering<LoopT>::planCell(RankedTensorType type, Value yielded, Value init, int64_t slots) {
  Cell cell{type, {}, {}, {}, {}};
  if (isScalar(type)) {
    cell.iterArg = initialScalars.size();
    initialScalars.push_back(extractElement(rewriter, loc, init ? init : zeros(type)));
    return cell;
  }
  for (int64_t d = 0; d < type.getRank(); ++d) {
    FailureOr<OpFoldResult> dim = init ? FailureOr<OpFoldResult>(getDim(rewriter, loc, init, d))
                                       : getInvariantDim(rewriter, op, yielded, d, changing);
    if (failed(dim))
      return op.emitError("not supported yet: a last value whose dims are only known inside the loop");
    cell.dims.push_back(*dim);
  }
  cell.buffer = checkedAlloc(type, cell.dims, slots);
  return cell;
}

/// True if the next value of a carried value is known to have the dim of the initial one.
template <typename LoopT>
bool LoopLowering<LoopT>::keepsDim(Value init, Value next, int64_t dim) {
  OpFoldResult first = getDim(rewriter, loc, init, dim);
  FailureOr<OpFoldResult> then = getInvariantDim(rewriter, op, next, dim, changing);
  if (failed(then))
    return false;
  // A cast hides what is static.
  Value source = init;
  while (auto cast = source.getDefiningOp<tensor::CastOp>())
    source = cast.getSource();
  return isSameDim(first, *then) || isSameDim(getDim(rewriter, loc, source, dim), *then);
}

/// Finds the carried values whose shape changes: by themselves, or because that of another does.
template <typename LoopT>
void LoopLowering<LoopT>::findChanging() {
  auto changes = [&](Value init, Value next) {
    for (int64_t d = 0; d < cast<RankedTensorType>(init.getType()).getRank(); ++d)
      if (!keepsDim(init, next, d))
        return true;
    return false;
  };
  for (bool found = true; found;) {
    found = false;
    for (auto [arg, init, next] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs(), op.getYield().getNext()))
      if (!changing.contains(arg) && changes(init, next)) {
        changing.insert(arg);
        found = true;
      }
  }
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planCells() {
  ov::YieldOp yield = op.getYield();
  findChanging();
  for (auto [arg, init, next] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs(), yield.getNext())) {
    FailureOr<Cell> cell = changing.contains(arg)
                               ? planGrowingCell(init)
                               : planCell(cast<RankedTensorType>(init.getType()), next, init, /*slots=*/2);
    if (failed(cell))
      return failure();
    if (cell->buffer && !cell->firstDim)
      write(init, getSlot(*cell, rewriter.getIndexAttr(0)));
    carried.push_back(*cell);
  }
  for (Value value : yield.getLast()) {
    FailureOr<Cell> cell = planCell(cast<RankedTensorType>(value.getType()), value, {}, /*slots=*/0);
    if (failed(cell))
      return failure();
    // Zeros, unless an iteration is sure to write it.
    if (cell->buffer && isa<ov::LoopOp>(op.getOperation()) && getConstantIntValue(space.count).value_or(0) == 0) {
      if (!cell->type.hasStaticShape())
        return op.emitError("not supported yet: a last value of unknown dims of a loop that may run zero times");
      write(zeros(cell->type), cell->buffer);
    }
    last.push_back(*cell);
  }
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

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planConcatenations() {
  for (auto [i, part] : llvm::enumerate(op.getYield().getConcat())) {
    Concatenation &concat = concatenations.emplace_back();
    concat.type = cast<RankedTensorType>(op.getConcatenated()[i].getType());
    concat.partType = cast<RankedTensorType>(part.getType());
    concat.axis = op.getConcatAt(i).getAxis();
    concat.backward = op.getConcatAt(i).isBackward();
    for (int64_t d = 0; d < concat.partType.getRank(); ++d) {
      FailureOr<OpFoldResult> dim = getInvariantDim(rewriter, op, part, d, changing);
      if (failed(dim))
        return op.emitError("not supported yet: a concatenation of parts whose dims are only known inside the loop");
      concat.partDims.push_back(*dim);
    }
    if (space.condition) {
      concat.cell = createCells({2});
      continue;
    }
    SmallVector<OpFoldResult> dims(concat.partDims);
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
      Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule, parts, limit);
      Value product = arith::MulIOp::create(rewriter, loc, parts, length);
      Value number = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), parts);
      dims[concat.axis] = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                              "a concatenation of {0} parts is too large", number, product)
                              .getResult(0);
    }
    if (failed(checkDeclaredDims(concat.type, dims)))
      return failure();
    concat.buffer = checkedAlloc(concat.type, dims, /*slots=*/0);
  }
  return success();
}

template <typename LoopT>
void LoopLowering<LoopT>::emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars,
                                   Value *nextCondition) {
  Block *target = rewriter.getInsertionBlock();
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
      args.push_back(
          scalarToTensor(arith::IndexCastOp::create(rewriter, loc, type.getElementType(), number), type));
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
  for (const Cell &cell : carried) {
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
    args.push_back(readBuffer(getSlot(cell, current), cell.type));
    destinations.push_back(getSlot(cell, other));
  }
  SmallVector<Value> parts;
  for (const Concatenation &concat : concatenations) {
    int64_t rank = concat.type.getRank();
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
      place = arith::SubIOp::create(rewriter, loc, arith::SubIOp::create(rewriter, loc, indexValue(space.count), index(1)),
                                    iteration);
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
    offsets[concat.axis] = arith::MulIOp::create(rewriter, loc, place, length).getResult();
    parts.push_back(
        memref::SubViewOp::create(rewriter, loc, concat.buffer, offsets, concat.partDims, strides));
  }

  ov::YieldOp yield = op.getYield();
  rewriter.inlineBlockBefore(op.getBodyBlock(), target, rewriter.getInsertionPoint(), args);
  rewriter.setInsertionPoint(yield);
  nextScalars.assign(initialScalars.size(), {});
  for (auto [i, cell] : llvm::enumerate(carried)) {
    Value next = yield.getNext()[i];
    if (cell.iterArg) {
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, next);
    } else if (cell.firstDim) {
      for (unsigned d = 0, scalar = *cell.firstDim; d < cell.type.getRank(); ++d)
        if (cell.type.isDynamicDim(d))
          nextScalars[scalar++] = tensor::DimOp::create(rewriter, loc, next, d);
      write(next, growingSlot(cell, other, getDims(cell, nextScalars), /*keep=*/false));
    } else {
      write(next, destinations[i]);
    }
  }
  for (auto [i, cell] : llvm::enumerate(last)) {
    if (cell.iterArg)
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, yield.getLast()[i]);
    else
      write(yield.getLast()[i], cell.buffer);
  }
  for (auto [part, destination] : llvm::zip_equal(yield.getConcat(), parts))
    write(part, destination);
  if (nextCondition)
    *nextCondition = extractElement(rewriter, loc, yield.getCondition());
  rewriter.eraseOp(yield);
}

template <typename LoopT>
void LoopLowering<LoopT>::emitFor() {
  std::optional<int64_t> count = getConstantIntValue(space.count);
  if (count && *count <= 1) {
    // One iteration needs no loop, and none needs nothing.
    SmallVector<Value> scalars = initialScalars;
    if (*count == 1)
      emitBody(index(0), initialScalars, scalars, nullptr);
    rewriter.setInsertionPoint(op);
    replaceResults(index(*count), scalars);
    return;
  }
  auto loop = scf::ForOp::create(rewriter, loc, index(0), indexValue(space.count), index(1), initialScalars);
  Block *body = loop.getBody();
  if (initialScalars.empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToEnd(body);
  rt::IterationOp::create(rewriter, loc, loop.getInductionVar());
  SmallVector<Value> next;
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  emitBody(loop.getInductionVar(), loop.getRegionIterArgs(), next, nullptr);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(next); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(indexValue(space.count), loop.getResults());
}

template <typename LoopT>
void LoopLowering<LoopT>::emitWhile() {
  // Carried: the number of the iteration, whether to run it, and the scalars.
  SmallVector<Value> inits{index(0), space.condition};
  llvm::append_range(inits, initialScalars);
  SmallVector<Type> types = llvm::to_vector(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Value bound = indexValue(space.count);
  auto loop = scf::WhileOp::create(rewriter, loc, types, inits);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
  Value more = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, before->getArgument(0), bound);
  Value go = arith::AndIOp::create(rewriter, loc, more, before->getArgument(1));
  scf::ConditionOp::create(rewriter, loc, go, before->getArguments());
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, types, locs);
  Value iteration = after->getArgument(0), condition;
  rt::IterationOp::create(rewriter, loc, iteration);
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  SmallVector<Value> next;
  emitBody(iteration, after->getArguments().drop_front(2), next, &condition);
  SmallVector<Value> yielded{arith::AddIOp::create(rewriter, loc, iteration, index(1)), condition};
  llvm::append_range(yielded, next);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(yielded); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(loop.getResult(0), loop.getResults().drop_front(2));
}

/// The concatenation of `count` parts that lie one after the other in a buffer that grew.
template <typename LoopT>
Value LoopLowering<LoopT>::readConcatenation(const Concatenation &concat, Value count) {
  int64_t rank = concat.partType.getRank(), axis = concat.axis;
  SmallVector<OpFoldResult> dims{count};
  llvm::append_range(dims, concat.partDims);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  for (OpFoldResult dim : concat.partDims)
    shape.push_back(getConstantIntValue(dim).value_or(ShapedType::kDynamic));
  Value bytes = arith::MulIOp::create(rewriter, loc, count, getBytes(concat.partType, concat.partDims));
  SmallVector<OpFoldResult> whole(concat.partDims);
  whole[axis] = arith::MulIOp::create(rewriter, loc, count, indexValue(whole[axis])).getResult();
  // Cannot fail: the verifier has compared what is static, and the axis is not.
  (void)checkDeclaredDims(concat.type, whole);
  Type element = concat.type.getElementType();
  auto stacked = RankedTensorType::get(shape, element);
  Value parts = readBuffer(viewAs(reserve(concat.cell, bytes, bytes), index(0), concat.partType, dims), stacked);
  if (concat.backward) {
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::zip_equal(shape, dims))
      if (ShapedType::isDynamic(dim))
        sizes.push_back(indexValue(size));
    Value final = arith::SubIOp::create(rewriter, loc, count, index(1));
    parts = tensor::GenerateOp::create(rewriter, loc, stacked, sizes,
                                       [&](OpBuilder &builder, Location at, ValueRange ivs) {
                                         SmallVector<Value> from(ivs);
                                         from[0] = arith::SubIOp::create(builder, at, final, ivs[0]);
                                         Value value = tensor::ExtractOp::create(builder, at, parts, from);
                                         tensor::YieldOp::create(builder, at, value);
                                       });
  }
  if (axis) {
    // The parts' number comes to stand before the axis.
    SmallVector<int64_t> order, permuted;
    for (int64_t d = 0; d <= rank; ++d)
      order.push_back(d < axis ? d + 1 : d == axis ? 0 : d);
    for (int64_t d : order)
      permuted.push_back(shape[d]);
    auto type = RankedTensorType::get({rank + 1}, rewriter.getI64Type());
    Value permutation = ov::ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, ArrayRef(order)));
    parts = ov::TransposeOp::create(rewriter, loc, RankedTensorType::get(permuted, element), parts, permutation);
  }
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d) {
    groups.push_back({d <= axis ? d : d + 1});
    if (d == axis)
      groups.back().push_back(d + 1);
  }
  Value joined = tensor::CollapseShapeOp::create(rewriter, loc, parts, groups);
  return joined.getType() == concat.type ? joined
                                         : tensor::CastOp::create(rewriter, loc, concat.type, joined).getResult();
}

template <typename LoopT>
void LoopLowering<LoopT>::replaceResults(Value finalIteration, ValueRange scalars) {
  SmallVector<Value> results;
  auto getCell = [&](const Cell &cell, bool slots) -> Value {
    if (cell.iterArg)
      return scalarToTensor(scalars[*cell.iterArg], cell.type);
    if (!slots)
      return readBuffer(cell.buffer, cell.type);
    if (cell.firstDim) {
      Value parity = arith::AndIOp::create(rewriter, loc, finalIteration, index(1));
      return readBuffer(growingSlot(cell, parity, getDims(cell, scalars), /*keep=*/true), cell.type);
    }
    std::optional<int64_t> count = getConstantIntValue(finalIteration);
    OpFoldResult slot = count ? OpFoldResult(rewriter.getIndexAttr(*count & 1))
                              : OpFoldResult(arith::AndIOp::create(rewriter, loc, finalIteration, index(1)).getResult());
    return readBuffer(getSlot(cell, slot), cell.type);
  };
  for (const Cell &cell : carried)
    results.push_back(getCell(cell, /*slots=*/true));
  for (const Cell &cell : last)
    results.push_back(getCell(cell, /*slots=*/false));
  for (const Concatenation &concat : concatenations)
    results.push_back(concat.cell ? readConcatenation(concat, finalIteration)
                                  : readBuffer(concat.buffer, concat.type));
  rewriter.replaceOp(op, results);
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::run() {
  rewriter.setInsertionPoint(op);
  space = buildIterationSpace(rewriter, op);
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
    SmallVector<Operation *> loops;
    // Outer loops first: what an inner loop captures is then in its final place.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ov::TensorIteratorOp, ov::LoopOp, ov::IfOp>(op))
        loops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    int64_t numTimeLoops = 0;
    auto lower = [&](auto op) {
      LoopLowering lowering(op, rewriter);
      LogicalResult result = lowering.run();
      numTimeLoops += lowering.getNumTimeLoops();
      return result;
    };
    for (Operation *op : loops) {
      if (auto branch = dyn_cast<ov::IfOp>(op)) {
        lowerIf(rewriter, branch);
        continue;
      }
      auto loop = dyn_cast<ov::LoopOp>(op);
      if (failed(loop ? lower(loop) : lower(cast<ov::TensorIteratorOp>(op))))
        return signalPassFailure();
    }
    getOperation()->setAttr(kTimeLoopsAttr, Builder(&getContext()).getI64IntegerAttr(numTimeLoops));
  }
};
} // namespace
