// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowering.cpp - Helpers shared by the lowerings of ov ops -----------===//
//
// Helpers of all lowerings in this folder. The largest part traces dims to their origins through ops that are only
// partly converted. Two dims of the same origin need no check at run time, and loops over them can be fused.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Recur/Analysis/Sizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Type getStorageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isUnsignedInteger())
    return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return element;
}

Type getComputeType(Type element) {
  if (element.isInteger(1))
    return element;
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return getStorageType(element);
}

bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

Value fromStorage(LoweringBuilder &b, Value stored, Type element) {
  if (element.isInteger(1))
    return compare(b, arith::CmpIPredicate::ne, stored, zeroOf(b, stored.getType()));
  if (element.isF16() || element.isBF16()) {
    Type wide = b.getF32Type();
    if (auto vector = dyn_cast<VectorType>(stored.getType()))
      wide = vector.clone(wide);
    return arith::ExtFOp::create(b, wide, stored);
  }
  return stored;
}

Value toStorage(LoweringBuilder &b, Value computed, Type element) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, b.getI8Type(), computed);
  if (element.isF16() || element.isBF16())
    return arith::TruncFOp::create(b, element, computed);
  return computed;
}

Value constantOf(LoweringBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value constantOf(LoweringBuilder &b, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value zeroOf(LoweringBuilder &b, Type type) { return arith::ConstantOp::create(b, b.getZeroAttr(type)); }

Value oneOf(LoweringBuilder &b, Type type) { return arith::ConstantOp::create(b, b.getOneAttr(type)); }

Value indexOf(LoweringBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value compare(LoweringBuilder &b, arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}

Value compare(LoweringBuilder &b, arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpFOp>(predicate, lhs, rhs);
}

Value selectValue(LoweringBuilder &b, Value condition, Value yes, Value no) {
  return b.createOrFold<arith::SelectOp>(condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// The longest chain of ops that is followed to find the origin of a dim. It bounds the compile time.
static constexpr unsigned kMaxDepth = 64;

namespace {
/// The origin of a dim: a static number, an index value, or dim `number` of a tensor.
struct SizeOrigin {
  Value value;
  int64_t number;
  enum Kind { Static, Index, Dim } kind;

  bool operator==(const SizeOrigin &other) const {
    return kind == other.kind && value == other.value && number == other.number;
  }
};

/// Finds the origins of dims. During the conversion, ops may still refer to values that have been replaced; the builder
/// maps those to their replacements.
class DimResolver {
public:
  /// With `throughChecks`, a value that rt.check returns has the origin of the value that it guards. That suits
  /// comparisons. Code that uses the origin needs the guarded value, which stays behind the check.
  DimResolver(const LoweringBuilder &builder, bool throughChecks) : builder(builder), throughChecks(throughChecks) {}

  SizeOrigin resolve(Value tensor, int64_t i, unsigned depth = 0);
  SizeOrigin resolveIndex(OpFoldResult size, unsigned depth = 0);
  /// True if dims of these origins are equal: because they have the same origin, or because equal ops without effects
  /// compute their sizes from values that are equal. CSE has not merged such ops yet. Long computations are not
  /// compared.
  bool isSame(const SizeOrigin &a, const SizeOrigin &c);

private:
  /// Pairs of values that are taken to be equal while the search goes on. All must be, so the first one that is not
  /// ends it.
  using Pairs = llvm::SmallDenseSet<std::pair<Value, Value>>;
  bool isSame(const SizeOrigin &a, const SizeOrigin &c, Pairs &pairs);
  bool isSameValue(Value a, Value c, Pairs &pairs);
  /// One step toward the origin of dim `i` of `tensor`: another tensor and its dim of the same size, or null at the end
  /// of the chain. Sets `found` instead if the dim comes from a size.
  std::pair<Value, int64_t> step(Value tensor, int64_t i, unsigned depth, std::optional<SizeOrigin> &found);

  const LoweringBuilder &builder;
  bool throughChecks;
};
} // namespace

// The dim of a result comes from the source of a view, from the destination of an op that writes into it, or from the
// sizes that the op was created with. Results of all other ops end the chain.
std::pair<Value, int64_t> DimResolver::step(Value tensor, int64_t i, unsigned depth, std::optional<SizeOrigin> &found) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  // An ov op that is already lowered still defines the old value.
  if (isa<OVDialect>(op->getDialect())) {
    Value replacement = builder.getReplacement(tensor);
    return {replacement, i};
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return {cast.getSource(), i};
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
    return cast.getNumOperands() == 1 && isa<RankedTensorType>(cast.getOperand(0).getType())
               ? std::pair<Value, int64_t>{cast.getOperand(0), i}
               : std::pair<Value, int64_t>{};
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    found = resolveIndex(empty.getMixedSizes()[i], depth);
    return {};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    found = resolveIndex(expand.getMixedOutputShape()[i], depth);
    return {};
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    // The dim equals the only dim of its group that is not statically 1, if there is just one.
    std::optional<int64_t> only;
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
    for (int64_t dim : groups[i]) {
      if (collapse.getSrcType().getDimSize(dim) == 1)
        continue;
      if (only)
        return {};
      only = dim;
    }
    return only ? std::pair<Value, int64_t>{collapse.getSrc(), *only} : std::pair<Value, int64_t>{};
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    found = resolveIndex(getKeptSize(slice, i), depth);
    return {};
  }
  if (auto broadcast = dyn_cast<rt::BroadcastDimOp>(op)) {
    if (i != static_cast<int64_t>(broadcast.getDim()))
      return {broadcast.getInput(), i};
    found = resolveIndex(broadcast.getSize(), depth);
    return {};
  }
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
    if (OpFoldResult size = getBufferSize(read.getBuffer(), i))
      found = resolveIndex(size, depth);
    return {};
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return {insert.getDest(), i};
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return {insert.getDest(), i};
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return {style.getTiedOpOperand(cast<OpResult>(tensor))->get(), i};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // If each iteration keeps the dim, the result has the dim of the initial value. A loop whose body is still being
    // built has no terminator yet.
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    if (loop.getBody()->empty() || !isa<scf::YieldOp>(loop.getBody()->back()))
      return {};
    BlockArgument carried = loop.getRegionIterArg(number);
    SizeOrigin next =
        DimResolver(builder, /*throughChecks=*/true).resolve(loop.getYieldedValues()[number], i, depth + 1);
    if (next == SizeOrigin{carried, i, SizeOrigin::Dim})
      return {loop.getInitArgs()[number], i};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    // Both regions may give the result the same size, which is known in front of the op.
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    std::optional<SizeOrigin> first;
    for (Region *region : branch.getRegions()) {
      if (region->empty() || region->front().empty() || !isa<scf::YieldOp>(region->front().back()))
        return {};
      SizeOrigin origin = resolve(region->front().back().getOperand(number), i, depth + 1);
      if (origin.value && branch->isAncestor(origin.value.getParentBlock()->getParentOp()))
        return {};
      if (first && !(origin == *first))
        return {};
      first = origin;
    }
    found = first;
  }
  return {};
}

bool DimResolver::isSame(const SizeOrigin &a, const SizeOrigin &c) {
  Pairs pairs;
  return isSame(a, c, pairs);
}

bool DimResolver::isSame(const SizeOrigin &a, const SizeOrigin &c, Pairs &pairs) {
  return a == c || (a.kind == SizeOrigin::Index && c.kind == SizeOrigin::Index && isSameValue(a.value, c.value, pairs));
}

bool DimResolver::isSameValue(Value a, Value c, Pairs &pairs) {
  if (a == c || pairs.contains({a, c}))
    return true;
  if (a.getType() != c.getType() || pairs.size() == kMaxDepth)
    return false;
  pairs.insert({a, c});
  if (a.getType().isIndex()) {
    SizeOrigin first = resolveIndex(a, pairs.size()), second = resolveIndex(c, pairs.size());
    if (first.value != a || second.value != c)
      return isSame(first, second, pairs);
  }
  Operation *op = a.getDefiningOp(), *other = c.getDefiningOp();
  if (!op || !other || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      cast<OpResult>(a).getResultNumber() != cast<OpResult>(c).getResultNumber())
    return false;
  return OperationEquivalence::isEquivalentTo(
      op, other, [&](Value x, Value y) { return success(isSameValue(x, y, pairs)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

// Follows a dim to its origin. A static dim on the way ends the search, because it needs no value.
SizeOrigin DimResolver::resolve(Value tensor, int64_t i, unsigned depth) {
  std::optional<SizeOrigin> found;
  while (depth++ < kMaxDepth) {
    if (int64_t size = shapeOf(tensor)[i]; !ShapedType::isDynamic(size))
      return {{}, size, SizeOrigin::Static};
    auto [next, dim] = step(tensor, i, depth, found);
    if (found)
      return *found;
    if (!next)
      break;
    tensor = next;
    i = dim;
  }
  return {tensor, i, SizeOrigin::Dim};
}

// Follows a size through tensor.dim and casts, and through checks if that is allowed, to its origin.
SizeOrigin DimResolver::resolveIndex(OpFoldResult size, unsigned depth) {
  while (depth++ < kMaxDepth) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return {{}, *constant, SizeOrigin::Static};
    auto value = cast<Value>(size);
    if (auto dim = value.getDefiningOp<tensor::DimOp>()) {
      if (std::optional<int64_t> i = dim.getConstantIndex(); i && isa<RankedTensorType>(dim.getSource().getType()))
        return resolve(dim.getSource(), *i, depth);
    } else if (auto check = value.getDefiningOp<rt::CheckOp>(); check && throughChecks) {
      size = check.getGuarded()[cast<OpResult>(value).getResultNumber()];
      continue;
    } else if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
      // A size that was an i64 of the model, which has all values of an index.
      auto inner = cast.getIn().getDefiningOp<arith::IndexCastOp>();
      if (inner && inner.getType().isInteger(64) && inner.getIn().getType().isIndex()) {
        size = inner.getIn();
        continue;
      }
    }
    break;
  }
  return {cast<Value>(size), 0, SizeOrigin::Index};
}

OpFoldResult getDimOrAttr(LoweringBuilder &b, Value tensor, int64_t i) {
  SizeOrigin source = DimResolver(b, /*throughChecks=*/false).resolve(tensor, i);
  if (source.kind == SizeOrigin::Static)
    return b.getIndexAttr(source.number);
  if (source.kind == SizeOrigin::Index)
    return source.value;
  return tensor::DimOp::create(b, source.value, source.number).getResult();
}

Value getDim(LoweringBuilder &b, Value tensor, int64_t i) { return toValue(b, getDimOrAttr(b, tensor, i)); }

SmallVector<OpFoldResult> getDims(LoweringBuilder &b, Value tensor) {
  SmallVector<OpFoldResult> dims;
  for (int64_t i = 0, e = rankOf(tensor); i != e; ++i)
    dims.push_back(getDimOrAttr(b, tensor, i));
  return dims;
}

bool isSameDim(LoweringBuilder &b, Value a, int64_t i, Value c, int64_t j) {
  DimResolver resolver(b, /*throughChecks=*/true);
  return resolver.isSame(resolver.resolve(a, i), resolver.resolve(c, j));
}

bool isSameSize(LoweringBuilder &b, OpFoldResult size, Value tensor, int64_t i) {
  DimResolver resolver(b, /*throughChecks=*/true);
  return resolver.isSame(resolver.resolveIndex(size), resolver.resolve(tensor, i));
}

Value toValue(LoweringBuilder &b, OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), size); }

OpFoldResult toSize(LoweringBuilder &b, Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant ? OpFoldResult(b.getIndexAttr(*constant)) : OpFoldResult(value);
}

SmallVector<int64_t> staticShapeOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return shape;
}

Value emptyOf(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<OpFoldResult> folded;
  // tensor.empty accepts constant sizes only as attributes.
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    folded.push_back(constant ? OpFoldResult(b.getIndexAttr(*constant)) : size);
  }
  return tensor::EmptyOp::create(b, folded, element);
}

Value scratchOf(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes)
    if (!getConstantIntValue(size))
      dynamic.push_back(cast<Value>(size));
  return bufferization::AllocTensorOp::create(b, RankedTensorType::get(staticShapeOf(sizes), element), dynamic);
}

