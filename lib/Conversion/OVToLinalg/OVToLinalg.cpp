// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVToLinalg.cpp - From ov to linalg on tensors ----------------------===//
//
// The pass convert-ov-to-linalg. It runs the patterns of all op families in one full dialect conversion, because the
// element types of all values in the function change at once. The families are in the other files of this folder.
//
//===----------------------------------------------------------------------===//

#include "Recur/Conversion/OVToLinalg.h"
#include "Recur/Conversion/Passes.h"

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace recur {
#define GEN_PASS_DEF_CONVERTOVTOLINALG
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace recur;
using namespace recur::ov;

void recur::populateOVToLinalgPatterns(const TypeConverter &converter, RewritePatternSet &patterns, bool inOrder,
                                       bool kernels) {
  populateActivationPatterns(converter, patterns);
  populateArithmeticPatterns(converter, patterns);
  populateBitwisePatterns(converter, patterns);
  populateComparisonPatterns(converter, patterns);
  populateConditionPatterns(converter, patterns);
  populateConvolutionPatterns(converter, patterns, {inOrder, kernels});
  populateGenerationPatterns(converter, patterns);
  populateLogicalPatterns(converter, patterns);
  populateMatrixPatterns(converter, patterns, inOrder);
  populateMovementPatterns(converter, patterns);
  populateMovementGatherPatterns(converter, patterns);
  populateMovementGatherTreePatterns(converter, patterns);
  populateMovementRepeatPatterns(converter, patterns);
  populateMovementScatterPatterns(converter, patterns);
  populateMovementSlicePatterns(converter, patterns);
  populateReductionPatterns(converter, patterns);
  populateSelectBoxesPatterns(converter, patterns);
  populateSequencePatterns(converter, patterns);
  populateShapePatterns(converter, patterns);
  populateSortPatterns(converter, patterns);
  populateTypePatterns(converter, patterns);
}

/// True if no operand, result or block argument of `op` has a type that must be converted. For a function, the
/// signature counts too.
static bool isRetyped(const TypeConverter &converter, Operation *op) {
  if (auto func = dyn_cast<func::FuncOp>(op))
    return converter.isSignatureLegal(func.getFunctionType()) && converter.isLegal(&func.getBody());
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) { return converter.isLegal(&region); });
}

/// Records the original element type of each argument and result whose storage type differs, unless the importer has
/// recorded it already. The interface of the compiled model shows the types of the model, not the storage types.
static void keepElementTypes(const TypeConverter &converter, func::FuncOp func) {
  auto note = [&](Type type, bool isNoted, auto set) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && !isNoted && !converter.isLegal(type))
      set(kElementTypeAttr, TypeAttr::get(shaped.getElementType()));
  };
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    note(type, !!func.getArgAttr(i, kElementTypeAttr),
         [&, i = i](StringRef name, Attribute element) { func.setArgAttr(i, name, element); });
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    note(type, !!func.getResultAttr(i, kElementTypeAttr),
         [&, i = i](StringRef name, Attribute element) { func.setResultAttr(i, name, element); });
}

namespace {
struct ConvertOVToLinalg final : recur::impl::ConvertOVToLinalgBase<ConvertOVToLinalg> {
  using Base::Base;
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    StorageTypeConverter converter;
    if (getOperation().isPublic())
      keepElementTypes(converter, getOperation());
    ConversionTarget target(*context);
    target.addIllegalDialect<OVDialect>();
    // An ov.constant stays only if its value stays in the weights file.
    target.addDynamicallyLegalOp<ConstantOp>(
        [&](ConstantOp op) { return isa<WeightsAttr>(op.getValue()) && converter.isLegal(op.getType()); });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return isRetyped(converter, op); });
    RewritePatternSet patterns(context);
    populateRetypingPatterns(converter, patterns);
    populateOVToLinalgPatterns(converter, patterns, inOrder, kernels);
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
