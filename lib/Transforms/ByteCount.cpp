// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteCount.cpp - Bytes of buffers without overflow ------------------===//

#include "ByteCount.h"

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;

std::optional<int64_t> recur::getStaticBytes(ShapedType type) {
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  std::optional<int64_t> bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t dim : type.getShape())
    if (bytes && !ShapedType::isDynamic(dim))
      bytes = llvm::checkedMul(*bytes, dim);
  return bytes;
}

Value recur::buildByteCount(OpBuilder &builder, Location loc, int64_t staticBytes, ValueRange dims, int64_t limit) {
  Value bytes = arith::ConstantIndexOp::create(builder, loc, staticBytes);
  Value bound = arith::ConstantIndexOp::create(builder, loc, limit);
  for (Value dim : dims) {
    // Checks that bytes * dim <= limit, without overflow. A negative dim is a large unsigned number. After a dim of 0,
    // `bytes` is 0, and the division needs at least 1.
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value most = arith::DivUIOp::create(builder, loc, bound, arith::MaxUIOp::create(builder, loc, bytes, one));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, dim, most);
    Value detail = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), dim);
    Value checked = rt::CheckOp::create(builder, loc, fits, rt::FaultKind::Overflow,
                                        "a buffer with a dim of {0} is too large", detail, dim)
                        .getResult(0);
    bytes = arith::MulIOp::create(builder, loc, bytes, checked);
  }
  return bytes;
}
