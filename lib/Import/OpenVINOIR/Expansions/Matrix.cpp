// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - Einstein summation ------------------------------------===//
//
// This file expands Einsum. Operands are multiplied from left to right, each time by one matrix product. The labels of
// the two operands are sorted into four groups: batches (in both, and kept), rows (only in the first), columns (only in
// the second) and shared labels (in both, and summed over). The dims of each of the last three groups become one dim.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// The label of a dim: a letter, or for a dim of an ellipsis a negative number, which counts from the end of the
/// ellipsis
/// (-1 is its last dim).
using Label = int;
using Labels = SmallVector<Label>;

/// An operand, or a product of some, with a label for each of its dims. No label occurs twice.
struct Term {
  Value value;
  Labels labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
  int64_t find(Label label) const { return llvm::find(labels, label) - labels.begin(); }
};
} // namespace

/// Permutes the dims of a term to the order `to`.
static Term reorder(Expansion &e, const Term &term, const Labels &to) {
  SmallVector<int64_t> order = llvm::map_to_vector(to, [&](Label label) { return term.find(label); });
  if (llvm::is_sorted(order) && to.size() == term.labels.size())
    return term;
  return {e.transpose(term.value, order), to};
}

/// Takes the diagonal of dims with the same label.
static Term takeDiagonals(Expansion &e, Value value, Labels labels) {
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t j = i + 1; j < labels.size();) {
      if (labels[i] != labels[j]) {
        ++j;
        continue;
      }
      // The two dims go to the end, [..., n, n] becomes [..., n * n], and every (n + 1)th element is on the diagonal.
      SmallVector<int64_t> order;
      SmallVector<Size> sizes;
      Labels rest;
      for (size_t d = 0; d != labels.size(); ++d)
        if (d != i && d != j) {
          order.push_back(d);
          rest.push_back(labels[d]);
          sizes.push_back(e.dim(value, d));
        }
      order.append({int64_t(i), int64_t(j)});
      rest.push_back(labels[i]);
      Size n = e.dim(value, i), all = e.multiply(n, e.dim(value, j));
      sizes.push_back(all);
      value = e.reshape(e.transpose(value, order), sizes);
      value = e.slice(value, rest.size() - 1, e.size(0), all, e.add(n, e.size(1)));
      labels = rest;
      // The label is the last one now; look at the labels from the beginning.
      i = size_t(-1);
      break;
    }
  return {value, labels};
}

/// Sums over the dims whose labels `keep` does not have.
static Term sumOthers(Expansion &e, const Term &term, llvm::function_ref<bool(Label)> keep) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (keep(label))
      kept.push_back(label);
    else
      axes.push_back(i);
  }
  return axes.empty() ? term : Term{e.reduce<ov::ReduceSumOp>(term.value, axes, /*keepDims=*/false), kept};
}

/// The sum of products of two terms. The result has the labels of both for which `keep` holds.
static Term multiply(Expansion &e, Term a, Term b, llvm::function_ref<bool(Label)> keep) {
  a = sumOthers(e, a, [&](Label label) { return keep(label) || b.has(label); });
  b = sumOthers(e, b, [&](Label label) { return keep(label) || a.has(label); });
  // Dims of an ellipsis broadcast, so they are batches even if only one operand has them.
  Labels batch, rows, columns, shared;
  for (Label label : a.labels)
    (label < 0 || (b.has(label) && keep(label)) ? batch : b.has(label) ? shared : rows).push_back(label);
  for (Label label : b.labels)
    if (!a.has(label))
      (label < 0 ? batch : columns).push_back(label);
  // The dims of an ellipsis come first, in their order.
  llvm::sort(batch);
  auto arrange = [&](Term term, const Labels &first, const Labels &second) -> Value {
    Labels order;
    for (Label label : batch)
      if (term.has(label))
        order.push_back(label);
    size_t batches = order.size();
    llvm::append_range(order, first);
    llvm::append_range(order, second);
    term = reorder(e, term, order);
    SmallVector<Size> sizes;
    size_t next = 0;
    for (Label label : batch)
      sizes.push_back(next < batches && order[next] == label ? e.dim(term.value, next++) : e.size(1));
    auto merge = [&](size_t count) {
      SmallVector<Size> dims;
      for (size_t i = 0; i != count; ++i)
        dims.push_back(e.dim(term.value, next++));
      sizes.push_back(e.product(dims));
    };
    merge(first.size());
    merge(second.size());
    return e.reshape(term.value, sizes);
  };
  Value left = arrange(a, rows, shared), right = arrange(b, shared, columns);
  Value product = e.make<ov::MatMulOp>({left, right});
  // The dims of the batches are those of the product, which broadcast.
  SmallVector<Size> sizes;
  Labels labels(batch);
  for (size_t i = 0; i != batch.size(); ++i)
    sizes.push_back(e.dim(product, i));
  for (Label label : rows)
    sizes.push_back(e.dim(a.value, a.find(label)));
  for (Label label : columns)
    sizes.push_back(e.dim(b.value, b.find(label)));
  llvm::append_range(labels, rows);
  llvm::append_range(labels, columns);
  return {e.reshape(product, sizes), labels};
}

