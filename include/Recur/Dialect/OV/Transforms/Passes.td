// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on the ov dialect -----------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
#define RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def HoistTimeParallel : Pass<"ov-hoist-time-parallel", "::mlir::func::FuncOp"> {
  let summary = "Compute products that do not depend on carried state for all iterations at once";
  let description = [{
    A product of a part of a sliced input with a matrix that the loop does not change becomes one product of the whole
    input, before the loop, whose parts the body reads. One large product reads the matrix once, not in every iteration.
    Only where the product of all iterations has at most `max-bytes`, and cannot fault.

    ```mlir
    ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x25x512xf32> to tensor<1x1x512xf32>) ... {
      %0 = ov.reshape %x_t, %shape : (tensor<1x1x512xf32>, tensor<2xi64>) -> tensor<1x512xf32>
      %1 = ov.matmul %0, %w {transpose_b = true} : (tensor<1x512xf32>, tensor<1024x512xf32>) -> tensor<1x1024xf32>
    ```
    ==>
    ```mlir
    %p = ov.matmul %x, %w {transpose_b = true} : (tensor<1x25x512xf32>, tensor<1024x512xf32>) -> tensor<1x25x1024xf32>
    ov.tensor_iterator slices(%p_t = %p along 1 [0:-1:1] part 1 : tensor<1x25x1024xf32> to tensor<1x1x1024xf32>) ... {
      %1 = ov.reshape %p_t, %shape : (tensor<1x1x1024xf32>, tensor<2xi64>) -> tensor<1x1024xf32>
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 25",
                        "The most bytes that the results of all iterations may take">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def RaiseLoops : Pass<"ov-raise-loops", "::mlir::func::FuncOp"> {
  let summary = "Find trip counts, slices and concatenations in loops over a counter";
  let description = [{
    Exporters write loops over a counter: they compare it with a limit, gather a part of an input by it, and scatter a
    part of a result by it. In an `ov.loop` with a counter (the iteration index, or a carried integer that starts at a
    constant and changes by a constant; and a constant multiple of one, with a constant added: `n - 1 - i`)

    * `counter < limit`, alone or in a conjunction, moves from the condition into the trip count, as does
      `counter > limit` of one that goes down to a constant; an `ov.if` that is false where one of the two does not hold
      is a conjunction, if what it computes cannot fail;
    * a gather by the counter of what the loop does not change (or a slice or strided slice of one element) becomes a
      sliced input;
    * a carried buffer that is only written at the counter, in every iteration once, becomes a concatenation, as does a
      carried list that is only appended to (or prepended to). What of the initial value is not written stays in front
      and behind. TensorFlow's lists are made with dims of 1 and broadcast in every iteration to those of an element;
      that goes where these are surely always the same. A list of one element that is written at 0 no longer depends on
      what it was. PyTorch's scatter of the elements of a slice, at indices that a range holds, is one of the slice.

    A gather out of range and more iterations than parts are both faults, so nothing is raised where that would make a
    fault of something that was none; nor where a list may end up with parts that were never written. What looks like it
    could be raised and is not gives a remark with the reason (`--remarks-filter-missed=ov-raise-loops`). Best after
    LICM: what a body makes of invariants is one too.

    ```mlir
    %r:2 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) carried(%i = %zero : tensor<i64>,
        %list = %zeros : tensor<8x4xf32>) {
      %x_i = ov.gather %x, %i, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
      %y_i = ov.tanh %x_i : tensor<4xf32>
      %list_1 = ov.scatter_update %list, %i, %y_i, %axis : ...
      %i_1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %again = ov.less %i_1, %eight : (tensor<i64>, tensor<i64>) -> tensor<i1>
      ov.yield while(%again : tensor<i1>) next(%i_1, %list_1 : tensor<i64>, tensor<8x4xf32>)
    }
    ```
    ==>
    ```mlir
    %r:3 = ov.loop trip(%eight : tensor<i64>) while(%true : tensor<i1>)
        slices(%x_i = %x along 0 [0:7:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>) carried(...)
        concats(along 0 [0:-1:1] part 1 : tensor<8x4xf32>) {
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def FuseLoops : Pass<"ov-fuse-loops", "::mlir::func::FuncOp"> {
  let summary = "Run loops of equal count over independent states as one";
  let description = [{
    TensorIterators of one static count, or Loops of one trip count that never end before it, become one where the
    second needs nothing of the first: the two directions of a sequence, say. What the second needs from between them
    moves in front. Iterations then take turns, so one of the two must not be able to fail: which fault is reported stays.

    Only where the constants that both bodies read have at most `max-bytes`. A bidirectional LSTM of 25 steps takes a
    fifth less time at 2 KiB, a tenth less at 8 KiB and the same at 32 KiB; beyond, an iteration of the one drives the
    weights of the other out of the nearest cache. Bodies with loops of their own are left.

    ```mlir
    %a = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : ...) carried(%s = %s0 : ...) { ... }
    %b = ov.tensor_iterator slices(%x_t = %x along 0 [-1:0:-1] part 1 : ...) carried(%t = %t0 : ...) { ... }
    ```
    ==>
    ```mlir
    %c:2 = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : ..., %x_u = %x along 0 [-1:0:-1] part 1 : ...)
        carried(%s = %s0 : ..., %t = %t0 : ...) { ... }
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 14",
                        "The most bytes of constants that the bodies may read together">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def DecomposeCells : Pass<"ov-decompose-cells", "::mlir::func::FuncOp"> {
  let summary = "Spell LSTM, GRU and RNN cells as products and element-wise ops";
  let description = [{
    `X*W^T` is one product for all gates, whose only operands are `X` and `W`, apart from that of the state: it does not
    depend on the state, so `ov-hoist-time-parallel` can take it out of the loop. The product of the state is one for all
    gates too, but for a GRU without `linear_before_reset`, where that of the last gate waits for the reset gate; its
    rows of `R` are a step in the layout of a constant, or a slice. Gates are slices of the sum. What must agree is
    checked by ops that do not broadcast.

    ```mlir
    %h = ov.rnn_cell %x, %h0, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
      activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>)
      -> tensor<1x3xf32>
    ```
    ==>
    ```mlir
    %0 = ov.matmul %x, %w {transpose_b = true} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
    %1 = ov.add %0, %b : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    %2 = ov.matmul %h0, %r {transpose_b = true} : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
    %3 = ov.add %1, %2 {auto_broadcast = "none"} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    %h = ov.tanh %3 : tensor<1x3xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def ExpandSequences : Pass<"ov-expand-sequences", "::mlir::func::FuncOp"> {
  let summary = "Spell LSTM, GRU and RNN sequences as TensorIterators with cells";
  let description = [{
    A TensorIterator for each direction, over the places of `X`, backward where the direction is. The weights of a
    direction are a step in the layout of a constant, or a slice. Where lengths are known to be the whole axis (as constants,
    or as the dim itself, read by `ov.shape_of`) that is all; else the number of the place is carried, and beyond its
    length a sequence keeps its states and gives zeros.

    ```mlir
    %y, %h = ov.rnn_sequence %x, %h0, %lengths, %w, %r, %b {hidden_size = 3, direction = "forward", ...}
      : (tensor<1x5x2xf32>, tensor<1x1x3xf32>, tensor<1xi64>, tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>)
      -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>)
    ```
    ==>
    ```mlir
    %final, %y = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x5x2xf32> to tensor<1x1x2xf32>)
        carried(%s = %h0_0 : tensor<1x3xf32>) concats(along 2 [0:-1:1] part 1 : tensor<1x1x5x3xf32>) {
      %0 = ov.squeeze %x_t, %one : (tensor<1x1x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
      %1 = ov.rnn_cell %0, %s, %w_0, %r_0, %b_0 ...
      %2 = ov.unsqueeze %1, %one_two : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<1x1x1x3xf32>
      ov.yield next(%1 : tensor<1x3xf32>) concat(%2 : tensor<1x1x1x3xf32>)
    }
    %h = ov.unsqueeze %final, %one : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

#endif // RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
