"""Temporal rules: plain LARS (LA17, section 2.1) with negation, comparisons and arithmetic.

Time advances in *ticks*. A rule derives its head at the present tick wherever its body holds there; a body
refers to the past through windows over the last ticks or the last assertions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Final

from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.model.message_text import TextPosition, last_part
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.term import Triple, short

RELATIONS: Final = {
    "equal": "=",
    "notEqual": "!=",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}
"""The signs of SWRL's comparisons, by the last part of their IRIs."""
SIGNS: Final = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "mod": "mod",
    "pow": "^",
}
"""The signs of SWRL's computations that have one, by the last part of their IRIs."""

_NAME_OF_VARIABLE = re.compile(r"_\w+|[^\W\d_]\w*")
_PLAIN_NUMBER = {str(XSD.integer): re.compile(r"-?[0-9]+"), str(XSD.decimal): re.compile(r"-?[0-9]+\.[0-9]+")}
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_UNITS = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "min": timedelta(minutes=1),
    "sec": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}


def term_text(term: Argument) -> str:
    """Return the text of a term or variable; IRIs are shortened with the display names of the surrounding
    text.

    >>> term_text(Variable("X")), term_text(Variable("x")), term_text(Literal(5)), term_text(Literal("a"))
    ('X', '?x', '5', '"a"')
    """
    if isinstance(term, Variable):
        is_plain = _NAME_OF_VARIABLE.fullmatch(term) and (term[0].isupper() or term[0] == "_")
        return str(term) if is_plain else f"?{term}"
    if not isinstance(term, Literal):
        return short(term)
    plain = _PLAIN_NUMBER.get(str(term.datatype))
    if plain and plain.fullmatch(term):
        return str(term)
    text = f'"{term.translate(_ESCAPES)}"'
    if term.language:
        return f"{text}@{term.language}"
    return text if term.datatype is None else f"{text}^^{short(term.datatype)}"


def duration_text(length: timedelta) -> str:
    """Return a duration in the largest unit of which it is a whole number.

    >>> duration_text(timedelta(minutes=5)), duration_text(timedelta(seconds=90, microseconds=1))
    ('5 min', '90.000001 sec')
    """
    for unit, one in _UNITS.items():
        if not length % one:
            return f"{length // one} {unit}"
    return f"{Decimal(length // timedelta(microseconds=1)).scaleb(-6).normalize():f} sec"


def builtin_text(builtin: Builtin) -> str:
    """Return a comparison or computation: `X < Y`, `R = X + Y`; by its name where it has no operator.

    >>> from rdflib import URIRef
    >>> add = URIRef("http://www.w3.org/2003/11/swrlb#add")
    >>> builtin_text(Builtin(add, (Variable("R"), Variable("X"), Literal(1))))
    'R = X + 1'
    """
    name, arguments = last_part(builtin.name), [*map(term_text, builtin.arguments)]
    if name in RELATIONS:
        return f" {RELATIONS[name]} ".join(arguments)
    if name in SIGNS:
        result, *operands = arguments
        return f"{result} = {f' {SIGNS[name]} '.join(operands)}"
    return f"{short(builtin.name)}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True)
class TemporalAtom:
    """Atom `predicate(arguments)`: a class with one argument, a property with two, a conclusion with any
    number.

    Args:
        predicate: the class or property.
        arguments: names, literals and variables.
        is_asserted: matches events, asserted at a tick, instead of states.
    """

    predicate: URIRef
    arguments: tuple[Argument, ...] = ()
    is_asserted: bool = False

    @property
    def variables(self) -> frozenset[Variable]:
        """Variables of the atom."""
        return frozenset(each for each in self.arguments if isinstance(each, Variable))

    @property
    def triple(self) -> Triple | None:
        """Triple of a ground atom: `C(x)` is `(x, rdf:type, C)`, `p(x, y)` is `(x, p, y)`; None for other
        arities.
        """
        match self.arguments:
            case (URIRef() | BNode() as subject,):
                return subject, RDF.type, self.predicate
            case (URIRef() | BNode() as subject, URIRef() | BNode() | Literal() as object_):
                return subject, self.predicate, object_
        return None

    def __str__(self) -> str:
        name = f"{'asserted ' * self.is_asserted}{short(self.predicate)}"
        return f"{name}({', '.join(map(term_text, self.arguments))})" if self.arguments else name


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Window of the last ticks and the present one (LA17 Definition 3).

    Args:
        size: number of ticks before the present one, 0 for the present one alone, or a duration.
    """

    size: int | timedelta

    def __str__(self) -> str:
        return f"[{self.size if isinstance(self.size, int) else duration_text(self.size)}]"


@dataclass(frozen=True, slots=True)
class TupleWindow:
    """Window of the last assertions (LA17 Definition 4).

    Args:
        size: number of assertions, at least one.
    """

    size: int

    def __str__(self) -> str:
        return f"[{self.size} #]"


Reach = TimeWindow | TupleWindow
"""How far a formula looks back."""


class Mode(Enum):
    """Temporal operator of a formula."""

    NOW = "now"
    """At the present tick."""
    SOMETIME = "sometime"
    """At some tick of the window (◇)."""
    ALWAYS = "always"
    """At each tick of the window (□)."""
    AT = "at"
    """At the tick that a variable or a literal names (@)."""


@dataclass(frozen=True, slots=True)
class Formula:
    """Extended atom (LA17, section 2.1), or its negation.

    Args:
        atom: the atom.
        mode: the temporal operator.
        window: window of the operator; None for the present tick, and for an `AT` over all ticks.
        time: the tick of an `AT`.
        is_negated: whether the formula is negated.
        times: minimal number of ticks of a `SOMETIME`.
        written: position in the text of rules, None without one.
    """

    atom: TemporalAtom
    mode: Mode = Mode.NOW
    window: Reach | None = None
    time: Argument | None = None
    is_negated: bool = False
    times: int = 1
    written: TextPosition | None = field(default=None, compare=False, repr=False)

    @property
    def variables(self) -> frozenset[Variable]:
        """Variables of the formula, that of its time included."""
        time = {self.time} if isinstance(self.time, Variable) else frozenset[Variable]()
        return self.atom.variables | time

    def __str__(self) -> str:
        words = ["not"] * self.is_negated + [str(self.atom)]
        if self.mode is Mode.ALWAYS:
            words.append("always")
        if self.time is not None:
            words.append(f"at {term_text(self.time)}")
        if self.times > 1:
            words.append(f"at least {self.times} times")
        if self.window is not None:
            words.append(f"in {self.window}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class TemporalRule:
    """Rule `head :- body, tests`.

    Args:
        head: an atom now, or at a tick; without a window, not negated.
        body: formulas that must hold.
        tests: comparisons, and computations of further variables.
        written: position in the text of rules, None without one.
        variables_written: positions of all occurrences of variables, in the order of the text.
    """

    head: Formula
    body: tuple[Formula, ...] = ()
    tests: tuple[Builtin, ...] = ()
    written: TextPosition | None = field(default=None, compare=False, repr=False)
    variables_written: tuple[tuple[Variable, TextPosition], ...] = field(
        default=(), compare=False, repr=False
    )

    def __str__(self) -> str:
        conditions = [*map(str, self.body), *map(builtin_text, self.tests)]
        return f"{self.head} :- {', '.join(conditions)}." if conditions else f"{self.head}."

    @property
    def formulas(self) -> Iterator[Formula]:
        """Head and body."""
        yield self.head
        yield from self.body
