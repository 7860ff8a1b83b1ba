// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --canonicalize --split-input-file | FileCheck %s

// Counters that count down, or by more than one.

// `for t in reversed(range(5)): h = tanh(h + x[t]); y[t] = h`, as a while loop with a counter of its own.
// CHECK-LABEL: @reversed
// CHECK-SAME: %[[X:[^:]*]]: tensor<5x3xf32>, %[[H0:[^:]*]]: tensor<3xf32>, %[[Y0:[^:]*]]: tensor<5x3xf32>
func.func @reversed(%x: tensor<5x3xf32>, %h0: tensor<3xf32>, %y0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32>
  %last = ov.constant dense<4> : tensor<i32>
  // CHECK-DAG: %[[N:.*]] = ov.constant dense<5> : tensor<i64>
  // CHECK: %[[R:.*]]:2 = ov.loop trip(%[[N]] : tensor<i64>) while(%[[TRUE:.*]] : tensor<i1>)
  // CHECK-SAME: slices(%[[A:.*]] = %[[X]] along 0 [4:0:-1] part 1 : tensor<5x3xf32> to tensor<1x3xf32>)
  // CHECK-SAME: carried(%[[H:.*]] = %[[H0]] : tensor<3xf32>)
  // CHECK-SAME: concats(along 0 reverse : tensor<5x3xf32>)
  // CHECK: ov.yield while(%[[TRUE]] : tensor<i1>)
  // CHECK: return %[[R]]#1
  %r:3 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>)
      carried(%t = %last : tensor<i32>, %h = %h0 : tensor<3xf32>, %y = %y0 : tensor<5x3xf32>) {
    %a = ov.gather %x, %t, %zero : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3xf32>
    %sum = ov.add %h, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %h1 = ov.tanh %sum : tensor<3xf32>
    %y1 = ov.scatter_update %y, %t, %h1, %zero : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>, tensor<i32>) -> tensor<5x3xf32>
    %t1 = ov.subtract %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.greater_equal %t1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%t1, %h1, %y1 : tensor<i32>, tensor<3xf32>, tensor<5x3xf32>)
  }
  return %r#2 : tensor<5x3xf32>
}

// -----

// `x[3 - i]`, `x[-1 - i]` and `x[2 * i + 1]`: the middle one counts from the end.
// CHECK-LABEL: @affine
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x3xf32>
func.func @affine(%x: tensor<8x3xf32>, %s0: tensor<3xf32>) -> tensor<3xf32> {
  %four = ov.constant dense<4> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.loop
  // CHECK-SAME: = %[[X]] along 0 [3:0:-1] part 1
  // CHECK-SAME: = %[[X]] along 0 [7:4:-1] part 1
  // CHECK-SAME: = %[[X]] along 0 [1:7:2] part 1
  %r = ov.loop trip(%four : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    %ia = ov.subtract %three, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a = ov.gather %x, %ia, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %m = ov.negative %i : tensor<i64>
    %ib = ov.subtract %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = ov.gather %x, %ib, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %d = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %ic = ov.add %one, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = ov.gather %x, %ic, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %ab = ov.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %bc = ov.multiply %ab, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %next = ov.add %s, %bc : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<3xf32>)
  }
  return %r : tensor<3xf32>
}

// -----

// A part of a list is filled from the end; the rest stays.
// CHECK-LABEL: @rest
// CHECK-SAME: %[[Y0:[^:]*]]: tensor<8x3xf32>
func.func @rest(%y0: tensor<8x3xf32>, %s0: tensor<3xf32>) -> tensor<8x3xf32> {
  %four = ov.constant dense<4> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64>
  // CHECK: %[[R:.*]]:2 = ov.loop
  // CHECK-SAME: concats(along 0 reverse : tensor<4x3xf32>)
  // CHECK-DAG: %[[BEFORE:.*]] = tensor.extract_slice %[[Y0]][0, 0] [3, 3] [1, 1]
  // CHECK-DAG: %[[BEHIND:.*]] = tensor.extract_slice %[[Y0]][7, 0] [1, 3] [1, 1]
  // CHECK: ov.concat %[[BEFORE]], %[[R]]#1, %[[BEHIND]] {axis = 0
  %r:2 = ov.loop trip(%four : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<3xf32>, %y = %y0 : tensor<8x3xf32>) {
    %t = ov.tanh %s : tensor<3xf32>
    %at = ov.subtract %six, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %y1 = ov.scatter_update %y, %at, %t, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<8x3xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %y1 : tensor<3xf32>, tensor<8x3xf32>)
  }
  return %r#1 : tensor<8x3xf32>
}

