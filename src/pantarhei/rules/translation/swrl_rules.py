"""Translation of SWRL rules to rules and constraints, one for each atom of the head.

Source: SWRL: a semantic web rule language combining OWL and RuleML (W3C member submission, 2004). Variables
are DL-safe: they are bound only to names and literals in facts. A SWRL rule is first rewritten to SWRL rules
(`_PASSES`) whose atoms are then converted one by one. Under unique names, a head `sameAs(x, y)` becomes a
constraint with the inequality `x ≠ y`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count, product
from math import prod

from rdflib import OWL, Literal, URIRef, Variable

from pantarhei.model.graphs import reached
from pantarhei.model.rule import Argument, Atom, Builtin, Origin, Rule, Test
from pantarhei.model.term import short
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    ANY_LITERAL,
    NOTHING,
    THING,
    Bound,
    BuiltInAtom,
    ClassAtom,
    DataRange,
    DataRangeAtom,
    DifferentAtom,
    Filler,
    PropertyAtom,
    PropertyKind,
    SameAtom,
    SwrlArgument,
    SwrlAtom,
    SwrlRule,
    arguments_of,
    rewritten,
)
from pantarhei.owl.normal_form import MOST_ALTERNATIVES, count_alternatives, split_left
from pantarhei.owl.simplify import BOTTOM_PROPERTIES, TOP_PROPERTIES, simplify
from pantarhei.rules.translation.body import MOST_ATOMS, Body, NeverError, NotARuleError, property_atom
from pantarhei.values.scalar_functions import COMPARISONS, COMPUTATIONS, EQUAL, SWRLB, is_computation

# Computations whose repeated application to finitely many literals yields finitely many literals.
ROUNDING = frozenset(URIRef(SWRLB + name) for name in ("ceiling", "floor", "round", "roundHalfToEven"))
SIGNS = frozenset(URIRef(SWRLB + name) for name in ("unaryMinus", "unaryPlus", "abs"))


def endless(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules that compute new literals from their own results, so that the materialization could be
    infinite.

    The test is weak acyclicity, as for existential rules (Fagin et al., *Data exchange*, 2005). In the graph
    of argument positions, with edges from the positions of a body to those of its head, no cycle may contain
    a computation. Rounding and signs are exempt, since their repeated application yields finitely many
    literals. The cost is one traversal of the graph for each computation.
    """
    leads: defaultdict[_Position, set[_Position]] = defaultdict(set)
    computes: list[tuple[Rule, _Position, _Position]] = []
    for rule in rules:
        for source, target, new in _flows(rule):
            leads[source].add(target)
            if new:
                computes.append((rule, source, target))

    def after(position: _Position) -> Iterable[_Position]:
        return leads.get(position, ())

    return tuple(
        dict.fromkeys(rule for rule, source, target in computes if source in reached([target], after))
    )


# Argument position of a predicate: (name, arity, argument index).
_Position = tuple[object, int, int]


def _flows(rule: Rule) -> Iterator[tuple[_Position, _Position, bool]]:
    """Yield (body position, head position, computed) for each head argument that is a variable: a fact at the
    body position determines the head argument, by a computation if `computed` is true.
    """
    if rule.head is None:
        return
    positions: defaultdict[Argument, list[_Position]] = defaultdict(list)
    for atom in rule.body:
        for number, argument in enumerate(atom.arguments):
            if isinstance(argument, Variable):
                positions[argument].append((atom.predicate, len(atom.arguments), number))
    sources = _sources(rule, positions)
    for number, argument in enumerate(rule.head.arguments):
        for variable, new in sources.get(argument, {}).items():
            for position in positions[variable]:
                yield position, (rule.head.predicate, len(rule.head.arguments), number), new


def _sources(rule: Rule, in_body: Iterable[Argument]) -> dict[Argument, dict[Argument, bool]]:
    """Map each variable to the body variables that determine its value, each with True if a computation other
    than rounding or a sign lies between.
    """
    sources: dict[Argument, dict[Argument, bool]] = {variable: {variable: False} for variable in in_body}
    for test in rule.tests:
        if isinstance(test, Builtin) and is_computation(test) and test.arguments[0] not in sources:
            new = test.name not in ROUNDING | SIGNS
            made_of: dict[Argument, bool] = {}
            for operand in test.arguments[1:]:
                for variable, already in sources.get(operand, {}).items():
                    made_of[variable] = made_of.get(variable, False) or already or new
            sources[test.arguments[0]] = made_of
    return sources


NAME = "pr-swrl"

# Computations have one or two operands; `add` and `multiply` with more operands are split.
_UNARY = ROUNDING | SIGNS
_ASSOCIATIVE = frozenset(URIRef(SWRLB + name) for name in ("add", "multiply"))

