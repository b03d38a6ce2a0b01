"""Static graphs of texts in stream languages, read from the files that `--static IRI=FILE` names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from pantarhei.cli.given_values import iri_and_file
from pantarhei.errors import QueryError
from pantarhei.model.messages import did_you_mean
from pantarhei.model.term import Term, Triple
from pantarhei.owl.document import read_document
from pantarhei.owl.sources import sources_of


def static_graphs(
    given: Sequence[str], names: Iterable[Term], windows: Iterable[Term]
) -> dict[str, list[Triple]]:
    """Read the static graphs that a text names.

    Args:
        given: the values of the option; files of one IRI are one graph.
        names: the graphs that the text names, windows excluded.
        windows: the windows of the text.

    Raises:
        BadParameter: a value is not IRI=FILE, or the text names no such graph.
        QueryError: the text names a graph whose file is not given.
        InputError: a file cannot be read.
    """
    wanted = [str(name) for name in dict.fromkeys(names)]
    graphs: dict[str, list[Triple]] = {}
    for value in given:
        iri, path = iri_and_file(value, "--static", wanted)
        if iri not in wanted:
            asked = ", ".join(f"<{name}>" for name in wanted) or "none"
            kind = "a window" if iri in map(str, windows) else "not a static graph"
            problem = f"<{iri}> is {kind} of the query; its static graphs: {asked}"
            raise typer.BadParameter(f"{problem}{did_you_mean(iri, wanted)}", param_hint="--static")
        documents = map(read_document, sources_of([Path(path)]))
        graphs.setdefault(iri, []).extend(triple for each in documents for triple in each.triples)
    for name in wanted:
        if name not in graphs:
            problem = f"the query asks for the graph <{name}>, which is not given"
            advice = f"give its file as --static {name}=FILE; facts that always hold are --background"
            raise QueryError(f"{problem}: {advice}")
    return graphs
