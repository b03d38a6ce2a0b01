"""What is pushed inside all_or_nothing is taken in whole or leaves no trace."""

import threading
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Literal

from class_counts import ClassCounts
from counts import cases
from pantarhei import InvalidTripleError, LateABoxError, Ontology, StreamReasoner, Window
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Builtin, Rule
from pantarhei.values.scalar_functions import SWRLB
from spark_streams import state_of, table_of
from strategies import EX, A, B, C, D, V, a, b, is_a, member, related, worlds, x, y, z
from worlds import arrivals

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
    Rule("one value", (related(V, x, y), related(V, x, EX.z)), is_a(D, x)),
]


class Stop(Exception):
    pass


def reasoner_of():
    return StreamReasoner(Ontology.from_rules(RULES), Window(5))


def everything(reasoner):
    """All that can be asked of a reasoner, by name."""
    return {
        **state_of(reasoner),
        "interpretations": {at: reasoner.interpretation(at) for at in reasoner.timestamps},
        "restored": state_of(StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)),
    }


def test_after_an_error_all_is_as_before_and_goes_on_as_if_nothing_had_been():
    reasoner, undisturbed = reasoner_of(), reasoner_of()
    for one in (reasoner, undisturbed):
        one.push(1, [member(A, a), (a, V, Literal(1))])
        one.push(2, [member(C, b), member(A, b)])
    before = everything(reasoner)
    with pytest.raises(Stop), reasoner.all_or_nothing():
        assert reasoner.push(2, [member(C, a)]).repair.removed  # undoes the newest ABox
        reasoner.push(
            4, [(b, V, Literal("02", datatype=XSD.integer, normalize=False)), member(EX.New, EX.new)]
        )
        reasoner.push(9, table_of([(9, "_:b", V.n3(), '"x"^^<http://www.w3.org/2001/XMLSchema#integer>')]))
        reasoner.advance(20)
        assert not reasoner.assertions()
        reasoner.snapshot()  # as a checkpoint that cannot be written does
        raise Stop
    assert everything(reasoner) == before == everything(undisturbed)
    for one in (reasoner, undisturbed):
        one.push(2, [member(C, a)])  # the newest ABox can still be undone
        update = one.push(3, [member(A, b), (b, V, Literal(2))])
        one.push_materialized(3, ABoxMaterializer(one.foundation).materialize([member(C, b)]))
        assert update.delta.added
    assert everything(reasoner) == everything(undisturbed)


def test_without_an_error_all_of_it_is_there():
    reasoner, other = reasoner_of(), reasoner_of()
    with reasoner.all_or_nothing():
        updates = [reasoner.push(1, [member(A, a)]), reasoner.push(2, [member(C, a)])]
    assert [other.push(1, [member(A, a)]), other.push(2, [member(C, a)])][1].repair.removed
    assert updates[1].repair.removed == {(1, member(A, a))}
    assert everything(reasoner) == everything(other)


def test_repairs_of_an_attempt_that_failed_are_not_saved_in_the_place_of_later_ones():
    reasoner = reasoner_of()
    reasoner.push(1, [member(A, a), member(A, b)])
    with pytest.raises(Stop), reasoner.all_or_nothing():
        reasoner.push(2, [member(C, a)])
        reasoner.snapshot()
        raise Stop
    reasoner.push(2, [member(C, b)])
    saved = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    assert [repair.removed for repair in saved.repairs] == [frozenset({(1, member(A, b))})]
    assert state_of(saved) == state_of(reasoner)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, InvalidTripleError, LateABoxError])
def test_errors_of_all_kinds_take_everything_back(error):
    reasoner = reasoner_of()
    reasoner.push(5, [member(A, a)])
    before = everything(reasoner)
    with pytest.raises(error), reasoner.all_or_nothing():
        reasoner.push(6, [member(C, a)])
        if error is LateABoxError:
            reasoner.push(3, [])
        elif error is InvalidTripleError:
            reasoner.push(7, [("no", "triple", "at all")])
        else:
            raise error
    assert everything(reasoner) == before


def test_blocks_within_one_another_are_parts_of_the_outer_one():
    reasoner = reasoner_of()
    before = everything(reasoner)
    with pytest.raises(Stop), reasoner.all_or_nothing():
        with reasoner.all_or_nothing():
            reasoner.push(1, [member(A, a)])
        with pytest.raises(Stop), reasoner.all_or_nothing():
            reasoner.push(2, [member(A, b)])
            raise Stop
        assert reasoner.timestamps == (1,)
        raise Stop
    assert everything(reasoner) == before


def test_another_thread_waits_until_all_is_there():
    reasoner = reasoner_of()
    seen = []
    looking = threading.Thread(target=lambda: seen.append(reasoner.materialization()))
    with reasoner.all_or_nothing():
        reasoner.push(1, [member(A, a)])
        looking.start()
        looking.join(0.05)
        assert looking.is_alive() and not seen
        reasoner.push(2, [member(A, b)])
    looking.join()
    assert seen == [reasoner.materialization()]


@settings(max_examples=cases(12, 60), deadline=None)
@given(
    world=worlds(),
    first=arrivals,
    lost=arrivals,
    then=arrivals,
    keep=st.sampled_from(["newest", "every"]),
    repair=st.sampled_from(["exact", "grounded", "off"]),
)
def test_a_reasoner_that_went_back_is_the_one_that_never_went(world, first, lost, then, keep, repair):
    rules, background, pool = world
    one, other = (
        StreamReasoner(Ontology.from_rules(rules), Window(3), background, repair=repair, keep=keep)
        for _ in "12"
    )

    def follow(reasoner, steps, now):
        updates = []
        for gap, choice in steps:
            now += gap
            abox = None if choice is None else [pool[i] for i in choice if i < len(pool)]
            updates.append(reasoner.advance(now) if abox is None else reasoner.push(now, abox))
        seen = [(u.at, u.dropped, u.repair.removed, u.delta.added, u.delta.removed) for u in updates]
        return now, seen

    now, _ = follow(one, first, 0)
    with pytest.raises(Stop), one.all_or_nothing():
        follow(one, lost, now)
        raise Stop
    follow(other, first, 0)
    assert state_of(one) == state_of(other)
    assert follow(one, then, now) == follow(other, then, now)
    assert state_of(one) == state_of(other)


@pytest.mark.parametrize(
    "look",
    [
        lambda reasoner: reasoner.interpretation(1),
        lambda reasoner: reasoner._held.model.lineage_of(reasoner._held.model.facts(), 99),
        lambda reasoner: reasoner._held.attach("levels", Levelled()),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_look_that_was_interrupted_leaves_nothing_broken(look, times, monkeypatch):
    """With several timestamps levels are made up for first, and built-ins are asked again."""
    lower = Rule("lower", (related(V, x, y), related(V, x, z)), is_a(B, x), tests=(less(y, z),))
    tested = StreamReasoner(Ontology.from_rules([lower, RULES[1]]), Window(5))
    for at in range(times):
        tested.push(at + 1, [(EX.o, EX.V, Literal(1)), (EX.o, EX.V, Literal(2))])
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(Vocabulary, "evaluate", interrupted)
        look(tested)
    tested._held.model.kernel.check_invariants()
    update = tested.push(3, [member(C, EX.o)])
    assert {at for at, _ in update.repair.removed} == set(range(1, times + 1))
    assert tested.materialization() == {member(C, EX.o)}


class Levelled(ClassCounts):
    needs_levels = True


def less(one, other):
    return Builtin(SWRLB.lessThan, (one, other))


def interrupted(*args):
    raise KeyboardInterrupt
