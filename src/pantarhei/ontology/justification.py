"""Justifications of entailments: minimal sets of axioms and assertions that suffice.

They are computed from the derivations of the closure: each rule instance needs the axiom of its rule, each
asserted fact the axiom that states it, and the minimal supports of a goal over these axioms are its
justifications. Source: Kalyanpur, Parsia, Horridge and Sirin, *Finding all justifications of OWL DL
entailments*, ISWC 2007.

A `Verdict` is the set of justifications of a statement: empty if the statement is not entailed, and one
empty set if it needs no axiom.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rdflib import OWL, Literal, URIRef

from pantarhei.encoding.numbers import NONE
from pantarhei.model.labels import Labels, labels_among, letters
from pantarhei.model.message_text import NO_NAMES, DisplayNames, counted, disambiguate, last_part
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, short
from pantarhei.ontology.closure import AssertionClosure, Derivations, Goal, is_fresh
from pantarhei.owl.axiom import parts
from pantarhei.owl.report import ReportEntry
from pantarhei.proofs.formatter import axiom_line
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import JsonObject, axiom_as_json
from pantarhei.proofs.rule_instances import RuleInstances
from pantarhei.proofs.supports import RowSet, StepBudget, minimal_sets, minimal_supports
from pantarhei.rdf.ntriples import exactly
from pantarhei.repair.conflict import Budget
from pantarhei.values.value import value_of

Verdict = frozenset[RowSet]

HOLDS: Verdict = frozenset([frozenset()])
FAILS: Verdict = frozenset()

# Axioms are numbered from here, above the rows of facts.
_AXIOMS = 1 << 32

# Steps of the budget spent by an assumption, whose consequences are derived.
ASSUMPTION_STEPS = 200


@dataclass(frozen=True)
class Justification:
    """Minimal set of axioms and assertions that entails a statement; iterates over them.

    `str` has one line for each of them, in Manchester syntax.

    Args:
        axioms: the axioms and assertions, with their positions in files, in the order of the ontology.
        proofs: proofs of the statement from these axioms, one for each part that needs a proof.
        labels: the names shown for IRIs.

    >>> import pantarhei as pr
    >>> from rdflib import RDFS, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> entailment = ontology.explain((EX.GasPedalPressed, RDFS.subClassOf, EX.Car), all=True)
    >>> [len(justification.axioms) for justification in entailment.justifications]
    [3]
    """

    axioms: tuple[Origin, ...]
    proofs: tuple[Proof, ...] = ()
    labels: Labels = field(default_factory=dict, compare=False, repr=False)

    __repr__ = short_repr
    _repr_html_ = html_of

    def labelled(self, labels: Labels) -> Justification:
        """Return the justification with labels in its proofs. Supposed individuals are named x, y, z, x1 and
        so on.
        """
        terms = dict.fromkeys(term for proof in self.proofs for term in proof.terms)
        iris = [term for term in terms if isinstance(term, URIRef)]
        taken = {labels.get(term) or last_part(term) for term in iris}
        made_up = dict(zip(filter(is_fresh, iris), letters(taken), strict=False))
        used = (part for axiom in self.axioms for part in parts(axiom.stated, URIRef))
        return Justification(
            self.axioms,
            tuple(proof.labelled({**labels, **made_up}) for proof in self.proofs),
            labels_among(labels, used),
        )

    @property
    def size_text(self) -> str:
        """The numbers of axioms and assertions as text."""
        assertions = sum(isinstance(axiom.stated, tuple) for axiom in self.axioms)
        numbers = (len(self.axioms) - assertions, "axiom"), (assertions, "assertion")
        return " and ".join(counted(number, noun) for number, noun in numbers if number) or "0 axioms"

    def __str__(self) -> str:
        return disambiguate(
            lambda: "\n".join(axiom_line(axiom, self.labels) for axiom in self.axioms), self._names
        )

    def to_json(self) -> JsonObject:
        """Return the axioms and the proofs as a dictionary for `json.dumps`."""
        return disambiguate(
            lambda: {
                "axioms": [axiom_as_json(axiom, self.labels) for axiom in self.axioms],
                "proofs": [proof.to_json() for proof in self.proofs],
            },
            self._names,
        )

    @property
    def _names(self) -> DisplayNames:
        return next((axiom.names for axiom in self.axioms if axiom.names), NO_NAMES)

    def __len__(self) -> int:
        return len(self.axioms)

    def __iter__(self) -> Iterator[Origin]:
        return iter(self.axioms)

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Justification, self.axioms, self.proofs, self.labels)


def any_of(verdicts: Iterable[Verdict], budget: StepBudget | None = None) -> Verdict:
    """Return the justifications of a disjunction. Members after one that needs no axiom are not evaluated."""
    found: set[RowSet] = set()
    for verdict in verdicts:
        if frozenset() in verdict:
            return HOLDS
        found |= verdict
    return _minimal(found, budget)


def all_of(verdicts: Iterable[Verdict], budget: StepBudget | None = None) -> Verdict:
    """Return the justifications of a conjunction. Members after one that fails are not evaluated."""
    found = HOLDS
    for verdict in verdicts:
        if not verdict:
            return FAILS
        if verdict != HOLDS:
            if budget is not None:
                budget.spend(len(found) * len(verdict))
            found = verdict if found == HOLDS else _minimal({a | b for a in found for b in verdict}, budget)
    return found


def _minimal(sets: Collection[RowSet], budget: StepBudget | None) -> Verdict:
    if len(sets) < 2:
        return frozenset(sets)
    return frozenset(minimal_sets(sets) if budget is None else minimal_sets(sets, budget.spend))


@dataclass(frozen=True)
class AxiomIndex:
    """Axioms and assertions of an ontology, with the rules and facts to which they were translated.

    Args:
        axioms: the axioms and assertions, without duplicates, in the order of the ontology.
        rules: the rules and constraints of all axioms. Equal rules of different axioms are all listed.
        facts: the facts, each with the axioms that state it.
        assertions: the assertions among the axioms, with their triples.
        needed: the axioms on which the meaning of an axiom depends: definitions of datatypes.
    """

    axioms: tuple[Origin, ...]
    rules: tuple[Rule, ...]
    facts: Mapping[Triple, tuple[Origin, ...]]
    assertions: Mapping[Origin, Triple]
    needed: Mapping[Origin, tuple[Origin, ...]] = field(default_factory=dict)
    _number: dict[Origin, int] = field(default_factory=dict, init=False)
    _stating: dict[object, list[Origin]] = field(default_factory=dict, init=False)
    _made: dict[Origin, tuple[list[Rule], list[Triple]]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._number.update({axiom: number for number, axiom in enumerate(self.axioms, _AXIOMS)})
        self._made.update({axiom: ([], []) for axiom in self.axioms})
        for rule in self.rules:
            if rule.origin is not None:
                self._made[rule.origin][0].append(rule)
        for fact, axioms in self.facts.items():
            self._stating.setdefault(_by_value(fact), []).extend(axioms)
            for axiom in axioms:
                self._made[axiom][1].append(fact)

    @classmethod
    def of(
        cls,
        rules: Iterable[Rule],
        entries: Iterable[ReportEntry],
        background: Iterable[Triple],
        read: Collection[Triple],
        needed: Mapping[Origin, tuple[Origin, ...]],
    ) -> AxiomIndex:
        """Return the index of an ontology.

        Args:
            rules: the rules and constraints, without duplicates.
            entries: the report on the axioms.
            background: the facts.
            read: the triples that were read. A fact that is not among them is an assertion only if no axiom
                states it.
        """
        given = tuple(entries)
        made = dict.fromkeys(rule for entry in given for rule in entry.made)
        every = (*made, *(rule if rule.origin else _with_origin(rule) for rule in rules if rule not in made))
        stated: dict[Triple, list[Origin]] = {}
        for entry in given:
            for fact in entry.facts:
                stated.setdefault(fact, []).append(entry.origin)
        assertions = dict[Origin, Triple]()
        for fact in background:
            if fact in read or fact not in stated:
                stated.setdefault(fact, []).append(origin := assertion_of(fact))
                assertions[origin] = fact
        of_rules = (rule.origin for rule in every if rule.origin is not None)
        axioms = dict.fromkeys((*(entry.origin for entry in given), *of_rules, *assertions))
        facts = {fact: tuple(origins) for fact, origins in stated.items()}
        return cls(tuple(axioms), every, facts, assertions, needed)

    def used_by(self, proofs: Iterable[Proof]) -> tuple[Origin, ...]:
        """Return the axioms and assertions used by proofs, in the order of the ontology. If several axioms
        state a fact, the first one is returned.
        """
        found = set[int]()
        for proof in proofs:
            for step in proof.steps:
                if step.rule is not None:
                    found |= self.numbers(step.rule.origin)
                elif step.fact is not None and step.is_background:
                    found |= {
                        number for axiom in self.stating(step.fact)[:1] for number in self.numbers(axiom)
                    }
        return self.among(found)

    def numbers(self, axiom: Origin | None) -> RowSet:
        """Return the numbers of an axiom and of those it needs; empty for a definition of OWL, or an axiom of
        the statement.
        """
        if axiom is None or axiom not in self._number:
            return frozenset()
        return frozenset(self._number[each] for each in (axiom, *self.needed.get(axiom, ())))

    def stating(self, fact: Triple) -> list[Origin]:
        """Return the axioms that state a fact; literals are compared by value."""
        return self._stating.get(_by_value(fact), [])

    def translation_of(self, axioms: Iterable[Origin]) -> tuple[list[Rule], list[Triple]]:
        """Return the rules and the facts of some axioms and assertions. The cost is linear in the result."""
        made = [self._made[axiom] for axiom in axioms]
        facts = dict.fromkeys(fact for _, facts in made for fact in facts)
        return [rule for rules, _ in made for rule in rules], list(facts)

    def among(self, numbers: Iterable[int]) -> tuple[Origin, ...]:
        """Return the axioms with these numbers."""
        return tuple(self.axioms[number - _AXIOMS] for number in sorted(numbers))


@dataclass(frozen=True)
class SupportSearch:
    """Search for the justifications of facts and contradictions of a closure."""

    index: AxiomIndex
    limits: Budget
    budget: StepBudget

    def verdict(self, closure: AssertionClosure, goal: Goal) -> Verdict:
        """Return the justifications of a goal.

        Raises:
            BudgetExceeded: the search exceeds the budget.
        """
        found = closure.derivations(goal, self.limits.instances, self.budget)
        return FAILS if found is None else self._supports(found)

    def _supports(self, found: Derivations) -> Verdict:
        stated = [
            (row, self.index.numbers(axiom))
            for row, fact in found.facts.items()
            for axiom in self.index.stating(fact)
        ]
        unstated = found.facts.keys() - {row for row, _ in stated}
        needs = {
            each: self.index.numbers(None if each.rule == NONE else found.rules[each.rule].origin)
            for each in found.instances
        }
        alone = RuleInstances(tuple(each for each in found.instances if not needs[each]))
        free = alone.heights([*found.free, *unstated])
        if found.goal in free:
            return HOLDS
        bodies = [(row, tuple(axioms)) for row, axioms in stated if row not in free]
        bodies += [
            (each.head, (*needs[each], *dict.fromkeys(row for row in each.body if row not in free)))
            for each in found.instances
            if each.head not in free
        ]
        self.budget.spend(len(bodies))
        axioms = sorted({number for _, body in bodies for number in body if number >= _AXIOMS})
        supports = minimal_supports(axioms, bodies, self.budget)
        return frozenset(supports[found.goal].sets) if found.goal in supports else FAILS


def _with_origin(rule: Rule) -> Rule:
    return Rule(rule.name, rule.body, rule.head, rule.different, Origin(str(rule)), rule.tests)


def assertion_of(fact: Triple) -> Origin:
    """Return an assertion in functional-style syntax."""
    subject, predicate, object_ = fact
    if predicate in ONLY_TYPE:
        text = f"ClassAssertion({short(object_)} {short(subject)})"
    elif predicate in _OF_INDIVIDUALS:
        text = f"{_OF_INDIVIDUALS[predicate]}({short(subject)} {short(object_)})"
    else:
        kind = "Data" if isinstance(object_, Literal) else "Object"
        text = f"{kind}PropertyAssertion({short(predicate)} {short(subject)} {short(object_)})"
    about = subject if isinstance(subject, URIRef) else None
    return Origin(text, subject=about, names=NO_NAMES, stated=fact)


_OF_INDIVIDUALS: Mapping[Term, str] = {
    OWL.sameAs: "SameIndividual",
    OWL.differentFrom: "DifferentIndividuals",
}


def _by_value(fact: Triple) -> object:
    subject, predicate, object_ = fact
    return subject, predicate, value_of(object_)
