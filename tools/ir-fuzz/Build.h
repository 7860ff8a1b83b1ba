// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Build.h - how the generator puts models together ---------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_BUILD_H
#define RECUR_TOOLS_IR_FUZZ_BUILD_H

#include "Model.h"

#include "Recur/Dialect/OV/IR/Layers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
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

/// Of what has elements of both.
inline void mergeBits(Value &value, const Value &other) {
  value.magnitude = std::max(value.magnitude, other.magnitude);
  value.fraction = value.fraction < 0 || other.fraction < 0 ? -1 : std::max(value.fraction, other.fraction);
}

/// A graph that grows.
struct Scope {
  Graph &graph;
  std::vector<Value> pool;
  /// Loops around it.
  unsigned depth;
  /// What a tensor may have in elements, of a model with long dims; all iterations of the loops around it count. 0 of
  /// other models.
  int64_t most = 0;
  /// Of all loops around it.
  int64_t iterations = 1;

  /// How many elements may be worked on, where it is `few` in a model without long dims.
  int64_t limit(int64_t few) const { return std::max(few, most); }
};

/// The bits that a sum of so many numbers may have more than each of them.
int bitsOf(int64_t count);

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// As an attribute has it.
std::string formatNumber(double value);

class Builder {
public:
  /// `other` makes another model of the same wishes.
  explicit Builder(uint64_t seed, uint64_t other = 0);
  Model run();

private:
  using Emit = bool (Builder::*)(Scope &, llvm::StringRef op);
  /// What makes an operation, or the operations of a family that have no entry of their own; those of more weight come
  /// more often. The file of each family has its entries, and the functions that make its operations.
  struct Entry {
    llvm::StringLiteral name;
    Emit emit;
    unsigned weight;
  };
  static const llvm::ArrayRef<Entry> activationEntries, arithmeticEntries, comparisonEntries, conditionEntries,
      convolutionEntries, generationEntries, infrastructureEntries, logicalEntries, matrixEntries, movementEntries,
      movementGatherEntries, movementRepeatEntries, movementScatterEntries, movementSliceEntries, reductionEntries,
      sequenceEntries, shapeEntries, sortEntries, typeEntries;
  /// An operation that can be imported, and what makes it.
  struct Row {
    llvm::StringRef op;
    Emit emit;
    unsigned weight;
  };
  static const std::vector<Row> &getRows();
  static const Row *findRow(llvm::StringRef op);

  //===--- Chance ---===//
  unsigned random(unsigned bound);
  bool chance(unsigned percent) { return random(100) < percent; }
  recur_element_type anyElement();
  void fillRandom(Tensor &tensor);
  /// Of all magnitudes.
  void fillWide(Tensor &tensor);
  /// As vectors have it, or one more or less, or any up to 257.
  int64_t longSize();
  /// A dim: 1 to `few`; seldom a long one, in a model that has such.
  int64_t anySize(Scope &scope, int64_t few);
  /// So that a constant of `rest` times the size is one of the weights file, in a model that is to have such.
  int64_t weightsSize(Scope &scope, int64_t few, int64_t rest);
  unsigned newSymbol() { return ++lastSymbol; }

  //===--- Layers ---===//
  const Value *pick(Scope &scope, llvm::function_ref<bool(const Value &)> fits);
  /// One that also broadcasts with `a`, mostly another one than `a` itself.
  const Value *pickPartner(Scope &scope, const Value &a, llvm::function_ref<bool(const Value &)> fits);
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

  //===--- Inputs of ops ---===//
  /// Each gives something that is there, or makes it of something: of a type, of this rank at least.
  Value anyValue(Scope &scope, int64_t leastRank = 0);
  Value anyNumber(Scope &scope, int64_t leastRank = 0);
  Value anyReal(Scope &scope, int64_t leastRank = 0, int64_t mostRank = 8);
  Value anyExact(Scope &scope, int64_t leastRank = 0);
  Value anyBoolean(Scope &scope, int64_t leastRank = 0);
  Value anyFlag(Scope &scope);
  Value widen(Scope &scope, Value value, int64_t leastRank);
  Value convertTo(Scope &scope, const Value &input, recur_element_type to);
  std::optional<Value> indicesFor(Scope &scope, const Dims &dims, Dim range);
  Dims smallDims(unsigned rank);
  std::optional<Value> coordinatesFor(Scope &scope, const Value &data, unsigned first, unsigned count, Dims dims);

