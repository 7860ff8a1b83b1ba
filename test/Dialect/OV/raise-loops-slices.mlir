// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --canonicalize --cse --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter-missed=ov-raise-loops --remark-format=emitRemark | FileCheck %s

// `x[:, i]` and `x[i:i+1]` as TensorFlow writes them, and ONNX's Slice of two axes, one of them whole.
// CHECK-LABEL: @slices
// CHECK-SAME: (%[[X:.*]]: tensor<4x6x3xf32>, %[[S:.*]]: tensor<4x3xf32>)
func.func @slices(%x: tensor<4x6x3xf32>, %s0: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %four = ov.constant dense<4> : tensor<i64>
  %three = ov.constant dense<3> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<i64>
  %zeros = ov.constant dense<0> : tensor<1xi64>
  %ones = ov.constant dense<1> : tensor<1xi64>
  %steps = ov.constant dense<1> : tensor<3xi64>
  %steps2 = ov.constant dense<1> : tensor<2xi64>
  %axes = ov.constant dense<[1, 2]> : tensor<2xi64>
  %flat = ov.constant dense<[4, 3]> : tensor<2xi64>
  // CHECK: ov.loop
  // CHECK-SAME: slices(%[[A:[^ ]*]] = %[[X]] along 1 [0:3:1] part 1 : tensor<4x6x3xf32> to tensor<4x1x3xf32>,
  // CHECK-SAME: %[[B:[^ ]*]] = %[[X]] along 0 [0:3:1] part 1 : tensor<4x6x3xf32> to tensor<1x6x3xf32>,
  // CHECK-SAME: %[[C:[^ ]*]] = %[[X]] along 1 [1:4:1] part 1 : tensor<4x6x3xf32> to tensor<4x1x3xf32>)
  // CHECK-NOT: ov.strided_slice
  // CHECK-NOT: ov.slice
  %r = ov.loop trip(%four : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<4x3xf32>) {
    %i1 = ov.unsqueeze %i, %zeros : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %n = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %n1 = ov.unsqueeze %n, %zeros : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %begin = ov.concat %zeros, %i1, %zeros {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
    %end = ov.concat %zeros, %n1, %zeros {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
    %a = ov.strided_slice %x, %begin, %end, %steps {begin_mask = array<i64: 1, 0, 1>, end_mask = array<i64: 1, 0, 1>, shrink_axis_mask = array<i64: 0, 1, 0>} : (tensor<4x6x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<4x3xf32>
    %b = ov.strided_slice %x, %i1, %n1, %ones {begin_mask = array<i64: 0>, end_mask = array<i64: 0>} : (tensor<4x6x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x6x3xf32>
    %from = ov.concat %n1, %zeros {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %m = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m1 = ov.unsqueeze %m, %zeros : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %to = ov.concat %m1, %three {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %c = ov.slice %x, %from, %to, %steps2, %axes : (tensor<4x6x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x?x3xf32>
    %d = ov.reshape %c, %flat : (tensor<4x?x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
    %e = ov.reduce_sum %b, %axes : (tensor<?x6x3xf32>, tensor<2xi64>) -> tensor<?xf32>
    %f = ov.add %a, %d : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %g = ov.add %f, %s : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %h = ov.multiply %g, %e : (tensor<4x3xf32>, tensor<?xf32>) -> tensor<4x3xf32>
    ov.yield while(%true : tensor<i1>) next(%h : tensor<4x3xf32>)
  }
  return %r : tensor<4x3xf32>
}

// -----

// The index of a dim that is dropped faults beyond the end, as the index of a gather does.
// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?x3xf32>, %n: tensor<?xf32>, %s0: tensor<3xf32>) -> tensor<3xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zeros = ov.constant dense<0> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %ones = ov.constant dense<1> : tensor<1xi64>
  %shape = ov.shape_of %n {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
  // CHECK: ov.loop {{.*}} slices(%{{.*}} along 0 [0:-1:1] part 1 : tensor<?x3xf32> to tensor<1x3xf32>)
  %r = ov.loop trip(%shape : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    %i1 = ov.unsqueeze %i, %zeros : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %n1 = ov.add %i1, %ones : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %a = ov.strided_slice %x, %i1, %n1, %ones {begin_mask = array<i64: 0>, end_mask = array<i64: 0>, shrink_axis_mask = array<i64: 1>} : (tensor<?x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
    %b = ov.add %a, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%b : tensor<3xf32>)
  }
  return %r : tensor<3xf32>
}

// -----

// CHECK-LABEL: @not
func.func @not(%x: tensor<?x3xf32>, %y: tensor<5x3xf32>, %trip: tensor<i64>, %n: tensor<?xf32>, %s0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %zeros = ov.constant dense<0> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %ones = ov.constant dense<1> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %limit = ov.constant dense<9.0> : tensor<f32>
  %shape = ov.shape_of %n {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
  // CHECK: ov.loop
  // CHECK-NOT: slices
  // CHECK: return
  // The trip count may be -1; what lies beyond the end is empty; the counter is not in range in the last iteration.
  %a = ov.loop trip(%trip : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    // expected-remark @below {{expected a trip count that is provably not -1}}
    %p = ov.gather %x, %i, %zero : (tensor<?x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %i1 = ov.unsqueeze %i, %zeros : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %n1 = ov.add %i1, %ones : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    // expected-remark @below {{expected a number of iterations that is provably not above the dim}}
    %q = ov.slice %y, %i1, %n1, %ones, %axis : (tensor<5x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
    %q0 = ov.reduce_sum %q, %axis : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    %t = ov.add %p, %q0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %u = ov.add %t, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%u : tensor<3xf32>)
  }
  %b = ov.loop trip(%five : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    %i1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a part for every iteration that the trip count allows}}
    %p = ov.gather %y, %i1, %zero : (tensor<5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %i0 = ov.subtract %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a part for every iteration that the trip count allows}}
    %q = ov.gather %y, %i0, %zero : (tensor<5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %t = ov.add %p, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %u = ov.add %t, %q : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%u : tensor<3xf32>)
  }
  // The loop may end before an index is out of range; a counter from 2 may find as many parts as there are iterations
  // and still be out of range.
  %c = ov.loop trip(%shape : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    // expected-remark @below {{expected a loop that does not end before its trip count}}
    %p = ov.gather %x, %i, %zero : (tensor<?x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %t = ov.add %p, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %sum = ov.reduce_sum %t, %axis : (tensor<3xf32>, tensor<1xi64>) -> tensor<f32>
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.less %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%t : tensor<3xf32>)
  }
  %d = ov.loop trip(%shape : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %c : tensor<3xf32>) {
    %i2 = ov.add %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a counter from 0 by 1 where the number of parts is known at run time only}}
    %p = ov.gather %x, %i2, %zero : (tensor<?x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %t = ov.add %p, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<3xf32>)
  }
  return %a, %b, %d : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
