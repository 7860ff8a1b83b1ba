// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PassMutations.cpp - bugs that passes could have -------------------===//
//
// Each bug changes the output of a pass in a way in which the pass could have been wrong.
//
//===----------------------------------------------------------------------===//

#include "MutationEntries.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace recur::fuzz {

static Value makeIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Makes a slice or subview begin at 0 along the dims with dynamic offsets. Returns false if there are none.
template <typename SliceOp>
static bool takeFirstPart(SliceOp op) {
  if (op.getOffsets().empty())
    return false;
  OpBuilder builder(op);
  Value zero = makeIndex(builder, op.getLoc(), 0);
  for (OpOperand &offset : op.getOffsetsMutable())
    offset.set(zero);
  return true;
}

/// Omits the last iteration of a loop.
static bool shorten(scf::ForOp op) {
  OpBuilder builder(op);
  op.setUpperBound(arith::SubIOp::create(builder, op.getLoc(), op.getUpperBound(), op.getStep()));
  return true;
}

//===----------------------------------------------------------------------===//
// Raised loops
//===----------------------------------------------------------------------===//

std::array<int64_t, 3> countForms(ov::LoopOp op) {
  auto count = [&](StringRef name) { return int64_t(op->getAttrOfType<ArrayAttr>(name).size()); };
  return {count("slices"), count("concats"), matchPattern(op.getTripCount(), m_Constant())};
}

bool isRaised(ov::LoopOp op) {
  auto before = op->getAttrOfType<DenseI64ArrayAttr>(kImportedAttr);
  auto now = countForms(op);
  return !before || now[0] > before[0] || now[1] > before[1] || now[2] > before[2];
}

/// Lowers constant trip counts by one, in raised loops of which only the final states are used.
static bool shortenRaised(ModuleOp module) {
  return forEach<ov::LoopOp>(module, [](ov::LoopOp op) {
    DenseElementsAttr count;
    if (!isRaised(op) || op->getAttrOfType<ArrayAttr>("concats").size() != 0 ||
        !matchPattern(op.getTripCount(), m_Constant(&count)) || count.getNumElements() != 1)
      return false;
    int64_t value = (*count.value_begin<APInt>()).getSExtValue();
    if (value < 2)
      return false;
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(op.getTripCount().getType());
    op.getTripCountMutable().assign(
        ov::ConstantOp::create(builder, op.getLoc(), type,
                               DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value - 1))));
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Time loops
//===----------------------------------------------------------------------===//

static bool isInTimeLoop(Operation *op) {
  while ((op = op->getParentOp()))
    if (isa<LoopLikeOpInterface>(op) && rt::isTimeLoop(op))
      return true;
  return false;
}

/// Each iteration reads the first part.
static bool readFirstPart(ModuleOp module) {
  return forEach<tensor::ExtractSliceOp>(
      module, [](tensor::ExtractSliceOp op) { return isInTimeLoop(op) && takeFirstPart(op); });
}

/// The last state or part of an iteration is not written.
static bool forgetWrite(ModuleOp module) {
  SmallVector<bufferization::MaterializeInDestinationOp> writes;
  module.walk([&](bufferization::MaterializeInDestinationOp op) {
    if (isInTimeLoop(op) && op->getNumResults() == 0)
      writes.push_back(op);
  });
  if (writes.empty())
    return false;
  writes.back().erase();
  return true;
}

/// The last iteration of an inner loop does not write to the final destination of its state.
static bool forgetFinalDestination(ModuleOp module) {
  return forEach<arith::SelectOp>(module, [](arith::SelectOp op) {
    if (!isa<MemRefType>(op.getType()) || !isInTimeLoop(op))
      return false;
    op.replaceAllUsesWith(op.getFalseValue());
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

static bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() == op.getNumParallelLoops() && op.getNumDpsInits() == 1 && op->getNumResults() == 1;
}

/// The reader of a fused producer reads the producer's input instead.
static bool skipProducer(ModuleOp module) {
  return forEach<linalg::GenericOp>(module, [](linalg::GenericOp op) {
    if (!isElementwise(op))
      return false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || !isElementwise(producer) || producer->getBlock() != op->getBlock() ||
          producer.getBody()->getOperations().size() < 2)
        continue;
      for (OpOperand *read : producer.getDpsInputOperands())
        if (read->get().getType() == input->get().getType() && producer.getMatchingIndexingMap(read).isIdentity()) {
          input->set(read->get());
          return true;
        }
    }
    return false;
  });
}

/// Two inputs of the same type are swapped.
static bool swapFusedInputs(ModuleOp module) {
  return forEach<linalg::GenericOp>(module, [](linalg::GenericOp op) {
    if (!isElementwise(op) || op.getNumDpsInputs() < 2)
      return false;
    OpOperand *a = op.getDpsInputOperand(0), *b = op.getDpsInputOperand(1);
    if (a->get() == b->get() || a->get().getType() != b->get().getType() ||
        op.getMatchingIndexingMap(a) != op.getMatchingIndexingMap(b))
      return false;
    Value first = a->get();
    a->set(b->get());
    b->set(first);
    return true;
  });
}

/// The dims of a square input are read in another order.
static bool transposeFusedInput(ModuleOp module) {
  return forEach<linalg::GenericOp>(module, [](linalg::GenericOp op) {
    if (!isElementwise(op))
      return false;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      AffineMap &map = maps[input->getOperandNumber()];
      if (!type || type.getRank() < 2 || !map.isPermutation() || type.isDynamicDim(0) || type.getDimSize(0) < 2 ||
          type.getDimSize(0) != type.getDimSize(1))
        continue;
      SmallVector<AffineExpr> results(map.getResults());
      std::swap(results[0], results[1]);
      map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
      op.setIndexingMapsAttr(OpBuilder(op).getAffineMapArrayAttr(maps));
      return true;
    }
    return false;
  });
}

