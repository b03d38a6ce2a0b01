"""Why a triple does not hold: what is named as missing makes it hold, and no part of it does."""

import random
from functools import cache
from itertools import permutations

import pytest
from rdflib import RDF, BNode

from counts import of_many, seeds
from equality import AXIOMS, EQUALITY, NAMES, SAME, matching
from oracle.canonical_literals import canonical_facts, canonical_term, canonical_triple
from oracle.explanations.reasons import NEW_NAME as REFERENCE_NEW
from oracle.explanations.reasons import reasons_for_absence
from oracle.explanations.supports import follows
from oracle.materialization import is_consistent
from pantarhei import EntailedError, Ontology, StreamReasoner, Window
from pantarhei.explain.abduction import NEW_NAME
from strategies import CLASSES, DERIVING_RULES, PROPERTIES
from worlds import CONSTRAINTS

RANGE = 10
EQUAL = [(one, SAME, other) for one, other in permutations(NAMES, 2)]


class Question:
    """A small stream, and triples that do not hold at its end."""

    unique_names = True
    keeps = ("newest", "newest", "every")
    most = 2  # as many missing facts the reference looks at

    def __init__(self, seed, repair="exact"):
        self.random = random.Random(seed)
        chance = self.random
        given, self.rules = self.drawn_rules()
        self.background = frozenset()
        for fact in self.facts(2):
            if is_consistent(self.rules, self.background | {fact}):
                self.background |= {fact}
        keep = chance.choice(self.keeps)
        self.reasoner = StreamReasoner(
            Ontology.from_rules(given),
            Window(range=RANGE),
            self.background,
            keep=keep,
            repair=repair,
            unique_names=self.unique_names,
        )
        self.pushed = set()
        for at in range(chance.randrange(2, 6)):
            abox = list(self.facts(chance.randrange(1, 4)))
            self.pushed |= set(abox)
            self.reasoner.push(at, abox)
        self.assertions = self.reasoner.assertions()
        self.holds = canonical_facts(self.reasoner.materialization())

    def drawn_rules(self):
        """Rules as a reasoner takes them, and all that they say."""
        pick = self.random.sample
        rules = tuple(dict.fromkeys(pick(DERIVING_RULES, 5) + pick(CONSTRAINTS, 2)))
        return rules, rules

    def facts(self, count):
        choose = self.random.choice
        for _ in range(count):
            if self.random.random() < 0.5:
                yield choose(NAMES), RDF.type, choose(CLASSES)
            else:
                yield choose(NAMES), choose(PROPERTIES), choose(NAMES)

    def absent(self, count):
        """Triples of known names that do not hold."""
        met = names_in(self.holds)
        found = [t for t in self.facts(40) if t not in self.holds and {t[0]} <= met]
        known = [t for t in found if t[1] == RDF.type or t[2] in met]
        return list(dict.fromkeys(known))[:count]

    def assumable(self):
        return {(o, 1) if p == RDF.type else (p, 2) for _, p, o in self.pushed}

    def known_names(self):
        triples = self.holds | self.pushed
        return names_in(triples)


class QuestionOfEquality(Question):
    """The same where names may be equal: by sameAs, and by properties, keys and numbers that make them so."""

    unique_names = False
    most = 1

    def drawn_rules(self):
        axioms = self.random.sample(AXIOMS, 4)
        given = tuple(rule for rule, _ in axioms)
        written = tuple(dict.fromkeys(each for _, rules in axioms for each in rules))
        facts = map(canonical_triple, matching(given, NAMES))
        self.pool = self.random.sample([*sorted(dict.fromkeys(facts), key=str), *EQUAL], 10)
        return given, (*EQUALITY, *written)

    def facts(self, count):
        for _ in range(count):
            yield self.random.choice(self.pool)


def renamed(triples):
    """With the reference's new name in the place of ours."""
    return frozenset(
        tuple(REFERENCE_NEW if term == NEW_NAME else term for term in canonical_triple(triple))
        for triple in triples
    )


def names_in(triples):
    """The names and literals that triples are about; rules may name literals that the stream does not."""
    return {term for s, p, o in triples for term in ((s,) if p == RDF.type else (s, o))}


def is_case_of(special, general):
    """Whether triples are others, with any names where those have the new one.

    Names that only missing triples mention are told once, as the new name.
    """
    return any(
        all(
            theirs in (ours, REFERENCE_NEW)
            for one, other in zip(special, order, strict=True)
            for ours, theirs in zip(one, other, strict=True)
        )
        for order in permutations(general, len(special))
        if len(special) == len(general)
    )


