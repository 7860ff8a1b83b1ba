// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateGraph.cpp - selection of ops and operands ------------------===//
//
// All operations that can be imported are generated. The number of a model decides what the model must have: an op, the
// bodies around the op, and a kind of loop. So no operation is rare, and each model can be made alone.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>

using llvm::StringRef;

namespace recur::fuzz {

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// The function that makes an operation: its own entry, else a function for element-wise ops, which needs only the
/// declared operands and attributes, else the entry of its family.
const std::vector<Builder::Row> &Builder::getRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> result;
    auto find = [](StringRef name) -> const Entry * {
      for (llvm::ArrayRef<Entry> some : {activationEntries,
                                         arithmeticEntries,
                                         bitwiseEntries,
                                         comparisonEntries,
                                         conditionEntries,
                                         convolutionEntries,
                                         detectionEntries,
                                         generationEntries,
                                         infrastructureEntries,
                                         logicalEntries,
                                         matrixEntries,
                                         movementEntries,
                                         movementGatherEntries,
                                         movementRepeatEntries,
                                         movementScatterEntries,
                                         movementSliceEntries,
                                         normalizationEntries,
                                         poolingEntries,
                                         reductionEntries,
                                         sequenceEntries,
                                         shapeEntries,
                                         signalsEntries,
                                         sortEntries,
                                         sparseEntries,
                                         typeEntries})
        for (const Entry &entry : some)
          if (entry.name == name)
            return &entry;
      return nullptr;
    };
    for (const ov::LayerType &type : ov::getLayerTypes()) {
      // Every model has these.
      if (type.name == "Parameter" || type.name == "Result" || type.name == "Const")
        continue;
      const Entry *entry = find(type.name);
      static constexpr Entry elementwise = {"", &Builder::emitElementwise, 1};
      if (!entry && type.isElementwise && type.operands.size() == 1)
        entry = &elementwise;
      if (!entry)
        entry = find(type.family);
      if (!entry)
        llvm::report_fatal_error("ir-fuzz has no entry that makes " + llvm::Twine(type.name), /*gen_crash_diag=*/false);
      result.push_back({type.name, entry->emit, entry->weight});
      for (StringRef other : type.otherNames)
        result.push_back({other, entry->emit, entry->weight});
    }
    return result;
  }();
  return rows;
}

std::vector<StringRef> getOperations() {
  std::vector<StringRef> ops;
  for (const auto &row : Builder::getRows())
    ops.push_back(row.op);
  return ops;
}

const Builder::Row *Builder::findRow(StringRef op) {
  const std::vector<Row> &rows = getRows();
  return &*llvm::find_if(rows, [&](const Row &row) { return row.op == op; });
}

//===----------------------------------------------------------------------===//
// Wishes
//===----------------------------------------------------------------------===//

