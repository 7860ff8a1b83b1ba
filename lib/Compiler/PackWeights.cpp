// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackWeights.cpp - From the weights file to packed weights ----------===//
//
// Passes do not change the elements of large constants. They only add layout steps to their `#ov.weights` attributes.
// This file applies the steps once, after lowering.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/PackWeights.h"

#include "Recur/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace recur;

/// The bytes of a constant. The verifier of `#ov.weights` has checked that the number does not overflow.
static size_t countBytes(RankedTensorType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The elements of the constants that a step combines with another one, one constant after the other.
static llvm::Expected<std::vector<char>> getOwnElements(ov::LayoutStepAttrInterface step, ArrayRef<char> file) {
  std::vector<char> bytes;
  for (TypedAttr own : step.getOwnConstants()) {
    if (auto dense = dyn_cast<DenseElementsAttr>(own)) {
      ArrayRef<char> raw = dense.getRawData();
      for (int64_t i = 0, count = dense.isSplat() ? dense.getNumElements() : 1; i < count; ++i)
        bytes.insert(bytes.end(), raw.begin(), raw.end());
      continue;
    }
    auto weights = cast<ov::WeightsAttr>(own);
    size_t before = bytes.size(), size = countBytes(weights.getTensorType());
    bytes.resize(before + size);
    if (llvm::Error error = recur::packConstant(weights, file, MutableArrayRef(bytes).drop_front(before)))
      return error;
  }
  return bytes;
}

double RoundingLoss::getRelativeError() const { return squares > 0 ? std::sqrt(errorSquares / squares) : 0; }

void RoundingLoss::add(ov::LayoutStepAttrInterface step, RankedTensorType type, ArrayRef<char> input,
                       ArrayRef<char> output) {
  auto convert = dyn_cast<ov::ConvertStepAttr>(step);
  auto quantize = dyn_cast<ov::QuantizeStepAttr>(step);
  if (!type.getElementType().isF32() || !(quantize || (convert && convert.getElementType().isBF16())))
    return;
  // The program computes with the elements of the narrow type, widened.
  std::vector<char> widened(input.size());
  if (quantize)
    quantize.dequantize(type, input, output, widened);
  else
    ov::ConvertStepAttr::get(type.getContext(), type.getElementType())
        .apply(type.clone(convert.getElementType()), output, {}, widened);
  ++constants;
  elements += type.getNumElements();
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    float exact, rounded;
    std::memcpy(&exact, &input[i * sizeof exact], sizeof exact);
    std::memcpy(&rounded, &widened[i * sizeof rounded], sizeof rounded);
    double error = double(exact) - rounded;
    if (!std::isfinite(error))
      continue;
    squares += double(exact) * exact;
    errorSquares += error * error;
  }
}

namespace {
/// Applies the steps of constants, one constant after the other.
class Packer {
public:
  Packer(ArrayRef<char> file, RoundingLoss *loss) : file(file), loss(loss) {}

  llvm::Error pack(ov::WeightsAttr weights, MutableArrayRef<char> output) {
    RankedTensorType type = weights.getStored();
    size_t size = countBytes(type), offset = weights.getOffset();
    if (size > file.size() || offset > file.size() - size)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a constant needs bytes from offset %zu that the weights file, of %zu bytes, does "
                                     "not have",
                                     offset, file.size());
    ArrayRef<char> bytes = file.slice(offset, size);
    SmallVector<ov::LayoutStepAttrInterface> steps;
    // In the file, each byte except 0 is true. Generated code expects 0 and 1.
    if (type.getElementType().isInteger(1))
      steps.push_back(ov::ConvertStepAttr::get(type.getContext(), type.getElementType()));
    llvm::append_range(steps, weights.getLayout());
    for (auto [index, step] : llvm::enumerate(steps)) {
      RankedTensorType input = type;
      type = *step.inferType(input, [&] { return emitError(UnknownLoc::get(input.getContext())); });
      // The elements stay where they are.
      if (isa<ov::ReshapeStepAttr>(step))
        continue;
      // The last step writes to the packed weights.
      bool isLast = index + 1 == steps.size() && countBytes(type) == output.size();
      MutableArrayRef<char> target = isLast ? output : getScratch(countBytes(type));
      llvm::Expected<std::vector<char>> own = getOwnElements(step, file);
      if (!own)
        return own.takeError();
      step.apply(input, bytes, *own, target);
      if (loss)
        loss->add(step, input, bytes, target);
      bytes = target;
    }
    if (bytes.size() != output.size())
      return llvm::createStringError("a constant does not fill its place in the packed weights");
    if (bytes.data() != output.data())
      llvm::copy(bytes, output.begin());
    return llvm::Error::success();
  }

private:
  /// The scratch that no step is reading: steps read one and write the other in turn.
  MutableArrayRef<char> getScratch(size_t bytes) {
    SmallVector<char, 0> &scratch = scratches[isSecond = !isSecond];
    scratch.resize_for_overwrite(bytes);
    return scratch;
  }

  ArrayRef<char> file;
  RoundingLoss *loss;
  SmallVector<char, 0> scratches[2];
  bool isSecond = false;
};
} // namespace

llvm::Error recur::packConstant(ov::WeightsAttr weights, ArrayRef<char> file, MutableArrayRef<char> output,
                                RoundingLoss *loss) {
  return Packer(file, loss).pack(weights, output);
}

llvm::Expected<RoundingLoss> recur::packWeights(ModuleOp module, ArrayRef<char> file, MutableArrayRef<char> output) {
  auto plan = module->getAttrOfType<ArrayAttr>(rt::kWeightsPlanAttr);
  RoundingLoss loss;
  if (!plan)
    return loss;
  Packer packer(file, &loss);
  for (Attribute entry : plan) {
    auto pair = cast<ArrayAttr>(entry);
    auto weights = cast<ov::WeightsAttr>(pair[0]);
    size_t offset = cast<IntegerAttr>(pair[1]).getInt();
    size_t size = countBytes(weights.getTensorType());
    if (offset > output.size() || size > output.size() - offset)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "a constant lies outside of the packed weights");
    if (llvm::Error error = packer.pack(weights, output.slice(offset, size)))
      return error;
  }
  return loss;
}
