# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models in the forms in which programs ship them, and compares their outputs with the expected ones.

    shipped_forms.py BIN FOLDER [--only TEXT]... [--jobs N]

BIN has the tools, and FOLDER has cases.json and the models. Each model is compiled to two objects, one for x86-64-v3
and one for all levels. Two forms are made of each: a shared library that must not lack a symbol (-z defs), which
`ir-run` loads, and one program without any shared library (-static), which has all models. In both, the strict caller
(lib/Driver/Strict.h) calls the model, at last with two threads. The C compiler is $CC or cc. The last line says how
many objects and forms passed and failed.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "conformance"))
import run as conformance  # noqa: E402

DRIVER = ROOT / "lib" / "Driver"
DRIVER_SOURCES = ["Gang.c", "Npy.c", "Runner.c", "Strict.c"]
COMPILER_FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-D_DEFAULT_SOURCE",
                  "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT / 'include'}", f"-I{DRIVER}"]
SECONDS = 300
OBJECTS = {"v3": ["--mcpu=x86-64-v3"], "levels": []}

MAIN = """
#include "Runner.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  recur_entry_points (*functions)(void);
} models[] = {%s};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof(models) / sizeof(*models); ++i)
    if (strcmp(models[i].name, argv[1]) == 0) {
      recur_entry_points model = models[i].functions();
      return recur_run_model(&model, argc - 2, (const char *const *)argv + 2);
    }
  fprintf(stderr, "error: there is no such model\\n");
  return 1;
}
"""


class Forms:
    """Makes the forms of models in a folder, and runs them. A function returns None, or what is wrong."""

    def __init__(self, tools, models, folder):
        self.tools, self.models, self.folder = tools, models, folder
        self.cc = shlex.split(os.environ.get("CC", "cc"))

    def make(self, command):
        status, out, err = conformance.execute(list(map(str, command)), SECONDS)
        return None if status == 0 else f"'{Path(command[0]).name}' ended with status {status}: {(out + err).strip()}"

    def compile(self, case):
        return self.make([self.tools / "ir-compile", self.models / case["name"] / "model.xml",
                          *OBJECTS[case["object"]], f"--name={case['symbol']}", "-o", self.path(case, ".o"),
                          f"--header={self.path(case, '.h')}"])

    def path(self, case, suffix):
        return self.folder / (case["symbol"] + suffix)

    def inputs(self, case):
        return [self.models / case["name"] / entry["file"] for entry in case["inputs"]]

    def arguments(self, case):
        """What the driver of a compiled model gets, without the inputs."""
        rtol, atol = (0, 0) if case["exact"] else (case["rtol"], case["atol"])
        return ["--strict", "--threads=2", f"--expect={self.models / case['name']}", f"--rtol={rtol}", f"--atol={atol}"]

    def run(self, case, command):
        status, out, err = conformance.execute(list(map(str, command)), SECONDS)
        problem = conformance.judge("strict", case, status, out, err, SECONDS)
        breach = err.strip().splitlines()[-1:]
        return conformance.judge_exception(case["name"], problem and ": ".join([problem, *breach]))

    def run_shared(self, case):
        library = self.path(case, ".so")
        problem = self.make([*self.cc, "-shared", "-Wl,-z,defs", "-o", library, self.path(case, ".o"), "-lm"])
        return problem or self.run(case, [self.tools / "ir-run", library, *self.inputs(case), *self.arguments(case)])

    def link_program(self, cases):
        """Links all models into one program."""
        source = self.folder / "main.c"
        headers = "".join(f'#include "{case["symbol"]}.h"\n' for case in cases)
        table = ", ".join(f'{{"{case["symbol"]}", {case["symbol"]}_entry_points}}' for case in cases)
        source.write_text(headers + MAIN % table)
        objects = [self.path(case, ".o") for case in cases]
        return self.make([*self.cc, *COMPILER_FLAGS, "-static", "-o", self.folder / "program", source,
                          *(DRIVER / name for name in DRIVER_SOURCES), *objects, "-lm"])

    def run_static(self, case):
        program = self.folder / "program"
        return self.run(case, [program, case["symbol"], *self.arguments(case), "--", *self.inputs(case)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], help="only models whose names contain one of these")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    cases = [case for case in conformance.load_cases("strict", args.folder)
             if not args.only or any(text in case["name"] for text in args.only)]
    # Not every name is a C identifier.
    cases = [case | {"object": kind, "symbol": f"model_{i}_{kind}"} for i, case in enumerate(cases) for kind in OBJECTS]
    passed = failed = 0

    def count(form, cases, problems):
        """Returns the cases without a problem."""
        nonlocal passed, failed
        good = []
        for case, problem in zip(cases, problems):
            if problem:
                failed += 1
                print(f"FAIL {form} {case['name']}, {case['object']}: {problem}", flush=True)
            else:
                passed += 1
                good.append(case)
        return good

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        forms = Forms(args.bin.resolve(), args.folder.resolve(), Path(folder))
        cases = count("object", cases, pool.map(forms.compile, cases))
        count("shared", cases, pool.map(forms.run_shared, cases))
        problem = forms.link_program(cases)
        count("static", cases, [problem] * len(cases) if problem else pool.map(forms.run_static, cases))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
