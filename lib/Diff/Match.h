// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Match.h - Which op of a module is which of another -------*- C++ -*-===//
//
// Pairs the ops of two modules. Ops come from layers, whose names are in the locations; text that was printed without
// locations has none. An optimizer keeps some names and invents others. So names decide first, and then the structure.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIFF_MATCH_H
#define RECUR_LIB_DIFF_MATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace recur::diff {

/// The public names of the arguments or of the results of a function; empty where there is none.
llvm::SmallVector<llvm::StringRef> getArgumentNames(mlir::func::FuncOp function);
llvm::SmallVector<llvm::StringRef> getResultNames(mlir::func::FuncOp function);

/// Pairs entries of two lists of names: equal names first, and then those that are left, in order. An entry of the
/// result is a position in `before` and one in `after`.
llvm::SmallVector<std::pair<unsigned, unsigned>> matchNames(llvm::ArrayRef<llvm::StringRef> before,
                                                            llvm::ArrayRef<llvm::StringRef> after);

/// The pairs of ops and values of two modules.
class Matching {
public:
  Matching(mlir::ModuleOp before, mlir::ModuleOp after);

  /// The counterpart of an op, of either module, or null.
  mlir::Operation *lookup(mlir::Operation *op) const { return ops.lookup(op); }
  /// The counterpart of a value of the first module, or null.
  mlir::Value lookup(mlir::Value value) const { return values.lookup(value); }

private:
  struct BlockPair {
    mlir::Block *before, *after;
  };

  void matchValues(mlir::ValueRange before, mlir::ValueRange after,
                   llvm::ArrayRef<std::pair<unsigned, unsigned>> pairs);
  void match(mlir::Operation *before, mlir::Operation *after);
  void matchBlocks(mlir::Block &before, mlir::Block &after);
  void matchByName(BlockPair pair, bool sameOperation);
  bool matchByOperands(BlockPair pair, bool sameAttributes);
  bool matchByUsers(BlockPair pair);
  bool matchByAttributes(BlockPair pair);
  bool matchOnly(BlockPair pair);

  llvm::DenseMap<mlir::Operation *, mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  /// Blocks whose ops are to be paired, from the outermost to the innermost.
  std::vector<BlockPair> blocks;
  llvm::DenseSet<std::pair<mlir::Block *, mlir::Block *>> blockPairs;
  /// The terminators of the functions, whose operands are paired by the names of the results.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::pair<unsigned, unsigned>>> results;
};

} // namespace recur::diff

#endif // RECUR_LIB_DIFF_MATCH_H
