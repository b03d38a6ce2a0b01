"""Which keys a program can be sharded by. Each refusal here is one that an easier analysis would miss."""

import json
import pickle

import pytest
from rdflib import OWL, RDF, XSD, Graph, Literal

from pantarhei import InconsistentOntologyError, MissingFileError, Ontology, OptionError, load_ontology
from pantarhei.model.rule import Different, Rule
from pantarhei.rules.sharding.locality import MOST_PROPERTIES
from strategies import EX, A, B, C, D, R, S, V, a, b, c, is_a, member, related, x, y, z

K, L = EX.inBuilding, EX.isIn
ONE_HOUSE = [(a, K, EX.h1), (b, K, EX.h1), (c, K, EX.h2)]


def rule(head, *body, different=()):
    return Rule("r", body, head, different)


def report(rules, background=(), **options):
    return Ontology.from_rules(rules).sharding_report(background=background, **options)


def reasons(rules, background=(), key="subject", **options):
    return [each.reason for each in report(rules, background, **options).obstacles[key]]


# --- the subject as key ---


def test_joins_on_the_subject_are_local_and_joins_of_two_subjects_are_not():
    on_subject = rule(is_a(C, x), is_a(A, x), related(R, x, y))
    across = rule(is_a(C, x), related(R, x, y), is_a(A, y))
    assert report([on_subject]).keys == ("subject",)
    found = report([on_subject, across])
    assert found.keys == ()
    (obstacle,) = found.obstacles["subject"]
    assert obstacle.rule == across
    assert obstacle.atoms == (related(R, x, y), is_a(A, y))
    assert obstacle.reason == "R(?x, ?y) is in the shard of ?x; A(?y) is in the shard of ?y"


def test_a_constraint_is_held_to_the_same_as_a_rule():
    assert report([rule(None, is_a(A, x), is_a(B, x))]).allows("subject")
    assert not report([rule(None, related(R, x, y), related(S, y, x))]).allows("subject")


def test_an_inverse_takes_the_key_to_the_object():
    inverse = rule(related(S, y, x), related(R, x, y))
    assert report([inverse]).allows("subject")
    # what R says of x is with x; S(y, x) may be asserted with y, or derived with x
    assert not report([inverse, rule(is_a(C, x), related(S, x, y), is_a(A, y))]).allows("subject")
    assert not report([inverse, rule(is_a(C, x), related(S, x, y), is_a(A, x))]).allows("subject")
    only_r = {"streaming": [R, A]}
    assert report([inverse, rule(is_a(C, x), related(S, x, y), is_a(A, y))], **only_r).allows("subject")
    assert not report([inverse, rule(is_a(C, x), related(S, x, y), is_a(A, x))], **only_r).allows("subject")


def test_a_symmetric_property_is_at_both_ends():
    symmetric = rule(related(R, y, x), related(R, x, y))
    assert report([symmetric]).allows("subject")
    (reason,) = reasons([symmetric, rule(None, related(R, x, y), is_a(A, x))])
    at_object, at_subject = reason.split("; ")
    assert at_object == "R(?x, ?y) is in the shard of ?y, as R(?y, ?x) :- R(?x, ?y). derives it"
    assert at_subject == "A(?x) is in the shard of ?x"


def test_facts_at_both_ends_may_meet_where_both_ends_are_one():
    loops = [rule(related(R, x, x), is_a(A, x)), rule(is_a(C, x), related(R, x, x), is_a(B, x))]
    assert report([*loops, rule(related(R, y, x), related(R, x, y))]).allows("subject")


def test_the_class_of_an_object_is_in_any_shard_and_a_join_sees_it():
    range_ = rule(is_a(A, y), related(R, x, y))
    assert report([range_]).allows("subject")
    assert report([range_, rule(is_a(B, x), is_a(A, x))]).allows("subject")
    assert reasons([range_, rule(None, is_a(A, x), is_a(B, x))]) == [
        "A(?x) may be in any shard, as A(?y) :- R(?x, ?y). derives it; B(?x) is in the shard of ?x"
    ]


