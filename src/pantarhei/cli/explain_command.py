"""What `pantarhei explain` says: why a triple holds at a time of a stream, or why it does not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyoxigraph
import typer
from rdflib import BNode, Graph

from pantarhei.cli.concluded import check_feedback, rules_from
from pantarhei.cli.follow import FileSource, knowledge_of, reasoner_of
from pantarhei.cli.run_options import Explaining
from pantarhei.cli.summary import Followed
from pantarhei.errors import MalformedInputError, NotEntailedError, TemporalRuleError
from pantarhei.explainer import LIMIT, WAYS
from pantarhei.language.temporal_rule import Mode, TemporalAtom
from pantarhei.language.term import Triple
from pantarhei.rdf.ntriples import to_rdflib
from pantarhei.rdf.parse import parser_errors
from pantarhei.temporal.rules import load_rules

if TYPE_CHECKING:
    import pantarhei as pr


def explain(options: Explaining) -> None:
    """Follow the stream to the time that is asked about, and say why the triple holds then, or does not.

    Raises:
        NotEntailedError, EntailedError: it does not hold then, or does.
        PantarheiError: an option, the ontology or the stream is not as it should be.
        OSError: a file cannot be read or written.
    """
    if options.format == "svg" and options.all:
        raise typer.BadParameter("a picture has one explanation; dot has all", param_hint="--all")
    if options.why_not and (options.all or options.format not in ("text", "json")):
        problem = "what does not hold is told as text or json, and without --all"
        raise typer.BadParameter(problem, param_hint="--why-not")
    check_feedback(options.feedback, options.rules)
    until, (ontology, background, prefixes) = options.time_of_question, knowledge_of(options)
    rules = None if options.rules is None else rules_from(options.rules, ontology, options.feedback)
    known = {**({} if rules is None else rules.prefixes), **prefixes, **dict(ontology.names.prefixes)}
    atom = None if rules is None else read_atom(options.triple, known)
    asked = read_triple(options.triple, known) if atom is None else atom
    reasoner = reasoner_of(options, ontology, background, None, rules)
    counts = Followed()
    for _ in FileSource(options, until).updates(reasoner, counts):
        """Only how things stand at the end is asked for."""
    if until is not None and counts.newest is None:
        raise typer.BadParameter("the stream has nothing at or before that time", param_hint="--at")
    if until is not None and counts.newest != until:
        reasoner.advance(until)
    try:
        text = (_why_not if options.why_not else _why)(reasoner, asked, options)
    except NotEntailedError as error:
        raise NotEntailedError(error.statement, error.at, "--why-not says what is missing") from None
    if options.output is None:
        sys.stdout.write(text)
    else:
        Path(options.output).write_text(text, encoding="utf-8")


def _why(reasoner: pr.StreamReasoner, asked: Triple | TemporalAtom, options: Explaining) -> str:
    limit = options.limit or LIMIT
    if options.all:
        return _said(reasoner.explain(asked, all=True, limit=limit), options)
    return _said((reasoner.explain(asked, limit=limit),), options)


def _why_not(reasoner: pr.StreamReasoner, asked: Triple | TemporalAtom, options: Explaining) -> str:
    limit = WAYS if options.limit is None else options.limit
    absence = reasoner.why_not(asked, limit=limit)
    if options.format == "json":
        return json.dumps(absence.to_json(), ensure_ascii=False, indent=2) + "\n"
    return f"{absence}\n"


def read_atom(text: str, prefixes: Mapping[str, str]) -> TemporalAtom | None:
    """The atom that a text says as temporal rules write it; None if it says none.

    >>> str(read_atom("level(:a, 7)", {"": "http://example.org/"}))
    'level(a, 7)'
    """
    try:
        (rule,) = load_rules(f"{text.strip().removesuffix('.')}.\n", prefixes=prefixes).rules
    except (TemporalRuleError, ValueError):
        return None
    return rule.head.atom if not rule.body and rule.head.mode is Mode.NOW else None


def read_triple(text: str, prefixes: Mapping[str, str]) -> Triple:
    """The one triple that a text says in Turtle.

    Raises:
        BadParameter: it says none, several, or one with a blank node.
    """
    declared = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
    ended = text if text.rstrip().endswith(".") else f"{text} ."
    try:
        with parser_errors(text):
            found = [
                (to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object))
                for quad in pyoxigraph.parse(f"{declared}{ended}", pyoxigraph.RdfFormat.TURTLE)
            ]
    except MalformedInputError as error:
        known = ", ".join(f"{prefix}:" for prefix in sorted(prefixes)) or "none"
        problem = f"{text} is no triple in Turtle: {error.reason}; the prefixes are {known}"
        raise typer.BadParameter(problem, param_hint="TRIPLE") from None
    if len(found) != 1:
        raise typer.BadParameter(f"one triple is asked for, not {len(found)}: {text}", param_hint="TRIPLE")
    if any(isinstance(term, BNode) for term in found[0]):
        problem = f"{text} has a blank node, which has no name outside its document"
        raise typer.BadParameter(problem, param_hint="TRIPLE")
    return found[0]


def _said(proofs: tuple[pr.Proof, ...], options: Explaining) -> str:
    """The explanations in the form that is asked for."""
    match options.format:
        case "json":
            said = [proof.to_json() for proof in proofs]
            return json.dumps(said if options.all else said[0], ensure_ascii=False, indent=2) + "\n"
        case "rdf":
            graph = Graph()
            for proof in proofs:
                one = proof.to_rdf()
                for prefix, iri in one.namespaces():
                    graph.bind(prefix, iri)
                graph += one
            return graph.serialize(format="turtle")
        case "dot":
            return "".join(proof.to_dot() for proof in proofs)
        case "svg":
            return proofs[0].to_svg() + "\n"
    return "\n".join(_texts(proofs))


def _texts(proofs: tuple[pr.Proof, ...]) -> Iterator[str]:
    for number, proof in enumerate(proofs, 1):
        if len(proofs) > 1:
            yield f"Explanation {number} of {len(proofs)}"
        yield f"{proof}\n"
