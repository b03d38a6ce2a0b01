"""Grammar of SPARQL 1.1 queries with the clauses of C-SPARQL, RSP-QL and CQELS, and its LALR(1) parser.

Rules follow https://www.w3.org/TR/sparql11-query/#sparqlGrammar. A word is a keyword only where a rule
permits this keyword, since each parser state has a lexer of its own. The parser keeps no state between texts,
so that threads share it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser

from pantarhei.errors import QueryError, QueryTextError
from pantarhei.model.message_text import did_you_mean
from pantarhei.query.solutions import NO_LIMITS, QueryLimits

ParseTree = Tree[Token]
Part = ParseTree | Token

_RULES = r"""
start: prologue (register prologue)? (select | construct | ask | describe)

prologue: (prefix | base)*
prefix: _PREFIX PNAME_NS IRI
base: _BASE IRI

select: _SELECT _operator _projection dataset _where group modifiers
subselect: _SELECT _projection _where group modifiers
construct: _CONSTRUCT _operator template dataset _where group modifiers
         | _CONSTRUCT _operator dataset _WHERE template modifiers -> construct_where
ask: _ASK _operator dataset _where group modifiers
describe: _DESCRIBE _operator described dataset (_where group)? modifiers
_projection: MODIFIER? projection
projection: (VAR | named)+ | "*"
named: "(" _expression _AS VAR ")"
described: (VAR | _iri)+ | "*"
template: "{" _triples "}"

dataset: (static | static_named | stream | named_stream | window | window_as | default_window)*
static: _FROM _graph _iri
static_named: _FROM _NAMED _graph _iri

modifiers: _group_by _having _order_by _slice _values
group_by: _GROUP _BY (_call | VAR | key)+
key: "(" _expression (_AS VAR)? ")"
having: _HAVING _constraint+
order_by: _ORDER _BY (ordered | VAR | _constraint)+
ordered: DIRECTION "(" _expression ")"
slice: limit offset? | offset limit?
limit: _LIMIT INTEGER
offset: _OFFSET INTEGER

group: "{" (subselect | _triples (_member _dot _triples)*) "}"
_member: union | optional | minus | graph | service | filter | bind | values | window_block | stream_block
union: group (_UNION group)*
optional: _OPTIONAL group
minus: _MINUS group
graph: GRAPH (VAR | _iri) group
service: _SERVICE _SILENT? (VAR | _iri) group
filter: _FILTER _constraint
bind: _BIND "(" _expression _AS VAR ")"
values: _VALUES (VAR "{" _value* "}" | names "{" row* "}")
names: "(" VAR* ")"
row: "(" _value* ")"
_value: _iri | _literal | UNDEF

triples: _subjects _dot
_subjects: subject | _subjects "." subject
subject: _term _properties | _compound _properties?
_properties: _property (";" _property?)*
_property: _verb objects
objects: _node ("," _node)*
_node: _term | _compound
_compound: collection | blank
collection: "(" _node+ ")"
blank: "[" _properties "]"
_term: VAR | _iri | _literal | BLANK | anon | nil
anon: "[" "]"
nil: "(" ")"
_iri: IRI | PNAME_LN | PNAME_NS
_literal: string | INTEGER | DECIMAL | DOUBLE | SIGNED | BOOLEAN
string: STRING (LANGTAG | "^^" _iri)?

_verb: VAR | _path
_path: alternative
?alternative: sequence ("|" sequence)*
?sequence: _part ("/" _part)*
_part: step | inverse
inverse: "^" step
?step: _primary (STAR | PLUS | OPTION)?
_primary: _iri | A | negated | "(" _path ")" | DISTINCT "(" _path ")"
negated: "!" (_one | "(" (_one ("|" _one)*)? ")")
_one: _iri | A | opposite
opposite: "^" (_iri | A)

