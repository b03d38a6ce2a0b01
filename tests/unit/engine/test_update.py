"""What a step did, translated when somebody looks."""

import gc
import json
import pickle
import re
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal, Namespace, URIRef, Variable

import pantarhei as pr
from counts import cases
from notebooks import shown
from pantarhei import History, Limits, Ontology, OptionError, StreamReasoner, Window
from pantarhei.engine import update as feedback
from pantarhei.engine.update import TripleDelta, UnknownDelta, WindowUpdate
from pantarhei.errors import DeltaNotKeptError, InvalidTripleError, MemoryLimitError, TemporalRuleError
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.term import Delta
from pantarhei.proofs.change_picture import Cause
from pantarhei.repair.result import Repair
from pantarhei.window.log import Entry, Log
from strategies import EX as StrategiesEX
from svg_checks import SVG

PEDALS = Namespace("http://example.org/pedals#")


def triple(name):
    return (URIRef("urn:" + name), URIRef("urn:p"), URIRef("urn:o"))


def test_a_delta_of_triples_is_made_once_when_looked_at():
    made = []

    def make():
        made.append(1)
        return Delta.of([(triple("a"), 1), (triple("b"), -1), (triple("c"), 1), (triple("c"), -1)])

    delta = TripleDelta(make)
    assert not made
    assert delta.added == {triple("a")} and delta.removed == {triple("b")}
    assert repr(delta) == "TripleDelta(+1 -1)"
    assert made == [1]


def test_a_large_delta_is_not_decoded_to_be_shown():
    decoded = []

    def make():
        decoded.append(1)
        return Delta.of([(triple("a"), 1)])

    delta = TripleDelta(make, changes=20_000)
    update = WindowUpdate(4, 2, 4, (), Repair(4, "exact"), delta)
    assert repr(delta) == "TripleDelta(20,000 changed)" and "20,000 changed facts" in repr(update)
    assert "read added or removed" in update._repr_html_() and not decoded
    assert delta.added == {triple("a")} and repr(delta) == "TripleDelta(+1 -0)"
    assert repr(update) == "WindowUpdate(at 4: +1 -0 facts)"
    both = TripleDelta.together([TripleDelta(make, changes=20_000), TripleDelta(make, changes=1)])
    assert repr(both) == "TripleDelta(20,001 changed)"


def test_a_delta_that_is_not_kept_is_shown_with_its_reason():
    update = WindowUpdate(4, 2, 4, (), Repair(4, "exact"), UnknownDelta())
    assert repr(update) == "WindowUpdate(at 4: facts not counted)"
    assert "derive=" in shown(update)[1]


@pytest.mark.parametrize("derive", ["all", "needed"])
def test_a_restored_update_shows_the_labels_of_removed_facts(derive):
    data = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Closed owl:disjointWith :Open . :Closed rdfs:label "closed valve" . :v rdfs:label "inlet" ."""
    ex = Namespace("http://example.org/")
    reasoner = StreamReasoner(pr.load_ontology(Graph().parse(data=data)), Window(range=1), derive=derive)
    update = reasoner.push(1, [(ex.v, RDF.type, kind) for kind in (ex.Open, ex.Closed)])
    html = update._repr_html_()
    assert ">inlet</span>" in html and ">closed valve</span>" in html and ">v</span>" not in html
    assert pickle.loads(pickle.dumps(update))._repr_html_() == html


LABELS = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Open rdfs:label "open valve" ; rdfs:subClassOf :Valve ; owl:disjointWith :Closed .
    :Closed rdfs:label "closed valve" . :Valve rdfs:label "kind of valve" .
    :feeds a owl:ObjectProperty ; rdfs:label "feeds into" . :a rdfs:label "inlet" .
    :b rdfs:label "outlet" ."""
TANK = '@prefix : <http://example.org/> . :t <http://www.w3.org/2000/01/rdf-schema#label> "main tank" .'
FEEDING = """
    @prefix : <http://example.org/> .
    long(X) :- :Open(X) always in [1].
    filled(X, Y) :- :feeds(X, Y), :Open(X)."""


def texts_of(value, of=("__str__", "__repr__", "_repr_html_", "to_svg")):
    return {name: getattr(value, name)() for name in of if hasattr(value, name)}


