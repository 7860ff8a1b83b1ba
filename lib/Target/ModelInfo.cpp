// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelInfo.cpp - the constants that the ABI shim reads ------------------===//
//
// Writes the description of a model (recur_model_info, recur_model_faults, recur_model_facts) and its weights as LLVM
// constants, and, for several levels, the functions that call those of one of them.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/ProfileContract.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace recur {

namespace {

/// Builds the constants. The LLVM struct types mirror the C structs in ABI.h, ModelContract.h and ShimContract.h: on
/// the supported targets all fields have the same alignment in C and in LLVM.
class InfoBuilder {
public:
  explicit InfoBuilder(Module &module) : module(module), context(module.getContext()) {}

  Constant *i32(int64_t value) { return ConstantInt::getSigned(Type::getInt32Ty(context), value); }
  Constant *i64(uint64_t value) { return ConstantInt::get(Type::getInt64Ty(context), value); }

  Constant *string(StringRef text) {
    Constant *data = ConstantDataArray::getString(context, text);
    return privateConstant(data, Align(1));
  }

  Constant *dims(ArrayRef<int64_t> values) {
    // The pointer is never null, so that readers need no special case for rank 0.
    SmallVector<uint64_t> unsignedValues(values.begin(), values.end());
    if (unsignedValues.empty())
      unsignedValues.push_back(0);
    return words(unsignedValues);
  }

  /// recur_tensor_info.
  StructType *getTensorInfoType() {
    Type *ptr = PointerType::getUnqual(context), *word = Type::getInt32Ty(context);
    return StructType::get(context, {ptr, word, word, ptr});
  }

  Constant *tensors(ArrayRef<TensorDescription> tensors) {
    StructType *type = getTensorInfoType();
    SmallVector<Constant *> entries;
    for (const TensorDescription &tensor : tensors)
      entries.push_back(ConstantStruct::get(
          type, {string(tensor.name), i32(tensor.elementType), i32(tensor.dims.size()), dims(tensor.dims)}));
    if (entries.empty())
      entries.push_back(ConstantStruct::get(type, {string(""), i32(RECUR_F32), i32(0), dims({})}));
    return privateConstant(ConstantArray::get(ArrayType::get(type, entries.size()), entries), Align(8));
  }

  /// An array of words.
  Constant *words(ArrayRef<uint64_t> values) {
    return privateConstant(ConstantDataArray::get(context, values), Align(8));
  }

  /// An array of pointers to strings.
  Constant *strings(ArrayRef<StringRef> texts) {
    SmallVector<Constant *> pointers;
    for (StringRef text : texts)
      pointers.push_back(string(text));
    auto *type = ArrayType::get(PointerType::getUnqual(context), pointers.size());
    return privateConstant(ConstantArray::get(type, pointers), Align(8));
  }

  /// An array of flags, which is never empty.
  Constant *flags(SmallVector<uint8_t> bytes) {
    bytes.push_back(0);
    return privateConstant(ConstantDataArray::get(context, bytes), Align(1));
  }

  Constant *record(ArrayRef<Constant *> fields) { return ConstantStruct::getAnon(context, fields); }

  GlobalVariable *privateConstant(Constant *value, Align align) {
    auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value,
                                      "recur.data");
    global->setAlignment(align);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return global;
  }

  /// Defines the constant `name` and replaces a declaration of it, if the module has one.
  GlobalVariable *define(StringRef name, Type *type, Constant *value, Align align) {
    GlobalVariable *old = module.getNamedGlobal(name);
    auto *global =
        new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::ExternalLinkage, value, name + ".def");
    global->setAlignment(align);
    if (old) {
      old->replaceAllUsesWith(global);
      old->eraseFromParent();
    }
    global->setName(name);
    return global;
  }

private:
  Module &module;
  LLVMContext &context;
};

} // namespace

