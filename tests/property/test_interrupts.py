"""An interrupt at any line of a step leaves the reasoner as it was, or as after the whole step."""

from contextlib import suppress
from functools import cache, partial

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, Variable

import pantarhei
import pantarhei.encoding.given_forms as forms
import pantarhei.encoding.vocabulary as vocabulary
import pantarhei.engine.limited_step as attempts
import pantarhei.engine.maintained_state as upkeep
import pantarhei.engine.stream_state as holdings
import pantarhei.materialized as materialized_module
import pantarhei.reasoner as reasoner_module
import pantarhei.rules.compilation.program as growth
from counts import some
from interrupting import interrupted
from pantarhei import ABoxMaterializer, InvalidTripleError, Ontology, StreamReasoner, Window, load_ontology
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Atom, Builtin, Member, Rule
from pantarhei.rdf.ntriples import write_term
from pantarhei.values.scalar_functions import SWRLB
from ranges import literal
from strategies import EX, V
from worlds import interpretations

# Rules are compiled, literals understood and cuts chosen by functions that keep nothing.
HOUSE = pantarhei.__file__.removesuffix("__init__.py")
PURE = tuple(HOUSE + room for room in ("rules", "model", "values", "repair"))
# State changes here.
CHANGING = tuple(
    module.__file__
    for module in (
        reasoner_module,
        materialized_module,
        holdings,
        upkeep,
        attempts,
        forms,
        vocabulary,
        growth,
    )
)
x, y, z = Variable("x"), Variable("y"), Variable("z")
ONE = Literal(1)


def in_the_house(file):
    return file in CHANGING or (file.startswith(HOUSE) and not file.startswith(PURE))


def where_state_changes(file):
    return file in CHANGING


# -- what is interrupted ---------------------------------------------------------------------------


@cache
def ontology():
    """What repairs, derives, computes, tests values, follows edges and grows."""
    g = Graph()
    g.add((EX.A, OWL.disjointWith, EX.B))
    g.add((EX.A, RDFS.subClassOf, EX.C))
    g.add((V, RDF.type, OWL.DatatypeProperty))
    g.add((V, RDF.type, OWL.FunctionalProperty))
    g.add((EX.w, RDFS.subPropertyOf, V))
    g.add((EX.p, RDF.type, OWL.TransitiveProperty))
    few = DatatypeRestriction(Datatype(XSD.integer), ((XSD.maxInclusive, Literal(3)),))
    more = (
        Rule("swrl", (Atom(V, (x, y)),), Atom(EX.next, (x, z)), tests=(Builtin(SWRLB.add, (z, y, ONE)),)),
        Rule("swrl", (Atom(EX.next, (x, y)),), Atom(EX.Few, (x,)), tests=(Member(y, few),)),
    )
    loaded = load_ontology(g)
    return Ontology.from_rules([*loaded.rules, *loaded.constraints, *more])


def whole_number(text):
    return literal(text, XSD.integer)


def reasoner_of(**options):
    reasoner = StreamReasoner(ontology(), Window(3), **options)
    reasoner.push(1, [(EX.a, RDF.type, EX.A), (EX.x, EX.w, whole_number("01")), (EX.a, EX.p, EX.b)])
    reasoner.push(2, [(EX.b, EX.p, EX.c), (EX.y, V, whole_number("007"))])
    reasoner.push(3, [(EX.c, EX.p, EX.d), (EX.a, RDF.type, EX.D)])
    return reasoner


def table(triples):
    columns = zip(("subject", "predicate", "object"), zip(*triples, strict=True), strict=True)
    return pa.table({name: list(map(write_term, terms)) for name, terms in columns})


NEW = [
    (EX.a, RDF.type, EX.B),
    (EX.x, V, whole_number("1")),
    (EX.z, V, whole_number("+5")),
    (BNode(), EX.p, EX.e),
]
CONTRADICTED = [
    (EX.x, V, whole_number("2")),
    (EX.q, RDF.type, EX.A),
    (EX.q, RDF.type, EX.B),
    (EX.a, EX.q, whole_number("4")),
]
GROWING = [
    (EX.n, EX.new, literal("bad", XSD.integer)),
    (EX.m, RDF.type, EX.New),
    (EX.x, V, whole_number("003")),
]
TABLE = table(NEW)
BAD = [*GROWING, (EX.n, Literal(1), EX.m)]


