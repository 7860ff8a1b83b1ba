// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckNaN.cpp - Values that must have no NaN ------------------------===//
//
// The pass ov-check-nan. A check stands directly behind the op that it is about. Checks keep their order, so the first
// NaN of a call is reported before any fault that follows from it, such as an index that was made of a NaN.
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"
#include "Recur/Conversion/Passes.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {
#define GEN_PASS_DEF_CHECKNAN
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True for a tensor of real numbers.
static bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// The number of the iteration of the innermost time loop around `op`, or null if there is none.
static Value findIteration(Operation *op) {
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp())
    for (auto mark : op->getBlock()->getOps<rt::IterationOp>())
      return mark.getNumber();
  return {};
}

/// The arguments of the function that are inputs. The states that follow them hold anything until they are set.
static ValueRange getInputs(func::FuncOp func) {
  auto module = func->getParentOfType<ModuleOp>();
  auto states = module ? module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr) : DenseI64ArrayAttr();
  ValueRange arguments = func.getArguments();
  return arguments.drop_back(states ? 2 * states.size() : 0);
}

/// Creates a check that no element of `value` is NaN. `what` says what the value is.
static void check(OpBuilder &builder, Location loc, Value value, StringRef what) {
  Value isNaN = ov::IsNaNOp::create(builder, loc, value);
  if (int64_t rank = cast<RankedTensorType>(value.getType()).getRank()) {
    auto type = RankedTensorType::get({rank}, builder.getI64Type());
    auto numbers = llvm::to_vector(llvm::seq<int64_t>(rank));
    Value axes = ov::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
    isNaN = ov::ReduceLogicalOrOp::create(builder, loc, RankedTensorType::get({}, builder.getI1Type()), isNaN, axes);
  }
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value holds = arith::XOrIOp::create(builder, loc, extractElement(builder, loc, isNaN), yes);
  SmallVector<Value> details;
  std::string message = ("a NaN in the " + what).str();
  if (Value iteration = findIteration(value.getDefiningOp())) {
    details.push_back(arith::IndexCastOp::create(builder, loc, builder.getI64Type(), iteration));
    message += ", in iteration {0}";
  }
  rt::CheckOp::create(builder, loc, holds, rt::FaultKind::NaN, message, details, ValueRange());
}

namespace {
struct CheckNaN final : recur::impl::CheckNaNBase<CheckNaN> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    SmallVector<Value> results;
    llvm::DenseSet<Value> constants;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isConstant = op->hasTrait<OpTrait::ConstantLike>() ||
                        (op->getNumRegions() == 0 && op->getNumOperands() != 0 &&
                         llvm::all_of(op->getOperands(), [&](Value operand) { return constants.contains(operand); }));
      if (isConstant)
        constants.insert(op->result_begin(), op->result_end());
      else if (isa<ov::OVDialect>(op->getDialect()))
        llvm::copy_if(op->getResults(), std::back_inserter(results), isReal);
    });

    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    for (Value input : llvm::make_filter_range(getInputs(func), isReal)) {
      auto name = func.getArgAttrOfType<StringAttr>(cast<BlockArgument>(input).getArgNumber(), ov::kNameAttr);
      check(builder, name ? Location(NameLoc::get(name, input.getLoc())) : input.getLoc(), input, "input");
    }
    for (Value result : results) {
      builder.setInsertionPointAfterValue(result);
      check(builder, result.getLoc(), result, "result");
    }
  }
};
} // namespace
