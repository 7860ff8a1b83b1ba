// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SourceText.h - Places in the XML and reports about them --*- C++ -*-===//
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

/// A byte of the XML.
using Offset = size_t;

/// The XML as it was read, which must outlive this, to turn byte offsets into line and column.
class SourceText {
public:
  SourceText(llvm::StringRef text, llvm::StringRef path, mlir::MLIRContext *context);
  mlir::FileLineColLoc locate(Offset offset) const;
  mlir::MLIRContext *getContext() const { return file.getContext(); }

private:
  /// What is true at the start of every `blockSize` bytes, so that neither many lines nor long ones are slow.
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

/// An error on its way out, to which notes can be added. Converts to failure.
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
  /// For where nothing is to be returned.
  void emit() {}

private:
  const SourceText *source = nullptr;
  std::optional<mlir::InFlightDiagnostic> diagnostic;
};

/// Where all errors and warnings of an import go. Every message ends with a stable id in brackets.
class Reports {
public:
  Reports(const SourceText &source, unsigned limit) : source(source), limit(limit) {}
  Report error(Offset where, llvm::StringRef id, const llvm::Twine &message);
  void warning(Offset where, llvm::StringRef id, const llvm::Twine &message);
  bool failed() const { return errors != 0; }
  unsigned countErrors() const { return errors; }
  /// True when further errors would not be shown.
  bool full() const { return errors >= limit; }
  const SourceText &getSource() const { return source; }

private:
  const SourceText &source;
  unsigned limit, errors = 0, warnings = 0;
};

/// Text of the file, made fit for a message: quoted, without control characters, cut where it is long.
std::string quoted(llvm::StringRef text);

/// The same without quotes.
std::string shown(llvm::StringRef text);

/// A path, quoted and whole: cut, it could not be opened.
std::string quotedPath(llvm::StringRef path);

/// "; did you mean 'x'?" where a candidate is near, else "".
std::string didYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

/// "1, 2 and 3", at most a dozen of them.
std::string listed(llvm::ArrayRef<std::string> words);

/// Decimal integers, whole and in range.
std::optional<int64_t> parseInteger(llvm::StringRef text);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_SOURCETEXT_H
