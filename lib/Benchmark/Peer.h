// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Peer.h - A program that runs the same model --------------*- C++ -*-===//
//
// OpenVINO runs in a Python of its own (OpenVINOPeer.py), which waits while Recur is timed.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_BENCHMARK_PEER_H
#define RECUR_BENCHMARK_PEER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>
#include <vector>

namespace recur {

/// The peer runs this. OpenVINOPeer.py describes the members.
struct PeerJob {
  std::string model, weights;
  std::vector<std::string> inputs, shapes;
  unsigned threads;
  std::string outputs;
};

class Peer {
public:
  /// Starts `python`, a program or a path; empty: python3 from PATH. Returns when the model was compiled, and called
  /// once.
  static llvm::Expected<std::unique_ptr<Peer>> start(llvm::StringRef python, const PeerJob &job);
  ~Peer();

  llvm::StringRef getVersion() const { return version; }
  double getCompileSeconds() const { return compileSeconds; }

  /// Calls the model `count` times, and adds the time of each call in seconds to `seconds`.
  llvm::Error timeCalls(size_t count, std::vector<double> &seconds);

private:
  Peer() = default;
  /// Sends a line, and returns the answer.
  llvm::Expected<llvm::json::Value> ask(std::string line);

  std::string python, version, received;
  double compileSeconds = 0;
  int socket = -1, process = -1;
};

} // namespace recur

#endif // RECUR_BENCHMARK_PEER_H
