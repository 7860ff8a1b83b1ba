// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVDialect.cpp - The ov dialect and its attributes ------------------===//
//
// Registers the ops and attributes of the dialect, materializes constants for folds, and defines the methods of the
// attributes that are written by hand.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/SliceRange.h"

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
// #ov.slice_input and #ov.concat_output
//===----------------------------------------------------------------------===//

int64_t SliceInputAttr::getStep() const {
  // The greatest number has no negative. No axis is longer than it, so it does as well.
  return getStride() == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max()
                                                            : std::abs(getStride());
}

std::optional<SliceRange<int64_t>> SliceInputAttr::getRange(int64_t dim) const {
  // These checks come first, because the formula may overflow without them.
  auto isInside = [&](int64_t at) { return at >= -dim && at < dim; };
  if (!isInside(getStart()) || !isInside(getEnd()) || getStride() == 0 || getPartSize() < 1)
    return std::nullopt;
  auto range = SliceRange<int64_t>::get(*this, dim, [](int64_t number) { return number; });
  return range.isWhole ? std::optional(range) : std::nullopt;
}

std::optional<int64_t> SliceInputAttr::countSlices(int64_t dim) const {
  std::optional<SliceRange<int64_t>> range = getRange(dim);
  return range ? std::optional(range->count) : std::nullopt;
}

bool SliceInputAttr::visitsEachElement() const {
  int64_t first = isBackward() ? -1 : 0, last = isBackward() ? 0 : -1;
  return getStart() == first && getEnd() == last && getStep() == 1 && getPartSize() == 1;
}

void SliceInputAttr::printBody(AsmPrinter &printer) const {
  printer << "along " << getAxis() << " [" << getStart() << ":" << getEnd() << ":" << getStride() << "] part "
          << getPartSize();
}

FailureOr<SliceInputAttr> SliceInputAttr::parseBody(AsmParser &parser) {
  int64_t axis, start, end, stride, partSize;
  if (parser.parseKeyword("along") || parser.parseInteger(axis) || parser.parseLSquare() ||
      parser.parseInteger(start) || parser.parseColon() || parser.parseInteger(end) || parser.parseColon() ||
      parser.parseInteger(stride) || parser.parseRSquare() || parser.parseKeyword("part") ||
      parser.parseInteger(partSize))
    return failure();
  return SliceInputAttr::get(parser.getContext(), axis, start, end, stride, partSize);
}

void ConcatOutputAttr::printBody(AsmPrinter &printer) const {
  printer << "along " << getAxis() << (getReverse() ? " reverse" : "");
}

FailureOr<ConcatOutputAttr> ConcatOutputAttr::parseBody(AsmParser &parser) {
  int64_t axis;
  if (parser.parseKeyword("along") || parser.parseInteger(axis))
    return failure();
  return ConcatOutputAttr::get(parser.getContext(), axis, succeeded(parser.parseOptionalKeyword("reverse")));
}

/// Prints and parses an attribute as its body between `<` and `>`.
template <typename AttrT>
static void printBetweenAngles(AttrT attr, AsmPrinter &printer) {
  printer << "<";
  attr.printBody(printer);
  printer << ">";
}

template <typename AttrT>
static Attribute parseBetweenAngles(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  FailureOr<AttrT> attr = AttrT::parseBody(parser);
  if (failed(attr) || parser.parseGreater())
    return {};
  return *attr;
}

void SliceInputAttr::print(AsmPrinter &printer) const { printBetweenAngles(*this, printer); }
Attribute SliceInputAttr::parse(AsmParser &parser, Type) { return parseBetweenAngles<SliceInputAttr>(parser); }
void ConcatOutputAttr::print(AsmPrinter &printer) const { printBetweenAngles(*this, printer); }
Attribute ConcatOutputAttr::parse(AsmParser &parser, Type) { return parseBetweenAngles<ConcatOutputAttr>(parser); }
