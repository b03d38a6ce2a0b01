"""Agreement with owlrl, and with the definitions, where rdf:type is a property in axioms.

Ontologies and data are random and small: rdf:type is in each place that an axiom has for a property, and
classes, individuals and blank nodes are in each place of the data. owlrl evaluates the W3C's rules (OWL 2
Profiles, section 4.3) over triples, where there is one rdf:type.
"""

from __future__ import annotations

from functools import cached_property
from random import Random

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef

from counts import seeds
from pantarhei import StreamReasoner, Window, load_ontology

owlrl = pytest.importorskip("owlrl")

EX = Namespace("http://example.org/")
PREFIXES = f"@prefix : <{EX}> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> . @prefix rdf: <{RDF}> . "
CLASSES = A, B, C, D = [EX[name] for name in "ABCD"]
PROPERTIES = [EX[name] for name in "pqr"]
INDIVIDUALS = [EX[name] for name in "abc"]
BLANK = BNode("someone")

# P, Q, R stand for random properties, each of them rdf:type in nearly half of the cases; X, Y, Z for classes.
# N is a name for the axiom's expression: owlrl puts individuals into the blank node of an expression, too.
RULES = [
    "P rdfs:subPropertyOf Q .",
    "P owl:equivalentProperty Q .",
    "P owl:inverseOf Q .",
    "P rdfs:subPropertyOf [ owl:inverseOf Q ] .",
    "P owl:propertyChainAxiom ( Q R ) .",
    "P owl:propertyChainAxiom ( Q Q ) .",
    "P owl:propertyChainAxiom ( Q [ owl:inverseOf R ] ) .",
    "P rdfs:domain X .",
    "P rdfs:range X .",
    "P a owl:TransitiveProperty .",
    "P a owl:SymmetricProperty .",
    "N owl:equivalentClass [ a owl:Restriction ; owl:onProperty P ; owl:someValuesFrom X ] ; "
    "a owl:Class ; rdfs:subClassOf Y .",
    "N owl:equivalentClass [ a owl:Restriction ; owl:onProperty P ; owl:someValuesFrom owl:Thing ] ; "
    "a owl:Class ; rdfs:subClassOf Y .",
    "N owl:equivalentClass [ a owl:Restriction ; owl:onProperty P ; owl:allValuesFrom Y ] ; a owl:Class . "
    "X rdfs:subClassOf N .",
    "N owl:equivalentClass [ a owl:Restriction ; owl:onProperty P ; owl:hasValue Y ] , X ; a owl:Class .",
    "N owl:equivalentClass [ a owl:Restriction ; owl:onProperty P ; owl:hasValue :a ] , X ; a owl:Class .",
    "X rdfs:subClassOf Y .",
    "X owl:equivalentClass Y .",
    "N owl:equivalentClass [ owl:intersectionOf ( X Y ) ] ; a owl:Class ; rdfs:subClassOf Z .",
]
# no restriction is among them: owlrl puts its own names into the blank node of one
CONSTRAINTS = [
    "X owl:disjointWith Y .",
    "P owl:propertyDisjointWith Q .",
    "P a owl:IrreflexiveProperty .",
    "P a owl:AsymmetricProperty .",
    "[ a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty P ; "
    "owl:targetIndividual X ] .",
]


