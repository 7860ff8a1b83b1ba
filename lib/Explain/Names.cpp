// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Names.cpp - what values and numbers of a model are called ----------===//
//
// The importer gives each op the location of its layer: a name, and the line and column in the text.
//
//===----------------------------------------------------------------------===//
#include "Names.h"

#include "Recur/Dialect/OV/IR/LayerName.h"
#include "Recur/Dialect/OV/IR/Layers.h"
#include "Recur/Dialect/OV/IR/SliceRange.h"
#include "Recur/Dialect/OV/Transforms/SequenceLengths.h"
#include "Recur/Target/ElementType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace recur;

/// From this number on, a limit of iterations is none.
static constexpr int64_t kNoLimit = int64_t(1) << 62;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// The text that begins at a line and column of a source; empty if there is none.
static StringRef findText(const llvm::SourceMgr &sources, FileLineColLoc place) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
    if (buffer->getBufferIdentifier() != place.getFilename().getValue() || !place.getLine() || !place.getColumn())
      continue;
    llvm::SMLoc start =
        const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(id, place.getLine(), place.getColumn());
    if (start.isValid())
      return StringRef(start.getPointer(), buffer->getBufferEnd() - start.getPointer());
  }
  return {};
}

/// The value of an attribute of the element at the start of `text`; empty if there is none. The importer has accepted
/// the text.
static StringRef findAttribute(StringRef text, StringRef wanted) {
  if (!text.consume_front("<layer"))
    return {};
  for (;;) {
    text = text.ltrim();
    auto [name, rest] = text.split('=');
    rest = rest.ltrim();
    if (name.contains('>') || rest.empty())
      return {};
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return {};
    if (name.rtrim() == wanted)
      return rest.slice(1, end);
    text = rest.drop_front(end + 1);
  }
}

LayerPlace recur::findLayer(Location loc, const llvm::SourceMgr &sources) {
  LayerPlace layer;
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner)) {
      layer.name = name.getName().str();
      place = dyn_cast<FileLineColLoc>(name.getChildLoc());
      return WalkResult::interrupt();
    }
    if (auto own = dyn_cast<FileLineColLoc>(inner); own && !place)
      place = own;
    return WalkResult::advance();
  });
  if (place) {
    layer.file = llvm::sys::path::filename(place.getFilename().getValue()).str();
    layer.line = place.getLine();
    layer.column = place.getColumn();
    layer.id = findAttribute(findText(sources, place), "id").str();
  }
  return layer;
}

std::string recur::getLayerType(Operation *op) {
  const ov::LayerType *type = ov::findLayerTypeOfOp(op->getName().getStringRef());
  return type ? type->name.str() : op->getName().getStringRef().str();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The name in a location, or `fallback`.
static std::string getName(Location loc, const Twine &fallback) {
  StringRef name = getLayerName(loc);
  return name.empty() ? fallback.str() : name.str();
}

/// The text of a constant whose elements are all the same; empty for another one.
static std::string spellConstant(ov::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || !dense.isSplat())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  Type type = dense.getElementType();
  if (type.isInteger(1))
    os << (dense.getSplatValue<bool>() ? "true" : "false");
  else if (isa<IntegerType>(type))
    dense.getSplatValue<APInt>().print(os, !type.isUnsignedInteger());
  else
    os << llvm::format("%g", dense.getSplatValue<APFloat>().convertToDouble());
  return text;
}

/// A description of an argument of a loop, for one without a name.
static std::string describeArgument(BlockArgument argument) {
  auto loop = cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber(), others = argument.getOwner()->getNumArguments();
  others -= loop.getRegionIterArgs().size();
  // The arguments in front of the states are the number of the iteration, if the body reads it, and the slices.
  return number < others ? "value " + std::to_string(number) + " of the iteration"
                         : "state " + std::to_string(number - others);
}

std::string recur::getName(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function)
      return ::getName(argument.getLoc(), describeArgument(argument));
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ov::kNameAttr);
    return name ? name.str() : "in_" + std::to_string(argument.getArgNumber());
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<ov::ConstantOp>(op))
    if (std::string text = spellConstant(constant); !text.empty())
      return text;
  return ::getName(op->getLoc(), getLayerType(op));
}

