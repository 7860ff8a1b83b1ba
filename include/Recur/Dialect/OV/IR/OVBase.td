// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVBase.td - The ov dialect and its base classes ------*- tablegen -*-===//
//
// The record of an op is the only place that describes it. mlir-tblgen generates the op's C++ class from it, and
// recur-tblgen generates the checks of its constraints and its entry in the importer's table of layers. A new op
// therefore needs no change to a central list.
//
//===----------------------------------------------------------------------===//

#ifndef RECUR_DIALECT_OV_IR_OVBASE_TD
#define RECUR_DIALECT_OV_IR_OVBASE_TD

include "Recur/Dialect/OV/IR/OVInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def OV_Dialect : Dialect {
  let name = "ov";
  let cppNamespace = "::recur::ov";
  let summary = "OpenVINO operations with value semantics on ranked tensors";
  let description = [{
    The dialect has one op for each OpenVINO operation, with OpenVINO's name in snake_case and OpenVINO's attributes.
    Values are ranked tensors; a dim that is known only at run time is `?`. Signless integers are signed, `uiN` is
    unsigned, and `i1` is boolean. Port ids and layer ids of OpenVINO's IR do not exist here: the import replaces them
    by SSA values. The body of a loop captures loop-invariant values from above.

    Some ops can fail at run time: dynamic dims clash, a Gather index or a GatherTree parent is out of range, or an
    integer is divided by 0. Such an op is not `Pure`. It writes the `Fault` resource and is not speculatable, unless
    shapes or constants prove that it cannot fail.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Types
//
// Signless integers are signed, `uiN` is unsigned, and `i1` is boolean. The importer converts the operands that are
// indices (OV_IndexTensor) to i32 or i64, because OpenVINO allows any integer type for these.
//===----------------------------------------------------------------------===//

def OV_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def OV_Integer : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "integer">;
def OV_Number : AnyTypeOf<[OV_Float, OV_Integer], "number">;
def OV_Index : AnyTypeOf<[I32, I64], "i32 or i64">;
def OV_Element : AnyTypeOf<[OV_Number, I1], "number or boolean">;

def OV_Tensor : RankedTensorOf<[OV_Element]>;
def OV_NumberTensor : RankedTensorOf<[OV_Number]>;
def OV_FloatTensor : RankedTensorOf<[OV_Float]>;
def OV_BoolTensor : RankedTensorOf<[I1]>;
def OV_IndexTensor : RankedTensorOf<[OV_Index]>;
def OV_IntegerTensor : RankedTensorOf<[OV_Integer]>;
def OV_BitsTensor : RankedTensorOf<[OV_Integer, I1]>;

/// The element type that an example has for operands of `type`.
class OV_ExampleElement<Type type> {
  string text = !cond(!eq(type, OV_BoolTensor): "i1", !eq(type, OV_IntegerTensor): "i32",
                      !eq(type, OV_BitsTensor): "i32", true: "f32");
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

/// An enum whose values have the same texts as in OpenVINO's IR. `symbols` are the C++ enumerators, `texts` their
/// texts, in the same order.
class OV_Enum<string name, string text, list<string> symbols, list<string> texts> : I32Enum<name, text,
    !foreach(i, !range(!size(symbols)), I32EnumCase<symbols[i], i, texts[i]>)> {
  let cppNamespace = "::recur::ov";
}
/// The attribute that holds a value of the enum `info`.
class OV_EnumAttr<OV_Enum info, string mnemonic> : EnumAttr<OV_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def OV_AutoBroadcast : OV_Enum<"AutoBroadcast", "rule of broadcasting",
  ["None", "Numpy"], ["none", "numpy"]>;
def OV_AutoBroadcastAttr : OV_EnumAttr<OV_AutoBroadcast, "auto_broadcast">;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// A family of operations, which is a folder of OpenVINO's documentation. Each family has a `.td` file, and files of
/// the same name in lib/Dialect/OV/IR, lib/Conversion/OVToLinalg, lib/Interpreter and test.
class OV_Family<string name> : OpDocGroup {
  let summary = name;
  let description = "";
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A constraint of an op. `words` is its text for the documentation. `checkCode` checks it in C++; it is empty if the
/// check is written by hand, usually in `inferTypes`. The code is an expression of type LogicalResult. In it `$x` is
/// the operand or the attribute `x`, and `report` emits the error (lib/Dialect/OV/IR/Rules.h declares the checks). It
/// runs before the result types are inferred.
class OV_Rule<string words, string checkCode = ""> {
  string text = words;
  string check = checkCode;
}

/// A list of names of operands: `text` for the documentation, `values` as C++ arguments.
class OV_Names<list<string> names> {
  string text = !interleave(!foreach(name, names, "`" # name # "`"), ", ");
  string values = !interleave(!foreach(name, names, "$" # name), ", ");
}

/// C++ code that calls the check `function` for each name and succeeds if all calls do.
class OV_EachName<string function, list<string> names> {
  string check = "success(" # !interleave(!foreach(name, names,
    "succeeded(" # function # "(report, \"" # name # "\", $" # name # "))"), " && ") # ")";
}

/// The operands have one element type. An optional operand that is absent counts as equal.
class OV_SameElementType<list<string> names> : OV_Rule<
  "The element types of " # OV_Names<names>.text # " are equal.",
  "expectSameElementType(report, {" # OV_Names<names>.values # "})">;
/// A variadic operand has at least one value, and all its values have one element type.
class OV_SameElementTypes<string name> : OV_Rule<
  "`" # name # "` has one operand at least; their element types are equal.",
  "expectOperands(report, \"" # name # "\", $" # name # ")">;
/// The rank is from `least` to `most`, inclusive.
class OV_Rank<string name, int least, int most = least> : OV_Rule<
  "`" # name # "` has rank " # !if(!eq(least, most), "" # least, least # " to " # most) # ".",
  "expectRank(report, \"" # name # "\", $" # name # ", " # least # ", " # most # ")">;
/// The rank is `least` or more.
class OV_AtLeastRank<string name, int least> : OV_Rule<
  "`" # name # "` has rank " # least # " or more.",
  "expectRank(report, \"" # name # "\", $" # name # ", " # least # ", kMaxRank)">;
/// All dims of the operands are statically 1. The rank may be any.
class OV_OneElement<list<string> names> : OV_Rule<
  OV_Names<names>.text # !if(!eq(!size(names), 1), " is", " are") # " known to have one element.",
  OV_EachName<"expectOneElement", names>.check>;
/// The operands are lists of integers of static length.
class OV_IntegerList<list<string> names> : OV_Rule<
  OV_Names<names>.text # !if(!eq(!size(names), 1), " has", " have") # " rank 1 and a static length.",
  OV_EachName<"expectList", names>.check>;
/// The operand is a constant of one element, which is an axis of `data`.
class OV_ConstantAxis<string name, string data> : OV_Rule<
  "`" # name # "` is constant, has one element and is in range (negative: from the end).",
  "expectConstantAxis(report, \"" # name # "\", $" # name # ", $" # data # ")">;
/// The operand is a constant list of different axes of `data`.
class OV_ConstantAxes<string name, string data> : OV_Rule<
  "`" # name # "` is constant, in range (negative: from the end) and without repetition.",
  "expectConstantAxes(report, \"" # name # "\", $" # name # ", $" # data # ")">;
/// The operand is an axis of `data`. It need not be constant.
class OV_AxisOperand<string name, string data> : OV_Rule<
  "`" # name # "` has one element and is in range (negative: from the end). (If known only at run time, a violation is "
  "a fault.)",
  "expectAxisOperand(report, \"" # name # "\", $" # name # ", $" # data # ")">;
/// The attribute is an axis of `data`, or of a tensor that has `more` dims more than `data`.
class OV_Axis<string name, string data, int more = 0> : OV_Rule<
  "`" # name # "` is in range (negative: from the end).",
  "expectAxis(report, \"" # name # "\", $" # name # ", $" # data # ", " # more # ")">;
/// The attribute is one of the types that an index, a dim or a count may have.
class OV_IndexType<string name> : OV_Rule<
  "`" # name # "` is i32 or i64.",
  "expectIndexType(report, \"" # name # "\", $" # name # ")">;
/// The attribute, a float, is 0 or more. NaN breaks the rule.
class OV_NotNegative<string name> : OV_Rule<
  "`" # name # "` is not negative.",
  "expectNotNegative(report, \"" # name # "\", $" # name # ")">;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Layers have the attribute only since opset `n`.
class OV_Since<int n> : OpVariableDecorator {
  int opset = n;
}
/// The value of the attribute if a layer does not have it, in the IR's spelling. "1..." is a list of ones, one for each
/// dim of the first operand but the first two; it is also the value of an empty list.
class OV_LayerDefault<string value> : OpVariableDecorator {
  string text = value;
}
/// If a layer does not have the attribute, the importer's function decides its value.
def OV_GivenByImporter : OpVariableDecorator;
/// Layers do not have the attribute. The importer sets it to the last of `versions` that is not above the layer's
/// opset.
class OV_Version<list<int> versions> : OpVariableDecorator {
  list<int> opsets = versions;
}

/// An attribute of a layer that the op does not have. `kindName` is an enumerator of LayerAttributeKind.
class OV_LayerAttribute<string attribute, string kindName, bit required = false> {
  string name = attribute;
  string kind = kindName;
  bit isRequired = required;
  /// The first opset whose layers have the attribute.
  int opset = 1;
  /// The value of the attribute if a layer does not have it, in the IR's spelling. `hasDefault` is false if there is
  /// none.
  bit hasDefault = false;
  string default = "";
  /// The allowed texts of an Enum, or of the entries of Enums. The value is a StringAttr, or an array of them.
  list<string> choices = [];
  /// The only supported value, or empty if all are, and the text of the error for other values.
  string only = "";
  string others = "";
}
/// An attribute of a layer that must have the value `value`. `otherValues` is the text of the error for other values.
class OV_OnlyLayerAttribute<string attribute, string kind, string value, string otherValues>
    : OV_LayerAttribute<attribute, kind> {
  let only = value;
  let others = otherValues;
}

/// An attribute with a default.
class OV_DefaultLayerAttribute<string attribute, string kind, string value, int since = 1>
    : OV_LayerAttribute<attribute, kind> {
  let hasDefault = true;
  let default = value;
  let opset = since;
}
/// An attribute whose value is one of `texts`. It is required if `value` is empty; otherwise `value` is its default.
class OV_ChoiceLayerAttribute<string attribute, list<string> texts, string value = "", int since = 1>
    : OV_DefaultLayerAttribute<attribute, "Enum", value, since> {
  let choices = texts;
  let hasDefault = !not(!empty(value));
  let isRequired = !empty(value);
}

/// An operand of a layer that has no op. `elementsName` is an enumerator of LayerElements. The last operand of a layer
/// may be variadic: there is then at least one value.
class OV_LayerOperand<string operand, string elementsName = "Any"> {
  string name = operand;
  string elements = elementsName;
  bit isOptional = false;
  bit isVariadic = false;
}
/// An operand that a layer may lack.
class OV_OptionalLayerOperand<string operand, string elements = "Any"> : OV_LayerOperand<operand, elements> {
  let isOptional = true;
}
/// The last operand of a layer, if it stands for one or more values.
class OV_VariadicLayerOperand<string operand, string elements = "Any"> : OV_LayerOperand<operand, elements> {
  let isVariadic = true;
}

/// Describes how OpenVINO's IR spells an operation. recur-tblgen generates the table of operations, which the importer,
/// the exporter and ir-fuzz use, and docs/generated/SupportedOps.md from these records.
class OV_Layer {
  /// The type of the layer; empty if the op does not correspond to a layer.
  string layerType = "";
  /// Other types of layers that mean the same operation.
  list<string> otherLayerTypes = [];
  /// The first opset that has the operation.
  int opset = 1;
  /// The least and the greatest number of inputs of a layer, if they differ from those of the op; -1 is unlimited.
  list<int> layerInputs = [];
  /// Attributes of a layer that the op does not have.
  list<OV_LayerAttribute> layerAttributes = [];
  /// True if the layer does not have the op's attributes, but only `layerAttributes`.
  bit hasOwnLayerAttributes = false;
  /// The importer's function that creates the op (lib/Import/OpenVINOIR/Importers.h); empty if operands and attributes
  /// can be converted one by one.
  string importer = "";
  /// The opset of layers that are written, if OpenVINO's operation of `opset` cannot do all that the op can; else 0.
  int writtenOpset = 0;
  /// The exporter's function that writes the layer (lib/Export/OpenVINOIR/Exporters.h); empty if operands and
  /// attributes can be written one by one.
  string exporter = "";
}

/// An operation that has no op of its own: the importer puts something else in its place.
class OV_LayerWithoutOp<string type, OV_Family ofFamily, string instead> : OV_Layer {
  let layerType = type;
  OV_Family family = ofFamily;
  /// The replacement, in words for the documentation.
  string becomes = instead;
  /// The operands of a layer.
  list<OV_LayerOperand> operands = [];
}

/// An operation that the importer expands into other ops of the dialect. The function `expansion` builds them
/// (lib/Import/OpenVINOIR/Expansion.h). The importer checks `operands` and `layerAttributes` before it calls the
/// function.
class OV_ExpandedLayer<string type, OV_Family family> : OV_LayerWithoutOp<type, family, "other ops"> {
  /// The meaning of the operation, in words, with what the specification leaves open.
  string semantics = "";
  /// The name of the function that builds the ops.
  string expansion = "expand" # type;
  /// True if a layer of f16 or bf16 is expanded in f32, and its results are rounded once. False if no element is
  /// rounded more than once anyhow: ops move, select, compare or convert elements, or one op computes a whole result.
  bit isWidened = true;
}

/// An operation of OpenVINO that cannot be imported, and why. The importer's error for such a layer has the reason.
class OV_MissingLayer<string type, int first, string why> {
  string layerType = type;
  /// The first opset that has the operation.
  int opset = first;
  string reason = why;
}

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

/// The op describes the elements of its result in terms of dims and elements of its operands. `describeElement` is
/// written by hand.
def OV_KnowsElements : DeclareOpInterfaceMethods<OV_ElementsOpInterface>;
/// An op that says by a `mapAxis` of its own which axes it keeps.
def OV_MapsAxes : DeclareOpInterfaceMethods<OV_AxesOpInterface, ["mapAxis"]>;

/// The text of a short example: a function that uses one op. `arguments` are its arguments with their types. `op` is
/// the text of the op, which defines %0. `type` is the type of %0.
class OV_Example<string arguments, string op, string type> {
  string text = "\n    func.func @example(" # arguments # ") -> " # type # " {\n      "
                # op # "\n      return %0 : " # type # "\n    }";
}

/// The base class of all ops. The description is put together from `semantics`, `rules` and `example`.
class OV_Op<string mnemonic, list<Trait> traits = []> : Op<OV_Dialect, mnemonic, traits>, OV_Layer {
  /// The meaning of the op, in words.
  string semantics = "";
  /// The constraints of the op. They are numbered C1, C2, … in this order.
  list<OV_Rule> rules = [];
  /// A function that uses the op, as a code literal with an indentation of four spaces, or an OV_Example.
  /// test/lint/examples.py checks that it is valid.
  string example = "";
  /// The indentation of the lines that are appended to `semantics`.
  defvar indent = !if(!eq(!substr(semantics, 0, 1), "\n"), "    ", "");
  let summary = layerType # " operation";
  let description = semantics
    # !if(!empty(rules), "", "\n\n" # indent # "Constraints:\n" # !foldl("", !range(!size(rules)), text, i,
        text # indent # "* C" # !add(i, 1) # ". " # rules[i].text # "\n"))
    # !if(!empty(example), "", !if(!empty(rules), "\n\n", "\n") # indent # "Example:\n" # indent # "```mlir"
        # !subst("\n    ", "\n" # indent, !subst("\n    }\n  ", "\n    }", example)) # "\n" # indent # "```\n");
  /// C++ that a subclass adds to the declaration and to the definition of the op's class.
  code moreDeclarations = "";
  code moreDefinitions = "";
  let extraClassDeclaration = [{
    /// Checks the rules of the `.td` file; generated.
    static ::llvm::LogicalResult checkRules(const ::recur::ov::Report &report, Adaptor adaptor);
  }] # moreDeclarations;
  let extraClassDefinition = moreDefinitions;
}

/// An op whose verifier checks the rules and nothing else.
class OV_CheckedOp<string mnemonic, list<Trait> traits = []> : OV_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return checkRules({getLoc(), getOperationName()}, Adaptor(*this)); }
  }] # moreDefinitions;
}

/// An op whose result types are inferred from operands and attributes. A declared result type may know more or fewer
/// dims than the inferred one, but must not contradict it. `inferTypes` and `describeDim` are written by hand; they may
/// assume that the checks of the rules have succeeded.
class OV_InferOp<string mnemonic, list<Trait> traits = []>
    : OV_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorWithIsCompatible,
                                           DeclareOpInterfaceMethods<OV_DimsOpInterface>])> {
  code inferDeclarations = [{
    static ::llvm::LogicalResult checkRules(const ::recur::ov::Report &report, Adaptor adaptor);
    static ::llvm::LogicalResult inferTypes(const ::recur::ov::Report &report, Adaptor adaptor,
                                            ::llvm::SmallVectorImpl<::mlir::Type> &types);
  }];
  code inferDefinitions = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::recur::ov::Report report{location, getOperationName()};
      return ::llvm::failure(failed(checkRules(report, adaptor)) || failed(inferTypes(report, adaptor, types)));
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::recur::ov::areAllCompatible(inferred, actual);
    }
  }];
  let extraClassDeclaration = inferDeclarations # moreDeclarations;
  let extraClassDefinition = inferDefinitions # moreDefinitions;
}

