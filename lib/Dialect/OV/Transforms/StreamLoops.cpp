// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StreamLoops.cpp - One time step instead of a loop over time --------===//
//
// The body of each loop over time replaces the loop. Its carried values become states of the model, as those of
// ReadValue and Assign do, so the stages that follow know nothing of streaming. A convolution over a time step and
// those before it gets a state with the latter. TimeAxes finds the axes that become 1, and refuses a model whose ops do
// not keep time steps apart.
//
//===----------------------------------------------------------------------===//

#include "TimeAxes.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"

namespace recur::ov {
#define GEN_PASS_DEF_STREAMLOOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;

namespace {
/// Rewrites the entry function of a model.
class Streamer {
public:
  Streamer(func::FuncOp entry, const TimeAxes &axes, RewriterBase &rewriter)
      : b(rewriter), entry(entry), axes(axes), block(entry.getBody().front()) {}
  /// Returns the number of states.
  unsigned run();

private:
  void rewrite(Operation *op);
  /// Replaces a loop over time by its body.
  template <typename LoopT>
  void unroll(LoopT loop);
  /// Names the axes that are dropped: without them, the axis of time would be one if it is 1.
  void setAxes(SqueezeOp op);
  /// Sets the place of time in the target shape of a reshape to the size that it has for one time step.
  void setTarget(ReshapeOp op);
  /// Puts the time steps before this one, which are a state, in front of the data of a convolution over them.
  template <typename OpT>
  void keepStepsBefore(OpT convolution);
  /// `value` with this type.
  Value cast(Value value, Type type, Location loc) {
    return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value).getResult();
  }
  Value integers(ArrayRef<int64_t> values, Type element, Location loc);
  /// The value that a new state named after `op` has before the step: `init` until the first step has set it.
  Value readState(Operation *op, Value init);
  void setSignature();

  /// A state of the model: the name, the arguments, and the next value.
  struct State {
    std::string name;
    BlockArgument value, isSet;
    Value next;
  };

  RewriterBase &b;
  func::FuncOp entry;
  const TimeAxes &axes;
  Block &block;
  SmallVector<State> states;
  llvm::StringSet<> names;
};
} // namespace

Value Streamer::integers(ArrayRef<int64_t> values, Type element, Location loc) {
  auto type = RankedTensorType::get({int64_t(values.size())}, element);
  SmallVector<APInt> elements;
  for (int64_t value : values)
    elements.emplace_back(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true);
  return ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, elements));
}

Value Streamer::readState(Operation *op, Value init) {
  auto layer = op->getLoc()->findInstanceOf<NameLoc>();
  std::string base = layer ? layer.getName().str() : "state", name;
  for (unsigned number = 0; name.empty() || !names.insert(name).second; ++number)
    name = base + "." + std::to_string(number);
  Location loc = op->getLoc();
  RankedTensorType type = typeOf(init);
  BlockArgument value = block.addArgument(type, loc);
  BlockArgument isSet = block.addArgument(RankedTensorType::get({}, b.getI1Type()), loc);
  states.push_back({name, value, isSet, {}});
  if (type.hasStaticShape())
    return SelectOp::create(b, loc, type, isSet, value, init, AutoBroadcast::Numpy);
  // The dims of a state that is not set are 0, so they do not broadcast to those of the initial value.
  auto choice = IfOp::create(b, loc, type, isSet);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&choice.getThenBody().emplaceBlock());
  ResultOp::create(b, loc, value);
  b.setInsertionPointToStart(&choice.getElseBody().emplaceBlock());
  ResultOp::create(b, loc, init);
  return choice.getResult(0);
}

