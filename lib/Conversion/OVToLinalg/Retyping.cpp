// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Retyping.cpp - Storage types for ops of all dialects ---------------===//
//
// Retypes ops that are not ov ops, such as scf loops and tensor ops that earlier passes have made. Most ops are cloned
// with converted types. Ops that move scalars from or to tensors and buffers also convert booleans between i1 and i8.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Recur/Conversion/OVToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

StorageTypeConverter::StorageTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](IntegerType type) -> Type { return type.isInteger(1) ? type : getStorageType(type); });
  addConversion([](ShapedType type) -> std::optional<Type> {
    // Vectors are in registers, as scalars are.
    if (isa<VectorType>(type))
      return type;
    Type element = getStorageType(type.getElementType());
    if (element == type.getElementType())
      return type;
    return type.clone(element);
  });
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs).getResult(0);
  };
  addSourceMaterialization(materialize);
  addTargetMaterialization(materialize);
}

/// The constant with elements of storage type, or null if it has an unknown kind of attribute.
static Attribute retypeConstant(const TypeConverter &converter, TypedAttr attr) {
  Type type = converter.convertType(attr.getType());
  if (type == attr.getType())
    return attr;
  if (auto weights = dyn_cast<WeightsAttr>(attr))
    return weights.append(BitcastStepAttr::get(attr.getContext(), cast<RankedTensorType>(type).getElementType()));
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return IntegerAttr::get(type, integer.getValue());
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return {};
  unsigned width = cast<ShapedType>(type).getElementTypeBitWidth();
  return dense.mapValues(cast<ShapedType>(type).getElementType(),
                         [&](const APInt &value) { return value.zextOrTrunc(width); });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Replaces any op of another dialect by a copy with converted types and regions.
struct RetypeOp final : ConversionPattern {
  RetypeOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (isa<OVDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "expected an op of another dialect");
    OperationState state(op->getLoc(), op->getName(), operands, TypeRange(), op->getAttrs(), op->getSuccessors());
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), state.types)))
      return rewriter.notifyMatchFailure(op, "expected result types that can be converted");
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (SmallVector<Type> types; failed(getTypeConverter()->convertTypes(block.getArgumentTypes(), types)))
          return rewriter.notifyMatchFailure(op, "expected block arguments whose types can be converted");
    for (Region &region : op->getRegions()) {
      Region *moved = state.addRegion();
      rewriter.inlineRegionBefore(region, *moved, moved->begin());
      // Cannot fail: the types of all block arguments can be converted.
      (void)rewriter.convertRegionTypes(moved, *getTypeConverter());
    }
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

/// Retypes arith.constant and ov.constant. The result is an ov.constant if the value stays in the weights file, else an
/// arith.constant. A tensor without elements is no constant of LLVM, which has an array for each index of other dims.
template <typename Op>
struct RetypeConstant final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast_or_null<TypedAttr>(retypeConstant(*this->getTypeConverter(), op.getValue()));
    if (!value)
      return rewriter.notifyMatchFailure(op, "expected a dense constant");
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (isa<WeightsAttr>(value))
      rewriter.replaceOpWithNewOp<ConstantOp>(op, value.getType(), value);
    else if (type && llvm::is_contained(type.getShape(), 0))
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type.getShape(), type.getElementType());
    else
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// Retypes an op that reads a scalar. A boolean from memory is an i8, which is compared with 0.
template <typename Op>
struct RetypeRead final : OpConversionPattern<Op> {
  RetypeRead(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getResult().getType();
    LoweringBuilder b(op.getLoc(), rewriter);
    Value source = adaptor.getOperands().front();
    Value stored = Op::create(b, source, adaptor.getOperands().drop_front());
    rewriter.replaceOp(op, type.isInteger(1) ? fromStorage(b, stored, type) : stored);
    return success();
  }
};

/// Retypes an op that writes scalars. An i1 is extended to i8.
template <typename Op>
struct RetypeWrite final : OpConversionPattern<Op> {
  RetypeWrite(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> operands;
    for (Value operand : adaptor.getOperands())
      operands.push_back(operand.getType().isInteger(1) ? toStorage(b, operand, operand.getType()) : operand);
    OperationState state(op.getLoc(), op->getName(), operands, TypeRange(), op->getAttrs());
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(), state.types)))
      return rewriter.notifyMatchFailure(op, "expected result types that can be converted");
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

/// Creates linalg.fill anew, because the region of the old op has the old types.
struct RetypeFill final : OpConversionPattern<linalg::FillOp> {
  RetypeFill(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(linalg::FillOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value scalar = adaptor.getInputs().front();
    if (scalar.getType().isInteger(1))
      scalar = toStorage(b, scalar, scalar.getType());
    rewriter.replaceOp(op, linalg::FillOp::create(b, scalar, adaptor.getOutputs()));
    return success();
  }
};
} // namespace

void recur::populateRetypingPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RetypeOp>(converter, patterns.getContext());
  patterns.add<RetypeConstant<arith::ConstantOp>, RetypeConstant<ConstantOp>>(converter, patterns.getContext(),
                                                                              /*benefit=*/2);
  patterns.add<RetypeRead<tensor::ExtractOp>, RetypeRead<memref::LoadOp>>(converter, patterns.getContext());
  patterns.add<RetypeWrite<tensor::FromElementsOp>, RetypeWrite<tensor::InsertOp>, RetypeWrite<tensor::SplatOp>,
               RetypeWrite<memref::StoreOp>, RetypeFill>(converter, patterns.getContext());
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
}
