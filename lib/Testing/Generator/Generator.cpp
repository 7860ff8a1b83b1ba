// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generator.cpp - random models that are valid -----------------------===//
//
// A model grows op by op out of the existing values. Each value records which of its dims are static and which are
// equal, so that shapes fit. A real value also records how many bits it needs. So every value that is compared,
// selects, or becomes an integer is computed exactly, and no rounding can flip a branch.
//
//===----------------------------------------------------------------------===//

#include "Recur/Testing/Generator.h"

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace recur::fuzz {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Value::isReal() const { return interpreter::isReal(element); }

static int precisionOf(recur_element_type element) {
  switch (element) {
  case RECUR_F16:
    return 11;
  case RECUR_BF16:
    return 8;
  case RECUR_F32:
    return 24;
  default:
    // For f64, the number of bits that the interpreter takes for exact.
    return 28;
  }
}

bool Value::isExact() const { return !isReal() || (fraction >= 0 && magnitude + fraction <= precisionOf(element)); }

int64_t Value::countElements() const {
  int64_t count = 1;
  for (const Dim &dim : dims)
    count *= dim.size < 0 ? 8 : dim.size;
  return count;
}

bool Value::isStatic() const {
  return llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(); });
}

Type Value::getType() const {
  Type type;
  type.element = element;
  for (const Dim &dim : dims)
    type.dims.push_back(dim.isStatic() ? dim.size : -1);
  return type;
}

int bitsOf(int64_t count) {
  int bits = 0;
  while (int64_t(1) << bits < count)
    ++bits;
  return bits;
}

//===----------------------------------------------------------------------===//
// Builder
//===----------------------------------------------------------------------===//

unsigned Builder::random(unsigned bound) { return source.below(bound); }

const Value *Builder::pick(Scope &scope, llvm::function_ref<bool(const Value &)> fits) {
  std::vector<const Value *> found;
  for (auto [i, value] : llvm::enumerate(scope.pool))
    if (fits(value)) {
      // New and unused values are more likely.
      unsigned weight = 1 + (i + 4 >= scope.pool.size()) * 2 + (!value.isUsed) * 2;
      found.insert(found.end(), weight, &value);
    }
  return found.empty() ? nullptr : found[random(found.size())];
}

const Value *Builder::pickPartner(Scope &scope, const Value &a, llvm::function_ref<bool(const Value &)> fits) {
  auto isPartner = [&](const Value &value) { return broadcasts(a, value) && fits(value); };
  if (chance(70))
    if (const Value *other = pick(scope, [&](const Value &value) {
          return (value.ref.node != a.ref.node || value.ref.port != a.ref.port) && isPartner(value);
        }))
      return other;
  return pick(scope, isPartner);
}

void Builder::fillRandom(Tensor &tensor) {
  recur_element_type type = tensor.getType();
  bool isUnsigned = type >= RECUR_U8 && type <= RECUR_U64;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    if (interpreter::isReal(type))
      tensor.setReal(i, (int(random(33)) - 16) / 4.0);
    else if (type == RECUR_BOOLEAN)
      tensor.setInteger(i, random(2));
    else if (chance(4))
      // The smallest and the largest number, and their neighbours.
      tensor.setInteger(i, (interpreter::Integer(1) << (getElementBytes(type) * 8 - !isUnsigned)) - 2 + random(4));
    else
      tensor.setInteger(i, isUnsigned ? int(random(8)) : int(random(11)) - 5);
  }
}

void Builder::fillWide(Tensor &tensor) {
  recur_element_type type = tensor.getType();
  // The product of four of them is not infinite yet.
  int most = type == RECUR_F16 ? 3 : 28;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    if (interpreter::isReal(type))
      tensor.setReal(i, std::ldexp((int(random(8192)) - 4096) / 4096.0, int(random(2 * most + 1)) - most));
    else if (type == RECUR_BOOLEAN)
      tensor.setInteger(i, random(2));
    else
      // A number of random length in bits.
      tensor.setInteger(i, interpreter::Integer((uint64_t(random(~0u)) << 32 | random(~0u)) >> random(64)));
  }
}

