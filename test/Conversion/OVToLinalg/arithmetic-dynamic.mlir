// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// A dim that is 1 by type never clashes. Dims that come from one place are equal.
// CHECK-LABEL: func.func @sure(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
func.func @sure(%x: tensor<?x8xf32>, %row: tensor<1x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NOT: rt.check
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]])
  // CHECK-COUNT-3: outs(%[[EMPTY]]
  %0 = ov.add %x, %row : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %1 = ov.exp %0 : tensor<?x8xf32>
  %2 = ov.multiply %1, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// The ops that made the operands tell that their dims are equal, although each has computed its size by itself.
// CHECK-LABEL: func.func @same_size(
func.func @same_size(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x?xf32>) -> tensor<?xf32> {
  // CHECK-COUNT-2: rt.check %{{.*}}, shape, "the target shape does not fit
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>)
  %axis = ov.constant dense<0> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %dims = ov.shape_of %z {output_type = i64} : (tensor<?x?xf32>) -> tensor<2xi64>
  %n = ov.gather %dims, %zero, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %m = ov.gather %dims, %one, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %size = ov.multiply %n, %m : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %0 = ov.reshape %x, %size : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %1 = ov.reshape %y, %size : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %2 = ov.add %0, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// Either dim may be 1: what is read is selected, and depends on the check.
// CHECK-LABEL: func.func @ambiguous(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
func.func @ambiguous(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[A]], %c0
  // CHECK: %[[M:.*]] = tensor.dim %[[B]], %c0
  // CHECK-DAG: %[[SAME:.*]] = arith.cmpi eq, %[[N]], %[[M]]
  // CHECK-DAG: %[[M1:.*]] = arith.cmpi eq, %[[M]], %c1
  // CHECK-DAG: %[[N1:.*]] = arith.cmpi eq, %[[N]], %c1
  // CHECK: %[[D:.*]] = arith.select %[[N1]], %[[M]], %[[N]]
  // CHECK: %[[G:.*]]:3 = rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
  // CHECK-SAME: guards(%[[D]], %[[N]], %[[M]] : index, index, index)
  // CHECK: tensor.empty(%[[G]]#0)
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[IS1:.*]] = arith.cmpi eq, %[[G]]#1, %c1
  // CHECK: %[[AT:.*]] = arith.select %[[IS1]], %c0, %[[I]]
  // CHECK: tensor.extract %[[A]][%[[AT]]]
  %0 = ov.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Dims that must agree are checked, and the operands are read without broadcasting.
// CHECK-LABEL: func.func @agree(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
func.func @agree(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[G]]#0)
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<?xf32>, tensor<?xf32>) outs(%[[EMPTY]]
  %0 = ov.add %a, %b {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// If the size is static, an offset of 0 makes the operand depend on the check.
// CHECK-LABEL: func.func @agree_static(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<3xf32>
func.func @agree_static(%a: tensor<?xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: %[[G:.*]]:2 = rt.check {{.*}} guards(%{{.*}}, %c0 : index, index)
  // CHECK: %[[TIED:.*]] = tensor.extract_slice %[[A]][%[[G]]#1] [3] [1]
  // CHECK: linalg.generic {{.*}} ins(%[[TIED]], %[[B]]
  %0 = ov.add %a, %b {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A declared type with more static dims is checked.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
func.func @declared(%a: tensor<?xf32>, %b: tensor<1xf32>) -> tensor<3xf32> {
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "a dim is {0}, but {1} was declared"
  // CHECK: tensor.extract_slice %[[A]][%[[G]]#1] [3] [1]
  // CHECK: outs(%{{.*}} : tensor<3xf32>)
  %0 = ov.add %a, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Slices of tensors of equal dims have equal lengths, although each op computes its own.
// CHECK-LABEL: func.func @same_slices(
func.func @same_slices(%x: tensor<2x?xf32>, %stop: tensor<1xi64>) -> tensor<2x?xf32> {
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[FROM:.*]]] [2, %[[LENGTH:.*]]] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[FROM]]] [2, %[[LENGTH]]] [1, 1]
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x?xf32>, tensor<2x?xf32>)
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %y = ov.exp %x : tensor<2x?xf32>
  %0 = ov.slice %x, %zero, %stop, %one, %one
      : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %1 = ov.slice %y, %zero, %stop, %one, %one
      : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %2 = ov.add %0, %1 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %2 : tensor<2x?xf32>
}

// Slices of other starts may have other lengths.
// CHECK-LABEL: func.func @other_slices(
func.func @other_slices(%x: tensor<2x?xf32>, %stop: tensor<1xi64>) -> tensor<2x?xf32> {
  // CHECK: rt.check {{.*}} "dims {0} and {1} do not broadcast"
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %0 = ov.slice %x, %zero, %stop, %one, %one
      : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %1 = ov.slice %x, %one, %stop, %one, %one
      : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %2 = ov.add %0, %1 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %2 : tensor<2x?xf32>
}

// The values and the indices have equal dims, whichever way the call chooses.
// CHECK-LABEL: func.func @both_ways(
func.func @both_ways(%x: tensor<2x?xf32>, %k: tensor<i64>) -> tensor<2x?xf32> {
  // CHECK: %[[BEST:.*]]:2 = scf.if
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic {{.*}} ins(%[[BEST]]#0, %{{.*}} : tensor<2x?xf32>, tensor<2x?xf32>)
  %values, %indices = ov.topk %x, %k {axis = 1 : i64, index_element_type = i64, mode = #ov.topk_mode<max>,
                                      sort = #ov.topk_sort<value>}
      : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  %0 = ov.convert %indices : tensor<2x?xi64> to tensor<2x?xf32>
  %1 = ov.add %values, %0 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %1 : tensor<2x?xf32>
}

// Numbers that loops have counted are not compared.
// CHECK-LABEL: func.func @counted(
func.func @counted(%x: tensor<?xf32>) -> tensor<1x?xi64> {
  // CHECK: rt.check {{.*}} "dims {0} and {1} do not broadcast"
  %0 = ov.non_zero %x {output_type = i64} : (tensor<?xf32>) -> tensor<1x?xi64>
  %1 = ov.non_zero %x {output_type = i64} : (tensor<?xf32>) -> tensor<1x?xi64>
  %2 = ov.add %0, %1 : (tensor<1x?xi64>, tensor<1x?xi64>) -> tensor<1x?xi64>
  return %2 : tensor<1x?xi64>
}