_expression: or
?or: and ("||" and)*
?and: relation ("&&" relation)*
?relation: sum | sum COMPARISON sum -> compare | sum _IN listed -> in | sum _NOT _IN listed -> not_in
?sum: product (PLUS product | MINUS product | addend)*
addend: SIGNED ((STAR | SLASH) unary)*
?product: unary ((STAR | SLASH) unary)*
?unary: primary | "!" primary -> not | "-" primary -> negative | "+" primary -> positive
?primary: "(" or ")" | VAR | string | INTEGER | DECIMAL | DOUBLE | SIGNED | BOOLEAN | _iri | _call
_constraint: "(" _expression ")" | _call
_call: call | builtin | aggregate | exists | not_exists
call: _iri arguments
builtin: FUNCTION arguments
aggregate: AGGREGATE "(" _distinct (STAR | _expression) _separator ")"
exists: _EXISTS group
not_exists: _NOT _EXISTS group
arguments: "(" (DISTINCT? _expression ("," _expression)*)? ")"
listed: "(" (_expression ("," _expression)*)? ")"

register: REGISTER FORM _name _every _regime _AS
every: (_COMPUTED | _COMPUTE) _EVERY length
regime: _UNDER _ENTAILMENT _REGIME _iri

stream: _FROM STREAM _iri bounds
named_stream: _FROM _NAMED STREAM _iri bounds
window: _FROM _NAMED WINDOW _iri _on _iri bounds
      | _FROM _NAMED WINDOW _iri bounds _on _iri
window_as: _FROM _NAMED WINDOW _on _iri bounds _AS _iri
default_window: _FROM WINDOW bounds _on _iri
window_block: WINDOW (VAR | _iri) group
stream_block: stream_head group
stream_head: STREAM (_iri | VAR) bounds | STREAM bounds (_iri | VAR)

bounds: "[" (range | triple_count | abox_count | past | all) (report | tick)* "]"
range: _RANGE length _step_length
triple_count: _RANGE? _TRIPLES NUMBER _step_count
abox_count: (_ELEMENTS | _GRAPHS) NUMBER _step_count
past: _from instant _to _step_length
all: _ALL
instant: _NOW ("-" length)?
length: (NUMBER UNIT)+ | NUMBER | DURATION
_step: _comma (_STEP | _SLIDE)
_step_length: _step length | tumbling |
_step_count: _step NUMBER | tumbling |
tumbling: _TUMBLING
report: _REPORT (REPORT length?)+
tick: _TICK TICK

_comma: "," |
_distinct: DISTINCT |
_dot: "." |
_every: every |
_from: _FROM |
_graph: GRAPH |
_group_by: group_by |
_having: having |
_name: _iri | NAME |
_on: _ON STREAM?
_operator: OPERATOR |
_order_by: order_by |
_regime: regime |
_separator: (";" _SEPARATOR "=" STRING) |
_slice: slice |
_to: _TO instant |
_triples: triples |
_values: values |
_where: _WHERE |
"""

ARITIES: Final[dict[str, tuple[int, int | None]]] = {
    name: arity
    for arity, names in (
        ((0, 0), "NOW RAND STRUUID UUID"),
        ((0, 1), "BNODE"),
        ((0, None), "COALESCE CONCAT"),
        ((1, 1), "ABS BOUND CEIL DATATYPE DAY ENCODE_FOR_URI FLOOR HOURS IRI ISBLANK ISIRI ISLITERAL"),
        ((1, 1), "ISNUMERIC ISURI LANG LCASE MD5 MINUTES MONTH ROUND SECONDS SHA1 SHA256 SHA384 SHA512 STR"),
        ((1, 1), "STRLEN TIMEZONE TZ UCASE URI YEAR"),
        ((2, 2), "CONTAINS LANGMATCHES SAMETERM STRAFTER STRBEFORE STRDT STRENDS STRLANG STRSTARTS"),
        ((2, 3), "REGEX SUBSTR"),
        ((3, 3), "IF TIMESTAMP"),
        ((3, 4), "REPLACE"),
    )
    for name in names.split()
}
"""Least and greatest number of arguments of each built-in function; `TIMESTAMP` is C-SPARQL's."""

