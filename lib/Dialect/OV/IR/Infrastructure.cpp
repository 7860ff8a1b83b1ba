// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Infrastructure.cpp - Constants, TensorIterator and Loop ------------===//
//
// The two loop ops have the same structure (sliced inputs, carried values, last values, concatenations). Templates over
// the op class define their syntax, verification and interfaces once. Only carried values are forwarded by
// RegionBranchOpInterface and LoopLikeOpInterface; the other values are the op's own semantics.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, WeightsAttr>(getValue()))
    return emitOpError("expected a value that is dense or #ov.weights, but got ") << getValue();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) { setNameFn(getResult(), "cst"); }

//===----------------------------------------------------------------------===//
// Shared by both loops
//===----------------------------------------------------------------------===//

/// The number of block arguments in front of the slices: 1 if the body has the iteration index.
static unsigned getNumIndexArgs(TensorIteratorOp) { return 0; }
static unsigned getNumIndexArgs(LoopOp op) { return op.getHasIndex() ? 1 : 0; }

/// True if a sliced axis of no elements gives no iteration.
static bool mayBeEmpty(TensorIteratorOp op) { return op.getMayBeEmpty(); }
static bool mayBeEmpty(LoopOp) { return true; }

template <typename LoopT>
static Block::BlockArgListType getSliceArgsOf(LoopT op) {
  return op.getBodyBlock()->getArguments().slice(getNumIndexArgs(op), op.getSliced().size());
}

template <typename LoopT>
static Block::BlockArgListType getCarriedArgsOf(LoopT op) {
  return op.getBodyBlock()->getArguments().drop_front(getNumIndexArgs(op) + op.getSliced().size());
}

template <typename LoopT>
static void nameBlockArguments(LoopT op, Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty() || region.getNumArguments() < getNumIndexArgs(op) + op.getSliced().size())
    return;
  if (getNumIndexArgs(op))
    setName(region.getArgument(0), "index");
  for (BlockArgument arg : getSliceArgsOf(op))
    setName(arg, "slice");
  for (BlockArgument arg : getCarriedArgsOf(op))
    setName(arg, "state");
}

/// Adds the successors of the body's end or of the op itself: the body, and the op's results if `toResults`. On both
/// edges, only the carried values are forwarded.
template <typename LoopT>
static void addSuccessors(LoopT op, bool toResults, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.emplace_back(&op.getBody(), getCarriedArgsOf(op));
  if (toResults)
    regions.emplace_back(op.getOperation(), op.getCarried());
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// The clauses of a loop. Each function parses one clause, with the form `slices(...)`, `carried(...)`, `last(...)` or
// `concats(...)`. An absent clause is empty.

static ParseResult parseSlices(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &args,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands, SmallVectorImpl<Type> &types,
                               SmallVectorImpl<Attribute> &slices) {
  if (failed(parser.parseOptionalKeyword("slices")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument arg;
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    if (parser.parseArgument(arg) || parser.parseEqual() || parser.parseOperand(operand))
      return failure();
    FailureOr<SliceInputAttr> slice = SliceInputAttr::parseBody(parser);
    if (failed(slice) || parser.parseColonType(type) || parser.parseKeyword("to") || parser.parseType(arg.type))
      return failure();
    args.push_back(arg);
    operands.push_back(operand);
    types.push_back(type);
    slices.push_back(*slice);
    return success();
  });
}

static ParseResult parseCarried(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &args,
                                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("carried")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument arg;
    OpAsmParser::UnresolvedOperand operand;
    if (parser.parseArgument(arg) || parser.parseEqual() || parser.parseOperand(operand) ||
        parser.parseColonType(arg.type))
      return failure();
    args.push_back(arg);
    operands.push_back(operand);
    types.push_back(arg.type);
    return success();
  });
}

static ParseResult parseLast(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("last")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        [&] { return parser.parseType(types.emplace_back()); });
}

static ParseResult parseConcats(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                                SmallVectorImpl<Attribute> &concats) {
  if (failed(parser.parseOptionalKeyword("concats")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    FailureOr<ConcatOutputAttr> concat = ConcatOutputAttr::parseBody(parser);
    if (failed(concat) || parser.parseColonType(types.emplace_back()))
      return failure();
    concats.push_back(*concat);
    return success();
  });
}

