// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TellEmptyDims.cpp - The ov-tell-empty-dims pass --------------------===//

#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur::ov {
#define GEN_PASS_DEF_TELLEMPTYDIMS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

namespace {
struct TellEmptyDims final : recur::ov::impl::TellEmptyDimsBase<TellEmptyDims> {
  void runOnOperation() override { recur::ov::tellEmptyDims(getOperation()); }
};
} // namespace
