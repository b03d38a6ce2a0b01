"""What an ontology is read from: documents and objects, and what folders and globs stand for."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from pantarhei.errors import MissingFileError, OptionError
from pantarhei.owl.document_format import SUFFIXES
from pantarhei.rdf.first_bytes import is_document, refuse_null

# Files that end so may hold anything; in a folder they are left out.
_OF_ANYTHING: Final = (".json", ".xml")
ENDINGS: Final = tuple(suffix for suffix in SUFFIXES if suffix not in _OF_ANYTHING)


def sources_of(given: object) -> tuple[object, ...]:
    """The documents and objects that `given` stands for, each once, in order.

    Args:
        given: a path or an object; or a list of them. A folder stands for the files directly in it whose
            names end as an ontology's do, a glob for the files that it matches, both in order of their names.

    Raises:
        MissingFileError: a folder has no such file, or a glob matches none.
        OptionError: the list is empty, or holds triples.
    """
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if not listed:
        raise OptionError("source", repr(given), "at least one document: a path, an rdflib.Graph, or several")
    if any(isinstance(each, tuple) for each in listed):
        raise OptionError("source", repr(listed[0])[:200], "triples in an rdflib.Graph: Graph().add(triple)")
    found: dict[object, object] = {}
    for each in (each for one in listed for each in _expanded(one)):
        found.setdefault(each.resolve() if isinstance(each, Path) else id(each), each)
    return tuple(found.values())


def _expanded(given: object) -> Sequence[object]:
    if not isinstance(given, str | Path):
        return [given]
    path = Path(given)
    refuse_null(path)
    if is_document(str(given)):
        expected = "a path; of a text, rdflib.Graph().parse(data=text, format=…)"
        raise OptionError("source", repr(given)[:60] + "…", expected)
    if path.is_dir():
        return sorted(filter(_is_ontology, path.iterdir())) or _refuse(path, _none_in(path))
    if path.exists() or not glob.has_magic(str(given)):
        return [path]
    matched = (Path(name) for name in sorted(glob.glob(str(given), recursive=True)))
    return [each for each in matched if each.is_file()] or _refuse(path, "no file matches this pattern")


def _is_ontology(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS and path.is_file()


def _none_in(folder: Path) -> str:
    """Why a folder stands for nothing."""
    reason = f"no file in this folder ends in {', '.join(ENDINGS)}"
    levels = (sorted(filter(_is_ontology, folder.glob(pattern))) for pattern in ("*/*", "*/*/*"))
    below = next((found[0] for found in levels if found), None)
    return f"{reason}; those in folders below are {folder}/**/*{below.suffix}" if below else reason


def _refuse(path: Path, reason: str) -> NoReturn:
    raise MissingFileError(str(path), reason)