template <typename LoopT>
void Streamer::unroll(LoopT loop) {
  Location loc = loop.getLoc();
  SmallVector<Value> arguments;
  unsigned first = states.size();
  Value index;
  if constexpr (std::is_same_v<LoopT, LoopOp>)
    if (BlockArgument argument = loop.getIndexArg()) {
      auto type = llvm::cast<RankedTensorType>(argument.getType());
      index =
          ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 0)));
      arguments.push_back({});
    }
  for (auto [sliced, argument] : llvm::zip_equal(loop.getSliced(), loop.getSliceArgs()))
    arguments.push_back(cast(sliced, argument.getType(), loc));
  for (Value init : loop.getInitArgs())
    arguments.push_back(readState(loop, init));
  if (index)
    index = arguments.front() = readState(loop, index);
  YieldOp yield = loop.getYield();
  b.inlineBlockBefore(loop.getBodyBlock(), loop, arguments);
  for (auto [i, next] : llvm::enumerate(yield.getNext()))
    states[first + i].next = next;
  if (index) {
    auto type = llvm::cast<RankedTensorType>(index.getType());
    Value one =
        ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 1)));
    states.back().next = AddOp::create(b, loc, index, one, AutoBroadcast::None);
  }
  SmallVector<Value> results(yield.getNext());
  llvm::append_range(results, yield.getLast());
  llvm::append_range(results, yield.getConcat());
  for (auto [value, result] : llvm::zip_equal(results, loop->getResults()))
    value = cast(value, axes.getStepType(result), loc);
  b.eraseOp(yield);
  b.replaceOp(loop, results);
}

template <typename OpT>
void Streamer::keepStepsBefore(OpT op) {
  const Timing &timing = axes.get(op.getData());
  int64_t axis = timing.time.axis,
          before = timing.kind == Timing::Timed ? TimeAxes::getStepsBefore(op, axis).value_or(0) : 0;
  if (before == 0)
    return;
  Location loc = op.getLoc();
  auto withSteps = [&](int64_t count) {
    SmallVector<int64_t> shape(typeOf(op.getData()).getShape());
    shape[axis] = count;
    return typeOf(op.getData()).clone(shape);
  };
  RankedTensorType type = withSteps(before);
  Value zeros = ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  Value window = readState(op, zeros);
  Value steps = ConcatOp::create(b, loc, withSteps(before + 1), ValueRange{window, op.getData()}, axis);
  auto bound = [&](int64_t value) { return integers({value}, b.getI64Type(), loc); };
  states.back().next = SliceOp::create(b, loc, type, steps, bound(1), bound(before + 1), bound(1), bound(axis));
  op.getDataMutable().assign(steps);
  SmallVector<int64_t> pads(op.getPadsBegin());
  pads[axis - 2] = 0;
  op.setPadsBegin(pads);
}

void Streamer::setTarget(ReshapeOp op) {
  if (axes.get(op.getResult()).kind != Timing::Timed)
    return;
  Value target = op.getTargetShape();
  Type element = typeOf(target).getElementType();
  int64_t axis = axes.get(op.getResult()).time.axis, size = axes.getStepType(op.getResult()).getDimSize(axis);
  auto entries = getPartlyKnownSizes(target);
  // An entry that is computed, or stands for what remains or for the dim of the data, is that of one time step.
  if (!entries || ShapedType::isDynamic((*entries)[axis]) || (*entries)[axis] <= 0 || (*entries)[axis] == size ||
      ShapedType::isDynamic(size))
    return;
  if (auto constants = getConstantIntegers(target)) {
    (*constants)[axis] = size;
    op.getTargetShapeMutable().assign(integers(*constants, element, op.getLoc()));
    return;
  }
  SmallVector<bool> isTime(entries->size(), false);
  isTime[axis] = true;
  auto flags = RankedTensorType::get({int64_t(isTime.size())}, b.getI1Type());
  Value where = ConstantOp::create(b, op.getLoc(), flags, DenseElementsAttr::get(flags, isTime));
  Value sizes = integers(SmallVector<int64_t>(entries->size(), size), element, op.getLoc());
  op.getTargetShapeMutable().assign(
      SelectOp::create(b, op.getLoc(), target.getType(), where, sizes, target, AutoBroadcast::None));
}

