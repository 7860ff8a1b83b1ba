// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVInference.cpp - Result types of the tensor ops -------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;
using namespace recur::ov::inference;

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

/// The shape that two operands of an element-wise op have together.
static LogicalResult combineShapes(Report report, Value a, Value b, StringRef autoBroadcast,
                                   SmallVector<int64_t> &shape) {
  std::optional<SmallVector<int64_t>> combined;
  if (autoBroadcast == "numpy")
    combined = broadcastShapes(shape, shapeOf(b));
  else if (autoBroadcast == "none")
    combined = mergeShapes(shape, shapeOf(b));
  else
    return report("expected auto_broadcast \"numpy\" or \"none\", but got \"", autoBroadcast, "\"");
  if (!combined)
    return report("expected shapes that ", autoBroadcast == "numpy" ? "broadcast" : "agree", ", but got ", a.getType(),
                  " and ", b.getType());
  shape = std::move(*combined);
  return success();
}

FailureOr<int64_t> recur::ov::inference::expectConstantAxis(Report report, Value axis, Value data) {
  if (std::optional<int64_t> known = getConstantAxis(axis, rankOf(data)))
    return *known;
  return report("expected axis that is constant, one element and in range, for ", data.getType());
}

LogicalResult recur::ov::inference::inferBinary(Report report, Value lhs, Value rhs, StringRef autoBroadcast, Type resultElement,
                                 Types &types) {
  // binary_c1
  if (failed(expectRanked(report, {lhs, rhs})) || failed(expectSameElement(report, {lhs, rhs})))
    return failure();
  // binary_c2
  SmallVector<int64_t> shape(shapeOf(lhs));
  if (failed(combineShapes(report, lhs, rhs, autoBroadcast, shape)))
    return failure();
  return addType(types, shape, resultElement ? resultElement : elementOf(lhs));
}

#define INFER_BINARY(OP, RESULT)                                                                                       \
  LogicalResult OP::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {   \
    return inferBinary({loc, getOperationName()}, adaptor.getLhs(), adaptor.getRhs(), adaptor.getAutoBroadcast(),      \
                       RESULT, types);                                                                                 \
  }
INFER_BINARY(AddOp, Type())
INFER_BINARY(SubtractOp, Type())
INFER_BINARY(MultiplyOp, Type())
INFER_BINARY(MaximumOp, Type())
INFER_BINARY(MinimumOp, Type())
INFER_BINARY(PowerOp, Type())
INFER_BINARY(DivideOp, Type())
INFER_BINARY(LogicalAndOp, Type())
INFER_BINARY(EqualOp, IntegerType::get(ctx, 1))
INFER_BINARY(NotEqualOp, IntegerType::get(ctx, 1))
INFER_BINARY(LessOp, IntegerType::get(ctx, 1))
INFER_BINARY(LessEqualOp, IntegerType::get(ctx, 1))
INFER_BINARY(GreaterOp, IntegerType::get(ctx, 1))
INFER_BINARY(GreaterEqualOp, IntegerType::get(ctx, 1))
#undef INFER_BINARY

LogicalResult SelectOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  Value condition = adaptor.getCondition(), thenValue = adaptor.getThenValue(), elseValue = adaptor.getElseValue();
  // select_c1
  if (failed(expectRanked(report, adaptor.getOperands())) || failed(expectSameElement(report, {thenValue, elseValue})))
    return failure();
  // select_c2
  SmallVector<int64_t> shape(shapeOf(thenValue));
  if (failed(combineShapes(report, thenValue, elseValue, adaptor.getAutoBroadcast(), shape)) ||
      failed(combineShapes(report, thenValue, condition, adaptor.getAutoBroadcast(), shape)))
    return failure();
  return addType(types, shape, elementOf(thenValue));
}