/// The labels of a subscript such as `bi...`, for an operand whose ellipsis has `dims` dims.
static Labels readLabels(StringRef subscript, int64_t dims) {
  Labels labels;
  auto [before, after] = subscript.split("...");
  for (char c : before)
    labels.push_back(c);
  if (before.size() != subscript.size())
    for (int64_t i = dims; i > 0; --i)
      labels.push_back(-int(i));
  for (char c : after)
    labels.push_back(c);
  return labels;
}

/// True if each result is one sum of products of at most two elements, which one op computes. Then there is nothing to
/// round but the results.
static bool isOneSum(ArrayRef<StringRef> subscripts, StringRef result) {
  if (subscripts.size() == 1)
    return true;
  if (subscripts.size() > 2 ||
      (!result.contains("...") && llvm::any_of(subscripts, [](StringRef text) { return text.contains("..."); })))
    return false;
  auto isInOther = [&](unsigned i) {
    return llvm::all_of(subscripts[i], [&](char c) { return result.contains(c) || subscripts[1 - i].contains(c); });
  };
  return isInOther(0) && isInOther(1);
}

LogicalResult recur::ir::expandEinsum(Expansion &e) {
  std::string equation = e.rawText("equation").str();
  llvm::erase_if(equation, [](char c) { return c == ' '; });
  auto [left, result] = StringRef(equation).split("->");
  bool isExplicit = left.size() != equation.size();
  SmallVector<StringRef> subscripts;
  left.split(subscripts, ',');
  if (subscripts.size() != e.countOperands())
    return e.error("expected an equation of " + Twine(e.countOperands()) + " operands, but got '" + equation + "'");
  for (StringRef text : llvm::concat<StringRef>(subscripts, MutableArrayRef(result))) {
    auto [before, after] = text.split("...");
    if (!llvm::all_of(before, llvm::isAlpha) || !llvm::all_of(after, llvm::isAlpha))
      return e.error("expected subscripts of letters and at most one ellipsis, but got '" + text + "'");
  }
  std::map<char, unsigned> uses;
  SmallVector<int64_t> ellipses;
  SmallVector<unsigned> numbers;
  for (auto [i, text] : llvm::enumerate(subscripts)) {
    int64_t letters = llvm::count_if(text, llvm::isAlpha), dims = rankOf(e.operand(i)) - letters;
    if (dims < 0 || (dims > 0 && !text.contains("...")))
      return e.error("expected an operand of rank " + Twine(letters) + " for the subscript '" + text +
                     "', but got rank " + Twine(rankOf(e.operand(i))));
    ellipses.push_back(dims);
    numbers.push_back(i);
    for (char c : text)
      if (llvm::isAlpha(c))
        ++uses[c];
  }
  if (failed(e.expectSameElements(numbers)))
    return failure();
  int64_t mostDims = llvm::max_element(ellipses)[0];
  std::string implicit;
  if (!isExplicit) {
    implicit = mostDims ? "..." : "";
    for (auto [letter, number] : uses)
      if (number == 1)
        implicit += letter;
    result = implicit;
  }
  for (auto [i, c] : llvm::enumerate(result))
    if (llvm::isAlpha(c) && (!uses.count(c) || result.drop_front(i + 1).contains(c)))
      return e.error("expected a result of different labels of the operands, but got '" + result + "'");
  SmallVector<Term> terms;
  bool isWidened = !isOneSum(subscripts, result);
  for (auto [i, text] : llvm::enumerate(subscripts))
    terms.push_back(takeDiagonals(e, isWidened ? e.operand(i) : e.given(i), readLabels(text, ellipses[i])));
  Labels wanted = readLabels(result, mostDims);
  auto isWanted = [&](Label label) { return llvm::is_contained(wanted, label); };
  Term sum = terms.front();
  for (size_t i = 1; i < terms.size(); ++i)
    sum = multiply(e, sum, terms[i], [&](Label label) {
      return isWanted(label) ||
             llvm::any_of(ArrayRef(terms).drop_front(i + 1), [&](const Term &t) { return t.has(label); });
    });
  sum = sumOthers(e, sum, isWanted);
  return e.replace(reorder(e, sum, wanted).value);
}
