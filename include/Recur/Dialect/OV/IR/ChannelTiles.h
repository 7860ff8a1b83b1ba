// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelTiles.h - Tiles of packed filters -----------------*- C++ -*-===//
//
// How many channels of the result the packed filters of a convolution with channels last have side by side.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_CHANNELTILES_H
#define RECUR_DIALECT_OV_IR_CHANNELTILES_H

#include <cstdint>

namespace recur::ov {

/// The output channels in a tile of packed filters, if the channels come last: a vector, or some.
inline constexpr int64_t kChannelTile = 16;
/// The same for filters that are transformed for Winograd's algorithm. Kernels of products read them, in blocks of two
/// vectors.
inline constexpr int64_t kWinogradTile = 32;

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_CHANNELTILES_H