@cache
def run(kind, seed):
    """Compare some absences of a question of that kind with the definition.

    Gives how many, how many had a way, and of how many all was looked at.
    """
    question = kind(seed)
    reasoner, rules = question.reasoner, question.rules
    before = reasoner.materialization(), {at: reasoner.interpretation(at) for at in reasoner.timestamps}
    work = reasoner.work
    facts = canonical_facts([*question.background, *(fact for _, fact in question.assertions)])
    known = {REFERENCE_NEW, *map(canonical_term, question.known_names())}
    asked = with_ways = complete = 0
    for triple in question.absent(3):
        absence = reasoner.why_not(triple, limit=50)
        expected = reasons_for_absence(
            rules,
            question.assertions,
            question.background,
            triple,
            question.assumable(),
            question.known_names(),
            question.most,
        )
        smallest = min((len(each.missing) for each in expected), default=None)
        conflicts = {each.missing: each.conflicts for each in expected}
        asked += 1
        with_ways += bool(absence.ways)
        complete += absence.complete
        found = [renamed(way.triples) for way in absence.ways]
        assert len(set(found)) == len(found)
        for way, missing in zip(absence.ways, found, strict=True):
            assert follows(rules, facts | missing, canonical_triple(triple))
            for one in missing:
                assert not follows(rules, facts | (missing - {one}), canonical_triple(triple))
            assert triple not in missing and not missing & facts
            assert way.is_contradicted is not is_consistent(rules, facts | missing)
            if len(missing) <= question.most and names_in(missing) <= known:
                assert missing in conflicts, (triple, missing)
                told = {renamed(fact for _, fact in conflict.assertions) for conflict in way.conflicts}
                assert told == set(conflicts[missing]) or len(way.conflicts) == 5
            assert canonical_triple(way.proof.triple) == canonical_triple(triple)
            assert way.triples <= {fact for _, fact in way.proof.supports}
        sizes = [len(missing) for missing in found]
        assert sizes == sorted(sizes)
        if smallest is not None and absence.complete:
            assert sizes and sizes[0] == smallest, (triple, expected, found)
            for each in expected:
                is_told = any(each.missing == m or is_case_of(each.missing, m) for m in found)
                assert is_told or len(each.missing) > smallest or len(found) == 50, (triple, each, found)
    now = reasoner.materialization(), {at: reasoner.interpretation(at) for at in reasoner.timestamps}
    assert now == before and reasoner.work.firings == work.firings
    return asked, with_ways, complete


@pytest.mark.parametrize("seed", seeds(3, 150, long=300))
def test_what_is_missing_is_what_the_definition_says(seed):
    run(Question, seed)


@pytest.mark.parametrize("seed", seeds(2, 60, long=100))
def test_what_is_missing_where_names_may_be_equal_is_what_the_definition_says(seed):
    run(QuestionOfEquality, seed)


@of_many
def test_many_questions_have_ways_and_some_have_none():
    asked, with_ways, _ = map(sum, zip(*(run(Question, seed) for seed in range(60)), strict=True))
    assert asked > 100 and asked * 0.2 < with_ways < asked


@of_many
def test_of_equality_too_many_questions_have_ways_and_of_some_all_is_looked_at():
    counts = (run(QuestionOfEquality, seed) for seed in range(40))
    asked, with_ways, complete = map(sum, zip(*counts, strict=True))
    assert asked > 50 and asked * 0.2 < with_ways < asked and complete > asked * 0.1


@pytest.mark.parametrize("seed", seeds(2, 60))
@pytest.mark.parametrize("repair", ["exact", "off"])
def test_asking_changes_nothing_that_comes_later(seed, repair):
    asked, twin = Question(seed, repair), Question(seed, repair)
    for at in range(10, 14):
        for triple in asked.absent(2):
            if triple not in asked.reasoner.materialization():
                asked.reasoner.why_not(triple)
        abox = list(asked.facts(3))
        twin.random.setstate(asked.random.getstate())
        one, other = asked.reasoner.push(at, abox), twin.reasoner.push(at, abox)
        assert (one.delta, one.dropped) == (other.delta, other.dropped)
        assert one.repair.removed == other.repair.removed
        assert one.repair == other.repair and str(one.repair) == str(other.repair)
        assert asked.reasoner.materialization() == twin.reasoner.materialization()


def test_what_holds_lacks_nothing():
    question = Question(3)
    triple = min(question.holds)
    with pytest.raises(EntailedError) as raised:
        question.reasoner.why_not(triple)
    assert raised.value.statement in str(raised.value) and not isinstance(triple[0], BNode)
