"""Writes problems of FlashInfer-Bench and KernelBench as folders that `gktune judge` takes.

`python -m gktune.definitions FILE -o FOLDER`: see "Problems of others" in docs/python.md.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib.util
import inspect
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _arrays, _space
from .errors import Error, InvalidArgument

_C_TYPES = {
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long", "uint8": "unsigned char",
    "float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double", "complex64": "float2",
    "float8_e4m3": "__nv_fp8_e4m3", "float8_e5m2": "__nv_fp8_e5m2", "complex128": "double2",
}  # fmt: skip
_HEADERS = {"__half": "cuda_fp16.h", "__nv_bfloat16": "cuda_bf16.h", "__nv_fp8_": "cuda_fp8.h"}

Values = dict[str, Any]  # tensors and numbers by the names of arguments
Draw = tuple[Values, Callable[[], Values]]  # inputs, and a function that computes their outputs


@dataclass
class Problems:
    """What a file describes."""

    name: str
    axes: list[dict[str, int]]  # of each problem: the sizes that have names
    draw: Callable[[int], Draw]  # random inputs of a problem
    tolerance: Callable[[str], float]  # of elements of a type, relative and absolute


def _torch() -> Any:
    if importlib.util.find_spec("torch") is None:
        raise InvalidArgument("the reference needs PyTorch, which is not installed: pip install torch")
    import torch

    return torch


def _executed(code: str | ast.Module, path: str, required: Sequence[str]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "gktune_definition", "__file__": path}
    exec(compile(code, path, "exec"), names)
    if missing := [name for name in required if name not in names]:
        raise InvalidArgument(f"it defines no {missing[0]}")
    return names


def _outputs(result: Any, names: Sequence[str] | None) -> Values:
    """The tensors that a reference returns. Without names they are called out, or out0, out1, …"""
    torch = _torch()
    results: list[Any] = list(result) if isinstance(result, (list, tuple)) else [result]  # pyright: ignore
    if isinstance(result, Mapping) and names is not None:
        results = [result.get(name) for name in names]  # pyright: ignore
    names = names or ["out" if len(results) == 1 else f"out{i}" for i in range(len(results))]
    if len(results) != len(names):
        raise InvalidArgument(f"the reference returns {len(results)} results instead of {len(names)}")
    return {name: torch.as_tensor(each).detach() for name, each in zip(names, results)}


def _dtype(spec: Mapping[str, Any]) -> Any:
    dtype = getattr(_torch(), str(spec["dtype"]), None)
    if dtype is None:
        raise InvalidArgument(f"the type {spec['dtype']} has no counterpart")
    return dtype


def flashinfer_bench(path: str, workloads: str | None, chosen: Sequence[dict[str, int]], first: int) -> Problems:
    """The definition in a file with its first workloads, or with these values of its axes and random inputs."""
    definition: Any = json.loads(Path(path).read_text("utf-8"))
    for key in ("name", "axes", "inputs", "outputs", "reference"):
        if key not in definition:
            raise InvalidArgument(f"it is no definition of FlashInfer-Bench: it has no {key!r}")
    folder, _, beyond = os.path.abspath(path).rpartition(f"{os.sep}definitions{os.sep}")
    beside = os.path.join(folder, "workloads", os.path.splitext(beyond)[0] + ".jsonl")
    if workloads is None and not chosen and folder and os.path.exists(beside):
        workloads = beside
    known = {name: each["value"] for name, each in definition["axes"].items() if each["type"] == "const"}
    listed: list[dict[str, Any]] = [{"axes": each, "inputs": {}} for each in chosen or [{}]]
    if workloads is not None:
        rows = [json.loads(line) for line in Path(workloads).read_text("utf-8").splitlines() if line.strip()]
        listed = [each["workload"] for each in rows if each["definition"] == definition["name"]][:first]
    if not listed:
        raise InvalidArgument(f"{workloads} has no workload of {definition['name']}")
    axes: list[dict[str, int]] = [{**known, **each["axes"]} for each in listed]
    if missing := [name for name in definition["axes"] if any(name not in each for each in axes)]:
        raise InvalidArgument(f"the axis {missing[0]} has no value: name --workloads FILE or --problem {missing[0]}=64")
    outputs: dict[str, Any] = definition["outputs"]
    run = _executed(definition["reference"], path, ["run"])["run"]

    def results(values: Values) -> Values:
        found = _outputs(run(*[copy.deepcopy(each) for each in values.values()]), list(outputs))
        return {name: found[name].to(_dtype(spec)) for name, spec in outputs.items()}

    def draw(problem: int) -> Draw:
        values = {
            name: _input(spec, listed[problem]["inputs"].get(name), axes[problem], folder or os.path.dirname(path))
            for name, spec in definition["inputs"].items()
        }
        return values, lambda: results(values)

    return Problems(str(definition["name"]), axes, draw, lambda type_name: 1e-2)


def _input(spec: Mapping[str, Any], source: Mapping[str, Any] | None, axes: Mapping[str, int], root: str) -> Any:
    torch, dtype = _torch(), _dtype(spec)
    if source is not None and source["type"] == "scalar":
        return source["value"]
    if source is not None and source["type"] == "safetensors":
        from safetensors.torch import load_file  # pyright: ignore

        return load_file(os.path.join(root, source["path"]))[source["tensor_key"]]  # pyright: ignore
    if spec["shape"] is None:
        return 1.0 if dtype.is_floating_point else 1
    shape = [axes[axis] for axis in spec["shape"]]
    if dtype.is_floating_point:
        return torch.randn(shape).clamp(-4, 4).to(dtype)
    low, high = (0, 2) if dtype == torch.bool else (-128, 128) if dtype.itemsize == 1 else (-1024, 1024)
    return torch.randint(low, high, shape, dtype=dtype)


def _module(path: str, values: Mapping[str, int]) -> dict[str, Any]:
    """The module, with other values for these variables."""
    tree = ast.parse(Path(path).read_text("utf-8"), path)
    replaced: set[str] = set()
    for statement in tree.body:
        names = {each.id for each in getattr(statement, "targets", ()) if isinstance(each, ast.Name)} & values.keys()
        if isinstance(statement, ast.Assign) and names:
            statement.value = ast.copy_location(ast.Constant(values[min(names)]), statement.value)
            replaced |= names
    if values.keys() - replaced:
        raise InvalidArgument(f"it sets no {min(values.keys() - replaced)!r} that --problem could replace")
    return _executed(tree, path, ["Model", "get_inputs"])


def kernel_bench(path: str, chosen: Sequence[dict[str, int]]) -> Problems:
    """The problem in a file. The integers of the module are axes, for which `chosen` has other values."""
    modules = [_module(path, each) for each in chosen or [{}]]

    def draw(problem: int) -> Draw:
        module = modules[problem]
        given: Any = module.get("get_init_inputs", list)()
        model: Any = module["Model"](**given) if isinstance(given, dict) else module["Model"](*given)
        inputs: list[Any] = list(module["get_inputs"]())
        names = [*inspect.signature(model.forward).parameters]
        values: Values = {names[i] if i < len(names) else f"{names[-1]}{i}": each for i, each in enumerate(inputs)}
        for name, each in model.state_dict(prefix="model.").items():
            values[name.replace(".", "_")] = each.detach().clone()
        return values, lambda: _outputs(copy.deepcopy(model)(*[copy.deepcopy(each) for each in inputs]), None)

    return Problems(
        re.sub(r"^\d+_*", "", os.path.splitext(os.path.basename(path))[0]),
        [{name: n for name, n in module.items() if type(n) is int and name[0] != "_"} for module in modules],
        draw,
        lambda type_name: 1e-2 if type_name in ("float16", "bfloat16") else 1e-4,
    )


class Folder:
    """A space file, several sets of inputs with their expected outputs, and a kernel to begin with."""

    def __init__(self, path: str, problems: Problems, sets: int = 4, limit_gib: float = 2) -> None:
        self._torch = _torch()
        self._path, self._problems, self._sets, self._limit = path, problems, sets, limit_gib
        self._entry = re.sub(r"\W", "_", problems.name)
        self._axes: list[dict[str, Any]] = [dict(each) for each in problems.axes]
        self._arguments: dict[str, dict[str, Any]] = {}
        self._sizes: dict[str, dict[str, Any]] = {}  # arguments for axes that extents use
        self._others: dict[str, list[dict[str, str]]] = {}
        self._comments: list[str] = []

    def write(self) -> str:
        """Makes the folder and returns the path of its space file."""
        os.makedirs(os.path.join(self._path, "data"))
        try:
            return self._write()
        except BaseException:
            shutil.rmtree(self._path)
            raise

    def _write(self) -> str:
        bases = [self._write_arrays(problem) for problem in range(len(self._axes))]
        names = [*bases[0][0], *bases[0][1]]
        if len(set(names)) != len(names):
            raise InvalidArgument("an input and an output have the same name")
        self._axes = [{name: n for name, n in axes.items() if name not in names} for axes in self._axes]
        if len(bases) > 1:
            self._axes = [{"workload": i, **axes} for i, axes in enumerate(self._axes)]
        for name in bases[0][0]:
            self._add(name, [inputs[name] for inputs, _ in bases], is_output=False)
        for name in bases[0][1]:
            self._add(name, [outputs[name] for _, outputs in bases], is_output=True)
        _space.write_text(os.path.join(self._path, "reference.cu"), _space.REFERENCE)
        _space.write_text(os.path.join(self._path, "kernel.cu"), self._kernel())
        path = os.path.join(self._path, "space.yaml")
        _space.write_text(path, json.dumps(self._definition(list(bases[0][1])), indent=2) + "\n")
        return path

    def _write_arrays(self, problem: int) -> tuple[Values, Values]:
        """Returns the first inputs and their outputs."""
        sizes: Values = {}
        with contextlib.suppress(Exception), self._torch.device("meta"):  # its shapes may depend on values
            sizes = self._problems.draw(problem)[0]
        self._check_size(sizes)
        drawn, again = self._drawn(problem, 0), self._drawn(problem, 0)[1]
        for name, each in drawn[1].items():
            if each.isnan().any():
                raise InvalidArgument(f"the reference computes NaN in {name}")
            if not self._torch.equal(each, again[name]):
                raise InvalidArgument(f"the reference draws random numbers: {name} differs between two executions")
        self._check_size({**drawn[0], **{f"expected {name}": each for name, each in drawn[1].items()}})
        for number in range(self._sets + 1):
            inputs, outputs = self._drawn(problem, number) if number > 0 else drawn
            self._save(inputs, f"{problem}_{number}")
            self._save({f"expected_{name}": each for name, each in outputs.items()}, f"{problem}_{number}")
        return drawn

    def _drawn(self, problem: int, number: int) -> tuple[Values, Values]:
        self._torch.manual_seed(number + 1)
        with self._torch.no_grad():
            inputs, outputs = self._problems.draw(problem)
            self._torch.seed()  # a reference that draws numbers draws others each time
            return inputs, outputs()

    def _check_size(self, values: Values) -> None:
        gib = sum(each.nbytes for each in values.values() if isinstance(each, self._torch.Tensor)) / 2**30
        gib *= (self._sets + 1) * len(self._axes)
        if gib > self._limit:
            raise InvalidArgument(f"all arrays have {gib:.3g} GiB: choose a smaller --problem, or raise --limit")

    def _save(self, values: Values, suffix: str) -> None:
        import numpy

        for name, value in values.items():
            if isinstance(value, self._torch.Tensor):
                plain = value.view(self._torch.uint8) if value.dtype == self._torch.bool else value
                array = _arrays.to_numpy(plain).reshape(-1)
                numpy.save(os.path.join(self._path, "data", f"{name}_{suffix}.npy"), array)

    def _file(self, name: str) -> dict[str, str]:
        problem = "{workload}" if len(self._axes) > 1 else "0"
        first, *self._others[name] = [{"file": f"data/{name}_{problem}_{i}.npy"} for i in range(self._sets + 1)]
        return first

    def _add(self, name: str, values: Sequence[Any], is_output: bool) -> None:
        if not isinstance(values[0], (self._torch.Tensor, bool, int, float)):
            raise InvalidArgument(f"{name} is neither a tensor nor a number, but {type(values[0]).__name__}")
        if not isinstance(values[0], self._torch.Tensor):
            if differs := any(each != values[0] for each in values):
                self._axes = [{**axes, name: each} for axes, each in zip(self._axes, values)]
            self._arguments[name] = {"type": type(values[0]).__name__, "value": name if differs else values[0]}
            return
        extents = [self._extent(f"{name}_{i}", [each.shape[i] for each in values]) for i in range(values[0].dim())]
        type_name = _arrays.describe(values[0]).type
        argument = self._arguments[name] = {"type": type_name, "extent": " * ".join(extents) or 1}
        self._comments.append(f"// {name}: {'written' if is_output else 'read'}, [{', '.join(extents)}], by rows\n")
        if not is_output:
            argument["init"] = self._file(name)
            return
        argument["role"] = "out"
        if values[0].is_floating_point():
            allowed = self._problems.tolerance(type_name)
            argument["check"] = {"absolute": allowed, "relative": allowed}

    def _extent(self, name: str, values: Sequence[int]) -> str:
        equal = [axis for axis in self._axes[0] if [each[axis] for each in self._axes] == list(values)]
        if not equal and len(set(values)) == 1:
            return str(values[0])
        if not equal:
            self._axes = [{**axes, name: value} for axes, value in zip(self._axes, values)]
        axis = (equal or [name])[0]
        self._sizes[axis] = {"type": "int" if max(values) < 2**31 else "int64", "value": axis}
        return axis

    def _launch(self) -> dict[str, Any]:
        return {"entry": self._entry, "grid": 1, "block": 256, "arguments": [*self._arguments, *self._sizes]}

    def _definition(self, outputs: Sequence[str]) -> dict[str, Any]:
        arguments = {**self._arguments, **self._sizes}
        copies: list[dict[str, Any]] = []
        for name in outputs:
            declared = {key: arguments[name][key] for key in ("type", "extent")}
            arguments[f"expected_{name}"] = {**declared, "init": self._file(f"expected_{name}")}
            copies.append(_space.copy_launch(f"expected_{name}", name, declared["type"], declared["extent"]))
        return {
            "kernel": self._entry, "source": "kernel.cu", "problem": self._axes, "arguments": arguments,
            "launches": self._launch(), "reference": {"source": "reference.cu", "launches": copies},
            "check": {"inputs": self._others},
        }  # fmt: skip

    def _kernel(self) -> str:
        parameters: list[str] = []
        for name, declared in {**self._arguments, **self._sizes}.items():
            type_name = _C_TYPES.get(str(declared["type"]), str(declared["type"]))
            const, pointer = "const " if "init" in declared else "", "*" if "extent" in declared else ""
            parameters.append(f"{const}{type_name}{pointer} {name}")
        kernel = f"__global__ void {self._entry}({', '.join(parameters)}) {{\n}}\n"
        headers = [f"#include <{header}>\n" for part, header in _HEADERS.items() if part in kernel]
        block = "/* gktune\nlaunches: " + json.dumps(self._launch()).replace('"', "") + "\n*/\n"
        return "".join([block, *headers, *self._comments, kernel])


def _sizes(text: str) -> dict[str, int]:
    if re.fullmatch(r"\w+=\d+(,\w+=\d+)*", text) is None:
        raise InvalidArgument(f"--problem: expected AXIS=NUMBER,…, found {text!r}")
    return {name: int(value) for name, _, value in (each.partition("=") for each in text.split(","))}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m gktune.definitions", description=__doc__, allow_abbrev=False)
    parser.add_argument("file", help="a definition of FlashInfer-Bench (.json) or a problem of KernelBench (.py)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="a new folder")
    parser.add_argument("--workloads", metavar="FILE", help="workloads of the definition (.jsonl); default: beside it")
    parser.add_argument("--first", type=int, default=4, metavar="N", help="the first N workloads; default: 4")
    parser.add_argument("--problem", action="append", default=[], metavar="AXIS=N,…", help="sizes; may be repeated")
    parser.add_argument("--sets", type=int, default=4, metavar="N", help="sets of inputs besides the first; default: 4")
    parser.add_argument("--limit", type=float, default=2, metavar="GIB", help="of all arrays; default: 2")
    given = parser.parse_args(arguments)
    try:
        _torch()
        if given.sets < 1:
            raise InvalidArgument("--sets is at least 1")
        chosen = [_sizes(each) for each in given.problem]
        if given.file.endswith(".py"):
            problems = kernel_bench(given.file, chosen)
        else:
            problems = flashinfer_bench(given.file, given.workloads, chosen, given.first)
        path = Folder(given.output, problems, given.sets, given.limit).write()
    except Exception as error:  # the code of a reference may raise anything
        cause = "" if isinstance(error, Error) else f"{type(error).__name__}: "
        parser.exit(2, f"error: {given.file}: {cause}{(str(error).splitlines() or [''])[0]}\n")
    print(f"{path}\ngktune judge {path} {os.path.join(given.output, 'kernel.cu')}")


if __name__ == "__main__":
    main()
