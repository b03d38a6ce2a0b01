"""What a repair did, made when somebody looks."""

import pickle

from rdflib import RDF, Graph, URIRef

from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.language.origin import Origin
from pantarhei.language.rule import Atom, Rule
from pantarhei.repair.result import Conflict, LazySequence, Repair
from strategies import EX, A, B, is_a, x

OLD, NEW = (1, (EX.v, RDF.type, EX.Open)), (2, (EX.v, RDF.type, EX.Closed))
DISJOINT = Rule("cax-dw", (is_a(A, x), is_a(B, x)), None, origin=Origin("an axiom"))
CONFLICT = Conflict(frozenset({OLD, NEW}), (DISJOINT,))


def repair(**more):
    return Repair.of(2, "exact", [CONFLICT], frozenset({OLD}), frozenset(), **more)


def test_a_lazy_sequence_makes_its_members_once_and_its_length_makes_none():
    made = []

    def make():
        made.append(1)
        return ["a", "b"]

    lazy = LazySequence(2, make)
    assert len(lazy) == 2 and not made
    assert lazy == ["a", "b"] and lazy[1] == "b" and list(pickle.loads(pickle.dumps(lazy))) == ["a", "b"]
    assert made == [1]


def test_a_conflict_names_its_assertions_with_their_times_and_the_axiom():
    text = str(CONFLICT)
    assert "(1)" in text and "(2)" in text and "against" in text and text.endswith("by an axiom")


def test_a_repair_is_equal_to_its_copy_and_one_that_lists_less_is_another():
    assert pickle.loads(pickle.dumps(repair())) == repair() != repair(unlisted=1)
    assert list(repair().conflict_sets) == [frozenset({OLD, NEW})]


def test_the_text_counts_what_is_not_listed_too():
    assert str(repair(unlisted=4)).startswith("at 2: 5 conflicts, 1 assertion removed")
    assert str(repair(unlisted=4)).endswith("and 4 more")


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
