// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightsDiff.cpp - How two constants differ -------------------------===//
//
// The interpreter evaluates both constants, because it knows how elements lie in the weights file, and the steps of
// their layouts. Equal bytes are recognized first.
//
//===----------------------------------------------------------------------===//

#include "WeightsDiff.h"

#include "Recur/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::diff;
using interpreter::Scalar;
using interpreter::Tensor;

/// The elements of a constant. On failure, the text says why.
static std::string evaluate(ov::ConstantOp constant, ArrayRef<char> weights, Tensor &result) {
  OpBuilder builder(constant.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, constant.getLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto type = builder.getFunctionType({}, constant->getResultTypes());
  auto function = func::FuncOp::create(builder, constant.getLoc(), "constant", type);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Operation *copy = builder.clone(*constant);
  func::ReturnOp::create(builder, constant.getLoc(), copy->getResults());
  ModelRun run = interpret(*module, weights, {});
  if (run.status != RECUR_OK)
    return run.message.empty() ? "the constant cannot be evaluated" : run.message;
  result = std::move(run.outputs.front());
  return {};
}

static double toReal(Scalar value) { return value.isReal ? value.real : double(value.integer); }

/// A number as text, with so many digits.
static std::string spell(double value, int digits) {
  char text[32];
  (void)snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

/// An element as text, from which its value can be read again, but in few digits if they suffice.
static std::string spell(const Tensor &tensor, int64_t index) {
  Scalar value = tensor.get(index);
  if (!value.isReal)
    return value.integer < 0 ? std::to_string(int64_t(value.integer)) : std::to_string(uint64_t(value.integer));
  bool isWide = tensor.getType() == RECUR_F64;
  std::string text = spell(value.real, 6);
  double read = std::strtod(text.c_str(), nullptr);
  if (isWide ? read == value.real : float(read) == float(value.real))
    return text;
  return spell(value.real, isWide ? 17 : 9);
}

/// The indices of an element as text, such as [0, 4].
static std::string spellPlace(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> place(shape.size());
  for (size_t i = shape.size(); i-- != 0; index /= shape[i])
    place[i] = index % shape[i];
  return llvm::formatv("[{0:$[, ]}]", llvm::make_range(place.begin(), place.end())).str();
}

/// True if two elements that are not equal bit by bit agree all the same.
static bool agree(Scalar a, Scalar b, const DiffOptions &options, bool sameType) {
  if (!a.isReal && !b.isReal)
    return a.integer == b.integer;
  double x = toReal(a), y = toReal(b);
  bool isExact = options.rtol == 0 && options.atol == 0;
  // Elements of one type with other bits are zeros with signs, or NaNs.
  if (isExact && sameType)
    return false;
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return true;
  return std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= options.atol + options.rtol * std::fabs(x);
}

std::string recur::diff::describeWeights(ov::ConstantOp constant, ArrayRef<char> before, ov::ConstantOp other,
                                         ArrayRef<char> after, const DiffOptions &options) {
  auto type = cast<RankedTensorType>(constant.getType()), otherType = cast<RankedTensorType>(other.getType());
  if (type.getShape() != otherType.getShape())
    return {};
  // Attributes of one context are equal if they are the same; those of weights files say where the bytes are.
  if (constant.getValue() == other.getValue() && !isa<ov::WeightsAttr>(constant.getValue()))
    return {};
  Tensor a, b;
  if (std::string problem = evaluate(constant, before, a); !problem.empty())
    return problem;
  if (std::string problem = evaluate(other, after, b); !problem.empty())
    return problem;
  bool sameType = a.getType() == b.getType();
  if (sameType && a.getBytes() == b.getBytes())
    return {};
  int64_t count = 0, first = 0;
  size_t bytes = a.getNumElements() ? a.getBytes().size() / a.getNumElements() : 0;
  double largest = 0, relative = 0;
  for (int64_t i = 0; i != a.getNumElements(); ++i) {
    if (sameType && a.getBytes().slice(i * bytes, bytes) == b.getBytes().slice(i * bytes, bytes))
      continue;
    Scalar x = a.get(i), y = b.get(i);
    if (agree(x, y, options, sameType))
      continue;
    if (count++ == 0)
      first = i;
    double p = toReal(x), q = toReal(y), difference = std::fabs(p - q), size = std::max(std::fabs(p), std::fabs(q));
    // A NaN or an infinity is infinitely far from any other number.
    if (!std::isfinite(p) || !std::isfinite(q))
      difference = std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
    relative = std::max(relative, size == 0 ? 0 : std::isfinite(difference) ? difference / size : difference);
  }
  if (count == 0)
    return {};
  return llvm::formatv("weights: {0} of {1} elements differ, first at {2}: {3} -> {4}; largest difference {5} "
                       "absolute, {6} relative",
                       count, a.getNumElements(), spellPlace(a.getShape(), first), spell(a, first), spell(b, first),
                       spell(largest, 3), spell(relative, 3))
      .str();
}
