"""Repairs for users: texts, lengths and equality, and members that are made when they are first read."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal, URIRef

from counts import cases
from notebooks import shown
from pantarhei import Ontology, StreamReasoner, Window, load_ontology
from pantarhei.encoding.lexicon import Lexicon, LiteralSet, NameTable
from pantarhei.encoding.numbers import NO_FACTS, NO_FORMS, Symbol, smallest_type
from pantarhei.model.rule import Atom, Different, Origin, Rule
from pantarhei.repair.result import (
    Conflict,
    ConflictCase,
    ConflictList,
    LazySequence,
    Occurrences,
    Removal,
    Repair,
)
from pantarhei.window.log import EMPTY_LOG, Entry, Log
from strategies import EX, A, B, R, V, a, is_a, related, x, y, z

OLD, NEW = (1, (EX.v, RDF.type, EX.Open)), (2, (EX.v, RDF.type, EX.Closed))
DISJOINT = Rule("cax-dw", (is_a(A, x), is_a(B, x)), None, origin=Origin("an axiom"))
OTHER_RULE = Rule("cax-dw", (is_a(B, x), is_a(A, x)), None, origin=Origin("another axiom"))
CONFLICT = Conflict(frozenset({OLD, NEW}), (DISJOINT,))


def repair(**more):
    return Repair.of(2, "exact", [CONFLICT], frozenset({OLD}), frozenset(), **more)


def test_a_lazy_sequence_makes_its_members_once_and_its_length_makes_none():
    made = []

    def make():
        made.append(1)
        return ["a", "b"]

    lazy = LazySequence(lambda: 2, make)
    assert len(lazy) == 2 and not made
    assert lazy == ["a", "b"] and lazy[1] == "b" and list(pickle.loads(pickle.dumps(lazy))) == ["a", "b"]
    assert made == [1]


class Numbers:
    """Result of a search: three numbers, not all there are."""

    is_complete = False

    def __len__(self):
        return 3


def test_conflicts_are_found_when_they_are_counted_and_made_when_they_are_read():
    done = []

    def find():
        done.append("found")
        return Numbers()

    def make(found):
        done.append("made")
        return [f"conflict {number}" for number in range(len(found))]

    conflicts = ConflictList(find, make)
    assert not done
    assert (len(conflicts), conflicts.complete, bool(conflicts), done) == (3, False, True, ["found"])
    shown = conflicts.mapped(str.upper)
    assert len(shown) == 3 and not shown.complete and done == ["found"]
    assert shown[0] == "CONFLICT 0" and list(shown) == ["CONFLICT 0", "CONFLICT 1", "CONFLICT 2"]
    assert conflicts[1:] == ("conflict 1", "conflict 2") and done == ["found", "made"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_list_of_conflicts_pickles_with_what_it_lacks(complete):
    listed = ConflictList.of([CONFLICT], complete)
    copy = pickle.loads(pickle.dumps(listed))
    assert copy == listed == [CONFLICT] and copy.complete is listed.complete is complete
    assert len(copy) == 1 and copy != ConflictList.of([])


def test_the_first_conflicts_come_with_a_text_where_there_are_more():
    assert ConflictList.of("abc").first() == (("a", "b", "c"), None)
    assert ConflictList.of("abc").first(3) == (("a", "b", "c"), None)
    assert ConflictList.of("abc").first(2) == (("a", "b"), "and 1 more")
    assert ConflictList.of("abc", complete=False).first()[1] == "and others, which are too many to list"


def test_conflicts_are_not_searched_to_be_shown():
    def search():
        raise AssertionError("the conflicts are searched")

    listed = ConflictList(search, lambda found: [])
    assert repr(listed) == "ConflictList(not counted yet)"
    repair = Repair(4, "exact", listed, frozenset({(1, (EX.a, EX.p, EX.b))}))
    assert repr(repair) == "Repair(at 4, exact, 1 fact removed)"


def test_a_notebook_has_the_conflicts_and_what_is_not_listed():
    rows, text = shown(ConflictList.of([CONFLICT] * 12, complete=False))
    assert len(rows) == 10 and rows[0] == [str(CONFLICT)]
    assert "ConflictList(12 conflicts, and others, which are too many to list)" in text
    assert "and 2 more of 12 rows" in text


def test_a_list_of_many_conflicts_is_shown_by_its_length():
    assert repr(ConflictList.of([1, 2])) == "ConflictList(2 members)"
    assert repr(ConflictList.of(range(1, 1001))) == "ConflictList(1,000 members)"


def test_a_conflict_names_its_assertions_with_their_times_and_the_axiom():
    said = "v is open (at 1) contradicts v is closed (at 2); nothing is in both classes A and B"
    assert str(CONFLICT) == said


def test_a_repair_is_equal_to_its_copy_and_one_that_lists_less_is_another():
    assert pickle.loads(pickle.dumps(repair())) == repair() != repair(unlisted=1)
    assert list(repair().conflict_sets) == [frozenset({OLD, NEW})]


def test_the_text_counts_what_is_not_listed_too():
    assert str(repair(unlisted=4)).startswith("at 2: 5 conflicts, 1 assertion removed")
    assert str(repair(unlisted=4)).endswith("and 4 more")


def test_the_text_mentions_conflicts_that_are_too_many_to_list():
    text = str(repair(complete=False))
    assert text.startswith("at 2: at least 1 conflict, 1 assertion removed")
    assert text.endswith("and others, which are too many to list")
    assert not pickle.loads(pickle.dumps(repair(complete=False))).conflicts.complete


def test_listed_conflicts_can_be_made_into_a_case():
    alone = Conflict(frozenset({(3, (EX.w, RDF.type, EX.Never))}), (OTHER_RULE,))
    larger = Conflict(frozenset({OLD, NEW, (1, (EX.v, RDF.type, EX.Third))}), (OTHER_RULE,))
    pair = Conflict(frozenset({(1, (EX.u, RDF.type, EX.Open)), NEW}), (DISJOINT, OTHER_RULE))
    listed = ConflictList.of([alone, pair, larger], complete=False)
    case = ConflictCase.of(listed)
    found = [(each.assertions, {*each.constraints}) for each in case.conflicts]
    assert found == [(each.assertions, {*each.constraints}) for each in listed]
    assert not case.conflicts.complete
    assert len(case.conflicts) == 3 and len(case.members) == 5
    none = ConflictCase.of(ConflictList.of(()))
    assert len(none.conflicts) == 0 and none.conflicts.complete


def test_without_its_evidence_a_repair_lists_no_conflicts_and_is_the_same_else():
    bare = repair().without_evidence()
    assert len(bare.conflicts) == 0 and not bare.conflicts.complete
    assert (bare.at, bare.method, bare.removed, bare.undecided) == (2, "exact", {OLD}, set())
    assert bare.summary() == "conflicts too many to list, 1 assertion removed"


def test_the_summary_counts_what_is_undecided():
    undecided = Repair.of(2, "exact", [CONFLICT], frozenset({OLD, NEW}), frozenset({OLD}))
    assert undecided.summary() == "1 conflict, 2 assertions removed, 1 fact of them undecided"
    assert undecided.undecided_facts == 1 and "undecided" not in repair().summary()
    assert pickle.loads(pickle.dumps(undecided)).summary() == undecided.summary()


def test_a_repair_is_false_where_nothing_was_removed():
    assert repair()
    assert not Repair.of(2, "off", [CONFLICT], frozenset(), frozenset())
    assert not Repair(2, "exact")


OTHER = URIRef("urn:other#Open")


def test_names_of_a_conflict_can_be_told_apart():
    conflict = Conflict(frozenset({OLD, (2, (EX.v, RDF.type, OTHER))}), (DISJOINT,))
    old, new = f"v is in class <{EX.Open}>", f"v is in class <{OTHER}>"
    denied = "nothing is in both classes A and B"
    assert str(conflict) == f"{old} (at 1) contradicts {new} (at 2); {denied}"
    removed = f"at 2 removed: {old} (at 1), contradicted by {new}; {denied}"
    assert str(Repair.of(2, "exact", [conflict], frozenset({OLD}), frozenset())).endswith(removed)


def test_a_name_is_shown_at_length_where_only_the_axiom_has_the_other():
    other = Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(OTHER, (x,))), None, origin=Origin("an axiom"))
    assert f"v is in class <{EX.Open}> (at 1)" in str(Conflict(frozenset({OLD, NEW}), (other,)))


def test_conflicts_and_repairs_show_names_with_the_prefixes_of_the_ontology():
    prefixes = "@prefix here: <http://example.org/here#> . @prefix there: <http://example.org/there#> ."
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
    ontology = load_ontology(Graph().parse(data=f"{prefixes} {owl} here:Open owl:disjointWith there:Open ."))
    reasoner = StreamReasoner(ontology, Window(1))
    here, there = URIRef("http://example.org/here#Open"), URIRef("http://example.org/there#Open")
    reasoner.push(1, [(EX.v, RDF.type, here)])
    repair = reasoner.push(2, [(EX.v, RDF.type, there)]).repair
    denied = "nothing is in both classes here:Open and there:Open"
    said = f"v is in class here:Open (at 1) contradicts v is in class there:Open (at 2); {denied}"
    removed = (
        f"  at 2 removed: v is in class here:Open (at 1), contradicted by v is in class there:Open; {denied}"
    )
    assert str(repair).endswith(removed)
    for same in (repair, pickle.loads(pickle.dumps(repair))):
        assert [str(conflict) for conflict in same.conflicts] == [said]
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology)
    assert [str(conflict) for conflict in restored.repairs[0].conflicts] == [said]


CLASSES = 3
ONE_PLACE = Rule("prp-fp", (related(R, x, y), related(R, x, z)), None, (Different(y, z),))
ONE_VALUE = Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))


def lexicon(shift=0):
    """Class `c` has the number `(c + shift) % CLASSES`."""
    symbols = [Symbol(URIRef(f"urn:{(number - shift) % CLASSES}"), 1) for number in range(CLASSES)]
    return Lexicon(symbols, NameTable(["<urn:x>"]), [], LiteralSet())


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


@settings(deadline=None, max_examples=cases(50, 1000))
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
            level,
            f"t{level}",
            10 * level,
            facts(asserted, shift),
            NO_FACTS,
            previous_distances=smallest_type(np.array(back)),
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
    arriving = Entry(2, "t2", 2, facts([1, 0]), NO_FACTS, previous_distances=np.array([1, 2], np.uint8))
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
