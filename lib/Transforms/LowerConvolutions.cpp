// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerConvolutions.cpp - Convolutions call kernels ------------------===//
//
// No other pass asks for the strides of the buffers, so what a kernel cannot read or write as vectors is copied here.
//
//===----------------------------------------------------------------------===//

#include "ChannelsFirstCall.h"
#include "ChannelsLastCall.h"
#include "KernelCalls.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_LOWERCONVOLUTIONS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if a kernel can read the elements of `operand` of a convolution, or write them, as vectors.
static bool isContiguous(rt::ConvolutionOp op, OpOperand &operand) {
  auto type = cast<MemRefType>(operand.get().getType());
  if (operand == op.getFiltersMutable())
    return type.getLayout().isIdentity();
  bool isData = operand == op.getDataMutable() && !op.getChannelsFirst(), hasDepth = op.getNumSpatialDims() == 3;
  // The kernel for sums with channels last reads single elements of the data.
  if (isData && !op.isDepthwise() && !op.usesWinograd() && !hasDepth)
    return true;
  SmallVector<int64_t> strides;
  int64_t offset, wanted = 1;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  // All dims of the channels of a result must be one line, and so must columns and channels of three spatial dims.
  bool isSums = op.isDpsInit(&operand) && !op.getChannelsFirst();
  int64_t lines = isSums ? type.getRank() - 1 - op.getNumSpatialDims() : isData && hasDepth ? 2 : 1;
  for (int64_t i = type.getRank(); lines > 0; --lines) {
    if (strides[--i] != wanted || (lines > 1 && type.isDynamicDim(i)))
      return false;
    wanted *= type.getDimSize(i);
  }
  return true;
}

namespace {
struct LowerConvolutions final : recur::impl::LowerConvolutionsBase<LowerConvolutions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<rt::ConvolutionOp> ops;
    getOperation().walk([&](rt::ConvolutionOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (rt::ConvolutionOp op : ops)
      lower(rewriter, op);
  }

private:
  /// Replaces a convolution by calls of kernels.
  void lower(RewriterBase &rewriter, rt::ConvolutionOp op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!isContiguous(op, operand))
        useCopy(rewriter, op, operand);
    bool isFirst = op.getChannelsFirst();
    (isFirst ? lowerChannelsFirst : lowerChannelsLast)(rewriter, op, vectorBits, vectorRegisters);
    remarkPassed(op.getLoc(), "rt-lower-convolutions", "kernel", "a kernel for {0} does loops of {1}",
                 isFirst ? "convolutions" : "convolutions with channels last", JoinedSizes(op.getLoopSizes()));
    rewriter.eraseOp(op);
  }
};
} // namespace
