// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shape.cpp - shapes -----------------------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitShapeOf(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  bool isShort = chance(40);
  return add(scope, create(scope, "ShapeOf", "opset3", {input}, {{"output_type", isShort ? "i32" : "i64"}},
                           isShort ? RECUR_I32 : RECUR_I64, {Dim{input.getRank(), 0}}));
}

bool Builder::emitReshape(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  int64_t rank = input.getRank();
  unsigned kind = random(4);
  Attributes special{{"special_zero", "true"}}, plain{{"special_zero", "false"}};
  int64_t count = 1;
  for (const Dim &dim : input.dims)
    count = dim.size < 0 || count < 0 ? -1 : count * dim.size;
  Dim all = input.isStatic() ? Dim{count, 0} : Dim{count, newSymbol()};
  // Targets: flat, with the first dim kept, with a dim split, or the shape of another value.
  if (kind == 0 && count != 0)
    return add(scope, createExactly(scope, "Reshape", {input, anyIndices(scope, {-1})}, plain, {all}));
  if (kind == 1 && rank >= 2) {
    Dim rest{1, 0};
    for (const Dim &dim : llvm::drop_begin(input.dims)) {
      rest.size = rest.size < 0 || dim.size < 0 ? -1 : rest.size * dim.size;
      rest.symbol |= dim.symbol;
    }
    if (rest.symbol)
      rest.symbol = newSymbol();
    return add(scope,
               createExactly(scope, "Reshape", {input, anyIndices(scope, {0, -1})}, special, {input.dims[0], rest}));
  }
  if (kind == 2) {
    for (int64_t axis = 0; axis != rank; ++axis) {
      Dim dim = input.dims[axis];
      if (!dim.isStatic() || dim.size < 2)
        continue;
      int64_t factor = dim.size % 2 == 0 ? 2 : dim.size;
      llvm::SmallVector<int64_t> target(axis, 0);
      target.push_back(factor);
      target.push_back(dim.size / factor);
      Dims dims(input.dims.begin(), input.dims.begin() + axis);
      dims.push_back({factor, 0});
      dims.push_back({dim.size / factor, 0});
      for (int64_t i = axis + 1; i != rank; ++i) {
        // A 0 in the target would copy another dim.
        if (!input.dims[i].isStatic() || input.dims[i].size == 0)
          return false;
        target.push_back(input.dims[i].size);
        dims.push_back(input.dims[i]);
      }
      return add(scope, createExactly(scope, "Reshape", {input, anyIndices(scope, target)}, special, dims));
    }
    return false;
  }
  // A flat copy gets its shape back from ShapeOf.
  if (count == 0)
    return false;
  Value flat = createExactly(scope, "Reshape", {input, anyIndices(scope, {-1})}, plain, {all});
  Value shape = create(scope, "ShapeOf", "opset3", {input}, {{"output_type", "i64"}}, RECUR_I64, {Dim{rank, 0}});
  return add(scope, createExactly(scope, "Reshape", {flat, shape}, plain, input.dims));
}

bool Builder::emitSqueeze(Scope &scope, StringRef) {
  const Value *x = pick(
      scope, [](const Value &value) { return llvm::any_of(value.dims, [](const Dim &dim) { return dim.isOne(); }); });
  if (!x)
    return false;
  Value input = *x;
  llvm::SmallVector<int64_t> axes;
  Dims dims;
  bool all = chance(40);
  for (auto [axis, dim] : llvm::enumerate(input.dims))
    if (dim.isOne() && (all || axes.empty()))
      axes.push_back(chance(50) ? axis : int64_t(axis) - input.getRank());
    else
      dims.push_back(dim);
  std::vector<Value> inputs{input};
  if (!(all && input.isStatic() && chance(50)))
    inputs.push_back(anyIndices(scope, axes));
  return add(scope, createExactly(scope, "Squeeze", inputs, {}, dims));
}

bool Builder::emitUnsqueeze(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() <= 5; });
  if (!x)
    return false;
  Value input = *x;
  int64_t rank = input.getRank() + 1, axis = random(rank);
  Dims dims = input.dims;
  dims.insert(dims.begin() + axis, Dim{1, 0});
  return add(scope, createExactly(scope, "Unsqueeze",
                                  {input, anyIndices(scope, {chance(50) ? axis : axis - rank}, chance(20))}, {}, dims));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::shapeEntries = [] {
  static constexpr Entry entries[] = {
      {"ShapeOf", &Builder::emitShapeOf, 4},
      {"Reshape", &Builder::emitReshape, 4},
      {"Squeeze", &Builder::emitSqueeze, 4},
      {"Unsqueeze", &Builder::emitUnsqueeze, 4},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
