"""What rules conclude, as a line or a row for each that came or went."""

import io
from types import SimpleNamespace

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei import MissingFileError, TemporalTextError, load_ontology
from pantarhei.cli.conclusion_output import AnswerStreamOutput, ConclusionOutput, read_rules
from pantarhei.engine.update import WindowUpdate
from pantarhei.io.writers import CsvWriter, NdjsonWriter, TableWriter
from pantarhei.model.message_text import NO_NAMES
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.temporal.answer_sets import AnswerStream
from pantarhei.temporal.conclusion_sets import ConclusionChanges, TickConclusions

EX, OTHER = Namespace("http://example.org/"), Namespace("http://example.org/other#")
ONTOLOGY = load_ontology(Graph().parse(data=f"@prefix ex: <{EX}> . ex:a a ex:Hot ."))
RULES = "ex:alarm(X) :- ex:Hot(X). ex:level(X, 7) :- ex:Hot(X). ex:on :- ex:Hot(X).\n"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(RULES)
    return read_rules(path, ONTOLOGY)


def atom(name, *arguments):
    return TemporalAtom(name, arguments)


# at:      3      5
# alarm    |======|
# level           |===
TURNS = (
    TickConclusions(3, frozenset([atom(EX.on), atom(EX.alarm, EX.a)]), frozenset()),
    TickConclusions(5, frozenset([atom(EX.level, EX.a, Literal(7))]), frozenset([atom(EX.alarm, EX.a)])),
)


def update_with(*turns):
    return WindowUpdate(5, 0, 5, (), None, None, conclusions=ConclusionChanges(lambda: turns))


def written(rules, writer, *turns):
    ConclusionOutput(rules, NO_NAMES).write(update_with(*turns), writer)
    return writer._file.getvalue().splitlines()


def test_a_table_has_a_line_for_each_what_went_first(rules):
    assert written(rules, TableWriter(io.StringIO()), *TURNS) == [
        "3  + alarm(a)",
        "3  + on",
        "5  - alarm(a)",
        "5  + level(a, 7)",
    ]


def test_rows_have_as_many_arguments_as_any_conclusion_has(rules):
    assert written(rules, CsvWriter(io.StringIO()), *TURNS) == [
        "at,change,predicate,argument1,argument2",
        f"3,+,{EX.alarm},{EX.a},",
        f"3,+,{EX.on},,",
        f"5,-,{EX.alarm},{EX.a},",
        f"5,+,{EX.level},{EX.a},7",
    ]


def test_names_that_look_the_same_are_told_apart(rules):
    turn = TickConclusions(3, frozenset([atom(EX.alarm, EX.a), atom(EX.alarm, OTHER.a)]), frozenset())
    assert written(rules, TableWriter(io.StringIO()), turn) == [
        f"3  + alarm(<{EX.a}>)",
        f"3  + alarm(<{OTHER.a}>)",
    ]


def test_of_a_step_without_conclusions_nothing_is_written(rules):
    assert written(rules, CsvWriter(io.StringIO())) == []


def test_the_ontologys_prefixes_need_no_declaration(rules):
    assert [rule.head.atom.predicate for rule in rules.rules] == [EX.alarm, EX.level, EX.on]


def test_a_file_that_cannot_be_read_or_is_no_text_of_rules_is_told_of(tmp_path):
    with pytest.raises(MissingFileError):
        read_rules(tmp_path / "none.lars", ONTOLOGY)
    path = tmp_path / "alarms.lars"
    path.write_text("ex:alarm(X) :- ex:Hot(X)")
    with pytest.raises(TemporalTextError):
        read_rules(path, ONTOLOGY)


def test_prefixes_of_the_ontology_that_stand_for_no_iri_are_passed_over(tmp_path):
    graph = Graph()
    graph.bind("odd", "no iri")
    graph.bind("ex", EX)
    path = tmp_path / "alarms.lars"
    path.write_text(RULES)
    assert len(read_rules(path, load_ontology(graph)).rules) == 3


EX_OF_ANSWER_STREAMS_ASKED = Namespace("http://example.org/")
ON = TemporalAtom(EX_OF_ANSWER_STREAMS_ASKED.on, (EX_OF_ANSWER_STREAMS_ASKED.x,))
FOUND = (
    AnswerStream(
        frozenset(
            {ON, TemporalAtom(EX_OF_ANSWER_STREAMS_ASKED.level, (EX_OF_ANSWER_STREAMS_ASKED.x, Literal(3)))}
        ),
        frozenset({(2, ON)}),
    ),
    AnswerStream(frozenset()),
)
RULES_OF_ANSWER_STREAMS_ASKED = (
    "on(X) at T :- asserted :hot(X) at T in [2].\nlevel(X, N) :- :v(X, N), not on(X)."
)


@pytest.fixture
def asked(tmp_path):
    file = tmp_path / "rules.lars"
    file.write_text(f"@prefix : <{EX_OF_ANSWER_STREAMS_ASKED}> .\n{RULES_OF_ANSWER_STREAMS_ASKED}")
    made = AnswerStreamOutput(file, 0, pr.load_ontology(Graph()))
    made.begin(pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0)))
    return made


def written_of_answer_streams_asked(asked, writer, found):
    asked._answer_streams = SimpleNamespace(models=lambda most: found)
    asked.write(SimpleNamespace(at=5), writer)
    return writer._file.getvalue().splitlines()


def test_a_table_has_a_line_for_each_or_says_that_there_is_none(asked):
    assert written_of_answer_streams_asked(asked, TableWriter(io.StringIO()), FOUND) == [
        "5  1 of 2: level(x, 3), on(x), on(x) at 2",
        "5  2 of 2: nothing is concluded",
    ]
    assert written_of_answer_streams_asked(asked, TableWriter(io.StringIO()), ()) == ["5  no answer stream"]


def test_rows_have_the_number_of_their_answer_stream(asked):
    assert written_of_answer_streams_asked(asked, CsvWriter(io.StringIO()), FOUND) == [
        "at,answer,predicate,argument1,argument2,time",
        f"5,1,{EX_OF_ANSWER_STREAMS_ASKED}level,{EX_OF_ANSWER_STREAMS_ASKED}x,3,",
        f"5,1,{EX_OF_ANSWER_STREAMS_ASKED}on,{EX_OF_ANSWER_STREAMS_ASKED}x,,",
        f"5,1,{EX_OF_ANSWER_STREAMS_ASKED}on,{EX_OF_ANSWER_STREAMS_ASKED}x,,2",
        "5,2,,,,",
    ]


def test_where_as_many_as_were_asked_for_are_found_there_may_be_more(asked):
    asked._most = 2
    lines = written_of_answer_streams_asked(asked, TableWriter(io.StringIO()), FOUND)
    assert [line.partition(":")[0] for line in lines] == ["5  1 of 2 or more", "5  2 of 2 or more"]
    asked._most = 3
    assert written_of_answer_streams_asked(asked, TableWriter(io.StringIO()), FOUND)[0].startswith(
        "5  1 of 2: "
    )


def test_lines_of_json_have_null_for_what_an_answer_stream_does_not_have(asked):
    writer = NdjsonWriter(io.StringIO())
    assert written_of_answer_streams_asked(asked, writer, FOUND[1:]) == [
        '{"at": 5, "answer": 1, "predicate": null, "argument1": null, "argument2": null, "time": null}'
    ]
    assert written_of_answer_streams_asked(asked, writer, ())[1:] == ['{"at": 5}']
