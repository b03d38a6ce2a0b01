"""What rules conclude, as a line or a row for each that came or went."""

import io

import pytest
from rdflib import Graph, Literal, Namespace

from pantarhei import MissingFileError, TemporalTextError, load_ontology
from pantarhei.cli.concluded import Concluded, rules_from
from pantarhei.engine.update import WindowUpdate
from pantarhei.io.write import CsvWriter, TableWriter
from pantarhei.model.display_names import NO_NAMES
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.temporal.conclusions import ConclusionChanges, Turn

EX, OTHER = Namespace("http://example.org/"), Namespace("http://example.org/other#")
ONTOLOGY = load_ontology(Graph().parse(data=f"@prefix ex: <{EX}> . ex:a a ex:Hot ."))
RULES = "ex:alarm(X) :- ex:Hot(X). ex:level(X, 7) :- ex:Hot(X). ex:on :- ex:Hot(X).\n"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "alarms.lars"
    path.write_text(RULES)
    return rules_from(path, ONTOLOGY)


def atom(name, *arguments):
    return TemporalAtom(name, arguments)


# at:      3      5
# alarm    |======|
# level           |===
TURNS = (
    Turn(3, frozenset([atom(EX.on), atom(EX.alarm, EX.a)]), frozenset()),
    Turn(5, frozenset([atom(EX.level, EX.a, Literal(7))]), frozenset([atom(EX.alarm, EX.a)])),
)


def update_with(*turns):
    return WindowUpdate(5, 0, 5, (), None, None, conclusions=ConclusionChanges(lambda: turns))


def written(rules, writer, *turns):
    Concluded(rules, NO_NAMES).write(update_with(*turns), writer)
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
    turn = Turn(3, frozenset([atom(EX.alarm, EX.a), atom(EX.alarm, OTHER.a)]), frozenset())
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
        rules_from(tmp_path / "none.lars", ONTOLOGY)
    path = tmp_path / "alarms.lars"
    path.write_text("ex:alarm(X) :- ex:Hot(X)")
    with pytest.raises(TemporalTextError):
        rules_from(path, ONTOLOGY)


def test_prefixes_of_the_ontology_that_stand_for_no_iri_are_passed_over(tmp_path):
    graph = Graph()
    graph.bind("odd", "no iri")
    graph.bind("ex", EX)
    path = tmp_path / "alarms.lars"
    path.write_text(RULES)
    assert len(rules_from(path, load_ontology(graph)).rules) == 3
