#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands that pages of the documentation show, and compares what they print.

    check_docs.py [--update] [--path FOLDER]... PAGE.md...
    check_docs.py --listings [--update] PAGE.md...
    check_docs.py --find-unchecked FOLDER --tests FILE...

A page has its commands in fenced blocks of the language `console`. A line that begins with `$ ` is a command; one that
ends with a backslash goes on in the next line. The lines behind it are what it prints, both streams in their order:

    ```console
    $ ir-run model.xml --random-inputs=1 --repeat=100
    time per call: 350.1 us
    ```

* `...` in the output stands for any text, and alone on a line for any lines.
* A block of another language with a title, such as ```c title="main.c", is written to that file when its turn comes.
* A command that fails is an error, unless the next one is `echo $?`.
* `export` and `cd` last until the end of the page.

Comments in front of a block:

    <!-- differs: REGEX -->   What REGEX matches may be another text that it matches, such as a time. One per line.
    <!-- not run: REASON -->  The block is shown alone.
    <!-- instead: COMMAND --> This command runs in the place of a block that is not run.
    <!-- listing: FILE -->    The block is the text of a file of the repository. An include (`--8<--`) is an error,
                              because only the site would show the text.

Each page runs in a fresh folder, which has a copy of `examples`, links to `benchmarks`, `include` and `test`, and as
`build/release` the build whose ir-compile is in PATH. PATH begins with the folders of --path. Commands of the shell in
blocks of other languages (sh, bash), in blocks without a language, and in indented lines are an error, because nothing
would compare them.

A page that differs is shown as a diff, and the status is 1. --update writes the output that was seen into the page, and
the text of the files into its listings. With --listings, only these are compared, and nothing is run.

--find-unchecked looks at all pages under FOLDER, and runs nothing. It reports the errors above, listings that differ,
and each page with a command to run whose path no FILE of --tests has.
"""
import argparse
import contextlib
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+-]*)(?: +(?P<info>.*))?$")
COMMENT = re.compile(r"^ *<!-- (?P<kind>differs|not run|instead|listing): (?P<text>.*) -->$")
# A line of a block without a language, or an indented line, that is a command of a shell.
SHELL_LINE = re.compile(r"\$ |(\w+=\S* )*(\S*/)?(ir-\w[\w-]*|cmake|ctest|lit|python3?|pip|cc|clang|\S+\.(sh|py))( |$)")
INDENTED = re.compile(r"^ {4,}(?P<text>\S.*)$")
INCLUDE = re.compile(r"^ *--8<-- ")
SECONDS = 300


class PageError(Exception):
    """Why a page cannot be run, as LINE: TEXT."""


class Command:
    """A command, and the lines of the page (from, to) with its output."""

    def __init__(self, text, first):
        self.text = text
        self.first = self.last = first


class Block:
    def __init__(self, language, info, indent, first, lines, comments):
        self.language, self.info, self.indent, self.first, self.lines = language, info or "", indent, first, lines
        self.differs = [re.compile(text) for kind, text in comments if kind == "differs"]
        self.reasons = [text for kind, text in comments if kind == "not run"]
        self.instead = [text for kind, text in comments if kind == "instead"]
        self.listing = next((text for kind, text in comments if kind == "listing"), None)

    @property
    def title(self):
        match = re.search(r'title="([^"]+)"', self.info)
        return match and match[1]

    def commands(self):
        """The commands of a console block. Lines count from the start of the page."""
        found, goes_on = [], False
        for number, line in enumerate(self.lines, self.first):
            if goes_on:
                found[-1].text += "\n" + line
            elif line.startswith("$ "):
                found.append(Command(line[2:], number + 1))
            elif not found:
                raise PageError(f"{number + 1}: expected a command after '$ ', but got '{line}'")
            else:
                found[-1].last = number + 1
                continue
            goes_on = line.endswith("\\")
            found[-1].first = found[-1].last = number + 1
        return found


def read_blocks(lines):
    blocks, comments, fence = [], [], None
    for number, line in enumerate(lines):
        if fence:
            if line.strip() == "```":
                content = [text.removeprefix(fence["indent"]) for text in lines[start:number]]
                blocks.append(Block(fence["language"], fence["info"], fence["indent"], start, content, comments))
                comments, fence = [], None
        elif match := COMMENT.match(line):
            comments.append((match["kind"], match["text"]))
        elif match := FENCE.match(line):
            fence, start = match, number + 1
        elif (match := INDENTED.match(line)) and SHELL_LINE.match(match["text"]):
            raise PageError(f"{number + 1}: expected the command in a block of the language console, but got an "
                            "indented line")
        elif line.strip() and comments:
            raise PageError(f"{number + 1}: expected a block behind the comment, but got '{line}'")
    if fence:
        raise PageError(f"{start}: the block has no end")
    return blocks


