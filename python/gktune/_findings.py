"""Checks of a space file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _program
from ._kernel import Kernel


@dataclass(frozen=True)
class Finding:
    """A failure, and the configurations that have it."""

    status: str
    message: str
    candidates: list[dict[str, Any]]  # each has a problem and a config


def check(
    space: str | os.PathLike[str] | Kernel,
    *,
    sanitize: bool = False,
    sample: int | None = None,
    problem: Mapping[str, Any] | None = None,
    device: str | None = None,
) -> list[Finding]:
    """Compiles the configurations, or with `sanitize` runs them on the CPU and finds data races, accesses outside arrays
    and undefined behaviour. Errors of the file itself are exceptions."""
    if isinstance(space, Kernel) and space.space is not None and space.space.described:
        space.space.write_arrays(os.path.dirname(space.path))
    path = space.path if isinstance(space, Kernel) else os.fspath(space)
    arguments = ["check", path, "--quiet", "--json"]
    if sanitize:
        arguments.append("--sanitize")
    if sample is not None:
        arguments += ["--sample", str(sample)]
    if device is not None:
        arguments += ["--device", device]
    if problem:
        arguments += ["--problem", _program.selection(problem)]
    printed = _program.output(arguments, accepted=(0, 1))
    report = json.loads(printed) if printed else {"findings": []}
    return [Finding(each["status"], each["message"], each["candidates"]) for each in report["findings"]]
