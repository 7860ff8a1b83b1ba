// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- main.cpp - a C++ program that calls the model of the guides --------===//
//
// The same calls as in main.c. recur::Model owns the instance, the workspace and the outputs.
//
//===----------------------------------------------------------------------===//
#include "average.h"
#include "recur.hpp"

#include <cstdio>
#include <vector>

static void show(const char *what, recur::Span<const float> pairs) {
  std::printf("%s: %g %g\n", what, pairs[pairs.size() - 2], pairs[pairs.size() - 1]);
}

int main() {
  try {
    recur::Model average(average_entry_points());
    std::vector<float> x = {4, 8, 4, 8, 4, 8};

    // The number of elements decides the one dim that is open. A shape decides any: {x, {3, 2}}.
    average.run({x});
    show("step 3", average.output<float>("y"));
    average.run({recur::Span<const float>(x).first(4)});
    show("step 5", average.output<float>(0));

    average.reset();
    average.run({recur::Span<const float>(x).first(2)});
    show("after reset", average.output<float>(0));

    // Without exceptions: try_run returns what run throws.
    auto result = average.try_run({{x, {2, 3}}});
    if (!result)
      std::printf("status %d: %s\n", int(result.error().status()), result.error().what());
  } catch (const recur::Error &error) {
    std::fprintf(stderr, "the model failed: %s\n", error.what());
    return 1;
  }
  return 0;
}
