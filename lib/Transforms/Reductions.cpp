// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reductions.cpp - Forms of reductions on tensors --------------------===//
//
// A step of a reduction is element-wise work on the accumulators, so its reduced dims, of one element each, can go.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

using namespace mlir;
using namespace recur;

std::optional<ParallelForm> recur::getParallelForm(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  ParallelForm form;
  SmallVector<AffineExpr> replacements;
  for (auto [range, kind] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction) {
      if (range != 1)
        return std::nullopt;
      replacements.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    replacements.push_back(getAffineDimExpr(form.kinds.size(), context));
    form.kinds.push_back(kind);
  }
  for (AffineMap map : op.getIndexingMapsArray())
    form.maps.push_back(map.replaceDimsAndSymbols(replacements, {}, form.kinds.size(), 0));
  return form;
}

bool recur::startsFromFills(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 || llvm::all_of(op.getDpsInits(), [](Value init) {
           return isa_and_nonnull<linalg::FillOp>(init.getDefiningOp());
         });
}
