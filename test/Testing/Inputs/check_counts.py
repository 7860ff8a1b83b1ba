# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the output of ir-fuzz --statistics from standard input, and checks it. Of 10,000 models, at least 100 must have
each operation that can be imported, and at least 200 each feature, unless the table below has another number.

    ir-fuzz --write --count 10000 --statistics | check_counts.py docs/generated/SupportedOps.md
"""
import re
import sys

FEATURES = [
    "backward-concatenation", "concatenation", "data-dependent-count", "delay-line", "depth-3", "depth-3 of loops",
    "dynamic-dims", "growing-state", "input-mapped-twice", "last-value", "nan-or-infinity", "negative-stride",
    "nest of TensorIterator and Loop and GatherTree", "nest of TensorIterator and Loop and If",
    "nest: Loop > Loop", "nest: Loop > TensorIterator", "nest: TensorIterator > Loop",
    "nest: TensorIterator > TensorIterator", "no-trip-count", "part-size", "straight-through", "stride-is-not-part",
    "sub-range", "swap", "two-sliced-inputs", "wide values", "zero-trips",
]
# Features that a large share of all models must have.
SHARES = {
    "innermost dim of 16 or more": 2500, "long dim that is no multiple of 8": 2500, "long dynamic dim": 1000,
    "rank of 4 or more": 2000, "weights in the file": 1000,
}


def read_counts(lines):
    """The counts by title, by what is counted; names as the importer takes them, in any case."""
    tables, title = {}, ""
    for line in lines:
        entry = re.match(r" +(\d+) (.+)", line)
        if entry:
            tables.setdefault(title, {})[entry.group(2).lower()] = int(entry.group(1))
        else:
            title = line.strip()
    return tables


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        # The tables of the page have different numbers of columns; the one of missing operations has no op.
        ops = re.findall(r"^\| (\w+)(?:, \w+)* \| opset\d+ \| [^|]* \| \w+ \|$", file.read(), re.M)
    tables = read_counts(sys.stdin)
    wanted = [("models with the operation", op, 100) for op in ops] + [("models with", name, 200) for name in FEATURES]
    wanted += [("models with", name, number) for name, number in SHARES.items()]
    least = {}
    for title, name, number in wanted:
        got = tables.get(title, {}).get(name.lower(), 0)
        if got < number:
            print(f"{got} {title} {name}, expected at least {number}")
        least[title] = min(least.get(title, (got, name)), (got, name))
    for title, (got, name) in least.items():
        print(f"the least of the {title}: {got} {name}")
    print(f"{len(ops)} operations")
    return any(tables.get(title, {}).get(name.lower(), 0) < number for title, name, number in wanted)


if __name__ == "__main__":
    sys.exit(main())
