// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AccessRelation.h - The elements that an access reaches ---*- C++ -*-===//
//
// Two accesses of a buffer may be compared only if the elements that they reach are known. This file describes these
// elements by linear constraints and compares them with the Presburger library. MLIR's alias analysis only compares
// whole buffers, which is not enough here: the iterations of a loop store to different parts of one buffer.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_ACCESSRELATION_H
#define RECUR_ANALYSIS_ACCESSRELATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace recur {

/// Returns the buffer that `buffer` is a view of. Returns null if `buffer` is a buffer of its own. A place in the
/// workspace counts as one, and so does a `memref.view` that is the only use of its bytes, as of reserved ones.
mlir::Value getViewSource(mlir::Value buffer);

/// The induction variables of `loop`. The list is empty if the loop has none that are known, as an `scf.while`.
llvm::SmallVector<mlir::Value> getInductionVars(mlir::LoopLikeOpInterface loop);
/// True if `value` is an induction variable of `loop`.
bool isInductionVar(mlir::LoopLikeOpInterface loop, mlir::Value value);

/// The loops around `op` and inside `scope`, outermost first. `scope` must be an ancestor of `op`, and is not among
/// them.
llvm::SmallVector<mlir::LoopLikeOpInterface> getLoopsBetween(mlir::Operation *op, mlir::Operation *scope);

/// The dims of a buffer of `type` along which the dims of `vector` run that an op of the vector dialect loads or stores
/// at `indices`. A vector stays in a row of the view that it was written for, and so in one of the buffer, unless the
/// view joined dims. Returns nothing if the lanes then go on in the next row, and the index of the joined dims is not
/// known.
std::optional<mlir::AffineMap> getLaneMap(mlir::MemRefType type, mlir::ValueRange indices, mlir::VectorType vector,
                                          mlir::Value mask);

/// The set of elements of a buffer that one execution of an access reaches, as linear constraints on the coordinates of
/// an element. The coordinates are those of the base, the buffer at the beginning of the chain of views. A constraint
/// that cannot be expressed is left out, so a relation may be too large, but never too small.
///
/// The variables of the constraints are SSA values. In two relations one value is the same variable, unless the two
/// executions are in different iterations of a loop that defines the value.
class AccessRelation : public mlir::ValueBoundsConstraintSet {
public:
  /// `buffer` is an operand of `access`. `scope` is an op around the loops whose iterations will be compared. If an
  /// `arith.select` chooses the buffer, `choose` may return the operand that is meant; then the relation assumes that
  /// the condition of the select chooses this operand.
  AccessRelation(mlir::Operation *access, mlir::Value buffer, mlir::Operation *scope,
                 llvm::function_ref<mlir::Value(mlir::arith::SelectOp)> choose = {});

  /// The buffer at the beginning of the chain of views.
  mlir::Value getBase() const { return base; }

  /// True if no constraint was left out, so that the access reaches every element of the relation.
  bool isComplete() const { return complete; }

  /// True if, in addition, the trip counts of loops do not depend on values from outside the scope. Then executions
  /// whose relations overlap do reach the same element.
  bool isExact() const { return complete && knownRanges; }

  /// Chooses two executions in one iteration of the scope. With `loop`, they are in different iterations of `loop`, and
  /// in the same iterations of the loops around it. Without `loop`, they are in the same iterations of all loops around
  /// both.
  struct Executions {
    /// The loop in whose iterations the two executions differ, or null.
    mlir::LoopLikeOpInterface loop;
    /// The number of the first induction variable that differs. If it is nullopt, nothing is known of the iterations,
    /// and they may be the same.
    std::optional<unsigned> inductionVar;
    /// True if the first execution is in the later iteration.
    bool firstIsLater = false;
  };

  /// True if the two executions provably reach different elements. False if the relations have different bases, or if
  /// nothing can be proven.
  static bool areDisjoint(const AccessRelation &first, const AccessRelation &second, Executions executions);

