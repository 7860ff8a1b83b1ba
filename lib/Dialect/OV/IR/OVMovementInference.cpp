// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovementInference.cpp - Result types of what moves data ----------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ov;
using namespace recur::ov::inference;

static bool isUnknown(int64_t number) { return ShapedType::isDynamic(number); }

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

/// More parts are no model, but an attack.
static constexpr int64_t kMaxParts = 1 << 16;

LogicalResult SplitOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData();
  // split_c1
  FailureOr<int64_t> axis = expectConstantAxis(report, adaptor.getAxis(), data);
  if (failed(axis))
    return failure();
  // split_c2
  int64_t count = adaptor.getNumSplits();
  if (count <= 0 || count > kMaxParts)
    return report("expected num_splits from 1 to ", kMaxParts, ", but got ", count);
  // split_c3
  SmallVector<int64_t> shape(shapeOf(data));
  int64_t &dim = shape[*axis];
  if (!isUnknown(dim) && dim % count != 0)
    return report("expected num_splits that divides the dim, but got ", count, " and ", dim);
  if (!isUnknown(dim))
    dim /= count;
  types.assign(count, RankedTensorType::get(shape, elementOf(data)));
  return success();
}

LogicalResult VariadicSplitOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), lengths = adaptor.getSplitLengths();
  // variadic_split_c1
  FailureOr<int64_t> axis = expectConstantAxis(report, adaptor.getAxis(), data);
  if (failed(axis))
    return failure();
  // variadic_split_c2
  std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(lengths);
  if (!known || rankOf(lengths) != 1 || static_cast<int64_t>(known->size()) > kMaxParts)
    return report("expected split_lengths of rank 1 and a static length of at most ", kMaxParts, ", but got ",
                  lengths.getType());
  // variadic_split_c3
  SmallVector<int64_t> shape(shapeOf(data));
  std::optional<SmallVector<int64_t>> parts = resolveSplitLengths(*known, shape[*axis]);
  if (!parts)
    return report("expected split_lengths that make up the dim, but got [", llvm::iterator_range(*known), "] and ",
                  shape[*axis]);
  for (int64_t part : *parts) {
    shape[*axis] = part;
    types.push_back(RankedTensorType::get(shape, elementOf(data)));
  }
  return success();
}

template <typename Adaptor>
static LogicalResult inferSlice(Report report, Adaptor adaptor, Types &types) {
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // slice_c1, slice_c2, slice_c3, strided_slice_c1, strided_slice_c2, strided_slice_c3
  std::string why;
  std::optional<Slicing> slicing = getSlicing(adaptor, why);
  if (!slicing)
    return report(why, ", for ", adaptor.getData().getType());
  return addType(types, slicing->getResultShape(), elementOf(adaptor.getData()));
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  return inferSlice({loc, getOperationName()}, adaptor, types);
}

LogicalResult StridedSliceOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                               Types &types) {
  return inferSlice({loc, getOperationName()}, adaptor, types);
}

//===----------------------------------------------------------------------===//
// Greater tensors
//===----------------------------------------------------------------------===//

