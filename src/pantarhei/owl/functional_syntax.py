"""Conversion of OWL functional and Manchester syntax to triples. The constructors are converted to the
elements of OWL/XML with the same names, and these to triples.

W3C: OWL 2 structural specification and functional-style syntax. A name in a constructor denotes an entity of
the kind that its argument position requires; `_PLACES` lists the argument positions of each constructor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from pantarhei.errors import MalformedInputError
from pantarhei.errors.base import import_package
from pantarhei.model.message_text import counted
from pantarhei.owl.element_mapping import OWL_NAMESPACE, XML_NAMESPACE, ElementReader, ParsedDocument
from pantarhei.rdf.parse import DEEPEST_EXPRESSION, NOT_UTF_8

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*
    |(?P<iri><[^<>"{}|^`\\\s]*>)
    |(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")
    |(?P<language>@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)
    |(?P<datatype>\^\^)
    |(?P<open>\()|(?P<close>\))|(?P<equals>=)
    |(?P<word>[^\s()<>"@^=\#]+)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPED = re.compile(r'\\(["\\])')

# Kinds of argument positions, each a letter, with the element of an IRI there. C: class expression, D: data
# range, O: object property expression, H: object property expression or chain, P: data property, A:
# annotation property, I: individual, L: literal, V: value or subject of an annotation, X: argument of an
# atom, N: number, B: atom of a rule, E: entity of a declaration, F: facet, G: value of a facet, R: IRI of an
# entity or a variable, W and U: body and head of a rule. `+` repeats the previous letter, or the letters in
# parentheses.
_NAMES: Final = {
    "C": "Class",
    "D": "Datatype",
    "O": "ObjectProperty",
    "H": "ObjectProperty",
    "P": "DataProperty",
    "A": "AnnotationProperty",
    "I": "NamedIndividual",
    "V": "IRI",
    "X": "NamedIndividual",
}
_EXPECTED: Final = {
    "@": "an axiom",
    "C": "a class expression",
    "D": "a data range",
    "O": "an object property",
    "H": "an object property or a chain of them",
    "P": "a data property",
    "A": "an annotation property",
    "I": "an individual",
    "L": "a literal",
    "V": "an IRI, an individual or a literal",
    "X": "a variable, an individual or a literal",
    "N": "a number",
    "B": "an atom",
    "E": "Class(…), ObjectProperty(…) or the like",
    "W": "Body(…)",
    "U": "Head(…)",
    "F": "a facet",
    "G": "a literal",
    "R": "an IRI",
}
_ATTRIBUTES: Final = {("N", "number"): "cardinality", ("R", "iri"): "IRI"}
# For each constructor the letters of the positions where it may occur, "" for axioms, and the patterns of its
# arguments.
_PLACES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "Declaration": ("", ("E",)),
    "SubClassOf": ("", ("CC",)),
    "EquivalentClasses": ("", ("CC+",)),
    "DisjointClasses": ("", ("CC+",)),
    "DisjointUnion": ("", ("CC+",)),
    "SubObjectPropertyOf": ("", ("HO",)),
    "InverseObjectProperties": ("", ("OO",)),
    "SubDataPropertyOf": ("", ("PP",)),
    "SubAnnotationPropertyOf": ("", ("AA",)),
    "ObjectPropertyRange": ("", ("OC",)),
    "DataPropertyRange": ("", ("PD",)),
    "ObjectPropertyDomain": ("", ("OC",)),
    "DataPropertyDomain": ("", ("PC",)),
    "AnnotationPropertyDomain": ("", ("AV",)),
    "AnnotationPropertyRange": ("", ("AV",)),
    "EquivalentObjectProperties": ("", ("OO+",)),
    "EquivalentDataProperties": ("", ("PP+",)),
    "DisjointObjectProperties": ("", ("OO+",)),
    "DisjointDataProperties": ("", ("PP+",)),
    "FunctionalDataProperty": ("", ("P",)),
    "DatatypeDefinition": ("", ("DD",)),
    "HasKey": ("", ()),
    "SameIndividual": ("", ("II+",)),
    "DifferentIndividuals": ("", ("II+",)),
    "ClassAssertion": ("", ("CI",)),
    "ObjectPropertyAssertion": ("", ("OII",)),
    "NegativeObjectPropertyAssertion": ("", ("OII",)),
    "DataPropertyAssertion": ("", ("PIL",)),
    "NegativeDataPropertyAssertion": ("", ("PIL",)),
    "AnnotationAssertion": ("", ("AVV",)),
    "Annotation": ("@", ("AV",)),
    "DLSafeRule": ("", ("WU",)),
    "Body": ("W", ("B+", "")),
    "Head": ("U", ("B+", "")),
    "ClassAtom": ("B", ("CX",)),
    "DataRangeAtom": ("B", ("DX",)),
    "ObjectPropertyAtom": ("B", ("OXX",)),
    "DataPropertyAtom": ("B", ("PXX",)),
    "SameIndividualAtom": ("B", ("XX",)),
    "DifferentIndividualsAtom": ("B", ("XX",)),
    "BuiltInAtom": ("B", ("RX+",)),
    "Variable": ("X", ("R",)),
    "ObjectInverseOf": ("OH", ("O",)),
    "ObjectPropertyChain": ("H", ("OO+",)),
    "ObjectIntersectionOf": ("C", ("C+", "")),
    "ObjectUnionOf": ("C", ("C+", "")),
    "ObjectComplementOf": ("C", ("C",)),
    "ObjectOneOf": ("C", ("I+", "")),
    "ObjectSomeValuesFrom": ("C", ("OC",)),
    "ObjectAllValuesFrom": ("C", ("OC",)),
    "ObjectHasValue": ("C", ("OI",)),
    "ObjectHasSelf": ("C", ("O",)),
    "DataSomeValuesFrom": ("C", ("P+D",)),
    "DataAllValuesFrom": ("C", ("P+D",)),
    "DataHasValue": ("C", ("PL",)),
    "DataIntersectionOf": ("D", ("D+",)),
    "DataUnionOf": ("D", ("D+",)),
    "DataComplementOf": ("D", ("D",)),
    "DataOneOf": ("D", ("L+",)),
    "DatatypeRestriction": ("D", ("D(FG)+",)),
    **{f"Object{bound}Cardinality": ("C", ("NO", "NOC")) for bound in ("Min", "Max", "Exact")},
    **{f"Data{bound}Cardinality": ("C", ("NP", "NPD")) for bound in ("Min", "Max", "Exact")},
    **{
        f"{trait}ObjectProperty": ("", ("O",))
        for trait in (
            "Functional",
            "InverseFunctional",
            "Reflexive",
            "Irreflexive",
            "Symmetric",
            "Asymmetric",
            "Transitive",
        )
    },
    **dict.fromkeys(set(_NAMES.values()) - {"IRI"}, ("E", ("R",))),
}


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


@dataclass(slots=True)
class _Call:
    """Constructor with its arguments; parentheses without a constructor have an empty name."""

    name: str
    line: int
    parts: list[_Call | _Value] = field(default_factory=list)


class _Value(NamedTuple):
    """IRI, blank node, literal, or number.

    Args:
        of: the datatype of a literal, its language after `@`, or "".
    """

    kind: str
    text: str
    line: int
    of: str = ""


def read_functional_syntax(content: bytes, source: str, base: str) -> ParsedDocument:
    """Return the triples of a document in functional syntax with their lines, and its prefixes.

    Raises:
        MalformedInputError: the document is malformed, or nested too deeply.

    >>> read = read_functional_syntax(b"Ontology(SubClassOf(<urn:A> <urn:B>))", "a.ofn", "urn:")
    >>> read.triples[-1][0], read.triples[-1][2]
    (rdflib.term.URIRef('urn:A'), rdflib.term.URIRef('urn:B'))
    """
    return _FunctionalParser(source, base).read(text_of(content, source))


def text_of(content: bytes, source: str) -> str:
    """Decode a document.

    Raises:
        MalformedInputError: the content is not UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise MalformedInputError(source, content.count(b"\n", 0, error.start) + 1, NOT_UTF_8) from error


