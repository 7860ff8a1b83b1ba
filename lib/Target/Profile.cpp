// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Profile.cpp - the marks of a profile become code -------------------===//
//
// A mark reads the clock, and adds the time since the last mark to the counters of its row, in the instance. The clock
// is an intrinsic that LLVM moves no access to memory over.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/ProfileContract.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace recur {

/// Reads the clock. Other architectures than x86 keep programs from reading their counter of cycles.
static Value *readClock(IRBuilder<> &builder, const Triple &triple) {
  if (triple.isX86())
    return builder.CreateIntrinsic(Intrinsic::readcyclecounter, {});
  if (triple.isRISCV())
    return builder.CreateIntrinsic(Intrinsic::readsteadycounter, {});
  LLVMContext &context = builder.getContext();
  MDNode *name = MDNode::get(context, MDString::get(context, "CNTVCT_EL0"));
  return builder.CreateIntrinsic(Intrinsic::read_volatile_register, builder.getInt64Ty(),
                                 MetadataAsValue::get(context, name));
}

/// Replaces a mark of the function whose counters are given.
static void lowerMark(CallInst &mark, Value *counters, const Triple &triple, int64_t rows) {
  IRBuilder<> builder(&mark);
  Type *number = builder.getInt64Ty(), *counter = ArrayType::get(number, 2);
  // The counter in front of the rows has the time of the last mark, so the row -1 begins a measurement. The row and the
  // calls need not be constants: blocks that differ in them alone are merged.
  Value *row = builder.CreateAdd(mark.getArgOperand(0), builder.getInt64(1)), *calls = mark.getArgOperand(1);
  row = builder.CreateBinaryIntrinsic(Intrinsic::umin, row, builder.getInt64(rows));
  auto address = [&](Value *index, unsigned field) {
    return builder.CreateInBoundsGEP(counter, counters, {index, builder.getInt64(field)});
  };
  auto add = [&](Value *place, Value *amount) {
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(number, place), amount), place);
  };
  static_assert(offsetof(recur_profile_counter, calls) == 0 && offsetof(recur_profile_counter, ticks) == 8 &&
                sizeof(recur_profile_counter) == 16);
  enum { callsField, ticksField };
  Value *now = readClock(builder, triple), *last = address(builder.getInt64(0), ticksField);
  add(address(row, ticksField), builder.CreateSub(now, builder.CreateLoad(number, last)));
  add(address(row, callsField), calls);
  builder.CreateStore(now, last);
  mark.eraseFromParent();
}

Error lowerProfile(Module &module, const EntryDescription &entry) {
  Function *mark = module.getFunction(RECUR_PROFILE_MARK);
  if (!mark)
    return Error::success();
  Function *compute = module.getFunction("recur_model_compute");
  if (!compute || compute->isDeclaration() || !mark->isDeclaration())
    return createStringError("expected the marks of a profile to be in recur_model_compute");
  IRBuilder<> builder(&*compute->getEntryBlock().getFirstInsertionPt());
  FunctionCallee find = module.getOrInsertFunction("recur_profile_counters", builder.getPtrTy(), builder.getPtrTy());
  if (DISubprogram *scope = compute->getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(module.getContext(), scope->getLine(), 0, scope));
  Value *counters = builder.CreateCall(find, {compute->getArg(0)});
  for (User *user : make_early_inc_range(mark->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getFunction() != compute || call->getCalledFunction() != mark)
      return createStringError("expected the marks of a profile to be calls in recur_model_compute");
    lowerMark(*call, counters, module.getTargetTriple(), entry.profile.size());
  }
  mark->eraseFromParent();
  return Error::success();
}

} // namespace recur
