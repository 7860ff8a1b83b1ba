// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @range(
func.func @range(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<?xf32> {
  // CHECK: rt.check %{{.*}}, shape, "the operands of a range are none"
  // CHECK: %[[N:.*]] = arith.index_cast {{.*}} : i64 to index
  // CHECK: tensor.empty(%[[N]])
  // CHECK: linalg.generic
  // CHECK: linalg.index 0
  %0 = ov.range %a, %b, %c {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Ten rounds for each block.
// CHECK-LABEL: @philox
func.func @philox(%n: tensor<i64>) -> tensor<?x4xui32> {
  // CHECK: rt.check {{.*}}, shape, "the number of blocks is {0}"
  // CHECK: scf.for
  // The product with the high half of the counter, which is constant, folds in the first round.
  // CHECK-COUNT-19: arith.muli
  // CHECK-NOT: arith.muli
  // CHECK-COUNT-4: tensor.insert
  // CHECK: return
  %0 = ov.philox %n, %n {key = 1, counter = 2} : (tensor<i64>, tensor<i64>) -> tensor<?x4xui32>
  return %0 : tensor<?x4xui32>
}

// The state has 624 words, and a loop adds one word at a time. A parallel loop tempers them.
// CHECK-LABEL: @mersenne_twister
func.func @mersenne_twister(%n: tensor<i64>) -> tensor<?xui32> {
  // CHECK-DAG: %[[LENGTH:.*]] = arith.constant 624 : index
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant 1812433253 : i32
  // CHECK: %[[N:.*]] = rt.check {{.*}}, shape, "the number of words is {0}"
  // CHECK: scf.for {{.*}} to %[[LENGTH]]
  // CHECK: arith.muli {{.*}}, %[[SCALE]]
  // CHECK: scf.for {{.*}} to %[[N]]
  // CHECK-COUNT-3: tensor.extract
  // CHECK: tensor.insert
  // CHECK: tensor.extract_slice {{.*}}[624] [%[[N]]] [1]
  // CHECK: linalg.generic
  // CHECK-COUNT-2: arith.shli
  %0 = ov.mersenne_twister %n {seed = 5} : (tensor<i64>) -> tensor<?xui32>
  return %0 : tensor<?xui32>
}
