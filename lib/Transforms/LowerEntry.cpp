// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerEntry.cpp - Arguments and results become buffers --------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

namespace recur {
#define GEN_PASS_DEF_LOWERENTRY
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Name, public element type and dims of an argument or result.
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
  for (Type type : llvm::concat<const Type>(entry.getArgumentTypes(), entry.getResultTypes()))
    if (!isa<RankedTensorType>(type))
      return entry.emitError() << "expected arguments and results to be ranked tensors, but got " << type;
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

  void lower(ModuleOp module, func::FuncOp entry) {
    OpBuilder builder(&getContext());
    Block &block = entry.getBody().front();
    SmallVector<Attribute> inputs, outputs;
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      inputs.push_back(describe(builder, cast<RankedTensorType>(type), entry.getArgAttrDict(i),
                                ("in_" + Twine(i)).str()));
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      outputs.push_back(describe(builder, cast<RankedTensorType>(type), entry.getResultAttrDict(i),
                                 ("out_" + Twine(i)).str()));
    module->setAttr(kInputsAttr, builder.getArrayAttr(inputs));
    module->setAttr(kOutputsAttr, builder.getArrayAttr(outputs));

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
      // Static results have a buffer from the start. Else it stands where its dims are known.
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
