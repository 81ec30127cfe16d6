"""Tunes kernels of Triton: `gktune.triton.Kernel(function, …)`.

As a program, `python -m gktune.triton`, it compiles them for gktune: see "Another compiler" in docs/space-file.md.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import inspect
import json
import os
import re
import sys
import tempfile
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _arrays, _kernel
from ._space import Argument
from .errors import InvalidArgument

_OPTIONS = ("num_warps", "num_stages", "maxnreg")  # what a configuration has besides constants of the function
_TYPES = {
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
    "uint64": "u64", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "float8_e4m3": "fp8e4nv", "float8_e5m2": "fp8e5",
}  # fmt: skip
_ALIGNMENT = 16  # of arrays, in bytes: Triton compiles for it
_NO_SCRATCH = "no_scratch"


class Kernel(_kernel.Kernel):
    """A kernel of Triton that is tuned and launched.

    `function` is decorated with `triton.jit`, or with `triton.autotune` too. `configs` are `triton.Config`s; or
    `parameters` has values for constants of the function, and for `num_warps`, `num_stages` and `maxnreg`. `grid` is a text
    of the sizes and the parameters: `"ceil_div(n, BLOCK)"`. The other arguments are those of `gktune.Kernel`.
    """

    def __init__(
        self,
        function: Any,
        *,
        arguments: Mapping[str, Any],
        grid: Any,
        configs: Sequence[Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        constraints: Sequence[str | Callable[[dict[str, Any]], Any]] = (),
        name: str | None = None,
        **keywords: Any,
    ) -> None:
        if configs is None and parameters is None:
            configs = getattr(function, "configs", None)
        while not hasattr(function, "arg_names") or hasattr(function, "configs"):
            if not hasattr(function, "fn"):
                raise InvalidArgument(f"{function!r} is no function of triton.jit")
            function = function.fn
        names: list[str] = function.arg_names
        if configs is not None:
            if parameters is not None:
                raise InvalidArgument("a kernel has configs or parameters")
            parameters, listed = _parameters_of(configs)
            constraints = [*constraints, lambda config: tuple(config[each] for each in parameters or {}) in listed]
        parameters = dict(parameters or {})
        unknown = [each for each in (*arguments, *parameters) if each not in names and each not in _OPTIONS]
        if unknown:
            raise InvalidArgument(f"{function.__name__} has no parameter {unknown[0]!r}")
        fixed = {
            each: arguments[each]
            for each in _constants(function)
            if each in arguments and (isinstance(arguments[each], bool) or not isinstance(arguments[each], int))
        }
        defaults = {each.name for each in function.params if each.has_default}
        missing = [each for each in names if each not in arguments and each not in parameters and each not in defaults]
        if missing:
            raise InvalidArgument(f"{function.__name__} needs a value for {missing[0]!r}")
        if not any(_arrays.is_array(each.value if isinstance(each, Argument) else each) for each in arguments.values()):
            keywords.setdefault("device", "cuda")
        super().__init__(
            source_of(function, fixed), function.__name__, name=name or function.__name__, parameters=parameters,
            arguments={each: arguments[each] for each in names if each in arguments and each not in fixed},
            constraints=constraints, grid=grid, block=32,
            command=[sys.executable, "-m", "gktune.triton"],
            # Behind its own arguments a function of Triton takes memory for all blocks, which none needs here.
            unpassed={_NO_SCRATCH: {"type": "uint64", "value": "0 * device.warp_size"}}, **keywords,
        )  # fmt: skip

    def __call__(self, *arguments: Any, stream: Any = None) -> None:
        for place, each in enumerate(arguments, 1):
            if _address_of(each) % _ALIGNMENT != 0:
                raise InvalidArgument(f"argument {place} does not begin at a multiple of {_ALIGNMENT} bytes")
        super().__call__(*arguments, stream=stream)

    def config(self, values: Mapping[str, Any]) -> Any:
        """The `triton.Config` of a configuration, for example of `study.best`."""
        import triton

        options = {name: values[name] for name in _OPTIONS if name in values}
        return triton.Config({name: value for name, value in values.items() if name not in _OPTIONS}, **options)


def _address_of(value: Any) -> int:
    """Of an array on a GPU; 0 for other values."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    interface = getattr(value, "__cuda_array_interface__", None)
    return interface["data"][0] if interface is not None else 0


