// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestModel.cpp - models written by hand, for the tests --------------===//
//
// The LLVM IR of the models of TestModel.h. Each defines what the generated code of a model must define
// (ModelContract.h).
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace recur {

static const char typesIR[] = R"(
  %tensor = type { ptr, ptr, ptr, i32, i32, i64 }
  %frame = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, [4 x i64] }
)";

TestModel makeAddModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      store i64 4, ptr %dims
      store i64 128, ptr %bytes
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      %inputs = load ptr, ptr %frame
      %a = load ptr, ptr %inputs
      %b.at = getelementptr %tensor, ptr %inputs, i64 1
      %b = load ptr, ptr %b.at
      %outputs.at = getelementptr %frame, ptr %frame, i64 0, i32 1
      %outputs = load ptr, ptr %outputs.at
      %out = load ptr, ptr %outputs
      %w.at = getelementptr %frame, ptr %frame, i64 0, i32 3
      %w = load ptr, ptr %w.at
      %x = load <4 x float>, ptr %a, align 4
      %y = load <4 x float>, ptr %b, align 4
      %z = load <4 x float>, ptr %w, align 64
      %s = fadd <4 x float> %x, %y
      %t = fadd <4 x float> %s, %z
      store <4 x float> %t, ptr %out, align 4
      ret i32 0
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"a", RECUR_F32, {4}}, {"b", RECUR_F32, {4}}};
  model.description.outputs = {{"sum", RECUR_F32, {4}}};
  model.description.workspaceBytes = 128;
  model.description.weightsBytes = 16;
  return model;
}

TestModel makeDynamicAddModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      %inputs = load ptr, ptr %frame
      %a.at = getelementptr %tensor, ptr %inputs, i64 0, i32 1
      %a = load ptr, ptr %a.at
      %b.at = getelementptr %tensor, ptr %inputs, i64 1, i32 1
      %b = load ptr, ptr %b.at
      %n = load i64, ptr %a
      %m = load i64, ptr %b
      store i64 0, ptr %bytes
      %same = icmp eq i64 %n, %m
      br i1 %same, label %good, label %bad
    bad:
      %site = getelementptr %frame, ptr %frame, i64 0, i32 7
      store i64 0, ptr %site
      %d0 = getelementptr %frame, ptr %frame, i64 0, i32 8, i32 0
      store i64 %n, ptr %d0
      %d1 = getelementptr %frame, ptr %frame, i64 0, i32 8, i32 1
      store i64 %m, ptr %d1
      ret i32 2
    good:
      store i64 %n, ptr %dims
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      %inputs = load ptr, ptr %frame
      %a = load ptr, ptr %inputs
      %n.at = getelementptr %tensor, ptr %inputs, i64 0, i32 1
      %shape = load ptr, ptr %n.at
      %n = load i64, ptr %shape
      %b.at = getelementptr %tensor, ptr %inputs, i64 1
      %b = load ptr, ptr %b.at
      %outputs.at = getelementptr %frame, ptr %frame, i64 0, i32 1
      %outputs = load ptr, ptr %outputs.at
      %out = load ptr, ptr %outputs
      br label %header
    header:
      %i = phi i64 [ 0, %0 ], [ %next, %body ]
      %more = icmp slt i64 %i, %n
      br i1 %more, label %body, label %exit
    body:
      %x.at = getelementptr float, ptr %a, i64 %i
      %x = load float, ptr %x.at
      %y.at = getelementptr float, ptr %b, i64 %i
      %y = load float, ptr %y.at
      %s = fadd float %x, %y
      %o.at = getelementptr float, ptr %out, i64 %i
      store float %s, ptr %o.at
      %next = add i64 %i, 1
      br label %header
    exit:
      ret i32 0
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"a", RECUR_F32, {-1}}, {"b", RECUR_F32, {-1}}};
  model.description.outputs = {{"sum", RECUR_F32, {-1}}};
  model.description.faults = {{RECUR_E_SHAPE, "a and b clash: {0} and {1} elements"}};
  return model;
}

