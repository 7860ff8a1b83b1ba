// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ArithmeticSteps.cpp - Constants that are dequantized ---------------===//
//
// Models store weights as small integers with a zero point and a scale, or the compiler makes such weights from f32.
// This file has the layout steps for them, and takes such a constant apart again, so that a product can read the
// integers.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Dequantization.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace recur::ov;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static InFlightDiagnostic misfit(EmitError emitError, Attribute step, RankedTensorType input) {
  return emitError() << "layout step " << step << " does not fit a constant of type " << input;
}

/// True if a constant of the dims `shape` broadcasts to the dims `to`.
static bool broadcasts(ArrayRef<int64_t> shape, ArrayRef<int64_t> to) {
  return shape.size() <= to.size() && llvm::all_of(llvm::zip_equal(shape, to.take_back(shape.size())), [](auto dims) {
           return std::get<0>(dims) == 1 || std::get<0>(dims) == std::get<1>(dims);
         });
}

/// For each dim of `to`, how many elements of a constant of the dims `shape` lie between two neighbours along it.
static SmallVector<int64_t> getBroadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> to) {
  SmallVector<int64_t> strides(to.size(), 0);
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t dim = shape[shape.size() - 1 - i];
    strides[to.size() - 1 - i] = dim == 1 ? 0 : stride;
    stride *= dim;
  }
  return strides;
}

/// Calls `body` for each element of a constant of the dims `to`, with the number of the element of each operand. The
/// operands have the dims `shapes`, which broadcast to `to`.
static void walkBroadcast(ArrayRef<ArrayRef<int64_t>> shapes, ArrayRef<int64_t> to,
                          function_ref<void(int64_t, ArrayRef<int64_t>)> body) {
  SmallVector<SmallVector<int64_t>> strides =
      llvm::map_to_vector(shapes, [&](ArrayRef<int64_t> shape) { return getBroadcastStrides(shape, to); });
  SmallVector<int64_t> index(to.size(), 0), sources(shapes.size(), 0);
  int64_t count = llvm::product_of(to);
  for (int64_t i = 0; i < count; ++i) {
    body(i, sources);
    for (int64_t d = to.size() - 1; d >= 0; --d) {
      bool isNext = ++index[d] < to[d];
      for (auto [source, own] : llvm::zip_equal(sources, strides))
        source += isNext ? own[d] : own[d] * (1 - to[d]);
      if (isNext)
        break;
      index[d] = 0;
    }
  }
}

/// The same for one operand.
static void walkBroadcast(ArrayRef<int64_t> shape, ArrayRef<int64_t> to, function_ref<void(int64_t, int64_t)> body) {
  walkBroadcast(ArrayRef<ArrayRef<int64_t>>(&shape, 1), to,
                [&](int64_t i, ArrayRef<int64_t> sources) { body(i, sources.front()); });
}

/// Element `i` of a constant of f32.
static float getFloat(ArrayRef<char> elements, int64_t i) {
  float value;
  std::memcpy(&value, &elements[i * sizeof value], sizeof value);
  return value;
}
static void setFloat(MutableArrayRef<char> elements, int64_t i, float value) {
  std::memcpy(&elements[i * sizeof value], &value, sizeof value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// True if `operand` is a constant of f32 that broadcasts to one of type `input`.
static bool fitsAsOperand(TypedAttr operand, RankedTensorType input) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  return type && isa<WeightsAttr, DenseElementsAttr>(operand) && input.getElementType().isF32() &&
         type.getElementType().isF32() && type.hasStaticShape() && broadcasts(type.getShape(), input.getShape());
}

bool ArithmeticStepAttr::fits(RankedTensorType input) const { return fitsAsOperand(getOperand(), input); }

FailureOr<RankedTensorType> ArithmeticStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  return fits(input) ? FailureOr(input) : misfit(emitError, *this, input);
}

SmallVector<TypedAttr> ArithmeticStepAttr::getOwnConstants() const { return {getOperand()}; }

void ArithmeticStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char> operand,
                               MutableArrayRef<char> output) const {
  bool subtracts = getKind() == ArithmeticKind::Subtract;
  walkBroadcast(getOperandType().getShape(), type.getShape(), [&](int64_t i, int64_t source) {
    float value = getFloat(input, i), own = getFloat(operand, source);
    setFloat(output, i, subtracts ? value - own : value * own);
  });
}

//===----------------------------------------------------------------------===//
// FakeQuantize
//===----------------------------------------------------------------------===//

