// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mutations.cpp - bugs that the comparison must find --------------------===//
//
// A mutation changes the module between two stages of the compiler, so that the later stages give what a
// wrong lowering would have given. The interpreter reads the unchanged module.
//
//===----------------------------------------------------------------------===//

#include "MutationEntries.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace recur::fuzz {

template <typename From, typename To>
static bool replaceEach(ModuleOp module) {
  return forEach<From>(module, [](From op) {
    OpBuilder builder(op);
    OperationState state(op.getLoc(), To::getOperationName(), op->getOperands(), op->getResultTypes());
    Operation *other = builder.create(state);
    if constexpr (requires { op.getAutoBroadcastAttr(); })
      other->setAttr("auto_broadcast", op.getAutoBroadcastAttr());
    op->replaceAllUsesWith(other);
    op->erase();
    return true;
  });
}

/// Swaps operands `a` and `b`, if they broadcast to each other, so that the result's type stays.
template <typename Op, unsigned a, unsigned b>
static bool swapOperands(ModuleOp module) {
  return forEach<Op>(module, [](Op op) {
    Value x = op->getOperand(a), y = op->getOperand(b);
    if (x == y)
      return false;
    op->setOperand(a, y);
    op->setOperand(b, x);
    return true;
  });
}

/// Calls `change` for loops of both kinds.
template <typename Change>
static bool forEachLoop(ModuleOp module, Change change) {
  bool changed = forEach<ov::TensorIteratorOp>(module, change);
  changed |= forEach<ov::LoopOp>(module, change);
  return changed;
}

/// Replaces the attributes in the array `name` of all loops, or only of raised ones, by the results of
/// `change(op, number, attribute)`. Returns true if one changed.
template <typename AttrT, typename Change>
static bool changeAttrs(ModuleOp module, StringRef name, bool onlyRaised, Change change) {
  return forEachLoop(module, [&](auto op) {
    if (auto loop = dyn_cast<ov::LoopOp>(op.getOperation()); onlyRaised && (!loop || !isRaised(loop)))
      return false;
    auto attrs = op->template getAttrOfType<ArrayAttr>(name);
    SmallVector<Attribute> changed;
    for (auto [i, attr] : llvm::enumerate(attrs))
      changed.push_back(change(op, i, cast<AttrT>(attr)));
    auto all = ArrayAttr::get(op.getContext(), changed);
    if (all == attrs)
      return false;
    op->setAttr(name, all);
    return true;
  });
}

static ov::SliceInputAttr withRange(ov::SliceInputAttr slice, int64_t start, int64_t end, int64_t stride) {
  return ov::SliceInputAttr::get(slice.getContext(), slice.getAxis(), start, end, stride, slice.getPartSize());
}

bool shiftSlices(ModuleOp module, bool onlyRaised) {
  return changeAttrs<ov::SliceInputAttr>(
      module, "slices", onlyRaised, [](auto op, unsigned i, ov::SliceInputAttr slice) -> Attribute {
        int64_t dim = cast<RankedTensorType>(op.getSliced()[i].getType()).getDimSize(slice.getAxis());
        int64_t start = slice.getStart(), end = slice.getEnd();
        if (ShapedType::isDynamic(dim))
          return slice;
        start += start < 0 ? dim : 0;
        end += end < 0 ? dim : 0;
        int64_t by = std::max(start, end) + 1 < dim ? 1 : std::min(start, end) > 0 ? -1 : 0;
        return by ? withRange(slice, start + by, end + by, slice.getStride()) : slice;
      });
}

bool reverseSlices(ModuleOp module, bool onlyRaised) {
  return changeAttrs<ov::SliceInputAttr>(
      module, "slices", onlyRaised, [&](auto, unsigned, ov::SliceInputAttr slice) -> Attribute {
        return onlyRaised || slice.isBackward() ? withRange(slice, slice.getEnd(), slice.getStart(), -slice.getStride())
                                                : slice;
      });
}

bool reverseConcats(ModuleOp module, bool onlyRaised) {
  return changeAttrs<ov::ConcatOutputAttr>(
      module, "concats", onlyRaised, [&](auto, unsigned, ov::ConcatOutputAttr concat) -> Attribute {
        return onlyRaised || concat.getReverse()
                   ? ov::ConcatOutputAttr::get(concat.getContext(), concat.getAxis(), !concat.getReverse())
                   : concat;
      });
}