int64_t Builder::longSize() {
  static constexpr int64_t sizes[] = {7,  8,  9,  13, 15, 16, 16, 17, 23,  24,  31,  32,  33,  40, 47,
                                      48, 49, 63, 64, 65, 80, 96, 97, 127, 128, 129, 255, 256, 257};
  return chance(25) ? 6 + random(252) : sizes[random(std::size(sizes))];
}

int64_t Builder::anySize(Scope &scope, int64_t few) {
  if (scope.most && chance(18))
    return std::min(longSize(), scope.most);
  return 1 + random(few);
}

int64_t Builder::weightsSize(Scope &scope, int64_t few, int64_t rest) {
  // 257 elements of f32 or wider types take more than 1 KiB. Narrower types may take less.
  if (wantsWeights && chance(70))
    return std::clamp<int64_t>((257 + random(600)) / std::max<int64_t>(rest, 1), 1, 400) + random(3);
  return anySize(scope, few);
}

Value Builder::valueOf(Scope &scope, Ref ref, recur_element_type element, Dims dims) {
  Value value;
  value.ref = ref;
  value.element = element;
  value.dims = std::move(dims);
  return value;
}

static Dims staticDims(llvm::ArrayRef<int64_t> shape) {
  return llvm::map_to_vector<4>(shape, [](int64_t size) { return Dim{size, 0}; });
}

Value Builder::constant(Scope &scope, Tensor tensor) {
  Node node;
  node.type = "Const";
  node.version = "opset1";
  Type type;
  type.element = tensor.getType();
  type.dims = tensor.getShape();
  node.outputs.push_back(type);
  int magnitude = 0;
  for (int64_t i = 0; interpreter::isReal(tensor.getType()) && i != tensor.getNumElements(); ++i)
    while (std::fabs(tensor.getReal(i)) > double(1 << magnitude) && magnitude < 20)
      ++magnitude;
  Dims dims = staticDims(tensor.getShape());
  node.value = std::move(tensor);
  scope.graph.nodes.push_back(std::move(node));
  Value value = valueOf(scope, {int(scope.graph.nodes.size()) - 1, 0}, type.element, dims);
  value.magnitude = magnitude;
  value.fraction = 2;
  return value;
}

Value Builder::randomConstant(Scope &scope, recur_element_type element, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(element, shape);
  fillRandom(tensor);
  return constant(scope, std::move(tensor));
}

Value Builder::integers(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar, recur_element_type element) {
  Tensor tensor(element, isScalar ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>(int64_t(values.size())));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.setInteger(i, value);
  return constant(scope, std::move(tensor));
}

Value Builder::anyIndices(Scope &scope, llvm::ArrayRef<int64_t> values, bool isScalar) {
  return integers(scope, values, isScalar, chance(50) ? RECUR_I64 : RECUR_I32);
}

Value Builder::create(Scope &scope, llvm::StringRef type, llvm::StringRef version, std::vector<Value> inputs,
                      Attributes attributes, recur_element_type element, Dims dims) {
  Node node;
  node.type = type.str();
  node.version = version.str();
  node.attributes = std::move(attributes);
  for (const Value &input : inputs) {
    node.inputs.push_back(input.ref);
    for (Value &value : scope.pool)
      if (value.ref.node == input.ref.node && value.ref.port == input.ref.port)
        value.isUsed = true;
  }
  Value value = valueOf(scope, {int(scope.graph.nodes.size()), 0}, element, std::move(dims));
  node.outputs.push_back(value.getType());
  scope.graph.nodes.push_back(std::move(node));
  return value;
}

Value Builder::createExactly(Scope &scope, llvm::StringRef type, std::vector<Value> inputs, Attributes attributes,
                             Dims dims) {
  Value value = create(scope, type, "opset8", inputs, std::move(attributes), inputs[0].element, std::move(dims));
  value.copyBits(inputs[0]);
  return value;
}

