// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inputs.cpp - Inputs of a model that is measured --------------------===//
//
// Reads the headers of files that are there, and writes files for the other inputs, so that a peer reads the same.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Npy.h"
#include "Numbers.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace recur;

static constexpr uint64_t kSeed = 1;
static constexpr int64_t kMadeUpFirstDim = 1, kMadeUpDim = 64;

/// Reads the dims of a file.
static Error readDims(BenchmarkInput &input) {
  npy_array array;
  void *data, *block;
  char message[NPY_MESSAGE_BYTES];
  if (npy_read(input.path.c_str(), &array, &data, &block, message))
    return createStringError("'" + input.path + "': " + message);
  std::free(block);
  input.dims.assign(array.shape, array.shape + array.rank);
  return Error::success();
}

/// Makes up the dims that the model does not say, and writes random data.
static Error writeRandom(const recur_tensor_info &info, BenchmarkInput &input, uint64_t &random) {
  uint64_t count = 1, bytes = npy_element_bytes(info.element_type);
  bool overflows = false;
  for (auto [axis, dim] : enumerate(input.dims)) {
    if (dim < 0)
      dim = axis == 0 ? kMadeUpFirstDim : kMadeUpDim;
    bool isTooMuch = false;
    count = SaturatingMultiply(count, uint64_t(dim), &isTooMuch);
    overflows |= isTooMuch;
  }
  void *block, *data = overflows || count > SIZE_MAX / bytes ? nullptr : npy_allocate(count * bytes, &block);
  if (!data)
    return createStringError("there is no memory for the input '" + input.name + "'");
  fillRandom(info.element_type, data, count, &random);
  char message[NPY_MESSAGE_BYTES];
  int status = npy_write(input.path.c_str(), info.element_type, info.rank, input.dims.data(), data, message);
  std::free(block);
  return status ? createStringError("'" + input.path + "': " + message) : Error::success();
}

Expected<std::vector<BenchmarkInput>> recur::findInputs(const recur_info &info, StringRef modelPath,
                                                        StringRef directory) {
  std::vector<BenchmarkInput> inputs(info.num_inputs);
  uint64_t random = kSeed;
  for (auto [index, input] : enumerate(inputs)) {
    const recur_tensor_info &tensor = info.inputs[index];
    input.name = tensor.name;
    input.dims.assign(tensor.dims, tensor.dims + tensor.rank);
    input.isOpen = llvm::is_contained(input.dims, -1);
    std::string file = "in_" + std::to_string(index) + ".npy";
    SmallString<128> path = sys::path::parent_path(modelPath);
    sys::path::append(path, file);
    input.isRandom = !sys::fs::exists(path);
    if (input.isRandom) {
      path = directory;
      sys::path::append(path, file);
    }
    input.path = path.str().str();
    if (Error error = input.isRandom ? writeRandom(tensor, input, random) : readDims(input))
      return error;
  }
  return inputs;
}
