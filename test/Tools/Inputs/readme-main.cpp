// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- readme-main.cpp - calls the C++ snippet of README.md ---------------===//
//
// Appended to the snippet. The arguments are in_0.npy, ... and out_0.npy of examples/lstm-example2.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <fstream>
#include <iterator>

/// The data of a .npy file that is made as numpy makes it: 128 bytes of header.
static std::vector<float> load(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<float> data(bytes.size() < 128 ? 0 : (bytes.size() - 128) / sizeof(float));
  if (!data.empty())
    std::memcpy(data.data(), bytes.data() + 128, data.size() * sizeof(float));
  return data;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  std::vector<float> y = recognise(load(argv[1]), load(argv[2]), load(argv[3])), expected = load(argv[4]);
  float largest = 0;
  for (size_t i = 0; i < y.size() && i < expected.size(); ++i)
    largest = std::max(largest, std::abs(y[i] - expected[i]));
  std::printf("%zu numbers, %s\n", y.size(),
              y.size() == expected.size() && largest < 1e-4f ? "as expected" : "another answer");
  return 0;
}
