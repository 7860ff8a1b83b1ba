# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line on the terminal that shows how far a compilation is."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable, TextIO

Callback = Callable[[str, int, int], object]


class ProgressLine:
    """Draws a bar, as tqdm does, on a terminal; the line disappears at the end. A compilation that is done before
    `delay` seconds have passed shows none."""

    def __init__(self, name: str, stream: TextIO | None = None, delay: float = 0.5, interval: float = 0.1) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._interval = interval
        self._start = time.monotonic()
        self._next = self._start + delay
        self._is_shown = False

    def __call__(self, step: str, done: int, steps: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._interval
        head = f"{self._name}: {100 * done // steps:3d}%|"
        tail = f"| {done}/{steps} [{now - self._start:.0f} s, {step}]"
        width = max(shutil.get_terminal_size().columns - len(head) - len(tail) - 1, 0)
        filled = width * done // steps
        self._write(head + "█" * filled + " " * (width - filled) + tail)

    def close(self) -> None:
        if self._is_shown:
            self._write("")

    def _write(self, text: str) -> None:
        self._is_shown = bool(text)
        # Clears the line first.
        self._stream.write("\r\x1b[K" + text)
        self._stream.flush()


def make_progress(progress: bool | Callback | None, name: str) -> Callback | None:
    """The callback for an argument `progress`: None shows a line if standard error is a terminal, True always."""
    if callable(progress):
        return progress
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    return ProgressLine(name) if progress else None


@contextmanager
def show_progress(progress: bool | Callback | None, name: str) -> Iterator[Callback | None]:
    """Gives the callback of make_progress to a compilation, and clears its line in the end."""
    callback = make_progress(progress, name)
    try:
        yield callback
    finally:
        if isinstance(callback, ProgressLine):
            callback.close()
