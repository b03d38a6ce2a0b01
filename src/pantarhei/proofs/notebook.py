"""Proofs as HTML for notebooks: the tree, whose branches fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from pantarhei.proofs.outline import Mention, Section
from pantarhei.proofs.telling import Telling

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof


def html_of(proof: Proof) -> str:
    """The tree, then what it rests on and the axioms."""
    telling = Telling(proof)
    return telling.told(lambda: "".join(_parts(telling)))


def html_page(title: str, proofs: Iterable[Proof]) -> str:
    """Return a page of its own with the proofs; it has no scripts and loads nothing."""
    heading = escape(title)
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{heading}</title></head>\n'
    return f"{head}<body>\n<h1>{heading}</h1>\n{''.join(map(html_of, proofs))}\n</body></html>\n"


def _parts(telling: Telling) -> Iterator[str]:
    yield '<div class="pantarhei-proof">'
    for section in telling.outline.sections:
        yield "<ul>"
        yield from _section(telling, section)
        yield "</ul>"
    for line in filter(None, (telling.ground(), telling.caveat())):
        yield f"<p>{escape(line)}</p>"
    heading, *axioms = telling.axioms() or [""]
    if axioms:
        yield f"<details><summary>{escape(heading)}</summary>"
        yield "".join(f"<div>{escape(axiom)}</div>" for axiom in axioms)
        yield "</details>"
    yield "</div>"


def _section(telling: Telling, section: Section) -> Iterator[str]:
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
