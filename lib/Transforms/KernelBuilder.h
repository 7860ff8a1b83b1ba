// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelBuilder.h - Emit the body of a kernel --------------*- C++ -*-===//
//
// What the emitters of kernels share: constants, masks, and loops that carry accumulators.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_KERNELBUILDER_H
#define RECUR_LIB_TRANSFORMS_KERNELBUILDER_H

#include "KernelCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace recur {

/// Adds the accumulators of all further steps to the first `count` ones, and keeps only those. The number of steps is a
/// power of two.
inline void addSteps(mlir::OpBuilder &builder, mlir::Location loc, llvm::SmallVectorImpl<mlir::Value> &sums,
                     size_t count) {
  for (size_t half = sums.size() / 2; half >= count; half /= 2)
    for (size_t i = 0; i < half; ++i)
      sums[i] = mlir::arith::AddFOp::create(builder, loc, sums[i], sums[i + half]);
  sums.truncate(count);
}

/// The base of classes that emit the body of a kernel. Each constant is created once, at the start of the body.
class KernelBuilder {
protected:
  /// Emits into `func`, which has an empty entry block. `type` is the element type, `lanes` the elements of a vector.
  KernelBuilder(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes)
      : func(func), builder(func.getBody()), loc(func.getLoc()), vector(mlir::VectorType::get(lanes, type)),
        lanes(lanes) {}

  mlir::Value index(int64_t value) { return constant(builder.getIndexAttr(value)); }
  mlir::Value zeros() { return constant(builder.getZeroAttr(vector)); }
  mlir::Value offset(mlir::Value value, int64_t by) {
    return by ? mlir::arith::AddIOp::create(builder, loc, value, index(by)).getResult() : value;
  }
  mlir::Value argument(unsigned i) { return func.getArgument(i); }
  /// Loads a vector, and extends its elements if those of the buffer are narrower.
  mlir::Value loadWidened(mlir::Value buffer, mlir::ValueRange indices) {
    mlir::Type element = getElementTypeOrSelf(buffer.getType());
    mlir::Value loaded = mlir::vector::LoadOp::create(builder, loc, vector.clone(element), buffer, indices);
    return loaded.getType() == vector ? loaded : mlir::arith::ExtFOp::create(builder, loc, vector, loaded);
  }

  /// The vector 0, 1, 2, … of i32.
  mlir::Value numberLanes() {
    return constant(builder.getI32VectorAttr(llvm::to_vector(llvm::seq<int32_t>(0, lanes))));
  }

  /// A mask that is true for the first `count` lanes. It compares 32 bits, which is enough because `count` is limited
  /// to the number of lanes first.
  mlir::Value mask(mlir::Value count) {
    mlir::Value numbers = numberLanes();
    mlir::Value most = mlir::arith::MinUIOp::create(builder, loc, count, index(lanes));
    mlir::Value number = mlir::arith::IndexCastOp::create(builder, loc, builder.getI32Type(), most);
    mlir::Value limit = mlir::vector::BroadcastOp::create(builder, loc, numbers.getType(), number);
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::slt, numbers, limit);
  }

  /// Emits the body of `loop`, and forbids LLVM to vectorize or unroll it.
  void enter(mlir::scf::ForOp loop, llvm::function_ref<void(mlir::Value)> body) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    keepLoop(loop);
    body(loop.getInductionVar());
  }

  /// Emits a loop that carries `sums` and leaves its results there. `emit` gets the induction variable and the sums to
  /// update.
  void emitSum(mlir::Value from, mlir::Value to, mlir::Value step, llvm::SmallVectorImpl<mlir::Value> &sums,
               llvm::function_ref<void(mlir::Value, llvm::MutableArrayRef<mlir::Value>)> emit) {
    auto loop = mlir::scf::ForOp::create(builder, loc, from, to, step, sums);
    enter(loop, [&](mlir::Value k) {
      llvm::SmallVector<mlir::Value> next(loop.getRegionIterArgs());
      emit(k, next);
      mlir::scf::YieldOp::create(builder, loc, next);
    });
    sums.assign(loop.result_begin(), loop.result_end());
  }

  /// Emits code for each value from `first` to `last` that `value` may have, and none for other values.
  void emitSwitch(mlir::Value value, int64_t first, int64_t last, llvm::function_ref<void(int64_t)> emitCase) {
    llvm::SmallVector<int64_t> cases;
    for (int64_t i = first; i <= last; ++i)
      cases.push_back(i);
    auto choice = mlir::scf::IndexSwitchOp::create(builder, loc, mlir::TypeRange(), value, cases, cases.size());
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (auto [i, region] : llvm::zip_equal(cases, choice.getCaseRegions())) {
      builder.createBlock(&region);
      emitCase(i);
      mlir::scf::YieldOp::create(builder, loc);
    }
    builder.createBlock(&choice.getDefaultRegion());
    mlir::scf::YieldOp::create(builder, loc);
  }

  void addSteps(llvm::SmallVectorImpl<mlir::Value> &sums, size_t count) { recur::addSteps(builder, loc, sums, count); }

  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::VectorType vector;
  /// The lanes of a vector.
  int64_t lanes;

  mlir::Value constant(mlir::TypedAttr value) {
    mlir::Value &known = constants[value];
    if (!known) {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&func.getBody().front());
      known = mlir::arith::ConstantOp::create(builder, loc, value);
    }
    return known;
  }

private:
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_KERNELBUILDER_H
