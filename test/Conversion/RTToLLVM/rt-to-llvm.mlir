// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-rt-to-llvm --canonicalize | FileCheck %s

// Offsets are those of recur_frame (inputs 0, outputs 8, workspace 16, weights 24, fault_site 56, fault_detail 64) and of
// recur_tensor (data 0, shape 8; 40 bytes each).

// CHECK-LABEL: @input
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr)
func.func @input(%frame: !llvm.ptr) -> memref<4xf32> {
  // CHECK: %[[INPUTS:.*]] = llvm.load %[[FRAME]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[TENSOR:.*]] = llvm.getelementptr %[[INPUTS]][80] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: %[[DATA:.*]] = llvm.load %[[TENSOR]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.insertvalue %[[DATA]], %{{.*}}[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  // CHECK: llvm.insertvalue %[[DATA]], %{{.*}}[1]
  // CHECK: %[[D:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[4, 0]
  // CHECK: %[[R:.*]] = builtin.unrealized_conversion_cast %[[D]] : {{.*}} to memref<4xf32>
  // CHECK: return %[[R]]
  %0 = rt.input 2 : memref<4xf32>
  return %0 : memref<4xf32>
}

// Dims come from the caller's shape, and strides follow from them.

// CHECK-LABEL: @dynamic_input
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr)
func.func @dynamic_input(%frame: !llvm.ptr) -> memref<?x4x?xf32> {
  // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[INPUTS:.*]] = llvm.load %[[FRAME]] invariant
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[INPUTS]][8]
  // CHECK: %[[SHAPE:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[D0:.*]] = llvm.load %[[SHAPE]] invariant : !llvm.ptr -> i64
  // CHECK: %[[AT2:.*]] = llvm.getelementptr %[[SHAPE]][16]
  // CHECK: %[[D2:.*]] = llvm.load %[[AT2]] invariant : !llvm.ptr -> i64
  // CHECK: llvm.load %[[INPUTS]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK-DAG: llvm.insertvalue %[[D0]], %{{.*}}[3, 0]
  // CHECK-DAG: llvm.insertvalue %[[FOUR]], %{{.*}}[3, 1]
  // CHECK-DAG: llvm.insertvalue %[[D2]], %{{.*}}[3, 2]
  // CHECK-DAG: %[[S1:.*]] = llvm.mul %[[D2]], %[[ONE]]
  // CHECK-DAG: llvm.insertvalue %[[S1]], %{{.*}}[4, 1]
  // CHECK-DAG: %[[S0:.*]] = llvm.mul %[[S1]], %[[FOUR]]
  // CHECK-DAG: llvm.insertvalue %[[S0]], %{{.*}}[4, 0]
  %0 = rt.input 0 : memref<?x4x?xf32>
  return %0 : memref<?x4x?xf32>
}

// CHECK-LABEL: @output
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr, %[[N:.*]]: index)
func.func @output(%frame: !llvm.ptr, %n: index) -> memref<3x?xf32> {
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][8]
  // CHECK: %[[OUTPUTS:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[TENSOR:.*]] = llvm.getelementptr %[[OUTPUTS]][40]
  // CHECK: %[[DIM:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: llvm.load %[[TENSOR]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.insertvalue %[[DIM]], %{{.*}}[3, 1]
  %0 = rt.output 1 (%n) : memref<3x?xf32>
  return %0 : memref<3x?xf32>
}

// CHECK-LABEL: @weights
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr)
func.func @weights(%frame: !llvm.ptr) -> (memref<4xf32>, memref<4xf32>) {
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][24]
  // CHECK: %[[BASE:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[BASE]][128]
  // CHECK: llvm.insertvalue %[[PLACE]], %{{.*}}[1]
  %0 = rt.weights at 128 of(#ov.weights<0, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  // The address of the table is loaded once.
  // CHECK-NOT: llvm.load
  // CHECK: llvm.insertvalue %[[BASE]], %{{.*}}[1]
  %1 = rt.weights at 0 of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  return %0, %1 : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: @workspace
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr)
func.func @workspace(%frame: !llvm.ptr) -> memref<?xi8> {
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][16]
  // CHECK: %[[BASE:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.insertvalue %[[BASE]], %{{.*}}[1]
  %0 = rt.workspace : memref<?xi8>
  return %0 : memref<?xi8>
}

// The flags are behind the size of the configuration.

// CHECK-LABEL: @tiles
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr)
func.func @tiles(%frame: !llvm.ptr) -> i1 {
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][40]
  // CHECK: %[[CONFIG:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[CONFIG]][4]
  // CHECK: %[[FLAGS:.*]] = llvm.load %[[PLACE]] invariant : !llvm.ptr -> i32
  // CHECK: %[[FLAG:.*]] = llvm.and %[[FLAGS]], %{{.*}} : i32
  // CHECK: llvm.icmp "ne" %[[FLAG]], %{{.*}} : i32
  %0 = rt.may_use_tiles
  return %0 : i1
}

