// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Probe.cpp - What this machine reaches at most ----------------------===//
//
// The loops are LLVM IR, so that they have the machine's widest vectors, and no other code than the one below: only the
// code generator runs on them, which neither removes loads nor joins the passes over a buffer.
//
//===----------------------------------------------------------------------===//

#include "Recur/Benchmark/Probe.h"

#include "Recur/Target/JIT.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace recur;

namespace {
using FlopsFunction = void(int64_t iterations, void *sum);
using LoadsFunction = void(const void *buffer, int64_t bytes, int64_t passes, void *sum);
using ProductFunction = void(const void *rows, const void *matrix, int64_t blocks, int64_t passes, void *sums);

/// Of a multiply-add: x * kFactor + kSummand. The values stay finite, and differ after each step for a long time.
constexpr float kFactor = 1.0f - 0x1p-12f, kSummand = 1.0f;
/// Seconds of one measurement, of which the best of kTries counts.
constexpr double kSeconds = 0.01;
constexpr int kTries = 5;
/// No buffer is greater. A level that needs more is not probed.
constexpr uint64_t kMostBytes = uint64_t(1) << 29;
} // namespace

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Builds a loop in which an index runs from 0 to `end`, which is at least one step, and `values` change by `body`.
static SmallVector<Value *> buildLoop(IRBuilder<> &builder, Value *end, int64_t step, ArrayRef<Value *> values,
                                      function_ref<void(Value *index, SmallVectorImpl<Value *> &values)> body) {
  BasicBlock *before = builder.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *header = BasicBlock::Create(builder.getContext(), "loop", function);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), before);
  SmallVector<Value *> next;
  for (Value *value : values) {
    PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    next.push_back(phi);
  }
  SmallVector<Value *> phis = next;
  body(index, next);
  Value *following = builder.CreateAdd(index, builder.getInt64(step));
  BasicBlock *last = builder.GetInsertBlock();
  index->addIncoming(following, last);
  for (auto [phi, value] : zip(phis, next))
    cast<PHINode>(phi)->addIncoming(value, last);
  BasicBlock *after = BasicBlock::Create(builder.getContext(), "after", function);
  builder.CreateCondBr(builder.CreateICmpULT(following, end), header, after);
  builder.SetInsertPoint(after);
  return next;
}

