"""Files that commands write: formats by suffix, and protection of existing files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer

from pantarhei.errors import UnknownFormatError
from pantarhei.io.write import is_torn


def format_by_suffix(
    path: Path | None, given: str | None, default: str, suffixes: Mapping[str, str], option: str | None
) -> str:
    """Return the format of an output: the given one, else the one of the file's suffix.

    Args:
        path: the file; None for standard output, which gets the default.
        suffixes: the formats by suffix.
        option: the option that gives a format; None if there is none.

    Raises:
        UnknownFormatError: no format has that suffix.
    """
    if given is not None or path is None:
        return given or default
    if found := suffixes.get(path.suffix.lower()):
        return found
    raise UnknownFormatError(option, str(path), tuple(suffixes), tuple(dict.fromkeys(suffixes.values())))


def refuse_unwritable(path: Path | None, may_replace: bool, way_out: str, option: str = "--output") -> None:
    """Refuse a file that exists and has content, or whose folder does not exist.

    Args:
        may_replace: whether an existing file may be changed.
        way_out: the option that permits it.

    Raises:
        BadParameter: the file is refused.
    """
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        problem = f"{path} is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise typer.BadParameter(f"{problem}; name a file in an existing folder", param_hint=option)
    if not may_replace and path.is_file() and path.stat().st_size:
        problem = f"{path} exists; name another file, or give {way_out}"
        raise typer.BadParameter(problem, param_hint=option)


def end_line(path: str) -> None:
    """Make a file that is to be appended to, or end its last line.

    Raises:
        OSError: it cannot be written.
    """
    with Path(path).open("ab") as file:
        if is_torn(Path(path)):
            file.write(b"\n")


@contextmanager
def appending(path: str | None) -> Iterator[TextIO | None]:
    """Open a file of lines to append to it, None for none.

    Raises:
        OSError: it cannot be written.
    """
    if path is None:
        yield None
        return
    end_line(path)
    with Path(path).open("a", encoding="utf-8") as file:
        yield file


_OF_NDJSON = (".ndjson", ".jsonl", ".json")


def refuse_other_than_ndjson(path: Path, option: str) -> None:
    """Refuse standard output, and a file whose suffix names another format than NDJSON.

    Raises:
        BadParameter: it is refused.
    """
    if str(path) == "-":
        raise typer.BadParameter("standard output has the answers; name a file", param_hint=option)
    if (suffix := path.suffix.lower()) and suffix not in _OF_NDJSON:
        problem = f"{path} is written as NDJSON; name a file that ends in {', '.join(_OF_NDJSON)}"
        raise typer.BadParameter(problem, param_hint=option)
