// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Executions.cpp - one model, run in several ways --------------------===//

#include "Recur/Testing/Executions.h"

#include "Random.h"
#include "Recur/Testing/CrashNotes.h"
#include "Recur/Testing/Mutations.h"
#include "Strict.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Interpreter/Interpreter.h"
#include "Recur/Registration.h"
#include "Recur/Target/JIT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace recur::fuzz {

using interpreter::describeDifference;

llvm::StringRef spell(Verdict::Kind kind) {
  static constexpr llvm::StringRef names[] = {"agrees",  "fault",   "unsupported", "ill-posed", "unmutated",
                                              "limited", "invalid", "rejected",    "refused",   "differs",
                                              "crashed", "hangs",   "unclear"};
  return names[kind];
}

static llvm::StringRef spell(Mode mode) {
  static constexpr llvm::StringRef names[] = {"optimized", "naive", "linked"};
  return names[int(mode)];
}

namespace {
/// The result of a run.
struct Outcome {
  /// The reason for which the model was not compiled, or empty.
  std::string refusal;
  /// The promise to callers that the model broke, or empty.
  std::string breach;
  ModelRun run;
};
} // namespace

static std::string breachPath(llvm::StringRef directory) { return (directory + "/strict.txt").str(); }

std::string readBreach(llvm::StringRef directory) {
  auto file = llvm::MemoryBuffer::getFile(breachPath(directory));
  return file ? (*file)->getBuffer().trim().str() : std::string();
}

/// A callback for work of several threads (recur_config.gang) that runs three indices, the last one first. So an index
/// that needs what an earlier one has done gives another result.
static void runBackward(void *, int32_t want, recur_body body, void *arg) {
  int32_t count = std::min(want, 3);
  for (int32_t i = count; i-- > 0;)
    body(arg, i, count);
}

/// Calls the model as the strictest caller does. The messages of that caller go into a file, because it may end the
/// process.
static ModelRun callStrictly(const recur_entry_points &entries, ArrayRef<Tensor> inputs,
                             const InterpreterOptions &limits, const std::string &directory, std::string &breach) {
  ModelRun result;
  const recur_info &info = *entries.info();
  std::vector<std::vector<int64_t>> shapes;
  std::vector<recur_tensor> in, out;
  for (const Tensor &input : inputs) {
    std::vector<int64_t> &shape = shapes.emplace_back(input.getShape().begin(), input.getShape().end());
    // The caller only reads it.
    void *data = const_cast<char *>(input.getBytes().data());
    in.push_back({data, shape.data(), nullptr, int32_t(shape.size()), input.getType(), input.getBytes().size()});
  }
  for (int i = 0; i != info.num_outputs; ++i) {
    std::vector<int64_t> &shape = shapes.emplace_back(info.outputs[i].rank);
    out.push_back({nullptr, shape.data(), nullptr, 0, 0, 0});
  }
  std::vector<void *> blocks(out.size());
  recur_config config = {sizeof(recur_config), 0, nullptr, 0, runBackward, nullptr};
  strict_call call = {};
  call.model = &entries;
  call.config = &config;
  call.inputs = in.data();
  call.maxIterations = limits.maxIterations;
  call.maxBytes = limits.maxBytes;
  call.outputs = out.data();
  call.blocks = blocks.data();
  std::string path = breachPath(directory);
  int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), stderrBefore = dup(2);
  dup2(file, 2);
  int status = recur_call_strictly(&call);
  dup2(stderrBefore, 2);
  close(stderrBefore);
  close(file);
  if (status && !call.function)
    breach = readBreach(directory);
  (void)llvm::sys::fs::remove(path);
  if (status && call.function) {
    result.status = recur_status(call.error.code);
    result.message = call.error.message;
  }
  for (const recur_tensor &output : out)
    if (!status) {
      Tensor &tensor =
          result.outputs.emplace_back(recur_element_type(output.element_type), ArrayRef(output.shape, output.rank));
      llvm::copy(ArrayRef(static_cast<const char *>(output.data), tensor.getBytes().size()), tensor.getBytes().begin());
    }
  for (void *block : blocks)
    std::free(block);
  return result;
}

