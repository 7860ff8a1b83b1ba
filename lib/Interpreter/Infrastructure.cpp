// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Infrastructure.cpp - constants and loops ---------------------------===//

#include "Machine.h"

#include "Recur/Dialect/OV/IR/SliceRange.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace recur::interpreter {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A small real number: a sign, `exponentBits` and `mantissaBits`. The exponent 0 has no hidden bit.
static double decodeReal(unsigned bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1, exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double size = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                              : std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) & 1 ? -size : size;
}

/// The value of an element of a real type with a few bits.
static double decodeReal(ov::PackedFormat format, unsigned bits) {
  static const float normal[] = {-1,
                                 -0.6961928009986877f,
                                 -0.5250730514526367f,
                                 -0.39491748809814453f,
                                 -0.28444138169288635f,
                                 -0.18477343022823334f,
                                 -0.09105003625154495f,
                                 0,
                                 0.07958029955625534f,
                                 0.16093020141124725f,
                                 0.24611230194568634f,
                                 0.33791524171829224f,
                                 0.44070982933044434f,
                                 0.5626170039176941f,
                                 0.7229568362236023f,
                                 1};
  switch (format) {
  case ov::PackedFormat::NF4:
    return normal[bits];
  case ov::PackedFormat::F4E2M1:
    return decodeReal(bits, 2, 1);
  case ov::PackedFormat::F8E4M3:
    return (bits & 0x7F) == 0x7F ? NAN : decodeReal(bits, 4, 3);
  case ov::PackedFormat::F8E5M2:
    if ((bits & 0x7C) == 0x7C)
      return bits & 3 ? NAN : bits & 0x80 ? -INFINITY : INFINITY;
    return decodeReal(bits, 5, 2);
  default:
    return bits == 0xFF ? NAN : std::ldexp(1.0, int(bits) - 127);
  }
}

/// The elements that are packed in bytes.
static MaybeTensor unpack(Machine &machine, const Tensor &bytes, ov::UnpackStepAttr step) {
  ov::PackedFormat format = step.getFormat();
  bool isReal = format > ov::PackedFormat::I4, isSigned = format == ov::PackedFormat::I4;
  MaybeTensor result = machine.make(isReal ? RECUR_F32 : isSigned ? RECUR_I8 : RECUR_U8, step.getShape().asArrayRef());
  if (!result)
    return std::nullopt;
  auto bit = [&](int64_t byte, int64_t place) { return unsigned(bytes.getInteger(byte)) >> place & 1; };
  for (int64_t i = 0; i != result->getNumElements(); ++i) {
    unsigned bits = 0;
    auto take = [&](int64_t byte, int64_t from, int count) {
      for (int k = count; k-- != 0;)
        bits = bits << 1 | bit(byte, from + k);
    };
    switch (format) {
    case ov::PackedFormat::U1:
      take(i / 8, 7 - i % 8, 1);
      break;
    case ov::PackedFormat::U2:
      take(i / 4, i % 4 * 2, 2);
      break;
    case ov::PackedFormat::U3:
      take(i / 8 * 3 + 2, 7 - i % 8, 1);
      take(i / 8 * 3 + i % 8 / 4, 6 - i % 4 * 2, 2);
      break;
    case ov::PackedFormat::U6:
      take(i / 4 * 3 + 2, 6 - i % 4 * 2, 2);
      take(i / 4 * 3 + i % 4 / 2, 4 - i % 2 * 4, 4);
      break;
    case ov::PackedFormat::F8E4M3:
    case ov::PackedFormat::F8E5M2:
    case ov::PackedFormat::F8E8M0:
      take(i, 0, 8);
      break;
    default:
      take(i / 2, i % 2 * 4, 4);
    }
    if (isReal)
      result->setReal(i, decodeReal(format, bits));
    else
      result->setInteger(i, isSigned && bits > 7 ? int64_t(bits) - 16 : int64_t(bits));
  }
  return result;
}

static MaybeTensor evaluate(Machine &machine, Attribute constant);

