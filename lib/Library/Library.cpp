// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Library.cpp - the compiler as a library ----------------------------===//
//
// Implements recur_compiler.hpp. Each call has a context of MLIR of its own, so calls share nothing that they write.
//
//===----------------------------------------------------------------------===//

#include "Recur/Library/recur_compiler.hpp"

#include "Recur/Compiler/Cache.h"
#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Compiler/ModelFile.h"
#include "Recur/Kernels.h"
#include "Recur/Registration.h"
#include "Recur/Target/Header.h"
#include "Recur/Target/JIT.h"
#include "Recur/Target/Libraries.h"
#include "Recur/Target/LoadedModel.h"
#include "Recur/Target/ModelSymbols.h"
#include "Recur/Target/ObjectFile.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace recur;

/// The key of bytes that travel: no reader looks for them.
static constexpr ContentHash kNoKey = {};

/// The code of a module: compiled in this process or another one, or loaded.
class Module::Code {
public:
  explicit Code(std::unique_ptr<LoadedModel> model) : loaded(std::move(model)) {}
  Code(CompiledModel model, std::unique_ptr<JITModel> code, Entry entry, recur_profile_reader reader)
      : compiled(std::move(model)), jit(std::move(code)), compiledEntry(entry), compiledReader(reader) {}

  Entry entry() const { return jit ? compiledEntry : loaded->entry(); }
  recur_profile_reader profileReader() const { return jit ? compiledReader : loaded->profileReader(); }
  const recur_entry_points &entryPoints() const { return jit ? jit->entryPoints() : loaded->entryPoints(); }

  std::string serialize() const {
    if (loaded)
      return loaded->bytes().str();
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    writeModelFile(os, kNoKey, compiled);
    return bytes;
  }

private:
  // The code refers to the weights.
  CompiledModel compiled;
  std::unique_ptr<JITModel> jit;
  Entry compiledEntry = Entry::Run;
  recur_profile_reader compiledReader = nullptr;
  std::unique_ptr<LoadedModel> loaded;
};

static llvm::StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

/// The entry of a name in recur_compiler.hpp.
static std::optional<Entry> toEntry(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Entry>>(name)
      .Case("run", Entry::Run)
      .Case("step", Entry::Step)
      .Default(std::nullopt);
}

/// The message of an error in the form in which the tools print it.
static std::string toLine(llvm::Error error) { return "error: " + llvm::toString(std::move(error)); }

/// A remark as the interface has it.
static CompileRemark toRemark(const Remark &remark) {
  CompileRemark result;
  if (auto place = remark.loc->findInstanceOf<mlir::FileLineColLoc>()) {
    result.file = place.getFilename().str();
    result.line = place.getLine();
    result.column = place.getColumn();
  }
  result.layer = remark.getLayer().str();
  result.pass = remark.pass;
  result.kind = stringifyRemarkKind(remark.kind).str();
  result.text = remark.text;
  return result;
}

static CompileError toError(llvm::Error error) { return CompileError(toLine(std::move(error))); }

namespace {

/// A model on its way through the compiler, with its diagnostics.
class Session {
public:
  explicit Session(const Source &source) : source(source), context(makeRegistry(), kThreading), os(text) {}

  /// Reads the model and compiles it for `target`, unless the settings name other CPUs.
  Outcome<CompiledModel> compile(const Settings &settings, TargetConfig target, WeightsPlacement placement,
                                 const std::string &name) {
    registerKernels();
    CompileOptions options;
    options.target = std::move(target);
    bool isProduct = placement != WeightsPlacement::External;
    if (!settings.targets.empty() && !isProduct)
      return fail(llvm::createStringError("expected no targets for a model in this process, which has one CPU"));
    if (!settings.cpu.empty())
      options.target.cpu = settings.cpu;
    options.target.features = settings.features;
    options.target.levels = settings.targets;
    options.target.optLevel = settings.level;
    options.debugInfo = settings.debug_info && placement == WeightsPlacement::Embedded;
    options.profile = settings.profile;
    options.checkNaN = settings.check_nan;
    options.name = name;
    if (settings.progress)
      options.progress = [&](llvm::StringRef step, unsigned done, unsigned steps) {
        return settings.progress(std::string_view(step.data(), step.size()), done, steps);
      };
    std::vector<Remark> remarks;
    if (settings.remark) {
      llvm::Expected<RemarkFilter> filter = RemarkFilter::parse(settings.remark_filter);
      if (!filter)
        return fail(filter.takeError());
      options.remarkFilter = std::move(*filter);
      options.remarks = &remarks;
    }
    if (llvm::Error error = readPrecisions(settings, options))
      return fail(std::move(error));
    if (llvm::Error error = readEntries(settings, placement == WeightsPlacement::Embedded, options))
      return fail(std::move(error));
    model = read(settings.shapes);
    if (mlir::failed(model))
      return fail(llvm::Error::success());
    if (isProduct && settings.targets.empty() && settings.cpu.empty() && settings.features.empty() && !settings.profile)
      options.target.levels = getDefaultLevels(*model->module, settings.triple);
    llvm::Expected<CompiledModel> compiled =
        // A model that is taken from the folder has no remarks.
        settings.cache_dir.empty() || settings.remark
            ? recur::compile(*model, options, EmitKind::Object, placement)
            : compileCached(*model, sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(), settings.shapes,
                            options, settings.cache_dir,
                            [&](llvm::Error error) { text += "warning: " + llvm::toString(std::move(error)) + "\n"; });
    if (!compiled)
      return fail(compiled.takeError());
    if (settings.report && !text.empty())
      settings.report(text);
    for (const Remark &remark : remarks)
      settings.remark(toRemark(remark));
    return std::move(*compiled);
  }

