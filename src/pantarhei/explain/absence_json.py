"""Absences as what JSON can say; docs/explanations.md has the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pantarhei.proofs.json_form import Json, fact_as_json, ticks_as_json, time_as_json
from pantarhei.proofs.sentences import sentence
from pantarhei.proofs.temporal import NotConcluded
from pantarhei.rdf.ntriples import write_term

if TYPE_CHECKING:
    from pantarhei.explain.absence import Absence, Gone, UnknownName, WouldHold
    from pantarhei.repair.result import Conflict


def json_of(absence: Absence) -> Json:
    """The absence with all its facts whole: terms in N-Triples' syntax, datetimes in that of ISO 8601."""
    return {
        "text": absence.said(absence.labels),
        "fact": fact_as_json(absence.triple),
        **({} if absence.atom is None else {"atom": str(absence.atom)}),
        "at": time_as_json(absence.at),
        "complete": absence.complete,
        "concluded": absence.concluded,
        "asserted": absence.asserted,
        "unknown": list(map(unknown, absence.unknown)),
        "gone": list(map(_gone, absence.gone)),
        "ways": _ways(absence, absence.ways),
        "beyond": _ways(absence, absence.beyond),
        **({"lost": absence.lost} if absence.lost else {}),
        **({"entailed": True} if absence.entailed else {}),
        "temporal": list(map(_not_concluded, absence.temporal)),
    }


def unknown(name: UnknownName) -> Json:
    """Return an unknown name with the similar known ones."""
    return {"kind": name.kind, "name": write_term(name.name), "nearest": list(map(write_term, name.nearest))}


def _not_concluded(given: NotConcluded) -> Json:
    bindings = {str(name): write_term(term) for name, term in given.bindings}
    told: Json = {"rule": given.rule.name, "axiom": given.rule.axiom, "bindings": bindings}
    return told | (
        {"test": given.lacking} if isinstance(given.lacking, str) else ticks_as_json(given.lacking)
    )


def _ways(absence: Absence, ways: Sequence[WouldHold]) -> list[Json]:
    return [
        {
            "missing": [
                {
                    "fact": fact_as_json(each.triple),
                    "text": sentence(each.triple, absence.labels),
                    "gone": list(map(_gone, each.gone)),
                }
                for each in way.missing
            ],
            "present": list(map(fact_as_json, way.present)),
            "rule": way.rule.name,
            "axiom": way.rule.axiom,
            "contradicted": way.is_contradicted,
            "conflicts": list(map(_conflict, way.conflicts)),
            "proof": way.proof.labelled(absence.labels).to_json(),
        }
        for way in ways
    ]


def _gone(gone: Gone) -> Json:
    return {
        "asserted_at": time_as_json(gone.asserted_at),
        "left_at": time_as_json(gone.left_at),
        "left_early": gone.left_early,
        "removed_at": time_as_json(gone.removed_at),
        "conflicts": list(map(_conflict, gone.conflicts)),
    }


def _conflict(conflict: Conflict) -> Json:
    assertions = [[time_as_json(at), *(fact_as_json(triple) or ())] for at, triple in conflict.assertions]
    return {
        "assertions": sorted(assertions, key=str),
        "constraints": [rule.axiom for rule in conflict.constraints],
        "proofs": [proof.to_json() for proof in conflict.proofs],
    }
