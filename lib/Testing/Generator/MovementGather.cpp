// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.cpp - ops that read at indices ----------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitGather(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value data = *x;
  int64_t axis = random(data.getRank());
  Dim dim = data.dims[axis];
  if (dim.isStatic() && dim.size == 0)
    return false;
  bool isNew = chance(70);
  int64_t least = isNew ? -dim.size : 0, range = (isNew ? 2 : 1) * dim.size;
  if (!dim.isStatic())
    least = 0, range = std::clamp<int64_t>(dim.size, 1, 3);
  // Rarely out of range.
  if (chance(2))
    ++range;
  Value indices;
  const Value *there = pick(scope, [](const Value &value) {
    return (value.element == RECUR_I32 || value.element == RECUR_I64) && value.getRank() <= 2;
  });
  if (there && dim.isStatic() && chance(50)) {
    Value given = *there;
    indices = createExactly(scope, "Clamp", {given},
                            {{"min", std::to_string(least)}, {"max", std::to_string(least + range - 1)}}, given.dims);
  } else {
    llvm::SmallVector<int64_t> shape;
    for (unsigned i = 0, rank = random(3); i != rank; ++i)
      shape.push_back(anySize(scope, 3));
    Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64, shape);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, least + int64_t(random(range)));
    indices = constant(scope, tensor);
  }
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  llvm::append_range(dims, indices.dims);
  dims.append(data.dims.begin() + axis + 1, data.dims.end());
  Value whole = data;
  whole.dims = dims;
  if (whole.countElements() > scope.limit(600) || dims.size() > 6)
    return false;
  Value result = createExactly(
      scope, "Gather", {data, indices, anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50))}, {},
      dims);
  scope.graph.nodes[result.ref.node].version = isNew ? "opset8" : chance(50) ? "opset7" : "opset1";
  return add(scope, result);
}

bool Builder::emitGatherElements(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  if (data.dims[axis].size == 0 || data.countElements() > scope.limit(200))
    return false;
  Dims dims = data.dims;
  if (dims[axis].isStatic() || chance(60))
    dims[axis] = {1 + int64_t(random(4)), 0};
  std::optional<Value> indices = indicesFor(scope, dims, data.dims[axis]);
  if (!indices)
    return false;
  Value result = createExactly(scope, op, {data, *indices},
                               {{"axis", std::to_string(chance(50) ? axis : axis - data.getRank())}}, indices->dims);
  return add(scope, result);
}

bool Builder::emitGatherND(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t rank = data.getRank();
  unsigned batch = 0;
  while (batch + 1 < rank && batch != 2 && data.dims[batch].isStatic() && chance(35))
    ++batch;
  unsigned count = 1 + random(rank - batch);
  Dims places = smallDims(random(2));
  Dims dims(data.dims.begin(), data.dims.begin() + batch);
  dims.append(places);
  std::optional<Value> indices = coordinatesFor(scope, data, batch, count, dims);
  if (!indices || data.countElements() > scope.limit(200))
    return false;
  bool isOld = chance(40);
  if (isOld && batch == 2) {
    dims[1].size *= dims[0].size;
    dims.erase(dims.begin());
  }
  dims.append(data.dims.begin() + batch + count, data.dims.end());
  Value result = createExactly(scope, op, {data, *indices}, {{"batch_dims", std::to_string(batch)}}, dims);
  scope.graph.nodes[result.ref.node].version = isOld ? "opset5" : "opset8";
  return result.countElements() <= scope.limit(600) && add(scope, result);
}

bool Builder::emitGatherTree(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) {
    return value.isNumber() && value.isExact() && value.getRank() == 3 && value.dims[2].isStatic() &&
           value.dims[2].size > 0;
  });
  Value steps;
  if (x)
    steps = *x;
  else
    steps = randomConstant(scope, anyElement() == RECUR_F32 ? RECUR_F32 : RECUR_I32,
                           {1 + random(5), 1 + random(3), 1 + random(4)});
  int64_t beams = steps.dims[2].size;
  // Parents are within the beams, rarely one beyond them. A NaN is a fault.
  Value source = steps;
  const Value *y = pick(scope, [&](const Value &value) {
    return value.element == steps.element && value.isExact() && value.dims == steps.dims;
  });
  if (y && chance(70))
    source = *y;
  else if (steps.isStatic())
    source = randomConstant(scope, steps.element,
                            llvm::map_to_vector<4>(steps.dims, [](const Dim &dim) { return dim.size; }));
  std::string most = std::to_string(beams - 1 + chance(3));
  Value parents = createExactly(scope, "Clamp", {source}, {{"min", "0.0"}, {"max", most}}, source.dims);
  Value lengths;
  if (steps.dims[1].isStatic() && chance(60)) {
    Tensor tensor(steps.element, {steps.dims[1].size});
    bool isUnsigned = steps.element >= RECUR_U8 && steps.element <= RECUR_U64;
    for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
      int64_t length = int64_t(random(8)) - (isUnsigned ? 0 : 1);
      tensor.set(i, interpreter::convertScalar(interpreter::Scalar::of(interpreter::Integer(length)), RECUR_I64,
                                               steps.element));
    }
    lengths = constant(scope, tensor);
  } else {
    lengths = createExactly(scope, "ReduceMax", {steps, anyIndices(scope, {0, 2})}, {}, {steps.dims[1]});
  }
  Value end = randomConstant(scope, steps.element, {});
  Value result = create(scope, "GatherTree", "opset1", {steps, parents, lengths, end}, {}, steps.element, steps.dims);
  result.magnitude = std::max(steps.magnitude, 2);
  result.fraction = steps.fraction < 0 ? -1 : std::max(steps.fraction, 2);
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::movementGatherEntries = [] {
  static constexpr Entry entries[] = {
      {"Gather", &Builder::emitGather, 4},
      {"GatherElements", &Builder::emitGatherElements, 2},
      {"GatherND", &Builder::emitGatherND, 2},
      {"GatherTree", &Builder::emitGatherTree, 4},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
