// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpInterfaces.h - Interface methods that ops share --------*- C++ -*-===//
//
// ODS declares these methods in each op's class; what they do is the same for all.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_OPINTERFACES_H
#define RECUR_LIB_DIALECT_OV_IR_OPINTERFACES_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// True if each inferred type may stand for the actual one.
inline bool areAllCompatible(mlir::TypeRange inferred, mlir::TypeRange actual) {
  return inferred.size() == actual.size() && llvm::all_of(llvm::zip_equal(inferred, actual), [](auto pair) {
           return areCompatible(std::get<0>(pair), std::get<1>(pair));
         });
}

/// What an op that may fail writes.
inline void addFaultEffect(
    bool canFault,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (canFault)
    effects.emplace_back(mlir::MemoryEffects::Write::get(), FaultResource::get());
}

} // namespace recur::ov

/// Effects and speculatability of an op with the trait OV_Faulting.
#define RECUR_OV_FAULT_INTERFACES(OP)                                                                                  \
  void OP::getEffects(                                                                                                 \
      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {                \
    addFaultEffect(canFault(), effects);                                                                               \
  }                                                                                                                    \
  mlir::Speculation::Speculatability OP::getSpeculatability() {                                                        \
    return canFault() ? mlir::Speculation::NotSpeculatable : mlir::Speculation::Speculatable;                          \
  }

/// Compatibility of types of an OV_InferOp.
#define RECUR_OV_COMPATIBLE_TYPES(OP)                                                                                  \
  bool OP::isCompatibleReturnTypes(mlir::TypeRange inferred, mlir::TypeRange actual) {                                 \
    return areAllCompatible(inferred, actual);                                                                         \
  }

#endif // RECUR_LIB_DIALECT_OV_IR_OPINTERFACES_H
