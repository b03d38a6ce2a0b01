"""Shards that are split and merged in mid-stream go on like shards that had their part from the beginning."""

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal

from counts import cases
from oracle.canonical_literals import canonical_triple
from pantarhei import InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.engine.checkpoint.parts import merge, split
from sharded_programs import backgrounds, declarations, pools, programs
from strategies import DISJOINT_CLASSES, FUNCTIONAL, V, a, b, c
from worlds import canonical, interpretations

COUNTS = Counter()
FORMS = [
    (name, V, Literal(text, datatype=XSD.integer, normalize=False))
    for name in (a, b, c)
    for text in ("1", "01", "+1", "2", "02")
]


class Sharded:
    """A stream in shards whose number changes; each shard is compared with a reasoner that has its part from
    the beginning.
    """

    def __init__(self, rnd, make, ontology, key):
        self.rnd, self.make, self.ontology, self.key = rnd, make, ontology, key
        self.steps, self.whole = [], make()
        self.use(1)
        self.shards = {}

    def use(self, count):
        self.count = count
        self.places = {}
        self.expected = {}

    def part_of(self, name):
        return self.places.setdefault(self.key.value_of(name), self.rnd.randrange(self.count))

    def step(self, at, triples):
        self.steps.append((at, triples))
        parts = self.parts(triples)
        for number in parts.keys() - self.shards.keys():
            self.shards[number] = self.make()
        self.expect(at, parts)
        for number, shard in self.shards.items():
            update = push(shard, at, parts.get(number))
            assert outcome(update) == outcome(self.updates[number]), (self.steps, number)
        push(self.whole, at, triples)
        self.compare()

    def parts(self, triples):
        parts = defaultdict(list)
        for triple in triples or ():
            parts[self.part_of(triple[0])].append(triple)
        return parts

    def expect(self, at, parts):
        for number in parts.keys() - self.expected.keys():
            self.expected[number] = self.make()
        self.updates = {n: push(shard, at, parts.get(n)) for n, shard in self.expected.items()}

    def reshard(self, count):
        old = list(self.shards.values())
        facts = [set(shard.materialization()) for shard in old]
        self.use(count)
        found = defaultdict(list)
        for shard in old:
            for number, data in split(shard.snapshot({"shards": 0}), self.ontology, self.part_of).items():
                found[number].append(data)
        self.shards = {
            number: StreamReasoner.restore(merge(parts, self.ontology, note={"new": number}), self.ontology)
            for number, parts in found.items()
        }
        for at, triples in self.steps:
            self.expect(at, self.parts(triples))
        for number in self.expected.keys() - self.shards.keys():  # nothing is left of its part
            assert not self.expected[number].assertions()
            self.shards[number] = self.expected.pop(number)
            self.expected[number] = self.shards.pop(number)
            self.shards[number] = self.make()
            self.shards[number].advance(self.steps[-1][0])
        assert all(shard.note == {"new": number} for number, shard in self.shards.items() if shard.note)
        shown = set().union(*facts)
        new = set().union(*(shard.materialization() for shard in self.shards.values()))
        assert new <= shown and canonical(new) == canonical(shown)
        for name in ("cut", "pushes"):
            counted = [
                sum(getattr(shard.stats(), name) for shard in some) for some in (old, self.shards.values())
            ]
            assert counted[0] <= counted[1] or not found
        self.compare()
        COUNTS["reshards"] += 1
        COUNTS["reshards of several shards"] += len(old) > 1 and len(self.shards) > 1
        COUNTS["repairs"] += sum(len(shard.repairs) for shard in self.shards.values())

    def compare(self):
        for number, shard in self.shards.items():
            assert state(shard) == state(self.expected[number]), (self.steps, number)
            shard._held.model.kernel.check_invariants()
            shard._held.history.log.check_invariants()
        shards = self.shards.values()
        held = set().union(self.make().materialization(), *(shard.materialization() for shard in shards))
        assert canonical(held) == canonical(self.whole.materialization())


def push(reasoner, at, triples):
    return reasoner.advance(at) if triples is None else reasoner.push(at, triples)


def outcome(update):
    delta = update.delta
    return (
        (update.at, update.start, update.end, update.dropped),
        repaired(update.repair),
        (canonical(delta.added), canonical(delta.removed)),
    )


def state(reasoner):
    found = [
        told(reasoner.assertions()),
        canonical(reasoner.materialization()),
        reasoner.timestamps,
        list(map(repaired, reasoner.repairs)),
    ]
    if reasoner.options.keep == "newest":
        found.append({at: canonical(facts) for at, facts in interpretations(reasoner).items()})
    return found


def repaired(repair):
    conflicts = Counter(
        (frozenset(told(each.assertions)), frozenset(each.constraints)) for each in repair.conflicts
    )
    return repair.at, repair.method, conflicts, told(repair.removed), told(repair.undecided), repair.unlisted


def told(assertions):
    return {(at, canonical_triple(triple)) for at, triple in assertions}


OPTIONS = st.fixed_dictionaries(
    {
        "repair": st.sampled_from(("exact", "exact", "grounded", "algorithm3", "off")),
        "keep": st.sampled_from(("newest", "newest", "newest", "every")),
        "unique_names": st.sampled_from((True, True, True, False)),
        "numbers": st.sampled_from(("by_datatype", "by_datatype", "by_value")),
    }
)
CASES = st.tuples(programs, backgrounds(), pools, declarations, OPTIONS, st.integers(0, 1 << 30))


def check_shards(rules, background, pool, streaming, options, seed):
    rnd = random.Random(seed)
    names = {name: options[name] for name in ("unique_names", "numbers")}
    rules = (*rules, *rnd.sample([*DISJOINT_CLASSES, *FUNCTIONAL], 2))
    try:
        ontology = Ontology.from_rules(rules)
        report = ontology.sharding_report(streaming, background, **names)
    except InconsistentOntologyError:
        return
    window = Window(rnd.choice((2, 4, 8)), rnd.choice((1, 1, 2)))
    pool = [
        (s, p, o)
        for s, p, o in (*pool, *rnd.sample(FORMS, 6))
        if report.admits(o if p == RDF.type else p, is_class=p == RDF.type)
    ]
    COUNTS["programs"] += 1
    for key in report.keys if pool else ():
        made = Sharded(
            rnd, lambda: StreamReasoner(ontology, window, background, **options), ontology, report.maps[key]
        )
        made.use(rnd.randint(2, 4))
        at = 0
        for _ in range(rnd.randint(3, 8)):
            at += rnd.choice((0, 0, 1, 1, 1, 2, 5))
            made.step(at, None if rnd.random() < 0.1 else rnd.choices(pool, k=rnd.randint(0, 8)))
            if rnd.random() < 0.5:
                made.reshard(rnd.randint(1, 4))
        COUNTS["streams"] += 1


@settings(max_examples=cases(4, 60, long=6_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(CASES)
def test_split_and_merged_shards_go_on_like_shards_that_had_their_part_from_the_beginning(case):
    check_shards(*case)


@settings(
    max_examples=120, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(CASES)
def the_same_cases_each_time(case):
    check_shards(*case)


@pytest.mark.long
def test_the_streams_are_resharded_and_repaired_often_enough():
    COUNTS.clear()
    the_same_cases_each_time()
    assert COUNTS["streams"] >= COUNTS["programs"] / 3
    assert COUNTS["reshards of several shards"] >= COUNTS["reshards"] / 6
    assert COUNTS["repairs"] >= COUNTS["reshards"] / 20
