// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-simplify -o %t.simplify && FileCheck %s --check-prefix=SIMPLIFY < %t.simplify
// RUN: ir-opt %t.simplify --ov-loops -o %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: ir-opt %t.loops --ov-linalg -o %t.linalg && FileCheck %s --check-prefix=LINALG < %t.linalg
// RUN: ir-opt %t.linalg --ov-schedule -o %t.schedule && FileCheck %s --check-prefix=SCHEDULE < %t.schedule
// RUN: ir-opt %t.schedule --ov-bufferize='check-time-loops=true' -o %t.bufferize && FileCheck %s --check-prefix=BUFFERIZE < %t.bufferize
// RUN: ir-opt %t.bufferize --ov-llvm -o %t.llvm && FileCheck %s --check-prefix=LLVM < %t.llvm
// RUN: ir-opt %s --ov-to-llvm | diff %t.llvm -

// Without optimization the same stages give scalar loops.
// RUN: ir-opt %t.simplify --ov-loops='optimize=false' | FileCheck %s --check-prefix=NAIVE-LOOPS
// RUN: ir-opt %t.linalg --ov-schedule='optimize=false' | FileCheck %s --check-prefix=NAIVE
// RUN: ir-opt %s --ov-to-llvm='optimize=false' | FileCheck %s --check-prefix=LLVM
// Wider vectors.
// RUN: ir-opt %t.linalg --ov-schedule='vector-bits=512 vector-registers=32' | FileCheck %s --check-prefix=WIDE
// A target without fused multiply-add.
// RUN: ir-opt %t.bufferize --ov-llvm='fma=false' | FileCheck %s --check-prefix=NOFMA

// The carried value that never changes and the unused result are removed.
// SIMPLIFY: ov.tensor_iterator slices({{.*}}) carried(%{{[^,]*}} : tensor<1x32xf32>) {
// SIMPLIFY: ov.rnn_cell

// The product with the input leaves the loop; the state has two slots.
// LOOPS-LABEL: @main
// LOOPS-SAME: rt.time_loops = 1
// LOOPS: ov.matmul {{.*}} -> tensor<25x32xf32>
// LOOPS: memref.alloc() : memref<2x1x32xf32>
// LOOPS: scf.for
// LOOPS: rt.iteration
// LOOPS: ov.matmul {{.*}} -> tensor<1x32xf32>
// LOOPS-NOT: ov.tensor_iterator
// NAIVE-LOOPS: scf.for
// NAIVE-LOOPS-COUNT-2: ov.matmul {{.*}} -> tensor<1x32xf32>

// LINALG-LABEL: @main
// LINALG-NOT: ov.{{(matmul|add|relu)}}
// LINALG: linalg.generic
// LINALG: scf.for
// LINALG: linalg.generic

// SCHEDULE: rt.inputs = [
// SCHEDULE-LABEL: @recur_model_compute
// SCHEDULE: rt.input 0
// SCHEDULE: rt.output 0()
// SCHEDULE-NOT: linalg
// SCHEDULE: rt.iteration
// SCHEDULE: math.fma {{.*}} vector<
// SCHEDULE-NOT: linalg
// NAIVE-LABEL: @recur_model_compute
// NAIVE-NOT: vector
// NAIVE: rt.iteration
// NAIVE-NOT: vector
// NAIVE: return
// WIDE: vector<{{.*}}32xf32>

// BUFFERIZE: rt.workspace_bytes = {{[1-9]}}
// BUFFERIZE-LABEL: @recur_model_compute
// BUFFERIZE-NOT: tensor<
// BUFFERIZE-NOT: memref.alloc
// BUFFERIZE: rt.workspace
// BUFFERIZE: rt.iteration
// BUFFERIZE: vector.store
// BUFFERIZE-NOT: tensor<
// BUFFERIZE-LABEL: @recur_model_sizes
// BUFFERIZE: rt.sizes

// LLVM-LABEL: llvm.func @recur_model_compute(%{{.*}}: !llvm.ptr) -> i32
// LLVM-NOT: unrealized_conversion_cast
// LLVM-NOT: llvm.call @
// LLVM: llvm.return
// LLVM-LABEL: llvm.func @recur_model_sizes(
// NOFMA-LABEL: llvm.func @recur_model_compute
// NOFMA-NOT: llvm.intr.fma
// NOFMA: llvm.return

func.func @main(%x: tensor<25x8xf32> {ov.name = "x", ov.element_type = f32},
                %h0: tensor<1x32xf32> {ov.name = "h", ov.element_type = f32},
                %w: tensor<32x8xf32> {ov.name = "w", ov.element_type = f32},
                %r: tensor<32x32xf32> {ov.name = "r", ov.element_type = f32},
                %b: tensor<32xf32> {ov.name = "b", ov.element_type = f32})
    -> (tensor<1x32xf32> {ov.name = "y", ov.element_type = f32}) {
  %y:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<25x8xf32> to tensor<1x8xf32>)
      carried(%h = %h0 : tensor<1x32xf32>, %k = %b : tensor<32xf32>)
      concats(along 0 : tensor<25x32xf32>) {
    %n = ov.rnn_cell %a, %h, %w, %r, %k {hidden_size = 32, activations = [#ov.cell_activation<relu>],
      activations_alpha = [], activations_beta = []}
      : (tensor<1x8xf32>, tensor<1x32xf32>, tensor<32x8xf32>, tensor<32x32xf32>, tensor<32xf32>)
      -> tensor<1x32xf32>
    ov.yield next(%n, %k : tensor<1x32xf32>, tensor<32xf32>) concat(%n : tensor<1x32xf32>)
  }
  return %y#0 : tensor<1x32xf32>
}
