// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateGraph.cpp - which ops come, and what they read -------------===//
//
// The number of a model says what it must have: an op, how deep it stands, and a kind of loop. So none is rare, and
// each model can be made alone.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

const Builder::Row Builder::rows[] = {
    {"Negative", &Builder::emitUnary, 3},
    {"Abs", &Builder::emitUnary, 3},
    {"Relu", &Builder::emitUnary, 3},
    {"Exp", &Builder::emitTranscendental, 1},
    {"Sqrt", &Builder::emitTranscendental, 1},
    {"Tanh", &Builder::emitTranscendental, 1},
    {"Sigmoid", &Builder::emitTranscendental, 1},
    {"Log", &Builder::emitTranscendental, 1},
    {"Sin", &Builder::emitTranscendental, 1},
    {"Cos", &Builder::emitTranscendental, 1},
    {"Erf", &Builder::emitTranscendental, 1},
    {"SoftPlus", &Builder::emitTranscendental, 1},
    {"HSwish", &Builder::emitTranscendental, 1},
    {"HSigmoid", &Builder::emitTranscendental, 1},
    {"Elu", &Builder::emitTranscendental, 1},
    {"Gelu", &Builder::emitTranscendental, 1},
    {"Swish", &Builder::emitParametric, 1},
    {"Selu", &Builder::emitParametric, 1},
    {"HardSigmoid", &Builder::emitParametric, 1},
    {"PReLU", &Builder::emitParametric, 1},
    {"Add", &Builder::emitArithmetic, 4},
    {"Subtract", &Builder::emitArithmetic, 3},
    {"Multiply", &Builder::emitArithmetic, 3},
    {"Maximum", &Builder::emitArithmetic, 2},
    {"Minimum", &Builder::emitArithmetic, 2},
    {"SquaredDifference", &Builder::emitArithmetic, 1},
    {"Equal", &Builder::emitCompare, 2},
    {"NotEqual", &Builder::emitCompare, 2},
    {"Less", &Builder::emitCompare, 2},
    {"LessEqual", &Builder::emitCompare, 2},
    {"Greater", &Builder::emitCompare, 2},
    {"GreaterEqual", &Builder::emitCompare, 2},
    {"LogicalNot", &Builder::emitLogical, 2},
    {"LogicalAnd", &Builder::emitLogical, 1},
    {"LogicalOr", &Builder::emitLogical, 1},
    {"LogicalXor", &Builder::emitLogical, 1},
    {"Xor", &Builder::emitLogical, 1},
    {"Divide", &Builder::emitDivide, 4},
    {"Power", &Builder::emitPower, 4},
    {"Clamp", &Builder::emitClamp, 4},
    {"Select", &Builder::emitSelect, 4},
    {"Convert", &Builder::emitConvert, 4},
    {"Floor", &Builder::emitRounding, 1},
    {"Ceiling", &Builder::emitRounding, 1},
    {"Round", &Builder::emitRounding, 1},
    {"Sign", &Builder::emitRounding, 1},
    {"Mod", &Builder::emitModulo, 2},
    {"FloorMod", &Builder::emitModulo, 2},
    {"Identity", &Builder::emitIdentity, 1},
    {"MatMul", &Builder::emitMatMul, 4},
    {"LSTMCell", &Builder::emitCell, 2},
    {"GRUCell", &Builder::emitCell, 2},
    {"RNNCell", &Builder::emitCell, 1},
    {"LSTMSequence", &Builder::emitSequence, 1},
    {"GRUSequence", &Builder::emitSequence, 1},
    {"RNNSequence", &Builder::emitSequence, 1},
    {"Convolution", &Builder::emitConvolution, 1},
    {"GroupConvolution", &Builder::emitConvolution, 1},
    {"ShapeOf", &Builder::emitShapeOf, 4},
    {"Reshape", &Builder::emitReshape, 4},
    {"Squeeze", &Builder::emitSqueeze, 4},
    {"Unsqueeze", &Builder::emitUnsqueeze, 4},
    {"Transpose", &Builder::emitTranspose, 4},
    {"Concat", &Builder::emitConcat, 4},
    {"Broadcast", &Builder::emitBroadcast, 4},
    {"Split", &Builder::emitSplit, 2},
    {"VariadicSplit", &Builder::emitSplit, 2},
    {"Tile", &Builder::emitTile, 3},
    {"Slice", &Builder::emitSlice, 3},
    {"StridedSlice", &Builder::emitStridedSlice, 3},
    {"Pad", &Builder::emitPad, 2},
    {"Range", &Builder::emitRange, 2},
    {"Gather", &Builder::emitGather, 4},
    {"GatherElements", &Builder::emitGatherElements, 2},
    {"GatherND", &Builder::emitGatherND, 2},
    {"ScatterUpdate", &Builder::emitScatterUpdate, 2},
    {"ScatterElementsUpdate", &Builder::emitScatterElementsUpdate, 2},
    {"ScatterNDUpdate", &Builder::emitScatterNDUpdate, 2},
    {"OneHot", &Builder::emitOneHot, 2},
    {"ReverseSequence", &Builder::emitReverseSequence, 2},
    {"NonZero", &Builder::emitNonZero, 2},
    {"GatherTree", &Builder::emitGatherTree, 4},
    {"ReduceSum", &Builder::emitReduce, 4},
    {"ReduceMax", &Builder::emitReduce, 4},
    {"ReduceMin", &Builder::emitOtherReduction, 1},
    {"ReduceProd", &Builder::emitOtherReduction, 1},
    {"ReduceMean", &Builder::emitOtherReduction, 1},
    {"ReduceL1", &Builder::emitOtherReduction, 1},
    {"ReduceL2", &Builder::emitOtherReduction, 1},
    {"ReduceLogicalAnd", &Builder::emitOtherReduction, 1},
    {"ReduceLogicalOr", &Builder::emitOtherReduction, 1},
    {"SoftMax", &Builder::emitSoftmax, 2},
    {"LogSoftmax", &Builder::emitSoftmax, 1},
    {"CumSum", &Builder::emitCumSum, 3},
    {"TopK", &Builder::emitTopK, 3},
    // Loops are what it is about: they have a chance of their own.
    {"If", &Builder::emitIf, 3},
    {"TensorIterator", &Builder::emitLoop, 0},
    {"Loop", &Builder::emitLoop, 0},
};

