// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @scatter_update_c1(%x: tensor<4x3xf32>, %i: tensor<i64>, %u: tensor<3xf32>, %a: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.scatter_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_update_element_type(%x: tensor<4x3xf32>, %i: tensor<i64>, %u: tensor<3xf16>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0 = ov.scatter_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<i64>, tensor<3xf16>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_update_c2(%x: tensor<4x3xf32>, %i: tensor<i64>, %u: tensor<4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected updates with the dims of}}
  %0 = ov.scatter_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_elements_update_c1(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  %a = ov.constant dense<-2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_update_c2(%x: tensor<4x3xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices and updates of one shape that fits}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<2x4xi64>, tensor<2x4xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_elements_update_c3(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{expected one of [none, sum, prod, min, max, mean]}}
  // expected-error @+1 {{failed to parse OV_ScatterElementsReductionAttr parameter 'value'}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a {reduction = #ov.scatter_elements_reduction<sub>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_update_c3_mean(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected numbers for reduction "mean"}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a {reduction = #ov.scatter_elements_reduction<mean>} : (tensor<4xi1>, tensor<2xi64>, tensor<2xi1>, tensor<i64>) -> tensor<4xi1>
  return
}

// -----

func.func @scatter_nd_update_c1(%x: tensor<4xf32>, %i: tensor<2x2xi64>, %u: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices with a static last dim that is at most the rank of 'tensor<4xf32>', but got 'tensor<2x2xi64>'}}
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_update_c1_rank(%x: tensor<4xf32>, %i: tensor<i64>, %u: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices of rank 1 or more, but got 'tensor<i64>'}}
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4xf32>, tensor<i64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_update_c2(%x: tensor<4x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected updates of the places in}}
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_nd_update_reduction(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @+2 {{expected one of [none, sum, sub, prod, min, max]}}
  // expected-error @+1 {{failed to parse OV_ScatterNDReductionAttr parameter 'value'}}
  %0 = ov.scatter_nd_update %x, %i, %u {reduction = #ov.scatter_nd_reduction<mean>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}
