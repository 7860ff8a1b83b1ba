// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - rt.convolution -----------------------------------===//
//
// Verifies `rt.convolution`, and says what its attributes mean for its loops. Its forms differ in the ranks of the
// filters and the data.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace recur::rt;

/// The elements of a transformed dim of the filters, and those that they are made from.
static constexpr int64_t kTransformedElements = 4, kElementsToTransform = 3;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

void ConvolutionOp::build(OpBuilder &builder, OperationState &state, Value filters, Value data, Value init,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding,
                          ArrayRef<bool> transformed) {
  auto makePadding = [&] { return builder.getDenseI64ArrayAttr(padding); };
  auto makeTransformed = [&] { return builder.getDenseBoolArrayAttr(transformed); };
  bool isPadded = llvm::any_of(padding, [](int64_t size) { return size != 0; });
  Type result = isa<RankedTensorType>(init.getType()) ? init.getType() : Type();
  build(builder, state, result, filters, data, ValueRange(), init, builder.getDenseI64ArrayAttr(strides),
        builder.getDenseI64ArrayAttr(dilations), isPadded ? makePadding() : DenseI64ArrayAttr(),
        llvm::is_contained(transformed, true) ? makeTransformed() : DenseBoolArrayAttr(), ArrayAttr());
}

bool ConvolutionOp::isDepthwise() { return shapeOf(getFilters()).size() == getNumSpatialDims() + 1; }
bool ConvolutionOp::hasGroups() { return shapeOf(getFilters()).size() == getNumSpatialDims() + 4; }
bool ConvolutionOp::isTransformed(unsigned dim) { return getTransformed() && (*getTransformed())[dim]; }
bool ConvolutionOp::usesWinograd() { return getTransformed() && llvm::is_contained(*getTransformed(), true); }

unsigned ConvolutionOp::getFilterDim(unsigned dim) {
  unsigned first = isDepthwise() ? 0 : hasGroups() ? 2 : 1;
  // Of three spatial dims, the second one comes first.
  if (getNumSpatialDims() == 3 && dim < 2)
    dim = 1 - dim;
  return first + dim;
}

int64_t ConvolutionOp::getKernelSize(unsigned dim) {
  return isTransformed(dim) ? kElementsToTransform : shapeOf(getFilters())[getFilterDim(dim)];
}

std::pair<int64_t, int64_t> ConvolutionOp::getPadding(unsigned dim) {
  std::optional<ArrayRef<int64_t>> padding = ConvolutionOp::getPadding();
  return padding ? std::pair((*padding)[2 * dim], (*padding)[2 * dim + 1]) : std::pair<int64_t, int64_t>(0, 0);
}

SmallVector<int64_t> ConvolutionOp::getLoopSizes() {
  unsigned spatial = getNumSpatialDims();
  ArrayRef<int64_t> filters = shapeOf(getFilters()), data = shapeOf(getData()), result = shapeOf(getInit());
  SmallVector<int64_t> sizes(result.take_front(1 + spatial));
  if (sizes.front() == ShapedType::kDynamic)
    sizes.front() = data.front();
  if (hasGroups())
    sizes.push_back(filters[0]);
  if (!isDepthwise())
    sizes.push_back(filters[hasGroups()]);
  sizes.push_back(filters.back());
  for (unsigned i = 0; i != spatial; ++i)
    sizes.push_back(getKernelSize(i));
  if (!isDepthwise())
    sizes.push_back(filters[filters.size() - 2]);
  for (unsigned i = 0; i != spatial; ++i)
    if (isTransformed(i))
      sizes.push_back(kTransformedElements);
  return sizes;
}