class _FunctionalParser:
    """Parser of one document."""

    def __init__(self, source: str, base: str) -> None:
        self.source = source
        self.reader = ElementReader(source, base)
        self.prefixes = self.reader.prefixes

    def read(self, text: str) -> ParsedDocument:
        calls = self._calls(self._tokens(text))
        ontology = next(calls, None)
        if ontology is None:
            raise self._error(None, "Ontology(…) is expected")
        if (further := next(calls, None)) is not None:
            raise self._error(further.line, f"{further.name}(…) after the end of Ontology(…)")
        root = Element(OWL_NAMESPACE + "Ontology")
        lines = [ontology.line]
        for number, part in enumerate(ontology.parts):
            if isinstance(part, _Value):
                if number > 1 or part.kind != "iri":
                    raise self._error(part.line, f"{part.text} where an axiom is expected")
                root.set(("ontologyIRI", "versionIRI")[number], part.text)
                continue
            root.append(self._import(part) if part.name == "Import" else self._element(part, "@"))
            lines.append(part.line)
        return self.reader.ontology(root, lines, "OWL functional syntax")

    def _error(self, line: int | None, reason: str) -> MalformedInputError:
        return MalformedInputError(self.source, line, f"not OWL functional syntax: {reason}")

    # --- Parsing to calls ---

    def _tokens(self, text: str) -> Iterator[_Token]:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                wrong = "a text without an end" if text[at] == '"' else f"{text[at : at + 20].split()[0]!r}"
                raise self._error(line, f"{wrong} cannot be read")
            if match.lastgroup is not None:
                yield _Token(match.lastgroup, match[0], line)
            line += text.count("\n", at, match.end())
            at = match.end()

    def _calls(self, tokens: Iterator[_Token]) -> Iterator[_Call]:
        """Yield the constructors at the top level. Prefixes are declared as they are parsed."""
        stack: list[_Call] = []
        waiting: _Token | None = None
        for token in tokens:
            name, waiting = waiting, None
            if name is not None and (token.kind != "open" or ":" in name.text):
                if not stack:
                    raise self._error(name.line, f"{name.text} where Prefix(…) or Ontology(…) is expected")
                stack[-1].parts.append(self._word(name))
                name = None
            match token.kind:
                case "word":
                    waiting = token
                case "open":
                    stack.append(self._opened(name, token.line, len(stack)))
                    if stack[0].name == "Prefix":
                        self._declare(tokens, stack.pop().line)
                case "close" if stack:
                    closed = stack.pop()
                    if stack:
                        stack[-1].parts.append(closed)
                    else:
                        yield closed
                case "iri" | "text" | "language" | "datatype" if stack:
                    self._add(token, stack[-1].parts, tokens)
                case _:
                    raise self._error(token.line, f"{token.text} is not expected here")
        if waiting is not None:
            raise self._error(waiting.line, f"{waiting.text} where Prefix(…) or Ontology(…) is expected")
        if stack:
            raise self._error(stack[-1].line, f"{stack[-1].name}( has no closing bracket")

    def _opened(self, name: _Token | None, line: int, depth: int) -> _Call:
        text = "" if name is None else name.text
        if not depth and text not in ("Prefix", "Ontology"):
            raise self._error(line, f"{text}( where Prefix(…) or Ontology(…) is expected")
        if depth > DEEPEST_EXPRESSION:
            raise self._error(line, f"expressions nested deeper than {DEEPEST_EXPRESSION} levels")
        return _Call(text, line)

    def _declare(self, tokens: Iterator[_Token], line: int) -> None:
        read = [next(tokens, _Token("", "", line)) for _ in range(4)]
        if [token.kind for token in read] != ["word", "equals", "iri", "close"] or read[0].text[-1] != ":":
            raise self._error(line, "a prefix is declared by Prefix(name:=<IRI>)")
        self.prefixes[read[0].text[:-1]] = read[2].text[1:-1]

    def _add(self, token: _Token, parts: list[_Call | _Value], tokens: Iterator[_Token]) -> None:
        last = parts[-1] if parts else None
        plain = isinstance(last, _Value) and last.kind == "literal" and not last.of
        match token.kind:
            case "iri":
                parts.append(_Value("iri", token.text[1:-1], token.line))
            case "text":
                parts.append(_Value("literal", _ESCAPED.sub(r"\1", token.text[1:-1]), token.line))
            case "language" if plain and isinstance(last, _Value):
                parts[-1] = last._replace(of=token.text)
            case "datatype" if plain and isinstance(last, _Value):
                named = next(tokens, token)
                if named.kind == "iri":
                    parts[-1] = last._replace(of=named.text[1:-1])
                elif named.kind == "word":
                    parts[-1] = last._replace(of=self._word(named).text)
                else:
                    raise self._error(token.line, "a datatype is expected after ^^")
            case _:
                raise self._error(token.line, f"{token.text} without a text before it")

    def _word(self, token: _Token) -> _Value:
        """Return an IRI written with a prefix, a blank node, or a number."""
        prefix, colon, local = token.text.partition(":")
        if token.text.isdigit():
            return _Value("number", token.text, token.line)
        if prefix == "_":
            return _Value("blank", token.text, token.line)
        if not colon:
            raise self._error(
                token.line, f"{token.text} is not a name; write a prefixed name, or an IRI in < >"
            )
        if prefix not in self.prefixes:
            raise self._error(
                token.line, f"the prefix {prefix}: is not declared; write Prefix({prefix}:=<…>) above"
            )
        return _Value("iri", self.prefixes[prefix] + local, token.line)

    # --- Calls to elements ---

    def _import(self, call: _Call) -> Element:
        element = Element(OWL_NAMESPACE + "Import")
        (imported,) = call.parts if len(call.parts) == 1 else (None,)
        if not isinstance(imported, _Value) or imported.kind != "iri":
            raise self._error(call.line, "Import( needs one IRI")
        element.text = imported.text
        return element

    def _element(self, call: _Call, place: str) -> Element:
        """Convert a constructor to an element. `place` is the letter of its argument position; `@` stands for
        an axiom.
        """
        yields, patterns = _PLACES.get(call.name, ("?", ()))
        if place not in yields and not (place == "@" and not yields):
            raise self._error(call.line, f"{call.name}(…) where {_EXPECTED[place]} is expected")
        element = Element(OWL_NAMESPACE + call.name)
        parts: list[_Call | _Value] = []
        for part in call.parts:
            if isinstance(part, _Call) and part.name == "Annotation":
                element.append(self._element(part, "@"))
            else:
                parts.append(part)
        if call.name == "HasKey":
            parts, patterns = _flat(parts)
        places = next((found for each in patterns if (found := _filled(each, len(parts))) is not None), None)
        if places is None:
            raise self._error(
                call.line, f"{call.name}( has {counted(len(parts), 'argument')}, too few or too many"
            )
        for part, inner in zip(parts, places, strict=True):
            self._put(element, part, inner)
        return element

    def _put(self, element: Element, part: _Call | _Value, place: str) -> None:
        """Add an argument of a constructor to its element as in OWL/XML: as a child element, or as an
        attribute.
        """
        if isinstance(part, _Call):
            element.append(self._element(part, place))
        elif (place, part.kind) in _ATTRIBUTES:
            element.set(_ATTRIBUTES[place, part.kind], part.text)
        elif (place, part.kind) == ("F", "iri"):
            SubElement(element, OWL_NAMESPACE + "FacetRestriction").set("facet", part.text)
        elif place == "G" and part.kind == "literal":
            element[-1].append(_literal(part))
        elif place in "LVX" and part.kind == "literal":
            element.append(_literal(part))
        elif place in "IVX" and part.kind == "blank":
            SubElement(element, OWL_NAMESPACE + "AnonymousIndividual").set("nodeID", part.text)
        elif place == "V" and part.kind == "iri":
            SubElement(element, OWL_NAMESPACE + "IRI").text = part.text
        elif place in _NAMES and part.kind == "iri":
            SubElement(element, OWL_NAMESPACE + _NAMES[place]).set("IRI", part.text)
        else:
            raise self._error(part.line, f"the {part.kind} {part.text} where {_EXPECTED[place]} is expected")


