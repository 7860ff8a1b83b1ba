// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @check_results(%ok: i1, %i: index) {
  // expected-error @+1 {{'rt.check' op expected the results to have the types of the guarded values}}
  %0 = "rt.check"(%ok, %i) <{kind = #rt<fault index>, message = "", operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (i1, index) -> i64
  return
}

// -----

func.func @check_details(%ok: i1, %n: i64) {
  // expected-error @+1 {{'rt.check' op expected at most 4 details, but got 5}}
  rt.check %ok, shape, "" (%n, %n, %n, %n, %n)
  return
}

// -----

func.func @check_kind(%ok: i1) {
  // expected-error @+2 {{expected ::recur::rt::FaultKind to be one of: shape, overflow, trip_count, index, arithmetic, iteration_limit, memory_limit, no_memory, cancelled, capacity}}
  // expected-error @+1 {{failed to parse RT_FaultKindAttr parameter 'value' which is to be a `::recur::rt::FaultKind`}}
  rt.check %ok, bad_luck, ""
  return
}

// -----

func.func @workspace() {
  // expected-error @+1 {{result #0 must be}}
  %0 = rt.workspace : memref<4xf32>
  return
}

// -----

func.func @broadcast_dim_that_is_static(%x: tensor<?x4xf32>, %n: index) {
  // expected-error @+1 {{expected 'dim' to be a dynamic dim of 'tensor<?x4xf32>', but got 1}}
  %0 = rt.broadcast_dim %x along 1 to %n : tensor<?x4xf32>
  return
}

// -----

func.func @broadcast_dim_out_of_range(%x: tensor<?x4xf32>, %n: index) {
  // expected-error @+1 {{expected 'dim' to be a dynamic dim of 'tensor<?x4xf32>', but got 2}}
  %0 = rt.broadcast_dim %x along 2 to %n : tensor<?x4xf32>
  return
}

// -----

// expected-error@+1 {{expected 'rt.workspace_bytes' to be an i64 of at least -1 of a module}}
module attributes {rt.workspace_bytes = -2 : i64} {}

// -----

// expected-error@+1 {{expected 'rt.weights_bytes' to be an i64 of at least 0 of a module}}
module attributes {rt.weights_bytes = 4 : i32} {}

// -----

// expected-error@+1 {{expected 'rt.weights_plan' to be an array of [constant, offset] of a module}}
module attributes {rt.weights_plan = [[0 : i64]]} {}

// -----

// expected-error@+1 {{expected 'rt.faults' to be an array of [status, text] of a module}}
module attributes {rt.faults = [[2, 3]]} {}

// -----

// expected-error@+1 {{expected 'rt.profile' to be an array of [text, loop] of a module}}
module attributes {rt.profile = [["Add_1", 0]]} {}

// -----

// expected-error@+1 {{expected 'rt.sizing_inputs' to be an array<i64> of a module}}
module attributes {rt.sizing_inputs = [0]} {}

// -----

// expected-error@+1 {{expected 'rt.time_loops' to be an i64 of at least 0 of a function}}
func.func private @f() attributes {rt.time_loops = "one"}

// -----

// expected-error@+1 {{expected 'rt.kernel' to be a unit of a function}}
func.func private @f() attributes {rt.kernel = 1}

// -----

// expected-error@+1 {{expected 'rt.kernel' to be a unit of a function}}
module attributes {rt.kernel} {}

// -----

// expected-error@+1 {{expected 'rt.parts' to be a dictionary {along, grain, sizes, cost} of a function or call}}
func.func private @f() attributes {rt.parts = {along = [[0, 0]], grain = 0, sizes = [], cost = 1}}

// -----

// expected-error@+1 {{expected 'rt.parts' to be a dictionary {along, grain, sizes, cost} of a function or call}}
func.func private @f() attributes {rt.parts = {along = [], grain = 1, sizes = [], cost = 1, scratch = "a"}}

// -----

// expected-error@+1 {{expected 'rt.parts' to be a dictionary {along, grain, sizes, cost} of a function or call}}
func.func private @f() attributes {rt.parts = {along = [[0]], grain = 1, sizes = [], cost = 1}}

// -----

