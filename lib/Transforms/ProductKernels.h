// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductKernels.h - Code for products of any size ---------*- C++ -*-===//
//
// The functions that compute matrix products of dynamic sizes. They take sizes as arguments, so a module needs each of
// them once, however many products it has.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
#define RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H

#include "PackedMatrix.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The numbers of the arguments of all kernels for products C = start + A * B, in their order.
enum ProductArgument : unsigned {
  /// A, [row, step].
  kProductRows,
  /// B, [block of columns, step, column].
  kProductMatrix,
  /// C, [row, block of columns, column].
  kProductResult,
  /// The scalar that all sums start from.
  kProductStart,
  /// The first argument that only some kernels have: the zero points and the scales of integers (MatrixElements), the
  /// number of columns of the only block of a masked kernel, or what pairs need.
  kProductOthers,
  kProductColumns = kProductOthers,
  /// Room for some rows of A in f32, and for two tiles of rows in bf16, and whether tile registers may be used.
  kProductWideRows = kProductOthers,
  kProductTileRows,
  kProductMayUseTiles,
  kProductArgumentsOfPairs,
};

/// The arguments that all kernels for products have, in their order.
inline llvm::SmallVector<mlir::Value> makeProductArguments(mlir::Value rows, mlir::Value matrix, mlir::Value result,
                                                           mlir::Value start) {
  llvm::SmallVector<mlir::Value> arguments(kProductOthers);
  arguments[kProductRows] = rows;
  arguments[kProductMatrix] = matrix;
  arguments[kProductResult] = result;
  arguments[kProductStart] = start;
  return arguments;
}

/// The numbers of the arguments of the kernel for dot products, c = start + M * v, in their order.
enum DotArgument : unsigned {
  /// M, [row, step], v, [step], and c, [row].
  kDotMatrix,
  kDotVector,
  kDotResult,
  /// The scalar that all sums start from.
  kDotStart,
  kDotArguments,
};

/// The types of the matrix B of a product. It has elements of the type of C or of a narrower one, which the kernel
/// extends, or integers, which it dequantizes.
struct MatrixElements {
  /// The types of the elements, the zero points and the scales. The last two are null if there are none.
  mlir::Type element, zero, scale;
  /// For integers: how they are used.
  std::optional<QuantizedMatrix> quantized;
  /// True if the elements are bf16 in pairs along the shared dim: [blocks, shared / 2, columns * 2].
  bool hasPairs = false;
  /// True if A has bf16 too, in contiguous rows. Then instructions add the two products of a pair to an element of C.
  bool hasRoundedRows = false;
  /// How many groups, one after the other, have the same zero points, and how many the same scales. Only one of the two
  /// may be more than 1 unless neither number of groups divides the other.
  int64_t groupsOfZero = 1, groupsOfScale = 1;

  /// How many arguments have zero points or scales, and the numbers of these arguments.
  unsigned getNumFactors() const { return (zero ? 1 : 0) + (scale ? 1 : 0); }
  unsigned getZeroArgument() const { return kProductOthers; }
  unsigned getScaleArgument() const { return kProductOthers + (zero ? 1 : 0); }

  /// Two letters or more that tell the kinds of elements apart.
  std::string getName() const;
};

/// The kernels of a module for products of one element type, f32 or f64. The first request for a function creates it.
class ProductKernels {
public:
  /// `matrix` is what B has. `vectorBits` is the width of a vector, `vectorRegisters` the number of vectors that the
  /// registers hold. If they are few, because a vector takes several registers, the kernels have names of their own.
  /// An element has `perElement` accumulators for steps along the shared dim, which decides the order of a sum; vectors
  /// of several registers, and products in which instructions add pairs, have one accumulator. Nothing is created yet.
  ProductKernels(mlir::ModuleOp module, mlir::FloatType type, MatrixElements matrix, int64_t vectorBits,
                 int64_t vectorRegisters, int64_t perElement = 1);

  /// The kernel for C[rows, blocks, columns] = start + A[rows, shared] * B[blocks, shared, columns] (ProductArgument).
  /// A block has getBlockSize() columns, which are contiguous in B and C. The masked kernel has one block, and an index
  /// for the number of its columns. If B is narrow, there is no masked kernel, and, unless A is narrow too, the last
  /// argument is a scratch for a wide block, of the type that C has. If B has integers, the zero points and scales,
  /// [blocks, groups of rows of B, columns], come before the scratch.
  mlir::func::FuncOp getProduct(bool masked);
  /// The same kernel for a single row, which needs no scratch.
  mlir::func::FuncOp getProductOfRow(bool masked);
  /// The same kernel, not masked, for a wide B and several rows, or none. Its sums are those of getProduct.
  mlir::func::FuncOp getProductOfRows() { return getProductOfRows({type, {}, {}, {}}, /*masked=*/false); }
  /// The kernel for a B of pairs and an A of f32, whose rows are contiguous and which it rounds (ProductArgument). Its
  /// scratches have the types below, and whether it may use tile registers is an i1.
  mlir::func::FuncOp getProductOfPairs();
  /// The kernel for c[rows] = start + M[rows, shared] * v[shared] (DotArgument). The rows of M are contiguous, and so
  /// is v.
  mlir::func::FuncOp getDot();

  /// True if the elements of B are narrower than those of C.
  bool isNarrow() const { return matrix.element != type; }
  /// True if the kernel for any number of rows takes a scratch for a wide block.
  bool widensBlocks() const { return isNarrow() && !matrix.hasRoundedRows; }
  /// The number of columns of a block: the lanes of two vectors.
  int64_t getBlockSize() const { return getPackedColumns(lanes); }
  /// The types of the arguments: of A, of B, of its factors, of C, of M, of v, of c.
  mlir::MemRefType getRowsType() const;
  mlir::MemRefType getMatrixBlocksType() const { return getBlocksType(matrix); }
  mlir::MemRefType getFactorsType(mlir::Type element) const;
  mlir::MemRefType getBlocksType() const { return getBlocksType({type, {}, {}, {}}); }
  /// The types of the scratches of a kernel for pairs, for a shared dim of `shared`: some rows of A in f32, and two
  /// tiles of rows in bf16, [tile, shared / depth of a tile, row, depth].
  mlir::MemRefType getWideRowsType(int64_t shared) const;
  mlir::MemRefType getTileRowsType(int64_t shared) const;
  mlir::MemRefType getMatrixType() const;
  mlir::MemRefType getVectorType() const;
  mlir::MemRefType getColumnType() const;

private:
  mlir::MemRefType getBlocksType(const MatrixElements &of) const;
  /// The name and the arguments of the kernel for a product with a B of `of`, and its function for several rows.
  std::string getProductName(const MatrixElements &of, bool masked) const;
  llvm::SmallVector<mlir::Type> getProductArguments(const MatrixElements &of, bool masked) const;
  mlir::func::FuncOp getProductOfRows(const MatrixElements &of, bool masked);

  mlir::ModuleOp module;
  mlir::FloatType type;
  MatrixElements matrix;
  /// The lanes of a vector, and the number of vector registers.
  int64_t lanes, registers;
  int64_t perElement;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_PRODUCTKERNELS_H
