// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Footprint.h - The elements that an access reaches --------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_FOOTPRINT_H
#define RECUR_LIB_TRANSFORMS_FOOTPRINT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace recur {

/// What `buffer` is a view of; null where it is a buffer of its own, as every place in the workspace is, and one that
/// is reserved.
mlir::Value getViewSource(mlir::Value buffer);

llvm::SmallVector<mlir::Value> getInductionVars(mlir::LoopLikeOpInterface loop);
bool isInductionVar(mlir::LoopLikeOpInterface loop, mlir::Value value);

/// The loops that `op` is in, up to `scope`, outermost first.
llvm::SmallVector<mlir::LoopLikeOpInterface> getLoopsBetween(mlir::Operation *op, mlir::Operation *scope);

/// The elements of a buffer that one execution of an access reaches, as constraints of their coordinates at the
/// beginning of the chain of views. What can't be expressed is left out, so a footprint is never too small.
///
/// Values are variables. In two footprints a value is the same variable, unless the two executions are in different
/// iterations of a loop in which it is defined.
class Footprint : public mlir::ValueBoundsConstraintSet {
public:
  /// `scope` stands around the loops whose iterations will be compared. Where a select chooses the buffer, `choose` may
  /// tell which of its operands is the one that is meant: then the condition holds.
  Footprint(mlir::Operation *access, mlir::Value buffer, mlir::Operation *scope,
            llvm::function_ref<mlir::Value(mlir::arith::SelectOp)> choose = {});

  /// The buffer at the beginning of the chain of views.
  mlir::Value getBase() const { return base; }

  /// True if nothing was left out: every one of the elements is reached.
  bool isComplete() const { return complete; }

  /// True if, on top of that, how often loops run does not depend on anything from outside, so that executions that
  /// seem to overlap do.
  bool isExact() const { return complete && knownRanges; }

  /// Two executions in one iteration of the scope: in different iterations of `loop`, and in the same iterations of the
  /// loops around it; without `loop`, in the same iterations of all loops around both.
  struct Executions {
    mlir::LoopLikeOpInterface loop;
    /// The first induction variable that differs. None: nothing is known, the iterations may be the same.
    std::optional<unsigned> inductionVar;
    /// The first of the two is in the later iteration.
    bool firstIsLater = false;
  };

  /// True if the two are proven to reach different elements.
  static bool areDisjoint(const Footprint &first, const Footprint &second, Executions executions);

  /// True if all elements of `read` are proven to be among those of `writes`, each taken over all executions inside the
  /// scope that it was made with.
  static bool isCovered(const Footprint &read, llvm::ArrayRef<std::unique_ptr<Footprint>> writes);

private:
  using Coordinates = llvm::SmallVector<mlir::AffineExpr>;

  /// Variables of several footprints. The coordinates come first, and belong to all.
  struct Variables {
    unsigned number;
    llvm::DenseMap<ValueDim, unsigned> shared;

    explicit Variables(const Footprint &footprint) : number(footprint.elements.size()) {}
    void addShared(const Footprint &footprint, llvm::function_ref<bool(mlir::Value)> isOwn);
    /// The variable of each column. The values that are `isOwn`, and those without a name, get new ones.
    llvm::SmallVector<unsigned> assign(const Footprint &footprint, llvm::function_ref<bool(mlir::Value)> isOwn);
  };
  void addConstraintsTo(mlir::presburger::IntegerRelation &relation, llvm::ArrayRef<unsigned> variables) const;

  void addGuard(mlir::Operation *op, mlir::Region *region);
  void addCondition(mlir::Value condition, bool holds);
  bool addBounds(mlir::Value value, std::optional<int64_t> dim);
  void addInductionVarBounds(mlir::LoopLikeOpInterface loop, mlir::Value inductionVar);

  Coordinates getAccessed(mlir::Operation *access, mlir::Value buffer);
  Coordinates getBox(mlir::Value buffer, mlir::ValueRange indices, mlir::AffineMap map, mlir::VectorType vector,
                     mlir::Value mask);
  Coordinates getWhole(mlir::Value buffer);
  Coordinates getSourceCoordinates(mlir::Operation *view, mlir::Value source,
                                   llvm::ArrayRef<mlir::AffineExpr> coordinates);
  /// Any element of the buffer.
  Coordinates getUnknown(mlir::Value buffer) {
    complete = false;
    return getWhole(buffer);
  }
  mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> coordinates, llvm::ArrayRef<int64_t> shape);

  std::pair<int64_t, mlir::AffineExpr> addVariable() {
    int64_t position = insert(/*isSymbol=*/true);
    return {position, getPosExpr(position)};
  }
  /// `upper` is open, and may be null.
  mlir::AffineExpr addVariable(mlir::AffineExpr lower, mlir::AffineExpr upper);
  void addEquality(mlir::AffineExpr left, mlir::AffineExpr right);

  /// True for what is defined in the loops inside the scope.
  bool isRepeated(mlir::Value value) const {
    return !loops.empty() && loops.front()->isAncestor(value.getParentRegion()->getParentOp());
  }

  llvm::SmallVector<mlir::LoopLikeOpInterface> loops;
  mlir::Value base;
  /// Columns of the coordinates.
  llvm::SmallVector<int64_t> elements;
  bool complete = true, knownRanges = true;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_FOOTPRINT_H
