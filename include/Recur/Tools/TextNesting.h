// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TextNesting.h - Text that is nested too deeply -----------*- C++ -*-===//
//
// The parsers of MLIR text and of JSON are recursive: a text of many opening brackets, which anyone can write, would
// use up the stack. So text is checked before it is parsed.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_TEXTNESTING_H
#define RECUR_TOOLS_TEXTNESTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>

namespace recur {

/// The most brackets that are open at once, and the most signs in an expression, in a text that is parsed. Recur's own
/// text has some dozens: bodies are nested at most 64 deep.
inline constexpr unsigned kMaxNesting = 512;

/// The offset at which a text of MLIR or of JSON exceeds kMaxNesting, or nullopt. Strings and comments do not count.
std::optional<size_t> findDeepNesting(llvm::StringRef text);

/// The same as an error "FILE:LINE:COLUMN: ...", for a text of MLIR from a file.
llvm::Error checkNesting(llvm::MemoryBufferRef text);

/// Replaces the standard input of a language server by a copy without the messages that are nested too deeply, or whose
/// strings, such as the text of a document, are. Such a message is told on standard error and left out. A thread copies
/// the messages until the input ends.
void leaveOutDeepMessages();

} // namespace recur

#endif // RECUR_TOOLS_TEXTNESTING_H