static ParseResult parseEmptyDims(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                  SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("empty")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    return failure(parser.parseOperand(operands.emplace_back()) || parser.parseColonType(types.emplace_back()));
  });
}

/// Parses everything after the leading clauses of an op. `lead` are the operands of these clauses (trip count and
/// condition), which come first in the list of operands.
template <typename LoopT>
static ParseResult parseLoopTail(OpAsmParser &parser, OperationState &state,
                                 ArrayRef<OpAsmParser::UnresolvedOperand> lead, ArrayRef<Type> leadTypes,
                                 SmallVectorImpl<OpAsmParser::Argument> &args) {
  SmallVector<OpAsmParser::UnresolvedOperand> sliced, inits, emptyDims;
  SmallVector<Type> slicedTypes, carriedTypes, lastTypes, concatTypes, emptyDimsTypes;
  SmallVector<Attribute> slices, concats;
  SMLoc loc = parser.getCurrentLocation();
  if (parseSlices(parser, args, sliced, slicedTypes, slices) || parseCarried(parser, args, inits, carriedTypes) ||
      parseLast(parser, lastTypes) || parseConcats(parser, concatTypes, concats) ||
      parseEmptyDims(parser, emptyDims, emptyDimsTypes) || parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  LoopT::ensureTerminator(*body, parser.getBuilder(), state.location);
  if (parser.resolveOperands(lead, leadTypes, loc, state.operands) ||
      parser.resolveOperands(sliced, slicedTypes, loc, state.operands) ||
      parser.resolveOperands(inits, carriedTypes, loc, state.operands) ||
      parser.resolveOperands(emptyDims, emptyDimsTypes, loc, state.operands))
    return failure();
  auto &properties = state.getOrAddProperties<typename LoopT::Properties>();
  properties.slices = parser.getBuilder().getArrayAttr(slices);
  properties.concats = parser.getBuilder().getArrayAttr(concats);
  SmallVector<int32_t> segments(lead.size(), 1);
  segments.push_back(sliced.size());
  segments.push_back(inits.size());
  segments.push_back(emptyDims.size());
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.resultSegmentSizes = {int32_t(carriedTypes.size()), int32_t(lastTypes.size()),
                                   int32_t(concatTypes.size())};
  state.addTypes(carriedTypes);
  state.addTypes(lastTypes);
  state.addTypes(concatTypes);
  return success();
}

template <typename LoopT>
static void printLoopTail(OpAsmPrinter &printer, LoopT op) {
  if (!op.getSliced().empty()) {
    printer << " slices(";
    llvm::interleaveComma(llvm::seq<unsigned>(0, op.getSliced().size()), printer, [&](unsigned i) {
      printer << getSliceArgsOf(op)[i] << " = " << op.getSliced()[i] << " ";
      op.getSliceAt(i).printBody(printer);
      printer << " : " << op.getSliced()[i].getType() << " to " << getSliceArgsOf(op)[i].getType();
    });
    printer << ")";
  }
  if (!op.getInitArgs().empty()) {
    printer << " carried(";
    llvm::interleaveComma(llvm::zip(getCarriedArgsOf(op), op.getInitArgs()), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : " << std::get<0>(pair).getType();
    });
    printer << ")";
  }
  if (!op.getLast().empty())
    printer << " last(" << op.getLast().getTypes() << ")";
  if (!op.getConcatenated().empty()) {
    printer << " concats(";
    llvm::interleaveComma(llvm::seq<unsigned>(0, op.getConcatenated().size()), printer, [&](unsigned i) {
      op.getConcatAt(i).printBody(printer);
      printer << " : " << op.getConcatenated()[i].getType();
    });
    printer << ")";
  }
  if (!op.getEmptyDims().empty()) {
    printer << " empty(";
    llvm::interleaveComma(op.getEmptyDims(), printer, [&](Value dims) { printer << dims << " : " << dims.getType(); });
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword(
      op->getAttrs(), {"operandSegmentSizes", "resultSegmentSizes", "slices", "concats", "has_index"});
  printer << " ";
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult TensorIteratorOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> args;
  return parseLoopTail<TensorIteratorOp>(parser, state, {}, {}, args);
}

void TensorIteratorOp::print(OpAsmPrinter &printer) { printLoopTail(printer, *this); }

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand lead[2];
  Type leadTypes[2];
  if (parser.parseKeyword("trip") || parser.parseLParen() || parser.parseOperand(lead[0]) ||
      parser.parseColonType(leadTypes[0]) || parser.parseRParen() || parser.parseKeyword("while") ||
      parser.parseLParen() || parser.parseOperand(lead[1]) || parser.parseColonType(leadTypes[1]) ||
      parser.parseRParen())
    return failure();
  SmallVector<OpAsmParser::Argument> args;
  if (succeeded(parser.parseOptionalKeyword("index"))) {
    OpAsmParser::Argument &arg = args.emplace_back();
    if (parser.parseLParen() || parser.parseArgument(arg) || parser.parseColonType(arg.type) || parser.parseRParen())
      return failure();
    state.getOrAddProperties<Properties>().has_index = parser.getBuilder().getUnitAttr();
  }
  return parseLoopTail<LoopOp>(parser, state, lead, leadTypes, args);
}

