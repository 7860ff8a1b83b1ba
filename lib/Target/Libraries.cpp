// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libraries.cpp - libraries made of a model's object -----------------===//
//
// LLVM writes the static library. The shared one needs a linker that knows where the C library is.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/Libraries.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/SystemCompiler.h"
#include "llvm/Object/ArchiveWriter.h"

using namespace llvm;

namespace recur {

Expected<std::unique_ptr<MemoryBuffer>> makeStaticLibrary(ArrayRef<char> object, StringRef modelName) {
  std::string memberName = (modelName + ".o").str();
  NewArchiveMember member(MemoryBufferRef(StringRef(object.data(), object.size()), memberName));
  return writeArchiveToBuffer(member, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU, /*Deterministic=*/true,
                              /*Thin=*/false);
}

Expected<std::unique_ptr<MemoryBuffer>> linkSharedLibrary(ArrayRef<char> object, StringRef soname) {
  if (Error error = expectCompilerFor(object))
    return std::move(error);
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string objectPath = folder->pathOf("model.o"), libraryPath = folder->pathOf("model.so");
  if (Error error = writeProduct(objectPath, object))
    return std::move(error);
  // The files that start a program or a library define symbols of their own, and a model has no constructors. -Xlinker
  // passes on a name with a comma, which -Wl would take for two arguments.
  if (Error error = runSystemCompiler({"-shared", "-nostartfiles", "-Wl,-z,defs", "-Wl,--as-needed", "-Xlinker",
                                       "-soname", "-Xlinker", soname.str(), "-o", libraryPath, objectPath, "-lm"},
                                      *folder))
    return std::move(error);
  auto library = MemoryBuffer::getFile(libraryPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!library)
    return createStringError(library.getError(), "cannot read '" + libraryPath + "': " + library.getError().message());
  return std::move(*library);
}

} // namespace recur
