"""Temporal rules and streams for tests: a short notation, and random ones by fragment.

A few names are used often: events `c`, `d`, `e` and the reading `v`, states `s` and `r`, conclusions `a`,
`b`, `x` and `y`, over three individuals; the second argument of `v` and `y` is a number. If a random rule
negates or counts an atom, or requires it always, the atom is not a conclusion or belongs to a lower stratum.
The body is connected.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Flag, auto

from rdflib import Literal, Namespace, URIRef, Variable

from oracle.lars.streams import Stream
from pantarhei.model.rule import Argument, Atom, Builtin, Rule
from pantarhei.model.temporal_rule import (
    Formula,
    Mode,
    Reach,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    TupleWindow,
)
from pantarhei.model.term import short
from pantarhei.values.scalar_functions import SWRLB

EX = Namespace("http://example.org/")

# -- writing rules ---------------------------------------------------------------------------------


def term(given: str | int | Argument) -> Argument:
    """Return a term; a text is a variable if it begins with a capital letter, otherwise a name."""
    if isinstance(given, int):
        return Literal(given)
    if type(given) is not str:
        return given
    return Variable(given) if given[0].isupper() else EX[given]


def atom(predicate: str, *arguments: str | int | Argument) -> TemporalAtom:
    """Return `predicate(arguments)`, an assertion if the predicate begins with `asserted`.

    >>> str(atom("asserted d", "X", "i"))
    'asserted d(X, i)'
    """
    name = predicate.removeprefix("asserted ")
    return TemporalAtom(EX[name], tuple(map(term, arguments)), is_asserted=name != predicate)


def within(size: int | str) -> Reach:
    """Return a window of `size` ticks; `"3 #"` is one of three assertions."""
    return TimeWindow(size) if isinstance(size, int) else TupleWindow(int(size.removesuffix("#")))


def now(given: TemporalAtom) -> Formula:
    """Return the atom at the present tick."""
    return Formula(given)


def some(given: TemporalAtom, size: int | str, times: int = 1) -> Formula:
    """Return the atom at some tick of a window (◇), or at `times` ticks."""
    return Formula(given, Mode.SOMETIME, within(size), times=times)


def always(given: TemporalAtom, size: int | str) -> Formula:
    """Return the atom at each tick of a window (□)."""
    return Formula(given, Mode.ALWAYS, within(size))


def at(time: str | int | Argument, given: TemporalAtom, size: int | str | None = None) -> Formula:
    """Return the atom at a tick (@), within a window if `size` is given."""
    return Formula(given, Mode.AT, None if size is None else within(size), term(time))


def no(given: Formula | TemporalAtom) -> Formula:
    """Return the negation."""
    return replace(given if isinstance(given, Formula) else now(given), is_negated=True)


def rule(head: Formula | TemporalAtom, *body: Formula | TemporalAtom | Builtin) -> TemporalRule:
    """Return `head :- body`; a plain atom holds at the present tick."""
    formulas = [now(each) if isinstance(each, TemporalAtom) else each for each in (head, *body)]
    return TemporalRule(
        formulas[0],
        tuple(each for each in formulas[1:] if isinstance(each, Formula)),
        tuple(each for each in formulas[1:] if isinstance(each, Builtin)),
    )


def compared(left: str | int | Argument, name: str, right: str | int | Argument) -> Builtin:
    """Return a comparison, by its name in SWRL."""
    return Builtin(SWRLB[name], (term(left), term(right)))


def computed(result: str, name: str, *operands: str | int | Argument) -> Builtin:
    """Return a computation, by its name in SWRL."""
    return Builtin(SWRLB[name], tuple(map(term, (result, *operands))))


# -- random programs -------------------------------------------------------------------------------


class Part(Flag):
    """Fragment of the language."""

    SOMETIME = auto()
    ALWAYS = auto()
    NEGATION = auto()
    AT = auto()
    AT_HEAD = auto()
    TUPLES = auto()
    TESTS = auto()
    REMEMBER = auto()
    WIDE = auto()
    """Conclusions with no argument or many, and with numbers in first place."""


FRAGMENTS = {
    "sometime": Part.SOMETIME,
    "always": Part.ALWAYS,
    "negation": Part.SOMETIME | Part.NEGATION,
    "always and negation": Part.SOMETIME | Part.ALWAYS | Part.NEGATION,
    "at": Part.SOMETIME | Part.AT,
    "at in heads": Part.SOMETIME | Part.AT | Part.AT_HEAD,
    "tuples": Part.SOMETIME | Part.ALWAYS | Part.AT | Part.TUPLES,
    "tests": Part.SOMETIME | Part.AT | Part.TESTS,
    "remember": Part.SOMETIME | Part.ALWAYS | Part.NEGATION | Part.REMEMBER,
    "all": ~Part(0),
}


@dataclass(frozen=True, slots=True)
class Case:
    """Program, the predicates that it remembers, and a stream."""

    rules: tuple[TemporalRule, ...]
    stream: Stream
    remembered: frozenset[URIRef] = frozenset()

    def __str__(self) -> str:
        lines = [*map(str, self.rules), f"remembered: {', '.join(map(short, sorted(self.remembered)))}"]
        lines += [f"{tick}: {', '.join(map(str, self.stream.at(tick)))}" for tick in self.stream.timeline]
        return "\n".join(lines)


INDIVIDUALS = "ijk"
NUMBERS = range(4)
# Types of a predicate's arguments: I for individuals, N for numbers (including ticks), M for either.
KINDS = {
    "c": "I",
    "d": "II",
    "e": "I",
    "v": "IN",
    "s": "I",
    "r": "II",
    "a": "I",
    "b": "II",
    "x": "I",
    "y": "IN",
    "n": "",
    "z": "N",
    "m": "M",
    "l": "NI",
    "w": "IIN",
    "f": "MNIN",
}
EVENTS, STATES = "cdev", "sr"
STRATA = ("ab", "xy")
WIDE = ("zmw", "nlf")
VARIABLES = {"I": "XYZ", "N": "VTU"}
SIZES = (0, 1, 2, 3, 5)


def random_case(rnd: random.Random, parts: Part, ticks: int = 9) -> Case:
    """Return a program of these fragments, and a stream of `ticks` ticks, some of them empty."""
    rules = tuple(_Writer(rnd, parts).rule() for _ in range(rnd.randint(2, 7)))
    concluded = sorted({rule.head.atom.predicate for rule in rules} if Part.REMEMBER in parts else ())
    remembered = frozenset(each for each in concluded if rnd.random() < 0.6)
    return Case(rules, random_stream(rnd, ticks), remembered)


def random_stream(rnd: random.Random, ticks: int = 9) -> Stream:
    """Return events, which also hold at their tick, and changing states."""
    start = rnd.randint(0, 2)
    states: list[TemporalAtom] = []
    atoms = {}
    for tick in range(start, start + ticks):
        arrived = (
            [] if rnd.random() < 0.25 else [_fact(rnd, rnd.choice(EVENTS)) for _ in range(rnd.randint(1, 8))]
        )
        states = [state for state in states if rnd.random() < 0.75]
        states += [_fact(rnd, _state(rnd)) for _ in range(rnd.randint(0, 3))]
        atoms[tick] = [*(replace(event, is_asserted=True) for event in arrived), *arrived, *states]
    return Stream.of(start, start + ticks - 1, atoms)


def _state(rnd: random.Random) -> str:
    """Return a state; sometimes the stream contains a predicate that rules conclude."""
    return rnd.choice(STATES if rnd.random() < 0.8 else "".join((*STRATA, "m")))


def _fact(rnd: random.Random, name: str) -> TemporalAtom:
    return atom(name, *(rnd.choice(NUMBERS if kind == "N" else INDIVIDUALS) for kind in KINDS[name]))


# An ontology over these names: each predicate can imply the others.
ONTOLOGY = tuple(
    Rule("swrl", tuple(Atom(EX[name], tuple(map(term, arguments))) for name, *arguments in body), head)
    for head, body in (
        (Atom(EX[name], tuple(map(term, arguments))), body)
        for (name, *arguments), *body in (
            ("sX", "aX"),
            ("xX", "sX"),
            ("rXY", "bXY"),
            ("aY", "sX", "rXY"),
            ("xX", "cX", "aX"),
            ("bXZ", "bXY", "dYZ"),
            ("eX", "bXY"),
            ("sX", "bXi"),
            ("rXX", "xX", "eX"),
        )
    )
)


def random_ontology(rnd: random.Random) -> tuple[Rule, ...]:
    """Return a few rules of an ontology."""
    return tuple(rnd.sample(ONTOLOGY, rnd.randint(1, 4)))


class _Writer:
    """Writes one rule.

    Args:
        others: the conclusions on which its head can depend, and which can depend on its head.
        complete: the predicates that do not depend on its head.
        bound: the variables that its body binds so far, by type.
    """

    def __init__(self, rnd: random.Random, parts: Part) -> None:
        self.rnd, self.parts = rnd, parts
        stratum = rnd.randrange(len(STRATA))
        strata = [own + wide * (Part.WIDE in parts) for own, wide in zip(STRATA, WIDE, strict=True)]
        self.others, self.complete = strata[stratum], EVENTS + STATES + "".join(strata[:stratum])
        self.bound: dict[str, list[str]] = {"I": [], "N": []}

    def rule(self) -> TemporalRule:
        """Return a rule, often one without recursion."""
        names = 2 * self.complete + 3 * self.others * (self.rnd.random() < 0.6)
        body = [self._positive(self.rnd.choice(names)) for _ in range(self.rnd.choice((1, 2, 2, 3)))]
        tests = self._tests() if Part.TESTS in self.parts else []
        if Part.NEGATION in self.parts:
            negated = self.rnd.choices(self.complete, k=self.rnd.choice((0, 1, 1, 2)))
            body += [no(self._negated(name)) for name in negated]
        return rule(self._head(self.rnd.choice(self.others)), *body, *tests)

    def _positive(self, name: str) -> Formula:
        """Return a formula that shares a variable with earlier ones and binds its others."""
        arguments = [self._argument(kind) for kind in KINDS[name]]
        place = next((place for place, kind in enumerate(KINDS[name]) if kind != "N"), None)
        if place is not None and not set(arguments) & set(self.bound["I"] or VARIABLES["I"]):
            arguments[place] = self.rnd.choice(self.bound["I"] or VARIABLES["I"])
        formula = self._formula(
            name, arguments, self.rnd.choice(["T", "T", "T", "U", "U", self.rnd.randrange(8)])
        )
        for kind, variables in VARIABLES.items():
            self.bound[kind] += sorted(set(variables) & set(map(str, formula.variables)))
        return formula

    def _negated(self, name: str) -> Formula:
        return self._formula(name, [self._known(kind) for kind in KINDS[name]], self._known("N"))

    def _formula(self, name: str, arguments: list[str | int], time: str | int) -> Formula:
        is_asserted = name in EVENTS and self.rnd.random() < 0.6
        is_counted = is_asserted and Part.TUPLES in self.parts and self.rnd.random() < 0.6
        size = f"{self.rnd.randint(1, 6)} #" if is_counted else self.rnd.choice(SIZES)
        given = atom("asserted " * is_asserted + name, *arguments)
        is_complete = name in self.complete
        match self._mode(is_complete):
            case Mode.SOMETIME:
                times = self.rnd.choice((1, 1, 1, 1, 1, 1, 2, 3)) if is_complete else 1
                return some(
                    given, size, min(times, size + 1 if isinstance(size, int) else int(size.split()[0]))
                )
            case Mode.ALWAYS:
                return always(given, size)
            case Mode.AT:
                is_bound = isinstance(time, int) or time in self.bound["N"]
                return at(time, given, None if is_bound and self.rnd.random() < 0.4 else size)
        return now(given)

    def _mode(self, may_be_always: bool) -> Mode:
        modes = [Mode.NOW]
        modes += [Mode.SOMETIME] * 3 * (Part.SOMETIME in self.parts) + [Mode.AT] * 3 * (Part.AT in self.parts)
        modes += [Mode.ALWAYS] * 2 * (Part.ALWAYS in self.parts and may_be_always)
        return self.rnd.choice(modes)

    def _tests(self) -> list[Builtin]:
        """Return comparisons of bound variables, and sometimes a computation that binds a further number."""
        tests = []
        if self.bound["I"] and self.rnd.random() < 0.4:
            comparison = self.rnd.choice(("equal", "notEqual", "notEqual", "lessThan"))
            tests.append(compared(self._known("I"), comparison, self._known(self.rnd.choice("IIIN"))))
        if not self.bound["N"]:
            return tests
        one, comparison = (
            self._known("N"),
            self.rnd.choice(("lessThan", "equal", "notEqual", "greaterThanOrEqual")),
        )
        if self.rnd.random() < 0.6:
            other = self._known("N") if self.rnd.random() < 0.8 else self.rnd.choice((Literal("n"), EX.i))
            tests.append(compared(one, comparison, other))
        if self.rnd.random() < 0.5:
            operation = self.rnd.choice(("add", "subtract"))
            tests += [computed("W", operation, one, self.rnd.randrange(3)), *_bounds("W")]
            self.bound["N"].append("W")
        return self.rnd.sample(tests, len(tests))  # in any order

    def _head(self, name: str) -> Formula:
        given = atom(name, *(self._known(kind) for kind in KINDS[name]))
        is_dated = Part.AT_HEAD in self.parts and self.rnd.random() < 0.6
        return at(self._known("N"), given) if is_dated else now(given)

    def _argument(self, kind: str) -> str | int:
        """Return an argument, usually a variable."""
        kind = self._kind(kind)
        return self.rnd.choice(VARIABLES[kind]) if self.rnd.random() < 0.93 else self._constant(kind)

    def _known(self, kind: str) -> str | int:
        """Return a bound argument, usually a variable."""
        kind = self._kind(kind)
        is_free = not self.bound[kind] or self.rnd.random() < 0.07
        return self._constant(kind) if is_free else self.rnd.choice(self.bound[kind])

    def _kind(self, kind: str) -> str:
        return self.rnd.choice("IN") if kind == "M" else kind

    def _constant(self, kind: str) -> str | int:
        return self.rnd.choice(INDIVIDUALS) if kind == "I" else self.rnd.choice(NUMBERS)


def _bounds(name: str) -> list[Builtin]:
    """Return tests that keep a counting recursion finite."""
    return [compared(name, "greaterThanOrEqual", 0), compared(name, "lessThan", 10)]


def random_ground_case(rnd: random.Random, ticks: int = 3) -> Case:
    """Return a few ground rules, stratified or not, and a stream."""
    given = [*(atom(f"asserted {name}") for name in "ce"), *map(atom, "cs"), *map(atom, "abx")]

    def formula() -> Formula:
        one, size = rnd.choice(given), rnd.choice((0, 1, 2))
        choices = [now(one), some(one, size), some(one, max(size, 1), times=2), always(one, size)]
        choices += [at(rnd.randrange(ticks), one), at(rnd.randrange(ticks), one, size)]
        if one.is_asserted:
            choices += [some(one, f"{size + 1} #"), always(one, f"{size + 1} #")]
        found = rnd.choice(choices)
        return no(found) if rnd.random() < 0.25 else found

    def head() -> Formula:
        one = atom(rnd.choice("abx"))
        return now(one) if rnd.random() < 0.6 else at(rnd.randint(-1, ticks), one)

    rules = tuple(
        rule(head(), *(formula() for _ in range(rnd.choice((0, 1, 1, 2, 2)))))
        for _ in range(rnd.randint(1, 6))
    )
    atoms = {tick: [one for one in given[:4] if rnd.random() < 0.4] for tick in range(ticks)}
    return Case(rules, Stream.of(0, ticks - 1, atoms))


# -- moving in time --------------------------------------------------------------------------------


def shifted(case: Case, by: int) -> Case:
    """Shift the case in time. Numbers can be ticks, so all numbers are shifted, except summands."""
    atoms = {
        tick + by: [_shifted_atom(each, by) for each in case.stream.at(tick)] for tick in case.stream.timeline
    }
    stream = Stream.of(case.stream.start + by, case.stream.end + by, atoms)
    return Case(tuple(_shifted_rule(each, by) for each in case.rules), stream, case.remembered)


def shifted_atoms(atoms: Iterable[TemporalAtom], by: int) -> frozenset[TemporalAtom]:
    """Shift the atoms of a case in time."""
    return frozenset(_shifted_atom(each, by) for each in atoms)


def _shifted_rule(rule: TemporalRule, by: int) -> TemporalRule:
    def formula(given: Formula) -> Formula:
        time = None if given.time is None else _shifted_term(given.time, by)
        return replace(given, atom=_shifted_atom(given.atom, by), time=time)

    def test(given: Builtin) -> Builtin:
        is_sum = given.name in (SWRLB.add, SWRLB.subtract)
        moved = [_shifted_term(each, by) for each in given.arguments]
        return replace(given, arguments=(*moved[:2], *(given.arguments if is_sum else moved)[2:]))

    return replace(
        rule,
        head=formula(rule.head),
        body=tuple(map(formula, rule.body)),
        tests=tuple(map(test, rule.tests)),
    )


def _shifted_atom(given: TemporalAtom, by: int) -> TemporalAtom:
    return replace(given, arguments=tuple(_shifted_term(each, by) for each in given.arguments))


def _shifted_term(given: Argument, by: int) -> Argument:
    is_number = isinstance(given, Literal) and isinstance(given.value, int | Decimal)
    return Literal(int(given.value) + by) if is_number else given
