// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastCall.cpp - Calls of convolutions along channels --------===//
//
// Brings the operands of a convolution, and of its epilogue, into the form that the kernels take. Batches are a loop
// around the calls.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLastCall.h"
#include "ChannelsLastKernel.h"
#include "KernelCalls.h"
#include "ProductKernels.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "TargetFacts.h"
#include "WinogradKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace recur;

static constexpr int64_t kAny = ShapedType::kDynamic;

/// So many parts of a call are enough. With fewer, another way to divide it is tried.
static constexpr int64_t kEnoughParts = 8;
/// The fewest positions of a row that make a part: a large tile.
static constexpr int64_t kLeastPositions = 12;

namespace {
/// Emits the calls.
class Lowering {
public:
  Lowering(RewriterBase &rewriter, linalg::GenericOp op, const ChannelsLast &convolution, Value start,
           std::optional<Epilogue> found, int64_t vectorBits, int64_t vectorRegisters)
      : b(rewriter), loc(op.getLoc()), op(op), convolution(convolution), start(start),
        type(cast<FloatType>(start.getType())), lanes(std::max<int64_t>(1, vectorBits / type.getWidth())),
        registers(vectorRegisters) {
    if (found)
      epilogue = {*found, {}};
  }

  void emit() {
    b.setInsertionPoint(epilogue ? epilogue->op.op : op);
    filters = describeBuffer(b, loc, op.getDpsInputs()[0]);
    data = describeBuffer(b, loc, op.getDpsInputs()[1]);
    result = describeBuffer(b, loc, (epilogue ? epilogue->op.op : op).getDpsInits()[0]);
    unsigned spatial = convolution.strides.size();
    isPlane = spatial == 2;
    if (epilogue)
      describeInputs();
    OpBuilder::InsertionGuard guard(b);
    if (!isConstantIntValue(data.sizes[0], 1)) {
      auto loop = scf::ForOp::create(b, loc, index(0), data.sizes[0], index(1));
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<BufferParts *> buffers{&data, &result};
      for (BufferParts &input : inputs)
        buffers.push_back(&input);
      for (BufferParts *buffer : buffers)
        buffer->offset = plus(buffer->offset, times(loop.getInductionVar(), buffer->strides[0]));
    }
    convolution.isDepthwise ? emitOwn() : convolution.usesWinograd() ? emitTransformed() : emitSum();
  }

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value times(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value times(Value x, int64_t y) { return times(x, index(y)); }

  Value view(MemRefType type, const BufferParts &buffer, ArrayRef<Value> sizes, ArrayRef<Value> strides) {
    return createKernelView(b, loc, type, buffer.base, buffer.offset, getAsOpFoldResult(sizes),
                            getAsOpFoldResult(strides));
  }
  /// The size or the stride of the rows and of the columns of a buffer. Without rows, there is one.
  std::pair<Value, Value> getPlane(ArrayRef<Value> from, int64_t otherwise) {
    return {isPlane ? from[1] : index(otherwise), from[1 + isPlane]};
  }

  /// Adds the arguments that say which rows of the kernel read data: all of `rows`, if no rows of the data are known to
  /// be padding.
  void addDataRows(SmallVectorImpl<Value> &arguments, int64_t rows) {
    auto padding = op->getAttrOfType<DenseI64ArrayAttr>(rt::kZeroRowsAttr);
    if (!isPlane || !padding) {
      Value one = index(1);
      llvm::append_range(arguments,
                         ArrayRef<Value>{index(0), plus(getPlane(result.sizes, 1).first, index(rows)), one, one});
      return;
    }
    Value end = b.createOrFold<arith::SubIOp>(loc, data.sizes[1], index(padding[1]));
    llvm::append_range(arguments, ArrayRef<Value>{index(padding[0]), end, index(convolution.strides[0]),
                                                  index(convolution.dilations[0])});
  }

  /// Describes the inputs of the epilogue, with strides for the batch, rows and columns.
  void describeInputs() {
    linalg::GenericOp reader = epilogue->op.op;
    for (OpOperand *operand : reader.getDpsInputOperands()) {
      if (operand->getOperandNumber() == epilogue->op.input)
        continue;
      BufferParts input = describeBuffer(b, loc, operand->get());
      SmallVector<Value> strides(3, index(0));
      AffineMap map = reader.getMatchingIndexingMap(operand);
      for (auto [expr, stride, size] : llvm::zip_equal(map.getResults(), input.strides, input.sizes))
        if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() + 1 < map.getNumDims())
          strides[dim.getPosition() + (dim.getPosition() && !isPlane)] = stride;
      epilogue->isShared.push_back(isConstantIntValue(strides[1], 0) && isConstantIntValue(strides[2], 0));
      input.strides = strides;
      inputs.push_back(input);
    }
  }
  /// The name of a kernel with this prefix.
  std::string getName(StringRef prefix) {
    std::string name;
    llvm::raw_string_ostream os(name);
    os << prefix << "_" << type;
    if (!epilogue)
      return name;
    std::string body = describeBody(epilogue->op);
    for (bool isShared : epilogue->isShared)
      body += isShared ? 'c' : 'p';
    os << "_" << llvm::format_hex_no_prefix(llvm::xxh3_64bits(body), 16);
    return name;
  }

