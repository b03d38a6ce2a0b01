"""Names of a triple that nobody uses, and known ones that look like them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.absence import NameKind, UnknownName
from pantarhei.language.shown import last_part
from pantarhei.language.term import Term, Triple
from pantarhei.owl.name_kinds import is_reserved

# So many known names are told, and names are compared with so many.
_MOST_TOLD = 2
_MOST_COMPARED = 20_000


@dataclass(frozen=True)
class KnownNames:
    """The names that ontology, background and stream use.

    Args:
        vocabulary: what numbers mean.
        symbols: classes and properties below this number are those of rules and background.
        names: names below this number are those of rules and background.
        asserted: the facts of the stream, shape (n, 3).
        declared: classes and properties that the ontology has.
    """

    vocabulary: Vocabulary
    symbols: int
    names: int
    asserted: Integers
    declared: Collection[Term]

    def unknown_in(self, triple: Triple) -> tuple[UnknownName, ...]:
        """The names of a triple that nobody uses. Costs a look at what the stream asserted."""
        return tuple(
            self._unknown(name, kind) for name, kind in _named(triple) if not self._knows(name, kind)
        )

    def _unknown(self, name: Term, kind: NameKind) -> UnknownName:
        if isinstance(name, BNode):
            return UnknownName(name, "blank node")
        if is_reserved(name):
            return UnknownName(name, "word of OWL")
        return UnknownName(name, kind, tuple(nearest_names(name, self._all(kind))))

    def _knows(self, name: Term, kind: NameKind) -> bool:
        find = self.vocabulary
        if kind == "name":
            number = find.find(name)
            known = number is not None and (
                number < self.names or bool((self.asserted[:, 1:] == number).any())
            )
            return known or name in self.declared
        number = find.find_class(name) if kind == "class" else find.find_property(name)
        known = number is not None and (number < self.symbols or bool((self.asserted[:, 0] == number).any()))
        return known or name in self.declared

    def _all(self, kind: NameKind) -> Iterator[Term]:
        """The known names of a kind, as many as are compared."""
        if kind == "name":
            met = np.unique(self.asserted[:, 1:])
            numbers = [*range(self.names), *met[(met >= self.names) & (met < FIRST_LITERAL)].tolist()]
            yield from map(self.vocabulary.term, numbers[:_MOST_COMPARED])
            return
        yield from self.declared
        met = np.unique(self.asserted[:, 0])
        symbols = self.vocabulary.symbols
        for number in (*range(self.symbols), *met[met >= self.symbols].tolist()):
            if symbols[number].arity == (1 if kind == "class" else 2):
                yield symbols[number].name


def _named(triple: Triple) -> Iterator[tuple[Term, NameKind]]:
    """The names of a triple with what each would be."""
    subject, predicate, object_ = triple
    yield subject, "name"
    if predicate == RDF.type:
        yield object_, "class"
    else:
        yield predicate, "property"
        if not isinstance(object_, Literal):
            yield object_, "name"


def nearest_names(name: Term, known: Iterable[Term]) -> list[Term]:
    """The known names whose last parts are most like that of a name."""
    by_part: dict[str, Term] = {}
    for each in known:
        if isinstance(each, URIRef):
            by_part.setdefault(last_part(each).casefold(), each)
    return [by_part[part] for part in get_close_matches(last_part(name).casefold(), by_part, _MOST_TOLD, 0.6)]