Builder::Builder(uint64_t seed, uint64_t other) : source(seed * 0x2545f4914f6cdd1d + 1 + (other << 32)) {
  // The bodies around the op, outermost first, and the features of which one of the loops has one.
  // clang-format off
  static const std::vector<StringRef> nests[] = {
      {}, {}, {}, {"Loop"}, {"TensorIterator"}, {}, {"If"}, {"Loop"}, {"TensorIterator"}, {},
      {"TensorIterator", "Loop"}, {"Loop", "TensorIterator"}, {}, {"Loop", "Loop"},
      {"TensorIterator", "TensorIterator"}, {}, {"Loop", "If"}, {"If", "TensorIterator"}, {},
      {"TensorIterator", "Loop", "TensorIterator"}, {"Loop", "TensorIterator", "Loop"},
      {"TensorIterator", "Loop", "If"}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  static constexpr StringRef features[] = {"",     "zero-trips",      "",     "growing-state", "", "swap",
                                           "",     "negative-stride", "",     "dynamic-dims",  "", "delay-line",
                                           "",     "nan-or-infinity", "",     "straight-through"};
  // clang-format on
  uint64_t number = seed;
  const std::vector<Row> &rows = getRows();
  const Row *op = &rows[number % rows.size()];
  number /= rows.size();
  for (StringRef name : nests[number % std::size(nests)])
    wishes.push_back(findRow(name));
  if (wishes.size() == 2 && op->op != "GatherTree" && seed % 3 == 0)
    op = findRow("GatherTree");
  wishes.push_back(op);
  // Chosen independently of the rest, so that all combinations occur.
  wishedFeature = features[seed * 2654435761u / 65536 % std::size(features)];
}

/// The next wish is the op or body for this depth. If it is a body, the wishes after it are made inside it.
bool Builder::grantWish(Scope &scope) {
  if (granted >= wishes.size() || granted > scope.depth)
    return false;
  size_t before = granted;
  const Row &row = *wishes[granted];
  for (unsigned tries = 0; tries != 12; ++tries) {
    granted = before + 1;
    if ((this->*row.emit)(scope, row.op))
      return true;
  }
  granted = before;
  return false;
}

void Builder::grow(Scope &scope, unsigned count) {
  static const unsigned total = [] {
    unsigned sum = 0;
    for (const Row &row : getRows())
      sum += row.weight;
    return sum;
  }();
  unsigned made = 0, wishAt = scope.depth == 0 ? random(count) : 0;
  for (unsigned tries = 0; made != count && tries != 200; ++tries) {
    if (made == wishAt && grantWish(scope)) {
      ++made;
      continue;
    }
    if (scope.depth < 3 && chance(scope.depth == 0 ? 12 : 7)) {
      made += emitLoop(scope, chance(50) ? "Loop" : "TensorIterator");
      continue;
    }
    // Ops that read large matrices.
    static constexpr StringRef heavy[] = {"MatMul",  "MatMul",       "LSTMCell",   "GRUCell",
                                          "RNNCell", "LSTMSequence", "Convolution"};
    if (wantsWeights && chance(50)) {
      const Row *row = findRow(heavy[random(std::size(heavy))]);
      made += (this->*row->emit)(scope, row->op);
      continue;
    }
    unsigned place = random(total);
    const Row *row = getRows().data();
    while (place >= row->weight)
      place -= (row++)->weight;
    made += (this->*row->emit)(scope, row->op);
  }
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value Builder::widen(Scope &scope, Value value, int64_t leastRank) {
  while (value.getRank() < leastRank) {
    int64_t axis = random(value.getRank() + 1);
    Dims dims = value.dims;
    dims.insert(dims.begin() + axis, Dim{1, 0});
    value = createExactly(scope, "Unsqueeze", {value, anyIndices(scope, {axis})}, {}, dims);
  }
  return value;
}

Value Builder::convertTo(Scope &scope, const Value &input, recur_element_type to) {
  Value result =
      create(scope, "Convert", "opset1", {input}, {{"destination_type", getElementName(to).str()}}, to, input.dims);
  if (input.isReal())
    result.copyBits(input);
  else if (input.element == RECUR_BOOLEAN)
    result.fraction = 0;
  return result;
}

Value Builder::anyValue(Scope &scope, int64_t leastRank) {
  const Value *x = pick(scope, [&](const Value &value) { return value.getRank() >= leastRank; });
  return widen(scope, x ? *x : scope.pool[random(scope.pool.size())], leastRank);
}

Value Builder::anyNumber(Scope &scope, int64_t leastRank) {
  const Value *x = pick(scope, [&](const Value &value) { return value.isNumber() && value.getRank() >= leastRank; });
  if (!x)
    x = pick(scope, [&](const Value &value) { return value.isNumber(); });
  if (x)
    return widen(scope, *x, leastRank);
  return convertTo(scope, anyValue(scope, leastRank), RECUR_I32);
}

Value Builder::anyReal(Scope &scope, int64_t leastRank, int64_t mostRank) {
  const Value *x = pick(scope, [&](const Value &value) {
    return value.isReal() && value.getRank() >= leastRank && value.getRank() <= mostRank;
  });
  if (!x)
    x = pick(scope, [&](const Value &value) { return value.isReal() && value.getRank() <= mostRank; });
  if (x)
    return widen(scope, *x, leastRank);
  static constexpr recur_element_type types[] = {RECUR_F32, RECUR_F32, RECUR_F16, RECUR_BF16, RECUR_F64};
  return convertTo(scope, anyValue(scope, leastRank), types[random(std::size(types))]);
}

Value Builder::anyExact(Scope &scope, int64_t leastRank) {
  const Value *x = pick(scope, [&](const Value &value) { return value.isExact() && value.getRank() >= leastRank; });
  if (!x)
    x = pick(scope, [&](const Value &value) { return value.isExact(); });
  return widen(scope, x ? *x : randomConstant(scope, anyElement(), {2, 3}), leastRank);
}

Value Builder::anyBoolean(Scope &scope, int64_t leastRank) {
  const Value *x =
      pick(scope, [&](const Value &value) { return value.element == RECUR_BOOLEAN && value.getRank() >= leastRank; });
  if (x)
    return *x;
  Value exact = anyExact(scope, leastRank);
  if (exact.element == RECUR_BOOLEAN)
    return exact;
  return create(scope, chance(50) ? "Less" : "GreaterEqual", "opset1",
                {exact, randomConstant(scope, exact.element, {})}, {}, RECUR_BOOLEAN, exact.dims);
}

/// A tensor of one boolean.
Value Builder::anyFlag(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) {
    return value.element == RECUR_BOOLEAN && value.isStatic() && value.countElements() == 1 && value.getRank() <= 1;
  });
  if (x)
    return *x;
  Value value = anyBoolean(scope);
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis != value.getRank(); ++axis)
    axes.push_back(axis);
  if (axes.empty())
    return value;
  return createExactly(scope, chance(50) ? "ReduceLogicalOr" : "ReduceLogicalAnd", {value, anyIndices(scope, axes)}, {},
                       {});
}

