"""Axioms with their meaning without unique names, and the definition of equality, written out by hand.

The definition consists of the rules of the OWL 2 RL/RDF table for equality, for each symbol of the world:
eq-sym, eq-trans, eq-rep-s, eq-rep-o, eq-diff1. Reflexive equality is not derived. Predicates without rules
occur only in the stream.
"""

from itertools import product

from rdflib import OWL, RDFS, XSD, Literal

from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Different, Member, Rule
from strategies import EX, A, B, C, D, R, S, V, a, b, c, is_a, related, w, x, y, z

SAME, DIFFERENT = OWL.sameAs, OWL.differentFrom
NEW, LINKED = EX.New, EX.linked  # in no rule
CLASSES, PROPERTIES = (A, B, C, D, NEW), (R, S, V, LINKED, DIFFERENT)
ANY_LITERAL = Datatype(RDFS.Literal)


def literal(text, datatype=XSD.integer):
    return Literal(text, datatype=datatype, normalize=False)


# -- the definition of equality ------------------------------------------------------------------------------

EQUALITY = (
    Rule("eq-sym", (related(SAME, x, y),), related(SAME, y, x)),
    Rule("eq-trans", (related(SAME, x, y), related(SAME, y, z)), related(SAME, x, z), (Different(x, z),)),
    *(Rule("eq-rep-s", (related(SAME, x, y), is_a(each, x)), is_a(each, y)) for each in CLASSES),
    *(Rule("eq-rep-s", (related(SAME, x, y), related(P, x, z)), related(P, y, z)) for P in PROPERTIES),
    # inverted, since only an IRI can be a subject: equality does not apply to literals
    *(Rule("eq-rep-o", (related(SAME, y, x), related(P, z, x)), related(P, z, y)) for P in PROPERTIES),
    Rule("eq-diff1", (related(SAME, x, y), related(DIFFERENT, x, y)), None),
    Rule("eq-diff1", (related(DIFFERENT, x, x),), None),
    Rule("pr-different", (related(DIFFERENT, x, y),), related(DIFFERENT, y, x)),
)


def merging(name, body, one, other):
    """Return a constraint of the unique name assumption, and the equality that replaces it without unique
    names.
    """
    both_literals = (Member(one, ANY_LITERAL), Member(other, ANY_LITERAL))
    return Rule(name, body, None, (Different(one, other),)), (
        Rule(name, body, related(SAME, one, other), (Different(one, other),)),
        Rule(name, body, None, (Different(one, other),), tests=both_literals),
    )


def alone(rule):
    return rule, (rule,)


TWO_R, TWO_S = (related(R, x, y), related(R, x, z)), (related(S, x, y), related(S, x, z))
AXIOMS = [
    merging("prp-fp", TWO_R, y, z),
    merging("prp-fp", (related(V, x, y), related(V, x, z)), y, z),
    merging("prp-ifp", (related(S, x, z), related(S, y, z)), x, y),
    merging("prp-ifp", (related(V, x, z), related(V, y, z)), x, y),
    merging("cls-maxc2", (is_a(A, x), *TWO_S), y, z),
    merging("cls-maxqc3", (is_a(B, x), *TWO_S, is_a(C, y), is_a(C, z)), y, z),
    merging("prp-key", (is_a(A, x), is_a(A, y), related(V, x, w), related(V, y, w)), x, y),
    merging(
        "prp-key",
        (is_a(B, x), is_a(B, y), related(V, x, w), related(V, y, w), related(R, x, z), related(R, y, z)),
        x,
        y,
    ),
    merging("pr-oneof", (is_a(C, x),), x, a),
    (
        Rule("pr-oneof", (is_a(D, x),), None, (Different(a, x), Different(b, x))),
        (Rule("pr-oneof", (is_a(D, x), related(DIFFERENT, a, x), related(DIFFERENT, b, x)), None),),
    ),
    (
        Rule("pr-swrl", TWO_S, is_a(B, x), (Different(y, z),)),
        (Rule("pr-swrl", (*TWO_S, related(DIFFERENT, y, z)), is_a(B, x)),),
    ),
    *map(
        alone,
        [
            Rule("cax-dw", (is_a(A, x), is_a(D, x)), None),
            Rule("prp-pdw", (related(R, x, y), related(S, x, y)), None),
            Rule("prp-irp", (related(S, x, x),), None),
            Rule("prp-npa1", (related(R, a, c),), None),
            Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
            Rule("cls-svf1", (related(S, x, y), is_a(C, y)), is_a(A, x)),
            Rule("prp-trp", (related(S, x, y), related(S, y, z)), related(S, x, z)),
            Rule("prp-spo1", (related(S, x, y),), related(R, x, y)),
            Rule("cls-hv1", (is_a(C, x),), related(R, x, b)),
            Rule("cls-hv2", (related(V, x, literal("1.0", XSD.decimal)),), is_a(A, x)),
            Rule("pr-same", (related(R, x, y),), related(SAME, x, y)),
            Rule("pr-different", (is_a(A, x), is_a(B, y), related(S, x, y)), related(DIFFERENT, x, y)),
        ],
    ),
]

# -- facts -----------------------------------------------------------------------------------------

NAMES = (a, b, c)
PAIRS = [(a, b), (b, c), (c, a), (b, a), (a, a)]
VALUES = [literal("1"), literal("01"), literal("1.0", XSD.decimal), literal("2"), literal("1", XSD.double)]


def matching(rules, names):
    """Return the facts over `names` that match body atoms of `rules`."""
    for atom in dict.fromkeys(atom for rule in rules for atom in rule.body):
        for values in product(names, repeat=4):
            fact = atom.ground(dict(zip((x, y, z, w), values, strict=True)))
            if atom.predicate == V:
                yield from ((fact[0], V, value) for value in VALUES)
            else:
                yield fact
