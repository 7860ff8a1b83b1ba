// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Check.h - All errors of a model in one run ---------------*- C++ -*-===//
//
// Finds out whether the compiler takes a model, without compiling it, and reports every error that does not follow from
// another.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_CHECK_H
#define RECUR_COMPILER_CHECK_H

#include "Recur/Compiler/Summary.h"
#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace recur {

/// Options of checkModel.
struct CheckOptions {
  /// How the model is read. `maxReports` and `reportsAll` have no effect here.
  ImportOptions reading;
  /// The most errors that are shown, and the most warnings; 0: all.
  uint64_t maxErrors = 20;
  /// True: the stages up to linalg also run on the model, because each may refuse what the import takes.
  bool lowers = true;
};

/// The result of checkModel.
struct CheckResult {
  /// All errors and warnings, shown or not.
  uint64_t errors = 0, warnings = 0;
  /// The size of a model that was read without errors, as it is in the file.
  LayerCounts size;
};

/// Reads the model at `path` (see readModel) and checks it. `context` has the dialects of all stages. The diagnostics
/// are printed on `os`, with the lines of the file that they are about. A stage only runs on a model without errors.
CheckResult checkModel(llvm::StringRef path, const CheckOptions &options, mlir::MLIRContext *context,
                       llvm::raw_ostream &os);

} // namespace recur

#endif // RECUR_COMPILER_CHECK_H