//===----------------------------------------------------------------------===//
// Matrix multiplication and cells
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  // matmul_c1
  if (failed(expectRanked(report, adaptor.getOperands())) || failed(expectSameElement(report, adaptor.getOperands())))
    return failure();
  SmallVector<int64_t> a(shapeOf(adaptor.getA())), b(shapeOf(adaptor.getB()));
  if (a.empty() || b.empty())
    return report("expected operands of rank at least 1, but got ", adaptor.getA().getType(), " and ",
                  adaptor.getB().getType());
  // A rank-1 operand is a row on the left and a column on the right; transposing does not apply to it.
  bool dropsRow = a.size() == 1, dropsColumn = b.size() == 1;
  if (dropsRow)
    a.insert(a.begin(), 1);
  else if (adaptor.getTransposeA())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (dropsColumn)
    b.push_back(1);
  else if (adaptor.getTransposeB())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  // matmul_c2
  if (!mergeDims(a[a.size() - 1], b[b.size() - 2]))
    return report("expected contracted dims that are equal, but got ", a[a.size() - 1], " and ", b[b.size() - 2]);
  // matmul_c3
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(ArrayRef<int64_t>(a).drop_back(2), ArrayRef<int64_t>(b).drop_back(2));
  if (!shape)
    return report("expected batch dims that broadcast, but got ", adaptor.getA().getType(), " and ",
                  adaptor.getB().getType());
  if (!dropsRow)
    shape->push_back(a[a.size() - 2]);
  if (!dropsColumn)
    shape->push_back(b[b.size() - 1]);
  return addType(types, *shape, elementOf(adaptor.getA()));
}

/// Checks the operands that all cells have; `gates` is the number of gates in W and R, `biases` that in B.
template <typename Adaptor>
static LogicalResult inferCell(Report report, Adaptor adaptor, int64_t gates, int64_t biases, ValueRange states,
                               Types &types) {
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // cell_c2
  if (failed(expectSameElement(report, adaptor.getOperands())))
    return failure();
  int64_t hidden = adaptor.getHiddenSize();
  // cell_c1
  if (hidden <= 0 || hidden > (int64_t(1) << 40))
    return report("expected a positive hidden_size, but got ", hidden);
  std::optional<int64_t> batch = ShapedType::kDynamic, input = ShapedType::kDynamic;
  // A dim of nullptr is fixed, to the number beside it.
  auto expect = [&](Value value, StringRef name, ArrayRef<std::pair<std::optional<int64_t> *, int64_t>> dims) {
    if (rankOf(value) != static_cast<int64_t>(dims.size()))
      return report("expected ", name, " of rank ", dims.size(), ", but got ", value.getType());
    for (auto [i, dim] : llvm::enumerate(dims)) {
      auto [shared, fixed] = dim;
      std::optional<int64_t> merged = mergeDims(shared ? **shared : fixed, shapeOf(value)[i]);
      if (!merged)
        return report("expected dim ", i, " of ", name, " to be ", shared ? **shared : fixed, ", but got ",
                      value.getType());
      if (shared)
        *shared = merged;
    }
    return success();
  };
  if (failed(expect(adaptor.getX(), "X", {{&batch, 0}, {&input, 0}})) ||
      failed(expect(adaptor.getW(), "W", {{nullptr, gates * hidden}, {&input, 0}})) ||
      failed(expect(adaptor.getR(), "R", {{nullptr, gates * hidden}, {nullptr, hidden}})) ||
      failed(expect(adaptor.getB(), "B", {{nullptr, biases * hidden}})))
    return failure();
  for (Value state : states)
    if (failed(expect(state, "a state", {{&batch, 0}, {nullptr, hidden}})))
      return failure();
  types.assign(states.size(), RankedTensorType::get({*batch, hidden}, elementOf(adaptor.getX())));
  return success();
}

LogicalResult LSTMCellOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                           Types &types) {
  return inferCell({loc, getOperationName()}, adaptor, 4, 4,
                   {adaptor.getInitialHiddenState(), adaptor.getInitialCellState()}, types);
}

LogicalResult GRUCellOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                          Types &types) {
  return inferCell({loc, getOperationName()}, adaptor, 3, adaptor.getLinearBeforeReset() ? 4 : 3,
                   adaptor.getInitialHiddenState(), types);
}

LogicalResult RNNCellOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                          Types &types) {
  return inferCell({loc, getOperationName()}, adaptor, 1, 1, adaptor.getInitialHiddenState(), types);
}

