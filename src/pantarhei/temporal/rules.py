"""Temporal rules: loading, validation, and the rules of the ontology that their conclusions can fire.

If the head of a temporal rule is a class or property of the ontology, the ontology's rules with it in the
body are added to the program, then the rules that their heads can fire, and so on. Constraints among these
rules are refused, since conclusions are never repaired. With feedback, conclusions are asserted, and
assertions are repaired, so constraints are permitted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple, cast

from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.errors import (
    MalformedInputError,
    MissingFileError,
    TemporalRuleError,
    TemporalTextError,
    check_type,
)
from pantarhei.model.labels import Labels
from pantarhei.model.message_text import TextPosition, disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Argument, Atom, Builtin, Predicate, Rule, names_of
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule
from pantarhei.model.term import short
from pantarhei.model.time import TimePoint, kind_of
from pantarhei.owl.manchester import axiom_text
from pantarhei.owl.name_kinds import is_defined
from pantarhei.rdf.decompression import refuse_unreadable, unreadable
from pantarhei.rules.translation.demand import SAME, Theory, by_class, has_class_variables
from pantarhei.temporal.conclusion_chart import ObservedFacts, ObservedStep, conclusions_svg
from pantarhei.temporal.literal_tests import check_name_comparisons
from pantarhei.temporal.reification import rules_with_literal_subjects
from pantarhei.temporal.rule_form import check_form, check_triples, rule_error
from pantarhei.temporal.rule_warnings import (
    ConstantRule,
    ImpossibleRule,
    UnassertableConclusion,
    UnboundedComputation,
    UnrememberedConclusion,
    constant_rules,
    impossible_rules,
    unbounded_computations,
    unremembered_conclusions,
)
from pantarhei.temporal.safety import check_safety, stratify
from pantarhei.temporal.text.rule_terms import check_prefixes, declarations, names_in_text
from pantarhei.temporal.text.rules_text import RulesText, read_rules

RuleWarning = (
    ConstantRule | ImpossibleRule | UnrememberedConclusion | UnassertableConclusion | UnboundedComputation
)
"""Warning of a construct that is valid but probably not intended."""


@dataclass(frozen=True)
class TemporalRules:
    """Validated temporal rules. `str` returns a text that parses to equal rules.

    Args:
        rules: the rules, in any order.
        remembered: predicates whose conclusions are kept at later ticks, for windows over them.
        start: timestamp of the first tick that windows can contain; None for the stream's first tick minus
            the largest window.
        feedback: true to assert the conclusions of a tick at the next tick.
        prefixes: prefixes that `str` uses.
        written: positions of the `remember` statements, for errors.

    Raises:
        TemporalRuleError: a rule is malformed or unsafe, a conclusion depends on its own absence, or a
            remembered predicate is not concluded.
        TimestampError: `start` is not a timestamp.
        OptionError: a rule is not a TemporalRule.

    >>> rules = load_rules('''
    ...     @prefix : <http://example.org/> .
    ...     hot(V) :- :temp(V, T), T > 80.
    ...     alarm(V) :- hot(V) always in [3].''')
    >>> [(str(name).split("/")[-1], stratum) for name, stratum in rules.strata.items()]
    [('hot', 0), ('alarm', 1)]
    """

    rules: tuple[TemporalRule, ...]
    remembered: frozenset[URIRef] = frozenset()
    start: TimePoint | None = None
    feedback: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict, compare=False)
    written: InitVar[Mapping[URIRef, TextPosition] | None] = None

    __repr__ = short_repr
    _repr_html_ = html_of

    def __post_init__(self, written: Mapping[URIRef, TextPosition] | None) -> None:
        check_prefixes(self.prefixes)
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "remembered", frozenset(self.remembered))
        for rule in self.rules:
            check_type("rules", rule, TemporalRule, "TemporalRule objects from load_rules or rule(…).when(…)")
        check_form(self.rules)
        if self.feedback:
            check_triples(self.rules)
        for rule in self.rules:
            check_safety(rule)
        for predicate in sorted(self.remembered.difference(self.strata)):
            problem = f"{short(predicate)} is declared as remembered, but no rule concludes it"
            expected = "a predicate in the head of a rule"
            raise TemporalRuleError(problem, expected, *(written or {}).get(predicate, ()))
        if self.start is not None:
            kind_of(self.start)

    @property
    def strata(self) -> dict[URIRef, int]:
        """Stratum of each concluded predicate, counted from 0, in ascending order."""
        return stratify(self.rules)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Warnings of constructs that are valid but probably not intended.

        These are constants in place of variables; rules on silence that cannot hold; windows over conclusions
        that are not remembered; with feedback, conclusions that may have a literal as subject; and
        computations that may not terminate.
        """
        return self.warnings_with(self.remembered)

    def warnings_with(self, remembered: Collection[URIRef]) -> tuple[RuleWarning, ...]:
        """Return the warnings if other predicates are remembered, such as those of an ontology."""
        not_assertable = map(
            UnassertableConclusion, rules_with_literal_subjects(self.rules) if self.feedback else ()
        )
        concluded = {rule.head.atom.predicate for rule in self.rules if rule.head.mode is Mode.NOW}
        forgotten = concluded.difference(remembered)
        impossible = impossible_rules(self.rules, forgotten)
        never = {each.rule for each in impossible if each.is_forgotten}
        possible = [rule for rule in self.rules if rule not in never]
        return (
            *constant_rules(self.rules),
            *impossible,
            *unremembered_conclusions(possible, forgotten),
            *not_assertable,
            *unbounded_computations(self.rules),
        )

    def is_equivalent(self, other: TemporalRules) -> bool:
        """Test whether other rules are equal, in any order, with equal options."""
        mine, theirs = (
            (set(each.rules), each.remembered, each.start, each.feedback) for each in (self, other)
        )
        return mine == theirs

    def _shown_parts(self) -> dict[str, object]:
        return {"rules": str(self), "warnings": self.warnings}

    def to_svg(
        self,
        updates: Iterable[ObservedStep],
        labels: Labels | None = None,
        since: TimePoint | None = None,
    ) -> str:
        """Return a picture of the conclusions over time: for each concluded predicate the intervals of its
        conclusions above the intervals, or the times, of the conditions of its rules.

        Six conclusions of each predicate are drawn, with conditions about the same names. Facts that always
        hold are not drawn. Costs linear time in the changes of the updates.

        Args:
            updates: consecutive updates of a reasoner with these rules.
            labels: the names shown for IRIs; by default those of the updates.
            since: the first time of the picture; by default that of the first update.

        Raises:
            OptionError: there are no updates, or none at or after `since`.
            TimestampError: `since` is of another kind than the stream's times.
            DeltaNotKeptError: with `derive="needed"`, if a rule has a condition on states.
        """
        observed = ObservedFacts(self.rules, updates, since)
        shown = observed.labels if labels is None else labels
        return disambiguate(partial(conclusions_svg, self.rules, observed, shown))

    def __str__(self) -> str:
        names = names_in_text(self._iris(), self.prefixes)
        return disambiguate(partial(self._text, declarations(names)), names)

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