/// Element `i` of a tensor of the dims `shape`, to which `operand` broadcasts.
static double getBroadcast(const Tensor &operand, ArrayRef<int64_t> shape, int64_t i) {
  ArrayRef<int64_t> own = operand.getShape();
  int64_t rest = i, place = 0, stride = 1;
  for (size_t d = 1; d <= own.size(); ++d) {
    int64_t size = shape[shape.size() - d], at = rest % size;
    rest /= size;
    place += own[own.size() - d] == 1 ? 0 : at * stride;
    stride *= own[own.size() - d];
  }
  return operand.getReal(place);
}

/// A constant less the operand of the step, or times it, in f64 and rounded.
static MaybeTensor combine(Machine &machine, const Tensor &tensor, ov::ArithmeticStepAttr step) {
  MaybeTensor operand = evaluate(machine, step.getOperand());
  MaybeTensor result = machine.make(tensor.getType(), tensor.getShape());
  if (!operand || !result)
    return std::nullopt;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    double a = tensor.getReal(i), b = getBroadcast(*operand, tensor.getShape(), i);
    result->setReal(i, step.getKind() == ov::ArithmeticKind::Subtract ? a - b : a * b);
  }
  return result;
}

/// The operations of FakeQuantize, each in f64 and rounded to f32.
static MaybeTensor fakeQuantize(Machine &machine, const Tensor &tensor, ov::FakeQuantizeStepAttr step) {
  Tensors limits;
  for (TypedAttr own : step.getOwnConstants()) {
    MaybeTensor limit = evaluate(machine, own);
    if (!limit)
      return std::nullopt;
    limits.push_back(std::move(*limit));
  }
  MaybeTensor result = machine.make(tensor.getType(), tensor.getShape());
  if (!result)
    return std::nullopt;
  auto round = [](double value) { return double(float(value)); };
  double steps = round(double(step.getLevels() - 1));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    auto limit = [&](unsigned number) { return getBroadcast(limits[number], tensor.getShape(), i); };
    double x = tensor.getReal(i), inLow = limit(0), inHigh = limit(1), outLow = limit(2), outHigh = limit(3);
    double share = round(round(x - inLow) / round(inHigh - inLow));
    double level = round(std::nearbyint(round(share * steps)) / steps);
    double value = round(level * round(outHigh - outLow)) + outLow;
    if (x > inLow && x > inHigh)
      value = outHigh;
    if (x <= inLow && x <= inHigh)
      value = outLow;
    result->setReal(i, value);
  }
  return result;
}

static MaybeTensor applyStep(Machine &machine, Tensor tensor, Attribute step) {
  if (auto to = dyn_cast<ov::ConvertStepAttr>(step))
    return convert(machine, tensor, getElementType(to.getElementType()));
  if (auto order = dyn_cast<ov::TransposeStepAttr>(step))
    return transpose(machine, tensor, order.getPermutation());
  if (auto shape = dyn_cast<ov::ReshapeStepAttr>(step))
    return tensor.reshaped(shape.getShape().asArrayRef());
  if (auto part = dyn_cast<ov::ExtractStepAttr>(step))
    return slice(machine, tensor, part.getAxis(), part.getStart(), part.getSize(), part.getStep());
  if (auto packed = dyn_cast<ov::UnpackStepAttr>(step))
    return unpack(machine, tensor, packed);
  if (auto arithmetic = dyn_cast<ov::ArithmeticStepAttr>(step))
    return combine(machine, tensor, arithmetic);
  if (auto quantize = dyn_cast<ov::FakeQuantizeStepAttr>(step))
    return fakeQuantize(machine, tensor, quantize);
  return machine.fault(RECUR_E_WEIGHTS, "the interpreter does not know a step of the layout of a constant");
}

