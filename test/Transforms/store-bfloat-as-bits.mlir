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

  // An intrinsic gets bits through a cast.
  // CHECK-LABEL: llvm.func @dot
  llvm.func @dot(%p: !llvm.ptr, %sum: vector<16xf32>) -> vector<16xf32> {
    // CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<32xi16>
    // CHECK: %[[L:.*]] = llvm.bitcast %[[V]] : vector<32xi16> to vector<32xbf16>
    // CHECK: %[[R:.*]] = llvm.bitcast %[[V]] : vector<32xi16> to vector<32xbf16>
    // CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[L]], %[[R]])
    %v = llvm.load %p : !llvm.ptr -> vector<32xbf16>
    %r = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%sum, %v, %v)
        : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    llvm.return %r : vector<16xf32>
  }
}
