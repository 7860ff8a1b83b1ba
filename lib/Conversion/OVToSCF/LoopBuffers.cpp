// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopBuffers.cpp - Values that live between iterations --------------===//
//
// There are two kinds of buffers. If all dims are known before the loop, a buffer is a memref.alloc, which later gets a
// fixed place in the workspace. If they are not, an rt.reserve asks the caller's allocator for more memory whenever an
// iteration needs it.
//
//===----------------------------------------------------------------------===//

#include "LoopBuffers.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

Value LoopBuffers::scalarToTensor(Value scalar, RankedTensorType type) {
  return tensor::FromElementsOp::create(rewriter, loc, type, scalar);
}

/// A constant of zeros.
Value LoopBuffers::zeros(RankedTensorType type) {
  return ov::ConstantOp::create(rewriter, loc, type,
                                DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
}

/// Writes a tensor to a buffer. Bufferization can then compute the tensor in the buffer directly.
void LoopBuffers::write(Value tensor, Value buffer) {
  auto materialize = bufferization::MaterializeInDestinationOp::create(rewriter, loc, Type(), tensor, buffer);
  materialize.setRestrict(true);
  materialize.setWritable(true);
}

/// The dims of a value whose dims change, from the iter_args `scalars` of an iteration.
SmallVector<OpFoldResult> LoopBuffers::getDims(const Cell &cell, ValueRange scalars) {
  SmallVector<OpFoldResult> dims;
  unsigned next = *cell.firstDim;
  for (int64_t dim : cell.type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? OpFoldResult(scalars[next++])
                                              : OpFoldResult(rewriter.getIndexAttr(dim)));
  return dims;
}

/// Allocates a buffer of [slots, dims...], or [dims...] if `slots` is 0. In a buffer with slots, dynamic dims are at
/// least 1: if a dim turns out to be 0 while the program is simplified, a subview of an empty slot would be invalid IR.
Value LoopBuffers::checkedAlloc(RankedTensorType type, ArrayRef<OpFoldResult> dims, int64_t slots) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  if (slots)
    shape.push_back(slots);
  for (OpFoldResult dim : dims) {
    std::optional<int64_t> constant = getConstantIntValue(dim);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamic.push_back(slots ? arith::MaxUIOp::create(rewriter, loc, cast<Value>(dim), index(1)).getResult()
                              : cast<Value>(dim));
  }
  return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, type.getElementType()), dynamic);
}

/// A view of one slot of a cell. A statically empty cell has no slots.
Value LoopBuffers::getSlot(const Cell &cell, OpFoldResult slot) {
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

/// Reads a buffer as a tensor. Bufferization may write into the buffer of the tensor only if it is `writable`.
Value LoopBuffers::readBuffer(Value buffer, Type type, bool writable) {
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto tensorType = RankedTensorType::get(bufferType.getShape(), bufferType.getElementType());
  Value tensor = bufferization::ToTensorOp::create(rewriter, loc, tensorType, buffer, /*restrict=*/true, writable);
  return tensorType == type ? tensor : tensor::CastOp::create(rewriter, loc, type, tensor).getResult();
}

/// Creates the cells of growing buffers: an address and a capacity, both 0. They are created at the start of the
/// function, because the buffers live until the call ends.
Value LoopBuffers::createCells(ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block &entry = loop->getParentOfType<func::FuncOp>().getBody().front();
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

/// The size of a tensor in bytes. Dynamic dims are checked: a size beyond 2^56 bytes is an overflow fault.
Value LoopBuffers::getBytes(RankedTensorType type, ArrayRef<OpFoldResult> dims) {
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

/// Makes a growing buffer hold at least `bytes` bytes, the first `keep` of which are preserved. A failure of the
/// allocator ends the call with the status that it recorded.
Value LoopBuffers::grow(Value cell, Value bytes, Value keep) {
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getIntegerType(8));
  auto block = rt::ReserveOp::create(rewriter, loc, type, rewriter.getI1Type(), cell, bytes, keep, /*growing=*/true);
  return rt::CheckOp::create(rewriter, loc, block.getOk(), rt::FaultKind::Recorded, "", ValueRange(),
                             ValueRange{block.getBuffer()})
      .getResult(0);
}

/// The buffer that a cell holds, without making it larger.
Value LoopBuffers::getHeld(Value cell) {
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getIntegerType(8));
  return rt::HeldOp::create(rewriter, loc, type, cell);
}

/// A view of bytes from `offset` as a dense buffer of `type` and `dims`.
Value LoopBuffers::viewAs(Value buffer, Value offset, RankedTensorType type, ArrayRef<OpFoldResult> dims) {
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

/// Slot `slot` of a value whose dims change, as a buffer of the given dims. If `isHeld`, it has the value that was
/// written last; otherwise it gets room for a new value, and its contents are lost.
Value LoopBuffers::growingSlot(const Cell &cell, Value slot, ArrayRef<OpFoldResult> dims, bool isHeld) {
  auto cells = cast<MemRefType>(cell.buffer.getType());
  SmallVector<OpFoldResult> offsets{slot, rewriter.getIndexAttr(0)},
      sizes{rewriter.getIndexAttr(1), rewriter.getIndexAttr(2)}, strides(2, rewriter.getIndexAttr(1));
  auto row = memref::SubViewOp::inferRankReducedResultType({2}, cells, offsets, sizes, strides);
  Value own = memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(row), cell.buffer, offsets, sizes, strides);
  return viewAs(isHeld ? getHeld(own) : grow(own, getBytes(cell.type, dims), index(0)), index(0), cell.type, dims);
}

/// Plans a carried value whose dims change in each iteration: two growing buffers, and its dynamic dims as iter_args.
/// Writes the initial value to slot 0.
Cell LoopBuffers::planGrowing(Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Cell cell;
  cell.type = type;
  cell.buffer = createCells({2, 2});
  cell.firstDim = initialScalars.size();
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      initialScalars.push_back(indexValue(tensor::getMixedSize(rewriter, loc, init, d)));
  write(init, growingSlot(cell, index(0), getDims(cell, initialScalars), /*isHeld=*/false));
  return cell;
}

/// Plans a value of one element as an iter_arg. Without an initial value it starts with zero.
Cell LoopBuffers::planScalar(RankedTensorType type, Value init) {
  Cell cell;
  cell.type = type;
  cell.iterArg = initialScalars.size();
  initialScalars.push_back(extractElement(rewriter, loc, init ? init : zeros(type)));
  return cell;
}
