// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Build.h - how the generator puts models together ---------*- C++ -*-===//
//
// The class Builder makes one random model. The functions that make operations are in the files of their families, and
// those that make loops in Infrastructure.cpp and InfrastructureCounters.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_GENERATOR_BUILD_H
#define RECUR_LIB_TESTING_GENERATOR_BUILD_H

#include "../Random.h"
#include "Recur/Testing/Model.h"

#include "Recur/Dialect/OV/IR/Layers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

namespace recur::fuzz {

/// A dim of a value. Dims with the same symbol are equal; symbol 0 means that the dim is static. `size` is the size
/// that the dim has with the model's inputs, or -1 if it is not known here or changes between iterations.
struct Dim {
  int64_t size = 1;
  unsigned symbol = 0;

  bool isStatic() const { return symbol == 0; }
  bool isOne() const { return isStatic() && size == 1; }
  bool operator==(const Dim &other) const { return symbol == other.symbol && (symbol != 0 || size == other.size); }
};
using Dims = llvm::SmallVector<Dim, 4>;

/// A tensor that ops may read. A real one is exact while its elements are multiples of 2^-fraction, at most 2^magnitude
/// in size, and that many bits fit the type. A fraction of -1 means that the elements are rounded.
struct Value {
  Ref ref;
  recur_element_type element = RECUR_F32;
  Dims dims;
  int magnitude = 0, fraction = -1;
  /// True if an op reads the value. Values without a use become outputs of the model.
  bool isUsed = false;

  int64_t getRank() const { return dims.size(); }
  bool isReal() const;
  bool isInteger() const { return !isReal() && element != RECUR_BOOLEAN; }
  bool isNumber() const { return element != RECUR_BOOLEAN; }
  /// True if the elements are computed without rounding.
  bool isExact() const;
  bool isStatic() const;
  int64_t countElements() const;
  Type getType() const;
  void copyBits(const Value &other) {
    magnitude = other.magnitude;
    fraction = other.fraction;
  }
};

/// Updates the bits of `value` for a tensor that has elements of both values.
inline void mergeBits(Value &value, const Value &other) {
  value.magnitude = std::max(value.magnitude, other.magnitude);
  value.fraction = value.fraction < 0 || other.fraction < 0 ? -1 : std::max(value.fraction, other.fraction);
}

/// A graph under construction, and the values in it that new ops may read.
struct Scope {
  Graph &graph;
  std::vector<Value> pool;
  /// The number of loops around the graph.
  unsigned depth;
  /// In a model with long dims, the limit on the elements of a tensor, counted over all iterations of the loops around
  /// it. 0 in other models.
  int64_t most = 0;
  /// The product of the iterations of all loops around the graph.
  int64_t iterations = 1;

  /// The number of elements that an op may work on, where models without long dims allow `few`.
  int64_t limit(int64_t few) const { return std::max(few, most); }
};

/// The number of bits by which a sum of `count` numbers may be longer than each of them.
int bitsOf(int64_t count);

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// Formats a number as the text of an attribute.
std::string formatNumber(double value);

/// Builds one random model from a seed.
class Builder {
public:
  /// `seed` decides the model. Another value of `other` gives another model that must have the same op, bodies and kind
  /// of loop (`wishes`, `wishedFeature`).
  explicit Builder(uint64_t seed, uint64_t other = 0);
  /// Makes the model. It may have tensors that are too large; then `generate` tries another one.
  Model run();

private:
  using Emit = bool (Builder::*)(Scope &, llvm::StringRef op);
  /// A function that makes an operation, or the operations of a family that have no entry of their own. Entries of more
  /// weight are chosen more often. The file of each family has its entries and the functions that make its operations.
  struct Entry {
    llvm::StringLiteral name;
    Emit emit;
    unsigned weight;
  };
  static const llvm::ArrayRef<Entry> activationEntries, arithmeticEntries, bitwiseEntries, comparisonEntries,
      conditionEntries, convolutionEntries, detectionEntries, generationEntries, infrastructureEntries, logicalEntries,
      matrixEntries, movementEntries, movementGatherEntries, movementRepeatEntries, movementScatterEntries,
      movementSliceEntries, normalizationEntries, poolingEntries, reductionEntries, sequenceEntries, shapeEntries,
      signalsEntries, sortEntries, sparseEntries, typeEntries;
  /// An operation that can be imported, and the function that makes it.
  struct Row {
    llvm::StringRef op;
    Emit emit;
    unsigned weight;
  };
  static const std::vector<Row> &getRows();
  friend std::vector<llvm::StringRef> getOperations();
  static const Row *findRow(llvm::StringRef op);

