"""Compiled rules: what the plans say, read back, is what the rules say."""

import pickle
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef, Variable

import pantarhei.rules.compilation.program as program_module
import strategies
from counts import cases
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol, UsedTerms
from pantarhei.errors import InvalidRuleError
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.rules.compilation.plan import BACKWARD, CHECK, FORWARD, Dispatch, JoinPlan
from pantarhei.rules.compilation.program import (
    MOST_SUPERCLASSES,
    NO_EDGE,
    GrowingProgram,
    _Compiler,
    compile_,
    edges_of,
    groups_of_same,
    is_common,
    part_of,
    shape_of,
    superclasses,
)
from pantarhei.rules.translation.demand import Theory
from pantarhei.values.value import value_of
from ranges import literal
from strategies import EX, B, D, R, V, a, b, rules

w, x, y, z = (Variable(name) for name in "wxyz")
HEADER, STEP = 9, 5


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def related(name, one=x, other=y):
    return Atom(EX[name], (one, other))


def plan(program, offset):
    """A plan's parts: rule, head, trigger, position of the trigger, steps, inequalities."""
    code = program.plans.code.tolist()
    number, count, unequal, *head = code[offset : offset + 6]
    trigger, position = code[offset + 6 : offset + 8], code[offset + 8]
    at = offset + HEADER
    steps = [code[at + i * STEP : at + (i + 1) * STEP] for i in range(count)]
    at += count * STEP
    pairs = [code[at + 2 * i : at + 2 * i + 2] for i in range(unequal)]
    return number, head, trigger, position, steps, pairs


def plans_of(program, direction):
    """(predicate, plan) of each plan of the direction."""
    plans = program.plans
    dispatch = plans.forward if direction == "forward" else plans.backward
    starts, offsets = dispatch.start, dispatch.plans
    assert len(starts) == len(program.predicates) + 1 and starts[0] == 0 and starts[-1] == len(offsets)
    for predicate in range(len(program.predicates)):
        for offset in offsets[starts[predicate] : starts[predicate + 1]].tolist():
            yield predicate, plan(program, offset)


def constant(program, argument):
    number = -2 - argument
    return program.literals[number - FIRST_LITERAL] if number >= FIRST_LITERAL else program.names[number]


@given(rules(literals=True))
def test_plans_say_what_the_rules_say(given):
    program = compile_(given)
    assert program.rules == given
    seen = []
    for direction in ("forward", "backward"):
        for predicate, (number, head, trigger, position, steps, pairs) in plans_of(program, direction):
            rule = given[number]
            variables = {}
            for atom in rule.body:
                for argument in atom.arguments:
                    if isinstance(argument, Variable):
                        variables.setdefault(argument, len(variables))

            def says(symbol, arguments, atom, variables=variables):
                assert program.predicates[symbol] == Symbol(atom.predicate, len(atom.arguments))
                assert len(arguments) == 2 and (len(atom.arguments) == 2 or arguments[1] == NONE)
                for argument, meant in zip(arguments, atom.arguments, strict=False):
                    if isinstance(meant, Variable):
                        assert argument == variables[meant]
                    else:
                        assert value_of(constant(program, argument)) == value_of(meant)

            triggering = rule.head if direction == "backward" else rule.body[position]
            says(predicate, trigger, triggering)
            if rule.head is None:
                assert head == [NONE] * 3
            else:
                says(head[0], head[1:], rule.head)
            others = sorted(set(range(len(rule.body))) - {position})
            assert sorted(step[4] for step in steps) == others
            bound = {a for a in triggering.arguments if isinstance(a, Variable)}
            for kind, symbol, first, second, place in steps:
                atom = rule.body[place]
                says(symbol, [first, second], atom)
                known = [not isinstance(a, Variable) or a in bound for a in atom.arguments]
                expected = CHECK if all(known) else FORWARD if known[0] else BACKWARD
                assert kind == expected and any(known)
                if kind != CHECK:
                    walked = program.plans.indexed_by_subject, program.plans.indexed_by_object
                    assert symbol in walked[kind - FORWARD]
                bound.update(atom.arguments)
            is_class_named = rule.head is not None and rule.head.has_class_variable
            assert len(pairs) == len(rule.different) + is_class_named
            seen.append((number, position))
    expected = [(n, place) for n, rule in enumerate(given) for place in range(len(rule.body))]
    expected += [(n, NONE) for n, rule in enumerate(given) if rule.head is not None]
    assert sorted(seen) == sorted(expected), "a plan for each atom, and one for the head"


