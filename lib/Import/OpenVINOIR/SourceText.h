// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SourceText.h - Places in the XML and reports about them --*- C++ -*-===//
//
// The importer keeps places as byte offsets, which cost nothing, and turns them into lines and columns only for a
// diagnostic or the location of an op. Texts of the file that appear in messages pass through the functions below,
// because a file may contain anything.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_SOURCETEXT_H
#define RECUR_LIB_IMPORT_OPENVINOIR_SOURCETEXT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <vector>

namespace recur::ir {

/// A place in the XML: an offset in bytes.
using Offset = size_t;

/// Turns offsets in the XML into lines and columns. The text must outlive this object.
class SourceText {
public:
  SourceText(llvm::StringRef text, llvm::StringRef path, mlir::MLIRContext *context);
  /// The line and the column of the byte at `offset`, both from 1. An offset beyond the text means its end.
  mlir::FileLineColLoc locate(Offset offset) const;
  mlir::MLIRContext *getContext() const { return file.getContext(); }

private:
  /// The line of the first byte of a block of `blockSize` bytes, and where that line starts. With one checkpoint for
  /// each block, `locate` only counts lines within a block, so many lines and long lines are fast.
  struct Checkpoint {
    unsigned line;
    Offset lineStart;
  };
  static constexpr size_t blockSize = 4096;

  llvm::StringRef text;
  mlir::StringAttr file;
  std::vector<Checkpoint> checkpoints;
};

class Reports;

/// An error to which notes can be added. The destructor emits it. It converts to failure and to nullopt, so that a
/// function can return it.
class [[nodiscard]] Report {
public:
  Report() = default;
  Report(const SourceText &source, mlir::InFlightDiagnostic diagnostic)
      : source(&source), diagnostic(std::move(diagnostic)) {}
  Report &note(Offset where, const llvm::Twine &message);
  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T>
  operator llvm::FailureOr<T>() const {
    return llvm::failure();
  }
  template <typename T>
  operator std::optional<T>() const {
    return std::nullopt;
  }
  /// Marks in the code that the report is not returned. The destructor emits the error.
  void emit() {}

private:
  const SourceText *source = nullptr;
  std::optional<mlir::InFlightDiagnostic> diagnostic;
};

/// Receives all errors and warnings of an import, and counts them. Every message ends with a stable id in brackets.
/// After `limit` errors the others are only counted, and so are the warnings after `limit` warnings. `reportsAll` says
/// whether the import goes on after errors (ImportOptions).
class Reports {
public:
  Reports(const SourceText &source, unsigned limit, bool reportsAll)
      : source(source), limit(limit), reportsAll(reportsAll) {}
  Report error(Offset where, llvm::StringRef id, const llvm::Twine &message);
  void warning(Offset where, llvm::StringRef id, const llvm::Twine &message);
  /// True if an error was reported.
  bool failed() const { return errors != 0; }
  /// True if the import ends here, because an error was reported.
  bool stops() const { return failed() && !reportsAll; }
  bool goesOn() const { return reportsAll; }
  unsigned countErrors() const { return errors; }
  /// Runs `action` as an attempt: nothing that it reports is shown or counted.
  void attempt(llvm::function_ref<void()> action) {
    unsigned before = errors;
    bool wasMuted = std::exchange(isMuted, true);
    action();
    isMuted = wasMuted;
    errors = before;
  }
  /// True if further errors would not be shown.
  bool full() const { return errors >= limit; }
  const SourceText &getSource() const { return source; }

private:
  const SourceText &source;
  unsigned limit, errors = 0, warnings = 0;
  bool reportsAll, isMuted = false;
};

/// A text of the file for a message: quoted, with control characters escaped, and cut after 64 bytes.
std::string quoted(llvm::StringRef text);

/// The same without quotes.
std::string shown(llvm::StringRef text);

/// A path for a message, quoted and with control characters escaped. It is not cut, because a user may want to copy it.
std::string quotedPath(llvm::StringRef path);

/// "; did you mean 'x'?" with the candidate that is most similar to `word`, or "" if none is similar.
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

/// The words as "1, 2 and 3". After twelve words, the rest is a number: "... and 5 more".
std::string listed(llvm::ArrayRef<std::string> words);

/// The value of a decimal integer, with spaces around it ignored. Nullopt if the text is not an integer, or if it is
/// out of the range of int64_t.
std::optional<int64_t> parseInteger(llvm::StringRef text);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_SOURCETEXT_H
