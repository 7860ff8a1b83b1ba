// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sparse.cpp - ops on lists of rows ----------------------------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// The numbers of segments of `count` rows, sorted, below `most`.
static std::vector<int64_t> segmentNumbers(llvm::function_ref<unsigned(unsigned)> random, int64_t count, int64_t most) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i != count; ++i)
    numbers.push_back(random(most));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// EmbeddingBag and EmbeddingSegmentsSum.
bool Builder::emitEmbedding(Scope &scope, StringRef op) {
  Value table = anyNumber(scope, 1);
  if (!table.dims[0].isStatic() || table.dims[0].size == 0 || table.countElements() > scope.limit(100))
    table = randomConstant(scope, chance(70) ? RECUR_F32 : RECUR_I32, {1 + random(4), 1 + random(3)});
  // Rounded elements would make a truncated mean of integers no different, but those of a table are exact.
  bool isNew = op == "EmbeddingBagPacked" || op == "EmbeddingBagOffsets", isMean = isNew && chance(50);
  bool hasWeights = !isMean && chance(40);
  int64_t rows = table.dims[0].size;
  auto indices = [&](llvm::ArrayRef<int64_t> shape) {
    Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64, shape);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, random(rows));
    return constant(scope, tensor);
  };
  std::vector<Value> operands{table};
  Dims dims = table.dims;
  int64_t taken = random(6);
  if (op.contains("Packed")) {
    dims[0] = {int64_t(1 + random(3)), 0};
    operands.push_back(indices({dims[0].size, taken}));
    if (hasWeights)
      operands.push_back(randomConstant(scope, table.element, {dims[0].size, taken}));
  } else {
    operands.push_back(indices({taken}));
    dims[0] = {int64_t(1 + random(4)), 0};
    if (op.contains("Segments")) {
      operands.push_back(
          anyIndices(scope, segmentNumbers([&](unsigned bound) { return random(bound); }, taken, dims[0].size + 1)));
      operands.push_back(anyIndices(scope, {dims[0].size}, /*isScalar=*/true));
    } else {
      operands.push_back(
          anyIndices(scope, segmentNumbers([&](unsigned bound) { return random(bound); }, dims[0].size, taken + 1)));
    }
    if (hasWeights || chance(50))
      operands.push_back(anyIndices(scope, {int64_t(random(rows + 1)) - 1}, /*isScalar=*/true));
    if (hasWeights)
      operands.push_back(randomConstant(scope, table.element, {taken}));
  }
  Attributes attributes;
  if (isMean)
    attributes.push_back({"reduction", "mean"});
  Value result = create(scope, op, isNew ? "opset15" : "opset3", operands, attributes, table.element, dims);
  if (!isMean && table.fraction >= 0) {
    result.magnitude = table.magnitude + 4 + (hasWeights ? 4 : 0);
    result.fraction = table.fraction + (hasWeights ? 2 : 0);
  }
  return add(scope, result);
}

bool Builder::emitSegmentMax(Scope &scope, StringRef op) {
  Value data = anyNumber(scope, 1);
  if (!data.dims[0].isStatic() || data.countElements() > scope.limit(100))
    data = randomConstant(scope, RECUR_F32, {1 + random(4), 1 + random(3)});
  int64_t count = 1 + random(4);
  std::vector<Value> operands{data, anyIndices(scope, segmentNumbers([&](unsigned bound) { return random(bound); },
                                                                     data.dims[0].size, count + 1))};
  Dims dims = data.dims;
  dims[0] = {-1, 0};
  if (chance(70)) {
    operands.push_back(anyIndices(scope, {count}, /*isScalar=*/true));
    dims[0] = {count, 0};
  } else {
    dims[0] = {-1, newSymbol()};
  }
  Value result = createExactly(scope, op, operands, {{"fill_mode", "ZERO"}}, dims);
  scope.graph.nodes[result.ref.node].version = "opset16";
  return add(scope, result);
}

bool Builder::emitSparseFill(Scope &scope, StringRef op) {
  int64_t rows = 1 + random(4), columns = 1 + random(4), count = random(4);
  Value values = randomConstant(scope, anyElement(), {count});
  std::vector<int64_t> own = segmentNumbers([&](unsigned bound) { return random(bound); }, count, rows);
  Tensor pairs(RECUR_I64, {count, 2});
  for (int64_t i = 0; i != count; ++i) {
    pairs.setInteger(2 * i, own[i]);
    pairs.setInteger(2 * i + 1, random(columns));
  }
  Dim found{-1, newSymbol()};
  Value first = create(
      scope, op, "opset16",
      {values, anyIndices(scope, {rows, columns}), constant(scope, pairs), randomConstant(scope, values.element, {})},
      {}, RECUR_I64, {found, {2, 0}});
  Value second = values, third = first;
  second.ref = {first.ref.node, 1};
  second.dims = {found};
  third.ref.port = 2;
  third.element = RECUR_BOOLEAN;
  third.dims = {{rows, 0}};
  for (Value *value : {&second, &third}) {
    value->isUsed = false;
    scope.graph.nodes[first.ref.node].outputs.push_back(value->getType());
  }
  scope.pool.push_back(first);
  scope.pool.push_back(second);
  return add(scope, third);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::sparseEntries = [] {
  static constexpr Entry entries[] = {
      {"SegmentMax", &Builder::emitSegmentMax, 1},
      {"SparseFillEmptyRows", &Builder::emitSparseFill, 1},
      {"Sparse", &Builder::emitEmbedding, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
