// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVDialect.cpp - The ov dialect and its attributes ------------------===//
//
// Registers the ops and attributes of the dialect, materializes constants for folds, and defines the methods of the
// attributes that are written by hand.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur::ov;

#include "Recur/Dialect/OV/IR/OVDialect.cpp.inc"
#include "Recur/Dialect/OV/IR/OVEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Recur/Dialect/OV/IR/OVAttrs.cpp.inc"

void OVDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Recur/Dialect/OV/IR/OVOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Recur/Dialect/OV/IR/OVAttrs.cpp.inc"
      >();
}

Operation *OVDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type || !isa<RankedTensorType>(type))
    return nullptr;
  return ConstantOp::create(builder, loc, type, typed);
}

namespace {
/// Replaces every result that is statically empty by a constant, whatever op produces it. So no lowering has to handle
/// slices of empty tensors.
struct EmptyIsConstant final : RewritePattern {
  explicit EmptyIsConstant(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<OVDialect>(op->getDialect()) || isa<ConstantOp>(op))
      return rewriter.notifyMatchFailure(op, "expected an op of ov that is not a constant");
    bool isChanged = false;
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape() || type.getNumElements() != 0 || result.use_empty())
        continue;
      auto nothing = DenseElementsAttr::getFromRawBuffer(type, {});
      rewriter.replaceAllUsesWith(result, ConstantOp::create(rewriter, op->getLoc(), type, nothing));
      isChanged = true;
    }
    return success(isChanged);
  }
};
} // namespace

void OVDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<EmptyIsConstant>(getContext());
}

bool recur::ov::areCompatible(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  return left && right && left.getElementType() == right.getElementType() &&
         succeeded(verifyCompatibleShape(left.getShape(), right.getShape()));
}

//===----------------------------------------------------------------------===//
// #ov.partition
//===----------------------------------------------------------------------===//

std::optional<int64_t> PartitionAttr::countParts(int64_t dim) const {
  int64_t first = getStart() < 0 ? getStart() + dim : getStart();
  int64_t final = getEnd() < 0 ? getEnd() + dim : getEnd();
  if (dim == 0)
    return std::nullopt;
  if (first < 0 || first >= dim || final < 0 || final >= dim || getStride() == 0 || getPart() < 1)
    return std::nullopt;
  // If only one index is visited, `start` and `end` are equal and fit either direction.
  if (first != final && (first > final) != isBackward())
    return std::nullopt;
  uint64_t span = uint64_t(first > final ? first - final : final - first) + 1;
  uint64_t step = isBackward() ? -uint64_t(getStride()) : uint64_t(getStride());
  if (span < uint64_t(getPart()) || (span - getPart()) % step != 0)
    return std::nullopt;
  return int64_t((span - getPart()) / step) + 1;
}

void PartitionAttr::printBody(AsmPrinter &printer) const {
  printer << "along " << getAxis() << " [" << getStart() << ":" << getEnd() << ":" << getStride() << "] part "
          << getPart();
}

FailureOr<PartitionAttr> PartitionAttr::parseBody(AsmParser &parser) {
  int64_t axis, start, end, stride, part;
  if (parser.parseKeyword("along") || parser.parseInteger(axis) || parser.parseLSquare() ||
      parser.parseInteger(start) || parser.parseColon() || parser.parseInteger(end) || parser.parseColon() ||
      parser.parseInteger(stride) || parser.parseRSquare() || parser.parseKeyword("part") || parser.parseInteger(part))
    return failure();
  return PartitionAttr::get(parser.getContext(), axis, start, end, stride, part);
}

void PartitionAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBody(printer);
  printer << ">";
}

Attribute PartitionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<PartitionAttr> attr = parseBody(parser);
  if (failed(attr) || parser.parseGreater())
    return {};
  return *attr;
}

//===----------------------------------------------------------------------===//
// #ov.weights
//===----------------------------------------------------------------------===//

WeightsAttr WeightsAttr::append(Attribute step, RankedTensorType result) const {
  SmallVector<Attribute> steps(getLayout());
  steps.push_back(step);
  return WeightsAttr::get(getContext(), getOffset(), getStored(), steps, result);
}