// -----

// Not raised: an index below 0 at the end, which scatter reports; a step of two with gaps; 32 bits that may wrap.
// CHECK-LABEL: @not
// CHECK-NOT: concats
// CHECK-NOT: slices
func.func @not(%x: tensor<5x3xf32>, %y0: tensor<8x3xf32>, %s0: tensor<3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %four = ov.constant dense<4> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %far = ov.constant dense<2147483647> : tensor<i32>
  %back = ov.constant dense<-2147483647> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i32>
  %r:4 = ov.loop trip(%four : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<3xf32>, %y = %y0 : tensor<8x3xf32>, %z = %y0 : tensor<8x3xf32>, %c = %far : tensor<i32>) {
    %wide = ov.convert %c : tensor<i32> to tensor<i64>
    %w = ov.add %wide, %back : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a = ov.gather %x, %w, %zero : (tensor<5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %sum = ov.add %s, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %at = ov.subtract %two, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %y1 = ov.scatter_update %y, %at, %sum, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<8x3xf32>
    %twice = ov.multiply %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %z1 = ov.scatter_update %z, %twice, %sum, %zero : (tensor<8x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<8x3xf32>
    %c1 = ov.add %c, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.yield while(%true : tensor<i1>) next(%sum, %y1, %z1, %c1 : tensor<3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<i32>)
  }
  return %r#1, %r#2 : tensor<8x3xf32>, tensor<8x3xf32>
}

// -----

// A negative index of Gather is a fault before opset8.
// CHECK-LABEL: @old_gather
// CHECK-NOT: slices
func.func @old_gather(%x: tensor<8x3xf32>, %s0: tensor<3xf32>) -> tensor<3xf32> {
  %three = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %last = ov.constant dense<-1> : tensor<i64>
  %r = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%s = %s0 : tensor<3xf32>) {
    %at = ov.subtract %last, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a = ov.gather %x, %at, %zero {version = 7} : (tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
    %next = ov.add %s, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<3xf32>)
  }
  return %r : tensor<3xf32>
}

// -----

// Values that wrap in 32 bits: a multiple of the counter, and an offset that is removed again after a conversion.
// CHECK-LABEL: @wraps
// CHECK: trip(%{{.*}}) while
// CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
// CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
// CHECK: ov.yield while(%{{[0-9]+}} : tensor<i1>)
func.func @wraps(%s0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %ten = ov.constant dense<10> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %one = ov.constant dense<1> : tensor<i32>
  %start = ov.constant dense<1048576> : tensor<i32>
  %up = ov.constant dense<4096> : tensor<i32>
  %most = ov.constant dense<8192> : tensor<i32>
  %a:2 = ov.loop trip(%ten : tensor<i64>) while(%true : tensor<i1>) carried(%n = %start : tensor<i32>, %s = %s0 : tensor<3xf32>) {
    %next = ov.tanh %s : tensor<3xf32>
    %n1 = ov.add %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = ov.multiply %n, %up : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %m, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%n1, %next : tensor<i32>, tensor<3xf32>)
  }
  %below = ov.constant dense<-65536> : tensor<i32>
  %down = ov.constant dense<65536> : tensor<i32>
  %least = ov.constant dense<-131072> : tensor<i32>
  %b:2 = ov.loop trip(%ten : tensor<i64>) while(%true : tensor<i1>) carried(%n = %below : tensor<i32>, %s = %s0 : tensor<3xf32>) {
    %next = ov.tanh %s : tensor<3xf32>
    %n1 = ov.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = ov.multiply %n, %down : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.greater %m, %least : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%n1, %next : tensor<i32>, tensor<3xf32>)
  }
  %far = ov.constant dense<2147483647> : tensor<i32>
  %back = ov.constant dense<2147483647> : tensor<i64>
  %c = ov.loop trip(%ten : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i32>) carried(%s = %s0 : tensor<3xf32>) {
    %next = ov.tanh %s : tensor<3xf32>
    %j = ov.add %i, %far : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %wide = ov.convert %j : tensor<i32> to tensor<i64>
    %k = ov.subtract %wide, %back : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less %k, %six : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%next : tensor<3xf32>)
  }
  return %a#1, %b#1, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
