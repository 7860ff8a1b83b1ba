// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelParts.h - How the call of a kernel can be divided --*- C++ -*-===//
//
// The attribute rt::kPartsAttr of a kernel as a struct.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_KERNELPARTS_H
#define RECUR_ANALYSIS_KERNELPARTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// How a kernel can be divided: see rt::kPartsAttr. A pair is the number of an operand and one of its dims.
struct KernelParts {
  /// Dims that are cut anywhere, and the least indices of a part.
  struct OtherDims {
    llvm::SmallVector<std::pair<int64_t, int64_t>> along;
    int64_t least;
  };
  llvm::SmallVector<std::pair<int64_t, int64_t>> along;
  int64_t grain;
  llvm::SmallVector<std::pair<int64_t, int64_t>> sizes;
  int64_t cost;
  std::optional<int64_t> scratch = std::nullopt;
  std::optional<OtherDims> other = std::nullopt;
};

/// Says that the calls of `kernel` can be divided. If `kernel` is a call, only this one is divided so.
void setKernelParts(mlir::Operation *kernel, const KernelParts &parts);

/// How `call` can be divided. Returns nullopt if it cannot.
std::optional<KernelParts> getKernelParts(mlir::func::CallOp call);

} // namespace recur

#endif // RECUR_ANALYSIS_KERNELPARTS_H
