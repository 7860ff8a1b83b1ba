// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpTable.cpp - The operations that can be imported ------------------===//
//
// An operation whose inputs and attributes are those of its ov op is one row. One that needs more names a function.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

#include "TypeSyntax.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Operations that are more than a row
//===----------------------------------------------------------------------===//

/// Convert: the destination is the result's type, not an attribute.
static LogicalResult importConvert(LayerBuilder &layer, const OpRow &row) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes(row);
  if (failed(attributes))
    return failure();
  auto input = cast<RankedTensorType>(layer.operands[0].getType());
  Type element = cast<TypeAttr>(attributes->front().getValue()).getValue();
  Operation *op = layer.create(row.op, layer.operands, {}, input.clone(element));
  if (!op)
    return failure();
  layer.results.push_back(op->getResult(0));
  return success();
}

/// SoftMax: before opset8 the axis cannot count from the end.
static LogicalResult importSoftMax(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *axis = layer.findData("axis");
  std::optional<int64_t> value = axis ? parseInteger(axis->value) : std::nullopt;
  if (value && *value < 0 && getOpset(layer.layer, row) < 8)
    return layer.error(axis->offset, "ir-attribute",
                       "expected an axis that is not negative before opset8, but got " + Twine(*value));
  return layer.createFromRow(row);
}

/// ShapeOf: the result is i64 unless output_type, which is there since opset3, says otherwise.
static LogicalResult importShapeOf(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *type = layer.findData("output_type");
  if (!type)
    return layer.createFromRow(
        row, layer.builder.getNamedAttr("output_type", TypeAttr::get(layer.builder.getIntegerType(64))));
  if (!layer.layer.version.empty() && getOpset(layer.layer, row) < 3)
    return layer.error(type->offset, "ir-attribute", "expected no output_type before opset3");
  return layer.createFromRow(row);
}

/// Identity: what reads it reads its input.
static LogicalResult importIdentity(LayerBuilder &layer, const OpRow &) {
  layer.results.push_back(layer.operands[0]);
  return success();
}

/// TopK: indices are i32 unless index_element_type says otherwise.
static LogicalResult importTopK(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *stable = layer.findData("stable");
  if (stable && !layer.layer.version.empty() && getOpset(layer.layer, row) < 11)
    return layer.error(stable->offset, "ir-attribute", "expected no stable before opset11");
  if (layer.findData("index_element_type"))
    return layer.createFromRow(row);
  return layer.createFromRow(
      row, layer.builder.getNamedAttr("index_element_type", TypeAttr::get(layer.builder.getIntegerType(32))));
}

/// NonZero: the result is i64 unless output_type says otherwise.
static LogicalResult importNonZero(LayerBuilder &layer, const OpRow &row) {
  if (layer.findData("output_type"))
    return layer.createFromRow(row);
  return layer.createFromRow(
      row, layer.builder.getNamedAttr("output_type", TypeAttr::get(layer.builder.getIntegerType(64))));
}

/// Gelu: before opset7 there is no choice of the approximation.
static LogicalResult importGelu(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *mode = layer.findData("approximation_mode");
  if (mode && !layer.layer.version.empty() && getOpset(layer.layer, row) < 7)
    return layer.error(mode->offset, "ir-attribute", "expected no approximation_mode before opset7");
  return layer.createFromRow(row);
}

/// Gather: which indices are valid depends on the version.
static LogicalResult importGather(LayerBuilder &layer, const OpRow &row) {
  unsigned opset = getOpset(layer.layer, row);
  int64_t version = opset >= 8 ? 8 : opset == 7 ? 7 : 1;
  const TextAttribute *batchDims = layer.findData("batch_dims");
  if (batchDims && version == 1)
    return layer.error(batchDims->offset, "ir-attribute", "expected no batch_dims before opset7");
  return layer.createFromRow(row, layer.builder.getNamedAttr("version", layer.builder.getI64IntegerAttr(version)));
}

