"""A kernel: tunes, chooses, launches."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _launch, _program, _study
from ._space import Argument, Space
from ._database import Answer, answer_of, default_database
from .errors import InvalidArgument, Notice

_BY_FILE = (".yaml", ".yml")


def _notice(text: str) -> None:
    warnings.warn(text, Notice, stacklevel=3)


_autotune_s: float = 0
_opened_by_default: weakref.WeakSet[Kernel] = weakref.WeakSet()  # kernels that do not say it themselves


def autotune_on_first_use(budget: float | str = "3s") -> None:
    """From now on kernels tune a size that was never tuned when they first launch it, for this long: seconds, or a text
    such as 500ms. 0: not at all. `autotune_s` of a kernel says it for that kernel."""
    global _autotune_s
    _autotune_s = seconds_of(budget)
    for each in list(_opened_by_default):
        each._core = None  # it is opened again
    _opened_by_default.clear()


def seconds_of(duration: float | str) -> float:
    """Seconds of a number, or of a text such as 500ms, 3s, 2min."""
    found = re.fullmatch(r"(\d+\.?\d*)(ms|s|min|h)?", str(duration).strip())
    if found is None:
        raise InvalidArgument(
            f"a duration is a number of seconds or a text such as 500ms, 3s or 2min, not {duration!r}"
        )
    return float(found[1]) * {"ms": 1e-3, "s": 1, "min": 60, "h": 3600, None: 1}[found[2]]


class Kernel:
    """A kernel that is tuned and launched.

    `source` is a CUDA file or its text, with the name of the kernel, or a space file alone. Integers among the arguments
    are sizes of the problem; `inout` and `out` mark arrays that the kernel writes. A launch takes all arguments in the
    order in which they are given here; that of a space file takes its axes, and then its arguments.
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        entry: str | None = None,
        *,
        arguments: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        constraints: Sequence[str | Callable[[dict[str, Any]], Any]] = (),
        grid: Any = None,
        block: Any = None,
        shared: Any = 0,
        reference: Any = None,
        axes: Mapping[str, Any] | None = None,
        check: Any = None,
        options: Sequence[str] = (),
        include: Sequence[str] = (),
        name: str | None = None,
        command: Sequence[str] = (),
        unpassed: Mapping[str, Any] | None = None,
        device: str | None = None,
        database: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        worst: str | None = None,
        autotune_s: float | None = None,
        **more: Any,
    ) -> None:
        text = _program.require_text(source, "a source")
        self.database = os.fspath(database) if database is not None else default_database()
        self.cache = os.fspath(cache) if cache is not None else None
        self.worst = worst
        self.autotune_s = autotune_s
        self._core: Any = None
        self.space: Space | None = None
        if text.endswith(_BY_FILE):
            if arguments is not None or parameters is not None or entry is not None:
                raise InvalidArgument(f"{text} is a space file, which says the entry, arguments and parameters itself")
            self.path = text
            self.device = device or "auto"
            return
        if entry is None or arguments is None:
            raise InvalidArgument("a kernel needs a source, the name of its function, and arguments")
        if grid is None or block is None:
            raise InvalidArgument(
                "a kernel needs its grid and its block, as numbers, texts or functions of a configuration"
            )
        self.space = Space(
            name or re.sub(r"\W", "_", entry.partition("<")[0].rpartition("::")[2]), text, entry, arguments, parameters or {},
            constraints, grid, block, shared, reference, axes or {}, check, options, include, more, command, unpassed or {},
        )  # fmt: skip
        self.device = device or self._device_of_arrays()
        self._folder = tempfile.mkdtemp(prefix="gktune-", dir=_folder_for_arrays(self.space))
        weakref.finalize(self, _remove, self._folder, os.getpid())
        self.path = self.space.write(self._folder)

    def _device_of_arrays(self) -> str:
        assert self.space is not None
        gpus = {described.gpu for described in self.space.described.values()}
        if len(gpus) > 1:
            raise InvalidArgument(
                "the arrays are on several devices: "
                + ", ".join("the CPU" if gpu is None else f"cuda:{gpu}" for gpu in gpus)
            )
        return "auto" if not gpus else "host" if gpus == {None} else f"cuda:{gpus.pop()}"

    def space_file(self) -> str:
        """The text of the space file that the arguments stand for."""
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def tune(self, *, problem: Mapping[str, Any] | None = None, **flags: Any) -> _study.Study:
        """Tunes for the sizes of the arguments, or for one problem of the space file. The other arguments are those of
        `gktune.tune`."""
        if self.space is not None:
            if problem is not None:
                raise InvalidArgument("the arguments say the problem; make another kernel for another size")
            self.space.write_arrays(self._folder)
        flags.setdefault("device", self.device)
        flags.setdefault("database", self.database)
        flags.setdefault("cache", self.cache)
        studies = _study.tune(self.path, problem=problem or (), **flags)
        self._core = None  # the next launch asks the database again
        if len(studies) != 1:
            raise InvalidArgument(
                f"{len(studies)} problems were tuned; name one with problem=, or call gktune.tune for all"
            )
        return studies[0]

    def _opened(self) -> Any:
        if self._core is None:
            settings = [("device", self.device), ("worker", _program.path()), ("worker", "worker")]
            autotune_s = _autotune_s if self.autotune_s is None else self.autotune_s
            if os.path.exists(self.database) or autotune_s > 0:
                settings.append(("database", self.database))
            if self.cache is not None:
                settings.append(("cache", self.cache))
            if self.worst is not None:
                settings.append(("worst", self.worst))
            names: list[str] = []
            if self.space is not None:
                problem = self.space.problem
                names = [
                    name for name, each in self.space.values.items() if name not in problem and each.role != "scratch"
                ]
                settings += [("argument", name) for name in names]
            gpu = -1 if self.device == "host" else int(self.device[5:]) if self.device.startswith("cuda:") else -2
            opened = _launch.core().Kernel(self.path, False, settings, gpu, _notice, autotune_s, self._hook())
            if self.space is not None:
                axes: list[str] = opened.axes()
                taken = [axis for axis in axes if axis not in self.space.values]
                taken += [name for name, each in self.space.values.items() if each.role != "scratch"]
                opened.set_slots([axes.index(name) if name in axes else ~names.index(name) for name in taken])
            self._core = opened
            if self.autotune_s is None:
                _opened_by_default.add(self)
        return self._core

    def _hook(self) -> Callable[[tuple[Any, ...]], None] | None:
        """Called before a size is tuned at its first launch, if files say what is expected."""
        if self.space is None or self.space.reference is None or isinstance(self.space.reference, str):
            return None
        own = weakref.ref(self)

        def expect(arguments: tuple[Any, ...]) -> None:
            kernel = own()
            if kernel is not None and kernel.space is not None:
                kernel.space.of_launch(arguments).write_arrays(kernel._folder)

        return expect

    def __call__(self, *arguments: Any, stream: Any = None) -> None:
        """Launches the winner for this problem in the caller's current stream, or in `stream`."""
        (self._core or self._opened()).launch(arguments, stream)

    def torch_op(self, name: str) -> Any:
        """Registers the launch as an operator of torch, `"library::name"`, so that torch.compile keeps it as a whole.

        The operator takes the arguments of a launch and returns nothing. It changes the tensors that the kernel writes.
        """
        import torch

        if self.space is None:
            raise InvalidArgument("an operator needs a kernel with arguments; this one is a space file alone")
        if re.fullmatch(r"\w+::\w+", name) is None:
            raise InvalidArgument(f"the name of an operator is library::name, not {name!r}")
        taken = [(axis, "int" if isinstance(value, int) else "str") for axis, value in self.space.axes.items()]
        mutated: list[str] = []
        for argument, each in self.space.values.items():
            if each.role == "scratch":
                continue
            is_written = each.role in ("out", "inout")
            if is_written:
                mutated.append(argument)
            kind = "Tensor" if each.role != "scalar" else self._kind_of_scalar(argument)
            taken.append((argument, f"Tensor(a{len(mutated)}!)" if is_written else kind))
        schema = ", ".join(f"{kind} {argument}" for argument, kind in taken)
        operator: Any = torch.library.custom_op(
            name, lambda *arguments: self(*arguments), mutates_args=mutated, schema=f"({schema}) -> ()"
        )
        operator.register_fake(lambda *arguments: None)
        return operator

    def _kind_of_scalar(self, name: str) -> str:
        assert self.space is not None
        value = self.space.values[name].value
        if isinstance(value, bool):
            return "bool"
        return "int" if name in self.space.problem or isinstance(value, int) else "float"

    def __reduce__(self) -> Any:
        raise TypeError("a kernel belongs to its process; make the kernel in the child")

    def prepare(self, *arguments: Any) -> Answer:
        """Compiles and loads what a launch with these arguments would run, and says what it is."""
        return answer_of(self._opened().prepare(arguments))


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def _folder_for_arrays(space: Space) -> str | None:
    """Memory, if the arrays fit there; else the folder for temporary files."""
    size = sum(8 * described.count for described in space.described.values()) * 4
    try:
        room = os.statvfs("/dev/shm")
        if os.access("/dev/shm", os.W_OK) and room.f_bavail * room.f_frsize > size + (1 << 26):
            return "/dev/shm"
    except OSError:
        pass
    return None


def kernel(**keywords: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a kernel of a function whose docstring is CUDA. The function names the kernel; its body is the reference, if
    it has one."""

    def make(function: Callable[..., Any]) -> Kernel:
        source = inspect.getdoc(function)
        if not source:
            raise InvalidArgument(f"{function.__name__} has no docstring with the CUDA source")
        if "reference" not in keywords and _has_body(function):
            keywords["reference"] = function
        return Kernel(source + "\n", function.__name__, **keywords)

    return make


def _has_body(function: Callable[..., Any]) -> bool:
    try:
        tree = ast.parse(inspect.cleandoc(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return False
    defined = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    return defined is not None and any(
        isinstance(node, ast.Return) and node.value is not None for node in ast.walk(defined)
    )


__all__ = ["Argument", "Kernel", "autotune_on_first_use", "kernel"]
