// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - Convolutions -------------------------------------===//
//
// This file has the type inference and fault checks of Convolution and GroupConvolution. Both share one function, since
// a convolution is a group convolution with one group.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

std::optional<int64_t> recur::ov::getWindowedDim(int64_t dim, int64_t kernel, int64_t stride, int64_t dilation,
                                                 int64_t padBegin, int64_t padEnd, AutoPad autoPad) {
  bool isSame = autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower;
  if (isUnknown(dim) || (isUnknown(kernel) && !isSame))
    return ShapedType::kDynamic;
  if (isSame)
    return llvm::divideCeil(dim, stride);
  int64_t padded = dim, window;
  if (autoPad != AutoPad::Valid &&
      (llvm::AddOverflow(padded, padBegin, padded) || llvm::AddOverflow(padded, padEnd, padded)))
    return std::nullopt;
  if (kernel == 0 || llvm::MulOverflow(kernel - 1, dilation, window) || window >= padded)
    return std::nullopt;
  return (padded - window - 1) / stride + 1;
}

/// The result type of a convolution. With `hasGroups`, the first dim of the filters is the number of groups.
template <typename Adaptor>
static LogicalResult inferConvolution(const Report &report, Adaptor adaptor, bool hasGroups, Types &types) {
  Value data = adaptor.getData(), filters = adaptor.getFilters();
  int64_t spatial = rankOf(data) - 2;
  // C5
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
                       adaptor.getPadsBegin()[i], adaptor.getPadsEnd()[i], adaptor.getAutoPad());
    if (!dim)
      return report("expected a kernel that fits the padded data, but got ", data.getType(), " and ",
                    filters.getType());
    shape.push_back(*dim);
  }
  return addType(types, shape, elementOf(data));
}

LogicalResult ConvolutionOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferConvolution(report, adaptor, /*hasGroups=*/false, types);
}

LogicalResult GroupConvolutionOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferConvolution(report, adaptor, /*hasGroups=*/true, types);
}

/// The batch is that of the data. A spatial dim has a position for each stride of the places where the window may
/// begin. The op fails if there is none. With "same" padding, the window may begin at each element of the data.
template <typename Op>
static DimSource::MaybeDim describeConvolution(DimSource &dims, Op op, int64_t dim, bool hasGroups) {
  if (dim == 0)
    return dims.get(op.getData(), dim);
  if (dim == 1)
    return std::nullopt;
  int64_t i = dim - 2, kernel = shapeOf(op.getFilters())[dim + hasGroups], more = 0, reach;
  if (op.getAutoPad() == AutoPad::Explicit || op.getAutoPad() == AutoPad::Valid) {
    if (isUnknown(kernel) || kernel == 0 || llvm::MulOverflow(kernel - 1, op.getDilations()[i], reach))
      return std::nullopt;
    if (op.getAutoPad() == AutoPad::Explicit && llvm::AddOverflow(op.getPadsBegin()[i], op.getPadsEnd()[i], more))
      return std::nullopt;
    if (llvm::SubOverflow(more, reach, more))
      return std::nullopt;
  }
  DimSource::MaybeDim places = dims.combine(DimKind::sum, {dims.get(op.getData(), dim), dims.constant(more)});
  return places ? DimSource::MaybeDim(dims.exprs.countSteps(*places, op.getStrides()[i])) : std::nullopt;
}

DimSource::MaybeDim ConvolutionOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeConvolution(dims, *this, dim, /*hasGroups=*/false);
}

DimSource::MaybeDim GroupConvolutionOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeConvolution(dims, *this, dim, /*hasGroups=*/true);
}

/// True unless the dims that must agree or fit are static. The batch (dim 0 of the data) and the number of filters need
/// not be known.
static bool canConvolutionFault(Value data, Value filters, bool hasGroups) {
  SmallVector<int64_t> kernel(shapeOf(filters));
  kernel.erase(kernel.begin() + hasGroups);
  return llvm::any_of(shapeOf(data).drop_front(), isUnknown) || llvm::any_of(kernel, isUnknown);
}

bool ConvolutionOp::canFault() { return canConvolutionFault(getData(), getFilters(), /*hasGroups=*/false); }

bool GroupConvolutionOp::canFault() { return canConvolutionFault(getData(), getFilters(), /*hasGroups=*/true); }