_SAME_AS = owl.Property(OWL.sameAs)


def rules_of_swrl(rule: SwrlRule, origin: Origin) -> tuple[Rule, ...]:
    """Return the rules and constraints of a SWRL rule; () if its body is unsatisfiable.

    A rule without a body is a fact, and a constraint without a body is a contradiction.

    Raises:
        NotARuleError: a part of the SWRL rule cannot be translated to rules; has the reason.

    >>> x, y = Variable("x"), Variable("y")
    >>> hot, warns = owl.Class(URIRef("urn:x/Hot")), owl.Property(URIRef("urn:x/warns"))
    >>> body = ClassAtom(hot, x), PropertyAtom(warns, x, y)
    >>> print(*rules_of_swrl(SwrlRule(body, (ClassAtom(hot, y),)), ""))
    Hot(?y) :- Hot(?x), warns(?x, ?y).
    """
    if len(rule.body) > MOST_ATOMS:
        raise NotARuleError(f"a body of more than {MOST_ATOMS} atoms is not supported")
    rewritten = [rule]
    for apply in _PASSES:
        rewritten = [new for old in rewritten for new in apply(old)]
        if len(rewritten) > MOST_ALTERNATIVES:
            raise NotARuleError(f"its alternatives multiply out to more than {MOST_ALTERNATIVES} rules")
    made: dict[Rule, None] = {}
    for single in rewritten:
        try:
            made.update(dict.fromkeys(_rules(single, origin)))
        except NeverError:
            continue
    if endless(made):
        raise NotARuleError(
            "it computes new literals from its own results, so it could derive literals without end"
        )
    return tuple(made)


# --- SWRL rules rewritten as SWRL rules ---


def _split_head(rule: SwrlRule) -> Iterator[SwrlRule]:
    """Yield a rule for each atom of the head. A head atom that denies something is moved into the body."""
    if not rule.head:
        yield rule
    for atom in rule.head:
        yield from _with_head(rule.body, atom)


def _with_head(body: tuple[SwrlAtom, ...], atom: SwrlAtom) -> Iterator[SwrlRule]:
    match atom:
        case ClassAtom(type_, term):
            yield from _with_class(body, simplify(type_), term)
        case PropertyAtom(owl.Property(iri)) if iri in BOTTOM_PROPERTIES:
            yield SwrlRule(body, ())
        case PropertyAtom(owl.Property(iri)) if iri in TOP_PROPERTIES:
            return
        case BuiltInAtom(name):
            raise NotARuleError(f"the built-in {short(name)} in its head is not supported")
        case DataRangeAtom(range_) if range_ == ANY_LITERAL:
            return
        case _:
            yield SwrlRule(body, (atom,))


def _with_class(body: tuple[SwrlAtom, ...], simple: Filler, term: SwrlArgument) -> Iterator[SwrlRule]:
    match simple:
        case owl.IntersectionOf(operands):
            for operand in operands:
                yield from _with_class(body, operand, term)
        case owl.Class() if simple == THING:
            return
        case owl.Class() if simple == NOTHING:
            yield SwrlRule(body, ())
        case owl.Class() | owl.HasValue() | owl.HasSelf():
            yield SwrlRule(body, (ClassAtom(simple, term),))
        case owl.ComplementOf(operand):
            yield SwrlRule((*body, ClassAtom(operand, term)), ())
        case owl.AllValuesFrom(on, filler):
            (value,) = _new_variables(body, 1)
            yield from _with_class((*body, PropertyAtom(on, term, value)), filler, value)
        case owl.Cardinality(Bound.MAX, 0, on, filler):
            yield SwrlRule((*body, ClassAtom(owl.SomeValuesFrom(on, filler or THING), term)), ())
        case owl.Cardinality(Bound.MAX, 1, on, filler):
            values = _new_variables(body, 2)
            more = [atom for v in values for atom in (PropertyAtom(on, term, v), *_member(filler, v))]
            yield SwrlRule((*body, *more), (SameAtom(*values),))
        case _ if isinstance(simple, DataRange):
            yield from _with_head(body, DataRangeAtom(simple, term))
        case _:
            raise NotARuleError(f"{simple} in the head of a rule is not supported")


def _member(filler: Filler | None, term: SwrlArgument) -> tuple[SwrlAtom, ...]:
    if filler is None:
        return ()
    return (DataRangeAtom(filler, term) if isinstance(filler, DataRange) else ClassAtom(filler, term),)


def _new_variables(body: tuple[SwrlAtom, ...], number: int) -> list[Variable]:
    taken = {argument for atom in body for argument in arguments_of(atom)}
    fresh = (v for i in count(1) if (v := Variable(f"value{i}")) not in taken)
    return [next(fresh) for _ in range(number)]


