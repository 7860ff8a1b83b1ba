// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JIT.cpp - an object in this process --------------------------------===//
//
// The tools run a model in their own process by linking its finished object file with ORC's LLJIT. Code generation is
// the same as for a model that is linked by the user.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/JIT.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/ModelSymbols.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;
using namespace llvm::orc;

namespace recur {

/// True for an object with lines for a debugger.
static bool hasLines(MemoryBufferRef buffer) {
  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createObjectFile(buffer);
  if (!file) {
    consumeError(file.takeError()); // The linker reports it.
    return false;
  }
  return any_of((*file)->sections(), [](const object::SectionRef &section) { return section.isDebugSection(); });
}

Expected<std::unique_ptr<LLJIT>> linkObject(std::unique_ptr<MemoryBuffer> object,
                                            ArrayRef<std::pair<StringRef, const void *>> addresses) {
  initializeTargets();
  // The objects have no constructors, exit handlers or thread-local variables, so ORC needs no platform support for
  // them.
  Expected<std::unique_ptr<LLJIT>> jit = LLJITBuilder().setPlatformSetUp(setUpInactivePlatform).create();
  if (!jit)
    return jit.takeError();
  // A debugger that runs this process finds the code.
  if (hasLines(object->getMemBufferRef()))
    if (Error error = enableDebuggerSupport(**jit))
      return error;
  SymbolMap symbols;
  for (auto [name, address] : addresses)
    symbols[(*jit)->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
  if (Error error = (*jit)->getMainJITDylib().define(absoluteSymbols(std::move(symbols))))
    return error;
  if (Error error = (*jit)->addObjectFile(std::move(object)))
    return error;
  return jit;
}

JITModel::JITModel(std::unique_ptr<LLJIT> jit) : jit(std::move(jit)) {}
JITModel::~JITModel() = default;

Expected<std::unique_ptr<JITModel>> JITModel::create(std::unique_ptr<MemoryBuffer> object, StringRef modelName,
                                                     ArrayRef<uint8_t> weights, Entry entry) {
  alignas(RECUR_ALIGNMENT) static const uint8_t noWeights[RECUR_ALIGNMENT] = {};
  const uint8_t *data = weights.empty() ? noWeights : weights.data();
  if (reinterpret_cast<uintptr_t>(data) % RECUR_ALIGNMENT)
    return createStringError("internal error: the weights are not aligned to %d bytes", RECUR_ALIGNMENT);

  // An absolute symbol avoids a copy of the weights. They may be far from the code; the code is position-independent
  // and reaches them through the GOT.
  auto jit = linkObject(std::move(object), {{weightsSymbolName, data}});
  if (!jit)
    return jit.takeError();

  std::unique_ptr<JITModel> model(new JITModel(std::move(*jit)));
  auto find = [&](StringRef name) { return model->find(name); };
  if (Error error = resolveEntryPoints(modelName, find, model->entries, entry))
    return std::move(error);
  return model;
}

Expected<void *> JITModel::find(StringRef symbol) const {
  Expected<ExecutorAddr> address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace recur
