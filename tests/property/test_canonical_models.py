"""Canonical models of ABoxes: by column, several together, is found what is found by row, one by one."""

import pickle
from collections import Counter
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rdflib import XSD, Literal, URIRef

import pantarhei.materialize.bulk.load as aboxes_module
from counts import cases, of_many, seeds
from oracle.canonical_literals import canonical_triple
from oracle.materialization import closure, instances, is_consistent
from pantarhei import InconsistentOntologyError, Ontology
from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.interpretation import materializer
from pantarhei.interpretation import materializer as canonical
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer, CanonicalModelBuilder
from pantarhei.materialize.bulk.load import ABoxProgram, most_aboxes
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Builtin, Rule
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.rules.compilation.program import compile_
from scenes import SWRLB, scenes
from strategies import EX, A, B, R, V, is_a, member, related, x, y, z
from worlds import World

SEEN = Counter()
ALWAYS, NEVER = 0, 1 << 40


def table_of(aboxes):
    """The rows of all ABoxes, and where each begins."""
    rows = [tuple(map(write_term, triple)) for abox in aboxes for triple in abox]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)] or [pa.nulls(0)] * 3
    bounds = [0]
    for abox in aboxes:
        bounds.append(bounds[-1] + len(abox))
    return pa.table([c.cast(pa.string()) for c in columns], ["subject", "predicate", "object"]), bounds


def told(foundation, aboxes, bulk_from, conflicts):
    """Of each ABox the rows asserted, those derived, the conflict sets, and whether there are any."""
    worker, texts = ABoxMaterializer(foundation), InterpretationTables(foundation)
    table, bounds = table_of(aboxes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CanonicalModelBuilder, "bulk_from", bulk_from)
        for made in worker.materialize_parts(table, bounds, conflicts):
            rows = list(zip(*texts.table(made, apart=True).to_pydict().values(), strict=True))
            derived = [row[:3] for row in rows[made.asserted :]]
            assert len(set(derived)) == len(derived)
            yield rows[: made.asserted], derived, made.conflicts, made.contradictory


def canonical_rows(rows):
    return {canonical_triple(tuple(map(parse_term, row))) for row in rows}


def both_ways(ontology, background, unique_names, aboxes, conflicts):
    """What is told of each ABox by column and by row."""
    found = []
    for bulk_from in (ALWAYS, NEVER):
        foundation = Foundation.of(ontology, background, unique_names)
        found.append(list(told(foundation, aboxes, bulk_from, conflicts)))
    return zip(*found, strict=True)


# -- by column is by row ---------------------------------------------------------------------------


@settings(max_examples=cases(12, 300), deadline=None)
@given(
    scene=scenes(),
    choices=st.lists(st.lists(st.integers(0, 15), max_size=6), min_size=1, max_size=4),
    conflicts=st.booleans(),
)
def test_by_column_and_by_row_the_same_is_told(scene, choices, conflicts):
    rules, _, pool, options = scene
    aboxes = [[pool[i] for i in choice if i < len(pool)] for choice in choices]
    computes = any(rule.name == "swrl" for rule in rules)
    names = options["unique_names"]
    try:
        ontology = Ontology.from_rules(rules)
        ways = list(both_ways(ontology, options["background"], names, aboxes, conflicts))
    except InconsistentOntologyError:
        assume(False)
    for by_column, by_row in ways:
        assert by_column[0] == by_row[0]
        assert by_column[2:] == by_row[2:]
        if computes:  # a value that is computed in several forms has the one that came first
            assert canonical_rows(by_column[1]) == canonical_rows(by_row[1])
        else:
            assert sorted(by_column[1]) == sorted(by_row[1])
        SEEN["aboxes"] += 1
        SEEN["derived"] += bool(by_row[1])
        SEEN["contradictory"] += by_row[3]


@of_many
def test_enough_aboxes_had_something_to_tell():
    assert SEEN["aboxes"] >= 300
    assert min(SEEN["derived"], SEEN["contradictory"]) >= 50, SEEN


@pytest.fixture(params=[False, True], ids=["whole", "in pieces"])
def frames(request, monkeypatch):
    """Frames are taken as they are, and in parts of a few rows."""
    if request.param:
        monkeypatch.setattr(aboxes_module, "MOST_ROWS", 3)


