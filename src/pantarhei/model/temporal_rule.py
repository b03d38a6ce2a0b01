"""Temporal rules: plain LARS (LA17, section 2.1) with negation, comparisons and arithmetic.

Time comes in *ticks*. A rule derives its head at the present tick wherever its body holds there; a body looks
back through windows, of the last ticks or of the last assertions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum

from rdflib import RDF, BNode, Literal, URIRef, Variable

from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.rule_text import builtin_text, duration_text, term_text
from pantarhei.model.term import Triple, short
from pantarhei.model.written import Written


@dataclass(frozen=True, slots=True)
class TemporalAtom:
    """`predicate(arguments)`: a class with one argument, a property with two, of conclusions any number.

    Args:
        predicate: the class or property.
        arguments: names, literals and variables.
        is_asserted: of what is asserted at a tick, not of what holds then.
    """

    predicate: URIRef
    arguments: tuple[Argument, ...] = ()
    is_asserted: bool = False

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables in it."""
        return frozenset(each for each in self.arguments if isinstance(each, Variable))

    @property
    def triple(self) -> Triple | None:
        """The triple that it is, where it has no variables: `C(x)` is `(x, rdf:type, C)`, `p(x, y)` is
        `(x, p, y)`; None for what is none.
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
    """The last ticks and the present one (LA17 Definition 3).

    Args:
        size: how far it reaches back, both ends included: a number of ticks, 0 for the present one alone, or
            a length of time.
    """

    size: int | timedelta

    def __str__(self) -> str:
        return f"[{self.size if isinstance(self.size, int) else duration_text(self.size)}]"


@dataclass(frozen=True, slots=True)
class TupleWindow:
    """The last assertions (LA17 Definition 4).

    Args:
        size: how many, at least one.
    """

    size: int

    def __str__(self) -> str:
        return f"[{self.size} #]"


Reach = TimeWindow | TupleWindow
"""How far a formula looks back."""


class Mode(Enum):
    """When an atom is to hold."""

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
    """An extended atom (LA17, section 2.1), or its negation.

    Args:
        atom: what holds.
        mode: when it holds.
        window: where the mode looks; None for the present tick, and for an `AT` that looks at all ticks.
        time: the tick of an `AT`.
        is_negated: whether it is not to hold.
        times: of a `SOMETIME`, at how many ticks of the window at least.
        written: where it is written, None for what was not read from a text.
    """

    atom: TemporalAtom
    mode: Mode = Mode.NOW
    window: Reach | None = None
    time: Argument | None = None
    is_negated: bool = False
    times: int = 1
    written: Written | None = field(default=None, compare=False, repr=False)

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables in it, that of its time included."""
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
    """`head :- body, tests`.

    Args:
        head: an atom now, or at a tick; without a window, not negated.
        body: what is to hold.
        tests: comparisons, and computations of further variables.
        written: where it is written, None for what was not read from a text.
        variables_written: where its variables stand, each as often as it does, in the order of the text.
    """

    head: Formula
    body: tuple[Formula, ...] = ()
    tests: tuple[Builtin, ...] = ()
    written: Written | None = field(default=None, compare=False, repr=False)
    variables_written: tuple[tuple[Variable, Written], ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        conditions = [*map(str, self.body), *map(builtin_text, self.tests)]
        return f"{self.head} :- {', '.join(conditions)}." if conditions else f"{self.head}."

    @property
    def formulas(self) -> Iterator[Formula]:
        """Head and body."""
        yield self.head
        yield from self.body
