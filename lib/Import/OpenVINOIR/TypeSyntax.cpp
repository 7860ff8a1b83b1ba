// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TypeSyntax.cpp - Element types and shapes as the IR spells them ----===//
//
// The table below has all element types that the importer supports. Another type of OpenVINO is reported as not
// supported, and any other text as unknown.
//
//===----------------------------------------------------------------------===//

#include "TypeSyntax.h"

#include "SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

namespace {
/// The spellings of an element type in attributes (`name`) and in ports (`precision`). `kind` is 'f' for IEEE floats,
/// 'b' for bfloat16, 'i' for signed and boolean, and 'u' for unsigned integers.
struct TypeName {
  llvm::StringLiteral name, precision;
  unsigned bits;
  char kind;
};
} // namespace

static constexpr TypeName typeNames[] = {
    {"f16", "FP16", 16, 'f'},    {"bf16", "BF16", 16, 'b'}, {"f32", "FP32", 32, 'f'}, {"f64", "FP64", 64, 'f'},
    {"i8", "I8", 8, 'i'},        {"i16", "I16", 16, 'i'},   {"i32", "I32", 32, 'i'},  {"i64", "I64", 64, 'i'},
    {"u8", "U8", 8, 'u'},        {"u16", "U16", 16, 'u'},   {"u32", "U32", 32, 'u'},  {"u64", "U64", 64, 'u'},
    {"boolean", "BOOL", 1, 'i'},
};
// Types of OpenVINO that are not supported. Those of ov::PackedFormat are supported in constants.
static constexpr llvm::StringLiteral otherTypes[] = {"string", "custom"};

ElementType recur::ir::parseElementType(StringRef text, MLIRContext *context) {
  text = text.trim();
  for (const TypeName &entry : typeNames) {
    if (!text.equals_insensitive(entry.name) && !text.equals_insensitive(entry.precision))
      continue;
    switch (entry.kind) {
    case 'b':
      return {BFloat16Type::get(context)};
    case 'f':
      if (entry.bits == 16)
        return {Float16Type::get(context)};
      return {entry.bits == 32 ? Type(Float32Type::get(context)) : Type(Float64Type::get(context))};
    default:
      return {IntegerType::get(context, entry.bits, entry.kind == 'u' ? IntegerType::Unsigned : IntegerType::Signless)};
    }
  }
  for (StringRef open : {"dynamic", "undefined", "unspecified"})
    if (text.equals_insensitive(open))
      return {Type(), /*isOpen=*/true};
  std::string refusal = "element type " + quoted(text) + " is not supported";
  // Ports call u1 BIN.
  if (std::optional<ov::PackedFormat> format =
          ov::symbolizePackedFormat(text.equals_insensitive("bin") ? "u1" : text.lower()))
    return {Type(), false, refusal + ", except in constants", format};
  if (llvm::any_of(otherTypes, [&](StringRef other) { return text.equals_insensitive(other); }))
    return {Type(), false, refusal};
  SmallVector<StringRef> names;
  for (const TypeName &entry : typeNames)
    names.push_back(entry.name);
  return {Type(), false, "unknown element type " + quoted(text) + didYouMean(text, names)};
}

FailureOr<int64_t> recur::ir::parseDim(StringRef text, std::string &problem) {
  text = text.trim();
  auto fail = [&](StringRef expected) -> FailureOr<int64_t> {
    problem = "expected " + expected.str() + ", but got " + quoted(text);
    return failure();
  };
  if (text == "?" || text == "-1")
    return ShapedType::kDynamic;
  if (size_t dots = text.find(".."); dots != StringRef::npos) {
    // No later stage uses the bounds of an interval, but they must be valid.
    int64_t bounds[2] = {0, std::numeric_limits<int64_t>::max()};
    StringRef parts[2] = {text.take_front(dots).trim(), text.drop_front(dots + 2).trim()};
    for (int i : {0, 1}) {
      if (parts[i].empty())
        continue;
      std::optional<int64_t> bound = parseInteger(parts[i]);
      if (!bound || *bound < 0)
        return fail("an interval of dims");
      bounds[i] = *bound;
    }
    if (parts[0].empty() && parts[1].empty())
      return fail("an interval of dims");
    if (bounds[0] > bounds[1])
      return fail("an interval whose lower bound is not above its upper bound");
    return bounds[0] == bounds[1] ? bounds[0] : ShapedType::kDynamic;
  }
  std::optional<int64_t> dim = parseInteger(text);
  if (!dim || *dim < 0)
    return fail("a dim (a non-negative integer, '?' or an interval)");
  return *dim;
}

FailureOr<SmallVector<int64_t>> recur::ir::parseShape(StringRef text, std::string &problem) {
  text = text.trim();
  StringRef whole = text;
  if (text.starts_with("[") && text.ends_with("]"))
    text = text.drop_front().drop_back().trim();
  SmallVector<int64_t> dims;
  if (text.empty())
    return dims;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    FailureOr<int64_t> dim = parseDim(part, problem);
    if (failed(dim)) {
      problem += " in shape " + quoted(whole);
      return failure();
    }
    dims.push_back(*dim);
  }
  return dims;
}

std::string recur::ir::spell(ArrayRef<int64_t> dims) {
  std::string result = "[";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (i != 0)
      result += ",";
    result += ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
  }
  return result + "]";
}

std::string recur::ir::spell(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return spell(tensor.getElementType()) + spell(tensor.getShape());
  if (isa<BFloat16Type>(type))
    return "bf16";
  if (auto number = dyn_cast<FloatType>(type))
    return "f" + std::to_string(number.getWidth());
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "boolean";
    return (integer.isUnsigned() ? "u" : "i") + std::to_string(integer.getWidth());
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

StringRef recur::ir::spellPrecision(Type element) {
  std::string name = spell(element);
  for (const TypeName &entry : typeNames)
    if (entry.name == name)
      return entry.precision;
  return "";
}

std::optional<uint64_t> recur::ir::countElements(ArrayRef<int64_t> dims, uint64_t limit) {
  uint64_t count = 1;
  for (int64_t dim : dims) {
    // A dim of 0 must not hide other dims that are too large.
    if (ShapedType::isDynamic(dim) || dim == 0)
      continue;
    bool overflowed = false;
    count = llvm::SaturatingMultiply<uint64_t>(count, dim, &overflowed);
    if (overflowed || count > limit)
      return std::nullopt;
  }
  return count;
}

unsigned recur::ir::getStoredBytes(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }
