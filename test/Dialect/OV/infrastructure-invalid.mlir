// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error @+1 {{expected a value that is dense or #ov.weights}}
  %0 = ov.constant dense_resource<r> : tensor<2xf32>
  return
}
