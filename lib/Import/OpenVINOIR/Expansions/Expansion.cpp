// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Expansion.cpp - Builders of ops in place of a layer ----------------===//
//
// The builders that all expansions share. The files beside this one, one for each family, have the expansions.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../FoldShapes.h"
#include "../LayerChecks.h"
#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// A function that expands a layer, and whether it works on widened operands.
struct KnownExpansion {
  Expand expand = nullptr;
  bool isWidened = true;
};
} // namespace

static KnownExpansion findExpansion(StringRef name) {
  return llvm::StringSwitch<KnownExpansion>(name)
#define IMPORTER(NAME)
#define EXPANSION(NAME, IS_WIDENED) .Case(#NAME, {NAME, IS_WIDENED})
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"
      .Default({});
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

/// The words for the elements that an operand may have, or an empty text if `element` is one of them.
static StringRef findFault(ov::LayerElements elements, Type element) {
  switch (elements) {
  case ov::LayerElements::Any:
    return "";
  case ov::LayerElements::Number:
    return element.isInteger(1) ? "numbers" : "";
  case ov::LayerElements::Real:
    return isa<FloatType>(element) ? "" : "real numbers";
  case ov::LayerElements::Boolean:
    return element.isInteger(1) ? "" : "booleans";
  case ov::LayerElements::Integer:
  case ov::LayerElements::Index:
    return isa<IntegerType>(element) && !element.isInteger(1) ? "" : "integers";
  }
  return "";
}

LogicalResult recur::ir::expandLayer(LayerBuilder &layer) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes(/*onlyOfOp=*/false);
  if (failed(attributes))
    return failure();
  ArrayRef<ov::LayerValue> known = layer.type->operands;
  SmallVector<Value> operands;
  for (auto [i, value] : llvm::enumerate(layer.operands)) {
    const ov::LayerValue &operand = known[std::min(i, known.size() - 1)];
    if (StringRef fault = findFault(operand.elements, elementOf(value)); !fault.empty())
      return layer.error("ir-op", "expected '" + operand.name + "' to be a tensor of " + fault + ", but got " +
                                      spell(typeOf(value)));
    // All indices are i64, so that expansions can mix them.
    if (operand.elements == ov::LayerElements::Index)
      value = Expansion(layer, *attributes, {}).convert(value, layer.builder.getI64Type());
    operands.push_back(value);
  }
  if (layer.hasFailedToExpand)
    return failure();
  Expansion expansion(layer, *attributes, operands);
  KnownExpansion own = findExpansion(layer.type->expansion);
  if (own.isWidened)
    expansion.widen();
  return own.expand(expansion);
}

LogicalResult recur::ir::createWidened(LayerBuilder &layer, ValueRange operands,
                                       std::optional<ArrayRef<NamedAttribute>> attributes) {
  FailureOr<SmallVector<NamedAttribute>> read =
      attributes ? FailureOr(SmallVector<NamedAttribute>(*attributes)) : layer.readAttributes();
  if (failed(read))
    return failure();
  Expansion e(layer, *read, operands);
  // The op reports real operands of different types.
  SmallVector<Type> reals;
  for (Value operand : operands)
    if (isa<FloatType>(elementOf(operand)))
      reals.push_back(elementOf(operand));
  if (llvm::all_equal(reals))
    e.widen();
  Operation *op = layer.create(layer.type->op, e.getOperands(), *read);
  return op ? e.replace(op->getResults()) : failure();
}

Expansion::Expansion(LayerBuilder &layer, ArrayRef<NamedAttribute> attributes, ValueRange operands)
    : layer(layer), attributes(layer.builder.getDictionaryAttr(attributes)), operands(operands), givens(operands) {}

/// True for the real types that are rounded.
static bool isNarrow(Type element) { return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }

void Expansion::widen() {
  for (Value &operand : operands) {
    if (!operand || !isa<FloatType>(elementOf(operand)))
      continue;
    if (!rounded)
      rounded = elementOf(operand);
    operand = convert(operand, wide(elementOf(operand)));
  }
}

Type Expansion::wide(Type element) { return isNarrow(element) ? f32() : element; }

bool Expansion::flag(StringRef name) const { return attributes.getAs<BoolAttr>(name).getValue(); }
int64_t Expansion::integer(StringRef name) const { return attributes.getAs<IntegerAttr>(name).getInt(); }
double Expansion::number(StringRef name) const { return attributes.getAs<FloatAttr>(name).getValueAsDouble(); }
StringRef Expansion::text(StringRef name) const { return attributes.getAs<StringAttr>(name).getValue(); }
StringRef Expansion::rawText(StringRef name) const { return layer.findData(name)->value; }
Type Expansion::type(StringRef name) const { return attributes.getAs<TypeAttr>(name).getValue(); }
ArrayRef<int64_t> Expansion::integers(StringRef name) const { return attributes.getAs<DenseI64ArrayAttr>(name); }
SmallVector<double> Expansion::numbers(StringRef name) const {
  return llvm::map_to_vector(attributes.getAs<ArrayAttr>(name).getAsRange<FloatAttr>(),
                             [](FloatAttr number) { return number.getValueAsDouble(); });
}

