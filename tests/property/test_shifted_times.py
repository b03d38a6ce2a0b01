"""Shift invariance: a stream moved by a constant has the same answers, moved by it, below 0 and across it."""

import random
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph

import pantarhei as pr
from counts import cases
from driven_rules import DRIVING, PUSHED, E, driving_rules, feedback_rules
from lars_programs import shifted, shifted_atoms
from lars_reasoners import COVERED, NO_AXIOMS, case_of, have_strata, triple
from pantarhei.errors import InconsistentOntologyError, OptionError, QueryError, TemporalRuleError
from pantarhei.model.temporal_rule import TimeWindow
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.shards.router import Router
from pantarhei.spark.shards.shard import Shard
from random_queries import ONTOLOGY, random_dataset, random_query
from shard_rows import processed, rows
from sharded_rules import EX, Sharded
from stream_texts import Case as TextCase
from stream_texts import told

SEEDS = st.integers(0, 1 << 30)
FAR = 1200
"""A shift to times later than 0 by more than any window reaches back."""

HOW = ("", "", "", "", "restore", "forget", "undo", "advance")
"""What happens before a push; it makes no difference to what is concluded."""


def shift(rnd, step=1):
    """Draw a shift below 0, mostly one with which the stream passes 0."""
    return -step * (
        rnd.randint(1, 16) if rnd.random() < 0.8 else rnd.choice((100, 1 << 31, 1 << 33, 1 << 40))
    )


def back(at, by):
    """Undo a shift."""
    return None if at is None else at - by


def turns(update, by):
    return [
        (back(turn.at, by), shifted_atoms(turn.added, -by), shifted_atoms(turn.removed, -by))
        for turn in update.conclusions.turns
    ]


# -- temporal rules --------------------------------------------------------------------------------


class Temporal:
    """Random temporal rules, and a stream with restores, undone steps and jumps.

    Args:
        seed: of all that is random.
        fragment: the part of the language.
    """

    def __init__(self, seed, fragment):
        self.rnd = rnd = random.Random(f"{seed} {fragment}")
        self.case = case_of(seed, COVERED[fragment])
        self.slide = rnd.choice((None, None, 1, 2, 3))
        length = rnd.randint(0, 3) if self.slide in (None, 1) else self.slide * rnd.randint(1, 3)
        closed = rnd.choice(("both", "right")) if self.slide is not None and length else "both"
        self.window = pr.Window(length, self.slide, closed=closed)
        stream = self.case.stream
        ticks = [tick for tick in stream.timeline if tick == stream.start or rnd.random() < 0.6]
        self.start = rnd.choice((None, None, stream.start + rnd.randint(-3, 3)))
        self.steps = [
            (tick, rnd.choice(("", "", "", "", "restore", "forget", "advance", "undo"))) for tick in ticks
        ]

    def transcript(self, by):
        """What is concluded step by step of the case moved by a constant, moved back."""
        case = shifted(self.case, by)
        rules = pr.TemporalRules(case.rules, case.remembered, None if self.start is None else self.start + by)
        reasoner = pr.StreamReasoner(NO_AXIOMS, self.window, temporal=rules)
        for tick, before in self.steps:
            facts = [triple(atom) for atom in case.stream.at(tick + by) if atom.is_asserted]
            reasoner = disturbed(reasoner, before, tick + by, facts, NO_AXIOMS)
            if before == "advance":
                yield turns(reasoner.advance(tick + by), by)
            yield turns(reasoner.push(tick + by, facts), by)
            yield shifted_atoms(reasoner.atoms(), -by), back(reasoner.next_turn, by)


def disturbed(reasoner, how, at, facts, ontology):
    """A reasoner to which something happens that must make no difference."""
    if how == "restore":
        return pr.StreamReasoner.restore(reasoner.snapshot(), ontology)
    if how == "forget":
        reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step
    if how == "undo":
        with suppress(ZeroDivisionError), reasoner.all_or_nothing():
            reasoner.push(at, facts)
            reasoner.advance(at + 2 * (timedelta(seconds=1) if isinstance(at, datetime) else 1))
            raise ZeroDivisionError
    return reasoner


