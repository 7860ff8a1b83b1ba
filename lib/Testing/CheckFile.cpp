// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckFile.cpp - what the compiler makes of a mutant ----------------===//
//
// Reads a changed file, looks at each message about it, and compares the runs of what can be imported.
//
//===----------------------------------------------------------------------===//

#include "Random.h"
#include "Recur/Testing/CrashNotes.h"
#include "Recur/Testing/FileMutations.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/OpenVINOIR.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace recur::fuzz {

static std::vector<Tensor> &lastInputs() {
  static std::vector<Tensor> inputs;
  return inputs;
}

const std::vector<Tensor> &getLastInputs() { return lastInputs(); }

/// True if the location has a line of the model's file.
static bool hasPlace(Location location) {
  bool found = false;
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    found |= place && place.getLine() > 0;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// The words in a message that name parts of the compiler, and not of the model; empty if there are none.
static StringRef findInternalName(StringRef text) {
  static const llvm::Regex internal("'[a-z_]+\\.[a-z_.]+' op|operand #[0-9]|result #[0-9]|block argument|"
                                    "[^a-z'/_.](ov|rt|tensor|arith|linalg|scf|memref|vector|func|llvm|math)\\.[a-z_]+|"
                                    "failed to verify|memref<|vector<|builtin|unrealized|kDynamic|RECUR_E_|"
                                    "a fault of the compiler|MLIR|failed to legalize|does not know ov");
  llvm::SmallVector<StringRef> matches;
  return internal.match(text, &matches) ? matches[0] : StringRef();
}

namespace {
/// The messages about a mutant.
struct Messages {
  /// The first error.
  std::string error;
  /// What is wrong with a message; empty if all are clear.
  std::string unclear;

  void add(Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isError && error.empty())
      error = text.empty() ? "no words" : text;
    auto complain = [&](StringRef what) {
      if (unclear.empty())
        unclear = (what + ": " + text).str();
    };
    if (isError && !hasPlace(diagnostic.getLocation()))
      complain("an error without a place");
    if (StringRef(text).trim().empty())
      complain("a message without words");
    std::string all = text;
    for (Diagnostic &note : diagnostic.getNotes())
      all += "; " + note.str();
    if (StringRef name = findInternalName(all); !name.empty())
      complain(("the internal name \"" + name + "\"").str());
  }
};
} // namespace

/// Makes an input that the model must refuse, or that changes what it computes.
static Tensor spoil(const Tensor &input, CallFault fault, Random &random) {
  recur_element_type type = input.getType();
  interpreter::Shape shape = input.getShape();
  if (fault == CallFault::Rank) {
    if (shape.empty() || random.chance(50))
      shape.push_back(1);
    else
      shape.pop_back();
  } else if (fault == CallFault::Dims && !shape.empty()) {
    random.pick(shape) = random.below(4);
  } else if (fault == CallFault::Type) {
    type = recur_element_type(RECUR_BOOLEAN + random.below(RECUR_F64));
  }
  Tensor tensor(type, shape);
  fill(tensor, random.next());
  return tensor;
}

/// The context of this process. It is renewed now and then, because it keeps all types and attributes.
static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 200 == 0) {
    context.reset();
    context = std::make_unique<MLIRContext>(getRegistry(), MLIRContext::Threading::DISABLED);
    // The tools do not print the op of an error either.
    context->printOpOnDiagnostic(false);
  }
  return *context;
}

/// Compiles a copy of the module, of which no run can be compared.
static Verdict compileOnly(const ImportedModel &imported, std::string why) {
  enterPhase("compiling");
  recur::Model copy{cast<ModuleOp>(imported.module.get()->clone()), imported.weights};
  CompileOptions options;
  options.target = TargetConfig::forHost();
  llvm::Expected<CompiledModel> compiled = compile(copy, options, EmitKind::Object, WeightsPlacement::External);
  if (compiled)
    return {Verdict::Limited, std::move(why)};
  return {Verdict::Refused, llvm::toString(compiled.takeError())};
}

Verdict checkFile(uint64_t seed, const Mutant &mutant, const CheckOptions &options) {
  Random random(seed);
  lastInputs() = mutant.file.inputs;
  MLIRContext &context = getContext();
  Messages messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages.add(diagnostic);
    return success();
  });
  enterPhase("importing");
  ImportOptions importOptions;
  importOptions.weights = llvm::MemoryBuffer::getMemBuffer(mutant.file.bin, "model.bin", false);
  // A tool for editors goes on after errors.
  importOptions.reportsAll = random.chance(25);
  FailureOr<ImportedModel> imported =
      importOpenVINOIR(llvm::MemoryBufferRef(mutant.file.xml, "model.xml"), &context, importOptions);
  if (!messages.unclear.empty())
    return {Verdict::Unclear, messages.unclear};
  if (failed(imported))
    return messages.error.empty() ? Verdict{Verdict::Unclear, "a failure without an error"}
                                  : Verdict{Verdict::Invalid, messages.error};
  if (!messages.error.empty())
    return {Verdict::Unclear, "an error without a failure: " + messages.error};
  std::optional<std::vector<Tensor>> inputs = makeInputs(*imported->module, mutant.file.inputs, random.next());
  if (inputs && !inputs->empty() && mutant.callFault != CallFault::None) {
    Tensor &input = random.pick(*inputs);
    input = spoil(input, mutant.callFault, random);
  }
  Verdict verdict;
  if (inputs) {
    lastInputs() = *inputs;
    CheckOptions check = options;
    check.takesShapeFaults = true;
    verdict = compareRuns(*imported->module, imported->weights, *inputs, check, messages.error);
    if (verdict.kind == Verdict::Limited && StringRef(verdict.text).starts_with("interpreter") &&
        !options.modes.empty())
      verdict = compileOnly(*imported, verdict.text);
  } else if (options.modes.empty()) {
    verdict = {Verdict::Limited, "an input is too large"};
  } else {
    verdict = compileOnly(*imported, "an input is too large");
  }
  if (!messages.unclear.empty())
    return {Verdict::Unclear, "compiling: " + messages.unclear};
  // What the importer cannot see, the compiler may refuse.
  if (verdict.kind == Verdict::Refused || verdict.kind == Verdict::Unsupported)
    verdict = messages.error.empty() ? Verdict{Verdict::Unclear, "compiling: an error without a place: " + verdict.text}
                                     : Verdict{Verdict::Invalid, "compiling: " + messages.error};
  return verdict;
}

} // namespace recur::fuzz
