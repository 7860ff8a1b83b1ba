// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.h - Checks of the command line for all tools -*- C++ -*-===//
//
// All tools check their arguments and their output files with these functions, and print errors in the same form.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_COMMANDLINE_H
#define RECUR_TOOLS_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class raw_ostream;
namespace cl {
class generic_parser_base;
class Option;
} // namespace cl
} // namespace llvm

namespace recur {

/// An option whose values are names, and its parser, which knows them.
struct Choices {
  const llvm::cl::Option *option;
  const llvm::cl::generic_parser_base *parser;
};

/// Fails if an argument is an unknown option, an option that needs a value and has an empty one, or one of `choices`
/// with an unknown value. The error suggests the nearest option, or lists the values. Tools call it before
/// `cl::ParseCommandLineOptions`, which would take the unknown option
/// `--headr=a.h` for the one-letter option `-h` followed by others.
llvm::Error checkArguments(llvm::ArrayRef<const char *> arguments, llvm::ArrayRef<Choices> choices = {});

/// The arguments that a tool gets, with its name in front. If there are none, and the tool would wait for text that the
/// user types, they are `--help`. Tools call it after their options are registered.
llvm::SmallVector<const char *> getArguments(int argc, const char *const *argv);

/// Fails if `option` is given together with one of `ignored`, which would have no effect then. To be called after the
/// options are parsed.
llvm::Error checkTogether(const llvm::cl::Option &option, llvm::ArrayRef<const llvm::cl::Option *> ignored);

/// Fails if one of `options` is given. `reason` ends the sentence "--X cannot be used ...".
llvm::Error checkUnused(llvm::ArrayRef<const llvm::cl::Option *> options, const llvm::Twine &reason);

/// A file that a tool reads or writes: the words for it in messages ("the input", "--header"), and its path. "-" is
/// standard input or standard output.
struct ToolFile {
  std::string words;
  std::string path;
};

/// Fails if an output is the same file as an input, even under another path, or if two outputs are the same file. A
/// device or a pipe may be both an input and an output.
llvm::Error checkOutputs(llvm::ArrayRef<ToolFile> outputs, llvm::ArrayRef<ToolFile> inputs);

/// Fails if `output`, which gets bytes that are no text, is standard output, and that is a terminal.
llvm::Error checkBinaryOutput(llvm::StringRef output);

/// Prints what --version of a tool prints: the versions of Recur and of LLVM, and the CPU of this machine.
void printVersion(llvm::raw_ostream &os);

/// Prints an error in the format of all tools. Returns 1, their exit status after an error.
int printError(llvm::Error error, llvm::raw_ostream &os);

} // namespace recur

#endif // RECUR_TOOLS_COMMANDLINE_H
