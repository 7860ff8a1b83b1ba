// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-plan-workspace --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Buffers that are alive at once: places aligned to 64 bytes. The module records the number of bytes.

// CHECK: module attributes {
// CHECK-SAME: rt.sizing_inputs = array<i64>, rt.workspace_bytes = 256 : i64
module attributes {rt.outputs = [{name = "y", dims = array<i64: 3, 5>, type = f32}]} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
  // CHECK-DAG: %[[C192:.*]] = arith.constant 192 : index
  // CHECK: %[[W:.*]] = rt.workspace : memref<?xi8>
  // CHECK: memref.view %[[W]][%[[C128]]][] : memref<?xi8> to memref<5xf32>
  // CHECK: memref.view %[[W]][%[[C0]]][] : memref<?xi8> to memref<17xf32>
  // CHECK: memref.view %[[W]][%[[C192]]][] : memref<?xi8> to memref<1xi8>
  // CHECK-NOT: memref.alloc
  %a = memref.alloc() : memref<5xf32>
  %b = memref.alloc() : memref<17xf32>
  %c = memref.alloc() : memref<1xi8>
  %out = rt.output 0 () : memref<3x5xf32>
  %x = arith.constant 1.0 : f32
  %y = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  memref.store %x, %a[%c0] : memref<5xf32>
  memref.store %x, %b[%c0] : memref<17xf32>
  memref.store %y, %c[%c0] : memref<1xi8>
  %0 = memref.load %a[%c0] : memref<5xf32>
  %1 = memref.load %b[%c0] : memref<17xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// The answer of the query.
// CHECK-LABEL: func.func @recur_model_sizes(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 256 : index
// CHECK: rt.sizes %[[BYTES]] dims(%[[C3]], %[[C5]])
// CHECK: return %{{.*}} : i32
}

// -----

// An allocation in a loop becomes one place that all iterations use.

// CHECK: rt.workspace_bytes = 64 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK: memref.view
  // CHECK: scf.for
  // CHECK-NOT: memref.view
  // CHECK: memref.store
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c9 step %c1 {
    scf.for %j = %c0 to %c9 step %c1 {
      %a = memref.alloc() : memref<9xf32>
      memref.store %x, %a[%j] : memref<9xf32>
    }
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Without buffers there is no workspace.

// CHECK: rt.workspace_bytes = 0 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
// CHECK-NOT: rt.workspace :
// CHECK: return
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Sizes that depend on the dims of inputs come after the static ones, and are computed at the start. The function that
// the query calls computes them again, with the same checks, and the dims of outputs.

// CHECK: rt.workspace_bytes = -1 : i64
module attributes {rt.outputs = [{name = "y", dims = array<i64: -1>, type = f32}]} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK: %[[W:.*]] = rt.workspace :
  // CHECK: %[[IN:.*]] = rt.input 0
  // CHECK: %[[N:.*]] = memref.dim %[[IN]]
  // CHECK: %[[M:.*]] = arith.addi %[[N]], %c1
  // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[N]]
  // CHECK: %[[ROWS:.*]] = rt.check %[[FITS]], overflow, "a buffer with a dim of {0} is too large"({{.*}}) guards(%[[N]] : index)
  // CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %c12
  // CHECK: %[[UP:.*]] = arith.addi %[[BYTES]], %c63
  // CHECK: %[[ALIGNED:.*]] = arith.andi %[[UP]], %c-64
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ALIGNED]], %c64
  // CHECK: memref.view %[[W]][%c64][%[[N]]] : memref<?xi8> to memref<?x3xf32>
  // CHECK: memref.view %[[W]][%c0][] : memref<?xi8> to memref<2xf32>
  // CHECK: memref.view %[[W]][%[[NEXT]]][%[[M]]] : memref<?xi8> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rt.input 0 : memref<?xf32>
  %n = memref.dim %in, %c0 : memref<?xf32>
  %m = arith.addi %n, %c1 : index
  %a = memref.alloc(%n) : memref<?x3xf32>
  %b = memref.alloc() : memref<2xf32>
  %x = arith.constant 1.0 : f32
  memref.store %x, %a[%c0, %c0] : memref<?x3xf32>
  memref.store %x, %b[%c0] : memref<2xf32>
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
  }
  %out = rt.output 0 (%m) : memref<?xf32>
  memref.store %x, %out[%c0] : memref<?xf32>
  %0 = memref.load %a[%c0, %c0] : memref<?x3xf32>
  %1 = memref.load %b[%c0] : memref<2xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK-LABEL: @recur_model_sizes
