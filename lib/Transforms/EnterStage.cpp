// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EnterStage.cpp - Record the stage of a module ----------------------===//
//
// Every stage begins with this pass. The stage is an attribute of the module, because the text of a module must say how
// far it has been compiled: tools read modules of any stage, and most stages cannot run twice.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"
#include "VerifyStage.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"

namespace recur {
#define GEN_PASS_DEF_ENTERSTAGE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

rt::Stage recur::getStage(ModuleOp module) {
  auto passed = module->getAttrOfType<rt::StageAttr>(rt::kStageAttr);
  return passed ? passed.getValue() : rt::Stage::Import;
}

namespace {
struct EnterStage final : recur::impl::EnterStageBase<EnterStage> {
  using EnterStageBase::EnterStageBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<rt::Stage> next = rt::symbolizeStage(stage);
    if (!next) {
      module.emitError() << "expected the name of a stage, but got '" << stage << "'";
      return signalPassFailure();
    }
    if (rt::Stage passed = getStage(module); passed >= *next) {
      module.emitError() << "expected a module before stage '" << stage << "', but got one of stage '"
                         << stringifyStage(passed) << "'";
      return signalPassFailure();
    }
    if (getStage(module) == rt::Stage::Import && failed(verifyRanks(module)))
      return signalPassFailure();
    // The compiler does not verify after each pass.
    if (failed(verify(module)))
      return signalPassFailure();
    // The passes that follow rely on the functions and attributes of a call.
    if (getStage(module) >= rt::Stage::Schedule && failed(verifyStage(module)))
      return signalPassFailure();
    if (failed(verifyStageBefore(module, *next)))
      return signalPassFailure();
    module->setAttr(rt::kStageAttr, rt::StageAttr::get(&getContext(), *next));
  }
};
} // namespace
