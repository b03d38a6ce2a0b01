"""Mapping as a value: templates of triples and of the time of a row.

Names are YARRRML's (https://rml.io/yarrrml/spec/), except those for time and melting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple

from rdflib import OWL, RDF, RDFS, XSD, URIRef

from pantarhei.errors import MappingError
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.time import Precision
from pantarhei.rdf.ntriples import is_plain_iri

PREFIXES = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}
_SCHEMES = {"data", "did", "doi", "info", "mailto", "ni", "tag", "tel", "urn", "uuid"}  # without slashes


def iri(text: str, prefixes: Mapping[str, str], source: str, line: int | None) -> str:
    """Expand a prefixed name of a mapping, or the beginning of one, to an IRI; a full IRI is returned as
    given.

    Args:
        source, line: name of the mapping and line of the text, for errors.

    Raises:
        MappingError: the text is not an IRI.

    >>> iri("ex:free", {"ex": "http://example.org/"}, "m.yaml", 7)
    'http://example.org/free'
    """
    prefix, colon, rest = text.partition(":")
    hint = "; a reference to a column is $(…), not {…}" if "{" in text else ""
    if not colon:
        own = next((f", such as {each}:{text}" for each in prefixes if each not in PREFIXES and text), "")
        full = f" such as http://{text}" if "." in text.strip(".") else ""
        expected = f"prefix:name{own}, or an IRI in full{full}{hint}"
        raise MappingError(source, line, f"{text!r} is not an IRI", expected)
    if prefix in prefixes and not rest.startswith("//"):
        text = prefixes[prefix] + rest
    elif not (rest.startswith("//") or prefix.lower() in _SCHEMES):
        known = ", ".join(f"{each}:" for each in sorted(prefixes))
        hint = did_you_mean(prefix, prefixes)
        expected = f"one of {known}{hint}, or another one declared in prefixes:"
        raise MappingError(source, line, f"the prefix {prefix}: is not known", expected)
    if not is_plain_iri(f"<{text}>"):
        expected = f'no spaces and none of <>"{{}}|^`\\ in it{hint}'
        raise MappingError(source, line, f"{text!r} is not an IRI", expected)
    return text


ROW = "_row"
"""Name of the virtual column that holds the row's number, counted from 1 over all files."""

NULLS = frozenset({"", "-", "--", "?", "na", "n/a", "nan", "nil", "none", "null", "unknown"})
"""Texts that often stand for a missing value, in lower case."""

_REFERENCE = re.compile(r"\$\(((?:[^()\\]|\\.)*)\)")


class TextTemplate(NamedTuple):
    """Template of a text: `texts[0]`, the value of `columns[0]`, `texts[1]`, and so on."""

    texts: tuple[str, ...]
    columns: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> TextTemplate:
        """Read a template: `$(name)` refers to a column; in a name, `\\(` is `(`.

        Raises:
            ValueError: a reference is not closed or has no name.

        >>> TextTemplate.read("urn:garage/$(id)")
        TextTemplate(texts=('urn:garage/', ''), columns=('id',))
        """
        pieces = _REFERENCE.split(text)
        texts, columns = pieces[::2], [re.sub(r"\\(.)", r"\1", name) for name in pieces[1::2]]
        if "" in columns or any("$(" in piece for piece in texts):
            raise ValueError(text)
        return cls(tuple(texts), tuple(columns))

    @property
    def is_whole(self) -> bool:
        """True if the template consists of one column's value alone."""
        return self.texts == ("", "")

    def filled(self, fill: Callable[[str], TextTemplate]) -> TextTemplate:
        """Replace each column by the template that `fill` returns for it."""
        texts, columns = [self.texts[0]], list[str]()
        for column, text in zip(self.columns, self.texts[1:], strict=True):
            inner = fill(column)
            texts[-1] += inner.texts[0]
            texts += inner.texts[1:]
            texts[-1] += text
            columns += inner.columns
        return TextTemplate(tuple(texts), tuple(columns))

    def __str__(self) -> str:
        named = [f"$({column}){text}" for column, text in zip(self.columns, self.texts[1:], strict=True)]
        return self.texts[0] + "".join(named)


