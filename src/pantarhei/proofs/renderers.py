"""Renderers of proofs to text, JSON, Graphviz, HTML and RDF, based on `ProofFormatter`.

The RDF uses terms of W3C PROV-O: facts and axioms are entities, rule instances are activities. IRIs contain a
hash of the proof, so that different proofs can share a graph.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape

from rdflib import PROV, RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef

from pantarhei.model.labels import Labels
from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.formatter import Mention, ProofFormatter, Section, axiom_line
from pantarhei.proofs.step import (
    Conclusion,
    ObservedInterval,
    ProofStep,
    TemporalCondition,
    TemporalStatement,
)
from pantarhei.proofs.svg import COLOURS, wrapped
from pantarhei.rdf.ntriples import write_term

JsonObject = dict[str, object]

TERMS = Namespace("urn:pantarhei:proof#")
"""Terms that PROV-O lacks."""


def render_text(formatter: ProofFormatter) -> str:
    """Render the tree of sentences, followed by the basis and the axioms."""
    return "\n".join([*render_tree(formatter), *formatter.notes()])


def render_tree(formatter: ProofFormatter) -> list[str]:
    """Render the lines of the tree without notes."""
    lines: list[str] = []
    for section in formatter.outline.sections:
        lines += [""] * (section.number > 1)
        rails: list[str] = []  # the lines to the left of the facts of each depth
        for entry in section.entries:
            line = formatter.line(entry, section)
            if entry.depth:
                joint = "because" if entry.depth > len(rails) else "and"
                del rails[entry.depth - 1 :]
                line = f"{''.join(rails)}{'└─' if entry.is_last else '├─'} {joint} {line}"
                rails.append("   " if entry.is_last else "│  ")
            lines.append(line)
    return lines


# -- JSON ------------------------------------------------------------------------------------------


def render_json(formatter: ProofFormatter) -> JsonObject:
    """Render a dictionary for `json.dumps`. Terms are in N-Triples syntax, datetimes in ISO 8601."""
    steps = formatter.steps
    timestamp = min((step.at for step in steps if step.at is not None and step.fact), default=None)
    return {
        "text": formatter.statement(steps[-1]),
        "fact": fact_as_json(steps[-1].fact),
        "timestamp": time_as_json(timestamp),
        "complete": formatter.complete,
        "steps": [_step_as_json(formatter, step) for step in steps],
    }


def fact_as_json(fact: Triple | None) -> list[str] | None:
    """Return subject, predicate and object in N-Triples syntax."""
    return None if fact is None else list(map(write_term, fact))


def time_as_json(at: TimePoint | None) -> float | str | None:
    """Return a number unchanged, and a datetime in ISO 8601."""
    return at if at is None or isinstance(at, int | float) else at.isoformat()


def _step_as_json(formatter: ProofFormatter, step: ProofStep) -> JsonObject:
    fields: JsonObject = {
        "fact": fact_as_json(step.fact),
        "text": formatter.statement(step),
        "kind": step.kind.value,
    }
    if step.at is not None:
        fields["at"] = time_as_json(step.at)
    if step.temporal is not None:
        fields |= temporal_as_json(step.temporal)
    if step.rule is not None:
        axiom = axiom_as_json(step.rule.origin or Origin(step.rule.axiom), formatter.labels)
        fields |= {"rule": step.rule.name, "axiom": axiom}
    if step.rule is not None or isinstance(step.temporal, TemporalCondition):
        fields["premises"] = list(step.premises)
    return fields


def axiom_as_json(origin: Origin, labels: Labels) -> JsonObject:
    """Return an axiom in functional-style and in Manchester syntax, with its position as far as known."""
    subject = origin.subject and str(origin.subject)
    place = {"file": origin.source, "line": origin.line, "subject": subject}
    known = {key: value for key, value in place.items() if value is not None}
    return {"text": origin.axiom, "manchester": axiom_line(origin, labels), **known}


def temporal_as_json(statement: TemporalStatement) -> JsonObject:
    """Return the fields of a statement of temporal rules."""
    first, last = time_as_json(statement.first), time_as_json(statement.last)
    fields: JsonObject = {"atom": str(statement.atom), "from": first, "until": last}
    match statement:
        case Conclusion(bindings=bindings):
            return fields | {"bindings": {str(name): write_term(term) for name, term in bindings}}
        case TemporalCondition(formula, _, _, times):
            return fields | {"condition": str(formula), "times": list(map(time_as_json, times))}
        case ObservedInterval(known=known):
            return fields | {"known": known.value}


# -- Graphviz and HTML -----------------------------------------------------------------------------


def render_dot(formatter: ProofFormatter) -> str:
    """Render all steps as a Graphviz graph. The proved fact is on top; arrows lead from premises to
    conclusions.
    """
    lines = [
        "digraph proof {",
        '  graph [rankdir="BT", fontname="sans-serif"];',
        '  node [shape="box", style="rounded,filled", fontname="sans-serif", fontsize="12"];',
    ]
    for number, step in enumerate(formatter.steps, 1):
        fill, line = COLOURS[step.kind]
        texts = *wrapped(formatter.statement(step)), formatter.reason(step)
        label = "\\n".join(map(_escaped, texts))
        lines.append(f'  f{number} [label="{label}", fillcolor="{fill}", color="{line}"];')
    for number, step in enumerate(formatter.steps, 1):
        lines += [f"  f{premise + 1} -> f{number};" for premise in dict.fromkeys(step.premises)]
    notes = "".join(f"{_escaped(line)}\\l" for line in (formatter.basis(), *formatter.axioms()))
    return "\n".join([*lines, f'  graph [label="{notes}", labelloc="b", labeljust="l"];', "}", ""])


def _escaped(text: str) -> str:
    """Escape text for a quoted label, in which Graphviz interprets escapes and HTML entities."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