// expected-error@+1 {{expected 'rt.parts' to be a dictionary {along, grain, sizes, cost} of a function or call}}
func.func private @f() attributes {rt.parts = {along = [], grain = 1, sizes = [], cost = 1, other = {along = []}}}

// -----

// expected-error@+1 {{expected 'rt.independent' to be a unit of a loop}}
func.func private @f() attributes {rt.independent}

// -----

// expected-error@+1 {{expected 'rt.same_shape' to be a unit of a memref.reinterpret_cast}}
func.func private @f() attributes {rt.same_shape}

// -----

func.func private @share(%frame: !llvm.ptr, %index: i32, %count: i32)
func.func @parallel_of_a_declaration(%n: index) {
  // expected-error @+1 {{'rt.parallel' op expected 'share' to be a private function with a body}}
  rt.parallel @share want %n ()
  return
}

// -----

func.func private @share(%frame: !llvm.ptr, %index: i32, %count: i32, %n: i64) {
  return
}
func.func @parallel_of_another_type(%n: index) {
  // expected-error @+1 {{'rt.parallel' op expected 'share' to take a frame, an index, a count and the captures}}
  rt.parallel @share want %n (%n : index)
  return
}

// -----

func.func @columns(%a: f32) -> f32 {
  // expected-error@+1 {{expected 'rt.columns' to be an i64 of at least -1 of a arith.addf}}
  %0 = arith.addf %a, %a {rt.columns = -2 : i64} : f32
  return %0 : f32
}

// -----

func.func @steps(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected strides and dilations of 1 or more for each of one to three spatial dims}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 0>, dilations = array<i64: 1>}
  return
}

// -----

func.func @padding(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected two numbers of at least 0 as the padding of each spatial dim}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, padding = array<i64: 1>}
  return
}

// -----

func.func @elements(%w: memref<3x8xf16>, %x: memref<1x9x8xf16>, %y: memref<1x7x8xf16>) {
  // expected-error @+1 {{'rt.convolution' op expected a result of f32 or f64, but got 'f16'}}
  rt.convolution ins(%w, %x : memref<3x8xf16>, memref<1x9x8xf16>) outs(%y : memref<1x7x8xf16>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @mixed(%w: memref<3x8xf32>, %x: memref<1x9x8xf64>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected operands of 'f32', but got 'f64'}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf64>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @form(%w: memref<2x3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected packed filters of a known form, but got 'memref<2x3x8xf32>'}}
  rt.convolution ins(%w, %x : memref<2x3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @transformed(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected transformed filters of one group, with 4 elements along dim 0}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, transformed = array<i1: true>}
  return
}

// -----

func.func @ranks(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x1x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected data of rank 3 and a result of rank 3}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x1x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @channels(%w: memref<2x3x8x16xf32>, %x: memref<1x9x7xf32>, %y: memref<1x7x2x16xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected the channels of 'memref<2x3x8x16xf32>'}}
  rt.convolution ins(%w, %x : memref<2x3x8x16xf32>, memref<1x9x7xf32>) outs(%y : memref<1x7x2x16xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @positions(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x8x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected data for 8 positions along dim 0}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x8x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @no_map(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected an epilogue, and a map, for each of its inputs}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) with(%y : memref<1x7x8xf32>)
      outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @body(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected an epilogue that computes 'f32' from a sum and 0 elements of inputs}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>)
      outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>} epilogue {
  ^bb0(%sum: f32, %more: f32):
    rt.yield %sum : f32
  }
  return
}

// -----

func.func @map(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %b: memref<1xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected an input to be indexed by the channel, and by other dims of the result or 0, but got affine_map<(d0, d1, d2) -> (0)>}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) with(%b : memref<1xf32>)
      outs(%y : memref<1x7x8xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [affine_map<(n, s, c) -> (0)>]} epilogue {
  ^bb0(%sum: f32, %bias: f32):
    rt.yield %bias : f32
  }
  return
}

// -----

