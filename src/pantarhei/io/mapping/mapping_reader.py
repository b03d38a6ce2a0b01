"""Reader of mappings: from a document to a `RecordMapping`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, cast

from rdflib import RDF, XSD, URIRef

from pantarhei.errors import MappingError, OptionError
from pantarhei.io.mapping.mapping_document import DocumentNode, read_document
from pantarhei.io.mapping.record_mapping import (
    PREFIXES,
    UNITS,
    Melt,
    RecordMapping,
    RowTime,
    TermKind,
    TermTemplate,
    TextTemplate,
    TripleTemplate,
    Unit,
    iri,
)
from pantarhei.model.datetimes import zone_named
from pantarhei.model.message_text import did_you_mean
from pantarhei.rdf.ntriples import is_plain_iri
from pantarhei.values.value import INTEGER_BOUNDS, STRING_FORMS, is_ill_typed, value_key

_SUBJECTS = ("s", "subject", "subjects")
_STATEMENTS = ("po", "predicateobjects")
_PREDICATES = ("p", "predicate", "predicates")
_OBJECTS = ("o", "object", "objects")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_TIME_CHOICES = (
    ("ambiguous", "way", ("error", "earlier", "later", "infer")),
    ("precision", "precision", ("microseconds", "exact")),
)
_TIME_PARTS = ("column", "value", "unit", "format", "zone", *(name for name, *_ in _TIME_CHOICES))
_DIRECTIVES = frozenset("aAbBcdDfFGHIjmMpSTuUVwWxXyYzZ%")
_CLOCK = frozenset("HIMSfpTXc")


def _has_day(directives: set[str]) -> bool:
    """Return whether strptime directives contain a year, and also a day if they contain a time of day."""
    whole = bool(directives & {*"cxDF"})
    month, weekday = bool(directives & {*"mbB"}), bool(directives & {*"aAuw"})
    in_week = weekday and bool(directives & {*"UWV"})
    day = whole or "j" in directives or in_week or (month and "d" in directives)
    return (whole or bool(directives & {*"YyG"})) and (day or not directives & _CLOCK)


_DATATYPES = frozenset(
    {each.removeprefix(str(XSD)) for each in (*INTEGER_BOUNDS, *STRING_FORMS)}
    | {
        "string",
        "decimal",
        "float",
        "double",
        "boolean",
        "dateTime",
        "dateTimeStamp",
        "date",
        "time",
        "anyURI",
    }
    | {"hexBinary", "base64Binary", "duration", "dayTimeDuration", "yearMonthDuration"}
    | {"gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay"}
)
_USUAL = "xsd:integer, xsd:decimal, xsd:double, xsd:boolean, xsd:string, xsd:dateTime"
_NOT_OURS = {
    "sources": "the table is given beside the mapping",
    "source": "the table is given beside the mapping",
    "condition": "mappings do not filter rows; use a rule or a query",
    "function": "mappings do not compute; use a rule or a query",
    "graphs": "the time of a row is its graph",
    "targets": "triples go into the reasoner",
}


def read_mapping(
    given: str | os.PathLike[str] | Mapping[str, Any] | RecordMapping, time: str | None = None
) -> RecordMapping:
    """Read a mapping from a file, a text in YAML or a dictionary.

    Args:
        time: the column of the time if the mapping has none; None to refuse such a mapping.

    Raises:
        MissingFileError: the file does not exist.
        MappingError: the mapping is invalid; the error has the line and suggests similar names.
        OptionError: the argument is of another type.

    >>> mapping = read_mapping({
    ...     "prefixes": {"ex": "http://example.org/"},
    ...     "time": {"column": "at", "unit": "s"},
    ...     "mappings": {"garage": {"s": "ex:$(id)", "po": [["ex:free", "$(free)", "xsd:integer"]]}},
    ... })
    >>> str(mapping.groups[0][0].subject.template)
    'http://example.org/$(id)'
    """
    if isinstance(given, RecordMapping):
        return given
    return _MappingReader(*read_document(given), time).mapping()


class _MappingReader:
    """Reader of one mapping document.

    Args:
        source: the document's name in errors.
        root: the root node of the document.
        time: the column of the time if the document names none; None if it must.
    """

    def __init__(self, source: str, root: DocumentNode, time: str | None = None) -> None:
        self._source, self._root, self._prefixes, self._time_column = source, root, dict(PREFIXES), time

    def mapping(self) -> RecordMapping:
        root = self._root
        keys = ("prefixes", "time", "mappings", "melt", "null", "delimiter", "decimal")
        parts = self._dictionary(root, "a mapping", keys)
        if self._time_column is not None:
            parts.setdefault("time", DocumentNode(self._time_column, root.line, {}))
        for prefix, node in self._named(parts.get("prefixes"), "prefixes"):
            self._prefixes[prefix] = self._iri(self._text(node), node)
        for name, example in (
            ("time", "time: {column: timestamp}"),
            ("mappings", "mappings: {garage: {s: …, po: […]}}"),
        ):
            if name not in parts:
                raise self._error(root, f"{name} is missing", f"{name}, such as {example}")
        melt = self._melt(parts.get("melt"))
        groups = tuple(self._group(node, name) for name, node in self._named(parts["mappings"], "mappings"))
        if not groups:
            raise self._error(parts["mappings"], "there is no mapping", "at least one, with a subject")
        nulls = (
            frozenset(map(self._text, self._several(parts["null"]))) if "null" in parts else frozenset({""})
        )
        delimiter = self._text(parts["delimiter"]) if "delimiter" in parts else None
        if (
            delimiter is not None
            and (delimiter := {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter))
            and (len(delimiter.encode()) != 1 or delimiter in '"\r\n')
        ):
            raise self._error(
                parts["delimiter"],
                f"the delimiter {delimiter!r} is invalid",
                "one character such as ';', or tab",
            )
        decimal = self._choice(parts["decimal"], "decimal mark", (".", ",")) if "decimal" in parts else "."
        return RecordMapping(
            self._source, self._prefixes, self._time(parts["time"]), groups, melt, nulls, delimiter or None,
            cast(Any, decimal),
        )  # fmt: skip

    # time and melting

    def _time(self, node: DocumentNode) -> RowTime:
        if isinstance(node.content, str):
            return RowTime(TextTemplate(("", ""), (node.content,)), line=node.line)
        parts = self._dictionary(node, "time", _TIME_PARTS)
        if ("column" in parts) is ("value" in parts):
            raise self._error(node, "the time needs a column", "column: name, or value: $(date) $(time)")
        given = parts.get("column") or parts["value"]
        text = self._text(given)
        template = TextTemplate(("", ""), (text,)) if "column" in parts else self._template(text, given)
        if not template.columns or "" in template.columns:
            raise self._error(given, f"the time {text!r} refers to no column", "a column: $(date) $(time)")
        unit = self._unit(parts["unit"]) if "unit" in parts else None
        zone = self._zone(parts["zone"]) if "zone" in parts else None
        pattern = self._format(parts["format"]) if "format" in parts else None
        for name in ("format", "zone"):
            if unit is not None and name in parts:
                raise self._error(
                    parts[name],
                    f"unit and {name} are both given",
                    "one of them: a number has no zone and no format",
                )
        chosen = {
            name: self._choice(parts[name], what, choices)
            for name, what, choices in _TIME_CHOICES
            if name in parts
        }
        return RowTime(template, unit, pattern, zone, line=given.line, **cast(Any, chosen))

    def _unit(self, node: DocumentNode) -> Unit:
        text = self._text(node)
        if text not in UNITS:
            expected = "s, ms, us or ns for a time since 1970, or number where numbers are the stream's times"
            raise self._error(node, f"the unit of time {text!r} is not known", expected)
        return cast(Unit, text)

    def _zone(self, node: DocumentNode) -> str:
        name = self._text(node)
        try:
            zone_named(name)
        except OptionError as error:
            raise self._error(node, f"the time zone {name!r} is not known", error.expected) from None
        return name

    def _format(self, node: DocumentNode) -> str:
        text = self._text(node)
        directives = re.findall("%(.?)", text)
        wrong = [each for each in directives if each not in _DIRECTIVES]
        if wrong or not directives:
            problem = (
                f"the directive %{wrong[0]} is not supported"
                if wrong
                else f"the format {text!r} has no directive"
            )
            raise self._error(node, problem, "directives of Python's strptime, such as %d.%m.%Y %H:%M:%S")
        if "Z" in directives:
            problem = "the directive %Z is not supported: it reads names of zones and drops them"
            raise self._error(node, problem, "%z for offsets, or zone: for local times")
        if not _has_day({*directives}):
            problem = f"the format {text!r} has no day of a year"
            expected = "%Y, %m and %d; where they are in another column, value: $(day) $(clock)"
            raise self._error(node, problem, expected)
        return text

    def _melt(self, node: DocumentNode | None) -> Melt | None:
        if node is None:
            return None
        parts = self._dictionary(node, "melt", ("columns", "variable", "value"))
        if "columns" not in parts:
            raise self._error(node, "melt has no columns", "columns: [ozone, …], or columns: {ozone: {…}, …}")
        columns: dict[str, dict[str, str]] = {}
        if isinstance(parts["columns"].content, dict):
            for column, data in self._named(parts["columns"], "columns"):
                empty = data.content == ""
                columns[column] = {} if empty else {
                    name: self._text(each) for name, each in self._named(data, f"melted column {column}")
                }  # fmt: skip
        else:
            columns = {self._text(each): {} for each in self._several(parts["columns"])}
        names = {name: self._text(parts[name]) for name in ("variable", "value") if name in parts}
        return Melt(columns, **names, line=parts["columns"].line)

    # triples

    def _group(self, node: DocumentNode, name: str) -> tuple[TripleTemplate, ...]:
        parts = self._dictionary(node, f"mapping {name}", (*_SUBJECTS, *_STATEMENTS))
        subjects = self._one_of(parts, node, f"mapping {name}", "subject", _SUBJECTS)
        statements = self._one_of(parts, node, f"mapping {name}", "predicateobjects", _STATEMENTS)
        if not isinstance(statements.content, list):
            raise self._error(
                statements, "predicateobjects is not a list", "a list: - [ex:free, $(free), xsd:integer]"
            )
        pairs = [pair for each in statements.content for pair in self._statement(each)]
        return tuple(
            TripleTemplate(subject, predicate, object_)
            for subject in [self._resource(each) for each in self._several(subjects)]
            for predicate, object_ in pairs
        )

    def _statement(self, node: DocumentNode) -> list[tuple[TermTemplate, TermTemplate]]:
        """Return the pairs of predicate and object that a node describes; objects of `rdf:type` are read as
        IRIs.
        """
        if isinstance(node.content, dict):
            for key, value in node.content.items():
                if ":" in key and isinstance(value.content, str):
                    expected = f"a list: [{key}, {value.content}]"
                    problem = f"the key {key} in a predicateobject is not known"
                    raise self._error(node, problem, expected)
            parts = self._dictionary(node, "a predicateobject", (*_PREDICATES, *_OBJECTS))
            predicates = self._one_of(parts, node, "a predicateobject", "predicate", _PREDICATES)
            objects = self._several(self._one_of(parts, node, "a predicateobject", "object", _OBJECTS))
            data: list[DocumentNode] = []
        elif isinstance(node.content, list) and 2 <= len(node.content) <= 3:
            predicates, given, *data = node.content
            objects = self._several(given)
        else:
            expected = "[predicate, object], [predicate, object, datatype], or p: and o:"
            raise self._error(node, "this is not a predicateobject", expected)
        made = []
        for each in self._several(predicates):
            predicate = self._predicate(each)
            is_type = predicate.template.texts == (str(RDF.type),)
            made += [(predicate, self._object(object_, data, is_type)) for object_ in objects]
        return made

    def _predicate(self, node: DocumentNode) -> TermTemplate:
        if node.content == "a":
            return TermTemplate(TextTemplate((str(RDF.type),)), TermKind.IRI, line=node.line)
        return self._resource(node)

    def _object(self, node: DocumentNode, data: list[DocumentNode], is_type: bool) -> TermTemplate:
        language: str | None = None
        datatype, is_iri = None, is_type
        if isinstance(node.content, dict):
            parts = self._dictionary(node, "an object", ("value", "v", "datatype", "language", "type"))
            value = self._one_of(parts, node, "an object", "value", ("value", "v"))
            if "type" in parts:
                is_iri = self._choice(parts["type"], "type", ("iri", "literal")) == "iri"
            datatype = self._datatype(parts["datatype"]) if "datatype" in parts else None
            language = self._language(parts["language"], 0) if "language" in parts else None
        else:
            value, parts = node, {}
            if isinstance(node.content, list) and 1 <= len(node.content) <= 2:  # YARRRML: [[value, datatype]]
                value, *data = node.content
        text = self._text(value)
        if text.endswith("~iri"):
            text, is_iri = text.removesuffix("~iri"), True
        for each in data:
            if self._text(each).endswith("~lang"):
                language = self._language(each, len("~lang"))
            else:
                datatype = self._datatype(each)
        if is_iri:
            if datatype is not None or language is not None:
                raise self._error(
                    node, "an IRI has a datatype or language", "a literal with it, or an IRI without it"
                )
            return self._iri_pattern(text, value)
        if datatype is not None and language is not None:
            raise self._error(node, "the object has a datatype and a language", "one of them")
        template = self._template(text, value)
        if "type" not in parts and datatype is None and language is None and self._may_be_iri(template):
            problem = f"{text} may be an IRI or a text"
            raise self._error(node, problem, f"{text}~iri for the IRI, [p, {text}, xsd:string] for the text")
        if not template.columns and is_ill_typed(value_key(text, datatype)):
            raise self._error(value, f"{text!r} is not a value of the datatype", f"a value of {datatype}")
        return TermTemplate(template, TermKind.LITERAL, datatype, language, value.line)

    def _may_be_iri(self, template: TextTemplate) -> bool:
        """Return whether a template begins with a known prefix or a scheme followed by `//`."""
        prefix, colon, rest = template.texts[0].partition(":")
        return (
            bool(colon) and not rest.startswith(" ") and (prefix in self._prefixes or rest.startswith("//"))
        )

    def _datatype(self, node: DocumentNode) -> URIRef:
        text = self._text(node)
        if text in _DATATYPES:
            raise self._error(node, f"the datatype {text} has no prefix", f"xsd:{text}")
        datatype = URIRef(self._iri(text, node))
        local = datatype.removeprefix(str(XSD))
        if local != datatype and local not in _DATATYPES:
            hint = did_you_mean(local, _DATATYPES - {"Name"})
            expected = f"one of XML Schema's, such as {_USUAL}{hint}"
            raise self._error(node, f"the datatype {text} is not known", expected)
        return datatype

    def _language(self, node: DocumentNode, suffix: int) -> str:
        text = self._text(node)
        tag = text[: len(text) - suffix]
        if not _LANGUAGE.fullmatch(tag):
            raise self._error(node, f"the language {tag!r} is invalid", "a tag such as en or pt-BR")
        return tag

    def _resource(self, node: DocumentNode) -> TermTemplate:
        return self._iri_pattern(self._text(node).removesuffix("~iri"), node)

    def _iri_pattern(self, text: str, node: DocumentNode) -> TermTemplate:
        template = self._template(text, node)
        if template.is_whole:
            return TermTemplate(template, TermKind.WHOLE_IRI, line=node.line)
        first = template.texts[0]
        if not first:
            own = next((each for each in self._prefixes if each not in PREFIXES), "ex")
            expected = f"a prefix or the IRI's beginning before it, such as {own}:{text}"
            raise self._error(node, f"{text!r} begins with a column's value", expected)
        texts = (self._iri(first, node), *template.texts[1:])
        for piece in texts[1:]:
            if not is_plain_iri(f"<urn:{piece}>"):
                problem = f"{piece!r} is invalid in an IRI"
                raise self._error(node, problem, 'no spaces and none of <>"{}|^`\\ there')
        return TermTemplate(TextTemplate(texts, template.columns), TermKind.IRI, line=node.line)

    def _iri(self, text: str, node: DocumentNode) -> str:
        return iri(text, self._prefixes, self._source, node.line)

    def _template(self, text: str, node: DocumentNode) -> TextTemplate:
        try:
            return TextTemplate.read(text)
        except ValueError:
            problem = f"the reference in {text!r} has no end, or no name"
            raise self._error(
                node, problem, r"$(column); a bracket in its name is written \( or \)"
            ) from None

    # nodes

    def _text(self, node: DocumentNode) -> str:
        if isinstance(node.content, str):
            return node.content
        problem = f"this is {'a list' if isinstance(node.content, list) else 'a dictionary'}"
        raise self._error(node, problem, "a text; put a text that begins with [ or { into quotes")

    def _several(self, node: DocumentNode) -> list[DocumentNode]:
        return node.content if isinstance(node.content, list) else [node]

    def _named(self, node: DocumentNode | None, what: str) -> list[tuple[str, DocumentNode]]:
        if node is None:
            return []
        if not isinstance(node.content, dict):
            raise self._error(node, f"{what} is not a dictionary", "names, each with a colon and a value")
        return list(node.content.items())

    def _dictionary(self, node: DocumentNode, what: str, keys: tuple[str, ...]) -> dict[str, DocumentNode]:
        if not isinstance(node.content, dict):
            raise self._error(
                node, f"{what} is not a dictionary", f"some of {', '.join(keys)}, each with a colon"
            )
        for key in node.content:
            if key not in keys:
                hint = did_you_mean(key, keys)
                expected = f"one of {', '.join(keys)}{hint}"
                if not hint and key in _NOT_OURS:
                    expected = f"a mapping without it: {_NOT_OURS[key]}"
                raise MappingError(
                    self._source, node.lines.get(key, node.line), f"the key {key} in {what} is not known",
                    expected,
                )  # fmt: skip
        return node.content

    def _one_of(
        self, parts: dict[str, DocumentNode], node: DocumentNode, what: str, name: str, keys: tuple[str, ...]
    ) -> DocumentNode:
        given = [key for key in keys if key in parts]
        if len(given) != 1:
            problem = f"{what} has {' and '.join(given)}" if given else f"{what} has no {name}"
            raise self._error(node, problem, f"exactly one of {', '.join(keys)}")
        return parts[given[0]]

    def _choice(self, node: DocumentNode, what: str, known: tuple[str, ...]) -> str:
        text = self._text(node)
        if text not in known:
            hint = did_you_mean(text, known)
            shown = ", ".join(each if each.isalpha() else repr(each) for each in known)
            raise self._error(node, f"the {what} {text!r} is not known", f"one of {shown}{hint}")
        return text

    def _error(self, node: DocumentNode, problem: str, expected: str) -> MappingError:
        return MappingError(self._source, node.line, problem, expected)
