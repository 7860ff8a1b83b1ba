// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelModule.h - from generated code to an object ---------*- C++ -*-===//
//
// The functions work on the LLVM module of one model and are called in this order: nameLevel for each level,
// lowerProfile, SharedKernels::take, hashLayout for weights that the caller gives, emitModelInfo, linkABIShim,
// optimizeModule, emitModule. If the output is an object file, patchWeights and checkObject (ObjectFile.h) follow.
//
// The module has code for one or several levels, which are the CPUs of `levels`, from the least to the best one. Each
// function has the CPU of its level. The interface, and what has no level, has the least one.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELMODULE_H
#define RECUR_TARGET_MODELMODULE_H

#include "Recur/Target/ModelDescription.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace recur {

class SharedKernels;

/// The machines of the levels of a model, at least one.
using Levels = llvm::ArrayRef<std::unique_ptr<llvm::TargetMachine>>;

/// The place of the packed weights.
enum class WeightsPlacement {
  /// In the object file. The module has zeros in the section getWeightsSectionName; patchWeights overwrites them.
  Embedded,
  /// Outside of the object file, which has the undefined symbol weightsSymbolName (for the JIT).
  External,
  /// Outside of the object file, given by the caller: NAME_init takes them from recur_config.weights, and fails without
  /// them.
  Given,
};

/// The most bytes of weights that lie with other constants. An instruction of x86-64 reaches 2 GB, which the code and
/// the constants of a whole program share.
inline constexpr uint64_t kMaxNearWeights = uint64_t(1) << 30;

/// The section of `bytes` bytes of packed weights. If they are more than kMaxNearWeights, it is one for large data,
/// which the linker puts where it is in nobody's way. Only x86-64 has such sections.
inline llvm::StringRef getWeightsSectionName(uint64_t bytes) {
  return bytes > kMaxNearWeights ? ".lrodata.recur.weights" : ".rodata.recur.weights";
}

/// The symbol of the packed weights.
inline constexpr llvm::StringLiteral weightsSymbolName = "recur_model_weights";

/// Turns the marks of `entry.profile`, which rt-profile-layers has made, into code. Does nothing without marks. Fails
/// if they are in another function.
llvm::Error lowerProfile(llvm::Module &module, const EntryDescription &entry);

/// Gives the functions of ModelContract.h that `module` defines, which is the code of one of several levels, names of
/// the level, so that the modules of all levels can be linked. emitModelInfo then defines the functions that choose.
void nameLevel(llvm::Module &module, const llvm::TargetMachine &level);

/// The layout of the weights that the code of a model reads: a hash of this code and of the interface of the model.
/// The code has all that passes have made of the values of constants. So if two models have the same layout, the object
/// of one with the weights of the other computes what the other model computes. The layout does not depend on names of
/// the model, of files and of lines, and is not 0.
uint64_t hashLayout(const llvm::Module &code, const ModelDescription &model);

/// Defines the constants of ModelContract.h and ShimContract.h in the module: recur_model_info, recur_model_faults,
/// recur_model_facts, and recur_model_weights (only a declaration if `placement` is External). If there are several
/// levels, it also defines recur_model_compute and recur_model_sizes, which call the functions of frame->level.
void emitModelInfo(llvm::Module &module, const ModelDescription &model, Levels levels, WeightsPlacement placement);

/// Adds the ABI shim to the module, as inline assembly, with memcpy, memmove and memset for the least level, and, under
/// names that getMemoryFunctionName gives them, for each other width of vectors. Its entry points get the names that
/// `getFunctionName` gives them, and everything else becomes internal. Only a model with states has the entry points
/// for states. The module must define recur_model_compute and recur_model_sizes. Fails if the name of the model is not
/// valid.
llvm::Error linkABIShim(llvm::Module &module, const ModelDescription &model, Levels levels);

/// The name of `function`, which is memcpy, memmove or memset, for vectors of `bytes` bytes that are not those of the
/// least level.
std::string getMemoryFunctionName(llvm::StringRef function, unsigned bytes);

/// What the generated code checks in each access to memory, by the runtime library of the program that it is linked
/// with (`-fsanitize=address`, `-fsanitize=thread`): that it has been allocated, or that threads do not race for it.
enum class Sanitizer { None, Address, Thread };

/// The beginning of the names of the functions and variables in the runtime library of `sanitizer`. Empty for None.
inline llvm::StringRef getSanitizerPrefix(Sanitizer sanitizer) {
  return sanitizer == Sanitizer::Address ? "__asan_" : sanitizer == Sanitizer::Thread ? "__tsan_" : "";
}

/// Runs the passes of LLVM that are worth their time, and none at an `optLevel` of 0 (of 0 to 3). They may create calls
/// only of memcpy, memmove and memset, which linkABIShim defines, and of the runtime library of `sanitizer`, which
/// instruments all code but the ABI shim. Fails if the module is not valid.
llvm::Error optimizeModule(llvm::Module &module, Levels levels, unsigned optLevel,
                           Sanitizer sanitizer = Sanitizer::None);

/// The kind of output of emitModule.
enum class EmitKind { Object, Assembly, LLVM };

/// Appends the module to `output` as an object file, assembly, or the text of LLVM IR. Code generation changes the
/// module, so it may run only once. `kernels` are those that SharedKernels has taken out of the module, or null.
llvm::Error emitModule(llvm::Module &module, llvm::TargetMachine &machine, EmitKind kind,
                       llvm::SmallVectorImpl<char> &output, SharedKernels *kernels = nullptr);

} // namespace recur

#endif // RECUR_TARGET_MODELMODULE_H
