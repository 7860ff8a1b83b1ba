// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Constants.h - The weights file that is written -----------*- C++ -*-===//
//
// Constants are written to the weights file one after the other. Constants with the same bytes share them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_CONSTANTS_H
#define RECUR_LIB_EXPORT_OPENVINOIR_CONSTANTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <tuple>

namespace recur::ir {

/// A range of bytes of the weights file.
struct WeightsRange {
  uint64_t offset, size;
};

/// Writes the constants of a model. It holds the bytes of one constant at a time.
class ConstantWriter {
public:
  /// `file` has the bytes that `#ov.weights` refers to; `os` gets those of the new file.
  ConstantWriter(llvm::ArrayRef<char> file, llvm::raw_ostream &os) : file(file), os(os) {}

  /// The bytes of a constant, dense or `#ov.weights`, which are written unless they are there already. Applies the
  /// layout steps of `#ov.weights`, except that with `isPacked` the elements stay packed. Fails if the file that the
  /// constant refers to does not have it.
  llvm::Expected<WeightsRange> write(mlir::Attribute value, bool isPacked = false);

private:
  WeightsRange append(llvm::ArrayRef<char> bytes);

  llvm::ArrayRef<char> file;
  llvm::raw_ostream &os;
  uint64_t end = 0;
  /// The constants that were written, by whether they stay packed.
  llvm::DenseMap<mlir::Attribute, WeightsRange> known[2];
  /// By the 128 bits of a hash, and the number of the bytes.
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, uint64_t> offsets;
};

/// The format of a constant whose only layout step unpacks elements, or nullopt.
std::optional<ov::PackedFormat> getPackedFormat(mlir::Attribute value);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_CONSTANTS_H
