"""Rules compiled to the integers that the kernel's join machine runs (materialize/kernel/matcher.py).

A program is a value: it pickles, and is the same for the same rules, wherever it is compiled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import NONE, Integers, Symbol
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.term import Term
from pantarhei.rules.compilation.dispatch import LEAST_CLASSES_BACKWARD, Dispatch, Entries, dispatch
from pantarhei.rules.compilation.numbering import Numbered, Numbering
from pantarhei.rules.compilation.plan import BACKWARD, CHECK, FORWARD, JoinPlan, PlanCode
from pantarhei.rules.compilation.planning import RulePlanner
from pantarhei.rules.compilation.superclasses import Superclasses, superclasses
from pantarhei.rules.compilation.template import Shape, Template, is_common, shape_of
from pantarhei.rules.compilation.transitive_edges import edges_of
from pantarhei.values.value import value_of


@dataclass(frozen=True, slots=True)
class Plans:
    """What the join machine reads; `JoinPlan.at` takes a plan out of the code.

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


def compile_(rules: Iterable[Rule], numbered: Numbered | Numbering | None = None) -> Program:
    """The program of `rules`, constraints among them. Costs time linear in their size.

    Args:
        numbered: what has numbers already, which it keeps; the program begins with it. Or a numbering.

    Raises:
        InvalidRuleError: a rule's body is not connected, or lacks a variable of its head, its inequalities or
            its tests.
    """
    numbering = numbered if isinstance(numbered, Numbering) else Numbering(numbered)
    return _Compiler(tuple(rules), numbering).program()


def part_of(
    whole: Program, rules: Iterable[Rule], value_of: Callable[[Term], Hashable] = value_of
) -> Program:
    """The program of some rules of a program, in its numbers. Costs what `compile_` does.

    Args:
        value_of: what tells values apart in the program.
    """
    return _Compiler(tuple(rules), Numbering.of(whole, value_of)).program()


class _Compiler:
    """Numbers what it meets and writes plans; used once."""

    def __init__(self, rules: tuple[Rule, ...], numbering: Numbering) -> None:
        self.rules, self.numbering = rules, numbering
        self.code = PlanCode()
        self.templates: dict[Shape, Template] = {}
        self.walked: set[tuple[int, int]] = set()  # (kind of step, predicate)
        self.forward, self.backward = Entries(), Entries()
        self.inclusions: dict[int, int] = {}  # trigger predicates by the offsets of plans
        self.above: defaultdict[int, list[int]] = defaultdict(list)  # direct superclasses
        self.most_variables = 1

    def program(self) -> Program:
        for number, rule in enumerate(self.rules):
            self._compile_rule(number, rule)
        numbering = self.numbering
        return Program(
            self.rules,
            tuple(numbering.predicates),
            tuple(numbering.names),
            tuple(literal for _, literal in numbering.literals.values()),
            self._plans(tuple(numbering.predicates)),
            tuple(numbering.ranges),
            tuple(numbering.builtins),
        )

    def _plans(self, predicates: tuple[Symbol, ...]) -> Plans:
        count, code = len(predicates), self.code.integers
        above = superclasses(self.above, count)
        climbing = {p for p in range(count) if above.start[p] < above.start[p + 1]}
        inclusions = {offset for offset, predicate in self.inclusions.items() if predicate in climbing}
        forward, classes = dispatch(code, self.forward, count, inclusions)
        backward, others = dispatch(code, self.backward, count, least_classes=LEAST_CLASSES_BACKWARD)
        self.walked.update((FORWARD, class_) for class_ in classes | others)
        edges = edges_of(self.rules)
        noted = [symbol.arity == 2 and symbol.name in edges.noted for symbol in predicates]
        return Plans(
            code=code,
            forward=forward,
            backward=backward,
            superclasses=above,
            indexed_by_subject=tuple(sorted(p for kind, p in self.walked if kind == FORWARD)),
            indexed_by_object=tuple(sorted(p for kind, p in self.walked if kind == BACKWARD)),
            most_variables=self.most_variables,
            widest_body=max((len(rule.body) for rule in self.rules), default=1),
            membership_bytes=(len(self.numbering.ranges) + 7) // 8,
            edge_atoms=np.array(edges.atoms, np.int32),
            copies=np.array(edges.copies, np.int32),
            edges_noted=np.array(noted, np.int32),
        )

    def _compile_rule(self, number: int, rule: Rule) -> None:
        shape = shape_of(rule)
        if shape is not None and shape in self.templates:
            self._fill_in(number, rule, self.templates[shape])
            return
        plans = self._write_rule(number, rule)
        if shape is not None and is_common(shape):
            self.templates[shape] = Template.of(plans)

    def _fill_in(self, number: int, rule: Rule, template: Template) -> None:
        """Write the plans as `_write_rule` would."""
        atoms = (*rule.body, rule.head)
        known = cast("dict[tuple[Predicate, int], int]", self.numbering.predicates)  # plain tuples cost less
        found = [known.get((a.predicate, len(a.arguments)), NONE) if a else NONE for a in atoms]
        if NONE in found[:-1] or (rule.head is not None and found[-1] == NONE):
            for place in template.order:
                if (atom := atoms[place]) is not None:
                    found[place] = self.numbering.predicate(atom)
        begun = self.code.extend(template.written(number, found))
        for predicate, offset in zip(found[:-1], template.offsets, strict=False):
            self.forward.add(predicate, begun + offset)
        if rule.head is not None:
            self.backward.add(found[-1], begun + template.offsets[-1])
        self.walked.update([(kind, found[place]) for kind, place in template.walked])
        if template.is_inclusion:
            self._note_inclusion(begun, found[0], found[-1])

    def _write_rule(self, number: int, rule: Rule) -> list[JoinPlan]:
        """Write the plans of a rule; returns them, that of the head last."""
        planner = RulePlanner(rule, number, self.numbering)
        self.most_variables = max(self.most_variables, len(planner.variables) + 1)  # one to compute into
        plans: list[JoinPlan] = []
        for position, atom in enumerate(rule.body):
            plans.append(planner.plan_from(atom, position))
            predicate, offset = self.numbering.predicate(atom), self.code.write(plans[-1])
            self.forward.add(predicate, offset)
            if len(rule.body) == 1 and (class_ := plans[-1].inclusion) != NONE:
                self._note_inclusion(offset, predicate, class_)
        if rule.head is not None:
            plans.append(planner.plan_from(rule.head, NONE))
            self.backward.add(self.numbering.predicate(rule.head), self.code.write(plans[-1]))
        self.walked.update((s.kind, s.predicate) for plan in plans for s in plan.steps if s.kind != CHECK)
        return plans

    def _note_inclusion(self, offset: int, class_: int, above: int) -> None:
        self.inclusions[offset] = class_
        self.above[class_].append(above)
