"""One rdf:type at every door, where rdf:type is a property in an axiom."""

import pytest
from rdflib import OWL, RDF, BNode, Graph, Literal, Namespace, URIRef

import pantarhei as pr
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer

EX = Namespace("http://example.org/")
PREFIXES = "".join(
    f"@prefix {prefix}: <{name}> . "
    for prefix, name in (
        ("", EX),
        ("rdf", RDF),
        ("owl", OWL),
        ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    )
)
ZOO = """:kind rdfs:subPropertyOf rdf:type . :hasMember owl:inverseOf rdf:type .
    :Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant . rdf:type rdfs:subPropertyOf :is ."""
PAIRS, ANIMALS = "SELECT ?s ?o { ?s a ?o }", "SELECT ?s { ?s a <http://example.org/Animal> }"
ALL = "SELECT ?s ?p ?o { ?s ?p ?o }"
options = pytest.mark.parametrize(
    "options",
    [{}, {"keep": "every"}, {"derive": "needed"}, {"unique_names": False}],
    ids=["newest", "every", "needed", "no-unique-names"],
)


def ontology(text=ZOO, **options):
    return pr.load_ontology(Graph().parse(data=PREFIXES + text, format="turtle"), **options)


def types(triples):
    return {(s, o) for s, p, o in triples if p == RDF.type}


def check_doors(graph, registered):
    """Everything that lists the same facts lists the same facts."""
    whole = graph.materialization() if isinstance(graph, pr.StreamReasoner) else set(graph.graph)
    listed = list(graph.graph)
    assert set(listed) == whole
    assert len(listed) == len(whole) == len(graph.graph)
    assert all(triple in graph.graph for triple in whole)
    for class_ in {class_ for _, class_ in types(whole)}:
        members = {who for who, each in types(whole) if each == class_}
        assert set(graph.graph.subjects(RDF.type, class_)) == members
        if isinstance(class_, URIRef):
            assert {row[0] for row in graph.query(f"SELECT ?s {{ ?s a <{class_}> }}").rows} == members
    for text, expected in ((PAIRS, types(whole)), (ALL, whole)):
        rows = list(map(tuple, graph.query(text).rows))
        assert set(rows) == expected
        assert len(rows) == len(expected)
        assert dict(registered[text].answers) == dict.fromkeys(expected, 1)
    assert {row[0] for row in registered[ANIMALS].answers} == {w for w, c in types(whole) if c == EX.Animal}


ABOXES = [
    [(EX.a, EX.kind, EX.Cat), (EX.b, RDF.type, EX.Cat)],
    [(EX.Plant, EX.hasMember, EX.c), (EX.b, EX.kind, EX.Cat), (EX.d, EX.kind, Literal("Cat"))],
    [(EX.e, EX.kind, BNode("k")), (EX.e, EX.kind, EX.New), (EX.Cat, EX.kind, EX.Species)],
    [(EX.a, RDF.type, EX.Plant)],
    [],
]


@options
def test_each_door_has_each_fact_once_at_each_step(options):
    reasoner = pr.StreamReasoner(ontology(), pr.Window(range=2), [(EX.z, EX.kind, EX.Cat)], **options)
    registered = {text: reasoner.register(text) for text in (PAIRS, ANIMALS, ALL)}
    for at, abox in enumerate(ABOXES):
        reasoner.push(at, abox)
        check_doors(reasoner, registered)
    assert (EX.a, RDF.type, EX.Animal) not in reasoner.graph
    assert (EX.d, RDF.type, Literal("Cat")) not in reasoner.graph
    assert (EX.z, EX.is_, EX.Animal) not in reasoner.graph
    assert (EX.z, EX["is"], EX.Animal) in reasoner.graph


def test_a_dynamic_graph_has_each_fact_once_after_each_change():
    graph = pr.DynamicGraph(ontology(), [(EX.z, EX.kind, EX.Cat)])
    registered = {text: graph.register(text) for text in (PAIRS, ANIMALS, ALL)}
    for abox in ABOXES[:3]:
        graph.change(abox)
        check_doors(graph, registered)
    for abox in ABOXES[:3]:
        graph.change((), abox)
        check_doors(graph, registered)
    assert types(graph.graph) == {(EX.z, EX.Cat), (EX.z, EX.Animal)}


