// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.cpp - Dims of values in a loop's body, before it ----------===//

#include "BodyDims.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

/// Chains of ops are not followed without end.
static constexpr unsigned kMaxDepth = 512;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The elements of a scalar or rank-1 tensor, where their number is static.
static std::optional<int64_t> getStaticLength(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() > 1 || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool BodyDims::isOutside(Value value) const { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }

void BodyDims::setCarried(BlockArgument argument, Dims dims) {
  carried[argument] = std::move(dims);
  known.clear();
  inner.clear();
  settled.clear();
}

void BodyDims::prefer(const Dims &dims) {
  for (std::optional<Dim> dim : dims)
    if (dim && !exprs.getConstant(*dim))
      preferred.insert(*dim);
}

BodyDims::Dims BodyDims::getAll(Value tensor) {
  Dims dims;
  for (int64_t d = 0, rank = typeOf(tensor).getRank(); d < rank; ++d)
    dims.push_back(get(tensor, d));
  return dims;
}

std::optional<BodyDims::Dim> BodyDims::get(Value tensor, int64_t dim) {
  RankedTensorType type = typeOf(tensor);
  if (!type.isDynamicDim(dim))
    return exprs.constant(type.getDimSize(dim));
  if (auto it = known.find({tensor, dim}); it != known.end())
    return it->second;
  std::optional<Dim> result;
  if (depth < kMaxDepth) {
    ++depth;
    result = trace(tensor, dim);
    --depth;
  }
  if (isOutside(tensor)) {
    if (!result)
      result = exprs.intern({DimKind::dim, dim, tensor, {}});
    // What is there needs no arithmetic.
    if (exprs.isComputed(*result))
      exprs.setValue(*result, tensor::DimOp::create(builder, loop->getLoc(), tensor, dim).getResult());
  }
  known[{tensor, dim}] = result;
  return result;
}

std::optional<BodyDims::Dim> BodyDims::trace(Value tensor, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return traceArgument(argument, dim);
  return traceOp(tensor.getDefiningOp(), cast<OpResult>(tensor), dim);
}

std::optional<BodyDims::Dim> BodyDims::joinOperands(ValueRange operands, int64_t rank, int64_t dim) {
  SmallVector<Dim> dims;
  for (Value operand : operands) {
    int64_t own = dim - (rank - typeOf(operand).getRank());
    if (own < 0)
      continue;
    std::optional<Dim> found = get(operand, own);
    if (!found)
      return std::nullopt;
    dims.push_back(*found);
  }
  return exprs.combine(DimKind::join, dims);
}

std::optional<BodyDims::Dim> BodyDims::anyOperand(ValueRange operands, int64_t dim) {
  std::optional<Dim> result;
  for (Value operand : operands) {
    std::optional<Dim> found = get(operand, dim);
    if (found && (!result || (!preferred.contains(*result) && preferred.contains(*found))))
      result = found;
  }
  return result;
}

std::optional<BodyDims::Dim> BodyDims::traceIndex(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return exprs.constant(*number);
  auto value = cast<Value>(size);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> i = dim.getConstantIndex(); i && isa<RankedTensorType>(dim.getSource().getType()))
      return get(dim.getSource(), *i);
  if (auto check = value.getDefiningOp<rt::CheckOp>(); check && isOutside(value)) {
    std::optional<Dim> result = traceIndex(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    if (result && !exprs.getConstant(*result))
      exprs.setValue(*result, value);
    return result;
  }
  if (isOutside(value))
    return exprs.intern({DimKind::index, 0, value, {}});
  return std::nullopt;
}

/// A size of an op that cuts, of which dims of 1 may be dropped.
template <typename OpT>
static OpFoldResult getKeptSize(OpT op, int64_t dim) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(i) && dim-- == 0)
      return size;
  return {};
}

