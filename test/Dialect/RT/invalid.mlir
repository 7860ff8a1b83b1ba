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

// expected-error@+1 {{expected 'rt.winograd' to be an array<i64> of one or two strides of 1 or 2 of a linalg.generic}}
func.func private @f() attributes {rt.winograd}

// -----

// expected-error@+1 {{expected 'rt.same_shape' to be a unit of a memref.reinterpret_cast}}
func.func private @f() attributes {rt.same_shape}

// -----

// expected-error@+1 {{expected 'rt.padding' to be an array<i64> of two numbers of at least 0 for each of two or three dims of a linalg.generic}}
func.func private @f() attributes {rt.padding = array<i64: 1, 1>}

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
