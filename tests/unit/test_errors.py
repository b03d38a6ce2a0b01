import inspect
import math
import pickle

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei
from counts import some
from pantarhei import errors
from pantarhei.errors.base import parameters_written
from sample_errors import ERRORS, some_arguments


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_comes_back_from_another_process_whole(error):
    raised = error(*some_arguments(error))
    back = pickle.loads(pickle.dumps(raised))
    assert type(back) is error
    assert back.__dict__ == raised.__dict__
    assert back.args == raised.args
    assert str(back) == str(raised)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_keeps_its_fields_and_says_them(error):
    arguments = some_arguments(error)
    raised = error(*arguments)
    assert list(raised.__dict__.values()) == arguments
    for place, argument in enumerate(arguments):
        if argument is True:
            other = [*arguments[:place], False, *arguments[place + 1 :]]
            assert str(error(*other)) != str(raised)
            continue
        for said in argument if isinstance(argument, tuple) else [argument]:
            assert str(said) in str(raised)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_is_drawn_in_the_tree_at_the_top(error):
    assert error is errors.PantarheiError or error.__name__ in errors.__doc__
    assert inspect.getdoc(error)


def test_wrong_options_are_value_errors_too():
    assert issubclass(pantarhei.OptionError, ValueError)


def test_late_aboxes_say_what_lateness_was_allowed():
    assert "allowed_lateness" in str(errors.LateABoxError("1", "5"))
    assert "allowed_lateness=2" in str(errors.LateABoxError("1", "5", "2"))


def test_late_aboxes_say_what_lateness_would_take_them_in():
    assert "with allowed_lateness=4, or more" in str(errors.LateABoxError("1", "5", lateness="4"))
    assert "(allowed_lateness=4 accepts this one)" in str(errors.LateABoxError("1", "5", "2", "4"))
    for bounds in ((), ("2",), ("2", "4"), (None, "4")):  # the newest time may be the wrong one
        assert str(errors.LateABoxError("1", "5", *bounds)).endswith("max_ahead excludes such times")


def test_a_malformed_input_without_a_line_names_its_source():
    assert str(errors.MalformedInputError("a.nq", None, "why")) == "a.nq: why"
    assert str(errors.MalformedInputError("a.nq", 7, "why")) == "a.nq, line 7: why"


GIVEN = pantarhei.load_ontology(Graph().parse(data="<urn:A> a <http://www.w3.org/2002/07/owl#Class> ."))


@pytest.mark.parametrize("wrong", [None, 5, ["x"], {1, 2}], ids=repr)
@pytest.mark.parametrize(
    ("option", "call"),
    [
        ("query", lambda wrong: reasoner().query(wrong)),
        ("query", lambda wrong: reasoner().graph.query(wrong)),
        ("rules", lambda wrong: pantarhei.Ontology.from_rules(wrong)),
        ("keys", lambda wrong: GIVEN.sharding_report(keys=wrong if isinstance(wrong, list) else 5)),
        ("budget", lambda wrong: pantarhei.ABoxMaterializer(reasoner().foundation, budget=wrong or ())),
        ("path", lambda wrong: reasoner().checkpoint(wrong)),
        ("foundation", pantarhei.ABoxMaterializer),
        ("options", lambda wrong: pantarhei.StreamReasoner.with_options(GIVEN, wrong)),
        ("graph", lambda wrong: GIVEN.entails(5 if wrong else wrong)),
        ("depth", lambda wrong: GIVEN.inconsistency_normal_form(str(wrong))),
        ("catalog", lambda wrong: pantarhei.load_ontology(Graph(), catalog=wrong or 0)),
        ("steps", lambda wrong: pantarhei.Budget(steps=str(wrong))),
        ("ontology", lambda wrong: pantarhei.StreamReasoner(wrong, pantarhei.Window(1))),
        ("ontology", lambda wrong: pantarhei.Foundation.of(wrong)),
        ("window", lambda wrong: pantarhei.StreamReasoner(GIVEN, wrong)),
    ],
)
def test_something_of_another_type_is_refused_by_the_name_of_what_it_stands_for(option, call, wrong):
    with pytest.raises(pantarhei.OptionError) as refused:
        call(wrong)
    assert refused.value.option == option


