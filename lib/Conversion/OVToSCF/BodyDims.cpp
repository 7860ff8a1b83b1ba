// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.cpp - Dims of values in a loop's body ---------------------===//
//
// What the loops stage has made of outer loops: slices, buffers, and checks of indices.
//
//===----------------------------------------------------------------------===//

#include "BodyDims.h"

#include "Recur/Analysis/Sizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;
using ov::DimKind;

std::optional<BodyDims::Dim> BodyDims::get(Value tensor, int64_t dim) {
  std::optional<Dim> result = ValueDims::get(tensor, dim);
  // If a tensor from outside has the dim, tensor.dim of it replaces the computation.
  if (result && isOutside(tensor) && exprs.isComputed(*result))
    exprs.setValue(*result, tensor::DimOp::create(builder, loop->getLoc(), tensor, dim).getResult());
  return result;
}

std::optional<BodyDims::Dim> BodyDims::traceIndex(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return exprs.constant(*number);
  auto value = cast<Value>(size);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> i = dim.getConstantIndex(); i && isa<RankedTensorType>(dim.getSource().getType()))
      return get(dim.getSource(), *i);
  // A value that a check returns equals the guarded value. It represents the dim, so that code which needs the check
  // stays behind it.
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

std::optional<BodyDims::Dim> BodyDims::getOfOp(OpResult result, int64_t dim) {
  using Found = std::optional<Dim>;
  return TypeSwitch<Operation *, Found>(result.getOwner())
      .Case([&](tensor::ExtractSliceOp slice) { return traceIndex(getKeptSize(slice, dim)); })
      .Case([&](rt::BroadcastDimOp broadcast) {
        bool isWide = dim == static_cast<int64_t>(broadcast.getDim());
        return isWide ? traceIndex(broadcast.getSize()) : get(broadcast.getInput(), dim);
      })
      .Case([&](bufferization::ToTensorOp read) -> Found {
        OpFoldResult size = getBufferSize(read.getBuffer(), dim);
        return size ? traceIndex(size) : std::nullopt;
      })
      .Default([&](Operation *) { return NestDims::getOfOp(result, dim); });
}