unsigned Expansion::getOpset() const { return ir::getOpset(layer.layer, *layer.type); }

LogicalResult Expansion::error(const Twine &message) {
  if (!std::exchange(layer.hasFailedToExpand, true))
    layer.error("ir-op", message).emit();
  return failure();
}

LogicalResult Expansion::expectRank(unsigned i, int64_t least, int64_t most) {
  int64_t rank = rankOf(operand(i));
  if (rank >= least && rank <= most)
    return success();
  std::string range = most == INT64_MAX ? Twine(least).str() + " or more"
                      : least == most   ? Twine(least).str()
                                        : (Twine(least) + " to " + Twine(most)).str();
  return error("expected '" + getOperandName(i) + "' to have rank " + range + ", but got " + spell(typeOf(operand(i))));
}

FailureOr<int64_t> Expansion::normalizeAxis(StringRef name, int64_t axis, int64_t rank) {
  if (std::optional<int64_t> normalized = ov::normalizeAxis(axis, rank))
    return *normalized;
  return error("expected '" + name + "' to be in [" + Twine(-rank) + ", " + Twine(rank - 1) + "], but got " +
               Twine(axis));
}

FailureOr<SmallVector<int64_t>> Expansion::expectConstant(unsigned i) {
  if (std::optional<SmallVector<int64_t>> values = ov::getConstantIntegers(operand(i)))
    return *values;
  return error("expected '" + getOperandName(i) +
               "' to be constant; put a Const there, because the call cannot decide it");
}

LogicalResult Expansion::expectOneElement(unsigned i) {
  if (hasOneElement(typeOf(operand(i)).getShape()))
    return success();
  return error("expected '" + getOperandName(i) + "' to have one element, but got " + spell(typeOf(operand(i))));
}

std::string Expansion::getOperandName(unsigned i) const {
  ArrayRef<ov::LayerValue> known = layer.type->operands;
  return known[std::min<size_t>(i, known.size() - 1)].name.str();
}

LogicalResult Expansion::expectSameElements(ArrayRef<unsigned> which) {
  std::optional<unsigned> first;
  for (unsigned i : which) {
    if (!given(i))
      continue;
    if (!first)
      first = i;
    std::string name = getOperandName(*first), other = getOperandName(i);
    if (elementOf(given(i)) != elementOf(given(*first)))
      return error("expected " + (name == other ? "all '" + name : "'" + name + "' and '" + other) +
                   "' to have the same element type, but got " + spell(typeOf(given(*first))) + " and " +
                   spell(typeOf(given(i))));
  }
  return success();
}

