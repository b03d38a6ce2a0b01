"""Texts of the languages, in the ways in which queries of theirs are written."""

import pickle
import re
from datetime import timedelta

import pytest
from rdflib import URIRef, Variable

from pantarhei.errors import OptionError, QueryError, QueryTextError
from pantarhei.query.algebra.nodes import Call, Graph, nodes_of
from pantarhei.query.languages import read_stream_text
from pantarhei.query.languages.reading import BoundsReader
from pantarhei.query.languages.stream_text import CountWindow, Everything, NewestTimestamp, StreamWindow
from pantarhei.query.syntax import read_query
from pantarhei.query.syntax.grammar import QueryText, all_subtrees, parse, span
from pantarhei.window.sliding import Window
from plain_sparql import plain_sparql

EX = "http://example.org/"
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
STRAIGHT = "FROM NAMED WINDOW <w> ON <s> [RANGE 2 STEP 1]"


def right(range_, slide=None):
    return Window(range_, slide, closed="right")


def own(number):
    """The name of a window that the text gives none."""
    return URIRef(f"urn:pantarhei:window:{number}")


def graphs(registration):
    """The names of GRAPH, WINDOW and STREAM, in the order of the text."""
    return [node.name for node in nodes_of(registration.query.node) if isinstance(node, Graph)]


def refusal(text):
    with pytest.raises(QueryTextError) as raised:
        read_stream_text(text)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    return raised.value


# -- C-SPARQL ----------------------------------------------------------------------------------------

POSITIONS = """
REGISTER QUERY CrowdedRooms AS
PREFIX ex: <http://example.org/>
SELECT ?room (COUNT(DISTINCT ?person) AS ?people)
FROM STREAM <http://example.org/positions> [RANGE 10m STEP 1m]
FROM <http://example.org/building.ttl>
WHERE { ?person ex:isIn ?room . ?room a ex:Office }
GROUP BY ?room HAVING (COUNT(DISTINCT ?person) > 5)
"""


def test_c_sparql():
    made = read_stream_text(POSITIONS)
    assert (made.language, made.name, made.emit) == ("C-SPARQL", "CrowdedRooms", "rstream")
    assert (made.on, made.tick, made.whole_windows) == (("close", "non-empty"), "timestamp", False)
    stream = URIRef(EX + "positions")
    assert made.windows == (StreamWindow(own(1), stream, right(10 * MINUTE, MINUTE), is_default=True),)
    assert made.query.form == "SELECT"
    assert made.query.variables == (Variable("room"), Variable("people"))
    assert made.query.default_graphs == (URIRef(EX + "building.ttl"), own(1))
    assert made.query.named_graphs == ()
    assert made.text == POSITIONS


def test_what_is_left_is_the_query_without_its_windows():
    plain = POSITIONS.replace("REGISTER QUERY CrowdedRooms AS", "").replace(
        "FROM STREAM <http://example.org/positions> [RANGE 10m STEP 1m]", ""
    )
    made = read_stream_text(POSITIONS)
    assert made.query.node == read_query(plain).node
    assert read_stream_text(plain).query == read_query(plain)


def test_several_streams_are_one_default_graph():
    made = read_stream_text(
        """REGISTER STREAM Meetings COMPUTED EVERY 5s AS
        PREFIX : <http://example.org/>
        CONSTRUCT { ?a :meets ?b }
        FROM STREAM <http://example.org/doors> [RANGE 30s TUMBLING]
        FROM STREAM :phones [RANGE TRIPLES 100]
        FROM NAMED STREAM :calls [RANGE 1h30m STEP 90s]
        WHERE { ?a :isIn ?r . ?b :isIn ?r GRAPH :calls { ?a :calls ?b } }"""
    )
    assert made.windows == (
        StreamWindow(own(1), URIRef(EX + "doors"), right(30 * SECOND, 30 * SECOND), is_default=True),
        StreamWindow(own(2), URIRef(EX + "phones"), CountWindow(100, 100, "triples"), is_default=True),
        StreamWindow(URIRef(EX + "calls"), URIRef(EX + "calls"), right(90 * MINUTE, 90 * SECOND)),
    )
    assert graphs(made) == [URIRef(EX + "calls")]
    assert made.on == ("close", "non-empty", 5 * SECOND)
    assert made.query.form == "CONSTRUCT"


def test_what_is_computed_every_so_often_needs_no_step():
    made = read_stream_text(
        "REGISTER QUERY q COMPUTE EVERY 1sec AS ASK FROM STREAM <s> [RANGE 10sec] { ?x a ?c }"
    )
    assert made.windows[0].extent == right(10 * SECOND, SECOND)
    assert made.on == ("close", "non-empty")


@pytest.mark.parametrize("written", ["timestamp", "f:timestamp", "TIMESTAMP "])
def test_the_time_of_a_triple_is_a_call(written):
    text = f"""REGISTER QUERY q AS PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>
    PREFIX : <http://example.org/>
    SELECT ?timestamp (MAX({written}(?s, :enters, ?o)) AS ?last) FROM STREAM :s [RANGE 5s STEP 1s]
    WHERE {{ ?s :enters ?o ; :timestamp ?timestamp }} GROUP BY ?timestamp"""
    made = read_stream_text(text)
    found = [
        aggregate.argument
        for node in nodes_of(made.query.node)
        for aggregate in getattr(node, "aggregates", ())
    ]
    assert found == [Call("TIMESTAMP", (Variable("s"), URIRef(EX + "enters"), Variable("o")))]


