// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferLifetimes.cpp - Lifetimes of buffers -------------------------===//
//
// A lifetime is an interval of op numbers in program order. Buffers whose lifetimes do not overlap may share bytes of
// the workspace.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/BufferLifetimes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace recur;

ProgramOrder::ProgramOrder(Operation *root) {
  int64_t next = 0;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ranges[op] = {next, next}, ++next; });
  root->walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t &end = ranges[op].second;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          end = std::max(end, ranges.lookup(&block.back()).second);
  });
}

std::optional<int64_t> ProgramOrder::getNumber(Operation *op) const {
  auto it = ranges.find(op);
  return it == ranges.end() ? std::nullopt : std::optional(it->second.first);
}

llvm::SetVector<Value> recur::findAliases(Value buffer) {
  llvm::SetVector<Value> aliases;
  auto insert = [&](auto values) {
    for (Value value : values)
      if (isa<BaseMemRefType>(value.getType()))
        aliases.insert(value);
  };
  aliases.insert(buffer);
  for (size_t i = 0; i < aliases.size(); ++i) {
    for (Operation *user : aliases[i].getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>())
        user = user->getParentOp();
      insert(user->getResults());
      for (Region &region : user->getRegions())
        insert(region.getArguments());
    }
  }
  return aliases;
}

/// Returns the ancestor of `op` (or `op` itself) whose block also contains `other`, directly or nested. `loop` becomes
/// the outermost loop among the ancestors on the way there, if there is one.
static Operation *climb(Operation *op, Operation *other, Operation *&loop) {
  while (!op->getBlock()->findAncestorOpInBlock(*other)) {
    op = op->getParentOp();
    if (isa<LoopLikeOpInterface>(op))
      loop = op;
  }
  return op;
}

Lifetime ProgramOrder::getLifetime(memref::AllocOp alloc) const {
  Lifetime lifetime;
  auto extend = [&](Operation *op) {
    auto [first, last] = ranges.lookup(op);
    lifetime.extend(first, last);
  };
  for (Value alias : findAliases(alloc)) {
    for (Operation *user : alias.getUsers()) {
      // Views and ops that read dims do not access the contents.
      if (isMemoryEffectFree(user) && !user->hasTrait<OpTrait::IsTerminator>())
        continue;
      Operation *range = user, *left = nullptr;
      Operation *ancestor = climb(user, alloc, range);
      // A buffer that is used outside the loop it is allocated in is taken to live in the whole loop.
      climb(alloc, ancestor, left);
      extend(range);
      if (left)
        extend(left);
    }
  }
  // A buffer that nothing accesses needs a place all the same.
  if (lifetime.end < 0)
    extend(alloc);
  return lifetime;
}
