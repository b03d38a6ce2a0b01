"""What is kept up where only what is needed is derived, and what is derived when someone looks."""

import pytest
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from interrupting import interrupted
from pantarhei.errors import DeltaNotKeptError, MemoryLimitError

EX = "http://example.org/"
COUNT = 50
WINDOW = pr.Window(range=1)


def ex(name):
    return URIRef(EX + name)


def is_a(name, class_):
    return (ex(name), RDF.type, ex(class_))


ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data=f"@prefix : <{EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        + "@prefix owl: <http://www.w3.org/2002/07/owl#> . :B0 owl:disjointWith :D ."
        + "".join(f":A{i} rdfs:subClassOf :B{i} . :B{i} rdfs:subClassOf :C{i} ." for i in range(COUNT))
    )
)
ABOX = [is_a(f"x{i}", f"A{i}") for i in range(COUNT)]


def reasoner_of(*classes, derive="needed", **options):
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=5), derive=derive, **options)
    return reasoner, [ask(reasoner, class_) for class_ in classes]


def ask(reasoner, class_, **options):
    return reasoner.register(f"SELECT ?x {{ ?x a <{EX}{class_}> }}", **options)


def firings(*classes, **options):
    reasoner, _ = reasoner_of(*classes, **options)
    reasoner.push(1, ABOX)
    return reasoner.work.firings


def test_of_fifty_classes_only_the_one_that_is_asked_for_is_derived():
    constraints = 1  # B0 may follow from A0
    assert firings("C7", derive="all") == 2 * COUNT
    assert firings("C7") == constraints + 2
    assert firings("B7", "C8") == constraints + 1 + 2
    assert firings() == constraints


def test_stats_say_how_many_rules_run():
    reasoner, _ = reasoner_of("C7")
    stats = reasoner.stats()
    assert (stats.running, stats.rules) == (4, 2 * COUNT + 1)
    assert "4 of 101 rules run" in str(stats) and stats.as_dict()["running"] == 4
    assert "rules run" not in str(reasoner_of(derive="all")[0].stats())


def test_a_query_that_needs_more_finds_it_derived_and_others_do_not_notice():
    reasoner, (first,) = reasoner_of("C7")
    reasoner.push(1, ABOX)
    second = ask(reasoner, "C8")
    assert dict(first.answers) == {(ex("x7"),): 1} and dict(second.answers) == {(ex("x8"),): 1}
    update = reasoner.push(2, [is_a("y", "A7"), is_a("y", "A8")])
    assert all(update.answers[query].added == {(ex("y"),): 1} for query in (first, second))


def test_what_only_a_closed_query_needed_is_derived_until_another_needs_more():
    reasoner, (first,) = reasoner_of("C7")
    first.close()
    assert reasoner.stats().running == 4
    ask(reasoner, "B8")
    assert reasoner.stats().running == 3


def test_an_open_class_has_all_derived_and_the_next_query_less_again():
    reasoner, _ = reasoner_of()
    reasoner.push(1, ABOX)
    query = reasoner.register("SELECT ?x ?c { ?x a ?c }")
    assert len(query.answers) == 3 * COUNT and reasoner.stats().running == reasoner.stats().rules


def test_what_is_asked_once_is_derived_first_and_once_until_the_next_step():
    reasoner, _ = reasoner_of("C7")
    reasoner.push(1, ABOX)
    kept = reasoner.stats().facts
    assert is_a("x9", "C9") in reasoner.graph
    complete = reasoner._held.state().shown.model
    assert len(reasoner.materialization()) == len(reasoner.graph) == 3 * COUNT
    assert len(reasoner.interpretation(1)) == 3 * COUNT
    assert len(reasoner.query(f"SELECT ?x {{ ?x a <{EX}C9> }}")) == 1
    assert reasoner._held.state().shown.model is complete
    assert reasoner.stats().facts == kept and reasoner.work.firings == 3
    reasoner.push(2, [is_a("y", "A9")])
    assert is_a("y", "C9") in reasoner.graph and complete is not reasoner._held.state().shown.model


