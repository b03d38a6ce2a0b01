"""The options of `pantarhei check`, each said once: its name, type, default and help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from pantarhei.cli.given_values import length_of_range, length_of_slide
from pantarhei.cli.run_options import Imports
from pantarhei.model.time import time_of

if TYPE_CHECKING:
    from pantarhei.window.sliding import Window


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to look at before a stream comes: the options of `pantarhei check`."""

    ontology: Annotated[
        list[str] | None,
        Argument(
            metavar="[PATH]...",
            help="The ontology: Turtle, RDF/XML, OWL/XML, functional or Manchester syntax, N-Triples, "
            "JSON-LD; files, folders or globs. Several are one ontology.",
        ),
    ] = None
    rules: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Temporal rules: their strata, what is remembered, how far their windows reach back. With "
            "an ontology its prefixes need no declaration, and names that it does not have are told.",
        ),
    ] = None
    feedback: Annotated[
        bool,
        Option(
            "--feedback",
            help="The rules are to run with feedback: what cannot be asserted is refused, or has a warning.",
        ),
    ] = False
    models: Annotated[
        int | None,
        Option(
            min=0,
            metavar="N",
            help="Check the rules as run takes them with --models: they need no strata.",
        ),
    ] = None
    range: Annotated[
        str | None,
        Option(
            metavar="DURATION",
            help="Length of the window that the rules are to run over: then theirs are counted in ticks, and "
            "what does not fit is refused.",
        ),
    ] = None
    slide: Annotated[
        str | None, Option(metavar="DURATION", help="Step of that window's end: the tick of the rules.")
    ] = None
    strict: Annotated[
        bool,
        Option(
            "--strict", help="Exit with 1 if something of the ontology is lost, or if run would refuse it."
        ),
    ] = False
    unique_names: Annotated[
        bool,
        Option(
            "--unique-names/--no-unique-names",
            help="Whether different names are different things, as in run: what the ontology itself says may "
            "contradict that.",
        ),
    ] = True
    details: Annotated[
        bool, Option("--details", help="Show every axiom and the rules it makes, nothing shortened.")
    ] = False
    depth: Annotated[
        int | None,
        Option(min=0, help="Show the inconsistency-normal form too, unfolded to this depth."),
    ] = None
    catalog: Annotated[
        Path | None,
        Option(
            metavar="PATH",
            help="Where imports are found: a folder or an XML catalog. Nothing is ever fetched.",
        ),
    ] = None
    imports: Annotated[Imports, Option(help="What to do with imports that are not found.")] = "error"
    format: Annotated[Literal["text", "json"], Option(help="How the report is written.")] = "text"

    @property
    def window(self) -> Window | None:
        """The window that rules are to run over; None if it is not said.

        Raises:
            BadParameter: a length is none, or a step is said alone.
            OptionError: there is no such window.
        """
        from pantarhei.temporal.ticks import default_time_kind
        from pantarhei.window.sliding import Window, step_to

        if self.range is None:
            if self.slide is not None:
                raise typer.BadParameter("the length of the window is asked for", param_hint="--range")
            return None
        window = Window(length_of_range(self.range), length_of_slide(self.slide))
        step_to(
            window, None, time_of(0, default_time_kind(window))
        )  # raises what is wrong with both together
        return window