LogicalResult TileOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // tile_c1
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownIntegers(adaptor.getRepeats());
  if (!repeats || rankOf(adaptor.getRepeats()) != 1)
    return report("expected repeats of rank 1 and static length, but got ", adaptor.getRepeats().getType());
  SmallVector<int64_t> shape(shapeOf(adaptor.getData()));
  if (shape.size() < repeats->size())
    shape.insert(shape.begin(), repeats->size() - shape.size(), 1);
  for (auto [dim, repeat] : llvm::zip(llvm::reverse(shape), llvm::reverse(*repeats))) {
    if (isUnknown(repeat))
      dim = dim == 0 ? 0 : ShapedType::kDynamic;
    else if (repeat <= 0)
      dim = 0;
    else if (!isUnknown(dim) && llvm::MulOverflow(dim, repeat, dim))
      return report("expected a result of fewer than 2^63 elements");
  }
  return addType(types, shape, elementOf(adaptor.getData()));
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData();
  SmallVector<int64_t> shape(shapeOf(data));
  // pad_c1
  auto begin = getPartlyKnownIntegers(adaptor.getPadsBegin()), end = getPartlyKnownIntegers(adaptor.getPadsEnd());
  if (!begin || !end || rankOf(adaptor.getPadsBegin()) != 1 || rankOf(adaptor.getPadsEnd()) != 1 ||
      begin->size() != shape.size() || end->size() != shape.size())
    return report("expected pads_begin and pads_end with an entry for each dim of ", data.getType(), ", but got ",
                  adaptor.getPadsBegin().getType(), " and ", adaptor.getPadsEnd().getType());
  // pad_c2
  StringRef mode = adaptor.getPadMode();
  if (!llvm::is_contained({"constant", "edge", "reflect", "symmetric"}, mode))
    return report("expected pad_mode \"constant\", \"edge\", \"reflect\" or \"symmetric\", but got \"", mode, "\"");
  if (Value value = adaptor.getPadValue(); value && (rankOf(value) != 0 || elementOf(value) != elementOf(data)))
    return report("expected pad_value that is a scalar of ", elementOf(data), ", but got ", value.getType());
  // pad_c3
  for (auto [dim, before, behind] : llvm::zip_equal(shape, *begin, *end)) {
    if (isUnknown(dim) || isUnknown(before) || isUnknown(behind)) {
      // Without pads a dim stays, known or not.
      if (before != 0 || behind != 0)
        dim = ShapedType::kDynamic;
      continue;
    }
    int64_t most = mode == "reflect"            ? std::max<int64_t>(dim - 1, 0)
                   : mode == "symmetric"        ? dim
                   : mode == "edge" && dim == 0 ? 0
                                                : std::numeric_limits<int64_t>::max();
    if (before > most || behind > most)
      return report("expected pads in mode \"", mode, "\" of at most ", most, ", but got ", before, " and ", behind);
    int64_t sum;
    if (llvm::AddOverflow(before, behind, sum) || llvm::AddOverflow(dim, sum, sum) || sum < 0)
      return report("expected pads that make a dim from 0 to 2^63, but got ", before, " and ", behind, " for ", dim);
    dim = sum;
  }
  return addType(types, shape, elementOf(data));
}

/// The real number in a constant of one element.
static std::optional<double> getConstantReal(Value value) {
  DenseFPElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || attr.getNumElements() != 1)
    return std::nullopt;
  APFloat number = *attr.getValues<APFloat>().begin();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The number that a value of one element is known to be, as an integer: real ones are cut.
static std::optional<int64_t> getKnownInteger(Value value) {
  if (isa<IntegerType>(elementOf(value))) {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(value);
    return known && known->size() == 1 && !isUnknown(known->front()) ? std::optional(known->front()) : std::nullopt;
  }
  std::optional<double> number = getConstantReal(value);
  if (!number || std::isnan(*number))
    return std::nullopt;
  llvm::APSInt integer(64, /*isUnsigned=*/false);
  bool isExact;
  APFloat(*number).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return integer.getSExtValue();
}

static std::optional<double> getKnownNumber(Value value) {
  if (isa<IntegerType>(elementOf(value)))
    return getKnownInteger(value);
  return getConstantReal(value);
}

