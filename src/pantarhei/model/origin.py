"""Where a rule comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from rdflib import URIRef

from pantarhei.model.shown import ShownNames


@dataclass(frozen=True, slots=True)
class Origin:
    """The axiom that a rule comes from, and where it is written.

    Origins are equal if their axioms are the same text: rules read from a copy of a file are the same rules.

    Args:
        axiom: in OWL's functional-style syntax; where no ontology says it, in words (`what equality is`).
        source: the file, as its path was given; None for what was read from an object or is in no ontology.
        line: the line of the file, from 1, in N-Triples, N-Quads and OWL/XML; None in other syntaxes.
        subject: the subject of the axiom's main triple; None for a blank node.
        names: how the ontology's texts show names, the axiom's among them; None for what is in no ontology.

    >>> str(Origin("SubClassOf(A B)", "plant.nt", 7))
    'SubClassOf(A B)'
    """

    axiom: str
    source: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
    subject: URIRef | None = field(default=None, compare=False)
    names: ShownNames | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.axiom
