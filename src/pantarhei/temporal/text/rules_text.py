"""Statements of a text of temporal rules: prefixes, remembered predicates, rules.

    text       = { prefix | remember | rule } ;
    prefix     = ( "@prefix" | "PREFIX" ) [ name ] ":" iri [ "." ] ;
    remember   = "remember" predicate { "," predicate } "." ;
    rule       = head [ ( ":-" | "<-" | "←" ) condition { ( "," | "and" | "∧" ) condition } ] "." ;
    head       = atom [ "at" time ] | "@" "(" time "," atom ")" | "@" time atom ;
    condition  = { operator } atom [ suffix ] { ")" } [ [ "in" ] window ] | comparison ;
    operator   = "not" | "¬" | "(" | "diamond" | "◇" | "box" | "□" | "@" "(" time "," | "@" time
               | "⊞" size | ( "time_win" | "tuple_win" ) "(" number "," [ "0" "," [ "1" "," ] ] ;
    suffix     = [ "always" | "at" time | "at" "least" number ( "time" | "times" ) ]
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

Equations that alone bind a variable are solved for it:

    q(X) :- p(Y), X = Y.                  is read as    q(Y) :- p(Y).
    q(X) at T :- p(X) at T - 1 in [5].    is read as    q(X) at T :- p(X) at _1 in [5], T = _1 + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.model.message_text import TextPosition
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule
from pantarhei.temporal.safety import BindingStep, binding_steps, resolve_bindings, variables_in
from pantarhei.temporal.text.formulas import FormulaReader
from pantarhei.temporal.text.rule_terms import is_variable
from pantarhei.values.scalar_functions import EQUAL, SWRLB


class _Solution(NamedTuple):
    """Solution of an equation for one of its variables.

    Args:
        test: the equation.
        variable: the variable that the solution binds.
        computation: computation of the variable; None if the variable equals `same`.
        same: the term that the variable equals; None if it is computed.
    """

    test: Builtin
    variable: Variable
    computation: Builtin | None = None
    same: Argument | None = None


def solve_equations(rule: TemporalRule) -> TemporalRule:
    """Solve each equation for a variable that no other part of the body binds.

    A variable that equals a term is replaced by the term. A sum or difference becomes a computation.
    """
    steps = [*binding_steps(rule), *(step for test in rule.tests for step in _binding_steps_of(test))]
    found = [step.source for step in resolve_bindings(steps)[1] if isinstance(step.source, _Solution)]
    if not found:
        return rule
    computations = {id(each.test): each.computation for each in found}
    tests = [computations.get(id(test), test) for test in rule.tests]
    same: dict[Argument, Argument] = {}
    for each in found:
        if each.same is not None:
            same[each.variable] = same.get(each.same, each.same)

    def put(argument: Argument) -> Argument:
        return same.get(argument, argument)

    def put_in(formula: Formula) -> Formula:
        arguments = tuple(map(put, formula.atom.arguments))
        time = None if formula.time is None else put(formula.time)
        return replace(formula, atom=replace(formula.atom, arguments=arguments), time=time)

    return replace(
        rule,
        head=put_in(rule.head),
        body=tuple(map(put_in, rule.body)),
        tests=tuple(test.with_arguments(put) for test in tests if test is not None),
    )


def _binding_steps_of(test: Builtin) -> Iterator[BindingStep]:
    """Yield, for each solution of a test, the step that binds its variable once the others are bound."""
    for solution in _solutions(test):
        needs = variables_in(each for each in test.arguments if each != solution.variable)
        yield BindingStep(needs, frozenset([solution.variable]), solution)


def _solutions(test: Builtin) -> Iterator[_Solution]:
    if test.name == EQUAL:
        for one, other in (test.arguments, test.arguments[::-1]):
            if isinstance(one, Variable) and one != other:
                yield _Solution(test, one, same=other)
    elif test.name in (SWRLB.add, SWRLB.subtract) and len(set(test.arguments)) == 3:
        result, left, right = test.arguments
        inverse = SWRLB.subtract if test.name == SWRLB.add else SWRLB.add
        if isinstance(left, Variable):
            yield _Solution(test, left, replace(test, name=inverse, arguments=(left, result, right)))
        if isinstance(right, Variable):
            operands = (result, left) if test.name == SWRLB.add else (left, result)
            computation = replace(test, name=SWRLB.subtract, arguments=(right, *operands))
            yield _Solution(test, right, computation)


class RulesText(NamedTuple):
    """Content of a text of temporal rules.

    Args:
        rules: the rules, in the order of the text.
        remembered: remembered predicates, with the positions of their statements.
        prefixes: declared and predefined prefixes.
    """

    rules: tuple[TemporalRule, ...]
    remembered: dict[URIRef, TextPosition]
    prefixes: dict[str, str]


def read_rules(text: str, prefixes: Mapping[str, str] | None = None, source: str | None = None) -> RulesText:
    """Parse a text of temporal rules.

    Args:
        prefixes: prefixes that the text may use without declaring them.
        source: name of the file, for errors.

    Raises:
        TemporalTextError: the text is malformed.
    """
    without_bom = text.removeprefix("\ufeff")  # a byte order mark would shift the columns of the first line
    return _RulesParser(without_bom, prefixes or {}, source).text()


_BEGIN = ("name", "quoted", "iri", "prefixed")  # kinds of tokens that can begin a statement


class _RulesParser(FormulaReader):
    """Parser of one text."""

    def text(self) -> RulesText:
        rules: list[TemporalRule] = []
        remembered: dict[URIRef, TextPosition] = {}
        while self.peek().kind != "end":
            if self._is_prefix():
                self.accept("@")
                self.take()
                self.declaration()
                self.accept(".")
            elif self.accept("remember"):
                remembered = self._remembered() | remembered
            else:
                rules.append(self._rule())
        return RulesText(tuple(rules), remembered, self.prefixes)

    def _is_prefix(self) -> bool:
        if self.is_at("@"):
            return self.is_at("prefix", further=1)
        return self.is_at("PREFIX") and self.peek(1).kind == "prefixed"

    def _remembered(self) -> dict[URIRef, TextPosition]:
        found: dict[URIRef, TextPosition] = {}
        while not found or self.accept(","):
            written = self.written(self.peek())
            found.setdefault(self.predicate(), written)
        self._end("a comma and another predicate, or a full stop")
        return found

    def _end(self, expected: str) -> None:
        """Consume the full stop after a statement.

        Raises:
            TemporalTextError: the next token is not a full stop.
        """
        begins = self.peek().kind in _BEGIN or self.is_at("@")
        if begins and self.starts_line:
            expected += ": the statement before this line is not complete"
        self.need(".", expected)

    def _rule(self) -> TemporalRule:
        start, place = self.peek(), self.place
        if start.kind == "arrow":
            raise self.error(start, "this rule has no head", "a head, such as alarm(X), before the arrow")
        self.begin_rule()
        head = self.head()
        body: list[Formula] = []
        tests: list[Builtin] = []
        what = "':-' and a body, or a full stop after this fact"
        if self.peek().kind == "arrow":
            self.take()
            self._condition(body, tests)
            while self.accept(",", "and", "∧"):
                self._condition(body, tests)
            what = "a comma and another condition, or a full stop after the rule"
        self._end(what)
        written = self.written(start)
        variables = tuple(self._variables_since(place))
        return solve_equations(TemporalRule(head, tuple(body), (*self.made, *tests), written, variables))

    def _variables_since(self, place: int) -> Iterator[tuple[Variable, TextPosition]]:
        """Yield the variables consumed since the cursor was at a place, with their positions."""
        for token in self.taken_since(place):
            if is_variable(token):
                yield Variable(token.text.lstrip("?")), self.written(token)

    def _condition(self, body: list[Formula], tests: list[Builtin]) -> None:
        if self.is_at("not", "¬") and self.peek(2).kind == "relation":
            problem, expected = "a comparison cannot be negated", "its opposite, such as >= for <"
            raise self.error(self.peek(), problem, expected)
        if self.is_comparison():
            tests += self.tests()
        else:
            body.append(self.formula())
