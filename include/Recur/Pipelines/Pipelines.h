// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipelines.h - The way from ov to LLVM, stage by stage ----*- C++ -*-===//
//
// import -> simplify (ov) -> loops (scf + tensor slicing) -> linalg on tensors -> schedule -> bufferize -> LLVM.
// `ir-opt` runs one stage with `--ov-<stage>`. Each stage records itself in the module (`rt-enter-stage`).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_PIPELINES_PIPELINES_H
#define RECUR_PIPELINES_PIPELINES_H

#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/ProductPrecision.h"
#include "Recur/Dialect/OV/Transforms/WeightsPrecision.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/ShareKernels.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace recur {

/// The properties of the target and the choices of the user that the stages depend on. The options describe what a
/// target has, not which target it is, so that tests can ask for one property at a time. The levels of an object share
/// packed constants, so these depend on properties of their own, which are those of the best level.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of the target's vector registers in bits"),
                             llvm::cl::init(256)};
  Option<int64_t> vectorRegisters{*this, "vector-registers", llvm::cl::desc("Number of the target's vector registers"),
                                  llvm::cl::init(16)};
  Option<int64_t> packVectorBits{*this, "pack-vector-bits",
                                 llvm::cl::desc("Width of the vectors that constants are packed for (0: vector-bits)"),
                                 llvm::cl::init(0)};
  Option<int64_t> packVectorRegisters{
      *this, "pack-vector-registers",
      llvm::cl::desc("Number of the vector registers that constants are packed for (0: vector-registers)"),
      llvm::cl::init(0)};
  Option<bool> packF16c{*this, "pack-f16c",
                        llvm::cl::desc("Keep constants of f16 also if the target does not convert f16"),
                        llvm::cl::init(false)};
  Option<bool> fma{*this, "fma", llvm::cl::desc("The target has fused multiply-add"), llvm::cl::init(true)};
  Option<bool> rounding{*this, "rounding", llvm::cl::desc("The target has instructions that round to an integer"),
                        llvm::cl::init(true)};
  Option<bool> scaling{*this, "scaling",
                       llvm::cl::desc("The target has instructions that multiply floats by powers of two"),
                       llvm::cl::init(false)};
  Option<bool> f16c{*this, "f16c", llvm::cl::desc("The target converts f16"), llvm::cl::init(true)};
  Option<bool> tiles{*this, "tiles", llvm::cl::desc("The target has tile registers for bf16"), llvm::cl::init(false)};
  Option<bool> dots{*this, "dots",
                    llvm::cl::desc("The target adds the products of two pairs of bf16 in the time of a multiply-add"),
                    llvm::cl::init(false)};
  Option<bool> optimize{*this, "optimize",
                        llvm::cl::desc("Hoist, fuse and vectorize; without it the naive lowering, for comparison"),
                        llvm::cl::init(true)};
  Option<bool> step{*this, "step",
                    llvm::cl::desc("Process one time step in a call, with the carried values of loops as states"),
                    llvm::cl::init(false)};
  Option<bool> inOrder{*this, "in-order",
                       llvm::cl::desc("Let convolutions and products add in the same order whatever the number of "
                                      "positions and rows is"),
                       llvm::cl::init(false)};
  Option<ov::WeightsPrecision> weightsPrecision{
      *this, "weights-precision", llvm::cl::desc("What weights of f32 are rounded to"),
      llvm::cl::init(ov::WeightsPrecision::F32), ov::weightsPrecisionValues()};
  Option<ov::ProductPrecision> precision{*this, "precision",
                                         llvm::cl::desc("What the operands of products of f32 are rounded to"),
                                         llvm::cl::init(ov::ProductPrecision::F32), ov::productPrecisionValues()};
  Option<int64_t> gangWork{*this, "gang-work",
                           llvm::cl::desc("Least work of each thread of a parallel region, in vector instructions"),
                           llvm::cl::init(kDefaultGangWork)};
  Option<bool> checkTimeLoops{*this, "check-time-loops",
                              llvm::cl::desc("Fail on allocations, calls and superfluous copies in time loops"),
                              llvm::cl::init(false)};
  Option<bool> checkNaN{*this, "check-nan", llvm::cl::desc("End a call when an input or the result of an op has a NaN"),
                        llvm::cl::init(false)};
  Option<bool> profile{*this, "profile", llvm::cl::desc("Mark the ends of layers, where a profile reads the clock"),
                       llvm::cl::init(false)};
  /// For a compiler that generates the code of kernels apart from the module: what the code depends on besides the
  /// kernels, what that of plain kernels depends on, and what takes a kernel (see rt-share-kernels). Without the
  /// function, no kernel is shared.
  std::string kernelTarget, commonKernelTarget;
  TakeKernel takeKernel;
};

/// Adds the stages after `from`, up to and including `to`. `from` is the last stage that the module has passed.
/// `check-time-loops` is a part of the bufferize stage; if the module has passed that already, it is added after the
/// stages.
void populateStages(mlir::OpPassManager &pm, rt::Stage from, rt::Stage to, const PipelineOptions &options);

/// Adds the passes of the stage llvm that follow rt-share-kernels, for a module of shared kernels alone.
void populateSharedKernels(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers the pipelines `--ov-simplify`, `--ov-loops`, `--ov-linalg`, `--ov-schedule`, `--ov-bufferize` and
/// `--ov-llvm`, each of one stage, and `--ov-to-llvm`, which runs them all.
void registerPipelines();

} // namespace recur

#endif // RECUR_PIPELINES_PIPELINES_H
