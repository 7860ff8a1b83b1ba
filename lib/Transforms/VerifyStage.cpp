// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- VerifyStage.cpp - Properties of a module at its stage --------------===//
//
// The text of a module states its own stage (`rt.stage`), and may be wrong. This file verifies what later stages and
// the code generator rely on, before they see the module.
//
//===----------------------------------------------------------------------===//

#include "VerifyStage.h"
#include "ByteCount.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Target/Limits.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;

/// The bytes of a tensor or buffer. nullopt if its shape is dynamic, or if it has 2^63 bytes or more.
static std::optional<int64_t> countBytes(ShapedType type) {
  return type.hasStaticShape() ? getStaticBytes(type) : std::nullopt;
}

/// True if the offsets of the constants are in order, do not overlap, and end within `end` bytes.
static bool fillsBytes(ArrayAttr plan, int64_t end) {
  std::optional<int64_t> next = 0;
  return llvm::all_of(plan.getAsRange<ArrayAttr>(), [&](ArrayAttr pair) {
    auto weights = dyn_cast<ov::WeightsAttr>(pair[0]);
    int64_t offset = cast<IntegerAttr>(pair[1]).getInt();
    if (!weights || offset < *next)
      return false;
    std::optional<int64_t> bytes = countBytes(weights.getTensorType());
    next = bytes ? llvm::checkedAdd(offset, *bytes) : std::nullopt;
    return next && *next <= end;
  });
}

/// Verifies that the module defines a function of docs/ModelContract.md, with `arguments` pointers and a status as
/// result. It is a `func.func`, or an `llvm.func` after the last stage.
static LogicalResult verifyFunction(ModuleOp module, StringRef name, unsigned arguments, rt::Stage stage) {
  Operation *symbol = module.lookupSymbol(name);
  Type pointer = LLVM::LLVMPointerType::get(module.getContext()), status = IntegerType::get(module.getContext(), 32);
  SmallVector<Type> inputs(arguments, pointer);
  bool fits = false;
  if (auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(symbol); function && stage == rt::Stage::LLVM)
    fits = !function.isExternal() && function.getFunctionType() == LLVM::LLVMFunctionType::get(status, inputs);
  if (auto function = dyn_cast_or_null<func::FuncOp>(symbol); function && stage < rt::Stage::LLVM)
    fits =
        !function.isExternal() && function.getFunctionType() == FunctionType::get(module.getContext(), inputs, status);
  if (fits)
    return success();
  return (symbol ? symbol : module)->emitError()
         << "expected a module of stage '" << stringifyStage(stage) << "' to define the function '" << name << "', of "
         << arguments << " pointers, with a status";
}

/// Verifies that an `rt.input` or `rt.output` has the rank that the module declares, and does not contradict its dims.
static LogicalResult verifyBuffer(Operation *op, uint64_t number, MemRefType type, ArrayAttr declared) {
  if (number >= declared.size())
    return op->emitError() << "expected a number below " << declared.size() << ", but got " << int64_t(number);
  auto dims = cast<DictionaryAttr>(declared[number]).getAs<DenseI64ArrayAttr>("dims").asArrayRef();
  auto fits = [](auto pair) {
    auto [declared, dim] = pair;
    return declared == -1 || ShapedType::isDynamic(dim) || declared == dim;
  };
  if (type.getRank() != int64_t(dims.size()) || !llvm::all_of(llvm::zip(dims, type.getShape()), fits))
    return op->emitError() << "expected the dims that the module declares, but got " << type;
  return success();
}

/// Verifies that a buffer has the shape of its constant and, if there is a `plan`, an offset that the plan gives it.
static LogicalResult verifyConstant(rt::WeightsOp op, ArrayAttr plan) {
  auto type = cast<MemRefType>(op.getType());
  auto constant = dyn_cast<ov::WeightsAttr>(op.getConstant());
  if (!constant || constant.getTensorType().getShape() != type.getShape() || !type.hasStaticShape() ||
      countBytes(constant.getTensorType()) != countBytes(type))
    return op.emitError() << "expected #ov.weights for a buffer of " << type;
  Builder builder(op.getContext());
  if (plan &&
      (!op.getOffsetAttr() || !llvm::is_contained(plan, builder.getArrayAttr({op.getConstant(), op.getOffsetAttr()}))))
    return op.emitError() << "expected the offset that '" << rt::kWeightsPlanAttr << "' gives the constant";
  return success();
}

