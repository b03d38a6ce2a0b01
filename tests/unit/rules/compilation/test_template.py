"""Rules of one shape are compiled once, to the same program as if each were compiled by itself."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Variable

from counts import cases
from pantarhei.errors import InvalidRuleError
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation import program
from pantarhei.rules.compilation.program import _Compiler, compile_
from pantarhei.rules.compilation.template import is_common, shape_of
from strategies import EX, rules

x, y, z = map(Variable, "xyz")
arguments = st.sampled_from([(x,), (y,), (x, y), (y, x), (x, x), (y, z), (EX.a,), (x, EX.a)])
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
        patch.setattr(program, "shape_of", lambda rule: None)
        return compile_(given_)


def is_valid(rule):
    try:
        without_templates([rule])
    except InvalidRuleError:
        return False
    return True


@given(st.lists(shaped.filter(is_valid), max_size=12), rules(literals=True))
@settings(max_examples=cases(100, 300), deadline=None)
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
        Rule("cax-adc", (Atom(EX[f"C{i}"], (x,)), Atom(EX[f"C{j}"], (x,))), None)
        for i in range(100)
        for j in range(i)
    ]
    assert len(compile_(pairs).rules) == 4950
    assert len(written) == 1


def test_rules_with_constants_have_no_template():
    assert is_common(shape_of(Rule("r", (Atom(EX.A, (x,)),), Atom(EX.p, (x, y)))))
    assert not is_common(shape_of(Rule("r", (Atom(EX.A, (x,)),), Atom(EX.p, (x, EX.a)))))
