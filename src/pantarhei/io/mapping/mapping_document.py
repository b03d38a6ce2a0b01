"""Document of a mapping: YAML or a dictionary, as a tree of texts, lists and dictionaries with line numbers.

YAML's implicit types are ignored: a scalar is its text, so that `no` is "no", and `1.0` is "1.0". Tags are
refused, since they can execute code, and aliases, since they can expand to large documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from pantarhei.errors import MappingError, OptionError
from pantarhei.rdf.decompression import plain_text, refuse_null, unreadable

LONGEST = 1 << 20
DEEPEST = 20

Content: TypeAlias = "str | list[DocumentNode] | dict[str, DocumentNode]"


@dataclass(frozen=True, slots=True)
class DocumentNode:
    """Node of a YAML document.

    Args:
        content: a text, a list of nodes, or a dictionary of nodes.
        line: the node's first line, counted from 1; None if the mapping was given as a dictionary.
        lines: the line of each key, if the content is a dictionary read from YAML.
    """

    content: Content
    line: int | None
    lines: Mapping[str, int | None]


def read_document(given: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[str, DocumentNode]:
    """Return the name of a mapping for error messages, and its tree.

    Args:
        given: a dictionary; a text in YAML, which contains a line feed; or a path.

    Raises:
        MissingFileError: the file does not exist.
        MappingError: the document is not YAML, or has unsupported constructs.
        OptionError: the argument is of another type.
    """
    if isinstance(given, Mapping):
        return "the mapping", _of_python("the mapping", given, 0)
    if not isinstance(given, str | os.PathLike):
        raise OptionError("mapping", repr(given)[:200], "a path, a text in YAML, or a dictionary")
    if isinstance(given, str) and "\n" in given:
        return "the mapping", _parsed("the mapping", given)
    source = os.fspath(given)
    refuse_null(source)
    try:
        content = Path(source).read_bytes()
    except OSError as error:
        raise unreadable(source, error) from error
    try:
        return source, _parsed(source, plain_text(content, source).decode())
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise MappingError(source, line, "it is not UTF-8", "a text saved as UTF-8") from None


def _parsed(source: str, text: str) -> DocumentNode:
    import yaml  # imported only if needed, since the import takes as long as reading a small file

    if len(text) > LONGEST:
        problem = f"it is too long, with {len(text):,} characters"
        raise MappingError(source, None, problem, f"{LONGEST:,} characters at most")
    try:
        _check_events(source, yaml.parse(text, yaml.SafeLoader))
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = f"it is not YAML: {error.problem or error.context}"
        expected = _advice(problem)
        raise MappingError(source, _line(mark), problem, expected) from None
    except yaml.YAMLError as error:
        raise MappingError(source, None, f"it is not YAML: {' '.join(str(error).split())}", "YAML") from None
    if root is None:
        raise MappingError(source, None, "it is empty", "prefixes, time and mappings")
    return _of_yaml(source, root)


def _advice(problem: str) -> str:
    """Return the expected syntax for an error of the YAML parser."""
    if "'\\t'" in problem:
        return "spaces for indentation instead of tabs"
    if "'@'" in problem:
        return "a mapping in YAML, in YARRRML's terms; RML and other RDF are not supported"
    if "mapping values" in problem:
        return (
            "a space after each colon, and equal indentation of neighbouring lines; put a text that contains "
            "': ' into quotes"
        )
    return "YAML; put a text that contains ': ' or ' #', or begins with one of {[*&!|>%@`, into quotes"


def _check_events(source: str, events: Iterable[Any]) -> None:
    """Check that a YAML document consists of scalars, lists and dictionaries, nested at most `DEEPEST`
    levels.

    Raises:
        MappingError: it has tags, anchors or aliases, or is nested deeper.
    """
    depth = 0
    for event in events:
        line = _line(event.start_mark)
        if (anchor := getattr(event, "anchor", None)) is not None:
            problem = f"the anchor or alias {anchor} is not supported"
            raise MappingError(source, line, problem, "the text itself")
        if (tag := getattr(event, "tag", None)) is not None:
            problem = f"the tag {tag} is not supported"
            raise MappingError(source, line, problem, "plain texts, lists and dictionaries")
        depth += type(event).__name__.endswith("StartEvent") - type(event).__name__.endswith("EndEvent")
        _check_depth(source, line, depth - 2)  # the events of the stream and the document do not count


def _line(mark: Any) -> int | None:
    return None if mark is None else int(mark.line) + 1


def _of_yaml(source: str, node: Any) -> DocumentNode:
    line = node.start_mark.line + 1
    if node.id == "scalar":
        return DocumentNode(cast(str, node.value), line, {})
    if node.id == "sequence":
        return DocumentNode([_of_yaml(source, each) for each in node.value], line, {})
    content: dict[str, DocumentNode] = {}
    lines: dict[str, int | None] = {}
    for key, value in node.value:
        name, at = str(key.value), key.start_mark.line + 1
        if key.id != "scalar" or name in content:
            if key.id == "scalar":
                raise MappingError(source, at, f"the key {name!r} is given twice", "each key once")
            raise MappingError(source, at, "this key is not a text", "a text before the colon")
        content[name], lines[name] = _of_yaml(source, value), at
    return DocumentNode(content, line, lines)


def _of_python(source: str, given: object, depth: int) -> DocumentNode:
    _check_depth(source, None, depth)
    if isinstance(given, Mapping):
        return DocumentNode(
            {str(key): _of_python(source, each, depth + 1) for key, each in given.items()}, None, {}
        )
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return DocumentNode([_of_python(source, each, depth + 1) for each in given], None, {})
    if given is None or isinstance(given, str | int | float):
        text = "" if given is None else str(given).lower() if isinstance(given, bool) else str(given)
        return DocumentNode(text, None, {})
    problem = f"{given!r}"[:200] + f" is of type {type(given).__name__}"
    raise MappingError(source, None, problem, "texts, numbers, lists and dictionaries")


def _check_depth(source: str, line: int | None, depth: int) -> None:
    if depth > DEEPEST:
        raise MappingError(source, line, "the nesting is too deep", f"{DEEPEST} levels at most")
