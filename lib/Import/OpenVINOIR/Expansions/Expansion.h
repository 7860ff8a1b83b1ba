// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Expansion.h - Layers that become several ops -------------*- C++ -*-===//
//
// Many operations of OpenVINO are compositions of others. The importer builds these in place of the layer, so such an
// operation needs no op, no inference, no lowering and no function of the interpreter. A `.td` file declares the layer
// (OV_ExpandedLayer) with its operands and attributes. One function here builds the ops:
//
//     LogicalResult recur::ir::expandSpaceToDepth(Expansion &e) {
//       Value data = e.operand(0);
//       ...
//       return e.replace(e.reshape(data, ...));
//     }
//
// Each op is verified when it is created, and a small result that is known is a constant (FoldShapes.h). So the sizes
// of static dims are constants, and those of dynamic dims are computed in the model.
//
// A layer of f16 or bf16 is rounded once, however many ops stand for it: its operands become f32, and its results are
// converted back. A record says so if no element needs this (`isWidened`).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_EXPANSION_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_EXPANSION_H

#include "../ModelBuilder.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

namespace recur::ir {

using ov::elementOf;
using ov::rankOf;
using ov::typeOf;

/// A dim, a number of elements or an index, as a value of the module: an i64 tensor of shape [1].
using Size = mlir::Value;

/// A layer that is expanded, and the builders of the ops in place of it.
///
/// An expansion need not check whether a builder failed. The first error is reported at the layer. From then on nothing
/// is built, and no further error is reported: each builder returns a placeholder (Placeholders), whose type, rank and
/// dims may be read as those of any value, and `replace` fails at the end. So one fault gives one error, and no value
/// is ever null but an optional operand that the layer does not have.
class Expansion {
public:
  Expansion(LayerBuilder &layer, llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::ValueRange operands);
  /// Converts the operands of f16 and bf16 to f32, before the first of them is used. Then `replace` converts results of
  /// f32 to the type that the first operand of real numbers has in the model.
  void widen();

  //===--- The layer ---===//

  /// The number of operands that the layer has, without optional ones at its end.
  unsigned countOperands() const { return operands.size(); }
  /// The number of outputs that the layer declares.
  unsigned countOutputs() const { return layer.layer.outputs.size(); }
  /// True if another layer reads output `i`.
  bool isUsed(unsigned i) const { return i < countOutputs() && layer.layer.outputs[i].isUsed; }
  /// An operand. Null if it is optional and the layer does not have it.
  mlir::Value operand(unsigned i) const { return i < operands.size() ? operands[i] : mlir::Value(); }
  /// The same as the model has it. An expansion that only moves its elements takes them from here.
  mlir::Value given(unsigned i) const { return i < givens.size() ? givens[i] : mlir::Value(); }
  llvm::ArrayRef<mlir::Value> getOperands() const { return operands; }
  /// True if the layer has the attribute or a default for it. The accessors below may be called only then.
  bool has(llvm::StringRef name) const { return bool(attributes.get(name)); }
  /// The value of an attribute of each type. The `.td` file declares the type.
  bool flag(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name) const;
  double number(llvm::StringRef name) const;
  llvm::StringRef text(llvm::StringRef name) const;
  /// A text attribute as the file has it. (`text` returns it in lower case.)
  llvm::StringRef rawText(llvm::StringRef name) const;
  mlir::Type type(llvm::StringRef name) const;
  llvm::ArrayRef<int64_t> integers(llvm::StringRef name) const;
  llvm::SmallVector<double> numbers(llvm::StringRef name) const;
  /// The opset of the layer, such as 8.
  unsigned getOpset() const;
  /// Reports an error at the layer, unless the expansion has failed before.
  llvm::LogicalResult error(const llvm::Twine &message);
  /// True after an error of this or another expansion of the layer.
  bool hasFailed() const { return layer.hasFailedToExpand; }
  /// Fails if the rank of operand `i` is not from `least` to `most`. The message has the operand's name.
  llvm::LogicalResult expectRank(unsigned i, int64_t least, int64_t most = INT64_MAX);
  /// Maps an axis in [-rank, rank) to [0, rank). Reports an error with `name`, that of the attribute or operand, if it
  /// is out of range.
  mlir::FailureOr<int64_t> normalizeAxis(llvm::StringRef name, int64_t axis, int64_t rank);
  /// The elements of operand `i`, a constant of integers. Reports an error if it is not constant.
  mlir::FailureOr<llvm::SmallVector<int64_t>> expectConstant(unsigned i);
  /// Fails if operand `i` may have another number of elements than one.
  llvm::LogicalResult expectOneElement(unsigned i);
  /// Fails if two of the operands with these numbers have different element types in the model. Widened ones would not
  /// show it. An operand that the layer does not have is equal.
  llvm::LogicalResult expectSameElements(llvm::ArrayRef<unsigned> which);
  /// The name of the layer.
  std::string getName() const;
  /// The value of a state of the model, which is zeros after a reset, or null in a body, which can have no state.
  /// `setState` gives it the value for the next call.
  mlir::Value state(llvm::StringRef name, mlir::RankedTensorType type);
  void setState(llvm::StringRef name, mlir::Value next);
  /// Ends the expansion: the outputs of the layer are `values`. Fails if the expansion has failed.
  llvm::LogicalResult replace(mlir::ValueRange values);

