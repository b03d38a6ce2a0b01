"""Explanations of shards merged are those of the whole window."""

import random

import pytest

from counts import seeds
from pantarhei import EntailedError, NotEntailedError, Ontology, StreamReasoner, Window
from pantarhei.explain.merge_shards import merge_absences, merge_proofs, merge_quality
from pantarhei.model.rule import Different, Rule
from strategies import EX, A, B, C, D, R, S, is_a, member, related, x, y, z

IN, NEAR = EX.inBuilding, EX.near
ROOMS = [EX[f"room{number}"] for number in range(8)]
BUILDINGS = [EX[f"building{number}"] for number in range(4)]
BACKGROUND = [
    *((room, IN, BUILDINGS[number % 4]) for number, room in enumerate(ROOMS)),
    *((ROOMS[number], NEAR, ROOMS[number + 4]) for number in range(4)),
    member(EX.Known, EX.low),
]
ALARMED, CLEAR = EX.Alarmed, EX.Clear
ONTOLOGY = Ontology.from_rules(
    [
        Rule("alarm", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), is_a(C, x)),
        Rule("alarmed", (is_a(C, x), related(IN, x, y)), is_a(ALARMED, y)),
        Rule("cleared", (is_a(D, x), related(IN, x, y)), is_a(CLEAR, y)),
        Rule("not both", (is_a(ALARMED, x), is_a(CLEAR, x)), None),
        Rule("one value", (related(R, x, y), related(R, x, z)), None, (Different(y, z),)),
        Rule("told", (related(R, x, y),), related(S, y, x)),
        Rule("known", (related(R, x, y),), is_a(EX.Known, y)),
    ]
)
PARTS = 3


PLACES = {name: number % 4 % PARTS for names in (ROOMS, BUILDINGS) for number, name in enumerate(names)}


def part_of(name):
    """The part that gets what the stream says of a name: that of its building."""
    return PLACES.get(name, 0)


def fresh():
    return StreamReasoner(ONTOLOGY, Window(4), BACKGROUND)


def scene(seed):
    """One reasoner, and those of the parts, after the same stream. Each has classes of all kinds at first."""
    choose, one, parts = random.Random(seed), fresh(), [fresh() for _ in range(PARTS)]
    stream = [
        [(room, R, EX.low) for room in ROOMS] + [member(kind, room) for room in ROOMS for kind in (A, B)]
    ]
    for _ in range(7):
        told = [(room, R, choose.choice((EX.low, EX.high, EX.mid))) for room in choose.sample(ROOMS, 2)]
        stream.append([*told, *(member(choose.choice((A, B, D)), choose.choice(ROOMS)) for _ in range(3))])
    for at, abox in enumerate(stream):
        one.push(at, abox)
        for number, part in enumerate(parts):
            part.push(at, [triple for triple in abox if part_of(triple[0]) == number])
    return one, parts


def proofs_of(parts, triple, **options):
    """The proofs of those parts that hold a triple."""
    found = []
    for part in parts:
        try:
            proofs = part.explain(triple, **options)
        except NotEntailedError:
            continue
        found.append(proofs if options else (proofs,))
    return merge_proofs(found)


def size(proof):
    return proof.timestamp, len(proof.supports), sum(step.rule is not None for step in proof.steps)


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_the_best_proof_and_the_minimal_supports_are_those_of_the_window(seed):
    one, parts = scene(seed)
    for triple in sorted(one.materialization()):
        assert size(proofs_of(parts, triple)[0]) == size(one.explain(triple))
        together, alone = proofs_of(parts, triple, all=True), one.explain(triple, all=True)
        assert [size(proof) for proof in together] == [size(proof) for proof in alone]
        assert {proof.supports for proof in together} == {proof.supports for proof in alone}


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_an_absence_is_that_of_the_window(seed):
    one, parts = scene(seed)
    names = [*ROOMS, *BUILDINGS, EX.low, EX.attic]
    for triple in [member(kind, name) for kind in (A, C, ALARMED, EX.Known) for name in names]:
        try:
            alone = one.why_not(triple, limit=30)
        except EntailedError:
            continue
        told = {number: part.why_not(triple, limit=30) for number, part in enumerate(parts)}
        together = merge_absences(told, lambda part, missing: part_of(missing[0]) == part, 30)
        for name in ("at", "gone", "concluded", "asserted"):
            assert getattr(together, name) == getattr(alone, name), name
        assert {each.name for each in together.unknown} == {each.name for each in alone.unknown}
        assert set(together.missing) == set(alone.missing)
        if together.complete and alone.complete:
            assert [len(way.missing) for way in together.ways] == [len(way.missing) for way in alone.ways]


def test_few_ways_are_told_where_few_are_asked_for_and_it_is_said():
    one, parts = scene(1)
    triple = next(t for t in (member(C, room) for room in ROOMS) if t not in one.materialization())
    told = {number: part.why_not(triple, limit=1) for number, part in enumerate(parts)}
    assert len(merge_absences(told, lambda *_: True, 1).ways) == 1
    assert not merge_absences(told, lambda *_: False, 1).ways
    assert not merge_absences(told, lambda *_: False, 1).complete


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_quality_is_that_of_the_window(seed):
    one, parts = scene(seed)
    together = merge_quality([part.quality() for part in parts])
    assert together == one.quality()
    assert any(row.cut for row in together.entities)
    assert merge_quality([]) == fresh().quality()