// CHECK: %[[IN:.*]] = rt.input 0
// CHECK: %[[N:.*]] = memref.dim %[[IN]]
// CHECK: %[[M:.*]] = arith.addi %[[N]], %c1
// CHECK-COUNT-2: rt.check
// CHECK: %[[LAST:.*]] = arith.andi
// CHECK: %[[BYTES:.*]] = arith.addi %{{.*}}, %[[LAST]]
// CHECK: rt.sizes %[[BYTES]] dims(%[[M]])
}

// -----

// A size may be the value of an integer input. The module records which input.

// CHECK: rt.sizing_inputs = array<i64: 1>, rt.workspace_bytes = -1 : i64
module attributes {rt.outputs = []} {
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %other = rt.input 0 : memref<4xf32>
  %in = rt.input 1 : memref<2xi64>
  %v = memref.load %in[%c0] : memref<2xi64>
  %n = arith.index_cast %v : i64 to index
  %a = memref.alloc(%n) : memref<?xf32>
  %x = arith.constant 1.0 : f32
  memref.store %x, %a[%c0] : memref<?xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK-LABEL: @recur_model_sizes
// CHECK: %[[IN:.*]] = rt.input 1
// CHECK: %[[V:.*]] = memref.load %[[IN]]
// CHECK: arith.index_cast %[[V]]
// CHECK: rt.sizes
}

// -----

// Output dims that are known only after the computation are -1.

module attributes {rt.outputs = [{name = "y", dims = array<i64: -1, 4>, type = f32}]} {
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %c0) -> index {
    %t = arith.muli %s, %i : index
    scf.yield %t : index
  }
  %out = rt.output 0 (%n) : memref<?x4xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK-LABEL: @recur_model_sizes
// CHECK: rt.sizes %c0 dims(%c-1, %c4)
}

// -----

// A module without the function stays.

// CHECK: module {
// CHECK-NOT: recur_model_sizes
// CHECK: memref.alloc
func.func @other() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

