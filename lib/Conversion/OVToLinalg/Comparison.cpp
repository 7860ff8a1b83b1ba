// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.cpp - Lowering of comparisons ---------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace recur::ov {

template <typename Op, arith::CmpFPredicate real, arith::CmpIPredicate withSign, arith::CmpIPredicate withoutSign>
static Value buildCompare(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return compare(b, real, args[0], args[1]);
  return compare(b, isUnsigned(operandElement(op)) ? withoutSign : withSign, args[0], args[1]);
}

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
