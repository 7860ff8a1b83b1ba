// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateElementwise.cpp - one element-wise op at a time ----------===//
//
// Each function makes an op of its family out of what the scope has, or returns false where nothing fits.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using llvm::StringRef;

namespace recur::fuzz {

static std::string number(double value) { return llvm::formatv("{0:f4}", value).str(); }

bool Builder::emitUnary(Scope &scope, StringRef op) {
  Value input = anyNumber(scope);
  return add(scope, createExactly(scope, op, {input}, {}, input.dims));
}

Value Builder::clampTo(Scope &scope, const Value &value, double bound) {
  Value result =
      createExactly(scope, "Clamp", {value}, {{"min", number(-bound)}, {"max", number(bound)}}, value.dims);
  int magnitude = std::ceil(std::log2(bound));
  result.magnitude = std::min(result.magnitude, magnitude);
  return result;
}

bool Builder::emitTranscendental(Scope &scope, StringRef op) {
  Value input = anyReal(scope);
  if (op == "Exp" || op == "Sin" || op == "Cos")
    input = clampTo(scope, input, 4);
  if ((op == "Sqrt" || op == "Log") && !chance(10))
    input = createExactly(scope, "Abs", {input}, {}, input.dims);
  Attributes attributes;
  if (op == "Elu")
    attributes.push_back({"alpha", "0.5"});
  if (op == "Gelu")
    attributes.push_back({"approximation_mode", chance(50) ? "ERF" : "TANH"});
  return add(scope, create(scope, op, "opset8", {input}, attributes, input.element, input.dims));
}

bool Builder::emitArithmetic(Scope &scope, StringRef op) {
  Value a = anyNumber(scope);
  const Value *y = chance(15) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && broadcasts(a, value);
  });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  if (chance(50))
    std::swap(a, b);
  Attributes attributes;
  if (a.dims == b.dims && chance(20))
    attributes.push_back({"auto_broadcast", "none"});
  Value result = create(scope, op, "opset1", {a, b}, attributes, a.element, broadcastDims(a, b));
  if (result.countElements() > 600)
    return false;
  if (a.isReal() && a.fraction >= 0 && b.fraction >= 0) {
    bool isProduct = op == "Multiply", isSum = op == "Add" || op == "Subtract";
    result.magnitude = isProduct ? a.magnitude + b.magnitude : std::max(a.magnitude, b.magnitude) + isSum;
    result.fraction = isProduct ? a.fraction + b.fraction : std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

bool Builder::emitCompare(Scope &scope, StringRef op) {
  bool isOrder = op != "Equal" && op != "NotEqual";
  Value a = anyExact(scope);
  if (isOrder && a.element == RECUR_BOOLEAN)
    return false;
  const Value *y = chance(20) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && value.isExact() && broadcasts(a, value);
  });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  return add(scope, create(scope, op, "opset1", {a, b}, {}, RECUR_BOOLEAN, broadcastDims(a, b)));
}

bool Builder::emitLogical(Scope &scope, StringRef op) {
  Value a = anyBoolean(scope);
  if (op == "LogicalNot")
    return add(scope, createExactly(scope, op, {a}, {}, a.dims));
  const Value *y = pick(
      scope, [&](const Value &value) { return value.element == RECUR_BOOLEAN && broadcasts(a, value); });
  Value b = y ? *y : randomConstant(scope, RECUR_BOOLEAN, {});
  return add(scope, create(scope, op, "opset1", {a, b}, {}, RECUR_BOOLEAN, broadcastDims(a, b)));
}

bool Builder::emitDivide(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x, b;
  const Value *y = pick(scope, [&](const Value &value) {
    return value.element == a.element && value.isExact() && broadcasts(a, value);
  });
  bool isRuntime = y && a.isInteger() && chance(40);
  if (isRuntime) {
    b = *y;
    // Seldom a divisor of 0, which is a fault.
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

bool Builder::emitClamp(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value input = *x;
  double low = (int(random(25)) - 16) / 4.0, high = low + random(20) / 4.0;
  Value result = createExactly(scope, "Clamp", {input}, {{"min", number(low)}, {"max", number(high)}}, input.dims);
  if (result.fraction >= 0)
    result.fraction = std::max(result.fraction, 2);
  return add(scope, result);
}

bool Builder::emitSelect(Scope &scope, StringRef) {
  Value c = anyBoolean(scope);
  const Value *x = pick(scope, [&](const Value &value) { return broadcasts(c, value); });
  if (!x)
    return false;
  Value a = *x;
  Value shape = c;
  shape.dims = broadcastDims(c, a);
  const Value *y = pick(scope, [&](const Value &value) { return value.element == a.element && broadcasts(shape, value); });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  shape.dims = broadcastDims(shape, b);
  if (shape.countElements() > 600)
    return false;
  Value result = create(scope, "Select", "opset1", {c, a, b}, {}, a.element, shape.dims);
  if (a.fraction >= 0 && b.fraction >= 0) {
    result.magnitude = std::max(a.magnitude, b.magnitude);
    result.fraction = std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

bool Builder::emitConvert(Scope &scope, StringRef) {
  return add(scope, convertTo(scope, anyExact(scope), anyElement()));
}

/// Steps, so of exact values only; a Round of real ones.
bool Builder::emitRounding(Scope &scope, StringRef op) {
  bool isRound = op == "Round";
  const Value *x = pick(scope, [&](const Value &value) {
    return value.isExact() && (isRound ? value.isReal() : value.isNumber());
  });
  Value input = x ? *x : randomConstant(scope, RECUR_F32, {2, 3});
  Attributes attributes;
  if (isRound)
    attributes.push_back({"mode", chance(50) ? "half_to_even" : "half_away_from_zero"});
  return add(scope, createExactly(scope, op, {input}, attributes, input.dims));
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
  // The quotient of a real one has more bits than its parts.
  if (a.isReal() && a.magnitude + a.fraction > 8)
    return false;
  Value result = create(scope, op, "opset1", {a, constant(scope, divisor)}, {}, a.element,
                        a.dims);
  if (a.isReal()) {
    result.magnitude = 2;
    result.fraction = std::max(a.fraction, 2);
  }
  return add(scope, result);
}

/// Activations whose parameters are inputs.
bool Builder::emitParametric(Scope &scope, StringRef op) {
  Value input = anyReal(scope);
  std::vector<Value> operands{input};
  if (op == "PReLU") {
    // A slope of rank 1 belongs to dim 1, where there is one.
    llvm::SmallVector<int64_t> shape;
    const Dim *channels = input.getRank() >= 2 ? &input.dims[1] : nullptr;
    if (channels && channels->isStatic() && chance(50))
      shape.push_back(channels->size);
    else if (input.getRank() >= 2 && input.dims.back().isStatic() && chance(50))
      shape.assign({1, input.dims.back().size});
    else if (input.getRank() >= 1 && chance(50))
      shape.push_back(1);
    operands.push_back(randomConstant(scope, input.element, shape));
  } else if (op != "Swish" || chance(50)) {
    for (unsigned i = 0; i != (op == "Swish" ? 1u : 2u); ++i)
      operands.push_back(randomConstant(scope, input.element, {}));
  }
  return add(scope, create(scope, op, op == "Swish" ? "opset4" : "opset1", operands, {}, input.element, input.dims));
}

bool Builder::emitIdentity(Scope &scope, StringRef op) {
  const Value *x = pick(scope, [](const Value &) { return true; });
  Value result = createExactly(scope, op, {*x}, {}, x->dims);
  scope.graph.nodes[result.ref.node].version = "opset16";
  return add(scope, result);
}

} // namespace recur::fuzz
