// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lengths.h - Lengths of lists that follow from the graph --*- C++ -*-===//
//
// The rank of many results is the length of a list: a target shape, axes, coordinates. The dialect needs to know it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_LENGTHS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_LENGTHS_H

#include "ModelBuilder.h"

namespace recur::ir {

/// Gives lists of unknown length among `operands` the length that follows from the layer: from the ranks of the data
/// and of the other lists, from the number of output ports, or from the rank that the output port declares. A call with
/// a list of another length is a fault.
llvm::LogicalResult tellLengths(LayerBuilder &layer, llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_LENGTHS_H
