"""Reader of names, terms and expressions: parse tree to algebra."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import count

from lark import Token
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import QueryError, QueryTextError
from pantarhei.model.term import Term, respelled
from pantarhei.query.algebra.nodes import TIMESTAMP, Aggregate, Call, Expression, Node, PatternTerm
from pantarhei.query.expressions import check_pattern, is_known_function
from pantarhei.query.syntax.grammar import ARITIES, ParseTree, Part, QueryText, stream_word, subtrees, tokens

_NAME_ESCAPE = re.compile(r"\\(.)")
_STRING_ESCAPE = re.compile(r"\\([\"'tbnrf\\])")
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

Written = Part | Term
"""Part of a parse tree, or a term that the text implies, such as a node of a collection."""


class NameScope:
    """Scope of the names in one query.

    `prefixes` maps each prefix to its namespace.

    Args:
        text: the query.
        tree: parse tree of the query, with its PREFIX and BASE declarations.
        prefixes: prefixes that the query can use without declaring them.
        base: base of relative IRIs before the first BASE.
    """

    def __init__(
        self, text: QueryText, tree: ParseTree, prefixes: Mapping[str, str], base: str | None
    ) -> None:
        self.text, self.base = text, base
        self.prefixes = dict(prefixes)
        self._fresh = count(1)
        self._blank_variables: dict[BNode, Variable] = {}
        self._blank_patterns: dict[BNode, int] = {}
        self._bound: dict[Variable, None] = {}
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
        """Return a new variable with a name that no query can contain."""
        return Variable(f"#{stem}{next(self._fresh)}")

    def bind(self, variable: Variable) -> Variable:
        """Record a variable that the text binds, since `SELECT *` has the order of the text."""
        self._bound.setdefault(variable)
        return variable

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Context in which recorded variables do not count for the enclosing group."""
        before = dict(self._bound)
        yield
        self._bound = before

    def in_order(self, variables: Iterable[Variable]) -> list[Variable]:
        """Order variables by their first binding in the text."""
        given = dict.fromkeys(variables)
        return [v for v in self._bound if v in given] + [v for v in given if v not in self._bound]

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
        """Return the term of a token, or of a `string`, `anon` or `nil` tree; literals keep their form."""
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

    def pattern_term(self, part: Written, pattern: int) -> PatternTerm:
        """Return the term or variable at a position of a triple pattern; a blank node becomes a variable.

        Args:
            pattern: number of the basic graph pattern, which is the scope of the label of a blank node.

        Raises:
            QueryTextError: the label is used in another basic graph pattern.
        """
        if isinstance(part, Token) and part.type == "VAR":
            return self.bind(variable(part))
        term = self.term(part)
        if not isinstance(term, BNode):
            return term
        if self._blank_patterns.setdefault(term, pattern) != pattern:
            assert isinstance(part, Token), "only a label occurs twice"
            problem = f"the blank node _:{term} is used in two groups; write a variable instead"
            raise self.error(part, problem)
        if term not in self._blank_variables:
            self._blank_variables[term] = self.fresh("blank")
        return self._blank_variables[term]


@lru_cache(maxsize=4096)
def _variable(name: str) -> Variable:
    return Variable(name)


def variable(token: Part) -> Variable:
    """Return the variable of a token. Equal variables are one object, which makes comparisons fast."""
    assert isinstance(token, Token)
    return _variable(token[1:])


def string_content(token: Part) -> str:
    """Return the characters of a string literal, without quotes and escapes."""
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


Existence = tuple[Variable, Node]
"""Variable for the truth value of an EXISTS, with the pattern of the EXISTS."""

_TIMESTAMP_IRI = URIRef("http://larkc.eu/csparql/sparql/jena/ext#timestamp")