// CHECK-LABEL: @sizes
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr, %[[BYTES:.*]]: !llvm.ptr, %[[W:.*]]: index, %[[A:.*]]: index, %[[B:.*]]: index)
func.func @sizes(%frame: !llvm.ptr, %dims: !llvm.ptr, %bytes: !llvm.ptr, %w: index, %a: index, %b: index) {
  // CHECK: %[[A64:.*]] = arith.index_cast %[[A]]
  // CHECK: llvm.store %[[A64]], %[[DIMS]] : i64, !llvm.ptr
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[DIMS]][8]
  // CHECK: %[[B64:.*]] = arith.index_cast %[[B]]
  // CHECK: llvm.store %[[B64]], %[[AT]]
  // CHECK: %[[W64:.*]] = arith.index_cast %[[W]]
  // CHECK: llvm.store %[[W64]], %[[BYTES]]
  rt.sizes %w dims(%a, %b)
  return
}

// CHECK-LABEL: @fail
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr, %[[SITE:.*]]: i64, %[[A:.*]]: i64, %[[B:.*]]: i64)
func.func @fail(%frame: !llvm.ptr, %site: i64, %a: i64, %b: i64) {
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][56]
  // CHECK: llvm.store %[[SITE]], %[[AT]] : i64
  // CHECK: %[[AT0:.*]] = llvm.getelementptr %[[FRAME]][64]
  // CHECK: llvm.store %[[A]], %[[AT0]]
  // CHECK: %[[AT1:.*]] = llvm.getelementptr %[[FRAME]][72]
  // CHECK: llvm.store %[[B]], %[[AT1]]
  // CHECK: llvm.getelementptr %[[FRAME]][80]
  // CHECK: llvm.getelementptr %[[FRAME]][88]
  rt.fail %site(%a, %b, %a, %b)
  return
}

// A parallel region passes memory on the stack with the frame and the captures, and a function that takes them out of it. A value
// that no loop computes is stored once, where it is defined. Of a buffer, only what its type does not tell is stored.

func.func private @share(%frame: !llvm.ptr, %index: i32, %count: i32, %n: index, %x: memref<?x4xf32>, %y: memref<4xf32>) {
  return
}

func.func private @share_too(%frame: !llvm.ptr, %index: i32, %count: i32, %y: memref<4xf32>, %t: f32) {
  return
}

func.func private @value() -> f32

func.func private @again() -> i1

// CHECK-LABEL: @parallel
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr, %[[WANT:.*]]: index, %[[N:.*]]: index, %[[Y:.*]]: memref<4xf32>)
func.func @parallel(%frame: !llvm.ptr, %want: index, %n: index, %y: memref<4xf32>) {
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(44 : i64)
  // CHECK-NEXT: %[[MEMORY:.*]] = llvm.alloca %[[BYTES]] x i8 {alignment = 8 : i64} : (i64) -> !llvm.ptr
  // CHECK-DAG: llvm.store %[[FRAME]], %[[MEMORY]] : !llvm.ptr, !llvm.ptr
  // CHECK-DAG: %[[N64:.*]] = builtin.unrealized_conversion_cast %[[N]] : index to i64
  // CHECK-DAG: llvm.store %[[N64]], %{{.*}} : i64, !llvm.ptr
  // CHECK-DAG: %[[D:.*]] = builtin.unrealized_conversion_cast %[[Y]]
  // CHECK-DAG: %[[DATA:.*]] = llvm.extractvalue %[[D]][1]
  // CHECK-DAG: llvm.store %[[DATA]], %{{.*}} : !llvm.ptr, !llvm.ptr
  %x = rt.input 0 : memref<?x4xf32>
  // CHECK: %[[POINTER:.*]] = builtin.unrealized_conversion_cast %{{.*}} : (!llvm.ptr, i32, i32) -> () to !llvm.ptr
  // CHECK: llvm.call @recur_frame_gang(%[[FRAME]], %{{.*}}, %[[POINTER]], %[[MEMORY]]) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
  rt.parallel @share want %want (%n, %x, %y : index, memref<?x4xf32>, memref<4xf32>)
  cf.br ^loop
^loop:
  // The next one stores what the loop computes.
  // CHECK: ^bb1:
  // CHECK: %[[T:.*]] = call @value()
  // CHECK-NOT: llvm.store
  // CHECK: llvm.store %[[T]], %{{.*}} : f32, !llvm.ptr
  // CHECK-NOT: llvm.store
  // CHECK: llvm.call @recur_frame_gang(%[[FRAME]], %{{.*}}, %{{.*}}, %[[MEMORY]])
  %t = call @value() : () -> f32
  rt.parallel @share_too want %want (%y, %t : memref<4xf32>, f32)
  %again = call @again() : () -> i1
  cf.cond_br %again, ^loop, ^end
^end:
  return
}

// CHECK: func.func private @share_body(%[[ARG:.*]]: !llvm.ptr, %[[I:.*]]: i32, %[[COUNT:.*]]: i32)
// CHECK: %[[F:.*]] = llvm.load %[[ARG]] invariant : !llvm.ptr -> !llvm.ptr
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARG]][8]
// CHECK: llvm.load %[[AT]] invariant : !llvm.ptr -> i64
// CHECK: call @share(%[[F]], %[[I]], %[[COUNT]], %{{.*}}, %{{.*}}, %{{.*}})
