"""Closure of an ontology's assertions under its rules, with temporary assumptions.

A statement about all instances of a class is decided on one arbitrary instance: facts with a fresh name are
assumed, their consequences are tested, and the assumption is withdrawn. The cost is that of the consequences
of the assumption, not of the whole closure. Different names may denote the same individual (OWL 2 Direct
Semantics).

A fresh name that stands for a literal has no value; only its data ranges are known. Its membership in data
range D is a fact of a class of its own, written D° here. Rules with tests have variants for such names. The
variants do not apply to literals, since a literal is never derived as a subject:

    A(x) :- R(x, y), y ∈ D      also   A(x) :- R(x, y), D°(y)
    ⊥ :- R(x, y), y ∉ D         also   D°(y) :- R(x, y)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from rdflib import OWL, RDF, RDFS, Literal, URIRef, Variable

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers
from pantarhei.materialize.kernel_values import Lineage
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import DataComplementOf, DataIntersectionOf, DataRange, Datatype
from pantarhei.model.rule import Atom, Member, Origin, Predicate, Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, in_order
from pantarhei.proofs.extraction import proof_of_fact, proof_of_violation
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.rule_instances import BOTTOM, RuleInstance, RuleInstances
from pantarhei.proofs.supports import BudgetExceeded, RowSet, StepBudget, minimal_sets
from pantarhei.repair.consistency import Contradiction, contradictions_in, model_of_background
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import GrowingProgram
from pantarhei.rules.translation.demand import Theory
from pantarhei.values.emptiness import includes, is_empty
from pantarhei.values.membership import contains

ANY_LITERAL = Datatype(RDFS.Literal)

_RANGE = "urn:pantarhei:range#"

# Largest number of tests for which all combinations are replaced; a rule with more has one variant, in which
# all of its tests are replaced.
_MOST_MIXED = 3


@dataclass(slots=True)
class RangeNames:
    """Class names D° of data ranges. `tested` contains the ranges that occur in rule bodies."""

    names: dict[DataRange, URIRef] = field(default_factory=dict)
    tested: dict[DataRange, None] = field(default_factory=dict)
    _around: dict[DataRange, tuple[DataRange, ...]] = field(default_factory=dict)

    def copy(self) -> RangeNames:
        return RangeNames(dict(self.names), dict(self.tested))

    def name_of(self, range_: DataRange) -> URIRef:
        """Return the class name D° of a range; it ends in the text of the range."""
        known = self.names.get(range_)
        if known is None:
            named = URIRef(_RANGE + re.sub(r"[^\w().-]+", "_", str(range_)))
            is_used = named in self.names.values()  # datatypes with equal short names
            known = self.names[range_] = URIRef(f"{named}-{len(self.names)}") if is_used else named
        return known

    def known(self, types: Iterable[Term]) -> DataRange:
        """Return the intersection of the ranges whose names are among `types`; rdfs:Literal if there are
        none.
        """
        given = set(types)
        found = tuple(range_ for range_, name in self.names.items() if name in given)
        return found[0] if len(found) == 1 else DataIntersectionOf(found) if found else ANY_LITERAL

    def implied(self, types: Iterable[Term]) -> list[URIRef]:
        """Return the names, except those in `types`, of the tested ranges that include the known range."""
        given = set(types)
        known = self.known(given)
        around = self._around.get(known)
        if around is None:
            around = self._around[known] = tuple(r for r in self.tested if includes(r, known))
        return [self.names[range_] for range_ in around if self.names[range_] not in given]

    def variants(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        """Yield the variants of rules for fresh names that stand for literals."""
        for rule in rules:
            bound = {argument for atom in rule.body for argument in atom.arguments}
            members = [
                test
                for test in rule.tests
                if isinstance(test, Member) and isinstance(test.argument, Variable) and test.argument in bound
            ]
            sizes = range(1, len(members) + 1) if len(members) <= _MOST_MIXED else (len(members),)
            for chosen in (choice for size in sizes for choice in combinations(members, size)):
                yield self._replaced(rule, chosen)
            if rule.head is None and not rule.different and len(members) == len(rule.tests):
                yield from (self._turned(rule, members, i) for i in range(len(members)))

    def _replaced(self, rule: Rule, members: Iterable[Member]) -> Rule:
        """Return the rule with the tests `members` replaced by atoms."""
        chosen = tuple(members)
        tests = tuple(test for test in rule.tests if test not in chosen)
        return replace(rule, body=(*rule.body, *map(self._tested_atom, chosen)), tests=tests)

    def _turned(self, rule: Rule, members: list[Member], i: int) -> Rule:
        """Return a constraint as a rule with the complement of its i-th test as head: a value that satisfies
        the other tests must fail the i-th.
        """
        others = (self._tested_atom(member) for j, member in enumerate(members) if j != i)
        head = self._atom(replace(members[i], inside=not members[i].inside))
        return replace(rule, body=(*rule.body, *others), head=head, tests=())

    def _tested_atom(self, member: Member) -> Atom:
        self.tested[_range_of(member)] = None
        return self._atom(member)

    def _atom(self, member: Member) -> Atom:
        return Atom(self.name_of(_range_of(member)), (member.argument,))


def is_range_name(type_: Term) -> bool:
    """True if the class is the name D° of a data range."""
    return type_.startswith(_RANGE)


def _range_of(member: Member) -> DataRange:
    if member.inside:
        return member.range
    return (
        member.range.operand if isinstance(member.range, DataComplementOf) else DataComplementOf(member.range)
    )


# Namespace of names that do not occur in ontologies.
_INTERNAL = "urn:pantarhei:"
FRESH = f"{_INTERNAL}fresh#x"
_NAMED = URIRef(f"{_INTERNAL}named")

_NO_VALUE = Origin("no literal is in all these")


@dataclass(slots=True)
class _Assumption:
    """Assumed facts, and the changes to undo when they are withdrawn.

    Args:
        given: the assumed facts.
        model: the model to which all facts were added; None if a rebuilt model contains them as base facts.
        level: the level at which they were added.
        added: (facts, their previous levels) of each addition.
    """

    given: list[Triple]
    model: WindowModel | None = None
    level: int = 0
    added: list[tuple[Integers, Integers]] = field(default_factory=list)


class InRange(NamedTuple):
    """Membership of a literal, named by a fresh name, in a data range."""

    value: Term
    range: DataRange


Goal = Triple | InRange | None
"""A triple, a statement about the range of a value, or ⊥ as None."""

GOAL = BOTTOM - 1
"""The row of a goal that is not a fact."""


class Derivations(NamedTuple):
    """All derivations of a goal.

    Args:
        goal: the row of the goal.
        instances: the rule instances.
        rules: the rules by their numbers; an instance with the rule `NONE` is a conclusion about the data
            ranges of a value, without an axiom.
        facts: the asserted rows with their triples.
        free: the rows that hold without an assertion: assumptions, and the implicit types of names.
    """

    goal: int
    instances: tuple[RuleInstance, ...]
    rules: Sequence[Rule]
    facts: Mapping[int, Triple]
    free: frozenset[int]


class AssertionClosure:
    """Consequences of rules, constraints and facts, and of temporary assumptions.

    Args:
        rules: rules and constraints, written as under unique names.
        facts: the assertions.
        individuals: names of declared individuals, which need not occur in assertions.
        data_properties: properties whose values are literals, which are not in owl:Thing.
        above: a closure whose fresh names, data ranges and assumptions are also valid in this one.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        facts: Iterable[Triple],
        individuals: Iterable[Term] = (),
        data_properties: Iterable[Predicate] = (),
        above: AssertionClosure | None = None,
    ) -> None:
        self._names: RangeNames = RangeNames() if above is None else above._names.copy()
        self._rules = tuple(rules)
        written = tuple(map(_about_named, self._rules))
        self._data_properties: frozenset[Predicate] = frozenset(
            data_properties if above is None else above._data_properties
        )
        theory = Theory.of(
            (*written, *self._names.variants(written)),
            unique_names=False,
            data_properties=self._data_properties,
        )
        self._growing = GrowingProgram(theory)
        self._vocabulary = self._growing.vocabulary
        self._classes_of_names = [
            class_
            for class_, is_used in ((OWL.Thing, theory.uses_owl_thing), (_NAMED, written != self._rules))
            if is_used
        ]
        stated = list(facts)
        self._stated = frozenset(stated)
        self.facts = in_order({*stated, *self.about(dict.fromkeys((*individuals, *_names_in(stated))))})
        self._assumptions: list[_Assumption] = []
        self._fresh: int = 0 if above is None else above._fresh
        self._derived: WindowModel | None = None
        self._assumed_above: list[Triple] = (
            [] if above is None else [*above._assumed_above, *above._assumed()]
        )
        self.inconsistent = False
        self._rebuild()

    def with_rules(self, rules: Iterable[Rule], facts: Iterable[Triple] = ()) -> AssertionClosure:
        """Return the closure extended by rules and facts; current assumptions are kept. It is materialized
        anew.
        """
        return AssertionClosure((*self._rules, *rules), [*self.facts, *self._assumed(), *facts], above=self)

    def expect(self, classes: Iterable[Predicate], properties: Iterable[Predicate]) -> None:
        """Extend the program for assumptions about these classes and properties, so that later assumptions do
        not rebuild the model.
        """
        name = self.fresh()
        triples: list[Triple] = [(name, RDF.type, class_) for class_ in classes]
        triples += [(name, property_, name) for property_ in properties]
        if self._outgrown(self._vocabulary.encode(triples).facts):
            self._rebuild()

    def fresh(self) -> URIRef:
        """Return a name that does not occur elsewhere."""
        self._fresh += 1
        return URIRef(f"{FRESH}{self._fresh}")

    def about(self, names: Iterable[Term]) -> list[Triple]:
        """Return the implicit types of names that rules use: owl:Thing, and the class of named
        individuals.
        """
        if not self._classes_of_names:
            return []
        return [
            (name, RDF.type, class_)
            for name in names
            for class_ in self._classes_of_names
            if not isinstance(name, Literal) and (class_ == OWL.Thing or not is_fresh(name))
        ]

    def names(self, terms: Iterable[Term]) -> list[Triple]:
        """Return facts which state that `terms` are named individuals, even if they are fresh."""
        return [(term, RDF.type, _NAMED) for term in terms]

    def proof_of_void(self) -> Proof | None:
        """Return a proof that the domain must be empty, which OWL's semantics excludes; None if it need not
        be empty.
        """
        with self.assuming(self.about([URIRef(f"{FRESH}0")])):
            return self.proof() if self.inconsistent else None

    @contextmanager
    def assuming(self, facts: Iterable[Triple]) -> Iterator[None]:
        """Assume `facts` within the context; `inconsistent` is True there if they contradict the closure."""
        assumption = _Assumption(list(facts))
        before, fresh = self.inconsistent, self._fresh
        model = self._model  # before the assumption is listed, since a rebuilt model contains all listed ones
        self._assumptions.append(assumption)
        try:
            self._assume(assumption, model)
            yield
        finally:
            self._assumptions.pop()
            self._withdraw(assumption)
            self.inconsistent, self._fresh = before, fresh

    def holds(self, triple: Triple) -> bool:
        """Return True if the triple is in the closure."""
        return next(self.match(*triple), None) is not None

    def match(self, subject: Term | None, predicate: Term | None, object_: Term | None) -> Iterator[Triple]:
        """Yield the triples of the closure that match the given terms; None matches any term."""
        if isinstance(subject, Literal):
            return iter(())
        return self._model.match(subject, predicate, object_)

    def proof(self) -> Proof | None:
        """Return a proof of a violation from facts and assumptions; None without one. All facts
        are checked.
        """
        self._model.find_violations()
        found = proof_of_violation(self._model)
        return found and self._with_assumptions(found)

    def contradictions(self) -> ConflictList[Contradiction]:
        """Return the minimal sets of facts that contradict each other, without implicit types of names. All
        facts are checked, and their lineage is computed.
        """
        found, stated = contradictions_in(self._model), self._stated
        stripped = dict.fromkeys(replace(each, triples=each.triples & stated) for each in found)
        members = chain.from_iterable(each.triples for each in stripped)
        numbers = {triple: number for number, triple in enumerate(members)}
        rows = {each: frozenset(numbers[triple] for triple in each.triples) for each in stripped}
        minimal = set(minimal_sets(rows.values()))
        return ConflictList.of([each for each in stripped if rows[each] in minimal], found.complete)

    # -- values ------------------------------------------------------------------------------------

    def ranges_of(self, value: Term) -> DataRange:
        """Return the data range known for a fresh name that stands for a literal."""
        return self._names.known(self._types_of(value))

    def datatypes_of(self, value: Term) -> frozenset[URIRef]:
        """Return the datatypes in rules that include the data range of a fresh name that stands for a
        literal.
        """
        known = self.ranges_of(value)
        met = (range_ for range_ in self._names.names if isinstance(range_, Datatype))
        return frozenset(range_.iri for range_ in met if includes(range_, known))

    def value_in(self, value: Term, range_: DataRange) -> Triple:
        """Return the fact that a fresh name stands for a literal in the data range."""
        return (value, RDF.type, self._names.name_of(range_))

    def is_impossible(self, value: Term) -> bool:
        """Return True if no literal satisfies everything known about a fresh name."""
        known = self.ranges_of(value)
        if known == ANY_LITERAL:
            return False
        equals = (equal for _, _, equal in self.match(value, OWL.sameAs, None))
        return is_empty(known) or any(isinstance(e, Literal) and not contains(known, e) for e in equals)

    def proof_of(self, triple: Triple) -> Proof:
        """Return a proof of a triple of the closure from facts and assumptions. The cost is linear in its
        lineage.
        """
        fact = self._model.find(triple)
        assert fact is not None, "it holds"
        return self._with_assumptions(proof_of_fact(self._model, fact))

    def derivations(self, goal: Goal, most: int, budget: StepBudget) -> Derivations | None:
        """Return all derivations of a goal from facts and assumptions; None if it does not hold.

        The cost is linear in the lineage of the goal, plus a pass over all facts for ⊥.

        Args:
            most: limit of rule instances.
            budget: limit of the tests of data ranges.

        Raises:
            BudgetExceeded: a limit is reached.
        """
        triples, instances, asserted = dict[int, Triple](), dict[RuleInstance, None](), set[int]()
        for lineage in self._lineages(goal, most):
            triples.update(zip(lineage.rows.tolist(), self._vocabulary.decode(lineage.facts), strict=True))
            asserted.update(lineage.rows[lineage.assertion_levels != NONE].tolist())
            instances.update(dict.fromkeys(RuleInstances.of(lineage).found))
        names = (triples[row][0] for row in asserted)
        supposed = {*self._assumed_above, *self._assumed(), *self.about(names)}
        free = frozenset(row for row in asserted if triples[row] in supposed)
        implied = frozenset(row for row in asserted - free if is_range_name(triples[row][2]))
        row_of = {triple: row for row, triple in triples.items()}
        instances.update(dict.fromkeys(self._conclusions_about_values(goal, row_of, implied, budget)))
        end = BOTTOM if goal is None else GOAL if isinstance(goal, InRange) else row_of.get(goal)
        stated = {row: triples[row] for row in asserted - free - implied}
        rules = self._model.program.rules
        return None if end is None else Derivations(end, tuple(instances), rules, stated, free)

    def _lineages(self, goal: Goal, most: int) -> list[Lineage]:
        """Return the lineages of a goal and of the facts about values; raises `BudgetExceeded`."""
        model = self._model
        starts: list[Triple] = [] if goal is None or isinstance(goal, InRange) else [goal]
        found = (model.find(triple) for triple in (*starts, *self._facts_about_values()))
        facts = np.concatenate([NO_FACTS, *(fact for fact in found if fact is not None)])
        lineages = [model.lineage_of(facts, most)]
        if goal is None and self.inconsistent:
            model.find_violations()
            violations = model.lineage(most)
            lineages += [] if violations is None else [violations]
        if any(lineage.cut_short for lineage in lineages):
            raise BudgetExceeded
        return lineages

    def _facts_about_values(self) -> Iterator[Triple]:
        """Yield the data ranges, and the equal literals, of fresh names of literals."""
        for value in self._fresh_values():
            types = [t for t in self.match(value, RDF.type, None) if is_range_name(t[2])]
            yield from types
            if types:
                yield from (t for t in self.match(value, OWL.sameAs, None) if isinstance(t[2], Literal))

    def _conclusions_about_values(
        self, goal: Goal, row_of: Mapping[Triple, int], implied: frozenset[int], budget: StepBudget
    ) -> Iterator[RuleInstance]:
        """Yield an instance for each minimal set of data ranges of a fresh name that implies another range, a
        goal, or ⊥.
        """
        range_of = {name: range_ for range_, name in self._names.names.items()}
        known: dict[Term, dict[int, DataRange]] = {}
        equal: dict[Term, list[tuple[int, Literal]]] = {}
        targets: list[tuple[int, Term, DataRange]] = []
        for (subject, predicate, object_), row in row_of.items():
            if predicate == OWL.sameAs and isinstance(object_, Literal):
                equal.setdefault(subject, []).append((row, object_))
            elif is_range_name(object_) and isinstance(object_, URIRef):
                known.setdefault(subject, {})[row] = range_of[object_]
                if row in implied:
                    targets.append((row, subject, range_of[object_]))
        if isinstance(goal, InRange):
            targets.append((GOAL, goal.value, goal.range))
        for row, value, target in targets:
            others = {other: range_ for other, range_ in known.get(value, {}).items() if other != row}
            for rows in _minimal_covers(others, partial(includes, target), budget):
                yield RuleInstance(row, NONE, tuple(sorted(rows)))
        for value, ranges in known.items() if goal is None else ():
            for rows in _minimal_covers(ranges, is_empty, budget):
                yield RuleInstance(BOTTOM, NONE, tuple(sorted(rows)))
            for row, literal in equal.get(value, ()):
                for rows in _minimal_covers(ranges, partial(_excludes, literal), budget):
                    yield RuleInstance(BOTTOM, NONE, (row, *sorted(rows)))

    def _with_assumptions(self, proof: Proof) -> Proof:
        """Return the proof with assumed facts, except implicit types, marked as supposed."""
        return proof.supposing({*self._assumed_above, *self._assumed()})

    def proof_of_impossible_value(self, value: Term) -> Proof | None:
        """Return a proof that no literal satisfies everything known about a fresh name; None if one may. The
        closure is materialized anew.
        """
        if not self.is_impossible(value):
            return None
        types = sorted(str(type_) for type_ in self._types_of(value) if is_range_name(type_))
        body = tuple(Atom(URIRef(type_), (Variable("x"),)) for type_ in types)
        return self.with_rules([Rule("dt-empty", body, None, origin=_NO_VALUE)]).proof()

    def _types_of(self, name: Term) -> set[Term]:
        return {type_ for _, _, type_ in self.match(name, RDF.type, None)}

    def _conclude_about_values(self, assumption: _Assumption) -> None:
        """Add to fresh names that stand for literals the tested ranges that include their known range."""
        if not self._names.tested:
            return
        values = self._fresh_values()
        while implied := [
            (value, RDF.type, name) for value in values for name in self._names.implied(self._types_of(value))
        ]:
            self._add(assumption, self._vocabulary.encode(implied).facts)

    def _fresh_values(self) -> list[Term]:
        """Return the assumed fresh names, which may denote literals, sorted."""
        found = {
            term
            for subject, predicate, object_ in (*self._assumed_above, *self._assumed())
            for term in ((subject,) if predicate == RDF.type else (object_,))
            if is_fresh(term)
        }
        return sorted(found)

    # -- the model ---------------------------------------------------------------------------------

    @property
    def _model(self) -> WindowModel:
        """The model. After an error, or after the program has grown, it is rebuilt with all assumptions as
        base facts.
        """
        if self._derived is None:
            self._rebuild()
        assert self._derived is not None, "just made"
        return self._derived

    def _assume(self, assumption: _Assumption, model: WindowModel) -> None:
        encoded = self._vocabulary.encode(assumption.given).facts
        if self._outgrown(encoded):
            self._rebuild()
            return
        self._level += 1
        assumption.level = self._level
        self._add(assumption, encoded)
        self._conclude_about_values(assumption)
        assumption.model = model

    def _add(self, assumption: _Assumption, facts: Integers) -> None:
        previous = self._model.add(facts, assumption.level)
        assumption.added.append((facts, previous))
        self.inconsistent |= bool(len(self._model.violations()))

    def _withdraw(self, assumption: _Assumption) -> None:
        model, self._derived = self._derived, None
        if model is None or assumption.model is not model:  # among the base facts, or only partly added
            return
        facts, previous = (np.concatenate(column) for column in zip(*assumption.added, strict=True))
        model.withdraw(facts, previous, assumption.level)
        model.take_changes()
        self._derived = model

    def _rebuild(self) -> None:
        """Rebuild the model with the assumptions as base facts."""
        encoded = self._vocabulary.encode([*self.facts, *self._assumed()]).facts
        self._outgrown(encoded)
        self._derived = model = model_of_background(self._growing.program, self._vocabulary, encoded)
        self._level = 0
        self.inconsistent = bool(len(model.violations()))
        self._conclude_about_values(_Assumption([]))
        model.take_changes()

    def _outgrown(self, facts: Integers) -> bool:
        """Return True if the program had to be extended for `facts`."""
        if self._growing.covers(facts):
            return False
        self._growing.grow(facts)
        return True

    def _assumed(self) -> list[Triple]:
        return [triple for assumption in self._assumptions for triple in assumption.given]


