"""OWL's Manchester syntax into triples: the extra py-horned-owl reads it, and writes functional syntax.

That library's own triples are not used: of three disjoint classes they leave out that the second and the
third are disjoint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.owl.element_mapping import Written
from pantarhei.owl.functional_syntax import read_functional_syntax, text_of
from pantarhei.rdf.nesting_guard import DEEPEST_EXPRESSION

INSTALL = "pip install 'pantarhei[manchester]'"
_LINE = re.compile(r"line_col: Pos\(\((\d+), (\d+)\)\)")
_EXPECTED = re.compile(r"positives: \[([^\]]*)\]")
_SPAN = re.compile(r'\("([^"]*)", ByteSpan\((\d+)\.\.(\d+)\)\)')
# What is no part of how deep an expression is; the words that begin one inside another, and what ends all
# that have begun. The parser goes as deep as brackets are open and words have begun one since the last end.
_PASSED_OVER = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|<[^<>\s]*>|#[^\n]*', re.DOTALL)
_BEGIN = r"some|only|not|min|max|exactly|value|inverse"
_STEP = re.compile(
    rf"(?P<open>[({{\[])|(?P<close>[)}}\]])|\b(?P<begin>{_BEGIN})\b|\b(?:and|or)\b|,|\w+:\s", re.IGNORECASE
)
# The parser keeps the letter by which a float is known: 2.5f.
_FLOAT = re.compile(r'"([^"\\]*)[fF]"\^\^<http://www\.w3\.org/2001/XMLSchema#float>')
_WITHOUT_LETTER = r'"\1"^^<http://www.w3.org/2001/XMLSchema#float>'


def read_manchester_syntax(content: bytes, source: str, base: str) -> Written:
    """The triples of a document in Manchester syntax, and its prefixes; it has no lines.

    Raises:
        MalformedInputError: it is not in this syntax, or nested too deep.
        OptionError: the package py-horned-owl is not installed.
    """
    library, text = _library(source), text_of(content, source)
    _refuse_deep_nesting(text, source)
    try:
        read = library.open_ontology_from_string(text, "omn")
        components = [(type(each.component).__name__, str(each)) for each in read.get_components()]
        prefixes = dict(read.prefix_mapping)
    except Exception as error:
        raise _malformed(error, text, source) from error
    except BaseException as error:  # a panic of the library's is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise MalformedInputError(source, None, "not OWL Manchester syntax: its parser gave up") from error
    try:
        written = read_functional_syntax(_in_functional_syntax(components).encode(), source, base)
    except MalformedInputError as error:
        reason = error.reason.replace("OWL functional syntax", "OWL Manchester syntax")
        raise MalformedInputError(source, None, reason) from error
    return Written(written.triples, None, written.prefixes | prefixes)


def _library(source: str) -> Any:
    try:
        import pyhornedowl
    except ImportError:
        raise OptionError(
            "format", source, f"the package py-horned-owl, to read Manchester syntax: {INSTALL}"
        ) from None
    return pyhornedowl


def _refuse_deep_nesting(text: str, source: str) -> None:
    depth, begun = 0, [0]  # in all, and since each bracket that is open
    for step in _STEP.finditer(_PASSED_OVER.sub(" ", text)):
        match step.lastgroup:
            case "open":
                begun.append(0)
                depth += 1
            case "begin":
                begun[-1] += 1
                depth += 1
            case "close" if len(begun) > 1:
                depth -= begun.pop() + 1
            case _:
                depth -= begun[-1]
                begun[-1] = 0
        if depth > DEEPEST_EXPRESSION:
            reason = f"expressions nested deeper than {DEEPEST_EXPRESSION} levels"
            raise MalformedInputError(source, None, reason)


def _malformed(error: Exception, text: str, source: str) -> MalformedInputError:
    """The error for what the library says, in which places are bytes or lines and columns."""
    said = str(error)
    if at := _LINE.search(said):
        line, column = int(at[1]), int(at[2])
        rest = (text.splitlines()[line - 1 : line] or [""])[0][column - 1 :]
        names = _EXPECTED.search(said)
        expected = f"; expected {names[1]}" if names and names[1] else ""
        reason = f"{rest[:40]!r} cannot be read{expected}" if rest else f"something is missing{expected}"
        return MalformedInputError(source, line, f"not OWL Manchester syntax: {reason}")
    if span := _SPAN.search(said):
        content = text.encode()
        begin, end = int(span[2]), int(span[3])
        reason = f"{span[1]}: {content[begin:end].decode(errors='replace')}"
        line = content.count(b"\n", 0, begin) + 1
        return MalformedInputError(source, line, f"not OWL Manchester syntax: {reason}")
    return MalformedInputError(source, None, f"not OWL Manchester syntax: {said}")


def _in_functional_syntax(components: Sequence[tuple[str, str]]) -> str:
    """A document of what the library has read, in an order that is the same at each reading."""
    names = [text for kind, text in components if kind == "OntologyID"]
    others = sorted(text for kind, text in components if kind != "OntologyID")
    return _FLOAT.sub(_WITHOUT_LETTER, "\n".join(["Ontology(", *names, *others, ")"]))