void LoopOp::print(OpAsmPrinter &printer) {
  printer << " trip(" << getTripCount() << " : " << getTripCount().getType() << ") while(" << getCondition() << " : "
          << getCondition().getType() << ")";
  if (BlockArgument index = getIndexArg())
    printer << " index(" << index << " : " << index.getType() << ")";
  printLoopTail(printer, *this);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// True for a ranked tensor of rank 0 or 1 that statically has one element.
static bool hasOneElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1 && tensor.getRank() <= 1;
}

/// Checks that `axis` is an axis of `type`. `what` and `i` name the slice or concatenation in the error.
static LogicalResult verifyAxis(Operation *op, StringRef what, unsigned i, int64_t axis, Type type) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "expected the axis of " << what << " #" << i << " to be in [0, " << rank << "), but got "
                           << axis;
}

/// Checks that the slices advance, and that each has an element.
static LogicalResult verifySlice(Operation *op, unsigned i, SliceInputAttr slice) {
  if (slice.getStride() == 0)
    return op->emitOpError() << "expected the stride of slice #" << i << " not to be 0";
  if (slice.getPartSize() < 1)
    return op->emitOpError() << "expected the part size of slice #" << i << " to be positive, but got "
                             << slice.getPartSize();
  return success();
}

/// Checks the dims after no iteration (C9 and C10).
template <typename LoopT>
static LogicalResult verifyEmptyDims(LoopT op) {
  // tensor_iterator_c9, loop_c10
  OperandRange emptyDims = op.getEmptyDims();
  size_t numResults = op.getLast().size() + op.getConcatenated().size();
  if (!emptyDims.empty() && emptyDims.size() != numResults)
    return op.emitOpError() << "expected empty dims of all " << numResults
                            << " last values and concatenations, or none, but got " << emptyDims.size();
  for (auto [dims, result] : llvm::zip(emptyDims, op->getResults().drop_front(op.getCarried().size()))) {
    auto type = cast<RankedTensorType>(dims.getType());
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    auto isOfLength = [&](int64_t length) { return type.getShape() == ArrayRef(length); };
    if (!type.getElementType().isSignlessInteger(64) || !(isOfLength(0) || isOfLength(rank)))
      return op.emitOpError() << "expected empty dims of type 'tensor<" << rank << "xi64>' or 'tensor<0xi64>', but got "
                              << type;
  }
  return success();
}