/// Defines the constants of one entry, whose names begin with `prefix`.
static void emitEntryInfo(InfoBuilder &builder, const ModelDescription &model, const EntryDescription &entry,
                          StringRef prefix, Levels levels, WeightsPlacement placement) {
  SmallVector<uint64_t> masks;
  SmallVector<StringRef> names;
  for (const auto &level : levels) {
    masks.push_back(requiredFeatures(*level));
    names.push_back(level->getTargetCPU());
  }
  auto define = [&](StringRef name, Constant *value) {
    builder.define((prefix + name).str(), value->getType(), value, Align(8));
  };
  // The states are described by the last outputs.
  Constant *outputs = builder.tensors(entry.outputs);
  Constant *states = ConstantExpr::getInBoundsGetElementPtr(builder.getTensorInfoType(), outputs,
                                                            builder.i64(entry.getOutputs().size()));
  Constant *info = builder.record({
      builder.i32(sizeof(recur_info)),
      builder.i32(RECUR_ABI_V1),
      builder.string(model.name),
      builder.i32(entry.getInputs().size()),
      builder.i32(entry.getOutputs().size()),
      builder.tensors(entry.inputs),
      outputs,
      builder.i64(entry.workspaceBytes),
      builder.i64(model.weightsBytes),
      builder.i64(model.weightsHash),
      builder.string(levels.front()->getTargetTriple().str()),
      builder.string(names.front()),
      builder.string(featureNames(masks.front())),
      builder.string(model.compiler),
      builder.i32(entry.countStates()),
      builder.i32(0),
      entry.countStates() ? states : ConstantPointerNull::get(PointerType::getUnqual(states->getContext())),
      builder.i32(levels.size()),
      builder.i32(0),
      builder.strings(names),
      builder.i64(model.weightsLayout),
  });
  define("info", info);

  SmallVector<Constant *> faults;
  for (const FaultDescription &fault : entry.faults)
    faults.push_back(builder.record({builder.i64(fault.code), builder.string(fault.text)}));
  if (faults.empty())
    faults.push_back(builder.record({builder.i64(RECUR_E_INTERNAL), builder.string("the computation failed")}));
  Constant *table = ConstantArray::get(ArrayType::get(faults[0]->getType(), faults.size()), faults);
  define("faults", table);

  int64_t reserves = 0;
  if (entry.reserves) {
    auto recorded = llvm::find_if(entry.faults, [](const FaultDescription &fault) { return fault.code == RECUR_OK; });
    reserves = recorded == entry.faults.end() ? -1 : recorded - entry.faults.begin() + 1;
  }
  uint64_t outputDims = 0;
  for (const TensorDescription &output : entry.outputs)
    outputDims += output.dims.size();
  SmallVector<uint8_t> decides, sets(entry.setsState.begin(), entry.setsState.end());
  for (const TensorDescription &input : entry.inputs)
    decides.push_back(input.decidesSizes);
  uint64_t counterBytes = model.profile.empty() ? 0 : (model.profile.size() + 1) * sizeof(recur_profile_counter);
  Constant *facts =
      builder.record({builder.i64(outputDims), builder.words(masks), builder.flags(decides), builder.i64(reserves),
                      builder.flags(sets), builder.i64(placement == WeightsPlacement::Given && model.weightsBytes),
                      builder.i64(counterBytes)});
  define("facts", facts);
}

/// The name of a function of a level.
static std::string getLevelName(StringRef function, const llvm::TargetMachine &level) {
  return (function + "." + level.getTargetCPU()).str();
}

void nameLevel(Module &module, const llvm::TargetMachine &level) {
  for (StringRef name : {"recur_model_compute", "recur_model_sizes", "recur_step_compute", "recur_step_sizes"})
    if (Function *function = module.getFunction(name); function && !function->isDeclaration()) {
      function->setName(getLevelName(name, level));
      // Otherwise that of the least level could become a part of the function that chooses.
      function->addFnAttr(Attribute::NoInline);
    }
}

