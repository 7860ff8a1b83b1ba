// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackWeightsTest.cpp - steps from the weights file to packed weights ===//
#include "Recur/Compiler/PackWeights.h"
#include "Recur/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace recur;

namespace {

class PackWeights : public testing::Test {
protected:
  PackWeights() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Applies `steps` to `elements` of type `type` and shape `shape`.
  template <typename Out, typename In>
  std::vector<Out> pack(ArrayRef<In> elements, Type type, ArrayRef<int64_t> shape,
                        ArrayRef<ov::LayoutStepAttrInterface> steps) {
    auto stored = RankedTensorType::get(shape, type);
    RankedTensorType result = stored;
    for (ov::LayoutStepAttrInterface step : steps)
      result = *step.inferType(result, [&] { return emitError(UnknownLoc::get(&context)); });
    auto weights = ov::WeightsAttr::get(&context, /*offset=*/0, stored, steps, result);
    std::vector<Out> output(result.getNumElements());
    ArrayRef<char> file(reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(In));
    llvm::Error error =
        packConstant(weights, file, {reinterpret_cast<char *>(output.data()), output.size() * sizeof(Out)});
    EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
    return output;
  }

  ov::LayoutStepAttrInterface transpose(ArrayRef<int64_t> permutation) {
    return ov::TransposeStepAttr::get(&context, permutation);
  }

  MLIRContext context;
};

TEST_F(PackWeights, EveryHalfIsWidenedAsAPFloatDoes) {
  std::vector<uint16_t> halves(1 << 16);
  for (auto [i, half] : llvm::enumerate(halves))
    half = i;
  auto widened = pack<uint32_t, uint16_t>(halves, Float16Type::get(&context), {1 << 16},
                                          {ov::ConvertStepAttr::get(&context, Float32Type::get(&context))});
  for (auto [half, bits] : llvm::zip_equal(halves, widened)) {
    llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, half));
    bool ignored;
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &ignored);
    ASSERT_EQ(bits, value.bitcastToAPInt().getZExtValue()) << half;
  }
}

TEST_F(PackWeights, EveryPermutationMovesEachElementToItsPlace) {
  for (SmallVector<int64_t> shape : {SmallVector<int64_t>{37, 70, 3, 18}, {1, 5, 1, 65}, {2, 1, 33, 1}}) {
    std::vector<int32_t> elements(llvm::product_of(shape));
    for (auto [i, element] : llvm::enumerate(elements))
      element = i;
    SmallVector<int64_t> permutation{0, 1, 2, 3};
    do {
      auto moved = pack<int32_t, int32_t>(elements, IntegerType::get(&context, 32), shape, {transpose(permutation)});
      SmallVector<int64_t> index(4);
      for (int64_t i = 0, e = moved.size(); i < e; ++i) {
        for (int64_t d = 3, rest = i; d >= 0; rest /= shape[permutation[d]], --d)
          index[permutation[d]] = rest % shape[permutation[d]];
        int64_t place = ((index[0] * shape[1] + index[1]) * shape[2] + index[2]) * shape[3] + index[3];
        ASSERT_EQ(moved[i], place) << i << " of permutation " << testing::PrintToString(ArrayRef(permutation).vec());
      }
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
}

TEST_F(PackWeights, ReshapesBetweenStepsKeepTheElements) {
  std::vector<int32_t> elements(2 * 3 * 4);
  for (auto [i, element] : llvm::enumerate(elements))
    element = i;
  auto shape = [&](ArrayRef<int64_t> shape) -> ov::LayoutStepAttrInterface {
    return ov::ReshapeStepAttr::get(&context, DenseI64ArrayAttr::get(&context, shape));
  };
  Type i32 = IntegerType::get(&context, 32);
  // Each step reads what the one before wrote, whatever reshapes are between them.
  auto twice = pack<int32_t, int32_t>(elements, i32, {2, 3, 4},
                                      {transpose({2, 1, 0}), shape({12, 2}), transpose({1, 0}), shape({2, 12}),
                                       transpose({1, 0}), shape({4, 3, 2}), transpose({2, 1, 0}), shape({24})});
  EXPECT_EQ(twice, elements);
  EXPECT_EQ((pack<int32_t, int32_t>(elements, i32, {2, 3, 4}, {shape({6, 4}), shape({24})})), elements);
}

TEST_F(PackWeights, ColumnsOfTheLastBlockAreFilledWithZeros) {
  std::vector<int32_t> elements{1, 2, 3, 4, 5, 6};
  auto packed = pack<int32_t, int32_t>(elements, IntegerType::get(&context, 32), {2, 3},
                                       {ov::PackStepAttr::get(&context, /*block=*/2)});
  EXPECT_EQ(packed, (std::vector<int32_t>{1, 2, 4, 5, 3, 0, 6, 0}));
}

} // namespace