std::string formatNumber(double value) { return llvm::formatv("{0:f4}", value).str(); }

Value Builder::clampTo(Scope &scope, const Value &value, double bound) {
  Value result =
      createExactly(scope, "Clamp", {value}, {{"min", formatNumber(-bound)}, {"max", formatNumber(bound)}}, value.dims);
  int magnitude = std::ceil(std::log2(bound));
  result.magnitude = std::min(result.magnitude, magnitude);
  return result;
}

std::optional<Value> Builder::runtimeCount(Scope &scope, int64_t most) {
  const Value *x = pick(scope, [](const Value &value) { return value.isInteger() && value.getRank() <= 3; });
  if (!x)
    return std::nullopt;
  Value value = *x;
  if (value.getRank() > 0) {
    llvm::SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis != value.getRank(); ++axis)
      axes.push_back(axis);
    value = createExactly(scope, "ReduceMax", {value, anyIndices(scope, axes)}, {}, {});
  }
  Value bounded = createExactly(scope, "Clamp", {value}, {{"min", "0"}, {"max", std::to_string(most)}}, {});
  if (bounded.element == RECUR_I64 || bounded.element == RECUR_I32)
    return bounded;
  return create(scope, "Convert", "opset1", {bounded}, {{"destination_type", "i64"}}, RECUR_I64, {});
}

std::optional<Value> Builder::findOrMake(Scope &scope, recur_element_type element, const Dims &dims) {
  const Value *found = pick(scope, [&](const Value &value) { return value.element == element && value.dims == dims; });
  if (found)
    return *found;
  if (!llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(); }))
    return std::nullopt;
  return randomConstant(scope, element, llvm::map_to_vector<4>(dims, [](const Dim &dim) { return dim.size; }));
}

/// Integers of this shape that index a dim: a constant, or an existing value within the bounds. Returns nullopt if a
/// dim is not static and no value fits.
std::optional<Value> Builder::indicesFor(Scope &scope, const Dims &dims, Dim range) {
  // The size of a dynamic dim is known only for these inputs.
  int64_t size = range.size < 0 ? 1 : range.size;
  const Value *there = pick(scope, [&](const Value &value) {
    return (value.element == RECUR_I32 || value.element == RECUR_I64) && value.dims == dims;
  });
  bool isStatic = llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(); });
  if (there && (!isStatic || chance(50)))
    return createExactly(scope, "Clamp", {*there}, {{"min", std::to_string(-size)}, {"max", std::to_string(size - 1)}},
                         dims);
  if (!isStatic)
    return std::nullopt;
  // Rarely out of range.
  int64_t most = 2 * size + chance(1);
  Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64,
                llvm::map_to_vector<4>(dims, [](const Dim &dim) { return dim.size; }));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    tensor.setInteger(i, int64_t(random(most)) - size);
  return constant(scope, tensor);
}

