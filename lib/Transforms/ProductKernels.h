// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductKernels.h - Code for products of any size ---------*- C++ -*-===//
//
// The functions that compute matrix products of dynamic sizes. They take sizes as arguments, so a module needs each of
// them once, however many products it has.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
#define RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H

#include "RowProduct.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The kernels of a module for products of one element type, f32 or f64. The first request for a function creates it.
class ProductKernels {
public:
  /// `typeOfB` is the type of B's elements: `type`, or a narrower one, whose elements the kernel extends. `vectorBits`
  /// is the width of a vector register, `vectorRegisters` the number of registers. Nothing is created yet.
  ProductKernels(mlir::ModuleOp module, mlir::FloatType type, mlir::FloatType typeOfB, int64_t vectorBits,
                 int64_t vectorRegisters);

  /// The kernel for C[rows, blocks, columns] = start + A[rows, shared] * B[blocks, shared, columns]. Its arguments are
  /// A, B, C and the scalar start. A block has getBlockSize() columns, which are contiguous in B and C. The masked
  /// kernel has one block and a fifth argument, an index: the number of columns. If B is narrow, there is no masked
  /// kernel, and the fifth argument is a scratch for a wide block, of the type that C has.
  mlir::func::FuncOp getProduct(bool masked);
  /// The kernel for c[rows] = start + M[rows, shared] * v[shared]. Its arguments are M, v, c and the scalar start. The
  /// rows of M are contiguous, and so is v.
  mlir::func::FuncOp getDot();

  /// True if the elements of B are narrower than those of C.
  bool isNarrow() const { return typeOfB != type; }
  /// The number of columns of a block: the lanes of two vectors.
  int64_t getBlockSize() const { return getPackedColumns(lanes); }
  /// The types of the arguments: of A, of B, of C, of M, of v, of c.
  mlir::MemRefType getRowsType() const;
  mlir::MemRefType getMatrixBlocksType() const { return getBlocksType(typeOfB); }
  mlir::MemRefType getBlocksType() const { return getBlocksType(type); }
  mlir::MemRefType getMatrixType() const;
  mlir::MemRefType getVectorType() const;
  mlir::MemRefType getColumnType() const;

private:
  mlir::MemRefType getBlocksType(mlir::FloatType element) const;
  /// The name and the arguments of the kernel for a product with a B of type `element`, and its function for several
  /// rows.
  std::string getProductName(mlir::FloatType element, bool masked) const;
  llvm::SmallVector<mlir::Type> getProductArguments(mlir::FloatType element, bool masked) const;
  mlir::func::FuncOp getProductOfRows(mlir::FloatType element, bool masked);

  mlir::ModuleOp module;
  mlir::FloatType type, typeOfB;
  /// The lanes of a vector, and the number of vector registers.
  int64_t lanes, registers;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
