// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Registration.h - Dialects and passes that tools know -----*- C++ -*-===//
//
// A tool calls these functions once, before it reads a model or parses the names of passes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_REGISTRATION_H
#define RECUR_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur {
/// Registers the dialects that a module may contain at any stage, and the external models of the op interfaces that the
/// pipelines need.
void registerDialects(mlir::DialectRegistry &registry);
/// Registers Recur's passes, its pipelines, and the upstream passes that its pipelines contain, for `ir-opt`.
void registerPasses();
} // namespace recur

#endif // RECUR_REGISTRATION_H
