"""Graph that is matched by value, and its paths.

A triple matches a pattern if the values at each position are equal; results have the terms of the triple.
`p*`, `p+` and `p?` are sets of pairs of values: an end that is reached in several lexical forms has the form
with the least N-Triples text. All other paths are bags.

Source: SPARQL 1.1, section 18.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping

from rdflib import URIRef

from oracle.answers import algebra
from oracle.answers.algebra import Path
from oracle.answers.terms import ntriples, plain, value
from pantarhei.model.term import Term, Triple

Pair = tuple[Term, Term]


class Graph:
    """Set of distinct triples.

    Args:
        times: the timestamps of triples that have one.
    """

    def __init__(self, triples: Iterable[Triple], times: Mapping[Triple, Term] | None = None) -> None:
        self._times = {tuple(map(value, triple)): at for triple, at in (times or {}).items()}
        self.triples = tuple(dict.fromkeys((plain(s), p, plain(o)) for s, p, o in triples))
        self._by_predicate: dict[Term, list[Triple]] = defaultdict(list)
        for triple in self.triples:
            self._by_predicate[triple[1]].append(triple)
        self.nodes = _least_forms(term for s, _, o in self.triples for term in (s, o))

    def time_of(self, triple: tuple[Term, Term, Term]) -> Term | None:
        """Return the timestamp of a triple, or None."""
        return self._times.get(tuple(map(value, triple)))

    def pairs(self, path: Path, start: Term | None, end: Term | None) -> Iterator[Pair]:
        """Yield the pairs that a path connects, once for each way; an end that is None is a variable."""
        for first, last in self._pairs(path, start, end):
            if _is(start, first) and _is(end, last):
                yield first, last

    def _pairs(self, path: Path, start: Term | None, end: Term | None) -> Iterable[Pair]:
        """Yield a superset of `pairs`; ends can differ from the given ones."""
        match path:
            case URIRef():
                return ((s, o) for s, _, o in self._by_predicate.get(path, ()))
            case algebra.Negated(predicates):
                return ((s, o) for s, p, o in self.triples if p not in predicates)
            case algebra.Inverse(inner):
                return ((s, o) for o, s in self.pairs(inner, end, start))
            case algebra.Alternative(first, second):
                return [*self.pairs(first, start, end), *self.pairs(second, start, end)]
            case algebra.Sequence(first, second):
                return self._composed(self.pairs(first, start, None), self.pairs(second, None, end))
            case algebra.Repeated():
                return self._repeated(path, start, end)

    def _composed(self, firsts: Iterable[Pair], seconds: Iterable[Pair]) -> Iterator[Pair]:
        following = defaultdict(list)
        for middle, end in seconds:
            following[value(middle)].append(end)
        for start, middle in firsts:
            for end in following.get(value(middle), ()):
                yield start, end

    def _repeated(self, path: algebra.Repeated, start: Term | None, end: Term | None) -> Iterator[Pair]:
        """ALP of section 18.4, from the given end, or from each node."""
        if start is None and end is not None:
            inverse = algebra.Repeated(algebra.Inverse(path.path), path.is_zero_allowed, path.is_many_allowed)
            yield from ((first, last) for last, first in self._repeated(inverse, end, None))
            return
        for node in self.nodes.values() if start is None else (start,):
            for reached in self._reached(path, node).values():
                yield node, reached

    def _reached(self, path: algebra.Repeated, node: Term) -> dict[Hashable, Term]:
        """Return the ends of a path from a node, by value."""
        found = [node] if path.is_zero_allowed else []
        seen: set[Hashable] = set()
        pending = [node]
        while pending:
            at = pending.pop()
            if value(at) not in seen:
                seen.add(value(at))
                steps = [end for _, end in self.pairs(path.path, at, None)]
                found += steps
                pending += steps if path.is_many_allowed else []
        return _least_forms(found)


def _is(given: Term | None, term: Term) -> bool:
    return given is None or value(given) == value(term)


def _least_forms(terms: Iterable[Term]) -> dict[Hashable, Term]:
    """Return for each value the term with the least text."""
    least: dict[Hashable, Term] = {}
    for term in terms:
        least[value(term)] = min(least.get(value(term), term), term, key=ntriples)
    return least


def merge(graphs: Iterable[Graph]) -> Graph:
    """Return the union of several graphs; of triples with equal values the first is kept."""
    found: dict[Hashable, Triple] = {}
    for graph in graphs:
        for triple in graph.triples:
            found.setdefault(tuple(map(value, triple)), triple)
    return Graph(found.values())