_PAGE_STYLE = (
    ":root { color-scheme: light dark; } "
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; } "
    "h1 { font-size: 1.3em; overflow-wrap: anywhere; } "
    ".pantarhei-proof ul { list-style: none; margin: 0; padding-left: 1.2em; border-left: 1px solid #8888; }"
)


def render_html(formatter: ProofFormatter) -> str:
    """Render the tree with foldable branches, followed by the basis and the axioms."""
    return "".join(_html_parts(formatter))


def html_page(title: str, contents: Iterable[str]) -> str:
    """Return an HTML page with these elements. The page follows the reader's light or dark scheme, has no
    scripts and loads no external resources.
    """
    heading = escape(title)
    head = f'<meta charset="utf-8"><title>{heading}</title>\n<style>{_PAGE_STYLE}</style>'
    body = f"<h1>{heading}</h1>\n{''.join(contents)}"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _html_parts(formatter: ProofFormatter) -> Iterator[str]:
    yield '<div class="pantarhei-proof">'
    for section in formatter.outline.sections:
        yield "<ul>"
        yield from _html_section(formatter, section)
        yield "</ul>"
    for line in (formatter.basis(), *formatter.caveat()):
        yield f"<p>{escape(line)}</p>"
    heading, *axioms = formatter.axioms() or [""]
    if axioms:
        yield f"<details><summary>{escape(heading)}</summary>"
        yield "".join(f"<div>{escape(axiom)}</div>" for axiom in axioms)
        yield "</details>"
    yield "</div>"


def _html_section(formatter: ProofFormatter, section: Section) -> Iterator[str]:
    open_branches = 0
    for entry in section.entries:
        while open_branches > entry.depth:
            yield "</ul></details></li>"
            open_branches -= 1
        text = escape(formatter.line(entry, section))
        if entry.mention is Mention.HERE and formatter.steps[entry.step].premises:
            yield f"<li><details open><summary>{text}</summary><ul>"
            open_branches += 1
        else:
            yield f"<li>{text}</li>"
    yield "</ul></details></li>" * open_branches


