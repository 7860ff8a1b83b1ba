// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bufferization.cpp - Ops of rt that work on tensors -----------------===//
//
// This file implements MLIR's BufferizableOpInterface for the ops of the dialect on tensors. `rt.broadcast_dim` becomes
// a `memref.reinterpret_cast` whose stride along the dim is chosen at run time: 0 if the dim is repeated. An op that a
// kernel computes writes to the buffer of its destination.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/Bufferization.h"

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur::rt;
using bufferization::AnalysisState;

namespace {
struct BroadcastDimModel : bufferization::BufferizableOpInterface::ExternalModel<BroadcastDimModel, BroadcastDimOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  bufferization::AliasingValueList getAliasingValues(Operation *op, OpOperand &operand, const AnalysisState &) const {
    if (operand.getOperandNumber() != 0)
      return {};
    return {{op->getResult(0), bufferization::BufferRelation::Unknown}};
  }
  /// Several elements of the result may be the same element in memory, so no op may write to it. If no op could, the
  /// answer is true: otherwise the op that computes the input would have to write elsewhere.
  bool isWritable(Operation *, Value value, const AnalysisState &state) const { return !mayBeWritten(value, state); }

  FailureOr<bufferization::BufferLikeType> getBufferType(Operation *op, Value,
                                                         const bufferization::BufferizationOptions &options,
                                                         const bufferization::BufferizationState &state,
                                                         SmallVector<Value> &invocationStack) const {
    auto broadcast = cast<BroadcastDimOp>(op);
    FailureOr<bufferization::BufferLikeType> source =
        bufferization::getBufferType(broadcast.getInput(), options, state, invocationStack);
    if (failed(source))
      return failure();
    return cast<bufferization::BufferLikeType>(getViewType(broadcast, cast<MemRefType>(*source)));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto broadcast = cast<BroadcastDimOp>(op);
    FailureOr<Value> source = bufferization::getBuffer(rewriter, broadcast.getInput(), options, state);
    if (failed(source))
      return failure();
    Location loc = op->getLoc();
    auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, *source);
    SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes(),
                              strides = metadata.getConstifiedMixedStrides();
    int64_t dim = broadcast.getDim();
    Value own = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]);
    Value same = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, own, broadcast.getSize());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    strides[dim] =
        arith::SelectOp::create(rewriter, loc, same, getValueOrCreateConstantIndexOp(rewriter, loc, strides[dim]), zero)
            .getResult();
    sizes[dim] = broadcast.getSize();
    bufferization::replaceOpWithNewBufferizedOp<memref::ReinterpretCastOp>(
        rewriter, op, getViewType(broadcast, cast<MemRefType>(source->getType())), *source,
        metadata.getConstifiedMixedOffset(), sizes, strides);
    return success();
  }

private:
  /// True if an op may write to the memory of `value`, itself or by a view of it.
  static bool mayBeWritten(Value value, const AnalysisState &state) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user->hasTrait<OpTrait::IsTerminator>() || state.bufferizesToMemoryWrite(use))
        return true;
      return llvm::any_of(state.getAliasingValues(use),
                          [&](const bufferization::AliasingValue &view) { return mayBeWritten(view.value, state); });
    });
  }

  /// The type of the source, but with a dynamic stride along the dim.
  static MemRefType getViewType(BroadcastDimOp op, MemRefType source) {
    auto [strides, offset] = source.getStridesAndOffset();
    strides[op.getDim()] = ShapedType::kDynamic;
    return MemRefType::get(source.getShape(), source.getElementType(),
                           StridedLayoutAttr::get(op.getContext(), offset, strides), source.getMemorySpace());
  }
};

/// An op that a kernel computes writes to the buffer of its destination, which it does not read.
template <typename OpT>
struct KernelModel : bufferization::DstBufferizableOpInterfaceExternalModel<KernelModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<OpT>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto onTensors = cast<OpT>(op);
    if (!onTensors.hasPureTensorSemantics())
      return success();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    auto onBuffers = OpT::create(rewriter, op->getLoc(), TypeRange(), operands, onTensors.getProperties(),
                                 op->getDiscardableAttrDictionary().getValue());
    for (auto [to, from] : llvm::zip_equal(onBuffers->getRegions(), op->getRegions()))
      to.takeBody(from);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, onBuffers.getInit());
    return success();
  }
};
} // namespace

void recur::rt::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RTDialect *) {
    BroadcastDimOp::attachInterface<BroadcastDimModel>(*context);
    ConvolutionOp::attachInterface<KernelModel<ConvolutionOp>>(*context);
    ProductOp::attachInterface<KernelModel<ProductOp>>(*context);
    context->loadDialect<arith::ArithDialect, memref::MemRefDialect>();
  });
}
