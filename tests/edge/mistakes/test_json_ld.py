"""What typically goes wrong with a stream in JSON-LD, and what a stranger is told then."""

from __future__ import annotations

import pytest

from mistakes import at_least_twenty, message_for_stream

CONTEXT = '{"@vocab": "http://example.org/", "at": "http://www.w3.org/ns/prov#generatedAtTime"}'
MESSAGE = f'{{"@context": {CONTEXT}, "@id": "urn:r1", "at": "2026-01-01T10:00:00Z", "degrees": 21}}\n'
TIME = '"2026-01-01T10:00:00Z"'
GRAPH = """{"@context": {"@vocab": "http://example.org/", "prov": "http://www.w3.org/ns/prov#"},
 "@id": "urn:g1", "prov:generatedAtTime": "2026-01-01T10:00:00Z",
 "@graph": [{"@id": "urn:s", "degrees": 21}]}
"""


def second(before, after):
    """Two messages, something in the second of which is another."""
    assert before in MESSAGE
    return MESSAGE + MESSAGE.replace(before, after)


def told(text):
    return message_for_stream(text, "jsonld")


# Of each mistake the stream and what is said.
MISTAKES = {
    "no time": (
        second(f'"at": {TIME}, ', ""),
        (
            "<stream>, line 2: the message has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime in it; the option time takes the IRI of "
            "another property"
        ),
    ),
    "a time that the context does not know": (
        MESSAGE + GRAPH.replace('"prov:gen', '"gen'),
        (
            "<stream>, line 2: graph <urn:g1> has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime on it, or a name that ends in a number or an "
            "ISO 8601 time; the option time takes the IRI of another property, and there is a time in "
            "<http://example.org/generatedAtTime>"
        ),
    ),
    "a time by another property": (
        MESSAGE.replace("generatedAtTime", "startedAtTime"),
        (
            "<stream>, line 1: the message has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime in it; the option time takes the IRI of "
            "another property, and there is a time in <http://www.w3.org/ns/prov#startedAtTime>"
        ),
    ),
    "a time without a zone": (
        second("10:00:00Z", "10:00:00"),
        (
            "<stream>, line 2: the timestamp 2026-01-01T10:00:00 is invalid: expected a time "
            "with a zone (…Z or …+01:00): a time without one is a different instant in each place; "
            "add the zone where the stream is written, or set it with the option zone"
        ),
    ),
    "a day alone": (
        second("T10:00:00Z", ""),
        (
            "<stream>, line 2: the timestamp '2026-01-01' is invalid: expected a number or an "
            "ISO 8601 time such as 2026-01-31T10:00:00Z"
        ),
    ),
    "a day before its month": (
        second(TIME, '"01.01.2026 10:00"'),
        (
            "<stream>, line 2: the timestamp '01.01.2026 10:00' is invalid: expected a number "
            "or an ISO 8601 time such as 2026-01-31T10:00:00Z"
        ),
    ),
    "a day that is none": (
        second("2026-01-01", "2026-02-30"),
        (
            "<stream>, line 2: the timestamp '2026-02-30T10:00:00Z' is invalid: expected a "
            "number or an ISO 8601 time such as 2026-01-31T10:00:00Z"
        ),
    ),
    "seconds among dates": (
        second(TIME, "1767261600"),
        (
            "<stream>, line 2: the timestamp 1767261600 is invalid: expected a datetime with a "
            "time zone like the stream's other timestamps"
        ),
    ),
    "a time that is a name": (
        second(TIME, '{"@id": "urn:now"}'),
        (
            "<stream>, line 2: <urn:now> as the time of a message is invalid: expected a "
            "literal, a number or an ISO 8601 time"
        ),
    ),
    "two times": (
        second(TIME, f'[{TIME}, "2026-01-01T10:05:00Z"]'),
        (
            "<stream>, line 2: a message with the times 2026-01-01T10:00:00+00:00 and"
            " 2026-01-01T10:05:00+00:00 is invalid: expected one time in a message; keep two"
            " messages apart (with MESSAGE in a log, as two documents of JSON-LD), or set the option"
            " time to the property of the message's time"
        ),
    ),
    "a graph without a time": (
        GRAPH.replace('"prov:generatedAtTime": "2026-01-01T10:00:00Z",', ""),
        (
            "<stream>, line 1: graph <urn:g1> has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime on it, or a name that ends in a number or an "
            "ISO 8601 time; the option time takes the IRI of another property"
        ),
    ),
    "plain JSON without a context": (
        f'{MESSAGE}{{"id": 7, "at": {TIME}}}\n',
        (
            "<stream>, line 2: no statement follows from its members id, at: a context must map "
            'them to properties, such as "@context": {"@vocab": "http://example.org/"}, and an @id '
            "must not have spaces; for JSON without a context, use read_records with a mapping"
        ),
    ),
    "a context on the network": (
        f'{MESSAGE}{{"@context": "https://schema.org/", "at": 1}}\n',
        (
            "<stream>, line 2: the context https://schema.org/ is not known, and nothing is fetched; "
            "give its file by the option contexts (--context IRI=FILE)"
        ),
    ),
    "a relative name": (
        second('"urn:r1"', '"r1"'),
        ("<stream>, line 2: r1 is a relative IRI; give its base by the option base"),
    ),
    "a name with a space": (
        second('"urn:r1"', '"http://example.org/r 1"'),
        (
            "<stream>, line 2: no statement follows from its members at, degrees: a context must map "
            'them to properties, such as "@context": {"@vocab": "http://example.org/"}, and an @id '
            "must not have spaces; for JSON without a context, use read_records with a mapping"
        ),
    ),
    "a number as a name": (second('"urn:r1"', "7"), "<stream>, line 2: @id value must be a string"),
    "a text as a class": (
        second('"degrees": 21', '"http://www.w3.org/1999/02/22-rdf-syntax-ns#type": "Sensor"'),
        (
            '<stream>, line 2: <urn:r1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "Sensor": '
            "the object of rdf:type must be a class, not a literal"
        ),
    ),
    "a class that is a number": (
        second('"degrees": 21', '"@type": 5'),
        "<stream>, line 2: @type value must be a string",
    ),
    "a value that is a name too": (
        second("21", '{"@value": 21, "@id": "urn:a"}'),
        "<stream>, line 2: @value and @id are incompatible",
    ),
    "a comma behind the last member": (
        second("21}", "21,}"),
        (
            "<stream>, line 2: it is not JSON-LD: Trailing commas are not allowed; remove the comma "
            "before the closing bracket"
        ),
    ),
    "a dictionary as Python prints it": (
        MESSAGE + MESSAGE.replace('"', "'"),
        (
            "<stream>, line 2: it is not JSON-LD: Unexpected char: '''; it is Python syntax: json.dumps(…) "
            "writes JSON"
        ),
    ),
    "None for null": (
        second("21", "None"),
        (
            "<stream>, line 2: it is not JSON-LD: Unexpected char: 'N'; it is Python syntax: json.dumps(…) "
            "writes JSON"
        ),
    ),
    "NaN in a number's place": (
        second("21", "NaN"),
        ("<stream>, line 2: it is not JSON-LD: Unexpected char: 'N'; JSON has null where there is no number"),
    ),
    "a comment": (
        f"// log\n{MESSAGE}",
        ("<stream>, line 1: // log: expected a JSON-LD document, an object in braces"),
    ),
    "a bracket that is not closed": (
        GRAPH.replace("}]}", "}}"),
        (
            "<stream>, line 3: it is not JSON-LD: Array values must be followed by a comma to add a "
            "new value or a squared bracket to end the array"
        ),
    ),
    "a last line that broke off": (
        MESSAGE + MESSAGE[:60],
        ("<stream>, line 2: the closing brace of the document is missing"),
    ),
    "a line that broke off": (
        f"{MESSAGE[:60]}\n{MESSAGE}",
        "<stream>, line 1: it is not JSON-LD: Unexpected end of file",
    ),
    "CSV instead of JSON-LD": (
        "time,id\n1,a\n",
        ("<stream>, line 1: time,id: expected a JSON-LD document, an object in braces"),
    ),
    "Turtle instead of JSON-LD": (
        "@prefix ex: <urn:ex:> .\nex:a ex:b ex:c .\n",
        ("<stream>, line 1: @prefix ex: <urn:ex:> .: expected a JSON-LD document, an object in braces"),
    ),
    "a web page instead of the file": (
        "<!DOCTYPE html>\n<html></html>\n",
        ("<stream>, line 1: <!DOCTYPE html>: expected a JSON-LD document, an object in braces"),
    ),
    "a file in Latin-1": (
        second("urn:r1", "urn:å").encode("latin-1"),
        ("<stream>, line 2: it is not UTF-8; convert it, for example with iconv"),
    ),
    "a file in UTF-16": (
        MESSAGE.encode("utf-16"),
        ("<stream>, line 1: it is not UTF-8; convert it, for example with iconv"),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    text, expected = MISTAKES[name]
    assert told(text) == expected


def test_a_document_that_says_nothing_is_no_mistake():
    from io import BytesIO

    from pantarhei import read_stream

    nothing = (
        '{}\n{"@id": "urn:x"}\n{"@context": {"@vocab": "urn:"}, "@graph": []}\n{"@id": "urn:y", "no": null}\n'
    )
    assert len(list(read_stream(BytesIO((nothing + MESSAGE).encode()), format="jsonld"))) == 1
