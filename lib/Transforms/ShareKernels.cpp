// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShareKernels.cpp - Names that say what the code of a kernel is -----===//
//
// A name with a hash of its code makes a kernel recognizable, in whichever model it is.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/ShareKernels.h"
#include "KernelCalls.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

/// A size that the calls of a kernel are asked for.
struct Size {
  /// The value in the calls that have been looked at.
  std::optional<int64_t> constant;
  /// The kernels that have been looked at. Text may have kernels that call each other.
  llvm::SmallPtrSet<Operation *, 4> visited;
};

struct ShareKernels final : recur::impl::ShareKernelsBase<ShareKernels> {
  using Base::Base;
  ShareKernels(ShareKernelsOptions options, TakeKernel take) : Base(std::move(options)), take(std::move(take)) {}

  void runOnOperation() override {
    // Only this pass knows what a name says.
    getOperation().walk([](func::FuncOp func) { dropName(func); });
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
      if (auto place = kernel->getAttrOfType<DenseI64ArrayAttr>(rt::kSharedAttr)) {
        Size size;
        if (isSelfContained(kernel) && !hasSameSize(kernel, place[0], place[1], calls, size))
          shared.push_back(kernel);
        kernel->removeAttr(rt::kSharedAttr);
      }
    for (func::FuncOp kernel : shared)
      rename(kernel, calls[kernel]);
  }

private:
  /// Removes the names of shared kernels that a text has.
  static void dropName(func::FuncOp func) {
    auto attributes = func->getAttrOfType<ArrayAttr>(kPassThroughAttr);
    if (!attributes)
      return;
    auto isName = [](Attribute attribute) {
      auto pair = dyn_cast<ArrayAttr>(attribute);
      auto name = dyn_cast<StringAttr>(pair && !pair.empty() ? pair[0] : attribute);
      return name && name.getValue() == rt::kSharedAttr;
    };
    SmallVector<Attribute> others = llvm::filter_to_vector(attributes, [&](Attribute a) { return !isName(a); });
    if (others.size() != attributes.size())
      func->setAttr(kPassThroughAttr, ArrayAttr::get(func.getContext(), others));
  }

  /// True if nothing but the kernel says what its code is.
  static bool isSelfContained(func::FuncOp kernel) {
    return !kernel.isExternal() && !kernel
                                        .walk([](Operation *op) {
                                          return isa<SymbolUserOpInterface, CallOpInterface>(op)
                                                     ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                                        })
                                        .wasInterrupted();
  }

  /// True if a CPU needs no more for the kernel than vectors of f32 or f64.
  static bool isPlain(func::FuncOp kernel) {
    auto isPlainType = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isF32() || element.isF64() || element.isIndex() || element.isInteger(1);
    };
    auto hasPlainTypes = [&](Block &block) { return llvm::all_of(block.getArgumentTypes(), isPlainType); };
    return !kernel
                .walk([&](Operation *op) {
                  bool isKnown = isa<func::FuncDialect, arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect,
                                     vector::VectorDialect>(op->getDialect()) ||
                                 isa<math::FmaOp>(op);
                  bool isPlain = isKnown && llvm::all_of(op->getResultTypes(), isPlainType) &&
                                 llvm::all_of(op->getRegions(),
                                              [&](Region &region) { return llvm::all_of(region, hasPlainTypes); });
                  return isPlain ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// True if `dim` of `operand` is the same constant in all calls of `kernel` and in those that `size` knows, or if
  /// there is no such operand.
  static bool hasSameSize(func::FuncOp kernel, uint64_t operand, uint64_t dim, const Calls &calls, Size &size) {
    if (!size.visited.insert(kernel).second)
      return true;
    return llvm::all_of(calls.find(kernel)->second, [&](func::CallOp call) {
      if (operand >= call.getNumOperands())
        return true;
      Value value = call.getOperand(operand);
      while (auto cast = value.getDefiningOp<memref::CastOp>())
        value = cast.getSource();
      auto caller = call->getParentOfType<func::FuncOp>();
      // A kernel may pass on what it got.
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && caller && argument.getOwner()->getParentOp() == caller && calls.contains(caller))
        return hasSameSize(caller, argument.getArgNumber(), dim, calls, size);
      auto type = dyn_cast<MemRefType>(value.getType());
      if (!type || dim >= uint64_t(type.getRank()))
        return true;
      int64_t own = type.getDimSize(dim);
      if (!size.constant)
        size.constant = own;
      return own == *size.constant && !ShapedType::isDynamic(own);
    });
  }

  /// Gives a kernel and its calls the name that says what its code is.
  void rename(func::FuncOp kernel, ArrayRef<func::CallOp> calls) {
    bool isCommon = !commonTarget.empty() && isPlain(kernel);
    std::string name;
    {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << (isCommon ? commonTarget : target) << '\n';
      // Options of the command line may change the form of text. Everything counts here, but for the locations.
      constexpr int64_t all = std::numeric_limits<int64_t>::max();
      kernel->print(os, OpPrintingFlags()
                            .useLocalScope()
                            .skipRegions(false)
                            .enableDebugInfo(false)
                            .elideLargeElementsAttrs(all)
                            .elideLargeResourceString(all));
      auto hash = llvm::BLAKE3::hash<kHashBytes>(ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
      name = kernel.getName().str() + "." + llvm::toHex(hash, /*LowerCase=*/true);
    }
    Builder builder(kernel.getContext());
    kernel.setName(name);
    for (func::CallOp call : calls)
      call.setCallee(name);
    SmallVector<Attribute> attributes;
    if (auto known = kernel->getAttrOfType<ArrayAttr>(kPassThroughAttr))
      llvm::append_range(attributes, known);
    attributes.push_back(builder.getStrArrayAttr({rt::kSharedAttr, name}));
    kernel->setAttr(kPassThroughAttr, builder.getArrayAttr(attributes));
    if (!take || !take(kernel, isCommon))
      return;
    kernel.getBody().dropAllReferences();
    kernel.getBody().getBlocks().clear();
  }

  TakeKernel take;
};
} // namespace

std::unique_ptr<Pass> recur::createShareKernels(ShareKernelsOptions options, TakeKernel take) {
  return std::make_unique<ShareKernels>(std::move(options), std::move(take));
}
