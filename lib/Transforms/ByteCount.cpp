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

/// No dim of a buffer is greater, not even that of one without elements.
static constexpr int64_t kMostOfDim = int64_t(1) << 48;

/// The most elements of the dynamic dims of a buffer of at most `limit` bytes. It is rounded down so that it depends
/// little on `staticBytes`: buffers of the same dims, but different element types, have the same check.
static int64_t getMostElements(int64_t staticBytes, int64_t limit) {
  uint64_t bits = llvm::alignTo(llvm::Log2_64_Ceil(std::max<int64_t>(staticBytes, 2)), 6);
  int64_t most = bits < 63 ? limit >> bits : 0;
  return most > 0 ? most : limit / staticBytes;
}

Value recur::buildByteCount(OpBuilder &builder, Location loc, int64_t staticBytes, ValueRange dims, int64_t limit) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  if (dims.empty())
    return constant(staticBytes);
  auto asI64 = [&](Value x) -> Value { return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), x); };
  auto asF64 = [&](Value x) -> Value { return arith::SIToFPOp::create(builder, loc, builder.getF64Type(), asI64(x)); };
  // A product of f64 does not wrap. A negative dim is a large unsigned number.
  Value elements = dims.front(), greatest = elements, product;
  for (Value dim : dims.drop_front()) {
    product = arith::MulFOp::create(builder, loc, product ? product : asF64(dims.front()), asF64(dim));
    elements = arith::MulIOp::create(builder, loc, elements, dim);
    greatest = arith::MaxUIOp::create(builder, loc, greatest, dim);
  }
  int64_t most = getMostElements(staticBytes, limit);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, greatest,
                                     constant(product ? kMostOfDim : std::min(kMostOfDim, most)));
  if (product) {
    Value bound = arith::ConstantFloatOp::create(builder, loc, builder.getF64Type(), llvm::APFloat(double(most)));
    // The product is not a number if it was infinite before a dim of 0.
    Value isFew = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULE, product, bound);
    fits = arith::AndIOp::create(builder, loc, fits, isFew);
  }
  elements = rt::CheckOp::create(builder, loc, fits, rt::FaultKind::Overflow, "a buffer with a dim of {0} is too large",
                                 asI64(greatest), elements)
                 .getResult(0);
  return arith::MulIOp::create(builder, loc, elements, constant(staticBytes));
}
