// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.cpp - The attributes of a layer's data ------------------===//
//
// Converts the texts of a layer's attributes to MLIR attributes. The table of layers (Layers.h) says which attributes a
// layer has, their kinds, their defaults and their supported values.
//
//===----------------------------------------------------------------------===//

#include "LayerChecks.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using ov::LayerAttribute;
using ov::LayerAttributeKind;

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

/// The choices of an attribute as a message lists them: "'a', 'b' or 'c'".
static std::string listChoices(const LayerAttribute &attribute) {
  SmallVector<std::string> words;
  for (StringRef choice : attribute.choices)
    words.push_back(quoted(choice));
  std::string last = words.pop_back_val();
  return words.empty() ? last : llvm::join(words, ", ") + " or " + last;
}

/// The choice that `text` names, ignoring case. OpenVINO has two texts for some values and writes either, so a text
/// that is no choice may be another text for one. An element-wise layer has NumPy's broadcasting after alignOperands.
static std::string normalizeChoice(const LayerAttribute &attribute, StringRef text) {
  static constexpr std::pair<StringLiteral, StringLiteral> synonyms[] = {
      {"none", "explicit"}, {"explicit", "none"}, {"notset", "explicit"}};
  std::string choice = text.lower();
  if (attribute.name == "auto_broadcast" && choice == "pdpd")
    return "numpy";
  if (!llvm::is_contained(attribute.choices, StringRef(choice)))
    for (auto [other, known] : synonyms)
      if (choice == other && llvm::is_contained(attribute.choices, known))
        return known.str();
  return choice;
}

/// The attribute of the choice that `text` names, or null. `expected` becomes the words that a message uses for a valid
/// text.
static Attribute parseChoice(const LayerAttribute &attribute, StringRef text, Builder &builder, std::string &expected) {
  expected = "one of " + listChoices(attribute);
  std::string choice = normalizeChoice(attribute, text);
  if (attribute.parseChoice)
    return attribute.parseChoice(builder.getContext(), choice);
  return llvm::is_contained(attribute.choices, StringRef(choice)) ? builder.getStringAttr(choice) : Attribute();
}

