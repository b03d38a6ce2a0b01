"""Why a fact was removed, in a line."""

from rdflib import RDF, Namespace, URIRef, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.cli.repair_text import Chains, cut_lines
from pantarhei.model.display_names import ShownNames
from pantarhei.model.rule import Atom, Origin, Rule

EX = Namespace("http://example.org/")
x = Variable("x")
OPEN, CLOSED, STUCK = ((EX.v, RDF.type, EX[state]) for state in ("Open", "Closed", "Stuck"))
DISJOINT = [
    Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(EX[other], (x,))), None, origin=f"{other} is not Open")
    for other in ("Closed", "Stuck")
]


def test_a_removed_fact_has_all_its_times_and_the_newest_that_contradicts_it():
    reasoner = StreamReasoner(Ontology.from_rules(DISJOINT), Window(10))
    reasoner.push(1, [OPEN])
    reasoner.push(2, [OPEN])
    update = reasoner.push(3, [CLOSED, STUCK])
    (line,) = cut_lines(update.repair)
    assert line.startswith("removed Open(v) at 1, 2, contradicted by ")
    assert line.endswith("Closed(v) at 3: Closed is not Open")  # both are new, this is first as it reads


def test_a_repair_that_removed_nothing_has_no_line():
    reasoner = StreamReasoner(Ontology.from_rules(DISJOINT), Window(10))
    assert list(cut_lines(reasoner.push(1, [OPEN]).repair)) == []


def test_names_with_one_last_part_are_shown_with_their_prefix():
    other = URIRef("urn:other#Open")
    axiom = Rule("cax-dw", (Atom(EX.Open, (x,)), Atom(other, (x,))), None, origin=Origin("they differ"))
    reasoner = StreamReasoner(Ontology.from_rules([axiom]), Window(10))
    reasoner.push(1, [OPEN])
    repair = reasoner.push(2, [(EX.v, RDF.type, other)]).repair
    names = ShownNames({"ex": str(EX), "other": "urn:other#"}).telling_apart([EX.Open, other])
    assert cut_lines(repair, names) == [
        "removed ex:Open(v) at 1, contradicted by other:Open(v) at 2: they differ"
    ]
    assert cut_lines(repair)[0].startswith(f"removed <{EX.Open}>(v) at 1, contradicted by <{other}>(v)")


SMOKE, SAFE = ((EX.hall, RDF.type, EX[state]) for state in ("Smoke", "Safe"))
ALARM = [
    Rule(
        "cax-sco",
        (Atom(EX[lower], (x,)),),
        Atom(EX[upper], (x,)),
        origin=Origin(f"SubClassOf({lower} {upper})"),
    )
    for lower, upper in (("Smoke", "Danger"), ("Danger", "Alarm"))
]
SAFELY = Rule(
    "cax-dw", (Atom(EX.Alarm, (x,)), Atom(EX.Safe, (x,))), None, origin=Origin("DisjointClasses(Safe Alarm)")
)


def test_a_contradiction_that_is_derived_is_told_as_a_whole_once():
    reasoner, chains = StreamReasoner(Ontology.from_rules([*ALARM, SAFELY, *DISJOINT]), Window(10)), Chains()
    reasoner.push(1, [SMOKE, OPEN])
    lines = cut_lines(reasoner.push(2, [SAFE, CLOSED]).repair, chains=chains)
    assert lines == [
        "removed Open(v) at 1, contradicted by Closed(v) at 2: Closed is not Open",
        "removed Smoke(hall) at 1, contradicted by Safe(hall) at 2: DisjointClasses(Safe Alarm)",
        "    a contradiction: nothing is both an alarm and a safe [1]",
        "    ├─ because hall is an alarm [2]",
        "    │  └─ because hall is a danger [3]",
        "    │     └─ because hall is a smoke (asserted at 1)",
        "    └─ and hall is a safe (asserted at 2)",
        "    It rests on 2 assertions made from 1 to 2.",
        "    By the axioms:",
        "    [1] DisjointClasses(Safe Alarm)  (rule cax-dw)",
        "    [2] SubClassOf(Danger Alarm)  (rule cax-sco)",
        "    [3] SubClassOf(Smoke Danger)  (rule cax-sco)",
    ]
    reasoner.push(3, [(EX.cellar, RDF.type, EX.Smoke)])
    again = cut_lines(reasoner.push(4, [(EX.cellar, RDF.type, EX.Safe)]).repair, chains=chains)
    assert again == [
        "removed Smoke(cellar) at 3, contradicted by Safe(cellar) at 4: DisjointClasses(Safe Alarm)"
    ]


def test_a_long_chain_is_cut_short():
    steps = [
        Rule("cax-sco", (Atom(EX[f"C{n}"], (x,)),), Atom(EX[f"C{n + 1}"], (x,)), origin=Origin(f"{n}"))
        for n in range(100)
    ]
    rules = [*steps, Rule("cax-dw", (Atom(EX.C100, (x,)), Atom(EX.Safe, (x,))), None)]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10))
    reasoner.push(1, [(EX.hall, RDF.type, EX.C0)])
    lines = cut_lines(reasoner.push(2, [SAFE]).repair, chains=Chains())
    assert len(lines) == 42
    assert lines[-1].startswith("    … and ") and lines[-1].endswith(" more lines")
