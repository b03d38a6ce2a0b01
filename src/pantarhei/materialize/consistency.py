"""Whether facts that are never repaired break a constraint."""

from __future__ import annotations

from collections.abc import Iterable

from pantarhei.errors import InconsistentOntologyError
from pantarhei.language.rule import Rule
from pantarhei.language.term import Triple, in_order
from pantarhei.materialize.model import WindowModel
from pantarhei.materialize.vocabulary import Vocabulary
from pantarhei.rules.program import NONE, compile_


def refuse_inconsistent(rules: Iterable[Rule], background: Iterable[Triple]) -> None:
    """Raise if the closure of `background` violates a constraint among `rules`.

    Raises:
        InconsistentOntologyError: it does; the error names the constraint, its axiom and the facts.
    """
    program = compile_(rules)
    model = WindowModel(program, "newest", Vocabulary(program))
    model.add_background(model.vocabulary.encode(in_order(background)))
    refuse_violations(model)


def refuse_violations(model: WindowModel) -> None:
    """Raise if the model noted a violation since it was last asked.

    Raises:
        InconsistentOntologyError: it did.
    """
    violated = model.violations()
    if not len(violated):
        return
    number, *body = violated[0].tolist()
    facts = model.facts_of([row for row in body if row != NONE])
    statements = [" ".join(term.n3() for term in triple) for triple in model.vocabulary.decode(facts)]
    rule = model.program.rules[number]
    raise InconsistentOntologyError(f"{rule.name}: {rule}", statements, rule.origin or str(rule))
