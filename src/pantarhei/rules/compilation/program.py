"""Programs: rules compiled to the integers that the kernel's join machine (materialize/kernel/matcher.py)
interprets.

A program is a value: it can be pickled, and compiling equal rules yields equal programs on every machine.

Programs that grow: when the stream brings new predicates, the rules on demand for them are added
(`translation.demand`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from rdflib import OWL, BNode, Literal, URIRef, Variable

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers, Symbol, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import DataRange
from pantarhei.model.graphs import Groups, reached
from pantarhei.model.rule import Argument, Predicate, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    FORWARD,
    LEAST_CLASSES_BACKWARD,
    Dispatch,
    Entries,
    JoinPlan,
    PlanCode,
    dispatch,
)
from pantarhei.rules.compilation.planning import Numbered, Numbering, RulePlanner
from pantarhei.rules.translation.demand import TYPE, Theory, relations_of, relevant_rules
from pantarhei.values.by_value import Numbers, exact_rule
from pantarhei.values.value import is_well_typed, value_of

Shape = tuple[tuple[Argument, ...], ...]


@dataclass(frozen=True, slots=True)
class PlanTemplate:
    """Plans of a rule without predicates, reusable for all rules of the same shape.

    Two rules have the same shape if all their arguments are variables, they have no inequalities or tests,
    and they differ only in predicates, name and origin. An example are the constraints of an axiom with a
    thousand disjoint classes. Templates are valid because the order of joins depends on arguments, not on
    predicates.

    Args:
        code: the encoded plans.
        offsets: start of each plan in `code`: one for each body atom as trigger, then one for the head if
            there is one.
        order: indexes of the body atoms in the order in which plans refer to their predicates, `NONE` for the
            head.
        predicate_indexes: indexes of predicates in `code`, each with the index of the body atom.
        walked: (kind, index of the body atom) of the steps that iterate over facts.
        is_inclusion: the rule is an inclusion between classes.
    """

    code: tuple[int, ...]
    offsets: tuple[int, ...]
    order: tuple[int, ...]
    predicate_indexes: tuple[tuple[int, int], ...]
    walked: tuple[tuple[int, int], ...]
    is_inclusion: bool

    @classmethod
    def of(cls, plans: Sequence[JoinPlan]) -> PlanTemplate:
        """Return the template of a rule from its plans; the last plan is that of the head."""
        code: list[int] = []
        offsets: list[int] = []
        indexes: list[tuple[int, int]] = []
        order: list[int] = []
        for plan in plans:
            offsets.append(len(code))
            indexes += [(offsets[-1] + index, atom) for index, atom in plan.predicate_indexes]
            order += [atom for _, atom in plan.predicate_indexes] + [plan.atom]
            code += plan.code
        walked = [(step.kind, step.atom) for plan in plans for step in plan.steps if step.kind != CHECK]
        return cls(
            tuple(code),
            tuple(offsets),
            tuple(dict.fromkeys(order)),
            tuple(indexes),
            tuple(dict.fromkeys(walked)),
            plans[0].inclusion != NONE,
        )

    def written(self, rule: int, predicates: Sequence[int]) -> list[int]:
        """Return the encoded plans of another rule of this shape, given its number and the numbers of its
        predicates; the last number is that of the head.
        """
        code = list(self.code)
        for offset in self.offsets:
            code[offset] = rule
        for index, atom in self.predicate_indexes:
            code[index] = predicates[atom]
        return code


def shape_of(rule: Rule) -> Shape | None:
    """Return the shape of a rule, which is the key of its template. None if the rule has inequalities, tests
    or a class variable in its head.

    A rule with constants has a shape, but only shapes for which `is_common` is true have templates.
    """
    if rule.different or rule.tests or (rule.head is not None and rule.head.has_class_variable):
        return None
    head = () if rule.head is None else rule.head.arguments
    return (*[atom.arguments for atom in rule.body], head)


def is_common(shape: Shape) -> bool:
    """True if all arguments are variables; then many rules may have this shape."""
    return all(isinstance(argument, Variable) for arguments in shape for argument in arguments)


NO_EDGE = -1


class RuleEdges(NamedTuple):
    """Use of edges by the rules, which reduces the joins for transitivity.

    For `P(x, z) :- P(x, y), P(y, z)` it suffices to join each `P(x, y)` with those `P(y, z)` that are
    *edges*: facts that are asserted, or derived by a rule other than transitivity. Each derived fact
    corresponds to a path of edges, so joins that extend a path by one edge reach all facts. Rules that *copy*
    facts from one property to another (subproperties, inverses, symmetric properties) copy the edge flag too.
    Otherwise all facts derived by transitivity would be edges of the inverse property.

    A fact that is not an edge is derived by transitivity, or copied from a fact that is not an edge: it
    connects the ends of a path of edges, and the path is copied with it. So a fact that is flagged without
    being an edge any more does not change the result; it only causes additional rule firings.

    Args:
        atoms: for each rule the index of the body atom restricted to edges, or `NO_EDGE`.
        copies: for each rule True if it copies facts between properties of `noted`.
        noted: properties whose facts have an edge flag.
    """

    atoms: Sequence[int]
    copies: Sequence[bool]
    noted: frozenset[Predicate]


def edges_of(rules: Sequence[Rule]) -> RuleEdges:
    """Return the use of edges by these rules. The cost is linear in their number.

    >>> from rdflib import URIRef
    >>> from pantarhei.model.rule import Atom
    >>> p, (x, y, z) = URIRef("urn:x/in"), map(Variable, "xyz")
    >>> transitive = Rule("prp-trp", (Atom(p, (x, y)), Atom(p, (y, z))), Atom(p, (x, z)))
    >>> edges_of([transitive]).atoms
    [1]
    """
    atoms = [_edge_atom(rule) for rule in rules]
    transitive = {_head(rule) for rule, atom in zip(rules, atoms, strict=True) if atom != NO_EDGE}
    copies_facts = [_is_copy(rule) for rule in rules] if transitive else [False] * len(rules)
    pairs = [
        (rule.body[0].predicate, _head(rule))
        for rule, is_copy in zip(rules, copies_facts, strict=True)
        if is_copy
    ]
    noted = _reached(transitive, pairs) & _reached(transitive, [(to, from_) for from_, to in pairs])
    copies = [
        is_copy and rule.body[0].predicate in noted and _head(rule) in noted
        for rule, is_copy in zip(rules, copies_facts, strict=True)
    ]
    return RuleEdges(atoms, copies, frozenset(noted))


def _head(rule: Rule) -> Predicate:
    assert rule.head is not None, "a constraint derives nothing"
    return rule.head.predicate


def _edge_atom(rule: Rule) -> int:
    """Return the index of the body atom that ends in the head's object if the rule is transitivity, otherwise
    `NO_EDGE`.
    """
    if rule.head is None or len(rule.body) != 2 or rule.different or rule.tests:
        return NO_EDGE
    atoms = (*rule.body, rule.head)
    if len({(atom.predicate, len(atom.arguments)) for atom in atoms}) > 1 or len(rule.head.arguments) != 2:
        return NO_EDGE
    start, end = rule.head.arguments
    for edge, other in ((1, 0), (0, 1)):
        first, middle = rule.body[other].arguments
        path = (start, middle, end)
        if first == start and rule.body[edge].arguments == (middle, end):
            return edge if len(set(path)) == 3 and all(isinstance(a, Variable) for a in path) else NO_EDGE
    return NO_EDGE


def _is_copy(rule: Rule) -> bool:
    """True if the rule derives a property fact from each fact of one other property, with the same or
    exchanged arguments.
    """
    if rule.head is None or len(rule.body) != 1 or rule.different or rule.tests:
        return False
    given, made = rule.body[0].arguments, rule.head.arguments
    are_variables = all(isinstance(argument, Variable) for argument in given)
    return are_variables and len(given) == 2 == len(set(given)) and set(given) == set(made)


def _reached(start: Iterable[Predicate], pairs: Iterable[tuple[Predicate, Predicate]]) -> set[Predicate]:
    """Return the nodes reachable from `start` along `pairs`, `start` included."""
    after: dict[Predicate, list[Predicate]] = {}
    for from_, to in pairs:
        after.setdefault(from_, []).append(to)
    return set(reached(start, lambda predicate: after.get(predicate, ())))


# Largest number of superclasses of a class in the table; the inclusions of a class with more remain plans.
MOST_SUPERCLASSES = 64


@dataclass(frozen=True, slots=True)
class Superclasses:
    """Superclasses of each class, by which a class membership derives all memberships in superclasses at
    once.

    An inclusion `D(x) :- C(x)` is a plan without steps and conditions. Running such plans climbs a hierarchy
    one fact at a time; this table lists all superclasses, in an order in which each follows from an earlier
    one. Proofs and retractions still use the plans.

    The superclasses of predicate `p` are `classes[start[p]:start[p + 1]]`. Those at indexes from `i + 1` to
    `ends[i] - 1` follow from the one at `i`.
    """

    start: Integers
    classes: Integers
    ends: Integers


def superclasses(above: Mapping[int, Sequence[int]], count: int) -> Superclasses:
    """Return all superclasses of the predicates `range(count)`, given the direct superclasses `above`; none
    for a predicate with more than `MOST_SUPERCLASSES`.

    The cost is linear in the number of inclusions above each class, up to the limit.
    """
    start, classes, ends = [0], list[int](), list[int]()
    for predicate in range(count):
        if predicate in above:
            own, own_ends = list[int](), list[int]()
            _climb(above, predicate, {predicate}, own, own_ends)
            if len(own) <= MOST_SUPERCLASSES:
                ends += [len(classes) + end for end in own_ends]
                classes += own
        start.append(len(classes))
    return Superclasses(np.array(start, np.int32), np.array(classes, np.int32), np.array(ends, np.int32))


def _climb(
    above: Mapping[int, Sequence[int]], class_: int, seen: set[int], classes: list[int], ends: list[int]
) -> None:
    """Append the superclasses of `class_` in preorder to `classes`; stop above the limit."""
    for higher in above.get(class_, ()):
        if higher in seen:
            continue
        seen.add(higher)
        index = len(classes)
        classes.append(higher)
        ends.append(index)
        if len(classes) > MOST_SUPERCLASSES:
            return
        _climb(above, higher, seen, classes, ends)
        ends[index] = len(classes)


@dataclass(frozen=True, slots=True)
class Plans:
    """Plans of a program, in the form the join machine reads. `JoinPlan.at` decodes one plan.

    `forward` and `backward` select the plans to try with a fact as a body atom, or as the head;
    `superclasses` replaces the plans that are inclusions between classes. `indexed_by_subject` and
    `indexed_by_object` list the predicates over whose facts plans and switches iterate. `membership_bytes` is
    the number of bytes that store the data ranges of a literal, one bit for each. `edge_atoms` and `copies`
    have a value for each rule, `edges_noted` for each predicate (`RuleEdges`).
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

    The number of a rule, predicate, name, data range or built-in in plans is its index here. The number of a
    literal is `FIRST_LITERAL` plus its index.
    """

    rules: tuple[Rule, ...]
    predicates: tuple[Symbol, ...]
    names: tuple[Term, ...]
    literals: tuple[Literal, ...]
    plans: Plans
    ranges: tuple[DataRange, ...] = ()
    builtins: tuple[URIRef, ...] = ()


def compile_(rules: Iterable[Rule], numbered: Numbered | Numbering | None = None) -> Program:
    """Compile rules and constraints. The cost is linear in their size.

    Args:
        numbered: existing numbers, which the program keeps, or a numbering to extend.

    Raises:
        InvalidRuleError: the body of a rule is not connected, or lacks a variable of the head, the
        inequalities or the tests.
    """
    numbering = numbered if isinstance(numbered, Numbering) else Numbering(numbered)
    return _Compiler(tuple(rules), numbering).program()


def part_of(
    whole: Program, rules: Iterable[Rule], value_of: Callable[[Term], Hashable] = value_of
) -> Program:
    """Compile some rules of a program, with the numbers of that program. The cost is that of `compile_`.

    Args:
        value_of: function that maps literals to values, with which the program was compiled.
    """
    return _Compiler(tuple(rules), Numbering.of(whole, value_of)).program()


class _Compiler:
    """Compiler of one program."""

    def __init__(self, rules: tuple[Rule, ...], numbering: Numbering) -> None:
        self.rules, self.numbering = rules, numbering
        self.code = PlanCode()
        self.templates: dict[Shape, PlanTemplate] = {}
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
            self.templates[shape] = PlanTemplate.of(plans)

    def _fill_in(self, number: int, rule: Rule, template: PlanTemplate) -> None:
        """Write the plans of a rule from a template; the result equals that of `_write_rule`."""
        atoms = (*rule.body, rule.head)
        known = cast("dict[tuple[Predicate, int], int]", self.numbering.predicates)  # plain tuples are faster
        found = [known.get((a.predicate, len(a.arguments)), NONE) if a else NONE for a in atoms]
        if NONE in found[:-1] or (rule.head is not None and found[-1] == NONE):
            for index in template.order:
                if (atom := atoms[index]) is not None:
                    found[index] = self.numbering.predicate(atom)
        start_offset = self.code.extend(template.written(number, found))
        for predicate, offset in zip(found[:-1], template.offsets, strict=False):
            self.forward.add(predicate, start_offset + offset)
        if rule.head is not None:
            self.backward.add(found[-1], start_offset + template.offsets[-1])
        self.walked.update([(kind, found[index]) for kind, index in template.walked])
        if template.is_inclusion:
            self._note_inclusion(start_offset, found[0], found[-1])

    def _write_rule(self, number: int, rule: Rule) -> list[JoinPlan]:
        """Write the plans of a rule; return them, the plan of the head last."""
        planner = RulePlanner(rule, number, self.numbering)
        # One more variable for a computed value that is only compared.
        self.most_variables = max(self.most_variables, len(planner.variables) + 1)
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


class ProgramState(NamedTuple):
    """State of a growing program.

    Args:
        program: the compiled rules.
        ill_typed: properties for which the program has a constraint against ill-typed values.
        covered: length of the longest known prefix of the vocabulary's symbols that requires no further
            rules.
    """

    program: Program
    ill_typed: tuple[Predicate, ...]
    covered: int


class PartialProgram(NamedTuple):
    """Rules of a program that derive all facts of some predicates, and all violations.

    Args:
        program: the compiled subset of the rules.
        lacks: predicates whose facts the subset derives only in part.
    """

    program: Program
    lacks: frozenset[Symbol] = frozenset()

    def has_all_of(self, symbols: Symbols) -> bool:
        """Return whether the program derives all facts of `symbols`; None stands for all predicates."""
        if symbols is None:
            return not self.lacks
        return self.lacks.isdisjoint(relations_of(symbols) if TYPE in self.lacks else symbols)


class GrowingProgram:
    """Program of a theory, extended as predicates enter the vocabulary.

    The numbers of symbols and terms never change. Each extension compiles a new program, and models of the
    old program must be rebuilt. Under unique names, the program is extended only when a property has its
    first ill-typed value, or when a new predicate arrives and a rule has owl:Thing in its body.

    Args:
        theory: the theory to compile.
        same: groups of equal names; the first name of a group represents it.
        numbers: interpretation of numeric literals.

    `grown` is the only mutable state besides the vocabulary. Assigning an earlier value restores it, provided
    that the vocabulary is restored to the same point.
    """

    grown: ProgramState
    theory: Theory
    same: tuple[tuple[Term, ...], ...]

    def __init__(
        self, theory: Theory, same: Iterable[Sequence[Term]] = (), numbers: Numbers = "by_datatype"
    ) -> None:
        groups = self.same = tuple(tuple(group) for group in same)
        rules = theory.rules if numbers == "by_datatype" else tuple(map(exact_rule, theory.rules))
        self.theory = replace(theory, rules=_merged(rules, groups))
        nothing = compile_(())
        self.grown = ProgramState(nothing, _with_ill_typed_constants(self.theory.rules), 0)
        self._part: tuple[Program, Symbols, PartialProgram] = nothing, None, PartialProgram(nothing)
        self.vocabulary = Vocabulary(nothing, numbers, theory.has_class_variables)
        for first, *others in groups:
            self.vocabulary.merge(first, others)
        self.grow()

    @property
    def program(self) -> Program:
        """The compiled rules."""
        return self.grown.program

    def part_for(self, requested: Symbols) -> PartialProgram:
        """Return a program that derives all facts of the `requested` predicates (None: of all predicates),
        and all violations.

        The program is compiled unless the previous result suffices.
        """
        program, known, part = self._part
        if program is not self.program or known is not requested:
            is_known = program is self.program and (
                requested is None or (known is not None and known <= requested)
            )
            if not (is_known and part.has_all_of(requested)):
                part = self._part_for(requested)
            self._part = self.program, requested, part
        return part

    def _part_for(self, requested: Symbols) -> PartialProgram:
        rules = self.program.rules
        relevant = rules if requested is None else relevant_rules(rules, requested)
        if len(relevant) == len(rules):
            return PartialProgram(self.program)
        part = part_of(self.program, relevant, self.vocabulary.value_of)
        return PartialProgram(part, _derived_by(rules) - _derived_by(relevant))

    def covers(self, facts: Integers) -> bool:
        """Return whether the program has all rules on demand for `facts`, rows encoded with the vocabulary.

        The cost is O(1) if the facts have no new predicate and the vocabulary has no ill-typed literal.
        """
        symbols, covered = self.vocabulary.symbols, self.grown.covered
        if len(symbols) > covered:
            if self.theory.demands_rules(symbols[covered:], symbols):
                return False
            self.grown = self.grown._replace(covered=len(symbols))  # the new symbols require no rules
        return not self._with_ill_typed_values(facts)

    def recheck_symbols(self) -> None:
        """After a renumbering, check again whether symbols beyond the program's predicates require rules."""
        self.grown = self.grown._replace(covered=len(self.program.predicates))

    @property
    def ill_typed(self) -> tuple[Predicate, ...]:
        """Properties for which the program has a constraint against ill-typed values."""
        return self.grown.ill_typed

    def grow(self, facts: Integers = NO_FACTS, ill_typed: Iterable[Predicate] = ()) -> None:
        """Extend the program to cover `facts`, and ill-typed values of the properties `ill_typed`. Rules on
        demand can introduce predicates that require further rules, so compilation is repeated to the
        fixpoint.

        Models of the old program are invalid afterwards, also if an error is raised.
        """
        against = tuple(dict.fromkeys((*self.ill_typed, *ill_typed, *self._with_ill_typed_values(facts))))
        self.vocabulary.roll_back_to(self.vocabulary.mark)  # drop reserved numbers
        demanded: tuple[Rule, ...] | None = None
        while demanded != (demanded := self.theory.demanded(self.vocabulary.symbols, against)):
            program = compile_((*self.theory.rules, *demanded), self.vocabulary)
            self.vocabulary.adopt(program)
        self.grown = ProgramState(program, against, len(self.vocabulary.symbols))

    def _with_ill_typed_values(self, facts: Integers) -> list[Predicate]:
        ill_typed = self.vocabulary.ill_typed
        if not ill_typed.has_members:
            return []
        found = np.unique(facts[ill_typed.among(facts[:, 2]), 0]).tolist()
        names = (self.vocabulary.symbols[number].name for number in found)
        return [name for name in names if name not in self.ill_typed]


