"""Rules of one shape, compiled once: the plans of the others differ in predicates only.

Two rules have one shape if they have variables alone for arguments, no inequalities and no tests, and differ
in predicates, name and origin: all constraints of an axiom by which a thousand classes are pairwise disjoint.
How a plan joins the atoms depends on their arguments, not on their predicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Argument, Rule
from pantarhei.rules.compilation.plan import CHECK, JoinPlan

Shape = tuple[tuple[Argument, ...], ...]


@dataclass(frozen=True, slots=True)
class Template:
    """The plans of a rule, and where another rule of its shape has something else.

    Args:
        code: the integers, those of one plan after another.
        offsets: where its plans begin: one for each atom of the body, then one for the head if there is one.
        order: the atoms in the order in which plans meet their predicates, `NONE` for the head.
        places: the places of predicates, each with the atom.
        walked: the steps that walk a chain, kind and atom.
        is_inclusion: the rule is an inclusion between classes.
    """

    code: tuple[int, ...]
    offsets: tuple[int, ...]
    order: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    walked: tuple[tuple[int, int], ...]
    is_inclusion: bool

    @classmethod
    def of(cls, plans: Sequence[JoinPlan]) -> Template:
        """The template of a rule by its plans, that of the head last if it has one."""
        code: list[int] = []
        offsets: list[int] = []
        places: list[tuple[int, int]] = []
        order: list[int] = []
        for plan in plans:
            offsets.append(len(code))
            places += [(offsets[-1] + place, atom) for place, atom in plan.predicate_places]
            order += [atom for _, atom in plan.predicate_places] + [plan.atom]
            code += plan.code
        walked = [(step.kind, step.atom) for plan in plans for step in plan.steps if step.kind != CHECK]
        return cls(
            tuple(code),
            tuple(offsets),
            tuple(dict.fromkeys(order)),
            tuple(places),
            tuple(dict.fromkeys(walked)),
            plans[0].inclusion != NONE,
        )

    def written(self, rule: int, predicates: Sequence[int]) -> list[int]:
        """The code of a rule of this shape, with the numbers of its atoms' predicates, the head's last."""
        code = list(self.code)
        for offset in self.offsets:
            code[offset] = rule
        for place, atom in self.places:
            code[place] = predicates[atom]
        return code


def shape_of(rule: Rule) -> Shape | None:
    """What the rules share that one template is for; None if the rule has inequalities, tests or a class
    variable in its head.

    A rule with constants has a shape too, which `is_common` tells apart.
    """
    if rule.different or rule.tests or (rule.head is not None and rule.head.has_class_variable):
        return None
    head = () if rule.head is None else rule.head.arguments
    return (*[atom.arguments for atom in rule.body], head)


def is_common(shape: Shape) -> bool:
    """Whether all arguments are variables, so that many rules may have the shape."""
    return all(isinstance(argument, Variable) for arguments in shape for argument in arguments)