/// The tensor of a constant.
static MaybeTensor evaluate(Machine &machine, Attribute constant) {
  if (auto weights = dyn_cast<ov::WeightsAttr>(constant)) {
    RankedTensorType stored = weights.getStored();
    MaybeTensor tensor = machine.make(getElementType(stored.getElementType()), stored.getShape());
    if (!tensor)
      return std::nullopt;
    size_t bytes = tensor->getBytes().size(), offset = weights.getOffset();
    if (offset > machine.weights.size() || bytes > machine.weights.size() - offset)
      return machine.fault(RECUR_E_WEIGHTS, "a constant lies outside of the weights");
    llvm::copy(machine.weights.slice(offset, bytes), tensor->getBytes().begin());
    for (Attribute step : weights.getLayout())
      if (!(tensor = applyStep(machine, std::move(*tensor), step)))
        return std::nullopt;
    return tensor;
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (!dense)
    return machine.fault(RECUR_E_WEIGHTS, "the interpreter does not know this kind of constant");
  auto type = cast<RankedTensorType>(dense.getType());
  MaybeTensor tensor = machine.make(getElementType(type.getElementType()), type.getShape());
  int64_t next = 0;
  if (!tensor)
    return std::nullopt;
  bool isUnsigned = type.getElementType().isUnsignedInteger() || type.getElementType().isInteger(1);
  if (isReal(tensor->getType())) {
    for (APFloat value : dense.getValues<APFloat>()) {
      bool ignored;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
      tensor->setReal(next++, value.convertToDouble());
    }
  } else {
    for (const APInt &value : dense.getValues<APInt>())
      tensor->setInteger(next++, isUnsigned ? Integer(value.getZExtValue()) : Integer(value.getSExtValue()));
  }
  return tensor;
}

static MaybeTensor constant(Machine &machine, ov::ConstantOp op, Operands) { return evaluate(machine, op.getValue()); }

/// `tensor.cast`, which the importer inserts where the body of a loop has more dynamic dims. The machine compares the
/// result with its declared type, as for all ops.
static MaybeTensor castOp(Machine &machine, tensor::CastOp op, Operands operands) { return *operands[0]; }

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A sliced input of a loop, and its slices along the axis.
struct SlicedInput {
  const Tensor *input;
  ov::SliceInputAttr slice;
  ov::SliceRange<int64_t> range;
};

/// True if the loop may run zero iterations over an empty axis.
bool mayBeEmpty(ov::TensorIteratorOp op) { return op.getMayBeEmpty(); }
bool mayBeEmpty(ov::LoopOp) { return true; }

/// One execution of a TensorIterator-1 or Loop-5: the parts that the two ops have in common.
template <typename LoopT>
class LoopRun {
public:
  /// `emptyDims` are the operands with dims after no iteration.
  LoopRun(Machine &machine, LoopT op, Operands sliced, Operands inits, Operands emptyDims)
      : machine(machine), op(op), emptyDims(emptyDims) {
    isFine = sliceInputs(sliced);
    for (const Tensor *init : inits)
      carried.push_back(*init);
  }

  /// The number of parts of each sliced input, or nullopt after a fault.
  std::optional<SmallVector<int64_t>> getCounts() const {
    if (!isFine)
      return std::nullopt;
    return llvm::map_to_vector(slicedInputs, [](const SlicedInput &sliced) { return sliced.range.count; });
  }
  /// Runs iteration `number`; iterations must run in order from 0. Returns false after a fault.
  bool iterate(int64_t number);
  /// The condition that the last iteration yielded.
  bool getCondition() const { return condition; }
  /// The results of the loop after its last iteration.
  MaybeTensors finish();

private:
  bool sliceInputs(Operands inputs);
  bool bindArguments(int64_t number);

  Machine &machine;
  LoopT op;
  Operands emptyDims;
  bool isFine, condition = true;
  SmallVector<SlicedInput> slicedInputs;
  Tensors carried, last;
  std::vector<Tensors> parts;
  int64_t count = 0;
};
} // namespace

template <typename LoopT>
bool LoopRun<LoopT>::sliceInputs(Operands inputs) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    ov::SliceInputAttr slice = op.getSliceAt(i);
    int64_t dim = input->getDim(slice.getAxis());
    std::optional<ov::SliceRange<int64_t>> range = slice.getRange(dim);
    if (!range && dim == 0 && mayBeEmpty(op))
      range.emplace();
    if (!range) {
      machine.fault(RECUR_E_SHAPE, "an axis of " + Twine(dim) + " elements does not hold a whole number of parts of " +
                                       Twine(slice.getPartSize()) + " elements");
      return false;
    }
    slicedInputs.push_back({input, slice, *range});
  }
  return true;
}

