// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cache.cpp - compiled models in a folder ----------------------------===//
//
// An entry is one file (ModelFile.h). It is written to a temporary file and renamed, so that no process sees a part of
// it. A reader copies it and checks its hash, so nothing in the folder can make a model compute something else by
// accident. It cannot protect from someone who may write to the folder and computes the hash.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Cache.h"

#include "Recur/Compiler/ModelFile.h"
#include "Recur/Target/ObjectFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

#include <dlfcn.h>
#include <link.h>

using namespace mlir;
using namespace recur;

/// The contents of a file, or null.
static std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path) {
  // A pipe would never end.
  if (!llvm::sys::fs::is_regular_file(path))
    return nullptr;
  // A volatile file is copied, not mapped: another process may shorten it.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true, llvm::Align(RECUR_ALIGNMENT));
  return buffer ? std::move(*buffer) : nullptr;
}

/// The file that this code was loaded from: the program, or a shared library.
static std::string findOwnFile() {
  static int here;
  Dl_info info;
  link_map *loaded = nullptr;
  // The program itself has no name in the list of what is loaded.
  if (dladdr1(&here, &info, reinterpret_cast<void **>(&loaded), RTLD_DL_LINKMAP) && *loaded->l_name)
    return loaded->l_name;
  return llvm::sys::fs::getMainExecutable(nullptr, &here);
}

/// A hash of the bytes of this program or library. Fails if they cannot be read.
static FailureOr<ContentHash> hashOwnFile() {
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(findOwnFile());
  if (!file)
    return failure();
  FieldHasher hasher;
  hasher.add(file->getBuffer());
  return hasher.result();
}

/// Adds all options that the code depends on. The structured bindings name every field, so that a new option cannot be
/// forgotten here: without its name, this does not compile.
static void addOptions(FieldHasher &hasher, const CompileOptions &options, const Model &model,
                       const llvm::TargetMachine &machine) {
  // These do not change the result: verifyPasses, progress, remarks, remarkFilter, configurePasses.
  const auto &[target, name, entries, optimize, verifyPasses, checkTimeLoops, gangWork, weightsPrecision, precision,
               debugInfo, sanitizer, checkNaN, profile, report, weightsOnly, progress, remarks, remarkFilter,
               configurePasses] = options;
  hasher.add(name);
  hasher.addNumber(entries.size());
  for (Entry entry : entries)
    hasher.addNumber(uint64_t(entry));
  for (uint64_t number : {uint64_t(optimize), uint64_t(checkTimeLoops), uint64_t(gangWork), uint64_t(weightsPrecision),
                          uint64_t(precision), uint64_t(debugInfo), uint64_t(sanitizer), uint64_t(checkNaN),
                          uint64_t(profile), uint64_t(report), uint64_t(weightsOnly)})
    hasher.addNumber(number);
  // The code names the lines of the model's file.
  if (debugInfo || profile)
    hasher.add(model.files.front().path);
  // The machine tells what triple, CPU and features stand for.
  const auto &[triple, cpu, features, levels, optLevel] = target;
  hasher.addNumber(levels.size());
  for (const std::string &level : levels)
    hasher.add(level);
  hasher.addNumber(optLevel);
  hasher.add(machine.getTargetTriple().str());
  hasher.add(machine.getTargetCPU());
  hasher.add(machine.getTargetFeatureString());
}

/// The key of a model. It has a hash of this program, because two builds of one version may compile differently. Fails
/// if the program cannot be read.
static FailureOr<ContentHash> makeKey(const Model &model, StringRef text, ArrayRef<std::string> shapes,
                                      const CompileOptions &options, const llvm::TargetMachine &machine) {
  static const FailureOr<ContentHash> program = hashOwnFile();
  if (failed(program))
    return failure();
  FieldHasher hasher;
  hasher.add(llvm::StringRef(reinterpret_cast<const char *>(program->data()), program->size()));
  hasher.add(LLVM_VERSION_STRING);
  hasher.add(text);
  hasher.add(model.weights ? model.weights->getBuffer() : StringRef());
  hasher.addNumber(model.weights != nullptr);
  hasher.addNumber(shapes.size());
  for (const std::string &shape : shapes)
    hasher.add(shape);
  addOptions(hasher, options, model, machine);
  return hasher.result();
}

llvm::Expected<CompiledModel> recur::compileCached(Model &model, StringRef text, ArrayRef<std::string> shapes,
                                                   const CompileOptions &options, StringRef folder,
                                                   llvm::function_ref<void(llvm::Error)> warn) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  FailureOr<ContentHash> key = makeKey(model, text, shapes, options, **machine);
  SmallString<128> path(folder);
  if (succeeded(key)) {
    llvm::sys::path::append(path, llvm::toHex(*key, /*LowerCase=*/true) + ".model");
    if (std::unique_ptr<llvm::MemoryBuffer> file = readFile(path)) {
      FailureOr<CompiledModel> found = readModelFile(file->getBuffer(), *key);
      if (succeeded(found))
        return std::move(*found);
    }
  }
  llvm::Expected<CompiledModel> compiled = compile(model, options, EmitKind::Object, WeightsPlacement::External);
  if (!compiled)
    return compiled;
  if (failed(key))
    warn(llvm::createStringError("the cache is not used: the program cannot read itself"));
  else if (std::error_code code = llvm::sys::fs::create_directories(folder, true, llvm::sys::fs::owner_all))
    warn(llvm::createStringError(code, "cannot create the folder '" + folder + "': " + code.message()));
  else if (llvm::Error error = writeProduct(path, [&](llvm::raw_ostream &os) {
             writeModelFile(os, *key, *compiled);
             return llvm::Error::success();
           }))
    warn(std::move(error));
  return compiled;
}
