// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tensor.h - the interpreter's values ----------------------*- C++ -*-===//
//
// Tensors and elements of the reference interpreter. They do not depend on MLIR's attributes or on the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_INTERPRETER_TENSOR_H
#define RECUR_INTERPRETER_TENSOR_H

#include "Recur/Target/ElementType.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace recur::interpreter {

/// Holds every integer of every element type exactly, and every sum and product of two of them, except products of u64.
__extension__ typedef __int128 Integer;

/// The dims of a tensor, or a list of indices. All are known.
using Shape = llvm::SmallVector<int64_t, 4>;

/// An element: a real number (a double represents those of every type exactly) or an integer (a boolean is 0 or 1).
struct Scalar {
  bool isReal = false;
  double real = 0;
  Integer integer = 0;
  /// The result of a function such as exp, which other implementations may round to another number nearby. A
  /// Disturbance changes it even if it is representable.
  bool isRounded = false;

  static Scalar of(double value) { return {true, value, 0, false}; }
  static Scalar of(Integer value) { return {false, 0, value, false}; }
  static Scalar rounded(double value) { return {true, value, 0, true}; }
};

/// While an object of this class lives, each inexact real number that this thread stores in a tensor is changed by half
/// of `ulps` to `ulps` units in the last place, at random. The effect on a result shows how far correct implementations
/// may differ. At most one object may live in a thread at a time.
class Disturbance {
public:
  /// `ulps` is the greatest change in units in the last place. The same seed gives the same changes.
  Disturbance(uint64_t seed, double ulps);
  ~Disturbance();
  Disturbance(const Disturbance &) = delete;

  /// Changes a value at random. `ulp` is the relative distance of neighbouring numbers of the type, `least` the
  /// absolute distance of those next to zero. Zero stays zero.
  double apply(double value, double ulp, double least);

  /// Changes a partial sum by an eighth of a unit in the last place, always in the same direction. If equal numbers are
  /// added one by one, all sums are rounded in one direction, and the error grows with their number.
  double drift(double sum, double ulp) const { return sum + direction * sum * ulp / 8; }

private:
  uint64_t state;
  /// 1 or -1.
  double direction;
  double ulps;
};

/// Returns `value`, an intermediate value in the computation of a result of `type`, or a changed value. Implementations
/// round such a value to f32 (to f64 if `type` is f64), so a living Disturbance changes it by units of that type.
double disturbOnTheWay(recur_element_type type, double value);

/// The same for an angle, which implementations reduce to a part of a turn: one up to 2^20, and any of f64, stays as it
/// is. Beyond, a living Disturbance turns it by up to 2^-50 of it.
double disturbAngle(recur_element_type type, double angle);

/// The same for a partial sum: one that needs no rounding stays as it is.
double disturbSum(recur_element_type type, double sum);

/// The relative distance of neighbouring numbers of a real type: the distance from 1 to the next number.
double getEpsilon(recur_element_type type);
/// The greatest finite number of a real type.
double getGreatest(recur_element_type type);

/// The name of an element type in OpenVINO's IR, such as "f32".
llvm::StringRef getElementName(recur_element_type type);

/// True for f16, bf16, f32 and f64.
bool isReal(recur_element_type type);

/// A dense, row-major tensor.
class Tensor {
public:
  Tensor() = default;
  /// A tensor of zeros. The number of elements of `shape` must fit 64 bits.
  Tensor(recur_element_type type, llvm::ArrayRef<int64_t> shape);

  recur_element_type getType() const { return type; }
  const Shape &getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDim(int64_t axis) const { return shape[axis]; }
  int64_t getNumElements() const { return count; }
  llvm::ArrayRef<char> getBytes() const { return data; }
  llvm::MutableArrayRef<char> getBytes() { return data; }

  /// The element at `index`, its row-major position. The other functions take the same index.
  Scalar get(int64_t index) const;
  /// Stores a value. A real number is rounded to nearest, ties to even; an integer wraps. The value must be real if the
  /// element type is real, and an integer otherwise.
  void set(int64_t index, Scalar value);
  /// The same for tensors whose elements are known to be real, or integers or booleans.
  double getReal(int64_t index) const { return get(index).real; }
  Integer getInteger(int64_t index) const { return get(index).integer; }
  void setReal(int64_t index, double value) { set(index, Scalar::of(value)); }
  void setInteger(int64_t index, Integer value) { set(index, Scalar::of(value)); }
  /// Copies the bytes of elements, which follow one another, of a tensor of the same type.
  void copy(int64_t index, const Tensor &from, int64_t fromIndex, int64_t elements = 1);

  /// The same elements with another shape, which must have the same number of elements.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

private:
  recur_element_type type = RECUR_F32;
  Shape shape;
  int64_t count = 0;
  std::vector<char> data;
};

/// Converts as `ov.convert` does. A conversion between real types does not round here; Tensor::set rounds.
Scalar convertScalar(Scalar value, recur_element_type from, recur_element_type to);

/// The number of elements, or -1 if a dim is negative or the number does not fit 64 bits.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// The row-major offset, in elements, of the element at the indices `place` in a tensor of `shape`.
int64_t getOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> place);

/// Calls `visit` with the indices of each element of a tensor of `shape`, in row-major order.
void forEachPlace(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// Describes the first difference of `got` from `want` in words, or returns an empty string. Real numbers a and b agree
/// if they are equal, both NaN, or |a - b| <= atol + rtol * |b| with b of `want` finite. Integers must be equal.
std::string describeDifference(const Tensor &got, const Tensor &want, double rtol, double atol);

} // namespace recur::interpreter

#endif // RECUR_INTERPRETER_TENSOR_H
