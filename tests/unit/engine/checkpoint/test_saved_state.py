"""A reasoner is restored as it was, with what it was made of, and with nothing else."""

import struct
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import Literal

from checkpoints import (
    COLUMNS,
    DISJOINT,
    FUNCTIONAL,
    HEADER,
    LISTED,
    ODD,
    ONTOLOGY,
    SUBCLASS,
    same,
    signed,
    simple,
    without,
)
from pantarhei import Budget, Ontology, StreamReasoner, Window, load_rules
from pantarhei.engine.checkpoint.container import (
    DIGEST_LENGTH,
    FIRST_WITH_CONCLUSIONS,
    FIRST_WITH_TICK,
    FIRST_WITH_UNEXPECTED,
    pack,
)
from pantarhei.errors import CheckpointError, CheckpointMismatchError, CheckpointOptionError, PantarheiError
from strategies import EX, A, C, V, a, b, c, member


@pytest.mark.parametrize(
    ("name", "bad", "reason"),
    [
        ("kind", "SUNDIAL", "SUNDIAL"),
        ("kind", "FLOAT", "a number, since"),
        ("kind", None, "shorter"),
        ("now", 0, "do not ascend"),
        ("times", [["datetime", None, 10**18, 0]], "out of range"),
        ("times", [["int"]], "timestamp"),
        ("window", {}, "range"),
        ("window", {**HEADER["window"], "range": {"microseconds": -1}}, "negative"),
        ("budget", {"width": 3}, "width"),
        ("limits", {"max_facts": 0}, "max_facts"),
        ("counters", {"pushes": 1, "sneezes": 2}, "sneezes"),
        ("constraints", [["cax-dw", "no such text"]], "no constraint cax-dw"),
        ("constraints", [], "out of range"),
    ],
)
def test_an_entry_of_the_header_that_makes_no_sense_is_refused(name, bad, reason):
    with pytest.raises(CheckpointError, match=f"is invalid: .*{reason}"):
        StreamReasoner.restore(pack({**HEADER, name: bad}, COLUMNS), ODD)


def test_another_ontology_is_refused_with_both_fingerprints():
    data = simple().snapshot()
    other = Ontology.from_rules([SUBCLASS, DISJOINT])
    with pytest.raises(CheckpointMismatchError) as caught:
        StreamReasoner.restore(data, other)
    error = caught.value
    assert (error.saved, error.given) == (ONTOLOGY.fingerprints.rules, other.fingerprints.rules)
    assert "rules" in error.what
    assert error.saved in str(error) and error.given in str(error)


def test_other_assertions_in_the_ontology_are_refused():
    other = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL], [member(A, c)])
    with pytest.raises(CheckpointMismatchError, match="assertions in the ontology"):
        StreamReasoner.restore(simple().snapshot(), other)


def test_a_reasoner_that_saw_nothing():
    fresh = StreamReasoner(ONTOLOGY, Window(3), keep="every", repair="grounded", budget=Budget(sets=3))
    restored = StreamReasoner.restore(fresh.snapshot(), ONTOLOGY)
    assert same(restored, fresh) and restored.note == {} and restored.timestamps == ()
    assert restored.push(5, [member(A, a)]).delta == fresh.push(5, [member(A, a)]).delta
    assert same(restored, fresh)


def test_blank_nodes_of_tables_stay_apart_from_later_ones():
    import pyarrow as pa

    message = pa.table({"subject": ["_:x"], "predicate": ["<urn:p>"], "object": ["_:x"]})
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
    reasoner.push(1, message)
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for each in (reasoner, restored):
        each.push(2, message)
    assert restored.assertions() == reasoner.assertions()
    assert len(restored.materialization()) == 2


