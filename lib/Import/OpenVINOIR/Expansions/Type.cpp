// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - ConvertPromoteTypes -------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// 0 for booleans, 1 for integers, 2 for real numbers.
static int getKind(Type type) { return isa<FloatType>(type) ? 2 : !type.isInteger(1); }

/// The narrower and the wider one of two types: the second if both have the same width.
static Type getWider(Type a, Type b) { return a.getIntOrFloatBitWidth() > b.getIntOrFloatBitWidth() ? a : b; }

/// The type to which both types are promoted. `target` stands for the signed integers of more than 64 bits.
static Type promote(Type a, Type b, Type target) {
  if (a == b)
    return a;
  if (getKind(a) != getKind(b))
    return getKind(a) > getKind(b) ? a : b;
  if (getKind(a) == 2)
    return a.getIntOrFloatBitWidth() == b.getIntOrFloatBitWidth() ? Type(Float32Type::get(a.getContext()))
                                                                  : getWider(a, b);
  if (a.isUnsignedInteger() == b.isUnsignedInteger())
    return getWider(a, b);
  unsigned unsignedBits = (a.isUnsignedInteger() ? a : b).getIntOrFloatBitWidth();
  unsigned signedBits = (a.isUnsignedInteger() ? b : a).getIntOrFloatBitWidth();
  if (unsignedBits == 64)
    return target;
  return IntegerType::get(a.getContext(), std::max(2 * unsignedBits, signedBits));
}

/// True if OpenVINO takes a conversion as one that keeps all digits. It compares only widths.
static bool isSafe(Type from, Type to) {
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (from == to || getKind(from) == 0)
    return true;
  if (getKind(from) != getKind(to))
    return getKind(to) == 2 && toBits >= 2 * fromBits;
  if (from.isUnsignedInteger() == to.isUnsignedInteger())
    return toBits >= fromBits;
  return from.isUnsignedInteger() && 2 * toBits >= fromBits;
}

LogicalResult recur::ir::expandConvertPromoteTypes(Expansion &e) {
  Value a = e.operand(0), b = e.operand(1);
  Type first = elementOf(a), second = elementOf(b), result;
  bool isScalar = e.flag("pytorch_scalar_promotion") && (rankOf(a) == 0) != (rankOf(b) == 0);
  // A scalar takes the type of the tensor, unless its kind is above that of the tensor.
  Type scalar = rankOf(a) == 0 ? first : second, tensor = rankOf(a) == 0 ? second : first;
  bool takesTensor = isScalar && getKind(scalar) <= getKind(tensor);
  result = takesTensor ? tensor : promote(first, second, e.type("u64_integer_promotion_target"));
  bool isOneOfBoth = result == first || result == second;
  if (!e.flag("promote_unsafe") && !(isOneOfBoth && isSafe(first, result) && isSafe(second, result)))
    return e.error("expected types whose promotion loses no digits, but got " + spell(first) + " and " + spell(second));
  return e.replace({e.convert(a, result), e.convert(b, result)});
}
