// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-roll-groups | FileCheck %s
// RUN: ir-opt %s --ov-roll-groups --remarks-filter=ov-roll-groups --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: ir-opt %s --ov-roll-groups=layers=false | FileCheck %s --check-prefix=TIME
// RUN: ir-opt %s --ov-simplify=step=true | FileCheck %s --check-prefix=TIME
// RUN: ir-opt %s --ov-roll-groups --ov-simplify -o %t && FileCheck %s --check-prefix=AFTER < %t

// REMARK: [Passed] rolled | Category:ov-roll-groups | Remark="8 equal groups of 2 ops are a loop"

// Parts of a split are slices, and the state is carried.

// CHECK-LABEL: @split
// CHECK: %[[LOOP:.*]]:2 = ov.tensor_iterator slices(%[[X:.*]] = %arg0 along 0 [0:7:1] part 1
// CHECK-SAME: carried(%[[S:.*]] = %arg1 : tensor<1x4xf32>) last(tensor<1x4xf32>)
// CHECK-NEXT: %[[A:.*]] = ov.add %[[X]], %[[S]]
// CHECK-NEXT: %[[H:.*]] = ov.tanh %[[A]]
// CHECK-NEXT: ov.yield next(%[[H]] : tensor<1x4xf32>) last(%[[H]] : tensor<1x4xf32>)
// CHECK: return %[[LOOP]]#1
func.func @split(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64>
  %p:8 = ov.split %x, %zero {num_splits = 8 : i64} : (tensor<8x4xf32>, tensor<i64>)
      -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
          tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  %a0 = ov.add %p#0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %a0 : tensor<1x4xf32>
  %a1 = ov.add %p#1, %h0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %a1 : tensor<1x4xf32>
  %a2 = ov.add %p#2, %h1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %a2 : tensor<1x4xf32>
  %a3 = ov.add %p#3, %h2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %a3 : tensor<1x4xf32>
  %a4 = ov.add %p#4, %h3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %a4 : tensor<1x4xf32>
  %a5 = ov.add %p#5, %h4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %a5 : tensor<1x4xf32>
  %a6 = ov.add %p#6, %h5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %a6 : tensor<1x4xf32>
  %a7 = ov.add %p#7, %h6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %a7 : tensor<1x4xf32>
  return %h7 : tensor<1x4xf32>
}

// Rows that are read from the last one on, and results in the order of the rows.

