"""Python functions of a configuration as expressions of the space file, by tables of their values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .errors import InvalidArgument

Parameters = Mapping[str, Sequence[Any]]
Function = Callable[[dict[str, Any]], Any]

MOST_VALUES = 100_000


class _Watched(dict[str, Any]):
    """A configuration that notes which parameters are read."""

    def __init__(self, values: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(values)
        self._read = read

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def _read_all(self) -> None:
        self._read.update(self.keys())

    def values(self) -> Any:
        self._read_all()
        return super().values()

    def items(self) -> Any:
        self._read_all()
        return super().items()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def table_of(function: Function, parameters: Parameters, what: str) -> tuple[list[str], dict[tuple[Any, ...], Any]]:
    """The parameters that a function reads, and its value for each combination of their values."""
    first = {name: values[0] for name, values in parameters.items()}
    read: set[str] = set()
    while True:
        names = [name for name in parameters if name in read]
        count = 1
        for name in names:
            count *= len(parameters[name])
        if count > MOST_VALUES:
            raise InvalidArgument(f"{what} reads {len(names)} parameters with {count} combinations; write it as a text")
        table: dict[tuple[Any, ...], Any] = {}
        known = len(read)
        for values in itertools.product(*(parameters[name] for name in names)):
            config = _Watched({**first, **dict(zip(names, values))}, read)
            try:
                table[values] = function(config)
            except ZeroDivisionError:
                table[values] = None
            except Exception as error:
                raise InvalidArgument(f"{what} raised {type(error).__name__}: {error}") from error
            if len(read) > known:
                break
        if len(read) == known:
            return names, table


def _literal(value: Any) -> str:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value)


def _among(name: str, values: Sequence[Any]) -> str:
    literals = [_literal(value) for value in values]
    return f"{name} == {literals[0]}" if len(literals) == 1 else f"{name} in [{', '.join(literals)}]"


def _conditions(names: list[str], rows: list[tuple[Any, ...]], domains: Parameters) -> str:
    """An expression that holds for these values of the parameters and no others."""
    if not names:
        return "true"
    rest: dict[tuple[tuple[Any, ...], ...], list[Any]] = {}
    for value in domains[names[0]]:
        below = tuple(row[1:] for row in rows if row[0] == value)
        if below:
            rest.setdefault(below, []).append(value)
    parts: list[str] = []
    for below, values in rest.items():
        inner = _conditions(names[1:], list(below), domains)
        here = "true" if len(values) == len(domains[names[0]]) else _among(names[0], values)
        texts = [text for text in (here, inner if " or " not in inner else f"({inner})") if text != "true"]
        parts.append(" and ".join(texts) or "true")
    return "true" if "true" in parts else " or ".join(parts)


def constraint_of(function: Function, parameters: Parameters, what: str = "a constraint") -> str:
    """An expression that holds where the function does."""
    names, table = table_of(function, parameters, what)
    rows = [values for values, holds in table.items() if holds]
    return _conditions(names, rows, parameters) if rows else "false"


def value_of(function: Function, parameters: Parameters, what: str) -> str:
    """An expression with the function's value."""
    names, table = table_of(function, parameters, what)
    groups: dict[Any, list[tuple[Any, ...]]] = {}
    for values, value in table.items():
        groups.setdefault(value, []).append(values)
    *others, last = sorted(groups.items(), key=lambda group: len(group[1]))
    text = _literal(last[0])
    for value, rows in others:
        text = f"({_literal(value)} if {_conditions(names, rows, parameters)} else {text})"
    return text