  /// The diagnostics, and after them the error.
  CompileError fail(llvm::Error error) {
    if (error)
      text += toLine(std::move(error));
    return CompileError(llvm::StringRef(text).rtrim('\n').str());
  }

  /// The files that were read.
  llvm::ArrayRef<ToolFile> files() const { return model->files; }

private:
  /// Most passes work on one function, so threads would only cost locks in the tables of types and attributes.
  static constexpr auto kThreading = mlir::MLIRContext::Threading::DISABLED;

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  static llvm::Error readPrecisions(const Settings &settings, CompileOptions &options) {
    auto precision = llvm::StringSwitch<std::optional<ov::ProductPrecision>>(settings.precision)
                         .Case("f32", ov::ProductPrecision::F32)
                         .Case("bf16", ov::ProductPrecision::BF16)
                         .Default(std::nullopt);
    auto weights = llvm::StringSwitch<std::optional<ov::WeightsPrecision>>(settings.weights_precision)
                       .Case("f32", ov::WeightsPrecision::F32)
                       .Case("bf16", ov::WeightsPrecision::BF16)
                       .Case("int8", ov::WeightsPrecision::Int8)
                       .Default(std::nullopt);
    if (!precision)
      return llvm::createStringError("expected a precision of 'f32' or 'bf16', but got '" + settings.precision + "'");
    if (!weights)
      return llvm::createStringError("expected a precision of weights of 'f32', 'bf16' or 'int8', but got '" +
                                     settings.weights_precision + "'");
    if (settings.level > 3)
      return llvm::createStringError("expected a level of 0 to 3, but got %u", settings.level);
    options.precision = *precision;
    options.weightsPrecision = *weights;
    return llvm::Error::success();
  }

  static llvm::Error readEntries(const Settings &settings, bool isProduct, CompileOptions &options) {
    if (settings.entry == "run,step" && isProduct)
      options.entries = {Entry::Run, Entry::Step};
    else if (std::optional<Entry> entry = toEntry(settings.entry))
      options.entries = {*entry};
    else
      return llvm::createStringError(llvm::Twine("expected an entry of 'run'") +
                                     (isProduct ? ", 'step' or 'run,step'" : " or 'step'") + ", but got '" +
                                     settings.entry + "'");
    return llvm::Error::success();
  }

  mlir::FailureOr<Model> read(llvm::ArrayRef<std::string> shapes) {
    if (!source.text)
      return readModel(source.path, source.weights_path, sources, &context, shapes);
    // MLIR's parser expects a zero behind the text.
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(toRef(*source.text), source.path);
    llvm::StringRef bytes(reinterpret_cast<const char *>(source.weights.data()), source.weights.size());
    auto weights = llvm::MemoryBuffer::getMemBuffer(bytes, "the weights", /*RequiresNullTerminator=*/false);
    return readModel(std::move(buffer), std::move(weights), sources, &context, shapes);
  }

  const Source &source;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::string text;
  llvm::raw_string_ostream os;
  DiagnosticPrinter printer{sources, &context, os};
  mlir::FailureOr<Model> model = mlir::failure();
};

} // namespace

/// Links a model into this process. If `wanted` is given, the model must have that entry.
static llvm::Expected<std::shared_ptr<const Module::Code>> link(CompiledModel model,
                                                                std::optional<Entry> wanted = std::nullopt) {
  llvm::StringRef object(model.output.data(), model.output.size());
  llvm::Expected<ModelSymbols> symbols = findModel(llvm::MemoryBufferRef(object, "the bytes"));
  if (!symbols)
    return symbols.takeError();
  llvm::Expected<Entry> entry = chooseEntry(*symbols, wanted, "the bytes");
  if (!entry)
    return entry.takeError();
  auto jit = JITModel::create(llvm::MemoryBuffer::getMemBufferCopy(object, symbols->name), symbols->name, model.weights,
                              *entry);
  if (!jit)
    return jit.takeError();
  void *reader = nullptr;
  if (symbols->hasProfile)
    if (llvm::Error error = (*jit)->find(getFunctionName(symbols->name, *entry, "profile")).moveInto(reader))
      return std::move(error);
  return std::make_shared<const Module::Code>(std::move(model), std::move(*jit), *entry,
                                              reinterpret_cast<recur_profile_reader>(reader));
}

template <typename Code>
static Outcome<Module> toModule(llvm::Expected<Code> code) {
  if (!code)
    return toError(code.takeError());
  return Module(std::move(*code));
}