std::optional<BodyDims::Dim> BodyDims::traceBuffer(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return exprs.constant(type.getDimSize(dim));
  unsigned number = type.getDynamicDimIndex(dim);
  if (auto subview = buffer.getDefiningOp<memref::SubViewOp>())
    return traceIndex(getKeptSize(subview, dim));
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return traceIndex(alloc.getDynamicSizes()[number]);
  if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    return traceIndex(view.getSizes()[number]);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<BodyDims::Dim> BodyDims::traceArgument(BlockArgument argument, int64_t dim) {
  if (auto it = carried.find(argument); it != carried.end())
    return it->second[dim];
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto op = dyn_cast<ov::TensorIteratorOp>(parent))
    return traceLoopArgument(op, argument, dim);
  if (auto op = dyn_cast<ov::LoopOp>(parent))
    return traceLoopArgument(op, argument, dim);
  return std::nullopt;
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::traceLoopArgument(LoopT op, BlockArgument argument, int64_t dim) {
  for (auto [part, input] : llvm::zip_equal(op.getSliceArgs(), op.getSliced()))
    if (part == argument)
      return get(input, dim);
  if (op == loop)
    return std::nullopt;
  settle(op);
  auto it = inner.find(argument);
  return it == inner.end() ? std::nullopt : it->second[dim];
}

/// Finds the carried values of a loop in the body that keep the dims of their initial values.
template <typename LoopT>
void BodyDims::settle(LoopT op) {
  if (!settled.insert(op).second)
    return;
  for (auto [argument, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs())) {
    Dims dims = getAll(init);
    inner[argument] = std::move(dims);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, next] : llvm::zip_equal(op.getCarriedArgs(), op.getYield().getNext())) {
      Dims then = getAll(next), &dims = inner[argument];
      for (auto [dim, other] : llvm::zip_equal(dims, then))
        if (dim && dim != other) {
          dim = std::nullopt;
          changed = true;
        }
    }
    if (changed)
      known.clear();
  }
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::countParts(LoopT op) {
  if (std::optional<int64_t> count = op.getStaticCount())
    return exprs.constant(*count);
  if (auto loopOp = dyn_cast<ov::LoopOp>(op.getOperation())) {
    // Below 0 it is a fault.
    bool counted =
        loopOp.isConditionAlwaysTrue() && matchPattern(loopOp.getCondition(), m_One()) && op.getSliced().empty();
    return counted ? traceElement(loopOp.getTripCount(), 0) : std::nullopt;
  }
  for (auto [i, input] : llvm::enumerate(op.getSliced())) {
    ov::PartitionAttr slice = op.getSliceAt(i);
    bool whole = slice.isBackward() ? slice.getStart() == -1 && slice.getEnd() == 0
                                    : slice.getStart() == 0 && slice.getEnd() == -1;
    if (whole && std::abs(slice.getStride()) == 1 && slice.getPart() == 1)
      return get(input, slice.getAxis());
  }
  return std::nullopt;
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::traceLoop(LoopT op, OpResult result, int64_t dim) {
  unsigned i = result.getResultNumber();
  if (i < op.getCarried().size()) {
    settle(op);
    return inner[op.getCarriedArgs()[i]][dim];
  }
  i -= op.getCarried().size();
  std::optional<Dim> count = countParts(op);
  // After no iteration a dim that the type does not know is 0.
  bool runs = isa<ov::TensorIteratorOp>(op.getOperation()) || (count && exprs.getConstant(*count).value_or(0) > 0);
  if (i < op.getLast().size())
    return runs ? get(op.getYield().getLast()[i], dim) : std::nullopt;
  i -= op.getLast().size();
  std::optional<Dim> part = get(op.getYield().getConcat()[i], dim);
  if (dim != op.getConcatAt(i).getAxis())
    return runs ? part : std::nullopt;
  if (!part || !count)
    return std::nullopt;
  return exprs.combine(DimKind::product, {*part, *count});
}

//===----------------------------------------------------------------------===//
// Shapes that are data
//===----------------------------------------------------------------------===//

std::optional<BodyDims::Dim> BodyDims::traceElement(Value tensor, int64_t position) {
  std::optional<int64_t> length = getStaticLength(tensor);
  Type element = typeOf(tensor).getElementType();
  if (!length || position >= *length || !(element.isSignlessInteger(32) || element.isSignlessInteger(64)) ||
      depth > kMaxDepth)
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> numbers = ov::getConstantIntegers(tensor))
    return exprs.constant((*numbers)[position]);
  ++depth;
  auto same = [&](Value source) -> std::optional<Dim> {
    return getStaticLength(source) == length ? traceElement(source, position) : std::nullopt;
  };
  // Only of sizes, and where nothing wraps.
  auto compute = [&](DimKind kind, Value lhs, Value rhs) -> std::optional<Dim> {
    SmallVector<Dim> dims;
    for (Value operand : {lhs, rhs}) {
      std::optional<Dim> dim = traceElement(operand, getStaticLength(operand) == 1 ? 0 : position);
      if (!dim || !exprs.isSurelySize(*dim) || !element.isInteger(64))
        return std::nullopt;
      dims.push_back(*dim);
    }
    return exprs.combine(kind, dims);
  };
  std::optional<Dim> result;
  if (Operation *source = tensor.getDefiningOp())
    result = TypeSwitch<Operation *, std::optional<Dim>>(source)
                 .Case([&](ov::ShapeOfOp op) { return get(op.getData(), position); })
                 .Case<ov::SqueezeOp, ov::UnsqueezeOp, ov::ReshapeOp>([&](auto op) { return same(op.getData()); })
                 .Case([&](ov::ConvertOp op) { return same(op.getInput()); })
                 .Case([&](tensor::CastOp op) { return same(op.getSource()); })
                 .Case([&](ov::ConcatOp op) -> std::optional<Dim> {
                   int64_t at = position;
                   for (Value input : op.getInputs()) {
                     std::optional<int64_t> own = getStaticLength(input);
                     if (!own)
                       return std::nullopt;
                     if (at < *own)
                       return traceElement(input, at);
                     at -= *own;
                   }
                   return std::nullopt;
                 })
                 .Case([&](ov::GatherOp op) -> std::optional<Dim> {
                   std::optional<SmallVector<int64_t>> indices = ov::getConstantIntegers(op.getIndices());
                   std::optional<int64_t> own = getStaticLength(op.getData());
                   if (!indices || position >= int64_t(indices->size()) || !own || op.getBatchDims() != 0)
                     return std::nullopt;
                   std::optional<int64_t> index = ov::normalizeAxis((*indices)[position], *own);
                   return index ? traceElement(op.getData(), *index) : std::nullopt;
                 })
                 .Case<ov::SliceOp, ov::StridedSliceOp>([&](auto op) -> std::optional<Dim> {
                   std::optional<ov::Slicing> slicing = ov::getSlicing(op);
                   if (!slicing || slicing->dims.size() != 1 || !slicing->dims.front().isKnown())
                     return std::nullopt;
                   const ov::SliceDim &taken = slicing->dims.front();
                   return traceElement(op.getData(), taken.start + position * taken.step);
                 })
                 .Case([&](ov::AddOp op) { return compute(DimKind::sum, op.getLhs(), op.getRhs()); })
                 .Case([&](ov::MultiplyOp op) { return compute(DimKind::product, op.getLhs(), op.getRhs()); })
                 .Default([](Operation *) { return std::nullopt; });
  --depth;
  if (!result && isOutside(tensor))
    return exprs.intern({DimKind::element, position, tensor, {}});
  return result;
}

