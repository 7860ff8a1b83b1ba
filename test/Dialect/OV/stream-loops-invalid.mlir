// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-stream-loops --split-input-file --verify-diagnostics

// expected-error @+2 {{expected a loop or a sequence over several time steps of an input, to compile its body for one of them, but the model has none}}
// expected-note @+1 {{a model that takes one time step in each call streams by its entry 'run'}}
func.func @no_loop(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %0 = ov.tanh %x : tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}

// -----

module attributes {ov.states = array<i64: 1>} {
  // expected-error @+1 {{expected a model without states, to compile the body of its loops for one time step}}
  func.func @own_states(%s: tensor<2xf32>, %set: tensor<i1>) -> tensor<2xf32> {
    return %s : tensor<2xf32>
  }
}

// -----

// The name of a layer is part of the error.

func.func @backward(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  // expected-error @unknown {{'lstm': cannot process one time step after the other: it goes backward in time}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [-1:0:-1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 reverse : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  } loc("lstm")
  return %y : tensor<9x2xf32>
}

// -----

func.func @parts(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{an iteration does not read one time step of sliced input 0}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:2] part 2 : tensor<8x2xf32> to tensor<2x2xf32>)
      concats(along 0 : tensor<8x2xf32>) {
    ov.yield concat(%x_t : tensor<2x2xf32>)
  }
  return %y : tensor<8x2xf32>
}

// -----

func.func @reversed(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  // expected-error @+1 {{concatenated result 0 has the last time step first}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 reverse : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

func.func @open_parts(%x: tensor<9x2xf32>, %p: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{the length of a part of concatenated result 0 is not static}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<?x2xf32>) {
    ov.yield concat(%p : tensor<?x2xf32>)
  }
  return %y : tensor<?x2xf32>
}

// -----

func.func @early_end(%x: tensor<9x2xf32>, %c: tensor<i1>) -> tensor<9x2xf32> {
  %count = ov.constant dense<9> : tensor<i64>
  // expected-error @+1 {{it may end before the last time step}}
  %y = ov.loop trip(%count : tensor<i64>) while(%c : tensor<i1>)
      slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield while(%c : tensor<i1>) concat(%x_t : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

func.func @fewer(%x: tensor<9x2xf32>) -> tensor<5x2xf32> {
  %count = ov.constant dense<5> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // expected-error @+1 {{its trip count is not known to be the number of time steps}}
  %y = ov.loop trip(%count : tensor<i64>) while(%true : tensor<i1>)
      slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<5x2xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%x_t : tensor<1x2xf32>)
  }
  return %y : tensor<5x2xf32>
}

// -----

func.func @table(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %table = ov.constant dense<1.0> : tensor<9x2xf32>
  // expected-error @+1 {{sliced input 1 has other values at other time steps, but is no input}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>,
      %t = %table along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>) concats(along 0 : tensor<9x2xf32>) {
    %0 = ov.add %x_t, %t : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield concat(%0 : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

func.func @decoder(%x: tensor<9x2xf32>, %z: tensor<9x2xf32>) -> tensor<1x2xf32> {
  %zeros = ov.constant dense<0.0> : tensor<1x2xf32>
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) {
    %0 = ov.add %x_t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%0 : tensor<1x2xf32>)
  }
  // expected-error @+1 {{the initial value of carried value 0 depends on time steps}}
  %g = ov.tensor_iterator slices(%z_t = %z along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      carried(%s = %h : tensor<1x2xf32>) {
    %0 = ov.add %z_t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%0 : tensor<1x2xf32>)
  }
  return %g : tensor<1x2xf32>
}

// -----