def test_what_is_in_any_shard_stays_so_through_many_rules():
    rules = [
        rule(is_a(A, y), related(R, x, y)),
        rule(is_a(B, x), is_a(A, x)),
        rule(related(S, x, a), is_a(B, x)),
        rule(None, related(S, x, y), related(S, x, z), different=(Different(y, z),)),
    ]
    assert not report(rules).allows("subject")
    assert report(rules[1:]).allows("subject")


def test_a_constant_is_concluded_in_any_shard():
    """Whoever has the value a makes a a C: each shard can have C(a), and D(a) is in one."""
    everywhere = rule(is_a(C, a), related(R, x, a))
    assert report([everywhere]).allows("subject")
    assert not report([everywhere, rule(None, is_a(C, x), is_a(D, x))]).allows("subject")
    assert report([rule(is_a(C, a), is_a(A, a)), rule(None, is_a(C, x), is_a(D, x))]).allows("subject")


def test_constants_meet_if_their_keys_do():
    nominals = rule(None, is_a(A, a), is_a(B, b))
    found = report([nominals], [(a, K, EX.h1), (b, K, EX.h1)])
    assert found.keys == (K,)
    assert not report([nominals], [(a, K, EX.h1), (b, K, EX.h2)]).allows(K)


def test_a_has_value_keeps_the_subject_and_its_inverse_follows_it():
    has_value = rule(related(R, x, a), is_a(A, x))
    inverse = rule(related(S, y, x), related(R, x, y))
    several = rule(None, related(S, x, y), related(S, x, z), different=(Different(y, z),))
    assert report([has_value, inverse]).allows("subject")
    assert not report([has_value, inverse, several]).allows("subject")


def test_a_transitive_property_is_refused_though_one_rule_joins_it_with_itself():
    assert not report([rule(related(R, x, z), related(R, x, y), related(R, y, z))]).allows("subject")


def test_inequalities_join_nothing():
    functional = rule(None, related(R, x, y), related(R, x, z), different=(Different(y, z),))
    by_object = rule(None, related(R, x, z), related(R, y, z), different=(Different(x, y),))
    assert report([functional]).allows("subject")
    assert not report([by_object]).allows("subject")


def test_equal_values_are_no_key_of_the_subject():
    assert not report([rule(None, related(V, x, z), related(V, y, z), is_a(A, x))]).allows("subject")


# --- the background ---


def test_the_background_joins_for_nothing_because_it_is_everywhere():
    across = rule(is_a(C, x), related(L, x, y), is_a(A, y))
    found = report([across], [(a, L, b)])
    assert found.allows("subject")
    assert L in found.background_only
    assert not found.admits(L, is_class=False)
    assert found.admits(A, is_class=True)
    assert not report([across]).allows("subject")


def test_what_the_background_has_and_the_stream_derives_is_not_taken_for_background():
    rules = [rule(related(L, x, y), related(R, x, y)), rule(is_a(C, x), related(L, x, y), is_a(A, y))]
    assert not report(rules, [(a, L, b)]).allows("subject")
    assert report(rules, [(a, L, b)], streaming=[A]).allows("subject")


def test_a_declared_stream_leaves_rules_without_facts():
    across = rule(is_a(C, x), related(R, x, y), is_a(A, y))
    found = report([across], streaming=[A])
    assert found.allows("subject")
    assert found.background_only == {C, R}
    assert found.admits(A, is_class=True)
    assert not found.admits(A, is_class=False)
    assert not found.admits(EX.neverMentioned, is_class=False)
    assert not report([across], streaming=[A, R]).allows("subject")


def test_what_the_ontology_asserts_is_background_too():
    graph = Graph().parse(
        data="""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        [] a owl:Restriction ; owl:onProperty :isIn ; owl:someValuesFrom :A ; rdfs:subClassOf :C .
        :a :isIn :b . :isIn a owl:ObjectProperty . :A a owl:Class . :C a owl:Class ."""
    )
    found = load_ontology(graph).sharding_report()
    assert found.background_only == {L}
    assert found.allows("subject")


def test_a_background_that_contradicts_the_ontology_is_refused():
    with pytest.raises(InconsistentOntologyError):
        report([rule(None, is_a(A, x), is_a(B, x))], [member(A, a), member(B, a)])


