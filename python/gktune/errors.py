"""Exceptions. Each has the `code` of the C functions; messages are those of the program."""

from __future__ import annotations


class Error(Exception):
    """A failure that is none of the others: a full disk, missing permissions."""

    code = 2

    def __init__(self, message: str, native: int = 0) -> None:
        super().__init__(message)
        self.native = native  # the code of CUDA or of the system behind it; 0: there is none


class InvalidArgument(Error, ValueError):
    """A wrong argument, or an error in a space file."""

    code = 1


class NoConfiguration(Error):
    """No configuration answers, or none works."""

    code = 3


class OutOfMemory(Error, MemoryError):
    code = 4


class NotFound(Error):
    """There is no file or kernel of this name."""

    code = 5


class Damaged(Error):
    """A file is cut, or of another kind."""

    code = 6


class NoDevice(Error):
    code = 7


class CompileFailed(Error):
    code = 8


class LaunchFailed(Error):
    code = 9


class ContextLost(Error):
    """CUDA's context is lost: only a new process has another."""

    code = 10


class Notice(UserWarning):
    """A configuration failed at run time, or the default serves."""


by_code: dict[int, type[Error]] = {each.code: each for each in (Error, *Error.__subclasses__())}

by_exit_code: dict[int, type[Error]] = {2: InvalidArgument, 3: NoDevice, 4: NoConfiguration}
