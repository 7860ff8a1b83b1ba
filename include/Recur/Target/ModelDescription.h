// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelDescription.h - the interface of a compiled model ---*- C++ -*-===//
//
// The names, types and sizes of a compiled model, without MLIR or LLVM types. `describe` (Compiler.h) fills it from a
// lowered module.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELDESCRIPTION_H
#define RECUR_TARGET_MODELDESCRIPTION_H

#include "Recur/Target/ABI.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace recur {

/// An input or output of a model.
struct TensorDescription {
  std::string name;
  recur_element_type elementType = RECUR_F32;
  /// -1 for a dynamic dim.
  llvm::SmallVector<int64_t, 4> dims;
  /// For an input: sizes depend on its value, so recur_model_sizes reads its data.
  bool decidesSizes = false;
};

/// An entry of recur_model_faults (see recur_fault in ModelContract.h).
struct FaultDescription {
  /// RECUR_OK (0) for a fault whose status is in the frame.
  recur_status code = RECUR_E_INTERNAL;
  /// {0} to {3} stand for the numbers in fault_detail.
  std::string text;

  bool operator==(const FaultDescription &) const = default;
};

/// A row of a profile (see recur_profile_row in Profile.h).
struct ProfileRow {
  std::string layers;
  /// -1: it is in no time loop.
  int64_t loop = -1;
};

/// Where a program gets the packed weights.
enum class WeightsSource {
  /// From the object.
  Object,
  /// From a file that it maps by recur_map_weights (MapWeights.h).
  File,
  /// From memory that it fills itself, and checks by recur_check_weights (Weights.h).
  Caller,
};

/// The name of this compiler and its version, such as "Recur 1.0.0".
std::string getCompilerName();

/// What one call of a model computes.
enum class Entry {
  /// NAME_run: all time steps of the inputs.
  Run,
  /// NAME_step: one time step of the inputs. The instance keeps the carried values of the model's loops.
  Step
};

/// The data from which recur_info and the fault table are made.
struct EntryDescription {
  Entry entry = Entry::Run;
  /// The last two inputs for each state, and the last output for each state, are not those of the caller: the value of
  /// the state, whether it was set, and its next value.
  std::vector<TensorDescription> inputs, outputs;
  /// For each state of the model, whether the model sets it.
  std::vector<bool> setsState;

  size_t countStates() const { return setsState.size(); }
  llvm::ArrayRef<TensorDescription> getInputs() const { return llvm::ArrayRef(inputs).drop_back(2 * countStates()); }
  llvm::ArrayRef<TensorDescription> getOutputs() const { return llvm::ArrayRef(outputs).drop_back(countStates()); }
  llvm::ArrayRef<TensorDescription> getStates() const { return llvm::ArrayRef(outputs).take_back(countStates()); }
  std::vector<FaultDescription> faults;
  /// For each level, the index in `faults` of the fault that has index 0 in the code of the level.
  std::vector<size_t> firstFaults = {0};
  /// -1 if it depends on the inputs, and otherwise that of the level that needs the most.
  int64_t workspaceBytes = -1;
  /// The size of a buffer inside the model is known only during the computation, so a call needs an allocator.
  bool reserves = false;
  /// The rows of the profile that calls measure. Empty without a profile.
  std::vector<ProfileRow> profile;
};

/// Makes `all`, the description of some levels of an entry, that of one more level, whose description is `next`. Levels
/// with equal faults share them.
void addLevel(EntryDescription &all, const EntryDescription &next);

/// The data from which an object and the generated header are made.
struct ModelDescription : EntryDescription {
  /// The prefix of every exported symbol; isValidModelName accepts it.
  std::string name = "model";
  /// The size and the xxh3 hash of the packed weights, with a header if weightsLayout is not 0.
  uint64_t weightsBytes = 0;
  uint64_t weightsHash = 0;
  /// The layout of weights that the caller gives (hashLayout). 0: they have no header, or the object has them.
  uint64_t weightsLayout = 0;
  /// How a program gets weights that are not in the object: the header has what it needs for that.
  WeightsSource weightsSource = WeightsSource::Object;
  /// The name of the file of weights, without folders. Empty if they are in the object.
  std::string weightsFile;
  std::string compiler = getCompilerName();
  /// Entry::Step of a model that has both entries, which share weights and instances. Then this description is that of
  /// Entry::Run, without states.
  std::optional<EntryDescription> step;

  llvm::SmallVector<const EntryDescription *> getEntries() const {
    return step ? llvm::SmallVector<const EntryDescription *>{this, &*step}
                : llvm::SmallVector<const EntryDescription *>{this};
  }
  /// The entry that may have states.
  const EntryDescription &getStatesEntry() const { return *getEntries().back(); }
};

/// The name of a function or constant of a model, as its header declares it. `what` is the part of the name behind that
/// of the model, for Entry::Run. Of Entry::Step, "run" is NAME_step, and "query" is NAME_step_query; what both entries
/// share, such as "init", has one name.
std::string getFunctionName(llvm::StringRef model, Entry entry, llvm::StringRef what);

/// True for an ASCII C identifier of at most 200 characters that begins with a letter, is no keyword of C or C++, and
/// is not reserved: it has no `__`, and is neither `recur` nor begins with `recur_`.
bool isValidModelName(llvm::StringRef name);

/// Makes a valid model name from `text`: replaces other characters by `_`.
std::string makeModelName(llvm::StringRef text);

/// The element type and the dims of a tensor, such as "f32 [2, ?]".
std::string describeType(const TensorDescription &tensor);

/// The name of a file or folder without its suffix, and, for a library, without `lib` and `.so`.
llvm::StringRef getModelStem(llvm::StringRef path, bool isLibrary);

/// The name of a model for which the user gives none: that of the file that is read or written, or of the folder. The
/// name of a library has no `lib` and no `.so`.
std::string makeDefaultName(llvm::StringRef path, bool isLibrary = false);

/// The name of an element type in messages and headers, such as "f32".
llvm::StringRef elementTypeName(recur_element_type type);

} // namespace recur

#endif // RECUR_TARGET_MODELDESCRIPTION_H
