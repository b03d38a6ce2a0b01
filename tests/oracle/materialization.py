"""Materialization of a set of facts: the least superset that is closed under the rules.

For the rules of an OWL 2 RL ontology this is the canonical model of PB26 Definition 1. A class atom `C(x)` is
the triple `(x, rdf:type, C)`. Heads with a literal as subject or as class are not derived. Recursion through
computed values does not terminate, since the fixpoint is infinite.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from rdflib import RDF, Literal, Variable

from oracle.canonical_literals import canonical_facts, canonical_rule, canonical_term
from pantarhei.model.rule import Argument, Atom, Different, Member, Rule, Test
from pantarhei.model.term import Term, Triple
from pantarhei.values.membership import passes
from pantarhei.values.scalar_functions import SWRLB, compute, holds, is_computation
from pantarhei.values.value import value_of

Instance = tuple[Rule, tuple[Triple, ...], Triple | None]

_Binding = Mapping[Variable, Term]
_Key = tuple[Term, int] | tuple[Term, int, int, Term]
_Index = Mapping[_Key, Sequence[tuple[tuple[Term, ...], Triple]]]


def closure(rules: Iterable[Rule], facts: Iterable[Triple]) -> frozenset[Triple]:
    """Return all facts that follow from `facts`, including `facts`; constraints derive nothing.

    Naive fixpoint (PB26 Definition 1): apply every rule to all facts until nothing is new.

    >>> from rdflib import Namespace
    >>> EX, x = Namespace("http://example.org/"), Variable("x")
    >>> subclass = Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,)))
    >>> closure([subclass], [(EX.a, RDF.type, EX.A)]) == {(EX.a, RDF.type, EX.A), (EX.a, RDF.type, EX.B)}
    True
    """
    return _closure(tuple(rule for rule in rules if not rule.is_constraint), canonical_facts(facts))


def instances(rules: Iterable[Rule], facts: Iterable[Triple]) -> Iterator[Instance]:
    """Yield every instance of a rule or constraint whose body holds in `facts`.

    Yields: The given rule, its ground body in the rule's order, and its ground head, which is None for a
    constraint. Instances that fail an inequality or a test of the rule, or whose head would have a literal as
    subject or as class, are left out.
    """
    index = _by_predicate(canonical_facts(facts))
    for rule in rules:
        compared = canonical_rule(rule)
        for body, matched in _matches(compared.body, index, {}):
            binding = run_tests(compared.tests, matched)
            if binding is None or not all(_differ(pair, binding) for pair in compared.different):
                continue
            head = None if compared.head is None else compared.head.ground(binding)
            if head is None or not _is_malformed(head):
                yield rule, body, head


def is_consistent(rules: Iterable[Rule], facts: Iterable[Triple]) -> bool:
    """True if no constraint has an instance in the closure of `facts`."""
    return _is_consistent(tuple(rules), canonical_facts(facts))


@lru_cache(maxsize=4096)
def _closure(rules: tuple[Rule, ...], facts: frozenset[Triple]) -> frozenset[Triple]:
    known = facts
    while True:
        heads = frozenset(head for _, _, head in instances(rules, known) if head is not None)
        if heads <= known:
            return known
        known |= heads


@lru_cache(maxsize=16384)
def _is_consistent(rules: tuple[Rule, ...], facts: frozenset[Triple]) -> bool:
    constraints = [rule for rule in rules if rule.is_constraint]
    return not constraints or next(instances(constraints, closure(rules, facts)), None) is None


def _by_predicate(facts: Iterable[Triple]) -> _Index:
    """Index the argument tuples of facts by predicate and arity, and further by the term at an argument
    position. Class memberships are indexed under both arities.
    """
    index: defaultdict[_Key, list[tuple[tuple[Term, ...], Triple]]] = defaultdict(list)
    for triple in facts:
        subject, predicate, object_ = triple
        atoms: list[tuple[Term, tuple[Term, ...]]] = [(predicate, (subject, object_))]
        if predicate == RDF.type:
            atoms.append((object_, (subject,)))
        for symbol, arguments in atoms:
            index[symbol, len(arguments)].append((arguments, triple))
            for place, term in enumerate(arguments):
                index[symbol, len(arguments), place, term].append((arguments, triple))
    return index


def _matches(
    atoms: tuple[Atom, ...], index: _Index, binding: _Binding
) -> Iterator[tuple[tuple[Triple, ...], _Binding]]:
    """Yield all extensions of `binding` with which every atom holds, with the instantiated triples."""
    if not atoms:
        yield (), binding
        return
    first, rest = atoms[0], atoms[1:]
    known = [binding.get(each, each) if isinstance(each, Variable) else each for each in first.arguments]
    predicate, arity = first.predicate, len(known)
    found = [index.get((predicate, arity), ())]
    for place, each in enumerate(known):
        if not isinstance(each, Variable):
            found.append(index.get((predicate, arity, place, each), ()))
    for arguments, triple in min(found, key=len):
        extended = unify(first.arguments, arguments, binding)
        if extended is not None:
            for triples, complete in _matches(rest, index, extended):
                yield (triple, *triples), complete


def _is_malformed(triple: Triple) -> bool:
    """True if the subject is a literal, or the object of rdf:type is one."""
    subject, predicate, object_ = triple
    return isinstance(subject, Literal) or (predicate == RDF.type and isinstance(object_, Literal))


def unify(pattern: tuple[Argument, ...], terms: tuple[Term, ...], binding: _Binding) -> _Binding | None:
    """Return `binding` extended so that `pattern` equals `terms`, or None if that is impossible."""
    extended = dict(binding)
    for argument, term in zip(pattern, terms, strict=True):
        expected = extended.setdefault(argument, term) if isinstance(argument, Variable) else argument
        if expected is not term and expected != term:
            return None
    return extended


def run_tests(tests: tuple[Test, ...], binding: _Binding) -> _Binding | None:
    """Return `binding` extended by the values computed by the tests, in order, or None if a test fails.

    A value computed for a bound variable must equal its binding.
    """
    bound = dict(binding)
    for test in tests:
        if isinstance(test, Member):
            if not _is_passed(test, bound):
                return None
            continue
        if not is_computation(test):
            if not holds(test.name, *(_value(each, bound) for each in test.arguments)):
                return None
            continue
        result, *operands = test.arguments
        found = compute(test.name, *(_value(each, bound) for each in operands))
        if found is None:
            return None
        if isinstance(result, Variable) and result not in bound:
            bound[result] = canonical_term(found)
        elif not holds(SWRLB.equal, found, _value(result, bound)):
            return None
    return bound


def _is_passed(test: Member, binding: _Binding) -> bool:
    term = _value(test.argument, binding)
    return isinstance(term, Literal) and passes(test, term)


def _differ(pair: Different, binding: _Binding) -> bool:
    return value_of(_value(pair.left, binding)) != value_of(_value(pair.right, binding))


def _value(argument: Argument, binding: _Binding) -> Term:
    return binding[argument] if isinstance(argument, Variable) else argument
