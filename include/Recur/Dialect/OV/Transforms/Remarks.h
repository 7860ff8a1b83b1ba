// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.h - How passes report their decisions ------------*- C++ -*-===//
//
// A pass says what it did to a layer, or why it did not, by MLIR's remarks. The category of a remark is the name of the
// pass on the command line, and its name is the decision. docs/generated/Remarks.md lists them, from the calls of these
// functions, so the pass, the name and the format are literals there.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_TRANSFORMS_REMARKS_H
#define RECUR_DIALECT_OV_TRANSFORMS_REMARKS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace recur {

/// True if somebody asks for remarks. A pass asks first if a remark says what the pass does not compute otherwise.
inline bool wantsRemarks(mlir::MLIRContext *context) { return context->getRemarkEngine() != nullptr; }

/// A layer in a remark: its name in quotes, or "another op" if it has none.
struct QuotedLayer {
  mlir::Location loc;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const QuotedLayer &layer);

/// Sizes of loops or dims in a remark, such as `4 x 16`. A size that only the call tells is `?`.
struct JoinedSizes {
  explicit JoinedSizes(llvm::ArrayRef<int64_t> sizes) : sizes(sizes) {}

  llvm::SmallVector<int64_t> sizes;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const JoinedSizes &sizes);

/// Reports that `pass` has done something to the layer at `loc`. `format` and `args` are those of llvm::formatv. The
/// text is made only if somebody asks for it.
template <typename... Args>
void remarkPassed(mlir::Location loc, llvm::StringRef pass, llvm::StringRef name, const char *format,
                  const Args &...args) {
  if (auto remark = mlir::remark::passed(loc, mlir::remark::RemarkOpts::name(name).category(pass)))
    remark << mlir::remark::add(format, args...);
}

/// Reports that `pass` has not done what it is for, and why.
template <typename... Args>
void remarkMissed(mlir::Location loc, llvm::StringRef pass, llvm::StringRef name, const char *format,
                  const Args &...args) {
  if (auto remark = mlir::remark::missed(loc, mlir::remark::RemarkOpts::name(name).category(pass)))
    remark << mlir::remark::reason(format, args...);
}

/// Reports what `pass` has found out, without having had a choice.
template <typename... Args>
void remarkAnalysis(mlir::Location loc, llvm::StringRef pass, llvm::StringRef name, const char *format,
                    const Args &...args) {
  if (auto remark = mlir::remark::analysis(loc, mlir::remark::RemarkOpts::name(name).category(pass)))
    remark << mlir::remark::add(format, args...);
}

/// Makes each refusal of a rewriter, by notifyMatchFailure, a remark with its reason.
class RefusalRemarks final : public mlir::RewriterBase::Listener {
public:
  RefusalRemarks(llvm::StringRef pass, llvm::StringRef name) : pass(pass), name(name) {}

  void notifyMatchFailure(mlir::Location loc, llvm::function_ref<void(mlir::Diagnostic &)> reason) override {
    if (!wantsRemarks(loc.getContext()))
      return;
    mlir::Diagnostic diagnostic(loc, mlir::DiagnosticSeverity::Remark);
    reason(diagnostic);
    remarkMissed(loc, pass, name, "{0}", diagnostic.str());
  }

private:
  llvm::StringRef pass, name;
};

} // namespace recur

#endif // RECUR_DIALECT_OV_TRANSFORMS_REMARKS_H
