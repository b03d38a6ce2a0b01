"""The OWL 2 RL/RDF rules of the W3C one by one: each folder has a rule's name and the smallest case for it.

- `premise.ttl`: the ontology; where the rule is about individuals, without its assertions.
- `data.ttl`: those assertions, loaded with the ontology, and streamed.
- `conclusion.ttl`: what follows; or
- `inconsistent.txt`: why the assertions contradict the ontology.
- `not.ttl`: what is close by and does not follow.
- `consistent.ttl`: assertions that are close by and contradict nothing.
- `unique_names.txt`: why the assertions contradict the ontology if two names are two things.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, URIRef

import pantarhei as pr
from pantarhei import rules
from pantarhei.encoding.numbers import Symbol
from pantarhei.owl.document import read_document
from pantarhei.rules.translation.demand import Theory

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "rules.md"

TABLES = {
    "eq": "ref sym trans rep-s rep-p rep-o diff1 diff2 diff3",
    "prp": "ap dom rng fp ifp irp symp asyp trp spo1 spo2 eqp1 eqp2 pdw adp inv1 inv2 key npa1 npa2",
    "cls": "thing nothing1 nothing2 int1 int2 uni com svf1 svf2 avf hv1 hv2 "
    "maxc1 maxc2 maxqc1 maxqc2 maxqc3 maxqc4 oo",
    "cax": "sco eqc1 eqc2 dw adc",
    "dt": "type1 type2 eq diff not-type",
    "scm": "cls sco eqc1 eqc2 op dp spo eqp1 eqp2 dom1 dom2 rng1 rng2 hv svf1 svf2 avf1 avf2 int uni",
}
W3C = [f"{table}-{name}" for table, names in TABLES.items() for name in names.split()]
NOT_APPLIED = ["eq-rep-p"]
DECLARED = {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDFS.Datatype}


def with_files(*names, without=()):
    """The rules whose folders have all of these files, and none of the others."""
    folders = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__")
    return [
        folder.name
        for folder in folders
        if all((folder / name).exists() for name in names)
        and not any((folder / name).exists() for name in without)
    ]


def read(rule, *names):
    """What the named files of a rule's folder say together; literals stay as they are written."""
    graph = Graph()
    for name in names:
        if (path := FOLDER / rule / name).exists():
            for triple in read_document(path).triples:
                graph.add(triple)
    return graph


def ground(graph):
    """The triples that neither declare a name nor have a blank node."""
    return {
        triple
        for triple in graph
        if not any(isinstance(term, BNode) for term in triple)
        and not (triple[1] == RDF.type and triple[2] in DECLARED)
    }


def apart(graph):
    """Each triple as a graph of its own; where there are blank nodes or declarations, all in one."""
    if len(ground(graph)) < len(graph):
        return [graph]
    return [Graph().add(triple) for triple in graph]


def reasoner(rule, **options):
    return pr.StreamReasoner(pr.load_ontology(FOLDER / rule / "premise.ttl"), pr.Window(range=10), **options)


# --- Nothing is forgotten ---


def test_there_is_one_folder_for_each_rule_of_the_w3c():
    assert with_files() == sorted(W3C)
    assert with_files("premise.ttl") == sorted(W3C)


def test_each_rule_has_a_conclusion_or_a_contradiction():
    assert with_files("conclusion.ttl", "inconsistent.txt") == []
    assert with_files(without=("conclusion.ttl", "inconsistent.txt")) == NOT_APPLIED
    assert with_files("inconsistent.txt") == with_files("data.ttl", "consistent.ttl")


