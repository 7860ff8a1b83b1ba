// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OrderOfSumsTest.cpp - one order for the sums of a product ----------===//
//
// A row of a product is the same, bit for bit, whatever the number of rows is and whether it is known before the call:
// so batches, and calls of one time step, give what a single row gives. Products of one column are dot products, which
// are no part of it.
//
//===----------------------------------------------------------------------===//
#include "Recur/Library/recur_compiler.hpp"
#include "Recur/Target/recur.hpp"
#include "gtest/gtest.h"

#include <cstring>
#include <sstream>

using namespace recur;

namespace {

/// OpenVINO IR of a product of [rows, k] and weights [n, k]; `rows` is a number or "?".
std::string writeProduct(const std::string &rows, int64_t k, int64_t n) {
  std::string dynamic = rows == "?" ? "-1" : rows;
  auto port = [](int id, std::string first, int64_t second) {
    std::ostringstream text;
    text << "<port id='" << id << "' precision='FP32'><dim>" << first << "</dim><dim>" << second << "</dim></port>";
    return text.str();
  };
  std::ostringstream text;
  text << "<net name='product' version='11'><layers>"
       << "<layer id='0' name='x' type='Parameter' version='opset1'><data shape='" << rows << "," << k
       << "' element_type='f32'/><output>" << port(0, dynamic, k) << "</output></layer>"
       << "<layer id='1' name='w' type='Const' version='opset1'><data element_type='f32' shape='" << n << "," << k
       << "' offset='0' size='" << 4 * n * k << "'/><output>" << port(0, std::to_string(n), k) << "</output></layer>"
       << "<layer id='2' name='y' type='MatMul' version='opset1'><data transpose_a='false' transpose_b='true'/><input>"
       << port(0, dynamic, k) << port(1, std::to_string(n), k) << "</input><output>" << port(2, dynamic, n)
       << "</output></layer>"
       << "<layer id='3' name='r' type='Result' version='opset1'><input>" << port(0, dynamic, n) << "</input></layer>"
       << "</layers><edges><edge from-layer='0' from-port='0' to-layer='2' to-port='0'/>"
       << "<edge from-layer='1' from-port='0' to-layer='2' to-port='1'/>"
       << "<edge from-layer='2' from-port='2' to-layer='3' to-port='0'/></edges></net>";
  return text.str();
}

/// Numbers in [-1, 1) whose sums depend on their order.
std::vector<float> makeNumbers(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = static_cast<float>(static_cast<int32_t>(seed)) / 2147483648.f;
  }
  return numbers;
}

/// The parameters: the CPU, empty for this machine; the elements of a sum; the columns.
using Sizes = std::tuple<const char *, int64_t, int64_t>;
class OrderOfSums : public testing::TestWithParam<Sizes> {};

TEST_P(OrderOfSums, DoesNotDependOnRows) {
  constexpr int64_t most = 40;
  auto [cpu, k, n] = GetParam();
  std::vector<float> x = makeNumbers(static_cast<size_t>(most * k), 1), w = makeNumbers(static_cast<size_t>(n * k), 2);
  std::vector<float> first;
  for (const char *rows : {"1", "2", "5", "14", "40", "?"}) {
    std::string text = writeProduct(rows, k, n);
    Settings settings;
    settings.cpu = cpu;
    Module module = compile(Source::from_memory(text, std::as_bytes(std::span(w)), "product.xml"), settings);
    Model model(module.entry_points());
    bool isOpen = *rows == '?';
    for (int64_t count : isOpen ? std::vector<int64_t>{1, 2, 3, 13, 27, 40} : std::vector<int64_t>{std::stoll(rows)}) {
      model.run({{std::span(x).first(static_cast<size_t>(count * k)), {count, k}}});
      View<const float> y = model.output<float>(0);
      ASSERT_EQ(y.size(), static_cast<size_t>(count * n));
      if (first.empty())
        first.assign(y.begin(), y.end());
      EXPECT_EQ(std::memcmp(y.data(), first.data(), static_cast<size_t>(n) * sizeof(float)), 0)
          << count << (isOpen ? " rows of any number" : " rows");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Library, OrderOfSums,
                         testing::Combine(testing::Values("", "x86-64-v2"), testing::Values(5, 66),
                                          testing::Values(7, 32, 64, 200)));

} // namespace
