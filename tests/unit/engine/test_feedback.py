"""Conclusions that are asserted at the tick after theirs: ordinary reports, repaired like others."""

from datetime import UTC, datetime, timedelta

import pytest
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.engine import feedback
from pantarhei.errors import InvalidTripleError, MemoryLimitError, TemporalRuleError

EX = Namespace("http://example.org/")
ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Hot owl:disjointWith :Cold . :Hot rdfs:subClassOf :Odd . :Cold rdfs:subClassOf :Odd ."""
    )
)
NEXT = "said(X) :- asserted reported(X)."
CHAIN = "on(X, M) :- asserted on(X, N), M = N + 1, M < 4."


def reasoner_with(text, window=None, **options):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX)}, feedback=True)
    return pr.StreamReasoner(ONTOLOGY, window or pr.Window(range=0), temporal=rules, **options)


def is_a(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def names(triples):
    return " ".join(sorted(kind.removeprefix(EX) for _, _, kind in triples))


# at:                     0         1         2
# reported                x
# said is concluded       x         x           at 1 since it is asserted then
# said is asserted                  x
def test_a_conclusion_is_asserted_once_at_the_next_tick_and_not_again_for_being_there():
    reasoner = reasoner_with(NEXT)
    assert not reasoner.push(0, is_a("reported")).fed_back
    update = reasoner.push(1, is_a("other"))
    assert [(each.at, each.facts) for each in update.fed_back] == [(1, 1)]
    assert set(reasoner.assertions()) == {(1, *is_a("said")), (1, *is_a("other"))}
    assert (names(update.delta.added), names(update.delta.removed)) == ("other said", "reported")
    assert names(reasoner.conclusions()) == "said"
    assert not reasoner.push(2, []).fed_back
    assert not reasoner.conclusions() and reasoner.stats().fed_back == 1


def test_a_jump_that_would_assert_without_end_is_refused_and_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(feedback, "MOST_AT_ONCE", 5)
    reasoner = reasoner_with("warm(X) :- :Odd(X).", pr.Window(range=100))
    reasoner.push(0, is_a("Hot"))
    told = "on the way to a timestamp, conclusions are asserted at 5 ticks or more.*in several steps"
    with pytest.raises(TemporalRuleError, match=told):
        reasoner.advance(50)
    assert reasoner.stats().fed_back == 0 and set(reasoner.assertions()) == {(0, *is_a("Hot"))}
    assert len(reasoner.advance(5).fed_back) == 5


@pytest.mark.parametrize("range_", [0, 3, 40])
@pytest.mark.parametrize(
    "text",
    [
        "warm(X) :- asserted warm(X). warm(X) :- asserted :Hot(X).",
        ":Warm(X) :- asserted :Warm(X) in [5]. :Warm(X) :- asserted :Hot(X).",
        "warm(X) :- :Known(X), not asserted :Cold(X) in [2].",
    ],
)
def test_where_each_tick_is_as_the_one_before_the_refusal_comes_at_once(text, range_):
    known = [(EX.v, RDF.type, EX.Known)]
    reasoner = reasoner_with(text, pr.Window(range=range_), background=known)
    reasoner.push(0, is_a("Hot"))
    asserted = []
    told, standing = reasoner._held._assert, reasoner.materialization()
    reasoner._held._assert = lambda *given: (asserted.append(given), told(*given))[1]
    with pytest.raises(TemporalRuleError, match=r"asserted at 200_0\d\d ticks or more"):
        reasoner.advance(200_000)
    assert len(asserted) < 2 * range_ + 20
    del reasoner._held._assert
    assert reasoner.materialization() == standing
    assert len(reasoner.advance(300).fed_back) == 300


def test_what_ends_by_itself_in_a_long_jump_is_not_refused():
    for text in (
        "warm(X) :- :Odd(X).",
        "on(X, M) :- asserted on(X, N), M = N + 1, M < 300. on(X, 0) :- asserted :Hot(X).",
    ):
        reasoner = reasoner_with(text, pr.Window(range=500))
        reasoner.push(0, is_a("Hot"))
        assert 300 <= len(reasoner.advance(1_000_000).fed_back) <= 502


def test_what_is_asserted_is_repaired_and_rules_see_it():
    reasoner = reasoner_with(":Hot(X) :- asserted lit(X). seen(X) :- asserted :Hot(X).", pr.Window(range=5))
    reasoner.push(0, is_a("lit"))
    assert (names(reasoner.conclusions()), names(reasoner.materialization())) == ("Hot Odd", "lit")
    update = reasoner.push(2, is_a("Cold"))
    assert [(each.at, each.facts, len(each.repair.removed)) for each in update.fed_back] == [
        (1, 1, 0),
        (2, 1, 0),
    ]
    assert names(fact for _, fact in update.repair.removed) == "Hot"
    assert "seen" in names(reasoner.materialization())


def test_each_tick_of_a_jump_asserts():
    reasoner = reasoner_with(CHAIN)
    reasoner.push(0, [(EX.v, EX.on, Literal(0))])
    update = reasoner.advance(60)
    assert [each.at for each in update.fed_back] == [1, 2, 3]
    assert [turn.at for turn in update.conclusions.turns] == [1, 2, 3, 4]
    assert update.dropped == (0, 1, 2, 3) and not update.conclusions.added
    assert str(update).endswith("3 conclusions asserted")


def test_what_begins_to_hold_inside_a_jump_is_asserted_too():
    reasoner = reasoner_with("quiet(X) :- :Hot(X), not asserted :Hot(X) in [2].", pr.Window(range=4))
    reasoner.push(0, is_a("Hot"))
    update = reasoner.push(20, [])
    assert [each.at for each in update.fed_back] == [4, 5]


def test_a_further_part_changes_what_will_be_asserted():
    reasoner = reasoner_with("said(X) :- asserted reported(X), not asserted off(X).")
    reasoner.push(0, is_a("reported"))
    reasoner.push(0, is_a("off"))
    assert not reasoner.push(1, []).fed_back


@pytest.mark.parametrize("tick", [timedelta(seconds=30), 0.5])
def test_the_first_moment_of_a_tick_is_when_it_is_asserted(tick):
    begun = datetime(2026, 3, 2, 14, tzinfo=UTC) if isinstance(tick, timedelta) else 14.0
    reasoner = reasoner_with(NEXT, pr.Window(range=2 * tick, slide=tick))
    reasoner.push(begun - 0.4 * tick, is_a("reported"))
    (told,) = reasoner.push(begun + 0.4 * tick, is_a("other")).fed_back
    assert begun < told.at < begun + 0.001 * tick


def test_a_checkpoint_and_an_error_change_nothing():
    reasoner = reasoner_with(CHAIN, pr.Window(range=1))
    reasoner.push(0, [(EX.v, EX.on, Literal(0))])
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(2, [])
        raise ZeroDivisionError
    with pytest.raises(InvalidTripleError, match="not a triple"):
        reasoner.push(3, [(EX.v, EX.on, None)])
    assert reasoner.stats().fed_back == 0 and reasoner.timestamps == (0,)
    again = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert reasoner.push(2, []) == again.push(2, [])
    assert again.stats().fed_back == reasoner.stats().fed_back == 2
    assert set(again.assertions()) == set(reasoner.assertions())


def test_where_it_does_not_fit_the_step_is_not_made():
    reasoner = reasoner_with(
        "many(X, Y) :- asserted pair(X, Y). many(Y, X) :- asserted pair(X, Y).", max_facts=1
    )
    reasoner.push(0, [(EX.v, EX.pair, EX.w)])
    with pytest.raises(MemoryLimitError):
        reasoner.push(1, [])
    assert reasoner.timestamps == (0,) and len(reasoner.conclusions()) == 2


def test_registered_queries_see_each_tick():
    reasoner = reasoner_with(CHAIN)
    query = reasoner.register("SELECT ?n { ?x <http://example.org/on> ?n }", emit="rstream")
    reasoner.push(0, [(EX.v, EX.on, Literal(0))])
    answers = reasoner.push(3, []).answers[query]
    assert [int(n) for (n,) in answers.added] == [1, 2, 3]


def test_terms_that_are_not_used_are_forgotten():
    reasoner = reasoner_with("said(Y) :- asserted told(X, Y).", history=pr.History(steps=0))
    for at in range(600):
        reasoner.push(at, [(EX.v, EX.told, EX[f"y{at}"])])
    before, reasoner._held.most_entries = reasoner.stats().names, 0
    reasoner.push(600, [(EX.v, EX.told, EX.y0)])
    assert reasoner.stats().fed_back == 600 and reasoner.stats().names < before - 200


def has(*values):
    return [(EX.v, EX.has, value) for value in values]


def test_what_has_a_literal_in_first_place_is_counted_and_said():
    reasoner = reasoner_with("known(Y) :- asserted has(X, Y). of(Y, X) :- asserted has(X, Y).")
    reasoner.push(0, has(Literal(3), Literal(4), EX.w))
    update = reasoner.push(1, [])
    assert ([each.facts for each in update.fed_back], update.not_fed_back) == ([2], 4)
    assert str(update).endswith(
        "2 conclusions asserted, 4 conclusions not asserted: a literal in first place"
    )
    assert (reasoner.stats().fed_back, reasoner.stats().not_fed_back) == (2, 4)
    assert "4 conclusions not asserted: a literal in first place" in str(reasoner.stats())
    assert reasoner.push(2, []).not_fed_back == 0


# at:                      0   1   2   3   4
# has 3                    x
# known(3) is concluded    x   x   x             not asserted at 1, 2 and 3
def test_in_a_jump_it_counts_at_each_tick():
    reasoner = reasoner_with("known(Y) :- asserted has(X, Y) in [2].")
    reasoner.push(0, has(Literal(3)))
    update = reasoner.push(9, [])
    assert (update.fed_back, update.not_fed_back, reasoner.stats().not_fed_back) == ((), 3, 3)
    step_by_step = reasoner_with("known(Y) :- asserted has(X, Y) in [2].")
    step_by_step.push(0, has(Literal(3)))
    assert [step_by_step.push(at, []).not_fed_back for at in range(1, 6)] == [1, 1, 1, 0, 0]


def test_a_long_jump_over_what_stands_costs_no_step_a_tick():
    reasoner = reasoner_with("known(Y) :- has(X, Y).", pr.Window(range=10**12))
    reasoner.push(0, has(Literal(3), Literal(4)))
    assert reasoner.advance(10**9).not_fed_back == 2 * 10**9


def test_what_could_not_be_asserted_is_counted_across_a_restore_and_taken_back_after_an_error():
    reasoner = reasoner_with("known(Y) :- asserted has(X, Y) in [5].")
    reasoner.push(0, has(Literal(3)))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(2, [])
        raise ZeroDivisionError
    assert reasoner.stats().not_fed_back == 0
    reasoner.push(2, [])
    again = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    again.push(3, [])
    assert (reasoner.stats().not_fed_back, again.stats().not_fed_back) == (2, 3)


def test_only_triples_can_be_asserted():
    for head in ("on", "on(X, X, X)"):
        with pytest.raises(
            TemporalRuleError, match="is no triple, and with feedback conclusions are asserted"
        ):
            pr.load_rules(f"{head} :- b(X).", prefixes={"": str(EX)}, feedback=True)
