// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTAttributes.cpp - Attributes of modules and functions -------------===//
//
// MLIR text may contain any attribute on any op. The dialect verifies the form of its own attributes wherever they
// occur, so that a pass that finds one can read it without further checks. RT.h describes each of them.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/RTProfile.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace recur::rt;

/// True for `[{name, type, dims}, ...]`. A dim of -1 is dynamic.
static bool describesTensors(Attribute attribute) {
  auto tensors = dyn_cast<ArrayAttr>(attribute);
  return tensors && llvm::all_of(tensors, [](Attribute entry) {
           auto tensor = dyn_cast<DictionaryAttr>(entry);
           auto type = tensor ? tensor.getAs<TypeAttr>("type") : TypeAttr();
           auto dims = tensor ? tensor.getAs<DenseI64ArrayAttr>("dims") : DenseI64ArrayAttr();
           return type && dims && tensor.getAs<StringAttr>("name") && type.getValue().isIntOrFloat() &&
                  llvm::all_of(dims.asArrayRef(), [](int64_t dim) { return dim >= -1; });
         });
}

/// True for an i64 of at least `least`.
static bool isInteger(Attribute attribute, int64_t least) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  return integer && integer.getType().isInteger(64) && integer.getInt() >= least;
}

/// True for an array of pairs that `fits` is true for.
static bool isArrayOfPairs(Attribute attribute, function_ref<bool(Attribute, Attribute)> fits) {
  auto pairs = dyn_cast_if_present<ArrayAttr>(attribute);
  return pairs && llvm::all_of(pairs, [&](Attribute entry) {
           auto pair = dyn_cast<ArrayAttr>(entry);
           return pair && pair.size() == 2 && fits(pair[0], pair[1]);
         });
}

/// True for `[[status, text], ...]`.
static bool describesFaults(Attribute attribute) {
  return isArrayOfPairs(attribute,
                        [](Attribute status, Attribute text) { return isInteger(status, 0) && isa<StringAttr>(text); });
}

/// True for `[[text, loop], ...]`. A loop is a row before those in it.
static bool describesProfile(Attribute attribute) {
  int64_t row = 0;
  return isArrayOfPairs(attribute, [&](Attribute text, Attribute loop) {
    return isa<StringAttr>(text) && isInteger(loop, -1) && cast<IntegerAttr>(loop).getInt() < row++;
  });
}

/// True for `[[constant, offset], ...]`. The constant may be any attribute, because the rt dialect does not know `ov`.
static bool describesWeights(Attribute attribute) {
  return isArrayOfPairs(attribute, [](Attribute, Attribute offset) { return isInteger(offset, 0); });
}

/// True for `{along, grain, sizes, cost}`, and for the same with `scratch`, or with `other`, which is `{along, least}`.
static bool describesParts(Attribute attribute) {
  auto parts = dyn_cast<DictionaryAttr>(attribute);
  auto isPosition = [](Attribute operand, Attribute dim) { return isInteger(operand, 0) && isInteger(dim, 0); };
  auto hasDims = [&](DictionaryAttr of, StringRef number) {
    return of && isArrayOfPairs(of.get("along"), isPosition) && isInteger(of.get(number), 1);
  };
  return hasDims(parts, "grain") && isArrayOfPairs(parts.get("sizes"), isPosition) && isInteger(parts.get("cost"), 1) &&
         (!parts.contains("scratch") || isInteger(parts.get("scratch"), 0)) &&
         (!parts.contains("other") || hasDims(parts.getAs<DictionaryAttr>("other"), "least"));
}

/// True for two numbers of at least 0.
static bool describesTwoSizes(Attribute attribute) {
  auto rows = dyn_cast<DenseI64ArrayAttr>(attribute);
  return rows && rows.size() == 2 && rows[0] >= 0 && rows[1] >= 0;
}

namespace {
/// An attribute of the dialect: its name, its form in words for the error, and the check of its form.
struct DeclaredAttribute {
  StringLiteral name, form;
  bool (*fits)(Attribute);
};
} // namespace

