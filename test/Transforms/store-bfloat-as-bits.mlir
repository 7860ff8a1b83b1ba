// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-store-bfloat-as-bits | FileCheck %s

// CHECK: module attributes {rt.type = bf16}
module attributes {rt.type = bf16} {
  // CHECK: llvm.mlir.global {{.*}} @table(dense<[16256, 16384]> : vector<2xi16>) {{.*}} : vector<2xi16>
  llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : vector<2xbf16>) : vector<2xbf16>
  // CHECK-LABEL: llvm.func @move
  llvm.func @move(%p: !llvm.ptr, %c: i1) -> i16 {
    // CHECK: %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
    // CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
    // CHECK: llvm.select %{{.*}}, %[[V]], %[[ONE]] : i1, i16
    // CHECK: llvm.bitcast %{{.*}} : i16 to i16
    // CHECK-NOT: bf16
    // CHECK: llvm.return
    %one = llvm.mlir.constant(1.0 : bf16) : bf16
    %v = llvm.load %p : !llvm.ptr -> bf16
    %s = llvm.select %c, %v, %one : i1, bf16
    %b = llvm.bitcast %s : bf16 to i16
    llvm.return %b : i16
  }
}