std::optional<BodyDims::Dim> BodyDims::traceReshape(ov::ReshapeOp op, int64_t dim) {
  Value data = op.getData();
  // The entry with special zeros replaced. None may be -1 in the program but those that are seen to be.
  auto getEntry = [&](int64_t i) -> std::optional<Dim> {
    std::optional<Dim> entry = traceElement(op.getTargetShape(), i);
    if (!entry || exprs.getConstant(*entry) == -1)
      return entry;
    if (!exprs.isSurelySize(*entry))
      return std::nullopt;
    if (!op.getSpecialZero() || i >= typeOf(data).getRank() || exprs.getConstant(*entry).value_or(0) != 0)
      return entry;
    std::optional<Dim> copied = get(data, i);
    if (!copied || copied == entry || exprs.getConstant(*entry) == 0)
      return copied;
    return exprs.intern({DimKind::ifZero, 0, {}, {*entry, *copied}});
  };
  std::optional<Dim> entry = getEntry(dim);
  if (!entry || exprs.getConstant(*entry) != -1)
    return entry;
  SmallVector<Dim> all, others;
  for (int64_t i = 0, rank = typeOf(op.getResult()).getRank(); i < rank; ++i) {
    if (i == dim)
      continue;
    std::optional<Dim> other = getEntry(i);
    if (!other || exprs.getConstant(*other) == -1)
      return std::nullopt;
    others.push_back(*other);
  }
  for (std::optional<Dim> size : getAll(data)) {
    if (!size)
      return std::nullopt;
    all.push_back(*size);
  }
  return exprs.divide(all, others);
}

