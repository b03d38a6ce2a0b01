"""The ontology's rules in the program of temporal rules."""

import pytest
from rdflib import OWL, RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.errors import TemporalRuleError

EX = Namespace("http://example.org/")
AXIOMS = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :Broken rdfs:subClassOf :Out .
    [ a owl:Class ; owl:intersectionOf ( :Out :Vital ) ] rdfs:subClassOf :Emergency .
    :hasFault rdfs:domain :Broken ; rdfs:range :Fault .
    :Spare rdfs:subClassOf :Ready . :Ready owl:disjointWith :Gone .
    :servedBy a owl:FunctionalProperty , owl:ObjectProperty .
    :level a owl:DatatypeProperty .
""" + "".join(  # eight data ranges: a ninth takes a byte more
    f"""[ a owl:Restriction ; owl:onProperty :level ; owl:someValuesFrom
      [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;
        owl:withRestrictions ( [ xsd:minInclusive {least} ] ) ] ] rdfs:subClassOf :High{least} . """
    for least in range(8)
)
ONTOLOGY = pr.load_ontology(Graph().parse(data=AXIOMS))


def reasoner_with(text, window=None, **options):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX), "owl": str(OWL)})
    return pr.StreamReasoner(ONTOLOGY, window or pr.Window(range=0), temporal=rules, **options)


def is_a(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def names(reasoner):
    return " ".join(sorted(atom.predicate.removeprefix(EX) for atom in reasoner.atoms()))


def test_what_follows_by_the_ontology_is_concluded_too():
    reasoner = reasoner_with(":Broken(V) :- asserted hot(V) in [1].")
    reasoner.push(0, is_a("hot"))
    assert names(reasoner) == "Broken Out"
    update = reasoner.push(1, is_a("Vital"))  # a premise that the stream brings
    assert names(reasoner) == "Broken Emergency Out"
    assert {atom.predicate for atom in update.conclusions.atoms_added} == {EX.Emergency}
    reasoner.push(2, is_a("Vital"))
    assert names(reasoner) == ""
    assert (EX.v, RDF.type, EX.Out) not in reasoner.materialization()


def test_of_a_property_domain_and_range_follow():
    reasoner = reasoner_with(":hasFault(V, F) :- reported(V, F).")
    reasoner.push(0, [(EX.v, EX.reported, EX.leak)])
    assert reasoner.conclusions() == {
        (EX.v, EX.hasFault, EX.leak),
        *is_a("Broken", "Out"),
        (EX.leak, RDF.type, EX.Fault),
    }


# at:                     0   1   2   3
# hot                     x
# Broken, Out (concluded) x
# late                    x   x   x        a window over what follows looks back at what was
def test_conclusions_of_the_ontologys_predicates_are_remembered_and_others_are_not():
    reasoner = reasoner_with(
        ":Broken(V) :- hot(V). alarm(V) :- hot(V). late(V) :- :Out(V) in [2]. no(V) :- alarm(V) in [2]."
    )
    seen = []
    for at in range(4):
        reasoner.push(at, is_a("hot") if at == 0 else [])
        seen.append(names(reasoner))
    assert seen == ["Broken Out alarm late no", "late", "late", ""]


def high(reasoner, least):
    return {who for who, _, class_ in reasoner.conclusions() if class_ == EX[f"High{least}"]}


def test_literals_are_tested_as_in_the_ontology():
    reasoner = reasoner_with(":level(V, M) :- asserted reading(V, N), M = N * 2.")
    reasoner.push(0, [(EX.v, EX.reading, Literal(2)), (EX.w, EX.reading, Literal(3))])
    assert high(reasoner, 5) == {EX.w} and high(reasoner, 4) == {EX.v, EX.w}
    # an ill-typed value brings a constraint and a data range more: the numbers of ranges are others then
    bad = Literal("none", datatype=Literal(1).datatype)
    reasoner.push(1, [(EX.v, EX.reading, Literal(4)), (EX.w, EX.other, bad)])
    assert high(reasoner, 5) == {EX.v} and high(reasoner, 7) == {EX.v}


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (":Gone(V)", r"Gone is of the ontology, and its conclusions can contradict: DisjointClasses"),
        (":Spare(V)", "Spare is of the ontology, and its conclusions can contradict"),
        (":servedBy(V, V)", "can contradict: FunctionalObjectProperty"),
        ("owl:Nothing(V)", "can contradict: what owl:Nothing is"),
        ("owl:sameAs(V, V)", "can contradict: unique names"),
    ],
)
def test_a_head_that_a_constraint_can_follow_from_is_refused_with_its_place(head, said):
    with pytest.raises(TemporalRuleError, match=said) as caught:
        reasoner_with(f"alarm(V) :- hot(V).\n  {head} :- hot(V).")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_without_unique_names_a_head_that_makes_names_equal_is_refused():
    for head in ("owl:sameAs(V, V)", ":servedBy(V, V)"):
        with pytest.raises(TemporalRuleError, match="can make names equal by"):
            reasoner_with(f"{head} :- hot(V).", unique_names=False)


def test_without_unique_names_what_is_concluded_of_a_name_is_concluded_of_its_equals():
    reasoner = reasoner_with(":Broken(V) :- asserted hot(V).", unique_names=False)
    reasoner.push(0, [*is_a("hot"), (EX.v, OWL.sameAs, EX.w)])
    assert (EX.w, RDF.type, EX.Out) in reasoner.conclusions()


def test_strata_are_those_of_all_rules_together():
    with pytest.raises(TemporalRuleError, match="Broken rests on its own absence"):
        reasoner_with(":Broken(V) :- hot(V), not :Emergency(V).")
    assert pr.load_rules(":Broken(V) :- hot(V), not :Emergency(V).", prefixes={"": str(EX)})


def test_a_checkpoint_has_what_is_remembered_of_what_follows():
    reasoner = reasoner_with(":Broken(V) :- hot(V). late(V) :- :Out(V) in [2].")
    reasoner.push(0, is_a("hot"))
    reasoner.advance(1)
    again = pr.StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert names(again) == names(reasoner) == "late"
    again.advance(3)
    assert names(again) == ""
