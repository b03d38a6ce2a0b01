"""Temporal rules that have been checked, and where they come from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path

from rdflib import Literal, URIRef

from pantarhei.errors import (
    MalformedInputError,
    MissingFileError,
    TemporalRuleError,
    TemporalTextError,
    check_type,
)
from pantarhei.model.display_names import told_apart
from pantarhei.model.messages import Written
from pantarhei.model.temporal_rule import TemporalRule
from pantarhei.model.term import short
from pantarhei.model.time import TimePoint, kind_of
from pantarhei.rdf.first_bytes import refuse_unreadable, unreadable
from pantarhei.temporal.checks.assertable import NotAssertable
from pantarhei.temporal.checks.constants import NameForVariable, names_for_variables
from pantarhei.temporal.checks.endless import Endless, uncompared
from pantarhei.temporal.checks.forgotten import Forgotten, forgotten
from pantarhei.temporal.checks.form import check_form, check_triples
from pantarhei.temporal.checks.safety import check_safety
from pantarhei.temporal.checks.strata import strata
from pantarhei.temporal.text.reading import RulesText, read_rules
from pantarhei.temporal.text.terms import check_prefixes
from pantarhei.temporal.text.writing import declarations, names_in_text
from pantarhei.temporal.tuple_reification import with_literals_in_front

RuleWarning = NameForVariable | Forgotten | NotAssertable | Endless
"""What is allowed, and hardly meant."""


@dataclass(frozen=True)
class TemporalRules:
    """Temporal rules that can be evaluated; `str` gives a text that reads back to the same.

    Args:
        rules: in the order in which they are written, which makes no difference.
        remembered: predicates whose conclusions stay known at later ticks, for windows over them.
        start: the timestamp of the first tick that windows reach back to; None for the stream's first tick
            minus the largest window.
        feedback: whether what is concluded at a tick is asserted at the next.
        prefixes: for `str`.
        written: where it is written that a predicate is remembered, for errors.

    Raises:
        TemporalRuleError: a rule is unsafe, a conclusion rests on its own absence, or something is said that
            cannot be.
        TimestampError: `start` is no timestamp.
        OptionError: a rule is none.
    """

    rules: tuple[TemporalRule, ...]
    remembered: frozenset[URIRef] = frozenset()
    start: TimePoint | None = None
    feedback: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict, compare=False)
    written: InitVar[Mapping[URIRef, Written] | None] = None

    def __post_init__(self, written: Mapping[URIRef, Written] | None) -> None:
        check_prefixes(self.prefixes)
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "remembered", frozenset(self.remembered))
        for rule in self.rules:
            check_type(
                "rules", rule, TemporalRule, "TemporalRule, as load_rules and rule(…).when(…) give them"
            )
        check_form(self.rules)
        if self.feedback:
            check_triples(self.rules)
        for rule in self.rules:
            check_safety(rule)
        self._check_remembered(self.strata, written or {})
        if self.start is not None:
            kind_of(self.start)

    @property
    def strata(self) -> dict[URIRef, int]:
        """The stratum of each predicate that is concluded, from 0, in the order of the strata."""
        return strata(self.rules)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What is allowed, and hardly meant: names where variables are meant; windows that look back at what
        is not remembered; with feedback conclusions that may have a literal in first place, so that they
        cannot be asserted; what may compute without end.
        """
        return self.warnings_with(self.remembered)

    def warnings_with(self, remembered: Collection[URIRef]) -> tuple[RuleWarning, ...]:
        """The same where these predicates are remembered: an ontology has some remembered too."""
        not_assertable = map(NotAssertable, with_literals_in_front(self.rules) if self.feedback else ())
        looking_back = forgotten(self.rules, remembered)
        return (
            *names_for_variables(self.rules),
            *looking_back,
            *not_assertable,
            *uncompared(self.rules),
        )

    def is_equivalent(self, other: TemporalRules) -> bool:
        """Test whether other rules have the same conclusions: the order of rules makes no difference."""
        mine, theirs = (
            (set(each.rules), each.remembered, each.start, each.feedback) for each in (self, other)
        )
        return mine == theirs

    def _check_remembered(self, concluded: Mapping[URIRef, int], written: Mapping[URIRef, Written]) -> None:
        for predicate in sorted(self.remembered.difference(concluded)):
            problem = f"{short(predicate)} is to be remembered, and no rule concludes it"
            raise TemporalRuleError(problem, "the head of a rule", *written.get(predicate, ()))

    def __str__(self) -> str:
        names = names_in_text(self._iris(), self.prefixes)
        return told_apart(partial(self._text, declarations(names)), names)

    def _text(self, declared: list[str]) -> str:
        remembered = (
            [f"remember {', '.join(map(short, sorted(self.remembered)))}."] if self.remembered else []
        )
        return "".join(f"{line}\n" for line in (*declared, *remembered, *self.rules))

    def _iris(self) -> Iterator[URIRef]:
        yield from self.remembered
        for rule in self.rules:
            yield from (formula.atom.predicate for formula in rule.formulas)
            yield from (test.name for test in rule.tests)
            terms = [term for formula in rule.formulas for term in (*formula.atom.arguments, formula.time)]
            for term in (*terms, *(term for test in rule.tests for term in test.arguments)):
                if isinstance(term, URIRef):
                    yield term
                elif isinstance(term, Literal) and term.datatype is not None:
                    yield term.datatype


