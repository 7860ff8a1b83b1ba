// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.cpp - what a compilation made -------------------------------===//
//
// The lines are for people, and easy to find for scripts: each begins with its subject and a colon.
//
//===----------------------------------------------------------------------===//
#include "Recur/Compiler/Report.h"

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

void recur::printReport(raw_ostream &os, const CompiledModel &model, bool isObject, ArrayRef<WrittenFile> files) {
  const ModelDescription &description = model.description;
  os << "model: " << description.name << "\n";
  printTensors(os, "input", description.getInputs());
  printTensors(os, "output", description.getOutputs());
  printTensors(os, "state", description.getStates());
  os << "target: " << model.triple << "\nleast CPU: " << model.cpu;
  if (!model.cpuFeatures.empty())
    os << " (" << model.cpuFeatures << ")";
  os << "\nlevels: " << join(model.levels, ", ") << "\n";
  if (isObject) {
    if (Expected<ObjectFacts> facts = readObjectFacts(model.output))
      os << "code: " << facts->codeBytes << " bytes\nconstants: " << facts->constantBytes
         << " bytes\nundefined symbols: "
         << (facts->undefined.empty() ? std::string("none") : join(facts->undefined, ", ")) << "\n";
    else
      consumeError(facts.takeError()); // checkObject has accepted it.
    os << "stack: " << model.stackBytes << " bytes, without those of the interface\n";
  }
  os << "weights: " << description.weightsBytes << " bytes";
  if (!description.weightsFile.empty())
    os << ", not in the object";
  os << "\nworkspace: ";
  if (description.workspaceBytes < 0)
    os << "depends on the inputs\n";
  else
    os << description.workspaceBytes << " bytes\n";
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
