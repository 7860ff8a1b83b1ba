// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Registration.h - Dialects and passes that tools know -----*- C++ -*-===//
#ifndef RECUR_REGISTRATION_H
#define RECUR_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur {
/// The dialects that a module may hold anywhere between import and LLVM, with the interfaces the pipelines need.
void registerDialects(mlir::DialectRegistry &registry);
/// Recur's passes, its pipelines, and the upstream passes that its pipelines are made of, for `ir-opt`.
void registerPasses();
} // namespace recur

#endif // RECUR_REGISTRATION_H
