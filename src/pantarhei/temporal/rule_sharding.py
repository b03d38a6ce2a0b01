"""Which temporal rules shards evaluate as one reasoner does, each shard over what it holds.

Assertions go to the shard of their subject's key; the background is in each (`rules/sharding/locality`). A
rule is *key-local* if the atoms of its body that stream, negated ones included, have one key in common, and
one that is not negated has no facts of the background. Then its body holds in the shard of that key alone,
and this shard has all that the body looks at. Conclusions stay in the shard that draws them: which of their
arguments have its key is followed from rule to rule. With feedback a shard asserts what it has concluded, so
the subject of that must have its key.

Shards begin at different ticks, each with the first row that reaches it. So a rule must not ask at which
ticks the background held, nor for conclusions at a tick that no window bounds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.errors import NotKeyLocalRuleError
from pantarhei.model.graphs import Groups
from pantarhei.model.rule import Argument
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TupleWindow, term_text
from pantarhei.model.term import short
from pantarhei.rules.sharding.sharding_report import SUBJECT, Key, ShardingReport
from pantarhei.temporal.rules import RulesWithOntology, TemporalRules, symbol_of, to_temporal_rule
from pantarhei.temporal.safety import is_unbounded

_ONE_KEY = "atoms that have one key, or a stream without shard_by"
_AT_SUBJECT = frozenset((0,))


def check_key_local(given: RulesWithOntology, report: ShardingReport, key: Key) -> None:
    """Refuse rules that are not key-local, as far as can be told. Costs the size of the rules.

    Args:
        given: the rules, and those of the ontology that join them.
        report: of a program that is key-local for `key`.

    Raises:
        NotKeyLocalRuleError: a rule joins or negates what may be in two shards, rests on the background
            alone, looks at the last assertions, or at ticks that other shards do not have; or what it
            concludes is to be asserted, and belongs to another shard, or the stream must not assert it.
    """
    check_needs_no_order(given.rules)
    _Reading(given, report, key).check()


def check_needs_no_order(rules: TemporalRules) -> None:
    """Refuse windows of the last assertions: the rows of a DataFrame have no order.

    Raises:
        NotKeyLocalRuleError: a rule has one.
    """
    for rule in rules.rules:
        for formula in rule.body:
            if isinstance(formula.window, TupleWindow):
                obstacle = (
                    f"{formula} counts all assertions in their order, and rows of a DataFrame have none"
                )
                raise _refused(obstacle, "a window of ticks or of time", formula, rule)


class _Streaming(NamedTuple):
    """A formula that looks at what streams, with all that has the key of the shard where it is found."""

    formula: Formula
    keys: frozenset[Hashable]


class _Reading:
    """Reads rules with a key in mind.

    Args:
        given: the rules, and those of the ontology that join them.
        report: of the ontology.
        key: what shards are made by.
    """

    def __init__(self, given: RulesWithOntology, report: ShardingReport, key: Key) -> None:
        self._given, self._report, self._key = given.rules, report, key
        self._all = (*given.rules.rules, *map(to_temporal_rule, given.ontology))
        self._places, self._keys = report.places[key], report.maps[key]
        # the arguments of conclusions that have the key of their shard
        self._concluded = {symbol_of(rule.head.atom): _all_places(rule.head.atom) for rule in self._all}

    def check(self) -> None:
        """Raise what `check_key_local` does."""
        while self._narrow():
            pass
        for rule in self._all:
            self._check_one_key(rule)
        for rule in self._given.rules:
            self._check_rests_on_stream(rule)
            if self._given.feedback:
                self._check_feedback(rule)
            for formula in rule.body:
                self._check_ticks(formula, rule)

    def _narrow(self) -> bool:
        """Take from conclusions the places in which some rule has no key; whether there were any."""
        before = dict(self._concluded)
        for rule in self._all:
            classes, head = self._classes(rule), rule.head.atom
            shared = _shared(self._streaming(rule, classes))
            keyed = (
                place
                for place, each in enumerate(head.arguments)
                if classes.leader(self._keyed(each)) in shared
            )
            self._concluded[symbol_of(head)] &= frozenset(keyed)
        return before != self._concluded

    def _check_one_key(self, rule: TemporalRule) -> None:
        streaming = self._streaming(rule, self._classes(rule))
        if not _shared(streaming):
            raise self._parted(rule, streaming)

    def _check_rests_on_stream(self, rule: TemporalRule) -> None:
        """That no shard concludes by the background alone; of the ontology's rules that is no matter."""
        if not any(
            self._is_in_one_shard(formula) for formula, _ in self._streaming(rule, self._classes(rule))
        ):
            obstacle = "what it asks for may hold in every shard, by the background"
            raise _refused(f"{rule} rests on no row of the stream: {obstacle}", _ONE_KEY, rule)

    def _check_feedback(self, rule: TemporalRule) -> None:
        """That the shard which concludes something is the one to which its assertion belongs."""
        head, classes = rule.head.atom, self._classes(rule)
        told = f"{rule}: with feedback {head} is asserted"
        if not self._report.admits(head.predicate, len(head.arguments) == 1):
            name = short(head.predicate)
            obstacle = f"{told}, and the stream must not assert {name} where it is sharded by {self._named}"
            expected = f"{name} in streaming=[…], where that is given; or a head of another name"
            raise _refused(obstacle, expected, rule.head, rule)
        if classes.leader(self._keyed(head.arguments[0])) not in _shared(self._streaming(rule, classes)):
            obstacle = (
                f"{told} by the shard that concludes it, and belongs to that of {self._shard_of(head, 0)}"
            )
            raise _refused(obstacle, "a head whose subject has the key of the body", rule.head, rule)

    def _parted(self, rule: TemporalRule, streaming: list[_Streaming]) -> NotKeyLocalRuleError:
        """The error that the formulas of a rule share no key."""
        if not streaming:
            return _refused(f"{rule} rests on no row of the stream", _ONE_KEY, rule)
        pairs = (pair for pair in combinations(streaming, 2) if not pair[0].keys & pair[1].keys)
        parted = next(pairs, streaming)
        where = "; ".join(self._where(formula) for formula, _ in parted)
        return _refused(
            f"{rule} looks into several shards by {self._named}: {where}", _ONE_KEY, parted[-1].formula, rule
        )

    def _check_ticks(self, formula: Formula, rule: TemporalRule) -> None:
        """That it does not matter when the shard began."""
        atom = formula.atom
        counts = formula.mode in (Mode.ALWAYS, Mode.AT) or formula.times > 1
        if counts and not atom.is_asserted and symbol_of(atom) in self._places.given:
            obstacle = f"{formula} asks when the background held, which begins at another tick in each shard"
            raise _refused(f"{rule}: {obstacle}", f"{atom}, without a window", formula, rule)
        if is_unbounded(formula) and symbol_of(atom) in self._concluded and self._given.start is None:
            obstacle = (
                f"{formula} asks for conclusions at all ticks, which begin at another one in each shard"
            )
            raise _refused(f"{rule}: {obstacle}", "a window, or load_rules(…, start=…)", formula, rule)

    # -- places --------------------------------------------------------------------------------------

    def _streaming(self, rule: TemporalRule, classes: Groups[Hashable]) -> list[_Streaming]:
        found = []
        for formula in rule.body:
            arguments, positions = formula.atom.arguments, self._positions(formula.atom)
            if positions is not None:
                keys = frozenset(classes.leader(self._keyed(arguments[place])) for place in positions)
                found.append(_Streaming(formula, keys))
        return found

    def _positions(self, atom: TemporalAtom) -> frozenset[int] | None:
        """Which arguments have the key of the shard in what streams; None where all is the background's."""
        if atom.is_asserted:
            return _AT_SUBJECT
        symbol = symbol_of(atom)
        stated = self._report.positions(self._key, symbol) if symbol.arity in (1, 2) else None
        concluded = self._concluded.get(symbol)
        if stated is None or concluded is None:
            return concluded if stated is None else stated
        return stated & concluded

    def _is_in_one_shard(self, formula: Formula) -> bool:
        """Whether the formula holds in the shard of its key alone."""
        is_given = symbol_of(formula.atom) in self._places.given and not formula.atom.is_asserted
        return not (formula.is_negated or is_given)

    def _classes(self, rule: TemporalRule) -> Groups[Hashable]:
        """What has one key in a rule: terms that are the same, and those that the background links."""
        classes: Groups[Hashable] = Groups()
        keeping = self._places.keeping - self._concluded.keys()
        for formula in rule.body:
            if symbol_of(formula.atom) in keeping and not (formula.is_negated or formula.atom.is_asserted):
                classes.unite(map(self._keyed, formula.atom.arguments))
        return classes

    def _keyed(self, argument: Argument) -> Hashable:
        """What arguments share that have one key whatever they are bound to; no variable equals a key."""
        return argument if isinstance(argument, Variable) else (self._keys.value_of(argument),)

    # -- words ---------------------------------------------------------------------------------------

    def _where(self, formula: Formula) -> str:
        positions = self._positions(formula.atom)
        if not positions:
            return f"{formula} may be in any shard"
        return f"{formula} is in the shard of {self._shard_of(formula.atom, min(positions))}"

    def _shard_of(self, atom: TemporalAtom, place: int) -> str:
        """The key of an argument."""
        argument = atom.arguments[place]
        is_of_key = self._key == SUBJECT or not isinstance(argument, Variable)
        shown = term_text(argument if isinstance(argument, Variable) else self._keys.of(argument))
        return shown if is_of_key else f"{self._named}({shown})"

    @property
    def _named(self) -> str:
        return SUBJECT if self._key == SUBJECT else short(URIRef(self._key))


def _all_places(atom: TemporalAtom) -> frozenset[int]:
    return frozenset(range(len(atom.arguments)))


def _shared(streaming: Iterable[_Streaming]) -> frozenset[Hashable]:
    """The keys that all have; none where nothing streams."""
    keys = [each.keys for each in streaming]
    return frozenset.intersection(*keys) if keys else frozenset()


def _refused(obstacle: str, expected: str, *places: Formula | TemporalRule) -> NotKeyLocalRuleError:
    written = next((place.written for place in places if place.written), None)
    return NotKeyLocalRuleError(obstacle, expected, *(written or ()))
