"""The result of a tuning."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _program
from ._database import Database, StudyRow, Trial, default_database, frame_of
from ._search import Strategy, strategy_flags
from .errors import NoConfiguration

if TYPE_CHECKING:
    import pandas

Event = _program.Event


@dataclass(frozen=True)
class Study:
    """The tuning of one problem."""

    kernel: str
    problem: dict[str, Any]
    device: str
    database: str
    best: dict[str, Any] | None  # the configuration
    time_us: float | None  # of the best one
    end: str  # exhausted, trials, seconds, converged, stopped, …
    report: Mapping[str, Any] = field(repr=False)  # as `gktune run --json` prints it

    @property
    def interrupted(self) -> bool:
        """Ctrl-C ended it. The same call continues."""
        return self.end == "stopped"

    @cached_property
    def row(self) -> StudyRow:
        rows = [
            row
            for row in Database(self.database).studies(self.kernel)
            if row.problem == self.problem and row.device == self.device
        ]
        if not rows:
            raise NoConfiguration(f"no trial of {self.kernel} is stored in {self.database}")
        return rows[-1]

    @cached_property
    def trials(self) -> list[Trial]:
        """The latest trial of each configuration, those of earlier runs too."""
        return Database(self.database).trials(self.row)

    def to_pandas(self) -> pandas.DataFrame:
        return frame_of(self.trials)

    def plot(self, parameter: str | None = None, ax: Any = None) -> Any:
        """Draws the times of the trials, in their order or over the values of a parameter, by matplotlib."""
        import matplotlib.pyplot as pyplot  # pyright: ignore

        axes: Any = ax if ax is not None else pyplot.subplots()[1]  # pyright: ignore
        measured = [trial for trial in self.trials if trial.ok]
        places = (
            range(1, len(measured) + 1) if parameter is None else [str(trial.config[parameter]) for trial in measured]
        )
        axes.scatter(places, [trial.time_us for trial in measured], s=12)
        axes.set(
            xlabel=parameter or "trial", ylabel="time in µs", yscale="log", title=f"{self.kernel} on {self.device}"
        )
        return axes


def study_of(report: Mapping[str, Any], database: str) -> Study:
    best = report["best"]
    return Study(
        report["kernel"], report["problem"], report["device"], database, best["config"] if best else None,
        best["time_us"]["median"] if best else None, report["end"], report,
    )  # fmt: skip


class ProgressLine:
    """Shows the progress in one line of a terminal or a notebook."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, event: Event) -> None:
        if event["event"] == "progress":
            total = f"/{event['total']}" if event["total"] else ""
            text = f"{event['kernel']}  {event['trials']}{total}"
            if "playoff" in event:
                text += f"  playoff {event['playoff']['round']}/{event['playoff']['rounds']}"
            if event["best"]:
                text += f"  best {event['best']}"
            if event["failed"]:
                text += "  failed: " + ", ".join(f"{count} {status}" for status, count in event["failed"].items())
            self._show(text)
        elif event["event"] == "result":
            self._show("")
            sys.stderr.write("\r")

    def _show(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


Progress = bool | Callable[[Event], None] | None


def listener_of(progress: Progress) -> Callable[[Event], None]:
    if callable(progress):
        return progress
    is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
    return ProgressLine() if progress or (progress is None and is_seen) else lambda event: None


def tune(
    space: str | os.PathLike[str],
    *,
    problem: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    trials: int | None = None,
    time: float | str | None = None,
    effort: str | None = None,
    gain: str | None = None,
    strategy: Strategy | None = None,
    settings: Mapping[str, Any] | None = None,
    only: Mapping[str, Any] | None = None,
    regime: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    cold: bool = False,
    device: str | None = None,
    database: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> list[Study]:
    """Tunes the problems of a space file, and returns a study for each. The arguments are the flags of `gktune run`.

    Ctrl-C ends it a second later: what was measured is kept, and the study is `interrupted`. A second Ctrl-C
    ends it at once, with the exception KeyboardInterrupt.
    """
    path = os.fspath(database) if database is not None else default_database()
    arguments = [_program.require_text(space, "a space file"), "--db", path]
    flags = {
        "trials": trials, "time": time, "effort": effort, "gain": gain, "regime": regime,
        "seed": seed, "jobs": jobs, "device": device, "cache": cache,
    }  # fmt: skip
    for name, value in flags.items():
        if value is not None:
            arguments += [f"--{name}", os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    for name, is_on in (("fresh", fresh), ("cold", cold)):
        if is_on:
            arguments.append(f"--{name}")
    if only:
        arguments += ["--only", _program.selection(only)]
    for each in [problem] if isinstance(problem, Mapping) else problem:
        if each:
            arguments += ["--problem", _program.selection(each)]

    studies: list[Study] = []
    listener = listener_of(progress)

    def on_event(event: Event) -> None:
        if event["event"] == "result":
            studies.append(study_of(event, path))
        listener(event)

    with strategy_flags(strategy, settings) as searching:
        _program.Run([*arguments, *searching]).events(on_event)
    return studies
