"""Commands `pantarhei explain` and `pantarhei timeline`.

`explain` explains a statement by an ontology alone, or at one time of a stream; `timeline` draws a stream.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rdflib import OWL, URIRef

from pantarhei.cli.conclusion_output import check_feedback, read_rules
from pantarhei.cli.follow import FileSource, make_reasoner, read_knowledge
from pantarhei.cli.given_values import format_by_suffix, refuse_unwritable
from pantarhei.cli.run_options import ExplainOptions, TimelineOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.errors import EntailedError, MalformedInputError, NotEntailedError
from pantarhei.explain.explainer import LIMIT, WAYS
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, kind_of, ticks_of
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.owl.background_axioms import has_axioms
from pantarhei.proofs.renderers import html_page, joined
from pantarhei.proofs.timeline import DrawnStep, timeline_svg
from pantarhei.rdf.ntriples import write_term, write_triple
from pantarhei.rdf.parse import check_fact, parse_statement
from pantarhei.temporal.rules import read_atom
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    import pantarhei as pr


_PROVED = "omit --why-not to see why it holds"
_MOST_STEPS = 60
_MOST_OF_A_STEP = 20


def draw(options: TimelineOptions) -> None:
    """Process the stream, and write a picture of its windows and repairs.

    Raises:
        PantarheiError: an option, the ontology or the stream is invalid.
        OSError: a file cannot be read or written.
    """
    refuse_unwritable(options.output, options.overwrite, "--overwrite")
    format_by_suffix(options.output, None, "svg", {".svg": "svg"}, None)
    check_feedback(options.feedback, options.rules)
    step, (first, last) = options.time_of_step, options.times
    ontology, background, _ = read_knowledge(options)
    rules = None if options.rules is None else read_rules(options.rules, ontology, options.feedback)
    reasoner = make_reasoner(options, ontology, background, rules=rules)
    updates = FileSource(options, last if step is None else step).updates(reasoner, RunCounts())
    if step is not None:
        if not (newest := deque(updates, 1)):
            raise typer.BadParameter("the stream has no step at or before this time", param_hint="--step")
        _write(newest[0].to_svg(reasoner.explain) + "\n", options.output)
        return
    if rules is not None:
        _write(rules.to_svg(updates, since=first) + "\n", options.output)
        return
    drawn, count = deque[DrawnStep](maxlen=_MOST_STEPS), 0
    for update in updates:
        if first is None or _is_from(update.at, first):
            count += 1
            drawn.append(_step(update, reasoner))
    if not drawn:
        problem = (
            "it has no steps between --from and --until" if options.first or options.last else "it is empty"
        )
        raise typer.BadParameter(problem, param_hint="--stream")
    text = timeline_svg(drawn, count - len(drawn)) + "\n"
    _write(text, options.output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _is_from(at: TimePoint, first: TimePoint) -> bool:
    kind = kind_of(at)
    return ticks_of(at, kind) >= ticks_of(first, kind)


def _step(update: pr.WindowUpdate, reasoner: pr.StreamReasoner) -> DrawnStep:
    """Describe a step for the picture: the removals, or the conflicts if nothing was removed."""
    kept, repair = Counter(dict.fromkeys(reasoner.timestamps, 0)), update.repair
    kept.update(at for at, _ in reasoner.assertions())
    removed = {triple for _, triple in repair.removed}
    conflicts = repair.conflicts[:_MOST_OF_A_STEP]
    if removed:
        found = repair.removals()
        conflicts = tuple(conflict for _, conflict in found if conflict is not None)
        notes = tuple(text for text, _ in found)
    else:
        notes = tuple(map(str, conflicts))
    links = {link: None for conflict in conflicts for link in _links(conflict, removed)}
    cut = Counter(at for at, _ in sorted(repair.removed, key=str))
    window = update.at, update.start, update.end
    return DrawnStep(*window, dict(sorted(kept.items())), cut, notes, tuple(sorted(links)))


def _links(conflict: pr.Conflict, removed: Collection[Triple]) -> Iterator[tuple[TimePoint, TimePoint]]:
    """Yield the times of each fact of a conflict that is removed, or of its first fact, with the times of the
    others.
    """
    members = sorted(conflict.assertions, key=lambda each: (each[0], write_triple(each[1])))
    first = [each for each in members if each[1] in removed] or members[:1]
    yield from ((at, other) for at, fact in first for other, against in members if against != fact)


def write_proofs(proofs: tuple[pr.Proof, ...], options: ExplainOptions) -> str:
    """Return proofs as text in the output format of the options."""
    match options.form:
        case "json":
            data = [proof.to_json() for proof in proofs]
            return json.dumps(data if options.all else data[0], ensure_ascii=False, indent=2) + "\n"
        case "rdf":
            return joined(proof.to_rdf() for proof in proofs).serialize(format="turtle")
        case "dot":
            return "".join(proof.to_dot() for proof in proofs)
        case "svg":
            return proofs[0].to_svg() + "\n"
        case "html":
            return html_page(options.triple, (proof._repr_html_() for proof in proofs))
    return "\n".join(_texts(proofs))


def _texts(proofs: tuple[pr.Proof, ...]) -> Iterator[str]:
    for number, proof in enumerate(proofs, 1):
        if len(proofs) > 1:
            yield f"Explanation {number} of {len(proofs)}"
        yield f"{proof}\n"


def with_facts(ontology: pr.Ontology, background: Sequence[Triple]) -> pr.Ontology:
    """Add background facts to the assertions of an ontology."""
    if not background:
        return ontology
    triples = (*ontology.triples, *background)
    return replace(ontology, background=ontology.background | {*background}, triples=triples)


def explain_statement(
    ontology: pr.Ontology, statement: Sequence[Triple] | URIRef, options: ExplainOptions
) -> str:
    """Explain an axiom or fact that the ontology entails, or the unsatisfiability of a class or property.

    Raises:
        NotEntailedError: the statement is not entailed, and --why-not is not given.
        EntailedError: the statement is entailed, and --why-not is given.
        OptionError: a picture of a tautology is requested.
    """
    try:
        found = ontology.explain(statement, all=options.all)
    except NotEntailedError as error:
        if not options.why_not:
            raise
        return _denial(error, options)
    if options.why_not:
        if isinstance(statement, URIRef):
            given = f"that {write_term(statement)} can have no instance"
        else:
            given = "; ".join(map(write_triple, statement))
        raise EntailedError(given, remedy=_PROVED)
    match options.form:
        case "json":
            return json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
        case "rdf":
            return found.to_rdf().serialize(format="turtle")
        case "dot":
            return found.to_dot()
        case "svg":
            return found.to_svg() + "\n"
        case "html":
            return html_page(options.triple, [found._repr_html_()])
    return f"{found}\n"


def _denial(error: NotEntailedError, options: ExplainOptions) -> str:
    """Return the reason why a statement is not entailed, as text or JSON."""
    if options.form == "text":
        return f"{error}\n"
    unknown = [each.to_json() for each in error.unknown if isinstance(each, UnknownName)]
    data = {"text": error.statement, "reason": error.reason, "unknown": unknown, "lost": error.lost}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


_NAME = re.compile(r"<[^<>\"\s]+>|[^\s<>\"():]*:[^\s<>\"()]+")


def explain(options: ExplainOptions) -> None:
    """Explain a statement by the ontology, or at one time of the stream.

    Raises:
        NotEntailedError: the statement does not hold.
        EntailedError: the statement holds, and --why-not is given.
        PantarheiError: an option, the ontology or the stream is invalid.
        OSError: a file cannot be read or written.
    """
    _check_usage(options)
    ontology, background, prefixes = read_knowledge(options)
    rules = None if options.rules is None else read_rules(options.rules, ontology, options.feedback)
    known = {**({} if rules is None else rules.prefixes), **prefixes, **dict(ontology.names.prefixes)}
    atom = None if rules is None else read_atom(options.triple, known)
    whole = with_facts(ontology, background)
    name = read_name(options.triple, known) if atom is None else None
    triples = read_statement(options.triple, known) if atom is None and name is None else []
    if name is not None:
        text = explain_statement(whole, name, options)
    elif triples and (has_axioms(triples) or _is_without_stream(options, whole, triples)):
        text = explain_statement(whole, triples, options)
    else:
        statement = single_fact(triples, options.triple) if atom is None else atom
        reasoner = make_reasoner(options, ontology, background, None if options.stream else Window(0), rules)
        if options.stream:
            _follow(options, reasoner)
        text = _of_window(reasoner, statement, options, whole)
    _write(text, options.output)


def _is_without_stream(options: ExplainOptions, ontology: pr.Ontology, statement: Sequence[Triple]) -> bool:
    """Return whether the statement is to be explained by the ontology alone, without a window.

    Even without a stream, missing facts are searched with a reasoner whose window is empty.
    """
    return not options.stream and not (options.why_not and not ontology.entails(statement))


def _check_usage(options: ExplainOptions) -> None:
    """Check the combination of options. Raises `BadParameter`, or `UnknownFormatError` for a suffix."""
    if options.form == "svg" and options.all and options.stream:
        problem = "a picture in SVG shows one explanation; write all of them in another format, such as dot"
        raise typer.BadParameter(problem, param_hint="--all")
    if options.why_not and (options.all or options.form not in ("text", "json")):
        problem = "its output is text or json; omit --all and other formats"
        raise typer.BadParameter(problem, param_hint="--why-not")
    check_feedback(options.feedback, options.rules)
    refuse_unwritable(options.output, options.overwrite, "--overwrite")
    of_streams = {"at": options.at, "rules": options.rules, "mapping": options.mapping}
    for option, given in of_streams.items():
        if given and not options.stream:
            problem = "it needs a stream; give --stream PATH, or omit it"
            raise typer.BadParameter(problem, param_hint=f"--{option}")


def _follow(options: ExplainOptions, reasoner: pr.StreamReasoner) -> None:
    """Process the stream up to the time given as `--at`."""
    until = options.time_of_question
    for _ in FileSource(options, until).updates(reasoner, RunCounts()):
        """Ignore the updates, since only the last state is explained."""
    times = reasoner.timestamps
    if until is not None and not times:
        problem = f"the stream begins after {options.at}; give a later time"
        raise typer.BadParameter(problem, param_hint="--at")
    if until is not None and times[-1] != until:
        reasoner.advance(until)


def _of_window(
    reasoner: pr.StreamReasoner,
    statement: Triple | TemporalAtom,
    options: ExplainOptions,
    ontology: pr.Ontology,
) -> str:
    """Explain why a fact holds in the window or not; equality of names is also explained by the ontology."""
    try:
        return (_why_not if options.why_not else _why)(reasoner, statement, options)
    except EntailedError as error:
        raise EntailedError(error.statement, error.at, _PROVED) from None
    except NotEntailedError as error:
        if isinstance(statement, tuple) and statement[1] in (OWL.sameAs, OWL.differentFrom):
            with suppress(NotEntailedError):
                return explain_statement(ontology, [statement], options)
        given = (error.statement, error.at, error.reason or "--why-not lists what is missing")
        raise NotEntailedError(*given, error.unknown, error.lost) from None


def _why(reasoner: pr.StreamReasoner, statement: Triple | TemporalAtom, options: ExplainOptions) -> str:
    limit = options.limit or LIMIT
    if options.all:
        return write_proofs(reasoner.explain(statement, all=True, limit=limit), options)
    return write_proofs((reasoner.explain(statement, limit=limit),), options)


def _why_not(reasoner: pr.StreamReasoner, statement: Triple | TemporalAtom, options: ExplainOptions) -> str:
    limit = WAYS if options.limit is None else options.limit
    absence = reasoner.why_not(statement, limit=limit)
    if options.form == "json":
        return json.dumps(absence.to_json(), ensure_ascii=False, indent=2) + "\n"
    return f"{absence}\n"


def read_name(text: str, prefixes: Mapping[str, str]) -> URIRef | None:
    """Parse an IRI or a prefixed name; None if the text is not a single name.

    >>> read_name(":Pump", {"": "http://example.org/"})
    rdflib.term.URIRef('http://example.org/Pump')
    """
    name = text.strip()
    if not _NAME.fullmatch(name):
        return None
    ((subject, _, _),) = read_statement(f"{name} a {name}", prefixes)
    return subject if isinstance(subject, URIRef) else None


def read_statement(text: str, prefixes: Mapping[str, str]) -> list[Triple]:
    """Parse triples in Turtle, with predeclared prefixes.

    Raises:
        BadParameter: the text is not Turtle, or contains no triple.
    """
    try:
        return parse_statement(text, prefixes)
    except MalformedInputError as error:
        raise typer.BadParameter(error.reason, param_hint="TRIPLE") from None


def single_fact(found: Sequence[Triple], text: str) -> Triple:
    """Return the only one of the triples read from `text`.

    Raises:
        BadParameter: there are several triples, or the triple has a blank node.
    """
    try:
        return check_fact(found, text)
    except MalformedInputError as error:
        raise typer.BadParameter(error.reason, param_hint="TRIPLE") from None