def compare_listings(page, blocks):
    """The problems of blocks that are not the text of their file, and edits (first line, last line, lines) that mend
    them."""
    problems, edits = [], []
    for block in blocks:
        if any(INCLUDE.match(line) for line in block.lines):
            raise PageError(f"{block.first}: expected the text of the file behind a comment 'listing', but got an "
                            "include, which only the site shows")
        if not block.listing:
            continue
        file = ROOT / block.listing
        if not file.is_file():
            raise PageError(f"{block.first}: there is no file {block.listing} to list")
        wanted = file.read_text().splitlines()
        if block.lines != wanted:
            diff = difflib.unified_diff(block.lines, wanted, f"{page}:{block.first} (the page)", block.listing,
                                        lineterm="")
            problems.append("\n".join(diff))
            edits.append((block.first, block.first + len(block.lines),
                          [(block.indent + line).rstrip() for line in wanted]))
    return problems, edits


def check_kinds(blocks):
    for block in blocks:
        is_shell = block.language in ("sh", "bash", "shell") or (
            not block.language and any(SHELL_LINE.match(line) for line in block.lines))
        if is_shell and not block.reasons:
            raise PageError(f"{block.first}: expected a block of the language console, or a comment with the reason "
                            "why it is not run")
        if block.instead and not block.reasons:
            raise PageError(f"{block.first}: expected the reason why the block is not run")
        if block.differs and block.language != "console":
            raise PageError(f"{block.first}: expected a block of the language console behind the comment")


# The status of a command is what $? has in the next one.
RUNNER = """
mark=$1
status=0
next() { printf '%s %s\\n' "$mark" "$status"; return "$status"; }
"""


def make_script(blocks):
    """The shell script of a page, and for each of its marked parts the block and the command, or None."""
    script, parts = [RUNNER], []
    for block in blocks:
        steps = []
        if block.reasons:
            steps = [(None, command) for command in block.instead]
        elif block.language == "console":
            steps = [(command, command.text) for command in block.commands()]
        elif block.title:
            text = "\n".join(block.lines)
            steps = [(None, f"cat > '{block.title}' <<'END_OF_FILE'\n{text}\nEND_OF_FILE")]
        for command, text in steps:
            quoted = "'" + text.replace("'", "'\\''") + "'"
            script.append(f"next; eval {quoted}; status=$?\n")
            parts.append((block, command, text))
    script.append("next\n")
    return "".join(script), parts


