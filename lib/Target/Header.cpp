// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Header.cpp - the C header of a compiled model ----------------------===//
//
// The header contains the whole text of ABI.h and EntryPoints.h, so that a user needs only one file besides the object.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/Header.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace recur {

/// Makes text that is safe inside of a C block comment. Tensor names come from the model file, so they must not be able
/// to end the comment or the line. Nor may compilers warn of what looks like the begin of a comment or a trigraph. So a
/// space keeps such characters apart.
static std::string commentText(StringRef text) {
  std::string result;
  for (char c : text.take_front(200)) {
    char shown = isPrint(c) ? c : '?', before = result.empty() ? ' ' : result.back();
    if ((shown == '/' && before == '*') || (shown == '*' && before == '/') || (shown == '?' && before == '?'))
      result += ' ';
    result += shown;
  }
  return result;
}

/// A string literal of C with this text.
static std::string stringLiteral(StringRef text) {
  std::string result = "\"";
  raw_string_ostream os(result);
  for (char c : text)
    if (isAlnum(c) || c == '.' || c == '_' || c == '-')
      os << c;
    else
      os << format("\\%03o", unsigned(static_cast<unsigned char>(c)));
  return result + "\"";
}

static void emitTensors(raw_ostream &os, StringRef kind, ArrayRef<TensorDescription> tensors) {
  for (auto [index, tensor] : enumerate(tensors)) {
    os << " *   " << kind << " " << index << ": " << describeType(tensor) << " " << commentText(tensor.name)
       << (tensor.decidesSizes ? " (its value decides sizes)" : "") << "\n";
  }
}

/// Prints the function that returns all others as a table.
static void emitEntryPoints(raw_ostream &os, const ModelDescription &model, const EntryDescription &entry) {
  auto name = [&](StringRef what) { return getFunctionName(model.name, entry.entry, what); };
  os << "\n/* Returns the functions above as a table, for code that calls any model. */\n"
     << "#if defined(__GNUC__)\n__attribute__((unused))\n#endif\n"
     << "static inline recur_entry_points " << name("entry_points") << "(void) {\n"
     << "  recur_entry_points functions = {";
  ListSeparator comma(",");
  for (const char *function : {"info", "instance_size", "init", "query", "run", "reset"})
    os << comma << "\n      " << name(function);
  for (const char *function : {"get_state", "set_state", "state_memory"})
    if (entry.countStates())
      os << comma << "\n      " << name(function);
    else
      os << comma << " NULL";
  os << "};\n  return functions;\n}\n";
}

/// The C type of an element. C99 has none for f16 and bf16.
static StringRef elementCType(recur_element_type type) {
  switch (type) {
  case RECUR_I8:
    return "int8_t";
  case RECUR_I16:
    return "int16_t";
  case RECUR_I32:
    return "int32_t";
  case RECUR_I64:
    return "int64_t";
  case RECUR_U16:
  case RECUR_F16:
  case RECUR_BF16:
    return "uint16_t";
  case RECUR_U32:
    return "uint32_t";
  case RECUR_U64:
    return "uint64_t";
  case RECUR_F32:
    return "float";
  case RECUR_F64:
    return "double";
  case RECUR_BOOLEAN:
  case RECUR_U8:
    break;
  }
  return "uint8_t";
}

/// The names of the parameters for tensors of a kind: "input_x" for the input x. They are unique identifiers of C and
/// C++, and because of the kind neither a keyword nor a macro of a system ("int", "linux").
static std::vector<std::string> nameParameters(StringRef kind, ArrayRef<TensorDescription> tensors) {
  constexpr size_t most = 64;
  std::vector<std::string> names;
  StringSet<> taken;
  for (auto [index, tensor] : enumerate(tensors)) {
    std::string name;
    // Two underscores in a row are reserved in C++.
    for (char c : StringRef(tensor.name).take_front(most))
      if (isAlnum(c))
        name += c;
      else if (!name.empty() && name.back() != '_')
        name += '_';
    name = (kind + "_" + StringRef(name).rtrim('_')).str();
    if (name.size() == kind.size() + 1)
      name += std::to_string(index);
    std::string unique = name;
    for (unsigned number = 2; !taken.insert(unique).second; ++number)
      unique = name + "_" + std::to_string(number);
    names.push_back(std::move(unique));
  }
  return names;
}