@given(rules(literals=True))
def test_a_program_is_a_value(given):
    program = compile_(given)
    for other in (compile_(given), pickle.loads(pickle.dumps(program))):
        assert other.predicates == program.predicates
        assert other.names == program.names and other.literals == program.literals
        assert np.array_equal(other.plans.code, program.plans.code)
        for field in fields(Dispatch):
            for one, same in (
                (other.plans.forward, program.plans.forward),
                (other.plans.backward, program.plans.backward),
            ):
                assert np.array_equal(getattr(one, field.name), getattr(same, field.name))
        assert other.plans.indexed_by_subject == program.plans.indexed_by_subject


@pytest.mark.long
def test_a_program_does_not_depend_on_the_hashes_of_a_process():
    script = """
import hashlib, pickle
from rdflib import Namespace, Variable
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_
EX, x, y, z = Namespace("http://example.org/"), *map(Variable, "xyz")
rules = [Rule("r", (Atom(EX[f"p{i}"], (x, y)), Atom(EX[f"q{i}"], (y, z))), Atom(EX.s, (x, EX[f"a{i}"])))
         for i in range(9)]
program = compile_(rules)
print(program.plans.code.tolist(), program.names, program.plans.indexed_by_subject)
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_only_what_is_walked_is_indexed():
    program = compile_([Rule("prp-trp", (related("p"), related("p", y, z)), related("p", x, z))])
    assert program.plans.indexed_by_subject == program.plans.indexed_by_object == (0,)
    program = compile_([Rule("cax-dw", (is_a("C"), is_a("D")), None)])
    assert program.plans.indexed_by_subject == program.plans.indexed_by_object == ()
    program = compile_([Rule("r", (related("p"), is_a("C", y)), None)])
    assert program.plans.indexed_by_subject == ()
    assert [program.predicates[n].name for n in program.plans.indexed_by_object] == [EX.p]


def test_no_rules_make_a_program():
    program = compile_([])
    assert program.rules == program.predicates == program.names == program.literals == ()
    assert program.plans.widest_body == 1 and program.plans.most_variables == 1
    assert program.plans.forward.start.tolist() == [0]


@given(rules(literals=True))
def test_a_part_of_a_program_numbers_all_as_the_program_does(given_rules):
    whole = compile_(given_rules)
    part = part_of(whole, given_rules[::2])
    assert part.rules == tuple(given_rules[::2])
    for numbered in ("predicates", "names", "literals", "ranges", "builtins"):
        assert getattr(part, numbered) == getattr(whole, numbered)


x_of_template, y_of_template, z_of_template = map(Variable, "xyz")
arguments = st.sampled_from(
    [
        (x_of_template,),
        (y_of_template,),
        (x_of_template, y_of_template),
        (y_of_template, x_of_template),
        (x_of_template, x_of_template),
        (y_of_template, z_of_template),
        (EX.a,),
        (x_of_template, EX.a),
    ]
)
atoms = st.builds(Atom, st.sampled_from([EX.A, EX.B, EX.p, EX.q]), arguments)
shaped = st.builds(Rule, st.just("r"), st.lists(atoms, min_size=1, max_size=3).map(tuple), st.none() | atoms)


def content(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, Rule):
        return {field.name: content(getattr(value, field.name)) for field in fields(value)}
    return value


def without_templates(given_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_module, "shape_of", lambda rule: None)
        return compile_(given_)


def is_valid(rule):
    try:
        without_templates([rule])
    except InvalidRuleError:
        return False
    return True


@given(st.lists(shaped.filter(is_valid), max_size=12), rules(literals=True))
@settings(max_examples=cases(50, 300), deadline=None)
def test_a_program_is_the_same_with_templates(several, others):
    given_ = (*several, *others, *several)
    assert content(compile_(given_)) == content(without_templates(given_))


@given(shaped)
def test_a_rule_is_refused_whatever_was_compiled_before(rule):
    swapped = [Rule(r.name, r.body[::-1], r.head) for r in (rule,)]
    for given_ in ([rule, rule], [*swapped, rule]):
        if is_valid(rule):
            assert len(compile_(given_[1:]).rules) == 1
        else:
            with pytest.raises(InvalidRuleError):
                compile_(given_)


def test_of_a_hundred_disjoint_classes_one_pair_is_compiled(monkeypatch):
    written = []
    write = _Compiler._write_rule
    monkeypatch.setattr(_Compiler, "_write_rule", lambda *given_: written.append(given_) or write(*given_))
    pairs = [
        Rule("cax-adc", (Atom(EX[f"C{i}"], (x_of_template,)), Atom(EX[f"C{j}"], (x_of_template,))), None)
        for i in range(100)
        for j in range(i)
    ]
    assert len(compile_(pairs).rules) == 4950
    assert len(written) == 1


def test_rules_with_constants_have_no_template():
    assert is_common(
        shape_of(Rule("r", (Atom(EX.A, (x_of_template,)),), Atom(EX.p, (x_of_template, y_of_template))))
    )
    assert not is_common(
        shape_of(Rule("r", (Atom(EX.A, (x_of_template,)),), Atom(EX.p, (x_of_template, EX.a))))
    )


x_of_superclasses, y_of_superclasses = Variable("x"), Variable("y")
COUNT = 12
hierarchies = st.dictionaries(
    st.integers(0, COUNT - 1), st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=4, unique=True)
)


def reached(above, start):
    """All classes above one, itself left out."""
    found, waiting = set(), [start]
    while waiting:
        for higher in above.get(waiting.pop(), ()):
            if higher not in found:
                found.add(higher)
                waiting.append(higher)
    return found - {start}


def walk(found, class_):
    """(class, where what follows from it ends) of each superclass."""
    first, end = found.start[class_ : class_ + 2].tolist()
    ends = [end - first for end in found.ends[first:end].tolist()]
    return list(zip(found.classes[first:end].tolist(), ends, strict=True))


@given(above=hierarchies, most=st.sampled_from((1, 2, 5, MOST_SUPERCLASSES)))
@settings(max_examples=cases(50, 300), deadline=None)
def test_all_that_is_above_is_listed_behind_what_it_follows_from(above, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pantarhei.rules.compilation.program.MOST_SUPERCLASSES", most)
        found = superclasses(above, COUNT)
    for class_ in range(COUNT):
        listed = [one for one, _ in walk(found, class_)]
        everything = reached(above, class_)
        assert len(listed) == len(set(listed))
        assert set(listed) == (everything if len(everything) <= most else set())
        for at, (one, end) in enumerate(walk(found, class_)):
            assert at < end <= len(listed)
            assert any(one in above.get(lower, ()) for lower in (class_, *listed[:at]))
            assert set(listed[at + 1 : end]) <= reached(above, one)


def test_a_deep_hierarchy_takes_room_in_proportion_to_its_depth():
    depth = 5000
    above = {i: [i + 1] for i in range(depth)}
    found = superclasses(above, depth + 1)
    assert len(found.classes) <= MOST_SUPERCLASSES * MOST_SUPERCLASSES
    assert len(walk(found, depth - MOST_SUPERCLASSES)) == MOST_SUPERCLASSES
    assert walk(found, 0) == []


def is_a_of_superclasses(name, who=x_of_superclasses):
    return Atom(EX[name], (who,))


@pytest.mark.parametrize(
    ("rule", "is_one"),
    [
        (Rule("cax-sco", (is_a_of_superclasses("C"),), is_a_of_superclasses("D")), True),
        (
            Rule(
                "cls-int1", (is_a_of_superclasses("C"), is_a_of_superclasses("E")), is_a_of_superclasses("D")
            ),
            False,
        ),
        (Rule("cls-oo", (is_a_of_superclasses("C", EX.a),), is_a_of_superclasses("D", EX.a)), False),
        (Rule("r", (is_a_of_superclasses("C"),), Atom(EX.p, (x_of_superclasses, EX.a))), False),
        (
            Rule("prp-dom", (Atom(EX.p, (x_of_superclasses, y_of_superclasses)),), is_a_of_superclasses("D")),
            False,
        ),
        (
            Rule(
                "r",
                (is_a_of_superclasses("C"),),
                is_a_of_superclasses("D"),
                (Different(x_of_superclasses, EX.a),),
            ),
            False,
        ),
        (Rule("cax-dw", (is_a_of_superclasses("C"),), None), False),
    ],
)
def test_inclusions_are_between_classes_of_the_same_individual(rule, is_one):
    program = compile_([rule])
    plan = JoinPlan.at(program.plans.code.tolist(), int(program.plans.forward.plans[0]))
    assert (plan.inclusion != NONE) is is_one
    assert len(program.plans.superclasses.classes) == is_one


P, Q, S, N, A, C = (URIRef(f"urn:x/{name}") for name in "pqsnaC")
x_of_transitive_edges, y_of_transitive_edges, z_of_transitive_edges, w_of_transitive_edges = map(
    Variable, "xyzw"
)


def rule(head, *body, different=()):
    """`rule((P, x, z), (P, x, y), (P, y, z))`, the head first."""
    first, *atoms = (
        Atom(predicate, arguments)
        for predicate, *arguments in (head, *body)
        for arguments in [tuple(arguments)]
    )
    return Rule("pr-test", tuple(atoms), first, different)


TRANSITIVE = rule(
    (P, x_of_transitive_edges, z_of_transitive_edges),
    (P, x_of_transitive_edges, y_of_transitive_edges),
    (P, y_of_transitive_edges, z_of_transitive_edges),
)
TURNED = rule(
    (Q, x_of_transitive_edges, z_of_transitive_edges),
    (Q, y_of_transitive_edges, z_of_transitive_edges),
    (Q, x_of_transitive_edges, y_of_transitive_edges),
)


def test_the_edge_is_the_atom_with_the_object_of_the_head():
    assert edges_of([TRANSITIVE, TURNED]).atoms == [1, 0]


@pytest.mark.parametrize(
    "other",
    [
        rule(
            (P, x_of_transitive_edges, z_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (Q, y_of_transitive_edges, z_of_transitive_edges),
        ),
        rule(
            (P, z_of_transitive_edges, x_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, y_of_transitive_edges, z_of_transitive_edges),
        ),
        rule(
            (P, x_of_transitive_edges, x_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, y_of_transitive_edges, x_of_transitive_edges),
        ),
        rule(
            (P, x_of_transitive_edges, A),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, y_of_transitive_edges, A),
        ),
        rule(
            (P, x_of_transitive_edges, z_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, y_of_transitive_edges, z_of_transitive_edges),
            different=(Different(x_of_transitive_edges, z_of_transitive_edges),),
        ),
        rule(
            (P, x_of_transitive_edges, w_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, y_of_transitive_edges, z_of_transitive_edges),
            (P, z_of_transitive_edges, w_of_transitive_edges),
        ),
        rule(
            (C, x_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (C, y_of_transitive_edges),
        ),
        Rule("prp-irp", (Atom(P, (x_of_transitive_edges, x_of_transitive_edges)),), None),
    ],
    ids=str,
)
def test_of_no_other_rule_an_atom_has_to_be_an_edge(other):
    assert edges_of([other]).atoms == [NO_EDGE]
    assert edges_of([other]).noted == frozenset()


def test_copies_are_those_on_the_way_from_a_transitive_property_to_one():
    rules = [
        TRANSITIVE,
        TURNED,
        rule(
            (N, x_of_transitive_edges, y_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
        ),
        rule(
            (Q, y_of_transitive_edges, x_of_transitive_edges),
            (N, x_of_transitive_edges, y_of_transitive_edges),
        ),
        rule(
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (S, x_of_transitive_edges, y_of_transitive_edges),
        ),  # nothing transitive is copied to S
        rule(
            (A, x_of_transitive_edges, y_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
        ),  # and nothing from A
    ]
    edges = edges_of(rules)
    assert edges.copies == [False, False, True, True, False, False]
    assert edges.noted == {P, Q, N}


@pytest.mark.parametrize(
    "other",
    [
        rule(
            (P, x_of_transitive_edges, x_of_transitive_edges),
            (P, x_of_transitive_edges, x_of_transitive_edges),
        ),
        rule((P, x_of_transitive_edges, A), (P, x_of_transitive_edges, y_of_transitive_edges)),
        rule(
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            (C, x_of_transitive_edges),
        ),
        rule(
            (P, y_of_transitive_edges, x_of_transitive_edges),
            (P, x_of_transitive_edges, y_of_transitive_edges),
            different=(Different(x_of_transitive_edges, y_of_transitive_edges),),
        ),
    ],
    ids=str,
)
def test_what_says_something_else_or_asks_for_more_is_no_copy(other):
    assert edges_of([TRANSITIVE, other]).copies == [False, False]


OF_THINGS = Rule(
    "cax-sco",
    (strategies.is_a(OWL.Thing, strategies.x),),
    strategies.is_a(strategies.A, strategies.x),
)


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
        patch.setattr(program_module, "compile_", broken)
        with pytest.raises(MemoryError):
            growing.grow(facts)
    assert growing.program is before
    assert not growing.covers(facts)
    growing.grow(facts)
    assert {"dt-not-type", "pr-thing"} <= {rule.name for rule in growing.program.rules}
    assert growing.covers(np.empty((0, 3), np.int32))


def test_merged_names_have_one_number_in_facts_and_rules():
    growing = program(
        Rule(
            "cls-oo",
            (strategies.related(R, b, strategies.x),),
            strategies.is_a(strategies.A, strategies.x),
        ),
        same=[[a, b]],
    )
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
    Rule("cax-sco", (strategies.is_a(strategies.A, strategies.x),), strategies.is_a(B, strategies.x)),
    Rule("cax-sco", (strategies.is_a(B, strategies.x),), strategies.is_a(strategies.C, strategies.x)),
    Rule("cax-dw", (strategies.is_a(B, strategies.x), strategies.is_a(D, strategies.x)), None),
)


def classes(*names):
    return frozenset(Symbol(name, 1) for name in names)


def test_what_runs_is_the_program_itself_where_all_is_asked_for_or_needed():
    growing = program(*SOME)
    assert growing.part_for(None).program is growing.program
    assert growing.part_for(classes(strategies.C)).program is growing.program
    assert growing.part_for(None).has_all_of(None)


def test_what_runs_says_what_it_lacks():
    part = program(*SOME).part_for(classes(strategies.A))
    assert part.program.rules == (SOME[0], SOME[2])
    assert part.lacks == classes(strategies.C)
    assert part.has_all_of(classes(strategies.A, B, EX.New)) and not part.has_all_of(classes(B, strategies.C))
    assert not part.has_all_of(None)


def test_what_runs_is_compiled_again_only_for_more_rules_or_where_less_is_asked_for():
    growing = program(*SOME)
    part = growing.part_for(classes(strategies.A))
    assert growing.part_for(classes(strategies.A, B)) is part
    assert growing.part_for(classes(strategies.A, B, strategies.C)).program is growing.program
    assert growing.part_for(classes(strategies.A)).program.rules == part.program.rules


def test_what_runs_follows_a_program_that_grows():
    growing = program(unique_names=False)
    asked = frozenset((Symbol(R, 2),))
    assert not growing.part_for(asked).program.rules
    meet(growing, (a, R, b), (a, EX.other, b), (a, OWL.sameAs, b))
    names = {rule.head.predicate for rule in growing.part_for(asked).program.rules}
    assert names == {R, OWL.sameAs}
