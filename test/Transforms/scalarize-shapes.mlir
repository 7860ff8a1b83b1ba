// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-scalarize-shapes --canonicalize --cse --split-input-file | FileCheck %s

// The product of a shape of dims, a constant, and an element of an input.

// CHECK-LABEL: @product
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[N:.*]]: tensor<2xi64>)
func.func @product(%x: tensor<?x?xf32>, %n: tensor<2xi64>) -> index {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[D:.*]] = tensor.dim %[[X]], %[[C0]]
  // CHECK-DAG: %[[E:.*]] = tensor.extract %[[N]][%[[C1]]]
  // CHECK-DAG: %[[I:.*]] = arith.index_cast %[[D]] : index to i64
  // CHECK-DAG: %[[P:.*]] = arith.muli %[[I]], %{{.*}} : i64
  // CHECK: %[[Q:.*]] = arith.muli %[[P]], %[[E]] : i64
  // CHECK: %[[R:.*]] = arith.index_cast %[[Q]] : i64 to index
  // CHECK: return %[[R]]
  %c0 = arith.constant 0 : index
  %five = arith.constant dense<5> : tensor<1xi64>
  %one = arith.constant 1 : i64
  %d = tensor.dim %x, %c0 : tensor<?x?xf32>
  %i = arith.index_cast %d : index to i64
  %first = tensor.from_elements %i : tensor<1xi64>
  %last = tensor.extract_slice %n[1] [1] [1] : tensor<2xi64> to tensor<1xi64>
  %empty = tensor.empty() : tensor<3xi64>
  %a = tensor.insert_slice %first into %empty[0] [1] [1] : tensor<1xi64> into tensor<3xi64>
  %b = tensor.insert_slice %five into %a[1] [1] [1] : tensor<1xi64> into tensor<3xi64>
  %shape = tensor.insert_slice %last into %b[2] [1] [1] : tensor<1xi64> into tensor<3xi64>
  %scalar = tensor.empty() : tensor<i64>
  %init = linalg.fill ins(%one : i64) outs(%scalar : tensor<i64>) -> tensor<i64>
  %all = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%shape : tensor<3xi64>) outs(%init : tensor<i64>) {
  ^bb0(%in: i64, %out: i64):
    %p = arith.muli %out, %in : i64
    linalg.yield %p : i64
  } -> tensor<i64>
  %e = tensor.extract %all[] : tensor<i64>
  %r = arith.index_cast %e : i64 to index
  return %r : index
}

// -----

// Gathered at a constant position, and through a reshape.

// CHECK-LABEL: @gathered
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64)
// CHECK: return %[[B]]
func.func @gathered(%a: i64, %b: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %both = tensor.from_elements %a, %b : tensor<2xi64>
  %places = arith.constant dense<1> : tensor<1xi64>
  %empty = tensor.empty() : tensor<1xi64>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%places : tensor<1xi64>) outs(%empty : tensor<1xi64>) {
  ^bb0(%in: i64, %out: i64):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %both[%i] : tensor<2xi64>
    linalg.yield %v : i64
  } -> tensor<1xi64>
  %flat = tensor.collapse_shape %g [] : tensor<1xi64> into tensor<i64>
  %e = tensor.extract %flat[] : tensor<i64>
  return %e : i64
}

// -----

// Elements that a loop computes are read from its tensor, and so are those of ops that may fault.

// CHECK-LABEL: @stays
func.func @stays(%n: index, %x: i64) -> (i64, i64) {
  // CHECK: scf.for
  // CHECK: tensor.extract
  // CHECK: linalg.generic
  // CHECK: tensor.extract
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.from_elements %x : tensor<1xi64>
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%s = %init) -> tensor<1xi64> {
    %old = tensor.extract %s[%c0] : tensor<1xi64>
    %sum = arith.addi %old, %old : i64
    %next = tensor.insert %sum into %s[%c0] : tensor<1xi64>
    scf.yield %next : tensor<1xi64>
  }
  %e = tensor.extract %last[%c0] : tensor<1xi64>
  %empty = tensor.empty() : tensor<1xi64>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%init : tensor<1xi64>) outs(%empty : tensor<1xi64>) {
  ^bb0(%in: i64, %out: i64):
    %positive = arith.cmpi sgt, %in, %x : i64
    %v = rt.check %positive, arithmetic, "no" guards(%in : i64)
    linalg.yield %v : i64
  } -> tensor<1xi64>
  %f = tensor.extract %g[%c0] : tensor<1xi64>
  return %e, %f : i64, i64
}

// -----

// A sum of real numbers does not become scalars, which would be added in another order.

// CHECK-LABEL: @sum
// CHECK: linalg.reduce
// CHECK: tensor.extract
func.func @sum(%x: tensor<16xf32>, %n: tensor<2xi64>) -> (f32, i64) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant dense<1> : tensor<i64>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<16xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %p = linalg.reduce {arith.muli} ins(%n : tensor<2xi64>) outs(%one : tensor<i64>) dimensions = [0]
  %e = tensor.extract %s[] : tensor<f32>
  // CHECK-NOT: linalg
  %i = tensor.extract %p[] : tensor<i64>
  return %e, %i : f32, i64
}