@pytest.mark.parametrize("arguments", ["?s", "", "?s, ?p, ?o, ?g"])
def test_the_time_is_that_of_a_triple(arguments):
    with pytest.raises(QueryError, match="expected 3: the subject, the predicate, the object of a triple"):
        read_stream_text(
            f"SELECT * FROM STREAM <s> [RANGE 5s STEP 1s] {{ ?s ?p ?o FILTER(timestamp({arguments}) > 3) }}"
        )


# -- RSP-QL ------------------------------------------------------------------------------------------

SMOKE = """
BASE <http://example.org/>
PREFIX : <vocabulary#>
PREFIX w: <windows/>
REGISTER ISTREAM <alarms> AS
SELECT ?room ?degrees
FROM NAMED WINDOW w:long ON <readings> [RANGE PT1H STEP PT10M]
FROM NAMED WINDOW w:short ON STREAM <readings> [RANGE PT1M STEP PT1M]
FROM NAMED <rooms>
WHERE {
  WINDOW w:long { ?room :smoke "none" }
  WINDOW w:short { ?room :smoke "some" ; :temperature ?degrees }
  GRAPH <rooms> { ?room a :Room }
  FILTER(?degrees > 50)
}
"""


def test_rsp_ql():
    made = read_stream_text(SMOKE)
    assert (made.language, made.name, made.emit) == ("RSP-QL", EX + "alarms", "istream")
    assert (made.on, made.tick, made.whole_windows) == (("close",), "timestamp", True)
    long, short = URIRef(EX + "windows/long"), URIRef(EX + "windows/short")
    assert made.windows == (
        StreamWindow(long, URIRef(EX + "readings"), right(60 * MINUTE, 10 * MINUTE)),
        StreamWindow(short, URIRef(EX + "readings"), right(MINUTE, MINUTE)),
    )
    assert graphs(made) == [long, short, URIRef(EX + "rooms")]
    assert made.query.default_graphs == ()
    assert made.query.named_graphs == (URIRef(EX + "rooms"), long, short)


@pytest.mark.parametrize(
    ("head", "emit"),
    [
        ("REGISTER RSTREAM <o> AS SELECT", "rstream"),
        ("REGISTER IStream <o> AS SELECT", "istream"),
        ("REGISTER DSTREAM <o> AS SELECT", "dstream"),
        ("REGISTER STREAM <o> AS SELECT", "rstream"),
        ("SELECT ISTREAM", "istream"),
        ("register stream <o> as select dstream", "dstream"),
        ("REGISTER QUERY istream AS SELECT", "rstream"),
        ("SELECT", "rstream"),
    ],
)
def test_the_stream_of_answers_is_named_when_it_is_registered_or_behind_select(head, emit):
    made = read_stream_text(
        head + " * FROM NAMED WINDOW <w> ON <s> [RANGE 4 STEP 2] { WINDOW <w> { ?s ?p ?o } }"
    )
    assert made.emit == emit


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("SELECT ?s {} WHERE {{ WINDOW <w> {{ ?s ?p ?o }} }} ORDER BY ?s LIMIT 3", "SELECT"),
        ("SELECT (EXISTS {{ ?s ?p ?o }} AS ?any) {} {{ WINDOW <w> {{ ?s ?p ?o }} }}", "SELECT"),
        ("CONSTRUCT {{ ?s a ?p }} {} WHERE {{ WINDOW <w> {{ ?s ?p ?o }} }}", "CONSTRUCT"),
        ("CONSTRUCT ISTREAM {{ ?s a ?p }} {} {{ WINDOW <w> {{ ?s ?p ?o }} }}", "CONSTRUCT"),
        ("CONSTRUCT {} WHERE {{ ?s ?p ?o }}", "CONSTRUCT"),
        ("ASK {} {{ WINDOW <w> {{ ?s ?p ?o }} }}", "ASK"),
        ("DESCRIBE ?s {} {{ WINDOW <w> {{ ?s ?p ?o }} }}", "DESCRIBE"),
        ("DESCRIBE <x> {}", "DESCRIBE"),
    ],
)
def test_all_forms_of_queries_have_windows(query, form):
    made = read_stream_text(query.format("FROM NAMED WINDOW <w> ON <s> [RANGE PT2S STEP PT1S]"))
    assert made.query.form == form
    assert [window.name for window in made.windows] == [URIRef("w")]


