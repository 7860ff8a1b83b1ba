// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt --rt-canonicalize="omit-ops=vector.insert" %s | FileCheck %s
// RUN: ir-opt --canonicalize %s | FileCheck %s --check-prefix=UPSTREAM

// A vector that is put together from registers stays as it is, and everything else is brought into canonical form.
// Upstream's canonicalizer makes one op on all elements of the vector.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: arith
// CHECK: vector.insert %arg0, %{{.*}} [0]
// CHECK: vector.insert %arg1, %{{.*}} [1]
// CHECK: return %{{.*}}, %arg2
// UPSTREAM-LABEL: func.func @rows
// UPSTREAM-NOT: vector.insert
func.func @rows(%a: vector<4xf32>, %b: vector<4xf32>, %i: index) -> (vector<2x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %none = ub.poison : vector<2x4xf32>
  %0 = vector.insert %a, %none [0] : vector<4xf32> into vector<2x4xf32>
  %1 = vector.insert %b, %0 [1] : vector<4xf32> into vector<2x4xf32>
  %2 = arith.addi %i, %c0 : index
  return %1, %2 : vector<2x4xf32>, index
}

// A slice without elements is neither read nor written.
// CHECK-LABEL: func.func @nothing
// CHECK: %[[READ:.*]] = tensor.empty(%arg2) : tensor<0x?xf32>
// CHECK: return %[[READ]], %arg1
// UPSTREAM-LABEL: func.func @nothing
// UPSTREAM: tensor.extract_slice
func.func @nothing(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %n: index) -> (tensor<0x?xf32>, tensor<?x?x?xf32>) {
  %0 = tensor.extract_slice %a[0, 0, 0] [1, 0, %n] [1, 1, 1] : tensor<?x?x?xf32> to tensor<0x?xf32>
  %1 = tensor.insert_slice %0 into %b[0, 0, 0] [1, 0, %n] [1, 1, 1] : tensor<0x?xf32> into tensor<?x?x?xf32>
  return %0, %1 : tensor<0x?xf32>, tensor<?x?x?xf32>
}