def texts_of_reasoner(reasoner):
    """All texts about the state of a reasoner."""
    named = [EX[name] for name in ("a", "b", "c", "t")]
    facts = [(x, RDF.type, EX[kind]) for x in named for kind in ("Open", "Closed", "Valve", "long")]
    for fact in (*facts, *((x, EX[name], y) for x in named for y in named for name in ("feeds", "filled"))):
        with suppress(pr.NotEntailedError):
            yield [texts_of(proof) for proof in reasoner.explain(fact, all=True)]
        with suppress(pr.EntailedError):
            yield texts_of(reasoner.why_not(fact))
    yield from (texts_of(each) for each in (*reasoner.repairs, reasoner.quality()))
    yield from (texts_of(conflict) for repair in reasoner.repairs for conflict in repair.conflicts)


@given(
    st.sampled_from(["all", "needed"]),
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["Open", "Closed", "t"])), max_size=3),
        min_size=2,
        max_size=4,
    ),
)
@settings(max_examples=cases(8, 40, 1000), deadline=None)
def test_restored_texts_are_those_of_before(derive, steps):
    def abox(step):
        return [
            (EX[name], EX.feeds, EX.t) if kind == "t" else (EX[name], RDF.type, EX[kind])
            for name, kind in step
        ]

    ontology = pr.load_ontology(Graph().parse(data=LABELS))
    rules, background = pr.load_rules(FEEDING), Graph().parse(data=TANK)
    reasoner = StreamReasoner(ontology, Window(2), background, derive=derive, temporal=rules)
    reasoner.register("SELECT ?x ?c { ?x a ?c } ORDER BY ?x ?c", "states")
    updates = [reasoner.push(at, abox(step)) for at, step in enumerate(steps[:-1])]
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology)
    assert list(texts_of_reasoner(restored)) == list(texts_of_reasoner(reasoner))
    one, other = (each.push(len(steps), abox(steps[-1])) for each in (reasoner, restored))
    assert list(texts_of_reasoner(restored)) == list(texts_of_reasoner(reasoner))
    drawn = ("__str__", "_repr_html_", *(["to_svg"] if derive == "all" else []))
    assert texts_of(other, drawn) == texts_of(one, drawn)
    back = pickle.loads(pickle.dumps(one))
    assert texts_of(back, drawn) == texts_of(one, drawn) and back == one
    if derive == "all":
        updates.append(one)
        assert rules.to_svg(pickle.loads(pickle.dumps(updates))) == rules.to_svg(updates)


def test_a_restored_change_of_a_graph_shows_the_labels_of_answers():
    graph = pr.DynamicGraph(pr.load_ontology(Graph().parse(data=LABELS)), derive="needed")
    query = graph.register("SELECT ?x { ?x a <http://example.org/Valve> }")
    update = graph.change(insert=[(EX.a, RDF.type, EX.Open)])
    assert update.answers[query].added and ">inlet</span>" in update._repr_html_()
    assert pickle.loads(pickle.dumps(update))._repr_html_() == update._repr_html_()


def test_a_delta_of_triples_pickles_unlooked_at():
    added = pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), 1)])))
    assert pickle.loads(added).added == {triple("a")}
    assert pickle.loads(pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), -1)])))).removed == {
        triple("a")
    }


def test_an_update_is_a_line_to_read():
    delta = TripleDelta(lambda: Delta.of([(triple("a"), 1)]))
    update = WindowUpdate(4, 2, 4, (0, 1), Repair(4, "exact"), delta)
    assert str(update) == (
        "at 4: window 2 to 4, 2 timestamps expired, +1 -0 facts, 0 conflicts, 0 assertions removed"
    )


def error_of(call):
    with pytest.raises((pr.LateABoxError, pr.FutureABoxError, pr.ForgottenTimeError)) as caught:
        call()
    return str(caught.value)


