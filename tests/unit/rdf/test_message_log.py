"""RDF message logs: what begins one, where messages end, and what carries over from one to the next."""

from __future__ import annotations

import io
from importlib.metadata import entry_points

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, URIRef, plugin
from rdflib.parser import Parser

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.rdf import message_log
from pantarhei.rdf.message_log import ANNOUNCEMENT, SYNTAXES, is_log, read_log
from pantarhei.rdf.statements import ByteFeed

LOG = f"{ANNOUNCEMENT}\n"


def triple(number):
    return f"<urn:s{number}> <urn:p> <urn:o{number}> .\n"


def messages(text, syntax="turtle", **options):
    feed = ByteFeed(io.BytesIO(text.encode()))
    return [
        [str(quad) for _, quad in statements]
        for _, statements in read_log(feed, "a.log", syntax, options.get("base"), options.get("skip"))
    ]


def said(*numbers):
    return [triple(number).removesuffix(" .\n") for number in numbers]


each_syntax = pytest.mark.parametrize("syntax", SYNTAXES)


@each_syntax
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (triple(1), [said(1)]),
        (f"{triple(1)}MESSAGE\n{triple(2)}", [said(1), said(2)]),
        (f"{triple(1)}@message .\n{triple(2)}", [said(1), said(2)]),
        (f"{triple(1)}  message # the next\n{triple(2)}{triple(3)}", [said(1), said(2, 3)]),
        (f"MESSAGE\n{triple(1)}", [[], said(1)]),
        (f"{triple(1)}MESSAGE\n# nothing\n\nMESSAGE\n{triple(2)}", [said(1), [], said(2)]),
        (f"{triple(1)}MESSAGE", [said(1)]),
        (f"{triple(1)}MESSAGE\n# the end\n", [said(1)]),
        (f"{triple(1)}MESSAGE\n{LOG}{triple(2)}", [said(1), said(2)]),
        ("", []),
    ],
)
def test_delimiters_end_messages_and_what_follows_the_last_is_one_only_if_there_is_something(
    syntax, text, expected
):
    assert messages(LOG + text, syntax) == expected


@pytest.mark.parametrize("syntax", ["nquads", "trig"])
def test_graphs_keep_their_names(syntax):
    graph = (
        "<urn:a> <urn:p> <urn:b> <urn:g> .\n"
        if syntax == "nquads"
        else "<urn:g> { <urn:a> <urn:p> <urn:b> }\n"
    )
    assert messages(f"{LOG}{graph}MESSAGE\n{triple(2)}", syntax) == [
        ["<urn:a> <urn:p> <urn:b> <urn:g>"],
        said(2),
    ]


def test_prefixes_and_the_base_carry_over_and_can_be_said_anew():
    text = """PREFIX ex: <urn:one:>
        BASE <http://example.org/>
        MESSAGE ex:s ex:p <o> . @message . PREFIX ex: <urn:two:> ex:s ex:p <o>.
        MESSAGE
        ex:s ex:p <http://example.org/o>"""
    one, two = ([f"<urn:{name}:s> <urn:{name}:p> <http://example.org/o>"] for name in ("one", "two"))
    assert messages(f"{LOG}{text} .") == [[], one, two, two]