def test_windows_may_stand_in_every_group():
    made = read_stream_text(
        """SELECT *
        FROM NAMED WINDOW <a> ON <s> [RANGE PT2S STEP PT1S] FROM NAMED WINDOW <b> ON <s> [RANGE PT1S TUMBLING]
        WHERE { { WINDOW <a> { ?x a ?c } } UNION { WINDOW <b> { ?x a ?c } }
                OPTIONAL { WINDOW <a> { ?x ?p ?y } }
                MINUS { WINDOW <b> { ?x a <Bad> } }
                FILTER NOT EXISTS { WINDOW <a> { ?x a <Old> } }
                { SELECT ?x (COUNT(*) AS ?n) WHERE { WINDOW <b> { ?x ?q ?z } } GROUP BY ?x }
                { SELECT DISTINCT ?x WHERE { WINDOW <b> { ?x ?r 1 } } } }"""
    )
    assert sorted(graphs(made)) == [*[URIRef("a")] * 3, *[URIRef("b")] * 4]


@pytest.mark.parametrize(
    "declaration",
    [
        "FROM NAMED WINDOW <w> ON <s> [RANGE 1h, SLIDE 15m]",
        "FROM NAMED WINDOW <w> ON STREAM <s> [RANGE PT1H STEP PT15M]",
        "FROM NAMED WINDOW <w> [RANGE 60 minutes STEP 900 seconds] ON STREAM <s>",
        "FROM NAMED WINDOW ON <s> [RANGE P0DT1H SLIDE PT900S] AS <w>",
        "from named window<w>on<s>[range pt1h step pt15m]",
        "FROM NAMED WINDOW <w> ON <s> [NOW - 1 HOURS SLIDE 15 MINUTES]",
        "FROM NAMED WINDOW <w> ON <s> [FROM NOW-PT1H TO NOW STEP PT15M]",
        "FROM NAMED WINDOW <w> ON <s> [RANGE 1h STEP 15m REPORT WINDOW_CLOSE TICK TIME_DRIVEN]",
    ],
)
def test_a_window_is_declared_in_several_ways(declaration):
    made = read_stream_text(f"SELECT * {declaration} {{ WINDOW <w> {{ ?s ?p ?o }} }}")
    assert made.windows == (StreamWindow(URIRef("w"), URIRef("s"), right(60 * MINUTE, 15 * MINUTE)),)
    assert (made.on, made.tick) == (("close",), "timestamp")


def test_a_window_without_a_name_is_part_of_the_default_graph():
    made = read_stream_text("SELECT * FROM WINDOW [RANGE 2 STEP 1] ON STREAM <s> { ?s ?p ?o }")
    assert made.windows == (StreamWindow(own(1), URIRef("s"), right(2, 1), is_default=True),)


def test_a_query_may_say_when_it_reports_and_looks():
    made = read_stream_text(
        """SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE 4
        REPORT ON_CONTENT_CHANGE NON_EMPTY_CONTENT PERIODIC 3 TICK BATCH_DRIVEN]
        { WINDOW <w> { ?s ?p ?o } }"""
    )
    assert (made.on, made.tick, made.whole_windows) == (("change", "non-empty", 3), "abox", False)
    assert made.windows[0].extent == right(4)


EVERY = "REGISTER RSTREAM <o> COMPUTED EVERY {} AS\n"
REPORTED = "SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE 4 {}] {{ WINDOW <w> {{ ?s ?p ?o }} }}"


@pytest.mark.parametrize(
    ("every", "bounds", "second"),
    [
        (3, "STEP 2 REPORT PERIODIC 2", "2]"),
        (3, "STEP 2 REPORT ON_WINDOW_CLOSE PERIODIC 3 PERIODIC 4", "4]"),
        (None, "STEP 2 REPORT PERIODIC 2 PERIODIC 3", "3]"),
        (None, "STEP 2 REPORT PERIODIC 2 REPORT PERIODIC 3", "3]"),
        (5, "REPORT ON_WINDOW_CLOSE PERIODIC 2 PERIODIC 3", "3]"),
    ],
)
def test_a_second_period_is_refused_with_its_place(every, bounds, second):
    text = (EVERY.format(every) if every else "\n") + REPORTED.format(bounds)
    with pytest.raises(QueryTextError, match=r"query has two periods, \d and \d; expected one") as raised:
        read_stream_text(text)
    assert raised.value.line == 2
    assert raised.value.source_line[raised.value.column - 1 :].startswith(second)


@pytest.mark.parametrize(
    ("every", "bounds", "on"),
    [
        (2, "STEP 2 REPORT PERIODIC 2", (2,)),
        (2, "STEP 2 REPORT ON_WINDOW_CLOSE", ("close", 2)),
        (1, "REPORT ON_WINDOW_CLOSE PERIODIC 2", ("close", 2)),  # there EVERY is the step
    ],
)
def test_a_period_may_be_said_twice_and_a_step_is_none(every, bounds, on):
    assert read_stream_text(EVERY.format(every) + REPORTED.format(bounds)).on == on


def test_the_entailment_regime_is_told():
    made = read_stream_text(
        "REGISTER STREAM <o> UNDER ENTAILMENT REGIME <http://www.w3.org/ns/entailment/OWL-RL> AS SELECT * "
        "FROM NAMED WINDOW <w> ON <s> [RANGE 2 STEP 1] FROM GRAPH <g> FROM NAMED GRAPH <h> { ?s ?p ?o }"
    )
    assert made.entailment == URIRef("http://www.w3.org/ns/entailment/OWL-RL")
    assert made.query.default_graphs == (URIRef("g"),)
    assert made.query.named_graphs == (URIRef("h"), URIRef("w"))


