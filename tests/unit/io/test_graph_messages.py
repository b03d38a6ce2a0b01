"""From statements to timed messages: what a graph asserts, and when."""

import io
from datetime import UTC, datetime

import pytest
from rdflib import RDF, BNode, URIRef

from pantarhei.errors import MalformedInputError, MissingTimestampError, OptionError, TimestampError
from pantarhei.io import read_stream
from pantarhei.io.graph_messages import GraphTimes, TripleMessages, time_in_name, time_properties
from pantarhei.rdf.statements import parse_lines

A, B, C = (URIRef(f"urn:x:{name}") for name in "abc")
TEN = datetime(2026, 1, 31, 10, tzinfo=UTC)
PREFIXES = """
@prefix : <urn:x:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix sosa: <http://www.w3.org/ns/sosa/> .
"""


def trig(text, **options):
    return read_stream(io.BytesIO((PREFIXES + text).encode()), format="trig", **options)


def times(reader):
    return [abox.at for abox in reader]


def line(graph, subject="<urn:x:a>", predicate="<urn:x:b>", object="<urn:x:c>"):
    return f"{subject} {predicate} {object} {graph} .\n"


def messages(*lines, time="auto", skip=None):
    """The times and triples that come of lines of N-Quads, those announced included."""
    statements = parse_lines(1, "".join(lines).encode(), "here", None)
    return [
        (at, list(content.sequence())) for at, content in TripleMessages("here", time, skip).read(statements)
    ]


@pytest.mark.parametrize(
    "text",
    [
        ':g prov:generatedAtTime "2026-01-31T10:00:00Z"^^xsd:dateTime . :g { :a :b :c }',
        ':g { :a :b :c } :g prov:generatedAtTime "2026-01-31T10:00:00Z"^^xsd:dateTime .',
        ':g { :a :b :c . :g prov:generatedAtTime "2026-01-31T10:00:00Z"^^xsd:dateTime }',
        ':g { :g sosa:resultTime "2026-01-31T11:00:00+01:00"^^xsd:dateTimeStamp . :a :b :c }',
        '_:g { :a :b :c } _:g prov:generatedAtTime "2026-01-31T10:00:00Z"^^xsd:dateTime .',
        ':g { :a :b :c } :g :says :something ; prov:generatedAtTime "2026-01-31T10:00:00Z" .',
        ':g :says :something ; prov:generatedAtTime "2026-01-31T10:00:00Z" . :g { :a :b :c }',
    ],
)
def test_a_known_property_gives_the_time_and_is_not_asserted(text):
    assert list(trig(text)) == [(TEN, ((A, B, C),))]


def test_a_property_can_be_chosen():
    text = ':g :at 3 ; prov:generatedAtTime "2026-01-31T10:00:00Z" . :g { :a :b :c }'
    (abox,) = trig(text, time="urn:x:at")
    assert abox.at == 3
    with pytest.raises(MissingTimestampError, match="urn:x:on"):
        list(trig(":g { :a :b :c }", time="urn:x:on"))


def test_a_property_goes_before_the_name_unless_the_name_is_chosen():
    text = '<urn:at:3> { :a :b :c . <urn:at:3> prov:generatedAtTime "2026-01-31T10:00:00Z" }'
    assert times(trig(text)) == [TEN]
    assert times(trig(text, time="graph")) == [3]


def test_only_the_time_of_the_graph_itself_is_taken_out():
    text = ':g { :g sosa:resultTime "2026-01-31T10:00:00Z" ; :b :c . :a sosa:resultTime "x" }'
    (abox,) = trig(text)
    assert {s for s, _, _ in abox.triples} == {URIRef("urn:x:g"), A}


def test_a_graph_with_nothing_but_a_time_is_an_empty_abox():
    assert list(trig(':g { :g prov:generatedAtTime "2026-01-31T10:00:00Z" }')) == [(TEN, ())]


def test_messages_wait_for_a_time_that_comes_later_and_keep_their_order():
    text = ":g1 { :a :b 1 } :g2 { :a :b 2 } :g2 :at 2 . :g1 :at 1 . :g3 { :a :b 3 } :g3 :at 3 ."
    assert times(trig(text, time="urn:x:at")) == [1, 2, 3]


def test_two_times_for_one_graph_are_an_error():
    with pytest.raises(TimestampError, match="one time for a graph"):
        list(trig(":g :at 1, 2 . :g { :a :b :c }", time="urn:x:at"))
    with pytest.raises(TimestampError, match="one time for a graph"):
        list(trig("<urn:at:1> { :a :b :c } <urn:at:2> { :a :b :c } <urn:at:1> prov:generatedAtTime 5 ."))


def test_a_time_that_is_no_literal_is_an_error():
    with pytest.raises(TimestampError, match="line 4"):
        list(trig(":g :at :now .", time="urn:x:at"))


def test_what_is_said_of_something_with_a_time_that_is_no_graph_is_not_lost_in_silence():
    text = ':obs sosa:resultTime "2026-01-31T10:00:00Z" ; :b :c . <urn:1> { :a :b :c }'
    with pytest.raises(MalformedInputError, match="urn:x:obs"):
        list(trig(text))
    reader = trig(text, on_error="skip")
    assert times(reader) == [1]
    assert reader.skipped_count == 1


