// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tensor.cpp - the interpreter's values ------------------------------===//
//
// Elements are read and written as a double or a wide integer, whatever their type is, so that the functions of the ops
// need no code for single types. All rounding and wrapping happens when an element is stored.
//
//===----------------------------------------------------------------------===//

#include "Recur/Interpreter/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using llvm::APFloat;
using llvm::ArrayRef;

namespace recur::interpreter {

llvm::StringRef getElementName(recur_element_type type) {
  static constexpr llvm::StringRef names[] = {"",    "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                              "u16", "u32",     "u64", "f16", "bf16", "f32", "f64"};
  return names[type];
}

bool isReal(recur_element_type type) {
  return type == RECUR_F16 || type == RECUR_BF16 || type == RECUR_F32 || type == RECUR_F64;
}

static bool isUnsigned(recur_element_type type) { return type >= RECUR_U8 && type <= RECUR_U64; }

static const llvm::fltSemantics &getSemantics(recur_element_type type) {
  switch (type) {
  case RECUR_F16:
    return APFloat::IEEEhalf();
  case RECUR_BF16:
    return APFloat::BFloat();
  case RECUR_F32:
    return APFloat::IEEEsingle();
  default:
    return APFloat::IEEEdouble();
  }
}

double getEpsilon(recur_element_type type) {
  switch (type) {
  case RECUR_F16:
    return 0x1p-10;
  case RECUR_BF16:
    return 0x1p-7;
  case RECUR_F32:
    return 0x1p-23;
  default:
    return 0x1p-52;
  }
}

double getGreatest(recur_element_type type) {
  switch (type) {
  case RECUR_F16:
    return 65504;
  case RECUR_BF16:
    return 0x1.fep127;
  case RECUR_F32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

/// The smallest positive number of a real type, which is also the distance of its numbers next to zero. Some CPUs round
/// what is below the least normal number of bf16 to 0.
static double getLeast(recur_element_type type) {
  switch (type) {
  case RECUR_F16:
    return 0x1p-24;
  case RECUR_BF16:
    return 0x1p-126;
  case RECUR_F32:
    return 0x1p-149;
  default:
    return 0x1p-1074;
  }
}

static thread_local Disturbance *disturbance;

Disturbance::Disturbance(uint64_t seed, double ulps) : state(seed), direction(seed % 2 ? 1 : -1), ulps(ulps) {
  disturbance = this;
}
Disturbance::~Disturbance() { disturbance = nullptr; }

double Disturbance::apply(double value, double ulp, double least) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  // The change is at least half of `ulps`. A smaller one could be rounded away, and then the value would look exact
  // even after several disturbed runs.
  double random = double(int64_t(state)) * 0x1p-64;
  random += random < 0 ? -0.5 : 0.5;
  // Numbers next to zero (subnormal ones) have the constant distance `least`.
  return value == 0 ? value : value + random * ulps * std::max(std::fabs(value) * ulp, least);
}

/// The type in which sums of elements of `type` are computed.
static recur_element_type getComputedType(recur_element_type type) { return type == RECUR_F64 ? RECUR_F64 : RECUR_F32; }

double disturbOnTheWay(recur_element_type type, double value) {
  recur_element_type computed = getComputedType(type);
  return disturbance ? disturbance->apply(value, getEpsilon(computed), getLeast(computed)) : value;
}

double disturbAngle(recur_element_type type, double angle) {
  bool isExact = !disturbance || type == RECUR_F64 || !std::isfinite(angle) || std::fabs(angle) <= 0x1p20;
  return isExact ? angle : disturbance->apply(angle, 0x1p-50, 0);
}

Tensor::Tensor(recur_element_type type, ArrayRef<int64_t> shape)
    : type(type), shape(shape.begin(), shape.end()), count(countElements(shape)),
      data(count * getElementBytes(type), 0) {}

/// The value of the bits of an f16 or bf16.
static double decodeNarrow(recur_element_type type, uint16_t bits) {
  if (type == RECUR_BF16)
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  APFloat value(APFloat::IEEEhalf(), llvm::APInt(16, bits));
  return value.convertToDouble();
}

Scalar Tensor::get(int64_t index) const {
  const char *place = data.data() + index * getElementBytes(type);
  auto read = [place](auto value) {
    std::memcpy(&value, place, sizeof(value));
    return value;
  };
  switch (type) {
  case RECUR_BOOLEAN:
    return Scalar::of(Integer(*place != 0));
  case RECUR_I8:
    return Scalar::of(Integer(read(int8_t())));
  case RECUR_I16:
    return Scalar::of(Integer(read(int16_t())));
  case RECUR_I32:
    return Scalar::of(Integer(read(int32_t())));
  case RECUR_I64:
    return Scalar::of(Integer(read(int64_t())));
  case RECUR_U8:
    return Scalar::of(Integer(read(uint8_t())));
  case RECUR_U16:
    return Scalar::of(Integer(read(uint16_t())));
  case RECUR_U32:
    return Scalar::of(Integer(read(uint32_t())));
  case RECUR_U64:
    return Scalar::of(Integer(read(uint64_t())));
  case RECUR_F16:
  case RECUR_BF16:
    return Scalar::of(decodeNarrow(type, read(uint16_t())));
  case RECUR_F32:
    return Scalar::of(double(read(float())));
  case RECUR_F64:
    return Scalar::of(read(double()));
  }
  return {};
}

/// The nearest number of a real type, ties to even.
static double roundTo(recur_element_type type, double value) {
  if (type == RECUR_F64)
    return value;
  if (type == RECUR_F32)
    return float(value);
  APFloat rounded(value);
  bool ignored;
  rounded.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &ignored);
  return rounded.convertToDouble();
}

/// True if `rounded` is not exactly `value`. For f64 this is a guess, because the computation rounded already: the low
/// bits of a value that is exact in a test are zero.
static bool isInexact(recur_element_type type, double value, double rounded) {
  if (type == RECUR_F64)
    return (llvm::bit_cast<uint64_t>(value) & 0xffffff) != 0;
  return value != rounded;
}

double disturbSum(recur_element_type type, double sum) {
  recur_element_type computed = getComputedType(type);
  // A sum of 2^53 or more may have lost an addend of any type without a trace in its bits.
  bool isExact = !disturbance || !std::isfinite(sum) ||
                 (std::fabs(sum) < 0x1p53 && !isInexact(computed, sum, roundTo(computed, sum)));
  return isExact ? sum : disturbance->drift(disturbOnTheWay(type, sum), getEpsilon(computed));
}

void Tensor::set(int64_t index, Scalar value) {
  char *place = data.data() + index * getElementBytes(type);
  auto write = [place](auto bits) { std::memcpy(place, &bits, sizeof(bits)); };
  if (isReal(type)) {
    double rounded = roundTo(type, value.real);
    if (disturbance && std::isfinite(rounded) && (value.isRounded || isInexact(type, value.real, rounded)))
      rounded = roundTo(type, disturbance->apply(rounded, getEpsilon(type), getLeast(type)));
    if (type == RECUR_F64)
      return write(rounded);
    if (type == RECUR_F32)
      return write(float(rounded));
    APFloat narrow(rounded);
    bool ignored;
    narrow.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &ignored);
    return write(uint16_t(narrow.bitcastToAPInt().getZExtValue()));
  }
  if (type == RECUR_BOOLEAN)
    return write(char(value.integer != 0));
  uint64_t bits = uint64_t(value.integer);
  std::memcpy(place, &bits, getElementBytes(type));
}

void Tensor::copy(int64_t index, const Tensor &from, int64_t fromIndex, int64_t elements) {
  unsigned bytes = getElementBytes(type);
  std::memcpy(data.data() + index * bytes, from.data.data() + fromIndex * bytes, elements * bytes);
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

Scalar convertScalar(Scalar value, recur_element_type from, recur_element_type to) {
  if (to == RECUR_BOOLEAN)
    return Scalar::of(Integer(value.isReal ? value.real != 0 : value.integer != 0));
  if (isReal(to)) {
    // A real number is rounded when it is stored. An integer is rounded to the type here, because it may have more bits
    // than a double.
    if (value.isReal)
      return value;
    APFloat result(getSemantics(to));
    llvm::APInt bits(64, uint64_t(value.integer));
    result.convertFromAPInt(bits, !isUnsigned(from), APFloat::rmNearestTiesToEven);
    bool ignored;
    result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
    return Scalar::of(result.convertToDouble());
  }
  if (!value.isReal)
    return value;
  // Truncate and saturate; NaN becomes 0.
  unsigned width = getElementBytes(to) * 8;
  Integer one = 1, low = isUnsigned(to) ? 0 : -(one << (width - 1)),
          high = (one << (isUnsigned(to) ? width : width - 1)) - 1;
  if (std::isnan(value.real))
    return Scalar::of(Integer(0));
  double whole = std::trunc(value.real);
  if (whole <= double(low))
    return Scalar::of(low);
  if (whole >= std::ldexp(1.0, isUnsigned(to) ? width : width - 1))
    return Scalar::of(high);
  return Scalar::of(Integer(whole));
}

int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    if (dim < 0 || llvm::MulOverflow(count, dim, count))
      return -1;
  return count;
}

int64_t getOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> place) {
  int64_t offset = 0;
  for (size_t i = 0; i != shape.size(); ++i)
    offset = offset * shape[i] + place[i];
  return offset;
}

