"""Definition of proofs, as a checker.

A proof is a sequence of steps. Each step states a fact that no other step states: a given fact, asserted by
the stream or in the background, or the head of a rule instance whose body facts are stated by earlier steps.
The last step states the conclusion, and every other step is a premise of a later one. So no fact depends on
itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from oracle.canonical_literals import canonical_facts, canonical_triple
from oracle.conflicts import Assertion
from oracle.explanations.supports import Conclusion, Support, newest_occurrences
from oracle.materialization import instances
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple


class StepLike(Protocol):
    """Fact with its justification.

    Attributes:
        fact: None for ⊥.
        rule: the rule that derives the fact; None if the fact is given.
        premises: the indexes of the steps that instantiate the rule's body atoms, in the body's order.
        at: the newest timestamp at which the stream asserts the fact; None if it is background or derived.
    """

    @property
    def fact(self) -> Conclusion: ...
    @property
    def rule(self) -> Rule | None: ...
    @property
    def premises(self) -> Sequence[int]: ...
    @property
    def at(self) -> object: ...


class ProofLike(Protocol):
    """Steps, each after its premises; the last one states the conclusion."""

    @property
    def steps(self) -> Sequence[StepLike]: ...


class WrongProofError(ValueError):
    """A proof is invalid.

    Args:
        place: the index of the first wrong step.
        reason: its error.
    """

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(place, reason)
        self.place, self.reason = place, reason

    def __str__(self) -> str:
        return f"step {self.place}: {self.reason}"


def check_proof(
    proof: ProofLike,
    rules: Iterable[Rule],
    assertions: Collection[Assertion],
    background: Collection[Triple],
    conclusion: Conclusion,
) -> None:
    """Check that `proof` derives `conclusion` by these rules from these facts; literals are compared by
    value.

    Raises:
        WrongProofError: the proof is invalid.
    """
    allowed, newest = frozenset(rules), newest_occurrences(assertions)
    always = canonical_facts(background)
    stated: list[Conclusion] = []
    for place, step in enumerate(proof.steps):
        fact = _canonical(step.fact)
        if fact in stated:
            raise WrongProofError(place, f"{fact} is stated by step {stated.index(fact)} already")
        if step.rule is None:
            _check_given(place, step, newest, always)
        else:
            _check_concluded(place, step, step.rule, allowed, stated)
        stated.append(fact)
    last = len(stated) - 1
    if last < 0 or stated[last] != _canonical(conclusion):
        raise WrongProofError(last, f"{conclusion} is to be proved and not what the last step states")
    used = {premise for step in proof.steps for premise in step.premises}
    for place in range(last):
        if place not in used:
            raise WrongProofError(place, "no later step uses it")


def _check_given(place: int, step: StepLike, newest: Support, background: Collection[Triple]) -> None:
    """Check a given fact: it has no premises, and its timestamp is its newest assertion's, or it is
    background.
    """
    fact = _canonical(step.fact)
    if step.premises:
        raise WrongProofError(place, "it has premises and no rule")
    if step.at is None and fact not in background:
        raise WrongProofError(place, f"{fact} is not in the background")
    if step.at is not None and (step.at, fact) not in newest:
        raise WrongProofError(place, f"{step.at} is not the newest timestamp that asserts {fact}")


def _check_concluded(
    place: int, step: StepLike, rule: Rule, allowed: Collection[Rule], before: Sequence[Conclusion]
) -> None:
    """Check a derived fact: some instance of its rule has this head, and the premises, in order, as body."""
    if rule not in allowed:
        raise WrongProofError(place, f"{rule} is not among the rules")
    if step.at is not None:
        raise WrongProofError(place, f"{step.at} is the timestamp of a fact that is concluded")
    if not all(0 <= premise < place for premise in step.premises):
        raise WrongProofError(place, f"not all of its premises {[*step.premises]} stand before it")
    body = [before[premise] for premise in step.premises]
    facts = [fact for fact in body if fact is not None]
    found = [(list(premises), head) for _, premises, head in instances([rule], facts)]
    if (body, _canonical(step.fact)) not in found:
        raise WrongProofError(place, f"{step.fact} from {body} is no instance of {rule}")


def _canonical(fact: Conclusion) -> Conclusion:
    return None if fact is None else canonical_triple(fact)
