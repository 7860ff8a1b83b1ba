// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for a lesser CPU reads constants that are packed for a better one: the plan of the weights is the same.
// RUN: ir-opt %s --ov-to-llvm='vector-bits=512 vector-registers=32' > %t.512
// RUN: ir-opt %s --ov-to-llvm='vector-bits=256 pack-vector-bits=512 pack-vector-registers=32' > %t.256
// RUN: ir-opt %s --ov-to-llvm='vector-bits=128 f16c=false fma=false pack-vector-bits=512 pack-vector-registers=32 pack-f16c' > %t.128
// RUN: ir-opt %s --ov-to-llvm='vector-bits=256' > %t.own
// RUN: grep -o 'rt.weights_plan = .*' %t.512 > %t.plan
// RUN: grep -o 'rt.weights_plan = .*' %t.256 | cmp - %t.plan
// RUN: grep -o 'rt.weights_plan = .*' %t.128 | cmp - %t.plan
// RUN: grep -o 'rt.weights_plan = .*' %t.own | not cmp - %t.plan

// No product is left to scalar code: kernels take a block in parts, and one of four bits as it is.
// RUN: FileCheck %s < %t.256
// RUN: FileCheck %s < %t.128
// RUN: FileCheck %s --check-prefix=OWN --implicit-check-not=rt_wide_product < %t.own
// CHECK-DAG: llvm.func {{.*}}@rt_product_f32_row(
// CHECK-DAG: llvm.func {{.*}}@rt_product_f32_f16_row(
// CHECK-DAG: llvm.func {{.*}}@rt_product_f32_u8_scale_f32_row(
// CHECK-DAG: llvm.func {{.*}}@rt_wide_product_f32_i4_scale_f32_row(
// OWN-DAG: llvm.func {{.*}}@rt_product_f32_i4_scale_f32_row(

func.func @main(%a: tensor<1x512xf32>, %b: tensor<24x512xf32>, %c: tensor<?x512xf32>)
    -> (tensor<1x512xf32>, tensor<24x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>) {
  %w = ov.constant #ov.weights<0, tensor<512x512xf32>> : tensor<512x512xf32>
  %h = ov.constant #ov.weights<1048576, tensor<512x512xf16>, [#ov.convert<f32>]> : tensor<512x512xf32>
  %u = ov.constant #ov.weights<1572864, tensor<512x512xui8>, [#ov.convert<f32>, #ov.arithmetic<multiply, #ov.weights<2097152, tensor<1x512xf32>> : tensor<1x512xf32>>]> : tensor<512x512xf32>
  %i = ov.constant #ov.weights<2099200, tensor<131072xui8>, [#ov.unpack<i4, [512, 512]>, #ov.convert<f32>, #ov.arithmetic<multiply, dense<0.5> : tensor<1x1xf32>>]> : tensor<512x512xf32>
  %0 = ov.matmul %a, %w : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  %1 = ov.matmul %b, %w : (tensor<24x512xf32>, tensor<512x512xf32>) -> tensor<24x512xf32>
  %2 = ov.matmul %c, %w : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %3 = ov.matmul %c, %h : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %4 = ov.matmul %c, %u : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %5 = ov.matmul %c, %i : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x512xf32>, tensor<24x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>
}
