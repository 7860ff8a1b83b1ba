// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Header.h - the C header of a compiled model --------------*- C++ -*-===//
//
// Users of a compiled model include this header in their C or C++ code. `ir-compile --header` writes it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_HEADER_H
#define RECUR_TARGET_HEADER_H

#include "Recur/Target/ModelDescription.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// Prints the header of a model, for C99 and C++: a comment that lists the tensors, the types of ABI.h and
/// EntryPoints.h, the functions, and what weights outside of the object need. One file can include the headers of
/// several models.
void emitHeader(llvm::raw_ostream &os, const ModelDescription &model);

/// The text of ABI.h and of EntryPoints.h, which are embedded in the library, and of Weights.h and MapWeights.h as far
/// as a program needs them for weights of this source, and of Profile.h for a model with a profile.
std::string abiHeaderText(WeightsSource source, bool hasProfile);

} // namespace recur

#endif // RECUR_TARGET_HEADER_H
