// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMathOps.cpp - Inference, verifiers, effects of OVMathOps.td ------===//

#include "Inference.h"
#include "OpInterfaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;
using namespace recur::ov::inference;

#define INFER(OP)                                                                                                      \
  LogicalResult OP::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types)

//===----------------------------------------------------------------------===//
// Element-wise, one operand
//===----------------------------------------------------------------------===//

LogicalResult RoundOp::verify() {
  // round_c1
  if (!llvm::is_contained({"half_to_even", "half_away_from_zero"}, getMode()))
    return emitOpError("expected mode \"half_to_even\" or \"half_away_from_zero\", but got ") << getModeAttr();
  return success();
}

LogicalResult GeluOp::verify() {
  // gelu_c1
  if (!llvm::is_contained({"erf", "tanh"}, getApproximationMode()))
    return emitOpError("expected approximation_mode \"erf\" or \"tanh\", but got ") << getApproximationModeAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// Element-wise, with parameters
//===----------------------------------------------------------------------===//

static LogicalResult inferParametric(Report report, ValueRange operands, Types &types) {
  // parametric_c1
  if (failed(expectRanked(report, operands)) || failed(expectSameElement(report, operands)))
    return failure();
  // parametric_c2
  for (Value parameter : operands.drop_front())
    if (llvm::any_of(shapeOf(parameter), [](int64_t dim) { return dim != 1; }))
      return report("expected parameters of one element, but got ", parameter.getType());
  return addType(types, shapeOf(operands.front()), elementOf(operands.front()));
}

#define INFER_PARAMETRIC(OP)                                                                                           \
  INFER(OP) { return inferParametric({loc, getOperationName()}, adaptor.getOperands(), types); }
INFER_PARAMETRIC(SeluOp)
INFER_PARAMETRIC(HardSigmoidOp)
INFER_PARAMETRIC(SwishOp)
#undef INFER_PARAMETRIC

INFER(PReluOp) {
  Report report{loc, getOperationName()};
  // prelu_c1
  if (failed(expectRanked(report, adaptor.getOperands())) || failed(expectSameElement(report, adaptor.getOperands())))
    return failure();
  // prelu_c2
  SmallVector<int64_t> result(shapeOf(adaptor.getData()));
  SmallVector<int64_t> slope = getSlopeShape(result, shapeOf(adaptor.getSlope()));
  auto clash = [&] {
    return report("expected a slope that broadcasts to data, but got ", adaptor.getSlope().getType(), " and ",
                  adaptor.getData().getType());
  };
  if (slope.size() > result.size())
    return clash();
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(slope))) {
    int64_t &own = result[result.size() - 1 - i];
    if (dim == 1 || ShapedType::isDynamic(dim))
      continue;
    if (!mergeDims(own, dim))
      return clash();
    own = dim;
  }
  return addType(types, result, elementOf(adaptor.getData()));
}

bool PReluOp::canFault() {
  SmallVector<int64_t> slope = getSlopeShape(shapeOf(getData()), shapeOf(getSlope()));
  ArrayRef<int64_t> data = shapeOf(getData()).take_back(slope.size());
  return llvm::any_of(llvm::zip(slope, data), [](auto pair) {
    auto [dim, own] = pair;
    return dim != 1 && !surelyEqual(dim, own);
  });
}

//===----------------------------------------------------------------------===//
// Element-wise, two operands
//===----------------------------------------------------------------------===//

#define BINARY_OPS(X)                                                                                                  \
  X(SquaredDifferenceOp)                                                                                               \
  X(ModOp)                                                                                                             \
  X(FloorModOp)                                                                                                        \
  X(LogicalOrOp)                                                                                                       \
  X(LogicalXorOp)

#define INFER_BINARY(OP)                                                                                               \
  INFER(OP) {                                                                                                          \
    return inferBinary({loc, getOperationName()}, adaptor.getLhs(), adaptor.getRhs(), adaptor.getAutoBroadcast(),      \
                       Type(), types);                                                                                 \
  }
BINARY_OPS(INFER_BINARY)
#undef INFER_BINARY

/// True if the shapes of an element-wise op may clash at run time.
template <typename Op>
static bool canClash(Op op) {
  ArrayRef<int64_t> a = shapeOf(op.getLhs()), b = shapeOf(op.getRhs());
  if (op.getLhs() == op.getRhs())
    return false;
  return op.getAutoBroadcast() == "none" ? !surelyEqual(a, b) : !surelyBroadcast(a, b);
}

/// True if integers may be divided by 0.
template <typename Op>
static bool canDivideByZero(Op op) {
  if (isa<FloatType>(elementOf(op.getRhs())))
    return false;
  std::optional<SmallVector<int64_t>> divisors = getConstantIntegers(op.getRhs());
  return !divisors || llvm::is_contained(*divisors, 0);
}

bool SquaredDifferenceOp::canFault() { return canClash(*this); }
bool LogicalOrOp::canFault() { return canClash(*this); }
bool LogicalXorOp::canFault() { return canClash(*this); }
bool ModOp::canFault() { return canClash(*this) || canDivideByZero(*this); }
bool FloorModOp::canFault() { return canClash(*this) || canDivideByZero(*this); }

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

