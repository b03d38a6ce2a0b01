"""One tick: what leaves, what arrives, and what that contradicts, in a model and in new books."""

import logging

import pytest
from rdflib import RDF, XSD, Literal

from class_counts import ClassCounts
from pantarhei import Ontology, StreamReasoner
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.engine.consumer import Consumers
from pantarhei.engine.memory import Memory
from pantarhei.engine.step_transaction import StepTransaction
from pantarhei.engine.stream_history import StreamHistory
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import ClosedABox
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.repair.conflict import Budget
from pantarhei.repair.repairer import Repairer
from pantarhei.window.retention import Limits
from pantarhei.window.sliding import Window
from strategies import EX, A, B, C, V, b, is_a, member, x
from strategies import a as a_of_strategies

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
WINDOW = Window(2)


class Stream:
    """The model and the books of a stream, a tick after another."""

    def __init__(self, **limits):
        self.foundation = Foundation.of(Ontology.from_rules(RULES))
        self.model, self.history = self.foundation.model(), StreamHistory()
        self.model.take_changes()
        self.vocabulary = self.foundation.vocabulary
        self.memory = Memory(Limits(**limits), self.vocabulary, Consumers())

    def step(self, now, given=None):
        return StepTransaction(
            self.model,
            self.history,
            GivenForms(self.vocabulary),
            Repairer("exact", Budget(), self.vocabulary),
            WINDOW.step_at(TimeKind.INTEGER, now),
            WINDOW,
            self.memory,
            self.memory.consumers,
            now,
            given,
            is_limited=bool(self.memory.limits),
        )

    def take_in(self, now, *triples):
        encoded = self.vocabulary.encode(triples)
        return self.after(self.step(now, ClosedABox(encoded.facts, encoded, finished=False)).run())

    def pass_(self, now):
        return self.after(self.step(now).run())

    def after(self, outcome):
        self.history = outcome.history
        self.model.kernel.check_invariants()
        return outcome.update

    @property
    def facts(self):
        return set(self.vocabulary.decode(self.model.facts()))


def test_an_abox_arrives_with_what_follows_and_leaves_when_time_has_passed():
    stream = Stream()
    update = stream.take_in(1, member(A, a_of_strategies))
    assert update.delta.added == {member(A, a_of_strategies), member(B, a_of_strategies)} == stream.facts
    assert stream.pass_(3).dropped == ()
    update = stream.pass_(4)
    assert update.dropped == (1,) and update.delta.removed == {
        member(A, a_of_strategies),
        member(B, a_of_strategies),
    }
    assert not stream.facts and list(stream.history.log) == []


def test_what_the_newest_contradicts_is_cut_from_the_model_and_noted_in_the_books():
    stream = Stream()
    stream.take_in(1, member(A, a_of_strategies), member(A, b))
    update = stream.take_in(2, member(C, a_of_strategies))
    assert update.repair.removed == {(1, member(A, a_of_strategies))}
    assert stream.facts == {member(A, b), member(B, b), member(C, a_of_strategies)}
    assert list(stream.vocabulary.decode(stream.history.log.newest.cut)) == [member(A, a_of_strategies)]
    assert (stream.history.counters.repairs, stream.history.counters.cut) == (1, 1)


def test_the_old_books_stay_as_they_were():
    stream = Stream()
    stream.take_in(1, member(A, a_of_strategies))
    before = stream.history
    stream.take_in(2, member(C, a_of_strategies))
    assert [entry.at for entry in before.log] == [1] and before.counters.repairs == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([], [member(C, a_of_strategies)]),
        ([member(C, b)], [member(C, a_of_strategies), member(A, b)]),
        ([member(C, a_of_strategies)], [member(A, b)]),
        (
            [member(C, a_of_strategies)],
            [member(B, a_of_strategies)],
        ),  # what the first part cut is back before the whole is repaired
    ],
)
def test_a_timestamp_in_two_parts_comes_to_what_it_comes_to_in_one(first, second):
    apart, whole = Stream(), Stream()
    for stream in (apart, whole):
        stream.take_in(1, member(A, a_of_strategies))
    apart.take_in(2, *first)
    apart.take_in(2, *second)
    whole.take_in(2, *first, *second)
    assert apart.facts == whole.facts
    one, other = (
        [
            (repair.removed, repair.undecided, set(repair.conflict_sets))
            for _, repair in stream.history.repairs
        ]
        for stream in (apart, whole)
    )
    assert one == other and len(one) == 1
    assert apart.history.log.newest.facts.tolist() == whole.history.log.newest.facts.tolist()
    assert apart.history.counters._replace(pushes=0) == whole.history.counters._replace(pushes=0)


