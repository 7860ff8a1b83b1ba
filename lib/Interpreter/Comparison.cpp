// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.cpp - comparisons ---------------------------------------===//

#include "Machine.h"

#include <cmath>
#include <functional>

using namespace mlir;

namespace recur::interpreter {

template <typename Compare>
static Scalar compare(Scalar a, Scalar b) {
  return Scalar::of(Integer(a.isReal ? Compare()(a.real, b.real) : Compare()(a.integer, b.integer)));
}

static Scalar isNaN(Scalar x) { return Scalar::of(Integer(std::isnan(x.real))); }

void addComparison(Handlers &handlers) {
  addUnary<ov::IsNaNOp>(handlers, isNaN);
  addBinary<ov::EqualOp>(handlers, compare<std::equal_to<>>);
  addBinary<ov::GreaterOp>(handlers, compare<std::greater<>>);
  addBinary<ov::GreaterEqualOp>(handlers, compare<std::greater_equal<>>);
  addBinary<ov::LessOp>(handlers, compare<std::less<>>);
  addBinary<ov::LessEqualOp>(handlers, compare<std::less_equal<>>);
  addBinary<ov::NotEqualOp>(handlers, compare<std::not_equal_to<>>);
}

} // namespace recur::interpreter
