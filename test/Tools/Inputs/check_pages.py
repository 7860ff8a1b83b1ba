# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pages.py FOLDER TOOL...: fails if an option of a tool's --help is not in its manual page in FOLDER."""
import re
import subprocess
import sys
from pathlib import Path

for tool in sys.argv[2:]:
    text = subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout
    options = re.findall(r"^ +(--?[A-Za-z][\w-]*)", text, re.M)
    page = (Path(sys.argv[1]) / f"{tool}.1").read_text().replace("\\-", "-")
    missing = [option for option in options if not re.search(rf"^\\fB{option}(?![\w-])", page, re.M)]
    if missing or len(options) < 5:
        sys.exit(f"error: {tool}.1 lacks {missing} of {len(options)} options")
