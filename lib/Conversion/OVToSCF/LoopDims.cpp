// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopDims.cpp - Which dims of a loop's values change ----------------===//
//
// The dims of a carried value are known before the loop if an iteration leaves the dims that it finds. This is assumed
// for all values, and then checked across the body. A value for which it does not hold may still settle: the first
// iteration changes its dims, and the others keep them. A value that does not settle is dropped, and the assumption is
// checked again, because other values may depend on it.
//
//===----------------------------------------------------------------------===//

#include "LoopDims.h"

using namespace mlir;
using namespace recur;

LoopDims recur::findLoopDims(BodyDims &bodyDims, Block::BlockArgListType args, ValueRange inits, ov::YieldOp yield) {
  LoopDims result;
  OperandRange next = yield.getNext();
  llvm::DenseSet<Value> changing;
  for (auto [arg, init] : llvm::zip_equal(args, inits)) {
    result.initial[arg] = bodyDims.getAll(init);
    bodyDims.prefer(result.initial[arg]);
  }
  auto assume = [&](const LoopDims::Map &dims) {
    for (BlockArgument arg : args)
      bodyDims.setCarried(arg, changing.contains(arg) ? BodyDims::Dims(dims.lookup(arg).size(), std::nullopt)
                                                      : dims.lookup(arg));
  };
  // The dims of the carried values after the first iteration.
  LoopDims::Map then;
  for (bool found = true; found;) {
    found = false;
    assume(result.initial);
    result.settles = false;
    for (auto [arg, value] : llvm::zip_equal(args, next)) {
      if (changing.contains(arg))
        continue;
      then[arg] = bodyDims.getAll(value);
      result.settles |= then[arg] != result.initial[arg];
      if (llvm::is_contained(then[arg], std::nullopt))
        found |= changing.insert(arg).second;
    }
    if (found || !result.settles)
      continue;
    assume(then);
    for (auto [arg, value] : llvm::zip_equal(args, next))
      if (!changing.contains(arg) && bodyDims.getAll(value) != then[arg])
        found |= changing.insert(arg).second;
  }
  for (BlockArgument arg : args)
    if (!changing.contains(arg))
      result.settled[arg] = then[arg];
  auto collect = [&](LoopDims::Map &dims) {
    for (ValueRange values : {ValueRange(yield.getLast()), ValueRange(yield.getConcat())})
      for (Value value : values)
        if (BodyDims::Dims found = bodyDims.getAll(value); !llvm::is_contained(found, std::nullopt))
          dims[value] = found;
  };
  collect(result.yielded);
  if (!result.settles)
    return result;
  LoopDims::Map initially;
  assume(result.initial);
  collect(initially);
  for (auto &[value, dims] : initially)
    if (result.yielded.lookup(value) != dims)
      result.yielded.erase(value);
  return result;
}