/// GatherND: before opset8 the batch dims of the result are one.
static LogicalResult importGatherND(LayerBuilder &layer, const OpRow &row) {
  int64_t version = getOpset(layer.layer, row) >= 8 ? 8 : 5;
  return layer.createFromRow(row, layer.builder.getNamedAttr("version", layer.builder.getI64IntegerAttr(version)));
}

/// Range: before opset4 the result has the type of the operands.
static LogicalResult importRange(LayerBuilder &layer, const OpRow &row) {
  if (layer.findData("output_type"))
    return layer.createFromRow(row);
  Type element = cast<RankedTensorType>(layer.operands[0].getType()).getElementType();
  return layer.createFromRow(row, layer.builder.getNamedAttr("output_type", TypeAttr::get(element)));
}

/// Squeeze: since opset15 it may be told to keep dims that are not 1, which would change the result's rank at run time.
static LogicalResult importSqueeze(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *skip = layer.findData("allow_axis_skip");
  if (skip && !skip->value.trim().equals_insensitive("false") && skip->value.trim() != "0")
    return layer.error(skip->offset, "ir-attribute",
                       "expected allow_axis_skip false, but got " + quoted(skip->value) + "; it is not supported");
  Operation *op = layer.create(row.op, layer.operands, {});
  if (!op)
    return failure();
  layer.results.push_back(op->getResult(0));
  return success();
}

/// Broadcast: where the mode is not explicit an axes_mapping says nothing; TensorFlow's front end leaves one there.
static LogicalResult importBroadcast(LayerBuilder &layer, const OpRow &row) {
  const TextAttribute *mode = layer.findData("mode");
  if (layer.operands.size() == 3 && (!mode || mode->value.trim() != "explicit"))
    layer.operands = layer.operands.drop_back();
  return layer.createFromRow(row);
}

