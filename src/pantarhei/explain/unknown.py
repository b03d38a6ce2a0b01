"""Names of a triple that nobody uses, and known ones that look like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.absence import UnknownName
from pantarhei.language.shown import last_part
from pantarhei.language.term import Term, Triple

# So many known names are told, and names are compared with so many.
_MOST_TOLD = 2
_MOST_COMPARED = 20_000


def unknown_names(triple: Triple, vocabulary: Vocabulary, names: Iterable[Term]) -> tuple[UnknownName, ...]:
    """The names of a triple that nobody uses. Costs a look at the known ones where there are any.

    Args:
        vocabulary: the terms that background and stream use, and rules.
        names: the classes and properties that the ontology has.
    """
    declared = set(names)
    found = (pair for pair in _named(triple) if not _is_known(*pair, vocabulary, declared))
    return tuple(
        UnknownName(name, "blank node")
        if isinstance(name, BNode)
        else UnknownName(name, kind, tuple(_nearest(name, _known(kind, vocabulary, declared))))
        for name, kind in found
    )


def _named(triple: Triple) -> Iterator[tuple[Term, str]]:
    subject, predicate, object_ = triple
    yield subject, "name"
    if predicate == RDF.type:
        yield object_, "class"
    else:
        yield predicate, "property"
        if not isinstance(object_, Literal):
            yield object_, "name"


def _is_known(name: Term, kind: str, vocabulary: Vocabulary, declared: set[Term]) -> bool:
    if kind == "name":
        return vocabulary.find(name) is not None
    if name in declared:
        return True
    find = vocabulary.find_class if kind == "class" else vocabulary.find_property
    return find(name) is not None


def _known(kind: str, vocabulary: Vocabulary, declared: set[Term]) -> Iterable[Term]:
    if kind == "name":
        lexicon = vocabulary.lexicon
        return (lexicon.term(number) for number in range(min(len(vocabulary.names), _MOST_COMPARED)))
    arity = 1 if kind == "class" else 2
    return [*declared, *(symbol.name for symbol in vocabulary.symbols if symbol.arity == arity)]


def _nearest(name: Term, known: Iterable[Term]) -> list[Term]:
    """The known names whose last parts are most like that of a name."""
    by_part: dict[str, Term] = {}
    for each in known:
        if isinstance(each, URIRef):
            by_part.setdefault(last_part(each).casefold(), each)
    return [by_part[part] for part in get_close_matches(last_part(name).casefold(), by_part, _MOST_TOLD, 0.6)]
