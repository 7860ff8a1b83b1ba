// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Diagnostics.cpp - How the tools print diagnostics ------------------===//
//
// MLIR's own printer shows the op of a diagnostic. Users know the XML file of their model instead, so this one shows
// the line of the source that the op came from.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Diagnostics.h"

#include "Recur/Compiler/Remarks.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace recur;

/// The first line and column in a file that a location contains, or null.
static FileLineColLoc findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

/// The source line at `place`, without its line end; empty if there is none.
static StringRef getLine(const llvm::SourceMgr &sources, FileLineColLoc place) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
    if (buffer->getBufferIdentifier() != place.getFilename().getValue() || place.getLine() == 0)
      continue;
    SMLoc start = const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(id, place.getLine(), 1);
    if (!start.isValid())
      return {};
    return StringRef(start.getPointer(), buffer->getBufferEnd() - start.getPointer()).take_until([](char c) {
      return c == '\n' || c == '\r';
    });
  }
  return {};
}

DiagnosticPrinter::DiagnosticPrinter(const llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &os)
    : ScopedDiagnosticHandler(context), sources(sources), os(os) {
  // Do not print the op: the line of the model that it came from tells the user more.
  context->printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic.getLocation(), diagnostic.getSeverity(), diagnostic.str());
    for (Diagnostic &note : diagnostic.getNotes())
      print(note.getLocation(), note.getSeverity(), note.str());
  });
}

void DiagnosticPrinter::print(const Remark &remark) const {
  print(remark.loc, DiagnosticSeverity::Remark,
        (remark.kind == RemarkKind::Missed ? "missed: " : "") + remark.text + " [" + remark.pass + ":" + remark.name +
            "]");
}

void DiagnosticPrinter::print(Location loc, DiagnosticSeverity severity, const llvm::Twine &message) const {
  if (prepare)
    prepare();
  FileLineColLoc place = findPlace(loc);
  if (place) {
    os << place.getFilename().getValue() << ":";
    if (place.getLine())
      os << place.getLine() << ":" << place.getColumn() << ":";
    os << " ";
  }
  switch (severity) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(os);
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(os);
    break;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(os);
    break;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(os);
    break;
  }
  os << message << "\n";
  if (!place)
    return;
  // Print only the part around the column, because a line may be the whole file.
  constexpr size_t before = 60, length = 120;
  StringRef line = getLine(sources, place);
  size_t column = place.getColumn() ? place.getColumn() - 1 : 0;
  if (line.empty() || column > line.size())
    return;
  size_t start = line.size() > length && column > before ? column - before : 0;
  StringRef window = line.substr(start, length);
  for (char c : window)
    os << (llvm::isPrint(c) ? c : ' ');
  os << "\n";
  os.indent(column - start) << "^\n";
}