# -- CQELS -------------------------------------------------------------------------------------------

NEIGHBOURS = """
PREFIX : <http://example.org/>
SELECT ?first ?second
FROM NAMED <http://example.org/plan/>
WHERE {
  GRAPH <http://example.org/plan/> { ?here :connected ?there }
  STREAM <http://example.org/tags> [NOW] { ?first :detectedAt ?here }
  STREAM <http://example.org/tags>
    [RANGE 3s]
  { ?second :detectedAt ?there }
  STREAM :tags [NOW] { ?first :movesWith ?second }
}
"""


def test_cqels():
    made = read_stream_text(NEIGHBOURS)
    assert (made.language, made.name, made.emit) == ("CQELS", None, "istream")
    assert (made.on, made.tick, made.whole_windows) == (("change", "non-empty"), "timestamp", False)
    tags = URIRef(EX + "tags")
    assert made.windows == (
        StreamWindow(own(1), tags, NewestTimestamp()),
        StreamWindow(own(2), tags, right(3 * SECOND)),
    )
    assert graphs(made) == [URIRef(EX + "plan/"), own(1), own(2), own(1)]
    assert made.query.named_graphs == (URIRef(EX + "plan/"), own(1), own(2))
    sparql = plain_sparql(made)
    assert read_query(sparql).node == made.query.node
    assert "GRAPH <urn:pantarhei:window:1> { ?first :movesWith ?second }" in sparql


@pytest.mark.parametrize(
    ("bounds", "extent"),
    [
        ("[NOW]", NewestTimestamp()),
        ("[ALL]", Everything()),
        ("[TRIPLES 100]", CountWindow(100, 1, "triples")),
        ("[RANGE 15s]", right(15 * SECOND)),
        ("[RANGE 15s SLIDE 5s]", right(15 * SECOND, 5 * SECOND)),
        ("[RANGE 1m30s TUMBLING]", right(90 * SECOND, 90 * SECOND)),
        ("[RANGE 5000000ns]", right(timedelta(milliseconds=5))),
    ],
)
@pytest.mark.parametrize("order", ["STREAM <s>{}{{ ?x a ?c }}", "STREAM {} <s> {{ ?x a ?c }}"])
def test_cqels_has_its_windows_where_they_are_used(bounds, extent, order):
    made = read_stream_text("SELECT ?x WHERE {" + order.format(bounds) + "}")
    assert [window.extent for window in made.windows] == [extent]
    assert graphs(made) == [own(1)]


# -- SPARQL ------------------------------------------------------------------------------------------


def test_a_text_without_windows_is_sparql():
    made = read_stream_text("SELECT ?x { ?x a ?c }")
    assert (made.language, made.windows, made.emit, made.on, made.tick) == (
        "SPARQL",
        (),
        "delta",
        ("change",),
        "abox",
    )
    named = read_stream_text("REGISTER QUERY rooms AS SELECT ?x { ?x a ?c }")
    assert (named.name, named.query) == ("rooms", made.query)


def test_prefixes_and_base_may_be_given():
    text = "SELECT * FROM NAMED WINDOW ex:w ON <s> [RANGE 2 STEP 1] { WINDOW ex:w { ?x a <C> } }"
    made = read_stream_text(text, {"ex": EX}, "http://base.org/")
    assert made.windows == (StreamWindow(URIRef(EX + "w"), URIRef("http://base.org/s"), right(2, 1)),)
    assert made.query.node == read_stream_text(f"BASE <http://base.org/> PREFIX ex: <{EX}> {text}").query.node


ESCAPED = r"""PREFIX e: <http://example.org/>
SELECT ?x FROM NAMED WINDOW {} ON {} [RANGE 4 STEP 2] FROM {} {{ WINDOW {} {{ ?x a e:\u0041 }} }}"""


@pytest.mark.parametrize(
    ("window", "stream", "graph", "again"),
    [
        ("e:w1", r"e:\u0073", r"e:g\U00000067", r"e:\u00771"),
        (r"\u0065:w1", r"\U00000065:s", r"e:\u0067g", "e:w1"),
        (r"e:\u00771", r"<http://example.org/\u0073>", "e:gg", r"<http://example.org/w\u0031>"),
    ],
)
def test_an_escape_in_a_name_is_its_character(window, stream, graph, again):
    made = read_stream_text(ESCAPED.format(window, stream, graph, again))
    plain = read_stream_text(ESCAPED.format("e:w1", "e:s", "e:gg", "e:w1"))
    assert (made.windows, made.query) == (plain.windows, plain.query)
    assert made.windows[0].stream == URIRef(EX + "s")


def test_a_declared_prefix_may_have_an_escape():
    made = read_stream_text(
        f"PREFIX from\\u0031: <{EX}> ASK FROM STREAM from1:s [RANGE 2 STEP 1] {{ ?x a ?c }}"
    )
    assert made.windows[0].stream == URIRef(EX + "s")