/// A boolean byte is tested by its lowest bit.
static bool readLowestBit(ModuleOp module) {
  return forEach<arith::CmpIOp>(module, [](arith::CmpIOp op) {
    if (!op.getLhs().getType().isInteger(8) || !matchPattern(op.getRhs(), m_Zero()) ||
        (op.getPredicate() != arith::CmpIPredicate::ne && op.getPredicate() != arith::CmpIPredicate::eq))
      return false;
    OpBuilder builder(op);
    Value one = arith::ConstantIntOp::create(builder, op.getLoc(), op.getLhs().getType(), 1);
    Value bit = arith::AndIOp::create(builder, op.getLoc(), op.getLhs(), one);
    op.getLhsMutable().assign(bit);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Tiles and vectors
//===----------------------------------------------------------------------===//

/// Masks have one lane less, or (by 1) one more, in the innermost dim.
template <int by>
static bool moveMasks(ModuleOp module) {
  return forEach<vector::CreateMaskOp>(module, [](vector::CreateMaskOp op) {
    OpBuilder builder(op);
    OpOperand &last = op->getOpOperand(op->getNumOperands() - 1);
    Value step = makeIndex(builder, op.getLoc(), by);
    last.set(arith::AddIOp::create(builder, op.getLoc(), last.get(), step));
    return true;
  });
}

static bool isVectorLoop(scf::ForOp op) {
  std::optional<APInt> step = op.getConstantStep();
  return step && step->getSExtValue() > 1;
}

/// The last vector of a row, or of a tile, is omitted.
static bool dropLastVector(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    return isVectorLoop(op) && isInTimeLoop(op.getBody()->getTerminator()) == isInTimeLoop(op) && shorten(op);
  });
}

/// The remainder of a row, after its last whole vector, is not written. It has another number of lanes than a vector,
/// or, where it is split into powers of two, begins at a constant index.
static bool dropRemainder(ModuleOp module) {
  return forEach<vector::TransferWriteOp>(module, [](vector::TransferWriteOp op) {
    VectorType type = op.getVectorType();
    APInt first;
    if (type.getRank() == 0 || op.isMasked() || op->getNumResults() != 1)
      return false;
    bool isSplit = matchPattern(op.getIndices().back(), m_ConstantInt(&first)) && !first.isZero();
    if (!isSplit && llvm::isPowerOf2_64(type.getShape().back()))
      return false;
    op->getResult(0).replaceAllUsesWith(op.getBase());
    op.erase();
    return true;
  });
}

/// Accumulators in registers start at one.
static bool startAccumulatorsAtOne(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    bool changed = false;
    for (OpOperand &init : op.getInitArgsMutable()) {
      auto type = dyn_cast<VectorType>(init.get().getType());
      DenseElementsAttr value;
      if (!type || !matchPattern(init.get(), m_Constant(&value)) || !value.isSplat())
        continue;
      OpBuilder builder(op);
      TypedAttr one = builder.getOneAttr(type.getElementType());
      init.set(arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, one)));
      changed = true;
    }
    return changed;
  });
}