def _split_same(rule: SwrlRule) -> Iterator[SwrlRule]:
    """Yield two rules for each `sameAs(x, y)` in the body: one with y replaced by x, and one that requires
    the fact `owl:sameAs(x, y)`.
    """
    same = next((atom for atom in rule.body if isinstance(atom, SameAtom)), None)
    if same is None:
        yield rule
        return
    rest = tuple(atom for atom in rule.body if atom != same)
    kept, replaced = same.first, same.second
    if not isinstance(replaced, Variable):
        kept, replaced = replaced, kept
    if kept == replaced:
        yield from _split_same(replace(rule, body=rest))
        return
    if isinstance(replaced, Variable):
        merged = rewritten(SwrlRule(rest, rule.head), lambda part: kept if part == replaced else None)
        yield from _split_same(merged)
    stated = PropertyAtom(_SAME_AS, same.first, same.second)
    yield from _split_same(SwrlRule((*rest, stated), rule.head))


def _split_unions(rule: SwrlRule) -> Iterator[SwrlRule]:
    """Yield a rule for each combination of operands of the unions in the body."""
    simple = [
        ClassAtom(simplify(atom.type), atom.argument) if isinstance(atom, ClassAtom) else atom
        for atom in rule.body
    ]
    if (
        prod(count_alternatives(atom.type) for atom in simple if isinstance(atom, ClassAtom))
        > MOST_ALTERNATIVES
    ):
        raise NotARuleError(f"its unions multiply out to more than {MOST_ALTERNATIVES} rules")
    for body in product(*map(_alternatives, simple)):
        yield SwrlRule(body, rule.head)


def _alternatives(atom: SwrlAtom) -> tuple[SwrlAtom, ...]:
    if not isinstance(atom, ClassAtom):
        return (atom,)
    inclusions = split_left((owl.SubClassOf(atom.type, NOTHING),))
    return tuple(
        ClassAtom(part.sub, atom.argument) for part in inclusions if isinstance(part, owl.SubClassOf)
    )


_PASSES: tuple[Callable[[SwrlRule], Iterator[SwrlRule]], ...] = (_split_head, _split_same, _split_unions)


# --- Conversion to rules ---


def _rules(rule: SwrlRule, origin: Origin) -> tuple[Rule, ...]:
    """Translate a SWRL rule with at most one head atom to a rule or a constraint; return () for
    a tautology.
    """
    body = Body()
    different: list[tuple[Argument, Argument]] = []
    builtins: list[Builtin] = []
    for atom in rule.body:
        match atom:
            case ClassAtom(type_, term):
                body.require(type_, term)
            case DataRangeAtom(range_, term):
                body.require(range_, term)
            case PropertyAtom(on, subject, object_):
                body.atoms.append(property_atom(on, subject, object_))
            case DifferentAtom(first, second):
                different.append((first, second))
            case BuiltInAtom():
                builtins += _builtins(atom, body)
    _add_things(rule, body)
    head: Atom | None = None
    match rule.head:
        case (SameAtom(first, second),):
            different.append((first, second))
        case (DataRangeAtom(range_, term),):
            body.test(range_, term, inside=False)
        case (atom,):
            head = _head(atom)
    if any(first == second for first, second in different):
        return ()
    if not body.atoms and (different or builtins or body.tests):
        raise NotARuleError("its body has no atom of a class or property, which facts could match")
    bound = _order_tests(body, builtins)
    used = [a for pair in different for a in pair] + list(head.arguments if head else ())
    _refuse_unbound(map(body.resolved, used), bound)
    if head is not None:
        _refuse_literal_subject(head, body, _data_values(rule))
    made = body.rule(NAME, head, origin, *different)
    _refuse_unconnected(made)
    return () if made.head in made.body else (made,)


def _add_things(rule: SwrlRule, body: Body) -> None:
    """Add `owl:Thing(x)` for each variable that the SWRL rule restricts to owl:Thing and that no other atom
    contains.
    """
    for atom in rule.body:
        if isinstance(atom, ClassAtom) and atom.type == THING:
            known = {argument for other in body.atoms for argument in other.arguments}
            body.atoms += [] if atom.argument in known else [Atom(OWL.Thing, (atom.argument,))]


def _head(atom: SwrlAtom) -> Atom:
    match atom:
        case ClassAtom(owl.Class(iri), term):
            return Atom(iri, (term,))
        case ClassAtom(owl.HasValue(on, value), term):
            return property_atom(on, term, value)
        case ClassAtom(owl.HasSelf(on), term):
            return property_atom(on, term, term)
        case PropertyAtom(on, subject, object_):
            return property_atom(on, subject, object_)
        case DifferentAtom(first, second):
            return Atom(OWL.differentFrom, (first, second))
    raise AssertionError(f"{atom} was to be rewritten")


