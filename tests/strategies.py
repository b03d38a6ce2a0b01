"""Hypothesis strategies for rules, facts, streams and conflicts: few constants, many collisions.

Everything is sampled from finite lists that are built once, simplest first, so that drawing is fast and
shrinking prefers the front of the lists. The world has four classes A to D, two properties R and S, three
individuals a to c, and a data property V with three literals, two of which have equal values.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import TypeVar

from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal, Namespace, URIRef, Variable

from oracle.materialization import is_consistent
from pantarhei.model.rule import Argument, Atom, Different, Rule
from pantarhei.model.term import Term, Triple

EX = Namespace("http://example.org/")
A, B, C, D = CLASSES = (EX.A, EX.B, EX.C, EX.D)
R, S = PROPERTIES = (EX.R, EX.S)
V = EX.V
a, b, c = INDIVIDUALS = (EX.a, EX.b, EX.c)
ONE, ONE_POINT_ZERO, TWO = LITERALS = (
    Literal(1),
    Literal("1.0", datatype=XSD.decimal, normalize=False),
    Literal(2),
)
x, y, z, w = (Variable(name) for name in "xyzw")

# Number of rules with class variables in a set of rules, drawn from this list.
MOST_CLASS_VARIABLES = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)

Drawn = TypeVar("Drawn")
Rules = tuple[Rule, ...]
Facts = frozenset[Triple]
Stream = tuple[tuple[int, Facts], ...]
Element = tuple[int, str]
Hypergraph = tuple[frozenset[Element], frozenset[frozenset[Element]]]


def is_a(class_: URIRef, individual: Argument) -> Atom:
    """Return the atom `class_(individual)`."""
    return Atom(class_, (individual,))


def related(property_: URIRef, subject: Argument, object_: Argument) -> Atom:
    """Return the atom `property_(subject, object_)`."""
    return Atom(property_, (subject, object_))


def member(class_: URIRef, individual: Term) -> Triple:
    """Return the fact `class_(individual)`."""
    return (individual, RDF.type, class_)


def _pairs(things: tuple[URIRef, ...]) -> list[tuple[URIRef, URIRef]]:
    return list(permutations(things, 2))


# One list for each axiom form of OWL 2 RL, with the rules that the axiom translates to for given names.
SUBCLASS = [Rule("cax-sco", (is_a(B1, x),), is_a(H, x)) for B1, H in _pairs(CLASSES)]
INTERSECTION = [
    Rule("cls-int1", tuple(is_a(part, x) for part in parts), is_a(H, x))
    for *parts, H in [(A, B, C), (A, B, D), (B, C, D), (A, D, C), (C, D, A), (A, B, C, D), (B, C, D, A)]
]
SOME_VALUES = [
    Rule("cls-svf1", (related(P, x, y), is_a(B1, y)), is_a(H, x))
    for P, (B1, H) in product(PROPERTIES, [(A, A), (B, B), (A, B), (B, C), (C, D), (D, A)])
]
DOMAIN = [Rule("prp-dom", (related(P, x, y),), is_a(H, x)) for P, H in product(PROPERTIES, (A, B, C))]
RANGE = [Rule("prp-rng", (related(P, x, y),), is_a(H, y)) for P, H in product(PROPERTIES, (A, B, D))]
SUBPROPERTY = [Rule("prp-spo1", (related(P, x, y),), related(Q, x, y)) for P, Q in _pairs(PROPERTIES)]
INVERSE = [Rule("prp-inv1", (related(P, x, y),), related(Q, y, x)) for P, Q in _pairs(PROPERTIES)]
SYMMETRIC = [Rule("prp-symp", (related(P, x, y),), related(P, y, x)) for P in PROPERTIES]
TRANSITIVE = [Rule("prp-trp", (related(P, x, y), related(P, y, z)), related(P, x, z)) for P in PROPERTIES]
CHAIN = [
    Rule("prp-spo2", (related(P, x, y), related(Q, y, z)), related(H, x, z))
    for P, Q, H in [(R, S, R), (R, S, S), (S, S, R), (S, R, R)]
] + [
    Rule("prp-spo2", (related(P, x, y), related(Q, y, z), related(Q2, z, w)), related(H, x, w))
    for P, Q, Q2, H in [(R, S, R, S), (R, R, R, S), (S, R, R, R)]
]
HAS_VALUE = [
    *(Rule("cls-hv1", (is_a(B1, x),), related(P, x, i)) for B1, P, i in [(A, R, a), (B, S, b), (D, R, c)]),
    *(Rule("cls-hv2", (related(P, x, i),), is_a(H, x)) for P, i, H in [(R, a, B), (S, b, C), (R, c, A)]),
]
ALL_VALUES = [
    Rule("cls-avf", (is_a(B1, x), related(P, x, y)), is_a(H, y))
    for P, (B1, H) in product(PROPERTIES, [(A, A), (A, B), (B, C), (C, D)])
]

DISJOINT_CLASSES = [
    Rule("cax-dw", (is_a(B1, x), is_a(B2, x)), None) for B1, B2 in [(A, B), (A, C), (B, C), (C, D)]
]
NO_TRIPLE_INTERSECTION = [
    Rule("cls-com", tuple(is_a(part, x) for part in parts), None)
    for parts in [(A, B, C), (A, B, D), (B, C, D)]
]
DISJOINT_PROPERTIES = [Rule("prp-pdw", (related(R, x, y), related(S, x, y)), None)]
IRREFLEXIVE = [Rule("prp-irp", (related(P, x, x),), None) for P in PROPERTIES]
ASYMMETRIC = [Rule("prp-asyp", (related(P, x, y), related(P, y, x)), None) for P in PROPERTIES]
FUNCTIONAL = [
    Rule("prp-fp", (related(P, x, y), related(P, x, z)), None, (Different(y, z),)) for P in PROPERTIES
]
INVERSE_FUNCTIONAL = [
    Rule("prp-ifp", (related(P, x, z), related(P, y, z)), None, (Different(x, y),)) for P in PROPERTIES
]
NOTHING_WITH_VALUE = [Rule("cls-com", (is_a(D, x), related(R, x, a)), None)]

# Constraints that no finite set of conditions on assertions can replace (PB26 Example 5).
RECURSIVE = [
    (
        Rule("cls-svf1", (related(P, x, y), is_a(B1, y)), is_a(B1, x)),
        Rule("cax-dw", (is_a(A, x), is_a(B1, x)), None),
    )
    for P, B1 in product(PROPERTIES, (B, C))
]

# Rules over the data property V; rule constants and facts have different lexical forms of equal values.
OVER_LITERALS = [
    Rule("cls-hv2", (related(V, x, ONE),), is_a(A, x)),
    Rule("cls-hv1", (is_a(B, x),), related(V, x, ONE_POINT_ZERO)),
    Rule("prp-dom", (related(V, x, y),), is_a(C, x)),
    Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),)),
    Rule("cls-com", (is_a(D, x), related(V, x, TWO)), None),
]

# Rules with class variables: axioms that use rdf:type as a property, whose values here include names.
TYPE = RDF.type
CLASS_VARIABLES = [
    Rule("prp-spo1", (related(R, x, y),), related(TYPE, x, y)),
    Rule("prp-spo1", (related(TYPE, x, y),), related(S, x, y)),
    Rule("prp-inv1", (related(S, x, y),), related(TYPE, y, x)),
    Rule("prp-inv1", (related(TYPE, x, y),), related(R, y, x)),
    Rule("prp-spo1", (related(V, x, y),), related(TYPE, x, y)),
    Rule("prp-dom", (related(TYPE, x, y),), is_a(D, x)),
    Rule("prp-rng", (related(TYPE, x, y),), is_a(C, y)),
    Rule("prp-spo2", (related(TYPE, x, y), related(S, y, z)), related(TYPE, x, z)),
    Rule("prp-spo2", (related(R, x, y), related(TYPE, y, z)), related(TYPE, x, z)),
    Rule("prp-spo2", (related(TYPE, x, y), related(TYPE, y, z)), related(R, x, z)),
    Rule("prp-trp", (related(TYPE, x, y), related(TYPE, y, z)), related(TYPE, x, z)),
    Rule("prp-symp", (related(TYPE, x, y),), related(TYPE, y, x)),
    Rule("cls-svf1", (related(TYPE, x, y), is_a(C, y)), is_a(B, x)),
    Rule("cls-avf", (is_a(B, x), related(TYPE, x, y)), is_a(C, y)),
    Rule("pr-self", (related(TYPE, x, x),), is_a(A, x)),
    Rule("prp-fp", (related(TYPE, x, y), related(TYPE, x, z)), None, (Different(y, z),)),
    Rule("prp-ifp", (related(TYPE, x, z), related(TYPE, y, z)), None, (Different(x, y),)),
    Rule("prp-irp", (related(TYPE, x, x),), None),
    Rule("prp-asyp", (related(TYPE, x, y), related(TYPE, y, x)), None),
    Rule("prp-pdw", (related(R, x, y), related(TYPE, x, y)), None),
]

DERIVING_RULES = [
    *SUBCLASS, *INTERSECTION, *SOME_VALUES, *DOMAIN, *RANGE, *SUBPROPERTY, *INVERSE, *SYMMETRIC, *TRANSITIVE,
    *CHAIN, *HAS_VALUE, *ALL_VALUES,
]  # fmt: skip
CONSTRAINTS = [
    *DISJOINT_CLASSES, *NO_TRIPLE_INTERSECTION, *DISJOINT_PROPERTIES, *IRREFLEXIVE, *ASYMMETRIC, *FUNCTIONAL,
    *INVERSE_FUNCTIONAL, *NOTHING_WITH_VALUE,
]  # fmt: skip
CLASS_FACTS = [member(class_, individual) for individual, class_ in product(INDIVIDUALS, CLASSES)]
PROPERTY_FACTS: list[Triple] = [(s, P, o) for s, o, P in product(INDIVIDUALS, INDIVIDUALS, PROPERTIES)]
PROPERTY_FACTS += [(a, R, A), (b, R, B), (A, S, b), (A, S, C)]
LITERAL_FACTS: list[Triple] = [(s, V, o) for s, o in product((a, b), LITERALS)]


def deriving_rules(max_size: int = 12) -> st.SearchStrategy[Rules]:
    """Draw rules with a head."""
    return _list_of(st.sampled_from(DERIVING_RULES), max_size).map(_each_once)


def constraints(max_size: int = 6) -> st.SearchStrategy[Rules]:
    """Draw constraints, with the recursive rules on which they depend."""
    groups = [(constraint,) for constraint in CONSTRAINTS] + RECURSIVE
    return _list_of(st.sampled_from(groups), max_size).map(lambda drawn: _each_once(sum(drawn, ())))


def class_variables() -> st.SearchStrategy[Rules]:
    """Draw one or two rules with class variables in a seventh of the cases, otherwise none."""
    drawn = st.sampled_from(CLASS_VARIABLES)
    return st.sampled_from(MOST_CLASS_VARIABLES).flatmap(
        lambda most: st.lists(drawn, min_size=most, max_size=most).map(tuple)
    )


def rules(max_rules: int = 12, max_constraints: int = 6, literals: bool = False) -> st.SearchStrategy[Rules]:
    """Draw rules and constraints that OWL 2 RL axioms translate to, a seventh with class variables; with
    `literals` also over V.
    """
    parts = [deriving_rules(max_rules), constraints(max_constraints), class_variables()]
    if literals:
        parts.append(st.lists(st.sampled_from(OVER_LITERALS), max_size=3).map(tuple))
    return st.tuples(*parts).map(lambda drawn: _each_once(sum(drawn, ())))


def fact(literals: bool = False) -> st.SearchStrategy[Triple]:
    """Draw one fact: class and property assertions are equally likely."""
    choices = [CLASS_FACTS, PROPERTY_FACTS] + [LITERAL_FACTS] * literals
    return st.one_of(*map(st.sampled_from, choices))


def facts(max_size: int = 6, literals: bool = False) -> st.SearchStrategy[Facts]:
    """Draw a set of facts."""
    return _list_of(fact(literals), max_size).map(frozenset)


@st.composite
def streams(
    draw: st.DrawFn, max_length: int = 6, max_assertions: int = 8, literals: bool = False, first: int = 0
) -> Stream:
    """Draw ABoxes in time order, with gaps: pairs of a timestamp and a set of facts, possibly empty.

    The facts are from a small pool, so that many are asserted repeatedly. There are at most `max_assertions`
    in all.
    """
    pool = draw(_list_of(fact(literals), 8, min_size=2))
    arrivals = draw(
        _list_of(st.tuples(st.sampled_from((1, 1, 2, 3)), _list_of(st.sampled_from(pool), 4)), max_length)
    )
    at, left, stream = first - 1, max_assertions, []
    for gap, drawn in arrivals:
        at, arrived = at + gap, frozenset(drawn[:left])
        left -= len(arrived)
        stream.append((at, arrived))
    return tuple(stream)


def aboxes(
    max_length: int = 6, max_assertions: int = 8, literals: bool = False
) -> st.SearchStrategy[dict[int, Facts]]:
    """Draw the ABoxes of one window, by timestamp."""
    return streams(max_length, max_assertions, literals).map(dict)


def backgrounds(rules: Rules, max_size: int = 3, literals: bool = False) -> st.SearchStrategy[Facts]:
    """Draw facts that are consistent with `rules`: the longest consistent prefix of a drawn list."""

    def consistent_start(drawn: list[Triple]) -> Facts:
        while not is_consistent(rules, drawn):
            drawn = drawn[:-1]
        return frozenset(drawn)

    return _list_of(fact(literals), max_size).map(consistent_start)


@st.composite
def ontologies(draw: st.DrawFn, literals: bool = False) -> tuple[Rules, Facts]:
    """Draw rules and a background that is consistent with them, often empty."""
    drawn = draw(rules(literals=literals))
    return drawn, draw(st.just(frozenset()) | backgrounds(drawn, literals=literals))


@st.composite
def worlds(draw: st.DrawFn, size: int = 8) -> tuple[Rules, Facts, list[Triple]]:
    """Draw rules, a consistent background, and a pool of facts, most of which match atoms in the rules."""
    drawn = draw(
        rules(draw(st.sampled_from((2, 5, 9, 14))), draw(st.sampled_from((1, 1, 2, 4))), literals=True)
    )
    background = draw(st.just(frozenset()) | backgrounds(drawn, literals=True))
    few = draw(st.sampled_from(((a,), (a, b), (a, b), INDIVIDUALS)))
    matching = sorted(
        {
            atom.ground(dict(zip((x, y, z, w), values, strict=True)))
            for each in drawn
            for atom in each.body
            for values in product(few, repeat=4)
            if V not in (atom.predicate,)
        }
    )
    any_fact = fact(literals=True)
    facts_of_rules = st.sampled_from(matching) if matching else any_fact
    pool = [draw(facts_of_rules if number < size - 2 else any_fact) for number in range(size)]
    return drawn, background, pool


ELEMENTS: list[Element] = [(at, f"e{number}") for number, at in enumerate((3, 3, 3, 2, 2, 2, 1, 1, 1))]


@st.composite
def conflict_hypergraphs(draw: st.DrawFn, max_conflicts: int = 7) -> Hypergraph:
    """Draw timed elements, and conflict sets of one to four elements, none of which contains another."""
    conflict = _list_of(st.sampled_from(ELEMENTS), 4, min_size=1).map(frozenset)
    drawn = set(draw(_list_of(conflict, max_conflicts)))
    conflicts = frozenset(each for each in drawn if not any(other < each for other in drawn))
    without_conflict = draw(st.lists(st.sampled_from(ELEMENTS), max_size=3))
    return frozenset(without_conflict).union(*conflicts), conflicts


def _list_of(
    elements: st.SearchStrategy[Drawn], max_size: int, min_size: int = 0
) -> st.SearchStrategy[list[Drawn]]:
    """Draw lists with uniformly distributed lengths, where `st.lists` favours short ones."""
    sizes = st.sampled_from(range(min_size, max_size + 1))
    return sizes.flatmap(lambda size: st.lists(elements, min_size=size, max_size=size))


def _each_once(drawn: list[Rule] | Rules) -> Rules:
    return tuple(dict.fromkeys(drawn))
