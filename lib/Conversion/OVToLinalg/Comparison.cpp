// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.cpp - Lowering of comparisons ---------------------------===//
//
// Comparisons are payloads of the element-wise pattern (Elementwise.h). Ordered predicates make comparisons with NaN
// false; NotEqual has the unordered one, which makes them true.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace recur::ov {

/// Compares by one of three predicates: for floats, for signed and for unsigned integers.
template <typename Op, arith::CmpFPredicate real, arith::CmpIPredicate withSign, arith::CmpIPredicate withoutSign>
static Value buildCompare(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return compare(b, real, args[0], args[1]);
  return compare(b, isUnsigned(operandElement(op)) ? withoutSign : withSign, args[0], args[1]);
}

/// Only NaN is unordered with itself.
static Value buildIsNaN(LoweringBuilder &b, IsNaNOp, ValueRange args) {
  return compare(b, arith::CmpFPredicate::UNO, args[0], args[0]);
}

void populateComparisonPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  addElementwise<EqualOp, buildCompare<EqualOp, F::OEQ, I::eq, I::eq>>(converter, patterns);
  addElementwise<GreaterEqualOp, buildCompare<GreaterEqualOp, F::OGE, I::sge, I::uge>>(converter, patterns);
  addElementwise<GreaterOp, buildCompare<GreaterOp, F::OGT, I::sgt, I::ugt>>(converter, patterns);
  addElementwise<IsNaNOp, buildIsNaN>(converter, patterns);
  addElementwise<LessEqualOp, buildCompare<LessEqualOp, F::OLE, I::sle, I::ule>>(converter, patterns);
  addElementwise<LessOp, buildCompare<LessOp, F::OLT, I::slt, I::ult>>(converter, patterns);
  addElementwise<NotEqualOp, buildCompare<NotEqualOp, F::UNE, I::ne, I::ne>>(converter, patterns);
}

} // namespace recur::ov