/// Defines a function that calls that of frame->level, and makes the fault that a failed call has stored one of all
/// levels. The frame is the first argument.
static void emitChoice(Module &module, StringRef name, const EntryDescription &entry, Levels levels) {
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context), *bytes = Type::getInt8Ty(context);
  FunctionType *type = module.getFunction(getLevelName(name, *levels.front()))->getFunctionType();
  Function *choice = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", choice));
  auto field = [&](size_t offset) { return builder.CreateConstInBoundsGEP1_64(bytes, choice->getArg(0), offset); };
  SmallVector<BasicBlock *> blocks;
  for (const auto &level : levels)
    blocks.push_back(BasicBlock::Create(context, level->getTargetCPU(), choice));
  SwitchInst *jump = builder.CreateSwitch(builder.CreateLoad(word, field(offsetof(recur_frame, level))), blocks[0]);
  SmallVector<Value *> arguments;
  for (Argument &argument : choice->args())
    arguments.push_back(&argument);
  for (auto [i, level, block] : enumerate(levels, blocks)) {
    if (i != 0)
      jump->addCase(builder.getInt64(i), block);
    builder.SetInsertPoint(block);
    CallInst *status = builder.CreateCall(type, module.getFunction(getLevelName(name, *level)), arguments);
    if (uint64_t first = entry.firstFaults[i]) {
      Value *at = field(offsetof(recur_frame, fault_site)), *site = builder.CreateLoad(word, at);
      Value *isFault =
          builder.CreateAnd(builder.CreateIsNotNull(status), builder.CreateICmpSGE(site, ConstantInt::get(word, 0)));
      Value *ofAll = builder.CreateAdd(site, ConstantInt::get(word, first));
      builder.CreateStore(builder.CreateSelect(isFault, ofAll, site), at);
    } else {
      status->setTailCall();
    }
    builder.CreateRet(status);
  }
}

void emitModelInfo(Module &module, const ModelDescription &model, Levels levels, WeightsPlacement placement) {
  InfoBuilder builder(module);
  for (const EntryDescription *entry : model.getEntries()) {
    std::string prefix = entry == &model ? "recur_model_" : "recur_step_";
    emitEntryInfo(builder, model, *entry, prefix, levels, placement);
    if (levels.size() > 1)
      for (StringRef function : {"compute", "sizes"})
        emitChoice(module, prefix + function.str(), *entry, levels);
  }

  if (!model.profile.empty()) {
    SmallVector<Constant *> labels;
    for (const ProfileRow &row : model.profile)
      labels.push_back(builder.record({builder.string(row.layers), builder.i64(row.loop)}));
    Constant *size = builder.i64(labels.size());
    Constant *table = ConstantArray::get(ArrayType::get(labels[0]->getType(), labels.size()), labels);
    builder.define("recur_profile_size", size->getType(), size, Align(8));
    builder.define("recur_profile_labels", table->getType(), table, Align(8));
  }

  // The size is a multiple of 64: LLVM could put an array of 4 to 32 bytes, or one that looks like a C string, into a
  // section whose entries the linker merges.
  uint64_t size = placement == WeightsPlacement::Given ? 0 : model.weightsBytes;
  auto *bytes =
      ArrayType::get(Type::getInt8Ty(module.getContext()), alignTo(std::max<uint64_t>(size, 1), RECUR_ALIGNMENT));
  bool isDefined = placement != WeightsPlacement::External;
  GlobalVariable *weights = builder.define(weightsSymbolName, bytes,
                                           isDefined ? Constant::getNullValue(bytes) : nullptr, Align(RECUR_ALIGNMENT));
  if (isDefined) {
    weights->setSection(getWeightsSectionName(size));
    // patchWeights overwrites the zeros after code generation, so the optimizer must not fold loads of them.
    weights->setExternallyInitialized(true);
  }
}

} // namespace recur
