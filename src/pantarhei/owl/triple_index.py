"""Triples by subject and by predicate: what the mapping from RDF looks things up in.

Order is made here, once: triples are kept sorted, so that what is read does not depend on the order of the
input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rdflib import BNode, Literal, URIRef

from pantarhei.language.term import Term, Triple


def term_key(term: Term) -> tuple[int, str, str, str]:
    """A key that sorts all terms: IRIs, then blank nodes, then literals."""
    if isinstance(term, Literal):
        return 2, str(term), str(term.datatype or ""), term.language or ""
    return (1 if isinstance(term, BNode) else 0), str(term), "", ""


def triple_key(triple: Triple) -> tuple[tuple[int, str, str, str], ...]:
    """A key that sorts all triples."""
    return tuple(map(term_key, triple))


class TripleIndex:
    """The triples of a graph, by subject and predicate and by predicate.

    Building costs a sort; each look-up is one step per result.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples: tuple[Triple, ...] = tuple(sorted(set(triples), key=triple_key))
        self._by_subject: dict[Term, dict[Term, list[Term]]] = {}
        self._by_predicate: dict[Term, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            subject, predicate, object_ = triple
            self._by_subject.setdefault(subject, {}).setdefault(predicate, []).append(object_)
            self._by_predicate[predicate].append(triple)

    def objects(self, subject: Term, predicate: URIRef) -> list[Term]:
        """The objects of the triples with this subject and predicate, sorted."""
        return self._by_subject.get(subject, {}).get(predicate, [])

    def predicates(self, subject: Term) -> Iterable[Term]:
        """The predicates of the triples with this subject."""
        return self._by_subject.get(subject, {}).keys()

    def about(self, subject: Term) -> Iterator[Triple]:
        """The triples with this subject."""
        for predicate, objects in self._by_subject.get(subject, {}).items():
            for object_ in objects:
                yield subject, predicate, object_

    def with_predicate(self, predicate: URIRef) -> list[Triple]:
        """The triples with this predicate, sorted."""
        return self._by_predicate.get(predicate, [])

    def reachable(self, nodes: Iterable[Term]) -> Iterator[Triple]:
        """The triples about the blank nodes among `nodes`, and about those they lead to."""
        waiting = [node for node in nodes if isinstance(node, BNode)]
        seen = set(waiting)
        while waiting:
            for triple in self.about(waiting.pop()):
                yield triple
                if isinstance(triple[2], BNode) and triple[2] not in seen:
                    seen.add(triple[2])
                    waiting.append(triple[2])