@options
def test_contradictions_of_classes_are_found_however_they_are_derived(options):
    for one in ((EX.a, EX.kind, EX.Cat), (EX.Cat, EX.hasMember, EX.a), (EX.a, RDF.type, EX.Cat)):
        reasoner = pr.StreamReasoner(ontology(), pr.Window(range=2), **options)
        reasoner.push(1, [one])
        repair = reasoner.push(2, [(EX.a, EX.kind, EX.Plant)]).repair
        assert repair.removed == {(1, one)}
        assert len(repair.conflicts) == 1


def test_a_proof_goes_through_the_property_and_back_to_the_axiom():
    reasoner = pr.StreamReasoner(ontology(), pr.Window(range=2))
    reasoner.push(1, [(EX.a, EX.kind, EX.Cat)])
    text = str(reasoner.explain((EX.a, RDF.type, EX.Animal)))
    assert "kind SubPropertyOf rdf:type" in text
    assert "Cat SubClassOf Animal" in text
    absence = str(reasoner.why_not((EX.b, RDF.type, EX.Animal)))
    assert "missing: b has kind Cat" in absence
    assert "did you mean Animal?" in str(reasoner.why_not((EX.a, RDF.type, EX.Anmal)))


def test_a_misspelt_class_has_its_nearest_among_those_of_the_stream():
    reasoner = pr.StreamReasoner(ontology(), pr.Window(range=2))
    reasoner.push(1, [(EX.a, RDF.type, EX.Machine)])
    assert "did you mean Machine?" in str(reasoner.why_not((EX.a, RDF.type, EX.Machnie)))


def test_a_checkpoint_has_what_follows_by_the_property(tmp_path):
    reasoner = pr.StreamReasoner(ontology(), pr.Window(range=2))
    registered = reasoner.register(PAIRS)
    for at, abox in enumerate(ABOXES[:4]):
        reasoner.push(at, abox)
    reasoner.checkpoint(tmp_path / "state")
    restored = pr.StreamReasoner.restore(tmp_path / "state", ontology())
    (answers,) = (each.answers for each in restored.queries.values())
    for at in (4, 5):
        assert restored.materialization() == reasoner.materialization()
        assert dict(answers) == dict(registered.answers)
        for each in (restored, reasoner):
            each.push(at, [(EX.f, EX.kind, EX[f"New{at}"])])


def test_canonical_models_found_elsewhere_are_taken_over():
    materializer = ABoxMaterializer(Foundation.of(ontology()))
    whole, parts = (pr.StreamReasoner(ontology(), pr.Window(range=2)) for _ in "12")
    for at, abox in enumerate(ABOXES[:3]):
        whole.push(at, abox)
        parts.push_materialized(at, materializer.materialize(abox))
        scoped = {t for t in parts.materialization() if not any(isinstance(each, BNode) for each in t)}
        assert scoped == {t for t in whole.materialization() if not any(isinstance(e, BNode) for e in t)}


def test_shards_by_subject_are_refused_where_a_class_is_joined_over():
    assert ontology(":kind rdfs:subPropertyOf rdf:type .").sharding_report().allows("subject")
    report = ontology(":up owl:propertyChainAxiom ( rdf:type :broader ) .").sharding_report()
    assert not report.allows("subject")
    assert (
        ontology(":up owl:propertyChainAxiom ( rdf:type :broader ) .")
        .sharding_report(streaming=[EX.Cat], background=[(EX.Cat, EX.broader, EX.Animal)])
        .allows("subject")
    )


def test_temporal_rules_read_and_conclude_classes_of_the_property():
    rules = pr.load_rules(":Tame(X) :- :Animal(X), not :Plant(X).", prefixes={"": str(EX)})
    loaded = ontology(ZOO.replace(":hasMember owl:inverseOf rdf:type .", ":Tame rdfs:subClassOf :Kind ."))
    reasoner = pr.StreamReasoner(loaded, pr.Window(range=1), temporal=rules)
    reasoner.push(1, [(EX.a, EX.kind, EX.Cat)])
    assert types(reasoner.conclusions()) == {(EX.a, EX.Tame), (EX.a, EX.Kind)}
    assert (EX.a, EX["is"], EX.Tame) in reasoner.conclusions()
    concluded = reasoner.query("SELECT ?c { GRAPH <urn:pantarhei:conclusions> { ?s a ?c } }").rows
    assert set(map(tuple, concluded)) == {(EX.Tame,), (EX.Kind,)}
    assert "kind" in str(reasoner.explain((EX.a, RDF.type, EX.Kind)))
    reasoner.advance(3)
    assert reasoner.conclusions() == set()


