// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt -canonicalize %s | FileCheck %s
// A loop without uses goes, unless the call may find that its count or its slices are wrong.

// CHECK-LABEL: func @static_slices
func.func @static_slices(%x: tensor<8x4xf32>, %h0: tensor<1x4xf32>) {
  // CHECK-NOT: ov.tensor_iterator
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
      carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield next(%n : tensor<1x4xf32>)
  }
  return
}

// CHECK-LABEL: func @dynamic_slices
func.func @dynamic_slices(%x: tensor<?x4xf32>, %h0: tensor<2x4xf32>) {
  // CHECK: ov.tensor_iterator
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:2] part 2 : tensor<?x4xf32> to tensor<2x4xf32>)
      carried(%s = %h0 : tensor<2x4xf32>) {
    %n = ov.add %x_t, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.yield next(%n : tensor<2x4xf32>)
  }
  return
}

// CHECK-LABEL: func @static_count
func.func @static_count(%x: tensor<8x4xf32>, %h0: tensor<1x4xf32>) {
  // CHECK-NOT: ov.loop
  %eight = ov.constant dense<8> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %h = ov.loop trip(%eight : tensor<i64>) while(%true : tensor<i1>)
      slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
      carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1x4xf32>)
  }
  return
}

// CHECK-LABEL: func @too_few_slices
func.func @too_few_slices(%x: tensor<8x4xf32>, %h0: tensor<1x4xf32>) {
  // CHECK: ov.loop
  %nine = ov.constant dense<9> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %h = ov.loop trip(%nine : tensor<i64>) while(%true : tensor<i1>)
      slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
      carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1x4xf32>)
  }
  return
}

// CHECK-LABEL: func @dynamic_count
func.func @dynamic_count(%count: tensor<i64>, %h0: tensor<1x4xf32>) {
  // CHECK: ov.loop
  %true = ov.constant dense<true> : tensor<i1>
  %h = ov.loop trip(%count : tensor<i64>) while(%true : tensor<i1>) carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %s, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1x4xf32>)
  }
  return
}

// CHECK-LABEL: func @without_end
func.func @without_end(%h0: tensor<1x4xf32>) {
  // CHECK: ov.loop
  %none = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %h = ov.loop trip(%none : tensor<i64>) while(%true : tensor<i1>) carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %s, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1x4xf32>)
  }
  return
}

// CHECK-LABEL: func @without_begin
func.func @without_begin(%h0: tensor<1x4xf32>) {
  // CHECK-NOT: ov.loop
  %none = ov.constant dense<-1> : tensor<i64>
  %false = ov.constant dense<false> : tensor<i1>
  %true = ov.constant dense<true> : tensor<i1>
  %h = ov.loop trip(%none : tensor<i64>) while(%false : tensor<i1>) carried(%s = %h0 : tensor<1x4xf32>) {
    %n = ov.add %s, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<1x4xf32>)
  }
  return
}

// A condition that does not change yet may become a constant.
// CHECK-LABEL: func @unchanged_condition
func.func @unchanged_condition(%h0: tensor<1x4xf32>, %p: tensor<i1>) -> tensor<1x4xf32> {
  // CHECK: ov.loop
  %none = ov.constant dense<-1> : tensor<i64>
  %h, %c = ov.loop trip(%none : tensor<i64>) while(%p : tensor<i1>)
      carried(%s = %h0 : tensor<1x4xf32>, %old = %p : tensor<i1>) {
    ov.yield while(%old : tensor<i1>) next(%s, %old : tensor<1x4xf32>, tensor<i1>)
  }
  return %h : tensor<1x4xf32>
}
