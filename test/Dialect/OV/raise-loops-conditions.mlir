// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --canonicalize --cse --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter-missed=ov-raise-loops --remark-format=emitRemark | FileCheck %s

// `and` of scripted PyTorch is an If whose other body returns false.
// CHECK-LABEL: @if_false
func.func @if_false(%x: tensor<4xf32>, %enough: tensor<f32>) -> tensor<4xf32> {
  %max = ov.constant dense<9223372036854775807> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %hundred = ov.constant dense<100> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[TRIP:.*]] = ov.constant dense<100> : tensor<i64>
  // CHECK: ov.loop trip(%[[TRIP]] : tensor<i64>)
  // CHECK: %[[C:.*]] = ov.greater
  // CHECK-NOT: ov.if
  // CHECK: ov.yield while(%[[C]] : tensor<i1>)
  %r:2 = ov.loop trip(%max : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<4xf32>, %n = %zero : tensor<i64>) {
    %t = ov.tanh %s : tensor<4xf32>
    %sum = ov.reduce_sum %t, %axis : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %n1 = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.less %n1, %hundred : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %again = ov.if %c : tensor<i1> -> tensor<i1> {
      // expected-remark @below {{expected a condition that compares a counter with a limit}}
      %d = ov.greater %sum, %enough : (tensor<f32>, tensor<f32>) -> tensor<i1>
      ov.result %d : tensor<i1>
    } else {
      ov.result %false : tensor<i1>
    }
    ov.yield while(%again : tensor<i1>) next(%t, %n1 : tensor<4xf32>, tensor<i64>)
  }
  return %r#0 : tensor<4xf32>
}

// -----

// The counter is compared in the other body, where the condition is false.
// CHECK-LABEL: @if_not
func.func @if_not(%x: tensor<4xf32>, %enough: tensor<f32>) -> tensor<4xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1>
  %seven = ov.constant dense<7> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[TRIP:.*]] = ov.constant dense<8> : tensor<i64>
  // CHECK: ov.loop trip(%[[TRIP]] : tensor<i64>)
  // CHECK: %[[C:.*]] = ov.less
  // CHECK: %[[N:.*]] = ov.logical_not %[[C]]
  // CHECK: ov.yield while(%[[N]] : tensor<i1>)
  %r = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<4xf32>) {
    %t = ov.tanh %s : tensor<4xf32>
    %sum = ov.reduce_sum %t, %axis : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %c = ov.less %sum, %enough : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.if %c : tensor<i1> -> tensor<i1> {
      ov.result %false : tensor<i1>
    } else {
      %d = ov.less %i, %seven : (tensor<i64>, tensor<i64>) -> tensor<i1>
      ov.result %d : tensor<i1>
    }
    ov.yield while(%again : tensor<i1>) next(%t : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// -----

// If the trip count is a dim, the new one is the minimum of the two.
// CHECK-LABEL: @both
func.func @both(%x: tensor<?xf32>, %s0: tensor<f32>) -> tensor<f32> {
  %true = ov.constant dense<true> : tensor<i1>
  %seven = ov.constant dense<7> : tensor<i64>
  %n = ov.shape_of %x {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
  // CHECK: %[[N:.*]] = ov.shape_of
  // CHECK: %[[TRIP:.*]] = ov.minimum %[[N]]
  // CHECK: ov.loop trip(%[[TRIP]] : tensor<1xi64>)
  %r = ov.loop trip(%n : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<f32>) {
    %t = ov.tanh %s : tensor<f32>
    %c = ov.less %i, %seven : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<f32>)
  }
  return %r : tensor<f32>
}

// -----

// The body may fail, so it must not run after the counter has reached its limit.
// CHECK-LABEL: @not_if_fault
func.func @not_if_fault(%x: tensor<5xf32>, %enough: tensor<f32>) -> tensor<f32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1>
  %one = ov.constant dense<1> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  // CHECK: %[[TRIP:.*]] = ov.constant dense<-1> : tensor<i64>
  // CHECK: ov.loop trip(%[[TRIP]] : tensor<i64>)
  // CHECK: ov.if
  %r = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %f0 : tensor<f32>) {
    %t = ov.add %s, %enough : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %i1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.less %i1, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // expected-remark @below {{expected a body that cannot fail where the other is taken}}
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.if %c : tensor<i1> -> tensor<i1> {
      %x_i = ov.gather %x, %i1, %axis : (tensor<5xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
      %d = ov.greater %x_i, %enough : (tensor<f32>, tensor<f32>) -> tensor<i1>
      ov.result %d : tensor<i1>
    } else {
      ov.result %false : tensor<i1>
    }
    ov.yield while(%again : tensor<i1>) next(%t : tensor<f32>)
  }
  return %r : tensor<f32>
}

// -----

// An If that is true when the counter is at its limit is not a conjunction.
// CHECK-LABEL: @not_if_true
func.func @not_if_true(%x: tensor<f32>, %enough: tensor<f32>) -> tensor<f32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %five = ov.constant dense<5> : tensor<i64>
  // CHECK: ov.if
  %r = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<f32>) {
    %t = ov.add %s, %enough : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // expected-remark @below {{expected an If that is false in one of its bodies}}
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.if %c : tensor<i1> -> tensor<i1> {
      %d = ov.greater %t, %enough : (tensor<f32>, tensor<f32>) -> tensor<i1>
      ov.result %d : tensor<i1>
    } else {
      ov.result %true : tensor<i1>
    }
    ov.yield while(%again : tensor<i1>) next(%t : tensor<f32>)
  }
  return %r : tensor<f32>
}

