// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopDims.cpp - Dims that are the same in every iteration -----------===//
//
// A pass that moves a tensor out of a loop, or puts parts together, needs to know that a dim is the same in every
// iteration. For a carried value this is proved by induction over the iterations.
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

SteadyDims::SteadyDims(LoopOp loop) : loop(loop) {
  auto getType = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  // Assume that all dynamic dims of carried values stay the same. Give up each dim for which the next value disagrees,
  // until nothing changes: what remains is proved by induction.
  auto args = loop.getCarriedArgs();
  for (BlockArgument arg : args)
    for (int64_t d = 0; d < getType(arg).getRank(); ++d)
      if (getType(arg).isDynamicDim(d))
        steady.insert({arg, d});
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [arg, init, next] : llvm::zip_equal(args, loop.getInitArgs(), loop.getYield().getNext()))
      for (int64_t d = 0; d < getType(arg).getRank(); ++d)
        if (steady.contains({arg, d})) {
          MaybeDim first = get(init, d), then = get(next, d);
          if (first && first == then)
            continue;
          steady.erase({arg, d});
          forget();
          changed = true;
        }
  }
}

DimSource::MaybeDim SteadyDims::getOfArgument(BlockArgument argument, int64_t dim) {
  if (argument.getOwner() != loop.getBodyBlock())
    return std::nullopt;
  for (auto [slice, input] : llvm::zip_equal(loop.getSliceArgs(), loop.getSliced()))
    if (slice == argument)
      return get(input, dim);
  for (auto [carried, init] : llvm::zip_equal(loop.getCarriedArgs(), loop.getInitArgs()))
    if (carried == argument && steady.contains({argument, dim}))
      return get(init, dim);
  return std::nullopt;
}
