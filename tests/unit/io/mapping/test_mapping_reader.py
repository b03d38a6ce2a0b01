"""Mappings: what can be said, and what whoever makes a mistake is told."""

import pickle

import pytest
from rdflib import RDF, XSD

from pantarhei import MappingError, OptionError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import TermKind, TextTemplate

MAPPING = """\
prefixes: {ex: http://example.org/}
time: {column: time, zone: UTC}
mappings:
  garage:
    s: ex:$(id)
    po:
      - [ex:free, $(free), xsd:integer]
"""


def patterns(statement):
    """The triples that a predicateobject says."""
    mapping = read_mapping(MAPPING.replace("[ex:free, $(free), xsd:integer]", statement))
    return mapping.groups[0]


def said(before, after=None):
    """What the error says of the mapping, with one part of it changed; or of another mapping."""
    text = before if after is None else MAPPING.replace(before, after)
    assert text != MAPPING
    with pytest.raises(MappingError) as caught:
        read_mapping(text)
    return str(caught.value).removeprefix("the mapping, ")


def test_the_long_words_of_yarrrml_say_the_same_as_the_short_ones():
    long = """\
prefixes:
  ex: http://example.org/
time:
  column: time
  zone: UTC
mappings:
  garage:
    subjects: ex:$(id)
    predicateobjects:
      - predicates: ex:free
        objects:
          value: $(free)
          datatype: xsd:integer
"""
    assert read_mapping(long) == read_mapping(MAPPING)


def test_a_mapping_comes_back_from_another_process_whole():
    mapping = read_mapping(MAPPING + "melt: {columns: {ozone: {property: ex:ozone}}}\n")
    assert pickle.loads(pickle.dumps(mapping)) == mapping


def test_a_dictionary_says_the_same_as_yaml():
    assert read_mapping(
        {
            "prefixes": {"ex": "http://example.org/"},
            "time": {"column": "time", "zone": "UTC"},
            "mappings": {"garage": {"s": "ex:$(id)", "po": [["ex:free", "$(free)", "xsd:integer"]]}},
        }
    ) == read_mapping(MAPPING)


def test_a_class_is_an_iri_and_a_value_is_one_where_it_is_said_to_be():
    (pattern,) = patterns("[a, ex:Garage]")
    assert pattern.predicate.template == TextTemplate((str(RDF.type),))
    assert pattern.object.kind is TermKind.IRI
    for statement in ("[ex:in, $(city)~iri]", "{p: ex:in, o: {value: $(city), type: iri}}"):
        (pattern,) = patterns(statement)
        assert pattern.object.kind is TermKind.WHOLE_IRI
    (pattern,) = patterns("[ex:in, ex:$(city)~iri]")
    assert pattern.object.kind is TermKind.IRI
    assert str(pattern.object.template) == "http://example.org/$(city)"


def test_each_predicate_goes_with_each_object():
    made = patterns("[[ex:free, ex:left], [$(free), $(left)], xsd:integer]")
    assert [str(each.object.template) for each in made] == ["$(free)", "$(left)", "$(free)", "$(left)"]
    assert all(each.object.datatype == XSD.integer for each in made)


def test_a_text_can_have_a_language():
    (short,) = patterns("[ex:name, $(name), en~lang]")
    (long,) = patterns("{p: ex:name, o: {value: $(name), language: en}}")
    assert short == long
    assert short.object.language == "en"


def test_scalars_are_the_texts_that_stand_there():
    assert read_mapping(f"{MAPPING}null: [no, 1.0, ~]\n").nulls == {"no", "1.0", "~"}


def test_a_mapping_can_be_a_file(tmp_path):
    (tmp_path / "m.yaml").write_bytes(b"\xef\xbb\xbf" + MAPPING.encode())
    assert read_mapping(tmp_path / "m.yaml").source == str(tmp_path / "m.yaml")
    (tmp_path / "m.yaml").write_bytes(MAPPING.encode() + b"# \xe5\n")
    with pytest.raises(MappingError, match="line 8: it is not UTF-8"):
        read_mapping(tmp_path / "m.yaml")


