// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes from one dialect to another -------*- tablegen -*-===//

#ifndef RECUR_CONVERSION_PASSES_TD
#define RECUR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def BroadcastOVOperands : Pass<"broadcast-ov-operands", "::mlir::func::FuncOp"> {
  let summary = "Give operands the dims that they broadcast to";
  let description = [{
    Two unknown dims that broadcast against each other may be equal, or one of them may be 1. An op that finds out while
    it computes can neither be vectorized nor fused, and those that read its result see another dim still. So operands
    whose dims are not known to be equal get the common dim in front of the op: it is computed and checked once, and a
    view gives it to each operand. After that all dims are known to be equal. A view cannot repeat elements along the
    last dim at the speed of vectors, so there the call takes the operand as it is, or copies its one element.

    Bodies of loops are left: a loop has the dims of its inputs in common, see `convert-ov-loops-to-scf`.

    ```mlir
    %r = ov.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
    ==>
    ```mlir
    %both = arith.select %a_is_one, %dim_b, %dim_a
    %n = rt.check %fit, shape, "dims {0} and {1} do not broadcast" ... guards(%both : index)
    %a0 = rt.broadcast_dim %a along 0 to %n : tensor<?x4xf32>
    %b0 = rt.broadcast_dim %b along 0 to %n : tensor<?x4xf32>
    %r = ov.add %a0, %b0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::recur::ov::OVDialect", "::recur::rt::RTDialect"];
}

def ConvertOVLoopsToSCF : Pass<"convert-ov-loops-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower TensorIterator and Loop to scf with tensor slicing";
  let description = [{
    A TensorIterator, and a Loop whose body always asks for another iteration, become `scf.for`; other Loops become
    `scf.while`. The number of iterations is computed and checked before the loop.

    * A part is a `tensor.extract_slice` of the sliced input.
    * A carried value of one element is an iter_arg of its scalar type. Other carried values have two slots in a buffer:
      an iteration reads the one of its parity and writes the other, at its end, through
      `bufferization.materialize_in_destination`; so all back edges move at once, and nothing that an iteration reads is
      overwritten in it. Where the result goes on to a place that is there before, as the new state of a loop around
      this one does, and the number of iterations is known, the last iteration writes it there.
    * A concatenation is a buffer that is reserved once, before the loop, and every part is written where it belongs.
    * A value whose last instance is a result is a buffer that each iteration overwrites, or a scalar.
    * Inputs whose rows broadcast against one another in the body (the batch of `x`, `h` and `c` of a cell that is
      written with element-wise ops) are broadcast before the loop, where the call gives them different dims: then no
      dim
      changes in the loop.

    The number of time loops is recorded on the function as `rt.time_loops`; `rt.iteration` stands in each of them.

    ```mlir
    %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
        carried(%s = %s0 : tensor<1x4xf32>) {
      %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield next(%n : tensor<1x4xf32>)
    }
    ```
    ==>
    ```mlir
    %slots = memref.alloc() : memref<2x1x4xf32>
    bufferization.materialize_in_destination %s0 in restrict writable %slots[0, ...]
    scf.for %t = %c0 to %c8 step %c1 {
      rt.iteration %t
      %x_t = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1]
      %s = bufferization.to_tensor %slots[%t & 1, ...] restrict
      %n = ov.add %x_t, %s
      bufferization.materialize_in_destination %n in restrict writable %slots[(%t & 1) xor 1, ...]
    }
    %h = bufferization.to_tensor %slots[8 & 1, ...] restrict
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::recur::rt::RTDialect"];
}

def ConvertRTToLLVM : Pass<"convert-rt-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower the rt dialect to accesses of the call's frame";
  let description = [{
    The frame (`recur_frame` of docs/ModelContract.md) is the function's first argument. Buffers become memref
    descriptors, which `reconcile-unrealized-casts` joins with what `convert-to-llvm` makes of their uses.

    ```mlir
    %0 = rt.input 0 : memref<4xf32>
    ```
    ==>
    ```mlir
    %1 = llvm.load %frame : !llvm.ptr -> !llvm.ptr           // inputs
    %2 = llvm.load %1 : !llvm.ptr -> !llvm.ptr               // inputs[0].data
    ...                                                      // descriptor %3
    %0 = builtin.unrealized_conversion_cast %3 : !llvm.struct<...> to memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def ConvertOVToLinalg : Pass<"convert-ov-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower the tensor ops of ov to linalg, scf and tensor, on the types that memory holds";
  let description = [{
    This is the one boundary at which element types change, everywhere in the function: `i1` becomes `i8` and `uiN`
    becomes `iN` in all shaped types, and `uiN` becomes `iN` in scalars; scalars of type `i1` stay. A payload enters
    `i1` by `!= 0` and leaves it by `extui`; signedness comes from the `ov` op. f16 and bf16 are computed, and
    accumulated, in f32.

    * An element-wise op becomes a `linalg.generic`, or scalar code where the result has exactly one element. A dim
      that is known only at run time, and may or may not be 1, is checked, and read by an index that is selected in the
      payload.
    * Reductions and matrix products are a `linalg.generic` over a `linalg.fill`, its reduction loops last or, for
      reductions, where the axes are.
    * What checks elements (gather, gather_tree, integer division) becomes `scf.for` nests around `rt.check`; so does
      what depends on other elements (cum_sum, topk, non_zero).
    * A constant that stays in the weights file stays an `ov.constant`.

    Loops and cells must be gone: see `convert-ov-loops-to-scf` and `ov-decompose-cells`.

    ```mlir
    %0 = ov.less %a, %b : (tensor<4x8xui8>, tensor<8xui8>) -> tensor<4x8xi1>
    ```
    ==>
    ```mlir
    %empty = tensor.empty() : tensor<4x8xi8>
    %0 = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d1), (d0, d1) -> (d0, d1)],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<4x8xi8>, tensor<8xi8>) outs(%empty : tensor<4x8xi8>) {
    ^bb0(%x: i8, %y: i8, %out: i8):
      %c = arith.cmpi ult, %x, %y : i8
      %r = arith.extui %c : i1 to i8
      linalg.yield %r : i8
    } -> tensor<4x8xi8>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::recur::rt::RTDialect"];
}

#endif // RECUR_CONVERSION_PASSES_TD
