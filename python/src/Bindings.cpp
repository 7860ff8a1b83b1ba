// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bindings.cpp - the native part of the Python package ---------------===//
//
// Arrays of Python become tensors of a model without a copy, and the tensors that a model writes become numpy arrays.
// The package recur (python/recur) wraps this: it reads other kinds of models, and finds tensors by name.
//
//===----------------------------------------------------------------------===//
#include "recur_compiler.hpp"

#include "recur.hpp"
#include "recur_gang.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <unistd.h>

namespace nb = nanobind;

namespace {

/// An array in the memory of the CPU, dense and row-major. Other arrays are copied into one.
using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Calls `function` with a null pointer to the C++ type of an element type of Recur.
template <class Function>
auto withElementType(int32_t type, Function function) {
  switch (type) {
  case RECUR_BOOLEAN:
    return function(static_cast<bool *>(nullptr));
  case RECUR_I8:
    return function(static_cast<int8_t *>(nullptr));
  case RECUR_I16:
    return function(static_cast<int16_t *>(nullptr));
  case RECUR_I32:
    return function(static_cast<int32_t *>(nullptr));
  case RECUR_I64:
    return function(static_cast<int64_t *>(nullptr));
  case RECUR_U8:
    return function(static_cast<uint8_t *>(nullptr));
  case RECUR_U16:
    return function(static_cast<uint16_t *>(nullptr));
  case RECUR_U32:
    return function(static_cast<uint32_t *>(nullptr));
  case RECUR_U64:
    return function(static_cast<uint64_t *>(nullptr));
  case RECUR_F16:
    return function(static_cast<recur::f16 *>(nullptr));
  case RECUR_BF16:
    return function(static_cast<recur::bf16 *>(nullptr));
  case RECUR_F64:
    return function(static_cast<double *>(nullptr));
  default:
    return function(static_cast<float *>(nullptr));
  }
}

/// The type of an array in which numpy shows elements. It has no bf16, and gets the bits.
nb::dlpack::dtype toNumpyType(int32_t type) {
  using Code = nb::dlpack::dtype_code;
  auto make = [](Code code, size_t bytes) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(8 * bytes), 1};
  };
  return withElementType(type, [&]<class T>(T *) {
    if constexpr (std::is_same_v<T, bool>)
      return make(Code::Bool, sizeof(T));
    else if constexpr (std::is_same_v<T, recur::f16> || std::is_floating_point_v<T>)
      return make(Code::Float, sizeof(T));
    else if constexpr (std::is_same_v<T, recur::bf16> || std::is_unsigned_v<T>)
      return make(Code::UInt, sizeof(T));
    else
      return make(Code::Int, sizeof(T));
  });
}

/// The element type of an array that is given for a tensor, or 0 if Recur has none for it. An array of u16 may hold the
/// bits of bf16.
int32_t getElementType(const Array &array, const recur_tensor_info &info) {
  nb::dlpack::dtype type = array.dtype();
  if (info.element_type == RECUR_BF16 && type == nb::dtype<uint16_t>())
    return RECUR_BF16;
  if (type == nb::dlpack::dtype{static_cast<uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1})
    return RECUR_BF16;
  for (int32_t candidate = RECUR_BOOLEAN; candidate <= RECUR_F64; ++candidate)
    if (candidate != RECUR_BF16 && type == toNumpyType(candidate))
      return candidate;
  return 0;
}

/// What a model reads for `info`. It points to the elements of the array.
recur::Input toInput(const Array &array, const recur_tensor_info &info) {
  int32_t type = getElementType(array, info);
  if (!type)
    throw nb::type_error(("expected " + std::string(recur::element_type_name(info.element_type)) + " elements for '" +
                          info.name + "', but got an array of another kind")
                             .c_str());
  std::vector<int64_t> shape(array.ndim());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = array.shape(axis);
  return withElementType(type, [&]<class T>(T *) {
    return recur::Input(std::span<const T>(static_cast<const T *>(array.data()), array.size()), shape);
  });
}