def test_a_name_may_have_signs_with_a_backslash():
    made = read_stream_text(f"PREFIX e: <{EX}> ASK FROM STREAM e:a\\-b\\~%20 [RANGE 2 STEP 1] {{ ?x a ?c }}")
    assert made.windows[0].stream == URIRef(EX + "a-b~%20")


@pytest.mark.parametrize(
    ("name", "at", "message"),
    [
        (r"e:\u0020s", "s", "unexpected s"),
        (r"e:\uD800", r"\uD800", "an unpaired surrogate"),
        (r"e:\U7FFFFFFF", r"\U7FFFFFFF", "is not a character"),
        (r"\u0066:s", r"\u0066:s", "the prefix f: is not declared"),
    ],
)
def test_an_escape_that_cannot_be_in_a_name_is_refused_with_its_place(name, at, message):
    error = refusal(ESCAPED.format("e:w", name, "e:g", "e:w"))
    assert re.search(message, str(error))
    assert (error.line, error.source_line[error.column - 1 :].split()[0]) == (2, at)


def test_places_behind_escapes_are_those_of_the_text():
    error = refusal(ESCAPED.format(r"e:\u0077", r"e:\u0073", r"e:\u0067", "e:v"))
    assert (error.line, error.source_line[error.column - 1 :][:5]) == (2, "e:v {")


# -- words that are no keywords ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    [
        "?window ?range ?STEP",
        "?from a ?stream FILTER(?from < 3 && ?stream > 4)",
        "?x window:range range:STEP ; from:stream stream:window",
        '?x ?p "WINDOW <v> { STREAM <s> [NOW] {"',
        """?x ?p 'it is "FROM' , "a \\" STREAM"@en , 'WINDOW'@stream""",
        '?x ?p """\nWINDOW <v> {"" ""\n"""',
        "?x ?p <http://example.org/STREAM#WINDOW>",
        "?x ?p ?o # WINDOW <v> {\n",
        "?x a [ ?p ( 1 2 ) ] ; ^<q>|!(a|^a)/<p>* 1.5e3",
        "BIND(NOW() AS ?now) ?x ?all ?now",
        "?x ?p ?o FILTER(?p<?o && ?o>1)",
        "_:window ?p $step",
        "?x ?p from:a\\~window",
        "VALUES ?on { <on> 'to'^^<to> }",
    ],
)
def test_words_of_the_languages_may_be_used_for_anything_else(pattern):
    prefixes = " ".join(f"PREFIX {each}: <urn:{each}:>" for each in ("window", "range", "from", "stream"))
    made = read_stream_text(f"{prefixes} SELECT * {STRAIGHT} WHERE {{ WINDOW <w> {{ {pattern} }} }}")
    plain = read_query(f"{prefixes} SELECT * WHERE {{ GRAPH <w> {{ {pattern} }} }}")
    assert made.query.node == plain.node