module attributes {rt.outputs = []} {
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // expected-error @+1 {{expected a buffer of fewer than 2^62 bytes, but got 2305843009213693952 elements of 32 bits}}
  %a = memref.alloc() : memref<2305843009213693952xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

module attributes {rt.outputs = []} {
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // The sum does not overflow.
  %b = memref.alloc() : memref<4611686018427387840xi8>
  // expected-error @+1 {{expected fewer than 2^62 bytes of workspace}}
  %a = memref.alloc() : memref<4611686018427387904xi8>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Sizes of views are those of the buffers that they were made of: of a cast, a collapsed part, and an expanded buffer.
// So the query knows all of them.

// CHECK: rt.workspace_bytes = -1 : i64
module attributes {rt.inputs = [{dims = array<i64: -1, -1, 8>, name = "x", type = f32}],
                   rt.outputs = [{name = "y", dims = array<i64: -1>, type = f32}]} {
// CHECK-LABEL: @recur_model_compute
// CHECK-NOT: rt.reserve
// CHECK: %[[X:.*]] = rt.input 0
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[PRODUCT:.*]] = arith.muli
// CHECK: %[[OUTER:.*]] = memref.dim %[[X]], %c0
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[PRODUCT]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[ROWS]]] : memref<?xi8> to memref<?xi8>
// CHECK: rt.output 0(%[[OUTER]])
// CHECK-NOT: rt.reserve
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = rt.input 0 : memref<?x?x8xf32>
  %n = memref.dim %x, %c0 : memref<?x?x8xf32>
  %m = memref.dim %x, %c1 : memref<?x?x8xf32>
  %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %x
      : memref<?x?x8xf32> -> memref<f32>, index, index, index, index, index, index, index
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [%sizes#0, %m, 8], strides: [%strides#0, 8, 1]
      : memref<?x?x8xf32> to memref<?x?x8xf32, strided<[?, 8, 1]>>
  %cast = memref.cast %view : memref<?x?x8xf32, strided<[?, 8, 1]>> to memref<?x?x?xf32, strided<[?, ?, 1]>>
  %rows = memref.dim %cast, %c0 : memref<?x?x?xf32, strided<[?, ?, 1]>>
  %whole = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x8xf32> into memref<?x8xf32>
  %product = memref.dim %whole, %c0 : memref<?x8xf32>
  %a = memref.alloc(%product) : memref<?xf32>
  %more = memref.expand_shape %a [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
  %again = memref.dim %more, %c0 : memref<?x?xf32>
  %b = memref.alloc(%again) : memref<?xi8>
  %y = rt.output 0 (%rows) : memref<?xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2 : i8
  memref.store %one, %a[%c0] : memref<?xf32>
  memref.store %two, %b[%c0] : memref<?xi8>
  %0 = memref.load %a[%c0] : memref<?xf32>
  memref.store %0, %y[%c0] : memref<?xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK-LABEL: func.func @recur_model_sizes(
// CHECK: rt.sizes %{{.*}} dims(%{{dim.*}})
}

// -----

// Products of several dims are checked as f64, which do not wrap. The message has the greatest dim. Buffers of the same
// dims and other element types have the same check, of which CSE leaves one.

module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
// CHECK: %[[MOST:.*]] = arith.constant 0x4310000000000000 : f64
// CHECK: %[[A:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[B:.*]] = memref.dim %{{.*}}, %c1
// CHECK: %[[FLOAT_A:.*]] = arith.sitofp
// CHECK: %[[FLOAT_B:.*]] = arith.sitofp
// CHECK: %[[FLOAT:.*]] = arith.mulf %[[FLOAT_A]], %[[FLOAT_B]] : f64
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[A]], %[[B]]
// CHECK: %[[GREATEST:.*]] = arith.maxui %[[A]], %[[B]]
// CHECK: %[[SMALL:.*]] = arith.cmpi ule, %[[GREATEST]], %c281474976710656
// CHECK: %[[FEW:.*]] = arith.cmpf ule, %[[FLOAT]], %[[MOST]] : f64
// CHECK: %[[FITS:.*]] = arith.andi %[[SMALL]], %[[FEW]]
// CHECK: %[[DETAIL:.*]] = arith.index_cast %[[GREATEST]]
// CHECK: %[[ELEMENTS:.*]] = rt.check %[[FITS]], overflow, "a buffer with a dim of {0} is too large"(%[[DETAIL]]) guards(%[[PRODUCT]] : index)
// CHECK: arith.muli %[[ELEMENTS]], %c4
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rt.input 0 : memref<?x?xf32>
  %m = memref.dim %in, %c0 : memref<?x?xf32>
  %n = memref.dim %in, %c1 : memref<?x?xf32>
  %a = memref.alloc(%m, %n) : memref<?x?xf32>
  %b = memref.alloc(%m, %n) : memref<?x?xi8>
  %x = arith.constant 1.0 : f32
  %y = arith.constant 1 : i8
  memref.store %x, %a[%c0, %c0] : memref<?x?xf32>
  memref.store %y, %b[%c0, %c0] : memref<?x?xi8>
  %0 = memref.load %a[%c0, %c0] : memref<?x?xf32>
  %1 = memref.load %b[%c0, %c0] : memref<?x?xi8>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Buffers whose sizes are computed data are reserved. Their cells are parts of one buffer, which a loop fills with zeros.

module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
// CHECK: %[[CELLS:.*]] = memref.view %{{.*}}[%{{.*}}][] : memref<?xi8> to memref<32xi8>
// CHECK: %[[WORDS:.*]] = memref.view %[[CELLS]][%c0][] : memref<32xi8> to memref<4xi64>
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT: memref.store %{{.*}}, %[[WORDS]][%[[I]]]
// CHECK: %[[FIRST:.*]] = memref.view %[[CELLS]][%c0][] : memref<32xi8> to memref<2xi64>
// CHECK: rt.reserve %{{.*}} keeping %c0 in %[[FIRST]]
// CHECK: %[[SECOND:.*]] = memref.view %[[CELLS]][%c16][] : memref<32xi8> to memref<2xi64>
// CHECK: rt.reserve %{{.*}} keeping %c0 in %[[SECOND]]
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %in = rt.input 0 : memref<2xf32>
  %x = memref.load %in[%c0] : memref<2xf32>
  %n = arith.fptosi %x : f32 to i64
  %size = arith.index_cast %n : i64 to index
  %a = memref.alloc(%size) : memref<?xf32>
  %b = memref.alloc(%size) : memref<?xi8>
  %y = arith.constant 1 : i8
  memref.store %x, %a[%c0] : memref<?xf32>
  memref.store %y, %b[%c0] : memref<?xi8>
  %0 = memref.load %a[%c0] : memref<?xf32>
  %1 = memref.load %b[%c0] : memref<?xi8>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}