/// Verifies that `rt.inputs` and `rt.outputs` end with the states that the module lists.
static LogicalResult verifyStates(ModuleOp module) {
  Attribute attribute = module->getAttr(ov::kStatesAttr);
  if (!attribute)
    return success();
  auto states = dyn_cast<DenseI64ArrayAttr>(attribute);
  ArrayRef<Attribute> inputs = module->getAttrOfType<ArrayAttr>(rt::kInputsAttr).getValue(),
                      outputs = module->getAttrOfType<ArrayAttr>(rt::kOutputsAttr).getValue();
  bool fits = states && inputs.size() / 2 >= size_t(states.size()) && outputs.size() >= size_t(states.size());
  for (size_t i = 0; fits && i != size_t(states.size()); ++i) {
    auto value = cast<DictionaryAttr>(inputs[inputs.size() - 2 * states.size() + 2 * i]);
    auto isSet = cast<DictionaryAttr>(inputs[inputs.size() - 2 * states.size() + 2 * i + 1]);
    auto next = cast<DictionaryAttr>(outputs[outputs.size() - states.size() + i]);
    fits = value.get("type") == next.get("type") && value.get("dims") == next.get("dims") &&
           isSet.getAs<TypeAttr>("type").getValue().isInteger(1) && isSet.getAs<DenseI64ArrayAttr>("dims").empty();
  }
  if (!fits)
    return module.emitError() << "expected '" << ov::kStatesAttr << "' to list the last inputs and outputs";
  return success();
}

/// Verifies the inputs, outputs, sizes and constants of a module that `rt-lower-entry` has lowered.
static LogicalResult verifyBuffers(ModuleOp module, rt::Stage stage) {
  auto inputs = module->getAttrOfType<ArrayAttr>(rt::kInputsAttr),
       outputs = module->getAttrOfType<ArrayAttr>(rt::kOutputsAttr);
  ArrayAttr plan = stage >= rt::Stage::Bufferize ? module->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr) : ArrayAttr();
  uint64_t outputDims = 0;
  for (auto output : outputs.getAsRange<DictionaryAttr>())
    outputDims += output.getAs<DenseI64ArrayAttr>("dims").size();
  SmallVector<bool> isWritten(outputs.size(), false);
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (auto input = dyn_cast<rt::InputOp>(op))
      return verifyBuffer(op, input.getNumber(), cast<MemRefType>(input.getType()), inputs);
    if (auto output = dyn_cast<rt::OutputOp>(op)) {
      if (failed(verifyBuffer(op, output.getNumber(), cast<MemRefType>(output.getType()), outputs)))
        return WalkResult::interrupt();
      isWritten[output.getNumber()] = true;
    }
    if (auto sizes = dyn_cast<rt::SizesOp>(op); sizes && sizes.getDims().size() != outputDims)
      return op->emitError() << "expected " << outputDims << " dims, but got " << sizes.getDims().size();
    if (auto weights = dyn_cast<rt::WeightsOp>(op))
      return verifyConstant(weights, plan);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto [number, written] : llvm::enumerate(isWritten))
    if (!written)
      return module.emitError() << "expected an 'rt.output " << number << "', but there is none";
  return success();
}

/// The stage that lowers `op`, which no module has after that stage. Import for any other op.
static rt::Stage getStageOf(Operation *op) {
  if (isa_and_present<ov::OVDialect>(op->getDialect()))
    return op->getNumRegions() != 0  ? rt::Stage::Loops
           : isa<ov::ConstantOp>(op) ? rt::Stage::Schedule
                                     : rt::Stage::Linalg;
  auto isTensor = llvm::IsaPred<TensorType>;
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::any_of(function.getArgumentTypes(), isTensor) ? rt::Stage::Schedule : rt::Stage::Import;
  return llvm::any_of(op->getResultTypes(), isTensor) ? rt::Stage::Bufferize : rt::Stage::Import;
}

