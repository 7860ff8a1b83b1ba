// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter-missed=ov-raise-loops --remark-format=emitRemark | FileCheck %s

// Remarks that say why a list is not raised.
// CHECK-LABEL: @lists
// CHECK-NOT: concats
func.func @lists(%row: tensor<4xf32>, %b: tensor<6x4xf32>, %p: tensor<?x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<?x4xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64>
  %r:6 = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%down = %six : tensor<i64>, %read = %b : tensor<6x4xf32>, %back = %b : tensor<6x4xf32>,
              %far = %b : tensor<6x4xf32>, %fixed = %b : tensor<6x4xf32>, %grown = %p : tensor<?x4xf32>) {
    %d = ov.subtract %down, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %i1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %sum = ov.add %read, %b : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %mean = ov.reduce_sum %sum, %zero : (tensor<6x4xf32>, tensor<i64>) -> tensor<4xf32>
    // expected-remark @below {{[Missed] not-raised | Category:ov-raise-loops | Reason="expected a list that the body reads for nothing else"}}
    %read1 = ov.scatter_update %read, %i, %mean, %zero : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    // expected-remark @below {{expected a counter that goes up or down by one from 0 or more}}
    %back1 = ov.scatter_update %back, %d, %row, %zero : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    // expected-remark @below {{expected a place in the list for every iteration}}
    %far1 = ov.scatter_update %far, %i1, %row, %zero : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    // expected-remark @below {{expected a list of one element, as the same one is written each time}}
    // expected-remark @+1 {{expected a scatter of one part of the list, at a counter}}
    %fixed1 = ov.scatter_update %fixed, %two, %row, %zero : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    // expected-remark @below {{expected a list and parts of static dims}}
    %grown1 = ov.concat %grown, %p {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.yield while(%true : tensor<i1>) next(%d, %read1, %back1, %far1, %fixed1, %grown1 : tensor<i64>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<?x4xf32>)
  }
  return %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<?x4xf32>
}

// -----

// A list whose length is not the trip count, and one of a loop that may end early: what is not written stays.
// CHECK-LABEL: @lengths
// CHECK-NOT: concats
func.func @lengths(%row: tensor<4xf32>, %b: tensor<6x4xf32>, %p: tensor<?x4xf32>, %n: tensor<?xf32>, %c: tensor<f32>) -> (tensor<?x4xf32>, tensor<6x4xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64>
  %shape = ov.shape_of %n {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
  %r = ov.loop trip(%shape : tensor<1xi64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%list = %p : tensor<?x4xf32>) {
    // expected-remark @below {{expected a list whose length is the trip count}}
    %list1 = ov.scatter_update %list, %i, %row, %zero : (tensor<?x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<?x4xf32>
    ov.yield while(%true : tensor<i1>) next(%list1 : tensor<?x4xf32>)
  }
  %s = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%list = %b : tensor<6x4xf32>) {
    // expected-remark @below {{expected a loop that does not end before its trip count, as what it has not written then stays}}
    %list1 = ov.scatter_update %list, %i, %row, %zero : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    // expected-remark @below {{expected a condition that compares a counter with a limit}}
    %again = ov.less %f, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%list1 : tensor<6x4xf32>)
  }
  return %r, %s : tensor<?x4xf32>, tensor<6x4xf32>
}

// -----

// Only the call tells whether the parts have the dims of the list. The scatter fails if they have others.
// CHECK-LABEL: @open_dims
// CHECK-NOT: concats
func.func @open_dims(%row: tensor<?xf32>, %b: tensor<6x?xf32>) -> tensor<6x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64>
  %r = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%list = %b : tensor<6x?xf32>) {
    // expected-remark @below {{expected parts that provably have the dims of the list}}
    %list1 = ov.scatter_update %list, %i, %row, %zero : (tensor<6x?xf32>, tensor<i64>, tensor<?xf32>, tensor<i64>) -> tensor<6x?xf32>
    ov.yield while(%true : tensor<i1>) next(%list1 : tensor<6x?xf32>)
  }
  return %r : tensor<6x?xf32>
}

// -----

// Five elements and 2^63 - 1 more are no list that a type could describe.
// CHECK-LABEL: @too_long
// CHECK-NOT: concats
func.func @too_long(%five: tensor<5xf32>, %part: tensor<1xf32>) -> tensor<?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %trip = ov.constant dense<9223372036854775807> : tensor<i64>
  %list0 = tensor.cast %five : tensor<5xf32> to tensor<?xf32>
  %r = ov.loop trip(%trip : tensor<i64>) while(%true : tensor<i1>) carried(%list = %list0 : tensor<?xf32>) {
    // expected-remark @below {{expected a list of fewer than 2^63 elements along its axis}}
    %next = ov.concat %list, %part {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}
