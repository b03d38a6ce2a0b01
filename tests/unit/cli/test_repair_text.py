"""Why a fact was removed, in a line."""

from rdflib import RDF, Namespace, URIRef, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.cli.repair_text import cut_lines
from pantarhei.language.origin import Origin
from pantarhei.language.rule import Atom, Rule
from pantarhei.language.shown import ShownNames

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
