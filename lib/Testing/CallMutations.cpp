// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CallMutations.cpp - bugs in weights, queries and runs --------------===//
//
// Each bug changes the packed weights, the result of a query or the result of a run, as an error in the ABI shim or in
// the packing could.
//
//===----------------------------------------------------------------------===//

#include "MutationEntries.h"

#include "Recur/Target/ElementType.h"

#include <algorithm>

namespace recur::fuzz {

recur_entry_points &getMutatedModel() {
  static recur_entry_points model;
  return model;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Zeros the second half, as if the last rows had not been packed.
static bool forgetLastWeights(llvm::MutableArrayRef<uint8_t> weights) {
  auto last = weights.take_back(weights.size() / 2);
  std::fill(last.begin(), last.end(), 0);
  return weights.size() >= 64;
}

/// Swaps two parts, as if two places had been mixed up.
static bool swapWeights(llvm::MutableArrayRef<uint8_t> weights) {
  if (weights.size() < 128)
    return false;
  std::swap_ranges(weights.begin(), weights.begin() + 64, weights.begin() + 64);
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Runs the query, and then `change` on its answer.
template <typename Change>
static int32_t queryAndThen(const void *instance, const recur_tensor *inputs, recur_tensor *outputs, size_t *bytes,
                            recur_error *error, Change change) {
  int32_t status = getMutatedModel().query(instance, inputs, outputs, bytes, error);
  if (status == RECUR_OK || status == RECUR_E_ALLOCATOR_NEEDED)
    change(status);
  error->code = status;
  return status;
}

static bool hasData(const recur_tensor *inputs) {
  const recur_info &info = *getMutatedModel().info();
  return std::any_of(inputs, inputs + info.num_inputs, [](const recur_tensor &input) { return input.data; });
}

static int32_t queryGreaterDim(const void *instance, const recur_tensor *inputs, recur_tensor *outputs, size_t *bytes,
                               recur_error *error) {
  return queryAndThen(instance, inputs, outputs, bytes, error, [&](int32_t &) {
    const recur_info &info = *getMutatedModel().info();
    for (int32_t i = 0; i != info.num_outputs; ++i) {
      recur_tensor &output = outputs[i];
      int32_t axis = output.rank - 1;
      // Only dims that the type leaves dynamic.
      if (axis < 0 || info.outputs[i].dims[axis] >= 0 || output.shape[axis] <= 0)
        continue;
      output.bytes += output.bytes / output.shape[axis];
      ++output.shape[axis];
    }
  });
}

static int32_t queryWithoutDataAsWithIt(const void *instance, const recur_tensor *inputs, recur_tensor *outputs,
                                        size_t *bytes, recur_error *error) {
  return queryAndThen(instance, inputs, outputs, bytes, error, [&](int32_t &status) {
    if (!hasData(inputs))
      status = RECUR_OK;
  });
}

static int32_t queryNoAllocator(const void *instance, const recur_tensor *inputs, recur_tensor *outputs, size_t *bytes,
                                recur_error *error) {
  return queryAndThen(instance, inputs, outputs, bytes, error, [&](int32_t &status) {
    // Report the unknown dims as 0.
    for (int32_t i = 0; status && i != getMutatedModel().info()->num_outputs; ++i)
      for (int32_t axis = 0; axis < outputs[i].rank; ++axis)
        outputs[i].shape[axis] = std::max<int64_t>(outputs[i].shape[axis], 0);
    status = RECUR_OK;
  });
}

static int32_t queryLessWorkspace(const void *instance, const recur_tensor *inputs, recur_tensor *outputs,
                                  size_t *bytes, recur_error *error) {
  return queryAndThen(instance, inputs, outputs, bytes, error, [&](int32_t &) {
    // If the number of bytes is fixed, the ABI shim itself refuses less.
    if (getMutatedModel().info()->workspace_bytes < 0 && *bytes >= 64)
      *bytes -= 64;
  });
}

template <typename Change>
static int32_t runAndThen(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                          size_t bytes, const recur_options *options, recur_error *error, Change change) {
  int32_t status = getMutatedModel().run(instance, inputs, outputs, workspace, bytes, options, error);
  change(status);
  error->code = status;
  return status;
}

static int32_t runWithoutFaults(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                                size_t bytes, const recur_options *options, recur_error *error) {
  return runAndThen(instance, inputs, outputs, workspace, bytes, options, error,
                    [](int32_t &status) { status = RECUR_OK; });
}

static int32_t runWithOtherFaults(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                                  size_t bytes, const recur_options *options, recur_error *error) {
  return runAndThen(instance, inputs, outputs, workspace, bytes, options, error,
                    [](int32_t &status) { status = status == RECUR_E_INDEX ? RECUR_E_SHAPE : status; });
}

static int32_t runLesserDim(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                            size_t bytes, const recur_options *options, recur_error *error) {
  return runAndThen(instance, inputs, outputs, workspace, bytes, options, error, [&](int32_t &status) {
    const recur_info &info = *getMutatedModel().info();
    for (int32_t i = 0; !status && i != info.num_outputs; ++i)
      for (int32_t axis = 0; axis < outputs[i].rank; ++axis)
        if (info.outputs[i].dims[axis] < 0 && outputs[i].shape[axis] > 0)
          --outputs[i].shape[axis];
  });
}

static int32_t runOtherTruth(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                             size_t bytes, const recur_options *options, recur_error *error) {
  return runAndThen(instance, inputs, outputs, workspace, bytes, options, error, [&](int32_t &status) {
    const recur_info &info = *getMutatedModel().info();
    for (int32_t i = 0; !status && i != info.num_outputs; ++i) {
      auto *data = static_cast<uint8_t *>(outputs[i].data);
      int64_t count = 1;
      for (int32_t axis = 0; axis < outputs[i].rank; ++axis)
        count *= outputs[i].shape[axis];
      for (int64_t k = 0; outputs[i].element_type == RECUR_BOOLEAN && k < count; ++k)
        data[k] = data[k] ? 255 : 0;
    }
  });
}

static constexpr MutationEntry weightsMutation(llvm::StringLiteral name, llvm::StringLiteral description,
                                               bool (*change)(llvm::MutableArrayRef<uint8_t>)) {
  MutationEntry entry;
  entry.info = {name, description};
  entry.changeWeights = change;
  return entry;
}

static constexpr MutationEntry callMutation(llvm::StringLiteral name, llvm::StringLiteral description,
                                            void (*change)(recur_entry_points &), bool isOfFaults = false) {
  MutationEntry entry;
  entry.isOfFaults = isOfFaults;
  entry.info = {name, description};
  entry.changeCalls = change;
  return entry;
}

llvm::ArrayRef<MutationEntry> getCallMutations() {
  static constexpr MutationEntry entries[] = {
      weightsMutation("weights-half", "the second half of the weights is not packed", forgetLastWeights),
      weightsMutation("weights-swapped", "the first 64 bytes of the weights are swapped with the next 64 bytes",
                      swapWeights),
      callMutation("query-dim", "a query returns a last dim of an output that is one too large",
                   [](recur_entry_points &model) { model.query = queryGreaterDim; }),
      callMutation("query-without-data", "a query without data returns RECUR_OK although dims are unknown",
                   [](recur_entry_points &model) { model.query = queryWithoutDataAsWithIt; }),
      callMutation("query-allocator", "a query returns RECUR_OK although an allocator is needed",
                   [](recur_entry_points &model) { model.query = queryNoAllocator; }),
      callMutation("query-workspace", "a query returns 64 bytes of workspace too few",
                   [](recur_entry_points &model) { model.query = queryLessWorkspace; }),
      callMutation(
          "run-status", "a run that fails returns RECUR_OK",
          [](recur_entry_points &model) { model.run = runWithoutFaults; },
          /*isOfFaults=*/true),
      callMutation(
          "run-other-status", "a run returns RECUR_E_SHAPE for an index out of range",
          [](recur_entry_points &model) { model.run = runWithOtherFaults; }, /*isOfFaults=*/true),
      callMutation("run-dim", "a run returns unknown dims of outputs that are one too small",
                   [](recur_entry_points &model) { model.run = runLesserDim; }),
      callMutation("run-boolean", "true is the byte 255 in outputs",
                   [](recur_entry_points &model) { model.run = runOtherTruth; }),
  };
  return entries;
}

} // namespace recur::fuzz
