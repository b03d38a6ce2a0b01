"""`why_not` of a reasoner: missing facts, retracted assertions, limits."""

import pickle

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef

import pantarhei as pr

EX = Namespace("http://example.org/")
PLANT = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> . @prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Smoke rdfs:subClassOf :Danger . :Danger rdfs:subClassOf :Alarm . :Alarm owl:disjointWith :Safe .
:at a owl:ObjectProperty , owl:FunctionalProperty .
:watches a owl:ObjectProperty .
:reads a owl:DatatypeProperty .
:Hot owl:equivalentClass [ a owl:Restriction ; owl:onProperty :reads ; owl:someValuesFrom
    [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 80 ] ) ] ] .
:Watched owl:equivalentClass [ a owl:Restriction ; owl:onProperty :watches ; owl:someValuesFrom :Smoke ] .
:v a swrl:Variable . :w a swrl:Variable . :x a swrl:Variable .
[] a swrl:Imp ;
  swrl:body ( [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :half ;
                swrl:argument1 :x ; swrl:argument2 :v ]
              [ a swrl:BuiltinAtom ; swrl:builtin swrlb:multiply ; swrl:arguments ( :w :v 2 ) ] ) ;
  swrl:head ( [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :reads ;
                swrl:argument1 :x ; swrl:argument2 :w ] ) .
