// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-simplify --ov-loops=step | FileCheck %s --check-prefix=STEP
// RUN: ir-opt %s --ov-simplify --ov-loops='step optimize=false' | FileCheck %s --check-prefix=STEP

// With `step` the stages make the body of the loop over time, with its state as an argument and a result.
// STEP: ov.states = array<i64: 1>
// STEP: func.func @main(%{{[^:]*}}: tensor<1x1x64xf32>, %{{[^:]*}}: tensor<1x16xf32> {{{.*}}}, %{{[^:]*}}: tensor<i1>
// STEP-SAME: -> (tensor<1x16xf32>, tensor<1x16xf32>
// STEP-NOT: scf.for
// STEP: ov.matmul

module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096, hash = 0>} {
  func.func @main(%x: tensor<1x9x64xf32>) -> tensor<1x16xf32> {
    %w = ov.constant #ov.weights<0, tensor<64x16xf32>> : tensor<64x16xf32>
    %zeros = ov.constant dense<0.0> : tensor<1x16xf32>
    %axis = ov.constant dense<1> : tensor<1xi64>
    %h = ov.tensor_iterator slices(%x_t = %x along 1 [0:-1:1] part 1 : tensor<1x9x64xf32> to tensor<1x1x64xf32>)
        carried(%s = %zeros : tensor<1x16xf32>) {
      %row = ov.squeeze %x_t, %axis : (tensor<1x1x64xf32>, tensor<1xi64>) -> tensor<1x64xf32>
      %0 = ov.matmul %row, %w : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
      %1 = ov.add %0, %s : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
      ov.yield next(%1 : tensor<1x16xf32>)
    }
    return %h : tensor<1x16xf32>
  }
}
