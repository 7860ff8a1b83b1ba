// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AxesTest.cpp - what the axis rule of an op promises ----------------===//
//
// Part i of a result along the axis that mapAxis names is computed from part i of the operand, and in the same way for
// all i. So nothing else that stands in the operand may change it, and if the parts of all such operands change places,
// those of the result do so too. The interpreter computes each op before and after.
//
//===----------------------------------------------------------------------===//
#include "Recur/Interpreter/Interpreter.h"
#include "gtest/gtest.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace mlir;
using namespace recur;
using namespace recur::interpreter;

namespace {

/// An op with arguments, results, and the constants that it needs. `axes` are the axes of the first operand that the op
/// keeps. The arguments of integers are indices below 2.
struct Case {
  StringRef arguments, results, constants, op;
  SmallVector<int64_t> axes;
};

constexpr StringRef kOne = "%one = ov.constant dense<1> : tensor<i64>",
                    kOnes = "%ones = ov.constant dense<1> : tensor<1xi64>";

const std::vector<Case> kCases = {
    {"%x: tensor<3x4xf32>", "tensor<3x4xf32>", "", "ov.tanh %x : tensor<3x4xf32>", {0, 1}},
    {"%x: tensor<3x4xf32>, %y: tensor<2x1x4xf32>",
     "tensor<2x3x4xf32>",
     "",
     "ov.add %x, %y : (tensor<3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>",
     {0, 1}},
    {"%c: tensor<4xi1>, %x: tensor<3x4xf32>, %y: tensor<3x1xf32>",
     "tensor<3x4xf32>",
     "",
     "ov.select %c, %x, %y : (tensor<4xi1>, tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3x4xf32>", "tensor<3x4xi64>", "", "ov.convert %x : tensor<3x4xf32> to tensor<3x4xi64>", {0, 1}},
    {"%x: tensor<3x4xf32>, %y: tensor<5xi64>",
     "tensor<3x4xi64>",
     "",
     "ov.convert_like %x, %y : (tensor<3x4xf32>, tensor<5xi64>) -> tensor<3x4xi64>",
     {0, 1}},
    {"%x: tensor<2x3x4xf32>, %s: tensor<3xf32>",
     "tensor<2x3x4xf32>",
     "",
     "ov.prelu %x, %s : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>",
     {}},
    {"%x: tensor<2x3x4xf32>, %s: tensor<1xf32>",
     "tensor<2x3x4xf32>",
     "",
     "ov.prelu %x, %s : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>",
     {0, 1, 2}},
    {"%x: tensor<3x4xf32>", "tensor<3x4xf32>", "", "ov.softmax %x {axis = -1} : tensor<3x4xf32>", {0}},
    {"%x: tensor<3x4xf32>", "tensor<3x4xf32>", "", "ov.log_softmax %x {axis = 0} : tensor<3x4xf32>", {1}},
    {"%x: tensor<3x4xf32>",
     "tensor<3x4xf32>",
     kOne,
     "ov.cum_sum %x, %one : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3x4xf32>", "tensor<3x4xf32>", "", "ov.cum_sum %x : (tensor<3x4xf32>) -> tensor<3x4xf32>", {1}},
    {"%x: tensor<2x3x4xf32>",
     "tensor<2x4xf32>",
     kOne,
     "ov.reduce_sum %x, %one : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x4xf32>",
     {0, 2}},
    {"%x: tensor<2x3x4xf32>",
     "tensor<2x1x4xf32>",
     kOne,
     "ov.reduce_max %x, %one {keep_dims = true} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x1x4xf32>",
     {0, 2}},
    {"%x: tensor<2x3x4xf32>, %y: tensor<4x5xf32>",
     "tensor<2x3x5xf32>",
     "",
     "ov.matmul %x, %y : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>",
     {0, 1}},
    {"%x: tensor<4x3xf32>, %y: tensor<2x5x4xf32>",
     "tensor<2x3x5xf32>",
     "",
     "ov.matmul %x, %y {transpose_a = true, transpose_b = true} : (tensor<4x3xf32>, tensor<2x5x4xf32>) -> "
     "tensor<2x3x5xf32>",
     {1}},
    {"%x: tensor<4xf32>, %y: tensor<4x5xf32>",
     "tensor<5xf32>",
     "",
     "ov.matmul %x, %y : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>",
     {}},
    {"%x: tensor<2x2x4xf32>, %w: tensor<3x2x2xf32>",
     "tensor<2x3x3xf32>",
     "",
     "ov.convolution %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads_begin = array<i64: 0>, "
     "pads_end = array<i64: 0>} : (tensor<2x2x4xf32>, tensor<3x2x2xf32>) -> tensor<2x3x3xf32>",
     {0}},
    {"%x: tensor<2x2x4xf32>, %w: tensor<2x1x1x2xf32>",
     "tensor<2x2x3xf32>",
     "",
     "ov.group_convolution %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads_begin = array<i64: 0>, "
     "pads_end = array<i64: 0>} : (tensor<2x2x4xf32>, tensor<2x1x1x2xf32>) -> tensor<2x2x3xf32>",
     {0}},
    {"%x: tensor<2x3x4xf32>",
     "tensor<4x2x3xf32>",
     "%order = ov.constant dense<[2, 0, 1]> : tensor<3xi64>",
     "ov.transpose %x, %order : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<4x2x3xf32>",
     {0, 1, 2}},
    {"%x: tensor<2x3xf32>, %y: tensor<2x4xf32>",
     "tensor<2x7xf32>",
     "",
     "ov.concat %x, %y {axis = -1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>",
     {0}},
    {"%x: tensor<2x3x4xf32>, %n: tensor<2xi64>",
     "tensor<2x3x4xf32>",
     "",
     "ov.reverse_sequence %x, %n {batch_axis = 0, seq_axis = 2} : (tensor<2x3x4xf32>, tensor<2xi64>) -> "
     "tensor<2x3x4xf32>",
     {0, 1}},
    {"%x: tensor<3x2x4xf32>, %i: tensor<2x5xi64>",
     "tensor<3x2x5x4xf32>",
     kOne,
     "ov.gather %x, %i, %one : (tensor<3x2x4xf32>, tensor<2x5xi64>, tensor<i64>) -> tensor<3x2x5x4xf32>",
     {0, 2}},
    {"%x: tensor<3x2x4xf32>, %i: tensor<3x5xi64>",
     "tensor<3x5x4xf32>",
     kOne,
     "ov.gather %x, %i, %one {batch_dims = 1} : (tensor<3x2x4xf32>, tensor<3x5xi64>, tensor<i64>) -> "
     "tensor<3x5x4xf32>",
     {}},
    {"%x: tensor<3x2x4xf32>, %i: tensor<3x5x4xi64>",
     "tensor<3x5x4xf32>",
     "",
     "ov.gather_elements %x, %i {axis = 1} : (tensor<3x2x4xf32>, tensor<3x5x4xi64>) -> tensor<3x5x4xf32>",
     {0, 2}},
    {"%x: tensor<3x1xf32>",
     "tensor<2x3x4xf32>",
     "%to = ov.constant dense<[2, 3, 4]> : tensor<3xi64>",
     "ov.broadcast %x, %to : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>",
     {}},
    {"%x: tensor<3x1xf32>",
     "tensor<3x4xf32>",
     "%to = ov.constant dense<4> : tensor<1xi64>",
     "ov.broadcast %x, %to {mode = #ov.broadcast_mode<bidirectional>} : (tensor<3x1xf32>, tensor<1xi64>) -> "
     "tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3xf32>",
     "tensor<3x4xf32>",
     "%to = ov.constant dense<[3, 4]> : tensor<2xi64>\n%at = ov.constant dense<0> : tensor<1xi64>",
     "ov.broadcast %x, %to, %at {mode = #ov.broadcast_mode<explicit>} : (tensor<3xf32>, tensor<2xi64>, tensor<1xi64>) "
     "-> tensor<3x4xf32>",
     {}},
    {"%x: tensor<3x2xf32>",
     "tensor<2x3x4xf32>",
     "%by = ov.constant dense<[2, 1, 2]> : tensor<3xi64>",
     "ov.tile %x, %by : (tensor<3x2xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>",
     {0}},
    {"%x: tensor<3x2xf32>",
     "tensor<3x4xf32>",
     "%by = ov.constant dense<2> : tensor<1xi64>",
     "ov.tile %x, %by : (tensor<3x2xf32>, tensor<1xi64>) -> tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3x2xf32>",
     "tensor<3x4xf32>",
     "%begin = ov.constant dense<[0, 1]> : tensor<2xi64>\n%zero = ov.constant dense<0.0> : tensor<f32>",
     "ov.pad %x, %begin, %begin, %zero {pad_mode = #ov.pad_mode<constant>} : (tensor<3x2xf32>, tensor<2xi64>, "
     "tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3x4xf32>",
     "tensor<3x2xf32>",
     "%two = ov.constant dense<2> : tensor<1xi64>\n%ones = ov.constant "
     "dense<1> : tensor<1xi64>\n%none = ov.constant dense<0> : tensor<1xi64>",
     "ov.slice %x, %none, %two, %ones, %ones : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, "
     "tensor<1xi64>) -> tensor<3x2xf32>",
     {0}},
    {"%x: tensor<2x3x4xf32>",
     "tensor<1x3x4xf32>",
     "%at = ov.constant dense<[0, 1]> : tensor<2xi64>",
     "ov.strided_slice %x, %at, %at {begin_mask = array<i64: 0, 0>, end_mask = array<i64: 0, 0>, new_axis_mask = "
     "array<i64: 1, 0>, shrink_axis_mask = array<i64: 0, 1>} : (tensor<2x3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> "
     "tensor<1x3x4xf32>",
     {1, 2}},
    {"%x: tensor<3x4xf32>",
     "tensor<3x2xf32>, tensor<3x2xf32>",
     kOne,
     "ov.split %x, %one {num_splits = 2 : i64} : (tensor<3x4xf32>, tensor<i64>) -> (tensor<3x2xf32>, tensor<3x2xf32>)",
     {0}},
    {"%x: tensor<3x4xf32>",
     "tensor<1x4xf32>, tensor<2x4xf32>",
     "%zero = ov.constant dense<0> : tensor<i64>\n%by = ov.constant dense<[1, 2]> : tensor<2xi64>",
     "ov.variadic_split %x, %zero, %by : (tensor<3x4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<1x4xf32>, "
     "tensor<2x4xf32>)",
     {1}},
    {"%x: tensor<3x1x4xf32>",
     "tensor<3x4xf32>",
     kOnes,
     "ov.squeeze %x, %ones : (tensor<3x1x4xf32>, tensor<1xi64>) -> tensor<3x4xf32>",
     {0, 2}},
    {"%x: tensor<3x4xf32>",
     "tensor<1x3x1x4xf32>",
     "%at = ov.constant dense<[2, 0]> : tensor<2xi64>",
     "ov.unsqueeze %x, %at : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<1x3x1x4xf32>",
     {0, 1}},
    {"%x: tensor<3x4xf32>",
     "tensor<3x2xf32>, tensor<3x2xi64>",
     "%k = ov.constant dense<2> : tensor<i64>",
     "ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i64} : "
     "(tensor<3x4xf32>, tensor<i64>) -> (tensor<3x2xf32>, tensor<3x2xi64>)",
     {0}},
    {"%i: tensor<3x4xi64>, %on: tensor<f32>, %off: tensor<f32>",
     "tensor<3x2x4xf32>",
     "%two = ov.constant dense<2> : tensor<i64>",
     "ov.one_hot %i, %two, %on, %off {axis = 1} : (tensor<3x4xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> "
     "tensor<3x2x4xf32>",
     {0, 1}},
    {"%x: tensor<3x2xf32>, %h: tensor<3x4xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>",
     "tensor<3x4xf32>",
     "",
     "ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 4, activations = [#ov.cell_activation<tanh>], activations_alpha = "
     "[], activations_beta = []} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<4x2xf32>, tensor<4x4xf32>, "
     "tensor<4xf32>) -> tensor<3x4xf32>",
     {0}},
    {"%x: tensor<3x2x2xf32>, %h: tensor<3x1x4xf32>, %n: tensor<3xi64>, %w: tensor<1x4x2xf32>, %r: tensor<1x4x4xf32>, "
     "%b: tensor<1x4xf32>",
     "tensor<3x1x2x4xf32>, tensor<3x1x4xf32>",
     "",
     "ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 4, direction = #ov.sequence_direction<forward>, "
     "activations = [#ov.cell_activation<tanh>], activations_alpha = [], activations_beta = []} : "
     "(tensor<3x2x2xf32>, tensor<3x1x4xf32>, tensor<3xi64>, tensor<1x4x2xf32>, tensor<1x4x4xf32>, tensor<1x4xf32>) -> "
     "(tensor<3x1x2x4xf32>, tensor<3x1x4xf32>)",
     {0}},
};

/// Random elements: indices of 0 and 1, or reals.
void fill(Tensor &tensor, std::mt19937 &random, function_ref<bool(ArrayRef<int64_t>)> changes) {
  forEachPlace(tensor.getShape(), [&](ArrayRef<int64_t> place) {
    if (!changes(place))
      return;
    int64_t at = getOffset(tensor.getShape(), place);
    if (isReal(tensor.getType()))
      tensor.setReal(at, std::uniform_real_distribution<>(-2, 2)(random));
    else
      tensor.setInteger(at, random() % 2);
  });
}

class Axes : public testing::TestWithParam<Case> {};

TEST_P(Axes, KeepPartsApart) {
  const Case &test = GetParam();
  MLIRContext context;
  context.loadDialect<ov::OVDialect, func::FuncDialect, tensor::TensorDialect>();
  unsigned numResults = test.results.count("tensor<");
  std::string names = numResults == 1 ? "%result" : "%result#0, %result#1";
  std::string text =
      llvm::formatv("func.func @main({0}) -> ({1}) {{\n{2}\n%result{5} = {3}\nreturn {4} : {1}\n}", test.arguments,
                    test.results, test.constants, test.op, names, numResults == 1 ? "" : ":2");
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  auto func = *module->getOps<func::FuncOp>().begin();
  Operation *op = func.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  auto axes = dyn_cast<ov::AxesOpInterface>(op);
  ASSERT_TRUE(axes);

  std::mt19937 random(1);
  std::vector<Tensor> inputs;
  for (Type type : func.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    inputs.emplace_back(getElementType(tensor.getElementType()), tensor.getShape());
    fill(inputs.back(), random, [](ArrayRef<int64_t>) { return true; });
  }
  ModelRun before = interpret(*module, {}, inputs, {});
  ASSERT_EQ(before.status, RECUR_OK) << before.message;
  SmallVector<int64_t> kept;
  for (OpOperand &operand : op->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    for (int64_t axis = 0; argument && axis < ov::rankOf(argument); ++axis)
      for (unsigned result = 0; result < op->getNumResults(); ++result) {
        std::optional<int64_t> to = axes.mapAxis(operand.getOperandNumber(), result, axis);
        if (!to)
          continue;
        if (operand.getOperandNumber() == 0 && result == 0)
          kept.push_back(axis);
        int64_t parts = ov::shapeOf(argument)[axis];
        ASSERT_LT(*to, ov::rankOf(op->getResult(result)));
        ASSERT_TRUE(parts == 1 || parts == ov::shapeOf(op->getResult(result))[*to]) << test.op.str();
        for (int64_t part = 0; parts > 1 && part < parts; ++part) {
          std::vector<Tensor> changed = inputs;
          fill(changed[argument.getArgNumber()], random, [&](ArrayRef<int64_t> place) { return place[axis] != part; });
          ModelRun after = interpret(*module, {}, changed, {});
          ASSERT_EQ(after.status, RECUR_OK) << after.message;
          forEachPlace(before.outputs[result].getShape(), [&](ArrayRef<int64_t> place) {
            int64_t at = getOffset(before.outputs[result].getShape(), place);
            Scalar want = before.outputs[result].get(at), got = after.outputs[result].get(at);
            if (place[*to] == part)
              EXPECT_TRUE(want.real == got.real && want.integer == got.integer)
                  << test.op.str() << ": operand " << operand.getOperandNumber() << ", axis " << axis << ", part "
                  << part;
          });
        }
      }
  }
  EXPECT_EQ(kept, test.axes) << test.op.str();

  // The parts along an axis of a result, and of all that is kept as this axis, move by one place.
  auto getNext = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> place, int64_t axis) {
    SmallVector<int64_t> next(place);
    next[axis] = (next[axis] + 1) % shape[axis];
    return getOffset(shape, next);
  };
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    for (int64_t to = 0; to < ov::rankOf(op->getResult(result)); ++to) {
      std::vector<Tensor> moved = inputs;
      bool isKept = false;
      for (OpOperand &operand : op->getOpOperands()) {
        auto argument = dyn_cast<BlockArgument>(operand.get());
        for (int64_t axis = 0; argument && axis < ov::rankOf(argument); ++axis) {
          const Tensor &given = inputs[argument.getArgNumber()];
          if (given.getDim(axis) == 1 || axes.mapAxis(operand.getOperandNumber(), result, axis) != to)
            continue;
          isKept = true;
          forEachPlace(given.getShape(), [&](ArrayRef<int64_t> place) {
            moved[argument.getArgNumber()].copy(getNext(given.getShape(), place, axis), given,
                                                getOffset(given.getShape(), place));
          });
        }
      }
      if (!isKept)
        continue;
      ModelRun after = interpret(*module, {}, moved, {});
      ASSERT_EQ(after.status, RECUR_OK) << after.message;
      const Tensor &want = before.outputs[result];
      forEachPlace(want.getShape(), [&](ArrayRef<int64_t> place) {
        Scalar old = want.get(getOffset(want.getShape(), place)),
               now = after.outputs[result].get(getNext(want.getShape(), place, to));
        EXPECT_TRUE(old.real == now.real && old.integer == now.integer) << test.op.str() << ": axis " << to;
      });
    }
}

