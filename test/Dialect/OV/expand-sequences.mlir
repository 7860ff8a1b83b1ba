// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-expand-sequences --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-expand-sequences --split-input-file \
// RUN:   --remarks-filter=ov-expand-sequences --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Missed] masked | Category:ov-expand-sequences | Reason="expected a length for each sequence that is known to be that of the time axis, so that no step compares it"

// Lengths that equal the axis need no counter.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[X:.*]]: tensor<1x5x2xf32>, %[[H:.*]]: tensor<1x1x3xf32>, %[[W:.*]]: tensor<1x3x2xf32>, %[[R:.*]]: tensor<1x3x3xf32>, %[[B:.*]]: tensor<1x3xf32>)
func.func @whole(%x: tensor<1x5x2xf32>, %h0: tensor<1x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
                 %b: tensor<1x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>) {
  // CHECK-DAG: %[[W0:.*]] = ov.squeeze %[[W]], %{{.*}} -> tensor<3x2xf32>
  // CHECK-DAG: %[[R0:.*]] = ov.squeeze %[[R]], %{{.*}} -> tensor<3x3xf32>
  // CHECK-DAG: %[[B0:.*]] = ov.squeeze %[[B]], %{{.*}} -> tensor<3xf32>
  // CHECK-DAG: %[[H0:.*]] = ov.squeeze %[[H]], %{{.*}} -> tensor<1x3xf32>
  // CHECK: %[[LOOP:.*]]:2 = ov.tensor_iterator slices(%[[PLACE:.*]] = %[[X]] along 1 [0:-1:1] part 1 : tensor<1x5x2xf32> to tensor<1x1x2xf32>) carried(%[[S:.*]] = %[[H0]] : tensor<1x3xf32>) concats(along 2 : tensor<1x1x5x3xf32>)
  // CHECK:   %[[IN:.*]] = ov.squeeze %[[PLACE]]
  // CHECK:   %[[CELL:.*]] = ov.rnn_cell %[[IN]], %[[S]], %[[W0]], %[[R0]], %[[B0]]
  // CHECK:   %[[PART:.*]] = ov.unsqueeze %[[CELL]]
  // CHECK:   ov.yield next(%[[CELL]] : tensor<1x3xf32>) concat(%[[PART]] : tensor<1x1x1x3xf32>)
  // CHECK: %[[LAST:.*]] = ov.unsqueeze %[[LOOP]]#0
  // CHECK: return %[[LOOP]]#1, %[[LAST]]
  %n = ov.constant dense<5> : tensor<1xi64>
  %0:2 = ov.rnn_sequence %x, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<1x5x2xf32>, tensor<1x1x3xf32>, tensor<1xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x3xf32>)
  return %0#0, %0#1 : tensor<1x1x5x3xf32>, tensor<1x1x3xf32>
}

// -----

// A dim of X read by shape_of, also through ops that keep the dim, is the axis too.
// CHECK-LABEL: func.func @shape_of(
func.func @shape_of(%x: tensor<?x?x2xf32>, %h0: tensor<?x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
                    %b: tensor<1x3xf32>) -> tensor<?x1x?x3xf32> {
  // CHECK: ov.tensor_iterator
  // CHECK-NOT: ov.less
  // CHECK-NOT: ov.select
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %order = ov.constant dense<[1, 0, 2]> : tensor<3xi64>
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x?x2xf32>) -> tensor<3xi64>
  %time = ov.gather %shape, %zero, %axis : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %batch = ov.gather %shape, %one, %axis : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %n = ov.broadcast %time, %batch : (tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %y = ov.relu %x : tensor<?x?x2xf32>
  %t = ov.transpose %y, %order : (tensor<?x?x2xf32>, tensor<3xi64>) -> tensor<?x?x2xf32>
  %0:2 = ov.rnn_sequence %t, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x?x2xf32>, tensor<?x1x3xf32>, tensor<?xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  return %0#0 : tensor<?x1x?x3xf32>
}

