// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Explain.cpp - shows what a model does ------------------------------===//
//
// The model is lowered several times, in copies: as it is, to count the work that its file states, and optimized.
//
//===----------------------------------------------------------------------===//
#include "Recur/Explain/Explain.h"

#include "Names.h"
#include "Remarks.h"
#include "Structure.h"
#include "Times.h"

#include "Recur/Benchmark/ModelWork.h"
#include "Recur/Compiler/Report.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace recur;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The work of an iteration of the loops of `work` for which `isOf` holds; with -1, that outside of all loops. Nullopt
/// if there is no such loop.
static std::optional<ExplainedWork> sumWork(const ModelWork &work, function_ref<bool(int)> isOf) {
  std::optional<ExplainedWork> sum;
  auto getLoop = [&](int loop) { return loop < 0 ? nullptr : &work.loops[loop]; };
  // The bytes of each constant that are read, at most all that it has.
  DenseMap<const void *, double> read;
  for (int i = -1, end = work.loops.size(); i < end; ++i)
    if (isOf(i) && !sum)
      sum = ExplainedWork{0, i < 0 ? 1 : work.loops[i].isKnown ? std::optional(work.loops[i].times) : std::nullopt, 0};
  for (const WorkPart &part : work.parts) {
    if (!isOf(part.loop))
      continue;
    const WorkLoop *loop = getLoop(part.loop);
    // A loop that never runs has no iteration.
    double perIteration = !loop ? part.times : loop->times ? part.times / loop->times : 0;
    for (const ReadConstant &constant : part.constants) {
      double &bytes = read[constant.id];
      bytes = std::min(bytes + perIteration * constant.bytes, constant.all);
    }
    if (!part.isKnown)
      sum->flops = std::nullopt;
    else if (sum->flops)
      *sum->flops += perIteration * part.flops;
  }
  for (const auto &[id, bytes] : read)
    sum->weightBytes += bytes;
  return sum;
}

/// Gives each loop of a body the work of the code that has its location.
static void assignWork(ExplainedBody &body, const ModelWork &work, ArrayRef<LayerPlace> layers) {
  for (ExplainedLoop &loop : body.loops) {
    loop.body.work = sumWork(work, [&](int i) { return i >= 0 && layers[i] == loop.layer; });
    assignWork(loop.body, work, layers);
  }
}

/// Counts the work of a module of Stage::Linalg.
static void addWork(ExplainedBody &body, mlir::ModuleOp module, const SourceMgr &sources) {
  ModelWork work = countWork(module);
  std::vector<LayerPlace> layers;
  layers.reserve(work.loops.size());
  for (const WorkLoop &loop : work.loops)
    layers.push_back(findLayer(loop.loc, sources));
  body.work = sumWork(work, [](int i) { return i < 0; });
  assignWork(body, work, layers);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Expected<Explanation> recur::explain(Model &model, const SourceMgr &sources, StringRef path,
                                     const CompileOptions &options, bool measures) {
  mlir::ModuleOp module = *model.module;
  if (Stage stage = getStage(module); stage > Stage::Simplify)
    return createStringError("expected a module of stage 'simplify' or before, but got one of '" +
                             stringifyStage(stage) + "'");
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  auto copy = [&] { return Model{module.clone(), model.weights, model.files}; };
  auto fail = [] { return createStringError("the model cannot be compiled"); };

  Explanation result;
  if (auto name = module->getAttrOfType<mlir::StringAttr>(kModelNameAttr))
    result.name = name.str();
  result.file = sys::path::filename(path).str();
  result.tensors = describeTensors(module);
  result.stated = describeStructure(module, sources);
  if (measures) {
    Model measured = copy();
    Expected<ExplainedTimes> times = measureTimes(measured, options);
    if (!times)
      return times.takeError();
    result.times = std::move(*times);
  }
  {
    Model plain = copy();
    CompileOptions own = options;
    own.optimize = false;
    // The remarks of this copy are no decisions about the model.
    mlir::ScopedDiagnosticHandler ignore(module.getContext(), [](mlir::Diagnostic &diagnostic) {
      return mlir::success(diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error);
    });
    if (mlir::failed(lower(*plain.module, Stage::Linalg, own, **machine)))
      return fail();
    addWork(result.stated, *plain.module, sources);
  }
  RemarkCollector collector(*module.getContext(), sources);
  Model compiled = copy();
  if (mlir::failed(lower(*compiled.module, Stage::Simplify, options, **machine)))
    return fail();
  result.simplified = describeStructure(*compiled.module, sources);
  if (mlir::failed(lower(*compiled.module, Stage::Linalg, options, **machine)))
    return fail();
  addWork(result.simplified, *compiled.module, sources);
  CompileOptions own = options;
  own.report = true;
  Expected<CompiledModel> product = compile(compiled, own, EmitKind::Object, WeightsPlacement::Given);
  if (!product)
    return product.takeError();
  for (auto &[subject, fact] : describeProduct(*product, /*isObject=*/true))
    result.product.push_back({subject.str(), fact});
  result.remarks = std::move(collector.remarks);
  return result;
}