static bool dropBackEdge(ModuleOp module) {
  return forEachLoop(module, [](auto op) {
    for (auto [arg, next] : llvm::zip_equal(op.getCarriedArgs(), op.getYield().getNextMutable()))
      if (next.get() != arg) {
        next.set(arg);
        return true;
      }
    return false;
  });
}

/// Carried values move one after the other instead of all at once.
static bool moveInSequence(ModuleOp module) {
  return forEachLoop(module, [](auto op) {
    bool changed = false;
    MutableArrayRef<OpOperand> next = op.getYield().getNextMutable();
    for (size_t i = 0; i != next.size(); ++i)
      for (size_t j = i + 1; j != next.size(); ++j)
        if (next[j].get() == op.getCarriedArgs()[i] && next[i].get() != op.getCarriedArgs()[i]) {
          next[j].set(next[i].get());
          changed = true;
        }
    return changed;
  });
}

static bool countIndexFromOne(ModuleOp module) {
  return forEach<ov::LoopOp>(module, [](ov::LoopOp op) {
    BlockArgument index = op.getIndexArg();
    if (!index || index.use_empty())
      return false;
    OpBuilder builder = OpBuilder::atBlockBegin(op.getBodyBlock());
    auto type = cast<RankedTensorType>(index.getType());
    auto one = ov::ConstantOp::create(builder, op.getLoc(), type,
                                      DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), 1)));
    auto sum = ov::AddOp::create(builder, op.getLoc(), type, index, one);
    index.replaceAllUsesExcept(sum, sum);
    return true;
  });
}

static bool runAtLeastOnce(ModuleOp module) {
  return forEach<ov::LoopOp>(module, [](ov::LoopOp op) {
    if (op.getStaticCount().value_or(0) != 0)
      return false;
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(op.getTripCount().getType());
    auto one = ov::ConstantOp::create(builder, op.getLoc(), type,
                                      DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), 1)));
    auto minusOne = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), -1));
    // A trip count of -1 stays unlimited.
    DenseElementsAttr given;
    if (matchPattern(op.getTripCount(), m_Constant(&given)) && given == minusOne)
      return false;
    op.getTripCountMutable().assign(ov::MaximumOp::create(builder, op.getLoc(), type, op.getTripCount(), one));
    return true;
  });
}

static bool beginWithZeros(ModuleOp module) {
  return forEachLoop(module, [](auto op) {
    for (OpOperand &init : op.getInitArgsMutable()) {
      auto type = cast<RankedTensorType>(init.get().getType());
      if (!type.hasStaticShape() || type.getElementType().isInteger(1) || type.getElementType().isUnsignedInteger())
        continue;
      OpBuilder builder(op);
      init.set(ov::ConstantOp::create(builder, op.getLoc(), type,
                                      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()))));
      return true;
    }
    return false;
  });
}

static bool runOneLess(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    if (op.getBody()->getOps<rt::IterationOp>().empty())
      return false;
    OpBuilder builder(op);
    Value one = arith::ConstantIndexOp::create(builder, op.getLoc(), 1);
    op.setUpperBound(arith::SubIOp::create(builder, op.getLoc(), op.getUpperBound(), one));
    return true;
  });
}

/// The next state is written over the current one.
static bool useOneSlot(ModuleOp module) {
  return forEach<arith::XOrIOp>(module, [](arith::XOrIOp op) {
    if (!op.getType().isIndex())
      return false;
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
    return true;
  });
}

static bool dropChecks(ModuleOp module) {
  return forEach<rt::CheckOp>(module, [](rt::CheckOp op) {
    if (op.getKind() == rt::FaultKind::Recorded)
      return false;
    OpBuilder builder(op);
    op.getConditionMutable().assign(arith::ConstantIntOp::create(builder, op.getLoc(), 1, 1));
    return true;
  });
}

static bool startSumsAtOne(ModuleOp module) {
  return forEach<linalg::FillOp>(module, [](linalg::FillOp op) {
    Value scalar = op.getInputs().front();
    if (!matchPattern(scalar, m_Zero()) && !matchPattern(scalar, m_AnyZeroFloat()))
      return false;
    OpBuilder builder(op);
    auto one = cast<TypedAttr>(builder.getOneAttr(scalar.getType()));
    op.getInputsMutable().assign(arith::ConstantOp::create(builder, op.getLoc(), one));
    return true;
  });
}

