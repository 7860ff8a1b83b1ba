// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerCopies.cpp - Copies that need no runtime library --------------===//
//
// MLIR lowers a copy that is not contiguous to a call of its runtime library, which a compiled model does not have. So
// such copies become loops: inline for static sizes and for rows with a known step, and in kernels for others.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "LoopMarks.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Transforms/Passes.h"
#include "SteppedRows.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_LOWERCOPIES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if `a` and `b` are the same view of the same buffer, with the same offsets, sizes and strides.
static bool isSameView(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && isa<ViewLikeOpInterface>(left) &&
         OperationEquivalence::isEquivalentTo(left, right, OperationEquivalence::IgnoreLocations);
}

/// True if a copy of this buffer becomes a memcpy. The condition is that of the lowering to LLVM.
static bool isContiguous(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  // A reshape with dynamic dims becomes a view with dynamic strides before the lowering to LLVM.
  bool isReshaped = isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(buffer.getDefiningOp());
  if (type.getLayout().isIdentity() && !(isReshaped && !type.hasStaticShape()))
    return true;
  return type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type);
}

/// The type of a buffer with `rank` dynamic dims and dynamic strides. If `isRow` is set, the last stride is 1.
static MemRefType getViewType(Type type, unsigned rank, bool isRow) {
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic), strides = shape;
  if (isRow)
    strides.back() = 1;
  return getKernelViewType(type, shape, strides);
}

/// The dims of `buffer` that are not statically 1.
static SmallVector<unsigned> getLongDims(Value buffer) {
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape()))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

/// A view of `buffer` as a kernel takes it: it has only `dims`, and every size and stride is a value.
static Value createView(OpBuilder &builder, Location loc, Value buffer, ArrayRef<unsigned> dims) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned dim : dims) {
    sizes.push_back(metadata.getConstifiedMixedSizes()[dim]);
    strides.push_back(metadata.getConstifiedMixedStrides()[dim]);
  }
  MemRefType type = getViewType(getElementTypeOrSelf(buffer.getType()), dims.size(), /*isRow=*/false);
  return createKernelView(builder, loc, type, metadata.getBaseBuffer(), metadata.getConstifiedMixedOffset(), sizes,
                          strides);
}

/// True if `buffer` is a view of a collapsed buffer. Then an access divides an index to find the indices of the whole.
static bool viewsCollapsed(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::CollapseShapeOp>(view))
      return true;
    buffer = view.getViewSource();
  }
  return false;
}

/// If a copy of static sizes views a collapsed buffer, returns views of its source and target with as few dims as
/// possible, which find elements by strides from the bases on. Otherwise, or if no dims go, returns nothing.
static std::optional<std::pair<Value, Value>> mergeDims(OpBuilder &builder, memref::CopyOp copy) {
  Value buffers[] = {copy.getSource(), copy.getTarget()};
  if (llvm::none_of(buffers, viewsCollapsed))
    return std::nullopt;
  int64_t offsets[2];
  SmallVector<int64_t> strides[2], sizes, merged[2];
  for (unsigned i : {0, 1}) {
    auto type = cast<MemRefType>(buffers[i].getType());
    if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides[i], offsets[i])) ||
        ShapedType::isDynamic(offsets[i]) || llvm::any_of(strides[i], ShapedType::isDynamic))
      return std::nullopt;
  }
  ArrayRef<int64_t> shape = cast<MemRefType>(buffers[0].getType()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    // The dim before this one may be part of the same row.
    if (!sizes.empty() && merged[0].back() == size * strides[0][dim] && merged[1].back() == size * strides[1][dim]) {
      sizes.back() *= size;
      for (unsigned i : {0, 1})
        merged[i].back() = strides[i][dim];
      continue;
    }
    sizes.push_back(size);
    for (unsigned i : {0, 1})
      merged[i].push_back(strides[i][dim]);
  }
  if (sizes.size() == shape.size())
    return std::nullopt;
  Value views[2];
  for (unsigned i : {0, 1}) {
    auto type = MemRefType::get(sizes, getElementTypeOrSelf(buffers[i].getType()),
                                StridedLayoutAttr::get(builder.getContext(), offsets[i], merged[i]));
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, copy.getLoc(), buffers[i]);
    views[i] = memref::ReinterpretCastOp::create(builder, copy.getLoc(), type, metadata.getBaseBuffer(), offsets[i],
                                                 sizes, merged[i]);
  }
  return std::pair(views[0], views[1]);
}