func.func @attention(%x: tensor<9x2xf32>, %z: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  // expected-error @+1 {{an iteration uses a value that depends on other time steps}}
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>,
      %z_t = %z along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>) concats(along 0 : tensor<9x2xf32>) {
    %m = ov.reduce_max %z, %zero : (tensor<9x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %0 = ov.add %x_t, %m : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %1 = ov.add %0, %z_t : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield concat(%1 : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

// Two inputs of a loop over time have as many time steps.

// expected-error @+1 {{cannot process one time step after the other: expected 9 time steps, as in another input, but got 7}}
func.func @lengths(%x: tensor<9x2xf32>, %z: tensor<7x2xf32>) -> (tensor<9x2xf32>, tensor<7x2xf32>) {
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  %w = ov.tensor_iterator slices(%z_t = %z along 0 [0:-1:1] part 1 : tensor<7x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<7x2xf32>) {
    ov.yield concat(%z_t : tensor<1x2xf32>)
  }
  return %y, %w : tensor<9x2xf32>, tensor<7x2xf32>
}

// -----

func.func @mean(%x: tensor<9x2xf32>) -> tensor<2xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  // expected-error @+1 {{it combines the time steps of operand 0}}
  %m = ov.reduce_mean %y, %zero : (tensor<9x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return %m : tensor<2xf32>
}

// -----

func.func @softmax(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  // expected-error @+1 {{it combines the time steps of operand 0}}
  %m = ov.softmax %y {axis = 0} : tensor<9x2xf32>
  return %m : tensor<9x2xf32>
}

// -----

func.func @scores(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %order = ov.constant dense<[1, 0]> : tensor<2xi64>
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x9xf32> to tensor<1x9xf32>)
      concats(along 0 : tensor<9x9xf32>) {
    ov.yield concat(%x_t : tensor<1x9xf32>)
  }
  %t = ov.transpose %y, %order : (tensor<9x9xf32>, tensor<2xi64>) -> tensor<9x9xf32>
  // expected-error @+1 {{its operands have time along different axes}}
  %m = ov.add %y, %t : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %m : tensor<9x9xf32>
}

// -----

func.func @positions(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %table = ov.constant dense<1.0> : tensor<9x2xf32>
  // expected-error @+1 {{operand 1 has other values at other time steps, but is no input}}
  %0 = ov.add %x, %table : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  %y = ov.tensor_iterator slices(%x_t = %0 along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

func.func @last_with_all(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %zeros = ov.constant dense<0.0> : tensor<1x2xf32>
  %h, %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      carried(%s = %zeros : tensor<1x2xf32>) concats(along 0 : tensor<9x2xf32>) {
    %0 = ov.add %x_t, %s : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.yield next(%0 : tensor<1x2xf32>) concat(%0 : tensor<1x2xf32>)
  }
  // expected-error @+1 {{it combines each time step with the last one, in operand 1}}
  %m = ov.add %y, %h : (tensor<9x2xf32>, tensor<1x2xf32>) -> tensor<9x2xf32>
  return %m : tensor<9x2xf32>
}

// -----

func.func @branch(%x: tensor<9x2xf32>, %c: tensor<i1>) -> tensor<9x2xf32> {
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  // expected-error @+1 {{its body uses all time steps}}
  %m = ov.if %c : tensor<i1> -> tensor<9x2xf32> {
    ov.result %x : tensor<9x2xf32>
  } else {
    ov.result %y : tensor<9x2xf32>
  }
  return %m : tensor<9x2xf32>
}

// -----

func.func @scale(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<f32>) {
  %zero = ov.constant dense<0> : tensor<i64>
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<?x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x2xf32>) -> tensor<2xi64>
  %count = ov.gather %shape, %zero, %zero : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{it depends on the number of time steps}}
  %f = ov.convert %count : tensor<i64> to tensor<f32>
  return %y, %f : tensor<?x2xf32>, tensor<f32>
}

// -----

// expected-error @+1 {{cannot process one time step after the other: result 1 depends on the number of time steps}}
func.func @count(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<2xi64>) {
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<?x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x2xf32>) -> tensor<2xi64>
  return %y, %shape : tensor<?x2xf32>, tensor<2xi64>
}

// -----

func.func @bound(%x: tensor<?x2xf32>) -> tensor<?x?xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<?x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x2xf32>) -> tensor<2xi64>
  %count = ov.gather %shape, %zero, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  // expected-error @+1 {{operand 2 depends on the number of time steps}}
  %r = ov.slice %y, %zero, %count, %one, %one
      : (tensor<?x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// If time cannot be followed back to an input, a note tells where.

func.func @before(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  // expected-note @+1 {{time cannot be followed through this op}}
  %0 = ov.softmax %x {axis = 0} : tensor<9x2xf32>
  %1 = ov.tanh %0 : tensor<9x2xf32>
  // expected-error @+1 {{cannot process one time step after the other: expected slices along the time of an input}}
  %y = ov.tensor_iterator slices(%x_t = %1 along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  return %y : tensor<9x2xf32>
}

// -----

func.func @beside(%x: tensor<9x2xf32>, %z: tensor<9x2xf32>) -> tensor<9x2xf32> {
  // expected-note @+1 {{time cannot be followed through this op}}
  %0 = ov.softmax %z {axis = 0} : tensor<9x2xf32>
  // expected-error @+1 {{operand 1 has other values at other time steps, but is no input}}
  %1 = ov.add %x, %0 : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<9x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<9x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  return %1 : tensor<9x2xf32>
}

// -----

// A dim is no tensor.

func.func @dim(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %y = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<?x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<?x2xf32>) {
    ov.yield concat(%x_t : tensor<1x2xf32>)
  }
  // expected-error @+1 {{it combines the time steps of operand 0}}
  %d = tensor.dim %y, %c0 : tensor<?x2xf32>
  %r = tensor.extract_slice %y[0, 0] [%d, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// The result of this convolution needs a later time step.

func.func @later(%x: tensor<1x1x?xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x?xf32> {
  // expected-note @+1 {{time cannot be followed through this op}}
  %c = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x1x?xf32>, tensor<1x1x3xf32>) -> tensor<1x1x?xf32>
  // expected-error @+1 {{cannot process one time step after the other: expected slices along the time of an input}}
  %y = ov.tensor_iterator slices(%c_t = %c along 2 [0:-1:1] part 1 : tensor<1x1x?xf32> to tensor<1x1x1xf32>)
      concats(along 2 : tensor<1x1x?xf32>) {
    ov.yield concat(%c_t : tensor<1x1x1xf32>)
  }
  return %y : tensor<1x1x?xf32>
}

// -----

// So many time steps before fit no state.

func.func @far(%x: tensor<1x1x?xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x?xf32> {
  // expected-note @+1 {{time cannot be followed through this op}}
  %c = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 4294967294>, pads_end = array<i64: 0>,
      dilations = array<i64: 2147483647>} : (tensor<1x1x?xf32>, tensor<1x1x3xf32>) -> tensor<1x1x?xf32>
  // expected-error @+1 {{cannot process one time step after the other: expected slices along the time of an input}}
  %y = ov.tensor_iterator slices(%c_t = %c along 2 [0:-1:1] part 1 : tensor<1x1x?xf32> to tensor<1x1x1xf32>)
      concats(along 2 : tensor<1x1x?xf32>) {
    ov.yield concat(%c_t : tensor<1x1x1xf32>)
  }
  return %y : tensor<1x1x?xf32>
}

// -----

// There is no place for the time steps before, because the batch is known only at run time.

func.func @open_batch(%x: tensor<?x1x?xf32>, %w: tensor<1x1x3xf32>) -> tensor<?x1x?xf32> {
  // expected-error @+1 {{it needs earlier time steps, for which all dims but time have to be static}}
  %c = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 2>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<?x1x?xf32>, tensor<1x1x3xf32>) -> tensor<?x1x?xf32>
  %y = ov.tensor_iterator slices(%c_t = %c along 2 [0:-1:1] part 1 : tensor<?x1x?xf32> to tensor<?x1x1xf32>)
      concats(along 2 : tensor<?x1x?xf32>) {
    ov.yield concat(%c_t : tensor<?x1x1xf32>)
  }
  return %y : tensor<?x1x?xf32>
}

// -----

// A slope of as many elements as dim 1, which is time here, belongs to that dim. With one time step it would belong to
// the last one.

func.func @slope(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %slope = ov.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf32>
  // expected-note @+1 {{time cannot be followed through this op}}
  %0 = ov.prelu %x, %slope : (tensor<2x3x3xf32>, tensor<3xf32>) -> tensor<2x3x3xf32>
  // expected-error @+1 {{cannot process one time step after the other: expected slices along the time of an input}}
  %y = ov.tensor_iterator slices(%x_t = %0 along 1 [0:-1:1] part 1 : tensor<2x3x3xf32> to tensor<2x1x3xf32>)
      concats(along 1 : tensor<2x3x3xf32>) {
    ov.yield concat(%x_t : tensor<2x1x3xf32>)
  }
  return %y : tensor<2x3x3xf32>
}

// -----

// The target of a broadcast has the number of time steps.

func.func @target(%x: tensor<9x1xf32>) -> tensor<9x3xf32> {
  %target = ov.constant dense<[9, 3]> : tensor<2xi64>
  // expected-note @+1 {{time cannot be followed through this op}}
  %0 = ov.broadcast %x, %target : (tensor<9x1xf32>, tensor<2xi64>) -> tensor<9x3xf32>
  // expected-error @+1 {{cannot process one time step after the other: expected slices along the time of an input}}
  %y = ov.tensor_iterator slices(%x_t = %0 along 0 [0:-1:1] part 1 : tensor<9x3xf32> to tensor<1x3xf32>)
      concats(along 0 : tensor<9x3xf32>) {
    ov.yield concat(%x_t : tensor<1x3xf32>)
  }
  return %y : tensor<9x3xf32>
}
