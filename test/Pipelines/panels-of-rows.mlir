// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Tools/Inputs/npy.py write %t/dims.npy i8 2 577 2700
// RUN: ir-run %s --mcpu=x86-64-v3 dims=%t/dims.npy --random-inputs=1 --output-dir=%t/out
// RUN: ir-run %s --interpret dims=%t/dims.npy --random-inputs=1 --expect=%t/out

// The rows of the first operand do not stay in L2, so they are cut into panels, here 25. The panels are of
// about equal size: with 24 rows in each of the others, the last one would have a single row, for which the kernel has
// no tile.

func.func @main(%x: tensor<2700xf64> {ov.name = "x", ov.element_type = f64},
                %dims: tensor<2xi64> {ov.name = "dims", ov.element_type = i64},
                %b: tensor<2700x8xf64> {ov.name = "b", ov.element_type = f64})
    -> (tensor<?x8xf64> {ov.name = "c", ov.element_type = f64}) {
  %a = ov.broadcast %x, %dims : (tensor<2700xf64>, tensor<2xi64>) -> tensor<?x2700xf64>
  %c = ov.matmul %a, %b : (tensor<?x2700xf64>, tensor<2700x8xf64>) -> tensor<?x8xf64>
  return %c : tensor<?x8xf64>
}