func.func @tile(%w: memref<2x3x8x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x2x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected tiles of 16 channels}}
  rt.convolution ins(%w, %x : memref<2x3x8x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x2x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @batches(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<2x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected data for 2 batches}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<2x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @both(%w: tensor<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected ranked operands that all are tensors or all are buffers}}
  rt.convolution ins(%w, %x : tensor<3x8xf32>, memref<1x9x8xf32>) outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @first(%w: memref<1x2x6x3x8xf32>, %x: memref<1x1x6x52xf32>, %y: memref<1x1x8x50xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected the channels of 'memref<1x2x6x3x8xf32>'}}
  rt.convolution ins(%w, %x : memref<1x2x6x3x8xf32>, memref<1x1x6x52xf32>) outs(%y : memref<1x1x8x50xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}

// -----

func.func @empty_tile(%w: memref<1x1x6x3x0xf32>, %x: memref<1x1x6x52xf32>, %y: memref<1x1x8x50xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected packed filters of rank 5, and data and a result of rank 4}}
  rt.convolution ins(%w, %x : memref<1x1x6x3x0xf32>, memref<1x1x6x52xf32>) outs(%y : memref<1x1x8x50xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}

// -----

func.func @padded_first(%w: memref<1x1x6x3x8xf32>, %x: memref<1x1x6x52xf32>, %y: memref<1x1x8x50xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected no epilogue, padding or transformed filters with channels first, and no strides along the last two of three spatial dims}}
  rt.convolution ins(%w, %x : memref<1x1x6x3x8xf32>, memref<1x1x6x52xf32>) outs(%y : memref<1x1x8x50xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first, padding = array<i64: 1, 1>}
  return
}

// -----

func.func @vectors(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected element-wise operations in the epilogue, but got 'vector.broadcast'}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>)
      outs(%y : memref<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>} epilogue {
  ^bb0(%sum: f32):
    %v = vector.broadcast %sum : f32 to vector<4xf32>
    rt.yield %sum : f32
  }
  return
}

// -----

func.func @short(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %b: memref<5xf32>, %y: memref<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected an input with the elements that its map names, but got 'memref<5xf32>'}}
  rt.convolution ins(%w, %x : memref<3x8xf32>, memref<1x9x8xf32>) with(%b : memref<5xf32>)
      outs(%y : memref<1x7x8xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [affine_map<(n, s, c) -> (c)>]} epilogue {
  ^bb0(%sum: f32, %bias: f32):
    rt.yield %bias : f32
  }
  return
}

// -----

func.func @no_buffers(%w: vector<3x8xf32>, %x: vector<1x9x8xf32>, %y: vector<1x7x8xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected ranked operands that all are tensors or all are buffers}}
  rt.convolution ins(%w, %x : vector<3x8xf32>, vector<1x9x8xf32>) outs(%y : vector<1x7x8xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----

func.func @narrow_buffer(%w: memref<1x1x6x3x8xf16>, %x: memref<1x1x6x52xf32>, %y: memref<1x1x8x50xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected operands of 'f32', but got 'f16'}}
  rt.convolution ins(%w, %x : memref<1x1x6x3x8xf16>, memref<1x1x6x52xf32>) outs(%y : memref<1x1x8x50xf32>) {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}

// -----

func.func @depth(%w: memref<1x1x1x2x8x16xf32>, %x: memref<1x9x9x9x8xf32>, %y: memref<1x9x9x7x1x16xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected no dilation along the last of three spatial dims}}
  rt.convolution ins(%w, %x : memref<1x1x1x2x8x16xf32>, memref<1x9x9x9x8xf32>) outs(%y : memref<1x9x9x7x1x16xf32>) {strides = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1, 2>}
  return
}

// -----

func.func @winograd_steps(%w: memref<1x4x8x32xf32>, %x: memref<1x19x8xf32>, %y: memref<1x7x1x32xf32>) {
  // expected-error @+1 {{'rt.convolution' op expected transformed filters of one group, with 4 elements along dim 0 and a stride of 1, or of 2 without dilation}}
  rt.convolution ins(%w, %x : memref<1x4x8x32xf32>, memref<1x19x8xf32>) outs(%y : memref<1x7x1x32xf32>) {strides = array<i64: 2>, dilations = array<i64: 2>, transformed = array<i1: true>}
  return
}

// -----

func.func @product_types(%x: memref<3x8xf32>, %w: memref<8x4xf32>, %y: memref<3x4xf64>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected a result and a start of f32 or f64, but got 'f64' and 'f32'}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<8x4xf32>) start(%z : f32) outs(%y : memref<3x4xf64>) {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = 4}
  return
}

