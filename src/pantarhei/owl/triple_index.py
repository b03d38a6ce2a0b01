"""Triples by subject and by predicate: what the mapping from RDF looks things up in.

Order is made here, once: triples are kept sorted, so that what is read does not depend on the order of the
input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter

from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.model.term import Term, Triple


def term_key(term: Term) -> tuple[int, str, str, str]:
    """A key that sorts all terms: IRIs, then blank nodes, then literals."""
    if isinstance(term, Literal):
        return 2, str(term), str(term.datatype or ""), term.language or ""
    return (1 if isinstance(term, BNode) else 0), str(term), "", ""


def triple_key(triple: Triple) -> tuple[tuple[int, str, str, str], ...]:
    """A key that sorts all triples."""
    return tuple(map(term_key, triple))


class TripleIndex:
    """The triples of a graph, by subject and predicate, by predicate, and by class.

    Building costs a sort of the distinct terms, and one of the triples; each look-up is one step per result.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        given = list(triples)
        self.terms: tuple[Term, ...] = tuple(sorted(dict.fromkeys(chain.from_iterable(given)), key=term_key))
        self.triples: tuple[Triple, ...] = tuple(_in_order(given, self.terms))
        self._by_subject: dict[Term, dict[Term, list[Term]]] = {}
        self._by_predicate: dict[Term, list[Triple]] = defaultdict(list)
        self._instances: dict[Term, list[Term]] = defaultdict(list)
        for subject, of_subject in groupby(self.triples, itemgetter(0)):
            by_predicate: dict[Term, list[Term]] = {}
            for predicate, found in groupby(of_subject, itemgetter(1)):
                alike = list(found)
                by_predicate[predicate] = [object_ for _, _, object_ in alike]
                self._by_predicate[predicate] += alike
            self._by_subject[subject] = by_predicate
        for subject, _, class_ in self._by_predicate.get(RDF.type, ()):
            self._instances[class_].append(subject)

    def objects(self, subject: Term, predicate: URIRef) -> list[Term]:
        """The objects of the triples with this subject and predicate, sorted."""
        return self._by_subject.get(subject, {}).get(predicate, [])

    def predicates(self) -> Iterable[Term]:
        """The predicates of all triples."""
        return self._by_predicate.keys()

    def about(self, subject: Term) -> Iterator[Triple]:
        """The triples with this subject."""
        for predicate, objects in self._by_subject.get(subject, {}).items():
            for object_ in objects:
                yield subject, predicate, object_

    def with_predicate(self, predicate: Term) -> list[Triple]:
        """The triples with this predicate, sorted."""
        return self._by_predicate.get(predicate, [])

    def instances(self, class_: Term) -> list[Term]:
        """The subjects of the triples that give this class as a type, sorted."""
        return self._instances.get(class_, [])

    def reachable(self, nodes: Iterable[Term]) -> Iterator[Triple]:
        """The triples about the blank nodes among `nodes`, and about those they lead to, each node once."""
        waiting = list(dict.fromkeys(node for node in nodes if isinstance(node, BNode)))
        seen = set(waiting)
        for node in waiting:
            for triple in self.about(node):
                yield triple
                if isinstance(triple[2], BNode) and triple[2] not in seen:
                    seen.add(triple[2])
                    waiting.append(triple[2])


def _in_order(triples: Sequence[Triple], terms: Iterable[Term]) -> list[Triple]:
    """`triples`, each once, in the order of their `terms`. Numbers of the terms are sorted in their stead."""
    number = {term: i for i, term in enumerate(terms)}
    count = len(number)
    by_place = {
        (number[triple[0]] * count + number[triple[1]]) * count + number[triple[2]]: triple
        for triple in reversed(triples)  # of equal ones the first stays
    }
    return [by_place[place] for place in sorted(by_place)]
