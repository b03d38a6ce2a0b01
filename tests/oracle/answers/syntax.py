"""Texts of queries read by rdflib's parser, with all names resolved.

The parser is an instance of its own, mended in four places: it keeps literals as they are written, where
rdflib's makes `01` into `1` and tabs into spaces; `\\u` is followed by four digits, where rdflib's takes
eight if they are there; it keeps the IRI of `^p` inside a negated property set, which rdflib's drops; and no
prefix is known but those that the query or the caller declares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace

import rdflib
from pyparsing import ParseBaseException, ParseResults, Suppress
from rdflib import Literal, URIRef
from rdflib.plugins.sparql.parserutils import CompValue, Param

from oracle.answers.terms import boolean, literal
from pantarhei.errors import QueryError


def parse(text: str, namespaces: Mapping[str, str]) -> tuple[CompValue, str]:
    """The parse tree of a query without prefixed and relative names, and the base of its IRIs.

    Raises:
        QueryError: it is malformed, or a prefix is not declared.
    """
    try:
        prologue, query = _parser.parseQuery(text)
        names = _Names(dict(namespaces))
        for declaration in prologue:
            names.declare(declaration)
        resolved = names.resolved(query)
    except ParseBaseException as error:
        raise QueryError(f"malformed query: {error}") from None
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None
    assert isinstance(resolved, CompValue)
    return resolved, names.base


def absolute(iri: str, base: str) -> URIRef:
    """The IRI that a reference names (RFC 3986)."""
    return URIRef(iri, base=base) if base else URIRef(iri)


class _Names:
    """The prologue of a query."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self.prefixes, self.base = prefixes, ""

    def declare(self, declaration: CompValue) -> None:
        iri = absolute(declaration.iri, self.base)
        if declaration.name == "Base":
            self.base = str(iri)
        else:
            self.prefixes[declaration.prefix or ""] = str(iri)

    def resolved(self, part: object) -> object:
        """A part of the parse tree, its names and literals as terms and its lists as lists."""
        if isinstance(part, CompValue):
            if part.name == "pname":
                return self._prefixed(part.prefix or "", part.localname or "")
            if part.name == "literal":
                datatype = None if part.datatype is None else self.resolved(part.datatype)
                assert datatype is None or isinstance(datatype, URIRef)
                return literal(str(part.string), datatype, part.lang)
            return CompValue(part.name, **{key: self.resolved(value) for key, value in part.items()})
        if isinstance(part, ParseResults | list):
            return [self.resolved(each) for each in part]
        return absolute(part, self.base) if isinstance(part, URIRef) else part

    def _prefixed(self, prefix: str, local: str) -> URIRef:
        if prefix not in self.prefixes:
            raise QueryError(f"the prefix {prefix}: is not declared; write PREFIX {prefix}: <…> first")
        return URIRef(self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local))


def _own_parser() -> ModuleType:
    """rdflib's parser, executed once more and mended."""
    spec = find_spec("rdflib.plugins.sparql.parser")
    assert spec is not None and spec.loader is not None
    parser = module_from_spec(spec)
    spec.loader.exec_module(parser)
    parser.rdflib = SimpleNamespace(**{**vars(rdflib), "Literal": _as_written})  # type: ignore[attr-defined]
    parser.neg = lambda literal: _as_written(f"-{literal}", literal.datatype)  # type: ignore[attr-defined]
    parser.expandUnicodeEscapes = _without_escapes  # type: ignore[attr-defined]
    parser.Query.parse_with_tabs()
    inverse = parser.PathOneInPropertySet.exprs[-1]
    inverse.expr = Suppress("^") + Param("part", parser.iri | parser.A)
    return parser


def _without_escapes(text: str) -> str:
    """SPARQL 1.1, section 19.2: `\\u` and four hexadecimal digits, or `\\U` and eight, are a character."""
    four, eight = r"\\u([0-9A-Fa-f]{4})", r"\\U([0-9A-Fa-f]{8})"
    return re.sub(f"{four}|{eight}", lambda found: chr(int(found[1] or found[2], 16)), text)


def _as_written(value: str | bool, datatype: URIRef | None = None) -> Literal:
    return boolean(value) if isinstance(value, bool) else literal(value, datatype)


_parser = _own_parser()
