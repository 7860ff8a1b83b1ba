// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Suppression.h - Choice of boxes that overlap little ------*- C++ -*-===//
//
// The heads of detectors choose boxes in groups: those of an image and a class. A group takes a row of each tensor
// here, so that one loop over the places chooses in all groups at once. The best box of a group comes first. Groups
// have different numbers of candidates; the loop has as many iterations as the greatest group has.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SUPPRESSION_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SUPPRESSION_H

#include "Expansion.h"

namespace recur::ir {

/// Plane `i` of a tensor: what it is along dim 0.
mlir::Value getPlane(Expansion &e, mlir::Value planes, int64_t i);

/// The corners of boxes, tensors of equal or broadcasting shapes.
struct Corners {
  mlir::Value x0, y0, x1, y1;
  /// Splits the last dim, which is 4, of a tensor of rank 3. The sides are copied, so that each can be read as vectors.
  static Corners split(Expansion &e, mlir::Value boxes);
  /// The corners of boxes `at`, a tensor of rank 0, of each group: tensors of shape [groups, 1].
  Corners getColumn(Expansion &e, mlir::Value at) const;
};

/// Candidates of each group, in the order of their scores; of equal ones, the first one comes first.
struct Candidates {
  /// Their boxes, [groups, candidates, 4], and the corners of these, if rankBoxes made these candidates.
  mlir::Value boxes;
  Corners corners;
  /// Tensors of shape [groups, candidates]: the scores, the number of the box in its group (i64), and whether this is
  /// a candidate. Others stand behind them.
  mlir::Value scores, places, isCandidate;
};

/// Boxes are ranked by these tensors of shape [groups, boxes].
struct Scores {
  /// If `isCandidate` is null, the candidates are the boxes whose score is not the least value of its type.
  mlir::Value values, isCandidate;
  /// Makes the boxes candidates for which `isCandidate` holds. None of these may have the least value.
  static Scores mask(Expansion &e, mlir::Value values, mlir::Value isCandidate) {
    return {e.select(isCandidate, values, e.least(elementOf(values))), mlir::Value()};
  }
};

/// Returns the `count` greatest elements along axis 1 in their order, and their indices (i64); of equal ones, the
/// first comes first.
llvm::SmallVector<mlir::Value> findGreatest(Expansion &e, mlir::Value values, Size count);

/// Ranks the candidates, at most `most` of each group (-1: all).
Candidates rankScores(Expansion &e, const Scores &scores, int64_t most);

/// The rows of the candidates' boxes, [groups, candidates, n]. `rows` is [boxes, n], and `firstRow` is the row of the
/// first box of each group, [groups, 1].
mlir::Value gatherBoxes(Expansion &e, const Candidates &candidates, mlir::Value rows, mlir::Value firstRow);

/// Ranks boxes as rankScores does, and finds their corners. `rows` is [boxes, 4].
Candidates rankBoxes(Expansion &e, mlir::Value rows, mlir::Value firstRow, const Scores &scores, int64_t most);

/// The quotient and the remainder of numbers that are not negative. The divisor, of shape [1], is 0 only if there is no
/// number.
inline std::pair<mlir::Value, mlir::Value> divideWithRemainder(Expansion &e, mlir::Value number, mlir::Value divisor) {
  mlir::Value quotient = e.divide(number, e.maximum(divisor, 1));
  mlir::Value remainder = e.subtract(number, e.multiply(quotient, divisor));
  return {quotient, remainder};
}

/// How much two boxes overlap: the area of the intersection over that of the union.
struct Overlap {
  /// What is added to the difference of two corners: 0, or 1 if corners are pixels.
  double offset = 0;
  /// Boxes that do not touch overlap by 0, even if the offset closes the gap.
  bool needsContact = false;
  /// A box whose corners are in the wrong order has no area. Otherwise, a box without a positive area overlaps with
  /// none.
  bool hasEmptyBoxes = false;
  /// NaN where both areas are 0 and the boxes touch.
  mlir::Value compute(Expansion &e, const Corners &a, const Corners &b) const;
};

/// Boxes that are rotated about their centers: tensors of shape [groups, boxes], or [groups, 1].
struct RotatedBoxes {
  /// The center, and the unit vector along the width: the cosine and the sine of the angle.
  mlir::Value x, y, cosine, sine;
  /// Half the sides, which are not negative, and the area, which is below 0 if one of the sides was.
  mlir::Value halfWidth, halfHeight, area;
  /// Splits the last dim, which is 5, of a tensor of rank 3: the center, the width, the height, and the angle in
  /// radians, which turns the first axis toward the second.
  static RotatedBoxes split(Expansion &e, mlir::Value boxes);
  /// Boxes `at`, a tensor of rank 0, of each group.
  RotatedBoxes getColumn(Expansion &e, mlir::Value at) const;
  /// How much `box`, one of each group, overlaps with each of these boxes: the area of the intersection over that of
  /// the union. A box without a positive area overlaps with none.
  mlir::Value overlapWith(Expansion &e, const RotatedBoxes &box) const;
};

/// The limit of overlaps.
struct OverlapLimit {
  /// A tensor of rank 0.
  mlir::Value limit;
  /// True if an overlap that equals the limit is too much.
  bool includesEqual = false;
  /// As long as the limit is above 1/2, each choice multiplies it by this.
  double factor = 1;
  /// The limit that attribute `name` has, for boxes of this element type.
  static OverlapLimit read(Expansion &e, llvm::StringRef name, mlir::Type element) {
    return {e.scalar(e.number(name), element)};
  }
};

/// Goes through the candidates of each group, and chooses one if it overlaps little with all that are chosen. Returns
/// booleans [groups, candidates]. `overlapWith` gets the number of a candidate, a tensor of rank 0, and builds its
/// overlaps with all candidates of its group, [groups, candidates].
mlir::Value chooseGreedily(Expansion &e, const Candidates &candidates,
                           llvm::function_ref<mlir::Value(mlir::Value at)> overlapWith, const OverlapLimit &limit);
/// The same for candidates with corners.
mlir::Value chooseGreedily(Expansion &e, const Candidates &candidates, const Overlap &overlap,
                           const OverlapLimit &limit);

/// Keeps the first `most` choices of each group. `most` is an i64 tensor of rank 0.
mlir::Value keepFirst(Expansion &e, mlir::Value isChosen, mlir::Value most);
/// The same; all if `most` is negative.
mlir::Value keepFirst(Expansion &e, mlir::Value isChosen, int64_t most);

/// The choices of all groups, one after the other.
struct Choices {
  /// Their places in [groups * candidates], and the numbers of their groups: i64 tensors of rank 1.
  mlir::Value places, groups;
  /// Finds where booleans [groups, candidates] are true.
  static Choices find(Expansion &e, mlir::Value isChosen);
  /// Reads `values` [groups, candidates] at the choices.
  mlir::Value pick(Expansion &e, mlir::Value values) const;
};

/// Builders of ops on booleans.
inline mlir::Value both(Expansion &e, mlir::Value a, mlir::Value b) { return e.make<ov::LogicalAndOp>({a, b}); }
inline mlir::Value greater(Expansion &e, mlir::Value a, mlir::Value b) { return e.make<ov::GreaterOp>({a, b}); }

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SUPPRESSION_H
