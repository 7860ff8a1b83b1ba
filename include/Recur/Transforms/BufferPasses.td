// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferPasses.td - Passes on buffers -----------------*- tablegen -*-===//
//
// These passes work on buffers: they save copies, and call kernels.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_BUFFERPASSES_TD
#define RECUR_TRANSFORMS_BUFFERPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerEntry : Pass<"rt-lower-entry", "::mlir::ModuleOp"> {
  let summary = "Turn the entry function's arguments and results into buffers of the call";
  let description = [{
    The one public function becomes `recur_model_compute`, which takes a pointer to the frame of a call and returns a
    status. Arguments become `rt.input`. Results are written to `rt.output` through
    `bufferization.materialize_in_destination`. The importer puts names and public element types on arguments and
    results; they move to the module's `rt.inputs` and `rt.outputs`.

    ```mlir
    func.func @main(%x: tensor<4xf32> {ov.name = "x", ov.element_type = f32})
        -> (tensor<4xf32> {ov.name = "y", ov.element_type = f32}) {
      %y = ov.tanh %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
    ==>
    ```mlir
    module attributes {rt.inputs = [{dims = array<i64: 4>, name = "x", type = f32} ],
                       rt.outputs = [{dims = array<i64: 4>, name = "y", type = f32} ]} {
      func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
        %0 = rt.input 0 : memref<4xf32>
        %x = bufferization.to_tensor %0 restrict : memref<4xf32> to tensor<4xf32>
        %1 = rt.output 0 () : memref<4xf32>
        %y = ov.tanh %x : tensor<4xf32>
        bufferization.materialize_in_destination %y in restrict writable %1 : (tensor<4xf32>, memref<4xf32>) -> ()
        %c0_i32 = arith.constant 0 : i32
        return %c0_i32 : i32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect", "::mlir::LLVM::LLVMDialect",
    "::recur::rt::RTDialect"];
}

def HoistChecks : Pass<"rt-hoist-checks", "::mlir::func::FuncOp"> {
  let summary = "Move checks of loop-invariant sizes before loops and branches";
  let description = [{
    A check of loop-invariant sizes moves before the loop, and a check in a branch moves before the branch. Its new
    condition includes the condition under which the check would run at all, because a loop without iterations, and a
    branch that is not taken, raise no fault. So a buffer whose sizes a check guards is allocated once, and its sizes
    follow from the inputs. Index arithmetic moves with the check. A check that depends on the iteration, or on computed
    data, stays. If a check that has moved finds two sizes equal, the loop or branch uses one of them for both, unless
    another check in it comes first.

    ```mlir
    func.func @example(%a: index, %b: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %t = %c0 to %n step %c1 {
        %c = arith.cmpi eq, %a, %b : index
        %d = rt.check %c, shape, "dims do not agree" guards(%a : index)
        %x = memref.alloc(%d) : memref<?xf32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: index, %b: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %true = arith.constant true
      %runs = arith.cmpi sgt, %n, %c0 : index
      %skipped = arith.xori %runs, %true : i1
      %c = arith.cmpi eq, %a, %b : index
      %holds = arith.ori %skipped, %c : i1
      %d = rt.check %holds, shape, "dims do not agree" guards(%a : index)
      scf.for %t = %c0 to %n step %c1 {
        %x = memref.alloc(%d) : memref<?xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::recur::rt::RTDialect"];
}

def UseChecks : Pass<"rt-use-checks", "::mlir::func::FuncOp"> {
  let summary = "Use what a check has found behind it";
  let description = [{
    Behind a check, its condition is true, and a comparison of two values that the condition has found equal is known
    too. An op that only readers behind the check need moves behind it, if it has such a comparison as an operand. So
    the branch for the first iteration of a loop goes, if a check has found that the dims of its initial state agree
    with those of the next one.

    ```mlir
    func.func @example(%a: index, %b: index, %m: memref<f32>, %x: f32) {
      %0 = arith.cmpi ne, %a, %b : index
      %1 = arith.cmpi eq, %a, %b : index
      rt.check %1, shape, "dims do not agree"
      scf.if %0 {
        memref.store %x, %m[] : memref<f32>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: index, %b: index, %m: memref<f32>, %x: f32) {
      %false = arith.constant false
      %1 = arith.cmpi eq, %a, %b : index
      rt.check %1, shape, "dims do not agree"
      scf.if %false {
        memref.store %x, %m[] : memref<f32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KeepStrides : Pass<"rt-keep-strides", "::mlir::func::FuncOp"> {
  let summary = "Give the results of branches the strides that both branches know";
  let description = [{
    Runs after bufferization, which gives the result of an `scf.if` a type with dynamic strides if the types of its two
    buffers differ. Here the type keeps each stride, and the offset, that both buffers have. Above all that is the last
    stride, 1, which shows that vectors are contiguous. Views of the result, and branches that yield them, follow. A
    view with steps that drops some of several dims of one element becomes two views, because upstream finds the dropped
    dims by their strides.

    ```mlir
    func.func @example(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index, %c: i1, %i: index) -> f32 {
      %0 = scf.if %c -> (memref<?x?xf32, strided<[?, ?], offset: ?>>) {
        %1 = memref.cast %a : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
        scf.yield %1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
      } else {
        %1 = memref.alloc(%n, %n) : memref<?x?xf32>
        %2 = memref.cast %1 : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
        scf.yield %2 : memref<?x?xf32, strided<[?, ?], offset: ?>>
      }
      %3 = memref.load %0[%i, %i] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      return %3 : f32
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index, %c: i1, %i: index) -> f32 {
      %0 = scf.if %c -> (memref<?x?xf32, strided<[?, 1], offset: ?>>) {
        scf.yield %a : memref<?x?xf32, strided<[?, 1], offset: ?>>
      } else {
        %1 = memref.alloc(%n, %n) : memref<?x?xf32>
        %2 = memref.cast %1 : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        scf.yield %2 : memref<?x?xf32, strided<[?, 1], offset: ?>>
      }
      %3 = memref.load %0[%i, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      return %3 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ForwardCopies : Pass<"rt-forward-copies", "::mlir::func::FuncOp"> {
  let summary = "Remove copies by computing values in the target of the copy";
  let description = [{
    Runs after bufferization. If all of an allocated buffer is copied to an output, or to a part of another buffer, the
    values are computed in the target of the copy from the start. The target is then written earlier, which must not
    change any result: until the copy, nothing may read the previous contents of the target, and as long as the buffer
    is read, nothing may overwrite its contents in the target. For example, an inner loop writes its concatenation
    directly into that of the outer loop, and a branch writes its result directly into the next state.

    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        %a = memref.alloc() : memref<4xf32>
        memref.store %x, %a[%c1] : memref<4xf32>
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %out = rt.output 0 () : memref<9x4xf32>
      scf.for %t = %c0 to %n step %c1 {
        %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        memref.store %x, %part[%c1] : memref<4xf32, strided<[1], offset: ?>>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def StripBatches : Pass<"rt-strip-batches", "::mlir::func::FuncOp"> {
  let summary = "Do several iterations of a time loop for one part of a batch after the other";
  let description = [{
    If all work of a time loop is a loop over the parts of a batch, and no part accesses what another one writes, each
    part can do many iterations before the next part begins. That is worth it if the loop accesses a buffer, such as
    the state of the batch, that is larger than L1 (32 KiB or more), where a part of it fits. The time loop
    becomes one over strips of 16 iterations. Its `rt.iteration` has the number of the last iteration of a strip, which
    exceeds a limit of iterations if any number in the strip does. The attribute `rt.steps` marks the loop over the
    iterations of a strip. `rt-check-time-loops` looks at its iterations, and `rt-keep-time-loops` removes it.

    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c4096 = arith.constant 4096 : index
      %x = rt.input 0 : memref<64x4xf32>
      %state = memref.alloc() : memref<4x4096xf32>
      scf.for %t = %c0 to %c64 step %c1 {
        rt.iteration %t
        scf.for %b = %c0 to %c4 step %c1 {
          %a = memref.load %x[%t, %b] : memref<64x4xf32>
          scf.for %i = %c0 to %c4096 step %c1 {
            %s = memref.load %state[%b, %i] : memref<4x4096xf32>
            %n = arith.mulf %a, %s : f32
            memref.store %n, %state[%b, %i] : memref<4x4096xf32>
          }
        }
      }
      return
    }
    ```
    ==>
    ```mlir
    func.func @example() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c4096 = arith.constant 4096 : index
      %c16 = arith.constant 16 : index
      %x = rt.input 0 : memref<64x4xf32>
      %state = memref.alloc() : memref<4x4096xf32>
      scf.for %start = %c0 to %c64 step %c16 {
        %end = arith.addi %start, %c16 : index
        %last = arith.subi %end, %c1 : index
        rt.iteration %last
        scf.for %b = %c0 to %c4 step %c1 {
          scf.for %t = %start to %end step %c1 {
            %a = memref.load %x[%t, %b] : memref<64x4xf32>
            scf.for %i = %c0 to %c4096 step %c1 {
              %s = memref.load %state[%b, %i] : memref<4x4096xf32>
              %n = arith.mulf %a, %s : f32
              memref.store %n, %state[%b, %i] : memref<4x4096xf32>
            }
          } {rt.steps}
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::recur::rt::RTDialect"];
}

def LowerProducts : Pass<"rt-lower-products", "::mlir::ModuleOp"> {
  let summary = "Turn products and some transposes into calls of kernels";
  let description = [{
    Runs after bufferization. An `rt.product` becomes a call of a private function, for example `rt_product_f32`, which
    the module has once. The function takes A, which has rows, B, which has blocks of two vectors (packed weights, or a
    view of the columns of a matrix as blocks), and C. It calls one of two others:

    * `rt_product_f32_row` computes a single row. It takes four blocks at once, then two, then one. A single remaining
      block is computed together with the four blocks before it.
    * `rt_product_f32_rows` computes several rows. It cuts them into tiles whose heights differ by at most one row, and
      whose accumulators fit the registers. There is static code for each height. The loop over blocks is around the
      tiles, and a loop over panels of rows that stay in L2 is outermost.

    A tile that is too small to keep the arithmetic units busy takes several steps along the shared dim at once, with
    accumulators for each step. Row dims that are contiguous in A and C are merged into one. If some cannot be merged,
    the longest gives the rows of a call, and the rest are loops around the call, as are batches. If packed weights do
    not stay in L2, these loops are in one over panels of columns that do. Columns that do not
    fill a block are computed vector by vector with masks, by `rt_product_f32_rest`. If the elements of a row of B or C
    are apart, the product works on a contiguous copy. In a loop, where only the call tells the size of a copy, the
    product becomes a `linalg.generic` instead, and later scalar loops.

    For packed weights of f16 or bf16 there is `rt_product_f32_f16` with the same functions, which extend each vector
    that they load. If the rows take more than two tiles, `rt_product_f32_f16_panels` extends one block after the other
    into a scratch that the caller gives, and calls `rt_product_f32_rows`.

    For packed weights of bf16 in pairs, and rows that the product rounds to bf16, there is `rt_product_f32_bf16_pairs`.
    It rounds a group of 32 rows at a time into a scratch. If the caller of the model allows tile registers
    (`rt.may_use_tiles`), `rt_product_f32_bf16_pairs_tiles` multiplies the group by two blocks of columns, or by one,
    with four tiles of results. Otherwise, and for a single row, which would use one row of a tile, the pairs are
    widened in vector registers: the bits of one element of a pair are shifted, and those of the other one masked.

    If the rows are bf16 already, `rt_product_f32_bf16_dots` takes them as they are. It has the functions of
    `rt_product_f32`. An instruction adds both products of a pair to a sum, in one order for any number of rows.

    If both operands are contiguous along the shared dim, as in `q * k^T` for one row of q, each element is a dot
    product. `rt_dot_f32` takes a matrix and a vector, four rows at once, with lanes along the shared dim.

    A `linalg.transpose` of f32 or f64 that moves dim 1 to the end, or the last dim to dim 1, calls `rt_transpose_f32`
    unless it is small.

    ```mlir
    func.func @example(%a: memref<?x32xf32>, %w: memref<4x32x16xf32>, %c: memref<?x4x16xf32>) {
      %zero = arith.constant 0.0 : f32
      rt.product ins(%a, %w : memref<?x32xf32>, memref<4x32x16xf32>) start(%zero : f32) outs(%c : memref<?x4x16xf32>)
          {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
           columns = 64}
      return
    }
    ```
    ==>
    ```mlir
    !rows = memref<?x?xf32, strided<[?, ?], offset: ?>>
    !blocks = memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>
    !result = memref<?x4x16xf32, strided<[64, 16, 1]>>
    func.func @example(%a: memref<?x32xf32>, %w: memref<4x32x16xf32>, %c: memref<?x4x16xf32>) {
      %zero = arith.constant 0.0 : f32
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
          : memref<?x32xf32> -> memref<f32>, index, index, index, index, index
      %a0 = memref.cast %a : memref<?x32xf32> to !rows
      %w0 = memref.cast %w : memref<4x32x16xf32> to !blocks
      %rows = memref.reinterpret_cast %c to offset: [0], sizes: [%sizes#0, 4, 16], strides: [64, 16, 1]
          : memref<?x4x16xf32> to !result
      %c0 = memref.cast %rows : !result to !blocks
      func.call @rt_product_f32(%a0, %w0, %c0, %zero) : (!rows, !blocks, !blocks, f32) -> ()
      return
    }
    // The body of the kernel is left out here.
    func.func private @rt_product_f32(!rows, !blocks, !blocks, f32)
        attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">];
  let dependentDialects = ["::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect", "::recur::rt::RTDialect"];
}

def LowerConvolutions : Pass<"rt-lower-convolutions", "::mlir::ModuleOp"> {
  let summary = "Turn convolutions into calls of kernels";
  let description = [{
    Runs after bufferization. A kernel is a private function that the module has once for all convolutions of a kind.

    An `rt.convolution` with channels first calls `rt_convolution_f32_8`, or the kernel for another number of channels
    in a tile of filters. The call takes the filters, a view of the data in which the windows overlap, and the result.
    The kernel numbers the positions of the result along a plane of the data, so that a vector of positions is a
    vector of the data. What lies between two rows of the result is computed and not stored. As many positions as have
    their data in L2 are computed for all filters, before the next ones.

    If there are strides, `rt_planes_f32` copies the data of a group to planes first. A plane has the elements at the
    distance of the stride, so that what neighbouring positions read are neighbours in it. With a stride of 2, the even
    elements are one plane and the odd elements another; a kernel of 3 elements reads the first plane twice, the second
    time shifted by one element.

    An `rt.convolution` with channels last calls `rt_convolution_channels_f32`, or, if each channel has its own
    filters, `rt_depthwise_channels_f32`. Their lanes run along the channels of the result. The first one broadcasts
    elements of the data, so it needs no copy for strides. An epilogue is computed on the accumulators, and has a
    kernel of its own, whose name ends with a hash of the body.

    A buffer in which the elements that a kernel takes as vectors are apart is copied.

    ```mlir
    func.func @example(%w: memref<1x3x8x16xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x1x16xf32>) {
      rt.convolution ins(%w, %x : memref<1x3x8x16xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x1x16xf32>)
          {strides = array<i64: 1>, dilations = array<i64: 1>}
      return
    }
    ```
    ==>
    ```mlir
    !filters = memref<?x?x16xf32, strided<[?, 16, 1], offset: ?>>
    !windows = memref<?x?xf32, strided<[?, 1], offset: ?>>
    !result = memref<?x?x?x16xf32, strided<[?, ?, 16, 1], offset: ?>>
    func.func @example(%w: memref<1x3x8x16xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x1x16xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %c24 = arith.constant 24 : index
      %c5461 = arith.constant 5461 : index
      %zero = arith.constant 0.0 : f32
      %windows = memref.reinterpret_cast %x to offset: [0], sizes: [7, 81], strides: [8, 1]
          : memref<1x9x8xf32> to memref<7x81xf32, strided<[8, 1]>>
      %x0 = memref.cast %windows : memref<7x81xf32, strided<[8, 1]>> to !windows
      %tiles = memref.reinterpret_cast %w to offset: [0], sizes: [1, 24, 16], strides: [384, 16, 1]
          : memref<1x3x8x16xf32> to memref<1x24x16xf32, strided<[384, 16, 1]>>
      %w0 = memref.cast %tiles : memref<1x24x16xf32, strided<[384, 16, 1]>> to !filters
      %rows = memref.reinterpret_cast %y to offset: [0], sizes: [1, 7, 1, 16], strides: [0, 16, 16, 1]
          : memref<1x7x1x16xf32> to memref<1x7x1x16xf32, strided<[0, 16, 16, 1]>>
      %y0 = memref.cast %rows : memref<1x7x1x16xf32, strided<[0, 16, 16, 1]>> to !result
      func.call @rt_convolution_channels_f32(%w0, %x0, %y0, %c1, %c1, %c24, %c0, %c8, %c0, %c8, %c1, %c5461, %zero, %c0,
                                             %c2, %c1, %c1, %c24)
          : (!filters, !windows, !result, index, index, index, index, index, index, index, index, index, f32, index,
             index, index, index, index) -> ()
      return
    }
    // The body of the kernel is left out here.
    func.func private @rt_convolution_channels_f32(!filters, !windows, !result, index, index, index, index, index,
                                                   index, index, index, index, f32, index, index, index, index, index)
        attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16", "Number of vector "
                        "registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::recur::rt::RTDialect"];
}

def LowerCopies : Pass<"rt-lower-copies", "::mlir::ModuleOp"> {
  let summary = "Lower copies of buffers that are not contiguous, to loops or calls of kernels";
  let description = [{
    A contiguous `memref.copy` stays, and becomes a memcpy later. A copy of at most 16 elements becomes a loop nest,
    which is faster than a call. A copy whose source and target are the same is removed. Any other copy becomes a loop
    nest, because its lowering would call a runtime library. If it views a collapsed buffer, contiguous dims become one
    first, and no access divides an index.

    A copy or a `linalg.fill` of a dynamic size becomes a call of a private function, which the module has once for each
    element type and number of dims. Otherwise such loop nests would make up much of the code of a model with dynamic
    dims. Dims of one element are dropped for the call. Such a function stores contiguous rows in vectors. In time
    loops, and for rows that a loop takes one by one, no function is called and the loop nest stays inline. There, rows
    of a static length that is a whole number of lines of a cache are copied line by line.

    ```mlir
    !view = memref<?x?xf32, strided<[?, ?], offset: ?>>
    func.func @example(%a: !view, %b: !view) {
      memref.copy %a, %b : !view to !view
      return
    }
    ```
    ==>
    ```mlir
    !view = memref<?x?xf32, strided<[?, ?], offset: ?>>
    func.func @example(%a: !view, %b: !view) {
      func.call @rt_copy_f32_2(%a, %b) : (!view, !view) -> ()
      return
    }
    // The body of the kernel, a loop nest, is left out here.
    func.func private @rt_copy_f32_2(!view, !view) attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel}
    ```
  }];
  let options = [Option<"kernels", "kernels", "bool", /*default=*/"true", "Copies and fills of dynamic sizes call "
                        "kernels">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def GroupTimeLoops : Pass<"rt-group-time-loops", "::mlir::func::FuncOp"> {
  let summary = "Let several threads run time loops that are independent of each other";
  let description = [{
    Puts time loops of one block into the cases of a switch, in a loop over their numbers, if each of them provably
    needs nothing that another one computes, such as the two directions of a sequence, and is enough work for a thread.
    No loop may have more than twice the work of another one. The loop over the numbers is marked with `rt.independent`,
    so `rt-form-parallel-regions` divides it like any other. One thread runs the loops one after the other, as before.
    Ops between the loops that do not need the first one move in front of it, and those that only one of the loops needs
    move to its case. A loop that has results, contains another time loop or may raise a fault is not put into a group.
    Allocations in the loops move in front of them, so that no two threads use the same bytes.

    A time loop may have parts that need nothing of each other, in any iteration, because `rt-fuse-time-loops` has made
    it of two. If each of them reads weights that L1 may not hold, they become the cases of a switch in a
    loop in the body, which is marked with `rt.interchangeable`: each thread may run all iterations with some of the
    parts. Parts that read less keep their states in registers, which a switch would not allow.

    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = rt.output 0 () : memref<2x8xf32>
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        memref.store %x, %y[%c0, %t] : memref<2x8xf32>
      }
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        memref.store %x, %y[%c1, %t] : memref<2x8xf32>
      }
      return
    }
    ```
    ==> with `gang-work=1`
    ```mlir
    func.func @example(%x: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %y = rt.output 0 () : memref<2x8xf32>
      scf.for %number = %c0 to %c2 step %c1 {
        scf.index_switch %number
        case 0 {
          scf.for %t = %c0 to %n step %c1 {
            rt.iteration %t
            memref.store %x, %y[%c0, %t] : memref<2x8xf32>
          }
          scf.yield
        }
        case 1 {
          scf.for %t = %c0 to %n step %c1 {
            rt.iteration %t
            memref.store %x, %y[%c1, %t] : memref<2x8xf32>
          }
          scf.yield
        }
        default {
        }
      } {rt.independent}
      return
    }
    ```
  }];
  let options = [Option<"gangWork", "gang-work", "int64_t", /*default=*/"::recur::kDefaultGangWork",
                        "Least work of each thread, in vector instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def KeepStates : Pass<"rt-keep-states", "::mlir::func::FuncOp"> {
  let summary = "Carry small states of time loops as values";
  let description = [{
    A time loop keeps a state in a buffer, or in one of two copies of it by turns. If an iteration only loads and stores
    elements or vectors at known places of the buffer, and stores each of these once, the loop carries them as values,
    and the buffer has the state only before and after the loop. Loops of a few iterations over the parts of a state are
    unrolled. As many parts are kept as half of the vector registers.

    ```mlir
    func.func @example(%n: index, %one: vector<4xf32>) -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %state = memref.alloc() : memref<2x4xf32>
      vector.store %one, %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      scf.for %i = %c0 to %n step %c1 {
        rt.iteration %i
        %read = arith.andi %i, %c1 : index
        %written = arith.xori %read, %c1 : index
        %s = vector.load %state[%read, %c0] : memref<2x4xf32>, vector<4xf32>
        %next = arith.addf %s, %one : vector<4xf32>
        vector.store %next, %state[%written, %c0] : memref<2x4xf32>, vector<4xf32>
      }
      %last = arith.andi %n, %c1 : index
      %result = vector.load %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      return %result : vector<4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%n: index, %one: vector<4xf32>) -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %state = memref.alloc() : memref<2x4xf32>
      vector.store %one, %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      %first = vector.load %state[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      %carried = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (vector<4xf32>) {
        rt.iteration %i
        %next = arith.addf %s, %one : vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %last = arith.andi %n, %c1 : index
      vector.store %carried, %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      %result = vector.load %state[%last, %c0] : memref<2x4xf32>, vector<4xf32>
      return %result : vector<4xf32>
    }
    ```
  }];
  let options = [Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
                        "Number of vector registers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def MarkIndependentLoops : Pass<"rt-mark-independent-loops", "::mlir::func::FuncOp"> {
  let summary = "Mark loops whose iterations are independent of each other";
  let description = [{
    Marks a loop with `rt.independent` if no iteration reads or writes what another one writes, and if the loop is worth
    at least two threads, or its order matters to `rt-alternate-order`: it is in a time loop, and its iterations read
    parts of weights which L1 may not hold. A loop inside of a marked one is not marked, unless
    `rt-group-time-loops` has marked that. A loop that carries a value or may raise a fault is not marked either. An
    allocation of a marked loop moves before the loop.

    A marked loop, or a call of a kernel, also gets `rt.undivided` if it does little work for each cache line of its
    result, and a time loop that does not contain it reads the result. One thread runs the time loop, and would wait for
    what other cores have computed longer than it takes to compute it. A loop outside of time loops gets it too if it
    does little work for each cache line of a buffer that one thread has written.

    ```mlir
    func.func @example(%x: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      }
      return
    }
    ```
    ==> with `gang-work=1`
    ```mlir
    func.func @example(%x: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %out = rt.output 0 () : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %x, %out[%i] : memref<8xf32>
      } {rt.independent}
      return
    }
    ```
  }];
  let options = [Option<"gangWork", "gang-work", "int64_t", /*default=*/"::recur::kDefaultGangWork",
                        "Least work of each thread, in vector instructions">];
}

#endif // RECUR_TRANSFORMS_BUFFERPASSES_TD