/// Makes a numpy array that owns a block of recur::detail::Block.
nb::object toNumpy(void *data, std::span<const int64_t> dims, int32_t type) {
  nb::capsule owner(data, [](void *block) noexcept { recur::detail::Block::release(block); });
  std::vector<size_t> shape(dims.begin(), dims.end());
  return nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, toNumpyType(type)).cast();
}

size_t countBytes(std::span<const int64_t> dims, int32_t type) {
  size_t bytes = withElementType(type, []<class T>(T *) { return sizeof(T); });
  for (int64_t dim : dims)
    bytes *= static_cast<size_t>(dim);
  return bytes;
}

/// A tensor that a model has written, on its way to Python.
struct Written {
  ~Written() { recur::detail::Block::release(data); }
  Written() = default;
  Written(Written &&other) noexcept
      : data(std::exchange(other.data, nullptr)), dims(std::move(other.dims)), type(other.type) {}

  nb::object toNumpy() { return ::toNumpy(std::exchange(data, nullptr), dims, type); }
  /// Takes memory for the dims, which must be known. Returns what is given to a model.
  recur::Output allocate() {
    size_t bytes = countBytes(dims, type);
    data = recur::detail::Block::allocate(bytes ? bytes : 1);
    if (!data)
      throw std::bad_alloc();
    return withElementType(
        type, [&]<class T>(T *) { return recur::Output(std::span<T>(static_cast<T *>(data), bytes / sizeof(T))); });
  }
  template <class T>
  void copy(const recur::View<const T> &view) {
    dims.assign(view.shape.begin(), view.shape.end());
    allocate();
    std::copy(view.begin(), view.end(), static_cast<T *>(data));
  }

  void *data = nullptr;
  std::vector<int64_t> dims;
  int32_t type = 0;
};

/// Why a call was stopped, as bits of the number that the model reads.
enum : int32_t { kCancelled = 1, kInterrupted = 2 };

/// The number by which one call is stopped.
class Stop {
public:
  // Only the main thread of Python handles signals. A handler may make a call while another one waits for it; then the
  // inner call is not stopped by signals.
  Stop() : isOfMain(getpid() == gettid() && !mainIsBusy), number(isOfMain ? &numberOfMain : &own) {
    if (!isOfMain)
      return;
    mainIsBusy = true;
    std::atomic_ref(*number).store(0);
  }
  ~Stop() {
    if (isOfMain)
      mainIsBusy = false;
  }
  Stop(const Stop &) = delete;
  Stop &operator=(const Stop &) = delete;

  const volatile int32_t *get() const { return number; }
  void cancel() { std::atomic_ref(*number).fetch_or(kCancelled); }
  bool isCancelled() const { return std::atomic_ref(*number).load() & kCancelled; }
  void forgetSignal() { std::atomic_ref(*number).fetch_and(~kInterrupted); }

  /// While it lives, Ctrl-C (SIGINT) stops the call too, if the call is one of the main thread. Python only notes the
  /// signal then; it calls its handler later. If that handler sets another one, it stays.
  class Watch {
  public:
    explicit Watch(const Stop &stop) {
      if (!stop.isOfMain)
        return;
      sigaction(SIGINT, nullptr, &previous);
      if (!(previous.sa_flags & SA_SIGINFO) && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN))
        return;
      struct sigaction action = previous;
      action.sa_flags |= SA_SIGINFO;
      action.sa_sigaction = interrupt;
      isInstalled = sigaction(SIGINT, &action, nullptr) == 0;
    }
    ~Watch() {
      struct sigaction present;
      if (isInstalled && sigaction(SIGINT, nullptr, &present) == 0 && present.sa_sigaction == interrupt)
        sigaction(SIGINT, &previous, nullptr);
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    static void interrupt(int signal, siginfo_t *info, void *context) {
      std::atomic_ref(numberOfMain).fetch_or(kInterrupted);
      if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(signal, info, context);
      else
        previous.sa_handler(signal);
    }

    static inline struct sigaction previous;
    bool isInstalled = false;
  };

private:
  static inline bool mainIsBusy = false;
  // A handler may still run on another thread when the call has returned, so it writes to memory that stays.
  static inline int32_t numberOfMain = 0;
  int32_t own = 0;
  bool isOfMain;
  int32_t *number;
};

