"""Admission report: the outcome of the translation of each axiom of an ontology."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from rdflib import URIRef

from pantarhei.model.labels import NO_LABELS, Labels, labels_among
from pantarhei.model.message_text import NO_NAMES, DisplayNames, counted, disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import Triple
from pantarhei.owl.expression_mapping import triple_key
from pantarhei.owl.manchester import in_manchester, manchester_syntax, quoted

# Limits of the summary: reasons, lines of a section, examples of a reason, characters of a line.
_MOST_REASONS = 12
_MOST_LINES = 5
_MOST_EXAMPLES = 2
_WIDEST = 110


class AxiomOutcome(Enum):
    """Outcome of the translation of an axiom.

    >>> from pantarhei import load_ontology
    >>> ontology = load_ontology("ontologies/pedals.ttl")
    >>> sorted({entry.outcome.name for entry in ontology.report().entries})
    ['CONSTRAINT', 'RULES']
    """

    RULES = "rules"
    CONSTRAINT = "constraint"
    BACKGROUND = "background"
    SCHEMA_ONLY = "schema only"
    DECLARATION_OR_ANNOTATION = "declaration/annotation"
    UNUSED = "unused"
    ASIDE = "kept aside"
    PARTLY = "partly"
    NOT_SUPPORTED = "not supported"


LOST = frozenset({AxiomOutcome.PARTLY, AxiomOutcome.NOT_SUPPORTED})

_COUNTED_AS = {
    AxiomOutcome.RULES: "as rules",
    AxiomOutcome.CONSTRAINT: "as constraints",
    AxiomOutcome.BACKGROUND: "as background",
    AxiomOutcome.SCHEMA_ONLY: "schema only",
    AxiomOutcome.DECLARATION_OR_ANNOTATION: "about annotations",
    AxiomOutcome.PARTLY: "in part",
    AxiomOutcome.NOT_SUPPORTED: "not supported",
}


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """Axiom with the outcome of its translation.

    Args:
        origin: the axiom and its position; for triples that could not be read, their text.
        construct: the axiom's outermost constructor.
        made: the rules and constraints it was translated to.
        lost: the parts that have no effect, each with the reason.
        kept: the parts that have an effect, if other parts are lost.
        facts: the facts it was translated to.
        outcome: the outcome of the translation.
        parts: the parts that are kept or lost as values, by their texts.

    >>> from pantarhei import load_ontology
    >>> from rdflib import Graph
    >>> ontology = load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ...     :Car rdfs:subClassOf [
    ...         a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Wheel ] .'''))
    >>> (entry,) = ontology.report().losses
    >>> entry.construct, entry.outcome.name, entry.made
    ('SubClassOf', 'NOT_SUPPORTED', ())
    """

    origin: Origin
    construct: str
    outcome: AxiomOutcome
    made: tuple[Rule, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    kept: tuple[str, ...] = ()
    facts: tuple[Triple, ...] = ()
    parts: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)

    __repr__ = short_repr
    _repr_html_ = html_of

    @property
    def axiom(self) -> str:
        """The axiom in functional-style syntax."""
        return self.origin.axiom

    @property
    def rules(self) -> tuple[str, ...]:
        """Texts of the rules, constraints and facts; computed on each access, and possibly long."""
        facts = (" ".join(term.n3() for term in fact) + " ." for fact in sorted(self.facts, key=triple_key))
        return (*map(str, self.made), *facts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reason for each part that has no effect; parts and expressions in functional-style syntax."""
        return tuple(reason if part == self.axiom else f"{part}: {reason}" for part, reason in self.lost)

    def _reasons(self, labels: Labels) -> Iterator[str]:
        """Yield the reasons in Manchester syntax."""
        values = (self.origin.stated, *self.parts.values())
        for part, given in self.lost:
            reason = in_manchester(given, values, labels)
            yield reason if part == self.axiom else f"{self.manchester(part, labels)}: {reason}"

    def __str__(self) -> str:
        return self.text()

    def text(self, labels: Labels = NO_LABELS) -> str:
        """Return the axiom in Manchester syntax with its outcome, and a line for each kept and lost part."""
        shown = partial(self.manchester, labels=labels)
        lost = "lost: " if self.kept else ""
        lines = [
            *(f"kept: {shown(part)}" for part in self.kept),
            *(f"{lost}{reason}" for reason in self._reasons(labels)),
        ]
        return "\n".join([f"{self.outcome.value}: {shown(self.axiom)}", *(f"    {line}" for line in lines)])

    def manchester(self, part: str | None = None, labels: Labels = NO_LABELS) -> str:
        """Return the axiom, or one of the kept or lost parts, in Manchester syntax. Text that is not an axiom
        is returned unchanged.
        """
        given = self.axiom if part is None else part
        stated = self.parts.get(given) or (self.origin.stated if given == self.axiom else None)
        return given if stated is None else manchester_syntax(stated, labels)


@dataclass(frozen=True, slots=True)
class LossGroup:
    """Axioms with parts that have no effect for the same reason.

    Args:
        reason: the reason, in which expressions are in Manchester syntax with operands replaced by `…`.
        entries: the axioms, in the order of the report.

    >>> from pantarhei import load_ontology
    >>> from rdflib import Graph
    >>> ontology = load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    ...     :Car rdfs:subClassOf [
    ...         a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :Wheel ] .'''))
    >>> (group,) = ontology.report().losses_by_reason()
    >>> group.constructs(), len(group.entries)
    ({'SubClassOf': 1}, 1)
    """

    reason: str
    entries: tuple[ReportEntry, ...]

    __repr__ = short_repr
    _repr_html_ = html_of

    def constructs(self) -> dict[str, int]:
        """Return the number of axioms of each construct, most frequent first."""
        return dict(Counter(entry.construct for entry in self.entries).most_common())

    def examples(self) -> list[ReportEntry]:
        """Return at most two of the axioms, if possible one without any effect and one with a
        partial effect.
        """
        first: dict[AxiomOutcome, ReportEntry] = {}
        for entry in self.entries:
            first.setdefault(entry.outcome, entry)
        return list(dict.fromkeys([*first.values(), *self.entries[:_MOST_EXAMPLES]]))[:_MOST_EXAMPLES]


@dataclass(frozen=True, slots=True)
class ReportedContradiction:
    """Contradiction as texts.

    Args:
        text: the contradiction as a sentence without a full stop.
        unique_names: it only holds under unique names. A `StreamReasoner` accepts such an ontology with
            `unique_names=False`.
        proof: the steps of a proof.
        data: the contradiction with its assertions and axioms, for `json.dumps`.

    >>> from pantarhei import load_ontology
    >>> from rdflib import Graph
    >>> ontology = load_ontology(Graph().parse(data='''
    ...     @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     :maker a owl:FunctionalProperty, owl:ObjectProperty . :m :maker :acme , :bolt .'''))
    >>> (contradiction,) = ontology.report().contradictions
    >>> contradiction.text, contradiction.unique_names
    ('m has two makers, acme and bolt; maker is functional', True)
    """

    text: str
    unique_names: bool
    proof: tuple[str, ...]
    data: dict[str, object] = field(repr=False)

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Outcome of every axiom of an ontology.

    Args:
        entries: one entry for each axiom, in the order in which they were read.
        counts: the numbers of assertions, declarations and annotations.
        imports_skipped: imports that were skipped because no local copy was given.
        unsatisfiable: the classes and properties without possible instances, each with the steps of a proof.
        merged: groups of names that the ontology declares equal; under unique names the first name represents
            the group.
        notes: axioms outside OWL 2 DL, each with the reason: they violate a global restriction, or use
            vocabulary that OWL 2 DL lacks. They are translated nevertheless.
        contradictions: the contradictions among the ontology's own axioms and assertions.
        omitted_contradictions: number of further contradictions, of which each list has the first thousand;
            None if their number is unknown.
        documents: the files that were read, imports included.
        names: names shown for IRIs whose last parts are ambiguous.
        labels: the labels of names.

    >>> from pantarhei import load_ontology
    >>> ontology = load_ontology("ontologies/pedals.ttl")
    >>> report = ontology.report()
    >>> len(report.entries), report.losses, report.contradictions
    (13, (), ())
    """

    entries: tuple[ReportEntry, ...]
    counts: tuple[tuple[str, int], ...] = ()
    imports_skipped: tuple[str, ...] = ()
    unsatisfiable: tuple[tuple[str, tuple[str, ...]], ...] = ()
    merged: tuple[tuple[str, ...], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    contradictions: tuple[ReportedContradiction, ...] = ()
    omitted_contradictions: int | None = 0
    documents: tuple[str, ...] = ()
    names: DisplayNames = field(default=NO_NAMES, compare=False)
    labels: Labels = field(default_factory=dict, compare=False)

    _repr_html_ = html_of

    @property
    def all_contradictions(self) -> bool:
        """True if all contradictions are listed."""
        return self.omitted_contradictions == 0

    @property
    def contradiction_count(self) -> str:
        """The number of contradictions as text; a lower bound if not all of them could be counted."""
        bound = "at least " if self.omitted_contradictions is None else ""
        return f"{bound}{len(self.contradictions) + (self.omitted_contradictions or 0):,}"

    @property
    def consistent(self) -> bool:
        """True if no contradiction holds without unique names."""
        return all(each.unique_names for each in self.contradictions)

    @property
    def losses(self) -> tuple[ReportEntry, ...]:
        """The axioms with parts that have no effect."""
        return tuple(entry for entry in self.entries if entry.outcome in LOST)

    def losses_by_reason(self) -> tuple[LossGroup, ...]:
        """Return the losses grouped by reason, most frequent first."""
        groups: dict[str, dict[ReportEntry, None]] = {}
        for entry in self.losses:
            for _, reason in entry.lost:
                groups.setdefault(_without_operands(reason), {})[entry] = None
        found = (LossGroup(reason, tuple(entries)) for reason, entries in groups.items())
        return tuple(sorted(found, key=lambda group: -len(group.entries)))

    def totals(self) -> dict[str, dict[str, int]]:
        """Return the number of axioms by construct and outcome."""
        table: dict[str, Counter[str]] = {}
        for entry in self.entries:
            table.setdefault(entry.construct, Counter())[entry.outcome.value] += 1
        return {construct: dict(sorted(table[construct].items())) for construct in sorted(table)}

    def text(self, details: bool = False) -> str:
        """Return a summary of one or two screens; if `details` is true, list every axiom with its rules,
        without truncation.
        """
        return disambiguate(lambda: "\n".join(self._parts(details)), self.names)

    def _parts(self, details: bool) -> list[str]:
        labels = labels_among(self.labels, self.labels)
        parts = [
            *self._contradicted(details),
            *self._summary(details, labels),
            *self._losses(details, labels),
        ]
        proofs = [(_name(name, labels), list(proof)) for name, proof in self.unsatisfiable]
        number = f"{len(proofs)}"
        if self.losses:
            lost = f"{counted(len(self.losses), 'axiom')} {'is' if len(self.losses) == 1 else 'are'} lost"
            number = f"at least {number}, since {lost}"
        parts += _section("Can have no instance", proofs, details, number)
        parts += _section("Names of one thing", [(names, []) for names in self._merged(labels)], details)
        notes = [(axiom, [reason]) for axiom, reason in self._notes(labels)]
        parts += _section("Outside OWL 2 DL, without effect on the rules", notes, details)
        if details:
            parts += self._details(labels)
        return parts

    def _merged(self, labels: Labels) -> list[str]:
        return [" = ".join(_name(name, labels) for name in group) for group in self.merged]

    def _notes(self, labels: Labels) -> list[tuple[str, str]]:
        """Return `notes` with the axioms in Manchester syntax."""
        entries = {entry.axiom: entry for entry in self.entries} if self.notes else {}
        return [
            (entries[axiom].manchester(labels=labels) if axiom in entries else axiom, reason)
            for axiom, reason in self.notes
        ]

    def __str__(self) -> str:
        return self.text()

    def _shown_parts(self) -> dict[str, object]:
        labels = labels_among(self.labels, self.labels)
        outcomes = Counter(entry.outcome.value for entry in self.entries)
        return {
            **dict(outcomes.most_common()),
            **{name: number for name, number in self.counts if number},
            "imports skipped": self.imports_skipped,
            "lost in whole or in part": [
                (group.reason, len(group.entries), group.examples()[0].manchester(labels=labels))
                for group in self.losses_by_reason()
            ],
            "can have no instance": [_name(name, labels) for name, _ in self.unsatisfiable],
            "names of one thing": self._merged(labels),
            "outside OWL 2 DL": self._notes(labels),
            "contradictions": [each.text for each in self.contradictions],
            "axioms": self.entries,
        }

    def __repr__(self) -> str:
        axioms = counted(len(self.entries), "axiom")
        return f"Report({axioms}, {len(self.losses)} of them lost in whole or in part)"

    def to_json(self) -> str:
        """Return the complete report as a JSON object, which `pantarhei check --format json` prints.

        Keys of the object:

        - `axioms`: for each axiom `axiom`, `manchester` (with labels), its place `source`, `line` and
          `subject` as far as known, the `label` of the subject, `construct`, `outcome`, `rules` (rules,
          constraints and facts, as text), and where something is lost `kept` (the parts with an effect) and
          `lost` (objects with `part` and `reason`).
        - `totals`: by construct, the number of axioms with each outcome.
        - `counts`: assertions, declarations and annotations.
        - `losses`: by reason, the most frequent first: `reason`, `axioms` (their number) and `constructs`.
        - `documents`: the files that were read.
        - `imports_skipped`: IRIs.
        - `unsatisfiable`: objects with `name`, `label` and `proof`, a list of steps.
        - `merged`: lists of equal names; the first one stands for all.
        - `notes`: axioms outside OWL 2 DL: `axiom` and `reason`.
        - `consistent`: false if the ontology is inconsistent without unique names.
        - `contradictions`: objects with `text`, `unique_names` (true if it holds only under unique names),
          `assertions` (`fact`, `text`, and `file` and `line` as far as known), `axioms` (`text`, `file`,
          `line`) and `proof`, as `Proof.to_json`.
        - `all_contradictions`: false if only the first thousand are listed; `omitted_contradictions`: the
          number of the others, null if it is unknown.
        - `inconsistency_normal_form`, with `check --depth`: `depth`, and `constraints` with `name`,
          `constraint`, `origin`, `recursive` and `atoms`, each with `atom`, `derived_by` and `complete`,
          false after 1,000 ways.
        """
        return json.dumps(disambiguate(self._data, self.names), ensure_ascii=False, indent=2)

    def _data(self) -> dict[str, object]:
        labels = labels_among(self.labels, self.labels)
        return {
            "axioms": [
                {
                    "axiom": entry.axiom,
                    "manchester": entry.manchester(labels=labels),
                    "source": entry.origin.source,
                    "line": entry.origin.line,
                    "subject": entry.origin.subject,
                    "label": _label(entry.origin.subject, labels),
                    "construct": entry.construct,
                    "outcome": entry.outcome.value,
                    "rules": list(entry.rules),
                    "kept": list(entry.kept),
                    "lost": [{"part": part, "reason": reason} for part, reason in entry.lost],
                }
                for entry in self.entries
            ],
            "totals": self.totals(),
            "counts": dict(self.counts),
            "losses": [
                {"reason": group.reason, "axioms": len(group.entries), "constructs": group.constructs()}
                for group in self.losses_by_reason()
            ],
            "documents": list(self.documents),
            "imports_skipped": list(self.imports_skipped),
            "unsatisfiable": [
                {"name": name, "label": _label(name, labels), "proof": list(proof)}
                for name, proof in self.unsatisfiable
            ],
            "merged": [list(group) for group in self.merged],
            "notes": [{"axiom": axiom, "reason": reason} for axiom, reason in self.notes],
            "consistent": self.consistent,
            "contradictions": [each.data for each in self.contradictions],
            "all_contradictions": self.all_contradictions,
            "omitted_contradictions": self.omitted_contradictions,
        }

    def _contradicted(self, details: bool) -> Iterator[str]:
        """Yield a heading, and a line for each contradiction; with `details` also the proofs."""
        if not self.contradictions:
            return
        if self.consistent:
            yield (
                "Contradictions under unique names, for which run refuses the ontology without "
                "--no-unique-names (unique_names=False):"
            )
        else:
            yield "The ontology is inconsistent, so it entails everything:"
        for number, each in enumerate(self.contradictions, 1):
            names = ", under unique names" if each.unique_names and not self.consistent else ""
            yield f"Contradiction {number:,} of {self.contradiction_count}{names}: {each.text}."
            yield from (f"    {line}" for line in (each.proof if details else ()))
        if not self.all_contradictions:
            yield (
                f"{self.omitted_contradictions:,} more not shown"
                if self.omitted_contradictions
                else "Further contradictions are not shown: they are too many to count"
            )
        yield ""

    def _summary(self, details: bool, labels: Labels) -> Iterator[str]:
        outcomes = Counter(entry.outcome for entry in self.entries)
        unused, _ = outcomes.pop(AxiomOutcome.UNUSED, 0), outcomes.pop(AxiomOutcome.ASIDE, 0)
        if outcomes:
            each = (f"{outcomes[o]} {name}" for o, name in _COUNTED_AS.items() if outcomes[o])
            yield f"{counted(outcomes.total(), 'axiom')}: {', '.join(each)}"
        else:
            yield "no axioms"
        besides = ", ".join(f"{name} {number}" for name, number in self.counts if number)
        if besides:
            yield f"besides: {besides}"
        if unused:
            yield f"unused: {counted(unused, 'expression or list', 'expressions and lists')} in no axiom"
        aside = [entry for entry in self.entries if entry.outcome is AxiomOutcome.ASIDE]
        for entry in aside if details else aside[:_MOST_LINES]:
            yield f"Annotation kept aside: {entry.manchester(labels=labels)}"
        if not details and len(aside) > _MOST_LINES:
            yield f"… and {len(aside) - _MOST_LINES} more annotations whose axioms are missing"
        if len(self.documents) > 1:
            axioms = Counter(entry.origin.source for entry in self.entries)
            each = (f"{document} ({counted(axioms[document], 'axiom')})" for document in self.documents)
            yield f"read from: {', '.join(each)}"
        for iri in self.imports_skipped:
            yield f"import skipped: <{iri}>"

    def _losses(self, details: bool, labels: Labels) -> Iterator[str]:
        groups = self.losses_by_reason()
        if not groups:
            return
        yield f"\nLost in whole or in part: {counted(len(self.losses), 'axiom')}"
        for group in groups if details else groups[:_MOST_REASONS]:
            yield f"\n  {group.reason if details else _shortened(group.reason, 2 * _WIDEST)}"
            if not details:
                yield from _examples(group, labels)
            yield from _constructs(group, details)
        if not details and len(groups) > _MOST_REASONS:
            yield f"\n  … and {len(groups) - _MOST_REASONS} more reasons"

    def _details(self, labels: Labels) -> Iterator[str]:
        yield "\nBy construct:"
        yield from (
            f"    {name}: {', '.join(f'{n} {outcome}' for outcome, n in numbers.items())}"
            for name, numbers in self.totals().items()
        )
        yield "\nEvery axiom:"
        for entry in self.entries:
            yield entry.text(labels)
            yield from (f"    {rule}" for rule in entry.rules)


def _examples(group: LossGroup, labels: Labels) -> Iterator[str]:
    examples = group.examples()
    for entry in examples:
        shown = partial(entry.manchester, labels=labels)
        yield f"      {_shortened(shown(), _WIDEST - 6)}"
        if entry.kept:
            lost = (part for part, reason in entry.lost if _without_operands(reason) == group.reason)
            for word, parts in (("kept", entry.kept), ("lost", tuple(lost))):
                yield f"          {word}: {_shortened(_first_of(tuple(map(shown, parts))), _WIDEST - 16)}"


def _constructs(group: LossGroup, details: bool) -> Iterator[str]:
    """Yield a line with the number of axioms of each construct in the group, unless the examples list them
    all.
    """
    if details or len(group.entries) > _MOST_EXAMPLES:
        constructs = [f"{number} {name}" for name, number in group.constructs().items()]
        shown = constructs if details else constructs[:_MOST_LINES]
        others = sum(group.constructs().values()) - sum(list(group.constructs().values())[: len(shown)])
        yield f"      in all {', '.join([*shown, *([f'{others} others'] if others else [])])}"


def _first_of(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{parts[0]} and {len(parts) - 1} more"


def _section(
    title: str, lines: Sequence[tuple[str, Iterable[str]]], details: bool, number: str = ""
) -> Iterator[str]:
    """Yield a title with a count, followed by lines with indented lines below. Without `details`, only the
    first lines are listed.
    """
    if not lines:
        return
    yield f"\n{title}: {number or len(lines)}"
    for line, below in lines if details else lines[:_MOST_LINES]:
        yield f"    {line if details else _shortened(line, _WIDEST - 4)}"
        yield from (f"        {inner if details else _shortened(inner, _WIDEST - 8)}" for inner in below)
    if not details and len(lines) > _MOST_LINES:
        yield f"    … and {len(lines) - _MOST_LINES} more"


def _label(name: str | None, labels: Labels) -> str | None:
    return None if name is None else labels.get(URIRef(name))


def _name(name: str, labels: Labels) -> str:
    """Return an IRI, after its label if it has one; a blank node unchanged."""
    label = _label(name, labels)
    shown = name if name.startswith("_:") else f"<{name}>"
    return shown if label is None else f"{quoted(label, is_name=False)} {shown}"


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _without_operands(reason: str) -> str:
    """Return a reason with its expressions in Manchester syntax, and their operands replaced by `…`.

    >>> _without_operands("ObjectUnionOf(A ObjectOneOf(i)) on the right is a choice (of three)")
    '(… or …) on the right is a choice (of three)'
    """
    kept: list[str] = []
    depth = 0
    for before, character in zip(" " + reason, reason, strict=False):
        if character == "(" and (depth or before.isalnum()):
            depth += 1
            kept += "(…" if depth == 1 else ""
        elif character == ")" and depth:
            depth -= 1
        if not depth:
            kept.append(character)
    return _CALL.sub(lambda call: _SHAPES.get(call[1]) or call[0], "".join(kept))


_CALL = re.compile(r"\b(?:Object|Data(?!type))?(\w+)\(…\)")
_SHAPES = {
    "AllValuesFrom": "(… only …)",
    "ComplementOf": "(not …)",
    "DatatypeRestriction": "…[…]",
    "ExactCardinality": "(… exactly …)",
    "HasSelf": "(… Self)",
    "HasValue": "(… value …)",
    "IntersectionOf": "(… and …)",
    "InverseOf": "(inverse …)",
    "MaxCardinality": "(… max …)",
    "MinCardinality": "(… min …)",
    "OneOf": "{…}",
    "SomeValuesFrom": "(… some …)",
    "UnionOf": "(… or …)",
}
"""Manchester syntax of each constructor of expressions."""
