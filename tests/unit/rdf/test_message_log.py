"""RDF message logs: what begins one, where messages end, and what carries over from one to the next."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.errors import MalformedInputError
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
        (f"{triple(1)}@message <urn:x>", r"line 3: @message wants a dot behind it"),
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
