// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur_compiler.hpp - the compiler as a library -----------*- C++ -*-===//
//
// C++20, of the standard library alone; programs link librecur. It compiles a model into this process, or to an object
// or a library, and loads libraries that were made before.
//
//   #include "recur_compiler.hpp"
//   #include "recur.hpp"                                  // instances of models
//
//   recur::Module module = recur::compile(recur::Source::from_file("model.xml"));
//   recur::Model speech(module.entry_points());
//   speech.run({x, h, c});
//
// A function that can fail has two forms, as in recur.hpp: `compile` throws a recur::CompileError, and exists only if
// exceptions are on; `try_compile` returns an Outcome. A library that runs out of memory ends the process, as LLVM
// does.
//
// The library prints nothing, never exits, and keeps no state that a call could change. All functions may be called on
// any number of threads at once. A Module may be used by any number of threads; a recur::Model is for one at a time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_HPP
#define RECUR_COMPILER_HPP

#ifndef RECUR_TARGET_ENTRYPOINTS_H
#include "Recur/Target/EntryPoints.h"
#endif
#ifndef RECUR_PROFILE_V1
#include "Recur/Target/Profile.h"
#endif

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/* The library exports only what has this mark. */
#define RECUR_API __attribute__((visibility("default")))

namespace recur {
inline namespace library_v1 {

/// Says why a call failed: the diagnostics as the tools print them, with file, line and column of the model, and at
/// the end a line `error: ...` if the reason has no place.
class CompileError : public std::exception {
public:
  CompileError() = default;
  explicit CompileError(std::string text) : text_(std::move(text)) {}
  const char *what() const noexcept override { return text_.c_str(); }

private:
  std::string text_;
};

/// A value or a CompileError: the part of std::expected that works without exceptions.
template <class T>
class [[nodiscard]] Outcome {
public:
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(CompileError error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// The value, which must be there.
  T &operator*() noexcept { return *value_; }
  const T &operator*() const noexcept { return *value_; }
  T *operator->() noexcept { return &*value_; }
  const T *operator->() const noexcept { return &*value_; }
  /// The error, if there is no value.
  const CompileError &error() const noexcept { return error_; }

private:
  std::optional<T> value_;
  CompileError error_;
};

/// The result of a call that gives no value.
template <>
class [[nodiscard]] Outcome<void> {
public:
  Outcome() = default;
  Outcome(CompileError error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  const CompileError &error() const noexcept { return *error_; }

private:
  std::optional<CompileError> error_;
};

/// A model to compile: OpenVINO IR, or a module of Recur as text or bytecode.
struct Source {
  /// The file, which messages name. With `text` it is only a name.
  std::string path;
  /// The file of the weights; empty: the one beside `path`.
  std::string weights_path = {};
  /// The model in memory. If it is given, no file is read, and `weights` are the contents of the weights file. Both
  /// must live until the call returns.
  std::optional<std::string_view> text = std::nullopt;
  std::span<const std::byte> weights = {};

  static Source from_file(std::string path, std::string weights_path = {}) {
    return {std::move(path), std::move(weights_path)};
  }
  static Source from_memory(std::string_view text, std::span<const std::byte> weights, std::string name = "model.xml") {
    return {std::move(name), {}, text, weights};
  }
};

/// A decision of a pass of the compiler about a layer (docs/generated/Remarks.md).
struct CompileRemark {
  /// Where the layer is in the model. The file is empty, and line and column are 0, if the remark is about no layer. Of
  /// layers that became one, this is the first one.
  std::string file;
  unsigned line = 0, column = 0;
  /// The name of the layer; empty if it has none.
  std::string layer;
  /// The pass, such as "rt-pack-matmuls".
  std::string pass;
  /// "passed" for what a pass did, "missed" for what it did not do, "analysis" for other facts.
  std::string kind;
  /// A sentence without a capital and a period. It may change between versions.
  std::string text;
};

/// How a model is compiled. The options of ir-compile have the same meaning.
struct Settings {
  /// The only CPU to compile for. "native": that of this machine. Empty: that of this machine for a Module, and
  /// `targets` for a Product, or, with `features`, x86-64-v3.
  std::string cpu = {};
  /// Features to add to the only CPU or to remove, such as "+avx512f,-fma".
  std::string features = {};
  /// The target of a Product; empty: that of this machine.
  std::string triple = {};
  /// The optimization level of the code generator, 0 to 3.
  unsigned level = 3;
  /// The CPUs that a Product has code for, in any order. NAME_init takes the best that the CPU can run. Empty, without
  /// `cpu` and `features`: x86-64-v2, x86-64-v3 and x86-64-v4, or one generic CPU of another machine.
  std::vector<std::string> targets = {};
  /// The prefix of the functions of a Product, a C identifier. Empty: the name of the file that is written, or else of
  /// the model.
  std::string name = {};
  /// What a call computes: "run" (all time steps of the inputs) or "step" (one time step; the instance keeps what the
  /// loops over time carry). A Product may have both: "run,step".
  std::string entry = "run";
  /// Shapes of inputs, each as "NAME=[2,?,3]". They replace dims that the model leaves open.
  std::vector<std::string> shapes = {};
  /// What the operands of products of f32 are rounded to: "f32" (nothing) or "bf16".
  std::string precision = "f32";
  /// What weights of f32 are rounded to: "f32" (nothing), "bf16" or "int8".
  std::string weights_precision = "f32";
  /// A folder in which compiled Modules are kept. A model that was compiled before, with the same settings, for the
  /// same CPU and by the same build of this library, is taken from there. Several processes may use a folder at once.
  /// Empty: none. Whoever can write to it can run code in this process.
  std::string cache_dir = {};
  /// Add the lines of the model's layers to a Product, for debuggers and profilers. The code stays the same.
  bool debug_info = false;
  /// Measure the time of each layer in the calls (Module::profile_reader). It needs one entry and one CPU.
  bool profile = false;
  /// Let a call end with RECUR_E_NAN as soon as an input or the result of a layer has a NaN.
  bool check_nan = false;
  /// Gets warnings and remarks about the model, in the form of errors, when a compilation has succeeded.
  std::function<void(std::string_view text)> report = nullptr;
  /// Gets what each pass has decided about each layer, in the order of the passes, when a compilation has succeeded. A
  /// model with `remark` is compiled even if `cache_dir` has it, and is not kept there.
  std::function<void(const CompileRemark &remark)> remark = nullptr;
  /// Which remarks there are, as `ir-compile --remarks`: "all" (as an empty text), "passed", "missed", "analysis", or a
  /// regular expression of passes.
  std::string remark_filter = {};
  /// Called on the calling thread before each step of the compilation: its name, the number of steps before it, and
  /// that of all steps, which is an estimate until all passes have run. The last call has the name "done" and all
  /// steps. If an earlier one returns false, the compilation ends with an error as soon as it can. It must not throw.
  std::function<bool(std::string_view step, unsigned done, unsigned steps)> progress = nullptr;
};

/// A model in this process, ready to run. Copies share the code, which lives as long as one of them. An instance, and
/// whatever NAME_info returns, must not outlive it.
class RECUR_API Module {
public:
  /// The functions of the model, for recur::Model or for direct calls (docs/ABI.md).
  const recur_entry_points &entry_points() const noexcept;
  /// The static description of the model.
  const recur_info &info() const noexcept { return *entry_points().info(); }
  std::span<const recur_tensor_info> inputs() const noexcept { return list(info().inputs, info().num_inputs); }
  std::span<const recur_tensor_info> outputs() const noexcept { return list(info().outputs, info().num_outputs); }
  std::span<const recur_tensor_info> states() const noexcept { return list(info().states, info().num_states); }
  /// What a call computes: "run" or "step", as Settings::entry.
  std::string_view entry() const noexcept;
  /// Reads what an instance has measured, through recur::Model::profile. Null if the model was compiled without a
  /// profile.
  recur_profile_reader profile_reader() const noexcept;
  /// The code and the weights as bytes, from which try_deserialize makes the same model.
  std::string serialize() const;

  /// The code of a module, in the library.
  class Code;
  explicit Module(std::shared_ptr<const Code> code) noexcept;

private:
  static std::span<const recur_tensor_info> list(const recur_tensor_info *infos, int32_t count) noexcept {
    return {infos, static_cast<size_t>(count)};
  }
  std::shared_ptr<const Code> code_;
};

/// Compiles a model into this process.
RECUR_API Outcome<Module> try_compile(const Source &source, const Settings &settings = {});

/// Makes a Module from bytes of Module::serialize, or from those of a shared library that has one model. They are code,
/// so they must come from where a program may come from. Bytes of `serialize` that were damaged are an error. The CPU
/// may be another one: then NAME_init says whether it suffices (RECUR_E_CPU). `entry` is that of try_load.
RECUR_API Outcome<Module> try_deserialize(std::string_view bytes, std::string_view entry = {});

/// Loads a shared library that has one model. `entry` says which of its functions the Module has: those of "run" or of
/// "step". If it is empty, they are those of "run" if the library has them, and otherwise those of "step".
RECUR_API Outcome<Module> try_load(const std::string &path, std::string_view entry = {});

/// What a compilation for other programs makes.
enum class ProductKind { object, static_library, shared_library };

/// A compiled model for other programs.
struct Product {
  /// The object, the archive or the shared library.
  std::string bytes;
  /// The text of its C header.
  std::string header;
};

/// Compiles a model to a product in memory. A shared library is linked by the C compiler of the system ($CC or cc), and
/// is found by programs as lib<name>.so.
RECUR_API Outcome<Product> try_build(const Source &source, ProductKind kind, const Settings &settings = {});

/// Compiles a model and writes the product to the file `path`, and its C header to `header_path`, unless that is empty.
/// Each is written whole or not at all, and neither may be a file that is read.
RECUR_API Outcome<void> try_aot(const Source &source, ProductKind kind, const std::string &path,
                                const std::string &header_path = {}, const Settings &settings = {});

/// The version of the library, as "1.0.0".
RECUR_API const char *version() noexcept;

#ifdef __cpp_exceptions
namespace library_detail {
template <class T>
T value_or_throw(Outcome<T> outcome) {
  if (!outcome)
    throw outcome.error();
  if constexpr (!std::is_void_v<T>)
    return std::move(*outcome);
}
} // namespace library_detail

inline Module compile(const Source &source, const Settings &settings = {}) {
  return library_detail::value_or_throw(try_compile(source, settings));
}
inline Module deserialize(std::string_view bytes, std::string_view entry = {}) {
  return library_detail::value_or_throw(try_deserialize(bytes, entry));
}
inline Module load(const std::string &path, std::string_view entry = {}) {
  return library_detail::value_or_throw(try_load(path, entry));
}
inline Product build(const Source &source, ProductKind kind, const Settings &settings = {}) {
  return library_detail::value_or_throw(try_build(source, kind, settings));
}
inline void aot(const Source &source, ProductKind kind, const std::string &path, const std::string &header_path = {},
                const Settings &settings = {}) {
  library_detail::value_or_throw(try_aot(source, kind, path, header_path, settings));
}
#endif

} // namespace library_v1
} // namespace recur

#endif // RECUR_COMPILER_HPP
