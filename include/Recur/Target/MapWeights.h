// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MapWeights.h - weights from a file -----------------------*- C -*-===//
//
// Maps the file of weights that `ir-compile --weights-mode=file` writes. The header of such a model contains the text
// of this file behind that of Weights.h. POSIX; a program without it defines RECUR_NO_MMAP, reads the file itself, and
// calls recur_check_weights.
//
//===----------------------------------------------------------------------===//
#if !defined(RECUR_MAP_WEIGHTS_V1) && !defined(RECUR_NO_MMAP)
#define RECUR_MAP_WEIGHTS_V1 1

#ifndef RECUR_WEIGHTS_V1
#include "Recur/Target/Weights.h"
#endif

// C99 has no nullptr. NOLINTBEGIN(modernize-use-nullptr)

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// Maps the file `path` into memory, read-only, checks it (recur_check_weights), and sets `weights` and
/// `weights_bytes` of `config`, which NAME_init takes then. `info` is what NAME_info returns; error may be null.
/// Processes that map one file share its memory. The file must not be changed while it is mapped. Returns RECUR_OK, or
/// RECUR_E_WEIGHTS; then `config` is unchanged, and if the file could not be mapped, detail[1] is errno.
RECUR_WEIGHTS_INLINE int32_t recur_map_weights(const recur_info *info, const char *path, recur_config *config,
                                               recur_error *error) {
#ifdef O_CLOEXEC
  int file = open(path, O_RDONLY | O_CLOEXEC);
#else
  int file = open(path, O_RDONLY);
#endif
  if (file < 0)
    return recur_set_weights_error(error, RECUR_E_WEIGHTS, "cannot open the weights file: ", path, 0, (uint64_t)errno);
  struct stat status;
  void *weights = NULL;
  int32_t result = RECUR_OK;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    result = recur_set_weights_error(error, RECUR_E_WEIGHTS, "the weights file is not a regular file: ", path, 0, 0);
  else if ((uint64_t)status.st_size != info->weights_bytes)
    result = recur_set_weights_error(error, RECUR_E_WEIGHTS,
                                     "the weights file has another number of bytes than the model's: ", path,
                                     info->weights_bytes, (uint64_t)status.st_size);
  else if (info->weights_bytes &&
           (weights = mmap(NULL, (size_t)info->weights_bytes, PROT_READ, MAP_PRIVATE, file, 0)) == MAP_FAILED)
    result = recur_set_weights_error(error, RECUR_E_WEIGHTS, "cannot map the weights file: ", path, 0, (uint64_t)errno);
  close(file);
  if (result)
    return result;
  result = recur_check_weights(info, weights, (size_t)info->weights_bytes, error);
  if (result) {
    if (weights)
      munmap(weights, (size_t)info->weights_bytes);
    return result;
  }
  config->weights = weights;
  config->weights_bytes = (size_t)info->weights_bytes;
  return RECUR_OK;
}

/// Ends the mapping of recur_map_weights, after the last use of the instances that were made with this `config`.
RECUR_WEIGHTS_INLINE void recur_unmap_weights(recur_config *config) {
  if (config->weights)
    munmap((void *)(uintptr_t)config->weights, config->weights_bytes);
  config->weights = NULL;
  config->weights_bytes = 0;
}

// NOLINTEND(modernize-use-nullptr)

#endif /* RECUR_MAP_WEIGHTS_V1 */
