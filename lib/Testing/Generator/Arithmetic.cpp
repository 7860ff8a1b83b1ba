// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - arithmetic operations ---------------------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitArithmetic(Scope &scope, StringRef op) {
  Value a = anyNumber(scope);
  const Value *y =
      chance(15) ? nullptr : pickPartner(scope, a, [&](const Value &value) { return value.element == a.element; });
  // The constant is one number, one row, or of the full shape.
  llvm::SmallVector<int64_t> shape;
  if (!y && a.isStatic() && chance(scope.most || wantsWeights ? 60 : 10)) {
    for (const Dim &dim : a.dims)
      shape.push_back(dim.size);
    if (chance(40))
      shape.erase(shape.begin(), shape.begin() + random(shape.size() + 1));
  }
  Value b = y ? *y : randomConstant(scope, a.element, shape);
  Value whole = a;
  whole.dims = broadcastDims(a, b);
  if (whole.countElements() > scope.limit(600))
    return false;
  if (chance(50))
    std::swap(a, b);
  Attributes attributes;
  if (a.dims == b.dims && chance(20))
    attributes.push_back({"auto_broadcast", "none"});
  Value result = create(scope, op, "opset1", {a, b}, attributes, a.element, broadcastDims(a, b));
  if (a.isReal() && a.fraction >= 0 && b.fraction >= 0) {
    bool isProduct = op == "Multiply", isSum = op == "Add" || op == "Subtract";
    result.magnitude = isProduct ? a.magnitude + b.magnitude : std::max(a.magnitude, b.magnitude) + isSum;
    result.fraction = isProduct ? a.fraction + b.fraction : std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

bool Builder::emitDivide(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x, b;
  const Value *y =
      pickPartner(scope, a, [&](const Value &value) { return value.element == a.element && value.isExact(); });
  Value whole = a;
  whole.dims = y ? broadcastDims(a, *y) : a.dims;
  bool isRuntime = y && a.isInteger() && whole.countElements() <= scope.limit(600) && chance(40);
  if (isRuntime) {
    b = *y;
    // A divisor is rarely 0, which is a fault.
    if (!chance(5)) {
      Value zero = integers(scope, {0}, true, b.element), one = integers(scope, {1}, true, b.element);
      Value isZero = create(scope, "Equal", "opset1", {b, zero}, {}, RECUR_BOOLEAN, b.dims);
      b = create(scope, "Select", "opset1", {isZero, one, b}, {}, b.element, b.dims);
    }
  } else {
    Tensor divisor(a.element, {});
    if (a.isReal())
      divisor.setReal(0, (chance(50) ? 1 : -1) * (1 + int(random(8))) / 4.0);
    else
      divisor.setInteger(0, 1 + random(5));
    b = constant(scope, divisor);
  }
  Attributes attributes;
  if (chance(40))
    attributes.push_back({"m_pythondiv", "false"});
  return add(scope, create(scope, "Divide", "opset1", {a, b}, attributes, a.element, broadcastDims(a, b)));
}

bool Builder::emitModulo(Scope &scope, StringRef op) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.isExact(); });
  if (!x)
    return false;
  Value a = *x;
  Tensor divisor(a.element, {});
  bool isUnsigned = a.element >= RECUR_U8 && a.element <= RECUR_U64;
  if (a.isReal())
    divisor.setReal(0, (chance(50) ? 1 : -1) * (1 + int(random(8))) / 4.0);
  else
    divisor.setInteger(0, (chance(30) && !isUnsigned ? -1 : 1) * int(1 + random(5)));
  // The quotient of a real number may need more bits than the operands have.
  if (a.isReal() && a.magnitude + a.fraction > 8)
    return false;
  Value result = create(scope, op, "opset1", {a, constant(scope, divisor)}, {}, a.element, a.dims);
  if (a.isReal()) {
    result.magnitude = 2;
    result.fraction = std::max(a.fraction, 2);
  }
  return add(scope, result);
}

