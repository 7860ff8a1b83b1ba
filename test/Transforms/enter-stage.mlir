// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-enter-stage=stage=loops | FileCheck %s
// RUN: not ir-opt %s --rt-enter-stage=stage=simplify 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not ir-opt %s --rt-enter-stage=stage=nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE

// CHECK: module attributes {rt.stage = #rt.stage<loops>}
// SAME: error: expected a module before stage 'simplify', but got one of stage 'simplify'
// NOWHERE: error: expected the name of a stage, but got 'nowhere'
module attributes {rt.stage = #rt.stage<simplify>} {}
