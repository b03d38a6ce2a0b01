"""The closure: nested assumptions, their withdrawal, and contradictions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, Namespace, Variable

from counts import cases
from pantarhei.model.data_range import DataComplementOf, DataIntersectionOf, DataOneOf, Datatype, DataUnionOf
from pantarhei.model.rule import Atom, Builtin, Member, Rule
from pantarhei.ontology.closure import (
    ANY_LITERAL,
    AssertionClosure,
    RangeNames,
    equality,
    inequality,
    is_fresh,
    is_internal,
    is_range_name,
)
from pantarhei.ontology.ontology import load_ontology

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SWRL_RULE = """
:x a swrl:Variable .
[] a swrl:Imp ; swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 :x ] ) ;
   swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate :B ; swrl:argument1 :x ] ) .
"""
FAMILY = """
:A rdfs:subClassOf :B ; owl:disjointWith :C .
:p a owl:FunctionalProperty , owl:ObjectProperty ; rdfs:range :B .
:q a owl:TransitiveProperty . :a a :A ; :p :b ; owl:sameAs :aa . :b :q :c .
"""


def closure_of(text):
    ontology = load_ontology(Graph().parse(data=PREFIXES + text, format="turtle"))
    return AssertionClosure((*ontology.rules, *ontology.constraints), ontology.background)


def facts_of(closure):
    return set(closure.match(None, None, None))


def is_a(name, class_):
    return (name, RDF.type, class_)


def state_of(closure):
    return facts_of(closure), closure.inconsistent, closure._fresh, list(closure._assumptions)


def test_what_is_assumed_is_reasoned_with_and_withdrawn():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with closure.assuming([is_a(EX.z, EX.A)]):
        assert closure.holds(is_a(EX.z, EX.B))
        assert not closure.inconsistent
    assert state_of(closure) == before


def test_assuming_what_is_given_changes_nothing_and_takes_nothing_away():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with closure.assuming([is_a(EX.a, EX.A), is_a(EX.a, EX.B), is_a(EX.a, EX.A)]):
        assert facts_of(closure) == before[0]
    assert state_of(closure) == before


def test_assuming_nothing_changes_nothing():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with closure.assuming([]):
        assert facts_of(closure) == before[0]
    assert state_of(closure) == before


def test_an_inner_assumption_is_withdrawn_alone():
    closure = closure_of(FAMILY)
    with closure.assuming([(EX.c, EX.q, EX.d)]):
        outer = facts_of(closure)
        assert (EX.b, EX.q, EX.d) in outer
        with closure.assuming([(EX.d, EX.q, EX.e), (EX.c, EX.q, EX.d)]):
            assert closure.holds((EX.b, EX.q, EX.e))
        assert facts_of(closure) == outer


def test_equality_is_withdrawn():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with closure.assuming([equality(EX.b, EX.z), is_a(EX.z, EX.C)]):
        assert closure.holds(is_a(EX.b, EX.C))
        assert closure.holds((EX.z, EX.q, EX.c))
    assert state_of(closure) == before


def test_a_functional_property_makes_its_values_equal():
    closure = closure_of(FAMILY)
    with closure.assuming([(EX.a, EX.p, EX.z)]):
        assert closure.holds(equality(EX.z, EX.b))
        assert not closure.inconsistent
        with closure.assuming([inequality(EX.b, EX.z)]):
            assert closure.inconsistent
        assert not closure.inconsistent


# -- contradictions ---------------------------------------------------------------------------------


def test_inconsistent_says_so_of_the_assumption_only():
    closure = closure_of(FAMILY)
    assert not closure.inconsistent
    with closure.assuming([is_a(EX.a, EX.C)]):
        assert closure.inconsistent
        with closure.assuming([is_a(EX.z, EX.B)]):
            assert closure.inconsistent
        assert closure.inconsistent
        assert closure.proof() is not None
    assert not closure.inconsistent
    assert closure.proof() is None


def test_an_inner_contradiction_is_not_the_outer_one():
    closure = closure_of(FAMILY)
    with closure.assuming([is_a(EX.z, EX.A)]):
        with closure.assuming([is_a(EX.z, EX.C)]):
            assert closure.inconsistent
        assert not closure.inconsistent
        with closure.assuming([is_a(EX.z, EX.B)]):
            assert not closure.inconsistent


def test_a_contradiction_is_seen_again_when_assumed_again():
    closure = closure_of(FAMILY)
    for _ in range(3):
        with closure.assuming([is_a(EX.a, EX.C)]):
            assert closure.inconsistent
        assert not closure.inconsistent


def test_looking_at_a_proof_does_not_hide_the_contradiction():
    closure = closure_of(FAMILY)
    with closure.assuming([is_a(EX.a, EX.C)]):
        proofs = [closure.proof() for _ in range(2)]
        assert closure.inconsistent
    assert proofs[0] == proofs[1]
    assert proofs[0].rules[-1].name == "cax-dw"
    assert set(proofs[0].facts) == {is_a(EX.a, EX.A), is_a(EX.a, EX.C)}


def test_contradictions_are_minimal_without_implicit_types():
    x = Variable("x")
    everything = Rule("cax-sco", (Atom(OWL.Thing, (x,)),), Atom(EX.A, (x,)))
    nothing = Rule("cls-nothing2", (Atom(EX.A, (x,)),), None)
    found = AssertionClosure([everything, nothing], [is_a(EX.x, EX.B)]).contradictions()
    assert [each.triples for each in found] == [frozenset()]


# -- growth -----------------------------------------------------------------------------------------


def test_a_predicate_that_the_closure_meets_in_an_assumption_is_reasoned_with_and_forgotten():
    closure = closure_of(FAMILY)
    before = facts_of(closure)
    with closure.assuming([(EX.z, EX.unheard, EX.a)]):
        assert closure.holds((EX.z, EX.unheard, EX.aa))
    assert facts_of(closure) == before


def test_an_assumption_after_one_that_made_the_program_grow_is_withdrawn():
    closure = closure_of(FAMILY)
    before = facts_of(closure)
    with closure.assuming([(EX.z, EX.unheard, EX.a)]):
        pass
    with closure.assuming([is_a(EX.z, EX.A)]):
        assert closure.holds(is_a(EX.z, EX.B))
    assert not closure.holds(is_a(EX.z, EX.A))
    assert facts_of(closure) == before


def test_a_contradiction_after_growth_is_withdrawn():
    closure = closure_of(FAMILY)
    with closure.assuming([(EX.z, EX.unheard, EX.a)]):
        pass
    with closure.assuming([is_a(EX.a, EX.C)]):
        assert closure.inconsistent
    assert not closure.inconsistent
    assert closure.proof() is None
    with closure.assuming([is_a(EX.z, EX.C)]):
        assert not closure.inconsistent


def test_growth_within_an_assumption_keeps_the_outer_one():
    closure = closure_of(FAMILY)
    before = facts_of(closure)
    with closure.assuming([is_a(EX.z, EX.A)]):
        outer = facts_of(closure)
        with closure.assuming([(EX.z, EX.unheard, EX.a)]):
            assert outer < facts_of(closure)
        with closure.assuming([(EX.z, EX.unseen, EX.a)]):
            with closure.assuming([is_a(EX.z, EX.C)]):
                assert closure.inconsistent
            assert not closure.inconsistent
        assert facts_of(closure) == outer
    assert facts_of(closure) == before


def test_a_contradiction_that_came_with_growth_is_withdrawn():
    closure = closure_of(FAMILY)
    before = facts_of(closure)
    with closure.assuming([(EX.z, EX.unheard, EX.a), is_a(EX.z, OWL.Nothing)]):
        assert closure.inconsistent
    assert not closure.inconsistent
    assert facts_of(closure) == before


def test_the_first_equality_and_the_first_inequality_are_withdrawn():
    closure = closure_of(":a a :A . :b a :B .")
    before = facts_of(closure)
    with closure.assuming([equality(EX.a, EX.b)]):
        assert closure.holds(is_a(EX.b, EX.A))
        with closure.assuming([inequality(EX.b, EX.a)]):
            assert closure.inconsistent
        assert not closure.inconsistent
    assert facts_of(closure) == before


def test_expected_names_do_not_make_the_program_grow_again():
    closure = closure_of(FAMILY)
    before = facts_of(closure)
    closure.expect([EX.New, EX.Newer], [EX.new])
    assert facts_of(closure) == before
    model = closure._model
    with closure.assuming([is_a(EX.z, EX.New), is_a(EX.z, EX.Newer), (EX.z, EX.new, EX.a)]):
        assert closure._model is model
        assert closure.holds((EX.z, EX.new, EX.aa))
    assert facts_of(closure) == before


# -- errors -----------------------------------------------------------------------------------------


class Stop(BaseException):
    """An interruption that no handler expects."""


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, Stop])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_error_in_the_middle_of_assuming_leaves_nothing(monkeypatch, error, when):
    closure = closure_of(FAMILY)
    before = state_of(closure)
    add = AssertionClosure._add

    def fail(self, assumption, facts):
        if when == "after":
            add(self, assumption, facts)
        raise error

    monkeypatch.setattr(AssertionClosure, "_add", fail)
    with pytest.raises(error), closure.assuming([is_a(EX.a, EX.C)]):
        raise AssertionError("never reached")
    monkeypatch.undo()
    assert state_of(closure) == before
    with closure.assuming([is_a(EX.z, EX.A)]):
        assert closure.holds(is_a(EX.z, EX.B))
    assert state_of(closure) == before


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_an_error_in_the_inner_of_two_assumptions_leaves_the_outer(monkeypatch, error):
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with closure.assuming([is_a(EX.z, EX.A)]):
        outer = state_of(closure)
        monkeypatch.setattr(closure._vocabulary, "encode", lambda triples: (_ for _ in ()).throw(error()))
        with pytest.raises(error), closure.assuming([is_a(EX.z, EX.C)]):
            raise AssertionError("never reached")
        monkeypatch.undo()
        assert state_of(closure) == outer
        with closure.assuming([is_a(EX.z, EX.C)]):
            assert closure.inconsistent
        assert state_of(closure) == outer
    assert state_of(closure) == before


def test_an_error_while_the_program_grows_leaves_nothing(monkeypatch):
    closure = closure_of(FAMILY)
    before = state_of(closure)

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("pantarhei.rules.compilation.program.compile_", fail)
    with pytest.raises(MemoryError), closure.assuming([(EX.z, EX.unheard, EX.a)]):
        raise AssertionError("never reached")
    monkeypatch.undo()
    assert state_of(closure) == before
    with closure.assuming([(EX.z, EX.unheard, EX.a)]):
        assert closure.holds((EX.z, EX.unheard, EX.aa))
    assert state_of(closure) == before


def test_an_error_within_the_context_withdraws():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with pytest.raises(KeyError), closure.assuming([is_a(EX.a, EX.C)]):
        raise KeyError
    assert state_of(closure) == before


def test_what_is_no_triple_is_not_assumed():
    closure = closure_of(FAMILY)
    before = state_of(closure)
    with pytest.raises(Exception), closure.assuming([(Literal(1), EX.p, EX.a)]):  # noqa: B017
        raise AssertionError("never reached")
    assert state_of(closure) == before


# -- names ------------------------------------------------------------------------------------------


def test_fresh_names_differ_and_are_those_of_no_ontology():
    closure = closure_of(FAMILY)
    names = [closure.fresh() for _ in range(50)]
    assert len(set(names)) == 50
    assert all(is_fresh(name) and is_internal(name) for name in names)
    assert not any(is_internal(term) for triple in facts_of(closure) for term in triple)
    assert not set(names) & {term for triple in facts_of(closure) for term in triple}
    assert not is_fresh(Literal(str(names[0])))
    assert not is_fresh(EX.x1)


def test_a_fresh_name_is_new_within_an_assumption_and_under_further_rules():
    closure = closure_of(FAMILY)
    taken = closure.fresh()
    with closure.assuming([is_a(taken, EX.A)]):
        inner = closure.fresh()
        below = closure.with_rules([])
        assert len({taken, inner, below.fresh()}) == 3
        assert below.holds(is_a(taken, EX.B))
    assert closure.fresh() != taken


def test_further_rules_do_not_reach_the_closure_above():
    above = closure_of(":A rdfs:subClassOf :B . :a a :A .")
    further = closure_of(":B rdfs:subClassOf :C .")._rules
    before = facts_of(above)
    with above.assuming([is_a(EX.z, EX.A)]):
        below = above.with_rules(further, [is_a(EX.y, EX.B)])
        assert {EX.a, EX.y, EX.z} == {name for name, _, _ in below.match(None, RDF.type, EX.C)}
    assert facts_of(above) == before


KEYED = """
:A owl:hasKey ( :k ) . :k a owl:DatatypeProperty . :a a :A ; :k "1" . :b a :A .
"""


def test_a_key_tells_names_apart_but_no_fresh_ones():
    closure = closure_of(KEYED)
    with closure.assuming([(EX.b, EX.k, Literal("1"))]):
        assert closure.holds(equality(EX.a, EX.b))
    name = closure.fresh()
    given = [is_a(name, EX.A), (name, EX.k, Literal("1"))]
    with closure.assuming(given):
        assert not closure.holds(equality(EX.a, name))
    with closure.assuming([*given, *closure.names([name])]):
        assert closure.holds(equality(EX.a, name))


def test_a_name_met_first_in_an_assumption_is_a_name_once_it_is_said_to_be():
    closure = closure_of(KEYED)
    with closure.assuming([*closure.about([EX.z]), is_a(EX.z, EX.A), (EX.z, EX.k, Literal("1"))]):
        assert closure.holds(equality(EX.a, EX.z))


def test_a_swrl_rule_speaks_of_names_only():
    closure = closure_of(SWRL_RULE + ":a a :A .")
    assert closure.holds(is_a(EX.a, EX.B))
    name = closure.fresh()
    with closure.assuming([*closure.about([name]), is_a(name, EX.A)]):
        assert not closure.holds(is_a(name, EX.B))
    with closure.assuming([*closure.about([EX.z]), is_a(EX.z, EX.A)]):
        assert closure.holds(is_a(EX.z, EX.B))


def test_about_says_nothing_unless_a_rule_asks():
    assert closure_of(FAMILY).about([EX.a]) == []


def test_about_says_that_every_name_is_a_thing_and_a_fresh_one_too():
    closure = closure_of("owl:Thing rdfs:subClassOf :A .")
    name = closure.fresh()
    given = [EX.a, Literal(1), name]
    assert closure.about(given) == [is_a(EX.a, OWL.Thing), is_a(name, OWL.Thing)]
    with closure.assuming(closure.about(given)):
        assert closure.holds(is_a(EX.a, EX.A))
        assert closure.holds(is_a(name, EX.A))


def test_about_does_not_call_a_fresh_name_a_name():
    closure = closure_of(KEYED)
    name = closure.fresh()
    assert [subject for subject, _, _ in closure.about([EX.a, name, Literal(1)])] == [EX.a]


def test_individuals_of_whom_nothing_is_said_exist():
    rules = closure_of("owl:Thing rdfs:subClassOf :A .")._rules
    assert AssertionClosure(rules, [], [EX.lonely]).holds(is_a(EX.lonely, EX.A))
    assert facts_of(AssertionClosure(rules, [])) == set()


def test_there_is_a_proof_of_void_only_where_nothing_can_be():
    assert closure_of(FAMILY).proof_of_void() is None
    assert closure_of("").proof_of_void() is None
    rules = (
        *closure_of("owl:Thing rdfs:subClassOf :A .")._rules,
        *closure_of(":A rdfs:subClassOf owl:Nothing .")._rules,
    )
    closure = AssertionClosure(rules, [])
    proof = closure.proof_of_void()
    assert proof is not None
    assert proof.steps[-1].fact is None
    assert facts_of(closure) == set()
    assert not closure.inconsistent


# -- what is looked for -----------------------------------------------------------------------------


def test_a_literal_is_subject_of_nothing():
    closure = closure_of(":a :v 1 .")
    assert not closure.holds((Literal(1), EX.v, EX.a))
    assert list(closure.match(Literal(1), None, None)) == []
    assert closure.holds((EX.a, EX.v, Literal("01", datatype=XSD.integer)))


def test_a_value_is_in_the_ranges_that_were_assumed():
    closure = closure_of(":a :v 1 .")
    value = closure.fresh()
    assert not closure.is_impossible(value)
    with closure.assuming([closure.value_in(value, Datatype(XSD.integer))]):
        assert closure.ranges_of(value) == Datatype(XSD.integer)
        assert not closure.is_impossible(value)
        with closure.assuming([closure.value_in(value, Datatype(XSD.string))]):
            assert closure.is_impossible(value)
        assert not closure.is_impossible(value)
    assert closure.ranges_of(value) == Datatype(RDFS.Literal)


# -- the law ----------------------------------------------------------------------------------------

NAMES = [EX[name] for name in ("a", "aa", "b", "c", "z")]
ASSUMABLE = [
    *(is_a(name, class_) for name in NAMES for class_ in (EX.A, EX.B, EX.C, EX.New, OWL.Nothing)),
    *((s, on, o) for s in NAMES for o in NAMES for on in (EX.p, EX.q, EX.new, OWL.sameAs)),
    *((s, OWL.differentFrom, o) for s in NAMES[:2] for o in NAMES),
    *((s, EX.v, Literal(n)) for s in NAMES[:3] for n in (1, 2)),
]
assumptions = st.lists(st.sampled_from(ASSUMABLE), max_size=3)
# What is done: facts are assumed on top, or what was assumed last is withdrawn, or the closure is looked at.
steps = st.lists(st.one_of(assumptions, st.sampled_from(["withdraw", "look"])), max_size=9)
ONTOLOGIES = (FAMILY, FAMILY + KEYED, FAMILY + "owl:Thing rdfs:subClassOf :D . :v rdfs:range xsd:integer .")


@given(st.sampled_from(ONTOLOGIES), steps)
@settings(max_examples=cases(12, 60), deadline=None)
def test_any_assumptions_and_withdrawals_leave_what_the_remaining_facts_entail(text, given_steps):
    ontology = load_ontology(Graph().parse(data=PREFIXES + text, format="turtle"))
    rules = (*ontology.rules, *ontology.constraints)
    closure = AssertionClosure(rules, ontology.background)

    def check():
        stated = [triple for _, facts in stack for triple in facts]
        fresh = AssertionClosure(rules, closure.facts)
        with fresh.assuming(stated):
            assert facts_of(closure) == facts_of(fresh)
            assert closure.inconsistent == fresh.inconsistent
            assert (closure.proof() is None) == (not closure.inconsistent)

    stack = []
    try:
        for step in given_steps:
            if step == "withdraw":
                if stack:
                    context, _ = stack.pop()
                    context.__exit__(None, None, None)
            elif step == "look":
                check()
            else:
                context = closure.assuming(step)
                stack.append((context, step))
                context.__enter__()
        check()
    finally:
        while stack:
            context, _ = stack.pop()
            context.__exit__(None, None, None)
    check()


SWRLB = Namespace("http://www.w3.org/2003/11/swrlb#")
X, Y, Z, U = map(Variable, "xyzu")
INTEGER, DECIMAL, STRING, BOOLEAN = (Datatype(XSD[n]) for n in ("integer", "decimal", "string", "boolean"))


def has_value_in(range_, class_=EX.C, inside=True):
    return Rule("x", (Atom(EX.v, (X, Y)),), Atom(class_, (X,)), tests=(Member(Y, range_, inside),))


def only(range_):
    return Rule("prp-rng", (Atom(EX.v, (X, Y)),), None, tests=(Member(Y, range_, False),))


def value_of(closure, *ranges, on=EX.v):
    """A fresh value of `on`, in the ranges, and the facts that say so."""
    value = closure.fresh()
    return value, [(EX.a, on, value), *(closure.value_in(value, range_) for range_ in ranges)]


# -- names ------------------------------------------------------------------------------------------


def test_of_a_value_nothing_is_known_but_that_it_is_one():
    assert RangeNames().known([]) == ANY_LITERAL
    assert RangeNames().known([EX.A]) == ANY_LITERAL


def test_what_is_known_is_the_intersection():
    names = RangeNames()
    one, other = names.name_of(INTEGER), names.name_of(BOOLEAN)
    assert names.known([one, EX.A]) == INTEGER
    assert names.known([one, other]) == DataIntersectionOf((INTEGER, BOOLEAN))


def test_a_range_has_one_name_and_each_its_own():
    names = RangeNames()
    ranges = [
        INTEGER,
        Datatype(EX.integer),
        DataOneOf((Literal("a b"),)),
        DataOneOf((Literal("a/b"),)),
        DataOneOf((Literal("<a>"),)),
    ]
    found = [names.name_of(range_) for range_ in ranges]
    assert len(set(found)) == len(ranges)
    assert [names.name_of(range_) for range_ in ranges] == found
    assert all(map(is_range_name, found))
    assert not any(set(' <>"{}|\\^`') & set(name) for name in found)
    assert not is_range_name(EX.integer)


def test_a_copy_learns_by_itself():
    names = RangeNames()
    known = names.name_of(INTEGER)
    copy = names.copy()
    copy.name_of(STRING)
    assert copy.name_of(INTEGER) == known
    assert set(names.names) == {INTEGER}


def test_only_ranges_that_rules_ask_for_are_implied():
    names = RangeNames()
    integer, decimal = names.name_of(INTEGER), names.name_of(DECIMAL)
    assert names.copy().implied([integer]) == []
    assert list(names.variants([has_value_in(DECIMAL)]))
    assert names.implied([integer]) == [decimal]
    assert names.implied([integer, decimal]) == []
    assert names.implied([EX.A]) == []


def test_what_holds_of_every_literal_is_implied_of_each():
    everything = DataUnionOf((BOOLEAN, DataComplementOf(BOOLEAN)))
    names = RangeNames()
    assert list(names.variants([has_value_in(everything)]))
    assert names.implied([]) == [names.name_of(everything)]


# -- variants ---------------------------------------------------------------------------------------


def variants(rule):
    names = RangeNames()
    return names, list(names.variants([rule]))


def test_a_rule_without_tests_has_no_variants():
    assert variants(Rule("x", (Atom(EX.v, (X, Y)),), Atom(EX.C, (X,))))[1] == []


def test_a_test_inside_becomes_an_atom():
    names, (variant,) = variants(has_value_in(INTEGER))
    assert variant.body == (Atom(EX.v, (X, Y)), Atom(names.name_of(INTEGER), (Y,)))
    assert variant.tests == ()
    assert variant.head == Atom(EX.C, (X,))


def test_a_test_outside_becomes_an_atom_of_the_complement():
    names, (variant,) = variants(has_value_in(INTEGER, inside=False))
    assert variant.body[-1] == Atom(names.name_of(DataComplementOf(INTEGER)), (Y,))


def test_outside_a_complement_is_inside():
    names, (variant,) = variants(has_value_in(DataComplementOf(INTEGER), inside=False))
    assert variant.body[-1] == Atom(names.name_of(INTEGER), (Y,))


def test_a_constraint_of_what_is_outside_says_what_is_inside():
    names, made = variants(only(INTEGER))
    assert [v.head for v in made] == [None, Atom(names.name_of(INTEGER), (Y,))]
    assert made[1].body == (Atom(EX.v, (X, Y)),)
    assert made[1].tests == ()


def test_a_constraint_of_what_is_inside_says_what_is_outside():
    rule = Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(Member(Y, INTEGER, True),))
    names, made = variants(rule)
    assert made[-1].head == Atom(names.name_of(DataComplementOf(INTEGER)), (Y,))


def test_two_tests_have_a_variant_for_each_choice():
    tests = (Member(Y, INTEGER, True), Member(Z, STRING, True))
    rule = Rule("x", (Atom(EX.v, (X, Y)), Atom(EX.w, (X, Z))), Atom(EX.C, (X,)), tests=tests)
    names, made = variants(rule)
    assert {(v.body[2:], v.tests) for v in made} == {
        ((Atom(names.name_of(INTEGER), (Y,)),), tests[1:]),
        ((Atom(names.name_of(STRING), (Z,)),), tests[:1]),
        ((Atom(names.name_of(INTEGER), (Y,)), Atom(names.name_of(STRING), (Z,))), ()),
    }


def test_many_tests_have_one_variant():
    letters = list(map(Variable, "abcde"))
    body = tuple(Atom(EX.v, (X, letter)) for letter in letters)
    tests = tuple(Member(letter, INTEGER, True) for letter in letters)
    _, made = variants(Rule("x", body, Atom(EX.C, (X,)), tests=tests))
    assert [v.tests for v in made] == [()]


def test_a_test_of_a_computed_variable_has_no_variant():
    compute = Builtin(SWRLB.divide, (U, Literal(1), Y))
    assert (
        variants(Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(compute, Member(U, INTEGER, False))))[1] == []
    )


def test_beside_a_computation_a_test_is_not_turned_around():
    compute = Builtin(SWRLB.add, (U, Literal(1), Y))
    rule = Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(compute, Member(Y, INTEGER, False)))
    assert all(variant.head is None for variant in variants(rule)[1])


# -- in a closure -----------------------------------------------------------------------------------


def test_a_rule_fires_for_a_value_whose_range_is_narrower():
    closure = AssertionClosure([has_value_in(DECIMAL)], [])
    for range_, expected in ((INTEGER, True), (DECIMAL, True), (STRING, False)):
        _, facts = value_of(closure, range_)
        with closure.assuming(facts):
            assert closure.holds((EX.a, RDF.type, EX.C)) is expected
        assert not closure.holds((EX.a, RDF.type, EX.C))


def test_a_rule_of_what_is_outside_fires_for_a_value_that_is_apart():
    closure = AssertionClosure([has_value_in(DECIMAL, inside=False)], [])
    for range_, expected in ((STRING, True), (INTEGER, False), (DataComplementOf(INTEGER), False)):
        _, facts = value_of(closure, range_)
        with closure.assuming(facts):
            assert closure.holds((EX.a, RDF.type, EX.C)) is expected


def test_a_rule_fires_for_a_value_of_which_nothing_is_known_if_it_asks_for_any():
    closure = AssertionClosure([has_value_in(DataUnionOf((BOOLEAN, DataComplementOf(BOOLEAN))))], [])
    _, facts = value_of(closure)
    with closure.assuming(facts):
        assert closure.holds((EX.a, RDF.type, EX.C))


def test_ranges_that_are_derived_imply_others():
    narrow = Rule("x", (Atom(EX.D, (X,)), Atom(EX.v, (X, Y))), None, tests=(Member(Y, INTEGER, False),))
    closure = AssertionClosure([narrow, has_value_in(DECIMAL, EX.C)], [])
    _, facts = value_of(closure)
    with closure.assuming(facts):
        assert not closure.holds((EX.a, RDF.type, EX.C))
        with closure.assuming([(EX.a, RDF.type, EX.D)]):
            assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.holds((EX.a, RDF.type, EX.C))


def test_two_ranges_together_imply_a_third():
    at_least = Datatype(XSD.nonNegativeInteger)
    closure = AssertionClosure([has_value_in(DataOneOf((Literal(0),)))], [])
    value, facts = value_of(closure, at_least, Datatype(XSD.nonPositiveInteger))
    with closure.assuming(facts):
        assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.is_impossible(value)


def test_literals_are_tested_as_ever():
    closure = AssertionClosure([has_value_in(DECIMAL), only(DECIMAL)], [])
    with closure.assuming([(EX.a, EX.v, Literal(1))]):
        assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.inconsistent
    with closure.assuming([(EX.a, EX.v, Literal("x"))]):
        assert closure.inconsistent


# -- what cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranges", "impossible"),
    [
        ((), False),
        ((INTEGER, DECIMAL), False),
        ((INTEGER, STRING), True),
        ((INTEGER, DataComplementOf(DECIMAL)), True),
        ((DECIMAL, DataComplementOf(INTEGER)), False),
        ((DataOneOf(()),), True),
        ((DataOneOf((Literal(1),)), DataOneOf((Literal(2),))), True),
        ((DataOneOf((Literal(1),)), DataOneOf((Literal("1.0", datatype=XSD.decimal),))), False),
    ],
)
def test_a_value_is_impossible_where_its_ranges_share_no_literal(ranges, impossible):
    closure = AssertionClosure([], [])
    value, facts = value_of(closure, *ranges)
    with closure.assuming(facts):
        assert closure.is_impossible(value) is impossible
        assert (closure.proof_of_impossible_value(value) is not None) is impossible
        assert not closure.inconsistent
    assert not closure.is_impossible(value)


def test_a_value_that_equals_a_literal_outside_its_range_is_impossible():
    closure = AssertionClosure([], [])
    value, facts = value_of(closure, INTEGER)
    for literal, impossible in ((Literal("x"), True), (Literal(5), False)):
        with closure.assuming([*facts, (value, OWL.sameAs, literal)]):
            assert closure.is_impossible(value) is impossible


def test_a_proof_of_an_impossible_value_starts_from_what_was_assumed():
    closure = AssertionClosure([only(INTEGER)], [])
    value, facts = value_of(closure, DataOneOf((Literal(1.5),)))
    with closure.assuming(facts):
        proof = closure.proof_of_impossible_value(value)
    assert proof.steps[-1].fact is None
    assert all(max(step.premises, default=-1) < i for i, step in enumerate(proof.steps))
    given = {step.fact for step in proof.steps if step.rule is None} - set(facts)
    assert all(subject == value and is_range_name(range_) for subject, _, range_ in given)
    assert any(step.fact == facts[0] for step in proof.steps)
    assert closure.proof_of_impossible_value(value) is None


def test_a_value_between_ranges_that_share_nothing_has_a_proof_by_its_ranges():
    closure = AssertionClosure([], [])
    value, facts = value_of(closure, INTEGER, STRING)
    with closure.assuming(facts):
        proof = closure.proof_of_impossible_value(value)
    assert proof.steps[-1].rule.name == "dt-empty"
    assert set(proof.facts) == set(facts[1:])


def test_datatypes_are_named_and_other_ranges_are_not():
    closure = AssertionClosure(
        [only(INTEGER), has_value_in(DECIMAL), has_value_in(DataComplementOf(STRING))], []
    )
    value, facts = value_of(closure)
    with closure.assuming(facts):
        assert closure.datatypes_of(value) == {XSD.integer, XSD.decimal}
    assert closure.datatypes_of(value) == frozenset()
    assert Datatype(RDFS.Literal) == closure.ranges_of(value)