/// Compiles and calls a copy of the module.
static Outcome runCompiled(ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights, ArrayRef<Tensor> inputs,
                           Mode mode, llvm::StringRef mutation, const CheckOptions &check, std::string &diagnostics,
                           bool &mutated) {
  Outcome outcome;
  recur::Model copy{cast<ModuleOp>(module->clone()), weights};
  CompileOptions options;
  if (mode != Mode::Linked)
    options.target = TargetConfig::forHost();
  options.verifyPasses = true;
  // The naive mode omits LLVM's optimizations too: they may also be wrong, and they take most of the time.
  options.optimize = mode != Mode::Naive;
  if (mode == Mode::Naive)
    options.target.optLevel = 0;
  // The second of two strict calls divides all that can be divided, however small it is.
  if (mode == Mode::Optimized && check.isStrict)
    options.gangWork = 1;
  auto refuse = [&](std::string why) {
    outcome.refusal = diagnostics.empty() ? why : diagnostics;
    return outcome;
  };
  diagnostics.clear();
  mutated = true;
  if (!mutation.empty() && mode == Mode::Optimized) {
    mutated = mutateModule(*copy.module, mutation, options);
    if (!mutated)
      return outcome;
  }
  enterPhase("compiling");
  auto placement = mode == Mode::Linked ? WeightsPlacement::Embedded : WeightsPlacement::External;
  llvm::Expected<CompiledModel> compiled = compile(copy, options, EmitKind::Object, placement);
  if (!compiled)
    return refuse(llvm::toString(compiled.takeError()));
  if (!mutation.empty() && mode == Mode::Optimized) {
    // The bytes belong to the compiled model, so they may be changed.
    MutableArrayRef<uint8_t> packed(const_cast<uint8_t *>(compiled->weights.data()), compiled->weights.size());
    mutated = mutateWeights(packed, mutation);
    if (!mutated)
      return outcome;
  }
  auto object =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(compiled->output.data(), compiled->output.size()), "model");
  auto jit = JITModel::create(std::move(object), options.name, compiled->weights);
  if (!jit)
    return refuse(llvm::toString(jit.takeError()));
  enterPhase("running");
  InterpreterOptions limits;
  limits.maxIterations = 100000;
  limits.maxBytes = 1 << 28;
  recur_entry_points entries = (*jit)->entryPoints();
  if (!mutation.empty() && mode == Mode::Optimized)
    entries = mutateCalls(entries, mutation);
  if (mode == Mode::Optimized && check.isStrict)
    outcome.run = callStrictly(entries, inputs, limits, check.directory, outcome.breach);
  else
    outcome.run = callModel(entries, inputs, limits);
  return outcome;
}

/// The most elements of an input of a call.
static constexpr int64_t kMostElements = 1 << 16;

void fill(Tensor &tensor, uint64_t seed) {
  Random random(seed);
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    int number = int(random.below(21)) - 10;
    if (interpreter::isReal(tensor.getType()))
      tensor.setReal(i, number / 4.0);
    else
      tensor.setInteger(i, tensor.getType() == RECUR_BOOLEAN ? random.below(2) : number / 2);
  }
}

/// An input for an argument of this type. It has the dims of `known` where these fit. Nullopt if it would be too large.
static std::optional<Tensor> makeInput(RankedTensorType type, const Tensor *known, Random &random) {
  recur_element_type element = getElementType(type.getElementType());
  bool hasRank = known && known->getRank() == type.getRank();
  interpreter::Shape shape;
  int64_t count = 1;
  for (auto [axis, dim] : llvm::enumerate(type.getShape())) {
    int64_t size = dim;
    if (ShapedType::isDynamic(dim))
      size = hasRank ? known->getDim(axis) : random.below(5);
    shape.push_back(size);
    if (size > kMostElements || (count *= std::max<int64_t>(size, 1)) > kMostElements)
      return std::nullopt;
  }
  if (known && known->getType() == element && known->getShape() == shape)
    return *known;
  Tensor tensor(element, shape);
  fill(tensor, random.next());
  return tensor;
}

