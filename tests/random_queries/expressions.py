"""Random expressions: mostly of the types that their operators accept, sometimes of another type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from rdflib import Literal, URIRef

from random_queries.data import CLASSES, DATA_PROPERTIES, EX, LITERALS, NAMES, PLAIN_LITERALS, PREFIXES

_NUMBERS = ("0", "1", "2", "3", "01", "1.0", "1.5", "0.1", "1e0", "2.5e-1", "7", "-1", "+2")
_TEXTS = (
    '"a"',
    '"b"',
    '"ab c"',
    '""',
    '"1"',
    '"-2.5"',
    '"true"',
    '"a"@en',
    '"B"@de',
    '"2020-01-01T00:00:00Z"',
)
_PATTERNS = ('"a"', '"^a"', '"b$"', '"[a-c]+"', '"."', '"A"', '"(a)(b)?"', '"x|b"', '"\\\\d"', '"a*"')
_REPLACEMENTS, _RANGES, _TAGS = ('"x"', '"$1-"', '"$"'), ('"en"', '"*"', '"DE"', '""'), ('"en"', '"de"', '""')
_IRI = '"urn:x:a"'
_CASTS = ("integer", "decimal", "float", "double", "string", "boolean", "dateTime", "date", "byte")
_TYPES = ("integer", "decimal", "double", "string", "boolean", "dateTime", "date")


def term_text(term: URIRef | Literal) -> str:
    """Write a name or literal as in a query."""
    if isinstance(term, URIRef):
        return f":{term.removeprefix(str(EX))}"
    if term.datatype is None:
        return f'"{term}"' if term.language is None else f'"{term}"@{term.language}'
    prefix, iri = next((prefix, iri) for prefix, iri in PREFIXES.items() if term.datatype.startswith(iri))
    return f'"{term}"^^{prefix}:{term.datatype.removeprefix(iri)}'


class Expressions:
    """Writes expressions over variables.

    Args:
        exists: writes the pattern of an EXISTS; None if there must be none.
        is_plain: true if every value has one lexical form.
    """

    def __init__(
        self, random: Random, variables: Sequence[str], exists: Callable[[], str] | None, is_plain: bool
    ) -> None:
        self._random, self._variables, self._exists, self._is_plain = random, variables, exists, is_plain

    def condition(self, depth: int = 2) -> str:
        """Return a boolean expression."""
        random, less = self._random, depth - 1
        if depth <= 0:
            return random.choice(
                (f"BOUND({self._variable()})", self._variable(), "true", "false", self._compared(0))
            )
        kind = random.random()
        if kind < 0.4:
            return self._compared(less)
        if kind < 0.55:
            operator = random.choice(("&&", "||"))
            return f"({self.condition(less)} {operator} {self.condition(less)})"
        if kind < 0.62:
            return f"(!({self.condition(less)}))"
        if kind < 0.7 and self._exists is not None:
            return f"{random.choice(('', 'NOT '))}EXISTS {self._exists()}"
        if kind < 0.78:
            members = ", ".join(self.any(less) for _ in range(random.randint(0, 3)))
            return f"({self.any(less)} {random.choice(('IN', 'NOT IN'))} ({members}))"
        return self._test(less)

    def _compared(self, depth: int) -> str:
        operator = self._random.choice(("=", "!=", "<", ">", "<=", ">="))
        kind = self._random.choice((self.any, self.number, self.number, self.text))
        return f"({kind(depth)} {operator} {kind(depth)})"

    def _test(self, depth: int) -> str:
        text, any_ = self.text, self.any
        random = self._random
        return random.choice(
            (
                lambda: f"BOUND({self._variable()})",
                lambda: f"{random.choice(('isIRI', 'isBLANK', 'isLITERAL', 'isNUMERIC'))}({any_(depth)})",
                lambda: f"REGEX({text(depth)}, {random.choice(_PATTERNS)}{self._flags()})",
                lambda: (
                    f"{random.choice(('STRSTARTS', 'STRENDS', 'CONTAINS'))}({text(depth)}, {text(depth)})"
                ),
                lambda: f"sameTerm({any_(depth)}, {any_(depth)})",
                lambda: f"LANGMATCHES({text(depth)}, {random.choice(_RANGES)})",
                lambda: f"xsd:boolean({any_(depth)})",
                lambda: f"IF({self.condition(depth)}, {self.condition(depth)}, {any_(depth)})",
            )
        )()

    def number(self, depth: int = 2) -> str:
        """Return a numeric expression."""
        random, less = self._random, depth - 1
        if random.random() < 0.05:
            return self.any(less)
        if depth <= 0:
            return random.choice((self._variable(), self._variable(), random.choice(_NUMBERS)))
        number, text, any_ = self.number, self.text, self.any
        parts = ("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS")
        return random.choice(
            (
                lambda: random.choice(_NUMBERS),
                self._variable,
                lambda: f"({number(less)} {random.choice('+-*/')} {number(less)})",
                lambda: f"({number(less)} {random.choice('+-*/')} {number(less)})",
                lambda: f"({random.choice('+-')}({number(less)}))",
                lambda: f"{random.choice(('ABS', 'CEIL', 'FLOOR', 'ROUND'))}({number(less)})",
                lambda: f"STRLEN({text(less)})",
                lambda: f"{random.choice(parts)}({self.time(less)})",
                lambda: f"xsd:{random.choice(_CASTS[:4])}({any_(less)})",
                lambda: f"COALESCE({number(less)}, {number(less)})",
            )
        )()

    def time(self, depth: int = 1) -> str:
        """Return an expression of a time type."""
        cast = f"xsd:dateTime({self.text(depth - 1)})" if depth > 0 else self._variable()
        constant = '"2020-02-29T23:59:59.25-05:30"^^xsd:dateTime'
        duration = '"P1DT1H"^^xsd:dayTimeDuration'
        return self._random.choice((self._variable(), self._variable(), constant, duration, cast))

    def text(self, depth: int = 2) -> str:
        """Return a string expression."""
        random, less = self._random, depth - 1
        if random.random() < 0.05:
            return self.any(less)
        if depth <= 0:
            return random.choice((self._variable(), f"STR({self._variable()})", random.choice(_TEXTS)))
        number, text, any_ = self.number, self.text, self.any
        hashes = ("MD5", "SHA1", "SHA256", "SHA384", "SHA512", "ENCODE_FOR_URI")
        return random.choice(
            (
                lambda: random.choice(_TEXTS),
                lambda: f"STR({any_(less)})",
                lambda: f"LANG({any_(less)})",
                lambda: f"CONCAT({', '.join(text(less) for _ in range(random.randint(0, 3)))})",
                lambda: f"SUBSTR({text(less)}, {number(0)}{random.choice(('', ', ' + number(0)))})",
                lambda: f"{random.choice(('UCASE', 'LCASE'))}({text(less)})",
                lambda: f"{random.choice(('STRBEFORE', 'STRAFTER'))}({text(less)}, {text(0)})",
                lambda: f"REPLACE({text(less)}, {self._replaced()})",
                lambda: f"{random.choice(hashes)}({text(less)})",
                lambda: f"TZ({self.time(less)})",
                lambda: f"xsd:string({any_(less)})",
                lambda: f"STRLANG({text(less)}, {random.choice(_TAGS)})",
            )
        )()

    def any(self, depth: int = 2) -> str:
        """Return an expression of any type, or an error."""
        random, less = self._random, depth - 1
        if depth <= 0:
            return random.choice((self._variable(), self._variable(), self._constant()))
        return random.choice(
            (
                self._variable,
                self._variable,
                self._constant,
                lambda: self.number(less),
                lambda: self.text(less),
                lambda: f"({self.condition(less)})",
                lambda: f"IF({self.condition(less)}, {self.any(less)}, {self.any(less)})",
                lambda: f"COALESCE({self.any(less)}, {self.any(less)})",
                lambda: f"DATATYPE({self.any(less)})",
                lambda: f"IRI({random.choice((_IRI, self.any(less)))})",
                lambda: f"STRDT({self.text(less)}, xsd:{random.choice(_TYPES)})",
                lambda: f"xsd:{random.choice(_CASTS)}({self.any(less)})",
                lambda: f"TIMEZONE({self.time(less)})",
                lambda: f"({self.time(less)} {random.choice('+-')} {self.time(less)})",
            )
        )()

    def _variable(self) -> str:
        return self._random.choice(self._variables)

    def _constant(self) -> str:
        literals = PLAIN_LITERALS if self._is_plain else LITERALS
        return term_text(
            self._random.choice((self._random.choice(literals), *NAMES[:2], CLASSES[0], DATA_PROPERTIES[0]))
        )

    def _replaced(self) -> str:
        return f"{self._random.choice(_PATTERNS)}, {self._random.choice(_REPLACEMENTS)}"

    def _flags(self) -> str:
        return self._random.choice(("", "", ', "i"', ', "s"'))
