// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastCall.cpp - Calls of convolutions along channels --------===//
//
// Brings the operands of an `rt.convolution` into the form that the kernels take. Batches are a loop around the calls.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLastCall.h"
#include "ChannelsLastKernel.h"
#include "ChannelsLastRanges.h"
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
  Lowering(RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits, int64_t vectorRegisters)
      : b(rewriter), loc(op.getLoc()), op(op), type(cast<FloatType>(getElementTypeOrSelf(op.getInit()))),
        lanes(std::max<int64_t>(1, vectorBits / type.getWidth())), registers(vectorRegisters),
        spatial(op.getNumSpatialDims()), isPlane(spatial >= 2) {}

  void emit() {
    b.setInsertionPoint(op);
    start = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    filters = describeBuffer(b, loc, op.getFilters());
    data = describeBuffer(b, loc, op.getData());
    result = describeBuffer(b, loc, op.getInit());
    if (op.hasEpilogue())
      describeInputs();
    OpBuilder::InsertionGuard guard(b);
    // The result may have fewer batches.
    if (!isConstantIntValue(result.sizes[0], 1)) {
      SmallVector<Value> steps;
      for (const BufferParts &input : inputs)
        steps.push_back(input.strides[0]);
      enter(result.sizes[0], data.strides[0], result.strides[0], steps);
    }
    if (spatial == 3)
      enterDepth();
    if (op.hasGroups())
      enterGroups();
    op.isDepthwise() ? emitDepthwise() : op.usesWinograd() ? emitTransformed() : emitSum();
  }

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value minus(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value times(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value times(Value x, int64_t y) { return times(x, index(y)); }

  Value view(MemRefType type, const BufferParts &buffer, ArrayRef<Value> sizes, ArrayRef<Value> strides) {
    return createKernelView(b, loc, type, buffer.base, buffer.offset, getAsOpFoldResult(sizes),
                            getAsOpFoldResult(strides));
  }
  /// The size or the stride of the rows and of the columns of a buffer. Without rows, there is one.
  std::pair<Value, Value> getPlane(ArrayRef<Value> from, int64_t otherwise) {
    return {isPlane ? from[spatial - 1] : index(otherwise), from[spatial]};
  }

  /// Begins a loop of `size` iterations, each of which has its own elements of the buffers, at these distances.
  /// `perInput` has those of the inputs of the epilogue. Threads share the iterations, not each call, if they are
  /// enough parts. The calls of Winograd's algorithm have one scratch.
  Value enter(Value size, Value perData, Value perResult, ArrayRef<Value> perInput) {
    auto loop = scf::ForOp::create(b, loc, index(0), size, index(1));
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && *known >= kEnoughParts && !op.usesWinograd() && !loop->getParentOfType<LoopLikeOpInterface>())
      loop->setAttr(rt::kIndependentAttr, b.getUnitAttr());
    b.setInsertionPointToStart(loop.getBody());
    auto advance = [&](BufferParts &buffer, Value step) {
      buffer.offset = plus(buffer.offset, times(loop.getInductionVar(), step));
    };
    advance(data, perData);
    advance(result, perResult);
    for (auto [input, step] : llvm::zip_equal(inputs, perInput))
      advance(input, step);
    return loop.getInductionVar();
  }

  /// Begins a loop over the planes of a result of three dims. The elements of the kernel that read data are `depth`
  /// ones, and the filters and the data begin at the first of them.
  void enterDepth() {
    SmallVector<Value> steps;
    for (const BufferParts &input : inputs)
      steps.push_back(input.strides[1]);
    int64_t stride = op.getStrides().front(), dilation = op.getDilations().front(), size = op.getKernelSize(0);
    Value plane = data.strides[1];
    Value number = enter(result.sizes[1], times(plane, stride), result.strides[1], steps);
    depth = index(size);
    std::pair<int64_t, int64_t> padding = op.getPadding(0);
    if (padding == std::pair<int64_t, int64_t>(0, 0))
      return;
    Value at = times(number, stride), end = minus(data.sizes[1], index(padding.second));
    // The number of steps that reach a plane of the data.
    auto countSteps = [&](Value to) -> Value {
      Value reach = arith::MaxSIOp::create(b, loc, minus(to, at), index(0));
      Value steps = b.createOrFold<arith::CeilDivUIOp>(loc, reach, index(dilation));
      return arith::MinUIOp::create(b, loc, steps, index(size));
    };
    Value first = countSteps(index(padding.first));
    depth = minus(arith::MaxUIOp::create(b, loc, countSteps(end), first), first);
    data.offset = plus(data.offset, times(times(first, dilation), plane));
    filters.offset = plus(filters.offset, times(first, filters.strides[op.getFilterDim(0)]));
  }

  /// Begins a loop over groups of channels.
  void enterGroups() {
    ArrayRef<int64_t> shape = op.getFilters().getType().getShape();
    Value perGroup = index(shape[1] * shape.back());
    Value group =
        enter(filters.sizes[0], data.strides[spatial + 1], perGroup, SmallVector<Value>(inputs.size(), perGroup));
    filters.offset = plus(filters.offset, times(group, filters.strides[0]));
    result.sizes.back() = perGroup;
  }

  /// The rows of the data that are padding, at its beginning and its end.
  std::pair<int64_t, int64_t> getPaddedRows() {
    return isPlane ? op.getPadding(spatial - 2) : std::pair<int64_t, int64_t>(0, 0);
  }

  /// The rows of the data that are no padding, from the first one to the one behind the last, and the distances of two
  /// rows of positions and of two rows of the kernel. If no rows are known to be padding, all `rows` of the kernel read
  /// data.
  std::array<Value, 4> getDataRows(int64_t rows) {
    std::pair<int64_t, int64_t> padding = getPaddedRows();
    if (padding == std::pair<int64_t, int64_t>(0, 0)) {
      Value one = index(1);
      return {index(0), plus(getPlane(result.sizes, 1).first, index(rows)), one, one};
    }
    Value end = minus(data.sizes[spatial - 1], index(padding.second));
    return {index(padding.first), end, index(op.getStrides()[spatial - 2]), index(op.getDilations()[spatial - 2])};
  }

  /// Describes the inputs of the epilogue, with strides for the batch, planes, rows and columns.
  void describeInputs() {
    epilogue = {&op.getEpilogue().front(), {}};
    if (op.getInputs().empty())
      return;
    for (auto [buffer, attribute] : llvm::zip_equal(op.getInputs(), op.getInputMaps())) {
      BufferParts input = describeBuffer(b, loc, buffer);
      SmallVector<Value> strides(4, index(0));
      AffineMap map = cast<AffineMapAttr>(attribute).getValue();
      for (auto [expr, stride] : llvm::zip_equal(map.getResults(), input.strides))
        if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() + 1 < map.getNumDims())
          strides[dim.getPosition() + (dim.getPosition() ? 3 - spatial : 0)] = stride;
      epilogue->isShared.push_back(isConstantIntValue(strides[2], 0) && isConstantIntValue(strides[3], 0));
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
    std::string body = describeBody(*epilogue->body);
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

  /// The ranges of columns for calls of their own, or nothing if there is one call for all. With loops over a batch and
  /// over groups, the analysis of many calls would take long.
  SmallVector<WindowRange> divideColumns() {
    if (!op.getPaddingAttr() || spatial != 2 || op.hasGroups())
      return {};
    SmallVector<WindowDim> dims;
    for (unsigned i = 0; i != spatial; ++i) {
      std::optional<int64_t> places = getConstantIntValue(result.sizes[i + 1]),
                             size = getConstantIntValue(data.sizes[i + 1]);
      if (!places || !size)
        return {};
      auto [before, behind] = op.getPadding(i);
      dims.push_back({*places, *size, before, behind, op.getKernelSize(i), op.getStrides()[i], op.getDilations()[i]});
    }
    return recur::divideColumns(dims[0], dims[1], kLeastPositions);
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
    SmallVector<int64_t> kernel = getKernel();
    SmallVector<WindowRange> ranges = divideColumns();
    if (ranges.empty())
      return emitSum(kernel, result.sizes[spatial], /*isDivided=*/false);
    auto advance = [&](BufferParts &buffer, Value stride, int64_t by) {
      buffer.offset = plus(buffer.offset, times(stride, by));
    };
    BufferParts allFilters = filters, allData = data, allResults = result;
    SmallVector<BufferParts> allInputs = inputs;
    for (const WindowRange &range : ranges) {
      advance(filters, filters.strides[op.getFilterDim(1)], range.firstOfKernel);
      advance(data, data.strides[2],
              range.first * op.getStrides().back() + range.firstOfKernel * op.getDilations().back());
      advance(result, result.strides[2], range.first);
      for (BufferParts &input : inputs)
        advance(input, input.strides[3], range.first);
      emitSum({kernel[0], range.countOfKernel()}, index(range.countPlaces()), /*isDivided=*/true);
      filters = allFilters;
      data = allData;
      result = allResults;
      inputs = allInputs;
    }
  }

  /// Emits a call for `columns` columns of positions and `kernel` rows and columns of the kernel, on which `filters`
  /// and `data` begin. If `isDivided`, the kernel has more columns.
  void emitSum(ArrayRef<int64_t> kernel, Value columns, bool isDivided) {
    ArrayRef<int64_t> shape = op.getFilters().getType().getShape();
    int64_t channels = shape[shape.size() - 2], tiles = shape[op.hasGroups()];
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    Value rows = getPlane(result.sizes, 1).first;
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    Value channel = data.strides.back();
    auto [strideY, strideX] = pad(op.getStrides());
    auto [dilationY, dilationX] = pad(op.getDilations());
    // The loops of the sum, in the order of the filters. The innermost one should be long: neighbours whose steps make
    // up one line become one, and those of one step come first, which does not change the order.
    SmallVector<std::pair<int64_t, Value>> dimensions = {
        {kernel[0], times(dataRow, dilationY)}, {kernel[1], times(dataColumn, dilationX)}, {channels, channel}};
    bool isPadded = getPaddedRows() != std::pair<int64_t, int64_t>(0, 0);
    bool isOuter = isPadded || isDivided;
    for (unsigned i = 2; i > isOuter; --i) {
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
    if (!isOuter && areOne(dataRow, dataColumn, strideY, strideX) && areOne(resultRow, resultColumn, 1, 1) &&
        llvm::all_of(inputs,
                     [&](const BufferParts &input) { return areOne(input.strides[2], input.strides[3], 1, 1); })) {
      columns = times(columns, rows);
      rows = index(1);
    }
    ArrayRef<std::pair<int64_t, Value>> free(dimensions);
    // Rows of padding are left out of the outermost loop. So are columns, between the rows.
    SmallVector<std::pair<Value, Value>> loops;
    if (isOuter) {
      loops.push_back({index(free.front().first), free.front().second});
      free = free.drop_front();
    }
    for (bool isOneStep : {true, false})
      for (auto [size, step] : free)
        if ((size == 1) == isOneStep)
          loops.push_back({index(size), step});
    // Of three dims, the last one is a line with the channels, and the first one is the loop between the others.
    int64_t planes = 1, firstSize = *getConstantIntValue(loops.front().first);
    if (depth) {
      planes = op.getKernelSize(0);
      firstSize = kernel[0];
      loops = {{index(kernel[0]), dimensions[0].second},
               {depth, times(data.strides[1], op.getDilations().front())},
               {index(kernel[1] * channels), channel}};
    }
    // As many positions as have half of the data that may stay in a cache. The other half is left to the filters. If
    // these are few, the results of the positions stay there too, so that memory is written in long runs.
    int64_t near = kHalfL2Bytes * 8 / type.getWidth();
    int64_t perPosition = channels * planes * strideY * strideX;
    if (llvm::product_of(shape) <= near)
      perPosition += tiles * ov::kChannelTile;
    near /= perPosition;
    int64_t elements = channels * planes * kernel[0] * getKernel()[1], tile = ov::kChannelTile;
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
        *height * *width * (channels * planes * strideY * strideX + tiles * tile) < llvm::product_of(shape);
    bool dividesPlaces = hasFewer(places, kEnoughParts * placeGrain) ? !hasFewer(places, (tiles + 1) * placeGrain)
                                                                     : tiles < kEnoughParts || !areFiltersLarger;
    Value from = viewData(places, placeDim ? times(dataColumn, strideX) : times(dataRow, strideY));
    auto viewResult = [&, plane = std::pair(rows, columns)](const BufferParts &buffer, Value row, Value column) {
      return viewTiles(buffer, plane, tiles, tile, row, column);
    };
    SmallVector<Value> arguments(kSumChannels);
    arguments[kSumFilters] = view(filtersType, filters, {index(tiles), index(elements), index(tile)},
                                  {index(elements * tile), index(tile), index(1)});
    arguments[kSumData] = from;
    arguments[kSumResult] = viewResult(result, resultRow, resultColumn);
    std::tie(arguments[kSumOuterCount], arguments[kSumOuterStep]) = loops[0];
    std::tie(arguments[kSumMiddleCount], arguments[kSumMiddleStep]) = loops[1];
    std::tie(arguments[kSumInnerCount], arguments[kSumInnerStep]) = loops[2];
    arguments[kSumRowStep] = times(dataRow, strideY);
    arguments[kSumColumnStep] = times(dataColumn, strideX);
    arguments[kSumNearPositions] = index(near);
    arguments[kSumStart] = start;
    llvm::copy(getDataRows(firstSize), arguments.begin() + kSumFirstDataRow);
    arguments[kSumFilterStep] = index(elements / firstSize);
    SmallVector<std::pair<int64_t, int64_t>> along{{kSumFilters, 0}, {kSumResult, 2}},
        alongPlaces{{kSumResult, placeDim}, {kSumData, 0}};
    // The rows of data are counted from the first row of positions.
    if (placeDim == 0)
      for (int64_t number : {kSumFirstDataRow, kSumEndDataRow})
        alongPlaces.push_back({number, isPadded ? strideY : 1});
    if (epilogue) {
      along.push_back({arguments.size(), tile});
      arguments.push_back(result.sizes.back());
    }
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 2});
      alongPlaces.push_back({arguments.size(), placeDim});
      arguments.push_back(viewResult(input, input.strides[2], input.strides[3]));
    }
    KernelParts parts{along,
                      /*grain=*/1,
                      {{kSumFilters, 0}, {kSumFilters, 1}, {kSumResult, 0}, {kSumResult, 1}},
                      std::max<int64_t>(1, kWorkPerInstruction * tile / lanes)};
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
    ArrayRef<int64_t> shape = op.getFilters().getType().getShape();
    int64_t channels = shape[shape.size() - 2], tile = ov::kWinogradTile, tiles = shape.front();
    auto getForm = [&](unsigned dim) {
      return !op.isTransformed(dim)      ? WinogradForm::none
             : op.getStrides()[dim] == 1 ? WinogradForm::stride1
                                         : WinogradForm::stride2;
    };
    std::array<WinogradForm, 2> forms{isPlane ? getForm(0) : WinogradForm::none, getForm(isPlane)};
    int64_t elements = getPairElements(forms[0]) * getPairElements(forms[1]),
            filterElements = getFilterElements(forms[0]) * getFilterElements(forms[1]);
    auto [strideY, strideX] = pad(op.getStrides());
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    auto [dataRows, dataColumns] = getPlane(data.sizes, 1);
    auto [rows, columns] = getPlane(result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    auto [dilationY, dilationX] = pad(op.getDilations());
    // As many positions as have transformed data and sums that stay in a cache, in whole tiles of the kernel for
    // products, but not more than there are.
    int64_t perPosition = elements * (channels + tile), tileRows = getAccumulators(registers) / 2;
    int64_t group = std::max<int64_t>(1, kHalfL2Bytes * 8 / type.getWidth() / perPosition / tileRows) * tileRows;
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
    SmallVector<Value> arguments(kWinogradInputs);
    arguments[kWinogradFilters] =
        view(filtersType, filters, {index(tiles), index(filterElements), index(channels), index(tile)},
             {index(filterElements * channels * tile), index(channels * tile), index(tile), index(1)});
    arguments[kWinogradData] = viewData(rows, times(dataRow, strideY));
    arguments[kWinogradResult] = viewResult(result, resultRow, resultColumn);
    arguments[kWinogradRowStep] = dataRow;
    arguments[kWinogradColumnStep] = dataColumn;
    arguments[kWinogradLastRow] = getLast(dataRows);
    arguments[kWinogradLastColumn] = getLast(dataColumns);
    arguments[kWinogradDilationY] = index(dilationY);
    arguments[kWinogradDilationX] = index(dilationX);
    arguments[kWinogradStart] = start;
    arguments[kWinogradScratch] = view(scratchType, scratch, {index(most), index(room)}, {index(room), index(1)});
    arguments[kWinogradGroup] = index(group);
    arguments[kWinogradChannels] = epilogue ? result.sizes.back() : index(tiles * tile);
    SmallVector<std::pair<int64_t, int64_t>> along{
        {kWinogradFilters, 0}, {kWinogradResult, 2}, {kWinogradChannels, tile}};
    SmallVector<std::pair<int64_t, int64_t>> alongRows{
        {kWinogradResult, 0}, {kWinogradData, 0}, {kWinogradLastRow, strideY}};
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 2});
      alongRows.push_back({arguments.size(), 0});
      arguments.push_back(viewResult(input, input.strides[2], input.strides[3]));
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

  void emitDepthwise() {
    auto [dataRow, dataColumn] = getPlane(data.strides, 0);
    auto [rows, columns] = getPlane(result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result.strides, 0);
    auto [strideY, strideX] = pad(op.getStrides());
    auto [dilationY, dilationX] = pad(op.getDilations());
    SmallVector<int64_t> kernel = getKernel();
    Value one = index(1), channels = result.sizes.back(), y = index(kernel[0]), x = index(kernel[1]);
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1}),
               dataType = getKernelViewType(type, SmallVector<int64_t>(5, kAny), {kAny, kAny, kAny, kAny, 1}),
               resultType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1});
    SmallVector<Value> arguments(kDepthwiseInputs);
    arguments[kDepthwiseFilters] = view(filtersType, filters, {y, x, channels}, {times(channels, x), channels, one});
    arguments[kDepthwiseData] = view(dataType, data, {y, x, rows, columns, channels},
                                     {times(dataRow, dilationY), times(dataColumn, dilationX), times(dataRow, strideY),
                                      times(dataColumn, strideX), one});
    arguments[kDepthwiseResult] = view(resultType, result, {rows, columns, channels}, {resultRow, resultColumn, one});
    arguments[kDepthwiseStart] = start;
    llvm::copy(getDataRows(kernel[0]), arguments.begin() + kDepthwiseFirstDataRow);
    // A part has some rows, and their number says which.
    arguments[kDepthwiseRows] = arguments[kDepthwiseRowsLeft] = rows;
    // A line has one row, so its parts have some positions. If there are few rows, a part has some channels.
    SmallVector<std::pair<int64_t, int64_t>> along{{kDepthwiseData, 2}, {kDepthwiseResult, 0}, {kDepthwiseRowsLeft, 1}};
    SmallVector<std::pair<int64_t, int64_t>> alongColumns{{kDepthwiseData, 3}, {kDepthwiseResult, 1}};
    SmallVector<std::pair<int64_t, int64_t>> alongChannels{
        {kDepthwiseFilters, 2}, {kDepthwiseData, 4}, {kDepthwiseResult, 2}};
    for (const BufferParts &input : inputs) {
      along.push_back({arguments.size(), 0});
      alongColumns.push_back({arguments.size(), 1});
      alongChannels.push_back({arguments.size(), 2});
      arguments.push_back(
          view(resultType, input, {rows, columns, channels}, {input.strides[2], input.strides[3], one}));
    }
    KernelParts parts{along,
                      /*grain=*/1,
                      {{kDepthwiseFilters, 0},
                       {kDepthwiseFilters, 1},
                       {kDepthwiseResult, 0},
                       {kDepthwiseResult, 1},
                       {kDepthwiseResult, 2}},
                      std::max<int64_t>(1, kWorkPerInstruction / lanes)};
    func::CallOp created = call("rt_depthwise_channels", arguments, parts,
                                [&](func::FuncOp func) { recur::emitDepthwise(func, type, lanes, epilogue); });
    Value places = isPlane ? rows : columns;
    int64_t placeGrain = isPlane ? 1 : kLeastPositions;
    if (hasFewer(places, kEnoughParts * placeGrain) && !hasFewer(channels, kEnoughParts * ov::kChannelTile)) {
      parts.along = alongChannels;
      parts.grain = ov::kChannelTile;
      setKernelParts(created, parts);
    } else if (!isPlane) {
      parts.along = alongColumns;
      parts.grain = placeGrain;
      setKernelParts(created, parts);
    }
  }

  /// The rows and columns of the kernel.
  SmallVector<int64_t> getKernel() {
    return {isPlane ? op.getKernelSize(spatial - 2) : 1, op.getKernelSize(spatial - 1)};
  }
  std::pair<int64_t, int64_t> pad(ArrayRef<int64_t> list) { return {isPlane ? list[spatial - 2] : 1, list.back()}; }

  RewriterBase &b;
  Location loc;
  rt::ConvolutionOp op;
  FloatType type;
  int64_t lanes, registers;
  unsigned spatial;
  bool isPlane;
  /// The number that sums start from.
  Value start;
  /// The elements of the kernel along the first of three dims that read data.
  Value depth;
  BufferParts filters, data, result;
  std::optional<TileEpilogue> epilogue;
  /// The inputs of the epilogue.
  SmallVector<BufferParts> inputs;
};
} // namespace

void recur::lowerChannelsLast(RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits,
                              int64_t vectorRegisters) {
  Lowering(rewriter, op, vectorBits, vectorRegisters).emit();
}
