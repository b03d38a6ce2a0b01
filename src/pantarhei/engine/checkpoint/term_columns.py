"""Terms as columns: their texts in one piece, their lengths, and what kind of term each is.

A literal comes back exactly as it was written: text, datatype and language.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from rdflib import BNode, Literal, URIRef

from pantarhei.engine.checkpoint.container import Column, Contents, narrow
from pantarhei.language.term import Term
from pantarhei.rdf.ntriples import typed_literal

# What stands in the column of kinds; from _MARKED on it is a literal with the mark of that place in the table
# of marks, a language as `@en`, a datatype as `^http://…`.
_IRI, _BLANK, _PLAIN, _MARKED = range(4)


def columns_of_terms(name: str, terms: Sequence[Term]) -> dict[str, Column]:
    """The columns of `terms`, whose names begin with `name`."""
    marks: dict[str, int] = {}
    kinds = [
        _IRI
        if isinstance(term, URIRef)
        else _BLANK
        if isinstance(term, BNode)
        else _PLAIN
        if (mark := _mark(term)) is None
        else marks.setdefault(mark, _MARKED + len(marks))
        for term in terms
    ]
    return {
        f"{name}.kind": narrow(np.array(kinds, np.uint32)),
        **_columns_of_texts(name, terms),
        **_columns_of_texts(f"{name}.marks", list(marks)),
    }


def _mark(literal: Literal) -> str | None:
    if literal.language is not None:
        return f"@{literal.language}"
    return None if literal.datatype is None else f"^{literal.datatype}"


def _columns_of_texts(name: str, texts: Sequence[str]) -> dict[str, Column]:
    whole = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.uint32, len(texts))
    return {f"{name}.length": narrow(lengths), f"{name}.text": np.frombuffer(whole, np.uint8)}


def read_terms(contents: Contents, name: str) -> list[Term]:
    """The terms of the columns whose names begin with `name`, in their order.

    Raises:
        CheckpointError: they are no terms.
    """
    texts, marks = _read_texts(contents, name), _read_texts(contents, f"{name}.marks")
    if not all(mark[:1] in ("@", "^") for mark in marks):
        raise contents.broken("a literal is marked with neither language nor datatype")
    kinds = contents.indices(f"{name}.kind", _MARKED + len(marks), len(texts)).tolist()
    datatypes = [URIRef(mark[1:]) for mark in marks]
    try:
        return [
            _term(kind, text)
            if kind < _MARKED
            else _literal(text, marks[kind - _MARKED], datatypes[kind - _MARKED])
            for kind, text in zip(kinds, texts, strict=True)
        ]
    except ValueError as error:
        raise contents.broken(str(error)) from error


def _read_texts(contents: Contents, name: str) -> list[str]:
    try:
        whole = contents.column(f"{name}.text").astype(np.uint8).tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise contents.broken(f"column {name}.text is no text") from error
    ends = np.cumsum(contents.counts(f"{name}.length", len(whole))).tolist()
    return [whole[start:end] for start, end in pairwise((0, *ends))]


def _term(kind: int, text: str) -> Term:
    if kind == _IRI:
        return str.__new__(URIRef, text)  # the check of its syntax was made, or not, by who made it
    return BNode(text) if kind == _BLANK else Literal(text)


def _literal(text: str, mark: str, datatype: URIRef) -> Literal:
    return Literal(text, lang=mark[1:]) if mark[0] == "@" else typed_literal(text, datatype)
