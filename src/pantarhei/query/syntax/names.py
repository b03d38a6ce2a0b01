"""Names and terms of a query: prefixes, relative IRIs, literals, blank nodes, and generated variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import lru_cache
from itertools import count

from lark import Token
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import QueryTextError
from pantarhei.model.term import Term, respelled
from pantarhei.query.algebra.nodes import Place
from pantarhei.query.syntax.grammar import ParseTree, Part, QueryText, subtrees

_NAME_ESCAPE = re.compile(r"\\(.)")
_STRING_ESCAPE = re.compile(r"\\([\"'tbnrf\\])")
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

Written = Part | Term
"""A part of a parse tree, or a term that stands for one, such as the nodes of a collection."""


class NameScope:
    """Scope of the names in one query.

    `prefixes` maps each prefix to its namespace.

    Args:
        text: the query.
        tree: its parse tree, with its PREFIX and BASE declarations.
        prefixes: prefixes that need no declaration.
        base: base of relative IRIs before the first BASE.
    """

    def __init__(
        self, text: QueryText, tree: ParseTree, prefixes: Mapping[str, str], base: str | None
    ) -> None:
        self.text, self.base = text, base
        self.prefixes = dict(prefixes)
        self._fresh = count(1)
        self._blank: dict[BNode, Variable] = {}
        self._blank_in: dict[BNode, int] = {}
        self._met: dict[Variable, None] = {}
        for prologue in subtrees(tree, "prologue"):
            for part in subtrees(prologue, "prefix", "base"):
                *prefix, iri = part.children
                if prefix:
                    self.prefixes[str(prefix[0])[:-1]] = str(self.iri(iri))
                else:
                    self.base = str(self.iri(iri))

    def error(self, part: Part, problem: str, expected: str | None = None) -> QueryTextError:
        """Return an error at a part of the text."""
        return self.text.error(part, problem, expected)

    def fresh(self, stem: str) -> Variable:
        """Return a variable that no query can contain."""
        return Variable(f"#{stem}{next(self._fresh)}")

    def bind(self, variable: Variable) -> Variable:
        """Note a variable that the text binds; the order is kept for `SELECT *`."""
        self._met.setdefault(variable)
        return variable

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Keep variables noted inside out of the order of the enclosing group."""
        before = dict(self._met)
        yield
        self._met = before

    def in_order(self, variables: Iterable[Variable]) -> list[Variable]:
        """Return variables in the order in which the text first binds them."""
        given = dict.fromkeys(variables)
        return [v for v in self._met if v in given] + [v for v in given if v not in self._met]

    def iri(self, part: Written) -> URIRef:
        """Return the IRI of an IRI reference or a prefixed name.

        Raises:
            QueryTextError: the prefix is not declared.
        """
        if not isinstance(part, Token):
            assert isinstance(part, URIRef), part
            return part
        if part.type == "IRI":
            reference = part[1:-1]
            is_relative = self.base and not _SCHEME.match(reference)
            return URIRef(reference, base=self.base) if is_relative else URIRef(reference)
        prefix, _, local = part.partition(":")
        namespace = self.prefixes.get(prefix)
        if namespace is None:
            near = get_close_matches(prefix, self.prefixes, 1)
            hint = f"; did you mean {near[0]}:" if near else ""
            problem = f"the prefix {prefix}: is not declared{hint}; write PREFIX {prefix}: <…> first"
            raise self.error(part, problem)
        return URIRef(namespace + _NAME_ESCAPE.sub(r"\1", local))

    def term(self, part: Written) -> Term:
        """Return the term of a token or of a `string`, `anon` or `nil` tree; literals keep their form."""
        if isinstance(part, URIRef | BNode | Literal):
            return part
        if not isinstance(part, Token):
            return self._composed(part)
        match part.type:
            case "INTEGER" | "DECIMAL" | "DOUBLE" | "SIGNED":
                return number(part)
            case "BOOLEAN":
                return Literal(part.lower() == "true")
            case "BLANK":
                return BNode(part[2:])
            case "A":
                return RDF.type
        return self.iri(part)

    def _composed(self, part: ParseTree) -> Term:
        if part.data == "anon":
            return BNode()
        if part.data == "nil":
            return RDF.nil
        written, *tag = part.children
        content = string_content(written)
        if not tag:
            return Literal(content)
        if isinstance(tag[0], Token) and tag[0].type == "LANGTAG":
            return Literal(content, lang=tag[0][1:])
        return respelled(Literal(content, datatype=self.iri(tag[0]), normalize=False))

    def place(self, part: Written, pattern: int) -> Place:
        """Return the place of a triple pattern; a blank node becomes a variable.

        Args:
            pattern: number of the basic graph pattern, the scope of a blank node's label.

        Raises:
            QueryTextError: the label is used in another pattern.
        """
        if isinstance(part, Token) and part.type == "VAR":
            return self.bind(variable(part))
        term = self.term(part)
        if not isinstance(term, BNode):
            return term
        if self._blank_in.setdefault(term, pattern) != pattern:
            assert isinstance(part, Token), "only a label occurs twice"
            problem = f"the blank node _:{term} is used in two groups; write a variable instead"
            raise self.error(part, problem)
        if term not in self._blank:
            self._blank[term] = self.fresh("blank")
        return self._blank[term]


@lru_cache(maxsize=4096)
def _variable(name: str) -> Variable:
    return Variable(name)


def variable(token: Part) -> Variable:
    """Return the variable of a token; equal ones are one object, which is compared fast."""
    assert isinstance(token, Token)
    return _variable(token[1:])


def string_content(token: Part) -> str:
    """Return the characters of a string literal without its quotes and escapes."""
    assert isinstance(token, Token)
    quotes = 3 if token[:3] in ('"""', "'" * 3) else 1
    content = token[quotes:-quotes]
    return _STRING_ESCAPE.sub(lambda escape: _CHARACTERS.get(escape[1], escape[1]), content)


def number(written: str) -> Literal:
    """Return the literal of a number.

    >>> str(number("1e3").datatype), str(number("01"))
    ('http://www.w3.org/2001/XMLSchema#double', '01')
    """
    is_double = "e" in written or "E" in written
    datatype = XSD.double if is_double else XSD.decimal if "." in written else XSD.integer
    return Literal(written, datatype=datatype, normalize=False)
