// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes from one dialect to another -------*- tablegen -*-===//

#ifndef RECUR_CONVERSION_PASSES_TD
#define RECUR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOVLoopsToSCF : Pass<"convert-ov-loops-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower TensorIterator and Loop to scf with tensor slicing";
  let description = [{
    A TensorIterator, and a Loop whose body always asks for another iteration, become `scf.for`; other Loops become
    `scf.while`. The number of iterations is computed and checked before the loop.

    * A part is a `tensor.extract_slice` of the sliced input.
    * A carried value of one element is an iter_arg of its scalar type. Other carried values have two slots in a buffer:
      an iteration reads the one of its parity and writes the other, at its end, through
      `bufferization.materialize_in_destination`; so all back edges move at once, and nothing that an iteration reads is
      overwritten in it.
    * A concatenation is a buffer that is reserved once, before the loop, and every part is written where it belongs.
    * A value whose last instance is a result is a buffer that each iteration overwrites, or a scalar.

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
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::recur::rt::RTDialect"];
}

def ConvertRTToLLVM : Pass<"convert-rt-to-llvm", "::mlir::func::FuncOp"> {
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

#endif // RECUR_CONVERSION_PASSES_TD
