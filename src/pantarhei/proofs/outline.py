"""The order in which a proof is told: each fact once, above what it follows from."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pantarhei.proofs.proof import ProofStep

DEEPEST = 8
"""How deep a section is nested; what follows from deeper down has a section of its own."""


class Mention(Enum):
    """What stands below a fact where it is mentioned."""

    HERE = "what it follows from, or nothing since it is given"
    EARLIER = "nothing: it was told earlier"
    SECTION = "nothing: a later section tells it"


class OutlineEntry(NamedTuple):
    """A fact that is mentioned.

    Args:
        step: its place in the proof.
        depth: 0 for what a section is about.
        mention: where it is told.
        is_last: whether it is the last of those that its parent follows from.
    """

    step: int
    depth: int
    mention: Mention
    is_last: bool


class Section(NamedTuple):
    """A part of what is told: a fact, and down to some depth what it follows from."""

    number: int
    entries: list[OutlineEntry]


class Outline(NamedTuple):
    """The sections, the first about what is proved, and which sections tell which steps."""

    sections: list[Section]
    sections_of: dict[int, int]


def outline(steps: Sequence[ProofStep], deepest: int = DEEPEST) -> Outline:
    """The order in which steps are told. Costs the premises."""
    sections_of = {len(steps) - 1: 1}
    waiting, told, sections = deque(sections_of), set[int](), list[Section]()
    while waiting:
        root = waiting.popleft()
        entries: list[OutlineEntry] = []
        work = [(root, 0, True)]
        while work:
            step, depth, is_last = work.pop()
            premises = tuple(dict.fromkeys(steps[step].premises))
            mention = Mention.HERE
            if step in told:
                mention = Mention.EARLIER
            elif step in sections_of and step != root:
                mention = Mention.SECTION
            elif depth == deepest and premises:
                mention = Mention.SECTION
                sections_of[step] = len(sections_of) + 1
                waiting.append(step)
            entries.append(OutlineEntry(step, depth, mention, is_last))
            if mention is Mention.HERE:
                told.add(step)
                work += [(p, depth + 1, p == premises[-1]) for p in reversed(premises)]
        sections.append(Section(len(sections) + 1, entries))
    return Outline(sections, sections_of)