def test_too_much_is_an_error_or_lets_the_oldest_leave_early():
    refusing, dropping = Stream(max_facts=3), Stream(max_facts=3, on_limit="drop")
    for stream in (refusing, dropping):
        stream.take_in(1, member(A, a_of_strategies))
    with pytest.raises(MemoryLimitError):
        refusing.take_in(2, member(A, b))
    update = dropping.take_in(2, member(A, b))
    assert update.dropped_early == (1,) and dropping.facts == {member(A, b), member(B, b)}
    assert dropping.history.counters.dropped_early == 1


# at              0   1   2
# v(a, 1.0)       x       x     told at 1, when a window closes, that it has gone
def test_a_fact_that_goes_on_the_way_and_comes_again_is_told_with_its_form():
    one, written = Literal(1), Literal("1.0", datatype=XSD.decimal)
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(0), background=[(b, V, one)])
    reasoner.register("ASK {}", window=Window(0, slide=1), on="close")
    query = reasoner.register(f"SELECT ?value {{ <{a_of_strategies}> <{V}> ?value }}")
    for at in (0, 2):
        reasoner.push(at, [(a_of_strategies, V, written)])
        assert list(query.answers) == [(written,)]


RULES_OF_STEP_LOG = [
    Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
    Rule("cax-dw", (is_a(B, x), is_a(C, x)), None),
]


def reasoner(**limits):
    return StreamReasoner(
        Ontology.from_rules(RULES_OF_STEP_LOG), Window(1000), [(EX.o, RDF.type, A)], **limits
    )


def a(name, kind="A"):
    return EX[name], RDF.type, EX[kind]


def test_dropping_is_told_once_and_again_whenever_it_has_doubled(caplog):
    tested = reasoner(max_facts=10, on_limit="drop")
    with caplog.at_level(logging.WARNING, "pantarhei.limits"):
        for at in range(40):
            tested.push(at, [a(f"x{at}")])
    assert tested.stats().dropped_early == 36
    assert [record.args[-1] for record in caplog.records] == [1, 2, 4, 8, 16, 32]
    first = "at 4, 1 of the window's timestamps (0) left early, to keep max_facts=10; 1 so far"
    assert caplog.messages[0] == first


def test_no_repair_is_told_of_where_a_push_is_refused(caplog):
    tested = reasoner(max_facts=10, on_limit="drop")
    tested.push(1, [a("x")])
    with caplog.at_level(logging.INFO, "pantarhei.repair"), pytest.raises(MemoryLimitError):
        tested.push(2, [a("x", "C"), *(a(f"y{i}") for i in range(2000)), a("z"), a("z", "C")])
    assert not caplog.records
    with caplog.at_level(logging.INFO, "pantarhei.repair"):
        update = tested.push(2, [a("x", "C")])
    assert caplog.messages == [f"at 2: {update.repair.summary()}"]
    assert update.repair.summary() == "1 conflict, 1 assertion removed"
    with caplog.at_level(logging.DEBUG, "pantarhei.repair"):
        update = tested.push(3, [a("x")])
    _, *conflicts = str(update.repair).splitlines()
    assert caplog.messages[1:] == [
        f"at 3: {update.repair.summary()}",
        *(f"at 3: {each.strip()}" for each in conflicts),
    ]
    assert conflicts and not any("\n" in message for message in caplog.messages)


def test_no_repair_is_told_of_where_a_consumer_fails(caplog):
    class Failing(ClassCounts):
        def apply(self, changes, model):
            raise ZeroDivisionError

    tested = reasoner()
    tested.push(1, [a("x")])
    tested._held.attach("failing", Failing())
    with caplog.at_level(logging.INFO, "pantarhei.repair"), pytest.raises(ZeroDivisionError):
        tested.push(2, [a("x", "C")])
    assert not caplog.records and tested.timestamps == (1,)
