"""What typically goes wrong with a mapping, and what a stranger is told then."""

from __future__ import annotations

import pytest

from mistakes import MAPPING, TABLE, at_least_twenty, message_for_table

RML = "@prefix rml: <http://w3id.org/rml/> .\n<#garage> a rml:TriplesMap ."
STATEMENT = "[ex:free, $(free), xsd:integer]"
MELTED = f"{MAPPING.replace('$(free)', '$(value)')}melt: {{columns: [free, full]}}\n"


def told(before, after):
    """What is said where one part of the mapping is another, or all of it."""
    assert not before or before in MAPPING
    mapping = MAPPING.replace(before, after) if before else after
    return message_for_table(TABLE, mapping, "csv")


# Of each mistake what stands in the mapping, what should not stand there instead, and what is said.
MISTAKES = {
    "the table in the mapping's place": (
        "",
        TABLE,
        (
            "the mapping, line 1: a mapping is not a dictionary; expected some of prefixes, time,"
            " mappings, melt, null, delimiter, decimal, each with a colon"
        ),
    ),
    "RML instead of YARRRML": (
        "",
        RML,
        (
            "the mapping, line 1: it is not YAML: found character '@' that cannot start any token;"
            " expected a mapping in YAML, in YARRRML's terms; RML and other RDF are not supported"
        ),
    ),
    "an empty file": ("", "\n", ("the mapping: it is empty; expected prefixes, time and mappings")),
    "a list where the mapping begins": (
        "",
        "- prefixes: {}\n- time: at\n",
        (
            "the mapping, line 1: a mapping is not a dictionary; expected some of prefixes, time,"
            " mappings, melt, null, delimiter, decimal, each with a colon"
        ),
    ),
    "a tab before a word": (
        "    s: ",
        "\ts: ",
        (
            "the mapping, line 5: it is not YAML: found character '\\t' that cannot start any token;"
            " expected spaces for indentation instead of tabs"
        ),
    ),
    "a line too far to the right": (
        "    po:",
        "      po:",
        (
            "the mapping, line 6: it is not YAML: mapping values are not allowed here; expected a"
            " space after each colon, and equal indentation of neighbouring lines; put a text that"
            " contains ': ' into quotes"
        ),
    ),
    "no space behind a colon": (
        "s: ex:$(id)",
        "s:ex:$(id)",
        (
            "the mapping, line 6: it is not YAML: mapping values are not allowed here; expected a"
            " space after each colon, and equal indentation of neighbouring lines; put a text that"
            " contains ': ' into quotes"
        ),
    ),
    "a colon in a text without quotation marks": (
        "$(free), xsd",
        "free: $(free), xsd",
        (
            "the mapping, line 7: the key free in an object is not known; expected one of value, v, "
            "datatype, language, type"
        ),
    ),
    "a key that is misspelt": (
        "mappings:",
        "mapings:",
        (
            "the mapping, line 3: the key mapings in a mapping is not known; expected one of "
            "prefixes, time, mappings, melt, null, delimiter, decimal (did you mean mappings?)"
        ),
    ),
    "a key that is there twice": (
        "mappings:",
        "time: {column: at}\nmappings:",
        ("the mapping, line 3: the key 'time' is given twice; expected each key once"),
    ),
    "the sources of YARRRML": (
        "    s: ex",
        "    sources: [garages]\n    s: ex",
        (
            "the mapping, line 5: the key sources in mapping garage is not known; expected a mapping "
            "without it: the table is given beside the mapping"
        ),
    ),
    "a function of YARRRML": (
        STATEMENT,
        "{p: ex:free, o: {function: ex:double}}",
        (
            "the mapping, line 7: the key function in an object is not known; expected a mapping without it:"
            " mappings do not compute; use a rule or a query"
        ),
    ),
    "an object without ~iri": (
        STATEMENT,
        "[ex:isIn, ex:$(id)]",
        (
            "the mapping, line 7: ex:$(id) may be an IRI or a text; expected ex:$(id)~iri for the"
            " IRI, [p, ex:$(id), xsd:string] for the text"
        ),
    ),
    "no time": (
        "time: {column: time, zone: UTC}\n",
        "",
        ("the mapping, line 1: time is missing; expected time, such as time: {column: timestamp}"),
    ),
    "a time without its column": (
        "{column: time, zone: UTC}",
        "{zone: UTC}",
        ("the mapping, line 2: the time needs a column; expected column: name, or value: $(date) $(time)"),
    ),
    "a time in a column that is not there": (
        "column: time",
        "column: timestamp",
        (
            "the mapping, line 2: <table> has no column timestamp; expected one of time, id, free "
            "(did you mean time?)"
        ),
    ),
    "a unit of time in a word": (
        "zone: UTC",
        "unit: seconds",
        (
            "the mapping, line 2: the unit of time 'seconds' is not known; expected s, ms, us or ns "
            "for a time since 1970, or number where numbers are the stream's times"
        ),
    ),
    "a unit and a zone": (
        "zone: UTC",
        "unit: s, zone: UTC",
        (
            "the mapping, line 2: unit and zone are both given; expected one of them: a number has no zone "
            "and no format"
        ),
    ),
    "a zone that is no zone": (
        "zone: UTC",
        "zone: CEST",
        (
            "the mapping, line 2: the time zone 'CEST' is not known; expected the name "
            "of a time zone, such as Europe/Berlin or UTC, or +01:00"
        ),
    ),
    "a format as others write it": (
        "zone: UTC",
        "zone: UTC, format: dd.MM.yyyy HH:mm",
        (
            "the mapping, line 2: the format 'dd.MM.yyyy HH:mm' has no directive; expected directives"
            " of Python's strptime, such as %d.%m.%Y %H:%M:%S"
        ),
    ),
    "no subject": (
        "    s: ex:$(id)\n",
        "",
        ("the mapping, line 5: mapping garage has no subject; expected exactly one of s, subject, subjects"),
    ),
    "a subject without a prefix": (
        "s: ex:$(id)",
        "s: $(id)/garage",
        (
            "the mapping, line 5: '$(id)/garage' begins with a column's value; expected a prefix or "
            "the IRI's beginning before it, such as ex:$(id)/garage"
        ),
    ),
    "a prefix that is not declared": (
        "ex:free",
        "sosa:free",
        (
            "the mapping, line 7: the prefix sosa: is not known; expected one of ex:, owl:, rdf:,"
            " rdfs:, xsd:, or another one declared in prefixes:"
        ),
    ),
    "a prefix without the end of its namespace": (
        "ex: http://example.org/}",
        "ex: example.org}",
        (
            "the mapping, line 1: 'example.org' is not an IRI; expected prefix:name, or an IRI in"
            " full such as http://example.org"
        ),
    ),
    "braces for a column": (
        "$(id)",
        "{id}",
        (
            "the mapping, line 5: 'http://example.org/{id}' is not an IRI; expected no spaces and"
            ' none of <>"{}|^`\\ in it; a reference to a column is $(…), not {…}'
        ),
    ),
    "a column without its end": (
        "$(id)",
        "$(id",
        (
            "the mapping, line 5: the reference in 'ex:$(id' has no end, or no name; expected "
            "$(column); a bracket in its name is written \\( or \\)"
        ),
    ),
    "a column that is not there": (
        "$(free)",
        "$(vacant)",
        ("the mapping, line 7: <table> has no column vacant; expected one of time, id, free"),
    ),
    "a statement in one text": (
        STATEMENT,
        "ex:free $(free)",
        (
            "the mapping, line 7: this is not a predicateobject; expected [predicate, object],"
            " [predicate, object, datatype], or p: and o:"
        ),
    ),
    "a statement of two words as a dictionary": (
        STATEMENT,
        "ex:free: $(free)",
        (
            "the mapping, line 7: the key ex:free in a predicateobject is not known; expected a list: "
            "[ex:free, $(free)]"
        ),
    ),
    "a property alone": (
        STATEMENT,
        "[ex:free]",
        (
            "the mapping, line 7: this is not a predicateobject; expected [predicate, object],"
            " [predicate, object, datatype], or p: and o:"
        ),
    ),
    "a datatype without its prefix": (
        "xsd:integer",
        "integer",
        ("the mapping, line 7: the datatype integer has no prefix; expected xsd:integer"),
    ),
    "a datatype that is none": (
        "xsd:integer",
        "xsd:number",
        (
            "the mapping, line 7: the datatype xsd:number is not known; expected one of XML Schema's,"
            " such as xsd:integer, xsd:decimal, xsd:double, xsd:boolean, xsd:string, xsd:dateTime"
        ),
    ),
    "an IRI that could be a text": (
        STATEMENT,
        "[ex:status, ex:Open]",
        (
            "the mapping, line 7: ex:Open may be an IRI or a text; expected ex:Open~iri for the IRI,"
            " [p, ex:Open, xsd:string] for the text"
        ),
    ),
    "an IRI with a datatype": (
        "$(free), xsd",
        "$(free)~iri, xsd",
        (
            "the mapping, line 7: an IRI has a datatype or language; expected a literal with it, or an IRI "
            "without it"
        ),
    ),
    "a datatype and a language": (
        STATEMENT,
        "{p: ex:n, o: {value: x, datatype: xsd:string, language: en}}",
        ("the mapping, line 7: the object has a datatype and a language; expected one of them"),
    ),
    "an alias": (
        "    s: ex:$(id)",
        "    s: *subject",
        ("the mapping, line 5: the anchor or alias subject is not supported; expected the text itself"),
    ),
    "a column that is melted and not there": (
        "",
        MELTED,
        ("the mapping, line 7: <table> has no column full; expected one of time, id, free"),
    ),
    "columns that are melted for nothing": (
        "mappings:",
        "melt: {columns: [free]}\nmappings:",
        (
            "the mapping, line 3: no mapping uses the melted columns; expected a reference to"
            " $(value), the value of a melted column"
        ),
    ),
    "a delimiter of two characters": (
        "mappings:",
        "delimiter: '::'\nmappings:",
        ("the mapping, line 3: the delimiter '::' is invalid; expected one character such as ';', or tab"),
    ),
    "a delimiter as a word": (
        "mappings:",
        "delimiter: semicolon\nmappings:",
        (
            "the mapping, line 3: the delimiter 'semicolon' is invalid; expected one character such as "
            "';', or tab"
        ),
    ),
    "a decimal mark that is none": (
        "mappings:",
        "decimal: comma\nmappings:",
        ("the mapping, line 3: the decimal mark 'comma' is not known; expected one of '.', ','"),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    before, after, expected = MISTAKES[name]
    assert told(before, after) == expected
