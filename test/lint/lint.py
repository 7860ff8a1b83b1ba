#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the source tree that a compiler does not check.

    lint.py RULE [ROOT]

Prints what breaks the rule as FILE:LINE: TEXT, and ends with status 1 if anything does.
"""
import re
import subprocess
import sys
from pathlib import Path

TESTS = {".mlir", ".test", ".xml", ".c", ".py"}
CODE = {".cpp", ".h", ".hpp", ".c", ".td", ".inc"}
# Folders with files that are data or are not ours.
DATA = {"build", ".git", "__pycache__", "conformance"}


def walk(root, suffixes=None, data=False):
    """All files under root in a stable order, with those suffixes."""
    for path in sorted(root.iterdir()) if root.is_dir() else []:
        if path.is_dir():
            if data or path.name not in DATA:
                yield from walk(path, suffixes, data)
        elif suffixes is None or path.suffix in suffixes:
            yield path


def lines_of(path):
    return enumerate(path.read_text(errors="replace").splitlines(), 1)


def run_lines(path):
    """The commands of a test, continued lines joined."""
    commands, open_end = [], False
    for _, line in lines_of(path):
        match = re.search(r"\b(?:RUN|DEFINE|REDEFINE):\s*(.*)", line)
        if not match:
            continue
        text = re.sub(r"\s*-->\s*$", "", match[1])
        if open_end:
            commands[-1] += " " + text.rstrip("\\")
        else:
            commands.append(text.rstrip("\\"))
        open_end = text.endswith("\\")
    return commands


SUFFIX = r"(?:-(?:LABEL|NEXT|SAME|NOT|DAG|EMPTY|COUNT-\d+))"
DIRECTIVE = re.compile(rf"(?:^|//|#|;|<!--)\s*([A-Z][A-Z0-9_-]*?)({SUFFIX}?):")
EXPECTED = re.compile(r"expected-(?:error|warning|note|remark)")


def rule_dead_checks(root):
    """Every CHECK line is read by a FileCheck, every expected-error by -verify-diagnostics."""
    for path in walk(root / "test", TESTS):
        commands = run_lines(path)
        if not commands or path.suffix == ".py":
            continue
        prefixes = set()
        for command in commands:
            for call in re.findall(r"FileCheck\b[^|]*", command):
                named = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", call)
                prefixes |= {name for names in named for name in names.split(",")} or {"CHECK"}
        verifies = any("verify-diagnostics" in command for command in commands)
        directives = [(number, *match) for number, line in lines_of(path) for match in DIRECTIVE.findall(line)]
        # CHECK and what begins like it is meant for FileCheck; so is what has a suffix like -NEXT anywhere.
        meant = {base for _, base, suffix in directives if suffix or base.startswith("CHECK")}
        for number, base, suffix in directives:
            if base in meant and base not in prefixes:
                yield path, number, f"no FileCheck reads {base}{suffix}"
        for number, line in lines_of(path):
            if EXPECTED.search(line) and not verifies:
                yield path, number, "nothing verifies the expected diagnostic"


COMMENTED = CODE | {".py", ".sh", ".cmake", ".mlir", ".test", ".md", ".in", ".def", ".cfg", ".yml"}
COMMENTED_NAMES = {"CMakeLists.txt", "run"}


def rule_spdx(root):
    """Every file that can hold a comment names the licence in its first lines."""
    for path in walk(root):
        if path.suffix not in COMMENTED and path.name not in COMMENTED_NAMES:
            continue
        head = path.read_text(errors="replace").splitlines()[:4]
        if not any("SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" in line for line in head):
            yield path, 1, "expected 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'"


def rule_builders(root):
    """Ops are built by Op::create(builder, ...), not by builder.create<Op>(...)."""
    for folder in ("include", "lib", "tools", "unittests"):
        for path in walk(root / folder, CODE):
            for number, line in lines_of(path):
                if re.search(r"(?:\.|->)create<", line):
                    yield path, number, "expected OpType::create(builder, ...)"


def rule_silent_refusals(root):
    """A pattern that refuses says why: matchAndRewrite fails by notifyMatchFailure or with an error."""
    start = re.compile(r"\bmatchAndRewrite\([^;{]*\{")
    for folder in ("include", "lib"):
        for path in walk(root / folder, CODE):
            text = path.read_text()
            for match in start.finditer(text):
                end, depth = match.end(), 1
                while depth and end < len(text):
                    depth += {"{": 1, "}": -1}.get(text[end], 0)
                    end += 1
                for refusal in re.finditer(r"return failure\(\);", text[match.end():end]):
                    line = text.count("\n", 0, match.end() + refusal.start()) + 1
                    yield path, line, "expected a refusal with a reason"


# Absolute paths of somebody's machine; and folders beside the checkout, which only the scripts may look for.
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home)/\w|\bbash_jobs\b")
BESIDE = re.compile(r"\.\./shared\b")
MAY_LOOK_BESIDE = {".ci/run", "scripts/test.sh", "docs/Testing.md", "test/lint/lint.py"}


def rule_machine_paths(root):
    """Nothing in the repository depends on, or tells of, a place on one machine."""
    for path in walk(root, data=True):
        if {"build", ".git", "__pycache__"} & set(path.relative_to(root).parts) or path.suffix in (".npy", ".bin"):
            continue
        for number, line in lines_of(path):
            if MACHINE.search(line):
                yield path, number, "a path of one machine"
            elif BESIDE.search(line) and str(path.relative_to(root)) not in MAY_LOOK_BESIDE:
                yield path, number, "a place outside the repository"


def all_run_lines(root):
    return "\n".join(command for path in walk(root / "test", TESTS) for command in run_lines(path))


def rule_tested_passes(root):
    """Every pass and pipeline is named by the RUN line of a test."""
    commands = all_run_lines(root)
    flags = []
    for path in walk(root / "include", {".td"}):
        for number, line in lines_of(path):
            flags += [(path, number, flag) for flag in re.findall(r'\bPass<"([\w-]+)"', line)]
    for path in walk(root / "lib" / "Pipelines", {".cpp"}):
        text = path.read_text()
        for match in re.finditer(r'(?:\{|PassPipelineRegistration<\w*>\()"([\w-]+)",\s*"', text):
            flags.append((path, text.count("\n", 0, match.start()) + 1, match[1]))
    if not flags:
        yield root / "include", 1, "no pass found"
    for path, number, flag in flags:
        if not re.search(rf"(?<!\w)(?<!\w-){re.escape(flag)}(?![\w-])", commands):
            yield path, number, f"no test runs {flag}"


def rule_tested_ops(root):
    """Every op of the dialects occurs in a test on MLIR text."""
    text = "\n".join(path.read_text() for path in walk(root / "test", {".mlir", ".test", ".xml"}))
    found = False
    for path in walk(root / "docs" / "generated", {".md"}):
        for number, line in lines_of(path):
            match = re.match(r"#+ `(\w+\.\w+)` \(", line)
            if not match:
                continue
            found = True
            if not re.search(rf"(?<![\w.]){re.escape(match[1])}(?![\w.])", text):
                yield path, number, f"no test has {match[1]}"
    if not found:
        yield root / "docs" / "generated", 1, "no op found; scripts/update-docs.sh makes the documentation of ops"


def rule_tested_diagnostics(root):
    """Every stable id of an importer's diagnostic is expected by a test."""
    text = "\n".join(path.read_text() for path in walk(root / "test", {".mlir", ".test", ".xml"}))
    for path in (root / "unittests").rglob("*.cpp"):
        text += path.read_text()
    for path in walk(root / "lib" / "Import", CODE):
        for number, line in lines_of(path):
            for name in re.findall(r'"((?:ir|xml|limit|weights)-[a-z0-9-]+)"', line):
                if f"[{name}]" not in text:
                    yield path, number, f"no test expects [{name}]"


