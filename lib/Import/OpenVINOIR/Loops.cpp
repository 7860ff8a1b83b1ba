// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Loops.cpp - TensorIterator and Loop --------------------------------===//
//
// A TensorIterator becomes an `ov.tensor_iterator`, a Loop an `ov.loop`. Port maps and back edges become operands,
// block arguments, yielded values and results. Loop-invariant values are captured: a body Parameter without a slice and
// without a back edge becomes the outer value itself.
//
//===----------------------------------------------------------------------===//

#include "Importers.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;
using ov::typeOf;

RankedTensorType recur::ir::join(RankedTensorType a, RankedTensorType b) {
  SmallVector<int64_t> dims;
  for (auto [left, right] : llvm::zip(a.getShape(), b.getShape()))
    dims.push_back(left == right ? left : ShapedType::kDynamic);
  return RankedTensorType::get(dims, a.getElementType());
}

bool recur::ir::hasOneElement(ArrayRef<int64_t> dims) {
  return dims.empty() || (dims.size() == 1 && (dims[0] == 1 || ShapedType::isDynamic(dims[0])));
}

namespace {
/// Builds the op of one TensorIterator or Loop.
class LoopBuilder {
public:
  explicit LoopBuilder(LayerBuilder &layer)
      : layer(layer), loop(*layer.layer.loop), body(loop.body), isLoop(layer.layer.is("Loop")),
        reports(layer.state.reports) {}

  LogicalResult run();
  /// Checks the layers of the body, but builds nothing (checkLoopBody).
  void check();

private:
  LogicalResult checkInvariants();
  void checkBody();
  LogicalResult checkCountAndCondition();
  LogicalResult readParameters();
  LogicalResult resolveSlices();
  LogicalResult resolveIteration();
  LogicalResult resolveOuterValues();
  LogicalResult buildBody(Region &region);
  LogicalResult widen(const GraphBuilder &graph, bool &hasWidened);
  LogicalResult yield(const GraphBuilder &graph, OpBuilder &builder);
  std::optional<int64_t> countIterations(Value bodyCondition) const;
  FailureOr<RankedTensorType> getConcatenatedType(const PortMapEntry &entry, RankedTensorType part, int64_t axis);
  LogicalResult createOp(Region &region);

  const Layer &parameterOf(const PortMapEntry &entry) const { return body.layers[entry.layer]; }
  Value outerValue(const PortMapEntry &entry) const { return layer.operands[entry.port]; }

  LayerBuilder &layer;
  const Loop &loop;
  const Graph &body;
  bool isLoop;
  Reports &reports;

  /// The declared types of the Parameters that port map entries feed, by their indices in the body.
  llvm::DenseMap<unsigned, DeclaredType> declared;
  /// The loop-invariant inputs whose values fit their Parameters, once that has been checked.
  std::optional<SmallVector<const PortMapEntry *>> invariants;
  /// The sliced inputs, and the initial values of carried values.
  SmallVector<Value> sliced, inits;
  SmallVector<Attribute> slices, concats;
  /// The types of the parts and of the carried values.
  SmallVector<RankedTensorType> sliceTypes, carriedTypes;
  /// The type of the number of the iteration, if the body uses it.
  RankedTensorType indexType;
  /// The number of iterations, if it is known at compile time.
  std::optional<int64_t> count;
  SmallVector<Type> lastTypes, concatTypes;
  /// For each output port of the layer, the result of the op: its segment, and its position in the segment.
  enum class Segment { none, carried, last, concat };
  SmallVector<std::pair<Segment, unsigned>> outputs;
};
} // namespace