def test_a_restored_reasoner_is_as_it_was_after_an_error():
    reasoner = simple()
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    for bad in ([(a, V)], [(Literal(1), V, a)]):
        for at in (2, 3):
            with pytest.raises(PantarheiError):
                restored.push(at, [member(A, c), *bad])
    assert same(restored, reasoner)
    assert restored.push(2, [member(C, b)]).repair == reasoner.push(2, [member(C, b)]).repair
    assert same(restored, reasoner)


# -- options and rules given again -----------------------------------------------------------------

GIVEN = {
    "window": (Window("PT1M"), Window(timedelta(minutes=1)), Window("PT2M")),
    "repair": ("grounded", "grounded", "exact"),
    "keep": ("newest", "newest", "every"),
    "unique_names": (False, False, True),
    "budget": (Budget(sets=3), Budget(sets=3), Budget()),
    "derive": ("all", "all", "needed"),
    "conclusions": ("default", "default", "graph"),
    "numbers": ("by_value", "by_value", "by_datatype"),
}
RULES = "high(X) :- v(X, V), V > 5.\nlow(X) :- v(X, V), V < 2."
PREFIXES = {"": str(EX)}


def saved_with_rules(**options):
    options = {"window": Window("PT1M"), **options}
    reasoner = StreamReasoner(ONTOLOGY, temporal=load_rules(RULES, prefixes=PREFIXES), **options)
    reasoner.push(NOON, [(a, EX.v, Literal(7))])
    return reasoner


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_that_is_given_again_must_be_the_saved_one(name):
    made_with, same_again, other = GIVEN[name]
    data = saved_with_rules(**{name: made_with}).snapshot()
    assert StreamReasoner.restore(data, ONTOLOGY, **{name: same_again}).timestamps == (NOON,)
    with pytest.raises(CheckpointOptionError, match=f"omit {name} to use the saved value") as caught:
        StreamReasoner.restore(data, ONTOLOGY, **{name: other})
    assert (caught.value.what, caught.value.given) == (name, repr(other))
    assert isinstance(caught.value, CheckpointMismatchError)


@pytest.mark.parametrize(
    "again",
    [
        load_rules(RULES, prefixes=PREFIXES),
        load_rules("\n".join(reversed(RULES.splitlines())), prefixes=PREFIXES),  # order makes no difference
        load_rules("e:high(X) :- e:v(X, V), V > 5.\ne:low(X) :- e:v(X, V), V < 2.", prefixes={"e": str(EX)}),
    ],
)
def test_the_saved_rules_can_be_given_again(again):
    saved = saved_with_rules()
    restored = StreamReasoner.restore(saved.snapshot(), ONTOLOGY, temporal=again)
    assert restored.conclusions() == saved.conclusions() != frozenset()
    later = NOON + timedelta(seconds=1), [(b, EX.v, Literal(1))]
    assert restored.push(*later).conclusions.turns == saved.push(*later).conclusions.turns


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (RULES.replace("5", "6"), "V > 6"),
        (RULES.splitlines()[0], "no further rule"),
        (RULES + "\nodd(X) :- v(X, 3).", "odd"),
        ("remember high.\n" + RULES, "remember="),
    ],
)
def test_other_rules_are_refused_and_the_error_shows_what_differs(other, shown):
    data = saved_with_rules().snapshot()
    with pytest.raises(CheckpointOptionError, match="omit temporal to use the saved value") as caught:
        StreamReasoner.restore(data, ONTOLOGY, temporal=load_rules(other, prefixes=PREFIXES))
    assert shown in str(caught.value)
    assert StreamReasoner.restore(data, ONTOLOGY).conclusions()


@pytest.mark.parametrize("how", [{"feedback": True}, {"start": NOON}])
def test_the_same_rules_evaluated_in_another_way_are_refused(how):
    data = saved_with_rules().snapshot()
    with pytest.raises(CheckpointOptionError, match="the same rules with"):
        StreamReasoner.restore(data, ONTOLOGY, temporal=load_rules(RULES, prefixes=PREFIXES, **how))


