// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphReader.h - From XML to a graph ----------------------*- C++ -*-===//
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
  /// Parses a copy of `text` and reads the graph. Everything wrong is reported.
  llvm::LogicalResult read(llvm::StringRef text, Reports &reports, const ImportOptions &options);

  llvm::StringRef name;
  Graph graph;

private:
  struct Document;
  std::unique_ptr<Document> document;
};

/// Resolves the port map and the back edges of a TensorIterator or Loop, whose body has been read.
void resolveLoop(Layer &layer, Reports &reports);

/// Resolves the port maps of an If, whose bodies have been read.
void resolveIf(Layer &layer, Reports &reports);

/// Fills `order`: all that `roots` need, sources first. Reports cycles and inputs without an edge.
void orderLayers(Graph &graph, llvm::ArrayRef<unsigned> roots, Reports &reports);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_GRAPHREADER_H