# PN_CHARS_BASE, PN_CHARS_U, VARNAME, PN_CHARS, and PN_LOCAL of the specification, with all characters beyond
# U+00BF: ranges beyond U+00FF cost milliseconds for each state's lexer. `_check_name` checks those names.
_BASE = r"[^\x00-@\[-`{-\xbf\xd7\xf7]"
_FIRST = r"[^\x00-\/:-@\[-\^`{-\xbf\xd7\xf7]"
_INSIDE = r"[^\x00-\/:-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7]"
_CHARS = r"[^\x00-,.\/:-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7]"
_ESCAPED = r"\\[_~.\-!$&\"'()*+,;=\/?#@%]|%[0-9A-Fa-f]{2}"
_LOCAL_FIRST = rf"[^\x00-\/;-@\[-\^`{{-\xbf\xd7\xf7]|{_ESCAPED}"
_LOCAL_CHARS = r"[^\x00-,.\/;-@\[-\^`{-\xb6\xb8-\xbf\xd7\xf7]"
_PREFIXED = rf"(?:{_BASE}(?:{_CHARS}|\.)*+(?<!\.))?:"

_TERMINALS = rf"""
IRI.9: /<[^<>"{{}}|^`\\\x00-\x20]*>/
PNAME_LN.9: /{_PREFIXED}(?:{_LOCAL_FIRST})(?:{_LOCAL_CHARS}|{_ESCAPED}|\.++(?={_LOCAL_CHARS}|[\\%]))*+/
PNAME_NS.8: /{_PREFIXED}/
BLANK.9: /_:{_FIRST}{_CHARS}*+(?:\.++{_CHARS}++)*+/
VAR.9: /[?$]{_FIRST}{_INSIDE}*+/
STRING.9: /"{{3}}(?:"?"?(?:[^"\\]|\\["'tbnrf\\]))*+"{{3}}|"(?:[^"\\\n\r]|\\["'tbnrf\\])*+"(?!")/
        | /'{{3}}(?:'?'?(?:[^'\\]|\\["'tbnrf\\]))*+'{{3}}|'(?:[^'\\\n\r]|\\["'tbnrf\\])*+'(?!')/
LANGTAG.9: /@[A-Za-z]+(?:-[A-Za-z0-9]+)*+/
SIGNED.9: /[+-](?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)[eE][+-]?[0-9]++|[0-9]*+\.[0-9]++|[0-9]++)/
DOUBLE.8: /(?:[0-9]++\.?[0-9]*+|\.[0-9]++)[eE][+-]?[0-9]++/
DECIMAL.7: /[0-9]*+\.[0-9]++/
INTEGER.6: /[0-9]++/
BOOLEAN.5: /(?:true|false)\b/i
A.5: /a\b/
MODIFIER.5: /(?:DISTINCT|REDUCED)\b/i
DISTINCT.5: /DISTINCT\b/i
DIRECTION.5: /(?:ASC|DESC)\b/i
UNDEF.5: /UNDEF\b/i
GRAPH.5: /GRAPH\b/i
FUNCTION.5: /(?:{"|".join(ARITIES)})\b/i
AGGREGATE.5: /(?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\b/i
COMPARISON: /!=|<=|>=|[=<>]/
OPTION: "?"
STAR: "*"
SLASH: "/"
PLUS: "+"
MINUS: "-"

REGISTER.5: /REGISTER\b/i
STREAM.5: /STREAM\b/i
WINDOW.5: /WINDOW\b/i
FORM.6: /(?:QUERY|STREAM|RSTREAM|ISTREAM|DSTREAM)\b/i
OPERATOR.6: /(?:RSTREAM|ISTREAM|DSTREAM)\b/i
REPORT.6: /(?:(?:ON_)?WINDOW_CLOSE|(?:ON_)?CONTENT_CHANGE|NON_EMPTY_CONTENT|PERIODIC)\b/i
TICK.6: /(?:TIME|BATCH|TUPLE)_DRIVEN\b/i
DURATION.4: /P[0-9T][0-9A-Z.]*/i
UNIT.1: /[A-Za-z\xb5\u03bc]++/
NUMBER.2: /[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?/
NAME.1: /[^\W\d][\w\-]*/
%ignore /(?:[ \t\r\n]++|#[^\r\n]*+)+/
"""


@cache
def _parser() -> Lark:
    """Return the parser. Its tables are computed once, and cached beside the module's bytecode."""
    keywords = sorted(set(re.findall(r"\b_[A-Z]+\b", _RULES)))
    return Lark(
        _RULES + _TERMINALS + "".join(f"{name}.6: /{name[1:]}\\b/i\n" for name in keywords),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
        cache=str(Path(__file__).parent / "__pycache__" / "grammar.lark"),
    )


