"""Temporal rules beside the window: states and events by tick, and steps that can be taken back."""

import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.engine import temporal_engine
from pantarhei.engine.temporal_engine import CONCLUSIONS
from pantarhei.errors import OptionError
from pantarhei.temporal.conclusion_sets import concluded_triples

EX = Namespace("http://example.org/")
ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Hot owl:disjointWith :Cold . :Hot rdfs:subClassOf :Odd . :Cold rdfs:subClassOf :Odd ."""
    )
)


def reasoner_with(text, window=None, background=(), **options):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX)})
    return pr.StreamReasoner(ONTOLOGY, window or pr.Window(range=2), background, temporal=rules, **options)


def at(seconds):
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def is_a(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def names(reasoner):
    return " ".join(sorted(atom.predicate.removeprefix(EX) for atom in reasoner.atoms()))


def told(update):
    """What came and went at each tick on the way, in short."""

    def short(atoms, sign):
        return [f"{sign}{atom.predicate.removeprefix(EX)}" for atom in atoms]

    return [
        (turn.at, *short(turn.removed, "-"), *short(turn.added, "+")) for turn in update.conclusions.turns
    ]


def test_a_time_of_more_ticks_than_can_be_counted_is_refused_and_with_a_slide_it_does():
    text = "event(X) :- asserted :Hot(X) in [1]."
    reasoner = reasoner_with(text)
    reasoner.push(2**60, is_a("Hot"))
    with pytest.raises(pr.TimestampError, match="give the reasoner a longer tick"):
        reasoner.push(2**61, is_a("Cold"))
    assert list(reasoner.timestamps) == [2**60] and names(reasoner) == "event"
    reasoner = reasoner_with(text, pr.Window(4, 4))
    for time in range(2**61, 2**61 + 16, 4):
        reasoner.push(time, is_a("Hot") if time == 2**61 else [])
    assert names(reasoner) == ""


# range = 2         at:   0   1   2   3   4   5   6
# pushed                  x           x
# Odd(v), a state         |===================|            0..2 and 3..5
# asserted Hot(v)         x           x
def test_states_are_what_holds_and_events_what_is_asserted_at_a_tick():
    reasoner = reasoner_with("state(X) :- :Odd(X). event(X) :- asserted :Hot(X). no(X) :- asserted :Odd(X).")
    seen = []
    for at in range(7):
        reasoner.push(at, is_a("Hot") if at in (0, 3) else [])
        seen.append(names(reasoner))
    assert seen == ["event state", "state", "state", "event state", "state", "state", ""]


# at:               0   1   2   3
# pushed            Hot     Cold         Cold takes Hot out of the window with its reports
# asserted Hot      x                    it was said all the same
def test_the_past_is_what_was_said():
    reasoner = reasoner_with("switched(X) :- asserted :Hot(X) in [3], :Cold(X).", pr.Window(range=9))
    reasoner.push(0, is_a("Hot"))
    update = reasoner.push(2, is_a("Cold"))
    assert update.repair.removed == {(0, (EX.v, RDF.type, EX.Hot))}
    assert names(reasoner) == "switched"


def test_what_the_repair_of_its_own_tick_cuts_was_not_said():
    reasoner = reasoner_with("event(X) :- asserted :Hot(X) in [3].")
    reasoner.push(0, is_a("Hot", "Cold"))
    assert names(reasoner) == ""


# slide = 3      time  1       3         3, a further part
# asserted             A B     C         B
# C and A and B contradict: the newest is kept, and of A and B neither is newer; then B is
def test_what_a_repair_has_cut_is_said_again_where_a_further_part_calls_for_another_repair():
    axioms = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :AB owl:disjointWith :C .
        [ a owl:Class ; owl:intersectionOf ( :A :B ) ] rdfs:subClassOf :AB ."""
    ontology = pr.load_ontology(Graph().parse(data=axioms))
    text = "@prefix : <http://example.org/> . b(X) :- asserted :B(X). last(X) :- asserted :C(X) in [1 #]."
    seen = []
    for is_restored in (False, True):
        window = pr.Window(range=3, slide=3)
        reasoner = pr.StreamReasoner(ontology, window, temporal=pr.load_rules(text))
        for time, said in ((1, "AB"), (3, "C"), (3, "B")):
            if is_restored:
                reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), ontology)
            reasoner.push(time, is_a(*said))
            seen.append(names(reasoner))
    # B was said at 1 already, before C: the last assertion is C still
    assert seen == 2 * ["b", "last", "b last"]


