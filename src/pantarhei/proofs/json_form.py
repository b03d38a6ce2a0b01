"""Proofs as what JSON can say; docs/explanations.md has the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.telling import Telling
from pantarhei.proofs.temporal import Concluded, Condition, Said, Temporal
from pantarhei.rdf.ntriples import write_term

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof, ProofStep

Json = dict[str, object]


def json_of(proof: Proof) -> Json:
    """The proof with all its facts whole: terms in the syntax of N-Triples, datetimes in that of ISO 8601."""
    telling = Telling(proof)
    return telling.told(
        lambda: {
            "text": telling.fact(proof.steps[-1]),
            "fact": fact_as_json(proof.triple),
            "timestamp": time_as_json(proof.timestamp),
            "complete": proof.complete,
            "steps": [_step(telling, step) for step in proof.steps],
        }
    )


def fact_as_json(fact: Triple | None) -> list[str] | None:
    """Subject, predicate and object."""
    return None if fact is None else list(map(write_term, fact))


def time_as_json(at: TimePoint | None) -> float | str | None:
    """A number as it is, a datetime as text."""
    return at if at is None or isinstance(at, int | float) else at.isoformat()


def _step(telling: Telling, step: ProofStep) -> Json:
    said: Json = {
        "fact": fact_as_json(step.fact),
        "text": telling.fact(step),
        "kind": step.kind.value,
    }
    if step.at is not None:
        said["at"] = time_as_json(step.at)
    if step.temporal is not None:
        said |= ticks_as_json(step.temporal)
    if step.rule is not None:
        said |= {"rule": step.rule.name, "axiom": _axiom(step.rule)}
    if step.rule is not None or isinstance(step.temporal, Condition):
        said["premises"] = list(step.premises)
    return said


def ticks_as_json(said: Temporal) -> Json:
    """What a step says of temporal rules."""
    when: Json = {"atom": str(said.atom), "from": time_as_json(said.first), "until": time_as_json(said.last)}
    match said:
        case Concluded():
            return when | {"bindings": {str(name): write_term(term) for name, term in said.bindings}}
        case Condition():
            return when | {"condition": str(said.formula), "times": list(map(time_as_json, said.times))}
        case Said():
            return when | {"known": said.known.value}


def _axiom(rule: Rule) -> Json:
    origin = rule.origin or Origin(rule.axiom)
    where = {"file": origin.source, "line": origin.line, "subject": origin.subject and str(origin.subject)}
    return {"text": origin.axiom, **{key: value for key, value in where.items() if value is not None}}