LogicalResult ConvolutionOp::verify() {
  unsigned spatial = getNumSpatialDims();
  auto filters = cast<ShapedType>(getFilters().getType()), data = cast<ShapedType>(getData().getType()),
       result = cast<ShapedType>(getInit().getType());
  Type element = result.getElementType();
  auto areAtLeast = [](ArrayRef<int64_t> numbers, int64_t least) {
    return llvm::all_of(numbers, [&](int64_t number) { return number >= least; });
  };
  if (spatial < 1 || spatial > 3 || getDilations().size() != spatial || !areAtLeast(getStrides(), 1) ||
      !areAtLeast(getDilations(), 1))
    return emitOpError() << "expected strides and dilations of 1 or more for each of one to three spatial dims";
  if (std::optional<ArrayRef<int64_t>> padding = ConvolutionOp::getPadding();
      padding && (padding->size() != 2 * spatial || !areAtLeast(*padding, 0)))
    return emitOpError() << "expected two numbers of at least 0 as the padding of each spatial dim";
  if (std::optional<ArrayRef<bool>> transformed = getTransformed(); transformed && transformed->size() != spatial)
    return emitOpError() << "expected to know of each spatial dim whether it is transformed";
  if (!element.isF32() && !element.isF64())
    return emitOpError() << "expected a result of f32 or f64, but got " << element;
  for (Value operand : getOperands())
    if (Type own = getElementTypeOrSelf(operand); own != element)
      return emitOpError() << "expected operands of " << element << ", but got " << own;
  bool areTensors = isa<RankedTensorType>(result);
  if (!llvm::all_of(getOperandTypes(), [&](Type type) {
        return cast<ShapedType>(type).hasRank() && isa<RankedTensorType>(type) == areTensors;
      }))
    return emitOpError() << "expected ranked operands that all are tensors or all are buffers";
  int64_t rank = filters.getRank();
  if (!filters.hasStaticShape() || !areAtLeast(filters.getShape(), 1) || rank < spatial + 1 || rank == spatial + 2 ||
      rank > spatial + 4 || (hasGroups() && spatial == 3) || (isDepthwise() && spatial == 3))
    return emitOpError() << "expected packed filters of a known form, but got " << filters;
  for (unsigned i = 0; i != spatial; ++i)
    if (isTransformed(i) && (spatial > 2 || rank != spatial + 3 || getStrides()[i] > 2 ||
                             filters.getDimSize(getFilterDim(i)) != kTransformedElements))
      return emitOpError() << "expected transformed filters of one group, with " << kTransformedElements
                           << " elements along dim " << i << " and a stride of 1 or 2, but got " << filters;
  int64_t resultRank = hasEpilogue() || isDepthwise() ? spatial + 2 : rank;
  if (data.getRank() != spatial + 2 + hasGroups() || result.getRank() != resultRank)
    return emitOpError() << "expected data of rank " << spatial + 2 + hasGroups() << " and a result of rank "
                         << resultRank << ", but got " << data << " and " << result;
  // The channels of the data and of the result are those of the filters.
  ArrayRef<int64_t> shape = filters.getShape();
  int64_t channels = isDepthwise() ? shape.back() : shape[rank - 2];
  SmallVector<int64_t> wanted;
  if (!isDepthwise())
    llvm::append_range(wanted, shape.take_front(1 + hasGroups()));
  wanted.push_back(shape.back());
  ArrayRef<int64_t> behind = result.getShape().drop_front(1 + spatial);
  int64_t all = ShapedType::getNumElements(wanted), padded = hasGroups() || isDepthwise() ? 0 : shape.back() - 1;
  bool fits = hasEpilogue() ? behind[0] <= all && behind[0] >= all - padded : behind == ArrayRef(wanted);
  auto isOrOpen = [](int64_t dim, int64_t size) { return ShapedType::isDynamic(dim) || dim == size; };
  if (!isOrOpen(data.getShape().back(), channels) ||
      (hasGroups() && !isOrOpen(data.getDimSize(spatial + 1), shape[0])) || !fits)
    return emitOpError() << "expected the channels of " << filters << ", but got " << data << " and " << result;
  for (unsigned i = 0; i != spatial; ++i) {
    int64_t places = result.getDimSize(1 + i), size = data.getDimSize(1 + i);
    int64_t reach = (getKernelSize(i) - 1) * getDilations()[i];
    if (!ShapedType::isDynamic(places) && !ShapedType::isDynamic(size) && places > 0 &&
        (places - 1) * getStrides()[i] + reach >= size)
      return emitOpError() << "expected data for " << places << " positions along dim " << i << ", but got " << data;
  }
  return success();
}

LogicalResult ConvolutionOp::verifyRegions() {
  size_t numMaps = getInputMaps() ? getInputMaps()->size() : 0;
  if (numMaps != getInputs().size() || (!hasEpilogue() && numMaps != 0))
    return emitOpError() << "expected an epilogue, and a map, for each of its inputs";
  if (!hasEpilogue())
    return success();
  Type element = getElementTypeOrSelf(getInit());
  Block &body = getEpilogue().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (body.getNumArguments() != 1 + numMaps || !yield || yield.getValue().getType() != element ||
      !llvm::all_of(body.getArgumentTypes(), [&](Type type) { return type == element; }))
    return emitOpError() << "expected an epilogue that computes " << element << " from a sum and " << numMaps
                         << " elements of inputs";
  if (numMaps == 0)
    return success();
  unsigned rank = getNumSpatialDims() + 2;
  for (auto [input, attribute] : llvm::zip_equal(getInputs(), getInputMapsAttr())) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    AffineExpr channel = getAffineDimExpr(rank - 1, getContext()), zero = getAffineConstantExpr(0, getContext());
    bool isKnown = map.getNumDims() == rank && map.getNumSymbols() == 0 && map.getNumResults() != 0 &&
                   int64_t(map.getNumResults()) == cast<ShapedType>(input.getType()).getRank() &&
                   map.getResults().back() == channel;
    if (!isKnown || !llvm::all_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          auto dim = dyn_cast<AffineDimExpr>(expr);
          return expr == zero || (dim && dim != channel);
        }))
      return emitOpError() << "expected an input to be indexed by the channel, and by other dims of the result or 0, "
                              "but got "
                           << attribute;
  }
  return success();
}

void ConvolutionOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<BaseMemRefType>(operand.get().getType()))
      effects.emplace_back(isDpsInit(&operand) ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
                                               : MemoryEffects::Read::get(),
                           &operand, SideEffects::DefaultResource::get());
}

Speculation::Speculatability ConvolutionOp::getSpeculatability() {
  return hasPureTensorSemantics() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ConvolutionOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  if (hasPureTensorSemantics())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInit()));
  return success();
}
