// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf | FileCheck %s
// RUN: ir-opt %s --ov-loops --ov-linalg --ov-schedule --ov-bufferize | FileCheck %s --check-prefix=BUFFERS
// RUN: ir-opt %s --ov-loops --ov-linalg --ov-schedule --ov-bufferize --convert-scf-to-cf --rt-lower-checks | FileCheck %s --check-prefix=CHECKS

// The number of iterations is known only at the end of the loop. Its parts lie in a buffer that grows, and the output
// has its size then.

// CHECK-LABEL: @main
// CHECK: %[[CELL:.*]] = memref.alloc() : memref<2xi64>
// CHECK: scf.while
// CHECK: %[[BLOCK:.*]], %[[OK:.*]] = rt.reserve growing %{{.*}} keeping %{{.*}} in %[[CELL]]
// CHECK: rt.check %[[OK]], recorded, "" guards(%[[BLOCK]] : memref<?xi8>)
// BUFFERS: rt.reserve
// BUFFERS: rt.output 0(%{{.*}}) late : memref<?x4xf32>
// CHECKS: rt.acquire_output 0
// CHECKS: rt.recorded_status
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %p: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) concats(along 0 : tensor<?x4xf32>) {
    ov.yield while(%c : tensor<i1>) concat(%p : tensor<1x4xf32>)
  }
  return %r : tensor<?x4xf32>
}
