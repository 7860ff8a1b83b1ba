// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tensor.h - the interpreter's values ----------------------*- C++ -*-===//
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

/// Holds every integer of every element type, and all their sums and products but those of u64, exactly.
__extension__ typedef __int128 Integer;

using Shape = llvm::SmallVector<int64_t, 4>;

/// An element: a real number (each element type's are doubles) or an integer (0 or 1 of a boolean).
struct Scalar {
  bool isReal = false;
  double real = 0;
  Integer integer = 0;
  /// A real number that others may compute as one nearby: what exp and its like give.
  bool isRounded = false;

  static Scalar of(double value) { return {true, value, 0, false}; }
  static Scalar of(Integer value) { return {false, 0, value, false}; }
  static Scalar rounded(double value) { return {true, value, 0, true}; }
};

/// While one lives, real numbers that are stored by this thread and are not exact are off by half of `ulps` to
/// `ulps` units in the last place: how much that changes a result shows how far implementations may differ.
class Disturbance {
public:
  Disturbance(uint64_t seed, double ulps);
  ~Disturbance();
  Disturbance(const Disturbance &) = delete;

  /// `ulp` is the relative distance of neighbours, `least` that of those next to zero.
  double apply(double value, double ulp, double least);

private:
  uint64_t state;
  double ulps;
};

/// A number on the way to a value of `type`, which implementations round to f32 at least: while a Disturbance lives, off
/// by as much.
double disturbOnTheWay(recur_element_type type, double value);

/// The relative distance of neighbours of a real type.
double getEpsilon(recur_element_type type);

bool isReal(recur_element_type type);

/// A dense, row-major tensor.
class Tensor {
public:
  Tensor() = default;
  /// Zeros.
  Tensor(recur_element_type type, llvm::ArrayRef<int64_t> shape);

  recur_element_type getType() const { return type; }
  const Shape &getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDim(int64_t axis) const { return shape[axis]; }
  int64_t getNumElements() const { return count; }
  llvm::ArrayRef<char> getBytes() const { return data; }
  llvm::MutableArrayRef<char> getBytes() { return data; }

  Scalar get(int64_t index) const;
  /// Rounds a real number to the type, to nearest even; wraps an integer. The value is of the type's kind.
  void set(int64_t index, Scalar value);
  double getReal(int64_t index) const { return get(index).real; }
  Integer getInteger(int64_t index) const { return get(index).integer; }
  void setReal(int64_t index, double value) { set(index, Scalar::of(value)); }
  void setInteger(int64_t index, Integer value) { set(index, Scalar::of(value)); }
  /// Copies an element of a tensor of the same type as it is.
  void copy(int64_t index, const Tensor &from, int64_t fromIndex);

  /// The same elements under another shape of as many.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

private:
  recur_element_type type = RECUR_F32;
  Shape shape;
  int64_t count = 0;
  std::vector<char> data;
};

/// Converts as `ov.convert` does.
Scalar convertScalar(Scalar value, recur_element_type from, recur_element_type to);

/// The number of elements, or -1 if it does not fit.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Where the element at `place` is in a tensor of `shape`.
int64_t getOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> place);

/// Calls `visit` for each place of a tensor of `shape`, in order.
void forEachPlace(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// What is different in `got`, in words, or nothing. NaN equals NaN. Real numbers agree within `rtol` and `atol`.
std::string describeDifference(const Tensor &got, const Tensor &want, double rtol, double atol);

} // namespace recur::interpreter

#endif // RECUR_INTERPRETER_TENSOR_H
