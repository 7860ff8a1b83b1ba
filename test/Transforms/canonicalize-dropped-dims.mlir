// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt --rt-canonicalize %s | FileCheck %s
// RUN: not ir-opt --canonicalize %s 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: 'tensor.cast' op operand type 'tensor<2x1xf32>' and result type 'tensor<?x2xf32>' are cast incompatible

// A slice drops the same dims when another one becomes known to be 1. Upstream would drop the first dim, and cast to a
// type that does not fit.
// CHECK-LABEL: func.func @dropped
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [1, 2, 1] [1, 1, 1] : tensor<?x2x2xf32> to tensor<1x2xf32>
// CHECK: tensor.insert_slice %{{.*}} into %arg1[0, 0, 0] [1, 2, 1] [1, 1, 1] : tensor<1x2xf32> into tensor<?x2x2xf32>
func.func @dropped(%a: tensor<?x2x2xf32>, %b: tensor<?x2x2xf32>, %c: tensor<?x2xf32>)
    -> (tensor<?x2xf32>, tensor<?x2x2xf32>) {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %a[0, 0, 0] [%c1, 2, 1] [1, 1, 1] : tensor<?x2x2xf32> to tensor<?x2xf32>
  %1 = tensor.insert_slice %c into %b[0, 0, 0] [%c1, 2, 1] [1, 1, 1] : tensor<?x2xf32> into tensor<?x2x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2x2xf32>
}
