// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detection.cpp - layers of detectors --------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitYolo(Scope &scope, StringRef op) {
  if (op == "ReorgYolo") {
    int64_t stride = 1 + random(2), depth = 1 + random(2), height = 1 + random(3);
    Value data = randomConstant(scope, anyElement(), {1, depth * stride * stride, height * stride, stride});
    return add(scope, createExactly(scope, op, {data}, {{"stride", std::to_string(stride)}},
                                    {{1, 0}, {depth * stride * stride * stride * stride, 0}, {height, 0}, {1, 0}}));
  }
  int64_t classes = 1 + random(3), regions = 1 + random(2), depth = regions * (5 + classes);
  bool hasSoftmax = chance(50);
  Value data = randomConstant(scope, RECUR_F32, {2, depth, 2, 3});
  Dims dims = data.dims;
  if (hasSoftmax)
    dims = {{2, 0}, {depth * 6, 0}};
  return add(scope, create(scope, op, "opset1", {data},
                           {{"coords", "4"},
                            {"classes", std::to_string(classes)},
                            {"num", std::to_string(regions)},
                            {"do_softmax", hasSoftmax ? "true" : "false"},
                            {"mask", regions == 1 ? "0" : "0,1"},
                            {"axis", "1"},
                            {"end_axis", "-1"}},
                           data.element, dims));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::detectionEntries = [] {
  static constexpr Entry entries[] = {
      {"Detection", &Builder::emitYolo, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
