// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelCalls.h - Private functions that a module has once -*- C++ -*-===//
//
// A kernel is a private function that a module has once for all uses of a computation with dynamic sizes. This file
// creates such functions, and the views that they take as arguments.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_KERNELCALLS_H
#define RECUR_LIB_TRANSFORMS_KERNELCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace recur {

/// The attribute of a function that has its attributes for LLVM.
inline constexpr llvm::StringLiteral kPassThroughAttr = "passthrough";

/// The type of a buffer that a kernel takes: a dynamic offset, and the given sizes and strides. kDynamic makes a size
/// or stride dynamic, so that the caller passes it.
mlir::MemRefType getKernelViewType(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

/// Creates a view of `base` with the type `type`, which getKernelViewType made, and the given offset, sizes and
/// strides. Dynamic sizes and strides of `type` become index values even if they are constants, so that one function
/// serves all callers.
mlir::Value createKernelView(mlir::OpBuilder &builder, mlir::Location loc, mlir::MemRefType type, mlir::Value base,
                             mlir::OpFoldResult offset, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             llvm::ArrayRef<mlir::OpFoldResult> strides);

/// A buffer in parts: what a view of it is made of, as index values. Known sizes and strides are constants.
struct BufferParts {
  mlir::Value base, offset;
  llvm::SmallVector<mlir::Value> sizes, strides;
};

/// Takes the buffer `buffer` apart.
BufferParts describeBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer);

/// Lets `op` use a contiguous copy in place of the buffer `operand`. The copy is made before an op that reads it, and
/// copied back behind an op whose destination it is, which overwrites all of it.
void useCopy(mlir::RewriterBase &rewriter, mlir::DestinationStyleOpInterface op, mlir::OpOperand &operand);

/// Checks that the last dim of each of these buffers is contiguous.
mlir::LogicalResult checkUnitStrides(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                     llvm::ArrayRef<mlir::OpOperand *> operands);

/// Returns the private function `name` of `module`. The first request creates it at the end of the module, without
/// results, and `emit` fills its entry block, including the return. The function is marked `rt.kernel`, so time loops
/// may call it, and LLVM does not inline it.
mlir::func::FuncOp getOrCreateKernel(mlir::ModuleOp module, llvm::StringRef name, mlir::TypeRange arguments,
                                     llvm::function_ref<void(mlir::func::FuncOp)> emit);

/// Forbids LLVM to vectorize or unroll `loop`.
void keepLoop(mlir::scf::ForOp loop);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_KERNELCALLS_H
