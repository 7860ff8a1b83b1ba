// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Summary.h - what a model is ------------------------------*- C++ -*-===//
//
// What can be said about a model that was read and not compiled.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_SUMMARY_H
#define RECUR_COMPILER_SUMMARY_H

#include "Recur/Target/ModelDescription.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace recur {

/// The tensors that a model takes and gives, in the order of its calls.
struct ModelTensors {
  std::vector<TensorDescription> inputs, outputs, states;
};

/// Describes the tensors of a module of Stage::Simplify or before.
ModelTensors describeTensors(mlir::ModuleOp module);

/// True for a loop, and for a sequence of cells, which becomes one.
bool isLoopOrSequence(mlir::Operation *op);

/// True for an op that stands for a layer: not for constants and ends of bodies.
bool isLayer(mlir::Operation *op);

/// The numbers of layers, without constants, inputs and outputs, and of loops; those in bodies count too.
struct LayerCounts {
  size_t layers = 0, loops = 0;
};

/// Counts the layers of a module, which must be of Stage::Simplify or before.
LayerCounts countLayers(mlir::ModuleOp module);

/// Prints the element types, shapes and names of inputs, outputs and states, the numbers of layers and of loops, and
/// for each input with open dims the option that fixes them. Each line begins with its subject and a colon. The module
/// must be of Stage::Simplify or before, as readModel returns it.
void printSummary(llvm::raw_ostream &os, mlir::ModuleOp module);

/// The name of the element type of 16 bits, "f16" or "bf16", that constants of the module have. Empty if none has one.
std::string getShortWeights(mlir::ModuleOp module);

} // namespace recur

#endif // RECUR_COMPILER_SUMMARY_H
