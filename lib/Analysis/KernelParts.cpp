// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelParts.cpp - How the call of a kernel can be divided ----------===//
//
// Writes and reads the attribute. Its form is checked by the verifier of the rt dialect.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/KernelParts.h"

#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/RT/IR/RT.h"

using namespace mlir;
using namespace recur;

void recur::setKernelParts(Operation *kernel, const KernelParts &parts) {
  Builder builder(kernel->getContext());
  auto getPairs = [&](ArrayRef<std::pair<int64_t, int64_t>> pairs) {
    return builder.getArrayAttr(llvm::map_to_vector(pairs, [&](std::pair<int64_t, int64_t> pair) -> Attribute {
      return builder.getI64ArrayAttr({pair.first, pair.second});
    }));
  };
  SmallVector<NamedAttribute> entries{builder.getNamedAttr("along", getPairs(parts.along)),
                                      builder.getNamedAttr("grain", builder.getI64IntegerAttr(parts.grain)),
                                      builder.getNamedAttr("sizes", getPairs(parts.sizes)),
                                      builder.getNamedAttr("cost", builder.getI64IntegerAttr(parts.cost))};
  if (parts.scratch)
    entries.push_back(builder.getNamedAttr("scratch", builder.getI64IntegerAttr(*parts.scratch)));
  if (parts.other)
    entries.push_back(builder.getNamedAttr(
        "other",
        builder.getDictionaryAttr({builder.getNamedAttr("along", getPairs(parts.other->along)),
                                   builder.getNamedAttr("least", builder.getI64IntegerAttr(parts.other->least))})));
  kernel->setAttr(rt::kPartsAttr, builder.getDictionaryAttr(entries));
}

std::optional<KernelParts> recur::getKernelParts(func::CallOp call) {
  func::FuncOp kernel = getKernel(call);
  if (!kernel)
    return std::nullopt;
  auto attribute = call->getAttrOfType<DictionaryAttr>(rt::kPartsAttr);
  if (!attribute)
    attribute = kernel->getAttrOfType<DictionaryAttr>(rt::kPartsAttr);
  if (!attribute)
    return std::nullopt;
  auto getInteger = [&](Attribute number) { return cast<IntegerAttr>(number).getInt(); };
  auto getPairs = [&](DictionaryAttr of, StringRef name) {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto pair : of.getAs<ArrayAttr>(name).getAsRange<ArrayAttr>())
      pairs.push_back({getInteger(pair[0]), getInteger(pair[1])});
    return pairs;
  };
  KernelParts parts{getPairs(attribute, "along"), getInteger(attribute.get("grain")), getPairs(attribute, "sizes"),
                    getInteger(attribute.get("cost"))};
  if (Attribute scratch = attribute.get("scratch"))
    parts.scratch = getInteger(scratch);
  if (auto other = attribute.getAs<DictionaryAttr>("other"))
    parts.other = {getPairs(other, "along"), getInteger(other.get("least"))};
  return parts;
}
