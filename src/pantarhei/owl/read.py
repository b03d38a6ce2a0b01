"""Ontology documents into triples. Nothing is fetched: a document is a local file or an object.

Files go through pyoxigraph's parsers, whose literals keep their lexical form; OWL/XML through `owl_xml`.
Blank nodes are renamed after the content of their document, so that two documents share none and reading
twice gives the same names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyoxigraph
from rdflib import XSD, BNode, Dataset, Graph, Literal, URIRef

from pantarhei.errors import InputError, MalformedInputError, OptionError
from pantarhei.language.term import Term, Triple, check_triple
from pantarhei.owl.owl_xml import is_owl_xml, read_owl_xml
from pantarhei.owl.xml_guard import refuse_entity_expansion

FORMATS = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "xml": pyoxigraph.RdfFormat.RDF_XML,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "json-ld": pyoxigraph.RdfFormat.JSON_LD,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "nquads": pyoxigraph.RdfFormat.N_QUADS,
    "owl-xml": None,
}
SUFFIXES = {
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
}


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there, or cannot be opened."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path} cannot be read: {self.reason}"


def read_graph(source: object, format: str | None = None) -> tuple[Triple, ...]:
    """The triples of one document or object, without its imports, each once, in the order read.

    Args:
        source: a path; an `rdflib.Graph` or `Dataset`; an owlready2 ontology or world.
        format: one of `FORMATS`; by default the file's suffix and first bytes tell.

    Raises:
        MalformedInputError: the text is not the format it claims to be.
        MissingFileError: there is no such file.
        OptionError: the source or format is of no known kind.
    """
    if isinstance(source, str | Path):
        return tuple(dict.fromkeys(_read_file(Path(source), format)))
    if isinstance(source, Dataset):
        return tuple(dict.fromkeys(check_triple((s, p, o)) for s, p, o, _ in source.quads()))
    if isinstance(source, Graph):
        return tuple(dict.fromkeys(map(check_triple, source)))
    if type(source).__module__.partition(".")[0] == "owlready2":
        from pantarhei.owl.owlready import read_owlready

        return read_owlready(source)
    raise OptionError("source", repr(source), "a path, an rdflib.Graph, or an owlready2 ontology or world")


def _read_file(path: Path, format: str | None) -> Iterable[Triple]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MissingFileError(str(path), error.strerror or str(error)) from error
    name = _format_of(path, content, format)
    if name in ("xml", "owl-xml"):
        refuse_entity_expansion(content, str(path))
    scope = hashlib.sha256(content).hexdigest()[:12]
    base = path.resolve().as_uri()
    if name == "owl-xml":
        return renamed(read_owl_xml(content, str(path), base), scope)
    return renamed(_parse(content, FORMATS[name], str(path), base), scope)


def _format_of(path: Path, content: bytes, format: str | None) -> str:
    if format is not None and format not in FORMATS:
        raise OptionError("format", repr(format), "one of " + ", ".join(FORMATS))
    name = format or SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise OptionError("format", f"None for {path.name}", "one of " + ", ".join(FORMATS))
    if name == "xml" and format is None and is_owl_xml(content):
        return "owl-xml"
    return name


def _parse(content: bytes, format: pyoxigraph.RdfFormat | None, source: str, base: str) -> Iterator[Triple]:
    try:
        for quad in pyoxigraph.parse(content, format, base_iri=base):
            yield (_term(quad.subject), _term(quad.predicate), _term(quad.object))
    except SyntaxError as error:
        raise MalformedInputError(source, error.lineno, error.msg) from error
    except (ValueError, OSError) as error:
        raise MalformedInputError(source, None, str(error)) from error


def _term(term: object) -> Term:
    """An rdflib term with the same lexical form; `xsd:string` is the plain literal of rdflib."""
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BNode(term.value)
    if isinstance(term, pyoxigraph.Literal):
        if term.language is not None:
            return Literal(term.value, lang=term.language)
        datatype = URIRef(term.datatype.value)
        return Literal(term.value, datatype=None if datatype == XSD.string else datatype, normalize=False)
    raise ValueError(f"{term} is no RDF 1.1 term")


def renamed(triples: Iterable[Triple], scope: str) -> Iterator[Triple]:
    """The triples with blank nodes numbered in order of appearance within `scope`."""
    names: dict[BNode, BNode] = {}

    def rename(term: Term) -> Term:
        if isinstance(term, BNode):
            return names.setdefault(term, BNode(f"b{scope}n{len(names)}"))
        return term

    for subject, predicate, object_ in triples:
        yield rename(subject), predicate, rename(object_)