def test_a_certain_time_is_announced_when_its_graph_begins_with_nothing_in_it():
    found = messages(line("<urn:at:1>"), line("<urn:at:2>"), time="graph")
    assert found == [(1, []), (1, [(A, B, C)]), (2, []), (2, [(A, B, C)])]
    # by a property it may still become another one
    assert messages(line("<urn:at:1>"), line("<urn:at:2>")) == [(1, [(A, B, C)]), (2, [(A, B, C)])]


def test_a_blank_node_is_one_within_a_message_and_another_in_the_next_of_the_same_graph():
    here, there = line("<urn:1>", "_:n", object="_:n"), line("<urn:2>")
    first, _, again = (content for _, content in messages(here, there, here) if content)
    ((subject, _, object_),), ((other, _, _),) = first, again
    assert isinstance(subject, BNode) and subject == object_ != other


def test_an_error_names_the_file_and_the_line_once():
    with pytest.raises(MissingTimestampError) as raised:
        messages(line("<urn:1>"), line("<urn:no:time>"))
    assert str(raised.value).count("here, line 2") == 1 and "urn:no:time" in str(raised.value)


def test_what_is_left_out_is_told_with_its_line_its_reason_and_how_much_it_is():
    skipped = []
    found = messages(
        line("<urn:1>"),
        line("<urn:no:time>"),
        line("<urn:no:time>", object="<urn:x:d>"),
        line("<urn:2>"),
        skip=lambda line, reason, text, count=1: skipped.append((line, reason, text, count)),
    )
    assert [at for at, _ in found] == [1, 2]
    ((at, reason, text, count),) = skipped
    assert (at, text, count) == (2, "<urn:no:time>", 2) and "line" not in reason


def test_only_so_many_graphs_may_be_spoken_of_before_they_come(monkeypatch):
    monkeypatch.setattr(TripleMessages, "UNPLACED", 2)
    said = [line("", f"<urn:g{i}>") for i in range(3)]
    with pytest.raises(MalformedInputError, match=r"line 1: .*urn:g0>, which is not a graph"):
        messages(*said)


SKIPPED = {
    "malformed": "this is no quad",
    "a literal as a class": f'<urn:x:a> <{RDF.type}> "lit" <urn:t:{{}}> .',
    "a triple term": "<urn:x:a> <urn:x:b> <<( <urn:x:a> <urn:x:b> <urn:x:c> )>> <urn:t:{}> .",
    "a time that is none": '<urn:t:{0}> <http://www.w3.org/ns/prov#generatedAtTime> "bad" <urn:t:{0}> .',
    "no time": "<urn:x:a> <urn:x:b> <urn:x:c> <urn:none> .",
    "a time of another kind": "<urn:x:a> <urn:x:b> <urn:x:c> <urn:t:2026-01-01T00:00:00Z> .",
}


@pytest.mark.parametrize("time", ["auto", "graph"])
@pytest.mark.parametrize("size", [1, 400])
@pytest.mark.parametrize("name", SKIPPED)
def test_a_skipped_line_does_not_move_time(name, size, time):
    """Small blocks are parsed, larger ones read by column."""
    if (name, time) == ("a time that is none", "graph"):
        pytest.skip("there it is an assertion")

    def good(at):
        return "".join(line(f"<urn:t:{at}>", f"<urn:x:s{i}>") for i in range(size))

    for at in ("2", "99", "-5"):
        text = f"{good(1)}{SKIPPED[name].format(at)}\n{good(2)}"
        reader = read_stream(io.BytesIO(text.encode()), format="nquads", time=time, on_error="skip")
        found = [(abox.at, len(abox.triples)) for abox in reader]
        assert found == [(1, size), (2, size)] and reader.skipped_count >= 1


def test_a_time_that_a_kept_line_states_holds_though_others_are_skipped():
    stated = '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "7" <urn:g> .\n'
    text = f'{stated}<urn:x:a> <{RDF.type}> "lit" <urn:g> .\n'
    reader = read_stream(io.BytesIO(text.encode()), format="nquads", on_error="skip")
    assert [(abox.at, len(abox.triples)) for abox in reader] == [(7, 0)] and reader.skipped_count == 1


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("urn:at:7", 7),
        ("http://x.org/-2.5", -2.5),
        ("http://x.org/g?t=3", 3),
        ("http://x.org/room12", None),
        ("http://x.org/7/readings", None),
    ],
)
def test_a_time_is_the_whole_last_part_of_a_name(name, at):
    assert time_in_name(name) == at


def test_a_time_without_a_zone_is_an_error_with_advice():
    with pytest.raises(TimestampError, match="add the zone"):
        time_in_name("urn:at:2026-01-31T10:00:00")


@pytest.mark.parametrize("time", ["prov", "", 7, "urn: x"])
def test_the_option_is_a_word_or_a_whole_iri(time):
    assert time_properties("urn:x") == {"urn:x"} and not time_properties("graph")
    with pytest.raises(OptionError):
        time_properties(time)


def test_a_graph_has_one_time_however_it_is_written_also_when_it_has_been_used():
    times = GraphTimes()
    times.state("g", "1")
    times.state("g", "1.0")
    times.use("g", times.get("g"))
    assert times.get("g") == 1
    with pytest.raises(TimestampError, match="already"):
        times.state("g", "2")


def test_only_so_many_times_are_remembered(monkeypatch):
    monkeypatch.setattr(GraphTimes, "REMEMBERED", 2)
    times = GraphTimes()
    for number in range(4):
        times.use(number, number)
    assert [times.get(number) for number in range(4)] == [None, None, 2, 3]
