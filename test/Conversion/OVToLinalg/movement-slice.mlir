// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>)
func.func @split(%x: tensor<4x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: tensor.extract_slice %[[X]][0, 0] [2, %{{.*}}] [1, 1]
  // CHECK: tensor.extract_slice %[[X]][2, 0] [2, %{{.*}}] [1, 1]
  // CHECK-NOT: rt.check
  %0:2 = ov.split %x, %axis {num_splits = 2} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xf32>
}

// CHECK-LABEL: func.func @split_dynamic(
func.func @split_dynamic(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
  // CHECK: %[[HALF:.*]] = arith.divui %[[N]], %c2
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, shape, "a dim of {0} is not divided by {1}"({{.*}}) guards(%[[HALF]] : index)
  // CHECK: tensor.extract_slice %arg0[0] [%[[G]]] [1]
  // CHECK: tensor.extract_slice %arg0[%[[G]]] [%[[G]]] [1]
  %0:2 = ov.split %x, %axis {num_splits = 2} : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @variadic_split(
func.func @variadic_split(%x: tensor<9xf32>, %n: tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "split_lengths do not make up a dim of {0}"
  // CHECK: tensor.extract_slice %arg0[0] [%[[G]]#0] [1]
  // CHECK: tensor.extract_slice %arg0[%[[G]]#0] [%[[G]]#1] [1]
  %0:2 = ov.variadic_split %x, %axis, %n : (tensor<9xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// A slice with steps of 1 is a view.
// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %start = ov.constant dense<[1, 2]> : tensor<2xi64>
  %stop = ov.constant dense<[-1, 6]> : tensor<2xi64>
  %step = ov.constant dense<1> : tensor<2xi64>
  // CHECK-NOT: rt.check
  // CHECK: %[[FIRST:.*]] = arith.minsi %{{.*}}, %c1
  // CHECK: %[[BEGIN:.*]] = arith.maxsi %[[FIRST]], %c0
  // CHECK: tensor.extract_slice %arg0[%[[BEGIN]], 2] [%{{.*}}, 4] [1, 1]
  // CHECK-NOT: scf.for
  %0 = ov.slice %x, %start, %stop, %step : (tensor<?x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Slices with other steps copy.
// CHECK-LABEL: func.func @reverse(
func.func @reverse(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %start = ov.constant dense<-1> : tensor<1xi64>
  %stop = ov.constant dense<-9223372036854775808> : tensor<1xi64>
  %step = ov.constant dense<-1> : tensor<1xi64>
  // CHECK: scf.for %[[I:.*]] = %c0 to %c8
  // CHECK: %[[AT:.*]] = arith.subi %c7, %[[I]]
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %arg0[%[[AT]], 0] [1, %{{.*}}] [1, 1]
  // CHECK: tensor.insert_slice %[[ROW]] into %{{.*}}[%[[I]], 0] [1, %{{.*}}] [1, 1]
  %0 = ov.slice %x, %start, %stop, %step : (tensor<8x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// A step that is known only at run time is checked.
// CHECK-LABEL: func.func @run_time_step(
func.func @run_time_step(%x: tensor<8xf32>, %n: tensor<1xi64>) -> tensor<?xf32> {
  // CHECK: rt.check %{{.*}}, shape, "the step of axis {0} is 0"
  // CHECK: scf.for
  %0 = ov.slice %x, %n, %n, %n : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// If the axes are known only at run time, each dim has bounds.
// CHECK-LABEL: func.func @any_axes(
func.func @any_axes(%x: tensor<4x?xf32>, %n: tensor<2xi64>, %axes: tensor<2xi32>) -> tensor<?x?xf32> {
  %step = ov.constant dense<1> : tensor<2xi64>
  // CHECK: %[[A:.*]] = rt.check %{{.*}}, index, "axis {0} is out of range for rank {1}"
  // CHECK: %[[C:.*]] = rt.check %{{.*}}, index, "axis {0} is out of range for rank {1}"
  // CHECK: %[[NEW:.*]] = arith.cmpi ne, %[[C]], %[[A]]
  // CHECK: rt.check %[[NEW]], index, "axis {0} is given twice"({{.*}}) guards(%[[C]] : index)
  // CHECK-NOT: tensor.from_elements
  // CHECK: tensor.extract_slice %arg0[%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [1, 1]
  // CHECK-NOT: scf.for
  %0 = ov.slice %x, %n, %n, %step, %axes : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A short part of a shape needs no memory.
// CHECK-LABEL: func.func @shape(
func.func @shape(%x: tensor<4xi64>) -> tensor<2xi64> {
  %one = ov.constant dense<1> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<1xi64>
  // CHECK: %[[A:.*]] = tensor.extract %arg0[%c1]
  // CHECK: %[[B:.*]] = tensor.extract %arg0[%c2]
  // CHECK: tensor.from_elements %[[A]], %[[B]]
  %0 = ov.slice %x, %one, %three, %one : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @strided(
func.func @strided(%x: tensor<4x?x6xf32>, %i: tensor<3xi64>) -> tensor<1x?x6xf32> {
  // CHECK: %[[I:.*]] = arith.index_cast
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index, "index {0} is out of range for {1} elements"
  // CHECK: tensor.extract_slice %arg0[%[[G]], 0, 0] [1, %{{.*}}, 6] [1, 1, 1]
  %0 = ov.strided_slice %x, %i, %i {begin_mask = array<i64: 0, 0, 1>, end_mask = array<i64: 0, 0, 1>, shrink_axis_mask = array<i64: 1>, new_axis_mask = array<i64: 0, 1>} : (tensor<4x?x6xf32>, tensor<3xi64>, tensor<3xi64>) -> tensor<1x?x6xf32>
  return %0 : tensor<1x?x6xf32>
}

// An empty slice is an empty tensor: tensor.extract_slice would not verify.

// CHECK-LABEL: func.func @slice_of_nothing(
func.func @slice_of_nothing(%x: tensor<4x0x?xf32>) -> tensor<1x0x?xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  // CHECK: %[[N:.*]] = tensor.dim %arg0, %c2
  // CHECK: tensor.empty(%[[N]]) : tensor<1x0x?xf32>
  // CHECK-NOT: extract_slice
  %0 = ov.slice %x, %zero, %one, %one, %zero : (tensor<4x0x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x0x?xf32>
  return %0 : tensor<1x0x?xf32>
}

// CHECK-LABEL: func.func @split_of_nothing(
func.func @split_of_nothing(%x: tensor<4x0xf32>) -> (tensor<2x0xf32>, tensor<2x0xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<2x0xf32>
  // CHECK: return %[[E]], %{{.*}} : tensor<2x0xf32>, tensor<2x0xf32>
  %0:2 = ov.split %x, %axis {num_splits = 2} : (tensor<4x0xf32>, tensor<i64>) -> (tensor<2x0xf32>, tensor<2x0xf32>)
  return %0#0, %0#1 : tensor<2x0xf32>, tensor<2x0xf32>
}

// A slice with steps is a view, which an element-wise op reads. A transpose gets contiguous rows.

// CHECK-LABEL: @steps_for_rows
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [2, 3, 4] [1, 1, 2]
// CHECK-LABEL: @steps_for_kernels
// CHECK-NOT: [1, 1, 2]
// CHECK: tensor.extract %
// CHECK: linalg.transpose
func.func @steps_for_rows(%x: tensor<2x3x8xf32>) -> tensor<2x3x4xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %end = ov.constant dense<8> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64>
  %axis = ov.constant dense<2> : tensor<1xi64>
  %0 = ov.slice %x, %zero, %end, %two, %axis : (tensor<2x3x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3x4xf32>
  %1 = ov.exp %0 : tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}
func.func @steps_for_kernels(%x: tensor<2x3x8xf32>) -> tensor<2x4x3xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %end = ov.constant dense<8> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64>
  %axis = ov.constant dense<2> : tensor<1xi64>
  %order = ov.constant dense<[0, 2, 1]> : tensor<3xi64>
  %0 = ov.slice %x, %zero, %end, %two, %axis : (tensor<2x3x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3x4xf32>
  %1 = ov.transpose %0, %order : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}