/// The number of elements that a copy moves at a time if it has a dynamic number of rows of a static length: what a
/// line of a cache holds, if rows hold a whole number of these. Otherwise 1.
static int64_t getLanes(memref::CopyOp copy) {
  auto source = cast<MemRefType>(copy.getSource().getType()), target = cast<MemRefType>(copy.getTarget().getType());
  if (target.hasStaticShape() || !source.isLastDimUnitStride() || !target.isLastDimUnitStride() ||
      !VectorType::isValidElementType(target.getElementType()))
    return 1;
  int64_t lanes = kLineBytes * 8 / target.getElementTypeBitWidth(), length = target.getShape().back();
  return ShapedType::isDynamic(length) || length == 0 || length % lanes != 0 ? 1 : lanes;
}

/// Emits loops that copy `lanes` elements at a time. LLVM would unroll a loop over the elements of a short row before
/// it vectorizes.
static void copyInVectors(OpBuilder &builder, memref::CopyOp copy, int64_t lanes) {
  Location loc = copy.getLoc();
  Value source = copy.getSource(), target = copy.getTarget();
  auto type = VectorType::get(lanes, getElementTypeOrSelf(target.getType()));
  int64_t rank = cast<MemRefType>(target.getType()).getRank();
  SmallVector<Value> starts(rank, arith::ConstantIndexOp::create(builder, loc, 0)),
      steps(rank, arith::ConstantIndexOp::create(builder, loc, 1)), ends;
  steps.back() = arith::ConstantIndexOp::create(builder, loc, lanes);
  for (int64_t dim = 0; dim < rank; ++dim)
    ends.push_back(memref::DimOp::create(builder, loc, target, dim));
  scf::buildLoopNest(builder, loc, starts, ends, steps, [&](OpBuilder &inner, Location at, ValueRange indices) {
    Value moved = vector::LoadOp::create(inner, at, type, source, indices);
    vector::StoreOp::create(inner, at, moved, target, indices);
  });
}

/// Returns what a copy or a fill stores at some indices: an element, or a vector if the type is one.
using LoadAt = function_ref<Value(OpBuilder &, Type, ValueRange)>;

/// The vector in which `emitRow` copies to a row of `target`, or null if it copies single elements.
static VectorType getRowVector(Value target) {
  Type element = getElementTypeOrSelf(target.getType());
  if (!VectorType::isValidElementType(element) || element.isIndex())
    return {};
  return VectorType::get(kLineBytes * 8 / element.getIntOrFloatBitWidth(), element);
}

/// Emits the copy or fill of one row of `target`, whose elements are one after the other. LLVM would not vectorize all
/// such loops. The last vector of a row ends with the row, so it may store elements again.
static void emitRow(OpBuilder &builder, Location loc, Value target, ValueRange outer, LoadAt load) {
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto type = cast<MemRefType>(target.getType());
  Type element = type.getElementType();
  Value zero = index(0), length = memref::DimOp::create(builder, loc, target, type.getRank() - 1);
  auto at = [&](Value i) {
    SmallVector<Value> indices(outer);
    indices.push_back(i);
    return indices;
  };
  auto emitElements = [&] {
    auto loop = scf::ForOp::create(builder, loc, zero, length, index(1));
    OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
    SmallVector<Value> indices = at(loop.getInductionVar());
    memref::StoreOp::create(body, loc, load(body, element, indices), target, indices);
  };
  VectorType vector = getRowVector(target);
  if (!vector)
    return emitElements();
  int64_t lanes = vector.getNumElements();
  auto emitVector = [&](OpBuilder &body, Value i) {
    SmallVector<Value> indices = at(i);
    vector::StoreOp::create(body, loc, load(body, vector, indices), target, indices);
  };
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, length, index(lanes));
  auto choice = scf::IfOp::create(builder, loc, isLong, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  Value last = arith::SubIOp::create(builder, loc, length, index(lanes));
  auto loop = scf::ForOp::create(builder, loc, zero, last, index(lanes));
  OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
  emitVector(body, loop.getInductionVar());
  emitVector(builder, last);
  builder.setInsertionPointToStart(choice.elseBlock());
  emitElements();
}

/// Emits loops that store into each element of `target` what `load` returns for its indices. LLVM may only vectorize
/// the innermost loop if its stores are contiguous.
static void createNest(OpBuilder &builder, Location loc, Value target, LoadAt load) {
  auto type = cast<MemRefType>(target.getType());
  bool hasRows = type.isLastDimUnitStride();
  int64_t loops = hasRows ? type.getRank() - 1 : type.getRank();
  SmallVector<Value> starts(loops, arith::ConstantIndexOp::create(builder, loc, 0)),
      steps(loops, arith::ConstantIndexOp::create(builder, loc, 1)), ends;
  for (int64_t dim = 0; dim < loops; ++dim)
    ends.push_back(memref::DimOp::create(builder, loc, target, dim));
  auto emit = [&](OpBuilder &inner, Location loc, ValueRange indices) {
    if (hasRows)
      return emitRow(inner, loc, target, indices, load);
    memref::StoreOp::create(inner, loc, load(inner, type.getElementType(), indices), target, indices);
  };
  scf::LoopNest nest = scf::buildLoopNest(builder, loc, starts, ends, steps, emit);
  if (!hasRows)
    keepLoop(nest.loops.back());
}