LogicalResult Expansion::replace(ValueRange values) {
  if (hasFailed())
    return failure();
  SmallVector<Value> results(values);
  for (Value &result : results) {
    if (rounded && isNarrow(rounded) && elementOf(result) == f32())
      result = convert(result, rounded);
  }
  if (hasFailed())
    return failure();
  // Nothing reads a widened operand of which only the elements as they are, or the dims, were taken.
  for (auto [operand, own] : llvm::zip_equal(operands, givens))
    if (operand != own && operand && operand.use_empty() && !llvm::is_contained(results, operand))
      operand.getDefiningOp()->erase();
  layer.results.assign(results.begin(), results.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Ops of any kind
//===----------------------------------------------------------------------===//

SmallVector<Value> Expansion::createNamed(StringRef name, ValueRange values, ArrayRef<NamedAttribute> named,
                                          Type type) {
  if (llvm::is_contained(values, Value()))
    (void)error("expected more inputs, but got " + Twine(layer.operands.size()));
  if (!hasFailed()) {
    if (Operation *op = layer.create(name, values, named, type ? TypeRange(type) : TypeRange())) {
      SmallVector<Value> results(op->getResults());
      foldShapes(layer.builder, results);
      return results;
    }
    layer.hasFailedToExpand = true;
  }
  // The element type is a guess, which is right for most ops.
  Type element = type ? type : values.empty() || !values[0] ? i64() : values[0].getType();
  return SmallVector<Value>(kManyResults, getPlaceholder(getElementTypeOrSelf(element)));
}

NamedAttribute Expansion::attribute(StringRef name, Attribute value) { return layer.builder.getNamedAttr(name, value); }
NamedAttribute Expansion::attribute(StringRef name, bool value) {
  return attribute(name, layer.builder.getBoolAttr(value));
}
NamedAttribute Expansion::attribute(StringRef name, int64_t value) {
  return attribute(name, layer.builder.getI64IntegerAttr(value));
}
NamedAttribute Expansion::attribute(StringRef name, double value) {
  return attribute(name, layer.builder.getF64FloatAttr(value));
}
NamedAttribute Expansion::attribute(StringRef name, Type value) { return attribute(name, TypeAttr::get(value)); }
NamedAttribute Expansion::attribute(StringRef name, ArrayRef<int64_t> value) {
  return attribute(name, layer.builder.getDenseI64ArrayAttr(value));
}

SmallVector<Value> Expansion::loop(Size count, ValueRange inits,
                                   llvm::function_ref<SmallVector<Value>(Value iteration, ValueRange carried)> body) {
  if (hasFailed())
    return llvm::map_to_vector(inits, [&](Value init) { return getPlaceholder(elementOf(init)); });
  OpBuilder &builder = layer.builder;
  Location loc = layer.location;
  SmallVector<Type> arguments{RankedTensorType::get({}, i64())};
  llvm::append_range(arguments, inits.getTypes());
  Value isTrue = scalar(1, builder.getI1Type());
  ArrayAttr none = builder.getArrayAttr({});
  auto op = ov::LoopOp::create(builder, loc, inits.getTypes(), TypeRange(), TypeRange(), count, isTrue, ValueRange(),
                               inits, /*empty_dims=*/ValueRange(), none, none, /*has_index=*/true);
  SmallVector<Value> next;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), loc));
    next = body(block->getArgument(0), block->getArguments().drop_front());
    if (!hasFailed()) {
      // The dims of dynamic values are stated to be those of the iteration before, so that no buffer has to grow.
      for (auto [value, before] : llvm::zip_equal(next, block->getArguments().drop_front())) {
        if (!typeOf(before).hasStaticShape() && rankOf(value) == rankOf(before))
          value = reshape(value, shapeOf(before));
        if (value.getType() != before.getType())
          value = tensor::CastOp::create(builder, loc, before.getType(), value);
      }
      if (!hasFailed())
        ov::YieldOp::create(builder, loc, scalar(1, builder.getI1Type()), next, ValueRange(), ValueRange());
    }
  }
  bool isValid = !hasFailed();
  std::string problem = isValid ? captureErrors(op.getContext(), [&] { isValid = succeeded(verifyOp(op)); }) : "";
  if (isValid)
    return SmallVector<Value>(op.getCarried());
  op.erase();
  (void)error(problem.empty() ? "the operation is not valid" : problem);
  return llvm::map_to_vector(inits, [&](Value init) { return getPlaceholder(elementOf(init)); });
}

//===----------------------------------------------------------------------===//
// Constants and sizes
//===----------------------------------------------------------------------===//

Value Expansion::constant(TypedAttr value) { return layer.createConstant(value); }

Value Expansion::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(int64_t(values.size()), layer.builder.getI64Type());
  return layer.createConstant(DenseElementsAttr::get(type, values));
}

/// A number as an element of this type. A real number is rounded, an integer truncated.
static Attribute makeElement(double value, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, value);
  // A scalar of an unsigned type may be above 2^63.
  return IntegerAttr::get(
      element,
      APInt(64, value < 0 ? uint64_t(int64_t(value)) : uint64_t(value)).zextOrTrunc(element.getIntOrFloatBitWidth()));
}

Value Expansion::scalar(double value, Type element) {
  if (hasFailed())
    return getPlaceholder(element);
  return layer.createConstant(DenseElementsAttr::get(RankedTensorType::get({}, element), makeElement(value, element)));
}

Value Expansion::scalarLike(double value, Value like) { return scalar(value, elementOf(like)); }

Value Expansion::least(Type element) {
  if (isa<FloatType>(element))
    return scalar(-std::numeric_limits<double>::infinity(), element);
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt value = element.isUnsignedInteger() ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits);
  return layer.createConstant(DenseElementsAttr::get(RankedTensorType::get({}, element), value));
}

Value Expansion::greatest(Type element) {
  if (isa<FloatType>(element))
    return scalar(std::numeric_limits<double>::infinity(), element);
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt value = element.isUnsignedInteger() ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  return layer.createConstant(DenseElementsAttr::get(RankedTensorType::get({}, element), value));
}