  //===--- Chance ---===//
  /// A random number below `bound`.
  unsigned random(unsigned bound);
  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return random(100) < percent; }
  recur_element_type anyElement();
  /// Fills the tensor with booleans, multiples of 1/4, or integers, which are mostly small.
  void fillRandom(Tensor &tensor);
  /// Fills the tensor with numbers of all magnitudes.
  void fillWide(Tensor &tensor);
  /// A size of a long dim: a multiple of a vector's length, or one more or less, or any size up to 257.
  int64_t longSize();
  /// A size from 1 to `few`. Rarely a long one, in a model with long dims.
  int64_t anySize(Scope &scope, int64_t few);
  /// A size up to `few`. In a model that is to have constants in the weights file, mostly a size for which a constant
  /// of `rest` times as many elements is large enough for that.
  int64_t weightsSize(Scope &scope, int64_t few, int64_t rest);
  unsigned newSymbol() { return ++lastSymbol; }

  //===--- Layers ---===//
  /// A random value of the scope for which `fits` holds, or null. New and unused values are more likely.
  const Value *pick(Scope &scope, llvm::function_ref<bool(const Value &)> fits);
  /// Like pick, but the value also broadcasts with `a`, and is usually another value than `a`.
  const Value *pickPartner(Scope &scope, const Value &a, llvm::function_ref<bool(const Value &)> fits);
  /// A value of this type. Nothing is known about its bits.
  Value valueOf(Scope &scope, Ref ref, recur_element_type element, Dims dims);
  /// A Const with this tensor, whose real elements must be multiples of 1/4 (fillRandom).
  Value constant(Scope &scope, Tensor tensor);
  Value randomConstant(Scope &scope, recur_element_type element, llvm::ArrayRef<int64_t> shape);
  /// Constants of f32: multiples of 1/256 from 0 that all differ if there are up to 256, or these values in turns.
  Value differentScores(Scope &scope, llvm::ArrayRef<int64_t> shape);
  Value repeatedNumbers(Scope &scope, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values);
  /// Boxes [groups, count, 4] that are the same or do not touch.
  Tensor squareBoxes(int64_t groups, int64_t count);
  /// A constant of rank 1, or a scalar if `isScalar`.
  Value integers(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar, recur_element_type element = RECUR_I64);
  /// A constant of these integers, as i32 or i64.
  Value anyIndices(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar = false);
  /// Appends a layer with one result of this type, and marks its inputs as used. The result is not added to the pool.
  Value create(Scope &scope, llvm::StringRef type, llvm::StringRef version, std::vector<Value> inputs,
               Attributes attributes, recur_element_type element, Dims dims);
  /// Creates an op that only moves elements of its first input, so the result has the bits of that input.
  Value createExactly(Scope &scope, llvm::StringRef type, std::vector<Value> inputs, Attributes attributes, Dims dims);
  /// Appends a Parameter with the type and the bits of `like`.
  Value parameter(Scope &scope, const Value &like);
  /// Returns the id of a Result that reads `value`, a new one or an existing one.
  int result(Scope &scope, const Value &value);
  /// Adds a value to the pool, so that later ops may read it. Always returns true.
  bool add(Scope &scope, Value value) {
    scope.pool.push_back(std::move(value));
    return true;
  }
  /// True if the values broadcast to each other with the sizes of this model's inputs.
  static bool broadcasts(const Value &a, const Value &b);
  /// The dims of the result if `a` and `b` broadcast.
  static Dims broadcastDims(const Value &a, const Value &b);
  /// Clamps `value` to [-bound, bound].
  Value clampTo(Scope &scope, const Value &value, double bound);
  /// A scalar i64 in [0, most] that the inputs decide, or nullopt if no value fits.
  std::optional<Value> runtimeCount(Scope &scope, int64_t most);
  /// An existing value of this type, or a constant. Returns nullopt if no value fits and a dim is not static.
  std::optional<Value> findOrMake(Scope &scope, recur_element_type element, const Dims &dims);

  //===--- Inputs of ops ---===//
  /// Each returns an existing value of the kind and of at least this rank, or makes one.
  Value anyValue(Scope &scope, int64_t leastRank = 0);
  Value anyNumber(Scope &scope, int64_t leastRank = 0);
  Value anyReal(Scope &scope, int64_t leastRank = 0, int64_t mostRank = 8);
  Value anyExact(Scope &scope, int64_t leastRank = 0);
  Value anyBoolean(Scope &scope, int64_t leastRank = 0);
  /// A boolean tensor of one element, of rank 0 or 1.
  Value anyFlag(Scope &scope);
  /// Inserts unit dims until the value has at least this rank.
  Value widen(Scope &scope, Value value, int64_t leastRank);
  Value convertTo(Scope &scope, const Value &input, recur_element_type to);
  std::optional<Value> indicesFor(Scope &scope, const Dims &dims, Dim range);
  /// Random static dims of 1 to 3.
  Dims smallDims(unsigned rank);
  std::optional<Value> coordinatesFor(Scope &scope, const Value &data, unsigned first, unsigned count, Dims dims);

