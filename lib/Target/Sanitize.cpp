// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sanitize.cpp - checks of memory in generated code ------------------===//
//
// The sanitizers are those of LLVM. ThreadSanitizer overlooks vectors of more than 16 bytes and vectors with masks, so
// accesses by them get calls of its runtime library here. So do memcpy, memmove and memset: the functions that LLVM
// would call instead are missing in GCC's runtime library.
//
//===----------------------------------------------------------------------===//
#include "Sanitize.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace llvm;

namespace recur {

/// True if no other thread can write what is at `pointer`.
static bool isOwn(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer);
  auto *global = dyn_cast<GlobalVariable>(object);
  return isa<AllocaInst>(object) || (global && global->isConstant());
}

namespace {

/// Reports accesses that ThreadSanitizer overlooks to its runtime library. Runs in front of it.
struct ReportRangesPass : PassInfoMixin<ReportRangesPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    if (!function.hasFnAttribute(Attribute::SanitizeThread))
      return PreservedAnalyses::all();
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      visit(instruction);
    return PreservedAnalyses::none();
  }

private:
  void visit(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return visitAccess(instruction, load->getPointerOperand(), load->getType(), load->isVolatile(), false);
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return visitAccess(instruction, store->getPointerOperand(), store->getValueOperand()->getType(),
                         store->isVolatile(), true);
    IRBuilder<> builder(&instruction);
    if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
      Value *bytes = builder.CreateZExtOrTrunc(memory->getLength(), builder.getInt64Ty());
      if (auto *transfer = dyn_cast<MemTransferInst>(memory))
        report(builder, transfer->getRawSource(), bytes, /*isWrite=*/false);
      report(builder, memory->getRawDest(), bytes, /*isWrite=*/true);
      return leave(instruction);
    }
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (!intrinsic)
      return;
    if (intrinsic->getIntrinsicID() == Intrinsic::masked_load)
      report(builder, intrinsic->getArgOperand(0),
             buildBytes(builder, intrinsic->getType(), intrinsic->getArgOperand(1)), /*isWrite=*/false);
    else if (intrinsic->getIntrinsicID() == Intrinsic::masked_store)
      report(builder, intrinsic->getArgOperand(1),
             buildBytes(builder, intrinsic->getArgOperand(0)->getType(), intrinsic->getArgOperand(2)),
             /*isWrite=*/true);
  }

  void visitAccess(Instruction &access, Value *pointer, Type *type, bool isVolatile, bool isWrite) {
    // Only the flag that cancels a call is volatile. Another thread may set it at any time.
    if (isVolatile)
      return leave(access);
    uint64_t bytes = access.getDataLayout().getTypeStoreSize(type);
    if (bytes <= 16 && isPowerOf2_64(bytes))
      return;
    IRBuilder<> builder(&access);
    report(builder, pointer, builder.getInt64(bytes), isWrite);
    leave(access);
  }

  /// The bytes of the lanes of a vector before the first one that `mask` lacks. The masks of Recur have no others.
  static Value *buildBytes(IRBuilder<> &builder, Type *vector, Value *mask) {
    unsigned lanes = cast<FixedVectorType>(vector)->getNumElements();
    Value *bits = builder.CreateNot(builder.CreateBitCast(mask, builder.getIntNTy(lanes)));
    Value *count = builder.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder.getFalse());
    uint64_t bytes = vector->getScalarSizeInBits() / 8;
    return builder.CreateMul(builder.CreateZExt(count, builder.getInt64Ty()), builder.getInt64(bytes));
  }

  static void report(IRBuilder<> &builder, Value *pointer, Value *bytes, bool isWrite) {
    if (isOwn(pointer))
      return;
    Module &module = *builder.GetInsertBlock()->getModule();
    FunctionCallee function = module.getOrInsertFunction(isWrite ? "__tsan_write_range" : "__tsan_read_range",
                                                         builder.getVoidTy(), builder.getPtrTy(), builder.getInt64Ty());
    builder.CreateCall(function, {pointer, bytes});
  }

  /// Keeps ThreadSanitizer from the instruction.
  static void leave(Instruction &instruction) {
    instruction.setMetadata(LLVMContext::MD_nosanitize, MDNode::get(instruction.getContext(), {}));
  }
};

} // namespace

void addSanitizer(Module &module, ModulePassManager &passes, Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::None)
    return;
  bool isAddress = sanitizer == Sanitizer::Address;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(isAddress ? Attribute::SanitizeAddress : Attribute::SanitizeThread);
    // Callbacks must return (docs/ABI.md), so ThreadSanitizer need not catch exceptions.
    function.setDoesNotThrow();
  }
  // Constants stay as the ABI shim knows them, and need no registration by a constructor.
  for (GlobalVariable &global : module.globals()) {
    GlobalValue::SanitizerMetadata metadata;
    metadata.NoAddress = true;
    global.setSanitizerMetadata(metadata);
  }
  if (isAddress) {
    AddressSanitizerOptions options;
    options.UseAfterReturn = AsanDetectStackUseAfterReturnMode::Never;
    passes.addPass(AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false, AsanDtorKind::None,
                                        AsanCtorKind::None));
    return;
  }
  FunctionPassManager functions;
  functions.addPass(ReportRangesPass());
  functions.addPass(ThreadSanitizerPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
}

} // namespace recur