def rule_tested_remarks(root):
    """Every remark of a pass is expected by a test, by its pass and name."""
    text = "\n".join(path.read_text() for path in walk(root / "test", {".mlir", ".test"}))
    path = root / "docs" / "generated" / "Remarks.md"
    row = re.compile(r"\| `([\w-]+)` \| `([\w-]+)` \|")
    remarks = [(number, match) for number, line in lines_of(path) if (match := row.match(line))]
    for number, match in remarks:
        # In the form of ir-opt, or of the tools that compile.
        if f"{match[2]} | Category:{match[1]}" not in text and f"[{match[1]}:{match[2]}]" not in text:
            yield path, number, f"no test expects the remark {match[1]}:{match[2]}"
    if not remarks:
        yield path, 1, "no remark found"


def rule_semantics_tests(root):
    """Every rule of docs/Semantics.md names tests, which exist."""
    path, found = root / "docs" / "Semantics.md", False
    cases = {case.stem for case in (root / "test" / "conformance" / "cases").glob("*.zip")}
    for number, line in lines_of(path) if path.exists() else []:
        # A bar that belongs to the text is written \\|.
        cells = re.split(r"(?<!\\\\)\|", line.strip().strip("|"))
        if not line.startswith("|") or not re.fullmatch(r"[A-Z]\d+", cells[0].strip()):
            continue
        found = True
        names = re.findall(r"`([^`]+)`", cells[-1])
        if not names:
            yield path, number, f"{cells[0].strip()} names no test"
        for name in names:
            pattern = re.compile(re.escape(name).replace(r"\*", ".*"))
            if not (root / "test" / name).exists() and not any(pattern.fullmatch(case) for case in cases):
                yield path, number, f"there is no test {name}"
    if not found:
        yield path, 1, "no rule found"