def _parameters_of(configs: Sequence[Any]) -> tuple[dict[str, list[Any]], set[tuple[Any, ...]]]:
    """The values of each parameter, and the combinations of them that the configs are."""
    if not configs:
        raise InvalidArgument("configs is empty")
    rows: list[dict[str, Any]] = []
    for config in configs:
        for name in ("num_ctas", "ir_override", "pre_hook"):
            if getattr(config, name, None) not in (None, 1):
                raise InvalidArgument(f"gktune does not cover the {name} of a triton.Config")
        row = {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}
        if getattr(config, "maxnreg", None) is not None:
            row["maxnreg"] = config.maxnreg
        rows.append(row)
    names = list(rows[0])
    if any(list(row) != names for row in rows):
        raise InvalidArgument("all configs have values for the same names")
    return {name: list(dict.fromkeys(row[name] for row in rows)) for name in names}, {
        tuple(row.values()) for row in rows
    }


def _constants(function: Any) -> list[str]:
    return [each.name for each in function.params if each.is_constexpr]


# ---- the source that the program gets: the function with all that it uses

_HEADER = "# gktune: "


def source_of(function: Any, constants: Mapping[str, Any] | None = None) -> str:
    """A module with the function, and with the functions, modules and constants that it uses."""
    import triton

    constants = dict(constants or {})
    header = {"function": function.__name__, "constants": constants, "triton": triton.__version__}
    for name, value in constants.items():
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise InvalidArgument(f"the constant {name!r} is neither a number nor a text: {value!r}")
    imports: dict[str, str] = {"triton": "import triton"}
    values: dict[str, str] = {}
    functions: dict[str, str] = {}
    _collect(function, imports, values, functions)
    parts = [_HEADER + json.dumps(header), *imports.values(), *values.values(), *functions.values()]
    return "\n".join(parts) + "\n"


def _collect(function: Any, imports: dict[str, str], values: dict[str, str], functions: dict[str, str]) -> None:
    """Adds what the function uses, and then the function."""
    for name, value in _used_by(function).items():
        if name in imports or name in values or name in functions or name == function.__name__:
            continue
        if isinstance(value, types.ModuleType):
            imports[name] = f"import {value.__name__} as {name}"
        elif hasattr(value, "arg_names") and hasattr(value, "fn"):
            if value.fn.__module__.partition(".")[0] == "triton":
                imports[name] = f"from {value.fn.__module__} import {value.__name__} as {name}"
            else:
                _collect(value, imports, values, functions)
        else:
            values[name] = f"{name} = {_literal(name, value, function.__name__)}"
    functions[function.__name__] = f"\n\n@triton.jit\n{function.src}"


def _used_by(function: Any) -> dict[str, Any]:
    """The names from outside that the body, the annotations and the defaults of a function use."""
    [definition] = ast.parse(function.src).body
    assert isinstance(definition, ast.FunctionDef)

    def names_in(*trees: ast.AST) -> list[str]:
        return list(dict.fromkeys(n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)))

    found = inspect.getclosurevars(function.fn)
    outside = {**found.globals, **found.nonlocals}
    used = {name: outside[name] for name in names_in(*definition.body) if name in outside}
    given = function.fn.__globals__
    return used | {name: given[name] for name in names_in(definition.args) if name in given}


def _literal(name: str, value: Any, function: str) -> str:
    inner = getattr(value, "value", value)  # of a tl.constexpr
    if isinstance(inner, (bool, int, float, str, type(None))):
        return repr(inner) if inner is value else f"triton.language.constexpr({inner!r})"
    if type(value).__module__.startswith("triton.") and hasattr(value, "name"):
        return f"triton.language.{value.name}" if hasattr(value, "primitive_bitwidth") else _refuse(name, function)
    if getattr(value, "__module__", "").startswith("triton.") and hasattr(value, "__name__"):
        return f"__import__('importlib').import_module({value.__module__!r}).{value.__name__}"
    return _refuse(name, function)


def _refuse(name: str, function: str) -> Any:
    raise InvalidArgument(
        f"{function} uses {name!r}, which is no module, no function of triton.jit, no number and no text"
    )


# ---- the program


