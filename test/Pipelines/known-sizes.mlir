// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that follow from the dims of inputs are known to the query: no buffer is reserved during the work, and no dim of
// an output is -1.
// RUN: ir-opt %s --split-input-file --ov-simplify --ov-loops --ov-linalg --ov-schedule --ov-bufferize \
// RUN:   | FileCheck %s --implicit-check-not=rt.reserve
// RUN: ir-opt %s --split-input-file --ov-simplify --ov-loops="precision=bf16 dots=true" --ov-linalg \
// RUN:   --ov-schedule="dots=true vector-bits=512 vector-registers=32" --ov-bufferize="vector-bits=512 vector-registers=32" \
// RUN:   | FileCheck %s --implicit-check-not=rt.reserve

// Rows that broadcast to a static dim.
// CHECK-LABEL: func.func @recur_model_sizes
// CHECK: rt.sizes %{{[^ ]*}} dims({{[^-]*$}}
func.func @main(%x: tensor<?x?x100xf32> {ov.name = "x"}, %c: tensor<60x1xf32> {ov.name = "c"})
    -> (tensor<?x60x100xf32> {ov.name = "y"}) {
  %0 = ov.squared_difference %x, %c : (tensor<?x?x100xf32>, tensor<60x1xf32>) -> tensor<?x60x100xf32>
  return %0 : tensor<?x60x100xf32>
}

// -----

// Columns that are copied if they must be repeated, which is decided at run time.
// CHECK-LABEL: func.func @recur_model_sizes
// CHECK: rt.sizes %{{[^ ]*}} dims({{[^-]*$}}
func.func @main(%q: tensor<8x?x64xf32> {ov.name = "q"}, %k: tensor<8x?x64xf32> {ov.name = "k"},
                %m: tensor<1x?x?xf32> {ov.name = "m"}) -> (tensor<8x?x?xf32> {ov.name = "y"}) {
  %0 = ov.matmul %q, %k {transpose_b = true} : (tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x?x?xf32>
  %1 = ov.add %0, %m : (tensor<8x?x?xf32>, tensor<1x?x?xf32>) -> tensor<8x?x?xf32>
  return %1 : tensor<8x?x?xf32>
}

// -----

// A dim that is rounded down, as Interpolate computes it.
// CHECK-LABEL: func.func @recur_model_sizes
// CHECK: math.floor
// CHECK: rt.sizes %{{[^ ]*}} dims({{[^-]*$}}
func.func @main(%x: tensor<?xf32> {ov.name = "x"}) -> (tensor<?xi64> {ov.name = "y"}) {
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64>
  %scale = ov.constant dense<1.5> : tensor<1xf32>
  %0 = ov.shape_of %x {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
  %1 = ov.convert %0 : tensor<1xi64> to tensor<1xf32>
  %2 = ov.multiply %1, %scale : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %3 = ov.floor %2 : tensor<1xf32>
  %4 = ov.convert %3 : tensor<1xf32> to tensor<1xi64>
  %5 = ov.squeeze %4, %axes : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %6 = ov.range %zero, %5, %one {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %6 : tensor<?xi64>
}

// -----

// Two products of the slices, which are computed before the loop for strips of iterations.
// CHECK-LABEL: func.func @recur_model_sizes
// CHECK: rt.sizes %{{[^ ]*}} dims({{[^-]*$}}
func.func @main(%x: tensor<?x?x64xf32> {ov.name = "x"}, %h: tensor<?x64xf32> {ov.name = "h"})
    -> (tensor<?x?x64xf32> {ov.name = "y"}) {
  %a = ov.constant dense<0.5> : tensor<64x64xf32>
  %b = ov.constant dense<0.25> : tensor<64x64xf32>
  %axis = ov.constant dense<1> : tensor<1xi64>
  %0:2 = ov.tensor_iterator slices(%slice = %x along 1 [0:-1:1] part 1 : tensor<?x?x64xf32> to tensor<?x1x64xf32>)
      carried(%state = %h : tensor<?x64xf32>) concats(along 1 : tensor<?x?x64xf32>) {
    %1 = ov.squeeze %slice, %axis : (tensor<?x1x64xf32>, tensor<1xi64>) -> tensor<?x64xf32>
    %2 = ov.concat %1, %state {axis = 1 : i64} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x128xf32>
    %3 = ov.matmul %1, %a : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %4 = ov.multiply %3, %state : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %5 = ov.matmul %1, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %6 = ov.add %4, %5 : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %7 = ov.unsqueeze %6, %axis : (tensor<?x64xf32>, tensor<1xi64>) -> tensor<?x1x64xf32>
    ov.yield next(%6 : tensor<?x64xf32>) concat(%7 : tensor<?x1x64xf32>)
  }
  return %0#1 : tensor<?x?x64xf32>
}

// -----

// The same with static dims, where all results of a product have more than one MiB.
// CHECK-LABEL: func.func @recur_model_compute
// CHECK: scf.for {{.*}} = %c0 to %c40 step %c8
// CHECK: scf.for
// CHECK: rt.iteration
func.func @main(%x: tensor<32x40x32xf32> {ov.name = "x"}, %h: tensor<32x1024xf32> {ov.name = "h"})
    -> (tensor<32x1024xf32> {ov.name = "y"}) {
  %a = ov.constant #ov.weights<0, tensor<32x1024xf32>> : tensor<32x1024xf32>
  %axis = ov.constant dense<1> : tensor<1xi64>
  %0 = ov.tensor_iterator slices(%slice = %x along 1 [0:-1:1] part 1 : tensor<32x40x32xf32> to tensor<32x1x32xf32>)
      carried(%state = %h : tensor<32x1024xf32>) {
    %1 = ov.squeeze %slice, %axis : (tensor<32x1x32xf32>, tensor<1xi64>) -> tensor<32x32xf32>
    %2 = ov.matmul %1, %a : (tensor<32x32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %3 = ov.subtract %2, %state : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    ov.yield next(%3 : tensor<32x1024xf32>)
  }
  return %0 : tensor<32x1024xf32>
}
