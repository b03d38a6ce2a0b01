"""Compiled rules: what the plans say, read back, is what the rules say."""

import pickle
import subprocess
import sys
from dataclasses import fields

import numpy as np
from hypothesis import given
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.dispatch import Dispatch
from pantarhei.rules.compilation.plan import BACKWARD, CHECK, FORWARD
from pantarhei.rules.compilation.program import compile_, part_of
from pantarhei.values.value import value_of
from strategies import EX, rules

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