llvm::ArrayRef<Builder::Row> Builder::getRows() { return rows; }

const Builder::Row *Builder::findRow(StringRef op) {
  return llvm::find_if(rows, [&](const Row &row) { return row.op == op; });
}

//===----------------------------------------------------------------------===//
// Wishes
//===----------------------------------------------------------------------===//

Builder::Builder(uint64_t seed) : state(seed * 0x2545f4914f6cdd1d + 1) {
  // What stands in what, around the op; and what one of the loops has.
  static const std::vector<StringRef> nests[] = {
      {}, {}, {}, {"Loop"}, {"TensorIterator"}, {}, {"If"}, {"Loop"}, {"TensorIterator"}, {},
      {"TensorIterator", "Loop"}, {"Loop", "TensorIterator"}, {}, {"Loop", "Loop"},
      {"TensorIterator", "TensorIterator"}, {}, {"Loop", "If"}, {"If", "TensorIterator"}, {},
      {"TensorIterator", "Loop", "TensorIterator"}, {"Loop", "TensorIterator", "Loop"}, {"TensorIterator", "Loop", "If"},
      {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  static constexpr StringRef features[] = {"",     "zero-trips",      "",     "growing-state", "", "swap",
                                           "",     "negative-stride", "",     "dynamic-dims",  "", "delay-line",
                                           "",     "nan-or-infinity", "",     "straight-through"};
  uint64_t number = seed;
  const Row *op = &rows[number % std::size(rows)];
  number /= std::size(rows);
  for (StringRef name : nests[number % std::size(nests)])
    wishes.push_back(findRow(name));
  if (wishes.size() == 2 && op->op != "GatherTree" && seed % 3 == 0)
    op = findRow("GatherTree");
  wishes.push_back(op);
  // Apart from the rest, so that all go together.
  wishedFeature = features[seed * 2654435761u / 65536 % std::size(features)];
}

/// Makes what is wished for at this depth; what stands in it is made with it.
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
    for (const Row &row : rows)
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
    unsigned place = random(total);
    const Row *row = rows;
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
  static constexpr StringRef names[] = {"",    "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                        "u16", "u32",     "u64", "f16", "bf16", "f32", "f64"};
  Value result = create(scope, "Convert", "opset1", {input}, {{"destination_type", names[to].str()}}, to, input.dims);
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
  const Value *x =
      pick(scope, [&](const Value &value) { return value.isNumber() && value.getRank() >= leastRank; });
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
  const Value *x = pick(scope, [&](const Value &value) {
    return value.element == RECUR_BOOLEAN && value.getRank() >= leastRank;
  });
  if (x)
    return *x;
  Value exact = anyExact(scope, leastRank);
  if (exact.element == RECUR_BOOLEAN)
    return exact;
  return create(scope, chance(50) ? "Less" : "GreaterEqual", "opset1",
                {exact, randomConstant(scope, exact.element, {})}, {}, RECUR_BOOLEAN, exact.dims);
}

/// One boolean.
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

} // namespace recur::fuzz
