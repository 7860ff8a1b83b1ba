// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-loops --ov-linalg --ov-schedule --ov-bufferize=check-time-loops=true --split-input-file -o /dev/null

// The last iteration of an inner loop writes directly to the double buffer of the outer state. If the inner loop has no
// iteration, its initial value is copied there.

// CHECK-LABEL: @inner
// CHECK: %[[STATE:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK: scf.for
// CHECK: %[[OTHER:.*]] = arith.xori
// CHECK: %[[FINAL:.*]] = memref.subview %[[STATE]][%[[OTHER]], 0]
// CHECK: %[[SLOTS:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK: %[[NONE:.*]] = arith.cmpi sle, %[[COUNT:.*]], %c0
// CHECK: scf.if %[[NONE]] {
// CHECK-NEXT: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[FINAL]]
// CHECK: %[[LAST:.*]] = arith.subi %[[COUNT]], %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %[[COUNT]]
// CHECK: %[[SLOT_NUMBER:.*]] = arith.xori
// CHECK: %[[SLOT:.*]] = memref.subview %[[SLOTS]][%[[SLOT_NUMBER]], 0]
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[I]], %[[LAST]]
// CHECK: %[[PLACE:.*]] = arith.select %[[IS_LAST]], %[[FINAL]], %[[SLOT]]
// CHECK: %[[NEXT:.*]] = ov.subtract
// CHECK: bufferization.materialize_in_destination %[[NEXT]] in restrict writable %[[PLACE]]
// CHECK-NOT: bufferization.materialize_in_destination
// CHECK: return
func.func @inner(%x: tensor<3x?x4xf32>, %s0: tensor<4xf32>) -> tensor<4xf32> {
  %shape = ov.constant dense<4> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%p = %x along 0 [0:-1:1] part 1 : tensor<3x?x4xf32> to tensor<1x?x4xf32>)
      carried(%s = %s0 : tensor<4xf32>) {
    %q = ov.tensor_iterator slices(%e = %p along 1 [0:-1:1] part 1 : tensor<1x?x4xf32> to tensor<1x1x4xf32>)
        carried(%t = %s : tensor<4xf32>) {
      %row = ov.reshape %e, %shape : (tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
      %next = ov.subtract %row, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield next(%next : tensor<4xf32>)
    }
    ov.yield next(%q : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// -----

// The state is written in another shape. It is also a part, which is written from the state.

// CHECK-LABEL: @reshaped
// CHECK: scf.for
// CHECK: %[[OTHER:.*]] = arith.xori
// CHECK: %[[FINAL:.*]] = memref.subview %{{.*}}[%[[OTHER]], 0, 0]
// CHECK: %[[PART:.*]] = memref.subview %{{.*}} [1, 2, 2] [1, 1, 1]
// CHECK: %[[ROW:.*]] = memref.collapse_shape %[[FINAL]]
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: arith.select %{{.*}}, %[[ROW]], %{{.*}} : memref<4xf32, strided<[1], offset: ?>>
// CHECK: }
// CHECK: %[[READ:.*]] = bufferization.to_tensor %[[ROW]] restrict
// CHECK-NOT: in restrict writable %[[FINAL]]
// CHECK: %[[SHAPED:.*]] = ov.reshape %[[READ]]
// CHECK: %[[UNSQUEEZED:.*]] = ov.unsqueeze %[[SHAPED]]
// CHECK: bufferization.materialize_in_destination %[[UNSQUEEZED]] in restrict writable %[[PART]]
func.func @reshaped(%x: tensor<3x5x4xf32>, %s0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<3x2x2xf32>) {
  %four = ov.constant dense<4> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<2xi64>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %r:2 = ov.tensor_iterator slices(%p = %x along 0 [0:-1:1] part 1 : tensor<3x5x4xf32> to tensor<1x5x4xf32>)
      carried(%s = %s0 : tensor<2x2xf32>) concats(along 0 : tensor<3x2x2xf32>) {
    %init = ov.reshape %s, %four : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<4xf32>
    %q = ov.tensor_iterator slices(%e = %p along 1 [0:-1:1] part 1 : tensor<1x5x4xf32> to tensor<1x1x4xf32>)
        carried(%t = %init : tensor<4xf32>) {
      %row = ov.reshape %e, %four : (tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
      %next = ov.subtract %row, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ov.yield next(%next : tensor<4xf32>)
    }
    %square = ov.reshape %q, %two : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %part = ov.unsqueeze %square, %zero : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    ov.yield next(%square : tensor<2x2xf32>) concat(%part : tensor<1x2x2xf32>)
  }
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<3x2x2xf32>
}

// -----

// Both branches write the state; one of them is a loop.

// CHECK-LABEL: @branch
// CHECK: %[[FINAL:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [1, 4] [1, 1] : {{.*}} to memref<4xf32, strided<[1], offset: ?>>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<4xf32, strided<[1], offset: ?>>
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination
func.func @branch(%x: tensor<3x5x4xf32>, %s0: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %shape = ov.constant dense<4> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%p = %x along 0 [0:-1:1] part 1 : tensor<3x5x4xf32> to tensor<1x5x4xf32>)
      carried(%s = %s0 : tensor<4xf32>) {
    %b = ov.if %c : tensor<i1> -> tensor<4xf32> {
      %q = ov.tensor_iterator slices(%e = %p along 1 [0:-1:1] part 1 : tensor<1x5x4xf32> to tensor<1x1x4xf32>)
          carried(%t = %s : tensor<4xf32>) {
        %row = ov.reshape %e, %shape : (tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<4xf32>
        %next = ov.subtract %row, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        ov.yield next(%next : tensor<4xf32>)
      }
      ov.result %q : tensor<4xf32>
    } else {
      %n = ov.negative %s : tensor<4xf32>
      ov.result %n : tensor<4xf32>
    }
    ov.yield next(%b : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}
