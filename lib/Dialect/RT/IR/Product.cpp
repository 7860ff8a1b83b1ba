// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Product.cpp - rt.product -------------------------------------------===//
//
// Verifies `rt.product`, and sorts its loops by the operands that they index.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"

using namespace mlir;
using namespace recur::rt;

static ShapedType typeOf(Value value) { return cast<ShapedType>(value.getType()); }

void ProductOp::build(OpBuilder &builder, OperationState &state, Value rows, Value matrix, Value start, Value init,
                      AffineMap rowsMap, AffineMap matrixMap, int64_t columns, MatrixElements elements, Value zero,
                      Value scale, bool signedMatrix, bool signedZero) {
  build(builder, state, isa<RankedTensorType>(init.getType()) ? init.getType() : Type(), rows, matrix, zero, scale,
        start, init, AffineMapAttr::get(rowsMap), AffineMapAttr::get(matrixMap),
        MatrixElementsAttr::get(builder.getContext(), elements), signedMatrix ? builder.getUnitAttr() : UnitAttr(),
        signedZero ? builder.getUnitAttr() : UnitAttr(), builder.getI64IntegerAttr(columns));
}

SmallVector<unsigned> ProductOp::selectLoops(ArrayRef<unsigned> loops, AffineMap rows, AffineMap matrix, bool inRows,
                                             bool inMatrix) {
  return llvm::filter_to_vector(loops, [&](unsigned loop) {
    return rows.isFunctionOfDim(loop) == inRows && matrix.isFunctionOfDim(loop) == inMatrix;
  });
}

/// The loops of `op` from the first one to the lane that index the rows, or not, and the matrix, or not.
static SmallVector<unsigned> getLoops(ProductOp op, bool inRows, bool inMatrix) {
  return ProductOp::selectLoops(llvm::to_vector(llvm::seq(op.getLane())), op.getRowsMap(), op.getMatrixMap(), inRows,
                                inMatrix);
}

SmallVector<unsigned> ProductOp::getBatches() { return getLoops(*this, /*inRows=*/true, /*inMatrix=*/true); }
SmallVector<unsigned> ProductOp::getRowLoops() { return getLoops(*this, /*inRows=*/true, /*inMatrix=*/false); }
SmallVector<unsigned> ProductOp::getBlocks() { return getLoops(*this, /*inRows=*/false, /*inMatrix=*/true); }

bool ProductOp::isDots() {
  return getMatrixMap().getResults().back() == getAffineDimExpr(getSharedLoop(), getContext());
}

bool ProductOp::hasIntegers() {
  return getElements() == MatrixElements::Bytes || getElements() == MatrixElements::Halves;
}

SmallVector<int64_t> ProductOp::getLoopSizes() {
  SmallVector<int64_t> sizes(typeOf(getInit()).getShape());
  sizes.push_back(ShapedType::kDynamic);
  auto add = [&](Value operand, AffineMap map) {
    for (auto [size, expr] : llvm::zip(typeOf(operand).getShape(), map.getResults())) {
      int64_t &known = sizes[cast<AffineDimExpr>(expr).getPosition()];
      known = ShapedType::isDynamic(known) ? size : known;
    }
  };
  add(getRows(), getRowsMap());
  if (getElements() == MatrixElements::Plain) {
    add(getMatrix(), getMatrixMap());
    return sizes;
  }
  // The columns are those of the result, because a byte may have two of them.
  auto matrix = typeOf(getMatrix());
  sizes[getLane() - 1] = matrix.getDimSize(0);
  sizes.back() = matrix.getDimSize(1) * (hasPairs() ? 2 : 1);
  return sizes;
}

/// True if `map` has a loop for each of `rank` dims, and none twice.
static bool isProjection(AffineMap map, unsigned numLoops, int64_t rank) {
  return map.getNumDims() == numLoops && map.getNumSymbols() == 0 && int64_t(map.getNumResults()) == rank &&
         map.isProjectedPermutation();
}

static bool mayBe(int64_t size, int64_t other) {
  return ShapedType::isDynamic(size) || ShapedType::isDynamic(other) || size == other;
}

/// Verifies which loops index which operands.
static LogicalResult verifyMaps(ProductOp op) {
  unsigned numLoops = typeOf(op.getInit()).getRank() + 1;
  AffineMap rows = op.getRowsMap(), matrix = op.getMatrixMap();
  int64_t matrixRank = typeOf(op.getMatrix()).getRank() - op.hasPairs();
  if (numLoops < 2 || !isProjection(rows, numLoops, typeOf(op.getRows()).getRank()) ||
      !isProjection(matrix, numLoops, matrixRank))
    return op.emitOpError() << "expected a map for each operand, from " << numLoops << " loops to its dims";
  unsigned lane = op.getLane(), shared = op.getSharedLoop();
  for (unsigned loop : llvm::seq(numLoops)) {
    bool inRows = rows.isFunctionOfDim(loop), inMatrix = matrix.isFunctionOfDim(loop);
    if (loop == shared ? !inRows || !inMatrix : loop == lane ? inRows || !inMatrix : !inRows && !inMatrix)
      return op.emitOpError() << "expected the column to index the matrix alone, the last loop both operands, and any "
                                 "other loop at least one of them";
  }
  AffineExpr column = getAffineDimExpr(lane, op.getContext()), sum = getAffineDimExpr(shared, op.getContext());
  bool hasLanes = matrix.getResults().back() == column && op.getBlocks().size() <= 1;
  if (!hasLanes && (matrix.getResults().back() != sum || rows.getResults().back() != sum))
    return op.emitOpError()
           << "expected the last dim of the matrix to be the columns, of at most one dim of blocks, or "
              "that of both operands to be summed";
  if (op.getElements() == MatrixElements::Plain)
    return success();
  AffineExpr packed[] = {getAffineDimExpr(lane - 1, op.getContext()), sum, column};
  if (lane == 0 || matrix.getResults() != ArrayRef(packed) || rows.getResults().back() != sum ||
      rows.isFunctionOfDim(lane - 1))
    return op.emitOpError() << "expected a matrix that is packed in blocks of columns, and contiguous rows";
  return success();
}

