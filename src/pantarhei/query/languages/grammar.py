"""The grammar of what C-SPARQL, RSP-QL and CQELS say around a SPARQL query, and inside it.

Only that is read: who is registered, windows over streams, WINDOW and STREAM blocks. Of SPARQL the grammar
knows tokens, and which braces and parentheses belong together, so that a keyword is one only where it can
stand: variables, prefixed names, strings and comments may have any words. FROM and WHERE can stand behind
what is selected, and so that has rules of its own, though they are those of the rest: the parser knows a
place by the rule that it has just read.
"""

from __future__ import annotations

import re
from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from pantarhei.errors import QueryTextError

ParseTree = Tree[Token]

_RULES = r"""
start: _declaration* (register _declaration*)? _query
_declaration: prefix | base
prefix: _PREFIX PNAME IRI
base: _BASE IRI

register: _REGISTER FORM (iri | NAME)? every? regime? _AS
every: (_COMPUTED | _COMPUTE) _EVERY length
regime: _UNDER _ENTAILMENT _REGIME iri

_query: (_SELECT | _ASK | _DESCRIBE) OPERATOR? _selected* _dataset* (_WHERE? group _rest*)?
      | _CONSTRUCT OPERATOR? template _dataset* _WHERE? group _rest*
      | _CONSTRUCT OPERATOR? _dataset* _WHERE group _rest*
_selected: STRING | LANGTAG | IRI | PNAME | VAR | NUMBER | WORD | OTHER | column
column: "(" _inside* ")"
template: "{" _inside* "}"
_rest: _sparql | paren | group
group: "{" _inside* "}"
paren: "(" _inside* ")"
_inside: _sparql | paren | group | window_block | stream_block
window_block: WINDOW (iri | VAR) group
stream_block: stream_head group
stream_head: _STREAM (iri | VAR) bounds | _STREAM bounds (iri | VAR)
_sparql: STRING | LANGTAG | IRI | PNAME | VAR | NUMBER | WORD | OTHER

_dataset: stream | named_stream | window | default_window | static
stream: _FROM _STREAM iri bounds
named_stream: _FROM _NAMED _STREAM iri bounds
window: _FROM _NAMED WINDOW iri _ON _STREAM? iri bounds
      | _FROM _NAMED WINDOW iri bounds _ON _STREAM? iri
      | _FROM _NAMED WINDOW _ON _STREAM? iri bounds _AS iri -> window_as
default_window: _FROM WINDOW bounds _ON _STREAM? iri
static: _FROM _NAMED? GRAPH? iri

bounds: "[" (range | triples | elements | past | all) (report | tick)* "]"
range: _RANGE length (","? _step length | tumbling)?
triples: _RANGE? _TRIPLES NUMBER (","? _step NUMBER | tumbling)?
elements: (_ELEMENTS | _GRAPHS) NUMBER (","? _step NUMBER | tumbling)?
past: _FROM? instant (_TO instant)? (","? _step length | tumbling)?
all: _ALL
instant: _NOW ("-" length)?
length: (NUMBER UNIT)+ | NUMBER | DURATION
_step: _STEP | _SLIDE
tumbling: _TUMBLING
report: _REPORT (REPORT length?)+
tick: _TICK TICK
iri: IRI | PNAME

"""