  //===--- Ops of any kind ---===//

  /// Creates an op and returns its first result.
  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                   mlir::Type type = {}) {
    return makeAll<OpT>(operands, attributes, type).front();
  }
  /// Creates an op and returns all its results. After an error, these are kManyResults placeholders.
  template <typename OpT>
  llvm::SmallVector<mlir::Value> makeAll(mlir::ValueRange operands,
                                         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::Type type = {}) {
    return createNamed(OpT::getOperationName(), operands, attributes, type);
  }
  /// An attribute for `make`. Integers are i64, real numbers are f64.
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute attribute(llvm::StringRef name, bool value);
  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attribute(llvm::StringRef name, double value);
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Type value);
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::ArrayRef<int64_t> value);
  /// Runs `body` `count` times and returns the last carried values. `body` gets the number of the iteration, an i64
  /// tensor of rank 0, and the carried values, and builds the next ones. Their types and their dims stay those of
  /// `inits`.
  llvm::SmallVector<mlir::Value>
  loop(Size count, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value iteration, mlir::ValueRange carried)> body);
  /// The type in which numbers of an element type are computed: f32 for f16 and bf16. For an expansion that is not
  /// widened.
  mlir::Type wide(mlir::Type element);
  mlir::Type i64() { return layer.builder.getI64Type(); }
  mlir::Type f32() { return layer.builder.getF32Type(); }

  //===--- Constants and sizes ---===//

  /// A constant: dense, or one of the weights file.
  mlir::Value constant(mlir::TypedAttr value);
  /// An i64 tensor of shape [n].
  mlir::Value integers(llvm::ArrayRef<int64_t> values);
  /// An i64 tensor of shape [1].
  Size size(int64_t value) { return integers(llvm::ArrayRef(value)); }
  /// A tensor of rank 0 with this element type. An integer type rounds `value` toward zero.
  mlir::Value scalar(double value, mlir::Type element);
  /// The least and the greatest value of an element type, as tensors of rank 0. They are infinite for real numbers.
  mlir::Value least(mlir::Type element);
  mlir::Value greatest(mlir::Type element);
  /// A tensor of the element type f32 or f64 and of this shape. `values` are in row-major order.
  mlir::Value floats(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Dim `i` of `value`. A constant if the dim is static.
  Size dim(mlir::Value value, int64_t i);
  /// All dims of `value`, as an i64 tensor of shape [rank].
  mlir::Value shapeOf(mlir::Value value);
  /// Checks numbers that the model gives for sizes, an i64 tensor of rank 1: none may be below `least`. Reports an
  /// error that calls them `name` if one is known that is; one that only the run knows fails the call with the status
  /// of a shape. So a negative size never counts as 0.
  llvm::LogicalResult requireSizes(llvm::StringRef name, mlir::Value sizes, int64_t least = 0);
  /// The product of sizes; 1 if there are none.
  Size product(llvm::ArrayRef<Size> sizes);

  //===--- Arithmetic: operands broadcast, and have the same element type ---===//

  mlir::Value add(mlir::Value a, mlir::Value b) { return make<ov::AddOp>({a, b}); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return make<ov::SubtractOp>({a, b}); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return make<ov::MultiplyOp>({a, b}); }
  /// Integers: the quotient is rounded toward minus infinity.
  mlir::Value divide(mlir::Value a, mlir::Value b) { return make<ov::DivideOp>({a, b}); }
  mlir::Value maximum(mlir::Value a, mlir::Value b) { return make<ov::MaximumOp>({a, b}); }
  mlir::Value minimum(mlir::Value a, mlir::Value b) { return make<ov::MinimumOp>({a, b}); }
  /// The same with a number, which gets the element type of `a`.
  mlir::Value add(mlir::Value a, double b) { return add(a, scalarLike(b, a)); }
  mlir::Value subtract(mlir::Value a, double b) { return subtract(a, scalarLike(b, a)); }
  mlir::Value multiply(mlir::Value a, double b) { return multiply(a, scalarLike(b, a)); }
  mlir::Value divide(mlir::Value a, double b) { return divide(a, scalarLike(b, a)); }
  mlir::Value maximum(mlir::Value a, double b) { return maximum(a, scalarLike(b, a)); }
  mlir::Value minimum(mlir::Value a, double b) { return minimum(a, scalarLike(b, a)); }
  mlir::Value equal(mlir::Value a, mlir::Value b) { return make<ov::EqualOp>({a, b}); }
  mlir::Value less(mlir::Value a, mlir::Value b) { return make<ov::LessOp>({a, b}); }
  /// The indices of the true elements of a tensor of rank 1, as i64.
  mlir::Value findTrue(mlir::Value flags);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<ov::SelectOp>({condition, a, b});
  }
  /// A reduction (ov.reduce_sum and the like) along constant axes.
  template <typename OpT>
  mlir::Value reduce(mlir::Value data, llvm::ArrayRef<int64_t> axes, bool keepDims) {
    return make<OpT>({data, integers(axes)}, attribute("keep_dims", keepDims));
  }
  /// Converts to another element type as ov.convert does. An operand that the layer does not have stays null.
  mlir::Value convert(mlir::Value value, mlir::Type element);
  mlir::Value squareRoot(mlir::Value value) { return make<ov::SqrtOp>(value); }
  mlir::Value square(mlir::Value value) { return multiply(value, value); }

  //===--- Movement ---===//

  /// Reshapes to `shape`, an i64 tensor of rank 1. An entry of -1 is inferred.
  mlir::Value reshape(mlir::Value data, mlir::Value shape);
  mlir::Value reshape(mlir::Value data, llvm::ArrayRef<Size> sizes) {
    return reshape(data, sizes.empty() ? integers({}) : concat(sizes, 0));
  }
  /// Dim i of the result is dim order[i] of `data`.
  mlir::Value transpose(mlir::Value data, llvm::ArrayRef<int64_t> order);
  /// Inserts dims of 1. `axes` are their axes in the result.
  mlir::Value unsqueeze(mlir::Value data, llvm::ArrayRef<int64_t> axes);
  mlir::Value squeeze(mlir::Value data, llvm::ArrayRef<int64_t> axes);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  /// Broadcasts to `shape`, an i64 tensor of rank 1, by the rules of NumPy.
  mlir::Value broadcast(mlir::Value data, mlir::Value shape);
  /// Reads the slices of `data` along `axis` at `indices`. The dims of `indices` replace dim `axis`.
  mlir::Value gather(mlir::Value data, mlir::Value indices, int64_t axis);
  /// Elements `start` to `stop` (exclusive) along `axis`, as ov.slice counts them. The three are of shape [1].
  mlir::Value slice(mlir::Value data, int64_t axis, mlir::Value start, mlir::Value stop, mlir::Value step = {});
  mlir::Value slice(mlir::Value data, int64_t axis, int64_t start, int64_t stop, int64_t step = 1) {
    return slice(data, axis, size(start), size(stop), size(step));
  }
  /// Pads with the scalar `value`. `begin` and `end` are i64 tensors of shape [rank].
  mlir::Value pad(mlir::Value data, mlir::Value begin, mlir::Value end, mlir::Value value);
  /// Reshapes a tensor of rank 1 to rank `rank`, with its dim at `axis` and all others 1, so that it broadcasts.
  mlir::Value alignTo(mlir::Value vector, int64_t axis, int64_t rank);
  /// The numbers 0, 1, ... below `count`, with this element type.
  mlir::Value range(Size count, mlir::Type element);
  /// The `count` least elements of a tensor of rank 1, sorted, and their indices (i64); equal ones keep their order.
  llvm::SmallVector<mlir::Value> sort(mlir::Value vector, Size count);
  /// Adds the rows of `updates` to those of `rows` that `indices` (i64, rank 1) names; with `reduction`, combines them
  /// otherwise.
  mlir::Value scatterRows(mlir::Value rows, mlir::Value indices, mlir::Value updates,
                          ov::ScatterNDReduction reduction = ov::ScatterNDReduction::Sum);

