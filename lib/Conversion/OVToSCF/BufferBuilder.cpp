// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferBuilder.cpp - Emits buffers, and reads and writes them -------===//
//
// States, concatenations and results of branches are memrefs from the start, because one-shot bufferization would
// reject or copy them (docs/architecture/Loops.md, "From ov to scf"). Each function emits the ops for one step in the
// life of such a buffer.
//
//===----------------------------------------------------------------------===//

#include "BufferBuilder.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

/// The static shape, and the sizes of the dynamic dims. A value that is a constant gives a static dim.
static std::pair<SmallVector<int64_t>, SmallVector<Value>> splitDims(Builder &builder, ArrayRef<OpFoldResult> dims) {
  SmallVector<OpFoldResult> folded;
  for (OpFoldResult dim : dims) {
    std::optional<int64_t> constant = getConstantIntValue(dim);
    folded.push_back(constant ? OpFoldResult(builder.getIndexAttr(*constant)) : dim);
  }
  return decomposeMixedValues(folded);
}

Value BufferBuilder::scalarToTensor(Value scalar, RankedTensorType type) {
  return tensor::FromElementsOp::create(rewriter, loc, type, scalar);
}

Value BufferBuilder::zeros(RankedTensorType type) {
  return ov::ConstantOp::create(rewriter, loc, type,
                                DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
}

//===----------------------------------------------------------------------===//
// Buffers of known dims
//===----------------------------------------------------------------------===//

Value BufferBuilder::allocate(RankedTensorType type, ArrayRef<OpFoldResult> dims) {
  auto [shape, sizes] = splitDims(rewriter, dims);
  return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, type.getElementType()), sizes);
}

Value BufferBuilder::allocateCopies(RankedTensorType type, ArrayRef<OpFoldResult> dims, int64_t copies) {
  SmallVector<OpFoldResult> atLeastOne{rewriter.getIndexAttr(copies)};
  for (OpFoldResult dim : dims)
    atLeastOne.push_back(
        getConstantIntValue(dim)
            ? dim
            : OpFoldResult(arith::MaxUIOp::create(rewriter, loc, cast<Value>(dim), index(1)).getResult()));
  return allocate(type, atLeastOne);
}

Value BufferBuilder::getCopy(Value buffer, RankedTensorType type, ArrayRef<OpFoldResult> dims, OpFoldResult number) {
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank + 1, rewriter.getIndexAttr(0)), sizes{rewriter.getIndexAttr(1)},
      strides(rank + 1, rewriter.getIndexAttr(1));
  offsets[0] = number;
  llvm::append_range(sizes, dims);
  auto source = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(source.getShape().drop_front());
  auto result = memref::SubViewOp::inferRankReducedResultType(shape, source, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(result), buffer, offsets, sizes, strides);
}

Value BufferBuilder::readBuffer(Value buffer, Type type, bool writable) {
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto tensorType = RankedTensorType::get(bufferType.getShape(), bufferType.getElementType());
  Value tensor = bufferization::ToTensorOp::create(rewriter, loc, tensorType, buffer, /*restrict=*/true, writable);
  return tensorType == type ? tensor : tensor::CastOp::create(rewriter, loc, type, tensor).getResult();
}

void BufferBuilder::write(Value tensor, Value buffer) {
  auto materialize = bufferization::MaterializeInDestinationOp::create(rewriter, loc, Type(), tensor, buffer);
  materialize.setRestrict(true);
  materialize.setWritable(true);
}

//===----------------------------------------------------------------------===//
// Growing buffers
//===----------------------------------------------------------------------===//

Value BufferBuilder::createGrowing(ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block &entry = op->getParentOfType<func::FuncOp>().getBody().front();
  rewriter.setInsertionPointToStart(&entry);
  auto type = MemRefType::get(shape, rewriter.getI64Type());
  Value rows = memref::AllocOp::create(rewriter, loc, type);
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 64);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> at;
    if (shape.size() == 2)
      at.push_back(index(i / 2));
    at.push_back(index(i % 2));
    memref::StoreOp::create(rewriter, loc, zero, rows, at);
  }
  return rows;
}

Value BufferBuilder::getGrowing(Value rows, OpFoldResult number) {
  auto type = cast<MemRefType>(rows.getType());
  SmallVector<OpFoldResult> offsets{number, rewriter.getIndexAttr(0)},
      sizes{rewriter.getIndexAttr(1), rewriter.getIndexAttr(2)}, strides(2, rewriter.getIndexAttr(1));
  auto row = memref::SubViewOp::inferRankReducedResultType({2}, type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(row), rows, offsets, sizes, strides);
}

Value BufferBuilder::grow(Value row, Value bytes, Value keep) {
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getIntegerType(8));
  auto block = rt::ReserveOp::create(rewriter, loc, type, rewriter.getI1Type(), row, bytes, keep, /*growing=*/true);
  return rt::CheckOp::create(rewriter, loc, block.getOk(), rt::FaultKind::Recorded, "", ValueRange(),
                             ValueRange{block.getBuffer()})
      .getResult(0);
}

Value BufferBuilder::getHeld(Value row) {
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getIntegerType(8));
  return rt::HeldOp::create(rewriter, loc, type, row);
}

Value BufferBuilder::viewAs(Value bytes, Value offset, RankedTensorType type, ArrayRef<OpFoldResult> dims) {
  auto [shape, sizes] = splitDims(rewriter, dims);
  return memref::ViewOp::create(rewriter, loc, MemRefType::get(shape, type.getElementType()), bytes, offset, sizes);
}

Value BufferBuilder::getBytes(RankedTensorType type, ArrayRef<OpFoldResult> dims) {
  Value bytes = index(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (OpFoldResult dim : dims) {
    Value size = indexValue(dim);
    if (!getConstantIntValue(dim)) {
      Value most = arith::DivUIOp::create(rewriter, loc, index(int64_t(1) << 56),
                                          arith::MaxUIOp::create(rewriter, loc, bytes, index(1)));
      Value fits = compare(arith::CmpIPredicate::ule, size, most);
      size = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow, "a value with a dim of {0} is too large",
                                 asI64(size), size)
                 .getResult(0);
    }
    bytes = arith::MulIOp::create(rewriter, loc, bytes, size);
  }
  return bytes;
}
