// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProfileLayers.cpp - Marks at the ends of layers --------------------===//
//
// A mark is a call of an unknown function, so nothing that has an effect moves over it. All time between two marks
// belongs to one row, so the sum of all rows is the time of the call.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/RTProfile.h"
#include "Recur/Target/ProfileContract.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

namespace recur {
#define GEN_PASS_DEF_PROFILELAYERS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The layers of a row, in the order of the code: each name with its place.
using Layers = llvm::SmallSetVector<Attribute, 8>;

/// Adds the layers that a location names.
static void collect(Location loc, Layers &layers) {
  loc->walk([&](Location inner) {
    if (!isa<NameLoc>(inner))
      return WalkResult::advance();
    layers.insert(inner);
    return WalkResult::skip();
  });
}

/// Adds the layers that an op and those inside of it come from.
static void collect(Operation *op, Layers &layers) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    // A constant is where it was first needed, and other layers may use it too. So is the address of a larger one.
    if (!inner->hasTrait<OpTrait::ConstantLike>() && !isa<rt::WeightsOp, memref::GetGlobalOp>(inner))
      collect(inner->getLoc(), layers);
  });
}

/// The text of a row, such as "Add_3 (model.xml:7), Relu_4 (model.xml:9)".
static std::string describe(const Layers &layers) {
  std::string text;
  for (Attribute layer : layers) {
    auto name = cast<NameLoc>(layer);
    text += (text.empty() ? "" : ", ") + name.getName().str();
    if (auto place = dyn_cast<FileLineColLoc>(name.getChildLoc()))
      text +=
          (" (" + llvm::sys::path::filename(place.getFilename().getValue()) + ":" + Twine(place.getLine()) + ")").str();
  }
  return text.empty() ? "other code" : text;
}

/// True for an op that computes a layer by itself: a loop nest, a kernel, a copy.
static bool isWhole(Operation *op) { return op->getNumRegions() != 0 || isa<CallOpInterface, memref::CopyOp>(op); }

/// True for an op that contains a time loop or is one.
static bool containsTimeLoop(Operation *op) {
  return op->walk([](rt::IterationOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace {
struct ProfileLayers final : recur::impl::ProfileLayersBase<ProfileLayers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(kComputeFunction);
    if (!function || !function.getBody().hasOneBlock()) {
      module.emitError() << "expected a function '" << kComputeFunction << "' of one block";
      return signalPassFailure();
    }
    OpBuilder builder(module.getBodyRegion());
    Type number = builder.getI64Type();
    mark = func::FuncOp::create(builder, module.getLoc(), RECUR_PROFILE_MARK,
                                builder.getFunctionType({number, number}, {}));
    mark.setPrivate();
    Block &body = function.getBody().front();
    builder.setInsertionPointToStart(&body);
    addMark(builder, function.getLoc(), -1, 0);
    divide(body, std::next(body.begin(), 3), /*loop=*/-1);
    module->setAttr(rt::kProfileAttr, builder.getArrayAttr(rows));
  }

private:
  int64_t addRow(const Layers &layers, int64_t loop) {
    Builder builder(&getContext());
    rows.push_back(builder.getArrayAttr({builder.getStringAttr(describe(layers)), builder.getI64IntegerAttr(loop)}));
    return rows.size() - 1;
  }

  /// Creates a mark with the two constants of its operands: three ops.
  void addMark(OpBuilder &builder, Location loc, int64_t row, int64_t calls) {
    Value first = arith::ConstantIntOp::create(builder, loc, row, 64);
    Value second = arith::ConstantIntOp::create(builder, loc, calls, 64);
    func::CallOp::create(builder, loc, mark, ValueRange{first, second});
  }

  /// Divides the ops of a block from `next` on into rows, which are in the row `loop`.
  void divide(Block &block, Block::iterator next, int64_t loop) {
    Layers layers;
    bool writes = false;
    auto finish = [&](OpBuilder builder, Location loc) {
      addMark(builder, loc, addRow(layers, loop), 1);
      layers.clear();
      writes = false;
    };
    while (next != block.end()) {
      Operation *op = &*next++;
      bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
      bool isEnd = isTerminator || containsTimeLoop(op) || isWhole(op);
      // Code that has written a result is a layer of its own. Other code computes addresses for what comes.
      // A profile has a row, even if all results are constants.
      if (isEnd && (writes || (isTerminator && rows.empty())))
        finish(OpBuilder(op), op->getLoc());
      if (isTerminator)
        return;
      if (containsTimeLoop(op)) {
        divideRegions(op, loop);
        layers.clear();
        continue;
      }
      collect(op, layers);
      if (isWhole(op)) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        finish(builder, op->getLoc());
      } else {
        // The ops of rt write what belongs to the call.
        writes |= hasEffect<MemoryEffects::Write>(op) && !isa<rt::RTDialect>(op->getDialect());
      }
    }
  }

  /// Divides the regions of an op that contains a time loop. What is left of its time is a row of its own.
  void divideRegions(Operation *op, int64_t loop) {
    Layers layers;
    collect(op->getLoc(), layers);
    int64_t row = addRow(layers, loop);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        auto markers = block.getOps<rt::IterationOp>();
        OpBuilder builder(&block, block.begin());
        if (!markers.empty())
          builder.setInsertionPointAfter(*markers.begin());
        // The calls of a time loop are its iterations.
        addMark(builder, op->getLoc(), row, markers.empty() ? 0 : 1);
        divide(block, builder.getInsertionPoint(), row);
      }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    addMark(builder, op->getLoc(), row, isa<LoopLikeOpInterface>(op) ? 0 : 1);
  }

  func::FuncOp mark;
  SmallVector<Attribute> rows;
};
} // namespace
