// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerTable.cpp - The table of operations that can be imported ------===//

#include "Backends.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TableGen/Error.h"

using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;
using mlir::tblgen::Attribute;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;
using mlir::tblgen::Operator;

namespace recur {

bool isOp(const Record *layer) { return layer->isSubClassOf("Op"); }

/// The function that builds other ops in place of the layer, or an empty text.
static StringRef getExpansion(const Record *layer) {
  return layer->isSubClassOf("OV_ExpandedLayer") ? layer->getValueAsString("expansion") : StringRef();
}

StringRef getFamily(const Record *layer) {
  return layer->getValueAsDef(isOp(layer) ? "opDocGroup" : "family")->getValueAsString("summary");
}

std::vector<const Record *> getLayers(const RecordKeeper &records) {
  std::vector<const Record *> layers;
  for (const Record *record : records.getAllDerivedDefinitions("OV_Layer"))
    if (!record->getValueAsString("layerType").empty())
      layers.push_back(record);
  llvm::sort(layers, [](const Record *a, const Record *b) {
    return a->getValueAsString("layerType") < b->getValueAsString("layerType");
  });
  return layers;
}

std::vector<const Record *> getMissingLayers(const RecordKeeper &records) {
  std::vector<const Record *> layers;
  for (const Record *layer : records.getAllDerivedDefinitions("OV_MissingLayer"))
    layers.push_back(layer);
  llvm::sort(layers, [](const Record *a, const Record *b) {
    return a->getValueAsString("layerType") < b->getValueAsString("layerType");
  });
  return layers;
}

static std::string quote(StringRef text) { return ("\"" + text + "\"").str(); }

static std::string listOfTexts(llvm::ArrayRef<StringRef> texts) {
  return llvm::join(llvm::map_range(texts, quote), ", ");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// The entries that a row of the table has for an attribute.
struct AttributeRow {
  std::string name, kind;
  int64_t opset = 1;
  bool isRequired = false, isOfOp = true, isGiven = false;
  std::optional<std::string> defaultText;
  /// The enum of its values, if they are a closed set and belong to an op.
  const Record *choices = nullptr;
  /// The texts of its values, if they are a closed set and do not belong to an op.
  std::vector<StringRef> texts;
  std::string only, others;
};
} // namespace

/// The enumerator of LayerAttributeKind for an attribute of an op, or "" if a layer cannot have such an attribute. For
/// an enum, `choices` becomes its record.
static std::string getKind(Attribute attribute, const Record *&choices) {
  const Record &def = attribute.getBaseAttr().getDef();
  if (def.isSubClassOf("EnumAttr")) {
    choices = def.getValueAsDef("enum");
    return "Enum";
  }
  if (def.isSubClassOf("TypedArrayAttrBase")) {
    std::string element = getKind(Attribute(def.getValueAsDef("elementAttr")), choices);
    return element == "Enum" ? "Enums" : element == "Number" ? "Numbers" : "";
  }
  static const std::pair<StringRef, StringRef> kinds[] = {
      {"BoolAttr", "Boolean"},           {"I64Attr", "Integer"}, {"F64Attr", "Number"}, {"TypeAttr", "Type"},
      {"DenseI64ArrayAttr", "Integers"}, {"StrAttr", "String"}};
  for (auto [name, kind] : kinds)
    if (def.getName() == name)
      return kind.str();
  return "";
}

/// The default of an attribute of an op in the IR's spelling, or nullopt if it has none. `choices` is the record of its
/// enum, or null.
static std::optional<std::string> getDefault(const Attribute &attribute, const Record *choices) {
  if (!attribute.hasDefaultValue())
    return std::nullopt;
  StringRef value = attribute.getDefaultValue();
  if (!choices)
    return value.str();
  StringRef symbol = value.rsplit("::").second;
  for (const Record *choice : choices->getValueAsListOfDefs("enumerants"))
    if (choice->getValueAsString("symbol") == symbol)
      return choice->getValueAsString("str").str();
  return std::nullopt;
}

/// Collects the attributes of a layer. `versionAttribute` and `versions` are set from OV_Version. Returns true after an
/// error.
static bool collectAttributes(const Record *layer, std::vector<AttributeRow> &rows, std::string &versionAttribute,
                              std::vector<int64_t> &versions) {
  if (isOp(layer) && !layer->getValueAsBit("hasOwnLayerAttributes")) {
    Operator op(layer);
    for (int i = 0, e = op.getNumArgs(); i != e; ++i) {
      auto *attribute = llvm::dyn_cast_if_present<NamedAttribute *>(op.getArg(i));
      if (!attribute)
        continue;
      AttributeRow row;
      row.name = attribute->name.str();
      row.kind = getKind(attribute->attr, row.choices);
      bool isVersion = false;
      for (const auto &decorator : op.getArgDecorators(i)) {
        const Record &def = decorator.getDef();
        if (def.isSubClassOf("OV_Since"))
          row.opset = def.getValueAsInt("opset");
        if (def.isSubClassOf("OV_LayerDefault"))
          row.defaultText = def.getValueAsString("text").str();
        row.isGiven |= def.getName() == "OV_GivenByImporter";
        if (def.isSubClassOf("OV_Version")) {
          isVersion = true;
          versionAttribute = row.name;
          versions = def.getValueAsListOfInts("opsets");
        }
      }
      if (isVersion)
        continue;
      if (row.kind.empty()) {
        llvm::PrintError(layer, "expected attribute '" + row.name + "' to be of a kind that a layer has");
        return true;
      }
      if (!row.defaultText)
        row.defaultText = getDefault(attribute->attr, row.choices);
      row.isRequired = !attribute->attr.isOptional() && !row.defaultText && !row.isGiven;
      rows.push_back(std::move(row));
    }
  }
  for (const Record *attribute : layer->getValueAsListOfDefs("layerAttributes")) {
    AttributeRow row;
    row.name = attribute->getValueAsString("name").str();
    row.kind = attribute->getValueAsString("kind").str();
    row.isRequired = attribute->getValueAsBit("isRequired");
    row.opset = attribute->getValueAsInt("opset");
    if (attribute->getValueAsBit("hasDefault"))
      row.defaultText = attribute->getValueAsString("default").str();
    row.texts = attribute->getValueAsListOfStrings("choices");
    row.isOfOp = false;
    row.only = attribute->getValueAsString("only").str();
    row.others = attribute->getValueAsString("others").str();
    rows.push_back(std::move(row));
  }
  return false;
}

/// Emits the rows of the attributes of a layer to `os`, and the arrays that they refer to to `arrays`.
static void emitAttributes(const std::vector<AttributeRow> &rows, StringRef type, raw_ostream &os,
                           raw_ostream &arrays) {
  for (const AttributeRow &row : rows) {
    std::string choices = row.choices          ? "choicesOf" + row.choices->getValueAsString("className").str()
                          : !row.texts.empty() ? (row.name + "Of" + type).str()
                                               : "{}";
    if (!row.texts.empty())
      arrays << "static constexpr llvm::StringLiteral " << choices << "[] = {" << listOfTexts(row.texts) << "};\n";
    os << "    {" << quote(row.name) << ", LayerAttributeKind::" << row.kind << ", " << row.opset << ", "
       << (row.isRequired ? "true" : "false") << ", " << (row.isOfOp ? "true" : "false") << ", "
       << (row.defaultText ? "llvm::StringLiteral(" + quote(*row.defaultText) + ")" : "std::nullopt") << ", " << choices
       << ", " << (row.choices ? "parse" + row.choices->getValueAsString("className").str() : "nullptr") << ", "
       << quote(row.only) << ", " << quote(row.others) << "},\n";
  }
}

/// Emits the texts of each enum, and a function that parses a text to the attribute.
static void emitChoices(const RecordKeeper &records, raw_ostream &os) {
  llvm::StringSet<> done;
  for (const Record *attribute : records.getAllDerivedDefinitions("OV_EnumAttr")) {
    const Record *info = attribute->getValueAsDef("enum");
    StringRef name = info->getValueAsString("className");
    if (!done.insert(name).second)
      continue;
    std::vector<StringRef> texts;
    for (const Record *choice : info->getValueAsListOfDefs("enumerants"))
      texts.push_back(choice->getValueAsString("str"));
    os << "static constexpr llvm::StringLiteral choicesOf" << name << "[] = {" << listOfTexts(texts) << "};\n"
       << "static mlir::Attribute parse" << name << "(mlir::MLIRContext *context, llvm::StringRef text) {\n"
       << "  std::optional<" << name << "> value = " << info->getValueAsString("stringToSymbolFnName") << "(text);\n"
       << "  return value ? " << name << "Attr::get(context, *value) : mlir::Attribute();\n}\n";
  }
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// The enumerator of LayerElements for a type constraint, or "" if there is none.
static StringRef getElements(const mlir::tblgen::TypeConstraint &constraint) {
  const Record *def = &constraint.getDef();
  // Optional and Variadic wrap the type.
  if (def->getValue("baseType") && def->isSubClassOf("TypeConstraint") &&
      (constraint.isOptional() || constraint.isVariadic()))
    def = def->getValueAsDef("baseType");
  static const std::pair<StringRef, StringRef> kinds[] = {{"OV_Tensor", "Any"},        {"OV_NumberTensor", "Number"},
                                                          {"OV_FloatTensor", "Real"},  {"OV_BoolTensor", "Boolean"},
                                                          {"OV_IndexTensor", "Index"}, {"OV_IntegerTensor", "Integer"},
                                                          {"OV_BitsTensor", "Any"}};
  for (auto [name, kind] : kinds)
    if (def->getName() == name)
      return kind;
  return "";
}

static void emitValue(StringRef name, StringRef elements, bool isOptional, bool isVariadic, raw_ostream &os) {
  os << "    {" << quote(name) << ", LayerElements::" << elements << ", " << (isOptional ? "true" : "false") << ", "
     << (isVariadic ? "true" : "false") << "},\n";
}

template <typename Range>
static bool emitValues(const Record *layer, Range &&values, raw_ostream &os) {
  for (const NamedTypeConstraint &value : values) {
    StringRef elements = getElements(value.constraint);
    if (elements.empty()) {
      llvm::PrintError(layer, "expected '" + value.name + "' to be one of the dialect's kinds of tensors");
      return true;
    }
    emitValue(value.name, elements, value.isOptional(), value.isVariadic(), os);
  }
  return false;
}

/// The smallest and the largest number of inputs of a layer; ~0u is unlimited.
static std::pair<unsigned, unsigned> countInputs(const Record *layer) {
  std::vector<int64_t> given = layer->getValueAsListOfInts("layerInputs");
  if (given.size() == 2)
    return {unsigned(given[0]), unsigned(given[1])};
  unsigned least = 0, most = 0;
  if (!isOp(layer)) {
    std::vector<const Record *> operands = layer->getValueAsListOfDefs("operands");
    for (const Record *operand : operands) {
      least += !operand->getValueAsBit("isOptional");
      most = operand->getValueAsBit("isVariadic") ? ~0u : most + 1;
    }
    return operands.empty() ? std::pair(1u, 1u) : std::pair(least, most);
  }
  for (const NamedTypeConstraint &operand : Operator(layer).getOperands()) {
    if (operand.isVariadic() && !operand.isOptional())
      return {least + 1, ~0u};
    least += !operand.isOptional();
    ++most;
  }
  return {least, most};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

bool emitLayerTable(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by recur-tblgen -gen-ov-layer-table.\n";
  emitChoices(records, os);
  std::string rows;
  llvm::raw_string_ostream table(rows);
  for (const Record *layer : getLayers(records)) {
    StringRef type = layer->getValueAsString("layerType");
    auto array = [&](StringRef element, StringRef what, StringRef entries) -> std::string {
      if (entries.empty())
        return "{}";
      std::string name = (what + "Of" + type).str();
      os << "static constexpr " << element << " " << name << "[] = {\n" << entries << "};\n";
      return name;
    };
    std::vector<AttributeRow> attributes;
    std::string versionAttribute;
    std::vector<int64_t> versions;
    if (collectAttributes(layer, attributes, versionAttribute, versions))
      return true;
    std::string attributeText, operandText, resultText, op;
    bool isElementwise = false;
    {
      llvm::raw_string_ostream stream(attributeText);
      emitAttributes(attributes, type, stream, os);
    }
    if (isOp(layer)) {
      Operator definition(layer);
      op = definition.getOperationName();
      isElementwise = definition.getTrait("::mlir::OpTrait::Elementwise") || layer->isSubClassOf("OV_BinaryOp");
      llvm::raw_string_ostream operandStream(operandText), resultStream(resultText);
      if (emitValues(layer, definition.getOperands(), operandStream) ||
          emitValues(layer, definition.getResults(), resultStream))
        return true;
    } else {
      llvm::raw_string_ostream stream(operandText);
      for (const Record *operand : layer->getValueAsListOfDefs("operands"))
        emitValue(operand->getValueAsString("name"), operand->getValueAsString("elements"),
                  operand->getValueAsBit("isOptional"), operand->getValueAsBit("isVariadic"), stream);
    }
    auto [least, most] = countInputs(layer);
    std::string otherText;
    std::vector<StringRef> others = layer->getValueAsListOfStrings("otherLayerTypes");
    if (!others.empty())
      otherText = listOfTexts(others);
    std::string versionText = llvm::join(llvm::map_range(versions, [](int64_t v) { return std::to_string(v); }), ", ");
    table << "    {" << quote(type) << ", " << array("llvm::StringLiteral", "otherNames", otherText) << ", "
          << quote(op) << ", " << quote(getFamily(layer)) << ", " << layer->getValueAsInt("opset") << ", " << least
          << "u, " << most << "u, " << array("LayerValue", "operands", operandText) << ", "
          << array("LayerValue", "results", resultText) << ", " << array("LayerAttribute", "attributes", attributeText)
          << ", " << quote(versionAttribute) << ", " << array("unsigned", "versions", versionText) << ", "
          << (isElementwise ? "true" : "false") << ", " << quote(layer->getValueAsString("importer")) << ", "
          << quote(getExpansion(layer)) << ", "
          << std::max(layer->getValueAsInt("opset"), layer->getValueAsInt("writtenOpset")) << ", "
          << quote(layer->getValueAsString("exporter")) << "},\n";
  }
  os << "static constexpr LayerType layerTypes[] = {\n" << rows << "};\n";
  os << "static constexpr MissingLayer missingLayers[] = {\n";
  for (const Record *layer : getMissingLayers(records))
    os << "    {" << quote(layer->getValueAsString("layerType")) << ", " << layer->getValueAsInt("opset") << ", "
       << quote(layer->getValueAsString("reason")) << "},\n";
  os << "};\n";
  return false;
}

bool emitLayerImporters(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by recur-tblgen -gen-ov-layer-importers.\n";
  llvm::StringSet<> done;
  for (const Record *layer : getLayers(records))
    if (StringRef name = layer->getValueAsString("importer"); !name.empty() && done.insert(name).second)
      os << "IMPORTER(" << name << ")\n";
  for (const Record *layer : getLayers(records))
    if (StringRef name = getExpansion(layer); !name.empty() && done.insert(name).second)
      os << "EXPANSION(" << name << ", " << (layer->getValueAsBit("isWidened") ? "true" : "false") << ")\n";
  os << "#undef IMPORTER\n#undef EXPANSION\n";
  return false;
}

bool emitLayerExporters(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by recur-tblgen -gen-ov-layer-exporters.\n";
  llvm::StringSet<> done;
  for (const Record *layer : getLayers(records))
    if (StringRef name = layer->getValueAsString("exporter"); !name.empty() && done.insert(name).second)
      os << "EXPORTER(" << name << ")\n";
  os << "#undef EXPORTER\n";
  return false;
}

} // namespace recur