std::string recur::getUsers(Value value) {
  constexpr size_t kMost = 3;
  std::vector<std::string> names;
  auto add = [&](std::string name) {
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  // Uses are in no order: outputs come first, then layers as the text has them. A layer stands for those in its bodies.
  Region *region = value.getParentRegion();
  SmallVector<Operation *> layers;
  SmallVector<unsigned> outputs;
  for (OpOperand &use : value.getUses()) {
    if (isa<func::ReturnOp>(use.getOwner()))
      outputs.push_back(use.getOperandNumber());
    else if (Operation *user = region->findAncestorOpInRegion(*use.getOwner()); !llvm::is_contained(layers, user))
      layers.push_back(user);
  }
  llvm::sort(outputs);
  for (unsigned output : outputs) {
    auto function = region->getParentOfType<func::FuncOp>();
    auto name = function.getResultAttrOfType<StringAttr>(output, ov::kNameAttr);
    add(name ? name.str() : "out_" + std::to_string(output));
  }
  llvm::sort(layers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *user : layers) {
    Operation *parent = user->getParentOp();
    if (!user->hasTrait<OpTrait::IsTerminator>())
      add(::getName(user->getLoc(), getLayerType(user)));
    else if (isa<LoopLikeOpInterface>(parent))
      add("the end of the iteration");
    else
      add(::getName(parent->getLoc(), getLayerType(parent)));
  }
  if (names.size() > kMost) {
    names[kMost - 1] = std::to_string(names.size() - kMost + 1) + " more";
    names.resize(kMost);
  }
  return llvm::join(names, ", ");
}

std::string recur::spellType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  TensorDescription description;
  description.elementType = getElementType(tensor.getElementType());
  for (int64_t dim : tensor.getShape())
    description.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  return describeType(description);
}

std::optional<double> recur::countTensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape())
    return std::nullopt;
  return double(tensor.getNumElements()) * getElementBytes(getElementType(tensor.getElementType()));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string CountText::spell(Dim dim, bool isOperand) {
  const ov::DimExpressions::Expr expr = dims.exprs.get(dim);
  auto join = [&](StringRef separator) {
    llvm::ListSeparator list(separator);
    std::string text;
    for (Dim operand : expr.operands)
      text += StringRef(list).str() + spell(operand, /*isOperand=*/separator != ", ");
    return isOperand ? "(" + text + ")" : text;
  };
  switch (expr.kind) {
  case ov::DimKind::constant:
    return std::to_string(expr.number);
  case ov::DimKind::dim:
    return "dim " + std::to_string(expr.number) + " of " + getName(expr.value);
  case ov::DimKind::element:
    if (ov::getStaticLength(expr.value) == 1)
      return spellSymbol(expr.value);
    return "element " + std::to_string(expr.number) + " of " + getName(expr.value);
  case ov::DimKind::index:
    return getName(expr.value);
  case ov::DimKind::join:
    return "broadcast(" + join(", ") + ")";
  case ov::DimKind::sum:
    return join(" + ");
  case ov::DimKind::product:
    return join(" * ");
  case ov::DimKind::quotient:
    return join(" / ");
  case ov::DimKind::steps:
    return "ceil(" + spell(expr.operands[0]) + " / " + std::to_string(expr.number) + ")";
  case ov::DimKind::ifZero:
    return spell(expr.operands[0]) + ", or " + spell(expr.operands[1]) + " if that is 0";
  }
  llvm_unreachable("unknown kind of expression");
}

std::string CountText::spellDim(Value tensor, int64_t axis) {
  std::optional<Dim> dim = dims.get(tensor, axis);
  return dim ? spell(*dim) : "dim " + std::to_string(axis) + " of " + getName(tensor);
}

/// The constant number of a tensor of one element.
static std::optional<int64_t> getNumber(Value value) {
  auto constant = value.getDefiningOp<ov::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
  if (!dense || dense.getNumElements() != 1)
    return std::nullopt;
  return (*dense.begin()).getSExtValue();
}