def reasoner():
    return pantarhei.StreamReasoner(GIVEN, pantarhei.Window(1))


def test_a_refused_rule_shows_its_place_where_it_has_one():
    refused = errors.TemporalRuleError("a window of 0", "a longer one", 2, 8, "a :- b in [0 #].")
    assert str(refused).split("\n") == [
        "temporal rule refused, line 2, column 8: a window of 0; expected a longer one",
        "    a :- b in [0 #].",
        "           ^",
    ]
    made = errors.TemporalRuleError("a window of 0", "a longer one")
    assert str(made) == "temporal rule refused: a window of 0; expected a longer one"


def test_of_a_long_line_the_part_around_the_place_is_shown():
    line = "".join(f"p{n}, " for n in range(1000))
    _, shown, mark = str(errors.TemporalTextError("p", "q", 1, 3001, line)).split("\n")
    assert len(shown) <= 104
    assert shown[mark.index("^")] == line[3000]


WARNINGS = [
    warning for _, warning in inspect.getmembers(errors, inspect.isclass) if issubclass(warning, Warning)
]
LONG = {
    "a text of a megabyte": "x" * 1_000_000,
    "a text with blanks": "word " * 200_000,
    "a list": ", ".join(f"<http://example.org/item{number}>" for number in range(5000)),
    "lines": "\n".join(f"    line {number}" for number in range(5000)),
    "lines of prose": "\n".join("first, second, third " * 20 for _ in range(500)),
}


def rows_of(text):
    """Rows of the text on a screen with 110 columns."""
    return sum(max(1, math.ceil(len(line) / 110)) for line in text.split("\n"))


@pytest.mark.parametrize("long", some(LONG, ["a text of a megabyte", "a list"]))
@pytest.mark.parametrize("error", [*ERRORS, *WARNINGS], ids=lambda error: error.__name__)
def test_a_message_with_long_fields_fits_on_a_screen_and_its_fields_are_whole(error, long):
    long = LONG[long]
    arguments = [
        tuple(f"{n} {long[:300]}" for n in range(5000)) if type(a) is tuple else a if type(a) is int else long
        for a in some_arguments(error)
    ]
    raised = error(*arguments)
    assert rows_of(str(raised)) <= 25
    assert list(raised.__dict__.values()) == arguments
    assert str(pickle.loads(pickle.dumps(raised))) == str(raised)
    if (whole := getattr(error.__str__, "__wrapped__", None)) is not None:
        assert str(raised)[:100] == whole(raised)[:100]


def test_a_list_in_a_message_says_how_many_more_there_are():
    shards = [f"shard-{number}" for number in range(5000)]
    text = str(errors.OptionError("key", "'k'", f"one of the checked keys: {', '.join(shards)}"))
    assert text.startswith("key='k' is invalid: expected one of the checked keys: shard-0, shard-1, ")
    assert text.endswith("shard-4999")
    shown = [part for part in text.replace("…", ",").split(", ") if "shard-" in part]
    more = text.partition("… and ")[2].partition(" more")[0]
    assert len(shown) + int(more.replace(",", "")) == 5000


def test_axioms_that_are_not_shown_are_counted_not_their_lines():
    axioms = [f"not supported: A{number}\n    a choice" for number in range(5000)]
    text = str(errors.UnsupportedAxiomError(axioms))
    assert text.startswith("5,000 axioms are not supported:\n    not supp")
    assert text.endswith("\nchange the ontology, or load it with strict=False")
    assert "    a choice\n    and 4,990 more\n" in text and rows_of(text) <= 25
    assert str(errors.UnsupportedAxiomError(axioms[:1])).startswith("1 axiom is not supported:\n")


