"""Reading of ontology documents to triples. A document is a local file or an object; nothing is fetched from
the network.

RDF files are parsed by pyoxigraph, which keeps the lexical form of literals; OWL/XML, functional and
Manchester syntax by `element_mapping`. Blank nodes are renamed with a hash of the document's content, so that
different documents do not share blank nodes, and reading a document twice gives equal names.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol, cast
from urllib.parse import urljoin
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

import pyoxigraph
from rdflib import XSD, BNode, Dataset, Graph, Literal, URIRef

from pantarhei.errors import MalformedInputError, OptionError, UnknownFormatError
from pantarhei.model.term import Term, Triple, check_triple, respelled
from pantarhei.owl.element_mapping import OWL_NAMESPACE, XML_NAMESPACE, ElementReader, ParsedDocument, name_of
from pantarhei.owl.functional_syntax import read_functional_syntax, read_manchester_syntax
from pantarhei.rdf.decompression import plain_text, unreadable
from pantarhei.rdf.ntriples import nodes_of_document
from pantarhei.rdf.parse import DEEPEST_EXPRESSION, DocumentTerms, parse, refuse_deep_nesting
from pantarhei.rdf.statements import lines_of_statements
from pantarhei.rdf.xml_guard import in_utf_8, refuse_entity_expansion

_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s>/]")


def is_owl_xml(content: bytes) -> bool:
    """True if the root element of an XML document is that of OWL/XML.

    >>> is_owl_xml(b'<?xml version="1.0"?><!-- <RDF> --><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>')
    True
    """
    root = _ROOT.search(re.sub(rb"<!--.*?-->", b"", content[:100_000], flags=re.DOTALL))
    return root is not None and root[1] == b"Ontology"


def read_owl_xml(content: bytes, source: str, base: str) -> ParsedDocument:
    """Return the triples of an OWL/XML document with their lines, and its prefixes (W3C: OWL 2 XML
    serialization).

    Args:
        base: base IRI if the document has no `xml:base`.

    Raises:
        MalformedInputError: the content is not XML or not OWL/XML, or has an element that OWL 2 does not
        define.
    """
    root, lines = _parse(content, source)
    if root.tag != OWL_NAMESPACE + "Ontology":
        raise MalformedInputError(
            source, None, f"the first element is {name_of(root)} where Ontology is expected"
        )
    reader = ElementReader(source, urljoin(base, root.get(XML_NAMESPACE + "base", "")))
    return reader.ontology(root, lines, "OWL/XML")


def _parse(content: bytes, source: str) -> tuple[Element, list[int]]:
    """Return the root element, and the lines on which it and its children begin."""
    try:
        lines = _lines_of_axioms(content, source)
        return ElementTree.fromstring(content), lines
    except (ElementTree.ParseError, expat.ExpatError) as error:
        raise MalformedInputError(
            source,
            error.position[0] if isinstance(error, ElementTree.ParseError) else error.lineno,
            str(error),
        ) from error


def _lines_of_axioms(content: bytes, source: str) -> list[int]:
    """Return the lines on which the root element and its children begin."""
    parser, depth, lines = expat.ParserCreate(), 0, list[int]()

    def start(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth <= 2:
            lines.append(parser.CurrentLineNumber)
        elif depth > DEEPEST_EXPRESSION:
            reason = f"elements nested deeper than {DEEPEST_EXPRESSION} levels"
            raise MalformedInputError(source, parser.CurrentLineNumber, reason)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(content, True)
    return lines


FORMATS: Final = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "xml": pyoxigraph.RdfFormat.RDF_XML,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "json-ld": pyoxigraph.RdfFormat.JSON_LD,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "nquads": pyoxigraph.RdfFormat.N_QUADS,
    "owl-xml": None,
    "functional": None,
    "manchester": None,
}
SUFFIXES: Final = {
    ".ttl": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".nt": "nt",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".trig": "trig",
    ".nq": "nquads",
    ".owx": "owl-xml",
    ".ofn": "functional",
    ".fss": "functional",
    ".omn": "manchester",
}

_BEFORE = re.compile(rb"(?:\s|#[^\n\r]*(?:[\n\r]|\Z))*")
_WITH_DIRECTIVES = ("turtle", "trig")
_OF_STATEMENTS = (*_WITH_DIRECTIVES, "nt", "nquads")
# Patterns of the first words of documents, after white space and comments, with the formats that may begin
# so. A root element with a prefixed name declares the prefix, so white space precedes its `>`; an IRI has
# none.
_BEGINNINGS: Final = tuple(
    (re.compile(pattern), formats)
    for pattern, formats in (
        (rb"""<(?:[^\s<>"{}|^`\\:]*:[^\s<>"{}|^`\\]*|[#/][^\s<>]*)?>""", _OF_STATEMENTS),
        (rb"(?:Prefix|Ontology)\s*\(", ("functional",)),
        (rb"(?:Prefix|Ontology|Namespace):", ("manchester",)),
        (rb"_:|<<", _OF_STATEMENTS),
        (rb"@(?:prefix|base|version)\s|(?i:prefix\s+[^\s:]*:|base\s*<|version\s)", _WITH_DIRECTIVES),
        (rb"""\[\s*(?:[\[{"]|\])|\{\s*["}]""", ("json-ld",)),
        (rb"\[", _WITH_DIRECTIVES),
        (rb"<[?!A-Za-z_]", ("xml", "owl-xml")),
    )
)
_PAGE = re.compile(rb"(?:<!doctype html|<html)[\s>]", re.IGNORECASE)


def format_of(path: Path, content: bytes, given: str | None) -> str:
    """Return the format of a document, a key of `FORMATS`.

    The first words of the document determine the format. If they are ambiguous, the suffix of the file name
    is used; it is less reliable, since Protégé writes several formats with the suffix `.owl`.

    Args:
        content: the document in UTF-8.
        given: the format given by the caller.

    Raises:
        MalformedInputError: the document is a web page.
        OptionError: the given format is unknown, or the format cannot be determined.
    """
    if given is not None:
        if given not in FORMATS:
            raise OptionError("format", repr(given), "one of " + ", ".join(FORMATS))
        return given
    if _PAGE.match(content, _start(content)):
        reason = "a web page, not an ontology; download the file that the page links to"
        raise MalformedInputError(str(path), None, reason)
    named, possible = SUFFIXES.get(path.suffix.lower()), formats_by_content(content)
    if possible == ("xml", "owl-xml"):
        return "owl-xml" if is_owl_xml(content) else "xml"
    if named in possible or not possible:
        if named is None:
            raise UnknownFormatError("format", str(path), tuple(SUFFIXES), tuple(FORMATS))
        return named
    return possible[0]


def formats_by_content(content: bytes) -> tuple[str, ...]:
    r"""Return the formats whose documents may begin like `content`, most likely first; () if there are none.

    >>> formats_by_content(b"# rooms\nPREFIX ex: <http://example.org/>")
    ('turtle', 'trig')
    """
    start = _start(content)
    return next((formats for begins, formats in _BEGINNINGS if begins.match(content, start)), ())


def _start(content: bytes) -> int:
    """Return the end of leading white space and comments."""
    before = _BEFORE.match(content)
    return before.end() if before else 0


# Readers of the syntaxes that are not syntaxes of RDF.
READERS = {
    "owl-xml": read_owl_xml,
    "functional": read_functional_syntax,
    "manchester": read_manchester_syntax,
}


class Document(NamedTuple):
    """Triples of one document, without duplicates, and its prefixes.

    Args:
        triples: in order of first appearance.
        lines: the line of each triple; None if the syntax has no lines.
        source: the file, relative to the working directory if it is below; None if the document is an object.
    """

    triples: tuple[Triple, ...]
    lines: Sequence[int] | None
    prefixes: Mapping[str, str]
    source: str | None


def read_document(source: object, format: str | None = None) -> Document:
    """Read one document or object without its imports.

    Args:
        source: a path; an `rdflib.Graph` or `Dataset`; an owlready2 ontology or world.
        format: a key of `FORMATS`; by default determined by content and suffix.

    Raises:
        MalformedInputError: the content is malformed, or compressed.
        MissingFileError: the file does not exist.
        OptionError: the source or format is not supported, or the format cannot be determined.
    """
    if isinstance(source, str | Path):
        return _read_file(Path(source), format)
    if isinstance(source, Graph):
        quads = source.quads() if isinstance(source, Dataset) else source
        triples = tuple(dict.fromkeys(check_triple(tuple(statement[:3])) for statement in quads))
        return Document(triples, None, {prefix: str(iri) for prefix, iri in source.namespaces()}, None)
    if type(source).__module__.partition(".")[0] == "owlready2":
        return Document(read_owlready(source), None, {}, None)
    raise OptionError("source", repr(source), "a path, an rdflib.Graph, or an owlready2 ontology or world")


def _read_file(path: Path, format: str | None) -> Document:
    try:
        content = in_utf_8(plain_text(path.read_bytes(), str(path)), str(path))
    except OSError as error:
        raise unreadable(path, error) from error
    name = format_of(path, content, format)
    if name in ("xml", "owl-xml"):
        refuse_entity_expansion(content, str(path))
    refuse_deep_nesting(content, name, str(path))
    base = path.resolve().as_uri()
    terms = DocumentTerms(nodes_of_document(content))
    prefixes: dict[str, str] = {}
    statements: Iterable[Triple]
    lines: Sequence[int] | None
    if name in READERS:
        read = READERS[name](content, str(path), base)
        prefixes, lines = read.prefixes, read.lines
        statements = ((terms[s], p, terms[o] if isinstance(o, BNode) else o) for s, p, o in read.triples)
    else:
        lines = lines_of_statements(content) if name in ("nt", "nquads") else None
        parsed = parse(content, FORMATS[name], str(path), base, prefixes, terms)
        statements = ((s, p, respelled(o)) for s, p, o in parsed)
    return Document(*_each_once(statements, lines), prefixes, _shown(path))


def _shown(path: Path) -> str:
    """Return a path as it is shown: relative to the working directory if it is below it."""
    with suppress(OSError, ValueError):  # the directory was removed, or the path is elsewhere
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _each_once(
    statements: Iterable[Triple], lines: Sequence[int] | None
) -> tuple[tuple[Triple, ...], Sequence[int] | None]:
    """Return the distinct triples, each with its first line."""
    if lines is None:
        return tuple(dict.fromkeys(statements)), None
    distinct: dict[Triple, None] = {}
    first = array("I")
    for triple, line in zip(statements, lines, strict=True):
        distinct[triple] = None
        if len(first) < len(distinct):
            first.append(line)
    return tuple(distinct), first


Row = tuple[int, int, int | float | str | None, int | str | None]


class _QuadStore(Protocol):
    def _iter_triples(self) -> Iterable[Row]: ...

    def _unabbreviate(self, storid: int) -> str: ...


class _Source(Protocol):
    graph: _QuadStore

    def indirectly_imported_ontologies(self) -> Iterable[_Source]: ...


def read_owlready(source: object) -> tuple[Triple, ...]:
    """Return the triples of an owlready2 ontology with its loaded imports, or of a whole world.

    owlready2's objects do not represent all axioms (keys, negative assertions, disjoint unions), so the
    triples are read from its quad store. Nothing is loaded. The store keeps numbers as Python values, so
    their lexical forms are those that Python writes.

    Raises:
        OptionError: `source` is another object of owlready2.
        MalformedInputError: the store has statements that are not RDF 1.1 triples.
    """
    import owlready2  # a heavy import, needed only for objects of owlready2

    given = cast(_Source, source)
    if isinstance(source, owlready2.World):
        stores = [given.graph]
    elif isinstance(source, owlready2.Ontology):
        stores = [given.graph, *(o.graph for o in given.indirectly_imported_ontologies() if o is not source)]
    else:
        raise OptionError(
            "source", repr(source), "an owlready2 Ontology or World, of all objects of owlready2"
        )
    return tuple(dict.fromkeys(triple for store in stores for triple in _triples(store)))


def _triples(store: _QuadStore) -> Iterator[Triple]:
    @lru_cache(None)
    def name(storid: int) -> Term:
        return BNode(f"owlready{-storid}") if storid < 0 else URIRef(store._unabbreviate(storid))

    for subject, predicate, object_, datatype in store._iter_triples():
        value = name(cast(int, object_)) if datatype is None else _literal(object_, datatype, store)
        yield name(subject), name(predicate), value


def _literal(value: int | float | str | None, datatype: int | str, store: _QuadStore) -> Literal:
    if isinstance(datatype, str) and datatype.startswith("@"):
        return Literal(str(value), lang=datatype[1:].lower())
    if datatype in (0, ""):
        return Literal(str(value), normalize=False)
    iri = URIRef(store._unabbreviate(cast(int, datatype)))
    if str(iri).endswith("#proposition"):
        raise MalformedInputError("owlready2", None, "quoted triples of RDF 1.2 are not supported")
    return Literal(_lexical(value, iri), datatype=None if iri == XSD.string else iri, normalize=False)


def _lexical(value: int | float | str | None, datatype: URIRef) -> str:
    if isinstance(value, float) and datatype == XSD.decimal:
        return format(Decimal(repr(value)), "f")
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "-INF"
    return "NaN" if value is None or value != value else str(value)  # SQLite has no NaN and stores null