def test_names_of_queries_and_windows_may_be_words_of_the_languages():
    made = read_stream_text(
        """PREFIX as: <urn:as:> PREFIX on: <urn:on:> PREFIX named: <urn:named:>
        REGISTER QUERY Every-Step AS SELECT ?where FROM NAMED named:graph FROM named:other
        FROM NAMED WINDOW on:window ON as:stream [RANGE 2 STEP 1]
        WHERE { WINDOW on:window { ?where a ?as } }"""
    )
    assert made.name == "Every-Step"
    assert made.windows[0].name == URIRef("urn:on:window")
    assert made.query.named_graphs == (URIRef("urn:named:graph"), URIRef("urn:on:window"))


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            "SELECT * FROM STREAM <s> [RANGE 10s STEP] {}",
            1,
            41,
            "expected a duration such as PT10S or a number",
        ),
        ("SELECT * FROM STREAM <s>\n {}", 2, 2, r'expected "\["'),
        (
            "SELECT *\nFROM STREAM <s> [LAST 10s] {}",
            2,
            18,
            "expected ALL, ELEMENTS, FROM, GRAPHS, NOW, RANGE",
        ),
        ("SELECT * FROM STREAM ?s [RANGE 10s STEP 1s] {}", 1, 22, "expected a prefixed name or an IRI"),
        ("SELECT * FROM STREAM <s> [RANGE 10s STEP 1s {}", 1, 45, r'expected "\]"'),
        ("REGISTER QUERY q SELECT * {}", 1, 18, "expected AS, COMPUTE, COMPUTED or UNDER"),
        ("REGISTER q AS SELECT * {}", 1, 10, "expected QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM"),
        (
            "REGISTER QUERY q AS",
            1,
            20,
            "unexpected end of the text; expected ASK, BASE, CONSTRUCT, DESCRIBE",
        ),
        ("SELECT * { { ?x a ?c }", 1, 23, 'unexpected end of the text; expected "}"'),
        ("SELECT * { ?x a ?c } }", 1, 22, "unexpected }"),
        ("SELECT (?x AS ?y { ?x a ?c }", 1, 18, r'unexpected {; expected "\)"'),
        ("SELECT * {\n ?x a\n}", 3, 1, "unexpected }"),
        (
            "SELECT * FROM NAMED WINDOW <w> ON\t<s> [RANGE 2 STEP 1]\n{ WINDOW <w> { ?x\ta } }",
            2,
            21,
            "unexpected }",
        ),
        ("SELECT * { WINDOW <w> [NOW] { ?x a ?c } }", 1, 23, r'expected "\{"'),
        ("ASK {} FROM STREAM <s> [RANGE 2 STEP 1]", 1, 8, "unexpected FROM"),
    ],
)
def test_a_malformed_text_is_refused_with_its_place(text, line, column, message):
    error = refusal(text)
    assert (error.line, error.column) == (line, column)
    with pytest.raises(QueryTextError, match=message):
        read_stream_text(text)
    assert error.source_line == text.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("selected", "pattern", "at", "message"),
    [
        ("?x", "?x a nope:C", "nope:C", "the prefix nope: is not declared"),
        ("?x", '?x ?p "nope:C" , nope:D', "nope:D", "the prefix nope: is not declared"),
        ("?x", "?x ?p 1, 2^^nope:C", "^^", r"unexpected \^"),
        ("?x", '?x ?p "1"^^nope:C', "nope:C", "the prefix nope: is not declared"),
        ("?x", "?x ?p ?y FILTER(?y > 1 && <f>(?y))", "<f>(", "the function <f> is not known"),
        ("?x", "?x ?p ?y FILTER(timestamp(?x, ?p) > 2)", "timestamp(", "TIMESTAMP has 2 arguments"),
        ("?x", "?x ?p ?y FILTER(?y = '\\u0041' && COUNT(?y))", "COUNT", "COUNT is not allowed here"),
        ("?x", "?x ?p ?y FILTER REGEX(?y, '(')", "REGEX", "malformed"),
        ("?x", "BIND(1 AS ?y) { ?x ?p ?y } BIND(2 AS ?y)", "BIND(2", r"assigns \?y, which has a value "),
        ("?x", "VALUES (?x ?y) { (1 2) (1) }", "VALUES", "2 variables, but a row has 1 values"),
        ("?x", "{ ?x ?p ?y } SERVICE <t> { ?x ?p ?y }", "SERVICE", "SERVICE is refused"),
        ("(COUNT(*) AS ?n) ?y", "?x ?p ?y", "?y ", r"\?y is selected, but it is neither a group key"),
        ("?x (1 AS ?y)", "?x ?p ?y", "(1 AS", r"assigns \?y, which has a value "),
        ("*", "{ SELECT * { ?x ?p ?y } GROUP BY ?x }", "SELECT * { ?x", r"SELECT \* cannot be grouped"),
        ("?x", "{ ?x ?p _:b } { ?x ?q _:b }", "_:b", "_:b is used in two groups"),
        ("?x", "?x ?p '\\uD800'", "\\uD800", "an unpaired surrogate"),
        ("?x", "{ " * 2000 + "?x ?p ?y" + " }" * 2000, "SELECT", "nested too deeply"),
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "REGISTER QUERY q AS # {{\nSELECT {} FROM STREAM <s> [RANGE 4 STEP 2]\n{{ {} }}",
        "SELECT {} # FROM\n{{ STREAM <s> [RANGE 4] {{ {} }} }}",
    ],
)
def test_what_sparql_refuses_is_refused_with_its_place(selected, pattern, at, message, around):
    """Words of the languages come before it, in its line and in others."""
    text = around.format(selected, pattern)
    error = refusal(text)
    with pytest.raises(QueryTextError, match=message):
        read_stream_text(text)
    assert text.split("\n")[error.line - 1][error.column - 1 :].startswith(at)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("FROM STREAM x:s [RANGE 2 STEP 1]", "x:s", "the prefix x: is not declared"),
        ("FROM STREAM _:s [RANGE 2 STEP 1]", "_:s", "unexpected _:s; expected a prefixed name or an IRI"),
        ("FROM STREAM <s> [RANGE 0s STEP 1s]", "0s", "a range of 0s; expected a range above 0"),
        ("FROM STREAM <s> [RANGE 10s STEP PT0S]", "PT0S", "a step of PT0S; expected a step above 0"),
        ("FROM STREAM <s> [RANGE P1M STEP PT1S]", "P1M", "P1M.*PT5M; months and years vary in length"),
        ("FROM STREAM <s> [RANGE 10s STEP 1]", "1]", "a number and a duration cannot be combined"),
        ("FROM STREAM <s> [RANGE 10ns STEP 1s]", "10ns", "10ns.* a whole number of microseconds"),
        ("FROM STREAM <s> [RANGE 9999999999d STEP 1s]", "9999999999d", "a length below a billion days"),
        ("FROM STREAM <s> [RANGE 1e300 STEP 1]", "RANGE", "fits into 62 bits"),
        ("FROM STREAM <s> [RANGE 10s]", "[RANGE", "has no step; expected RANGE … STEP …, or TUMBLING"),
        ("FROM STREAM <s> [ALL]", "[ALL]", "never closes.*expected a range and a step, or REPORT"),
        ("FROM STREAM <s> [NOW]", "[NOW]", "never closes"),
        (
            "FROM STREAM <s> [TRIPLES 0]",
            "0",
            "0 is not a valid number of elements; expected a whole number above 0",
        ),
        ("FROM STREAM <s> [TRIPLES 2.5]", "2.5", "2.5 is not a valid number of elements"),
        ("FROM STREAM <s> [TRIPLES 10 STEP 0]", "0]", "0 is not a valid number of elements"),
        (
            "FROM STREAM <s> [TRIPLES 10 STEP 11]",
            "11]",
            "a step of 11 skips elements between .*; expected 10 at most",
        ),
        ("FROM STREAM <s> [FROM NOW-1s TO NOW-2s STEP 1s]", "FROM NOW", "ends before it begins"),
        ("FROM STREAM <s> [FROM NOW TO NOW-2s STEP 1s]", "FROM NOW", "ends before it begins"),
        ("FROM STREAM <s> [FROM NOW-5 TO NOW-2s STEP 1s]", "FROM NOW", "a number and a duration"),
        ("FROM STREAM <s> [NOW STEP 1s]", "NOW", "a window NOW cannot have a step"),
        ("FROM STREAM <s> [RANGE 2 REPORT PERIODIC STEP 1]", "STEP", "expected"),
        ("FROM STREAM <s> [RANGE 2 REPORT PERIODIC]", "PERIODIC", "PERIODIC has no period"),
        ("FROM STREAM <s> [RANGE 2 REPORT ON_WINDOW_CLOSE 3]", "ON_WINDOW", "ON_WINDOW_CLOSE has a period"),
        (
            "FROM STREAM <s> [RANGE 2 STEP 1 TICK TUPLE_DRIVEN]",
            "TUPLE_DRIVEN",
            "ABoxes are inserted as a whole",
        ),
        (
            "FROM STREAM <s> [RANGE 2 STEP 1 TICK TIME_DRIVEN TICK BATCH_DRIVEN]",
            "[",
            "the window has two different TICK clauses",
        ),
        (
            "FROM STREAM <s> [RANGE 2 STEP 1] FROM STREAM <t> [RANGE 2 STEP 1 TICK BATCH_DRIVEN]",
            "[RANGE 2 STEP 1 TICK",
            "windows report or tick in different ways",
        ),
        (
            "FROM NAMED STREAM <s> [RANGE 2 STEP 1] FROM NAMED <s>",
            "FROM NAMED STREAM",
            "the window has the name of the static graph",
        ),
        (
            "FROM NAMED STREAM <s> [RANGE 2 STEP 1] FROM NAMED STREAM <s> [RANGE 3 STEP 1]",
            "FROM NAMED STREAM <s> [RANGE 3",
            "<s> is declared twice",
        ),
        (
            "FROM NAMED WINDOW <w> ON <s> [RANGE 2 STEP 1] FROM STREAM <s> [RANGE 2 STEP 1]",
            "FROM STREAM",
            "a clause of C-SPARQL, but the clauses before it are RSP-QL",
        ),
    ],
)
def test_a_window_that_cannot_be_is_refused_with_its_place(text, at, message):
    whole = f"# a query\nSELECT * {text} {{ ?x a ?c }}"
    error = refusal(whole)
    with pytest.raises(QueryTextError, match=message):
        read_stream_text(whole)
    assert error.line == 2
    assert error.source_line[error.column - 1 :].startswith(at)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"SELECT * {STRAIGHT} {{ WINDOW <v> {{ ?x a ?c }} }}",
            "the window <v> is not declared; expected <w>",
        ),
        (
            f"SELECT * {STRAIGHT} {{ WINDOW ?w {{ ?x a ?c }} }}",
            r"the window is given as the variable \?w; expected <w>",
        ),
        (
            "ASK FROM NAMED WINDOW <b> ON <s> [RANGE 2 STEP 1] FROM NAMED WINDOW <a> ON <s> [RANGE 2 STEP 1] "
            "{ WINDOW <c> { ?x a ?y } }",
            "expected <b> or <a>",
        ),
        ("SELECT * { WINDOW <v> { ?x a ?c } }", "expected FROM NAMED WINDOW … ON … first"),
        (
            "SELECT * { STREAM ?s [NOW] { ?x a ?c } }",
            r"the stream is given as the variable \?s; expected its IRI",
        ),
        (
            f"SELECT * {STRAIGHT} {{ STREAM <s> [NOW] {{ ?x a ?c }} }}",
            "a clause of CQELS, but the clauses before it are RSP-QL",
        ),
        (
            "REGISTER ISTREAM <o> AS SELECT DSTREAM * { ?x a ?c }",
            "two streams .* ISTREAM and DSTREAM",
        ),
        (
            "REGISTER QUERY q COMPUTED EVERY 0s AS SELECT * { ?x a ?c }",
            "a period of 0s; expected a period above 0",
        ),
        ("SELECT * FROM STREAM <s> [RANGE 2 STEP 1] { ?x a ?c", "unexpected end of the text"),
    ],
)
def test_what_cannot_be_is_refused(text, message):
    with pytest.raises(QueryTextError, match=message):
        read_stream_text(text)