/// Prints the tensors of a call, whose data are the parameters `names`.
static void emitCallTensors(raw_ostream &os, StringRef kind, ArrayRef<TensorDescription> tensors,
                            ArrayRef<std::string> names) {
  if (tensors.empty()) {
    os << "  recur_tensor *" << kind << "s = NULL;\n";
    return;
  }
  auto nameDims = [&](size_t index) { return ("dims_of_" + kind + "_" + Twine(index)).str(); };
  for (auto [index, tensor] : enumerate(tensors)) {
    if (tensor.dims.empty())
      continue;
    os << "  int64_t " << nameDims(index) << "[] = {";
    interleaveComma(tensor.dims, os);
    os << "};\n";
  }
  os << "  recur_tensor " << kind << "s[] = {";
  ListSeparator comma(",");
  for (auto [index, tensor] : enumerate(tensors)) {
    const std::string &name = names[index];
    os << comma << "\n      {(void *)(uintptr_t)" << name << ", " << (tensor.dims.empty() ? "NULL" : nameDims(index))
       << ", NULL, " << tensor.dims.size() << ", RECUR_" << elementTypeName(tensor.elementType).upper() << ", sizeof(*"
       << name << ")";
    for (int64_t dim : tensor.dims)
      os << " * " << dim;
    os << "}";
  }
  os << "};\n";
}

/// Prints a function that calls a model with a pointer for each tensor, if all sizes are static.
static void emitCall(raw_ostream &os, const ModelDescription &model, const EntryDescription &entry) {
  auto isStatic = [](const TensorDescription &tensor) {
    return all_of(tensor.dims, [](int64_t dim) { return dim >= 0; });
  };
  if (entry.workspaceBytes < 0 || entry.reserves || !all_of(entry.getInputs(), isStatic) ||
      !all_of(entry.getOutputs(), isStatic))
    return;
  auto name = [&](StringRef what) { return getFunctionName(model.name, entry.entry, what); };
  std::vector<std::string> inputs = nameParameters("input", entry.getInputs());
  std::vector<std::string> outputs = nameParameters("output", entry.getOutputs());
  os << "\n/* Calls " << name("run")
     << ". Each pointer is a dense tensor of the dims above; f16 and bf16 are given as their bits. The\n"
     << " * workspace has " << name("workspace_bytes") << ", and may be null if that is 0. */\n"
     << "#if defined(__GNUC__)\n__attribute__((unused))\n#endif\n"
     << "static inline int32_t " << name("call") << "(void *instance";
  for (auto [index, tensor] : enumerate(entry.getInputs()))
    os << ",\n    const " << elementCType(tensor.elementType) << " *" << inputs[index];
  for (auto [index, tensor] : enumerate(entry.getOutputs()))
    os << ",\n    " << elementCType(tensor.elementType) << " *" << outputs[index];
  os << ",\n    void *workspace, recur_error *error) {\n";
  emitCallTensors(os, "input", entry.getInputs(), inputs);
  emitCallTensors(os, "output", entry.getOutputs(), outputs);
  os << "  return " << name("run") << "(instance, inputs, outputs, workspace, " << name("workspace_bytes")
     << ", NULL, error);\n}\n";
}

/// Prints what the comment at the start of the header says about an entry.
static void emitSummary(raw_ostream &os, const ModelDescription &model, const EntryDescription &entry) {
  os << " * " << getFunctionName(model.name, entry.entry, "run") << ":\n";
  emitTensors(os, "input", entry.getInputs());
  emitTensors(os, "output", entry.getOutputs());
  emitTensors(os, "state", entry.getStates());
  os << " *   workspace: ";
  if (entry.workspaceBytes >= 0)
    os << entry.workspaceBytes << " bytes\n";
  else
    os << "ask " << getFunctionName(model.name, entry.entry, "query") << "\n";
}

/// Prints the constants of an entry.
static void emitConstants(raw_ostream &os, const ModelDescription &model, const EntryDescription &entry) {
  auto define = [&](StringRef what, int64_t value) {
    os << "#define " << getFunctionName(model.name, entry.entry, what) << " " << value << "\n";
  };
  define("num_inputs", entry.getInputs().size());
  define("num_outputs", entry.getOutputs().size());
  if (entry.countStates())
    define("num_states", entry.countStates());
  if (entry.workspaceBytes >= 0)
    define("workspace_bytes", entry.workspaceBytes);
}

/// Prints the functions that belong to an entry alone.
static void emitFunctions(raw_ostream &os, const ModelDescription &model, const EntryDescription &entry) {
  auto name = [&](StringRef what) { return getFunctionName(model.name, entry.entry, what); };
  os << "/* Returns the names, types and dims of the tensors of " << name("run")
     << ". The description is valid as long as\n"
     << " * the program runs. Any thread may call this function at any time. */\n"
     << "const recur_info *" << name("info") << "(void);\n\n"
     << "/* Sets shape, rank, element_type and bytes of the outputs (each shape points to room for its rank), and the\n"
     << " * bytes of workspace, for inputs of these shapes. Data of inputs may be null. If a size depends on the\n"
     << " * value of an input, the data is read. A dim is -1 if only the computation decides it, or if data that\n"
     << " * decides it is null. Then the status is RECUR_E_ALLOCATOR_NEEDED. The status is the same if a buffer inside "
        "of the\n"
     << " * model has such a size. */\n"
     << "int32_t " << name("query") << "(const void *instance, const recur_tensor *inputs, recur_tensor *outputs,\n"
     << "    size_t *workspace_bytes, recur_error *error);\n\n";
  if (entry.entry == Entry::Run)
    os << "/* Runs the model.";
  else
    os << "/* Runs the model on one time step. The carried values of its loops over time are the states of the "
          "instance: the\n"
       << " * first call after init or reset begins with their initial values. After T calls, outputs are those of all "
          "T time\n"
       << " * steps at once: an output with time has the part of this step, and any other is that of the steps so far.";
  os << " It reads these members of each output:\n"
     << " * data and bytes (the buffer; null for options->alloc), rank and element_type, and shape, where it writes "
        "the "
        "dims.\n"
     << " * The workspace must be aligned to RECUR_ALIGNMENT. options and error may be null. */\n"
     << "int32_t " << name("run")
     << "(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,\n"
     << "    size_t workspace_bytes, const recur_options *options, recur_error *error);\n\n";
}