class _Compiler:
    """Compiles functions of Triton by requests of gktune."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._modules: dict[str, tuple[dict[str, Any], Any]] = {}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if not request["architecture"].startswith("sm_"):
            return {"error": f"Triton compiles for GPUs, not for {request['architecture']}"}
        header, function = self._function(request["source"])
        compiled, passed = self._compile(function, header["constants"], request)
        for scratch in ("global_scratch_size", "profile_scratch_size"):
            if getattr(compiled.metadata, scratch, 0):
                return {"error": f"it needs memory for all blocks ({scratch}), which gktune does not pass"}
        path = os.path.join(self._folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(compiled.asm["cubin"])
        parameters, threads = _entry_of(compiled.asm["ptx"])
        launch = {
            "entry": compiled.metadata.name,
            "arguments": passed + [_NO_SCRATCH] * (parameters - len(passed)),
            "block": threads or 32 * compiled.metadata.num_warps,
            "shared": compiled.metadata.shared,
        }
        return {"file": path, "launches": {entry: launch for entry in request["entries"]}}

    def _function(self, path: str) -> tuple[dict[str, Any], Any]:
        if path not in self._modules:
            loader = importlib.machinery.SourceFileLoader("gktune_kernel", path)
            module = types.ModuleType(loader.name)
            module.__file__ = path
            sys.modules[loader.name] = module  # Triton looks for the source there
            loader.exec_module(module)
            with open(path, encoding="utf-8") as file:
                header = json.loads(file.readline().removeprefix(_HEADER))
            self._modules[path] = (header, getattr(module, header["function"]))
        return self._modules[path]

    def _compile(self, function: Any, fixed: Mapping[str, Any], request: Mapping[str, Any]) -> tuple[Any, list[str]]:
        import triton
        from triton.backends.compiler import GPUTarget  # pyright: ignore
        from triton.compiler import ASTSource  # pyright: ignore

        given: dict[str, Any] = {**fixed, **request["problem"], **request["configuration"]}
        arguments = {each["name"]: each for each in request["arguments"]}
        signature: dict[str, str] = {}
        constants: dict[str, Any] = {}
        attributes: dict[tuple[int], list[list[Any]]] = {}
        passed: list[str] = []
        for place, parameter in enumerate(function.params):
            name = parameter.name
            argument = arguments.get(name)
            # As Triton itself: a size of 1 is a constant, and multiples of 16 are known to be. Other scalars may
            # change with each launch.
            size = request["problem"].get(name)
            if parameter.is_constexpr or argument is None or size == 1:
                signature[name] = "constexpr"
                constants[name] = given[name] if name in given else parameter.default
                continue
            is_array = "extent" in argument
            signature[name] = ("*" if is_array else "") + _TYPES[argument["type"]]
            if is_array or (size is not None and size % _ALIGNMENT == 0):
                attributes[(place,)] = [["tt.divisibility", _ALIGNMENT]]
            passed.append(name)
        source: Any = ASTSource(function, signature, constexprs=constants, attrs=attributes)
        options = {name: given[name] for name in _OPTIONS if name in given}
        number = int(re.sub(r"\D", "", request["architecture"]))
        return triton.compile(source, target=GPUTarget("cuda", number, 32), options=options), passed


def _entry_of(ptx: str) -> tuple[int, int]:
    """The number of the kernel's parameters, and the threads of its blocks; 0: it does not say."""
    found = re.search(r"\.entry\s+\S+\s*\(([^)]*)\)([^{]*)", ptx)
    if found is None:
        raise RuntimeError("the PTX has no entry")
    threads = re.search(r"\.(?:req|max)ntid\s+(\d+)", found.group(2))
    return found.group(1).count(".param"), int(threads.group(1)) if threads else 0


def _use_cache_of_one_process(folder: str) -> None:
    """Triton hashes its libraries for half a second to name its version in a shared cache, which this program does not need."""
    os.environ["TRITON_CACHE_DIR"] = folder
    for name in ("triton.runtime.cache", "triton.compiler.compiler"):  # depends on Triton's version
        module = importlib.import_module(name)
        if hasattr(module, "triton_key"):
            setattr(module, "triton_key", lambda: "")


def main() -> None:
    sys.dont_write_bytecode = True
    answers, sys.stdout = sys.stdout, sys.stderr  # what kernels print while they are compiled is no answer
    with tempfile.TemporaryDirectory() as folder:
        _use_cache_of_one_process(folder)
        compiler = _Compiler(folder)
        for line in sys.stdin:
            try:
                answer = compiler.answer(json.loads(line))
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