LogicalResult RangeOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // range_c1
  for (Value operand : adaptor.getOperands())
    if (rankOf(operand) > 1 || (rankOf(operand) == 1 && !mergeDims(shapeOf(operand)[0], 1)))
      return report("expected operands of one element and rank 0 or 1, but got ", operand.getType());
  Type element = adaptor.getOutputType();
  if (!element.isIntOrFloat())
    return report("expected output_type that is a number, but got ", element);
  // range_c2
  if (getKnownNumber(adaptor.getStep()) == 0.0)
    return report("expected a step other than 0");
  int64_t count = ShapedType::kDynamic;
  if (isa<IntegerType>(element) || llvm::all_of(adaptor.getOperands(), [](Value operand) {
        return isa<IntegerType>(elementOf(operand));
      })) {
    std::optional<int64_t> start = getKnownInteger(adaptor.getStart()), stop = getKnownInteger(adaptor.getStop()),
                           step = getKnownInteger(adaptor.getStep());
    // A step that is cut to 0 is a fault when it is reached.
    if (start && stop && step && *step != 0)
      count = countSteps(*start, *stop, *step);
  } else {
    std::optional<double> start = getKnownNumber(adaptor.getStart()), stop = getKnownNumber(adaptor.getStop()),
                          step = getKnownNumber(adaptor.getStep());
    if (start && stop && step)
      count = countRealSteps(*start, *stop, *step);
  }
  return addType(types, count, element);
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor, Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  // one_hot_c1
  std::optional<SmallVector<int64_t>> depth = getPartlyKnownIntegers(adaptor.getDepth());
  if (!depth || rankOf(adaptor.getDepth()) != 0)
    return report("expected depth that is a scalar, but got ", adaptor.getDepth().getType());
  if (!isUnknown(depth->front()) && depth->front() < 0)
    return report("expected depth that is not negative, but got ", depth->front());
  // one_hot_c2
  Value on = adaptor.getOnValue(), off = adaptor.getOffValue();
  if (failed(expectSameElement(report, {on, off})))
    return failure();
  if (rankOf(on) != 0 || rankOf(off) != 0)
    return report("expected on_value and off_value that are scalars, but got ", on.getType(), " and ", off.getType());
  // one_hot_c3
  SmallVector<int64_t> shape(shapeOf(adaptor.getIndices()));
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), shape.size() + 1);
  if (!axis)
    return report("expected an axis of a result of rank ", shape.size() + 1, ", but got ",
                  static_cast<int64_t>(adaptor.getAxis()));
  // one_hot_c4
  StringRef mode = adaptor.getNegativeIndicesMode();
  if (mode != "ignore_negative" && mode != "normalize")
    return report("expected negative_indices_mode \"ignore_negative\" or \"normalize\", but got \"", mode, "\"");
  shape.insert(shape.begin() + *axis, depth->front());
  return addType(types, shape, elementOf(on));
}

LogicalResult ReverseSequenceOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                  Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), lengths = adaptor.getSeqLengths();
  SmallVector<int64_t> shape(shapeOf(data));
  // reverse_sequence_c1
  std::optional<int64_t> batch = normalizeAxis(adaptor.getBatchAxis(), shape.size());
  std::optional<int64_t> seq = normalizeAxis(adaptor.getSeqAxis(), shape.size());
  if (!batch || !seq || *batch == *seq)
    return report("expected batch_axis and seq_axis that are different axes of ", data.getType(), ", but got ",
                  static_cast<int64_t>(adaptor.getBatchAxis()), " and ", static_cast<int64_t>(adaptor.getSeqAxis()));
  // reverse_sequence_c2
  std::optional<int64_t> merged;
  if (rankOf(lengths) == 1)
    merged = mergeDims(shape[*batch], shapeOf(lengths)[0]);
  if (!merged)
    return report("expected seq_lengths of rank 1 with a length for each batch of ", data.getType(), ", but got ",
                  lengths.getType());
  shape[*batch] = *merged;
  return addType(types, shape, elementOf(data));
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                 Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), indices = adaptor.getIndices();
  // gather_elements_c1
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), rankOf(data));
  if (!axis)
    return report("expected an axis of ", data.getType(), ", but got ", static_cast<int64_t>(adaptor.getAxis()));
  // gather_elements_c2
  SmallVector<int64_t> others(shapeOf(data));
  if (rankOf(indices) == rankOf(data))
    others[*axis] = shapeOf(indices)[*axis];
  std::optional<SmallVector<int64_t>> shape = mergeShapes(others, shapeOf(indices));
  if (!shape)
    return report("expected data and indices of one shape, but along axis ", *axis, ", but got ", data.getType(),
                  " and ", indices.getType());
  return addType(types, *shape, elementOf(data));
}

