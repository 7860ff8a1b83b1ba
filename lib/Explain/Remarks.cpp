// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.cpp - the decisions of the compiler ------------------------===//
//
// A stream of MLIR's remark engine keeps each remark as text, with the layer that it is about.
//
//===----------------------------------------------------------------------===//
#include "Remarks.h"

#include "Names.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace recur;

static void add(std::vector<ExplainedRemark> &remarks, ExplainedRemark remark) {
  if (!llvm::is_contained(remarks, remark))
    remarks.push_back(std::move(remark));
}

namespace {
class Stream final : public remark::detail::MLIRRemarkStreamerBase {
public:
  Stream(std::vector<ExplainedRemark> &remarks, const llvm::SourceMgr &sources) : remarks(remarks), sources(sources) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
      text += text.empty() ? "" : "; ";
      // These keys say nothing that the text does not.
      if (argument.key != "Remark" && argument.key != "Reason")
        text += argument.key + ": ";
      text += argument.val;
    }
    if (text.empty())
      text = remark.getRemarkName().str();
    add(remarks, {getKind(remark.getRemarkType()), remark.getCategoryName().str(), remark.getRemarkName().str(),
                  findLayer(remark.getLocation(), sources), std::move(text)});
  }

private:
  static std::string getKind(llvm::remarks::Type type) {
    switch (type) {
    case llvm::remarks::Type::Passed:
      return "passed";
    case llvm::remarks::Type::Missed:
      return "missed";
    case llvm::remarks::Type::Failure:
      return "failed";
    default:
      return "analysis";
    }
  }

  std::vector<ExplainedRemark> &remarks;
  const llvm::SourceMgr &sources;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context, const llvm::SourceMgr &sources) : context(context) {
  std::string everything = ".*";
  // This fails only if the stream cannot be set up, and this one needs nothing.
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Stream>(remarks, sources),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                          {everything, everything, everything, everything, everything});
  handler = context.getDiagEngine().registerHandler([this, &sources](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure();
    add(remarks, {"analysis", "", "", findLayer(diagnostic.getLocation(), sources), diagnostic.str()});
    return success();
  });
}

RemarkCollector::~RemarkCollector() {
  context.getDiagEngine().eraseHandler(handler);
  context.setRemarkEngine(nullptr);
}
