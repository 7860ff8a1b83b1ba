// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Constants.cpp - changes of constants that layers read --------------===//

#include "Mutator.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

Element Mutator::anyConstant(Element layer, ConstantValue &value) {
  std::vector<Element> found;
  for (Element edge : getInputEdges(layer))
    if (Element source = getSource(edge); isOp(source, "Const"))
      found.push_back(source);
  if (found.empty())
    return {};
  Element constant = random.pick(found);
  return document.readConstant(constant, value) ? constant : Element();
}

bool Mutator::setExtremeElement(Element layer) {
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant || value.values.empty())
    return false;
  random.pick(value.values) = anyInteger();
  document.writeConstant(constant, value);
  return true;
}

bool Mutator::fillConstant(Element layer) {
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant || value.values.empty())
    return false;
  llvm::fill(value.values, anyInteger());
  document.writeConstant(constant, value);
  return true;
}

bool Mutator::changeConstantLength(Element layer) {
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant || value.shape.size() > 1)
    return false;
  static constexpr unsigned sizes[] = {0, 0, 0, 1, 2, 3, 4, 5, 8, 33, 300};
  value.values.resize(random.pick(sizes), value.values.empty() ? 1 : value.values.back());
  value.shape = {std::to_string(value.values.size())};
  if (value.values.size() == 1 && random.chance(30))
    value.shape.clear();
  document.writeConstant(constant, value);
  return true;
}

bool Mutator::changeConstantShape(Element layer) {
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant)
    return false;
  std::vector<std::string> &shape = value.shape;
  switch (random.below(6)) {
  case 0:
    shape.insert(shape.begin() + random.below(shape.size() + 1), "1");
    break;
  case 1:
    shape = {std::to_string(value.values.size())};
    break;
  case 2:
    shape.assign(1 + random.below(40), "1");
    shape.back() = std::to_string(value.values.size());
    break;
  case 3:
    // A dim of 0, with no data.
    shape.insert(shape.begin() + random.below(shape.size() + 1), "0");
    value.values.clear();
    break;
  case 4:
    std::reverse(shape.begin(), shape.end());
    break;
  default:
    // The bytes no longer fit.
    changeList(shape, /*isOfDims=*/true);
  }
  document.writeConstant(constant, value);
  return true;
}

bool Mutator::changeConstantType(Element layer) {
  static constexpr StringRef types[] = {"i64", "i32",    "i8",     "u8",  "i16", "u16", "u32",       "u64",
                                        "f16", "bf16",   "f32",    "f64", "i4",  "u4",  "u1",        "boolean",
                                        "nf4", "string", "f8e4m3", "i32", "i64", "f32", "undefined", ""};
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant)
    return false;
  value.type = random.pick(types).str();
  document.writeConstant(constant, value);
  // The label of the port agrees or not; it may be missing.
  for (Element port : constant.child("output").children("port"))
    if (random.chance(80))
      port.remove_attribute("precision");
  return true;
}

/// Makes a Parameter out of a Const: the call gives the value.
bool Mutator::openConstant(Element layer) {
  ConstantValue value;
  Element constant = anyConstant(layer, value);
  if (!constant || getGraph(constant) != document.getRoot())
    return false;
  setAttribute(constant, "type", "Parameter");
  Element data = constant.child("data");
  data.remove_attribute("offset");
  data.remove_attribute("size");
  for (std::string &dim : value.shape)
    if (random.chance(50))
      dim = "?";
  setAttribute(data, "shape", joinList(value.shape));
  for (Element port : constant.child("output").children("port"))
    port.remove_children();
  return true;
}

/// Makes a Const out of a Parameter.
bool Mutator::closeParameter(Element layer) {
  Element parameter = anyParameter(layer);
  if (!parameter)
    return false;
  ConstantValue value;
  value.type = parameter.child("data").attribute("element_type").value();
  int64_t count = 1;
  for (std::string dim : splitList(parameter.child("data").attribute("shape").value())) {
    int64_t size = 0;
    if (StringRef(dim).getAsInteger(10, size) || size < 0)
      size = 1 + random.below(3);
    if (size > 4096 || (count *= size) > 4096)
      return false;
    value.shape.push_back(std::to_string(size));
  }
  for (int64_t i = 0; i != count; ++i)
    value.values.push_back(int64_t(random.below(7)) - 2);
  setAttribute(parameter, "type", "Const");
  document.writeConstant(parameter, value);
  return true;
}

} // namespace recur::fuzz
