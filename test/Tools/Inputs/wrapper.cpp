// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- wrapper.cpp - recur.hpp on models of several kinds -----------------===//
//
// Called in the folder of examples/lstm-example2. It prints what a caller sees; wrapper.test has the expected lines,
// which are the same with and without exceptions.
//
//===----------------------------------------------------------------------===//
#include "endless.h"
#include "limited.h"
#include "lstm.h"
#include "places.h"
#include "rows.h"
#include "states.h"

#include "recur.hpp"
#if __cplusplus >= 201709L
#include "recur_gang.hpp"
#endif

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

/// The data of a .npy file that numpy made: 128 bytes of header.
static std::vector<float> load(const char *path, size_t count) {
  std::vector<float> data(count);
  std::ifstream file(path, std::ios::binary);
  file.seekg(128);
  file.read(reinterpret_cast<char *>(data.data()), static_cast<std::streamsize>(count * sizeof(float)));
  if (!file)
    std::abort();
  return data;
}

template <class T>
static void printError(const char *what, const recur::Result<T> &result) {
  if (result.has_value())
    std::printf("%s: no error\n", what);
  else
    std::printf("%s: %d %s\n", what, static_cast<int>(result.error().status()), result.error().what());
}

/// Prints the message of an error that has this status.
template <class T>
static void expectError(recur_status status, const char *what, const recur::Result<T> &result) {
  if (result.has_value() || result.error().status() != status)
    printError("another status", result);
  else
    std::printf("%s: %s\n", what, result.error().what());
}

template <class T>
static void print(const char *what, const recur::Result<recur::View<const T>> &result) {
  if (!result.has_value())
    return printError(what, result);
  std::printf("%s: [", what);
  for (int64_t dim : result->shape)
    std::printf(" %d", static_cast<int>(dim));
  std::printf(" ]");
  for (T value : *result)
    std::printf(" %g", static_cast<double>(value));
  std::printf("\n");
}

/// A Model, or the end of the program.
static recur::Model make(const recur_entry_points &functions, const recur_config &config = recur::make_config()) {
  recur::Result<recur::Model> model = recur::Model::try_make(functions, config);
  if (!model) {
    printError("make", model);
    std::abort();
  }
  return std::move(*model);
}

