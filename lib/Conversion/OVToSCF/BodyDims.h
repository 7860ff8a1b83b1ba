// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.h - Dims of values in a loop's body, before it --*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
#define RECUR_CONVERSION_OVTOSCF_BODYDIMS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace recur {

/// Dims of values in the body of an ov loop as expressions over what is known before the loop: sliced inputs, initial
/// values, what the body captures. Expressions are interned, so two with the same number are the same dim; and they can
/// be computed in front of the loop.
///
/// A dim that clashes with another is taken to be that of either: the op that finds out ends the call.
class BodyDims {
public:
  /// The number of an expression.
  using Dim = unsigned;
  /// Dims of a tensor; none where it can't be told.
  using Dims = llvm::SmallVector<std::optional<Dim>>;

  /// Code goes to the builder's insertion point, which is in front of `loop`.
  BodyDims(mlir::OpBuilder &builder, mlir::Operation *loop) : builder(builder), loop(loop) {}

  /// A dim of a value inside or outside the loop.
  std::optional<Dim> get(mlir::Value tensor, int64_t dim);
  Dims getAll(mlir::Value tensor);

  /// Says what dims a carried value has at the start of an iteration. Forgets what followed from others.
  void setCarried(mlir::BlockArgument argument, Dims dims);
  /// Where operands must agree, their dim is one of these if it can be.
  void prefer(const Dims &dims);

  /// The dim as a constant or an index value.
  mlir::OpFoldResult materialize(Dim dim);

private:
  enum class Kind {
    constant, ///< number
    dim,      ///< dim `number` of a value that is not taken apart
    element,  ///< element `number` of a rank-1 tensor (or the only one of a scalar), at least 0
    index,    ///< an index value
    join,     ///< what the operands broadcast to
    sum,
    product,
    quotient, ///< of the first operand by the second, which may be 0 only if the first is
    ifZero    ///< the second operand where the first is 0, else the first
  };
  struct Expr {
    Kind kind;
    int64_t number = 0;
    mlir::Value value;
    llvm::SmallVector<Dim, 2> operands;

    bool operator<(const Expr &other) const {
      return std::make_tuple(kind, number, value.getAsOpaquePointer(), llvm::ArrayRef(operands).vec()) <
             std::make_tuple(other.kind, other.number, other.value.getAsOpaquePointer(),
                             llvm::ArrayRef(other.operands).vec());
    }
  };

  Dim intern(Expr expr);
  Dim constant(int64_t number) { return intern({Kind::constant, number, {}, {}}); }
  std::optional<int64_t> getConstant(Dim dim) const;
  Dim combine(Kind kind, llvm::ArrayRef<Dim> operands);
  Dim divide(llvm::ArrayRef<Dim> dividends, llvm::ArrayRef<Dim> divisors);
  /// False for what may be -1 in the program, and is a special case of the ops that take it.
  bool isSurelySize(Dim dim) const;

  bool isOutside(mlir::Value value) const;
  std::optional<Dim> trace(mlir::Value tensor, int64_t dim);
  std::optional<Dim> traceArgument(mlir::BlockArgument argument, int64_t dim);
  std::optional<Dim> traceIndex(mlir::OpFoldResult size);
  std::optional<Dim> traceElement(mlir::Value tensor, int64_t position);
  std::optional<Dim> traceBuffer(mlir::Value buffer, int64_t dim);
  std::optional<Dim> traceOp(mlir::Operation *op, mlir::OpResult result, int64_t dim);
  template <typename LoopT>
  std::optional<Dim> traceLoop(LoopT op, mlir::OpResult result, int64_t dim);
  template <typename LoopT>
  std::optional<Dim> traceLoopArgument(LoopT op, mlir::BlockArgument argument, int64_t dim);
  template <typename LoopT>
  void settle(LoopT op);
  template <typename LoopT>
  std::optional<Dim> countParts(LoopT op);
  std::optional<Dim> traceReshape(ov::ReshapeOp op, int64_t dim);
  std::optional<Dim> traceBroadcast(ov::BroadcastOp op, int64_t dim);
  /// What operands broadcast to.
  std::optional<Dim> joinOperands(mlir::ValueRange operands, int64_t rank, int64_t dim);
  /// Of operands that must agree: a dim of a carried value if there is one, so that it is seen to stay.
  std::optional<Dim> anyOperand(mlir::ValueRange operands, int64_t dim);

  mlir::OpBuilder &builder;
  mlir::Operation *loop;
  std::vector<Expr> exprs;
  std::map<Expr, Dim> numbers;
  /// The value that a dim is best computed as.
  llvm::DenseMap<Dim, mlir::OpFoldResult> values;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, std::optional<Dim>> known;
  /// Of the carried values of the loop, and of those of loops in its body.
  llvm::DenseMap<mlir::Value, Dims> carried, inner;
  llvm::DenseSet<Dim> preferred;
  llvm::DenseSet<mlir::Operation *> settled;
  unsigned depth = 0;
};

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
