// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Missing.td - Operations that cannot be imported -----*- tablegen -*-===//
//
// The operations of OpenVINO's opsets 1 to 16 that no other file declares, with the reasons. A test compares these and
// the declared ones with the list of all operations (test/Tools/list-ov-ops.test).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MISSING_TD
#define RECUR_DIALECT_OV_IR_MISSING_TD

include "Recur/Dialect/OV/IR/OVBase.td"

class OV_MissingString<string type, int first> : OV_MissingLayer<type, first, "strings are no numbers">;

def OV_StringTensorPack : OV_MissingString<"StringTensorPack", 15>;
def OV_StringTensorUnpack : OV_MissingString<"StringTensorUnpack", 15>;

#endif // RECUR_DIALECT_OV_IR_MISSING_TD