class QueryText:
    r"""Text of a query. Its codepoint escapes (SPARQL 1.1, section 19.2) are decoded before parsing; errors
    refer to positions in the text as written.

    Raises:
        QueryTextError: an escape does not denote a character, or the text contains an unpaired surrogate.

    >>> QueryText("ASK { ?x ?y '\\u0041' }").decoded
    "ASK { ?x ?y 'A' }"
    """

    def __init__(self, written: str) -> None:
        self.written = written.removeprefix("\ufeff")  # a byte order mark
        self._escapes = list(_ESCAPE.finditer(self.written)) if "\\" in written else []
        self.decoded = _ESCAPE.sub(self._character, self.written) if self._escapes else self.written
        if half := _SURROGATE.search(self.decoded):
            raise self.error(half.start(), "an unpaired surrogate, which is not a character")

    def _character(self, escape: re.Match[str]) -> str:
        try:
            return chr(int(escape[1] or escape[2], 16))
        except (OverflowError, ValueError):
            problem = f"{escape[0]} is not a character"
            raise QueryTextError.at(self.written, escape.start(), problem) from None

    def error(self, where: Part | int, problem: str, expected: str | None = None) -> QueryTextError:
        """Return an error at a part, or at a position in the decoded text."""
        start = where if isinstance(where, int) else span(where)[0]
        return QueryTextError.at(self.written, self._written_position(start), problem, expected)

    def of(self, part: Part) -> str:
        """Return the text of a part as written."""
        start, end = map(self._written_position, span(part))
        return self.written[start:end]

    def _written_position(self, decoded: int) -> int:
        """Convert a position in the decoded text to a position in the written text."""
        position = decoded
        for escape in self._escapes:
            if escape.start() >= position:
                break
            position += len(escape[0]) - 1
        return position


_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: QueryText, are_streams_known: bool = True, limits: QueryLimits = NO_LIMITS) -> ParseTree:
    """Parse a query or a registration.

    Args:
        are_streams_known: whether errors may suggest clauses of stream languages.
        limits: limits of the text's length and of the parsing time.

    Raises:
        QueryTextError: the text is malformed.
        QueryError: the text is empty, or an update.
        QueryLengthError, QueryTimeoutError: the text exceeds a limit.
    """
    limits.check_length(text.written)
    state = _parser().parse_interactive(text.decoded)
    try:
        for count, token in enumerate(state.iter_parse()):
            if not token.isascii() and token.type in _NAMES:
                _check_name(text, token)
            if count % _TOKENS_A_CHECK == 0:
                limits.check()
        tree: ParseTree = state.feed_eof()  # type: ignore[no-untyped-call]
    except UnexpectedInput as error:
        raise _syntax_error(text, error, state, are_streams_known) from None
    return tree


_TOKENS_A_CHECK = 256
_NAMES = ("VAR", "PNAME_LN", "PNAME_NS", "BLANK")


def _check_name(text: QueryText, token: Token) -> None:
    """Check the characters of a name that are not ASCII."""
    if invalid := _invalid_in_names().search(token):
        position = invalid.end() - 1
        raise text.error(span(token)[0] + position, f"unexpected {token[position]}")


@cache
def _invalid_in_names() -> re.Pattern[str]:
    base = (
        "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
        "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
    )
    not_first = "\u00b7\u0300-\u036f\u203f-\u2040"
    return re.compile(rf"[^\x00-\x7f{base}{not_first}]|\A[?$]?[{not_first}]|\A[^:]*:[{not_first}]")


_UPDATE = re.compile(r"(?:INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b", re.IGNORECASE)
_PATH = re.compile(r"[^\s{}]{1,200}\.(?:rq|sparql)", re.IGNORECASE)
_STREAM_WORD = re.compile(r"(?:REGISTER|[RID]?STREAM|WINDOW|TIMESTAMP)\b", re.IGNORECASE)
_WORD = re.compile(r"[<?$@]?[\w:.-]{1,40}|\S")