/// An op that can fail at run time. It writes `Fault` and is not speculatable, unless `canFault()` is false.
/// `canFault()` is written by hand.
class OV_FaultingOp<string mnemonic, list<Trait> traits = []> : OV_InferOp<mnemonic, !listconcat(traits, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>])> {
  let extraClassDeclaration = inferDeclarations # [{
    /// False only if shapes or constants prove that the op cannot fail at run time.
    bool canFault();
  }] # moreDeclarations;
  let extraClassDefinition = inferDefinitions # [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      if (canFault())
        effects.emplace_back(::mlir::MemoryEffects::Write::get(), ::recur::ov::FaultResource::get());
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return canFault() ? ::mlir::Speculation::NotSpeculatable : ::mlir::Speculation::Speculatable;
    }
  }] # moreDefinitions;
}

/// An element-wise op with one operand, whose result has the type of the operand.
class OV_UnaryOp<string mnemonic, Type type>
    : OV_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType, OV_AxesOpInterface]> {
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  defvar example_type = "tensor<2x3x" # OV_ExampleElement<type>.text # ">";
  let example = OV_Example<"%x: " # example_type, "%0 = ov." # mnemonic # " %x : " # example_type, example_type>.text;
}

/// C++ definitions of `inferTypes` and `describeDim` for an op whose only result has the type of the first operand.
defvar OV_InferFirstType = [{
    ::llvm::LogicalResult $cppClass::inferTypes(const ::recur::ov::Report &, Adaptor adaptor,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getOperands().front().getType());
      return ::llvm::success();
    }
    ::std::optional<unsigned> $cppClass::describeDim(::recur::ov::DimSource &dims, unsigned, int64_t dim) {
      return dims.get(getOperand(0), dim);
    }
}];

