# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable

from numpy.typing import NDArray

from . import _recur
from .tensors import Outputs, Tensor, describe, from_native, index_of, to_native


class State(MutableMapping[str, "NDArray[Any] | None"]):
    """The states of a model by name. A state that has its initial value is None; None sets it back.

    What is read is a copy. A call that runs on another thread is waited for.
    """

    def __init__(self, native: _recur.Module) -> None:
        self._native = native
        self._tensors = describe(native.states)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The descriptions of the states."""
        return self._tensors

    def __getitem__(self, name: str) -> NDArray[Any] | None:
        index = index_of(self._tensors, name, "state")
        value = self._native.get_state(index)
        return None if value is None else from_native(value, self._tensors[index])

    def __setitem__(self, name: str, value: Any) -> None:
        index = index_of(self._tensors, name, "state")
        if value is None:
            self._native.reset_state(index)
        else:
            self._native.set_state(index, to_native(value, self._tensors[index], "state"))

    def __delitem__(self, name: str) -> None:
        self[name] = None

    def __iter__(self) -> Iterator[str]:
        return (tensor.name for tensor in self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def reset(self) -> None:
        """Gives all states their initial values."""
        if self._tensors:
            self._native.reset()

    def __repr__(self) -> str:
        return f"State({', '.join(self)})"


def _check_limit(name: str, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise ValueError(f"expected {name} to be at least 1, or None, but got {value}")
    return value


@dataclass(frozen=True)
class ProfileRow:
    """What a module has measured for layers that it computes in one go, or for a time loop."""

    layers: str
    """Their names and places, such as "Add_3 (model.xml:7), Relu_4 (model.xml:9)"."""
    loop: int | None
    """The row of the time loop that the row is in."""
    calls: int
    """How often it was computed; of a time loop, its iterations."""
    ticks: int
    """Of the clock of the CPU, without those of other rows: the sum of all rows is the whole time."""


@dataclass(frozen=True)
class Remark:
    """A decision of a pass of the compiler about a layer."""

    file: str
    """The file of the layer, or "" for a remark about no layer. Of layers that became one, this is the first one."""
    line: int
    column: int
    layer: str
    """The name of the layer, or "" if it has none."""
    pass_name: str
    """Such as "rt-pack-matmuls"."""
    kind: str
    """ "passed" for what the pass did, "missed" for what it did not do, "analysis" for other facts."""
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        layer = f" '{self.layer}'" if self.layer else ""
        return f"{place}{self.kind} {self.pass_name}{layer}: {self.text}"


class Module:
    """A compiled model. Call it with arrays: `module(x, h)`, `module(x=x, h=h)`, or both.

    An array is anything with `__array__` or `__dlpack__` in the memory of the CPU, of the element type of the input; a
    dense one is not copied. One of another type is converted if each value of its type fits ("safe" of numpy), and
    numbers in lists if each value fits; all else is a TypeError. The outputs are new arrays. Other
    threads of Python run meanwhile, and may call the same module: without states the calls run at once, with states
    one after the other. Ctrl-C ends a call at the next iteration of a loop.
    """

    def __init__(
        self,
        native: _recur.Module,
        max_iterations: int | None = None,
        max_bytes: int | None = None,
        remarks: tuple[Remark, ...] = (),
    ) -> None:
        self._native = native
        self._remarks = remarks
        self.max_iterations = max_iterations
        self.max_bytes = max_bytes
        self._inputs = describe(native.inputs)
        self._outputs = describe(native.outputs)
        self._state = State(native)

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def entry(self) -> str:
        """What a call computes: "run", or "step" for one time step."""
        return self._native.entry

    @property
    def cpu(self) -> str:
        """The oldest CPU that the code runs on, as LLVM names it."""
        return self._native.cpu

    @property
    def max_iterations(self) -> int | None:
        """The most iterations of each loop in a call, or None: a call that exceeds it fails with Status.ITER_LIMIT."""
        return self._max_iterations

    @max_iterations.setter
    def max_iterations(self, value: int | None) -> None:
        self._max_iterations = _check_limit("max_iterations", value)

    @property
    def max_bytes(self) -> int | None:
        """The most bytes that a call takes for what only the computation sizes, or None: a call that exceeds it fails
        with Status.MEM_LIMIT."""
        return self._max_bytes

    @max_bytes.setter
    def max_bytes(self, value: int | None) -> None:
        self._max_bytes = _check_limit("max_bytes", value)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return self._outputs

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What the passes decided about the layers, in the order of the passes.

        There are none without `remarks=True`, nor for a module that was loaded, or was made of bytes.
        """
        return self._remarks

    @property
    def state(self) -> State:
        return self._state

    def __call__(self, *args: Any, **kwargs: Any) -> Outputs:
        """Runs the model. Inputs are given by position, and after those by name, or all in one dict.

        Raises CallError if the model refuses them or fails, and TypeError if they are not the inputs of the model.
        """
        values: Sequence[Any] = args
        if len(args) == 1 and not hasattr(args[0], "__array_interface__") and isinstance(args[0], Mapping):
            values, kwargs = (), {**args[0], **kwargs}
        if kwargs:
            values = self._by_position(values, kwargs)
        if len(values) != len(self._inputs):
            missing = ", ".join(f"'{tensor.name}'" for tensor in self._inputs[len(values) :])
            raise TypeError(
                f"expected {len(self._inputs)} inputs, but got {len(values)}"
                + (f"; missing {missing}" if missing else "")
            )
        arrays = [to_native(value, tensor) for value, tensor in zip(values, self._inputs)]
        return Outputs(self._outputs, self._native.run(arrays, self._max_iterations or 0, self._max_bytes or 0))

    def cancel(self) -> None:
        """Ends the calls that other threads make now: they raise CallError with Status.CANCELLED."""
        self._native.cancel()

    def profile(self) -> tuple[ProfileRow, ...]:
        """What the calls of this module have measured so far, in the order in which a call computes it.

        Calls that other threads make meanwhile may be missing. There are no rows without `profile=True`.
        """
        return tuple(
            ProfileRow(layers, None if loop < 0 else loop, calls, ticks)
            for layers, loop, calls, ticks in self._native.profile()
        )

    def _by_position(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        values = list(args)
        for tensor in self._inputs[len(args) :]:
            if tensor.name not in kwargs:
                raise TypeError(f"expected the input '{tensor.name}', but it is not given")
            values.append(kwargs.pop(tensor.name))
        for name in kwargs:
            given = any(tensor.name == name for tensor in self._inputs)
            raise TypeError(f"the input '{name}' is given twice" if given else f"the model has no input '{name}'")
        return values

    def instance(self) -> Module:
        """Another module of the same code. It has states of its own, with their initial values."""
        return Module(self._native.instance(), self._max_iterations, self._max_bytes, self._remarks)

    def to_bytes(self) -> bytes:
        """The code and the weights, which `recur.from_bytes` takes. They run on CPUs like this one."""
        return self._native.serialize()

    def __reduce__(self) -> tuple[Callable[..., Module], tuple[Any, ...]]:
        values = {name: value for name, value in self._state.items() if value is not None}
        arguments = {
            "entry": self.entry, "threads": self._native.threads, "max_iterations": self._max_iterations,
            "max_bytes": self._max_bytes,
        }
        return _restore, (self.to_bytes(), arguments, values)

    def __repr__(self) -> str:
        def text(tensors: tuple[Tensor, ...]) -> str:
            return ", ".join(
                f"{t.name}: {t.element_type}[{', '.join('?' if dim is None else str(dim) for dim in t.shape)}]"
                for t in tensors
            )

        return f"<recur.Module {self.name}: ({text(self._inputs)}) -> ({text(self._outputs)})>"


def from_bytes(
    data: bytes,
    *,
    entry: str | None = None,
    threads: int = 1,
    max_iterations: int | None = None,
    max_bytes: int | None = None,
) -> Module:
    """Makes a module from `Module.to_bytes`. The bytes are code: they must come from where a program may come from.

    The other arguments are those of `recur.load`.
    """
    return Module(_recur.deserialize(data, entry or "", threads), max_iterations, max_bytes)


def _restore(data: bytes, arguments: dict[str, Any], state: dict[str, NDArray[Any]]) -> Module:
    module = from_bytes(data, **arguments)
    module.state.update(state)
    return module
