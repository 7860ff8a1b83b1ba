// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Diff.cpp - How two models differ -----------------------------------===//
//
// Walks over the ops of both modules in their order, compares those that Match.cpp has paired, and prints an entry for
// each that differs.
//
//===----------------------------------------------------------------------===//

#include "Recur/Diff/Diff.h"

#include "Match.h"
#include "WeightsDiff.h"

#include "Recur/Dialect/OV/IR/LayerName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace recur;
using namespace recur::diff;

namespace {
/// Prints the report, one entry for each layer that differs.
class Report {
public:
  Report(const DiffSide &before, const DiffSide &after, llvm::raw_ostream &os) : before(before), after(after), os(os) {}

  void addRemoved(const std::string &what) { add('-', what, counts.removed); }
  void addAdded(const std::string &what) { add('+', what, counts.added); }
  /// `lines` are the changes of `what`, of which there is at least one.
  void addChanged(const std::string &what, ArrayRef<std::string> lines) {
    add('~', what, counts.changed);
    for (const std::string &line : lines)
      os << "    " << line << "\n";
  }
  DiffCounts finish() {
    if (counts.any())
      os << counts.removed << " removed, " << counts.added << " added, " << counts.changed << " changed\n";
    return counts;
  }

private:
  void add(char sign, const std::string &what, uint64_t &count) {
    if (!counts.any())
      os << "--- " << before.name << "\n+++ " << after.name << "\n";
    ++count;
    auto color = sign == '-'   ? llvm::raw_ostream::RED
                 : sign == '+' ? llvm::raw_ostream::GREEN
                               : llvm::raw_ostream::YELLOW;
    llvm::WithColor(os, color).get() << sign << " " << what;
    os << "\n";
  }

  const DiffSide &before, &after;
  llvm::raw_ostream &os;
  DiffCounts counts;
};

/// Compares the modules.
class Differ {
public:
  Differ(const DiffSide &before, const DiffSide &after, const DiffOptions &options, llvm::raw_ostream &os)
      : before(before), after(after), options(options), matching(before.module, after.module),
        report(before, after, os) {}

  DiffCounts run();

private:
  using Lines = SmallVector<std::string>;

  void compareFunctions(func::FuncOp function, func::FuncOp other);
  void comparePorts(func::FuncOp function, func::FuncOp other, bool areInputs);
  void compareBlocks(Block &block, Block &other, const std::string &path);
  void compareOps(Operation *op, Operation *other, const std::string &path);
  void compareAttributes(DictionaryAttr own, DictionaryAttr other, ArrayRef<StringRef> ignored, Lines &lines);
  void compareOperands(Operation *op, Operation *other, StringRef what, Lines &lines);
  void compareTypes(TypeRange own, TypeRange other, StringRef what, Lines &lines);

  const DiffSide &before, &after;
  const DiffOptions &options;
  Matching matching;
  Report report;
};
} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "a.xml:12:5: ", or "" if a location has no place in a file.
static std::string spellPlace(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place =
        file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn()) + ": ";
    return WalkResult::interrupt();
  });
  return place;
}

/// "a.xml:12:5 -> b.xml:13:5: ".
static std::string spellPlaces(Location location, Location other) {
  std::string first = spellPlace(location), second = spellPlace(other);
  if (first == second || first.empty() || second.empty())
    return first.empty() ? second : first;
  return first.substr(0, first.size() - 2) + " -> " + second;
}

/// A name in quotes. Control characters, which a terminal may obey, are escaped.
static std::string quote(StringRef text) {
  std::string quoted = "'";
  for (unsigned char c : text) {
    if (c < 0x20 || c == 0x7F)
      quoted += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
    else
      quoted += char(c);
  }
  return quoted + "'";
}

/// "layer 'relu' (ov.relu)", or "ov.relu" if the layer has no name. `path` is the layers around it.
static std::string describe(Operation *op, const std::string &path) {
  StringRef name = getLayerName(op->getLoc()), operation = op->getName().getStringRef();
  return "layer " + path + (name.empty() ? operation.str() : quote(name) + " (" + operation.str() + ")");
}

/// The layer, input or argument that a value is from.
static std::string describe(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    StringRef name = getLayerName(result.getLoc());
    std::string text = name.empty() ? result.getOwner()->getName().getStringRef().str() : quote(name);
    if (result.getOwner()->getNumResults() != 1)
      text += " result " + std::to_string(result.getResultNumber());
    std::string place = name.empty() ? spellPlace(result.getLoc()) : "";
    return place.empty() ? text : text + " at " + place.substr(0, place.size() - 2);
  }
  auto arg = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
  StringRef name = function ? getArgumentNames(function)[arg.getArgNumber()] : getLayerName(arg.getLoc());
  StringRef kind = function ? "input " : "argument ";
  return kind.str() + (name.empty() ? std::to_string(arg.getArgNumber()) : quote(name));
}

