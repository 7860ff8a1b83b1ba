// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-schedule | FileCheck %s

// Only after fusion it is known that the size is 2: the difference of x and itself is 0. The remainder of the row has a
// mask then, and its destination a cast, which must not get into the region of the mask.

// CHECK-LABEL: @recur_model_compute
// CHECK: vector.mask
// CHECK-SAME: vector.transfer_write
// CHECK-SAME: }

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
module attributes {ov.model_name = "model", rt.stage = #rt.stage<linalg>} {
  func.func @main(%x: tensor<?xi32> {ov.element_type = i32, ov.name = "x"})
      -> (tensor<?xi64> {ov.element_type = i64, ov.name = "y"}) {
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i64
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %x, %c0 : tensor<?xi32>
    %e = tensor.empty(%dim) : tensor<?xi32>
    %difference = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%x, %x : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %0 = arith.subi %a, %b : i32
      linalg.yield %0 : i32
    } -> tensor<?xi32>
    %s = tensor.empty() : tensor<i32>
    %start = linalg.fill ins(%zero : i32) outs(%s : tensor<i32>) -> tensor<i32>
    %greatest = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
        ins(%difference : tensor<?xi32>) outs(%start : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %0 = arith.maxui %o, %a : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %m = tensor.extract %greatest[] : tensor<i32>
    %wide = arith.extui %m : i32 to i64
    %left = arith.subi %two, %wide : i64
    %known = arith.cmpi sge, %left, %wide : i64
    %size = arith.index_cast %left : i64 to index
    %n = rt.check %known, shape, "the size {0} is none"(%left) guards(%size : index)
    %r = tensor.empty(%n) : tensor<?xi64>
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%r : tensor<?xi64>) {
    ^bb0(%o: i64):
      linalg.yield %two : i64
    } -> tensor<?xi64>
    return %y : tensor<?xi64>
  }
}