void Streamer::rewrite(Operation *op) {
  b.setInsertionPoint(op);
  if (axes.isTimeLoop(op)) {
    if (auto loop = dyn_cast<TensorIteratorOp>(op))
      return unroll(loop);
    return unroll(llvm::cast<LoopOp>(op));
  }
  if (axes.takesLastStep(op)) {
    // There is one time step: the last one. The op only drops its dim, if anything.
    Value data = op->getOperand(0);
    auto type = llvm::cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getRank() == typeOf(data).getRank()) {
      b.replaceOp(op, cast(data, type, op->getLoc()));
      return;
    }
    Value axis = integers({axes.get(data).time.axis}, b.getI64Type(), op->getLoc());
    b.replaceOp(op, SqueezeOp::create(b, op->getLoc(), type, data, axis));
    return;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    setTarget(reshape);
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    keepStepsBefore(convolution);
  if (auto convolution = dyn_cast<GroupConvolutionOp>(op))
    keepStepsBefore(convolution);
  for (Value result : op->getResults())
    result.setType(axes.getStepType(result));
}

void Streamer::setSignature() {
  SmallVector<Attribute> arguments, results;
  for (unsigned i = 0; i != entry.getNumArguments(); ++i)
    arguments.push_back(entry.getArgAttrDict(i) ? entry.getArgAttrDict(i) : b.getDictionaryAttr({}));
  for (unsigned i = 0; i != entry.getNumResults(); ++i)
    results.push_back(entry.getResultAttrDict(i) ? entry.getResultAttrDict(i) : b.getDictionaryAttr({}));
  auto describe = [&](const Twine &name, Value value) {
    return b.getDictionaryAttr({b.getNamedAttr(kElementTypeAttr, TypeAttr::get(typeOf(value).getElementType())),
                                b.getNamedAttr(kNameAttr, b.getStringAttr(name))});
  };
  Operation *end = block.getTerminator();
  for (const State &state : states) {
    arguments.push_back(describe(state.name, state.value));
    arguments.push_back(describe(state.name + " is set", state.isSet));
    results.push_back(describe(state.name, state.value));
    end->insertOperands(end->getNumOperands(), state.next);
  }
  entry.setType(b.getFunctionType(block.getArgumentTypes(), end->getOperandTypes()));
  entry.setArgAttrsAttr(b.getArrayAttr(arguments));
  entry.setResAttrsAttr(b.getArrayAttr(results));
}

void Streamer::setAxes(SqueezeOp op) {
  if (axes.get(op.getData()).kind != Timing::Timed)
    return;
  b.setInsertionPoint(op);
  // The analysis knows these axes, because it knows where time is in the result.
  SmallVector<int64_t> squeezed = *getSqueezedAxes(typeOf(op.getData()).getShape(), op.getAxes());
  op.getAxesMutable().assign(integers(squeezed, b.getI64Type(), op.getLoc()));
}

unsigned Streamer::run() {
  for (auto squeeze : block.getOps<SqueezeOp>())
    setAxes(squeeze);
  for (BlockArgument argument : block.getArguments())
    argument.setType(axes.getStepType(argument));
  // A loop puts the ops of its body before itself. They have the types of a step already.
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    rewrite(&op);
  setSignature();
  return states.size();
}

namespace {
struct StreamLoops final : recur::ov::impl::StreamLoopsBase<StreamLoops> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRRewriter rewriter(&getContext());
    for (auto entry : module.getOps<func::FuncOp>()) {
      if (!entry.isPublic() || entry.isExternal())
        continue;
      if (module->hasAttr(kStatesAttr)) {
        entry.emitError("expected a model without states, to compile the body of its loops for one time step");
        return signalPassFailure();
      }
      TimeAxes axes(entry);
      if (failed(axes.run()))
        return signalPassFailure();
      if (unsigned states = Streamer(entry, axes, rewriter).run())
        module->setAttr(kStatesAttr, rewriter.getDenseI64ArrayAttr(SmallVector<int64_t>(states, 1)));
    }
  }
};
} // namespace
