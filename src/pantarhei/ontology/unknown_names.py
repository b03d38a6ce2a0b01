"""Unknown names in a triple or an axiom, with similar known names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal as OneOf

import numpy as np
from rdflib import OWL, RDF, RDFS, BNode, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.labels import NO_LABELS, Labels
from pantarhei.model.message_text import NO_NAMES, disambiguate, last_part, one_line
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Origin
from pantarhei.model.term import Term, Triple, short
from pantarhei.owl.axiom import Axiom, Class, DataRange, Property, parts
from pantarhei.owl.manchester import manchester_syntax, origin_text
from pantarhei.owl.name_kinds import is_defined, is_reserved
from pantarhei.rdf.ntriples import write_term

NameKind = OneOf["class", "property", "name", "blank node", "word of OWL"]

# Largest number of suggested names, and of known names that are compared with an unknown one.
_MOST_SUGGESTED = 2
_MOST_COMPARED = 20_000

# Largest number of lost axioms shown, and of characters of each.
_MOST_AXIOMS = 3
_LONGEST_AXIOM = 200

# Parts of an axiom whose own parts are not searched for names.
_NAMED = Class | Property | DataRange


@dataclass(frozen=True, slots=True)
class UnknownName:
    """Name that is not used by ontology, background or stream.

    Args:
        name: the name.
        kind: the kind of name expected at its position in the triple; "word of OWL" for a term of the OWL,
            RDF or RDFS vocabulary.
        nearest: similar known names of that kind, most similar first.
        lost_in: the axioms in which the name occurs, all of which are lost.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [(EX.x, RDF.type, EX.GasPedalPressed)])
    >>> unknown = reasoner.why_not((EX.x, RDF.type, EX.Slowin)).unknown[0]
    >>> unknown.kind, unknown.nearest == (EX.Slowing,)
    ('class', True)
    """

    name: Term
    kind: NameKind
    nearest: tuple[Term, ...] = ()
    lost_in: tuple[Origin, ...] = ()

    __repr__ = short_repr
    _repr_html_ = html_of

    def __str__(self) -> str:
        """Return the name with suggestions.

        >>> str(UnknownName(URIRef("urn:x#Identifyer"), "class", (URIRef("urn:x#Identifier"),)))
        'Unknown class Identifyer; did you mean Identifier?'
        """
        if self.kind == "word of OWL":
            return f"{short(self.name)} is a term of OWL: ontology.explain proves entailed axioms"
        if self.lost_in:
            return disambiguate(self.occurrences, self.lost_in[0].names or NO_NAMES)
        return disambiguate(self._shown)

    def occurrences(self, labels: Labels = NO_LABELS) -> str:
        """Return the lost axioms with the name as a sentence without a full stop."""
        shown = [one_line(origin_text(each, labels), _LONGEST_AXIOM) for each in self.lost_in[:_MOST_AXIOMS]]
        if (more := len(self.lost_in) - _MOST_AXIOMS) > 0:
            shown.append(f"and {more:,} more")
        axioms = "an axiom that is lost" if len(self.lost_in) == 1 else "axioms that are lost"
        name = manchester_syntax(self.name, labels)
        return f"The {self.kind} {name} occurs only in {axioms}: {'; '.join(shown)}"

    def to_json(self) -> dict[str, object]:
        """Return kind, name, suggestions and lost axioms as a dictionary for `json.dumps`."""
        nearest = list(map(write_term, self.nearest))
        lost = {"lost_in": [each.axiom for each in self.lost_in]} if self.lost_in else {}
        return {"kind": self.kind, "name": write_term(self.name), "nearest": nearest, **lost}

    def _shown(self) -> str:
        nearest = " or ".join(map(short, self.nearest))
        return f"Unknown {self.kind} {short(self.name)}" + (f"; did you mean {nearest}?" if nearest else "")


@dataclass(frozen=True)
class KnownNames:
    """Names used by ontology, background and stream.

    Args:
        vocabulary: the vocabulary that numbers terms.
        symbols: classes and properties with numbers below this one occur in rules or background.
        names: names with numbers below this one occur in rules or background.
        asserted: the facts of the stream, shape (n, 3).
        declared: the classes and properties of the ontology.
        losses: the lost axioms of the ontology.
    """

    vocabulary: Vocabulary
    symbols: int
    names: int
    asserted: Integers
    declared: Collection[Term]
    losses: Sequence[Origin] = ()

    def unknown_in(self, triple: Triple) -> tuple[UnknownName, ...]:
        """Return the unknown names in a triple. The cost is linear in the number of facts of the stream."""
        return tuple(
            self._unknown(name, kind) for name, kind in _names_in(triple) if not self._knows(name, kind)
        )

    def _unknown(self, name: Term, kind: NameKind) -> UnknownName:
        if isinstance(name, BNode):
            return UnknownName(name, "blank node")
        if is_reserved(name) and is_defined(name):
            return UnknownName(name, "word of OWL")
        return unknown_name(name, kind, self._all(kind), self.losses)

    def _knows(self, name: Term, kind: NameKind) -> bool:
        if name in self.declared:
            return True
        vocabulary, asserted = self.vocabulary, self.asserted
        if kind == "name":
            return _is_used(vocabulary.find(name), self.names, asserted[:, 1:])
        if kind == "property":
            return _is_used(vocabulary.find_property(name), self.symbols, asserted[:, 0])
        if vocabulary.has_class_variables:
            return _is_used(vocabulary.find(name), self.names, asserted[:, 2])
        return _is_used(vocabulary.find_class(name), self.symbols, asserted[:, 0])

    def _all(self, kind: NameKind) -> Iterator[Term]:
        """Yield the known names of a kind, at most `_MOST_COMPARED` of most kinds."""
        if kind == "name":
            met = np.unique(self.asserted[:, 1:])
            numbers = [*range(self.names), *met[(met >= self.names) & (met < FIRST_LITERAL)].tolist()]
            yield from map(self.vocabulary.term, numbers[:_MOST_COMPARED])
            return
        yield from self.declared
        symbols = self.vocabulary.symbols
        if kind == "class" and self.vocabulary.has_class_variables:
            of_type = self.asserted[:, 0] == self.vocabulary.find_property(RDF.type)
            classes = np.unique(self.asserted[of_type, 2]).tolist()
            yield from map(self.vocabulary.term, classes[:_MOST_COMPARED])
            return
        met = np.unique(self.asserted[:, 0])
        for number in (*range(self.symbols), *met[met >= self.symbols].tolist()):
            if symbols[number].arity == (1 if kind == "class" else 2):
                yield symbols[number].name


def unknown_name(name: Term, kind: NameKind, known: Iterable[Term], losses: Iterable[Origin]) -> UnknownName:
    """Return a name with the lost axioms in which it occurs, or without any with similar known names."""
    lost_in = tuple(each for each in losses if any(part == name for part in parts(each.stated)))
    return UnknownName(name, kind, () if lost_in else tuple(similar_names(name, known)), lost_in)


def _is_used(number: int | None, given: int, asserted: Integers) -> bool:
    """True if a number is below `given`, or occurs in asserted facts."""
    return number is not None and (number < given or bool((asserted == number).any()))


def unknown_names_in_axioms(
    axioms: Iterable[Axiom], assertions: Iterable[Triple], known: Mapping[NameKind, Collection[Term]]
) -> tuple[UnknownName, ...]:
    """Return the unknown names in axioms and assertions, without duplicates.

    Args:
        known: the known classes, properties, and as "name" all known names.
    """
    found: dict[Term, NameKind] = {}
    for axiom in axioms:
        for part in parts(axiom, _NAMED):
            if isinstance(part, Class | Property):
                found.setdefault(part.iri, "class" if isinstance(part, Class) else "property")
            elif isinstance(part, URIRef):
                found.setdefault(part, "name")
    for triple in assertions:
        for name, kind in _names_in(triple):
            found.setdefault(name, kind)
    everything = known["name"]
    return tuple(
        UnknownName(name, kind, tuple(similar_names(name, known[kind]) or similar_names(name, everything)))
        for name, kind in found.items()
        if isinstance(name, URIRef) and name not in everything and not is_defined(name)
    )


def _names_in(triple: Triple) -> Iterator[tuple[Term, NameKind]]:
    """Yield the names in a triple with their kinds."""
    subject, predicate, object_ = triple
    yield subject, "name"
    if predicate == RDF.type:
        yield object_, "class"
    else:
        yield predicate, "property"
        if not isinstance(object_, Literal):
            yield object_, "name"


def similar_names(name: Term, known: Iterable[Term]) -> list[Term]:
    """Return the known names whose last parts are most similar to the last part of `name`."""
    by_part: dict[str, Term] = {}
    for each in (*known, *(_words() if is_reserved(name) else ())):
        if isinstance(each, URIRef):
            by_part.setdefault(last_part(each).casefold(), each)
    return [
        by_part[part] for part in get_close_matches(last_part(name).casefold(), by_part, _MOST_SUGGESTED, 0.6)
    ]


def _words() -> Iterator[Term]:
    """Yield the terms of OWL, RDF and RDFS."""
    for namespace in (OWL, RDF, RDFS):
        yield from (namespace[word] for word in sorted(namespace.__annotations__) if word.isidentifier())
