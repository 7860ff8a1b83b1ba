#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the .cpp files that differ from origin/main.

    changed_files.py

If HEAD is origin/main, or there is none, it prints those that changed in the four hours before the time of HEAD, or at
least in its own commit. It prints none where git knows no commit to compare with.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 4 * 3600
PATTERNS = ["lib/*.cpp", "tools/*.cpp", "unittests/*.cpp"]


def run_git(*arguments, must_succeed=False):
    """The lines that git prints, or none if it fails."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except OSError:
        return []
    if done.returncode and must_succeed:
        sys.exit(f"error: 'git {arguments[0]}' ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def find_changed_files():
    """The paths from the root of the repository."""
    base = run_git("merge-base", "HEAD", "origin/main")
    if not base or base == run_git("rev-parse", "HEAD"):
        time = run_git("show", "--no-patch", "--format=%ct", "HEAD")
        base = time and run_git("rev-list", "--max-count=1", f"--before={int(time[0]) - SECONDS}", "HEAD")
        base = base or run_git("rev-parse", "--verify", "--quiet", "HEAD~1")
    if not base:
        return []
    return run_git("diff", "--name-only", "--diff-filter=d", *base, "--", *PATTERNS, must_succeed=True)


if __name__ == "__main__":
    for path in find_changed_files():
        print(path)
