"""Calls the program gktune, which tunes in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .errors import Error, InvalidArgument, by_exit_code

Event = dict[str, Any]
INTERRUPTED = 130


def path() -> str:
    """The program that came with the package."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gktune")


def main() -> None:
    """The command `gktune`."""
    os.execv(path(), [path(), *sys.argv[1:]])


def error_of(exit_code: int, stderr: str) -> Error:
    """The exception for what the program printed."""
    lines = stderr.strip().splitlines()
    message = "\n".join(line.removeprefix("error: ") for line in lines)
    return by_exit_code.get(exit_code, Error)(message or f"gktune ended with {exit_code}")


def output(arguments: Sequence[str], accepted: Sequence[int] = (0,)) -> str:
    """What a call prints. Exit codes that are not accepted are exceptions."""
    done = subprocess.run([path(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in accepted:
        raise error_of(done.returncode, done.stderr)
    return done.stdout


class Run:
    """A call of `gktune run --events`. Ctrl-C ends it a second later; all measured trials are stored."""

    def __init__(self, arguments: Sequence[str]) -> None:
        # A session of its own: Ctrl-C in a terminal reaches Python alone, which passes it on, as it has to in a notebook.
        self._process = subprocess.Popen(
            [path(), "run", "--events", "--quiet", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._stderr: list[str] = []
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()
        self.interrupts = 0

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._stderr.extend(self._process.stderr)

    def _interrupt(self) -> None:
        self.interrupts += 1
        self._process.send_signal(signal.SIGINT)

    def _lines(self) -> Iterator[str]:
        assert self._process.stdout is not None
        while True:
            try:
                line = self._process.stdout.readline()
            except KeyboardInterrupt:
                self._interrupt()
                continue
            if not line:
                return
            yield line

    def events(self, on_event: Callable[[Event], None]) -> int:
        """Passes on each event, and returns the exit code. Errors of the program are exceptions."""
        try:
            for line in self._lines():
                try:
                    on_event(json.loads(line))
                except KeyboardInterrupt:
                    self._interrupt()
            code = self._process.wait()
        finally:
            if self._process.poll() is None:
                self._process.kill()
            with self._process:  # waits, and closes the pipes
                self._reader.join()
        if self.interrupts > 1:
            raise KeyboardInterrupt
        if code not in (0, INTERRUPTED):
            raise error_of(code, "".join(self._stderr))
        return code


def require_text(value: object, what: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidArgument(f"{what} is a text, not {value!r}")
    return os.fspath(value)


def selection(values: Mapping[str, Any]) -> str:
    """NAME=VALUE,… as the flags of the program take it."""

    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return ",".join(
        f"{name}={','.join(map(text, value)) if isinstance(value, (list, tuple)) else text(value)}"  # pyright: ignore
        for name, value in values.items()
    )