def test_the_background_is_a_state_and_no_event():
    reasoner = reasoner_with("state(X) :- :Odd(X). event(X) :- asserted :Hot(X).", background=is_a("Hot"))
    reasoner.push(0, [])
    assert names(reasoner) == "state"


# slide = 3         time  1   2   3   4   5   6
# tick                    |----1----| |----2----|
def test_a_tick_is_a_slide():
    reasoner = reasoner_with(
        "both(X) :- asserted :Hot(X), asserted :Odd(X). was(X) :- asserted :Odd(X) in [1].",
        pr.Window(range=9, slide=3),
    )
    reasoner.push(1, is_a("Hot"))
    reasoner.push(3, is_a("Odd"))
    assert names(reasoner) == "both was"
    reasoner.push(4, [])
    assert names(reasoner) == "was"
    reasoner.push(7, [])
    assert names(reasoner) == ""


# at:              0   1   2   3   4   5  …  20
# Hot              x
# was              |=======|                       in [2]
# quiet                        |===============    not asserted Hot in [2]
def test_what_comes_and_goes_while_time_jumps_is_told_with_its_time():
    reasoner = reasoner_with(
        "was(X) :- asserted :Hot(X) in [2]. quiet(X) :- :Odd(X), not was(X).", pr.Window(range=4)
    )
    assert told(reasoner.push(0, is_a("Hot"))) == [(0, "+was")]
    update = reasoner.push(20, [])
    assert told(update) == [(3, "-was", "+quiet"), (5, "-quiet")]
    (was,) = update.conclusions.atoms_removed
    assert was.predicate == EX.was and not update.conclusions.atoms_added


def test_a_further_part_of_a_tick_tells_what_it_changes():
    reasoner = reasoner_with("hot(X) :- asserted :Hot(X). cold(X) :- asserted :Cold(X).")
    assert told(reasoner.push(0, is_a("Hot"))) == [(0, "+hot")]
    assert told(reasoner.push(0, is_a("Cold"))) == [(0, "-hot")]  # equally old, both go


def test_a_block_that_is_broken_off_leaves_no_trace():
    reasoner = reasoner_with("was(X) :- asserted :Hot(X) in [3].")
    reasoner.push(0, [])
    before = reasoner.snapshot()
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(1, is_a("Hot"))
        reasoner.push(2, [])
        raise ZeroDivisionError
    assert names(reasoner) == "" and reasoner.snapshot() == before
    assert told(reasoner.push(1, is_a("Hot"))) == [(1, "+was")]


def test_a_checkpoint_in_the_midst_of_always_goes_on():
    reasoner = reasoner_with("long(X) :- :Odd(X) always in [3].", pr.Window(range=9))
    for at in range(4):
        reasoner.push(at, is_a("Hot") if at == 1 else [])
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert told(restored.push(4, [])) == told(reasoner.push(4, [])) == [(4, "+long")]


def test_behind_a_checkpoint_a_conclusion_goes_with_the_literal_with_which_it_came():
    reasoner = reasoner_with("late(X, T) :- asserted :Hot(X) at T in [1].")
    reasoner.push(3, is_a("Hot"))
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    restored.push(4, [(EX.v, EX.level, Literal(Decimal(3)))])
    assert restored.push(5, []).conclusions.removed == {(EX.v, EX.late, Literal(3))}


# start = 0          at:  0   1   2   3        windows look back no further than 0
# Hot                             x
@pytest.mark.parametrize(("start", "holds"), [(None, ""), (2, "long")])
def test_windows_look_back_no_further_than_the_start(start, holds):
    rules = pr.load_rules("long(X) :- :Odd(X) always in [3].", start, {"": str(EX)})
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=9), temporal=rules)
    reasoner.push(2, is_a("Hot"))
    assert names(reasoner) == holds