def _literal(value: _Value) -> Element:
    element = Element(OWL_NAMESPACE + "Literal")
    element.text = value.text
    if value.of.startswith("@"):
        element.set(XML_NAMESPACE + "lang", value.of[1:])
    elif value.of:
        element.set("datatypeIRI", value.of)
    return element


def _flat(parts: list[_Call | _Value]) -> tuple[list[_Call | _Value], tuple[str, ...]]:
    """Return the class and the two lists of properties of a key as one list of arguments, with the pattern of
    their argument positions.
    """
    lists = [part.parts for part in parts if isinstance(part, _Call) and not part.name]
    if len(parts) != 3 or len(lists) != 2:
        return parts, ()
    return [parts[0], *lists[0], *lists[1]], ("C" + "O" * len(lists[0]) + "P" * len(lists[1]),)


def _filled(pattern: str, number: int) -> str | None:
    """Return the letters of the argument positions of `number` arguments; None if the pattern does not match
    this number.

    >>> _filled("P+D", 4), _filled("CC", 3)
    ('PPPD', None)
    """
    before, repeats, after = pattern.partition("+")
    if not repeats:
        return pattern if len(pattern) == number else None
    first, bracket, repeated = before.removesuffix(")").rpartition("(")
    if not bracket:
        first, repeated = before[:-1], before[-1]
    times, left = divmod(number - len(first) - len(after), len(repeated))
    return first + repeated * times + after if times > 0 and not left else None


