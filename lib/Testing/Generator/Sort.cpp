// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - sorting -----------------------------------------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// The order of the elements decides the indices, so only exact values are taken.
bool Builder::emitTopK(Scope &scope, StringRef op) {
  Value input = anyExact(scope, 1);
  if (!input.isNumber())
    return false;
  int64_t axis = random(input.getRank()), most = std::max<int64_t>(input.dims[axis].size, 0);
  Dims dims = input.dims;
  Value k;
  std::optional<Value> computed = chance(25) ? runtimeCount(scope, most) : std::nullopt;
  if (computed) {
    k = *computed;
    dims[axis] = {-1, newSymbol()};
  } else {
    dims[axis] = {int64_t(random(most + 1)), 0};
    k = anyIndices(scope, {dims[axis].size}, /*isScalar=*/true);
  }
  static constexpr StringRef orders[] = {"value", "index", "value"};
  bool isShort = chance(50), isStable = chance(40);
  Attributes attributes{{"axis", std::to_string(chance(50) ? axis : axis - input.getRank())},
                        {"mode", chance(50) ? "max" : "min"},
                        {"sort", orders[random(std::size(orders))].str()},
                        {"index_element_type", isShort ? "i32" : "i64"}};
  if (isStable)
    attributes.push_back({"stable", "true"});
  Value values = createExactly(scope, op, {input, k}, attributes, dims), indices = values;
  scope.graph.nodes[values.ref.node].version = isStable ? "opset11" : "opset3";
  indices.ref.port = 1;
  indices.element = isShort ? RECUR_I32 : RECUR_I64;
  scope.graph.nodes[values.ref.node].outputs.push_back(indices.getType());
  scope.pool.push_back(values);
  return add(scope, indices);
}

/// The scores decide which boxes are chosen, so only exact values are taken.
bool Builder::emitNonMaxSuppression(Scope &scope, StringRef op) {
  Value scores = anyExact(scope, 3);
  if (!scores.isReal() || scores.getRank() != 3 || !scores.dims[0].isStatic() || !scores.dims[2].isStatic() ||
      scores.countElements() > scope.limit(60))
    scores = randomConstant(scope, RECUR_F32, {1 + random(2), 1 + random(3), 1 + random(5)});
  Value boxes = randomConstant(scope, scores.element, {scores.dims[0].size, scores.dims[2].size, 4});
  // No overlap of such boxes is near the limit.
  auto limit = [&](double value) {
    Tensor tensor(RECUR_F32, {});
    tensor.setReal(0, value);
    return constant(scope, tensor);
  };
  bool isShort = chance(50);
  Value indices = create(scope, op, "opset9",
                         {boxes, scores, anyIndices(scope, {int64_t(random(5))}, true), limit(0.25), limit(-0.5)},
                         {{"box_encoding", chance(50) ? "corner" : "center"},
                          {"sort_result_descending", chance(50) ? "true" : "false"},
                          {"output_type", isShort ? "i32" : "i64"}},
                         isShort ? RECUR_I32 : RECUR_I64, {Dim{-1, newSymbol()}, Dim{3, 0}});
  Value rows = indices, count = indices;
  rows.ref.port = 1;
  // N8: scores have the type of the thresholds.
  rows.element = RECUR_F32;
  count.ref.port = 2;
  count.dims = {Dim{1, 0}};
  for (const Value &value : {rows, count}) {
    scope.graph.nodes[indices.ref.node].outputs.push_back(value.getType());
    scope.pool.push_back(value);
  }
  return add(scope, indices);
}

/// Bucketize and SearchSorted. The positions are decided by comparisons, so only exact values are taken.
bool Builder::emitSearch(Scope &scope, StringRef op) {
  Value values = anyExact(scope, 1);
  if (!values.isNumber() || values.countElements() > scope.limit(100))
    values = randomConstant(scope, RECUR_F32, {2, 3});
  Tensor row(values.element, {int64_t(random(6))});
  bool isUnsigned = values.element >= RECUR_U8 && values.element <= RECUR_U64;
  for (int64_t i = 0; i != row.getNumElements(); ++i) {
    int64_t next = (isUnsigned ? 0 : -6) + 3 * i + int64_t(random(3));
    if (values.isReal())
      row.setReal(i, next / 4.0);
    else
      row.setInteger(i, next);
  }
  bool isShort = chance(50), isBucketize = op == "Bucketize";
  Value sorted = constant(scope, row);
  Attributes attributes{{"output_type", isShort ? "i32" : "i64"},
                        {isBucketize ? "with_right_bound" : "right_mode", chance(50) ? "true" : "false"}};
  return add(scope, create(scope, op, isBucketize ? "opset3" : "opset16",
                           isBucketize ? std::vector<Value>{values, sorted} : std::vector<Value>{sorted, values},
                           attributes, isShort ? RECUR_I32 : RECUR_I64, values.dims));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::sortEntries = [] {
  static constexpr Entry entries[] = {
      {"TopK", &Builder::emitTopK, 3},
      {"SearchSorted", &Builder::emitSearch, 1},
      {"NonMaxSuppression", &Builder::emitNonMaxSuppression, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
