// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.cpp - Checks of the command line for all tools ---------===//
//
// LLVM's parser accepts some wrong command lines: an unknown option may look like a group of one-letter options, and an
// empty value is a value. These checks run in addition.
//
//===----------------------------------------------------------------------===//

#include "Recur/Tools/CommandLine.h"

#include "Recur/Target/ModelDescription.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace recur;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

using OptionMap = DenseMap<StringRef, cl::Option *>;

/// The option with the name of an argument, without dashes and value; null if there is none.
static cl::Option *findOption(const OptionMap &options, StringRef name, bool hasOneDash) {
  if (cl::Option *option = options.lookup(name))
    return option;
  // LLVM's parser registers -h only later.
  if (name == "h")
    return options.lookup("help");
  // An option such as -O2, whose value follows its name directly.
  for (size_t length = name.size(); hasOneDash && length > 1; --length) {
    cl::Option *option = options.lookup(name.take_front(length - 1));
    if (option && (option->getFormattingFlag() == cl::Prefix || option->getFormattingFlag() == cl::AlwaysPrefix))
      return option;
  }
  return nullptr;
}

static std::string spell(StringRef name) { return ((name.size() == 1 ? "-" : "--") + name).str(); }

static Error unknownOption(const OptionMap &options, StringRef argument, StringRef name) {
  // Suggest an option only if at most about one letter in three differs.
  unsigned least = (name.size() + 2) / 3 + 1;
  StringRef nearest;
  for (const auto &[other, option] : options) {
    if (other.empty() || option->getOptionHiddenFlag() == cl::ReallyHidden)
      continue;
    unsigned distance = name.edit_distance(other, /*AllowReplacements=*/true, least);
    if (distance < least || (distance == least && !nearest.empty() && other < nearest)) {
      least = distance;
      nearest = other;
    }
  }
  std::string hint = nearest.empty() ? "--help lists the options" : "did you mean '" + spell(nearest) + "'?";
  return createStringError("unknown option '" + argument + "'; " + hint);
}

/// Fails if a value of an option, or a part of it that commas separate, is none of those that the option has.
static Error checkValue(const Choices &choices, StringRef value) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i != choices.parser->getNumOptions(); ++i)
    names.push_back(choices.parser->getOption(i));
  SmallVector<StringRef> parts{value};
  if (choices.option->getMiscFlags() & cl::CommaSeparated) {
    parts.clear();
    value.split(parts, ',');
  }
  for (StringRef part : parts)
    if (!is_contained(names, part))
      return createStringError("expected " + spell(choices.option->ArgStr) + " to be one of " + join(names, ", ") +
                               ", but got '" + part + "'");
  return Error::success();
}

SmallVector<const char *> recur::getArguments(int argc, const char *const *argv) {
  SmallVector<const char *> arguments(argv, argv + argc);
  bool takesInput = !cl::SubCommand::getTopLevel().PositionalOpts.empty();
  if (argc == 1 && takesInput && sys::Process::StandardInIsUserInput())
    arguments.push_back("--help");
  return arguments;
}

Error recur::checkArguments(ArrayRef<const char *> given, ArrayRef<Choices> choices) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> arguments(given.drop_front(std::min<size_t>(given.size(), 1)));
  cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, arguments);
  const OptionMap &options = cl::getRegisteredOptions();
  bool hasInput = false, isAnswered = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--") {
      hasInput |= i + 1 != arguments.size();
      break;
    }
    if (argument.size() < 2 || argument.front() != '-') {
      hasInput = true;
      continue;
    }
    bool hasOneDash = !argument.starts_with("--");
    auto [name, value] = argument.drop_front(hasOneDash ? 1 : 2).split('=');
    cl::Option *option = findOption(options, name, hasOneDash);
    if (!option)
      return unknownOption(options, argument, name);
    // The parser answers these, and then ends the program.
    isAnswered |= name == "h" || name == "version" || name.starts_with("help");
    // An option such as -O2 already has its value.
    if (option->getValueExpectedFlag() != cl::ValueRequired || option->ArgStr != name)
      continue;
    // The next argument is the value, even if it begins with a dash.
    if (!argument.contains('=')) {
      if (++i == arguments.size())
        return createStringError("expected a value of " + spell(name) + ", but got none");
      value = arguments[i];
    }
    // An empty value usually comes from a shell variable that is not set.
    if (value.empty())
      return createStringError("expected a value of " + spell(name) + ", but got an empty one");
    auto known = find_if(choices, [&](const Choices &other) { return other.option == option; });
    if (known != choices.end())
      if (Error error = checkValue(*known, value))
        return error;
  }
  for (const cl::Option *positional : cl::SubCommand::getTopLevel().PositionalOpts)
    if (positional->getNumOccurrencesFlag() == cl::Required && !hasInput && !isAnswered)
      return createStringError("expected " + positional->HelpStr + ", but got nothing; --help lists the options");
  return Error::success();
}