/// A compiled model with the instances that run it. A model without states has one for each thread that is in a call; a
/// model with states has one, and calls wait for each other.
class Module {
  /// Calls `function` with the instance of a model with states. The lock of Python must be held: it is let go while
  /// another call has the instance.
  template <class Function>
  auto withInstance(Function function) {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return function(*idle.front());
  }

public:
  Module(recur::Module code, int32_t count) : code(std::move(code)), count(count) {
    if (count < 1)
      throw nb::value_error("expected at least one thread");
    if (count > 1)
      threads = std::make_unique<recur::Threads>(count);
    idle.push_back(makeInstance());
  }

  const recur::Module &getCode() const { return code; }
  int32_t countThreads() const { return count; }
  bool hasStates() const { return !code.states().empty(); }

  nb::list run(const std::vector<Array> &arrays, int64_t maxIterations, int64_t maxBytes) {
    std::span<const recur_tensor_info> inputs = code.inputs();
    if (arrays.size() != inputs.size())
      throw nb::type_error(
          ("expected " + std::to_string(inputs.size()) + " inputs, but got " + std::to_string(arrays.size())).c_str());
    std::vector<recur::Input> values;
    values.reserve(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i)
      values.push_back(toInput(arrays[i], inputs[i]));
    std::vector<Written> results;
    Stop stop;
    Registration registration(*this, stop);
    // If a signal has stopped the call, and its handler raises nothing, the call begins again.
    for (bool isDone = false; !isDone;) {
      Stop::Watch watch(stop);
      stop.forgetSignal();
      // Python alone has noted a signal that came before the watch. One that comes from now on stops the call.
      if (PyErr_CheckSignals() != 0)
        nb::raise_python_error();
      isDone = runOnce(values, {maxIterations, maxBytes, stop.get()}, stop, results);
    }
    nb::list list;
    for (Written &result : results)
      list.append(result.toNumpy());
    return list;
  }

  /// Stops the calls that other threads make now.
  void cancel() {
    std::lock_guard lock(stopsMutex);
    for (Stop *stop : stops)
      stop->cancel();
  }

  std::optional<nb::object> getState(int32_t index) {
    const recur_tensor_info &info = code.states()[static_cast<size_t>(index)];
    Written value;
    value.type = info.element_type;
    bool isSet = withInstance([&](recur::Model &model) {
      return withElementType(info.element_type, [&]<class T>(T *) {
        auto view = model.state<T>(index);
        if (view)
          value.copy(*view);
        return view.has_value();
      });
    });
    return isSet ? std::optional(value.toNumpy()) : std::nullopt;
  }

  void setState(int32_t index, const Array &array) {
    recur::Input value = toInput(array, code.states()[static_cast<size_t>(index)]);
    withInstance([&](recur::Model &model) { model.set_state(index, value); });
  }

  void resetState(int32_t index) {
    withInstance([&](recur::Model &model) { model.reset_state(index); });
  }

  void reset() {
    withInstance([&](recur::Model &model) { model.reset(); });
  }

  /// The rows of the profile as (layers, loop, calls, ticks): the sums of the instances that no call has.
  nb::list getProfile() {
    std::vector<recur_profile_row> sums;
    if (recur_profile_reader read = code.profile_reader()) {
      nb::gil_scoped_release release;
      std::lock_guard lock(mutex);
      for (const std::unique_ptr<recur::Model> &model : idle) {
        std::vector<recur_profile_row> rows(model->profile(read, {}));
        model->profile(read, rows);
        for (size_t i = 0; i < sums.size(); ++i) {
          rows[i].calls += sums[i].calls;
          rows[i].ticks += sums[i].ticks;
        }
        sums = std::move(rows);
      }
    }
    nb::list list;
    for (const recur_profile_row &row : sums)
      list.append(nb::make_tuple(row.layers, row.loop, row.calls, row.ticks));
    return list;
  }

private:
  std::unique_ptr<recur::Model> makeInstance() {
    recur::Gang gang = threads ? threads->gang() : recur::Gang();
    return std::make_unique<recur::Model>(code.entry_points(), recur::make_config(gang));
  }