Dims Builder::smallDims(unsigned rank) {
  Dims dims;
  for (unsigned i = 0; i != rank; ++i)
    dims.push_back({1 + int64_t(random(3)), 0});
  return dims;
}

/// Coordinates in the dims of `data` from `first` on. Their tensor has `dims` as leading dims.
std::optional<Value> Builder::coordinatesFor(Scope &scope, const Value &data, unsigned first, unsigned count,
                                             Dims dims) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Dim &dim : llvm::ArrayRef(data.dims).slice(first, count))
    least = std::min<int64_t>(least, dim.size < 0 ? 1 : dim.size);
  if (least == 0)
    return std::nullopt;
  dims.push_back({int64_t(count), 0});
  std::optional<Value> indices = indicesFor(scope, dims, Dim{least, 0});
  Node *node = indices ? &scope.graph.nodes[indices->ref.node] : nullptr;
  if (node && node->type == "Const")
    for (int64_t i = 0; i != node->value->getNumElements(); ++i) {
      // Each coordinate is in the range of its own dim.
      int64_t size = std::max<int64_t>(data.dims[first + i % count].size, 1);
      if (chance(50))
        node->value->setInteger(i, int64_t(random(2 * size)) - size);
    }
  return indices;
}

//===----------------------------------------------------------------------===//
// Ops of several families
//===----------------------------------------------------------------------===//

/// Makes an op of one operand from the declared elements and attributes, which every operation has.
bool Builder::emitElementwise(Scope &scope, StringRef op) {
  const ov::LayerType &type = *ov::findLayerType(op);
  ov::LayerElements from = type.operands.front().elements, to = type.results.front().elements;
  bool isPredicate = to == ov::LayerElements::Boolean && from != to;
  // A predicate must be computed exactly.
  Value input = from == ov::LayerElements::Boolean ? anyBoolean(scope)
                : isPredicate                      ? anyExact(scope)
                : from == ov::LayerElements::Real  ? anyReal(scope)
                                                   : anyNumber(scope);
  if (isPredicate && from == ov::LayerElements::Real && !input.isReal())
    input = convertTo(scope, input, RECUR_F32);
  unsigned opset = std::max(type.opset, 8u);
  Attributes attributes;
  for (const ov::LayerAttribute &attribute : type.attributes) {
    if (!attribute.isOfOp || (!attribute.isRequired && chance(50)))
      continue;
    std::string text;
    switch (attribute.kind) {
    case ov::LayerAttributeKind::Enum:
      text = attribute.choices[random(attribute.choices.size())].str();
      break;
    case ov::LayerAttributeKind::Boolean:
      text = chance(50) ? "true" : "false";
      break;
    case ov::LayerAttributeKind::Number:
      text = formatNumber((1 + int(random(6))) / 4.0);
      break;
    default:
      return false;
    }
    attributes.push_back({attribute.name.str(), text});
    opset = std::max(opset, attribute.opset);
  }
  return add(scope, create(scope, op, "opset" + std::to_string(opset), {input}, attributes,
                           isPredicate ? RECUR_BOOLEAN : input.element, input.dims));
}

bool Builder::emitUnary(Scope &scope, StringRef op) {
  Value input = anyNumber(scope);
  return add(scope, createExactly(scope, op, {input}, {}, input.dims));
}

/// Makes an op whose operand is in [-4, 4].
bool Builder::emitOfSmall(Scope &scope, StringRef op) {
  Value input = clampTo(scope, anyReal(scope), 4);
  return add(scope, create(scope, op, "opset8", {input}, {}, input.element, input.dims));
}

} // namespace recur::fuzz