/// An element-wise op with two operands that broadcast. `fault` is a C++ expression that is true if the computation of
/// an element may fail at run time.
class OV_BinaryOp<string mnemonic, Type type, Type resultType, list<Trait> traits = []>
    : OV_FaultingOp<mnemonic, !listconcat(traits, [OV_AxesOpInterface])> {
  let rules = [
    OV_SameElementType<["lhs", "rhs"]>,
    OV_Rule<"Their shapes broadcast by NumPy's rules, or agree where `auto_broadcast` is \"none\". Dims that are known "
            "only at run time and clash are a fault.">
  ];
  let arguments = (ins type:$lhs, type:$rhs,
    DefaultValuedAttr<OV_AutoBroadcastAttr, "::recur::ov::AutoBroadcast::Numpy">:$auto_broadcast);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  defvar element = OV_ExampleElement<type>.text;
  defvar example_a = "tensor<2x3x" # element # ">";
  defvar example_b = "tensor<3x" # element # ">";
  defvar example_result = "tensor<2x3x" # !if(!eq(resultType, OV_BoolTensor), "i1", element) # ">";
  let example = OV_Example<"%a: " # example_a # ", %b: " # example_b,
                           "%0 = ov." # mnemonic # " %a, %b : (" # example_a # ", " # example_b # ") -> "
                           # example_result, example_result>.text;
  code fault = "false";
  let moreDefinitions = [{
    ::llvm::LogicalResult $cppClass::inferTypes(const ::recur::ov::Report &report, Adaptor adaptor,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::recur::ov::inferBinary(report, adaptor.getLhs(), adaptor.getRhs(), adaptor.getAutoBroadcast(),
  }] # !if(!eq(resultType, OV_BoolTensor), "/*isBoolean=*/true", "/*isBoolean=*/false") # [{, types);
    }
    ::std::optional<unsigned> $cppClass::describeDim(::recur::ov::DimSource &dims, unsigned, int64_t dim) {
      if (getAutoBroadcast() == ::recur::ov::AutoBroadcast::None)
        return dims.getAgreed(getOperands(), dim);
      return dims.getBroadcast(getOperands(), getType().getRank(), dim);
    }
    bool $cppClass::canFault() {
      return ::recur::ov::canClash(getLhs(), getRhs(), getAutoBroadcast()) || }] # fault # [{;
    }
  }];
}

#endif // RECUR_DIALECT_OV_IR_OVBASE_TD