# -- RDF -------------------------------------------------------------------------------------------


def joined(graphs: Iterable[Graph]) -> Graph:
    """Return the union of graphs, with their prefixes."""
    union = Graph()
    for graph in graphs:
        for prefix, iri in graph.namespaces():
            union.bind(prefix, iri)
        union += graph
    return union


def render_rdf(formatter: ProofFormatter) -> Graph:
    """Render a PROV-O graph. A timestamp is a value of `prov:generatedAtTime` if it is a datetime, and of
    `TERMS.at` if it is a number.
    """
    graph = Graph()
    graph.bind("prov", PROV)
    graph.bind("proof", TERMS)
    for triple in _statements(formatter):
        graph.add(triple)
    return graph


def _statements(formatter: ProofFormatter) -> Iterator[Triple]:
    content = json.dumps(render_json(formatter), sort_keys=True)
    proof = URIRef(f"urn:pantarhei:proof:{hashlib.sha256(content.encode()).hexdigest()[:32]}")
    yield proof, RDF.type, TERMS.Proof
    yield proof, TERMS.conclusion, URIRef(f"{proof}#fact{len(formatter.steps)}")
    yield proof, TERMS.complete, Literal(formatter.complete)
    for number, step in enumerate(formatter.steps, 1):
        fact = URIRef(f"{proof}#fact{number}")
        yield from _statements_of_fact(fact, step, formatter.statement(step))
        if step.rule is not None:
            instance = URIRef(f"{proof}#instance{number}")
            yield instance, RDF.type, PROV.Activity
            yield instance, TERMS.rule, Literal(step.rule.name)
            yield instance, PROV.used, URIRef(f"{proof}#axiom{formatter.rule_number(step)}")
            yield fact, PROV.wasGeneratedBy, instance
            yield from ((instance, PROV.used, URIRef(f"{proof}#fact{i + 1}")) for i in step.premises)
        yield from ((fact, PROV.wasDerivedFrom, URIRef(f"{proof}#fact{i + 1}")) for i in step.premises)
    for number, rule in formatter.rules.values():
        yield from _statements_of_axiom(URIRef(f"{proof}#axiom{number}"), rule, formatter.axiom(rule))


def _statements_of_fact(fact: URIRef, step: ProofStep, text: str) -> Iterator[Triple]:
    yield fact, RDF.type, PROV.Entity
    yield fact, RDF.type, TERMS[step.kind.value.capitalize()]
    yield fact, RDFS.label, Literal(text)
    if step.fact is not None:
        yield fact, RDF.type, RDF.Statement
        for property_, term in zip((RDF.subject, RDF.predicate, RDF.object), step.fact, strict=True):
            yield fact, property_, term
    if step.at is not None:
        is_datetime = isinstance(step.at, datetime)
        yield fact, PROV.generatedAtTime if is_datetime else TERMS.at, _time_literal(step.at)
    if step.temporal is not None:
        yield fact, TERMS["from"], _time_literal(step.temporal.first)
        yield fact, TERMS.until, _time_literal(step.temporal.last)


def _statements_of_axiom(axiom: URIRef, rule: Rule, text: str) -> Iterator[Triple]:
    yield axiom, RDF.type, PROV.Entity
    yield axiom, RDF.type, TERMS.Axiom
    yield axiom, PROV.value, Literal(rule.axiom)
    yield axiom, RDFS.label, Literal(text)
    origin = rule.origin
    if origin is None:
        return
    if origin.source is not None:
        yield axiom, TERMS.file, Literal(origin.source)
    if origin.line is not None:
        yield axiom, TERMS.line, Literal(origin.line)
    if origin.subject is not None:
        yield axiom, TERMS.about, origin.subject


def _time_literal(at: TimePoint) -> Term:
    return Literal(at.isoformat(), datatype=XSD.dateTime) if isinstance(at, datetime) else Literal(at)
