"""Command `pantarhei check`: report on an ontology and on temporal rules."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Set
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rdflib import URIRef

from pantarhei.answer_streams import largest_windows, rules_without_strata
from pantarhei.cli.check_options import CheckOptions
from pantarhei.cli.conclusion_output import check_feedback, check_models, declared_prefixes, read_rules
from pantarhei.cli.follow import naming_format
from pantarhei.cli.given_values import system_language
from pantarhei.model.message_text import NO_NAMES, DisplayNames, counted, disambiguate
from pantarhei.model.rule import Predicate
from pantarhei.model.temporal_rule import Formula, TemporalRule, TimeWindow, duration_text
from pantarhei.model.term import short
from pantarhei.model.time import Duration, TimeKind, time_of
from pantarhei.ontology.ontology import ontology_for_report
from pantarhei.owl.report import Report
from pantarhei.rules.translation.demand import Theory
from pantarhei.temporal.rules import RuleWarning, TemporalRules, with_ontology, without_ontology
from pantarhei.temporal.safety import is_unbounded
from pantarhei.temporal.ticks import Ticks, compile_for_time_kind
from pantarhei.temporal.translation import compile_rules
from pantarhei.temporal.window_rewrites import FormulaCosts

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.window.sliding import Window


class _Report(ABC):
    """Common part of the reports on temporal rules with and without strata.

    Args:
        names: prefixes and labels for the text, if there is no ontology.
    """

    def __init__(
        self,
        rules: tuple[TemporalRule, ...],
        ticks: Ticks | None,
        ontology: pr.Ontology | None,
        names: DisplayNames = NO_NAMES,
    ) -> None:
        self._rules, self._ticks, self._ontology = rules, ticks, ontology
        self._names = names if ontology is None else ontology.names

    def text(self) -> str:
        """Return the report as text."""
        return disambiguate(lambda: "\n".join(self._lines()), self._names)

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """Yield the lines of the text."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data."""

    @property
    def _windows(self) -> list[Formula]:
        """Distinct formulas in rule bodies that have a window, or look back without limit."""
        formulas = (formula for rule in self._rules for formula in rule.body)
        return list(dict.fromkeys(formula for formula in formulas if formula.window or is_unbounded(formula)))

    def _size(self, formula: Formula) -> int | None:
        """Return the length of a formula's window in ticks; None if the length of a tick is unknown."""
        if self._ticks is None or not isinstance(formula.window, TimeWindow):
            return None
        return self._ticks.window_size(formula.window, formula)

    @property
    def _tick_text(self) -> str:
        if self._ticks is None:
            return "in ticks if --range and --tick are given"
        length = self._ticks.length
        if self._ticks.kind is TimeKind.DATETIME:
            return f"a tick is {duration_text(timedelta(microseconds=length))}"
        return f"a tick is {time_of(length, self._ticks.kind)}"

    @property
    def _not_in_ontology(self) -> list[URIRef]:
        """Predicates of rule bodies that occur neither in a rule head nor in the ontology."""
        if self._ontology is None:
            return []
        heads, graph = {rule.head.atom.predicate for rule in self._rules}, self._ontology.graph
        used = {formula.atom.predicate for rule in self._rules for formula in rule.body}
        return [
            each
            for each in sorted(used.difference(heads))
            if (each, None, None) not in graph and (None, None, each) not in graph
        ]

    def _window_lines(self, costs: Callable[[Formula], str]) -> Iterator[str]:
        """Yield a line for each window, and lines on the kept history and on unknown names.

        Args:
            costs: returns a description of the cost of a formula's window, or an empty text.
        """
        if windows := self._windows:
            yield f"windows, {self._tick_text}"
            for formula in windows:
                ticks = self._size(formula)
                parts = ["" if ticks is None else counted(ticks, "tick"), costs(formula)]
                yield f"    {formula}: {'; '.join(filter(None, parts))}".removesuffix(": ")
        if largest := max((self._size(formula) or 0 for formula in windows), default=0):
            yield f"the history is kept for {counted(largest, 'tick')}"
        if unknown := self._not_in_ontology:
            yield f"the ontology does not mention: {', '.join(map(short, unknown))}"