@pytest.mark.parametrize(
    "rule", [":kind(X, Y) :- :near(X, Y).", ":broader(X, Y) :- :near(X, Y).", ":Tame(X) :- :near(X, Y)."]
)
def test_temporal_rules_are_refused_where_conclusions_lead_to_classes_that_no_rule_names(rule):
    rules = pr.load_rules(rule, prefixes={"": str(EX)})
    loaded = ontology(ZOO + " rdf:type owl:propertyChainAxiom ( rdf:type :broader ) .")
    with pytest.raises(pr.TemporalRuleError, match="has a class variable"):
        pr.StreamReasoner(loaded, pr.Window(range=1), temporal=rules)


def test_axioms_in_the_stream_are_told_of():
    reasoner = pr.StreamReasoner(ontology(), pr.Window(range=1))
    with pytest.warns(pr.AxiomsInStreamWarning):
        reasoner.push(1, [(EX.p, RDF.type, OWL.SymmetricProperty)])


def test_the_ontology_entails_by_the_property():
    loaded = ontology(ZOO + " :a :kind :Cat .")
    assert loaded.entails([(EX.a, RDF.type, EX.Animal)])
    assert loaded.entails([(EX.a, EX["is"], EX.Animal)])
    assert not loaded.entails([(EX.a, RDF.type, EX.Plant)])
    with pytest.raises(pr.InconsistentOntologyError):
        ontology(ZOO + " :a :kind :Cat , :Plant .")


@pytest.mark.parametrize("batch", [1, 100])
def test_new_classes_cost_linear_work(batch):
    def work(count):
        reasoner = pr.StreamReasoner(ontology(), pr.Window(range=count))
        program = reasoner._held.growing.program
        for at in range(count // batch):
            named = range(at * batch, (at + 1) * batch)
            reasoner.push(at, [(EX[f"i{each}"], EX.kind, EX[f"C{each}"]) for each in named])
        assert reasoner._held.growing.program is program  # no class is compiled
        assert len(types(reasoner.materialization())) == count
        return sum(reasoner.work)

    assert work(10_000) <= 10.1 * work(1_000)


SCHEMA_TERMS = [
    ":p rdfs:subPropertyOf rdfs:subClassOf .",
    "rdfs:subPropertyOf owl:inverseOf :p .",
    ":p owl:equivalentProperty rdfs:domain .",
    "rdf:type owl:propertyChainAxiom ( rdf:type rdfs:subClassOf ) .",
    ":p owl:propertyChainAxiom ( :q rdfs:range ) .",
    "rdfs:subClassOf a owl:SymmetricProperty .",
    "owl:disjointWith rdfs:subPropertyOf :p .",
    ":C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty owl:equivalentClass ; owl:hasValue :D ] .",
    ":C owl:hasKey ( rdfs:subClassOf ) .",
    "rdfs:subClassOf rdfs:domain :D .",
    ':C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty rdf:type ; owl:hasValue "C" ] .',
]


@pytest.mark.parametrize("axiom", SCHEMA_TERMS)
def test_what_has_no_effect_is_lost_by_name(axiom):
    loaded = ontology(axiom)
    assert not (loaded.rules or loaded.constraints)
    assert len(loaded.losses) == 1
    assert any(word in str(loaded.report()) for word in ("as a property", "a literal as class"))
    with pytest.raises(pr.UnsupportedAxiomError):
        ontology(axiom, strict=True)


def test_domains_and_ranges_that_rdfs_itself_gives_its_terms_are_no_loss():
    ontology("rdfs:subClassOf rdfs:domain rdfs:Class ; rdfs:range rdfs:Class .", strict=True)


def test_a_restriction_to_a_class_by_name_needs_no_class_variable():
    loaded = ontology(
        ":C owl:equivalentClass [ a owl:Restriction ; owl:onProperty rdf:type ; owl:hasValue :D ] . "
        "[ a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty rdf:type ; "
        "owl:targetIndividual :E ] ."
    )
    assert sorted(map(str, (*loaded.rules, *loaded.constraints))) == [
        "C(?x) :- D(?x).",
        "D(?x) :- C(?x).",
        "⊥ :- E(a).",
    ]


def test_names_that_are_one_are_one_as_classes():
    loaded = ontology(":kind rdfs:subPropertyOf rdf:type .")
    reasoner = pr.StreamReasoner(loaded, pr.Window(range=1), unique_names=False)
    reasoner.push(1, [(EX.a, EX.kind, EX.Cat), (EX.Cat, OWL.sameAs, EX.Katze)])
    assert types(reasoner.materialization()) >= {(EX.a, EX.Cat), (EX.a, EX.Katze)}