// -----

// Another dim is not the axis.
// CHECK-LABEL: func.func @other_dim(
func.func @other_dim(%x: tensor<?x?x2xf32>, %h0: tensor<?x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
                     %b: tensor<1x3xf32>) -> tensor<?x1x?x3xf32> {
  // CHECK: ov.tensor_iterator
  // CHECK: ov.less
  %zero = ov.constant dense<0> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x?x2xf32>) -> tensor<3xi64>
  %batch = ov.gather %shape, %zero, %axis : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %n = ov.broadcast %batch, %batch : (tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %0:2 = ov.rnn_sequence %x, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x?x2xf32>, tensor<?x1x3xf32>, tensor<?xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  return %0#0 : tensor<?x1x?x3xf32>
}

// -----

// Lengths of another number than the sequences are a fault, though no step reads lengths that cover the axis. The number
// is read where the broadcast has it, so that it does not depend on the lengths.
// CHECK-LABEL: func.func @other_number(
// CHECK-SAME: %[[H:[^:]*]]: tensor<?x1x3xf32>, %[[COUNT:[^:]*]]: tensor<1xi64>
func.func @other_number(%x: tensor<?x5x2xf32>, %h0: tensor<?x1x3xf32>, %count: tensor<1xi64>, %w: tensor<1x3x2xf32>,
                        %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) -> tensor<?x1x5x3xf32> {
  // CHECK: %[[OF_X:.*]] = ov.reshape %[[H]],
  // CHECK: %[[NUMBER:.*]] = ov.gather %[[COUNT]],
  // CHECK: %[[DIMS:.*]] = ov.concat %[[NUMBER]],
  // CHECK: ov.reshape %[[OF_X]], %[[DIMS]]
  // CHECK: ov.tensor_iterator
  // CHECK-NOT: ov.less
  %five = ov.constant dense<5> : tensor<1xi64>
  %n = ov.broadcast %five, %count : (tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %0:2 = ov.rnn_sequence %x, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x5x2xf32>, tensor<?x1x3xf32>, tensor<?xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x5x3xf32>, tensor<?x1x3xf32>)
  return %0#0 : tensor<?x1x5x3xf32>
}

// -----

// As exporters write two layers: both have a length and a state of zeros for each sequence of x. The loop that the first
// one becomes does not tell that its result has as many sequences, but this is known before.
// CHECK-LABEL: func.func @stacked(
// CHECK-NOT: ov.reshape
// CHECK: ov.tensor_iterator
// CHECK-NOT: {{ov.reshape|ov.less}}
// CHECK: ov.tensor_iterator
// CHECK-NOT: ov.less
func.func @stacked(%x: tensor<?x?x3xf32>, %w: tensor<1x3x3xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>)
    -> tensor<?x1x?x3xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<1xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %dims = ov.shape_of %x {output_type = i64} : (tensor<?x?x3xf32>) -> tensor<3xi64>
  %batch = ov.gather %dims, %zero, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %time = ov.gather %dims, %one, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %n = ov.broadcast %time, %batch : (tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %like = ov.concat %batch, %one, %three {axis = 0 : i64}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %h = ov.broadcast %f0, %like : (tensor<f32>, tensor<3xi64>) -> tensor<?x1x3xf32>
  %0:2 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x?x3xf32>, tensor<?x1x3xf32>, tensor<?xi64>,
    tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  %1 = ov.squeeze %0#0, %one : (tensor<?x1x?x3xf32>, tensor<1xi64>) -> tensor<?x?x3xf32>
  %2:2 = ov.rnn_sequence %1, %0#1, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x?x3xf32>, tensor<?x1x3xf32>, tensor<?xi64>,
    tensor<1x3x3xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  return %2#0 : tensor<?x1x?x3xf32>
}

// -----

