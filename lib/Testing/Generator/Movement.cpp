// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - ops that reorder elements ---------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitTranspose(Scope &scope, StringRef) {
  Value input = anyValue(scope, 2);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[random(i + 1)]);
  bool isReversed = chance(20);
  if (isReversed)
    std::sort(order.begin(), order.end(), std::greater<>());
  Dims dims;
  for (int64_t axis : order)
    dims.push_back(input.dims[axis]);
  if (isReversed)
    order.clear();
  return add(scope, createExactly(scope, "Transpose", {input, anyIndices(scope, order)}, {}, dims));
}

bool Builder::emitConcat(Scope &scope, StringRef) {
  int64_t most = std::max<int64_t>(120, scope.most / 3);
  const Value *x =
      pick(scope, [&](const Value &value) { return value.getRank() >= 1 && value.countElements() <= most; });
  if (!x)
    return false;
  Value first = *x;
  int64_t axis = random(first.getRank());
  std::vector<Value> parts{first};
  for (unsigned i = 0, e = 1 + random(2); i != e; ++i) {
    const Value *y = pick(scope, [&](const Value &value) {
      if (value.element != first.element || value.getRank() != first.getRank() || value.countElements() > most)
        return false;
      for (int64_t d = 0; d != first.getRank(); ++d)
        if (d != axis && !(value.dims[d] == first.dims[d]))
          return false;
      return true;
    });
    parts.push_back(*y);
  }
  Dims dims = first.dims;
  dims[axis] = {0, 0};
  int magnitude = 0, fraction = 0;
  for (const Value &part : parts) {
    dims[axis].size = dims[axis].size < 0 || part.dims[axis].size < 0 ? -1 : dims[axis].size + part.dims[axis].size;
    dims[axis].symbol |= part.dims[axis].symbol;
    magnitude = std::max(magnitude, part.magnitude);
    fraction = part.fraction < 0 || fraction < 0 ? -1 : std::max(fraction, part.fraction);
  }
  if (dims[axis].symbol)
    dims[axis].symbol = newSymbol();
  Value result = createExactly(scope, "Concat", parts,
                               {{"axis", std::to_string(chance(50) ? axis : axis - first.getRank())}}, dims);
  result.magnitude = magnitude;
  result.fraction = fraction;
  return add(scope, result);
}

bool Builder::emitReverseSequence(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 2);
  int64_t rank = data.getRank(), batch = random(rank), along = random(rank);
  if (batch == along)
    along = (along + 1) % rank;
  int64_t size = data.dims[along].size;
  if (size < 0)
    return false;
  Value lengths;
  const Value *there = pick(scope, [&](const Value &value) {
    return value.isInteger() && value.getRank() == 1 && value.dims[0] == data.dims[batch];
  });
  if (there && (!data.dims[batch].isStatic() || chance(40))) {
    lengths = createExactly(scope, "Clamp", {*there}, {{"min", "0"}, {"max", std::to_string(size)}}, there->dims);
  } else if (data.dims[batch].isStatic()) {
    Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64, {data.dims[batch].size});
    // Rarely one length is too long.
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, random(size + 1 + chance(1)));
    lengths = constant(scope, tensor);
  } else {
    return false;
  }
  return add(scope, createExactly(scope, op, {data, lengths},
                                  {{"batch_axis", std::to_string(chance(50) ? batch : batch - rank)},
                                   {"seq_axis", std::to_string(chance(50) ? along : along - rank)}},
                                  data.dims));
}

