// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-translate --export-openvino %s -o %t.xml && FileCheck %s --input-file=%t.xml

// Operands, arguments and yielded values become port maps and back edges. A value that a body captures becomes an input
// of the loop, and of the loops around it.

func.func @main(%x: tensor<8x4xf32>, %h: tensor<1x4xf32>, %n: tensor<i64>, %c: tensor<i1>, %w: tensor<1x4xf32>)
    -> (tensor<8x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>) {
  // CHECK: type="TensorIterator" version="opset1">
  // CHECK-NEXT: <port_map>
  // CHECK-NEXT: <input external_port_id="0" internal_layer_id="0" axis="0" start="-1" end="0" stride="-2" part_size="2" />
  // CHECK-NEXT: <input external_port_id="1" internal_layer_id="1" />
  // CHECK-NEXT: <input external_port_id="2" internal_layer_id="2" />
  // CHECK-NEXT: <output external_port_id="3" internal_layer_id="[[LAST:[0-9]+]]" />
  // CHECK-NEXT: <output external_port_id="4" internal_layer_id="[[CONCAT:[0-9]+]]" axis="0" start="-1" end="0" stride="-2" part_size="2" />
  // CHECK-NEXT: </port_map>
  // CHECK-NEXT: <back_edges>
  // CHECK-NEXT: <edge from-layer="[[NEXT:[0-9]+]]" to-layer="1" />
  // CHECK-NEXT: </back_edges>
  // CHECK-NEXT: <body>
  // CHECK: <data shape="2,4" element_type="f32" />
  // CHECK: <layer id="[[NEXT]]" {{.*}} type="Result"
  // CHECK: <layer id="[[LAST]]" {{.*}} type="Result"
  // CHECK: <layer id="[[CONCAT]]" {{.*}} type="Result"
  %s, %l, %y = ov.tensor_iterator slices(%x_t = %x along 0 [-1:0:-2] part 2 : tensor<8x4xf32> to tensor<2x4xf32>)
      carried(%a = %h : tensor<1x4xf32>) last(tensor<2x4xf32>) concats(along 0 reverse : tensor<8x4xf32>) {
    %b = ov.add %a, %w : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = ov.add %x_t, %b : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
    ov.yield next(%b : tensor<1x4xf32>) last(%d : tensor<2x4xf32>) concat(%d : tensor<2x4xf32>)
  }
  // CHECK: type="Loop" version="opset5">
  // CHECK-NEXT: <port_map>
  // CHECK-NEXT: <input external_port_id="-1" internal_layer_id="0" purpose="current_iteration" />
  // CHECK-NEXT: <input external_port_id="2" internal_layer_id="1" />
  // CHECK-NEXT: <output external_port_id="-1" internal_layer_id="{{[0-9]+}}" purpose="execution_condition" />
  // The values that the inner loop captures: the condition and %w.
  // CHECK-NEXT: <input external_port_id="3" internal_layer_id="[[INNER:[0-9]+]]" />
  // CHECK-NEXT: <input external_port_id="4"
  // CHECK-NEXT: <output external_port_id="5" internal_layer_id="[[NEXT:[0-9]+]]" />
  // CHECK-NEXT: <output external_port_id="6" internal_layer_id="{{[0-9]+}}" axis="0" start="0" end="-1" stride="1" part_size="1" />
  // CHECK: <edge from-layer="[[NEXT]]" to-layer="1" />
  // CHECK: type="Loop" version="opset5">
  // CHECK: type="If" version="opset8">
  // CHECK: <then_port_map>
  // CHECK-NEXT: <input external_port_id="1" internal_layer_id="0" />
  // CHECK-NEXT: <output external_port_id="3" internal_layer_id="1" />
  // CHECK-NEXT: </then_port_map>
  // CHECK: <else_port_map>
  // CHECK-NEXT: <input external_port_id="2" internal_layer_id="0" />
  // CHECK-NEXT: <input external_port_id="1" internal_layer_id="1" />
  // CHECK-NEXT: <output external_port_id="3" internal_layer_id="3" />
  // CHECK: </else_body>
  %r, %ys = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) index(%i : tensor<i64>)
      carried(%a = %h : tensor<1x4xf32>) concats(along 0 : tensor<?x4xf32>) {
    %p = ov.loop trip(%i : tensor<i64>) while(%c : tensor<i1>) carried(%b = %a : tensor<1x4xf32>) {
      %q = ov.if %c : tensor<i1> -> tensor<1x4xf32> {
        ov.result %b : tensor<1x4xf32>
      } else {
        %z = ov.add %w, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        ov.result %z : tensor<1x4xf32>
      }
      ov.yield while(%c : tensor<i1>) next(%q : tensor<1x4xf32>)
    }
    ov.yield while(%c : tensor<i1>) next(%p : tensor<1x4xf32>) concat(%p : tensor<1x4xf32>)
  }
  return %y, %r, %ys, %l : tensor<8x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>
}
