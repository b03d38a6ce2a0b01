"""Pickles in which literals stay as they were written; rdflib's own would write them in canonical form."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

from rdflib import Literal, URIRef

from pantarhei.rdf.ntriples import typed_literal


def exactly(make: Callable[..., object], *arguments: object) -> tuple[Any, ...]:
    """What `__reduce__` has to return for `make(*arguments)`, with the literals among them as they are.

    >>> from rdflib import XSD
    >>> literal = Literal("007", datatype=XSD.integer, normalize=False)
    >>> make, arguments = exactly(list, [literal])
    >>> str(make(*arguments)[0]), str(pickle.loads(pickle.dumps(literal)))
    ('007', '7')
    """
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(arguments)
    return _made, (make, written.getvalue())


def _made(make: Callable[..., object], arguments: bytes) -> object:
    return make(*pickle.loads(arguments))


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        if type(value) is Literal:
            return _literal, (str(value), value.language, value.datatype)
        return NotImplemented


def _literal(text: str, language: str | None, datatype: URIRef | None) -> Literal:
    if datatype is None:
        return Literal(text, lang=language)
    return typed_literal(text, datatype)
