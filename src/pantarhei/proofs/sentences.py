"""Sentences for facts, constraints and times, for readers who do not know OWL.

Texts from files and streams are untrusted: they are put on one line, invisible characters are escaped, and
long texts are truncated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from rdflib import OWL, RDFS, XSD, Literal, URIRef, Variable

from pantarhei.model.message_text import LONGEST_LINE, last_part, one_line
from pantarhei.model.rule import Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, short
from pantarhei.model.time import TimePoint, show_time

Labels = Mapping[URIRef, str]
"""The names shown for IRIs."""

NO_LABELS: Labels = {}

_LABELS = frozenset({RDFS.label})
_PLAIN = frozenset(
    {XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.boolean, XSD.dateTime, XSD.date, XSD.time}
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^A-Z_\W]+|[^\W_]")
_PHRASES: dict[Term, str] = {
    OWL.sameAs: "is the same as",
    OWL.differentFrom: "is different from",
    RDFS.subPropertyOf: "implies",
}
_PLACES = {
    "at", "above", "behind", "below", "beside", "in", "inside", "near", "on", "out", "outside", "over",
    "under", "within",
}  # fmt: skip
_RELATIONS = _PLACES | {"as", "by", "for", "into", "of", "through", "to", "upon", "with"}
_NOUNS_IN_ING = {
    "bearing", "building", "casing", "fitting", "housing", "reading", "ring", "spring", "string", "thing",
    "wing",
}  # fmt: skip


def labels_of(triples: Iterable[Triple]) -> dict[URIRef, str]:
    """Return a label for each name with labels in `triples`: preferably an English label, otherwise a label
    without a language tag, otherwise any.

    >>> pump = URIRef("http://example.org/P")
    >>> labels_of([(pump, RDFS.label, Literal("Pumpe", "de")), (pump, RDFS.label, Literal("pump", "en"))])
    {rdflib.term.URIRef('http://example.org/P'): 'pump'}
    """
    best: dict[URIRef, tuple[int, str, str]] = {}
    for subject, predicate, label in triples:
        if predicate in _LABELS and isinstance(subject, URIRef) and isinstance(label, Literal):
            language = label.language or ""
            rank = 0 if language.partition("-")[0] == "en" else 2 if language else 1
            best[subject] = min(best.get(subject, (3, "", "")), (rank, language, str(label)))
    return {subject: label for subject, (_, _, label) in best.items() if label.strip()}


def labels_among(labels: Labels, terms: Iterable[object]) -> dict[URIRef, str]:
    """Return the labels of `terms`. If several terms have equal labels, part of the IRI is appended.

    >>> pumps = [URIRef(f"http://example.org/P-{number}") for number in (1, 2)]
    >>> list(labels_among(dict.fromkeys(pumps, "pump"), pumps).values())
    ['pump (P-1)', 'pump (P-2)']
    """
    given = {term: labels[term] for term in set(terms) if isinstance(term, URIRef) and term in labels}
    found = _disambiguated(_disambiguated(given, given, last_part), given, str)
    return {iri: found[iri] for iri in sorted(found)}


def _disambiguated(found: Labels, given: Labels, suffix: Callable[[URIRef], str]) -> Labels:
    """Return `found` with equal labels replaced by the labels in `given`, followed by a suffix."""
    uses = Counter(one_line(label) for label in found.values())
    return {
        iri: f"{given[iri]} ({suffix(iri)})" if uses[one_line(label)] > 1 else label
        for iri, label in found.items()
    }


def sentence(triple: Triple, labels: Labels = NO_LABELS) -> str:
    """Return a fact as a sentence without a full stop.

    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/")
    >>> sentence((EX["pump-7"], RDF.type, EX.RunningPump)), sentence((EX["pump-7"], EX.partOf, EX.loop))
    ('pump-7 is a running pump', 'pump-7 is part of loop')
    """
    subject, predicate, object_ = triple
    if predicate in ONLY_TYPE:
        return f"{term_name(subject, labels)} is {class_phrase(object_, labels)}"
    if predicate == RDFS.subClassOf:
        if object_ == OWL.Nothing:
            return f"nothing is {class_phrase(subject, labels)}"
        return f"whatever is {class_phrase(subject, labels)} is {class_phrase(object_, labels)}"
    return f"{term_name(subject, labels)} {_verb(predicate, labels)} {term_name(object_, labels)}"


def term_name(term: Term | Variable, labels: Labels = NO_LABELS) -> str:
    """Return the label or short name of an individual, and the text of a literal."""
    if isinstance(term, Literal):
        text = one_line(str(term))
        return text if term.datatype in _PLAIN else f"“{text}”"
    return one_line(labels.get(term) or short(term)) if isinstance(term, URIRef) else one_line(short(term))


def class_phrase(class_: Term, labels: Labels = NO_LABELS) -> str:
    """Return the complement that describes a member of a class: `a pump`, `an open valve`, `out of range`."""
    words = _words(class_, labels)
    first, *_, last = words.split(" ") * 2
    known = first in _PLACES or first in ("a", "an", "the")
    adjective = last.endswith(("ed", "able", "ible")) or (
        first == last and first.endswith("ing") and first not in _NOUNS_IN_ING
    )
    return words if known or adjective else f"{_article(first)} {words}"


def denied_statement(constraint: Rule, labels: Labels = NO_LABELS) -> str:
    """Return as a sentence the statement that a constraint requires; the axiom if no short sentence is
    available.

    >>> from pantarhei.model.rule import Atom
    >>> x = Variable("x")
    >>> valves = [URIRef(f"http://example.org/{state}Valve") for state in ("Open", "Closed")]
    >>> denied_statement(Rule("cax-dw", tuple(Atom(valve, (x,)) for valve in valves), None))
    'nothing is both an open valve and a closed valve'
    """
    classes = [atom.predicate for atom in constraint.body if len(atom.arguments) == 1]
    subjects = {atom.arguments[0] for atom in constraint.body}
    if len(classes) == len(constraint.body) and len(subjects) == 1 and not constraint.tests:
        kinds = [class_phrase(each, labels) for each in classes]
        return (
            f"nothing is {' and '.join(kinds)}"
            if len(kinds) != 2
            else f"nothing is both {' and '.join(kinds)}"
        )
    if constraint.name == "prp-fp":
        verb = _verb(constraint.body[0].predicate, labels)
        noun = verb.removeprefix("has ")
        return f"nothing {verb} more than one thing" if noun == verb else f"nothing has more than one {noun}"
    return one_line(constraint.axiom, 3 * LONGEST_LINE)


def _words(term: Term, labels: Labels) -> str:
    """Return the label of a class or property, or its name in words: `RunningPump` becomes `running pump`."""
    label = labels.get(term) if isinstance(term, URIRef) else None
    if label is not None:
        return one_line(label)
    shown = one_line(short(term))
    if not shown.isidentifier():  # a prefixed name, a blank node, an IRI in brackets
        return shown
    parts = _WORDS.findall(shown)
    return " ".join(part if part.isupper() else part.lower() for part in parts)


def _verb(property_: Term, labels: Labels) -> str:
    """Return the words between subject and object: `reads`, `is part of`, `has level`."""
    if property_ in _PHRASES:
        return _PHRASES[property_]
    words = _words(property_, labels)
    first, *_, last = words.split(" ") * 2
    if first in ("is", "has", "was") or (first.endswith("s") and not first.endswith(("ss", "us", "is"))):
        return words
    return f"is {words}" if last in _RELATIONS or first in _PLACES else f"has {words}"


def _article(word: str) -> str:
    if word.isupper():  # spoken letter by letter
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    return "an" if re.match(r"(?!uni|use|usa|eu|one)[aeiou]|hour|honest", word.lower()) else "a"


_MOST = 5
"""Largest number of times listed by `TimeFormat.listed`."""


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """Format of the times in one text. If all times are on one day, the day is omitted. Create it with `of`.

    Args:
        day: the common day with its time zone; None if there are several days, or the times are numbers.
        clock: the `strftime` format of a datetime; None for the full format.
        digits: the number of digits of a fraction of a second.

    >>> from datetime import UTC
    >>> at = [datetime(2026, 3, 2, 7, minute, tzinfo=UTC) for minute in (0, 5)]
    >>> times = TimeFormat.of(at)
    >>> times.day, times(at[1]), TimeFormat.of([4])(4)
    ('2026-03-02 (UTC)', '07:05', '4')
    """

    day: str | None
    clock: str | None
    digits: int = 6

    @classmethod
    def of(cls, times: Iterable[TimePoint]) -> TimeFormat:
        """Return the shortest format that distinguishes these times."""
        given = [at for at in times if isinstance(at, datetime)]
        zones = {at.utcoffset() for at in given}
        if len(zones) != 1:
            return cls(None, None)
        shortest = cls.clocks(given)
        clock, digits = shortest.clock, shortest.digits
        zone = zones.pop()
        assert zone is not None, "timestamps have a zone"
        shown_zone = given[0].isoformat()[-6:] if zone else "UTC"
        if len({at.date() for at in given}) == 1:
            return cls(f"{given[0].date().isoformat()} ({shown_zone})", clock, digits)
        return cls(None, f"%Y-%m-%d {clock}{'Z' if not zone else shown_zone}", digits)

    @classmethod
    def clocks(cls, times: Iterable[TimePoint]) -> TimeFormat:
        """Return the shortest format of the times of day of these times.

        >>> from datetime import UTC
        >>> TimeFormat.clocks([datetime(2026, 3, 2, 7, 5, 0, 250_000, UTC)])
        TimeFormat(day=None, clock='%H:%M:%S.%f', digits=2)
        """
        given = [at for at in times if isinstance(at, datetime)]
        digits = max((len(f"{at.microsecond:06}".rstrip("0")) for at in given), default=0)
        has_seconds = digits or any(at.second for at in given)
        return cls(None, "%H:%M:%S.%f" if digits else "%H:%M:%S" if has_seconds else "%H:%M", digits)

    def __call__(self, at: TimePoint) -> str:
        if not (self.clock and isinstance(at, datetime)):
            return show_time(round(at, 9) if isinstance(at, float) else at)  # the digits of a tick
        return at.strftime(self.clock.replace("%f", f"{at.microsecond:06}"[: self.digits]))

    def span(self, times: Iterable[TimePoint]) -> str:
        """Return the span from the first to the last time, with the day if it is common to all.

        >>> TimeFormat.of([1, 4]).span([4, 1, 4])
        'from 1 to 4'
        """
        span = self.reach(times)
        return f"{span} on {self.day}" if self.day else span

    def listed(self, times: Iterable[TimePoint]) -> str:
        """Return the first five times, and the number of further ones.

        >>> TimeFormat(None, None).listed(range(9))
        'at 0, 1, 2, 3, 4, and 4 more'
        """
        given = [self(at) for at in sorted(times)]
        more = [f"and {len(given) - _MOST} more"] if len(given) > _MOST else []
        return f"at {', '.join([*given[:_MOST], *more])}"

    def reach(self, times: Iterable[TimePoint]) -> str:
        """Return the span from the first to the last time, without the common day."""
        first, *_, last = sorted(times) * 2
        return f"at {self(first)}" if first == last else f"from {self(first)} to {self(last)}"