  /// Emits a call of the kernel whose name has this prefix. If there is none yet, `emitKernel` emits its body, and it
  /// can be divided into `parts`.
  func::CallOp call(StringRef prefix, ValueRange arguments, const KernelParts &parts,
                    function_ref<void(func::FuncOp)> emitKernel) {
    func::FuncOp kernel = getOrCreateKernel(op->getParentOfType<ModuleOp>(), getName(prefix), arguments.getTypes(),
                                            [&](func::FuncOp func) {
                                              emitKernel(func);
                                              setKernelParts(func, parts);
                                            });
    return func::CallOp::create(b, loc, kernel, arguments);
  }

  /// The data as kernels for sums take it, which add up the offsets themselves: the second dim has all elements, and
  /// the first one has the places that a call can be divided along, `step` apart.
  Value viewData(Value places, Value step) {
    Value length = index(1);
    for (auto [size, stride] : llvm::drop_begin(llvm::zip_equal(data.sizes, data.strides)))
      length = plus(length, times(size, stride));
    return view(getKernelViewType(type, {kAny, kAny}, {kAny, 1}), data, {places, length}, {step, index(1)});
  }

  /// A buffer as [row, column, tile, channel], with these distances of rows and columns.
  Value viewTiles(const BufferParts &buffer, std::pair<Value, Value> plane, int64_t tiles, int64_t tile, Value row,
                  Value column) {
    MemRefType type = getKernelViewType(this->type, {kAny, kAny, kAny, tile}, {kAny, kAny, tile, 1});
    return view(type, buffer, {plane.first, plane.second, index(tiles), index(tile)},
                {row, column, index(tile), index(1)});
  }

  /// True if a size is known to be less than `least`.
  static bool hasFewer(Value size, int64_t least) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return known && *known < least;
  }

