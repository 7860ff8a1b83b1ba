// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes from one dialect to another -------*- tablegen -*-===//
//
// These passes convert one dialect to another: ov loops to scf, ov to linalg on tensors, and rt to the LLVM dialect.
// lib/Pipelines/Pipelines.cpp has the order of the passes. test/lint/examples.py runs the example of each description.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_CONVERSION_PASSES_TD
#define RECUR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def BroadcastOVOperands : Pass<"broadcast-ov-operands", "::mlir::func::FuncOp"> {
  let summary = "Broadcast operands to their common dims before the op";
  let description = [{
    Two dynamic dims that broadcast against each other may be equal, or one of them may be 1. An op that decides this
    while it computes cannot be vectorized or fused, and the dim of its result is a third one, which is not known to
    equal either. So this pass computes and checks the common dim once before the op, and broadcasts each operand to it
    by a view. After that all dims are provably equal.

    Elements along the last dim are not repeated by a view, because a stride of 0 there prevents vector loads. If they
    must be repeated, which is decided at run time, they are copied; otherwise the operand is used as it is.

    If an op before fails unless dims are equal, such as a concatenation along another axis, ops that read them are told
    not to broadcast (`auto_broadcast = #ov.auto_broadcast<none>`).

    Bodies of ov loops are left alone: `convert-ov-loops-to-scf` broadcasts the inputs of a loop instead. The pass runs
    again after it, for the operands in a body that are not computed row by row.

    ```mlir
    func.func @example(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %r = ov.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim_a = tensor.dim %a, %c0 : tensor<?x4xf32>
      %dim_b = tensor.dim %b, %c0 : tensor<?x4xf32>
      %a_is_one = arith.cmpi eq, %dim_a, %c1 : index
      %both = arith.select %a_is_one, %dim_b, %dim_a : index
      %a_same = arith.cmpi eq, %dim_a, %both : index
      %a_fits = arith.ori %a_is_one, %a_same : i1
      %0 = arith.index_cast %both : index to i64
      %1 = arith.index_cast %dim_a : index to i64
      %m = rt.check %a_fits, shape, "dims {0} and {1} do not broadcast" (%0, %1) guards(%both : index)
      %b_is_one = arith.cmpi eq, %dim_b, %c1 : index
      %b_same = arith.cmpi eq, %dim_b, %m : index
      %b_fits = arith.ori %b_is_one, %b_same : i1
      %2 = arith.index_cast %m : index to i64
      %3 = arith.index_cast %dim_b : index to i64
      %n = rt.check %b_fits, shape, "dims {0} and {1} do not broadcast" (%2, %3) guards(%m : index)
      %a0 = rt.broadcast_dim %a along 0 to %n : tensor<?x4xf32>
      %b0 = rt.broadcast_dim %b along 0 to %n : tensor<?x4xf32>
      %r = ov.add %a0, %b0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::recur::ov::OVDialect", "::recur::rt::RTDialect"];
}

def ConvertOVLoopsToSCF : Pass<"convert-ov-loops-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower TensorIterator and Loop to scf with tensor slicing";
  let description = [{
    A TensorIterator, and a Loop whose body always asks for another iteration, become `scf.for`. Other Loops become
    `scf.while`, and an If becomes `scf.if`. The number of iterations, or its upper bound if the body computes the
    condition, is computed and checked before the loop.

    * A part is a `tensor.extract_slice` of the sliced input.
    * A carried value of one element is an iter_arg of its scalar type. Other carried values are buffers with two slots.
      An iteration reads the slot of its parity and writes the other one through
      `bufferization.materialize_in_destination`. So all carried values change at once, and no iteration overwrites a
      value that it reads. A value that scatter ops update in place has one slot. A value whose dims change in each
      iteration has two growing buffers (`rt.reserve`).
    * If the result of a carried value is copied to a buffer that exists before the loop, such as the next state of an
      outer loop, and the number of iterations is known before the loop, then the last iteration writes there directly.
    * A concatenation is a buffer that is allocated before the loop, and each iteration writes its part to its place. If
      the number of parts or their dims are not known before the loop, the buffer grows.
    * A last value is a buffer that each iteration overwrites, or a scalar.
    * Inputs whose rows broadcast against each other in the body are broadcast before the loop if their dims differ at
      run time. An example is the batch of `x`, `h` and `c` of a cell that is written with element-wise ops. After that
      no dim changes in the loop.

    The number of time loops is recorded on the function as `rt.time_loops`, and each of them contains an
    `rt.iteration`.

    ```mlir
    func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
          carried(%s = %s0 : tensor<1x4xf32>) {
        %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        ov.yield next(%n : tensor<1x4xf32>)
      }
      return %h : tensor<1x4xf32>
    }
    ```
    ==>
    ```mlir
    !first = memref<1x4xf32, strided<[4, 1]>>
    !state = memref<1x4xf32, strided<[4, 1], offset: ?>>
    func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32>
        attributes {rt.time_loops = 1 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %states = memref.alloc() : memref<2x1x4xf32>
      %even = memref.subview %states[0, 0, 0] [1, 1, 4] [1, 1, 1] : memref<2x1x4xf32> to !first
      bufferization.materialize_in_destination %s0 in restrict writable %even : (tensor<1x4xf32>, !first) -> ()
      scf.for %t = %c0 to %c8 step %c1 {
        rt.iteration %t
        %x_t = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
        %this = arith.andi %t, %c1 : index
        %0 = memref.subview %states[%this, 0, 0] [1, 1, 4] [1, 1, 1] : memref<2x1x4xf32> to !state
        %s = bufferization.to_tensor %0 restrict : !state to tensor<1x4xf32>
        %other = arith.xori %this, %c1 : index
        %1 = memref.subview %states[%other, 0, 0] [1, 1, 4] [1, 1, 1] : memref<2x1x4xf32> to !state
        %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        bufferization.materialize_in_destination %n in restrict writable %1 : (tensor<1x4xf32>, !state) -> ()
      }
      %h = bufferization.to_tensor %even restrict : !first to tensor<1x4xf32>
      return %h : tensor<1x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::recur::rt::RTDialect"];
}

def CheckNaN : Pass<"ov-check-nan", "::mlir::func::FuncOp"> {
  let summary = "Check that inputs and results of ops have no NaN";
  let description = [{
    Each tensor of real numbers that is an input or the result of an `ov` op gets an `rt.check` that no element is NaN.
    The check stands directly behind the op. Constants, and what is computed from constants alone, are not checked. Nor
    are the arguments for states, which hold anything until they are set; what reads them is checked.

    In a time loop the check has the number of the iteration as a detail. So the pass comes after
    `convert-ov-loops-to-scf`, and before `convert-ov-to-linalg`.

    ```mlir
    func.func @example(%x: tensor<2xi32>) -> tensor<2xf32> {
      %0 = ov.convert %x : tensor<2xi32> to tensor<2xf32>
      %1 = ov.divide %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    ```
    ==>
    ```mlir
    func.func @example(%x: tensor<2xi32>) -> tensor<2xf32> {
      %true = arith.constant true
      %axes = ov.constant dense<0> : tensor<1xi64>
      %0 = ov.convert %x : tensor<2xi32> to tensor<2xf32>
      %2 = ov.is_nan %0 : (tensor<2xf32>) -> tensor<2xi1>
      %3 = ov.reduce_logical_or %2, %axes : (tensor<2xi1>, tensor<1xi64>) -> tensor<i1>
      %4 = tensor.extract %3[] : tensor<i1>
      %5 = arith.xori %4, %true : i1
      rt.check %5, nan, "a NaN in the result"
      %1 = ov.divide %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %6 = ov.is_nan %1 : (tensor<2xf32>) -> tensor<2xi1>
      %7 = ov.reduce_logical_or %6, %axes : (tensor<2xi1>, tensor<1xi64>) -> tensor<i1>
      %8 = tensor.extract %7[] : tensor<i1>
      %9 = arith.xori %8, %true : i1
      rt.check %9, nan, "a NaN in the result"
      return %1 : tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::recur::ov::OVDialect",
    "::recur::rt::RTDialect"];
}

def ConvertRTToLLVM : Pass<"convert-rt-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower the rt dialect to accesses of the call's frame";
  let description = [{
    The frame (`recur_frame` of docs/ModelContract.md) is the first argument of the function. Inputs, outputs, weights
    and the workspace become memref descriptors with addresses from the frame. A cast makes a memref of each descriptor.
    After `convert-to-llvm` has lowered the uses to descriptors too, `reconcile-unrealized-casts` removes these casts.

    ```mlir
    func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
      %c0 = arith.constant 0 : index
      %0 = rt.input 0 : memref<4xi32>
      %1 = memref.load %0[%c0] : memref<4xi32>
      return %1 : i32
    }
    ```
    ==>
    ```mlir
    !descriptor = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
      %c0 = arith.constant 0 : index
      %inputs = llvm.load %frame invariant : !llvm.ptr -> !llvm.ptr
      %data = llvm.load %inputs invariant : !llvm.ptr -> !llvm.ptr // inputs[0].data
      %2 = llvm.mlir.poison : !descriptor
      %3 = llvm.insertvalue %data, %2[0] : !descriptor
      %4 = llvm.insertvalue %data, %3[1] : !descriptor
      %5 = llvm.mlir.constant(0 : index) : i64
      %6 = llvm.insertvalue %5, %4[2] : !descriptor
      %7 = llvm.mlir.constant(4 : index) : i64
      %8 = llvm.insertvalue %7, %6[3, 0] : !descriptor
      %9 = llvm.mlir.constant(1 : index) : i64
      %10 = llvm.insertvalue %9, %8[4, 0] : !descriptor
      %0 = builtin.unrealized_conversion_cast %10 : !descriptor to memref<4xi32>
      %1 = memref.load %0[%c0] : memref<4xi32>
      return %1 : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def ConvertOVToLinalg : Pass<"convert-ov-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower the tensor ops of ov to linalg, scf and tensor on storage types";
  let description = [{
    Only this pass changes element types, and it changes them in the whole function. In all shaped types, `i1` becomes
    `i8` and `uiN` becomes `iN`. Scalars of type `uiN` become `iN`; scalars of type `i1` stay. A payload compares a
    loaded boolean with 0 to get an `i1`, and extends the result to `i8`. The `ov` op determines whether integers are
    signed. f16 and bf16 are computed and accumulated in f32.

    * An element-wise op becomes a `linalg.generic`, or scalar code if the result has exactly one element. If a dynamic
      dim of an operand may be 1, it is checked, and the payload selects the index by which the operand is read.
    * A reduction or a matrix product becomes a `linalg.generic` over a `linalg.fill`. The reduction loop of a matrix
      product is the last one; the reduction loops of a reduction are at its axes.
      The addition in the payload of a product of real numbers says how many columns decide the order of its sums
      (`rt.columns`): those of the result, or, if only the left matrix is a constant, its rows.
    * A convolution becomes products and sums as well. Small planes and large ones add in different orders, and so do
      few rows and many of a product with a batch of transposed matrices, unless `in-order` asks for one accumulator
      for each element, or that rows do not decide (`rt.any_rows`).
    * Ops that check elements (gather, gather_tree, integer division) become nests of `scf.for` around `rt.check`. So do
      ops whose elements depend on other elements (cum_sum, topk, non_zero).
    * A constant that stays in the weights file stays an `ov.constant`.

    Loops, If and cells must have been lowered before, by `convert-ov-loops-to-scf` and `ov-decompose-cells`.

    ```mlir
    func.func @example(%a: tensor<4x8xui8>, %b: tensor<8xui8>) -> tensor<4x8xi1> {
      %0 = ov.less %a, %b : (tensor<4x8xui8>, tensor<8xui8>) -> tensor<4x8xi1>
      return %0 : tensor<4x8xi1>
    }
    ```
    ==>
    ```mlir
    func.func @example(%a: tensor<4x8xi8> {ov.element_type = ui8}, %b: tensor<8xi8> {ov.element_type = ui8})
        -> (tensor<4x8xi8> {ov.element_type = i1}) {
      %empty = tensor.empty() : tensor<4x8xi8>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%a, %b : tensor<4x8xi8>, tensor<8xi8>) outs(%empty : tensor<4x8xi8>) {
      ^bb0(%x: i8, %y: i8, %out: i8):
        %c = arith.cmpi ult, %x, %y : i8
        %r = arith.extui %c : i1 to i8
        linalg.yield %r : i8
      } -> tensor<4x8xi8>
      return %0 : tensor<4x8xi8>
    }
    ```
  }];
  let options = [Option<"inOrder", "in-order", "bool", /*default=*/"false",
                        "Let convolutions and products add in the same order whatever the number of positions "
                        "and rows is">,
                 Option<"kernels", "kernels", "bool", /*default=*/"true",
                        "Let kernels compute convolutions with constant filters">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect", "::recur::rt::RTDialect"];
}

#endif // RECUR_CONVERSION_PASSES_TD