LogicalResult GatherNDOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                           Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  ArrayRef<int64_t> data = shapeOf(adaptor.getData()), indices = shapeOf(adaptor.getIndices());
  // gather_nd_c1
  if (indices.empty() || isUnknown(indices.back()))
    return report("expected indices of rank 1 at least, with a static last dim, but got ",
                  adaptor.getIndices().getType());
  // gather_nd_c2
  int64_t batch = adaptor.getBatchDims(), rank = data.size();
  std::optional<SmallVector<int64_t>> shape;
  if (batch >= 0 && batch < static_cast<int64_t>(indices.size()) && batch <= rank)
    shape = mergeShapes(data.take_front(batch), indices.take_front(batch));
  if (!shape)
    return report("expected batch_dims of dims that agree, but got ", batch, ", ", adaptor.getData().getType(), " and ",
                  adaptor.getIndices().getType());
  // gather_nd_c3
  int64_t coordinates = indices.back();
  if (coordinates > rank - batch)
    return report("expected at most ", rank - batch, " coordinates, but got ", coordinates);
  if (adaptor.getVersion() < 8 && batch > 1) {
    int64_t product = 1;
    for (int64_t dim : *shape)
      if (isUnknown(dim) || isUnknown(product))
        product = ShapedType::kDynamic;
      else if (llvm::MulOverflow(product, dim, product))
        return report("expected a result of fewer than 2^63 elements");
    shape->assign(1, product);
  }
  llvm::append_range(*shape, indices.drop_front(batch).drop_back());
  llvm::append_range(*shape, data.drop_front(batch + coordinates));
  return addType(types, *shape, elementOf(adaptor.getData()));
}

LogicalResult ScatterUpdateOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  // scatter_update_c1
  FailureOr<int64_t> axis = expectConstantAxis(report, adaptor.getAxis(), data);
  if (failed(axis))
    return failure();
  // scatter_update_c2
  if (failed(expectSameElement(report, {data, updates})))
    return failure();
  SmallVector<int64_t> expected(shapeOf(data).take_front(*axis));
  llvm::append_range(expected, shapeOf(indices));
  llvm::append_range(expected, shapeOf(data).drop_front(*axis + 1));
  std::optional<SmallVector<int64_t>> merged = mergeShapes(expected, shapeOf(updates));
  if (!merged)
    return report("expected updates with the dims of ", data.getType(), " and those of ", indices.getType(),
                  " in place of axis ", *axis, ", but got ", updates.getType());
  SmallVector<int64_t> shape(merged->begin(), merged->begin() + *axis);
  shape.push_back(shapeOf(data)[*axis]);
  shape.append(merged->begin() + *axis + rankOf(indices), merged->end());
  return addType(types, shape, elementOf(data));
}

LogicalResult ScatterElementsUpdateOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                        Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  // scatter_elements_update_c1
  FailureOr<int64_t> axis = expectConstantAxis(report, adaptor.getAxis(), data);
  if (failed(axis))
    return failure();
  // scatter_elements_update_c2
  if (failed(expectSameElement(report, {data, updates})))
    return failure();
  std::optional<SmallVector<int64_t>> places = mergeShapes(shapeOf(indices), shapeOf(updates));
  bool fits = places && rankOf(indices) == rankOf(data);
  for (int64_t i = 0; fits && i != rankOf(data); ++i)
    fits = i == *axis || isUnknown((*places)[i]) || isUnknown(shapeOf(data)[i]) || (*places)[i] <= shapeOf(data)[i];
  if (!fits)
    return report("expected indices and updates of one shape that fits ", data.getType(), " but along axis ", *axis,
                  ", but got ", indices.getType(), " and ", updates.getType());
  // scatter_elements_update_c3
  StringRef reduction = adaptor.getReduction();
  if (!llvm::is_contained({"none", "sum", "prod", "min", "max", "mean"}, reduction))
    return report("expected reduction \"none\", \"sum\", \"prod\", \"min\", \"max\" or \"mean\", but got \"", reduction,
                  "\"");
  if (reduction == "mean" && elementOf(data).isInteger(1))
    return report("expected numbers for reduction \"mean\", but got ", data.getType());
  return addType(types, shapeOf(data), elementOf(data));
}

