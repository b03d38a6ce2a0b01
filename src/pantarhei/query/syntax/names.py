"""Names and literals of a query: prefixes, relative IRIs, blank nodes, and variables that nobody can have
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import count
from typing import Any, NamedTuple

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.errors import QueryError, QueryTextError
from pantarhei.model.term import Term, respelled
from pantarhei.query.algebra.nodes import Place
from pantarhei.query.syntax.parser import place_as_written

_ESCAPED = re.compile(r"\\(.)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class OwnFunction(NamedTuple):
    """A function of the algebra that has no name in SPARQL.

    Args:
        name: in a `Call`.
        arguments: what they are, one by one.
    """

    name: str
    arguments: tuple[str, ...]


class Names:
    """What names mean in one query.

    `prefixes` has the namespaces of all prefixes.

    Args:
        prologue: rdflib's parse tree of its PREFIX and BASE.
        prefixes: those that need no declaration.
        base: what relative IRIs are resolved against until BASE says otherwise.
        functions: by their IRIs, those that are known beside casts and rdflib's.
        text: the query as it is written, None where it is not known.
        whole: its parse tree.
    """

    def __init__(
        self,
        prologue: Iterable[Any],
        prefixes: Mapping[str, str],
        base: str | None,
        functions: Mapping[str, OwnFunction] | None = None,
        text: str | None = None,
        whole: Any = None,
    ) -> None:
        self._text, self._whole = text, whole
        self.base, self.functions = base, functions or {}
        self.prefixes = dict(prefixes)
        self._fresh = count(1)
        self._blank: dict[BNode, Variable] = {}
        self._blank_in: dict[BNode, int] = {}
        self._met: dict[Variable, None] = {}
        for part in prologue:
            if part.name == "Base":
                self.base = str(self.iri(part.iri))
            else:
                self.prefixes[part.prefix or ""] = str(self.iri(part.iri))

    def error(self, part: Any, problem: str) -> QueryError:
        """What is wrong with a part of the parse tree, where it begins, or else where the query does."""
        place = next((p for p in (_place_of(part), _place_of(self._whole)) if p is not None), None)
        if self._text is None or place is None:
            return QueryError(f"malformed query: {problem}")
        return QueryTextError.at(self._text, place_as_written(self._text, place), problem)

    def fresh(self, stem: str) -> Variable:
        """A variable that no query can have."""
        return Variable(f"#{stem}{next(self._fresh)}")

    def met(self, variable: Variable) -> Variable:
        """A variable, where the text binds it."""
        self._met.setdefault(variable)
        return variable

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is met inside is not seen outside, and has no place in the order."""
        before = dict(self._met)
        yield
        self._met = before

    def in_order(self, variables: Iterable[Variable]) -> list[Variable]:
        """Variables in the order in which the text first binds them."""
        wanted = dict.fromkeys(variables)
        return [v for v in self._met if v in wanted] + [v for v in wanted if v not in self._met]

    def iri(self, part: Any) -> URIRef:
        """The IRI of an IRI, maybe a relative one, or a prefixed name.

        Raises:
            QueryError: the prefix is not declared.
        """
        if isinstance(part, URIRef):
            is_relative = self.base and not _SCHEME.match(part)
            return URIRef(part, base=self.base) if is_relative else URIRef(part)
        prefix = part.prefix or ""
        namespace = self.prefixes.get(prefix)
        if namespace is None:
            near = get_close_matches(prefix, self.prefixes, 1)
            hint = f"; did you mean {near[0]}:" if near else ""
            problem = f"the prefix {prefix}: is not declared{hint}; write PREFIX {prefix}: <…> first"
            raise self.error(part, problem)
        return URIRef(namespace + _ESCAPED.sub(r"\1", part.localname or ""))

    def term(self, part: Any) -> Term:
        """The term that is written."""
        if isinstance(part, Literal | BNode):
            return part
        if getattr(part, "name", None) == "literal":
            datatype = None if part.datatype is None else self.iri(part.datatype)
            return respelled(Literal(part.string, lang=part.lang, datatype=datatype, normalize=False))
        return self.iri(part)

    def place(self, part: Any, pattern: int) -> Place:
        """What a part of a pattern is; a blank node is a variable.

        Args:
            pattern: the number of the basic graph pattern, since a label belongs to one.

        Raises:
            QueryError: the label was met in another.
        """
        if isinstance(part, Variable):
            return self.met(part)
        term = self.term(part)
        if not isinstance(term, BNode):
            return term
        if self._blank_in.setdefault(term, pattern) != pattern:
            problem = f"the blank node _:{term} is used in two groups; write a variable instead"
            raise self.error(part, problem)
        if term not in self._blank:
            self._blank[term] = self.fresh("blank")
        return self._blank[term]


def _place_of(part: Any) -> int | None:
    """Where a part begins, in characters of the text without escapes; None where that is not known."""
    return getattr(part, "place", None)
