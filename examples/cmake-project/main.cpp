// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- main.cpp - calls a compiled model from C++ -------------------------===//
//
// The argument is the folder of the model's inputs and of its expected output. The status is 0 if the output is as
// expected. The shapes and sizes come from the model.
//
//===----------------------------------------------------------------------===//
#include "lstm.h"
#include "npy.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// A tensor with memory of its own.
struct Tensor {
  explicit Tensor(const recur_tensor_info &info) : shape(info.dims, info.dims + info.rank) {
    size_t count = 1;
    for (int64_t dim : shape)
      count *= size_t(dim);
    data.resize(count);
  }
  bool read(const char *folder, const std::string &name) {
    return readFloats(folder, name.c_str(), data.data(), data.size()) != 0;
  }
  recur_tensor get() {
    return {data.data(), shape.data(), nullptr, int32_t(shape.size()), RECUR_F32, data.size() * sizeof(float)};
  }

  std::vector<int64_t> shape;
  std::vector<float> data;
};

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: call-from-cpp FOLDER\n");
    return 2;
  }
  const recur_info *info = lstm_info();
  std::vector<Tensor> tensors;
  for (int i = 0; i < lstm_num_inputs; ++i)
    if (!tensors.emplace_back(info->inputs[i]).read(argv[1], "in_" + std::to_string(i) + ".npy"))
      return 2;
  std::vector<recur_tensor> inputs;
  for (Tensor &tensor : tensors)
    inputs.push_back(tensor.get());
  Tensor result(info->outputs[0]), expected(info->outputs[0]);
  if (!expected.read(argv[1], "out_0.npy"))
    return 2;
  recur_tensor output = result.get();

  recur_error error = {};
  error.size = sizeof(error);
  std::vector<unsigned char> instance(lstm_instance_size()), workspace;
  size_t bytes = 0;
  int32_t status = lstm_init(instance.data(), nullptr, &error);
  if (!status)
    status = lstm_query(instance.data(), inputs.data(), &output, &bytes, &error);
  if (!status) {
    workspace.resize(bytes + RECUR_ALIGNMENT);
    unsigned char *aligned =
        workspace.data() + (RECUR_ALIGNMENT - reinterpret_cast<uintptr_t>(workspace.data()) % RECUR_ALIGNMENT);
    status = lstm_run(instance.data(), inputs.data(), &output, aligned, bytes, nullptr, &error);
  }
  if (status) {
    std::fprintf(stderr, "the model failed: %s\n", error.message);
    return 1;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < result.data.size(); ++i)
    wrong += !(std::fabs(result.data[i] - expected.data[i]) < 1e-4f);
  std::printf("%zu of %zu elements differ\n", wrong, result.data.size());
  return wrong ? 1 : 0;
}