class TermKind(Enum):
    """Kind of the terms that a template creates."""

    IRI = "an IRI with percent-encoded values"
    WHOLE_IRI = "an IRI that is the value of a column"
    LITERAL = "a literal"


@dataclass(frozen=True, slots=True)
class TermTemplate:
    """Template of an RDF term.

    Args:
        datatype: the datatype of a literal; None for the datatype of the column's type, which is xsd:string
            for a column of texts.
        line: the line of the template in the mapping.
    """

    template: TextTemplate
    kind: TermKind
    datatype: URIRef | None = None
    language: str | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TripleTemplate:
    """Template of a triple.

    It creates a triple for each row with a value in each column of its terms and in each column of `needs`.
    """

    subject: TermTemplate
    predicate: TermTemplate
    object: TermTemplate
    needs: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[TermTemplate, TermTemplate, TermTemplate]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    @property
    def columns(self) -> Iterator[tuple[str, int | None]]:
        """Columns that the template refers to, each with the line of the reference."""
        for term in self.terms:
            yield from ((column, term.line) for column in term.template.columns)
        yield from ((column, self.subject.line) for column in self.needs)


Unit = Literal["s", "ms", "us", "ns", "number", "float"]
UNITS: Mapping[str, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "number": 1, "float": 1}


@dataclass(frozen=True, slots=True)
class RowTime:
    """Columns and form of a row's time.

    Args:
        template: the column with the time, or a template that composes it from several columns.
        unit: unit of a number that counts from 1970; "number" or "float" for a number that is itself the
            timestamp; None for times written as texts.
        format: format of a text in directives of Python's `strptime`; None for ISO 8601.
        zone: the name of the time zone of local times; None if each time has a zone.
        ambiguous: handling of local times that occur twice, when clocks are put back: an error, the earlier
            or the later instant, or inference from the order of rows.
        precision: handling of fractions finer than microseconds: "microseconds" cuts and counts them, "exact"
            makes them errors.
        line: the line of the time in the mapping.
    """

    template: TextTemplate
    unit: Unit | None = None
    format: str | None = None
    zone: str | None = None
    ambiguous: Literal["error", "earlier", "later", "infer"] = "error"
    precision: Precision = "microseconds"
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Melt:
    """Columns to melt: each melted column of a row is mapped as a row of its own.

    In such a row, virtual columns hold the name of the melted column, its value, and constants of the
    mapping.

    Args:
        columns: by name of a melted column, which may contain `*`: constants by name of their virtual column.
        variable: name of the virtual column that holds the melted column's name.
        value: name of the virtual column that holds the melted column's value.
        line: the line of `columns` in the mapping.
    """

    columns: Mapping[str, Mapping[str, str]]
    variable: str = "variable"
    value: str = "value"
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RecordMapping:
    """Mapping of rows to timestamped triples; read by `read_mapping`.

    Args:
        source: the mapping's name in errors.
        prefixes: the namespace of each prefix.
        time: columns and form of a row's time.
        groups: the triple templates of each entry of `mappings`.
        melt: the columns to melt; None for none.
        nulls: texts of cells that stand for no value.
        delimiter: the delimiter of a CSV table; None to detect it.
        decimal: the decimal mark.

    >>> from pantarhei import Mapping
    >>> given = {
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"m": {"s": "urn:$(id)~iri", "po": [["urn:v", "$(v)"]]}},
    ... }
    >>> mapping = Mapping.load(given).mapping
    >>> type(mapping).__name__, mapping == Mapping.load(given).mapping
    ('RecordMapping', True)
    """

    source: str
    prefixes: Mapping[str, str]
    time: RowTime
    groups: tuple[tuple[TripleTemplate, ...], ...]
    melt: Melt | None = None
    nulls: frozenset[str] = frozenset({""})
    delimiter: str | None = None
    decimal: Literal[".", ","] = "."

    @property
    def has_globs(self) -> bool:
        """True if `melt` selects columns by a name with `*`."""
        return self.melt is not None and any("*" in name for name in self.melt.columns)
