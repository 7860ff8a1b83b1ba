// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pooling.cpp - pooling and images -----------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitPooling(Scope &scope, StringRef op) {
  bool isMax = op == "MaxPool";
  Value data = isMax ? anyNumber(scope, 3 + chance(40)) : anyReal(scope, 3 + chance(40));
  if (data.getRank() > 5)
    return false;
  Dims dims{data.dims[0], data.dims[1]};
  if (op == "AdaptiveAvgPool") {
    llvm::SmallVector<int64_t> sizes;
    for (size_t i = 2; i != data.dims.size(); ++i) {
      if (data.dims[i].size <= 0)
        return false;
      sizes.push_back(1 + random(4));
      dims.push_back({sizes.back(), 0});
    }
    return add(scope, create(scope, op, "opset8", {data, anyIndices(scope, sizes)}, {}, data.element, dims));
  }
  static constexpr StringRef modes[] = {"explicit", "valid", "same_upper", "same_lower"};
  unsigned mode = chance(60) ? 0 : random(std::size(modes));
  bool isCeil = chance(30);
  std::string strides, dilations, begins, ends, kernels;
  for (const Dim &dim : llvm::drop_begin(data.dims, 2)) {
    if (dim.size <= 0)
      return false;
    int64_t stride = 1 + random(3), dilation = isMax ? 1 + chance(25) : 1, kernel = 1 + random(4);
    if (chance(10))
      kernel = anySize(scope, 12);
    int64_t begin = mode == 0 ? random(std::min<int64_t>(kernel, 3)) : 0;
    int64_t end = mode == 0 ? random(std::min<int64_t>(kernel, 3)) : 0;
    int64_t reach = (kernel - 1) * dilation, padded = dim.size + begin + end;
    if (mode < 2 && reach >= padded)
      return false;
    int64_t room = padded - reach - 1;
    int64_t size = mode >= 2 ? (dim.size + stride - 1) / stride : (isCeil ? room + stride - 1 : room) / stride + 1;
    // The last window must not begin behind the data.
    if (mode < 2 && isCeil && (size - 1) * stride >= dim.size + begin)
      return false;
    dims.push_back({size, dim.isStatic() ? 0 : newSymbol()});
    auto append = [&](std::string &text, int64_t value) { text += (text.empty() ? "" : ",") + std::to_string(value); };
    append(strides, stride);
    append(dilations, dilation);
    append(begins, begin);
    append(ends, end);
    append(kernels, kernel);
  }
  Attributes attributes{
      {"strides", strides}, {"pads_begin", begins},          {"pads_end", ends},
      {"kernel", kernels},  {"auto_pad", modes[mode].str()}, {"rounding_type", isCeil ? "ceil" : "floor"}};
  if (isMax)
    attributes.push_back({"dilations", dilations});
  else
    attributes.push_back({"exclude-pad", chance(50) ? "true" : "false"});
  Value result = create(scope, op, "opset8", {data}, attributes, data.element, dims);
  if (isMax)
    result.copyBits(data);
  return add(scope, result);
}

/// The indices show which of several elements is the maximum, so only exact values are taken.
bool Builder::emitAdaptiveMaxPool(Scope &scope, StringRef op) {
  Value data = anyExact(scope, 3);
  if (!data.isReal() || data.getRank() > 5 || data.countElements() > scope.limit(200))
    data = randomConstant(scope, RECUR_F32, {1 + random(2), 1 + random(2), 1 + random(5), 1 + random(4)});
  Dims dims{data.dims[0], data.dims[1]};
  llvm::SmallVector<int64_t> sizes;
  for (const Dim &dim : llvm::drop_begin(data.dims, 2)) {
    if (dim.size <= 0)
      return false;
    sizes.push_back(1 + random(4));
    dims.push_back({sizes.back(), 0});
  }
  bool isShort = chance(50);
  Value values = create(scope, op, "opset8", {data, anyIndices(scope, sizes)},
                        {{"index_element_type", isShort ? "i32" : "i64"}}, data.element, dims);
  Value indices = values;
  values.copyBits(data);
  indices.ref.port = 1;
  indices.element = isShort ? RECUR_I32 : RECUR_I64;
  scope.graph.nodes[values.ref.node].outputs.push_back(indices.getType());
  scope.pool.push_back(values);
  return add(scope, indices);
}

bool Builder::emitImage(Scope &scope, StringRef op) {
  if (op == "GridSample") {
    Value data = randomConstant(scope, RECUR_F32, {1, 1 + random(2), 2 + random(3), 2 + random(3)});
    Value grid = randomConstant(scope, RECUR_F32, {1, 2, 1 + random(3), 2});
    static constexpr StringRef paddings[] = {"zeros", "border", "reflection"};
    // Near a border, rounding decides whether a position is inside, so positions are only exact ones.
    return add(scope, create(scope, op, "opset9", {data, grid},
                             {{"align_corners", "true"},
                              {"mode", chance(50) ? "bilinear" : "bicubic"},
                              {"padding_mode", paddings[random(3)].str()}},
                             RECUR_F32, {{1, 0}, data.dims[1], {2, 0}, grid.dims[2]}));
  }
  Value data = anyReal(scope, 1);
  int64_t axis = random(data.getRank());
  if (data.dims[axis].size <= 0)
    return false;
  static constexpr StringRef modes[] = {"linear", "linear_onnx", "cubic"};
  Dims dims = data.dims;
  int64_t size = 1 + random(6);
  dims[axis] = {size, 0};
  if (chance(20))
    return add(scope, create(scope, op, "opset1", {data, anyIndices(scope, {size})},
                             {{"mode", chance(50) ? "linear" : "cubic"},
                              {"axes", std::to_string(axis)},
                              {"align_corners", chance(50) ? "true" : "false"},
                              {"antialias", chance(50) ? "true" : "false"}},
                             data.element, dims));
  return add(scope, create(scope, op, "opset11", {data, anyIndices(scope, {size}), anyIndices(scope, {axis})},
                           {{"mode", modes[random(3)].str()},
                            {"shape_calculation_mode", "sizes"},
                            {"coordinate_transformation_mode", chance(50) ? "half_pixel" : "align_corners"}},
                           data.element, dims));
}

/// Planes of brightness and of colours, in one operand or apart.
bool Builder::emitColors(Scope &scope, StringRef op) {
  int64_t images = 1 + random(2), height = 2 * (1 + random(2)), width = 2 * (1 + random(3));
  bool isWhole = chance(50), isInterleaved = op.starts_with("NV12");
  auto plane = [&](int64_t rows, int64_t columns, int64_t colors) {
    return randomConstant(scope, RECUR_F32, {images, rows, columns, colors});
  };
  std::vector<Value> planes{plane(isWhole ? height * 3 / 2 : height, width, 1)};
  for (int i = 0; !isWhole && i != (isInterleaved ? 1 : 2); ++i)
    planes.push_back(plane(height / 2, width / 2, isInterleaved ? 2 : 1));
  return add(scope, create(scope, op, "opset8", std::move(planes), {}, RECUR_F32,
                           {{images, 0}, {height, 0}, {width, 0}, {3, 0}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::poolingEntries = [] {
  static constexpr Entry entries[] = {
      {"Pooling", &Builder::emitPooling, 1},  {"AdaptiveMaxPool", &Builder::emitAdaptiveMaxPool, 1},
      {"Image", &Builder::emitImage, 1},      {"NV12toRGB", &Builder::emitColors, 1},
      {"NV12toBGR", &Builder::emitColors, 1}, {"I420toRGB", &Builder::emitColors, 1},
      {"I420toBGR", &Builder::emitColors, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
