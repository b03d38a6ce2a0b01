"""With all that is concluded remembered, temporal rules mean what DatalogMTL reads in them."""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph

import pantarhei as pr
from counts import cases, of_many
from lars_programs import Part, random_case
from oracle.datalog_mtl import materialize
from oracle.lars.streams import Stream, canonical
from pantarhei.errors import TemporalRuleError
from pantarhei.model.temporal_rule import Mode

NO_AXIOMS = pr.load_ontology(Graph())
FRAGMENT = Part.SOMETIME | Part.ALWAYS | Part.NEGATION
COUNTS = Counter()


def triple(atom):
    subject, *rest = atom.arguments
    return (subject, atom.predicate, rest[0]) if rest else (subject, RDF.type, atom.predicate)


def in_both(rule):
    """The rule, with once for what is counted."""
    return replace(rule, body=tuple(replace(formula, times=1) for formula in rule.body))


def compare(seed):
    """At each tick, what a reasoner concludes and what holds in the whole timeline."""
    case = random_case(random.Random(seed), FRAGMENT, ticks=12)
    rules = tuple(map(in_both, case.rules))
    heads = frozenset(rule.head.atom.predicate for rule in rules)
    told = {
        tick: tuple(dict.fromkeys(replace(atom, is_asserted=False) for atom in case.stream.at(tick)))
        for tick in case.stream.timeline
    }
    both = {
        tick: [*atoms, *(replace(atom, is_asserted=True) for atom in atoms)] for tick, atoms in told.items()
    }
    wanted = materialize(rules, Stream.of(case.stream.start, case.stream.end, both))
    try:
        reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=pr.TemporalRules(rules, heads))
    except TemporalRuleError:
        COUNTS["refused"] += 1
        return
    COUNTS["programs"] += 1
    looks_back = [
        each for rule in rules for each in rule.body if each.atom.predicate in heads and each.window
    ]
    COUNTS["looks back at conclusions"] += any(each.window.size for each in looks_back)
    COUNTS["always over conclusions"] += any(each.mode is Mode.ALWAYS for each in looks_back)
    for tick, atoms in told.items():
        reasoner.push(tick, list(map(triple, atoms)))
        concluded = {atom for atom in wanted[tick] if atom.predicate in heads and not atom.is_asserted}
        assert set(map(canonical, reasoner.atoms())) == concluded, f"at {tick}\n{case}"
        COUNTS["conclusions"] += len(concluded)


@settings(max_examples=cases(6, 150, long=4_000), deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_what_is_remembered_is_what_holds_in_the_whole_timeline(seed):
    compare(seed)


@of_many
def test_the_programs_look_back_at_what_they_conclude():
    COUNTS.clear()
    for seed in range(200):
        compare(seed)
    assert COUNTS["programs"] >= 150 and COUNTS["conclusions"] >= 2_000
    assert COUNTS["looks back at conclusions"] >= 80 and COUNTS["always over conclusions"] >= 15