template <typename LoopT>
bool LoopRun<LoopT>::bindArguments(int64_t number) {
  if constexpr (std::is_same_v<LoopT, ov::LoopOp>)
    if (BlockArgument index = op.getIndexArg()) {
      auto type = cast<RankedTensorType>(index.getType());
      if (type.getElementType().isInteger(32) && number > std::numeric_limits<int32_t>::max()) {
        machine.fault(RECUR_E_OVERFLOW, "iteration " + Twine(number) + " does not fit the i32 iteration index");
        return false;
      }
      Tensor value(getElementType(type.getElementType()), SmallVector<int64_t>(type.getRank(), 1));
      value.setInteger(0, number);
      machine.bind(index, std::move(value));
    }
  for (auto [sliced, arg] : llvm::zip_equal(slicedInputs, op.getSliceArgs())) {
    MaybeTensor part = slice(machine, *sliced.input, sliced.slice.getAxis(),
                             sliced.range.firstOffset + number * sliced.slice.getStride(), sliced.slice.getPartSize());
    if (!part)
      return false;
    machine.bind(arg, std::move(*part));
  }
  for (auto [value, arg] : llvm::zip_equal(carried, op.getCarriedArgs()))
    machine.bind(arg, value);
  return true;
}

template <typename LoopT>
bool LoopRun<LoopT>::iterate(int64_t number) {
  if (machine.options.maxIterations && number >= machine.options.maxIterations) {
    machine.fault(RECUR_E_ITER_LIMIT, "a loop reached the limit of " + Twine(number) + " iterations");
    return false;
  }
  machine.iterations.push_back(number);
  bool ran = bindArguments(number) && machine.run(*op.getBodyBlock());
  machine.iterations.pop_back();
  if (!ran)
    return false;
  ov::YieldOp yield = op.getYield();
  // Read all values before the next bindArguments: a yielded value may be an argument of the body.
  auto read = [&](ValueRange values) {
    Tensors tensors;
    for (Value value : values)
      tensors.push_back(machine.valueOf(value));
    return tensors;
  };
  carried = read(yield.getNext());
  last = read(yield.getLast());
  parts.push_back(read(yield.getConcat()));
  if (yield.getCondition())
    condition = machine.valueOf(yield.getCondition()).getInteger(0) != 0;
  count = number + 1;
  return true;
}

template <typename LoopT>
MaybeTensors LoopRun<LoopT>::finish() {
  Tensors results = carried;
  // After zero iterations, a dim that the type does not tell is that of the operand for it.
  auto getEmptyShape = [&](OpResult result) {
    unsigned i = result.getResultNumber() - op.getCarried().size();
    Shape shape(cast<RankedTensorType>(result.getType()).getShape());
    const Tensor *told = i < emptyDims.size() && emptyDims[i]->getNumElements() ? emptyDims[i] : nullptr;
    for (auto [d, dim] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(dim))
        dim = told ? std::max<int64_t>(0, int64_t(told->getInteger(d))) : 0;
    return shape;
  };
  if (count == 0)
    for (OpResult result : op.getLast()) {
      MaybeTensor zeros = machine.make(getElementType(cast<RankedTensorType>(result.getType()).getElementType()),
                                       getEmptyShape(result));
      if (!zeros)
        return std::nullopt;
      last.push_back(std::move(*zeros));
    }
  llvm::append_range(results, last);
  for (auto [i, value] : llvm::enumerate(op.getYield().getConcat())) {
    ov::ConcatOutputAttr concat = op.getConcatAt(i);
    SmallVector<const Tensor *> own;
    for (const Tensors &iteration : parts)
      own.push_back(&iteration[i]);
    if (concat.getReverse())
      std::reverse(own.begin(), own.end());
    MaybeTensor whole;
    OpResult target = op.getConcatenated()[i];
    auto fitsFirst = [&](const Tensor *part) {
      Shape shape(part->getShape());
      shape[concat.getAxis()] = own.front()->getDim(concat.getAxis());
      return shape == own.front()->getShape();
    };
    // Parts that do not fit together are no fault if the result has no uses: compiled code does not compute it.
    if (target.use_empty() && !llvm::all_of(own, fitsFirst)) {
      results.push_back(Tensor(own.front()->getType(), getEmptyShape(target)));
      continue;
    }
    if (own.empty()) {
      Shape shape = getEmptyShape(target);
      shape[concat.getAxis()] = 0;
      whole = machine.make(getElementType(cast<RankedTensorType>(value.getType()).getElementType()), shape);
    } else {
      whole = concatenate(machine, own, concat.getAxis());
    }
    if (!whole)
      return std::nullopt;
    results.push_back(std::move(*whole));
  }
  return results;
}