/// The attribute that `text` stands for, or null if it is not of the attribute's kind. `expected` becomes the words
/// that a message uses for a valid text.
static Attribute parseAttribute(const LayerAttribute &attribute, StringRef text, Builder &builder,
                                std::string &expected) {
  text = text.trim();
  switch (attribute.kind) {
  case LayerAttributeKind::Boolean:
    expected = "true or false";
    if (std::optional<bool> value = parseBool(text))
      return builder.getBoolAttr(*value);
    return {};
  case LayerAttributeKind::Integer:
    expected = "an integer";
    if (std::optional<int64_t> value = parseInteger(text))
      return builder.getI64IntegerAttr(*value);
    return {};
  case LayerAttributeKind::Number: {
    expected = "a number";
    double value;
    return text.getAsDouble(value) ? Attribute() : builder.getF64FloatAttr(value);
  }
  case LayerAttributeKind::String:
    return builder.getStringAttr(text.lower());
  case LayerAttributeKind::Type: {
    ElementType element = parseElementType(text, builder.getContext());
    expected = "an element type";
    if (!element.problem.empty())
      expected += " (" + element.problem + ")";
    return element.type ? TypeAttr::get(element.type) : Attribute();
  }
  case LayerAttributeKind::Numbers: {
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
  case LayerAttributeKind::Integers: {
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
  case LayerAttributeKind::Enum:
    return parseChoice(attribute, text, builder, expected);
  case LayerAttributeKind::Enums: {
    SmallVector<Attribute> values;
    for (StringRef part : splitList(text)) {
      values.push_back(parseChoice(attribute, part, builder, expected));
      if (!values.back()) {
        expected = "a list of " + expected.substr(StringRef("one of ").size());
        return {};
      }
    }
    return builder.getArrayAttr(values);
  }
  }
  return {};
}

/// A suggestion for the first entry of `text` that is not one of the choices, or "" if there is none.
static std::string suggest(const LayerAttribute &attribute, StringRef text) {
  SmallVector<StringRef> choices(attribute.choices.begin(), attribute.choices.end());
  for (StringRef part : splitList(text))
    if (!choices.empty() && !llvm::is_contained(choices, part.lower()))
      return didYouMean(part, choices);
  return "";
}

/// Parses an attribute of the layer. Reports an error if the text is not valid, or not the single supported value.
static FailureOr<Attribute> readText(LayerBuilder &layer, const LayerAttribute &attribute, const TextAttribute &text) {
  std::string expected;
  Attribute value = parseAttribute(attribute, text.value, layer.builder, expected);
  if (!value)
    return layer.error(text.offset, "ir-attribute",
                       "expected " + expected + " for attribute '" + attribute.name + "', but got " +
                           quoted(text.value) + suggest(attribute, text.value));
  if (attribute.only.empty())
    return value;
  std::string ignored;
  if (value != parseAttribute(attribute, attribute.only, layer.builder, ignored))
    return layer.error(text.offset, "ir-attribute",
                       "expected " + attribute.name + " '" + attribute.only + "', but got " + quoted(text.value) +
                           "; " + attribute.others);
  return value;
}

/// True if the default of a list is a number that is repeated for each spatial dim (OV_LayerDefault).
static bool isRepeated(const LayerAttribute &attribute) {
  return attribute.defaultText && attribute.defaultText->ends_with("...");
}

/// The value of an attribute that the layer does not have. Null if it has no default.
static Attribute getDefault(LayerBuilder &layer, const LayerAttribute &attribute) {
  if (!attribute.defaultText)
    return {};
  if (isRepeated(attribute)) {
    int64_t number = parseInteger(attribute.defaultText->drop_back(3)).value_or(0);
    int64_t rank = layer.operands.empty() ? 0 : cast<RankedTensorType>(layer.operands[0].getType()).getRank();
    return layer.builder.getDenseI64ArrayAttr(SmallVector<int64_t>(size_t(std::max<int64_t>(rank - 2, 0)), number));
  }
  std::string ignored;
  return parseAttribute(attribute, *attribute.defaultText, layer.builder, ignored);
}

static LogicalResult reportMissing(LayerBuilder &layer, StringRef name) {
  return layer.error(layer.layer.hasData ? layer.layer.dataOffset : layer.layer.offset, "ir-attribute-missing",
                     "expected an attribute '" + name + "', but got none");
}

FailureOr<Attribute> LayerBuilder::readAttribute(StringRef name) {
  const TextAttribute *text = findData(name);
  if (!text)
    return reportMissing(*this, name);
  for (const LayerAttribute &attribute : type->attributes)
    if (attribute.name == name)
      return readText(*this, attribute, *text);
  return failure();
}

FailureOr<SmallVector<NamedAttribute>> LayerBuilder::readAttributes(bool onlyOfOp) {
  SmallVector<NamedAttribute> attributes;
  unsigned opset = getOpset(layer, *type);
  for (const LayerAttribute &known : type->attributes) {
    const TextAttribute *text = layer.findData(known.name);
    if (text && opset < known.opset)
      return error(text->offset, "ir-attribute",
                   "expected no " + known.name + " before opset" + llvm::Twine(known.opset));
    if (!text && known.isRequired)
      return reportMissing(*this, known.name);
    bool isGiven = text && !(isRepeated(known) && text->value.trim().empty());
    FailureOr<Attribute> value = isGiven ? readText(*this, known, *text) : getDefault(*this, known);
    if (failed(value))
      return failure();
    if (*value && (known.isOfOp || !onlyOfOp))
      attributes.push_back(builder.getNamedAttr(known.name, *value));
  }
  if (!type->versions.empty()) {
    unsigned version = type->versions.front();
    for (unsigned candidate : type->versions)
      if (candidate <= opset)
        version = candidate;
    attributes.push_back(builder.getNamedAttr(type->versionAttribute, builder.getI64IntegerAttr(version)));
  }
  return attributes;
}
