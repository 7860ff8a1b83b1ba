// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVToLinalg.h - From ov to linalg on tensors --------------*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOLINALG_H
#define RECUR_CONVERSION_OVTOLINALG_H

#include "mlir/Transforms/DialectConversion.h"

namespace recur {

/// Retypes the elements of shaped types to what memory holds: i1 to i8, uiN to iN. Unsigned scalars become signless;
/// scalars of type i1 stay.
class StorageTypeConverter : public mlir::TypeConverter {
public:
  StorageTypeConverter();
};

/// Patterns that give any op converted types, and enter and leave i1 where an op crosses between scalars and tensors.
void populateRetypingPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Patterns for all ops of the ov dialect but loops and cells.
void populateOVToLinalgPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOLINALG_H
