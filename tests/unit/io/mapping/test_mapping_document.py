import pytest

from pantarhei import MappingError
from pantarhei.io.mapping.mapping_document import LONGEST, read_document


def said(given):
    with pytest.raises(MappingError) as caught:
        read_document(given)
    return str(caught.value)


def test_a_tree_knows_where_its_pieces_and_their_names_stand():
    source, root = read_document("time: at\nnull:\n  - a\n  - b\n")
    assert source == "the mapping"
    assert root.lines == {"time": 1, "null": 2}
    assert [node.line for node in root.content["null"].content] == [3, 4]


def test_aliases_are_refused_whatever_they_would_make():
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    assert (
        said(bomb) == "the mapping, line 1: the anchor or alias a is not supported; expected the text itself"
    )
    assert "the anchor or alias a" in said("a: &a\n  b: *a\n")


def test_tags_are_refused_and_nothing_is_executed():
    assert said("a: !!python/object/apply:os.system ['true']\n").startswith("the mapping, line 1: the tag ")


def test_what_is_no_yaml_is_said_with_its_line():
    message = said("time: at\nmappings: {a: [}\n")
    assert message.startswith("the mapping, line 2: it is not YAML: ")
    assert "into quotes" in message


def test_a_key_that_is_there_twice_is_said():
    assert (
        said("time: at\ntime: on\n")
        == "the mapping, line 2: the key 'time' is given twice; expected each key once"
    )


def test_what_is_large_or_nested_deep_is_refused():
    assert f"characters; expected {LONGEST:,} characters at most" in said("# x\n" * LONGEST)
    assert "too deep" in said("\n" + "[" * 30 + "]" * 30)
    assert "too deep" in said("\n" + "[" * 100_000)
    nested = []
    nested.append(nested)
    assert "too deep" in said({"null": nested})


def test_what_is_no_text_in_a_dictionary_is_said():
    assert "expected texts, numbers, lists and dictionaries" in said({"time": object()})
    _, root = read_document({"a": True, "b": None, "c": 1.5})
    assert [node.content for node in root.content.values()] == ["true", "", "1.5"]
