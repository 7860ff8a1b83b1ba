// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopValue.h - The values of a loop that outlive an iteration -*- C++ -*-===//
//
// A loop has three kinds of such values: carried values, last values and concatenations. Each kind is kept in several
// ways, depending on what is known about dims and the number of iterations. There is one class for each way. It plans
// the memory in front of the loop, reads and writes it in an iteration, and gives the result of the loop.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_LOOPVALUE_H
#define RECUR_LIB_CONVERSION_OVTOSCF_LOOPVALUE_H

#include "BufferBuilder.h"
#include "IterationSpace.h"

#include <memory>

namespace recur {

/// The state that the values of one loop share while the loop is lowered.
class LoopBuilder : public BufferBuilder {
public:
  LoopBuilder(mlir::RewriterBase &rewriter, mlir::Operation *loop) : BufferBuilder(rewriter, loop), loop(loop) {}

  /// The dims of a result: `known` after an iteration, and `empty` after none, where it is not null.
  llvm::SmallVector<mlir::OpFoldResult> chooseDims(llvm::ArrayRef<mlir::OpFoldResult> known,
                                                   llvm::ArrayRef<mlir::OpFoldResult> empty);

  /// Adds a scalar that the loop carries as an iter_arg. Returns its number.
  unsigned addScalar(Value initial) {
    initialScalars.push_back(initial);
    return initialScalars.size() - 1;
  }

  mlir::Operation *loop;
  IterationSpace space;
  /// True (i1) if the loop has an iteration; null if it provably has one.
  Value ran;
  /// The number of the last iteration, if a value has a final destination.
  Value lastIteration;
  /// The initial values of the iter_args.
  llvm::SmallVector<Value> initialScalars;
};

/// An iteration while it is emitted. It is the body of the scf loop, or a copy of the body before the loop.
class Iteration {
public:
  Iteration(mlir::Value number, mlir::ValueRange scalars, bool isInitial, llvm::SmallVectorImpl<mlir::Value> &next)
      : number(number), scalars(scalars), isInitial(isInitial), nextScalars(next) {}

  /// The number (0 or 1) of the copy of a double buffer that this iteration reads, and of the one that it writes.
  mlir::Value getReadCopy(LoopBuilder &builder);
  mlir::Value getWrittenCopy(LoopBuilder &builder);

  /// The number of the iteration (an index).
  mlir::Value number;
  /// The iter_args.
  mlir::ValueRange scalars;
  /// True if the iteration reads the initial values themselves, not the copies of them in buffers.
  bool isInitial;
  /// The iter_args of the next iteration.
  llvm::SmallVectorImpl<mlir::Value> &nextScalars;

private:
  mlir::Value readCopy;
};

/// A value of a loop that outlives an iteration. The methods emit code; they are declared in the order of that code.
class LoopValue {
public:
  using Value = mlir::Value;
  using OpFoldResult = mlir::OpFoldResult;

  LoopValue(LoopBuilder &builder, mlir::RankedTensorType type) : builder(builder), type(type) {}
  virtual ~LoopValue() = default;

  /// In the body, of a carried value only: the present value.
  virtual Value read(Iteration &) { return {}; }
  /// In the body, in front of its ops: the destination of the next value. It comes first, so that it dominates the ops
  /// that are computed in it.
  virtual void prepare(Iteration &) {}
  /// In the body: stores what the body yields.
  virtual void write(Iteration &iteration, Value yielded) = 0;
  /// In the body, when no op reads the present values any more: stores what overwrites the present value.
  virtual void overwrite(Iteration &, Value) {}
  /// Behind the loop: the result after `numIterations`, where `scalars` are the results of the iter_args.
  virtual Value getResult(Value numIterations, mlir::ValueRange scalars) = 0;

protected:
  LoopBuilder &builder;
  mlir::RankedTensorType type;
};

/// A carried or last value of one element: an iter_arg.
class ScalarValue final : public LoopValue {
public:
  /// `initial` is null for a last value, which starts as 0.
  ScalarValue(LoopBuilder &builder, mlir::RankedTensorType type, Value initial);
  Value read(Iteration &iteration) override;
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, mlir::ValueRange scalars) override;

private:
  unsigned scalar;
};