std::optional<BodyDims::Dim> BodyDims::traceBroadcast(ov::BroadcastOp op, int64_t dim) {
  std::optional<Dim> target;
  int64_t length = typeOf(op.getTargetShape()).getDimSize(0), rank = typeOf(op.getResult()).getRank();
  if (int64_t at = dim - (rank - length); at >= 0) {
    target = traceElement(op.getTargetShape(), at);
    if (!target)
      return std::nullopt;
  }
  if (op.getMode() != "bidirectional")
    return target;
  std::optional<Dim> own = joinOperands(op.getData(), rank, dim);
  if (!own || !target)
    return own;
  return exprs.combine(DimKind::join, {*own, *target});
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The dim of the input that is dim `dim` of a result without the dims at `axes`.
static int64_t skipAxes(ArrayRef<int64_t> axes, int64_t rank, int64_t dim) {
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i) && dim-- == 0)
      return i;
  return -1;
}

/// An attribute of the op's own, if it has one of that name; null where it is not set. (An op without any attribute of
/// its own claims to have all.)
static std::optional<Attribute> findAttr(Operation *op, StringRef name) {
  if (!llvm::any_of(op->getName().getAttributeNames(), [&](StringAttr own) { return own == name; }))
    return std::nullopt;
  return op->getInherentAttr(name);
}