LogicalResult recur::verifyStageBefore(ModuleOp module, rt::Stage next) {
  Operation *first = nullptr;
  rt::Stage missing = next;
  module.walk([&](Operation *op) {
    if (rt::Stage stage = getStageOf(op); stage > rt::Stage::Import && stage < missing) {
      first = op;
      missing = stage;
    }
  });
  if (!first)
    return success();
  return first->emitError() << "expected a module of stage '" << stringifyStage(missing) << "' or later, without this '"
                            << first->getName() << "', for stage '" << stringifyStage(next) << "'; --ov-"
                            << stringifyStage(missing) << " comes before --ov-" << stringifyStage(next);
}

LogicalResult recur::verifyRanks(ModuleOp module) {
  auto verifyTypes = [](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getRank() > RECUR_MAX_RANK)
        return op->emitError() << "expected a tensor of at most " << RECUR_MAX_RANK << " dims, but got "
                               << tensor.getRank();
    return success();
  };
  return success(!module
                      .walk([&](Operation *op) {
                        if (failed(verifyTypes(op, op->getResultTypes())))
                          return WalkResult::interrupt();
                        for (Region &region : op->getRegions())
                          for (Block &block : region)
                            if (failed(verifyTypes(op, block.getArgumentTypes())))
                              return WalkResult::interrupt();
                        return WalkResult::advance();
                      })
                      .wasInterrupted());
}

LogicalResult recur::verifyStage(ModuleOp module) {
  rt::Stage stage = getStage(module);
  if (stage == rt::Stage::Import && failed(verifyRanks(module)))
    return failure();
  // The dialect verifies the attributes that are present. Here none may be missing.
  auto expect = [&](std::initializer_list<StringRef> attributes) -> LogicalResult {
    for (StringRef attribute : attributes)
      if (!module->hasAttr(attribute))
        return module.emitError() << "expected a module of stage '" << stringifyStage(stage) << "' to have '"
                                  << attribute << "'";
    return success();
  };
  if (stage < rt::Stage::Schedule) {
    if (module->hasAttr(rt::kInputsAttr))
      return module.emitError() << "expected a module of stage '" << stringifyStage(stage) << "' without '"
                                << rt::kInputsAttr << "'; '" << rt::kStageAttr << "' says the stage";
    FailureOr<func::FuncOp> entry = findEntry(module);
    if (succeeded(entry) && !*entry)
      return module.emitError("expected a module with a public function, but there is none");
    if (failed(entry))
      return failure();
    // A model is one function. Stages from linalg on may add others.
    for (Operation &op : *module.getBody())
      if (stage < rt::Stage::Linalg && &op != *entry)
        return op.emitError() << "expected nothing beside the function '" << entry->getSymName() << "' of the model";
  }
  if (stage >= rt::Stage::Linalg) {
    WalkResult result = module.walk([&](Operation *op) -> WalkResult {
      // Constants that stay in the weights file become buffers at the next stage.
      if (!isa_and_present<ov::OVDialect>(op->getDialect()) || (stage == rt::Stage::Linalg && isa<ov::ConstantOp>(op)))
        return WalkResult::advance();
      return op->emitError() << "expected no '" << op->getName() << "' in a module of stage '" << stringifyStage(stage)
                             << "'";
    });
    if (result.wasInterrupted())
      return failure();
  }
  if (stage >= rt::Stage::Schedule) {
    if (failed(expect({rt::kInputsAttr, rt::kOutputsAttr})) || failed(verifyStates(module)) ||
        failed(verifyFunction(module, kComputeFunction, 1, stage)))
      return failure();
  }
  if (stage >= rt::Stage::Bufferize) {
    if (failed(expect({rt::kWorkspaceBytesAttr, rt::kWeightsBytesAttr, rt::kWeightsPlanAttr})))
      return failure();
    if (!fillsBytes(module->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr),
                    module->getAttrOfType<IntegerAttr>(rt::kWeightsBytesAttr).getInt()))
      return module.emitError() << "expected '" << rt::kWeightsPlanAttr
                                << "' to give each constant bytes of its own in the packed weights";
    if (failed(verifyFunction(module, kSizesFunction, 3, stage)))
      return failure();
  }
  if (stage == rt::Stage::LLVM)
    return expect({rt::kFaultsAttr});
  return stage >= rt::Stage::Schedule ? verifyBuffers(module, stage) : success();
}
