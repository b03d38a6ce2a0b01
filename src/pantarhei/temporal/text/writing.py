"""How names are written, so that a text of rules reads back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rdflib import URIRef

from pantarhei.model.display_names import ShownNames
from pantarhei.temporal.text.cursor import WORDS
from pantarhei.temporal.text.terms import USUAL_PREFIXES

_PREFIX = re.compile(r"(?:[^\W\d_][\w\-]{0,250})?")
_LOCAL = re.compile(r"\w[\w\-]*")
_BARE = re.compile(r"[^\W\d_]\w*")


def names_in_text(iris: Iterable[URIRef], prefixes: Mapping[str, str]) -> ShownNames:
    """The names of a text as it writes them: bare, with a prefix, or in full."""
    known = {
        prefix: start
        for prefix, start in (USUAL_PREFIXES | {**prefixes}).items()
        if _PREFIX.fullmatch(prefix)
    }
    return ShownNames(known, {iri: _written(iri, known) for iri in iris})


def declarations(names: ShownNames) -> list[str]:
    """The lines that declare the prefixes which the names have, other than the usual ones."""
    used = {text.partition(":")[0] for text in names.longer.values() if ":" in text and text[0] != "<"}
    if any(":" not in text for text in names.longer.values()):
        used.add("")
    return [
        f"@prefix {prefix}: <{names.prefixes[prefix]}> ."
        for prefix in sorted(used)
        if names.prefixes[prefix] != USUAL_PREFIXES.get(prefix)
    ]


def _written(iri: URIRef, prefixes: Mapping[str, str]) -> str:
    fitting = [
        (len(start), prefix)
        for prefix, start in prefixes.items()
        if iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :])
    ]
    if not fitting:
        return f"<{iri}>"
    length, prefix = max(fitting)
    local = iri[length:]
    is_bare = not prefix and _BARE.fullmatch(local) and not local[0].isupper() and local not in WORDS
    return local if is_bare else f"{prefix}:{local}"
