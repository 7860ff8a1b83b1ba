// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTToLLVM.cpp - From the rt dialect to accesses of the frame --------===//
//
// The pass convert-rt-to-llvm. Each rt op becomes loads and stores of the struct recur_frame, which the ABI shim passes
// to the generated code. The offsets come from the C structs in include/Recur/Target/ModelContract.h, so the layouts
// cannot diverge. Buffers become memref descriptors, the structs that MLIR's LLVM lowering uses for buffers.
//
//===----------------------------------------------------------------------===//

#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ModelContract.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

namespace recur {
#define GEN_PASS_DEF_CONVERTRTTOLLVM
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// Emits accesses of the frame of one function. The frame is its first argument. There is one method for each rt op.
class FrameAccess {
public:
  FrameAccess(func::FuncOp func, const LLVMTypeConverter &converter)
      : func(func), builder(&func.getBody().front(), func.getBody().front().begin()), converter(converter),
        pointer(LLVM::LLVMPointerType::get(func.getContext())) {}

  /// An input has the address and the dims that the frame's table of inputs has.
  void lower(rt::InputOp op) {
    at(op);
    Value tensor = address(load(func.getArgument(0), offsetof(recur_frame, inputs), pointer),
                           op.getNumber() * int64_t(sizeof(recur_tensor)));
    auto type = cast<MemRefType>(op.getType());
    SmallVector<Value> sizes;
    if (!type.hasStaticShape()) {
      Value shape = load(tensor, offsetof(recur_tensor, shape), pointer);
      for (int64_t d = 0; d < type.getRank(); ++d)
        sizes.push_back(type.isDynamicDim(d) ? load(shape, d * 8, builder.getI64Type()) : constant(type.getDimSize(d)));
    }
    replace(op, type, load(tensor, offsetof(recur_tensor, data), pointer), sizes);
  }

  /// An output has the dims that the program computed. The address of a late output changes during the call, so its
  /// load is not invariant.
  void lower(rt::OutputOp op) {
    at(op);
    Value tensor = address(load(func.getArgument(0), offsetof(recur_frame, outputs), pointer),
                           op.getNumber() * int64_t(sizeof(recur_tensor)));
    auto type = cast<MemRefType>(op.getType());
    SmallVector<Value> sizes;
    unsigned next = 0;
    for (int64_t dim : type.getShape())
      sizes.push_back(ShapedType::isDynamic(dim) ? toI64(op.getDims()[next++]) : constant(dim));
    replace(op, type, load(tensor, offsetof(recur_tensor, data), pointer, /*invariant=*/!op.getLate()), sizes);
  }

  /// Stores the dims of a late output and asks the ABI shim for memory.
  void lower(rt::AcquireOutputOp op) {
    at(op);
    Value tensor = address(load(func.getArgument(0), offsetof(recur_frame, outputs), pointer),
                           op.getNumber() * int64_t(sizeof(recur_tensor)));
    if (!op.getDims().empty()) {
      Value shape = load(tensor, offsetof(recur_tensor, shape), pointer);
      for (auto [i, dim] : llvm::enumerate(op.getDims()))
        LLVM::StoreOp::create(builder, op.getLoc(), toI64(dim), address(shape, i * 8));
    }
    Type i64 = builder.getI64Type();
    Value block =
        call("recur_frame_output", {pointer, i64, i64}, {func.getArgument(0), constant(op.getNumber()), op.getBytes()})
            .getResult();
    op.replaceAllUsesWith(isNotNull(block));
    op.erase();
  }

  /// Asks the ABI shim to make a growing buffer large enough. Null means that it failed.
  void lower(rt::ReserveOp op) {
    at(op);
    Type i64 = builder.getI64Type();
    Value cell = getPointer(op.getCell());
    Value block = call("recur_frame_reserve", {pointer, pointer, i64, i64},
                       {func.getArgument(0), cell, toI64(op.getBytes()), toI64(op.getKeep())})
                      .getResult();
    op.getOk().replaceAllUsesWith(isNotNull(block));
    op.getBuffer().replaceAllUsesWith(describe(cast<MemRefType>(op.getBuffer().getType()), block, {constant(-1)}));
    op.erase();
  }

