// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Document.h - a model's file, to be changed ------------------*- C++ -*-===//
//
// The XML of a model, with functions that find layers, edges and constants in it. Nothing is assumed of the file: a
// mutation may already have changed it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_FILEMUTATIONS_DOCUMENT_H
#define RECUR_LIB_TESTING_FILEMUTATIONS_DOCUMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <pugixml.hpp>
#include <string>
#include <vector>

namespace recur::fuzz {

using Element = pugi::xml_node;

/// The elements of a Const, as integers; those of real types are rounded toward zero.
struct ConstantValue {
  std::string type;
  std::vector<std::string> shape;
  std::vector<int64_t> values;
};

/// The XML and the weights of a model.
class Document {
public:
  /// Returns false if the text is not XML.
  bool parse(llvm::StringRef text);
  std::string print() const;
  Element getRoot() const { return xml.document_element(); }
  /// All layers, also those of bodies.
  std::vector<Element> findLayers() const;
  /// The value of a Const of at most 4096 elements, of a type of whole bytes. Returns false if it cannot be read.
  bool readConstant(Element layer, ConstantValue &value) const;
  /// Appends bytes to the weights, and lets the Const refer to them.
  void writeConstant(Element layer, const ConstantValue &value);

  std::string bin;

private:
  pugi::xml_document xml;
};

bool isOp(Element layer, llvm::StringRef op);
/// The element around the `<layers>` of the layer: the net, or a body.
Element getGraph(Element layer);
/// The layer of this id in the graph; null if there is none.
Element findLayer(Element graph, llvm::StringRef id);
/// The edges of the graph that end at the layer.
std::vector<Element> getInputEdges(Element layer);
/// The layer at the start of an edge; null if there is none.
Element getSource(Element edge);
/// The bodies of a layer.
std::vector<Element> getBodies(Element layer);
/// The children of all port maps of the layer, and its back edges.
std::vector<Element> getPortEntries(Element layer);
/// The entries of a list that commas separate. An empty text has none.
std::vector<std::string> splitList(llvm::StringRef text);
std::string joinList(llvm::ArrayRef<std::string> list);
/// Sets an attribute, which is added if there is none.
void setAttribute(Element element, llvm::StringRef name, llvm::StringRef value);
/// The number of bytes of an element of this type; 0 if the type is packed or not known.
unsigned getBytesOfType(llvm::StringRef type);
/// A number that no layer of the file has as its id.
std::string makeId(const Document &document);

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_FILEMUTATIONS_DOCUMENT_H
