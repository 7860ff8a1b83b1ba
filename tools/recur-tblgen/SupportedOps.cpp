// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SupportedOps.cpp - The page of operations that can be imported -----===//
//
// Generates docs/generated/SupportedOps.md from the OV_Layer and OV_MissingLayer records.
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

#include "mlir/TableGen/Operator.h"

using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

namespace recur {

bool emitSupportedOps(const RecordKeeper &records, raw_ostream &os) {
  os << "# Operations of OpenVINO\n\n"
        "`Parameter` and `Result` become arguments and results. Every other operation becomes one op of the `ov`\n"
        "dialect, several other ops, or nothing: its input stands for it. Families are those of OpenVINO's\n"
        "documentation. An operation may have a second name. `ir-opt --list-ov-ops` prints this list.\n\n"
        "| OpenVINO | from | op | family |\n|---|---|---|---|\n";
  unsigned count = 0;
  for (const Record *layer : getLayers(records)) {
    std::string becomes = isOp(layer) ? "[`" + mlir::tblgen::Operator(layer).getOperationName() + "`](OVOps.md)"
                                      : layer->getValueAsString("becomes").str();
    os << "| " << layer->getValueAsString("layerType");
    for (StringRef other : layer->getValueAsListOfStrings("otherLayerTypes"))
      os << ", " << other;
    os << " | opset" << layer->getValueAsInt("opset") << " | " << becomes << " | " << getFamily(layer) << " |\n";
    ++count;
  }
  os << "\n"
     << count << " operations.\n\n## Operations that cannot be imported\n\n| OpenVINO | from | why |\n|---|---|---|\n";
  for (const Record *layer : getMissingLayers(records))
    os << "| " << layer->getValueAsString("layerType") << " | opset" << layer->getValueAsInt("opset") << " | "
       << layer->getValueAsString("reason") << " |\n";
  os << "\n## Operations that the importer expands\n\n";
  for (const Record *layer : getLayers(records))
    if (layer->isSubClassOf("OV_ExpandedLayer"))
      os << "* **" << layer->getValueAsString("layerType") << "**: " << layer->getValueAsString("semantics") << "\n";
  return false;
}

} // namespace recur
