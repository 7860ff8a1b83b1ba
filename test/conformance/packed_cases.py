#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a case into one file, and unpacks it. A case is a folder: a model, its weights, its inputs and its outputs.

    packed_cases.py

unpacks all cases into build/conformance, and prints that folder. It leaves a case that is there already, unless its file
has changed. The folder also gets cases.json, and malformed/ with the files that must be refused.

A case is an archive without compression, which any tool for .zip files reads: cases/NAME.zip, malformed/NAME.zip. The
same files give the same archive.
"""
import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
UNPACKED = FOLDER.parents[1] / "build" / "conformance"
# Where the archives are, and where their cases go in the folder.
ARCHIVES = {"cases": ".", "malformed": "malformed"}
INDICES = ["cases.json", "malformed/malformed.json"]
# The earliest time that an archive can have.
TIME = (1980, 1, 1, 0, 0, 0)


def write(path, write_to):
    """Writes a file as a whole: nobody reads a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    write_to(scratch)
    os.replace(scratch, path)


def pack(case, kind="cases"):
    """Packs the folder `case` into the archive of its name."""
    def write_to(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
            for member in sorted(member for member in case.rglob("*") if member.is_file()):
                file.writestr(zipfile.ZipInfo(str(member.relative_to(case)), TIME), member.read_bytes())

    write(FOLDER / kind / f"{case.name}.zip", write_to)


@contextlib.contextmanager
def new_case(name):
    """An empty folder, which then becomes the case `name`."""
    with tempfile.TemporaryDirectory() as scratch:
        case = Path(scratch) / name
        case.mkdir()
        yield case
        pack(case)


def stamp_of(archive):
    status = archive.stat()
    return [status.st_mtime_ns, status.st_size]


def read_stamps(path):
    """What `unpack` has noted, or nothing if it has not ended."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def unpack_case(archive, case):
    scratch = case.with_name(f".{case.name}")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    with zipfile.ZipFile(archive) as file:
        file.extractall(scratch)
    shutil.rmtree(case, ignore_errors=True)
    scratch.rename(case)


def unpack(target=UNPACKED):
    """Unpacks all cases that changed. Returns the folder."""
    target = Path(target)
    target.mkdir(parents=True, exist_ok=True)
    # Several tests may begin at once.
    with open(target / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known, found = read_stamps(target / ".stamps.json"), {}
        for kind, place in ARCHIVES.items():
            for archive in sorted((FOLDER / kind).glob("*.zip")):
                case = target / place / archive.stem
                name = str(case.relative_to(target))
                found[name] = stamp_of(archive)
                if known.get(name) != found[name] or not case.is_dir():
                    unpack_case(archive, case)
        for case in known.keys() - found.keys():
            shutil.rmtree(target / case, ignore_errors=True)
        for index in INDICES:
            text = (FOLDER / index).read_bytes()
            if not (target / index).exists() or (target / index).read_bytes() != text:
                write(target / index, lambda path: path.write_bytes(text))
        if known != found:
            write(target / ".stamps.json", lambda path: path.write_text(json.dumps(found)))
    return target


if __name__ == "__main__":
    print(unpack())
