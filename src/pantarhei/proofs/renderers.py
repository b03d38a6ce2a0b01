"""Proofs as trees of sentences.

Proofs as RDF, in the words of W3C's PROV-O.

Facts and axioms are entities, rule instances are activities. Names are made from what a proof says: those of
two proofs in one graph do not meet unless they are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from rdflib import PROV, RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef

from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.formatter import DEEPEST, Mention, ProofFormatter, Section
from pantarhei.proofs.step import Conclusion, ObservedInterval, TemporalCondition, TemporalStatement
from pantarhei.proofs.svg import COLOURS, wrapped
from pantarhei.rdf.ntriples import write_term

if TYPE_CHECKING:
    from pantarhei.model.term import Term
    from pantarhei.proofs.proof import Proof
    from pantarhei.proofs.step import ProofStep


def render_text(proof: Proof, deepest: int = DEEPEST) -> str:
    """What is proved, below it because of what, down to assertions and background; then the axioms.

    Args:
        deepest: how deep the tree is nested; what goes deeper is told in a tree of its own below it.
    """
    telling = ProofFormatter(proof, deepest)
    return telling.told(lambda: "\n".join(_lines(telling)))


def render_tree(proof: Proof) -> list[str]:
    """The lines of the tree alone, which does not say the axioms."""
    telling = ProofFormatter(proof, numbered=False)
    return telling.told(lambda: list(_tree(telling)))


def _lines(telling: ProofFormatter) -> Iterator[str]:
    yield from _tree(telling)
    yield telling.ground()
    if caveat := telling.caveat():
        yield caveat
    yield from telling.axioms()


def _tree(telling: ProofFormatter) -> Iterator[str]:
    for section in telling.outline.sections:
        if section.number > 1:
            yield ""
        yield from _section(telling, section)


def _section(telling: ProofFormatter, section: Section) -> Iterator[str]:
    rails: list[str] = []  # what stands left of the facts of each depth
    for entry in section.entries:
        line = telling.line(entry, section)
        if entry.depth:
            joint = "because" if entry.depth > len(rails) else "and"
            del rails[entry.depth - 1 :]
            line = f"{''.join(rails)}{'└─' if entry.is_last else '├─'} {joint} {line}"
            rails.append("   " if entry.is_last else "│  ")
        yield line


Json = dict[str, object]


def render_json(proof: Proof) -> Json:
    """The proof with all its facts whole: terms in the syntax of N-Triples, datetimes in that of ISO 8601."""
    telling = ProofFormatter(proof)
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


def _step(telling: ProofFormatter, step: ProofStep) -> Json:
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
    if step.rule is not None or isinstance(step.temporal, TemporalCondition):
        said["premises"] = list(step.premises)
    return said


def ticks_as_json(said: TemporalStatement) -> Json:
    """What a step says of temporal rules."""
    when: Json = {"atom": str(said.atom), "from": time_as_json(said.first), "until": time_as_json(said.last)}
    match said:
        case Conclusion():
            return when | {"bindings": {str(name): write_term(term) for name, term in said.bindings}}
        case TemporalCondition():
            return when | {"condition": str(said.formula), "times": list(map(time_as_json, said.times))}
        case ObservedInterval():
            return when | {"known": said.known.value}


def _axiom(rule: Rule) -> Json:
    origin = rule.origin or Origin(rule.axiom)
    where = {"file": origin.source, "line": origin.line, "subject": origin.subject and str(origin.subject)}
    return {"text": origin.axiom, **{key: value for key, value in where.items() if value is not None}}


def render_dot(proof: Proof) -> str:
    """A graph of all its facts, what is proved on top; arrows lead from premises to conclusions."""
    telling = ProofFormatter(proof)
    return telling.told(lambda: "\n".join(_dot_lines(telling)) + "\n")


def _dot_lines(telling: ProofFormatter) -> Iterator[str]:
    yield "digraph proof {"
    yield '  graph [rankdir="BT", fontname="sans-serif"];'
    yield '  node [shape="box", style="rounded,filled", fontname="sans-serif", fontsize="12"];'
    steps = telling.proof.steps
    for place, step in enumerate(steps):
        fill, line = COLOURS[step.kind]
        label = "\\n".join(map(_escaped, (*wrapped(telling.fact(step)), telling.known_by(step))))
        yield f'  f{place + 1} [label="{label}", fillcolor="{fill}", color="{line}"];'
    for place, step in enumerate(steps):
        for premise in dict.fromkeys(step.premises):
            yield f"  f{premise + 1} -> f{place + 1};"
    notes = "".join(f"{_escaped(line)}\\l" for line in (telling.ground(), *telling.axioms()))
    yield f'  graph [label="{notes}", labelloc="b", labeljust="l"];'
    yield "}"


def _escaped(text: str) -> str:
    """Text as a part of a label in quotes: Graphviz reads escapes and HTML's entities there."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def render_html(proof: Proof) -> str:
    """The tree, then what it rests on and the axioms."""
    telling = ProofFormatter(proof)
    return telling.told(lambda: "".join(_parts(telling)))


def html_page(title: str, proofs: Iterable[Proof]) -> str:
    """Return a page of its own with the proofs; it has no scripts and loads nothing."""
    heading = escape(title)
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{heading}</title></head>\n'
    return f"{head}<body>\n<h1>{heading}</h1>\n{''.join(map(render_html, proofs))}\n</body></html>\n"