  void emitSum() {
    ArrayRef<int64_t> shape = cast<MemRefType>(op.getDpsInputs()[0].getType()).getShape();
    int64_t channels = shape[shape.size() - 2];
    SmallVector<int64_t> kernel = getKernel(1);
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    auto [rows, columns] = getPlane(result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    Value channel = data.strides.back();
    auto [strideY, strideX] = pad(convolution.strides);
    auto [dilationY, dilationX] = pad(convolution.dilations);
    // The loops of the sum, in the order of the filters. The innermost one should be long: neighbours whose steps make
    // up one line become one, and those of one step come first, which does not change the order.
    SmallVector<std::pair<int64_t, Value>> loops, dimensions = {{kernel[0], times(dataRow, dilationY)},
                                                                {kernel[1], times(dataColumn, dilationX)},
                                                                {channels, channel}};
    bool isPadded = isPlane && op->hasAttr(rt::kZeroRowsAttr);
    for (unsigned i = 2; i > isPadded; --i) {
      auto &[outer, outerStep] = dimensions[i - 1];
      auto &[inner, innerStep] = dimensions[i];
      std::optional<int64_t> far = getConstantIntValue(outerStep), near = getConstantIntValue(innerStep);
      if (far && near && *far == inner * *near)
        inner *= std::exchange(outer, 1);
    }
    // Rows of positions that follow each other everywhere are one row, whose tiles have no gaps.
    auto areOne = [&](Value row, Value column, int64_t rowSteps, int64_t columnSteps) {
      std::optional<int64_t> perRow = getConstantIntValue(row), perColumn = getConstantIntValue(column),
                             width = getConstantIntValue(columns);
      return perRow && perColumn && width && *perRow * rowSteps == *width * *perColumn * columnSteps;
    };
    if (!isPadded && areOne(dataRow, dataColumn, strideY, strideX) && areOne(resultRow, resultColumn, 1, 1) &&
        llvm::all_of(inputs,
                     [&](const BufferParts &input) { return areOne(input.strides[1], input.strides[2], 1, 1); })) {
      columns = times(columns, rows);
      rows = index(1);
    }
    ArrayRef<std::pair<int64_t, Value>> free(dimensions);
    // Rows of padding are left out of the outermost loop.
    if (isPadded) {
      loops.push_back(free.front());
      free = free.drop_front();
    }
    for (bool isOneStep : {true, false})
      llvm::copy_if(free, std::back_inserter(loops), [&](auto &x) { return (x.first == 1) == isOneStep; });
    // As many positions as have half of the data that may stay in a cache. The other half is left to the filters. If
    // these are few, the results of the positions stay there too, so that memory is written in long runs.
    int64_t near = kNearBytes * 8 / type.getWidth();
    int64_t perPosition = channels * strideY * strideX;
    if (llvm::product_of(shape) <= near)
      perPosition += shape.front() * kChannelTile;
    near /= perPosition;
    int64_t elements = channels * kernel[0] * kernel[1], tile = kChannelTile;
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, tile}, {kAny, tile, 1});
    // A part has some tiles of filters, which have nothing in common, or some rows of positions, or positions of a
    // single row. With tiles, threads share the filters, and each needs all data; with positions, it is the other way
    // round, so the larger of both is shared, unless that makes few parts. A plane of unknown size is taken for a small
    // one.
    int64_t placeDim = isConstantIntValue(rows, 1) ? 1 : 0, placeGrain = placeDim ? kLeastPositions : 1;
    Value places = placeDim ? columns : rows;
    std::optional<int64_t> height = getConstantIntValue(rows), width = getConstantIntValue(columns);
    bool areFiltersLarger =
        !height || !width ||
        *height * *width * (channels * strideY * strideX + shape.front() * tile) < llvm::product_of(shape);
    bool dividesPlaces = hasFewer(places, kEnoughParts * placeGrain)
                             ? !hasFewer(places, (shape.front() + 1) * placeGrain)
                             : shape.front() < kEnoughParts || !areFiltersLarger;
    Value from = viewData(places, placeDim ? times(dataColumn, strideX) : times(dataRow, strideY));
    int64_t tiles = shape.front();
    auto viewResult = [&, plane = std::pair(rows, columns)](const BufferParts &buffer, Value row, Value column) {
      return viewTiles(buffer, plane, tiles, tile, row, column);
    };
    SmallVector<Value> arguments{view(filtersType, filters, {index(tiles), index(elements), index(tile)},
                                      {index(elements * tile), index(tile), index(1)}),
                                 from, viewResult(result, resultRow, resultColumn)};
    for (auto [size, stride] : loops)
      arguments.push_back(index(size));
    arguments.push_back(times(dataRow, strideY));
    arguments.push_back(times(dataColumn, strideX));
    for (auto [size, stride] : loops)
      arguments.push_back(stride);
    arguments.push_back(index(near));
    arguments.push_back(start);
    addDataRows(arguments, loops.front().first);
    SmallVector<std::pair<int64_t, int64_t>> along{{0, 0}, {2, 2}}, alongPlaces{{2, placeDim}, {1, 0}};
    // The rows of data are counted from the first row of positions.
    if (placeDim == 0)
      for (int64_t number : {13, 14})
        alongPlaces.push_back({number, isPadded ? strideY : 1});
    if (epilogue) {
      along.push_back({arguments.size(), tile});
      arguments.push_back(result.sizes.back());
    }
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 2});
      alongPlaces.push_back({arguments.size(), placeDim});
      arguments.push_back(viewResult(input, input.strides[1], input.strides[2]));
    }
    KernelParts parts{
        along, /*grain=*/1, {{0, 0}, {0, 1}, {2, 0}, {2, 1}}, std::max<int64_t>(1, kWorkPerInstruction * tile / lanes)};
    func::CallOp created = call("rt_convolution_channels", arguments, parts,
                                [&](func::FuncOp func) { emitChannelSums(func, type, lanes, registers, epilogue); });
    if (dividesPlaces) {
      parts.along = alongPlaces;
      parts.grain = placeGrain;
      setKernelParts(created, parts);
    }
  }

  /// Emits the call of the kernel for transformed filters.
  void emitTransformed() {
    ArrayRef<int64_t> shape = cast<MemRefType>(op.getDpsInputs()[0].getType()).getShape();
    int64_t channels = shape[shape.size() - 2], tile = ov::kWinogradTile, tiles = shape.front();
    auto getForm = [&](unsigned dim) {
      return !convolution.isTransformed[dim] ? WinogradForm::none
             : convolution.strides[dim] == 1 ? WinogradForm::stride1
                                             : WinogradForm::stride2;
    };
    std::array<WinogradForm, 2> forms{isPlane ? getForm(0) : WinogradForm::none, getForm(isPlane)};
    int64_t elements = getPairElements(forms[0]) * getPairElements(forms[1]),
            filterElements = getFilterElements(forms[0]) * getFilterElements(forms[1]);
    auto [strideY, strideX] = pad(convolution.strides);
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    auto [dataRows, dataColumns] = getPlane(data.sizes, 1);
    auto [rows, columns] = getPlane(result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    auto [dilationY, dilationX] = pad(convolution.dilations);
    // As many positions as have transformed data and sums that stay in a cache, in whole tiles of the kernel for
    // products, but not more than there are.
    int64_t perPosition = elements * (channels + tile), tileRows = getAccumulators(registers) / 2;
    int64_t group = std::max<int64_t>(1, kNearBytes * 8 / type.getWidth() / perPosition / tileRows) * tileRows;
    std::optional<int64_t> height = getConstantIntValue(rows), width = getConstantIntValue(columns);
    if (height && width)
      group = std::min(group, (*height + dilationY) * (*width + dilationX));
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, kAny, tile}, {kAny, kAny, tile, 1}),
               scratchType = getKernelViewType(type, {kAny, kAny}, {kAny, 1});
    auto viewResult = [&, plane = std::pair(rows, columns)](const BufferParts &buffer, Value row, Value column) {
      return viewTiles(buffer, plane, tiles, tile, row, column);
    };
    // A part has some tiles of filters, and transforms the data for itself. If there are few, it has some rows, in
    // pairs.
    int64_t pair = forms[0] == WinogradForm::none ? 1 : 2 * dilationY;
    bool dividesRows = isPlane && tiles < kEnoughParts && !hasFewer(rows, tiles * pair);
    // Each part needs room for itself.
    int64_t room = getWinogradRoom(group, elements, channels), most = tiles;
    if (dividesRows)
      most = height ? std::clamp<int64_t>(*height / pair, 1, kEnoughParts) : kEnoughParts;
    BufferParts scratch;
    scratch.base = memref::AllocOp::create(b, loc, MemRefType::get({most, room}, type));
    scratch.offset = index(0);
    auto getLast = [&](Value size) { return b.createOrFold<arith::SubIOp>(loc, size, index(1)); };
    SmallVector<Value> arguments{
        view(filtersType, filters, {index(tiles), index(filterElements), index(channels), index(tile)},
             {index(filterElements * channels * tile), index(channels * tile), index(tile), index(1)}),
        viewData(rows, times(dataRow, strideY)),
        viewResult(result, resultRow, resultColumn),
        dataRow,
        dataColumn,
        getLast(dataRows),
        getLast(dataColumns),
        index(dilationY),
        index(dilationX),
        start,
        view(scratchType, scratch, {index(most), index(room)}, {index(room), index(1)}),
        index(group),
        epilogue ? result.sizes.back() : index(tiles * tile)};
    SmallVector<std::pair<int64_t, int64_t>> along{
        {kWinogradFilters, 0}, {kWinogradResult, 2}, {kWinogradChannels, tile}};
    SmallVector<std::pair<int64_t, int64_t>> alongRows{
        {kWinogradResult, 0}, {kWinogradData, 0}, {kWinogradLastRow, strideY}};
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 2});
      alongRows.push_back({arguments.size(), 0});
      arguments.push_back(viewResult(input, input.strides[1], input.strides[2]));
    }
    ProductKernels products(op->getParentOfType<ModuleOp>(), type, {type, {}, {}, {}}, lanes * type.getWidth(),
                            registers);
    std::string prefix = "rt_convolution_winograd";
    for (WinogradForm form : forms)
      prefix += "_" + std::to_string(getPairElements(form));
    // The product of the sizes counts all positions, of which those of a pair share a multiplication.
    int64_t shared = filterElements == 16 ? 4 : 2;
    KernelParts parts{along,
                      /*grain=*/1,
                      {{kWinogradFilters, 0},
                       {kWinogradFilters, 1},
                       {kWinogradFilters, 2},
                       {kWinogradResult, 0},
                       {kWinogradResult, 1}},
                      std::max<int64_t>(1, kWorkPerInstruction * tile / lanes / shared),
                      kWinogradScratch};
    func::CallOp created = call(prefix, arguments, parts, [&](func::FuncOp func) {
      func::FuncOp product = products.getProductOfRows();
      product->moveAfter(func);
      emitWinograd(func, type, lanes, forms, product, products.getBlockSize(), epilogue);
    });
    if (dividesRows) {
      parts.along = alongRows;
      parts.grain = pair;
      setKernelParts(created, parts);
    }
  }

  void emitOwn() {
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    auto [rows, columns] = getPlane(result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    auto [strideY, strideX] = pad(convolution.strides);
    auto [dilationY, dilationX] = pad(convolution.dilations);
    SmallVector<int64_t> kernel = getKernel(0);
    Value one = index(1), channels = result.sizes.back(), y = index(kernel[0]), x = index(kernel[1]);
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1}),
               dataType = getKernelViewType(type, SmallVector<int64_t>(5, kAny), {kAny, kAny, kAny, kAny, 1}),
               resultType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1});
    Value a = view(filtersType, filters, {y, x, channels}, {times(channels, x), channels, one});
    Value from = view(dataType, data, {y, x, rows, columns, channels},
                      {times(dataRow, dilationY), times(dataColumn, dilationX), times(dataRow, strideY),
                       times(dataColumn, strideX), one});
    Value to = view(resultType, result, {rows, columns, channels}, {resultRow, resultColumn, one});
    SmallVector<Value> arguments{a, from, to, start};
    addDataRows(arguments, kernel[0]);
    // A part has some rows, and their number says which.
    arguments.append({rows, rows});
    // A line has one row, so its parts have some positions. If there are few rows, a part has some channels.
    SmallVector<std::pair<int64_t, int64_t>> along{{1, 2}, {2, 0}, {arguments.size() - 1, 1}},
        alongColumns{{1, 3}, {2, 1}}, alongChannels{{0, 2}, {1, 4}, {2, 2}};
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 0});
      alongColumns.push_back({arguments.size(), 1});
      alongChannels.push_back({arguments.size(), 2});
      arguments.push_back(
          view(resultType, input, {rows, columns, channels}, {input.strides[1], input.strides[2], one}));
    }
    KernelParts parts{along,
                      /*grain=*/1,
                      {{0, 0}, {0, 1}, {2, 0}, {2, 1}, {2, 2}},
                      std::max<int64_t>(1, kWorkPerInstruction / lanes)};
    func::CallOp created = call("rt_depthwise_channels", arguments, parts,
                                [&](func::FuncOp func) { emitOwnChannels(func, type, lanes, epilogue); });
    Value places = isPlane ? rows : columns;
    int64_t placeGrain = isPlane ? 1 : kLeastPositions;
    if (hasFewer(places, kEnoughParts * placeGrain) && !hasFewer(channels, kEnoughParts * kChannelTile)) {
      parts.along = alongChannels;
      parts.grain = kChannelTile;
      setKernelParts(created, parts);
    } else if (!isPlane) {
      parts.along = alongColumns;
      parts.grain = placeGrain;
      setKernelParts(created, parts);
    }
  }

  /// The sizes of the kernel, which are dims of the filters from `first` on.
  SmallVector<int64_t> getKernel(unsigned first) {
    auto type = cast<MemRefType>(op.getDpsInputs()[0].getType());
    if (isPlane)
      return {type.getDimSize(first), type.getDimSize(first + 1)};
    return {1, type.getDimSize(first)};
  }
  std::pair<int64_t, int64_t> pad(ArrayRef<int64_t> list) { return {isPlane ? list.front() : 1, list.back()}; }

  RewriterBase &b;
  Location loc;
  linalg::GenericOp op;
  const ChannelsLast &convolution;
  Value start;
  FloatType type;
  int64_t lanes, registers;
  bool isPlane = false;
  BufferParts filters, data, result;
  std::optional<TileEpilogue> epilogue;
  /// The inputs of the epilogue.
  SmallVector<BufferParts> inputs;
};
} // namespace

