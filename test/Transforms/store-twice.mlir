// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-store-twice --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-store-twice --split-input-file \
// RUN:   --remarks-filter=rt-store-twice --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] stored-twice | Category:rt-store-twice | Remark="the result is stored as a state and as a part of an output at once"

#id = affine_map<(d0) -> (d0)>

// A state that is an output too: both are written by the op that computes them.

// CHECK-LABEL: @state
// CHECK: %[[OUT:.*]] = rt.output 0
// CHECK: scf.for
// CHECK: %[[PART:.*]] = memref.subview %[[OUT]]
// CHECK: %[[E:.*]] = bufferization.to_tensor %[[A:.*]] restrict writable
// CHECK: %[[F:.*]] = bufferization.to_tensor %[[PART]] restrict writable
// CHECK: %[[Y:.*]]:2 = linalg.generic {{.*}} outs(%[[E]], %[[F]] :
// CHECK: linalg.yield %[[V:.*]], %[[V]]
// CHECK: bufferization.materialize_in_destination %[[Y]]#0 in writable %[[A]]
// CHECK: bufferization.materialize_in_destination %[[Y]]#1 in writable %[[PART]]
func.func @state(%x: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %out = rt.output 0 () : memref<9x4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %part = memref.subview %out[%t, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %old: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %y in restrict writable %part
      : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// The output is read in the iteration before it is written, so it must not be written earlier.

// CHECK-LABEL: @read_before
// CHECK: linalg.generic
// CHECK: linalg.yield %{{[^,]*}} : f32
// CHECK: memref.load
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable
func.func @read_before(%x: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<f32>
  %out = rt.output 0 () : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %old: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %before = memref.load %out[%c0] : memref<4xf32>
    memref.store %before, %b[] : memref<f32>
    bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A tensor of the iteration is in the output.

// CHECK-LABEL: @tensor_in_output
// CHECK-COUNT-2: bufferization.to_tensor
// CHECK-NOT: bufferization.to_tensor
// CHECK: return
func.func @tensor_in_output(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %out = rt.output 0 () : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %x = bufferization.to_tensor %out restrict : memref<4xf32> to tensor<4xf32>
    %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %old: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Outside of a time loop, a copy is as good.

// CHECK-LABEL: @no_time_loop
// CHECK: bufferization.materialize_in_destination %[[Y:.*]] in writable
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable
func.func @no_time_loop(%x: tensor<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %out = rt.output 0 () : memref<4xf32>
  %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %old: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The second buffer has another type.

// CHECK-LABEL: @other_type
// CHECK: bufferization.materialize_in_destination %[[Y:.*]] in writable
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable
func.func @other_type(%x: tensor<1x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1x4xf32>
  %out = rt.output 0 (%n, %n) : memref<?x?x4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %part = memref.subview %out[%t, 0, 0] [1, %n, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    %e = bufferization.to_tensor %a restrict writable : memref<1x4xf32> to tensor<1x4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
    ^bb0(%in: f32, %old: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<1x4xf32>
    bufferization.materialize_in_destination %y in writable %a : (tensor<1x4xf32>, memref<1x4xf32>) -> ()
    bufferization.materialize_in_destination %y in restrict writable %part
      : (tensor<1x4xf32>, memref<?x4xf32, strided<[4, 1], offset: ?>>) -> ()
  }
  return
}

// -----

// The op reads an earlier value from the second buffer, in another order.

// CHECK-LABEL: @read_from_outside
// CHECK: bufferization.materialize_in_destination %[[Y:.*]] in writable
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable
func.func @read_from_outside(%n: index, %c: i1, %c2: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %out = rt.output 0 () : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %out restrict : memref<4xf32> to tensor<4xf32>
    scf.if %c {
      %e = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%old : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%in: f32, %o: f32):
        %0 = math.exp %in : f32
        linalg.yield %0 : f32
      } -> tensor<4xf32>
      bufferization.materialize_in_destination %y in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    }
  }
  return
}
