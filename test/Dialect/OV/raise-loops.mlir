// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-raise-loops --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-raise-loops --split-input-file \
// RUN:   --remarks-filter=ov-raise-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] trip-count | Category:ov-raise-loops | Remark="the condition of the loop became its trip count"
// REMARK-DAG: [Passed] slices | Category:ov-raise-loops | Remark="reads at a counter that became slices of the loop: 1"
// REMARK-DAG: [Passed] concatenations | Category:ov-raise-loops | Remark="lists that became concatenations of the loop: 1"

// The form that Keras exports: two counters, a gather and a scatter by them, and the limit in the condition.
// CHECK-LABEL: @keras
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>)
func.func @keras(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32>
  %eight = ov.constant dense<8> : tensor<i32>
  %axis = ov.constant dense<0> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64>
  %list0 = ov.constant dense<0.0> : tensor<8x4xf32>
  // CHECK-DAG: %[[TRIP:.*]] = ov.constant dense<8> : tensor<i64>
  // CHECK: %[[R:.*]] = ov.loop trip(%[[TRIP]] : tensor<i64>) while(%{{.*}} : tensor<i1>)
  // CHECK-SAME: slices(%[[P:.*]] = %[[X]] along 0 [0:7:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
  // CHECK-SAME: concats(along 0 : tensor<8x4xf32>)
  %r:3 = ov.loop trip(%unlimited : tensor<i64>) while(%true : tensor<i1>)
      carried(%i = %zero : tensor<i32>, %j = %zero : tensor<i32>, %list = %list0 : tensor<8x4xf32>) {
    // CHECK: %[[S:.*]] = ov.squeeze %[[P]]
    // CHECK: %[[T:.*]] = ov.tanh %[[S]]
    // CHECK: %[[U:.*]] = ov.unsqueeze %[[T]]
    // CHECK: ov.yield while(%{{.*}} : tensor<i1>) concat(%[[U]] : tensor<1x4xf32>)
    %x_i = ov.gather %x, %j, %axis : (tensor<8x4xf32>, tensor<i32>, tensor<i64>) -> tensor<4xf32>
    %y_i = ov.tanh %x_i : tensor<4xf32>
    %at = ov.unsqueeze %j, %axes : (tensor<i32>, tensor<1xi64>) -> tensor<1xi32>
    %row = ov.unsqueeze %y_i, %axes : (tensor<4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %next = ov.scatter_update %list, %at, %row, %axis : (tensor<8x4xf32>, tensor<1xi32>, tensor<1x4xf32>, tensor<i64>) -> tensor<8x4xf32>
    %i1 = ov.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j1 = ov.add %one, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a = ov.less %i1, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %b = ov.greater %eight, %j1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = ov.logical_and %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.yield while(%c : tensor<i1>) next(%i1, %j1, %next : tensor<i32>, tensor<i32>, tensor<8x4xf32>)
  }
  // CHECK: return %[[R]] : tensor<8x4xf32>
  return %r#2 : tensor<8x4xf32>
}

// -----

// The length is known only at run time. The initial condition is the same comparison, so zero is no special case.
// CHECK-LABEL: @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>)
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %unlimited = ov.constant dense<-1> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %four = ov.constant dense<4> : tensor<1xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64>
  // CHECK: %[[N:.*]] = ov.gather
  // CHECK: %[[COUNT:.*]] = ov.maximum %[[N]]
  // CHECK: ov.loop trip(%[[COUNT]] : tensor<i64>) while(%{{[^ ]*}} : tensor<i1>)
  // CHECK-SAME: slices(%{{.*}} = %[[X]] along 0 [0:-1:1] part 1
  // CHECK-SAME: concats(along 0 : tensor<?x4xf32>)
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x4xf32>) -> tensor<2xi64>
  %n = ov.gather %shape, %zero, %axis : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %n1 = ov.unsqueeze %n, %axes : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %dims = ov.concat %n1, %four {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %list0 = ov.broadcast %f0, %dims : (tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
  %first = ov.less %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r:2 = ov.loop trip(%unlimited : tensor<i64>) while(%first : tensor<i1>)
      carried(%i = %zero : tensor<i64>, %list = %list0 : tensor<?x4xf32>) {
    %x_i = ov.gather %x, %i, %axis : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %y_i = ov.tanh %x_i : tensor<4xf32>
    %next = ov.scatter_update %list, %i, %y_i, %axis : (tensor<?x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<?x4xf32>
    %i1 = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a = ov.less %i1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%a : tensor<i1>) next(%i1, %next : tensor<i64>, tensor<?x4xf32>)
  }
  return %r#1 : tensor<?x4xf32>
}

// -----

// A list that grows, as scripted PyTorch and ONNX write it, here after two existing rows.
// CHECK-LABEL: @grow
func.func @grow(%s0: tensor<1x4xf32>, %two: tensor<2x4xf32>, %n: tensor<i64>) -> tensor<?x4xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %list0 = tensor.cast %two : tensor<2x4xf32> to tensor<?x4xf32>
  // CHECK: %[[R:.*]]:2 = ov.loop
  // CHECK-SAME: concats(along 0 : tensor<?x4xf32>)
  // CHECK-NOT: ov.concat
  // CHECK: }
  // CHECK: ov.concat %{{.*}}, %[[R]]#1
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>)
      carried(%s = %s0 : tensor<1x4xf32>, %list = %list0 : tensor<?x4xf32>) {
    %t = ov.tanh %s : tensor<1x4xf32>
    %next = ov.concat %list, %t {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.yield while(%true : tensor<i1>) next(%t, %next : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  %both = ov.concat %r#1, %r#0 {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %both : tensor<?x4xf32>
}

// -----

// Rows 2 to 4 of six are written; the others stay.
// CHECK-LABEL: @part
// CHECK-SAME: , %[[B:.*]]: tensor<6x4xf32>
func.func @part(%x: tensor<4xf32>, %b: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %three = ov.constant dense<3> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[R:.*]] = ov.loop {{.*}} concats(along 0 : tensor<3x4xf32>)
  // CHECK-DAG: %[[FRONT:.*]] = tensor.extract_slice %[[B]][0, 0] [2, 4] [1, 1]
  // CHECK-DAG: %[[BACK:.*]] = tensor.extract_slice %[[B]][5, 0] [1, 4] [1, 1]
  // CHECK: ov.concat %[[FRONT]], %[[R]], %[[BACK]]
  %r = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>) carried(%list = %b : tensor<6x4xf32>) {
    %at = ov.add %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %y = ov.multiply %x, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %next = ov.scatter_update %list, %at, %y, %axis : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<6x4xf32>)
  }
  return %r : tensor<6x4xf32>
}

