// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerEntry.cpp - Arguments and results become buffers --------------===//
//
// Until here the model is a function on tensors. The ABI shim of a compiled model calls a function with a pointer to
// the frame of a call, and asks the module's attributes for names, types and dims.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace recur {
#define GEN_PASS_DEF_LOWERENTRY
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The entry of an argument or result in `rt.inputs` or `rt.outputs`: its name (`fallback` if `attrs` has none), its
/// public element type, and its dims, where -1 is dynamic.
static DictionaryAttr describe(OpBuilder &builder, RankedTensorType type, DictionaryAttr attrs, StringRef fallback) {
  Attribute name = attrs ? attrs.get(ov::kNameAttr) : Attribute();
  Attribute element = attrs ? attrs.get(ov::kElementTypeAttr) : Attribute();
  SmallVector<int64_t> dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", name ? name : builder.getStringAttr(fallback)),
       builder.getNamedAttr("type", element ? element : TypeAttr::get(type.getElementType())),
       builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims))});
}

/// True for the element types of the ABI.
static bool isPublic(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  unsigned width = integer.getWidth();
  return (width == 1 && integer.isSignless()) || width == 8 || width == 16 || width == 32 || width == 64;
}

/// Verifies the type of an argument or result of the entry, its name, and its public element type.
static LogicalResult verifyTensor(func::FuncOp entry, Type type, Attribute name, Attribute exposed) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return entry.emitError() << "expected arguments and results to be ranked tensors, but got " << type;
  Type stored = tensor.getElementType();
  if (!isPublic(stored) || tensor.getEncoding())
    return entry.emitError() << "expected elements of f16, bf16, f32, f64, i1, i8 to i64, or ui8 to ui64, but got "
                             << type;
  if (!getStaticBytes(tensor))
    return entry.emitError() << "expected fewer than 2^63 bytes, but got " << type;
  if (name && !isa<StringAttr>(name))
    return entry.emitError() << "expected '" << ov::kNameAttr << "' to be a string, but got " << name;
  if (!exposed)
    return success();
  // From the linalg stage on, booleans are bytes and unsigned integers are signless, so only the widths must agree.
  auto exposedType = dyn_cast<TypeAttr>(exposed);
  auto fits = [&](Type type) {
    return type == stored ||
           (isPublic(type) && isa<IntegerType>(type) && isa<IntegerType>(stored) &&
            llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) == llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8));
  };
  if (!exposedType || !fits(exposedType.getValue()))
    return entry.emitError() << "expected '" << ov::kElementTypeAttr << "' to be what elements of " << stored
                             << " are, but got " << exposed;
  return success();
}

/// Verifies that the entry has the arguments and results of the states that the module lists.
static LogicalResult verifyStates(ModuleOp module, func::FuncOp entry) {
  Attribute attribute = module->getAttr(ov::kStatesAttr);
  if (!attribute)
    return success();
  auto states = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!states || llvm::any_of(states.asArrayRef(), [](int64_t state) { return state != 0 && state != 1; }))
    return module.emitError() << "expected '" << ov::kStatesAttr << "' to be an array<i64> of 0 and 1";
  unsigned count = states.size(), inputs = entry.getNumArguments(), outputs = entry.getNumResults();
  if (inputs < 2 * count || outputs < count)
    return entry.emitError() << "expected two arguments and a result for each of " << count << " states";
  for (unsigned i = 0; i != count; ++i) {
    auto value = cast<RankedTensorType>(entry.getArgumentTypes()[inputs - 2 * count + 2 * i]);
    auto isSet = cast<RankedTensorType>(entry.getArgumentTypes()[inputs - 2 * count + 2 * i + 1]);
    // From the linalg stage on, booleans are bytes.
    bool isFlag = isSet.getElementType().isInteger(1) || isSet.getElementType().isInteger(8);
    if (value != entry.getResultTypes()[outputs - count + i] || isSet.getRank() != 0 || !isFlag)
      return entry.emitError() << "expected a value, a boolean and a result of the value's type for state " << i;
  }
  return success();
}

