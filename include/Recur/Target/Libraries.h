// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libraries.h - libraries made of a model's object ---------*- C++ -*-===//
//
// Build systems without a rule for objects of others take a library instead.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LIBRARIES_H
#define RECUR_TARGET_LIBRARIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace recur {

/// Makes the bytes of a static library: an archive whose only member is `object`, under the name `modelName`.o, and a
/// table of its symbols. Equal objects give equal libraries.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> makeStaticLibrary(llvm::ArrayRef<char> object,
                                                                      llvm::StringRef modelName);

/// Links `object`, whose symbols checkObject has accepted, into the bytes of a shared library. It exports the global
/// symbols of the object and nothing else, and no symbol is left undefined: the library names those of C and of
/// mathematics that it needs. `soname` is the name by which programs find it. Fails if there is no C compiler
/// (runSystemCompiler), or if it cannot link.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> linkSharedLibrary(llvm::ArrayRef<char> object,
                                                                      llvm::StringRef soname);

} // namespace recur

#endif // RECUR_TARGET_LIBRARIES_H