def collecting(reasoner):
    reasoner._held.most_entries = -1
    reasoner.push(4, NEW)


def a_whole(reasoner):
    with reasoner.all_or_nothing():
        reasoner.push(4, NEW)
        reasoner.push(5, GROWING[1:])


def refused(reasoner):
    with suppress(InvalidTripleError):
        reasoner.push(4, BAD)


@cache
def materialized():
    """What is made elsewhere, without interrupts."""
    return ABoxMaterializer(reasoner_of().foundation).materialize(NEW)


STEPS = {
    "a push": lambda reasoner: reasoner.push(4, NEW),
    "a push that is contradicted": lambda reasoner: reasoner.push(4, CONTRADICTED),
    "a further part": lambda reasoner: reasoner.push(3, NEW),
    "a table": lambda reasoner: reasoner.push(4, TABLE),
    "a push that lets the rules grow": lambda reasoner: reasoner.push(4, GROWING),
    "a push that is refused": refused,
    "a push of what was materialized": lambda reasoner: reasoner.push_materialized(4, materialized()),
    "time": lambda reasoner: reasoner.advance(6),
    "a push that forgets terms": collecting,
    "several pushes as a whole": a_whole,
    "a snapshot": lambda reasoner: reasoner.snapshot(),
}
OPTIONS = {
    "every": {"keep": "every"},
    "equality": {"unique_names": False},
    "few facts": {"max_facts": 24, "on_limit": "drop"},
}


def state(reasoner, terms=True):
    """What can be seen of a reasoner; with what it knows of terms, if that is asked for."""
    held, stats = reasoner._held, reasoner.stats()
    return {
        "materialization": reasoner.materialization(),
        "assertions": reasoner.assertions(),
        "timestamps": reasoner.timestamps,
        "repairs": [(repair.at, repair.removed, set(repair.conflict_sets)) for repair in reasoner.repairs],
        "interpretations": interpretations(reasoner) if held.options.keep == "newest" else None,
        "forms": sorted(map(str, held.forms.pairs.values())),
        "books": (held.history.step, held.history.counters, held.history.messages),
        "terms": (stats.symbols, stats.names, stats.literals) if terms else None,
        "rules": len(held.growing.program.rules),
    }


# -- the law ---------------------------------------------------------------------------------------


def go_on(reasoner):
    """What two further pushes come to: with old terms, and with what the rules must grow for."""
    updates = [reasoner.push(7, [*NEW[:3], *CONTRADICTED]), reasoner.push(8, [*GROWING, *NEW])]
    seen = [(update.delta, update.repair.removed, update.dropped) for update in updates]
    return [(set(delta.added), set(delta.removed), *rest) for delta, *rest in seen], state(reasoner, False)


def check(step, event, looked_at, **options):
    """Interrupt `step` everywhere, one after the other on one reasoner, as long as it is as it was.

    At the end, and wherever a step was done for all that, it must be what a steady reasoner is then.
    """
    materialized()
    terms = step not in (collecting, refused)  # an interrupt while an error is handled may leave terms behind
    steady = reasoner_of(**options)
    before = state(steady, terms)
    step(steady)
    after = state(steady, terms)
    further = go_on(steady)
    shaken, nth, going = reasoner_of(**options), 0, True
    while going:
        nth += 1
        going = interrupted(partial(step, shaken), nth, looked_at, event)
        shaken._held.model.kernel.check_invariants()
        found = state(shaken, terms)
        if not going or found != before:
            assert found == after, (nth, event)
            assert go_on(shaken) == further
            shaken = reasoner_of(**options)


@pytest.mark.parametrize("step", some(STEPS, ["a push", "a further part"]))
def test_a_step_interrupted_at_any_line_is_not_done_or_done_as_a_whole(step):
    check(STEPS[step], "line", in_the_house)


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS)
def test_so_it_is_with_other_options(options):
    check(STEPS["a further part"], "line", in_the_house, **OPTIONS[options])


@pytest.mark.long
@pytest.mark.parametrize("step", ["a push", "a further part", "time"])
def test_so_it_is_between_any_two_opcodes_where_state_changes(step):
    check(STEPS[step], "opcode", where_state_changes)