INSTANTIATE_TEST_SUITE_P(OfOps, Axes, testing::ValuesIn(kCases));

/// True if the op is of a kind that keeps all axes, as `tanh` and `add` do.
bool isElementwise(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() ||
         llvm::any_of(name.getAttributeNames(), [](StringAttr attribute) { return attribute == "auto_broadcast"; });
}

TEST(Axes, AreTestedForEachOp) {
  MLIRContext context;
  context.loadDialect<ov::OVDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("ov")) {
    if (!name.hasInterface<ov::AxesOpInterface>() || isElementwise(name))
      continue;
    // Ops of a class have one rule.
    StringRef text = name.getStringRef();
    for (auto [prefix, other] : {std::pair("ov.reduce_", "ov.reduce_sum"),
                                 {"ov.lstm_cell", "ov.rnn_cell"},
                                 {"ov.gru_cell", "ov.rnn_cell"},
                                 {"ov.lstm_sequence", "ov.rnn_sequence"},
                                 {"ov.gru_sequence", "ov.rnn_sequence"},
                                 {"ov.selu", "ov.tanh"},
                                 {"ov.hard_sigmoid", "ov.tanh"},
                                 {"ov.swish", "ov.tanh"}})
      if (text.starts_with(prefix))
        text = other;
    EXPECT_TRUE(llvm::any_of(kCases, [&](const Case &test) { return test.op.starts_with((text + " ").str()); }))
        << name.getStringRef().str();
  }
}

} // namespace
