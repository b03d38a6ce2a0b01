"""Temporal rules through the public face: at each tick what the definitions say (LA17 Definitions 1 to 6)."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Namespace, Variable

import pantarhei as pr
from counts import cases
from lars_programs import Case, Part, random_case
from pantarhei.errors import TemporalRuleError
from pantarhei.language.temporal_rule import (
    Formula,
    Mode,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    TupleWindow,
)
from pantarhei.reference.lars.output import output_stream
from pantarhei.reference.lars.strata import NotStratifiedError
from pantarhei.reference.lars.streams import Stream, canonical

E = Namespace("http://e/")
NO_AXIOMS = pr.load_ontology(Graph())
SEEDS = st.integers(0, 1 << 30)
COVERED = {
    "sometime": Part.SOMETIME,
    "always": Part.ALWAYS,
    "always and negation": Part.SOMETIME | Part.ALWAYS | Part.NEGATION,
    "remember": Part.SOMETIME | Part.ALWAYS | Part.NEGATION | Part.REMEMBER,
    "tuples": Part.SOMETIME | Part.ALWAYS | Part.TUPLES,
    "tests": Part.SOMETIME | Part.TESTS,
    "at": Part.SOMETIME | Part.AT,
    "at in heads": Part.SOMETIME | Part.AT | Part.AT_HEAD,
    "at and always": Part.SOMETIME | Part.ALWAYS | Part.AT | Part.AT_HEAD,
    "at and tests": Part.SOMETIME | Part.AT | Part.AT_HEAD | Part.TESTS,
    "at and negation": Part.SOMETIME | Part.AT | Part.AT_HEAD | Part.NEGATION | Part.REMEMBER,
    "all": Part.SOMETIME | Part.ALWAYS | Part.NEGATION | Part.REMEMBER | Part.TUPLES | Part.TESTS,
}


def is_covered(rule):
    """Whether the rule names ticks in windows of time alone."""
    dated = (formula for formula in rule.formulas if formula.mode is Mode.AT)
    return not any(isinstance(each.window, TupleWindow) for each in dated)


def case_of(seed, parts):
    case = random_case(random.Random(seed), parts)
    rules = tuple(rule for rule in case.rules if is_covered(rule))
    heads = {rule.head.atom.predicate for rule in rules}
    return Case(rules, as_pushed(case.stream), case.remembered & heads)


def as_pushed(stream):
    """The stream where all that holds is asserted: what a reasoner without axioms and range says of it."""
    atoms = {}
    for tick in stream.timeline:
        plain = dict.fromkeys(replace(atom, is_asserted=False) for atom in stream.at(tick))
        atoms[tick] = [*(replace(atom, is_asserted=True) for atom in plain), *plain]
    return Stream.of(stream.start, stream.end, atoms)


def triple(atom):
    subject, *rest = atom.arguments
    return (subject, atom.predicate, rest[0]) if rest else (subject, RDF.type, atom.predicate)


def reasoner_for(case, ontology=NO_AXIOMS, window=None):
    rules = pr.TemporalRules(case.rules, case.remembered, start=case.stream.start)
    return pr.StreamReasoner(ontology, window or pr.Window(range=0), temporal=rules)


def expected(case):
    try:
        return output_stream(case.rules, case.stream, case.remembered)
    except NotStratifiedError:
        return None


@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(12, 100, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_each_tick_concludes_what_the_definitions_say(fragment, seed):
    case = case_of(seed, COVERED[fragment])
    wanted = expected(case)
    if wanted is None:
        with pytest.raises(TemporalRuleError):
            reasoner_for(case)
        return
    reasoner, followed = reasoner_for(case), set()
    for tick in case.stream.timeline:
        changes = reasoner.push(
            tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted]
        ).conclusions
        assert not followed & changes.atoms_added and changes.atoms_removed <= followed
        followed = followed - changes.atoms_removed | changes.atoms_added
        assert followed == reasoner.atoms()
        assert set(map(canonical, followed)) == wanted[tick], f"at {tick}\n{case}"


def test_a_stream_of_floats_has_ticks_too():
    rules = pr.load_rules(
        "@prefix : <http://e/> .\na(X) :- asserted c(X) in [2].\nb(X) :- asserted c(X) at 1."
    )
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1, slide=0.5), temporal=rules)
    c = (E.x, RDF.type, E.c)
    held = []
    for at in (0.5, 1.0, 2.0, 2.5):
        if at == 2.0:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), NO_AXIOMS)
        reasoner.push(at, [c] if at == 1.0 else [])
        held.append("".join(sorted(atom.predicate[-1] for atom in reasoner.atoms())))
    assert held == ["", "ab", "ab", "b"]


def test_what_is_not_evaluated_yet_is_refused_by_name():
    for text, said in (
        ("a(X) :- asserted c(X) at T in [2 #].", "a window of time"),
        ("a(X) :- c(X, Y, Z).", "none, one or two arguments"),
    ):
        rules = pr.load_rules(f"@prefix : <http://e/> .\n{text}")
        with pytest.raises(TemporalRuleError, match=said):
            pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1), temporal=rules)
    rules = pr.load_rules("@prefix : <http://e/> .\na(X) :- c(X).", feedback=True)
    with pytest.raises(TemporalRuleError, match="feedback"):
        pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1), temporal=rules)


LITERALS = """@prefix : <http://example.org/> .
a(X) :- v(X, N), not c(N).
b(X) :- v(X, N), not c(N) in [1], not s(X).
"""


@settings(max_examples=cases(5, 20), deadline=None)
@given(seed=SEEDS)
def test_what_is_not_said_of_a_literal_is_not_there(seed):
    case = random_case(random.Random(seed), Part.SOMETIME)
    case = Case(pr.load_rules(LITERALS).rules, as_pushed(case.stream))
    wanted, reasoner = expected(case), reasoner_for(case)
    for tick in case.stream.timeline:
        reasoner.push(tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted])
        assert set(map(canonical, reasoner.atoms())) == wanted[tick], f"at {tick}\n{case}"


# -- over a repaired window ------------------------------------------------------------------------

DRIVING = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Gas owl:disjointWith :Brakes . :Brakes rdfs:subClassOf :Attended . :Gas rdfs:subClassOf :Attended .
    [ a owl:Class ; owl:intersectionOf ( :Brakes :Clutch ) ] rdfs:subClassOf :Stopping .
    :Stopping owl:disjointWith :Moving ."""
    )
)
PUSHED = ("Gas", "Brakes", "Clutch", "Moving")
CLASSES = (*PUSHED, "Attended", "Stopping")


