// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Words.h - numbers and counts as text ---------------------*- C++ -*-===//
//
// The words that the text and the page have in common.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_WORDS_H
#define RECUR_LIB_EXPLAIN_WORDS_H

#include "Recur/Explain/Explanation.h"

namespace recur {

/// A number with a prefix of 1000 and a unit, such as "1.97 MFLOP".
std::string spellNumber(double number, llvm::StringRef unit);

/// A time, such as "12.3 us".
std::string spellSeconds(double seconds);

/// Layers by their number, the most frequent first, such as "4 Add".
std::vector<std::string> spellLayers(const CountsByType &layers);

/// The operations and bytes of an iteration, outside of its loops, such as "1.2 kFLOP, 4.1 kB of weights",
/// and behind a semicolon those of all iterations of a call, if their number is known. Empty if nothing is known.
std::string spellWork(const ExplainedBody &body);

/// The bytes that an iteration reads of slices, and those that it writes into states and results. Empty for a loop
/// without them. Tensors with a dim that is not known are left out, and "at least" says so.
std::string spellTraffic(const ExplainedLoop &loop);

/// A sentence on how the loops changed between the text of the file and the object.
std::string spellChange(const Explanation &explanation);

/// The remarks about layers of a body, without those of loops in it.
std::vector<const ExplainedRemark *> findRemarks(const Explanation &explanation, const ExplainedLoop &loop);

/// The remarks that findRemarks finds for no loop.
std::vector<const ExplainedRemark *> findOtherRemarks(const Explanation &explanation);

/// The first of several remarks of one decision, and the number of layers that they are about.
struct RemarkGroup {
  const ExplainedRemark *first;
  size_t count;
};

/// The remarks in their order. More than a few of one decision are a group; any other one stands alone.
std::vector<RemarkGroup> groupRemarks(llvm::ArrayRef<const ExplainedRemark *> remarks);

/// "at 12 layers, such as" for a group of several layers, "at" for one.
std::string spellLayersOf(const RemarkGroup &group);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_WORDS_H
