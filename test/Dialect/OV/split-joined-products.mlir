// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-split-joined-products --canonicalize --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-split-joined-products --split-input-file \
// RUN:   --remarks-filter=ov-split-joined-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] split | Category:ov-split-joined-products | Remark="the product of 2 joined inputs and states is a sum of as many products"

// The columns of a transposed matrix are split too. All other dims agree, so the concatenation goes.

// CHECK-LABEL: @transposed
// CHECK-DAG: %[[WX:.*]] = ov.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [4.000000e+00, 5.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: %[[WS:.*]] = ov.constant dense<{{\[\[}}3.000000e+00], [6.000000e+00]]> : tensor<2x1xf32>
// CHECK: ov.tensor_iterator slices(%[[X:.*]] = %{{.*}} along 0 {{.*}} carried(%[[S:.*]] = %{{.*}} : tensor<1x1xf32>)
// CHECK-NEXT: %[[PX:.*]] = ov.matmul %[[X]], %[[WX]] {transpose_b = true}
// CHECK-NEXT: %[[PS:.*]] = ov.matmul %[[S]], %[[WS]] {transpose_b = true}
// CHECK-NEXT: ov.add %[[PX]], %[[PS]] {auto_broadcast = #ov.auto_broadcast<none>}
func.func @transposed(%x: tensor<25x2xf32>, %s0: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<25x2xf32>) {
  %w = ov.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %axis = ov.constant dense<1> : tensor<1xi64>
  %h, %all = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<25x2xf32> to tensor<1x2xf32>)
      carried(%s = %s0 : tensor<1x1xf32>) concats(along 0 : tensor<25x2xf32>) {
    %xs = ov.concat %x_t, %s {axis = -1} : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
    %0 = ov.matmul %xs, %w {transpose_b = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
    %1 = ov.reduce_sum %0, %axis {keep_dims = true} : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<1x1xf32>
    ov.yield next(%1 : tensor<1x1xf32>) concat(%0 : tensor<1x2xf32>)
  }
  return %h, %all : tensor<1x1xf32>, tensor<25x2xf32>
}

// -----

// Only the call tells the rows of the state. The concatenation stays, because it fails if they are not those of the
// part.

// CHECK-LABEL: @rows
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, 0] [2, 4]
// CHECK-DAG: tensor.extract_slice %{{.*}}[2, 0] [4, 4]
// CHECK: ov.tensor_iterator
// CHECK: ov.concat
// CHECK: ov.matmul
// CHECK: ov.matmul
// CHECK: ov.add
func.func @rows(%x: tensor<?x?x2xf32>, %s0: tensor<?x4xf32>, %w: tensor<6x4xf32>) -> tensor<?x4xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x?x2xf32> to tensor<1x?x2xf32>)
      carried(%s = %s0 : tensor<?x4xf32>) {
    %row = ov.squeeze %x_t, %axis : (tensor<1x?x2xf32>, tensor<1xi64>) -> tensor<?x2xf32>
    %xs = ov.concat %row, %s {axis = 1} : (tensor<?x2xf32>, tensor<?x4xf32>) -> tensor<?x6xf32>
    %0 = ov.matmul %xs, %w : (tensor<?x6xf32>, tensor<6x4xf32>) -> tensor<?x4xf32>
    ov.yield next(%0 : tensor<?x4xf32>)
  }
  return %h : tensor<?x4xf32>
}

// -----

// Nothing here can leave the loop: two states are joined.

// CHECK-LABEL: @states
// CHECK: ov.concat
// CHECK: ov.matmul
// CHECK-NOT: ov.matmul
func.func @states(%s0: tensor<1x2xf32>, %w: tensor<4x2xf32>, %n: tensor<i64>, %on: tensor<i1>) -> tensor<1x2xf32> {
  %h = ov.loop trip(%n : tensor<i64>) while(%on : tensor<i1>) carried(%s = %s0 : tensor<1x2xf32>) {
    %twice = ov.concat %s, %s {axis = 1} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
    %0 = ov.matmul %twice, %w : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    ov.yield while(%on : tensor<i1>) next(%0 : tensor<1x2xf32>)
  }
  return %h : tensor<1x2xf32>
}

// -----

// A sum of two products that were rounded to 16 bits is less exact than one product.

// CHECK-LABEL: @half
// CHECK: ov.matmul
// CHECK-NOT: ov.matmul
func.func @half(%x: tensor<25x2xf16>, %s0: tensor<1x1xf16>, %w: tensor<3x1xf16>) -> tensor<1x1xf16> {
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<25x2xf16> to tensor<1x2xf16>)
      carried(%s = %s0 : tensor<1x1xf16>) {
    %xs = ov.concat %x_t, %s {axis = 1} : (tensor<1x2xf16>, tensor<1x1xf16>) -> tensor<1x3xf16>
    %0 = ov.matmul %xs, %w : (tensor<1x3xf16>, tensor<3x1xf16>) -> tensor<1x1xf16>
    ov.yield next(%0 : tensor<1x1xf16>)
  }
  return %h : tensor<1x1xf16>
}
