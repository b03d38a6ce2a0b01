"""Why an ontology entails something, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rdflib import URIRef

from pantarhei.explain.entailment.closure import is_fresh
from pantarhei.model.rule import Origin
from pantarhei.proofs.json_form import Json
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.sentences import Labels
from pantarhei.rdf.pickling import exactly


@dataclass(frozen=True)
class Entailment:
    """Why an ontology entails an axiom: what follows when its condition is supposed of something.

    Args:
        statement: what is entailed, in words.
        proofs: one for each part that there is something to prove of; none where it holds by itself.
    """

    statement: str
    proofs: tuple[Proof, ...]

    @classmethod
    def of(cls, statement: str, proofs: Iterable[Proof], labels: Labels) -> Entailment:
        """The entailment by proofs; what was made up for a supposition is called `something`."""
        found = list(proofs)
        terms = {term for proof in found for step in proof.steps for term in step.fact or ()}
        made_up = {term: "something" for term in terms if isinstance(term, URIRef) and is_fresh(term)}
        return cls(statement, tuple(proof.labelled({**labels, **made_up}) for proof in found))

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms that it follows from, in order, each once, with where they are written."""
        return tuple(dict.fromkeys(axiom for proof in self.proofs for axiom in proof.axioms))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def to_json(self) -> Json:
        """Return the statement and its proofs as a dictionary for `json.dumps`."""
        return {"text": self.statement, "proofs": [proof.to_json() for proof in self.proofs]}

    def _lines(self) -> Iterator[str]:
        yield f"{self.statement}:"
        yield from map(str, self.proofs or ("It holds by itself, whatever the ontology says.",))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Entailment, self.statement, self.proofs)