# start = 2, range = 5    at:  0   1   2   3   4   5   6   7   8
# s(x) is pushed                x               what comes and goes from 2 on does so in a jump too
# s(x), a state                |===================|
@pytest.mark.parametrize(
    ("text", "background", "turns"),
    [
        ("a(X) :- s(X) always in [1].", (), [(2, "+a"), (6, "-a")]),
        ("a(X) :- s(X) always in [3].", (), [(2, "+a"), (6, "-a")]),
        ("a(X) :- s(X) in [1].", (), [(2, "+a"), (7, "-a")]),
        ("a(X) :- s(X) at 3 in [2].", (), [(3, "+a"), (6, "-a")]),
        ("a(X) :- s(X) at least 3 times in [3].", (), [(4, "+a"), (7, "-a")]),
        (
            "remember b. b(X) :- s(X). a(X) :- b(X) in [2], not s(X).",
            (),
            [(2, "+b"), (6, "-b", "+a"), (8, "-a")],
        ),
        ("a(X) :- s(X) at least 3 times in [3].", is_a("s"), [(4, "+a")]),
    ],
)
def test_a_jump_comes_by_the_start(text, background, turns):
    for jumps in ([*range(9)], [0, 8], [0, 1, 8], [0, 2, 8]):
        rules = pr.load_rules(text + "\n", 2, {"": str(EX)})
        reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=5), background, temporal=rules)
        assert [turn for at in jumps for turn in told(reasoner.push(at, is_a("s")[at:]))] == turns


def test_before_the_start_the_next_turn_is_there():
    rules = pr.load_rules("hot(X) :- :Odd(X).", 4, {"": str(EX)})
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=9), temporal=rules)
    assert reasoner.next_turn is None
    reasoner.push(1, is_a("Hot"))
    assert reasoner.next_turn == 4
    assert told(reasoner.advance(9)) == [(4, "+hot")]


def test_a_jump_over_the_start_feeds_back_from_there_on():
    for jumps in ([*range(6)], [0, 5]):
        rules = pr.load_rules(
            "was(X) :- asserted :Cold(X). :Cold(X) :- s(X).\n", 2, {"": str(EX)}, feedback=True
        )
        reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=3), temporal=rules)
        updates = [reasoner.push(at, is_a("s")[at:]) for at in jumps]
        assert [(each.at, each.facts) for update in updates for each in update.fed_back] == [
            (3, 1),
            (4, 2),
            (5, 1),
        ]


@pytest.mark.parametrize(
    ("test", "pairs"),
    [
        ("X != Y", "vw wv"),
        ("X = Y", "vv ww"),
        ("X = v, Y != v", "vw"),
        ("X != 7, Y = v", "vv wv"),
        ("X < Y", ""),
        ("X = 7", ""),
        ("X != v, X = w, Y != X", "wv"),
    ],
)
def test_names_are_compared_by_name(test, pairs):
    reasoner = reasoner_with(f"pair(X, Y) :- asserted :Hot(X) in [5], asserted :Hot(Y) in [5], {test}.")
    reasoner.push(0, [(EX[name], RDF.type, EX.Hot) for name in "vw"])
    found = sorted((str(one)[-1] + str(other)[-1]) for one, _, other in reasoner.conclusions())
    assert " ".join(found) == pairs
    for one, _, other in reasoner.conclusions():
        assert "sometime asserted" in str(reasoner.explain((one, EX.pair, other)))


def test_what_is_of_another_kind_differs():
    reasoner = reasoner_with('other(X) :- level(X, V), V != "abc". same(X) :- level(X, V), V = "abc".')
    reasoner.push(0, [(EX.a, EX.level, Literal(7)), (EX.b, EX.level, Literal("abc")), (EX.c, EX.level, EX.v)])
    assert sorted(map(str, reasoner.atoms())) == ["other(a)", "other(c)", "same(b)"]
    why = str(reasoner.why_not((EX.b, RDF.type, EX.other)))
    assert 'it would be concluded if V != "abc", where V = ' in why


def test_before_the_start_nothing_is_concluded():
    rules = pr.load_rules("hot(X) :- :Odd(X).", 2, {"": str(EX)})
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=9), temporal=rules)
    assert told(reasoner.push(1, is_a("Hot"))) == [] and not reasoner.atoms()
    assert told(reasoner.push(2, [])) == [(2, "+hot")]


def test_terms_that_are_forgotten_elsewhere_stay_known_to_what_was_said():
    reasoner = reasoner_with("was(X) :- asserted :Hot(X) in [9].", pr.Window(range=1))
    reasoner.push(0, is_a("Hot"))
    for at in range(1, 6):
        reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step
        reasoner.push(at, [(EX[f"other-{at}"], RDF.type, EX.Cold)])
    assert reasoner.conclusions() == {(EX.v, RDF.type, EX.was)}


