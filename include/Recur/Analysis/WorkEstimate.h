// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkEstimate.h - How much work an op is ------------------*- C++ -*-===//
//
// The estimate decides whether work is worth several threads. It counts vector instructions of loops on buffers. All
// costs of the estimate are in WorkEstimate.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_WORKESTIMATE_H
#define RECUR_ANALYSIS_WORKESTIMATE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace recur {

/// The least work, in vector instructions, that one thread of a parallel region should have: about a microsecond. A
/// thread that spins takes over work and tells its end in 60 to 500 nanoseconds, as far apart as the two cores are.
inline constexpr int64_t kDefaultGangWork = 4096;

/// The parts of a vector instruction in which costs are expressed.
inline constexpr int64_t kWorkPerInstruction = 64;

/// A trip count, or a dim, that is not known at compile time is taken for this one.
inline constexpr int64_t kTypicalTripCount = 256;

/// True for an op of the math dialect that is one instruction on vectors. Others are polynomials.
bool isSingleInstruction(mlir::Operation *op);

/// The work of copying an element of a large buffer, in units of 1 / kWorkPerInstruction.
int64_t getCopyWork(mlir::Type element);

/// Emits the number of iterations of a loop with the given bounds and a positive step.
mlir::Value buildTripCount(mlir::OpBuilder &builder, mlir::Location loc, mlir::OpFoldResult lower,
                           mlir::OpFoldResult upper, mlir::OpFoldResult step);

/// Dim `dim` of a buffer, as a constant or as the value that its view was made with. Null if it is neither.
mlir::OpFoldResult getKnownDim(mlir::Value buffer, int64_t dim);

/// The work of an op, in units of 1 / kWorkPerInstruction: a sum of products of trip counts. A trip count that only the
/// op itself computes counts as one.
class WorkEstimate {
public:
  explicit WorkEstimate(mlir::Operation *op);

  /// The work if each trip count that is not a constant is of medium size.
  int64_t getTypical() const;

  /// Emits the work of an execution, from values that are defined before the op.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  /// The bounds of a loop; or a buffer, the number of a dim, and a null step, for the size of this dim.
  struct Range {
    mlir::OpFoldResult lower, upper, step;
    bool operator==(const Range &other) const {
      return lower == other.lower && upper == other.upper && step == other.step;
    }
  };
  struct Term {
    int64_t cost;
    llvm::SmallVector<Range> ranges;
  };

  void add(mlir::Operation *op, int64_t times, llvm::SmallVectorImpl<Range> &ranges);
  void addTerm(int64_t cost, llvm::ArrayRef<Range> ranges);
  /// Multiplies by a trip count: a constant into `times`, another one to the end of `ranges`.
  void multiply(const Range &range, int64_t &times, llvm::SmallVectorImpl<Range> &ranges) const;
  bool isKnownBefore(mlir::OpFoldResult value) const;

  mlir::Operation *whole;
  llvm::SmallVector<Term> terms;
};

} // namespace recur

#endif // RECUR_ANALYSIS_WORKESTIMATE_H
