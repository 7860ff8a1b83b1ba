// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - matrix products ---------------------------------------===//
//
// Products of real numbers are summed in f64 and rounded once. Integers wrap.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

MaybeTensor matMul(Machine &machine, const Tensor &a, const Tensor &b, bool transposeA, bool transposeB) {
  // A vector is a row matrix as the left operand and a column matrix as the right operand. The dim of 1 that this adds
  // is not part of the result.
  bool isRow = a.getRank() == 1, isColumn = b.getRank() == 1;
  Shape left = isRow ? Shape{1, a.getDim(0)} : a.getShape(), right = isColumn ? Shape{b.getDim(0), 1} : b.getShape();
  transposeA &= !isRow;
  transposeB &= !isColumn;
  size_t n = left.size(), m = right.size();
  int64_t rows = left[transposeA ? n - 1 : n - 2], depth = left[transposeA ? n - 2 : n - 1];
  int64_t columns = right[transposeB ? m - 2 : m - 1], depthB = right[transposeB ? m - 1 : m - 2];
  if (depth != depthB)
    return machine.fault(RECUR_E_SHAPE, "contracted dims are " + Twine(depth) + " and " + Twine(depthB));
  ArrayRef<int64_t> batchA = ArrayRef(left).drop_back(2), batchB = ArrayRef(right).drop_back(2);
  std::optional<Shape> batch = broadcast(machine, batchA, batchB);
  if (!batch)
    return std::nullopt;
  Shape shape = *batch;
  if (!isRow)
    shape.push_back(rows);
  if (!isColumn)
    shape.push_back(columns);
  MaybeTensor result = machine.make(a.getType(), shape);
  if (!result || result->getNumElements() == 0)
    return result;
  int64_t next = 0;
  forEachPlace(*batch, [&](ArrayRef<int64_t> place) {
    int64_t offsetA = getBroadcastOffset(batchA, place) * rows * depth;
    int64_t offsetB = getBroadcastOffset(batchB, place) * columns * depth;
    for (int64_t row = 0; row != rows; ++row)
      for (int64_t column = 0; column != columns; ++column) {
        double real = 0;
        uint64_t integer = 0;
        for (int64_t k = 0; k != depth; ++k) {
          Scalar x = a.get(offsetA + (transposeA ? k * rows + row : row * depth + k));
          Scalar y = b.get(offsetB + (transposeB ? column * depth + k : k * columns + column));
          real = disturbSum(a.getType(), real + x.real * y.real);
          integer += uint64_t(x.integer) * uint64_t(y.integer);
        }
        result->set(next++, isReal(a.getType()) ? Scalar::of(real) : Scalar::of(Integer(integer)));
      }
  });
  return result;
}

static MaybeTensor matMulOp(Machine &machine, ov::MatMulOp op, Operands operands) {
  return matMul(machine, *operands[0], *operands[1], op.getTransposeA(), op.getTransposeB());
}

void addMatrix(Handlers &handlers) { addHandler<ov::MatMulOp>(handlers, matMulOp); }

} // namespace recur::interpreter