# --- Built-ins ---


def _builtins(atom: BuiltInAtom, body: Body) -> Iterator[Builtin]:
    """Yield the built-in, with operations over more than two operands split into binary operations."""
    name, arguments = atom.name, atom.arguments
    if name not in COMPARISONS | COMPUTATIONS:
        raise NotARuleError(f"the built-in {name} is not supported")
    expected = 2 if name in COMPARISONS or name in _UNARY else 3
    if len(arguments) != expected and not (name in _ASSOCIATIVE and len(arguments) > expected):
        raise NotARuleError(f"the built-in {short(name)} has {len(arguments)} arguments, not {expected}")
    result, *operands = arguments
    while len(operands) > 2:
        part = body.fresh()
        yield Builtin(name, (part, operands[0], operands[1]))
        operands[:2] = [part]
    yield Builtin(name, (result, *operands))


def _order_tests(body: Body, builtins: list[Builtin]) -> set[Argument]:
    """Append the built-ins to the body's tests such that each operand is bound before its use; return the
    bound variables.
    """
    bound: set[Argument] = {body.resolved(a) for atom in body.atoms for a in atom.arguments}
    waiting: list[Test] = [*body.tests, *builtins]
    body.tests.clear()
    while waiting:
        ready = next(
            (test for test in waiting if not _unbound(map(body.resolved, _needed(test)), bound)), None
        )
        if ready is None:
            raise NotARuleError(_why_unbound(body, waiting, bound))
        waiting.remove(ready)
        result = body.resolved(ready.arguments[0])
        if isinstance(ready, Builtin) and is_computation(ready):
            if not isinstance(result, Variable) or result in bound:
                fresh = body.fresh()
                waiting.insert(0, Builtin(EQUAL, (fresh, result)))
                ready, result = replace(ready, arguments=(fresh, *ready.arguments[1:])), fresh
            bound.add(result)
        body.tests.append(ready)
    return bound


def _needed(test: Test) -> tuple[Argument, ...]:
    return test.arguments[1:] if is_computation(test) else test.arguments


def _unbound(arguments: Iterable[Argument], bound: set[Argument]) -> list[Variable]:
    return [a for a in arguments if isinstance(a, Variable) and a not in bound]


def _why_unbound(body: Body, waiting: list[Test], bound: set[Argument]) -> str:
    results = {body.resolved(test.arguments[0]) for test in waiting if is_computation(test)}
    missing = [v for test in waiting for v in _unbound(map(body.resolved, _needed(test)), bound | results)]
    if missing:
        return _no_atom_binds(missing)
    names = ", ".join(sorted(result.n3() for result in results))
    return f"its computations of {names} need one another's results"


def _no_atom_binds(missing: list[Variable]) -> str:
    names = ", ".join(sorted({variable.n3() for variable in missing}))
    return f"no class or property atom of its body binds {names}"


# --- Requirements of the join machine ---


def _refuse_unbound(arguments: Iterable[Argument], bound: set[Argument]) -> None:
    if missing := _unbound(arguments, bound):
        raise NotARuleError(_no_atom_binds(missing))


def _data_values(rule: SwrlRule) -> set[SwrlArgument]:
    """Return the values of data properties in the body: variables bound to them are bound to literals."""
    atoms = (atom for atom in rule.body if isinstance(atom, PropertyAtom))
    return {atom.object for atom in atoms if atom.property.kind is PropertyKind.DATA}


def _refuse_literal_subject(head: Atom, body: Body, values: set[SwrlArgument]) -> None:
    subject = head.arguments[0]
    tested = {argument for test in body.tests for argument in test.arguments}
    if isinstance(subject, Literal) or subject in values or subject in tested:
        raise NotARuleError(f"its head has the literal {subject.n3()} as subject; a subject must be a name")


def _refuse_unconnected(rule: Rule) -> None:
    """Raise `NotARuleError` unless the body can be matched by joins that start from any one of its atoms, or
    from the head.
    """
    having: defaultdict[Argument, list[Atom]] = defaultdict(list)
    for atom in rule.body:
        for argument in atom.arguments:
            having[argument].append(atom)
    known = [atom for atom in rule.body if not all(isinstance(a, Variable) for a in atom.arguments)]
    for trigger in rule.atoms if rule.body else ():
        reachable = set(
            reached((trigger, *known), lambda atom: (o for a in atom.arguments for o in having[a]))
        )
        if disconnected := [atom for atom in rule.body if atom not in reachable]:
            raise NotARuleError(
                f"{trigger} and {disconnected[0]} share no variable, even through other atoms; such a "
                "rule, which pairs all matches of one with all matches of the other, is not supported"
            )