static Function *makeFunction(Module &module, IRBuilder<> &builder, StringRef name, ArrayRef<Type *> arguments) {
  auto *function = Function::Create(FunctionType::get(builder.getVoidTy(), arguments, false), Function::ExternalLinkage,
                                    name, module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

/// Builds `probe_product`. Each tile asks for some of the cache lines of the next block, in the order of the addresses.
static void buildProduct(Module &module, IRBuilder<> &builder, unsigned lanes, unsigned rows) {
  constexpr unsigned kLine = 64;
  Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty(), *element = builder.getFloatTy();
  auto *vector = FixedVectorType::get(element, lanes);
  uint64_t vectorBytes = 4 * lanes, blockBytes = 2 * vectorBytes * kProbeShared;
  Function *product = makeFunction(module, builder, "probe_product", {pointer, pointer, index, index, pointer});
  Value *a = product->getArg(0), *b = product->getArg(1), *c = product->getArg(4);
  auto at = [&](Value *base, Value *bytes) { return builder.CreatePtrAdd(base, bytes); };
  auto number = [&](uint64_t value) { return builder.getInt64(value); };
  buildLoop(builder, product->getArg(3), 1, {}, [&](Value *, SmallVectorImpl<Value *> &) {
    buildLoop(builder, product->getArg(2), 1, {}, [&](Value *block, SmallVectorImpl<Value *> &) {
      Value *place = at(b, builder.CreateMul(block, number(blockBytes)));
      for (unsigned tile = 0; tile < kProbeTiles; ++tile) {
        SmallVector<Value *> sums;
        auto getPlace = [&](unsigned i) { return at(c, number((tile * rows * 2 + i) * vectorBytes)); };
        for (unsigned i = 0; i < 2 * rows; ++i)
          sums.push_back(builder.CreateAlignedLoad(vector, getPlace(i), Align(vectorBytes)));
        Value *ahead = at(place, number(blockBytes + tile * kLine * kProbeShared));
        sums = buildLoop(builder, number(kProbeShared), 1, sums, [&](Value *k, SmallVectorImpl<Value *> &values) {
          if (tile * kLine * kProbeShared < blockBytes)
            builder.CreateIntrinsic(Intrinsic::prefetch, {pointer},
                                    {at(ahead, builder.CreateMul(k, number(kLine))), builder.getInt32(0),
                                     builder.getInt32(2), builder.getInt32(1)});
          Value *columns[2];
          for (unsigned i = 0; i < 2; ++i)
            columns[i] = builder.CreateAlignedLoad(
                vector,
                at(place, builder.CreateAdd(builder.CreateMul(k, number(2 * vectorBytes)), number(i * vectorBytes))),
                Align(vectorBytes));
          for (unsigned row = 0; row < rows; ++row) {
            Value *from = at(
                a, builder.CreateAdd(builder.CreateMul(k, number(4)), number((tile * rows + row) * kProbeShared * 4)));
            Value *factor = builder.CreateVectorSplat(lanes, builder.CreateAlignedLoad(element, from, Align(4)));
            for (unsigned i = 0; i < 2; ++i)
              values[2 * row + i] =
                  builder.CreateIntrinsic(Intrinsic::fmuladd, {vector}, {factor, columns[i], values[2 * row + i]});
          }
        });
        for (auto [i, sum] : enumerate(sums))
          builder.CreateAlignedStore(sum, getPlace(i), Align(vectorBytes));
      }
    });
  });
  builder.CreateRetVoid();
}

/// True if the machine has 32 vector registers.
static bool hasManyRegisters(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isAArch64() || vectorBits(machine) >= 512;
}

std::unique_ptr<Module> recur::makeProbe(LLVMContext &context, const llvm::TargetMachine &machine) {
  auto module = std::make_unique<Module>("probe", context);
  IRBuilder<> builder(context);
  unsigned lanes = vectorBits(machine) / 32;
  Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty();

  Function *flops = makeFunction(*module, builder, "probe_flops", {index, pointer});
  auto *floats = FixedVectorType::get(builder.getFloatTy(), lanes);
  Value *factor = ConstantFP::get(floats, kFactor), *summand = ConstantFP::get(floats, kSummand);
  SmallVector<Value *> sums;
  for (unsigned i = 0; i < kProbeProducts; ++i)
    sums.push_back(ConstantFP::get(floats, i));
  sums = buildLoop(builder, flops->getArg(0), 1, sums, [&](Value *, SmallVectorImpl<Value *> &values) {
    for (Value *&value : values)
      value = builder.CreateIntrinsic(Intrinsic::fmuladd, {floats}, {value, factor, summand});
  });
  for (unsigned i = 1; i < kProbeProducts; ++i)
    sums[0] = builder.CreateFAdd(sums[0], sums[i]);
  builder.CreateAlignedStore(sums[0], flops->getArg(1), Align(64));
  builder.CreateRetVoid();

  Function *loads = makeFunction(*module, builder, "probe_loads", {pointer, index, index, pointer});
  auto *integers = FixedVectorType::get(builder.getInt32Ty(), lanes);
  sums.assign(kProbeLoads, Constant::getNullValue(integers));
  int64_t bytes = 4 * lanes;
  sums = buildLoop(builder, loads->getArg(2), 1, sums, [&](Value *, SmallVectorImpl<Value *> &outer) {
    outer = buildLoop(
        builder, loads->getArg(1), bytes * kProbeLoads, outer, [&](Value *offset, SmallVectorImpl<Value *> &values) {
          for (unsigned i = 0; i < kProbeLoads; ++i) {
            Value *place =
                builder.CreatePtrAdd(loads->getArg(0), builder.CreateAdd(offset, builder.getInt64(bytes * i)));
            values[i] = builder.CreateAdd(values[i], builder.CreateAlignedLoad(integers, place, Align(64)));
          }
        });
  });
  for (unsigned i = 1; i < kProbeLoads; ++i)
    sums[0] = builder.CreateAdd(sums[0], sums[i]);
  builder.CreateAlignedStore(sums[0], loads->getArg(3), Align(64));
  builder.CreateRetVoid();

  buildProduct(*module, builder, lanes, getProbeRows(hasManyRegisters(machine)));
  setTarget(*module, machine);
  return module;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Runs `work` in `threads` threads at once, and returns the seconds until the last one ends.
static double timeThreads(unsigned threads, function_ref<void(unsigned thread)> work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work, i);
  work(0);
  for (std::thread &other : others)
    other.join();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The greatest number of units of work per second and thread that lasts: a cache may deliver the first passes over a
/// buffer faster than the later ones. `work` does `count` units in a thread.
static double findRate(unsigned threads, function_ref<void(unsigned thread, int64_t count)> work) {
  int64_t count = 1;
  double best = 0;
  for (int tries = 0; tries < kTries;) {
    double seconds = timeThreads(threads, [&](unsigned thread) { work(thread, count); });
    if (seconds >= kSeconds) {
      best = std::max(best, count / seconds);
      ++tries;
      continue;
    }
    count *= std::max<int64_t>(2, std::min<int64_t>(1000, 1.2 * kSeconds / std::max(seconds, 1e-7)));
  }
  return best;
}

namespace {
/// The loops in memory, and their results.
class Probe {
public:
  static Expected<std::unique_ptr<Probe>> create(unsigned threads);

  Expected<double> measureFlops();
  Expected<double> measureLoads(uint64_t bytes);
  Expected<double> measureProduct(uint64_t bytes);

private:
  alignas(64) uint32_t sums[16];
  unsigned threads, lanes, rows;
  bool fuses;
  std::unique_ptr<orc::LLJIT> jit;
  FlopsFunction *flops;
  LoadsFunction *loads;
  ProductFunction *product;
};
} // namespace

Expected<std::unique_ptr<Probe>> Probe::create(unsigned threads) {
  auto machine = createTargetMachine(TargetConfig::forHost());
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::unique_ptr<Module> module = makeProbe(context, **machine);
  SmallVector<char, 0> object;
  if (Error error = emitModule(*module, **machine, EmitKind::Object, object))
    return error;
  auto jit = linkObject(std::make_unique<SmallVectorMemoryBuffer>(std::move(object), /*RequiresNullTerminator=*/false));
  if (!jit)
    return jit.takeError();
  auto probe = std::make_unique<Probe>();
  probe->threads = threads;
  probe->lanes = vectorBits(**machine) / 32;
  probe->rows = kProbeTiles * getProbeRows(hasManyRegisters(**machine));
  // LLVM fuses llvm.fmuladd where the machine does.
  probe->fuses = (*machine)->getTargetTriple().isAArch64() || (*machine)->getMCSubtargetInfo()->checkFeatures("+fma");
  probe->jit = std::move(*jit);
  auto flops = probe->jit->lookup("probe_flops"), loads = probe->jit->lookup("probe_loads"),
       product = probe->jit->lookup("probe_product");
  if (!flops || !loads || !product)
    return joinErrors(joinErrors(flops.takeError(), loads.takeError()), product.takeError());
  probe->flops = flops->toPtr<FlopsFunction *>();
  probe->loads = loads->toPtr<LoadsFunction *>();
  probe->product = product->toPtr<ProductFunction *>();
  return probe;
}

/// f32 operations per second of all threads.
Expected<double> Probe::measureFlops() {
  constexpr int64_t checked = 1000;
  flops(checked, sums);
  float expected = 0;
  for (unsigned i = 0; i < kProbeProducts; ++i) {
    volatile float value = i, product;
    for (int64_t step = 0; step < checked; ++step) {
      product = value * kFactor;
      value = fuses ? std::fma(float(value), kFactor, kSummand) : product + kSummand;
    }
    expected = i ? expected + value : value;
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (llvm::bit_cast<float>(sums[lane]) != expected)
      return createStringError("internal error: the probe does not do the multiply-adds that it counts");
  double rate = findRate(threads, [&](unsigned, int64_t count) {
    alignas(64) uint32_t ignored[16];
    flops(count, ignored);
  });
  return rate * threads * kProbeProducts * lanes * 2;
}

/// Bytes per second of all threads, each of which reads a buffer of its own.
Expected<double> Probe::measureLoads(uint64_t bytes) {
  std::vector<void *> buffers(threads);
  std::unique_ptr<void, std::function<void(void *)>> release(&buffers, [&](void *) {
    for (void *buffer : buffers)
      std::free(buffer);
  });
  std::vector<uint32_t> expected(lanes);
  for (unsigned thread = 0; thread < threads; ++thread) {
    buffers[thread] = std::aligned_alloc(64, bytes);
    if (!buffers[thread])
      return createStringError("there is no memory for the probe");
    auto *elements = static_cast<uint32_t *>(buffers[thread]);
    for (uint64_t i = 0; i < bytes / 4; ++i) {
      elements[i] = uint32_t(i) * 2654435761u + 12345;
      if (thread == 0)
        expected[i % lanes] += 3 * elements[i];
    }
  }
  loads(buffers[0], bytes, 3, sums);
  if (!std::equal(expected.begin(), expected.end(), sums))
    return createStringError("internal error: the probe does not do the loads that it counts");
  double rate = findRate(threads, [&](unsigned thread, int64_t count) {
    alignas(64) uint32_t ignored[16];
    loads(buffers[thread], bytes, count, ignored);
  });
  return rate * threads * bytes;
}

/// f32 operations per second of all threads, each of which multiplies its rows by a matrix of its own.
Expected<double> Probe::measureProduct(uint64_t bytes) {
  using Memory = std::unique_ptr<float, decltype(&std::free)>;
  unsigned columns = 2 * lanes;
  int64_t blocks = std::max<int64_t>(1, bytes / (kProbeShared * columns * sizeof(float)));
  struct Operands {
    Memory a, b, c;
  };
  std::vector<Operands> operands;
  auto allocate = [](size_t elements) {
    return Memory(static_cast<float *>(std::aligned_alloc(64, alignTo(elements * sizeof(float), 64))), &std::free);
  };
  size_t rowElements = size_t(rows) * kProbeShared, elements = size_t(blocks) * kProbeShared * columns;
  for (unsigned thread = 0; thread < threads; ++thread) {
    operands.push_back({allocate(rowElements), allocate(elements), allocate(size_t(rows) * columns)});
    Operands &own = operands.back();
    if (!own.a || !own.b || !own.c)
      return createStringError("there is no memory for the probe");
    // Products of these numbers are exact, and so are sums of so many, because the mean is 0.
    for (size_t i = 0; i < rowElements; ++i)
      own.a.get()[i] = float(int(i % 7) - 3) / 4;
    for (size_t i = 0; i < elements; ++i)
      own.b.get()[i] = float(int(i % 5) - 2) / 4;
    std::fill_n(own.c.get(), size_t(rows) * columns, 0.0f);
  }
  const Operands &first = operands.front();
  product(first.a.get(), first.b.get(), blocks, 1, first.c.get());
  for (unsigned row : {0u, rows - 1})
    for (unsigned column : {0u, columns - 1}) {
      double expected = 0;
      for (int64_t block = 0; block < blocks; ++block)
        for (unsigned k = 0; k < kProbeShared; ++k)
          expected += double(first.a.get()[row * kProbeShared + k]) *
                      first.b.get()[(block * kProbeShared + k) * columns + column];
      if (first.c.get()[row * columns + column] != expected)
        return createStringError("internal error: the probe does not compute the product that it counts");
    }
  double rate = findRate(threads, [&](unsigned thread, int64_t count) {
    Operands &own = operands[thread];
    product(own.a.get(), own.b.get(), blocks, count, own.c.get());
  });
  return rate * threads * rows * elements * 2;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The size of a cache of this machine, or `typical` if the system does not tell it.
static uint64_t getCacheBytes(int name, uint64_t typical) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : typical;
}

const MemoryLevel &MachineRoof::findLevel(double bytes) const {
  for (const MemoryLevel &level : levels)
    if (bytes <= level.capacity)
      return level;
  return levels.back();
}

Expected<MachineRoof> recur::probeMachine(unsigned threads) {
  auto probe = Probe::create(threads);
  if (!probe)
    return probe.takeError();
  MachineRoof roof;
  Expected<double> flops = (*probe)->measureFlops();
  if (!flops)
    return flops.takeError();
  roof.flops = *flops;
  uint64_t l1 = getCacheBytes(_SC_LEVEL1_DCACHE_SIZE, uint64_t(1) << 15);
  uint64_t l2 = getCacheBytes(_SC_LEVEL2_CACHE_SIZE, uint64_t(1) << 20);
  uint64_t l3 = getCacheBytes(_SC_LEVEL3_CACHE_SIZE, 0);
  // Half of a cache, because others use it as well, and no more than shows that the cache before it does not count.
  // Memory needs far more than the last cache.
  // A second cache may deliver a part of it at another rate than the whole, so both are probed.
  uint64_t part = std::max(l1 * 2, l2 / 4);
  roof.levels = {
      {"L1", l1, l1 / 2, 0, 0}, {"L2", part / 2 * 3, part, 0, 0}, {"L2", l2, std::max(l1 * 2, l2 / 2), 0, 0}};
  if (l3)
    roof.levels.push_back({"L3", l3, std::clamp<uint64_t>(l3 / 2, l2 * 2, l2 * 8), 0, 0});
  if (uint64_t bytes = 4 * std::max(l2, l3); bytes * threads <= kMostBytes)
    roof.levels.push_back({"memory", 0, bytes, 0, 0});
  for (MemoryLevel &level : roof.levels) {
    level.probed = alignDown(level.probed, uint64_t(64) * kProbeLoads);
    Expected<double> bandwidth = (*probe)->measureLoads(level.probed);
    if (!bandwidth)
      return bandwidth.takeError();
    level.bandwidth = *bandwidth;
    Expected<double> product = (*probe)->measureProduct(level.probed);
    if (!product)
      return product.takeError();
    level.flops = *product;
  }
  return roof;
}
