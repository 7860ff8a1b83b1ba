// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// A Loop whose body always asks for another iteration is an scf.for. A constant trip count needs no check.

// CHECK-LABEL: @constant
// CHECK-SAME: attributes {rt.time_loops = 1 : i64}
func.func @constant(%s0: tensor<4xf32>) -> (tensor<4xf32>, tensor<6x4xf32>) {
  %n = ov.constant dense<6> : tensor<i64>
  %true = ov.constant dense<true> : tensor<1xi1>
  // CHECK-NOT: rt.check
  // CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
  // CHECK: %[[ALL:.*]] = memref.alloc() : memref<6x4xf32>
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[C6]] step %{{.*}} {
  // CHECK-NEXT: rt.iteration %[[T]]
  // The index is the number of the iteration.
  // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[T]] : index to i32
  // CHECK: %[[INDEX:.*]] = tensor.from_elements %[[NUMBER]] : tensor<1xi32>
  // CHECK: ov.convert %[[INDEX]]
  // CHECK-NOT: rt.check
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<1xi1>) index(%i : tensor<1xi32>)
      carried(%s = %s0 : tensor<4xf32>) concats(along 0 : tensor<6x4xf32>) {
    %f = ov.convert %i : tensor<1xi32> to tensor<1xf32>
    %m = ov.add %s, %f : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    %p = ov.unsqueeze %m, %axis : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<1xi1>) next(%m : tensor<4xf32>) concat(%p : tensor<1x4xf32>)
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<6x4xf32>
}

// -----

// The trip count is known only at run time: it is at least -1, and limited. The first condition may still be false.

// CHECK-LABEL: @runtime
// CHECK-SAME: (%[[N:[^:]*]]: tensor<1xi32>, %[[C:[^:]*]]: tensor<i1>
func.func @runtime(%n: tensor<1xi32>, %c: tensor<i1>, %s0: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : index
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[TRIP32:.*]] = tensor.extract %[[N]][%[[C0]]]
  // CHECK: %[[TRIP:.*]] = arith.index_cast %[[TRIP32]] : i32 to index
  // CHECK: %[[VALID:.*]] = arith.cmpi sge, %[[TRIP]], %[[M1]]
  // CHECK: %[[LIMIT:.*]] = rt.check %[[VALID]], trip_count, "expected a trip count of at least -1, but got {0}"({{.*}}) guards(%[[TRIP]] : index)
  // CHECK: %[[BEGIN:.*]] = tensor.extract %[[C]][]
  // CHECK-DAG: %[[ENDS:.*]] = arith.ori
  // CHECK-DAG: %[[WANTED:.*]] = arith.select %[[BEGIN]], %[[LIMIT]], %[[C0]]
  // CHECK: %[[COUNT:.*]] = rt.check %[[ENDS]], trip_count, "a loop without a trip count, slices or a condition never ends" guards(%[[WANTED]] : index)
  // CHECK: %[[ROWS:.*]] = rt.check %{{.*}}, overflow, "a concatenation of {0} parts is too large"({{.*}}) guards(%[[COUNT]] : index)
  // CHECK: memref.alloc(%[[ROWS]]) : memref<?x4xf32>
  // CHECK: scf.for %{{.*}} = %[[C0]] to %[[COUNT]]
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r:2 = ov.loop trip(%n : tensor<1xi32>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>)
      concats(along 0 : tensor<?x4xf32>) {
    %m = ov.exp %s : tensor<4xf32>
    %p = ov.unsqueeze %m, %axis : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) next(%m : tensor<4xf32>) concat(%p : tensor<1x4xf32>)
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x4xf32>
}

// -----

// No limit and no condition that ends the loop: a fault before the first iteration, if there is one.