# --- a property as key ---


def test_a_property_of_the_background_joins_what_it_brings_together():
    rules = [
        rule(is_a(C, y), is_a(A, x), related(K, x, y)),
        rule(None, is_a(C, y), related(K, x, y), is_a(B, x)),
        rule(None, is_a(A, x), related(K, x, z), related(K, y, z), is_a(D, y)),
    ]
    found = report(rules, ONE_HOUSE)
    assert found.keys == (K,)
    assert [str(found.maps[K].of(each)) for each in (a, c, EX.h1, EX.unknown)] == [
        str(each) for each in (EX.h1, EX.h2, EX.h1, EX.unknown)
    ]


def test_two_names_without_a_common_background_atom_are_two_shards_for_a_property():
    assert not report([rule(None, related(R, x, y), is_a(A, y))], ONE_HOUSE).allows(K)
    one_joins = rule(None, related(R, x, y), is_a(A, y), related(K, x, z))
    both_join = rule(None, related(R, x, y), is_a(A, y), related(K, x, z), related(K, y, z))
    assert not report([one_joins], ONE_HOUSE).allows(K)
    assert report([both_join], ONE_HOUSE).allows(K)


def test_other_background_properties_help_while_all_their_facts_stay_in_a_shard():
    across = rule(is_a(C, x), related(L, x, y), is_a(A, y))
    meeting = rule(None, is_a(C, x), is_a(B, x))
    assert report([across, meeting], [*ONE_HOUSE, (a, L, b)]).allows(K)
    assert not report([across, meeting], [*ONE_HOUSE, (a, L, b), (c, L, b)]).allows(K)
    assert not report([across, meeting], [*ONE_HOUSE, (a, L, b), (EX.unknown, L, b)]).allows(K)


def test_a_key_can_follow_from_rules_over_the_background():
    rules = [
        rule(related(K, x, y), related(L, x, y)),
        rule(related(K, x, z), related(L, x, y), related(EX.partOf, y, z)),
        rule(None, is_a(A, x), related(K, x, y), related(K, z, y), is_a(B, z)),
    ]
    found = report(rules, [(a, L, EX.h1), (b, EX.partOf, EX.h2)])
    assert K in found.keys
    assert K in found.background_only
    found = report(rules, [(a, L, EX.room), (EX.room, EX.partOf, EX.h1)])
    assert found.no_keys[K].reason == "it is not functional: a has h1 and room"


def test_a_key_must_give_each_name_one_shard_and_a_shard_itself():
    local = rule(is_a(B, x), is_a(A, x), related(K, x, y))
    assert "functional" in report([local], [(a, K, EX.h1), (a, K, EX.h2)]).no_keys[K].reason
    assert report([local], [(a, K, b), (b, K, c)]).no_keys[K].reason == "a value has another value: b has c"
    assert K in report([local], [(a, K, b), (b, K, b)]).keys


def test_a_key_that_the_stream_may_change_is_none():
    local = rule(is_a(B, x), is_a(A, x), related(K, x, y))
    moving = rule(related(K, x, y), related(R, x, y))
    for rules, options in (([local], {"streaming": [A, K]}), ([local, moving], {})):
        found = report(rules, [(a, K, b)], keys=["subject", K], **options)
        assert "stream" in found.no_keys[K].reason
        assert not found.allows(K)


def test_keys_can_be_values_and_are_compared_as_such():
    zone = EX.zone
    rules = [rule(None, is_a(A, x), related(zone, x, z), related(zone, y, z), is_a(B, y))]
    one = [(a, zone, Literal(1)), (b, zone, Literal("01", datatype=Literal(1).datatype, normalize=False))]
    found = report(rules, one)
    assert zone in found.keys
    assert found.maps[zone].of(a) == found.maps[zone].of(b)
    twice = [(a, zone, Literal(1)), (a, zone, Literal("1.0", datatype=Literal(1).datatype))]
    assert zone in report(rules, twice[:1]).keys


# --- promises ---