/// Checks the constraints that both loops share, except those on the yielded values: counts (C2, C4), slices and axes
/// (C3), block arguments (C5), carried results (C6) and empty dims. The interfaces rely on these checks when they look
/// at the region, so the checks run first.
template <typename LoopT>
static LogicalResult verifyLoop(LoopT op) {
  // tensor_iterator_c2, loop_c2
  if (op.getSlices().size() != op.getSliced().size())
    return op.emitOpError() << "expected " << op.getSliced().size() << " slices, but got " << op.getSlices().size();
  if (op.getConcats().size() != op.getConcatenated().size())
    return op.emitOpError() << "expected " << op.getConcatenated().size() << " concats, but got "
                            << op.getConcats().size();
  // tensor_iterator_c3, loop_c3
  for (auto [i, value] : llvm::enumerate(op.getSliced()))
    if (failed(verifyAxis(op, "slice", i, op.getSliceAt(i).getAxis(), value.getType())) ||
        failed(verifySlice(op, i, op.getSliceAt(i))))
      return failure();
  for (auto [i, value] : llvm::enumerate(op.getConcatenated()))
    if (failed(verifyAxis(op, "concatenation", i, op.getConcatAt(i).getAxis(), value.getType())))
      return failure();
  // tensor_iterator_c4
  std::optional<int64_t> count;
  for (auto [i, value] : llvm::enumerate(op.getSliced())) {
    SliceInputAttr slice = op.getSliceAt(i);
    int64_t dim = cast<RankedTensorType>(value.getType()).getDimSize(slice.getAxis());
    if (ShapedType::isDynamic(dim))
      continue;
    std::optional<int64_t> parts = slice.countSlices(dim);
    // A loop that may be empty is valid with an empty sliced axis. A Loop that runs then is a fault at run time.
    if (!parts && dim == 0 && mayBeEmpty(op))
      parts = 0;
    if (!parts)
      return op.emitOpError() << "expected slice #" << i << " to visit a whole number of parts of an axis of " << dim;
    if (isa<TensorIteratorOp>(op.getOperation()) && count && *count != *parts)
      return op.emitOpError() << "expected all sliced inputs to have the same number of parts, but got " << *count
                              << " and " << *parts;
    count = *parts;
  }
  unsigned numArgs = getNumIndexArgs(op) + op.getSliced().size() + op.getInitArgs().size();
  if (op.getBodyBlock()->getNumArguments() != numArgs)
    return op.emitOpError() << "expected " << numArgs << " block arguments, but got "
                            << op.getBodyBlock()->getNumArguments();
  // tensor_iterator_c5, loop_c5
  for (auto [i, arg] : llvm::enumerate(getSliceArgsOf(op))) {
    SliceInputAttr slice = op.getSliceAt(i);
    auto whole = cast<RankedTensorType>(op.getSliced()[i].getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape[slice.getAxis()] = slice.getPartSize();
    if (arg.getType() != whole.clone(shape))
      return op.emitOpError() << "expected part #" << i << " to be " << whole.clone(shape) << ", but got "
                              << arg.getType();
  }
  // tensor_iterator_c6, loop_c6
  for (auto [i, arg] : llvm::enumerate(getCarriedArgsOf(op)))
    if (arg.getType() != op.getInitArgs()[i].getType())
      return op.emitOpError() << "expected carried value #" << i << " to be " << op.getInitArgs()[i].getType()
                              << ", but got " << arg.getType();
  if (op.getInitArgs().getTypes() != op.getCarried().getTypes())
    return op.emitOpError("expected carried results to have the types of the initial values");
  return verifyEmptyDims(op);
}

LogicalResult TensorIteratorOp::verify() {
  // tensor_iterator_c1
  if (getSliced().empty())
    return emitOpError("expected at least one sliced input");
  return verifyLoop(*this);
}

LogicalResult LoopOp::verify() {
  // loop_c1
  if (!hasOneElement(getTripCount().getType()))
    return emitOpError() << "expected a trip count with one element, but got " << getTripCount().getType();
  if (!hasOneElement(getCondition().getType()))
    return emitOpError() << "expected a condition with one element, but got " << getCondition().getType();
  // loop_c4
  if (getHasIndex()) {
    if (getBody().getNumArguments() == 0)
      return emitOpError("expected a block argument for the iteration index");
    Type type = getBody().getArgument(0).getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !hasOneElement(type) ||
        !(tensor.getElementType().isSignlessInteger(32) || tensor.getElementType().isSignlessInteger(64)))
      return emitOpError() << "expected an iteration index of i32 or i64 with one element, but got " << type;
  }
  return verifyLoop(*this);
}