@pytest.mark.parametrize("length", [20, 200, 400])
def test_conflicts_that_are_not_shown_are_counted_once(length):
    text = str(errors.ContradictionError([f"conflict {number} {'x' * length}" for number in range(300)]))
    shown = sum(line.startswith("    conflict ") for line in text.split("\n"))
    assert 2 <= shown <= 10 and f"\n    and {300 - shown} more\n" in text and rows_of(text) <= 25
    assert text.endswith('on_conflict="report"')


AXIOMS = "".join(
    f"<urn:A{n}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> [ a owl:Class ; owl:unionOf "
    f"( <urn:B{n}> <urn:C{n}> ) ] ."
    for n in range(1000)
)


def ontology_of(text):
    prefixes = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
    return pantarhei.load_ontology(Graph().parse(data=prefixes + text), strict=True)


def contradictory_graph():
    graph = pantarhei.DynamicGraph(ontology_of("<urn:A> owl:disjointWith <urn:B> . <urn:A> a owl:Class ."))
    graph.change([(URIRef(f"urn:x{n}"), RDF.type, URIRef(f"urn:{c}")) for n in range(300) for c in "AB"])


FAILURES = {
    "an ontology with 1,000 lost axioms": lambda: ontology_of(AXIOMS),
    "a change with 300 contradictions": contradictory_graph,
    "a triple whose subject is a literal of 1 MB": lambda: reasoner().push(
        1, [(Literal("x" * 10**6), RDF.type, 1)]
    ),
    "a query of 500 lines": lambda: reasoner().query("SELECT * {\n" + "?s ?p ?o .\n" * 500 + "?s ?p }"),
    "a query on one line": lambda: reasoner().query("SELECT * {" + "?s ?p ?o . " * 1000 + "?s ?p }"),
    "a rule text on one line": lambda: pantarhei.load_rules("a(X) :- b(X), " * 1000 + "]"),
    "an option with a long value": lambda: pantarhei.Budget(steps="x" * 10**6),
    "an axiom that is not entailed": lambda: GIVEN.explain(
        [(URIRef("urn:" + "x" * 10**6), RDF.type, URIRef("urn:A"))]
    ),
}


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_an_error_of_large_input_fits_on_a_screen(fail):
    with pytest.raises(pantarhei.PantarheiError) as raised:
        fail()
    assert len(str(raised.value)) > 20 and rows_of(str(raised.value)) <= 25


def test_a_missing_option_is_shown_as_it_is_passed():
    error = errors.MissingOptionError("static", '{"urn:g": graph}', "The query reads FROM <urn:g>.")
    assert str(error) == 'The query reads FROM <urn:g>. Pass it: static={"urn:g": graph}.'
    assert isinstance(error, errors.OptionError) and error.expected == error.value and error.given == "None"


def test_an_excluded_option_is_shown_as_it_was_passed():
    error = errors.ExcludedOptionError("window", "Window(3)", "The text declares its windows.")
    assert str(error) == "The text declares its windows. Omit window=Window(3)."
    assert isinstance(error, errors.OptionError) and error.expected == "no value"
    with parameters_written(lambda name, value: f"--{name} {value}"):
        assert str(errors.ExcludedOptionError("dead-letters", "x", "No.")) == "No. Omit --dead-letters x."


@pytest.mark.parametrize(
    ("given", "unlisted", "count", "last"),
    [
        (2, None, "2", ["    2. 1"]),
        (12, None, "12", ["    10. 9", "    and 2 more"]),
        (1000, "and 4,000 more", "5,000", ["    10. 9", "    and 4,990 more"]),
        (1000, "there may be more", "1,000 or more", ["    and 990 more", "    there may be more"]),
        (2, "and 1 more", "3", ["    2. 1", "    and 1 more"]),
    ],
)
def test_contradictions_that_are_not_shown_are_counted_once(given, unlisted, count, last):
    lines = str(errors.InconsistentOntologyError(list(range(given)), unlisted)).split("\n")
    assert lines[0] == f"the ontology is inconsistent, in {count} ways:"
    assert lines[-1 - len(last) : -1] == last