def _parts(telling: ProofFormatter) -> Iterator[str]:
    yield '<div class="pantarhei-proof">'
    for section in telling.outline.sections:
        yield "<ul>"
        yield from _notebook_section(telling, section)
        yield "</ul>"
    for line in filter(None, (telling.ground(), telling.caveat())):
        yield f"<p>{escape(line)}</p>"
    heading, *axioms = telling.axioms() or [""]
    if axioms:
        yield f"<details><summary>{escape(heading)}</summary>"
        yield "".join(f"<div>{escape(axiom)}</div>" for axiom in axioms)
        yield "</details>"
    yield "</div>"


def _notebook_section(telling: ProofFormatter, section: Section) -> Iterator[str]:
    open_ = 0  # how many branches are open
    for entry in section.entries:
        while open_ > entry.depth:
            yield "</ul></details></li>"
            open_ -= 1
        text = escape(telling.line(entry, section))
        if entry.mention is Mention.HERE and telling.proof.steps[entry.step].premises:
            yield f"<li><details open><summary>{text}</summary><ul>"
            open_ += 1
        else:
            yield f"<li>{text}</li>"
    yield "</ul></details></li>" * open_


TERMS = Namespace("urn:pantarhei:proof#")
"""What PROV-O has no word for."""


def render_rdf(proof: Proof) -> Graph:
    """What the proof says; a timestamp is `prov:generatedAtTime`, or `TERMS.at` where it is a number."""
    graph = Graph()
    graph.bind("prov", PROV)
    graph.bind("proof", TERMS)
    telling = ProofFormatter(proof)
    for triple in telling.told(lambda: list(_Statements(telling).all())):
        graph.add(triple)
    return graph


class _Statements:
    """The triples that say a proof."""

    def __init__(self, telling: ProofFormatter) -> None:
        self._telling, self._proof = telling, telling.proof
        said = json.dumps(render_json(self._proof), sort_keys=True)
        self._name = f"urn:pantarhei:proof:{hashlib.sha256(said.encode()).hexdigest()[:32]}"
        self._found: list[Triple] = []

    def all(self) -> list[Triple]:
        """The triples, in no order that matters."""
        proof = URIRef(self._name)
        self._say(proof, RDF.type, TERMS.Proof)
        self._say(proof, TERMS.conclusion, self._fact(len(self._proof.steps) - 1))
        self._say(proof, TERMS.complete, Literal(self._proof.complete))
        for place, step in enumerate(self._proof.steps):
            self._describe(place, step)
        for number, rule in self._telling.rules.values():
            self._describe_axiom(number, rule)
        return self._found

    def _describe(self, place: int, step: ProofStep) -> None:
        fact = self._fact(place)
        self._say(fact, RDF.type, PROV.Entity)
        self._say(fact, RDF.type, TERMS[step.kind.value.capitalize()])
        self._say(fact, RDFS.label, Literal(self._telling.fact(step)))
        if step.fact is not None:
            self._say(fact, RDF.type, RDF.Statement)
            for property_, term in zip((RDF.subject, RDF.predicate, RDF.object), step.fact, strict=True):
                self._say(fact, property_, term)
        if step.at is not None:
            self._say(fact, *_time(step.at))
        if step.temporal is not None:
            self._say(fact, TERMS["from"], _time(step.temporal.first)[1])
            self._say(fact, TERMS.until, _time(step.temporal.last)[1])
        if step.rule is not None:
            self._describe_instance(place, step, step.rule)
        elif step.premises:
            for premise in step.premises:
                self._say(fact, PROV.wasDerivedFrom, self._fact(premise))

    def _describe_instance(self, place: int, step: ProofStep, rule: Rule) -> None:
        fact, instance = self._fact(place), URIRef(f"{self._name}#instance{place + 1}")
        self._say(instance, RDF.type, PROV.Activity)
        self._say(instance, TERMS.rule, Literal(rule.name))
        self._say(instance, PROV.used, self._axiom(self._telling.number(step)))
        self._say(fact, PROV.wasGeneratedBy, instance)
        for premise in step.premises:
            self._say(instance, PROV.used, self._fact(premise))
            self._say(fact, PROV.wasDerivedFrom, self._fact(premise))

    def _describe_axiom(self, number: int, rule: Rule) -> None:
        axiom, origin = self._axiom(number), rule.origin
        self._say(axiom, RDF.type, PROV.Entity)
        self._say(axiom, RDF.type, TERMS.Axiom)
        self._say(axiom, PROV.value, Literal(rule.axiom))
        if origin is None:
            return
        if origin.source is not None:
            self._say(axiom, TERMS.file, Literal(origin.source))
        if origin.line is not None:
            self._say(axiom, TERMS.line, Literal(origin.line))
        if origin.subject is not None:
            self._say(axiom, TERMS.about, origin.subject)

    def _fact(self, place: int) -> URIRef:
        return URIRef(f"{self._name}#fact{place + 1}")

    def _axiom(self, number: int | None) -> URIRef:
        return URIRef(f"{self._name}#axiom{number}")

    def _say(self, subject: URIRef, predicate: URIRef, object_: Term) -> None:
        self._found.append((subject, predicate, object_))


def _time(at: TimePoint) -> tuple[URIRef, Literal]:
    if isinstance(at, datetime):
        return PROV.generatedAtTime, Literal(at.isoformat(), datatype=XSD.dateTime)
    return TERMS.at, Literal(at)