TestModel makeUnknownLengthModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    declare ptr @recur_frame_alloc(ptr, i64)
    declare ptr @recur_frame_output(ptr, i64, i64)
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      store i64 -1, ptr %dims
      store i64 0, ptr %bytes
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      %inputs = load ptr, ptr %frame
      %v.at = load ptr, ptr %inputs
      %v = load i64, ptr %v.at
      %negative = icmp slt i64 %v, 0
      br i1 %negative, label %trip, label %start
    trip:
      %site = getelementptr %frame, ptr %frame, i64 0, i32 7
      store i64 0, ptr %site
      %d0 = getelementptr %frame, ptr %frame, i64 0, i32 8, i32 0
      store i64 %v, ptr %d0
      ret i32 11
    start:
      %outputs.at = getelementptr %frame, ptr %frame, i64 0, i32 1
      %outputs = load ptr, ptr %outputs.at
      %bytes = shl i64 %v, 2
      %scratch = call ptr @recur_frame_alloc(ptr %frame, i64 %bytes)
      %none = icmp eq ptr %scratch, null
      br i1 %none, label %fail, label %take
    take:
      %out = call ptr @recur_frame_output(ptr %frame, i64 0, i64 %bytes)
      %short = icmp eq ptr %out, null
      br i1 %short, label %fail, label %ready
    fail:
      %status.at = getelementptr %frame, ptr %frame, i64 0, i32 8, i32 3
      %status = load i64, ptr %status.at
      %code = trunc i64 %status to i32
      ret i32 %code
    ready:
      %shape.at = getelementptr %tensor, ptr %outputs, i64 0, i32 1
      %shape = load ptr, ptr %shape.at
      store i64 %v, ptr %shape
      br label %header
    header:
      %i = phi i64 [ 0, %ready ], [ %next, %body ]
      %more = icmp slt i64 %i, %v
      br i1 %more, label %body, label %exit
    body:
      %s.at = getelementptr i32, ptr %scratch, i64 %i
      store i32 7, ptr %s.at
      %s = load i32, ptr %s.at
      %o.at = getelementptr i32, ptr %out, i64 %i
      store i32 %s, ptr %o.at
      %next = add i64 %i, 1
      br label %header
    exit:
      ret i32 0
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"count", RECUR_I64, {}}};
  model.description.outputs = {{"sevens", RECUR_I32, {-1}}};
  model.description.faults = {{RECUR_E_TRIP, "the trip count is {0}"}};
  return model;
}

TestModel makeRampModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      %inputs = load ptr, ptr %frame
      %data = load ptr, ptr %inputs
      %n = load i64, ptr %data
      store i64 %n, ptr %dims
      store i64 0, ptr %bytes
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      %inputs = load ptr, ptr %frame
      %data = load ptr, ptr %inputs
      %n = load i64, ptr %data
      %outputs.at = getelementptr %frame, ptr %frame, i64 0, i32 1
      %outputs = load ptr, ptr %outputs.at
      %out = load ptr, ptr %outputs
      br label %header
    header:
      %i = phi i64 [ 0, %0 ], [ %next, %body ]
      %more = icmp slt i64 %i, %n
      br i1 %more, label %body, label %exit
    body:
      %o.at = getelementptr i64, ptr %out, i64 %i
      store i64 %i, ptr %o.at
      %next = add i64 %i, 1
      br label %header
    exit:
      ret i32 0
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"count", RECUR_I64, {}, /*decidesSizes=*/true}};
  model.description.outputs = {{"ramp", RECUR_I64, {-1}}};
  return model;
}

TestModel makeFaultyModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      %inputs = load ptr, ptr %frame
      %data = load ptr, ptr %inputs
      %n = load i64, ptr %data
      store i64 1, ptr %dims
      store i64 %n, ptr %bytes
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      ret i32 22
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"bytes", RECUR_I64, {}, /*decidesSizes=*/true}};
  model.description.outputs = {{"out", RECUR_I64, {1}}};
  return model;
}

TestModel makeBooleanCopyModel(std::string name) {
  TestModel model;
  model.ir = std::string(typesIR) + R"(
    define i32 @recur_model_sizes(ptr %frame, ptr %dims, ptr %bytes) {
      store i64 4, ptr %dims
      store i64 0, ptr %bytes
      ret i32 0
    }
    define i32 @recur_model_compute(ptr %frame) {
      %inputs = load ptr, ptr %frame
      %in = load ptr, ptr %inputs
      %outputs.at = getelementptr %frame, ptr %frame, i64 0, i32 1
      %outputs = load ptr, ptr %outputs.at
      %out = load ptr, ptr %outputs
      %x = load i32, ptr %in, align 1
      store i32 %x, ptr %out, align 1
      ret i32 0
    }
  )";
  model.description.name = std::move(name);
  model.description.inputs = {{"in", RECUR_BOOLEAN, {4}}};
  model.description.outputs = {{"out", RECUR_BOOLEAN, {4}}};
  model.description.workspaceBytes = 0;
  return model;
}

SmallVector<char, 0> compileModel(const TestModel &model, const TargetConfig &options, WeightsPlacement placement) {
  SmallVector<char, 0> object;
  LLVMContext context;
  SMDiagnostic diagnostic;
  auto levels = createLevels(options);
  if (!levels) {
    ADD_FAILURE() << toString(levels.takeError());
    return object;
  }
  std::unique_ptr<Module> module;
  for (const auto &level : *levels) {
    std::unique_ptr<Module> own = parseAssemblyString(model.ir, diagnostic, context);
    EXPECT_TRUE(own) << diagnostic.getMessage().str();
    setTarget(*own, *level);
    if (levels->size() > 1)
      nameLevel(*own, *level);
    if (!module)
      module = std::move(own);
    else
      EXPECT_FALSE(Linker::linkModules(*module, std::move(own)));
  }
  emitModelInfo(*module, model.description, *levels, placement);
  Error error = linkABIShim(*module, model.description, *levels);
  if (!error)
    error = optimizeModule(*module, *levels, options.optLevel);
  if (!error)
    error = emitModule(*module, *levels->front(), EmitKind::Object, object);
  EXPECT_FALSE(!!error) << toString(std::move(error));
  return object;
}

} // namespace recur