Value sliceOf(LoweringBuilder &b, RankedTensorType type, Value tensor, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  return createSlice(b, b.getLoc(), type, tensor, offsets, sizes, strides);
}

Value insertInto(LoweringBuilder &b, Value slice, Value tensor, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (llvm::is_contained(shapeOf(slice), 0) || llvm::is_contained(shapeOf(tensor), 0))
    return tensor;
  // The sizes may be static where the type of the slice is dynamic. The type may also lack leading dims of 1.
  auto isOne = [](OpFoldResult size) { return isConstantIntValue(size, 1); };
  auto type = RankedTensorType::get(staticShapeOf(sizes.take_back(rankOf(slice))), elementOf(slice));
  if (llvm::all_of(sizes.drop_back(rankOf(slice)), isOne) && type != slice.getType())
    slice = tensor::CastOp::create(b, type, slice);
  return tensor::InsertSliceOp::create(b, slice, tensor, offsets, sizes, strides);
}

Value filledOf(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value empty = emptyOf(b, sizes, scalar.getType());
  return linalg::FillOp::create(b, scalar, empty).getResult(0);
}

Value extractOnly(LoweringBuilder &b, Value tensor) {
  return b.createOrFold<tensor::ExtractOp>(tensor, SmallVector<Value>(rankOf(tensor), indexOf(b, 0)));
}