/// An attribute or a type as text, cut if it is long.
template <typename T>
static std::string spell(T value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  constexpr size_t longest = 160;
  if (text.size() > longest)
    text = text.substr(0, longest) + "...";
  return text;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

void Differ::compareAttributes(DictionaryAttr own, DictionaryAttr other, ArrayRef<StringRef> ignored, Lines &lines) {
  llvm::SetVector<StringRef> names;
  for (DictionaryAttr attributes : {own, other})
    if (attributes)
      for (NamedAttribute attribute : attributes)
        names.insert(attribute.getName());
  for (StringRef name : names) {
    Attribute a = own ? own.get(name) : Attribute(), b = other ? other.get(name) : Attribute();
    if (a == b || llvm::is_contained(ignored, name))
      continue;
    lines.push_back(name.str() + ": " + (a ? spell(a) : "none") + " -> " + (b ? spell(b) : "none"));
  }
}

void Differ::compareTypes(TypeRange own, TypeRange other, StringRef what, Lines &lines) {
  for (unsigned i = 0, count = std::max(own.size(), other.size()); i != count; ++i) {
    std::string a = i < own.size() ? spell(own[i]) : "none", b = i < other.size() ? spell(other[i]) : "none";
    if (a != b)
      lines.push_back(what.str() + (count == 1 ? "" : " " + std::to_string(i)) + ": " + a + " -> " + b);
  }
}

void Differ::compareOperands(Operation *op, Operation *other, StringRef what, Lines &lines) {
  for (unsigned i = 0, count = std::max(op->getNumOperands(), other->getNumOperands()); i != count; ++i) {
    Value a = i < op->getNumOperands() ? op->getOperand(i) : Value();
    Value b = i < other->getNumOperands() ? other->getOperand(i) : Value();
    if (a && b && matching.lookup(a) == b)
      continue;
    std::string text = a ? describe(a) : "none", otherText = b ? describe(b) : "none";
    if (text == otherText && a.getDefiningOp() && b.getDefiningOp()) {
      // Several ops may have the name of one layer.
      text += " (" + a.getDefiningOp()->getName().getStringRef().str() + ")";
      otherText += " (" + b.getDefiningOp()->getName().getStringRef().str() + ")";
    }
    lines.push_back(what.str() + " " + std::to_string(i) + ": " + text + " -> " + otherText);
  }
}

void Differ::compareOps(Operation *op, Operation *other, const std::string &path) {
  Lines lines;
  if (op->getName() != other->getName())
    lines.push_back("operation: " + op->getName().getStringRef().str() + " -> " +
                    other->getName().getStringRef().str());
  auto constant = dyn_cast<ov::ConstantOp>(op), otherConstant = dyn_cast<ov::ConstantOp>(other);
  SmallVector<StringRef> ignored{"operandSegmentSizes", "resultSegmentSizes"};
  // Elements are compared below. Where a constant became another operation, they tell nothing.
  if (constant || otherConstant)
    ignored.push_back("value");
  compareAttributes(op->getAttrDictionary(), other->getAttrDictionary(), ignored, lines);
  compareOperands(op, other, "input", lines);
  compareTypes(op->getResultTypes(), other->getResultTypes(), "type", lines);
  if (constant && otherConstant)
    if (std::string weights = describeWeights(constant, before.weights, otherConstant, after.weights, options);
        !weights.empty())
      lines.push_back(std::move(weights));
  StringRef name = getLayerName(op->getLoc()), otherName = getLayerName(other->getLoc());
  bool isRenamed = !name.empty() && !otherName.empty() && name != otherName;
  if (!lines.empty())
    report.addChanged(spellPlaces(op->getLoc(), other->getLoc()) + describe(op, path) +
                          (isRenamed ? ", now " + quote(otherName) : ""),
                      lines);

  // The bodies.
  std::string inner = path + (name.empty() ? op->getName().getStringRef().str() : quote(name)) + " / ";
  bool hasBranches = op->getNumRegions() > 1;
  for (auto [i, regions] : llvm::enumerate(llvm::zip(op->getRegions(), other->getRegions())))
    for (auto [block, otherBlock] : llvm::zip(std::get<0>(regions), std::get<1>(regions)))
      compareBlocks(block, otherBlock, inner + (hasBranches ? "body " + std::to_string(i) + " / " : ""));
}

/// Compares the ops of two blocks, and what the blocks return. Ops that were added stand before the op that follows
/// them.
void Differ::compareBlocks(Block &block, Block &other, const std::string &path) {
  auto next = other.begin();
  auto addUpTo = [&](Operation *end) {
    for (; next != other.end() && &*next != end; ++next)
      if (!matching.lookup(&*next))
        report.addAdded(spellPlace(next->getLoc()) + describe(&*next, path));
  };
  for (Operation &op : block) {
    Operation *match = matching.lookup(&op);
    if (!match) {
      report.addRemoved(spellPlace(op.getLoc()) + describe(&op, path));
      continue;
    }
    // An op that was moved to an earlier place is behind `next`.
    if (next != other.end() && !match->isBeforeInBlock(&*next))
      addUpTo(match);
    if (!isa<func::ReturnOp>(op))
      compareOps(&op, match, path);
  }
  addUpTo(nullptr);
}

/// Compares the inputs or the outputs of two functions.
void Differ::comparePorts(func::FuncOp function, func::FuncOp other, bool areInputs) {
  auto getNames = [&](func::FuncOp of) { return areInputs ? getArgumentNames(of) : getResultNames(of); };
  SmallVector<StringRef> names = getNames(function), otherNames = getNames(other);
  auto getType = [&](func::FuncOp of, unsigned i) {
    return areInputs ? of.getArgumentTypes()[i] : of.getResultTypes()[i];
  };
  auto getPlace = [&](func::FuncOp of, unsigned i) {
    return areInputs ? of.getArgument(i).getLoc() : of.getBody().front().getTerminator()->getOperand(i).getLoc();
  };
  auto describePort = [&](ArrayRef<StringRef> of, unsigned i) {
    return (areInputs ? "input " : "output ") + (of[i].empty() ? std::to_string(i) : quote(of[i]));
  };
  SmallVector<bool> isPaired(names.size(), false), isOtherPaired(otherNames.size(), false);
  for (auto [i, j] : matchNames(names, otherNames)) {
    isPaired[i] = isOtherPaired[j] = true;
    Lines lines;
    if (i != j)
      lines.push_back("position: " + std::to_string(i) + " -> " + std::to_string(j));
    compareAttributes(areInputs ? function.getArgAttrDict(i) : function.getResultAttrDict(i),
                      areInputs ? other.getArgAttrDict(j) : other.getResultAttrDict(j), {}, lines);
    compareTypes(getType(function, i), getType(other, j), "type", lines);
    if (!areInputs) {
      Value value = function.getBody().front().getTerminator()->getOperand(i);
      Value otherValue = other.getBody().front().getTerminator()->getOperand(j);
      if (matching.lookup(value) != otherValue)
        lines.push_back("value: " + describe(value) + " -> " + describe(otherValue));
    }
    if (!lines.empty())
      report.addChanged(spellPlaces(getPlace(function, i), getPlace(other, j)) + describePort(names, i), lines);
  }
  for (unsigned i = 0; i != names.size(); ++i)
    if (!isPaired[i])
      report.addRemoved(spellPlace(getPlace(function, i)) + describePort(names, i));
  for (unsigned i = 0; i != otherNames.size(); ++i)
    if (!isOtherPaired[i])
      report.addAdded(spellPlace(getPlace(other, i)) + describePort(otherNames, i));
}

void Differ::compareFunctions(func::FuncOp function, func::FuncOp other) {
  if (function.isExternal() || other.isExternal())
    return;
  comparePorts(function, other, /*areInputs=*/true);
  compareBlocks(function.getBody().front(), other.getBody().front(), "");
  comparePorts(function, other, /*areInputs=*/false);
}

DiffCounts Differ::run() {
  ModuleOp module = before.module, other = after.module;
  Lines lines;
  // The file may have the same bytes in another order.
  compareAttributes(module->getAttrDictionary(), other->getAttrDictionary(), {ov::kWeightsFileAttr}, lines);
  if (!lines.empty())
    report.addChanged("the model", lines);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (auto match = dyn_cast_or_null<func::FuncOp>(matching.lookup(function)))
      compareFunctions(function, match);
    else
      report.addRemoved(spellPlace(function.getLoc()) + "function " + quote(function.getSymName()));
  }
  for (auto function : other.getOps<func::FuncOp>())
    if (!matching.lookup(function))
      report.addAdded(spellPlace(function.getLoc()) + "function " + quote(function.getSymName()));
  return report.finish();
}

DiffCounts recur::diffModels(const DiffSide &before, const DiffSide &after, const DiffOptions &options,
                             llvm::raw_ostream &os) {
  return Differ(before, after, options, os).run();
}
