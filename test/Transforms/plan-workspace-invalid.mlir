// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-plan-workspace --split-input-file --verify-diagnostics -o /dev/null
// IR that was written by hand may lack what earlier passes leave.

// expected-error@+1 {{expected 'rt.outputs', which `rt-lower-entry` writes}}
module {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.outputs = [{name = "y", type = f32, dims = array<i64>}]} {
  // expected-error@+1 {{expected an `rt.output` for each entry of 'rt.outputs'}}
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

// The static dims alone have 2^64 bytes.
module attributes {rt.outputs = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    %n = arith.constant 3 : index
    // expected-error@+1 {{expected a buffer of fewer than 2^62 bytes, but got ? x 4611686018427387904 x 4 elements of 32 bits}}
    %a = memref.alloc(%n) : memref<?x4611686018427387904x4xf32>
    memref.dealloc %a : memref<?x4611686018427387904x4xf32>
    return %0 : i32
  }
}
