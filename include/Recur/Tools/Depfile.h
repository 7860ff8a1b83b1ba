// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Depfile.h - what a tool read, for make and ninja ---------*- C++ -*-===//
//
// A build system reads such a file to know when a tool must run again.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_DEPFILE_H
#define RECUR_TOOLS_DEPFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace recur {

struct ToolFile;

/// Makes the text of a rule for make and ninja: each of `outputs` depends on each of `inputs`. A standard stream ("-")
/// is not listed. Spaces, `#`, `:` and `$` in paths are escaped. Fails if a path has a character that make and ninja do
/// not read alike: a backslash, a line break, a tab, or in an output a `%`.
llvm::Expected<std::string> makeDepfile(llvm::ArrayRef<ToolFile> outputs, llvm::ArrayRef<ToolFile> inputs);

} // namespace recur

#endif // RECUR_TOOLS_DEPFILE_H
