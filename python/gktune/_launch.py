"""Loads the launch library when it is first needed."""

from __future__ import annotations

from functools import cache
from typing import Any

from . import _arrays
from .errors import by_code


@cache
def core() -> Any:
    from . import _core  # pyright: ignore

    _core.connect(by_code, _arrays.kind_of, _arrays.dtypes, _arrays.code_of, _arrays.stream_of)  # pyright: ignore
    return _core  # pyright: ignore