/// The buffer that `value` is a view of.
static Value getBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// The epilogue of `op`, if the kernel can compute it: its inputs are rows of channels, nothing is written between the
/// two ops, and the target is a buffer of its own.
static std::optional<Epilogue> findEpilogueForKernel(linalg::GenericOp op) {
  std::optional<Epilogue> found = findEpilogue(op);
  if (!found)
    return std::nullopt;
  Value target = getBase(found->op.getDpsInits()[0]);
  SmallVector<Value> read(op.getDpsInputs());
  for (OpOperand &operand : found->op->getOpOperands()) {
    if (operand.getOperandNumber() == found->input)
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(operand.get().getType()).getStridesAndOffset(strides, offset)) || strides.back() != 1)
      return std::nullopt;
    if (found->op.isDpsInput(&operand))
      read.push_back(operand.get());
  }
  if (llvm::any_of(read, [&](Value value) { return getBase(value) == target; }))
    return std::nullopt;
  for (Operation *between = op->getNextNode(); between != found->op; between = between->getNextNode())
    if (!isMemoryEffectFree(between) && !isa<memref::AllocOp>(between))
      return std::nullopt;
  return found;
}

LogicalResult recur::lowerChannelsLast(RewriterBase &rewriter, linalg::GenericOp op, const ChannelsLast &convolution,
                                       Value start, int64_t vectorBits, int64_t vectorRegisters) {
  auto filters = cast<MemRefType>(op.getDpsInputOperand(0)->get().getType());
  if (!filters.hasStaticShape() || !filters.getLayout().isIdentity())
    return rewriter.notifyMatchFailure(op, "expected filters that were packed at compile time");
  SmallVector<OpOperand *> vectors{op.getDpsInitOperand(0)};
  if (convolution.isDepthwise || convolution.usesWinograd())
    vectors.push_back(op.getDpsInputOperand(1));
  if (failed(checkUnitStrides(rewriter, op, vectors)))
    return failure();
  std::optional<Epilogue> epilogue = findEpilogueForKernel(op);
  Lowering(rewriter, op, convolution, start, epilogue, vectorBits, vectorRegisters).emit();
  if (epilogue) {
    rewriter.eraseOp(epilogue->op);
    for (Operation *view : llvm::reverse(epilogue->views))
      rewriter.eraseOp(view);
  }
  return success();
}
