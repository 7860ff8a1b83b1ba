// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on the ov dialect -----------------*- tablegen -*-===//
//
// These passes rewrite ov ops into other ov ops, before any loop becomes scf. The ops still say here whether they can
// fail, and loops still say which part of an input an iteration reads, so a pass can prove that it adds no fault.
// lib/Pipelines/Pipelines.cpp has the order of the passes. test/lint/examples.py runs the example of each description.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
#define RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TellEmptyDims : Pass<"ov-tell-empty-dims", "::mlir::func::FuncOp"> {
  let summary = "Tell loops the dims of their results after no iteration";
  let description = [{
    A loop that runs no iteration returns empty concatenations, and zeros as last values. Their other dims are those
    that the body would give, as far as they are known before the loop. This pass finds these dims in the body as the
    model has it, and makes them operands of the loop, which later passes keep. The interpreter does the same. So what
    passes make of the body does not matter.

    A dim is known if the type tells it, or if it is the same in all iterations and follows from values in front of the
    loop, by what each op says about the dims of its results. Arguments of the body have the dims of sliced inputs and
    of initial values. What the body computes of known values alone, by ops that cannot fail and outside of branches, is
    known too: the pass copies these ops. Any other dim is 0.

    ```mlir
    func.func @example(%n: tensor<i64>, %x: tensor<1x?xf32>) -> tensor<?x?xf32> {
      %true = ov.constant dense<true> : tensor<i1>
      %0 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?xf32>) {
        %y = ov.exp %x : tensor<1x?xf32>
        ov.yield while(%true : tensor<i1>) concat(%y : tensor<1x?xf32>)
      }
      return %0 : tensor<?x?xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: tensor<i64>, %x: tensor<1x?xf32>) -> tensor<?x?xf32> {
      %true = ov.constant dense<true> : tensor<i1>
      %zero = ov.constant dense<0> : tensor<1xi64>
      %shape = ov.shape_of %x {output_type = i64} : (tensor<1x?xf32>) -> tensor<2xi64>
      %one = ov.constant dense<1> : tensor<1xi64>
      %axis = ov.constant dense<0> : tensor<1xi64>
      %dim = ov.gather %shape, %one, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      %dims = ov.concat %zero, %dim {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
      %0 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?xf32>)
          empty(%dims : tensor<2xi64>) {
        %y = ov.exp %x : tensor<1x?xf32>
        ov.yield while(%true : tensor<i1>) concat(%y : tensor<1x?xf32>)
      }
      return %0 : tensor<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def RoundWeights : Pass<"ov-round-weights", "::mlir::func::FuncOp"> {
  let summary = "Round weights of f32 to fewer bits";
  let description = [{
    Constants of `f32` in the weights file that are matrices of products and cells, filters of convolutions, or tables
    of gathers get layout steps that round them to `precision` when they are packed, and widen them again. Later passes
    then read the narrow elements, as they do for models that were shipped with narrow weights. Integers have one scale
    for each column of a matrix and each row of a table; filters are not rounded to integers. Constants that were
    shipped as `f16` or `bf16` are rounded to integers too. Those that are part of the module, of up to 1 KiB, stay as
    they are.

    ```mlir
    module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096, hash = 0>} {
      func.func @example(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
        %w = ov.constant #ov.weights<0, tensor<32x32xf32>> : tensor<32x32xf32>
        %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
        return %0 : tensor<1x32xf32>
      }
    }
    ```
    ==> with `precision=bf16`
    ```mlir
    module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096, hash = 0>} {
      func.func @example(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
        %w = ov.constant #ov.weights<0, tensor<32x32xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<32x32xf32>
        %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
        return %0 : tensor<1x32xf32>
      }
    }
    ```
  }];
  let options = [Option<"precision", "precision", "::recur::ov::WeightsPrecision",
                        "::recur::ov::WeightsPrecision::F32", "What the weights are rounded to.",
                        "::recur::ov::weightsPrecisionValues()">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def RoundProducts : Pass<"ov-round-products", "::mlir::func::FuncOp"> {
  let summary = "Round the operands of products of f32";
  let description = [{
    Each matrix product of `f32` by a constant of the weights file gets operands that are rounded to `precision`, to
    nearest even, and widened again. So the products of two elements are exact, and their sum, like all else, stays
    `f32`. The conversion of a constant folds into its layout. A product whose weights are integers of 8 or 4 bits stays
    as it is. So do products of two computed tensors, because to round a matrix in each call takes longer than to
    multiply by it, and convolutions.

    The pass comes after cells are decomposed, so their products are among those that it changes.

    ```mlir
    module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 2048, hash = 0>} {
      func.func @example(%x: tensor<1x32xf32>) -> tensor<1x16xf32> {
        %w = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
        %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
        return %0 : tensor<1x16xf32>
      }
    }
    ```
    ==> with `precision=bf16`
    ```mlir
    module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 2048, hash = 0>} {
      func.func @example(%x: tensor<1x32xf32>) -> tensor<1x16xf32> {
        %w = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
        %0 = ov.convert %x : tensor<1x32xf32> to tensor<1x32xbf16>
        %1 = ov.convert %0 : tensor<1x32xbf16> to tensor<1x32xf32>
        %2 = ov.convert %w : tensor<32x16xf32> to tensor<32x16xbf16>
        %3 = ov.convert %2 : tensor<32x16xbf16> to tensor<32x16xf32>
        %4 = ov.matmul %1, %3 : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
        return %4 : tensor<1x16xf32>
      }
    }
    ```
  }];
  let options = [Option<"precision", "precision", "::recur::ov::ProductPrecision",
                        "::recur::ov::ProductPrecision::F32", "What the operands are rounded to.",
                        "::recur::ov::productPrecisionValues()">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def MergeEqualOps : Pass<"ov-merge-equal-ops", "::mlir::func::FuncOp"> {
  let summary = "Merge equal ops that may fail";
  let description = [{
    Ops with equal operands, attributes, types and bodies become one, also if they may fail. The later one fails only if
    the earlier one does, and then the call has ended. Upstream's CSE merges only ops that cannot fail. A layer that a
    model has twice, such as the arithmetic on dims that exporters write before each reshape, costs nothing then.

    ```mlir
    func.func @example(%x: tensor<?xf32>, %i: tensor<1xi64>) -> (tensor<1xf32>, tensor<1xf32>) {
      %axis = ov.constant dense<0> : tensor<i64>
      %0 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
      %1 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
      return %0, %1 : tensor<1xf32>, tensor<1xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?xf32>, %i: tensor<1xi64>) -> (tensor<1xf32>, tensor<1xf32>) {
      %axis = ov.constant dense<0> : tensor<i64>
      %0 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
      return %0, %0 : tensor<1xf32>, tensor<1xf32>
    }
    ```
  }];
}

def RollGroups : Pass<"ov-roll-groups", "::mlir::func::FuncOp"> {
  let summary = "Make a loop of a chain of equal groups of layers";
  let description = [{
    Exporters unroll recurrences. At least eight groups of equal ops that follow each other become a loop. Groups are
    equal if their ops have the same kind, attributes and types, and if each operand comes from the same place: an op of
    the group, the same op of the group before, one value for all groups, or parts of one tensor at equal distances
    (Split, VariadicSplit, Slice, StridedSlice, or Gather of one index). Parts become a sliced input. Results that a
    Concat puts together become a concatenation of the loop. The order of the layers in the file does not matter, and
    what differs at the ends of the chain stays outside of the loop.

    Only chains in which something passes from group to group become loops, and only if they read slices or have
    concatenated results. A result of all groups becomes a concatenation if it provably has the same dims in each. With
    the option `layers`, 16 groups of which only the last has results become a loop too, unless all their ops are
    element-wise, which would become one nest of loops. (Sin, Cos and Tan of f64 are so many ops that they do not count
    as element-wise here.) Constants that differ from group to group, as the weights of the layers of a network do,
    prevent it. The time of the pass grows with the number of ops.

    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %axis = ov.constant dense<0> : tensor<i64>
      %p:8 = ov.split %x, %axis {num_splits = 8 : i64} : (tensor<8x4xf32>, tensor<i64>)
          -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
              tensor<1x4xf32>, tensor<1x4xf32>)
      %a0 = ov.add %p#0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s1 = ov.tanh %a0 : tensor<1x4xf32>
      %a1 = ov.add %p#1, %s1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s2 = ov.tanh %a1 : tensor<1x4xf32>
      %a2 = ov.add %p#2, %s2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s3 = ov.tanh %a2 : tensor<1x4xf32>
      %a3 = ov.add %p#3, %s3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s4 = ov.tanh %a3 : tensor<1x4xf32>
      %a4 = ov.add %p#4, %s4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s5 = ov.tanh %a4 : tensor<1x4xf32>
      %a5 = ov.add %p#5, %s5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s6 = ov.tanh %a5 : tensor<1x4xf32>
      %a6 = ov.add %p#6, %s6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s7 = ov.tanh %a6 : tensor<1x4xf32>
      %a7 = ov.add %p#7, %s7 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      %s8 = ov.tanh %a7 : tensor<1x4xf32>
      return %s8 : tensor<1x4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %s, %last = ov.tensor_iterator slices(%x_t = %x along 0 [0:7:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
          carried(%s_t = %s0 : tensor<1x4xf32>) last(tensor<1x4xf32>) {
        %a = ov.add %x_t, %s_t : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        %n = ov.tanh %a : tensor<1x4xf32>
        ov.yield next(%n : tensor<1x4xf32>) last(%n : tensor<1x4xf32>)
      }
      return %last : tensor<1x4xf32>
    }
    ```
  }];
  let options = [Option<"layers", "layers", "bool", /*default=*/"true",
                        "Also roll layers that read no slices and have no concatenated results">];
  let dependentDialects = ["::recur::ov::OVDialect", "::mlir::tensor::TensorDialect"];
}

