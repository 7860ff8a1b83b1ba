// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @less_c2_none(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that agree}}
  %0 = ov.less %a, %b {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xi1>
  return
}