std::optional<std::vector<Tensor>> makeInputs(ModuleOp module, ArrayRef<Tensor> known, uint64_t seed) {
  Random random(seed);
  auto func = *module.getOps<func::FuncOp>().begin();
  size_t states = 0;
  if (auto array = module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr))
    states = array.size();
  std::vector<Tensor> inputs;
  for (mlir::Type type : func.getArgumentTypes().drop_back(2 * states)) {
    const Tensor *own = inputs.size() < known.size() ? &known[inputs.size()] : nullptr;
    std::optional<Tensor> input = makeInput(cast<RankedTensorType>(type), own, random);
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

/// True if an element has overflowed, and another one is so large that its rounding may decide if it overflows too.
static bool isNearOverflow(const Tensor &output) {
  bool overflows = false, isLarge = false;
  double large = interpreter::getGreatest(output.getType()) / 4;
  for (int64_t i = 0; i != output.getNumElements(); ++i) {
    double value = output.getReal(i);
    overflows |= !std::isfinite(value);
    isLarge |= std::isfinite(value) && std::fabs(value) >= large;
  }
  return overflows && isLarge;
}

/// The absolute difference that all elements of an output may have: a few times the largest change that the
/// disturbances cause. Returns nullopt if the disturbances change the output too much to compare it.
static std::optional<double> measureTolerance(const Tensor &plain, ArrayRef<const Tensor *> disturbed) {
  double most = 0;
  if (!interpreter::isReal(plain.getType()))
    return most;
  if (isNearOverflow(plain))
    return std::nullopt;
  for (const Tensor *other : disturbed)
    for (int64_t i = 0; i != plain.getNumElements(); ++i) {
      double a = plain.getReal(i), b = other->getReal(i);
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      double difference = std::fabs(a - b);
      // A value that changes by a tenth cannot be compared.
      if (!std::isfinite(difference) || difference > 0.1 * std::max(1.0, std::fabs(a)))
        return std::nullopt;
      most = std::max(most, difference);
    }
  return 8 * most;
}

/// True for a status that depends on the limits of a run.
static bool isLimit(recur_status status) {
  return status == RECUR_E_ITER_LIMIT || status == RECUR_E_MEM_LIMIT || status == RECUR_E_NOMEM;
}

static Verdict compareOutcomes(const Outcome &outcome, const ModelRun &want, ArrayRef<std::optional<double>> tolerances,
                               const CheckOptions &options) {
  if (!outcome.refusal.empty()) {
    bool isKnown = outcome.refusal.find("not supported yet") != std::string::npos;
    return {isKnown ? Verdict::Unsupported : Verdict::Refused, outcome.refusal};
  }
  // The model may ask for more memory than a process may have here.
  if (StringRef(outcome.breach).ends_with("strict: out of memory"))
    return {Verdict::Limited, outcome.breach};
  if (!outcome.breach.empty())
    return {Verdict::Differs, outcome.breach};
  const ModelRun &got = outcome.run;
  // A caller that cannot have the workspace gives none.
  bool hasNone = got.status == RECUR_E_WORKSPACE && StringRef(got.message).ends_with(", has 0");
  if (got.status != want.status && (isLimit(got.status) || hasNone))
    return {Verdict::Limited, "compiled: " + got.message};
  // Of several faults a model reports any. It computes sizes, which may not fit, before it compares dims. A size that
  // does not fit wraps around, so that what is computed from it may not fit other dims.
  bool takesShape = options.takesShapeFaults || want.status == RECUR_E_OVERFLOW;
  bool isOther =
      want.status != RECUR_OK && (got.status == RECUR_E_OVERFLOW || (takesShape && got.status == RECUR_E_SHAPE) ||
                                  llvm::is_contained(want.faults, got.status));
  if (got.status != want.status && !isOther)
    return {Verdict::Differs, llvm::formatv("status {0} ({1}), expected {2} ({3})", int(got.status), got.message,
                                            int(want.status), want.message)
                                  .str()};
  if (want.status != RECUR_OK)
    return {Verdict::Fault, ""};
  for (auto [i, a, b] : llvm::enumerate(got.outputs, want.outputs)) {
    if (!tolerances[i])
      continue;
    double rtol = *tolerances[i] > 0 ? 16 * interpreter::getEpsilon(b.getType()) : 0;
    std::string difference = describeDifference(a, b, rtol, *tolerances[i]);
    if (!difference.empty())
      return {Verdict::Differs, llvm::formatv("output {0}: {1}", i, difference).str()};
  }
  return {};
}

const DialectRegistry &getRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerDialects(all);
    return all;
  }();
  return registry;
}

Verdict check(const Model &model, const CheckOptions &options) {
  std::string xml, bin, diagnostics, weightsPath = options.directory + "/model.bin";
  model.print(xml, bin);
  {
    std::error_code error;
    llvm::raw_fd_ostream os(weightsPath, error);
    os << bin;
  }
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && diagnostics.empty())
      diagnostics = diagnostic.str();
    return success();
  });
  ImportOptions importOptions;
  importOptions.weightsPath = weightsPath;
  FailureOr<ImportedModel> imported =
      importOpenVINOIR(llvm::MemoryBufferRef(xml, "model.xml"), &context, importOptions);
  if (failed(imported))
    return {Verdict::Rejected, diagnostics};

  Verdict verdict = compareRuns(*imported->module, imported->weights, model.getInputs(), options, diagnostics);
  // The generator makes only models that stay within the limits.
  if (verdict.kind == Verdict::Limited)
    verdict.kind = Verdict::Rejected;
  return verdict;
}