/// The attributes of a module.
static constexpr DeclaredAttribute moduleAttributes[] = {
    {kStageAttr, "a #rt.stage", [](Attribute attribute) { return isa<StageAttr>(attribute); }},
    {kInputsAttr, "an array of {name, type, dims}", describesTensors},
    {kOutputsAttr, "an array of {name, type, dims}", describesTensors},
    {kWorkspaceBytesAttr, "an i64 of at least -1", [](Attribute attribute) { return isInteger(attribute, -1); }},
    {kWeightsBytesAttr, "an i64 of at least 0", [](Attribute attribute) { return isInteger(attribute, 0); }},
    {kWeightsPlanAttr, "an array of [constant, offset]", describesWeights},
    {kFaultsAttr, "an array of [status, text]", describesFaults},
    {kProfileAttr, "an array of [text, loop]", describesProfile},
    {kSizingInputsAttr, "an array<i64>", [](Attribute attribute) { return isa<DenseI64ArrayAttr>(attribute); }},
};

/// The attributes of a function.
static constexpr DeclaredAttribute functionAttributes[] = {
    {kTimeLoopsAttr, "an i64 of at least 0", [](Attribute attribute) { return isInteger(attribute, 0); }},
    {kKernelAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
    {kSharedAttr, "two i64 of at least 0", describesTwoSizes},
};

/// The attributes of a kernel and of its calls.
static constexpr DeclaredAttribute kernelAttributes[] = {
    {kPartsAttr, "a dictionary {along, grain, sizes, cost}", describesParts},
};

/// The attributes of a loop.
static constexpr DeclaredAttribute loopAttributes[] = {
    {kIndependentAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
    {kInterchangeableAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
    {kTilesOfBlockAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
    {kStepsAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
};

/// The attributes of a sum: of a product, and of the loop that it becomes.
static constexpr DeclaredAttribute sumAttributes[] = {
    {kAccumulatorsAttr, "an i64 of at least 1", [](Attribute attribute) { return isInteger(attribute, 1); }},
};

/// The attributes of an addition in a payload.
static constexpr DeclaredAttribute additionAttributes[] = {
    {kColumnsAttr, "an i64 of at least -1", [](Attribute attribute) { return isInteger(attribute, -1); }},
    {kAnyRowsAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
};

/// The attributes of a loop or a call.
static constexpr DeclaredAttribute workAttributes[] = {
    {kUndividedAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
};

/// The attributes of a view.
static constexpr DeclaredAttribute viewAttributes[] = {
    {kSameShapeAttr, "a unit", [](Attribute attribute) { return isa<UnitAttr>(attribute); }},
};

LogicalResult RTDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto verify = [&](ArrayRef<DeclaredAttribute> declared, bool isOwner, StringRef owner) -> LogicalResult {
    for (const DeclaredAttribute &known : declared)
      if (attribute.getName() == known.name && !(isOwner && known.fits(attribute.getValue())))
        return op->emitError() << "expected '" << known.name << "' to be " << known.form << " of a " << owner;
    return success();
  };
  return success(
      succeeded(verify(moduleAttributes, isa<ModuleOp>(op), "module")) &&
      succeeded(verify(functionAttributes, isa<FunctionOpInterface>(op), "function")) &&
      succeeded(verify(kernelAttributes, isa<FunctionOpInterface, CallOpInterface>(op), "function or call")) &&
      succeeded(verify(loopAttributes, isa<LoopLikeOpInterface>(op), "loop")) &&
      succeeded(verify(sumAttributes, isa<LoopLikeOpInterface, linalg::GenericOp>(op), "loop or linalg.generic")) &&
      succeeded(verify(additionAttributes, isa<arith::AddFOp>(op), "arith.addf")) &&
      succeeded(verify(workAttributes, isa<LoopLikeOpInterface, CallOpInterface>(op), "loop or call")) &&
      succeeded(verify(viewAttributes, isa<memref::ReinterpretCastOp>(op), "memref.reinterpret_cast")));
}

bool recur::rt::isTimeLoop(Operation *op) {
  // Only the body of a loop is searched: a function may be long, and each of its loops is asked.
  return isa<LoopLikeOpInterface>(op) && llvm::any_of(op->getRegions(), [](Region &region) {
           return llvm::any_of(region, [](Block &block) { return !block.getOps<IterationOp>().empty(); });
         });
}

bool recur::rt::isInTimeLoop(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isTimeLoop(parent))
      return true;
  return false;
}