  //===--- Ops ---===//
  /// Makes `count` ops or loops in the scope, or fewer if too many attempts fail.
  void grow(Scope &scope, unsigned count);
  /// Makes the next op or body of `wishes`. Returns false if that fails.
  bool grantWish(Scope &scope);
  /// Each makes an op from the values of the scope, or returns false if none fits. Ops of several families:
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
  bool emitOfFraction(Scope &scope, llvm::StringRef op);
  bool emitOfGreater(Scope &scope, llvm::StringRef op);
  bool emitOfPositive(Scope &scope, llvm::StringRef op);
  bool emitRounding(Scope &scope, llvm::StringRef op);
  bool emitCumSum(Scope &scope, llvm::StringRef op);
  bool emitBitwise(Scope &scope, llvm::StringRef op);
  bool emitCompare(Scope &scope, llvm::StringRef op);
  bool emitPredicate(Scope &scope, llvm::StringRef op);
  bool emitIf(Scope &scope, llvm::StringRef op);
  bool emitSelect(Scope &scope, llvm::StringRef op);
  bool emitNonZero(Scope &scope, llvm::StringRef op);
  bool emitConvolution(Scope &scope, llvm::StringRef op);
  bool emitRange(Scope &scope, llvm::StringRef op);
  bool emitState(Scope &scope, llvm::StringRef op);
  bool emitLoop(Scope &scope, llvm::StringRef op);
  bool emitLogical(Scope &scope, llvm::StringRef op);
  bool emitMatMul(Scope &scope, llvm::StringRef op);
  bool emitInverse(Scope &scope, llvm::StringRef op);
  bool emitTranspose(Scope &scope, llvm::StringRef op);
  bool emitConcat(Scope &scope, llvm::StringRef op);
  bool emitReverseSequence(Scope &scope, llvm::StringRef op);
  bool emitBlocks(Scope &scope, llvm::StringRef op);
  bool emitShuffleChannels(Scope &scope, llvm::StringRef op);
  bool emitReverse(Scope &scope, llvm::StringRef op);
  bool emitRoll(Scope &scope, llvm::StringRef op);
  bool emitSpaceBatch(Scope &scope, llvm::StringRef op);
  bool emitPatches(Scope &scope, llvm::StringRef op);
  bool emitEinsum(Scope &scope, llvm::StringRef op);
  bool emitAttention(Scope &scope, llvm::StringRef op);
  bool emitNormalization(Scope &scope, llvm::StringRef op);
  bool emitFakeQuantize(Scope &scope, llvm::StringRef op);
  bool emitFakeConvert(Scope &scope, llvm::StringRef op);
  bool emitPooling(Scope &scope, llvm::StringRef op);
  bool emitAdaptiveMaxPool(Scope &scope, llvm::StringRef op);
  bool emitImage(Scope &scope, llvm::StringRef op);
  bool emitColors(Scope &scope, llvm::StringRef op);
  bool emitTransposedConvolution(Scope &scope, llvm::StringRef op);
  bool emitDeformableConvolution(Scope &scope, llvm::StringRef op);
  bool emitBinaryConvolution(Scope &scope, llvm::StringRef op);
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
  /// A value, and an axis along which it has a static length of at least 2.
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
  bool emitSearch(Scope &scope, llvm::StringRef op);
  bool emitEye(Scope &scope, llvm::StringRef op);
  bool emitUnique(Scope &scope, llvm::StringRef op);
  bool emitSliceScatter(Scope &scope, llvm::StringRef op);
  bool emitPromote(Scope &scope, llvm::StringRef op);
  bool emitEmbedding(Scope &scope, llvm::StringRef op);
  bool emitSegmentMax(Scope &scope, llvm::StringRef op);
  bool emitSparseFill(Scope &scope, llvm::StringRef op);
  bool emitTopK(Scope &scope, llvm::StringRef op);
  bool emitFourier(Scope &scope, llvm::StringRef op);
  bool emitFrames(Scope &scope, llvm::StringRef op);
  bool emitDecoder(Scope &scope, llvm::StringRef op);
  bool emitCTCLoss(Scope &scope, llvm::StringRef op);
  bool emitNonMaxSuppression(Scope &scope, llvm::StringRef op);
  bool emitRandomUniform(Scope &scope, llvm::StringRef op);
  bool emitMultinomial(Scope &scope, llvm::StringRef op);
  bool emitYolo(Scope &scope, llvm::StringRef op);
  bool emitRegions(Scope &scope, llvm::StringRef op);
  bool emitPriors(Scope &scope, llvm::StringRef op);
  bool emitBestRegions(Scope &scope, llvm::StringRef op);
  bool emitSuppression(Scope &scope, llvm::StringRef op);
  bool emitRotatedSuppression(Scope &scope, llvm::StringRef op);
  bool emitMovedRegions(Scope &scope, llvm::StringRef op);
  bool emitRegionsOfSizes(Scope &scope, llvm::StringRef op);
  bool emitPriorHead(Scope &scope, llvm::StringRef op);
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

  Random source;
  unsigned lastSymbol = 0;
  /// The bodies and the op that the model must have, each in the body of the one before. The last one is the op.
  std::vector<const Row *> wishes;
  size_t granted = 0;
  /// The kind of loop that the model must have.
  llvm::StringRef wishedFeature;
  bool wants(llvm::StringRef feature) const { return wishedFeature == feature; }
  /// The model must have constants that stay in the weights file.
  bool wantsWeights = false;
  Model model;
};

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_GENERATOR_BUILD_H
