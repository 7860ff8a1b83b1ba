// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PreProcess.h - Means of an input in old models -----------*- C++ -*-===//
//
// A model of an old Model Optimizer may have a `<pre-process>` element: a mean for each channel of one input, which is
// subtracted from the input. A mean is a number, or an image in the weights file.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_PREPROCESS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_PREPROCESS_H

#include "ModelBuilder.h"
#include "XML.h"

namespace recur::ir {

/// Reads a `<pre-process>` element. Reports errors, and warns about scales, which are not applied.
PreProcess readPreProcess(XML &xml, pugi::xml_node node);

/// The index of the Parameter that the element is for. Without a name, it is the first one of rank 4, or the first one.
/// Reports an error if no Parameter has the name.
mlir::FailureOr<unsigned> findPreProcessed(const PreProcess &preProcess, const Graph &graph,
                                           llvm::ArrayRef<mlir::Value> parameters, Reports &reports);

/// The value of the Parameter `layer` less its means. Reports an error and returns null if they do not fit.
mlir::Value subtractMeans(const PreProcess &preProcess, LayerBuilder &layer, mlir::Value input);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_PREPROCESS_H