@given(st.lists(st.integers(-12, 12), min_size=4, max_size=4))
@settings(max_examples=cases(10, 60, 2000), deadline=None)
def test_all_times_of_a_text_are_in_one_zone(hours):
    gas, brakes = ((PEDALS.x, RDF.type, kind) for kind in (PEDALS.GasPedalPressed, PEDALS.BrakesPressed))
    begin = datetime(2026, 3, 2, 12, tzinfo=UTC)
    times = [
        (begin + timedelta(minutes=minute)).astimezone(timezone(timedelta(hours=hour)))
        for minute, hour in enumerate(hours)
    ]
    window, history = Window("PT90S"), History()
    reasoner = StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), window, history=history)
    updates = [reasoner.push(at, [pedal]) for at, pedal in zip(times[:3], (gas, brakes, gas), strict=True)]
    slowing, old, late = (PEDALS.x, RDF.type, PEDALS.Slowing), times[0] - timedelta(days=1), times[3]
    texts = [
        *(text(each) for each in updates for text in (str, WindowUpdate.to_svg)),
        *(text(each.repair) for each in updates for text in (str, Repair.to_svg)),
        str(reasoner.quality()),
        repr(reasoner.quality()),
        str(reasoner.why_not(slowing)),
        str(reasoner.why_not(slowing, at=times[0])),
        error_of(lambda: reasoner.push(late - timedelta(minutes=2), [])),
        error_of(lambda: reasoner.explain(gas, at=old)),
        error_of(lambda: list(reasoner.run([(late, []), (late + timedelta(days=1), [])], max_ahead="1 h"))),
        error_of(lambda: list(reasoner.run([(late, []), (begin, [])]))),
    ]
    for text in texts:
        found = re.findall(r"(?:(?<=:\d\d)|\()([+-]\d\d:\d\d|Z|UTC)", text)
        assert len({{"Z": "+00:00", "UTC": "+00:00"}.get(zone, zone) for zone in found}) <= 1, text


def test_a_delta_that_is_not_kept_says_so_when_it_is_looked_at_and_nowhere_else():
    update = WindowUpdate(4, 2, 4, (0, 1), Repair(4, "exact"), UnknownDelta())
    assert "facts not counted" in str(update) and repr(UnknownDelta()) == "TripleDelta(facts not counted)"
    back = pickle.loads(pickle.dumps(update))
    assert back.delta == UnknownDelta() and back.delta != TripleDelta(lambda: Delta.of([]))
    for look in (lambda: back.delta.added, lambda: update.delta.removed):
        with pytest.raises(DeltaNotKeptError, match="register a query"):
            look()


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
    told = "before the next timestamp, conclusions are asserted at 5 ticks or more.*in several steps"
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
        "warm(X) :- :NameSource(X), not asserted :Cold(X) in [2].",
    ],
)
def test_where_each_tick_is_as_the_one_before_the_refusal_comes_at_once(text, range_):
    known = [(EX.v, RDF.type, EX.NameSource)]
    reasoner = reasoner_with(text, pr.Window(range=range_), background=known)
    reasoner.push(0, is_a("Hot"))
    asserted = []
    told, standing = reasoner._held._run, reasoner.materialization()
    reasoner._held._run = lambda *given: (asserted.append(given), told(*given))[1]
    with pytest.raises(TemporalRuleError, match=r"asserted at 200_0\d\d ticks or more"):
        reasoner.advance(200_000)
    assert len(asserted) < 2 * range_ + 20
    del reasoner._held._run
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
            TemporalRuleError, match="is not a triple, and with feedback conclusions are asserted"
        ):
            pr.load_rules(f"{head} :- b(X).", prefixes={"": str(EX)}, feedback=True)


x, y, z = Variable("x"), Variable("y"), Variable("z")
RULES = [
    Rule("cax-sco", (Atom(StrategiesEX.A, (x,)),), Atom(StrategiesEX.B, (x,))),
    Rule("cax-dw", (Atom(StrategiesEX.B, (x,)), Atom(StrategiesEX.C, (x,))), None),
]
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def reasoner(width=3, **options):
    return StreamReasoner(
        Ontology.from_rules(RULES), Window(width), [(StrategiesEX.o, RDF.type, StrategiesEX.A)], **options
    )


def a(name, kind="A"):
    return StrategiesEX[name], RDF.type, StrategiesEX[kind]


