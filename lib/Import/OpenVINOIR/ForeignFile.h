// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForeignFile.h - Files that are no OpenVINO IR ------------*- C++ -*-===//
//
// Users take wrong files by mistake. Those that are often taken are recognised, so that an error can say what to do.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_FOREIGNFILE_H
#define RECUR_LIB_IMPORT_OPENVINOIR_FOREIGNFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace recur::ir {

/// Says what a file is that is surely no XML, by its first bytes, and what to do: "an ONNX model; convert it by ...".
/// `path` is the path of the file. Empty if the file may be XML.
std::string describeForeignFile(llvm::StringRef bytes, llvm::StringRef path);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_FOREIGNFILE_H
