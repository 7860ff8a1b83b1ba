// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-hoist-invariants | FileCheck %s

// A part at a place that a check has found moves only out of a loop that runs. The check does not ask if the loop around
// the part does not run.

// CHECK-LABEL: @parts
// CHECK: tensor.extract_slice %arg0[0, 1]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg1[0, 0]
func.func @parts(%known: tensor<1x4xf32>, %open: tensor<1x?xf32>, %init: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = scf.for %t = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<2xf32>) {
    %x = tensor.extract_slice %known[0, 1] [1, 1] [1, 1] : tensor<1x4xf32> to tensor<1xf32>
    %next = tensor.insert_slice %x into %last[%t] [1] [1] : tensor<1xf32> into tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  %b = scf.for %t = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<2xf32>) {
    %x = tensor.extract_slice %open[0, 0] [1, 1] [1, 1] : tensor<1x?xf32> to tensor<1xf32>
    %next = tensor.insert_slice %x into %last[%t] [1] [1] : tensor<1xf32> into tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// So it is for a loop in a loop, as a gather in a time loop is, and for sizes that must be equal.

// CHECK-LABEL: @sums
// CHECK: scf.for %{{.*}} to %arg3
// CHECK: linalg.generic
// CHECK: scf.for %{{.*}} to %c2
// CHECK-NEXT: tensor.insert_slice
func.func @sums(%x: tensor<?xf32>, %y: tensor<?xf32>, %init: tensor<2x?xf32>, %n: index, %size: index) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = scf.for %t = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<2x?xf32>) {
    %e = tensor.empty(%size) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %p = arith.addf %i, %j : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    %next = tensor.insert_slice %s into %last[%t, 0] [1, %size] [1, 1] : tensor<?xf32> into tensor<2x?xf32>
    scf.yield %next : tensor<2x?xf32>
  }
  %b = scf.for %t = %c0 to %c2 step %c1 iter_args(%last = %init) -> (tensor<2x?xf32>) {
    %e = tensor.empty(%size) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %p = arith.addf %i, %j : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    %next = tensor.insert_slice %s into %last[%t, 0] [1, %size] [1, 1] : tensor<?xf32> into tensor<2x?xf32>
    scf.yield %next : tensor<2x?xf32>
  }
  return %a, %b : tensor<2x?xf32>, tensor<2x?xf32>
}
