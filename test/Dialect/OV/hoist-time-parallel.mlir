// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-hoist-time-parallel --canonicalize --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(ov-hoist-time-parallel{max-bytes=1000}))' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: ir-opt %s --ov-hoist-time-parallel --split-input-file \
// RUN:   --remarks-filter=ov-hoist-time-parallel --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] hoisted | Category:ov-hoist-time-parallel | Remark="the product of all iterations, of 1 x 25 x 64 elements, is computed before the loop"
// REMARK-DAG: [Passed] hoisted | Category:ov-hoist-time-parallel | Remark="the product of all iterations, of 8 x 1 x 3 elements, is computed before the loop"
// REMARK-DAG: [Missed] not-hoisted | Category:ov-hoist-time-parallel | Reason="expected a matrix that the loop does not change"
// REMARK-DAG: [Missed] not-hoisted | Category:ov-hoist-time-parallel | Reason="expected an input of static dims; rt-hoist-products takes products with others"
// REMARK-DAG: [Missed] not-hoisted | Category:ov-hoist-time-parallel | Reason="expected the summed dim to be the last one of a part"
// REMARK-DAG: [Missed] not-hoisted | Category:ov-hoist-time-parallel | Reason="expected a smaller product; rt-hoist-products computes this one for strips of iterations"
// REMARK-DAG: [Passed] hoisted | Category:ov-hoist-time-parallel | Remark="the product of all iterations, of 40 x 32 x 1024 elements, is computed before the loop"
// REMARK-DAG: [Passed] hoisted | Category:ov-hoist-time-parallel | Remark="the product of all iterations, of 40 x 8192 elements, is computed before the loop"

// The example of the pass's documentation: one product of the whole input, of which the body reads parts.

// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x25x512xf32>, %[[W:[^:]*]]: tensor<64x512xf32>, %{{.*}}: tensor<1x64xf32>)
// SMALL-LABEL: @example
func.func @example(%x: tensor<1x25x512xf32>, %w: tensor<64x512xf32>, %s0: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %shape = ov.constant dense<[1, 512]> : tensor<2xi64>
  // CHECK: %[[P:.*]] = ov.matmul %[[X]], %[[W]] {transpose_b = true} : (tensor<1x25x512xf32>, tensor<64x512xf32>) -> tensor<1x25x64xf32>
  // CHECK: ov.tensor_iterator slices(%[[PART:.*]] = %[[P]] along 1 [0:-1:1] part 1 : tensor<1x25x64xf32> to tensor<1x1x64xf32>)
  // 25 times 64 numbers are too many bytes.
  // SMALL-NOT: ov.matmul
  // SMALL: ov.tensor_iterator
  // SMALL: ov.matmul
  %r = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x25x512xf32> to tensor<1x1x512xf32>)
      carried(%s = %s0 : tensor<1x64xf32>) {
    // CHECK-NOT: ov.matmul
    // CHECK: %[[Q:.*]] = ov.reshape %[[PART]], %{{.*}} : (tensor<1x1x64xf32>, tensor<2xi64>) -> tensor<1x64xf32>
    // CHECK: ov.add %[[Q]]
    %0 = ov.reshape %x_t, %shape : (tensor<1x1x512xf32>, tensor<2xi64>) -> tensor<1x512xf32>
    %1 = ov.matmul %0, %w {transpose_b = true} : (tensor<1x512xf32>, tensor<64x512xf32>) -> tensor<1x64xf32>
    %n = ov.add %1, %s : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    ov.yield next(%n : tensor<1x64xf32>)
  }
  return %r : tensor<1x64xf32>
}

// -----

// A Loop with an index, backward, with parts of several rows, through a squeeze. Other slices stay.

