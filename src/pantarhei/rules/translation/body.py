"""Rule bodies from class and property expressions on the left side of an inclusion.

A body is a conjunction of atoms about a term. A nominal `{a}` on the left replaces that term by `a`. An
expression that is not equivalent to a finite conjunction of atoms raises `NotARuleError`; the admission
report shows the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from rdflib import OWL, RDFS, Literal, Variable

from pantarhei.model.rule import Argument, Atom, Different, Member, Origin, Rule, Test
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    THING,
    Bound,
    ClassExpression,
    DataRange,
    Filler,
    InverseOf,
    PropertyExpression,
    SubClassOf,
)
from pantarhei.owl.normal_form import MOST_ALTERNATIVES
from pantarhei.owl.simplify import BOTTOM_PROPERTIES, TOP_PROPERTIES
from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.values.membership import range_problem, unknown_reason
from pantarhei.values.scalar_functions import is_computation

X, Y, Z = Variable("x"), Variable("y"), Variable("z")

# Largest number of body atoms of a rule: the size of its join plans is quadratic in this number.
MOST_ATOMS = 500


class NotARuleError(Exception):
    """A part of an axiom cannot be translated to a rule. `translate` catches this error and reports the part
    as lost, with the reason.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NeverError(Exception):
    """The body is unsatisfiable, for example because it contains owl:Nothing."""


def property_atom(expression: PropertyExpression, first: Argument, second: Argument) -> Atom:
    """Return the atom `R(first, second)`; for an inverse property, `R(second, first)`.

    Raises:
        NotARuleError: R is the universal property, whose facts are not listed by assertions.
        NeverError: R is the empty property, or the subject is a literal.
    """
    if isinstance(expression, InverseOf):
        return property_atom(expression.inverted, second, first)
    if expression.iri in TOP_PROPERTIES:
        raise NotARuleError(f"{expression} relates all pairs, which a finite rule body cannot express")
    if expression.iri in BOTTOM_PROPERTIES:
        raise NeverError
    if isinstance(first, Literal):
        raise NeverError
    return Atom(expression.iri, (first, second))


@dataclass(slots=True)
class Body:
    """Conjunction under construction.

    Args:
        atoms: the atoms so far.
        names: individuals that nominals substitute for variables.
        tests: data ranges and built-ins.
    """

    atoms: list[Atom] = field(default_factory=list)
    names: dict[Variable, Argument] = field(default_factory=dict)
    tests: list[Test] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def fresh(self) -> Variable:
        return Variable(f"_{next(self._numbers)}")

    def require(self, expression: Filler, term: Argument) -> None:
        """Add conditions equivalent to `expression(term)`.

        Raises:
            NotARuleError: the expression is not equivalent to a finite conjunction of atoms.
            NeverError: the expression is empty.
        """
        match expression:
            case owl.Class(OWL.Thing) | owl.Datatype(RDFS.Literal):
                pass
            case owl.Class(OWL.Nothing):
                raise NeverError
            case owl.Class(iri):
                self.atoms.append(Atom(iri, (term,)))
            case owl.IntersectionOf(operands):
                for operand in operands:
                    self.require(operand, term)
            case owl.SomeValuesFrom(on, filler):
                other = self.fresh()
                self.atoms.append(property_atom(on, term, other))
                self.require(filler, other)
            case owl.HasValue(on, value):
                self.atoms.append(property_atom(on, term, value))
            case owl.HasSelf(on):
                self.atoms.append(property_atom(on, term, term))
            case owl.OneOf((individual,)):
                self._require_name(term, individual)
            case _ if isinstance(expression, DataRange):
                self.test(expression, term)
            case _:
                raise NotARuleError(_why_not_on_the_left(expression))

    def test(self, range_: DataRange, term: Argument, inside: bool = True) -> None:
        """Require `term` to be a literal inside the data range, or outside it if `inside` is false.

        Raises:
            NotARuleError: membership in the range cannot be decided.
        """
        reason = range_problem(range_) or unknown_reason(range_)
        if reason is not None:
            raise NotARuleError(reason)
        self.tests.append(Member(term, range_, inside))

    def _require_name(self, term: Argument, individual: Argument) -> None:
        known = self.resolved(term)
        if isinstance(known, Variable):
            self.names[known] = individual
        elif known != individual:
            self.atoms.append(Atom(OWL.sameAs, (known, individual)))

    def resolved(self, term: Argument) -> Argument:
        """Return the individual that a nominal substitutes for `term`, or `term` itself."""
        return self.names.get(term, term) if isinstance(term, Variable) else term

    def rule(
        self, name: str, head: Atom | None, origin: Origin, *different: tuple[Argument, Argument]
    ) -> Rule:
        """Return the canonical rule with this body. Variables of the head and the inequalities that the body
        lacks are restricted to owl:Thing.

        Raises:
            NotARuleError: the body has more than `MOST_ATOMS` atoms.
        """
        if len(self.atoms) > MOST_ATOMS:
            raise NotARuleError(f"it needs a rule with more than {MOST_ATOMS} conditions")
        unequal = tuple(Different(one, other) for one, other in different)
        with_variables = Rule(name, tuple(self.atoms), head, unequal, origin, tuple(self.tests))
        rule = with_variables.with_arguments(self.resolved)
        return canonical(replace(rule, body=(*rule.body, *_things(rule))))


