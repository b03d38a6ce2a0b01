"""Entailments with proofs from suppositions."""

import json
import pickle
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef

import pantarhei as pr
from pantarhei.errors import InputError, PantarheiError
from pantarhei.ontology.ontology import load_ontology

EX = Namespace("http://example.org/")
PLANT = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Smoke rdfs:subClassOf :Danger . :Danger rdfs:subClassOf :Alarm . :Alarm owl:disjointWith :Safe .
:Odd rdfs:subClassOf :Smoke , :Safe .
:feeds a owl:ObjectProperty ; rdfs:subPropertyOf :touches ; rdfs:domain :Pump .
:touches a owl:ObjectProperty , owl:SymmetricProperty .
:Lone owl:equivalentClass :Single .
:p1 a :Pump . :p1 :feeds :p2 .
"""


@pytest.fixture(scope="module")
def ontology():
    return pr.load_ontology(Graph().parse(data=PLANT))


def kinds(proof):
    return [step.kind.value for step in proof.steps]


def test_an_entailed_inclusion_is_proved_of_something_that_is_supposed(ontology):
    entailment = ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Alarm))
    (proof,) = entailment.proofs
    assert kinds(proof) == ["supposed", "derived", "derived"]
    assert [step.rule and step.rule.axiom for step in proof.steps] == [
        None,
        "SubClassOf(Smoke Danger)",
        "SubClassOf(Danger Alarm)",
    ]
    assert [str(axiom) for axiom in entailment.axioms] == [
        "SubClassOf(Smoke Danger)",
        "SubClassOf(Danger Alarm)",
    ]
    assert "supposed" in str(entailment) and str(entailment).startswith(
        "whatever is in class 'smoke' is an alarm:\nx is an alarm"
    )


HOSTILE = '<script>alert(1)</script>\\n"&'
TWO_WAYS = f"""
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Pump rdfs:subClassOf :Motor , :Device . :Motor rdfs:subClassOf :Machine . :Device rdfs:subClassOf :Machine .
:Motor rdfs:label '''{HOSTILE}''' .
"""


def test_an_entailment_is_rendered_in_every_form():
    two = pr.load_ontology(Graph().parse(data=TWO_WAYS)).explain(
        (EX.Pump, RDFS.subClassOf, EX.Machine), all=True
    )
    assert str(two).startswith(
        "whatever is a pump is a machine, for 2 reasons:\n\nJustification 1 of 2, 2 axioms:\n"
    )
    first, second = two.justifications
    assert str(first.proofs[0]) in str(two) and str(second.proofs[0]) in str(two)
    data = json.loads(json.dumps(two.to_json()))
    assert (data["complete"], len(data["proofs"]), len(data["justifications"])) == (True, 1, 2)
    assert set(two.to_rdf()) == {triple for each in two.justifications for triple in each.proofs[0].to_rdf()}
    assert two.to_dot().count("digraph proof {") == 2
    picture = ElementTree.fromstring(two.to_svg())
    inner = picture.findall("{http://www.w3.org/2000/svg}svg")
    heights = [float(each.get("height")) for each in inner]
    assert [float(each.get("y")) for each in inner] == [0, heights[0]]
    assert float(picture.get("height")) == sum(heights)
    html = two._repr_html_()
    assert "Justification 2 of 2" in html and "<script" not in html and "<script" not in two.to_svg()


def test_an_entailment_with_one_proof_has_its_picture(ontology):
    one = ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Alarm))
    assert one.to_svg() == one.proofs[0].to_svg()
    assert one._repr_html_().count('<div class="pantarhei-proof">') == 1


def test_a_tautology_has_no_picture(ontology):
    nothing = ontology.explain((EX.Smoke, RDFS.subClassOf, OWL.Thing))
    assert "tautology" in nothing._repr_html_() and nothing.to_dot() == "" and len(nothing.to_rdf()) == 0
    with pytest.raises(pr.OptionError, match="tautology"):
        nothing.to_svg()


def test_further_justifications_are_named_if_the_budget_is_reached(ontology):
    two = pr.load_ontology(Graph().parse(data=TWO_WAYS)).explain(
        (EX.Pump, RDFS.subClassOf, EX.Machine), all=True
    )
    assert "further justifications" not in str(two)
    assert str(replace(two, complete=False)).endswith("there may be further justifications.")


def test_an_equivalence_has_a_proof_in_each_direction(ontology):
    entailment = ontology.explain([(EX.Lone, OWL.equivalentClass, EX.Single)])
    assert [kinds(proof) for proof in entailment.proofs] == [["supposed", "derived"]] * 2


def test_a_class_that_can_have_no_instance_is_explained_by_name_and_by_axiom(ontology):
    by_name = ontology.explain(EX.Odd)
    by_axiom = ontology.explain((EX.Odd, RDFS.subClassOf, OWL.Nothing))
    for entailment in (by_name, by_axiom):
        (proof,) = entailment.proofs
        assert proof.triple is None and kinds(proof)[-1] == "contradiction"
        assert "DisjointClasses(Alarm Safe)" in {str(axiom) for axiom in entailment.axioms}


def test_assertions_and_properties_are_explained_too(ontology):
    (fact,) = ontology.explain((EX.p2, EX.touches, EX.p1)).proofs
    assert kinds(fact) == ["background", "derived", "derived"]
    (domain,) = ontology.explain((EX.feeds, RDFS.domain, EX.Pump)).proofs
    assert kinds(domain) == ["supposed", "derived"]
    disjoint = ontology.explain((EX.Smoke, OWL.disjointWith, EX.Safe))
    assert disjoint.proofs[0].triple is None


def test_an_annotation_is_no_axiom_and_no_way_to_ask_for_one_is_advised(ontology):
    with pytest.raises(pr.InputError, match=r"none of the \d+ triples is part of an axiom") as caught:
        ontology.explain((EX.Smoke, RDFS.comment, Literal("it bites")))
    assert "annotations=True" not in str(caught.value)


def test_what_holds_by_itself_needs_no_axiom(ontology):
    entailment = ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Smoke))
    assert entailment.axioms == () and pickle.loads(pickle.dumps(entailment)) == entailment


@pytest.mark.parametrize(
    "axiom", [(EX.Alarm, RDFS.subClassOf, EX.Smoke), (EX.p1, RDF.type, EX.Smoke), EX.Smoke, EX.Nowhere]
)
def test_what_is_not_entailed_is_refused(ontology, axiom):
    with pytest.raises(pr.NotEntailedError) as raised:
        ontology.explain(axiom)
    assert "does not hold" in str(raised.value) and "why_not" not in str(raised.value)


def test_entailed_means_the_same_with_and_without_an_explanation(ontology):
    classes = [EX.Smoke, EX.Danger, EX.Alarm, EX.Safe, EX.Odd, EX.Lone, EX.Single]
    for one in classes:
        for other in classes:
            for relation in (RDFS.subClassOf, OWL.disjointWith):
                axiom = (one, relation, other)
                try:
                    found = bool(ontology.explain(axiom))
                except pr.NotEntailedError:
                    found = False
                assert found == ontology.entails([axiom])


@pytest.mark.parametrize("given", [None, 5])
def test_what_is_no_axiom_at_all_is_refused(given):
    with pytest.raises(pr.OptionError, match="a triple, triples, a graph, a path, or a name"):
        pr.load_ontology(Graph()).explain(given)


def test_of_a_class_that_may_have_instances_that_is_said():
    with pytest.raises(pr.NotEntailedError) as raised:
        pr.load_ontology(Graph()).explain(URIRef("urn:C"))
    assert str(raised.value).startswith("that <urn:C> can have no instance does not hold: nothing")


PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DECLARED = """
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :v a owl:DatatypeProperty .
:A a owl:Class . :B a owl:Class . :C a owl:Class .
"""


def graph(text):
    return Graph().parse(data=PREFIXES + text, format="turtle")


@pytest.fixture(scope="module")
def ontology_of_conclusion():
    return load_ontology(
        graph(
            DECLARED
            + """
            :A rdfs:subClassOf :B ; owl:disjointWith :C ; rdfs:label "of the first kind" .
            :p rdfs:subPropertyOf :q . :q a owl:TransitiveProperty .
            :a a :A ; :p :b ; :v 1 . :b :p :c ; :v 2 . :c a :C ; :p :d . :d a :A ; :p :d .
            _:n :p :a . _:n a :B .
            """
        )
    )


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("_:x a :A .", True),
        ("_:x a :B , :C .", False),
        ("_:x a :A ; :p _:y . _:y :p _:z . _:z a :C .", True),
        ("_:x a :A ; :p _:y . _:y a :C .", False),
        ("_:x :p _:y .", True),
        (":b :p _:y . _:y a :C .", True),
        (":c :p _:y . _:y a :C .", False),
        ("_:x :p :b ; a :B .", True),
        ("_:x :p _:x .", True),
        ("_:x :p _:x ; a :C .", False),
        ("_:x :p _:y . _:y :p _:x .", True),
        ("_:x :p _:y . _:y :p _:x ; a :B .", True),
        ("_:x :p _:y . _:y :p _:z . _:z :p _:x ; a :C .", False),
        ("_:x :q _:y . _:x a :A . _:y a :C .", True),
        ("_:x :q _:y . _:x a :C . _:y a :C .", False),
        ("_:x a owl:Thing .", True),
        ("_:x a owl:Nothing .", False),
        ("_:x a owl:Thing ; :p :b ; a :A .", True),
        ("_:x :v 1 .", True),
        ("_:x :v 1.0 .", True),
        ("_:x :v 3 .", False),
        ("_:x :v 1 . _:y :v 2 . _:x :p _:y .", True),
        ("_:x :v 1 . _:y :v 2 . _:y :p _:x .", False),
        ("_:x :v _:y .", True),
        ("_:x a :A . _:y a :C . _:x :q _:y . _:z :p _:x .", True),
        ("_:x :unheard _:y .", False),
        ("_:x a :Unheard .", False),
    ],
)
def test_blank_nodes_are_whoever_there_is(ontology_of_conclusion, conclusion, expected):
    assert ontology_of_conclusion.entails(graph(DECLARED + conclusion)) is expected


def test_a_label_of_the_conclusion_is_not_that_of_the_ontology(ontology_of_conclusion):
    (someone,) = {s for s in ontology_of_conclusion.graph.subjects(EX.p, EX.a) if isinstance(s, BNode)}
    assert ontology_of_conclusion.entails([(someone, RDF.type, EX.C)])
    assert ontology_of_conclusion.entails([(someone, EX.p, EX.b), (someone, RDF.type, EX.A)])
    assert not ontology_of_conclusion.entails([(someone, EX.p, EX.a), (someone, RDF.type, EX.C)])


def test_a_blank_node_of_the_ontology_can_be_who_is_asked_for(ontology_of_conclusion):
    assert ontology_of_conclusion.entails(graph("_:other :p :a ; a :B ."))
    assert not ontology_of_conclusion.entails(graph("_:other :p :a ; a :A ."))


SAME = """
:p a owl:FunctionalProperty , owl:ObjectProperty . :A owl:disjointWith :B .
:a :p :b , :c . :d a :A . :e a :B . :f a :A .
"""


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("_:x owl:sameAs :b . _:x a owl:Thing .", True),
        ("_:x owl:sameAs :b .", True),
        (":a :p _:x . _:x owl:sameAs :c .", True),
        (":a :p _:x . _:x owl:sameAs :d .", False),
        ("_:x a :A . _:y a :B . _:x owl:differentFrom _:y .", True),
        ("_:x a :A . _:y a :A . _:x owl:differentFrom _:y .", False),
        ("_:x owl:differentFrom _:y .", True),
        ("_:x owl:differentFrom :b , :c .", False),
        ("_:x owl:differentFrom :d , :f .", True),
        ("_:x owl:differentFrom _:x .", False),
        ("_:x a :A . _:x a [ a owl:Class ; owl:complementOf :B ] .", True),
        ("_:x a [ a owl:Class ; owl:complementOf :B ] .", True),
        ("_:x a :B . _:x a [ a owl:Class ; owl:complementOf :B ] .", False),
        ("_:x a [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :c ] .", True),
        ("_:x a [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :d ] .", False),
        (
            "[] a owl:AllDifferent ; owl:distinctMembers ( _:x _:y ) . _:x a :A . _:y a :B .",
            True,
        ),
        (
            "[] a owl:AllDifferent ; owl:distinctMembers ( _:x _:y _:z ) .",
            False,
        ),
    ],
)
def test_axioms_about_blank_nodes_are_about_those_they_are_bound_to(conclusion, expected):
    premise = load_ontology(graph(DECLARED + SAME))
    assert premise.entails(graph(DECLARED + conclusion)) is expected


def test_a_negative_assertion_may_be_about_someone():
    text = "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual {0} ; owl:assertionProperty :p ; "
    text += "owl:targetIndividual {1} ."
    premise = load_ontology(graph(DECLARED + text.format(":a", ":b") + ":a a :A . :b a :B ."))
    assert premise.entails(graph(text.format("_:x", ":b")))
    assert premise.entails(graph(text.format("_:x", "_:y") + "_:x a :A ."))
    assert not premise.entails(graph(text.format("_:x", ":b") + "_:x a :B ."))


# -- sizes ------------------------------------------------------------------------------------------


def chain(length, node):
    return [(node(i), EX.p, node(i + 1)) for i in range(length)]


@pytest.mark.timeout(60)
def test_two_thousand_triples_with_blank_nodes():
    named = graph(":p a owl:ObjectProperty .")
    for triple in chain(1000, lambda i: EX[f"n{i}"]):
        named.add(triple)
    line = load_ontology(named)
    someone = {i: BNode() for i in range(1001)}
    labelled = [(someone[i], EX.p, someone[i + 1]) for i in range(1000)]
    anchored = [(EX.n0, EX.p, someone[1]), *labelled[1:]]
    twice = [*anchored, *((EX[f"n{i}"], EX.p, BNode()) for i in range(1000))]
    assert len(twice) == 2000
    assert line.entails(twice)
    assert not line.entails([*twice, (someone[1000], EX.p, EX.n0)])


@pytest.mark.timeout(30)
@pytest.mark.parametrize("last", ["_:z :q _:w .", "_:z :p _:z .", ":b0 :p _:z .", "_:z a :A ."])
def test_parts_that_share_no_blank_node_do_not_multiply(last):
    premise = load_ontology(graph(DECLARED + "".join(f":a{i} :p :b{i} . " for i in range(10))))
    pairs = "".join(f"_:x{i} :p _:y{i} . " for i in range(15))
    assert premise.entails(graph(DECLARED + pairs))
    assert not premise.entails(graph(DECLARED + pairs + last))


@pytest.mark.timeout(30)
def test_axioms_about_many_blank_nodes_come_back():
    premise = load_ontology(graph(DECLARED + "".join(f":a{i} a :A . " for i in range(31))))
    nodes = " ".join(f"_:x{i}" for i in range(5))
    assert not premise.entails(graph(f"[] a owl:AllDifferent ; owl:distinctMembers ( {nodes} ) ."))


# -- what a graph can be ----------------------------------------------------------------------------


def test_declarations_alone_are_entailed(ontology_of_conclusion):
    assert ontology_of_conclusion.entails(graph(DECLARED + ":New a owl:Class . :new a owl:ObjectProperty ."))


def test_a_graph_and_its_triples_are_asked_alike(ontology_of_conclusion):
    for text in ("_:x a :A ; :p _:y .", ":A rdfs:subClassOf :B .", ":B rdfs:subClassOf :A ."):
        given = graph(text)
        expected = ontology_of_conclusion.entails(given)
        assert ontology_of_conclusion.entails(list(given)) is expected
        assert ontology_of_conclusion.entails(triple for triple in given) is expected
        assert ontology_of_conclusion.entails(set(given)) is expected


def test_each_part_of_a_graph_counts(ontology_of_conclusion):
    yes = (":A rdfs:subClassOf :B . ", ":a :q :d . ", "_:x a :C . ")
    no = (":B rdfs:subClassOf :A . ", ":d :q :a . ", "_:x a :A , :C . ")
    assert ontology_of_conclusion.entails(graph("".join(yes)))
    for i in range(3):
        parts = [no[j] if i == j else yes[j].replace("_:x", "_:other") for j in range(3)]
        assert not ontology_of_conclusion.entails(graph("".join(parts)))


LABELLED = ':A rdfs:label "of the first kind" . '
MISLABELLED = ':A rdfs:label "of another kind" . '


@pytest.mark.parametrize(
    ("conclusion", "annotations", "expected"),
    [
        (LABELLED, True, True),
        (MISLABELLED, True, False),
        (MISLABELLED + ":A rdfs:subClassOf :B .", False, True),
        (LABELLED + ":A rdfs:subClassOf :B .", True, True),
        (LABELLED + ":B rdfs:subClassOf :A .", True, False),
        (MISLABELLED + ":B rdfs:subClassOf :A .", False, False),
        (":A rdfs:subClassOf :B .", True, True),
    ],
)
def test_annotations_are_looked_at_where_that_is_asked_for(
    ontology_of_conclusion, conclusion, annotations, expected
):
    assert ontology_of_conclusion.entails(graph(conclusion), annotations=annotations) is expected


def test_what_is_no_triple_is_refused(ontology_of_conclusion):
    with pytest.raises(PantarheiError):
        ontology_of_conclusion.entails([(Literal("a"), RDF.type, EX.A)])
    with pytest.raises(InputError):
        ontology_of_conclusion.entails([(BNode(), RDFS.subClassOf, EX.A)])
    assert ontology_of_conclusion.entails([(EX.A, RDFS.subClassOf, EX.B)])


def test_blank_nodes_that_the_ontology_declares_do_not_meet_those_of_a_question():
    node = BNode("n1")
    union = [(node, RDF.type, RDFS.Datatype), (EX.v, RDFS.range, node)]
    premise = graph(DECLARED)
    premise.add((node, RDF.type, RDFS.Class))
    complement = [(node, OWL.datatypeComplementOf, RDFS.Literal)]
    assert not load_ontology(premise).entails([*union, *complement])


@pytest.mark.parametrize(
    "text",
    [
        "",
        LABELLED,
        "( :a :b ) rdfs:seeAlso ( :c ) .",
        "[ a owl:Class ; owl:unionOf ( :A :B ) ] .",
        "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ] .",
    ],
)
def test_what_says_nothing_that_could_be_entailed_is_no_question(ontology_of_conclusion, text):
    with pytest.raises(InputError, match=r"none of the \d+ triples is part of an axiom or an assertion"):
        ontology_of_conclusion.entails(graph(text))


def test_nothing_at_all_is_no_question_of_annotations_either(ontology_of_conclusion):
    with pytest.raises(InputError, match="none of the 0 triples"):
        ontology_of_conclusion.entails(iter(()), annotations=True)


def test_a_bare_list_is_no_question(ontology_of_conclusion):
    node = BNode()
    with pytest.raises(InputError, match=r"none of the \d+ triples is part of an axiom or an assertion"):
        ontology_of_conclusion.entails([(node, RDF.first, EX.a), (node, RDF.rest, RDF.nil)])


def test_declarations_are_a_question_and_hold(ontology_of_conclusion):
    assert ontology_of_conclusion.entails(graph(":A a owl:Class ."))


def test_supposed_individuals_are_letters_that_no_name_has():
    data = """
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :R1 rdfs:label "part of"@en ; a owl:ObjectProperty ; rdfs:subPropertyOf :R2 .
        :R2 rdfs:label "overlaps"@en ; a owl:ObjectProperty .
        :C owl:equivalentClass [ a owl:Restriction ; owl:onProperty :R2 ; owl:hasValue :x ] ."""
    ontology = load_ontology(Graph().parse(data=data))
    assert str(ontology.explain((EX.R1, RDFS.subPropertyOf, EX.R2))) == (
        "'part of' implies 'overlaps':\n"
        "x overlaps y [1]\n"
        "└─ because x is part of y (supposed)\n"
        "It rests on suppositions.\n"
        "By the axioms:\n"
        "[1] 'part of' SubPropertyOf 'overlaps'"
    )
    restriction = BNode()
    axiom = [
        (EX.C, RDFS.subClassOf, restriction),
        (restriction, RDF.type, OWL.Restriction),
        (restriction, OWL.onProperty, EX.R2),
        (restriction, OWL.hasValue, EX.x),
    ]
    assert "\ny overlaps x [1]\n└─ because y is in class C (supposed)\n" in str(ontology.explain(axiom))