@pytest.mark.parametrize("text", ["", "# nothing", "   \n"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(QueryTextError, match="unexpected end of the text; expected ASK, BASE, CONSTRUCT"):
        read_stream_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "REGISTER QUERY q COMPUTED EVERY 1s AS SELECT * FROM STREAM <s> [RANGE 10] { ?x a ?c }",
        "REGISTER QUERY q COMPUTED EVERY 3 AS SELECT * FROM STREAM <s> [RANGE 4s STEP 2s] { ?x a ?c }",
        "SELECT * FROM STREAM <s> [RANGE 4 STEP 2] FROM STREAM <t> [RANGE 4s STEP 2s] { ?x a ?c }",
        "ASK { STREAM <s> [RANGE 4] { ?x a ?c } STREAM <t> [FROM NOW-PT4S TO NOW-PT1S] { ?x a ?c } }",
        "ASK FROM STREAM <s> [RANGE 4 STEP 2 REPORT PERIODIC 10s] { ?x a ?c }",
    ],
)
def test_windows_and_periods_of_a_text_are_all_numbers_or_all_durations(text):
    with pytest.raises(QueryTextError, match="a number and a duration cannot be combined"):
        read_stream_text(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"ASK FROM STREAM <s> [RANGE {'9' * 5000} STEP 1] {{}}", "a number of 5000 digits"),
        (f"ASK FROM STREAM <s> [RANGE {'9' * 5000}s STEP 1s] {{}}", "a length below a billion days"),
        ("ASK FROM STREAM <s> [RANGE 1e99999999s STEP 1s] {}", "a length below a billion days"),
        ("ASK FROM STREAM <s> [RANGE 1e999999999s STEP 1s] {}", "a length below a billion days"),
        ("ASK FROM STREAM <s> [RANGE 1e-9s STEP 1s] {}", "a whole number of microseconds"),
        (f"ASK FROM STREAM <s> [TRIPLES {'9' * 5000}] {{}}", "a whole number above 0, below"),
        ("ASK FROM STREAM <\\UFFFFFFFF> [NOW] {}", "is not a character"),
        ("PREFIX : <\\UFFFFFFFF> ASK {}", "is not a character"),
        ("ASK FROM STREAM <\ud800> [NOW] {}", "an unpaired surrogate"),
    ],
)
def test_what_is_beyond_all_measure_is_refused(text, message):
    with pytest.raises(QueryTextError, match=message):
        read_stream_text(text)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "text", ["a." * 20_000, "%41" * 20_000, '" ' * 20_000, "< " * 20_000, "a:" + "." * 20_000]
)
def test_long_texts_take_no_longer_than_their_length(text):
    with pytest.raises(QueryError):
        read_stream_text(f"SELECT * {{ {text} ( }}")


