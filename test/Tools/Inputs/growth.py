# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""growth.py KIND SIZE TIMES TOOL [OPTIONS]: compiles a model of benchmarks/growth.py of SIZE parts, and one of TIMES as
many, to text of the LLVM dialect.

Fails if the longest function of the second one, in lines, is more than 1.5 times that of the first one, or if all of
it is more than 1.2 times as long as TIMES texts. Many steps of a compilation take the square of the length of a
function.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import growth  # noqa: E402


def measure(kind, size, command):
    """The lines of the longest function, and of all of them."""
    model = growth.Model()
    growth.KINDS[kind][1](model, size)
    path = Path(f"{kind}-{size}.xml")
    model.write(path)
    subprocess.run([*command, path, "--emit=llvm-dialect", "-o", "out.mlir"], check=True)
    functions = re.findall(r"^  llvm\.func .*?^  }", Path("out.mlir").read_text(), re.MULTILINE | re.DOTALL)
    lines = [function.count("\n") for function in functions]
    return max(lines), sum(lines)


def main():
    kind, size, times, *command = sys.argv[1:]
    longest, whole = measure(kind, int(size), command)
    longest_of_large, whole_of_large = measure(kind, int(size) * int(times), command)
    print(f"{kind}: {longest} lines in the longest function of {whole}, then {longest_of_large} of {whole_of_large}")
    if longest_of_large > 1.5 * longest or whole_of_large > 1.2 * int(times) * whole:
        sys.exit("expected longer code, but no longer functions")


main()