def test_a_promised_property_links_what_it_connects():
    across = rule(is_a(C, x), is_a(A, x), related(R, x, y), is_a(B, y))
    transitive = rule(related(R, x, z), related(R, x, y), related(R, y, z))
    assert not report([across], ONE_HOUSE).allows(K)
    found = report([across, transitive], ONE_HOUSE, colocated=[R])
    assert found.allows(K) and found.needed[K] == {R}
    assert not found.allows("subject")  # which ignores promises
    assert "usable, if streamed facts of R connect only names with equal inBuilding" in str(found)


def test_facts_that_rules_derive_of_a_promised_property_must_stay_in_a_shard_too():
    across = rule(None, is_a(A, x), related(R, x, y), is_a(B, y))
    symmetric, loop = rule(related(R, y, x), related(R, x, y)), rule(related(R, x, x), is_a(A, x))
    assert report([across, symmetric, loop], ONE_HOUSE, colocated=[R]).allows(K)
    for strays in (rule(related(R, x, y), related(S, x, y)), rule(related(R, x, a), is_a(A, x))):
        assert not report([across, strays], ONE_HOUSE, colocated=[R]).allows(K)
    also = rule(related(R, x, y), related(S, x, y))
    assert report([across, also], ONE_HOUSE, colocated=[R, S]).allows(K)


def test_background_facts_of_a_promised_property_must_keep_it():
    across = rule(None, is_a(A, x), related(R, x, y), is_a(B, y))
    options = {"streaming": [A, B, R], "colocated": [R], "keys": [K]}
    assert report([across], [*ONE_HOUSE, (a, R, b)], **options).allows(K)
    assert not report([across], [*ONE_HOUSE, (a, R, c)], **options).allows(K)


def test_a_derived_property_links_if_all_its_rules_do():
    joined = rule(is_a(C, x), is_a(A, x), related(S, x, y), is_a(B, y))
    near = rule(related(S, x, y), is_a(A, x), related(L, x, y))
    options = {"streaming": [A, B, R], "keys": [K]}
    assert report([joined, near], [*ONE_HOUSE, (a, L, b)], **options).allows(K)
    assert not report([joined, near], [*ONE_HOUSE, (a, L, c)], **options).allows(K)
    also = rule(related(S, x, y), related(R, x, y))
    assert not report([joined, near, also], ONE_HOUSE, **options).allows(K)


def test_equal_names_are_in_one_shard_if_that_is_promised():
    functional = rule(None, related(R, x, y), related(R, x, z), different=(Different(y, z),))
    meeting = rule(None, is_a(A, x), is_a(B, x))
    options = {"streaming": [A, B, R], "unique_names": False, "keys": [K]}
    assert not report([functional, meeting], ONE_HOUSE, **options).allows(K)
    assert report([functional, meeting], ONE_HOUSE, colocated=[R], **options).allows(K)


# --- names ---


def test_merged_names_are_in_one_shard():
    found = report([rule(None, is_a(A, x), is_a(B, x))], [(a, OWL.sameAs, b)])
    assert found.keys == ("subject",)
    assert found.maps["subject"].of(a) == found.maps["subject"].of(b)
    found = report([rule(None, is_a(A, a), is_a(B, b))], [(a, OWL.sameAs, b), (b, K, EX.h1)])
    assert set(found.keys) == {"subject", K}
    assert found.maps[K].of(a) == found.maps[K].of(b) == EX.h1


def test_without_unique_names_equality_joins_everything_it_may_reach():
    functional = rule(None, related(R, x, y), related(R, x, z), different=(Different(y, z),))
    options = {"unique_names": False}
    assert report([functional]).allows("subject")
    assert not report([functional], **options).allows("subject")
    assert not report([], **options).allows("subject")  # the stream may assert sameAs
    assert report([rule(None, is_a(A, x), is_a(B, x))], streaming=[A, B], **options).allows("subject")
    assert not report([functional], streaming=[A, R], **options).allows("subject")


def test_the_class_of_all_things_gets_the_objects_of_properties_that_nobody_named():
    of_things = rule(None, is_a(OWL.Thing, x), is_a(A, x))
    (reason,) = reasons([of_things])
    assert "OtherProperty" in reason
    assert report([of_things], streaming=[A]).allows("subject")
    assert not report([of_things], streaming=[A, R]).allows("subject")


