// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- XML.cpp - Elements and attributes, with their places ---------------===//
//
// Parses with pugixml and checks what pugixml accepts but OpenVINO IR must not have: a second root, text beside the
// root, repeated elements and attributes.
//
//===----------------------------------------------------------------------===//

#include "XML.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ir;
using llvm::Twine;

/// The name and the place of a tag that is opened and not closed, for a note that the parser's message lacks. Nullopt
/// if there is none. Understands comments, CDATA, processing instructions and quotes, but no more of XML.
static std::optional<std::pair<StringRef, Offset>> findUnclosed(StringRef text) {
  SmallVector<std::pair<StringRef, Offset>> open;
  auto skipPast = [&](size_t at, StringRef end) {
    size_t found = text.find(end, at);
    return found == StringRef::npos ? text.size() : found + end.size();
  };
  for (size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    StringRef rest = text.drop_front(at);
    if (rest.starts_with("<!--")) {
      at = skipPast(at, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at = skipPast(at, "]]>");
    } else if (rest.starts_with("<?")) {
      at = skipPast(at, "?>");
    } else if (rest.starts_with("<!")) {
      at = skipPast(at, ">");
    } else if (rest.starts_with("</")) {
      StringRef name = rest.drop_front(2).take_until([](char c) { return c == '>' || isspace((unsigned char)c); });
      if (open.empty() || open.back().first != name)
        return open.empty() ? std::nullopt : std::optional(open.back());
      open.pop_back();
      at = skipPast(at, ">");
    } else {
      StringRef name =
          rest.drop_front(1).take_until([](char c) { return c == '>' || c == '/' || isspace((unsigned char)c); });
      // A '>' within quotes does not end the tag.
      char quote = 0;
      size_t end = at + 1;
      for (; end < text.size() && (quote || text[end] != '>'); ++end) {
        if (quote)
          quote = text[end] == quote ? 0 : quote;
        else if (text[end] == '"' || text[end] == '\'')
          quote = text[end];
      }
      if (end >= text.size())
        return std::make_pair(name, at);
      if (text[end - 1] != '/')
        open.push_back({name, at});
      at = end;
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

LogicalResult XML::parse(StringRef text, Reports &reports, pugi::xml_node &net) {
  this->reports = &reports;
  if (text.trim().empty())
    return reports.error(0, "xml-empty", "the file is empty; expected OpenVINO IR, an XML file with root <net>");
  if (size_t nul = text.find('\0'); nul != StringRef::npos)
    return reports.error(nul, "xml-encoding", "expected UTF-8 text, but got a zero byte");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return reports.error(0, "xml-encoding", "expected UTF-8 text, but got UTF-16");

  buffer.assign(text.begin(), text.end());
  // `parse_fragment` keeps the text beside the root element, so that it can be reported.
  pugi::xml_parse_result result = document.load_buffer_inplace(
      buffer.data(), buffer.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result) {
    // If the text does not even begin like XML, the parser's message does not help.
    if (!text.trim().trim("\xef\xbb\xbf").starts_with("<"))
      return reports.error(0, "xml-syntax", "expected OpenVINO IR, an XML file with root <net>");
    Report report = reports.error(result.offset, "xml-syntax", Twine("malformed XML: ") + result.description());
    if (auto unclosed = findUnclosed(text))
      report.note(unclosed->second, "<" + shown(unclosed->first) + "> is opened here and not closed");
    StringRef whole = text.rtrim(" \t\r\n");
    if (!whole.ends_with_insensitive("</net>"))
      report.note(whole.size(), "the file ends here without </net>; it may be cut off");
    return report;
  }
  for (pugi::xml_node node : document.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      if (!StringRef(node.value()).trim().empty())
        return reports.error(offsetOf(node.value()), "xml-root",
                             net ? "text after the root element" : "expected OpenVINO IR, an XML file with root <net>");
    } else if (node.type() == pugi::node_element) {
      if (net)
        return reports.error(offsetOf(node), "xml-root", "a second root element")
            .note(offsetOf(net), "the first is here");
      net = node;
    }
  }
  if (!net)
    return reports.error(0, "xml-root", "expected OpenVINO IR, an XML file with root <net>");
  if (!StringRef(net.name()).equals_insensitive("net"))
    return reports.error(offsetOf(net), "xml-root", "expected root element <net>, but got " + quoted(net.name()));
  return success();
}

Offset XML::offsetOf(const pugi::char_t *text) const {
  // pugixml returns a pointer to its own memory for an empty string.
  if (std::less<>()(text, buffer.data()) || !std::less<>()(text, buffer.data() + buffer.size()))
    return 0;
  return text - buffer.data();
}

Offset XML::offsetOf(pugi::xml_node node) const {
  Offset name = offsetOf(node.name());
  return name == 0 ? 0 : name - 1;
}

void XML::forEachChild(pugi::xml_node parent, std::initializer_list<StringRef> known,
                       llvm::function_ref<void(StringRef, pugi::xml_node)> visit) {
  for (pugi::xml_node child : parent.children()) {
    if (child.type() != pugi::node_element)
      continue;
    StringRef name = child.name();
    if (known.size() != 0 && !llvm::is_contained(known, name))
      reports->warning(offsetOf(child), "xml-unknown-element",
                       "unknown element " + quoted(name) + " in <" + Twine(parent.name()) + ">" +
                           didYouMean(name, ArrayRef(known.begin(), known.size())));
    else
      visit(name, child);
  }
}

pugi::xml_node XML::takeOnly(pugi::xml_node previous, pugi::xml_node child) {
  if (!previous)
    return child;
  reports->error(offsetOf(child), "xml-element-twice", "a second <" + Twine(child.name()) + ">")
      .note(offsetOf(previous), "the first is here")
      .emit();
  return previous;
}

SmallVector<recur::ir::TextAttribute, 2> XML::readAttributes(pugi::xml_node node) {
  SmallVector<TextAttribute, 2> attributes;
  for (pugi::xml_attribute attribute : node.attributes())
    attributes.push_back({attribute.name(), attribute.value(), offsetOf(attribute.value())});
  // Sorting finds repetitions fast even in an element with many attributes.
  SmallVector<const TextAttribute *, 8> sorted(llvm::make_pointer_range(attributes));
  llvm::sort(sorted, [](auto *a, auto *b) { return std::tie(a->name, a->offset) < std::tie(b->name, b->offset); });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->name == sorted[i - 1]->name)
      reports
          ->error(sorted[i]->offset, "xml-attribute-twice", "attribute " + quoted(sorted[i]->name) + " is given twice")
          .note(sorted[i - 1]->offset, "first given here")
          .emit();
  return attributes;
}

//===----------------------------------------------------------------------===//
// Element
//===----------------------------------------------------------------------===//

Element::Element(XML &xml, pugi::xml_node node, ArrayRef<StringRef> known, ArrayRef<StringRef> harmless)
    : reports(xml.getReports()), tag(node.name()), offset(xml.offsetOf(node)), attributes(xml.readAttributes(node)) {
  for (const TextAttribute &attribute : attributes)
    if (!llvm::is_contained(known, attribute.name) && !llvm::is_contained(harmless, attribute.name))
      reports.warning(xml.offsetOf(attribute.name.data()), "xml-unknown-attribute",
                      "unknown attribute " + quoted(attribute.name) + " of <" + tag + ">" +
                          didYouMean(attribute.name, known));
}

const recur::ir::TextAttribute *Element::find(StringRef name) const {
  for (const TextAttribute &attribute : attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

const recur::ir::TextAttribute *Element::get(StringRef name) const {
  const TextAttribute *attribute = find(name);
  if (!attribute)
    reports.error(offset, "xml-missing-attribute", "<" + tag + "> has no attribute '" + name + "'").emit();
  return attribute;
}

std::optional<int64_t> Element::getInteger(StringRef name) const {
  const TextAttribute *attribute = get(name);
  if (!attribute)
    return std::nullopt;
  std::optional<int64_t> value = parseInteger(attribute->value);
  if (!value)
    reports
        .error(attribute->offset, "xml-integer",
               "expected attribute '" + name + "' of <" + tag + "> to be an integer, but got " +
                   quoted(attribute->value))
        .emit();
  return value;
}

std::optional<uint64_t> Element::getId(StringRef name) const {
  std::optional<int64_t> value = getInteger(name);
  if (!value)
    return std::nullopt;
  if (*value < 0) {
    reports
        .error(find(name)->offset, "xml-integer",
               "expected attribute '" + name + "' of <" + tag + "> not to be negative, but got " + Twine(*value))
        .emit();
    return std::nullopt;
  }
  return *value;
}
