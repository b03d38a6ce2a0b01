"""Triples of an owlready2 ontology or world that the caller has; owlready2 itself loads nothing here.

Its objects hide axioms (keys, negative assertions, disjoint unions), so the triples in its quad store are
read. The store keeps numbers as numbers: a literal's lexical form is the one that Python gives the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Protocol, cast

from rdflib import XSD, BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.model.term import Term, Triple

Row = tuple[int, int, int | float | str | None, int | str | None]


class _QuadStore(Protocol):
    def _iter_triples(self) -> Iterable[Row]: ...

    def _unabbreviate(self, storid: int) -> str: ...


class _Source(Protocol):
    graph: _QuadStore

    def indirectly_imported_ontologies(self) -> Iterable[_Source]: ...


def read_owlready(source: object) -> tuple[Triple, ...]:
    """The triples of an owlready2 ontology with the imports it has loaded, or of a whole world.

    Raises:
        OptionError: `source` is another object of owlready2.
        MalformedInputError: the store holds what is no RDF 1.1 triple.
    """
    import owlready2  # heavy; only who uses owlready2 has an object of it

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
    return "NaN" if value is None or value != value else str(value)  # SQLite has no NaN, and keeps null
