// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-fuse-time-loops))' --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-fuse-time-loops{max-bytes=8 vector-registers=32}))' --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-fuse-time-loops{max-bytes=8 vector-registers=32 has-dots=true}))' --split-input-file | FileCheck %s --check-prefix=DOTS
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-fuse-time-loops))' --split-input-file \
// RUN:   --remarks-filter=rt-fuse-time-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] fused | Category:rt-fuse-time-loops | Remark="the loop runs together with another op"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-time-loops | Reason="expected a loop that does not need the other"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-time-loops | Reason="expected only ops that cannot fail between the loops"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-time-loops | Reason="expected as many iterations as the other loop has"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-time-loops | Reason="expected constants that a cache keeps for both loops"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-time-loops | Reason="expected that not both loops can fail"

// Two directions. What the second loop needs moves in front of both; what needs the first one stays behind. Results of
// both loops stay. With max-bytes=8, their constants are too large.

// CHECK-LABEL: @directions
// CHECK-SAME: rt.time_loops = 1
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[B]]
// CHECK: %[[R:.*]]:2 = scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK-COUNT-1: rt.iteration %[[T]]
// CHECK-NOT: rt.iteration
// CHECK: arith.addf %[[S]]
// CHECK: arith.mulf %[[P]]
// CHECK: %[[LAST:.*]] = bufferization.to_tensor %[[A]]
// CHECK-NOT: scf.for
// CHECK: return %[[R]]#0, %[[R]]#1, %[[LAST]]
// FEW-LABEL: @directions
// FEW-COUNT-2: rt.iteration
func.func @directions(%x: tensor<4xf32>, %n: index, %s: f32) -> (f32, f32, tensor<4xf32>) attributes {rt.time_loops = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = ov.constant dense<1.0> : tensor<4xf32>
  %a = memref.alloc() : memref<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  %sum = scf.for %t = %c0 to %n step %c1 iter_args(%i = %s) -> f32 {
    rt.iteration %t
    %old = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
    %new = linalg.add ins(%old, %w : tensor<4xf32>, tensor<4xf32>) outs(%old : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %new in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
    %next = arith.addf %i, %s : f32
    scf.yield %next : f32
  }
  %last = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %b = memref.alloc() : memref<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  %product = scf.for %t = %c0 to %n step %c1 iter_args(%i = %s) -> f32 {
    rt.iteration %t
    %old = bufferization.to_tensor %b restrict : memref<4xf32> to tensor<4xf32>
    %new = linalg.mul ins(%old, %w : tensor<4xf32>, tensor<4xf32>) outs(%old : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %new in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
    %next = arith.mulf %i, %s : f32
    scf.yield %next : f32
  }
  return %sum, %product, %last : f32, f32, tensor<4xf32>
}

// -----

// Not fused: the second loop reads a buffer that the first one writes, also through a tensor; it writes one that the
// first one reads; another op between them may fail; the bounds differ.

// CHECK-LABEL: @dependent
// CHECK-COUNT-5: rt.iteration
func.func @dependent(%x: tensor<4xf32>, %n: index, %m: index, %ok: i1) attributes {rt.time_loops = 5 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %x in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  %y = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %z in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %x in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  rt.check %ok, shape, "no"
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %x in restrict writable %c : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  %d = memref.alloc() : memref<4xf32>
  scf.for %t = %c0 to %m step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %x in restrict writable %d : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

// The first and the third loop use too many constants for one loop. The last one is fused with the first one, and the
// third one moves in front of both, and so in front of the second one, which needs the first one. These two are fused as
// well.

// CHECK-LABEL: @crossing
// CHECK-SAME: rt.time_loops = 2
// CHECK-COUNT-2: rt.iteration
// CHECK-NOT: rt.iteration
func.func @crossing(%n: index) attributes {rt.time_loops = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = ov.constant #ov.weights<0, tensor<2560xf32>> : tensor<2560xf32>
  %a = memref.alloc() : memref<2560xf32>
  %b = memref.alloc() : memref<2560xf32>
  %c = memref.alloc() : memref<2560xf32>
  %d = memref.alloc() : memref<2560xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %y = bufferization.to_tensor %a restrict : memref<2560xf32> to tensor<2560xf32>
    %z = linalg.add ins(%y, %w : tensor<2560xf32>, tensor<2560xf32>) outs(%y : tensor<2560xf32>) -> tensor<2560xf32>
    bufferization.materialize_in_destination %z in restrict writable %a : (tensor<2560xf32>, memref<2560xf32>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %y = bufferization.to_tensor %a restrict : memref<2560xf32> to tensor<2560xf32>
    %z = linalg.exp ins(%y : tensor<2560xf32>) outs(%y : tensor<2560xf32>) -> tensor<2560xf32>
    bufferization.materialize_in_destination %z in restrict writable %b : (tensor<2560xf32>, memref<2560xf32>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %y = bufferization.to_tensor %c restrict : memref<2560xf32> to tensor<2560xf32>
    %z = linalg.add ins(%y, %w : tensor<2560xf32>, tensor<2560xf32>) outs(%y : tensor<2560xf32>) -> tensor<2560xf32>
    bufferization.materialize_in_destination %z in restrict writable %c : (tensor<2560xf32>, memref<2560xf32>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %y = bufferization.to_tensor %d restrict : memref<2560xf32> to tensor<2560xf32>
    %z = linalg.exp ins(%y : tensor<2560xf32>) outs(%y : tensor<2560xf32>) -> tensor<2560xf32>
    bufferization.materialize_in_destination %z in restrict writable %d : (tensor<2560xf32>, memref<2560xf32>) -> ()
  }
  return
}

// -----

// Not fused: both bodies can fail, so another fault might be reported. If only one can fail, they are fused.

// CHECK-LABEL: @faults
// CHECK-COUNT-2: rt.iteration
// CHECK-NOT: rt.iteration
func.func @faults(%x: tensor<4xf32>, %n: index, %ok: i1) attributes {rt.time_loops = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    rt.check %ok, shape, "first"
    bufferization.materialize_in_destination %x in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  %b = memref.alloc() : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    rt.check %ok, index, "second"
    bufferization.materialize_in_destination %x in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  %c = memref.alloc() : memref<4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    bufferization.materialize_in_destination %x in restrict writable %c : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

// Matrices of 196 KiB, which no L1 keeps: fused for a CPU with a large L2, if they are read for a
// single row. The loops with three rows stay apart.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: @large
// CHECK-COUNT-4: rt.iteration
// FEW-LABEL: @large
// FEW-COUNT-3: rt.iteration
// FEW-NOT: rt.iteration
func.func @large(%x: tensor<1x224xf32>, %xs: tensor<3x224xf32>, %T: index, %f: f32) attributes {rt.time_loops = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ov.constant #ov.weights<0, tensor<224x224xf32>> : tensor<224x224xf32>
  %w = ov.constant #ov.weights<200704, tensor<224x224xf32>> : tensor<224x224xf32>
  %e = tensor.empty() : tensor<1x224xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<1x224xf32>) -> tensor<1x224xf32>
  %es = tensor.empty() : tensor<3x224xf32>
  %zs = linalg.fill ins(%f : f32) outs(%es : tensor<3x224xf32>) -> tensor<3x224xf32>
  %s = memref.alloc() : memref<1x224xf32>
  bufferization.materialize_in_destination %x in restrict writable %s : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  %r = memref.alloc() : memref<1x224xf32>
  bufferization.materialize_in_destination %x in restrict writable %r : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  %q = memref.alloc() : memref<3x224xf32>
  bufferization.materialize_in_destination %xs in restrict writable %q : (tensor<3x224xf32>, memref<3x224xf32>) -> ()
  %p = memref.alloc() : memref<3x224xf32>
  bufferization.materialize_in_destination %xs in restrict writable %p : (tensor<3x224xf32>, memref<3x224xf32>) -> ()
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %s restrict : memref<1x224xf32> to tensor<1x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %v : tensor<1x224xf32>, tensor<224x224xf32>) outs(%z : tensor<1x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<1x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %s : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  }
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %r restrict : memref<1x224xf32> to tensor<1x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %w : tensor<1x224xf32>, tensor<224x224xf32>) outs(%z : tensor<1x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<1x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %r : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  }
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %q restrict : memref<3x224xf32> to tensor<3x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %v : tensor<3x224xf32>, tensor<224x224xf32>) outs(%zs : tensor<3x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<3x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %q : (tensor<3x224xf32>, memref<3x224xf32>) -> ()
  }
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %p restrict : memref<3x224xf32> to tensor<3x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %w : tensor<3x224xf32>, tensor<224x224xf32>) outs(%zs : tensor<3x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<3x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %p : (tensor<3x224xf32>, memref<3x224xf32>) -> ()
  }
  return
}

// -----

// Matrices of 196 KiB that are numbers of bf16. With instructions for pairs of bf16, they take half the bytes, and the
// loops stay apart.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// FEW-LABEL: @rounded
// FEW: rt.iteration
// FEW-NOT: rt.iteration
// DOTS-LABEL: @rounded
// DOTS-COUNT-2: rt.iteration
func.func @rounded(%x: tensor<1x224xf32>, %T: index, %f: f32) attributes {rt.time_loops = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ov.constant #ov.weights<0, tensor<224x224xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<224x224xf32>
  %w = ov.constant #ov.weights<200704, tensor<224x224xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<224x224xf32>
  %e = tensor.empty() : tensor<1x224xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<1x224xf32>) -> tensor<1x224xf32>
  %s = memref.alloc() : memref<1x224xf32>
  bufferization.materialize_in_destination %x in restrict writable %s : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  %r = memref.alloc() : memref<1x224xf32>
  bufferization.materialize_in_destination %x in restrict writable %r : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %s restrict : memref<1x224xf32> to tensor<1x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %v : tensor<1x224xf32>, tensor<224x224xf32>) outs(%z : tensor<1x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<1x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %s : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  }
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %old = bufferization.to_tensor %r restrict : memref<1x224xf32> to tensor<1x224xf32>
    %new = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%old, %w : tensor<1x224xf32>, tensor<224x224xf32>) outs(%z : tensor<1x224xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<1x224xf32>
    bufferization.materialize_in_destination %new in restrict writable %r : (tensor<1x224xf32>, memref<1x224xf32>) -> ()
  }
  return
}