static bool compareSigned(ModuleOp module) {
  return forEach<arith::CmpIOp>(module, [](arith::CmpIOp op) {
    using P = arith::CmpIPredicate;
    if (op.getLhs().getType().isIndex())
      return false;
    switch (op.getPredicate()) {
    case P::ult:
      op.setPredicate(P::slt);
      return true;
    case P::ule:
      op.setPredicate(P::sle);
      return true;
    case P::ugt:
      op.setPredicate(P::sgt);
      return true;
    case P::uge:
      op.setPredicate(P::sge);
      return true;
    default:
      return false;
    }
  });
}

static bool reverseConcat(ModuleOp module) {
  return forEach<ov::ConcatOp>(module, [](ov::ConcatOp op) {
    SmallVector<Value> inputs(op.getInputs());
    if (llvm::all_equal(inputs))
      return false;
    std::reverse(inputs.begin(), inputs.end());
    op.getInputsMutable().assign(inputs);
    return true;
  });
}

static bool invertTranspose(ModuleOp module) {
  return forEach<ov::TransposeOp>(module, [](ov::TransposeOp op) {
    std::optional<SmallVector<int64_t>> order = ov::getConstantIntegers(op.getInputOrder());
    auto type = cast<RankedTensorType>(op.getType());
    // Only if the result keeps its type. Otherwise the dims could show the bug before the elements do.
    if (!order || order->size() < 2 || !llvm::all_equal(type.getShape()) || type.getDimSize(0) < 2)
      return false;
    SmallVector<int64_t> other(llvm::reverse(*order));
    OpBuilder builder(op);
    auto orderType = RankedTensorType::get({int64_t(other.size())}, builder.getI64Type());
    op.getInputOrderMutable().assign(
        ov::ConstantOp::create(builder, op.getLoc(), orderType, DenseElementsAttr::get(orderType, ArrayRef(other))));
    return true;
  });
}

static bool truncateDivision(ModuleOp module) {
  return forEach<ov::DivideOp>(module, [](ov::DivideOp op) {
    if (isa<FloatType>(cast<RankedTensorType>(op.getType()).getElementType()))
      return false;
    op.setMPythondiv(!op.getMPythondiv());
    return true;
  });
}

static bool forgetMaximum(ModuleOp module) {
  return forEach<ov::ClampOp>(module, [](ov::ClampOp op) {
    op.setMaxAttr(Builder(op.getContext()).getF64FloatAttr(1e9));
    return true;
  });
}

static bool refuseNegativeIndices(ModuleOp module) {
  return forEach<ov::GatherOp>(module, [](ov::GatherOp op) {
    if (op.getVersion() < 8)
      return false;
    op.setVersion(7);
    return true;
  });
}

static bool ignoreEndToken(ModuleOp module) {
  return forEach<ov::GatherTreeOp>(module, [](ov::GatherTreeOp op) {
    auto type = cast<RankedTensorType>(op.getEndToken().getType());
    if (type.getElementType().isUnsignedInteger())
      return false;
    OpBuilder builder(op);
    op.getEndTokenMutable().assign(ov::ConstantOp::create(
        builder, op.getLoc(), type, DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()))));
    return true;
  });
}

static bool reduceOtherAxis(ModuleOp module) {
  return forEach<ov::SoftmaxOp>(module, [](ov::SoftmaxOp op) {
    int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), axis = op.getAxis();
    if (rank < 2)
      return false;
    op.setAxis((axis + rank + 1) % rank);
    return true;
  });
}