SmallVector<TypedAttr> FakeQuantizeStepAttr::getOwnConstants() const {
  return {getInputLow(), getInputHigh(), getOutputLow(), getOutputHigh()};
}

bool FakeQuantizeStepAttr::fits(RankedTensorType input) const {
  return getLevels() >= 2 && llvm::all_of(getOwnConstants(), [&](TypedAttr own) { return fitsAsOperand(own, input); });
}

FailureOr<RankedTensorType> FakeQuantizeStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  return fits(input) ? FailureOr(input) : misfit(emitError, *this, input);
}

/// One element of a FakeQuantize. Results of f64 that are rounded to f32 at once are those of operations on f32.
static float fakeQuantize(float x, float steps, float inLow, float inHigh, float outLow, float outHigh) {
  float least = std::isnan(inHigh) ? inHigh : std::min(inLow, inHigh);
  float most = std::isnan(inHigh) ? inHigh : std::max(inLow, inHigh);
  if (x <= least)
    return outLow;
  if (x > most)
    return outHigh;
  auto rounded = [](double value) { return float(value); };
  float range = rounded(double(inHigh) - inLow), place = rounded(double(x) - inLow);
  float level = std::nearbyint(rounded(double(rounded(double(place) / range)) * steps));
  float scaled = rounded(double(rounded(double(level) / steps)) * rounded(double(outHigh) - outLow));
  return rounded(double(scaled) + outLow);
}

void FakeQuantizeStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char> operands,
                                 MutableArrayRef<char> output) const {
  SmallVector<ArrayRef<int64_t>> shapes;
  SmallVector<int64_t> firsts;
  int64_t first = 0;
  for (TypedAttr own : getOwnConstants()) {
    shapes.push_back(cast<RankedTensorType>(own.getType()).getShape());
    firsts.push_back(first);
    first += llvm::product_of(shapes.back());
  }
  walkBroadcast(shapes, type.getShape(), [&](int64_t i, ArrayRef<int64_t> sources) {
    auto limit = [&](unsigned number) { return getFloat(operands, firsts[number] + sources[number]); };
    setFloat(output, i,
             fakeQuantize(getFloat(input, i), float(double(getLevels() - 1)), limit(0), limit(1), limit(2), limit(3)));
  });
}

//===----------------------------------------------------------------------===//
// Winograd
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> WinogradStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  int64_t dims = getStrides().size();
  if (dims < 1 || dims > 2 || input.getRank() < dims || !input.getElementType().isF32())
    return misfit(emitError, *this, input);
  SmallVector<int64_t> shape(input.getShape());
  for (auto [dim, stride] : llvm::zip_equal(MutableArrayRef(shape).take_back(dims), getStrides())) {
    if ((dim != 1 && dim != 3) || (stride != 1 && stride != 2))
      return misfit(emitError, *this, input);
    dim = dim == 3 ? 4 : 1;
  }
  return input.clone(shape);
}

void WinogradStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                             MutableArrayRef<char> output) const {
  bool isPlane = getStrides().size() == 2;
  int64_t x = type.getShape().back(), y = isPlane ? type.getDimSize(type.getRank() - 2) : 1;
  int64_t count = type.getNumElements() / (x * y), from = 0, to = 0;
  // The elements of a line, `step` apart, become those of a line of `to`.
  auto transform = [](const double *line, int64_t size, int64_t stride, int64_t step, double *to) {
    to[0] = line[0];
    if (size == 1)
      return;
    double g1 = line[step], g2 = line[2 * step], ends = line[0] + g2;
    to[1 * step] = stride == 1 ? (ends + g1) / 2 : ends;
    to[2 * step] = stride == 1 ? (ends - g1) / 2 : g2;
    to[3 * step] = stride == 1 ? g2 : g1;
  };
  for (int64_t i = 0; i < count; ++i) {
    // Rows have four elements, so that both transforms fit.
    double plane[4 * 4], columns[4 * 4], result[4 * 4];
    for (int64_t h = 0; h < y; ++h)
      for (int64_t w = 0; w < x; ++w)
        plane[4 * h + w] = getFloat(input, from++);
    for (int64_t w = 0; w < x; ++w)
      transform(plane + w, y, getStrides().front(), 4, columns + w);
    for (int64_t h = 0; h < (y == 3 ? 4 : 1); ++h) {
      transform(columns + 4 * h, x, getStrides().back(), 1, result + 4 * h);
      for (int64_t w = 0; w < (x == 3 ? 4 : 1); ++w)
        setFloat(output, to++, float(result[4 * h + w]));
    }
  }
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> BroadcastStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  ArrayRef<int64_t> shape = getShape().asArrayRef();
  if (llvm::any_of(shape, [](int64_t dim) { return dim < 0; }) || !broadcasts(input.getShape(), shape))
    return misfit(emitError, *this, input);
  return input.clone(shape);
}

void BroadcastStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                              MutableArrayRef<char> output) const {
  int64_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  walkBroadcast(type.getShape(), getShape().asArrayRef(),
                [&](int64_t i, int64_t source) { std::memcpy(&output[i * size], &input[source * size], size); });
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// The dims of the scales of a constant of the dims `shape`. Fails if an axis is none of its dims.
static FailureOr<SmallVector<int64_t>> getScaleShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> result(shape);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= int64_t(shape.size()))
      return failure();
    result[axis] = 1;
  }
  return result;
}

/// The type of a quantized constant, or of its scales, of the type `input`.
static FailureOr<RankedTensorType> inferQuantized(Attribute step, RankedTensorType input, ArrayRef<int64_t> axes,
                                                  bool isScale, EmitError emitError) {
  FailureOr<SmallVector<int64_t>> scales = getScaleShape(input.getShape(), axes);
  if (failed(scales) || !input.getElementType().isF32())
    return misfit(emitError, step, input);
  Type integer = IntegerType::get(step.getContext(), 8);
  return isScale ? input.clone(*scales) : input.clone(integer);
}

static std::vector<float> computeScales(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, ArrayRef<char> input) {
  SmallVector<int64_t> dims = *getScaleShape(shape, axes);
  std::vector<float> scales(llvm::product_of(dims), 0);
  walkBroadcast(dims, shape, [&](int64_t i, int64_t group) {
    float value = getFloat(input, i);
    if (std::isfinite(value))
      scales[group] = std::max(scales[group], std::fabs(value));
  });
  for (float &scale : scales)
    scale = scale / 127 == 0 ? 1 : scale / 127;
  return scales;
}

FailureOr<RankedTensorType> QuantizeStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  return inferQuantized(*this, input, getAxes(), /*isScale=*/false, emitError);
}

void QuantizeStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                             MutableArrayRef<char> output) const {
  std::vector<float> scales = computeScales(type.getShape(), getAxes(), input);
  walkBroadcast(*getScaleShape(type.getShape(), getAxes()), type.getShape(), [&](int64_t i, int64_t group) {
    float value = getFloat(input, i);
    double quotient = std::isnan(value) ? 0 : double(value) / scales[group];
    output[i] = char(std::nearbyint(std::clamp(quotient, -127.0, 127.0)));
  });
}

void QuantizeStepAttr::dequantize(RankedTensorType type, ArrayRef<char> input, ArrayRef<char> quantized,
                                  MutableArrayRef<char> output) const {
  std::vector<float> scales = computeScales(type.getShape(), getAxes(), input);
  walkBroadcast(*getScaleShape(type.getShape(), getAxes()), type.getShape(),
                [&](int64_t i, int64_t group) { setFloat(output, i, float(int8_t(quantized[i])) * scales[group]); });
}

FailureOr<RankedTensorType> QuantizationScaleStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  return inferQuantized(*this, input, getAxes(), /*isScale=*/true, emitError);
}

void QuantizationScaleStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                                      MutableArrayRef<char> output) const {
  std::vector<float> scales = computeScales(type.getShape(), getAxes(), input);
  std::memcpy(output.data(), scales.data(), output.size());
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> HalvesStepAttr::inferType(RankedTensorType input, EmitError emitError) const {
  if (!input.getElementType().isInteger(8) || input.getRank() == 0 || input.getShape().back() % 2 != 0)
    return misfit(emitError, *this, input);
  SmallVector<int64_t> shape(input.getShape());
  shape.back() /= 2;
  return RankedTensorType::get(shape, IntegerType::get(getContext(), 8, IntegerType::Unsigned));
}

void HalvesStepAttr::apply(RankedTensorType type, ArrayRef<char> input, ArrayRef<char>,
                           MutableArrayRef<char> output) const {
  int64_t half = type.getShape().back() / 2;
  unsigned raise = type.getElementType().isUnsignedInteger() ? 0 : 8;
  auto get = [&](int64_t i) { return (unsigned(input[i]) + raise) & 15; };
  for (int64_t i = 0, count = output.size(); i < count; ++i) {
    int64_t low = i / half * 2 * half + i % half;
    output[i] = char(get(low) | get(low + half) << 4);
  }
}

//===----------------------------------------------------------------------===//
// Dequantization
//===----------------------------------------------------------------------===//

/// `constant` with one more layout step, which must fit. A dense constant is changed at once.
static TypedAttr apply(TypedAttr constant, LayoutStepAttrInterface step) {
  if (auto weights = dyn_cast<WeightsAttr>(constant))
    return weights.append(step);
  auto dense = cast<DenseElementsAttr>(constant);
  auto type = cast<RankedTensorType>(dense.getType());
  RankedTensorType result = *step.inferType(type, [&] { return emitError(UnknownLoc::get(step.getContext())); });
  if (dense.isSplat())
    return DenseElementsAttr::get(result, dense.getSplatValue<Attribute>());
  std::vector<char> bytes(result.getNumElements() * result.getElementTypeBitWidth() / 8);
  step.apply(type, dense.getRawData(), {}, bytes);
  return DenseElementsAttr::getFromRawBuffer(result, bytes);
}

static ArrayRef<int64_t> getShape(TypedAttr constant) { return cast<RankedTensorType>(constant.getType()).getShape(); }

/// Changes the dims of a zero point or scale as those of the weights, from `shape` to `result`. Fails if elements that
/// share a factor would not be neighbours in the result.
static FailureOr<TypedAttr> reshapeFactor(TypedAttr factor, ArrayRef<int64_t> shape, ArrayRef<int64_t> result) {
  SmallVector<int64_t> dims(result.size(), 1);
  size_t i = 0, j = 0;
  // Runs of dims with equal products.
  while (i < shape.size() || j < result.size()) {
    size_t firstOfResult = j;
    int64_t in = 1, out = 1;
    // The elements of the run that share a factor, which must be neighbours.
    int64_t shared = 1;
    bool isWhole = true;
    auto takeIn = [&] {
      int64_t size = shape[i], own = getShape(factor)[i];
      ++i;
      in *= size;
      if (size == 1)
        return true;
      if (own != 1 && !isWhole)
        return false;
      isWhole &= own == size;
      shared = own == size ? shared : shared * (size / own);
      return true;
    };
    if (i < shape.size() && !takeIn())
      return failure();
    if (j < result.size())
      out *= result[j++];
    while (in != out || (i == shape.size() && j < result.size()) || (j == result.size() && i < shape.size())) {
      if (in < out || j == result.size()) {
        if (i == shape.size() || !takeIn())
          return failure();
      } else if (j < result.size()) {
        out *= result[j++];
      } else {
        return failure();
      }
    }
    for (size_t d = j; d-- > firstOfResult;) {
      if (shared % result[d] == 0) {
        shared /= result[d];
      } else if (result[d] % shared == 0) {
        dims[d] = result[d] / shared;
        shared = 1;
      } else {
        return failure();
      }
    }
  }
  return apply(factor, ReshapeStepAttr::get(factor.getContext(), DenseI64ArrayAttr::get(factor.getContext(), dims)));
}

/// Changes a factor as `step` changes the weights of type `type`. Fails if the step has no counterpart.
static FailureOr<TypedAttr> follow(TypedAttr factor, LayoutStepAttrInterface step, RankedTensorType type) {
  if (!factor)
    return factor;
  if (isa<TransposeStepAttr>(step))
    return apply(factor, step);
  if (auto reshape = dyn_cast<ReshapeStepAttr>(step))
    return reshapeFactor(factor, type.getShape(), reshape.getShape().asArrayRef());
  if (auto pack = dyn_cast<PackStepAttr>(step)) {
    // The columns of a block share a factor only if all do.
    ArrayRef<int64_t> own = getShape(factor);
    if (own[1] == type.getDimSize(1))
      return apply(factor, step);
    auto shape = DenseI64ArrayAttr::get(factor.getContext(), {1, own[0], 1});
    if (own[1] != 1)
      return failure();
    return apply(factor, ReshapeStepAttr::get(factor.getContext(), shape));
  }
  auto extract = dyn_cast<ExtractStepAttr>(step);
  if (!extract)
    return failure();
  int64_t axis = extract.getAxis(), own = getShape(factor)[axis], start = extract.getStart(), size = extract.getSize();
  if (own == 1)
    return factor;
  int64_t shared = type.getDimSize(axis) / own;
  if (shared == 1)
    return apply(factor, step);
  if (extract.getStep() != 1 || start % shared != 0 || size % shared != 0)
    return failure();
  return apply(factor, ExtractStepAttr::get(factor.getContext(), axis, start / shared, size / shared));
}

/// The operand of a step as a constant of as many dims as the weights, in the type that it was shipped in.
static TypedAttr getFactor(ArithmeticStepAttr step, RankedTensorType type) {
  TypedAttr operand = step.getOperand();
  if (auto weights = dyn_cast<WeightsAttr>(operand))
    if (ArrayRef<LayoutStepAttrInterface> steps = weights.getLayout(); !steps.empty())
      if (auto convert = dyn_cast<ConvertStepAttr>(steps.back()); convert && convert.getElementType().isF32()) {
        auto narrow = WeightsAttr::get(weights.getOffset(), weights.getStored());
        for (LayoutStepAttrInterface before : steps.drop_back())
          narrow = narrow.append(before);
        Type element = narrow.getTensorType().getElementType();
        if (element.isF16() || element.isBF16() || element.isInteger(8))
          operand = narrow;
      }
  SmallVector<int64_t> shape(type.getRank(), 1);
  llvm::copy(getShape(operand), shape.end() - getShape(operand).size());
  if (getShape(operand) == ArrayRef(shape))
    return operand;
  return apply(operand, ReshapeStepAttr::get(step.getContext(), DenseI64ArrayAttr::get(step.getContext(), shape)));
}

std::optional<Dequantization> recur::ov::getDequantization(WeightsAttr weights) {
  ArrayRef<LayoutStepAttrInterface> steps = weights.getLayout();
  // The last conversion of integers to f32.
  size_t at = steps.size();
  while (at > 0 && !isa<ConvertStepAttr>(steps[at - 1]))
    --at;
  auto convert = at > 0 ? dyn_cast<ConvertStepAttr>(steps[at - 1]) : ConvertStepAttr();
  if (!convert || !convert.getElementType().isF32() || weights.getTensorType().getNumElements() == 0)
    return std::nullopt;
  Dequantization result{WeightsAttr::get(weights.getOffset(), weights.getStored()), {}, {}, false};
  for (LayoutStepAttrInterface step : steps.take_front(at - 1)) {
    auto unpack = dyn_cast<UnpackStepAttr>(step);
    result.hasFourBits |= unpack && (unpack.getFormat() == PackedFormat::U4 || unpack.getFormat() == PackedFormat::I4);
    result.elements = result.elements.append(step);
    // A conversion might leave numbers of more bits.
    if (isa<ConvertStepAttr, BitcastStepAttr>(step))
      result.hasFourBits = false;
  }
  if (!result.elements.getTensorType().getElementType().isInteger(8))
    return std::nullopt;
  for (LayoutStepAttrInterface step : steps.drop_front(at)) {
    RankedTensorType type = result.elements.getTensorType();
    if (auto arithmetic = dyn_cast<ArithmeticStepAttr>(step)) {
      bool isZero = arithmetic.getKind() == ArithmeticKind::Subtract;
      // First one zero point, and then one scale.
      if (result.scale || (isZero && result.zero))
        return std::nullopt;
      (isZero ? result.zero : result.scale) = getFactor(arithmetic, type);
      continue;
    }
    for (TypedAttr *factor : {&result.zero, &result.scale}) {
      FailureOr<TypedAttr> next = follow(*factor, step, type);
      if (failed(next))
        return std::nullopt;
      *factor = *next;
    }
    if (!isa<TransposeStepAttr, ReshapeStepAttr, ExtractStepAttr, PackStepAttr>(step))
      return std::nullopt;
    result.elements = result.elements.append(step);
  }
  return result;
}

bool recur::ov::wereRounded(WeightsAttr weights) {
  return (weights.getStored().getElementType().isF32() && weights.getNarrow()) ||
         llvm::any_of(weights.getLayout(), llvm::IsaPred<QuantizeStepAttr>);
}

TypedAttr recur::ov::packFactor(TypedAttr factor, bool transposed, int64_t columns, int64_t block) {
  MLIRContext *context = factor.getContext();
  if (transposed)
    factor = apply(factor, TransposeStepAttr::get(context, {1, 0}));
  if (int64_t own = getShape(factor)[1]; own != columns) {
    int64_t rows = getShape(factor)[0];
    // Each column gets a factor of its own, by way of a dim between those that share one.
    auto shape = [&](ArrayRef<int64_t> dims) { return DenseI64ArrayAttr::get(context, dims); };
    factor = apply(factor, ReshapeStepAttr::get(context, shape({rows, own, 1})));
    factor = apply(factor, BroadcastStepAttr::get(context, shape({rows, own, columns / own})));
    factor = apply(factor, ReshapeStepAttr::get(context, shape({rows, columns})));
  }
  return apply(factor, PackStepAttr::get(context, block));
}
