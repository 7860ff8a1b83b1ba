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
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto both = [&](Value x, Value y) -> Value { return arith::AndIOp::create(builder, loc, x, y); };
  auto isAtMost = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, x, y);
  };
  if (dims.empty())
    return constant(staticBytes);
  // The first product needs no division at run time. A negative dim is a large unsigned number.
  Value first = dims.front(), fits = isAtMost(first, constant(limit / std::max<int64_t>(staticBytes, 1)));
  Value bytes = arith::MulIOp::create(builder, loc, constant(staticBytes), first), greatest = first;
  // `above` collects the bits of products and dims above those of a size. After a dim of 0, products do not show that
  // another dim is too large.
  Value above;
  for (Value dim : dims.drop_front()) {
    auto product = arith::MulUIExtendedOp::create(builder, loc, bytes, dim);
    Value ofDim = arith::ShRUIOp::create(builder, loc, dim, constant(llvm::Log2_64(limit) + 1));
    Value more = arith::OrIOp::create(builder, loc, product.getHigh(), ofDim);
    above = above ? arith::OrIOp::create(builder, loc, above, more).getResult() : more;
    bytes = product.getLow();
    greatest = arith::MaxUIOp::create(builder, loc, greatest, dim);
  }
  if (above)
    fits = both(both(fits, isAtMost(above, constant(0))), isAtMost(bytes, constant(limit)));
  Value detail = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), greatest);
  return rt::CheckOp::create(builder, loc, fits, rt::FaultKind::Overflow, "a buffer with a dim of {0} is too large",
                             detail, bytes)
      .getResult(0);
}