# A line names an op as an entry of a list by its class, by its name or its layer's type in quotes, or by a row of an
# X-macro, a case or an enumerator. An op that is built (AddOp::create) does not count.
QUOTED_NAME = re.compile(r'"((?:ov\.)?\w+)"')
CLASS_NAME = re.compile(r"(?:\b(\w+)::)?\b(?:OV_)?(\w+Op)\b(?!\w*::)")
MEMBER_OF_CLASS = re.compile(r"\S.*?\b(\w+Op)::~?\w+\(")
ROW = re.compile(r"\s*(?:[A-Z][A-Z_]+\(|case (?:\w+::)*|)([A-Z]\w*)\s*[,):]")
OPS_OF_A_LIST, LINES_OF_A_LIST = 6, 12
LISTED = CODE | {".py", ".sh", ".def", ".cmake", ".txt"}
# Code that names as many ops for a reason of its own, and the reason.
MAY_LIST_OPS = {
    "benchmarks/dynamic.py": "the layers of the cells that it measures",
    "benchmarks/growth.py": "the layers of the models that it builds",
    "benchmarks/items.py": "the layers of the models that it builds",
    "benchmarks/peers_onnx.py": "the nodes of the ONNX models that it builds",
    "lib/Conversion/OVToSCF/InitialValues.cpp": "the ops that only move the elements of an initial value",
    "lib/Import/OpenVINOIR/Expansions/MatrixInverse.cpp": "the ops of one step of the elimination",
    "lib/Import/OpenVINOIR/Expansions/Expansion.h": "the arithmetic that expansions are written in",
    "lib/Import/OpenVINOIR/Lengths.cpp": "the operand of each whose length decides a rank",
    "lib/Testing/Generator/GenerateGraph.cpp": "ops that are picked more often where a model wants great weights",
}


def op_names(root):
    """What each name of an op stands for, and the family of each op, as the generated pages have them."""
    ops, families = {}, {}
    for name in ("OVOps.md", "SupportedOps.md"):
        path = root / "docs" / "generated" / name
        for _, line in lines_of(path) if path.exists() else []:
            if match := re.match(r"#+ `ov\.(\w+)` \((?:\w*::)*(\w+)\)", line):
                ops.update({match[1]: match[1], "ov." + match[1]: match[1], match[2]: match[1]})
            elif match := re.match(r"\| (\w+) \| opset\d+ \| (?:\[`ov\.(\w+)`\][^|]*|[^|]*) \| (\w+) \|", line):
                op = match[2] or match[1]
                ops[match[1]], families[op] = op, match[3]
    return ops, families


def listed_ops(line, ops):
    code = re.sub(r"//.*|^\s*#.*", "", line)
    names = QUOTED_NAME.findall(code)
    names += [name for namespace, name in CLASS_NAME.findall(code) if namespace in ("", "ov")]
    names += MEMBER_OF_CLASS.findall(code)[:1] if MEMBER_OF_CLASS.match(code) else []
    row = ROW.match(code)
    if row and not row[1].endswith("Op"):
        names.append(row[1])
    return {ops[name] for name in names if name in ops}


