# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speaks the Language Server Protocol with a server as an editor does, and prints what it answers.

    lsp_client.py SERVER FILE

opens FILE, prints its diagnostics, and asks for hover text and the definition at each place that FILE marks: a comment
`// ^hover` or `// ^definition` asks about the column of the ^ in the line above it. All positions are printed from 1.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

URI = "file:///model.mlir"


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.requests = 0

    def send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("error: expected a message of the server, but it has ended")
        return json.loads(self.process.stdout.read(length))

    def notification(self, method):
        """The parameters of the next notification, which must be this one."""
        message = self.receive()
        if message.get("method") != method:
            sys.exit(f"error: expected {method}, but got {message}")
        return message["params"]

    def request(self, method, params):
        self.requests += 1
        self.send(method, params, id=self.requests)
        message = self.receive()
        if message.get("id") != self.requests or "result" not in message:
            sys.exit(f"error: expected the result of {method}, but got {message}")
        return message["result"]


def spell(position):
    return f"{position['line'] + 1}:{position['character'] + 1}"


def spell_range(range_):
    return f"{spell(range_['start'])}-{spell(range_['end'])}"


def main():
    server, text = Server(sys.argv[1]), Path(sys.argv[2]).read_text()
    server_can = server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    capabilities = server_can["capabilities"]
    print("can:", *sorted(name for name in ("hoverProvider", "definitionProvider") if capabilities.get(name)))
    server.send("initialized", {})
    server.send("textDocument/didOpen",
                {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": text}})
    for diagnostic in server.notification("textDocument/publishDiagnostics")["diagnostics"]:
        print(f"diagnostic {spell_range(diagnostic['range'])}: {diagnostic['message']}")
    for number, line in enumerate(text.splitlines()):
        if not (mark := re.match(r"(\s*//\s*)\^(hover|definition)$", line)):
            continue
        place = {"textDocument": {"uri": URI}, "position": {"line": number - 1, "character": len(mark[1])}}
        result = server.request(f"textDocument/{mark[2]}", place)
        if mark[2] == "hover":
            print("hover", number, result["contents"]["value"] if result else "nothing")
        else:
            print("definition", number, *(spell_range(found["range"]) for found in result))
    server.request("shutdown", None)
    server.send("exit", None)
    print("status", server.process.wait(timeout=60))
    return 0


if __name__ == "__main__":
    sys.exit(main())
