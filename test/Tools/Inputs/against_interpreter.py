# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares compiled models with interpreted ones, for scripts that make models."""
import itertools
import pathlib
import subprocess


def check(write, ir_run, folder, every="1"):
    """Runs every `every`-th model of `write(folder)`. That writes models to a folder, and yields for each the arguments
    of ir-run that name it and its inputs, and the options of the compiled run. Prints the failures, and
    `N passed, N failed`. Returns the status of the process.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for arguments, options in itertools.islice(write(folder), 0, None, int(every)):
        command, want = [ir_run, *arguments, "--quiet"], arguments[0].with_suffix(".want")
        runs = [subprocess.run([*command, *more], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                for more in (["--interpret", f"--output-dir={want}"], ["--strict", f"--expect={want}", *options])]
        if any(run.returncode for run in runs):
            failed += 1
            print(f"FAIL {arguments[0]} {options}: {runs[0].stderr}{runs[1].stdout}{runs[1].stderr}".strip()[:400])
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
