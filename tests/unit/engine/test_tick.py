"""One tick: what leaves, what arrives, and what that contradicts, in a model and in new books."""

import pytest
from rdflib import XSD, Literal

from pantarhei import Ontology, StreamReasoner
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.engine.books import Books
from pantarhei.engine.consumer import Consumers
from pantarhei.engine.memory import Memory
from pantarhei.engine.tick import Tick
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.closed_abox import ClosedABox
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.repair.conflict import Budget
from pantarhei.repair.step import Repairer
from pantarhei.window.limits import Limits
from pantarhei.window.sliding import Window
from strategies import A, B, C, V, a, b, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
WINDOW = Window(2)


class Stream:
    """The model and the books of a stream, a tick after another."""

    def __init__(self, **limits):
        self.foundation = Foundation.of(Ontology.from_rules(RULES))
        self.model, self.books = self.foundation.model(), Books()
        self.model.take_changes()
        self.vocabulary = self.foundation.vocabulary
        self.memory = Memory(Limits(**limits), self.vocabulary, Consumers())

    def tick(self, now):
        return Tick(
            self.model,
            self.books,
            GivenForms(self.vocabulary),
            Repairer("exact", Budget(), self.vocabulary),
            WINDOW.step_at(TimeKind.INTEGER, now),
            WINDOW,
            self.memory,
            self.memory.consumers,
        )

    def take_in(self, now, *triples):
        encoded = self.vocabulary.encode(triples)
        return self.after(self.tick(now).take_in(now, ClosedABox(encoded.facts, encoded, finished=False)))

    def extend(self, now, *triples):
        return self.after(self.tick(now).extend(self.books.log.newest, self.vocabulary.encode(triples)))

    def pass_(self, now):
        return self.after(self.tick(now).pass_(now))

    def after(self, outcome):
        self.books = outcome.books
        self.model.kernel.check_invariants()
        return outcome.update

    @property
    def facts(self):
        return set(self.vocabulary.decode(self.model.facts()))


def test_an_abox_arrives_with_what_follows_and_leaves_when_time_has_passed():
    stream = Stream()
    update = stream.take_in(1, member(A, a))
    assert update.delta.added == {member(A, a), member(B, a)} == stream.facts
    assert stream.pass_(3).dropped == ()
    update = stream.pass_(4)
    assert update.dropped == (1,) and update.delta.removed == {member(A, a), member(B, a)}
    assert not stream.facts and list(stream.books.log) == []


def test_what_the_newest_contradicts_is_cut_from_the_model_and_noted_in_the_books():
    stream = Stream()
    stream.take_in(1, member(A, a), member(A, b))
    update = stream.take_in(2, member(C, a))
    assert update.repair.removed == {(1, member(A, a))}
    assert stream.facts == {member(A, b), member(B, b), member(C, a)}
    assert list(stream.vocabulary.decode(stream.books.log.newest.cut)) == [member(A, a)]
    assert (stream.books.counters.repairs, stream.books.counters.cut) == (1, 1)


def test_the_old_books_stay_as_they_were():
    stream = Stream()
    stream.take_in(1, member(A, a))
    before = stream.books
    stream.take_in(2, member(C, a))
    assert [entry.at for entry in before.log] == [1] and before.counters.repairs == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([], [member(C, a)]),
        ([member(C, b)], [member(C, a), member(A, b)]),
        ([member(C, a)], [member(A, b)]),
        ([member(C, a)], [member(B, a)]),  # what the first part cut is back before the whole is repaired
    ],
)
def test_a_timestamp_in_two_parts_comes_to_what_it_comes_to_in_one(first, second):
    apart, whole = Stream(), Stream()
    for stream in (apart, whole):
        stream.take_in(1, member(A, a))
    apart.take_in(2, *first)
    apart.extend(2, *second)
    whole.take_in(2, *first, *second)
    assert apart.facts == whole.facts
    one, other = (
        [(repair.removed, repair.undecided, set(repair.conflict_sets)) for _, repair in stream.books.repairs]
        for stream in (apart, whole)
    )
    assert one == other and len(one) == 1
    assert apart.books.log.newest.facts.tolist() == whole.books.log.newest.facts.tolist()
    assert apart.books.counters._replace(pushes=0) == whole.books.counters._replace(pushes=0)


def test_too_much_is_an_error_or_lets_the_oldest_leave_early():
    refusing, dropping = Stream(max_facts=3), Stream(max_facts=3, on_limit="drop")
    for stream in (refusing, dropping):
        stream.take_in(1, member(A, a))
    with pytest.raises(MemoryLimitError):
        refusing.take_in(2, member(A, b))
    update = dropping.take_in(2, member(A, b))
    assert update.dropped_early == (1,) and dropping.facts == {member(A, b), member(B, b)}
    assert dropping.books.counters.dropped_early == 1


# at              0   1   2
# v(a, 1.0)       x       x     told at 1, when a window closes, that it has gone
def test_a_fact_that_goes_on_the_way_and_comes_again_is_told_with_its_form():
    one, written = Literal(1), Literal("1.0", datatype=XSD.decimal)
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(0), background=[(b, V, one)])
    reasoner.register("ASK {}", window=Window(0, slide=1), on="close")
    query = reasoner.register(f"SELECT ?value {{ <{a}> <{V}> ?value }}")
    for at in (0, 2):
        reasoner.push(at, [(a, V, written)])
        assert list(query.answers) == [(written,)]
