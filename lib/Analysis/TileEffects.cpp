// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileEffects.cpp - What stores of tile registers do -----------------===//
//
// An external model of an op interface, for an op of upstream.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/TileEffects.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
struct TileStoreEffects final : MemoryEffectOpInterface::ExternalModel<TileStoreEffects, amx::TileStoreOp> {
  void getEffects(Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    effects.emplace_back(MemoryEffects::Write::get(), &cast<amx::TileStoreOp>(op).getBaseMutable());
  }
};
} // namespace

void recur::registerTileEffects(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, amx::AMXDialect *) { amx::TileStoreOp::attachInterface<TileStoreEffects>(*context); });
}
