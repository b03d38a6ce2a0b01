"""Inconsistency-normal form: constraints over asserted facts, whose violation can be tested without
derivation.

PB26, Definition 9: a constraint is non-recursive if it can be replaced by finitely many constraints over
assertions. Their number can be exponential, so the form is stored factorized: each constraint refers to a
shared table of the rules that derive its atoms, and `conjunctions` enumerates the constraints over assertions
on demand.

A constraint is recursive if it depends on a predicate that depends on itself through a body variable that is
not in the head (`B(x) :- R(x, y), B(y)`). Other cycles (`A ≡ B`, symmetry) unfold to finitely many
conjunctions, since a proof of a fact never needs that fact itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice

from rdflib import Variable

from pantarhei.model.graphs import ranks, reached
from pantarhei.model.message_text import DisplayNames, disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Argument, Atom, Different, Rule, Test, names_of
from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.rules.translation.demand import has_class_variables, over_one_relation

# (IRI, arity): a class and a property can have the same IRI.
Symbol = tuple[str, int]

# Largest number of derivations listed for an atom: in `str`, and in `to_data`.
_MOST_SHOWN = 10
_MOST_WRITTEN = 1000


@dataclass(frozen=True, slots=True)
class NormalConstraint:
    """Constraint with the rules that derive its atoms, directly or indirectly.

    Args:
        constraint: the constraint.
        recursive: it cannot be replaced by finitely many constraints over assertions.
        definitions: for each symbol that the constraint depends on, the rules with that head.

    >>> from pantarhei import load_ontology
    >>> ontology = load_ontology("ontologies/pedals.ttl")
    >>> normal = ontology.inconsistency_normal_form()
    >>> len(normal.constraints)
    1
    """

    constraint: Rule
    recursive: bool
    definitions: Mapping[Symbol, tuple[Rule, ...]]

    __repr__ = short_repr
    _repr_html_ = html_of

    def conjunctions(self, depth: int) -> Iterator[Rule]:
        """Yield the distinct constraints over asserted facts that together replace this one.

        A recursive constraint yields those that need at most `depth` nested rule applications. There can be
        exponentially many, so consume only as many as needed.
        """
        bound = depth if self.recursive else None
        return _unfolded(self.constraint, self.definitions, bound)

    def alternatives(self, depth: int) -> Iterator[tuple[Atom, Iterator[Rule]]]:
        """Yield each body atom with the rules that derive it from asserted facts only, as an iterator.

        Atoms that differ only in variables are yielded once.
        """
        for rule in dict.fromkeys(canonical(Rule("", (atom,), atom)) for atom in self.constraint.body):
            ways = _unfolded(rule, self.definitions, depth if self.recursive else None)
            yield rule.body[0], (way for way in ways if way.head not in way.body)


@dataclass(frozen=True, slots=True, repr=False)
class InconsistencyNormalForm:
    """Factorized constraints over asserted facts. Texts show recursive constraints up to `depth` rule
    applications.

    Args:
        constraints: the constraints, each with the rules below it.
        depth: the number of rule applications shown of a recursive constraint.
    """

    constraints: tuple[NormalConstraint, ...]
    depth: int

    _repr_html_ = html_of

    @classmethod
    def of(
        cls, rules: Sequence[Rule], constraints: Iterable[Rule], depth: int = 3
    ) -> InconsistencyNormalForm:
        """Return the normal form of `constraints` under `rules`. The cost is linear in the size
        of the rules.
        """
        if has_class_variables((*rules, *(constraints := tuple(constraints)))):
            rules, constraints = over_one_relation(rules), over_one_relation(constraints)
        by_head: dict[Symbol, list[Rule]] = {}
        for rule in rules:
            if rule.head is not None:
                by_head.setdefault(symbol(rule.head), []).append(rule)
        table = {head: tuple(deriving) for head, deriving in by_head.items()}
        looping = _looping_symbols(table)
        return cls(tuple(_normal(constraint, table, looping) for constraint in constraints), depth)

    def _shown_parts(self) -> dict[str, object]:
        constraints = [each.constraint for each in self.constraints]
        return {"constraints": disambiguate(lambda: list(map(str, constraints)), self._names)}

    def summary(self) -> str:
        """Return the number of constraints and of recursive constraints as one line.

        >>> InconsistencyNormalForm((), 3).summary()
        'no constraints'
        """
        if not self.constraints:
            return "no constraints"
        recursive = sum(constraint.recursive for constraint in self.constraints)
        number = f"{len(self.constraints)} constraint" + "s" * (len(self.constraints) > 1)
        return f"{number}, {recursive or 'none'} of them recursive"

    def __repr__(self) -> str:
        return f"InconsistencyNormalForm({self.summary()})"

    def __str__(self) -> str:
        return disambiguate(
            lambda: "\n".join(chain.from_iterable(map(self._lines, self.constraints))), self._names
        )

    @property
    def _names(self) -> DisplayNames:
        return names_of(each.constraint for each in self.constraints)

    def to_data(self) -> dict[str, object]:
        """Return the form as JSON-compatible lists, dictionaries and texts, with at most 1,000 derivations of
        each atom.
        """
        return {
            "depth": self.depth,
            "constraints": disambiguate(lambda: list(map(self._data, self.constraints)), self._names),
        }

    def _data(self, normal: NormalConstraint) -> dict[str, object]:
        return {
            "name": normal.constraint.name,
            "constraint": str(normal.constraint),
            "origin": str(normal.constraint.origin or ""),
            "recursive": normal.recursive,
            "atoms": [
                {"atom": str(atom), "derived_by": shown, "complete": complete}
                for atom, shown, complete in self._atoms(normal, _MOST_WRITTEN)
            ],
        }

    def _lines(self, normal: NormalConstraint) -> Iterator[str]:
        note = f"  (recursive: shown to {self.depth} rule applications)" if normal.recursive else ""
        yield f"{normal.constraint}{note}"
        for atom, shown, complete in self._atoms(normal, _MOST_SHOWN):
            yield from (f"    {way}" for way in shown)
            if not complete:
                yield f"    {atom} :- … more ways"

    def _atoms(self, normal: NormalConstraint, most: int) -> Iterator[tuple[Atom, list[str], bool]]:
        """Yield each body atom with at most `most` derivations, and True if the list is complete."""
        for atom, ways in normal.alternatives(self.depth):
            shown = list(map(str, islice(ways, most + 1)))
            yield atom, shown[:most], len(shown) <= most


def symbol(atom: Atom) -> Symbol:
    """Return the predicate of an atom with its arity."""
    return str(atom.predicate), len(atom.arguments)


# --- Dependencies ---


def _normal(
    constraint: Rule, table: Mapping[Symbol, tuple[Rule, ...]], looping: frozenset[Symbol]
) -> NormalConstraint:
    needed = set(reached(map(symbol, constraint.body), lambda head: _successors(table, head)))
    return NormalConstraint(
        constraint, bool(needed & looping), {s: table[s] for s in sorted(needed) if s in table}
    )


def _looping_symbols(table: Mapping[Symbol, tuple[Rule, ...]]) -> frozenset[Symbol]:
    """Return the heads of recursive rules: rules with a body atom that depends on the head and has a variable
    that the head lacks.
    """
    component = ranks((head, each) for head in table for each in _successors(table, head))
    looping: set[Symbol] = set()
    for head, rules in table.items():
        for rule in rules:
            assert rule.head is not None
            known = set(rule.head.arguments)
            for atom in rule.body:
                fresh = any(isinstance(a, Variable) and a not in known for a in atom.arguments)
                if fresh and component[symbol(atom)] == component[head]:
                    looping.add(head)
    return frozenset(looping)


def _successors(table: Mapping[Symbol, tuple[Rule, ...]], head: Symbol) -> Iterable[Symbol]:
    return {symbol(atom): None for rule in table.get(head, ()) for atom in rule.body}


# --- Unfolding ---

Binding = Mapping[Variable, Argument]


@dataclass(frozen=True, slots=True)
class _Goal:
    """Atom to derive, the number of rule applications that remain for it (None: no limit), and the goal whose
    derivation requires it.
    """

    atom: Atom
    depth: int | None
    parent: _Goal | None


_Goals = tuple[_Goal, "_Goals | None"]


@dataclass(frozen=True, slots=True)
class _Partial:
    """State of the search: pending goals (a linked list), asserted atoms chosen so far, conditions, and
    substitution.
    """

    goals: _Goals | None
    atoms: tuple[Atom, ...]
    different: tuple[Different, ...]
    tests: tuple[Test, ...]
    binding: Binding


def _unfolded(
    rule: Rule, definitions: Mapping[Symbol, tuple[Rule, ...]], depth: int | None
) -> Iterator[Rule]:
    """Yield `rule` with its body atoms replaced by asserted atoms that derive them, in all ways, without
    duplicates.
    """
    numbers = count()
    seen: set[Rule] = set()
    stack = [_Partial(_pushed(None, rule.body, depth, None), (), rule.different, rule.tests, {})]
    while stack:
        state = stack.pop()
        if state.goals is None:
            found = _instance(rule, state)
            if found is not None and found not in seen:
                seen.add(found)
                yield found
            continue
        goal, rest = state.goals
        rules = definitions.get(symbol(goal.atom), ()) if goal.depth != 0 else ()
        derived = [_derived(state, goal, rest, deriving, next(numbers)) for deriving in rules]
        stack += [new for new in reversed(derived) if new is not None]
        stack.append(replace(state, goals=rest, atoms=(*state.atoms, goal.atom)))


def _pushed(
    rest: _Goals | None, body: Sequence[Atom], depth: int | None, parent: _Goal | None
) -> _Goals | None:
    for atom in reversed(body):
        rest = (_Goal(atom, depth, parent), rest)
    return rest


def _derived(state: _Partial, goal: _Goal, rest: _Goals | None, rule: Rule, number: int) -> _Partial | None:
    """Return the state in which `rule` derives the goal; None if its head does not unify with the goal, or
    its body contains the goal or one of its ancestors.
    """
    rule = rule.with_arguments(lambda a: Variable(f"{a}_{number}") if isinstance(a, Variable) else a)
    binding = None if rule.head is None else _unified(rule.head, goal.atom, state.binding)
    if binding is None:
        return None
    above: set[Atom] = set()
    ancestor: _Goal | None = goal
    while ancestor is not None:
        above.add(_resolved(ancestor.atom, binding))
        ancestor = ancestor.parent
    if any(_resolved(atom, binding) in above for atom in rule.body):
        return None
    left = None if goal.depth is None else goal.depth - 1
    return _Partial(
        _pushed(rest, rule.body, left, goal),
        state.atoms,
        (*state.different, *rule.different),
        (*state.tests, *rule.tests),
        binding,
    )


def _unified(left: Atom, right: Atom, binding: Binding) -> Binding | None:
    extended = dict(binding)
    for one, other in zip(left.arguments, right.arguments, strict=True):
        first, second = _value(one, extended), _value(other, extended)
        if first == second:
            continue
        if isinstance(first, Variable):
            extended[first] = second
        elif isinstance(second, Variable):
            extended[second] = first
        else:
            return None
    return extended


def _value(argument: Argument, binding: Binding) -> Argument:
    while isinstance(argument, Variable) and argument in binding:
        argument = binding[argument]
    return argument


def _resolved(atom: Atom, binding: Binding) -> Atom:
    return atom.with_arguments(lambda argument: _value(argument, binding))


def _instance(rule: Rule, state: _Partial) -> Rule | None:
    """Return the canonical rule of a state without pending goals; None if one of its inequalities compares a
    term with itself.
    """
    whole = replace(rule, body=state.atoms, different=state.different, tests=state.tests)
    found = whole.with_arguments(lambda argument: _value(argument, state.binding))
    return None if any(each.left == each.right for each in found.different) else canonical(found)