#define REDUCE_OPS(X)                                                                                                  \
  X(ReduceMeanOp)                                                                                                      \
  X(ReduceMinOp)                                                                                                       \
  X(ReduceProdOp)                                                                                                      \
  X(ReduceL1Op)                                                                                                        \
  X(ReduceL2Op)                                                                                                        \
  X(ReduceLogicalAndOp)                                                                                                \
  X(ReduceLogicalOrOp)

#define INFER_REDUCE(OP)                                                                                               \
  INFER(OP) {                                                                                                          \
    return inferReduce({loc, getOperationName()}, adaptor.getData(), adaptor.getReductionAxes(),                       \
                       adaptor.getKeepDims(), types);                                                                  \
  }
REDUCE_OPS(INFER_REDUCE)
#undef INFER_REDUCE

LogicalResult LogSoftmaxOp::verify() {
  // log_softmax_c1
  if (!normalizeAxis(getAxis(), getType().getRank()))
    return emitOpError("expected an axis of ") << getType() << ", but got " << static_cast<int64_t>(getAxis());
  return success();
}

//===----------------------------------------------------------------------===//
// Scans and selections
//===----------------------------------------------------------------------===//

static bool isIndexType(Type type) { return type.isSignlessInteger(32) || type.isSignlessInteger(64); }

INFER(CumSumOp) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData();
  // cum_sum_c1
  if (!adaptor.getAxis() && rankOf(data) == 0)
    return report("expected data of rank 1 or more where there is no axis, but got ", data.getType());
  if (adaptor.getAxis() && failed(expectConstantAxis(report, adaptor.getAxis(), data)))
    return failure();
  return addType(types, shapeOf(data), elementOf(data));
}

INFER(TopKOp) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), k = adaptor.getK();
  // topk_c1
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), rankOf(data));
  if (!axis)
    return report("expected an axis of ", data.getType(), ", but got ", static_cast<int64_t>(adaptor.getAxis()));
  // topk_c2
  std::optional<SmallVector<int64_t>> number = getPartlyKnownIntegers(k);
  if (!number || number->size() != 1)
    return report("expected k of one element, but got ", k.getType());
  SmallVector<int64_t> result(shapeOf(data));
  int64_t size = result[*axis], count = number->front();
  if (!ShapedType::isDynamic(count) && (count < 0 || (!ShapedType::isDynamic(size) && count > size)))
    return report("expected k in [0, ", ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max() : size,
                  "], but got ", count);
  result[*axis] = count;
  // topk_c3
  if (adaptor.getMode() != "max" && adaptor.getMode() != "min")
    return report("expected mode \"max\" or \"min\", but got \"", adaptor.getMode(), "\"");
  if (!llvm::is_contained({"value", "index", "none"}, adaptor.getSort()))
    return report("expected sort \"value\", \"index\" or \"none\", but got \"", adaptor.getSort(), "\"");
  // topk_c4
  if (!isIndexType(adaptor.getIndexElementType()))
    return report("expected index_element_type i32 or i64, but got ", adaptor.getIndexElementType());
  (void)addType(types, result, elementOf(data));
  return addType(types, result, adaptor.getIndexElementType());
}

bool TopKOp::canFault() {
  std::optional<SmallVector<int64_t>> number = getPartlyKnownIntegers(getK());
  std::optional<int64_t> axis = normalizeAxis(getAxis(), rankOf(getData()));
  if (!number || number->size() != 1 || !axis)
    return true;
  // Inference has seen that k fits where both are known; a dim that is not known has at least no element.
  int64_t count = number->front();
  return count != 0 && (ShapedType::isDynamic(count) || ShapedType::isDynamic(shapeOf(getData())[*axis]));
}

INFER(NonZeroOp) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // non_zero_c1
  if (!isIndexType(adaptor.getOutputType()))
    return report("expected output_type i32 or i64, but got ", adaptor.getOutputType());
  return addType(types, {rankOf(adaptor.getData()), ShapedType::kDynamic}, adaptor.getOutputType());
}

//===----------------------------------------------------------------------===//
// Effects, speculation, compatible types
//===----------------------------------------------------------------------===//

#define FAULTING_OPS(X)                                                                                                \
  BINARY_OPS(X)                                                                                                        \
  X(PReluOp)                                                                                                           \
  X(TopKOp)

FAULTING_OPS(RECUR_OV_FAULT_INTERFACES)

#define INFER_OPS(X)                                                                                                   \
  FAULTING_OPS(X)                                                                                                      \
  REDUCE_OPS(X)                                                                                                        \
  X(SeluOp)                                                                                                            \
  X(HardSigmoidOp)                                                                                                     \
  X(SwishOp)                                                                                                           \
  X(CumSumOp)                                                                                                          \
  X(NonZeroOp)

INFER_OPS(RECUR_OV_COMPATIBLE_TYPES)
