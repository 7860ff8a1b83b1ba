// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.h - What the passes have decided about a model ---*- C++ -*-===//
//
// A compilation can list what its passes did to each layer, and why they did not do more. Tools show this list.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_REMARKS_H
#define RECUR_COMPILER_REMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace recur {

/// The kinds of remarks: an optimization was made, it was not made, or a fact that decides about others.
enum class RemarkKind { Passed, Missed, Analysis };

/// The word for a kind in options and messages: `passed`, `missed` or `analysis`.
llvm::StringRef stringifyRemarkKind(RemarkKind kind);

/// A decision of a pass.
struct Remark {
  RemarkKind kind;
  /// The pass by its name on the command line of ir-opt, e.g. `rt-pack-matmuls`.
  std::string pass;
  /// The decision, e.g. `packed`. docs/generated/Remarks.md lists all.
  std::string name;
  /// The layer, or the layers that were fused. Valid as long as the context.
  mlir::Location loc;
  /// A sentence without a capital and a period, or the reason of a missed optimization.
  std::string text;

  /// The name of the layer, the first one if there are several. Empty for what belongs to no layer.
  llvm::StringRef getLayer() const;
  /// The line of the layer in the text of the model, from 1. 0 for what belongs to no line.
  unsigned getLine() const;
};

/// Which remarks a list gets: for each kind, the passes whose names have a match of the regular expression. A kind
/// without an expression has none.
struct RemarkFilter {
  std::string passed, missed, analysis;

  /// `all` (as an empty text) is everything, `passed`, `missed` and `analysis` are that kind of all passes. Any other
  /// text is a regular expression of passes, for all kinds. Fails if it is none.
  static llvm::Expected<RemarkFilter> parse(llvm::StringRef text);
};

/// Appends the remarks of a context to a list as long as it lives, each equal one once. The passes must run on one
/// thread.
class RemarkScope {
public:
  RemarkScope(mlir::MLIRContext *context, const RemarkFilter &filter, std::vector<Remark> &list);
  ~RemarkScope();
  RemarkScope(const RemarkScope &) = delete;
  RemarkScope &operator=(const RemarkScope &) = delete;

private:
  mlir::MLIRContext *context;
};

} // namespace recur

#endif // RECUR_COMPILER_REMARKS_H
