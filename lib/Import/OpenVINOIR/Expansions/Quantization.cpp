// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Quantization.cpp - Quantization ------------------------------------===//
//
// This file expands FakeQuantize: it rounds numbers to a few levels, which it computes with ordinary arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

LogicalResult recur::ir::expandFakeQuantize(Expansion &e) {
  if (e.integer("levels") < 2)
    return e.error("expected 'levels' to be 2 or more, but got " + Twine(e.integer("levels")));
  if (e.text("auto_broadcast") == "pdpd")
    return e.error("auto_broadcast 'pdpd' is not supported");
  Value data = e.operand(0), inLow = e.operand(1), inHigh = e.operand(2), outLow = e.operand(3), outHigh = e.operand(4);
  double steps = double(e.integer("levels") - 1);
  Value place = e.multiply(e.divide(e.subtract(data, inLow), e.subtract(inHigh, inLow)), steps);
  Value level = e.make<ov::RoundOp>(
      place, e.attribute("mode", ov::RoundModeAttr::get(place.getContext(), ov::RoundMode::HalfToEven)));
  Value result = e.add(e.multiply(e.divide(level, steps), e.subtract(outHigh, outLow)), outLow);
  Value isBelow = e.make<ov::LessEqualOp>({data, e.minimum(inLow, inHigh)});
  Value isAbove = e.make<ov::GreaterOp>({data, e.maximum(inLow, inHigh)});
  return e.replace(e.select(isBelow, outLow, e.select(isAbove, outHigh, result)));
}
