// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShapeFaults.h - Messages of shape faults -----------------*- C++ -*-===//
//
// Messages of shape faults that both conversions report.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_SHAPEFAULTS_H
#define RECUR_CONVERSION_SHAPEFAULTS_H

#include "llvm/ADT/StringRef.h"

namespace recur {

/// The message of the shape fault of two dims that differ, none of which is 1.
inline constexpr llvm::StringLiteral kDoNotBroadcast = "dims {0} and {1} do not broadcast";

} // namespace recur

#endif // RECUR_CONVERSION_SHAPEFAULTS_H