@dataclass
class QueryExpressionReader:
    """Reader of expressions; collects their EXISTS patterns and aggregates.

    Args:
        names: scope of the names.
        read_group: reads the pattern of an EXISTS.
        has_streams: whether C-SPARQL's `timestamp` may be called.
        exists: EXISTS patterns that were read, outside aggregates.
        aggregates: aggregates that were read; None where aggregates are invalid.
        exists_in_aggregates: EXISTS patterns inside aggregates.
    """

    names: NameScope
    read_group: Callable[[ParseTree], Node]
    has_streams: bool = False
    exists: list[Existence] = field(default_factory=list)
    aggregates: list[Aggregate] | None = None
    exists_in_aggregates: list[Existence] = field(default_factory=list)

    def take_exists(self) -> tuple[Existence, ...]:
        """Return the EXISTS patterns read since the last call."""
        taken = tuple(self.exists)
        self.exists.clear()
        return taken

    def read(self, part: Part) -> Expression:
        """Convert a part of the parse tree to an expression.

        Raises:
            QueryTextError: a function is unknown or has a wrong number of arguments, an aggregate is in an
            invalid position, or a constant regular expression is malformed.
        """
        if isinstance(part, Token):
            if part.type == "SIGNED":
                return Call(_SIGNS[part[0]], (number(part[1:]),))
            return variable(part) if part.type == "VAR" else self.names.term(part)
        children = part.children
        match part.data:
            case "or" | "and":
                return Call("||" if part.data == "or" else "&&", tuple(map(self.read, children)))
            case "sum" | "product":
                return self._operations(self.read(children[0]), children[1:])
            case "compare":
                left, operator, right = children
                return Call(str(operator), (self.read(left), self.read(right)))
            case "in" | "not_in":
                left, listed = children
                assert not isinstance(listed, Token)
                among = Call("IN", (self.read(left), *map(self.read, listed.children)))
                return among if part.data == "in" else Call("!", (among,))
            case "not" | "negative" | "positive":
                return Call(_SIGNS[part.data], (self.read(children[0]),))
            case "exists" | "not_exists":
                return self._exists(part)
            case "builtin":
                return self._builtin(part)
            case "call":
                return self._call(part)
            case "aggregate":
                return self._aggregate(part)
        return self.names.term(part)

    def _operations(self, result: Expression, rest: Sequence[Part]) -> Expression:
        """Return `result op a op b`, grouped from the left; in `?x -1` the operator is the sign of the
        number.
        """
        parts = iter(rest)
        for part in parts:
            if isinstance(part, Token):
                result = Call(str(part), (result, self.read(next(parts))))
            else:
                signed, *factors = part.children
                assert isinstance(signed, Token)
                factor = number(signed[1:])
                result = Call(signed[0], (result, self._operations(factor, factors)))
        return result

    def _exists(self, part: ParseTree) -> Expression:
        outer, self.exists = self.exists, []
        aggregates, self.aggregates = self.aggregates, None
        (group,) = part.children
        assert not isinstance(group, Token)
        with self.names.nested():
            pattern = self.read_group(group)
        self.exists, self.aggregates = outer, aggregates
        result = self.names.fresh("exists")
        self.exists.append((result, pattern))
        return Call("!", (result,)) if part.data == "not_exists" else result

    def _call(self, part: ParseTree) -> Expression:
        """Read a call of a function that is named by an IRI."""
        written, arguments = part.children
        name = self.names.iri(written)
        if name == _TIMESTAMP_IRI and self.has_streams:
            return self._checked_call(part, TIMESTAMP, self._arguments(arguments))
        if not is_known_function(name):
            raise self.names.error(
                part,
                f"the function <{name}> is not known; register your own functions by "
                "rdflib.plugins.sparql.operators.register_custom_function",
            )
        return Call(name, self._arguments(arguments))

    def _arguments(self, part: Part) -> tuple[Expression, ...]:
        assert not isinstance(part, Token)
        is_distinct = bool(tokens(part, "DISTINCT"))
        return tuple(map(self.read, part.children[is_distinct:]))

    def _builtin(self, part: ParseTree) -> Expression:
        word, written = part.children
        name = str(word).upper()
        if name == TIMESTAMP and not self.has_streams:
            raise stream_word(self.names.text, part)
        return self._checked_call(part, name, self._arguments(written))

    def _checked_call(self, part: ParseTree, name: str, arguments: tuple[Expression, ...]) -> Expression:
        least, most = ARITIES[name]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            expected = str(least) if least == most else f"{least} to {most}"
            expected += ": the subject, the predicate, the object of a triple" if name == TIMESTAMP else ""
            raise self.names.error(part, f"{name} has {len(arguments)} arguments", expected)
        if name == "BOUND" and not isinstance(arguments[0], Variable):
            raise self.names.error(part, "the argument of BOUND is not a variable", "a variable such as ?x")
        if name in ("REGEX", "REPLACE"):
            try:
                _check_constant_pattern(arguments, 2 if name == "REGEX" else 3)
            except QueryError as error:
                raise self.names.error(part, str(error)) from None
        name = {"URI": "IRI", "ISURI": "ISIRI"}.get(name, name)
        if name == "IRI" and self.names.base:
            arguments = (*arguments, URIRef(self.names.base))
        return Call(name, arguments)

    def _aggregate(self, part: ParseTree) -> Expression:
        word, *rest = part.children
        name = str(word).upper()
        if self.aggregates is None:
            raise self.names.error(
                part,
                f"{name} is not allowed here: aggregates are allowed in SELECT, HAVING and ORDER BY, but not "
                "inside another aggregate",
            )
        is_distinct, separators = bool(tokens(part, "DISTINCT")), tokens(part, "STRING")[-1:]
        given = rest[is_distinct]
        is_star = isinstance(given, Token) and given.type == "STAR"
        has_separator = len(rest) - is_distinct > 1
        if (is_star and name != "COUNT") or (has_separator and name != "GROUP_CONCAT"):
            valid = "COUNT(*)" if is_star else "GROUP_CONCAT(…; SEPARATOR = …)"
            problem = f"{name} does not accept {'*' if is_star else 'a separator'}"
            raise self.names.error(part, problem, valid)
        collected, self.aggregates = self.aggregates, None
        outside, self.exists = self.exists, []
        argument = None if is_star else self.read(given)
        self.exists_in_aggregates += self.exists
        self.aggregates, self.exists = collected, outside
        made = (name, argument, is_distinct, string_content(separators[0]) if has_separator else " ")
        for known in collected:
            if (known.function, known.argument, known.distinct, known.separator) == made:
                return known.variable
        collected.append(Aggregate(*made, self.names.fresh("aggregate")))
        return collected[-1].variable


_SIGNS = {"not": "!", "negative": "neg", "positive": "+", "-": "neg", "+": "+"}


def _check_constant_pattern(arguments: tuple[Expression, ...], flags_at: int) -> None:
    """Raises: QueryError: pattern and flags are constants, and malformed."""
    pattern = arguments[1]
    flags = arguments[flags_at] if len(arguments) > flags_at else Literal("")
    if isinstance(pattern, Literal) and isinstance(flags, Literal):
        check_pattern(str(pattern), str(flags))
