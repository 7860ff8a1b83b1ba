// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForeignFile.cpp - Files that are no OpenVINO IR --------------------===//
//
// Formats are known by their first bytes. ONNX has no mark, but its first field is nearly always the version of the
// format, a small number.
//
//===----------------------------------------------------------------------===//
#include "ForeignFile.h"

#include "SourceText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
using namespace recur;

/// True for a file of ONNX, a message of protobuf: field 1 is the version of the format, and one of the fields 2 to 8
/// of the model follows.
static bool isONNX(StringRef bytes) {
  static constexpr StringRef kFields = "\x12\x1a\x22\x28\x32\x3a\x42";
  return bytes.size() > 2 && bytes[0] == 8 && bytes[1] > 0 && bytes[1] < 32 && kFields.contains(bytes[2]);
}

/// The words for binary data without a format that is known. Weights are named, because they lie beside the model.
static std::string describeBinary(StringRef path) {
  if (!llvm::sys::path::extension(path).equals_insensitive(".bin"))
    return "binary data";
  llvm::SmallString<128> model(path);
  llvm::sys::path::replace_extension(model, ".xml");
  std::string words = "binary data, perhaps weights";
  return llvm::sys::fs::exists(model) ? words + "; the model beside it is " + ir::quotedPath(model) : words;
}

std::string ir::describeForeignFile(StringRef bytes, StringRef path) {
  std::string convert = "; convert it by OpenVINO's converter: ovc " + llvm::sys::path::filename(path).str();
  if (isONNX(bytes))
    return "an ONNX model" + convert;
  if (bytes.substr(4).starts_with("TFL3"))
    return "a TensorFlow Lite model" + convert;
  if (bytes.starts_with("\x93NUMPY"))
    return "an array of NumPy, which can be an input of a model";
  if (bytes.starts_with("PK\x03\x04"))
    return "a zip archive, as PyTorch and Keras write models; convert such a model in Python by "
           "openvino.convert_model and openvino.save_model";
  if (bytes.starts_with("\x89HDF"))
    return "an HDF5 file, as Keras writes models; convert such a model in Python by openvino.convert_model and "
           "openvino.save_model";
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return "an object or a library, which is compiled already";
  if (bytes.starts_with("version https://git-lfs"))
    return "a pointer of Git LFS; fetch the file by: git lfs pull";
  StringRef text = bytes.ltrim();
  if (text.starts_with_insensitive("<!doctype html") || text.starts_with_insensitive("<html"))
    return "an HTML page, perhaps of a download that failed";
  // XML in UTF-16 has zero bytes too, and an error of its own.
  bool mayBeXML = text.starts_with("<") || bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
  return !mayBeXML && bytes.take_front(512).contains('\0') ? describeBinary(path) : "";
}
