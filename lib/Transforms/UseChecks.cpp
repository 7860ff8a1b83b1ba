// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- UseChecks.cpp - What a check has found is known behind it ----------===//
//
// A loop whose initial state may have other dims than its next one has a branch for the first iteration. Often a check
// of that very branch says that the dims must agree. Once the check stands before the branch, the branch is never
// taken, and its copy of the body would be compiled for nothing. Upstream's canonicalization does not know what
// rt.check says.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_USECHECKS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if `op` comes behind `check`: in its block, or in an op of its block.
static bool isBehind(Operation *op, rt::CheckOp check) {
  Operation *around = check->getBlock()->findAncestorOpInBlock(*op);
  return around && check->isBeforeInBlock(around);
}

/// Calls `visit` for each value that `check` decides, and with what it is: the condition, and comparisons of the two
/// values that the condition has found equal.
static void visitDecided(rt::CheckOp check, function_ref<void(Value decided, bool is)> visit) {
  visit(check.getCondition(), true);
  auto condition = check.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!condition || condition.getPredicate() != arith::CmpIPredicate::eq)
    return;
  Value a = condition.getLhs(), b = condition.getRhs();
  for (Operation *user : llvm::make_early_inc_range(a.getUsers())) {
    auto comparison = dyn_cast<arith::CmpIOp>(user);
    if (!comparison || comparison == condition)
      continue;
    bool isSame = (comparison.getLhs() == a && comparison.getRhs() == b) ||
                  (comparison.getLhs() == b && comparison.getRhs() == a);
    arith::CmpIPredicate predicate = comparison.getPredicate();
    if (isSame && (predicate == arith::CmpIPredicate::eq || predicate == arith::CmpIPredicate::ne))
      visit(comparison, predicate == arith::CmpIPredicate::eq);
  }
}

/// Moves `op`, which stands before `check`, behind it, if nothing needs it before.
static void sink(RewriterBase &rewriter, Operation *op, rt::CheckOp check) {
  if (op->getBlock() == check->getBlock() && op->isBeforeInBlock(check) && isPure(op) &&
      llvm::all_of(op->getUsers(), [&](Operation *user) { return isBehind(user, check); }))
    rewriter.moveOpAfter(op, check);
}

namespace {
struct UseChecks final : recur::impl::UseChecksBase<UseChecks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<rt::CheckOp> checks;
    getOperation().walk([&](rt::CheckOp check) { checks.push_back(check); });
    for (rt::CheckOp check : checks)
      visitDecided(check, [&](Value decided, bool is) {
        if (matchPattern(decided, m_Constant()))
          return;
        for (Operation *user : SmallVector<Operation *>(decided.getUsers()))
          sink(rewriter, user, check);
        if (llvm::none_of(decided.getUsers(), [&](Operation *user) { return isBehind(user, check); }))
          return;
        rewriter.setInsertionPointAfter(check);
        Value known = arith::ConstantIntOp::create(rewriter, check.getLoc(), is, 1);
        rewriter.replaceUsesWithIf(decided, known, [&](OpOperand &use) { return isBehind(use.getOwner(), check); });
      });
  }
};
} // namespace