//===----------------------------------------------------------------------===//
// Shapes and data movement
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                          Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Type element = adaptor.getOutputType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return report("expected output_type i32 or i64, but got ", element);
  return addType(types, rankOf(adaptor.getData()), element);
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                          Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // reshape_c1
  std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(adaptor.getTargetShape());
  if (!target || rankOf(adaptor.getTargetShape()) != 1)
    return report("expected target_shape of rank 1 and static length, but got ", adaptor.getTargetShape().getType());
  // reshape_c2
  std::string why;
  std::optional<ReshapedShape> shape = reshapeShape(shapeOf(adaptor.getData()), *target, adaptor.getSpecialZero(), why);
  if (!shape)
    return report(why, ", but got ", adaptor.getData().getType(), " and target_shape [", llvm::iterator_range(*target),
                  "]");
  return addType(types, shape->dims, elementOf(adaptor.getData()));
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                          Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(adaptor.getData());
  // squeeze_c1
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shape, adaptor.getAxes());
  if (!axes)
    return report("expected axes that are constant, in range and without repetition, for ",
                  adaptor.getData().getType());
  SmallVector<int64_t> result;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    // squeeze_c2
    else if (!mergeDims(dim, 1))
      return report("expected dim ", i, " to be 1, but got ", adaptor.getData().getType());
  }
  return addType(types, result, elementOf(adaptor.getData()));
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                            Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // unsqueeze_c1
  std::optional<SmallVector<int64_t>> raw = getConstantIntegers(adaptor.getAxes()), axes;
  if (raw)
    axes = getConstantAxes(adaptor.getAxes(), rankOf(adaptor.getData()) + raw->size());
  if (!axes)
    return report("expected axes that are constant, in range and without repetition, for ",
                  adaptor.getData().getType());
  llvm::sort(*axes);
  SmallVector<int64_t> result(shapeOf(adaptor.getData()));
  for (int64_t axis : *axes)
    result.insert(result.begin() + axis, 1);
  return addType(types, result, elementOf(adaptor.getData()));
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                            Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // transpose_c1
  std::optional<SmallVector<int64_t>> order = getPermutation(adaptor.getInputOrder(), rankOf(adaptor.getArg()));
  if (!order)
    return report("expected input_order that is constant, and a permutation of the axes or empty, for ",
                  adaptor.getArg().getType());
  SmallVector<int64_t> result;
  for (int64_t axis : *order)
    result.push_back(shapeOf(adaptor.getArg())[axis]);
  return addType(types, result, elementOf(adaptor.getArg()));
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  // concat_c1
  if (adaptor.getInputs().empty())
    return report("expected at least one operand");
  if (failed(expectRanked(report, adaptor.getInputs())) || failed(expectSameElement(report, adaptor.getInputs())))
    return failure();
  Value first = adaptor.getInputs().front();
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), rankOf(first));
  if (!axis)
    return report("expected an axis of ", first.getType(), ", but got ", static_cast<int64_t>(adaptor.getAxis()));
  SmallVector<int64_t> result(shapeOf(first));
  for (Value input : adaptor.getInputs().drop_front()) {
    SmallVector<int64_t> shape(shapeOf(input));
    int64_t sum = ShapedType::kDynamic;
    if (shape.size() == result.size()) {
      if (!ShapedType::isDynamic(shape[*axis]) && !ShapedType::isDynamic(result[*axis]) &&
          llvm::AddOverflow(shape[*axis], result[*axis], sum))
        return report("expected a result of fewer than 2^63 elements");
      shape[*axis] = result[*axis];
    }
    // concat_c2
    std::optional<SmallVector<int64_t>> merged = mergeShapes(result, shape);
    if (!merged)
      return report("expected dims that agree, but along axis ", *axis, ", but got ", first.getType(), " and ",
                    input.getType());
    result = std::move(*merged);
    result[*axis] = sum;
  }
  return addType(types, result, elementOf(first));
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                            Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // broadcast_c1
  std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(adaptor.getTargetShape());
  if (!target || rankOf(adaptor.getTargetShape()) != 1)
    return report("expected target_shape of rank 1 and static length, but got ", adaptor.getTargetShape().getType());
  if (llvm::any_of(*target, [](int64_t dim) { return dim < 0 && !ShapedType::isDynamic(dim); }))
    return report("expected target_shape without negative entries, but got [", llvm::iterator_range(*target), "]");
  ArrayRef<int64_t> data = shapeOf(adaptor.getData());
  StringRef mode = adaptor.getMode();
  if (mode != "numpy" && mode != "explicit" && mode != "bidirectional")
    return report("expected mode \"numpy\", \"explicit\" or \"bidirectional\", but got \"", mode, "\"");
  // broadcast_c3
  if ((mode == "explicit") != static_cast<bool>(adaptor.getAxesMapping()))
    return report("expected axes_mapping with mode \"explicit\", and only there");
  auto clash = [&] {
    return report("expected dims that agree with target_shape or are 1, but got ", adaptor.getData().getType(),
                  " and [", llvm::iterator_range(*target), "]");
  };
  // broadcast_c2
  if (mode == "bidirectional") {
    std::optional<SmallVector<int64_t>> shape = broadcastShapes(data, *target);
    return shape ? addType(types, *shape, elementOf(adaptor.getData())) : clash();
  }
  SmallVector<int64_t> mapping;
  if (mode == "explicit") {
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(adaptor.getAxesMapping(), target->size());
    if (!axes || axes->size() != data.size() || !llvm::is_sorted(*axes))
      return report("expected axes_mapping that is constant, has one entry for each dim of data, and increases");
    mapping = std::move(*axes);
  } else {
    if (data.size() > target->size())
      return clash();
    for (size_t i = 0; i != data.size(); ++i)
      mapping.push_back(target->size() - data.size() + i);
  }
  for (auto [dim, axis] : llvm::zip_equal(data, mapping)) {
    // Of a dim other than 1 the target cannot but be the same.
    if (dim == 1 || ShapedType::isDynamic(dim))
      continue;
    if (!mergeDims(dim, (*target)[axis]))
      return clash();
    (*target)[axis] = dim;
  }
  return addType(types, *target, elementOf(adaptor.getData()));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  ArrayRef<int64_t> data = shapeOf(adaptor.getData()), indices = shapeOf(adaptor.getIndices());
  // gather_c1
  FailureOr<int64_t> known = expectConstantAxis(report, adaptor.getAxis(), adaptor.getData());
  if (failed(known))
    return failure();
  int64_t axis = *known, indexRank = indices.size();
  // gather_c2
  int64_t batch = normalizeBatchDims(adaptor.getBatchDims(), indexRank);
  if (batch < 0 || batch > axis || batch > indexRank)
    return report("expected batch_dims that is neither greater than the axis nor than the rank of indices, but got ",
                  static_cast<int64_t>(adaptor.getBatchDims()));
  std::optional<SmallVector<int64_t>> result = mergeShapes(data.take_front(batch), indices.take_front(batch));
  if (!result)
    return report("expected batch dims that agree, but got ", adaptor.getData().getType(), " and ",
                  adaptor.getIndices().getType());
  llvm::append_range(*result, data.slice(batch, axis - batch));
  llvm::append_range(*result, indices.drop_front(batch));
  llvm::append_range(*result, data.drop_front(axis + 1));
  return addType(types, *result, elementOf(adaptor.getData()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult recur::ov::inference::inferReduce(Report report, Value data, Value reductionAxes, bool keepDims, Types &types) {
  if (failed(expectRanked(report, {data, reductionAxes})))
    return failure();
  // reduce_c1
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(reductionAxes, rankOf(data));
  if (!axes)
    return report("expected reduction_axes that are constant, in range and without repetition, for ", data.getType());
  SmallVector<int64_t> result;
  for (auto [i, dim] : llvm::enumerate(shapeOf(data))) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    else if (keepDims)
      result.push_back(1);
  }
  return addType(types, result, elementOf(data));
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                            Types &types) {
  return inferReduce({loc, getOperationName()}, adaptor.getData(), adaptor.getReductionAxes(), adaptor.getKeepDims(),
                     types);
}

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                            Types &types) {
  return inferReduce({loc, getOperationName()}, adaptor.getData(), adaptor.getReductionAxes(), adaptor.getKeepDims(),
                     types);
}

