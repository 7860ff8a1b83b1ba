// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-fuse-loops --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-fuse-loops='max-bytes=8' --split-input-file | FileCheck %s --check-prefix=FEW

// The two directions of a sequence. Ops that the second loop needs move up; ops that need the first one stay after it.
// CHECK-LABEL: @directions
// CHECK-SAME: (%[[X:[^:]*]]: tensor<5x2xf32>, %[[H0:[^:]*]]: tensor<1x2xf32>)
// FEW-LABEL: @directions
func.func @directions(%x: tensor<5x2xf32>, %h0: tensor<1x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<1x2xf32>) {
  %w = ov.constant dense<1.0> : tensor<1x2xf32>
  %v = ov.constant dense<2.0> : tensor<1x2xf32>
  // CHECK: %[[T0:.*]] = ov.tanh %[[H0]]
  // CHECK-NEXT: %[[R:.*]]:4 = ov.tensor_iterator
  // CHECK-SAME: slices(%[[A:[^ ]*]] = %[[X]] along 0 [0:-1:1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>,
  // CHECK-SAME: %[[B:[^ ]*]] = %[[X]] along 0 [-1:0:-1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>)
  // CHECK-SAME: carried(%[[S:[^ ]*]] = %[[H0]] : tensor<1x2xf32>, %[[T:[^ ]*]] = %[[T0]] : tensor<1x2xf32>)
  // CHECK-SAME: concats(along 0 : tensor<5x2xf32>, along 0 reverse : tensor<5x2xf32>) {
  // CHECK-DAG: %[[S1:.*]] = ov.add %[[A]], %[[S]]
  // CHECK-DAG: %[[T1:.*]] = ov.subtract %[[B]], %[[T]]
  // CHECK: ov.yield next(%[[SN:.*]], %[[TN:.*]] : {{.*}}) concat(%[[SN]], %[[TN]] : {{.*}})
  // CHECK: %[[E:.*]] = ov.exp %[[R]]#0
  // CHECK: return %[[R]]#2, %[[R]]#3, %[[E]]
  // FEW-COUNT-2: ov.tensor_iterator
  %a:2 = ov.tensor_iterator slices(%p = %x along 0 [0:-1:1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>)
      carried(%s = %h0 : tensor<1x2xf32>) concats(along 0 : tensor<5x2xf32>) {
    %s1 = ov.add %p, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %s2 = ov.multiply %s1, %w : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%s2 : tensor<1x2xf32>) concat(%s2 : tensor<1x2xf32>)
  }
  %e = ov.exp %a#0 : tensor<1x2xf32>
  %t0 = ov.tanh %h0 : tensor<1x2xf32>
  %b:2 = ov.tensor_iterator slices(%p = %x along 0 [-1:0:-1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>)
      carried(%s = %t0 : tensor<1x2xf32>) concats(along 0 reverse : tensor<5x2xf32>) {
    %s1 = ov.subtract %p, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %s2 = ov.multiply %s1, %v : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%s2 : tensor<1x2xf32>) concat(%s2 : tensor<1x2xf32>)
  }
  return %a#1, %b#1, %e : tensor<5x2xf32>, tensor<5x2xf32>, tensor<1x2xf32>
}

// -----

// The trip count is known only at run time. The fused loop has the index of the loop that has one.
// CHECK-LABEL: @loops
func.func @loops(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: %[[R:.*]]:2 = ov.loop trip({{.*}}) while({{.*}}) index(%[[I:.*]] : tensor<i64>) carried({{.*}}, {{.*}}) {
  // CHECK: ov.convert %[[I]]
  // CHECK: return %[[R]]#0, %[[R]]#1
  %a = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %b = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<2xf32>) {
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %t = ov.multiply %s, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// Not fused: the second loop needs the first, as an input or captured; the trip counts differ; a loop may end early.
// CHECK-LABEL: @not
// CHECK-COUNT-6: ov.loop
func.func @not(%n: tensor<i64>, %m: tensor<i64>, %x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64>
  %a = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %a1 = ov.exp %a : tensor<2xf32>
  %b = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %a1 : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %c = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<2xf32>) {
    %t = ov.multiply %s, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %d = ov.loop trip(%m : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %e = ov.loop trip(%m : tensor<i64>) while(%true : tensor<i1>) carried(%s = %d : tensor<2xf32>) {
    %t = ov.exp %s : tensor<2xf32>
    %sum = ov.reduce_sum %t, %axis : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
    %go = ov.less %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%go : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %f = ov.loop trip(%m : tensor<i64>) while(%true : tensor<i1>) carried(%s = %e : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  return %c, %d, %e, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Not fused: both bodies can fail, so another fault might be reported. If only one can fail, they are fused.
// CHECK-LABEL: @not_faults
// CHECK-COUNT-2: ov.loop
// CHECK-NOT: ov.loop
func.func @not_faults(%n: tensor<i64>, %x: tensor<2xf32>, %table: tensor<9x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64>
  %a = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<2xf32>) {
    %r = ov.gather %table, %i, %axis : (tensor<9x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
    %t = ov.add %s, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %b = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<2xf32>) {
    %r = ov.gather %table, %i, %axis : (tensor<9x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
    %t = ov.subtract %s, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  %c = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<2xf32>) {
    %t = ov.tanh %s : tensor<2xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<2xf32>)
  }
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
