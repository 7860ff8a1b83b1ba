// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.cpp - The weights file and its constants -------------------===//
//
// Opens the weights file on demand, and creates and examines the attributes of constants.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "SourceText.h"
#include "TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult Weights::open(std::string &problem) {
  if (buffer)
    return success();
  if (std::exchange(hasFailed, true))
    return failure();
  if (path.empty()) {
    problem = "the model has constants, but no weights file is given";
    return failure();
  }
  auto fail = [&](const llvm::Twine &why) {
    problem = ("cannot read the weights file " + quotedPath(path) + ": " + why).str();
    return failure();
  };
  // Only a regular file is opened: opening a pipe would block until somebody writes to it.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return fail(error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return fail("not a regular file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(file.getError().message());
  // Weights may be any bytes, so this asks only for texts that stand in for a file.
  StringRef text = (*file)->getBuffer().take_front(64);
  if (text.starts_with("version https://git-lfs"))
    return fail("it is a pointer of Git LFS; fetch the file by: git lfs pull");
  if (text.ltrim().starts_with_insensitive("<!doctype html"))
    return fail("it is an HTML page, perhaps of a download that failed");
  buffer = std::move(*file);
  hasFailed = false;
  return success();
}

std::string Weights::getFileName() const { return llvm::sys::path::filename(path).str(); }

ov::WeightsFileAttr Weights::describe(MLIRContext *context) const {
  StringRef bytes = getBytes();
  return ov::WeightsFileAttr::get(context, getFileName(), bytes.size(),
                                  llvm::xxh3_64bits(ArrayRef(bytes.bytes_begin(), bytes.bytes_end())));
}

/// True if a constant of this type is a dense attribute. Elements of few bits count as f32: that is what models convert
/// them to, and a dense constant can be converted only while the result is dense too.
static bool isDense(RankedTensorType type) {
  uint64_t bytes = std::max<uint64_t>(getStoredBytes(type.getElementType()), sizeof(float));
  return uint64_t(type.getNumElements()) <= ov::kMaxDenseBytes / bytes;
}

TypedAttr Weights::getConstant(uint64_t offset, RankedTensorType type, std::optional<ov::PackedFormat> format) {
  uint64_t bytes = uint64_t(type.getNumElements()) * getStoredBytes(type.getElementType());
  if (format) {
    MLIRContext *context = type.getContext();
    auto step = ov::UnpackStepAttr::get(context, *format, DenseI64ArrayAttr::get(context, type.getShape()));
    int64_t stored = ov::UnpackStepAttr::countBytes(*format, type.getNumElements());
    auto raw = RankedTensorType::get(stored, IntegerType::get(context, 8, IntegerType::Unsigned));
    if (!isDense(type)) {
      referred = true;
      return ov::WeightsAttr::get(offset, raw).append(step);
    }
    std::vector<char> unpacked(bytes);
    if (stored != 0)
      step.apply(raw, ArrayRef(getBytes().data() + offset, stored), {}, unpacked);
    return makeDense(StringRef(unpacked.data(), bytes), type);
  }
  if (isDense(type))
    return makeDense(getBytes().substr(offset, bytes), type);
  referred = true;
  return ov::WeightsAttr::get(offset, type);
}

DenseElementsAttr recur::ir::makeDense(StringRef bytes, RankedTensorType type) {
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (type.getElementType().isInteger(1)) {
    // A boolean is stored as a byte; every value but 0 is true.
    auto values = llvm::map_to_vector<64>(bytes, [](char c) { return c != 0; });
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef(bytes.data(), bytes.size()));
}

TypedAttr recur::ir::extractColumns(TypedAttr value, int64_t start, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  auto result = RankedTensorType::get({type.getDimSize(0), count}, type.getElementType());
  if (auto weights = dyn_cast<ov::WeightsAttr>(value))
    return weights.append(ov::ExtractStepAttr::get(value.getContext(), /*axis=*/1, start, count));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return {};
  SmallVector<Attribute> elements;
  auto values = dense.getValues<Attribute>();
  for (int64_t row = 0; row != type.getDimSize(0); ++row)
    for (int64_t column = start; column != start + count; ++column)
      elements.push_back(values[row * type.getDimSize(1) + column]);
  return DenseElementsAttr::get(result, elements);
}

bool recur::ir::isZero(TypedAttr value, StringRef weights) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return llvm::all_of(dense.getRawData(), [](char c) { return c == 0; });
  auto reference = dyn_cast<ov::WeightsAttr>(value);
  // Bits of 0 need not mean the number 0 in packed elements.
  if (!reference || llvm::any_of(reference.getLayout(), llvm::IsaPred<ov::UnpackStepAttr>))
    return false;
  RankedTensorType stored = reference.getStored();
  StringRef bytes = weights.substr(reference.getOffset(),
                                   uint64_t(stored.getNumElements()) * getStoredBytes(stored.getElementType()));
  return llvm::all_of(bytes, [](char c) { return c == 0; });
}
