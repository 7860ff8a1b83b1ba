// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - Passes on tensors, buffers and loops -----*- tablegen -*-===//
//
// These passes work on linalg, scf, tensor and memref. The only ov ops that are left are constants in the weights file.
// Passes named `rt-*` schedule the computation, place buffers in the workspace, and lower checks. They stand in files
// by the stage of what they work on.
//
// lib/Pipelines/Pipelines.cpp has the order of the passes. test/lint/examples.py runs the example of each description.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_TRANSFORMS_PASSES_TD
#define RECUR_TRANSFORMS_PASSES_TD

include "Recur/Transforms/BufferPasses.td"
include "Recur/Transforms/LoweringPasses.td"
include "Recur/Transforms/ProductPasses.td"
include "Recur/Transforms/TensorPasses.td"
include "Recur/Transforms/WorkspacePasses.td"
include "mlir/Pass/PassBase.td"

def EnterStage : Pass<"rt-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Record the stage of a module, and reject a module that has passed this stage";
  let description = [{
    This pass is the first one in the pipeline of each stage. It records the stage in the module, so that the text of a
    module shows which stage it has passed, and the tools can continue from there. It is an error if the module has
    passed the stage already, because most stages cannot run twice, or if it has ops that an earlier stage lowers. The
    pass verifies the module, and after the schedule stage also what the module must have at its stage.

    ```mlir
    module {
    }
    ```
    ==> with `stage=linalg`
    ```mlir
    module attributes {rt.stage = #rt.stage<linalg>} {
    }
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", /*default=*/"", "simplify, loops, linalg, ...">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::recur::rt::RTDialect"];
}

#endif // RECUR_TRANSFORMS_PASSES_TD