// Two directions: the second counts down from the last position. Layout steps select the weights of each direction.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x2xf32>, %{{.*}}: tensor<2x2x3xf32>, %[[N:.*]]: tensor<2xi32>)
func.func @lengths(%x: tensor<2x5x2xf32>, %h0: tensor<2x2x3xf32>, %n: tensor<2xi32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x3xf32>) {
  // CHECK: ov.constant #ov.weights<0, tensor<2x9x2xf32>, [#ov.extract<0, 0, 1>, #ov.reshape<[9, 2]>]>
  // CHECK: %[[FORWARD:.*]]:3 = ov.tensor_iterator slices(%{{.*}} = %[[X]] along 1 [0:-1:1]
  // CHECK-SAME: carried(%[[S:.*]] = %{{.*}} : tensor<2x3xf32>, %[[AT:.*]] = %{{.*}} : tensor<i64>)
  // CHECK:   %[[CELL:.*]] = ov.gru_cell %{{.*}}, %[[S]]
  // CHECK:   %[[COUNTS:.*]] = ov.less %[[AT]], %{{.*}} : (tensor<i64>, tensor<2x3xi64>) -> tensor<2x3xi1>
  // CHECK:   %[[RESULT:.*]] = ov.select %[[COUNTS]], %[[CELL]], %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK:   %[[NEXT:.*]] = ov.select %[[COUNTS]], %[[CELL]], %[[S]] {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK:   %[[THEN:.*]] = ov.add %[[AT]]
  // CHECK:   %[[PART:.*]] = ov.unsqueeze %[[RESULT]]
  // CHECK:   ov.yield next(%[[NEXT]], %[[THEN]] : {{.*}}) concat(%[[PART]]
  // CHECK: ov.constant #ov.weights<0, tensor<2x9x2xf32>, [#ov.extract<0, 1, 1>, #ov.reshape<[9, 2]>]>
  // CHECK: %[[BACKWARD:.*]]:3 = ov.tensor_iterator slices(%{{.*}} = %[[X]] along 1 [-1:0:-1]
  // CHECK-SAME: concats(along 2 reverse
  // CHECK: ov.concat %[[FORWARD]]#2, %[[BACKWARD]]#2 {axis = 1
  %w = ov.constant #ov.weights<0, tensor<2x9x2xf32>> : tensor<2x9x2xf32>
  %r = ov.constant #ov.weights<144, tensor<2x9x3xf32>> : tensor<2x9x3xf32>
  %b = ov.constant dense<0.0> : tensor<2x9xf32>
  %0:2 = ov.gru_sequence %x, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<bidirectional>,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = []} : (tensor<2x5x2xf32>,
    tensor<2x2x3xf32>, tensor<2xi32>, tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2x9xf32>)
    -> (tensor<2x2x5x3xf32>, tensor<2x2x3xf32>)
  return %0#0, %0#1 : tensor<2x2x5x3xf32>, tensor<2x2x3xf32>
}

// -----

// A batch of 0 is compared with that of the initial state. A target of 0 would take the state's own.
// CHECK-LABEL: func.func @empty_batch(
func.func @empty_batch(%x: tensor<0x5x2xf32>, %h0: tensor<?x1x3xf32>, %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>,
                       %b: tensor<1x3xf32>) -> tensor<0x1x5x3xf32> {
  // CHECK: %[[SHAPE:.*]] = ov.concat
  // CHECK: ov.reshape %{{.*}}, %[[SHAPE]] : (tensor<?x1x3xf32>, tensor<3xi64>) -> tensor<0x1x3xf32>
  %n = ov.constant dense<> : tensor<0xi64>
  %0:2 = ov.rnn_sequence %x, %h0, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<0x5x2xf32>, tensor<?x1x3xf32>, tensor<0xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<0x1x5x3xf32>, tensor<0x1x3xf32>)
  return %0#0 : tensor<0x1x5x3xf32>
}
