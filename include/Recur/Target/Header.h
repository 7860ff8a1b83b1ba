// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Header.h - the C header of a compiled model --------------*- C++ -*-===//
#ifndef RECUR_TARGET_HEADER_H
#define RECUR_TARGET_HEADER_H

#include "Recur/Target/ModelDescription.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// C99 and C++: a table of the tensors, the shared types, and the functions. Two of them fit one file.
void emitHeader(llvm::raw_ostream &os, const ModelDescription &model);

/// The text of ABI.h.
llvm::StringRef abiHeaderText();

} // namespace recur

#endif // RECUR_TARGET_HEADER_H
