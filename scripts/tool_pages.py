#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the manual page, the completions and the page of the documentation of a tool from its --help, which is the only
place that describes options.

    tool_pages.py TOOL --version VERSION --output FOLDER [--docs FOLDER]

writes FOLDER/man/NAME.1, FOLDER/bash/NAME and FOLDER/zsh/_NAME, and with --docs a page of the documentation, NAME.md.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

OPTION = re.compile(r"^  +(?P<dashes>--?)(?P<name>[A-Za-z][\w.-]*)(?:(?P<glue>[= ]|\[=)?<(?P<value>.*)>\]?)?"
                    r" +-(?: |$)(?P<text>.*)$")
VALUE = re.compile(r"^ +=(?P<name>\S+)(?: +- +(?P<text>.*))?$")


class Option:
    def __init__(self, match):
        self.flag = match["dashes"] + match["name"]
        self.glue = (match["glue"] or "") if match["value"] is not None else ""
        self.value = match["value"]
        self.text = match["text"].strip()
        self.values = []

    def spell(self):
        if self.value is None:
            return self.flag
        return f"{self.flag}{self.glue}<{self.value}>{']' if self.glue == '[=' else ''}"


class Help:
    """The parts of a --help: what the tool does, its usage, groups of options, and the exit status."""

    def __init__(self, text):
        self.overview, self.usage, self.groups, self.unknown = "", "", [], []
        self.status = "0, or 1 after an error."
        for line in text.splitlines():
            if match := OPTION.match(line):
                self.groups[-1][1].append(Option(match))
            elif match := VALUE.match(line):
                self.groups[-1][1][-1].values.append((match["name"], match["text"] or ""))
            elif line.startswith("OVERVIEW: "):
                self.overview = line.removeprefix("OVERVIEW: ").removeprefix("Recur: ").rstrip(".")
            elif line.startswith("USAGE: "):
                self.usage = line.removeprefix("USAGE: ")
            elif line.startswith("EXIT STATUS: "):
                self.status = line.removeprefix("EXIT STATUS: ")
            elif re.match(r"^[A-Za-z].*:$", line):
                self.groups.append((line[:-1], []))
            elif line.lstrip().startswith("-"):
                self.unknown.append(line)
            elif re.match(r"^ {8,}\S", line):
                # The description goes on.
                self.groups[-1][1][-1].text += " " + line.strip()
        self.groups = [(name, options) for name, options in self.groups if options]

    def options(self):
        """All options. One that occurs twice, as an option of several passes, is there once."""
        found = {}
        for _, group in self.groups:
            for option in group:
                found.setdefault(option.flag, option)
        return list(found.values())


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def make_man(name, page, version):
    lines = ['.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception', '.\\" Made from --help.',
             f'.TH {name.upper()} 1 "" "Recur {version}" "Recur"', ".SH NAME", f"{name} \\- {roff(page.overview)}",
             ".SH SYNOPSIS", roff(page.usage), ".SH OPTIONS"]
    for group, options in page.groups:
        lines.append(f'.SS "{roff(group)}"')
        for option in options:
            lines += [".TP", f"\\fB{roff(option.spell())}\\fR", roff(option.text)]
            if option.values:
                lines.append(".RS")
                for value, text in option.values:
                    lines += [".TP", f"\\fB{roff(value)}\\fR", roff(text)]
                lines.append(".RE")
    lines += [".SH EXIT STATUS", roff(page.status), ""]
    return "\n".join(lines)


def make_docs(name, page):
    """The options of the tool itself. Those that every tool has (--help, --version) are left out."""
    groups = [options for group, options in page.groups if group.lower() == f"{name} options"]
    groups = groups or [options for group, options in page.groups if group != "Generic Options"]
    lines = [f"# {name}", "", f"`{page.usage}`", "", page.overview[:1].upper() + page.overview[1:] + ".", "",
             "| option | what it does |", "|---|---|"]
    for options in groups:
        for option in options:
            text = option.text
            if option.values:
                text += ": " + "; ".join(f"`{value}` {meaning}" for value, meaning in option.values)
            # A bar ends a cell also in code, and what looks like a tag is not shown.
            cells = (f"`{option.spell()}`", text.replace("<", "&lt;"))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def make_bash(name, page):
    function = "_" + name.replace("-", "_")
    flags = [option.flag + ("=" if option.glue == "=" else "") for option in page.options()]
    cases = []
    for option in page.options():
        if option.values:
            words = " ".join(value for value, _ in option.values)
            cases.append(f"  {option.flag}) COMPREPLY=($(compgen -W '{words}' -- \"$word\")) ;;")
    newline = "\n"
    # Bash takes --emit=obj for three words.
    return f"""# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made from --help.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=
  if [[ $word == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 1]}} word=
  elif ((COMP_CWORD > 1)) && [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
  case $option in
{newline.join(cases)}
  '')
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '{' '.join(flags)}' -- "$word"))
      [[ ${{COMPREPLY-}} == *= ]] && compopt -o nospace 2>/dev/null
    fi
    ;;
  esac
  return 0
}}
complete -o default -F {function} {name}
"""


def make_zsh(name, page):
    lines = ["#compdef " + name, "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", "# Made from --help.",
             "_arguments \\"]
    for option in page.options():
        text = re.sub(r"([\[\]:\\])", r"\\\1", option.text).replace("'", "'\\''")
        spec = f"{option.flag}{'=' if option.glue == '=' else ''}[{text}]"
        if option.values:
            spec += f":value:({' '.join(value for value, _ in option.values)})"
        elif option.value is not None:
            spec += ":value:_files"
        lines.append(f"  '{spec}' \\")
    return "\n".join([*lines, "  '*:file:_files'", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--docs", type=Path)
    args = parser.parse_args()
    name = args.tool.name
    text = subprocess.run([args.tool, "--help"], check=True, capture_output=True, text=True).stdout
    page = Help(text)
    if not page.overview or not page.usage or not page.options():
        sys.exit(f"error: expected {name} --help to have an overview, a usage and options")
    if page.unknown:
        sys.exit(f"error: {name} --help has lines of an unknown form:\n" + "\n".join(page.unknown))
    files = {args.output / f"man/{name}.1": make_man(name, page, args.version),
             args.output / f"bash/{name}": make_bash(name, page), args.output / f"zsh/_{name}": make_zsh(name, page)}
    if args.docs:
        files[args.docs / f"{name}.md"] = make_docs(name, page)
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
