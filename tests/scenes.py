"""Small worlds for reasoners with every option: equal names, values in several lexical forms, data ranges,
computations, blank nodes, and steps that push from a pool of facts.
"""

import pyarrow as pa
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef

from pantarhei import Budget
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Builtin, Different, Member, Rule
from ranges import literal
from strategies import EX, A, B, C, R, S, V, a, b, c, is_a, member, related, worlds, x, y, z

W, COPY = EX.W, EX.copy
SWRLB = "http://www.w3.org/2003/11/swrlb#"
FORMS = [
    [literal(text, XSD.integer) for text in ("1", "01", "+1")] + [literal("1.0", XSD.decimal)],
    [literal(text, XSD.boolean) for text in ("0", "false")],
    [literal("", XSD.string), Literal("")],
    [Literal("un", lang="fr"), Literal("one")],
    [literal(f"2026-01-01T{text}", XSD.dateTime) for text in ("00:00:00Z", "01:00:00+01:00")],
    [literal("one", XSD.integer), literal("two", EX.unknown)],
]
HOT = DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(1)),))
OVER_FORMS = [
    Rule("prp-spo1", (related(V, x, y),), related(COPY, x, y)),
    Rule("prp-spo2", (related(R, x, y), related(V, y, z)), related(W, x, z)),
    Rule("cls-hv1", (is_a(A, x),), related(V, x, literal("001", XSD.integer))),
    Rule("prp-ifp", (related(W, x, z), related(W, y, z)), None, (Different(x, y),)),
    Rule("cls-com", (related(COPY, x, y), is_a(B, x)), None),
    Rule("cls-svf1", (related(V, x, y),), is_a(C, x), tests=(Member(y, HOT),)),
    Rule("pr-thing", (is_a(OWL.Thing, x),), is_a(B, x)),
    Rule(
        "swrl",
        (related(V, x, y),),
        related(W, x, z),
        tests=(Builtin(URIRef(SWRLB + "add"), (z, y, literal("1", XSD.integer))),),
    ),
]
NODES = [BNode("one"), BNode("two")]
OTHERS = [
    member(A, a), member(B, a), member(B, b), (a, R, b), (b, R, a), (c, S, a), (NODES[0], R, NODES[1]),
    (NODES[0], RDF.type, A), (NODES[1], V, Literal(2)), (a, OWL.sameAs, b), (a, OWL.differentFrom, c),
    (c, RDF.type, OWL.Nothing), (a, R, NODES[0]),
]  # fmt: skip


@st.composite
def scenes(draw):
    """Draw an ontology, options, and a pool of facts."""
    rules, background, pool = draw(worlds(6))
    rules += tuple(draw(st.lists(st.sampled_from(OVER_FORMS), max_size=3, unique=True)))
    values = [v for forms in draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=2)) for v in forms]
    literals = st.tuples(st.sampled_from((a, b)), st.sampled_from((V, V, COPY, W)), st.sampled_from(values))
    pool += draw(st.lists(st.one_of(literals, literals, st.sampled_from(OTHERS)), min_size=8, max_size=10))
    given = draw(st.lists(st.one_of(st.sampled_from(pool)), max_size=2))
    options = {
        "repair": draw(st.sampled_from(("exact", "exact", "grounded", "algorithm3", "off"))),
        "keep": draw(st.sampled_from(("newest", "newest", "every"))),
        "unique_names": draw(st.sampled_from((True, True, False))),
        "budget": draw(st.sampled_from((None, None, Budget(sets=2, steps=20, instances=8)))),
        "background": given,
    }
    return rules, background, pool, options


steps = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 1, 1, 1, 2, 4)),
        st.one_of(st.none(), *[st.lists(st.integers(0, 15), max_size=5)] * 4),
        st.booleans(),  # push as a table
        st.sampled_from((True, False, False)),  # save and restore before the step
    ),
    min_size=3,
    max_size=12,
)


def table(triples):
    columns = ("subject", "predicate", "object")
    return pa.table(
        {name: pa.array([t[i].n3() for t in triples], pa.string()) for i, name in enumerate(columns)}
    )
