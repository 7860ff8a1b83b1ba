// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunningSums.h - A small model for tests ------------------*- C++ -*-===//
#ifndef RECUR_UNITTESTS_RUNNINGSUMS_H
#define RECUR_UNITTESTS_RUNNINGSUMS_H

/// The text of a model: all[t] = x[0] + ... + x[t] + s0, and last is the last of them.
inline constexpr char runningSums[] = R"mlir(
  func.func @main(%x: tensor<4x2xf32> {ov.name = "x"}, %s0: tensor<1x2xf32> {ov.name = "s0"})
      -> (tensor<1x2xf32> {ov.name = "last"}, tensor<4x2xf32> {ov.name = "all"}) {
    %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x2xf32> to tensor<1x2xf32>)
        carried(%s = %s0 : tensor<1x2xf32>) concats(along 0 : tensor<4x2xf32>) {
      %n = ov.add %s, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
      ov.yield next(%n : tensor<1x2xf32>) concat(%n : tensor<1x2xf32>)
    }
    return %r#0, %r#1 : tensor<1x2xf32>, tensor<4x2xf32>
  }
)mlir";

#endif // RECUR_UNITTESTS_RUNNINGSUMS_H