std::string CountText::spellElement(Value value) {
  std::optional<Dim> element = dims.getElement(value, 0);
  return element ? spell(*element) : spellSymbol(value);
}

std::string CountText::spellSymbol(Value value) {
  // Passes limit counts by minimum and maximum, which expressions of dims do not have.
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<ov::MinimumOp, ov::MaximumOp>(op))
    return getName(value);
  bool isMinimum = isa<ov::MinimumOp>(op);
  for (unsigned i : {0, 1})
    if (std::optional<int64_t> number = getNumber(op->getOperand(i));
        number && (isMinimum ? *number >= kNoLimit : *number == 0))
      return spellElement(op->getOperand(1 - i));
  return std::string(isMinimum ? "min(" : "max(") + spellElement(op->getOperand(0)) + ", " +
         spellElement(op->getOperand(1)) + ")";
}

namespace {
/// Whether slices fit an axis, which only the call knows.
struct Unknown {
  Unknown operator&(Unknown) const { return {}; }
};

/// A number in terms of a dim that only the call knows: (scale * dim + offset) / divisor + more. It is an Index of
/// SliceRange.
struct LengthTerm {
  int64_t scale, offset, divisor = 1, more = 0;

  LengthTerm operator+(LengthTerm other) const {
    if (divisor != 1)
      return {scale, offset, divisor, more + other.offset};
    return {scale + other.scale, offset + other.offset};
  }
  LengthTerm operator-(LengthTerm other) const { return {scale - other.scale, offset - other.offset}; }
  LengthTerm operator/(LengthTerm other) const { return {scale, offset, other.offset}; }
  LengthTerm operator%(LengthTerm) const { return *this; }
  Unknown operator<(LengthTerm) const { return {}; }
  Unknown operator>=(LengthTerm) const { return {}; }
  Unknown operator==(LengthTerm) const { return {}; }

  std::string spell(const std::string &dim) const {
    if (!scale)
      return std::to_string(offset / divisor + more);
    auto add = [](std::string text, int64_t number) {
      if (number)
        text += (number < 0 ? " - " : " + ") + std::to_string(std::abs(number));
      return text;
    };
    if (divisor == 1)
      return add(dim, offset + more);
    if (offset % divisor == 0)
      return add(dim + " / " + std::to_string(divisor), offset / divisor + more);
    return add("(" + add(dim, offset) + ") / " + std::to_string(divisor), more);
  }
};
} // namespace

std::string CountText::describe(ov::TensorIteratorOp loop) {
  if (std::optional<int64_t> count = loop.getStaticCount())
    return std::to_string(*count);
  ov::SliceInputAttr slice = loop.getSliceAt(0);
  auto range =
      ov::SliceRange<LengthTerm>::get(slice, LengthTerm{1, 0}, [](int64_t number) { return LengthTerm{0, number}; });
  return range.count.spell(spellDim(loop.getSliced()[0], slice.getAxis()));
}

std::string CountText::describe(ov::LoopOp loop) {
  if (std::optional<int64_t> count = loop.getStaticCount())
    return std::to_string(*count);
  std::optional<int64_t> limit = getNumber(loop.getTripCount());
  bool isLimited = !limit || (*limit >= 0 && *limit < kNoLimit);
  std::string count = isLimited ? limit ? std::to_string(*limit) : spellElement(loop.getTripCount()) : "";
  std::string text;
  if (loop.isConditionAlwaysTrue())
    text = isLimited ? count : "without end";
  else
    text = "until " + getName(loop.getYield().getCondition()) + " is false" +
           (isLimited ? ", at most " + count : std::string());
  if (ov::getConstantBool(loop.getCondition()) != true)
    text += ", and none if " + getName(loop.getCondition()) + " is false";
  return text;
}

std::string CountText::describeSequence(Value x, Value lengths) {
  std::string length = spellDim(x, 1);
  return ov::hasWholeLengths(x, lengths) ? length : length + ", or less by " + getName(lengths);
}