/// Checks the values that the body yields (C6 to C8). `op` itself has been verified. `count` is the number of
/// iterations, if it is known.
template <typename LoopT>
static LogicalResult verifyYield(YieldOp yield, LoopT op, std::optional<int64_t> count) {
  // tensor_iterator_c6, loop_c6
  if (yield.getNext().getTypes() != op.getInitArgs().getTypes()) {
    InFlightDiagnostic diag = yield.emitOpError("expected next values of types (")
                              << op.getInitArgs().getTypes() << "), but got (" << yield.getNext().getTypes() << ")";
    diag.attachNote(op.getLoc()) << "initial values are operands of this op";
    return diag;
  }
  // tensor_iterator_c7, loop_c7
  if (yield.getLast().getTypes() != op.getLast().getTypes())
    return yield.emitOpError("expected last values of types (")
           << op.getLast().getTypes() << "), but got (" << yield.getLast().getTypes() << ")";
  // tensor_iterator_c8, loop_c8
  if (yield.getConcat().size() != op.getConcatenated().size())
    return yield.emitOpError() << "expected " << op.getConcatenated().size() << " parts, but got "
                               << yield.getConcat().size();
  for (auto [i, part] : llvm::enumerate(yield.getConcat())) {
    int64_t axis = op.getConcatAt(i).getAxis();
    auto partType = cast<RankedTensorType>(part.getType());
    auto whole = cast<RankedTensorType>(op.getConcatenated()[i].getType());
    auto clash = [&, i = i](Type expected) {
      return yield.emitOpError() << "expected part #" << i << " to make up " << expected << ", but got " << partType;
    };
    if (partType.getRank() != whole.getRank() || partType.getElementType() != whole.getElementType())
      return clash(whole);
    for (int64_t d = 0; d < whole.getRank(); ++d) {
      int64_t have = partType.getDimSize(d), want = whole.getDimSize(d);
      if (ShapedType::isDynamic(have) || ShapedType::isDynamic(want))
        continue;
      if (d != axis ? have != want : count && llvm::checkedMul(*count, have) != want)
        return clash(whole);
    }
  }
  return success();
}

LogicalResult YieldOp::verify() {
  if (auto loop = dyn_cast<LoopOp>((*this)->getParentOp())) {
    // loop_c9
    if (!getCondition() || !hasOneElement(getCondition().getType()))
      return emitOpError("expected a condition with one element");
    return verifyYield(*this, loop, std::nullopt);
  }
  auto iterator = cast<TensorIteratorOp>((*this)->getParentOp());
  if (getCondition())
    return emitOpError("expected no condition in a tensor_iterator");
  return verifyYield(*this, iterator, iterator.getStaticCount());
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

template <typename LoopT>
static YieldOp getYieldOf(LoopT op) {
  return dyn_cast<YieldOp>(op.getBodyBlock()->getTerminator());
}

template <typename LoopT>
static bool canBodyOfFault(LoopT op) {
  return !llvm::all_of(*op.getBodyBlock(), [](Operation &inner) { return isMemoryEffectFree(&inner); });
}

template <typename LoopT>
static Value findEmptyDimsOf(LoopT op, unsigned i) {
  if (op.getEmptyDims().empty())
    return {};
  Value dims = op.getEmptyDims()[i];
  return cast<RankedTensorType>(dims.getType()).getDimSize(0) ? dims : Value();
}

static MutableArrayRef<OpOperand> asArray(MutableOperandRange range) {
  return range.empty() ? MutableArrayRef<OpOperand>() : MutableArrayRef<OpOperand>(&*range.begin(), range.size());
}

YieldOp TensorIteratorOp::getYield() { return getYieldOf(*this); }
Block::BlockArgListType TensorIteratorOp::getSliceArgs() { return getSliceArgsOf(*this); }
Block::BlockArgListType TensorIteratorOp::getCarriedArgs() { return getCarriedArgsOf(*this); }
Value TensorIteratorOp::findEmptyDims(unsigned i) { return findEmptyDimsOf(*this, i); }
SmallVector<Region *> TensorIteratorOp::getLoopRegions() { return {&getBody()}; }
MutableArrayRef<OpOperand> TensorIteratorOp::getInitsMutable() { return asArray(getInitArgsMutable()); }
Block::BlockArgListType TensorIteratorOp::getRegionIterArgs() { return getCarriedArgs(); }
std::optional<MutableArrayRef<OpOperand>> TensorIteratorOp::getYieldedValuesMutable() {
  return asArray(getYield().getNextMutable());
}
std::optional<ResultRange> TensorIteratorOp::getLoopResults() { return getCarried(); }
OperandRange TensorIteratorOp::getEntrySuccessorOperands(RegionSuccessor) { return getInitArgs(); }
void TensorIteratorOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  // If the body runs at least once, the results are not a successor of the op itself.
  addSuccessors(*this, !point.isParent() || !runsAtLeastOnce(), regions);
}
void TensorIteratorOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  nameBlockArguments(*this, region, setName);
}

