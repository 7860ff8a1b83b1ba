// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CallModel.cpp - a compiled model on tensors ------------------------===//
//
// Calls a compiled model with the tensors of the interpreter, so that the results of both can be compared.
//
//===----------------------------------------------------------------------===//

#include "Recur/Interpreter/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace recur;
using namespace recur::interpreter;
using llvm::ArrayRef;

namespace {
/// Owns all memory of a call; it is also the allocator that the model gets.
struct Arena {
  std::vector<void *> blocks;

  Arena() = default;
  Arena(const Arena &) = delete;
  ~Arena() {
    for (void *block : blocks)
      std::free(block);
  }
  static void *allocate(void *context, size_t bytes, size_t) {
    // aligned_alloc needs a size that is a multiple of the alignment. The size is not 0, so null means failure.
    if (bytes > SIZE_MAX / 2)
      return nullptr;
    void *block = std::aligned_alloc(RECUR_ALIGNMENT, (bytes / RECUR_ALIGNMENT + 1) * RECUR_ALIGNMENT);
    if (block)
      static_cast<Arena *>(context)->blocks.push_back(block);
    return block;
  }
  static void release(void *context, void *block) {
    llvm::erase(static_cast<Arena *>(context)->blocks, block);
    std::free(block);
  }
};
} // namespace

ModelRun recur::callModel(const recur_entry_points &entries, ArrayRef<Tensor> inputs,
                          const InterpreterOptions &limits) {
  ModelRun result;
  Arena arena;
  const recur_info &info = *entries.info();
  recur_error error = {};
  error.size = sizeof(error);
  auto finish = [&](int32_t status) {
    result.status = recur_status(status);
    result.message = error.message;
    return std::move(result);
  };
  std::vector<std::vector<int64_t>> shapes;
  std::vector<recur_tensor> in, out;
  for (const Tensor &input : inputs) {
    std::vector<int64_t> &shape = shapes.emplace_back(input.getShape().begin(), input.getShape().end());
    ArrayRef<char> bytes = input.getBytes();
    void *data = Arena::allocate(&arena, bytes.size(), RECUR_ALIGNMENT);
    if (!data)
      return finish(RECUR_E_NOMEM);
    llvm::copy(bytes, static_cast<char *>(data));
    // `in` and `out` have pointers to the elements of `shape`. They stay valid when `shapes` grows and moves its
    // vectors.
    in.push_back({data, shape.data(), nullptr, int32_t(shape.size()), input.getType(), bytes.size()});
  }
  for (int i = 0; i != info.num_outputs; ++i) {
    std::vector<int64_t> &shape = shapes.emplace_back(info.outputs[i].rank);
    out.push_back({nullptr, shape.data(), nullptr, 0, 0, 0});
  }
  void *instance = Arena::allocate(&arena, entries.instance_size(), RECUR_ALIGNMENT);
  if (int32_t status = entries.init(instance, nullptr, &error))
    return finish(status);
  // A state that needs more memory gets twice as much. Returns false for another status.
  auto growsState = [&](int32_t status) {
    if (status != RECUR_E_CAPACITY || error.where != RECUR_IN_STATE || error.detail[0] <= error.detail[1])
      return false;
    size_t bytes = 2 * size_t(error.detail[0]);
    void *memory = Arena::allocate(&arena, bytes, RECUR_ALIGNMENT);
    return memory && entries.state_memory(instance, error.tensor, memory, bytes, &error) == RECUR_OK;
  };
  size_t workspaceBytes = 0;
  int32_t status;
  do
    status = entries.query(instance, in.data(), out.data(), &workspaceBytes, &error);
  while (growsState(status));
  if (status && status != RECUR_E_ALLOCATOR_NEEDED)
    return finish(status);
  for (recur_tensor &output : out)
    if (llvm::all_of(ArrayRef(output.shape, output.rank), [](int64_t dim) { return dim >= 0; }))
      output.data = Arena::allocate(&arena, output.bytes, RECUR_ALIGNMENT);
  void *workspace = Arena::allocate(&arena, workspaceBytes, RECUR_ALIGNMENT);
  recur_options options = {};
  options.size = sizeof(options);
  options.max_iterations = limits.maxIterations;
  options.max_bytes = limits.maxBytes;
  options.alloc = Arena::allocate;
  options.release = Arena::release;
  options.ctx = &arena;
  do
    status = entries.run(instance, in.data(), out.data(), workspace, workspaceBytes, &options, &error);
  while (growsState(status));
  if (status)
    return finish(status);
  for (const recur_tensor &output : out) {
    Tensor &tensor =
        result.outputs.emplace_back(recur_element_type(output.element_type), ArrayRef(output.shape, output.rank));
    llvm::copy(ArrayRef(static_cast<const char *>(output.data), tensor.getBytes().size()), tensor.getBytes().begin());
  }
  return finish(RECUR_OK);
}