# -- mistakes --------------------------------------------------------------------------------------


def test_a_misspelt_key_is_said_with_the_nearest_one():
    assert said("mappings:", "mapings:") == (
        "line 3: the key mapings in a mapping is not known; expected one of prefixes, time, mappings, "
        "melt, null, "
        "delimiter, decimal (did you mean mappings?)"
    )
    assert said("    po:", "    predicateobject:") == (
        "line 6: the key predicateobject in mapping garage is not known; expected one of s, subject, "
        "subjects, po, "
        "predicateobjects (did you mean predicateobjects?)"
    )


def test_what_yarrrml_has_and_a_mapping_has_not_is_said():
    assert said(f"sources: []\n{MAPPING}") == (
        "line 1: the key sources in a mapping is not known; expected a mapping without it: the table is "
        "given beside the "
        "mapping"
    )


def test_an_unknown_prefix_is_said_with_those_there_are():
    assert said("[ex:free", "[exx:free") == (
        "line 7: the prefix exx: is not known; expected one of ex:, owl:, rdf:, rdfs:, xsd: (did"
        " you mean ex?), or another one declared in prefixes:"
    )


def test_a_name_without_prefix_is_said():
    assert said("[ex:free", "[free") == (
        "line 7: 'free' is not an IRI; expected prefix:name, such as ex:free, or an IRI in full"
    )


def test_an_unknown_unit_of_time_is_said():
    assert said("zone: UTC", "unit: seconds") == (
        "line 2: the unit of time 'seconds' is not known; expected s, ms, us or ns for a time since "
        "1970, or number "
        "where numbers are the stream's times"
    )


def test_an_unknown_zone_is_said_with_the_nearest_one():
    assert said("UTC", "Europe/Copenhage") == (
        "line 2: the time zone 'Europe/Copenhage' is not known; expected the name of a time "
        "zone, such as Europe/Berlin or UTC, or +01:00 (did you mean Europe/Copenhagen?)"
    )


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "", "Europe"])
def test_a_zone_that_is_a_path_is_refused(name):
    assert "is not known" in said("UTC", repr(name))


def test_an_unknown_datatype_is_said_with_the_nearest_one():
    message = said("xsd:integer", "xsd:interger")
    assert message.startswith(
        "line 7: the datatype xsd:interger is not known; expected one of XML Schema's, such as "
    )
    assert message.endswith("(did you mean integer?)")
    assert (
        said("xsd:integer", "integer") == "line 7: the datatype integer has no prefix; expected xsd:integer"
    )


def test_a_template_without_end_is_said():
    assert said("$(id)", "$(id") == (
        "line 5: the reference in 'ex:$(id' has no end, or no name; expected $(column); a bracket in "
        "its name is "
        "written \\( or \\)"
    )


def test_a_template_with_braces_is_said():
    assert said("$(id)", "{id}").endswith("in it; a reference to a column is $(…), not {…}")


def test_a_space_in_an_iri_is_said():
    assert "line 5: 'http://example.org/a b/' is not an IRI; expected no spaces" in said(
        "ex:$(id)", '"ex:a b/$(id)"'
    )
    assert "line 5: ' b' is invalid in an IRI; expected no spaces" in said("ex:$(id)", '"ex:$(id) b"')


def test_a_text_that_looks_like_an_iri_is_asked_about():
    assert said("[ex:free, $(free), xsd:integer]", "[ex:status, ex:Open]") == (
        "line 7: ex:Open may be an IRI or a text; expected ex:Open~iri for the IRI, [p, ex:Open,"
        " xsd:string] for the text"
    )


