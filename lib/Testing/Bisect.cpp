// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bisect.cpp - where compiled and interpreted differ -------------------===//
//
// Every watched value becomes an output of the model. A value in a loop body is concatenated over the iterations, with
// a dim of its own for each loop around it. A value in a body of an If becomes a result of the If, and is zeros where
// the other body runs, so only values of static shape are watched there. The watched model is an ordinary one: it is
// compiled and interpreted like any other, and the outputs are compared in the order of execution.
//
//===----------------------------------------------------------------------===//

#include "Recur/Testing/Bisect.h"

#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Target/JIT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::interpreter;

namespace {
/// The position of an op in its block.
struct Step {
  unsigned place;
  /// True if the op is a loop. Its values get a dim for the iterations.
  bool isLoop = false;
};

/// A value that is watched, as an output or on its way to become one.
struct Watched {
  Value value;
  /// The layer that computes it, in words.
  std::string layer;
  /// The op and the ops around it, outermost first.
  SmallVector<Step> path;
};

class Watcher {
public:
  Watcher(bool entersBodies, bool takesDynamic) : entersBodies(entersBodies), takesDynamic(takesDynamic) {}
  /// Makes every watched value an output of the function, after its own outputs. Returns the watched values in the
  /// order of the new outputs.
  std::vector<Watched> watch(func::FuncOp function);

private:
  std::vector<Watched> watchBlock(Block &block);
  template <typename LoopT>
  std::vector<Watched> watchBody(LoopT op);
  std::vector<Watched> watchBody(ov::IfOp op);

  bool entersBodies, takesDynamic;
};
} // namespace

static std::string describe(Operation *op, unsigned result) {
  std::string text = op->getName().getStringRef().str();
  if (op->getNumResults() > 1)
    text += " (result " + std::to_string(result) + ")";
  if (auto layer = op->getLoc()->findInstanceOf<NameLoc>())
    text = "'" + layer.getName().str() + "', " + text;
  return text;
}

/// Replaces the loop by one that also concatenates the values that its body computes. Returns these values, as results
/// of the new loop.
template <typename LoopT>
std::vector<Watched> Watcher::watchBody(LoopT op) {
  ov::YieldOp yield = op.getYield();
  OpBuilder builder(yield);
  std::vector<Watched> inside = watchBlock(*op.getBodyBlock());
  SmallVector<Attribute> concats(op.getConcats().begin(), op.getConcats().end());
  SmallVector<Type> types(op->getResultTypes());
  SmallVector<Value> parts;
  std::optional<int64_t> count = op.getStaticCount();
  for (Watched &watched : inside) {
    auto type = cast<RankedTensorType>(watched.value.getType());
    auto axisType = RankedTensorType::get({1}, builder.getI64Type());
    Value axis =
        ov::ConstantOp::create(builder, op.getLoc(), axisType, DenseElementsAttr::get(axisType, ArrayRef<int64_t>{0}));
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    auto partType = RankedTensorType::get(shape, type.getElementType());
    parts.push_back(ov::UnsqueezeOp::create(builder, op.getLoc(), partType, watched.value, axis));
    shape.front() = count.value_or(ShapedType::kDynamic);
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    concats.push_back(ov::ConcatOutputAttr::get(op.getContext(), /*axis=*/0, /*reverse=*/false));
  }
  yield.getConcatMutable().append(parts);
  // Rebuild the op with more results.
  builder.setInsertionPoint(op);
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(op->getOperands());
  // These parts have open dims after no iteration.
  Value open = ov::createOpenDims(builder, op.getLoc());
  size_t numOpen = op.getEmptyDims().empty() ? 0 : parts.size();
  state.addOperands(SmallVector<Value>(numOpen, open));
  state.addTypes(types);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Region *body = state.addRegion();
  body->takeBody(op.getBody());
  auto watching = cast<LoopT>(builder.create(state));
  watching.setConcatsAttr(builder.getArrayAttr(concats));
  watching.getProperties().resultSegmentSizes = op.getProperties().resultSegmentSizes;
  watching.getProperties().resultSegmentSizes[2] += parts.size();
  watching.getProperties().operandSegmentSizes = op.getProperties().operandSegmentSizes;
  watching.getProperties().operandSegmentSizes.back() += numOpen;
  op->replaceAllUsesWith(watching->getResults().take_front(op->getNumResults()));
  for (auto [i, watched] : llvm::enumerate(inside))
    watched.value = watching->getResult(op->getNumResults() + i);
  op->erase();
  return inside;
}