def abbreviate_rules(rules: Sequence[TemporalRule]) -> str:
    """Return the first rules as text, and the number of the remaining rules."""
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
    """Load temporal rules from a file or a text, in the notation of Ticker, Laser or the LARS papers.

    Args:
        source: a path, or the text of rules: a str with `:-`, `<-`, `←` or a line break is text.
        start: timestamp of the first tick that windows can contain; None for the stream's first tick minus
            the largest window.
        prefixes: prefixes that the text may use without declaring them; "" is the prefix of bare names.
        feedback: true to assert the conclusions of a tick at the next tick.

    Raises:
        InputError: the file cannot be read, or contains no rule.
        TemporalTextError: the text is malformed, or contains no rule.
        TemporalRuleError: a rule is invalid.
        TimestampError: `start` is not a timestamp.
        OptionError: an argument has a wrong type, or a prefix does not denote an IRI.

    >>> rules = load_rules("alarm(X) :- hot(X) always in [5 min].", prefixes={"": "http://example.org/"})
    >>> print(rules.rules[0])
    alarm(X) :- hot(X) always in [5 min].
    """
    check_type("feedback", feedback, bool, "True or False")
    read = read_source(source, prefixes)
    remembered = frozenset(read.remembered)
    return TemporalRules(read.rules, remembered, start, feedback, read.prefixes, read.remembered)


