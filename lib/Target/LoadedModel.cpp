// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoadedModel.cpp - a model's shared library in this process ---------===//
//
// The loader of the system takes files only, so a library in memory becomes a file without a name.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/LoadedModel.h"
#include "Recur/Target/ModelSymbols.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <sys/mman.h>

using namespace llvm;

namespace recur {

LoadedModel::~LoadedModel() {
  if (handle)
    dlclose(handle);
}

Error LoadedModel::load(const char *path, std::optional<Entry> wanted) {
  Expected<ModelSymbols> model = findModel(*library);
  if (!model)
    return model.takeError();
  Expected<Entry> chosen = chooseEntry(*model, wanted, library->getBufferIdentifier());
  if (!chosen)
    return chosen.takeError();
  loadedEntry = *chosen;
  if (identify_magic(library->getBuffer()) == file_magic::elf_relocatable)
    return createStringError("expected a shared library, but '" + library->getBufferIdentifier() +
                             "' is an object; ir-compile --emit=shared writes a library");
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError("cannot load '" + library->getBufferIdentifier() + "': " + dlerror());
  auto find = [&](StringRef symbol) -> Expected<void *> {
    if (void *address = dlsym(handle, symbol.str().c_str()))
      return address;
    return createStringError("'" + library->getBufferIdentifier() + "' has no function " + symbol);
  };
  if (model->hasProfile) {
    Expected<void *> address = find(getFunctionName(model->name, loadedEntry, "profile"));
    if (!address)
      return address.takeError();
    reader = reinterpret_cast<recur_profile_reader>(*address);
  }
  return resolveEntryPoints(model->name, find, entries, loadedEntry);
}

Expected<std::unique_ptr<LoadedModel>> LoadedModel::open(StringRef path, std::optional<Entry> entry) {
  auto fail = [&](const Twine &why) { return createStringError("cannot read '" + path + "': " + why); };
  // A pipe would never end.
  if (!sys::fs::is_regular_file(path))
    return fail(sys::fs::is_directory(path) ? "it is a folder"
                : sys::fs::exists(path)     ? "not a regular file"
                                            : "no such file");
  auto library = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!library)
    return fail(library.getError().message());
  // The loader looks for a name without a slash in other folders.
  SmallString<128> place(path);
  if (std::error_code code = sys::fs::make_absolute(place))
    return fail(code.message());
  std::unique_ptr<LoadedModel> model(new LoadedModel(std::move(*library)));
  if (Error error = model->load(place.c_str(), entry))
    return std::move(error);
  return model;
}

Expected<std::unique_ptr<LoadedModel>> LoadedModel::create(std::unique_ptr<MemoryBuffer> library,
                                                           std::optional<Entry> entry) {
  int file = memfd_create("recur", MFD_CLOEXEC);
  if (file < 0)
    return createStringError(errnoAsErrorCode(), "cannot make a file in memory");
  std::unique_ptr<LoadedModel> model(new LoadedModel(std::move(library)));
  // The file lives as long as it is open or loaded.
  raw_fd_ostream os(file, /*shouldClose=*/true, /*unbuffered=*/true);
  os << model->bytes();
  if (std::error_code code = os.error()) {
    os.clear_error();
    return createStringError(code, "cannot write a file in memory: " + code.message());
  }
  if (Error error = model->load(("/proc/self/fd/" + itostr(file)).c_str(), entry))
    return std::move(error);
  return model;
}

} // namespace recur