def test_without_rules_nothing_is_concluded():
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=2))
    assert not reasoner.push(0, is_a("Hot")).conclusions and not reasoner.conclusions()


def test_without_rules_a_push_runs_nothing_of_theirs():
    def calls_of(reasoner):
        """The modules of temporal rules whose functions a push, a jump and a look at the graph call."""
        called = set()
        sys.setprofile(lambda frame, *_: called.add(frame.f_globals.get("__name__", "")))
        try:
            for tick in (1, 2, 9):
                reasoner.push(tick, is_a("Hot"))
            reasoner.advance(20)
            len(reasoner.graph)
        finally:
            sys.setprofile(None)
        return {
            name
            for name in called
            if name.startswith(("pantarhei.temporal", "pantarhei.engine.temporal_engine"))
        }

    assert calls_of(pr.StreamReasoner(ONTOLOGY, pr.Window(range=2))) == set()
    assert {"pantarhei.engine.temporal_engine", "pantarhei.temporal.rule_evaluation"} < calls_of(
        reasoner_with("a(X) :- :Hot(X) in [2].")
    )


def test_rules_that_a_push_does_not_touch_take_no_step_of_it():
    def steps_of(rules):
        """How many functions of ours pushes call or resume."""
        reasoner = reasoner_with(
            "\n".join(
                f"a{n}(X) :- asserted :c{n}(X) in [2], not asserted :d{n}(X). b{n}(X) :- a{n}(X) in [1]."
                for n in range(rules)
            )
        )
        for tick in (0, 1):
            reasoner.push(tick, is_a("c0"))
        steps = 0

        def count(frame, event, _):
            nonlocal steps
            steps += event == "call" and frame.f_globals.get("__name__", "").startswith("pantarhei.")

        sys.setprofile(count)
        try:
            for tick in (2, 3, 9):
                reasoner.push(tick, is_a("c0"))
        finally:
            sys.setprofile(None)
        return steps

    assert steps_of(50) == steps_of(1)


def test_rules_are_attached_once():
    reasoner = reasoner_with("hot(X) :- :Hot(X).")
    with pytest.raises(OptionError, match=CONCLUSIONS):
        reasoner._held.conclude(pr.load_rules("a(X) :- b(X).", prefixes={"": str(EX)}), frozenset())


# -- work ------------------------------------------------------------------------------------------


def work_of(reasoner):
    return reasoner._held.rule_engine._make_evaluation(reasoner._held.model).model.work


def test_until_a_window_has_passed_repeated_events_and_standing_states_cost_no_pop():
    reasoner = reasoner_with(
        "was(X) :- asserted :Hot(X) in [9]. long(X) :- :Odd(X) always in [3].", pr.Window(range=9)
    )
    for at in range(4):
        reasoner.push(at, is_a("Hot"))
    before = work_of(reasoner)
    for at in range(4, 9):
        reasoner.push(at, is_a("Hot"))
    assert work_of(reasoner) == before and names(reasoner) == "long was"


def test_what_the_rules_do_not_look_at_costs_them_nothing():
    reasoner = reasoner_with("was(X) :- asserted :Hot(X) in [5].")
    reasoner.push(0, is_a("Hot"))
    before = work_of(reasoner)
    for at in range(1, 4):
        reasoner.push(at, [(EX[f"w{n}"], RDF.type, EX.Cold) for n in range(20)])
    assert work_of(reasoner) == before


def test_what_holds_whatever_the_stream_says_is_told_at_the_first_tick():
    reasoner = reasoner_with("quiet(v) :- not :Hot(v).")
    assert told(reasoner.push(0, [])) == [(0, "+quiet")]
    assert told(reasoner.push(1, is_a("Hot"))) == [(1, "-quiet")]


