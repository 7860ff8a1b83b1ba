// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsFirstCall.cpp - Convolutions along positions ---------------===//
//
// Batches, groups, and the first of three spatial dims are loops around the calls. If there are strides, the data of a
// group is copied to planes first, in which the elements that neighbouring positions read are neighbours.
//
//===----------------------------------------------------------------------===//

#include "ChannelsFirstCall.h"
#include "ConvolutionKernel.h"
#include "KernelCalls.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace recur;

namespace {
/// One spatial dim of a convolution: its static sizes and steps.
struct Dim {
  int64_t kernel, stride, dilation;

  /// The planes that strides need. Positions that are neighbours read elements at the distance of the stride. An
  /// element of the kernel at such a distance reads the same plane, if there is no dilation.
  int64_t getPlanes() const { return stride == 1 ? 1 : dilation == 1 ? std::min(stride, kernel) : kernel; }
  /// The distance of two elements of the kernel that read the same plane, in elements of the plane.
  int64_t getShift() const { return stride == 1 ? dilation : 1; }
  /// The greatest distance of two elements of the kernel that read the same plane.
  int64_t getReach() const { return ((kernel - 1) / getPlanes()) * getShift(); }
};

class Lowering {
public:
  Lowering(RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits, int64_t vectorRegisters)
      : b(rewriter), loc(op.getLoc()), op(op), type(cast<FloatType>(getElementTypeOrSelf(op.getInit()))),
        filters(cast<MemRefType>(op.getFilters().getType())), tiles(filters.getDimSize(1)),
        tile(filters.getShape().back()), channels(filters.getDimSize(2)),
        kernels(op->getParentOfType<ModuleOp>(), type, tile, vectorBits, vectorRegisters) {
    unsigned spatial = op.getNumSpatialDims();
    for (unsigned i = 0; i < spatial; ++i)
      dims.push_back({op.getKernelSize(i), op.getStrides()[i], op.getDilations()[i]});
    if (spatial == 1)
      dims.insert(dims.begin(), {1, 1, 1});
    hasDepth = spatial == 3;
    if (hasDepth) {
      depth = dims.front();
      dims.erase(dims.begin());
    }
    rowDim = spatial == 1 ? 0 : hasDepth ? 4 : 3;
  }

