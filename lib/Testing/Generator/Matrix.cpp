// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - matrix products -------------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitMatMul(Scope &scope, StringRef) {
  const Value *x = pick(scope, [&](const Value &value) {
    return value.isNumber() && value.getRank() >= 1 && value.countElements() <= scope.limit(128);
  });
  if (!x)
    return false;
  Value a = *x, b;
  bool transposeA = a.getRank() > 1 && chance(30), transposeB = false;
  Dim depth = a.getRank() == 1 ? a.dims[0] : a.dims[a.getRank() - (transposeA ? 2 : 1)];
  // The other operand is a matrix of the same depth, as it is or transposed, or a constant.
  const Value *y = chance(50) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && value.getRank() >= 1 && value.getRank() <= 2 && value.dims.back() == depth;
  });
  Dims batch;
  if (y) {
    b = *y;
    transposeB = b.getRank() == 2;
  } else {
    if (!depth.isStatic())
      return false;
    llvm::SmallVector<int64_t> shape{depth.size};
    if (chance(85))
      shape.push_back(weightsSize(scope, chance(10) ? 20 : 4, depth.size));
    b = randomConstant(scope, a.element, shape);
    if (shape.size() == 2 && chance(50)) {
      std::swap(scope.graph.nodes[b.ref.node].outputs[0].dims[0], scope.graph.nodes[b.ref.node].outputs[0].dims[1]);
      scope.graph.nodes[b.ref.node].value = scope.graph.nodes[b.ref.node].value->reshaped({shape[1], shape[0]});
      std::swap(b.dims[0], b.dims[1]);
      transposeB = true;
    }
  }
  if (a.getRank() > 2)
    batch.assign(a.dims.begin(), a.dims.end() - 2);
  Dims dims = batch;
  if (a.getRank() > 1)
    dims.push_back(a.dims[a.getRank() - (transposeA ? 1 : 2)]);
  if (b.getRank() > 1)
    dims.push_back(b.dims[transposeB ? 0 : 1]);
  // Limit the number of multiplications.
  int64_t products = std::max<int64_t>(depth.size < 0 ? 8 : depth.size, 1);
  Value shape = a;
  shape.dims = dims;
  if (shape.countElements() > std::max<int64_t>(scope.limit(600), wantsWeights ? 4000 : 0) ||
      shape.countElements() * products * scope.iterations > 1 << 19)
    return false;
  Attributes attributes;
  if (transposeA)
    attributes.push_back({"transpose_a", "true"});
  if (transposeB)
    attributes.push_back({"transpose_b", "true"});
  Value result = create(scope, "MatMul", "opset1", {a, b}, attributes, a.element, dims);
  if (a.fraction >= 0 && b.fraction >= 0) {
    result.magnitude = a.magnitude + b.magnitude + std::max(5, bitsOf(products));
    result.fraction = a.fraction + b.fraction;
  }
  return add(scope, result);
}

/// The inverse of a matrix whose diagonal is much greater than the other elements.
bool Builder::emitInverse(Scope &scope, StringRef op) {
  int64_t size = 1 + random(4), batch = 1 + random(2);
  Tensor tensor(chance(50) ? RECUR_F32 : RECUR_F64, {batch, size, size});
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    tensor.setReal(i, i % (size * size) % (size + 1) == 0 ? 16 + double(random(8)) : (double(random(9)) - 4) / 4);
  Value data = constant(scope, tensor);
  return add(scope, create(scope, op, "opset14", {data}, {{"adjoint", chance(50) ? "true" : "false"}}, data.element,
                           data.dims));
}

bool Builder::emitEinsum(Scope &scope, StringRef op) {
  int64_t i = 1 + random(4), j = 1 + random(4), k = 1 + random(4);
  recur_element_type element = chance(70) ? RECUR_F32 : RECUR_I32;
  Value a = randomConstant(scope, element, {i, j}), b = randomConstant(scope, element, {j, k});
  struct Case {
    StringRef equation;
    Dims dims;
  };
  const Case cases[] = {{"ij,jk->ik", {{i, 0}, {k, 0}}},
                        {"ij,jk->kij", {{k, 0}, {i, 0}, {j, 0}}},
                        {"ij,jk->", {}},
                        {"ij,jk->jk", {{j, 0}, {k, 0}}},
                        {"ij,jk", {{i, 0}, {k, 0}}},
                        {"...j,jk->...k", {{i, 0}, {k, 0}}}};
  const Case &chosen = cases[random(std::size(cases))];
  Value result = create(scope, op, "opset7", {a, b}, {{"equation", chosen.equation.str()}}, element, chosen.dims);
  return add(scope, result);
}

bool Builder::emitAttention(Scope &scope, StringRef op) {
  int64_t batch = 1 + random(2), queries = 1 + random(4), keys = 1 + random(5), width = 1 + random(4),
          out = 1 + random(4);
  int64_t heads = 1 + random(2), queryHeads = heads * (1 + random(3));
  auto make = [&](int64_t count, int64_t rows, int64_t columns) {
    return randomConstant(scope, RECUR_F32, {batch, count, rows, columns});
  };
  std::vector<Value> inputs{make(queryHeads, queries, width), make(heads, keys, width), make(heads, keys, out)};
  if (chance(40))
    inputs.push_back(randomConstant(scope, RECUR_F32, {queries, keys}));
  return add(scope, create(scope, op, "opset13", inputs, {{"causal", chance(30) ? "true" : "false"}}, RECUR_F32,
                           {{batch, 0}, {queryHeads, 0}, {queries, 0}, {out, 0}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::matrixEntries = [] {
  static constexpr Entry entries[] = {
      {"Einsum", &Builder::emitEinsum, 1},
      {"ScaledDotProductAttention", &Builder::emitAttention, 1},
      {"Inverse", &Builder::emitInverse, 1},
      {"MatMul", &Builder::emitMatMul, 4},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
