// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inputs.h - Inputs of a model that is measured ------------*- C++ -*-===//
//
// Inputs come from in_0.npy, ... beside the model. Those that are not there are random, with a fixed seed.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_BENCHMARK_INPUTS_H
#define RECUR_BENCHMARK_INPUTS_H

#include "Recur/Target/ABI.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace recur {

struct BenchmarkInput {
  std::string name;
  /// A file of .npy.
  std::string path;
  std::vector<int64_t> dims;
  /// True if the model does not say all dims.
  bool isOpen = false;
  /// True if the data are made up; then so are the dims that the model does not say.
  bool isRandom = false;
};

/// Finds the inputs of a model in the folder of `modelPath`, and writes those that are missing into `directory`. A dim
/// that the model leaves open becomes 1 if it is the first one (mostly the batch), else 64.
llvm::Expected<std::vector<BenchmarkInput>> findInputs(const recur_info &info, llvm::StringRef modelPath,
                                                       llvm::StringRef directory);

} // namespace recur

#endif // RECUR_BENCHMARK_INPUTS_H