@both_ways
def test_stats_count_what_there_is(keep):
    with_window = reasoner(keep=keep)
    assert with_window.stats().facts == 2  # the background's
    with_window.push(1, [a("x"), a("y")])
    with_window.push(2, [a("x"), a("z")])
    stats = with_window.stats()
    assert (stats.facts, stats.assertions, stats.partitions) == (8, 4, 2)
    assert stats.facts == len(with_window.materialization())
    assert (stats.names, stats.literals) == (4, 0)
    assert stats.terms == stats.symbols + 4
    assert (stats.pushes, stats.repairs, stats.cut, stats.late, stats.dropped_early) == (2, 0, 0, 0, 0)
    assert stats.bytes == stats.kernel_bytes + stats.books_bytes + stats.vocabulary_bytes
    assert stats.pops == with_window.work.pops
    with_window.advance(9)
    assert (with_window.stats().facts, with_window.stats().partitions) == (2, 0)


@both_ways
def test_what_is_counted_survives_a_checkpoint(keep):
    first = reasoner(keep=keep)
    first.push(1, [a("x"), a("y")])
    first.push(2, [a("x", "C")])
    assert (first.stats().repairs, first.stats().cut) == (1, 1)
    second = StreamReasoner.restore(first.snapshot(), first.ontology)
    for name in ("facts", "assertions", "partitions", "names", "pushes", "repairs", "cut"):
        assert getattr(second.stats(), name) == getattr(first.stats(), name)


def test_parts_of_one_abox_count_its_repair_once():
    in_parts, at_once = reasoner(), reasoner()
    for each in (in_parts, at_once):
        each.push(1, [a("x"), a("y")])
    in_parts.push(2, [a("x", "C")])
    in_parts.push(2, [a("y", "C")])
    at_once.push(2, [a("x", "C"), a("y", "C")])
    assert in_parts.stats().repairs == at_once.stats().repairs == 1
    assert in_parts.stats().cut == at_once.stats().cut == 2
    assert in_parts.stats().pushes == at_once.stats().pushes + 1


def test_an_error_counts_nothing():
    tested = reasoner()
    tested.push(1, [a("x")])
    before = tested.stats()
    with pytest.raises(RuntimeError), tested.all_or_nothing():
        tested.push(2, [a("x", "C")])
        raise RuntimeError
    after = tested.stats()
    assert (after.pushes, after.repairs, after.cut) == (before.pushes, before.repairs, before.cut)


def test_late_aboxes_that_are_handed_over_are_counted():
    tested, late = reasoner(), []
    stream = [(1, [a("x")]), (9, [a("y")]), (3, [a("z")])]
    list(tested.run(stream, 2, on_late=lambda at, abox: late.append(at)))
    assert late == [3]
    assert tested.stats().late == 1


def test_stats_can_be_logged():
    tested = reasoner()
    tested.push(1, [a("x"), a("y", "C")])
    stats = tested.stats()
    assert json.loads(json.dumps(stats.as_dict())) == stats.as_dict()
    assert stats.as_dict()["bytes"] == stats.bytes
    assert pickle.loads(pickle.dumps(stats)) == stats
    assert "5 facts from 2 assertions at 1 timestamp" in str(stats)


def test_bytes_of_facts_and_books_are_those_that_are_allocated():
    tested = reasoner(width=1000)
    tested.push(0, [a("warm")])
    names = [[a(f"n{at}-{i}") for i in range(1000)] for at in range(1, 30)]
    vocabulary = tested._held.vocabulary
    for abox in names:
        vocabulary.encode(abox)
    before = tested.stats()
    gc.collect()
    tracemalloc.start()
    try:
        for at, abox in enumerate(names, 1):
            tested.push(at, abox)
        gc.collect()
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    after = tested.stats()
    there = after.kernel_bytes + after.books_bytes
    grown = there - before.books_bytes
    assert 0.8 * allocated <= grown <= 1.25 * allocated


# -- limits ----------------------------------------------------------------------------------------


def test_a_fact_that_is_asserted_again_outlives_the_timestamp_that_leaves_early():
    tested = reasoner(width=1000, max_facts=8, on_limit="drop")
    for at in range(10):
        update = tested.push(at, [a("again"), a(f"x{at}")])
    assert update.dropped_early == update.dropped == (7,)
    assert {triple for triple in tested.materialization() if triple[0] == StrategiesEX.again} == {
        a("again"),
        a("again", "B"),
    }
    assert tested.timestamps == (8, 9)
    assert tested.interpretation(8) == {a("x8"), a("x8", "B")}


