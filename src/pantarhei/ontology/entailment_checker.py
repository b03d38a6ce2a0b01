"""Entailment of axioms by assumptions: the condition of an axiom is assumed for fresh names, and its
conclusion is tested.

`C ⊑ D` is entailed if a fresh name that is assumed to be in C is then in D, or if the assumption is
inconsistent. Membership in a complement is entailed if membership in its operand is inconsistent. Within OWL
2 RL, whose axioms have no alternatives on the right side, entailment is decided. Beyond it, True is certain
and False may mean unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise, product
from math import prod

from rdflib import OWL, RDF, Literal

from pantarhei.model.term import Term, Triple
from pantarhei.ontology.closure import AssertionClosure, Goal, InRange, equality, inequality, is_fresh
from pantarhei.ontology.justification import (
    ASSUMPTION_STEPS,
    FAILS,
    HOLDS,
    SupportSearch,
    Verdict,
    all_of,
    any_of,
)
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    NOTHING,
    THING,
    Axiom,
    Bound,
    ClassExpression,
    DataRange,
    Filler,
    PropertyExpression,
    Trait,
)
from pantarhei.owl.simplify import BOTTOM_PROPERTIES, TOP_PROPERTIES, simple_filler, simplify
from pantarhei.proofs.proof import Proof
from pantarhei.rules.translation.translate import translate
from pantarhei.values.emptiness import includes
from pantarhei.values.membership import COMPARABLE, contains
from pantarhei.values.value import value_of

# Largest number of cases of an expression; unions multiply cases.
_MOST_CASES = 1_000

# Largest number of pairwise different values assumed for a cardinality restriction.
_MOST_VALUES = 100


class UndecidedError(Exception):
    """The condition of an axiom cannot be assumed. The axiom then counts as not entailed."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One case of an expression: facts, and axioms for the parts of the expression that facts
    cannot state.
    """

    facts: tuple[Triple, ...] = ()
    axioms: tuple[Axiom, ...] = ()

    def __add__(self, other: _Case) -> _Case:
        return _Case((*self.facts, *other.facts), (*self.axioms, *other.axioms))


@dataclass(slots=True)
class EntailmentChecker:
    """Decides entailment by a closure.

    Args:
        proofs: a list to which the proofs of entailed parts are appended; None if they are not needed.
        search: the search for justifications; None if they are not needed. A verdict then has at most one
            justification, which is empty.
    """

    closure: AssertionClosure
    _values: list[Term] = field(default_factory=list)  # fresh names that may stand for literals
    proofs: list[Proof] | None = None
    search: SupportSearch | None = None

    def entails(self, axiom: Axiom) -> Verdict:
        """Return the justifications of `axiom`; `FAILS` if a model of the closure's rules and facts violates
        it, or if this is unknown.
        """
        self._values.clear()
        try:
            return self._decide(axiom)
        except UndecidedError:
            return FAILS

    def is_member(self, individual: Term, expression: ClassExpression) -> Verdict:
        """Return the justifications of the membership of `individual` in `expression`."""
        return self.entails(owl.ClassAssertion(expression, individual))

    def _decide(self, axiom: Axiom) -> Verdict:
        match axiom:
            case owl.SubClassOf(sub, super_):
                return self._is_subclass(sub, super_)
            case owl.EquivalentClasses(operands):
                circle = (*operands, operands[0])
                return self.all(self._is_subclass(a, b) for a, b in pairwise(circle))
            case owl.DisjointClasses(operands):
                return self.all(
                    self._is_subclass(owl.IntersectionOf(pair), NOTHING) for pair in combinations(operands, 2)
                )
            case owl.DisjointUnion(union, operands):
                parts = owl.EquivalentClasses((union, owl.UnionOf(operands))), owl.DisjointClasses(operands)
                return self.all(self._decide(part) for part in parts)
            case owl.ClassAssertion(type_, individual):
                return self._within(_thing(individual), lambda: self._is_in(simplify(type_), individual))
            case owl.SameIndividual(individuals):
                return self.all(self._are_same(a, b) for a, b in pairwise(individuals))
            case owl.DifferentIndividuals(individuals):
                return self.all(self._are_different(a, b) for a, b in combinations(individuals, 2))
            case owl.NegativePropertyAssertion(on, subject, object_):
                return self._contradicts(self._pair(on, subject, object_))
            case owl.HasKey():
                return self._is_key(axiom)
            case owl.DatatypeDefinition(datatype, range_):
                return _plain(includes(datatype, range_) and includes(range_, datatype))
        return self._decide_on_properties(axiom)

    def _decide_on_properties(self, axiom: Axiom) -> Verdict:
        a, b, c = (self.closure.fresh() for _ in range(3))
        match axiom:
            case owl.SubPropertyOf(sub, super_):
                return self._follows([(sub, a, b)], (super_, a, b))
            case owl.SubPropertyChainOf(chain, super_):
                points = [a, *(self.closure.fresh() for _ in chain)]
                links = [(on, x, y) for on, (x, y) in zip(chain, pairwise(points), strict=True)]
                return self._follows(links, (super_, points[0], points[-1]))
            case owl.EquivalentProperties(operands):
                circle = (*operands, operands[0])
                return self.all(self._follows([(p, a, b)], (q, a, b)) for p, q in pairwise(circle))
            case owl.DisjointProperties(operands):
                return self.all(
                    self._contradicts(self._pair(p, a, b) + self._pair(q, a, b))
                    for p, q in combinations(operands, 2)
                )
            case owl.InverseProperties(p, q):
                ways = ((p, a, b), (q, b, a)), ((q, b, a), (p, a, b))
                return self.all(self._follows([assumed], conclusion) for assumed, conclusion in ways)
            case owl.PropertyDomain(on, domain):
                return self._within(self._pair(on, a, b), lambda: self._is_in(simplify(domain), a))
            case owl.PropertyRange(on, range_):
                return self._within(self._pair(on, a, b), lambda: self._is_in(simple_filler(range_), b))
            case owl.Characteristic(trait, on):
                return self._has_trait(trait, on, (a, b, c))
        raise UndecidedError

    def _has_trait(self, trait: Trait, on: PropertyExpression, names: tuple[Term, Term, Term]) -> Verdict:
        a, b, c = names
        match trait:
            case Trait.FUNCTIONAL:
                return self._within(self._pair(on, a, b) + self._pair(on, a, c), lambda: self._are_same(b, c))
            case Trait.INVERSE_FUNCTIONAL:
                return self._within(self._pair(on, a, c) + self._pair(on, b, c), lambda: self._are_same(a, b))
            case Trait.REFLEXIVE:
                return self._within(_thing(a), lambda: self._is_pair(on, a, a))
            case Trait.IRREFLEXIVE:
                return self._contradicts(self._pair(on, a, a))
            case Trait.SYMMETRIC:
                return self._follows([(on, a, b)], (on, b, a))
            case Trait.ASYMMETRIC:
                return self._contradicts(self._pair(on, a, b) + self._pair(on, b, a))
            case Trait.TRANSITIVE:
                return self._follows([(on, a, b), (on, b, c)], (on, a, c))

    def _is_key(self, axiom: owl.HasKey) -> Verdict:
        a, b = self.closure.fresh(), self.closure.fresh()
        shared = tuple(
            fact
            for on in axiom.properties
            for value in (self.closure.fresh(),)
            for fact in self._pair(on, a, value) + self._pair(on, b, value)
        )
        keyed = simplify(axiom.keyed)
        named = self.closure.names([a, b])
        cases = (
            x + y + _Case((*shared, *named)) for x in self._cases(keyed, a) for y in self._cases(keyed, b)
        )
        return self.all(self._in_case(case, lambda checker: checker._are_same(a, b)) for case in cases)

    # -- conclusions -------------------------------------------------------------------------------

    def _is_subclass(self, sub: ClassExpression, super_: ClassExpression) -> Verdict:
        name = self.closure.fresh()
        conclusion = simplify(super_)
        return self.all(
            self._in_case(case, lambda checker: checker._is_in(conclusion, name))
            for case in self._cases(simplify(sub), name)
        )

    def _follows(
        self,
        assumed: Iterable[tuple[PropertyExpression, Term, Term]],
        conclusion: tuple[PropertyExpression, Term, Term],
    ) -> Verdict:
        facts = tuple(fact for pair in assumed for fact in self._pair(*pair))
        return self._within(facts, lambda: self._is_pair(*conclusion))

    def _is_in(self, expression: Filler, term: Term) -> Verdict:
        """Return the justifications of the membership of `term` in the simplified `expression`, including
        those of the inconsistency of the assumptions.
        """
        return self._either(self._is_impossible, lambda: self._is_surely_in(expression, term))

    def _is_surely_in(self, expression: Filler, term: Term) -> Verdict:
        match expression:
            case owl.Class(iri):
                return HOLDS if expression == THING else self._holds((term, RDF.type, iri))
            case owl.IntersectionOf(operands):
                return self.all(self._is_in(operand, term) for operand in operands)
            case owl.UnionOf(operands):
                outside = _Case(axioms=(owl.ClassAssertion(owl.ComplementOf(expression), term),))
                ways = (partial(self._is_in, operand, term) for operand in operands)
                excluded = partial(self._in_case, outside, EntailmentChecker._is_impossible)
                return self._either(*ways, excluded)
            case owl.SomeValuesFrom(on, filler):
                return self.any(
                    self._has_value(on, term, value, filler) for value in self._values_of(on, term)
                )
            case owl.HasValue(on, value):
                return self._is_pair(on, term, value)
            case owl.HasSelf(on):
                return self._is_pair(on, term, term)
            case owl.OneOf(individuals):
                ways = (partial(self._are_same, term, individual) for individual in individuals)
                unequal = [inequality(term, individual) for individual in individuals]
                return self._either(*ways, partial(self._contradicts, unequal))
            case owl.ComplementOf(operand):
                return self.all(
                    self._in_case(case, EntailmentChecker._is_impossible)
                    for case in self._cases(operand, term)
                )
            case owl.AllValuesFrom(on, filler):
                value = self.closure.fresh()
                return self._within(self._pair(on, term, value), lambda: self._is_in(filler, value))
            case owl.Cardinality(Bound.MAX, number, on, counted):
                return self._has_at_most(term, number, on, THING if counted is None else counted)
            case owl.Cardinality(Bound.MIN, number, on, counted):
                return self._has_at_least(term, number, on, THING if counted is None else counted)
        if not isinstance(expression, DataRange):
            raise UndecidedError
        if isinstance(term, Literal):
            return _plain(contains(expression, term))
        if not (is_fresh(term) and includes(expression, self.closure.ranges_of(term))):
            return FAILS
        return self._justified(InRange(term, expression))

    def _has_at_most(self, term: Term, number: int, on: PropertyExpression, filler: Filler) -> Verdict:
        values = self._fresh_values(number + 1)
        facts = [fact for value in values for fact in self._pair(on, term, value)]
        facts += [inequality(x, y) for x, y in combinations(values, 2)]
        cases = _joined(_Case(tuple(facts)), [tuple(self._cases(filler, value)) for value in values])
        return self.all(self._in_case(case, EntailmentChecker._is_impossible) for case in cases)

    def _has_at_least(self, term: Term, number: int, on: PropertyExpression, filler: Filler) -> Verdict:
        verdicts = {value: self._has_value(on, term, value, filler) for value in self._values_of(on, term)}
        known = {value: verdict for value, verdict in verdicts.items() if verdict}
        values, found = list(known), FAILS
        waiting: list[tuple[tuple[Term, ...], int, Verdict]] = [((), 0, HOLDS)]
        for _ in range(_MOST_CASES):
            if not waiting:
                return found
            chosen, start, verdict = waiting.pop()
            if len(chosen) == number:
                found = self.any((found, verdict))
                if found == HOLDS:
                    return found
                continue
            for i in reversed(range(start, min(len(values), _MOST_VALUES))):
                if len(values) - i >= number - len(chosen):
                    different = (self._are_different(other, values[i]) for other in chosen)
                    if extended := self.all((verdict, known[values[i]], self.all(different))):
                        waiting.append(((*chosen, values[i]), i + 1, extended))
        return found

    def _has_value(self, on: PropertyExpression, term: Term, value: Term, filler: Filler) -> Verdict:
        """Return the justifications of `on(term, value)` and `filler(value)` together."""
        ways = partial(self._is_pair, on, term, value), partial(self._is_in, filler, value)
        return self.all(way() for way in ways)

    def _is_pair(self, on: PropertyExpression, subject: Term, object_: Term) -> Verdict:
        if isinstance(on, owl.InverseOf):
            return self._is_pair(on.inverted, object_, subject)
        if on.iri in TOP_PROPERTIES:
            return HOLDS
        return self._possibly((subject, on.iri, object_))

    def _are_same(self, first: Term, second: Term) -> Verdict:
        return HOLDS if value_of(first) == value_of(second) else self._possibly(equality(first, second))

    def _are_different(self, first: Term, second: Term) -> Verdict:
        if isinstance(first, Literal) and isinstance(second, Literal):
            known = contains(COMPARABLE, first) and contains(COMPARABLE, second)
            return _plain(known and value_of(first) != value_of(second))
        if isinstance(first, Literal) or isinstance(second, Literal):
            return self._is_impossible()
        stated = partial(self._holds, inequality(first, second))
        return self._either(stated, lambda: self._contradicts((equality(first, second),)))

    def _values_of(self, on: PropertyExpression, term: Term) -> Iterator[Term]:
        match on:
            case owl.InverseOf(inverted):
                return (subject for subject, _, _ in self.closure.match(None, inverted.iri, term))
            case owl.Property(iri) if iri in TOP_PROPERTIES:
                raise UndecidedError
            case owl.Property(iri):
                return (object_ for _, _, object_ in self.closure.match(term, iri, None))

    # -- assumptions -------------------------------------------------------------------------------

    def _is_impossible(self) -> Verdict:
        """Return the justifications of the inconsistency of the assumptions."""
        impossible = [value for value in self._values if self.closure.is_impossible(value)]
        if not (impossible or self.closure.inconsistent):
            return FAILS
        if self.proofs is not None:
            closure = self.closure
            self._add_proof(
                closure.proof() if closure.inconsistent else closure.proof_of_impossible_value(impossible[0])
            )
        return self._justified(None)

    def _possibly(self, triple: Triple) -> Verdict:
        """Return the justifications of a triple, including those of the inconsistency of the assumptions."""
        return self._either(self._is_impossible, partial(self._holds, triple))

    def _holds(self, triple: Triple) -> Verdict:
        """Return the justifications of a triple of the closure."""
        if not self.closure.holds(triple):
            return FAILS
        if self.proofs is not None:
            self._add_proof(self.closure.proof_of(triple))
        return self._justified(triple)

    def _justified(self, goal: Goal) -> Verdict:
        """Return the justifications of a goal that holds in the closure."""
        return HOLDS if self.search is None else self.search.verdict(self.closure, goal)

    def _either(self, *ways: Callable[[], Verdict]) -> Verdict:
        """Return the justifications of a disjunction. An undecided way is skipped after an entailed one."""

        def verdicts() -> Iterator[Verdict]:
            is_entailed = False
            for way in ways:
                try:
                    verdict = way()
                except UndecidedError:
                    if not is_entailed:
                        raise
                else:
                    is_entailed |= bool(verdict)
                    yield verdict

        return self.any(verdicts())

    def any(self, verdicts: Iterable[Verdict]) -> Verdict:
        """Return the justifications of a disjunction."""
        return any_of(verdicts, None if self.search is None else self.search.budget)

    def all(self, verdicts: Iterable[Verdict]) -> Verdict:
        """Return the justifications of a conjunction. If it fails, the proofs of its members are dropped."""
        known = len(self.proofs or ())
        found = all_of(verdicts, None if self.search is None else self.search.budget)
        if self.proofs and not found:
            del self.proofs[known:]
        return found

    def _add_proof(self, proof: Proof | None) -> None:
        """Append a proof if proofs are needed."""
        if self.proofs is not None and proof is not None and proof not in self.proofs:
            self.proofs.append(proof)

    def _contradicts(self, facts: Iterable[Triple]) -> Verdict:
        return self._within(facts, self._is_impossible)

    def _within(self, facts: Iterable[Triple], test: Callable[[], Verdict]) -> Verdict:
        if self.search is not None:
            self.search.budget.spend(ASSUMPTION_STEPS)
        with self.closure.assuming(facts):
            return test()

    def _in_case(self, case: _Case, test: Callable[[EntailmentChecker], Verdict]) -> Verdict:
        """Return the verdict of `test` while a case is assumed. Parts of its axioms that cannot be translated
        to rules are ignored.
        """
        if self.search is not None:
            self.search.budget.spend(ASSUMPTION_STEPS)
        with self.closure.assuming(case.facts):
            if not case.axioms:
                return test(self)
            translations = tuple(map(translate, case.axioms))
            if any(translation.contradictions for translation in translations):
                return HOLDS
            rules = (r for t in translations for r in (*t.rules, *t.constraints))
            closure = self.closure.with_rules(rules, (f for t in translations for f in t.facts))
            checker = EntailmentChecker(closure, self._values, self.proofs, self.search)
            return checker._either(checker._is_impossible, lambda: test(checker))

    def _cases(self, expression: Filler, term: Term) -> Iterator[_Case]:
        """Yield the cases in which `term` is in the simplified `expression`."""
        if isinstance(expression, DataRange):
            yield from self._value_cases(expression, term)
            return
        match expression:
            case owl.Class(iri):
                if expression != NOTHING:
                    yield _Case(((term, RDF.type, iri),))
            case owl.IntersectionOf(operands):
                yield from _joined(_Case(), [tuple(self._cases(operand, term)) for operand in operands])
            case owl.UnionOf(operands):
                for operand in operands:
                    yield from self._cases(operand, term)
            case owl.SomeValuesFrom(on, filler):
                value = self.closure.fresh()
                pair = _Case(self._pair(on, term, value))
                yield from (pair + case for case in self._cases(filler, value))
            case owl.HasValue(on, value):
                yield _Case(self._pair(on, term, value))
            case owl.HasSelf(on):
                yield _Case(self._pair(on, term, term))
            case owl.OneOf(individuals):
                yield from (_Case((equality(term, individual),)) for individual in individuals)
            case owl.Cardinality(Bound.MIN, number, on, counted):
                values = self._fresh_values(number)
                facts = [fact for value in values for fact in self._pair(on, term, value)]
                facts += [inequality(x, y) for x, y in combinations(values, 2)]
                ways = [tuple(self._cases(THING if counted is None else counted, value)) for value in values]
                yield from _joined(_Case(tuple(facts)), ways)
            case _:
                yield _Case(_thing(term), (owl.ClassAssertion(expression, term),))

    def _fresh_values(self, number: int) -> list[Term]:
        """Return fresh names for values that have to be pairwise different.

        Raises:
            UndecidedError: `number` exceeds the limit.
        """
        if number > _MOST_VALUES:
            raise UndecidedError
        return [self.closure.fresh() for _ in range(number)]

    def _value_cases(self, range_: DataRange, term: Term) -> Iterator[_Case]:
        if not isinstance(term, Literal):
            self._values.append(term)
            yield _Case((self.closure.value_in(term, range_),))
        elif contains(range_, term):
            yield _Case()

    def _pair(self, on: PropertyExpression, subject: Term, object_: Term) -> tuple[Triple, ...]:
        """Return the facts that state `on(subject, object_)`."""
        if isinstance(on, owl.InverseOf):
            return self._pair(on.inverted, object_, subject)
        if on.iri in BOTTOM_PROPERTIES or isinstance(subject, Literal):  # impossible
            return tuple(
                (name, RDF.type, OWL.Nothing) for name in (subject, object_) if not isinstance(name, Literal)
            )
        if on.iri in TOP_PROPERTIES:
            return _thing(subject) + _thing(object_)
        if is_fresh(object_):
            self._values.append(object_)
        return ((subject, on.iri, object_),)


def _joined(start: _Case, ways: Sequence[Sequence[_Case]]) -> Iterator[_Case]:
    """Yield each combination of one case from each of `ways`, added to `start`.

    Raises:
        UndecidedError: there are too many combinations.
    """
    if prod(map(len, ways)) > _MOST_CASES:
        raise UndecidedError
    return (sum(parts, start) for parts in product(*ways))


def _plain(is_true: bool) -> Verdict:
    """Return the verdict of a statement that needs no axiom."""
    return HOLDS if is_true else FAILS


def _thing(name: Term) -> tuple[Triple, ...]:
    """Return the fact that the name denotes an individual; () for a literal."""
    return () if isinstance(name, Literal) else ((name, RDF.type, OWL.Thing),)
