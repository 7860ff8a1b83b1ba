// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mutate.cpp - makes a mutant of a file ------------------------------===//

#include "Mutator.h"

#include "Recur/Testing/Generator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

llvm::ArrayRef<Mutator::Entry> Mutator::getEntries() {
  static constexpr Entry entries[] = {
      {{"attribute-extreme", "gives an attribute a number that few attributes allow, or no number"},
       10,
       &Mutator::setExtremeAttribute},
      {{"attribute-list", "changes an entry of an attribute's list, or its length"}, 8, &Mutator::changeAttributeList},
      {{"attribute-word", "gives an attribute another word that the operation, or another one, knows"},
       5,
       &Mutator::setOtherWord},
      {{"attribute-foreign", "gives an attribute the value of another layer's attribute"},
       2,
       &Mutator::setForeignAttribute},
      {{"attribute-added", "adds an attribute that the operation may have"}, 4, &Mutator::addAttribute},
      {{"attribute-dropped", "removes an attribute"}, 3, &Mutator::dropAttribute},
      {{"version", "gives the layer another version"}, 2, &Mutator::changeVersion},
      {{"operation", "gives the layer another operation"}, 2, &Mutator::changeOp},
      {{"constant-extreme", "gives an element of a constant a number that few dims and axes allow"},
       12,
       &Mutator::setExtremeElement},
      {{"constant-filled", "gives all elements of a constant such a number"}, 4, &Mutator::fillConstant},
      {{"constant-length", "changes the length of a constant list, also to 0"}, 7, &Mutator::changeConstantLength},
      {{"constant-shape", "changes the shape of a constant"}, 5, &Mutator::changeConstantShape},
      {{"constant-type", "changes the element type of a constant"}, 5, &Mutator::changeConstantType},
      {{"constant-opened", "makes a constant an input of the model"}, 8, &Mutator::openConstant},
      {{"input-closed", "makes an input of the model a constant"}, 3, &Mutator::closeParameter},
      {{"dims", "changes dims of an input, also to 0 and to open ones"}, 8, &Mutator::changeDims},
      {{"rank", "changes the rank of an input"}, 6, &Mutator::changeRank},
      {{"type", "changes the element type of an input"}, 6, &Mutator::changeType},
      {{"port", "changes the dims, the element type or the number of a port"}, 2, &Mutator::changePort},
      {{"rewired", "lets an input of the layer read another value"}, 7, &Mutator::rewire},
      {{"edge-dropped", "removes an edge"}, 1, &Mutator::dropEdge},
      {{"edge-end", "changes an end of an edge"}, 1, &Mutator::changeEdgeEnd},
      {{"operand-dropped", "removes an input of the layer"}, 4, &Mutator::dropInput},
      {{"operand-added", "adds inputs to the layer"}, 3, &Mutator::addInput},
      {{"outputs", "removes or adds outputs of the layer"}, 2, &Mutator::changeOutputs},
      {{"port-map", "changes an entry of a port map, or a back edge"}, 12, &Mutator::changePortEntry},
      {{"port-map-dropped", "removes an entry of a port map, or a back edge"}, 3, &Mutator::dropPortEntry},
      {{"port-map-doubled", "repeats an entry of a port map, or a back edge"}, 3, &Mutator::doublePortEntry},
      {{"layer-doubled", "repeats the layer"}, 3, &Mutator::doubleLayer},
      {{"layer-dropped", "removes a layer"}, 1, &Mutator::dropLayer},
      {{"chain", "puts copies of the layer behind it"}, 2, &Mutator::chainLayers},
      {{"wide", "puts copies of the layer, or results, beside it"}, 2, &Mutator::widen},
      {{"nested", "puts the layer into its own body"}, 3, &Mutator::nest},
      {{"elements-nested", "nests elements of the file"}, 1, &Mutator::nestElements},
      {{"call-rank", "calls the model with an input of another rank"}, 1, &Mutator::callWithOtherRank},
      {{"call-dims", "calls the model with an input of other dims"}, 2, &Mutator::callWithOtherDims},
      {{"call-type", "calls the model with an input of another element type"}, 1, &Mutator::callWithOtherType},
  };
  return entries;
}

std::vector<MutationInfo> getFileMutations() {
  std::vector<MutationInfo> all;
  for (const Mutator::Entry &entry : Mutator::getEntries())
    all.push_back(entry.info);
  return all;
}

/// A layer for the next change: one of the operation, one inside such a layer, or, rarely, any layer.
static Element pickLayer(const Document &document, StringRef op, Random &random) {
  std::vector<Element> all = document.findLayers(), fitting;
  for (Element layer : all)
    if (isOp(layer, op))
      fitting.push_back(layer);
  if (all.empty() || fitting.empty() || random.chance(8))
    return all.empty() ? Element() : random.pick(all);
  Element layer = random.pick(fitting);
  std::vector<Element> inner;
  for (Element body : getBodies(layer))
    for (Element other : body.child("layers").children("layer"))
      inner.push_back(other);
  return !inner.empty() && random.chance(30) ? random.pick(inner) : layer;
}

Mutant mutateFile(uint64_t seed, const Corpus &corpus) {
  static const std::vector<StringRef> ops = getOperations();
  static const unsigned total = [] {
    unsigned sum = 0;
    for (const Mutator::Entry &entry : Mutator::getEntries())
      sum += entry.weight;
    return sum;
  }();
  Random random(seed * 0x2545f4914f6cdd1d + 7);
  Mutant mutant;
  mutant.op = ops[seed % ops.size()].str();
  mutant.file = corpus.pick(mutant.op, random);
  Document document;
  document.bin = mutant.file.bin;
  if (!document.parse(mutant.file.xml))
    return mutant;
  Mutator mutator(document, random);
  unsigned wanted = random.chance(60) ? 1 : 2 + random.below(2);
  for (unsigned tries = 0; mutant.mutations.size() != wanted && tries != 100; ++tries) {
    unsigned place = random.below(total);
    const Mutator::Entry *entry = Mutator::getEntries().data();
    while (place >= entry->weight)
      place -= (entry++)->weight;
    Element layer = pickLayer(document, mutant.op, random);
    if (layer && (mutator.*entry->change)(layer))
      mutant.mutations.push_back(entry->info.name.str());
  }
  mutant.file.xml = document.print();
  mutant.file.bin = std::move(document.bin);
  mutant.callFault = mutator.getCallFault();
  return mutant;
}

Report describe(uint64_t seed, const Mutant &mutant) {
  Report report;
  report.seed = seed;
  report.features = mutant.mutations;
  report.ops = {mutant.op};
  return report;
}

} // namespace recur::fuzz