:half a owl:DatatypeProperty .
:Covered owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :Watched :Hot ) ] .
"""
ROOM, CAMERA = EX.room, EX.camera


def is_a(class_, who=ROOM):
    return (who, RDF.type, class_)


@pytest.fixture
def ontology():
    return pr.load_ontology(Graph().parse(data=PLANT))


def reasoner_after(ontology, *aboxes, **options):
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=3), **options)
    for at, triples in enumerate(aboxes):
        reasoner.push(at, triples)
    return reasoner


def test_the_one_missing_premise_is_named(ontology):
    reasoner = reasoner_after(
        ontology, [is_a(EX.Smoke), (CAMERA, EX.at, ROOM)], [(CAMERA, EX.watches, EX.hall)]
    )
    absence = reasoner.why_not(is_a(EX.Watched, CAMERA))
    assert frozenset({(CAMERA, EX.watches, ROOM)}) in absence.missing
    assert frozenset({is_a(EX.Smoke, EX.hall)}) in absence.missing
    assert [len(each) for each in absence.missing] == [1, 1] and absence.complete
    (first, _) = absence.ways
    assert first.rule.name.startswith("cls-svf1") and not first.is_contradicted
    assert "camera is watched" in str(absence) and "missing:" in str(absence)


def test_a_missing_reading_gets_a_value_that_would_do(ontology):
    reasoner = reasoner_after(ontology, [(CAMERA, EX.reads, Literal(60))])
    (missing,) = reasoner.why_not(is_a(EX.Hot, CAMERA)).missing[:1]
    ((_, _, value),) = missing
    assert value.toPython() >= 80
    reasoner.push(1, list(missing))
    assert is_a(EX.Hot, CAMERA) in reasoner.materialization()


def test_what_a_repair_took_out_is_told_with_the_whole_contradiction(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Safe)], [is_a(EX.Smoke)])
    absence = reasoner.why_not(is_a(EX.Safe))
    (gone,) = absence.gone
    assert (gone.asserted_at, gone.removed_at, gone.left_at) == (0, 1, None)
    ((proof,),) = (conflict.proofs for conflict in gone.conflicts)
    assert [step.fact and step.fact[2] for step in proof.steps] == [
        *(EX.Smoke, EX.Danger, EX.Alarm, EX.Safe),
        None,
    ]
    text = str(absence)
    assert "removed at 1" in text and "danger" in text and "alarm" in text


def test_what_it_rested_on_and_left_with_its_timestamp_is_told(ontology):
    reasoner = reasoner_after(
        ontology, [is_a(EX.Smoke)], [(CAMERA, EX.watches, ROOM)], [is_a(EX.Safe, EX.hall)]
    )
    assert is_a(EX.Watched, CAMERA) in reasoner.materialization()
    reasoner.advance(4)
    absence = reasoner.why_not(is_a(EX.Watched, CAMERA))
    way = next(way for way in absence.ways if way.triples == {is_a(EX.Smoke)})
    ((gone,),) = (missing.gone for missing in way.missing)
    assert (gone.asserted_at, gone.left_at, gone.removed_at) == (0, 4, None)
    assert "left the window at 4" in str(absence)


def test_a_way_that_a_repair_would_touch_names_the_conflict(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Safe)], [is_a(EX.Smoke, EX.hall)])
    (way,) = reasoner.why_not(is_a(EX.Alarm)).ways
    assert way.is_contradicted and way.triples == {is_a(EX.Smoke)}
    (conflict,) = way.conflicts
    assert conflict.assertions == {(0, is_a(EX.Safe)), (1, is_a(EX.Smoke))}


@pytest.mark.parametrize(
    ("triple", "kind", "nearest"),
    [
        (is_a(EX.Smok), "class", EX.Smoke),
        ((CAMERA, EX.watch, ROOM), "property", EX.watches),
        (is_a(EX.Alarm, EX.camer), "name", CAMERA),
        (is_a(EX.Alarm, BNode("nobody")), "blank node", None),
    ],
)
def test_a_name_that_nobody_knows_is_told_with_the_nearest_known_one(ontology, triple, kind, nearest):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke), (CAMERA, EX.watches, ROOM)])
    unknown = {each.kind: each.nearest for each in reasoner.why_not(triple).unknown}
    assert unknown[kind][:1] == ((nearest,) if nearest else ())
    assert "is known" in str(reasoner.why_not(triple)) or "Nothing is known" in str(reasoner.why_not(triple))


def test_what_no_rule_concludes_is_said_to_be_so(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)])
    absence = reasoner.why_not((CAMERA, EX.at, ROOM))
    assert not absence.concluded and not absence.asserted and absence.ways == ()
    assert "No rule concludes it" in str(absence)


def test_what_the_stream_does_not_assert_is_told_apart(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)], background=[(CAMERA, EX.watches, EX.hall)])
    absence = reasoner.why_not(is_a(EX.Hot, CAMERA))
    assert absence.ways == () and [len(way.triples) for way in absence.beyond] == [1]


def test_an_older_time_is_answered_as_it_was_then(ontology):
    aboxes = [
        [is_a(EX.Safe)],
        [is_a(EX.Smoke)],
        [(CAMERA, EX.watches, ROOM)],
        [],
        [],
        [is_a(EX.Safe, EX.hall)],
    ]
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=3))
    told = []
    for at, triples in enumerate(aboxes):
        reasoner.push(at, triples)
        held = is_a(EX.Watched, CAMERA) in reasoner.materialization()
        ask = reasoner.explain if held else reasoner.why_not
        told.append(
            (at, held, ask(is_a(EX.Watched, CAMERA)), reasoner.explain(min(reasoner.materialization())))
        )
    assert {held for _, held, _, _ in told} == {True, False}
    for again in (reasoner, pr.StreamReasoner.restore(reasoner.snapshot(), ontology)):
        for at, held, answer, proof in told:
            ask = again.explain if held else again.why_not
            assert str(ask(is_a(EX.Watched, CAMERA), at=at)) == str(answer)
            assert again.explain(proof.triple, at=at) == proof
    with pytest.raises(pr.TimestampError):
        reasoner.explain(is_a(EX.Alarm), at=-5)


def test_answers_pickle_and_say_the_same(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Safe)], [is_a(EX.Smoke)])
    for triple in (is_a(EX.Safe), is_a(EX.Watched)):
        absence = reasoner.why_not(triple)
        again = pickle.loads(pickle.dumps(absence))
        assert again == absence and str(again) == str(absence)


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, None])
def test_a_limit_that_is_none_is_refused(ontology, limit):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)])
    with pytest.raises(pr.OptionError):
        reasoner.why_not(is_a(EX.Safe), limit=limit)
    with pytest.raises(pr.OptionError):
        reasoner.explain(is_a(EX.Alarm), limit=limit)


def test_before_the_stream_begins_only_the_background_is_there(ontology):
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=3), background=[is_a(EX.Smoke)])
    assert reasoner.explain(is_a(EX.Alarm)).background == {is_a(EX.Smoke)}
    assert "does not hold" in str(reasoner.why_not(is_a(EX.Safe)))


def test_schema_triples_are_no_facts(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)])
    with pytest.raises(pr.NotEntailedError):
        reasoner.explain((EX.Smoke, RDFS.subClassOf, EX.Alarm))


def test_what_a_computed_value_is_tested_for_is_computed_from_what_is_missing(ontology):
    reasoner = reasoner_after(ontology, [(CAMERA, EX.half, Literal(45))], [(ROOM, EX.half, Literal(1))])
    (missing,) = reasoner.why_not(is_a(EX.Hot)).missing
    assert {predicate for _, predicate, _ in missing} == {EX.half}
    reasoner.push(2, list(missing))
    assert is_a(EX.Hot) in reasoner.materialization()


def test_where_no_value_that_was_tried_does_that_is_said(ontology):
    reasoner = reasoner_after(ontology, [(CAMERA, EX.half, Literal(45))])
    absence = reasoner.why_not((CAMERA, EX.reads, Literal(14)))  # 7 would do
    assert not absence.ways and not absence.complete
    assert str(absence).endswith("Not everything was explored: there may be one.")
    assert "Nothing that could be added" not in str(absence)


def test_a_premise_that_rules_conclude_only_in_a_cycle_can_be_missing():
    """Before the stream begins nothing is assertable, and `:Wet` and `:Damp` conclude each other."""
    data = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Wet owl:equivalentClass :Damp . :Damp rdfs:subClassOf :Alarm ."""
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=data)), pr.Window(range=3))
    absence = reasoner.why_not(is_a(EX.Alarm))
    missing = [way.triples for way in absence.beyond]
    assert missing and set(missing) <= {frozenset({is_a(EX.Wet)}), frozenset({is_a(EX.Damp)})}
    assert "Nothing that could be added" not in str(absence)


