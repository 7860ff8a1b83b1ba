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

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
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
    Value tensor = address(getTable(offsetof(recur_frame, inputs)), op.getNumber() * int64_t(sizeof(recur_tensor)));
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
    Value tensor = address(getTable(offsetof(recur_frame, outputs)), op.getNumber() * int64_t(sizeof(recur_tensor)));
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
    Value tensor = address(getTable(offsetof(recur_frame, outputs)), op.getNumber() * int64_t(sizeof(recur_tensor)));
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
    Value options = getTable(offsetof(recur_frame, options));
    Value limit = load(options, offsetof(recur_options, max_iterations), builder.getI64Type());
    op.replaceAllUsesWith(arith::IndexCastOp::create(builder, op.getLoc(), builder.getIndexType(), limit).getResult());
    op.erase();
  }

  /// Tests a flag of the configuration. The ABI shim makes sure that a call has one.
  void lower(rt::MayUseTilesOp op) {
    at(op);
    Value config = getTable(offsetof(recur_frame, config));
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
    Value options = getTable(offsetof(recur_frame, options));
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
    Value base = getTable(offsetof(recur_frame, weights));
    replace(op, cast<MemRefType>(op.getType()), address(base, op.getOffset().value_or(0)), {});
  }

  /// Loads the address of the workspace.
  void lower(rt::WorkspaceOp op) {
    at(op);
    // No op reads its length, because every view of it has a planned place.
    replace(op, cast<MemRefType>(op.getType()), getTable(offsetof(recur_frame, workspace)), {constant(-1)});
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

  /// Passes memory on the stack with the frame and the captures to the ABI shim, together with a function that takes
  /// them out and calls the part.
  void lower(rt::ParallelOp op) {
    at(op);
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    OpBuilder atEnd = OpBuilder::atBlockEnd(func->getParentOfType<ModuleOp>().getBody());
    auto body = func::FuncOp::create(atEnd, *loc, (op.getPart() + "_body").str(),
                                     builder.getFunctionType({pointer, i32, i32}, {}));
    body.setPrivate();
    atEnd.setInsertionPointToStart(body.addEntryBlock());
    SmallVector<Value> operands{pass(op, func.getArgument(0), atEnd)};
    llvm::append_range(operands, body.getArguments().drop_front());
    for (Value capture : op.getCaptures())
      operands.push_back(isa<MemRefType>(capture.getType()) ? passBuffer(op, capture, atEnd)
                                                            : pass(op, capture, atEnd));
    func::CallOp::create(atEnd, *loc, op.getPartAttr(), TypeRange(), operands);
    func::ReturnOp::create(atEnd, *loc);
    at(op);
    Value callee = func::ConstantOp::create(builder, *loc, body.getFunctionType(), body.getSymName());
    call("recur_frame_gang", {pointer, i64, pointer, pointer},
         {func.getArgument(0), toI64(op.getWant()), convert(builder, pointer, callee), captured},
         LLVM::LLVMVoidType::get(op.getContext()));
    op.erase();
  }

private:
  /// The number or the address of which `value` is a cast that changes no bit.
  static Value getRoot(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      auto index = dyn_cast<arith::IndexCastOp>(op);
      bool isWhole = index && (index.getIn().getType().isInteger(64) || index.getType().isInteger(64));
      if (!isWhole && !(isa<UnrealizedConversionCastOp>(op) && op->getNumOperands() == 1))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  /// Emits code behind the definition of a value from now on. The memory for captures is allocated in front of it.
  void atDefinition(Value value) {
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else if (captured && captured.getParentBlock() == value.getParentBlock())
      builder.setInsertionPointAfter(captured.getDefiningOp());
    else
      builder.setInsertionPointToStart(value.getParentBlock());
  }

  /// True if the value is defined anew in each iteration of a loop.
  bool isInLoop(Value value) {
    Region &region = func.getBody();
    if (region.hasOneBlock())
      return false;
    if (!loops) {
      dominance.emplace(func);
      loops.emplace(dominance->getDomTree(&region));
    }
    return loops->getLoopFor(value.getParentBlock()) != nullptr;
  }

  /// The place of `root` in the memory for captures, and whether it has been there before.
  std::pair<int64_t, bool> findPlace(Value root, Type type) {
    if (!captured) {
      OpBuilder atStart = OpBuilder::atBlockBegin(&func.getBody().front());
      Value none = LLVM::ConstantOp::create(atStart, *loc, atStart.getI64IntegerAttr(0));
      captured = LLVM::AllocaOp::create(atStart, *loc, pointer, atStart.getI8Type(), none, /*alignment=*/8);
    }
    auto [known, isNew] = places.try_emplace(root, 0);
    if (!isNew)
      return {known->second, true};
    auto alloca = captured.getDefiningOp<LLVM::AllocaOp>();
    auto bytes = alloca.getArraySize().getDefiningOp<LLVM::ConstantOp>();
    int64_t size = static_cast<int64_t>(DataLayout::closest(func).getTypeSize(type)),
            alignment = static_cast<int64_t>(llvm::PowerOf2Ceil(size));
    known->second = llvm::alignTo(cast<IntegerAttr>(bytes.getValue()).getInt(), alignment);
    bytes.setValueAttr(builder.getI64IntegerAttr(known->second + size));
    alloca.setAlignment(std::max<int64_t>(*alloca.getAlignment(), alignment));
    return {known->second, false};
  }

  /// Stores a number or an address for a parallel region, and loads it in its body. The parallel regions of a function
  /// share the memory, and a value has one place in it. What no loop computes is stored once, where it is defined.
  Value pass(rt::ParallelOp parallel, Value value, OpBuilder &body) {
    Type type = converter.convertType(value.getType());
    Value root = getRoot(value);
    auto [place, isKnown] = findPlace(root, type);
    bool isOften = isInLoop(root);
    if (isOften || !isKnown) {
      isOften ? builder.setInsertionPoint(parallel) : atDefinition(root);
      LLVM::StoreOp::create(builder, *loc, convert(builder, type, root), address(captured, place));
    }
    auto load = LLVM::LoadOp::create(body, *loc, type, address(body, body.getInsertionBlock()->getArgument(0), place));
    load.setInvariant(true);
    return convert(body, value.getType(), load);
  }

  /// A field of the descriptor of a buffer, which was put there, or is extracted where the descriptor is defined.
  Value getField(Value buffer, ArrayRef<int64_t> position) {
    Value descriptor = getRoot(buffer);
    if (isa<MemRefType>(descriptor.getType())) {
      Value &known = descriptors[descriptor];
      if (!known) {
        atDefinition(descriptor);
        known = convert(builder, converter.convertType(descriptor.getType()), descriptor);
      }
      descriptor = known;
    }
    Value whole = descriptor;
    while (auto insertion = whole.getDefiningOp<LLVM::InsertValueOp>()) {
      if (insertion.getPosition() == position)
        return insertion.getValue();
      whole = insertion.getContainer();
    }
    auto &known = fields[descriptor];
    for (auto &[at, field] : known)
      if (ArrayRef(at) == position)
        return field;
    atDefinition(descriptor);
    Value field = LLVM::ExtractValueOp::create(builder, *loc, descriptor, position);
    known.emplace_back(llvm::to_vector(position), field);
    return field;
  }

  /// Stores for a parallel region what the type of a buffer does not tell, and describes the buffer in its body.
  Value passBuffer(rt::ParallelOp parallel, Value buffer, OpBuilder &body) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)))
      llvm_unreachable("buffers have strides");
    auto descriptor = MemRefDescriptor::poison(body, *loc, converter.convertType(type));
    auto get = [&](int64_t known, ArrayRef<int64_t> position) -> Value {
      if (!ShapedType::isDynamic(known))
        return LLVM::ConstantOp::create(body, *loc, body.getI64IntegerAttr(known));
      return pass(parallel, getField(buffer, position), body);
    };
    // The positions of the fields are those of MLIR's descriptors.
    Value data = pass(parallel, getField(buffer, {1}), body);
    descriptor.setAllocatedPtr(body, *loc, data);
    descriptor.setAlignedPtr(body, *loc, data);
    descriptor.setOffset(body, *loc, get(offset, {2}));
    Value dense;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      Value size = get(type.getDimSize(dim), {3, dim});
      Value stride = type.getLayout().isIdentity() && dense ? dense : get(strides[dim], {4, dim});
      descriptor.setSize(body, *loc, dim, size);
      descriptor.setStride(body, *loc, dim, stride);
      dense = dim ? LLVM::MulOp::create(body, *loc, stride, size).getResult() : Value();
    }
    return convert(body, type, descriptor);
  }

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
  Value address(OpBuilder &at, Value base, int64_t offset) {
    if (offset == 0)
      return base;
    Value bytes = LLVM::ConstantOp::create(at, *loc, at.getI64IntegerAttr(offset));
    return LLVM::GEPOp::create(at, *loc, pointer, at.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
  }
  Value address(Value base, int64_t offset) { return address(builder, base, offset); }
  /// Loads a field. An invariant load has the same result during the whole call, so LLVM may move it out of loops.
  Value load(Value base, int64_t offset, Type type, bool invariant = true) {
    auto result = LLVM::LoadOp::create(builder, *loc, type, address(base, offset));
    // A call does not write to the tables of the frame or to the shapes of inputs. Late outputs and faults are
    // exceptions.
    result.setInvariant(invariant);
    return result;
  }
  /// Loads the address of a table from the frame, once for the function: CSE looks for stores between equal loads, all
  /// the way from the first one.
  Value getTable(int64_t offset) {
    Value &table = tables[offset];
    if (!table) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&func.getBody().front());
      table = load(func.getArgument(0), offset, pointer);
    }
    return table;
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
  /// The addresses of tables, by their offsets in the frame.
  llvm::DenseMap<int64_t, Value> tables;
  /// The memory on the stack that parallel regions pass to their bodies, or null. Where each value is in it.
  Value captured;
  llvm::DenseMap<Value, int64_t> places;
  /// The descriptors of buffers, and fields that were extracted from descriptors.
  llvm::DenseMap<Value, Value> descriptors;
  llvm::DenseMap<Value, SmallVector<std::pair<SmallVector<int64_t>, Value>>> fields;
  /// The loops of the function, once it is known whether it has some.
  std::optional<DominanceInfo> dominance;
  std::optional<CFGLoopInfo> loops;
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
                rt::FailOp, rt::ParallelOp>([&](auto rt) { frame.lower(rt); });
    });
  }
};
} // namespace
