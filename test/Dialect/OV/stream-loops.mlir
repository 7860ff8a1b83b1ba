// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-stream-loops --split-input-file | FileCheck %s

// The example of the pass's documentation, in a layer with a name: its state has that name.

// CHECK: module attributes {ov.states = array<i64: 1>}
// CHECK-LABEL: func.func @example(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x1x3xf32> {ov.name = "x"}, %[[H0:[^:]*]]: tensor<1x3xf32>,
// CHECK-SAME: %[[STATE:[^:]*]]: tensor<1x3xf32> {ov.element_type = f32, ov.name = "memory.0"},
// CHECK-SAME: %[[SET:[^:]*]]: tensor<i1> {ov.element_type = i1, ov.name = "memory.0 is set"})
// CHECK-SAME: -> (tensor<1x1x3xf32> {ov.name = "y"}, tensor<1x3xf32> {ov.element_type = f32, ov.name = "memory.0"})
func.func @example(%x: tensor<25x1x3xf32> {ov.name = "x"}, %h0: tensor<1x3xf32>)
    -> (tensor<25x1x3xf32> {ov.name = "y"}) {
  %axis = ov.constant dense<0> : tensor<1xi64>
  // CHECK: %[[A:.*]] = ov.tanh %[[X]] : tensor<1x1x3xf32>
  %a = ov.tanh %x : tensor<25x1x3xf32>
  // CHECK-NOT: ov.tensor_iterator
  // CHECK: %[[S:.*]] = ov.select %[[SET]], %[[STATE]], %[[H0]] : (tensor<i1>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  // CHECK: %[[ROW:.*]] = ov.squeeze %[[A]]
  // CHECK: %[[NEXT:.*]] = ov.add %[[ROW]], %[[S]]
  // CHECK: %[[PART:.*]] = ov.unsqueeze %[[NEXT]]
  // CHECK: return %[[PART]], %[[NEXT]] : tensor<1x1x3xf32>, tensor<1x3xf32>
  %h, %y = ov.tensor_iterator slices(%a_t = %a along 0 [0:-1:1] part 1 : tensor<25x1x3xf32> to tensor<1x1x3xf32>)
      carried(%s = %h0 : tensor<1x3xf32>) concats(along 0 : tensor<25x1x3xf32>) {
    %0 = ov.squeeze %a_t, %axis : (tensor<1x1x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
    %1 = ov.add %0, %s : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    %2 = ov.unsqueeze %1, %axis : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1x3xf32>
    ov.yield next(%1 : tensor<1x3xf32>) concat(%2 : tensor<1x1x3xf32>)
  } loc("memory")
  return %y : tensor<25x1x3xf32>
}

// -----

// Ops that keep the axis of time, whatever they do along others: each says so itself (AxesOpInterface).

// CHECK: module attributes {ov.states = array<i64: 1>}
// CHECK-LABEL: func.func @kept(
// CHECK: ov.cum_sum {{.*}} : (tensor<1x4xf32>, tensor<i64>) -> tensor<1x4xf32>
// CHECK: ov.pad {{.*}} -> tensor<1x6xf32>
// CHECK: ov.topk {{.*}} -> (tensor<1x3xf32>, tensor<1x3xi32>)
// CHECK: ov.tile {{.*}} -> tensor<1x6xf32>
// CHECK: ov.one_hot {{.*}} -> tensor<1x2x3xf32>
// CHECK-NOT: ov.tensor_iterator
func.func @kept(%x: tensor<9x4xf32> {ov.name = "x"}) -> (tensor<9x6xf32> {ov.name = "y"}, tensor<9x2x3xf32> {ov.name = "z"}) {
  %axis = ov.constant dense<1> : tensor<i64>
  %first = ov.constant dense<0> : tensor<1xi64>
  %pads = ov.constant dense<[0, 1]> : tensor<2xi64>
  %twice = ov.constant dense<[1, 2]> : tensor<2xi64>
  %k = ov.constant dense<3> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  %f1 = ov.constant dense<1.0> : tensor<f32>
  %zeros = ov.constant dense<0.0> : tensor<3xf32>
  %0 = ov.cum_sum %x, %axis : (tensor<9x4xf32>, tensor<i64>) -> tensor<9x4xf32>
  %1 = ov.pad %0, %pads, %pads, %f0 {pad_mode = #ov.pad_mode<constant>}
    : (tensor<9x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<9x6xf32>
  %2:2 = ov.topk %1, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<9x6xf32>, tensor<i64>) -> (tensor<9x3xf32>, tensor<9x3xi32>)
  %3:2 = ov.tensor_iterator slices(%part = %2#0 along 0 [0:-1:1] part 1 : tensor<9x3xf32> to tensor<1x3xf32>)
      carried(%s = %zeros : tensor<3xf32>) concats(along 0 : tensor<9x3xf32>) {
    %a = ov.squeeze %part, %first : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    %n = ov.add %a, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = ov.unsqueeze %n, %first : (tensor<3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
    ov.yield next(%n : tensor<3xf32>) concat(%y : tensor<1x3xf32>)
  }
  %4 = ov.tile %3#1, %twice : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<9x6xf32>
  %5 = ov.one_hot %2#1, %two, %f1, %f0 {axis = 1}
    : (tensor<9x3xi32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<9x2x3xf32>
  return %4, %5 : tensor<9x6xf32>, tensor<9x2x3xf32>
}

// -----

// Ops around loops move, merge and split the axis of time. Two loops follow one another, and both count the states.
// What follows from a last value is computed in each step.

// CHECK: module attributes {ov.states = array<i64: 1, 1>}
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x1x3xf32>, %[[W:[^:]*]]: tensor<3x4xf32>,
// CHECK-SAME: "state.0"}, {{.*}} "state.0 is set"}, {{.*}} "state.1"}, {{.*}} "state.1 is set"}) -> (tensor<2x4x1xf32>, tensor<2x4xf32>,
func.func @chain(%x: tensor<2x25x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4x25xf32>, tensor<2x4xf32>) {
  %zeros = ov.constant dense<0.0> : tensor<2x4xf32>
  %one = ov.constant dense<1> : tensor<1xi64>
  %merged = ov.constant dense<[50, 3]> : tensor<2xi64>
  %split = ov.constant dense<[2, 25, 4]> : tensor<3xi64>
  %order = ov.constant dense<[0, 2, 1]> : tensor<3xi64>
  // CHECK-DAG: %[[MERGED:.*]] = ov.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK-DAG: %[[ROWS:.*]] = ov.reshape %[[X]], %[[MERGED]] : (tensor<2x1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: %[[P:.*]] = ov.matmul %[[ROWS]], %[[W]] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[SPLIT:.*]] = ov.constant dense<[2, 1, 4]> : tensor<3xi64>
  // CHECK: ov.reshape %[[P]], %[[SPLIT]] : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<2x1x4xf32>
  %0 = ov.reshape %x, %merged : (tensor<2x25x3xf32>, tensor<2xi64>) -> tensor<50x3xf32>
  %1 = ov.matmul %0, %w : (tensor<50x3xf32>, tensor<3x4xf32>) -> tensor<50x4xf32>
  %2 = ov.reshape %1, %split : (tensor<50x4xf32>, tensor<3xi64>) -> tensor<2x25x4xf32>
  // CHECK-COUNT-2: ov.select
  %h:2 = ov.tensor_iterator slices(%x_t = %2 along 1 [0:-1:1] part 1 : tensor<2x25x4xf32> to tensor<2x1x4xf32>)
      carried(%s = %zeros : tensor<2x4xf32>) concats(along 1 : tensor<2x25x4xf32>) {
    %a = ov.squeeze %x_t, %one : (tensor<2x1x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %n = ov.add %a, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = ov.unsqueeze %n, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.yield next(%n : tensor<2x4xf32>) concat(%y : tensor<2x1x4xf32>)
  }
  %g:2 = ov.tensor_iterator slices(%x_t = %h#1 along 1 [0:24:1] part 1 : tensor<2x25x4xf32> to tensor<2x1x4xf32>)
      carried(%s = %zeros : tensor<2x4xf32>) concats(along 1 : tensor<2x25x4xf32>) {
    %a = ov.squeeze %x_t, %one : (tensor<2x1x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
    %n = ov.maximum %a, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = ov.unsqueeze %n, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.yield next(%n : tensor<2x4xf32>) concat(%y : tensor<2x1x4xf32>)
  }
  // CHECK: %[[N:.*]] = ov.maximum
  // CHECK: ov.transpose {{.*}} : (tensor<2x1x4xf32>, tensor<3xi64>) -> tensor<2x4x1xf32>
  // CHECK: ov.softmax %[[N]] {axis = 0 : i64} : tensor<2x4xf32>
  %t = ov.transpose %g#1, %order : (tensor<2x25x4xf32>, tensor<3xi64>) -> tensor<2x4x25xf32>
  %last = ov.softmax %g#0 {axis = 0} : tensor<2x4xf32>
  return %t, %last : tensor<2x4x25xf32>, tensor<2x4xf32>
}

// -----

// The element at the end of the time axis is the one of this step. An input that an op combines with time steps has
// time too, although no loop slices it.

// CHECK-LABEL: func.func @ends(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x2xf32>, %[[MASK:[^:]*]]: tensor<1x1xf32>,
// CHECK-SAME: -> (tensor<2xf32>, tensor<1x2xf32>, tensor<1x2xf32> {
func.func @ends(%x: tensor<9x2xf32>, %mask: tensor<9x1xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  %zeros = ov.constant dense<0.0> : tensor<1x2xf32>
  %zero = ov.constant dense<0> : tensor<i64>
  %last = ov.constant dense<8> : tensor<i64>
  %minus = ov.constant dense<-1> : tensor<1xi64>
  %most = ov.constant dense<9223372036854775807> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64>
  %h:2 = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) concats(along 0 : tensor<9x2xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>) concat(%n : tensor<1x2xf32>)
  }
  // CHECK: %[[N:.*]] = ov.add
  // CHECK: %[[M:.*]] = ov.multiply %[[N]], %[[MASK]] : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  // CHECK: %[[ROW:.*]] = ov.squeeze %[[M]], %{{.*}} : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  // CHECK: return %[[ROW]], %[[M]], %[[N]]
  %m = ov.multiply %h#1, %mask : (tensor<9x2xf32>, tensor<9x1xf32>) -> tensor<9x2xf32>
  %a = ov.gather %m, %last, %zero : (tensor<9x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  %b = ov.slice %m, %minus, %most, %one, %axis
      : (tensor<9x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2xf32>
  return %a, %b : tensor<2xf32>, tensor<1x2xf32>
}

// -----

// Two ops combine time steps with one input that no loop slices.

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x2xf32>, %[[GATE:[^:]*]]: tensor<1x2xf32>,
func.func @twice(%x: tensor<9x2xf32>, %gate: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %zeros = ov.constant dense<0.0> : tensor<1x2xf32>
  %h:2 = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) concats(along 0 : tensor<9x2xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>) concat(%n : tensor<1x2xf32>)
  }
  // CHECK: %[[N:.*]] = ov.add
  // CHECK: %[[A:.*]] = ov.add %[[N]], %[[GATE]] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  // CHECK: %[[B:.*]] = ov.multiply %[[A]], %[[GATE]] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  // CHECK: return %[[B]], %[[N]]
  %a = ov.add %h#1, %gate : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  %b = ov.multiply %a, %gate : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  return %b : tensor<9x2xf32>
}

// -----

// A squeeze without axes keeps the axis of time. A loop over a table that is no input stays a loop.

// CHECK-LABEL: func.func @squeeze(
func.func @squeeze(%x: tensor<1x9x1x2xf32>) -> (tensor<9x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %zeros = ov.constant dense<0.0> : tensor<1x2xf32>
  %table = ov.constant dense<1.0> : tensor<5x2xf32>
  %none = ov.constant dense<> : tensor<0xi64>
  // CHECK: %[[AXES:.*]] = ov.constant dense<[0, 2]> : tensor<2xi64>
  // CHECK: ov.squeeze %{{.*}}, %[[AXES]] : (tensor<1x1x1x2xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  %0 = ov.squeeze %x, %none : (tensor<1x9x1x2xf32>, tensor<0xi64>) -> tensor<9x2xf32>
  %y = ov.tensor_iterator slices(%x_t = %0 along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  // CHECK-COUNT-2: ov.tensor_iterator slices({{.*}} : tensor<5x2xf32> to tensor<1x2xf32>)
  %a = ov.tensor_iterator slices(%t = %table along 0 [0:-1:1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) {
    %n = ov.add %t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>)
  }
  %b = ov.tensor_iterator slices(%t = %table along 0 [-1:0:-1] part 1 : tensor<5x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) {
    %n = ov.add %t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%n : tensor<1x2xf32>)
  }
  return %y, %a, %b : tensor<9x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// The dims may be dynamic. The state is that of any batch, so it is chosen by a branch. A reshape to computed dims
// keeps time apart, and the number of an iteration becomes a state.

// CHECK: module attributes {ov.states = array<i64: 1, 1>}
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x1x3xf32>, %[[STATE:[^:]*]]: tensor<?x3xf32> {{{[^}]*}}}, %[[SET:[^:]*]]: tensor<i1> {{{[^}]*}}},
// CHECK-SAME: %[[AT:[^:]*]]: tensor<i64> {{{[^}]*}}}, %[[COUNTS:[^:]*]]: tensor<i1> {{{[^}]*}}})
func.func @dynamic(%x: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  %zero1 = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<i64>
  %one1 = ov.constant dense<1> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<1xi64>
  %f0 = ov.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %[[X]] {{.*}} : (tensor<?x1x3xf32>) -> tensor<3xi64>
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x?x3xf32>) -> tensor<3xi64>
  %steps = ov.gather %shape, %one, %zero : (tensor<3xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %batch = ov.gather %shape, %zero1, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %dims = ov.concat %batch, %three {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // CHECK: %[[INIT:.*]] = ov.broadcast {{.*}} -> tensor<?x3xf32>
  %init = ov.broadcast %f0, %dims : (tensor<f32>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK: %[[S:.*]] = ov.if %[[SET]] : tensor<i1> -> tensor<?x3xf32> {
  // CHECK-NEXT: ov.result %[[STATE]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ov.result %[[INIT]]
  // CHECK: %[[I:.*]] = ov.select %[[COUNTS]], %[[AT]], %{{.*}} : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  // CHECK: %[[F:.*]] = ov.convert %[[I]] : tensor<i64> to tensor<f32>
  // CHECK: %[[N:.*]] = ov.multiply
  // CHECK: %[[NEXT:.*]] = ov.add %[[I]], %{{.*}} {{.*}} : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %h:2 = ov.loop trip(%steps : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<?x?x3xf32> to tensor<?x1x3xf32>)
      carried(%s = %init : tensor<?x3xf32>) concats(along 1 : tensor<?x?x3xf32>) {
    %a = ov.squeeze %x_t, %one1 : (tensor<?x1x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
    %f = ov.convert %i : tensor<i64> to tensor<f32>
    %b = ov.add %a, %s : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %n = ov.multiply %b, %f : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
    %y = ov.unsqueeze %n, %one1 : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?x1x3xf32>
    ov.yield while(%true : tensor<i1>) next(%n : tensor<?x3xf32>) concat(%y : tensor<?x1x3xf32>)
  }
  // CHECK: ov.reshape %{{.*}}, %[[SHAPE]] : (tensor<?x1x3xf32>, tensor<3xi64>) -> tensor<?x1x3xf32>
  // CHECK: return %{{.*}}, %[[N]], %[[NEXT]]
  %r = ov.reshape %h#1, %shape : (tensor<?x?x3xf32>, tensor<3xi64>) -> tensor<?x?x3xf32>
  return %r : tensor<?x?x3xf32>
}

// -----

// The time axis of an index is that of the rows of a table. A target shape of which only one entry is known gets
// another entry. A loop without carried values has no states.

// CHECK: module {
// CHECK-LABEL: func.func @embedding(
// CHECK-SAME: %[[I:[^:]*]]: tensor<?x1xi64>, %[[TABLE:[^:]*]]: tensor<7x4xf32>) -> tensor<?x1x4xf32>
func.func @embedding(%i: tensor<?x5xi64>, %table: tensor<7x4xf32>) -> tensor<?x5x4xf32> {
  %zero = ov.constant dense<0> : tensor<i64>
  %zero1 = ov.constant dense<0> : tensor<1xi64>
  %rest = ov.constant dense<[5, 4]> : tensor<2xi64>
  // CHECK: %[[ROWS:.*]] = ov.gather %[[TABLE]], %[[I]], %{{.*}} -> tensor<?x1x4xf32>
  %rows = ov.gather %table, %i, %zero : (tensor<7x4xf32>, tensor<?x5xi64>, tensor<i64>) -> tensor<?x5x4xf32>
  // CHECK: ov.tanh %[[ROWS]] : tensor<?x1x4xf32>
  %y = ov.tensor_iterator slices(%x_t = %rows along 1 [0:-1:1] part 1 : tensor<?x5x4xf32> to tensor<?x1x4xf32>)
      concats(along 1 : tensor<?x5x4xf32>) {
    %n = ov.tanh %x_t : tensor<?x1x4xf32>
    ov.yield concat(%n : tensor<?x1x4xf32>)
  }
  %shape = ov.shape_of %y {output_type = i64} : (tensor<?x5x4xf32>) -> tensor<3xi64>
  %batch = ov.gather %shape, %zero1, %zero : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %target = ov.concat %batch, %rest {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  // CHECK: %[[TARGET:.*]] = ov.concat
  // CHECK: %[[STEP:.*]] = ov.select %{{.*}}, %{{.*}}, %[[TARGET]] {{.*}} -> tensor<3xi64>
  // CHECK: ov.reshape %{{.*}}, %[[STEP]] : (tensor<?x1x4xf32>, tensor<3xi64>) -> tensor<?x1x4xf32>
  %r = ov.reshape %y, %target : (tensor<?x5x4xf32>, tensor<3xi64>) -> tensor<?x5x4xf32>
  return %r : tensor<?x5x4xf32>
}

// -----

// A convolution over this time step and the two before it keeps these, which are zeros in the first step. The pads along
// the other dim stay.

// CHECK: module attributes {ov.states = array<i64: 1, 1>}
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x1x2x4xf32>, %[[W:[^:]*]]: tensor<1x2x3x3xf32>,
// CHECK-SAME: %[[STATE:[^:]*]]: tensor<1x2x2x4xf32> {ov.element_type = f32, ov.name = "convolution.0"},
// CHECK-SAME: %[[SET:[^:]*]]: tensor<i1> {ov.element_type = i1, ov.name = "convolution.0 is set"},
func.func @window(%x: tensor<1x?x2x4xf32>, %w: tensor<1x2x3x3xf32>) -> tensor<1x?x4xf32> {
  %zeros = ov.constant dense<0.0> : tensor<1x4xf32>
  %axis = ov.constant dense<1> : tensor<1xi64>
  %order = ov.constant dense<[0, 2, 1, 3]> : tensor<4xi64>
  // CHECK: %[[T:.*]] = ov.transpose %[[X]]
  // CHECK: %[[ZEROS:.*]] = ov.constant dense<0.000000e+00> : tensor<1x2x2x4xf32>
  // CHECK: %[[BEFORE:.*]] = ov.select %[[SET]], %[[STATE]], %[[ZEROS]]
  // CHECK: %[[ALL:.*]] = ov.concat %[[BEFORE]], %[[T]] {axis = 2 : i64} : (tensor<1x2x2x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32>
  // CHECK: %[[NEXT:.*]] = ov.slice %[[ALL]], {{.*}} -> tensor<1x2x2x4xf32>
  // CHECK: ov.convolution %[[ALL]], %[[W]] {{{.*}}pads_begin = array<i64: 0, 1>, pads_end = array<i64: 0, 1>{{.*}}} : (tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x1x4xf32>
  // CHECK: return %{{.*}}, %[[NEXT]], %{{.*}} : tensor<1x1x4xf32>, tensor<1x2x2x4xf32>, tensor<1x4xf32>
  %t = ov.transpose %x, %order : (tensor<1x?x2x4xf32>, tensor<4xi64>) -> tensor<1x2x?x4xf32>
  %c = ov.convolution %t, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 2, 1>, pads_end = array<i64: 0, 1>,
      dilations = array<i64: 1, 1>} : (tensor<1x2x?x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x?x4xf32> loc("convolution")
  %s = ov.squeeze %c, %axis : (tensor<1x1x?x4xf32>, tensor<1xi64>) -> tensor<1x?x4xf32>
  %h, %y = ov.tensor_iterator slices(%s_t = %s along 1 [0:-1:1] part 1 : tensor<1x?x4xf32> to tensor<1x1x4xf32>)
      carried(%a = %zeros : tensor<1x4xf32>) concats(along 1 : tensor<1x?x4xf32>) {
    %0 = ov.squeeze %s_t, %axis : (tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %1 = ov.add %0, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %2 = ov.unsqueeze %1, %axis : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x4xf32>
    ov.yield next(%1 : tensor<1x4xf32>) concat(%2 : tensor<1x1x4xf32>)
  }
  return %y : tensor<1x?x4xf32>
}
