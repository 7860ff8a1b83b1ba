// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DotKernel.cpp - Code for dot products of any size ------------------===//
//
// The lanes run along the dim that is summed, so both operands are read as they lie.
//
//===----------------------------------------------------------------------===//

#include "DotKernel.h"
#include "KernelBuilder.h"
#include "ProductKernels.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

namespace {
/// Emits a function that computes c[rows] = start + M[rows, shared] * v[shared] (DotArgument). Lanes run along the
/// shared dim.
class DotKernel : KernelBuilder {
public:
  DotKernel(func::FuncOp func, FloatType type, int64_t lanes) : KernelBuilder(func, type, lanes) {}

  /// A part has some rows. A row is one of four or the rest, as in the whole, if a part begins at a multiple of four.
  KernelParts getParts() const {
    return {{{kDotMatrix, 0}, {kDotResult, 0}},
            kHeight,
            {{kDotMatrix, 0}, {kDotMatrix, 1}},
            std::max<int64_t>(1, kWorkPerInstruction / lanes)};
  }

  void emit() {
    Value rows = memref::DimOp::create(builder, loc, argument(kDotMatrix), 0);
    shared = memref::DimOp::create(builder, loc, argument(kDotMatrix), 1);
    // Four rows share each load of v.
    Value rest = arith::RemUIOp::create(builder, loc, rows, index(kHeight));
    Value whole = arith::SubIOp::create(builder, loc, rows, rest);
    emitRows(index(0), whole, kHeight, /*perRow=*/2);
    emitRows(whole, rows, /*height=*/1, /*perRow=*/4);
    func::ReturnOp::create(builder, loc);
  }

private:
  static constexpr int64_t kHeight = 4;

  /// Emits a loop over rows that takes `height` rows at once. A step along the shared dim takes `perRow` vectors,
  /// each with an accumulator of its own.
  void emitRows(Value from, Value to, int64_t height, int64_t perRow) {
    auto rows = scf::ForOp::create(builder, loc, from, to, index(height));
    enter(rows, [&](Value row) { emitRowsAt(row, height, perRow); });
  }

  void emitRowsAt(Value row, int64_t height, int64_t perRow) {
    Value step = index(lanes * perRow);
    Value whole = arith::SubIOp::create(builder, loc, shared, arith::RemUIOp::create(builder, loc, shared, step));
    SmallVector<Value> sums(height * perRow, zeros());
    emitSum(index(0), whole, step, sums, [&](Value k, MutableArrayRef<Value> next) {
      for (int64_t i = 0; i < perRow; ++i) {
        Value column = offset(k, i * lanes);
        emitStep(row, next.slice(i * height, height), [&](Value buffer, ArrayRef<Value> indices) -> Value {
          SmallVector<Value> at(indices);
          at.push_back(column);
          return vector::LoadOp::create(builder, loc, vector, buffer, at);
        });
      }
    });
    addSteps(sums, height);
    // The remainder of the shared dim. Its last vector has a mask.
    emitSum(whole, shared, index(lanes), sums, [&](Value k, MutableArrayRef<Value> next) {
      Value left = mask(arith::SubIOp::create(builder, loc, shared, k));
      emitStep(row, next, [&](Value buffer, ArrayRef<Value> indices) -> Value {
        SmallVector<Value> at(indices);
        at.push_back(k);
        return vector::MaskedLoadOp::create(builder, loc, vector, buffer, at, left, zeros());
      });
    });
    for (auto [i, sum] : llvm::enumerate(sums)) {
      // The lanes may be added in any order.
      Value total = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, sum, argument(kDotStart),
                                                arith::FastMathFlags::reassoc);
      memref::StoreOp::create(builder, loc, total, argument(kDotResult), ValueRange{offset(row, i)});
    }
  }

  /// Multiplies one vector of v by the vectors of all rows, and adds the products to `sums`.
  void emitStep(Value row, MutableArrayRef<Value> sums, function_ref<Value(Value, ArrayRef<Value>)> load) {
    Value factor = load(argument(kDotVector), {});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = math::FmaOp::create(builder, loc, load(argument(kDotMatrix), offset(row, i)), factor, sum);
  }

  Value shared;
};
} // namespace

void recur::emitDotKernel(func::FuncOp kernel, FloatType type, int64_t lanes) {
  DotKernel emitter(kernel, type, lanes);
  emitter.emit();
  setKernelParts(kernel, emitter.getParts());
}
