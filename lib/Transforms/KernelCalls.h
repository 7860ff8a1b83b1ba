// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelCalls.h - Private functions that a module has once -*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_KERNELCALLS_H
#define RECUR_LIB_TRANSFORMS_KERNELCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace recur {

/// The type of a buffer that a kernel takes: any offset, and the sizes and strides that are given. kDynamic leaves one
/// to the call.
mlir::MemRefType getKernelViewType(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

/// The part of the buffer `base` that begins at `offset`, as `type`, which getKernelViewType made. What the type leaves
/// open is a value, also where it is constant: one function serves all.
mlir::Value createKernelView(mlir::OpBuilder &builder, mlir::Location loc, mlir::MemRefType type, mlir::Value base,
                             mlir::OpFoldResult offset, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             llvm::ArrayRef<mlir::OpFoldResult> strides);

/// The private function `name` of `module`, which time loops may call and which is not inlined. When it is first asked
/// for, it is made at the end of the module and `emit` fills it, the return included. It has no results.
mlir::func::FuncOp getOrCreateKernel(mlir::ModuleOp module, llvm::StringRef name, mlir::TypeRange arguments,
                                     llvm::function_ref<void(mlir::func::FuncOp)> emit);

/// Has LLVM leave `loop` alone: it neither vectorizes nor unrolls it.
void keepLoop(mlir::scf::ForOp loop);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_KERNELCALLS_H