# --- the report ---


def test_a_report_names_rule_axiom_and_way_out():
    graph = Graph().parse(
        data="""@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :isIn a owl:TransitiveProperty , owl:ObjectProperty . :a :inBuilding :h1 ."""
    )
    found = load_ontology(graph).sharding_report()
    text = str(found)
    assert text.startswith("No key is usable.")
    meeting = 'needs "?x isIn ?y" and "?y isIn ?z" in one shard'
    assert f"Transitive: isIn: {meeting}, but both may be in any shard, as this axiom derives them" in text
    condition = "if streamed facts of isIn connect only names with equal inBuilding"
    assert f"usable with colocated=[isIn], {condition}" in text
    assert "The stream must not assert inBuilding." in text
    assert "usable with streaming=[…] without isIn" in text
    assert found.obstacles["subject"][0].axiom == "TransitiveObjectProperty(isIn)"
    assert "Transitive: isIn" in found.about(K)


def test_a_report_of_a_key_that_works_says_how_many_shards_it_makes():
    text = str(report([rule(is_a(C, y), is_a(A, x), related(K, x, y))], ONE_HOUSE))
    assert text.splitlines()[:3] == [
        "A stream can be sharded by subject, inBuilding.",
        "subject (a fact is in the shard of its subject) is usable",
        "inBuilding (2 values for 3 names of the background) is usable",
    ]


def test_a_report_is_json_and_pickles():
    found = report([rule(None, related(R, x, y), is_a(A, y))], [*ONE_HOUSE, (a, L, b), (b, L, c)])
    whole = json.loads(found.to_json())
    assert whole["keys"] == []
    assert whole["obstacles"]["subject"][0]["atoms"] == ["R(?x, ?y)", "A(?y)"]
    assert whole["no_keys"] == {str(L): "a value has another value: b has c"}
    assert whole["background_only"] == sorted(map(str, (K, L)))
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


def test_properties_past_the_limit_are_counted_and_can_be_named():
    many = [(a, EX[f"p{number:02}"], b) for number in range(MOST_PROPERTIES + 3)]
    found = report([], many)
    assert found.untried == 3
    assert "not checked: 3 properties" in str(found)
    last = EX[f"p{MOST_PROPERTIES + 2:02}"]
    with pytest.raises(OptionError, match="one of the checked keys"):
        found.allows(last)
    assert report([], many, keys=[last]).keys == (last,)


@pytest.mark.parametrize(
    "options",
    [
        {"streaming": str(A)},
        {"streaming": ["A"]},
        {"streaming": [RDF.type]},
        {"keys": ["object"]},
        {"keys": [Literal("subject")]},
    ],
)
def test_what_is_no_name_and_no_key_is_refused(options):
    with pytest.raises(OptionError):
        Ontology.from_rules([]).sharding_report(**options)


def test_a_missing_background_file_is_refused_by_name():
    with pytest.raises(MissingFileError, match=r"background\.ttl"):
        Ontology.from_rules([]).sharding_report(background="background.ttl")


def test_a_property_that_the_background_lacks_is_no_key():
    assert report([], keys=[K]).no_keys[K].reason == "the background has no facts of it"


def test_numbers_that_are_one_by_value_are_one_key():
    whole, binary = Literal("1", datatype=XSD.integer), Literal("1.0", datatype=XSD.double)
    zones = [(a, V, whole), (b, V, binary), (c, V, Literal("2", datatype=XSD.integer))]
    together = rule(is_a(C, x), is_a(A, x), related(V, x, z), related(V, y, z), is_a(B, y))
    for numbers, keys in (("by_datatype", 3), ("by_value", 2)):
        found = report([together], zones, keys=[V], numbers=numbers)
        assert found.allows(V) and found.maps[V].values == keys
        assert (found.maps[V].of(a) == found.maps[V].of(b)) is (numbers == "by_value")
        assert (found.maps[V].value_of(whole) == found.maps[V].value_of(binary)) is (numbers == "by_value")