Error recur::checkTogether(const cl::Option &option, ArrayRef<const cl::Option *> ignored) {
  for (const cl::Option *other : ignored)
    if (option.getNumOccurrences() && other->getNumOccurrences())
      return createStringError(spell(option.ArgStr) + " cannot be used with " + spell(other->ArgStr));
  return Error::success();
}

Error recur::checkUnused(ArrayRef<const cl::Option *> options, const Twine &reason) {
  for (const cl::Option *option : options)
    if (option->getNumOccurrences())
      return createStringError(spell(option->ArgStr) + " cannot be used " + reason);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The unique id of a regular file; nullopt if the file does not exist or is not regular.
static std::optional<sys::fs::UniqueID> identify(const ToolFile &file, int standardStream) {
  sys::fs::file_status status;
  bool isStream = file.path == "-";
  std::error_code code = isStream ? sys::fs::status(standardStream, status) : sys::fs::status(file.path, status);
  if (code || !sys::fs::is_regular_file(status))
    return std::nullopt;
  return status.getUniqueID();
}

/// A canonical path of a file that need not exist yet: that of its folder, and its name.
static std::string normalize(StringRef path) {
  StringRef folder = path.contains('/') ? sys::path::parent_path(path) : ".";
  SmallString<128> real;
  if (sys::fs::real_path(folder, real))
    real = folder;
  sys::path::append(real, sys::path::filename(path));
  return real.str().str();
}

Error recur::checkOutputs(ArrayRef<ToolFile> outputs, ArrayRef<ToolFile> inputs) {
  for (auto [i, output] : enumerate(outputs)) {
    std::optional<sys::fs::UniqueID> file = identify(output, /*standardStream=*/1);
    for (const ToolFile &input : inputs)
      if (file && file == identify(input, /*standardStream=*/0))
        return createStringError("expected " + output.words + " to name a file that is not read, but '" + output.path +
                                 "' is " + input.words + (input.path == output.path ? "" : " '" + input.path + "'"));
    for (const ToolFile &other : outputs.take_front(i)) {
      std::optional<sys::fs::UniqueID> otherFile = identify(other, /*standardStream=*/1);
      bool isStream = output.path == "-" || other.path == "-";
      bool isSame = file || otherFile ? file == otherFile
                    : isStream ? output.path == other.path
                               : !sys::fs::exists(output.path) && normalize(output.path) == normalize(other.path);
      if (isSame)
        return createStringError("expected " + other.words + " and " + output.words + " to name two files, but got '" +
                                 other.path + "' and '" + output.path + "'");
    }
  }
  return Error::success();
}

Error recur::checkBinaryOutput(StringRef output) {
  if (output != "-" || !sys::Process::StandardOutIsDisplayed())
    return Error::success();
  return createStringError(
      "expected -o to name a file, because the result is no text, but standard output is a terminal");
}

void recur::printVersion(raw_ostream &os) {
  os << getCompilerName() << "\nLLVM " << LLVM_VERSION_STRING << "\nhost CPU " << sys::getHostCPUName() << "\n";
}

int recur::printError(Error error, raw_ostream &os) {
  WithColor::error(os) << toString(std::move(error)) << "\n";
  return 1;
}