static llvm::Expected<std::shared_ptr<const Module::Code>> toCode(llvm::Expected<std::unique_ptr<LoadedModel>> loaded) {
  if (!loaded)
    return loaded.takeError();
  return std::make_shared<const Module::Code>(std::move(*loaded));
}

Module::Module(std::shared_ptr<const Code> code) noexcept : code_(std::move(code)) {}
const recur_entry_points &Module::entry_points() const noexcept { return code_->entryPoints(); }
std::string_view Module::entry() const noexcept { return code_->entry() == Entry::Run ? "run" : "step"; }
recur_profile_reader Module::profile_reader() const noexcept { return code_->profileReader(); }
std::string Module::serialize() const { return code_->serialize(); }

Outcome<Module> recur::try_compile(const Source &source, const Settings &settings) {
  std::string name = settings.name.empty() ? makeDefaultName(source.path) : settings.name;
  Outcome<CompiledModel> compiled =
      Session(source).compile(settings, TargetConfig::forHost(), WeightsPlacement::External, name);
  if (!compiled)
    return compiled.error();
  return toModule(link(std::move(*compiled)));
}

/// The entry that a program asks for; none if `entry` is empty.
static llvm::Expected<std::optional<Entry>> readWantedEntry(std::string_view entry) {
  std::optional<Entry> wanted = toEntry(toRef(entry));
  if (!wanted && !entry.empty())
    return llvm::createStringError("expected an entry of 'run' or 'step', but got '" + toRef(entry) + "'");
  return wanted;
}

Outcome<Module> recur::try_deserialize(std::string_view bytes, std::string_view entry) {
  llvm::Expected<std::optional<Entry>> wanted = readWantedEntry(entry);
  if (!wanted)
    return toError(wanted.takeError());
  llvm::StringRef text = toRef(bytes);
  if (!isModelFile(text))
    return toModule(toCode(LoadedModel::create(llvm::MemoryBuffer::getMemBufferCopy(text, "the bytes"), *wanted)));
  mlir::FailureOr<CompiledModel> model = readModelFile(text, kNoKey);
  if (mlir::failed(model))
    return CompileError("error: the bytes of the model are damaged");
  return toModule(link(std::move(*model), *wanted));
}

Outcome<Module> recur::try_load(const std::string &path, std::string_view entry) {
  llvm::Expected<std::optional<Entry>> wanted = readWantedEntry(entry);
  if (!wanted)
    return toError(wanted.takeError());
  return toModule(toCode(LoadedModel::open(path, *wanted)));
}

/// Compiles a model to a product. The name of a shared library in programs is that of the file `path`, or if it is
/// empty, made of the name of the model.
static Outcome<Product> build(Session &session, const Source &source, ProductKind kind, const std::string &path,
                              const Settings &settings) {
  bool isLibrary = kind != ProductKind::object;
  std::string name = !settings.name.empty() ? settings.name
                     : !path.empty()        ? makeDefaultName(path, isLibrary)
                                            : makeDefaultName(source.path);
  if (!settings.cache_dir.empty())
    return CompileError("error: a cache folder can be used for a model of this process alone");
  TargetConfig target;
  target.triple = settings.triple;
  Outcome<CompiledModel> compiled = session.compile(settings, target, WeightsPlacement::Embedded, name);
  if (!compiled)
    return compiled.error();
  Product product;
  llvm::raw_string_ostream os(product.header);
  emitHeader(os, compiled->description);
  if (!isLibrary) {
    product.bytes.assign(compiled->output.begin(), compiled->output.end());
    return product;
  }
  std::string soname = path.empty() ? "lib" + name + ".so" : llvm::sys::path::filename(path).str();
  auto library = kind == ProductKind::static_library ? makeStaticLibrary(compiled->output, name)
                                                     : linkSharedLibrary(compiled->output, soname);
  if (!library)
    return session.fail(library.takeError());
  product.bytes = (*library)->getBuffer().str();
  return product;
}

Outcome<Product> recur::try_build(const Source &source, ProductKind kind, const Settings &settings) {
  Session session(source);
  return ::build(session, source, kind, "", settings);
}

Outcome<void> recur::try_aot(const Source &source, ProductKind kind, const std::string &path,
                             const std::string &header_path, const Settings &settings) {
  Session session(source);
  Outcome<Product> product = ::build(session, source, kind, path, settings);
  if (!product)
    return product.error();
  std::vector<ToolFile> outputs{{"the product", path}};
  if (!header_path.empty())
    outputs.push_back({"the header", header_path});
  if (llvm::Error error = checkOutputs(outputs, session.files()))
    return toError(std::move(error));
  // The header is written first: an object without its header is of no use.
  if (!header_path.empty())
    if (llvm::Error error = writeProduct(header_path, llvm::ArrayRef<char>(product->header)))
      return toError(std::move(error));
  if (llvm::Error error = writeProduct(path, llvm::ArrayRef<char>(product->bytes)))
    return toError(std::move(error));
  return {};
}

const char *recur::version() noexcept { return RECUR_VERSION; }