private:
  /// More results than any expansion reads by their numbers.
  static constexpr unsigned kManyResults = 4;
  mlir::Value getPlaceholder(mlir::Type element) { return layer.state.placeholders.get(element); }
  llvm::SmallVector<mlir::Value> createNamed(llvm::StringRef name, mlir::ValueRange operands,
                                             llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type);
  mlir::Value scalarLike(double value, mlir::Value like);
  /// The name of operand `i`. Those of a variadic operand share it.
  std::string getOperandName(unsigned i) const;

  LayerBuilder &layer;
  mlir::DictionaryAttr attributes;
  /// The operands, and what they are in the model. Both differ where an operand is widened.
  llvm::SmallVector<mlir::Value> operands, givens;
  /// The type to which results of f32 are rounded, or null.
  mlir::Type rounded;
};

/// Builds the ops that stand for a layer, and ends with Expansion::replace. Reports an error if it fails.
using Expand = llvm::LogicalResult (*)(Expansion &);
#define IMPORTER(NAME)
#define EXPANSION(NAME, IS_WIDENED) llvm::LogicalResult NAME(Expansion &e);
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"

/// Checks the operands and attributes of a layer, and calls its expansion.
llvm::LogicalResult expandLayer(LayerBuilder &layer);

/// Creates the op of a layer whose computation would round f16 and bf16 more than once: in f32 for such operands, and
/// its results are rounded. `attributes` are those of the op; without them, the layer's are read.
llvm::LogicalResult createWidened(LayerBuilder &layer, mlir::ValueRange operands,
                                  std::optional<llvm::ArrayRef<mlir::NamedAttribute>> attributes = std::nullopt);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_EXPANSION_H