// -----

// Not raised: the list is read, the loop may end early, the gather would be out of range, the data changes.
// CHECK-LABEL: @not
func.func @not(%x: tensor<3x4xf32>, %b: tensor<6x4xf32>, %limit: tensor<f32>) -> (tensor<6x4xf32>, tensor<4xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %six = ov.constant dense<6> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<i64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64>
  %zeros = ov.constant dense<0.0> : tensor<4xf32>
  // CHECK: ov.loop
  // CHECK-NOT: slices
  // CHECK-NOT: concats
  // CHECK: return
  %r:3 = ov.loop trip(%six : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%list = %b : tensor<6x4xf32>, %other = %b : tensor<6x4xf32>, %sum = %zeros : tensor<4xf32>) {
    %x_i = ov.gather %x, %i, %axis : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %l_i = ov.gather %list, %i, %axis : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %y = ov.add %x_i, %l_i : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %next = ov.scatter_update %list, %i, %y, %axis : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    %next2 = ov.scatter_update %other, %i, %x_i, %axis : (tensor<6x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<6x4xf32>
    %total = ov.reduce_sum %y, %axis : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %c = ov.less %total, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%c : tensor<i1>) next(%next, %next2, %y : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>)
  }
  %both = ov.add %r#0, %r#1 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %both, %r#2 : tensor<6x4xf32>, tensor<4xf32>
}

// -----

// A trip count that stands for no limit, and a condition of the body: the length of the list is not known.
// CHECK-LABEL: @open_end
func.func @open_end(%s0: tensor<1x4xf32>, %two: tensor<2x4xf32>, %limit: tensor<f32>) -> tensor<?x4xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %trip = ov.constant dense<9223372036854775807> : tensor<i64>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64>
  %list0 = tensor.cast %two : tensor<2x4xf32> to tensor<?x4xf32>
  // CHECK: %[[R:.*]]:2 = ov.loop
  // CHECK-SAME: concats(along 0 : tensor<?x4xf32>)
  // CHECK: ov.concat %{{.*}}, %[[R]]#1
  %r:2 = ov.loop trip(%trip : tensor<i64>) while(%true : tensor<i1>)
      carried(%s = %s0 : tensor<1x4xf32>, %list = %list0 : tensor<?x4xf32>) {
    %t = ov.tanh %s : tensor<1x4xf32>
    %next = ov.concat %list, %t {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    %sum = ov.reduce_sum %t, %axes : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<f32>
    %more = ov.less %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.yield while(%more : tensor<i1>) next(%t, %next : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  return %r#1 : tensor<?x4xf32>
}
