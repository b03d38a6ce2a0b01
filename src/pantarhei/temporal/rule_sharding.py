"""Check that shards together draw the same conclusions from temporal rules as one reasoner.

Assertions are sent to the shard of their subject's key; each shard contains the background
(`rules/sharding/locality`). A rule is *key-local* if all atoms of its body that match facts of the stream,
negated atoms included, have a common key, and at least one positive atom matches no background fact. Then the
body can hold in the shard of that key only, and this shard has all facts that the body reads. Conclusions
stay in the shard that draws them, so the analysis propagates through the rules which of their arguments have
the shard's key. With feedback a shard asserts its conclusions, so their subject must have its key.

Each shard begins at its first row, so shards begin at different ticks. Therefore a rule must not depend on
the ticks at which background facts held, nor on conclusions at a tick that no window bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import combinations
from typing import NamedTuple

from pantarhei.encoding.numbers import symbol_of
from pantarhei.errors import NotKeyLocalRuleError
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TupleWindow, term_text
from pantarhei.model.term import short
from pantarhei.rules.sharding.key_flow import KeyClasses, KeyedAtom
from pantarhei.rules.sharding.key_map import Key
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.temporal.rules import RulesWithOntology, TemporalRules, to_temporal_rule
from pantarhei.temporal.safety import is_unbounded

_ONE_KEY = "a common key of all atoms, or a stream without shard_by"
_AT_SUBJECT = frozenset((0,))


def check_key_local(given: RulesWithOntology, report: ShardingReport, key: Key) -> None:
    """Check that each rule derives its conclusions within one shard. The cost is linear in the rules.

    The check is conservative: it also refuses some rules that do so.

    Args:
        given: the rules, with the rules of the ontology that they fire.
        report: sharding report of the ontology's program, which is key-local for `key`.
        key: the sharding key.

    Raises:
        NotKeyLocalRuleError: a rule joins or negates facts of different shards; it can hold by the background
            alone; it reads the last assertions; or it reads ticks that other shards lack. With feedback also:
            its conclusion belongs to another shard, or is a fact that streams must not assert.
    """
    check_needs_no_order(given.rules)
    _KeyAnalysis(given, report, key).check()


def check_needs_no_order(rules: TemporalRules) -> None:
    """Check that no rule has a window of the last assertions, since rows of a DataFrame have no order.

    Raises:
        NotKeyLocalRuleError: a rule has such a window.
    """
    for rule in rules.rules:
        for formula in rule.body:
            if isinstance(formula.window, TupleWindow):
                obstacle = (
                    f"{formula} counts assertions in their order, but rows of a DataFrame have no order"
                )
                raise _refused(obstacle, "a window of ticks or of time", formula, rule)


class _TemporalBody(NamedTuple):
    """Rule whose variables are partitioned into classes with equal keys."""

    rule: TemporalRule
    formulas: tuple[KeyedAtom[Formula], ...]
    head: KeyedAtom[Formula]


class _KeyAnalysis:
    """Analysis of the keys of rules; see the module.

    Args:
        given: the rules, with the rules of the ontology that they fire.
        report: sharding report of the ontology's program.
        key: the sharding key.
    """

    def __init__(self, given: RulesWithOntology, report: ShardingReport, key: Key) -> None:
        self._given, self._report, self._key = given.rules, report, key
        self._places, self._keys = report.places[key], report.maps[key]
        rules = (*given.rules.rules, *map(to_temporal_rule, given.ontology))
        # argument positions of conclusions with the key of their shard, narrowed to the greatest fixpoint
        self._concluded = {
            symbol_of(rule.head.atom): frozenset(range(len(rule.head.atom.arguments))) for rule in rules
        }
        self._bodies = list(map(self._body, rules))

    def check(self) -> None:
        """Check all rules; see `check_key_local`."""
        while self._narrow():
            pass
        for body in self._bodies:
            self._check_one_key(body)
        for body in self._bodies[: len(self._given.rules)]:
            self._check_rests_on_stream(body.rule)
            if self._given.feedback:
                self._check_feedback(body)
            for formula in body.rule.body:
                self._check_ticks(formula, body.rule)

    def _narrow(self) -> bool:
        """Remove argument positions of conclusions without the shard's key; true if any was removed."""
        before = dict(self._concluded)
        for body in self._bodies:
            shared = _shared(self._streaming(body).values())
            keyed = (place for place, class_ in enumerate(body.head.classes) if class_ in shared)
            self._concluded[symbol_of(body.rule.head.atom)] &= frozenset(keyed)
        return before != self._concluded

    def _check_one_key(self, body: _TemporalBody) -> None:
        streaming = self._streaming(body)
        if not _shared(streaming.values()):
            raise self._parted(body.rule, streaming)

    def _check_rests_on_stream(self, rule: TemporalRule) -> None:
        """Check that a temporal rule cannot hold by the background alone, hence in each shard."""
        if not any(map(self._is_in_one_shard, rule.body)):
            obstacle = (
                f"{rule} may hold without any row of the stream, so each shard would conclude it from the "
                "background"
            )
            raise _refused(obstacle, _ONE_KEY, rule)

    def _check_feedback(self, body: _TemporalBody) -> None:
        """Check that a conclusion's assertion belongs to the shard that draws it."""
        rule, head = body.rule, body.rule.head.atom
        feedback = f"{rule}: with feedback {head} is asserted"
        if not self._report.admits(head.predicate, len(head.arguments) == 1):
            name = short(head.predicate)
            obstacle = f"{feedback}, but a stream sharded by {self._keys.name} must not assert {name}"
            expected = f"{name} in streaming=[…] if this option is given, or another predicate in the head"
            raise _refused(obstacle, expected, rule.head, rule)
        shared = _shared(self._streaming(body).values())
        if not body.head.at(self._asserted_positions(head)) <= shared:
            of_object = body.head.classes[0] in shared
            owner = self._keys.written(head.arguments[of_object], term_text)
            obstacle = f"{feedback} by the shard that concludes it, but it belongs to the shard of {owner}"
            expected = (
                "a head whose subject has the key of the body, and so has the object if it is colocated"
            )
            raise _refused(obstacle, expected, rule.head, rule)

    def _parted(
        self, rule: TemporalRule, streaming: dict[Formula, frozenset[Hashable]]
    ) -> NotKeyLocalRuleError:
        """Return the error that the formulas of a rule have no common key."""
        if not streaming:
            return _refused(f"{rule} may hold without any row of the stream", _ONE_KEY, rule)
        pairs = (pair for pair in combinations(streaming, 2) if not streaming[pair[0]] & streaming[pair[1]])
        parted = next(pairs, tuple(streaming))
        where = "; ".join(
            self._keys.location(each, each.atom.arguments, self._positions(each.atom) or (), term_text)
            for each in parted
        )
        obstacle = f"{rule} joins several shards by {self._keys.name}: {where}"
        return _refused(obstacle, _ONE_KEY, parted[-1], rule)

    def _check_ticks(self, formula: Formula, rule: TemporalRule) -> None:
        """Check that a formula does not depend on the tick at which the shard began."""
        atom = formula.atom
        counts = formula.mode in (Mode.ALWAYS, Mode.AT) or formula.times > 1
        if counts and not atom.is_asserted and symbol_of(atom) in self._places.given:
            obstacle = (
                f"{formula} depends on the ticks of the background, but shards begin at different ticks"
            )
            raise _refused(f"{rule}: {obstacle}", f"{atom}, without a window", formula, rule)
        if is_unbounded(formula) and symbol_of(atom) in self._concluded and self._given.start is None:
            obstacle = f"{formula} reads conclusions at all ticks, but shards begin at different ticks"
            raise _refused(f"{rule}: {obstacle}", "a window, or load_rules(…, start=…)", formula, rule)

    # -- places --------------------------------------------------------------------------------------

    def _streaming(self, body: _TemporalBody) -> dict[Formula, frozenset[Hashable]]:
        """Return the formulas that match facts of the stream or conclusions, with their key classes."""
        positions = ((each, self._positions(each.atom.atom)) for each in body.formulas)
        return {each.atom: each.at(found) for each, found in positions if found is not None}

    def _positions(self, atom: TemporalAtom) -> frozenset[int] | None:
        """Return the argument positions that have the shard's key in facts of the stream and conclusions.

        None if all matching facts are background.
        """
        if atom.is_asserted:
            return self._asserted_positions(atom)
        symbol = symbol_of(atom)
        stated = self._report.positions(self._key, symbol) if symbol.arity in (1, 2) else None
        concluded = self._concluded.get(symbol)
        if stated is None or concluded is None:
            return concluded if stated is None else stated
        return stated & concluded

    def _asserted_positions(self, atom: TemporalAtom) -> frozenset[int]:
        """Return the argument positions that have the shard's key in assertions."""
        is_promised = self._report.is_promised(self._key, atom.predicate) and len(atom.arguments) == 2
        return frozenset((0, 1)) if is_promised else _AT_SUBJECT

    def _links(self, atom: TemporalAtom) -> bool:
        """Return whether all facts that match an atom connect names of equal key."""
        if atom.is_asserted:
            return len(self._asserted_positions(atom)) == 2
        return symbol_of(atom) in self._places.keeping and symbol_of(atom) not in self._concluded

    def _is_in_one_shard(self, formula: Formula) -> bool:
        """Test whether a formula can hold in the shard of its key only."""
        is_given = symbol_of(formula.atom) in self._places.given and not formula.atom.is_asserted
        return not (formula.is_negated or is_given or self._positions(formula.atom) is None)

    def _body(self, rule: TemporalRule) -> _TemporalBody:
        atoms = (each.atom for each in rule.body if not each.is_negated)
        classes = KeyClasses(self._keys, (atom.arguments for atom in atoms if self._links(atom)))
        formulas = tuple(classes.keyed(each, each.atom.arguments) for each in rule.body)
        return _TemporalBody(rule, formulas, classes.keyed(rule.head, rule.head.atom.arguments))


def _shared(keys: Collection[frozenset[Hashable]]) -> frozenset[Hashable]:
    """Return the keys that all formulas have; empty if no formula matches facts of the stream."""
    return frozenset.intersection(*keys) if keys else frozenset()


def _refused(obstacle: str, expected: str, *places: Formula | TemporalRule) -> NotKeyLocalRuleError:
    written = next((place.written for place in places if place.written), None)
    return NotKeyLocalRuleError(obstacle, expected, *(written or ()))
