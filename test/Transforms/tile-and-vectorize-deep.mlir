// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-tile-and-vectorize --remarks-filter-missed=rt-tile-and-vectorize \
// RUN:   --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// The outer loops of a deep nest become one loop. The time of upstream's bufferization doubles with each loop that
// carries a tensor.

// REMARK: expected fewer loops around each other

#map = affine_map<(d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10) -> (d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10)>

// CHECK-LABEL: func.func @deep
// CHECK: %[[COUNT:.*]] = arith.muli
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]]
// CHECK: arith.remui %[[I]]
// CHECK: arith.divui %[[I]]
// CHECK-COUNT-9: scf.for
// CHECK-NOT: scf.for
func.func @deep(%x: tensor<?x?x?x?x?x?x?x?x?x?x?xf32>, %e: tensor<?x?x?x?x?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?x?x?x?x?xf32> {
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = [
      "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel",
      "parallel", "parallel"]} ins(%x : tensor<?x?x?x?x?x?x?x?x?x?x?xf32>) outs(%e : tensor<?x?x?x?x?x?x?x?x?x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?x?x?x?x?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?x?x?x?x?x?x?xf32>
}
