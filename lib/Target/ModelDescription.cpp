// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelDescription.cpp - names of models and types -------------------===//
//
// The name of a model becomes the prefix of C symbols, so it must be an identifier in C and in C++.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace recur {

std::string getCompilerName() { return "Recur " RECUR_VERSION; }

static bool isKeyword(StringRef name) {
  static const StringSet<> keywords = {
      "alignas",       "alignof",     "and",        "and_eq",    "asm",       "auto",
      "bitand",        "bitor",       "bool",       "break",     "case",      "catch",
      "char",          "class",       "co_await",   "co_return", "co_yield",  "compl",
      "concept",       "const",       "const_cast", "consteval", "constexpr", "constinit",
      "continue",      "decltype",    "default",    "delete",    "do",        "double",
      "dynamic_cast",  "else",        "enum",       "explicit",  "export",    "extern",
      "false",         "float",       "for",        "friend",    "goto",      "if",
      "inline",        "int",         "long",       "mutable",   "namespace", "new",
      "noexcept",      "not",         "not_eq",     "nullptr",   "operator",  "or",
      "or_eq",         "private",     "protected",  "public",    "register",  "requires",
      "restrict",      "return",      "short",      "signed",    "sizeof",    "static",
      "static_assert", "static_cast", "struct",     "switch",    "template",  "this",
      "thread_local",  "throw",       "true",       "try",       "typedef",   "typeid",
      "typename",      "union",       "unsigned",   "using",     "virtual",   "void",
      "volatile",      "wchar_t",     "while",      "xor",       "xor_eq",    "reinterpret_cast"};
  return keywords.contains(name);
}

void addLevel(EntryDescription &all, const EntryDescription &next) {
  for (auto [input, other] : zip_equal(all.inputs, next.inputs))
    input.decidesSizes |= other.decidesSizes;
  all.workspaceBytes =
      all.workspaceBytes < 0 || next.workspaceBytes < 0 ? -1 : std::max(all.workspaceBytes, next.workspaceBytes);
  all.reserves |= next.reserves;
  for (size_t first : all.firstFaults)
    if (ArrayRef(all.faults).drop_front(first).take_front(next.faults.size()) == ArrayRef(next.faults)) {
      all.firstFaults.push_back(first);
      return;
    }
  all.firstFaults.push_back(all.faults.size());
  append_range(all.faults, next.faults);
}

std::string getFunctionName(StringRef model, Entry entry, StringRef what) {
  std::string prefix = (model + "_").str();
  bool isShared = !is_contained(
      {"info", "query", "run", "call", "entry_points", "num_inputs", "num_outputs", "workspace_bytes"}, what);
  if (entry == Entry::Run || isShared)
    return prefix + what.str();
  return what == "run" ? prefix + "step" : prefix + "step_" + what.str();
}

// The types that all models share have the prefix "recur_".
static bool isReserved(StringRef name) { return isKeyword(name) || name == "recur" || name.starts_with("recur_"); }

bool isValidModelName(StringRef name) {
  if (name.empty() || name.size() > 200 || isReserved(name) || !(isAlpha(name[0])))
    return false;
  // C++ reserves names with two underscores in a row.
  return all_of(name, [](char c) { return isAlnum(c) || c == '_'; }) && !name.contains("__");
}

std::string makeModelName(StringRef text) {
  std::string result;
  for (char c : text.take_front(200)) {
    char next = isAlnum(c) ? c : '_';
    if (next != '_' || (!result.empty() && result.back() != '_'))
      result += next;
  }
  while (!result.empty() && result.back() == '_')
    result.pop_back();
  if (result.empty() || isDigit(result[0]) || isReserved(result))
    result = result.empty() ? "model" : "model_" + result;
  result.resize(std::min<size_t>(result.size(), 200));
  return result;
}

StringRef getModelStem(StringRef path, bool isLibrary) {
  // The name of a folder may end with a slash.
  StringRef stem = sys::path::stem(path.rtrim('/'));
  if (isLibrary) {
    stem.consume_front("lib");
    // The stem of libspeech.so.1 still has one.
    stem.consume_back(".so");
  }
  return stem;
}

std::string makeDefaultName(StringRef path, bool isLibrary) { return makeModelName(getModelStem(path, isLibrary)); }

StringRef elementTypeName(recur_element_type type) {
  switch (type) {
  case RECUR_BOOLEAN:
    return "boolean";
  case RECUR_I8:
    return "i8";
  case RECUR_I16:
    return "i16";
  case RECUR_I32:
    return "i32";
  case RECUR_I64:
    return "i64";
  case RECUR_U8:
    return "u8";
  case RECUR_U16:
    return "u16";
  case RECUR_U32:
    return "u32";
  case RECUR_U64:
    return "u64";
  case RECUR_F16:
    return "f16";
  case RECUR_BF16:
    return "bf16";
  case RECUR_F32:
    return "f32";
  case RECUR_F64:
    return "f64";
  }
  return "unknown";
}

std::string describeType(const TensorDescription &tensor) {
  std::string result = (elementTypeName(tensor.elementType) + " [").str();
  ListSeparator comma;
  for (int64_t dim : tensor.dims) {
    result += comma;
    result += dim < 0 ? "?" : std::to_string(dim);
  }
  return result + "]";
}

} // namespace recur
