// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Conform.h - Operands with the dims that they must have ----*- C++ -*-===//
//
// A cell and a sequence tell the dims of their operands. The ops that they become would broadcast an operand of other
// dims, or read beyond its end.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_CONFORM_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_CONFORM_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace recur::ov {
/// `value` with a type in which the dynamic dims are replaced by `dims`, where these are static. It is a fault if a dim
/// has another size at run time, unless the tensor has no elements.
mlir::Value conform(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::ArrayRef<int64_t> dims);

/// `value`, whose dim `axis`, if dynamic, is compared with dim `otherAxis` of `other`, unless both are known to be
/// equal. It is a fault if they differ at run time, unless another dim of `value` is 0.
mlir::Value conform(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t axis, mlir::Value other,
                    int64_t otherAxis);
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_CONFORM_H
