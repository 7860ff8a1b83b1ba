// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelFiles.h - models as files, to be mutated ---------------*- C++ -*-===//
//
// `ir-fuzz --mutate-files` changes files that can be imported, so that most of them no longer can. The files come from
// the generator, and from folders.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_MODELFILES_H
#define RECUR_TESTING_MODELFILES_H

#include "Recur/Testing/Model.h"
#include "llvm/Support/Error.h"

namespace recur::fuzz {

class Random;

/// The two files of a model, and inputs to call it with.
struct ModelFile {
  std::string xml, bin;
  /// The inputs of a call, as far as they are known. They may not fit the model.
  std::vector<Tensor> inputs;
};

/// Writes a directory with model.xml, model.bin and in_<i>.npy. Returns false if a file cannot be written.
bool writeModel(const ModelFile &file, llvm::StringRef directory);

/// The files that mutants are made of.
class Corpus {
public:
  /// Adds each `model.xml` below the folder that can be read, with the `model.bin` and the `in_<i>.npy` beside it.
  llvm::Error addFolder(llvm::StringRef folder);
  /// A file with the operation, if there is one: of a folder, or of the generator.
  ModelFile pick(llvm::StringRef op, Random &random) const;

private:
  /// The paths of the folders of models, and those that have an operation, by its name.
  std::vector<std::string> folders;
  std::map<std::string, std::vector<unsigned>> byOp;
};

} // namespace recur::fuzz

#endif // RECUR_TESTING_MODELFILES_H