def run(script, folders):
    """The output between marks, and the status before each mark."""
    mark = "=== a page of the documentation ==="
    with tempfile.TemporaryDirectory(prefix="recur-docs-") as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples",
                        ignore=shutil.ignore_patterns("__pycache__", "build"))
        for name in ("benchmarks", "include", "test"):
            (Path(folder) / name).symlink_to(ROOT / name)
        path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
        if tool := shutil.which("ir-compile", path=path):
            (Path(folder) / "build").mkdir()
            (Path(folder) / "build/release").symlink_to(Path(tool).resolve().parent.parent)
        environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "HOME": folder}
        process = subprocess.Popen(["bash", "-c", script, "bash", mark], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
        try:
            printed, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise PageError(f"1: the commands of the page take more than {SECONDS} s") from None
        finally:
            # A command that goes on, also in the background, would keep the folder and the output open.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    outputs, statuses = [[]], []
    for line in printed.splitlines():
        # Output without an end of line is in front of the mark.
        before, found, status = line.partition(mark)
        if before or not found:
            outputs[-1].append(before)
        if found:
            statuses.append(int(status))
            outputs.append([])
    return outputs[1:-1], statuses[1:]


def to_pattern(lines, differs):
    """A regular expression of the output: `...` is any text, and alone on a line any lines."""
    pattern = ""
    for line in lines:
        if line == "...":
            pattern += "(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(mask(part, differs)) for part in line.split("...")) + "\n"
    return re.compile(pattern)


def mask(line, differs):
    for regex in differs:
        line = regex.sub("<differs>", line)
    return line


def apply_edits(lines, edits):
    for first, last, new in sorted(edits, reverse=True):
        lines[first:last] = new
    return lines


def check_listings(page):
    """The problems of the listings of a page, and its lines as they should be."""
    lines = page.read_text().splitlines()
    problems, edits = compare_listings(page, read_blocks(lines))
    return problems, apply_edits(lines, edits)


def check_page(page, folders):
    """The problems of a page, and its lines as they should be."""
    lines = page.read_text().splitlines()
    blocks = read_blocks(lines)
    check_kinds(blocks)
    problems, edits = compare_listings(page, blocks)
    script, parts = make_script(blocks)
    if not any(command for _, command, _ in parts):
        raise PageError("1: the page shows no command that is run")
    outputs, statuses = run(script, folders)
    if len(outputs) < len(parts):
        problems.append(f"a command ended the shell: {parts[len(outputs)][2]}")
    for index, ((block, command, text), output, status) in enumerate(zip(parts, outputs, statuses)):
        name = f"{page}:{command.first if command else block.first}"
        follower = parts[index + 1][1] if index + 1 < len(parts) else None
        if status and not (command and follower and follower.text == "echo $?"):
            problems.append("\n".join([f"{name}: the command ended with status {status}: {text}", *output]))
        if not command:
            continue
        expected = [line.removeprefix(block.indent) for line in lines[command.first:command.last]]
        seen = "".join(mask(line, block.differs) + "\n" for line in output)
        if not to_pattern(expected, block.differs).fullmatch(seen):
            diff = difflib.unified_diff(expected, output, f"{name} (the page)", f"{name} (the command)", lineterm="")
            problems.append("\n".join([f"{name}: {command.text}", *diff]))
            edits.append((command.first, command.last, [block.indent + line for line in output]))
    return problems, apply_edits(lines, edits)


def find_unchecked(folder, tests):
    """What is wrong with pages under a folder: a form of commands, or commands to run, but no test that names the page.
    """
    named = "\n".join(test.read_text() for test in tests)
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "build" and not name.startswith("."))
        for page in (Path(parent) / name for name in sorted(files) if name.endswith(".md")):
            name = page.relative_to(folder).as_posix()
            try:
                blocks = read_blocks(page.read_text().splitlines())
                check_kinds(blocks)
                yield from compare_listings(name, blocks)[0]
                first = next((block.first for block in blocks if block.language == "console" and not block.reasons),
                             None)
                if first and not re.search(rf'(recur_src/|"){re.escape(name)}($|[\s"])', named, re.MULTILINE):
                    raise PageError(f"{first}: expected a test that runs the commands of this page")
            except PageError as error:
                yield f"{name}:{error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE.md")
    parser.add_argument("--path", action="append", default=[], type=Path, help="a folder of programs, first in PATH")
    parser.add_argument("--update", action="store_true", help="write what was seen into the page")
    parser.add_argument("--listings", action="store_true", help="compare the listings alone, and run nothing")
    parser.add_argument("--find-unchecked", type=Path, metavar="FOLDER", help="report pages that no test checks")
    parser.add_argument("--tests", nargs="+", default=[], type=Path, metavar="FILE", help="the tests that check pages")
    args = parser.parse_args()
    if not args.pages and not args.find_unchecked:
        parser.error("expected a page or --find-unchecked")
    failed = False
    if args.find_unchecked:
        problems = list(find_unchecked(args.find_unchecked, args.tests))
        print("".join(problem + "\n" for problem in problems), end="", file=sys.stderr)
        failed = bool(problems)
    for page in args.pages:
        try:
            problems, lines = (check_listings(page) if args.listings else
                               check_page(page, [path.resolve() for path in args.path]))
        except (PageError, OSError) as error:
            problems, lines = [f"{page}:{error}"], None
        if problems:
            failed = True
            print("\n".join(problems), file=sys.stderr)
        if args.update and lines:
            page.write_text("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