/// The first term of a sum in registers is omitted.
static bool dropFirstTerm(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    if (llvm::none_of(op.getInitArgs(), [](Value init) { return isa<VectorType>(init.getType()); }))
      return false;
    OpBuilder builder(op);
    op.setLowerBound(arith::AddIOp::create(builder, op.getLoc(), op.getLowerBound(), op.getStep()));
    return true;
  });
}

/// Every vector is read from the beginning of the row.
static bool readFirstVector(ModuleOp module) {
  return forEach<vector::TransferReadOp>(module, [](vector::TransferReadOp op) {
    if (op.getIndices().empty() || matchPattern(op.getIndices().back(), m_Zero()))
      return false;
    OpBuilder builder(op);
    op->setOperand(op.getIndices().size(), makeIndex(builder, op.getLoc(), 0));
    return true;
  });
}

/// In product kernels, which have dynamic sizes, masked columns are not stored.
static bool dropMaskedColumns(ModuleOp module) {
  return forEach<vector::MaskedStoreOp>(module, [](vector::MaskedStoreOp op) {
    op.erase();
    return true;
  });
}

/// Kernels omit the last of their rows.
static bool dropKernelRow(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    return function->hasAttr(rt::kKernelAttr) && isVectorLoop(op) && op.getNumResults() == 0 && shorten(op);
  });
}

/// Sums in kernels omit their last step.
static bool shortenKernelSums(ModuleOp module) {
  return forEach<scf::ForOp>(module, [](scf::ForOp op) {
    return op->getParentOfType<func::FuncOp>()->hasAttr(rt::kKernelAttr) && op.getNumResults() != 0 && shorten(op);
  });
}

/// The kernels that copy and fill are not called.
static bool dropKernelCopies(ModuleOp module) {
  return forEach<func::CallOp>(module, [](func::CallOp op) {
    if (!op.getCallee().starts_with("rt_copy_") && !op.getCallee().starts_with("rt_fill_"))
      return false;
    op.erase();
    return true;
  });
}