@pytest.mark.parametrize("with_background", [False, True])
@pytest.mark.parametrize("seed", seeds(4, 15))
def test_many_aboxes_over_the_same_names_do_not_meet(frames, seed, with_background):
    world = World(seed, constraints=2)
    aboxes = [list(world.facts(world.random.choice((0, 3, 40)))) for _ in range(12)]
    background = world.background if with_background else ()
    ways = list(both_ways(Ontology.from_rules(world.rules), background, True, aboxes, True))
    assert len(ways) == 12
    for by_column, by_row in ways:
        assert sorted(by_column[1]) == sorted(by_row[1])
        assert (by_column[0], *by_column[2:]) == (by_row[0], *by_row[2:])


# -- and what the definitions say ------------------------------------------------------------------


def closed(rules, background, aboxes):
    """The models of ABoxes by column, as triples: asserted, derived, and whether they are contradictory."""
    program = compile_(rules)
    vocabulary = Vocabulary(program)
    model = WindowModel(program, "newest", vocabulary)
    model.add_background(vocabulary.encode(background).facts)
    models = CanonicalModelBuilder(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CanonicalModelBuilder, "bulk_from", ALWAYS)
        for made in models.close([vocabulary.encode(abox).facts for abox in aboxes]):
            asserted, derived = (list(vocabulary.decode(part)) for part in made[:2])
            yield asserted, derived, made.contradictory


@pytest.mark.parametrize("seed", seeds(4, 15))
def test_each_derived_fact_follows_from_facts_before_it(seed):
    world = World(seed, constraints=2)
    aboxes = [list(world.facts(15)) for _ in range(3)]
    always = closure(world.rules, world.background)
    for abox, (asserted, derived, contradictory) in zip(
        aboxes, closed(world.rules, world.background, aboxes), strict=True
    ):
        facts = {canonical_triple(triple) for triple in abox}
        assert list(map(canonical_triple, asserted)) == list(dict.fromkeys(map(canonical_triple, abox)))
        found = [canonical_triple(triple) for triple in derived]
        whole = closure(world.rules, always | facts)
        assert len(found) == len(set(found)) and set(found) == whole - always - facts
        assert contradictory != is_consistent(world.rules, whole)
        place = {fact: number for number, fact in enumerate(found)}
        proved = set()
        for _, body, head in instances(world.rules, whole):
            if head in place and all(place.get(fact, -1) < place[head] for fact in body):
                proved.add(head)
        assert proved == set(found)


LITERAL_SUBJECTS = [
    Rule("prp-spo2", (related(V, x, y), related(R, y, z)), related(EX.W, x, z)),
    Rule("cls-com", (related(V, x, y), is_a(A, y), is_a(B, x)), None),
    Rule("prp-inv1", (related(V, x, y),), related(EX.W, y, x)),
]


@pytest.mark.parametrize("names", [1 << 29, 100])
def test_a_literal_in_a_subjects_place_joins_with_nothing(names):
    """Its number can be that of a name with the number of the third ABox in front of it."""
    program = compile_(LITERAL_SUBJECTS)
    vocabulary = Vocabulary(program)
    abox = [(EX.a, V, Literal(1)), (EX.a, R, EX.b), member(A, EX.a), member(B, EX.a), (EX.b, V, EX.a)]
    facts = vocabulary.encode(abox).facts
    assert facts[0, 2] - FIRST_LITERAL == facts[0, 1] == 0
    plans = ABoxProgram(program.plans, np.empty((0, 3), np.int32))
    found = plans.close(np.concatenate([facts] * 3), [0, 5, 10, 15], names, vocabulary)
    derived = [set(vocabulary.decode(part)) for part in found.derived]
    assert derived == [{(EX.a, EX.W, EX.b), (EX.b, EX.W, EX.b)}] * 3
    assert found.contradictory == frozenset()


# -- what is left to the kernel --------------------------------------------------------------------


def counted(monkeypatch, name):
    """The arguments of each call of a method of the models from now on."""
    calls, method = [], getattr(CanonicalModelBuilder, name)

    def noted(models, *arguments):
        calls.append(arguments)
        return method(models, *arguments)

    monkeypatch.setattr(CanonicalModelBuilder, name, noted)
    return calls


def test_what_follows_one_by_one_along_a_chain_is_left_to_the_kernel(monkeypatch):
    links = [(EX[f"i{i}"], R, EX[f"i{i + 1}"]) for i in range(2000)]
    rules = [Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(A, x))]
    by_row = counted(monkeypatch, "_by_row")
    chain, link = closed(rules, [], [[*links, member(A, EX.i2000)], links[:1]])
    assert len(by_row) == 2
    assert len(chain[1]) == 2000 and not link[1]


