// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NpyTest.cpp - .npy files, valid and malformed ----------------------===//
#include "Npy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <string>

using namespace llvm;

namespace {

std::string makeFile(std::string header, size_t dataBytes, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> (8 * i));
  return file + header + std::string(dataBytes, '\1');
}

int parse(const std::string &file, npy_array &array, std::string &message) {
  char text[NPY_MESSAGE_BYTES] = "";
  // A copy of exactly this size, so that a sanitizer detects a read past the end.
  std::vector<uint8_t> bytes(file.begin(), file.end());
  int status = npy_parse(bytes.data(), bytes.size(), bytes.size(), &array, text);
  message = text;
  return status;
}

void expectGood(const std::string &file, int32_t type, std::vector<int64_t> shape) {
  npy_array array;
  std::string message;
  ASSERT_EQ(parse(file, array, message), 0) << message;
  EXPECT_EQ(array.element_type, type);
  EXPECT_EQ(std::vector<int64_t>(array.shape, array.shape + array.rank), shape);
}

void expectBad(const std::string &file, StringRef expected) {
  npy_array array;
  std::string message;
  EXPECT_NE(parse(file, array, message), 0);
  EXPECT_EQ(message, expected.str());
}

TEST(Npy, Accepts) {
  expectGood(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", 24), RECUR_F32, {2, 3});
  expectGood(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", 48, 2), RECUR_F64, {2, 3});
  expectGood(makeFile("{\"shape\":(5,),\"fortran_order\":False,\"descr\":\"|b1\"}", 5, 3), RECUR_BOOLEAN, {5});
  expectGood(makeFile("{'descr': '<i8', 'fortran_order': False, 'shape': ()}", 8), RECUR_I64, {});
  expectGood(makeFile("{'descr': '<u2', 'fortran_order': False, 'shape': (0, 9223372036854775807, 9)}", 0), RECUR_U16,
             {0, INT64_MAX, 9});
  expectGood(makeFile("{'descr': '<u1', 'fortran_order': False, 'shape': (1,)}", 1), RECUR_U8, {1});
  expectGood(makeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24), RECUR_F32, {2, 3});
  expectGood(makeFile("{'descr': '=f2', 'fortran_order': False, 'shape': (1,)}", 2), RECUR_F16, {1});
}

TEST(Npy, Refuses) {
  expectBad("", "it is not a .npy file");
  expectBad("PK\3\4aaaaaaaaaaaaaaa", "it is not a .npy file");
  expectBad(makeFile("{}", 0, 4), "its .npy version is not supported");
  expectBad(makeFile("{'descr': '<f4'}", 0).substr(0, 14), "its header is cut off");
  expectBad(makeFile("{'descr': '<f4'", 0), "its header is malformed");
  expectBad(makeFile("{}", 0), "its header lacks descr, fortran_order or shape");
  expectBad(makeFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4),
            "it holds big-endian data of dtype '>f4', which is not supported");
  expectBad(makeFile("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8),
            "it holds data of dtype '<c8', which is not supported");
  expectBad(makeFile("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8),
            "it holds data of dtype '|O', which is not supported");
  expectBad(makeFile("{'descr': '', 'fortran_order': False, 'shape': (1,)}", 8),
            "it holds data of dtype '', which is not supported");
  expectBad(makeFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4),
            "it holds a structured dtype, which is not supported");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4), "fortran_order is not True or False");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", 4), "its shape is not a tuple");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4),
            "its shape is not a tuple of sizes");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", 4),
            "its shape is not a tuple of sizes");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", 4),
            "a size in its shape does not fit 64 bits");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4),
            "its size does not fit 64 bits");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7),
            "its shape needs 8 bytes of data, the file has 7");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9),
            "its shape needs 8 bytes of data, the file has 9");
  expectBad(makeFile("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8),
            "its header repeats a key");
  expectBad(makeFile("{'other': '<f4'}", 8), "its header has an unknown key");
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4),
            "text follows the dictionary in its header");
  std::string deep = "(";
  for (int i = 0; i < 33; ++i)
    deep += "1,";
  expectBad(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': " + deep + ")}", 4),
            "it has more than 32 dimensions");
}

TEST(Npy, SurvivesGarbage) {
  const std::string good = makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
  std::mt19937 random(1);
  npy_array array;
  std::string message;
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(parse(good.substr(0, length), array, message), 0);
  for (int round = 0; round < 20000; ++round) {
    std::string file = good;
    for (int k = 0; k < 1 + round % 4; ++k)
      file[random() % (good.size() - 24)] = char(random());
    if (parse(file, array, message) == 0) {
      EXPECT_EQ(array.bytes + array.offset, file.size());
    }
  }
}

TEST(Npy, RoundTrip) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("recur", "npy", path));
  FileRemover remover(path);
  char message[NPY_MESSAGE_BYTES];
  const double values[6] = {1, 2, 3, 4, 5, 6};
  for (std::vector<int64_t> shape : {std::vector<int64_t>{2, 3}, {6}, {}, {3, 0}, {1, 1, 1, 1, 6}}) {
    ASSERT_EQ(npy_write(path.c_str(), RECUR_F64, int32_t(shape.size()), shape.data(), values, message), 0) << message;
    npy_array array;
    void *data, *block;
    ASSERT_EQ(npy_read(path.c_str(), &array, &data, &block, message), 0) << message;
    EXPECT_EQ(array.element_type, RECUR_F64);
    EXPECT_EQ(std::vector<int64_t>(array.shape, array.shape + array.rank), shape);
    EXPECT_EQ(array.offset % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    EXPECT_EQ(memcmp(data, values, array.bytes), 0);
    free(block);
  }
}

TEST(Npy, OtherThingsThanFiles) {
  npy_array array;
  void *data, *block;
  char message[NPY_MESSAGE_BYTES];
  for (const char *path : {"/", "/dev/null", "/dev/zero", "/nonexistent/x.npy"})
    EXPECT_NE(npy_read(path, &array, &data, &block, message), 0) << path;
  EXPECT_NE(npy_write("/nonexistent/x.npy", RECUR_F32, 0, nullptr, "1234", message), 0);
}

} // namespace
