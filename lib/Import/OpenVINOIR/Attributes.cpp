// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.cpp - The attributes of a layer's data ------------------===//

#include "OpTable.h"
#include "TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

static std::optional<bool> parseBool(StringRef text) {
  if (text.equals_insensitive("true") || text == "1")
    return true;
  if (text.equals_insensitive("false") || text == "0")
    return false;
  return std::nullopt;
}

/// The elements of a comma-separated list; an empty text is an empty list.
static SmallVector<StringRef> splitList(StringRef text) {
  SmallVector<StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (StringRef &part : parts)
    part = part.trim();
  return parts;
}

/// Null where the text is not of the kind; `expected` is then what it should be.
static Attribute parseAttribute(AttributeKind kind, StringRef text, Builder &builder, std::string &expected) {
  text = text.trim();
  switch (kind) {
  case AttributeKind::boolean:
    expected = "true or false";
    if (std::optional<bool> value = parseBool(text))
      return builder.getBoolAttr(*value);
    return {};
  case AttributeKind::integer:
    expected = "an integer";
    if (std::optional<int64_t> value = parseInteger(text))
      return builder.getI64IntegerAttr(*value);
    return {};
  case AttributeKind::number: {
    expected = "a number";
    double value;
    return text.getAsDouble(value) ? Attribute() : builder.getF64FloatAttr(value);
  }
  case AttributeKind::string:
    return builder.getStringAttr(text.lower());
  case AttributeKind::type: {
    ElementType element = parseElementType(text, builder.getContext());
    expected = "an element type";
    if (!element.problem.empty())
      expected += " (" + element.problem + ")";
    return element.type ? TypeAttr::get(element.type) : Attribute();
  }
  case AttributeKind::strings: {
    SmallVector<Attribute> values;
    for (StringRef part : splitList(text))
      values.push_back(builder.getStringAttr(part.lower()));
    return builder.getArrayAttr(values);
  }
  case AttributeKind::numbers: {
    expected = "a list of numbers";
    SmallVector<Attribute> values;
    for (StringRef part : splitList(text)) {
      double value;
      if (part.getAsDouble(value))
        return {};
      values.push_back(builder.getF64FloatAttr(value));
    }
    return builder.getArrayAttr(values);
  }
  case AttributeKind::integers: {
    expected = "a list of integers";
    SmallVector<int64_t> values;
    for (StringRef part : splitList(text)) {
      std::optional<int64_t> value = parseInteger(part);
      if (!value)
        return {};
      values.push_back(*value);
    }
    return builder.getDenseI64ArrayAttr(values);
  }
  }
  return {};
}

FailureOr<SmallVector<NamedAttribute>> LayerBuilder::readAttributes(const OpRow &row) {
  SmallVector<NamedAttribute> attributes;
  for (const AttributeRow &known : row.attributes) {
    const TextAttribute *text = layer.findData(known.name);
    if (!text) {
      if (known.isRequired)
        return error(layer.hasData ? layer.dataOffset : layer.offset, "ir-attribute-missing",
                     "expected an attribute '" + known.name + "', but got none");
      continue;
    }
    std::string expected;
    Attribute value = parseAttribute(known.kind, text->value, builder, expected);
    if (!value)
      return error(text->offset, "ir-attribute",
                   "expected " + expected + " for attribute '" + known.name + "', but got " + quoted(text->value));
    attributes.push_back(builder.getNamedAttr(known.name, value));
  }
  return attributes;
}
