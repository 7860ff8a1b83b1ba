// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelFile.cpp - a compiled model as bytes --------------------------===//
//
// A header, the packed weights, and the object, with a hash of all of it.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/ModelFile.h"

using namespace mlir;
using namespace recur;

namespace {

/// The start of a file. The weights follow, at a multiple of RECUR_ALIGNMENT, and then the object up to the end.
struct alignas(RECUR_ALIGNMENT) Header {
  char magic[8];
  uint64_t weightsBytes, objectBytes;
  ContentHash key;
  /// The hash of the key, the weights and the object.
  ContentHash content;
};

constexpr char magic[8] = {'R', 'E', 'C', 'U', 'R', 'J', 'I', '1'};

} // namespace

static StringRef toText(ArrayRef<char> bytes) { return StringRef(bytes.data(), bytes.size()); }
static StringRef toText(ArrayRef<uint8_t> bytes) {
  return StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

static ContentHash hashContent(const ContentHash &key, StringRef weights, StringRef object) {
  FieldHasher hasher;
  hasher.add(toText(ArrayRef<uint8_t>(key)));
  hasher.add(weights);
  hasher.add(object);
  return hasher.result();
}

bool recur::isModelFile(StringRef bytes) { return bytes.starts_with(StringRef(magic, sizeof(magic))); }

FailureOr<CompiledModel> recur::readModelFile(StringRef bytes, const ContentHash &key) {
  Header header;
  if (!isModelFile(bytes) || bytes.size() < sizeof(header))
    return failure();
  std::memcpy(&header, bytes.data(), sizeof(header));
  StringRef rest = bytes.drop_front(sizeof(header));
  if (header.key != key || header.weightsBytes > rest.size() || rest.size() - header.weightsBytes != header.objectBytes)
    return failure();
  StringRef weights = rest.take_front(header.weightsBytes), object = rest.drop_front(header.weightsBytes);
  if (header.content != hashContent(key, weights, object))
    return failure();
  CompiledModel result;
  result.output.assign(object.begin(), object.end());
  llvm::Expected<MutableArrayRef<char>> packed = result.allocateWeights(weights.size());
  if (!packed) {
    llvm::consumeError(packed.takeError());
    return failure();
  }
  llvm::copy(weights, packed->begin());
  return result;
}

void recur::writeModelFile(llvm::raw_ostream &os, const ContentHash &key, const CompiledModel &model) {
  StringRef weights = toText(model.weights), object = toText(ArrayRef<char>(model.output));
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.weightsBytes = weights.size();
  header.objectBytes = object.size();
  header.key = key;
  header.content = hashContent(key, weights, object);
  os.write(reinterpret_cast<const char *>(&header), sizeof(header));
  os << weights << object;
}
