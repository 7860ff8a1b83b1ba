// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanWorkspace.cpp - Places in the caller's workspace ---------------===//
//
// WorkspacePlan decides which buffers share bytes. This file computes sizes and offsets: as constants if they are
// static, otherwise at the start of a call. The same computation is copied into `recur_model_sizes`, so that the caller
// can ask for the sizes of workspace and outputs before the call.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "Recur/Analysis/WorkspacePlan.h"
#include "ViewSizes.h"

#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ABI.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

namespace recur {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The greatest number of bytes of all buffers together, so that sums do not overflow.
static constexpr int64_t kMaxBytes = int64_t(1) << 62;

/// Moves an allocation out of every loop and branch that does not define its sizes. (Upstream's buffer-hoisting and
/// buffer-loop-hoisting move all allocations of a function, and change lifetimes. Here the lifetimes are known, and one
/// allocation moves.)
static void hoistAllocation(memref::AllocOp alloc) {
  while (!isa<func::FuncOp>(alloc->getParentOp())) {
    Operation *parent = alloc->getParentOp();
    for (Value operand : alloc.getOperands())
      if (parent->isAncestor(operand.getParentBlock()->getParentOp()))
        return;
    alloc->moveBefore(parent);
  }
}

/// True if `op` can be computed again from the inputs alone, without any of the model's work.
static bool canRecompute(Operation *op) {
  if (isa<rt::InputOp, rt::CheckOp, memref::DimOp, affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp,
          math::FloorOp, math::CeilOp>(op) ||
      isa<arith::ArithDialect>(op->getDialect()))
    return op->getNumRegions() == 0;
  // An element of an integer input is available before the model's work. Its indices are operands, so they are checked
  // too.
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef().getDefiningOp<rt::InputOp>() && isa<IntegerType>(load.getType());
  return false;
}

/// Collects the ops that `value` is computed from. They must be in the function's own block, and canRecompute must hold
/// for each. Otherwise fails, and sets `work`, if given, to the location of an op that is the model's work.
static LogicalResult collectSlice(Value value, llvm::SetVector<Operation *> &slice, Location *work = nullptr) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !isa<func::FuncOp>(op->getParentOp()) || !canRecompute(op)) {
      if (work)
        *work = next.getLoc();
      return failure();
    }
    if (slice.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return success();
}

namespace {

/// Evaluates index values as if the call gave certain numbers.
class SampleValues {
public:
  /// Values that depend on the call are the first and the second number by turns.
  explicit SampleValues(std::pair<int64_t, int64_t> numbers) : numbers(numbers) {}

  /// The value, limited to 0 to 2^40.
  int64_t get(Value value) {
    auto attr = dyn_cast<IntegerAttr>(evaluate(value));
    return std::clamp<int64_t>(attr.getValue().getSExtValue(), 0, int64_t(1) << 40);
  }

private:
  Attribute evaluate(Value value) {
    if (Attribute attr = known.lookup(value))
      return attr;
    Attribute attr = compute(value);
    if (!attr && value.getType().isInteger(1)) {
      attr = BoolAttr::get(value.getContext(), true);
    } else if (!attr) {
      attr = IntegerAttr::get(value.getType(), numbers.first);
      std::swap(numbers.first, numbers.second);
    }
    known[value] = attr;
    return attr;
  }
  /// Returns null if the value depends on the call.
  Attribute compute(Value value) {
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto check = dyn_cast<rt::CheckOp>(op))
      return evaluate(check.getGuarded()[number]);
    if (isa<memref::DimOp, memref::LoadOp>(op))
      return {};
    // The op's folder computes the result for constant operands.
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getType().isIntOrIndex() ? evaluate(operand) : Attribute());
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || number >= results.size())
      return {};
    if (auto other = dyn_cast<Value>(results[number]))
      return other == value ? Attribute() : evaluate(other);
    return dyn_cast<IntegerAttr>(cast<Attribute>(results[number]));
  }

  std::pair<int64_t, int64_t> numbers;
  llvm::DenseMap<Value, Attribute> known;
};

/// The samples by which the plan is made: all dynamic values are small, medium or large, or small and large ones take
/// turns.
constexpr std::pair<int64_t, int64_t> kSamples[] = {{1, 1}, {24, 24}, {300, 300}, {1, 100}, {100, 1}};

/// The bytes of a cell of `rt.reserve`: an address and a capacity.
constexpr int64_t kCellBytes = 16;