_LINE = re.compile(r"line_col: Pos\(\((\d+), (\d+)\)\)")
_MANCHESTER_SYNTAX_EXPECTED = re.compile(r"positives: \[([^\]]*)\]")
_SPAN = re.compile(r'\("([^"]*)", ByteSpan\((\d+)\.\.(\d+)\)\)')
# Strings, IRIs and comments, which do not affect nesting; words that begin a nested expression; and tokens
# that end all expressions opened since the last open bracket. The parser's recursion is bounded by the number
# of open brackets and of such words.
_IGNORED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|<[^<>\s]*>|#[^\n]*', re.DOTALL)
_OPENING_WORDS = r"some|only|not|min|max|exactly|value|inverse"
_NESTING_TOKEN = re.compile(
    rf"(?P<open>[({{\[])|(?P<close>[)}}\]])|\b(?P<begin>{_OPENING_WORDS})\b|\b(?:and|or)\b|,|\w+:\s",
    re.IGNORECASE,
)
# py-horned-owl keeps the suffix of a float: 2.5f.
_FLOAT = re.compile(r'"([^"\\]*)[fF]"\^\^<http://www\.w3\.org/2001/XMLSchema#float>')
_WITHOUT_LETTER = r'"\1"^^<http://www.w3.org/2001/XMLSchema#float>'


