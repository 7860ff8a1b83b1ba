// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductPasses.td - Products and their constants -----*- tablegen -*-===//
//
// These passes choose the layouts of constants, and where and how products are computed.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_PRODUCTPASSES_TD
#define RECUR_TRANSFORMS_PRODUCTPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerWeights : Pass<"rt-lower-weights", "::mlir::func::FuncOp"> {
  let summary = "Turn constants that stay in the weights file into buffers of packed weights";
  let description = [{
    `ov.constant #ov.weights<...>` becomes `rt.weights`, a buffer that is read as a tensor and that nothing may write.

    ```mlir
    func.func @example() -> tensor<64x64xf32> {
      %w = ov.constant #ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>
      return %w : tensor<64x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example() -> tensor<64x64xf32> {
      %0 = rt.weights of(#ov.weights<16, tensor<64x64xf32>> : tensor<64x64xf32>) : memref<64x64xf32>
      %w = bufferization.to_tensor %0 restrict : memref<64x64xf32> to tensor<64x64xf32>
      return %w : tensor<64x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
    "::recur::rt::RTDialect"];
}

def NarrowConstants : Pass<"rt-narrow-constants", "::mlir::func::FuncOp"> {
  let summary = "Keep constants in the narrow type in which they were shipped";
  let description = [{
    A constant of the weights file that is f16 or bf16 there, and is only converted to f32, or integers with a zero
    point and a scale, stays narrow if all of its readers can widen it at little cost. A reader of a part, such as a row
    of a table, widens the part. An element-wise op outside of loops widens in registers, after `rt-fuse-elementwise`.
    For any other `linalg.generic`, the call widens the constant once, before the outermost loop around the op, if the
    op reads each element often enough.
    `lib/Transforms/NarrowWeights.h` has the limits. Otherwise the constant is converted at compile time. The results
    are the same in both cases.

    ```mlir
    func.func @example(%i: index) -> tensor<1x64xf32> {
      %table = ov.constant #ov.weights<0, tensor<100x64xf16>, [#ov.convert<f32>]> : tensor<100x64xf32>
      %row = tensor.extract_slice %table[%i, 0] [1, 64] [1, 1] : tensor<100x64xf32> to tensor<1x64xf32>
      return %row : tensor<1x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%i: index) -> tensor<1x64xf32> {
      %table = ov.constant #ov.weights<0, tensor<100x64xf16>> : tensor<100x64xf16>
      %narrow = tensor.extract_slice %table[%i, 0] [1, 64] [1, 1] : tensor<100x64xf16> to tensor<1x64xf16>
      %e = tensor.empty() : tensor<1x64xf32>
      %row = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                             iterator_types = ["parallel", "parallel"]}
          ins(%narrow : tensor<1x64xf16>) outs(%e : tensor<1x64xf32>) {
      ^bb0(%a: f16, %b: f32):
        %w = arith.extf %a : f16 to f32
        linalg.yield %w : f32
      } -> tensor<1x64xf32>
      return %row : tensor<1x64xf32>
    }
    ```
  }];
  let options = [Option<"hasF16C", "has-f16c", "bool", /*default=*/"true", "The target converts f16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect"];
}

def PackMatmuls : Pass<"rt-pack-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Pack the constant matrices of products for vector loads";
  let description = [{
    A product with a two-dimensional constant of the weights file becomes a product with the same constant packed as
    `[ceil(N/block), K, block]` and padded with zeros, so that the inner loop loads consecutive vectors. `block` is the
    number of elements in two vectors. A product with any other transposed matrix reads a transposed copy of it. A
    product with several such matrices does so too, if each is read for at least four rows, or for a dynamic number of
    rows.

    If the constant is f16 or bf16 in the file, and is only converted to f32, it stays so, and the payload of the
    product extends its elements. But a small matrix that a loop reads, and f16 on a target that does not convert it,
    are converted at compile time (`lib/Transforms/NarrowWeights.h`).

    If the constant is integers of at most 8 bits in the file, less a zero point and times a scale, the integers stay
    packed, two of four bits in a byte. The zero points and the scales are `[ceil(N/block), groups of K, block]`. A
    kernel computes such a product, so it is an `rt.product`.

    If the target has tile registers, the constant is bf16, the other operand is rounded to bf16, and K is a multiple of
    the depth of a tile, then the constant is packed in pairs of neighbours along K, `[ceil(N/block), K/2, block, 2]`,
    and an `rt.product` rounds the other operand.

    If the target has none, but an instruction for pairs of bf16 that is as fast as a multiply-add, a constant that
    L1 does not hold as f32 is packed in the same way, for any K of at least 32. The product reads the rounded
    operand, so each row is rounded once. If K is odd, both operands get a zero at its end.

    ```mlir
    func.func @example(%x: tensor<1x32xf32>) -> tensor<1x64xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x64xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
      %w = ov.constant #ov.weights<0, tensor<64x32xf32>> : tensor<64x32xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<1x32xf32>, tensor<64x32xf32>) outs(%zeros : tensor<1x64xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<1x64xf32>
      return %r : tensor<1x64xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<1x32xf32>) -> tensor<1x64xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x4x16xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
      %w = ov.constant #ov.weights<0, tensor<64x32xf32>, [#ov.transpose<[1, 0]>, #ov.pack<16>]> : tensor<4x32x16xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                            affine_map<(m, b, j, k) -> (m, b, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<1x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<1x4x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<1x4x16xf32>
      %r = tensor.collapse_shape %q [[0], [1, 2]] : tensor<1x4x16xf32> into tensor<1x64xf32>
      return %r : tensor<1x64xf32>
    }
    ```
  }];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                 "Number of vector registers of the target">,
                 Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"hasF16C", "has-f16c", "bool", /*default=*/"true", "The target converts f16">,
                 Option<"hasTiles", "has-tiles", "bool", /*default=*/"false",
                        "The target has tile registers for bf16">,
                 Option<"hasDots", "has-dots", "bool", /*default=*/"false",
                        "The target adds the products of two pairs of bf16 in the time of a multiply-add">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect", "::recur::rt::RTDialect"];
}

def HoistInvariants : Pass<"rt-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "Move what does not depend on the iteration out of loops";
  let description = [{
    What upstream's `loop-invariant-code-motion` does, but an op that may read or write beyond a tensor unless a check
    has passed stays in a loop that may have no iteration: `rt-hoist-checks` has moved the check in front of the loop,
    where it passes if the loop does not run. An op is safe if its types are static and its places constant, or if its
    sizes come from its operand alone, as those of a transposed copy do.

    ```mlir
    func.func @example(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %init: tensor<4x?xf32>, %n: index, %rows: index)
        -> tensor<4x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %t = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<4x?xf32>) {
        %row = tensor.extract_slice %y[%rows, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
        %e = tensor.empty(%rows) : tensor<4x?xf32>
        %z = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%e : tensor<4x?xf32>) permutation = [1, 0]
        %a = tensor.insert_slice %row into %z[0, %t] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x?xf32>
        scf.yield %a : tensor<4x?xf32>
      }
      return %r : tensor<4x?xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %init: tensor<4x?xf32>, %n: index, %rows: index)
        -> tensor<4x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %e = tensor.empty(%rows) : tensor<4x?xf32>
      %z = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%e : tensor<4x?xf32>) permutation = [1, 0]
      %r = scf.for %t = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<4x?xf32>) {
        %row = tensor.extract_slice %y[%rows, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
        %a = tensor.insert_slice %row into %z[0, %t] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x?xf32>
        scf.yield %a : tensor<4x?xf32>
      }
      return %r : tensor<4x?xf32>
    }
    ```
  }];
}

def HoistProducts : Pass<"rt-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "Compute products of the inputs of a time loop for many iterations at once";
  let description = [{
    If a product in a time loop has a slice of a tensor and a matrix as operands, and both the tensor and the matrix are
    loop-invariant, it can be computed for many iterations at once. The time loop becomes a loop over strips of
    iterations around a time loop over the iterations of one strip. The outer loop computes the product of a whole
    strip, and the inner one reads its part of it. The product of a strip has enough rows that the matrix is read once
    for all of them. A strip is as long as `max-bytes`, or the bytes of the matrix if they are more, allow for the
    result. So the size of the buffer is bounded for any trip count, and the matrix is not read for fewer bytes of
    results. `ov-hoist-time-parallel` has already computed small products for all iterations if all sizes are static.

    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      scf.for %t = %c0 to %T step %c1 {
        rt.iteration %t
        %e = tensor.empty() : tensor<4x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
        %x_t = tensor.extract_slice %x[%t, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
        %p = linalg.generic {indexing_maps = [affine_map<(b, j, k) -> (k)>, affine_map<(b, j, k) -> (b, k, j)>,
                                              affine_map<(b, j, k) -> (b, j)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%x_t, %w : tensor<32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<4x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %s = arith.addf %c, %m : f32
          linalg.yield %s : f32
        } -> tensor<4x16xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %T: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %most = arith.constant 4096 : index // the rows of 4 * 16 elements that max-bytes allow for
      %zero = arith.constant 0.0 : f32
      %least = arith.maxsi %T, %c1 : index
      %S = arith.minui %least, %most : index // the length of a strip
      %buffer = bufferization.alloc_tensor(%S) : tensor<?x4x16xf32>
      scf.for %r = %c0 to %T step %S {
        %next = arith.addi %r, %S : index
        %end = arith.minsi %next, %T : index
        %n = arith.subi %end, %r : index
        %xs = tensor.extract_slice %x[%r, 0] [%n, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
        %own = tensor.extract_slice %buffer[0, 0, 0] [%n, 4, 16] [1, 1, 1] : tensor<?x4x16xf32> to tensor<?x4x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%own : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
        %ps = linalg.generic {indexing_maps = [affine_map<(t, b, j, k) -> (t, k)>,
                                               affine_map<(t, b, j, k) -> (b, k, j)>,
                                               affine_map<(t, b, j, k) -> (t, b, j)>],
                              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%xs, %w : tensor<?x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %s = arith.addf %c, %m : f32
          linalg.yield %s : f32
        } -> tensor<?x4x16xf32>
        scf.for %t = %r to %end step %c1 {
          rt.iteration %t
          %i = arith.subi %t, %r : index
          %p = tensor.extract_slice %ps[%i, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<?x4x16xf32> to tensor<4x16xf32>
        }
      }
      return
    }
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"::recur::ov::kStripBytes",
                        "The most bytes of a product of a strip of several iterations, unless its matrix has more">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SpecializeRows : Pass<"rt-specialize-rows", "::mlir::func::FuncOp"> {
  let summary = "Give time loops with products of a dynamic number of rows a copy for a single row";
  let description = [{
    A product of a dynamic number of rows calls a kernel (`rt-lower-products`), and the ops around it become loops over
    the rows, with masks. In a time loop, the rows are most often a batch of one. Then what the call costs, what the
    kernel decides in it, and the loops are a good part of the time. So a branch has a copy of the innermost time loop
    for a single row, in which types are static, and the later passes emit the code that a static model would have.

    The branch tests all sizes that become one: the rows of the products, and the sizes that the ops of the loop take
    together with them, such as the batch of the input of a cell and that of its state. They must be known before the
    loop. A loop around other time loops gets no copy, nor one with many other ops for each product.

    ```mlir
    func.func @example(%w: tensor<4x64x16xf32>, %state: memref<?x2x64xf32>, %rows: index,
                       %steps: index) attributes {rt.time_loops = 1 : i64} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %t = %c0 to %steps step %c1 {
        rt.iteration %t
        %v = memref.subview %state[0, 0, 0] [%rows, 1, 64] [1, 1, 1]
            : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1]>>
        %x = bufferization.to_tensor %v restrict : memref<?x64xf32, strided<[128, 1]>> to tensor<?x64xf32>
        %e = tensor.empty(%rows) : tensor<?x4x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
        %p = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                              affine_map<(m, b, j, k) -> (m, b, j)>],
                             iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %m = arith.mulf %a, %b : f32
          %n = arith.addf %c, %m : f32
          linalg.yield %n : f32
        } -> tensor<?x4x16xf32>
        %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
        %to = memref.subview %state[0, 1, 0] [%rows, 1, 64] [1, 1, 1]
            : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1], offset: 64>>
        bufferization.materialize_in_destination %q in writable %to
            : (tensor<?x64xf32>, memref<?x64xf32, strided<[128, 1], offset: 64>>) -> ()
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%w: tensor<4x64x16xf32>, %state: memref<?x2x64xf32>, %rows: index,
                       %steps: index) attributes {rt.time_loops = 2 : i64} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %is_one = arith.cmpi eq, %rows, %c1 : index
      scf.if %is_one {
        scf.for %t = %c0 to %steps step %c1 {
          rt.iteration %t
          %v = memref.subview %state[0, 0, 0] [1, 1, 64] [1, 1, 1]
              : memref<?x2x64xf32> to memref<1x64xf32, strided<[128, 1]>>
          %x = bufferization.to_tensor %v restrict : memref<1x64xf32, strided<[128, 1]>> to tensor<1x64xf32>
          %e = tensor.empty() : tensor<1x4x16xf32>
          %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
          %p = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>,
                                                affine_map<(m, b, j, k) -> (b, k, j)>,
                                                affine_map<(m, b, j, k) -> (m, b, j)>],
                               iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%x, %w : tensor<1x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<1x4x16xf32>) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %m = arith.mulf %a, %b : f32
            %n = arith.addf %c, %m : f32
            linalg.yield %n : f32
          } -> tensor<1x4x16xf32>
          %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<1x4x16xf32> into tensor<1x64xf32>
          %to = memref.subview %state[0, 1, 0] [1, 1, 64] [1, 1, 1]
              : memref<?x2x64xf32> to memref<1x64xf32, strided<[128, 1], offset: 64>>
          bufferization.materialize_in_destination %q in writable %to
              : (tensor<1x64xf32>, memref<1x64xf32, strided<[128, 1], offset: 64>>) -> ()
        }
      } else {
        scf.for %t = %c0 to %steps step %c1 {
          rt.iteration %t
          %v = memref.subview %state[0, 0, 0] [%rows, 1, 64] [1, 1, 1]
              : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1]>>
          %x = bufferization.to_tensor %v restrict : memref<?x64xf32, strided<[128, 1]>> to tensor<?x64xf32>
          %e = tensor.empty(%rows) : tensor<?x4x16xf32>
          %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
          %p = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>,
                                                affine_map<(m, b, j, k) -> (b, k, j)>,
                                                affine_map<(m, b, j, k) -> (m, b, j)>],
                               iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %m = arith.mulf %a, %b : f32
            %n = arith.addf %c, %m : f32
            linalg.yield %n : f32
          } -> tensor<?x4x16xf32>
          %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
          %to = memref.subview %state[0, 1, 0] [%rows, 1, 64] [1, 1, 1]
              : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1], offset: 64>>
          bufferization.materialize_in_destination %q in writable %to
              : (tensor<?x64xf32>, memref<?x64xf32, strided<[128, 1], offset: 64>>) -> ()
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def WidenPanels : Pass<"rt-widen-panels", "::mlir::func::FuncOp"> {
  let summary = "Widen the columns of narrow weights once for all rows of a product";
  let description = [{
    A product with a packed matrix of f16 or bf16 extends the elements in registers. If it has more rows than two tiles
    of `rt-tile-and-vectorize`, it becomes a loop over the blocks of the matrix. An iteration extends the elements of a
    block, and multiplies all rows by the result. The number of rows must be static; `rt-lower-products` does the same
    for other products. A convolution with narrow filters, from `rt-narrow-constants`, becomes such a loop over panels
    of several tiles of filters, which stay in L2.

    ```mlir
    func.func @example(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf16>,
                       %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<40x4x16xf32>) -> tensor<40x4x16xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                            affine_map<(m, b, j, k) -> (m, b, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<40x64xf32>, tensor<4x64x16xf16>) outs(%zeros : tensor<40x4x16xf32>) {
      ^bb0(%a: f32, %b: f16, %c: f32):
        %l = arith.extf %b : f16 to f32
        %p = arith.mulf %a, %l : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<40x4x16xf32>
      return %r : tensor<40x4x16xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf16>,
                       %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> (tensor<40x4x16xf32>) {
        %block = tensor.extract_slice %w[%i, 0, 0] [1, 64, 16] [1, 1, 1] : tensor<4x64x16xf16> to tensor<1x64x16xf16>
        %own = tensor.extract_slice %t[0, %i, 0] [40, 1, 16] [1, 1, 1] : tensor<40x4x16xf32> to tensor<40x1x16xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%own : tensor<40x1x16xf32>) -> tensor<40x1x16xf32>
        %scratch = tensor.empty() : tensor<1x64x16xf32>
        %panel = linalg.generic {indexing_maps = [affine_map<(b, k, j) -> (b, k, j)>,
                                                  affine_map<(b, k, j) -> (b, k, j)>],
                                 iterator_types = ["parallel", "parallel", "parallel"]}
            ins(%block : tensor<1x64x16xf16>) outs(%scratch : tensor<1x64x16xf32>) {
        ^bb0(%b: f16, %o: f32):
          %l = arith.extf %b : f16 to f32
          linalg.yield %l : f32
        } -> tensor<1x64x16xf32>
        %q = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                              affine_map<(m, b, j, k) -> (m, b, j)>],
                             iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%x, %panel : tensor<40x64xf32>, tensor<1x64x16xf32>) outs(%zeros : tensor<40x1x16xf32>)
            attrs = {rt.accumulators = 1 : i64} {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        } -> tensor<40x1x16xf32>
        %next = tensor.insert_slice %q into %t[0, %i, 0] [40, 1, 16] [1, 1, 1]
            : tensor<40x1x16xf32> into tensor<40x4x16xf32>
        scf.yield %next : tensor<40x4x16xf32>
      }
      return %r : tensor<40x4x16xf32>
    }
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                        "Number of vector registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def FormProducts : Pass<"rt-form-products", "::mlir::func::FuncOp"> {
  let summary = "Turn the products that kernels compute into ops of their own";
  let description = [{
    A `linalg.generic` that is a product of f32 or f64, and starts from a fill, becomes an `rt.product` if a kernel
    shall compute it: one with a dynamic number of batches, rows or columns, whose inline code would be long; one of a
    single element, which no vectors compute; or one along the last dims of both operands, whose inline code would need
    gathers, unless it is small. A product with one column, which is added along its rows, stays.

    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %rows: index) -> tensor<?x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%rows) : tensor<?x4x16xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                            affine_map<(m, b, j, k) -> (m, b, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p {rt.columns = 60 : i64} : f32
        linalg.yield %s : f32
      } -> tensor<?x4x16xf32>
      return %r : tensor<?x4x16xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<?x32xf32>, %w: tensor<4x32x16xf32>, %rows: index) -> tensor<?x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%rows) : tensor<?x4x16xf32>
      %r = rt.product ins(%x, %w : tensor<?x32xf32>, tensor<4x32x16xf32>) start(%zero : f32)
          outs(%e : tensor<?x4x16xf32>)
          {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
           columns = 60} -> tensor<?x4x16xf32>
      return %r : tensor<?x4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::recur::rt::RTDialect"];
}

#endif // RECUR_TRANSFORMS_PRODUCTPASSES_TD