def _derived_by(rules: Iterable[Rule]) -> frozenset[Symbol]:
    """Return the predicates of the rules' heads."""
    heads = (rule.head for rule in rules if rule.head is not None)
    return frozenset(Symbol(head.predicate, len(head.arguments)) for head in heads)


def _with_ill_typed_constants(rules: Iterable[Rule]) -> tuple[Predicate, ...]:
    """Return the properties for which the head of a rule has an ill-typed literal as value."""
    heads = [rule.head for rule in rules if rule.head is not None and len(rule.head.arguments) == 2]
    values = ((head.predicate, head.arguments[1]) for head in heads)
    return tuple(
        dict.fromkeys(on for on, value in values if isinstance(value, Literal) and not is_well_typed(value))
    )


def groups_of_same(background: Iterable[Triple]) -> list[list[Term]]:
    """Return the groups of names declared equal by `background`. Each group begins with its representative;
    IRIs precede blank nodes.

    >>> from rdflib import URIRef
    >>> a, b, c = (URIRef(f"urn:x/{name}") for name in "abc")
    >>> [list(map(str, group)) for group in groups_of_same([(b, OWL.sameAs, a), (b, OWL.sameAs, c)])]
    [['urn:x/a', 'urn:x/b', 'urn:x/c']]
    """
    groups: Groups[Term] = Groups()
    for subject, predicate, object_ in background:
        if predicate == OWL.sameAs and not isinstance(object_, Literal):
            groups.unite((subject, object_))

    def preference(name: Term) -> tuple[bool, str]:
        return isinstance(name, BNode), str(name)

    return sorted((sorted(group, key=preference) for group in groups.members() if len(group) > 1), key=str)


def _merged(rules: tuple[Rule, ...], groups: Iterable[tuple[Term, ...]]) -> tuple[Rule, ...]:
    """Replace each name in the rules by the first name of its group."""
    first = {name: group[0] for group in groups for name in group}
    if not first:
        return rules

    def argument(given: Argument) -> Argument:
        return first.get(given, given) if not isinstance(given, Variable) else given

    return tuple(rule.with_arguments(argument) for rule in rules)
