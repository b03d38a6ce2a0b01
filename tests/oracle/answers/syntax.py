r"""Query texts parsed by rdflib, with all names resolved.

The parser is a separate instance with four corrections: it keeps literals as they are written, where rdflib
converts `01` to `1` and tabs to spaces; `\u` is followed by four digits, where rdflib reads eight if there
are as many; it keeps the IRI of `^p` inside a negated property set, which rdflib drops; and only prefixes
that the query or the caller declares are known.
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
    """Return the parse tree of a query with all names as absolute IRIs, and the base of its IRIs.

    Raises:
        QueryError: the query is malformed, or a prefix is not declared.
    """
    try:
        prologue, query = _parser.parseQuery(text)
        names = _Names(dict(namespaces))
        for declaration in prologue:
            names.declare(declaration)
        resolve = names.resolve(query)
    except ParseBaseException as error:
        raise QueryError(f"malformed query: {error}") from None
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None
    assert isinstance(resolve, CompValue)
    return resolve, names.base


def absolute(iri: str, base: str) -> URIRef:
    """Resolve an IRI reference (RFC 3986)."""
    return URIRef(iri, base=base) if base else URIRef(iri)


class _Names:
    """Prologue of a query."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self.prefixes, self.base = prefixes, ""

    def declare(self, declaration: CompValue) -> None:
        iri = absolute(declaration.iri, self.base)
        if declaration.name == "Base":
            self.base = str(iri)
        else:
            self.prefixes[declaration.prefix or ""] = str(iri)

    def resolve(self, part: object) -> object:
        """Resolve a part of the parse tree: names and literals become terms, lists Python lists."""
        if isinstance(part, CompValue):
            if part.name == "pname":
                return self._prefixed(part.prefix or "", part.localname or "")
            if part.name == "literal":
                datatype = None if part.datatype is None else self.resolve(part.datatype)
                assert datatype is None or isinstance(datatype, URIRef)
                return literal(str(part.string), datatype, part.lang)
            return CompValue(part.name, **{key: self.resolve(value) for key, value in part.items()})
        if isinstance(part, ParseResults | list):
            return [self.resolve(each) for each in part]
        return absolute(part, self.base) if isinstance(part, URIRef) else part

    def _prefixed(self, prefix: str, local: str) -> URIRef:
        if prefix not in self.prefixes:
            raise QueryError(f"the prefix {prefix}: is not declared; write PREFIX {prefix}: <…> first")
        return URIRef(self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local))


def _corrected_parser() -> ModuleType:
    """Execute rdflib's parser module again and correct the copy."""
    spec = find_spec("rdflib.plugins.sparql.parser")
    assert spec is not None and spec.loader is not None
    parser = module_from_spec(spec)
    spec.loader.exec_module(parser)
    parser.rdflib = SimpleNamespace(**{**vars(rdflib), "Literal": _as_written})  # type: ignore[attr-defined]
    parser.neg = lambda literal: _as_written(f"-{literal}", literal.datatype)  # type: ignore[attr-defined]
    parser.expandUnicodeEscapes = _unescape  # type: ignore[attr-defined]
    parser.Query.parse_with_tabs()
    inverse = parser.PathOneInPropertySet.exprs[-1]
    inverse.expr = Suppress("^") + Param("part", parser.iri | parser.A)
    return parser


def _unescape(text: str) -> str:
    r"""SPARQL 1.1, section 19.2: replace `\u` and four hexadecimal digits, or `\U` and eight, by the
    character.
    """
    four, eight = r"\\u([0-9A-Fa-f]{4})", r"\\U([0-9A-Fa-f]{8})"
    return re.sub(f"{four}|{eight}", lambda found: chr(int(found[1] or found[2], 16)), text)


def _as_written(value: str | bool, datatype: URIRef | None = None) -> Literal:
    return boolean(value) if isinstance(value, bool) else literal(value, datatype)


_parser = _corrected_parser()
