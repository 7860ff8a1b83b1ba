// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelSymbols.cpp - the functions of a model by name ----------------===//
//
// The table of a model's functions is filled the same way for an object that was linked into this process, and for a
// shared library that the system has loaded.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ModelSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace recur {

Error resolveEntryPoints(StringRef modelName, function_ref<Expected<void *>(StringRef)> find,
                         recur_entry_points &entries, Entry entry) {
  Error error = Error::success();
  auto resolve = [&](StringRef name, auto &function) {
    if (error)
      return;
    Expected<void *> address = find(getFunctionName(modelName, entry, name));
    if (address)
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(*address);
    else
      error = address.takeError();
  };
  resolve("info", entries.info);
  resolve("instance_size", entries.instance_size);
  resolve("init", entries.init);
  resolve("query", entries.query);
  resolve("run", entries.run);
  resolve("reset", entries.reset);
  if (!error && entries.info()->num_states) {
    resolve("get_state", entries.get_state);
    resolve("set_state", entries.set_state);
    resolve("state_memory", entries.state_memory);
  }
  return error;
}

/// Adds the names of the global symbols that are defined.
template <typename Symbols>
static Error addDefined(Symbols symbols, StringSet<> &names) {
  for (const object::ELFSymbolRef &symbol : symbols) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if ((*flags & object::SymbolRef::SF_Undefined) || !(*flags & object::SymbolRef::SF_Global))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    names.insert(*name);
  }
  return Error::success();
}

Expected<ModelSymbols> findModel(MemoryBufferRef file) {
  auto fail = [&](const Twine &what) -> Error {
    return createStringError("expected '" + file.getBufferIdentifier() +
                             "' to be a model's object or shared library, "
                             "but " +
                             what);
  };
  Expected<std::unique_ptr<object::ObjectFile>> object = object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return fail(toString(object.takeError()));
  auto &elf = cast<object::ELFObjectFileBase>(**object);
  StringSet<> names;
  if (Error error = elf.getEType() == ELF::ET_DYN ? addDefined(elf.getDynamicSymbolIterators(), names)
                                                  : addDefined(elf.symbols(), names))
    return fail(toString(std::move(error)));
  ModelSymbols model;
  for (const auto &symbol : names) {
    StringRef name = symbol.getKey();
    if (!name.consume_back("_instance_size"))
      continue;
    // Other programs may have a function of this name, but not all three.
    SmallVector<Entry, 2> entries;
    for (Entry entry : {Entry::Run, Entry::Step})
      if (names.contains(getFunctionName(name, entry, "query")) && names.contains(getFunctionName(name, entry, "run")))
        entries.push_back(entry);
    if (entries.empty())
      continue;
    if (!model.name.empty())
      return fail("it has the models '" + Twine(std::min<StringRef>(model.name, name)) + "' and '" +
                  Twine(std::max<StringRef>(model.name, name)) + "'");
    bool hasProfile =
        all_of(entries, [&](Entry entry) { return names.contains(getFunctionName(name, entry, "profile")); });
    model = {name.str(), std::move(entries), hasProfile};
  }
  if (model.name.empty())
    return fail("it has no model");
  return model;
}

Expected<Entry> chooseEntry(const ModelSymbols &model, std::optional<Entry> wanted, StringRef file) {
  Entry first = model.entries.front();
  if (!wanted || is_contained(model.entries, *wanted))
    return wanted.value_or(first);
  return createStringError("expected '" + file + "' to have the function " +
                           getFunctionName(model.name, *wanted, "run") + ", but it has " +
                           getFunctionName(model.name, first, "run") + " alone");
}

} // namespace recur