static MaybeTensors tensorIterator(Machine &machine, ov::TensorIteratorOp op, Operands operands) {
  size_t numSliced = op.getSliced().size();
  LoopRun run(machine, op, operands.take_front(numSliced), operands.slice(numSliced, op.getInitArgs().size()),
              operands.take_back(op.getEmptyDims().size()));
  std::optional<SmallVector<int64_t>> counts = run.getCounts();
  if (!counts)
    return std::nullopt;
  for (int64_t count : *counts)
    if (count != counts->front())
      return machine.fault(RECUR_E_SHAPE,
                           "sliced inputs have " + Twine(counts->front()) + " and " + Twine(count) + " parts");
  for (int64_t i = 0; i != counts->front(); ++i)
    if (!run.iterate(i))
      return std::nullopt;
  return run.finish();
}

/// True if a condition is the constant true, or a carried value that starts as such a condition and never changes.
static bool isConstantTrue(ov::LoopOp op, Value condition) {
  if (auto constant = condition.getDefiningOp<ov::ConstantOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && dense.getElementType().isInteger(1) && dense.getValues<bool>()[0];
  }
  for (auto [arg, init, next] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs(), op.getYield().getNext()))
    if (condition == arg)
      return next == arg && isConstantTrue(op, init);
  return false;
}

static MaybeTensors loop(Machine &machine, ov::LoopOp op, Operands operands) {
  size_t numSliced = op.getSliced().size();
  LoopRun run(machine, op, operands.slice(2, numSliced), operands.slice(2 + numSliced, op.getInitArgs().size()),
              operands.take_back(op.getEmptyDims().size()));
  std::optional<SmallVector<int64_t>> counts = run.getCounts();
  if (!counts)
    return std::nullopt;
  int64_t trip = int64_t(operands[0]->getInteger(0));
  bool condition = operands[1]->getInteger(0) != 0;
  if (trip < -1)
    return machine.fault(RECUR_E_TRIP, "expected a trip count of at least -1, but got " + Twine(trip));
  if (isConstantTrue(op, op.getYield().getCondition())) {
    // Only the trip count limits this loop, so a wrong trip count is a fault before the first iteration. If the trip
    // count is -1, the number of parts is the limit.
    if (trip == -1 && condition && counts->empty())
      return machine.fault(RECUR_E_TRIP, "a loop without a trip count, slices or a condition never ends");
    if (trip == -1)
      trip = counts->empty() ? 0 : *std::min_element(counts->begin(), counts->end());
    for (int64_t count : *counts)
      if (condition && trip > count)
        return machine.fault(RECUR_E_TRIP,
                             Twine(trip) + " iterations need as many parts, but a sliced input has " + Twine(count));
  }
  for (int64_t i = 0; i != trip && condition; ++i) {
    for (int64_t count : *counts)
      if (i >= count)
        return machine.fault(RECUR_E_TRIP, "iteration " + Twine(i) +
                                               " needs a part of its own, but a sliced input has " + Twine(count));
    if (!run.iterate(i))
      return std::nullopt;
    condition = run.getCondition();
  }
  return run.finish();
}

void addInfrastructure(Handlers &handlers) {
  addHandler<ov::ConstantOp>(handlers, constant);
  addHandler<ov::LoopOp>(handlers, loop);
  addHandler<ov::TensorIteratorOp>(handlers, tensorIterator);
  addHandler<tensor::CastOp>(handlers, castOp);
}

} // namespace recur::interpreter