def read_atom(text: str, prefixes: Mapping[str, str]) -> TemporalAtom | None:
    """Parse an atom in the syntax of temporal rules; None if the text is not an atom.

    >>> str(read_atom("level(:a, 7)", {"": "http://example.org/"}))
    'level(a, 7)'
    """
    try:
        (rule,) = load_rules(f"{text.strip().removesuffix('.')}.\n", prefixes=prefixes).rules
    except (TemporalRuleError, ValueError):
        return None
    return rule.head.atom if not rule.body and rule.head.mode is Mode.NOW else None


def read_source(source: str | PathLike[str], prefixes: Mapping[str, str] | None) -> RulesText:
    """Parse rules from a path, or from a text: a str with `:-`, `<-`, `←` or a line break.

    Raises:
        InputError: the file cannot be read, or contains no rule.
        TemporalTextError: the text is malformed, or contains no rule.
        OptionError: `source` is neither a path nor a text, or a prefix does not denote an IRI.
    """
    if prefixes is not None:
        check_prefixes(prefixes)
    check_type("source", source, str | PathLike, "a path, or the text of rules")
    if not isinstance(source, str):
        return _in_file(source, prefixes)
    if any(sign in source for sign in (":-", "<-", "←", "\n")):
        found = read_rules(source, prefixes)
        if not found.rules:
            raise TemporalTextError("the text has no rule", _RULE)
        return found
    try:
        return _in_file(source, prefixes)
    except MissingFileError as error:
        if not source.rstrip().endswith("."):
            raise
        reason = f"{error.reason}; if this is the text of rules, end it with a line break"
        raise MissingFileError(error.path, reason) from error


_RULE = "a rule such as alarm(X) :- hot(X)."


def _in_file(path: str | PathLike[str], prefixes: Mapping[str, str] | None) -> RulesText:
    found = read_rules(_read(Path(path)), prefixes, str(path))
    if not found.rules:
        raise MalformedInputError(str(path), None, f"it has no rule; expected {_RULE}")
    return found


def _read(path: Path) -> str:
    refuse_unreadable(path)
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise MalformedInputError(str(path), None, f"it is not UTF-8: {error.reason}") from None
    except OSError as error:
        raise unreadable(path, error) from error


class RulesWithOntology(NamedTuple):
    """Temporal rules with the rules of the ontology that their conclusions can fire.

    Args:
        rules: the temporal rules.
        ontology: the rules of the ontology.
        remembered: predicates whose conclusions are remembered: those declared in `rules`, and all concluded
            predicates of the ontology.
        unique_names: true if different names denote different individuals.
    """

    rules: TemporalRules
    ontology: tuple[Rule, ...] = ()
    remembered: frozenset[URIRef] = frozenset()
    unique_names: bool = True


def without_ontology(rules: TemporalRules, unique_names: bool = True) -> RulesWithOntology:
    """Return temporal rules without rules of an ontology."""
    return RulesWithOntology(rules, (), rules.remembered, unique_names)


def with_ontology(rules: TemporalRules, theory: Theory, known: Collection[Predicate]) -> RulesWithOntology:
    """Add the rules of the ontology that the conclusions of temporal rules can fire.

    Costs time linear in the size of the temporal rules and the ontology's rules.

    Args:
        theory: rules and constraints of the ontology.
        known: classes and properties of the ontology.

    Raises:
        TemporalRuleError: without feedback conclusions could violate a constraint; names could become equal;
            the rules together are not stratified; names are compared that may denote one individual; or a
            rule of the ontology has a class variable.
    """
    if not theory.unique_names:
        check_name_comparisons(rules.rules)
    heads = {symbol_of(rule.head.atom): rule.head for rule in reversed(rules.rules)}
    has_any_class = theory.has_class_variables  # a rule of the ontology may have any class in its body
    first_heads = {
        s: head
        for s, head in heads.items()
        if s.name in known or is_defined(s.name) or (has_any_class and s.arity == 1)
    }
    if not first_heads:
        return without_ontology(rules, theory.unique_names)
    fired, reached = _fired(theory, first_heads)
    for rule in fired:
        _check(rule, reached, rules.feedback)
    fired = [rule for rule in fired if rule.head is not None]
    concluded = {symbol.name for symbol in reached if isinstance(symbol.name, URIRef)}
    remembered = rules.remembered | concluded
    replace(
        rules, rules=(*rules.rules, *map(to_temporal_rule, fired)), remembered=remembered
    )  # validates the rules together
    return RulesWithOntology(rules, tuple(fired), remembered, theory.unique_names)


