// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-translate --export-openvino %S/../Import/states.xml -o %t.xml && FileCheck %s --input-file=%t.xml
// RUN: ir-translate --import-openvino %S/../Import/states.xml | ir-opt --ov-simplify -o %t.mlir
// RUN: ir-translate --export-openvino %t.mlir -o %t.simplified.xml && FileCheck %s --input-file=%t.simplified.xml
// RUN: ir-translate --export-openvino %s -o %t.own.xml && FileCheck %s --check-prefix=INIT --input-file=%t.own.xml

// A state is read without an initial value, by a Select of static dims, or by a reshape to dynamic ones. Its flag is no
// input, and a state that is only read has no Assign. The same holds after the simplify stage.

// CHECK-COUNT-1: type="Parameter"
// CHECK-NOT: type="Parameter"
// CHECK: type="ReadValue" version="opset6">
// CHECK-NEXT: <data variable_id="c" variable_type="f32" variable_shape="2" />
// CHECK-NEXT: <output>
// CHECK: <data variable_id="b" variable_type="f32" variable_shape="?" />
// CHECK-NEXT: <output>
// CHECK: <data variable_id="a" variable_type="f32" variable_shape="2" />
// CHECK-NEXT: <input>
// CHECK: <data variable_id="d" variable_type="f32" variable_shape="?" />
// CHECK-NEXT: <input>
// CHECK-NOT: type="Select"
// CHECK-NOT: type="Reshape"
// CHECK: type="Assign" version="opset6">
// CHECK-NEXT: <data variable_id="a" />
// CHECK: <data variable_id="b" />
// CHECK: <data variable_id="d" />
// CHECK: <data variable_id="e" />
// CHECK-NOT: type="Assign"
// CHECK: <edges>

// The importer has folded the elements of an initial value, or dropped a value without elements. Both come back.

// INIT: type="Const" version="opset1">
// INIT-NEXT: <data element_type="f32" shape="1,3" offset="0" size="12" />
// INIT: type="Const" version="opset1">
// INIT-NEXT: <data element_type="f32" shape="0,3" offset="12" size="1" />
module attributes {ov.states = array<i64: 0, 0>} {
  func.func @main(%a: tensor<?x3xf32> {ov.name = "a"}, %a_set: tensor<i1>, %b: tensor<?x3xf32> {ov.name = "b"},
                  %b_set: tensor<i1>)
      -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32> {ov.name = "a"}, tensor<?x3xf32> {ov.name = "b"}) {
    %zero = ov.constant dense<0> : tensor<i64>
    %first = ov.constant dense<0> : tensor<1xi64>
    %one = ov.constant dense<1> : tensor<1xi64>
    %three = ov.constant dense<3> : tensor<1xi64>
    %all = ov.constant dense<-1> : tensor<1xi64>
    %init = ov.constant dense<2.0> : tensor<3xf32>
    %0 = ov.shape_of %a {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
    %1 = ov.gather %0, %first, %zero : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %2 = ov.select %a_set, %1, %one : (tensor<i1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %3 = ov.reshape %a, %all : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
    %4 = ov.concat %3, %init {axis = 0 : i64} : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
    %5 = ov.multiply %2, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %6 = ov.slice %4, %first, %5, %one, %first : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>,
        tensor<1xi64>) -> tensor<?xf32>
    %7 = ov.concat %2, %three {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %8 = ov.reshape %6, %7 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    %9 = ov.shape_of %b {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
    %10 = ov.gather %9, %first, %zero : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %11 = ov.select %b_set, %10, %first : (tensor<i1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %12 = ov.concat %11, %three {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %13 = ov.reshape %b, %12 : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    return %8, %13, %a, %b : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
  }
}