def transcript(case, by):
    """All of a transcript; the error that ended it, if one did."""
    found = []
    try:
        found += case.transcript(by)
    except TemporalRuleError as error:
        found.append(type(error))
    return found


@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(3, 40, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_rules_conclude_of_a_shifted_stream_what_they_do_of_it(fragment, seed):
    case = Temporal(seed, fragment)
    if have_strata(case.case.rules):
        by = shift(case.rnd, case.slide or 1)
        assert transcript(case, by) == transcript(case, FAR), f"by {by}\n{case.case}"


class OfClock(Temporal):
    """The same where times are datetimes or floats; a tick is a second, or a half."""

    def __init__(self, seed, fragment):
        super().__init__(seed, fragment)
        self.is_date = self.rnd.random() < 0.6
        second = timedelta(seconds=1) if self.is_date else 0.5
        self.epoch = datetime(1970, 1, 1, tzinfo=UTC) if self.is_date else 0.0
        self.second, slide = second, self.slide or 1
        length = slide * second * self.rnd.randint(1, 3)
        self.window = pr.Window(length, slide * second, closed=self.rnd.choice(("both", "right")))

    def time(self, tick):
        return self.epoch + tick * self.second

    def transcript(self, by):
        rules = (
            tuple(replace(rule, body=tuple(map(self.clocked, rule.body))) for rule in self.case.rules)
            if self.is_date
            else self.case.rules
        )
        start = None if self.start is None else self.time(self.start + by)
        reasoner = pr.StreamReasoner(
            NO_AXIOMS, self.window, temporal=pr.TemporalRules(rules, self.case.remembered, start)
        )
        for tick, before in self.steps:
            at, facts = self.time(tick + by), [triple(a) for a in self.case.stream.at(tick) if a.is_asserted]
            reasoner = disturbed(reasoner, before, at, facts, NO_AXIOMS)
            update = reasoner.push(at, facts)
            yield [(self.tick(turn.at) - by, turn.added, turn.removed) for turn in update.conclusions.turns]
            yield (
                reasoner.atoms(),
                back(None if reasoner.next_turn is None else self.tick(reasoner.next_turn), by),
            )

    def tick(self, at):
        return round((at - self.epoch) / self.second, 4)  # a time may be a nanosecond later than its tick

    def clocked(self, formula):
        if not isinstance(formula.window, TimeWindow):
            return formula
        size = timedelta(seconds=formula.window.size * (self.slide or 1))
        return replace(formula, window=TimeWindow(size))


@pytest.mark.parametrize("fragment", ["always and negation", "remember", "tuples", "wide"])
@settings(max_examples=cases(4, 25, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_before_1970_rules_conclude_what_they_do_after_it(fragment, seed):
    case = OfClock(seed, fragment)
    if have_strata(case.case.rules):
        by = -(case.slide or 1) * case.rnd.choice((*range(1, 17), 100, 10_000_000))
        assert transcript(case, by) == transcript(case, FAR), f"by {by}\n{case.case}"


class OverRepairs:
    """Rules over an ontology whose contradictions are repaired, with and without feedback."""

    def __init__(self, seed, feedback):
        self.rnd, self.feedback = random.Random(seed), feedback
        rnd = self.rnd
        self.rules = (feedback_rules if feedback else driving_rules)(rnd)
        self.remembered = frozenset(rule.head.atom.predicate for rule in self.rules if rnd.random() < 0.5)
        self.slide = rnd.choice((1, 1, 3))
        self.range = rnd.choice((3, 4, 6)) if self.slide > 1 else rnd.randint(0, 4)
        self.start, at, self.steps = rnd.choice((None, None, rnd.randint(-6, 20))), 0, []
        for _ in range(10):
            facts = [(E[who], RDF.type, E[rnd.choice(PUSHED)]) for who in "vw" if rnd.random() < 0.6]
            self.steps.append((at, facts, rnd.choice(HOW)))
            at += rnd.choice((0, 1, 1, 1, 2, 5))

    def transcript(self, by):
        start = None if self.start is None else self.start + by
        rules = pr.TemporalRules(self.rules, self.remembered, start, self.feedback)
        reasoner = pr.StreamReasoner(DRIVING, pr.Window(self.range, self.slide), temporal=rules)
        for at, facts, before in self.steps:
            reasoner = disturbed(reasoner, before, at + by, facts, DRIVING)
            update = reasoner.push(at + by, facts)
            yield turns(update, by), [(fed.at - by, fed.facts) for fed in update.fed_back]
            yield reasoner.atoms(), reasoner.materialization(), back(reasoner.next_turn, by)
            yield {(told - by, fact) for told, fact in reasoner.assertions()}, reasoner.stats().fed_back
            for atom in reasoner.atoms():
                reasoner.explain(atom)  # or it would raise


@pytest.mark.parametrize("feedback", [False, True])
@settings(max_examples=cases(4, 60, long=4_000), deadline=None)
@given(seed=SEEDS)
def test_repairs_and_feedback_move_with_the_stream(feedback, seed):
    case = OverRepairs(seed, feedback)
    by = shift(case.rnd, case.slide)
    assert transcript(case, by) == transcript(case, FAR), f"by {by}\n{case.rules}\n{case.steps}"


# -- windows, registered queries, checkpoints --------------------------------------------------------

LOADED = pr.load_ontology(Graph().parse(data=ONTOLOGY))
METHODS = ("exact", "exact", "grounded", "algorithm3", "off")


class Windows:
    """A reasoner with a random window and options, and registered queries with windows of their own."""

    def __init__(self, seed):
        self.rnd = rnd = random.Random(seed)
        triples, _ = random_dataset(rnd, is_plain=True)
        self.range, self.slide = rnd.randint(3, 9), rnd.choice((None, 1, 2, 3))
        self.origin, self.closed = rnd.choice((0, 1)), rnd.choice(("both", "right"))
        self.options = {
            "keep": rnd.choice(("newest", "every")),
            "repair": rnd.choice(METHODS),
            "derive": rnd.choice(("all", "all", "needed")),
            "history": pr.History(rnd.choice((0, 2, 1000))),
        }
        self.queries = [self.query() for _ in range(rnd.randint(0, 3))]
        at, self.steps = rnd.randint(0, 2), []
        for _ in range(12):
            self.steps.append((at, rnd.sample(triples, rnd.randint(0, 5)), rnd.choice(HOW)))
            at += rnd.choice((0, 1, 1, 1, 2, 4))

    def query(self):
        rnd = self.rnd
        on = tuple({rnd.choice(("change", "close", "non-empty", 2, 3)) for _ in range(rnd.randint(1, 2))})
        text = random_query(rnd)
        window = (
            rnd.randint(1, 3),
            rnd.choice((None, 1, 2, 3, 7)),
            rnd.choice((0, 1)),
            rnd.choice(("both", "right", "left")),
        )
        return text, window, on, rnd.choice(("delta", "istream", "dstream", "rstream"))

    def transcript(self, by):
        window = pr.Window(self.range, self.slide, self.origin + by, self.closed)
        reasoner = pr.StreamReasoner(LOADED, window, **self.options)
        for text, (length, slide, origin, closed), on, emit in self.queries:
            if "GRAPH" not in text:
                with suppress(QueryError, OptionError):
                    own = pr.Window(length, slide, origin + by, closed)
                    reasoner.register(text, window=own, on=on, emit=emit)
        yield list(reasoner.queries)
        for at, facts, before in self.steps:
            reasoner = disturbed(reasoner, before, at + by, facts, LOADED)
            update = reasoner.advance(at + by) if before == "advance" else reasoner.push(at + by, facts)
            yield self.told(reasoner, update, by)

    def told(self, reasoner, update, by):
        """Everything that a step told, moved back."""
        reports = {
            query.name: [(report.at - by, +report.added, +report.removed) for report in change.reports]
            for query, change in update.answers.items()
        }
        stood = [(at - by, reasoner.interpretation(at)) for at in reasoner.timestamps]
        cut = [(at - by, fact) for at, fact in update.repair.removed]
        delta = () if reasoner.options.derive == "needed" else (update.delta.added, update.delta.removed)
        asserted = {(at - by, fact) for at, fact in reasoner.assertions()}
        return reports, stood, sorted(cut), delta, asserted, reasoner.materialization()


@settings(max_examples=cases(12, 150, long=10_000), deadline=None)
@given(seed=SEEDS)
def test_windows_and_registered_queries_move_with_the_stream(seed):
    case = Windows(seed)
    by = shift(case.rnd, 6)  # queries that report every 2 or 3 are aligned to 0
    assert transcript(case, by) == transcript(case, FAR), f"by {by}"


class MovedText(TextCase):
    """A text in a stream language whose stream, origin and start are moved by a constant.

    Args:
        by: the constant.
        counts: whether windows count triples or ABoxes.
    """

    def __init__(self, seed, by, counts):
        self.by = by
        if counts:
            self.rsp_ql, self.lengths = self.cqels, self.counted
        super().__init__(seed)

    def time(self, at):
        return super().time(at) + (timedelta(seconds=self.by) if self.unit else self.by)

    def counted(self, is_c_sparql=True):
        of, size = self.random.choice(("TRIPLES", "TRIPLES", "ELEMENTS")), self.random.randint(1, 5)
        if is_c_sparql:
            return f"RANGE TRIPLES {size}"
        return f"{of} {size}" + self.random.choice(("", f" STEP  {self.random.randint(1, size)}"))

    def transcript(self):
        """What the text reports step by step; times as they are before they are moved."""
        start = self.time(0)
        driven = self.made()._driven
        for tick, abox in self.steps(14):
            if abox is not None:
                yield [
                    (report.at - start, report.added, report.removed)
                    for report in told(driven, self.time(tick), abox)
                ]
                yield driven.rows()


@pytest.mark.parametrize("counts", [False, True])
@settings(max_examples=cases(8, 100, long=5_000), deadline=None)
@given(seed=SEEDS)
def test_texts_of_stream_languages_move_with_the_stream(counts, seed):
    rnd = random.Random(seed)
    found = []
    for by in (-60 * rnd.choice((0, 1, 1, 10**6)), FAR):
        try:
            case = MovedText(seed, by, counts)
            found.append(list(case.transcript()))
        except InconsistentOntologyError:
            return
    assert "NOW()" in case.text or found[0] == found[1], case.text


# -- shards ----------------------------------------------------------------------------------------


def sharded_transcript(seed, by):
    """What the shards of a stream moved by a constant change, moved back."""
    made = Sharded(seed)
    start = None if made.rules.start is None else made.rules.start + by
    rules = pr.TemporalRules(made.rules.rules, made.rules.remembered, start, made.rules.feedback)
    setup = replace(made.setup, temporal=rules)
    router, shards, rnd = Router(Routing(made.report, made.key, {}), setup.shards), {}, random.Random(seed)
    for tick in (*made.input, *range(max(made.input) + 1, max(made.input) + 13, 3)):
        parts = {}
        for fact in made.input.get(tick, ()):
            parts.setdefault(router.shard_of(fact[0]), []).append((tick + by, fact))
        for number in sorted(parts.keys() - shards.keys()):
            shards[number] = Shard(setup, setup.reasoner())
        for number, shard in shards.items():
            if rnd.random() < 0.1:
                shard = shards[number] = Shard.restore(setup, shard.saved())
            changes = processed(shard, rows(parts.get(number, [])), tick + by)
            yield number, sorted((at - by, str(terms), change) for at, terms, change in changes)
            yield back(shard.next_timer, by)


@settings(max_examples=cases(10, 75, long=4_000), deadline=None)
@given(seed=SEEDS)
def test_shards_move_with_the_stream(seed):
    if all(
        EX.v != f.atom.predicate and f.time is None
        for r in Sharded(seed).rules.rules
        for f in (r.head, *r.body)
    ):
        by = shift(random.Random(seed), 2)
        assert list(sharded_transcript(seed, by)) == list(sharded_transcript(seed, FAR)), f"by {by}"