  /// Shows the call of a thread to `cancel`.
  struct Registration {
    Registration(Module &module, Stop &stop) : module(module), stop(&stop) {
      std::lock_guard lock(module.stopsMutex);
      module.stops.push_back(&stop);
    }
    ~Registration() {
      std::lock_guard lock(module.stopsMutex);
      module.stops.erase(std::find(module.stops.begin(), module.stops.end(), stop));
    }
    Module &module;
    Stop *stop;
  };

  /// Runs the model without the lock of Python. Returns false if a signal has stopped it.
  bool runOnce(const std::vector<recur::Input> &values, const recur::Limits &limits, const Stop &stop,
               std::vector<Written> &results) {
    nb::gil_scoped_release release;
    try {
      results = runWithoutLock(values, limits);
      return true;
    } catch (const recur::Error &error) {
      if (error.status() != RECUR_E_CANCELLED || stop.isCancelled())
        throw;
      return false;
    }
  }

  std::vector<Written> runWithoutLock(const std::vector<recur::Input> &values, const recur::Limits &limits) {
    std::unique_lock lock(mutex);
    if (hasStates())
      return runInstance(*idle.front(), values, limits);
    std::unique_ptr<recur::Model> model;
    if (!idle.empty()) {
      model = std::move(idle.back());
      idle.pop_back();
    }
    lock.unlock();
    if (!model)
      model = makeInstance();
    // An instance whose call has failed is as good as before.
    struct Return {
      ~Return() {
        std::lock_guard lock(owner.mutex);
        owner.idle.push_back(std::move(model));
      }
      Module &owner;
      std::unique_ptr<recur::Model> &model;
    } end{*this, model};
    return runInstance(*model, values, limits);
  }

  std::vector<Written> runInstance(recur::Model &model, const std::vector<recur::Input> &values,
                                   const recur::Limits &limits) {
    for (size_t i = 0; i < values.size(); ++i)
      model.bind(i, values[i]);
    std::span<const recur_tensor_info> outputs = code.outputs();
    auto isStatic = [](const recur_tensor_info &info) {
      return std::find(info.dims, info.dims + info.rank, -1) == info.dims + info.rank;
    };
    if (!std::all_of(outputs.begin(), outputs.end(), isStatic))
      model.query();
    std::vector<Written> results(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      Written &result = results[i];
      const recur_tensor_info &info = outputs[i];
      std::span<const int64_t> dims =
          isStatic(info) ? std::span(info.dims, static_cast<size_t>(info.rank)) : model.shape(i);
      result.type = info.element_type;
      result.dims.assign(dims.begin(), dims.end());
      bool isKnown = std::find(dims.begin(), dims.end(), -1) == dims.end();
      // The computation decides the other dims.
      model.bind_output(i, isKnown ? result.allocate() : recur::Output());
    }
    model.run(limits);
    for (size_t i = 0; i < outputs.size(); ++i)
      withElementType(results[i].type, [&]<class T>(T *) {
        recur::View<const T> view = model.output<T>(i);
        if (!results[i].data)
          results[i].copy(view);
        else
          results[i].dims.assign(view.shape.begin(), view.shape.end());
      });
    return results;
  }

  recur::Module code;
  int32_t count;
  /// Null for one thread. They end after the instances.
  std::unique_ptr<recur::Threads> threads;
  std::mutex mutex;
  /// The instances that no call has.
  std::vector<std::unique_ptr<recur::Model>> idle;
  std::mutex stopsMutex;
  /// Those of the calls that are made now.
  std::vector<Stop *> stops;
};

/// What Python says about a compilation.
struct Request {
  recur::Source source;
  recur::Settings settings;
  /// Keep the bytes that `source` shows.
  nb::object text, weights;
  /// Called with the step, its number and the number of steps.
  nb::object progress;
  /// Called with the text of warnings.
  nb::object report;
  /// Called with each remark: its file, line, column, layer, pass, kind and text.
  nb::object remark;
};

