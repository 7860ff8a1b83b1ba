// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CapturedValues.h - What a new function takes from its caller -------===//
#ifndef RECUR_LIB_TRANSFORMS_CAPTUREDVALUES_H
#define RECUR_LIB_TRANSFORMS_CAPTUREDVALUES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {

/// True for an op that only makes views of memory, so that it can be repeated.
inline bool isView(mlir::Operation *op) {
  return op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<mlir::MemRefType>);
}

/// The values that ops use which have moved to a new function. `builder` inserts into its entry block.
class CapturedValues {
public:
  CapturedValues(mlir::OpBuilder &builder, mlir::Block &entry) : builder(builder), entry(entry) {}

  /// The value of the caller in the function. Constants and views are made again, so that the function knows strides
  /// and sizes. Any other value becomes an argument.
  mlir::Value get(mlir::Value value) {
    using namespace mlir;
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !(isView(op) || op->hasTrait<OpTrait::ConstantLike>())) {
      captures.push_back(value);
      Value argument = entry.addArgument(value.getType(), entry.getArgument(0).getLoc());
      map.map(value, argument);
      return argument;
    }
    for (Value operand : op->getOperands())
      (void)get(operand);
    builder.clone(*op, map);
    return map.lookup(value);
  }

  /// The values that became arguments, in their order.
  mlir::ArrayRef<mlir::Value> getArguments() const { return captures; }

  /// Where each value is in the function.
  mlir::IRMapping map;

private:
  mlir::OpBuilder &builder;
  mlir::Block &entry;
  mlir::SmallVector<mlir::Value> captures;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CAPTUREDVALUES_H
