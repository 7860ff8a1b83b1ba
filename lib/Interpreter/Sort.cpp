// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - TopK and SelectBoxes ----------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

static MaybeTensors topK(Machine &machine, ov::TopKOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  if (!axis)
    return std::nullopt;
  int64_t length = data.getDim(*axis);
  Integer k = operands[1]->getInteger(0);
  if (k < 0 || k > length)
    return machine.fault(RECUR_E_INDEX,
                         "k is " + Twine(int64_t(k)) + ", but the axis has " + Twine(length) + " elements");
  Shape shape = data.getShape();
  shape[*axis] = int64_t(k);
  MaybeTensor values = machine.make(data.getType(), shape);
  MaybeTensor indices = machine.make(getElementType(op.getIndexElementType()), shape);
  if (!values || !indices)
    return std::nullopt;
  bool isMax = op.getMode() == ov::TopKMode::Max;
  // NaN is greater than every number.
  auto isLess = [](Scalar a, Scalar b) {
    if (!a.isReal)
      return a.integer < b.integer;
    return std::isnan(b.real) ? !std::isnan(a.real) : a.real < b.real;
  };
  if (k != 0)
    forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
      std::vector<int64_t> order(length);
      for (int64_t i = 0; i != length; ++i)
        order[i] = i;
      llvm::sort(order, [&](int64_t i, int64_t j) {
        Scalar x = data.get(getLineOffset(data, line, *axis, i)), y = data.get(getLineOffset(data, line, *axis, j));
        // The first of equal elements comes first.
        if (isMax)
          std::swap(x, y);
        return isLess(x, y) || (!isLess(y, x) && i < j);
      });
      order.resize(int64_t(k));
      if (op.getSort() == ov::TopKSort::Index)
        llvm::sort(order);
      for (auto [i, from] : llvm::enumerate(order)) {
        values->copy(getLineOffset(*values, line, *axis, i), data, getLineOffset(data, line, *axis, from));
        indices->setInteger(getLineOffset(*indices, line, *axis, i), from);
      }
    });
  Tensors results;
  results.push_back(std::move(*values));
  results.push_back(std::move(*indices));
  return results;
}

namespace {
/// A box of SelectBoxes. Its sides are those of the op's element type, f32 or f64, and so is all arithmetic on them:
/// the area of a large box is infinite.
template <typename Real>
struct Box {
  Real top, left, bottom, right;

  Real getArea() const { return Real(bottom - top) * Real(right - left); }
};
} // namespace

/// The area of the intersection of two boxes divided by that of their union. It is 0 if a box has no area, or a side
/// that is NaN, and NaN if both areas are infinite.
template <typename Real>
static Real getOverlap(const Box<Real> &a, const Box<Real> &b) {
  Real areaOfA = a.getArea(), areaOfB = b.getArea();
  if (!(areaOfA > 0 && areaOfB > 0))
    return 0;
  Real height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  Real width = std::min(a.right, b.right) - std::max(a.left, b.left);
  Real common = std::max<Real>(height, 0) * std::max<Real>(width, 0);
  return common / Real(Real(areaOfA + areaOfB) - common);
}

template <typename Real>
static MaybeTensors selectBoxesOf(Machine &machine, ov::SelectBoxesOp op, Operands operands) {
  const Tensor &boxes = *operands[0], &scores = *operands[1];
  int64_t batches = scores.getDim(0), classes = scores.getDim(1), count = scores.getDim(2);
  if (boxes.getDim(0) != batches || boxes.getDim(1) != count || boxes.getDim(2) != 4)
    return machine.fault(RECUR_E_SHAPE, "the boxes and the scores do not agree");
  Integer most = operands[2]->getInteger(0);
  double overlapLimit = operands[3]->get(0).real, scoreLimit = operands[4]->get(0).real,
         sigma = operands[5]->get(0).real;
  struct Choice {
    int64_t batch, kind, box;
    Scalar score;
  };
  std::vector<Choice> choices;
  for (int64_t batch = 0; batch != batches; ++batch)
    for (int64_t kind = 0; kind != classes; ++kind) {
      auto boxAt = [&](int64_t i) {
        auto side = [&](int64_t j) { return Real(boxes.get((batch * count + i) * 4 + j).real); };
        return Box<Real>{side(0), side(1), side(2), side(3)};
      };
      std::vector<std::pair<int64_t, Scalar>> left;
      for (int64_t i = 0; i != count; ++i)
        left.emplace_back(i, scores.get((batch * classes + kind) * count + i));
      auto dropWorst = [&] {
        llvm::erase_if(left, [&](auto &candidate) { return !(candidate.second.real > scoreLimit); });
      };
      dropWorst();
      for (Integer chosen = 0; chosen < most && !left.empty(); ++chosen) {
        auto best =
            std::max_element(left.begin(), left.end(), [](auto &a, auto &b) { return a.second.real < b.second.real; });
        choices.push_back({batch, kind, best->first, best->second});
        Box<Real> box = boxAt(best->first);
        left.erase(best);
        llvm::erase_if(left, [&](auto &candidate) {
          Real overlap = getOverlap(boxAt(candidate.first), box);
          if (sigma > 0)
            candidate.second = Scalar::rounded(
                candidate.second.real * std::exp(double(Real(Real(overlap * Real(-0.5)) * overlap) / Real(sigma))));
          return overlap > overlapLimit && (op.getDrops() || !(sigma > 0));
        });
        dropWorst();
      }
    }
  int64_t rows = choices.size();
  MaybeTensor indices = machine.make(RECUR_I64, {rows, 3}), chosen = machine.make(scores.getType(), {rows});
  if (!indices || !chosen)
    return std::nullopt;
  for (auto [row, choice] : llvm::enumerate(choices)) {
    indices->setInteger(row * 3, choice.batch);
    indices->setInteger(row * 3 + 1, choice.kind);
    indices->setInteger(row * 3 + 2, choice.box);
    chosen->set(row, choice.score);
  }
  Tensors results;
  results.push_back(std::move(*indices));
  results.push_back(std::move(*chosen));
  return results;
}

static MaybeTensors selectBoxes(Machine &machine, ov::SelectBoxesOp op, Operands operands) {
  bool isDouble = operands[0]->getType() == RECUR_F64;
  return isDouble ? selectBoxesOf<double>(machine, op, operands) : selectBoxesOf<float>(machine, op, operands);
}

void addSort(Handlers &handlers) {
  addHandler<ov::TopKOp>(handlers, topK);
  addHandler<ov::SelectBoxesOp>(handlers, selectBoxes);
}

} // namespace recur::interpreter