/// The least time between two looks for a signal. The lock of Python, which they need, may take a while.
constexpr std::chrono::milliseconds kSignalInterval(50);

/// Runs `compile` without the lock of Python. An exception of a callback, or of a signal such as Ctrl-C, ends the
/// compilation.
template <class Function>
auto runRequest(Request &request, Function compile) {
  std::exception_ptr raised;
  std::string warnings;
  std::vector<recur::CompileRemark> remarks;
  auto next = std::chrono::steady_clock::now() + kSignalInterval;
  request.settings.progress = [&, isWatched = !request.progress.is_none()](std::string_view step, unsigned done,
                                                                           unsigned steps) {
    auto now = std::chrono::steady_clock::now();
    if (!isWatched && now < next)
      return true;
    next = now + kSignalInterval;
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0)
        nb::raise_python_error();
      if (!isWatched)
        return true;
      nb::object answer = request.progress(nb::str(step.data(), step.size()), done, steps);
      return !(answer.is(nb::bool_(false)));
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  };
  request.settings.report = [&](std::string_view text) { warnings += text; };
  if (!request.remark.is_none())
    request.settings.remark = [&](const recur::CompileRemark &remark) { remarks.push_back(remark); };
  auto outcome = [&] {
    nb::gil_scoped_release release;
    return compile();
  }();
  if (raised)
    std::rethrow_exception(raised);
  if (!outcome)
    throw outcome.error();
  if (!request.report.is_none() && !warnings.empty())
    request.report(nb::str(warnings.data(), warnings.size()));
  for (const recur::CompileRemark &remark : remarks)
    request.remark(remark.file, remark.line, remark.column, remark.layer, remark.pass, remark.kind, remark.text);
  return outcome;
}

std::string_view view(const nb::bytes &bytes) { return {bytes.c_str(), bytes.size()}; }

/// Makes a list of (name, element type, dims) of tensors. A dim is -1 if it is dynamic.
nb::list describe(std::span<const recur_tensor_info> infos) {
  nb::list list;
  for (const recur_tensor_info &info : infos) {
    nb::list dims;
    for (int32_t axis = 0; axis < info.rank; ++axis)
      dims.append(info.dims[axis]);
    list.append(nb::make_tuple(info.name, recur::element_type_name(info.element_type), nb::tuple(dims)));
  }
  return list;
}

template <class T>
T takeOrThrow(recur::Outcome<T> outcome) {
  if (!outcome)
    throw outcome.error();
  return std::move(*outcome);
}

} // namespace