def test_aboxes_from_which_too_much_follows_together_are_closed_one_by_one(monkeypatch):
    monkeypatch.setattr(canonical, "_MOST_FACTS", 5)
    by_row = counted(monkeypatch, "_by_row")
    rules = [Rule("cax-sco", (is_a(A, x),), is_a(B, x))]
    two = list(closed(rules, [], [[member(A, EX[f"i{i}"]) for i in range(4)]] * 2))
    assert len(by_row) == 2 and [len(model[1]) for model in two] == [4, 4]
    assert len(next(closed(rules, [], [[member(A, EX[f"i{i}"]) for i in range(40)]]))[1]) == 40
    assert len(by_row) == 2


def test_only_contradictory_aboxes_are_looked_at_again_for_their_conflicts(monkeypatch):
    by_row = counted(monkeypatch, "_by_row")
    ontology = Ontology.from_rules([Rule("cax-dw", (is_a(A, x), is_a(B, x)), None)])
    aboxes = [[member(A, EX.a)], [member(A, EX.a), member(B, EX.a)], [member(B, EX.a)]]
    told_of = list(told(Foundation.of(ontology), aboxes, ALWAYS, True))
    assert [model[2] for model in told_of] == [(), ((0, 1),), ()]
    assert len(by_row) == 1
    told_of = list(told(Foundation.of(ontology), aboxes, ALWAYS, False))
    assert [model[2:] for model in told_of] == [((), False), ((), True), ((), False)]
    assert len(by_row) == 1


# -- how many together -----------------------------------------------------------------------------


def test_as_many_aboxes_as_there_are_numbers_for_do_not_meet():
    names = 1 << 27
    assert most_aboxes(names) == 16
    program = compile_([Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(B, x))])
    vocabulary = Vocabulary(program)
    related_, is_a_ = (vocabulary.encode([fact]).facts[0] for fact in ((EX.a, R, EX.b), member(A, EX.b)))
    last = names - 1
    facts = []
    for number in range(16):
        some = [(related_[0], last - number % 2, last), (is_a_[0], last, -1)]
        facts += some if number % 3 else some[:1]
    bounds = [0]
    for number in range(16):
        bounds.append(bounds[-1] + (2 if number % 3 else 1))
    plans = ABoxProgram(program.plans, np.empty((0, 3), np.int32))
    found = plans.close(np.array(facts, np.int32), bounds, names, vocabulary)
    assert [[row[1] for row in part.tolist()] for part in found.derived] == [
        [last - number % 2] if number % 3 else [] for number in range(16)
    ]


def test_a_table_is_closed_a_part_at_a_time(monkeypatch):
    monkeypatch.setattr(materializer, "MOST_TOGETHER", 5)
    together = counted(monkeypatch, "_by_column")
    ontology = Ontology.from_rules([Rule("cax-sco", (is_a(A, x),), is_a(B, x))])
    aboxes = [[member(A, EX[f"i{i}"]) for i in range(count)] for count in (2, 3, 1, 7, 0, 4)]
    told_of = list(told(Foundation.of(ontology), aboxes, ALWAYS, False))
    assert [len(model[1]) for model in told_of] == [2, 3, 1, 7, 0, 4]
    assert [[len(facts) for facts in some] for some, *_ in together] == [[2, 3], [1], [7], [0, 4]]


def test_aboxes_with_forms_of_their_own_are_closed_together(monkeypatch):
    together = counted(monkeypatch, "_by_column")
    ontology = Ontology.from_rules([Rule("prp-spo1", (related(V, x, y),), related(EX.W, x, y))])
    forms = [Literal(form, datatype=XSD.integer, normalize=False) for form in ("1", "01", "+1", "1")]
    told_of = list(told(Foundation.of(ontology), [[(EX.a, V, form)] for form in forms], ALWAYS, False))
    assert [parse_term(model[1][0][2]) for model in told_of] == forms
    assert len(together) == 1


def swrl(name, *arguments):
    return Builtin(URIRef(SWRLB + name), arguments)


