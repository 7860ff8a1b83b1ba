// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.cpp - What the passes have decided about a model -----------===//
//
// MLIR gives each remark to the streamer of its context. The one of this file appends them to a list.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Remarks.h"

#include "Recur/Dialect/OV/IR/LayerName.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace recur;

StringRef recur::stringifyRemarkKind(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return "passed";
  case RemarkKind::Missed:
    return "missed";
  case RemarkKind::Analysis:
    return "analysis";
  }
  llvm_unreachable("unknown kind of remark");
}

StringRef Remark::getLayer() const { return getLayerName(loc); }

unsigned Remark::getLine() const {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  return place ? place.getLine() : 0;
}

llvm::Expected<RemarkFilter> RemarkFilter::parse(StringRef text) {
  // MLIR compares the expression with the whole name.
  std::string all = ".*";
  if (text.empty() || text == "all")
    return RemarkFilter{all, all, all};
  if (text == "passed")
    return RemarkFilter{all, "", ""};
  if (text == "missed")
    return RemarkFilter{"", all, ""};
  if (text == "analysis")
    return RemarkFilter{"", "", all};
  if (std::string error; !llvm::Regex(text).isValid(error))
    return llvm::createStringError(
        "expected all, passed, missed, analysis or a regular expression of passes, but got '" + text + "': " + error);
  std::string passes = (".*(" + text + ").*").str();
  return RemarkFilter{passes, passes, passes};
}

static RemarkKind getKind(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return RemarkKind::Passed;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return RemarkKind::Missed;
  default:
    return RemarkKind::Analysis;
  }
}

namespace {
/// Appends remarks to a list.
class Lister final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Lister(std::vector<Remark> &list) : list(list) {
    for (const Remark &remark : list)
      known.insert(getKey(remark));
  }

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Remark entry{getKind(remark), remark.getCategoryName().str(), remark.getRemarkName().str(), remark.getLocation(),
                 ""};
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      entry.text += entry.text.empty() ? "" : ", ";
      // Upstream's passes give numbers with a key.
      if (arg.key != "Remark" && arg.key != "Reason")
        entry.text += arg.key + "=";
      entry.text += arg.val;
    }
    if (known.insert(getKey(entry)).second)
      list.push_back(std::move(entry));
  }

private:
  /// Equal for equal remarks. A pattern may refuse the same op several times.
  static std::string getKey(const Remark &remark) {
    uintptr_t place = reinterpret_cast<uintptr_t>(remark.loc.getAsOpaquePointer());
    return (stringifyRemarkKind(remark.kind) + " " + remark.pass + " " + remark.name + " " + Twine(place) + " " +
            remark.text)
        .str();
  }

  std::vector<Remark> &list;
  llvm::StringSet<> known;
};
} // namespace

RemarkScope::RemarkScope(MLIRContext *context, const RemarkFilter &filter, std::vector<Remark> &list)
    : context(context) {
  auto optional = [](const std::string &text) { return text.empty() ? std::nullopt : std::optional(text); };
  remark::RemarkCategories categories{std::nullopt, optional(filter.passed), optional(filter.missed),
                                      optional(filter.analysis), std::nullopt};
  LogicalResult enabled = remark::enableOptimizationRemarks(
      *context, std::make_unique<Lister>(list), std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  // It fails for a streamer that cannot write its file.
  assert(succeeded(enabled));
  (void)enabled;
}

RemarkScope::~RemarkScope() { context->setRemarkEngine(nullptr); }
