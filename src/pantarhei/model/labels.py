"""Labels of names, in the languages that the reader prefers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rdflib import RDFS, SDO, SKOS, Literal, URIRef

from pantarhei.errors import OptionError
from pantarhei.model.message_text import DisplayNames, last_part, one_line
from pantarhei.model.term import Triple

Labels = Mapping[URIRef, str]
"""The names shown for IRIs."""

NO_LABELS: Labels = {}


class ForeignLabel(str):
    """Label in another language than English, to which rules on English words do not apply."""

    __slots__ = ()


ENGLISH = ("en",)

LABEL_PROPERTIES = {RDFS.label: 0, SKOS.prefLabel: 1, SDO.name: 2, URIRef("http://schema.org/name"): 3}
"""The properties whose values are labels, with their ranks; rdflib's SDO is `https://schema.org/`."""

_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", re.ASCII)


def languages_of(language: str | Sequence[str]) -> tuple[str, ...]:
    """Return the preferred language tags in lower case, the best first; a tag is followed by its prefixes.

    RFC 4647, section 3.4 (lookup).

    Args:
        language: a tag of BCP 47, such as `de` or `de-AT`, or several, the best first.

    Raises:
        OptionError: an item is not a language tag.

    >>> languages_of(["de-AT", "en"])
    ('de-at', 'de', 'en')
    """
    given = [language] if isinstance(language, str) else language
    is_sequence = isinstance(given, Sequence)
    invalid = [t for t in given if not (isinstance(t, str) and _TAG.fullmatch(t))] if is_sequence else [given]
    if invalid:
        expected = 'a language tag such as "de" or "de-AT", or several'
        raise OptionError("language", repr(invalid[0])[:100], expected)
    subtags = (tag.lower().split("-") for tag in given)
    return tuple(dict.fromkeys("-".join(each[:n]) for each in subtags for n in range(len(each), 0, -1)))


def labels_of(triples: Iterable[Triple], languages: Sequence[str] = ENGLISH) -> dict[URIRef, str]:
    """Return a label for each name with labels in `triples`: the `rdfs:label`, `skos:prefLabel` or
    `schema:name` in the best language.

    The preferred languages come first, then labels without a language tag, then any other language; within
    one language, `rdfs:label` is preferred to `skos:prefLabel`, and this to `schema:name`. The cost is linear
    in the number of triples.

    Args:
        languages: the preferred languages, from `languages_of`; `de` also matches `de-AT`.

    >>> pump = URIRef("http://example.org/P")
    >>> given = [(pump, RDFS.label, Literal("Pumpe", "de")), (pump, SKOS.prefLabel, Literal("pump", "en"))]
    >>> *labels_of(given).values(), *labels_of(given, ["de"]).values()
    ('pump', 'Pumpe')
    """
    ranks = {"": len(languages)}
    best: dict[URIRef, tuple[int, int, str, str]] = {}
    for subject, predicate, label in triples:
        if predicate in LABEL_PROPERTIES and isinstance(subject, URIRef) and isinstance(label, Literal):
            language = (label.language or "").lower()
            if language not in ranks:
                ranks[language] = _rank(language, languages)
            found = ranks[language], LABEL_PROPERTIES[predicate], language, str(label)  # type: ignore[index]
            if label.strip() and (subject not in best or found < best[subject]):
                best[subject] = found
    return {
        subject: ForeignLabel(label) if language and not language.startswith("en") else label
        for subject, (_, _, language, label) in sorted(best.items(), key=lambda item: str(item[0]))
    }


def _rank(language: str, languages: Sequence[str]) -> int:
    matching = (n for n, tag in enumerate(languages) if language == tag or language.startswith(f"{tag}-"))
    return next(matching, len(languages) + 1)


def labels_of_terms(labels: Labels, terms: Iterable[object]) -> dict[URIRef, str]:
    """Return the labels of `terms`, unchanged."""
    return {term: labels[term] for term in set(terms) if isinstance(term, URIRef) and term in labels}


def labels_among(labels: Labels, terms: Iterable[object]) -> dict[URIRef, str]:
    """Return the labels of `terms`. If several terms have equal labels, part of the IRI is appended.

    >>> pumps = [URIRef(f"http://example.org/P-{number}") for number in (1, 2)]
    >>> list(labels_among(dict.fromkeys(pumps, "pump"), pumps).values())
    ['pump (P-1)', 'pump (P-2)']
    """
    given = labels_of_terms(labels, terms)
    found = _disambiguated(_disambiguated(given, given, last_part), given, str)
    return {iri: found[iri] for iri in sorted(found, key=str)}


def _disambiguated(found: Labels, given: Labels, suffix: Callable[[URIRef], str]) -> Labels:
    """Return `found` with equal labels replaced by the labels in `given`, followed by a suffix."""
    shown = {iri: one_line(label) for iri, label in found.items()}
    uses = Counter(shown.values())
    return {
        iri: type(label)(f"{given[iri]} ({suffix(iri)})") if uses[shown[iri]] > 1 else label
        for iri, label in found.items()
    }


@dataclass(frozen=True, slots=True)
class LabelledNames(DisplayNames):
    """Display names of a text that shows IRIs by their labels.

    Args:
        labels: returns the names shown for IRIs.
    """

    labels: Callable[[], Labels] = dict

    def disambiguated(self, iris: Iterable[URIRef]) -> DisplayNames:
        """Return a copy with the labels of `iris`; the others are disambiguated by their IRIs."""
        given = set(iris)
        found = labels_among(self.labels(), given)
        names = DisplayNames.disambiguated(self, given.difference(found))
        return replace(names, longer={**names.longer, **found})


def letters(taken: Iterable[str]) -> Iterator[str]:
    """Yield names for supposed individuals: x, y, z, x1, y1 and so on, except those in `taken`.

    >>> from itertools import islice
    >>> list(islice(letters(["y"]), 4))
    ['x', 'z', 'x1', 'y1']
    """
    used, round_ = frozenset(taken), 0
    while True:
        names = (f"{letter}{round_ or ''}" for letter in "xyz")
        yield from (name for name in names if name not in used)
        round_ += 1
