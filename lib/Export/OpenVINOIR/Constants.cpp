// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Constants.cpp - The weights file that is written -------------------===//

#include "Constants.h"

#include "Recur/Compiler/PackWeights.h"
#include "Recur/Import/TypeNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// Constants of at least this many bytes begin at a multiple of it, because readers map the file into memory.
static constexpr uint64_t kMappedAlignment = 64;

std::optional<ov::PackedFormat> recur::ir::getPackedFormat(Attribute value) {
  auto weights = dyn_cast<ov::WeightsAttr>(value);
  if (!weights || weights.getLayout().size() != 1)
    return std::nullopt;
  auto unpack = dyn_cast<ov::UnpackStepAttr>(weights.getLayout().front());
  return unpack ? std::optional(unpack.getFormat()) : std::nullopt;
}

/// The elements of a dense constant as the weights file stores them. A boolean is a byte.
static std::vector<char> getElements(DenseElementsAttr dense) {
  std::vector<char> bytes;
  if (dense.getElementType().isInteger(1)) {
    bytes.assign(dense.value_begin<bool>(), dense.value_end<bool>());
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  for (int64_t i = 0, count = dense.isSplat() ? dense.getNumElements() : 1; i != count; ++i)
    llvm::append_range(bytes, raw);
  return bytes;
}

/// The alignment of a constant of this many bytes, which must not depend on anything else, so that constants of
/// different types can share them: at least that of its elements.
static uint64_t getAlignment(uint64_t bytes) { return bytes >= kMappedAlignment ? kMappedAlignment : bytes & -bytes; }

WeightsRange ConstantWriter::append(ArrayRef<char> bytes) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  uint64_t offset = llvm::alignTo(end, getAlignment(bytes.size()));
  auto [place, inserted] = offsets.try_emplace({hash.low64, hash.high64, bytes.size()}, offset);
  if (inserted) {
    os.write_zeros(offset - end);
    os.write(bytes.data(), bytes.size());
    end = offset + bytes.size();
  }
  return {place->second, bytes.size()};
}

llvm::Expected<WeightsRange> ConstantWriter::write(Attribute value, bool isPacked) {
  if (auto found = known[isPacked].find(value); found != known[isPacked].end())
    return found->second;
  std::vector<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    bytes = getElements(dense);
  } else {
    auto weights = cast<ov::WeightsAttr>(value);
    if (isPacked)
      weights = ov::WeightsAttr::get(weights.getOffset(), weights.getStored());
    RankedTensorType type = weights.getTensorType();
    bytes.resize(type.getNumElements() * getStoredBytes(type.getElementType()));
    if (llvm::Error error = packConstant(weights, file, bytes))
      return error;
  }
  // OpenVINO reads no constant of no bytes.
  if (bytes.empty())
    bytes.push_back(0);
  WeightsRange range = append(bytes);
  known[isPacked][value] = range;
  return range;
}
