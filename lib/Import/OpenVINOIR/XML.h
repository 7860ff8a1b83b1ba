// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- XML.h - Elements and attributes, with their places -------*- C++ -*-===//
//
// A thin layer over pugixml that knows the place of every element and attribute in the file, so that diagnostics can
// point there, and that reports unknown, repeated and missing ones.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_XML_H
#define RECUR_LIB_IMPORT_OPENVINOIR_XML_H

#include "Graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <pugixml.hpp>

namespace recur::ir {

/// The parsed XML. pugixml parses in place: names and values are pointers into `buffer`, a copy of the text. The
/// distance of such a pointer from the start of the buffer is its offset in the file.
class XML {
public:
  /// Parses a copy of `text` and stores the root element, `<net>`, in `net`. Reports an error if the text is not XML,
  /// or does not have exactly that root.
  llvm::LogicalResult parse(llvm::StringRef text, Reports &reports, pugi::xml_node &net);

  /// The offset of the element's '<'.
  Offset offsetOf(pugi::xml_node node) const;
  /// The offset of a name or a value; 0 if `text` is not in the buffer.
  Offset offsetOf(const pugi::char_t *text) const;
  Reports &getReports() const { return *reports; }

  /// Calls `visit` for each child element whose name is in `known`, and warns about the others. If `known` is empty,
  /// calls it for each child element.
  void forEachChild(pugi::xml_node parent, std::initializer_list<llvm::StringRef> known,
                    llvm::function_ref<void(llvm::StringRef, pugi::xml_node)> visit);
  /// Returns `child` if `previous` is null. Otherwise the element occurs twice and it is not clear which one counts, so
  /// this reports an error and returns `previous`.
  pugi::xml_node takeOnly(pugi::xml_node previous, pugi::xml_node child);
  /// All attributes of the element. Reports an error for each attribute that is given twice.
  llvm::SmallVector<TextAttribute, 2> readAttributes(pugi::xml_node node);

private:
  std::vector<char> buffer;
  pugi::xml_document document;
  Reports *reports = nullptr;
};

/// The attributes of one element. The constructor warns about attributes that are in neither list. Those in `harmless`
/// are accepted, but not suggested in place of a misspelled attribute.
class Element {
public:
  Element(XML &xml, pugi::xml_node node, llvm::ArrayRef<llvm::StringRef> known,
          llvm::ArrayRef<llvm::StringRef> harmless);
  Offset getOffset() const { return offset; }
  /// The attribute with this name, or null.
  const TextAttribute *find(llvm::StringRef name) const;
  /// The same, but reports an error if there is none.
  const TextAttribute *get(llvm::StringRef name) const;
  /// The value of a mandatory id, an integer that is not negative. Reports an error and returns nullopt if there is
  /// none.
  std::optional<uint64_t> getId(llvm::StringRef name) const;
  /// The value of a mandatory integer. Reports an error and returns nullopt if there is none.
  std::optional<int64_t> getInteger(llvm::StringRef name) const;

private:
  Reports &reports;
  llvm::StringRef tag;
  Offset offset;
  llvm::SmallVector<TextAttribute, 2> attributes;
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_XML_H