// -----

// Not raised: conditions on values that are not counters which provably reach their limit, and an unknown trip count.
// CHECK-LABEL: @not_counters
func.func @not_counters(%x: tensor<f32>, %start: tensor<i64>, %trip: tensor<i64>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>) {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64>
  // A start known at run time only.
  %a:2 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) carried(%i = %start : tensor<i64>, %s = %x : tensor<f32>) {
    %t = ov.tanh %s : tensor<f32>
    %i1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a condition on an integer that starts at a constant and changes by a constant}}
    %c = ov.less %i1, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
    ov.yield while(%c : tensor<i1>) next(%i1, %t : tensor<i64>, tensor<f32>)
  }
  // Away from the limit.
  %b:2 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) carried(%i = %five : tensor<i64>, %s = %x : tensor<f32>) {
    %t = ov.tanh %s : tensor<f32>
    %i1 = ov.subtract %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a condition on a counter that comes nearer to its limit}}
    %c = ov.less %i1, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
    ov.yield while(%c : tensor<i1>) next(%i1, %t : tensor<i64>, tensor<f32>)
  }
  // A trip count that may be -1.
  // expected-remark @below {{expected a trip count beside the condition that is provably not negative}}
  %c = ov.loop trip(%trip : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %x : tensor<f32>) {
    %t = ov.tanh %s : tensor<f32>
    %again = ov.less %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
    ov.yield while(%again : tensor<i1>) next(%t : tensor<f32>)
  }
  // A limit that changes.
  %d = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%limit = %n : tensor<i64>) {
    %less = ov.subtract %limit, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    // expected-remark @below {{expected a limit that the loop does not change}}
    %again = ov.less %i, %less : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
    ov.yield while(%again : tensor<i1>) next(%less : tensor<i64>)
  }
  return %a#1, %b#1, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
}

// -----

// No conjunct is a bound on a counter. The loop stays as it is, and so does the If.
// CHECK-LABEL: @no_bound
func.func @no_bound(%x: tensor<f32>, %limit: tensor<f32>, %one: tensor<f32>) -> tensor<f32> {
  // CHECK: ov.loop
  // CHECK: ov.if
  %forever = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %r = ov.loop trip(%forever : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<f32>) {
    %n = ov.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %c = ov.less %n, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.if %c : tensor<i1> -> tensor<i1> {
      // expected-remark @below {{expected a condition that compares a counter with a limit}}
      %d = ov.not_equal %n, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      ov.result %d : tensor<i1>
    } else {
      %false = ov.constant dense<false> : tensor<i1>
      ov.result %false : tensor<i1>
    }
    ov.yield while(%again : tensor<i1>) next(%n : tensor<f32>)
  }
  return %r : tensor<f32>
}
