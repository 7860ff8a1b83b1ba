// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - convolutions -----------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitConvolution(Scope &scope, StringRef op) {
  Value data = anyNumber(scope, 3 + chance(40));
  bool isGrouped = op == "GroupConvolution";
  if (data.getRank() > 5 || !data.dims[1].isStatic() || data.dims[1].size == 0 ||
      data.countElements() > scope.limit(200))
    return false;
  int64_t channels = data.dims[1].size, groups = 1, outputs = chance(25) ? 16 + random(32) : anySize(scope, 3);
  llvm::SmallVector<int64_t> shape;
  if (isGrouped) {
    for (int64_t g = 1; g <= channels; ++g)
      if (channels % g == 0 && chance(60))
        groups = g;
    shape.push_back(groups);
  }
  shape.push_back(outputs);
  shape.push_back(channels / groups);
  static constexpr StringRef modes[] = {"explicit", "valid", "same_upper", "same_lower"};
  unsigned mode = chance(55) ? 0 : random(std::size(modes));
  std::string strides, dilations, begins, ends;
  Dims dims{data.dims[0], Dim{outputs * groups, 0}};
  int64_t products = channels / groups;
  for (const Dim &dim : llvm::drop_begin(data.dims, 2)) {
    if (dim.size <= 0)
      return false;
    int64_t stride = 1 + chance(30), dilation = 1 + chance(25);
    int64_t begin = mode == 0 ? random(3) : 0, end = mode == 0 ? random(3) : 0;
    int64_t padded = dim.size + begin + end, kernel = 1 + random(3);
    if (mode < 2 && (kernel - 1) * dilation + 1 > padded)
      kernel = 1;
    int64_t size = mode < 2 ? (padded - (kernel - 1) * dilation - 1) / stride + 1 : (dim.size + stride - 1) / stride;
    // A kernel of size 1, or padding "same" with stride 1, keeps the dim.
    bool isKept = size == dim.size && stride == 1 && (mode >= 2 || (kernel == 1 && begin + end == 0));
    dims.push_back(isKept ? dim : Dim{size, dim.isStatic() ? 0 : newSymbol()});
    shape.push_back(kernel);
    products *= kernel;
    auto append = [&](std::string &text, int64_t value) { text += (text.empty() ? "" : ",") + std::to_string(value); };
    append(strides, stride);
    append(dilations, dilation);
    append(begins, begin);
    append(ends, end);
  }
  Value whole = data;
  whole.dims = dims;
  if (whole.countElements() > scope.limit(600) || whole.countElements() * products * scope.iterations > 1 << 19)
    return false;
  Value filters = randomConstant(scope, data.element, shape);
  Value result = create(scope, op, "opset1", {data, filters},
                        {{"strides", strides},
                         {"dilations", dilations},
                         {"pads_begin", begins},
                         {"pads_end", ends},
                         {"auto_pad", modes[mode].str()}},
                        data.element, dims);
  if (data.fraction >= 0 && filters.fraction >= 0) {
    result.magnitude = data.magnitude + filters.magnitude + std::ceil(std::log2(products)) + 1;
    result.fraction = data.fraction + filters.fraction;
  }
  return add(scope, result);
}

bool Builder::emitTransposedConvolution(Scope &scope, StringRef op) {
  bool isGrouped = op.starts_with("Group");
  int64_t groups = isGrouped ? 1 + random(2) : 1, inputs = 1 + random(2), outputs = 1 + random(2);
  int64_t kernel = 1 + random(3), stride = 1 + random(3), dilation = 1 + chance(30), length = 1 + random(4);
  int64_t begin = random(2), end = random(2), more = random(stride);
  int64_t size = stride * (length - 1) + dilation * (kernel - 1) + 1 - begin - end + more;
  if (size < 1)
    return false;
  Value data = randomConstant(scope, RECUR_F32, {2, groups * inputs, length});
  llvm::SmallVector<int64_t> shape{inputs, outputs, kernel};
  if (isGrouped)
    shape.insert(shape.begin(), groups);
  return add(scope, create(scope, op, "opset1", {data, randomConstant(scope, RECUR_F32, shape)},
                           {{"strides", std::to_string(stride)},
                            {"dilations", std::to_string(dilation)},
                            {"pads_begin", std::to_string(begin)},
                            {"pads_end", std::to_string(end)},
                            {"output_padding", std::to_string(more)}},
                           RECUR_F32, {{2, 0}, {groups * outputs, 0}, {size, 0}}));
}

