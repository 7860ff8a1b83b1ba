// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpRules.cpp - Checks of the ops' rules -----------------------------===//
//
// Generates `checkRules` of each op from its OV_Rule records. Each `$name` in a rule becomes the value of an operand or
// attribute.
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;
using mlir::tblgen::Operator;

namespace recur {

/// Replaces each `$name` by the adaptor's accessor. Returns true after an error.
static bool expandNames(const Operator &op, StringRef check, std::string &code) {
  while (!check.empty()) {
    auto [before, rest] = check.split('$');
    code += before;
    if (before.size() == check.size())
      return false;
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    bool isKnown = false;
    for (int i = 0, e = op.getNumArgs(); i != e; ++i)
      isKnown |= op.getArgName(i) == name;
    if (!isKnown) {
      llvm::PrintError(&op.getDef(), "expected a rule about operands and attributes, but got '" + name + "'");
      return true;
    }
    code += "adaptor." + op.getGetterName(name) + "()";
    check = rest.drop_front(name.size());
  }
  return false;
}

bool emitOpRules(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by recur-tblgen -gen-ov-op-rules.\n";
  for (const Record *def : records.getAllDerivedDefinitions("OV_Op")) {
    Operator op(def);
    os << "\nllvm::LogicalResult " << op.getCppClassName() << "::checkRules(const Report &report, Adaptor adaptor) {\n";
    unsigned number = 0;
    for (const Record *rule : def->getValueAsListOfDefs("rules")) {
      ++number;
      StringRef check = rule->getValueAsString("check");
      if (check.empty())
        continue;
      std::string code;
      if (expandNames(op, check, code))
        return true;
      os << "  // C" << number << ". " << rule->getValueAsString("text") << "\n  if (failed(" << code
         << "))\n    return llvm::failure();\n";
    }
    os << "  return llvm::success();\n}\n";
  }
  return false;
}

} // namespace recur