def test_who_follows_conclusions_is_told_what_changed_since_it_asked_last():
    reasoner = reasoner_with("a(X) :- asserted :Hot(X). b(X) :- :Odd(X). n.")
    followed = reasoner._held.followed_conclusions()

    def taken():
        decoded = reasoner._held.vocabulary.decode
        facts = followed.take_facts()
        return {
            (cls.removeprefix(EX), sign)
            for (_, _, cls), sign in zip(decoded(facts[:, :3]), facts[:, 3], strict=True)
        }

    reasoner.push(0, is_a("Hot"))
    reasoner.push(1, [])
    assert taken() == {("b", 1)} and taken() == set()
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(9, is_a("Hot"))
        raise ZeroDivisionError
    assert taken() == set()
    reasoner.push(9, is_a("Hot"))
    assert taken() == {("a", 1)}
    assert len(followed.facts()) == 2 and not followed.are_joined_for(None)


def test_made_again_from_the_past_a_tick_that_is_named_has_what_was_said_of_its_own_predicate_alone():
    reasoner = reasoner_with("late(X) :- :Cold(X) at T in [2]. odd(X) :- :Odd(X) in [2].", pr.Window(range=0))
    reasoner.push(1, is_a("Hot"))
    reasoner.push(3, [])
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert names(restored) == names(reasoner) == "odd"


def test_what_was_said_counts_among_the_bytes_that_it_takes():
    reasoner = reasoner_with("a(X) :- asserted :Hot(X) in [5000].", pr.Window(range=0))
    taken = []
    for tick in range(2_560):
        reasoner.push(tick, is_a("Hot"))
        taken.append(reasoner.stats().consumer_bytes)
    assert 12 * 2_048 < taken[-1] - taken[511] < 60 * 2_048


def test_it_is_known_when_conclusions_may_come_or_go_next():
    window = pr.Window(range=4, slide=2)
    reasoner = reasoner_with("quiet(X) :- :Hot(X) in [9], not asserted :Hot(X) in [2].", window)
    assert reasoner.next_turn is None and reasoner.temporal.strata
    reasoner.push(3, is_a("Hot"))
    turned, at = [], 3
    while (at := reasoner.next_turn) is not None:
        turned += [(turn.at, bool(turn.added)) for turn in reasoner.advance(at).conclusions.turns]
    # ticks end at even times: asserted in that of 4, in [2] until 8; in the window until 6, in [9] until 24
    assert turned == [(9, True), (25, False)]
    assert pr.StreamReasoner(ONTOLOGY, window).next_turn is None


def test_what_is_to_be_asserted_is_due_at_the_next_tick():
    rules = pr.load_rules("b(X) :- asserted a(X).\n", prefixes={"": str(EX)}, feedback=True)
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=9), temporal=rules)
    reasoner.push(3, is_a("a"))
    assert reasoner.next_turn == 4
    reasoner.advance(4)
    assert (EX.v, RDF.type, EX.b) in reasoner.graph and reasoner.next_turn != 5


# at:                  0   1   2   3   4
# alarm (said)         x   x   x       x
# alarm (concluded)                x           forgotten at 4
# alarm always in [2]          x   x
def test_always_sees_what_the_stream_says_of_a_conclusion():
    reasoner = reasoner_with("alarm(X) :- hot(X). late(X) :- alarm(X) always in [2].", pr.Window(range=0))
    seen = []
    for at in range(5):
        reasoner.push(at, is_a("alarm") if at != 3 else is_a("hot"))
        seen.append(names(reasoner))
    assert seen == ["alarm", "alarm", "alarm late", "alarm late", "alarm"]


@pytest.mark.parametrize(
    ("text", "window", "times", "seen"),
    [
        ("event(X) :- asserted :Hot(X) in [2].", pr.Window(0), [0, 10**15, 10**15 + 2, 10**15 + 3], "eee "),
        ("state(X) :- :Hot(X).", pr.Window(5), [0, 10**9, 10**9 + 5, 10**9 + 6], "sss "),
        ("state(X) :- :Hot(X).", pr.Window("PT1M"), [at(0), at(1e6), at(1e6 + 60), at(1e6 + 61)], "sss "),
        ("event(X) :- asserted :Hot(X).", pr.Window(0), [0.5, 1e6 + 0.5, 1e6 + 1.5], "ee "),
    ],
)
def test_a_jump_costs_what_changes_on_the_way_however_many_ticks_it_passes(text, window, times, seen):
    reasoner = reasoner_with(text, window)
    held = []
    for index, when in enumerate(times):
        reasoner.push(when, is_a("Hot") if index < 2 else [])
        held.append(names(reasoner)[:1] or " ")
    assert "".join(held) == seen
    assert reasoner.stats().consumer_bytes < 1_000_000


