// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-alternate-order --split-input-file | FileCheck %s --implicit-check-not=rt.independent
// RUN: ir-opt %s --rt-alternate-order --split-input-file \
// RUN:   --remarks-filter=rt-alternate-order --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] alternates | Category:rt-alternate-order | Remark="every second iteration reads the weights backward"

// Every second iteration goes backward: from 1021 with a step of -3. Weights that L1 holds are always
// read forward.

// CHECK-LABEL: @recur_model_compute
// CHECK: scf.for %[[T:.*]] = %c0 to
// CHECK: %[[PARITY:.*]] = arith.andi %[[T]], %c1
// CHECK: %[[BACKWARD:.*]] = arith.cmpi eq, %[[PARITY]], %c1
// CHECK: rt.iteration %[[T]]
// CHECK: scf.for %[[I:.*]] = %c1 to
// CHECK: %[[OPPOSITE:.*]] = arith.subi %c1022{{.*}}, %[[I]]
// CHECK: %[[PLACE:.*]] = arith.select %[[BACKWARD]], %[[OPPOSITE]], %[[I]]
// CHECK: memref.load %{{.*}}[%[[PLACE]], %c0]
// CHECK: memref.store %{{.*}}[%[[PLACE]]]
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK-NOT: arith.select
// CHECK: memref.load %{{.*}}[%[[J]], %c0]
func.func @recur_model_compute(%frame: !llvm.ptr, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1024 = arith.constant 1024 : index
  %w = rt.weights at 0 of(#ov.weights<0, tensor<1024x256xf32>> : tensor<1024x256xf32>) : memref<1024x256xf32>
  %v = rt.weights at 1048576 of(#ov.weights<0, tensor<1024x8xf32>> : tensor<1024x8xf32>) : memref<1024x8xf32>
  %out = rt.output 0 () : memref<1024xf32>
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    scf.for %i = %c1 to %c1024 step %c3 {
      %x = memref.load %w[%i, %c0] : memref<1024x256xf32>
      memref.store %x, %out[%i] : memref<1024xf32>
    } {rt.independent}
    scf.for %i = %c0 to %c1024 step %c1 {
      %x = memref.load %v[%i, %c0] : memref<1024x8xf32>
      memref.store %x, %out[%i] : memref<1024xf32>
    } {rt.independent}
  }
  return
}

// -----

// The function that does the share of a thread gets the flag, and goes backward in its own share. So does the kernel
// that it calls, and the kernel's kernel. A call outside of time loops, and one for small weights, goes forward.

// CHECK-LABEL: @recur_model_compute
// CHECK: call @outer({{.*}}, %false{{[^,]*}})
// CHECK: scf.for
// CHECK: %[[BACKWARD:.*]] = arith.cmpi eq
// CHECK: rt.parallel @part want %{{.*}}(%{{.*}}, %[[BACKWARD]] : memref<?x256xf32>, i1)
// CHECK: call @part({{.*}}, %[[BACKWARD]])
// CHECK: call @outer({{.*}}, %false{{[^,]*}})
// CHECK: func.func private @part({{.*}}, %[[OF_PART:[^:]*]]: i1)
// CHECK: call @outer({{.*}}, %[[OF_PART]])
// CHECK: func.func private @outer({{.*}}, %[[OF_OUTER:[^:]*]]: i1)
// CHECK: call @inner({{.*}}, %[[OF_OUTER]])
// CHECK: func.func private @inner({{.*}}, %[[OF_INNER:[^:]*]]: i1)
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N:[^ ]*]]
// CHECK: %[[OPPOSITE:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: arith.select %[[OF_INNER]], %[[OPPOSITE]], %[[I]]
func.func @recur_model_compute(%frame: !llvm.ptr, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %w = rt.weights at 0 of(#ov.weights<0, tensor<1024x256xf32>> : tensor<1024x256xf32>) : memref<1024x256xf32>
  %any = memref.cast %w : memref<1024x256xf32> to memref<?x256xf32>
  %v = rt.weights at 1048576 of(#ov.weights<0, tensor<16x256xf32>> : tensor<16x256xf32>) : memref<16x256xf32>
  %few = memref.cast %v : memref<16x256xf32> to memref<?x256xf32>
  %out = rt.output 0 () : memref<1024x256xf32>
  %to = memref.cast %out : memref<1024x256xf32> to memref<?x256xf32>
  func.call @outer(%any, %to) : (memref<?x256xf32>, memref<?x256xf32>) -> ()
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    rt.parallel @part want %T (%to : memref<?x256xf32>)
    func.call @part(%frame, %c0_i32, %c1_i32, %to) : (!llvm.ptr, i32, i32, memref<?x256xf32>) -> ()
    func.call @outer(%few, %to) : (memref<?x256xf32>, memref<?x256xf32>) -> ()
  }
  return
}
func.func private @part(%frame: !llvm.ptr, %index: i32, %count: i32, %to: memref<?x256xf32>) {
  %w = rt.weights at 0 of(#ov.weights<0, tensor<1024x256xf32>> : tensor<1024x256xf32>) : memref<1024x256xf32>
  %any = memref.cast %w : memref<1024x256xf32> to memref<?x256xf32>
  func.call @outer(%any, %to) : (memref<?x256xf32>, memref<?x256xf32>) -> ()
  return
}
func.func private @outer(%w: memref<?x256xf32>, %to: memref<?x256xf32>) attributes {rt.kernel} {
  func.call @inner(%w, %to) : (memref<?x256xf32>, memref<?x256xf32>) -> ()
  return
}
func.func private @inner(%w: memref<?x256xf32>, %to: memref<?x256xf32>) attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %w, %c0 : memref<?x256xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %w[%i, %c0] : memref<?x256xf32>
    memref.store %x, %to[%i, %c0] : memref<?x256xf32>
  } {rt.independent}
  return
}
