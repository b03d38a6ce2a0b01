"""Rules compiled to the integers that the kernel's join machine runs (materialize/kernel/joins.py).

A program is a value: it pickles, and is the same for the same rules, wherever it is compiled.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Protocol, cast

import numpy as np
from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol
from pantarhei.errors import InvalidRuleError
from pantarhei.language.data_range import DataRange
from pantarhei.language.rule import Argument, Atom, Member, Predicate, Rule, Test
from pantarhei.language.term import Term
from pantarhei.literals.builtin import EQUAL, is_computation
from pantarhei.literals.value import value_of
from pantarhei.rules.compilation.dispatch import LEAST_CLASSES_BACKWARD, Dispatch, Entries, dispatch
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    COMPUTE,
    DIFFERENT,
    FORWARD,
    HOLDS,
    IDENTICAL,
    INSIDE,
    OUTSIDE,
    Condition,
    WrittenPlan,
)
from pantarhei.rules.compilation.superclasses import Superclasses, inclusion, superclasses
from pantarhei.rules.compilation.template import Shape, Template, is_common, shape_of
from pantarhei.rules.compilation.transitive_edges import edges_of


@dataclass(frozen=True, slots=True)
class Plans:
    """What the join machine reads; `WrittenPlan` takes a plan out of the code.

    `forward` and `backward` say which plans to try with a fact, `superclasses` what comes with a class fact
    without trying those that are inclusions between classes. `indexed_by_subject` and `indexed_by_object`
    name the predicates whose chains plans and switches walk. `membership_bytes` is how many bytes the
    membership bits of a literal take. `edge_atoms` and `copies` are of each rule, `edges_noted` of each
    predicate (rules/compilation/transitive_edges.py).
    """

    code: Integers
    forward: Dispatch
    backward: Dispatch
    superclasses: Superclasses
    indexed_by_subject: tuple[int, ...]
    indexed_by_object: tuple[int, ...]
    most_variables: int
    widest_body: int
    membership_bytes: int
    edge_atoms: Integers
    copies: Integers
    edges_noted: Integers


@dataclass(frozen=True, slots=True)
class Program:
    """Compiled rules and constraints.

    `rules[i]` is the rule that plans call `i`; predicates, constants, data ranges and built-ins are numbered
    by their position, literals among the constants from `FIRST_LITERAL` on.
    """

    rules: tuple[Rule, ...]
    predicates: tuple[Symbol, ...]
    names: tuple[Term, ...]
    literals: tuple[Literal, ...]
    plans: Plans
    ranges: tuple[DataRange, ...] = ()
    builtins: tuple[URIRef, ...] = ()


class Numbered(Protocol):
    """Symbols and terms that have numbers, by their position."""

    symbols: list[Symbol]
    literals: list[Literal]

    @property
    def names(self) -> Sequence[Term]:
        """The names."""


def compile_(rules: Iterable[Rule], numbered: Numbered | None = None) -> Program:
    """The program of `rules`, constraints among them. Costs time linear in their size.

    Args:
        numbered: what has numbers already, which it keeps; the program begins with it.

    Raises:
        InvalidRuleError: a rule's body is not connected, or lacks a variable of its head, its inequalities or
            its tests.
    """
    return _Compiler(tuple(rules), numbered).program()


class _Compiler:
    """Numbers symbols as it meets them and writes plans; used once."""

    def __init__(self, rules: tuple[Rule, ...], numbered: Numbered | None) -> None:
        self.rules = rules
        self.predicates: dict[Symbol, int] = {}
        self.names: dict[Term, int] = {}
        self.literals: dict[object, tuple[int, Literal]] = {}
        if numbered is not None:
            self.predicates.update((symbol, i) for i, symbol in enumerate(numbered.symbols))
            self.names.update((name, i) for i, name in enumerate(numbered.names))
            for literal in numbered.literals:
                self._argument(literal, {})
        self.ranges: dict[DataRange, int] = {}
        self.builtins: dict[URIRef, int] = {}
        self.code = array("i")
        self.templates: dict[Shape, Template] = {}
        self.walked: set[tuple[int, int]] = set()  # (kind of step, predicate)
        self.forward, self.backward = Entries(), Entries()
        self.inclusions: dict[int, int] = {}  # trigger predicates by the offsets of plans
        self.above: defaultdict[int, list[int]] = defaultdict(list)  # direct superclasses
        self.most_variables = 1

    def program(self) -> Program:
        for number, rule in enumerate(self.rules):
            self._compile_rule(number, rule)
        widest = max((len(rule.body) for rule in self.rules), default=1)
        count = len(self.predicates)
        code = np.array(self.code or [0], np.int32)
        above = superclasses(self.above, count)
        climbing = {p for p in range(count) if above.start[p] < above.start[p + 1]}
        inclusions = {offset for offset, predicate in self.inclusions.items() if predicate in climbing}
        forward, classes = dispatch(code, self.forward, count, inclusions)
        backward, others = dispatch(code, self.backward, count, least_classes=LEAST_CLASSES_BACKWARD)
        self.walked.update((FORWARD, class_) for class_ in classes | others)
        edges = edges_of(self.rules)
        noted = [symbol.arity == 2 and symbol.name in edges.noted for symbol in self.predicates]
        plans = Plans(
            code=code,
            forward=forward,
            backward=backward,
            superclasses=above,
            indexed_by_subject=tuple(sorted(p for kind, p in self.walked if kind == FORWARD)),
            indexed_by_object=tuple(sorted(p for kind, p in self.walked if kind == BACKWARD)),
            most_variables=self.most_variables,
            widest_body=widest,
            membership_bytes=(len(self.ranges) + 7) // 8,
            edge_atoms=np.array(edges.atoms, np.int32),
            copies=np.array(edges.copies, np.int32),
            edges_noted=np.array(noted, np.int32),
        )
        return Program(
            self.rules,
            tuple(self.predicates),
            tuple(self.names),
            tuple(literal for _, literal in self.literals.values()),
            plans,
            tuple(self.ranges),
            tuple(self.builtins),
        )

    def _compile_rule(self, number: int, rule: Rule) -> None:
        shape = shape_of(rule)
        if shape is not None and shape in self.templates:
            self._fill_in(number, rule, self.templates[shape])
            return
        begun = len(self.code)
        self._write_rule(number, rule)
        if shape is not None and is_common(shape):
            plans = [offset for written in (self.forward, self.backward) for offset in written.since(begun)]
            offsets = [offset - begun for offset in plans]
            self.templates[shape] = Template.of(self.code[begun:], offsets, begun in self.inclusions)

    def _fill_in(self, number: int, rule: Rule, template: Template) -> None:
        """Write the plans as `_write_rule` would."""
        atoms = (*rule.body, rule.head)
        known = cast("dict[tuple[Predicate, int], int]", self.predicates)  # plain tuples are made faster
        found = [known.get((a.predicate, len(a.arguments)), NONE) if a else NONE for a in atoms]
        if NONE in found[:-1] or (rule.head is not None and found[-1] == NONE):
            for place in template.order:
                if (atom := atoms[place]) is not None:
                    found[place] = self._predicate(atom)
        begun = len(self.code)
        self.code.extend(template.written(number, found))
        for predicate, offset in zip(found[:-1], template.offsets, strict=False):
            self.forward.add(predicate, begun + offset)
        if rule.head is not None:
            self.backward.add(found[-1], begun + template.offsets[-1])
        self.walked.update([(kind, found[place]) for kind, place in template.walked])
        if template.is_inclusion:
            self.inclusions[begun] = found[0]
            self.above[found[0]].append(found[-1])

    def _write_rule(self, number: int, rule: Rule) -> None:
        variables: dict[Variable, int] = {}
        for atom in rule.body:
            for argument in atom.arguments:
                if isinstance(argument, Variable):
                    variables.setdefault(argument, len(variables))
        self._check_bound(rule, set(variables))
        for test in rule.tests:
            for argument in test.arguments:
                if isinstance(argument, Variable):
                    variables.setdefault(argument, len(variables))
        self.most_variables = max(self.most_variables, len(variables) + 1)  # one to compute into
        for position, atom in enumerate(rule.body):
            offset = self._write_plan(number, rule, variables, atom, position)
            self.forward.add(self._predicate(atom), offset)
            if len(rule.body) == 1 and (class_ := inclusion(WrittenPlan.at(self.code, offset))) != NONE:
                self.inclusions[offset] = self._predicate(atom)
                self.above[self._predicate(atom)].append(class_)
        if rule.head is not None:
            offset = self._write_plan(number, rule, variables, rule.head, NONE)
            self.backward.add(self._predicate(rule.head), offset)

    @staticmethod
    def _check_bound(rule: Rule, bound: set[Variable]) -> None:
        """Refuse a rule with a variable that neither its body nor a computation binds."""
        for test in rule.tests:
            used = test.arguments[1:] if is_computation(test) else test.arguments
            _refuse_unbound(rule, used, bound)
            bound.update(a for a in test.arguments if isinstance(a, Variable))
        for difference in rule.different:
            _refuse_unbound(rule, (difference.left, difference.right), bound)
        if rule.head is not None:
            _refuse_unbound(rule, rule.head.arguments, bound)

    def _write_plan(
        self, number: int, rule: Rule, variables: dict[Variable, int], trigger: Atom, position: int
    ) -> int:
        offset = len(self.code)
        head = (NONE, NONE, NONE) if rule.head is None else self._encode(rule.head, variables)
        steps = tuple(self._steps(rule, variables, trigger, position))
        conditions = tuple(self._conditions(rule, variables, _variables(trigger)))
        plan = WrittenPlan(number, head, self._encode(trigger, variables)[1:], position, steps, conditions)
        self.code.extend(plan.code)
        return offset

    def _conditions(
        self, rule: Rule, variables: dict[Variable, int], given: set[Variable]
    ) -> list[Condition]:
        """The inequalities and tests; those that a computation is needed for stand behind it.

        A computed variable that the trigger gives is a head's: it must be just what is computed.
        """
        bound = set[Variable]().union(*map(_variables, rule.body))
        different = [(DIFFERENT, d.left, d.right) for d in rule.different]
        early = [d for d in different if bound.issuperset(a for a in d[1:] if isinstance(a, Variable))]
        tests = [c for test in rule.tests for c in self._test(test, variables, bound, given)]
        late = [d for d in different if d not in early]

        def encoded(condition: tuple[int, Argument, Argument]) -> Condition:
            kind, left, right = condition
            return (kind, self._argument(left, variables), self._argument(right, variables), NONE, NONE)

        return [*map(encoded, early), *tests, *map(encoded, late)]

    def _test(
        self, test: Test, variables: dict[Variable, int], bound: set[Variable], given: set[Variable]
    ) -> Iterator[Condition]:
        """A test's conditions; a result that is known already is compared with what is computed."""
        if isinstance(test, Member):
            number = self.ranges.setdefault(test.range, len(self.ranges))
            argument = self._argument(test.argument, variables)
            yield (INSIDE if test.inside else OUTSIDE, argument, number, NONE, NONE)
            return
        builtin = self.builtins.setdefault(test.name, len(self.builtins))
        arguments = [self._argument(a, variables) for a in test.arguments]
        if not is_computation(test):
            yield (HOLDS, builtin, arguments[0], arguments[1], NONE)
            return
        result, left, right = arguments if len(arguments) == 3 else (*arguments, NONE)
        first = test.arguments[0]
        spare = len(variables)
        if not isinstance(first, Variable) or first in bound:
            equal = self.builtins.setdefault(EQUAL, len(self.builtins))
            yield (COMPUTE, builtin, left, right, spare)
            yield (HOLDS, equal, spare, result, NONE)
            return
        bound.add(first)
        if first in given:
            yield (COMPUTE, builtin, left, right, spare)
            yield (IDENTICAL, spare, result, NONE, NONE)
        else:
            yield (COMPUTE, builtin, left, right, result)

    def _steps(
        self, rule: Rule, variables: dict[Variable, int], trigger: Atom, position: int
    ) -> list[Condition]:
        """The body's other atoms, each as soon as it is bound: look-ups before walks.

        Costs O(n log n) for n atoms: when a variable is bound, the atoms that have it are ranked anew.
        """
        having: defaultdict[Variable, list[int]] = defaultdict(list)
        for i, atom in enumerate(rule.body):
            for variable in _variables(atom):
                having[variable].append(i)
        bound = _variables(trigger)
        waiting = set(range(len(rule.body))) - {position}
        ranked = [(kind, i) for i in waiting if (kind := _kind(rule.body[i], bound)) is not None]
        heapify(ranked)
        steps = []
        while waiting:
            if not ranked:
                raise InvalidRuleError(str(rule), "its body is not connected")
            kind, i = heappop(ranked)
            if i not in waiting:
                continue
            waiting.remove(i)
            predicate, first, second = self._encode(rule.body[i], variables)
            steps.append((kind, predicate, first, second, i))
            if kind != CHECK:
                self.walked.add((kind, predicate))
            for variable in _variables(rule.body[i]) - bound:
                bound.add(variable)
                for other in having[variable]:
                    if other in waiting and (better := _kind(rule.body[other], bound)) is not None:
                        heappush(ranked, (better, other))
        return steps

    def _encode(self, atom: Atom, variables: dict[Variable, int]) -> tuple[int, int, int]:
        arguments = [self._argument(a, variables) for a in atom.arguments]
        return (self._predicate(atom), arguments[0], arguments[1] if len(arguments) > 1 else NONE)

    def _predicate(self, atom: Atom) -> int:
        return self.predicates.setdefault(Symbol(atom.predicate, len(atom.arguments)), len(self.predicates))

    def _argument(self, argument: Argument, variables: dict[Variable, int]) -> int:
        if isinstance(argument, Variable):
            return variables[argument]
        if isinstance(argument, Literal):
            fresh = (FIRST_LITERAL + len(self.literals), argument)
            return -2 - self.literals.setdefault(value_of(argument), fresh)[0]
        return -2 - self.names.setdefault(argument, len(self.names))


def _variables(atom: Atom) -> set[Variable]:
    return {argument for argument in atom.arguments if isinstance(argument, Variable)}


def _refuse_unbound(rule: Rule, arguments: Iterable[Argument], bound: set[Variable]) -> None:
    unbound = {a for a in arguments if isinstance(a, Variable)} - bound
    if unbound:
        raise InvalidRuleError(str(rule), f"its body lacks {', '.join(sorted(unbound))}")


def _kind(atom: Atom, bound: set[Variable]) -> int | None:
    """How an atom is matched once `bound` is; None if it cannot be reached yet."""
    known = [not isinstance(a, Variable) or a in bound for a in atom.arguments]
    if all(known):
        return CHECK
    if len(known) == 1 or not any(known):
        return None
    return FORWARD if known[0] else BACKWARD