/// Rows end with their last whole vector: the branch for the remainder never runs.
static bool dropBranchOfRest(ModuleOp module) {
  return forEach<scf::IfOp>(module, [](scf::IfOp op) {
    auto condition = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (op.getNumResults() != 0 || op.elseBlock() || !condition ||
        condition.getPredicate() != arith::CmpIPredicate::slt)
      return false;
    op.erase();
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// A dim that may be broadcast always has stride 0, whatever its size.
static bool broadcastAlways(ModuleOp module) {
  return forEach<memref::ReinterpretCastOp>(module, [](memref::ReinterpretCastOp op) {
    bool changed = false;
    for (OpOperand &stride : op.getStridesMutable()) {
      auto choice = stride.get().getDefiningOp<arith::SelectOp>();
      if (!choice || !matchPattern(choice.getFalseValue(), m_Zero()))
        continue;
      stride.set(choice.getFalseValue());
      changed = true;
    }
    return changed;
  });
}

static bool dropCopies(ModuleOp module) {
  return forEach<memref::CopyOp>(module, [](memref::CopyOp op) {
    op.erase();
    return true;
  });
}

/// Every subview is the first part of its buffer.
static bool useFirstPart(ModuleOp module) {
  return forEach<memref::SubViewOp>(module, takeFirstPart<memref::SubViewOp>);
}

/// Scalars are stored one element too early.
static bool storeBefore(ModuleOp module) {
  return forEach<memref::StoreOp>(module, [](memref::StoreOp op) {
    if (op.getIndices().empty() || matchPattern(op.getIndices().back(), m_Constant()))
      return false;
    OpBuilder builder(op);
    Value one = makeIndex(builder, op.getLoc(), 1), zero = makeIndex(builder, op.getLoc(), 0);
    Value less = arith::SubIOp::create(builder, op.getLoc(), op.getIndices().back(), one);
    OpOperand &last = op.getIndicesMutable()[op.getIndices().size() - 1];
    last.set(arith::MaxSIOp::create(builder, op.getLoc(), less, zero));
    return true;
  });
}

/// All buffers begin at the offset of the first one.
static bool overlapBuffers(ModuleOp module) {
  Value first;
  return forEach<memref::ViewOp>(module, [&](memref::ViewOp op) {
    if (!op.getSource().getDefiningOp<rt::WorkspaceOp>())
      return false;
    if (!first || first == op.getByteShift()) {
      first = op.getByteShift();
      return false;
    }
    // Constant offsets are defined at the beginning of the function.
    APInt constant;
    if (!matchPattern(first, m_ConstantInt(&constant)))
      return false;
    op.getByteShiftMutable().assign(first);
    return true;
  });
}

/// The workspace is 64 bytes too small.
static bool shrinkWorkspace(ModuleOp module) {
  auto bytes = module->getAttrOfType<IntegerAttr>(rt::kWorkspaceBytesAttr);
  if (!bytes || bytes.getInt() < 64)
    return false;
  module->setAttr(rt::kWorkspaceBytesAttr, IntegerAttr::get(bytes.getType(), bytes.getInt() - 64));
  return forEach<rt::SizesOp>(module, [](rt::SizesOp op) {
    OpBuilder builder(op);
    Value less = makeIndex(builder, op.getLoc(), 64);
    op.getWorkspaceMutable().assign(arith::SubIOp::create(builder, op.getLoc(), op.getWorkspace(), less));
    return true;
  });
}

/// Dims in the answer of a query that depend on the call are one too large.
static bool changeSizes(ModuleOp module) {
  return forEach<rt::SizesOp>(module, [](rt::SizesOp op) {
    bool changed = false;
    for (OpOperand &dim : op.getDimsMutable()) {
      if (matchPattern(dim.get(), m_Constant()))
        continue;
      OpBuilder builder(op);
      dim.set(arith::AddIOp::create(builder, op.getLoc(), dim.get(), makeIndex(builder, op.getLoc(), 1)));
      changed = true;
    }
    return changed;
  });
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Calls `change` for the packed constants. Returns true if one changed.
static bool changePlan(ModuleOp module, llvm::function_ref<bool(ov::WeightsAttr &constant)> change) {
  auto plan = module->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr);
  if (!plan)
    return false;
  bool changed = false;
  SmallVector<Attribute> entries;
  for (Attribute attr : plan) {
    auto pair = cast<ArrayAttr>(attr);
    auto constant = cast<ov::WeightsAttr>(pair[0]);
    changed |= change(constant);
    entries.push_back(ArrayAttr::get(module.getContext(), {constant, pair[1]}));
  }
  if (changed)
    module->setAttr(rt::kWeightsPlanAttr, ArrayAttr::get(module.getContext(), entries));
  return changed;
}

/// Constants are read from the file one element too early.
static bool shiftInFile(ModuleOp module) {
  return changePlan(module, [](ov::WeightsAttr &constant) {
    int64_t bytes = std::max<int64_t>(constant.getStored().getElementTypeBitWidth() / 8, 1);
    if (constant.getOffset() < bytes)
      return false;
    constant = ov::WeightsAttr::get(constant.getContext(), constant.getOffset() - bytes, constant.getStored(),
                                    constant.getLayout(), constant.getType());
    return true;
  });
}

/// The first step of a layout is wrong: it orders dims differently, or takes a part from another offset.
static bool changeSteps(ModuleOp module) {
  return changePlan(module, [](ov::WeightsAttr &constant) {
    SmallVector<ov::LayoutStepAttrInterface> steps(constant.getLayout());
    // Only the first step is changed, because the dims after other steps are not tracked here.
    if (steps.empty())
      return false;
    ov::LayoutStepAttrInterface &first = steps.front();
    auto part = dyn_cast<ov::ExtractStepAttr>(first);
    if (auto transposed = dyn_cast<ov::TransposeStepAttr>(first)) {
      // The bytes are read as if the dims of the matrix were in this order already.
      SmallVector<int64_t> dims;
      for (int64_t axis : transposed.getPermutation())
        dims.push_back(constant.getStored().getShape()[axis]);
      first = ov::ReshapeStepAttr::get(constant.getContext(), DenseI64ArrayAttr::get(constant.getContext(), dims));
    } else if (part && part.getStart() > 0 && part.getStep() == 1) {
      first = ov::ExtractStepAttr::get(constant.getContext(), part.getAxis(), part.getStart() - 1, part.getSize());
    } else {
      return false;
    }
    constant = ov::WeightsAttr::get(constant.getContext(), constant.getOffset(), constant.getStored(), steps,
                                    constant.getType());
    return true;
  });
}

llvm::ArrayRef<MutationEntry> getPassMutations() {
  static const MutationEntry entries[] = {
      {{"raised-slice-shifted", "a raised slice is shifted by one element"},
       Stage::Simplify,
       [](ModuleOp module) { return shiftSlices(module, /*onlyRaised=*/true); }},
      {{"raised-slice-reversed", "a raised slice goes in the other direction"},
       Stage::Simplify,
       [](ModuleOp module) { return reverseSlices(module, /*onlyRaised=*/true); }},
      {{"raised-concat-reversed", "a raised concatenation goes in the other direction"},
       Stage::Simplify,
       [](ModuleOp module) { return reverseConcats(module, /*onlyRaised=*/true); }},
      {{"raised-count", "a raised trip count is one less"}, Stage::Simplify, shortenRaised},
      {{"first-part", "each iteration reads the first part"}, Stage::Loops, readFirstPart},
      {{"write-forgotten", "the last write of an iteration is left out"}, Stage::Loops, forgetWrite},
      {{"final-destination", "the last iteration of an inner loop does not write to the final destination"},
       Stage::Loops,
       forgetFinalDestination},
      {{"producer-skipped", "fusion leaves out a producer"}, Stage::Linalg, skipProducer},
      {{"inputs-swapped", "fusion swaps two inputs"}, Stage::Linalg, swapFusedInputs},
      {{"input-transposed", "fusion reads the dims of an input in another order"}, Stage::Linalg, transposeFusedInput},
      {{"boolean-bit", "a boolean is read as the lowest bit of its byte"}, Stage::Linalg, readLowestBit},
      {{"mask-short", "masks have one lane too few"}, Stage::Schedule, moveMasks<-1>},
      {{"mask-long", "masks have one lane too many"}, Stage::Schedule, moveMasks<1>},
      {{"last-vector", "the last vector of a row is left out"}, Stage::Schedule, dropLastVector},
      {{"remainder", "the remainder of a row after its last whole vector is not written"},
       Stage::Schedule,
       dropRemainder},
      {{"accumulator-from-one", "accumulators start at 1"}, Stage::Schedule, startAccumulatorsAtOne},
      {{"first-term", "the first term of a sum is left out"}, Stage::Schedule, dropFirstTerm},
      {{"first-vector", "all vectors of a row are read from its beginning"}, Stage::Schedule, readFirstVector},
      {{"kernel-columns", "kernels do not store masked columns"}, Stage::Bufferize, dropMaskedColumns},
      {{"kernel-rows", "kernels leave out the last rows"}, Stage::Bufferize, dropKernelRow},
      {{"kernel-sums", "kernels leave out the last step of sums"}, Stage::Bufferize, shortenKernelSums},
      {{"kernel-copies", "kernels that copy or fill are not called"}, Stage::Bufferize, dropKernelCopies},
      {{"rest-skipped", "the branch for the remainder of a row never runs"}, Stage::Bufferize, dropBranchOfRest},
      {{"broadcast-always", "dims that may be broadcast are always broadcast"}, Stage::Bufferize, broadcastAlways},
      {{"copy-dropped", "copies of buffers are left out"}, Stage::Bufferize, dropCopies},
      {{"part-alias", "each view of a part of a buffer is a view of its first part"}, Stage::Bufferize, useFirstPart},
      {{"store-before", "scalars are stored one element too early"}, Stage::Bufferize, storeBefore},
      {{"workspace-overlap", "two live buffers share an offset"}, Stage::Bufferize, overlapBuffers},
      {{"workspace-small", "the workspace is 64 bytes too small"}, Stage::Bufferize, shrinkWorkspace},
      {{"sizes-dim", "the query returns dims of outputs that are one too large"}, Stage::Bufferize, changeSizes},
      {{"weights-in-file", "weights are read one element too early"}, Stage::LLVM, shiftInFile},
      {{"weights-steps", "a step of packing moves other elements"}, Stage::LLVM, changeSteps},
  };
  return entries;
}

} // namespace recur::fuzz