  /// True if every element of `read` is provably an element of one of `writes`. Each relation stands for all
  /// executions inside the scope that it was made with.
  static bool isCovered(const AccessRelation &read, llvm::ArrayRef<std::unique_ptr<AccessRelation>> writes);

private:
  /// One expression for each dim of a buffer: the index of an element along the dim.
  using Coordinates = llvm::SmallVector<mlir::AffineExpr>;

  /// Numbers the variables of several relations. The coordinates come first, and all relations share them.
  struct Variables {
    /// The number of variables so far, which is the number of the next one.
    unsigned number;
    /// The variables of values that several relations may have.
    llvm::DenseMap<ValueDim, unsigned> shared;

    explicit Variables(const AccessRelation &relation) : number(relation.elements.size()) {}
    /// Numbers the values of `relation` that it shares with other relations: those that are not `isOwn`.
    void addShared(const AccessRelation &relation, llvm::function_ref<bool(mlir::Value)> isOwn);
    /// Returns the variable of each column of `relation`. Values that are `isOwn`, and columns that stand for no
    /// value, get new variables.
    llvm::SmallVector<unsigned> assign(const AccessRelation &relation, llvm::function_ref<bool(mlir::Value)> isOwn);
  };
  /// Adds the constraints to `relation`. `variables` maps the columns of this relation to those of `relation`.
  void addConstraintsTo(mlir::presburger::IntegerRelation &relation, llvm::ArrayRef<unsigned> variables) const;

  // Constraints on values. Each function clears `complete` if it cannot express one.
  void addGuard(mlir::Operation *op, mlir::Region *region);
  void addCondition(mlir::Value condition, bool holds);
  bool addBounds(mlir::Value value, std::optional<int64_t> dim);
  void addInductionVarBounds(mlir::LoopLikeOpInterface loop, mlir::Value inductionVar);

  // Coordinates of elements in a buffer, and in the buffer that a view was made of.
  Coordinates getAccessed(mlir::Operation *access, mlir::Value buffer);
  Coordinates getElement(mlir::Value buffer, mlir::ValueRange indices,
                         llvm::function_ref<mlir::AffineExpr(unsigned, mlir::AffineExpr)> addLanes = {});
  Coordinates getBox(mlir::Value buffer, mlir::ValueRange indices, mlir::AffineMap map, mlir::VectorType vector,
                     mlir::Value mask);
  Coordinates getWhole(mlir::Value buffer);
  Coordinates getSourceCoordinates(mlir::Operation *view, mlir::Value source,
                                   llvm::ArrayRef<mlir::AffineExpr> coordinates);
  /// The coordinates of any element of the buffer, for an access whose elements are not known.
  Coordinates getUnknown(mlir::Value buffer) {
    complete = false;
    return getWhole(buffer);
  }
  mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> coordinates, llvm::ArrayRef<int64_t> shape);

  /// Adds a variable without bounds. Returns its column and the expression that stands for it.
  std::pair<int64_t, mlir::AffineExpr> addVariable() {
    int64_t position = insert(/*isSymbol=*/true);
    return {position, getPosExpr(position)};
  }
  /// Adds a variable with `lower` <= variable < `upper`. A null `upper` is no bound.
  mlir::AffineExpr addVariable(mlir::AffineExpr lower, mlir::AffineExpr upper);
  /// Adds the constraint that both expressions are equal.
  void addEquality(mlir::AffineExpr left, mlir::AffineExpr right);

  /// True if a loop inside the scope defines `value` anew in each iteration.
  bool isRepeated(mlir::Value value) const {
    return !loops.empty() && loops.front()->isAncestor(value.getParentRegion()->getParentOp());
  }

  /// The loops between the scope and the access, outermost first.
  llvm::SmallVector<mlir::LoopLikeOpInterface> loops;
  mlir::Value base;
  /// The columns of the coordinates, by the dims of the base.
  llvm::SmallVector<int64_t> elements;
  /// `complete` is cleared when a constraint is left out, `knownRanges` when a range depends on values from outside the
  /// scope.
  bool complete = true, knownRanges = true;
};

} // namespace recur

#endif // RECUR_ANALYSIS_ACCESSRELATION_H