/// Replaces the If by one that also returns the values of static shape that its bodies compute, and returns these
/// results.
std::vector<Watched> Watcher::watchBody(ov::IfOp op) {
  std::vector<Watched> inside;
  for (bool isFirst : {true, false}) {
    ov::ResultOp end = op.getEnd(isFirst), otherEnd = op.getEnd(!isFirst);
    for (Watched &watched : watchBlock(*end->getBlock())) {
      auto type = cast<RankedTensorType>(watched.value.getType());
      if (!type.hasStaticShape())
        continue;
      OpBuilder builder(otherEnd);
      auto zeros = cast<DenseElementsAttr>(builder.getZeroAttr(type));
      otherEnd.getValuesMutable().append(ov::ConstantOp::create(builder, op.getLoc(), type, zeros).getResult());
      end.getValuesMutable().append(watched.value);
      inside.push_back(std::move(watched));
    }
  }
  SmallVector<Type> types(op.getEnd(true).getValues().getTypes());
  OpBuilder builder(op);
  auto watching = ov::IfOp::create(builder, op.getLoc(), types, op.getCondition());
  for (auto [to, from] : llvm::zip_equal(watching->getRegions(), op->getRegions()))
    to.takeBody(from);
  op->replaceAllUsesWith(watching->getResults().take_front(op->getNumResults()));
  for (auto [i, watched] : llvm::enumerate(inside))
    watched.value = watching->getResult(op->getNumResults() + i);
  op->erase();
  return inside;
}

std::vector<Watched> Watcher::watchBlock(Block &block) {
  std::vector<Watched> all;
  unsigned place = 0;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    ++place;
    if (isa<ov::ConstantOp>(op) || op.getNumResults() == 0)
      continue;
    unsigned number = op.getNumResults();
    Operation *before = op.getPrevNode();
    std::vector<Watched> inside;
    bool isLoop = !isa<ov::IfOp>(op);
    if (entersBodies)
      llvm::TypeSwitch<Operation *>(&op).Case<ov::LoopOp, ov::TensorIteratorOp, ov::IfOp>(
          [&](auto around) { inside = watchBody(around); });
    for (Watched &watched : inside) {
      watched.path.insert(watched.path.begin(), Step{place, isLoop});
      all.push_back(std::move(watched));
    }
    // Watching may have replaced the op.
    Operation *now = before ? before->getNextNode() : &block.front();
    for (OpResult result : now->getResults().take_front(number))
      if (takesDynamic || cast<RankedTensorType>(result.getType()).hasStaticShape())
        all.push_back({result, describe(now, result.getResultNumber()), {Step{place}}});
  }
  return all;
}

std::vector<Watched> Watcher::watch(func::FuncOp function) {
  Block &block = function.getBody().front();
  std::vector<Watched> all = watchBlock(block);
  Operation *terminator = block.getTerminator();
  SmallVector<Value> values(terminator->getOperands());
  Builder builder(function.getContext());
  SmallVector<Attribute> attributes(values.size(), builder.getDictionaryAttr({}));
  if (ArrayAttr given = function.getAllResultAttrs())
    attributes.assign(given.begin(), given.end());
  for (auto [i, watched] : llvm::enumerate(all)) {
    values.push_back(watched.value);
    auto element = cast<RankedTensorType>(watched.value.getType()).getElementType();
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(ov::kElementTypeAttr, TypeAttr::get(element)),
         builder.getNamedAttr(ov::kNameAttr, builder.getStringAttr("watched_" + std::to_string(i)))}));
  }
  terminator->setOperands(values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(values))));
  function.setAllResultAttrs(attributes);
  return all;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Compiles and runs a module. Returns nullopt if it cannot be compiled.
static std::optional<ModelRun> runCompiled(ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights,
                                           const CompileOptions &options, ArrayRef<Tensor> inputs,
                                           const InterpreterOptions &limits) {
  Model copy{cast<ModuleOp>(module->clone()), std::move(weights)};
  auto compiled = compile(copy, options, EmitKind::Object, WeightsPlacement::External);
  if (!compiled) {
    llvm::consumeError(compiled.takeError());
    return std::nullopt;
  }
  auto object =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(compiled->output.data(), compiled->output.size()), "model");
  auto jit = JITModel::create(std::move(object), options.name, compiled->weights);
  if (!jit) {
    llvm::consumeError(jit.takeError());
    return std::nullopt;
  }
  return callModel((*jit)->entryPoints(), inputs, limits);
}

namespace {
/// The point at which the two runs differ, in the order of execution: positions of ops and numbers of iterations by
/// turns.
struct Parting {
  SmallVector<int64_t> when;
  std::string text;
};
} // namespace

