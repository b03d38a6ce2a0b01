"""Sentences for facts, constraints and times, for readers who do not know OWL.

The words of a sentence come from labels, or from names in CamelCase. Rules on their endings decide on the
form of the sentence; if they are not sure, the name itself is shown: `x is in class 'high temperature'`,
`a —temp_c→ 21`. Texts from files and streams are untrusted: they are put on one line, invisible characters
are escaped, and long texts are truncated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import dropwhile, takewhile

from rdflib import OWL, RDFS, XSD, Literal, URIRef, Variable

from pantarhei.model.labels import NO_LABELS, ForeignLabel, Labels
from pantarhei.model.message_text import LONGEST_LINE, one_line
from pantarhei.model.rule import Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, short
from pantarhei.model.time import TimePoint, in_zone_of, show_time
from pantarhei.owl.manchester import axiom_text, manchester_syntax, quoted
from pantarhei.owl.simplify import BOTTOM_PROPERTIES, TOP_PROPERTIES
from pantarhei.values.value import is_well_typed

_PLAIN = frozenset(
    {XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.boolean, XSD.dateTime, XSD.date, XSD.time}
)
_IN_CLASS = "in class "
_PHRASES: dict[Term, str] = {
    OWL.sameAs: "is the same as",
    OWL.differentFrom: "is different from",
}

# Words of names in CamelCase or with underscores, and what counts as a word: letters with a vowel, or an
# acronym. More words than this are not judged.
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^A-Z_\W]+|[^\W_]")
_WORD = re.compile(r"(?=.*[aeiouyAEIOUY])[^\W\d_]([^\W\d_A-Z]|-(?=[^\W\d_]))+|[A-Z]{2,5}\d{0,2}|a")
_MOST_WORDS = 4

_VERBS_FIRST = {"is", "has", "was", "are", "had", "can", "may", "must", "does"}
_VERBS_OF_VALUES = {
    "contains", "costs", "counts", "equals", "holds", "lasts", "measures", "needs", "reads", "reports",
    "says", "shows", "weighs",
}  # fmt: skip
_BASE_FORMS = {
    "accept", "allow", "apply", "become", "begin", "belong", "comply", "comprise", "connect", "consist",
    "contain", "create", "define", "depend", "derive", "describe", "detect", "determine", "enable", "execute",
    "exist", "happen", "have", "include", "indicate", "install", "involve", "know", "locate", "maintain",
    "manage", "observe", "obtain", "occur", "participate", "perform", "possess", "precede", "prevent",
    "produce", "provide", "receive", "refer", "regulate", "relate", "rely", "replace", "represent", "require",
    "send", "serve", "supervise",
}  # fmt: skip
_PLACES = {
    "about", "above", "after", "along", "at", "before", "behind", "below", "beside", "between", "beyond",
    "during", "in", "inside", "near", "on", "out", "outside", "over", "since", "under", "until", "within",
    "without",
}  # fmt: skip
_MODIFIERS = {"after", "before", "inside", "outside", "over", "under"}  # also in nouns: outside air
_RELATIONS = _PLACES | {"against", "as", "by", "for", "into", "of", "onto", "through", "to", "upon", "with"}
_JOINING = {"and", "or", "not", "that", "which", "where", "when", "whose", "if"}
_PARTICIPLES = {
    "built", "driven", "fed", "given", "held", "kept", "known", "led", "made", "paid", "sent", "taken",
    "worn",
}  # fmt: skip
_NOUNS_IN_ED = {
    "bed", "breed", "cable", "deed", "feed", "need", "seed", "shed", "speed", "table", "variable",
    "vegetable", "weed",
}  # fmt: skip
_NOUNS_IN_ING = {
    "bearing", "building", "casing", "fitting", "housing", "reading", "ring", "spring", "string", "thing",
    "wing",
}  # fmt: skip
_NOUNS_IN_S = {
    "alias", "authors", "bias", "canvas", "coordinates", "dates", "gas", "lens", "members", "names", "news",
    "notes", "parts", "types",
}  # fmt: skip
_PLURALS = ("ions", "ments", "ings", "ities", "nesses", "ics", "series", "species", "words")
_NOUNS_IN_LY = {"anomaly", "assembly", "family", "fly", "reply", "supply"}
_ADJECTIVES = {
    "active", "alive", "bright", "broken", "busy", "clean", "cold", "critical", "dark", "dead", "dirty",
    "dry", "early", "empty", "faulty", "free", "full", "high", "hot", "idle", "inactive", "late", "loud",
    "low", "normal", "offline", "online", "open", "quiet", "ready", "safe", "shut", "stale", "stuck",
    "unsafe", "warm", "wet",
}  # fmt: skip
_DEGREES = {"almost", "half", "quite", "still", "too", "very", "well"}
_UNCOUNTED = {
    "air", "blood", "data", "dna", "efficiency", "electricity", "energy", "equipment", "food", "frequency",
    "fuel", "furniture", "hardware", "heat", "humidity", "information", "level", "light", "lighting",
    "luminance", "mass", "material", "matter", "money", "occupancy", "oil", "parking", "percentage", "power",
    "precipitation", "pressure", "rain", "rna", "sand", "smoke", "snow", "software", "sound", "speed",
    "staff", "status", "steam", "temperature", "traffic", "velocity", "voltage", "water", "weather", "wood",
}  # fmt: skip


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
    if predicate == RDFS.subPropertyOf:
        sub, super_ = (manchester_syntax(each, labels) for each in (subject, object_))
        return f"{sub} relates nothing" if object_ in BOTTOM_PROPERTIES else f"{sub} implies {super_}"
    verb = verb_phrase(predicate, labels)
    if isinstance(object_, Literal) and verb.isalpha() and verb not in _VERBS_OF_VALUES:
        verb = f"—{verb}→"  # a single word in -s is rather a plural: spaces, vehicles
    return f"{term_name(subject, labels)} {verb} {term_name(object_, labels)}"


def term_name(term: Term | Variable, labels: Labels = NO_LABELS) -> str:
    """Return the label or short name of an individual, and the text of a literal."""
    if isinstance(term, Literal):
        text = one_line(str(term))
        return text if term.datatype in _PLAIN and is_well_typed(term) else f"“{text}”"
    return one_line(labels.get(term) or short(term)) if isinstance(term, URIRef) else one_line(short(term))


def class_phrase(class_: Term, labels: Labels = NO_LABELS) -> str:
    """Return the complement that describes a member of a class: `a pump`, `uncooled`, `out of range`, or
    `in class 'high temperature'` if the class is not surely a countable noun.

    An adjective or participle is a complement alone or after adverbs. After a noun it describes the noun, not
    the member.

    >>> names = "Pressed", "FullyOpen", "GasPedalPressed"
    >>> [class_phrase(URIRef(f"http://example.org/{name}")) for name in names]
    ['pressed', 'fully open', "in class 'gas pedal pressed'"]
    """
    if class_ == OWL.Nothing:
        return "in owl:Nothing"
    name = words_of(class_, labels)
    words = one_line(name)
    parts = words.split(" ")
    first, last = parts[0].lower(), parts[-1].lower()
    if _are_judged(parts) and not _is_foreign(class_, labels):
        is_uncounted = last in _UNCOUNTED or last.endswith(("ness", "ics"))
        places = _PLACES if len(parts) == 1 else _PLACES - _MODIFIERS
        if first in ("a", "an", "the") or (first in places and not is_uncounted):
            return words
        is_short = len(list(takewhile("of".__ne__, parts))) <= _MOST_WORDS
        is_alone_in_ing = first == last and first.endswith("ing") and first not in _NOUNS_IN_ING
        is_adjective = _is_adjective(last)
        if is_adjective and all(part in _DEGREES or _is_adverb(part) for part in words.lower().split()[:-1]):
            return words
        if is_alone_in_ing and not is_uncounted:
            return words
        if is_short and not (is_uncounted or is_adjective or _ends_in_s(last) or _is_adverb(last)):
            return f"{_article(parts[0])} {words}"
    return f"{_IN_CLASS}{quoted(name, name == short(class_))}"


def class_phrases(classes: Sequence[Term], labels: Labels = NO_LABELS, is_exclusion: bool = False) -> str:
    """Return the complement that describes a common member of classes.

    Args:
        is_exclusion: emphasize that a member is in each of the classes.

    >>> smoke, steam, pump = (URIRef(f"http://example.org/{name}") for name in ("Smoke", "Steam", "Pump"))
    >>> class_phrases((smoke, steam), is_exclusion=True), class_phrases((smoke, pump), is_exclusion=True)
    ("in both classes 'smoke' and 'steam'", "both in class 'smoke' and a pump")
    """
    phrases = [class_phrase(each, labels) for each in classes]
    is_pair = is_exclusion and len(phrases) == 2
    if len(phrases) > 1 and all(phrase.startswith(_IN_CLASS) for phrase in phrases):
        every = "both " if is_pair else "all of the " if is_exclusion else ""
        return f"in {every}classes {' and '.join(phrase.removeprefix(_IN_CLASS) for phrase in phrases)}"
    return f"{'both ' if is_pair else ''}{' and '.join(phrases)}"


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
        return f"nothing is {class_phrases(classes, labels, is_exclusion=True)}"
    if len(constraint.body) == 1 and not (classes or constraint.tests):
        ((predicate, arguments),) = ((atom.predicate, atom.arguments) for atom in constraint.body)
        if arguments == (arguments[0],) * 2 and isinstance(arguments[0], Variable):
            return f"nothing {verb_phrase(predicate, labels)} itself"
        if constraint.name == "pr-empty":
            return f"{manchester_syntax(predicate, labels)} relates nothing"
    if constraint.name == "prp-fp":
        verb = verb_phrase(constraint.body[0].predicate, labels)
        noun = verb.removeprefix("has ").strip("—→")
        return f"nothing {verb} more than one thing" if noun == verb else f"nothing has more than one {noun}"
    return one_line(axiom_text(constraint, labels), 3 * LONGEST_LINE)


def words_of(term: Term, labels: Labels) -> str:
    """Return the label of a class or property, or its name in words: `RunningPump` becomes `running pump`, in
    labels too. A name that has other parts than words is returned unchanged, and may have several lines.
    """
    label = labels.get(term) if isinstance(term, URIRef) else None
    shown = label or short(term)
    is_camel_case = not (shown.istitle() or shown.islower()) or "_" in shown
    if label is not None and (" " in shown or not is_camel_case):
        return shown
    parts = _WORDS.findall(shown) if shown.replace("-", "_").isidentifier() else []
    words = [part if part.isupper() else part.lower() for part in parts]
    return " ".join(words) if words and _are_judged(words) else shown


def _are_judged(words: list[str]) -> bool:
    return all(_WORD.fullmatch(word) and word.lower() not in _JOINING for word in words)


def _is_foreign(term: Term, labels: Labels) -> bool:
    return isinstance(term, URIRef) and isinstance(labels.get(term), ForeignLabel)


def _is_adverb(word: str) -> bool:
    return word in ("also", "always", "never", "only") or (
        word.endswith("ly") and len(word) > 4 and word not in _NOUNS_IN_LY | _BASE_FORMS
    )


def _is_adjective(word: str) -> bool:
    endings = ("ed", "able", "ible", "ful", "less", "ous")
    return word in _ADJECTIVES or (word.endswith(endings) and word not in _NOUNS_IN_ED)


def _ends_in_s(word: str) -> bool:
    """True for a verb in the third person, or a plural."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in ("gas", "lens")


