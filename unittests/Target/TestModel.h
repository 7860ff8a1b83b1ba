// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestModel.h - models written by hand, for the tests ------*- C++ -*-===//
#ifndef RECUR_UNITTESTS_TARGET_TESTMODEL_H
#define RECUR_UNITTESTS_TARGET_TESTMODEL_H

#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

namespace recur {

/// A model of the shape that the MLIR pipeline makes: LLVM IR text that defines recur_model_compute and
/// recur_model_sizes, and its description.
struct TestModel {
  std::string ir;
  ModelDescription description;
};

/// out[4] = a[4] + b[4] + w[4], f32, with the weights w; 128 bytes of workspace that it does not need.
TestModel makeAddModel(std::string name = "adder");

/// out[n] = a[n] + b[n]; n must agree ("a and b clash: ...").
TestModel makeDynamicAddModel(std::string name = "dynamic");

/// out[?] has v elements (i32, all 7), v being the value of the i64 scalar; read by the computation only.
TestModel makeUnknownLengthModel(std::string name = "unknown_length");

/// out[n] = 0, 1, ..., n - 1 (i64), n being the value of the i64 scalar, which recur_model_sizes reads.
TestModel makeRampModel(std::string name = "ramp");

/// out[4] = in[4], booleans, byte for byte.
TestModel makeBooleanCopyModel(std::string name = "boolean_copy");

/// The object of a model; fails the test if there is none.
llvm::SmallVector<char, 0> compileModel(const TestModel &model, const TargetConfig &options,
                                        WeightsPlacement placement);

} // namespace recur

#endif // RECUR_UNITTESTS_TARGET_TESTMODEL_H
