// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Signals.cpp - Fourier transforms -----------------------------------===//
//
// This file expands DFT, IDFT, RDFT, IRDFT, STFT and ISTFT. A Fourier transform along an axis is a product with a
// matrix of cosines and one of sines. The matrices are computed in the model, so their sizes may be dynamic. The
// product of two indices is reduced modulo the size of the transform before it becomes an angle, so that the angle is
// exact to the last place.
//
// If the size is a constant with two factors n and m, the transform is m transforms of size n, a multiplication by
// numbers of the unit circle, and n transforms of size m (Cooley and Tukey). So each number takes n + m
// multiplications, and not n * m. Both matrices are constants.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// The parts of a tensor of complex numbers, without the dim of the pairs. `imaginary` is null if all numbers are real.
struct Complex {
  Value real, imaginary;
};

/// Transforms along one axis. All tensors have the element type `element`, f32 or f64.
class Fourier {
public:
  Fourier(Expansion &e, Type element) : e(e), element(element) {}

  /// The transform of complex or real numbers along `axis`. The data are cut or padded to `size`. The result has `kept`
  /// elements along the axis. The inverse transform is divided by the size.
  Complex transform(Complex data, int64_t axis, Size size, Size kept, bool isInverse);
  /// The inverse transform of the first half of a spectrum that belongs to `size` real numbers.
  Value transformToReal(Complex data, int64_t axis, Size size);
  /// The cosines and the sines of the angles 2 * pi * i * j / size, for row i and column j.
  std::pair<Value, Value> makeMatrices(Size rows, Size columns, Size size);
  /// Multiplies each row along `axis` by the matrix.
  Value apply(Value data, Value matrix, int64_t axis);

private:
  /// A transform of size `first * second`, as the comment at the beginning says.
  struct Factors {
    int64_t first = 0, second = 0;
    /// How many numbers there are of the data and of the result. Other numbers of the data are 0.
    int64_t given = 0, kept = 0;
  };
  /// The factors of a transform along an axis of `data`, or nothing if it has one step.
  std::optional<Factors> factorize(Value data, int64_t axis, Size size, Size kept);
  /// The transform by two steps along the last axis. The imaginary parts of the result are null unless `isComplex`.
  Complex transformInSteps(Complex data, const Factors &factors, bool isInverse, bool isComplex);
  /// Calls `body` with the data's `axis` as the last one, and moves that of the result back.
  Complex alongLast(Complex data, int64_t axis, llvm::function_ref<Complex(Complex)> body);
  /// A constant of `rows * columns` elements.
  Value makeMatrix(int64_t rows, int64_t columns, llvm::function_ref<double(int64_t row, int64_t column)> get);

  Expansion &e;
  Type element;
};
} // namespace

std::optional<Fourier::Factors> Fourier::factorize(Value data, int64_t axis, Size size, Size kept) {
  // A small transform has no use of steps, and a great one would have great constants.
  constexpr int64_t kLeast = 64, kMost = 4096, kLeastGain = 2;
  if (typeOf(data).isDynamicDim(axis))
    return std::nullopt;
  auto all = ov::getConstantIntegers(size), needed = ov::getConstantIntegers(kept);
  if (!all || !needed || all->front() < kLeast || all->front() > kMost)
    return std::nullopt;
  int64_t count = all->front(), first = int64_t(std::sqrt(double(count)));
  while (count % first != 0)
    --first;
  Factors factors{first, count / first, std::min(typeOf(data).getDimSize(axis), count), needed->front()};
  if ((first + factors.second) * kLeastGain > count || factors.given == 0 || factors.kept == 0)
    return std::nullopt;
  return factors;
}

Value Fourier::makeMatrix(int64_t rows, int64_t columns, llvm::function_ref<double(int64_t, int64_t)> get) {
  std::vector<double> values;
  for (int64_t row : llvm::seq(rows))
    for (int64_t column : llvm::seq(columns))
      values.push_back(get(row, column));
  return e.floats(values, {rows, columns}, element);
}