def rule_op_lists(root):
    """No code lists ops that are not of its family: what they are is said in their .td files, and all else follows."""
    ops, families = op_names(root)
    if not families:
        yield root / "docs" / "generated", 1, "no family of ops found; scripts/update-docs.sh makes the pages of ops"
        return
    # MovementGather.cpp is a file of the family Movement.
    names = sorted(set(families.values()))
    for folder in ("include", "lib", "tools", "scripts", "benchmarks", "examples", "cmake"):
        for path in walk(root / folder, LISTED):
            if str(path.relative_to(root)) in MAY_LIST_OPS:
                continue
            by_family = folder in ("include", "lib") or path.parent == root / "tools" / "ir-fuzz"
            family = next((name for name in names if by_family and path.stem.startswith(name)), None)
            lines = [(number, {op for op in listed_ops(line, ops) if not family or families.get(op) != family})
                     for number, line in lines_of(path)]
            lists = []
            for first, (number, here) in enumerate(lines):
                window = lines[first:first + LINES_OF_A_LIST]
                found = set().union(*(more for _, more in window))
                if not here or len(found) < OPS_OF_A_LIST:
                    continue
                last = max(line for line, more in window if more)
                if lists and number <= lists[-1][1]:
                    lists[-1] = (lists[-1][0], max(last, lists[-1][1]), lists[-1][2] | found)
                else:
                    lists.append((number, last, found))
            for number, last, found in lists:
                some = ", ".join(sorted(found)[:3])
                yield path, number, f"a list of {len(found)} ops by hand up to line {last}: {some} and so on"


FORMATTED = {".cpp", ".h", ".hpp", ".c"}
FORMATTER = "clang-format-22"


def rule_format(root):
    """Code has the format that clang-format gives it with .clang-format."""
    files = [str(path) for folder in ("include", "lib", "tools", "unittests", "examples", "python")
             for path in walk(root / folder, FORMATTED)]
    result = subprocess.run([FORMATTER, "--dry-run", f"--style=file:{root / '.clang-format'}", *files],
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen = set()
    for path, number in re.findall(r"^(\S+):(\d+):\d+: warning:", result.stderr, re.M):
        if path not in seen:
            yield Path(path), int(number), f"{FORMATTER} formats this differently"
        seen.add(path)


LONGEST_LINE = 120
MEASURED = CODE | {".py", ".sh", ".cmake", ".md"}


def rule_long_lines(root):
    """No line of code or of a document is longer than 120 columns. Rows of a table are, and what is generated."""
    for path in walk(root, MEASURED):
        if "generated" in path.parts or "malformed" in path.parts:
            continue
        for number, line in lines_of(path):
            if len(line) > LONGEST_LINE and not line.lstrip().startswith("|"):
                yield path, number, f"a line of {len(line)} columns, where {LONGEST_LINE} are allowed"


LAYER = re.compile(r"\| `lib/([\w/]+)` \|")
INCLUDE = re.compile(r'^\s*#?include "Recur/([^"]+)"')


def rule_layers(root):
    """A folder of lib includes headers of itself and of the folders before it in a table of docs/Architecture.md."""
    document = root / "docs" / "Architecture.md"
    order = [match[1] for _, line in lines_of(document) if (match := LAYER.match(line))]

    def find_layer(path):
        """The position of the longest folder that the path begins with; None if the table has none."""
        found = [i for i, folder in enumerate(order) if re.match(rf"{folder}[/.]", path)]
        return max(found, key=lambda i: len(order[i])) if found else None

    for base in (root / "lib", root / "include" / "Recur"):
        for path in walk(base, CODE | {".def"}):
            own = find_layer(str(path.relative_to(base)))
            if own is None:
                yield path, 1, "docs/Architecture.md has no line for this folder"
                continue
            for number, line in lines_of(path):
                if not (match := INCLUDE.match(line)):
                    continue
                other = find_layer(match[1])
                if other is None or other > own:
                    yield path, number, f"lib/{order[own]} is below the folder of {match[1]}"


RULES = {name[5:].replace("_", "-"): rule for name, rule in sorted(globals().items()) if name.startswith("rule_")}


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0] not in RULES:
        print(__doc__.strip() + "\n\nRules:", file=sys.stderr)
        for name, rule in RULES.items():
            print(f"  {name:20} {rule.__doc__}", file=sys.stderr)
        return 2
    root = Path(arguments[1] if len(arguments) == 2 else Path(__file__).parents[2]).resolve()
    count = 0
    for path, number, text in RULES[arguments[0]](root):
        count += 1
        print(f"{path.relative_to(root)}:{number}: {text}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
