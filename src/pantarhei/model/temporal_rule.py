"""Temporal rules: plain LARS (LA17, section 2.1) with negation, comparisons and arithmetic.

Time advances in *ticks*. A rule derives its head at the current tick for each match of its body there. A body
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
from pantarhei.model.representation import text_repr
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
"""Operators of SWRL's comparisons, by the last part of their IRIs."""
SIGNS: Final = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "mod": "mod",
    "pow": "^",
}
"""Operators of SWRL's binary computations, by the last part of their IRIs."""

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
    """Return the text of a term or variable. IRIs are shortened with the display names of the text that is
    being rendered.

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
    """Return a duration in the largest unit in which it is a whole number; otherwise in seconds with
    decimals.

    >>> duration_text(timedelta(minutes=5)), duration_text(timedelta(seconds=90, microseconds=1))
    ('5 min', '90.000001 sec')
    """
    for unit, one in _UNITS.items():
        if not length % one:
            return f"{length // one} {unit}"
    return f"{Decimal(length // timedelta(microseconds=1)).scaleb(-6).normalize():f} sec"


def builtin_text(builtin: Builtin) -> str:
    """Return a comparison or computation with its operator: `X < Y`, `R = X + Y`; in prefix notation if it
    has no operator.

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
    """Atom `predicate(arguments)`: a class with one argument, a property with two, or a conclusion with any
    number of arguments.

    Args:
        predicate: the class, property or predicate of conclusions.
        arguments: names, literals and variables.
        is_asserted: the atom matches events, which are assertions at a tick, instead of states.

    >>> str(TemporalAtom(URIRef("urn:Hot"), (URIRef("urn:v1"),)))
    'urn:Hot(urn:v1)'
    """

    predicate: URIRef
    arguments: tuple[Argument, ...] = ()
    is_asserted: bool = False

    __repr__ = text_repr

    @property
    def variables(self) -> frozenset[Variable]:
        """Variables of the atom."""
        return frozenset(each for each in self.arguments if isinstance(each, Variable))

    @property
    def triple(self) -> Triple | None:
        """Triple of a ground atom: `C(x)` is `(x, rdf:type, C)`, and `p(x, y)` is `(x, p, y)`. None for other
        numbers of arguments, and for atoms with variables.
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
    """Window of the current tick and the ticks before it (LA17, Definition 3).

    Args:
        size: a duration, or the number of ticks before the current one; 0 for the current tick alone.

    >>> TimeWindow(3).size
    3
    """

    size: int | timedelta

    def __str__(self) -> str:
        return f"[{self.size if isinstance(self.size, int) else duration_text(self.size)}]"


@dataclass(frozen=True, slots=True)
class TupleWindow:
    """Window of the last assertions (LA17, Definition 4).

    Args:
        size: number of assertions, at least one.

    >>> TupleWindow(10).size
    10
    """

    size: int

    def __str__(self) -> str:
        return f"[{self.size} #]"


Reach = TimeWindow | TupleWindow
"""Window of a formula."""


class Mode(Enum):
    """Temporal operator of a formula.

    >>> [mode.name for mode in Mode]
    ['NOW', 'SOMETIME', 'ALWAYS', 'AT']
    """

    NOW = "now"
    """At the current tick."""
    SOMETIME = "sometime"
    """At some tick of the window (◇)."""
    ALWAYS = "always"
    """At each tick of the window (□)."""
    AT = "at"
    """At the tick given by a variable or a literal (@)."""


@dataclass(frozen=True, slots=True)
class Formula:
    """Extended atom (LA17, section 2.1), or its negation.

    Args:
        atom: the atom.
        mode: the temporal operator.
        window: window of the operator; None for the current tick, and for `AT` over all ticks.
        time: the tick of `AT`.
        is_negated: the formula is negated.
        times: minimal number of ticks for `SOMETIME`.
        written: position in the text of a rule; None if the rule was not read from a text.

    >>> from rdflib import Variable
    >>> hot = TemporalAtom(URIRef("urn:Hot"), (Variable("V"),))
    >>> print(Formula(hot, Mode.ALWAYS, TimeWindow(3)))
    urn:Hot(V) always in [3]
    """

    atom: TemporalAtom
    mode: Mode = Mode.NOW
    window: Reach | None = None
    time: Argument | None = None
    is_negated: bool = False
    times: int = 1
    written: TextPosition | None = field(default=None, compare=False, repr=False)

    __repr__ = text_repr

    @property
    def variables(self) -> frozenset[Variable]:
        """Variables of the atom and of the time."""
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
    """Temporal rule `head :- body, tests`.

    Args:
        head: an atom at the current tick, or at another tick; without a window and not negated.
        body: formulas that must hold.
        tests: comparisons, and computations that bind further variables.
        written: position in the text; None if the rule was not read from a text.
        variables_written: positions of all occurrences of variables, in the order of the text.

    >>> from pantarhei import load_rules
    >>> (rule,) = load_rules("@prefix : <urn:> . alarm(V) :- :Hot(V) always in [3].").rules
    >>> str(rule.head.atom), len(rule.body)
    ('urn:alarm(V)', 1)
    """

    head: Formula
    body: tuple[Formula, ...] = ()
    tests: tuple[Builtin, ...] = ()
    written: TextPosition | None = field(default=None, compare=False, repr=False)
    variables_written: tuple[tuple[Variable, TextPosition], ...] = field(
        default=(), compare=False, repr=False
    )

    __repr__ = text_repr

    def __str__(self) -> str:
        conditions = [*map(str, self.body), *map(builtin_text, self.tests)]
        return f"{self.head} :- {', '.join(conditions)}." if conditions else f"{self.head}."

    @property
    def formulas(self) -> Iterator[Formula]:
        """The head, followed by the formulas of the body."""
        yield self.head
        yield from self.body