Verdict compareRuns(ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weightsFile, ArrayRef<Tensor> inputs,
                    const CheckOptions &options, std::string &error) {
  ArrayRef<char> weights;
  if (weightsFile)
    weights = ArrayRef(weightsFile->getBufferStart(), weightsFile->getBufferSize());
  enterPhase("interpreting");
  InterpreterOptions limits;
  limits.maxIterations = 10000;
  limits.maxBytes = 1 << 24;
  limits.findsAllFaults = true;
  ModelRun want = interpret(module, weights, inputs, limits);
  if (want.status == RECUR_E_INTERNAL || isLimit(want.status))
    return {want.status == RECUR_E_INTERNAL ? Verdict::Rejected : Verdict::Limited, "interpreter: " + want.message};
  if (!options.mutation.empty() && !canShow(options.mutation, want.status != RECUR_OK))
    return {Verdict::Unmutated, ""};
  std::vector<ModelRun> disturbed;
  // Three runs show how much rounding changes an output. A real output that stays as it is may be exact, or this is
  // luck, so more runs look.
  auto looksExact = [&](size_t i) {
    return interpreter::isReal(want.outputs[i].getType()) && llvm::all_of(disturbed, [&](const ModelRun &run) {
             return run.status == want.status && describeDifference(run.outputs[i], want.outputs[i], 0, 0).empty();
           });
  };
  for (uint64_t seed = 1; want.status == RECUR_OK && seed != 12; ++seed) {
    if (seed > 3 && llvm::none_of(llvm::seq(want.outputs.size()), looksExact))
      break;
    enterPhase("interpreting");
    interpreter::Disturbance disturbance(seed * 0x9e3779b97f4a7c15u, 2);
    disturbed.push_back(interpret(module, weights, inputs, limits));
  }
  std::vector<std::optional<double>> tolerances;
  for (auto [i, output] : llvm::enumerate(want.outputs)) {
    SmallVector<const Tensor *> others;
    for (const ModelRun &run : disturbed) {
      if (run.status != want.status || run.outputs[i].getShape() != output.getShape() ||
          (!interpreter::isReal(output.getType()) && !describeDifference(run.outputs[i], output, 0, 0).empty()))
        return {Verdict::IllPosed, "rounding decides the shape, the status or an integer"};
      others.push_back(&run.outputs[i]);
    }
    tolerances.push_back(measureTolerance(output, others));
  }
  if (!tolerances.empty() && llvm::none_of(tolerances, [](auto &tolerance) { return tolerance.has_value(); }))
    return {Verdict::IllPosed, "rounding decides all outputs"};

  Verdict result;
  for (Mode mode : options.modes) {
    bool mutated = true;
    Outcome got = runCompiled(module, weightsFile, inputs, mode, options.mutation, options, error, mutated);
    if (!mutated)
      return {Verdict::Unmutated, ""};
    if (!options.mutation.empty()) {
      // Only a wrong answer counts, and only if the model is right without the bug.
      Verdict wrong = compareOutcomes(got, want, tolerances, options);
      if (wrong.kind != Verdict::Differs)
        return {Verdict::Agrees, ""};
      got = runCompiled(module, weightsFile, inputs, mode, "", options, error, mutated);
      return compareOutcomes(got, want, tolerances, options).isFailure() ? Verdict{} : wrong;
    }
    Verdict verdict = compareOutcomes(got, want, tolerances, options);
    if (verdict.kind != Verdict::Agrees) {
      verdict.text = (spell(mode) + ": " + verdict.text).str();
      if (verdict.isFailure())
        return verdict;
      result = verdict;
    }
  }
  return result;
}

Verdict runIsolated(llvm::function_ref<Verdict()> check, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    return {Verdict::Crashed, "no pipe"};
  CrashNotes notes;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    notes.record();
    limitTime(seconds);
    Verdict verdict = check();
    std::string text(1, char('0' + verdict.kind));
    text += verdict.text;
    if (write(ends[1], text.data(), text.size()) < 0)
      _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {isTimeLimit(WTERMSIG(status)) ? Verdict::Hangs : Verdict::Crashed,
            "signal " + std::to_string(WTERMSIG(status)) + notes.describe(/*most=*/4)};
  if (text.empty())
    return {Verdict::Crashed, "no verdict"};
  return {Verdict::Kind(text[0] - '0'), text.substr(1)};
}

Verdict checkIsolated(const Model &model, const CheckOptions &options, unsigned seconds) {
  Verdict verdict = runIsolated([&] { return check(model, options); }, seconds);
  // The strict caller ends the process if the model breaks a promise.
  std::string breach = readBreach(options.directory);
  (void)llvm::sys::fs::remove(breachPath(options.directory));
  if (verdict.kind == Verdict::Crashed && !breach.empty())
    verdict.text = breach;
  return verdict;
}

} // namespace recur::fuzz
