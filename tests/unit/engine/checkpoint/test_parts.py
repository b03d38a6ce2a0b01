"""Splitting and merging checkpoints: what is refused, and what becomes of the past and of waiting ABoxes."""

import pickle
from contextlib import suppress

import pytest
from rdflib import BNode, Literal

from checkpoints import ONTOLOGY
from pantarhei import History, Ontology, OptionError, StreamReasoner, Window, load_rules
from pantarhei.engine.checkpoint.parts import merge, split
from pantarhei.errors import (
    CheckpointError,
    CheckpointMismatchError,
    CheckpointSplitError,
    ForgottenTimeError,
)
from pantarhei.model.rule import Different, Rule
from scenes import table
from strategies import EX, A, B, C, R, V, a, b, c, member, related, x, y, z

PLACES = {a: 0, b: 1, c: 2}


def reasoner(*pushes, window=None, **options):
    made = StreamReasoner(ONTOLOGY, window or Window(3), **options)
    for at, *triples in pushes:
        made.push(at, triples)
    return made


def parts_of(made, part_of=PLACES.__getitem__, **options):
    parts = split(made.snapshot(), ONTOLOGY, part_of, **options)
    return {number: StreamReasoner.restore(data, ONTOLOGY) for number, data in parts.items()}


def merged(*reasoners, **options):
    return StreamReasoner.restore(
        merge([each.snapshot() for each in reasoners], ONTOLOGY, **options), ONTOLOGY
    )


def refusal(*snapshots):
    with pytest.raises(CheckpointSplitError) as caught:
        merge([each.snapshot() for each in snapshots], ONTOLOGY)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert isinstance(caught.value, CheckpointError)
    return str(caught.value)


def test_a_part_has_the_assertions_of_its_subjects_and_the_time_of_the_whole():
    whole = reasoner((1, member(A, a), member(A, b)), (2, member(C, a), (b, R, a)))
    whole.advance(3)
    parts = parts_of(whole, note={"part": True})
    assert sorted(parts) == [0, 1]
    assert parts[0].assertions() == {(2, member(C, a))}
    assert parts[1].assertions() == {(1, member(A, b)), (2, (b, R, a))}
    assert [each.newest for each in parts.values()] == [3, 3]
    assert parts[0].note == {"part": True}
    assert merged(*parts.values()).assertions() == whole.assertions()


def test_counters_of_parts_add_up():
    whole = reasoner((1, member(A, a), member(A, b)), (2, member(C, a), member(C, b)), (6, member(A, c)))
    parts = parts_of(whole)
    for name in ("cut", "undecided", "late", "times_cut"):
        assert sum(getattr(each.stats(), name) for each in parts.values()) == getattr(whole.stats(), name)
    assert merged(*parts.values()).stats().cut == whole.stats().cut == 2


def test_the_past_is_divided_and_united():
    whole = reasoner((1, member(A, a), member(A, b)), (2, member(A, a)), (8, member(A, c)))
    parts = parts_of(whole)
    assert [each.asserted_at for each in parts[1].why_not(member(A, b)).gone] == [1]
    again = merged(*parts.values())
    for made in (whole, again):
        assert [each.asserted_at for each in made.why_not(member(A, a)).gone] == [2, 1]
        assert [each.asserted_at for each in made.why_not(member(A, b)).gone] == [1]
        assert made.explain(member(B, a), at=2).triple == member(B, a)


def test_entries_that_a_limit_evicted_from_some_parts_only_are_forgotten():
    limits = {"max_facts": 1, "on_limit": "drop"}
    one = reasoner((1, (a, R, b)), (2, (a, R, c)), **limits)
    other = reasoner((1, (b, R, b)), (2, (b, R, b)), **limits)
    assert one.timestamps == (2,) and other.timestamps == (1, 2)
    again = merged(one, other)
    assert again.assertions() == one.assertions() | other.assertions()
    assert again.why_not((a, R, b)).gone == ()
    with pytest.raises(ForgottenTimeError):
        again.explain((b, R, b), at=1)


def test_waiting_aboxes_are_divided_and_united():
    def given():
        yield 1, [member(A, a), member(A, b)]
        yield 3, table([member(A, a), (b, V, Literal("x", lang="en"))])
        yield 2, [member(C, b)]
        raise EOFError

    whole = StreamReasoner(ONTOLOGY, Window(5))
    with suppress(EOFError):
        list(whole.run(given(), allowed_lateness=2))
    again = merged(*parts_of(whole).values())
    assert again.stats().waiting > 0
    for made in (whole, again):
        list(made.run([(9, [member(A, c)])]))
    assert again.assertions() == whole.assertions()
    assert again.materialization() == whole.materialization()