FailureOr<func::FuncOp> recur::findEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic() || function.getSymName() == kComputeFunction)
      continue;
    if (entry) {
      InFlightDiagnostic diag = function.emitError("expected one public function");
      diag.attachNote(entry.getLoc()) << "this is another one";
      return diag;
    }
    entry = function;
  }
  if (!entry)
    return entry;
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("expected a function of one block");
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (failed(
            verifyTensor(entry, type, entry.getArgAttr(i, ov::kNameAttr), entry.getArgAttr(i, ov::kElementTypeAttr))))
      return failure();
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    if (failed(verifyTensor(entry, type, entry.getResultAttr(i, ov::kNameAttr),
                            entry.getResultAttr(i, ov::kElementTypeAttr))))
      return failure();
  if (failed(verifyStates(module, entry)))
    return failure();
  return entry;
}

namespace {
struct LowerEntry final : recur::impl::LowerEntryBase<LowerEntry> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> entry = findEntry(module);
    if (failed(entry))
      return signalPassFailure();
    if (*entry)
      lower(module, *entry);
  }

  /// Rewrites the entry function, and moves names, types and dims to attributes of the module.
  void lower(ModuleOp module, func::FuncOp entry) {
    OpBuilder builder(&getContext());
    Block &block = entry.getBody().front();
    SmallVector<Attribute> inputs, outputs;
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      inputs.push_back(
          describe(builder, cast<RankedTensorType>(type), entry.getArgAttrDict(i), ("in_" + Twine(i)).str()));
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      outputs.push_back(
          describe(builder, cast<RankedTensorType>(type), entry.getResultAttrDict(i), ("out_" + Twine(i)).str()));
    module->setAttr(rt::kInputsAttr, builder.getArrayAttr(inputs));
    module->setAttr(rt::kOutputsAttr, builder.getArrayAttr(outputs));

    builder.setInsertionPointToStart(&block);
    Location loc = entry.getLoc();
    unsigned numInputs = block.getNumArguments();
    for (auto [i, arg] : llvm::enumerate(SmallVector<BlockArgument>(block.getArguments()))) {
      auto type = cast<RankedTensorType>(arg.getType());
      Value buffer = rt::InputOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()), i);
      arg.replaceAllUsesWith(bufferization::ToTensorOp::create(builder, loc, type, buffer, /*restrict=*/true));
    }
    block.eraseArguments(0, numInputs);
    block.addArgument(LLVM::LLVMPointerType::get(&getContext()), loc);

    auto end = cast<func::ReturnOp>(block.getTerminator());
    for (auto [i, value] : llvm::enumerate(end.getOperands())) {
      auto type = cast<RankedTensorType>(value.getType());
      // A static result has a buffer from the start. A dynamic one gets it after the value, where its dims are known.
      SmallVector<Value> dims;
      OpBuilder::InsertionGuard guard(builder);
      if (!type.hasStaticShape())
        builder.setInsertionPointAfterValue(value);
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          dims.push_back(tensor::DimOp::create(builder, loc, value, d));
      Value buffer =
          rt::OutputOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()), i, dims);
      builder.setInsertionPoint(end);
      auto write = bufferization::MaterializeInDestinationOp::create(builder, loc, Type(), value, buffer);
      write.setRestrict(true);
      write.setWritable(true);
    }
    builder.setInsertionPoint(end);
    Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
    func::ReturnOp::create(builder, loc, ok);
    end.erase();
    entry.setSymName(kComputeFunction);
    entry.setType(builder.getFunctionType(LLVM::LLVMPointerType::get(&getContext()), builder.getI32Type()));
    entry.setArgAttrsAttr(nullptr);
    entry.setResAttrsAttr(nullptr);
  }
};
} // namespace
