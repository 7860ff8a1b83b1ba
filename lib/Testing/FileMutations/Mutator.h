// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mutator.h - the changes that are made in files --------------*- C++ -*-===//
//
// Each function makes one change that has to do with a layer, or returns false if the layer has no place for it. They
// are in the files of what they change: Attributes.cpp, Constants.cpp, Types.cpp, Edges.cpp and Graphs.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_FILEMUTATIONS_MUTATOR_H
#define RECUR_LIB_TESTING_FILEMUTATIONS_MUTATOR_H

#include "../Random.h"
#include "Document.h"

#include "Recur/Testing/FileMutations.h"

namespace recur::fuzz {

/// Changes one file.
class Mutator {
public:
  Mutator(Document &document, Random &random) : document(document), random(random) {}

  /// A change: its name, what it does, how often it is chosen, and the function that makes it.
  struct Entry {
    MutationInfo info;
    unsigned weight;
    bool (Mutator::*change)(Element layer);
  };
  static llvm::ArrayRef<Entry> getEntries();

  CallFault getCallFault() const { return callFault; }

private:
  //===--- Choices ---===//
  /// A whole number that few attributes allow, or a small one.
  int64_t anyInteger();
  /// The text of such a number, of a real number, or no number at all.
  std::string anyNumberText();
  /// Changes one entry of a list, or its length.
  void changeList(std::vector<std::string> &list, bool isOfDims);
  /// An attribute in `<data>` of the layer; null if there is none.
  pugi::xml_attribute anyAttribute(Element layer);
  /// A Const that the layer reads, if there is one that can be read.
  Element anyConstant(Element layer, ConstantValue &value);
  /// A Parameter from which the layer's operands are computed, if there is one.
  Element anyParameter(Element layer);
  /// Any layer of the same graph that has an output.
  Element anySource(Element layer);

  //===--- Attributes ---===//
  bool setExtremeAttribute(Element layer);
  bool changeAttributeList(Element layer);
  bool setOtherWord(Element layer);
  bool setForeignAttribute(Element layer);
  bool addAttribute(Element layer);
  bool dropAttribute(Element layer);
  bool changeVersion(Element layer);
  bool changeOp(Element layer);

  //===--- Constants ---===//
  bool setExtremeElement(Element layer);
  bool fillConstant(Element layer);
  bool changeConstantLength(Element layer);
  bool changeConstantShape(Element layer);
  bool changeConstantType(Element layer);
  bool openConstant(Element layer);
  bool closeParameter(Element layer);

  //===--- Types ---===//
  bool changeDims(Element layer);
  bool changeRank(Element layer);
  bool changeType(Element layer);
  bool changePort(Element layer);
  bool callWithOtherRank(Element layer);
  bool callWithOtherDims(Element layer);
  bool callWithOtherType(Element layer);

  //===--- Edges and port maps ---===//
  bool rewire(Element layer);
  bool dropEdge(Element layer);
  bool changeEdgeEnd(Element layer);
  bool dropInput(Element layer);
  bool addInput(Element layer);
  bool changeOutputs(Element layer);
  bool changePortEntry(Element layer);
  bool dropPortEntry(Element layer);
  bool doublePortEntry(Element layer);

  //===--- Graphs ---===//
  bool doubleLayer(Element layer);
  bool chainLayers(Element layer);
  bool widen(Element layer);
  bool nest(Element layer);
  bool dropLayer(Element layer);
  bool nestElements(Element layer);

  Document &document;
  Random &random;
  CallFault callFault = CallFault::None;
};

/// Integers at and beyond the ends of their types.
llvm::ArrayRef<int64_t> getExtremes();

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_FILEMUTATIONS_MUTATOR_H
