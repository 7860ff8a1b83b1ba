// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Build.h - how the generator puts models together ---------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_BUILD_H
#define RECUR_TOOLS_IR_FUZZ_BUILD_H

#include "Model.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>

namespace recur::fuzz {

/// Dims with one symbol are equal; 0 is that of static ones. `size` is what the inputs make it, or -1 where that is not
/// known here, or changes.
struct Dim {
  int64_t size = 1;
  unsigned symbol = 0;

  bool isStatic() const { return symbol == 0; }
  bool isOne() const { return isStatic() && size == 1; }
  bool operator==(const Dim &other) const {
    return symbol == other.symbol && (symbol != 0 || size == other.size);
  }
};
using Dims = llvm::SmallVector<Dim, 4>;

/// A tensor that ops may read. A real one is exact while it is a multiple of 2^-fraction up to 2^magnitude, and these
/// bits fit; a fraction of -1 is that of values that are rounded.
struct Value {
  Ref ref;
  recur_element_type element = RECUR_F32;
  Dims dims;
  int magnitude = 0, fraction = -1;
  bool isUsed = false;

  int64_t getRank() const { return dims.size(); }
  bool isReal() const;
  bool isInteger() const { return !isReal() && element != RECUR_BOOLEAN; }
  bool isNumber() const { return element != RECUR_BOOLEAN; }
  bool isExact() const;
  bool isStatic() const;
  int64_t countElements() const;
  Type getType() const;
  void copyBits(const Value &other) {
    magnitude = other.magnitude;
    fraction = other.fraction;
  }
};

/// A graph that grows.
struct Scope {
  Graph &graph;
  std::vector<Value> pool;
  /// Loops around it.
  unsigned depth;
};

using Attributes = std::vector<std::pair<std::string, std::string>>;

class Builder {
public:
  explicit Builder(uint64_t seed) : state(seed * 0x2545f4914f6cdd1d + 1) {}
  Model run();

private:
  using Emit = bool (Builder::*)(Scope &);

  //===--- Chance ---===//
  unsigned random(unsigned bound);
  bool chance(unsigned percent) { return random(100) < percent; }
  recur_element_type anyElement();
  void fillRandom(Tensor &tensor);
  unsigned newSymbol() { return ++lastSymbol; }

  //===--- Layers ---===//
  const Value *pick(Scope &scope, llvm::function_ref<bool(const Value &)> fits);
  Value valueOf(Scope &scope, Ref ref, recur_element_type element, Dims dims);
  Value constant(Scope &scope, Tensor tensor);
  Value randomConstant(Scope &scope, recur_element_type element, llvm::ArrayRef<int64_t> shape);
  Value integers(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar,
                 recur_element_type element = RECUR_I64);
  /// As i32 or i64.
  Value anyIndices(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar = false);
  Value create(Scope &scope, llvm::StringRef type, llvm::StringRef version, std::vector<Value> inputs,
               Attributes attributes, recur_element_type element, Dims dims);
  /// An op that moves elements of its first input.
  Value createExactly(Scope &scope, llvm::StringRef type, std::vector<Value> inputs, Attributes attributes, Dims dims);
  Value parameter(Scope &scope, const Value &like);
  int result(Scope &scope, const Value &value);
  bool add(Scope &scope, Value value) {
    scope.pool.push_back(std::move(value));
    return true;
  }
  static bool broadcasts(const Value &a, const Value &b);
  static Dims broadcastDims(const Value &a, const Value &b);
  /// `value` within [-bound, bound].
  Value clampTo(Scope &scope, const Value &value, double bound);
  /// A scalar i64 in [0, most] that the inputs decide.
  std::optional<Value> runtimeCount(Scope &scope, int64_t most);
  /// A value of this type that is there, or a constant; null where a dim is not static.
  std::optional<Value> findOrMake(Scope &scope, recur_element_type element, const Dims &dims);

  //===--- Ops ---===//
  void growModel(Scope &scope);
  void grow(Scope &scope, unsigned count);
  bool emitUnary(Scope &scope);
  bool emitTranscendental(Scope &scope);
  bool emitArithmetic(Scope &scope);
  bool emitCompare(Scope &scope);
  bool emitLogical(Scope &scope);
  bool emitDivide(Scope &scope);
  bool emitPower(Scope &scope);
  bool emitClamp(Scope &scope);
  bool emitSelect(Scope &scope);
  bool emitConvert(Scope &scope);
  bool emitMatMul(Scope &scope);
  bool emitCell(Scope &scope);
  bool emitShapeOf(Scope &scope);
  bool emitReshape(Scope &scope);
  bool emitSqueeze(Scope &scope);
  bool emitUnsqueeze(Scope &scope);
  bool emitTranspose(Scope &scope);
  bool emitConcat(Scope &scope);
  bool emitBroadcast(Scope &scope);
  bool emitGather(Scope &scope);
  bool emitReduce(Scope &scope);
  bool emitSoftmax(Scope &scope);
  bool emitGatherTree(Scope &scope);
  bool emitRounding(Scope &scope);
  bool emitModulo(Scope &scope);
  bool emitOtherReduction(Scope &scope);
  bool emitCumSum(Scope &scope);
  bool emitSplit(Scope &scope);
  bool emitTile(Scope &scope);
  bool emitSlice(Scope &scope);
  bool emitIf(Scope &scope);
  bool emitTensorIterator(Scope &scope) { return emitLoopLike(scope, /*isLoop=*/false); }
  bool emitLoop(Scope &scope) { return emitLoopLike(scope, /*isLoop=*/true); }

  //===--- Loops ---===//
  struct LoopPlan;
  bool emitLoopLike(Scope &scope, bool isLoop);
  bool planSlices(LoopPlan &plan, bool isNeeded);
  void planCarried(LoopPlan &plan);
  void planCondition(LoopPlan &plan);
  void closeCarried(LoopPlan &plan);
  void closeOutputs(LoopPlan &plan);

  uint64_t state;
  unsigned lastSymbol = 0;
  Model model;
};

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_BUILD_H