def _fired(theory: Theory, first_heads: dict[Symbol, Formula]) -> tuple[list[Rule], dict[Symbol, Formula]]:
    """Return the rules and constraints that conclusions can fire, and the concluded predicates.

    Each concluded predicate is mapped to the head of the temporal rule that leads to it.
    """
    reached, count = dict(first_heads), 0
    rules: tuple[Rule, ...] = ()
    fired: dict[Rule, None] = {}
    while count < len(reached):  # new predicates may activate further rules
        count = len(reached)
        met = reached if theory.unique_names else {**reached, SAME: None}
        rules = tuple(map(by_class, (*theory.rules, *theory.demanded(met, ()))))
        readers_of: defaultdict[Symbol, list[Rule]] = defaultdict(list)
        of_any_class = [rule for rule in rules if any(atom.has_class_variable for atom in rule.body)]
        for rule in rules:
            for symbol in dict.fromkeys(map(symbol_of, rule.body)):
                readers_of[symbol].append(rule)
        waiting = list(reached)
        for symbol in waiting:
            for rule in (*readers_of[symbol], *_instances(of_any_class, symbol)):
                fired[rule] = None
                if rule.head is not None and (head := symbol_of(rule.head)) not in reached:
                    reached[head] = reached[symbol]
                    waiting.append(head)
    distinct_rules = dict.fromkeys(rules)
    instances = [rule for rule in fired if rule not in distinct_rules]
    return [rule for rule in distinct_rules if rule in fired] + instances, reached


def _instances(rules: Iterable[Rule], symbol: Symbol) -> Iterator[Rule]:
    """Yield instances of rules with a class in place of a class variable."""
    for rule in rules if symbol.arity == 1 else ():
        variables = dict.fromkeys(a.arguments[1] for a in rule.body if a.has_class_variable)
        for variable in variables:

            def argument(given: Argument, replaced: Argument = variable) -> Argument:
                return symbol.name if given == replaced else given

            yield by_class(rule.with_arguments(argument))


def _check(rule: Rule, reached: dict[Symbol, Formula], feedback: bool) -> None:
    """Check that conclusions may be premises of a rule of the ontology.

    Args:
        feedback: true if conclusions are asserted and repaired, so that they may violate constraints.
    """
    if has_class_variables([rule]):
        head = _begun_by(rule, reached)
        name = short(head.atom.predicate)
        given = f"{name} is a premise of {axiom_text(rule)}, which has a class variable"
        raise rule_error(given, "a predicate that occurs in no such premise", head)
    if feedback if rule.head is None else symbol_of(rule.head) != SAME:
        return
    head = _begun_by(rule, reached)
    effect = "violate" if rule.head is None else "make names equal by"

    def problem() -> str:
        name = short(head.atom.predicate)
        return f"{name} belongs to the ontology, and its conclusions can {effect} {axiom_text(rule)}"

    expected = (
        "a predicate from which no violation or equality follows, because conclusions are never repaired"
    )
    if rule.head is None:
        expected += ", unless feedback asserts them"
    raise rule_error(disambiguate(problem, names_of([rule])), expected, head)


def _begun_by(rule: Rule, reached: dict[Symbol, Formula]) -> Formula:
    """Return the head of the temporal rule whose conclusions lead to a rule; a class variable matches any
    class.
    """
    found = [reached[symbol] for symbol in map(symbol_of, rule.body) if symbol in reached]
    return (found or [head for symbol, head in reached.items() if symbol.arity == 1])[0]


def to_temporal_rule(rule: Rule) -> TemporalRule:
    """Convert a rule of the ontology to a temporal rule of the present tick; data ranges are dropped."""
    assert rule.head is not None, "constraints are refused before"
    return TemporalRule(
        _formula(rule.head),
        tuple(map(_formula, rule.body)),
        tuple(test for test in rule.tests if isinstance(test, Builtin)),
    )


def _formula(atom: Atom) -> Formula:
    return Formula(TemporalAtom(cast(URIRef, atom.predicate), atom.arguments))
