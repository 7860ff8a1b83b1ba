// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @tensor_iterator_c1(%s0: tensor<4xf32>) {
  // expected-error @+1 {{'ov.tensor_iterator' op expected at least one sliced input}}
  %0 = ov.tensor_iterator carried(%s = %s0 : tensor<4xf32>) {
    ov.yield next(%s : tensor<4xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c2_slices(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 slices, but got 0}}
  "ov.tensor_iterator"(%x) <{slices = [], concats = [], operandSegmentSizes = array<i32: 1, 0, 0>,
                             resultSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>):
    ov.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @tensor_iterator_c2_concats(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 concats, but got 2}}
  %0 = "ov.tensor_iterator"(%x) <{slices = [#ov.slice_input<along 0 [0:-1:1] part 1>],
      concats = [#ov.concat_output<along 0>, #ov.concat_output<along 0>],
      operandSegmentSizes = array<i32: 1, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%a: tensor<1xf32>):
    ov.yield concat(%a : tensor<1xf32>)
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tensor_iterator_c2_attributes(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'slices' failed to satisfy constraint: sliced inputs}}
  "ov.tensor_iterator"(%x) <{slices = [1], concats = [], operandSegmentSizes = array<i32: 1, 0, 0>,
                             resultSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>):
    ov.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @tensor_iterator_c3_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the axis of slice #0 to be in [0, 1), but got 1}}
  ov.tensor_iterator slices(%a = %x along 1 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c3_negative_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the axis of slice #0 to be in [0, 1), but got -1}}
  ov.tensor_iterator slices(%a = %x along -1 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c3_stride(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the stride of slice #0 not to be 0}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:0] part 1 : tensor<4xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c3_part(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the part size of slice #0 to be positive, but got 0}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 0 : tensor<4xf32> to tensor<0xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c3_concat(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the axis of concatenation #0 to be in [0, 1), but got 3}}
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      concats(along 3 : tensor<4xf32>) {
    ov.yield concat(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c4_not_whole(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 5}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:2] part 2 : tensor<5xf32> to tensor<2xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_end(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 5}}
  ov.tensor_iterator slices(%a = %x along 0 [0:5:1] part 1 : tensor<5xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_start(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 5}}
  ov.tensor_iterator slices(%a = %x along 0 [-6:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_direction(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 5}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:-1] part 1 : tensor<5xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_part_too_long(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 5}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 6 : tensor<5xf32> to tensor<6xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_empty(%x: tensor<0xf32>) {
  // expected-error @+1 {{expected slice #0 to visit a whole number of parts of an axis of 0}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<0xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c4_counts(%x: tensor<5xf32>, %y: tensor<6xf32>) {
  // expected-error @+1 {{expected all sliced inputs to have the same number of parts, but got 5 and 6}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>,
                            %b = %y along 0 [0:-1:1] part 1 : tensor<6xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c5(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{expected part #0 to be 'tensor<2x5xf32>', but got 'tensor<1x5xf32>'}}
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:2] part 2 : tensor<4x5xf32> to tensor<1x5xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c6_arguments(%x: tensor<4xf32>, %s0: tensor<4xf32>) {
  // expected-error @+1 {{expected carried value #0 to be 'tensor<4xf32>', but got 'tensor<3xf32>'}}
  %0 = "ov.tensor_iterator"(%x, %s0) <{slices = [#ov.slice_input<along 0 [0:-1:1] part 1>], concats = [],
      operandSegmentSizes = array<i32: 1, 1, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>, %s: tensor<3xf32>):
    ov.yield next(%s : tensor<3xf32>)
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tensor_iterator_c6_next(%x: tensor<4xf32>, %s0: tensor<4xf32>) {
  // expected-note @+1 {{initial values are operands of this op}}
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<4xf32>) {
    // expected-error @+1 {{'ov.yield' op expected next values of types ('tensor<4xf32>'), but got ('tensor<1xf32>')}}
    ov.yield next(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c6_results(%x: tensor<4xf32>, %s0: tensor<4xf32>) {
  // expected-error @+1 {{expected carried results to have the types of the initial values}}
  %0 = "ov.tensor_iterator"(%x, %s0) <{slices = [#ov.slice_input<along 0 [0:-1:1] part 1>], concats = [],
      operandSegmentSizes = array<i32: 1, 1, 0>, resultSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>, %s: tensor<4xf32>):
    ov.yield next(%s : tensor<4xf32>)
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @tensor_iterator_c7(%x: tensor<4xf32>) {
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      last(tensor<4xf32>) {
    // expected-error @+1 {{'ov.yield' op expected last values of types ('tensor<4xf32>'), but got ('tensor<1xf32>')}}
    ov.yield last(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c8_number(%x: tensor<4xf32>) {
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      concats(along 0 : tensor<4xf32>) {
    // expected-error @+1 {{'ov.yield' op expected 1 parts, but got 0}}
    ov.yield
  }
  return
}

// -----

func.func @tensor_iterator_c8_along_axis(%x: tensor<4xf32>) {
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      concats(along 0 : tensor<5xf32>) {
    // expected-error @+1 {{'ov.yield' op expected part #0 to make up 'tensor<5xf32>', but got 'tensor<1xf32>'}}
    ov.yield concat(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c8_other_dim(%x: tensor<4x2xf32>) {
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x2xf32> to tensor<1x2xf32>)
      concats(along 0 : tensor<4x3xf32>) {
    // expected-error @+1 {{expected part #0 to make up 'tensor<4x3xf32>', but got 'tensor<1x2xf32>'}}
    ov.yield concat(%a : tensor<1x2xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c8_element_type(%x: tensor<4xf32>) {
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      concats(along 0 : tensor<4xf16>) {
    // expected-error @+1 {{expected part #0 to make up 'tensor<4xf16>', but got 'tensor<1xf32>'}}
    ov.yield concat(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_c9(%x: tensor<4xf32>, %d: tensor<1xi32>) {
  // expected-error @+1 {{expected empty dims of type 'tensor<1xi64>' or 'tensor<0xi64>', but got 'tensor<1xi32>'}}
  %0 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      concats(along 0 : tensor<?xf32>) empty(%d : tensor<1xi32>) {
    ov.yield concat(%a : tensor<1xf32>)
  }
  return
}

// -----

func.func @tensor_iterator_arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 block arguments, but got 2}}
  "ov.tensor_iterator"(%x) <{slices = [#ov.slice_input<along 0 [0:-1:1] part 1>], concats = [],
      operandSegmentSizes = array<i32: 1, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>, %b: tensor<1xf32>):
    ov.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @tensor_iterator_condition(%x: tensor<4xf32>, %c: tensor<i1>) {
  ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>) {
    // expected-error @+1 {{'ov.yield' op expected no condition in a tensor_iterator}}
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c1_trip_count(%n: tensor<2xi64>, %c: tensor<i1>) {
  // expected-error @+1 {{'ov.loop' op expected a trip count with one element, but got 'tensor<2xi64>'}}
  ov.loop trip(%n : tensor<2xi64>) while(%c : tensor<i1>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c1_trip_count_type(%n: tensor<f32>, %c: tensor<i1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of i32 or i64 values, but got 'tensor<f32>'}}
  ov.loop trip(%n : tensor<f32>) while(%c : tensor<i1>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c1_condition(%n: tensor<i64>, %c: tensor<?xi1>, %d: tensor<i1>) {
  // expected-error @+1 {{expected a condition with one element, but got 'tensor<?xi1>'}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<?xi1>) {
    ov.yield while(%d : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c1_condition_type(%n: tensor<i64>, %c: tensor<i32>, %d: tensor<i1>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 1-bit signless integer values, but got 'tensor<i32>'}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i32>) {
    ov.yield while(%d : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c2(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'ov.loop' op expected 1 slices, but got 2}}
  "ov.loop"(%n, %c, %x) <{slices = [#ov.slice_input<along 0 [0:-1:1] part 1>, #ov.slice_input<along 0 [0:-1:1] part 1>],
      concats = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%a: tensor<1xf32>):
    ov.yield while(%c : tensor<i1>)
  }) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_c3(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'ov.loop' op expected the axis of concatenation #0 to be in [0, 1), but got 1}}
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) concats(along 1 : tensor<?xf32>) {
    ov.yield while(%c : tensor<i1>) concat(%x : tensor<4xf32>)
  }
  return
}

// -----

func.func @loop_c3_slice(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'ov.loop' op expected slice #0 to visit a whole number of parts of an axis of 4}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:3] part 3 : tensor<4xf32> to tensor<3xf32>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c4_type(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @+1 {{expected an iteration index of i32 or i64 with one element, but got 'tensor<f32>'}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<f32>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c4_one_element(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @+1 {{expected an iteration index of i32 or i64 with one element, but got 'tensor<1x1xi64>'}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<1x1xi64>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c4_missing(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @+1 {{expected a block argument for the iteration index}}
  "ov.loop"(%n, %c) <{slices = [], concats = [], has_index, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
                      resultSegmentSizes = array<i32: 0, 0, 0>}> ({
    ov.yield while(%c : tensor<i1>)
  }) : (tensor<i64>, tensor<i1>) -> ()
  return
}

// -----

func.func @loop_c5(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4x?xf32>) {
  // expected-error @+1 {{'ov.loop' op expected part #0 to be 'tensor<1x?xf32>', but got 'tensor<1x5xf32>'}}
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>)
      slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x?xf32> to tensor<1x5xf32>) {
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c6(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<?xf32>, %t: tensor<4xf32>) {
  // expected-note @+1 {{initial values are operands of this op}}
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<?xf32>) {
    // expected-error @+1 {{expected next values of types ('tensor<?xf32>'), but got ('tensor<4xf32>')}}
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  return
}

// -----

func.func @loop_c7(%n: tensor<i64>, %c: tensor<i1>) {
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) last(tensor<f32>) {
    // expected-error @+1 {{expected last values of types ('tensor<f32>'), but got ()}}
    ov.yield while(%c : tensor<i1>)
  }
  return
}

// -----

func.func @loop_c8(%n: tensor<i64>, %c: tensor<i1>, %p: tensor<1x4xf32>) {
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) concats(along 0 : tensor<?xf32>) {
    // expected-error @+1 {{expected part #0 to make up 'tensor<?xf32>', but got 'tensor<1x4xf32>'}}
    ov.yield while(%c : tensor<i1>) concat(%p : tensor<1x4xf32>)
  }
  return
}

// -----

func.func @loop_c9(%n: tensor<i64>, %c: tensor<i1>) {
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) {
    // expected-error @+1 {{'ov.yield' op expected a condition with one element}}
    ov.yield
  }
  return
}

// -----

func.func @loop_c9_one_element(%n: tensor<i64>, %c: tensor<i1>, %d: tensor<2xi1>) {
  ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) {
    // expected-error @+1 {{'ov.yield' op expected a condition with one element}}
    ov.yield while(%d : tensor<2xi1>)
  }
  return
}

// -----

func.func @loop_c10_number(%n: tensor<i64>, %c: tensor<i1>, %p: tensor<1x?xf32>, %d: tensor<2xi64>) {
  // expected-error @+1 {{expected empty dims of all 2 last values and concatenations, or none, but got 1}}
  %0:2 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) last(tensor<1x?xf32>) concats(along 0 : tensor<?x?xf32>)
      empty(%d : tensor<2xi64>) {
    ov.yield while(%c : tensor<i1>) last(%p : tensor<1x?xf32>) concat(%p : tensor<1x?xf32>)
  }
  return
}

// -----

func.func @loop_c10_length(%n: tensor<i64>, %c: tensor<i1>, %p: tensor<1x?xf32>, %d: tensor<3xi64>) {
  // expected-error @+1 {{expected empty dims of type 'tensor<2xi64>' or 'tensor<0xi64>', but got 'tensor<3xi64>'}}
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) last(tensor<1x?xf32>) empty(%d : tensor<3xi64>) {
    ov.yield while(%c : tensor<i1>) last(%p : tensor<1x?xf32>)
  }
  return
}

// -----

func.func @loop_terminator(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @+2 {{'ov.loop' op expects regions to end with 'ov.yield', found 'llvm.unreachable'}}
  // expected-note @+1 {{in custom textual format, the absence of terminator implies 'ov.yield'}}
  "ov.loop"(%n, %c) <{slices = [], concats = [], operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>,
                      resultSegmentSizes = array<i32: 0, 0, 0>}> ({
    llvm.unreachable
  }) : (tensor<i64>, tensor<i1>) -> ()
  return
}

// -----

func.func @yield_parent() {
  // expected-error @+1 {{'ov.yield' op expects parent op to be one of 'ov.tensor_iterator, ov.loop'}}
  ov.yield
}

// -----

// Syntax.

func.func @along(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'along'}}
  ov.tensor_iterator slices(%a = %x part 1 : tensor<4xf32> to tensor<1xf32>) {
    ov.yield
  }
  return
}

// -----

func.func @while(%n: tensor<i64>) {
  // expected-error @+1 {{expected 'while'}}
  ov.loop trip(%n : tensor<i64>) {
    ov.yield
  }
  return
}