// CHECK-LABEL: @endless
// CHECK-SAME: (%[[C:[^:]*]]: tensor<i1>
func.func @endless(%c: tensor<i1>, %s0: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[BEGIN:.*]] = tensor.extract %[[C]][]
  // CHECK-DAG: %[[ENDS:.*]] = arith.xori %[[BEGIN]], %[[TRUE]]
  // CHECK: rt.check %[[ENDS]], trip_count, "a loop without a trip count, slices or a condition never ends"
  // CHECK: scf.for
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %m = ov.exp %s : tensor<4xf32>
    ov.yield while(%true : tensor<i1>) next(%m : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// -----

// No trip count, but slices: the slices are the limit.

// CHECK-LABEL: @limited_by_slices
func.func @limited_by_slices(%x: tensor<5x4xf32>, %y: tensor<3xf32>) -> tensor<?x4xf32> {
  %n = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-NOT: rt.check
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[C3]]
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5x4xf32> to tensor<1x4xf32>,
             %b = %y along 0 [0:-1:1] part 1 : tensor<3xf32> to tensor<1xf32>)
      concats(along 0 : tensor<?x4xf32>) {
    %p = ov.add %a, %b : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1x4xf32>
    ov.yield while(%true : tensor<i1>) concat(%p : tensor<1x4xf32>)
  }
  return %r : tensor<?x4xf32>
}

// -----

// More iterations than parts are a fault. As many or fewer need no check if both are known.

// CHECK-LABEL: @fewer_trips
func.func @fewer_trips(%x: tensor<5xf32>, %y: tensor<?xf32>, %s0: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %n = ov.constant dense<5> : tensor<i64>
  %m = ov.constant dense<6> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
  // CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
  // CHECK-NOT: rt.check
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[C5]]
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>) carried(%s = %s0 : tensor<1xf32>) {
    %t = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<1xf32>)
  }
  // CHECK: %[[COUNT:.*]] = rt.check %[[FALSE]], trip_count, "{0} iterations need as many parts, but a sliced input has {1}"({{.*}}) guards(%[[C6]] : index)
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
  %q = ov.loop trip(%m : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>) carried(%s = %s0 : tensor<1xf32>) {
    %t = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield while(%true : tensor<i1>) next(%t : tensor<1xf32>)
  }
  // One long static axis does not make up for another that only the run tells. An axis of no elements has no parts.
  // CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
  // CHECK: %[[OK:.*]] = arith.ori %{{.*}}, %[[EMPTY]]
  // CHECK: %[[PARTS:.*]] = rt.check %[[OK]], shape, "an axis of {0} elements
  // CHECK: %[[LEAST:.*]] = arith.minsi %[[PARTS]], %[[C5]]
  // CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[LEAST]], %[[C5]]
  // CHECK: %[[COUNT:.*]] = rt.check %[[ENOUGH]], trip_count, "{0} iterations need as many parts, but a sliced input has {1}"({{.*}}) guards(%[[C5]] : index)
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
  %p = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>,
             %b = %y along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>) carried(%s = %s0 : tensor<1xf32>) {
    %t = ov.add %a, %s : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %u = ov.add %b, %t : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield while(%true : tensor<i1>) next(%u : tensor<1xf32>)
  }
  return %r, %q, %p : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// Last values are zeros if the loop may not run.

// CHECK-LABEL: @last
// CHECK-SAME: (%[[N:[^:]*]]: tensor<i64>, %[[X:[^:]*]]: tensor<4xf32>)
func.func @last(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
  // CHECK-DAG: %[[ZEROS:.*]] = {{arith|ov}}.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: bufferization.materialize_in_destination %[[ZEROS]] in restrict writable %[[A]]
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (f32)
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      last(tensor<4xf32>, tensor<f32>) {
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %t = ov.add %x, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.yield while(%true : tensor<i1>) last(%t, %f : tensor<4xf32>, tensor<f32>)
  }
  // CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
  // CHECK-NOT: materialize_in_destination %[[ZEROS]]
  // CHECK: scf.for
  %q = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) last(tensor<4xf32>) {
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %t = ov.add %x, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.yield while(%true : tensor<i1>) last(%t : tensor<4xf32>)
  }
  return %r#0, %r#1, %q : tensor<4xf32>, tensor<f32>, tensor<4xf32>
}

// -----

// An i32 index that exceeds i32 is a fault.

// CHECK-LABEL: @narrow_index
func.func @narrow_index(%n: tensor<i64>) -> tensor<i32> {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: scf.for %[[T:[^ ]*]] =
  // CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[T]], %c2147483647
  // CHECK: %[[NUMBER:.*]] = rt.check %[[FITS]], overflow, "iteration {0} does not fit the i32 iteration index"({{.*}}) guards(%[[T]] : index)
  // CHECK: arith.index_cast %[[NUMBER]] : index to i32
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i32>) last(tensor<i32>) {
    ov.yield while(%true : tensor<i1>) last(%i : tensor<i32>)
  }
  return %r : tensor<i32>
}
