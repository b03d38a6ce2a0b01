"""What typically goes wrong with a message log, and what a stranger is told then."""

from __future__ import annotations

import pytest

from mistakes import at_least_twenty, message_for_stream

VERSION = 'VERSION "1.2-messages"\n'
LOG = f"""{VERSION}PREFIX sosa: <http://www.w3.org/ns/sosa/>
PREFIX ex: <http://example.org/>
ex:o1 sosa:resultTime 1 ; ex:degrees 21.5 .
MESSAGE
ex:o2 sosa:resultTime 2 ; ex:degrees 21.7 .
"""
DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
LINES = f"""{VERSION}<urn:o1> <http://www.w3.org/ns/sosa/resultTime> "1" .
MESSAGE
<urn:o2> <http://www.w3.org/ns/sosa/resultTime> "2" .
"""


def log(before, after):
    assert before in LOG
    return LOG.replace(before, after)


def told(text, format="turtle"):
    return message_for_stream(text, format)


# Of each mistake the log, its syntax where that is not Turtle, and what is said.
MISTAKES = {
    "the first line is missing": (
        LOG.removeprefix(VERSION),
        (
            "<stream>, line 1: turtle has no graphs with times; a message log begins with VERSION"
            ' "1.2-messages", with MESSAGE between messages'
        ),
    ),
    "the version of plain Turtle": (
        log("1.2-messages", "1.2"),
        (
            "<stream>, line 1: turtle has no graphs with times; a message log begins with VERSION"
            ' "1.2-messages", with MESSAGE between messages'
        ),
    ),
    "a directive of Turtle without its dot": (
        log("VERSION", "@version"),
        ("<stream>, line 2: A dot is expected at the end of statements"),
    ),
    "an empty file": (
        "",
        (
            '<stream>, line 1: it is empty; a message log begins with VERSION "1.2-messages", with'
            " MESSAGE between messages"
        ),
    ),
    "a table in the log's place": (
        "time,id\n1,a\n",
        (
            "<stream>, line 1: turtle has no graphs with times; a message log begins with VERSION"
            ' "1.2-messages", with MESSAGE between messages'
        ),
    ),
    "N-Quads whose lines are messages": (
        LINES.removeprefix(VERSION),
        "ntriples",
        (
            "<stream>, line 1: ntriples has no graphs with times; a message log begins with VERSION"
            ' "1.2-messages", with MESSAGE between messages'
        ),
    ),
    "no word between messages": (
        log("MESSAGE\n", ""),
        (
            "<stream>, line 1: a message with the times 1 and 2 is invalid: expected one time "
            "in a message; keep two messages apart (with MESSAGE in a log, as two documents of "
            "JSON-LD), or set the option time to the property of the message's time"
        ),
    ),
    "messages, not message": (
        log("MESSAGE", "MESSAGES"),
        (
            "<stream>, line 5: MESSAGES is not a valid subject or graph name; messages are separated "
            "by MESSAGE alone, or @message with a dot"
        ),
    ),
    "a dot behind the word": (
        log("MESSAGE", "MESSAGE ."),
        "<stream>, line 5: . is not a valid subject or graph name",
    ),
    "no dot behind the directive": (
        log("MESSAGE", "@message"),
        ("<stream>, line 5: @message must be followed by a dot: @message ."),
    ),
    "a line of hyphens": (
        log("MESSAGE", "---"),
        (
            "<stream>, line 5: An integer should not be empty; messages are separated by MESSAGE alone, "
            "or @message with a dot"
        ),
    ),
    "a statement that does not end before the next message": (
        log("21.5 .", "21.5"),
        ("<stream>, line 5: Unexpected end; the message ends here, since MESSAGE follows"),
    ),
    "no time": (
        log("sosa:resultTime 2 ; ", ""),
        (
            "<stream>, line 5: the message has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime in it; the option time takes the IRI of "
            "another property"
        ),
    ),
    "a time by a property of one's own": (
        log("sosa:resultTime 2", "ex:time 2"),
        (
            "<stream>, line 5: the message has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime in it; the option time takes the IRI of "
            "another property"
        ),
    ),
    "the time of the phenomenon": (
        LOG.replace("resultTime 1", f'phenomenonTime "2026-01-01T10:00:00Z"^^<{DATE}>'),
        (
            "<stream>, line 1: the message has no time; expected one of the properties "
            "generatedAtTime, hasTimestamp, resultTime in it; the option time takes the IRI of "
            "another property, and there is a time in <http://www.w3.org/ns/sosa/phenomenonTime>"
        ),
    ),
    "two times": (
        log("resultTime 2", "resultTime 2, 3"),
        (
            "<stream>, line 5: a message with the times 2 and 3 is invalid: expected one time "
            "in a message; keep two messages apart (with MESSAGE in a log, as two documents of "
            "JSON-LD), or set the option time to the property of the message's time"
        ),
    ),
    "a time that is a name": (
        log("resultTime 2", "resultTime ex:now"),
        (
            "<stream>, line 5: <http://example.org/now> as the time of a message is invalid: "
            "expected a literal, a number or an ISO 8601 time"
        ),
    ),
    "a time without a zone": (
        log("resultTime 2", f'resultTime "2026-01-01T10:00:00"^^<{DATE}>'),
        (
            "<stream>, line 5: the timestamp 2026-01-01T10:00:00 is invalid: expected a time "
            "with a zone (…Z or …+01:00): a time without one is a different instant in each place; "
            "add the zone where the stream is written, or set it with the option zone"
        ),
    ),
    "dates among numbers": (
        log("resultTime 2", 'resultTime "2026-01-01T10:00:00Z"'),
        (
            "<stream>, line 5: the timestamp 2026-01-01T10:00:00+00:00 is invalid: expected an "
            "integer like the stream's other timestamps"
        ),
    ),
    "a day alone": (
        LOG.replace("resultTime 1", 'resultTime "2026-01-01"'),
        (
            "<stream>, line 1: the timestamp '2026-01-01' is invalid: expected a number or an "
            "ISO 8601 time such as 2026-01-31T10:00:00Z"
        ),
    ),
    "a word as a time": (
        log("resultTime 2", 'resultTime "soon"'),
        (
            "<stream>, line 5: the timestamp 'soon' is invalid: expected a number or an ISO "
            "8601 time such as 2026-01-31T10:00:00Z"
        ),
    ),
    "a prefix that is not declared": (
        log("ex:degrees 21.7", "exx:degrees 21.7"),
        "<stream>, line 6: The prefix exx: has not been declared",
    ),
    "a relative name": (
        log("ex:o2", "<o2>"),
        (
            "<stream>, line 6: No scheme found in an absolute IRI: one is relative and there is no "
            "base; write @base, or give a base"
        ),
    ),
    "a name with a space": (
        log("ex:o2", "<http://example.org/o 2>"),
        "<stream>, line 6: Invalid IRI code point ' '",
    ),
    "a unit behind a number": (
        log("21.7", "21.7 °C"),
        ("<stream>, line 6: '°' is not allowed at the beginning of a prefix name"),
    ),
    "True, as Python writes it": (log("21.7", "True"), "<stream>, line 6: True is not a valid RDF object"),
    "a quotation mark that is not closed": (log("21.7", '"21.7'), "<stream>, line 6: Unexpected end of file"),
    "a text as a class": (
        log("ex:degrees 21.7", 'a "Sensor"'),
        (
            "<stream>, line 5: <http://example.org/o2> "
            '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "Sensor": the object of rdf:type must '
            "be a class, not a literal"
        ),
    ),
    "a triple in a triple": (
        log("ex:degrees 21.7", "ex:says <<( ex:a ex:b ex:c )>>"),
        (
            "<stream>, line 5: <http://example.org/a> <http://example.org/b> <http://example.org/c>: "
            "triple terms and directions (RDF 1.2) are not supported"
        ),
    ),
    "a graph in Turtle": (
        log("ex:o2 sosa:resultTime 2", "GRAPH ex:g { ex:o2 sosa:resultTime 2 }"),
        (
            "<stream>, line 6: GRAPH is not a valid subject or graph name; named graphs need TriG: "
            "a file .trig, or format trig"
        ),
    ),
    "a last message that broke off": (LOG[:-20], "<stream>, line 6: Unexpected end"),
    "a file in Latin-1": (
        log("21.7", '"å"').encode("latin-1"),
        ("<stream>, line 6: it is not UTF-8; convert it, for example with iconv"),
    ),
    "a line of N-Triples that broke off": (
        LINES[:-20],
        "ntriples",
        "<stream>, line 4: Unexpected end of file",
    ),
    "a prefix in N-Triples": (
        LINES.replace("<urn:o2>", "ex:o2"),
        "ntriples",
        ("<stream>, line 4: The subject of a triple must be an IRI or a blank node"),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    *log, expected = MISTAKES[name]
    assert told(*log) == expected
