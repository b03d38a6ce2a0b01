"""Separation of axioms and facts in a background: a model of a site may define classes.

An axiom is identified by a triple with a predicate in `AXIOM_PREDICATES` or a class in `AXIOM_TYPES`.
Declarations, the ontology's header, and the lists and facets of axioms belong to the axioms; all other
triples are facts. `owl:sameAs` and `owl:differentFrom` are facts, since their consequences depend on the
unique name assumption.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

import numpy as np
from rdflib import OWL, RDFS, XSD, BNode, URIRef

from pantarhei.model.term import RDF_TYPE, Term, Triple
from pantarhei.owl.axiom import SWRL
from pantarhei.owl.axiom_mapping import MAIN_PREDICATES, MAIN_TYPES
from pantarhei.owl.document import Document
from pantarhei.owl.expression_mapping import EXPRESSION_PREDICATES
from pantarhei.owl.name_kinds import DECLARED_TYPES, LIST_PREDICATES
from pantarhei.rdf.triple_table import columns_of

if TYPE_CHECKING:
    import pyarrow as pa

_FACTS: Final[frozenset[Term]] = frozenset(
    {OWL.sameAs, OWL.differentFrom, OWL.Thing, OWL.Nothing, OWL.NamedIndividual, RDFS.Resource}
)
AXIOM_PREDICATES: Final[frozenset[Term]] = (
    (MAIN_PREDICATES | EXPRESSION_PREDICATES) - LIST_PREDICATES - _FACTS
)
AXIOM_TYPES: Final[frozenset[Term]] = MAIN_TYPES - _FACTS
_DECLARED: Final = DECLARED_TYPES - _FACTS
_FACETS: Final = str(XSD)
_VOCABULARIES: Final = (str(OWL), str(SWRL))


def has_axioms(triples: Iterable[Triple]) -> bool:
    """True if a triple belongs to an axiom. Items that are not triples are ignored. The cost is one test for
    each triple.
    """
    try:
        return any(p in AXIOM_PREDICATES or (o in AXIOM_TYPES and p == RDF_TYPE) for _, p, o in triples)
    except (TypeError, ValueError):
        return False


def table_has_axioms(table: pa.Table) -> bool:
    """True if an Arrow table of N-Triples terms has axioms. The cost is one test for each distinct property
    and class.

    Raises:
        InvalidTripleError: the table is invalid for `columns_of`.
    """
    columns = columns_of(table)
    codes, properties = columns.predicate.occurring()
    names = [text.strip("<>") for text in properties.tolist()]
    if any(URIRef(name) in AXIOM_PREDICATES for name in names):
        return True
    is_type = np.array([name == str(RDF_TYPE) for name in names], np.bool_)
    if not is_type.any():
        return False
    classes = columns.object.occurring(is_type[codes]).distinct.tolist()
    return any(URIRef(text.strip("<>")) in AXIOM_TYPES for text in classes)


def axioms_of(document: Document) -> Document | None:
    """Return the part of a document that consists of its axioms; None if it has no axioms."""
    if not has_axioms(document.triples):
        return None
    expressions = {s for s, p, _ in document.triples if p in EXPRESSION_PREDICATES and isinstance(s, BNode)}
    indexes = [
        index
        for index, triple in enumerate(document.triples)
        if _is_schema(triple) or (triple[2] in expressions and triple[1] == RDF_TYPE)
    ]
    parts = _parts_of_lists(document.triples)
    waiting = [term for index in indexes for term in document.triples[index] if term in parts]
    while waiting:  # lists reachable only from facts are facts
        found = parts.pop(waiting.pop(), [])
        indexes += found
        waiting += (document.triples[index][2] for index in found)
    indexes.sort()
    lines = None if document.lines is None else array("I", (document.lines[index] for index in indexes))
    return document._replace(triples=tuple(document.triples[index] for index in indexes), lines=lines)


def lists_of_facts(triples: Iterable[Triple], of_axioms: Collection[Triple]) -> set[Triple]:
    """Return the triples of lists that are referred to by axioms and by facts. They belong to the facts too.

    Args:
        triples: all triples of the documents.
        of_axioms: those of them that belong to axioms.
    """
    cells: dict[Term, list[Triple]] = {}
    for triple in of_axioms:
        if triple[1] in LIST_PREDICATES:
            cells.setdefault(triple[0], []).append(triple)
    facts = set(triples).difference(of_axioms) if cells else ()
    waiting = [term for subject, _, object_ in facts for term in (subject, object_) if term in cells]
    found = set[Triple]()
    while waiting:
        written = cells.pop(waiting.pop(), [])
        found.update(written)
        waiting += (object_ for _, _, object_ in written)
    return found


def _parts_of_lists(triples: Iterable[Triple]) -> dict[Term, list[int]]:
    """Map each blank node to the indexes of its triples that write a list or a facet."""
    parts: dict[Term, list[int]] = {}
    for index, (subject, predicate, _) in enumerate(triples):
        if isinstance(subject, BNode) and (predicate in LIST_PREDICATES or predicate.startswith(_FACETS)):
            parts.setdefault(subject, []).append(index)
    return parts


def _is_schema(triple: Triple) -> bool:
    """True if a triple belongs to an axiom, a declaration or an ontology header."""
    _, predicate, object_ = triple
    if predicate in AXIOM_PREDICATES:
        return True
    if predicate == RDF_TYPE:
        return object_ not in _FACTS and (object_ in _DECLARED or _is_in_vocabulary(object_))
    return predicate not in _FACTS and _is_in_vocabulary(predicate)


def _is_in_vocabulary(term: Term) -> bool:
    return isinstance(term, URIRef) and str(term).startswith(_VOCABULARIES)