void emitHeader(raw_ostream &os, const ModelDescription &model) {
  const std::string &name = model.name;
  std::string guard = "RECUR_MODEL_" + name;
  os << "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
     << " * Generated by " << commentText(model.compiler) << ": the model " << name << ".\n *\n";
  for (const EntryDescription *entry : model.getEntries())
    emitSummary(os, model, *entry);
  os << " * weights: " << model.weightsBytes << " bytes";
  if (!model.weightsFile.empty())
    os << " in " << commentText(model.weightsFile);
  os << "\n */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << abiHeaderText(model.weightsSource, !model.profile.empty())
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";

  for (const EntryDescription *entry : model.getEntries())
    emitConstants(os, model, *entry);
  if (!model.weightsFile.empty()) {
    os << "\n/* The file of the weights, without its folder. The object has none: give them to " << name << "_init in\n"
       << " * recur_config, after ";
    if (model.weightsSource == WeightsSource::File)
      os << "recur_map_weights has mapped and checked the file. */\n";
    else
      os << "recur_check_weights has checked them. */\n";
    os << "#define " << name << "_weights_file " << stringLiteral(model.weightsFile) << "\n";
  }

  os << "\n/* Returns the bytes of an instance. The caller allocates them, aligned as malloc does. */\n"
     << "size_t " << name << "_instance_size(void);\n\n"
     << "/* Makes an instance in the memory: checks the CPU, takes the weights, clears states. It must be called\n"
     << " * before the functions below, and may be called again. config and error may be null. To end the instance,\n"
     << " * free its memory. */\n"
     << "int32_t " << name << "_init(void *instance, const recur_config *config, recur_error *error);\n\n";
  for (const EntryDescription *entry : model.getEntries())
    emitFunctions(os, model, *entry);
  os << "/* Sets the states of the instance to their initial values. */\n"
     << "int32_t " << name << "_reset(void *instance);\n\n"
     << "/* Returns which of recur_info.levels the instance runs: the last one whose features the CPU has. Returns -1 "
        "if "
        "init\n"
     << " * was not called on it. */\n"
     << "int32_t " << name << "_level(const void *instance);\n";
  if (model.getStatesEntry().countStates())
    os << "\n/* The states belong to the instance: only one call may use an instance with states at a time, and its "
          "memory must\n"
       << " * not be moved. A call that fails leaves the states as they were. A state whose dims are static lives in "
          "the\n"
       << " * instance. Another one needs memory of the caller before it can have elements. Without enough of it, "
          "query, "
          "run\n"
       << " * and set_state return RECUR_E_CAPACITY, where is RECUR_IN_STATE, and detail[0] has the bytes that are "
          "needed. */\n\n"
       << "/* Returns the index of the state with this name, or -1. */\n"
       << "int32_t " << name << "_find_state(const char *name);\n\n"
       << "/* Describes the value of a state: its data and shape are in the instance, and valid until the next call. "
          "data is\n"
       << " * null if the state has its initial value. */\n"
       << "int32_t " << name
       << "_get_state(const void *instance, int32_t index, recur_tensor *value, recur_error *error);"
       << "\n\n"
       << "/* Copies a value into a state. Null: its initial value. */\n"
       << "int32_t " << name
       << "_set_state(void *instance, int32_t index, const recur_tensor *value, recur_error *error);\n\n"
       << "/* Gives a state with dynamic dims its memory, aligned to RECUR_ALIGNMENT, and moves the value there. The\n"
       << " * memory that it had before is then free. */\n"
       << "int32_t " << name
       << "_state_memory(void *instance, int32_t index, void *memory, size_t bytes, recur_error *error);\n";
  if (!model.profile.empty())
    os << "\n/* Tells the times of the layers in all calls with this instance since init. No call may use the instance "
          "at "
          "the\n"
       << " * same time: calls write to it. Copies at most `capacity` rows, and returns the number of all rows. */\n"
       << "int32_t " << name << "_profile(const void *instance, recur_profile_row *rows, int32_t capacity);\n";
  for (const EntryDescription *entry : model.getEntries()) {
    emitEntryPoints(os, model, *entry);
    emitCall(os, model, *entry);
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
}

} // namespace recur
