// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WorkspacePlan.cpp - Which buffers may share bytes ------------------===//
//
// Offsets of buffers with dynamic sizes are not known, so a plan is an order: which buffer is below which. It comes
// from placing the buffers with the sizes of one sample. Several orders of placement are tried for each sample. The
// best plan is the one whose worst sample is closest to the lower bound (getPeak).
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/WorkspacePlan.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace recur;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t recur::getPeak(ArrayRef<PlannedBuffer> buffers, unsigned sample) {
  // A buffer that ends at an op is still alive when another one begins there.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  for (const PlannedBuffer &buffer : buffers) {
    changes.push_back({2 * buffer.lifetime.begin, buffer.bytes[sample]});
    changes.push_back({2 * buffer.lifetime.end + 1, -buffer.bytes[sample]});
  }
  llvm::sort(changes);
  int64_t alive = 0, peak = 0;
  for (auto &[when, bytes] : changes)
    peak = std::max(peak, alive += bytes);
  return peak;
}

int64_t WorkspacePlan::getBytes(ArrayRef<PlannedBuffer> buffers, unsigned sample) const {
  SmallVector<int64_t> ends(buffers.size());
  int64_t bytes = 0;
  for (unsigned i : order) {
    int64_t start = 0;
    for (unsigned other : below[i])
      start = std::max(start, ends[other]);
    ends[i] = start + buffers[i].bytes[sample];
    bytes = std::max(bytes, ends[i]);
  }
  return bytes;
}

/// For each buffer, the buffers that are alive at the same time.
static SmallVector<SmallVector<unsigned>> findConflicts(ArrayRef<PlannedBuffer> buffers) {
  SmallVector<SmallVector<unsigned>> conflicts(buffers.size());
  SmallVector<unsigned> byBegin(buffers.size());
  std::iota(byBegin.begin(), byBegin.end(), 0);
  llvm::sort(byBegin, [&](unsigned a, unsigned b) {
    return std::pair(buffers[a].lifetime.begin, a) < std::pair(buffers[b].lifetime.begin, b);
  });
  SmallVector<unsigned> alive;
  for (unsigned i : byBegin) {
    llvm::erase_if(alive, [&](unsigned other) { return buffers[other].lifetime.end < buffers[i].lifetime.begin; });
    for (unsigned other : alive) {
      conflicts[i].push_back(other);
      conflicts[other].push_back(i);
    }
    alive.push_back(i);
  }
  return conflicts;
}

/// Places the buffers in this order, each at the lowest offset that is free, with the sizes of one sample. Returns
/// their offsets. With `fixedBelow`, buffers of dynamic sizes are above those of static sizes.
static SmallVector<int64_t> placeLow(ArrayRef<PlannedBuffer> buffers, ArrayRef<SmallVector<unsigned>> conflicts,
                                     ArrayRef<unsigned> order, unsigned sample, bool fixedBelow) {
  SmallVector<int64_t> starts(buffers.size(), -1);
  for (unsigned i : order) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    int64_t start = 0;
    for (unsigned other : conflicts[i]) {
      if (starts[other] < 0)
        continue;
      int64_t end = starts[other] + buffers[other].bytes[sample];
      taken.push_back({starts[other], end});
      // No buffer of a dynamic size is below one of a static size.
      if (fixedBelow && !buffers[i].isFixed && buffers[other].isFixed)
        start = std::max(start, end);
    }
    llvm::sort(taken);
    for (auto &[from, to] : taken) {
      if (from >= start + buffers[i].bytes[sample])
        break;
      start = std::max(start, to);
    }
    starts[i] = start;
  }
  return starts;
}