std::optional<BodyDims::Dim> BodyDims::traceOp(Operation *op, OpResult result, int64_t dim) {
  int64_t rank = typeOf(result).getRank();
  using Found = std::optional<Dim>;
  return TypeSwitch<Operation *, Found>(op)
      .Case([&](tensor::CastOp cast) { return get(cast.getSource(), dim); })
      .Case([&](tensor::ExtractSliceOp slice) { return traceIndex(getKeptSize(slice, dim)); })
      .Case([&](bufferization::ToTensorOp read) { return traceBuffer(read.getBuffer(), dim); })
      .Case<ov::TensorIteratorOp, ov::LoopOp>([&](auto inner) { return traceLoop(inner, result, dim); })
      .Case([&](ov::IfOp branch) -> Found {
        // What a body knows is no use where the body cannot be seen.
        if (isOutside(result))
          return std::nullopt;
        unsigned i = result.getResultNumber();
        Found first = get(branch.getEnd(true).getValues()[i], dim);
        return first == get(branch.getEnd(false).getValues()[i], dim) ? first : std::nullopt;
      })
      .Case([&](ov::MatMulOp matmul) -> Found {
        Value a = matmul.getA(), b = matmul.getB();
        int64_t rankA = typeOf(a).getRank(), rankB = typeOf(b).getRank();
        // Dims of the result: batch, then the rows unless a is a vector, then the columns unless b is one.
        int64_t rows = rankA > 1, columns = rankB > 1, batch = rank - rows - columns;
        if (dim >= batch)
          return dim == batch && rows ? get(a, matmul.getTransposeA() ? rankA - 1 : rankA - 2)
                                      : get(b, matmul.getTransposeB() ? rankB - 2 : rankB - 1);
        SmallVector<Dim> dims;
        for (auto [operand, own] : {std::pair(a, rankA - 2), std::pair(b, rankB - 2)}) {
          int64_t at = dim - (batch - own);
          if (at < 0)
            continue;
          Found found = get(operand, at);
          if (!found)
            return std::nullopt;
          dims.push_back(*found);
        }
        return exprs.combine(DimKind::join, dims);
      })
      .Case([&](ov::UnsqueezeOp unsqueeze) -> Found {
        std::optional<SmallVector<int64_t>> axes = ov::getConstantAxes(unsqueeze.getAxes(), rank);
        if (!axes)
          return std::nullopt;
        return get(unsqueeze.getData(), dim - llvm::count_if(*axes, [&](int64_t axis) { return axis < dim; }));
      })
      .Case([&](ov::SqueezeOp squeeze) -> Found {
        ArrayRef<int64_t> shape = typeOf(squeeze.getData()).getShape();
        std::optional<SmallVector<int64_t>> axes = ov::getSqueezedAxes(shape, squeeze.getAxes());
        int64_t from = axes ? skipAxes(*axes, shape.size(), dim) : -1;
        return from < 0 ? Found() : get(squeeze.getData(), from);
      })
      .Case([&](ov::ReshapeOp reshape) { return traceReshape(reshape, dim); })
      .Case([&](ov::BroadcastOp broadcast) { return traceBroadcast(broadcast, dim); })
      .Case([&](ov::TransposeOp transpose) -> Found {
        std::optional<SmallVector<int64_t>> order = ov::getPermutation(transpose.getInputOrder(), rank);
        return order ? get(transpose.getArg(), (*order)[dim]) : Found();
      })
      .Case([&](ov::ConcatOp concat) -> Found {
        if (dim != ov::normalizeAxis(concat.getAxis(), rank))
          return anyOperand(concat.getInputs(), dim);
        SmallVector<Dim> dims;
        for (Value input : concat.getInputs()) {
          Found found = get(input, dim);
          if (!found)
            return std::nullopt;
          dims.push_back(*found);
        }
        return exprs.combine(DimKind::sum, dims);
      })
      .Case([&](ov::GatherOp gather) -> Found {
        int64_t dataRank = typeOf(gather.getData()).getRank(), indexRank = typeOf(gather.getIndices()).getRank();
        std::optional<int64_t> axis = ov::getConstantAxis(gather.getAxis(), dataRank);
        if (!axis)
          return std::nullopt;
        int64_t batch = ov::normalizeBatchDims(gather.getBatchDims(), indexRank);
        if (dim < *axis)
          return get(gather.getData(), dim);
        int64_t at = dim - *axis + batch;
        return at < indexRank ? get(gather.getIndices(), at) : get(gather.getData(), dim - (indexRank - batch) + 1);
      })
      .Case<ov::ScatterUpdateOp, ov::ScatterElementsUpdateOp, ov::ScatterNDUpdateOp, ov::ReverseSequenceOp>(
          [&](auto moved) { return get(moved.getData(), dim); })
      .Case([&](ov::GatherElementsOp gather) { return get(gather.getIndices(), dim); })
      .Case([&](ov::GatherNDOp gather) -> Found {
        int64_t batch = gather.getBatchDims(), indexRank = typeOf(gather.getIndices()).getRank();
        if (gather.getVersion() < 8 && batch > 1)
          return std::nullopt;
        if (dim < indexRank - 1)
          return get(gather.getIndices(), dim);
        int64_t coordinates = typeOf(gather.getIndices()).getDimSize(indexRank - 1);
        return get(gather.getData(), dim - (indexRank - 1) + batch + coordinates);
      })
      .Case([&](ov::SplitOp split) -> Found {
        Found found = get(split.getData(), dim);
        if (!found || dim != ov::getConstantAxis(split.getAxis(), rank))
          return found;
        return exprs.divide({*found}, {exprs.constant(split.getNumSplits())});
      })
      .Case([&](ov::VariadicSplitOp split) -> Found {
        return dim == ov::getConstantAxis(split.getAxis(), rank) ? Found() : get(split.getData(), dim);
      })
      .Case<ov::SliceOp, ov::StridedSliceOp>([&](auto slice) -> Found {
        std::optional<ov::Slicing> slicing = ov::getSlicing(slice);
        if (!slicing)
          return std::nullopt;
        // The dim of the data that is this one, where it is taken whole.
        int64_t own = dim - llvm::count_if(slicing->newAxes, [&](int64_t axis) { return axis < dim; });
        for (auto [i, taken] : llvm::enumerate(slicing->dims))
          if (!taken.shrinks && own-- == 0)
            return taken.isWhole() ? get(slice.getData(), i) : Found();
        return std::nullopt;
      })
      .Case([&](ov::PadOp pad) -> Found {
        auto begin = ov::getPartlyKnownIntegers(pad.getPadsBegin()), end = ov::getPartlyKnownIntegers(pad.getPadsEnd());
        Found found = get(pad.getData(), dim);
        constexpr int64_t most = int64_t(1) << 40;
        auto isSmall = [](int64_t number) { return number >= 0 && number <= most; };
        if (!found || !begin || !end || !isSmall((*begin)[dim]) || !isSmall((*end)[dim]))
          return std::nullopt;
        return exprs.combine(DimKind::sum, {*found, exprs.constant((*begin)[dim] + (*end)[dim])});
      })
      .Case([&](ov::TileOp tile) -> Found {
        std::optional<SmallVector<int64_t>> repeats = ov::getPartlyKnownIntegers(tile.getRepeats());
        int64_t own = dim - (rank - typeOf(tile.getData()).getRank());
        if (!repeats)
          return std::nullopt;
        int64_t at = dim - (rank - static_cast<int64_t>(repeats->size()));
        int64_t repeat = at < 0 ? 1 : (*repeats)[at];
        Found found = own < 0 ? Found(exprs.constant(1)) : get(tile.getData(), own);
        if (!found || repeat < 0)
          return std::nullopt;
        return exprs.combine(DimKind::product, {*found, exprs.constant(repeat)});
      })
      .Case<ov::ConvolutionOp, ov::GroupConvolutionOp>([&](auto convolution) -> Found {
        // Where nothing but the batch is unknown; or a spatial dim stays.
        if (dim == 0)
          return get(convolution.getData(), 0);
        bool isSame = convolution.getAutoPad() == "same_upper" || convolution.getAutoPad() == "same_lower";
        return dim >= 2 && isSame && convolution.getStrides()[dim - 2] == 1 ? get(convolution.getData(), dim) : Found();
      })
      .Case<ov::LSTMCellOp, ov::GRUCellOp, ov::RNNCellOp>([&](auto cell) {
        return anyOperand({cell.getInitialHiddenState(), cell.getX()}, dim);
      })
      .Case([&](ov::GatherTreeOp tree) {
        return anyOperand({tree.getStepIds(), tree.getParentIds()}, dim);
      })
      .Case<ov::CumSumOp, ov::PReluOp, ov::HardSigmoidOp, ov::SeluOp, ov::SwishOp>(
          [&](auto same) { return get(same->getOperand(0), dim); })
      .Default([&](Operation *other) -> Found {
        if (other->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
            other->hasTrait<OpTrait::SameOperandsAndResultType>())
          return get(other->getOperand(0), dim);
        // Element-wise ops say how they broadcast, reductions whether the reduced dims stay.
        if (std::optional<Attribute> mode = findAttr(other, "auto_broadcast")) {
          auto name = dyn_cast_or_null<StringAttr>(*mode);
          if (name && name.getValue() == "none")
            return anyOperand(other->getOperands(), dim);
          return !name || name.getValue() == "numpy" ? joinOperands(other->getOperands(), rank, dim) : Found();
        }
        if (std::optional<Attribute> keep = findAttr(other, "keep_dims");
            keep && other->getNumOperands() == 2 && other->getNumResults() == 1) {
          int64_t dataRank = typeOf(other->getOperand(0)).getRank();
          std::optional<SmallVector<int64_t>> axes = ov::getConstantAxes(other->getOperand(1), dataRank);
          if (!axes)
            return std::nullopt;
          auto flag = dyn_cast_or_null<BoolAttr>(*keep);
          int64_t from = flag && flag.getValue() ? dim : skipAxes(*axes, dataRank, dim);
          return from < 0 ? Found() : get(other->getOperand(0), from);
        }
        return std::nullopt;
      });
}