// CHECK-LABEL: @backward
// CHECK: %[[LOOP:.*]]:2 = ov.tensor_iterator slices(%{{.*}} = %arg0 along 0 [7:0:-1] part 1
// CHECK-SAME: concats(along 0 reverse : tensor<8x4xf32>)
// AFTER-LABEL: @backward
// AFTER: %[[LOOP:.*]]:2 = ov.tensor_iterator
// AFTER: return %[[LOOP]]#1 : tensor<8x4xf32>
func.func @backward(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %c0 = ov.constant dense<0> : tensor<1xi64>
  %c1 = ov.constant dense<1> : tensor<1xi64>
  %c2 = ov.constant dense<2> : tensor<1xi64>
  %c3 = ov.constant dense<3> : tensor<1xi64>
  %c4 = ov.constant dense<4> : tensor<1xi64>
  %c5 = ov.constant dense<5> : tensor<1xi64>
  %c6 = ov.constant dense<6> : tensor<1xi64>
  %c7 = ov.constant dense<7> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %x0 = ov.gather %x, %c7, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a0 = ov.add %x0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %a0 : tensor<1x4xf32>
  %x1 = ov.gather %x, %c6, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a1 = ov.add %x1, %h0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %a1 : tensor<1x4xf32>
  %x2 = ov.gather %x, %c5, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a2 = ov.add %x2, %h1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %a2 : tensor<1x4xf32>
  %x3 = ov.gather %x, %c4, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a3 = ov.add %x3, %h2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %a3 : tensor<1x4xf32>
  %x4 = ov.gather %x, %c3, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a4 = ov.add %x4, %h3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %a4 : tensor<1x4xf32>
  %x5 = ov.gather %x, %c2, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a5 = ov.add %x5, %h4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %a5 : tensor<1x4xf32>
  %x6 = ov.gather %x, %c1, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a6 = ov.add %x6, %h5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %a6 : tensor<1x4xf32>
  %x7 = ov.gather %x, %c0, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a7 = ov.add %x7, %h6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %a7 : tensor<1x4xf32>
  %y = ov.concat %h7, %h6, %h5, %h4, %h3, %h2, %h1, %h0 {axis = 0}
      : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
         tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Others read the results of two groups. They take them from the concatenation.

// CHECK-LABEL: @read_by_others
// CHECK: ov.tensor_iterator
// CHECK: ov.unsqueeze
// CHECK-DAG: ov.gather %{{.*}}#1, %{{.*}} -> tensor<1x4xf32>
// CHECK-DAG: ov.gather %{{.*}}#1, %{{.*}} -> tensor<1x4xf32>
// CHECK-NOT: ov.tanh
// CHECK: return
func.func @read_by_others(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %c0 = ov.constant dense<0> : tensor<1xi64>
  %c1 = ov.constant dense<1> : tensor<1xi64>
  %c2 = ov.constant dense<2> : tensor<1xi64>
  %c3 = ov.constant dense<3> : tensor<1xi64>
  %c4 = ov.constant dense<4> : tensor<1xi64>
  %c5 = ov.constant dense<5> : tensor<1xi64>
  %c6 = ov.constant dense<6> : tensor<1xi64>
  %c7 = ov.constant dense<7> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %x0 = ov.gather %x, %c0, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a0 = ov.add %x0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %a0 : tensor<1x4xf32>
  %x1 = ov.gather %x, %c1, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a1 = ov.add %x1, %h0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %a1 : tensor<1x4xf32>
  %x2 = ov.gather %x, %c2, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a2 = ov.add %x2, %h1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %a2 : tensor<1x4xf32>
  %x3 = ov.gather %x, %c3, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a3 = ov.add %x3, %h2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %a3 : tensor<1x4xf32>
  %x4 = ov.gather %x, %c4, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a4 = ov.add %x4, %h3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %a4 : tensor<1x4xf32>
  %x5 = ov.gather %x, %c5, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a5 = ov.add %x5, %h4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %a5 : tensor<1x4xf32>
  %x6 = ov.gather %x, %c6, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a6 = ov.add %x6, %h5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %a6 : tensor<1x4xf32>
  %x7 = ov.gather %x, %c7, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a7 = ov.add %x7, %h6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %a7 : tensor<1x4xf32>
  return %h3, %h7 : tensor<1x4xf32>, tensor<1x4xf32>
}

// Seven groups stay as they are.

// CHECK-LABEL: @few
// CHECK-NOT: ov.tensor_iterator
// CHECK: return
func.func @few(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c0 = ov.constant dense<0> : tensor<1xi64>
  %c1 = ov.constant dense<1> : tensor<1xi64>
  %c2 = ov.constant dense<2> : tensor<1xi64>
  %c3 = ov.constant dense<3> : tensor<1xi64>
  %c4 = ov.constant dense<4> : tensor<1xi64>
  %c5 = ov.constant dense<5> : tensor<1xi64>
  %c6 = ov.constant dense<6> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %x0 = ov.gather %x, %c0, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a0 = ov.add %x0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %a0 : tensor<1x4xf32>
  %x1 = ov.gather %x, %c1, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a1 = ov.add %x1, %h0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %a1 : tensor<1x4xf32>
  %x2 = ov.gather %x, %c2, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a2 = ov.add %x2, %h1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %a2 : tensor<1x4xf32>
  %x3 = ov.gather %x, %c3, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a3 = ov.add %x3, %h2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %a3 : tensor<1x4xf32>
  %x4 = ov.gather %x, %c4, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a4 = ov.add %x4, %h3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %a4 : tensor<1x4xf32>
  %x5 = ov.gather %x, %c5, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a5 = ov.add %x5, %h4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %a5 : tensor<1x4xf32>
  %x6 = ov.gather %x, %c6, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a6 = ov.add %x6, %h5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %a6 : tensor<1x4xf32>
  return %h6 : tensor<1x4xf32>
}

// Rows at distances that are not equal are no slices.

// CHECK-LABEL: @unequal_distances
// CHECK-NOT: ov.tensor_iterator
// CHECK: return
func.func @unequal_distances(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c0 = ov.constant dense<0> : tensor<1xi64>
  %c1 = ov.constant dense<1> : tensor<1xi64>
  %c2 = ov.constant dense<2> : tensor<1xi64>
  %c3 = ov.constant dense<3> : tensor<1xi64>
  %c4 = ov.constant dense<4> : tensor<1xi64>
  %c5 = ov.constant dense<5> : tensor<1xi64>
  %c6 = ov.constant dense<6> : tensor<1xi64>
  %c7 = ov.constant dense<7> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  %x0 = ov.gather %x, %c0, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a0 = ov.add %x0, %s0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %a0 : tensor<1x4xf32>
  %x1 = ov.gather %x, %c1, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a1 = ov.add %x1, %h0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %a1 : tensor<1x4xf32>
  %x2 = ov.gather %x, %c2, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a2 = ov.add %x2, %h1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %a2 : tensor<1x4xf32>
  %x3 = ov.gather %x, %c4, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a3 = ov.add %x3, %h2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %a3 : tensor<1x4xf32>
  %x4 = ov.gather %x, %c3, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a4 = ov.add %x4, %h3 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %a4 : tensor<1x4xf32>
  %x5 = ov.gather %x, %c5, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a5 = ov.add %x5, %h4 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %a5 : tensor<1x4xf32>
  %x6 = ov.gather %x, %c6, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a6 = ov.add %x6, %h5 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %a6 : tensor<1x4xf32>
  %x7 = ov.gather %x, %c7, %zero : (tensor<8x4xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x4xf32>
  %a7 = ov.add %x7, %h6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %a7 : tensor<1x4xf32>
  return %h7 : tensor<1x4xf32>
}

// The layers of a network have matrices of their own.

// CHECK-LABEL: @other_matrices
// CHECK-NOT: ov.loop
// CHECK: return
func.func @other_matrices(%s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w0 = ov.constant dense<0.0> : tensor<4x4xf32>
  %w1 = ov.constant dense<1.0> : tensor<4x4xf32>
  %w2 = ov.constant dense<2.0> : tensor<4x4xf32>
  %w3 = ov.constant dense<3.0> : tensor<4x4xf32>
  %w4 = ov.constant dense<4.0> : tensor<4x4xf32>
  %w5 = ov.constant dense<5.0> : tensor<4x4xf32>
  %w6 = ov.constant dense<6.0> : tensor<4x4xf32>
  %w7 = ov.constant dense<7.0> : tensor<4x4xf32>
  %m0 = ov.matmul %s0, %w0 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %m0 : tensor<1x4xf32>
  %m1 = ov.matmul %h0, %w1 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %m1 : tensor<1x4xf32>
  %m2 = ov.matmul %h1, %w2 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %m2 : tensor<1x4xf32>
  %m3 = ov.matmul %h2, %w3 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %m3 : tensor<1x4xf32>
  %m4 = ov.matmul %h3, %w4 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %m4 : tensor<1x4xf32>
  %m5 = ov.matmul %h4, %w5 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %m5 : tensor<1x4xf32>
  %m6 = ov.matmul %h5, %w6 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %m6 : tensor<1x4xf32>
  %m7 = ov.matmul %h6, %w7 : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %m7 : tensor<1x4xf32>
  return %h7 : tensor<1x4xf32>
}

// Many layers that share a matrix are a loop without slices.

// CHECK-LABEL: @shared_matrix
// CHECK: ov.constant dense<32> : tensor<i64>
// CHECK: ov.loop
// CHECK: ov.matmul
// CHECK-NOT: ov.matmul
// CHECK: return
func.func @shared_matrix(%s0: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %m0 = ov.matmul %s0, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h0 = ov.tanh %m0 : tensor<1x4xf32>
  %m1 = ov.matmul %h0, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h1 = ov.tanh %m1 : tensor<1x4xf32>
  %m2 = ov.matmul %h1, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h2 = ov.tanh %m2 : tensor<1x4xf32>
  %m3 = ov.matmul %h2, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h3 = ov.tanh %m3 : tensor<1x4xf32>
  %m4 = ov.matmul %h3, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h4 = ov.tanh %m4 : tensor<1x4xf32>
  %m5 = ov.matmul %h4, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h5 = ov.tanh %m5 : tensor<1x4xf32>
  %m6 = ov.matmul %h5, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h6 = ov.tanh %m6 : tensor<1x4xf32>
  %m7 = ov.matmul %h6, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h7 = ov.tanh %m7 : tensor<1x4xf32>
  %m8 = ov.matmul %h7, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h8 = ov.tanh %m8 : tensor<1x4xf32>
  %m9 = ov.matmul %h8, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h9 = ov.tanh %m9 : tensor<1x4xf32>
  %m10 = ov.matmul %h9, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h10 = ov.tanh %m10 : tensor<1x4xf32>
  %m11 = ov.matmul %h10, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h11 = ov.tanh %m11 : tensor<1x4xf32>
  %m12 = ov.matmul %h11, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h12 = ov.tanh %m12 : tensor<1x4xf32>
  %m13 = ov.matmul %h12, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h13 = ov.tanh %m13 : tensor<1x4xf32>
  %m14 = ov.matmul %h13, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h14 = ov.tanh %m14 : tensor<1x4xf32>
  %m15 = ov.matmul %h14, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h15 = ov.tanh %m15 : tensor<1x4xf32>
  %m16 = ov.matmul %h15, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h16 = ov.tanh %m16 : tensor<1x4xf32>
  %m17 = ov.matmul %h16, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h17 = ov.tanh %m17 : tensor<1x4xf32>
  %m18 = ov.matmul %h17, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h18 = ov.tanh %m18 : tensor<1x4xf32>
  %m19 = ov.matmul %h18, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h19 = ov.tanh %m19 : tensor<1x4xf32>
  %m20 = ov.matmul %h19, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h20 = ov.tanh %m20 : tensor<1x4xf32>
  %m21 = ov.matmul %h20, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h21 = ov.tanh %m21 : tensor<1x4xf32>
  %m22 = ov.matmul %h21, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h22 = ov.tanh %m22 : tensor<1x4xf32>
  %m23 = ov.matmul %h22, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h23 = ov.tanh %m23 : tensor<1x4xf32>
  %m24 = ov.matmul %h23, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h24 = ov.tanh %m24 : tensor<1x4xf32>
  %m25 = ov.matmul %h24, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h25 = ov.tanh %m25 : tensor<1x4xf32>
  %m26 = ov.matmul %h25, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h26 = ov.tanh %m26 : tensor<1x4xf32>
  %m27 = ov.matmul %h26, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h27 = ov.tanh %m27 : tensor<1x4xf32>
  %m28 = ov.matmul %h27, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h28 = ov.tanh %m28 : tensor<1x4xf32>
  %m29 = ov.matmul %h28, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h29 = ov.tanh %m29 : tensor<1x4xf32>
  %m30 = ov.matmul %h29, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h30 = ov.tanh %m30 : tensor<1x4xf32>
  %m31 = ov.matmul %h30, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %h31 = ov.tanh %m31 : tensor<1x4xf32>
  return %h31 : tensor<1x4xf32>
}

// So are layers with loops of their own, each alone a group, if there are sixteen.

// TIME-LABEL: @softmax_16
// TIME-NOT: ov.loop
// TIME: return
// CHECK-LABEL: @softmax_16
// CHECK: ov.constant dense<16> : tensor<i64>
// CHECK: ov.loop
// CHECK: ov.softmax
// CHECK-NOT: ov.softmax
// CHECK: return
func.func @softmax_16(%s0: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s1 = ov.softmax %s0 {axis = 1 : i64} : tensor<?x4xf32>
  %s2 = ov.softmax %s1 {axis = 1 : i64} : tensor<?x4xf32>
  %s3 = ov.softmax %s2 {axis = 1 : i64} : tensor<?x4xf32>
  %s4 = ov.softmax %s3 {axis = 1 : i64} : tensor<?x4xf32>
  %s5 = ov.softmax %s4 {axis = 1 : i64} : tensor<?x4xf32>
  %s6 = ov.softmax %s5 {axis = 1 : i64} : tensor<?x4xf32>
  %s7 = ov.softmax %s6 {axis = 1 : i64} : tensor<?x4xf32>
  %s8 = ov.softmax %s7 {axis = 1 : i64} : tensor<?x4xf32>
  %s9 = ov.softmax %s8 {axis = 1 : i64} : tensor<?x4xf32>
  %s10 = ov.softmax %s9 {axis = 1 : i64} : tensor<?x4xf32>
  %s11 = ov.softmax %s10 {axis = 1 : i64} : tensor<?x4xf32>
  %s12 = ov.softmax %s11 {axis = 1 : i64} : tensor<?x4xf32>
  %s13 = ov.softmax %s12 {axis = 1 : i64} : tensor<?x4xf32>
  %s14 = ov.softmax %s13 {axis = 1 : i64} : tensor<?x4xf32>
  %s15 = ov.softmax %s14 {axis = 1 : i64} : tensor<?x4xf32>
  %s16 = ov.softmax %s15 {axis = 1 : i64} : tensor<?x4xf32>
  return %s16 : tensor<?x4xf32>
}

// CHECK-LABEL: @softmax_15
// CHECK-NOT: ov.loop
// CHECK: return
func.func @softmax_15(%s0: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s1 = ov.softmax %s0 {axis = 1 : i64} : tensor<?x4xf32>
  %s2 = ov.softmax %s1 {axis = 1 : i64} : tensor<?x4xf32>
  %s3 = ov.softmax %s2 {axis = 1 : i64} : tensor<?x4xf32>
  %s4 = ov.softmax %s3 {axis = 1 : i64} : tensor<?x4xf32>
  %s5 = ov.softmax %s4 {axis = 1 : i64} : tensor<?x4xf32>
  %s6 = ov.softmax %s5 {axis = 1 : i64} : tensor<?x4xf32>
  %s7 = ov.softmax %s6 {axis = 1 : i64} : tensor<?x4xf32>
  %s8 = ov.softmax %s7 {axis = 1 : i64} : tensor<?x4xf32>
  %s9 = ov.softmax %s8 {axis = 1 : i64} : tensor<?x4xf32>
  %s10 = ov.softmax %s9 {axis = 1 : i64} : tensor<?x4xf32>
  %s11 = ov.softmax %s10 {axis = 1 : i64} : tensor<?x4xf32>
  %s12 = ov.softmax %s11 {axis = 1 : i64} : tensor<?x4xf32>
  %s13 = ov.softmax %s12 {axis = 1 : i64} : tensor<?x4xf32>
  %s14 = ov.softmax %s13 {axis = 1 : i64} : tensor<?x4xf32>
  %s15 = ov.softmax %s14 {axis = 1 : i64} : tensor<?x4xf32>
  return %s15 : tensor<?x4xf32>
}

// Element-wise layers become one nest of loops, also those that broadcast.

// CHECK-LABEL: @elementwise
// CHECK-NOT: ov.loop
// CHECK: return
func.func @elementwise(%s0: tensor<?x4xf32>, %y: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %s1 = ov.add %s0, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s2 = ov.tanh %s1 : tensor<?x4xf32>
  %s3 = ov.add %s2, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s4 = ov.tanh %s3 : tensor<?x4xf32>
  %s5 = ov.add %s4, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s6 = ov.tanh %s5 : tensor<?x4xf32>
  %s7 = ov.add %s6, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s8 = ov.tanh %s7 : tensor<?x4xf32>
  %s9 = ov.add %s8, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s10 = ov.tanh %s9 : tensor<?x4xf32>
  %s11 = ov.add %s10, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s12 = ov.tanh %s11 : tensor<?x4xf32>
  %s13 = ov.add %s12, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s14 = ov.tanh %s13 : tensor<?x4xf32>
  %s15 = ov.add %s14, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s16 = ov.tanh %s15 : tensor<?x4xf32>
  %s17 = ov.add %s16, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s18 = ov.tanh %s17 : tensor<?x4xf32>
  %s19 = ov.add %s18, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s20 = ov.tanh %s19 : tensor<?x4xf32>
  %s21 = ov.add %s20, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s22 = ov.tanh %s21 : tensor<?x4xf32>
  %s23 = ov.add %s22, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s24 = ov.tanh %s23 : tensor<?x4xf32>
  %s25 = ov.add %s24, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s26 = ov.tanh %s25 : tensor<?x4xf32>
  %s27 = ov.add %s26, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s28 = ov.tanh %s27 : tensor<?x4xf32>
  %s29 = ov.add %s28, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s30 = ov.tanh %s29 : tensor<?x4xf32>
  %s31 = ov.add %s30, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s32 = ov.tanh %s31 : tensor<?x4xf32>
  return %s32 : tensor<?x4xf32>
}

// Values of groups become a concatenation only if they provably have the same dims. These grow.

// CHECK-LABEL: @growing
// CHECK-NOT: ov.loop
// CHECK: return
func.func @growing(%s0: tensor<?x4xf32>, %y: tensor<1x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %s1 = ov.concat %s0, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s2 = ov.tanh %s1 : tensor<?x4xf32>
  %s3 = ov.concat %s2, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s4 = ov.tanh %s3 : tensor<?x4xf32>
  %s5 = ov.concat %s4, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s6 = ov.tanh %s5 : tensor<?x4xf32>
  %s7 = ov.concat %s6, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s8 = ov.tanh %s7 : tensor<?x4xf32>
  %s9 = ov.concat %s8, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s10 = ov.tanh %s9 : tensor<?x4xf32>
  %s11 = ov.concat %s10, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s12 = ov.tanh %s11 : tensor<?x4xf32>
  %s13 = ov.concat %s12, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s14 = ov.tanh %s13 : tensor<?x4xf32>
  %s15 = ov.concat %s14, %y {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %s16 = ov.tanh %s15 : tensor<?x4xf32>
  return %s16, %s8 : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: @of_equal_dims
// CHECK: ov.loop
// CHECK-SAME: concats(along 0 : tensor<8x?x4xf32>)
// CHECK: return
func.func @of_equal_dims(%s0: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %s1 = ov.softmax %s0 {axis = 1} : tensor<?x4xf32>
  %s2 = ov.tanh %s1 : tensor<?x4xf32>
  %s3 = ov.softmax %s2 {axis = 1} : tensor<?x4xf32>
  %s4 = ov.tanh %s3 : tensor<?x4xf32>
  %s5 = ov.softmax %s4 {axis = 1} : tensor<?x4xf32>
  %s6 = ov.tanh %s5 : tensor<?x4xf32>
  %s7 = ov.softmax %s6 {axis = 1} : tensor<?x4xf32>
  %s8 = ov.tanh %s7 : tensor<?x4xf32>
  %s9 = ov.softmax %s8 {axis = 1} : tensor<?x4xf32>
  %s10 = ov.tanh %s9 : tensor<?x4xf32>
  %s11 = ov.softmax %s10 {axis = 1} : tensor<?x4xf32>
  %s12 = ov.tanh %s11 : tensor<?x4xf32>
  %s13 = ov.softmax %s12 {axis = 1} : tensor<?x4xf32>
  %s14 = ov.tanh %s13 : tensor<?x4xf32>
  %s15 = ov.softmax %s14 {axis = 1} : tensor<?x4xf32>
  %s16 = ov.tanh %s15 : tensor<?x4xf32>
  return %s16, %s8 : tensor<?x4xf32>, tensor<?x4xf32>
}

// A function of angles in f64 is hundreds of ops, so a chain of them is a loop.

// CHECK-LABEL: @angles
// CHECK: ov.loop trip({{.*}}) {{.*}} carried
// CHECK-NEXT: ov.sin
// CHECK-NEXT: ov.yield
// CHECK-NOT: ov.sin
// CHECK: return
func.func @angles(%s0: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %s1 = ov.sin %s0 : tensor<?x4xf64>
  %s2 = ov.sin %s1 : tensor<?x4xf64>
  %s3 = ov.sin %s2 : tensor<?x4xf64>
  %s4 = ov.sin %s3 : tensor<?x4xf64>
  %s5 = ov.sin %s4 : tensor<?x4xf64>
  %s6 = ov.sin %s5 : tensor<?x4xf64>
  %s7 = ov.sin %s6 : tensor<?x4xf64>
  %s8 = ov.sin %s7 : tensor<?x4xf64>
  %s9 = ov.sin %s8 : tensor<?x4xf64>
  %s10 = ov.sin %s9 : tensor<?x4xf64>
  %s11 = ov.sin %s10 : tensor<?x4xf64>
  %s12 = ov.sin %s11 : tensor<?x4xf64>
  %s13 = ov.sin %s12 : tensor<?x4xf64>
  %s14 = ov.sin %s13 : tensor<?x4xf64>
  %s15 = ov.sin %s14 : tensor<?x4xf64>
  %s16 = ov.sin %s15 : tensor<?x4xf64>
  %s17 = ov.sin %s16 : tensor<?x4xf64>
  return %s17 : tensor<?x4xf64>
}

// CHECK-LABEL: @short_angles
// CHECK-NOT: ov.loop
// CHECK: return
func.func @short_angles(%s0: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s1 = ov.sin %s0 : tensor<?x4xf32>
  %s2 = ov.sin %s1 : tensor<?x4xf32>
  %s3 = ov.sin %s2 : tensor<?x4xf32>
  %s4 = ov.sin %s3 : tensor<?x4xf32>
  %s5 = ov.sin %s4 : tensor<?x4xf32>
  %s6 = ov.sin %s5 : tensor<?x4xf32>
  %s7 = ov.sin %s6 : tensor<?x4xf32>
  %s8 = ov.sin %s7 : tensor<?x4xf32>
  %s9 = ov.sin %s8 : tensor<?x4xf32>
  %s10 = ov.sin %s9 : tensor<?x4xf32>
  %s11 = ov.sin %s10 : tensor<?x4xf32>
  %s12 = ov.sin %s11 : tensor<?x4xf32>
  %s13 = ov.sin %s12 : tensor<?x4xf32>
  %s14 = ov.sin %s13 : tensor<?x4xf32>
  %s15 = ov.sin %s14 : tensor<?x4xf32>
  %s16 = ov.sin %s15 : tensor<?x4xf32>
  %s17 = ov.sin %s16 : tensor<?x4xf32>
  return %s17 : tensor<?x4xf32>
}
