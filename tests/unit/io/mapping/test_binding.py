import pytest

from pantarhei import MappingError
from pantarhei.io.mapping.binding import bind
from pantarhei.io.mapping.mapping_reader import read_mapping


def mapping(melt, po, subject="ex:$(id)"):
    return read_mapping(
        {
            "prefixes": {"ex": "http://example.org/"},
            "time": "at",
            "melt": melt,
            "mappings": {"m": {"s": subject, "po": po}},
        }
    )


def triples(bound):
    return [" ".join(str(term.template) for term in pattern.terms) for pattern in bound.patterns]


READING = [["ex:$(variable)", "$(value)"]]


def test_a_melted_column_is_a_pattern_of_its_own_that_needs_its_value():
    bound = bind(mapping({"columns": ["o3", "no2"]}, READING), ["at", "id", "o3", "no2", "x"], "t.csv")
    assert triples(bound) == [
        "http://example.org/$(id) http://example.org/o3 $(o3)",
        "http://example.org/$(id) http://example.org/no2 $(no2)",
    ]
    assert [pattern.needs for pattern in bound.patterns] == [("o3",), ("no2",)]
    assert set(bound.columns) == {"at", "id", "o3", "no2"}


def test_what_refers_to_no_melted_column_is_made_once():
    bound = bind(mapping({"columns": ["o3"]}, [["ex:p", "$(id)"], *READING]), ["at", "id", "o3"], "t.csv")
    assert [pattern.needs for pattern in bound.patterns] == [(), ("o3",)]


def test_a_glob_melts_the_columns_that_it_fits_each_once():
    melt = {"columns": {"s1": {"room": "hall"}, "s*": {"room": "other"}}}
    bound = bind(mapping(melt, [["ex:in", "$(room)"], *READING]), ["at", "id", "s1", "s2", "t"], "t.csv")
    assert [str(pattern.object.template) for pattern in bound.patterns] == ["hall", "$(s1)", "other", "$(s2)"]


def test_what_is_known_of_a_column_is_encoded_into_iris_and_resolved_as_one():
    melt = {"columns": {"o3": {"what": "ground level", "unit": "ex:ppb"}}}
    po = [["ex:of", "ex:$(what)~iri"], ["ex:unit", "$(unit)~iri"], ["ex:text", "$(what)"], *READING]
    bound = bind(mapping(melt, po), ["at", "id", "o3"], "t.csv")
    assert [str(pattern.object.template) for pattern in bound.patterns] == [
        "http://example.org/ground%20level",
        "http://example.org/ppb",
        "ground level",
        "$(o3)",
    ]


@pytest.mark.parametrize(
    ("melt", "po", "said"),
    [
        ({"columns": ["ozone"]}, READING, "t.csv has no column ozone; expected one of at, id, o3"),
        ({"columns": "s*"}, READING, "t.csv has no column that matches s*; expected some of at, id, o3"),
        (
            {"columns": ["o3"]},
            [["ex:p", "$(id)"]],
            "no mapping uses the melted columns; expected a reference to",
        ),
        (
            {"columns": {"o3": {"unit": "xy:z"}}},
            [["ex:u", "$(unit)~iri"], *READING],
            "the prefix xy: is not known",
        ),
    ],
)
def test_what_cannot_be_melted_is_said(melt, po, said):
    with pytest.raises(MappingError) as caught:
        bind(mapping(melt, po), ["at", "id", "o3"], "t.csv")
    assert said in str(caught.value)


def test_the_number_of_the_row_is_no_column_unless_there_is_one():
    numbered = read_mapping(
        {"time": "at", "mappings": {"m": {"s": "urn:$(_row)", "po": [["urn:p", "$(id)"]]}}}
    )
    assert set(bind(numbered, ["at", "id"], "t.csv").columns) == {"at", "id"}
    assert set(bind(numbered, ["at", "id", "_row"], "t.csv").columns) == {"at", "id", "_row"}
