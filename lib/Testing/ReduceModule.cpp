// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReduceModule.cpp - smaller modules with the same fault -------------===//
//
// Tries to remove ranges of ops, first long ones and then single ops, and outputs. A step that gives an invalid module,
// or one that no longer fails, is taken back.
//
//===----------------------------------------------------------------------===//

#include "Recur/Testing/ReduceModule.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Testing/CrashNotes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace recur::fuzz {

Verdict findFailure(ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights, unsigned seconds) {
  return runIsolated(
      [&]() -> Verdict {
        std::string error;
        ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
            error = diagnostic.str();
          return success();
        });
        enterPhase("compiling");
        recur::Model copy{cast<ModuleOp>(module->clone()), weights};
        CompileOptions options;
        options.target = TargetConfig::forHost();
        llvm::Expected<CompiledModel> compiled = compile(copy, options, EmitKind::Object, WeightsPlacement::External);
        if (!compiled) {
          std::string text = llvm::toString(compiled.takeError());
          return {Verdict::Refused, error.empty() ? text : error};
        }
        // Only a model that is not lowered yet can be interpreted.
        bool isLowered = false;
        module.walk([&](Operation *op) {
          isLowered |= !isa<ModuleOp, func::FuncOp, func::ReturnOp>(op) && !isa<ov::OVDialect>(op->getDialect());
        });
        if (isLowered)
          return {};
        std::optional<std::vector<Tensor>> inputs = makeInputs(module, {}, /*seed=*/1);
        if (!inputs)
          return {};
        CheckOptions check;
        check.modes = {Mode::Optimized};
        check.isStrict = false;
        return compareRuns(module, weights, *inputs, check, error);
      },
      seconds);
}

namespace {
/// How the values of ops that are removed are replaced.
enum class Way { Operand, Input };

/// A copy of the module in which steps are made.
class Candidate {
public:
  explicit Candidate(ModuleOp original) : module(original.clone()), func(*module->getOps<func::FuncOp>().begin()) {
    if (auto array = (*module)->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr))
      states = array.size();
  }

  /// The ops that can be removed, outer ones first. Constants stay where something needs them.
  SmallVector<Operation *> getOps();
  /// The outputs that are no states.
  unsigned countOutputs() { return func.getNumResults() - states; }
  unsigned countInputs() { return func.getNumArguments() - 2 * states; }
  /// Replaces the values of the ops, and removes all ops that nothing needs. Returns false if a value stays.
  bool removeOps(ArrayRef<Operation *> ops, Way way);
  void removeOutputs(unsigned first, unsigned count);
  void removeUnusedInputs();
  bool isValid();

  OwningOpRef<ModuleOp> module;

private:
  Value replace(Operation *op, Value result, Way way);
  void removeDeadOps();

  func::FuncOp func;
  size_t states = 0;
};
} // namespace

SmallVector<Operation *> Candidate::getOps() {
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != func && !op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::ConstantLike>())
      ops.push_back(op);
  });
  return ops;
}

Value Candidate::replace(Operation *op, Value result, Way way) {
  if (way == Way::Operand) {
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType())
        return operand;
    return {};
  }
  if (!isa<RankedTensorType>(result.getType()))
    return {};
  // The states are the last arguments. The names of inputs differ.
  unsigned index = countInputs();
  Builder builder(op->getContext());
  std::string name = "value_" + std::to_string(index);
  mlir::Type element = cast<RankedTensorType>(result.getType()).getElementType();
  (void)func.insertArgument(
      index, result.getType(),
      builder.getDictionaryAttr({builder.getNamedAttr(ov::kNameAttr, builder.getStringAttr(name)),
                                 builder.getNamedAttr(ov::kElementTypeAttr, TypeAttr::get(element))}),
      op->getLoc());
  return func.getArgument(index);
}

void Candidate::removeDeadOps() {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> dead;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == func || op->hasTrait<OpTrait::IsTerminator>() || !op->use_empty())
        return WalkResult::advance();
      dead.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    changed = !dead.empty();
  }
}

bool Candidate::removeOps(ArrayRef<Operation *> ops, Way way) {
  bool changed = false;
  // From the last one on, so that the operand of an op is replaced after the op.
  for (Operation *op : llvm::reverse(ops))
    for (Value result : op->getResults()) {
      // A value that only ops of the range read needs no other one.
      bool isNeeded = llvm::any_of(result.getUsers(), [&](Operation *user) { return !llvm::is_contained(ops, user); });
      Value other = isNeeded ? replace(op, result, way) : Value();
      if (isNeeded && !other)
        return false;
      if (other)
        result.replaceAllUsesWith(other);
      changed = true;
    }
  removeDeadOps();
  return changed;
}

void Candidate::removeOutputs(unsigned first, unsigned count) {
  llvm::BitVector removed(func.getNumResults());
  removed.set(first, first + count);
  Operation *end = func.getBody().front().getTerminator();
  for (unsigned i = first + count; i-- != first;)
    end->eraseOperand(i);
  (void)func.eraseResults(removed);
  removeDeadOps();
}

void Candidate::removeUnusedInputs() {
  for (unsigned i = countInputs(); i-- != 0;)
    if (func.getArgument(i).use_empty())
      (void)func.eraseArgument(i);
}

bool Candidate::isValid() {
  ScopedDiagnosticHandler quiet(module->getContext(), [](Diagnostic &) { return success(); });
  return succeeded(verify(*module));
}

OwningOpRef<ModuleOp> reduceModule(OwningOpRef<ModuleOp> module, llvm::function_ref<bool(ModuleOp)> fails) {
  auto functions = module->getOps<func::FuncOp>();
  if (functions.empty() || (*functions.begin()).isExternal())
    return module;
  auto keep = [&](Candidate &candidate) {
    if (!candidate.isValid() || !fails(*candidate.module))
      return false;
    module = std::move(candidate.module);
    return true;
  };
  auto size = [&] { return Candidate(*module).getOps().size(); };
  // What was not possible may be once other ops are gone.
  for (size_t before = ~size_t(0); size() < before;) {
    before = size();
    for (unsigned length = Candidate(*module).countOutputs() / 2; length != 0; length /= 2)
      for (unsigned first = 0; first + length <= Candidate(*module).countOutputs();) {
        Candidate candidate(*module);
        if (length < candidate.countOutputs()) {
          candidate.removeOutputs(first, length);
          if (keep(candidate))
            continue;
        }
        first += length;
      }
    for (size_t length = std::max<size_t>(before / 2, 1); length != 0; length /= 2)
      for (Way way : {Way::Input, Way::Operand})
        for (size_t end = size(); end != 0;) {
          size_t first = end > length ? end - length : 0;
          Candidate candidate(*module);
          SmallVector<Operation *> ops = candidate.getOps();
          bool isSmaller = candidate.removeOps(ArrayRef(ops).slice(first, end - first), way) &&
                           candidate.getOps().size() < ops.size();
          if (isSmaller)
            keep(candidate);
          end = std::min(first, size());
        }
  }
  Candidate candidate(*module);
  candidate.removeUnusedInputs();
  keep(candidate);
  return module;
}

} // namespace recur::fuzz
