// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestModel.h - models written by hand, for the tests ------*- C++ -*-===//
//
// Small models as LLVM IR text, so that tests of objects and of the ABI need no MLIR. `compileModel` makes
// an object of one.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_UNITTESTS_TARGET_TESTMODEL_H
#define RECUR_UNITTESTS_TARGET_TESTMODEL_H

#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

namespace recur {

/// A model as the MLIR pipeline would make it: the text of LLVM IR that defines recur_model_compute and
/// recur_model_sizes, and its description.
struct TestModel {
  std::string ir;
  ModelDescription description;
};

/// out[4] = a[4] + b[4] + w[4] in f32, where w are the weights. It asks for 128 bytes of workspace that it does not
/// use.
TestModel makeAddModel(std::string name = "adder");

/// out[n] = a[n] + b[n] in f32. If the lengths differ, the fault is "a and b clash: ...".
TestModel makeDynamicAddModel(std::string name = "dynamic");

/// out[v] (i32, all elements 7), where v is the value of the i64 scalar input. Only the computation reads v.
TestModel makeUnknownLengthModel(std::string name = "unknown_length");

/// out[n] = 0, 1, ..., n - 1 (i64), where n is the value of the i64 scalar input, which recur_model_sizes reads.
TestModel makeRampModel(std::string name = "ramp");

/// A model with faults of the compiler. Its computation fails without a word, and the bytes of its workspace are the
/// value of the i64 scalar input, even if that is negative.
TestModel makeFaultyModel(std::string name = "faulty");

/// out[4] = in[4], booleans, copied byte by byte.
TestModel makeBooleanCopyModel(std::string name = "boolean_copy");

/// Compiles a model to an object file, in which all levels have the same code. The running test fails if that is not
/// possible.
llvm::SmallVector<char, 0> compileModel(const TestModel &model, const TargetConfig &options,
                                        WeightsPlacement placement);

} // namespace recur

#endif // RECUR_UNITTESTS_TARGET_TESTMODEL_H
