"""One proof of a violation or a fact, from the rule instances that can take part in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pantarhei.encoding.numbers import NONE
from pantarhei.language.rule import Rule, names_of
from pantarhei.language.shown import told_apart
from pantarhei.language.term import Triple, short
from pantarhei.materialize.model import Lineage, WindowModel


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A fact and what it follows from.

    Args:
        fact: what is concluded; None for ⊥.
        rule: the rule applied; None where the fact is given: asserted or assumed.
        premises: the steps that the rule's body is matched to, by their place in the proof.
    """

    fact: Triple | None
    rule: Rule | None = None
    premises: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """Steps, each after its premises; the last one is what is proved.

    `str` writes one numbered line a step.
    """

    steps: tuple[ProofStep, ...]

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The facts that the last step rests on directly."""
        return tuple(fact for i in self.steps[-1].premises if (fact := self.steps[i].fact) is not None)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules applied, in order, each once."""
        return tuple(dict.fromkeys(step.rule for step in self.steps if step.rule is not None))

    def lines(self) -> list[str]:
        """The steps as text."""
        names = names_of(self.rules)
        return told_apart(
            lambda: [f"{number}. {_line(step)}" for number, step in enumerate(self.steps, 1)], names
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _line(step: ProofStep) -> str:
    fact = "⊥" if step.fact is None else " ".join(map(short, step.fact))
    if step.rule is None:
        return f"{fact}  (given)"
    from_ = ", ".join(str(i + 1) for i in step.premises)
    return f"{fact}  (from {from_} by {step.rule.name}, {step.rule.axiom})"


def proof_of_violation(model: WindowModel, most: int = 1_000_000) -> Proof | None:
    """A proof of one of the violations that `model` noted, None if it noted none. Costs their lineage.

    The model must hold what can be asserted at levels of the window: the facts of its background are not
    explained.
    """
    lineage = model.lineage(most)
    if lineage is None:
        return None
    number, *body = lineage.violations[0].tolist()
    rows = [row for row in body if row != NONE]
    return _Extraction(model, lineage).proof(rows, model.program.rules[number])


class _Extraction:
    """Chooses for each row one instance whose premises were there before it."""

    def __init__(self, model: WindowModel, lineage: Lineage) -> None:
        self._rules = model.program.rules
        triples = model.vocabulary.decode(lineage.facts)
        self._triples = dict(zip(lineage.rows.tolist(), triples, strict=True))
        asserted = (lineage.bases >= 0) | lineage.background
        self._known: dict[int, tuple[int, tuple[int, ...]] | None] = {
            row: None for row, given in zip(lineage.rows.tolist(), asserted.tolist(), strict=True) if given
        }
        self._apply(lineage)

    def _apply(self, lineage: Lineage) -> None:
        """Forward chaining over the instances: each row gets the first instance that derives it."""
        instances = [
            (head, rule, tuple(row for row in body if row != NONE))
            for head, rule, *body in lineage.instances.tolist()
        ]
        users: dict[int, list[int]] = {}
        missing = []
        for i, (_, _, body) in enumerate(instances):
            needed = set(body) - self._known.keys()
            missing.append(len(needed))
            for row in needed:
                users.setdefault(row, []).append(i)
        ready = [i for i, count in enumerate(missing) if not count]
        for i in ready:
            head, rule, body = instances[i]
            if head in self._known:
                continue
            self._known[head] = (rule, body)
            for user in users.get(head, ()):
                missing[user] -= 1
                if not missing[user]:
                    ready.append(user)

    def proof(self, rows: Sequence[int], constraint: Rule) -> Proof:
        """The proof of the rows, and ⊥ from them."""
        places: dict[int, int] = {}
        steps: list[ProofStep] = []
        for row in self._in_order(rows):
            derived = self._known[row]
            rule, premises = (None, ()) if derived is None else (self._rules[derived[0]], derived[1])
            places[row] = len(steps)
            steps.append(ProofStep(self._triples[row], rule, tuple(places[p] for p in premises)))
        steps.append(ProofStep(None, constraint, tuple(places[row] for row in rows)))
        return Proof(tuple(steps))

    def _in_order(self, rows: Sequence[int]) -> Iterator[int]:
        """The rows and what they rest on, premises first."""
        done: set[int] = set()
        work = [(row, False) for row in reversed(rows)]
        while work:
            row, visited = work.pop()
            if row in done:
                continue
            derived = self._known[row]
            if visited or derived is None:
                done.add(row)
                yield row
            else:
                work.append((row, True))
                work += [(premise, False) for premise in reversed(derived[1]) if premise not in done]
