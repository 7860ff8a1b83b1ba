// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - convolutions -------------------------------------===//
//
// The direct sum over the window of each element. Padding counts as zeros, so elements outside of the data are skipped.
// Products of real numbers are summed in f64 and rounded once. Integers wrap.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

template <typename Op>
static MaybeTensor convolution(Machine &machine, Op op, Operands operands) {
  const Tensor &data = *operands[0];
  Tensor filters = *operands[1];
  constexpr bool hasGroups = std::is_same_v<Op, ov::GroupConvolutionOp>;
  if (!hasGroups) {
    Shape shape = filters.getShape();
    shape.insert(shape.begin(), 1);
    filters = filters.reshaped(shape);
  }
  // filters: [groups, outputs per group, inputs per group, kernel...]
  int64_t groups = filters.getDim(0), outputs = filters.getDim(1), inputs = filters.getDim(2);
  Shape kernel(filters.getShape().begin() + 3, filters.getShape().end()), begin,
      shape{data.getDim(0), groups * outputs};
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
  int64_t next = 0;
  forEachPlace(shape, [&](ArrayRef<int64_t> at) {
    int64_t group = at[1] / outputs;
    double real = 0;
    uint64_t integer = 0;
    Shape window{inputs};
    llvm::append_range(window, kernel);
    forEachPlace(window, [&](ArrayRef<int64_t> tap) {
      Shape from{at[0], group * inputs + tap[0]}, weight{group, at[1] % outputs};
      llvm::append_range(weight, tap);
      Scalar w = filters.get(getOffset(filters.getShape(), weight));
      for (size_t i = 0; i != kernel.size(); ++i) {
        from.push_back(at[i + 2] * op.getStrides()[i] + tap[i + 1] * op.getDilations()[i] - begin[i]);
        if (from.back() < 0 || from.back() >= data.getDim(i + 2)) {
          // The padding is zeros. Their product with an infinity or a NaN is NaN.
          real += 0.0 * w.real;
          return;
        }
      }
      Scalar x = data.get(getOffset(data.getShape(), from));
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
