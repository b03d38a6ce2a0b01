"""Occurrences of removed facts, found along links from the newest one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal, URIRef

from counts import cases
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.forms import NO_FORMS
from pantarhei.encoding.lexicon import Lexicon, LiteralSet, Names
from pantarhei.encoding.numbers import NO_FACTS, Symbol, narrowed
from pantarhei.model.rule import Different, Rule
from pantarhei.repair.occurrences import Occurrences, Removal
from pantarhei.window.log import EMPTY_LOG, Entry, Log
from strategies import EX, R, V, a, related, x, y, z

CLASSES = 3
ONE_PLACE = Rule("prp-fp", (related(R, x, y), related(R, x, z)), None, (Different(y, z),))
ONE_VALUE = Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))


def lexicon(shift=0):
    """Class `c` has the number `(c + shift) % CLASSES`."""
    symbols = [Symbol(URIRef(f"urn:{(number - shift) % CLASSES}"), 1) for number in range(CLASSES)]
    return Lexicon(symbols, Names(["<urn:x>"]), [], LiteralSet())


def facts(classes, shift=0):
    return np.array([((each + shift) % CLASSES, 0, -1) for each in classes], np.int32).reshape(-1, 3)


def assertion(level, class_):
    return f"t{level}", (URIRef("urn:x"), RDF.type, URIRef(f"urn:{class_}"))


def renumbered(log):
    """The log after a compaction: class `c` has the next number."""

    def shifted(rows):
        return np.column_stack([(rows[:, 0] + 1) % CLASSES, rows[:, 1:]]).astype(np.int32)

    entries = (replace(each, facts=shifted(each.facts), cut=shifted(each.cut)) for each in log)
    return Log.of(entries, log.timeline.first_level)


some = st.lists(st.integers(0, CLASSES - 1), max_size=3)


@settings(deadline=None, max_examples=cases(100, 1000))
@given(st.lists(st.tuples(some, some, st.integers(1, 6), st.booleans()), max_size=12))
def test_a_removed_fact_has_the_occurrences_of_the_definition(steps):
    """A cut fact loses what asserts it in the window of the time, since it was last cut.

    Now and then the facts get other numbers, as by a compaction; what was removed before keeps its own.
    """
    log, numbers, shift, held = EMPTY_LOG, lexicon(), 0, {}
    removals, expected = [], []
    for level, (asserted, cut, width, renumbers) in enumerate(steps):
        if renumbers:
            log, numbers, shift = renumbered(log), lexicon(shift + 1), shift + 1
        log = log.from_level(level - width)
        back = []
        for each in asserted:
            levels = held.setdefault(each, [])
            back.append(level - levels[-1] if levels else 0)
            levels += [level] * (level not in levels)
        arriving = Entry(
            level, f"t{level}", 10 * level, facts(asserted, shift), NO_FACTS, back=narrowed(np.array(back))
        )
        lost = {each: held.pop(each) for each in dict.fromkeys(cut) if each in held}
        if lost:
            newest = np.array([levels[-1] for levels in lost.values()], np.int64)
            inside = newest >= log.timeline.first_level
            gone = facts(lost, shift)[inside], newest[inside]
            removals.append(Removal(log, arriving, *gone, numbers))
            expected.append(
                {
                    assertion(at, each)
                    for each, ats in lost.items()
                    for at in ats
                    if at >= log.timeline.first_level
                }
            )
        log = log.with_entry(replace(arriving, cut=facts(lost, shift)))
    found = [each.occurrences() for each in removals]
    assert [each.assertions() for each in found] == expected
    assert list(map(len, found)) == list(map(len, expected))


def test_rows_ascend_by_time_and_fact():
    log = Log.of([Entry(0, "t0", 0, facts([2, 0]), NO_FACTS), Entry(1, "t1", 1, facts([1]), NO_FACTS)])
    arriving = Entry(2, "t2", 2, facts([1, 0]), NO_FACTS, back=np.array([1, 2], np.uint8))
    removal = Removal(log, arriving, facts([1, 2, 0]), np.array([2, 0, 2], np.int64), lexicon())
    found = removal.occurrences()
    assert found.times == ("t0", "t1", "t2")
    assert found.rows[:, :2].tolist() == [[0, 0], [0, 2], [1, 1], [2, 0], [2, 1]]
    assert len(removal) == 3 and len(found) == 5 and not found.has_forms


def test_of_nothing_removed_there_are_no_occurrences():
    removal = Removal(
        EMPTY_LOG, Entry(0, "t0", 0, NO_FACTS, NO_FACTS), NO_FACTS, np.empty(0, np.int64), lexicon()
    )
    assert len(removal) == len(removal.occurrences()) == 0
    assert removal.occurrences().assertions() == frozenset()
    assert (
        Occurrences(np.empty((0, 4), np.int32), ("t0",), (NO_FORMS,), lexicon()).assertions() == frozenset()
    )


def test_each_occurrence_has_the_form_in_which_it_was_given():
    reasoner = StreamReasoner(Ontology.from_rules([ONE_VALUE]), Window(9))
    forms = [Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01", "1", "001")]
    for at, form in enumerate(forms):
        reasoner.push(at, [(a, V, form)])
    repair = reasoner.push(9, [(a, V, Literal(2))]).repair
    assert {(at, triple[2].n3()) for at, triple in repair.removed} == {
        (at, form.n3()) for at, form in enumerate(forms)
    }
    assert repair.taken_out.has_forms


# -- what looking costs ----------------------------------------------------------------------------


def looked_up(monkeypatch, size, keep, asserted_at):
    """The levels of the ABoxes that are searched for a removed fact, asserted at some times of `size`."""
    searched = []
    whole = Entry.levels_before

    def counting(self, facts):
        searched.append(self.level)
        return whole(self, facts)

    monkeypatch.setattr(Entry, "levels_before", counting)
    reasoner = StreamReasoner(Ontology.from_rules([ONE_PLACE]), Window(size), keep=keep)
    for at in range(size):
        here = [(a, R, EX.here)] if at in asserted_at else []
        reasoner.push(at, [(EX[f"i{number}"], R, EX[f"p{number}"]) for number in range(5)] + here)
    repair = reasoner.push(size, [(a, R, EX.there)]).repair
    assert not searched, "nothing is searched until it is read"
    assert repair.removed == {(at, (a, R, EX.here)) for at in asserted_at}
    return searched


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("size", [60, 1000])
def test_only_the_aboxes_that_assert_a_removed_fact_are_searched(monkeypatch, size, keep):
    times = [3, 17, 18, 50]
    assert looked_up(monkeypatch, size, keep, times) == times[::-1]


@pytest.mark.parametrize("keep", ["newest", "every"])
def test_after_a_restore_too_only_the_aboxes_that_assert_a_removed_fact_are_searched(monkeypatch, keep):
    ontology = Ontology.from_rules([ONE_PLACE])
    reasoner = StreamReasoner(ontology, Window(300), keep=keep)
    for at in range(200):
        reasoner.push(at, [(a, R, EX.here)] if at in (20, 90) else [(EX.b, R, EX.here)])
    reasoner = StreamReasoner.restore(reasoner.snapshot(), ontology)
    searched = []
    whole = Entry.levels_before
    monkeypatch.setattr(
        Entry, "levels_before", lambda self, facts: searched.append(self.at) or whole(self, facts)
    )
    repair = reasoner.push(200, [(a, R, EX.there)]).repair
    assert len(repair.removed) == 2 and searched == [90, 20]
