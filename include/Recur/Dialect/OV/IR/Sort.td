// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.td - Sorting and maximization ------------------*- tablegen -*-===//
//
// The family has one op, TopK, which finds the greatest or the least elements along one axis. The order is defined in
// all cases: equal elements keep their order, and NaN is greater than every number.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SORT_TD
#define RECUR_DIALECT_OV_IR_SORT_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Sort : OV_Family<"Sort">;

def OV_TopKMode : OV_Enum<"TopKMode", "choice of elements", ["Max", "Min"], ["max", "min"]>;
def OV_TopKModeAttr : OV_EnumAttr<OV_TopKMode, "topk_mode">;
def OV_TopKSort : OV_Enum<"TopKSort", "order of the chosen elements",
  ["Value", "Index", "None"], ["value", "index", "none"]>;
def OV_TopKSortAttr : OV_EnumAttr<OV_TopKSort, "topk_sort">;

let opDocGroup = OV_Sort in {

def OV_TopKOp : OV_FaultingOp<"topk"> {
  let layerType = "TopK";
  let semantics = [{
    The `k` greatest (`mode` "max") or least ("min") elements along `axis` (negative: from the end), and their indices.
    NaN is greater than any number. If elements are equal, the one with the lower index is taken first and comes first,
    for both values of `stable`. With `sort` "value", the greatest or least element comes first; with "index", the
    elements keep the order they have in `data`; "none" leaves the order open (it is the same as for "value"). A `k`
    below 0 or above the length of the axis is a fault.}];
  let rules = [
    OV_Axis<"axis", "data">,
    OV_OneElement<["k"]>,
    OV_Rule<"`k` is in [0, the length of the axis]. (If known only at run time, a violation is a fault.)">,
    OV_IndexType<"index_element_type">
  ];
  let example = [{
    func.func @example(%x: tensor<9xf32>, %k: tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>) {
      %0:2 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>,
          index_element_type = i32} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
      return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
    }
  }];
  let arguments = (ins OV_NumberTensor:$data, OV_IndexTensor:$k, I64Attr:$axis, OV_TopKModeAttr:$mode,
    OV_TopKSortAttr:$sort, Arg<DefaultValuedAttr<BoolAttr, "false">, "", [OV_Since<11>]>:$stable,
    Arg<TypeAttr, "", [OV_LayerDefault<"i32">]>:$index_element_type);
  let results = (outs OV_NumberTensor:$values, OV_IndexTensor:$indices);
  let assemblyFormat = "$data `,` $k attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_SORT_TD
