"""Explanations and denials of what an ontology entails, without a stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from pantarhei.cli.run_options import Explaining
from pantarhei.cli.written_proofs import written
from pantarhei.errors import EntailedError, NotEntailedError
from pantarhei.explain import absence_json
from pantarhei.explain.absence import UnknownName
from pantarhei.model.term import Triple
from pantarhei.rdf.ntriples import write_triple

if TYPE_CHECKING:
    import pantarhei as pr


def with_facts(ontology: pr.Ontology, background: Sequence[Triple]) -> pr.Ontology:
    """Return the ontology with the background's facts among its assertions."""
    if not background:
        return ontology
    triples = (*ontology.triples, *background)
    return replace(ontology, background=ontology.background | {*background}, triples=triples)


def explained_by(ontology: pr.Ontology, asked: Sequence[Triple], options: Explaining) -> str:
    """Explain an axiom or fact that the ontology entails.

    Raises:
        NotEntailedError: it is not entailed, and --why-not is not given.
        EntailedError: it is entailed, and --why-not is given; standard output has the explanation.
        BadParameter: a picture is to show several proofs, or none.
    """
    if options.all:
        problem = "what an ontology entails has one explanation; leave it out"
        raise typer.BadParameter(problem, param_hint="--all")
    try:
        found = ontology.explain(asked)
    except NotEntailedError as error:
        if not options.why_not:
            raise
        return _denial(error, options)
    if options.why_not:
        if options.form == "text":
            sys.stdout.write(f"The ontology entails this; here is why:\n{found}\n")
        raise EntailedError("; ".join(map(write_triple, asked)))
    if options.form == "text":
        return f"{found}\n"
    if options.form == "json":
        return json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
    if options.form == "svg" and len(found.proofs) != 1:
        problem = f"a picture shows one proof, and this has {len(found.proofs)}; give --format text"
        raise typer.BadParameter(problem, param_hint="--format")
    return written(found.proofs, options)


def _denial(error: NotEntailedError, options: Explaining) -> str:
    """Write why an axiom is not derived, as text or JSON."""
    if options.form == "text":
        return f"{error}\n"
    unknown = [absence_json.unknown(each) for each in error.unknown if isinstance(each, UnknownName)]
    said = {"text": error.statement, "reason": error.reason, "unknown": unknown, "lost": error.lost}
    return json.dumps(said, ensure_ascii=False, indent=2) + "\n"
