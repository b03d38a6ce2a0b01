"""Contexts that JSON-LD documents name: put into the documents, from files that the caller gives."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.rdf.first_bytes import unreadable

GivenContexts: TypeAlias = "Mapping[str, str | os.PathLike[str] | Mapping[str, Any]]"

_CONTEXT = re.compile(r'"@context"\s*:\s*')
_DECODER = json.JSONDecoder()


class Contexts:
    """Contexts by their IRIs; nothing is fetched.

    Args:
        given: by IRI a file with a JSON object that has the member `@context`, or such an object.

    Raises:
        MissingFileError: a file is not there.
        MalformedInputError: a file is not such an object.
        OptionError: what is given for an IRI is neither.
    """

    def __init__(self, given: GivenContexts | None = None) -> None:
        if not isinstance(given, Mapping | None):
            raise OptionError("contexts", repr(given)[:200], "a dictionary from IRIs to files")
        self._contexts = {iri: _context(iri, each) for iri, each in (given or {}).items()}
        self._inlined: dict[str, str] = {}  # by the text of a context

    def inlined(self, document: bytes, source: str, line: int | None) -> bytes:
        """Replace the IRIs of contexts in a document by the contexts.

        Args:
            source, line: the place of the document, for errors.

        Raises:
            MalformedInputError: one is not known, or contains itself.
        """
        if b'"@context"' not in document:
            return document
        try:
            text = document.decode()
        except UnicodeDecodeError:
            return document
        pieces, place = [], 0
        for found in _CONTEXT.finditer(text):
            if found.end() < place:
                continue  # inside the one before
            try:
                value, end = _DECODER.raw_decode(text, found.end())
            except (ValueError, RecursionError):
                break  # the parser refuses it
            written = text[found.end() : end]
            if written not in self._inlined:
                try:
                    inlined = self._of(value, ())
                except LookupError as error:
                    raise MalformedInputError(source, line, str(error.args[0])) from None
                self._inlined[written] = written if inlined == value else json.dumps(inlined)
            pieces += [text[place : found.end()], self._inlined[written]]
            place = end
        return "".join((*pieces, text[place:])).encode()

    def _of(self, value: Any, inside: tuple[str, ...]) -> Any:
        """Replace the IRIs of other contexts in a context.

        Raises:
            LookupError: one is not known, or contains itself.
        """
        if isinstance(value, str):
            if value in inside:
                raise LookupError(f"the context {value} contains itself")
            if value not in self._contexts:
                raise LookupError(_MISSING.format(value))
            return self._of(self._contexts[value], (*inside, value))
        if isinstance(value, list):
            parts = [self._of(each, inside) for each in value]
            return [one for each in parts for one in (each if isinstance(each, list) else [each])]
        if not isinstance(value, dict):
            return value
        found = {
            name: {**each, "@context": self._of(each["@context"], inside)}
            if isinstance(each, dict) and "@context" in each
            else each
            for name, each in value.items()
        }
        if isinstance(imported := found.pop("@import", None), str):
            other = self._of(imported, inside)
            if not isinstance(other, dict):
                raise LookupError(f"the context {imported} is imported, and is not an object")
            found = {**other, **found}
        return found


_MISSING = (
    "the context {} is not known, and nothing is fetched; give its file by the option contexts "
    "(--context IRI=FILE)"
)


def _context(iri: str, given: object) -> Any:
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            given = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise MalformedInputError(str(path), None, f"it is not JSON: {error}") from None
        if not (isinstance(given, Mapping) and "@context" in given):
            raise MalformedInputError(str(path), None, 'it is not a context; expected {"@context": …}')
    if isinstance(given, Mapping) and "@context" in given:
        return given["@context"]
    raise OptionError("contexts", repr(given)[:200], f'for {iri} a file, or {{"@context": …}}')
