"""Structural equality of what blank nodes write: class expressions, data ranges and lists.

Two blank nodes are alike if both write the same constructor, with parts that are equal or alike. The order of
operands does not matter, the order of property chains and of lists that are data does. Types, such as
`a owl:Restriction`, do not matter. Symmetric axioms, such as disjointness, are alike with sides swapped.
An individual without a name is alike to itself alone.

Source: OWL 2 structural specification, section 2.1.
"""

from __future__ import annotations

from collections.abc import Hashable

from rdflib import OWL, RDF, XSD, BNode, URIRef

from pantarhei.model.term import Term
from pantarhei.owl.expression_mapping import EXPRESSION_PREDICATES
from pantarhei.owl.triple_index import TripleIndex

_DEEPEST = 200
_WRITING = frozenset({*EXPRESSION_PREDICATES, OWL.onDatatype, OWL.inverseOf, URIRef(f"{RDF}langRange")})
_OF_SETS: frozenset[Term] = frozenset(
    {
        OWL.intersectionOf,
        OWL.unionOf,
        OWL.oneOf,
        OWL.withRestrictions,
        OWL.disjointUnionOf,
        OWL.hasKey,
        OWL.members,
        OWL.distinctMembers,
    }
)
_SYMMETRIC: frozenset[Term] = frozenset(
    {
        OWL.equivalentClass,
        OWL.disjointWith,
        OWL.equivalentProperty,
        OWL.propertyDisjointWith,
        OWL.inverseOf,
        OWL.sameAs,
        OWL.differentFrom,
    }
)


class Structures:
    """Structures of the terms of one graph. A key costs its triples, once."""

    def __init__(self, index: TripleIndex) -> None:
        self._index = index
        self._keys: dict[tuple[Term, bool], Hashable] = {}
        self._axioms: dict[Term, frozenset[tuple[Hashable, Hashable]]] = {}

    def has_alike(self, subject: Term, predicate: URIRef, object: Term) -> bool:
        """Test whether the graph has a triple whose subject and object are alike to these."""
        if object in self._index.objects(subject, predicate):
            return True
        is_symmetric = predicate in _SYMMETRIC
        if not (is_symmetric or isinstance(subject, BNode) or isinstance(object, BNode)):
            return False
        found = self._axioms.get(predicate)
        if found is None:
            triples = self._index.with_predicate(predicate)
            found = self._axioms[predicate] = frozenset(
                (self.key(s, predicate), self.key(o, predicate)) for s, _, o in triples
            )
        sides = self.key(subject, predicate), self.key(object, predicate)
        return sides in found or (is_symmetric and sides[::-1] in found)

    def key(self, term: Term, role: Term, depth: int = 0) -> Hashable:
        """Return a value that is equal for alike terms, and different for others.

        Args:
            role: the property whose object the term is; it says whether the order of a list matters.
        """
        if not isinstance(term, BNode) or depth > _DEEPEST:
            return term
        place = term, role in _OF_SETS
        found = self._keys.get(place)
        if found is None:
            self._keys[place] = term  # inside itself a node is alike to itself alone
            members = self._members(term)
            if members is None:
                about = ((p, self.key(o, p, depth + 1)) for _, p, o in self._index.about(term) if writes(p))
                found = frozenset(about) or term
            else:
                keys = [self.key(member, RDF.first, depth + 1) for member in members]
                found = frozenset(keys) if role in _OF_SETS else tuple(keys)
            self._keys[place] = found
        return found

    def _members(self, node: Term) -> list[Term] | None:
        """Return the members of a list; None unless the node is a well-formed list."""
        members, seen = list[Term](), set[Term]()
        while node != RDF.nil:
            first, rest = self._index.objects(node, RDF.first), self._index.objects(node, RDF.rest)
            if len(first) != 1 or len(rest) != 1 or node in seen:
                return None
            seen.add(node)
            members.append(first[0])
            node = rest[0]
        return members


def writes(predicate: Term) -> bool:
    """Test whether a property writes a part of an expression, facets included."""
    return predicate in _WRITING or (isinstance(predicate, URIRef) and predicate.startswith(str(XSD)))