static const MutationEntry entries[] = {
    {{"subtract-swapped", "Subtract computes b - a"}, Stage::Import, swapOperands<ov::SubtractOp, 0, 1>},
    {{"select-swapped", "Select takes the else value if the condition is true"},
     Stage::Import,
     swapOperands<ov::SelectOp, 1, 2>},
    {{"less-or-equal", "Less is computed as LessEqual"}, Stage::Import, replaceEach<ov::LessOp, ov::LessEqualOp>},
    {{"divide-rounding", "integer division rounds in the other direction"}, Stage::Import, truncateDivision},
    {{"clamp-without-max", "Clamp has no upper bound"}, Stage::Import, forgetMaximum},
    {{"concat-reversed", "Concat joins its inputs in reverse order"}, Stage::Import, reverseConcat},
    {{"transpose-order", "Transpose uses its order in reverse"}, Stage::Import, invertTranspose},
    {{"softmax-axis", "Softmax reduces along another axis"}, Stage::Import, reduceOtherAxis},
    {{"gather-negative", "Gather refuses negative indices"}, Stage::Import, refuseNegativeIndices},
    {{"gather-tree-end", "GatherTree takes 0 for the end token"}, Stage::Import, ignoreEndToken},
    {{"slice-shifted", "slices are shifted by one element"},
     Stage::Import,
     [](ModuleOp module) { return shiftSlices(module, /*onlyRaised=*/false); }},
    {{"slice-direction", "slices ignore the sign of the stride"},
     Stage::Import,
     [](ModuleOp module) { return reverseSlices(module, /*onlyRaised=*/false); }},
    {{"concat-direction", "concatenations ignore the sign of the stride"},
     Stage::Import,
     [](ModuleOp module) { return reverseConcats(module, /*onlyRaised=*/false); }},
    {{"back-edge-dropped", "a carried value keeps its initial value"}, Stage::Import, dropBackEdge},
    {{"back-edges-in-sequence", "carried values move one after the other"}, Stage::Import, moveInSequence},
    {{"index-from-one", "the iteration index starts at 1"}, Stage::Import, countIndexFromOne},
    {{"runs-at-least-once", "a loop of zero iterations runs once"}, Stage::Import, runAtLeastOnce},
    {{"initial-zeros", "a carried value starts with zeros"}, Stage::Import, beginWithZeros},
    {{"one-iteration-less", "the last iteration is left out"}, Stage::Loops, runOneLess},
    {{"one-slot", "the next state overwrites the current one"}, Stage::Loops, useOneSlot},
    {{"faults-unchecked", "all checks pass"},
     Stage::Linalg,
     dropChecks,
     nullptr,
     nullptr,
     /*isOfFaults=*/true},
    {{"sum-from-one", "sums start at 1"}, Stage::Linalg, startSumsAtOne},
    {{"signed-comparison", "unsigned integers are compared as signed ones"}, Stage::Linalg, compareSigned},
    {{"sign-extension", "unsigned integers are sign-extended"},
     Stage::Linalg,
     replaceEach<arith::ExtUIOp, arith::ExtSIOp>},
};

static const std::vector<MutationEntry> &getEntries() {
  static const std::vector<MutationEntry> all = [] {
    std::vector<MutationEntry> list(std::begin(entries), std::end(entries));
    llvm::append_range(list, getPassMutations());
    llvm::append_range(list, getCallMutations());
    return list;
  }();
  return all;
}

std::vector<MutationInfo> getMutations() {
  std::vector<MutationInfo> infos;
  for (const MutationEntry &entry : getEntries())
    infos.push_back(entry.info);
  return infos;
}

static const MutationEntry *findEntry(StringRef name) {
  const auto *found =
      llvm::find_if(ArrayRef(getEntries()), [&](const MutationEntry &entry) { return entry.info.name == name; });
  return found == ArrayRef(getEntries()).end() ? nullptr : found;
}

bool canShow(StringRef name, bool endsWithFault) {
  const MutationEntry *entry = findEntry(name);
  return !entry || endsWithFault || !entry->isOfFaults;
}

bool mutateModule(ModuleOp module, StringRef name, const CompileOptions &options) {
  const MutationEntry *entry = findEntry(name);
  if (!entry || !entry->changeModule)
    return entry;
  // Bugs of the last stage change the plan of the weights, so the model must have weights.
  if (entry->stage == Stage::LLVM && !module->hasAttr(ov::kWeightsFileAttr))
    return false;
  forEach<ov::LoopOp>(module, [](ov::LoopOp op) {
    op->setAttr(kImportedAttr, OpBuilder(op).getDenseI64ArrayAttr(countForms(op)));
    return true;
  });
  if (entry->stage != Stage::Import) {
    auto machine = createTargetMachine(options.target);
    if (!machine) {
      llvm::consumeError(machine.takeError());
      return false;
    }
    if (failed(lower(module, entry->stage, options, **machine)))
      return false;
  }
  return entry->changeModule(module);
}

bool mutateWeights(MutableArrayRef<uint8_t> weights, StringRef name) {
  const MutationEntry *entry = findEntry(name);
  return !entry || !entry->changeWeights || entry->changeWeights(weights);
}

recur_entry_points mutateCalls(const recur_entry_points &model, StringRef name) {
  recur_entry_points changed = model;
  getMutatedModel() = model;
  const MutationEntry *entry = findEntry(name);
  if (entry && entry->changeCalls)
    entry->changeCalls(changed);
  return changed;
}

} // namespace recur::fuzz