_TERMINALS = r"""
STRING.5: LONG_STRING | SHORT_STRING
LONG_STRING: /\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"/s | /'''(?:[^'\\]|\\.|'(?!''))*'''/s
SHORT_STRING: /"(?:[^"\\\n]|\\.)*"/s | /'(?:[^'\\\n]|\\.)*'/s
LANGTAG.5: /@[A-Za-z]+(-[A-Za-z0-9]+)*/
IRI.5: /<[^<>"{}|^`\x00-\x20]*>/
VAR.5: /[?$][\w\u00b7]+/
PNAME.4: PREFIX? ":" LOCAL? | BLANK
PREFIX: /(?:[^\W\d_]|\\[uU])(?:[\w.\-\u00b7\\]{0,250}[\w\-\u00b7])?/
LOCAL: FIRST (MIDDLE* LAST)?
FIRST: /(?:[\w:]|%[0-9A-Fa-f]{2}|\\.)/
MIDDLE: /(?:[\w\-.:\u00b7]|%[0-9A-Fa-f]{2}|\\.)/
LAST: /(?:[\w\-:\u00b7]|%[0-9A-Fa-f]{2}|\\.)/
BLANK: /_:\w(?:[\w.\-]*[\w\-])?/
DURATION.4: /P[0-9T][0-9A-Z.]*/i
UNIT.3: /(?:ns|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![A-Za-z])/i
NUMBER.2: /[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/
NAME.1: /[^\W\d][\w\-]*/
WORD.1: /[^\W\d]\w*/
OTHER.0: /[^\s{}()]/
FORM.6: /(?:QUERY|STREAM|RSTREAM|ISTREAM|DSTREAM)\b/i
OPERATOR.6: /(?:RSTREAM|ISTREAM|DSTREAM)\b/i
REPORT.6: /(?:(?:ON_)?WINDOW_CLOSE|(?:ON_)?CONTENT_CHANGE|NON_EMPTY_CONTENT|PERIODIC)\b/i
TICK.6: /(?:TIME|BATCH|TUPLE)_DRIVEN\b/i
%ignore /#[^\n]*/
%ignore /\s+/
"""

# GRAPH and WINDOW stay in the tree. A word before a colon is a prefix, and no keyword. The colon is looked
# for so far and no further, or rows of words without one would be looked through again for each word.
_KEYWORDS = sorted({"GRAPH", "WINDOW", *re.findall(r"\b_[A-Z]+\b", _RULES)})
_A_WORD = r"\b(?![\w.\-\\]{0,250}:)"


@cache
def _parser() -> Lark:
    keywords = [f"{name}.6: /{name.lstrip('_')}{_A_WORD}/i\n" for name in _KEYWORDS]
    return Lark(
        _RULES + _TERMINALS + "".join(keywords),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
    )


def parse(text: str) -> ParseTree:
    """The parse tree of a registered query; what of it is SPARQL stays tokens.

    Raises:
        QueryTextError: what is said of registration, streams and windows is malformed, or a brace or
            parenthesis has no other.
    """
    if half := re.search("[\ud800-\udfff]", text):
        raise QueryTextError.at(text, half.start(), "half of a character, a surrogate, which stands for none")
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        raise _mistake(text, error) from None


def _mistake(text: str, error: UnexpectedInput) -> QueryTextError:
    expected: set[str] = set()
    if isinstance(error, UnexpectedToken):
        expected = error.accepts or error.expected
    elif isinstance(error, UnexpectedCharacters):
        expected = error.allowed or set()
    is_at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    if is_at_end:
        return QueryTextError.at(text, len(text.rstrip()), "the text ends here", _shown(expected))
    place = error.pos_in_stream or 0
    closes = text[place : place + 1] in ("}", ")")
    problem = "this closes nothing" if closes else "what begins here cannot stand here"
    return QueryTextError.at(text, place, problem, _shown(expected))


_SHOWN = {
    "COMMA": None,
    "DURATION": "a duration such as PT10S",
    "FORM": "QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM",
    "IRI": "an IRI",
    "LBRACE": '"{"',
    "LPAR": None,
    "LSQB": '"["',
    "MINUS": '"-"',
    "NAME": "a name",
    "NUMBER": "a number",
    "OPERATOR": None,
    "PNAME": "a prefixed name",
    "RBRACE": '"}"',
    "REPORT": "ON_WINDOW_CLOSE, ON_CONTENT_CHANGE, NON_EMPTY_CONTENT or PERIODIC",
    "RPAR": '")"',
    "RSQB": '"]"',
    "TICK": "TIME_DRIVEN or BATCH_DRIVEN",
    "UNIT": "a unit of time such as s",
    "VAR": None,
}
_CLOSING = ("RBRACE", "RPAR")


def _shown(expected: set[str]) -> str | None:
    """What could stand there, in words; of SPARQL's own parts only what closes an open one."""
    if "OTHER" in expected:
        expected = expected.intersection(_CLOSING)
    names = [_SHOWN.get(name, name.lstrip("_")) for name in sorted(expected)]
    words = sorted({name for name in names if name is not None and not name.startswith("$")})
    return None if not words else " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