def read_manchester_syntax(content: bytes, source: str, base: str) -> ParsedDocument:
    """Return the triples of a document in Manchester syntax, and its prefixes; lines are unknown.

    The optional package py-horned-owl parses the document and writes functional syntax. Its own conversion to
    triples is incomplete: for three disjoint classes, for example, the disjointness of the second and the
    third is missing.

    Raises:
        MalformedInputError: the document is malformed, or nested too deeply.
        MissingPackageError: the package py-horned-owl is not installed.
    """
    library = import_package("pyhornedowl", "manchester", f"Manchester syntax ({source})")
    text = text_of(content, source)
    _refuse_deep_nesting(text, source)
    try:
        read = library.open_ontology_from_string(text, "omn")
        components = [(type(each.component).__name__, str(each)) for each in read.get_components()]
        prefixes = dict(read.prefix_mapping)
    except Exception as error:
        raise _malformed(error, text, source) from error
    except BaseException as error:  # a panic of the library is not an Exception
        if type(error).__name__ != "PanicException":
            raise
        reason = "not OWL Manchester syntax: the parser py-horned-owl failed without a position"
        raise MalformedInputError(source, None, reason) from error
    try:
        written = read_functional_syntax(_in_functional_syntax(components).encode(), source, base)
    except MalformedInputError as error:
        reason = error.reason.replace("OWL functional syntax", "OWL Manchester syntax")
        raise MalformedInputError(source, None, reason) from error
    return ParsedDocument(written.triples, None, written.prefixes | prefixes)


def _refuse_deep_nesting(text: str, source: str) -> None:
    depth, opened = 0, [0]  # in total, and since each open bracket
    for step in _NESTING_TOKEN.finditer(_IGNORED.sub(" ", text)):
        match step.lastgroup:
            case "open":
                opened.append(0)
                depth += 1
            case "begin":
                opened[-1] += 1
                depth += 1
            case "close" if len(opened) > 1:
                depth -= opened.pop() + 1
            case _:
                depth -= opened[-1]
                opened[-1] = 0
        if depth > DEEPEST_EXPRESSION:
            reason = f"expressions nested deeper than {DEEPEST_EXPRESSION} levels"
            raise MalformedInputError(source, None, reason)


def _malformed(error: Exception, text: str, source: str) -> MalformedInputError:
    """Convert an error of py-horned-owl, whose positions are byte offsets, or lines and columns."""
    message = str(error)
    if at := _LINE.search(message):
        line, column = int(at[1]), int(at[2])
        rest = (text.splitlines()[line - 1 : line] or [""])[0][column - 1 :]
        names = _MANCHESTER_SYNTAX_EXPECTED.search(message)
        expected = f"; expected {names[1]}" if names and names[1] else ""
        reason = f"{rest[:40]!r} cannot be read{expected}" if rest else f"something is missing{expected}"
        return MalformedInputError(source, line, f"not OWL Manchester syntax: {reason}")
    if span := _SPAN.search(message):
        content = text.encode()
        begin, end = int(span[2]), int(span[3])
        reason = f"{span[1]}: {content[begin:end].decode(errors='replace')}"
        line = content.count(b"\n", 0, begin) + 1
        return MalformedInputError(source, line, f"not OWL Manchester syntax: {reason}")
    return MalformedInputError(source, None, f"not OWL Manchester syntax: {message}")


def _in_functional_syntax(components: Sequence[tuple[str, str]]) -> str:
    """Return a document with the parsed components, in a deterministic order."""
    names = [text for kind, text in components if kind == "OntologyID"]
    others = sorted(text for kind, text in components if kind != "OntologyID")
    return _FLOAT.sub(_WITHOUT_LETTER, "\n".join(["Ontology(", *names, *others, ")"]))
