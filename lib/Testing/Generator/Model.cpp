// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Model.cpp - random models as OpenVINO IR ---------------------------===//

#include "Recur/Testing/Model.h"
#include "Recur/Testing/ModelFiles.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace recur::fuzz {

static StringRef precisionName(recur_element_type type) {
  static constexpr StringRef names[] = {"",    "BOOL", "I8",  "I16",  "I32",  "I64",  "U8",
                                        "U16", "U32",  "U64", "FP16", "BF16", "FP32", "FP64"};
  return names[type];
}

static std::string spell(llvm::ArrayRef<int64_t> dims) {
  return llvm::join(llvm::map_range(dims, [](int64_t dim) { return std::to_string(dim); }), ",");
}

namespace {
class Printer {
public:
  Printer(std::string &xml, std::string &bin) : os(xml), bin(bin) {}

  void printGraph(const Graph &graph, unsigned depth);

private:
  llvm::raw_ostream &line(unsigned depth) { return os.indent(depth * 2); }
  void printPort(unsigned id, const Type &type, unsigned depth, bool isOutput);
  void printNode(const Graph &graph, int id, unsigned depth);
  void printPortMap(const std::vector<PortEntry> &entries, StringRef name, unsigned depth);

  llvm::raw_string_ostream os;
  std::string &bin;
};
} // namespace

void Printer::printPort(unsigned id, const Type &type, unsigned depth, bool isOutput) {
  line(depth) << "<port id=\"" << id << "\"";
  if (isOutput)
    os << " precision=\"" << precisionName(type.element) << "\"";
  os << ">";
  for (int64_t dim : type.dims)
    os << "<dim>" << dim << "</dim>";
  os << "</port>\n";
}

void Printer::printPortMap(const std::vector<PortEntry> &entries, StringRef name, unsigned depth) {
  line(depth) << "<" << name << ">\n";
  for (const PortEntry &entry : entries) {
    line(depth + 1) << "<" << (entry.isInput ? "input" : "output") << " external_port_id=\"" << entry.external
                    << "\" internal_layer_id=\"" << entry.internal << "\"";
    if (entry.axis)
      os << " axis=\"" << *entry.axis << "\" start=\"" << entry.start << "\" end=\"" << entry.end << "\" stride=\""
         << entry.stride << "\" part_size=\"" << entry.part << "\"";
    if (!entry.purpose.empty())
      os << " purpose=\"" << entry.purpose << "\"";
    os << "/>\n";
  }
  line(depth) << "</" << name << ">\n";
}

void Printer::printNode(const Graph &graph, int id, unsigned depth) {
  const Node &node = graph.nodes[id];
  line(depth) << "<layer id=\"" << id << "\" name=\"" << node.type << "_" << id << "\" type=\"" << node.type
              << "\" version=\"" << node.version << "\">\n";
  if (node.type == "Parameter") {
    line(depth + 1) << "<data element_type=\"" << getElementName(node.outputs[0].element) << "\" shape=\""
                    << spell(node.outputs[0].dims) << "\"/>\n";
  } else if (node.type == "Const") {
    llvm::ArrayRef<char> bytes = node.value->getBytes();
    line(depth + 1) << "<data element_type=\"" << getElementName(node.value->getType()) << "\" shape=\""
                    << spell(node.value->getShape()) << "\" offset=\"" << bin.size() << "\" size=\"" << bytes.size()
                    << "\"/>\n";
    bin.append(bytes.begin(), bytes.end());
  } else if (!node.attributes.empty()) {
    line(depth + 1) << "<data";
    for (const auto &[name, value] : node.attributes)
      os << " " << name << "=\"" << value << "\"";
    os << "/>\n";
  }
  unsigned next = 0;
  if (!node.inputs.empty()) {
    line(depth + 1) << "<input>\n";
    for (const Ref &ref : node.inputs)
      printPort(next++, graph.nodes[ref.node].outputs[ref.port], depth + 2, /*isOutput=*/false);
    line(depth + 1) << "</input>\n";
  }
  if (!node.outputs.empty() && node.type != "Result") {
    line(depth + 1) << "<output>\n";
    for (const Type &type : node.outputs)
      printPort(next++, type, depth + 2, /*isOutput=*/true);
    line(depth + 1) << "</output>\n";
  }
  bool isIf = node.type == "If";
  for (auto [i, body] : llvm::enumerate(node.bodies)) {
    printPortMap(node.ports[i], !isIf ? "port_map" : i == 0 ? "then_port_map" : "else_port_map", depth + 1);
    if (!node.backEdges.empty()) {
      line(depth + 1) << "<back_edges>\n";
      for (const BackEdge &edge : node.backEdges)
        line(depth + 2) << "<edge from-layer=\"" << edge.from << "\" to-layer=\"" << edge.to << "\"/>\n";
      line(depth + 1) << "</back_edges>\n";
    }
    StringRef name = !isIf ? "body" : i == 0 ? "then_body" : "else_body";
    line(depth + 1) << "<" << name << ">\n";
    printGraph(body, depth + 2);
    line(depth + 1) << "</" << name << ">\n";
  }
  line(depth) << "</layer>\n";
}

void Printer::printGraph(const Graph &graph, unsigned depth) {
  line(depth) << "<layers>\n";
  for (size_t id = 0; id != graph.nodes.size(); ++id)
    printNode(graph, id, depth + 1);
  line(depth) << "</layers>\n";
  line(depth) << "<edges>\n";
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    for (auto [port, ref] : llvm::enumerate(node.inputs))
      line(depth + 1) << "<edge from-layer=\"" << ref.node << "\" from-port=\""
                      << graph.nodes[ref.node].inputs.size() + ref.port << "\" to-layer=\"" << id << "\" to-port=\""
                      << port << "\"/>\n";
  line(depth) << "</edges>\n";
}