/// DepthToSpace and SpaceToDepth.
bool Builder::emitBlocks(Scope &scope, StringRef op) {
  bool toSpace = op == "DepthToSpace";
  constexpr int64_t block = 2;
  auto fits = [&](const Value &value) {
    if (value.getRank() < 3 || value.getRank() > 5)
      return false;
    int64_t blocks = int64_t(1) << (value.getRank() - 2);
    if (toSpace)
      return value.dims[1].isStatic() && value.dims[1].size % blocks == 0;
    return llvm::all_of(llvm::drop_begin(value.dims, 2),
                        [](const Dim &dim) { return dim.isStatic() && dim.size % block == 0; });
  };
  const Value *found = pick(scope, fits);
  Value data =
      found ? *found
            : randomConstant(scope, anyElement(), {1 + random(2), toSpace ? 8 : 1 + random(3), 2 + 2 * random(2), 2});
  int64_t spatial = data.getRank() - 2;
  Dims dims = data.dims;
  for (int64_t i = 0; i != spatial; ++i) {
    dims[1].size = toSpace ? dims[1].size / block : dims[1].size < 0 ? -1 : dims[1].size * block;
    Dim &dim = dims[i + 2];
    dim.size = !toSpace ? dim.size / block : dim.size < 0 ? -1 : dim.size * block;
    // A dim that is not static becomes another one.
    if (!dim.isStatic())
      dim.symbol = newSymbol();
  }
  if (!dims[1].isStatic())
    dims[1].symbol = newSymbol();
  return add(scope,
             createExactly(
                 scope, op, {data},
                 {{"mode", chance(50) ? "blocks_first" : "depth_first"}, {"block_size", std::to_string(block)}}, dims));
}

bool Builder::emitShuffleChannels(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank()), group = 1;
  if (const Dim &dim = data.dims[axis]; dim.isStatic())
    for (int64_t divisor = 2; divisor <= dim.size; ++divisor)
      if (dim.size % divisor == 0 && chance(50))
        group = divisor;
  return add(scope, createExactly(scope, op, {data},
                                  {{"axis", std::to_string(chance(50) ? axis : axis - data.getRank())},
                                   {"group", std::to_string(group)}},
                                  data.dims));
}

bool Builder::emitReverse(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t rank = data.getRank(), axis = random(rank);
  bool isMask = chance(40);
  Tensor mask(RECUR_BOOLEAN, {rank});
  for (int64_t i = 0; i != rank; ++i)
    mask.setInteger(i, random(2));
  Value axes = isMask ? constant(scope, mask) : anyIndices(scope, {chance(50) ? axis : axis - rank});
  Value result = createExactly(scope, op, {data, axes}, {{"mode", isMask ? "mask" : "index"}}, data.dims);
  scope.graph.nodes[result.ref.node].version = "opset1";
  return add(scope, result);
}

bool Builder::emitRoll(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t rank = data.getRank();
  llvm::SmallVector<int64_t> shifts, axes;
  for (unsigned i = 0, e = 1 + random(2); i != e; ++i) {
    shifts.push_back(int64_t(random(9)) - 4);
    axes.push_back(int64_t(random(2 * rank)) - rank);
  }
  if (chance(30))
    shifts.resize(1);
  return add(scope,
             createExactly(scope, op, {data, anyIndices(scope, shifts), anyIndices(scope, axes)}, {}, data.dims));
}

/// BatchToSpace and SpaceToBatch.
bool Builder::emitSpaceBatch(Scope &scope, StringRef op) {
  bool toSpace = op == "BatchToSpace";
  int64_t blocks[] = {1, 1 + random(3), 1 + random(2)}, height = 1 + random(3), width = 1 + random(3);
  int64_t batch = 1 + random(2), all = blocks[1] * blocks[2];
  int64_t begin = random(2), end = random(2);
  if (toSpace) {
    if (begin + end >= height * blocks[1])
      begin = end = 0;
    Value data = randomConstant(scope, anyElement(), {batch * all, height, width});
    return add(scope, createExactly(scope, op,
                                    {data, anyIndices(scope, blocks), anyIndices(scope, {0, begin, 0}),
                                     anyIndices(scope, {0, end, 0})},
                                    {}, {{batch, 0}, {height * blocks[1] - begin - end, 0}, {width * blocks[2], 0}}));
  }
  // The pads fill the last block.
  int64_t rest = height * blocks[1] - begin;
  if (rest < 1)
    return false;
  int64_t own = 1 + random(rest);
  Value data = randomConstant(scope, anyElement(), {batch, own, width * blocks[2]});
  return add(scope, createExactly(scope, op,
                                  {data, anyIndices(scope, blocks), anyIndices(scope, {0, begin, 0}),
                                   anyIndices(scope, {0, rest - own, 0})},
                                  {}, {{batch * all, 0}, {height, 0}, {width, 0}}));
}

