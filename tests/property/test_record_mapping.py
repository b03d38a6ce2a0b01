"""A compiled mapping against tables: a record gives what `read_records` gives for it as a line of JSON."""

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from json_rows import LINES, SCALARS
from pantarhei import InvalidCellError, MalformedInputError, Mapping, MappingError, read_records

NAMES = st.sampled_from(["t", "id", "v", "w", "o.in", "_row"])
TEMPLATES = st.one_of(
    NAMES.map("$({})".format),
    NAMES.map("ex:$({})".format),
    st.builds("ex:$({})/$({})-$({})".format, NAMES, NAMES, NAMES),
    st.just("ex:fixed"),
)
NUMBERS = ["integer", "decimal", "double", "float", "byte", "nonNegativeInteger"]
OTHERS = ["boolean", "string", "token", "dateTime", "date", "gYear", "anyURI"]
DATATYPES = st.sampled_from([*NUMBERS, *OTHERS]).map("xsd:{}".format)
OBJECTS = st.one_of(
    st.tuples(NAMES.map("$({})".format)),
    st.tuples(st.builds("$({}) of $({})".format, NAMES, NAMES)),
    st.tuples(TEMPLATES.map("{}~iri".format)),
    st.tuples(st.one_of(NAMES.map("$({})".format), st.just("$(v)$(w)")), DATATYPES),
    st.tuples(NAMES.map("$({})".format), st.just("en~lang")),
    st.tuples(st.just("$(value)"), DATATYPES),
)
TIMES = st.sampled_from(
    [
        {"column": "t", "unit": "number"},
        {"column": "t", "unit": "float"},
        {"column": "t", "unit": "s"},
        {"column": "t", "unit": "ms"},
        {"column": "t"},
        {"column": "t", "zone": "Europe/Copenhagen"},
        {"column": "t", "zone": "Europe/Copenhagen", "ambiguous": "later"},
        {"value": "$(v)$(t)", "unit": "number"},
        {"column": "t", "format": "%Y-%m-%d %H:%M", "zone": "UTC"},
    ]
)
MELTS = st.sampled_from(
    [None, None, {"columns": ["v", "o.in"]}, {"columns": ["o.*", "w"]}, {"columns": {"v": {"w": "seen"}}}]
)


@st.composite
def mappings(draw):
    """A mapping as a dictionary."""
    statements = st.tuples(TEMPLATES, OBJECTS).map(lambda each: [each[0], *each[1]])
    found = {
        "prefixes": {"ex": "http://example.org/"},
        "time": draw(TIMES),
        "null": draw(st.sampled_from([[""], ["", "0", "true"], []])),
        "decimal": draw(st.sampled_from([".", ".", ","])),
        "mappings": {"m": {"s": draw(TEMPLATES), "po": draw(st.lists(statements, min_size=1, max_size=4))}},
    }
    melt = draw(MELTS)
    return found if melt is None else {**found, "melt": melt}


CLOCKS = """2026-03-02T07:00:00Z|2026-03-29T02:30:00|2026-10-25T02:30:00|2026-10-25 02:30:00+01:00
1969-12-31T23:59:59Z|0001-01-01T00:00:00+01:00|9999-12-31T23:59:59-05:00|2026-03-02|2026-03-02 07:00
2026-03-02T07:00:00.1234567Z| 2026-03-02T07:00:00Z|x""".replace("\n", "|").split("|")
INSTANTS = st.one_of(
    st.sampled_from(CLOCKS).map(json.dumps),
    st.sampled_from(["0", "7", "-7", "1.5", "1772434800", "1772434800.25", "1772434800123", "1e9", "1e99"]),
)
TIMED = st.builds(
    '{{"t": {}, "id": "a", "v": {}, "w": {}, "o": {{"in": {}}}}}'.format, INSTANTS, SCALARS, SCALARS, SCALARS
).map(str.encode)


def by_table(lines, mapping):
    """What the table of lines gives, or the error."""
    try:
        found = list(read_records(io.BytesIO(b"\n".join(lines)), mapping, format="jsonl"))
        return [(type(abox.at), abox.at, _offset(abox.at), tuple(abox.triples)) for abox in found]
    except MalformedInputError as error:
        return getattr(error, "column", None), error.reason


def by_record(make):
    """What a compiled mapping gives, or the error."""
    try:
        return [(type(abox.at), abox.at, _offset(abox.at), tuple(abox.triples)) for abox in make()]
    except MalformedInputError as error:
        return getattr(error, "column", None), error.reason


def _offset(at):
    return at.utcoffset() if hasattr(at, "utcoffset") else None


def loaded(given_mapping):
    """The compiled mapping; None for one that is refused."""
    try:
        return Mapping.load(given_mapping)
    except MappingError:
        return None


def single(lines):
    """Lines that are records; blank ones and a file's mark are not."""
    return [line for line in lines if line.strip() and not line.startswith(b"\xff")]


@given(mappings(), st.lists(st.one_of(LINES, TIMED, TIMED), min_size=1, max_size=4))
@settings(max_examples=cases(50, 1_000, 20_000), deadline=None)
def test_a_record_gives_what_a_table_of_it_gives(given_mapping, lines):
    if (mapping := loaded(given_mapping)) is None:
        return
    lines = single(lines)
    for line in lines:
        expected = by_table([line], mapping.mapping)
        assert by_record(lambda line=line: [mapping.abox(line)]) == expected
        if not isinstance(expected, tuple):
            record = json.loads(line)
            plain = json.dumps(record).encode()
            assert by_record(lambda record=record: [mapping.abox(record)]) == by_table(
                [plain], mapping.mapping
            )
    assert not lines or by_record(lambda: mapping.aboxes(lines)) == by_table(lines, mapping.mapping)


@given(mappings(), st.lists(st.one_of(LINES, TIMED, TIMED), max_size=5))
@settings(max_examples=cases(12, 250, 5_000), deadline=None)
def test_bad_records_are_handed_over_and_the_others_are_as_in_a_table(given_mapping, lines):
    if (mapping := loaded(given_mapping)) is None:
        return
    lines = single(lines)
    reader = read_records(io.BytesIO(b"\n".join(lines)), mapping.mapping, format="jsonl", on_error="skip")
    expected = list(reader)
    bad = []
    assert mapping.aboxes(lines, lambda record, error: bad.append((record, error))) == expected
    assert [record for record, _ in bad] == [lines[each.line - 1] for each in reader.skipped]
    assert all(isinstance(error, InvalidCellError | MalformedInputError) for _, error in bad)
