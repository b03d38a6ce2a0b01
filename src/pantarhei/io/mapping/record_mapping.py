"""What a mapping says: from which columns the time, the subjects, properties and objects of triples are made.

Plain values. The words are YARRRML's (https://rml.io/yarrrml/spec/), those about time and melting our own.
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
    """The IRI, or its beginning, that a text writes with or without a prefix.

    Args:
        source, line: where the mapping writes it.

    Raises:
        MappingError: it writes none.

    >>> iri("ex:free", {"ex": "http://example.org/"}, "m.yaml", 7)
    'http://example.org/free'
    """
    prefix, colon, rest = text.partition(":")
    hint = "; $(…) refers to a column, and {…} does not" if "{" in text else ""
    if not colon:
        own = next((f", such as {each}:{text}" for each in prefixes if each not in PREFIXES and text), "")
        full = f" such as http://{text}" if "." in text.strip(".") else ""
        expected = f"prefix:name{own}, or an IRI in full{full}{hint}"
        raise MappingError(source, line, f"{text!r} is no IRI", expected)
    if prefix in prefixes and not rest.startswith("//"):
        text = prefixes[prefix] + rest
    elif not (rest.startswith("//") or prefix.lower() in _SCHEMES):
        known = ", ".join(f"{each}:" for each in sorted(prefixes))
        hint = did_you_mean(prefix, prefixes)
        expected = f"one of {known}{hint}, or one that prefixes: says"
        raise MappingError(source, line, f"the prefix {prefix}: is not known", expected)
    if not is_plain_iri(f"<{text}>"):
        expected = f'no spaces and none of <>"{{}}|^`\\ in it{hint}'
        raise MappingError(source, line, f"{text!r} is no IRI", expected)
    return text


ROW = "_row"
"""Refers to the row's number, which is counted from 1 over all files, and not to a column."""

NULLS = frozenset({"", "-", "--", "?", "na", "n/a", "nan", "nil", "none", "null", "unknown"})
"""What stands in tables for no value, in lower case."""

_REFERENCE = re.compile(r"\$\(((?:[^()\\]|\\.)*)\)")


class TextTemplate(NamedTuple):
    """Text with columns' values in it: `texts[0]`, the value of `columns[0]`, `texts[1]`, and so on."""

    texts: tuple[str, ...]
    columns: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> TextTemplate:
        """The template that `text` writes: `$(name)` refers to a column; of a name, `\\(` writes `(`.

        Raises:
            ValueError: a reference has no end, or no name.

        >>> TextTemplate.read("urn:garage/$(id)")
        Template(texts=('urn:garage/', ''), columns=('id',))
        """
        pieces = _REFERENCE.split(text)
        texts, columns = pieces[::2], [re.sub(r"\\(.)", r"\1", name) for name in pieces[1::2]]
        if "" in columns or any("$(" in piece for piece in texts):
            raise ValueError(text)
        return cls(tuple(texts), tuple(columns))

    @property
    def is_whole(self) -> bool:
        """Whether it is one column's value and nothing else."""
        return self.texts == ("", "")

    def filled(self, fill: Callable[[str], TextTemplate]) -> TextTemplate:
        """The template with another in the place of each column."""
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
    """What a template makes."""

    IRI = "an IRI, into which values are percent-encoded"
    WHOLE_IRI = "an IRI that stands in the column as it is"
    LITERAL = "a literal"


@dataclass(frozen=True, slots=True)
class TermTemplate:
    """How a term is made of a row.

    Args:
        datatype: of a literal; None for what the column's type says, text being xsd:string.
        line: where the mapping says it.
    """

    template: TextTemplate
    kind: TermKind
    datatype: URIRef | None = None
    language: str | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TripleTemplate:
    """How a triple is made of a row, which has to have values in the columns of its terms and in `needs`."""

    subject: TermTemplate
    predicate: TermTemplate
    object: TermTemplate
    needs: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[TermTemplate, TermTemplate, TermTemplate]:
        """Its three terms."""
        return self.subject, self.predicate, self.object

    @property
    def columns(self) -> Iterator[tuple[str, int | None]]:
        """The columns that it refers to, and where the mapping does."""
        for term in self.terms:
            yield from ((column, term.line) for column in term.template.columns)
        yield from ((column, self.subject.line) for column in self.needs)


Unit = Literal["s", "ms", "us", "ns", "number", "float"]
UNITS: Mapping[str, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "number": 1, "float": 1}


@dataclass(frozen=True, slots=True)
class RowTime:
    """Where a row's time is, and how it is written.

    Args:
        template: the column, or a text made of several.
        unit: of a number: since 1970, or a "number" or "float" that is the time itself. None for a text.
        format: of a text, in the directives of Python's `strptime`; None for ISO 8601.
        zone: the name of the zone of local times; None where each time says its own.
        ambiguous: what a local time is that the clocks show twice: an error, one of the two, or the one that
            the order of rows infers.
        precision: what fractions finer than microseconds are: cut and counted, or an error.
        line: where the mapping says it.
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
    """Columns that become rows, each with a column for its name, one for its value, and what is known of it.

    Args:
        columns: by the names of columns, in which `*` stands for anything, what is known of each, by name.
        variable, value: what the columns for the name and for the value are called.
        line: where the mapping says it.
    """

    columns: Mapping[str, Mapping[str, str]]
    variable: str = "variable"
    value: str = "value"
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RecordMapping:
    """A mapping as a value; `read_mapping` makes one.

    Args:
        source: what errors call it.
        prefixes: the namespaces of prefixes.
        time: where the time of a row is.
        groups: the triples of each mapping in it.
        melt: which columns become rows.
        nulls: the texts of cells that have no value.
        delimiter: what is between the cells of a line, where the table is text.
        decimal: the mark before decimals.
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
        """Whether a `*` in `melt` selects columns by their names."""
        return self.melt is not None and any("*" in name for name in self.melt.columns)
