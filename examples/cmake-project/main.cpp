// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- main.cpp - calls a compiled model from C++ -------------------------===//
//
// The argument is the folder of the model's inputs and of its expected output. The status is 0 if the output is as
// expected. The shapes and sizes come from the model.
//
//===----------------------------------------------------------------------===//
#include "lstm.h"
#include "npy.h"
#include "recur.hpp"

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

/// The elements of the file `name`, as many as the tensor has, or none if the file does not have them.
static std::vector<float> read(const std::string &folder, const std::string &name, const recur_tensor_info &tensor) {
  size_t count = 1;
  for (int64_t dim : std::span(tensor.dims, size_t(tensor.rank)))
    count *= size_t(dim);
  std::vector<float> data(count);
  if (!readFloats(folder.c_str(), name.c_str(), data.data(), count))
    data.clear();
  return data;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: call-from-cpp FOLDER\n");
    return 2;
  }
  const recur_info *info = lstm_info();
  std::vector<float> x = read(argv[1], "in_0.npy", info->inputs[0]), h = read(argv[1], "in_1.npy", info->inputs[1]),
                     c = read(argv[1], "in_2.npy", info->inputs[2]),
                     expected = read(argv[1], "out_0.npy", info->outputs[0]);
  if (x.empty() || h.empty() || c.empty() || expected.empty())
    return 2;
  try {
    recur::Model lstm(lstm_entry_points());
    lstm.run({x, h, c});
    std::span<const float> result = lstm.output<float>(0);
    size_t wrong = 0;
    for (size_t i = 0; i < result.size(); ++i)
      wrong += !(std::fabs(result[i] - expected[i]) < 1e-4f);
    std::printf("%zu of %zu elements differ\n", wrong, result.size());
    return wrong ? 1 : 0;
  } catch (const recur::Error &error) {
    std::fprintf(stderr, "the model failed: %s\n", error.what());
    return 1;
  }
}
