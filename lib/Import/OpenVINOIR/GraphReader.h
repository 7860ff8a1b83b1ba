// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphReader.h - From XML to a graph ----------------------*- C++ -*-===//
//
// Reads the XML of a model into a Graph (Graph.h). It goes on after an error where that makes sense, so that one import
// reports many errors of a file.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_GRAPHREADER_H
#define RECUR_LIB_IMPORT_OPENVINOIR_GRAPHREADER_H

#include "Graph.h"

namespace recur {
struct ImportOptions;
} // namespace recur

namespace recur::ir {

/// A model file: its parsed XML and the graph that points into it.
class ModelFile {
public:
  ModelFile();
  ~ModelFile();
  /// Parses a copy of `text`, reads the graph and orders its layers. Reports errors, and fails if the import ends
  /// because of them.
  llvm::LogicalResult read(llvm::StringRef text, Reports &reports, const ImportOptions &options);

  /// The name of the model, or empty if the file has none.
  llvm::StringRef name;
  Graph graph;

private:
  struct Document;
  std::unique_ptr<Document> document;
};

/// Resolves the port map and the back edges of a TensorIterator or Loop, and orders its body, which must have been
/// read. Reports errors.
void resolveLoop(Layer &layer, Reports &reports);

/// Resolves the port maps of an If, and orders its bodies, which must have been read. Reports errors.
void resolveIf(Layer &layer, Reports &reports);

/// Fills `order` and `isReached` of the graph: all layers that the layers `roots` need. Reports cycles, inputs without
/// an edge, edges from outputs that no port map fills, and Results that do not have one input.
void orderLayers(Graph &graph, llvm::ArrayRef<unsigned> roots, Reports &reports);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_GRAPHREADER_H
