"""gktune finds the fastest configuration of a GPU kernel, and launches it.

>>> import gktune, numpy
>>> x = numpy.ones(1000, numpy.float32)
>>> twice = gktune.Kernel(
...     "__global__ void twice(int n, const float* x, float* y) {\\n"
...     "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\\n"
...     "  if (i < n) y[i] = 2 * x[i];\\n"
...     "}\\n",
...     "twice",
...     arguments={"n": x.size, "x": x, "y": gktune.out(numpy.empty_like(x))},
...     parameters={"threads": [64, 128]}, grid="ceil_div(n, threads)", block="threads")
>>> y = numpy.zeros_like(x)
>>> twice(x.size, x, y)
>>> float(y.sum())
2000.0
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._database import Answer, Database, Lookup, StudyRow, Trial, Winner
    from ._findings import Finding, check
    from ._kernel import Kernel, autotune_on_first_use, kernel
    from ._search import Score, SearchResult, SearchSpace, Searcher, score
    from ._space import generated, inout, out, scalar, scratch
    from ._study import Study, tune
    from .errors import (
        CompileFailed, ContextLost, Damaged, Error, InvalidArgument, LaunchFailed, NoConfiguration, NoDevice, Notice,
        NotFound, OutOfMemory,
    )  # fmt: skip

__all__ = [
    "Answer", "CompileFailed", "ContextLost", "Damaged", "Database", "Error", "Finding", "InvalidArgument", "Kernel",
    "LaunchFailed", "Lookup", "NoConfiguration", "NoDevice", "NotFound", "Notice", "OutOfMemory", "Score", "SearchResult", "SearchSpace",
    "Searcher", "Study", "StudyRow", "Trial", "Winner", "autotune_on_first_use", "check", "generated", "inout", "kernel", "out", "scalar", "score",
    "scratch", "tune",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Imports a module when one of its names is first used, so that `import gktune` costs next to nothing."""
    if name in __all__:
        from importlib import import_module

        for module in ("errors", "_space", "_study", "_database", "_findings", "_kernel", "_search"):
            found = vars(import_module(f"gktune.{module}")).get(name)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'gktune' has no attribute {name!r}")