Complex Fourier::transformInSteps(Complex data, const Factors &factors, bool isInverse, bool isComplex) {
  auto [first, second, given, kept] = factors;
  int64_t size = first * second, rank = rankOf(data.real), axis = rank - 1;
  // The cosine and the sine of an angle, with the sign of the transform.
  auto real = [](int64_t index, int64_t of) {
    return std::cos(2 * llvm::numbers::pi * double(index % of) / double(of));
  };
  auto imaginary = [&](int64_t index, int64_t of) {
    return (isInverse ? 1 : -1) * std::sin(2 * llvm::numbers::pi * double(index % of) / double(of));
  };
  SmallVector<Size> outer;
  for (int64_t i : llvm::seq(axis))
    outer.push_back(e.dim(data.real, i));
  auto reshape = [&](Value value, ArrayRef<int64_t> inner) {
    SmallVector<Size> sizes(outer);
    for (int64_t i : inner)
      sizes.push_back(e.size(i));
    return e.reshape(value, sizes);
  };
  // Number i * second + j of the data is in row j and column i, so that the first transforms are along rows.
  int64_t columns = llvm::divideCeil(given, second);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank + 1));
  std::swap(order[axis], order[rank]);
  auto enter = [&](Value part) -> Value {
    if (!part)
      return {};
    part = e.slice(part, axis, 0, given);
    if (given != columns * second) {
      SmallVector<int64_t> begin(rank, 0), end(rank, 0);
      end[axis] = columns * second - given;
      part = e.pad(part, e.integers(begin), e.integers(end), e.scalar(0, element));
    }
    return e.transpose(reshape(part, {columns, second}), order);
  };
  Value rows = enter(data.real);
  if (data.imaginary)
    rows = e.concat({rows, enter(data.imaginary)}, rank);
  // The rows of the matrix are the real and the imaginary parts of the data, and its columns those of the result.
  Value matrix = makeMatrix((data.imaginary ? 2 : 1) * columns, 2 * first, [&](int64_t row, int64_t column) {
    int64_t index = (row % columns) * (column % first);
    if ((row < columns) == (column < first))
      return real(index, first);
    return row < columns ? imaginary(index, first) : -imaginary(index, first);
  });
  Value spectra = e.make<ov::MatMulOp>({rows, matrix});
  Complex numbers{e.slice(spectra, rank, 0, first), e.slice(spectra, rank, first, 2 * first)};
  Value turnReal = makeMatrix(second, first, [&](int64_t j, int64_t i) { return real(i * j, size); });
  Value turnImaginary = makeMatrix(second, first, [&](int64_t j, int64_t i) { return imaginary(i * j, size); });
  numbers = {e.subtract(e.multiply(numbers.real, turnReal), e.multiply(numbers.imaginary, turnImaginary)),
             e.add(e.multiply(numbers.real, turnImaginary), e.multiply(numbers.imaginary, turnReal))};
  // Number i + first * j of the result is in row j and column i.
  int64_t results = llvm::divideCeil(kept, first);
  double scale = isInverse ? 1 / double(size) : 1;
  matrix = makeMatrix((isComplex ? 2 : 1) * results, 2 * second, [&](int64_t row, int64_t column) {
    int64_t index = (row % results) * (column % second);
    if ((row < results) == (column < second))
      return scale * real(index, second);
    return scale * (row < results ? -imaginary(index, second) : imaginary(index, second));
  });
  Value result = e.make<ov::MatMulOp>({matrix, e.concat({numbers.real, numbers.imaginary}, axis)});
  auto leave = [&](int64_t from) {
    return e.slice(reshape(e.slice(result, axis, from, from + results), {results * first}), axis, 0, kept);
  };
  return {leave(0), isComplex ? leave(results) : Value()};
}

Complex Fourier::alongLast(Complex data, int64_t axis, llvm::function_ref<Complex(Complex)> body) {
  auto exchange = [&](Value part) -> Value {
    if (!part || axis == rankOf(part) - 1)
      return part;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(part)));
    std::swap(order[axis], order.back());
    return e.transpose(part, order);
  };
  Complex result = body({exchange(data.real), exchange(data.imaginary)});
  return {exchange(result.real), exchange(result.imaginary)};
}

