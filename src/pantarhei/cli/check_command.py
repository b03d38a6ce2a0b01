"""`pantarhei check`: what becomes of an ontology, and what temporal rules look back at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pantarhei.answer_streams import rules_without_strata
from pantarhei.cli.answer_streams_asked import check_models
from pantarhei.cli.check_options import Checking
from pantarhei.cli.concluded import check_feedback, declared_in, rules_from
from pantarhei.cli.follow import format_told_by
from pantarhei.cli.rules_report import AnswerStreamsReport, RulesReport
from pantarhei.model.rule import Predicate

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.window.sliding import Window


def check(options: Checking) -> str | None:
    """Print the report; returns why the check has failed, None if it has not.

    Raises:
        PantarheiError: an option, the ontology or a rule is not as it should be.
        OSError: a file cannot be read.
    """
    import pantarhei as pr

    window = options.window
    if not options.ontology and options.rules is None:
        raise typer.BadParameter("there is nothing to check: an ontology, --rules, or both")
    check_feedback(options.feedback, options.rules)
    check_models(options.models, options.rules, options.feedback)
    ontology = None
    if options.ontology:
        with format_told_by(None):
            ontology = pr.load_ontology(options.ontology, catalog=options.catalog, imports=options.imports)
    rules: RulesReport | AnswerStreamsReport | None = None
    if options.rules is not None:
        rules = _report_on_rules(options.rules, options, window, ontology)
    if options.format == "json":
        data = {} if ontology is None else _data(ontology, options)
        if rules is not None:
            data["temporal_rules"] = rules.to_data()
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        texts = [] if ontology is None else [_text(ontology, options)]
        texts += [] if rules is None else [rules.text()]
        typer.echo("\n\n".join(texts))
    return None if ontology is None or not options.strict else _why_it_fails(ontology, options)


def _report_on_rules(
    path: Path, options: Checking, window: Window | None, ontology: pr.Ontology | None
) -> RulesReport | AnswerStreamsReport:
    """Read the rules as `run` does with the same options; raises what that does."""
    if options.models is None:
        read = rules_from(path, ontology, options.feedback)
        return RulesReport(read, window, ontology, options.unique_names)
    prefixes = None if ontology is None else declared_in(ontology)
    predicates = frozenset[Predicate]() if ontology is None else ontology.predicates
    return AnswerStreamsReport(rules_without_strata(path, prefixes, predicates), window, ontology)


def _why_it_fails(ontology: pr.Ontology, options: Checking) -> str | None:
    if lost := len(ontology.losses):
        return f"lost in whole or in part: {lost}; --strict allows no loss"
    if ontology.report(options.unique_names).contradiction is not None:
        return "run would refuse this ontology: what it says contradicts unique names; see --no-unique-names"
    return None


def _data(ontology: pr.Ontology, options: Checking) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(ontology.report(options.unique_names).to_json())
    if options.depth is not None:
        whole["inconsistency_normal_form"] = ontology.inconsistency_normal_form(depth=options.depth).to_data()
    return whole


def _text(ontology: pr.Ontology, options: Checking) -> str:
    depth, details = options.depth, options.details
    form = ontology.inconsistency_normal_form(depth=3 if depth is None else depth)
    lines = [ontology.report(options.unique_names).text(details=details)]
    if depth is not None:
        lines += ["", f"Inconsistency-normal form, unfolded to depth {depth}:", str(form)]
    elif not ontology.triples:
        lines.append("the document holds no triples")
    elif not details:
        meaning = "; --depth 3 shows what they mean in terms of assertions" if form.constraints else ""
        lines += ["", f"{form.summary()}{meaning}"]
        lines.append("--details shows every axiom with its rules, --format json everything")
    return "\n".join(lines)