void Model::print(std::string &xml, std::string &bin) const {
  xml = "<?xml version=\"1.0\"?>\n<net name=\"model\" version=\"11\">\n";
  {
    std::string body;
    Printer(body, bin).printGraph(graph, 1);
    xml += body;
  }
  xml += "</net>\n";
}

std::vector<Tensor> Model::getInputs() const {
  std::vector<Tensor> inputs;
  for (const Node &node : graph.nodes)
    if (node.type == "Parameter")
      inputs.push_back(*node.value);
  return inputs;
}

static void count(const Graph &graph, std::map<std::string, unsigned> &ops) {
  for (const Node &node : graph.nodes) {
    ++ops[node.type];
    for (const Graph &body : node.bodies)
      count(body, ops);
  }
}

std::map<std::string, unsigned> Model::countOps() const {
  std::map<std::string, unsigned> ops;
  count(graph, ops);
  return ops;
}

unsigned Model::countNodes() const {
  unsigned sum = 0;
  for (const auto &[type, number] : countOps())
    sum += number;
  return sum;
}

/// Adds the nesting features of a graph. `around` are the loops and branches around it, outermost first.
static void findNests(const Graph &graph, std::vector<StringRef> &around, std::set<std::string> &features) {
  auto isAround = [&](StringRef type) { return llvm::is_contained(around, type); };
  for (const Node &node : graph.nodes) {
    bool hasBodies = !node.bodies.empty();
    if ((hasBodies || node.type == "GatherTree") && !around.empty())
      features.insert(("nest: " + around.back() + " > " + node.type).str());
    if (node.type == "GatherTree" && isAround("TensorIterator") && isAround("Loop"))
      features.insert("nest of TensorIterator and Loop and GatherTree");
    if (!hasBodies)
      continue;
    around.push_back(node.type);
    if (isAround("TensorIterator") && isAround("Loop") && isAround("If"))
      features.insert("nest of TensorIterator and Loop and If");
    if (around.size() >= 2)
      features.insert("nested");
    if (around.size() >= 3)
      features.insert("depth-3");
    if (around.size() >= 3 && !isAround("If"))
      features.insert("depth-3 of loops");
    for (const Graph &body : node.bodies)
      findNests(body, around, features);
    around.pop_back();
  }
}

void Model::addNests() {
  std::vector<StringRef> around;
  findNests(graph, around, features);
}

static void findSizes(const Graph &graph, std::set<std::string> &features) {
  auto addShape = [&](llvm::ArrayRef<int64_t> dims) {
    if (!dims.empty() && dims.back() >= 16)
      features.insert("innermost dim of 16 or more");
    if (dims.size() >= 4)
      features.insert("rank of 4 or more");
    if (dims.size() >= 6)
      features.insert("rank of 6");
    if (llvm::any_of(dims, [](int64_t dim) { return dim >= 16 && dim % 8 != 0; }))
      features.insert("long dim that is no multiple of 8");
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    if (count >= 4096)
      features.insert("tensor of 4096 elements or more");
  };
  for (const Node &node : graph.nodes) {
    if (node.type == "Const" && node.value->getBytes().size() > size_t(ov::kMaxDenseBytes))
      features.insert("weights in the file");
    if (node.type != "Const")
      for (const Type &type : node.outputs)
        if (!llvm::is_contained(type.dims, -1))
          addShape(type.dims);
    // The call gives the dims of an input.
    if (node.type == "Parameter" && node.value) {
      addShape(node.value->getShape());
      for (auto [declared, size] : llvm::zip_equal(node.outputs[0].dims, node.value->getShape()))
        if (declared < 0 && size >= 16)
          features.insert("long dynamic dim");
    }
    for (const Graph &body : node.bodies)
      findSizes(body, features);
  }
}

void Model::addSizes() { findSizes(graph, features); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool writeFile(llvm::Twine path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path.str(), error);
  if (!error)
    os << bytes;
  return !error;
}

static std::string toNpy(const Tensor &tensor) {
  static constexpr StringRef codes[] = {"",    "|b1", "|i1", "<i2", "<i4", "<i8", "|u1",
                                        "<u2", "<u4", "<u8", "<f2", "<u2", "<f4", "<f8"};
  std::string shape = spell(tensor.getShape());
  std::string header = llvm::formatv("{{'descr': '{0}', 'fortran_order': False, 'shape': ({1}{2}), }",
                                     codes[tensor.getType()], shape, tensor.getRank() == 1 ? "," : "")
                           .str();
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 255);
  bytes += char(header.size() >> 8);
  bytes += header;
  bytes.append(tensor.getBytes().begin(), tensor.getBytes().end());
  return bytes;
}

bool writeModel(const ModelFile &file, StringRef directory) {
  if (llvm::sys::fs::create_directories(directory))
    return false;
  bool isFine = writeFile(directory + "/model.xml", file.xml) && writeFile(directory + "/model.bin", file.bin);
  for (auto [i, input] : llvm::enumerate(file.inputs))
    isFine &= writeFile(directory + "/in_" + llvm::Twine(i) + ".npy", toNpy(input));
  return isFine;
}

bool writeModel(const Model &model, StringRef directory) {
  ModelFile file;
  model.print(file.xml, file.bin);
  file.inputs = model.getInputs();
  return writeModel(file, directory);
}

} // namespace recur::fuzz
