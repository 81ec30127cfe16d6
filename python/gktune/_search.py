"""Search strategies written in Python, and scores of strategies on recordings."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _program
from .errors import InvalidArgument


@dataclass(frozen=True)
class SearchSpace:
    """What a search begins with."""

    parameters: dict[str, list[Any]]
    valid: int  # configurations that the constraints allow
    default: dict[str, Any] | None
    seed: int
    trials: int  # limits; 0: none
    seconds: float


@dataclass(frozen=True)
class SearchResult:
    """A trial that a strategy is told of. What is not known is None."""

    config: dict[str, Any]
    status: str
    message: str
    objective: float | None  # lower is better
    time_us: float | None
    compile_s: float
    run_s: float

    @property
    def ok(self) -> bool:
        return self.status == "ok"


class Searcher:
    """A search strategy. Subclass it and pass the class: `kernel.tune(strategy=Mine)`. Each search has its own object."""

    def begin(self, space: SearchSpace) -> None:
        """Called once, before all else."""

    def ask(self) -> Mapping[str, Any] | None:
        """The configuration to try next; None ends the search. Several may be asked for before the first result."""
        raise NotImplementedError

    def tell(self, result: SearchResult) -> None:
        """Called with each result, those of earlier runs too."""

    def refused(self, config: Mapping[str, Any], reason: str) -> None:
        """Called for a proposal that a constraint forbids, or that was made before. Another `ask` follows."""


Strategy = str | Callable[[], Searcher]

# Hands its standard input and output to the process that listens, and ends when that closes the connection.
_CONNECT = (
    "import socket, sys\n"
    "peer = socket.socket(socket.AF_UNIX)\n"
    "peer.connect(sys.argv[1])\n"
    "socket.send_fds(peer, [b'x'], [0, 1])\n"
    "sys.stdin.close()\n"
    "peer.recv(1)\n"
)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _converse(searcher: Searcher, questions: Any, answers: Any) -> None:
    """Follows the protocol of the strategy `external` until its end."""
    for line in questions:
        message = json.loads(line)
        kind = message.pop("type")
        if kind == "space":
            budget = message["budget"]
            parameters = {each["name"]: each["values"] for each in message["parameters"]}
            searcher.begin(
                SearchSpace(
                    parameters,
                    int(message["valid"]),
                    message["default"],
                    message["seed"],
                    budget["trials"],
                    budget["seconds"],
                )
            )
        elif kind == "ask":
            config = searcher.ask()
            answer: dict[str, Any] = {"type": "done"} if config is None else {"config": dict(config)}
            answers.write(json.dumps(answer, default=_plain) + "\n")
            answers.flush()
        elif kind == "tell":
            searcher.tell(SearchResult(**message))
        elif kind == "refused":
            searcher.refused(message["config"], message["reason"])


class _Server:
    """Serves searches: a thread and an object of the strategy for each."""

    def __init__(self, make: Callable[[], Searcher], path: str) -> None:
        self._make = make
        self.failure: BaseException | None = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                peer, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            _, (reading, writing), _, _ = socket.recv_fds(peer, 1, 2)
            with contextlib.suppress(BrokenPipeError):  # what was not written, when the search ends
                with os.fdopen(reading, encoding="utf-8") as questions, os.fdopen(writing, "w") as answers:
                    try:
                        _converse(self._make(), questions, answers)
                    except BrokenPipeError:
                        pass
                    except BaseException as error:  # known before the program sees the end of its pipes
                        self.failure = self.failure or error

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextlib.contextmanager
def strategy_flags(strategy: Strategy | None, settings: Mapping[str, Any] | None) -> Generator[list[str], None, None]:
    """The flags of a strategy for the program. An exception of a searcher comes out at the end."""
    flags = [text for name, value in (settings or {}).items() for text in ("--set", f"{name}={value}")]
    if strategy is None or isinstance(strategy, str):
        yield flags if strategy is None else ["--strategy", strategy, *flags]
        return
    if not callable(strategy):
        raise InvalidArgument(f"a strategy is a name or a subclass of gktune.Searcher, not {strategy!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "searches")
        server = _Server(strategy, path)
        command = [sys.executable, "-I", "-S", "-c", _CONNECT, path]
        try:
            yield ["--strategy", "external", "--set", "program=" + shlex.join(command), *flags]
        except Exception:
            if server.failure is None:
                raise
        finally:
            server.close()
        if server.failure is not None:
            raise server.failure


@dataclass(frozen=True)
class Score:
    """How well a strategy did on recordings: 1 is an oracle, 0 random search."""

    strategy: str
    score: float
    score_with_own_time: float
    at_end: float
    excess_after_20: float  # over the best configuration, after 20 evaluations
    proposal_ms: float
    recordings: dict[str, float]  # the score on each


def score(
    *recordings: str | os.PathLike[str],
    strategy: Strategy | Sequence[Strategy] = "auto",
    settings: Mapping[str, Any] | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    in_flight: int | None = None,
    jobs: int | None = None,
) -> list[Score]:
    """Plays strategies on recorded tunings (databases, files of Kernel Tuner, T4 results), and returns a score for each."""
    strategies: list[Strategy] = [strategy] if isinstance(strategy, str) or callable(strategy) else list(strategy)
    arguments = ["score", *(_program.require_text(each, "a recording") for each in recordings), "--json", "--quiet"]
    for name, value in (("repeats", repeats), ("seed", seed), ("in-flight", in_flight), ("jobs", jobs)):
        if value is not None:
            arguments += [f"--{name}", str(value)]
    scores: list[Score] = []
    for each in strategies:
        with strategy_flags(each, settings) as flags:
            report = json.loads(_program.output([*arguments, *flags]))
            scores.append(_score_of(each, report))
    return sorted(scores, key=lambda found: -found.score)


def _score_of(strategy: Strategy, report: Mapping[str, Any]) -> Score:
    [found] = report["strategies"]
    mean: dict[str, float] = found["mean"]
    name = strategy if isinstance(strategy, str) else getattr(strategy, "__name__", repr(strategy))
    each = {recording: line["score"] for recording, line in found["recordings"].items()}
    names = ("score", "score_with_own_time", "at_end", "excess_after_20", "proposal_ms")
    return Score(strategy=name, recordings=each, **{figure: mean[figure] for figure in names})


__all__ = ["Score", "SearchResult", "SearchSpace", "Searcher", "score"]
