#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps docs/generated in step with the sources.

    docs.py check|update --build BUILD_FOLDER

The pages are those that the build made of the .td files (BUILD_FOLDER/docs/*.md).
"""
import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n"


def make_pages(build):
    pages = {path.name: path.read_text() for path in sorted((build / "docs").glob("*.md"))}
    if not pages:
        sys.exit(f"error: no pages in {build / 'docs'}: build the target recur-docs")
    # mlir-tblgen writes lines with trailing spaces, which editors and git do not keep.
    return {name: HEAD + "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
            for name, text in pages.items()}


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