// -----

func.func @product_columns(%x: memref<3x8xf32>, %w: memref<8x4xf32>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected -1 or more columns, but got -2}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<8x4xf32>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = -2}
  return
}

// -----

func.func @product_maps(%x: memref<3x8xf32>, %w: memref<8x4xf32>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected a map for each operand, from 3 loops to its dims}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<8x4xf32>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = 4}
  return
}

// -----

func.func @product_rows(%x: memref<4x8xf32>, %w: memref<8x4xf32>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected the column to index the matrix alone, the last loop both operands, and any other loop at least one of them}}
  rt.product ins(%x, %w : memref<4x8xf32>, memref<8x4xf32>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (j, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = 4}
  return
}

// -----

func.func @product_lanes(%x: memref<3x8xf32>, %w: memref<4x8xf32>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected the last dim of the matrix to be the columns, of at most one dim of blocks, or that of both operands to be summed}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<4x8xf32>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (k, m)>, matrix_map = affine_map<(m, j, k) -> (j, k)>, columns = 4}
  return
}

// -----

func.func @product_dims(%x: memref<3x8xf32>, %w: memref<9x4xf32>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected dims that agree with those of the result and of the other operand, but got 'memref<9x4xf32>'}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<9x4xf32>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = 4}
  return
}

// -----

func.func @product_elements(%x: memref<3x8xf32>, %w: memref<8x4xi8>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected rows and a matrix of 'f32', and nothing that only integers have}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<8x4xi8>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = 4}
  return
}

// -----

func.func @product_packed(%x: memref<3x8xf32>, %w: memref<8x4xi8>, %y: memref<3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected a matrix that is packed in blocks of columns, and contiguous rows}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<8x4xi8>) start(%z : f32) outs(%y : memref<3x4xf32>) {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, elements = #rt<elements bytes>, columns = 4}
  return
}

// -----

func.func @product_bytes(%x: memref<3x8xf32>, %w: memref<2x8x4xi16>, %y: memref<3x2x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected bytes, and rows and a result of real numbers that fit, but got 'memref<2x8x4xi16>', 'memref<3x8xf32>' and 'memref<3x2x4xf32>'}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<2x8x4xi16>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements bytes>, columns = 4}
  return
}

// -----

func.func @product_open(%x: memref<3x8xf32>, %w: memref<?x8x4xi8>, %y: memref<3x2x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected a packed matrix and columns of known sizes}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<?x8x4xi8>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements bytes>, columns = 4}
  return
}

// -----

func.func @product_halves(%x: memref<3x8xf32>, %w: memref<2x8x4xi8>, %y: memref<3x2x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected the columns and rows of a packed matrix 'memref<2x8x4xi8>', but got 'memref<3x8xf32>' and 'memref<3x2x4xf32>'}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<2x8x4xi8>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements halves>, columns = 4}
  return
}

// -----

func.func @product_scale(%x: memref<3x8xf32>, %w: memref<2x8x4xi8>, %y: memref<3x2x4xf32>, %s: memref<2x3x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected zero points and scales for the columns of each group of rows of 'memref<2x8x4xi8>', but got 'memref<2x3x4xf32>'}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<2x8x4xi8>) scale(%s : memref<2x3x4xf32>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements bytes>, columns = 4}
  return
}

// -----

func.func @product_packed_rows(%x: memref<4x8xf32>, %w: memref<2x8x4xi8>, %y: memref<3x2x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected dims that agree with those of the result and of the other operand, but got 'memref<4x8xf32>'}}
  rt.product ins(%x, %w : memref<4x8xf32>, memref<2x8x4xi8>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements bytes>, columns = 4}
  return
}

// -----

func.func @product_signs(%x: memref<3x8xf32>, %w: memref<2x8x4xi8>, %y: memref<3x2x4xf32>, %z: f32) {
  // expected-error @+1 {{'rt.product' op expected only integers to have signs}}
  rt.product ins(%x, %w : memref<3x8xf32>, memref<2x8x4xi8>) start(%z : f32) outs(%y : memref<3x2x4xf32>) {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>, elements = #rt<elements bytes>, signed_zero, columns = 4}
  return
}