// CHECK-LABEL: @loop
// CHECK-SAME: (%[[N:[^:]*]]: tensor<i64>, %[[C:[^:]*]]: tensor<i1>, %[[X:[^:]*]]: tensor<8x1x4xf32>, %[[W:[^:]*]]: tensor<4x3xf32>, %[[Y:[^:]*]]: tensor<9xf32>
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<8x1x4xf32>, %w: tensor<4x3xf32>, %y: tensor<9xf32>, %s0: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %axis = ov.constant dense<1> : tensor<1xi64>
  // CHECK: %[[P:.*]] = ov.matmul %[[X]], %[[W]] : (tensor<8x1x4xf32>, tensor<4x3xf32>) -> tensor<8x1x3xf32>
  // CHECK: ov.loop {{.*}} index(%[[I:.*]] : tensor<i64>) slices(
  // CHECK-SAME: %{{.*}} = %[[Y]] along 0 [0:-1:1] part 1 : tensor<9xf32> to tensor<1xf32>,
  // CHECK-SAME: %[[PART:.*]] = %[[P]] along 0 [-1:0:-2] part 2 : tensor<8x1x3xf32> to tensor<2x1x3xf32>)
  // CHECK-SAME: carried(%[[S:.*]] = %{{.*}} : tensor<2x3xf32>) attributes {note} {
  // CHECK: ov.reshape %[[PART]]
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
      slices(%x_t = %x along 0 [-1:0:-2] part 2 : tensor<8x1x4xf32> to tensor<2x1x4xf32>,
             %y_t = %y along 0 [0:-1:1] part 1 : tensor<9xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<2x3xf32>) attributes {note} {
    %0 = ov.squeeze %x_t, %axis : (tensor<2x1x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %1 = ov.matmul %0, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %2 = ov.add %1, %y_t : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %m = ov.add %s, %f : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %t = ov.add %2, %m : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<2x3xf32>)
  }
  return %r : tensor<2x3xf32>
}

// -----

// Not hoisted: a product of the state, with a matrix that the loop computes, of a transposed part, along the sliced
// axis, of another op's result, or with dims known only at run time (it could fail before a loop that never runs).

// CHECK-LABEL: @refused
func.func @refused(%x: tensor<3x4xf32>, %d: tensor<?x4xf32>, %w: tensor<4x4xf32>, %v: tensor<1x4xf32>, %s0: tensor<1x4xf32>)
    -> tensor<1x4xf32> {
  // CHECK-NOT: ov.matmul
  // CHECK: ov.tensor_iterator
  // CHECK-COUNT-6: ov.matmul
  %r = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<3x4xf32> to tensor<1x4xf32>,
                                 %d_t = %d along 0 [0:-1:1] part 1 : tensor<?x4xf32> to tensor<1x4xf32>,
                                 %c_t = %w along 1 [0:2:1] part 1 : tensor<4x4xf32> to tensor<4x1xf32>)
      carried(%s = %s0 : tensor<1x4xf32>) {
    %0 = ov.matmul %s, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %e = ov.exp %w : tensor<4x4xf32>
    %1 = ov.matmul %x_t, %e : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %2 = ov.matmul %d_t, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %3 = ov.matmul %c_t, %v {transpose_a = true, transpose_b = true} : (tensor<4x1xf32>, tensor<1x4xf32>) -> tensor<1x1xf32>
    %4 = ov.matmul %c_t, %v : (tensor<4x1xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %f = ov.exp %x_t : tensor<1x4xf32>
    %5 = ov.matmul %f, %4 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %6 = ov.add %0, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %7 = ov.add %2, %3 : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
    %8 = ov.add %5, %6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = ov.add %7, %8 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield next(%n : tensor<1x4xf32>)
  }
  return %r : tensor<1x4xf32>
}

// -----

// A large product of many rows stays, because rt-hoist-products computes it in strips.

// CHECK-LABEL: @large
// CHECK-NOT: ov.matmul
// CHECK: ov.tensor_iterator
// CHECK: ov.matmul
func.func @large(%x: tensor<40x32x32xf32>, %s0: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %w = ov.constant #ov.weights<0, tensor<1024x32xf32>> : tensor<1024x32xf32>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%x_t = %x along 0 [-1:0:-1] part 1 : tensor<40x32x32xf32> to tensor<1x32x32xf32>)
      carried(%s = %s0 : tensor<32x1024xf32>) {
    %0 = ov.squeeze %x_t, %axis : (tensor<1x32x32xf32>, tensor<1xi64>) -> tensor<32x32xf32>
    %1 = ov.matmul %0, %w {transpose_b = true} : (tensor<32x32xf32>, tensor<1024x32xf32>) -> tensor<32x1024xf32>
    %n = ov.subtract %1, %s : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    ov.yield next(%n : tensor<32x1024xf32>)
  }
  return %r : tensor<32x1024xf32>
}