_MOST_SHOWN = 3


def shown_rules(rules: Sequence[TemporalRule]) -> str:
    """Return the first of some rules as text."""
    texts = [str(rule) for rule in rules[:_MOST_SHOWN]]
    if len(rules) > _MOST_SHOWN:
        texts.append(f"and {len(rules) - _MOST_SHOWN} more")
    return " ".join(texts) or "no further rule"


def load_rules(
    source: str | PathLike[str],
    start: TimePoint | None = None,
    prefixes: Mapping[str, str] | None = None,
    *,
    feedback: bool = False,
) -> TemporalRules:
    """Read temporal rules, in Ticker's, Laser's or the paper's notation.

    Args:
        source: a path, or the rules themselves: a str that has `:-`, `<-`, `←` or a line break is text.
        start: the timestamp of the first tick that windows reach back to; None for the stream's first tick
            minus the largest window.
        prefixes: those that the text may use without declaring them; "" is that of bare names.
        feedback: whether what is concluded at a tick is asserted at the next.

    Raises:
        InputError: the file cannot be read, or has no rule.
        TemporalTextError: the text is malformed, or has no rule.
        TemporalRuleError: what it says is refused.
        TimestampError: `start` is no timestamp.
        OptionError: what is given is of another type, or a prefix stands for no IRI.

    >>> rules = load_rules("alarm(X) :- hot(X) always in [5 min].", prefixes={"": "http://example.org/"})
    >>> print(rules.rules[0])
    alarm(X) :- hot(X) always in [5 min].
    """
    check_type("feedback", feedback, bool, "True or False")
    read = read_source(source, prefixes)
    remembered = frozenset(read.remembered)
    return TemporalRules(read.rules, remembered, start, feedback, read.prefixes, read.remembered)


def read_source(source: str | PathLike[str], prefixes: Mapping[str, str] | None) -> RulesText:
    """The rules that a path leads to, or of a text: what has `:-`, `<-`, `←` or a line break.

    Raises:
        InputError: the file cannot be read, or has no rule.
        TemporalTextError: the text is malformed, or has no rule.
        OptionError: it is neither, or a prefix stands for no IRI.
    """
    if prefixes is not None:
        check_prefixes(prefixes)
    check_type("source", source, str | PathLike, "a path, or the text of rules")
    if not isinstance(source, str):
        return _in_file(source, prefixes)
    if any(sign in source for sign in (":-", "<-", "←", "\n")):
        found = read_rules(source, prefixes)
        if not found.rules:
            raise TemporalTextError("there is no rule in the text", "one such as alarm(X) :- hot(X).")
        return found
    try:
        return _in_file(source, prefixes)
    except MissingFileError as error:
        if not source.rstrip().endswith("."):
            raise
        reason = f"{error.reason}; if it is the text of rules, put a line break behind it"
        raise MissingFileError(error.path, reason) from error


def _in_file(path: str | PathLike[str], prefixes: Mapping[str, str] | None) -> RulesText:
    found = read_rules(_read(Path(path)), prefixes, str(path))
    if not found.rules:
        raise MalformedInputError(str(path), None, "there is no rule in it")
    return found


def _read(path: Path) -> str:
    refuse_unreadable(path)
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise MalformedInputError(str(path), None, f"it is no UTF-8: {error.reason}") from None
    except OSError as error:
        raise unreadable(path, error) from error