def _minimal_covers(
    ranges: Mapping[int, DataRange], holds: Callable[[DataRange], bool], budget: StepBudget
) -> list[RowSet]:
    """Return the minimal sets of rows such that the intersection of their ranges satisfies `holds`."""
    found: list[RowSet] = []
    for size in range(len(ranges) + 1):
        for rows in combinations(sorted(ranges), size):
            budget.spend(1)
            if not any(known <= set(rows) for known in found):
                parts = tuple(ranges[row] for row in rows)
                if holds(DataIntersectionOf(parts) if len(parts) > 1 else parts[0] if parts else ANY_LITERAL):
                    found.append(frozenset(rows))
    return found


def _excludes(literal: Literal, range_: DataRange) -> bool:
    return not contains(range_, literal)


def _about_named(rule: Rule) -> Rule:
    """Restrict keys and DL-safe rules to named individuals, which excludes fresh names.

    OWL 2 Direct Semantics, table 9 (ISNAMED). Blank nodes in the ontology count as names.
    """
    if rule.name == "prp-key":
        subjects = [argument for pair in rule.different for argument in (pair.left, pair.right)]
    elif rule.name == "pr-swrl":
        subjects = [atom.arguments[0] for atom in rule.body]
    else:
        return rule
    named = dict.fromkeys(argument for argument in subjects if isinstance(argument, Variable))
    return replace(rule, body=(*rule.body, *(Atom(_NAMED, (argument,)) for argument in named)))


def _names_in(facts: Iterable[Triple]) -> Iterator[Term]:
    for subject, predicate, object_ in facts:
        yield subject
        if predicate not in ONLY_TYPE:
            yield object_


def is_fresh(term: Term) -> bool:
    """True if the term was created for an assumption."""
    return isinstance(term, URIRef) and term.startswith(FRESH)


def is_internal(term: Term) -> bool:
    """True if the name was created by this module, for named individuals, data ranges or assumptions."""
    return isinstance(term, URIRef) and term.startswith(_INTERNAL)


def equality(first: Term, second: Term) -> Triple:
    """Return the triple `first owl:sameAs second`."""
    return (first, OWL.sameAs, second)


def inequality(first: Term, second: Term) -> Triple:
    """Return the triple `first owl:differentFrom second`."""
    return (first, OWL.differentFrom, second)
