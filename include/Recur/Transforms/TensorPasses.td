// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorPasses.td - Passes on tensors -----------------*- tablegen -*-===//
//
// These passes compute sizes, fuse, tile and vectorize on linalg and tensor.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_TENSORPASSES_TD
#define RECUR_TRANSFORMS_TENSORPASSES_TD

include "mlir/Pass/PassBase.td"

def ScalarizeShapes : Pass<"rt-scalarize-shapes", "::mlir::func::FuncOp"> {
  let summary = "Compute elements of small tensors as scalars";
  let description = [{
    A shape is a small tensor whose elements are used as sizes. If such an element follows from dims, constants and the
    model's inputs, the pass computes it as a scalar, so that a query of sizes needs no memory of the model. It follows
    element-wise ops, reductions, slices and concatenations of at most 1,024 elements. An element that depends on other
    computed data is still read from its tensor, and so is a sum of real numbers, which later passes add in another
    order.

    ```mlir
    func.func @example(%n: i64, %m: i64) -> i64 {
      %one = arith.constant dense<1> : tensor<i64>
      %shape = tensor.from_elements %n, %m : tensor<2xi64>
      %all = linalg.reduce {arith.muli} ins(%shape : tensor<2xi64>) outs(%one : tensor<i64>) dimensions = [0]
      %size = tensor.extract %all[] : tensor<i64>
      return %size : i64
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: i64, %m: i64) -> i64 {
      %size = arith.muli %n, %m : i64
      return %size : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FuseTimeLoops : Pass<"rt-fuse-time-loops", "::mlir::func::FuncOp"> {
  let summary = "Fuse independent time loops that have the same iterations";
  let description = [{
    Fuses two time loops of the same block if their bounds are equal and the second one does not depend on the first,
    such as the two directions of a sequence. Upstream's `fuseIndependentSiblingForLoops` makes the new loop; this pass
    proves that the loops are independent. Ops between the loops that do not depend on the first one move in front of
    it. An iteration of the new loop runs one iteration of each loop, so at most one of the two may be able to fail:
    otherwise a different fault could be reported than before.

    Loops with loops in their bodies are not fused. Others are fused if the constants that they use together with states

    - have at most `max-bytes` together. A bidirectional LSTM of 25 steps takes a fifth less time at 2 KiB, a tenth less
      at 8 KiB and the same at 32 KiB, where an iteration of one loop evicts the weights of the other from L1;
    - or do not stay in L1 in any case, but in L2 even together, and belong to products of a
      single row, which take as long as their matrices are read. Two LSTMs with 256 KiB each take a sixth less time, two
      with 128 KiB the same in f32 and a seventh more in bf16, and two with 64 KiB a quarter more.

    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %forward = memref.alloc() : memref<8x4xf32>
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        %x_t = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
        %row = memref.subview %forward[%t, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        bufferization.materialize_in_destination %x_t in restrict writable %row
            : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
      }
      %backward = memref.alloc() : memref<8x4xf32>
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        %r = arith.subi %c7, %t : index
        %x_t = tensor.extract_slice %x[%r, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
        %row = memref.subview %backward[%r, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        bufferization.materialize_in_destination %x_t in restrict writable %row
            : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %forward = memref.alloc() : memref<8x4xf32>
      %backward = memref.alloc() : memref<8x4xf32>
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        %x_t = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
        %row = memref.subview %forward[%t, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        bufferization.materialize_in_destination %x_t in restrict writable %row
            : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
        %r = arith.subi %c7, %t : index
        %x_r = tensor.extract_slice %x[%r, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
        %back = memref.subview %backward[%r, 0] [1, 4] [1, 1]
            : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        bufferization.materialize_in_destination %x_r in restrict writable %back
            : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
      }
      return
    }
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 14",
           "The most bytes of constants, in both bodies together, of loops whose constants stay in L1">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
           "Number of the target's vector registers">,
    Option<"hasDots", "has-dots", "bool", /*default=*/"false",
           "The target adds the products of two pairs of bf16 in the time of a multiply-add">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def FuseBatches : Pass<"rt-fuse-batches", "::mlir::func::FuncOp"> {
  let summary = "Give ops on the same batch of matrices one loop over it";
  let description = [{
    A chain of ops, each of which reads what an earlier one made, gets one loop over the outermost dim of its last
    result, if this dim runs through all of them, and none of them reads a matrix along it. L1 holds 32 KiB
    or more. So a chain is worth a loop if one of its tensors is larger and each part of it has at most half of that.
    In a time loop, a chain over a dynamic batch is worth a loop if the parts are small enough.

    ```mlir
    #id = affine_map<(b, n) -> (b, n)>
    func.func @example(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = math.exp %a : f32
        linalg.yield %0 : f32
      } -> tensor<4x4096xf32>
      %r = linalg.generic {indexing_maps = [#id, affine_map<(b, n) -> (b)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%t : tensor<4x4096xf32>) outs(%z : tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = arith.addf %a, %o : f32
        linalg.yield %0 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    #id = affine_map<(b, n) -> (b, n)>
    func.func @example(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %b = %c0 to %c4 step %c1 iter_args(%sums = %z) -> (tensor<4xf32>) {
        %xs = tensor.extract_slice %x[%b, 0] [1, 4096] [1, 1] : tensor<4x4096xf32> to tensor<1x4096xf32>
        %es = tensor.extract_slice %e[%b, 0] [1, 4096] [1, 1] : tensor<4x4096xf32> to tensor<1x4096xf32>
        %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%xs : tensor<1x4096xf32>) outs(%es : tensor<1x4096xf32>) {
        ^bb0(%a: f32, %o: f32):
          %0 = math.exp %a : f32
          linalg.yield %0 : f32
        } -> tensor<1x4096xf32>
        %zs = tensor.extract_slice %sums[%b] [1] [1] : tensor<4xf32> to tensor<1xf32>
        %s = linalg.generic {indexing_maps = [#id, affine_map<(b, n) -> (b)>],
                             iterator_types = ["parallel", "reduction"]}
            ins(%t : tensor<1x4096xf32>) outs(%zs : tensor<1xf32>) {
        ^bb0(%a: f32, %o: f32):
          %0 = arith.addf %a, %o : f32
          linalg.yield %0 : f32
        } -> tensor<1xf32>
        %next = tensor.insert_slice %s into %sums[%b] [1] [1] : tensor<1xf32> into tensor<4xf32>
        scf.yield %next : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"rt-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse element-wise linalg ops of a block into few loop nests";
  let description = [{
    Fuses an element-wise `linalg.generic` into the `linalg.generic` that reads it, if both are in the same block. A
    producer with other readers becomes another result of the fused op, if all other readers come after the fused op. So
    nothing is computed twice, with one exception: a reduction that reads each element of the producer's result once
    computes it itself if that is one addition or product, which takes no longer than to read it. A reduction of one
    element, such as an outer product, is element-wise work. A reduction of no elements is what it starts from.
    Reductions of many elements take their producers before all other ops do, so what is only summed is not stored.

    A producer with other readers stays alone if it and its reader have exponentials. Two loops with a chain of ops each
    keep the units busier than one loop with a chain of twice that length. Two ops of many instructions stay apart too:
    to store one more result costs little beside them, and a chain of ops takes time that grows with its length alone.

    If only disjoint slices of an element-wise op are read, such as the gates of a cell, the slices move to its operands
    first, by upstream's pattern, and each slice is computed where it is read.

    ```mlir
    #id = affine_map<(i) -> (i)>
    func.func @example(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = math.exp %a : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%t, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %0 = arith.addf %a, %b : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    ==>
    ```mlir
    #id = affine_map<(i) -> (i)>
    func.func @example(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %0 = math.exp %a : f32
        %1 = arith.addf %0, %b : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def FuseEpilogues : Pass<"rt-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Fuse convolutions with the element-wise op that reads their result";
  let description = [{
    An element-wise `linalg.generic` that alone reads the result of an `rt.convolution` with channels last, perhaps
    through reshapes and slices from the first element on, becomes the epilogue of the convolution: a bias, an
    activation, a residual. Its other inputs have the channels as their last dim. The fused op stands where the reader
    stood. Of two convolutions whose results are added, the last one takes the sum.

    Functions such as exponentials are left alone behind a depthwise convolution, and in f64.

    ```mlir
    #id = affine_map<(n, s, c) -> (n, s, c)>
    func.func @example(%w: tensor<3x8xf32>, %x: tensor<1x9x8xf32>, %r: tensor<1x7x8xf32>) -> tensor<1x7x8xf32> {
      %e = tensor.empty() : tensor<1x7x8xf32>
      %y = rt.convolution ins(%w, %x : tensor<3x8xf32>, tensor<1x9x8xf32>) outs(%e : tensor<1x7x8xf32>)
          {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x8xf32>
      %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y, %r : tensor<1x7x8xf32>, tensor<1x7x8xf32>) outs(%e : tensor<1x7x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %0 = arith.addf %a, %b : f32
        linalg.yield %0 : f32
      } -> tensor<1x7x8xf32>
      return %z : tensor<1x7x8xf32>
    }
    ```
    ==>
    ```mlir
    #id = affine_map<(n, s, c) -> (n, s, c)>
    func.func @example(%w: tensor<3x8xf32>, %x: tensor<1x9x8xf32>, %r: tensor<1x7x8xf32>) -> tensor<1x7x8xf32> {
      %e = tensor.empty() : tensor<1x7x8xf32>
      %z = rt.convolution ins(%w, %x : tensor<3x8xf32>, tensor<1x9x8xf32>) with(%r : tensor<1x7x8xf32>)
          outs(%e : tensor<1x7x8xf32>)
          {dilations = array<i64: 1>, input_maps = [#id], strides = array<i64: 1>} epilogue {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        rt.yield %0 : f32
      } -> tensor<1x7x8xf32>
      return %z : tensor<1x7x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::recur::rt::RTDialect"];
}

def SeparateDestinations : Pass<"rt-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "Give each op its own empty or filled tensor";
  let description = [{
    CSE merges equal empty tensors. If the merged tensor is the destination of several ops, it becomes one buffer,
    although two of the ops may need it at the same time, and empty-tensor elimination may replace it by an output. So
    this pass gives each op an empty tensor of its own, directly before the op and in the same loop, so that no buffer
    seems to live longer than it does.

    If an op extracts a slice of a tensor and another one puts it back, both keep the same tensor. If a slice of an
    empty tensor has several users, each extracts a slice of its own, right before its use. A reshape of an empty
    tensor becomes an empty tensor of the new shape. A filled tensor that is only read is not copied.

    CSE also merges the frames of padded tensors: fills that are inserted into an empty tensor. Each tensor that is
    inserted into a shared frame gets a frame of its own, with a `bufferization.alloc_tensor`, which CSE does not merge,
    in front of the op that computes the tensor, so that it may be computed there.

    ```mlir
    func.func @example(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %b = linalg.log ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %f = tensor.empty() : tensor<4xf32>
      %b = linalg.log ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EliminateEmptyTensors : Pass<"rt-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute values in the buffers that they are written into";
  let description = [{
    This is upstream's elimination with another rule for values written to memory. Upstream puts all values that share
    the buffer of such a value into the destination. It does not see that the write overwrites the other values, for
    example an earlier state of a tensor that is updated in place and read afterwards. This pass only uses the
    destination if all reads of the other values come before the write.

    A value that several consecutive writes store is computed in one of their destinations, and so is a value that is
    also inserted into another tensor. The contents of the destination before the value is computed are assumed to be
    dead. A value that is reshaped before it is written is written without the reshape, to a view of the destination. A
    slice from which only dims of 1 are dropped becomes one slice without these dims.

    ```mlir
    func.func @example(%x: tensor<4xf32>, %out: memref<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<4xf32>, %out: memref<4xf32>) {
      %e = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %a in writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def StoreTwice : Pass<"rt-store-twice", "::mlir::func::FuncOp"> {
  let summary = "Store a value in both of its destinations when it is computed";
  let description = [{
    An element-wise op in a time loop may compute a value in one buffer, from which the value is then copied to a second
    one, as an output that is a state too. The op gets a second result, equal to the first one, in the second buffer. So
    each vector is stored twice, and the copy is gone. The second buffer is then written earlier. This is only done if
    nothing else in the iteration uses its memory before the copy, and if no tensor of the iteration is in it.

    ```mlir
    func.func @example(%x: tensor<4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = memref.alloc() : memref<4xf32>
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
        %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
        ^bb0(%in: f32, %old: f32):
          %0 = math.exp %in : f32
          linalg.yield %0 : f32
        } -> tensor<4xf32>
        bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
        bufferization.materialize_in_destination %y in restrict writable %part
          : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = memref.alloc() : memref<4xf32>
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
        %f = bufferization.to_tensor %part restrict writable
          : memref<4xf32, strided<[1], offset: ?>> to tensor<4xf32>
        %y:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
            affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
            ins(%x : tensor<4xf32>) outs(%e, %f : tensor<4xf32>, tensor<4xf32>) {
        ^bb0(%in: f32, %old: f32, %other: f32):
          %0 = math.exp %in : f32
          linalg.yield %0, %0 : f32, f32
        } -> (tensor<4xf32>, tensor<4xf32>)
        bufferization.materialize_in_destination %y#0 in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
        bufferization.materialize_in_destination %y#1 in writable %part
          : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect"];
}

def CollapseLoops : Pass<"rt-collapse-loops", "::mlir::func::FuncOp"> {
  let summary = "Merge the loops of ops with many dims";
  let description = [{
    Analyses of loops take time that grows with the depth of a nest more than linearly. In an op with more than
    `most-loops` loops, each group of loops over dims that follow each other in every operand becomes one loop, if at
    most one of these dims is dynamic. The operands are collapsed and the result is expanded, which costs nothing for
    contiguous buffers.

    ```mlir
    func.func @example(%x: tensor<2x3x5x7xf32>, %e: tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>,
                                            affine_map<(a, b, c, d) -> (a, b, c, d)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%x : tensor<2x3x5x7xf32>) outs(%e : tensor<2x3x5x7xf32>) {
      ^bb0(%i: f32, %o: f32):
        %n = arith.negf %i : f32
        linalg.yield %n : f32
      } -> tensor<2x3x5x7xf32>
      return %r : tensor<2x3x5x7xf32>
    }
    ```
    ==> with `most-loops=3`
    ```mlir
    func.func @example(%x: tensor<2x3x5x7xf32>, %e: tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32> {
      %flat = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<2x3x5x7xf32> into tensor<210xf32>
      %place = tensor.collapse_shape %e [[0, 1, 2, 3]] : tensor<2x3x5x7xf32> into tensor<210xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
                           iterator_types = ["parallel"]} ins(%flat : tensor<210xf32>) outs(%place : tensor<210xf32>) {
      ^bb0(%i: f32, %o: f32):
        %n = arith.negf %i : f32
        linalg.yield %n : f32
      } -> tensor<210xf32>
      %r = tensor.expand_shape %s [[0, 1, 2, 3]] output_shape [2, 3, 5, 7]
          : tensor<210xf32> into tensor<2x3x5x7xf32>
      return %r : tensor<2x3x5x7xf32>
    }
    ```
  }];
  let options = [Option<"mostLoops", "most-loops", "int64_t", /*default=*/"16",
                        "The greatest number of loops of an op that stays as it is">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TileAndVectorize : Pass<"rt-tile-and-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg ops on tensors into loop nests over vectors";
  let description = [{
    Each `linalg.generic` is tiled to the target's vectors and vectorized. A remainder that does not fill a vector is
    peeled. If its size is dynamic, it has a mask. For AVX-512, one of static size is split into powers of two, such as
    7 lanes into 4, 2 and 1, because LLVM's code for other numbers of lanes is wrong at times. The accumulators of a
    reduction are in registers: the `linalg.fill` moves into the tile, and the loop over the reduced dims carries
    vectors. If each block of columns reads the rows of a long operand again, these are cut into panels that stay in
    L2. An op that cannot be vectorized (indices in the payload, a remainder of dynamic size that cannot have a
    mask) becomes a nest of scalar loops with scalar accumulators. Where such a nest reduces contiguous elements, its
    innermost loop accumulates vectors of 32 lanes, then of 16 and of 8; so the order of a sum depends only on the
    length of the row. A product with one column is such a nest, whether its elements are contiguous or not. The order
    of any other product depends on its columns alone (`rt.columns` at the addition in its payload, which also lets a
    multiply-add round once). In all cases every element of a result is stored once. A remark
    says why an op is not vectorized (`--remarks-filter-missed=rt-tile-and-vectorize`).

    ```mlir
    func.func @example(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = math.sqrt %a : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
      %pad = ub.poison : f32
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %whole = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
      %w = scf.for %i = %c0 to %whole step %c8 iter_args(%t = %e) -> (tensor<?xf32>) {
        %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
        %s = math.sqrt %v : vector<8xf32>
        %u = vector.transfer_write %s, %t[%i] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
        scf.yield %u : tensor<?xf32>
      }
      %r = scf.for %i = %whole to %n step %c8 iter_args(%t = %w) -> (tensor<?xf32>) {
        %left = affine.apply affine_map<(i)[n] -> (n - i)>(%i)[%n]
        %own = tensor.extract_slice %t[%i] [%left] [1] : tensor<?xf32> to tensor<?xf32>
        %m = vector.create_mask %left : vector<8xi1>
        %v = vector.mask %m {
          vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
        } : vector<8xi1> -> vector<8xf32>
        %s = math.sqrt %v : vector<8xf32>
        %u = vector.mask %m {
          vector.transfer_write %s, %own[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
        } : vector<8xi1> -> tensor<?xf32>
        %b = tensor.insert_slice %u into %t[%i] [%left] [1] : tensor<?xf32> into tensor<?xf32>
        scf.yield %b : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">,
                 Option<"vectorize", "vectorize", "bool", /*default=*/"true", "Without it everything is scalar loops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

#endif // RECUR_TRANSFORMS_TENSORPASSES_TD
