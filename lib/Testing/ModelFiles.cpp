// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelFiles.cpp - models as files, to be mutated --------------------===//

#include "Recur/Testing/ModelFiles.h"

#include "Npy.h"
#include "Random.h"
#include "Recur/Testing/Generator.h"
#include "Recur/Testing/Reduce.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace recur::fuzz {

/// The contents of a file; empty if it cannot be read.
static std::string readFile(const llvm::Twine &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

/// The values of the attribute `type` of all layers.
static llvm::StringSet<> findOps(llvm::StringRef xml) {
  llvm::StringSet<> ops;
  static constexpr llvm::StringLiteral mark = " type=\"";
  for (size_t at = 0; (at = xml.find(mark, at)) != llvm::StringRef::npos;) {
    at += mark.size();
    ops.insert(xml.substr(at).take_until([](char c) { return c == '"'; }));
  }
  return ops;
}

llvm::Error Corpus::addFolder(llvm::StringRef folder) {
  // The order of the paths, and not that of the folder's entries, decides which file a seed picks.
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()) == "model.xml")
      found.push_back(llvm::sys::path::parent_path(entry->path()).str());
  if (error)
    return llvm::createStringError("cannot read the folder '" + folder + "': " + error.message());
  if (found.empty())
    return llvm::createStringError("the folder '" + folder + "' has no model.xml");
  llvm::sort(found);
  for (const std::string &path : found) {
    // A large model takes too long, for each of many mutants.
    std::string xml = readFile(path + "/model.xml");
    uint64_t bytes = 0;
    if (xml.size() > 1 << 16 || (!llvm::sys::fs::file_size(path + "/model.bin", bytes) && bytes > 1 << 18))
      continue;
    for (const auto &op : findOps(xml))
      byOp[op.getKey().str()].push_back(folders.size());
    folders.push_back(path);
  }
  return llvm::Error::success();
}

/// The array in a file of NumPy, or nullopt if it cannot be read.
static std::optional<Tensor> readTensor(const std::string &path) {
  npy_array array = {};
  char message[NPY_MESSAGE_BYTES];
  void *data = nullptr, *block = nullptr;
  if (npy_read(path.c_str(), &array, &data, &block, message) != 0)
    return std::nullopt;
  Tensor tensor(recur_element_type(array.element_type), llvm::ArrayRef(array.shape, array.rank));
  llvm::copy(llvm::ArrayRef(static_cast<const char *>(data), array.bytes), tensor.getBytes().begin());
  std::free(block);
  return tensor;
}

/// A model of the generator that has the operation, and little else.
static ModelFile generateWith(llvm::StringRef op, Random &random) {
  static const std::vector<llvm::StringRef> ops = getOperations();
  auto place = llvm::find(ops, op);
  uint64_t first = place == ops.end() ? random.below(ops.size()) : place - ops.begin();
  Model model;
  for (unsigned tries = 0; tries != 8; ++tries) {
    model = generate(first + ops.size() * uint64_t(random.below(1000)));
    if (model.countOps().count(op.str()))
      break;
  }
  if (random.chance(80))
    model = keepOp(std::move(model), op);
  ModelFile file;
  model.print(file.xml, file.bin);
  file.inputs = model.getInputs();
  return file;
}

ModelFile Corpus::pick(llvm::StringRef op, Random &random) const {
  auto found = byOp.find(op.str());
  if (found == byOp.end() || random.chance(40))
    return generateWith(op, random);
  const std::string &folder = folders[random.pick(found->second)];
  ModelFile file = {readFile(folder + "/model.xml"), readFile(folder + "/model.bin"), {}};
  while (std::optional<Tensor> input = readTensor(folder + "/in_" + std::to_string(file.inputs.size()) + ".npy"))
    file.inputs.push_back(std::move(*input));
  return file;
}

} // namespace recur::fuzz