/// Derives from offsets which buffers are below which, for all sizes. Keeps only the direct neighbours.
static WorkspacePlan makePlan(ArrayRef<PlannedBuffer> buffers, ArrayRef<SmallVector<unsigned>> conflicts,
                              ArrayRef<int64_t> starts, bool fixedBelow) {
  WorkspacePlan plan;
  plan.order.resize(buffers.size());
  plan.below.resize(buffers.size());
  std::iota(plan.order.begin(), plan.order.end(), 0);
  auto getKey = [&](unsigned i) { return std::tuple(fixedBelow && !buffers[i].isFixed, starts[i], i); };
  llvm::sort(plan.order, [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
  SmallVector<unsigned> rank(buffers.size());
  for (auto [position, i] : llvm::enumerate(plan.order))
    rank[i] = position;
  SmallVector<llvm::BitVector> reached(buffers.size());
  for (unsigned i : plan.order) {
    reached[i].resize(buffers.size());
    SmallVector<unsigned> candidates;
    llvm::copy_if(conflicts[i], std::back_inserter(candidates), [&](unsigned j) { return rank[j] < rank[i]; });
    llvm::sort(candidates, [&](unsigned a, unsigned b) { return rank[a] > rank[b]; });
    for (unsigned j : candidates) {
      if (reached[i].test(j))
        continue;
      plan.below[i].push_back(j);
      reached[i] |= reached[j];
      reached[i].set(j);
    }
  }
  return plan;
}

WorkspacePlan recur::planWorkspace(ArrayRef<PlannedBuffer> buffers, bool share) {
  SmallVector<unsigned> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  if (!share) {
    // One after the other. Static sizes come first, so that their offsets are constants.
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(!buffers[a].isFixed, a) < std::pair(!buffers[b].isFixed, b);
    });
    WorkspacePlan plan{order, SmallVector<SmallVector<unsigned>>(buffers.size())};
    for (unsigned i = 1; i < order.size(); ++i)
      plan.below[order[i]].push_back(order[i - 1]);
    return plan;
  }
  SmallVector<SmallVector<unsigned>> conflicts = findConflicts(buffers);
  unsigned numSamples = buffers.empty() ? 0 : buffers.front().bytes.size();
  bool anyVaries = llvm::any_of(buffers, [](const PlannedBuffer &buffer) { return !buffer.isFixed; });
  SmallVector<int64_t> peaks;
  for (unsigned sample = 0; sample < numSamples; ++sample)
    peaks.push_back(std::max<int64_t>(getPeak(buffers, sample), 1));
  // The keys by which buffers are ordered before they are placed. A buffer with many bytes and a long lifetime is
  // hardest to place.
  auto bySize = [&](unsigned i, unsigned sample) {
    return std::pair(-buffers[i].bytes[sample], buffers[i].lifetime.begin);
  };
  auto byArea = [&](unsigned i, unsigned sample) {
    return std::pair<double, int64_t>(-double(buffers[i].bytes[sample]) *
                                          (buffers[i].lifetime.end - buffers[i].lifetime.begin + 1),
                                      buffers[i].lifetime.begin);
  };
  auto byBegin = [&](unsigned i, unsigned sample) {
    return std::pair(buffers[i].lifetime.begin, -buffers[i].bytes[sample]);
  };

  WorkspacePlan best;
  double bestRatio = 0;
  auto consider = [&](unsigned sample, bool fixedBelow, auto getKey) {
    SmallVector<unsigned> tried = order;
    llvm::sort(tried, [&](unsigned a, unsigned b) {
      return std::tuple(fixedBelow && !buffers[a].isFixed, getKey(a, sample), a) <
             std::tuple(fixedBelow && !buffers[b].isFixed, getKey(b, sample), b);
    });
    WorkspacePlan plan =
        makePlan(buffers, conflicts, placeLow(buffers, conflicts, tried, sample, fixedBelow), fixedBelow);
    double ratio = 0;
    for (unsigned other = 0; other < numSamples; ++other)
      ratio = std::max(ratio, double(plan.getBytes(buffers, other)) / peaks[other]);
    // Constant offsets make better code, so a plan without them must save some bytes.
    if (!fixedBelow)
      ratio *= 1.05;
    if (best.order.empty() || ratio < bestRatio) {
      best = std::move(plan);
      bestRatio = ratio;
    }
  };
  for (bool fixedBelow : {true, false}) {
    if (!fixedBelow && !anyVaries)
      continue;
    for (unsigned sample = 0; sample < (anyVaries ? numSamples : std::min(numSamples, 1u)); ++sample) {
      consider(sample, fixedBelow, bySize);
      consider(sample, fixedBelow, byArea);
      consider(sample, fixedBelow, byBegin);
    }
  }
  return best;
}