def chain_body(chain: Iterable[PropertyExpression]) -> tuple[Body, Variable]:
    """Return the body `chain[0](x, x1), chain[1](x1, x2), …`, and the last variable of the chain."""
    body, end = Body(), X
    for on in chain:
        start, end = end, body.fresh()
        body.atoms.append(property_atom(on, start, end))
    return body, end


def _things(rule: Rule) -> tuple[Atom, ...]:
    """Return `owl:Thing(x)` for each variable x of the head or of an inequality that neither a body atom nor
    a computation binds.
    """
    known = {a for atom in rule.body for a in atom.arguments}
    known |= {test.arguments[0] for test in rule.tests if is_computation(test)}
    used = [a for d in rule.different for a in (d.left, d.right)]
    used += rule.head.arguments if rule.head else ()
    unbound = dict.fromkeys(a for a in used if isinstance(a, Variable) and a not in known)
    return tuple(Atom(OWL.Thing, (a,)) for a in unbound)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Inclusion after each `∀R.C` on its right side has been moved into the body as `R(x, y)`: if `body`
    holds, `term` is in `conclusion`.

    Args:
        name: W3C name of the rule.
        below_all: the conclusion was inside a `∀`.
    """

    body: Body
    term: Argument
    conclusion: Filler
    name: str
    below_all: bool


def open_inclusion(axiom: owl.SubClassOf | owl.PropertyDomain | owl.PropertyRange) -> Inclusion:
    """Return the body and the conclusion of a subclass axiom, a domain or a range.

    Raises:
        NotARuleError: the left side is not equivalent to a finite conjunction of atoms.
        NeverError: the left side is empty.
    """
    body = Body()
    term, conclusion, name = _open_left(axiom, body)
    below_all = False
    while isinstance(conclusion, owl.AllValuesFrom):
        other = body.fresh()
        body.atoms.append(property_atom(conclusion.property, term, other))
        term, conclusion, below_all = other, conclusion.filler, True
    return Inclusion(body, term, conclusion, "cls-avf" if below_all else name, below_all)


def _open_left(
    axiom: owl.SubClassOf | owl.PropertyDomain | owl.PropertyRange, body: Body
) -> tuple[Variable, Filler, str]:
    match axiom:
        case owl.PropertyDomain(on, domain):
            body.atoms.append(property_atom(on, X, Y))
            return X, domain, "prp-dom"
        case owl.PropertyRange(on, range_):
            body.atoms.append(property_atom(on, X, Y))
            return Y, range_, "prp-rng"
        case SubClassOf(sub, super_):
            body.require(sub, X)
            return X, super_, _left_name(sub)


def _left_name(sub: ClassExpression) -> str:
    """Return the W3C rule named after the outermost constructor of the left side."""
    match sub:
        case owl.IntersectionOf():
            return "cls-int1"
        case owl.SomeValuesFrom(_, filler):
            return "cls-svf2" if filler in (THING, owl.ANY_LITERAL) else "cls-svf1"
        case owl.HasValue():
            return "cls-hv2"
        case owl.OneOf():
            return "cls-oo"
        case owl.HasSelf():
            return "pr-self"
    return "cax-sco"


def _why_not_on_the_left(expression: Filler) -> str:
    match expression:
        case owl.UnionOf() | owl.OneOf():
            return f"its unions multiply out to more than {MOST_ALTERNATIVES} rules"
        case owl.Cardinality(Bound.MIN):
            return f"{expression} on the left counts different values, which is outside OWL 2 RL"
        case owl.ComplementOf() | owl.AllValuesFrom() | owl.Cardinality():
            return f"{expression} on the left is outside OWL 2 RL: what is absent proves nothing"
        case owl.NaryDataRestriction():
            return f"{expression} is a restriction over several data properties, which is outside OWL 2 RL"
    raise AssertionError(f"{expression} can be a body")