/// The size of a buffer in bytes, and the same rounded up to the alignment.
struct Size {
  OpFoldResult bytes, aligned;
};

struct PlanWorkspace final : recur::impl::PlanWorkspaceBase<PlanWorkspace> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto compute = module.lookupSymbol<func::FuncOp>(kComputeFunction);
    if (!compute)
      return;
    resolveViewSizes(compute);
    SmallVector<memref::AllocOp> all, allocs;
    compute.walk([&](memref::AllocOp alloc) { all.push_back(alloc); });
    SmallVector<std::pair<memref::AllocOp, Location>> late;
    for (memref::AllocOp alloc : all) {
      if (!alloc.getType().getLayout().isIdentity()) {
        alloc.emitError("expected allocations to be dense");
        return signalPassFailure();
      }
      if (std::optional<int64_t> bytes = getStaticBytes(alloc.getType()); !bytes || *bytes > kMaxBytes) {
        alloc.emitError(llvm::formatv("expected a buffer of fewer than 2^62 bytes, but got {0} elements of {1} bits",
                                      JoinedSizes(alloc.getType().getShape()),
                                      alloc.getType().getElementTypeBitWidth()));
        return signalPassFailure();
      }
      Location work = alloc.getLoc();
      if (dependsOnInputs(alloc, work))
        allocs.push_back(alloc);
      else
        late.emplace_back(alloc, work);
    }
    if (!late.empty()) {
      memref::AllocOp cells = createCells(compute, late.size());
      for (auto [i, entry] : llvm::enumerate(late))
        reserve(entry.first, cells, i, entry.second);
      allocs.push_back(cells);
    }
    // The lifetime of a buffer depends on where its allocation stands, so lifetimes are computed before anything moves.
    ProgramOrder order(compute);
    SmallVector<PlannedBuffer> buffers;
    for (memref::AllocOp alloc : allocs)
      buffers.push_back({order.getLifetime(alloc), {}, alloc.getType().hasStaticShape()});

    OpFoldResult bytes = Builder(&getContext()).getIndexAttr(0);
    if (!allocs.empty()) {
      FailureOr<OpFoldResult> planned = placeAll(compute, allocs, buffers);
      if (failed(planned))
        return signalPassFailure();
      bytes = *planned;
    }
    if (failed(emitSizes(module, compute, order, bytes)))
      return signalPassFailure();
    module->setAttr(rt::kWorkspaceBytesAttr,
                    Builder(&getContext()).getI64IntegerAttr(getConstantIntValue(bytes).value_or(-1)));
  }

  /// True if the size follows from the inputs alone. Otherwise sets `work` to the location of the op that computes the
  /// size.
  static bool dependsOnInputs(memref::AllocOp alloc, Location &work) {
    llvm::SetVector<Operation *> slice;
    return llvm::all_of(alloc.getDynamicSizes(),
                        [&](Value size) { return succeeded(collectSlice(size, slice, &work)); });
  }

  /// Creates the cells of `count` reserved buffers, and initializes them with zeros.
  static memref::AllocOp createCells(func::FuncOp compute, int64_t count) {
    OpBuilder entry = OpBuilder::atBlockBegin(&compute.getBody().front());
    Location loc = compute.getLoc();
    int64_t bytes = count * kCellBytes;
    auto cells = memref::AllocOp::create(entry, loc, MemRefType::get({bytes}, entry.getIntegerType(8)));
    Value none = arith::ConstantIndexOp::create(entry, loc, 0), one = arith::ConstantIndexOp::create(entry, loc, 1);
    Value end = arith::ConstantIndexOp::create(entry, loc, bytes / 8);
    Value zero = arith::ConstantIntOp::create(entry, loc, 0, 64);
    Value words =
        memref::ViewOp::create(entry, loc, MemRefType::get({bytes / 8}, entry.getI64Type()), cells, none, ValueRange());
    scf::ForOp::create(entry, loc, none, end, one, ValueRange(), [&](OpBuilder &b, Location, Value i, ValueRange) {
      memref::StoreOp::create(b, loc, zero, words, i);
      scf::YieldOp::create(b, loc);
    });
    return cells;
  }

  /// Replaces an allocation whose size depends on computed data by an `rt.reserve`, which grows the buffer if needed.
  /// Its cell is number `i` of `cells`. A fault names the layer at `loc`.
  void reserve(memref::AllocOp alloc, memref::AllocOp cells, int64_t i, Location loc) {
    hoistAllocation(alloc);
    OpBuilder at(alloc);
    Value none = arith::ConstantIndexOp::create(at, loc, 0);
    Value place = arith::ConstantIndexOp::create(at, loc, i * kCellBytes);
    Value cell = memref::ViewOp::create(at, loc, MemRefType::get({2}, at.getI64Type()), cells, place, ValueRange());
    auto bytes = MemRefType::get({ShapedType::kDynamic}, at.getIntegerType(8));
    Value size = getValueOrCreateConstantIndexOp(at, loc, getSize(at, alloc, kMaxBytes).aligned);
    auto block = rt::ReserveOp::create(at, loc, bytes, at.getI1Type(), cell, size, none, /*growing=*/false);
    Value buffer = rt::CheckOp::create(at, loc, block.getOk(), rt::FaultKind::Recorded, "", ValueRange(),
                                       ValueRange{block.getBuffer()})
                       .getResult(0);
    Value view = memref::ViewOp::create(at, loc, alloc.getType(), buffer, none, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  /// Gives each buffer its place, and returns the bytes of all. The ops that places are computed from move to the start
  /// of the function, from where emitSizes copies them.
  FailureOr<OpFoldResult> placeAll(func::FuncOp compute, ArrayRef<memref::AllocOp> allocs,
                                   MutableArrayRef<PlannedBuffer> buffers) {
    OpBuilder builder = OpBuilder::atBlockBegin(&compute.getBody().front());
    Location loc = compute.getLoc();
    Value workspace =
        rt::WorkspaceOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, builder.getIntegerType(8)));
    llvm::SetVector<Operation *> slice;
    for (memref::AllocOp alloc : allocs)
      for (Value size : alloc.getDynamicSizes())
        (void)collectSlice(size, slice);
    SmallVector<Operation *> ordered(slice.begin(), slice.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    Operation *last = workspace.getDefiningOp();
    for (Operation *op : ordered) {
      op->moveAfter(last);
      last = op;
    }
    builder.setInsertionPointAfter(last);

    // No plan needs more than the sum of all sizes, so it is enough that this sum does not overflow.
    int64_t sum = 0;
    int64_t limit = llvm::bit_floor(uint64_t(kMaxBytes) / allocs.size());
    SmallVector<Size> sizes;
    // Buffers with the same dims share one size value, which is checked once.
    std::map<std::pair<int64_t, std::vector<void *>>, Size> known;
    for (auto [alloc, buffer] : llvm::zip_equal(llvm::to_vector(allocs), buffers)) {
      MemRefType type = alloc.getType();
      if (!buffer.isFixed) {
        std::vector<void *> dims;
        for (Value dim : alloc.getDynamicSizes())
          dims.push_back(dim.getAsOpaquePointer());
        auto [it, isNew] = known.try_emplace({*getStaticBytes(type), std::move(dims)});
        if (isNew)
          it->second = getSize(builder, alloc, limit);
        sizes.push_back(it->second);
        continue;
      }
      int64_t bytes = *getStaticBytes(type), aligned = llvm::alignTo(bytes, RECUR_ALIGNMENT);
      if (aligned > kMaxBytes - sum)
        return alloc.emitError("expected fewer than 2^62 bytes of workspace");
      sum += aligned;
      sizes.push_back({builder.getIndexAttr(bytes), builder.getIndexAttr(aligned)});
    }

    setSamples(buffers, sizes, [](const Size &size) { return size.aligned; });
    WorkspacePlan plan = planWorkspace(buffers, share);
    SmallVector<OpFoldResult> ends(allocs.size());
    SmallVector<Value> starts(allocs.size());
    SmallVector<bool> isBelow(allocs.size());
    for (unsigned i : plan.order) {
      OpFoldResult start = getLast(builder, loc, ends, plan.below[i]);
      for (unsigned other : plan.below[i])
        isBelow[other] = true;
      ends[i] = add(builder, loc, start, sizes[i].aligned);
      starts[i] = getValueOrCreateConstantIndexOp(builder, loc, start);
    }
    SmallVector<unsigned> highest;
    for (unsigned i : plan.order)
      if (!isBelow[i])
        highest.push_back(i);
    OpFoldResult bytes = getLast(builder, loc, ends, highest);
    if (wantsRemarks(&getContext()))
      emitReport(compute, buffers, sizes, plan);
    // Allocations are replaced last: the builder may stand at one, and `ProgramOrder` identifies ops by their
    // addresses.
    for (auto [alloc, start] : llvm::zip_equal(llvm::to_vector(allocs), starts))
      place(alloc, workspace, start);
    return bytes;
  }

  /// Replaces an allocation by a view of the workspace at `offset`, in bytes.
  static void place(memref::AllocOp alloc, Value workspace, Value offset) {
    hoistAllocation(alloc);
    OpBuilder at(alloc);
    Value view =
        memref::ViewOp::create(at, alloc.getLoc(), alloc.getType(), workspace, offset, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  /// The sum of two sizes, as a constant if both are constant.
  static OpFoldResult add(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> left = getConstantIntValue(a), right = getConstantIntValue(b);
    if (left && right)
      return builder.getIndexAttr(*left + *right);
    if (left == 0 || right == 0)
      return left == 0 ? b : a;
    return arith::AddIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                                 getValueOrCreateConstantIndexOp(builder, loc, b))
        .getResult();
  }

  /// The greatest end of the buffers with these numbers, 0 if there are none.
  static OpFoldResult getLast(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> ends,
                              ArrayRef<unsigned> numbers) {
    int64_t known = 0;
    SmallVector<Value> values;
    for (unsigned i : numbers) {
      if (std::optional<int64_t> constant = getConstantIntValue(ends[i]))
        known = std::max(known, *constant);
      else
        values.push_back(cast<Value>(ends[i]));
    }
    if (values.empty())
      return builder.getIndexAttr(known);
    if (known)
      values.push_back(arith::ConstantIndexOp::create(builder, loc, known));
    Value last = values.front();
    for (Value value : llvm::drop_begin(values))
      last = arith::MaxUIOp::create(builder, loc, last, value);
    return last;
  }

  /// Computes the size of a dynamic allocation, with run-time checks that it is no greater than `most` bytes.
  Size getSize(OpBuilder &builder, memref::AllocOp alloc, int64_t most) {
    Location loc = alloc.getLoc();
    Value bytes = buildByteCount(builder, loc, *getStaticBytes(alloc.getType()), alloc.getDynamicSizes(),
                                 std::min(most, int64_t(1) << 56));
    Value mask = arith::ConstantIndexOp::create(builder, loc, -RECUR_ALIGNMENT);
    Value up = arith::ConstantIndexOp::create(builder, loc, RECUR_ALIGNMENT - 1);
    Value aligned = arith::AndIOp::create(builder, loc, arith::AddIOp::create(builder, loc, bytes, up), mask);
    return {bytes, aligned};
  }

  /// Sets the sizes of the buffers in each sample. `get` chooses between the two members of Size.
  template <typename GetT>
  static void setSamples(MutableArrayRef<PlannedBuffer> buffers, ArrayRef<Size> sizes, GetT get) {
    for (PlannedBuffer &buffer : buffers)
      buffer.bytes.clear();
    for (std::pair<int64_t, int64_t> numbers : kSamples) {
      SampleValues values(numbers);
      for (auto [buffer, size] : llvm::zip_equal(buffers, sizes)) {
        OpFoldResult bytes = get(size);
        std::optional<int64_t> constant = getConstantIntValue(bytes);
        buffer.bytes.push_back(constant ? *constant : values.get(cast<Value>(bytes)));
      }
    }
  }

  /// Emits a remark for each sample that compares the plan with the lower bound, the bytes that are alive at once.
  static void emitReport(func::FuncOp compute, MutableArrayRef<PlannedBuffer> buffers, ArrayRef<Size> sizes,
                         const WorkspacePlan &plan) {
    bool isFixed = llvm::all_of(buffers, [](const PlannedBuffer &buffer) { return buffer.isFixed; });
    SmallVector<int64_t> planned;
    for (unsigned i = 0; i < std::size(kSamples); ++i)
      planned.push_back(plan.getBytes(buffers, i));
    setSamples(buffers, sizes, [](const Size &size) { return size.bytes; });
    for (auto [i, numbers] : llvm::enumerate(kSamples)) {
      int64_t all = 0;
      for (const PlannedBuffer &buffer : buffers)
        all += buffer.bytes[i];
      std::string dims;
      if (!isFixed)
        dims = ", if each dim that is not known at compile time is " + std::to_string(numbers.first);
      if (!isFixed && numbers.first != numbers.second)
        dims += " or " + std::to_string(numbers.second) + ", alternately";
      remarkAnalysis(compute.getLoc(), "rt-plan-workspace", "workspace",
                     "workspace of {0} bytes for {1} buffers of {2} bytes, of which {3} are alive at once{4}",
                     planned[i], buffers.size(), all, getPeak(buffers, i), dims);
      if (isFixed)
        return;
    }
  }

  /// Emits `recur_model_sizes`, which computes the bytes of workspace and the dims of all outputs. A dim that depends
  /// on computed data is -1, and its `rt.output` becomes `late`. Also sets the module's `rt.sizing_inputs`.
  LogicalResult emitSizes(ModuleOp module, func::FuncOp compute, const ProgramOrder &order, OpFoldResult bytes) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(compute);
    Location loc = compute.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto sizes = func::FuncOp::create(builder, loc, kSizesFunction,
                                      builder.getFunctionType({pointer, pointer, pointer}, builder.getI32Type()));
    builder.setInsertionPointToStart(sizes.addEntryBlock());
    llvm::SetVector<Operation *> slice;
    if (auto value = dyn_cast<Value>(bytes))
      if (failed(collectSlice(value, slice)))
        return compute.emitError("expected a workspace whose size follows from the inputs");

    auto declared = module->getAttrOfType<ArrayAttr>(rt::kOutputsAttr);
    if (!declared)
      return module.emitError() << "expected '" << rt::kOutputsAttr << "', which `rt-lower-entry` writes";
    SmallVector<rt::OutputOp> outputs(declared.size());
    compute.walk([&](rt::OutputOp output) {
      if (output.getNumber() < outputs.size())
        outputs[output.getNumber()] = output;
    });
    if (!llvm::all_of(outputs, [](rt::OutputOp output) { return bool(output); }))
      return compute.emitError() << "expected an `rt.output` for each entry of '" << rt::kOutputsAttr << "'";
    // The dims of each output, -1 for a dim that depends on computed data.
    SmallVector<SmallVector<OpFoldResult>> dims;
    for (rt::OutputOp output : outputs) {
      auto &own = dims.emplace_back();
      auto type = cast<MemRefType>(output.getType());
      unsigned next = 0;
      for (int64_t dim : type.getShape()) {
        if (!ShapedType::isDynamic(dim)) {
          own.push_back(builder.getIndexAttr(dim));
          continue;
        }
        Value value = output.getDims()[next++];
        llvm::SetVector<Operation *> ownSlice;
        Location work = output.getLoc();
        if (failed(collectSlice(value, ownSlice, &work))) {
          own.push_back(builder.getIndexAttr(-1));
          output.setLate(true);
          // The output gets the location of the layer that computes the dim, because faults name it.
          output->setLoc(work);
          continue;
        }
        slice.insert(ownSlice.begin(), ownSlice.end());
        own.push_back(value);
      }
    }
    // Faults must be raised in program order. Ops that this pass created have no number, and come last.
    SmallVector<Operation *> ordered(slice.begin(), slice.end());
    auto getNumber = [&](Operation *op) { return order.getNumber(op).value_or(std::numeric_limits<int64_t>::max()); };
    llvm::sort(ordered, [&](Operation *a, Operation *b) {
      int64_t first = getNumber(a), second = getNumber(b);
      return first == second ? a->isBeforeInBlock(b) : first < second;
    });
    IRMapping mapping;
    std::set<int64_t> read;
    for (Operation *op : ordered) {
      builder.clone(*op, mapping);
      if (auto load = dyn_cast<memref::LoadOp>(op))
        read.insert(load.getMemRef().getDefiningOp<rt::InputOp>().getNumber());
    }
    module->setAttr(rt::kSizingInputsAttr,
                    builder.getDenseI64ArrayAttr(SmallVector<int64_t>(read.begin(), read.end())));
    SmallVector<Value> values;
    for (auto &own : dims)
      for (OpFoldResult dim : own)
        values.push_back(isa<Attribute>(dim) ? arith::ConstantIndexOp::create(
                                                   builder, loc, cast<IntegerAttr>(cast<Attribute>(dim)).getInt())
                                                   .getResult()
                                             : mapping.lookup(cast<Value>(dim)));
    auto value = dyn_cast<Value>(bytes);
    rt::SizesOp::create(builder, loc,
                        value ? mapping.lookup(value) : getValueOrCreateConstantIndexOp(builder, loc, bytes), values);
    Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
    func::ReturnOp::create(builder, loc, ok);
    return success();
  }
};
} // namespace