def test_rules_for_a_checkpoint_without_any_are_refused():
    data = simple().snapshot()
    rules = load_rules(RULES, prefixes=PREFIXES)
    with pytest.raises(CheckpointOptionError, match=r"temporal=None, but temporal=high"):
        StreamReasoner.restore(data, ONTOLOGY, temporal=rules)
    with pytest.raises(PantarheiError, match="TemporalRules from load_rules"):
        StreamReasoner.restore(data, ONTOLOGY, temporal=RULES)


@pytest.mark.parametrize("name", HEADER)
def test_an_entry_of_the_header_that_is_missing_or_of_another_type_is_refused(name):
    for header in (without(HEADER, name), {**HEADER, name: 1.5}, {**HEADER, name: [{}]}):
        if name != "kind" or name in header:
            with pytest.raises(CheckpointError, match="is invalid"):
                StreamReasoner.restore(pack(header, COLUMNS), ODD)


def test_a_number_in_the_header_has_at_most_64_bits_and_no_truth_value_stands_for_it():
    for bad in (1 << 63, True, "1"):
        with pytest.raises(CheckpointError, match="now is"):
            StreamReasoner.restore(pack({**HEADER, "now": bad}, COLUMNS), ODD)


def test_a_checkpoint_from_before_conclusions_could_be_joined_has_them_in_their_graph_alone():
    older = pack(without(LISTED.header, "conclusions"), LISTED.columns)[:-DIGEST_LENGTH]
    older = signed(older[:8] + struct.pack("<I", FIRST_WITH_CONCLUSIONS - 1) + older[12:])
    assert StreamReasoner.restore(older, ODD).options.conclusions == "graph"


def test_a_checkpoint_that_does_not_say_what_was_unexpected_begins_to_count():
    older = pack(without(LISTED.header, "unexpected"), LISTED.columns)[:-DIGEST_LENGTH]
    older = signed(older[:8] + struct.pack("<I", FIRST_WITH_UNEXPECTED - 1) + older[12:])
    assert not StreamReasoner.restore(older, ODD).unexpected()


@pytest.mark.parametrize(
    "said",
    [
        {"axioms": 1},
        {"axioms": "1", "unknown": [], "numbers": []},
        {"axioms": 0, "unknown": [['"a"', 1]], "numbers": []},
        {"axioms": 0, "unknown": [["<urn:a>", 7]], "numbers": []},
        {"axioms": 0, "unknown": [["urn:a", 1]], "numbers": []},
        {"axioms": 0, "unknown": 3, "numbers": []},
        {"axioms": 0, "unknown": [], "numbers": [["urn:p", "<urn:x>", None]]},
    ],
)
def test_what_was_unexpected_and_makes_no_sense_is_refused(said):
    with pytest.raises(CheckpointError, match="is invalid"):
        StreamReasoner.restore(pack(HEADER | {"unexpected": said}, COLUMNS), ODD)


@pytest.mark.parametrize("tick", [None, 3, timedelta(seconds=3)])
def test_the_tick_is_restored_and_must_equal_a_given_one(tick):
    rules = load_rules("@prefix : <http://e/> . seen(X) :- asserted :A(X) in [0].")
    window = Window(range=timedelta(seconds=9) if isinstance(tick, timedelta) else 9)
    saved = StreamReasoner(ONTOLOGY, window, temporal=rules, tick=tick).snapshot()
    assert StreamReasoner.restore(saved, ONTOLOGY, tick=tick).options.tick == tick
    with pytest.raises(CheckpointOptionError, match="tick"):
        StreamReasoner.restore(saved, ONTOLOGY, tick=4)


def test_an_older_checkpoint_has_the_tick_of_the_slide():
    data = pack({key: value for key, value in HEADER.items() if key != "tick"}, COLUMNS, FIRST_WITH_TICK - 1)
    assert StreamReasoner.restore(data, ODD).options.tick is None
