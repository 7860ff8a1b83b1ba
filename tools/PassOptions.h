// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PassOptions.h - options that show what passes do ---------*- C++ -*-===//
//
// The options by which ir-compile and ir-run show a compilation: remarks, MLIR's options for times and printed modules,
// and the progress.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_PASSOPTIONS_H
#define RECUR_TOOLS_PASSOPTIONS_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Registration.h"
#include "Recur/Tools/ProgressLine.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace recur {

/// Options that say what a compilation tells about its passes. ir-compile and ir-run have them.
struct PassOptions {
  explicit PassOptions(llvm::cl::OptionCategory &category)
      : category(category),
        remarks("remarks", llvm::cl::ValueOptional,
                llvm::cl::desc("Print what passes did to which layer, and what they could not do (all, passed, missed, "
                               "analysis, or a regular expression of passes; default all)"),
                llvm::cl::value_desc("WHICH"), llvm::cl::cat(category)) {}

  /// Registers MLIR's own options, which `mlir::applyPassManagerCLOptions` reads. To be called in `main` before the
  /// options of other categories are hidden.
  void registerMLIROptions() {
    // The names of passes are values of these options.
    registerPasses();
    mlir::registerPassManagerCLOptions();
    mlir::registerDefaultTimingManagerCLOptions();
    for (const char *name : {"mlir-timing", "mlir-print-ir-after", "mlir-print-ir-after-all", "mlir-print-ir-before",
                             "mlir-print-ir-before-all", "mlir-print-ir-after-change", "mlir-print-ir-tree-dir"})
      getMLIROption(name)->addCategory(category);
  }

  /// Fails if --remarks has a wrong value.
  llvm::Error check() const { return RemarkFilter::parse(remarks).takeError(); }

  /// The options, for checks against others that make them useless.
  llvm::SmallVector<const llvm::cl::Option *> getOptions() const {
    return {&remarks, getMLIROption("mlir-timing"), getMLIROption("mlir-print-ir-after-all"),
            getMLIROption("mlir-print-ir-before-all")};
  }

  /// True if an option of MLIR was given. Then the passes on kernels are shown, too, which threads lower otherwise.
  bool showsPasses() const {
    return llvm::any_of(llvm::cl::getRegisteredOptions(), [](const auto &option) {
      return option.first.starts_with("mlir-") && option.second->getNumOccurrences() != 0;
    });
  }

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> remarks;

private:
  static llvm::cl::Option *getMLIROption(llvm::StringRef name) {
    llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
    assert(option && "MLIR has no such option");
    return option;
  }
};

/// Tells what PassOptions ask for while a tool compiles, and shows the progress if standard error is a terminal.
class CompilationReport {
public:
  /// `options` refers to this object from now on. `input` is the path of the model.
  CompilationReport(const PassOptions &passes, CompileOptions &options, DiagnosticPrinter &printer,
                    llvm::StringRef input)
      : printer(printer), line(llvm::errs(), llvm::sys::path::filename(input)) {
    if (passes.remarks.getNumOccurrences())
      options.remarkFilter = llvm::cantFail(RemarkFilter::parse(passes.remarks));
    if (options.report) {
      std::string &analysis = options.remarkFilter.analysis;
      analysis += (analysis.empty() ? "" : "|") + std::string("rt-plan-workspace");
    }
    if (passes.remarks.getNumOccurrences() || options.report)
      options.remarks = &remarks;
    mlir::applyDefaultTimingManagerCLOptions(timing);
    scope = timing.getRootScope();
    if (passes.showsPasses())
      options.configurePasses = [this](mlir::PassManager &pm) {
        pm.enableTiming(scope);
        return mlir::applyPassManagerCLOptions(pm);
      };
    if (!llvm::sys::Process::StandardErrIsDisplayed())
      return;
    printer.prepare = [this] { line.clear(); };
    options.progress = [this](llvm::StringRef step, unsigned done, unsigned steps) {
      line.show(step, done, steps);
      return true;
    };
  }
  ~CompilationReport() {
    finish();
    printer.prepare = nullptr;
  }

  /// Removes the progress, and prints the remarks. To be called when the compilation has ended.
  void finish() {
    line.clear();
    for (const Remark &remark : remarks)
      printer.print(remark);
    remarks.clear();
  }

private:
  DiagnosticPrinter &printer;
  std::vector<Remark> remarks;
  ProgressLine line;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope scope;
};

} // namespace recur

#endif // RECUR_TOOLS_PASSOPTIONS_H