NB_MODULE(_recur, m) {
  m.doc() = "The native part of recur.";
  m.attr("__version__") = recur::version();

  // The classes of exceptions are those of recur/errors.py.
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const recur::CompileError &error) {
      nb::object type = nb::module_::import_("recur.errors").attr("CompileError");
      PyErr_SetString(type.ptr(), error.what());
    } catch (const recur::Error &error) {
      nb::object type = nb::module_::import_("recur.errors").attr("CallError");
      PyErr_SetObject(type.ptr(), nb::make_tuple(error.what(), error.status()).ptr());
    }
  });

  nb::class_<Request>(m, "Request")
      .def(
          "__init__",
          [](Request *self, std::string path, std::string weightsPath, nb::object text, nb::object weights,
             std::string name, std::string entry, std::vector<std::string> shapes, std::string cpu,
             std::string features, std::vector<std::string> targets, std::string triple, unsigned level,
             std::string precision, std::string weightsPrecision, bool checkNaN, bool profile, bool debugInfo,
             std::string cacheDir, nb::object progress, nb::object report, nb::object remark,
             std::string remarkFilter) {
            new (self) Request{{std::move(path), std::move(weightsPath)}, {}, text, weights, progress, report, remark};
            if (nb::bytes bytes; nb::try_cast(text, bytes)) {
              self->source.text = view(bytes);
              if (nb::bytes other; nb::try_cast(weights, other))
                self->source.weights = std::as_bytes(std::span(view(other)));
            }
            recur::Settings &settings = self->settings;
            settings.name = std::move(name);
            settings.entry = std::move(entry);
            settings.shapes = std::move(shapes);
            settings.cpu = std::move(cpu);
            settings.features = std::move(features);
            settings.targets = std::move(targets);
            settings.triple = std::move(triple);
            settings.level = level;
            settings.precision = std::move(precision);
            settings.weights_precision = std::move(weightsPrecision);
            settings.check_nan = checkNaN;
            settings.profile = profile;
            settings.debug_info = debugInfo;
            settings.cache_dir = std::move(cacheDir);
            settings.remark_filter = std::move(remarkFilter);
          },
          nb::kw_only(), nb::arg("path"), nb::arg("weights_path"), nb::arg("text").none(), nb::arg("weights").none(),
          nb::arg("name"), nb::arg("entry"), nb::arg("shapes"), nb::arg("cpu"), nb::arg("features"), nb::arg("targets"),
          nb::arg("triple"), nb::arg("level"), nb::arg("precision"), nb::arg("weights_precision"), nb::arg("check_nan"),
          nb::arg("profile"), nb::arg("debug_info"), nb::arg("cache_dir"), nb::arg("progress").none(),
          nb::arg("report").none(), nb::arg("remark").none(), nb::arg("remark_filter"))
      .def(
          "compile",
          [](Request &self, int32_t threads) {
            auto outcome = runRequest(self, [&] { return recur::try_compile(self.source, self.settings); });
            return new Module(*outcome, threads);
          },
          nb::arg("threads"))
      .def(
          "aot",
          [](Request &self, const std::string &kind, const std::string &path, const std::string &header) {
            recur::ProductKind product = kind == "object"           ? recur::ProductKind::object
                                         : kind == "static_library" ? recur::ProductKind::static_library
                                                                    : recur::ProductKind::shared_library;
            (void)runRequest(self, [&] { return recur::try_aot(self.source, product, path, header, self.settings); });
          },
          nb::arg("kind"), nb::arg("path"), nb::arg("header"));

  nb::class_<Module>(m, "Module")
      .def("run", &Module::run, nb::arg("inputs"), nb::arg("max_iterations"), nb::arg("max_bytes"))
      .def("cancel", &Module::cancel)
      .def("instance", [](const Module &self) { return new Module(self.getCode(), self.countThreads()); })
      .def("serialize",
           [](const Module &self) {
             std::string bytes = self.getCode().serialize();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("profile", &Module::getProfile)
      .def("get_state", &Module::getState, nb::arg("index"))
      .def("set_state", &Module::setState, nb::arg("index"), nb::arg("value"))
      .def("reset_state", &Module::resetState, nb::arg("index"))
      .def("reset", &Module::reset)
      .def_prop_ro("threads", &Module::countThreads)
      .def_prop_ro("entry", [](const Module &self) { return self.getCode().entry(); })
      .def_prop_ro("name", [](const Module &self) { return self.getCode().info().name; })
      .def_prop_ro("cpu", [](const Module &self) { return self.getCode().info().cpu; })
      .def_prop_ro("inputs", [](const Module &self) { return describe(self.getCode().inputs()); })
      .def_prop_ro("outputs", [](const Module &self) { return describe(self.getCode().outputs()); })
      .def_prop_ro("states", [](const Module &self) { return describe(self.getCode().states()); });

  m.def(
      "load",
      [](const std::string &path, const std::string &entry, int32_t threads) {
        return new Module(takeOrThrow([&] {
                            nb::gil_scoped_release release;
                            return recur::try_load(path, entry);
                          }()),
                          threads);
      },
      nb::arg("path"), nb::arg("entry"), nb::arg("threads"));
  m.def(
      "deserialize",
      [](const nb::bytes &bytes, const std::string &entry, int32_t threads) {
        return new Module(takeOrThrow([&] {
                            std::string_view text = view(bytes);
                            nb::gil_scoped_release release;
                            return recur::try_deserialize(text, entry);
                          }()),
                          threads);
      },
      nb::arg("bytes"), nb::arg("entry"), nb::arg("threads"));
}