@pytest.mark.parametrize("written", ["ex:$(city)", "http://example.org/$(city)", "ex:at/$(city)/$(id)"])
def test_a_template_that_looks_like_an_iri_is_asked_about(written):
    free = "[ex:free, $(free), xsd:integer]"
    asked = f"line 7: {written} may be an IRI or a text; expected {written}~iri"
    assert said(free, f"[ex:in, {written}]").startswith(asked)
    assert said(free, f"{{p: ex:in, o: {{value: {written}}}}}").startswith(asked)


@pytest.mark.parametrize(
    ("statement", "datatype"),
    [
        ("[ex:name, ex:$(city), xsd:string]", XSD.string),
        ("{p: ex:name, o: {value: ex:$(city), type: literal}}", None),
        ("{p: ex:name, o: {value: ex:$(city), language: en}}", None),
        ('[ex:name, "ex: $(city)"]', None),
        ('[ex:name, "at: $(city)"]', None),
        ("[ex:name, $(city):$(id)]", None),
    ],
)
def test_what_is_said_to_be_a_text_is_one_whatever_it_begins_with(statement, datatype):
    (pattern,) = patterns(statement)
    assert pattern.object.kind is TermKind.LITERAL and pattern.object.datatype == datatype


def test_a_value_that_its_datatype_has_not_is_said():
    assert said("$(free)", "abc").startswith(
        "line 7: 'abc' is not a value of the datatype; expected a value of "
    )


def test_a_missing_part_is_said():
    assert said("time: {column: time, zone: UTC}\n", "") == (
        "line 1: time is missing; expected time, such as time: {column: timestamp}"
    )
    assert said("    s: ex:$(id)\n", "").startswith(
        "line 5: mapping garage has no subject; expected exactly one of s, "
    )
    assert said("{column: time, zone: UTC}", "{zone: UTC}") == (
        "line 2: the time needs a column; expected column: name, or value: $(date) $(time)"
    )
    assert said("\n") == "the mapping: it is empty; expected prefixes, time and mappings"


def test_things_that_do_not_go_together_are_said():
    assert "line 2: unit and zone are both given; expected one of them" in said(
        "zone: UTC", "unit: s, zone: UTC"
    )
    assert "the object has a datatype and a language; expected one of them" in said(
        "[ex:free, $(free), xsd:integer]",
        "{p: ex:free, o: {value: $(free), datatype: xsd:string, language: en}}",
    )
    assert "an IRI has a datatype or language" in said("$(free)", "$(free)~iri")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "[ex:free, $(free), xsd:integer]",
            "[ex:free]",
            "line 7: this is not a predicateobject; expected [predicate",
        ),
        (
            "    po:\n      - [ex:free, $(free), xsd:integer]",
            "    po: 1",
            "line 6: predicateobjects is not a list",
        ),
        (
            "zone: UTC",
            "format: '%Q'",
            "line 2: the directive %Q is not supported; expected directives of Python's strptime",
        ),
        ("zone: UTC", "format: 'x'", "line 2: the format 'x' has no directive"),
        ("xsd:integer", "e n~lang", "line 7: the language 'e n' is invalid; expected a tag"),
        ("ex:$(id)", "[[ex:x]]", "line 5: this is a list; expected a text"),
        ("{ex: http://example.org/}", "[ex]", "line 1: prefixes is not a dictionary"),
        ("time: {column: time, zone: UTC}", "time: {value: x}", "line 2: the time 'x' refers to no column"),
    ],
)
def test_what_has_another_shape_is_said(before, after, message):
    assert said(before, after).startswith(message)


def test_a_delimiter_of_several_characters_is_said():
    assert (
        said(f"{MAPPING}delimiter: '::'\n")
        == "line 8: the delimiter '::' is invalid; expected one character such as ';', or tab"
    )
    assert read_mapping(f"{MAPPING}delimiter: tab\n").delimiter == "\t"


def test_what_is_neither_path_nor_text_nor_dictionary_is_said():
    with pytest.raises(OptionError, match="a path, a text in YAML, or a dictionary"):
        read_mapping(3)