  //===--- Ops ---===//
  void grow(Scope &scope, unsigned count);
  bool grantWish(Scope &scope);
  /// Each makes an op out of what the scope has, or returns false where nothing fits. Ops of several families:
  bool emitElementwise(Scope &scope, llvm::StringRef op);
  bool emitUnary(Scope &scope, llvm::StringRef op);
  bool emitOfSmall(Scope &scope, llvm::StringRef op);
  bool emitParametric(Scope &scope, llvm::StringRef op);
  bool emitClamp(Scope &scope, llvm::StringRef op);
  bool emitSoftmax(Scope &scope, llvm::StringRef op);
  bool emitIdentity(Scope &scope, llvm::StringRef op);
  bool emitArithmetic(Scope &scope, llvm::StringRef op);
  bool emitDivide(Scope &scope, llvm::StringRef op);
  bool emitModulo(Scope &scope, llvm::StringRef op);
  bool emitPower(Scope &scope, llvm::StringRef op);
  bool emitOfPositive(Scope &scope, llvm::StringRef op);
  bool emitRounding(Scope &scope, llvm::StringRef op);
  bool emitCumSum(Scope &scope, llvm::StringRef op);
  bool emitCompare(Scope &scope, llvm::StringRef op);
  bool emitIf(Scope &scope, llvm::StringRef op);
  bool emitSelect(Scope &scope, llvm::StringRef op);
  bool emitNonZero(Scope &scope, llvm::StringRef op);
  bool emitConvolution(Scope &scope, llvm::StringRef op);
  bool emitRange(Scope &scope, llvm::StringRef op);
  bool emitLoop(Scope &scope, llvm::StringRef op);
  bool emitLogical(Scope &scope, llvm::StringRef op);
  bool emitMatMul(Scope &scope, llvm::StringRef op);
  bool emitTranspose(Scope &scope, llvm::StringRef op);
  bool emitConcat(Scope &scope, llvm::StringRef op);
  bool emitReverseSequence(Scope &scope, llvm::StringRef op);
  bool emitGather(Scope &scope, llvm::StringRef op);
  bool emitGatherElements(Scope &scope, llvm::StringRef op);
  bool emitGatherND(Scope &scope, llvm::StringRef op);
  bool emitGatherTree(Scope &scope, llvm::StringRef op);
  bool emitBroadcast(Scope &scope, llvm::StringRef op);
  bool emitTile(Scope &scope, llvm::StringRef op);
  bool emitPad(Scope &scope, llvm::StringRef op);
  Attributes reduction(llvm::ArrayRef<llvm::StringRef> names, const Value &updates, Value &bits);
  bool emitScatterUpdate(Scope &scope, llvm::StringRef op);
  bool emitScatterElementsUpdate(Scope &scope, llvm::StringRef op);
  bool emitScatterNDUpdate(Scope &scope, llvm::StringRef op);
  /// A value, and an axis of it of a static length of 2 or more.
  std::optional<std::pair<Value, int64_t>> pickToCut(Scope &scope);
  bool emitSplit(Scope &scope, llvm::StringRef op);
  bool emitSlice(Scope &scope, llvm::StringRef op);
  bool emitStridedSlice(Scope &scope, llvm::StringRef op);
  bool emitReduce(Scope &scope, llvm::StringRef op);
  bool emitOtherReduction(Scope &scope, llvm::StringRef op);
  Attributes cellAttributes(unsigned kind, int64_t hidden, bool isLinear);
  Value batched(Scope &scope, const Value &x, llvm::ArrayRef<int64_t> rest, recur_element_type element);
  bool emitCell(Scope &scope, llvm::StringRef op);
  bool emitSequence(Scope &scope, llvm::StringRef op);
  bool emitOneHot(Scope &scope, llvm::StringRef op);
  bool emitShapeOf(Scope &scope, llvm::StringRef op);
  bool emitReshape(Scope &scope, llvm::StringRef op);
  bool emitSqueeze(Scope &scope, llvm::StringRef op);
  bool emitUnsqueeze(Scope &scope, llvm::StringRef op);
  bool emitTopK(Scope &scope, llvm::StringRef op);
  bool emitConvert(Scope &scope, llvm::StringRef op);

  //===--- Loops ---===//
  struct LoopPlan;
  bool planSlices(LoopPlan &plan, bool isNeeded);
  void planCarried(LoopPlan &plan);
  void planCondition(LoopPlan &plan);
  Value countedIndex(LoopPlan &plan, int64_t size, bool mayBeNegative);
  void readByCounter(LoopPlan &plan);
  void planFilled(LoopPlan &plan);
  std::optional<Value> fillByCounter(LoopPlan &plan, const Value &current, int64_t axis);
  void closeCarried(LoopPlan &plan);
  void closeOutputs(LoopPlan &plan);

  uint64_t state;
  unsigned lastSymbol = 0;
  /// What the model is to have: one in the other, the last at any rate.
  std::vector<const Row *> wishes;
  size_t granted = 0;
  /// The loop that the model is to have a kind of.
  llvm::StringRef wishedFeature;
  bool wants(llvm::StringRef feature) const { return wishedFeature == feature; }
  /// The model is to have constants that stay in the weights file.
  bool wantsWeights = false;
  Model model;
};

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_BUILD_H
