// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on the ov dialect -----------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
#define RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // RECUR_DIALECT_OV_TRANSFORMS_PASSES_TD
