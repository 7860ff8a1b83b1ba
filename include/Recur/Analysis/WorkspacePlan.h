// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkspacePlan.h - Which buffers may share bytes ----------*- C++ -*-===//
//
// The sizes of buffers may be known only at run time, so a plan cannot consist of offsets. It consists of an order: for
// each buffer, the buffers that are below it. The offsets follow from this order for all sizes. The functions work on
// numbers only and do not look at IR.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_WORKSPACEPLAN_H
#define RECUR_ANALYSIS_WORKSPACEPLAN_H

#include "Recur/Analysis/BufferLifetimes.h"

namespace recur {

/// A buffer that needs a place in the workspace.
struct PlannedBuffer {
  Lifetime lifetime;
  /// The size for each sample, in bytes. A sample is a set of assumed values for dynamic sizes; all entries are equal
  /// if the size is static. Plans need sizes that are rounded up to the alignment.
  llvm::SmallVector<int64_t> bytes;
  /// True if the size is static.
  bool isFixed;
};

/// The most bytes that are alive at once, with the sizes of one sample. No plan needs less.
int64_t getPeak(llvm::ArrayRef<PlannedBuffer> buffers, unsigned sample);

/// A plan says for each buffer which buffers are below it. A buffer begins at the greatest end of those below it. So
/// buffers that are alive at the same time do not overlap, whatever their sizes are.
struct WorkspacePlan {
  /// The numbers of all buffers. A buffer comes after those that are below it.
  llvm::SmallVector<unsigned> order;
  /// For each buffer, the buffers directly below it.
  llvm::SmallVector<llvm::SmallVector<unsigned>> below;

  /// The bytes of workspace that the plan needs, with the sizes of one sample.
  int64_t getBytes(llvm::ArrayRef<PlannedBuffer> buffers, unsigned sample) const;
};

/// Makes a plan that needs few bytes in all samples. Unless `share` is set, no buffers share bytes.
WorkspacePlan planWorkspace(llvm::ArrayRef<PlannedBuffer> buffers, bool share);

} // namespace recur

#endif // RECUR_ANALYSIS_WORKSPACEPLAN_H
