"""What follows the names that there are: engine and reference side by side, the rules written out by hand.

Rules about every owl:Thing, for each predicate that comes; the empty class and properties; unique names, and
names that the background declares to be one.
"""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, BNode

from counts import cases, of_many
from oracle.canonical_literals import canonical_triple
from oracle.materialization import is_consistent
from pantarhei import InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Different, Rule
from strategies import (
    EX,
    LITERALS,
    OVER_LITERALS,
    TYPE,
    A,
    B,
    C,
    D,
    R,
    S,
    V,
    a,
    b,
    c,
    is_a,
    member,
    related,
    rules,
    x,
    y,
    z,
)
from worlds import SideBySide, arrivals, windows

STEPS = Counter()
THING, NOTHING, SAME, DIFFERENT = OWL.Thing, OWL.Nothing, OWL.sameAs, OWL.differentFrom
NEW, LINKED = EX.New, EX.linked  # no rule speaks of them
CLASSES, PROPERTIES = (A, B, C, D, NEW), (R, S, V, LINKED, SAME, DIFFERENT)
NAMES = (a, b, c)
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])

# -- what is said of all predicates ----------------------------------------------------------------

EVERYTHING = (
    Rule("pr-thing", (related(TYPE, x, y),), is_a(THING, x)),
    *(Rule("pr-thing", (related(P, x, y),), is_a(THING, x)) for P in PROPERTIES),
    *(Rule("pr-thing", (related(P, x, y),), is_a(THING, y)) for P in PROPERTIES),
)
DENIED = (
    Rule("cls-nothing2", (is_a(NOTHING, x),), None),
    Rule("pr-empty", (related(OWL.bottomObjectProperty, x, y),), None),
    Rule("pr-empty", (related(OWL.bottomDataProperty, x, y),), None),
    Rule("eq-diff1", (related(DIFFERENT, x, x),), None),
    Rule("pr-unique", (related(SAME, x, y),), None, (Different(x, y),)),
)
OF_THINGS = [
    Rule("cax-sco", (is_a(THING, x),), is_a(C, x)),
    Rule("pr-reflexive", (is_a(THING, x),), related(R, x, x)),
    Rule("cls-hv1", (is_a(THING, x),), related(S, x, a)),
    Rule("cls-com", (is_a(THING, x), related(S, x, x)), None),
    Rule("cls-svf1", (is_a(THING, x), related(LINKED, x, y)), is_a(B, x)),
    Rule("pr-oneof", (is_a(THING, x),), None, (Different(x, a), Different(x, b))),
    Rule("cls-nothing2", (is_a(THING, x), is_a(D, x)), None),
]

FACTS = st.one_of(
    st.sampled_from([member(each, name) for name, each in product(NAMES, (*CLASSES, THING))]),
    st.sampled_from([(one, P, other) for one, other, P in product(NAMES, NAMES, (R, S, LINKED))]),
    st.sampled_from([(name, V, value) for name, value in product((a, b), LITERALS)]),
)
DENIED_FACTS = st.sampled_from(
    [
        member(NOTHING, a),
        (a, OWL.bottomObjectProperty, b),
        (b, OWL.bottomDataProperty, LITERALS[0]),
        (a, DIFFERENT, b),
        (b, DIFFERENT, b),
        (a, SAME, b),
        (c, SAME, c),
    ]
)


def consistent(rules, background):
    while not is_consistent(rules, background):
        background = background[:-1]
    return background


@both_ways
@given(
    some=rules(3, 2, literals=True),
    of_things=st.lists(st.sampled_from(OF_THINGS), max_size=3, unique=True),
    given=st.lists(FACTS, max_size=2),
    pool=st.lists(FACTS, min_size=6, max_size=7),
    last=st.one_of(FACTS, DENIED_FACTS),
    window=windows,
    arrivals=arrivals,
)
@settings(max_examples=cases(18, 200), deadline=None)
def test_every_name_is_a_thing_where_that_is_asked(
    keep, some, of_things, given, pool, last, window, arrivals
):
    chosen = (*some, *of_things)
    asked = any(atom.predicate == THING for rule in chosen for atom in rule.body)
    written = (*chosen, *DENIED, *(EVERYTHING if asked else ()))
    background = consistent(written, given)
    try:
        ontology = Ontology.from_rules(chosen)
    except InconsistentOntologyError:
        assert asked, "there is always something, and there the rules contradict each other"
        reject()
    reasoner = StreamReasoner(ontology, Window(*window), background, keep=keep)
    both = SideBySide(reasoner, written, background)
    both.follow([*pool, last], arrivals)
    STEPS[keep, "things"] += both.steps


