"""All answer streams of rules, as lines or rows."""

import io
from types import SimpleNamespace

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.cli.answer_streams_asked import AskedAnswerStreams
from pantarhei.io.write import CsvWriter, NdjsonWriter, TableWriter
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.temporal.models.solving import AnswerStream

EX = Namespace("http://example.org/")
ON = TemporalAtom(EX.on, (EX.x,))
FOUND = (
    AnswerStream(frozenset({ON, TemporalAtom(EX.level, (EX.x, Literal(3)))}), frozenset({(2, ON)})),
    AnswerStream(frozenset()),
)
RULES = "on(X) at T :- asserted :hot(X) at T in [2].\nlevel(X, N) :- :v(X, N), not on(X)."


@pytest.fixture
def asked(tmp_path):
    file = tmp_path / "rules.lars"
    file.write_text(f"@prefix : <{EX}> .\n{RULES}")
    made = AskedAnswerStreams(file, 0, pr.load_ontology(Graph()))
    made.begin(pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0)))
    return made


def written(asked, writer, found):
    asked._asked = SimpleNamespace(models=lambda most: found)
    asked.write(SimpleNamespace(at=5), writer)
    return writer._file.getvalue().splitlines()


def test_a_table_has_a_line_for_each_or_says_that_there_is_none(asked):
    assert written(asked, TableWriter(io.StringIO()), FOUND) == [
        "5  1 of 2: level(x, 3), on(x), on(x) at 2",
        "5  2 of 2: nothing is concluded",
    ]
    assert written(asked, TableWriter(io.StringIO()), ()) == ["5  no answer stream"]


def test_rows_have_the_number_of_their_answer_stream(asked):
    assert written(asked, CsvWriter(io.StringIO()), FOUND) == [
        "at,answer,predicate,argument1,argument2,time",
        f"5,1,{EX}level,{EX}x,3,",
        f"5,1,{EX}on,{EX}x,,",
        f"5,1,{EX}on,{EX}x,,2",
        "5,2,,,,",
    ]


def test_where_as_many_as_were_asked_for_are_found_there_may_be_more(asked):
    asked._most = 2
    lines = written(asked, TableWriter(io.StringIO()), FOUND)
    assert [line.partition(":")[0] for line in lines] == ["5  1 of 2 or more", "5  2 of 2 or more"]
    asked._most = 3
    assert written(asked, TableWriter(io.StringIO()), FOUND)[0].startswith("5  1 of 2: ")


def test_lines_of_json_have_null_for_what_an_answer_stream_does_not_have(asked):
    writer = NdjsonWriter(io.StringIO())
    assert written(asked, writer, FOUND[1:]) == [
        '{"at": 5, "answer": 1, "predicate": null, "argument1": null, "argument2": null, "time": null}'
    ]
    assert written(asked, writer, ())[1:] == ['{"at": 5}']
