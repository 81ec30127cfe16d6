"""Studies, trials and winners of a database, read by SQLite, and answers for applications."""

from __future__ import annotations

import array
import json
import os
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _launch
from .errors import Damaged, NoConfiguration, NotFound

if TYPE_CHECKING:
    import pandas

Path = str | os.PathLike[str]


def default_database() -> str:
    return os.environ.get("GKTUNE_DB") or "gktune.db"


@dataclass(frozen=True)
class Trial:
    """One configuration, tried. Figures that are not known are None."""

    id: int
    config: dict[str, Any]
    status: str
    message: str
    time_us: float | None
    low_us: float | None
    high_us: float | None
    objective: float | None
    metrics: dict[str, Any]
    registers: int | None
    occupancy: float | None
    compile_s: float
    run_s: float
    samples_us: Sequence[float] = field(repr=False)

    @property
    def ok(self) -> bool:
        return self.status == "ok"


@dataclass(frozen=True)
class StudyRow:
    """The trials of one kernel, device and problem that can be compared."""

    id: int
    kernel: str
    problem: dict[str, Any]
    device: str
    regime: str
    trials: int
    failed: int


@dataclass(frozen=True)
class Winner:
    study: StudyRow
    config: dict[str, Any]
    time_us: float
    metrics: dict[str, Any]


class Database:
    """A database of gktune. It is only read; the program writes it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = os.fspath(path) if path is not None else default_database()
        if not os.path.exists(self.path):
            raise NotFound(f"there is no database {self.path}")

    @contextmanager
    def _rows(self, sql: str, values: Sequence[Any] = ()) -> Generator[Iterator[sqlite3.Row], None, None]:
        try:
            uri = f"file:{os.path.abspath(self.path).replace('?', '%3f').replace('#', '%23')}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                connection.row_factory = sqlite3.Row
                yield iter(connection.execute(sql, values))
        except sqlite3.Error as error:
            raise Damaged(f"{self.path}: {error}") from error

    def studies(self, kernel: str | None = None) -> list[StudyRow]:
        """All studies, or those of a kernel; the one tuned last comes last."""
        with self._rows(
            "SELECT * FROM study_view WHERE ?1 IS NULL OR kernel = ?1 ORDER BY updated_ms, study_id", (kernel,)
        ) as rows:
            return [_study_of(row) for row in rows]

    def trials(self, study: StudyRow | int) -> list[Trial]:
        """The latest trial of each configuration, in the order in which they were measured."""
        number = study if isinstance(study, int) else study.id
        with self._rows("SELECT * FROM current_trials WHERE study_id = ? ORDER BY ended_ms, id", (number,)) as rows:
            return [_trial_of(row) for row in rows]

    def winners(self, kernel: str | None = None) -> list[Winner]:
        """The winner of each study."""
        studies = {study.id: study for study in self.studies(kernel)}
        with self._rows("SELECT * FROM best_view") as rows:
            return [
                Winner(
                    studies[row["study_id"]], json.loads(row["config"]), row["median_us"], json.loads(row["metrics"])
                )
                for row in rows
                if row["study_id"] in studies
            ]

    def sql(self, query: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows of a query, by the names of their columns."""
        with self._rows(query, values) as rows:
            return [dict(row) for row in rows]

    def to_pandas(self, study: StudyRow | int) -> pandas.DataFrame:
        return frame_of(self.trials(study))


def _study_of(row: sqlite3.Row) -> StudyRow:
    return StudyRow(
        row["study_id"],
        row["kernel"],
        json.loads(row["problem"]),
        row["device"],
        row["regime"],
        row["trials"],
        row["failed"],
    )


def _trial_of(row: sqlite3.Row) -> Trial:
    return Trial(
        id=row["id"], config=json.loads(row["config"]), status=row["status"], message=row["message"],
        time_us=row["median_us"], low_us=row["low_us"], high_us=row["high_us"], objective=row["objective"],
        metrics=json.loads(row["metrics"]), registers=row["registers"], occupancy=row["occupancy"],
        compile_s=row["compile_s"], run_s=row["run_s"], samples_us=array.array("d", row["samples"]),
    )  # fmt: skip


def frame_of(trials: Sequence[Trial]) -> pandas.DataFrame:
    """A row for each trial, a column for each parameter, figure and metric."""
    import pandas

    return pandas.DataFrame(
        [
            {
                **trial.config,
                "status": trial.status,
                "time_us": trial.time_us,
                "low_us": trial.low_us,
                "high_us": trial.high_us,
                **trial.metrics,
            }
            for trial in trials
        ]
    )


@dataclass(frozen=True)
class Answer:
    """The configuration for a question, and how well it matches."""

    config: dict[str, Any]
    match: str  # exact, nearest problem, same architecture, portfolio, space default
    problem: dict[str, Any]  # what was measured
    device: str
    time_us: float | None
    reason: str  # why it is no winner; may be empty
    stale: str  # what has changed since it was measured; may be empty

    def __getitem__(self, parameter: str) -> Any:
        return self.config[parameter]


def answer_of(found: Mapping[str, Any]) -> Answer:
    return Answer(
        json.loads(found["config"]), found["match"], json.loads(found["problem"] or "{}"), found["device"],
        found["time_us"] or None, found["reason"], found["stale"],
    )  # fmt: skip


class Lookup:
    """Answers which configuration is the fastest, from databases and bundles, the preferred first."""

    def __init__(
        self, *paths: Path, worst: str | None = None, aliases: Mapping[str, str] | None = None, follow_ms: int = 0
    ) -> None:
        settings = [("database", os.fspath(path)) for path in paths or (default_database(),)]
        if worst is not None:
            settings.append(("worst", worst))
        settings += [("alias", f"{name}={other}") for name, other in (aliases or {}).items()]
        if follow_ms:
            settings.append(("follow_ms", str(follow_ms)))
        self._lookup = _launch.core().open_lookup(settings)

    def best(self, kernel: str, problem: Mapping[str, Any] | None = None, *, device: str | None = None) -> Answer:
        """The answer; without one the exception NoConfiguration says why."""
        return answer_of(_launch.core().ask(self._lookup, kernel, dict(problem or {}), device))

    def find(
        self, kernel: str, problem: Mapping[str, Any] | None = None, *, device: str | None = None
    ) -> Answer | None:
        """The answer, or None."""
        try:
            return self.best(kernel, problem, device=device)
        except NoConfiguration:
            return None