// -----

// Hoisted though large: products of few rows, of integers, of an odd dim, of a computed matrix, of parts of two
// elements, and in a loop that a condition ends.

// CHECK-LABEL: @large_hoisted
// CHECK-COUNT-6: ov.matmul
// CHECK: ov.tensor_iterator
// CHECK-NOT: ov.matmul
func.func @large_hoisted(%f: tensor<40x32xf32>, %x: tensor<40x32x32xf32>, %y: tensor<40x32x33xf32>, %v: tensor<32x1024xf32>,
                         %z: tensor<80x16x32xf32>, %l: tensor<40x32x32xf32>, %n: tensor<i64>, %c: tensor<i1>,
                         %s0: tensor<32x1024xf32>, %u0: tensor<1x8192xf32>)
    -> (tensor<32x1024xf32>, tensor<1x8192xf32>) {
  %w = ov.constant #ov.weights<0, tensor<32x1024xf32>> : tensor<32x1024xf32>
  %few = ov.constant #ov.weights<0, tensor<32x8192xf32>> : tensor<32x8192xf32>
  %i = ov.constant #ov.weights<0, tensor<32x1024xi8>, [#ov.convert<f32>]> : tensor<32x1024xf32>
  %o = ov.constant #ov.weights<0, tensor<33x1024xf32>> : tensor<33x1024xf32>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %row = ov.constant dense<[32, 32]> : tensor<2xi64>
  %limit = ov.constant dense<9> : tensor<i64>
  %q = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%t : tensor<i64>)
      slices(%l_t = %l along 0 [0:-1:1] part 1 : tensor<40x32x32xf32> to tensor<1x32x32xf32>)
      carried(%s = %s0 : tensor<32x1024xf32>) {
    %0 = ov.squeeze %l_t, %axis : (tensor<1x32x32xf32>, tensor<1xi64>) -> tensor<32x32xf32>
    %1 = ov.matmul %0, %w : (tensor<32x32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %next = ov.subtract %1, %s : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %more = ov.less %t, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%more : tensor<i1>) next(%next : tensor<32x1024xf32>)
  }
  %r:2 = ov.tensor_iterator
      slices(%f_t = %f along 0 [0:-1:1] part 1 : tensor<40x32xf32> to tensor<1x32xf32>,
             %x_t = %x along 0 [0:-1:1] part 1 : tensor<40x32x32xf32> to tensor<1x32x32xf32>,
             %y_t = %y along 0 [0:-1:1] part 1 : tensor<40x32x33xf32> to tensor<1x32x33xf32>,
             %z_t = %z along 0 [0:-1:2] part 2 : tensor<80x16x32xf32> to tensor<2x16x32xf32>)
      carried(%s = %q : tensor<32x1024xf32>, %u = %u0 : tensor<1x8192xf32>) {
    %0 = ov.squeeze %x_t, %axis : (tensor<1x32x32xf32>, tensor<1xi64>) -> tensor<32x32xf32>
    %1 = ov.squeeze %y_t, %axis : (tensor<1x32x33xf32>, tensor<1xi64>) -> tensor<32x33xf32>
    %2 = ov.reshape %z_t, %row : (tensor<2x16x32xf32>, tensor<2xi64>) -> tensor<32x32xf32>
    %a = ov.matmul %f_t, %few : (tensor<1x32xf32>, tensor<32x8192xf32>) -> tensor<1x8192xf32>
    %h = ov.subtract %a, %u : (tensor<1x8192xf32>, tensor<1x8192xf32>) -> tensor<1x8192xf32>
    %b = ov.matmul %0, %i : (tensor<32x32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %d = ov.matmul %1, %o : (tensor<32x33xf32>, tensor<33x1024xf32>) -> tensor<32x1024xf32>
    %e = ov.matmul %0, %v : (tensor<32x32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %g = ov.matmul %2, %w : (tensor<32x32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %j = ov.add %b, %d : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %k = ov.add %j, %e : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %m = ov.add %k, %g : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %p = ov.subtract %m, %s : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    ov.yield next(%p, %h : tensor<32x1024xf32>, tensor<1x8192xf32>)
  }
  return %r#0, %r#1 : tensor<32x1024xf32>, tensor<1x8192xf32>
}