/// True if the elements of a row are a few elements apart in the source, and one after the other in the target.
static bool copiesSteps(memref::CopyOp copy) {
  VectorType vector = getRowVector(copy.getTarget());
  return vector && cast<MemRefType>(copy.getTarget().getType()).isLastDimUnitStride() &&
         canLoadWithStep(vector, copy.getSource());
}

/// Emits loops for a copy that `copiesSteps`.
static void copyWithStep(OpBuilder &builder, memref::CopyOp copy) {
  createNest(builder, copy.getLoc(), copy.getTarget(), [&](OpBuilder &body, Type type, ValueRange indices) -> Value {
    if (auto vector = dyn_cast<VectorType>(type))
      return loadWithStep(body, copy.getLoc(), vector, copy.getSource(), indices);
    return memref::LoadOp::create(body, copy.getLoc(), copy.getSource(), indices);
  });
}

/// Emits the body of a kernel twice, and a branch that chooses at run time: for buffers whose rows are all contiguous,
/// with unit strides in their types, and for all others.
static void emitRowsOrElements(OpBuilder &builder, Location loc, ValueRange buffers,
                               function_ref<void(OpBuilder &, ValueRange)> emit) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1), areRows;
  SmallVector<memref::ExtractStridedMetadataOp> metadata;
  for (Value buffer : buffers) {
    metadata.push_back(memref::ExtractStridedMetadataOp::create(builder, loc, buffer));
    Value isRow =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, metadata.back().getStrides().back(), one);
    areRows = areRows ? arith::AndIOp::create(builder, loc, areRows, isRow).getResult() : isRow;
  }
  auto choice = scf::IfOp::create(builder, loc, areRows, /*withElseRegion=*/true);
  OpBuilder rows = choice.getThenBodyBuilder(), elements = choice.getElseBodyBuilder();
  SmallVector<Value> views;
  for (auto [buffer, from] : llvm::zip_equal(buffers, metadata)) {
    SmallVector<OpFoldResult> strides = getAsOpFoldResult(from.getStrides());
    MemRefType type = getViewType(getElementTypeOrSelf(buffer.getType()), strides.size(), /*isRow=*/true);
    views.push_back(createKernelView(rows, loc, type, from.getBaseBuffer(), OpFoldResult(from.getOffset()),
                                     getAsOpFoldResult(from.getSizes()), strides));
  }
  emit(rows, views);
  emit(elements, buffers);
}

namespace {
/// The numbers of the arguments of the kernels for copies and for fills, in their order.
enum CopyArgument : unsigned { kCopySource, kCopyTarget };
enum FillArgument : unsigned { kFillValue, kFillTarget };

struct LowerCopies final : recur::impl::LowerCopiesBase<LowerCopies> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    SmallVector<linalg::FillOp> fills;
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
      else if (auto fill = dyn_cast<linalg::FillOp>(op))
        fills.push_back(fill);
    });
    for (memref::CopyOp copy : copies)
      if (failed(lower(rewriter, copy)))
        return signalPassFailure();
    // Other fills are left to convert-linalg-to-loops.
    for (linalg::FillOp fill : fills) {
      if (!isForKernel(fill, fill.getOutputs()[0]))
        continue;
      rewriter.setInsertionPoint(fill);
      Value target = fill.getOutputs()[0];
      SmallVector<unsigned> dims = getLongDims(target);
      Value view = createView(rewriter, fill.getLoc(), target, dims);
      func::CallOp::create(rewriter, fill.getLoc(), getFillKernel(fill.getInputs()[0].getType(), view.getType()),
                           ValueRange{fill.getInputs()[0], view});
      rewriter.eraseOp(fill);
    }
  }

