// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- XML.h - Elements and attributes, with their places -------*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_XML_H
#define RECUR_LIB_IMPORT_OPENVINOIR_XML_H

#include "Graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <pugixml.hpp>

namespace recur::ir {

/// The parsed XML. pugixml parses in place, so that names and values are pointers into our copy of the text, and tell
/// their offsets.
class XML {
public:
  /// Parses a copy of `text` and finds the root element, `<net>`.
  llvm::LogicalResult parse(llvm::StringRef text, Reports &reports, pugi::xml_node &net);

  /// Of the element's '<'.
  Offset offsetOf(pugi::xml_node node) const;
  Offset offsetOf(const pugi::char_t *text) const;
  Reports &getReports() const { return *reports; }

  /// Calls `visit` for each child element. One whose name is not in `known` is warned about, unless `known` is empty.
  void forEachChild(pugi::xml_node parent, std::initializer_list<llvm::StringRef> known,
                    llvm::function_ref<void(llvm::StringRef, pugi::xml_node)> visit);
  /// `child`, or an error if there is one already: readers would disagree which counts.
  pugi::xml_node takeOnly(pugi::xml_node previous, pugi::xml_node child);
  /// All attributes; one that is given twice is an error.
  llvm::SmallVector<TextAttribute, 2> readAttributes(pugi::xml_node node);

private:
  std::vector<char> buffer;
  pugi::xml_document document;
  Reports *reports = nullptr;
};

/// The attributes of one element. Those that are neither known nor harmless are warned about.
class Element {
public:
  Element(XML &xml, pugi::xml_node node, llvm::ArrayRef<llvm::StringRef> known,
          llvm::ArrayRef<llvm::StringRef> harmless);
  Offset getOffset() const { return offset; }
  const TextAttribute *find(llvm::StringRef name) const;
  /// The same, but it is an error if there is none.
  const TextAttribute *get(llvm::StringRef name) const;
  /// A mandatory id: an integer that is not negative.
  std::optional<uint64_t> getId(llvm::StringRef name) const;
  /// A mandatory integer.
  std::optional<int64_t> getInteger(llvm::StringRef name) const;

private:
  Reports &reports;
  llvm::StringRef tag;
  Offset offset;
  llvm::SmallVector<TextAttribute, 2> attributes;
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_XML_H