class RulesReport(_Report):
    """Report on stratified temporal rules.

    Args:
        window: the reasoner's window; None if it is unknown.
        ontology: the reasoner's ontology; None if it is unknown.
        unique_names: the reasoner's option `unique_names`.
        tick: the length of a tick; None for the slide of the window.

    Raises:
        TemporalRuleError: a window of a rule does not fit the reasoner's window, a construct is not
            supported, or a contradiction could follow from a conclusion by the ontology.
    """

    def __init__(
        self,
        rules: TemporalRules,
        window: Window | None = None,
        ontology: pr.Ontology | None = None,
        unique_names: bool = True,
        tick: Duration | None = None,
    ) -> None:
        self._given = rules
        self._joined = without_ontology(rules)
        if ontology is not None:
            theory = Theory.of((*ontology.rules, *ontology.constraints), unique_names)
            self._joined = with_ontology(rules, theory, ontology.predicates)
        self._costs = FormulaCosts(rules.rules, self._joined.remembered, self._joined.ontology)
        ticks = None
        if window is not None:
            ticks = compile_for_time_kind(rules.rules, window, rules.start, self._fit, tick)
        super().__init__(rules.rules, ticks, ontology, DisplayNames(rules.prefixes))

    def _fit(self, ticks: Ticks) -> Ticks:
        """Check that the rules can be compiled for the given ticks; return the ticks."""
        rules, ontology, remembered, _ = self._joined
        compile_rules(rules.rules, remembered, ticks, ontology, rules.feedback)
        return ticks

    def _lines(self) -> Iterator[str]:
        rules, strata = self._given, self._given.strata
        levels = max(strata.values(), default=-1) + 1
        remembered = ", ".join(map(short, sorted(self._joined.remembered))) or "nothing"
        yield (
            f"{counted(len(rules.rules), 'temporal rule')} in "
            f"{counted(levels, 'stratum', 'strata')}; remembered: {remembered}"
        )
        if count := len(self._joined.ontology):
            yield f"{counted(count, 'rule')} of the ontology {'joins' if count == 1 else 'join'} them"
        by_stratum = sorted(rules.rules, key=lambda rule: strata[rule.head.atom.predicate])
        for stratum, inside in groupby(by_stratum, lambda rule: strata[rule.head.atom.predicate]):
            yield f"stratum {stratum}"
            yield from (f"    {rule}" for rule in inside)
        yield from self._window_lines(self._costs.of)
        yield from (f"warning: {warning}" for warning in self._warnings)

    def to_data(self) -> dict[str, Any]:
        strata = self._given.strata
        return {
            "rules": [
                {"rule": str(rule), "stratum": strata[rule.head.atom.predicate]} for rule in self._rules
            ],
            "ontology_rules": list(map(str, self._joined.ontology)),
            "remembered": sorted(self._joined.remembered),
            "windows": [
                {"formula": str(formula), "ticks": self._size(formula), "cost": self._costs.of(formula)}
                for formula in self._windows
            ],
            "not_in_ontology": self._not_in_ontology,
            "warnings": list(map(str, self._warnings)),
        }

    @property
    def _warnings(self) -> tuple[RuleWarning, ...]:
        return self._given.warnings_with(self._joined.remembered)


class AnswerStreamsReport(_Report):
    """Report on temporal rules that need no strata, for `pantarhei run --models`.

    Raises:
        TemporalRuleError: a rule does not fit the reasoner's window.
    """

    def __init__(
        self,
        rules: tuple[TemporalRule, ...],
        window: Window | None = None,
        ontology: pr.Ontology | None = None,
        tick: Duration | None = None,
    ) -> None:
        def fit(ticks: Ticks) -> Ticks:
            largest_windows(rules, ticks)
            return ticks

        ticks = None if window is None else compile_for_time_kind(rules, window, None, fit, tick)
        super().__init__(rules, ticks, ontology)

    def _lines(self) -> Iterator[str]:
        yield f"{counted(len(self._rules), 'temporal rule')} for answer streams, which need no strata"
        yield from (f"    {rule}" for rule in self._rules)
        yield from self._window_lines(lambda formula: "")

    def to_data(self) -> dict[str, Any]:
        return {
            "rules": [{"rule": str(rule), "stratum": None} for rule in self._rules],
            "windows": [{"formula": str(each), "ticks": self._size(each)} for each in self._windows],
            "not_in_ontology": self._not_in_ontology,
        }