def test_words_of_owl_lead_to_the_ontology(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)])
    absence = reasoner.why_not((EX.Smoke, RDFS.subClassOf, EX.Alarm))
    assert [(each.name, each.kind) for each in absence.unknown] == [(RDFS.subClassOf, "word of OWL")]
    assert "subClassOf is a term of OWL: ontology.explain" in str(absence)
    assert ontology.explain((EX.Smoke, RDFS.subClassOf, EX.Alarm))


def test_no_facts_are_asked_for_of_a_blank_node_that_no_message_can_name(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke)])
    absence = reasoner.why_not(is_a(EX.Alarm, BNode("other")))
    assert not absence.ways and [each.kind for each in absence.unknown] == ["blank node"]


def test_what_was_asserted_and_is_gone_is_not_said_to_have_never_been_asserted(ontology):
    reasoner = reasoner_after(ontology, [is_a(EX.Safe)], [is_a(EX.Smoke)])
    text = str(reasoner.why_not(is_a(EX.Safe)))
    assert "It was asserted at 0" in text and "has not asserted" not in text


def test_the_same_ways_are_told_whatever_the_order_in_which_facts_came():
    """Where the steps do not suffice for all, the order in which facts are tried decides what is told."""
    ontology = pr.load_ontology(
        Graph().parse(
            data="""@prefix owl: <http://www.w3.org/2002/07/owl#> .
            <http://example.org/part> a owl:ObjectProperty , owl:TransitiveProperty ."""
        )
    )
    pairs = (3, 4), (2, 2), (1, 1), (6, 5), (0, 2), (4, 3), (4, 0), (2, 4)
    facts = [(EX[f"n{i}"], EX.part, EX[f"n{k}"]) for i, k in pairs]
    texts = [
        str(reasoner_after(ontology, given).why_not((EX.m, EX.part, EX.n1)))
        for given in (facts, facts[::-1], sorted(facts))
    ]
    assert "Not everything was explored" in texts[0] and len(set(texts)) == 1


def test_names_that_are_no_valid_iris_are_explained_as_others(ontology):
    odd = URIRef("http://example.org/a room")
    reasoner = reasoner_after(ontology, [is_a(EX.Smoke, odd)])
    assert reasoner.explain(is_a(EX.Alarm, odd)).supports == {(0, is_a(EX.Smoke, odd))}
    update = reasoner.push(1, [is_a(EX.Safe, odd)])
    ((proof,),) = (conflict.proofs for conflict in update.repair.conflicts)
    assert "a room is in class 'smoke' (asserted at 0)" in str(proof)
    absence = reasoner.why_not(is_a(EX.Alarm, odd))
    assert frozenset({is_a(EX.Smoke, odd)}) in absence.missing
    with pytest.raises(pr.NotEntailedError) as raised:
        reasoner.explain(is_a(EX.Alarm, odd))
    assert "<http://example.org/a room>" in str(raised.value)