//===----------------------------------------------------------------------===//
// GatherTree
//===----------------------------------------------------------------------===//

LogicalResult GatherTreeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                             Types &types) {
  Report report{loc, getOperationName()};
  // gather_tree_c1
  if (failed(expectRanked(report, adaptor.getOperands())) || failed(expectSameElement(report, adaptor.getOperands())))
    return failure();
  Value steps = adaptor.getStepIds(), parents = adaptor.getParentIds(), lengths = adaptor.getMaxSeqLen();
  // gather_tree_c2
  std::optional<SmallVector<int64_t>> shape = mergeShapes(shapeOf(steps), shapeOf(parents));
  if (!shape || shape->size() != 3)
    return report("expected step_ids and parent_ids of rank 3 and one shape, but got ", steps.getType(), " and ",
                  parents.getType());
  // gather_tree_c3
  std::optional<int64_t> batch;
  if (rankOf(lengths) == 1)
    batch = mergeDims((*shape)[1], shapeOf(lengths)[0]);
  if (!batch)
    return report("expected max_seq_len of rank 1 with BATCH_SIZE elements, but got ", lengths.getType(), " and ",
                  steps.getType());
  (*shape)[1] = *batch;
  // gather_tree_c4
  if (rankOf(adaptor.getEndToken()) != 0)
    return report("expected end_token that is a scalar, but got ", adaptor.getEndToken().getType());
  return addType(types, *shape, elementOf(steps));
}
