// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-enter-stage=stage=llvm -split-input-file -verify-diagnostics -o /dev/null
// Properties that the stages after schedule rely on, and that a text may lack.

// expected-error@+1 {{expected 'rt.stage' to be a #rt.stage of a module}}
module attributes {rt.stage = "schedule"} {}

// -----

module {
  // expected-error@+1 {{expected 'rt.stage' to be a #rt.stage of a module}}
  func.func private @f() attributes {rt.stage = #rt.stage<loops>}
}

// -----

// expected-error@+1 {{expected a module of stage 'schedule' to have 'rt.inputs'}}
module attributes {rt.stage = #rt.stage<schedule>} {}

// -----

// expected-error@+1 {{expected 'rt.inputs' to be an array of {name, type, dims} of a module}}
module attributes {rt.stage = #rt.stage<schedule>, rt.outputs = [],
  rt.inputs = [{name = "x", type = f32, dims = array<i64: -2>}]} {}

// -----

// expected-error@+1 {{expected 'rt.outputs' to be an array of {name, type, dims} of a module}}
module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [],
  rt.outputs = [{name = "y", type = tensor<f32>, dims = array<i64>}]} {}

// -----

// expected-error@+1 {{expected a module of stage 'schedule' to define the function 'recur_model_compute', of 1 pointers, with a status}}
module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = []} {}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = []} {
  // expected-error@+1 {{expected a module of stage 'schedule' to define the function 'recur_model_compute', of 1 pointers, with a status}}
  func.func @recur_model_compute(%frame: i64) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected a number below 0, but got 3}}
    %x = rt.input 3 : memref<4xf32>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [{name = "x", type = f32, dims = array<i64: 4>}], rt.outputs = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected the dims that the module declares, but got 'memref<5xf32>'}}
    %x = rt.input 0 : memref<5xf32>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

// expected-error@+1 {{expected an 'rt.output 0', but there is none}}
module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = [{name = "y", type = f32, dims = array<i64>}]} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = [{name = "y", type = f32, dims = array<i64: -1>}]} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected 1 dims, but got 0}}
    %y = rt.output 0 () : memref<?xf32>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected #ov.weights for a buffer of 'memref<4xf32>'}}
    %w = rt.weights of (#ov.weights<0, tensor<5xf32>> : tensor<5xf32>) : memref<4xf32>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<schedule>, rt.inputs = [], rt.outputs = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected no 'ov.constant' in a module of stage 'schedule'}}
    %c = ov.constant dense<0> : tensor<i64>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

// expected-error@+1 {{expected a module of stage 'bufferize' to have 'rt.workspace_bytes'}}
module attributes {rt.stage = #rt.stage<bufferize>, rt.inputs = [], rt.outputs = [], rt.weights_bytes = 0 : i64, rt.weights_plan = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

// The constant needs 20 bytes.
// expected-error@+1 {{expected 'rt.weights_plan' to give each constant bytes of its own in the packed weights}}
module attributes {rt.stage = #rt.stage<bufferize>, rt.inputs = [], rt.outputs = [], rt.workspace_bytes = 0 : i64, rt.weights_bytes = 16 : i64,
  rt.weights_plan = [[#ov.weights<0, tensor<5xf32>> : tensor<5xf32>, 0]]} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

// expected-error@+1 {{expected a module of stage 'bufferize' to define the function 'recur_model_sizes', of 3 pointers, with a status}}
module attributes {rt.stage = #rt.stage<bufferize>, rt.inputs = [], rt.outputs = [], rt.workspace_bytes = 0 : i64, rt.weights_bytes = 0 : i64,
  rt.weights_plan = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<bufferize>, rt.inputs = [], rt.outputs = [], rt.workspace_bytes = 0 : i64, rt.weights_bytes = 20 : i64,
  rt.weights_plan = [[#ov.weights<0, tensor<5xf32>> : tensor<5xf32>, 0]]} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    // expected-error@+1 {{expected the offset that 'rt.weights_plan' gives the constant}}
    %w = rt.weights at 64 of (#ov.weights<0, tensor<5xf32>> : tensor<5xf32>) : memref<5xf32>
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
  func.func @recur_model_sizes(%frame: !llvm.ptr, %dims: !llvm.ptr, %bytes: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {rt.stage = #rt.stage<bufferize>, rt.inputs = [], rt.outputs = [], rt.workspace_bytes = 0 : i64, rt.weights_bytes = 0 : i64,
  rt.weights_plan = []} {
  func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
  func.func @recur_model_sizes(%frame: !llvm.ptr, %dims: !llvm.ptr, %bytes: !llvm.ptr) -> i32 {
    %i = arith.constant 0 : index
    // expected-error@+1 {{expected 0 dims, but got 2}}
    rt.sizes %i dims (%i, %i)
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}