def test_a_second_part_finds_the_window_that_the_first_has_left():
    in_parts = reasoner(width=1000, max_facts=8, on_limit="drop")
    at_once = reasoner(width=1000, max_facts=8, on_limit="drop")
    for at in range(3):
        in_parts.push(at, [a(f"x{at}")]), at_once.push(at, [a(f"x{at}")])
    in_parts.push(3, [a("y")])
    in_parts.push(3, [a("x2", "C")])
    at_once.push(3, [a("y"), a("x2", "C")])
    assert in_parts.materialization() == at_once.materialization()
    assert in_parts.assertions() == at_once.assertions()


@pytest.mark.parametrize("options", [{"max_facts": 1}, {"max_bytes": 1000}])
@pytest.mark.parametrize("on_limit", ["error", "drop"])
def test_a_background_beyond_the_limit_is_refused(options, on_limit):
    with pytest.raises(MemoryLimitError) as caught:
        reasoner(**options, on_limit=on_limit)
    assert caught.value.at is None and caught.value.limit == next(iter(options))


def test_other_limits_can_be_set_when_it_goes_on():
    first = reasoner(width=100, max_facts=6)
    first.push(1, [a("x")])
    with pytest.raises(MemoryLimitError):
        first.push(2, [a("y"), a("z")])
    second = StreamReasoner.restore(first.snapshot(), first.ontology, limits=Limits(8))
    assert second.options.limits == Limits(8)
    second.push(2, [a("y"), a("z")])
    assert second.stats().facts == 8
    third = StreamReasoner.restore(second.snapshot(), first.ontology, limits=Limits(6, on_limit="drop"))
    assert third.push(3, []).dropped_early == (1,)
    with pytest.raises(OptionError, match=r"limits=8 .*Limits\(max_facts"):
        StreamReasoner.restore(second.snapshot(), first.ontology, limits=8)


@pytest.fixture
def looked_at(monkeypatch):
    """The levels of the log's entries that were looked at."""
    levels, entries, size = [], Log.__iter__, Entry.bytes.fget

    def counted(log):
        for entry in entries(log):
            levels.append(entry.level)
            yield entry

    monkeypatch.setattr(Log, "__iter__", counted)
    monkeypatch.setattr(Entry, "bytes", property(lambda entry: levels.append(entry.level) or size(entry)))
    return levels


@pytest.mark.parametrize("limits", [{}, {"max_bytes": 10**9}, {"max_bytes": 10**9, "on_limit": "drop"}])
def test_a_push_looks_at_as_many_entries_in_a_long_window_as_in_a_short_one(looked_at, limits):
    counts = []
    for width in (20, 1500):
        tested = reasoner(width=width, **limits)
        for at in range(width + 20):
            looked_at.clear()
            tested.push(at, [a(f"x{at % 7}")])
        counts.append(len(looked_at))
        looked_at.clear()
        tested.stats()
        assert not looked_at
    assert counts[0] == counts[1] <= 10


def test_timestamps_that_leave_early_for_their_bytes_are_looked_at_alone(looked_at):
    tested = reasoner(width=10**6, max_bytes=900_000, on_limit="drop")
    pushes = most = 0
    while not (update := tested.push(pushes, [a(f"x{pushes}")])).dropped_early:
        pushes += 1
        most = max(most, len(looked_at))
        looked_at.clear()
    stayed = len(tested.timestamps)
    assert pushes > 300 and len(update.dropped_early) > 30
    looked_at.clear()
    while not (update := tested.push(pushes, [a(f"x{pushes}")])).dropped_early:
        pushes += 1
        looked_at.clear()
    # marking the terms in use looks at each entry that stays; making the model anew comes later
    assert len(looked_at) < stayed + 6 * len(update.dropped_early) + 20


ROOMS = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :OpenValve owl:disjointWith :ShutValve .
    :OpenValve rdfs:subClassOf :LeakingValve . :LeakingValve rdfs:label "leaking pipe" .
