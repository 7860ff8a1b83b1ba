// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Limits.h - limits of models and of the tools that call them -*- C -*-===//
//
// C99. The file is compiled into the tools, and also into the programs of ir-run --aot.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LIMITS_H
#define RECUR_TARGET_LIMITS_H

/// The most dims of a tensor of a model. The tools read and write no tensors of more.
#define RECUR_MAX_RANK 32

#endif /* RECUR_TARGET_LIMITS_H */