def _syntax_error(
    text: QueryText, error: UnexpectedInput, state: InteractiveParser, are_streams_known: bool
) -> QueryError:
    """Return the error for the position at which the parser stopped."""
    accepted: set[str] = state.accepts()  # type: ignore[no-untyped-call]
    token = getattr(error, "token", None)
    is_at_end = token is not None and token.type == "$END"
    position = len(text.decoded.rstrip()) if is_at_end else error.pos_in_stream or 0
    is_at_start = "_SELECT" in accepted and "_PREFIX" in accepted
    if is_at_start and not are_streams_known:
        if is_at_end:
            return QueryError("the query is empty: expected SELECT, CONSTRUCT, DESCRIBE or ASK")
        if _PATH.fullmatch(path := text.decoded.strip()):
            return QueryError(f"{path} is a path: expected a query; read its text with Path(…).read_text()")
        if _UPDATE.match(text.decoded, position):
            return QueryError(
                "this is an update: the materialization is read-only; assertions are changed by push, or by "
                "change of a DynamicGraph"
            )
    if not are_streams_known:
        accepted -= {"REGISTER", "STREAM", "WINDOW", "OPERATOR"}
        if _STREAM_WORD.match(text.decoded, position):
            return stream_word(text, position)
    expected = _expected_text(accepted)
    if is_at_end:
        return text.error(position, "unexpected end of the text", expected)
    word = _WORD.match(text.decoded, position)
    if word and expected and "FUNCTION" in accepted:
        expected += did_you_mean(word[0], ARITIES)
    return text.error(position, f"unexpected {word[0] if word else 'character'}", expected)


def stream_word(text: QueryText, where: Part | int) -> QueryTextError:
    """Return the error for a keyword of a stream language in a plain SPARQL query."""
    start = where if isinstance(where, int) else span(where)[0]
    word = _STREAM_WORD.match(text.decoded, start)
    problem = f"{word[0].upper() if word else 'this'} belongs to C-SPARQL, RSP-QL and CQELS"
    return text.error(start, problem, "SPARQL; pantarhei.register reads the other languages")


_WORDS = {
    "BLANK": "a blank node",
    "DURATION": "a duration such as PT10S",
    "FORM": "QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM",
    "IRI": "an IRI",
    "NAME": "a name",
    "NUMBER": "a number",
    "PNAME_LN": "a prefixed name",
    "PNAME_NS": "a prefixed name",
    "REPORT": "ON_WINDOW_CLOSE, ON_CONTENT_CHANGE, NON_EMPTY_CONTENT or PERIODIC",
    "TICK": "TIME_DRIVEN or BATCH_DRIVEN",
    "UNIT": "a unit of time such as s",
    "VAR": "a variable",
}
_MAX_WORDS = 7
_KINDS = {"FUNCTION": "an expression", "BLANK": "a term", "PNAME_LN": "a property"}
"""Kinds of many terminals by one that is accepted; the first one decides."""


def _expected_text(accepted: set[str]) -> str | None:
    """Describe the accepted terminals; if they are many, the closing brackets among them or their kind."""
    words = sorted({_word(name) for name in accepted - {"COMMA", "MINUS", "$END"}})
    if len(words) > _MAX_WORDS:
        words = [_word(name) for name in ("RBRACE", "RPAR") if name in accepted]
        words = words or [kind for name, kind in _KINDS.items() if name in accepted][:1]
    return None if not words else " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _word(name: str) -> str:
    pattern = _parser().get_terminal(name).pattern
    return f'"{pattern.value}"' if isinstance(pattern, PatternStr) else _WORDS.get(name, name.lstrip("_"))


# -- parts of a tree -------------------------------------------------------------------------------------


def span(part: Part) -> tuple[int, int]:
    """Return the start and end of a part, as positions in the decoded text."""
    position = part.meta if isinstance(part, Tree) else part
    start, end = position.start_pos, position.end_pos
    assert start is not None and end is not None
    return start, end


def tokens(part: ParseTree, *types: str) -> list[Token]:
    """Return the child tokens of a part; all of them, or only tokens of these types."""
    found = (child for child in part.children if isinstance(child, Token))
    return [token for token in found if not types or token.type in types]


def subtrees(part: ParseTree, *kinds: str) -> list[ParseTree]:
    """Return the child trees of a part that are of these kinds."""
    return [child for child in part.children if isinstance(child, Tree) and child.data in kinds]


def all_subtrees(part: ParseTree, *kinds: str) -> list[ParseTree]:
    """Return the trees of these kinds anywhere in a part, in the order of the text."""
    return sorted((each for each in part.iter_subtrees() if each.data in kinds), key=span)