bool Builder::emitDeformableConvolution(Scope &scope, StringRef op) {
  int64_t groups = 1 + random(2), moving = 1 + random(2), outputs = groups * (1 + random(2)),
          channels = groups * moving;
  int64_t batch = 1 + random(2), height = 1 + random(5), width = 1 + random(5), rows = 1 + random(2),
          columns = 1 + random(3);
  if (rows > height + 2 || columns > width + 2)
    return false;
  int64_t high = height + 2 - rows + 1, wide = width + 2 - columns + 1, kernel = rows * columns;
  std::vector<Value> inputs{randomConstant(scope, RECUR_F32, {batch, channels, height, width}),
                            randomConstant(scope, RECUR_F32, {batch, moving * kernel * 2, high, wide}),
                            randomConstant(scope, RECUR_F32, {outputs, channels / groups, rows, columns})};
  if (chance(50))
    inputs.push_back(randomConstant(scope, RECUR_F32, {batch, moving * kernel, high, wide}));
  return add(scope, create(scope, op, "opset8", inputs,
                           {{"strides", "1,1"},
                            {"dilations", "1,1"},
                            {"pads_begin", "1,1"},
                            {"pads_end", "1,1"},
                            {"group", std::to_string(groups)},
                            {"deformable_group", std::to_string(moving)},
                            {"bilinear_interpolation_pad", chance(50) ? "true" : "false"}},
                           RECUR_F32, {{batch, 0}, {outputs, 0}, {high, 0}, {wide, 0}}));
}

/// The elements are zeros and ones, and a few that are neither.
bool Builder::emitBinaryConvolution(Scope &scope, StringRef op) {
  int64_t channels = 1 + random(3), outputs = 1 + random(3), size = 2 + random(3), kernel = 1 + random(2);
  auto bits = [&](llvm::ArrayRef<int64_t> shape, recur_element_type element) {
    Tensor tensor(element, shape);
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    for (int64_t i = 0; i != count; ++i)
      tensor.set(i, interpreter::Scalar::of(element == RECUR_F32 && chance(5) ? 0.5 : double(random(2))));
    return constant(scope, tensor);
  };
  Value data = bits({1 + random(2), channels, size, size}, RECUR_F32);
  Value filters = bits({outputs, channels, kernel, kernel}, RECUR_F32);
  int64_t pad = random(2), places = size + 2 * pad - kernel + 1;
  std::string pads = std::to_string(pad) + "," + std::to_string(pad);
  return add(scope, create(scope, op, "opset1", {data, filters},
                           {{"strides", "1,1"},
                            {"dilations", "1,1"},
                            {"pads_begin", pads},
                            {"pads_end", pads},
                            {"mode", "xnor-popcount"},
                            {"pad_value", chance(50) ? "0" : "1"},
                            {"auto_pad", "explicit"}},
                           RECUR_F32, {data.dims[0], {outputs, 0}, {places, 0}, {places, 0}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::convolutionEntries = [] {
  static constexpr Entry entries[] = {
      {"Convolution", &Builder::emitConvolution, 1},
      {"GroupConvolution", &Builder::emitConvolution, 1},
      {"ConvolutionBackpropData", &Builder::emitTransposedConvolution, 1},
      {"GroupConvolutionBackpropData", &Builder::emitTransposedConvolution, 1},
      {"DeformableConvolution", &Builder::emitDeformableConvolution, 1},
      {"BinaryConvolution", &Builder::emitBinaryConvolution, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
