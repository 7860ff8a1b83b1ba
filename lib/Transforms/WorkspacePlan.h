// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkspacePlan.h - Which buffers may share bytes ----------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_WORKSPACEPLAN_H
#define RECUR_LIB_TRANSFORMS_WORKSPACEPLAN_H

#include "BufferLifetimes.h"

namespace recur {

/// A buffer for which a place is wanted.
struct PlannedBuffer {
  Lifetime lifetime;
  /// For each sample of what only the call tells: bytes up to the next buffer. All the same where everything is known.
  llvm::SmallVector<int64_t> bytes;
  bool isFixed;
};

/// The most bytes that are alive at once, by the sizes of one sample.
int64_t getPeak(llvm::ArrayRef<PlannedBuffer> buffers, unsigned sample);

/// A place for each buffer, such that those that are alive at once do not overlap whatever their sizes are: a buffer
/// begins where the last of those ends that are below it.
struct WorkspacePlan {
  /// All buffers; what is below one comes before it.
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<llvm::SmallVector<unsigned>> below;

  /// The end of the last buffer, by the sizes of one sample.
  int64_t getBytes(llvm::ArrayRef<PlannedBuffer> buffers, unsigned sample) const;
};

/// Plans for few bytes in all samples. With `share` unset nothing shares bytes.
WorkspacePlan planWorkspace(llvm::ArrayRef<PlannedBuffer> buffers, bool share);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_WORKSPACEPLAN_H
