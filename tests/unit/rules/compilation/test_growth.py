"""Programs that grow with their vocabulary, and groups of names that are one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef

import pantarhei.rules.compilation.growth as growth_module
from pantarhei.encoding.numbers import Symbol, UsedTerms
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.growth import GrowingProgram, groups_of_same
from pantarhei.rules.translation.demand import Theory
from ranges import literal
from strategies import EX, A, B, C, D, R, V, a, b, is_a, related, x

OF_THINGS = Rule("cax-sco", (is_a(OWL.Thing, x),), is_a(A, x))


def program(*rules, unique_names=True, same=()):
    return GrowingProgram(Theory.of(rules, unique_names), same)


def meet(growing, *triples):
    """Whether the program had to grow for the facts."""
    facts = growing.vocabulary.encode(triples).facts
    if growing.covers(facts):
        return False
    growing.grow(facts)
    assert growing.covers(facts)
    return True


def test_under_unique_names_new_predicates_change_nothing():
    growing = program()
    before = growing.program
    assert not meet(growing, (a, RDF.type, EX.New), (a, EX.new, b))
    assert growing.program is before


def test_numbers_stay_while_a_program_grows():
    growing = program(OF_THINGS, unique_names=False)
    for triple in [(a, RDF.type, EX.New), (a, EX.new, Literal(1)), (a, OWL.sameAs, b), (b, R, a)]:
        symbols, names = list(growing.vocabulary.symbols), list(growing.vocabulary.names)
        assert meet(growing, triple)
        assert not meet(growing, triple)
        assert growing.vocabulary.symbols[: len(symbols)] == symbols
        assert growing.vocabulary.names[: len(names)] == names
        assert growing.program.predicates == tuple(growing.vocabulary.symbols)


def test_what_symbols_demand_is_asked_again_where_they_may_have_other_numbers():
    growing = program()
    meet(growing, (a, EX.gone, b), (a, EX.p, b))
    used = UsedTerms(*growing.vocabulary.counts)
    used.add_first(len(growing.program.predicates))
    growing.recheck_symbols()
    growing.vocabulary.replace_tables(growing.vocabulary.tables.renamed(used.renaming()))
    assert growing.vocabulary.find_property(EX.gone) is None
    assert not meet(growing, (a, EX.q, b))
    assert meet(growing, (a, RDF.type, OWL.Nothing))
    assert [rule.name for rule in growing.program.rules] == ["cls-nothing2"]
    assert growing.program.predicates == tuple(growing.vocabulary.symbols)


def test_a_property_is_watched_from_its_first_ill_typed_value_on():
    growing = program()
    assert not meet(growing, (a, V, literal("1", XSD.integer)))
    assert meet(growing, (a, V, literal("x", XSD.integer)))
    assert not meet(growing, (b, V, literal("y", XSD.integer)))
    assert meet(growing, (b, EX.W, literal("x", XSD.integer)))
    assert [rule.name for rule in growing.program.rules] == ["dt-not-type", "dt-not-type"]


def test_growth_that_fails_is_made_up_for(monkeypatch):
    growing = program(OF_THINGS)
    before = growing.program
    facts = growing.vocabulary.encode([(a, RDF.type, EX.New), (a, V, literal("x", XSD.integer))]).facts

    def broken(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(growth_module, "compile_", broken)
        with pytest.raises(MemoryError):
            growing.grow(facts)
    assert growing.program is before
    assert not growing.covers(facts)
    growing.grow(facts)
    assert {"dt-not-type", "pr-thing"} <= {rule.name for rule in growing.program.rules}
    assert growing.covers(np.empty((0, 3), np.int32))


def test_merged_names_have_one_number_in_facts_and_rules():
    growing = program(Rule("cls-oo", (related(R, b, x),), is_a(A, x)), same=[[a, b]])
    encode = growing.vocabulary.encode
    assert encode([(a, R, b)]).facts.tolist() == encode([(b, R, a)]).facts.tolist()
    assert [str(rule) for rule in growing.program.rules] == ["A(?x) :- R(a, ?x)."]


NAMES = [BNode("n"), *(URIRef(f"urn:x/{letter}") for letter in "abcd")]


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=6))
@settings(deadline=None)
def test_groups_are_the_classes_of_the_least_equivalence(pairs):
    groups = groups_of_same([(one, OWL.sameAs, other) for one, other in pairs])
    group_of = {name: {name} for name in NAMES}
    for one, other in pairs:
        whole = group_of[one] | group_of[other]
        group_of.update(dict.fromkeys(whole, whole))
    assert {frozenset(group) for group in groups} == {
        frozenset(group) for group in group_of.values() if len(group) > 1
    }
    for first, *others in groups:
        assert not isinstance(first, BNode)
        assert sorted([first, *others], key=lambda name: (isinstance(name, BNode), name)) == [first, *others]
    assert groups == groups_of_same([(other, OWL.sameAs, one) for one, other in reversed(pairs)])


# -- what runs of it ---------------------------------------------------------------------------------------

SOME = (
    Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
    Rule("cax-sco", (is_a(B, x),), is_a(C, x)),
    Rule("cax-dw", (is_a(B, x), is_a(D, x)), None),
)


def classes(*names):
    return frozenset(Symbol(name, 1) for name in names)


def test_what_runs_is_the_program_itself_where_all_is_asked_for_or_needed():
    growing = program(*SOME)
    assert growing.part_for(None).program is growing.part_for(classes(C)).program is growing.program
    assert growing.part_for(None).has_all_of(None)


def test_what_runs_says_what_it_lacks():
    part = program(*SOME).part_for(classes(A))
    assert part.program.rules == (SOME[0], SOME[2])
    assert part.lacks == classes(C)
    assert part.has_all_of(classes(A, B, EX.New)) and not part.has_all_of(classes(B, C))
    assert not part.has_all_of(None)


def test_what_runs_is_compiled_again_only_for_more_rules_or_where_less_is_asked_for():
    growing = program(*SOME)
    part = growing.part_for(classes(A))
    assert growing.part_for(classes(A, B)) is part
    assert growing.part_for(classes(A, B, C)).program is growing.program
    assert growing.part_for(classes(A)).program.rules == part.program.rules


def test_what_runs_follows_a_program_that_grows():
    growing = program(unique_names=False)
    asked = frozenset((Symbol(R, 2),))
    assert not growing.part_for(asked).program.rules
    meet(growing, (a, R, b), (a, EX.other, b), (a, OWL.sameAs, b))
    names = {rule.head.predicate for rule in growing.part_for(asked).program.rules}
    assert names == {R, OWL.sameAs}