def test_a_fact_that_contradicts_itself_is_told_with_that_conflict_first():
    ontology = pr.load_ontology(
        Graph().parse(
            data="""@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://example.org/> .
            :above a owl:ObjectProperty , owl:IrreflexiveProperty ; owl:propertyDisjointWith :below .
            :below a owl:ObjectProperty ."""
        )
    )
    above, below = (ROOM, EX.above, ROOM), (ROOM, EX.below, ROOM)
    reasoner = reasoner_after(ontology, [(CAMERA, EX.below, ROOM)], [above, below])
    (gone,) = reasoner.why_not(above).gone
    assert gone.conflicts[0].assertions == {(1, above)}


# -- where names may be equal ----------------------------------------------------------------------

EQUAL = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:isIn a owl:ObjectProperty , owl:FunctionalProperty .
:near a owl:ObjectProperty , owl:TransitiveProperty .
:adjacent a owl:ObjectProperty , owl:SymmetricProperty ; rdfs:subPropertyOf :near .
:watches a owl:ObjectProperty . :watchedBy a owl:ObjectProperty ; owl:inverseOf :watches .
:Camera rdfs:subClassOf :Sensor .
:Watched owl:equivalentClass [ a owl:Restriction ; owl:onProperty :watchedBy ; owl:someValuesFrom :Camera ] .
"""
HALL, STAIRS, PERSON = EX.hall, EX.stairs, EX.person


@pytest.fixture
def of_equals():
    facts = [(PERSON, EX.isIn, ROOM), (ROOM, EX.adjacent, HALL)]
    facts += [is_a(EX.Camera, CAMERA), (CAMERA, EX.watches, STAIRS)]
    return reasoner_after(pr.load_ontology(Graph().parse(data=EQUAL)), facts, unique_names=False)


@pytest.mark.parametrize(
    ("triple", "others"),
    [((STAIRS, OWL.sameAs, ROOM), set()), (is_a(EX.Watched), {frozenset({(CAMERA, EX.watches, ROOM)})})],
)
def test_what_would_make_names_equal_is_missing(of_equals, triple, others):
    absence = of_equals.why_not(triple)
    assert absence.complete
    assert set(absence.missing) == {frozenset({(PERSON, EX.isIn, STAIRS)}), *others}


def test_ways_with_and_without_an_equality_are_found_side_by_side(of_equals):
    ends = [(STAIRS, ROOM), (ROOM, STAIRS), (STAIRS, HALL), (HALL, STAIRS)]
    adjacent = {frozenset({(one, EX.adjacent, other)}) for one, other in ends}
    absence = of_equals.why_not((STAIRS, EX.near, HALL))
    assert set(absence.missing) == {frozenset({(PERSON, EX.isIn, STAIRS)}), *adjacent}


def test_what_stands_far_below_is_found():
    """Twenty rules above one another."""
    steps = "".join(f":C{i} rdfs:subClassOf :C{i + 1} . " for i in range(20))
    ontology = pr.load_ontology(
        Graph().parse(
            data="@prefix : <http://example.org/> ."
            f"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . {steps}"
        )
    )
    absence = reasoner_after(ontology, [is_a(EX.C0, HALL)]).why_not(is_a(EX.C20))
    assert absence.missing == (frozenset({is_a(EX.C0)}),) and absence.complete


# -- labels ----------------------------------------------------------------------------------------


def test_names_that_only_a_contradiction_mentions_are_called_by_their_labels():
    ontology = pr.load_ontology(
        Graph().parse(
            data="""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
            @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
            :X1 rdfs:subClassOf :X2 ; rdfs:label "milling process" . :X2 rdfs:label "occurrent" .
            :Y1 rdfs:subClassOf :Y2 ; rdfs:label "product" . :Y2 rdfs:label "continuant" .
            :X2 owl:disjointWith :Y2 . :room rdfs:label "the hall" ."""
        )
    )
    reasoner = reasoner_after(ontology, [is_a(EX.X1)], [is_a(EX.Y1)])
    for asked in (EX.X2, EX.X1):
        text = str(reasoner.why_not(is_a(asked)))
        for label in ("the hall", "milling process", "occurrent", "product", "continuant"):
            assert label in text, (asked, label)