@pytest.mark.parametrize("text", [None, b"ASK {}", 3])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(OptionError, match="expected a text in C-SPARQL, RSP-QL, CQELS or SPARQL"):
        read_stream_text(text)


def test_a_registration_is_a_value():
    made = read_stream_text(SMOKE)
    assert made == read_stream_text(SMOKE)
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_text_that_is_nested_deeply_is_read_or_refused():
    deep = f"SELECT * {STRAIGHT} " + "{" * 5000 + "}" * 5000
    with pytest.raises(QueryError, match="nested too deeply"):
        read_stream_text(deep)


def test_a_byte_order_mark_is_no_part_of_a_text():
    text = "SELECT ?x\r\nFROM STREAM <urn:s> [RANGE 2 STEP 1]\r\n{ ?x a ?c }\r\n"
    assert read_stream_text(f"\ufeff{text}") == read_stream_text(text)
    with pytest.raises(QueryTextError) as told:
        read_stream_text("\ufeffSELECT ?x FROM STREAM <urn:s> [RANGE 2 STEP] { ?x a ?c }")
    assert (told.value.line, told.value.column) == (1, 44)


def lengths(text):
    whole = f"ASK FROM STREAM <s> [RANGE {text} STEP 1] {{}}"
    written = QueryText(whole)
    return written, all_subtrees(parse(written), "length")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("10", 10),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("10s", timedelta(seconds=10)),
        ("10 seconds", timedelta(seconds=10)),
        ("0.5S", timedelta(milliseconds=500)),
        ("1h30m", timedelta(hours=1.5)),
        ("1 d 2 hours 3 min 4 sec 5 ms", timedelta(1, 4, 0, 5, 3, 2)),
        ("5 MINUTES", timedelta(minutes=5)),
        ("2000ns", timedelta(microseconds=2)),
        ("20 milliseconds", timedelta(milliseconds=20)),
        ("PT10S", timedelta(seconds=10)),
        ("p1dt12h", timedelta(hours=36)),
        ("P2W", timedelta(weeks=2)),
    ],
)
def test_a_length_is_a_number_or_a_duration(text, length):
    written, found = lengths(text)
    read = BoundsReader(written).length(found[0])
    assert read == length
    assert type(read) is type(length)


def test_a_part_knows_its_place():
    written, (first, second) = lengths("1h 30m")
    assert (span(first), written.of(first)) == ((27, 33), "1h 30m")
    assert written.of(second) == "1"
