// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CMakeFolder.h - a compiled model for a CMake project -----*- C++ -*-===//
//
// Such a folder is for projects that get a compiled model and do not have Recur.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_CMAKEFOLDER_H
#define RECUR_TARGET_CMAKEFOLDER_H

#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace recur {

/// Writes the folder `path`: a static library with `object`, the header of `model`, and a CMakeLists.txt that makes a
/// target of them with the name of the model. If there is such a folder of this model, or an empty one, it is replaced;
/// fails if there is anything else. The folder is written completely or not at all. An error message contains the path.
/// `weights` are the packed weights; if they are not in the object, the folder has them as `model.weightsFile`, and the
/// property RECUR_WEIGHTS_FILE of the target is their path.
llvm::Error writeCMakeFolder(llvm::StringRef path, llvm::ArrayRef<char> object, const ModelDescription &model,
                             llvm::ArrayRef<uint8_t> weights);

} // namespace recur

#endif // RECUR_TARGET_CMAKEFOLDER_H
