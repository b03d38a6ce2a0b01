"""Computations that feed themselves, and such as end."""

from __future__ import annotations

from rdflib import XSD, Literal, Namespace, Variable

from pantarhei.model.rule import Origin
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Class, Property, PropertyKind
from pantarhei.owl.swrl import (
    BuiltInAtom,
    PropertyAtom,
    SwrlRule,
)
from pantarhei.rules.translation.swrl_rules import rules_of_swrl
from pantarhei.rules.translation.termination import endless
from pantarhei.values.builtin import SWRLB

EX, B = Namespace("http://example.org/"), Namespace(SWRLB)
x, y, z, r, s = map(Variable, ("x", "y", "z", "r", "s"))
A, C, D = Class(EX.A), Class(EX.C), Class(EX.D)
p, q = Property(EX.p), Property(EX.q)
d, e = Property(EX.d, PropertyKind.DATA), Property(EX.e, PropertyKind.DATA)
INTEGER = owl.Datatype(XSD.integer)
FIVE = Literal("5", datatype=XSD.integer)


def built_in(name, *arguments):
    return BuiltInAtom(B[name], arguments)


def rule(source, target, name="add"):
    body = (PropertyAtom(source, x, y), built_in(name, r, y, *([FIVE] if name == "add" else [])))
    (made,) = rules_of_swrl(SwrlRule(body, (PropertyAtom(target, x, r),)), Origin("the rule"))
    return made


def test_computing_from_another_property_ends():
    body = [PropertyAtom(d, x, z), PropertyAtom(e, x, y), built_in("add", r, y, FIVE)]
    (made,) = rules_of_swrl(SwrlRule(tuple(body), (PropertyAtom(d, x, r),)), Origin("the rule"))
    assert endless([made]) == ()


def test_rounding_what_is_rounded_ends():
    assert endless([rule(d, d, "floor"), rule(d, e, "abs"), rule(e, d, "unaryMinus")]) == ()


def test_two_rules_that_feed_each_other_do_not_end():
    there, back, apart = rule(d, e), rule(e, d, "floor"), rule(d, Property(EX.f, PropertyKind.DATA))
    assert endless([there, apart]) == ()
    assert endless([there, back, apart]) == (there,)