std::pair<Value, Value> Fourier::makeMatrices(Size rows, Size columns, Size size) {
  Type i64 = e.i64();
  // There are only `size` different angles. Those in (-pi, pi] have the smallest errors.
  Value steps = e.range(size, i64);
  Value isGreat = e.make<ov::GreaterOp>({e.multiply(steps, 2), size});
  steps = e.select(isGreat, e.subtract(steps, size), steps);
  Value angles = e.multiply(e.convert(steps, element), 2 * llvm::numbers::pi);
  angles = e.divide(angles, e.convert(size, element));
  Value products = e.multiply(e.unsqueeze(e.range(rows, i64), {1}), e.range(columns, i64));
  Value places = e.make<ov::FloorModOp>({products, size});
  return {e.gather(e.make<ov::CosOp>(angles), places, 0), e.gather(e.make<ov::SinOp>(angles), places, 0)};
}

Value Fourier::apply(Value data, Value matrix, int64_t axis) {
  auto multiply = [&](Complex last) -> Complex { return {e.make<ov::MatMulOp>({last.real, matrix}), {}}; };
  return alongLast({data, {}}, axis, multiply).real;
}

Complex Fourier::transform(Complex data, int64_t axis, Size size, Size kept, bool isInverse) {
  if (std::optional<Factors> factors = factorize(data.real, axis, size, kept))
    return alongLast(data, axis,
                     [&](Complex last) { return transformInSteps(last, *factors, isInverse, /*isComplex=*/true); });
  // Zeros at the end of the data need no rows.
  Size zero = e.size(0);
  data.real = e.slice(data.real, axis, zero, size);
  auto [cosines, sines] = makeMatrices(e.dim(data.real, axis), kept, size);
  if (isInverse) {
    Value divisor = e.convert(size, element);
    cosines = e.divide(cosines, divisor);
    sines = e.divide(sines, divisor);
  } else {
    sines = e.make<ov::NegativeOp>(sines);
  }
  Complex result{apply(data.real, cosines, axis), apply(data.real, sines, axis)};
  if (data.imaginary) {
    data.imaginary = e.slice(data.imaginary, axis, zero, size);
    result.real = e.subtract(result.real, apply(data.imaginary, sines, axis));
    result.imaginary = e.add(result.imaginary, apply(data.imaginary, cosines, axis));
  }
  return result;
}

Value Fourier::transformToReal(Complex data, int64_t axis, Size size) {
  Type i64 = e.i64();
  Size zero = e.size(0), half = e.add(e.divide(size, 2), 1);
  Value real = e.slice(data.real, axis, zero, half), imaginary = e.slice(data.imaginary, axis, zero, half);
  Size given = e.dim(real, axis);
  // A number of the spectrum counts twice if its conjugate is in the other half.
  Value places = e.range(given, i64);
  Value isFirst = e.make<ov::EqualOp>({places, e.scalar(0, i64)});
  Value isMiddle = e.make<ov::EqualOp>({e.multiply(places, 2), size});
  Value isAlone = e.make<ov::LogicalOrOp>({isFirst, isMiddle});
  Value weights = e.select(isAlone, e.scalar(1, element), e.scalar(2, element));
  // The imaginary parts of these numbers have no effect, not even if they are NaN.
  SmallVector<int64_t> after = llvm::to_vector(llvm::seq(int64_t(1), rankOf(data.real) - axis));
  imaginary = e.select(after.empty() ? isAlone : e.unsqueeze(isAlone, after), e.scalar(0, element), imaginary);
  if (std::optional<Factors> factors = factorize(real, axis, size, size)) {
    weights = after.empty() ? weights : e.unsqueeze(weights, after);
    auto transform = [&](Complex last) {
      return transformInSteps(last, *factors, /*isInverse=*/true, /*isComplex=*/false);
    };
    return alongLast({e.multiply(real, weights), e.multiply(imaginary, weights)}, axis, transform).real;
  }
  auto [cosines, sines] = makeMatrices(given, size, size);
  weights = e.unsqueeze(e.divide(weights, e.convert(size, element)), {1});
  return e.subtract(apply(real, e.multiply(cosines, weights), axis),
                    apply(imaginary, e.multiply(sines, weights), axis));
}

//===----------------------------------------------------------------------===//
// DFT, IDFT, RDFT, IRDFT
//===----------------------------------------------------------------------===//

