// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - convolutions -------------------------------------===//
//
// The direct sum over the window of each element. Padding counts as zeros, so elements outside of the data are skipped,
// and a window that lies in the padding is not summed again for each place. Products of real numbers are summed in f64
// and rounded once. Integers wrap.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

/// True if one of `taps` places, `step` apart, of which the first is `from`, lies in [0, dim).
static bool reachesData(int64_t from, int64_t step, int64_t taps, int64_t dim) {
  int64_t skipped = from < 0 ? (-from - 1) / step + 1 : 0;
  return skipped < taps && from + skipped * step < dim;
}

template <typename Op>
static MaybeTensor convolution(Machine &machine, Op op, Operands operands) {
  const Tensor &data = *operands[0], &filters = *operands[1];
  // filters: [groups, outputs per group, inputs per group, kernel...], without the groups unless the op has them.
  constexpr size_t first = std::is_same_v<Op, ov::GroupConvolutionOp> ? 1 : 0;
  int64_t groups = first ? filters.getDim(0) : 1, outputs = filters.getDim(first), inputs = filters.getDim(first + 1);
  Shape kernel(llvm::drop_begin(filters.getShape(), first + 2)), begin, shape{data.getDim(0), groups * outputs};
  if (data.getDim(1) != groups * inputs)
    return machine.fault(RECUR_E_SHAPE, "the channels of data and filters differ");
  ov::AutoPad mode = op.getAutoPad();
  for (auto [i, size] : llvm::enumerate(kernel)) {
    int64_t dim = data.getDim(i + 2), stride = op.getStrides()[i], reach = (size - 1) * op.getDilations()[i] + 1;
    if (mode == ov::AutoPad::SameUpper || mode == ov::AutoPad::SameLower) {
      int64_t places = (dim + stride - 1) / stride;
      int64_t total = std::max<int64_t>((places - 1) * stride + reach - dim, 0);
      begin.push_back(mode == ov::AutoPad::SameUpper ? total / 2 : total - total / 2);
      shape.push_back(places);
      continue;
    }
    bool isExplicit = mode == ov::AutoPad::Explicit;
    int64_t padded = dim + (isExplicit ? op.getPadsBegin()[i] + op.getPadsEnd()[i] : 0);
    if (size == 0 || reach > padded)
      return machine.fault(RECUR_E_SHAPE, "a kernel does not fit the padded data");
    begin.push_back(isExplicit ? op.getPadsBegin()[i] : 0);
    shape.push_back((padded - reach) / stride + 1);
  }
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  Shape window{inputs}, strides(op.getStrides()), dilations(op.getDilations());
  llvm::append_range(window, kernel);
  int64_t next = 0, taps = countElements(window);
  // The sum of a window that lies in the padding, for each output that has one. It is 0, or NaN if a filter is not
  // finite.
  SmallVector<std::optional<double>> padding(groups * outputs);
  auto getPadding = [&](int64_t output) {
    if (!padding[output]) {
      padding[output] = 0.0;
      for (int64_t i = output * taps; i != (output + 1) * taps; ++i)
        *padding[output] += 0.0 * filters.get(i).real;
    }
    return *padding[output];
  };
  forEachPlace(shape, [&](ArrayRef<int64_t> at) {
    int64_t weight = at[1] * taps, channel = at[0] * groups * inputs + at[1] / outputs * inputs;
    for (size_t i = 0; i != kernel.size(); ++i)
      if (!reachesData(at[i + 2] * strides[i] - begin[i], dilations[i], kernel[i], data.getDim(i + 2))) {
        result->set(next++, isReal(data.getType()) ? Scalar::of(getPadding(at[1])) : Scalar::of(Integer(0)));
        return;
      }
    double real = 0;
    uint64_t integer = 0;
    forEachPlace(window, [&](ArrayRef<int64_t> tap) {
      Scalar w = filters.get(weight++);
      int64_t from = channel + tap[0];
      for (size_t i = 0; i != kernel.size(); ++i) {
        int64_t place = at[i + 2] * strides[i] + tap[i + 1] * dilations[i] - begin[i], dim = data.getDim(i + 2);
        if (place < 0 || place >= dim) {
          // The padding is zeros. Their product with an infinity or a NaN is NaN.
          real += 0.0 * w.real;
          return;
        }
        from = from * dim + place;
      }
      Scalar x = data.get(from);
      real = disturbSum(data.getType(), real + x.real * w.real);
      integer += uint64_t(x.integer) * uint64_t(w.integer);
    });
    result->set(next++, isReal(data.getType()) ? Scalar::of(real) : Scalar::of(Integer(integer)));
  });
  return result;
}

void addConvolution(Handlers &handlers) {
  addHandler<ov::ConvolutionOp>(handlers, convolution<ov::ConvolutionOp>);
  addHandler<ov::GroupConvolutionOp>(handlers, convolution<ov::GroupConvolutionOp>);
}

} // namespace recur::interpreter
