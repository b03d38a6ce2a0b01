"""Heads that come with an event at its own tick are those of its rule, whatever is said and repaired."""

import random
from dataclasses import replace
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal

import pantarhei as pr
from counts import cases
from lars_programs import EX, FRAGMENTS, at, atom, compared, rule
from lars_reasoners import case_of, expected, reasoner_for, triple
from pantarhei.reference.lars.streams import canonical
from pantarhei.temporal import translation
from pantarhei.temporal.selecting import selection_of

SEEDS = st.integers(0, 1 << 30)
LIMITS = [Literal(1), Literal("2.0", datatype=XSD.decimal), Literal("b")]
CONTRADICTING = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    :c owl:disjointWith :e . :d owl:propertyDisjointWith :v ."""
    )
)


def selected_rule(rnd):
    """A rule of one event at its own tick, and of up to two comparisons."""
    event, heads = rnd.choice([("c", "ax"), ("e", "ax"), ("d", "axb"), ("v", "axy"), ("v", "axy")])
    arguments = ("X", "Y") if event in "dv" else ("X",)
    head = rnd.choice(heads)
    tests = []
    for _ in range(rnd.choice([0, 0, 1, 1, 2])):
        operands = rnd.sample([rnd.choice(arguments), rnd.choice(LIMITS)], 2)
        name = rnd.choice(["lessThan", "greaterThanOrEqual", "equal", "notEqual"])
        tests.append(compared(operands[0], name, operands[1]))
    drawn = at("T", atom(head, *arguments[: 1 if head in "ax" else 2]))
    return rule(drawn, at("T", atom(f"asserted {event}", *arguments), rnd.choice([0, 1, 3, 5])), *tests)


def with_selected(rnd, fragment):
    """A random case of a fragment in which some rules are such."""
    case = case_of(rnd.randrange(1 << 30), FRAGMENTS[fragment])
    chosen = [selected_rule(rnd) for _ in range(rnd.randint(1, 3))]
    assert all(map(selection_of, chosen))
    rules = (*chosen, *(case.rules if rnd.random() < 0.7 else ()))
    heads = {each.head.atom.predicate for each in rules}
    return replace(case, rules=rules, remembered=case.remembered & heads)


@settings(max_examples=cases(13, 300, long=5_000), deadline=None)
@given(seed=SEEDS)
def test_each_tick_concludes_what_the_definitions_say(seed):
    rnd = random.Random(seed)
    case = with_selected(rnd, rnd.choice(["at in heads", "always", "tests", "remember", "all"]))
    wanted = expected(case)
    if wanted is None:
        return
    reasoner = reasoner_for(case)
    for tick in case.stream.timeline:
        reasoner.push(tick, [triple(each) for each in case.stream.at(tick) if each.is_asserted])
        if rnd.random() < 0.1:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
        assert set(map(canonical, reasoner.atoms())) == wanted[tick], f"at {tick}\n{case}"


# What further parts of a tick contradict is no event of it any more; states come and go within it too.
@settings(max_examples=cases(13, 300, long=5_000), deadline=None)
@given(seed=SEEDS)
def test_what_is_repaired_within_a_tick_is_undone_as_with_a_row_for_each_event(seed):
    rnd = random.Random(seed)
    case = with_selected(rnd, rnd.choice(["at in heads", "always", "all"]))
    window = pr.Window(range=rnd.choice([0, 1, 3]))
    if expected(case) is None:
        return
    reasoner = reasoner_for(case, CONTRADICTING, window)
    with patch.object(translation, "selection_of", lambda _: None):
        twin = reasoner_for(case, CONTRADICTING, window)
    tick = 0
    for _ in range(14):
        tick += rnd.choice([0, 0, 1, 1, 1, 4])
        abox = [_fact(rnd) for _ in range(rnd.randint(0, 5))]
        changes, others = (each.push(tick, abox).conclusions for each in (reasoner, twin))
        assert changes.atoms_added == others.atoms_added, f"at {tick}\n{case}"
        assert changes.atoms_removed == others.atoms_removed, f"at {tick}\n{case}"
        assert reasoner.atoms() == twin.atoms(), f"at {tick}\n{case}"


def _fact(rnd):
    one, other = (EX[rnd.choice("ijk")] for _ in range(2))
    value = rnd.choice([Literal(1), Literal(2), Literal("1.0", datatype=XSD.decimal), Literal("b"), other])
    return rnd.choice(
        [
            *((one, RDF.type, EX[name]) for name in rnd.choice(["cecea", "ceceax"])),
            (one, EX.d, other),
            (one, EX.v, value),
            (one, EX.v, value),
            (one, EX.y, value),
            (one, EX.b, other),
        ]
    )