Value Builder::parameter(Scope &scope, const Value &like) {
  Node node;
  node.type = "Parameter";
  node.version = "opset1";
  node.outputs.push_back(like.getType());
  scope.graph.nodes.push_back(std::move(node));
  Value value = like;
  value.ref = {int(scope.graph.nodes.size()) - 1, 0};
  value.isUsed = false;
  return value;
}

int Builder::result(Scope &scope, const Value &value) {
  // A Result may be used several times.
  for (auto [i, node] : llvm::enumerate(scope.graph.nodes))
    if (node.type == "Result" && node.inputs[0].node == value.ref.node && node.inputs[0].port == value.ref.port &&
        chance(50))
      return i;
  Node node;
  node.type = "Result";
  node.version = "opset1";
  node.inputs.push_back(value.ref);
  for (Value &other : scope.pool)
    if (other.ref.node == value.ref.node && other.ref.port == value.ref.port)
      other.isUsed = true;
  scope.graph.nodes.push_back(std::move(node));
  return scope.graph.nodes.size() - 1;
}

bool Builder::broadcasts(const Value &a, const Value &b) {
  for (size_t i = 0; i < std::min(a.dims.size(), b.dims.size()); ++i) {
    const Dim &x = a.dims[a.dims.size() - 1 - i], &y = b.dims[b.dims.size() - 1 - i];
    // Two sizes that are not known may differ.
    bool isSame = x == y || (x.size == y.size && x.size >= 0);
    if (!isSame && x.size != 1 && y.size != 1)
      return false;
  }
  return true;
}

