"""Many facts at once: by column is found what the kernel of rows finds, and what the definitions say."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from rdflib import RDF, Literal, URIRef

import pantarhei.materialize.bulk.evaluation as closure_module
from counts import seeds
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk.columns import Columns
from pantarhei.materialize.bulk.evaluation import BulkProgram, TooManyError, TooSlowError
from pantarhei.materialize.bulk.load import load
from pantarhei.materialize.kernel.rows import CapacityExceededError
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Builtin, Member, Rule
from pantarhei.rules.compilation.program import compile_
from scenes import HOT, SWRLB
from strategies import EX, A, C, R, S, V, is_a, related, worlds, x, y, z
from worlds import SideBySide, World, arrivals, at_once, windows

STEPS = Counter()
LEVELS = 6


@pytest.fixture
def in_pieces(monkeypatch):
    """Frames are taken in parts of a few rows."""
    monkeypatch.setattr(closure_module, "MOST_ROWS", 3)


# -- column by column is row by row ----------------------------------------------------------------


def a_world(seed, facts):
    """A model that is empty, facts and their levels, each fact once."""
    world = World(seed, constraints=2)
    program = compile_(world.rules)
    vocabulary = Vocabulary(program)
    encoded = np.unique(vocabulary.encode(world.facts(facts)).facts, axis=0)
    shuffled = np.random.default_rng(seed).permutation(encoded).astype(np.int32)
    model = WindowModel(program, "newest", vocabulary)
    model._advance_to(LEVELS - 1)
    return model, shuffled, np.random.default_rng(seed).integers(LEVELS, size=len(shuffled), dtype=np.int32)


def levels_of(model):
    """The level of each fact once all is settled."""
    model.kernel.settle()
    *fact, level = model.kernel.store.columns("predicate", "subject", "object", "level")
    return {row[:3]: row[3] for row in zip(*(c.tolist() for c in (*fact, level)), strict=True) if row[0] >= 0}


def violations_of(model):
    """The facts of each violation noted, with its rule."""
    found = set()
    for rule, *rows in model.violations().tolist():
        facts = model.facts_of([row for row in rows if row >= 0])
        found.add((rule, tuple(map(tuple, facts.tolist()))))
    return found


def filled(seed, parts, at_once):
    """A model that facts were added to in parts, and what they had been asserted at before."""
    model, facts, levels = a_world(seed, 60)
    program, before = BulkProgram(model.program.plans), []
    for some in np.array_split(np.arange(len(facts)), parts):
        previous = np.empty(len(some), np.int32)
        if at_once:
            given = np.ascontiguousarray(facts[some])
            load(model.kernel, program, given, levels[some], previous, model.vocabulary)
        else:
            model.kernel.add(facts[some], levels[some], previous)
        before += previous.tolist()
    model.kernel.check_invariants()
    return model, before


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("seed", seeds(15, 60))
def test_the_same_facts_at_the_same_levels_with_the_same_violations(seed, parts):
    (by_row, before), (by_column, also_before) = (filled(seed, parts, way) for way in (False, True))
    assert before == also_before
    assert violations_of(by_row) == violations_of(by_column)
    changes = [Counter(map(tuple, model.take_changes().tolist())) for model in (by_row, by_column)]
    assert changes[0] == changes[1]
    assert levels_of(by_row) == levels_of(by_column)
    assert len(by_row) > 60


@pytest.mark.parametrize("seed", seeds(3, 10))
def test_frames_that_are_taken_in_pieces_come_to_the_same(in_pieces, seed):
    by_row, by_column = (filled(seed, 1, way)[0] for way in (False, True))
    assert levels_of(by_row) == levels_of(by_column)


@pytest.mark.parametrize("seed", seeds(3, 10))
def test_each_fact_that_settled_follows_from_what_settled_before_or_at_a_higher_level(seed):
    model, _ = filled(seed, 1, True)
    names = ("predicate", "subject", "object", "level", "assertion_level", "sequence")
    rows = [
        dict(zip(names, row, strict=True)) for row in zip(*model.kernel.store.columns(*names), strict=True)
    ]
    _, instances, _ = model.kernel.lineage_walk().collect(
        np.arange(len(rows), dtype=np.int32), 1 << 30, False, -1
    )
    proved = {place for place, row in enumerate(rows) if row["assertion_level"] >= row["level"]}
    for head, _, *body in instances.tolist():
        if all(_settled_before(rows[row], rows[head]) for row in body if row >= 0):
            proved.add(head)
    assert len(proved) == len(rows)


def _settled_before(one, other):
    return (-one["level"], one["sequence"]) < (-other["level"], other["sequence"])


# -- a stream --------------------------------------------------------------------------------------


@settings(deadline=None)
@given(worlds(), windows, arrivals)
def test_a_stream_that_is_loaded_at_once_agrees_with_the_definitions(world, window, steps):
    rules, background, pool = world
    with at_once():
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(*window), background)
        both = SideBySide(reasoner, rules, background)
        both.follow(pool, steps)
    STEPS["at once"] += both.steps


def test_there_were_enough_steps():
    assert STEPS["at once"] >= 200


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_more_than_may_be_held_is_found_out_before_it_is_stored(seed):
    model, facts, levels = a_world(seed, 60)
    whole = len(filled(seed, 1, True)[0])
    program, previous = BulkProgram(model.program.plans), np.empty(len(facts), np.int32)
    with model.limited(whole - 1, None), pytest.raises(CapacityExceededError) as raised:
        load(model.kernel, program, facts, levels, previous, model.vocabulary)
    assert raised.value.facts > whole - 1
    assert len(model) == 0


@pytest.mark.parametrize("seed", range(20))
def test_as_many_as_may_be_held_are_loaded_though_known_facts_rise(in_pieces, seed):
    whole = len(filled(seed, 3, True)[0])
    model, facts, levels = a_world(seed, 60)
    program = BulkProgram(model.program.plans)
    with model.limited(whole, None):
        for some in np.array_split(np.argsort(levels, kind="stable"), 3):
            given, previous = np.ascontiguousarray(facts[some]), np.empty(len(some), np.int32)
            load(model.kernel, program, given, levels[some], previous, model.vocabulary)
    assert len(model) == whole


def test_edges_are_not_counted_beside_the_facts_that_they_are(in_pieces):
    transitive = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))
    chain = Rule("prp-spo2", (related(S, x, y), related(R, y, z)), related(R, x, z))
    links = [(EX[f"a{i}"], R, EX[f"b{i}"]) for i in range(50)]
    starts = [(EX[f"c{i}"], S, EX[f"a{i}"]) for i in range(20)]
    model, facts = encoded_model([transitive, chain], [*links, *starts])
    program = BulkProgram(model.program.plans)
    levels = np.zeros(len(facts), np.int32)
    assert program.closure({}, facts, levels, model.vocabulary, most=90).inserted == 90
    with pytest.raises(TooManyError):
        program.closure({}, facts, levels, model.vocabulary, most=89)


# -- what takes long -------------------------------------------------------------------------------


def encoded_model(rules, triples):
    """A model that is empty, and the triples as facts."""
    program = compile_(rules)
    vocabulary = Vocabulary(program)
    model = WindowModel(program, "newest", vocabulary)
    return model, vocabulary.encode(triples).facts


def test_what_follows_one_by_one_along_a_chain_is_left_to_the_kernel():
    links = [(EX[f"i{i}"], R, EX[f"i{i + 1}"]) for i in range(2000)]
    rules = [Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(A, x))]
    model, facts = encoded_model(rules, [*links, (EX.i2000, RDF.type, A)])
    program, levels = BulkProgram(model.program.plans), np.zeros(len(facts), np.int32)
    with pytest.raises(TooSlowError):
        program.closure({}, facts, levels, model.vocabulary)
    previous = np.empty(len(facts), np.int32)
    load(model.kernel, program, facts, levels, previous, model.vocabulary)
    assert len(model) == 2000 + 2001
    assert previous.tolist() == [-1] * len(facts)


def test_many_that_wait_are_sorted_again_only_when_they_have_doubled(in_pieces, monkeypatch):
    sorted_ = []
    newer = Columns.newer

    def counted(columns, keys, levels):
        sorted_.append(len(keys))
        return newer(columns, keys, levels)

    rules = [Rule("cax-sco", (is_a(EX[f"C{i}"], x),), is_a(A, x)) for i in range(200)]
    model, facts = encoded_model(rules, [(EX[f"i{i}"], RDF.type, EX[f"C{i}"]) for i in range(200)])
    program = BulkProgram(model.program.plans)
    monkeypatch.setattr(Columns, "newer", counted)
    found = program.closure({}, facts, np.zeros(200, np.int32), model.vocabulary)
    assert found.inserted == 400
    assert sum(sorted_) < 200 + 4 * 200


# -- literals that are computed --------------------------------------------------------------------


def test_the_kernel_goes_on_with_the_literals_that_were_computed_by_column():
    """They are more than the array of their data ranges had room for."""
    plus_1000 = Builtin(URIRef(SWRLB + "add"), (z, y, Literal(1000)))
    rules = (
        Rule("swrl", (related(V, x, y),), related(EX.W, x, z), tests=(plus_1000,)),
        Rule("cls-svf1", (related(EX.W, x, y), is_a(A, x)), is_a(C, x), tests=(Member(y, HOT),)),
    )
    members = [(EX[f"i{i}"], RDF.type, A) for i in range(300)]
    values = [(EX[f"i{i}"], V, Literal(i)) for i in range(300)]
    with at_once():
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(range=1))
        reasoner.push(0, members)
        reasoner.push(1, members + values)
        before = reasoner.materialization()
        reasoner.advance(2)  # the kernel renews what holds since 1, and looks at data ranges for it
    assert len(before) == 4 * 300
    assert reasoner.materialization() == before
