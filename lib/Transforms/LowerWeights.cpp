// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerWeights.cpp - Big constants become packed weights -------------===//
//
// The bytes of such a constant are not in the module. `#ov.weights` says where they are in the weights file and how
// they are reordered, and each constant becomes one buffer.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {
#define GEN_PASS_DEF_LOWERWEIGHTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct LowerWeights final : recur::impl::LowerWeightsBase<LowerWeights> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<ov::ConstantOp> constants;
    func.walk([&](ov::ConstantOp op) {
      if (isa<ov::WeightsAttr>(op.getValue()))
        constants.push_back(op);
    });
    if (constants.empty())
      return;
    // The buffers stand at the start of the function, outside of all loops.
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    llvm::DenseMap<Attribute, Value> known;
    for (ov::ConstantOp op : constants) {
      Value &tensor = known[op.getValue()];
      if (!tensor) {
        auto type = cast<RankedTensorType>(op.getType());
        Value buffer =
            rt::WeightsOp::create(builder, op.getLoc(), MemRefType::get(type.getShape(), type.getElementType()),
                                  op.getValue(), IntegerAttr());
        tensor = bufferization::ToTensorOp::create(builder, op.getLoc(), type, buffer, /*restrict=*/true);
      }
      op.replaceAllUsesWith(tensor);
    }
    // One of them may be the first op of the function, before which the builder stands.
    for (ov::ConstantOp op : constants)
      op.erase();
  }
};
} // namespace
