// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.h - What all tools ask of their arguments ----*- C++ -*-===//
#ifndef RECUR_TOOLS_COMMANDLINE_H
#define RECUR_TOOLS_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class raw_ostream;
namespace cl {
class Option;
} // namespace cl
} // namespace llvm

namespace recur {

/// Fails if an argument is an option that nobody has registered, or one that needs a value and has an empty one. To be
/// called before `cl::ParseCommandLineOptions`, which takes the unknown `--headr=a.h` for the option of one letter,
/// `-h`, with others behind it.
llvm::Error checkArguments(int argc, const char *const *argv);

/// Fails if `option` is given together with one that it would ignore.
llvm::Error checkTogether(const llvm::cl::Option &option, llvm::ArrayRef<const llvm::cl::Option *> ignored);

/// A file that a tool reads or writes: the words for it ("the input", "--header"), and its path. "-" is standard input
/// or standard output.
struct ToolFile {
  std::string words;
  std::string path;
};

/// Fails if an output is one of the inputs, whatever its path is spelled like, or if two outputs are one file. What is
/// no regular file (a device, a pipe) may be both.
llvm::Error checkOutputs(llvm::ArrayRef<ToolFile> outputs, llvm::ArrayRef<ToolFile> inputs);

/// Prints an error as all tools do; returns 1, the status that they end with.
int printError(llvm::Error error, llvm::raw_ostream &os);

} // namespace recur

#endif // RECUR_TOOLS_COMMANDLINE_H
