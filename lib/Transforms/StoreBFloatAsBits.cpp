// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StoreBFloatAsBits.cpp - The remaining bf16 becomes i16 -------------===//
//
// At the end of the lowering, no op computes in bf16 any more, except intrinsics of the target. A replacement of the
// type in all other ops is enough, so this is no conversion with patterns.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace recur {
#define GEN_PASS_DEF_STOREBFLOATASBITS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct StoreBFloatAsBits final : recur::impl::StoreBFloatAsBitsBase<StoreBFloatAsBits> {
  void runOnOperation() override {
    Type i16 = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) -> std::optional<Type> { return i16; });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!attr.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(i16, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([&](DenseElementsAttr attr) -> std::optional<Attribute> {
      if (!attr.getElementType().isBF16())
        return std::nullopt;
      return attr.bitcast(i16);
    });
    // An intrinsic keeps its types. It gets and gives bits through casts, which the replacement would change.
    SmallVector<std::pair<OpOperand *, Type>> operands;
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      for (OpOperand &operand : call->getOpOperands())
        if (getElementTypeOrSelf(operand.get().getType()).isBF16())
          operands.push_back({&operand, operand.get().getType()});
    });
    // The attributes of the module describe the public interface, which keeps its types.
    for (Operation &op : getOperation().getBodyRegion().getOps())
      replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    for (auto [operand, type] : operands) {
      OpBuilder builder(operand->getOwner());
      operand->set(LLVM::BitcastOp::create(builder, operand->getOwner()->getLoc(), type, operand->get()));
    }
  }
};
} // namespace