bool Builder::emitPatches(Scope &scope, StringRef op) {
  int64_t batch = 1 + random(2), channels = 1 + random(3);
  int64_t sizes[2], strides[2], rates[2], images[2], patches[2], pads[2];
  for (int i : {0, 1}) {
    sizes[i] = 1 + random(3);
    strides[i] = 1 + random(3);
    rates[i] = 1 + random(2);
    pads[i] = op == "Col2Im" ? random(2) : 0;
    images[i] = (sizes[i] - 1) * rates[i] + 1 + random(4);
    patches[i] = (images[i] + 2 * pads[i] - (sizes[i] - 1) * rates[i] - 1) / strides[i] + 1;
  }
  auto spell = [](const int64_t (&two)[2]) { return std::to_string(two[0]) + "," + std::to_string(two[1]); };
  int64_t area = sizes[0] * sizes[1];
  if (op == "Col2Im") {
    Value data = randomConstant(scope, RECUR_F32, {batch, channels * area, patches[0] * patches[1]});
    return add(scope, create(scope, op, "opset15", {data, anyIndices(scope, images), anyIndices(scope, sizes)},
                             {{"strides", spell(strides)},
                              {"dilations", spell(rates)},
                              {"pads_begin", spell(pads)},
                              {"pads_end", spell(pads)}},
                             RECUR_F32, {{batch, 0}, {channels, 0}, {images[0], 0}, {images[1], 0}}));
  }
  Value data = randomConstant(scope, anyElement(), {batch, channels, images[0], images[1]});
  bool isValid = chance(50);
  for (int i : {0, 1})
    if (!isValid)
      patches[i] = (images[i] + strides[i] - 1) / strides[i];
  Value result = create(scope, op, "opset3", {data},
                        {{"sizes", spell(sizes)},
                         {"strides", spell(strides)},
                         {"rates", spell(rates)},
                         {"auto_pad", isValid      ? "valid"
                                      : chance(50) ? "same_upper"
                                                   : "same_lower"}},
                        data.element, {{batch, 0}, {channels * area, 0}, {patches[0], 0}, {patches[1], 0}});
  result.copyBits(data);
  return add(scope, result);
}

/// The number of results depends on which elements are equal, so only exact values are taken.
bool Builder::emitUnique(Scope &scope, StringRef op) {
  Value data = anyExact(scope, 1);
  if (data.countElements() > std::max<int64_t>(60, scope.most / 6))
    return false;
  std::vector<Value> operands{data};
  Dim found{-1, newSymbol()}, whole{-1, newSymbol()};
  Dims dims{found};
  if (chance(60)) {
    int64_t axis = random(data.getRank());
    operands.push_back(anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50)));
    dims = data.dims;
    whole = dims[axis];
    dims[axis] = found;
  } else if (data.isStatic()) {
    whole = {data.countElements(), 0};
  }
  bool isShort = chance(50);
  Value values = createExactly(scope, op, operands,
                               {{"sorted", chance(50) ? "true" : "false"},
                                {"index_element_type", isShort ? "i32" : "i64"},
                                {"count_element_type", "i64"}},
                               dims);
  Node &node = scope.graph.nodes[values.ref.node];
  node.version = "opset10";
  scope.pool.push_back(values);
  for (unsigned port = 1; port != 4; ++port) {
    Value other = valueOf(scope, {values.ref.node, port}, isShort && port != 3 ? RECUR_I32 : RECUR_I64,
                          {port == 2 ? whole : found});
    node.outputs.push_back(other.getType());
    scope.pool.push_back(other);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::movementEntries = [] {
  static constexpr Entry entries[] = {
      {"Unique", &Builder::emitUnique, 1},
      {"SliceScatter", &Builder::emitSliceScatter, 1},
      {"Transpose", &Builder::emitTranspose, 4},
      {"Concat", &Builder::emitConcat, 4},
      {"ReverseSequence", &Builder::emitReverseSequence, 2},
      {"DepthToSpace", &Builder::emitBlocks, 1},
      {"SpaceToDepth", &Builder::emitBlocks, 1},
      {"ShuffleChannels", &Builder::emitShuffleChannels, 1},
      {"Reverse", &Builder::emitReverse, 1},
      {"Roll", &Builder::emitRoll, 1},
      {"BatchToSpace", &Builder::emitSpaceBatch, 1},
      {"SpaceToBatch", &Builder::emitSpaceBatch, 1},
      {"ExtractImagePatches", &Builder::emitPatches, 1},
      {"Col2Im", &Builder::emitPatches, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