Value toIndex(LoweringBuilder &b, Value integer) {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), integer);
}

Value toInt64(LoweringBuilder &b, Value index) { return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index); }

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

ValueRange check(LoweringBuilder &b, Value condition, rt::FaultKind kind, StringRef message, ValueRange details,
                 ValueRange guarded) {
  SmallVector<Value> wide;
  for (Value detail : details) {
    if (detail.getType().isIndex())
      detail = toInt64(b, detail);
    else if (!detail.getType().isInteger(64))
      detail = b.createOrFold<arith::ExtSIOp>(b.getI64Type(), detail);
    wide.push_back(detail);
  }
  return rt::CheckOp::create(b, condition, kind, message, wide, guarded).getResults();
}

CheckedDim checkDim(LoweringBuilder &b, Value condition, StringRef message, ValueRange details, Value size,
                    int64_t known) {
  // The guarded size is used only if it is not static.
  ValueRange guarded = check(b, condition, rt::FaultKind::Shape, message, details, {size, indexOf(b, 0)});
  OpFoldResult result = guarded[0];
  if (!ShapedType::isDynamic(known))
    result = b.getIndexAttr(known);
  return {result, guarded[0], guarded[1]};
}

CheckedDim checkSize(LoweringBuilder &b, Value tensor, int64_t i, OpFoldResult size) {
  Value actual = getDim(b, tensor, i);
  if (isSameSize(b, size, tensor, i))
    return {size, actual, {}};
  Value expected = toValue(b, size);
  Value same = compare(b, arith::CmpIPredicate::eq, actual, expected);
  // After the check, the dim is static if either side is.
  int64_t known = getConstantIntValue(size).value_or(shapeOf(tensor)[i]);
  return checkDim(b, same, "dims {0} and {1} do not agree", {actual, expected}, actual, known);
}

