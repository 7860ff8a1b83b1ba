// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SystemCompiler.h - the C compiler of this machine --------*- C++ -*-===//
//
// Recur has no linker. It lets the C compiler of the machine link the object of a model.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_SYSTEMCOMPILER_H
#define RECUR_TARGET_SYSTEMCOMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace recur {

/// A folder for files that a linker reads and writes. The destructor removes it with all that it holds.
class TemporaryFolder {
public:
  /// Fails if the system's folder for temporary files does not exist or cannot be written to.
  static llvm::Expected<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder &&other) : path(std::exchange(other.path, {})) {}
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  /// The path of the file `name` in the folder. The file need not exist.
  std::string pathOf(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(llvm::StringRef path) : path(path.str()) {}

  std::string path;
};

/// The words of the command `text`. The first word becomes the path of an existing program; it fails if there is none.
/// `what` and `origin` are for the error: what the program is, and what names it. No words if `text` is blank.
llvm::Expected<std::vector<std::string>> findCommand(llvm::StringRef text, llvm::StringRef what,
                                                     llvm::StringRef origin);

/// The command of the C compiler: $CC, which is split into words, or if it is not set, cc, clang or gcc from PATH.
/// Fails if there is none.
llvm::Expected<std::vector<std::string>> findSystemCompiler();

/// Fails if `object` is code for another machine than this one, and CC does not name a compiler for it.
llvm::Error expectCompilerFor(llvm::ArrayRef<char> object);

/// Links a model: runs the C compiler (findSystemCompiler) with `arguments`. Fails if there is none, or if its status
/// is not 0. The error contains what it printed, which goes to a file in `folder`.
llvm::Error runSystemCompiler(llvm::ArrayRef<std::string> arguments, const TemporaryFolder &folder);

} // namespace recur

#endif // RECUR_TARGET_SYSTEMCOMPILER_H
