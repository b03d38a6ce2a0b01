"""Terms and triples as columns.

A term is its text, and a mark that says what it is: `<` an IRI, `_` a blank node, nothing a plain literal,
`@en` one in a language, `^http://…` one of a datatype. Each comes back exactly as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.numbers import Integers
from pantarhei.engine.checkpoint.container import Column, Contents, lengths, narrow
from pantarhei.model.term import Term, Triple, check_triple
from pantarhei.rdf.ntriples import typed_literal

_PLACES = ("subject", "predicate", "object")


def mark_of(term: Term) -> str:
    """What tells the term from others of the same text."""
    if isinstance(term, URIRef | BNode):
        return "<" if isinstance(term, URIRef) else "_"
    if term.language is not None:
        return f"@{term.language}"
    return "" if term.datatype is None else f"^{term.datatype}"


def columns_of_terms(name: str, terms: Sequence[Term]) -> dict[str, Column]:
    """The columns of `terms`, whose names begin with `name`: the texts with those of the marks behind them,
    and which of the marks each term has.
    """
    marks: dict[str, int] = {}
    kinds = [
        marks.setdefault("<" if type(term) is URIRef else mark_of(term), len(marks))  # a call would cost more
        for term in terms
    ]
    texts = [*terms, *marks]
    whole = "".join(texts).encode("utf-8", "surrogatepass")
    return {
        f"{name}.mark": narrow(np.array(kinds, np.uint32)),
        f"{name}.length": lengths(texts),
        f"{name}.text": np.frombuffer(whole, np.uint8),
    }


def read_terms(contents: Contents, name: str) -> list[Term]:
    """The terms of the columns whose names begin with `name`, in their order."""
    whole = contents.columns[f"{name}.text"].tobytes().decode("utf-8", "surrogatepass")
    texts, kinds = contents.split(f"{name}.length", whole), contents.column(f"{name}.mark").tolist()
    makers = [_maker(mark) for mark in texts[len(kinds) :]]
    return [makers[kind](text) for kind, text in zip(kinds, texts[: len(kinds)], strict=True)]


def _maker(mark: str) -> Callable[[str], Term]:
    """What makes a term with that mark of its text."""
    match mark[:1]:
        case "<":
            return partial(str.__new__, URIRef)  # the check of its syntax was made, or not, by who made it
        case "_":
            return BNode
        case "":
            return Literal
        case "@":
            return partial(Literal, lang=mark[1:])
        case "^":
            return partial(typed_literal, datatype=URIRef(mark[1:]))
    raise ValueError(f"a term is marked with {mark!r}")


def columns_of_triples(name: str, rows: Integers, terms: Sequence[Term]) -> dict[str, Column]:
    """The columns of triples, whose names begin with `name`, from rows of three places in `terms`."""
    places = zip(_PLACES, rows.T, strict=True)
    return {
        **{f"{name}.{place}": narrow(column) for place, column in places},
        **columns_of_terms(name, terms),
    }


def read_triples(contents: Contents, name: str) -> list[Triple]:
    """The triples of the columns whose names begin with `name`, in their order."""
    terms = read_terms(contents, name)
    columns = (contents.column(f"{name}.{place}").tolist() for place in _PLACES)
    return [check_triple((terms[s], terms[p], terms[o])) for s, p, o in zip(*columns, strict=True)]