  void emit();

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value value(OpFoldResult of) { return getValueOrCreateConstantIndexOp(b, loc, of); }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value minus(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value times(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value select(Value condition, Value x, Value y) { return b.createOrFold<arith::SelectOp>(loc, condition, x, y); }

  /// Emits the calls for one batch and group.
  void emitCalls();

  RewriterBase &b;
  Location loc;
  rt::ConvolutionOp op;
  FloatType type;
  MemRefType filters;
  int64_t tiles, tile, channels;
  ConvolutionKernel kernels;
  /// The rows and the columns, and of three spatial dims the first one. Without rows, there is one.
  SmallVector<Dim, 2> dims;
  Dim depth{1, 1, 1};
  bool hasDepth;
  /// The dim of the data and of the result that has the rows, or 0.
  unsigned rowDim;
  /// The data and the result. Their offsets are those of the batch and the group.
  BufferParts source, target;
  /// The rows and columns of the result, and whether it has none.
  Value rows, columns, isEmpty;
  /// The buffer of the planes, or null if there are no strides; and the rows, row length and elements of a plane.
  Value planes, planeRows, pitch, perPlane;
  /// Where the filters of the group begin.
  Value filtersOffset;
  /// The number that sums start from.
  Value start;
};
} // namespace

void Lowering::emitCalls() {
  const Dim &y = dims[0], &x = dims[1];
  Value zero = index(0), one = index(1), channelCount = index(channels);
  Value base = source.base, offset = source.offset, perChannel = source.strides[2];
  Value perRow = rowDim ? source.strides[rowDim] : zero, perPlaneRow = zero;
  auto view = [&](MemRefType type, Value from, Value at, ArrayRef<Value> sizes, ArrayRef<Value> strides) {
    return createKernelView(b, loc, type, from, at, getAsOpFoldResult(sizes), getAsOpFoldResult(strides));
  };
  Value counts[] = {index(y.getPlanes()), index(x.getPlanes())};
  // The rows of the kernel at one depth read a plane of their own, which takes no copy.
  if (hasDepth) {
    counts[0] = index(depth.kernel);
    perPlaneRow = times(source.strides[3], index(depth.dilation));
  }
  if (planes) {
    Value height = rowDim ? source.sizes[rowDim] : one;
    Value from = view(kernels.getSourceType(), base, offset, {channelCount, height, source.sizes.back()},
                      {perChannel, perRow, one});
    base = planes;
    offset = zero;
    perRow = pitch;
    perPlaneRow = times(counts[1], perPlane);
    perChannel = times(counts[0], perPlaneRow);
    Value to = view(kernels.getPlanesType(), base, offset, {channelCount, counts[0], counts[1], planeRows, pitch},
                    {perChannel, perPlaneRow, perPlane, pitch, one});
    SmallVector<Value> arguments(kPlanesArguments);
    arguments[kPlanesSource] = from;
    arguments[kPlanesTarget] = to;
    arguments[kPlanesRowStride] = index(y.stride);
    arguments[kPlanesRowDilation] = index(y.dilation);
    arguments[kPlanesColumnStride] = index(x.stride);
    arguments[kPlanesColumnDilation] = index(x.dilation);
    func::CallOp::create(b, loc, kernels.getCopy(), arguments);
  }
  // The positions, as the kernel numbers them: the rows of the result with the pitch of the data, without what comes
  // after the last one.
  Value positions = plus(times(minus(rows, one), pitch), columns);
  positions = select(isEmpty, zero, positions);
  // The positions whose data fits the cache while all filters are applied to them: the elements of a plane that may
  // stay there, but those that only the last position reads. The other half of the cache is left to the filters.
  int64_t elements = kHalfL2Bytes * 8 / type.getWidth() / channels;
  elements /= y.getPlanes() * x.getPlanes() * depth.kernel;
  Value near = minus(index(elements), plus(times(pitch, index(y.getReach())), index(x.getReach())));

  int64_t perFilter = channels * depth.kernel * y.kernel * x.kernel;
  SmallVector<Value> arguments(kConvolutionArguments);
  arguments[kConvolutionFilters] =
      view(kernels.getFiltersType(), op.getFilters(), filtersOffset, {index(tiles), index(perFilter), index(tile)},
           {index(perFilter * tile), index(tile), one});
  arguments[kConvolutionData] =
      view(kernels.getDataType(), base, offset,
           {channelCount, counts[0], index(depth.kernel * y.kernel), counts[1], index(x.kernel), positions},
           {perChannel, perPlaneRow, times(perRow, index(y.getShift())), perPlane, index(x.getShift()), one});
  arguments[kConvolutionResult] =
      view(kernels.getResultType(), target.base, target.offset, {target.sizes[2], rows, columns},
           {target.strides[2], rowDim ? target.strides[rowDim] : columns, one});
  arguments[kConvolutionPitch] = pitch;
  arguments[kConvolutionNearPositions] = near;
  arguments[kConvolutionStart] = start;
  arguments[kConvolutionChannelsLeft] = target.sizes[2];
  arguments[kConvolutionPositions] = arguments[kConvolutionPositionsLeft] = positions;
  func::CallOp::create(b, loc, kernels.get(), arguments);
}

void Lowering::emit() {
  b.setInsertionPoint(op);
  start = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  source = describeBuffer(b, loc, op.getData());
  target = describeBuffer(b, loc, op.getInit());
  filtersOffset = index(0);
  rows = rowDim ? target.sizes[rowDim] : index(1);
  columns = target.sizes.back();
  auto isZero = [&](Value size) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, size, index(0));
  };
  isEmpty = b.createOrFold<arith::OrIOp>(loc, isZero(rows), isZero(columns));

  const Dim &y = dims[0], &x = dims[1];
  pitch = rowDim ? source.strides[rowDim] : columns;
  perPlane = index(0);
  if (y.stride > 1 || x.stride > 1) {
    planeRows = select(isEmpty, index(0), plus(rows, index(y.getReach())));
    pitch = plus(columns, index(x.getReach()));
    perPlane = times(planeRows, pitch);
    Value size = times(index(channels * y.getPlanes() * x.getPlanes()), perPlane);
    planes = memref::AllocOp::create(b, loc, MemRefType::get({ShapedType::kDynamic}, type), size);
  }

  OpBuilder::InsertionGuard guard(b);
  auto enter = [&](Value size, Value perFilter, Value perSource, Value perTarget) {
    if (isConstantIntValue(size, 1))
      return;
    auto loop = scf::ForOp::create(b, loc, index(0), size, index(1));
    b.setInsertionPointToStart(loop.getBody());
    for (auto [offset, stride] : {std::pair(&filtersOffset, perFilter), std::pair(&source.offset, perSource),
                                  std::pair(&target.offset, perTarget)})
      *offset = plus(*offset, times(loop.getInductionVar(), stride));
  };
  int64_t perGroup = tiles * channels * depth.kernel * y.kernel * x.kernel * tile;
  enter(target.sizes[0], index(0), source.strides[0], target.strides[0]);
  enter(index(filters.getDimSize(0)), index(perGroup), source.strides[1], target.strides[1]);
  if (hasDepth)
    enter(target.sizes[3], index(0), times(source.strides[3], index(depth.stride)), target.strides[3]);
  emitCalls();
}

void recur::lowerChannelsFirst(RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits,
                               int64_t vectorRegisters) {
  Lowering(rewriter, op, vectorBits, vectorRegisters).emit();
}
