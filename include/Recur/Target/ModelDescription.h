// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelDescription.h - what the outside sees of a model ----*- C++ -*-===//
#ifndef RECUR_TARGET_MODELDESCRIPTION_H
#define RECUR_TARGET_MODELDESCRIPTION_H

#include "Recur/Target/ABI.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace recur {

struct TensorDescription {
  std::string name;
  recur_element_type elementType = RECUR_F32;
  /// -1 where only a call tells.
  llvm::SmallVector<int64_t, 4> dims;
  /// Of an input: its value decides sizes, so recur_model_sizes reads it.
  bool decidesSizes = false;
};

/// An entry of recur_model_faults.
struct FaultDescription {
  recur_status code = RECUR_E_INTERNAL;
  /// {0} to {3} stand for the details.
  std::string text;
};

/// Everything that recur_info, the generated header and the fault table are made of.
struct ModelDescription {
  /// The prefix of every exported symbol; see isValidModelName.
  std::string name = "model";
  std::vector<TensorDescription> inputs, outputs;
  std::vector<FaultDescription> faults;
  /// -1 where it depends on the inputs.
  int64_t workspaceBytes = -1;
  /// A buffer inside has a size that only the computation tells, so a call needs an allocator.
  bool reserves = false;
  uint64_t weightsBytes = 0;
  uint64_t weightsHash = 0;
  std::string compiler = "Recur";
};

/// A C identifier that is no keyword of C or C++ and not reserved.
bool isValidModelName(llvm::StringRef name);

/// The nearest valid name: what a model without --name is called after its file.
std::string makeModelName(llvm::StringRef text);

/// "f32" and so on, as messages and headers spell it.
llvm::StringRef elementTypeName(recur_element_type type);

} // namespace recur

#endif // RECUR_TARGET_MODELDESCRIPTION_H
