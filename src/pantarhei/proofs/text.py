"""Proofs as trees of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pantarhei.proofs.outline import DEEPEST, Section
from pantarhei.proofs.telling import Telling

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof


def text_of(proof: Proof, deepest: int = DEEPEST) -> str:
    """What is proved, below it because of what, down to assertions and background; then the axioms.

    Args:
        deepest: how deep the tree is nested; what goes deeper is told in a tree of its own below it.
    """
    telling = Telling(proof, deepest)
    return telling.told(lambda: "\n".join(_lines(telling)))


def tree_of(proof: Proof) -> list[str]:
    """The lines of the tree alone, which does not say the axioms."""
    telling = Telling(proof, numbered=False)
    return telling.told(lambda: list(_tree(telling)))


def _lines(telling: Telling) -> Iterator[str]:
    yield from _tree(telling)
    yield telling.ground()
    if caveat := telling.caveat():
        yield caveat
    yield from telling.axioms()


def _tree(telling: Telling) -> Iterator[str]:
    for section in telling.outline.sections:
        if section.number > 1:
            yield ""
        yield from _section(telling, section)


def _section(telling: Telling, section: Section) -> Iterator[str]:
    rails: list[str] = []  # what stands left of the facts of each depth
    for entry in section.entries:
        line = telling.line(entry, section)
        if entry.depth:
            joint = "because" if entry.depth > len(rails) else "and"
            del rails[entry.depth - 1 :]
            line = f"{''.join(rails)}{'└─' if entry.is_last else '├─'} {joint} {line}"
            rails.append("   " if entry.is_last else "│  ")
        yield line