"""


def picture_of(update, *options):
    root = ElementTree.fromstring(update.to_svg(*options))
    arrows = [path for path in root.iter(f"{SVG}path") if path.get("marker-end")]
    return [text.text for text in root.iter(f"{SVG}text")][1:], len(arrows)


def test_a_picture_groups_the_changes_of_a_step_by_their_causes():
    ontology = pr.load_ontology(Graph().parse(data=ROOMS))
    tested = StreamReasoner(ontology, Window(2))
    names = {"Open1": EX.OpenValve, "Shut1": EX.ShutValve, "Open2": EX.OpenValve}
    fact = {name: (EX[f"v{name[-1]}"], RDF.type, class_) for name, class_ in names.items()}
    first = tested.push(1, [fact["Open1"], fact["Open2"]])
    shown, arrows = picture_of(first, tested.explain)
    assert shown == [
        *("+2 asserted", "v1 is an open valve", "v2 is an open valve"),
        *("+2 derived", "v1 is a leaking pipe", "v2 is a leaking pipe"),
    ]
    assert arrows == 2 and picture_of(first)[1] == 0
    second = tested.push(2, [fact["Shut1"]])
    assert picture_of(second)[0] == [
        *("+1 asserted", "v1 is a shut valve"),
        *("−1 removed by the repair", "v1 is an open valve", "−1 no longer derived", "v1 is a leaking pipe"),
    ]
    third = tested.advance(4)
    assert picture_of(third)[0] == [
        "−1 left the window",
        "v2 is an open valve",
        "−1 no longer derived",
        "v2 is a leaking pipe",
    ]
    for update in (first, second, third):
        back = pickle.loads(pickle.dumps(update))
        assert back.to_svg() == update.to_svg() and back.assertions == update.assertions


@given(st.lists(st.sets(st.sampled_from(["Open", "Shut", "Leaking"])), min_size=1, max_size=5))
def test_the_causes_of_a_step_partition_its_changes(steps):
    tested = StreamReasoner(pr.load_ontology(Graph().parse(data=ROOMS)), Window(2))
    for at, names in enumerate(map(sorted, steps)):
        update = tested.push(at, [(EX.v, RDF.type, EX[f"{name}Valve"]) for name in names])
        causes = {cause: frozenset(facts) for cause, facts in update._causes()}
        asserted, derived = causes[Cause.ASSERTED], causes[Cause.DERIVED]
        assert not asserted & derived and asserted | derived == update.delta.added
        expired, cut, unsupported = (causes[each] for each in (Cause.EXPIRED, Cause.CUT, Cause.UNSUPPORTED))
        assert not expired & cut and not (expired | cut) & unsupported
        assert update.delta.removed <= expired | cut | unsupported
        assert update.assertions.arrived == {fact for time, fact in tested.assertions() if time == at}


def test_a_picture_has_the_day_once():
    at = datetime(2026, 3, 2, 7, 5, tzinfo=UTC)
    tested = StreamReasoner(pr.load_ontology(Graph().parse(data=ROOMS)), Window("5 min"))
    root = ElementTree.fromstring(tested.push(at, []).to_svg())
    assert root.findtext(f"{SVG}title") == "at 07:05 on 2026-03-02 (UTC): window from 07:00 to 07:05"


def test_a_step_whose_changes_are_not_kept_has_no_picture():
    update = WindowUpdate(4, 2, 4, (0, 1), Repair(4, "exact"), UnknownDelta())
    with pytest.raises(DeltaNotKeptError):
        update.to_svg()


def test_a_change_of_a_graph_has_a_picture_too():
    graph = pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ROOMS)))
    first, second = (EX.v1, RDF.type, EX.OpenValve), (EX.v2, RDF.type, EX.LeakingValve)
    inserted = graph.change(insert=[first, second])
    assert picture_of(inserted)[0][:3] == ["+2 asserted", *sorted(picture_of(inserted)[0][1:3])]
    assert picture_of(inserted)[0][3:] == ["+1 derived", "v1 is a leaking pipe"]
    deleted = graph.change(delete=[first])
    shown, _ = picture_of(deleted)
    assert shown[:2] == ["−1 deleted", "v1 is an open valve"] and shown[2] == "−1 no longer derived"
    back = pickle.loads(pickle.dumps(deleted))
    assert back.to_svg() == deleted.to_svg() and back.assertions == deleted.assertions
