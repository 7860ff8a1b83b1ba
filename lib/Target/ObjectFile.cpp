// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectFile.cpp - work on finished objects --------------------------===//
//
// Weights can be gigabytes, so they do not pass through LLVM: the object file is emitted with zeros in their place and
// patched afterwards. All supported targets are 64-bit little-endian ELF.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/ModelModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::object;

namespace recur {

static StringRef text(ArrayRef<char> bytes) { return StringRef(bytes.data(), bytes.size()); }

Error patchWeights(MutableArrayRef<char> object, function_ref<Error(MutableArrayRef<char>)> pack) {
  Expected<ELFFile<ELF64LE>> file = ELFFile<ELF64LE>::create(text(object));
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != getWeightsSectionName(section.sh_size))
      continue;
    uint64_t offset = section.sh_offset, size = section.sh_size;
    if (section.sh_type != ELF::SHT_PROGBITS || size > object.size() || offset > object.size() - size)
      return createStringError("internal error: the object has no bytes for the weights");
    return pack(object.slice(offset, size));
  }
  return createStringError("internal error: the object has no section for the weights");
}

static Error checkSymbols(const ELFObjectFile<ELF64LE> &file, StringRef modelName, ArrayRef<StringRef> allowed,
                          StringRef allowedPrefix) {
  std::string prefix = (modelName + "_").str();
  std::vector<std::string> undefined, foreign;
  for (const ELFSymbolRef &symbol : file.symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if (*flags & SymbolRef::SF_FormatSpecific)
      continue;
    if (*flags & SymbolRef::SF_Undefined) {
      if (!is_contained(allowed, *name) && (allowedPrefix.empty() || !name->starts_with(allowedPrefix)))
        undefined.push_back(name->str());
    } else if ((*flags & SymbolRef::SF_Global) && !name->starts_with(prefix)) {
      foreign.push_back(name->str());
    }
  }
  // Sorted, so that the message does not depend on the order of the symbol table.
  llvm::sort(undefined);
  llvm::sort(foreign);
  if (!undefined.empty())
    return createStringError("internal error: the object has undefined symbols: " + join(undefined, ", "));
  if (!foreign.empty())
    return createStringError("internal error: the object defines symbols without the model's prefix: " +
                             join(foreign, ", "));
  return Error::success();
}

Error checkObject(ArrayRef<char> object, StringRef modelName, ArrayRef<StringRef> allowed, StringRef allowedPrefix) {
  Expected<ELFObjectFile<ELF64LE>> file = ELFObjectFile<ELF64LE>::create(MemoryBufferRef(text(object), modelName));
  if (!file)
    return file.takeError();
  if (Error error = checkSymbols(*file, modelName, allowed, allowedPrefix))
    return error;
  for (ELFSectionRef section : file->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    bool isWritable = (section.getFlags() & ELF::SHF_WRITE) && section.getSize();
    if (isWritable && *name != ".data.rel.ro" && !name->starts_with(".data.rel.ro."))
      return createStringError("internal error: the object has the writable section " + *name);
    if (section.getType() == ELF::SHT_INIT_ARRAY || section.getType() == ELF::SHT_FINI_ARRAY)
      return createStringError("internal error: the object has constructors");
  }
  return Error::success();
}

Expected<ObjectFacts> readObjectFacts(ArrayRef<char> object) {
  Expected<ELFObjectFile<ELF64LE>> file = ELFObjectFile<ELF64LE>::create(MemoryBufferRef(text(object), "object"));
  if (!file)
    return file.takeError();
  ObjectFacts facts;
  for (ELFSectionRef section : file->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (!(section.getFlags() & ELF::SHF_ALLOC) || *name == getWeightsSectionName(section.getSize()))
      continue;
    (section.getFlags() & ELF::SHF_EXECINSTR ? facts.codeBytes : facts.constantBytes) += section.getSize();
  }
  for (const ELFSymbolRef &symbol : file->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if ((*flags & SymbolRef::SF_Undefined) && !(*flags & SymbolRef::SF_FormatSpecific))
      facts.undefined.push_back(name->str());
  }
  llvm::sort(facts.undefined);
  return facts;
}

Error writeProduct(StringRef path, function_ref<Error(raw_ostream &)> write) {
  auto body = [&](raw_ostream &os) -> Error {
    Error error = write(os);
    // Flush here in every case: the destructor of a raw_fd_ostream ends the process if it cannot write the rest of the
    // text (a full disk), or if the stream has an error that was not cleared.
    os.flush();
    // All streams that get here write to a file descriptor: the one below and those that writeToOutput creates.
    auto &file = static_cast<raw_fd_ostream &>(os);
    if (std::error_code code = file.error(); code && !error)
      error = createStringError(code, "cannot write '" + path + "': " + code.message());
    file.clear_error();
    return error;
  };
  // writeToOutput replaces an existing file by renaming a temporary file. A pipe or a device must not be replaced by a
  // file, so it is written in place.
  auto isSpecial = [&] {
    sys::fs::file_status status;
    return path != "-" && !sys::fs::status(path, status) && sys::fs::is_other(status);
  };
  auto writeInPlace = [&]() -> Error {
    std::error_code code;
    raw_fd_ostream os(path, code, sys::fs::OF_None);
    return code ? createStringError(code, code.message()) : body(os);
  };
  Error error = isSpecial() ? writeInPlace() : writeToOutput(path, body);
  return handleErrors(std::move(error), [&](std::unique_ptr<ErrorInfoBase> info) -> Error {
    std::string message = info->message();
    if (StringRef(message).contains(path))
      return Error(std::move(info));
    return createStringError(info->convertToErrorCode(), "cannot write '" + path + "': " + message);
  });
}

Error writeProduct(StringRef path, ArrayRef<char> bytes) {
  return writeProduct(path, [&](raw_ostream &os) {
    os.write(bytes.data(), bytes.size());
    return Error::success();
  });
}

} // namespace recur