Value Expansion::floats(ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  if (hasFailed())
    return getPlaceholder(element);
  SmallVector<Attribute> elements =
      llvm::map_to_vector(values, [&](double value) { return Attribute(FloatAttr::get(element, value)); });
  return layer.createConstant(DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

Value Expansion::shapeOf(Value value) {
  return make<ov::ShapeOfOp>(value, attribute("output_type", Type(layer.builder.getI64Type())));
}

Size Expansion::dim(Value value, int64_t i) {
  if (hasFailed())
    return getPlaceholder(i64());
  if (!typeOf(value).isDynamicDim(i))
    return size(typeOf(value).getDimSize(i));
  return gather(shapeOf(value), size(i), 0);
}

LogicalResult Expansion::requireSizes(StringRef name, Value sizes, int64_t least) {
  if (hasFailed())
    return failure();
  auto known = ov::getPartlyKnownSizes(sizes);
  for (int64_t size : known.value_or(SmallVector<int64_t>()))
    if (!ShapedType::isDynamic(size) && size < least)
      return error("expected " + name + " to be " + Twine(least) + " or more, but got " + Twine(size));
  ov::ValueDims dims;
  auto isFine = [&](int64_t i) {
    ov::DimSource::MaybeDim size = dims.getElement(sizes, i);
    std::optional<int64_t> number = size ? dims.exprs.getConstant(*size) : std::nullopt;
    return size && (number ? *number >= least : least <= 0 && dims.exprs.isProvablySize(*size));
  };
  if (known && llvm::all_of(llvm::seq<int64_t>(known->size()), isFine))
    return success();
  // A broadcast has no negative dims. This one has no elements, and nothing uses it.
  Value smallest = reduce<ov::ReduceMinOp>(sizes, {0}, /*keepDims=*/true);
  if (least != 0)
    smallest = subtract(smallest, double(least));
  broadcast(integers({}), concat({minimum(smallest, 1), size(0)}, 0));
  return success(!hasFailed());
}

Size Expansion::product(ArrayRef<Size> sizes) {
  Size result = sizes.empty() ? size(1) : sizes.front();
  for (Size factor : llvm::drop_begin(sizes, sizes.empty() ? 0 : 1))
    result = multiply(result, factor);
  return result;
}

Value Expansion::convert(Value value, Type element) {
  if (!value || elementOf(value) == element)
    return value;
  return make<ov::ConvertOp>(value, {}, typeOf(value).clone(element));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value Expansion::reshape(Value data, Value shape) { return make<ov::ReshapeOp>({data, shape}); }

Value Expansion::transpose(Value data, ArrayRef<int64_t> order) {
  return make<ov::TransposeOp>({data, integers(order)});
}

Value Expansion::unsqueeze(Value data, ArrayRef<int64_t> axes) { return make<ov::UnsqueezeOp>({data, integers(axes)}); }

Value Expansion::squeeze(Value data, ArrayRef<int64_t> axes) { return make<ov::SqueezeOp>({data, integers(axes)}); }

Value Expansion::concat(ValueRange values, int64_t axis) {
  return values.size() == 1 ? values.front() : make<ov::ConcatOp>(values, attribute("axis", axis));
}

Value Expansion::broadcast(Value data, Value shape) { return make<ov::BroadcastOp>({data, shape}); }

Value Expansion::gather(Value data, Value indices, int64_t axis) {
  return make<ov::GatherOp>({data, indices, scalar(axis, layer.builder.getI64Type())});
}

Value Expansion::slice(Value data, int64_t axis, Value start, Value stop, Value step) {
  return make<ov::SliceOp>({data, start, stop, step ? step : size(1), size(axis)});
}

Value Expansion::pad(Value data, Value begin, Value end, Value value) {
  return make<ov::PadOp>(
      {data, begin, end, value},
      attribute("pad_mode", ov::PadModeAttr::get(layer.builder.getContext(), ov::PadMode::Constant)));
}

Value Expansion::alignTo(Value vector, int64_t axis, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i != rank; ++i)
    if (i != axis)
      axes.push_back(i);
  return axes.empty() ? vector : unsqueeze(vector, axes);
}

Value Expansion::range(Size count, Type element) {
  Type i64 = layer.builder.getI64Type();
  Value numbers =
      make<ov::RangeOp>({scalar(0, i64), squeeze(count, {0}), scalar(1, i64)}, attribute("output_type", i64));
  return convert(numbers, element);
}

SmallVector<Value> Expansion::sort(Value vector, Size count) {
  MLIRContext *context = layer.builder.getContext();
  return makeAll<ov::TopKOp>({vector, count}, {attribute("axis", int64_t(0)),
                                               attribute("mode", ov::TopKModeAttr::get(context, ov::TopKMode::Min)),
                                               attribute("sort", ov::TopKSortAttr::get(context, ov::TopKSort::Value)),
                                               attribute("index_element_type", i64())});
}

Value Expansion::scatterRows(Value rows, Value indices, Value updates, ov::ScatterNDReduction reduction) {
  auto kind = ov::ScatterNDReductionAttr::get(layer.builder.getContext(), reduction);
  return make<ov::ScatterNDUpdateOp>({rows, unsqueeze(indices, {1}), updates}, attribute("reduction", Attribute(kind)));
}

Value Expansion::findTrue(Value flags) {
  return reshape(make<ov::NonZeroOp>(flags, attribute("output_type", i64())), size(-1));
}