class Case:
    """A random ontology, and data for it.

    Args:
        seed: what is drawn depends on nothing else.
        constraints: number of axioms that data may contradict.
    """

    def __init__(self, seed: int, constraints: int = 0) -> None:
        self.random = Random(seed)
        forms = [self.random.choice(RULES) for _ in range(self.random.randint(1, 5))]
        forms += [self.random.choice(CONSTRAINTS) for _ in range(constraints)]
        self.axioms = [self._filled_in(form, f"<urn:expression:{i}>") for i, form in enumerate(forms)]
        self.data = {self._fact() for _ in range(self.random.randint(2, 9))}

    def _filled_in(self, form: str, name: str) -> str:
        choose = self.random.choice
        form = form.replace("N ", f"{name} ")
        for place in "PQR":
            name = "rdf:type" if self.random.random() < 0.45 else f":{choose('pqr')}"
            form = form.replace(f"{place} ", f"{name} ")
        for place in "XYZ":
            form = form.replace(f"{place} ", f":{choose('ABCD')} ")
        return form

    def _fact(self):
        choose, chance = self.random.choice, self.random.random()
        who = choose([*INDIVIDUALS, *INDIVIDUALS, A, B, BLANK])
        if chance < 0.4:
            return who, RDF.type, choose([*CLASSES, *CLASSES, C, BLANK, EX.New])
        if chance > 0.99:
            return who, choose(PROPERTIES), Literal(choose("xy"))
        return who, choose(PROPERTIES), choose([*INDIVIDUALS, *CLASSES, EX.New, BLANK])

    @property
    def turtle(self) -> str:
        return PREFIXES + " ".join(self.axioms)

    @cached_property
    def graph(self) -> Graph:
        """The ontology as triples."""
        return Graph().parse(data=self.turtle, format="turtle")

    @property
    def facts(self):
        """The data, and what the ontology declares: to the W3C's rules facts of the one rdf:type."""
        return {*self.data, *self.graph.triples((None, RDF.type, None))}

    def ontology(self):
        return load_ontology(self.graph)


def by_owlrl(case):
    graph = Graph()
    for triple in (*case.graph, *case.data):
        graph.add(triple)
    owlrl.DeductiveClosure(_Semantics).expand(graph)
    return set(graph)


class _Semantics(owlrl.OWLRL_Semantics):
    """The W3C's rules without tables 4 and 9, and without what is true of OWL's own names.

    No case has equality, and what follows of classes (scm-*) adds no facts. Takes a tenth of the time.
    """

    def one_time_rules(self):
        pass

    def _equality(self, triple, cycle_num):
        pass

    def _schema_vocabulary(self, triple, cycle_num):
        pass


def about_the_data(triples):
    """The triples between names of the data, and those with literals; no literal is a class."""
    return {
        (s, p, o)
        for s, p, o in triples
        if (p in PROPERTIES or p == RDF.type)
        and _is_of_data(s)
        and (_is_of_data(o) or (isinstance(o, Literal) and p != RDF.type))
    }


def _is_of_data(term):
    return term == BLANK or (isinstance(term, URIRef) and term in EX)


def differences(case):
    """What only we derive, and what only owlrl does.

    owlrl has literals as classes and as subjects, and it derives axioms: that a property is symmetric, say.
    What follows from those is not compared.
    """
    reasoner = StreamReasoner(case.ontology(), Window(range=0), repair="off", unique_names=False)
    reasoner.push(1, case.facts)
    closed = by_owlrl(case)
    ours, theirs = about_the_data(reasoner.materialization()), about_the_data(closed)
    return ours - theirs, set() if derives_more(case, closed) else theirs - ours


def derives_more(case, closed):
    """Return whether owlrl's triples follow from literals as subjects, or from axioms that it derives."""
    has_literals = any(isinstance(object_, Literal) for _, _, object_ in case.data)
    return has_literals or not set(filter(is_about_a_property, closed)) <= set(case.graph)


def is_about_a_property(triple):
    subject, predicate, object_ = triple
    return subject in (*PROPERTIES, RDF.type) and predicate == RDF.type and object_ in OWL


@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
@pytest.mark.parametrize("seed", seeds(10, 200, 20_000))
def test_owlrl_derives_the_same_triples(seed):
    case = Case(seed)
    assert differences(case) == (set(), set()), case.axioms


@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
@pytest.mark.parametrize("seed", seeds(10, 200, 2_000))
def test_owlrl_finds_the_same_ontologies_contradicted(seed):
    case = Case(seed, constraints=2)
    reasoner = StreamReasoner(case.ontology(), Window(range=0), unique_names=False)
    is_contradicted = bool(reasoner.push(1, case.facts).repair.removed)
    closed = by_owlrl(case)
    if is_contradicted or not derives_more(case, closed):
        assert is_contradicted is has_errors(closed), case.axioms


def has_errors(closed):
    """Return whether owlrl notes an error among its triples."""
    return any(p == RDF.type and o.endswith("#ErrorMessage") for _, p, o in closed)