COMPUTING = [
    Rule("swrl", (related(V, x, y),), related(EX.W, x, z), tests=(swrl("add", z, y, Literal(1)),)),
    Rule("swrl", (related(V, x, y),), related(EX.Half, x, z), tests=(swrl("divide", z, y, Literal(2)),)),
    Rule("swrl", (related(EX.Half, x, y),), is_a(A, x), tests=(swrl("greaterThan", y, Literal(1)),)),
]
WRITTEN = [
    Literal(text, datatype=datatype, normalize=False)
    for text, datatype in (
        *((text, XSD.integer) for text in ("1", "02", "3", "4", "8")),
        *((text, XSD.decimal) for text in ("2.0", "2.5", "3.50", "5.0", "10.0")),
    )
]


@pytest.mark.parametrize("bulk_from", [ALWAYS, NEVER], ids=["by column", "by row"])
@pytest.mark.parametrize("seed", seeds(2, 8))
def test_where_values_are_computed_no_abox_tells_by_its_forms_of_the_others(seed, bulk_from, monkeypatch):
    """What one computes is asserted in another, or computed there as a number of another datatype."""
    monkeypatch.setattr(materializer, "MOST_TOGETHER", 8)
    random = Random(seed)
    foundation = Foundation.of(Ontology.from_rules(COMPUTING), [(EX.b, EX.W, WRITTEN[1])])
    aboxes = [
        [
            (random.choice((EX.a, EX.b)), random.choice((V, V, EX.W, EX.Half)), random.choice(WRITTEN))
            for _ in range(random.choice((1, 1, 2, 4)))
        ]
        for _ in range(40)
    ]
    fresh = pickle.dumps(foundation)
    together = list(told(foundation, aboxes, bulk_from, False))
    for abox, found in zip(aboxes, together, strict=True):
        (alone,) = told(pickle.loads(fresh), [abox], bulk_from, False)
        assert (found[0], sorted(found[1])) == (alone[0], sorted(alone[1]))
    SEEN["computed"] += sum(len(found[1]) for found in together)


@pytest.mark.parametrize("bulk_from", [ALWAYS, NEVER], ids=["by column", "by row"])
def test_a_value_is_written_as_it_was_asserted_though_it_was_computed_before(bulk_from, monkeypatch):
    monkeypatch.setattr(materializer, "MOST_TOGETHER", 1)
    ontology = Ontology.from_rules(COMPUTING[:1])
    aboxes = [
        [(EX.a, V, Literal(text, datatype=XSD.decimal, normalize=False))] for text in ("2.5", "3.50", "2.5")
    ]
    found = list(told(Foundation.of(ontology), aboxes, bulk_from, False))
    written = [[str(parse_term(row[2])) for row in (*model[0], *model[1])] for model in found]
    assert written == [["2.5", "3.5"], ["3.50", "4.5"], ["2.5", "3.5"]]


def test_where_values_are_computed_aboxes_are_closed_together_and_each_value_is_asked_about_once(monkeypatch):
    asked, evaluate = Counter(), Vocabulary.evaluate
    begun, begin = [], ABoxMaterializer._begin
    monkeypatch.setattr(
        Vocabulary,
        "evaluate",
        lambda numbers, *given: asked.update([given]) or evaluate(numbers, *given),
    )
    monkeypatch.setattr(ABoxMaterializer, "_begin", lambda *given: begun.append(1) or begin(*given))
    together = counted(monkeypatch, "_by_column")
    aboxes = [[(EX[f"i{n}"], V, Literal(n % 20))] for n in range(400)]
    made = list(told(Foundation.of(Ontology.from_rules(COMPUTING[::2])), aboxes, ALWAYS, False))
    assert [parse_term(model[1][0][2]) for model in made] == [Literal(n % 20 + 1) for n in range(400)]
    assert len(together) == len(begun) == 1
    assert len(asked) == 20 == asked.total()


def test_few_facts_are_closed_by_row_and_many_small_aboxes_by_column(monkeypatch):
    by_column = counted(monkeypatch, "_by_column")
    ontology = Ontology.from_rules([Rule("cax-sco", (is_a(A, x),), is_a(B, x))])
    usual = CanonicalModelBuilder.bulk_from
    few = [[member(A, EX.a)]] * 10
    many = [[member(A, EX[f"i{i}"])] for i in range(usual // CanonicalModelBuilder.bulk_each)]
    assert [model[1] for model in told(Foundation.of(ontology), few, usual, False)] != []
    assert not by_column
    assert all(len(model[1]) == 1 for model in told(Foundation.of(ontology), many, usual, False))
    assert len(by_column) == 1