void forEachPlace(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  Shape place(shape.size(), 0);
  for (int64_t i = 0, e = countElements(shape); i < e; ++i) {
    visit(place);
    for (size_t axis = shape.size(); axis-- != 0;) {
      if (++place[axis] != shape[axis])
        break;
      place[axis] = 0;
    }
  }
}

static std::string spell(Scalar value) {
  if (value.isReal) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", value.real);
    return text;
  }
  bool isNegative = value.integer < 0;
  uint64_t magnitude = uint64_t(isNegative ? -value.integer : value.integer);
  return (isNegative ? "-" : "") + std::to_string(magnitude);
}

static std::string spell(ArrayRef<int64_t> shape) {
  return llvm::formatv("[{0:$[,]}]", llvm::make_range(shape.begin(), shape.end())).str();
}

std::string describeDifference(const Tensor &got, const Tensor &want, double rtol, double atol) {
  if (got.getType() != want.getType())
    return "another element type";
  if (got.getShape() != want.getShape())
    return "shape " + spell(got.getShape()) + ", expected " + spell(want.getShape());
  for (int64_t i = 0; i != want.getNumElements(); ++i) {
    Scalar a = got.get(i), b = want.get(i);
    bool isSame = !a.isReal
                      ? a.integer == b.integer
                      : a.real == b.real || (std::isnan(a.real) && std::isnan(b.real)) ||
                            (std::isfinite(b.real) && std::fabs(a.real - b.real) <= atol + rtol * std::fabs(b.real));
    if (!isSame)
      return llvm::formatv("element {0} of shape {1} is {2}, expected {3}", i, spell(want.getShape()), spell(a),
                           spell(b))
          .str();
  }
  return {};
}

} // namespace recur::interpreter
