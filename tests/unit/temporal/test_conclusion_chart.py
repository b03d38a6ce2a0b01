"""Pictures of temporal rules over time."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal

import pantarhei as pr
from pantarhei.errors import DeltaNotKeptError, OptionError, TimestampError
from pantarhei.proofs.interval_chart import CONCLUDED, FOUND, KEPT
from pantarhei.temporal.conclusion_chart import ObservedFacts
from strategies import EX
from svg_checks import SVG, assert_apart

RULES = pr.load_rules(f"""
    @prefix : <{EX}> .
    :Alarm(X) :- :HotVessel(X) always in [2], asserted :reads(X, V) in [2], not :ServicedVessel(X) in [2].
    :Quiet(X) :- :KnownVessel(X), not :Alarm(X).
""")
ONTOLOGY = pr.load_ontology(Graph())
KNOWN, HOT, SERVICED = (
    (EX.v1, RDF.type, EX[name]) for name in ("KnownVessel", "HotVessel", "ServicedVessel")
)


def updates(aboxes, **options):
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(0), temporal=RULES, **options)
    return [reasoner.push(at, abox) for at, abox in enumerate(aboxes)]


#   at:      0   1   2   3   4   5   6
#   hot          [---------------)
#   reads        .   .   .   .   .
#   alarm                [---)              serviced at 4
STEPS = [
    [KNOWN],
    *([KNOWN, HOT, (EX.v1, EX.reads, Literal(value))] for value in range(3)),
    [KNOWN, HOT, SERVICED, (EX.v1, EX.reads, Literal(3))],
    [KNOWN, (EX.v1, EX.reads, Literal(4))],
    [KNOWN],
]


def atoms(observed, name, are_events=False):
    return observed.of(EX[name], are_events)


def test_conclusions_and_states_have_intervals_and_events_have_times():
    observed = ObservedFacts(RULES.rules, updates(STEPS))
    assert observed.intervals(atoms(observed, "HotVessel")) == ((1, 5),)
    assert observed.intervals(atoms(observed, "Alarm")) == ((3, 4),)
    assert observed.intervals(atoms(observed, "Quiet")) == ((0, 3), (4, None))
    assert observed.times(atoms(observed, "reads", True)) == (1, 2, 3, 4, 5)
    assert {str(atom) for atom in observed.concluded} == {"Alarm(v1)", "Quiet(v1)"}


def drawn(svg):
    root = ElementTree.fromstring(svg)
    bars = [bar for bar in root.iter(f"{SVG}rect") if len(bar)]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    return [(bar.get("fill"), bar[0].text) for bar in bars], texts


def test_conclusions_are_drawn_above_their_conditions():
    bars, texts = drawn(RULES.to_svg(updates(STEPS)))
    assert bars == [
        *((CONCLUDED, "from 3 to 4"), (KEPT, "from 1 to 5"), (FOUND, "from 4 to 5")),
        *((CONCLUDED, "from 0 to 3"), (CONCLUDED, "from 4"), (KEPT, "from 0"), (FOUND, "from 3 to 4")),
    ]
    assert "2 conclusions from 0 to 6" in texts
    assert "Quiet(X) :- KnownVessel(X), not Alarm(X)." in texts
    assert "not: v1 is a serviced vessel" in texts
    assert any(text.endswith("and 4 other values") for text in texts)


def test_a_picture_can_begin_later_than_the_stream():
    bars, texts = drawn(RULES.to_svg(updates(STEPS), since=5))
    assert bars == [(CONCLUDED, "from 5"), (KEPT, "from 5")]
    assert "2 conclusions from 5 to 6" in texts


def test_labels_are_shown():
    assert (
        "the first vessel is a hot vessel"
        in drawn(RULES.to_svg(updates(STEPS), {EX.v1: "the first vessel"}))[1]
    )


@pytest.mark.parametrize("derive", ["all", "needed"])
def test_names_with_equal_labels_are_drawn_apart(derive):
    label = "<http://www.w3.org/2000/01/rdf-schema#label> 'vessel'"
    ontology = pr.load_ontology(Graph().parse(data=f"<{EX.v1}> {label} . <{EX.v2}> {label} ."))
    rules = pr.load_rules(f"@prefix : <{EX}> . :Read(X) :- asserted :reads(X, V).")
    reasoner = pr.StreamReasoner(ontology, pr.Window(0), temporal=rules, derive=derive)
    texts = drawn(rules.to_svg([reasoner.push(0, [(v, EX.reads, Literal(1)) for v in (EX.v1, EX.v2)])]))[1]
    assert {"vessel (v1) reads 1", "vessel (v2) reads 1", "vessel (v1) is a read"} <= set(texts)


def test_a_picture_needs_updates():
    with pytest.raises(OptionError, match="updates=no update is invalid: expected at least one"):
        RULES.to_svg([])
    with pytest.raises(OptionError, match="no update at or after 9"):
        RULES.to_svg(updates(STEPS), since=9)
    with pytest.raises(TimestampError):
        RULES.to_svg(updates(STEPS), since="soon")
    with pytest.raises(DeltaNotKeptError):
        RULES.to_svg(updates(STEPS, derive="needed"))


VESSELS = st.sampled_from([EX.v1, EX.v2])
FACTS = st.tuples(
    VESSELS, st.just(RDF.type), st.sampled_from([EX.HotVessel, EX.KnownVessel, EX.ServicedVessel])
)


@given(st.lists(st.sets(FACTS, max_size=4), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_intervals_are_those_of_the_conclusions(aboxes):
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(1), temporal=RULES)
    held, steps = {}, []
    for at, abox in enumerate(aboxes):
        steps.append(reasoner.push(at, sorted(abox)))
        held[at] = reasoner.atoms()
    observed = ObservedFacts(RULES.rules, steps)
    for at, atoms_now in held.items():
        covering = {
            atom
            for atom in observed.concluded
            for start, end in observed.intervals([atom])
            if start <= at and (end is None or at < end)
        }
        assert covering == atoms_now
    assert_apart(RULES.to_svg(steps))
