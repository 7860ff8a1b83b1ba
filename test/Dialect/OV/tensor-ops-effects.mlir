// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// What may fail stays although nothing uses it; what cannot fail goes.

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<?xf32>, %y: tensor<?xf32>, %one: tensor<1xf32>, %three: tensor<3xf32>) {
  // CHECK-NEXT: ov.add %arg0, %arg1
  // CHECK-NEXT: ov.add %arg0, %arg3
  // CHECK-NEXT: ov.add %arg0, %arg2 {auto_broadcast = "none"}
  // CHECK-NEXT: return
  %0 = ov.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = ov.add %x, %three : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = ov.add %x, %one {auto_broadcast = "none"} : (tensor<?xf32>, tensor<1xf32>) -> tensor<1xf32>
  %3 = ov.add %x, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %4 = ov.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = ov.multiply %three, %one : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @divide
func.func @divide(%i: tensor<2xi32>, %f: tensor<2xf32>) {
  %zero = ov.constant dense<[1, 0]> : tensor<2xi32>
  %safe = ov.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: ov.divide %arg0, %arg0
  // CHECK: ov.divide %arg0, %{{.*}}
  // CHECK-NEXT: return
  %0 = ov.divide %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = ov.divide %i, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %2 = ov.divide %i, %safe : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %3 = ov.divide %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>, %c: tensor<?x2x3xf32>, %d: tensor<?x3x2xf32>) {
  // CHECK-NEXT: ov.matmul %arg1, %arg0
  // CHECK-NEXT: ov.matmul %arg2, %arg3
  // CHECK-NEXT: return
  %0 = ov.matmul %a, %b : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  %1 = ov.matmul %b, %a : (tensor<3x?xf32>, tensor<?x3xf32>) -> tensor<3x3xf32>
  %2 = ov.matmul %c, %d : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>
  %3 = ov.matmul %c, %b : (tensor<?x2x3xf32>, tensor<3x?xf32>) -> tensor<?x2x?xf32>
  return
}

// CHECK-LABEL: @cells
func.func @cells(%x: tensor<?x2xf32>, %h: tensor<?x3xf32>, %x1: tensor<1x2xf32>, %h1: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // CHECK-NEXT: ov.rnn_cell %arg0
  // CHECK-NEXT: return
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = ov.rnn_cell %x1, %h1, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>, %n: tensor<2xi64>, %i: tensor<2xi64>) {
  %halves = ov.constant dense<[-1, 2]> : tensor<2xi64>
  %eights = ov.constant dense<[-1, 8]> : tensor<2xi64>
  %copy = ov.constant dense<[0, 2, 2]> : tensor<3xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %near = ov.constant dense<[0, -3]> : tensor<2xi64>
  %shape = ov.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK: ov.reshape %arg0, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  // CHECK-NEXT: ov.reshape %arg0, %arg2
  // CHECK-NEXT: ov.squeeze %arg0
  // CHECK-NEXT: ov.concat %arg0, %arg1 {axis = 1 : i64}
  // CHECK-NEXT: ov.broadcast %arg0
  // CHECK-NEXT: ov.broadcast %arg1, %arg2
  // CHECK-NEXT: ov.gather %arg1, %arg3
  // CHECK-NEXT: ov.gather %arg0
  // CHECK-NEXT: return
  %0 = ov.reshape %x, %eights : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  %1 = ov.reshape %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = ov.reshape %x, %halves : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  %3 = ov.reshape %x, %copy {special_zero = true} : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x2x2xf32>
  %4 = ov.squeeze %x, %zero : (tensor<?x4xf32>, tensor<i64>) -> tensor<4xf32>
  %5 = ov.concat %x, %y {axis = 0} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %6 = ov.concat %x, %y {axis = 1} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %7 = ov.broadcast %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %8 = ov.broadcast %y, %n : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %9 = ov.broadcast %y, %shape : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %10 = ov.gather %y, %i, %zero : (tensor<3x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  %11 = ov.gather %y, %near, %zero : (tensor<3x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  %12 = ov.gather %x, %near, %zero : (tensor<?x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: @gather_tree
func.func @gather_tree(%s: tensor<4x2x3xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // CHECK-NEXT: ov.gather_tree
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}
