// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SystemCompiler.cpp - the C compiler of this machine ----------------===//
//
// Finds the C compiler and runs it quietly: what it prints becomes part of an error.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/SystemCompiler.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace recur {

Expected<TemporaryFolder> TemporaryFolder::create() {
  SmallString<128> path;
  if (std::error_code code = sys::fs::createUniqueDirectory("recur", path))
    return createStringError(code, "cannot make a temporary directory: " + code.message());
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    (void)sys::fs::remove_directories(path);
}

std::string TemporaryFolder::pathOf(StringRef name) const {
  SmallString<128> result(path);
  sys::path::append(result, name);
  return result.str().str();
}

Expected<std::vector<std::string>> findCommand(StringRef text, StringRef what, StringRef origin) {
  SmallVector<StringRef> parts;
  SplitString(text, parts);
  std::vector<std::string> words(parts.begin(), parts.end());
  if (words.empty())
    return words;
  ErrorOr<std::string> path = sys::findProgramByName(words[0]);
  if (!path)
    return createStringError("the " + what + " '" + words[0] + "', which " + origin + " names, is not found");
  words[0] = *path;
  return words;
}

Expected<std::vector<std::string>> findSystemCompiler() {
  auto words = findCommand(sys::Process::GetEnv("CC").value_or(""), "C compiler", "CC");
  if (!words || !words->empty())
    return words;
  for (StringRef name : {"cc", "clang", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return std::vector<std::string>{*path};
  return createStringError("no C compiler found (cc, clang or gcc in PATH; or set CC)");
}

Error expectCompilerFor(ArrayRef<char> object) {
  if (!sys::Process::GetEnv("CC").value_or("").empty())
    return Error::success();
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(StringRef(object.data(), object.size()), "model.o"));
  if (!file)
    return file.takeError();
  Triple::ArchType target = (*file)->getArch(), host = Triple(sys::getProcessTriple()).getArch();
  if (target == host)
    return Error::success();
  StringRef name = Triple::getArchTypeName(target);
  return createStringError("the model is compiled for " + name + ", but this machine's C compiler links programs for " +
                           Triple::getArchTypeName(host) + "; set CC to a C compiler for " + name + ", such as " +
                           name + "-linux-gnu-gcc");
}

Error runSystemCompiler(ArrayRef<std::string> arguments, const TemporaryFolder &folder) {
  Expected<std::vector<std::string>> compiler = findSystemCompiler();
  if (!compiler)
    return compiler.takeError();
  SmallVector<StringRef> words(compiler->begin(), compiler->end());
  words.append(arguments.begin(), arguments.end());
  std::string logPath = folder.pathOf("log");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(logPath), StringRef(logPath)};
  std::string message;
  int status = sys::ExecuteAndWait(words[0], words, std::nullopt, redirects, 0, 0, &message);
  if (status == 0)
    return Error::success();
  std::string text = formatv("'{0}' could not link the model", words[0]);
  if (!message.empty())
    text += ": " + message;
  if (auto log = MemoryBuffer::getFile(logPath); log && !(*log)->getBuffer().trim().empty())
    text += ":\n" + (*log)->getBuffer().trim().str();
  return createStringError(text);
}

} // namespace recur
