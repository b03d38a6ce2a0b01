"""JSON-LD documents one after another, and what each says."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei import MissingFileError, OptionError
from pantarhei.errors import MalformedInputError
from pantarhei.rdf import json_documents
from pantarhei.rdf.json_documents import Contexts, documents, read_document
from pantarhei.rdf.statements import ByteFeed

DOCUMENTS = [{"@id": "urn:a", "urn:p": text} for text in ("{", '"}', "\\", "[]")]


def split(text):
    return list(documents(ByteFeed(io.BytesIO(text.encode())), "a.json"))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, DOCUMENTS)),
        "".join(map(json.dumps, DOCUMENTS)),
        json.dumps(DOCUMENTS),
        json.dumps(DOCUMENTS, indent=2),
        "\n\n".join(json.dumps(each, indent="\t") for each in DOCUMENTS),
        "[\n" + ",\n".join(map(json.dumps, DOCUMENTS)),
    ],
)
def test_documents_stand_on_lines_of_their_own_or_in_an_array(text):
    assert [json.loads(part) for _, part in split(text)] == DOCUMENTS


def test_lines_are_those_on_which_documents_begin():
    assert [line for line, _ in split('\n[{"a":\n1}, {}\n,{}]')] == [2, 3, 4]


def test_a_document_that_breaks_off_does_not_take_the_next_with_it():
    parts = [part for _, part in split('{"@id": "urn:a"\n{"@id": "urn:b"}\n{"a": [\n{"b": 1}\n]}')]
    assert parts == [b'{"@id": "urn:a"\n', b'{"@id": "urn:b"}', b'{"a": [\n{"b": 1}\n]}']


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1}\nhello', "line 2: hello: expected a JSON-LD document"),
        ('"a"', "line 1: .*expected a JSON-LD document"),
        ('\n{"a": [1', "line 2: .*does not end"),
    ],
)
def test_what_is_no_document_is_told_with_its_line(text, reason):
    with pytest.raises(MalformedInputError, match=reason):
        split(text)


def test_bytes_that_are_not_utf_8_are_told():
    with pytest.raises(MalformedInputError, match="not UTF-8"):
        list(documents(ByteFeed(io.BytesIO(b"\xff")), "a.json"))


def test_a_document_is_held_whole_and_so_has_a_limit(monkeypatch):
    monkeypatch.setattr(json_documents, "LONGEST_DOCUMENT", 100)
    with pytest.raises(MalformedInputError, match="line 1: the document is longer than 100 bytes"):
        split('{"a": [\n' + "1,\n" * 100)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"@id": "urn:a",\n}', "line 8: it is no JSON-LD: Trailing commas"),
        ('{"@context": "http://example.org/c.jsonld", "@id": "urn:a", "urn:p": 1}', "nothing is fetched"),
        ('{"@id": "belt", "urn:p": 1}', "belt is a relative IRI; say with the option base"),
        ('{"a":' * 1000, "nested deeper"),
    ],
)
def test_what_is_wrong_in_a_document_is_told_or_skipped(text, reason):
    with pytest.raises(MalformedInputError, match=reason):
        read_document(7, text.encode(), "a.json", None, None)
    skipped = []
    assert read_document(7, text.encode(), "a.json", None, lambda *what: skipped.append(what)) is None
    assert len(skipped) == 1


@pytest.mark.parametrize("members", ['"p": []', '"p": null', '"p": [null, []]', '"@graph": [{"p": []}]'])
def test_members_without_a_value_say_nothing_and_nothing_is_wrong_with_them(members):
    text = '{"@context": {"@vocab": "http://e/"}, "@id": "http://e/x", ' + members + "}"
    assert read_document(1, text.encode(), "a.json", None, None) == []


def test_a_member_that_no_context_knows_may_have_any_number():
    with pytest.raises(MalformedInputError, match="nothing follows from its members a"):
        read_document(1, b'{"a": ' + b"1" * 5_000 + b"}", "a.json", None, None)


def test_relative_iris_begin_with_the_base():
    (statement,) = read_document(1, b'{"@id": "belt", "urn:p": 1}', "a.json", "http://x.org/", None)
    assert str(statement.quad.subject) == "<http://x.org/belt>"


@given(st.text(alphabet='{}[],:"\\a1 \n', max_size=60))
def test_any_text_gives_documents_or_a_typed_error(text):
    try:
        for line, part in split(text):
            read_document(line, part, "a.json", None, None)
    except MalformedInputError as error:
        assert error.source == "a.json"


A, B = "https://example.org/a", "https://example.org/b"
TERMS = {"@context": {"p": "urn:p"}}


def inlined(document, contexts):
    return json.loads(Contexts(contexts).inlined(json.dumps(document).encode(), "d.jsonld", 3))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (A, {"p": "urn:p"}),
        ([A, {"q": "urn:q"}], [{"p": "urn:p"}, {"q": "urn:q"}]),
        ([B, A], [{"p": "urn:p"}, {"r": "urn:r"}, {"p": "urn:p"}]),
        ({"@import": A, "q": "urn:q"}, {"p": "urn:p", "q": "urn:q"}),
        ({"x": {"@id": "urn:x", "@context": A}}, {"x": {"@id": "urn:x", "@context": {"p": "urn:p"}}}),
        ({"q": "urn:q"}, {"q": "urn:q"}),
        (None, None),
    ],
)
def test_contexts_are_put_in_the_place_of_their_iris(given, expected):
    contexts = {A: TERMS, B: {"@context": [A, {"r": "urn:r"}]}}
    document = {"@context": given, "v": '"@context": ', "inner": {"@context": given, "n": 1}}
    found = inlined(document, contexts)
    assert found == {**document, "@context": expected, "inner": {"@context": expected, "n": 1}}


def test_numbers_and_all_else_stay_as_they_are_written():
    text = b'{"@context": "https://example.org/a", "v": 1.50, "w": "\\u00e9"}'
    assert Contexts({A: TERMS}).inlined(text, "d", 1).endswith(b', "v": 1.50, "w": "\\u00e9"}')


def test_a_context_that_is_missing_is_named():
    with pytest.raises(
        MalformedInputError, match=f"line 3: the context {A} is not known, and nothing is fetched"
    ):
        inlined({"@context": [{}, A]}, {B: TERMS})


def test_a_context_that_contains_itself_is_refused():
    with pytest.raises(MalformedInputError, match=f"the context {A} contains itself"):
        inlined({"@context": A}, {A: {"@context": B}, B: {"@context": [A]}})


def test_contexts_are_files_and_checked_at_once(tmp_path):
    path = tmp_path / "a.jsonld"
    path.write_text(json.dumps(TERMS))
    assert inlined({"@context": A}, {A: path}) == {"@context": {"p": "urn:p"}}
    with pytest.raises(MissingFileError):
        Contexts({A: tmp_path / "none.jsonld"})
    path.write_text("[]")
    with pytest.raises(MalformedInputError, match="it is not a context"):
        Contexts({A: path})
    path.write_text("{")
    with pytest.raises(MalformedInputError, match="it is not JSON"):
        Contexts({A: path})
    for wrong in ({A: 7}, {A: {"p": "urn:p"}}, "a.jsonld"):
        with pytest.raises(OptionError):
            Contexts(wrong)
