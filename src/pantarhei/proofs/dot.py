"""Proofs as text for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pantarhei.proofs.drawing import COLOURS, wrapped
from pantarhei.proofs.telling import Telling

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof


def dot_of(proof: Proof) -> str:
    """A graph of all its facts, what is proved on top; arrows lead from premises to conclusions."""
    telling = Telling(proof)
    return telling.told(lambda: "\n".join(_lines(telling)) + "\n")


def _lines(telling: Telling) -> Iterator[str]:
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
