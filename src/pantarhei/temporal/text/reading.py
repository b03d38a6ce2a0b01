"""The statements of a text of temporal rules: prefixes, what is remembered, and rules.

    text       = { prefix | remember | rule } ;
    prefix     = ( "@prefix" | "PREFIX" ) [ name ] ":" iri [ "." ] ;
    remember   = "remember" predicate { "," predicate } "." ;
    rule       = head [ ( ":-" | "<-" | "←" ) condition { ( "," | "and" | "∧" ) condition } ] "." ;
    head       = atom [ "at" time ] | "@" "(" time "," atom ")" | "@" time atom ;
    condition  = { operator } atom [ said ] { ")" } [ [ "in" ] window ] | comparison ;
    operator   = "not" | "¬" | "(" | "diamond" | "◇" | "box" | "□" | "@" "(" time "," | "@" time
               | "⊞" size | ( "time_win" | "tuple_win" ) "(" number "," [ "0" "," [ "1" "," ] ] ;
    said       = [ "always" | "at" time | "at" "least" number ( "time" | "times" ) ]
                 [ [ [ "not" ] "in" ] window ] ;
    window     = "[" number [ unit | "#" ] "]" | "[" duration "]" ;
    size       = number | "#" number | window ;
    atom       = [ "asserted" ] named | "asserted" "(" named ")" ;
    named      = predicate [ "(" [ term { "," term } ] ")" ] ;
    comparison = expression relation expression | "COMP" "(" relation "," term "," term ")"
               | "MATH" "(" sign "," term "," term "," term ")" | built-in "(" term { "," term } ")" ;
    time       = expression ;
    expression = term { sign term } ;
    relation   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "≠" | "≤" | "≥" ;
    sign       = "+" | "-" | "*" | "/" | "mod" | "^" ;
    term       = variable | name | [ "-" ] number | string ;

Comments go from % or // to the end of the line, from /* to */, and from %* to *%.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.model.messages import Written
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule
from pantarhei.temporal.text.computations import ComputationReader
from pantarhei.temporal.text.cursor import Cursor
from pantarhei.temporal.text.formulas import FormulaReader
from pantarhei.temporal.text.solving import solved
from pantarhei.temporal.text.terms import TermReader, is_variable


class RulesText(NamedTuple):
    """What a text says.

    Args:
        rules: in their order.
        remembered: the predicates whose conclusions are remembered, and where that is written.
        prefixes: those that are declared, and those that needed no declaration.
    """

    rules: tuple[TemporalRule, ...]
    remembered: dict[URIRef, Written]
    prefixes: dict[str, str]


def read_rules(text: str, prefixes: Mapping[str, str] | None = None, source: str | None = None) -> RulesText:
    """The rules of a text.

    Args:
        prefixes: those that it may use without declaring them.
        source: the file that it was read from, for errors.

    Raises:
        TemporalTextError: it is malformed.
    """
    without_mark = text.removeprefix("\ufeff")  # of the byte order, which is in no column
    return _Reader(without_mark, prefixes or {}, source).text()


_BEGIN = ("name", "quoted", "iri", "prefixed")  # what a statement can begin with


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, prefixes: Mapping[str, str], source: str | None) -> None:
        self._cursor = Cursor(text, source)
        self._terms = TermReader(self._cursor, prefixes)
        self._computations = ComputationReader(self._cursor, self._terms)

    def text(self) -> RulesText:
        rules: list[TemporalRule] = []
        remembered: dict[URIRef, Written] = {}
        while self._cursor.peek().kind != "end":
            if self._is_prefix():
                self._cursor.accept("@")
                self._cursor.take()
                self._terms.declaration()
                self._cursor.accept(".")
            elif self._cursor.accept("remember"):
                remembered = self._remembered() | remembered
            else:
                rules.append(self._rule())
        return RulesText(tuple(rules), remembered, self._terms.prefixes)

    def _is_prefix(self) -> bool:
        if self._cursor.is_at("@"):
            return self._cursor.is_at("prefix", further=1)
        return self._cursor.is_at("PREFIX") and self._cursor.peek(1).kind == "prefixed"

    def _remembered(self) -> dict[URIRef, Written]:
        found: dict[URIRef, Written] = {}
        while not found or self._cursor.accept(","):
            written = self._cursor.written(self._cursor.peek())
            found.setdefault(self._terms.predicate(), written)
        self._end("a comma and another predicate, or a full stop")
        return found

    def _end(self, expected: str) -> None:
        """The full stop behind a statement, taken.

        Raises:
            TemporalTextError: something else is there, such as the next statement.
        """
        begins = self._cursor.peek().kind in _BEGIN or self._cursor.is_at("@")
        if begins and self._cursor.starts_line:
            expected += ": the statement before this line has not ended"
        self._cursor.need(".", expected)

    def _rule(self) -> TemporalRule:
        start, place = self._cursor.peek(), self._cursor.place
        if start.kind == "arrow":
            raise self._cursor.error(start, "this rule has no head", "a head in front, such as alarm(X)")
        self._terms.begin_rule()
        formulas = FormulaReader(self._cursor, self._terms, self._computations)
        head = formulas.head()
        body: list[Formula] = []
        tests: list[Builtin] = []
        what = "':-' and a body, or a full stop behind this fact"
        if self._cursor.peek().kind == "arrow":
            self._cursor.take()
            self._condition(formulas, body, tests)
            while self._cursor.accept(",", "and", "∧"):
                self._condition(formulas, body, tests)
            what = "a comma and another condition, or a full stop behind the rule"
        self._end(what)
        written = self._cursor.written(start)
        variables = tuple(self._variables_since(place))
        return solved(TemporalRule(head, tuple(body), (*formulas.made, *tests), written, variables))

    def _variables_since(self, place: int) -> Iterator[tuple[Variable, Written]]:
        """Where variables stand, and which."""
        for token in self._cursor.taken_since(place):
            if is_variable(token):
                yield Variable(token.text.lstrip("?")), self._cursor.written(token)

    def _condition(self, formulas: FormulaReader, body: list[Formula], tests: list[Builtin]) -> None:
        if self._cursor.is_at("not", "¬") and self._cursor.peek(2).kind == "relation":
            problem, expected = "a comparison is negated", "its opposite, such as >= for <"
            raise self._cursor.error(self._cursor.peek(), problem, expected)
        if self._computations.is_next():
            tests += self._computations.tests()
        else:
            body.append(formulas.formula())
