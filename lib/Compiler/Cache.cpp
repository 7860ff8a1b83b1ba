// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cache.cpp - compiled models in a folder ----------------------------===//
//
// An entry is one file: a header, the packed weights, and the object. It is written to a temporary file and renamed, so
// that no process sees a part of it. A reader copies it and checks its hash, so nothing in the folder can make a model
// compute something else by accident. It cannot protect from someone who may write to the folder and computes the hash.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Cache.h"

#include "Recur/Target/ObjectFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace recur;

namespace {

using Hash = llvm::BLAKE3Result<32>;

/// The start of an entry. The weights follow, at a multiple of RECUR_ALIGNMENT, and then the object up to the end.
struct alignas(RECUR_ALIGNMENT) Header {
  char magic[8];
  uint64_t weightsBytes, objectBytes;
  /// The key of the entry.
  Hash key;
  /// The hash of the key, the weights and the object.
  Hash content;
};

constexpr char magic[8] = {'R', 'E', 'C', 'U', 'R', 'J', 'I', '1'};

/// A hash of fields. Each is preceded by its length, so that no two lists of fields are the same bytes.
class Hasher {
public:
  void add(StringRef field) {
    uint64_t size = field.size();
    hasher.update(ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hasher.update(field);
  }
  void addNumber(uint64_t number) { add(StringRef(reinterpret_cast<const char *>(&number), sizeof(number))); }
  Hash result() { return hasher.final<32>(); }

private:
  llvm::BLAKE3 hasher;
};

} // namespace

static StringRef toText(ArrayRef<char> bytes) { return StringRef(bytes.data(), bytes.size()); }
static StringRef toText(ArrayRef<uint8_t> bytes) {
  return StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// The contents of a file, or null.
static std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path) {
  // A pipe would never end.
  if (!llvm::sys::fs::is_regular_file(path))
    return nullptr;
  // A volatile file is copied, not mapped: another process may shorten it.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true, llvm::Align(RECUR_ALIGNMENT));
  return buffer ? std::move(*buffer) : nullptr;
}

/// The key of a model. It has the bytes of this program, because two builds of one version may compile differently.
/// Fails if they cannot be read.
static FailureOr<Hash> makeKey(const Model &model, StringRef text, ArrayRef<std::string> shapes,
                               const CompileOptions &options, const llvm::TargetMachine &machine) {
  static int here;
  std::unique_ptr<llvm::MemoryBuffer> program = readFile(llvm::sys::fs::getMainExecutable(nullptr, &here));
  if (!program)
    return failure();
  Hasher hasher;
  hasher.add(program->getBuffer());
  hasher.add(LLVM_VERSION_STRING);
  hasher.add(text);
  hasher.add(model.weights ? model.weights->getBuffer() : StringRef());
  hasher.addNumber(model.weights != nullptr);
  hasher.addNumber(shapes.size());
  for (const std::string &shape : shapes)
    hasher.add(shape);
  hasher.add(options.name);
  hasher.addNumber(options.entries.size());
  for (Entry entry : options.entries)
    hasher.addNumber(uint64_t(entry));
  hasher.addNumber(options.optimize);
  hasher.addNumber(options.checkTimeLoops);
  hasher.addNumber(options.gangWork);
  hasher.addNumber(uint64_t(options.weightsPrecision));
  hasher.addNumber(uint64_t(options.precision));
  hasher.addNumber(options.target.optLevel);
  hasher.add(machine.getTargetTriple().str());
  hasher.add(machine.getTargetCPU());
  hasher.add(machine.getTargetFeatureString());
  return hasher.result();
}

static Hash hashContent(const Hash &key, StringRef weights, StringRef object) {
  Hasher hasher;
  hasher.add(toText(ArrayRef<uint8_t>(key)));
  hasher.add(weights);
  hasher.add(object);
  return hasher.result();
}

/// Reads an entry. Fails if there is none, or if it is not exactly what was written for `key`.
static FailureOr<CompiledModel> readEntry(StringRef path, const Hash &key) {
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(path);
  Header header;
  if (!file || file->getBufferSize() < sizeof(header))
    return failure();
  std::memcpy(&header, file->getBufferStart(), sizeof(header));
  StringRef rest = file->getBuffer().drop_front(sizeof(header));
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 || header.key != key || header.weightsBytes > rest.size() ||
      rest.size() - header.weightsBytes != header.objectBytes)
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

static llvm::Error writeEntry(StringRef path, const Hash &key, const CompiledModel &compiled) {
  StringRef weights = toText(compiled.weights), object = toText(ArrayRef<char>(compiled.output));
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.weightsBytes = weights.size();
  header.objectBytes = object.size();
  header.key = key;
  header.content = hashContent(key, weights, object);
  return writeProduct(path, [&](llvm::raw_ostream &os) {
    os.write(reinterpret_cast<const char *>(&header), sizeof(header));
    os << weights << object;
    return llvm::Error::success();
  });
}

llvm::Expected<CompiledModel> recur::compileCached(Model &model, StringRef text, ArrayRef<std::string> shapes,
                                                   const CompileOptions &options, StringRef folder,
                                                   llvm::function_ref<void(llvm::Error)> warn) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  FailureOr<Hash> key = makeKey(model, text, shapes, options, **machine);
  SmallString<128> path(folder);
  if (succeeded(key)) {
    llvm::sys::path::append(path, llvm::toHex(*key, /*LowerCase=*/true) + ".model");
    FailureOr<CompiledModel> found = readEntry(path, *key);
    if (succeeded(found))
      return std::move(*found);
  }
  llvm::Expected<CompiledModel> compiled = compile(model, options, EmitKind::Object, WeightsPlacement::External);
  if (!compiled)
    return compiled;
  if (failed(key))
    warn(llvm::createStringError("the cache is not used: the program cannot read itself"));
  else if (std::error_code code = llvm::sys::fs::create_directories(folder, true, llvm::sys::fs::owner_all))
    warn(llvm::createStringError(code, "cannot create the folder '" + folder + "': " + code.message()));
  else if (llvm::Error error = writeEntry(path, *key, *compiled))
    warn(std::move(error));
  return compiled;
}
