"""Options of `pantarhei check`: names, types, defaults and help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from pantarhei.cli.given_values import length_of
from pantarhei.cli.run_options import LANGUAGE_HELP, ONTOLOGY_HELP, Imports
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.time import Duration, time_of

if TYPE_CHECKING:
    from pantarhei.window.sliding import Window


CONDITIONS = ("unsatisfiable", "lost", "inconsistent")
"""Conditions under which a check can fail."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options of `pantarhei check`."""

    files: Annotated[list[str] | None, Argument(metavar="[PATH]...", help="Ontology, as for --ontology.")] = (
        None
    )
    ontology: Annotated[list[str] | None, Option(metavar="PATH", help=ONTOLOGY_HELP)] = None
    rules: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Temporal rules: report strata, remembered predicates and sizes of windows. With an "
            "ontology, its prefixes need no declaration, and unknown names are reported.",
        ),
    ] = None
    feedback: Annotated[
        bool,
        Option(
            "--feedback",
            help="Check the rules for feedback: conclusions that cannot be asserted are errors or warnings.",
        ),
    ] = False
    models: Annotated[
        int | None,
        Option(
            min=0,
            metavar="N",
            help="Check the rules for run --models, which needs no strata.",
        ),
    ] = None
    range: Annotated[
        str | None,
        Option(
            metavar="DURATION",
            help="Length of the reasoner's window. The rules' windows are then reported in ticks; too many "
            "ticks, and units that the timestamps lack, are errors.",
        ),
    ] = None
    slide: Annotated[str | None, Option(metavar="DURATION", help="Slide of the reasoner's window.")] = None
    tick: Annotated[
        str | None,
        Option(metavar="DURATION", help="Length of a tick of the rules; by default the slide."),
    ] = None
    strict: Annotated[
        bool,
        Option(
            "--strict",
            help="Exit with 1 if axioms are lost, or if run would refuse the ontology; equal to --fail-on "
            "lost,inconsistent.",
        ),
    ] = False
    fail_on: Annotated[
        list[str] | None,
        Option(
            metavar="CONDITION",
            help="Exit with 1 under a condition: unsatisfiable (a class or property can have no instance), "
            "lost (an axiom is lost), inconsistent (a contradiction under unique names). Repeat, or separate "
            "by commas. An ontology that is inconsistent without unique names always exits with 1.",
        ),
    ] = None
    unique_names: Annotated[
        bool,
        Option(
            "--unique-names/--no-unique-names",
            help="Assume that different names denote different things, as run does; the ontology may "
            "contradict that.",
        ),
    ] = True
    details: Annotated[bool, Option("--details", help="Show every axiom with its rules, unabridged.")] = False
    depth: Annotated[
        int | None,
        Option(min=0, help="Show the inconsistency-normal form, unfolded to this depth."),
    ] = None
    catalog: Annotated[
        Path | None,
        Option(
            metavar="PATH",
            help="Folder or XML catalog with imported ontologies. Nothing is fetched.",
        ),
    ] = None
    imports: Annotated[Imports, Option(help="Handling of imports that are not found.")] = "error"
    language: Annotated[list[str] | None, Option(metavar="TAG", help=LANGUAGE_HELP)] = None
    format: Annotated[Literal["text", "json"], Option(help="Format of the report.")] = "text"

    @property
    def sources(self) -> list[str]:
        """All parts of the ontology, in the order in which they are merged."""
        return [*(self.files or ()), *(self.ontology or ())]

    @property
    def conditions(self) -> frozenset[str]:
        """The conditions under which the check fails.

        Raises:
            BadParameter: a condition is unknown.
        """
        given = [part.strip() for text in self.fail_on or () for part in text.split(",")]
        for condition in given:
            if condition not in CONDITIONS:
                known = f"{', '.join(CONDITIONS)}{did_you_mean(condition, CONDITIONS)}"
                problem = f"{condition!r} is not one of {known}"
                raise typer.BadParameter(problem, param_hint="--fail-on")
        return frozenset([*given, *(("lost", "inconsistent") if self.strict else ())])

    @property
    def window(self) -> Window | None:
        """Window of the reasoner that evaluates the rules; None if `--range` is not given.

        Raises:
            BadParameter: a length is invalid, or `--slide` or `--tick` is given alone.
            OptionError: the window is invalid.
        """
        from pantarhei.temporal.ticks import default_time_kind
        from pantarhei.window.sliding import Window, step_to

        if self.range is None:
            for name in ("slide", "tick"):
                if getattr(self, name) is not None:
                    raise typer.BadParameter(
                        f"--{name} needs it; give the length of the window", param_hint="--range"
                    )
            return None
        slide = None if self.slide is None else length_of(self.slide, "--slide")
        window = Window(length_of(self.range, "--range"), slide)
        step_to(window, None, time_of(0, default_time_kind(window)))  # raises if range and slide do not fit
        return window

    def length_of_tick(self, window: Window) -> Duration | None:
        """Return the length of a tick; None for the slide of the window.

        Raises:
            BadParameter, OptionError: the length is invalid.
        """
        from pantarhei.temporal.ticks import check_tick

        tick = None if self.tick is None else length_of(self.tick, "--tick")
        if tick is not None:
            check_tick(tick, window)
        return tick
