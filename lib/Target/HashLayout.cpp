// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HashLayout.cpp - what code expects of its weights ------------------===//
//
// A pass may do anything with the values of constants: fold them, choose another algorithm, or give two equal ones one
// place. All of this is in the code. So the layout of weights is a hash of the code, and no pass has to say what it has
// looked at.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/ModelModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace recur {

static void describe(raw_ostream &os, StringRef kind, ArrayRef<TensorDescription> tensors) {
  os << kind << ' ' << tensors.size() << '\n';
  for (const TensorDescription &tensor : tensors) {
    os << tensor.name.size() << ' ' << tensor.name << ' ' << int(tensor.elementType);
    for (int64_t dim : tensor.dims)
      os << ' ' << dim;
    os << '\n';
  }
}

uint64_t hashLayout(const Module &code, const ModelDescription &model) {
  SmallString<0> text;
  raw_svector_ostream os(text);
  os << model.weightsBytes << '\n';
  for (const EntryDescription *entry : model.getEntries()) {
    describe(os, "inputs", entry->inputs);
    describe(os, "outputs", entry->outputs);
  }
  std::unique_ptr<Module> copy = CloneModule(code);
  copy->setSourceFileName("");
  StripDebugInfo(*copy);
  WriteBitcodeToFile(*copy, os);
  // 0 says that there is no layout.
  return std::max<uint64_t>(xxh3_64bits(arrayRefFromStringRef(text)), 1);
}

} // namespace recur