def test_a_jump_over_too_many_ticks_at_which_conclusions_change_is_refused_and_leaves_no_trace():
    reasoner = reasoner_with("seen(X, T) :- :Hot(X) at T in [0].", pr.Window("PT1M"))
    reasoner.push(at(0), is_a("Hot"))
    before = reasoner.atoms()
    with pytest.raises(
        pr.TemporalRuleError, match=r"10_000_000 ticks later.*give the reasoner a longer tick"
    ):
        reasoner.push(at(10), is_a("Hot"))
    assert reasoner.atoms() == before and list(reasoner.timestamps) == [at(0)]
    reasoner.push(at(0) + timedelta(microseconds=3), [])
    assert len(reasoner.atoms()) == 1


# range = 0 says nothing of the kind of time: the stream's first timestamp does
def test_the_first_timestamp_says_whether_a_window_may_count_ticks_or_seconds():
    counts = reasoner_with("event(X) :- asserted :Hot(X) in [2].", pr.Window(0))
    with pytest.raises(pr.TemporalRuleError, match="counts ticks; expected a window with a unit"):
        counts.push(at(0), is_a("Hot"))
    counts.push(0, is_a("Hot"))
    assert names(counts) == "event"
    lasts = reasoner_with("event(X) :- asserted :Hot(X) in [2 sec].", pr.Window(0))
    with pytest.raises(pr.TemporalRuleError, match="needs a stream with datetimes, but the timestamp 0 is a"):
        lasts.push(0, is_a("Hot"))
    seen = []
    for second in range(4):
        lasts.push(at(second), is_a("Hot") if second == 0 else [])
        seen.append(names(lasts))
    assert seen == ["event", "event", "event", ""]


def test_what_no_kind_of_time_allows_is_refused_at_once():
    with pytest.raises(pr.TemporalRuleError, match="a stream has one kind"):
        reasoner_with("a(X) :- :Hot(X) in [2 sec], :Odd(X) in [2].", pr.Window(0))


# slide = 1 of a stream of floats
def test_ticks_of_floats_are_as_long_as_the_slide_says(tmp_path):
    reasoner = reasoner_with("event(X) :- asserted :Hot(X) in [2].", pr.Window(range=2, slide=1))
    seen = []
    for when in (0.5, 1.5, 2.75, 3.25):
        reasoner.push(when, is_a("Hot") if when == 0.5 else [])
        seen.append(names(reasoner))
        reasoner.checkpoint(tmp_path / "state")
        reasoner = pr.StreamReasoner.restore(tmp_path / "state", ONTOLOGY)
    assert seen == ["event", "event", "event", ""]


ONTOLOGY_OF_CONCLUSION_NOTES = pr.load_ontology(Graph())


def reasoner_with_of_conclusion_notes(text):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX)})
    return pr.StreamReasoner(ONTOLOGY_OF_CONCLUSION_NOTES, pr.Window(range=0), temporal=rules)


def is_a_of_conclusion_notes(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def test_conclusions_asked_for_again_are_those_of_now():
    reasoner = reasoner_with_of_conclusion_notes(
        "a(X) :- asserted :Hot(X) in [1]. b(X) :- :Cold(X) in [1]. n."
    )
    asked = frozenset()
    for tick, given in enumerate(["Hot", "Cold", "", "Hot", "", "", "Cold"]):
        change = reasoner.push(tick, is_a_of_conclusion_notes(*given.split())).conclusions
        asked, before = reasoner.conclusions(), asked
        assert asked == before - change.removed | change.added
        assert asked == frozenset(concluded_triples(reasoner.atoms()))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(9, is_a_of_conclusion_notes("Hot"))
        assert reasoner.conclusions() != asked
        raise ZeroDivisionError
    assert reasoner.conclusions() == asked


def test_conclusions_that_nobody_asks_for_again_are_not_kept():
    reasoner = reasoner_with_of_conclusion_notes("a(X) :- asserted :Hot(X) in [1].")
    reasoner.conclusions()
    for tick in range(3 * temporal_engine._FEW):
        reasoner.push(tick, [(EX[f"x{tick}"], RDF.type, EX.Hot)])
    assert len(reasoner._held.rule_engine._log._unapplied) <= temporal_engine._FEW + 2
    assert len(reasoner.conclusions()) == 2