CheckedDim checkSameDim(LoweringBuilder &b, Value a, int64_t i, Value c, int64_t j) {
  return checkSize(b, a, i, getDimOrAttr(b, c, j));
}

Value guardDims(LoweringBuilder &b, Value tensor, ArrayRef<std::pair<int64_t, CheckedDim>> dims) {
  // A slice of the whole tensor. Its sizes and offsets use the values that the checks return.
  SmallVector<OpFoldResult> sizes = getDims(b, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
  bool isTied = false;
  for (const auto &[i, dim] : dims)
    // A dim that the type knows needs no guard.
    if (dim.origin && ShapedType::isDynamic(shapeOf(tensor)[i])) {
      sizes[i] = dim.size;
      offsets[i] = dim.origin;
      isTied = true;
    }
  if (!isTied)
    return tensor;
  auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(tensor));
  return sliceOf(b, type, tensor, offsets, sizes, strides);
}

void guardSameDim(LoweringBuilder &b, Value &a, int64_t i, Value &c, int64_t j) {
  CheckedDim checked = checkSameDim(b, a, i, c, j);
  a = guardDims(b, a, {{i, checked}});
  c = guardDims(b, c, {{j, checked}});
}

Value castTo(LoweringBuilder &b, Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  SmallVector<std::pair<int64_t, CheckedDim>> checked;
  for (auto [i, dim] : llvm::enumerate(cast<RankedTensorType>(type).getShape())) {
    // Only a dim that is dynamic in the old type and static in the new one needs a check.
    if (ShapedType::isDynamic(dim) || !ShapedType::isDynamic(shapeOf(tensor)[i]))
      continue;
    Value actual = getDim(b, tensor, i), expected = indexOf(b, dim);
    Value same = compare(b, arith::CmpIPredicate::eq, actual, expected);
    checked.push_back(
        {i, checkDim(b, same, "dim {0} is {1}, but {2} was declared", {indexOf(b, i), actual, expected}, actual, dim)});
  }
  tensor = guardDims(b, tensor, checked);
  return tensor.getType() == type ? tensor : tensor::CastOp::create(b, type, tensor).getResult();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value generic(LoweringBuilder &b, ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
              ArrayRef<IteratorType> iterators, Body body) {
  auto build = [&](OpBuilder &nested, Location loc, ValueRange args) {
    LoweringBuilder inner(loc, nested, b);
    linalg::YieldOp::create(inner, body(inner, args));
  };
  return linalg::GenericOp::create(b, output.getType(), inputs, output, maps, iterators, build).getResult(0);
}

Value elementwise(LoweringBuilder &b, ValueRange inputs, Value output, Body body) {
  int64_t rank = rankOf(output);
  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(rank));
  return generic(b, inputs, output, maps, SmallVector<IteratorType>(rank, IteratorType::parallel), body);
}