private:
  /// Lowers a copy to loops or to a call of a kernel. Leaves it alone if it becomes a memcpy.
  LogicalResult lower(RewriterBase &rewriter, memref::CopyOp copy) {
    if (isSameView(copy.getSource(), copy.getTarget())) {
      rewriter.eraseOp(copy);
      return success();
    }
    auto source = cast<MemRefType>(copy.getSource().getType());
    // A short copy is a few moves; a call of memcpy costs more.
    bool shortCopy = source.hasStaticShape() && source.getNumElements() <= 16;
    if (!shortCopy && isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
      return success();
    rewriter.setInsertionPoint(copy);
    if (kernels && copiesSteps(copy)) {
      copyWithStep(rewriter, copy);
      rewriter.eraseOp(copy);
      return success();
    }
    if (isForKernel(copy, copy.getTarget())) {
      SmallVector<unsigned> dims = getLongDims(copy.getTarget());
      Value from = createView(rewriter, copy.getLoc(), copy.getSource(), dims),
            to = createView(rewriter, copy.getLoc(), copy.getTarget(), dims);
      func::CallOp::create(rewriter, copy.getLoc(), getCopyKernel(from.getType()), ValueRange{from, to});
      rewriter.eraseOp(copy);
      return success();
    }
    if (int64_t lanes = getLanes(copy); kernels && lanes > 1) {
      copyInVectors(rewriter, copy, lanes);
      rewriter.eraseOp(copy);
      return success();
    }
    Value from = copy.getSource(), to = copy.getTarget();
    if (kernels && !isInTimeLoop(copy))
      if (auto views = mergeDims(rewriter, copy))
        std::tie(from, to) = *views;
    linalg::GenericOp generic = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), from, to);
    FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, cast<linalg::LinalgOp>(generic.getOperation()));
    if (failed(loops))
      return copy.emitError("cannot lower this copy");
    rewriter.eraseOp(generic);
    rewriter.eraseOp(copy);
    return success();
  }

  /// True if `op` shall become a call of a kernel. Static sizes make better inline loops. Time loops, and loops that
  /// take one row per iteration, run often and make no calls.
  bool isForKernel(Operation *op, Value target) const {
    if (!kernels || cast<MemRefType>(target.getType()).hasStaticShape())
      return false;
    return !isInTimeLoop(op) && getLongDims(target).size() > (op->getParentOfType<LoopLikeOpInterface>() ? 1 : 0);
  }

  static bool isInTimeLoop(Operation *op) {
    for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (rt::isTimeLoop(loop))
        return true;
    return false;
  }

  /// The kernel that copies one buffer of the type `view` to another, and the one that fills it with a scalar of the
  /// type `value`.
  func::FuncOp getCopyKernel(Type view) {
    auto emit = [](OpBuilder &builder, Location loc, ValueRange arguments) {
      emitRowsOrElements(builder, loc, arguments, [&](OpBuilder &inner, ValueRange buffers) {
        createNest(inner, loc, buffers[kCopyTarget], [&](OpBuilder &body, Type type, ValueRange indices) -> Value {
          if (auto vector = dyn_cast<VectorType>(type))
            return vector::LoadOp::create(body, loc, vector, buffers[kCopySource], indices);
          return memref::LoadOp::create(body, loc, buffers[kCopySource], indices);
        });
      });
    };
    func::FuncOp kernel = getViewKernel("copy", view, {view, view}, emit);
    // A part has some indices of the first dim.
    KernelParts parts{{{kCopySource, 0}, {kCopyTarget, 0}}, /*grain=*/1, {}, getCopyWork(getElementTypeOrSelf(view))};
    for (int64_t dim = 0; dim < cast<MemRefType>(view).getRank(); ++dim)
      parts.sizes.push_back({kCopyTarget, dim});
    setKernelParts(kernel, parts);
    return kernel;
  }

  func::FuncOp getFillKernel(Type value, Type view) {
    return getViewKernel("fill", view, {value, view}, [](OpBuilder &builder, Location loc, ValueRange arguments) {
      emitRowsOrElements(builder, loc, arguments[kFillTarget], [&](OpBuilder &inner, ValueRange buffers) {
        createNest(inner, loc, buffers[0], [&](OpBuilder &body, Type type, ValueRange) -> Value {
          return isa<VectorType>(type) ? vector::BroadcastOp::create(body, loc, type, arguments[kFillValue]).getResult()
                                       : arguments[kFillValue];
        });
      });
    });
  }

  /// The function `rt_<name>_<element type>_<rank>`.
  func::FuncOp getViewKernel(StringRef name, Type view, ArrayRef<Type> arguments,
                             function_ref<void(OpBuilder &, Location, ValueRange)> emit) {
    auto buffer = cast<MemRefType>(view);
    std::string symbol;
    llvm::raw_string_ostream(symbol) << "rt_" << name << "_" << buffer.getElementType() << "_" << buffer.getRank();
    return getOrCreateKernel(getOperation(), symbol, arguments, [&](func::FuncOp kernel) {
      OpBuilder builder(kernel.getBody());
      emit(builder, kernel.getLoc(), kernel.getArguments());
      func::ReturnOp::create(builder, kernel.getLoc());
    });
  }
};
} // namespace
