import json

import pytest

from pantarhei import MalformedInputError, MissingFileError, OptionError
from pantarhei.rdf.json_contexts import Contexts

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