/// Splits pairs along the last dim.
static Complex splitPairs(Expansion &e, Value data) {
  int64_t last = rankOf(data) - 1;
  return {e.gather(data, e.scalar(0, e.i64()), last), e.gather(data, e.scalar(1, e.i64()), last)};
}

/// Makes pairs along a new last dim.
static Value joinPairs(Expansion &e, Complex data) {
  int64_t last = rankOf(data.real);
  return e.concat({e.unsqueeze(data.real, {last}), e.unsqueeze(data.imaginary, {last})}, last);
}

/// Entry `i` of the operand `signal_size`, or `otherwise` if there is none or it is -1.
static Size getSignalSize(Expansion &e, size_t i, size_t count, Size otherwise) {
  if (!e.operand(2))
    return otherwise;
  // There is an entry for each axis.
  Value sizes = e.reshape(e.operand(2), e.size(count));
  Size size = e.slice(sizes, 0, i, i + 1);
  return e.select(e.make<ov::EqualOp>({size, e.size(-1)}), otherwise, size);
}

/// Checks that the operand `signal_size` has an entry for each of `count` axes, and that none of them is below -1.
static LogicalResult expectSignalSizes(Expansion &e, size_t count) {
  Value sizes = e.operand(2);
  if (!sizes)
    return success();
  if (rankOf(sizes) != 1 || (typeOf(sizes).hasStaticShape() && typeOf(sizes).getDimSize(0) != int64_t(count)))
    return e.error("expected 'signal_size' to have an entry for each of " + Twine(count) + " axes, but got " +
                   spell(typeOf(sizes)));
  return e.requireSizes("'signal_size'", sizes, /*least=*/-1);
}

/// Checks that the data are pairs along the last dim.
static LogicalResult expectPairs(Expansion &e) {
  if (failed(e.expectRank(0, 2)))
    return failure();
  int64_t pair = typeOf(e.operand(0)).getShape().back();
  if (pair != 2 && !ShapedType::isDynamic(pair))
    return e.error("expected a last dim of 2, but got " + Twine(pair));
  return success();
}

namespace {
/// AlongAxis of both parts.
class ComplexAlongAxis : public AlongAxis {
public:
  using AlongAxis::AlongAxis, AlongAxis::enter, AlongAxis::leave;
  Complex enter(Complex data) {
    Value real = enter(data.real);
    return {real, data.imaginary ? enter(data.imaginary) : Value()};
  }
  Complex leave(Complex data) {
    Value real = leave(data.real);
    return {real, data.imaginary ? leave(data.imaginary, real) : Value()};
  }
};
} // namespace

static LogicalResult expandComplex(Expansion &e, bool isInverse) {
  if (failed(expectPairs(e)))
    return failure();
  Value data = e.operand(0);
  FailureOr<SmallVector<Axis>> axes = readAxisList(e, 1, rankOf(data) - 1);
  if (failed(axes) || failed(expectSignalSizes(e, axes->size())))
    return failure();
  Complex numbers = splitPairs(e, data);
  Fourier fourier(e, elementOf(data));
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    ComplexAlongAxis along(e, axis, numbers.real);
    numbers = along.enter(numbers);
    Size size = getSignalSize(e, i, axes->size(), e.dim(numbers.real, along.axis));
    numbers = along.leave(fourier.transform(numbers, along.axis, size, size, isInverse));
  }
  return e.replace(joinPairs(e, numbers));
}

LogicalResult recur::ir::expandDFT(Expansion &e) { return expandComplex(e, /*isInverse=*/false); }
LogicalResult recur::ir::expandIDFT(Expansion &e) { return expandComplex(e, /*isInverse=*/true); }

LogicalResult recur::ir::expandRDFT(Expansion &e) {
  if (failed(e.expectRank(0, 1)))
    return failure();
  Value data = e.operand(0);
  FailureOr<SmallVector<Axis>> axes = readAxisList(e, 1, rankOf(data));
  if (failed(axes))
    return failure();
  if (axes->empty())
    return e.error("expected 'axes' to have an entry");
  if (failed(expectSignalSizes(e, axes->size())))
    return failure();
  Complex numbers{data, {}};
  Fourier fourier(e, elementOf(data));
  // The last axis comes first, because the numbers are real then.
  for (size_t i = axes->size(); i-- != 0;) {
    ComplexAlongAxis along(e, (*axes)[i], numbers.real);
    numbers = along.enter(numbers);
    Size size = getSignalSize(e, i, axes->size(), e.dim(numbers.real, along.axis));
    Size kept = i == axes->size() - 1 ? e.add(e.divide(size, 2), 1) : size;
    numbers = along.leave(fourier.transform(numbers, along.axis, size, kept, /*isInverse=*/false));
  }
  return e.replace(joinPairs(e, numbers));
}

