// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerWeights.cpp - Big constants become packed weights -------------===//

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
    // At the start of the function, where no loop can be around them.
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
      op.erase();
    }
  }
};
} // namespace
