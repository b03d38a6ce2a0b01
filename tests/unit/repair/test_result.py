"""Repairs for users: texts, lengths and equality, and members that are made when they are first read."""

import pickle

import pytest
from rdflib import RDF, Graph, URIRef

from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.repair.result import Case, Conflict, ConflictList, LazySequence, Repair
from strategies import EX, A, B, is_a, x

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


def test_a_list_of_many_conflicts_is_shown_by_its_length():
    assert repr(ConflictList.of([1, 2])) == "[1, 2]"
    assert repr(ConflictList.of(range(11))) == "<11 of ConflictList>"


def test_a_conflict_names_its_assertions_with_their_times_and_the_axiom():
    text = str(CONFLICT)
    assert "(1)" in text and "(2)" in text and "against" in text and text.endswith("by an axiom")


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
    case = Case.of(listed)
    found = [(each.assertions, {*each.constraints}) for each in case.conflicts]
    assert found == [(each.assertions, {*each.constraints}) for each in listed]
    assert not case.conflicts.complete
    assert len(case.conflicts) == 3 and len(case.members) == 5
    none = Case.of(ConflictList.of(()))
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
    text = f"v type <{EX.Open}> (1) against v type <{OTHER}> (2), by an axiom"
    assert str(conflict) == text
    assert str(Repair.of(2, "exact", [conflict], frozenset({OLD}), frozenset())).endswith(text)


def test_a_name_is_shown_at_length_where_only_the_axiom_has_the_other():
    other = Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(OTHER, (x,))), None, origin=Origin("an axiom"))
    assert f"v type <{EX.Open}> (1)" in str(Conflict(frozenset({OLD, NEW}), (other,)))


def test_conflicts_and_repairs_show_names_with_the_prefixes_of_the_ontology():
    prefixes = "@prefix here: <http://example.org/here#> . @prefix there: <http://example.org/there#> ."
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
    ontology = load_ontology(Graph().parse(data=f"{prefixes} {owl} here:Open owl:disjointWith there:Open ."))
    reasoner = StreamReasoner(ontology, Window(1))
    here, there = URIRef("http://example.org/here#Open"), URIRef("http://example.org/there#Open")
    reasoner.push(1, [(EX.v, RDF.type, here)])
    repair = reasoner.push(2, [(EX.v, RDF.type, there)]).repair
    said = "v type here:Open (1) against v type there:Open (2), by DisjointClasses(here:Open there:Open)"
    assert str(repair).endswith(said)
    for same in (repair, pickle.loads(pickle.dumps(repair))):
        assert [str(conflict) for conflict in same.conflicts] == [said]
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology)
    assert [str(conflict) for conflict in restored.repairs[0].conflicts] == [said]
