// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipelines.h - The way from ov to LLVM, stage by stage ----*- C++ -*-===//
//
// import -> simplify (ov) -> loops (scf + tensor slicing) -> linalg on tensors -> schedule -> bufferize -> LLVM. Each
// stage is a function that adds its passes; ir-opt has each as `--ov-<stage>`.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_PIPELINES_PIPELINES_H
#define RECUR_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace recur {

/// What the stages need to know of the target and of the user's wishes.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of the target's vector registers in bits"),
                             llvm::cl::init(256)};
  Option<int64_t> vectorRegisters{*this, "vector-registers", llvm::cl::desc("Number of the target's vector registers"),
                                  llvm::cl::init(16)};
  Option<bool> fma{*this, "fma", llvm::cl::desc("The target has fused multiply-add"), llvm::cl::init(true)};
  Option<bool> rounding{*this, "rounding", llvm::cl::desc("The target has instructions that round to an integer"),
                        llvm::cl::init(true)};
  Option<bool> f16c{*this, "f16c", llvm::cl::desc("The target converts f16"), llvm::cl::init(true)};
  Option<bool> optimize{*this, "optimize",
                        llvm::cl::desc("Hoist, fuse and vectorize; without it the naive lowering, for comparison"),
                        llvm::cl::init(true)};
  Option<bool> checkTimeLoops{*this, "check-time-loops",
                              llvm::cl::desc("Fail on allocations, calls and superfluous copies in time loops"),
                              llvm::cl::init(false)};
};

/// On ov: canonical form; loops that run once or never go.
void populateSimplifyPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Cells are decomposed, TensorIterator and Loop become scf loops over slices.
void populateLoopsPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// ov becomes linalg on tensors; boolean and unsigned tensors become i8 and iN.
void populateLinalgPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Element-wise work is fused, tiled and vectorized for the target; arguments and results become buffers of the call.
void populateSchedulePipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Tensors become buffers, buffers get places in the caller's workspace.
void populateBufferizePipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Everything becomes the LLVM dialect.
void populateLLVMPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// `--ov-simplify`, `--ov-loops`, `--ov-linalg`, `--ov-schedule`, `--ov-bufferize`, `--ov-llvm`, and all of them:
/// `--ov-to-llvm`.
void registerPipelines();

} // namespace recur

#endif // RECUR_PIPELINES_PIPELINES_H
