// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShareKernels.cpp - Names that say what the code of a kernel is -----===//
//
// The kernels for products of any size are most of the code of a small model with dims that only the call tells, and
// they are the same in all models. A name with a hash of their code makes them recognizable.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/ShareKernels.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace recur {
#define GEN_PASS_DEF_SHAREKERNELS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The bytes of the hash in a name. An accident needs billions of kernels.
static constexpr size_t kHashBytes = 12;

namespace {
using Calls = llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>>;

struct ShareKernels final : recur::impl::ShareKernelsBase<ShareKernels> {
  using Base::Base;
  ShareKernels(ShareKernelsOptions options, HasKernelCode hasCode)
      : Base(std::move(options)), hasCode(std::move(hasCode)) {}

  void runOnOperation() override {
    SymbolTableCollection tables;
    Calls calls;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(rt::kKernelAttr) && func.isPrivate())
        calls[func];
    getOperation().walk([&](func::CallOp call) {
      auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (auto known = calls.find(callee); known != calls.end())
        known->second.push_back(call);
    });
    SmallVector<func::FuncOp> shared;
    for (auto &[kernel, ofKernel] : calls)
      if (auto size = kernel->getAttrOfType<DenseI64ArrayAttr>(rt::kSharedAttr)) {
        std::optional<int64_t> constant;
        if (!kernel.isExternal() && !hasSameSize(kernel, size[0], size[1], calls, constant))
          shared.push_back(kernel);
        kernel->removeAttr(rt::kSharedAttr);
      }
    for (func::FuncOp kernel : shared)
      rename(kernel, calls[kernel]);
  }

private:
  /// True if `dim` of `operand` is the same constant in all calls of `kernel`, which is `constant` if that is known.
  static bool hasSameSize(func::FuncOp kernel, unsigned operand, unsigned dim, const Calls &calls,
                          std::optional<int64_t> &constant) {
    return llvm::all_of(calls.find(kernel)->second, [&](func::CallOp call) {
      Value value = call.getOperand(operand);
      while (auto cast = value.getDefiningOp<memref::CastOp>())
        value = cast.getSource();
      auto caller = call->getParentOfType<func::FuncOp>();
      // A kernel may pass on what it got.
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && caller && argument.getOwner()->getParentOp() == caller && calls.contains(caller))
        return hasSameSize(caller, argument.getArgNumber(), dim, calls, constant);
      int64_t size = cast<MemRefType>(value.getType()).getDimSize(dim);
      if (!constant)
        constant = size;
      return size == *constant && !ShapedType::isDynamic(size);
    });
  }

  /// Gives a kernel and its calls the name that says what its code is.
  void rename(func::FuncOp kernel, ArrayRef<func::CallOp> calls) {
    std::string name;
    {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << target << '\n';
      kernel->print(os, OpPrintingFlags().useLocalScope());
      auto hash = llvm::BLAKE3::hash<kHashBytes>(ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
      name = kernel.getName().str() + "." + llvm::toHex(hash, /*LowerCase=*/true);
    }
    Builder builder(kernel.getContext());
    kernel.setName(name);
    for (func::CallOp call : calls)
      call.setCallee(name);
    SmallVector<Attribute> attributes;
    if (auto known = kernel->getAttrOfType<ArrayAttr>("passthrough"))
      llvm::append_range(attributes, known);
    attributes.push_back(builder.getStrArrayAttr({rt::kSharedAttr, name}));
    kernel->setAttr("passthrough", builder.getArrayAttr(attributes));
    if (!hasCode || !hasCode(name))
      return;
    kernel.getBody().dropAllReferences();
    kernel.getBody().getBlocks().clear();
  }

  HasKernelCode hasCode;
};
} // namespace

std::unique_ptr<Pass> recur::createShareKernels(ShareKernelsOptions options, HasKernelCode hasCode) {
  return std::make_unique<ShareKernels>(std::move(options), std::move(hasCode));
}
