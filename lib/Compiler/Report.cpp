// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.cpp - what a compilation made -------------------------------===//
//
// The lines are for people, and easy to find for scripts: each begins with its subject and a colon.
//
//===----------------------------------------------------------------------===//
#include "Recur/Compiler/Report.h"

#include "Recur/Target/ABI.h"
#include "Recur/Target/ObjectFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace recur;

void recur::printTensors(raw_ostream &os, StringRef kind, ArrayRef<TensorDescription> tensors) {
  for (auto [index, tensor] : enumerate(tensors)) {
    os << kind << " " << index << ": " << describeType(tensor) << " ";
    // A name comes from a file, and may have any bytes.
    printEscapedString(tensor.name, os);
    os << "\n";
  }
}

/// The bytes of stack that the functions of the interface need at most, besides those that they call. They keep
/// tensors, dims and bytes of what a call reads and writes (ABIShim.c).
static uint64_t countInterfaceStack(const ModelDescription &description) {
  // Frames of functions that check and make messages, and alignment.
  constexpr uint64_t fixed = 1024;
  uint64_t most = 0;
  for (const EntryDescription *entry : description.getEntries()) {
    uint64_t inputs = entry->getInputs().size(), outputs = entry->getOutputs().size(),
             states = entry->getStates().size(), dims = 0;
    for (ArrayRef<TensorDescription> tensors : {entry->getOutputs(), entry->getStates()})
      for (const TensorDescription &tensor : tensors)
        dims += tensor.dims.size();
    uint64_t tensors = states ? inputs + outputs + 3 * states : 0;
    most = std::max(most, sizeof(recur_tensor) * (tensors + 2) + sizeof(int64_t) * (dims + inputs + outputs + 3) +
                              outputs + 1);
  }
  return fixed + most;
}

std::vector<std::pair<StringRef, std::string>> recur::describeProduct(const CompiledModel &model, bool isObject) {
  const ModelDescription &description = model.description;
  std::vector<std::pair<StringRef, std::string>> facts;
  auto bytes = [](uint64_t count) { return std::to_string(count) + " bytes"; };
  facts.push_back({"target", model.triple});
  facts.push_back({"least CPU", model.cpu + (model.cpuFeatures.empty() ? "" : " (" + model.cpuFeatures + ")")});
  facts.push_back({"levels", join(model.levels, ", ")});
  if (isObject) {
    if (Expected<ObjectFacts> object = readObjectFacts(model.output)) {
      facts.push_back({"code", bytes(object->codeBytes)});
      facts.push_back({"constants", bytes(object->constantBytes)});
      facts.push_back({"undefined symbols", object->undefined.empty() ? "none" : join(object->undefined, ", ")});
    } else {
      consumeError(object.takeError()); // checkObject has accepted it.
    }
    facts.push_back({"stack", bytes(model.stackBytes + countInterfaceStack(description))});
  }
  facts.push_back(
      {"weights", bytes(description.weightsBytes) + (description.weightsFile.empty() ? "" : ", not in the object")});
  facts.push_back({"workspace", description.workspaceBytes < 0 ? "depends on the inputs"
                                                               : bytes(uint64_t(description.workspaceBytes))});
  return facts;
}

void recur::printReport(raw_ostream &os, const CompiledModel &model, bool isObject, ArrayRef<WrittenFile> files) {
  const ModelDescription &description = model.description;
  os << "model: " << description.name << "\n";
  printTensors(os, "input", description.getInputs());
  printTensors(os, "output", description.getOutputs());
  printTensors(os, "state", description.getStates());
  for (const auto &[subject, fact] : describeProduct(model, isObject))
    os << subject << ": " << fact << "\n";
  double total = 0;
  os << "time:";
  for (const StageTime &time : model.times) {
    os << formatv(" {0} {1:F3} s,", time.stage, time.seconds);
    total += time.seconds;
  }
  os << formatv(" all {0:F3} s\n", total);
  for (const WrittenFile &file : files) {
    ArrayRef bytes(reinterpret_cast<const uint8_t *>(file.bytes.data()), file.bytes.size());
    os << "SHA-256: " << toHex(SHA256::hash(bytes), /*LowerCase=*/true) << " " << file.path << "\n";
  }
}
