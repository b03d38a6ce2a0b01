"""Heads that come with an event are those of its rules, whatever is said and repaired."""

import random
from dataclasses import replace
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Graph, Literal, Variable

import pantarhei as pr
from counts import cases
from lars_programs import EX, FRAGMENTS, always, at, atom, compared, no, rule, some
from lars_reasoners import case_of, expected, reasoner_for, triple
from oracle.lars.streams import canonical
from pantarhei.temporal import translation

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
    """A rule of one event, of up to two comparisons, and maybe of what it is free of."""
    event, heads = rnd.choice([("c", "ax"), ("e", "ax"), ("d", "axb"), ("v", "axy"), ("v", "axy")])
    arguments = ("X", "Y") if event in "dv" else ("X",)
    name = rnd.choice(heads)
    tests = []
    for _ in range(rnd.choice([0, 0, 1, 1, 2])):
        operands = rnd.sample([rnd.choice(arguments), rnd.choice(LIMITS)], 2)
        test = rnd.choice(["lessThan", "greaterThanOrEqual", "equal", "notEqual"])
        tests.append(compared(operands[0], test, operands[1]))
    head, size = atom(name, *arguments[: 1 if name in "ax" else 2]), rnd.choice([0, 1, 3, 5])
    said = atom(f"asserted {event}", *arguments[:1], *(rnd.choice(["Y", "Y", "i", 1]) for _ in arguments[1:]))
    looked_at = {each for test in tests for each in test.arguments if isinstance(each, Variable)}
    if head.variables | looked_at <= said.variables:
        denied = no(some(atom(rnd.choice(["asserted e", "c"]), "X"), rnd.choice([1, 3])))
        free = [denied] * rnd.choice([0, 0, 1])
        if rnd.random() < 0.5:
            return rule(head, some(said, size), *free, *tests)
        return rule(at("T", head), at("T", said, size), *free, *tests)
    return rule(at("T", head), at("T", atom(f"asserted {event}", *arguments), size), *tests)


def reading_rule(rnd):
    """A rule that looks at what such rules conclude."""
    head, size = atom(rnd.choice(["read", "late"]), "X"), rnd.choice([0, 1, 2, 4])
    read = rnd.choice([atom(name, "X") for name in "ax"] + [atom("y", "X", "Y")])
    return rnd.choice(
        [
            rule(head, always(read, size)),
            rule(at("T", head), at("T", read, size)),
            rule(head, at("T", read, size), compared("T", "notEqual", 3)),
            rule(head, some(read, size)),
            rule(atom("when", "X", "T"), at("T", read, size)),
        ]
    )


def with_selected(rnd, fragment):
    """A random case of a fragment in which some rules are such, and others look at their heads."""
    case = case_of(rnd.randrange(1 << 30), FRAGMENTS[fragment])
    chosen = [selected_rule(rnd) for _ in range(rnd.randint(1, 3))]
    chosen += [reading_rule(rnd) for _ in range(rnd.randint(0, 3))]
    rules = (*chosen, *(case.rules if rnd.random() < 0.7 else ()))
    heads = {each.head.atom.predicate for each in rules}
    return replace(case, rules=rules, remembered=case.remembered & heads)


@settings(max_examples=cases(6, 150, long=5_000), deadline=None)
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
@settings(max_examples=cases(6, 150, long=5_000), deadline=None)
@given(seed=SEEDS)
def test_what_is_repaired_within_a_tick_is_undone_as_with_a_row_for_each_event(seed):
    rnd = random.Random(seed)
    case = with_selected(rnd, rnd.choice(["at in heads", "always", "all"]))
    window = pr.Window(range=rnd.choice([0, 1, 3]))
    if expected(case) is None:
        return
    reasoner = reasoner_for(case, CONTRADICTING, window)
    with patch.object(translation, "unfold", lambda program: program):
        twin = reasoner_for(case, CONTRADICTING, window)
    tick = 0
    for _ in range(14):
        tick += rnd.choice([0, 0, 1, 1, 1, 4])
        abox = [_fact(rnd) for _ in range(rnd.randint(0, 5))]
        changes, others = (each.push(tick, abox).conclusions for each in (reasoner, twin))
        for found, wanted in (
            (changes.atoms_added, others.atoms_added),
            (changes.atoms_removed, others.atoms_removed),
            (reasoner.atoms(), twin.atoms()),
        ):  # by value: of `1` and `1.0` the one that is said first is shown, and ticks are said too
            assert set(map(canonical, found)) == set(map(canonical, wanted)), f"at {tick}\n{case}"


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