def driving_rules(rnd):
    """A few rules over the classes of the ontology; conclusions A, B and C, each from those before it."""
    x, rules = Variable("x"), []
    for place, head in enumerate("ABC"[: rnd.randint(1, 3)]):
        body = []
        for j in range(rnd.choice((1, 2, 2))):
            name = rnd.choice([*CLASSES, *(f"asserted {each}" for each in PUSHED), *"ABC"[:place]])
            atom = TemporalAtom(E[name.removeprefix("asserted ")], (x,), name.startswith("asserted "))
            mode = rnd.choice((Mode.NOW, Mode.SOMETIME, Mode.ALWAYS, Mode.AT))
            window = None if mode is Mode.NOW else TimeWindow(rnd.choice((0, 1, 2, 3)))
            time = Variable(f"t{rnd.randrange(2)}") if mode is Mode.AT else None
            is_negated = j > 0 and time is None and rnd.random() < 0.4
            body.append(Formula(atom, mode, window, time, is_negated))
        rules.append(TemporalRule(Formula(TemporalAtom(E[head], (x,))), tuple(body)))
    return tuple(rules)


class Driven:
    """Two reasoners over one stream: one takes what comes as it comes, one steps tick by tick and says what
    was said at each tick.
    """

    def __init__(self, rnd):
        self.rnd = rnd
        rules = driving_rules(rnd)
        remembered = frozenset(rule.head.atom.predicate for rule in rules if rnd.random() < 0.5)
        self.slide = rnd.choice((1, 1, 3))
        self.window = pr.Window(
            range=rnd.choice((3, 4, 6)) if self.slide > 1 else rnd.randint(0, 4), slide=self.slide
        )
        self.rules = pr.TemporalRules(rules, remembered)
        self.reasoner = pr.StreamReasoner(DRIVING, self.window, temporal=self.rules)
        self.plain = pr.StreamReasoner(DRIVING, self.window)
        self.said, self.pushed, self.followed = {}, [], set()
        sizes = (formula.window.size for rule in rules for formula in rule.body if formula.window)
        self.largest = max(sizes, default=0)

    def tick_of(self, at):
        return -(-at // self.slide)

    def note(self, at):
        """What is said at the tick of a time, as it stands."""
        tick = self.tick_of(at)
        kept = {fact for time, fact in self.plain.assertions() if self.tick_of(time) == tick}
        events = [fact for time, fact in self.pushed if self.tick_of(time) == tick and fact in kept]
        atoms = [TemporalAtom(cls, (who,), True) for who, _, cls in dict.fromkeys(events)]
        atoms += [
            TemporalAtom(cls, (who,)) for who, kind, cls in self.plain.materialization() if kind == RDF.type
        ]
        self.said[tick] = atoms

    def push(self, at, facts):
        before = max(self.said, default=None)
        if before is not None:
            for tick in range(before + 1, self.tick_of(at)):
                self.plain.advance(tick * self.slide)
                self.note(tick * self.slide)
        self.plain.push(at, facts)
        self.pushed += [(at, fact) for fact in facts]
        self.note(at)
        return self.reasoner.push(at, facts)

    def disturb(self, at):
        """Do something that must make no difference."""
        match self.rnd.randrange(8):
            case 0:
                self.reasoner = pr.StreamReasoner.restore(self.reasoner.snapshot(), DRIVING)
            case 1:
                with pytest.raises(ZeroDivisionError), self.reasoner.all_or_nothing():
                    self.reasoner.push(at, self.facts())
                    self.reasoner.push(at + 2, self.facts())
                    raise ZeroDivisionError
            case 2:
                self.reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step

    def follow(self, changes, output):
        """Follow what came and went on the way, which is what the definitions say of each tick there."""
        before = self.followed
        for turn in changes.turns:
            assert not self.followed & turn.added and turn.removed <= self.followed
            self.followed = self.followed - turn.removed | turn.added
            assert self.followed == output[self.tick_of(turn.at)], f"at {turn.at}\n{self.rules}"
        assert changes.atoms_added == self.followed - before
        assert changes.atoms_removed == before - self.followed

    def wanted(self):
        """What is concluded at each tick."""
        first = min(self.said)
        stream = Stream.of(first - self.largest, max(self.said), self.said)
        return output_stream(self.rules.rules, stream, self.rules.remembered, first)

    def facts(self):
        return [(E[who], RDF.type, E[self.rnd.choice(PUSHED)]) for who in "vw" if self.rnd.random() < 0.6]


@settings(max_examples=cases(12, 100, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_over_a_repaired_window_the_past_is_what_was_said(seed):
    driven = Driven(random.Random(seed))
    rnd, at = driven.rnd, 0
    for _ in range(10):
        for _ in range(rnd.choice((1, 1, 2))):
            driven.disturb(at)
            changes, output = driven.push(at, driven.facts()).conclusions, driven.wanted()
            driven.follow(changes, output)
            wanted = output[max(driven.said)]
            assert driven.reasoner.atoms() == wanted == driven.followed, f"at {at}\n{driven.rules}"
        at += rnd.choice((0, 1, 1, 1, 2, 5))