  /// Loads the address that the cell holds.
  void lower(rt::HeldOp op) {
    at(op);
    Value block = load(getPointer(op.getCell()), 0, pointer, /*invariant=*/false);
    replace(op, cast<MemRefType>(op.getType()), block, {constant(-1)});
  }

  /// Loads the greatest number of iterations from the options of the call.
  void lower(rt::IterationLimitOp op) {
    at(op);
    Value options = load(func.getArgument(0), offsetof(recur_frame, options), pointer);
    Value limit = load(options, offsetof(recur_options, max_iterations), builder.getI64Type());
    op.replaceAllUsesWith(arith::IndexCastOp::create(builder, op.getLoc(), builder.getIndexType(), limit).getResult());
    op.erase();
  }

  /// Tests a flag of the configuration. The ABI shim makes sure that a call has one.
  void lower(rt::MayUseTilesOp op) {
    at(op);
    Value config = load(func.getArgument(0), offsetof(recur_frame, config), pointer);
    Value flags = load(config, offsetof(recur_config, flags), builder.getI32Type());
    Value flag = LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32IntegerAttr(RECUR_USE_TILES)),
          zero = LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32IntegerAttr(0));
    Value isSet = LLVM::AndOp::create(builder, op.getLoc(), flags, flag);
    op.replaceAllUsesWith(LLVM::ICmpOp::create(builder, op.getLoc(), LLVM::ICmpPredicate::ne, isSet, zero).getResult());
    op.erase();
  }

  /// Tests the cancel flag of the options. The load is volatile, because another thread may set the flag. The ABI shim
  /// makes sure that the pointer is not null.
  void lower(rt::MayContinueOp op) {
    at(op);
    Value options = load(func.getArgument(0), offsetof(recur_frame, options), pointer);
    Value cancel = load(options, offsetof(recur_options, cancel), pointer);
    Type i32 = builder.getI32Type();
    auto flag = LLVM::LoadOp::create(builder, op.getLoc(), i32, cancel, /*alignment=*/4, /*isVolatile=*/true);
    Value zero = LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32IntegerAttr(0));
    op.replaceAllUsesWith(LLVM::ICmpOp::create(builder, op.getLoc(), LLVM::ICmpPredicate::eq, flag, zero).getResult());
    op.erase();
  }

  /// Stores the site of a fault that the ABI shim has recorded, and loads its status, which is the last detail.
  void lower(rt::RecordedStatusOp op) {
    at(op);
    LLVM::StoreOp::create(builder, op.getLoc(), op.getSite(),
                          address(func.getArgument(0), offsetof(recur_frame, fault_site)));
    Value code = load(func.getArgument(0), offsetof(recur_frame, fault_detail) + 3 * sizeof(int64_t),
                      builder.getI64Type(), /*invariant=*/false);
    op.replaceAllUsesWith(LLVM::TruncOp::create(builder, op.getLoc(), builder.getI32Type(), code).getResult());
    op.erase();
  }

  /// The address of a packed constant, at its offset in the packed weights.
  void lower(rt::WeightsOp op) {
    at(op);
    Value base = load(func.getArgument(0), offsetof(recur_frame, weights), pointer);
    replace(op, cast<MemRefType>(op.getType()), address(base, op.getOffset().value_or(0)), {});
  }

  /// Loads the address of the workspace.
  void lower(rt::WorkspaceOp op) {
    at(op);
    // No op reads its length, because every view of it has a planned place.
    replace(op, cast<MemRefType>(op.getType()), load(func.getArgument(0), offsetof(recur_frame, workspace), pointer),
            {constant(-1)});
  }

  /// Stores the sizes that a query asks for: the output dims to the second argument of the function, and the workspace
  /// size to the third.
  void lower(rt::SizesOp op) {
    at(op);
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      // C++ does not define the order in which arguments are evaluated. The variable fixes the order of the emitted
      // ops.
      Value place = address(func.getArgument(1), i * 8);
      LLVM::StoreOp::create(builder, op.getLoc(), toI64(dim), place);
    }
    LLVM::StoreOp::create(builder, op.getLoc(), toI64(op.getWorkspace()), func.getArgument(2));
    op.erase();
  }

  /// Stores the site and the details of a fault.
  void lower(rt::FailOp op) {
    at(op);
    Value frame = func.getArgument(0);
    LLVM::StoreOp::create(builder, op.getLoc(), op.getSite(), address(frame, offsetof(recur_frame, fault_site)));
    for (auto [i, detail] : llvm::enumerate(op.getDetails()))
      LLVM::StoreOp::create(builder, op.getLoc(), detail,
                            address(frame, offsetof(recur_frame, fault_detail) + i * sizeof(int64_t)));
    op.erase();
  }

  /// Puts the frame and the captures into a struct on the stack, and passes it to the ABI shim, together with a
  /// function that takes them out and calls the part.
  void lower(rt::GangOp op) {
    at(op);
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    SmallVector<Type> fields{pointer};
    for (Type type : op.getCaptures().getTypes())
      fields.push_back(converter.convertType(type));
    auto layout = LLVM::LLVMStructType::getLiteral(op.getContext(), fields);
    auto getField = [&](OpBuilder &at, Value arg, int32_t i) -> Value {
      return LLVM::GEPOp::create(at, *loc, pointer, layout, arg, ArrayRef<LLVM::GEPArg>{0, i});
    };

    OpBuilder atEnd = OpBuilder::atBlockEnd(func->getParentOfType<ModuleOp>().getBody());
    auto body = func::FuncOp::create(atEnd, *loc, (op.getPart() + "_body").str(),
                                     builder.getFunctionType({pointer, i32, i32}, {}));
    body.setPrivate();
    atEnd.setInsertionPointToStart(body.addEntryBlock());
    SmallVector<Value> operands;
    for (auto [i, field] : llvm::enumerate(fields)) {
      Value value = LLVM::LoadOp::create(atEnd, *loc, field, getField(atEnd, body.getArgument(0), i));
      if (i)
        value = convert(atEnd, op.getCaptures()[i - 1].getType(), value);
      operands.push_back(value);
      if (!i)
        llvm::append_range(operands, body.getArguments().drop_front());
    }
    func::CallOp::create(atEnd, *loc, op.getPartAttr(), TypeRange(), operands);
    func::ReturnOp::create(atEnd, *loc);

    // Gangs follow one another, so those with the same layout share a struct.
    Value &arg = structs[layout];
    if (!arg) {
      OpBuilder atStart = OpBuilder::atBlockBegin(&func.getBody().front());
      Value one = LLVM::ConstantOp::create(atStart, *loc, atStart.getI64IntegerAttr(1));
      arg = LLVM::AllocaOp::create(atStart, *loc, pointer, layout, one);
    }
    for (auto [i, field] : llvm::enumerate(fields)) {
      Value value = i ? convert(builder, field, op.getCaptures()[i - 1]) : func.getArgument(0);
      LLVM::StoreOp::create(builder, *loc, value, getField(builder, arg, i));
    }
    Value callee = func::ConstantOp::create(builder, *loc, body.getFunctionType(), body.getSymName());
    call("recur_frame_gang", {pointer, i64, pointer, pointer},
         {func.getArgument(0), toI64(op.getWant()), convert(builder, pointer, callee), arg},
         LLVM::LLVMVoidType::get(op.getContext()));
    op.erase();
  }