def _is_verb(word: str) -> bool:
    is_plural = word in _NOUNS_IN_S or word.endswith(_PLURALS)
    return _ends_in_s(word) and not is_plural


def _is_base_form(word: str) -> bool:
    """True for the base form of a verb that is not a noun too."""
    return word in _BASE_FORMS or (word.endswith(("ify", "ize")) and len(word) > 5)


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


def verb_phrase(property_: Term, labels: Labels) -> str:
    """Return the words between subject and object: `reads`, `is part of`, `has level`; `—temp_c→` if they are
    not surely a verb or a noun.

    A first word is a verb in the third person if it ends in -s and is not a known noun. It is a verb in the
    base form, and put in the third person, if it is a known verb that is not a noun too, or ends in -ify, or
    in -ize after three letters. Other words, such as `feed` and `measure`, are nouns.

    >>> names = "contain", "belongTo", "identify", "feed"
    >>> [verb_phrase(URIRef(f"http://example.org/{name}"), {}) for name in names]
    ['contains', 'belongs to', 'identifies', 'has feed']
    """
    if property_ in _PHRASES:
        return _PHRASES[property_]
    if property_ in TOP_PROPERTIES | BOTTOM_PROPERTIES:
        return f"—{manchester_syntax(property_)}→"
    label = one_line(words_of(property_, labels))
    parts = label.split(" ")
    titled = parts if all(map(str.istitle, parts)) else parts[:1]
    parts[: len(titled)] = [part.lower() if part.istitle() else part for part in titled]
    words, arrow = " ".join(parts), f"—{label}→"
    after_adverbs = list(dropwhile(_is_adverb, parts))
    if not after_adverbs or not _are_judged(parts) or _is_foreign(property_, labels):
        return arrow
    first, last, later = after_adverbs[0], parts[-1], after_adverbs[1:]
    if _is_base_form(first):
        return " ".join([*parts[: -len(after_adverbs)], _third_person(first), *later])
    if first in _VERBS_FIRST or _is_verb(first):
        return words
    if any(map(_is_verb, later)):
        return arrow
    is_passive = first.endswith("ed") or first in _PARTICIPLES
    if last in _RELATIONS or first in _RELATIONS or (is_passive and later and later[0] in _RELATIONS):
        return f"is {words}"
    is_noun = len(parts) < _MOST_WORDS and not (
        _is_adjective(last) or _is_adverb(last) or last in _PARTICIPLES
    )
    return f"has {words}" if is_noun and after_adverbs == parts else arrow