LogicalResult ScatterNDUpdateOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                  Types &types) {
  Report report{loc, getOperationName()};
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  // scatter_nd_update_c1
  if (rankOf(indices) == 0 || isUnknown(shapeOf(indices).back()) || shapeOf(indices).back() > rankOf(data))
    return report("expected indices of rank 1 at least, with a static last dim that is at most the rank of ",
                  data.getType(), ", but got ", indices.getType());
  // scatter_nd_update_c2
  if (failed(expectSameElement(report, {data, updates})))
    return failure();
  int64_t coordinates = shapeOf(indices).back();
  SmallVector<int64_t> expected(shapeOf(indices).drop_back());
  llvm::append_range(expected, shapeOf(data).drop_front(coordinates));
  std::optional<SmallVector<int64_t>> merged = mergeShapes(expected, shapeOf(updates));
  if (!merged)
    return report("expected updates of the places in ", indices.getType(), " and the other dims of ", data.getType(),
                  ", but got ", updates.getType());
  // scatter_nd_update_c3
  StringRef reduction = adaptor.getReduction();
  if (!llvm::is_contained({"none", "sum", "sub", "prod", "min", "max"}, reduction))
    return report("expected reduction \"none\", \"sum\", \"sub\", \"prod\", \"min\" or \"max\", but got \"", reduction,
                  "\"");
  if (reduction == "sub" && elementOf(data).isInteger(1))
    return report("expected numbers for reduction \"sub\", but got ", data.getType());
  SmallVector<int64_t> shape(shapeOf(data).take_front(coordinates));
  shape.append(merged->begin() + rankOf(indices) - 1, merged->end());
  return addType(types, shape, elementOf(data));
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult inferConvolution(Report report, Adaptor adaptor, bool hasGroups, Types &types) {
  if (failed(expectRanked(report, adaptor.getOperands())))
    return failure();
  Value data = adaptor.getData(), filters = adaptor.getFilters();
  // convolution_c1
  int64_t rank = rankOf(data), spatial = rank - 2;
  if (spatial < 1 || spatial > 3 || rankOf(filters) != rank + hasGroups)
    return report("expected data of rank 3 to 5 and filters that fit it, but got ", data.getType(), " and ",
                  filters.getType());
  if (failed(expectSameElement(report, {data, filters})))
    return failure();
  // convolution_c2
  StringRef autoPad = adaptor.getAutoPad();
  if (!llvm::is_contained({"explicit", "valid", "same_upper", "same_lower"}, autoPad))
    return report("expected auto_pad \"explicit\", \"valid\", \"same_upper\" or \"same_lower\", but got \"", autoPad,
                  "\"");
  auto isRight = [&](ArrayRef<int64_t> values, int64_t least) {
    return static_cast<int64_t>(values.size()) == spatial &&
           llvm::all_of(values, [&](int64_t value) { return value >= least && value <= (int64_t(1) << 40); });
  };
  if (!isRight(adaptor.getStrides(), 1) || !isRight(adaptor.getDilations(), 1) || !isRight(adaptor.getPadsBegin(), 0) ||
      !isRight(adaptor.getPadsEnd(), 0))
    return report("expected ", spatial, " positive strides and dilations, and as many pads that are not negative");
  // convolution_c3
  ArrayRef<int64_t> kernel = shapeOf(filters);
  int64_t groups = hasGroups ? kernel.front() : 1;
  kernel = kernel.drop_front(hasGroups);
  int64_t outputs = kernel[0], inputs = kernel[1];
  kernel = kernel.drop_front(2);
  auto product = [](int64_t a, int64_t b) {
    int64_t result;
    return isUnknown(a) || isUnknown(b) || llvm::MulOverflow(a, b, result) ? ShapedType::kDynamic : result;
  };
  if (!mergeDims(product(groups, inputs), shapeOf(data)[1]))
    return report("expected channels that agree, but got ", data.getType(), " and ", filters.getType());
  SmallVector<int64_t> shape{shapeOf(data)[0], product(groups, outputs)};
  for (int64_t i = 0; i != spatial; ++i) {
    std::optional<int64_t> dim =
        getWindowedDim(shapeOf(data)[i + 2], kernel[i], adaptor.getStrides()[i], adaptor.getDilations()[i],
                       adaptor.getPadsBegin()[i], adaptor.getPadsEnd()[i], autoPad);
    if (!dim)
      return report("expected a kernel that fits the padded data, but got ", data.getType(), " and ",
                    filters.getType());
    shape.push_back(*dim);
  }
  return addType(types, shape, elementOf(data));
}

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                              Types &types) {
  return inferConvolution({loc, getOperationName()}, adaptor, /*hasGroups=*/false, types);
}

LogicalResult GroupConvolutionOp::inferReturnTypes(MLIRContext *ctx, std::optional<Location> loc, Adaptor adaptor,
                                                   Types &types) {
  return inferConvolution({loc, getOperationName()}, adaptor, /*hasGroups=*/true, types);
}
