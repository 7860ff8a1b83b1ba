// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-compile %s --mcpu=x86-64-v4 --name=m --emit=llvm | FileCheck %s
// RUN: ir-run %s --random-inputs=1 --strict | FileCheck %s --check-prefix=STRICT

// The concatenation has one element if the call ends well, so LLVM finds that a store of a vector has one lane. Left to
// the code generator, it would become a store of an i64, four bytes of which lie behind the end of the output.

// CHECK-LABEL: define {{.*}}@recur_model_compute
// CHECK-NOT: masked.store{{.*}}<i1 true, i1 false
// CHECK: store i32
// CHECK-NOT: masked.store{{.*}}<i1 true, i1 false

// STRICT: strict: no promise was broken
func.func @main(%x: tensor<?xi64> {ov.name = "x", ov.element_type = i64}) -> (tensor<?xi32> {ov.name = "y", ov.element_type = i32}) {
  %0 = ov.non_zero %x {output_type = i64} : (tensor<?xi64>) -> tensor<1x?xi64>
  %r = ov.constant dense<-1> : tensor<1xi64>
  %1 = ov.reshape %0, %r : (tensor<1x?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %a = ov.tensor_iterator slices(%s = %1 along 0 [-1:-1:-1] part 1 : tensor<?xi64> to tensor<1xi64>) concats(along 0 : tensor<?xi64>) {
    %t = ov.add %s, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    ov.yield concat(%t : tensor<1xi64>)
  }
  %c = ov.convert %a : tensor<?xi64> to tensor<?xi32>
  return %c : tensor<?xi32>
}