static float distance(recur::Span<const float> a, recur::Span<const float> b) {
  float most = a.size() == b.size() ? 0 : std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

static void useStaticModel() {
  std::vector<float> x = load("in_0.npy", 25 * 512), h = load("in_1.npy", 256), c = load("in_2.npy", 256);
  std::vector<float> expected = load("out_0.npy", 25 * 256);

  recur::Model lstm = make(lstm_entry_points());
  expectError(RECUR_E_NULL, "not bound", lstm.try_run());
  expectError(RECUR_E_NULL, "no value", lstm.try_output<float>(0));
  printError("run", lstm.try_run({x, h, c}));
  recur::Result<recur::View<const float>> y = lstm.try_output<float>(lstm.info().outputs[0].name);
  std::printf("lstm: %d %d, %s\n", static_cast<int>(y->shape.size()), static_cast<int>(y->size()),
              distance(*y, expected) < 1e-4f ? "as expected" : "another answer");

  /* With shapes, by name, into memory of the caller. */
  std::array<float, 25 * 256> given{};
  printError("bind", lstm.try_bind("in_0", {x, {1, 25, x.size() / 25}}));
  printError("bind output", lstm.try_bind_output(0, given));
  printError("run", lstm.try_run());
  std::printf("given: %s\n", distance(given, expected) < 1e-4f ? "as expected" : "another answer");
  printError("bind output", lstm.try_bind_output(0, recur::Span<float>(given.data(), 8)));
  expectError(RECUR_E_CAPACITY, "small output", lstm.try_run());
  std::vector<int32_t> integers(25 * 256);
  printError("bind output", lstm.try_bind_output(0, integers));
  expectError(RECUR_E_DTYPE, "integers", lstm.try_run());
  printError("bind output", lstm.try_bind_output(0, x));
  expectError(RECUR_E_ALIAS, "alias", lstm.try_run());
  printError("bind output", lstm.try_bind_output(0, recur::Output()));

  std::vector<double> doubles(25 * 512);
  expectError(RECUR_E_DTYPE, "element type", lstm.try_run({doubles, h, c}));
  expectError(RECUR_E_SHAPE, "rank", lstm.try_run({{x, {25, 512}}, h, c}));
  expectError(RECUR_E_SHAPE, "dim", lstm.try_run({{x, {1, 512, 25}}, h, c}));
  expectError(RECUR_E_SHAPE, "elements", lstm.try_run({x, x, c}));
  expectError(RECUR_E_SHAPE, "elements of the shape", lstm.try_run({{x, {1, 25, 511}}, h, c}));
  expectError(RECUR_E_SHAPE, "negative", lstm.try_run({{x, {-1, 25, 512}}, h, c}));
  expectError(RECUR_E_SHAPE, "great rank", lstm.try_run({{x, std::vector<int64_t>(17, 1)}, h, c}));
  expectError(RECUR_E_SHAPE, "count", lstm.try_run({x, h}));
  expectError(RECUR_E_SHAPE, "name", lstm.try_bind("in_9", x));
  expectError(RECUR_E_SHAPE, "index", lstm.try_bind(-7, x));
  expectError(RECUR_E_NULL, "no value", lstm.try_output<float>(0));
  printError("run", lstm.try_run({x, h, c}));
  expectError(RECUR_E_DTYPE, "type of the output", lstm.try_output<double>(0));
  expectError(RECUR_E_SHAPE, "no output", lstm.try_output<float>(std::string("out")));

  /* A moved model, and views of before. */
  recur::View<const float> before = *lstm.try_output<float>(0);
  recur::Model moved = std::move(lstm);
  std::printf("moved: %s\n", distance(before, expected) < 1e-4f && moved.try_run({x, h, c}) ? "good" : "bad");

#if __cplusplus >= 201709L
  recur::Threads threads(3);
  recur_config config = recur::make_config(threads.gang());
#else
  recur_config config = recur::make_config();
#endif
  std::vector<float> alone(moved.try_output<float>(0)->begin(), moved.try_output<float>(0)->end());
  recur::Model helped = make(lstm_entry_points(), config);
  bool same = true;
  for (int call = 0; call < 20; ++call)
    same = same && helped.try_run({x, h, c}) && distance(*helped.try_output<float>(0), alone) == 0;
  std::printf("threads: %s\n", same ? "same" : "other numbers");

  recur_config flags = recur::make_config({}, 1);
  expectError(RECUR_E_VERSION, "flags", recur::Model::try_make(lstm_entry_points(), flags));
  alignas(64) std::array<recur::Byte, 64> weights{};
  expectError(RECUR_E_WEIGHTS, "weights",
              recur::Model::try_make(lstm_entry_points(), recur::make_config({}, 0, weights)));
}

static void useDynamicModel() {
  recur::Model rows = make(rows_entry_points());
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> at = {1, 0, 1};
  printError("run", rows.try_run({x, at}));
  print("rows", rows.try_output<float>("y"));
  at.resize(1);
  printError("run", rows.try_run({{x, {2, 3}}, at}));
  print("rows", rows.try_output<float>("y"));
  printError("run", rows.try_run({x, recur::Span<int64_t>()}));
  print("rows", rows.try_output<float>("y"));
  at = {0, 2};
  expectError(RECUR_E_INDEX, "index", rows.try_run({x, at}));
  print("rows", rows.try_output<float>("y"));
  printError("bind", rows.try_bind("at", at));
  printError("query", rows.try_query());
  std::printf("shape: %d x %d\n", static_cast<int>(rows.shape(0)[0]), static_cast<int>(rows.shape(0)[1]));
  expectError(RECUR_E_SHAPE, "elements", rows.try_run({recur::Span<const float>(x.data(), 5), at}));

#ifdef __cpp_lib_mdspan
  at = {1};
  std::mdspan<const float, std::dextents<size_t, 2>> matrix(x.data(), 2, 3);
  bool good = rows.try_run({matrix, at}).has_value();
  auto y = rows.try_output<float>(0)->try_mdspan<2>();
  good = good && y && y->extent(0) == 1 && (*y)[0, 2] == 6;
  auto other = rows.try_output<float>(0)->try_mdspan<3>();
  if (!good || other || other.error().status() != RECUR_E_SHAPE)
    std::printf("mdspan: another answer\n");
#ifdef __cpp_exceptions
  if (rows.output<float>(0).mdspan<2>().extent(1) != 3)
    std::printf("mdspan: another dim\n");
#endif
#elif defined(NEEDS_MDSPAN)
#error "the standard library has no std::mdspan"
#endif
}

static void useModelOfUnknownSize() {
  recur::Model places = make(places_entry_points());
  std::array<int32_t, 4> x = {0, 7, 0, 9};
  printError("bind", places.try_bind(0, x));
  printError("query", places.try_query());
  std::printf("shape: %d x %d\n", static_cast<int>(places.shape(0)[0]), static_cast<int>(places.shape(0)[1]));
  printError("run", places.try_run());
  print("places", places.try_output<int64_t>("p"));
  x.fill(1);
  printError("run", places.try_run());
  print("places", places.try_output<int64_t>("p"));
  x.fill(0);
  printError("run", places.try_run());
  print("places", places.try_output<int64_t>("p"));
  x.fill(1);
  recur::Limits limits;
  limits.max_bytes = 8;
  expectError(RECUR_E_MEM_LIMIT, "limit", places.try_run(limits));
  print("places", places.try_output<int64_t>("p"));
  std::array<int64_t, 2> few{};
  printError("bind output", places.try_bind_output("p", few));
  expectError(RECUR_E_CAPACITY, "small output", places.try_run());
}

static void useStates() {
  recur::Model states = make(states_entry_points());
  std::array<float, 2> x = {1, 2};
  std::array<float, 1> row = {1};
  for (int call = 0; call < 20; ++call) {
    row[0] = static_cast<float>(call);
    recur::Result<void> run = states.try_run({x, row});
    if (!run)
      printError("run", run);
  }
  print("sum", states.try_output<float>(0));
  print("all", states.try_output<float>(1));
  std::printf("find: %d %d\n", static_cast<int>(states.find_state("kv")), static_cast<int>(states.find_state("k")));
  std::array<float, 3> kv = {7, 8, 9};
  printError("set", states.try_set_state("kv", kv));
  expectError(RECUR_E_SHAPE, "set", states.try_set_state("acc", kv));
  expectError(RECUR_E_SHAPE, "set", states.try_set_state("nothing", kv));
  printError("run", states.try_run());
  print("all", states.try_output<float>(1));
  auto value = states.try_state<float>("kv");
  if (value && *value)
    std::printf("kv: %d\n", static_cast<int>((**value).size()));
  expectError(RECUR_E_DTYPE, "type of the state", states.try_state<int32_t>("kv"));
  printError("reset", states.try_reset_state("kv"));
  std::printf("kv is %s\n", states.try_state<float>("kv")->has_value() ? "set" : "initial");
  std::printf("acc is %s\n", states.try_state<float>("acc")->has_value() ? "set" : "initial");
  states.reset();
  std::printf("acc is %s\n", states.try_state<float>("acc")->has_value() ? "set" : "initial");
  printError("reserve", states.try_reserve_state("kv", 4000));
  expectError(RECUR_E_SHAPE, "reserve", states.try_reserve_state("acc", 4000));
  printError("set", states.try_set_state("kv", std::vector<float>(500)));
  printError("small", states.try_reserve_state("kv", 400));
  expectError(RECUR_E_NOMEM, "no memory", states.try_reserve_state("kv", std::numeric_limits<size_t>::max()));
}

static void useLimits() {
  recur::Model limited = make(limited_entry_points());
  int64_t n = 5;
  printError("run", limited.try_run({recur::scalar(n)}));
  print("y", limited.try_output<int64_t>(0));
  recur::Limits four, cancelled;
  four.max_iterations = 4;
  expectError(RECUR_E_ITER_LIMIT, "iterations", limited.try_run({recur::scalar(n)}, four));
  n = -2;
  expectError(RECUR_E_TRIP, "trip", limited.try_run());
  recur::Model endless = make(endless_entry_points());
  int32_t cancel = 1;
  cancelled.cancel = &cancel;
  expectError(RECUR_E_CANCELLED, "cancel", endless.try_run({recur::scalar(n)}, cancelled));
}

#ifdef __cpp_exceptions
/// The forms that throw say the same as those that do not.
static bool throwsTheSame() {
  std::vector<float> x = {1, 2, 3}, more = {1, 2, 3, 4};
  std::vector<int64_t> at = {0};
  recur::Model rows(rows_entry_points());
  rows.run({x, at});
  recur::Span<const float> y = rows.output<float>("y");
  recur::Model states(states_entry_points());
  states.set_state("kv", x);
  states.reserve_state("kv", 100);
  bool kept = states.state<float>("kv")->size() == 3;
  states.reset_state("kv");
  rows.bind("x", x);
  rows.bind_output(0, more);
  rows.query();
  rows.run();
  try {
    rows.run({more, at});
    return false;
  } catch (const recur::Error &error) {
    recur::Result<void> result = rows.try_run({more, at});
    return kept && y.size() == 3 && error.status() == RECUR_E_SHAPE && !result &&
           std::string(error.what()) == result.error().what();
  }
}
#else
static bool throwsTheSame() { return true; }
#endif

int main() {
  useStaticModel();
  useDynamicModel();
  useModelOfUnknownSize();
  useStates();
  useLimits();
  std::printf("exceptions: %s\n", throwsTheSame() ? "same" : "other errors");
  return 0;
}
