// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// A Loop whose body computes its condition is an scf.while. It carries the number of the iteration, whether to run it,
// and the scalar states.

// CHECK-LABEL: @condition
// CHECK-SAME: (%[[N:[^:]*]]: tensor<i64>, %[[C:[^:]*]]: tensor<i1>, %[[S0:[^:]*]]: tensor<4xf32>, %[[T0:[^:]*]]: tensor<f32>)
// CHECK-SAME: attributes {rt.time_loops = 1 : i64}
func.func @condition(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<4xf32>, %t0: tensor<f32>)
    -> (tensor<4xf32>, tensor<f32>) {
  %limit = ov.constant dense<100.0> : tensor<f32>
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : index
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 9223372036854775807 : index
  // CHECK-DAG: %[[BEGIN:.*]] = tensor.extract %[[C]][]
  // CHECK-DAG: %[[TRIP:.*]] = rt.check %{{.*}}, trip_count, "expected a trip count of at least -1, but got {0}"
  // CHECK-DAG: %[[UNLIMITED:.*]] = arith.cmpi eq, %[[TRIP]], %[[M1]]
  // CHECK-DAG: %[[BOUND:.*]] = arith.select %[[UNLIMITED]], %[[MAX]], %[[TRIP]]
  // CHECK-DAG: %[[SLOTS:.*]] = memref.alloc() : memref<2x4xf32>
  // CHECK-DAG: %[[T_IN:.*]] = tensor.extract %[[T0]][]
  // CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %[[C0]], %[[GO:.*]] = %[[BEGIN]], %[[T:.*]] = %[[T_IN]]) : (index, i1, f32) -> (index, f32) {
  // CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %[[BOUND]]
  // CHECK: %[[BOTH:.*]] = arith.andi %[[MORE]], %[[GO]]
  // CHECK: scf.condition(%[[BOTH]]) %[[I]], %[[T]] : index, f32
  // CHECK: } do {
  // CHECK: ^bb0(%[[I:.*]]: index, %[[T:.*]]: f32):
  // CHECK: rt.iteration %[[I]]
  // CHECK-DAG: tensor.from_elements %[[T]] : tensor<f32>
  // CHECK-DAG: %[[CURRENT:.*]] = arith.andi %[[I]], %[[C1]]
  // CHECK-DAG: %[[OTHER:.*]] = arith.xori %[[CURRENT]], %[[C1]]
  // CHECK-DAG: memref.subview %[[SLOTS]][%[[CURRENT]], 0]
  // CHECK-DAG: %[[TO:.*]] = memref.subview %[[SLOTS]][%[[OTHER]], 0]
  // CHECK: %[[M:.*]] = ov.exp
  // CHECK: %[[U:.*]] = ov.add
  // CHECK: %[[AGAIN:.*]] = ov.less
  // CHECK-DAG: bufferization.materialize_in_destination %[[M]] in restrict writable %[[TO]]
  // CHECK-DAG: %[[U_OUT:.*]] = tensor.extract %[[U]][]
  // CHECK-DAG: %[[AGAIN_OUT:.*]] = tensor.extract %[[AGAIN]][]
  // CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[I]], %[[C1]]
  // CHECK: scf.yield %[[NEXT]], %[[AGAIN_OUT]], %[[U_OUT]] : index, i1, f32
  %one = ov.constant dense<1.0> : tensor<f32>
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>, %t = %t0 : tensor<f32>) {
    %m = ov.exp %s : tensor<4xf32>
    %u = ov.add %t, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %u, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) next(%m, %u : tensor<4xf32>, tensor<f32>)
  }
  // The number of iterations that ran tells the slot.
  // CHECK: %[[PARITY:.*]] = arith.andi %[[R]]#0, %[[C1]]
  // CHECK: memref.subview %[[SLOTS]][%[[PARITY]], 0]
  // CHECK: tensor.from_elements %[[R]]#1 : tensor<f32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<f32>
}

// -----

// The number of parts that will be read is not known in advance. Each iteration checks that a part is left, unless the
// trip count proves it.

// CHECK-LABEL: @slices
func.func @slices(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<5xf32>, %y: tensor<?xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %zero = ov.constant dense<0.0> : tensor<1xf32>
  %five = ov.constant dense<5> : tensor<i64>
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
  // CHECK: scf.while
  // CHECK: rt.iteration %[[I:.*]]
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[C5]]
  // CHECK: %[[AT:.*]] = rt.check %[[INSIDE]], trip_count, "iteration {0} needs a part of its own, but a sliced input has {1}"({{.*}}) guards(%[[I]] : index)
  // CHECK: tensor.extract_slice %{{.*}}[%[[AT]]] [1] [1]
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>) last(tensor<1xf32>) {
    %again = ov.less %zero, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    ov.yield while(%again : tensor<1xi1>) last(%a : tensor<1xf32>)
  }
  // CHECK: scf.while
  // CHECK: rt.iteration %[[I:.*]]
  // CHECK-NOT: rt.check
  // CHECK: tensor.extract_slice %{{.*}}[%[[I]]] [1] [1]
  %q = ov.loop trip(%five : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>) last(tensor<1xf32>) {
    %again = ov.less %zero, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    ov.yield while(%again : tensor<1xi1>) last(%a : tensor<1xf32>)
  }
  // One axis that only the run tells is enough for checks.
  // CHECK: %[[PARTS:.*]] = rt.check %{{.*}}, shape, "an axis of {0} elements
  // CHECK: scf.while
  // CHECK: rt.iteration %[[I:.*]]
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[PARTS]]
  // CHECK: %[[AT:.*]] = rt.check %[[INSIDE]], trip_count
  // CHECK: tensor.extract_slice %{{.*}}[%[[AT]]] [1] [1] : tensor<?xf32>
  %p = ov.loop trip(%five : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>,
             %b = %y along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>) last(tensor<1xf32>) {
    %again = ov.less %b, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    ov.yield while(%again : tensor<1xi1>) last(%b : tensor<1xf32>)
  }
  return %r, %q, %p : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// The body ends the loop after one iteration, but whether that one runs is known only at run time.

// CHECK-LABEL: @once_or_never
func.func @once_or_never(%c: tensor<i1>, %s0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = ov.constant dense<-1> : tensor<i64>
  %false = ov.constant dense<false> : tensor<i1>
  // CHECK-DAG: %[[ZEROS:.*]] = {{arith|ov}}.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK: %[[LAST:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: bufferization.materialize_in_destination %[[ZEROS]] in restrict writable %[[LAST]]
  // CHECK: scf.while
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) last(tensor<4xf32>) {
    %m = ov.exp %s : tensor<4xf32>
    ov.yield while(%false : tensor<i1>) next(%m : tensor<4xf32>) last(%m : tensor<4xf32>)
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The length of the concatenation is known only at the end, so its parts lie in a buffer that grows. If the declared
// type has the length, it is checked.

// CHECK-LABEL: @concatenation
func.func @concatenation(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<1x4xf32>) -> tensor<5x4xf32> {
  %limit = ov.constant dense<3> : tensor<i64>
  // CHECK: scf.while
  // CHECK: rt.reserve
  // CHECK: %[[LENGTH:.*]] = arith.cmpi eq, %{{.*}}, %c5
  // CHECK: rt.check %[[LENGTH]], shape, "expected a concatenation with a dim of {0}, but got {1}"
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
      concats(along 0 : tensor<5x4xf32>) {
    %again = ov.less %i, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%again : tensor<i1>) concat(%x : tensor<1x4xf32>)
  }
  return %r : tensor<5x4xf32>
}
