"""Graphs given as files, wherever a graph is an argument: paths, folders and glob patterns, as for
`load_ontology`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

from rdflib.term import Node

from pantarhei.errors import OptionError, UnknownFormatError
from pantarhei.model.term import Triple
from pantarhei.owl.document import Document, read_document
from pantarhei.owl.imports import sources_of

GraphFile = str | os.PathLike[str]
"""Path of a file or folder, or a glob pattern."""

GraphFiles = GraphFile | Sequence[GraphFile]
"""Paths, folders or glob patterns."""

T = TypeVar("T")


def documents_at(given: object, option: str) -> list[Document] | None:
    """Read the documents of a path or of a list of paths, without their imports; None if `given` is neither.

    The syntaxes are those of `load_ontology`. Blank nodes of documents with different contents are
    distinct.

    Args:
        option: name of the argument in errors.

    Raises:
        MissingFileError: a file does not exist, a folder has no file of RDF, or a pattern has no match.
        MalformedInputError: a file is malformed.
        OptionError: `given` is a text of RDF instead of a path, or the format of a file is unknown.
    """
    listed = given if isinstance(given, list | tuple) else [given]
    if not (listed and all(map(_is_path, listed))):
        return None
    paths = [each if isinstance(each, str) else Path(each) for each in cast(Sequence[GraphFile], listed)]
    try:
        return [read_document(source) for source in sources_of(paths)]
    except UnknownFormatError as error:
        raise UnknownFormatError(None, error.source, error.suffixes, error.formats) from None
    except OptionError as error:
        raise OptionError(option, error.given, error.expected) from None


def graph_at(given: T | GraphFiles, option: str, several: bool = False) -> T | Iterable[Triple]:
    """Return the triples of the files at a path, folder or pattern; return another value unchanged.

    Args:
        option: name of the argument in errors.
        several: whether texts in a list are paths. They are not in the facts of a stream, which can be
            untrusted data; `pathlib.Path` objects always are.

    Raises:
        MissingFileError, MalformedInputError, OptionError: as for `documents_at`.
    """
    documents = documents_at(given, option) if several or _names_files(given) else None
    if documents is None:
        return cast(T, given)
    return tuple(dict.fromkeys(chain.from_iterable(each.triples for each in documents)))


def _names_files(given: object) -> bool:
    """Return True for a path, and for a list of path objects."""
    if isinstance(given, list | tuple):
        return all(isinstance(each, os.PathLike) for each in given)
    return _is_path(given)


def _is_path(given: object) -> bool:
    return isinstance(given, str | os.PathLike) and not isinstance(given, Node)