# -- names that are one ----------------------------------------------------------------------------

NODE = BNode("n")
GROUPS = {
    ((a, SAME, b),): {b: a},
    ((b, SAME, a), (c, SAME, b)): {b: a, c: a},
    ((c, SAME, b),): {c: b},
    ((c, SAME, NODE), (a, SAME, a)): {NODE: c},
    ((NODE, SAME, a), (NODE, SAME, c)): {NODE: a, c: a},
}
OF_NAMES = [
    Rule("cls-hv1", (is_a(A, x),), related(R, x, b)),
    Rule("cls-hv2", (related(R, x, a),), is_a(B, x)),
    Rule("cls-hv2", (related(S, x, c),), is_a(A, x)),
    Rule("cls-oo", (related(R, c, x),), is_a(D, x)),
    Rule("prp-npa1", (related(S, b, c),), None),
    Rule("pr-oneof", (is_a(D, x),), None, (Different(a, x), Different(b, x))),
    Rule("prp-fp", (related(R, x, y), related(R, x, z)), None, (Different(y, z),)),
    Rule("prp-ifp", (related(S, x, z), related(S, y, z)), None, (Different(x, y),)),
    Rule("prp-irp", (related(S, x, x),), None),
    *OVER_LITERALS,
]
MORE_NAMES = (*NAMES, NODE)
NAMED_FACTS = st.one_of(
    st.sampled_from([member(each, name) for name, each in product(MORE_NAMES, CLASSES)]),
    st.sampled_from([(s, P, o) for s, o, P in product(MORE_NAMES, MORE_NAMES, (R, S, LINKED))]),
    st.sampled_from([(name, V, value) for name, value in product(MORE_NAMES, LITERALS)]),
    st.sampled_from([(s, P, o) for s, o, P in product(MORE_NAMES, MORE_NAMES, (SAME, DIFFERENT))]),
)


def merged_atom(atom, first):
    return Atom(atom.predicate, tuple(first.get(argument, argument) for argument in atom.arguments))


def merged(rule, first):
    """The rule with the first name of each group in place of the others."""
    return Rule(
        rule.name,
        tuple(merged_atom(atom, first) for atom in rule.body),
        rule.head and merged_atom(rule.head, first),
        tuple(Different(first.get(d.left, d.left), first.get(d.right, d.right)) for d in rule.different),
    )


@both_ways
@given(
    chosen=st.lists(st.sampled_from(OF_NAMES), max_size=6, unique=True),
    same=st.sampled_from(list(GROUPS)),
    given=st.lists(NAMED_FACTS, max_size=3),
    pool=st.lists(NAMED_FACTS, min_size=7, max_size=8),
    window=windows,
    arrivals=arrivals,
)
@settings(max_examples=cases(18, 200), deadline=None)
def test_names_declared_to_be_one_are_one(keep, chosen, same, given, pool, window, arrivals):
    first = GROUPS[same]

    def meaning(triple):
        who, predicate, what = triple
        named = predicate == RDF.type
        return canonical_triple((first.get(who, who), predicate, what if named else first.get(what, what)))

    written = (*(merged(rule, first) for rule in chosen), *DENIED)
    given = [triple for triple in given if triple[1] != SAME]
    given = given[: len(consistent(written, list(map(meaning, given))))]
    # what only says that merged names are one is no fact
    alone = [triple for triple in same if meaning(triple)[0] not in first.values()]
    reasoner = StreamReasoner(Ontology.from_rules(chosen, same), Window(*window), given, keep=keep)
    both = SideBySide(reasoner, written, [*given, *alone], meaning)
    both.follow(pool, arrivals)
    STEPS[keep, "merged"] += both.steps


@of_many
def test_there_were_enough_steps():
    if len(STEPS) < 4:
        pytest.skip("not everything was tested both ways")
    assert sum(STEPS.values()) >= 2000