def _article(word: str) -> str:
    if word.isupper():  # spoken letter by letter
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    return "an" if re.match(r"(?!uni|use|usa|eu|one)[aeiou]|hour|honest", word.lower()) else "a"


_MOST = 5
"""Largest number of times listed by `TimeFormat.listed`."""


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """Format of the times in one text: all in one zone. If all times are on one day, the day is omitted.
    Create it with `of`.

    Args:
        day: the common day with its time zone; None if there are several days, or the times are numbers.
        clock: the `strftime` format of a datetime; None for the full format.
        digits: the number of digits of a fraction of a second.
        oldest: the time whose zone all times are shown in; None for each time in its own zone.

    >>> from datetime import UTC
    >>> at = [datetime(2026, 3, 2, 7, minute, tzinfo=UTC) for minute in (0, 5)]
    >>> times = TimeFormat.of(at)
    >>> times.day, times(at[1]), TimeFormat.of([4])(4)
    ('2026-03-02 (UTC)', '07:05', '4')
    """

    day: str | None
    clock: str | None
    digits: int = 6
    oldest: TimePoint | None = field(default=None, repr=False)

    @classmethod
    def of(cls, times: Iterable[TimePoint], further: Iterable[TimePoint] = ()) -> TimeFormat:
        """Return the shortest format that distinguishes these times, in the zone of the oldest of `times`.

        Args:
            times: times as the stream has them.
            further: further times, such as computed ends of windows; their zone is used if `times` is empty.
        """
        first, others = ([at for at in some if isinstance(at, datetime)] for some in (times, further))
        if not (every := [*first, *others]):
            return cls(None, None)
        oldest = min(first or others, key=lambda at: (at, at.isoformat()))
        shown = (in_zone_of(at, oldest) for at in every)
        given = [at for at in shown if isinstance(at, datetime)]
        zones = {at.utcoffset() for at in given}
        if len(zones) != 1:
            return cls(None, None, oldest=oldest)
        shortest = cls.clocks(given)
        clock, digits = shortest.clock, shortest.digits
        zone = zones.pop()
        assert zone is not None, "timestamps have a zone"
        shown_zone = given[0].isoformat()[-6:] if zone else "UTC"
        if len({at.date() for at in given}) == 1:
            return cls(f"{given[0].date().isoformat()} ({shown_zone})", clock, digits, oldest)
        return cls(None, f"%Y-%m-%d {clock}{'Z' if not zone else shown_zone}", digits, oldest)

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
        at = at if self.oldest is None else in_zone_of(at, self.oldest)
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
        more = [f"and {len(given) - _MOST:,} more"] if len(given) > _MOST else []
        return f"at {', '.join([*given[:_MOST], *more])}"

    def reach(self, times: Iterable[TimePoint]) -> str:
        """Return the span from the first to the last time, without the common day."""
        first, *_, last = sorted(times) * 2
        return f"at {self(first)}" if first == last else f"from {self(first)} to {self(last)}"
