// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Broadcasting.cpp - Loops over operands that broadcast --------------===//
//
// Plans each dim of the result by itself. Dims that are provably equal need no check. Otherwise the size is computed
// and checked before the loops, and an operand dim that may be 1 is indexed by a select in the body.
//
//===----------------------------------------------------------------------===//

#include "Broadcasting.h"

#include "../ShapeFaults.h"

#include "Recur/Dialect/OV/IR/Dims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

using Operand = BroadcastOperand;
bool Broadcasting::isScalar() const {
  return llvm::all_of(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 1); });
}

AffineMap Broadcasting::getMap(MLIRContext *context, const Operand &operand) const {
  unsigned rank = sizes.size(), first = rank - operand.reads.size();
  SmallVector<AffineExpr> exprs;
  for (auto [i, read] : llvm::enumerate(operand.reads))
    exprs.push_back(read == Operand::Zero ? getAffineConstantExpr(0, context) : getAffineDimExpr(first + i, context));
  return AffineMap::get(rank, 0, exprs, context);
}

Value Broadcasting::read(LoweringBuilder &b, const Operand &operand, ValueRange ivs) const {
  SmallVector<Value> indices;
  Value zero = indexOf(b, 0);
  size_t first = sizes.size() - operand.reads.size();
  for (auto [i, read] : llvm::enumerate(operand.reads)) {
    // A loop of size 1 has only the index 0, which folds better as a constant.
    Value iv = read == Operand::Zero || isConstantIntValue(sizes[first + i], 1) ? zero : ivs[first + i];
    if (read == Operand::Select) {
      Value isOne = compare(b, arith::CmpIPredicate::eq, operand.sizes[i], indexOf(b, 1));
      iv = arith::SelectOp::create(b, isOne, zero, iv);
    }
    indices.push_back(iv);
  }
  return b.createOrFold<tensor::ExtractOp>(operand.tensor, indices);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {
/// One dim of one operand, which takes part in a dim of the result.
struct OperandDim {
  Operand *operand;
  int64_t i;

  int64_t getStatic() const { return shapeOf(operand->tensor)[i]; }
  bool isDynamic() const { return ShapedType::isDynamic(getStatic()); }
};

/// Plans one dim of the result from the dims of the operands that it is made of.
class DimPlanner {
public:
  /// `source` describes dims of the operands before their conversion.
  DimPlanner(LoweringBuilder &b, DimSource &source, ArrayRef<OperandDim> dims, int64_t declared, bool numpy)
      : b(b), source(source), dims(dims), declared(declared), numpy(numpy) {}

  OpFoldResult plan();

private:
  /// Plans a dim that all operands must have. `fixed` is its size if it is static.
  OpFoldResult planEqual(int64_t fixed);
  /// Plans a dim of which some operands may have 1 at run time.
  OpFoldResult planSelect(int64_t fixed);
  /// True if all dynamic dims are provably equal.
  bool isUniform() const;
  /// Checks that the size is the declared one, if that is static, and returns it.
  OpFoldResult refine(OpFoldResult size);
  /// Checks `condition`, which compares the sizes `left` and `right`. Returns `size`. It and the sizes of all dims that
  /// are read by `Select` so far depend on the check.
  Value guard(Value condition, Value left, Value right, Value size);

  LoweringBuilder &b;
  DimSource &source;
  ArrayRef<OperandDim> dims;
  SmallVector<OperandDim> dynamic;
  int64_t declared;
  bool numpy;
};
} // namespace

bool DimPlanner::isUniform() const {
  const OperandDim &first = dynamic.front();
  return llvm::all_of(llvm::drop_begin(dynamic), [&](const OperandDim &dim) {
    if (isSameDim(b, dim.operand->tensor, dim.i, first.operand->tensor, first.i))
      return true;
    if (!dim.operand->given || !first.operand->given)
      return false;
    DimSource::MaybeDim own = source.get(dim.operand->given, dim.i);
    return own && own == source.get(first.operand->given, first.i);
  });
}

OpFoldResult DimPlanner::plan() {
  int64_t fixed = ShapedType::kDynamic;
  bool allOne = true;
  for (const OperandDim &dim : dims) {
    if (dim.isDynamic())
      dynamic.push_back(dim);
    else if (dim.getStatic() != 1 || !numpy)
      fixed = dim.getStatic();
    allOne &= dim.getStatic() == 1;
  }
  // If all operands have 1, so has the result.
  if (allOne)
    fixed = 1;
  for (const OperandDim &dim : dims)
    dim.operand->reads[dim.i] = dim.getStatic() == 1 && fixed != 1 ? Operand::Zero : Operand::Loop;
  if (dynamic.empty())
    return b.getIndexAttr(fixed);
  if (!numpy)
    return refine(planEqual(fixed));
  // Provably equal dims do not broadcast against each other, so they need no select.
  if (ShapedType::isDynamic(fixed) && isUniform())
    return refine(getDim(b, dynamic.front().operand->tensor, dynamic.front().i));
  return planSelect(fixed);
}

Value DimPlanner::guard(Value condition, Value left, Value right, Value size) {
  SmallVector<Value> values{size};
  SmallVector<Value *> selected;
  for (const OperandDim &dim : dynamic)
    if (Value &known = dim.operand->sizes[dim.i]) {
      values.push_back(known);
      selected.push_back(&known);
    }
  ValueRange guarded = check(b, condition, rt::FaultKind::Shape, kDoNotBroadcast, {left, right}, values);
  for (auto [known, value] : llvm::zip_equal(selected, guarded.drop_front()))
    *known = value;
  return guarded.front();
}

OpFoldResult DimPlanner::refine(OpFoldResult size) {
  if (ShapedType::isDynamic(declared) || getConstantIntValue(size))
    return size;
  Value actual = cast<Value>(size), expected = indexOf(b, declared);
  Value same = compare(b, arith::CmpIPredicate::eq, actual, expected);
  CheckedDim checked = checkDim(b, same, "a dim is {0}, but {1} was declared", {actual, expected}, actual, declared);
  for (const OperandDim &dim : dynamic) {
    if (dim.operand->reads[dim.i] == Operand::Loop)
      dim.operand->tensor = guardDims(b, dim.operand->tensor, {{dim.i, checked}});
    else // What is selected is in range only if the size is right.
      dim.operand->tensor =
          guardDims(b, dim.operand->tensor, {{dim.i, {dim.operand->sizes[dim.i], {}, checked.origin}}});
  }
  return checked.size;
}

OpFoldResult DimPlanner::planEqual(int64_t fixed) {
  const OperandDim &first = dynamic.front();
  OpFoldResult size = ShapedType::isDynamic(fixed) ? getDimOrAttr(b, first.operand->tensor, first.i)
                                                   : OpFoldResult(b.getIndexAttr(fixed));
  for (const OperandDim &dim : dynamic) {
    CheckedDim checked = checkSize(b, dim.operand->tensor, dim.i, size);
    // If the size is dynamic, the result depends on the check through it. A static size is a constant, so the operand
    // must carry the dependence.
    if (getConstantIntValue(size))
      dim.operand->tensor = guardDims(b, dim.operand->tensor, {{dim.i, checked}});
    else if (checked.origin)
      size = checked.size;
  }
  return size;
}

OpFoldResult DimPlanner::planSelect(int64_t fixed) {
  auto isOne = [&](Value size) { return compare(b, arith::CmpIPredicate::eq, size, indexOf(b, 1)); };
  bool isFixed = !ShapedType::isDynamic(fixed);
  Value size = isFixed ? indexOf(b, fixed) : Value();
  // Each dim is combined with the size so far: they must be equal, or one of them 1. A size that is fixed stays, so
  // then only the dim may be 1.
  for (const OperandDim &dim : dynamic) {
    dim.operand->reads[dim.i] = Operand::Select;
    Value next = getDim(b, dim.operand->tensor, dim.i);
    dim.operand->sizes[dim.i] = next;
    if (!size) {
      size = next;
      continue;
    }
    Value fits = arith::OrIOp::create(b, compare(b, arith::CmpIPredicate::eq, size, next), isOne(next));
    Value both = size;
    if (!isFixed) {
      fits = arith::OrIOp::create(b, fits, isOne(size));
      both = arith::SelectOp::create(b, isOne(size), next, size);
    }
    Value guarded = guard(fits, size, next, both);
    size = isFixed ? size : guarded;
  }
  return isFixed ? OpFoldResult(b.getIndexAttr(fixed)) : refine(size);
}

Broadcasting planBroadcasting(LoweringBuilder &b, ValueRange operands, ArrayRef<int64_t> declared, bool numpy,
                              ValueRange given) {
  Broadcasting plan;
  ValueDims source;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // The planners of the dims set `reads` and `sizes`.
    size_t rank = rankOf(operand);
    plan.operands.push_back({operand, given.empty() ? Value() : given[i],
                             SmallVector<Operand::Read>(rank, Operand::Loop), SmallVector<Value>(rank)});
  }
  for (size_t d = 0; d != declared.size(); ++d) {
    SmallVector<OperandDim> dims;
    for (Operand &operand : plan.operands)
      // Dims are aligned at the right, so an operand of lower rank takes no part in leading dims.
      if (size_t missing = declared.size() - operand.reads.size(); d >= missing)
        dims.push_back({&operand, static_cast<int64_t>(d - missing)});
    plan.sizes.push_back(DimPlanner(b, source, dims, declared[d], numpy).plan());
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// If all elements of the operand have the same value in all iterations, reads it before the loops and returns it; else
/// returns null.
static Value getUniform(LoweringBuilder &b, const Broadcasting &plan, const Operand &operand) {
  if (hasOneElement(operand.tensor))
    return plan.read(b, operand, SmallVector<Value>(plan.sizes.size(), indexOf(b, 0)));
  DenseElementsAttr constant;
  if (matchPattern(operand.tensor, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  return {};
}

/// Emits a linalg.generic. Regular operands are its inputs. Other operands are read by tensor.extract in the body, at
/// indices that select 0 for dims of 1.
static Value emitGeneric(LoweringBuilder &b, const Broadcasting &plan, Value empty, Body body) {
  unsigned rank = plan.sizes.size();
  SmallVector<Value> uniform, inputs;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : plan.operands) {
    uniform.push_back(getUniform(b, plan, operand));
    if (uniform.back() || !operand.isRegular())
      continue;
    inputs.push_back(operand.tensor);
    maps.push_back(plan.getMap(b.getContext(), operand));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  return generic(b, inputs, empty, maps, iterators, [&](LoweringBuilder &inner, ValueRange args) {
    SmallVector<Value> elements, ivs;
    for (auto [operand, value] : llvm::zip_equal(plan.operands, uniform)) {
      if (value) {
        elements.push_back(value);
      } else if (operand.isRegular()) {
        elements.push_back(args.front());
        args = args.drop_front();
      } else {
        if (ivs.empty())
          for (unsigned d = 0; d != rank; ++d)
            ivs.push_back(linalg::IndexOp::create(inner, d));
        elements.push_back(plan.read(inner, operand, ivs));
      }
    }
    return body(inner, elements);
  });
}

Value emitBroadcasting(LoweringBuilder &b, const Broadcasting &plan, Type element, bool sideEffects, Body body) {
  auto compute = [&](LoweringBuilder &inner, ValueRange ivs) {
    SmallVector<Value> elements;
    for (const Operand &operand : plan.operands)
      elements.push_back(plan.read(inner, operand, ivs));
    return body(inner, elements);
  };
  if (plan.isScalar()) {
    Value result = compute(b, SmallVector<Value>(plan.sizes.size(), indexOf(b, 0)));
    return tensor::FromElementsOp::create(b, RankedTensorType::get(staticShapeOf(plan.sizes), element), result);
  }
  Value empty = emptyOf(b, plan.sizes, element);
  if (!sideEffects)
    return emitGeneric(b, plan, empty, body);
  // The body has checks or loops, so scf.for carries the result tensor.
  auto store = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    return {tensor::InsertOp::create(inner, compute(inner, ivs), carried.front(), ivs)};
  };
  return loopNest(b, plan.sizes, empty, store).front();
}

} // namespace recur::ov
