#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps docs/generated in step with the sources.

    docs.py check|update --build BUILD_FOLDER

The pages are those that the build made of the .td files and of --help (BUILD_FOLDER/docs/*.md); Statuses.md, made
of ABI.h, of the code that raises statuses, and of the tests that name them; and Remarks.md, made of the calls that
emit remarks.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"


STATUS = re.compile(r"^ {2}(RECUR_(?:OK|E_\w+)) = (\d+),?(?:\s*/\*(.*?)\*/)?", re.M | re.S)
# Where statuses come from, in the order of a call: the paths, and the words of the page.
SOURCES = [
    (["ABIShim.c", "CPU.h", "Checks.h", "States.h"], "checks of arguments"),
    (["Allocator.h"], "memory of the allocator"),
    (["../../Transforms/LowerChecks.cpp"], "the computation"),
]


def find_tests(name):
    """The unit tests, and the other files of tests, that name a status."""
    word = re.compile(rf"\b{name}\b")
    for path in sorted((ROOT / "unittests/Target").glob("*Test.cpp")):
        for body in re.split(r"(?=^TEST)", path.read_text(), flags=re.M):
            test = re.match(r"TEST\w*\((\w+), (\w+)\)", body)
            if test and word.search(body):
                yield f"{test[1]}.{test[2]}"
    for path in sorted((ROOT / "test/Tools").rglob("*.*")):
        if path.suffix in {".test", ".c", ".cpp"} and word.search(path.read_text()):
            yield str(path.relative_to(ROOT))


def make_statuses():
    lines = ["# Statuses", "", "What a function of a compiled model returns ([ABI.md](../ABI.md)), from `ABI.h`.", "",
             "| number | status | meaning | raised by | tests that name it |", "|---|---|---|---|---|"]
    shim = ROOT / "lib/Target/ABIShim"
    for name, number, meaning in STATUS.findall((ROOT / "include/Recur/Target/ABI.h").read_text()):
        if name == "RECUR_OK":
            continue
        raised = [words for paths, words in SOURCES
                  if any(re.search(rf"\b{name}\b", (shim / path).read_text()) for path in paths)]
        meaning = " ".join(meaning.split())
        tests = ", ".join(f"`{test}`" for test in find_tests(name))
        lines.append(f"| {number} | `{name}` | {meaning} | {', '.join(raised)} | {tests} |")
    return "\n".join(lines)


REMARK = re.compile(r"\b(?:remark(Passed|Missed|Analysis)\(|RefusalRemarks\s+\w+\()"
                    r"(?:[^;]*?,\s*)?\"((?:ov|rt)-[\w-]+)\",\s*\"([\w-]+)\"(?:,\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+))?")


def find_remarks():
    """The pass, the name, the kind and the texts of each remark, in the order of the passes' names."""
    remarks = {}
    for path in sorted((ROOT / "lib").rglob("*.cpp")):
        for kind, name, remark, text in REMARK.findall(path.read_text()):
            text = re.sub(r"\{\d+\}", "…", "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", text)))
            # A reason that the code chooses.
            text = text if text.strip("…") else "the reason"
            texts = remarks.setdefault((name, remark, (kind or "Missed").lower()), [])
            if text not in texts:
                texts.append(text)
    return sorted(remarks.items())


def make_remarks():
    lines = ["# Remarks", "",
             "What passes tell of their decisions with `--remarks` ([Debugging.md](../Debugging.md)), from the calls "
             "that emit them.", "", "| pass | remark | kind | text |", "|---|---|---|---|"]
    for (name, remark, kind), texts in find_remarks():
        lines.append(f"| `{name}` | `{remark}` | {kind} | {'; or: '.join(texts)} |")
    return "\n".join(lines)


def make_pages(build):
    pages = {path.name: path.read_text() for path in sorted((build / "docs").glob("*.md"))}
    if not pages:
        sys.exit(f"error: no pages in {build / 'docs'}: build the target recur-docs")
    pages["Statuses.md"] = make_statuses()
    pages["Remarks.md"] = make_remarks()
    # mlir-tblgen writes lines with trailing spaces, which editors and git do not keep, and lists without the empty line
    # in front that the site needs.
    texts = {name: "\n".join(line.rstrip() for line in text.strip().splitlines()) for name, text in pages.items()}
    return {name: HEAD + re.sub(r":\n(?=\* )", ":\n\n", text) + "\n" for name, text in texts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "update"])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--generated", type=Path, default=ROOT / "docs/generated")
    args = parser.parse_args()
    pages = make_pages(args.build)
    present = {path.name: path.read_text() for path in args.generated.glob("*.md")}
    if args.what == "update":
        args.generated.mkdir(parents=True, exist_ok=True)
        for name in present.keys() - pages.keys():
            (args.generated / name).unlink()
        for name, text in pages.items():
            (args.generated / name).write_text(text)
        return 0
    problems = [f"{name}: is missing" for name in sorted(pages.keys() - present.keys())]
    problems += [f"{name}: nothing makes this page" for name in sorted(present.keys() - pages.keys())]
    problems += [f"{name}: differs" for name in sorted(pages) if name in present and present[name] != pages[name]]
    if problems:
        print("\n".join(problems) + "\nscripts/update-docs.sh renews docs/generated", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
