// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CellSizes.h - the sizes of the weights of a cell ---------*- C++ -*-===//
//
// LSTM, GRU and RNN cells, and sequences of them, have the weights of all their gates in one tensor. The verifier, the
// compiler and the interpreter need its size.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_CELLSIZES_H
#define RECUR_DIALECT_OV_IR_CELLSIZES_H

#include <cstdint>

namespace recur::ov {

/// The number of rows of W and of R, and the number of elements of B.
struct CellSizes {
  int64_t rows, bias;
};

/// The sizes that a cell or a sequence of cells must have, where `op` is the op or its adaptor.
template <typename OpT>
CellSizes getCellSizes(OpT op) {
  int64_t hidden = op.getHiddenSize();
  if constexpr (requires { op.getInitialCellState(); })
    return {4 * hidden, 4 * hidden};
  else if constexpr (requires { op.getLinearBeforeReset(); })
    return {3 * hidden, (op.getLinearBeforeReset() ? 4 : 3) * hidden};
  else
    return {hidden, hidden};
}

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_CELLSIZES_H
