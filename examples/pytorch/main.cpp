// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- main.cpp - tags the frames of in_0.npy -----------------------------===//
//
// Calls the compiled PyTorch module with all frames of the file, and then with the first five.
//
//===----------------------------------------------------------------------===//
#include "tagger.h"

#include "recur.hpp" // needs the header of a model before it

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

/// Prints the tag of the highest score for each frame.
static void show(recur::Span<const float> scores) {
  std::printf("%zu frames:", scores.size() / 3);
  for (size_t i = 0; i + 3 <= scores.size(); i += 3)
    std::printf(" %d", int(std::max_element(&scores[i], &scores[i] + 3) - &scores[i]));
  std::printf("\n");
}

int main() {
  std::vector<float> frames(12 * 8);
  std::ifstream file("in_0.npy", std::ios::binary);
  // What numpy writes in front of a small array has 128 bytes.
  if (!file.seekg(128).read(reinterpret_cast<char *>(frames.data()), std::streamsize(frames.size() * sizeof(float))))
    return 2;
  try {
    recur::Model tagger(tagger_entry_points());
    tagger.run({frames});
    show(tagger.output<float>(0));
    tagger.run({recur::Span<const float>(frames).first(5 * 8)});
    show(tagger.output<float>(0));
  } catch (const recur::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