static LogicalResult importConst(LayerBuilder &layer, const OpRow &) { return buildConstant(layer); }
static LogicalResult importLoop(LayerBuilder &layer, const OpRow &) { return buildLoop(layer); }
static LogicalResult importIf(LayerBuilder &layer, const OpRow &) { return buildIf(layer); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using enum AttributeKind;
static constexpr bool required = true;
static constexpr unsigned anyNumber = ~0u;

static constexpr AttributeRow broadcast[] = {{"auto_broadcast", string}};
static constexpr AttributeRow divide[] = {{"auto_broadcast", string}, {"m_pythondiv", boolean}};
static constexpr AttributeRow clamp[] = {{"min", number, required}, {"max", number, required}};
static constexpr AttributeRow convert[] = {{"destination_type", type, required}};
static constexpr AttributeRow matMul[] = {{"transpose_a", boolean}, {"transpose_b", boolean}};
static constexpr AttributeRow reduce[] = {{"keep_dims", boolean}};
static constexpr AttributeRow elu[] = {{"alpha", number, required}};
static constexpr AttributeRow gelu[] = {{"approximation_mode", string}};
static constexpr AttributeRow cumSum[] = {{"exclusive", boolean}, {"reverse", boolean}};
static constexpr AttributeRow topK[] = {{"axis", integer, required},
                                        {"mode", string, required},
                                        {"sort", string, required},
                                        {"stable", boolean},
                                        {"index_element_type", type}};
static constexpr AttributeRow nonZero[] = {{"output_type", type}};
static constexpr AttributeRow concat[] = {{"axis", integer, required}};
static constexpr AttributeRow softMax[] = {{"axis", integer}};
static constexpr AttributeRow reshape[] = {{"special_zero", boolean}};
static constexpr AttributeRow mode[] = {{"mode", string}};
static constexpr AttributeRow squeeze[] = {{"allow_axis_skip", boolean}};
static constexpr AttributeRow shapeOf[] = {{"output_type", type}};
static constexpr AttributeRow gather[] = {{"batch_dims", integer}};
static constexpr AttributeRow split[] = {{"num_splits", integer, required}};
static constexpr AttributeRow stridedSlice[] = {{"begin_mask", integers, required},
                                                {"end_mask", integers, required},
                                                {"new_axis_mask", integers},
                                                {"shrink_axis_mask", integers},
                                                {"ellipsis_mask", integers}};
static constexpr AttributeRow pad[] = {{"pad_mode", string, required}};
static constexpr AttributeRow range[] = {{"output_type", type}};
static constexpr AttributeRow axis[] = {{"axis", integer, required}};
static constexpr AttributeRow oneHot[] = {{"axis", integer, required}, {"negative_indices_mode", string}};
static constexpr AttributeRow reverseSequence[] = {{"batch_axis", integer}, {"seq_axis", integer}};
static constexpr AttributeRow scatterElements[] = {{"reduction", string}, {"use_init_val", boolean}};
static constexpr AttributeRow scatterND[] = {{"reduction", string}};
static constexpr AttributeRow convolution[] = {{"strides", integers, required},
                                               {"pads_begin", integers, required},
                                               {"pads_end", integers, required},
                                               {"dilations", integers, required},
                                               {"auto_pad", string}};
static constexpr AttributeRow constant[] = {
    {"element_type", type}, {"shape", string}, {"offset", integer}, {"size", integer}};
static constexpr AttributeRow rnnCell[] = {{"hidden_size", integer, required},
                                           {"activations", strings},
                                           {"activations_alpha", numbers},
                                           {"activations_beta", numbers},
                                           {"clip", number}};
static constexpr AttributeRow gruCell[] = {
    {"hidden_size", integer, required}, {"activations", strings}, {"activations_alpha", numbers},
    {"activations_beta", numbers},      {"clip", number},         {"linear_before_reset", boolean}};
static constexpr AttributeRow lstmCell[] = {
    {"hidden_size", integer, required}, {"activations", strings}, {"activations_alpha", numbers},
    {"activations_beta", numbers},      {"clip", number},         {"input_forget", boolean},
    {"weights_format", string}};

static constexpr AttributeRow rnnSequence[] = {
    {"hidden_size", integer, required}, {"direction", string, required}, {"activations", strings},
    {"activations_alpha", numbers},     {"activations_beta", numbers},   {"clip", number}};
static constexpr AttributeRow gruSequence[] = {
    {"hidden_size", integer, required}, {"direction", string, required}, {"activations", strings},
    {"activations_alpha", numbers},     {"activations_beta", numbers},   {"clip", number},
    {"linear_before_reset", boolean}};
static constexpr AttributeRow lstmSequence[] = {
    {"hidden_size", integer, required}, {"direction", string, required}, {"activations", strings},
    {"activations_alpha", numbers},     {"activations_beta", numbers},   {"clip", number},
    {"input_forget", boolean},          {"weights_format", string}};

static const OpRow rows[] = {
    {"Const", "ov.constant", 0, 0, 1, constant, 1, importConst},
    {"TensorIterator", "ov.tensor_iterator", 0, anyNumber, anyNumber, {}, 1, importLoop},
    {"Loop", "ov.loop", 0, anyNumber, anyNumber, {}, 5, importLoop},
    {"If", "ov.if", 1, anyNumber, anyNumber, {}, 8, importIf},
    {"GatherTree", "ov.gather_tree", 4, 4, 1},
    // Element-wise.
    {"Add", "ov.add", 2, 2, 1, broadcast},
    {"Subtract", "ov.subtract", 2, 2, 1, broadcast},
    {"Multiply", "ov.multiply", 2, 2, 1, broadcast},
    {"Divide", "ov.divide", 2, 2, 1, divide},
    {"Maximum", "ov.maximum", 2, 2, 1, broadcast},
    {"Minimum", "ov.minimum", 2, 2, 1, broadcast},
    {"Power", "ov.power", 2, 2, 1, broadcast},
    {"Negative", "ov.negative", 1, 1, 1},
    {"Abs", "ov.abs", 1, 1, 1},
    {"Exp", "ov.exp", 1, 1, 1},
    {"Sqrt", "ov.sqrt", 1, 1, 1},
    {"Tanh", "ov.tanh", 1, 1, 1},
    {"Sigmoid", "ov.sigmoid", 1, 1, 1},
    {"Relu", "ov.relu", 1, 1, 1},
    {"Clamp", "ov.clamp", 1, 1, 1, clamp},
    {"Equal", "ov.equal", 2, 2, 1, broadcast},
    {"NotEqual", "ov.not_equal", 2, 2, 1, broadcast},
    {"Less", "ov.less", 2, 2, 1, broadcast},
    {"LessEqual", "ov.less_equal", 2, 2, 1, broadcast},
    {"Greater", "ov.greater", 2, 2, 1, broadcast},
    {"GreaterEqual", "ov.greater_equal", 2, 2, 1, broadcast},
    {"LogicalAnd", "ov.logical_and", 2, 2, 1, broadcast},
    {"LogicalNot", "ov.logical_not", 1, 1, 1},
    {"Select", "ov.select", 3, 3, 1, broadcast},
    {"Convert", "ov.convert", 1, 1, 1, convert, 1, importConvert},
    {"Floor", "ov.floor", 1, 1, 1},
    {"Ceiling", "ov.ceiling", 1, 1, 1},
    {"Round", "ov.round", 1, 1, 1, mode, 5},
    {"Sign", "ov.sign", 1, 1, 1},
    {"Log", "ov.log", 1, 1, 1},
    {"Sin", "ov.sin", 1, 1, 1},
    {"Cos", "ov.cos", 1, 1, 1},
    {"Erf", "ov.erf", 1, 1, 1},
    {"SoftPlus", "ov.softplus", 1, 1, 1, {}, 4},
    {"HSwish", "ov.hswish", 1, 1, 1, {}, 4},
    {"HSigmoid", "ov.hsigmoid", 1, 1, 1, {}, 5},
    {"Elu", "ov.elu", 1, 1, 1, elu},
    {"Gelu", "ov.gelu", 1, 1, 1, gelu, 2, importGelu},
    {"Selu", "ov.selu", 3, 3, 1},
    {"HardSigmoid", "ov.hard_sigmoid", 3, 3, 1},
    {"Swish", "ov.swish", 1, 2, 1, {}, 4},
    {"PReLU", "ov.prelu", 2, 2, 1},
    {"SquaredDifference", "ov.squared_difference", 2, 2, 1, broadcast},
    {"Mod", "ov.mod", 2, 2, 1, broadcast},
    {"FloorMod", "ov.floor_mod", 2, 2, 1, broadcast},
    {"LogicalOr", "ov.logical_or", 2, 2, 1, broadcast},
    {"LogicalXor", "ov.logical_xor", 2, 2, 1, broadcast},
    {"Xor", "ov.logical_xor", 2, 2, 1, broadcast},
    {"Identity", "", 1, 1, 1, {}, 16, importIdentity},
    // Matrix multiplication and cells.
    {"MatMul", "ov.matmul", 2, 2, 1, matMul},
    {"LSTMCell", "ov.lstm_cell", 5, 7, 2, lstmCell, 1, importLSTMCell},
    {"GRUCell", "ov.gru_cell", 5, 5, 1, gruCell, 3, importGRUCell},
    {"RNNCell", "ov.rnn_cell", 5, 5, 1, rnnCell, 1, importRNNCell},
    {"LSTMSequence", "ov.lstm_sequence", 7, 8, 3, lstmSequence, 1, importLSTMSequence},
    {"GRUSequence", "ov.gru_sequence", 6, 6, 2, gruSequence, 5, importGRUSequence},
    {"RNNSequence", "ov.rnn_sequence", 6, 6, 2, rnnSequence, 5, importRNNSequence},
    // Shapes and data movement.
    {"ShapeOf", "ov.shape_of", 1, 1, 1, shapeOf, 1, importShapeOf},
    {"Reshape", "ov.reshape", 2, 2, 1, reshape},
    {"Squeeze", "ov.squeeze", 1, 2, 1, squeeze, 1, importSqueeze},
    {"Unsqueeze", "ov.unsqueeze", 2, 2, 1},
    {"Transpose", "ov.transpose", 2, 2, 1},
    {"Concat", "ov.concat", 1, anyNumber, 1, concat},
    {"Broadcast", "ov.broadcast", 2, 3, 1, mode, 1, importBroadcast},
    {"Gather", "ov.gather", 3, 3, 1, gather, 1, importGather},
    {"Split", "ov.split", 2, 2, anyNumber, split},
    {"VariadicSplit", "ov.variadic_split", 3, 3, anyNumber},
    {"Slice", "ov.slice", 4, 5, 1, {}, 8},
    {"StridedSlice", "ov.strided_slice", 3, 4, 1, stridedSlice},
    {"Tile", "ov.tile", 2, 2, 1},
    {"Pad", "ov.pad", 3, 4, 1, pad},
    {"Range", "ov.range", 3, 3, 1, range, 1, importRange},
    {"OneHot", "ov.one_hot", 4, 4, 1, oneHot},
    {"ReverseSequence", "ov.reverse_sequence", 2, 2, 1, reverseSequence},
    {"GatherElements", "ov.gather_elements", 2, 2, 1, axis, 6},
    {"GatherND", "ov.gather_nd", 2, 2, 1, gather, 5, importGatherND},
    {"ScatterUpdate", "ov.scatter_update", 4, 4, 1, {}, 3},
    {"ScatterElementsUpdate", "ov.scatter_elements_update", 4, 4, 1, scatterElements, 3},
    {"ScatterNDUpdate", "ov.scatter_nd_update", 3, 3, 1, scatterND, 4},
    // Convolution.
    {"Convolution", "ov.convolution", 2, 2, 1, convolution},
    {"GroupConvolution", "ov.group_convolution", 2, 2, 1, convolution},
    // Reductions.
    {"ReduceSum", "ov.reduce_sum", 2, 2, 1, reduce},
    {"ReduceMax", "ov.reduce_max", 2, 2, 1, reduce},
    {"Softmax", "ov.softmax", 1, 1, 1, softMax, 1, importSoftMax},
    {"ReduceMean", "ov.reduce_mean", 2, 2, 1, reduce},
    {"ReduceMin", "ov.reduce_min", 2, 2, 1, reduce},
    {"ReduceProd", "ov.reduce_prod", 2, 2, 1, reduce},
    {"ReduceL1", "ov.reduce_l1", 2, 2, 1, reduce, 4},
    {"ReduceL2", "ov.reduce_l2", 2, 2, 1, reduce, 4},
    {"ReduceLogicalAnd", "ov.reduce_logical_and", 2, 2, 1, reduce},
    {"ReduceLogicalOr", "ov.reduce_logical_or", 2, 2, 1, reduce},
    {"LogSoftmax", "ov.log_softmax", 1, 1, 1, softMax, 5},
    // Scans and selections.
    {"CumSum", "ov.cum_sum", 1, 2, 1, cumSum, 3},
    {"TopK", "ov.topk", 2, 2, 2, topK, 1, importTopK},
    {"NonZero", "ov.non_zero", 1, 1, 1, nonZero, 3, importNonZero},
};

const OpRow *recur::ir::findOp(StringRef type) {
  static const llvm::StringMap<const OpRow *> byName = [] {
    llvm::StringMap<const OpRow *> map;
    for (const OpRow &row : rows)
      map[row.type.lower()] = &row;
    map["constant"] = map["const"];
    return map;
  }();
  return byName.lookup(type.lower());
}

ArrayRef<StringRef> recur::ir::getOpNames() {
  static const SmallVector<StringRef> names = [] {
    SmallVector<StringRef> result = {"Parameter", "Result"};
    for (const OpRow &row : rows)
      result.push_back(row.type);
    return result;
  }();
  return names;
}

//===----------------------------------------------------------------------===//
// Checks before anything is built
//===----------------------------------------------------------------------===//

static constexpr unsigned lastOpset = 16;

/// The number in "opset8", 0 if it is none that we know. Cells have also been published as "extension" and
/// "experimental"; those are of opset6.
static unsigned parseOpset(const Layer &layer) {
  unsigned number = 0;
  StringRef text = layer.version;
  if (text.consume_front("opset") && !text.getAsInteger(10, number))
    return number <= lastOpset ? number : 0;
  if ((text == "extension" || text == "experimental") && (layer.is("GRUCell") || layer.is("RNNCell")))
    return 6;
  return 0;
}

unsigned recur::ir::getOpset(const Layer &layer, const OpRow &row) {
  return layer.version.empty() ? row.opset : parseOpset(layer);
}

namespace {
struct UnsupportedOp {
  const Layer *first;
  unsigned count;
};
using UnsupportedOps = llvm::MapVector<StringRef, UnsupportedOp>;
} // namespace

static void checkLayer(const Layer &layer, UnsupportedOps &unsupported, Reports &reports) {
  bool isEnd = layer.is("Parameter") || layer.is("Result");
  const OpRow *row = findOp(layer.type);
  if (!isEnd && !row) {
    ++unsupported.try_emplace(layer.type, UnsupportedOp{&layer, 0}).first->second.count;
    return;
  }
  if (!layer.version.empty() && parseOpset(layer) == 0)
    return reports
        .error(layer.versionOffset, "ir-opset",
               layer.describe() + ": expected a version from opset1 to opset" + Twine(lastOpset) + ", but got " +
                   quoted(layer.version))
        .emit();
  if (isEnd)
    return;
  if (getOpset(layer, *row) < row->opset)
    reports
        .error(layer.versionOffset, "ir-opset",
               layer.describe() + ": " + row->type + " is in opset" + Twine(row->opset) + " and later, but not in " +
                   layer.version)
        .emit();
  SmallVector<StringRef> known;
  for (const AttributeRow &attribute : row->attributes)
    known.push_back(attribute.name);
  for (const TextAttribute &attribute : layer.data)
    if (!llvm::is_contained(known, attribute.name))
      reports.warning(attribute.offset, "ir-unknown-attribute",
                      layer.describe() + ": unknown attribute " + quoted(attribute.name) +
                          didYouMean(attribute.name, known));
}

static void checkGraph(const Graph &graph, UnsupportedOps &unsupported, Reports &reports) {
  for (unsigned index : graph.parameters)
    checkLayer(graph.layers[index], unsupported, reports);
  for (unsigned index : graph.order) {
    const Layer &layer = graph.layers[index];
    checkLayer(layer, unsupported, reports);
    if (layer.loop)
      checkGraph(layer.loop->body, unsupported, reports);
    if (layer.branches)
      for (const Branch &branch : layer.branches->branches)
        checkGraph(branch.body, unsupported, reports);
  }
}

LogicalResult recur::ir::checkOps(const Graph &graph, Reports &reports) {
  UnsupportedOps unsupported;
  checkGraph(graph, unsupported, reports);
  if (!unsupported.empty()) {
    std::vector<std::string> names;
    for (auto &[type, op] : unsupported)
      names.push_back(shown(type) + (op.first->version.empty() ? "" : " (" + shown(op.first->version) + ")") +
                      (op.count == 1 ? "" : " in " + std::to_string(op.count) + " layers"));
    const Layer &first = *unsupported.front().second.first;
    Report report = reports.error(
        first.typeOffset, "ir-unsupported-op",
        (names.size() == 1 ? "this operation is not supported: " : "these operations are not supported: ") +
            listed(names) + (names.size() == 1 ? didYouMean(first.type, getOpNames()) : "") + " (" + first.describe() +
            ")");
    constexpr size_t most = 12;
    for (auto &[type, op] :
         llvm::make_range(unsupported.begin() + 1, unsupported.begin() + std::min(most, names.size())))
      report.note(op.first->typeOffset, op.first->describe() + didYouMean(type, getOpNames()));
  }
  return failure(reports.failed());
}