LogicalResult LoopBuilder::run() {
  // Checks that do not depend on each other all run, so that one import reports all their errors.
  bool ok = succeeded(readParameters());
  ok &= !isLoop || succeeded(checkCountAndCondition());
  if (ok) {
    ok &= succeeded(resolveSlices());
    ok &= succeeded(resolveIteration());
    ok &= succeeded(resolveOuterValues());
  }
  if (!ok) {
    if (reports.goesOn())
      checkBody();
    return failure();
  }
  Region region;
  if (failed(buildBody(region)))
    return failure();
  return createOp(region);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

LogicalResult LoopBuilder::readParameters() {
  bool ok = true;
  for (const PortMapEntry &entry : loop.entries) {
    if (!entry.isInput || entry.layer == Input::none)
      continue;
    FailureOr<DeclaredType> type = readDeclaredType(parameterOf(entry), reports);
    ok &= succeeded(type);
    if (succeeded(type))
      declared[entry.layer] = std::move(*type);
  }
  return success(ok);
}

LogicalResult LoopBuilder::checkCountAndCondition() {
  RankedTensorType trip = typeOf(layer.operands[loop.tripCountPort]);
  RankedTensorType condition = typeOf(layer.operands[loop.conditionPort]);
  bool ok = true;
  if (!(trip.getElementType().isSignlessInteger(32) || trip.getElementType().isSignlessInteger(64)) ||
      !hasOneElement(trip.getShape())) {
    const Input &port = layer.layer.inputs[loop.tripCountPort];
    layer.error(port.edge, "ir-loop-trip-count", "expected the trip count to be one i32 or i64, but got " + spell(trip))
        .emit();
    ok = false;
  }
  if (!condition.getElementType().isInteger(1) || !hasOneElement(condition.getShape())) {
    const Input &port = layer.layer.inputs[loop.conditionPort];
    layer
        .error(port.edge, "ir-loop-condition-type",
               "expected the execution condition to be one boolean, but got " + spell(condition))
        .emit();
    ok = false;
  }
  return success(ok);
}

LogicalResult LoopBuilder::resolveSlices() {
  if (!isLoop && loop.sliced.empty())
    return layer.error("ir-no-slices", "expected a port_map input with an axis, which gives the number of iterations, "
                                       "but got none");
  bool ok = true;
  const PortMapEntry *counted = nullptr;
  for (const PortMapEntry *entry : loop.sliced) {
    RankedTensorType type = typeOf(outerValue(*entry));
    FailureOr<ov::SliceInputAttr> slice = resolveSlice(layer, *entry, type);
    if (failed(slice)) {
      ok = false;
      continue;
    }
    SmallVector<int64_t> dims(type.getShape());
    int64_t dim = std::exchange(dims[slice->getAxis()], entry->part);
    auto part = RankedTensorType::get(dims, type.getElementType());
    ok &= succeeded(layer.checkSize(part, entry->partOffset));
    ok &= succeeded(checkDeclaredType(parameterOf(*entry), declared[entry->layer], part, entry->offset,
                                      "each part of the input is", "ir-parameter-type", reports));
    if (!isLoop && !ShapedType::isDynamic(dim)) {
      std::optional<int64_t> parts = slice->countSlices(dim);
      if (counted && parts != count) {
        layer
            .error(entry->offset, "ir-slice-counts",
                   "expected " + Twine(*count) + " parts, as of the other sliced input, but got " + Twine(*parts))
            .note(counted->offset, "the other sliced input is here")
            .emit();
        ok = false;
      }
      count = parts;
      counted = entry;
    }
    sliced.push_back(outerValue(*entry));
    slices.push_back(*slice);
    sliceTypes.push_back(part);
  }
  return success(ok);
}

LogicalResult LoopBuilder::resolveIteration() {
  if (!loop.iteration)
    return success();
  const Layer &parameter = parameterOf(*loop.iteration);
  const DeclaredType &type = declared[loop.iteration->layer];
  Type element = type.element ? type.element : IntegerType::get(reports.getSource().getContext(), 64);
  if (!(element.isSignlessInteger(32) || element.isSignlessInteger(64)) || !hasOneElement(type.dims))
    return reports
        .error(type.where, "ir-loop-iteration",
               parameter.describe() + ": expected the number of the iteration to be one i32 or i64, but got " +
                   spell(element) + spell(type.dims))
        .note(loop.iteration->offset, "its purpose is given here");
  SmallVector<int64_t> dims(type.dims.size(), 1);
  indexType = RankedTensorType::get(dims, element);
  return success();
}

LogicalResult LoopBuilder::checkInvariants() {
  invariants.emplace();
  for (const PortMapEntry *entry : loop.invariant)
    if (outerValue(*entry) &&
        succeeded(checkDeclaredType(parameterOf(*entry), declared[entry->layer], typeOf(outerValue(*entry)),
                                    entry->offset, "the input is", "ir-parameter-type", reports)))
      invariants->push_back(entry);
  return success(invariants->size() == loop.invariant.size());
}

LogicalResult LoopBuilder::resolveOuterValues() {
  bool ok = succeeded(checkInvariants());
  for (const Loop::Carried &carried : loop.carried) {
    RankedTensorType type = typeOf(outerValue(*carried.entry));
    ok &= succeeded(checkDeclaredType(parameterOf(*carried.entry), declared[carried.entry->layer], type,
                                      carried.entry->offset, "its first value is", "ir-parameter-type", reports));
    inits.push_back(outerValue(*carried.entry));
    carriedTypes.push_back(type);
  }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

LogicalResult LoopBuilder::buildBody(Region &region) {
  // If a dim of a carried value changes, the dim becomes dynamic in its type, and the body is built again. Each round
  // makes at least one more dim dynamic, so the loop ends.
  for (;;) {
    Block &block = region.emplaceBlock();
    OpBuilder builder(layer.builder.getContext());
    builder.setInsertionPointToStart(&block);
    GraphBuilder graph(layer.state, body, builder);
    auto addArgument = [&](const PortMapEntry &entry, Type type) {
      graph.setParameter(entry.layer, block.addArgument(type, layer.state.locate(parameterOf(entry))));
    };
    if (loop.iteration)
      addArgument(*loop.iteration, indexType);
    for (auto [entry, type] : llvm::zip_equal(loop.sliced, sliceTypes))
      addArgument(*entry, type);
    for (auto [carried, type] : llvm::zip_equal(loop.carried, carriedTypes))
      addArgument(*carried.entry, type);
    for (const PortMapEntry *entry : loop.invariant)
      graph.setParameter(entry->layer, outerValue(*entry));
    if (failed(graph.run()))
      return failure();
    bool hasWidened = false;
    if (failed(widen(graph, hasWidened)))
      return failure();
    if (!hasWidened)
      return yield(graph, builder);
    region.dropAllReferences();
    region.getBlocks().clear();
  }
}

void LoopBuilder::checkBody() {
  if (!invariants)
    (void)checkInvariants();
  Region region;
  Block &block = region.emplaceBlock();
  OpBuilder builder(layer.builder.getContext());
  builder.setInsertionPointToStart(&block);
  GraphBuilder graph(layer.state, body, builder);
  auto addArgument = [&](const PortMapEntry &entry) {
    const DeclaredType &type = declared[entry.layer];
    if (type.element && type.hasShape && !ShapedType::isDynamicShape(type.dims))
      graph.setParameter(entry.layer, block.addArgument(RankedTensorType::get(type.dims, type.element),
                                                        layer.state.locate(parameterOf(entry))));
  };
  if (loop.iteration)
    addArgument(*loop.iteration);
  for (const PortMapEntry *entry : loop.sliced)
    addArgument(*entry);
  for (const Loop::Carried &carried : loop.carried)
    addArgument(*carried.entry);
  for (const PortMapEntry *entry : *invariants)
    graph.setParameter(entry->layer, outerValue(*entry));
  (void)graph.run();
}

void LoopBuilder::check() {
  (void)readParameters();
  checkBody();
}

/// Makes the dims of carried values dynamic that differ between the start and the end of an iteration. Sets
/// `hasWidened` if there are any. Reports an error if a next value cannot have the type of the first one.
LogicalResult LoopBuilder::widen(const GraphBuilder &graph, bool &hasWidened) {
  bool ok = true;
  for (auto [carried, type] : llvm::zip_equal(loop.carried, carriedTypes)) {
    RankedTensorType next = typeOf(graph.getResult(carried.edge->result));
    const Layer &parameter = parameterOf(*carried.entry);
    if (failed(checkDeclaredType(parameter, declared[carried.entry->layer], next, carried.edge->offset,
                                 "the back edge carries", "ir-back-edge-type", reports))) {
      ok = false;
      continue;
    }
    if (next.getElementType() != type.getElementType() || next.getRank() != type.getRank()) {
      reports
          .error(carried.edge->offset, "ir-back-edge-type",
                 "expected the back edge to " + parameter.describe() + " to carry " + spell(type) +
                     ", as its first value, but got " + spell(next))
          .note(carried.entry->offset, "the first value comes in here")
          .note(body.layers[carried.edge->result].offset, "the next value comes from here")
          .emit();
      ok = false;
      continue;
    }
    RankedTensorType joined = join(type, next);
    hasWidened |= joined != type;
    type = joined;
  }
  return success(ok);
}

/// The number of iterations of a Loop if trip count and conditions are constant, else nullopt.
std::optional<int64_t> LoopBuilder::countIterations(Value bodyCondition) const {
  std::optional<SmallVector<int64_t>> tripValues = ov::getConstantIntegers(layer.operands[loop.tripCountPort]);
  std::optional<int64_t> trip;
  if (tripValues && tripValues->size() == 1 && tripValues->front() >= -1)
    trip = tripValues->front();
  std::optional<bool> first = ov::getConstantBool(layer.operands[loop.conditionPort]),
                      again = ov::getConstantBool(bodyCondition);
  if (first == false || trip == 0)
    return 0;
  if (first != true || !again || !trip)
    return std::nullopt;
  if (*again)
    return *trip == -1 ? std::nullopt : trip;
  return 1;
}

FailureOr<RankedTensorType> LoopBuilder::getConcatenatedType(const PortMapEntry &entry, RankedTensorType part,
                                                             int64_t axis) {
  SmallVector<int64_t> dims(part.getShape());
  int64_t dim = dims[axis];
  bool isStatic = count && !ShapedType::isDynamic(dim);
  // A product that overflows is above any limit.
  if (isStatic && llvm::MulOverflow(dim, *count, dims[axis]))
    return layer.error(entry.offset, "limit-elements",
                       "the concatenation of " + Twine(*count) + " parts " + spell(part) + " is too large");
  if (!isStatic)
    dims[axis] = ShapedType::kDynamic;
  auto type = RankedTensorType::get(dims, part.getElementType());
  if (failed(layer.checkSize(type, entry.offset)))
    return failure();
  return type;
}

LogicalResult LoopBuilder::yield(const GraphBuilder &graph, OpBuilder &builder) {
  Value condition;
  if (isLoop) {
    condition = graph.getResult(loop.condition->layer);
    RankedTensorType type = typeOf(condition);
    if (!type.getElementType().isInteger(1) || !hasOneElement(type.getShape()))
      return layer
          .error(loop.condition->offset, "ir-loop-condition-type",
                 "expected the body's condition to be one boolean, but got " + spell(type))
          .note(body.layers[loop.condition->layer].offset, "it is returned here");
    FailureOr<Value> only = LayerBuilder(layer.state, builder, layer.layer, {}).takeOnly(condition);
    if (failed(only))
      return failure();
    condition = *only;
    count = countIterations(condition);
  }
  SmallVector<Value> next, last, concat;
  for (auto [carried, type] : llvm::zip_equal(loop.carried, carriedTypes)) {
    Value value = graph.getResult(carried.edge->result);
    if (value.getType() != type)
      value = tensor::CastOp::create(builder, value.getLoc(), type, value);
    next.push_back(value);
  }
  for (const PortMapEntry *entry : loop.outputs) {
    if (!entry) {
      outputs.push_back({Segment::none, 0});
      continue;
    }
    Value value = graph.getResult(entry->layer);
    if (entry->axis) {
      RankedTensorType part = typeOf(value);
      FailureOr<int64_t> axis = normaliseAxis(layer, *entry, part);
      if (failed(axis))
        return failure();
      FailureOr<RankedTensorType> type = getConcatenatedType(*entry, part, *axis);
      if (failed(type))
        return failure();
      concats.push_back(ov::ConcatOutputAttr::get(part.getContext(), *axis, /*reverse=*/entry->stride < 0));
      outputs.push_back({Segment::concat, unsigned(concat.size())});
      concat.push_back(value);
      concatTypes.push_back(*type);
      continue;
    }
    // A Result that is also the next value of a carried one is the carried result, so that zero iterations give the
    // initial value.
    auto carried = llvm::find_if(loop.carried, [&](auto &c) { return c.edge->result == entry->layer; });
    if (carried != loop.carried.end()) {
      outputs.push_back({Segment::carried, unsigned(carried - loop.carried.begin())});
      continue;
    }
    outputs.push_back({Segment::last, unsigned(last.size())});
    last.push_back(value);
    lastTypes.push_back(value.getType());
  }
  ov::YieldOp::create(builder, layer.location, condition, next, last, concat);
  return success();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

LogicalResult LoopBuilder::createOp(Region &region) {
  OpBuilder &builder = layer.builder;
  SmallVector<Type> types;
  for (auto [init, type] : llvm::zip_equal(inits, carriedTypes)) {
    if (init.getType() != type)
      init = tensor::CastOp::create(builder, init.getLoc(), type, init);
    types.push_back(type);
  }
  ArrayAttr sliceAttr = builder.getArrayAttr(slices), concatAttr = builder.getArrayAttr(concats);
  Operation *op = nullptr;
  Region *opBody = nullptr;
  if (isLoop) {
    FailureOr<Value> tripCount = layer.takeOnly(layer.operands[loop.tripCountPort]),
                     condition = layer.takeOnly(layer.operands[loop.conditionPort]);
    if (failed(tripCount) || failed(condition))
      return failure();
    auto created =
        ov::LoopOp::create(builder, layer.location, types, lastTypes, concatTypes, *tripCount, *condition, sliced,
                           inits, /*empty_dims=*/ValueRange(), sliceAttr, concatAttr, bool(loop.iteration));
    op = created;
    opBody = &created.getBody();
  } else {
    auto created = ov::TensorIteratorOp::create(builder, layer.location, types, lastTypes, concatTypes, sliced, inits,
                                                /*empty_dims=*/ValueRange(), sliceAttr, concatAttr);
    op = created;
    opBody = &created.getBody();
  }
  opBody->takeBody(region);

  bool isValid = false;
  std::string problem = captureErrors(op->getContext(), [&] { isValid = succeeded(verifyOp(op)); });
  if (!isValid) {
    op->erase();
    return layer.error("ir-op", problem.empty() ? "the operation is not valid" : problem);
  }
  unsigned firstLast = types.size(), firstConcat = firstLast + lastTypes.size();
  for (auto [segment, index] : outputs) {
    switch (segment) {
    case Segment::none:
      layer.results.push_back(Value());
      break;
    case Segment::carried:
      layer.results.push_back(op->getResult(index));
      break;
    case Segment::last:
      layer.results.push_back(op->getResult(firstLast + index));
      break;
    case Segment::concat:
      layer.results.push_back(op->getResult(firstConcat + index));
      break;
    }
  }
  return success();
}

LogicalResult recur::ir::buildLoop(LayerBuilder &layer) { return LoopBuilder(layer).run(); }
void recur::ir::checkLoopBody(LayerBuilder &layer) { LoopBuilder(layer).check(); }