std::optional<int64_t> TensorIteratorOp::getStaticCount() {
  for (auto [i, value] : llvm::enumerate(getSliced())) {
    int64_t dim = cast<RankedTensorType>(value.getType()).getDimSize(getSliceAt(i).getAxis());
    if (!ShapedType::isDynamic(dim))
      return dim == 0 && getMayBeEmpty() ? 0 : getSliceAt(i).countSlices(dim);
  }
  return std::nullopt;
}

bool TensorIteratorOp::canBodyFault() { return canBodyOfFault(*this); }

bool TensorIteratorOp::canFault() {
  // C4 covers the static axes.
  return !llvm::all_of(llvm::enumerate(getSliced()), [&](auto sliced) {
    return !cast<RankedTensorType>(sliced.value().getType()).isDynamicDim(getSliceAt(sliced.index()).getAxis());
  });
}

YieldOp LoopOp::getYield() { return getYieldOf(*this); }
Block::BlockArgListType LoopOp::getSliceArgs() { return getSliceArgsOf(*this); }
Block::BlockArgListType LoopOp::getCarriedArgs() { return getCarriedArgsOf(*this); }
Value LoopOp::findEmptyDims(unsigned i) { return findEmptyDimsOf(*this, i); }
SmallVector<Region *> LoopOp::getLoopRegions() { return {&getBody()}; }
MutableArrayRef<OpOperand> LoopOp::getInitsMutable() { return asArray(getInitArgsMutable()); }
Block::BlockArgListType LoopOp::getRegionIterArgs() { return getCarriedArgs(); }
std::optional<MutableArrayRef<OpOperand>> LoopOp::getYieldedValuesMutable() {
  return asArray(getYield().getNextMutable());
}
std::optional<ResultRange> LoopOp::getLoopResults() { return getCarried(); }
OperandRange LoopOp::getEntrySuccessorOperands(RegionSuccessor) { return getInitArgs(); }
void LoopOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  addSuccessors(*this, /*toResults=*/true, regions);
}
void LoopOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  nameBlockArguments(*this, region, setName);
}
BlockArgument LoopOp::getIndexArg() { return getHasIndex() ? getBody().getArgument(0) : BlockArgument(); }

std::optional<bool> recur::ov::getConstantBool(Value value) {
  DenseElementsAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)) || !attr.getElementType().isInteger(1) ||
      attr.getNumElements() != 1)
    return std::nullopt;
  return *attr.value_begin<bool>();
}

bool LoopOp::isConditionAlwaysTrue() { return getConstantBool(getYield().getCondition()) == true; }

std::optional<int64_t> LoopOp::getValidTripCount() {
  std::optional<SmallVector<int64_t>> trip = getConstantIntegers(getTripCount());
  return trip && trip->front() >= -1 ? std::optional(trip->front()) : std::nullopt;
}

std::optional<int64_t> LoopOp::getStaticCount() {
  std::optional<bool> first = getConstantBool(getCondition()), next = getConstantBool(getYield().getCondition());
  std::optional<int64_t> trip = getValidTripCount();
  if (first == false || trip == 0)
    return 0;
  if (first != true || !trip)
    return std::nullopt;
  if (next == false)
    return 1;
  return next == true && *trip >= 0 ? trip : std::nullopt;
}

bool LoopOp::runsAtLeastOnce() {
  if (std::optional<int64_t> count = getStaticCount())
    return *count > 0;
  return getValidTripCount().value_or(0) > 0 && getConstantBool(getCondition()) == true;
}

bool LoopOp::canBodyFault() { return canBodyOfFault(*this); }

bool LoopOp::canFault() {
  std::optional<int64_t> trip = getValidTripCount();
  if (!trip)
    return true;
  // Perhaps nothing ends the loop: the condition may become a constant.
  if (trip == -1 && getSliced().empty() && getConstantBool(getCondition()) != false &&
      getConstantBool(getYield().getCondition()) != false)
    return true;
  std::optional<int64_t> count = getStaticCount();
  return llvm::any_of(llvm::enumerate(getSliced()), [&](auto sliced) {
    SliceInputAttr slice = getSliceAt(sliced.index());
    int64_t dim = cast<RankedTensorType>(sliced.value().getType()).getDimSize(slice.getAxis());
    return !count || ShapedType::isDynamic(dim) || slice.countSlices(dim).value_or(0) < *count;
  });
}

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) { return getNextMutable(); }