private:
  /// Casts between a type and the one that it is converted to. reconcile-unrealized-casts removes the cast.
  Value convert(OpBuilder &at, Type type, Value value) {
    return value.getType() == type ? value : UnrealizedConversionCastOp::create(at, *loc, type, value).getResult(0);
  }
  /// Emits code before `op` from now on.
  void at(Operation *op) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
  }
  /// An i64 constant, and an index as i64.
  Value constant(int64_t value) { return LLVM::ConstantOp::create(builder, *loc, builder.getI64IntegerAttr(value)); }
  Value toI64(Value value) { return arith::IndexCastOp::create(builder, *loc, builder.getI64Type(), value); }
  /// The address of the first element of a buffer of i64.
  Value getPointer(Value buffer) {
    auto index = memref::ExtractAlignedPointerAsIndexOp::create(builder, *loc, buffer);
    // The aligned pointer of a view points to the beginning of the whole buffer, so the offset of the view is added.
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, *loc, buffer);
    Value base = LLVM::IntToPtrOp::create(builder, *loc, pointer, toI64(index));
    return LLVM::GEPOp::create(builder, *loc, pointer, builder.getI64Type(), base,
                               ArrayRef<LLVM::GEPArg>{toI64(metadata.getOffset())});
  }
  /// `base` plus an offset in bytes.
  Value address(Value base, int64_t offset) {
    if (offset == 0)
      return base;
    return LLVM::GEPOp::create(builder, *loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{constant(offset)});
  }
  /// Loads a field. An invariant load has the same result during the whole call, so LLVM may move it out of loops.
  Value load(Value base, int64_t offset, Type type, bool invariant = true) {
    auto result = LLVM::LoadOp::create(builder, *loc, type, address(base, offset));
    // A call does not write to the tables of the frame or to the shapes of inputs. Late outputs and faults are
    // exceptions.
    result.setInvariant(invariant);
    return result;
  }
  /// Calls a helper function of the ABI shim, which ShimContract.h declares. It returns a pointer, unless `result` is
  /// another type.
  LLVM::CallOp call(StringRef name, ArrayRef<Type> types, ValueRange arguments, Type result = {}) {
    auto module = func->getParentOfType<ModuleOp>();
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder at = OpBuilder::atBlockEnd(module.getBody());
      callee = LLVM::LLVMFuncOp::create(at, module.getLoc(), name,
                                        LLVM::LLVMFunctionType::get(result ? result : pointer, types));
    }
    return LLVM::CallOp::create(builder, *loc, callee, arguments);
  }
  Value isNotNull(Value block) {
    Value null = LLVM::ZeroOp::create(builder, *loc, pointer);
    return LLVM::ICmpOp::create(builder, *loc, LLVM::ICmpPredicate::ne, block, null);
  }
  /// Replaces `op` by a dense, row-major buffer at `data`. `sizes` has all dims; it may be empty if the shape is
  /// static.
  void replace(Operation *op, MemRefType type, Value data, ArrayRef<Value> sizes) {
    op->replaceAllUsesWith(ValueRange{describe(type, data, sizes)});
    op->erase();
  }
  /// The descriptor of such a buffer, cast to its memref type. reconcile-unrealized-casts removes the cast.
  Value describe(MemRefType type, Value data, ArrayRef<Value> sizes) {
    Value descriptor;
    if (type.hasStaticShape()) {
      descriptor = MemRefDescriptor::fromStaticShape(builder, *loc, converter, type, data);
    } else {
      auto built = MemRefDescriptor::poison(builder, *loc, converter.convertType(type));
      built.setAllocatedPtr(builder, *loc, data);
      built.setAlignedPtr(builder, *loc, data);
      built.setConstantOffset(builder, *loc, 0);
      Value stride = constant(1);
      for (int64_t d = type.getRank() - 1; d >= 0; --d) {
        built.setSize(builder, *loc, d, sizes[d]);
        built.setStride(builder, *loc, d, stride);
        if (d)
          stride = LLVM::MulOp::create(builder, *loc, stride, sizes[d]);
      }
      descriptor = built;
    }
    return UnrealizedConversionCastOp::create(builder, *loc, type, descriptor).getResult(0);
  }

  func::FuncOp func;
  OpBuilder builder;
  const LLVMTypeConverter &converter;
  Type pointer;
  std::optional<Location> loc;
  /// The structs on the stack that gangs pass to their bodies.
  llvm::DenseMap<Type, Value> structs;
};

/// Lowers the rt ops of all functions whose first argument is a pointer, the frame.
struct ConvertRTToLLVM final : recur::impl::ConvertRTToLLVMBase<ConvertRTToLLVM> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    for (auto func : SmallVector<func::FuncOp>(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && func.getNumArguments() && isa<LLVM::LLVMPointerType>(func.getArgumentTypes()[0]))
        lower(func, converter);
  }

  void lower(func::FuncOp func, const LLVMTypeConverter &converter) {
    FrameAccess frame(func, converter);
    func.walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<rt::InputOp, rt::OutputOp, rt::AcquireOutputOp, rt::ReserveOp, rt::HeldOp, rt::RecordedStatusOp,
                rt::IterationLimitOp, rt::MayUseTilesOp, rt::MayContinueOp, rt::WeightsOp, rt::WorkspaceOp, rt::SizesOp,
                rt::FailOp, rt::GangOp>([&](auto rt) { frame.lower(rt); });
    });
  }
};
} // namespace
