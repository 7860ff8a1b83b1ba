// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Peer.cpp - A program that runs the same model ----------------------===//
//
// The program has one end of a socket as its standard input and output. Unlike with a pipe, writing to a program that
// has ended is an error, and no signal.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include "llvm/Support/Program.h"

// openvino_peer_py
#include "EmbeddedPeer.inc"

#include <cerrno>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace recur;

extern char **environ;

Expected<std::unique_ptr<Peer>> Peer::start(StringRef python, const PeerJob &job) {
  ErrorOr<std::string> program = sys::findProgramByName(python.empty() ? "python3" : python);
  if (!program)
    return createStringError("no Python '" + (python.empty() ? "python3" : python) +
                             "' is found; name one that has openvino with --python");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return createStringError(std::error_code(errno, std::generic_category()), "cannot make a socket");
  std::unique_ptr<Peer> peer(new Peer);
  peer->python = *program;
  peer->socket = ends[0];
  std::string script(reinterpret_cast<const char *>(openvino_peer_py), openvino_peer_py_size), flag = "-c";
  char *arguments[] = {peer->python.data(), flag.data(), script.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  int status = posix_spawn(&peer->process, peer->python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (status) {
    peer->process = -1;
    return createStringError(std::error_code(status, std::generic_category()), "cannot run '" + peer->python + "'");
  }
  json::Value request = json::Object{{"model", job.model},   {"weights", job.weights}, {"inputs", job.inputs},
                                     {"shapes", job.shapes}, {"threads", job.threads}, {"outputs", job.outputs}};
  std::string line;
  raw_string_ostream(line) << request;
  Expected<json::Value> answer = peer->ask(std::move(line));
  if (!answer)
    return answer.takeError();
  json::Object *facts = answer->getAsObject();
  if (!facts || !facts->getString("version") || !facts->getNumber("compile"))
    return createStringError("'" + peer->python + "' does not answer as expected");
  peer->version = facts->getString("version")->str();
  peer->compileSeconds = *facts->getNumber("compile");
  return peer;
}

Peer::~Peer() {
  // The end of its input ends the program.
  if (socket >= 0)
    close(socket);
  if (process >= 0)
    waitpid(process, nullptr, 0);
}

Expected<json::Value> Peer::ask(std::string line) {
  line += "\n";
  auto hasEnded = [&] { return createStringError("'" + python + "' has ended without an answer"); };
  for (StringRef rest = line; !rest.empty();) {
    ssize_t sent = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return hasEnded();
    rest = rest.drop_front(sent);
  }
  size_t end;
  while ((end = received.find('\n')) == std::string::npos) {
    char buffer[4096];
    ssize_t size = recv(socket, buffer, sizeof(buffer), 0);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return hasEnded();
    received.append(buffer, size);
  }
  Expected<json::Value> answer = json::parse(StringRef(received).take_front(end));
  received.erase(0, end + 1);
  if (!answer) {
    consumeError(answer.takeError());
    return createStringError("'" + python + "' does not answer as expected");
  }
  if (json::Object *object = answer->getAsObject())
    if (std::optional<StringRef> error = object->getString("error"))
      return createStringError("OpenVINO in '" + python + "': " + *error);
  return answer;
}

Error Peer::timeCalls(size_t count, std::vector<double> &seconds) {
  Expected<json::Value> answer = ask(std::to_string(count));
  if (!answer)
    return answer.takeError();
  json::Array *times = answer->getAsArray();
  if (!times || times->size() != count)
    return createStringError("'" + python + "' does not answer as expected");
  for (const json::Value &time : *times)
    seconds.push_back(time.getAsNumber().value_or(0));
  return Error::success();
}