bool Builder::emitPower(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x;
  if (a.isReal())
    a = clampTo(scope, a, 8);
  Tensor exponent(a.element, {});
  static const double exponents[] = {2, 0.5, 1, 3, 0, -1, 1.5};
  if (a.isReal())
    exponent.setReal(0, exponents[random(std::size(exponents))]);
  else
    exponent.setInteger(0, int(random(5)) - (chance(20) && a.element < RECUR_U8));
  return add(scope, create(scope, "Power", "opset1", {a, constant(scope, exponent)}, {}, a.element, a.dims));
}

/// Makes an op whose operand is rarely negative.
bool Builder::emitOfPositive(Scope &scope, StringRef op) {
  Value input = anyReal(scope);
  if (!chance(10))
    input = createExactly(scope, "Abs", {input}, {}, input.dims);
  return add(scope, create(scope, op, "opset8", {input}, {}, input.element, input.dims));
}

/// Makes an op whose operand is in [-3/4, 3/4]. Its derivative is not large there.
bool Builder::emitOfFraction(Scope &scope, StringRef op) {
  Value input = clampTo(scope, anyReal(scope), 0.75);
  return add(scope, create(scope, op, "opset8", {input}, {}, input.element, input.dims));
}

/// Makes an op whose operand is at least 5/4.
bool Builder::emitOfGreater(Scope &scope, StringRef op) {
  Value input = anyReal(scope);
  input = createExactly(scope, "Clamp", {input}, {{"min", "1.25"}, {"max", "64"}}, input.dims);
  return add(scope, create(scope, op, "opset8", {input}, {}, input.element, input.dims));
}

/// Rounding has steps, so only exact values are rounded. Round takes only real ones.
bool Builder::emitRounding(Scope &scope, StringRef op) {
  bool isRound = op == "Round";
  const Value *x =
      pick(scope, [&](const Value &value) { return value.isExact() && (isRound ? value.isReal() : value.isNumber()); });
  Value input = x ? *x : randomConstant(scope, RECUR_F32, {2, 3});
  Attributes attributes;
  if (isRound)
    attributes.push_back({"mode", chance(50) ? "half_to_even" : "half_away_from_zero"});
  return add(scope, createExactly(scope, op, {input}, attributes, input.dims));
}

bool Builder::emitCumSum(Scope &scope, StringRef) {
  Value input = anyNumber(scope, 1);
  int64_t axis = random(input.getRank());
  Value result = createExactly(
      scope, "CumSum", {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()}, /*isScalar=*/true)},
      {{"exclusive", chance(40) ? "true" : "false"}, {"reverse", chance(40) ? "true" : "false"}}, input.dims);
  result.magnitude += std::max(10, bitsOf(input.countElements()));
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::arithmeticEntries = [] {
  static constexpr Entry entries[] = {
      {"Negative", &Builder::emitUnary, 3},
      {"Abs", &Builder::emitUnary, 3},
      {"Asin", &Builder::emitOfFraction, 1},
      {"Acos", &Builder::emitOfFraction, 1},
      {"Atanh", &Builder::emitOfFraction, 1},
      {"Tan", &Builder::emitOfFraction, 1},
      {"Acosh", &Builder::emitOfGreater, 1},
      {"Sinh", &Builder::emitOfSmall, 1},
      {"Cosh", &Builder::emitOfSmall, 1},
      {"Sin", &Builder::emitOfSmall, 1},
      {"Cos", &Builder::emitOfSmall, 1},
      {"Sqrt", &Builder::emitOfPositive, 1},
      {"Log", &Builder::emitOfPositive, 1},
      {"Add", &Builder::emitArithmetic, 4},
      {"Subtract", &Builder::emitArithmetic, 3},
      {"Multiply", &Builder::emitArithmetic, 3},
      {"Maximum", &Builder::emitArithmetic, 2},
      {"Minimum", &Builder::emitArithmetic, 2},
      {"SquaredDifference", &Builder::emitArithmetic, 1},
      {"Divide", &Builder::emitDivide, 4},
      {"Mod", &Builder::emitModulo, 2},
      {"FloorMod", &Builder::emitModulo, 2},
      {"Power", &Builder::emitPower, 4},
      {"Floor", &Builder::emitRounding, 1},
      {"Ceiling", &Builder::emitRounding, 1},
      {"Round", &Builder::emitRounding, 1},
      {"Sign", &Builder::emitRounding, 1},
      {"CumSum", &Builder::emitCumSum, 3},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
