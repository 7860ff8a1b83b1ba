// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVToLinalg.h - From ov to linalg on tensors --------------*- C++ -*-===//
//
// The parts of convert-ov-to-linalg that other code may reuse: the type converter for storage types, and the two sets
// of patterns. One set retypes ops of all dialects, the other lowers the ov ops.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOLINALG_H
#define RECUR_CONVERSION_OVTOLINALG_H

#include "mlir/Transforms/DialectConversion.h"

namespace recur {

/// Converts element types to storage types, which memory holds. In shaped types, i1 becomes i8 and uiN becomes iN.
/// Scalars of type uiN become iN; scalars of type i1 stay.
class StorageTypeConverter : public mlir::TypeConverter {
public:
  StorageTypeConverter();
};

/// Adds patterns that give ops of other dialects converted types. Where a boolean crosses between a scalar and a tensor
/// or buffer, they convert it between i1 and i8.
void populateRetypingPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Adds patterns for all ops of the ov dialect except loops, If, cells and sequences, which earlier passes have
/// replaced. With `inOrder`, convolutions and products add in the same order whatever the number of positions
/// and rows is. Without `kernels`, no convolution becomes an `rt.convolution`.
void populateOVToLinalgPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns, bool inOrder,
                                bool kernels);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOLINALG_H
