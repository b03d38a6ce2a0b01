import inspect
import pickle

import pytest
from rdflib import Graph

import pantarhei
from pantarhei import errors

ERRORS = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, errors.PantarheiError)
]


def some_arguments(error):
    """A text for each argument, a tuple of texts where a sequence of them is asked for."""
    parameters = [
        p
        for p in inspect.signature(error.__init__).parameters.values()
        if p.name != "self" and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    return [
        ("one", "two") if "Sequence" in str(p.annotation) else 3 if "int" in str(p.annotation) else p.name
        for p in parameters
    ]


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
    for argument in arguments:
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