def test_what_is_derived_anyway_is_asked_for_without_deriving_the_rest():
    reasoner, _ = reasoner_of("C7")
    reasoner.push(1, ABOX)
    assert len(reasoner.query(f"SELECT ?x {{ ?x a <{EX}C7> ; a <{EX}A7> }}")) == 1
    assert list(reasoner.graph.subjects(RDF.type, ex("B7"))) == [ex("x7")]
    assert reasoner._held.state(frozenset()).complete is None


def test_a_shorter_window_shows_what_is_derived_since_another_query_needed_it():
    reasoner, _ = reasoner_of()
    window = pr.Window(range=1)
    first = ask(reasoner, "C7", window=window)
    reasoner.push(1, ABOX)
    second = ask(reasoner, "C8", window=window)
    assert dict(second.answers) == {(ex("x8"),): 1}
    assert reasoner.advance(3).answers[second].removed == {(ex("x8"),): 1}
    assert not first.answers and not second.answers


@pytest.mark.parametrize("derive", ["all", "needed"])
def test_all_answers_are_told_whenever_anything_that_follows_has_changed_and_only_then(derive):
    reasoner, _ = reasoner_of(derive=derive)
    query = ask(reasoner, "C7", emit="rstream")
    assert query in reasoner.push(1, [is_a("x", "A8")]).answers
    assert query not in reasoner.push(2, [is_a("x", "B8")]).answers  # it followed before


def test_an_update_has_no_delta_but_says_all_else():
    reasoner, _ = reasoner_of("C0")
    reasoner.push(1, ABOX)
    update = reasoner.push(2, [is_a("x0", "D")])
    assert update.repair.removed == {(1, is_a("x0", "A0"))}
    assert "1 assertion removed" in str(update)
    with pytest.raises(DeltaNotKeptError):
        update.delta.added  # noqa: B018


def test_a_query_that_needs_more_than_there_may_be_is_refused_and_leaves_all_as_it_was():
    reasoner, (first,) = reasoner_of("C7", max_facts=COUNT + 4)
    reasoner.push(1, ABOX)
    with pytest.raises(MemoryLimitError):
        reasoner.register("SELECT ?x ?c { ?x a ?c }")
    assert list(reasoner.queries.values()) == [first] and reasoner.stats().running == 4
    reasoner.push(2, [is_a("x7", "A7")])


def test_conclusions_drawn_elsewhere_are_taken_as_far_as_they_are_needed():
    reasoner, (query,) = reasoner_of("C7")
    materializer = pr.ABoxMaterializer(reasoner.foundation)
    update = reasoner.push_materialized(1, materializer.materialize(ABOX))
    assert update.answers[query].added == {(ex("x7"),): 1}
    assert reasoner.stats().facts == COUNT + 3 and reasoner.work.firings == 0
    reasoner.push(2, [is_a("x0", "D")])  # cuts A0, and with it what follows
    assert is_a("x0", "B0") not in reasoner.graph
    assert reasoner.stats().facts == COUNT + 2


@pytest.mark.parametrize(
    "look", [lambda reasoner: ask(reasoner, "C8", window=WINDOW), lambda reasoner: reasoner.graph.__len__()]
)
def test_what_is_derived_for_more_is_so_or_not_wherever_it_was_interrupted(look):
    going, nth = True, 1
    while going:
        reasoner, (first,) = reasoner_of("C7")
        ask(reasoner, "C9", window=WINDOW)
        reasoner.push(1, ABOX)
        going = interrupted(lambda: look(reasoner), nth, lambda file: "/pantarhei/engine/" in file)  # noqa: B023
        assert reasoner.push(2, [is_a("y", "A7"), is_a("y", "A8")]).answers[first].added == {(ex("y"),): 1}
        assert len(ask(reasoner, "C8", window=WINDOW).answers) == len(ask(reasoner, "C8").answers) == 2
        assert len(reasoner.graph) == 3 * COUNT + 6
        nth += 7