def SplitJoinedProducts : Pass<"ov-split-joined-products", "::mlir::func::FuncOp"> {
  let summary = "Separate the products of inputs from those of states";
  let description = [{
    In the body of a loop, a product of a concatenation of parts of sliced inputs and of other values becomes a sum of
    products, each with its rows of the matrix. A product of an input can then leave the loop. The matrix must be
    loop-invariant, and of f32 or f64. The concatenation stays if it can fail.

    ```mlir
    func.func @example(%x: tensor<25x1x3xf32>, %w: tensor<5x2xf32>, %s0: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %axis = ov.constant dense<0> : tensor<1xi64>
      %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<25x1x3xf32> to tensor<1x1x3xf32>)
          carried(%s = %s0 : tensor<1x2xf32>) {
        %row = ov.squeeze %x_t, %axis : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
        %xs = ov.concat %row, %s {axis = 1} : (tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x5xf32>
        %0 = ov.matmul %xs, %w : (tensor<1x5xf32>, tensor<5x2xf32>) -> tensor<1x2xf32>
        ov.yield next(%0 : tensor<1x2xf32>)
      }
      return %h : tensor<1x2xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<25x1x3xf32>, %w: tensor<5x2xf32>, %s0: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %axis = ov.constant dense<0> : tensor<1xi64>
      %wx = tensor.extract_slice %w[0, 0] [3, 2] [1, 1] : tensor<5x2xf32> to tensor<3x2xf32>
      %ws = tensor.extract_slice %w[3, 0] [2, 2] [1, 1] : tensor<5x2xf32> to tensor<2x2xf32>
      %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<25x1x3xf32> to tensor<1x1x3xf32>)
          carried(%s = %s0 : tensor<1x2xf32>) {
        %row = ov.squeeze %x_t, %axis : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
        %0 = ov.matmul %row, %wx : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
        %1 = ov.matmul %s, %ws : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
        %2 = ov.add %0, %1 {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<1x2xf32>, tensor<1x2xf32>)
            -> tensor<1x2xf32>
        ov.yield next(%2 : tensor<1x2xf32>)
      }
      return %h : tensor<1x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::recur::ov::OVDialect", "::mlir::tensor::TensorDialect"];
}

def ChannelsLast : Pass<"ov-channels-last", "::mlir::func::FuncOp"> {
  let summary = "Compute networks of convolutions with channels as the last dim";
  let description = [{
    Convolutions of f32 or f64 that feed each other, directly or by ops that do the same in any layout, have channels
    as the last dim of their results. Vectors of channels then fill registers even in small planes, and windows with
    strides read whole vectors. Such a convolution stays an ordinary one, between two transposes that its lowering
    recognizes. The transposes that give the results their layout move behind element-wise ops, pads, slices, splits,
    concatenations and reductions. An element-wise op may also read the data of a convolution, which are transposed
    anyway. A convolution without constant filters keeps its layout, and so does one with groups of several channels
    that make no whole tiles of vectors, and one of three dims with a dilation along the last one. So do networks of
    fewer than `least-convolutions`, which would not make up for the transposes, unless one of the convolutions does so
    by itself: it has many multiplications for each element of its data and its result.

    ```mlir
    func.func @example(%x: tensor<1x8x6x6xf32>) -> tensor<1x8xf32> {
      %w = ov.constant dense<1.0> : tensor<8x1x1x3x3xf32>
      %axes = ov.constant dense<[2, 3]> : tensor<2xi64>
      %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
          pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
          -> tensor<1x8x6x6xf32>
      %1 = ov.relu %0 : tensor<1x8x6x6xf32>
      %2 = ov.group_convolution %1, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
          pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
          -> tensor<1x8x6x6xf32>
      %3 = ov.reduce_mean %2, %axes : (tensor<1x8x6x6xf32>, tensor<2xi64>) -> tensor<1x8xf32>
      return %3 : tensor<1x8xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x8x6x6xf32>) -> tensor<1x8xf32> {
      %w = ov.constant dense<1.0> : tensor<8x1x1x3x3xf32>
      %to_last = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64>
      %from_last = ov.constant dense<[0, 3, 1, 2]> : tensor<4xi64>
      %axes = ov.constant dense<[1, 2]> : tensor<2xi64>
      %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
          pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
          -> tensor<1x8x6x6xf32>
      %1 = ov.transpose %0, %to_last : (tensor<1x8x6x6xf32>, tensor<4xi64>) -> tensor<1x6x6x8xf32>
      %2 = ov.relu %1 : tensor<1x6x6x8xf32>
      %3 = ov.transpose %2, %from_last : (tensor<1x6x6x8xf32>, tensor<4xi64>) -> tensor<1x8x6x6xf32>
      %4 = ov.group_convolution %3, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
          pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
          -> tensor<1x8x6x6xf32>
      %5 = ov.transpose %4, %to_last : (tensor<1x8x6x6xf32>, tensor<4xi64>) -> tensor<1x6x6x8xf32>
      %6 = ov.reduce_mean %5, %axes : (tensor<1x6x6x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>
      return %6 : tensor<1x8xf32>
    }
    ```
  }];
  let options = [Option<"leastConvolutions", "least-convolutions", "int64_t", "2",
                        "The fewest convolutions of a network that has its channels last.">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def StreamLoops : Pass<"ov-stream-loops", "::mlir::ModuleOp"> {
  let summary = "Make a model process one time step, with the carried values of its loops as states";
  let description = [{
    Replaces each loop over time by its body, and the time axes of inputs and outputs by a single step. Each carried
    value becomes a state (`ov.states`): the function has its value, and whether it was set, as arguments, and its next
    value as a result. Until a state is set, the body reads the initial value of the loop. The name of a state is that
    of the loop's layer, with the number of the carried value. The number of an iteration, if the body uses it, is a
    state behind them.

    After T steps, the results are those of the loop over the same T time steps, bit for bit:

    * a concatenation, and what follows from it, has the part of this step;
    * a carried or last value, and what follows from it, is that of the steps so far.

    The axis of time is followed from the sliced inputs of the loops to inputs of the model, and from there to its
    results. Several loops may follow one another. A convolution along time whose pads are all in front has the time
    steps before this one as a state, which is zeros at first. The pass fails at an op that combines time steps in
    another way, such as a reduction along time, and at a loop that goes backward, that may end early, that reads only a
    part of the time axis, or whose initial values follow from time steps. It also fails if the model has no loop over
    time, or has states of its own.

    The pass comes after `ov-split-joined-products`, so a step has the sums of the loop, and before
    `ov-hoist-time-parallel`, which needs the loop.

    ```mlir
    func.func @example(%x: tensor<25x1x3xf32>, %h0: tensor<1x3xf32>) -> tensor<25x1x3xf32> {
      %axis = ov.constant dense<0> : tensor<1xi64>
      %a = ov.tanh %x : tensor<25x1x3xf32>
      %h, %y = ov.tensor_iterator slices(%a_t = %a along 0 [0:-1:1] part 1 : tensor<25x1x3xf32> to tensor<1x1x3xf32>)
          carried(%s = %h0 : tensor<1x3xf32>) concats(along 0 : tensor<25x1x3xf32>) {
        %0 = ov.squeeze %a_t, %axis : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
        %1 = ov.add %0, %s : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
        %2 = ov.unsqueeze %1, %axis : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
        ov.yield next(%1 : tensor<1x3xf32>) concat(%2 : tensor<1x1x3xf32>)
      }
      return %y : tensor<25x1x3xf32>
    }
    ```
    ==>
    ```mlir
    module attributes {ov.states = array<i64: 1>} {
      func.func @example(%x: tensor<1x1x3xf32>, %h0: tensor<1x3xf32>,
          %state: tensor<1x3xf32> {ov.element_type = f32, ov.name = "state.0"},
          %is_set: tensor<i1> {ov.element_type = i1, ov.name = "state.0 is set"})
          -> (tensor<1x1x3xf32>, tensor<1x3xf32> {ov.element_type = f32, ov.name = "state.0"}) {
        %axis = ov.constant dense<0> : tensor<1xi64>
        %a = ov.tanh %x : tensor<1x1x3xf32>
        %s = ov.select %is_set, %state, %h0 : (tensor<i1>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
        %0 = ov.squeeze %a, %axis : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
        %1 = ov.add %0, %s : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
        %2 = ov.unsqueeze %1, %axis : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
        return %2, %1 : tensor<1x1x3xf32>, tensor<1x3xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def HoistTimeParallel : Pass<"ov-hoist-time-parallel", "::mlir::func::FuncOp"> {
  let summary = "Compute products that do not depend on carried state for all iterations at once";
  let description = [{
    Moves a product out of a loop if its left operand is a part of a sliced input and its right operand is a
    loop-invariant matrix. One product of the whole input is computed before the loop, and the body reads a part of the
    result in each iteration. The matrix is then read once instead of in every iteration.

    This is done only if the product of all iterations takes at most `max-bytes` and provably cannot fault. If it takes
    more than `strip-bytes` and than its matrix, `rt-hoist-products` may do better: it computes the product for as many
    iterations at once as L2 holds. So this pass leaves a product in the loop if it has at least 16 rows, a
    large constant matrix of f32, and the input of no other loop.

    ```mlir
    func.func @example(%x: tensor<1x25x512xf32>, %w: tensor<1024x512xf32>, %s0: tensor<1x1024xf32>)
        -> tensor<1x1024xf32> {
      %shape = ov.constant dense<[1, 512]> : tensor<2xi64>
      %h = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x25x512xf32> to tensor<1x1x512xf32>)
          carried(%s = %s0 : tensor<1x1024xf32>) {
        %0 = ov.reshape %x_t, %shape : (tensor<1x1x512xf32>, tensor<2xi64>) -> tensor<1x512xf32>
        %1 = ov.matmul %0, %w {transpose_b = true} : (tensor<1x512xf32>, tensor<1024x512xf32>) -> tensor<1x1024xf32>
        %2 = ov.add %1, %s : (tensor<1x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
        ov.yield next(%2 : tensor<1x1024xf32>)
      }
      return %h : tensor<1x1024xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x25x512xf32>, %w: tensor<1024x512xf32>, %s0: tensor<1x1024xf32>)
        -> tensor<1x1024xf32> {
      %shape = ov.constant dense<[1, 1024]> : tensor<2xi64>
      %p = ov.matmul %x, %w {transpose_b = true} : (tensor<1x25x512xf32>, tensor<1024x512xf32>)
          -> tensor<1x25x1024xf32>
      %h = ov.tensor_iterator slices(%p_t = %p along 1 [0:-1:1] part 1 : tensor<1x25x1024xf32> to tensor<1x1x1024xf32>)
          carried(%s = %s0 : tensor<1x1024xf32>) {
        %1 = ov.reshape %p_t, %shape : (tensor<1x1x1024xf32>, tensor<2xi64>) -> tensor<1x1024xf32>
        %2 = ov.add %1, %s : (tensor<1x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
        ov.yield next(%2 : tensor<1x1024xf32>)
      }
      return %h : tensor<1x1024xf32>
    }
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 25",
                        "The most bytes that the results of all iterations may take">,
                 Option<"stripBytes", "strip-bytes", "int64_t", /*default=*/"::recur::ov::kStripBytes",
                        "The bytes of a result that is computed for all iterations at once in any case">];
  let dependentDialects = ["::recur::ov::OVDialect"];
}

def RaiseLoops : Pass<"ov-raise-loops", "::mlir::func::FuncOp"> {
  let summary = "Find trip counts, slices and concatenations in loops over a counter";
  let description = [{
    Exporters often write a loop over a counter instead of slices and concatenations: the body compares the counter with
    a limit, gathers a part of an input at the counter, and scatters a part of a result at the counter. This pass
    recognizes these forms in an `ov.loop`. A counter is an induction variable: the iteration index, or a carried
    integer that starts at a constant and changes by a constant. A constant multiple of a counter plus a constant (such
    as `n - 1 - i`) is a counter too.

    * The comparison `counter < limit`, alone or in a conjunction, moves from the condition into the trip count. So does
      `counter > limit` for a counter that goes down to a constant. An `ov.if` of which one body yields
      the constant false is treated as a conjunction of its condition (or the negated condition) and the value of the
      other body, if that other body cannot fail.
    * A gather of a loop-invariant tensor at the counter becomes a sliced input. So does a slice or strided slice that
      takes one element at the counter.
    * A carried buffer that the body only writes at the counter, once in every iteration, becomes a concatenation. So
      does a carried list to which the body only appends (or prepends). The elements of the initial value that are not
      overwritten stay in front of the concatenation and behind it.
    * TensorFlow creates a list with dims of 1 and broadcasts it in every iteration to the dims of an element. The
      broadcast is removed if these dims are provably the same in every iteration.
    * A list of one element that every iteration overwrites at index 0 no longer depends on its previous value.
    * PyTorch writes a slice as a scatter of its single elements, at indices taken from a range. This becomes one
      scatter of the slice.

    A gather out of range is a fault, and so is a loop with more iterations than parts. A loop is raised only if this
    introduces no new fault, and if a list provably has no parts that were never written. If a form is recognized but
    not raised, a remark gives the reason (`--remarks-filter-missed=ov-raise-loops`). The pass works best after LICM,
    because values that the body computes from loop-invariant operands are then loop-invariant too.

    ```mlir
    func.func @example(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %zeros = ov.constant dense<0.0> : tensor<8x4xf32>
      %true = ov.constant dense<true> : tensor<i1>
      %unlimited = ov.constant dense<-1> : tensor<i64>
      %zero = ov.constant dense<0> : tensor<i64>
      %one = ov.constant dense<1> : tensor<i64>
      %eight = ov.constant dense<8> : tensor<i64>
      %r:2 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>)
          carried(%i = %zero : tensor<i64>, %list = %zeros : tensor<8x4xf32>) {
        %x_i = ov.gather %x, %i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
        %y_i = ov.tanh %x_i : tensor<4xf32>
        %list_1 = ov.scatter_update %list, %i, %y_i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>)
            -> tensor<8x4xf32>
        %i_1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %again = ov.less %i_1, %eight : (tensor<i64>, tensor<i64>) -> tensor<i1>
        ov.yield while(%again : tensor<i1>) next(%i_1, %list_1 : tensor<i64>, tensor<8x4xf32>)
      }
      return %r#1 : tensor<8x4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %true = ov.constant dense<true> : tensor<i1>
      %eight = ov.constant dense<8> : tensor<i64>
      %axis = ov.constant dense<0> : tensor<1xi64>
      %r = ov.loop trip(%eight : tensor<i64>) while(%true : tensor<i1>)
          slices(%x_i = %x along 0 [0:7:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
          concats(along 0 : tensor<8x4xf32>) {
        %0 = ov.squeeze %x_i, %axis : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
        %1 = ov.tanh %0 : tensor<4xf32>
        %y_i = ov.unsqueeze %1, %axis : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
        ov.yield while(%true : tensor<i1>) concat(%y_i : tensor<1x4xf32>)
      }
      return %r : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def DecomposeCells : Pass<"ov-decompose-cells", "::mlir::func::FuncOp"> {
  let summary = "Decompose LSTM, GRU and RNN cells into products and element-wise ops";
  let description = [{
    Replaces each cell by products and element-wise ops. `X*W^T` is one product for all gates. It is kept separate from
    the product of the state, because it does not depend on the state: `ov-hoist-time-parallel` can move it out of the
    loop. The product of the state, `H*R^T`, is also one product for all gates, except for a GRU without
    `linear_before_reset`. There the product of the last gate needs the result of the reset gate; the rows of `R` that
    it uses are a layout step of a constant in the weights file, or a slice. The gates are slices of the sum of both
    products. Element-wise ops without broadcasting check the dims that must agree.

    ```mlir
    func.func @example(%x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>,
        %b: tensor<3xf32>) -> tensor<1x3xf32> {
      %h = ov.rnn_cell %x, %h0, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
          activations_alpha = [], activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>,
          tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
      return %h : tensor<1x3xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>,
        %b: tensor<3xf32>) -> tensor<1x3xf32> {
      %0 = ov.matmul %x, %w {transpose_b = true} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
      %1 = ov.add %0, %b : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
      %2 = ov.matmul %h0, %r {transpose_b = true} : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
      %3 = ov.add %1, %2 {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<1x3xf32>, tensor<1x3xf32>)
          -> tensor<1x3xf32>
      %h = ov.tanh %3 : tensor<1x3xf32>
      return %h : tensor<1x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def ExpandSequences : Pass<"ov-expand-sequences", "::mlir::func::FuncOp"> {
  let summary = "Expand LSTM, GRU and RNN sequences into TensorIterators over cells";
  let description = [{
    Replaces each sequence by one TensorIterator per direction. The loop iterates over the time steps of `X`, backward
    for a reverse direction. The weights of a direction are a layout step of a constant in the weights file, or a slice.

    If the sequence lengths provably cover the whole axis (as constants, or as the dim itself, read by `ov.shape_of`),
    nothing more is needed. Otherwise the loop also carries the number of the time step: at time steps beyond its
    length, a sequence keeps its states, and its part of `Y` is zero.

    ```mlir
    func.func @example(%x: tensor<1x5x2xf32>, %h0: tensor<1x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
        %b: tensor<1x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>) {
      %lengths = ov.constant dense<5> : tensor<1xi64>
      %y, %h = ov.rnn_sequence %x, %h0, %lengths, %w, %r, %b {hidden_size = 3,
          direction = #ov.sequence_direction<forward>, activations = [#ov.cell_activation<tanh>],
          activations_alpha = [], activations_beta = []} : (tensor<1x5x2xf32>, tensor<1x1x3xf32>, tensor<1xi64>,
          tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>)
      return %y, %h : tensor<1x1x5x3xf32>, tensor<1x1x3xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x5x2xf32>, %h0: tensor<1x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
        %b: tensor<1x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>) {
      %zero = ov.constant dense<0> : tensor<1xi64>
      %one = ov.constant dense<1> : tensor<1xi64>
      %one_two = ov.constant dense<[1, 2]> : tensor<2xi64>
      %w_0 = ov.squeeze %w, %zero : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<3x2xf32>
      %r_0 = ov.squeeze %r, %zero : (tensor<1x3x3xf32>, tensor<1xi64>) -> tensor<3x3xf32>
      %b_0 = ov.squeeze %b, %zero : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<3xf32>
      %h0_0 = ov.squeeze %h0, %one : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
      %final, %y = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x5x2xf32> to tensor<1x1x2xf32>)
          carried(%s = %h0_0 : tensor<1x3xf32>) concats(along 2 : tensor<1x1x5x3xf32>) {
        %0 = ov.squeeze %x_t, %one : (tensor<1x1x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
        %1 = ov.rnn_cell %0, %s, %w_0, %r_0, %b_0 {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
            activations_alpha = [], activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>,
            tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
        %2 = ov.unsqueeze %1, %one_two : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<1x1x1x3xf32>
        ov.yield next(%1 : tensor<1x3xf32>) concat(%2 : tensor<1x1x1x3xf32>)
      }
      %h = ov.unsqueeze %final, %one : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
      return %y, %h : tensor<1x1x5x3xf32>, tensor<1x1x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

#endif // RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
