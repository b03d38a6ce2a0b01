"""Ontology documents into triples. Nothing is fetched: a document is a local file or an object.

Files go through pyoxigraph's parsers, whose literals keep their lexical form; OWL/XML through `owl_xml`.
Blank nodes are renamed after the content of their document, so that two documents share none and reading
twice gives the same names.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rdflib import BNode, Dataset, Graph

from pantarhei.errors import OptionError
from pantarhei.model.term import Triple, check_triple, respelled
from pantarhei.owl.document_format import FORMATS, format_of
from pantarhei.owl.functional_syntax import read_functional_syntax
from pantarhei.owl.manchester_syntax import read_manchester_syntax
from pantarhei.owl.owl_xml import read_owl_xml
from pantarhei.rdf.blank_nodes import nodes_of_document
from pantarhei.rdf.encoding import in_utf_8
from pantarhei.rdf.first_bytes import plain_text, unreadable
from pantarhei.rdf.nesting_guard import refuse_deep_nesting
from pantarhei.rdf.parse import DocumentTerms, parse
from pantarhei.rdf.statements import lines_of_statements
from pantarhei.rdf.xml_guard import refuse_entity_expansion

# The syntaxes of OWL itself; the others are of RDF.
READERS = {
    "owl-xml": read_owl_xml,
    "functional": read_functional_syntax,
    "manchester": read_manchester_syntax,
}


class Document(NamedTuple):
    """What one document says, each triple once, and the prefixes it declares.

    Args:
        triples: in the order in which they are said first.
        lines: the line of each triple; None if its syntax has none.
        source: the file; None for an object.
    """

    triples: tuple[Triple, ...]
    lines: Sequence[int] | None
    prefixes: Mapping[str, str]
    source: str | None


def read_graph(source: object, format: str | None = None) -> tuple[Triple, ...]:
    """The triples of one document or object, as `read_document`."""
    return read_document(source, format).triples


def read_document(source: object, format: str | None = None) -> Document:
    """One document or object, without its imports.

    Args:
        source: a path; an `rdflib.Graph` or `Dataset`; an owlready2 ontology or world.
        format: one of `FORMATS`; by default the file's first words and its suffix tell.

    Raises:
        MalformedInputError: the text is not the format it claims to be, or compressed.
        MissingFileError: there is no such file.
        OptionError: the source or format is of no known kind, or nothing tells the format.
    """
    if isinstance(source, str | Path):
        return _read_file(Path(source), format)
    if isinstance(source, Graph):
        quads = source.quads() if isinstance(source, Dataset) else source
        triples = tuple(dict.fromkeys(check_triple(tuple(statement[:3])) for statement in quads))
        return Document(triples, None, {prefix: str(iri) for prefix, iri in source.namespaces()}, None)
    if type(source).__module__.partition(".")[0] == "owlready2":
        from pantarhei.owl.owlready import read_owlready

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
    said: Iterable[Triple]
    lines: Sequence[int] | None
    if name in READERS:
        read = READERS[name](content, str(path), base)
        prefixes, lines = read.prefixes, read.lines
        said = ((terms[s], p, terms[o] if isinstance(o, BNode) else o) for s, p, o in read.triples)
    else:
        lines = lines_of_statements(content) if name in ("nt", "nquads") else None
        parsed = parse(content, FORMATS[name], str(path), base, prefixes, terms)
        said = ((s, p, respelled(o)) for s, p, o in parsed)
    return Document(*_each_once(said, lines), prefixes, str(path))


def _each_once(
    said: Iterable[Triple], lines: Sequence[int] | None
) -> tuple[tuple[Triple, ...], Sequence[int] | None]:
    """What is said, each triple once, with its first line."""
    if lines is None:
        return tuple(dict.fromkeys(said)), None
    distinct: dict[Triple, None] = {}
    first = array("I")
    for triple, line in zip(said, lines, strict=True):
        distinct[triple] = None
        if len(first) < len(distinct):
            first.append(line)
    return tuple(distinct), first
