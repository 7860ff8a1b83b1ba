// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-translate --export-openvino %s -o %t.xml && FileCheck %s --input-file=%t.xml --strict-whitespace

// Attributes have the texts of the IR, and the opset is the first one that has them. An attribute that is not in the
// opset of the operation is left out if it has its default. Names come from locations; those of tensors from the
// signature. A layer that has the name of another one gets a number, and the last one keeps the name.

// CHECK: <net name="speech" version="11">
module attributes {ov.model_name = "speech"} {
  // CHECK: <layer id="0" name="in" type="Parameter" version="opset1">
  // CHECK-NEXT: <data shape="?,3,8,8" element_type="f32" />
  // CHECK-NEXT: <output>
  // CHECK-NEXT: <port id="0" precision="FP32" names="x\,y">
  // CHECK-NEXT: <dim>-1</dim>
  // CHECK-NEXT: <dim>3</dim>
  // CHECK: <data shape="1..5,2" element_type="i64" />
  func.func @main(%x: tensor<?x3x8x8xf32> {ov.name = "x,y"} loc("in"),
                  %i: tensor<?x2xi64> {ov.declared_shape = "[1..5, ?]", ov.name = "i"})
      -> (tensor<?x16x8x8xf32> {ov.name = "out"}, tensor<?x16x8x8xf32> {ov.name = "again"},
          tensor<?x2x3x8x8xf32> {ov.name = "taken"}, tensor<?x2x3x8x8xf32> {ov.name = "first"}, tensor<?x2xf16>,
          tensor<4xi32>, tensor<?x3x8x8xf32>) {
    %w = ov.constant dense<0.5> : tensor<16x3x3x3xf32> loc("w")
    // CHECK: type="Const" version="opset1">
    // CHECK-NEXT: <data element_type="f32" shape="16,3,3,3" offset="0" size="1728" />
    // CHECK: name="conv" type="Convolution" version="opset1">
    // CHECK-NEXT: <data strides="1,1" pads_begin="1,1" pads_end="1,1" dilations="1,1" auto_pad="same_upper" />
    // CHECK-NEXT: <input>
    // CHECK-NEXT: <port id="0" precision="FP32">
    // CHECK: <port id="2" precision="FP32">
    %c = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
        pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, auto_pad = #ov.auto_pad<same_upper>}
        : (tensor<?x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x8x8xf32> loc("conv")
    // CHECK: name="act_1" type="Gelu" version="opset2">
    // CHECK-NEXT: <input>
    %g = ov.gelu %c : tensor<?x16x8x8xf32> loc("act")
    // CHECK: name="act" type="Gelu" version="opset7">
    // CHECK-NEXT: <data approximation_mode="tanh" />
    // CHECK: <port id="1" precision="FP32" names="out,again">
    %h = ov.gelu %g {approximation_mode = #ov.gelu_approximation<tanh>} : tensor<?x16x8x8xf32> loc("act")
    %axis = ov.constant dense<0> : tensor<i64>
    // CHECK: type="Gather" version="opset8">
    // CHECK-NEXT: <data batch_dims="0" />
    %t = ov.gather %x, %i, %axis : (tensor<?x3x8x8xf32>, tensor<?x2xi64>, tensor<i64>) -> tensor<?x2x3x8x8xf32>
    // CHECK: type="Gather" version="opset1">
    // CHECK-NEXT: <input>
    %t1 = ov.gather %x, %i, %axis {version = 1} : (tensor<?x3x8x8xf32>, tensor<?x2xi64>, tensor<i64>)
        -> tensor<?x2x3x8x8xf32>
    // CHECK: type="Convert" version="opset1">
    // CHECK-NEXT: <data destination_type="f16" />
    %f = ov.convert %i : tensor<?x2xi64> to tensor<?x2xf16>
    // CHECK: type="ShapeOf" version="opset3">
    // CHECK-NEXT: <data output_type="i32" />
    %s = ov.shape_of %x {output_type = i32} : (tensor<?x3x8x8xf32>) -> tensor<4xi32>
    // CHECK: type="Clamp" version="opset1">
    // CHECK-NEXT: <data min="-0.1" max="6" />
    %k = ov.clamp %x {min = -0.1, max = 6.0} : tensor<?x3x8x8xf32>
    // An op that nothing needs is not written.
    // CHECK-NOT: type="Exp"
    %no = ov.exp %x : tensor<?x3x8x8xf32>
    // CHECK: type="Result" version="opset1" output_names="out">
    // CHECK: type="Result" version="opset1" output_names="again">
    // CHECK: <edges>
    // CHECK-NEXT: <edge from-layer="0" from-port="0" to-layer="{{[0-9]+}}" to-port="0" />
    return %h, %h, %t, %t1, %f, %s, %k : tensor<?x16x8x8xf32>, tensor<?x16x8x8xf32>, tensor<?x2x3x8x8xf32>,
        tensor<?x2x3x8x8xf32>, tensor<?x2xf16>, tensor<4xi32>, tensor<?x3x8x8xf32>
  }
}