@pytest.mark.parametrize("rule", W3C)
def test_a_premise_begins_with_what_it_shows(rule):
    assert re.match(r"# \S.*\.\n[^#]", (FOLDER / rule / "premise.ttl").read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", with_files("conclusion.ttl"))
def test_a_conclusion_is_not_stated_in_its_premise(rule):
    assert ground(read(rule, "conclusion.ttl")).isdisjoint(read(rule, "premise.ttl", "data.ttl"))


# --- Entailment ---


@pytest.mark.parametrize("rule", with_files("conclusion.ttl"))
def test_the_conclusion_is_entailed(rule):
    ontology = pr.load_ontology(read(rule, "premise.ttl", "data.ttl"))
    assert ontology.entails(read(rule, "conclusion.ttl"))


@pytest.mark.parametrize("rule", with_files("not.ttl"))
def test_what_does_not_follow_is_not_entailed(rule):
    ontology = pr.load_ontology(read(rule, "premise.ttl", "data.ttl"))
    for statement in apart(read(rule, "not.ttl")):
        assert not ontology.entails(statement), statement.serialize()


@pytest.mark.parametrize("rule", with_files("inconsistent.txt"))
def test_a_contradiction_is_refused_on_loading(rule):
    with pytest.raises(pr.InconsistentOntologyError):
        pr.load_ontology(read(rule, "premise.ttl", "data.ttl"))


@pytest.mark.parametrize("rule", with_files("consistent.ttl"))
def test_what_contradicts_nothing_loads(rule):
    assert pr.load_ontology(read(rule, "premise.ttl", "consistent.ttl")).background


# --- Streams ---


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("rule", with_files("data.ttl", without=("inconsistent.txt",)))
def test_the_conclusion_is_materialized(rule, keep):
    stream = reasoner(rule, unique_names=False, keep=keep)
    update = stream.push(1, read(rule, "data.ttl"))
    assert not update.repair.conflict_sets
    assert stream.materialization() >= ground(read(rule, "conclusion.ttl"))
    assert stream.materialization().isdisjoint(read(rule, "not.ttl"))


@pytest.mark.parametrize("rule", with_files("inconsistent.txt"))
def test_a_contradiction_is_repaired(rule):
    stream = reasoner(rule, unique_names=False)
    repair = stream.push(1, read(rule, "data.ttl")).repair
    assert frozenset().union(*repair.conflict_sets) == {(1, triple) for triple in read(rule, "data.ttl")}
    assert repair.removed == frozenset().union(*repair.conflict_sets)


@pytest.mark.parametrize("rule", with_files("consistent.ttl"))
def test_what_contradicts_nothing_is_kept(rule):
    repair = reasoner(rule, unique_names=False).push(1, read(rule, "consistent.ttl")).repair
    assert not repair.conflict_sets
    assert not repair.removed


@pytest.mark.parametrize("rule", with_files("unique_names.txt"))
def test_under_unique_names_the_conclusion_is_a_contradiction(rule):
    stream = reasoner(rule)
    assert stream.push(1, read(rule, "data.ttl")).repair.conflict_sets
    assert stream.materialization().isdisjoint(read(rule, "conclusion.ttl"))


def test_an_asserted_member_of_nothing_is_a_contradiction():
    stream = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=10))
    assert stream.push(1, [(URIRef("urn:pump"), RDF.type, OWL.Nothing)]).repair.conflict_sets


# --- The page ---

ROW = re.compile(r"^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
WAY = re.compile(r"(on demand, )?(?:rule or constraint|rule|constraint|folded into `([a-z0-9-]+)`)")
LISTED = [
    (rule, how)
    for rules_of_row, how in ROW.findall(PAGE.read_text(encoding="utf-8"))
    for rule in re.findall(r"`([^`]+)`", rules_of_row)
]
ROWS = dict(LISTED)


SCHEMA = [rule for rule, how in ROWS.items() if how == "schema step"]


def compiled(rule):
    """The names of the rules and constraints that the ontology of a folder makes."""
    ontology = pr.load_ontology(FOLDER / rule / "premise.ttl")
    return {made.name for made in (*ontology.rules, *ontology.constraints)}


def demanded(rule):
    """The names of those that are made once its assertions are met."""
    ontology = pr.load_ontology(FOLDER / rule / "premise.ttl")
    theory = Theory.of((*ontology.rules, *ontology.constraints), unique_names=False)
    properties = {predicate for _, predicate, _ in (*ontology.background, *read(rule, "data.ttl"))}
    return {made.name for made in theory.demanded([Symbol(iri, 2) for iri in properties], properties)}


def test_the_page_has_each_rule_once_and_each_has_a_folder():
    assert sorted(rule for rule, _ in LISTED) == sorted(W3C)
    assert all((FOLDER / rule / "premise.ttl").exists() for rule in W3C)


@pytest.mark.parametrize("rule", [rule for rule, how in ROWS.items() if WAY.match(how)])
def test_the_page_names_the_rule_that_is_made(rule):
    on_demand, another = WAY.match(ROWS[rule]).groups()
    assert (another or rule) in (demanded(rule) if on_demand else compiled(rule) | demanded(rule))


@pytest.mark.parametrize("rule", SCHEMA)
def test_the_schema_has_the_conclusion(rule):
    schema = set(pr.load_ontology(FOLDER / rule / "premise.ttl").schema.triples())
    assert schema >= ground(read(rule, "conclusion.ttl"))
    assert schema.isdisjoint(read(rule, "not.ttl"))


def test_the_page_has_each_rule_of_our_own():
    code = "".join(path.read_text(encoding="utf-8") for path in Path(rules.__file__).parent.rglob("*.py"))
    page = re.findall(r"^\| `(pr-[a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(page) == sorted(set(re.findall(r'"(pr-[a-z-]+)"', code)))
