// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanWeights.cpp - Places of packed constants -----------------------===//
//
// All packed constants are in one block of memory. The plan describes its layout for PackWeights.cpp, which fills it.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ABI.h"
#include "Recur/Transforms/Passes.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace recur {
#define GEN_PASS_DEF_PLANWEIGHTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct PlanWeights final : recur::impl::PlanWeightsBase<PlanWeights> {
  void runOnOperation() override {
    Builder builder(&getContext());
    llvm::DenseMap<Attribute, int64_t> offsets;
    SmallVector<Attribute> plan;
    int64_t end = 0;
    auto given = getOperation()->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr);
    auto bytes = getOperation()->getAttrOfType<IntegerAttr>(rt::kWeightsBytesAttr);
    if (given && bytes) {
      llvm::append_range(plan, given);
      for (auto entry : given.getAsRange<ArrayAttr>())
        offsets[entry[0]] = cast<IntegerAttr>(entry[1]).getInt();
      end = bytes.getInt();
    }
    WalkResult result = getOperation().walk([&](rt::WeightsOp op) {
      auto [offset, isNew] = offsets.try_emplace(op.getConstant(), 0);
      if (isNew) {
        auto type = cast<MemRefType>(op.getType());
        std::optional<int64_t> bytes = getStaticBytes(type);
        offset->second = llvm::alignTo(end, RECUR_ALIGNMENT);
        // Rounding up to the alignment may have overflowed, too.
        std::optional<int64_t> next =
            bytes && offset->second >= end ? llvm::checkedAdd(offset->second, *bytes) : std::nullopt;
        if (!next) {
          op.emitError("expected fewer than 2^63 bytes of weights");
          return WalkResult::interrupt();
        }
        end = *next;
        plan.push_back(builder.getArrayAttr({op.getConstant(), builder.getI64IntegerAttr(offset->second)}));
      }
      op.setOffset(offset->second);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation()->setAttr(rt::kWeightsBytesAttr, builder.getI64IntegerAttr(end));
    getOperation()->setAttr(rt::kWeightsPlanAttr, builder.getArrayAttr(plan));
  }
};
} // namespace
