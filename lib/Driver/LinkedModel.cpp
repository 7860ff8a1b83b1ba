// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LinkedModel.cpp - running a model as a linked program --------------===//
//
// Builds a C program from the object file of a model, its generated header, and the sources of the driver, which are
// embedded in the library. The driver is the same for all models, so its object file can be kept in a folder: thousands
// of tests compile it once.
//
//===----------------------------------------------------------------------===//
#include "Recur/Driver/Driver.h"
#include "Recur/Target/Header.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/SystemCompiler.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

// runner_c, runner_h, gang_c, gang_h, numbers_h, options_h, show_h, strict_c, strict_h, guard_h, npy_c, npy_h, tuner_h
#include "EmbeddedDriver.inc"

using namespace llvm;

namespace recur {

namespace {

/// A file of a program.
struct SourceFile {
  StringRef name, text;
};

} // namespace

/// The driver does not include the header of a model. It has the types from types.h, which are those of all models.
constexpr StringRef kDriverSource = "#define _POSIX_C_SOURCE 200809L\n#define _DEFAULT_SOURCE\n"
                                    "#define RECUR_DRIVER_EMBEDDED\n#include \"types.h\"\n#include \"Runner.c\"\n"
                                    "#include \"Gang.c\"\n#include \"Strict.c\"\n#include \"Npy.c\"\n";

static std::string mainSource(const ModelDescription &model) {
  return "#define _POSIX_C_SOURCE 200809L\n#define _DEFAULT_SOURCE\n#define RECUR_DRIVER_EMBEDDED\n"
         "#include \"model.h\"\n#include \"types.h\"\n#include \"Runner.h\"\n"
         "int main(int argc, char **argv) {\n  recur_entry_points model = " +
         getFunctionName(model.name, model.entry, "entry_points") +
         "();\n"
         "  return recur_run_profiled_model(&model, " +
         (model.profile.empty() ? "NULL" : getFunctionName(model.name, model.entry, "profile")) +
         ", argc - 1, (const char *const *)argv + 1);\n}\n";
}

/// The files of the driver: the first is the one to compile.
static std::vector<SourceFile> driverSources(StringRef types) {
  auto text = [](const unsigned char *bytes, size_t size) {
    return StringRef(reinterpret_cast<const char *>(bytes), size);
  };
  return {{"driver.c", kDriverSource},
          {"types.h", types},
          {"Runner.c", text(runner_c, runner_c_size)},
          {"Runner.h", text(runner_h, runner_h_size)},
          {"Gang.c", text(gang_c, gang_c_size)},
          {"Gang.h", text(gang_h, gang_h_size)},
          {"recur_tuner.h", text(tuner_h, tuner_h_size)},
          {"Numbers.h", text(numbers_h, numbers_h_size)},
          {"Options.h", text(options_h, options_h_size)},
          {"Show.h", text(show_h, show_h_size)},
          {"Strict.c", text(strict_c, strict_c_size)},
          {"Strict.h", text(strict_h, strict_h_size)},
          {"Guard.h", text(guard_h, guard_h_size)},
          {"Npy.c", text(npy_c, npy_c_size)},
          {"Npy.h", text(npy_h, npy_h_size)},
          {"Limits.h", text(limits_h, limits_h_size)}};
}

/// The name of the kept object file. It has a hash of all that decides the object: the sources, the options, the
/// command of the compiler, the programs in it by their size and time, and what compilers take from the environment.
static Expected<std::string> driverName(ArrayRef<SourceFile> sources, ArrayRef<std::string> options) {
  Expected<std::vector<std::string>> compiler = findSystemCompiler();
  if (!compiler)
    return compiler.takeError();
  BLAKE3 hasher;
  // A zero ends each text, so that the border between two of them counts.
  auto add = [&](StringRef text) {
    hasher.update(text);
    hasher.update(StringRef("", 1));
  };
  for (const SourceFile &source : sources)
    add(source.text);
  for (const std::string &option : options)
    add(option);
  for (const std::string &word : *compiler) {
    add(word);
    ErrorOr<std::string> path = sys::findProgramByName(word);
    sys::fs::file_status status;
    if (!path || sys::fs::status(*path, status))
      continue;
    add(*path);
    add(std::to_string(status.getSize()));
    add(std::to_string(status.getLastModificationTime().time_since_epoch().count()));
  }
  for (StringRef variable : {"PATH", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"})
    add(sys::Process::GetEnv(variable).value_or(""));
  return "driver-" + toHex(hasher.final(), /*LowerCase=*/true) + ".o";
}

/// Returns the path of the object file of the driver: in `cache` if it was kept there. Otherwise it is compiled from
/// `sources`, which are in `folder` too, and kept. Several processes may do so at once, because the file appears whole.
static Expected<std::string> getDriver(StringRef cache, ArrayRef<SourceFile> sources, ArrayRef<std::string> options,
                                       const TemporaryFolder &folder) {
  Expected<std::string> name = driverName(sources, options);
  if (!name)
    return name.takeError();
  SmallString<128> kept(cache);
  sys::path::append(kept, *name);
  if (sys::fs::exists(kept))
    return std::string(kept);
  std::string object = folder.pathOf("driver.o");
  std::vector<std::string> command{"-c", "-o", object, folder.pathOf(sources.front().name)};
  llvm::append_range(command, options);
  if (Error error = runSystemCompiler(command, folder))
    return std::move(error);
  if (std::error_code code = sys::fs::create_directories(cache))
    return createStringError(code, "cannot create the folder '" + cache +
                                       "', which RECUR_DRIVER_CACHE names: " + code.message());
  ErrorOr<std::unique_ptr<MemoryBuffer>> bytes = MemoryBuffer::getFile(object);
  if (!bytes)
    return createStringError(bytes.getError(), "cannot read '" + object + "': " + bytes.getError().message());
  if (Error error = writeProduct(kept, (*bytes)->getBuffer()))
    return std::move(error);
  return std::string(kept);
}

/// Compiles and links the program. Its sources and the object of the model are in `folder`.
static Error linkProgram(StringRef program, ArrayRef<SourceFile> driver, ArrayRef<std::string> compilerOptions,
                         const TemporaryFolder &folder) {
  std::vector<std::string> options{"-O1", "-pthread"};
  llvm::append_range(options, compilerOptions);
  std::string driverPath = folder.pathOf(driver.front().name);
  if (std::string cache = sys::Process::GetEnv("RECUR_DRIVER_CACHE").value_or(""); !cache.empty()) {
    Expected<std::string> kept = getDriver(cache, driver, options, folder);
    if (!kept)
      return kept.takeError();
    driverPath = *kept;
  }
  std::vector<std::string> link{"-o", program.str(), folder.pathOf("main.c"), driverPath, folder.pathOf("model.o"),
                                "-lm"};
  llvm::append_range(link, options);
  return runSystemCompiler(link, folder);
}

Expected<int> runLinkedModel(ArrayRef<char> object, const ModelDescription &model, const RunOptions &options,
                             ArrayRef<uint8_t> weights) {
  Expected<std::vector<std::string>> command = findCommand(options.emulator, "emulator", "--emulator");
  if (!command)
    return command.takeError();
  if (Error error = expectCompilerFor(object))
    return std::move(error);
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();

  std::string header, source = mainSource(model);
  raw_string_ostream os(header);
  emitHeader(os, model);
  std::string types = abiHeaderText(WeightsSource::File, /*hasProfile=*/true);
  std::vector<SourceFile> driver = driverSources(types);
  std::vector<SourceFile> files = driver;
  files.push_back({"model.o", StringRef(object.data(), object.size())});
  files.push_back({"model.h", header});
  files.push_back({"main.c", source});
  for (const SourceFile &file : files)
    if (Error error = writeProduct(folder->pathOf(file.name), file.text))
      return error;
  std::string weightsPath = folder->pathOf("model.weights");
  if (model.weightsSource != WeightsSource::Object)
    if (Error error =
            writeProduct(weightsPath, ArrayRef(reinterpret_cast<const char *>(weights.data()), weights.size())))
      return error;

  std::string program = folder->pathOf("program");
  if (Error error = linkProgram(program, driver, options.compilerOptions, *folder))
    return std::move(error);

  command->push_back(program);
  if (model.weightsSource != WeightsSource::Object)
    command->push_back((model.weightsSource == WeightsSource::File ? "--map-weights=" : "--read-weights=") +
                       weightsPath);
  llvm::append_range(*command, options.arguments());
  SmallVector<StringRef> arguments(command->begin(), command->end());
  std::string message;
  outs().flush();
  int status = sys::ExecuteAndWait(arguments[0], arguments, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return createStringError("the compiled model ended without a status: " + message);
  return status;
}

} // namespace recur
