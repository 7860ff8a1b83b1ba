// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelCalls.cpp - Private functions that a module has once ---------===//
//
// Inline code for dynamic sizes is long, and a call costs little in comparison. So a module has such code once, in
// kernels, which take buffers with dynamic sizes and strides.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "LoopMarks.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

MemRefType recur::getKernelViewType(Type element, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  return MemRefType::get(shape, element, StridedLayoutAttr::get(element.getContext(), ShapedType::kDynamic, strides));
}

Value recur::createKernelView(OpBuilder &builder, Location loc, MemRefType type, Value base, OpFoldResult offset,
                              ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  auto asValues = [&](ArrayRef<OpFoldResult> from, ArrayRef<int64_t> known) {
    SmallVector<OpFoldResult> to;
    for (auto [value, size] : llvm::zip_equal(from, known))
      to.push_back(ShapedType::isDynamic(size) ? OpFoldResult(getValueOrCreateConstantIndexOp(builder, loc, value))
                                               : OpFoldResult(builder.getIndexAttr(size)));
    return to;
  };
  auto layout = cast<StridedLayoutAttr>(type.getLayout());
  OpFoldResult first = getValueOrCreateConstantIndexOp(builder, loc, offset);
  return memref::ReinterpretCastOp::create(builder, loc, type, base, first, asValues(sizes, type.getShape()),
                                           asValues(strides, layout.getStrides()));
}

BufferParts recur::describeBuffer(OpBuilder &builder, Location loc, Value buffer) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  auto value = [&](OpFoldResult of) { return getValueOrCreateConstantIndexOp(builder, loc, of); };
  BufferParts parts;
  for (OpFoldResult size : metadata.getConstifiedMixedSizes())
    parts.sizes.push_back(value(size));
  for (OpFoldResult stride : metadata.getConstifiedMixedStrides())
    parts.strides.push_back(value(stride));
  parts.base = metadata.getBaseBuffer();
  parts.offset = value(metadata.getConstifiedMixedOffset());
  return parts;
}

void recur::useCopy(RewriterBase &rewriter, DestinationStyleOpInterface op, OpOperand &operand) {
  Location loc = op.getLoc();
  Value buffer = operand.get();
  rewriter.setInsertionPoint(op);
  Value copy = memref::AllocOp::create(rewriter, loc, memref::getMixedSizes(rewriter, loc, buffer),
                                       getElementTypeOrSelf(buffer.getType()));
  bool isRead = op.isDpsInput(&operand);
  if (!isRead)
    rewriter.setInsertionPointAfter(op);
  memref::CopyOp::create(rewriter, loc, isRead ? buffer : copy, isRead ? copy : buffer);
  rewriter.modifyOpInPlace(op, [&] { operand.set(copy); });
}

LogicalResult recur::checkUnitStrides(RewriterBase &rewriter, Operation *op, ArrayRef<OpOperand *> operands) {
  for (OpOperand *operand : operands) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(operand->get().getType()).getStridesAndOffset(strides, offset)))
      return rewriter.notifyMatchFailure(op, "expected buffers with strides");
    if (strides.back() != 1)
      return rewriter.notifyMatchFailure(op, "expected rows whose elements are one after the other");
  }
  return success();
}

func::FuncOp recur::getOrCreateKernel(ModuleOp module, StringRef name, TypeRange arguments,
                                      function_ref<void(func::FuncOp)> emit) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType(arguments, {}));
  kernel.setPrivate();
  kernel->setAttr(rt::kKernelAttr, builder.getUnitAttr());
  // LLVM must keep one copy of the code for all callers. By the second attribute the optimizer recognizes kernels.
  kernel->setAttr(kPassThroughAttr, builder.getStrArrayAttr({"noinline", rt::kKernelAttr}));
  kernel.addEntryBlock();
  emit(kernel);
  return kernel;
}

void recur::keepLoop(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto yes = BoolAttr::get(context, true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {});
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {});
  loop->setDiscardableAttr(kLoopAnnotation, getLoopAnnotation(unroll, /*interleave=*/{}, vectorize));
}
