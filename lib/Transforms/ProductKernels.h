// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductKernels.h - Code for products of any size ---------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
#define RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The kernels of a module for products of one element type, f32 or f64. Each is made when it is first asked for.
class ProductKernels {
public:
  ProductKernels(mlir::ModuleOp module, mlir::FloatType type, int64_t vectorBits, int64_t vectorRegisters);

  /// C[rows, blocks, columns] = start + A[rows, shared] * B[blocks, shared, columns]; called with A, B, C and start. A
  /// block has getBlockSize() columns; B's and C's are contiguous. A masked kernel has one block, of as many columns as
  /// a fifth argument, an index, says.
  mlir::func::FuncOp getProduct(bool masked);
  /// c[rows] = start + M[rows, shared] * v[shared]; called with M, v, c and start. M's rows and v are contiguous.
  mlir::func::FuncOp getDot();

  int64_t getBlockSize() const { return 2 * lanes; }
  /// The types of A, of B and C, of M, of v, of c.
  mlir::MemRefType getRowsType() const;
  mlir::MemRefType getBlocksType() const;
  mlir::MemRefType getMatrixType() const;
  mlir::MemRefType getVectorType() const;
  mlir::MemRefType getColumnType() const;

private:
  mlir::ModuleOp module;
  mlir::FloatType type;
  /// Lanes of a vector, number of vector registers.
  int64_t lanes, registers;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