Dims Builder::broadcastDims(const Value &a, const Value &b) {
  Dims result(std::max(a.dims.size(), b.dims.size()), Dim{1, 0});
  for (size_t i = 0; i != result.size(); ++i) {
    Dim x = i < a.dims.size() ? a.dims[a.dims.size() - 1 - i] : Dim{1, 0};
    Dim y = i < b.dims.size() ? b.dims[b.dims.size() - 1 - i] : Dim{1, 0};
    // Inference takes a static dim other than 1 if both dims have the same size at run time.
    bool takesSecond = x.size == y.size ? x.isOne() || (y.isStatic() && !y.isOne()) : x.size == 1;
    result[result.size() - 1 - i] = takesSecond ? y : x;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// The largest number of elements of a tensor.
static constexpr int64_t kMostElements = 1 << 16;

static bool hasOnlySmallTensors(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (const Type &type : node.outputs) {
      int64_t count = 1;
      // Dims that are known only at run time are small, and are not counted.
      for (int64_t dim : type.dims)
        count *= dim < 0 ? 1 : dim;
      if (count > kMostElements)
        return false;
    }
    for (const Graph &body : node.bodies)
      if (!hasOnlySmallTensors(body))
        return false;
  }
  return true;
}

recur_element_type Builder::anyElement() {
  // Most models use f32, i32 and i64.
  static constexpr recur_element_type elements[] = {
      RECUR_F32, RECUR_F32, RECUR_F32, RECUR_I64, RECUR_I64, RECUR_I32, RECUR_I32, RECUR_F16,    RECUR_BF16,
      RECUR_F64, RECUR_I8,  RECUR_I16, RECUR_U8,  RECUR_U16, RECUR_U32, RECUR_U64, RECUR_BOOLEAN};
  return elements[random(std::size(elements))];
}

Model Builder::run() {
  Scope scope{model.graph, {}, 0};
  bool isLong = chance(40), isDeep = chance(12), isWide = chance(6);
  wantsWeights = chance(30);
  if (isLong)
    scope.most = chance(8) ? kMostElements : chance(30) ? 1 << 13 : 1 << 11;
  // Dims that several inputs share. Some are known only at run time.
  Dims common;
  bool isDynamic = chance(wants("dynamic-dims") ? 100 : isLong ? 60 : 30);
  for (unsigned i = 0; i != 3; ++i) {
    int64_t size = chance(3) ? 0 : 1 + random(5);
    if (isLong && (i == 0 || chance(30)))
      size = std::min(longSize(), scope.most);
    common.push_back(Dim{size, isDynamic && chance(60) ? newSymbol() : 0});
  }
  for (unsigned i = 0, e = 1 + random(4); i != e; ++i) {
    Dims dims;
    int64_t count = 1;
    unsigned rank = i != 0 && chance(10) ? 0 : 1 + random(3);
    if (isDeep && chance(60))
      rank = 4 + random(3);
    for (unsigned axis = 0; axis != rank; ++axis) {
      Dim dim = chance(10) ? Dim{1, 0} : common[random(common.size())];
      // The first input has the long dim.
      if (isLong && i == 0 && axis + 1 == rank && count == 1)
        dim = common[0];
      if ((isLong || isDeep) && count * dim.size > scope.limit(400))
        dim = Dim{1 + random(2), 0};
      count *= std::max<int64_t>(dim.size, 1);
      dims.push_back(dim);
    }
    recur_element_type element = anyElement();
    // An input that fits another one, where only the call decides whether their dims are equal or broadcast.
    std::optional<Value> other;
    if (isDynamic && i != 0 && chance(30)) {
      other = scope.pool[random(scope.pool.size())];
      dims = other->dims;
      element = other->element;
      for (Dim &dim : dims)
        if (!dim.isStatic() || chance(20))
          dim = Dim{chance(40) ? 1 : dim.size, newSymbol()};
    }
    Value like = valueOf(scope, {}, element, dims);
    like.magnitude = like.fraction = 2;
    bool hasWide = isWide && chance(70);
    if (hasWide) {
      like.magnitude = 0;
      like.fraction = -1;
      model.features.insert("wide values");
    }
    Value value = parameter(scope, like);
    Tensor tensor(value.element, llvm::map_to_vector<4>(dims, [](const Dim &dim) { return dim.size; }));
    hasWide ? fillWide(tensor) : fillRandom(tensor);
    if (value.isReal() && tensor.getNumElements() > 0 && chance(wants("nan-or-infinity") ? 50 : 3)) {
      static const double specials[] = {HUGE_VAL, -HUGE_VAL, std::nan("")};
      tensor.setReal(random(tensor.getNumElements()), specials[random(3)]);
      model.features.insert("nan-or-infinity");
    }
    scope.graph.nodes.back().value = std::move(tensor);
    scope.pool.push_back(value);
    if (!value.isStatic())
      model.features.insert("dynamic-dims");
    if (other && broadcasts(*other, value) && chance(70)) {
      llvm::StringRef op = value.element == RECUR_BOOLEAN ? "LogicalXor" : chance(50) ? "Maximum" : "Minimum";
      Value both = create(scope, op, "opset1", {*other, value}, {}, value.element, broadcastDims(*other, value));
      both.copyBits(*other);
      mergeBits(both, value);
      scope.pool.push_back(both);
      model.features.insert("dims that may be broadcast");
    }
  }
  grow(scope, 2 + random(4));
  // Every value that no op has read becomes an output.
  unsigned outputs = 0;
  for (Value &value : std::vector<Value>(scope.pool))
    if (!value.isUsed && scope.graph.nodes[value.ref.node].type != "Parameter" && outputs < 8) {
      result(scope, value);
      ++outputs;
    }
  if (!outputs)
    result(scope, scope.pool.back());
  model.addNests();
  model.addSizes();
  return std::move(model);
}

Model generate(uint64_t seed) {
  Model model = Builder(seed).run();
  // If long dims combine to tensors that are too large, try other dims.
  for (uint64_t other = 1; !hasOnlySmallTensors(model.graph); ++other)
    model = Builder(seed, other).run();
  return model;
}

} // namespace recur::fuzz