LogicalResult recur::ir::expandIRDFT(Expansion &e) {
  if (failed(expectPairs(e)))
    return failure();
  Value data = e.operand(0);
  FailureOr<SmallVector<Axis>> axes = readAxisList(e, 1, rankOf(data) - 1);
  if (failed(axes))
    return failure();
  if (axes->empty())
    return e.error("expected 'axes' to have an entry");
  if (failed(expectSignalSizes(e, axes->size())))
    return failure();
  Complex numbers = splitPairs(e, data);
  Fourier fourier(e, elementOf(data));
  for (auto [i, axis] : llvm::enumerate(ArrayRef(*axes).drop_back())) {
    ComplexAlongAxis along(e, axis, numbers.real);
    numbers = along.enter(numbers);
    Size size = getSignalSize(e, i, axes->size(), e.dim(numbers.real, along.axis));
    numbers = along.leave(fourier.transform(numbers, along.axis, size, size, /*isInverse=*/true));
  }
  ComplexAlongAxis along(e, axes->back(), numbers.real);
  numbers = along.enter(numbers);
  Size whole = e.multiply(e.subtract(e.dim(numbers.real, along.axis), 1), 2);
  Size size = getSignalSize(e, axes->size() - 1, axes->size(), whole);
  Value result = along.leave(fourier.transformToReal(numbers, along.axis, size));
  return e.replace(result);
}

//===----------------------------------------------------------------------===//
// STFT, ISTFT
//===----------------------------------------------------------------------===//

/// The window, padded with zeros on both sides to the size of a frame.
static Value padWindow(Expansion &e, Value window, Size frameSize) {
  Size missing = e.subtract(frameSize, e.dim(window, 0)), before = e.divide(missing, 2);
  return e.pad(window, before, e.subtract(missing, before), e.scalar(0, elementOf(window)));
}

/// The places of the elements of each frame in the signal, [frames, frameSize].
static Value makePlaces(Expansion &e, Size frames, Size frameSize, Size frameStep) {
  Value starts = e.multiply(e.range(frames, e.i64()), frameStep);
  return e.add(e.unsqueeze(starts, {1}), e.range(frameSize, e.i64()));
}

/// Checks that frames have elements, at least as many as the window, and advance.
static LogicalResult expectFrames(Expansion &e, Value window, Size frameSize, Size frameStep) {
  return success(
      succeeded(e.requireSizes("'frame_size'", frameSize, /*least=*/1)) &&
      succeeded(e.requireSizes("'frame_step'", frameStep, /*least=*/1)) &&
      succeeded(e.requireSizes("'frame_size' less the length of the window", e.subtract(frameSize, e.dim(window, 0)))));
}

LogicalResult recur::ir::expandSTFT(Expansion &e) {
  if (failed(e.expectRank(0, 1, 2)) || failed(e.expectRank(1, 1)) || failed(e.expectOneElement(2)) ||
      failed(e.expectOneElement(3)))
    return failure();
  Value signal = e.operand(0), window = e.operand(1);
  Type element = elementOf(signal);
  Size frameSize = e.reshape(e.operand(2), e.size(1)), frameStep = e.reshape(e.operand(3), e.size(1));
  int64_t axis = rankOf(signal) - 1;
  Size rest = e.subtract(e.dim(signal, axis), frameSize);
  if (failed(expectFrames(e, window, frameSize, frameStep)) ||
      failed(e.requireSizes("the length of the signal less 'frame_size'", rest)))
    return failure();
  window = padWindow(e, e.convert(window, element), frameSize);
  Size frames = e.add(e.divide(rest, frameStep), 1);
  Value parts = e.gather(signal, makePlaces(e, frames, frameSize, frameStep), axis);
  Fourier fourier(e, element);
  Size kept = e.add(e.divide(frameSize, 2), 1);
  Complex result = fourier.transform({e.multiply(parts, window), {}}, axis + 1, frameSize, kept, /*isInverse=*/false);
  Value pairs = joinPairs(e, result);
  if (e.flag("transpose_frames")) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(pairs)));
    std::swap(order[axis], order[axis + 1]);
    pairs = e.transpose(pairs, order);
  }
  return e.replace(pairs);
}