def test_the_word_is_no_delimiter_in_strings_comments_and_names():
    text = '''PREFIX ex: <urn:x:> PREFIX MESSAGE: <urn:m:>
        ex:MESSAGE ex:p """a
MESSAGE
" \\""" MESSAGE""", \'\'\'
MESSAGE \'\'\', " MESSAGE ", <urn:MESSAGE>, MESSAGE:x, "x"@message # MESSAGE
        . MESSAGE
        ex:a ex:p ex:b .'''
    first, second = messages(LOG + text)
    assert len(first) == 6 and second == ["<urn:x:a> <urn:x:p> <urn:x:b>"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{triple(1)}@message <urn:x>", r"line 3: @message must be followed by a dot"),
        ("<urn:g> {\n<urn:a> <urn:p> <urn:b> .\nMESSAGE\n}", r"line 4: .*ends here, since MESSAGE follows"),
        (f"{triple(1)}MESSAGE\n<urn:a> oops .\n", r"line 4: oops is not a valid"),
        ("<urn:a> <urn:p> <<( " * 200, r"nested deeper"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, reason):
    with pytest.raises(MalformedInputError, match=reason):
        messages(LOG + text, "trig")


@each_syntax
def test_the_messages_around_a_malformed_one_are_read(syntax):
    skipped = []
    text = f"{LOG}{triple(1)}MESSAGE\n<urn:a> oops .\nMESSAGE\n{triple(3)}"
    read = messages(text, syntax, skip=lambda *what: skipped.append(what))
    assert [message for message in read if message] == [said(1), said(3)]
    assert [line for line, _, _ in skipped] == [4]


@pytest.mark.parametrize(
    ("first", "known"),
    [
        ('VERSION "1.2-messages"', True),
        ("@version '1.2-messages' .", True),
        ("# belts\n\nPREFIX a: <urn:a>\nversion '2.0-messages'", True),
        ('VERSION "1.2"\n', False),
        ("<urn:a> <urn:b>", False),
        ("_:a", False),
        ("pressed:a", False),
        ('{"@id"', False),
        ("", None),
        ("# belts", None),
        ("PREFIX a: <urn:a>", None),
        ("@vers", None),
        ('VERSION "1.2', None),
    ],
)
def test_the_first_words_tell_a_log_as_soon_as_they_can(first, known):
    assert is_log(first.encode()) is known


@given(st.text(alphabet="MESAGEmesage@.#\"'<>{}:; \n\\x_", max_size=60), st.sampled_from(list(SYNTAXES)))
def test_any_text_gives_messages_or_a_typed_error(text, syntax):
    try:
        messages(LOG + text, syntax)
    except MalformedInputError as error:
        assert error.source == "a.log"


RDFLIB_LOG = f"{ANNOUNCEMENT}\n_:b <urn:p> <urn:o1> .\nMESSAGE\n_:b <urn:p> <urn:o2> .\n"
NAMES = {
    "turtle-messages": "TurtleMessages",
    "trig-messages": "MessageLogParser",
    "ntriples-messages": "NTriplesMessages",
    "nquads-messages": "NQuadsMessages",
}


@pytest.fixture
def registered():
    for name, of in NAMES.items():
        plugin.register(name, Parser, "pantarhei.rdf.message_log", of)


@pytest.mark.usefixtures("registered")
def test_the_package_tells_rdflib_of_them():
    found = {
        each.name: each.load() for each in entry_points(group="rdf.plugins.parser") if each.name in NAMES
    }
    if not found:
        pytest.skip("the package is not installed, or was before it had these entry points")
    assert found == {name: getattr(message_log, of) for name, of in NAMES.items()}


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("format", NAMES)
def test_all_messages_are_in_one_graph_and_their_blank_nodes_are_their_own(format):
    graph = Graph().parse(data=RDFLIB_LOG, format=format)
    assert {o for _, _, o in graph} == {URIRef("urn:o1"), URIRef("urn:o2")}
    subjects = set(graph.subjects())
    assert len(subjects) == 2 and all(isinstance(each, BNode) for each in subjects)


@pytest.mark.usefixtures("registered")
def test_named_graphs_are_those_of_a_dataset():
    text = f"{ANNOUNCEMENT}\n<urn:g> {{ <urn:a> <urn:p> <urn:b> }} <urn:c> <urn:p> <urn:d> ."
    dataset = Dataset()
    dataset.parse(data=text, format="trig-messages")
    assert (URIRef("urn:a"), URIRef("urn:p"), URIRef("urn:b")) in dataset.graph(URIRef("urn:g"))
    assert (URIRef("urn:c"), URIRef("urn:p"), URIRef("urn:d")) in dataset
    with pytest.raises(OptionError, match=r"an rdflib.Dataset, since there is a graph <urn:g>"):
        Graph().parse(data=text, format="trig-messages")


@pytest.mark.usefixtures("registered")
def test_what_is_no_log_is_refused_and_what_is_malformed_too():
    with pytest.raises(OptionError, match="begins with VERSION"):
        Graph().parse(data="<urn:a> <urn:p> <urn:b> .", format="turtle-messages")
    with pytest.raises(MalformedInputError, match="line 2"):
        Graph().parse(data=f"{ANNOUNCEMENT}\n<urn:a> oops", format="turtle-messages")


@pytest.mark.usefixtures("registered")
def test_a_file_is_read_with_its_place_as_base(tmp_path):
    path = tmp_path / "log.ttl"
    path.write_text(f"{ANNOUNCEMENT}\n<a> <urn:p> <urn:b> .")
    assert set(Graph().parse(path, format="turtle-messages").subjects()) == {URIRef(f"{tmp_path.as_uri()}/a")}
