"""Transfer of this package's errors from workers to the driver, with their fields.

Spark transmits an error of a worker as the text of its traceback. A note on the last line of this text has
the error's class and arguments as JSON. The driver creates only errors of this package from it, since the
text may contain data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from pantarhei import errors
from pantarhei.errors import PantarheiError

_NOTE = "fields of this error: "
_WRITTEN = re.compile(rf"^{_NOTE}(.+)$", re.MULTILINE)

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def sends_errors(function: F) -> F:
    """Decorator of a function or generator that runs in a worker; its errors reach the driver with their
    fields.
    """

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        with _noted():
            result = function(*args, **options)
        return _each(result) if isinstance(result, Iterator) else result

    return call  # type: ignore[return-value]


def methods_send_errors(cls: C) -> C:
    """Decorator of a class whose public methods, or calls, run in a worker."""
    for name, method in list(vars(cls).items()):
        if callable(method) and (name == "__call__" or not name.startswith("_")):
            setattr(cls, name, sends_errors(method))
    return cls


def _each(items: Iterator[Any]) -> Iterator[Any]:
    with _noted():
        yield from items


@contextmanager
def _noted() -> Iterator[None]:
    try:
        yield
    except PantarheiError as error:
        if not any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
            _add_note(error)
        raise


def _add_note(error: PantarheiError) -> None:
    try:
        written = json.dumps([type(error).__name__, *map(_plain, error.args)])
    except TypeError:  # an argument is not plain; the driver reads the text of the error
        return
    error.add_note(f"{_NOTE}{written}")


def _plain(value: object) -> object:
    """Convert an argument to JSON; tuples are marked."""
    if isinstance(value, tuple | list):
        items = list(map(_plain, value))
        return {"tuple": items} if isinstance(value, tuple) else items
    if value is None or type(value) in (str, int, float, bool):
        return value
    raise TypeError(type(value).__name__)


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(map(_restored, value["tuple"]))
    return list(map(_restored, value)) if isinstance(value, list) else value


def error_in(text: str) -> PantarheiError | None:
    r"""Return the last error of this package whose fields are in a text of Spark; None if there is none.

    >>> error_in(f'Traceback: …\n{_NOTE}["MalformedInputError", "a.nq", 2, "no quad"]\n  at org.apache.…')
    MalformedInputError('a.nq', 2, 'no quad')
    """
    found = _WRITTEN.findall(text)
    if not found:
        return None
    try:
        name, *args = json.loads(found[-1])
        cls = getattr(errors, name)
        if not (isinstance(cls, type) and issubclass(cls, PantarheiError)):
            return None
        error: PantarheiError = cls(*map(_restored, args))
        str(error)  # fails for arguments of another class
    except Exception:  # the text of a user that looks like a note
        return None
    return error
