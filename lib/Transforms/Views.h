// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Views.h - Tensors that show others ---------------------------------===//

#ifndef RECUR_LIB_TRANSFORMS_VIEWS_H
#define RECUR_LIB_TRANSFORMS_VIEWS_H

#include "mlir/IR/Value.h"

namespace recur {
/// The tensor of which `tensor` is a part, or another shape.
mlir::Value getViewed(mlir::Value tensor);
} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_VIEWS_H
