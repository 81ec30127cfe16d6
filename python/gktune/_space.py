"""Writes the space file of a kernel and its arrays into a folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import _arrays
from ._expressions import constraint_of, value_of
from .errors import InvalidArgument

# Copies the expected output that a file holds: the reference of kernels whose results Python computes.
REFERENCE = """template <int bytes>
struct alignas(bytes) Element {
  unsigned char values[bytes];
};
template <int bytes>
__global__ void copy_expected(const void* expected, void* out, long long count) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x)
    static_cast<Element<bytes>*>(out)[i] = static_cast<const Element<bytes>*>(expected)[i];
}
"""
# How far an element may be from the reference, by type.
_TOLERANCE = {
    "float16": 1e-2, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-10, "float8_e4m3": 0.2, "float8_e5m2": 0.3,
    "complex64": 1e-5, "complex128": 1e-10,
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """A value with what its type alone does not say; `inout`, `out`, `scratch`, `generated` and `scalar` make it."""

    value: Any = None
    role: str = "in"
    type: str | None = None
    extent: int | str | None = None
    init: Any = None
    check: Any = None
    symbol: str | None = None  # the variable of the source that holds the array


def inout(value: Any, *, extent: int | str | None = None, check: Any = None) -> Argument:
    """An array that the kernel reads and writes."""
    return Argument(value, "inout", extent=extent, check=check)


def out(value: Any, *, extent: int | str | None = None, check: Any = None) -> Argument:
    """An array that the kernel only writes; its contents do not matter."""
    return Argument(value, "out", extent=extent, check=check)


def scratch(type: str, extent: int | str) -> Argument:
    """Memory that launches get for themselves."""
    return Argument(None, "scratch", type, extent)


def generated(type: str, extent: int | str, init: Any = None, *, role: str = "in", check: Any = None) -> Argument:
    """An array that the tuner makes, so that none is copied: `init` is that of the space file."""
    return Argument(None, role, type, extent, init, check)


def scalar(value: Any, type: str | None = None) -> Argument:
    """A number that is no size of the problem; launches pass any other."""
    return Argument(value, "scalar", type)


@dataclass(frozen=True)
class Signature:
    """A parameter of a kernel in its source."""

    type: str
    name: str
    is_pointer: bool
    is_const: bool


def signature_of(text: str, entry: str) -> list[Signature] | None:
    """The parameters of the kernel; None: the source does not show them plainly."""
    name = re.escape(entry.partition("<")[0].rpartition("::")[2])
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    found = re.search(rf"__global__[^;{{}}]*?\b{name}\s*\(([^()]*)\)", text)
    if found is None:
        return None
    parameters: list[Signature] = []
    for part in found.group(1).split(","):
        words = re.sub(r"\b(__restrict__|__restrict|restrict|volatile)\b", " ", part).replace("*", " * ").split()
        if not words or words == ["void"]:
            continue
        declared = [word for word in words[:-1] if word not in ("const", "*", "__grid_constant__")]
        parameters.append(
            Signature(
                " ".join(declared),
                words[-1],
                "*" in words,
                "const" in words[: words.index("*")] if "*" in words else False,
            )
        )
    return parameters


@dataclass
class Space:
    """What a space file says, and the arrays beside it."""

    kernel: str
    source: str  # a path, or the text
    entry: str
    arguments: Mapping[str, Any]
    parameters: Mapping[str, Any]
    constraints: Sequence[str | Callable[[dict[str, Any]], Any]] = ()
    grid: Any = 1
    block: Any = 1
    shared: Any = 0
    reference: Any = None
    axes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    check: Any = None
    options: Sequence[str] = ()
    include: Sequence[str] = ()
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])  # other keys of the space file
    command: Sequence[str] = ()  # the program that compiles the source, if it is not CUDA
    unpassed: Mapping[str, Any] = field(default_factory=dict[str, Any])  # arguments that no launch in Python passes

    def __post_init__(self) -> None:
        self.source_text = self._read_source()
        self.problem: dict[str, Any] = dict(self.axes)
        self.signature = {each.name: each for each in signature_of(self.source_text, self.entry) or ()}
        self.values: dict[str, Argument] = {}
        for name, value in self.arguments.items():
            argument = (
                value
                if isinstance(value, Argument)
                else Argument(value, "scalar" if not _arrays.is_array(value) else "in")
            )
            self.values[name] = argument
            if (
                isinstance(value, int)
                and not isinstance(value, bool)
                or (argument.role == "scalar" and not isinstance(value, Argument) and _is_integer(value))
            ):
                self.problem[name] = int(argument.value)
        self.described = {
            name: _arrays.describe(argument.value)
            for name, argument in self.values.items()
            if argument.role != "scalar" and argument.value is not None
        }

    def _read_source(self) -> str:
        if "\n" in self.source or "{" in self.source:
            return self.source
        try:
            with open(self.source, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise InvalidArgument(f"cannot read {self.source}: {error.strerror}") from error

    # The names of arrays' files have all axes, so that a space file suits all problems.
    def _file(self, name: str, suffix: str = "", values: Mapping[str, Any] | None = None) -> str:
        axes = "".join(f"_{axis}={values[axis] if values else '{' + axis + '}'}" for axis in self.problem)
        return f"{name}{axes}{suffix}.npy"

    def _scalar_type(self, name: str, argument: Argument) -> str:
        if argument.type is not None:
            return argument.type
        dtype = getattr(argument.value, "dtype", None)
        if dtype is not None:
            return _arrays.ELEMENT_TYPES[_arrays.code_of(dtype)]
        declared = self.signature.get(name)
        if declared is not None and not declared.is_pointer:
            return declared.type
        if isinstance(argument.value, (bool, float)):
            return type(argument.value).__name__
        return "int" if -(1 << 31) <= argument.value < 1 << 31 else "int64"

    def extent_of(self, name: str, argument: Argument) -> int | str:
        """The number of elements in terms of the axes, if their values show it."""
        if argument.extent is not None:
            return argument.extent
        described = self.described[name]
        for extents in ((described.count,), described.shape):
            names: list[str] = []
            for extent in extents:
                equal = [axis for axis, value in self.problem.items() if value == extent and extent > 1]
                if len(equal) != 1:
                    break
                names.append(equal[0])
            else:
                if names:
                    return " * ".join(names)
        return described.count

    def _buffer(self, name: str, argument: Argument) -> dict[str, Any]:
        type_name = argument.type or self.described[name].type
        declared: dict[str, Any] = {"type": type_name, "extent": self.extent_of(name, argument)}
        if argument.symbol is not None:
            declared["symbol"] = argument.symbol
        if argument.role != "in":
            declared["role"] = argument.role
        if argument.role in ("in", "inout"):
            declared["init"] = argument.init if argument.init is not None else {"file": self._file(name)}
        if argument.role in ("out", "inout") and self.reference is not None:
            check = argument.check if argument.check is not None else self.check
            if check is None and type_name in _TOLERANCE:
                check = {"relative": _TOLERANCE[type_name], "absolute": _TOLERANCE[type_name]}
            if check is not None:
                declared["check"] = check
        return declared

    def outputs(self) -> list[str]:
        return [name for name, argument in self.values.items() if argument.role in ("out", "inout")]

    def _constraints(self) -> list[str]:
        domains = {name: _domain(values) for name, values in self.parameters.items()}
        texts: list[str] = []
        for place, each in enumerate(self.constraints, 1):
            if isinstance(each, str):
                texts.append(each)
            elif callable(each):
                known = {name: values for name, values in domains.items() if values is not None}
                texts.append(constraint_of(each, known, f"constraint {place}"))
            else:
                raise InvalidArgument(f"constraint {place} is neither a text nor a function: {each!r}")
        return texts

    def _extents(self, given: Any, what: str) -> Any:
        items: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]  # pyright: ignore
        domains = {name: values for name, each in self.parameters.items() if (values := _domain(each)) is not None}
        return [value_of(each, domains, what) if callable(each) else each for each in items]

    def definition(self, source: str) -> dict[str, Any]:
        """The space file as a map."""
        definition: dict[str, Any] = {"kernel": self.kernel, "source": source, "language": "cuda"}
        if self.command:
            definition |= {"language": "command", "command": list(self.command)}
        if self.include:
            definition["include"] = [os.path.abspath(each) for each in self.include]
        if self.problem:
            definition["problem"] = {name: [value] for name, value in self.problem.items()}
        if self.parameters:
            definition["parameters"] = {
                name: [_plain(each) for each in values] if isinstance(values, (list, tuple, range)) else values  # pyright: ignore
                for name, values in self.parameters.items()
            }
        if self.constraints:
            definition["constraints"] = self._constraints()
        if self.options:
            definition["options"] = list(self.options)
        arguments: dict[str, Any] = {}
        for name, argument in self.values.items():
            if argument.role == "scalar":
                value = name if name in self.problem else _plain(argument.value)
                arguments[name] = {"type": self._scalar_type(name, argument), "value": value}
            else:
                arguments[name] = self._buffer(name, argument)
        launch: dict[str, Any] = {
            "entry": self.entry,
            "grid": self._extents(self.grid, "grid"),
            "block": self._extents(self.block, "block"),
            "arguments": [name for name, argument in self.values.items() if argument.symbol is None],
        }
        if self.shared:
            launch["shared"] = self._extents(self.shared, "shared")[0]
        if self.reference is not None:
            if isinstance(self.reference, str):
                definition["reference"] = self.reference
            else:
                self._add_reference(definition, arguments)
        definition["arguments"] = {**arguments, **self.unpassed}
        definition["launches"] = [launch]
        return {**definition, **self.more}

    def _add_reference(self, definition: dict[str, Any], arguments: dict[str, Any]) -> None:
        launches: list[dict[str, Any]] = []
        for name in self.expected_names():
            expected, extent = f"expected_{name}", arguments[name]["extent"]
            arguments[expected] = {
                "type": arguments[name]["type"],
                "extent": extent,
                "init": {"file": self._file(expected)},
            }
            launches.append(copy_launch(expected, name, arguments[name]["type"], extent))
        for name in self.outputs():
            if name not in self.expected_names():
                arguments[name]["check"] = "none"
        definition["reference"] = {"source": "reference.cu", "launches": launches}
        files = [
            name for name, each in arguments.items() if isinstance(each.get("init"), dict) and "file" in each["init"]
        ]
        definition["check"] = {"inputs": {name: {"file": self._file(name, "_fresh")} for name in files}}

    def expected_names(self) -> list[str]:
        """The outputs that the reference gives."""
        if isinstance(self.reference, Mapping):
            given: Mapping[str, Any] = self.reference  # pyright: ignore
            return [name for name in self.outputs() if name in given]
        return self.outputs()

    def of_launch(self, arguments: Sequence[Any]) -> Space:
        """The same with the arguments of a launch."""
        passed = [name for name, each in self.values.items() if each.role != "scratch"]
        given = dict(zip([*self.axes, *passed], arguments))

        def with_value(name: str, original: Any) -> Any:
            return replace(original, value=given[name]) if isinstance(original, Argument) else given[name]

        changed = {name: with_value(name, each) if name in given else each for name, each in self.arguments.items()}
        return replace(self, arguments=changed, axes={name: given[name] for name in self.axes})

    def write(self, folder: str) -> str:
        """Writes the space file, its source and its reference, and returns the path of the space file."""
        source = os.path.abspath(self.source)
        if self.source_text == self.source:
            source = "kernel.txt" if self.command else "kernel.cu"
            write_text(os.path.join(folder, source), self.source_text)
        if self.reference is not None:
            self._check_reference()
        if self.reference is not None and not isinstance(self.reference, str):
            write_text(os.path.join(folder, "reference.cu"), REFERENCE)
        path = os.path.join(folder, "space.yaml")
        write_text(path, json.dumps(self.definition(source), indent=2))
        return path

    def _check_reference(self) -> None:
        reference = self.reference
        if not self.outputs():
            raise InvalidArgument("the reference has nothing to compare: mark an argument with out() or inout()")
        if isinstance(reference, Mapping):
            unknown = [name for name in reference if name not in self.outputs()]  # pyright: ignore
            if unknown:
                raise InvalidArgument(
                    f"the reference names {unknown[0]!r}, which is no output; outputs are {', '.join(self.outputs())}"
                )
        elif not callable(reference) and not (isinstance(reference, str) and reference == "default"):
            given = repr(reference) if isinstance(reference, str) else type(reference).__name__
            raise InvalidArgument(f"the reference is a function, a dict of arrays or 'default', not {given}")

    def write_arrays(self, folder: str) -> None:
        """Writes the arrays that the tuner reads."""
        import numpy

        def save(name: str, array: Any, suffix: str = "") -> None:
            numpy.save(os.path.join(folder, self._file(name, suffix, self.problem)), array.reshape(-1))

        inputs = {
            name: _arrays.to_numpy(argument.value)
            for name, argument in self.values.items()
            if argument.role in ("in", "inout") and argument.value is not None
        }
        for name, array in inputs.items():
            save(name, array)
        if self.reference is None or isinstance(self.reference, str):
            return
        fresh = inputs
        if callable(self.reference):
            fresh = {name: _reordered(array, self.values[name].value) for name, array in inputs.items()}
        expected = self._expected(inputs)
        fresh_expected = self._expected(fresh) if callable(self.reference) else expected
        for name, array in fresh.items():
            save(name, array, "_fresh")
        for name in expected:
            save(f"expected_{name}", expected[name])
            save(f"expected_{name}", fresh_expected[name], "_fresh")

    def _expected(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs by the reference, as flat arrays of NumPy."""
        results: Any = self.reference
        if callable(self.reference):
            arguments = {
                name: _arrays.like(inputs[name], argument.value) if name in inputs else argument.value
                for name, argument in self.values.items()
            }
            try:
                results = self.reference(**arguments)
            except Exception as error:
                raise InvalidArgument(f"the reference raised {type(error).__name__}: {error}") from error
            outputs = self.outputs()
            if not isinstance(results, Mapping):
                if len(outputs) != 1:
                    raise InvalidArgument(f"the reference returns a dict with {', '.join(outputs)}")
                results = {outputs[0]: results}
        expected: dict[str, Any] = {}
        for name in self.expected_names():
            if name not in results:
                raise InvalidArgument(f"the reference lacks the output {name!r}")
            array, described = _arrays.to_numpy(results[name]), self.described.get(name)
            if described is not None and array.size != described.count:
                raise InvalidArgument(
                    f"the reference's {name} has {array.size} elements, the argument {described.count}"
                )
            type_name = described.type if described else self.values[name].type
            stored = {"bfloat16": "uint16", "float8_e4m3": "uint8", "float8_e5m2": "uint8"}.get(
                type_name or "", type_name
            )
            expected[name] = array.astype(stored) if array.dtype.name != stored else array
        return expected


def copy_launch(expected: str, output: str, type_name: str, extent: int | str) -> dict[str, Any]:
    """A launch of REFERENCE that copies an expected output."""
    return {
        "entry": f"copy_expected<{_arrays.bytes_of(type_name)}>",
        "grid": f"max(1, min(ceil_div({extent}, 256), 65535))",
        "block": 256,
        "arguments": [expected, output, {"type": "int64", "value": extent}],
    }


def _is_integer(value: Any) -> bool:
    return hasattr(value, "dtype") and getattr(value.dtype, "kind", "") in "iu" and getattr(value, "shape", None) == ()


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _domain(values: Any) -> list[Any] | None:
    if isinstance(values, Mapping):
        return None
    return [_plain(each) for each in values]


def _reordered(host: Any, original: Any) -> Any:
    """Other contents of the same kind: numbers in reverse. Integers may be places in other arrays: they stay."""
    return host.reshape(-1)[::-1].reshape(host.shape).copy() if host.dtype.kind in "fc" else host


def write_text(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