def check(options: CheckOptions) -> str | None:
    """Print the report on the ontology and the rules; return the reasons if the check failed, else None.

    Raises:
        PantarheiError: an option, the ontology or a rule is invalid.
        OSError: a file cannot be read.
    """
    window, conditions = options.window, options.conditions
    if not options.sources and options.rules is None:
        raise typer.BadParameter("nothing to check: give --ontology, --rules, or both")
    check_feedback(options.feedback, options.rules)
    check_models(options.models, options.rules, options.feedback)
    ontology = None
    if options.sources:
        with naming_format(None):
            ontology = ontology_for_report(
                options.sources,
                catalog=options.catalog,
                imports=options.imports,
                language=options.language or system_language(os.environ),
            )
    rules = None if options.rules is None else _report_on_rules(options.rules, options, window, ontology)
    report = None if ontology is None else ontology.report(options.unique_names)
    if options.format == "json":
        data = {} if ontology is None or report is None else _data(ontology, report, options.depth)
        if rules is not None:
            data["temporal_rules"] = rules.to_data()
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        texts = [] if ontology is None or report is None else [_text(ontology, report, options)]
        texts += [] if rules is None else [rules.text()]
        typer.echo("\n\n".join(texts))
    return None if report is None else _why_it_fails(report, conditions, options.strict)


def _report_on_rules(
    path: Path, options: CheckOptions, window: Window | None, ontology: pr.Ontology | None
) -> _Report:
    """Read temporal rules as `pantarhei run` does with these options, and report on them."""
    tick = None if window is None else options.length_of_tick(window)
    if options.models is None:
        read = read_rules(path, ontology, options.feedback)
        return RulesReport(read, window, ontology, options.unique_names, tick)
    prefixes = None if ontology is None else declared_prefixes(ontology)
    predicates = frozenset[Predicate]() if ontology is None else ontology.predicates
    return AnswerStreamsReport(rules_without_strata(path, prefixes, predicates), window, ontology, tick)


def _why_it_fails(report: Report, conditions: Set[str], strict: bool) -> str | None:
    """Return the reasons for which the check fails; None if it succeeds. An inconsistent ontology always
    fails.
    """
    reasons = []
    if not report.consistent:
        noun = "contradiction" if report.contradiction_count == "1" else "contradictions"
        reasons.append(f"the ontology is inconsistent: {report.contradiction_count} {noun}")
    elif report.contradictions and "inconsistent" in conditions:
        reasons.append("run would refuse this ontology: it contradicts unique names; see --no-unique-names")
    if (lost := len(report.losses)) and "lost" in conditions:
        option = "--strict" if strict else "--fail-on lost"
        reasons.append(f"lost in whole or in part: {lost}; {option} allows no loss")
    if (impossible := len(report.unsatisfiable)) and "unsatisfiable" in conditions:
        reasons.append(f"can have no instance: {impossible}; --fail-on unsatisfiable allows none")
    return "; ".join(reasons) or None


def _data(ontology: pr.Ontology, report: Report, depth: int | None) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(report.to_json())
    if depth is not None:
        whole["inconsistency_normal_form"] = ontology.inconsistency_normal_form(depth=depth).to_data()
    return whole


def _text(ontology: pr.Ontology, report: Report, options: CheckOptions) -> str:
    depth, details = options.depth, options.details
    form = ontology.inconsistency_normal_form(depth=3 if depth is None else depth)
    lines = [report.text(details=details)]
    if depth is not None:
        lines += ["", f"Inconsistency-normal form, unfolded to depth {depth}:", str(form)]
    elif not ontology.triples:
        lines.append("the document holds no triples")
    elif not details:
        meaning = "; --depth 3 unfolds them to assertions" if form.constraints else ""
        lines += ["", f"{form.summary()}{meaning}"]
        lines.append("--details shows every axiom with its rules, --format json everything")
    return "\n".join(lines)