/// Describes the first difference of the two tensors, by `rtol` and `atol`. Returns nullopt if there is none.
static std::optional<Parting> findParting(const Watched &watched, const Tensor &got, const Tensor &want, double rtol,
                                          double atol) {
  size_t loops = llvm::count_if(watched.path, [](Step step) { return step.isLoop; });
  Shape iterations(loops, 0);
  std::string difference = describeDifference(got, want, rtol, atol);
  if (difference.empty())
    return std::nullopt;
  if (got.getShape() == want.getShape()) {
    // Compare iteration by iteration: the first dims count the iterations.
    ArrayRef<int64_t> counts = ArrayRef(want.getShape()).take_front(loops);
    Shape part = llvm::to_vector<4>(ArrayRef(want.getShape()).drop_front(loops));
    int64_t size = countElements(part);
    size_t next = 0;
    bool found = false;
    forEachPlace(counts, [&](ArrayRef<int64_t> place) {
      Tensor a(got.getType(), part), b(want.getType(), part);
      for (int64_t i = 0; i != size; ++i) {
        a.copy(i, got, next * size + i);
        b.copy(i, want, next * size + i);
      }
      ++next;
      if (found)
        return;
      std::string own = describeDifference(a, b, rtol, atol);
      if (own.empty())
        return;
      found = true;
      difference = own;
      iterations.assign(place.begin(), place.end());
    });
  }
  Parting parting;
  ArrayRef<int64_t> inside = iterations;
  for (Step step : watched.path) {
    parting.when.push_back(step.place);
    if (step.isLoop) {
      parting.when.push_back(inside.front());
      inside = inside.drop_front();
    }
  }
  // The results of a loop come after all ops in its body.
  parting.when.push_back(std::numeric_limits<int64_t>::max());
  parting.text = watched.layer;
  if (loops)
    parting.text += llvm::formatv(", iteration {0:$[, ]}", llvm::make_range(iterations.begin(), iterations.end()));
  parting.text += ": " + difference;
  return parting;
}

bool recur::bisect(const Model &model, const CompileOptions &options, ArrayRef<Tensor> inputs,
                   const InterpreterOptions &limits, double rtol, double atol) {
  ArrayRef<char> weights;
  if (model.weights)
    weights = ArrayRef(model.weights->getBufferStart(), model.weights->getBufferSize());
  // Run the unchanged model first. It may end with a fault, or differ in a way that watching hides.
  ModuleOp plain = *const_cast<Model &>(model).module;
  ModelRun want = interpret(plain, weights, inputs, limits);
  std::optional<ModelRun> got = runCompiled(plain, model.weights, options, inputs, limits);
  if (!got) {
    llvm::outs() << "the model cannot be compiled\n";
    return false;
  }
  if (got->status != want.status) {
    llvm::outs() << llvm::formatv("the compiled model ends with status {0} ({1}), the interpreted one with {2} ({3})\n",
                                  got->status, got->message, int(want.status), want.message);
    return false;
  }
  if (want.status != RECUR_OK) {
    llvm::outs() << llvm::formatv("both models end with status {0}: {1}\n", int(want.status), want.message);
    return true;
  }
  bool differs = false;
  for (auto [i, a, b] : llvm::enumerate(got->outputs, want.outputs)) {
    std::string difference = describeDifference(a, b, rtol, atol);
    differs |= !difference.empty();
    if (!difference.empty())
      llvm::outs() << llvm::formatv("output {0}: {1}\n", i, difference);
  }
  // The ways to watch. The first one is the most detailed, and the last one changes the model least.
  struct {
    bool entersBodies, takesDynamic;
  } ways[] = {{true, true}, {true, false}, {false, true}, {false, false}};
  for (auto [entersBodies, takesDynamic] : ways) {
    OwningOpRef<ModuleOp> watching = cast<ModuleOp>(plain->clone());
    func::FuncOp function = *watching->getOps<func::FuncOp>().begin();
    size_t own = function.getNumResults();
    std::vector<Watched> watched = Watcher(entersBodies, takesDynamic).watch(function);
    ScopedDiagnosticHandler quiet(plain.getContext(), [](Diagnostic &) { return success(); });
    ModelRun wanted = interpret(*watching, weights, inputs, limits);
    std::optional<ModelRun> given = runCompiled(*watching, model.weights, options, inputs, limits);
    if (!given || given->status != wanted.status || wanted.status != RECUR_OK)
      continue;
    std::optional<Parting> first;
    for (auto [i, value] : llvm::enumerate(watched)) {
      auto parting = findParting(value, given->outputs[own + i], wanted.outputs[own + i], rtol, atol);
      if (parting && (!first || parting->when < first->when))
        first = parting;
    }
    if (first) {
      llvm::outs() << "the compiled model first differs from the interpreted one at " << first->text << "\n";
      return false;
    }
  }
  llvm::outs() << (differs ? "only outputs differ, but none of the values that were compared inside the model\n"
                           : "the compiled and the interpreted model agree\n");
  return !differs;
}
