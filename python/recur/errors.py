# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of recur."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Why a call of a model failed: recur_status of the C interface."""

    NULL = 1
    SHAPE = 2
    DTYPE = 3
    LAYOUT = 4
    OVERFLOW = 5
    WORKSPACE = 6
    NOMEM = 7
    CAPACITY = 8
    ITER_LIMIT = 9
    CANCELLED = 10
    TRIP = 11
    MEM_LIMIT = 12
    INDEX = 13
    ARITH = 14
    CPU = 15
    VERSION = 16
    WEIGHTS = 17
    NOT_INITIALIZED = 18
    ALLOCATOR_NEEDED = 19
    ALIAS = 20
    NAN = 21
    INTERNAL = 22


class Error(Exception):
    """What recur raises, except for arguments that no model can have (TypeError, ValueError)."""


class CompileError(Error):
    """A model cannot be read, compiled, written or loaded. The text has the places in the model."""


class CallError(Error):
    """A call of a model failed. It changed no state."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, status)
        self.status = Status(status)

    def __str__(self) -> str:
        return str(self.args[0])


class InputError(CallError, TypeError):
    """An array has another number of dims than the input or state that it is given for."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Status.SHAPE)


class CompileWarning(UserWarning):
    """A warning or a remark about a model that was compiled."""