/// Verifies that the dims of an operand agree with the loops that index them.
static LogicalResult verifyDims(ProductOp op, Value operand, AffineMap map) {
  SmallVector<int64_t> sizes = op.getLoopSizes();
  for (auto [size, expr] : llvm::zip_equal(typeOf(operand).getShape(), map.getResults()))
    if (!mayBe(size, sizes[cast<AffineDimExpr>(expr).getPosition()]))
      return op.emitOpError() << "expected dims that agree with those of the result and of the other operand, but got "
                              << operand.getType();
  return success();
}

/// Verifies the shapes and types of a matrix that is not plain, and of what its integers need.
static LogicalResult verifyPacked(ProductOp op) {
  auto rows = typeOf(op.getRows()), matrix = typeOf(op.getMatrix()), result = typeOf(op.getInit());
  bool hasPairs = op.hasPairs();
  Type element = matrix.getElementType(), ofRows = rows.getElementType();
  bool fits = hasPairs ? element.isBF16() && (ofRows.isF32() || ofRows.isBF16())
                       : element.isSignlessInteger(8) && ofRows.isF32();
  if (!fits || !result.getElementType().isF32())
    return op.emitOpError() << "expected " << (hasPairs ? "pairs of bf16" : "bytes") << ", and rows and a result of "
                            << "real numbers that fit, but got " << matrix << ", " << rows << " and " << result;
  int64_t lanes = result.getShape().back(), blocks = result.getShape().drop_back().back(),
          steps = rows.getShape().back();
  if (!matrix.hasStaticShape() || ShapedType::isDynamic(lanes) || lanes <= 0)
    return op.emitOpError() << "expected a packed matrix and columns of known sizes";
  SmallVector<int64_t> wanted{matrix.getDimSize(0), matrix.getDimSize(1), lanes};
  if (op.getElements() == MatrixElements::Halves)
    wanted.back() = lanes / 2;
  if (hasPairs)
    wanted.push_back(2);
  bool isWhole = op.getElements() != MatrixElements::Halves || lanes % 2 == 0;
  if (!isWhole || matrix.getShape() != ArrayRef(wanted) || !mayBe(blocks, wanted[0]) ||
      !mayBe(steps, wanted[1] * (hasPairs ? 2 : 1)))
    return op.emitOpError() << "expected the columns and rows of a packed matrix " << matrix << ", but got " << rows
                            << " and " << result;
  for (Value factor : {op.getZero(), op.getScale()}) {
    if (!factor)
      continue;
    auto type = typeOf(factor);
    Type own = type.getElementType();
    bool isKnown = own.isF32() || own.isF16() || own.isBF16() || (factor == op.getZero() && own.isSignlessInteger(8));
    if (hasPairs || type.getRank() != 3 || !type.hasStaticShape() || type.getDimSize(0) != wanted[0] ||
        type.getDimSize(1) < 1 || wanted[1] % type.getDimSize(1) != 0 || type.getDimSize(2) != lanes || !isKnown)
      return op.emitOpError() << "expected zero points and scales for the columns of each group of rows of " << matrix
                              << ", but got " << type;
  }
  bool hasIntegerZero = op.getZero() && typeOf(op.getZero()).getElementType().isInteger();
  if ((op.getSignedMatrix() && hasPairs) || (op.getSignedZero() && !hasIntegerZero))
    return op.emitOpError() << "expected only integers to have signs";
  return verifyDims(op, op.getRows(), op.getRowsMap());
}

LogicalResult ProductOp::verify() {
  auto result = typeOf(getInit());
  Type element = result.getElementType();
  bool areTensors = isa<RankedTensorType>(result);
  for (Value operand : getOperands()) {
    if (operand == getStart())
      continue;
    if (areTensors ? !isa<RankedTensorType>(operand.getType()) : !isa<MemRefType>(operand.getType()))
      return emitOpError() << "expected ranked operands that all are tensors or all are buffers";
  }
  if ((!element.isF32() && !element.isF64()) || getStart().getType() != element)
    return emitOpError() << "expected a result and a start of f32 or f64, but got " << element << " and "
                         << getStart().getType();
  if (int64_t(getColumns()) < -1)
    return emitOpError() << "expected -1 or more columns, but got " << int64_t(getColumns());
  if (failed(verifyMaps(*this)))
    return failure();
  if (getElements() != MatrixElements::Plain)
    return verifyPacked(*this);
  Type ofMatrix = typeOf(getMatrix()).getElementType();
  bool isNarrow = element.isF32() && (ofMatrix.isF16() || ofMatrix.isBF16()) && !isDots();
  if (typeOf(getRows()).getElementType() != element || (ofMatrix != element && !isNarrow) || getZero() || getScale() ||
      getSignedMatrix() || getSignedZero())
    return emitOpError() << "expected rows and a matrix of " << element << ", and nothing that only integers have";
  if (failed(verifyDims(*this, getRows(), getRowsMap())))
    return failure();
  return verifyDims(*this, getMatrix(), getMatrixMap());
}