Value leaveAll(LoweringBuilder &b, Value tensor, Type element) {
  Type storage = getStorageType(element);
  if (elementOf(tensor) == storage)
    return tensor;
  // f16, bf16 and i1 need a conversion of each element.
  Value empty = emptyOf(b, getDims(b, tensor), storage);
  return elementwise(b, tensor, empty,
                     [&](LoweringBuilder &inner, ValueRange args) { return toStorage(inner, args[0], element); });
}

SmallVector<Value> loop(LoweringBuilder &b, Value from, Value to, ValueRange inits,
                        function_ref<SmallVector<Value>(LoweringBuilder &, Value, ValueRange)> body) {
  auto op = scf::ForOp::create(b, from, to, indexOf(b, 1), inits,
                               [&](OpBuilder &nested, Location loc, Value iv, ValueRange carried) {
                                 LoweringBuilder inner(loc, nested, b);
                                 scf::YieldOp::create(inner, body(inner, iv, carried));
                               });
  return llvm::to_vector(ValueRange(op.getResults()));
}

/// The most loops of a nest. Bufferization takes twice the time for each loop that carries tensors in another.
constexpr size_t mostLoops = 8;

/// Computes the indices of element `number`, in row-major order, of an array of the given sizes. Upstream's
/// affine.delinearize_index refuses a size of 0, which an array of no elements has.
static SmallVector<Value> indicesOf(LoweringBuilder &b, Value number, ValueRange sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t i = sizes.size(); --i;) {
    indices[i] = b.createOrFold<arith::RemUIOp>(number, sizes[i]);
    number = b.createOrFold<arith::DivUIOp>(number, sizes[i]);
  }
  indices.front() = number;
  return indices;
}

SmallVector<Value> loopNest(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, ValueRange inits,
                            function_ref<SmallVector<Value>(LoweringBuilder &, ValueRange, ValueRange)> body) {
  if (sizes.empty())
    return body(b, {}, inits);
  SmallVector<Value> upper;
  for (OpFoldResult size : sizes)
    upper.push_back(toValue(b, size));
  // One loop has the indices of all dims that are too many.
  size_t numMerged = sizes.size() - std::min(sizes.size(), mostLoops - 1);
  SmallVector<Value> merged(upper.begin(), upper.begin() + numMerged);
  if (merged.size() > 1) {
    Value product = merged.front();
    for (Value size : ArrayRef(merged).drop_front())
      product = b.createOrFold<arith::MulIOp>(product, size);
    upper.erase(upper.begin(), upper.begin() + merged.size() - 1);
    upper.front() = product;
  }
  SmallVector<Value> lower(upper.size(), indexOf(b, 0)), step(upper.size(), indexOf(b, 1));
  auto build = [&](OpBuilder &nested, Location loc, ValueRange ivs, ValueRange carried) {
    LoweringBuilder inner(loc, nested, b);
    if (merged.size() <= 1)
      return body(inner, ivs, carried);
    SmallVector<Value> all = indicesOf(inner, ivs.front(), merged);
    llvm::append_range(all, ivs.drop_front());
    return body(inner, all, carried);
  };
  scf::LoopNest nest = scf::buildLoopNest(b, b.getLoc(), lower, upper, step, inits, build);
  return llvm::to_vector(llvm::map_range(nest.loops.front().getResults(), [](OpResult r) -> Value { return r; }));
}

} // namespace recur::ov
