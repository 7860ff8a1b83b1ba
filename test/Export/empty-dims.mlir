// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims after no iteration are no inputs of a layer, and what computes them is not written. They are found in the body
// again when the layer is read.
// RUN: ir-opt %s --ov-tell-empty-dims | ir-translate --export-openvino -o %t.xml
// RUN: FileCheck %s --check-prefix=XML --input-file=%t.xml
// RUN: ir-translate --import-openvino %t.xml | ir-opt --ov-tell-empty-dims | FileCheck %s

// XML-NOT: type="ShapeOf"
// XML: type="Loop"
// XML-NOT: type="ShapeOf"

// CHECK: %[[SHAPE:.*]] = ov.shape_of
// CHECK: %[[DIM:.*]] = ov.gather %[[SHAPE]]
// CHECK: %[[DIMS:.*]] = ov.concat %{{.*}}, %[[DIM]]
// CHECK: ov.loop {{.*}} empty(%[[DIMS]] : tensor<2xi64>)
func.func @main(%n: tensor<i64>, %x: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %0 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?xf32>) {
    %y = ov.exp %x : tensor<1x?xf32>
    ov.yield while(%true : tensor<i1>) concat(%y : tensor<1x?xf32>)
  }
  return %0 : tensor<?x?xf32>
}
