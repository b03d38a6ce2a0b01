"""Sentences for contradictions, one for each kind of constraint, as an ontology with that kind is refused."""

import pickle

import pytest
from rdflib import Graph, Literal, Namespace, Variable

import pantarhei as pr
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.proofs.contradiction_sentences import contradiction_sentence

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
:feeds a owl:ObjectProperty . :touches a owl:ObjectProperty . :weight a owl:DatatypeProperty .
"""


def restriction(on, *parts):
    pairs = " ; ".join(f"owl:{constructor} {value}" for constructor, value in parts)
    return f"[ a owl:Restriction ; owl:onProperty {on} ; {pairs} ]"


KINDS = {
    "functional data property": (
        ":weight a owl:FunctionalProperty . :a :weight 1 , 2 .",
        "a has two weights, 1 and 2; weight is functional",
    ),
    "functional property with a label": (
        ':maker a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:label "manufacturer" . '
        ':m :maker "Acme" , "Bolt" .',
        'm has two manufacturers, "Acme" and "Bolt"; manufacturer is functional',
    ),
    "functional by a subproperty": (
        ":weight a owl:FunctionalProperty . :gross rdfs:subPropertyOf :weight . :a :weight 1 ; :gross 2 .",
        "a has two weights, 1 and 2; weight is functional; this follows from: a has gross 2",
    ),
    "functional, but the values differ": (
        ":feeds a owl:FunctionalProperty . :a :feeds :b , :c . :b owl:differentFrom :c .",
        "b and c are the same, and different; this follows from: a feeds b and a feeds c",
    ),
    "disjoint classes": (
        ":Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant . :tom a :Cat , :Plant .",
        "tom is an animal and a plant, which are disjoint; this follows from: tom is a cat",
    ),
    "all disjoint classes": (
        "[] a owl:AllDisjointClasses ; owl:members ( :Open :Closed :Lost ) . :v a :Open , :Closed .",
        "v is closed and open, which are disjoint",
    ),
    "disjoint properties": (
        ":feeds owl:propertyDisjointWith :touches . :a :feeds :b ; :touches :b .",
        "a feeds b and a touches b; feeds and touches are disjoint",
    ),
    "irreflexive": (
        ":feeds a owl:IrreflexiveProperty . :a :feeds :a .",
        "a feeds itself; feeds is irreflexive",
    ),
    "asymmetric": (
        ":feeds a owl:AsymmetricProperty . :a :feeds :b . :b :feeds :a .",
        "a feeds b and b feeds a; feeds is asymmetric",
    ),
    "asymmetric with itself": (
        ":feeds a owl:AsymmetricProperty . :a :feeds :a .",
        "a feeds itself; feeds is asymmetric",
    ),
    "negative assertion": (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :feeds ; "
        "owl:targetIndividual :b . :a :feeds :b .",
        "a feeds b, which a negative assertion denies",
    ),
    "same and different": (
        ":a owl:sameAs :b . :a owl:differentFrom :b .",
        "a and b are the same, and different",
    ),
    "at most none": (
        f":Empty rdfs:subClassOf {restriction(':feeds', ('maxCardinality', 0))} . :a a :Empty ; :feeds :b .",
        "a is empty and a feeds b; excluded by: Empty SubClassOf feeds max 0",
    ),
    "at most one": (
        f":Box rdfs:subClassOf {restriction(':weight', ('maxCardinality', 1))} . :a a :Box ; :weight 1 , 2 .",
        "a has two weights, 1 and 2; at most one is allowed: Box SubClassOf weight max 1",
    ),
    "complement": (
        ":Cat rdfs:subClassOf [ owl:complementOf :Dog ] . :tom a :Cat , :Dog .",
        "tom is a cat and tom is a dog; excluded by: Cat SubClassOf not Dog",
    ),
    "data range": (
        ':weight rdfs:range xsd:integer . :a :weight "heavy" .',
        'a has weight "heavy"; excluded by: weight Range xsd:integer',
    ),
    "ill-typed literal": (
        ':a :weight "x"^^xsd:integer .',
        'a has weight "x", which is not a valid integer',
    ),
    "empty class": (
        ":Unicorn rdfs:subClassOf owl:Nothing . :a a :Unicorn .",
        "a is a unicorn; excluded by: Unicorn SubClassOf owl:Nothing",
    ),
    "empty property": (
        ":feeds rdfs:subPropertyOf owl:bottomObjectProperty . :a :feeds :b .",
        "a feeds b; excluded by: feeds SubPropertyOf owl:bottomObjectProperty",
    ),
    "an axiom alone": (
        "owl:Thing rdfs:subClassOf owl:Nothing .",
        "owl:Thing SubClassOf owl:Nothing contradicts itself",
    ),
    "a member of owl:Nothing": (
        ':a a owl:Nothing ; rdfs:label "pump" .',
        "pump is in owl:Nothing, which has no members",
    ),
    "a derived member of owl:Nothing": (
        ":feeds rdfs:range owl:Nothing . :a :feeds :b .",
        "a feeds b; excluded by: feeds Range owl:Nothing",
    ),
    "a member of an empty union": (
        ":a a [ owl:unionOf () ] .",
        "a is in owl:Nothing, which has no members",
    ),
    "a member of an empty enumeration": (
        ":a a [ a owl:Class ; owl:oneOf () ] .",
        "a Type {} contradicts itself",
    ),
    "a member of the complement of all": (
        ":a a [ owl:complementOf owl:Thing ] .",
        "a Type not owl:Thing contradicts itself",
    ),
    "different from itself": (":a owl:differentFrom :a .", "a is different from itself"),
    "the empty object property": (
        ":a owl:bottomObjectProperty :b .",
        "a and b are related by owl:bottomObjectProperty, which relates nothing",
    ),
    "the empty data property": (
        ':a owl:bottomDataProperty "x" .',
        'a and "x" are related by owl:bottomDataProperty, which relates nothing',
    ),
    "an empty data property": (
        ":weight rdfs:subPropertyOf owl:bottomDataProperty . :a :weight 1 .",
        "a has weight 1; excluded by: weight SubPropertyOf owl:bottomDataProperty",
    ),
    "a denial of the universal property": (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:targetIndividual :b ; "
        "owl:assertionProperty owl:topObjectProperty .",
        "not (a owl:topObjectProperty b) contradicts itself",
    ),
    "negative assertion of a value": (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :weight ; "
        "owl:targetValue 5 . :a :weight 5 .",
        "a has weight 5, which a negative assertion denies",
    ),
    "a class that is disjoint with itself": (
        ":RunningPump owl:disjointWith :RunningPump . :a a :RunningPump .",
        "a is a running pump; the class 'running pump' is disjoint with itself",
    ),
    "a property that is disjoint with itself": (
        ":feeds owl:propertyDisjointWith :feeds . :a :feeds :b .",
        "a feeds b; feeds is disjoint with itself",
    ),
    "the complement of itself": (
        ":Cat rdfs:subClassOf [ owl:complementOf :Cat ] . :tom a :Cat .",
        "tom is a cat; excluded by: Cat SubClassOf not Cat",
    ),
    "a class and its complement": (
        ":tom a :Cat , [ owl:complementOf :Cat ] .",
        "tom is a cat; excluded by: tom Type not Cat",
    ),
    "related to itself, and irreflexive": (
        f":feeds a owl:IrreflexiveProperty . :a a {restriction(':feeds', ('hasSelf', 'true'))} .",
        "a feeds itself; feeds is irreflexive",
    ),
    "an empty data range": (
        ":weight rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( "
        "[ xsd:minInclusive 5 ] [ xsd:maxInclusive 3 ] ) ] . :a :weight 4 .",
        "a has weight 4; excluded by: weight Range xsd:integer[>= 5, <= 3]",
    ),
    "a domain that is empty": (
        "owl:Thing rdfs:subClassOf :Cat , [ owl:complementOf :Cat ] .",
        "anything is a cat; excluded by: owl:Thing SubClassOf not Cat",
    ),
    "a rule": (
        ":x a swrl:Variable . [] a swrl:Imp ; swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :Cat ; "
        "swrl:argument1 :x ] ) ; swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate owl:Nothing ; "
        "swrl:argument1 :x ] ) . :tom a :Cat .",
        "tom is a cat; excluded by: Cat(?x) -> owl:Nothing(?x)",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_contradiction_is_one_sentence(kind):
    text, expected = KINDS[kind]
    with pytest.raises(pr.InconsistentOntologyError) as raised:
        pr.load_ontology(Graph().parse(data=PREFIXES + text))
    assert [str(each) for each in raised.value.contradictions] == [expected]
    assert str(raised.value).startswith(f"the ontology is inconsistent: {expected}\n")
    back = pickle.loads(pickle.dumps(raised.value))
    assert list(map(str, back.contradictions)) == [expected]
    for found, again in zip(raised.value.contradictions, back.contradictions, strict=True):
        assert found.to_json() == again.to_json()


UNIQUE = {
    "inverse functional": (
        ":feeds a owl:InverseFunctionalProperty . :a :feeds :c . :b :feeds :c .",
        "a feeds c and b feeds c; feeds is inverse functional",
    ),
    "key": (
        ":Box owl:hasKey ( :weight ) . :a a :Box ; :weight 1 . :b a :Box ; :weight 1 .",
        "a and b have the same key: weight 1",
    ),
    "functional": (
        ":feeds a owl:FunctionalProperty . :a :feeds :b , :c .",
        "a feeds two things, b and c; feeds is functional",
    ),
    "enumeration": (
        ":Colour rdfs:subClassOf [ owl:oneOf ( :red :green ) ] . :blue a :Colour .",
        "blue is a colour; excluded by: Colour SubClassOf {red, green}",
    ),
}


@pytest.mark.parametrize("kind", UNIQUE)
def test_contradictions_of_unique_names_are_sentences_too(kind):
    text, expected = UNIQUE[kind]
    ontology = pr.load_ontology(Graph().parse(data=PREFIXES + text))
    (found,) = ontology.report().contradictions
    assert (found.text, found.unique_names) == (expected, True)
    assert ontology.report(unique_names=False).contradictions == ()


UNPROVED = {
    ":Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant . :tom a :Cat , :Plant .": (
        "tom is a cat and tom is a plant; excluded by: Animal DisjointWith Plant"
    ),
    ":feeds a owl:AsymmetricProperty . :fills rdfs:subPropertyOf :feeds . :a :fills :b . :b :fills :a .": (
        "a fills b and b fills a; excluded by: Asymmetric: feeds"
    ),
    ":Open owl:disjointWith :Closed . :v a :Open , :Closed .": "v is closed and open, which are disjoint",
}


@pytest.mark.parametrize("text", UNPROVED)
def test_without_a_proof_assertions_are_not_taken_for_what_follows_from_them(text):
    triples = Graph().parse(data=PREFIXES + text)
    schema = Graph()
    facts = []
    for s, p, o in triples:
        if s in (EX.tom, EX.a, EX.b, EX.v):
            facts.append((s, p, o))
        else:
            schema.add((s, p, o))
    graph = pr.DynamicGraph(pr.load_ontology(schema))
    with pytest.raises(pr.ContradictionError) as raised:
        graph.change(insert=facts)
    assert [str(each) for each in raised.value.conflicts] == [UNPROVED[text]]


def test_at_most_three_further_facts_are_listed():
    x, y, z = map(Variable, "xyz")
    rule = Rule("prp-fp", (Atom(EX.p, (x, y)), Atom(EX.p, (x, z))), None, (Different(y, z),))
    facts = [(EX.a, EX.p, Literal(number)) for number in (1, 2)]
    further = [(EX.a, EX.level, Literal(number)) for number in range(5)]
    sentence = contradiction_sentence(rule, facts, [*facts, *further])
    assert sentence.endswith("a has level 0 and a has level 1 and a has level 2 and 2 further facts")


def test_untrusted_texts_stay_on_one_line():
    text = ':weight a owl:FunctionalProperty . :a :weight "one\\nline" , "\\u001b[31m" .'
    with pytest.raises(pr.InconsistentOntologyError) as raised:
        pr.load_ontology(Graph().parse(data=PREFIXES + text))
    (sentence,) = map(str, raised.value.contradictions)
    assert sentence.isprintable() and "one line" in sentence