def test_waiting_tables_with_blank_nodes_are_refused():
    def given():
        yield 1, table([(BNode("n"), R, a)])
        raise EOFError

    whole = StreamReasoner(ONTOLOGY, Window(5))
    with suppress(EOFError):
        list(whole.run(given(), allowed_lateness=2))
    with pytest.raises(CheckpointSplitError, match=r"the table at 1, .* has blank nodes; end the stream"):
        parts_of(whole, lambda name: 0)


def test_reasoners_of_different_times_are_refused():
    said = refusal(reasoner((1, member(A, a))), reasoner((4, member(A, b))))
    assert "the different times 1 and 4; advance the reasoners" in said


def test_reasoners_with_one_subject_are_refused():
    said = refusal(reasoner((1, member(A, a))), reasoner((1, member(C, a))))
    assert f"have assertions of <{a}>" in said


def test_reasoners_of_different_options_or_backgrounds_are_refused():
    assert "different options" in refusal(reasoner(), reasoner(window=Window(4)))
    assert "different backgrounds" in refusal(reasoner(), reasoner(background=[member(A, c)]))
    assert merge([reasoner().snapshot(), reasoner(history=History(2)).snapshot()], ONTOLOGY)


def test_reasoners_of_different_queries_are_refused():
    one, other = reasoner((1, member(A, a))), reasoner((1, member(A, b)))
    one.register("SELECT ?x { ?x ?p ?y }", "all")
    assert "only some snapshots have queries" in refusal(one, other)
    other.register("SELECT ?y { ?x ?p ?y }", "all")
    assert "the queries 'all' of two snapshots differ" in refusal(one, other)
    one.register("ASK {}", "more")
    assert "different numbers of queries" in refusal(one, other)


def test_rows_without_a_key_are_refused():
    whole = reasoner(window=Window(4, 2))
    whole.register("SELECT ?v { ?x ?p ?v }", "values", on="close")
    whole.push(1, [(a, V, Literal("text"))])
    whole.advance(4)
    with pytest.raises(CheckpointSplitError, match="the query 'values' belongs to no single part; select"):
        parts_of(whole)
    with pytest.raises(CheckpointSplitError, match="'values'"):
        parts_of(whole, key_columns={"values": [0]})


def concluding(text, *pushes):
    return reasoner(*pushes, temporal=load_rules(text, prefixes={"": str(EX)}))


def test_temporal_rules_are_divided_by_the_keys_of_their_states():
    whole = concluding("seen(X) :- :A(X) in [3].", (1, member(A, a), member(A, b)), (2, member(C, c)))
    with pytest.raises(CheckpointSplitError, match="no key is known for the states of A; keep the number"):
        parts_of(whole)
    parts = parts_of(whole, positions=lambda symbol: {0})
    again = merged(*parts.values())
    for made in (*parts.values(), again, whole):
        made.advance(5)
    assert again.atoms() == whole.atoms() == frozenset().union(*(each.atoms() for each in parts.values()))
    assert len(parts[0].atoms()) == 1
    assert parts_of(whole, positions=lambda symbol: None)


def test_temporal_rules_that_differ_or_remember_conclusions_are_refused():
    text = "remember held. held(X) :- :A(X). long(X) :- held(X) in [2]."
    whole = concluding(text, (1, member(A, a)), (2, member(A, a)), (3, member(A, a)))
    with pytest.raises(CheckpointSplitError, match="temporal rules remember conclusions of earlier ticks"):
        parts_of(whole, positions=lambda symbol: {0})
    one = concluding("seen(X) :- :A(X) in [3].", (1, member(A, a)))
    assert "different temporal rules" in refusal(one, concluding("seen(X) :- :A(X).", (1, member(A, b))))


def test_conflicts_between_parts_are_refused():
    rule = Rule("prp-ifp", (related(R, x, z), related(R, y, z)), None, (Different(x, y),))
    ontology = Ontology.from_rules([rule])
    whole = StreamReasoner(ontology, Window(3))
    whole.push(1, [(a, R, c), (b, R, c)])
    with pytest.raises(CheckpointSplitError, match="conflict at 1 joins assertions of the parts 0 and 1"):
        split(whole.snapshot(), ontology, PLACES.__getitem__)


def test_other_inputs_are_refused():
    with pytest.raises(OptionError, match="at least one snapshot"):
        merge([], ONTOLOGY)
    with pytest.raises(CheckpointMismatchError):
        split(reasoner().snapshot(), type(ONTOLOGY).from_rules([]), PLACES.__getitem__)
    with pytest.raises(OptionError, match="note"):
        split(reasoner((1, member(A, a))).snapshot(), ONTOLOGY, PLACES.__getitem__, note={"x": object()})