/// A carried value whose dims are known before the loop: an iteration reads one copy of a double buffer and writes the
/// other one. The last iteration may write the result's final destination instead (FinalDestinations.cpp).
class DoubleBufferedValue final : public LoopValue {
public:
  /// `dims` are those after each iteration. `initialDims` are those of `initial` if they may differ; else empty.
  DoubleBufferedValue(LoopBuilder &builder, Value initial, llvm::ArrayRef<OpFoldResult> dims,
                      llvm::ArrayRef<OpFoldResult> initialDims);
  Value read(Iteration &iteration) override;
  void prepare(Iteration &iteration) override;
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, mlir::ValueRange scalars) override;

  /// Looks for a final destination of `result`, the result of the loop. Returns true if there is one.
  bool findFinalDestination(Value result);
  /// Erases the op that would copy the result to its final destination.
  void eraseFinalWrite();
  /// Copies the initial value into the double buffer.
  void writeInitial();

  llvm::ArrayRef<OpFoldResult> getDims() const { return dims; }
  llvm::ArrayRef<OpFoldResult> getInitialDims() const { return initialDims; }

private:
  /// The copy with this number (0 or 1) as a view of the buffer.
  Value getCopy(OpFoldResult number);
  Value chooseDestination(Iteration &iteration, Value copy);

  Value initial;
  llvm::SmallVector<OpFoldResult> dims, initialDims;
  /// [2, dims...], or [dims...] if it is empty.
  Value buffer;
  Value destination;
  /// The buffer that the last iteration writes, and the op that would otherwise copy the result to it; or null.
  Value finalDestination;
  mlir::Operation *finalWrite = nullptr;
};

/// A carried value that each iteration updates in its only buffer. That is possible if all reads of the present value
/// come before the first write, as with a list to which scatter ops add one element.
class InPlaceValue final : public LoopValue {
public:
  InPlaceValue(LoopBuilder &builder, Value initial, llvm::ArrayRef<OpFoldResult> dims);
  Value read(Iteration &iteration) override;
  void write(Iteration &, Value) override {}
  void overwrite(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, mlir::ValueRange scalars) override;

private:
  Value getBuffer() { return builder.getCopy(buffer, type, dims, builder.rewriter.getIndexAttr(0)); }

  Value initial;
  llvm::SmallVector<OpFoldResult> dims;
  Value buffer, destination;
};

/// A carried value (`initial` is set) or a last value (`initial` is null) whose dims are not known before the loop. Its
/// elements are in growing buffers, and its dynamic dims are iter_args. A carried value has two buffers, as a
/// double-buffered one. Without an iteration, a last value has the dims `empty`, and 0 in place of those that are null.
class GrowingValue final : public LoopValue {
public:
  GrowingValue(LoopBuilder &builder, mlir::RankedTensorType type, Value initial,
               llvm::ArrayRef<OpFoldResult> empty = {});
  Value read(Iteration &iteration) override;
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, mlir::ValueRange scalars) override;

private:
  /// The dims of the value, of which the dynamic ones are among `scalars`.
  llvm::SmallVector<OpFoldResult> getDims(mlir::ValueRange scalars);
  Value view(OpFoldResult copy, mlir::ValueRange scalars, bool isHeld);

  Value initial, rows;
  /// The number of the first dynamic dim among the iter_args.
  unsigned firstDim;
};

/// A last value whose dims are known before the loop: each iteration overwrites it. Without one, it is zeros, of the
/// dims `empty`.
class LastValue final : public LoopValue {
public:
  LastValue(LoopBuilder &builder, mlir::RankedTensorType type, llvm::ArrayRef<OpFoldResult> known,
            llvm::ArrayRef<OpFoldResult> empty);
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, mlir::ValueRange scalars) override;

private:
  Value buffer;
};

/// Plans a concatenation of type `type`. `sliceDims` are the dims of the slice that each iteration adds; one that is
/// not known before the loop is null. `emptyDims` are the dims of the result without an iteration, but along the axis;
/// one that is null is 0, or that of the slice. Returns null, with an error, if the declared dims contradict the
/// slices.
std::unique_ptr<LoopValue> planConcatenation(LoopBuilder &builder, mlir::RankedTensorType type,
                                             mlir::RankedTensorType sliceType, ov::ConcatOutputAttr attr,
                                             llvm::ArrayRef<mlir::OpFoldResult> sliceDims,
                                             llvm::ArrayRef<mlir::OpFoldResult> emptyDims);

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_LOOPVALUE_H