LogicalResult recur::ir::expandISTFT(Expansion &e) {
  if (failed(expectPairs(e)) || failed(e.expectRank(0, 3, 4)) || failed(e.expectRank(1, 1)) ||
      failed(e.expectOneElement(2)) || failed(e.expectOneElement(3)) || (e.operand(4) && failed(e.expectOneElement(4))))
    return failure();
  Value data = e.operand(0), window = e.operand(1);
  Type element = elementOf(data), i64 = e.i64();
  Size frameSize = e.reshape(e.operand(2), e.size(1)), frameStep = e.reshape(e.operand(3), e.size(1));
  if (failed(expectFrames(e, window, frameSize, frameStep)))
    return failure();
  // The axis of the spectra in the data, and of the signal in the result.
  int64_t axis = rankOf(data) - 3;
  Size frames = e.dim(data, axis + 1);
  Complex spectra = splitPairs(e, data);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(data) - 1));
  std::swap(order[axis], order[axis + 1]);
  spectra = {e.transpose(spectra.real, order), e.transpose(spectra.imaginary, order)};
  Fourier fourier(e, element);
  window = padWindow(e, e.convert(window, element), frameSize);
  Value parts = e.multiply(fourier.transformToReal(spectra, axis + 1, frameSize), window);
  if (e.flag("normalized"))
    parts = e.multiply(parts, e.make<ov::SqrtOp>(e.convert(frameSize, element)));
  Value squares = e.broadcast(e.multiply(window, window), e.concat({frames, frameSize}, 0));

  // Each element of a frame is added to its place in the signal.
  Size length = e.add(e.multiply(e.subtract(frames, 1), frameStep), frameSize);
  Size flat = e.size(-1);
  Value places = e.reshape(makePlaces(e, frames, frameSize, frameStep), flat);
  Value zero = e.scalar(0, element), axisOperand = e.scalar(axis, i64);
  NamedAttribute sum = e.attribute(
      "reduction", ov::ScatterElementsReductionAttr::get(zero.getContext(), ov::ScatterElementsReduction::Sum));
  auto addUp = [&](Value elements, Value shape, Value where, Value along) {
    return e.make<ov::ScatterElementsUpdateOp>({e.broadcast(zero, shape), where, elements, along}, sum);
  };
  Value weights = addUp(e.reshape(squares, flat), length, places, e.scalar(0, i64));
  SmallVector<Size> flatShape, signalShape;
  if (axis == 1) {
    flatShape.push_back(e.dim(data, 0));
    signalShape.push_back(e.dim(data, 0));
  }
  flatShape.push_back(e.multiply(frames, frameSize));
  signalShape.push_back(length);
  Value flatSizes = e.concat(flatShape, 0);
  Value signal =
      addUp(e.reshape(parts, flatSizes), e.concat(signalShape, 0), e.broadcast(places, flatSizes), axisOperand);
  Value isCovered = e.make<ov::NotEqualOp>({weights, zero});
  signal = e.select(isCovered, e.divide(signal, e.select(isCovered, weights, e.scalar(1, element))), zero);

  Size margin = e.flag("center") ? e.divide(frameSize, 2) : e.size(0), end = e.subtract(length, margin);
  if (!e.operand(4))
    return e.replace(e.slice(signal, axis, margin, end));
  Size wanted = e.reshape(e.operand(4), e.size(1));
  if (failed(e.requireSizes("'signal_length'", wanted)))
    return failure();
  signal = e.slice(signal, axis, margin, e.add(margin, wanted));
  Value missing = e.subtract(wanted, e.dim(signal, axis));
  SmallVector<Size> before(rankOf(signal), e.size(0)), after(rankOf(signal), e.size(0));
  after[axis] = missing;
  return e.replace(e.pad(signal, e.concat(before, 0), e.concat(after, 0), zero));
}
